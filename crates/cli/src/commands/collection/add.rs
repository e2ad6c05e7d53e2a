//! `hashlane collection add`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hashlane_catalog::{Habits, Policy, Reader, StoreTerms, Terms};
use hashlane_io::Device;
use hashlane_keeper::{ChangeError, Changes, MarkError, Overlap, is_object, register, terms_of};
use hashlane_report::text;

use super::{days, failed, now_s, open_or_make};
use crate::args::{CollectionAddArgs, PlaceArgs, StoreArgs, given};
use crate::commands::bench::distinct;
use crate::hints::prefix;
use crate::output::{refused, shown};
use crate::status::{Ended, Status, usage};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CollectionAddArgs) -> anyhow::Result<Status> {
    if is_object(args.root.as_os_str().as_bytes()) {
        let of_files = [(args.marker, "--marker"), (args.one_file_system, "--one-file-system")];
        refuse_for_store(&of_files, &args.place)?;
    }
    let store = terms_of(&args.root, args.store.connection());
    let root = root(&args.root, &args.store, &store)?;
    let terms = terms(args, root, store)?;
    let mut catalog = open_or_make(&args.catalog)?;
    let screen = Screen::plain();
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

/// The period of a tree where nobody has said another one, in seconds.
const USUAL_PERIOD_S: i64 = 90 * 24 * 3600;

/// What is to be registered.
fn terms(args: &CollectionAddArgs, root: PathBuf, store: StoreTerms) -> anyhow::Result<Terms> {
    let mut terms = Terms::new(&args.name, root);
    if is_object(terms.root.as_os_str().as_bytes()) {
        terms.store = store;
    } else {
        // Reading a store costs money: what is promised of it is for its keeper to say.
        terms.period_s = Some(USUAL_PERIOD_S);
    }
    // By one that is named twice files are known once.
    terms.algorithms = distinct(&args.algorithm);
    terms.selection.one_file_system = args.one_file_system;
    terms.habits = Habits::usual();
    terms.habits.is_usual_period = terms.period_s.is_some();
    let changes = Changes {
        promise: args.every,
        policies: args.level.policies(&args.policy),
        group: Some(args.group.clone()),
        tags: Some(args.tag.clone()),
        include: Some(args.globs.include.clone()),
        exclude: Some(args.globs.exclude.clone()),
        append_only: Some(args.globs.append_only.clone()),
        hold_files: Some(args.hold_files),
        hold_percent: args.hold_percent,
        ..args.place.changes()
    };
    let is_removable = || Device::at(&terms.root).is_ok_and(|device| device.is_removable());
    let is_removable = changes.is_removable.unwrap_or_else(|| !terms.is_in_store() && is_removable());
    Changes { is_removable: Some(is_removable), ..changes }.apply(&mut terms).map_err(malformed)?;
    Ok(terms)
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

/// What is wrong with terms that are asked for.
pub(super) fn malformed(error: ChangeError) -> anyhow::Error {
    match error {
        ChangeError::Share => usage!("--hold-percent: {error}"),
        ChangeError::Glob(error) => Ended::usage(error),
    }
}

/// Why a tree was not marked.
pub(super) fn unmarked(error: MarkError) -> anyhow::Error {
    match error {
        MarkError::Catalog(error) => failed(error),
        MarkError::Unwritten { path, source } => refused(&path, &source),
        error => usage!("{error}; remove it, or leave out --marker"),
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
        return Err(usage!("{option} is for objects; name them as s3://BUCKET/PREFIX"));
    }
    let unusable = |what: &str| usage!("{}: {what}", shown(path));
    let root = path.canonicalize().map_err(|error| unusable(&text::system(&error)))?;
    match root.is_dir() {
        true => Ok(root),
        false => Err(unusable("a collection is a directory, and this is not one")),
    }
}

/// Refuses options that objects do not have, if one is given.
pub(super) fn refuse_for_store(options: &[(bool, &'static str)], place: &PlaceArgs) -> anyhow::Result<()> {
    match given(options).or(place.given()) {
        Some(option) => Err(usage!("{option} is for trees of files; leave it out")),
        None => Ok(()),
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
