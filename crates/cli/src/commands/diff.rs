//! `hashlane diff`: two manifests, a manifest and a tree, or two trees, name by name.

mod manifest;
mod report;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::{Options, Stop};
use hashlane_objects::{Objects, is_object, with_slash};
use hashlane_record::ItemPath;
use hashlane_report::text;
use hashlane_verify::check::identity;
use hashlane_verify::diff::{Compared, Comparison, Side, Uncompared};
use hashlane_verify::lists::are_one_pipe;
use hashlane_verify::rows::{Loaded, Room};
use hashlane_verify::tree::Tree;
use hashlane_verify::{Inputs, Places, Problem, named_below};

use crate::args::{DiffArgs, DiffFormat};
use crate::filters::selection;
use crate::hints::store_problem;
use crate::inputs::{
    connect, counter, first_given, refuse_options_of_files, sorting_memory, temporary_directory,
};
use crate::manifests::{STDIN, shown as shown_list};
use crate::output::{refuse_input, shown};
use crate::session::{Ran, Session};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;

use manifest::{close, failed, lists};
use report::Report;

pub(super) fn run(args: &DiffArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, args.status)?;
    let names = [args.a.as_os_str(), args.b.as_os_str()];
    refuse_input(args.output.as_deref(), names.into_iter())?;
    if args.zero && args.format == DiffFormat::Json {
        return Err(Ended::usage(
            "--zero: lines of JSON hold any name; leave it out, or choose --format names",
        ));
    }
    let store = store(args)?;
    let are_trees = names.map(is_tree);
    refuse(args, are_trees, store.as_ref())?;
    let [a, b] = names.map(|name| is_tree(name).then(|| tree(args, name, are_trees, store.as_ref())));
    let trees = [a.transpose()?, b.transpose()?];
    let screen = session.screen().clone();
    let walk = trees.iter().flatten().map(|tree| tree.selection().walk.clone()).next();
    match (&walk, &store, are_trees) {
        (Some(walk), None, [true, false] | [false, true]) => {
            let root = names[usize::from(are_trees[1])];
            session.show(counter(&Inputs::Paths(vec![root.to_owned()]), walk));
        }
        (Some(_), ..) => session.show(Box::new(|_| ())),
        (None, ..) => {}
    }
    let memory = sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX));
    // Only the files of one directory are in order as they come.
    let is_alone = store.is_none() && are_trees[0] != are_trees[1];
    let room = Room {
        memory_bytes: if is_alone { memory } else { memory / 2 },
        directory: args.temporary_directory.clone().unwrap_or_else(temporary_directory),
    };
    let places = trees.iter().flatten().map(|tree| tree.places().clone()).next();
    let places = places.unwrap_or_else(|| Places::new(None, &args.strip_prefix));
    let named: Vec<_> = names.into_iter().filter(|name| !is_tree(name)).collect();
    let mut loaded = lists(&named, args, &places, &session, &room)?;
    let algorithms = match (&walk, &mut loaded[..]) {
        (None, _) => Vec::new(),
        (_, []) => vec![args.algorithm.unwrap_or(Algorithm::SHA256)],
        (_, [listed, ..]) => algorithms(listed, named[0])?,
    };
    let mut status = Status::OK;
    for (name, listed) in named.iter().zip(&loaded) {
        status |= close(name, &listed.met, &screen, args);
    }
    // Until here there is nothing to be left behind, and a signal ends the process even where a manifest never comes.
    let stop = if walk.is_some() { Stop::Drained } else { Stop::Aborted };
    session.watch(stop)?;
    let output = session.output(args.output.as_deref())?;
    let engine = match walk {
        None => Options::new(Arc::new([])),
        Some(walk) => {
            let here = names.into_iter().filter(|name| is_tree(name) && !is_object(name.as_bytes()));
            let mut engine = session.options(algorithms.into(), walk, here);
            engine.excluded = output.identities();
            engine.excluded.extend(named.iter().filter_map(|name| identity(name)));
            engine
        }
    };
    let mut report = Report::new(args, are_trees, output, &screen, status);
    let mut loaded = loaded.into_iter();
    let sides = trees.map(|tree| match tree {
        Some(tree) => Side::Tree(Box::new(tree)),
        None => Side::List(loaded.next().expect("what is no tree is a list")),
    });
    let comparison = Comparison { sides, normalize: args.normalize, room };
    let mut problems = |path: &ItemPath, problem: Problem<'_>| {
        screen.message(&format!("{}: {problem}", text::name(path.as_bytes())));
    };
    let (compared, ran) = session.run(stop, |control| {
        comparison.run(engine, &mut |pair, difference| report.pair(pair, difference), &mut problems, control)
    })?;
    let compared = match compared {
        Ok(compared) => compared,
        Err(error) => return ran.failed(failed(&error), report.output.leave(&screen)),
    };
    conclude(&ran, &compared, report, store.as_ref())
}

