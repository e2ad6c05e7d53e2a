//! `hashlane collection show`, `set`, `rename`, `relocate`, `remove`, `restore` and `purge`.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_auditor::accept_by_policy;
use hashlane_catalog::{Collection, Decision, Error, LeftOut, Reader, StoreTerms};
use hashlane_keeper::{
    Changes, FoundAgain, Promise, PurgeError, is_object, lie_in_one_service, mark, terms_of, to_purge,
};
use hashlane_record::Escaped;
use hashlane_report::collection::{collection_json, collection_text, policies};
use hashlane_report::text::{self, count, counted};

use super::places::place_to_look_at;
use super::{actor, add, failed, now_s, open, open_to_read, time, unreachable};
use crate::args::{
    CollectionPurgeArgs, CollectionRelocateArgs, CollectionRemoveArgs, CollectionRenameArgs,
    CollectionRestoreArgs, CollectionSetArgs, CollectionShowArgs, ListFormat,
};
use crate::commands::bench::print;
use crate::output::shown;
use crate::status::{Ended, Status, usage};
use crate::terminal::screen::Screen;

pub(super) fn show(args: &CollectionShowArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    print(&match args.format {
        ListFormat::Text => collection_text(&collection),
        ListFormat::Json => format!("{:#}\n", collection_json(&collection, None)),
    })?;
    Ok(Status::OK)
}

pub(super) fn set(args: &CollectionSetArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let mut terms = collection.terms.clone();
    if terms.is_in_store() {
        add::refuse_for_store(&[(args.marker, "--marker")], &args.place)?;
    }
    let changes = changes(args);
    let asks_policy = !changes.policies.is_empty();
    changes.apply(&mut terms).map_err(add::malformed)?;
    if terms.selection != collection.terms.selection {
        let left_out = catalog.left_out_by(&collection, &terms.selection).map_err(failed)?;
        tell_left_out(args, left_out)?;
    }
    if args.marker {
        find_again(&catalog, &collection, args.yes)?;
    }
    let reason = format!("policy {}", policies(&terms));
    let decision = Decision { actor: actor(), reason, at_s: now_s() };
    let accepted = match asks_policy {
        true => accept_by_policy(&mut catalog, &collection, &terms, &decision).map_err(failed)?,
        false => 0,
    };
    catalog.set_collection(collection.id, &terms).map_err(failed)?;
    if args.marker {
        mark(&mut catalog, collection.id, &terms.root).map_err(add::unmarked)?;
    }
    if args.no_marker {
        catalog.set_marker(collection.id, None).map_err(failed)?;
    }
    print(&collection_text(&catalog.collection(&args.name).map_err(failed)?))?;
    if accepted > 0 {
        let what = format!("{}: {} accepted", args.name, counted(accepted, "finding"));
        Screen::plain().message(&format!("{what}: the policy takes what was found"));
    }
    Ok(Status::OK)
}

/// What is to be changed. A list replaces the one before, and an empty text in it stands for none.
fn changes(args: &CollectionSetArgs) -> Changes {
    let list = |given: &[String]| given.iter().filter(|text| !text.is_empty()).cloned().collect();
    let given = |given: &[String]| (!given.is_empty()).then(|| list(given));
    Changes {
        promise: args.every.or(args.no_promise.then_some(Promise::Never)),
        policies: args.level.policies(&args.policy),
        group: args.group.clone(),
        tags: given(&args.tag),
        include: given(&args.globs.include),
        exclude: given(&args.globs.exclude),
        append_only: given(&args.globs.append_only),
        hold_files: args.hold_files,
        hold_percent: args.hold_percent,
        ..args.place.changes()
    }
}

/// Compares what lies in a tree with what is known of it, by name and size: somebody says that it is the right one.
fn find_again(catalog: &Reader, collection: &Collection, is_meant: bool) -> anyhow::Result<()> {
    let name = &collection.terms.name;
    let place = place_to_look_at(catalog, collection)?;
    if let Err(error) = place.ground.root() {
        return Err(Ended::usage(unreachable(collection, &text::system(&error))));
    }
    let again = FoundAgain::of(catalog, collection, &place.ground).map_err(failed)?;
    let (found, known) = (count(again.found), counted(again.known, "known file"));
    let what = format!("{name}: {found} of {known} found, by name and size");
    if again.is_little() && !is_meant {
        return Err(usage!("{what}; nothing was changed. If it is the right tree for all that, add --yes"));
    }
    Screen::plain().message(&what);
    Ok(())
}

/// Says what a filter leaves out of what is known. So much that it may be a slip has to be said twice.
fn tell_left_out(args: &CollectionSetArgs, left_out: LeftOut) -> anyhow::Result<()> {
    if left_out.files == 0 {
        return Ok(());
    }
    let (files, all) = (count(left_out.files), counted(left_out.known, "known file"));
    let mut what = format!("{}: the filter leaves out {files} of {all}", args.name);
    if left_out.findings > 0 {
        what += &format!(", and {}, which stand on", counted(left_out.findings, "finding"));
    }
    if left_out.is_much() && !args.yes {
        return Err(usage!("{what}; nothing was changed. If that is meant, add --yes"));
    }
    Screen::plain().message(&what);
    Ok(())
}

