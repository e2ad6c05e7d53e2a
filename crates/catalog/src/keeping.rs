//! What a keeper decides about findings: to accept a file as it is, or to know of what stands against it.

use rusqlite::params;

use crate::batch::Batch;
use crate::catalog::Catalog;
use crate::collections::{Collection, CollectionId};
use crate::error::Result;
use crate::findings::Finding;
use crate::items::{ItemId, State};
use crate::runs::{Ending, Request, Stint};
use crate::verdict::Verdict;

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
        let lies_at_or_below = |within: &Vec<u8>| {
            within.is_empty()
                || path
                    .strip_prefix(&within[..])
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        (self.verdicts.is_empty() || self.verdicts.contains(&verdict))
            && (self.within.is_empty() || self.within.iter().any(lies_at_or_below))
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

impl Verdict {
    /// Whether a finding of this verdict can be accepted.
    pub fn acceptable(self) -> Acceptable {
        match self {
            Self::Corrupt => Acceptable::ByName,
            Self::Unreadable | Self::Unstable | Self::UnstableMedium | Self::Suspect => Acceptable::No,
            _ => Acceptable::Yes,
        }
    }
}

impl Catalog {
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

    /// Accepts the files of findings as they are: what was found is what is known from now on. What cannot be accepted stays, and so does
    /// what has become another finding by now.
    ///
    /// # Errors
    /// The collection is being audited, or the catalogue does not take it. Then nothing was accepted.
    pub fn accept(
        &mut self,
        collection: &Collection,
        findings: &[Finding],
        decision: &Decision,
    ) -> Result<()> {
        // Files that are read at the moment would be compared with what was known before.
        let _lock = self.lock(collection, decision.at_s)?;
        let stint = self.decide(collection.id, "accept", decision)?;
        let mut batch = self.batch(collection.id, stint)?;
        for finding in findings {
            // It may have become another one since somebody looked at it.
            if crate::findings::find(&batch.transaction, collection, finding.item)?.as_ref() == Some(finding)
            {
                batch.accept(finding, decision)?;
            }
        }
        batch.commit()?;
        self.end_stint(stint, Some(Ending::of("accepted")), decision.at_s)
    }

    /// Takes note that somebody knows of findings, until a time in seconds since 1970 if one is given.
    ///
    /// # Errors
    /// The catalogue does not take it. Then nothing was noted.
    pub fn acknowledge(
        &mut self,
        collection: &Collection,
        findings: &[Finding],
        until_s: Option<i64>,
        decision: &Decision,
    ) -> Result<()> {
        let stint = self.decide(collection.id, "acknowledge", decision)?;
        let batch = self.batch(collection.id, stint)?;
        for finding in findings {
            let mut statement = batch.transaction.prepare_cached(
                "UPDATE finding SET known_by = ?2, known_reason = ?3, known_s = ?4, known_until_s = ?5 WHERE item = ?1",
            )?;
            statement.execute(params![
                finding.item.0,
                decision.actor,
                decision.reason,
                decision.at_s,
                until_s
            ])?;
            batch.decided(finding.item, "acknowledged", decision)?;
        }
        batch.commit()?;
        self.end_stint(stint, Some(Ending::of("acknowledged")), decision.at_s)
    }

    /// A run of its own for a decision: versions say by which run they were replaced.
    fn decide(&mut self, collection: CollectionId, what: &str, decision: &Decision) -> Result<Stint> {
        let Decision { actor, reason, at_s } = decision.clone();
        // One that was killed in the midst of it left nothing to go on with.
        self.begin_stint(collection, &Request { what: what.into(), actor, reason }, at_s, i64::MAX)
    }
}

impl Batch<'_> {
    fn accept(&mut self, finding: &Finding, decision: &Decision) -> Result<()> {
        let item = finding.item;
        match finding.verdict {
            Verdict::Missing | Verdict::MovedAway => {
                self.set_state(item, State::Retired)?;
                self.forget_good(item, item)?;
            }
            Verdict::New | Verdict::Moved | Verdict::Copied => self.set_state(item, State::Present)?,
            Verdict::Misread => {}
            // When it was read is not known to be later than when it was written to: it is read again soon.
            _ if !finding.seen.content.digests.is_empty() => {
                self.replace(item, &finding.seen.content, State::Present)?;
                self.forget_good(item, item)?;
            }
            _ => return Ok(()),
        }
        self.drop_finding(item)?;
        self.decided(item, "accepted", decision)
    }

    fn decided(&self, item: ItemId, what: &str, decision: &Decision) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO event (collection, item, run, at_s, actor, what, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        statement.execute(params![
            self.collection.0,
            item.0,
            self.stint.run.0,
            decision.at_s,
            decision.actor,
            what,
            decision.reason
        ])?;
        Ok(())
    }
}
