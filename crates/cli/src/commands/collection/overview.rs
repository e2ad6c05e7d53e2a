//! How a collection is, in short: what `status` and `report` both tell.

use hashlane_catalog::{Catalog, Collection, Evidence, Late, RunFigures, Standing, State, Total};

use super::sentence::{Brief, Progress, sentence};
use super::{MOST_LATE, failed, late_files, words};
use crate::text;

/// How a collection is.
pub(super) struct Overview {
    pub(super) collection: Collection,
    pub(super) total: Total,
    pub(super) never_read: u64,
    pub(super) late: Late,
    /// Nothing of it was ever read, although its promise is over.
    pub(super) is_never_read: bool,
    pub(super) oldest_s: Option<i64>,
    pub(super) progress: Progress,
    pub(super) standing: Vec<Standing>,
    pub(super) recovered: u64,
    pub(super) unlisted: u64,
    /// Files that were replaced, and not read since.
    pub(super) replaced: u64,
    /// Files of which something else than the content has changed since they were read.
    pub(super) changed_metadata: u64,
    /// Files that a filter leaves out, and against which something stands.
    pub(super) ignored_findings: u64,
    /// The last audit, whatever came of it.
    pub(super) last: Option<RunFigures>,
    /// The last report of each provider, which counts for nothing above.
    pub(super) evidence: Vec<Evidence>,
}

impl Overview {
    pub(super) fn of(catalog: &Catalog, collection: Collection, now_s: i64) -> anyhow::Result<Self> {
        let id = collection.id;
        let unread = catalog.total(id, State::Unread).map_err(failed)?.files;
        let registered = catalog.total(id, State::Registered).map_err(failed)?.files;
        let oldest_s = catalog.oldest_reading(id).map_err(failed)?;
        let last = catalog.last_runs(id, 1).map_err(failed)?.pop();
        Ok(Self {
            total: catalog.present(id).map_err(failed)?,
            never_read: unread + registered,
            late: catalog.late_within(&collection, now_s, MOST_LATE).map_err(failed)?,
            is_never_read: catalog.was_never_read_in_time(&collection, now_s).map_err(failed)?,
            oldest_s,
            progress: Progress::of(&collection, oldest_s),
            standing: catalog.standing(id, now_s).map_err(failed)?,
            recovered: catalog.recovered(id).map_err(failed)?,
            unlisted: catalog.unlisted(id).map_err(failed)?,
            replaced: catalog.replaced(id).map_err(failed)?,
            changed_metadata: last.as_ref().map_or(0, |last| last.counted.changed_metadata),
            ignored_findings: catalog.ignored_findings(id, now_s).map_err(failed)?,
            last,
            evidence: catalog.last_evidence(id).map_err(failed)?,
            collection,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.collection.terms.name
    }

    /// Findings that nobody knows of.
    pub(super) fn open(&self) -> u64 {
        self.standing.iter().map(|standing| standing.open).sum()
    }

    pub(super) fn acknowledged(&self) -> u64 {
        self.standing.iter().map(|standing| standing.acknowledged).sum()
    }

    pub(super) fn is_held(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.outcome.as_deref() == Some("held"))
    }

    /// What its last audit was asked for, if that is under way or was interrupted: who asks for the same goes on with it.
    pub(super) fn interrupted(&self) -> Option<&str> {
        let last = self.last.as_ref().filter(|last| last.outcome.is_none())?;
        Some(&last.request)
    }

    /// The command that reads what no audit has read yet, and not all of the rest again.
    pub(super) fn going_on(&self) -> String {
        let name = self.name();
        match self.interrupted() {
            Some("all") => format!("hashlane audit {name}"),
            // One that a budget has ended is over: who asked for all files once more would get those that were read, too.
            _ => format!("hashlane audit {name} --due"),
        }
    }

    /// Whether a person has to look at it.
    pub(super) fn needs_a_person(&self) -> bool {
        self.open() > 0 || self.unlisted > 0 || self.is_late() || self.is_held()
    }

    pub(super) fn is_late(&self) -> bool {
        self.late.files() > 0 || self.is_never_read
    }

    /// In a word or two.
    pub(super) fn state(&self) -> &'static str {
        match () {
            () if self.is_held() => "held",
            () if self.collection.offline_s.is_some() => "offline",
            () if self.is_never_read => "late, never audited",
            () if self.open() > 0 || self.unlisted > 0 => "attention",
            () if self.progress == Progress::None => "never audited",
            () if self.late.files() > 0 => "late",
            () if self.progress == Progress::Begun => "first audit not over",
            () => "ok",
        }
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
        notes.into_iter().filter(|(files, _)| *files > 0).map(|(_, note)| note).collect()
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
            progress: self.progress,
        }
    }
}

fn were(files: u64) -> String {
    format!("{} {}", text::counted(files, "file"), if files == 1 { "was" } else { "were" })
}

/// How all of them are, in one sentence.
pub(super) fn in_one_sentence<'a>(overviews: impl IntoIterator<Item = &'a Overview>) -> String {
    sentence(&overviews.into_iter().map(Overview::brief).collect::<Vec<_>>())
}