pub(super) fn rename(args: &CollectionRenameArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let mut terms = collection.terms.clone();
    terms.name.clone_from(&args.new);
    catalog.set_collection(collection.id, &terms).map_err(failed)?;
    Screen::plain().message(&format!("{} is named {} now", args.name, args.new));
    Ok(Status::OK)
}

pub(super) fn relocate(args: &CollectionRelocateArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let goes_to_store = is_object(args.root.as_os_str().as_bytes());
    // Within a store nobody says again how it is reached.
    let [new, old] = [&args.root, &collection.terms.root].map(|root| root.as_os_str().as_bytes());
    let stays = collection.terms.is_in_store() && lie_in_one_service(new, old);
    let store = match stays && args.store.given().is_none() {
        true => collection.terms.store.clone(),
        false if goes_to_store => terms_of(&args.root, args.store.connection()),
        false => StoreTerms::default(),
    };
    let root = add::root(&args.root, &args.store, &store)?;
    let screen = Screen::plain();
    add::tell_overlaps(&catalog, &root, Some(&args.name), &screen)?;
    let mut terms = collection.terms.clone();
    terms.root = root;
    terms.store = store;
    let decision = Decision { actor: actor(), reason: String::new(), at_s: now_s() };
    catalog.relocate_collection(&collection, &terms, &decision).map_err(failed)?;
    if goes_to_store && collection.marker.is_some() {
        // A bucket and a prefix are named; nobody mounts another one in their place.
        catalog.set_marker(collection.id, None).map_err(failed)?;
        screen.message(&format!(
            "{}: objects are known by their store; the marker is not asked for any more",
            args.name
        ));
    }
    screen.message(&format!("{} lies in {} now", args.name, shown(&terms.root)));
    Ok(Status::OK)
}

pub(super) fn remove(args: &CollectionRemoveArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    catalog.remove_collection(&collection, now_s()).map_err(failed)?;
    Screen::plain().message(&format!(
        "{0} is no longer a collection; what is known of it stays, and `hashlane collection restore {0}` brings it back",
        args.name
    ));
    Ok(Status::OK)
}

pub(super) fn restore(args: &CollectionRestoreArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = removed(&catalog, &args.name)?;
    catalog.restore_collection(&collection).map_err(failed)?;
    Screen::plain().message(&format!("{} is a collection again", args.name));
    Ok(Status::OK)
}

/// The last collection of a name that was removed.
fn removed(catalog: &Reader, name: &str) -> anyhow::Result<Collection> {
    let all = catalog.removed_collections().map_err(failed)?;
    let mut all = all.into_iter().map(|(collection, _)| collection);
    let shown = Escaped(name.as_bytes());
    all.find(|collection| collection.terms.name == name).ok_or_else(|| {
        usage!("no collection named {shown} was removed; `hashlane collection list --removed` shows those that were")
    })
}

/// The collection of a name; where there is none, the last one that was removed.
pub(crate) fn even_removed(catalog: &Reader, name: &str) -> anyhow::Result<Collection> {
    match catalog.collection(name) {
        Err(Error::NoCollection { .. }) => removed(catalog, name),
        found => found.map_err(failed),
    }
}

pub(super) fn purge(args: &CollectionPurgeArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let (name, screen) = (&args.name, Screen::plain());
    let mut half = catalog.half_purged().map_err(failed)?;
    half.retain(|collection| collection.terms.name == *name);
    if !half.is_empty() {
        for collection in &half {
            catalog.purge_collection(collection, now_s()).map_err(failed)?;
        }
        // Who only meant to go on does not mean one that has the same name.
        let other = match catalog.collection(name) {
            Ok(_) => "; another collection of this name was left alone",
            Err(_) => "",
        };
        screen.message(&format!("the purge of {name} that was interrupted is complete{other}"));
        return Ok(Status::OK);
    }
    let collection = to_purge(&catalog, name, args.removed_at.map(|at| at.seconds))
        .map_err(|error| not_purged(name, error))?;
    let files = text::counted(catalog.present(collection.id).map_err(failed)?.files, "file");
    catalog.purge_collection(&collection, now_s()).map_err(failed)?;
    let root = shown(&collection.terms.root);
    screen.message(&format!("all that was known of {name} is forgotten: {files} of {root}"));
    Ok(Status::OK)
}

/// Why it is not known which collection of a name is meant.
fn not_purged(name: &str, error: PurgeError) -> anyhow::Error {
    let line = |(collection, removed_s): &(Collection, i64)| {
        format!("\n    {}, removed {}", shown(&collection.terms.root), time(*removed_s))
    };
    let lines = |of: &[(Collection, i64)]| of.iter().map(line).collect::<String>();
    Ended::usage(match error {
        PurgeError::Catalog(error) => return failed(error),
        PurgeError::NoneThen(others) => {
            format!("no collection named {name} was removed then{}", lines(&others))
        }
        PurgeError::Several { live, removed } => {
            let live = live.map_or_else(String::new, |collection| {
                let root = shown(&collection.terms.root);
                format!(
                    "\n    {root}, which was not removed: `hashlane collection remove {name}` does that first"
                )
            });
            format!(
                "{name}: several collections have had this name; say which with --removed-at TIME{live}{}",
                lines(&removed)
            )
        }
        _ => format!(
            "several collections named {name} were removed then; say it to the second, as `hashlane collection list --removed --format json` \
             does"
        ),
    })
}
