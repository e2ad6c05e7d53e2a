//! What a keeper decides about findings and about a tree as a whole, with a look at the tree: what is not as it was found any more is not accepted.
//!
//! Decisions wait where an audit is under way. What an audit compares files with stays what it was when it began, so none of it is accepted in its
//! midst. The decision is recorded, with the findings as they were when somebody looked at them. Whoever has the collection next carries it out: the
//! audit itself when it is over, and if it has died, the next audit or the next one who accepts, before anything else.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use hashlane_catalog::paths::joined;
use hashlane_catalog::{
    Cause, Collection, DecidedOn, Decision, Error, Finding, ItemId, Look, Looked, Policy, Reader, Result,
    State, Terms, Verdict, Writer,
};
use hashlane_engine::Control;

use crate::alike::is_edit;
use crate::ground::Ground;
use crate::hold::by_place;
use crate::logs::Logs;

/// How often it is looked whether somebody has carried a decision out.
const EVERY: Duration = Duration::from_millis(100);

/// What has come of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// It was carried out, but for these files, which are not as they were found any more.
    Done(Vec<ItemId>),
    /// It is recorded, and an audit that is under way carries it out.
    Waits,
    /// It is recorded. Nobody audits the collection, and its tree cannot be reached: the next audit that reaches it carries it out.
    WaitsForTree,
}

/// What keeps a collection from being accepted as emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotEmptied {
    /// Files are there, or directories that cannot be listed.
    NotEmpty,
    /// The root is another directory than the one that was audited: so is that of a disk which is not mounted.
    OtherRoot,
}

/// Accepts the files of findings as they are: what was found is what is known from now on. What cannot be accepted stays. Returns the
/// files that are not as they were found any more; they stay, too.
///
/// # Errors
/// The collection is being audited, or the catalogue does not take it. Then nothing was accepted.
pub fn accept(
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    findings: &[Finding],
    decision: &Decision,
) -> Result<Vec<ItemId>> {
    // Files that are read at the moment would be compared with what was known before.
    let _lock = catalog.lock(collection, decision.at_s)?;
    // What waits, and may be the same, comes first: that is accepted then.
    let accepted = carry_out_pending(catalog, collection, ground, decision.at_s)?;
    let left: Vec<&Finding> = findings.iter().filter(|finding| !accepted.contains(&finding.item)).collect();
    if left.is_empty() && !findings.is_empty() {
        return Ok(Vec::new());
    }
    let looked = look(catalog, collection, ground, left)?;
    catalog.accept(collection, &looked, decision)
}

/// Accepts the files of findings as they are, as [`accept`] does. Where the collection is being audited, the decision is recorded, and waits.
///
/// # Errors
/// The catalogue does not take it.
pub fn accept_beside(
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    findings: &[Finding],
    decision: &Decision,
    patience: Duration,
) -> Result<Decided> {
    match accept(catalog, collection, ground, findings, decision) {
        Err(Error::Busy { .. }) => {}
        accepted => return accepted.map(Decided::Done),
    }
    let end = Instant::now() + patience;
    let pending = catalog.accept_later(collection, findings, decision)?;
    loop {
        let mut waits = Decided::Waits;
        // Whoever has audited it may be over, and have looked before this was recorded.
        match catalog.lock(collection, decision.at_s) {
            Ok(_lock) => {
                carry_out_pending(catalog, collection, ground, decision.at_s)?;
                waits = Decided::WaitsForTree;
            }
            Err(Error::Busy { .. }) => {}
            Err(error) => return Err(error),
        }
        if let Some(refused) = catalog.refused_of(pending)? {
            return Ok(Decided::Done(refused));
        }
        if Instant::now() >= end {
            return Ok(waits);
        }
        thread::sleep(EVERY);
    }
}

/// Carries out what was decided and waits, in the order in which it was. Who calls this has the lock of the collection. Where its tree cannot
/// be reached, it goes on waiting. `now_s`: in seconds since 1970. Returns the files that are accepted by now.
pub(crate) fn carry_out_pending(
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    now_s: i64,
) -> Result<BTreeSet<ItemId>> {
    let (mut all, waiting) = (BTreeSet::new(), catalog.waiting(collection.id, now_s)?);
    // A store is asked for that, so only where there is something to do.
    if waiting.is_empty() || !is_reachable(catalog, collection, ground)? {
        return Ok(all);
    }
    for waiting in waiting {
        let DecidedOn { standing, outdated, accepted } = catalog.decided_on(collection, &waiting)?;
        all.extend(accepted);
        let looked = look(catalog, collection, ground, &standing)?;
        let others = catalog.carry_out(collection, waiting, &looked, outdated)?;
        let others: BTreeSet<ItemId> = others.into_iter().collect();
        all.extend(standing.iter().map(|finding| finding.item).filter(|item| !others.contains(item)));
    }
    Ok(all)
}

