//! `hashlane diff`: two manifests, a manifest and a tree, or two trees, name by name.

mod ahead;
mod manifest;
mod report;
mod trees;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::Context as _;
use hashlane_audit::diff::{Counts, Difference, Error, Merge, Pair, Rows};
use hashlane_digest::Algorithm;
use hashlane_engine::{Stop, Summary};
use hashlane_io::start_thread_in;
use hashlane_keeper::{Store, is_object};
use hashlane_record::ItemPath;
use hashlane_report::text;
use hashlane_verify::check::identity;
use hashlane_verify::tree::{Tree, TreeEnded};
use hashlane_verify::{Places, Problem, named_below};

use crate::args::{DiffArgs, DiffFormat};
use crate::filters::selection;
use crate::inputs::{Inputs, sorting_memory, temporary_directory};
use crate::manifests::{STDIN, no_temporary};
use crate::objects;
use crate::output::{refuse_input, shown};
use crate::session::{Ran, Session};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;

use ahead::Ahead;
use manifest::{Loaded, load};
use report::Report;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    A,
    B,
}

/// Why the rows of a side end before their end, where it is no failure: the run was stopped.
#[derive(Debug, thiserror::Error)]
#[error("the run was stopped")]
struct Stopped;

pub(super) fn run(args: &DiffArgs) -> anyhow::Result<Status> {
    let session = Session::begin(&args.reading, &args.backends, args.status)?;
    refuse_input(args.output.as_deref(), [args.a.as_os_str(), args.b.as_os_str()].into_iter())?;
    if args.zero && args.format == DiffFormat::Json {
        return Err(Ended::usage(
            "--zero: lines of JSON hold any name; leave it out, or choose --format names",
        ));
    }
    let store = store(args)?;
    match (is_tree(&args.a), is_tree(&args.b)) {
        (true, true) => trees::run(args, session, store.as_ref()),
        _ if args.normalize => Err(Ended::usage(
            "--normalize: is for two directories; `hashlane check --normalize` does it for a manifest",
        )),
        (false, false) if args.a == STDIN && args.b == STDIN => {
            Err(Ended::usage("`-` is named twice; standard input can be read only once"))
        }
        (false, false) if is_one_pipe(&args.a, &args.b) => Err(Ended::usage(
            "A and B are the same pipe, which can be read only once; write it to a file first",
        )),
        (false, false) => manifests(args, session),
        (true, false) => with_tree(args, session, Letter::A, &args.a, &args.b, store.as_ref()),
        (false, true) => with_tree(args, session, Letter::B, &args.b, &args.a, store.as_ref()),
    }
}

/// The store that a side is in, or both, if any is.
fn store(args: &DiffArgs) -> anyhow::Result<Option<Store>> {
    let are_objects = [&args.a, &args.b].map(|side| is_object(side.as_bytes()));
    if are_objects == [false, false] {
        return match args.store.given().or(args.requests.given()) {
            Some(option) => {
                Err(Ended::usage(format!("{option} is for objects; name A or B as s3://BUCKET/PREFIX")))
            }
            None => Ok(None),
        };
    }
    objects::refuse_options_of_files(&args.reading)?;
    objects::connect(&args.store, args.requests).map(Some)
}

/// What to say where the system refuses a thread.
const NO_THREAD: &str = "cannot start a thread";

fn is_tree(name: &OsStr) -> bool {
    is_object(name.as_bytes()) || name != STDIN && Path::new(name).is_dir()
}

