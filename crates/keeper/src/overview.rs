//! How a collection is, in short: what is counted of it, and when somebody has to look at it.

use hashlane_catalog::{
    Collection, Evidence, Forecast, Judging, Late, Pending, Reader, Readings, Result, RunFigures, Running,
    Standing, Total,
};

use crate::condition::{Condition, Facts};

/// How far the first audit of a collection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It was never begun.
    None,
    /// Files were read, but not all of them.
    Begun,
    /// It is over.
    Over,
}

impl Progress {
    /// `oldest_s`: when the files were read that were read longest ago, if any was.
    fn of(collection: &Collection, oldest_s: Option<i64>) -> Self {
        match (collection.listed_s, oldest_s) {
            (Some(_), _) => Self::Over,
            (None, Some(_)) => Self::Begun,
            (None, None) => Self::None,
        }
    }
}

/// How a collection is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Overview {
    /// Which one.
    pub collection: Collection,
    /// Its files and bytes.
    pub total: Total,
    /// Files that were never read.
    pub never_read: u64,
    /// Files that were not read good within the promised time.
    pub late: Late,
    /// Nothing of it was ever read, although its promise is over.
    pub is_never_read: bool,
    /// When the files were read that were read longest ago, in seconds since 1970; nothing if none was.
    pub oldest_s: Option<i64>,
    /// How far its first audit has come.
    pub progress: Progress,
    /// What stands against it.
    pub standing: Vec<Standing>,
    /// Findings that are over.
    pub recovered: u64,
    /// Directories that could not be listed.
    pub unlisted: u64,
    /// Files that were replaced, and not read since.
    pub replaced: u64,
    /// Its files by where the bytes of their last good reading came from.
    pub readings: Vec<Readings>,
    /// Files where something else than the content has changed since they were read.
    pub changed_metadata: u64,
    /// Files that a filter leaves out, and against which something stands.
    pub ignored_findings: u64,
    /// Decisions that were made while it was audited.
    pub pending: Pending,
    /// The last audit, whatever came of it.
    pub last: Option<RunFigures>,
    /// Who wanted that to end before it was over, if somebody did.
    pub stopped_by: Option<String>,
    /// It was held.
    is_held: bool,
    /// The one before that did not reach it either.
    was_offline: bool,
    /// The audit of it that is under way.
    pub running: Option<Running>,
    /// A process has it for itself, to audit it or to change what an audit relies on.
    is_in_use: bool,
    /// When it was judged, and whether that is long ago.
    pub judging: Judging,
    /// What its promise needs and gets.
    pub forecast: Option<Forecast>,
    /// For how many seconds nobody misses an audit, where somebody has said that.
    pub missed_after_s: Option<i64>,
    /// The time that it is about, in seconds since 1970.
    pub now_s: i64,
    /// The last report of each provider, which counts for nothing above.
    pub evidence: Vec<Evidence>,
}

