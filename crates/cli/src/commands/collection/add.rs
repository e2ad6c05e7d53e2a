//! `hashlane collection add`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hashlane_catalog::{Habits, HoldIf, Policy, Reader, Selection, StoreTerms, Terms};
use hashlane_engine::Filter;
use hashlane_io::Device;
use hashlane_keeper::{MarkError, Overlap, is_object, register, terms_of};
use hashlane_report::text;

use super::{days, failed, now_s, open_or_make};
use crate::args::{CollectionAddArgs, PolicyOf, ReadFrom, StoreArgs};
use crate::hints::prefix;
use crate::output::{refused, shown};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CollectionAddArgs) -> anyhow::Result<Status> {
    if is_object(args.root.as_os_str().as_bytes()) {
        let of_files = [
            (args.marker, "--marker"),
            (args.one_file_system, "--one-file-system"),
            (args.place.removable, "--removable"),
            (args.place.no_removable, "--no-removable"),
            (args.place.from.is_some(), "--from"),
        ];
        refuse_for_store(&of_files)?;
    }
    let store = terms_of(&args.root, args.store.connection());
    let root = root(&args.root, &args.store, &store)?;
    for globs in [&args.include, &args.append_only] {
        Filter::new(globs, &args.exclude, &[]).map_err(Ended::usage)?;
    }
    let usual = HoldIf::default();
    let hold_if = HoldIf { files: args.hold_files, percent: args.hold_percent.unwrap_or(usual.percent) };
    check_hold(hold_if)?;
    let mut catalog = open_or_make(&args.catalog)?;
    let screen = Screen::plain();
    let mut selection = Selection::default();
    selection.include.clone_from(&args.include);
    selection.exclude.clone_from(&args.exclude);
    selection.append_only.clone_from(&args.append_only);
    selection.one_file_system = args.one_file_system;
    let mut terms = Terms::new(&args.name, root);
    if is_object(terms.root.as_os_str().as_bytes()) {
        terms.store = store;
    }
    terms.group.clone_from(&args.group);
    terms.algorithms.clear();
    for algorithm in &args.algorithm {
        // By one that is named twice files are known once.
        if !terms.algorithms.contains(algorithm) {
            terms.algorithms.push(*algorithm);
        }
    }
    terms.habits = habits(args, &terms);
    terms.period_s = match args.every {
        Some(promise) => promise.period_s(),
        // Reading a store costs money: that is for its keeper to say.
        None => (!terms.is_in_store()).then_some(USUAL_PERIOD_S),
    };
    set_policies(&mut terms, (args.frozen, args.living), &args.policy)?;
    terms.selection = selection;
    terms.hold_if = hold_if;
    terms.tags.clone_from(&args.tag);
    register(&mut catalog, &terms, args.marker, now_s()).map_err(unmarked)?;
    tell_overlaps(&catalog, &terms.root, Some(&terms.name), &screen)?;
    if catalog.path().starts_with(&terms.root) {
        screen.message(&format!(
            "note: the catalogue lies in this tree ({}), and is left out of it",
            shown(catalog.path())
        ));
    }
    let (name, root) = (&terms.name, shown(&terms.root));
    screen.message(&format!(
        "{name}: {root} is registered; `hashlane audit {name}` reads it for the first time"
    ));
    screen.message(&format!("{name}: {}", about(&terms)));
    if let Some(promise) = about_promise(&terms, args.every.is_some()) {
        screen.message(&format!("{name}: {promise}"));
    }
    if terms.habits.is_removable && !args.place.removable {
        screen.message(&format!(
            "{name}: {root} is on a removable disk, which may be away (--removable). If it is to be there: `hashlane collection set {name} --no-removable`"
        ));
    }
    Ok(Status::OK)
}

/// The period of a tree of which nobody has said another one, in seconds.
const USUAL_PERIOD_S: i64 = 90 * 24 * 3600;

/// What the place of a new collection is like, and how its promise is meant.
fn habits(args: &CollectionAddArgs, terms: &Terms) -> Habits {
    let mut habits = Habits::usual();
    habits.is_usual_period = args.every.is_none() && !terms.is_in_store();
    let is_removable = || Device::at(&terms.root).is_ok_and(|device| device.is_removable());
    habits.is_removable =
        args.place.removable || !args.place.no_removable && !terms.is_in_store() && is_removable();
    habits.may_be_empty = args.place.allow_empty;
    habits.says_hold_percent = args.hold_percent.is_some();
    habits.reads_device = args.place.from.is_none_or(ReadFrom::is_device);
    habits
}