/// Whether both names are of one pipe: each would get a part of what comes through it.
fn is_one_pipe(a: &OsStr, b: &OsStr) -> bool {
    let of = |name: &OsStr| std::fs::metadata(if name == STDIN { OsStr::new("/dev/stdin") } else { name });
    match (of(a), of(b)) {
        (Ok(a), Ok(b)) => a.file_type().is_fifo() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Where sorting takes place.
fn directory(args: &DiffArgs) -> PathBuf {
    args.temporary_directory.clone().unwrap_or_else(temporary_directory)
}

/// Two manifests.
fn manifests(args: &DiffArgs, mut session: Session<'_>) -> anyhow::Result<Status> {
    refuse_options_of_trees(args)?;
    let (control, screen) = (Arc::clone(session.control()), session.screen().clone());
    let places = Places::new(None, &args.strip_prefix);
    let memory = sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX)) / 2;
    let load = |name| load(name, args, &places, (&screen, &control), memory);
    let loaded = thread::scope(|scope| {
        let b = start_thread_in(scope, "list", || load(&args.b)).context(NO_THREAD)?;
        let a = load(&args.a);
        anyhow::Ok((a, b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
    })?;
    let (a, b) = (loaded.0?, loaded.1?);
    let mut status = a.close(&screen, args);
    status |= b.close(&screen, args);
    // Until here there is nothing to be left behind, and a signal ends the process even where a manifest never comes.
    session.watch(Stop::Aborted)?;
    let output = session.output(args.output.as_deref())?;
    let mut report = Report::new(args, output, &screen);
    let (compared, ran) = session.run(Stop::Aborted, |_| {
        thread::scope(|scope| {
            let (a, b) = (Ahead::start(a.rows, scope)?, Ahead::start(b.rows, scope)?);
            compare(a, b, &mut report, [None; 2], |pair| pair.difference)
        })
    })?;
    if let Some(signal) = ran.signal() {
        report_left(report.leave(&screen), &screen);
        die_by(signal);
    }
    match compared {
        Ok(counts) => judge(args, report, status, counts, [None; 2], &screen),
        Err(error) => ran.failed(error, report.leave(&screen)),
    }
}

/// Refuses what would have no effect.
fn refuse_options_of_trees(args: &DiffArgs) -> anyhow::Result<()> {
    let given = [
        (args.base.is_some(), "--base"),
        (args.follow, "--follow"),
        (args.one_file_system, "--one-file-system"),
        (args.reading.device.from_medium, "--from-medium"),
    ];
    let given = given.into_iter().find_map(|(is_given, option)| is_given.then_some(option));
    match given.or_else(|| args.filter.given()) {
        Some(option) => Err(Ended::usage(format!(
            "{option}: applies to a directory, and neither A nor B is one; leave it out"
        ))),
        None => Ok(()),
    }
}

/// A manifest and a tree, which are objects if there is a store.
fn with_tree(
    args: &DiffArgs,
    mut session: Session<'_>,
    letter: Letter,
    root: &OsStr,
    name: &OsStr,
    store: Option<&Store>,
) -> anyhow::Result<Status> {
    let (control, screen) = (Arc::clone(session.control()), session.screen().clone());
    let tree = match store {
        Some(objects) => trees::objects_beside_list(args, root, objects)?,
        None => tree(args, root)?,
    };
    let places = tree.places().clone();
    let walk = tree.selection().walk.clone();
    match store {
        Some(_) => session.show(Box::new(|_| ())),
        None => session.show(Inputs::Paths(vec![root.to_owned()]).counter(&walk)),
    }
    let memory = sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX));
    // Rows of objects are sorted, too.
    let memory = if store.is_some() { memory / 2 } else { memory };
    let mut listed = load(name, args, &places, (&screen, &control), memory)?;
    let algorithms = algorithms(&mut listed)?;
    let status = listed.close(&screen, args);
    session.watch(Stop::Drained)?;
    let output = session.output(args.output.as_deref())?;
    let places = std::iter::once(root).filter(|_| store.is_none());
    let mut options = session.options(algorithms.into(), walk, places);
    options.excluded = output.identities();
    options.excluded.extend(identity(name));
    let mut report = Report::new(args, output, &screen);
    let (absent, trees) = match letter {
        Letter::A => (Difference::New, [Some(&tree), None]),
        Letter::B => (Difference::Missing, [None, Some(&tree)]),
    };
    let judged = |pair: &Pair<'_>| tree.judged(pair, absent);
    let mut problems = problems(&screen);
    let (done, ran) = session.run(Stop::Drained, |control| {
        thread::scope(|scope| {
            let (rows, sink) = tree.channel(&mut problems);
            let run = start_thread_in(scope, "run", || sink.run(options, control)).context(NO_THREAD)?;
            let rows: anyhow::Result<Box<dyn Rows + Send>> = match store {
                Some(_) => trees::sorted(rows, memory, args),
                None => Ok(Box::new(rows)),
            };
            let compared = rows.and_then(|rows| match letter {
                Letter::A => compare(rows, listed.rows, &mut report, trees, judged),
                Letter::B => compare(listed.rows, rows, &mut report, trees, judged),
            });
            anyhow::Ok((run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), compared))
        })
    })?;
    let (summary, compared) = match done {
        Ok((Ok(summary), compared)) => (summary, compared),
        Ok((Err(error), _)) => return ran.failed(error, report.leave(&screen)),
        Err(error) => return ran.failed(error, report.leave(&screen)),
    };
    conclude(args, &ran, &summary, (compared, report), status, trees, store)
}

