//! What a keeper decides about findings: to accept a file as it is, or to know of what stands against it.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension as _, params};

use crate::batch::Batch;
use crate::causes::Cause;
use crate::changes;
use crate::collections::{Collection, Terms};
use crate::error::Result;
use crate::events::{self, EventKind, Happening};
use crate::findings::Finding;
use crate::ids::{CollectionId, ItemId, StintId};
use crate::items::{Content, State};
use crate::paths::lies_within;
use crate::reader::Reader;
use crate::row::Row;
use crate::runs::{Ending, Request, Stint};
use crate::verdict::{Numbered as _, Verdict};
use crate::writer::Writer;

/// Seconds between two times that the coarsest file system distinguishes, and as many for its clock.
const COARSEST_S: i64 = 4;

/// The same for what a store says.
const COARSEST_OF_STORES_S: i64 = 60;

/// Which findings are meant.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Choice {
    /// Those of files at or below these paths; none: of all files.
    pub within: Vec<Vec<u8>>,
    /// Those of these verdicts; none: of all.
    pub verdicts: Vec<Verdict>,
}

impl Choice {
    /// All findings at or below paths, of these verdicts.
    pub fn new(within: Vec<Vec<u8>>, verdicts: Vec<Verdict>) -> Self {
        Self { within, verdicts }
    }

    fn takes(&self, path: &[u8], verdict: Verdict) -> bool {
        (self.verdicts.is_empty() || self.verdicts.contains(&verdict)) && lies_within(path, &self.within)
    }
}

/// A decision: who made it, why and when.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Who.
    pub actor: String,
    /// Why, if that was said.
    pub reason: String,
    /// When, in seconds since 1970.
    pub at_s: i64,
}

/// What a look at a file has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing: it cannot be looked at, or what its collection lies on cannot.
    Nothing,
    /// There is no such file.
    Gone,
    /// What is known of it without reading it.
    There(Content),
}

/// A finding, and a look at its file since.
#[derive(Clone, Debug)]
pub struct Looked<'a> {
    /// The finding as somebody has seen it.
    pub finding: &'a Finding,
    /// Its file now.
    pub file: Look,
}

impl Look {
    /// Whether a file is now what it was when something was found of it, as far as that can be seen without reading it.
    fn is_as_found(&self, finding: &Finding) -> bool {
        let seen = &finding.seen.content;
        let is_gone = matches!(finding.verdict, Verdict::Missing | Verdict::MovedAway);
        match self {
            Self::Nothing => false,
            Self::Gone => is_gone,
            // A file may lie where times of change are not kept, and none of it was read where it could not be.
            Self::There(facts) => {
                let same = (seen.size, seen.modified) == (facts.size, facts.modified)
                    && (facts.changed.is_none() || facts.changed == seen.changed)
                    && (facts.inode.is_none() || facts.inode == seen.inode);
                !is_gone && (same || seen.digests.is_empty())
            }
        }
    }
}

/// What is accepted, if that was decided before.
#[derive(Debug, Default)]
pub(crate) struct Accepting {
    /// The decision that has waited.
    pub(crate) pending: Option<i64>,
    /// Files that it is about, and against which something else stands by now.
    pub(crate) outdated: Vec<ItemId>,
}

/// Whether a finding can be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptable {
    /// It can.
    Yes,
    /// Only if its file is named itself.
    ByName,
    /// There is nothing that could be accepted: the file could not be read.
    No,
}

impl Acceptable {
    /// Whether a finding of a verdict can be accepted.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Corrupt | Verdict::Collision | Verdict::UnstableMedium => Self::ByName,
            Verdict::Unreadable | Verdict::Unstable | Verdict::Suspect => Self::No,
            _ => Self::Yes,
        }
    }
}

impl Reader {
    /// The findings of a collection that stand and are meant, with the paths of their files below the root.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn chosen(&self, collection: &Collection, choice: &Choice) -> Result<Vec<(Vec<u8>, Finding)>> {
        let mut chosen = Vec::new();
        self.findings(collection, &mut |finding| {
            let path = self.path_of(finding.item)?;
            if finding.cleared_s.is_none() && choice.takes(&path, finding.verdict) {
                chosen.push((path, finding));
            }
            Ok(())
        })?;
        Ok(chosen)
    }

    /// Whether a finding is still the one that somebody looked at, and its file what it was then: else [`Writer::accept`] leaves it as it is.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn is_as_found(&self, collection: &Collection, looked: &Looked<'_>) -> Result<bool> {
        let now = self.finding(collection, looked.finding.item)?;
        Ok(now.as_ref() == Some(looked.finding) && looked.file.is_as_found(looked.finding))
    }
}

