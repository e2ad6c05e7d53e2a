//! What a check and an audit have in common: where listed names lie, and what is said of the lists.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_objects::{Objects, is_object};
use hashlane_record::ItemPath;
use hashlane_report::files::list_remarks;
use hashlane_report::text;
use hashlane_verify::{Base, Confined, Elsewhere, ListSummary, LookupOptions, Selection, Within};

use crate::args::CheckArgs;
use crate::manifests::{self, STDIN};
use crate::output::{refuse_input, shown};
use crate::session::Session;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// Says what is to be said of lists, and what it means for the exit code.
pub(super) fn say_of_lists(args: &CheckArgs, lists: &[&ListSummary], screen: &Screen) -> Status {
    let which = if args.warn { "" } else { "; --warn shows which" };
    let mut status = Status::OK;
    for (text, is_doubt) in list_remarks(lists, args.algorithm, args.strict, which) {
        screen.message(&text);
        if is_doubt {
            status |= Status::UNREADABLE;
        }
    }
    status
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