impl Overview {
    /// Of a collection at a time, in seconds since 1970. `most_late`: up to this number late files are looked at one by one.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of(catalog: &Reader, collection: Collection, now_s: i64, most_late: u64) -> Result<Self> {
        let id = collection.id;
        // An audit may end between the two looks at it: what it leaves behind then is not what one leaves that has died.
        let was_in_use = catalog.is_in_use(&collection)?;
        let oldest_s = catalog.oldest_reading(id)?;
        let mut last_two = catalog.last_runs(id, 2)?.into_iter();
        let (last, before) = (last_two.next(), last_two.next());
        let is_offline = |run: &RunFigures| run.outcome.as_deref() == Some("offline");
        let was_offline = match last.as_ref().filter(|last| is_offline(last)) {
            Some(last) if catalog.stints_of(last.run)? > 1 => true,
            Some(_) => before.as_ref().is_some_and(is_offline),
            None => false,
        };
        let stopped_by = match &last {
            Some(last) if last.outcome.is_none() => catalog.stopped_by(last.run)?,
            _ => None,
        };
        let (running, is_in_use) = (catalog.running(&collection)?, catalog.is_in_use(&collection)?);
        Ok(Self {
            stopped_by,
            total: catalog.present(id)?,
            never_read: catalog.never_read(id)?,
            late: catalog.late_within(&collection, now_s, most_late)?,
            is_never_read: catalog.was_never_read_in_time(&collection, now_s)?,
            oldest_s,
            progress: Progress::of(&collection, oldest_s),
            standing: catalog.standing(id, now_s)?,
            recovered: catalog.recovered(id)?,
            unlisted: catalog.unlisted(id)?,
            replaced: catalog.replaced(id)?,
            readings: catalog.readings(id)?,
            changed_metadata: last.as_ref().map_or(0, |last| last.counted.changed_metadata),
            ignored_findings: catalog.ignored_findings(id, now_s)?,
            pending: catalog.pending(id)?,
            last,
            is_held: catalog.is_held(&collection)?,
            was_offline,
            running,
            is_in_use: was_in_use || is_in_use,
            judging: catalog.judging(&collection, now_s)?,
            forecast: catalog.forecast(&collection, now_s)?,
            missed_after_s: None,
            now_s,
            evidence: catalog.last_evidence(id)?,
            collection,
        })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.collection.terms.name
    }

    /// Findings that nobody knows of.
    pub fn open(&self) -> u64 {
        self.standing.iter().map(|standing| standing.open).sum()
    }

    /// Findings that somebody knows of.
    pub fn acknowledged(&self) -> u64 {
        self.standing.iter().map(|standing| standing.acknowledged).sum()
    }

    /// Whether its last audit was held, and none of the whole has come to its end since.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Whether its last audit ended so.
    fn has_ended(&self, outcome: &str) -> bool {
        self.last.as_ref().is_some_and(|last| last.outcome.as_deref() == Some(outcome))
    }

    /// Whether its last audit has judged nothing that it should have judged.
    pub fn is_unjudged(&self) -> bool {
        matches!(self.condition(), Condition::Held | Condition::Offline)
    }

    /// Whether its last audit could not be carried out at all, and not for a reason that ends by itself.
    pub fn is_in_doubt(&self) -> bool {
        self.unlisted > 0 || matches!(self.condition(), Condition::Refused | Condition::Empty)
    }

    /// Whether nothing was heard of it for so long that this breaks what is promised: something has come due since.
    pub fn is_lost_sight_of(&self) -> bool {
        let terms = &self.collection.terms;
        self.condition() == Condition::Silent && terms.habits.minds_silence && terms.period_s.is_some()
    }

    /// Whether it is known already that what somebody has promised cannot be kept.
    pub fn cannot_be_kept(&self) -> bool {
        self.forecast.is_some_and(|forecast| forecast.breaks_promise(&self.collection))
    }

    /// Whether no audit has judged it for longer than somebody has said.
    pub fn is_missed(&self) -> bool {
        self.missed_after_s.is_some_and(|most_s| self.judging.is_silent_for(most_s, self.now_s))
    }

    /// Its last audit, if that has ended without a result and nobody goes on with it: who asks for the same does.
    pub fn interrupted(&self) -> Option<&RunFigures> {
        self.last.as_ref().filter(|last| last.outcome.is_none() && !self.is_in_use)
    }

    /// How its last audit has ended, in one word, or that it has not.
    pub fn last_outcome(&self) -> Option<&str> {
        let last = self.last.as_ref()?;
        let without = if self.is_in_use { "running" } else { "interrupted" };
        Some(last.outcome.as_deref().unwrap_or(without))
    }

    /// Whether a person has to look at it.
    pub fn needs_a_person(&self) -> bool {
        /// For so long a tree may be away before somebody looks after it, in seconds.
        const A_DAY_S: i64 = 24 * 3600;

        // A server is started anew now and then.
        let is_away_for_long = || {
            let since_s = self.collection.offline_s.unwrap_or(self.now_s);
            self.was_offline || self.now_s.saturating_sub(since_s) > A_DAY_S
        };
        match self.condition() {
            Condition::Held | Condition::Refused | Condition::Attention | Condition::Empty => true,
            Condition::Offline => self.open() > 0 || self.is_late() || is_away_for_long(),
            Condition::Silent => self.is_late() || self.is_lost_sight_of() || self.is_missed(),
            _ => self.is_late() || self.cannot_be_kept(),
        }
    }

    /// Whether its promise is broken.
    pub fn is_late(&self) -> bool {
        self.late.files() > 0 || self.is_never_read
    }

    /// How it is.
    pub fn condition(&self) -> Condition {
        let collection = &self.collection;
        Condition::of(Facts {
            is_held: self.is_held(),
            is_refused: self.has_ended("refused"),
            is_offline: collection.offline_s.is_some(),
            is_removable: collection.terms.habits.is_removable,
            has_findings: self.open() > 0 || self.unlisted > 0,
            is_silent: !self.is_in_use && self.judging.is_silent(self.now_s) || self.is_missed(),
            is_late: self.is_late() || self.cannot_be_kept(),
            is_empty: self.has_ended("empty"),
            was_read: self.progress != Progress::None,
            was_listed: self.progress == Progress::Over,
        })
    }
}
