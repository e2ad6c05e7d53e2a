//! What a check and an audit have in common: where listed names lie, and what is said of the lists.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_objects::{Objects, is_object};
use hashlane_record::ItemPath;
use hashlane_report::text;
use hashlane_verify::{Base, Confined, Elsewhere, ListSummary, LookupOptions, Selection, Within};

use crate::args::CheckArgs;
use crate::manifests::{self, STDIN};
use crate::output::{refuse_input, shown};
use crate::session::Session;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// Says what is to be said of lists, and what it means for the exit code. What several have in common stands together.
pub(super) fn say_of_lists(args: &CheckArgs, lists: &[&ListSummary], screen: &Screen) -> Status {
    let said: Vec<_> = lists.iter().map(|list| remarks(args, list)).collect();
    let mut status = Status::OK;
    for at in 0..REMARKS {
        for (text, is_doubt) in said.iter().filter_map(|remarks| remarks[at].as_ref()) {
            screen.message(text);
            if *is_doubt {
                status |= Status::UNREADABLE;
            }
        }
    }
    status
}

/// How many kinds of remarks there are.
const REMARKS: usize = 8;

/// What is to be said of a list, in this order, and whether it leaves a doubt.
fn remarks(args: &CheckArgs, list: &ListSummary) -> [Option<(String, bool)>; REMARKS] {
    let name = manifests::shown(&list.name);
    let hint = if args.warn { "" } else { "; --warn shows which" };
    let lines = |count| text::counted(count, "line");
    let asked = args.algorithm.map_or("the requested algorithm", |algorithm| algorithm.name());
    let has_digests = if list.other_lengths == 1 { "has a digest" } else { "have digests" };
    let said = |is_so: bool, text: String, is_doubt| is_so.then(|| (format!("{name}: {text}"), is_doubt));
    let misnamed = list.misnamed.as_ref().map(|(named, others)| {
        let others: Vec<_> = others.iter().map(|algorithm| algorithm.name()).collect();
        format!("is named after {named}, but its digests are {}", text::listed(&others))
    });
    [
        said(list.malformed > 0, format!("{} cannot be parsed{hint}", lines(list.malformed)), args.strict),
        said(!list.columns_not_read.is_empty(), text::columns_not_read(&list.columns_not_read), args.strict),
        said(
            list.other_lengths > 0,
            format!("{} {has_digests} of another length, not compared{hint}", lines(list.other_lengths)),
            args.strict,
        ),
        said(list.skipped > 0, format!("{} skipped: not {asked}{hint}", lines(list.skipped)), false),
        said(
            list.commented_out > 0,
            format!("{} commented out, not verified", text::counted(list.commented_out, "entry")),
            false,
        ),
        said(
            list.carriage_returns > 0,
            format!(
                "{} without the carriage return at the end of the line",
                text::counted(list.carriage_returns, "name")
            ),
            false,
        ),
        said(misnamed.is_some(), misnamed.unwrap_or_default(), false),
        said(list.broken_off, "the rest of it was not read".to_owned(), true),
    ]
}

/// Listed files that were not read when they were listed.
pub(super) fn recorded_bad_line(count: u64) -> String {
    let items = text::counted(count, "listed file");
    format!("{items} without a digest to verify: recorded as unreadable or unstable")
}

/// Where to look for files, if somebody said so: with --base below it.
fn named_roots(args: &CheckArgs) -> anyhow::Result<Vec<ItemPath>> {
    let roots = args.root.iter().map(|root| ItemPath::from(root.as_os_str().as_bytes()));
    let Some(base) = &args.base else { return Ok(roots.collect()) };
    let within = Within::of(base);
    let roots: Vec<_> = roots.map(|root| within.root(&root)).collect();
    if roots.iter().any(|root| is_object(root.as_bytes())) || !Confined::holds(&roots) {
        return Err(Ended::usage(format!(
            "--root: is relative to --base {}, as names are, and must not lead out of it",
            shown(base)
        )));
    }
    Ok(roots)
}

/// The directory of --base, open.
pub(super) fn open_base(base: Option<&Path>) -> anyhow::Result<Option<Base>> {
    base.map(Base::open).transpose().map_err(|error| manifests::failed(&error))
}

/// How the lists are read, and where what they name is looked up.
pub(super) fn lookup(
    args: &CheckArgs,
    selection: Selection,
    store: Option<Objects>,
    session: &mut Session<'_>,
) -> anyhow::Result<LookupOptions> {
    let base = open_base(args.base.as_deref().filter(|_| store.is_none()))?;
    let roots = named_roots(args)?;
    let place = args.base.as_deref().map_or(OsStr::new("."), Path::as_os_str);
    let places = std::iter::once(place).filter(|_| store.is_none());
    let engine = session.options(Arc::new([]), selection.walk.clone(), places);
    Ok(LookupOptions {
        reading: manifests::reading(args),
        base,
        selection,
        roots,
        names: args.names.clone().unwrap_or_default(),
        prefixes: args.strip_prefix.iter().cloned().collect(),
        beside: args.beside,
        fold_case: args.ignore_case,
        normalize: args.normalize,
        elsewhere: store.map(|store| Arc::new(store) as Arc<Elsewhere>),
        engine,
    })
}

/// Refuses an output that is one of the lists.
pub(super) fn refuse_inputs(args: &CheckArgs) -> anyhow::Result<()> {
    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))
}

/// Standard input is one manifest at most.
pub(super) fn refuse_two_inputs(args: &CheckArgs) -> anyhow::Result<()> {
    if args.manifests.iter().filter(|name| *name == STDIN).count() > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read only once"));
    }
    Ok(())
}
