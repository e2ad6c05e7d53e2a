//! Trees as both sides of a comparison, directories or objects; and objects beside a manifest.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use anyhow::Context as _;
use hashlane_audit::diff::{Counts, Difference, Gather, Gathered, Pair, Row, Rows};
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Options, Stop, Summary};
use hashlane_io::start_thread_in;
use hashlane_keeper::{Store, is_object, with_slash};
use hashlane_record::ItemPath;
use hashlane_verify::Places;
use hashlane_verify::tree::{Tree, TreeRows, pairs};

use super::report::Report;
use super::{NO_THREAD, compare, conclude, directory, failed, not_below, problems};
use crate::args::DiffArgs;
use crate::filters::selection;
use crate::inputs::sorting_memory;
use crate::objects;
use crate::session::Session;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// What a side is made of: its rows, in order.
type Side = Box<dyn Rows + Send>;

/// The objects that a list is compared with. Their names are whole, or relative to --base.
pub(super) fn objects_beside_list(args: &DiffArgs, root: &OsStr, store: &Store) -> anyhow::Result<Tree> {
    let (root, below_root) = (root.as_bytes(), with_slash(root.as_bytes()));
    let Some(base) = args.base.as_deref() else {
        return tree(args, root, store.clone(), &args.strip_prefix);
    };
    let prefix = with_slash(base.as_os_str().as_bytes());
    if !below_root.starts_with(&prefix) {
        return Err(not_below(base, OsStr::from_bytes(root)));
    }
    // The object of the prefix's own name does not lie below it.
    let root = if below_root == prefix { &prefix } else { root };
    tree(args, root, store.below(&prefix), &args.strip_prefix)
}

/// Two trees: directories, or what a store has below a prefix. Names are relative to both.
pub(super) fn run(
    args: &DiffArgs,
    mut session: Session<'_>,
    store: Option<&Store>,
) -> anyhow::Result<Status> {
    refuse_options_of_manifests(args)?;
    if args.normalize && store.is_some() {
        return Err(Ended::usage("--normalize: is for two directories; names of objects are keys"));
    }
    let screen = session.screen().clone();
    session.show(Box::new(|_| ()));
    let (a, b) = (side(args, &args.a, store)?, side(args, &args.b, store)?);
    let algorithm = args.algorithm.or_else(|| Algorithm::named("sha256")).expect("sha256 is registered");
    session.watch(Stop::Drained)?;
    let output = session.output(args.output.as_deref())?;
    let here = [&args.a, &args.b].into_iter().map(|name| name.as_os_str());
    let here = here.filter(|name| !is_object(name.as_bytes()));
    let mut options = session.options(Arc::new([algorithm]), a.selection().walk.clone(), here);
    options.excluded = output.identities();
    let mut report = Report::new(args, output, &screen);
    let (done, ran) = session.run(Stop::Drained, |control| match store {
        Some(_) => one_after_the_other(args, [&a, &b], &options, &screen, control, &mut report),
        None => side_by_side(args, [&a, &b], options, &screen, control, &mut report),
    })?;
    let (summary, compared) = match done {
        Ok(done) => done,
        Err(error) => return ran.failed(error, report.leave(&screen)),
    };
    conclude(args, &ran, &summary, (compared, report), Status::OK, [Some(&a), Some(&b)], store)
}

/// Refuses what would have no effect.
fn refuse_options_of_manifests(args: &DiffArgs) -> anyhow::Result<()> {
    let given = [
        (args.base.is_some(), "--base"),
        (!args.strip_prefix.is_empty(), "--strip-prefix"),
        (args.manifest_format.is_some(), "--manifest-format"),
        (args.from_zero, "--from-zero"),
        (args.strict, "--strict"),
        (args.warn, "--warn"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Ended::usage(format!(
            "{option}: is for manifests, and A and B are none; leave it out, names are relative to A and to B"
        ))),
        None => Ok(()),
    }
}

/// What was read, and what came of the comparison.
type Done = anyhow::Result<(Summary, anyhow::Result<Counts>)>;

