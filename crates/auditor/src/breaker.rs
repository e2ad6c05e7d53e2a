//! How many files may be lost, changed or unreadable before a run is held.
//!
//! What nobody does by hand to a whole tree is a loss: files that are gone, emptied, older than they were, or cannot be read. The
//! policy says what changes are. Where they are accepted, they are what the tree is for, and only a tree that has changed for the
//! most part is not believed. Where they are findings, each of them is reported in any case.

use hashlane_catalog::{Collection, HoldIf, ItemId, Policy, Verdict};
use roaring::RoaringTreemap;

use crate::alike::is_older;
use crate::held::{Alarm, Held};
use crate::judge::Judged;

/// What a file that was judged adds to an alarm, as far as that is known before it is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sign {
    is_emptied: bool,
    is_older: bool,
    is_accepted: bool,
}

impl Sign {
    pub(crate) fn of(judged: &Judged, is_in_store: bool) -> Self {
        let (seen, known) = (&judged.content, judged.known.as_ref().map(|known| &known.content));
        let is_emptied = seen.size == Some(0) && known.is_some_and(|known| known.size > Some(0));
        let is_older = known.is_some_and(|known| is_older(known, seen, is_in_store));
        Self { is_emptied, is_older, is_accepted: judged.policy == Policy::Living }
    }
}

impl Alarm {
    /// An alarm of this many files that are gone.
    pub(crate) fn of_missing(missing: u64) -> Self {
        Self { missing, ..Self::default() }
    }

    /// Adds a file with its verdict.
    pub(crate) fn add(&mut self, verdict: Verdict, sign: Sign) {
        let counter = match verdict {
            Verdict::Changed if sign.is_emptied => &mut self.emptied,
            Verdict::Changed if sign.is_older => &mut self.older,
            Verdict::Changed if sign.is_accepted => &mut self.edited,
            Verdict::Changed => &mut self.changed,
            Verdict::Unreadable | Verdict::Unstable => &mut self.unreadable,
            Verdict::Touched | Verdict::Grown => &mut self.unchanged,
            _ => return,
        };
        *counter += 1;
    }

    /// The same if all files had been read that look changed, as those that were read tell. `unsaid`: how many they are.
    pub(crate) fn expected(self, unsaid: u64) -> Self {
        let seen = self.emptied + self.older + self.changed + self.edited + self.unchanged;
        let all =
            |of: u64| (u128::from(of) * u128::from(unsaid.max(seen))).checked_div(seen.into()).unwrap_or(0);
        let all = |of: u64| u64::try_from(all(of)).unwrap_or(u64::MAX);
        Self {
            emptied: all(self.emptied),
            older: all(self.older),
            changed: all(self.changed),
            edited: all(self.edited),
            ..self
        }
    }
}

/// How much is believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Losses, and where the keeper has said a share, changes together with them.
    losses: u64,
    /// Changes that are findings, and those that are accepted.
    changes: Option<(u64, u64)>,
}

impl Limits {
    /// Of a collection in which `files` files were listed. `before`: losses that somebody has seen and let through.
    pub(crate) fn of(collection: &Collection, files: u64, before: u64) -> Self {
        let hold_if = collection.terms.hold_if;
        let share = |part: u64| hold_if.files.max(files / part);
        Self {
            losses: before.saturating_add(allowed(hold_if, files)),
            changes: (!collection.terms.habits.says_hold_percent).then(|| (share(10), share(2))),
        }
    }

    /// What is too much, if anything is.
    pub(crate) fn exceeded(self, alarm: Alarm) -> Option<Held> {
        let Alarm { missing, emptied, older, unreadable, changed, edited, .. } = alarm;
        let losses = missing + emptied + older + unreadable;
        let too_many = |alarm: Alarm, allowed: u64| Some(Held::TooMany { alarm, allowed });
        match self.changes {
            None if losses + changed + edited > self.losses => too_many(alarm, self.losses),
            Some(_) if losses > self.losses => {
                too_many(Alarm { changed: 0, edited: 0, ..alarm }, self.losses)
            }
            Some((most, _)) if changed > most => too_many(Alarm { changed, ..Alarm::default() }, most),
            Some((_, most)) if edited > most => too_many(Alarm { edited, ..Alarm::default() }, most),
            _ => None,
        }
    }
}

/// Looks while files are read whether too many of them are lost.
pub(crate) struct Watch {
    /// How much is believed; none: all of it.
    pub(crate) limits: Option<Limits>,
    /// Files that are gone, have changed or could not be read, unless that was said already.
    pub(crate) alarm: Alarm,
    /// Items whose content differs or could not be read, as earlier audits have said.
    pub(crate) said: RoaringTreemap,
    pub(crate) held: Option<Held>,
}

impl Watch {
    /// Takes a file that was recorded.
    pub(crate) fn add(&mut self, item: ItemId, verdict: Verdict, sign: Sign) {
        if !self.said.contains(item.0 as u64) {
            self.alarm.add(verdict, sign);
        }
    }

    /// Holds the run if too much has come together.
    pub(crate) fn look(&mut self) {
        if let Some(held) = self.limits.and_then(|limits| limits.exceeded(self.alarm)) {
            self.held = Some(held);
        }
    }

    /// Holds the run if it would be held once it had read all files that look changed, as far as those that it has read show.
    /// `unsaid`: how many look changed without an earlier run having said so.
    pub(crate) fn look_ahead(&mut self, unsaid: u64) {
        if self.held.is_none() {
            self.held = self.limits.and_then(|limits| limits.exceeded(self.alarm.expected(unsaid)));
        }
    }
}

/// How many of `files` files may be lost.
fn allowed(hold_if: HoldIf, files: u64) -> u64 {
    // A share of a number of files is far from what a float cannot hold.
    let share = (files as f64 * hold_if.percent / 100.0).max(0.0) as u64;
    hold_if.files.max(share)
}