/// Judges what a run came to that has read trees, and says what was read and what a store was asked; or what kept it from its end.
fn conclude(
    args: &DiffArgs,
    ran: &Ran,
    summary: &Summary,
    (compared, report): (anyhow::Result<Counts>, Report),
    status: Status,
    trees: [Option<&Tree>; 2],
    store: Option<&Store>,
) -> anyhow::Result<Status> {
    let screen = ran.screen();
    if let Some(signal) = ran.signal() {
        report_left(report.leave(screen), screen);
        ran.die(signal, summary);
    }
    let counts = match compared {
        Ok(counts) => counts,
        Err(error) => return ran.failed(error, report.leave(screen)),
    };
    let status = judge(args, report, status, counts, trees, screen)?;
    if !args.quiet {
        ran.passed_over(&summary.skipped, "list or output file");
        ran.close(None, summary);
        if let Some(store) = store {
            screen.message(&objects::traffic_line(&store.traffic()));
        }
    }
    ran.learn(summary);
    Ok(status)
}

/// What the files of a tree are digested with: what the list has.
fn algorithms(listed: &mut Loaded) -> anyhow::Result<Vec<Algorithm>> {
    if let Some(format) = listed.known_set {
        return Err(Ended::usage(format!(
            "{}: a set of known contents ({format}), whose names are from another machine; no tree has them",
            listed.name
        )));
    }
    if listed.algorithms.is_empty() {
        return Err(Ended::unreadable(format!(
            "{}: lists no digest, so the tree cannot be compared with it",
            listed.name
        )));
    }
    Ok(std::mem::take(&mut listed.algorithms))
}

