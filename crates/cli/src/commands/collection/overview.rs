//! How a collection is, in short: what `status` and `report` both tell.

use std::ops::Deref;

use hashlane_catalog::{Catalog, Collection, Condition};

use super::{MOST_LATE, ago, failed, time, words};
use crate::running;
use crate::sentence::{Brief, kinds_of_readings, late_files, no_promise, sentence, waiting, were};
use crate::text;

/// How a collection is, and the words for that.
pub(super) struct Overview(hashlane_catalog::Overview);

impl Deref for Overview {
    type Target = hashlane_catalog::Overview;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Overview {
    pub(super) fn of(catalog: &Catalog, collection: Collection, now_s: i64) -> anyhow::Result<Self> {
        hashlane_catalog::Overview::of(catalog, collection, now_s, MOST_LATE).map(Self).map_err(failed)
    }

    /// The same where somebody has said for how many seconds nobody misses an audit.
    pub(super) fn missed_after(mut self, seconds: Option<i64>) -> Self {
        self.0.missed_after_s = seconds;
        self
    }

    /// The command that reads what no audit has read yet, and not all of the rest again.
    pub(super) fn going_on(&self) -> String {
        let name = self.name();
        match self.interrupted().map(|last| &last.request[..]) {
            Some("all") => format!("hashlane audit {name}"),
            // One that a budget has ended is over: who asked for all files once more would get those that were read, too.
            _ => format!("hashlane audit {name} --due"),
        }
    }

    /// The same in a word or two.
    pub(super) fn state(&self) -> &'static str {
        match self.condition() {
            Condition::Late if self.is_never_read => "late, never audited",
            condition => condition.state(),
        }
    }

    /// That no audit has judged it for long; nothing if one has, or if more is wrong.
    fn silence(&self) -> Option<String> {
        let since_s = self.judging.last_s.unwrap_or(self.collection.created_s);
        let last =
            || format!("no audit has judged it since {}, {}", time(since_s), ago(self.now_s - since_s));
        (self.condition() == Condition::Silent).then(last)
    }

    /// That its last audit has died.
    fn died(&self) -> Option<String> {
        let died = self.interrupted()?;
        let since = ago(self.now_s - died.started_s);
        Some(format!("its last audit, begun {} ({since}), ended without a result", time(died.started_s)))
    }

    /// What stands against it that nobody knows of: `2 corrupt, 1 missing`; a dash for nothing.
    pub(super) fn findings(&self) -> String {
        self.findings_and(&[])
    }

    /// The same, and what else there is to count.
    pub(super) fn findings_and(&self, others: &[(u64, &str)]) -> String {
        let open = self.standing.iter().filter(|standing| standing.open > 0);
        let mut findings: Vec<_> = open
            .map(|standing| format!("{} {}", text::count(standing.open), words(standing.verdict)))
            .collect();
        for (number, what) in [(self.unlisted, "not listed")].iter().chain(others) {
            if *number > 0 {
                findings.push(format!("{} {what}", text::count(*number)));
            }
        }
        if findings.is_empty() { "–".to_owned() } else { findings.join(", ") }
    }

    /// What else is to be known of it, a sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        let name = self.name();
        let replaced = format!(
            "{} replaced and not read since; `hashlane audit {name}` reads all of it now",
            were(self.replaced)
        );
        let touched = format!(
            "{}: mode, owner, links or attributes have changed since the last reading; read first in the night in which it is due",
            text::counted(self.changed_metadata, "file")
        );
        let ignored = format!(
            "{} left out by a filter, with findings that stand; `hashlane collection show {name}` shows the filters",
            were(self.ignored_findings)
        );
        let notes =
            [(self.replaced, replaced), (self.changed_metadata, touched), (self.ignored_findings, ignored)];
        let notes = notes.into_iter().filter(|(files, _)| *files > 0).map(|(_, note)| note);
        let running = self.running.as_ref().map(|running| running::sentence(running, self.now_s));
        let promise = no_promise(&self.collection, self.total, self.oldest_s, self.now_s);
        let told = [running, self.silence(), self.died(), promise].into_iter().flatten();
        told.chain(notes).chain(waiting(name, self.pending)).collect()
    }

    /// Where the bytes of its last readings came from; nothing if nothing was read.
    pub(super) fn kinds(&self) -> Option<String> {
        kinds_of_readings(&self.readings, self.total, self.collection.is_held_to_device())
    }

    /// Whether all of those came from the device, or from the store.
    pub(super) fn is_of_medium(&self) -> bool {
        self.readings.iter().all(|of| of.reading.is_of_medium())
    }

    /// How many files are late: `3`, `≤ 1,200,000`.
    pub(super) fn late_files(&self) -> String {
        late_files(self.late)
    }

    /// What the sentence takes of it.
    fn brief(&self) -> Brief<'_> {
        Brief {
            name: self.name(),
            needs_a_person: self.needs_a_person(),
            is_offline: self.collection.offline_s.is_some(),
            is_silent: self.condition() == Condition::Silent,
            has_promise: self.collection.terms.period_s.is_some(),
            is_running: self.running.is_some(),
            progress: self.progress,
        }
    }
}

/// How all of them are, in one sentence.
pub(super) fn in_one_sentence<'a>(overviews: impl IntoIterator<Item = &'a Overview>) -> String {
    sentence(&overviews.into_iter().map(Overview::brief).collect::<Vec<_>>())
}