impl Writer {
    /// Accepts the files of findings as they are: what was found is what is known from now on. What cannot be accepted stays. Returns the
    /// files that are not as they were found any more; they stay, too. Who calls this has the lock of the collection ([`Writer::lock`]).
    ///
    /// # Errors
    /// The catalogue does not take it. Then nothing was accepted.
    pub fn accept(
        &mut self,
        collection: &Collection,
        looked: &[Looked<'_>],
        decision: &Decision,
    ) -> Result<Vec<ItemId>> {
        self.accept_all(collection, looked, decision, Accepting::default())
    }

    /// Accepts findings, be it by a decision that has waited.
    pub(crate) fn accept_all(
        &mut self,
        collection: &Collection,
        looked: &[Looked<'_>],
        decision: &Decision,
        Accepting { pending, outdated }: Accepting,
    ) -> Result<Vec<ItemId>> {
        let stint = self.decide(collection.id, "accept", decision)?;
        let asked = looked.len() + outdated.len();
        let mut others = outdated;
        let acting = self.acting.on(&decision.actor, &decision.reason, decision.at_s);
        let mut batch = self.batch(collection.id, stint)?;
        for looked in looked {
            match batch.is_as_found(collection, looked)? {
                true => batch.accept(looked.finding, decision)?,
                false => others.push(looked.finding.item),
            }
        }
        let accepted = asked - others.len();
        if let Some(pending) = pending {
            batch.close_pending(pending, &others, decision)?;
        }
        if accepted > 0 {
            changes::record(
                &batch.transaction,
                &acting,
                &collection.changed("accepted").with_files(accepted),
            )?;
        }
        batch.commit()?;
        self.end_stint(stint, Some(Ending::of("accepted")), decision.at_s)?;
        Ok(others)
    }

    /// Takes note that somebody knows of findings, until a time in seconds since 1970 if one is given. Returns the files against which something
    /// else stands by now: an audit may have found more meanwhile, and nobody has seen that.
    ///
    /// # Errors
    /// The catalogue does not take it. Then nothing was noted.
    pub fn acknowledge(
        &mut self,
        collection: &Collection,
        findings: &[Finding],
        until_s: Option<i64>,
        decision: &Decision,
    ) -> Result<Vec<ItemId>> {
        let stint = self.decide(collection.id, "acknowledge", decision)?;
        let acting = self.acting.on(&decision.actor, &decision.reason, decision.at_s);
        let batch = self.batch(collection.id, stint)?;
        let mut others = Vec::new();
        for finding in findings {
            let mut statement = batch.transaction.prepare_cached(
                "UPDATE finding SET known_by = ?2, known_reason = ?3, known_s = ?4, known_until_s = ?5, told_s = coalesce(told_s, ?4)
                 WHERE item = ?1 AND cleared_s IS NULL AND verdict = ?6 AND digests IS ?7",
            )?;
            let noted = statement.execute(params![
                finding.item.0,
                decision.actor,
                decision.reason,
                decision.at_s,
                until_s,
                finding.verdict.number(),
                Row::of(&finding.seen.content).digests
            ])?;
            match noted {
                0 => others.push(finding.item),
                _ => batch.decided(finding.item, "acknowledged", decision)?,
            }
        }
        let mut changed = collection.changed("acknowledged").with_files(findings.len() - others.len());
        changed.becomes.extend(until_s.map(|until_s| ("until_s".to_owned(), until_s.into())));
        changes::record(&batch.transaction, &acting, &changed)?;
        batch.commit()?;
        self.end_stint(stint, Some(Ending::of("acknowledged")), decision.at_s)?;
        Ok(others)
    }

    /// Accepts findings because the policies of a collection are about to accept them. Who calls this has the lock of the collection.
    ///
    /// # Errors
    /// The catalogue does not take it. Then none was accepted.
    pub fn accept_by_policy(
        &mut self,
        collection: &Collection,
        findings: &[Finding],
        decision: &Decision,
    ) -> Result<()> {
        if findings.is_empty() {
            return Ok(());
        }
        let stint = self.decide(collection.id, "policy", decision)?;
        let mut batch = self.batch(collection.id, stint)?;
        for finding in findings {
            batch.accept(finding, decision)?;
        }
        batch.commit()?;
        self.end_stint(stint, Some(Ending::of("accepted")), decision.at_s)
    }

    /// Says that a collection lies in another place, or that another root is the right one. What was read before is not what lies there: unless a
    /// marker vouches for the tree, all of it counts as unread from now on.
    ///
    /// # Errors
    /// The collection is being audited, its terms cannot be set ([`Writer::set_collection`]), or the catalogue does not take it.
    pub fn relocate_collection(
        &mut self,
        collection: &Collection,
        terms: &Terms,
        decision: &Decision,
    ) -> Result<()> {
        let _lock = self.lock(collection, decision.at_s)?;
        // Who is killed between these leaves a collection that is held for its root, and nothing that counts as read.
        self.set_collection(collection.id, terms)?;
        if collection.marker.is_none() || terms.is_in_store() {
            let stint = self.decide(collection.id, "relocate", decision)?;
            let batch = self.batch(collection.id, stint)?;
            batch.replace_all(&BTreeSet::new())?;
            batch.commit()?;
            self.end_stint(stint, Some(Ending::of("relocated")), decision.at_s)?;
        }
        // Another root is what was asked for.
        self.set_seen_root(collection.id, None)
    }

    /// A run of its own for a decision: versions say by which run they were replaced.
    pub(crate) fn decide(
        &mut self,
        collection: CollectionId,
        what: &str,
        decision: &Decision,
    ) -> Result<Stint> {
        let Decision { actor, reason, at_s } = decision.clone();
        // One that was killed in the midst of it left nothing to go on with.
        self.begin_stint(collection, &Request { what: what.into(), actor, reason }, at_s, i64::MAX)
    }
}

impl Batch<'_> {
    pub(crate) fn accept(&mut self, finding: &Finding, decision: &Decision) -> Result<()> {
        // It may have digests all the same: of a reading that nobody can vouch for.
        if Acceptable::of(finding.verdict) == Acceptable::No {
            return Ok(());
        }
        let item = finding.item;
        // It was read at some time since the audit began that saw it last.
        let settled = |content: &Content| {
            // Only a store names no other time than that. Its clock need not go as this one does.
            let grain_s = if content.changed.is_none() { COARSEST_OF_STORES_S } else { COARSEST_S };
            match content.is_settled(finding.seen_s, decision.at_s, grain_s) {
                true => State::Present,
                false => State::Unsettled,
            }
        };
        match finding.verdict {
            Verdict::Missing | Verdict::MovedAway => {
                self.set_state(item, State::Retired)?;
                self.forget_good(item, item)?;
            }
            Verdict::New | Verdict::Moved | Verdict::Copied => {
                self.set_state(item, settled(&finding.seen.content))?;
            }
            // It was not written to, whatever its name was: what is known of it stays, and the next audit reads it.
            Verdict::Misread | Verdict::UnstableMedium if finding.seen.cause != Some(Cause::Restored) => {
                self.set_state(item, State::Unsettled)?;
            }
            // Whoever accepts it says that the provider is wrong.
            Verdict::Contradicted => {
                self.settle(item)?;
                self.is_over(item, "settled", "the provider is said to be wrong", decision.at_s)?;
            }
            _ if !finding.seen.content.digests.is_empty() => {
                // It was read then, and nobody has changed it since.
                let state = settled(&finding.seen.content);
                let stint = self.seen_in(finding)?;
                self.take_content(item, &finding.seen, (state, stint))?;
            }
            _ => return Ok(()),
        }
        self.drop_finding(item)?;
        self.decided(item, crate::findings::ACCEPTED, decision)
    }

    /// The stint that has seen what was found. Later ones may have looked at the file in vain.
    fn seen_in(&self, finding: &Finding) -> Result<StintId> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT stint.id FROM stint JOIN run ON run.id = stint.run
             WHERE collection = ?1 AND stint.id <= ?2 AND stint.started_s <= ?3 ORDER BY stint.id DESC LIMIT 1",
        )?;
        let last = finding.stint;
        let seen = statement.query_row(params![self.collection.0, last.0, finding.seen_s], |row| row.get(0));
        Ok(seen.optional()?.map_or(last, StintId))
    }

    pub(crate) fn decided(&self, item: ItemId, what: &str, decision: &Decision) -> Result<()> {
        self.decided_as(item, (what, ""), decision)
    }

    /// The same, with what else there is to say.
    pub(crate) fn decided_as(
        &self,
        item: ItemId,
        (what, detail): (&str, &str),
        decision: &Decision,
    ) -> Result<()> {
        let happening = Happening {
            kind: EventKind::Decision,
            collection: Some(self.collection.0),
            item: Some(item.0),
            run: Some(self.stint.run.0),
            at_s: decision.at_s,
            actor: &decision.actor,
            what,
            reason: &decision.reason,
            detail,
            ..Happening::default()
        };
        events::record(&self.transaction, &happening).map(drop)
    }
}