/// The files of findings that are not as they were found any more: [`accept`] would leave them as they are.
///
/// # Errors
/// The catalogue cannot be read, or is damaged.
pub fn others(
    catalog: &Reader,
    collection: &Collection,
    ground: &Ground<'_>,
    findings: &[Finding],
) -> Result<Vec<ItemId>> {
    let mut others = Vec::new();
    for looked in look(catalog, collection, ground, findings)? {
        if !catalog.is_as_found(collection, &looked)? {
            others.push(looked.finding.item);
        }
    }
    Ok(others)
}

/// Looks at the files of findings. That is done before anything is written: a store takes its time, and others write to the catalogue.
fn look<'f>(
    catalog: &Reader,
    collection: &Collection,
    ground: &Ground<'_>,
    findings: impl IntoIterator<Item = &'f Finding>,
) -> Result<Vec<Looked<'f>>> {
    let is_reachable = is_reachable(catalog, collection, ground)?;
    let look = |finding: &'f Finding| {
        let path = catalog.path_of(finding.item)?;
        let file = match ground.facts(&path) {
            Ok(Some(facts)) if is_reachable => Look::There(facts),
            Ok(None) if is_reachable => Look::Gone,
            _ => Look::Nothing,
        };
        Ok(Looked { finding, file })
    };
    findings.into_iter().map(look).collect()
}

/// Whether the files of a collection can be looked at: under an empty mount point nothing is as it was found.
fn is_reachable(catalog: &Reader, collection: &Collection, ground: &Ground<'_>) -> Result<bool> {
    match ground.root() {
        Ok(root) => Ok(by_place(catalog, collection, ground, &root)?.is_none()),
        Err(_) => Ok(false),
    }
}

/// Ends findings that the policies of a collection are about to accept, and do not so far: what was found is what is known from now on. Of
/// other files nothing is decided. `terms`: those that [`Writer::set_collection`] is given next: who is killed between the two asks again.
/// Returns how many.
///
/// # Errors
/// The collection is being audited, a glob is malformed, or the catalogue does not take it. Then none has ended.
pub fn accept_by_policy(
    catalog: &mut Writer,
    collection: &Collection,
    terms: &Terms,
    decision: &Decision,
) -> Result<u64> {
    let logs_before = Logs::of(collection)?;
    let mut with_terms = collection.clone();
    with_terms.terms = terms.clone();
    let logs = Logs::of(&with_terms)?;
    let is_in_store = collection.terms.is_in_store();
    let _lock = catalog.lock(collection, decision.at_s)?;
    let mut accepted = Vec::new();
    catalog.findings(collection, &mut |finding| {
        let path = catalog.path_of(finding.item)?;
        let policy = logs.policy(&path);
        let known = catalog.item(collection, finding.item)?;
        let is_accepted = match finding.verdict {
            _ if finding.cleared_s.is_some() || policy == logs_before.policy(&path) => false,
            Verdict::New | Verdict::Moved | Verdict::Copied | Verdict::Touched => policy != Policy::Frozen,
            Verdict::Changed => {
                policy == Policy::Living
                    && !logs.takes(&path)
                    && finding.seen.cause.is_none_or(Cause::may_be_accepted)
                    && known.is_some_and(|known| is_edit(&known, &finding.seen, is_in_store))
            }
            _ => false,
        };
        if is_accepted {
            accepted.push(finding);
        }
        Ok(())
    })?;
    catalog.accept_by_policy(collection, &accepted, decision)?;
    Ok(accepted.len() as u64)
}

/// How many of the known files of a collection are in a tree, by name and size.
///
/// # Errors
/// The catalogue cannot be read.
pub fn found_again(catalog: &Reader, collection: &Collection, ground: &Ground<'_>) -> Result<u64> {
    let mut found = 0;
    catalog.each_item(collection, &mut |directory, item| {
        if matches!(item.state, State::Retired | State::Ignored) {
            return Ok(());
        }
        let there = ground.facts(&joined(directory, &item.name)).ok().flatten();
        found += u64::from(there.is_some_and(|there| there.size == item.content.size));
        Ok(())
    })?;
    Ok(found)
}

/// Accepts that all files of a collection are gone: nobody misses them any more. What is known of them stays in their history. Returns how many
/// those were, or why nothing was accepted.
///
/// # Errors
/// The collection is being audited, its root cannot be reached or listed, or the catalogue does not take it. Then nothing was accepted.
pub fn accept_all_gone(
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    decision: &Decision,
) -> Result<std::result::Result<u64, NotEmptied>> {
    let _lock = catalog.lock(collection, decision.at_s)?;
    let root = ground.root().map_err(|source| Error::Listing { source })?;
    let is_same = collection
        .seen_root
        .as_ref()
        .is_none_or(|seen| (&seen.file_system, seen.inode) == (&root.file_system, root.inode));
    if !is_same {
        return Ok(Err(NotEmptied::OtherRoot));
    }
    let mut is_empty = true;
    ground.list(&std::env::temp_dir(), &Control::new(), &mut |_| {
        is_empty = false;
        Ok(())
    })?;
    if !is_empty {
        return Ok(Err(NotEmptied::NotEmpty));
    }
    catalog.retire_all(collection, decision).map(Ok)
}