/// Says of each file why it was not read.
fn problems(screen: &Screen) -> impl FnMut(&ItemPath, Problem<'_>) + Send + use<'_> {
    |path, problem| screen.message(&format!("{}: {problem}", text::name(path.as_bytes())))
}

/// Says why the output could not be left, where a signal ends the process all the same.
fn report_left(left: anyhow::Result<()>, screen: &Screen) {
    if let Err(error) = left {
        screen.message(&error.to_string());
    }
}

/// The tree whose files are compared, the way that names go.
fn tree(args: &DiffArgs, root: &OsStr) -> anyhow::Result<Tree> {
    let named = match &args.base {
        Some(base) => Some(named_below(base, root).ok_or_else(|| not_below(base, root))?),
        None => None,
    };
    let root = named.as_ref().map_or(root, |named| named.as_os_str());
    let places = Places::new(args.base.as_deref(), &args.strip_prefix).in_order_of(root);
    let selection = selection(&args.filter, args.follow, args.one_file_system, places.here().to_vec())?;
    Ok(Tree::new(ItemPath::from(root.as_bytes()), places, selection))
}

/// Says that a tree does not lie in what listed names are relative to.
fn not_below(base: &Path, root: &OsStr) -> anyhow::Error {
    Ended::usage(format!(
        "--base {}: {} is not below it; name the directory that the listed names are relative to",
        shown(base),
        text::name(root.as_bytes())
    ))
}

/// Tells the differences. Of a tree that holds nothing but unwanted files, what the other side has is told too. `trees`: those of A and
/// of B. `judged`: what a pair is, where more is known of what one side lacks.
fn compare(
    a: impl Rows,
    b: impl Rows,
    report: &mut Report,
    trees: [Option<&Tree>; 2],
    judged: impl Fn(&Pair<'_>) -> Difference,
) -> anyhow::Result<Counts> {
    let mut merge = Merge::new(a, b).map_err(failed)?;
    let (no_a, no_b) = merge.is_empty();
    if (no_a || no_b) && !trees.into_iter().flatten().any(Tree::has_unwanted) {
        return Ok(merge.counts());
    }
    while let Some(pair) = merge.next().map_err(failed)? {
        let found = pair.difference;
        let difference = judged(&pair);
        report.pair(&pair, difference)?;
        merge.recount(found, difference);
    }
    Ok(merge.counts())
}

/// An error of the comparison, with its exit code and its way out.
pub(crate) fn failed(error: Error) -> anyhow::Error {
    match error {
        Error::Source(error) => match error.downcast_ref() {
            Some(TreeEnded::Root { root, failure }) => {
                let root = text::name(root.as_bytes());
                Ended::unreadable(format!("{root}: {failure}; nothing was compared"))
            }
            _ => match error.downcast::<hashlane_verify::Error>() {
                Ok(error) => manifest::failed(&error),
                Err(error) => anyhow::Error::from_boxed(error),
            },
        },
        Error::Temporary { .. } => Ended::output(no_temporary(&error)),
        Error::Damaged { .. } => {
            Ended::output(format!("{error}; run again, with another --temporary-directory"))
        }
        error => error.into(),
    }
}

/// Ends the output, and says what came of it all.
fn judge(
    args: &DiffArgs,
    report: Report,
    status: Status,
    counts: Counts,
    trees: [Option<&Tree>; 2],
    screen: &Screen,
) -> anyhow::Result<Status> {
    let mut status = status;
    status |= report.status();
    if counts.left.unsearched + counts.right.unsearched > 0 {
        // Nobody knows what lies there, be it named on the other side or not.
        status |= Status::UNREADABLE;
    }
    let [tree_a, tree_b] = trees;
    let sides = [(counts.left.names, &args.a, tree_a), (counts.right.names, &args.b, tree_b)];
    let is_empty = |(names, _, tree): &&(u64, &OsString, Option<&Tree>)| {
        *names == 0 && !tree.is_some_and(Tree::has_unwanted)
    };
    let empty: Vec<_> = sides.iter().filter(is_empty).map(|&(_, name, tree)| (name, tree)).collect();
    if !empty.is_empty() {
        for (name, tree) in empty {
            let what = if tree.is_some() { "there are no files below it" } else { "it lists no file" };
            screen.message(&format!("{}: {what}; nothing was compared", crate::manifests::shown(name)));
        }
        status |= Status::UNREADABLE;
        report.finish(None, screen)?;
        return Ok(status);
    }
    if !counts.is_compared() {
        screen.message(if sides.iter().any(|(names, ..)| *names == 0) {
            "no file was compared: the filters leave no file of the tree"
        } else if counts.on_both == 0 && trees.iter().all(Option::is_some) {
            "no name is on both sides, relative to A and to B"
        } else if trees.iter().all(Option::is_some) {
            "no file was compared: of none that both sides have could both be read"
        } else if counts.on_both == 0 {
            "no name is on both sides; if the files have moved, use --base or --strip-prefix"
        } else {
            "no file was compared: where names are the same, A and B have no algorithm in common"
        });
        status |= Status::UNREADABLE;
    }
    if !args.quiet {
        screen.message(&report::summary(&counts, status == Status::OK));
    }
    report.finish(Some((&counts, status == Status::OK)), screen)?;
    Ok(status)
}
