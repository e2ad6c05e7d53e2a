//! What a check and an audit have in common: where listed names lie, and what is said of the lists.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_keeper::is_object;
use hashlane_record::ItemPath;
use hashlane_report::text;
use hashlane_verify::{Base, Confined, ListSummary, Within};

use crate::args::CheckArgs;
use crate::manifests::{self, STDIN};
use crate::output::shown;
use crate::status::Ended;

/// Lines that could not be understood.
pub(super) fn malformed_line(list: &ListSummary, args: &CheckArgs) -> String {
    let hint = if args.warn { "" } else { "; --warn shows which" };
    let lines = text::counted(list.malformed, "line");
    format!("{}: {lines} cannot be parsed{hint}", manifests::shown(&list.name))
}

/// Columns of a table that have a type that is not read.
pub(super) fn columns_line(list: &ListSummary) -> String {
    format!("{}: {}", manifests::shown(&list.name), text::columns_not_read(&list.columns_not_read))
}

/// Lines of another section, or with digests that are cut off.
pub(super) fn other_lengths_line(list: &ListSummary, args: &CheckArgs) -> String {
    let hint = if args.warn { "" } else { "; --warn shows which" };
    let lines = text::counted(list.other_lengths, "line");
    let verb = if list.other_lengths == 1 { "has a digest" } else { "have digests" };
    format!("{}: {lines} {verb} of another length, not compared{hint}", manifests::shown(&list.name))
}

/// Lines that were left out because another algorithm was asked for.
pub(super) fn skipped_line(list: &ListSummary, args: &CheckArgs) -> String {
    let asked = args.algorithm.map_or("the requested algorithm", |algorithm| algorithm.name());
    let hint = if args.warn { "" } else { "; --warn shows which" };
    let lines = text::counted(list.skipped, "line");
    format!("{}: {lines} skipped: not {asked}{hint}", manifests::shown(&list.name))
}

/// A manifest with a name that promises what it does not hold.
pub(super) fn misnamed_line(list: &ListSummary, named: Algorithm, others: &[Algorithm]) -> String {
    let others: Vec<_> = others.iter().map(|algorithm| algorithm.name()).collect();
    let list = manifests::shown(&list.name);
    format!("{list}: is named after {named}, but its digests are {}", text::listed(&others))
}

/// Names whose last character belongs to the line end.
pub(super) fn carriage_returns_line(list: &ListSummary) -> String {
    let names = text::counted(list.carriage_returns, "name");
    format!("{}: {names} without the carriage return at the end of the line", manifests::shown(&list.name))
}

/// Listed files that were not read when they were listed.
pub(super) fn recorded_bad_line(count: u64) -> String {
    let items = text::counted(count, "listed file");
    format!("{items} without a digest to verify: recorded as unreadable or unstable")
}

/// Where to look for files, if somebody said so: with --base below it.
pub(super) fn named_roots(args: &CheckArgs) -> anyhow::Result<Vec<ItemPath>> {
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

/// Standard input is one manifest at most.
pub(super) fn refuse_two_inputs(args: &CheckArgs) -> anyhow::Result<()> {
    if args.manifests.iter().filter(|name| *name == STDIN).count() > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read only once"));
    }
    Ok(())
}