/// Two sides of which at least one is in a store: a store need not list its objects in order, so each side is read for itself.
fn one_after_the_other(
    args: &DiffArgs,
    trees: [&Tree; 2],
    options: &Options,
    screen: &Screen,
    control: &Arc<Control>,
    report: &mut Report,
) -> Done {
    let mut summary = Summary::default();
    let compared = both(args, trees, options, screen, control, &mut summary)
        .and_then(|(of_a, of_b)| differences(of_a, of_b, trees, report));
    Ok((summary, compared))
}

/// Two directories, of which only what may be equal is read.
fn side_by_side(
    args: &DiffArgs,
    trees: [&Tree; 2],
    options: Options,
    screen: &Screen,
    control: &Arc<Control>,
    report: &mut Report,
) -> Done {
    let mut problems = problems(screen);
    thread::scope(|scope| {
        let ([a, b], sink) = pairs(trees, args.normalize, &mut problems);
        let run = start_thread_in(scope, "run", || sink.run(options, control)).context(NO_THREAD)?;
        let compared = differences(a, b, trees, report);
        let summary = run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok((summary, compared))
    })
}

/// A side whose names are relative to it.
fn side(args: &DiffArgs, name: &OsStr, store: Option<&Store>) -> anyhow::Result<Tree> {
    const NONE: [&str; 0] = [];
    if let Some(store) = store
        && is_object(name.as_bytes())
    {
        let prefix = with_slash(name.as_bytes());
        return tree(args, &prefix, store.below(&prefix), &NONE);
    }
    let places = Places::new(Some(Path::new(name)), &NONE);
    let selection = selection(&args.filter, args.follow, args.one_file_system, Vec::new())?;
    Ok(Tree::new(ItemPath::from(name.as_bytes()), places, selection))
}

/// The objects of a root, which is there.
fn tree(args: &DiffArgs, root: &[u8], store: Store, prefixes: &[impl AsRef<OsStr>]) -> anyhow::Result<Tree> {
    objects::probe(&store, root)?;
    let places = Places::in_store(Arc::new(store), prefixes);
    let selection = selection(&args.filter, args.follow, args.one_file_system, Vec::new())?;
    Ok(Tree::new(ItemPath::from(root), places, selection))
}

/// Reads A and then B, which share what stops them.
fn both(
    args: &DiffArgs,
    [a, b]: [&Tree; 2],
    options: &Options,
    screen: &Screen,
    control: &Arc<Control>,
    summary: &mut Summary,
) -> anyhow::Result<(Side, Side)> {
    let memory = sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX)) / 2;
    let mut rows = |tree: &Tree| {
        let (read, rows) = read(args, tree, options.clone(), memory, screen, control)?;
        *summary += read;
        rows
    };
    Ok((rows(a)?, rows(b)?))
}

/// Reads a side. What is wrong with its rows is told apart from what the engine has failed of.
fn read(
    args: &DiffArgs,
    tree: &Tree,
    options: Options,
    memory: usize,
    screen: &Screen,
    control: &Arc<Control>,
) -> anyhow::Result<(Summary, anyhow::Result<Side>)> {
    let mut problems = problems(screen);
    thread::scope(|scope| {
        let (rows, sink) = tree.channel(&mut problems);
        let run = start_thread_in(scope, "run", || sink.run(options, control)).context(NO_THREAD)?;
        let rows = sorted(rows, memory, args);
        let summary = run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok((summary, rows))
    })
}

/// Rows in order: a store need not list its objects so.
pub(super) fn sorted(mut rows: TreeRows, memory: usize, args: &DiffArgs) -> anyhow::Result<Side> {
    let mut gather = Gather::new(memory, directory(args), false);
    let mut row = Row::default();
    while rows.next(&mut row).map_err(failed)? {
        gather.push(&row).map_err(failed)?;
    }
    match gather.finish().map_err(failed)? {
        Gathered::Sorted(sorted) => Ok(Box::new(sorted)),
        Gathered::InOrder => unreachable!("rows that cannot be had again are kept"),
    }
}

fn differences(a: impl Rows, b: impl Rows, trees: [&Tree; 2], report: &mut Report) -> anyhow::Result<Counts> {
    let [of_a, of_b] = trees;
    let judged = |pair: &Pair<'_>| match pair.difference {
        Difference::New => of_a.judged(pair, Difference::New),
        _ => of_b.judged(pair, Difference::Missing),
    };
    compare(a, b, report, trees.map(Some), judged)
}
