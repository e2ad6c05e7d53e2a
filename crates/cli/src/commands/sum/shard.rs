//! One part of what is listed, where several machines share it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_engine::{Found, Slice, Survey, WalkOptions, list};
use hashlane_manifest::{Format, Listing, Shard};
use hashlane_objects::{Below, Objects};
use hashlane_record::ItemPath;
use hashlane_verify::lies_within;

use crate::args::SumArgs;
use crate::inputs::{Inputs, open_list};
use crate::objects;
use crate::status::Ended;
use crate::text;

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
        (Inputs::Paths(paths), Some(objects)) => {
            for path in paths {
                let mut add = |found: Below<'_>| {
                    survey.add(found.path, Some(found.size_bytes));
                    ControlFlow::Continue(())
                };
                let listed = objects.find(path.as_bytes(), walk, &mut add);
                listed.map_err(|error| Ended::unreadable(objects::problem(path.as_bytes(), &error)))?;
            }
            objects.traffic().forget_markers();
        }
        (Inputs::Paths(paths), None) => {
            if paths.is_empty() || paths.iter().any(|path| path == "-") {
                return Err(Ended::usage(
                    "--shard: standard input cannot be split; name files or directories",
                ));
            }
            for path in paths {
                add_path(path.as_bytes(), !args.walk.no_recursive, walk, &mut survey)?;
            }
        }
        (Inputs::List { file, zero }, store) => {
            if !fs::metadata(file).is_ok_and(|facts| facts.is_file()) {
                return Err(Ended::usage(
                    "--shard: a list is read twice, so it cannot come through a pipe; write it to a file first",
                ));
            }
            for name in open_list(file, *zero)? {
                let name = name.map_err(|problem| {
                    Ended::unreadable(format!("--shard: {}: {problem}", text::name(file.as_bytes())))
                })?;
                // To ask for the size of each object would be as many requests as to read them.
                let facts = if store.is_none() { fs::metadata(name.as_path()).ok() } else { None };
                let is_wanted = facts.as_ref().is_none_or(|facts| lies_within(walk.filter.bounds(), facts));
                let bytes = facts.map_or(0, |facts| facts.len());
                survey.add(name.as_bytes(), is_wanted.then_some(bytes));
            }
        }
    }
    let (slice, part) = survey.slice(index - 1, count);
    let all = survey.amount();
    let listing = Listing { files: all.things, bytes: all.bytes, digest: survey.digest() };
    Ok(Some((
        slice,
        Shard {
            index,
            count,
            files: part.things,
            bytes: part.bytes,
            names: (part.before, part.through),
            listing,
        },
    )))
}

/// What is said of it at the end.
pub(super) fn line(shard: &Shard) -> String {
    let Shard { index, count, files, bytes, listing, .. } = shard;
    format!(
        "shard {index} of {count}: {} of {}, {} of {}",
        text::count(*files),
        text::counted(listing.files, "file"),
        text::decimal(*bytes as f64),
        text::decimal(listing.bytes as f64)
    )
}

/// Lists what a run finds at a path, in its order.
fn add_path(path: &[u8], walks: bool, walk: &WalkOptions, survey: &mut Survey) -> anyhow::Result<()> {
    let facts = fs::metadata(Path::new(OsStr::from_bytes(path))).ok();
    if !walks || !facts.as_ref().is_some_and(fs::Metadata::is_dir) {
        let is_wanted = facts.as_ref().is_none_or(|facts| lies_within(walk.filter.bounds(), facts));
        survey.add(path, is_wanted.then(|| facts.map_or(0, |facts| facts.len())));
        return Ok(());
    }
    let walked = list(&ItemPath::from(path), walk, &mut |found| {
        match found {
            Found::File { directory, name } => {
                let facts = directory.facts(name).ok();
                let is_wanted = facts.as_ref().is_none_or(|facts| walk.filter.bounds().take(facts));
                let bytes = facts.map_or(0, |facts| facts.size_bytes);
                survey.add(&directory.join(name.to_bytes()), is_wanted.then_some(bytes));
            }
            // It is for its shard to say what is wrong there.
            Found::Failed { path, .. } => survey.add(&path, Some(0)),
        }
        ControlFlow::Continue(())
    });
    walked
        .map(drop)
        .map_err(|error| Ended::unreadable(format!("{}: {}", text::name(path), text::system(&error))))
}

/// Refuses an output below what is listed: each machine would list those of the others.
fn refuse_listed(output: &Path, inputs: &Inputs) -> anyhow::Result<()> {
    let Inputs::Paths(paths) = inputs else { return Ok(()) };
    let directory = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(directory) = fs::canonicalize(directory.unwrap_or(Path::new("."))) else { return Ok(()) };
    let is_above = |path: &&OsString| {
        fs::canonicalize(path).is_ok_and(|path| path.is_dir() && directory.starts_with(path))
    };
    match paths.iter().find(is_above) {
        Some(path) => Err(Ended::usage(format!(
            "--output {}: lies below {}, where the other shards would list it; write it elsewhere",
            crate::output::shown(output),
            text::name(path.as_bytes())
        ))),
        None => Ok(()),
    }
}