/// What is promised where nobody has said so, and that nothing is.
fn about_promise(terms: &Terms, is_said: bool) -> Option<String> {
    let name = &terms.name;
    match terms.period_s {
        Some(_) if is_said => None,
        Some(period_s) => Some(format!(
            "every byte is read again within {} (the default); `hashlane collection set {name} --every never` promises nothing",
            days(period_s)
        )),
        None => Some(format!(
            "no promise: files that look unchanged are not read again; `hashlane collection set {name} --every 90d` promises it"
        )),
    }
}

/// What the policy of a collection means, and the way to another one.
fn about(terms: &Terms) -> String {
    let name = &terms.name;
    match terms.policy {
        Policy::Living => "living: new files and edits are accepted; damage and loss are findings".to_owned(),
        Policy::Growing => format!(
            "growing: new files are welcome; change and loss are findings. If files here are edited: `hashlane collection set {name} --policy living`"
        ),
        Policy::Frozen => "frozen: everything that is new, changed or gone is a finding".to_owned(),
    }
}

/// Sets what was asked for: `--frozen` or `--living`, and policies. Refuses globs that are malformed.
pub(super) fn set_policies(
    terms: &mut Terms,
    (frozen, living): (bool, bool),
    policies: &[PolicyOf],
) -> anyhow::Result<()> {
    match (frozen, living) {
        (true, _) => terms.policy = Policy::Frozen,
        (_, true) => terms.policy = Policy::Living,
        _ => {}
    }
    policies.iter().for_each(|policy| policy.set(terms));
    for (glob, _) in &terms.policies {
        Filter::new(std::slice::from_ref(glob), &[], &[]).map_err(Ended::usage)?;
    }
    Ok(())
}

/// Why a tree was not marked.
pub(super) fn unmarked(error: MarkError) -> anyhow::Error {
    match error {
        MarkError::Catalog(error) => failed(error),
        MarkError::Unwritten { path, source } => refused(&path, &source),
        error => Ended::usage(format!("{error}; remove it, or leave out --marker")),
    }
}

/// The directory or the prefix that is meant, by a name that is the same wherever the command is given. `store`: how that of the prefix is
/// reached.
pub(super) fn root(path: &Path, given: &StoreArgs, store: &StoreTerms) -> anyhow::Result<PathBuf> {
    let name = path.as_os_str().as_bytes();
    if is_object(name) {
        return prefix(name, store);
    }
    if let Some(option) = given.given() {
        return Err(Ended::usage(format!("{option} is for objects; name them as s3://BUCKET/PREFIX")));
    }
    let unusable = |what: &str| Ended::usage(format!("{}: {what}", shown(path)));
    let root = path.canonicalize().map_err(|error| unusable(&text::system(&error)))?;
    match root.is_dir() {
        true => Ok(root),
        false => Err(unusable("a collection is a directory, and this is not one")),
    }
}

/// Refuses options of which objects know nothing, if one is given.
pub(super) fn refuse_for_store(options: &[(bool, &str)]) -> anyhow::Result<()> {
    match options.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Ended::usage(format!("{option} is for trees of files; leave it out"))),
        None => Ok(()),
    }
}

/// Refuses a share that is none.
pub(super) fn check_hold(hold_if: HoldIf) -> anyhow::Result<()> {
    match (0.0..=100.0).contains(&hold_if.percent) {
        true => Ok(()),
        false => Err(Ended::usage("--hold-percent: give 0 to 100")),
    }
}

/// Says which collections but one have files in common with a tree: both will read them.
pub(super) fn tell_overlaps(
    catalog: &Reader,
    root: &Path,
    but: Option<&str>,
    screen: &Screen,
) -> anyhow::Result<()> {
    for other in catalog.collections().map_err(failed)? {
        if but == Some(&other.terms.name[..]) {
            continue;
        }
        let (name, other) = (&other.terms.name, &other.terms.root);
        let how = match Overlap::of(root, other) {
            Some(Overlap::Same) => "is the same tree",
            Some(Overlap::Within) => "contains it",
            Some(Overlap::Around) => "lies in it",
            None => continue,
        };
        screen.message(&format!(
            "note: {name} ({}) {how}; files that both have are read for each",
            shown(other)
        ));
    }
    Ok(())
}