/// Ends a comparison that was stopped; of others judges what they came to, and says what was read and what a store was asked.
fn conclude(
    ran: &Ran<'_>,
    compared: &Compared,
    report: Report<'_>,
    store: Option<&Objects>,
) -> anyhow::Result<Status> {
    let (screen, summary, quiet) = (ran.screen(), &compared.summary, report.args.quiet);
    let has_trees = report.are_trees != [false, false];
    if let Some(signal) = ran.signal() {
        screen.messages(report.output.leave(screen).err().map(|error| error.to_string()));
        if has_trees {
            ran.die(signal, summary)
        }
        die_by(signal)
    }
    let status = judge(report, compared, screen)?;
    if has_trees && !quiet {
        ran.passed_over(&summary.skipped, "list or output file");
        ran.close(None, summary);
        ran.say_traffic(store.map(Objects::traffic).as_ref());
    }
    if has_trees {
        ran.learn(summary);
    }
    Ok(status)
}

/// The store that a side is in, or both, if any is.
fn store(args: &DiffArgs) -> anyhow::Result<Option<Objects>> {
    let are_objects = [&args.a, &args.b].map(|side| is_object(side.as_bytes()));
    if are_objects == [false, false] {
        return match args.store.given().or(args.requests.given()) {
            Some(option) => {
                Err(Ended::usage(format!("{option} is for objects; name A or B as s3://BUCKET/PREFIX")))
            }
            None => Ok(None),
        };
    }
    refuse_options_of_files(&args.reading, None)?;
    connect(&args.store, args.requests).map(Some)
}

fn is_tree(name: &OsStr) -> bool {
    is_object(name.as_bytes()) || name != STDIN && Path::new(name).is_dir()
}

/// Refuses what cannot be compared, and options that would have no effect. `are_trees`: A and B.
fn refuse(args: &DiffArgs, are_trees: [bool; 2], store: Option<&Objects>) -> anyhow::Result<()> {
    let of_manifests = [
        (args.base.is_some(), "--base"),
        (!args.strip_prefix.is_empty(), "--strip-prefix"),
        (args.manifest_format.is_some(), "--manifest-format"),
        (args.from_zero, "--from-zero"),
        (args.strict, "--strict"),
        (args.warn, "--warn"),
    ];
    let of_trees = [
        (args.base.is_some(), "--base"),
        (args.follow, "--follow"),
        (args.one_file_system, "--one-file-system"),
        (args.reading.device.from_medium, "--from-medium"),
    ];
    Err(Ended::usage(match are_trees {
        [true, true] => match first_given(&of_manifests) {
            Some(option) => format!(
                "{option}: is for manifests, and A and B are none; leave it out, names are relative to A and to B"
            ),
            None if args.normalize && store.is_some() => {
                "--normalize: is for two directories; names of objects are keys".to_owned()
            }
            None => return Ok(()),
        },
        _ if args.normalize => {
            "--normalize: is for two directories; `hashlane check --normalize` does it for a manifest"
                .to_owned()
        }
        [false, false] if args.a == STDIN && args.b == STDIN => {
            "`-` is named twice; standard input can be read only once".to_owned()
        }
        [false, false] if are_one_pipe(&args.a, &args.b) => {
            "A and B are the same pipe, which can be read only once; write it to a file first".to_owned()
        }
        [false, false] => match first_given(&of_trees).or_else(|| args.filter.given()) {
            Some(option) => {
                format!("{option}: applies to a directory, and neither A nor B is one; leave it out")
            }
            None => return Ok(()),
        },
        _ => return Ok(()),
    }))
}

/// What the files of a tree are digested with: what the list has.
fn algorithms(listed: &mut Loaded, name: &OsStr) -> anyhow::Result<Vec<Algorithm>> {
    let name = shown_list(name);
    if let Some(format) = listed.known_set {
        return Err(Ended::usage(format!(
            "{name}: a set of known contents ({format}), whose names are from another machine; no tree has them"
        )));
    }
    if listed.algorithms.is_empty() {
        return Err(Ended::unreadable(format!(
            "{name}: lists no digest, so the tree cannot be compared with it"
        )));
    }
    Ok(std::mem::take(&mut listed.algorithms))
}

