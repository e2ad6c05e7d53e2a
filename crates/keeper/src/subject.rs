//! All that is known of a collection at one moment, for a report of it.

use hashlane_catalog::{
    Asked, Collection, Evidence, IntactCopy, OldReading, PastImport, Reader, Reported, Result, RunFigures,
    UnlistedDirectory, Verdict, Which,
};

use crate::action::Action;
use crate::advice::needs_a_copy;
use crate::night::MOST_LATE;
use crate::overview::{Overview, Progress};
use crate::throughput::{Throughput, TunedRate};

/// Findings of a kind that are shown one by one, and directories that could not be listed.
pub const MOST_SHOWN: usize = 200;

/// Findings of a collection for which an intact copy is sought, where all of them are written.
const MOST_SOUGHT: usize = 1_000;

/// Audits that are shown, reports of providers and imports.
const MOST_RUNS: usize = 12;

/// Edits that are named.
const MOST_NAMED: usize = 20;

/// Readings that are shown of those that are longest ago, and places of each.
const MOST_READINGS: usize = 8;
const MOST_PLACES: usize = 3;

/// Where a report gets what it shows.
pub struct Reporter<'a> {
    /// The catalogue.
    pub catalog: &'a Reader,
    /// Where intact copies are sought: those first that can be reached.
    pub all: Vec<Collection>,
    /// The rate of the device of a collection, where that was measured.
    pub tuned: &'a dyn Fn(&Collection) -> Option<TunedRate>,
    /// The time of the report, in seconds since 1970.
    pub now_s: i64,
}

/// All that is shown of a collection but the list of all findings.
#[derive(Debug)]
pub struct Subject {
    /// How it is.
    pub overview: Overview,
    /// The last audit that has judged files.
    pub judged: Option<RunFigures>,
    /// How many findings this audit said first, by verdict.
    pub new: Vec<(Verdict, u64)>,
    /// Findings that nobody knows of, by verdict.
    pub open: Vec<Kind>,
    /// The latest of those that somebody knows of.
    pub acknowledged: Vec<Reported>,
    /// The latest of those that are over.
    pub recovered: Vec<Reported>,
    /// Directories that could not be listed.
    pub unlisted: Vec<UnlistedDirectory>,
    /// Edits that this audit has accepted, and that may not have been meant: the path, and what is particular about it.
    pub edits: Vec<(Vec<u8>, String)>,
    /// Readings that are longest ago.
    pub oldest: Vec<OldReading>,
    /// How fast the last audit read that has a rate.
    pub throughput: Option<Throughput>,
    /// The last audits.
    pub runs: Vec<RunFigures>,
    /// Reports of providers, the latest first.
    pub evidence: Vec<Evidence>,
    /// Imports of lists, the latest first.
    pub imports: Vec<PastImport>,
}

/// Findings of one verdict that nobody knows of.
#[derive(Debug)]
pub struct Kind {
    /// The verdict.
    pub verdict: Verdict,
    /// How many there are.
    pub files: u64,
    /// How many of them the last audit said first.
    pub new: u64,
    /// Those that are shown, the latest first.
    pub entries: Vec<Entry>,
}

/// A finding, and where an intact copy of its file is known.
#[derive(Debug)]
pub struct Entry {
    /// The finding.
    pub reported: Reported,
    /// It is open, and the last audit that has judged files said it first.
    pub is_new: bool,
    /// Where an intact copy is known.
    pub copy: Option<IntactCopy>,
    /// One was looked for.
    pub is_sought: bool,
}

/// What has to be seen of a collection before anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alert<'a> {
    /// Its last audit was held.
    Held {
        /// Since when, in seconds since 1970.
        since_s: i64,
        /// Why, where that was kept.
        why: Option<&'a str>,
    },
    /// An edit was accepted that may not have been meant.
    Edit {
        /// The file.
        path: &'a [u8],
        /// What is particular about it.
        what: &'a str,
    },
    /// What else is to be known of it, which may be nothing.
    Notes,
    /// It cannot be reached since then, in seconds since 1970.
    Offline(i64),
    /// Its root could not be listed.
    Unreadable(&'a UnlistedDirectory),
    /// Files were not read within the promised time.
    Late,
    /// It is being audited.
    Running,
    /// Its last audit was interrupted.
    Interrupted,
    /// Its last audit, which was about a part of it, was interrupted.
    InterruptedInPart,
    /// Its first audit is not over.
    Incomplete,
    /// It was never audited.
    NeverAudited,
}

