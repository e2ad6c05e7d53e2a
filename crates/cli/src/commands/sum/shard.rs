//! One part of what is listed, where several machines share it.

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_engine::{Slice, Survey, WalkOptions};
use hashlane_manifest::{Format, Shard};
use hashlane_objects::{Below, Objects};
use hashlane_report::text;
use hashlane_verify::Inputs;
use hashlane_verify::lists::is_regular;
use hashlane_verify::survey::{lies_below, shard_of, survey_names, survey_path};

use crate::args::SumArgs;
use crate::hints::store_problem;
use crate::inputs::unreadable_list;
use crate::status::Ended;

/// Lists everything, and finds out which part of it is this one.
pub(super) fn find(
    args: &SumArgs,
    (inputs, format): (&Inputs, Format),
    store: Option<&Objects>,
    walk: &WalkOptions,
) -> anyhow::Result<Option<(Slice, Shard)>> {
    let Some((index, count)) = args.shard else { return Ok(None) };
    if !format.holds_shard() {
        return Err(Ended::usage(hashlane_manifest::Error::ShardNotHeld { format }));
    }
    // What is not listed would be missed by nobody.
    if let (Inputs::Paths(paths), Some(_)) = (inputs, store)
        && paths.len() < args.paths.len()
    {
        return Err(Ended::unreadable("--shard: all names have to be there; leave out those that are not"));
    }
    if let Some(output) = &args.output {
        refuse_listed(output, inputs)?;
    }
    let mut survey = Survey::new();
    match (inputs, store) {
        (Inputs::Paths(paths), Some(store)) => {
            for path in paths {
                let mut add = |found: Below<'_>| {
                    survey.add(found.path, Some(found.size_bytes));
                    ControlFlow::Continue(())
                };
                let name = path.as_bytes();
                let listed = store.find(name, walk, &mut add);
                listed.map_err(|error| Ended::unreadable(store_problem(name, &error)))?;
            }
            store.traffic().forget_markers();
        }
        (Inputs::Paths(paths), None) => {
            if paths.is_empty() || paths.iter().any(|path| path == "-") {
                return Err(Ended::usage(
                    "--shard: standard input cannot be split; name files or directories",
                ));
            }
            for path in paths {
                let name = path.as_bytes();
                survey_path(name, !args.walk.no_recursive, walk, &mut survey).map_err(|error| {
                    Ended::unreadable(format!("{}: {}", text::name(name), text::system(&error)))
                })?;
            }
        }
        (Inputs::List(list), store) => {
            if !is_regular(&list.file) {
                return Err(Ended::usage(
                    "--shard: a list is read twice, so it cannot come through a pipe; write it to a file first",
                ));
            }
            let names = list.open().map_err(|error| unreadable_list(list, &error))?;
            // To ask for the size of each object would be as many requests as to read them.
            survey_names(names, store.is_none(), walk, &mut survey).map_err(|problem| {
                Ended::unreadable(format!("--shard: {}: {problem}", text::name(list.file.as_bytes())))
            })?;
        }
    }
    Ok(Some(shard_of(survey, index, count)))
}

/// Refuses an output below what is listed: each machine would list those of the others.
fn refuse_listed(output: &Path, inputs: &Inputs) -> anyhow::Result<()> {
    let Inputs::Paths(paths) = inputs else { return Ok(()) };
    match paths.iter().find(|path| lies_below(output, path)) {
        Some(path) => Err(Ended::usage(format!(
            "--output {}: lies below {}, where the other shards would list it; write it elsewhere",
            crate::output::shown(output),
            text::name(path.as_bytes())
        ))),
        None => Ok(()),
    }
}