/// The tree of a side, the way that names go: beside another tree they are relative to it, beside a list as those of the list are.
fn tree(
    args: &DiffArgs,
    name: &OsStr,
    are_trees: [bool; 2],
    store: Option<&Objects>,
) -> anyhow::Result<Tree> {
    let is_beside_tree = are_trees == [true, true];
    let in_store = store.filter(|_| is_object(name.as_bytes()));
    // Beside another tree neither a base nor prefixes are named.
    let base = args.base.as_deref().or(is_beside_tree.then_some(Path::new(name)));
    let (root, places) = match (in_store, base) {
        (None, base) if is_beside_tree => {
            (ItemPath::from(name.as_bytes()), Places::new(base, &args.strip_prefix))
        }
        (Some(store), Some(base)) => {
            let (prefix, below_root) = (with_slash(base.as_os_str().as_bytes()), with_slash(name.as_bytes()));
            if !below_root.starts_with(&prefix) {
                return Err(not_below(base, name));
            }
            // The object of the prefix's own name does not lie below it.
            let root = if below_root == prefix { &prefix } else { name.as_bytes() };
            (ItemPath::new(root), in_objects(store.below(&prefix), root, &args.strip_prefix)?)
        }
        (Some(store), None) => {
            let root = name.as_bytes();
            (ItemPath::new(root), in_objects(store.clone(), root, &args.strip_prefix)?)
        }
        (None, base) => {
            let named = base.map(|base| named_below(base, name).ok_or_else(|| not_below(base, name)));
            let named = named.transpose()?;
            let root = named.as_ref().map_or(name, |named| named.as_os_str());
            (ItemPath::from(root.as_bytes()), Places::new(base, &args.strip_prefix).in_order_of(root))
        }
    };
    let here = if in_store.is_none() && !is_beside_tree { places.here().to_vec() } else { Vec::new() };
    let selection = selection(&args.filter, args.follow, args.one_file_system, here)?;
    Ok(Tree::new(root, places, selection))
}

/// The names of objects below a root, which is there.
fn in_objects(store: Objects, root: &[u8], prefixes: &[impl AsRef<OsStr>]) -> anyhow::Result<Places> {
    store.probe(root).map_err(|error| Ended::unreadable(store_problem(root, &error)))?;
    Ok(Places::in_store(Arc::new(store), prefixes))
}

/// Says that a tree does not lie in what listed names are relative to.
fn not_below(base: &Path, root: &OsStr) -> anyhow::Error {
    Ended::usage(format!(
        "--base {}: {} is not below it; name the directory that the listed names are relative to",
        shown(base),
        text::name(root.as_bytes())
    ))
}

/// Ends the output, and says what came of it all.
fn judge(report: Report<'_>, compared: &Compared, screen: &Screen) -> anyhow::Result<Status> {
    let (args, are_trees, mut status) = (report.args, report.are_trees, report.status);
    let counts = compared.counts.clone().unwrap_or_default();
    if counts.left.unsearched + counts.right.unsearched > 0 {
        // Nobody knows what lies there, be it named on the other side or not.
        status |= Status::UNREADABLE;
    }
    if compared.empty != [false, false] {
        let sides = [&args.a, &args.b].into_iter().zip(are_trees).zip(compared.empty);
        for ((name, is_tree), _) in sides.filter(|(_, is_empty)| *is_empty) {
            let what = if is_tree { "there are no files below it" } else { "it lists no file" };
            screen.message(&format!("{}: {what}; nothing was compared", shown_list(name)));
        }
        status |= Status::UNREADABLE;
        report.finish(None, screen)?;
        return Ok(status);
    }
    if let Some(uncompared) = compared.uncompared() {
        screen.message(match (uncompared, are_trees) {
            (Uncompared::Filtered, _) => "no file was compared: the filters leave no file of the tree",
            (Uncompared::NoNameOnBoth, [true, true]) => "no name is on both sides, relative to A and to B",
            (Uncompared::NoNameOnBoth, _) => {
                "no name is on both sides; if the files have moved, use --base or --strip-prefix"
            }
            (_, [true, true]) => "no file was compared: of none that both sides have could both be read",
            _ => "no file was compared: where names are the same, A and B have no algorithm in common",
        });
        status |= Status::UNREADABLE;
    }
    let same = status == Status::OK;
    if !args.quiet {
        screen.message(&hashlane_report::differences_line(&counts, same));
    }
    report.finish(Some((&counts, same)), screen)?;
    Ok(status)
}