impl Reporter<'_> {
    /// How a collection is, in short.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn overview(&self, collection: Collection) -> Result<Overview> {
        Overview::of(self.catalog, collection, self.now_s, MOST_LATE)
    }

    /// All that is shown of a collection.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn subject(&self, overview: Overview) -> Result<Subject> {
        let (catalog, collection) = (self.catalog, &overview.collection);
        let id = collection.id;
        let judged = catalog.last_judging(id)?;
        let (new, edits) = match &judged {
            Some(run) => (
                catalog.first_said_by(id, run.run, self.now_s)?,
                catalog.named_edits(id, run.run, MOST_NAMED)?,
            ),
            None => (Vec::new(), Vec::new()),
        };
        let mut open = Vec::new();
        for standing in overview.standing.iter().filter(|standing| standing.open > 0) {
            let verdict = standing.verdict;
            let mut entries = Vec::new();
            for reported in self.latest(collection, Which::Open, Some(verdict))? {
                let is_new = judged.as_ref().is_some_and(|run| run.run == reported.finding.run);
                let copy = self.intact_copy(collection, &reported)?;
                entries.push(Entry { reported, is_new, copy, is_sought: true });
            }
            let new = new.iter().find(|(of, _)| *of == verdict).map_or(0, |(_, files)| *files);
            open.push(Kind { verdict, files: standing.open, new, entries });
        }
        Ok(Subject {
            acknowledged: self.latest(collection, Which::Acknowledged, None)?,
            recovered: self.latest(collection, Which::Recovered, None)?,
            unlisted: catalog.unlisted_directories(id, MOST_SHOWN)?,
            oldest: catalog.oldest_readings(id, MOST_READINGS, MOST_PLACES)?,
            throughput: Throughput::of(catalog, collection, || (self.tuned)(collection))?,
            runs: catalog.last_runs(id, MOST_RUNS)?,
            evidence: catalog.evidence(id, MOST_RUNS)?,
            imports: catalog.imports(id, MOST_RUNS)?,
            overview,
            judged,
            edits,
            new,
            open,
        })
    }

    /// The latest findings of a kind, as many as are shown.
    fn latest(
        &self,
        collection: &Collection,
        which: Which,
        verdict: Option<Verdict>,
    ) -> Result<Vec<Reported>> {
        let asked = Asked { which, verdict, most: Some(MOST_SHOWN), now_s: self.now_s };
        let mut found = Vec::new();
        self.catalog.reported(collection, asked, &mut |reported| {
            found.push(reported);
            Ok(())
        })?;
        Ok(found)
    }

    /// Hands over all findings of a collection of some kinds, one at a time, each with its kind. Intact copies are sought for the first
    /// thousand that stand.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged; and those of `each`.
    pub fn findings(
        &self,
        collection: &Collection,
        kinds: &[Which],
        each: &mut dyn FnMut(Which, Entry) -> Result<()>,
    ) -> Result<()> {
        let judged = self.catalog.last_judging(collection.id)?.map(|run| run.run);
        let mut written = 0;
        for &which in kinds {
            let asked = Asked { which, verdict: None, most: None, now_s: self.now_s };
            self.catalog.reported(collection, asked, &mut |reported| {
                let is_new = which == Which::Open && judged == Some(reported.finding.run);
                let is_sought = which != Which::Recovered && written < MOST_SOUGHT;
                let copy = if is_sought { self.intact_copy(collection, &reported)? } else { None };
                written += 1;
                each(which, Entry { reported, is_new, copy, is_sought })
            })?;
        }
        Ok(())
    }

    /// Where an intact copy of the file of a finding is known, if one is of use.
    fn intact_copy(&self, collection: &Collection, reported: &Reported) -> Result<Option<IntactCopy>> {
        match needs_a_copy(reported.finding.verdict) {
            true => self.catalog.intact_copy(collection, reported, &self.all),
            false => Ok(None),
        }
    }
}

impl Subject {
    /// What has to be seen before anything else, and what to do about it.
    pub fn alerts(&self) -> Vec<(Alert<'_>, Option<Action<'_>>)> {
        let overview = &self.overview;
        let name = overview.name();
        let mut alerts = Vec::new();
        if let Some(last) = overview.last.as_ref().filter(|_| overview.is_held()) {
            let by = last.counted.by.as_ref().map(|by| &by.place[..]);
            let alert = Alert::Held { since_s: last.started_s, why: last.counted.held.as_deref() };
            alerts.push((alert, Some(Action::Resume { name, by })));
        }
        alerts.extend(self.edits.iter().map(|(path, what)| (Alert::Edit { path, what }, None)));
        alerts.push((Alert::Notes, None));
        alerts.extend(overview.collection.offline_s.map(|since_s| (Alert::Offline(since_s), None)));
        // The empty path comes before all others.
        let root = self.unlisted.first().filter(|directory| directory.path.is_empty());
        alerts.extend(root.map(|root| (Alert::Unreadable(root), None)));
        if overview.late.files() > 0 {
            alerts.push((Alert::Late, Some(Action::AuditDue(name))));
        }
        alerts.extend(unfinished(overview));
        if overview.last.is_none() {
            alerts.push((Alert::NeverAudited, Some(Action::Audit(name))));
        }
        alerts
    }
}

/// What an audit has left unread, and what reads it.
fn unfinished(overview: &Overview) -> Vec<(Alert<'_>, Option<Action<'_>>)> {
    if overview.running.is_some() {
        return vec![(Alert::Running, None)];
    }
    let interrupted = match overview.interrupted().map(|last| &last.request[..]) {
        Some("all" | "due") => return vec![(Alert::Interrupted, Some(going_on(overview)))],
        // Its paths are kept in words, and not as they were given.
        Some(_) => Some((Alert::InterruptedInPart, None)),
        None => None,
    };
    let is_begun = overview.progress == Progress::Begun;
    let not_over = is_begun.then(|| (Alert::Incomplete, Some(going_on(overview))));
    interrupted.into_iter().chain(not_over).collect()
}

/// What reads what no audit has read yet, and not all of the rest again.
pub fn going_on(overview: &Overview) -> Action<'_> {
    let name = overview.name();
    match overview.interrupted().map(|last| &last.request[..]) {
        Some("all") => Action::Audit(name),
        // One that a budget has ended is over: who asked for all files once more would get those that were read, too.
        _ => Action::AuditDue(name),
    }
}
