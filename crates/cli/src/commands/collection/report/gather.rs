//! What is told of a collection, as values.

use hashlane_catalog::{
    Asked, Collection, Condition, Evidence, IntactCopy, OldReading, PastImport, Reported, RunFigures,
    UnlistedDirectory, Verdict, Which,
};

use super::super::overview::Overview;
use super::super::{days, failed, time, words};
use super::Reporter;
use super::finding::intact_copy;
use super::throughput::Compared;
use crate::running;
use crate::sentence::{late_in_words, not_over};
use crate::shell::word;
use crate::text;

/// Findings of a kind that are shown one by one.
pub(super) const MOST_SHOWN: usize = 200;

/// Audits that are shown, reports of providers and imports.
const MOST_RUNS: usize = 12;

/// Edits that are named.
const MOST_NAMED: usize = 20;

/// Readings that are shown of those that are longest ago, and places of each.
const MOST_READINGS: usize = 8;
const MOST_PLACES: usize = 3;

/// All that is shown of a collection but the findings for programs.
pub(super) struct Subject {
    pub(super) overview: Overview,
    /// The last audit that has judged files.
    pub(super) judged: Option<RunFigures>,
    /// Findings that this audit said first.
    pub(super) new: Vec<(Verdict, u64)>,
    pub(super) open: Vec<Kind>,
    pub(super) acknowledged: Vec<Reported>,
    pub(super) recovered: Vec<Reported>,
    pub(super) unlisted: Vec<UnlistedDirectory>,
    /// Edits that it has accepted, and that may not have been meant.
    pub(super) named: Vec<(Vec<u8>, String)>,
    pub(super) oldest: Vec<OldReading>,
    /// How fast the last audit read that has a rate.
    pub(super) throughput: Option<Compared>,
    pub(super) runs: Vec<RunFigures>,
    /// Reports of providers, the latest first.
    pub(super) evidence: Vec<Evidence>,
    /// Imports of lists, the latest first.
    pub(super) imports: Vec<PastImport>,
}

/// Findings of one verdict that nobody knows of.
pub(super) struct Kind {
    pub(super) verdict: Verdict,
    pub(super) files: u64,
    /// How many of them the last audit said first.
    pub(super) new: u64,
    /// Those that are shown, the latest first.
    pub(super) entries: Vec<Entry>,
}

/// A finding, and where an intact copy of its file is known.
pub(super) struct Entry {
    pub(super) reported: Reported,
    pub(super) is_new: bool,
    pub(super) copy: Option<IntactCopy>,
}

impl Subject {
    pub(super) fn of(reporter: &Reporter<'_>, overview: Overview) -> anyhow::Result<Self> {
        let (catalog, collection) = (reporter.catalog, &overview.collection);
        let id = collection.id;
        let judged = catalog.last_judging(id).map_err(failed)?;
        let new = match &judged {
            Some(run) => catalog.first_said_by(id, run.run, reporter.now_s).map_err(failed)?,
            None => Vec::new(),
        };
        let named = match &judged {
            Some(run) => catalog.named_edits(id, run.run, MOST_NAMED).map_err(failed)?,
            None => Vec::new(),
        };
        let mut open = Vec::new();
        for standing in overview.standing.iter().filter(|standing| standing.open > 0) {
            let verdict = standing.verdict;
            let found = chosen(reporter, collection, Which::Open, Some(verdict))?;
            let mut entries = Vec::with_capacity(found.len());
            for reported in found {
                let is_new = judged.as_ref().is_some_and(|run| run.run == reported.finding.run);
                let copy = intact_copy(catalog, collection, &reported, &reporter.all).map_err(failed)?;
                entries.push(Entry { reported, is_new, copy });
            }
            let new = new.iter().find(|(of, _)| *of == verdict).map_or(0, |(_, files)| *files);
            open.push(Kind { verdict, files: standing.open, new, entries });
        }
        Ok(Self {
            acknowledged: chosen(reporter, collection, Which::Acknowledged, None)?,
            recovered: chosen(reporter, collection, Which::Recovered, None)?,
            unlisted: catalog.unlisted_directories(id, MOST_SHOWN).map_err(failed)?,
            oldest: catalog.oldest_readings(id, MOST_READINGS, MOST_PLACES).map_err(failed)?,
            throughput: Compared::of(reporter, collection)?,
            runs: catalog.last_runs(id, MOST_RUNS).map_err(failed)?,
            evidence: catalog.evidence(id, MOST_RUNS).map_err(failed)?,
            imports: catalog.imports(id, MOST_RUNS).map_err(failed)?,
            overview,
            judged,
            named,
            new,
            open,
        })
    }

    /// What has to be seen before anything else: a sentence, and a command to go on with.
    pub(super) fn alerts(&self) -> Vec<(String, Option<String>)> {
        let overview = &self.overview;
        let name = overview.name();
        let mut alerts = Vec::new();
        if let Some(last) = overview.last.as_ref().filter(|_| overview.is_held()) {
            let why = last.counted.held.as_deref().unwrap_or("the reason was not kept");
            alerts.push((
                format!(
                    "HELD since {}: {}. Nothing was said to be missing or changed. If the tree is as it should be:",
                    time(last.started_s),
                    text::name(why.as_bytes())
                ),
                Some(match &last.counted.by {
                    Some(by) => {
                        format!("hashlane audit {name} --by {} --resume-held", word(by.place.as_bytes()))
                    }
                    None => format!("hashlane audit {name} --resume-held"),
                }),
            ));
        }
        for (path, what) in &self.named {
            let path = text::name(path);
            alerts
                .push((format!("Accepted, but look at it: {path}: {}.", text::name(what.as_bytes())), None));
        }
        alerts.extend(overview.notes().into_iter().map(|note| (format!("{note}."), None)));
        if let Some(since_s) = overview.collection.offline_s {
            alerts.push((
                format!("OFFLINE since {}: its root could not be reached. Nothing is said of its files since then.", time(since_s)),
                None,
            ));
        }
        // The empty path comes before all others.
        if let Some(root) = self.unlisted.first().filter(|directory| directory.path.is_empty()) {
            alerts.push((
                format!(
                    "UNREADABLE since {}: its root could not be listed: {}. Nothing is said of its files since then.",
                    time(root.since_s),
                    text::name(root.detail.as_bytes())
                ),
                None,
            ));
        }
        if overview.late.files() > 0 {
            let period = overview.collection.terms.period_s.map_or_else(String::new, days);
            alerts.push((
                format!(
                    "LATE: {} not read good within {period}. To read what is due:",
                    late_in_words(overview.late)
                ),
                Some(format!("hashlane audit {name} --due")),
            ));
        }
        alerts.extend(unfinished(overview));
        if overview.last.is_none() {
            alerts
                .push(("It was never audited. To do so:".to_owned(), Some(format!("hashlane audit {name}"))));
        }
        alerts
    }

    /// What needs a person, in one sentence; nothing if nothing does.
    pub(super) fn in_short(&self) -> Option<String> {
        let overview = &self.overview;
        let new: u64 = self.new.iter().map(|(_, files)| files).sum();
        let mut parts = Vec::new();
        if overview.is_held() {
            parts.push("held: nothing was judged".to_owned());
        }
        if overview.condition() == Condition::Refused {
            parts.push("refused: nothing was judged".to_owned());
        }
        if let Some(since_s) = overview.collection.offline_s {
            parts.push(format!("offline since {}", time(since_s)));
        }
        if overview.open() > 0 || overview.unlisted > 0 {
            let new = match new {
                _ if overview.open() == 0 => String::new(),
                0 => ", none of them new".to_owned(),
                new => format!(", {} of them new", text::count(new)),
            };
            parts.push(format!("{}{new}", overview.findings()));
        }
        if overview.late.files() > 0 {
            parts.push(format!("{} late", overview.late_files()));
        }
        (!parts.is_empty()).then(|| format!("{}: {}", overview.name(), parts.join("; ")))
    }

    /// What the last audit that judged files said first, in one sentence; nothing of a collection that was never audited.
    pub(super) fn news(&self) -> Option<String> {
        let run = self.judged.as_ref()?;
        // One that was held, or could not read the root, has found nothing, and not that nothing is wrong.
        let is_last = self.overview.last.as_ref().is_some_and(|last| last.run == run.run);
        let last = if is_last { "last audit" } else { "last audit that judged files" };
        let new: Vec<_> = self
            .new
            .iter()
            .map(|(verdict, files)| format!("{} {}", text::count(*files), words(*verdict)))
            .collect();
        let since = time(run.started_s);
        Some(match new.is_empty() {
            // That is told below, with its directories.
            true if self.overview.unlisted > 0 => {
                format!("The {last}, of {since}, could not list all of it.")
            }
            // What it found may have been accepted or acknowledged since.
            true => format!("The {last}, of {since}, found nothing new that still stands."),
            false => format!("New in the {last}, of {since}: {}.", new.join(", ")),
        })
    }
}

/// The latest findings of a kind, as many as are shown.
fn chosen(
    reporter: &Reporter<'_>,
    collection: &Collection,
    which: Which,
    verdict: Option<Verdict>,
) -> anyhow::Result<Vec<Reported>> {
    let asked = Asked { which, verdict, most: Some(MOST_SHOWN), now_s: reporter.now_s };
    let mut found = Vec::new();
    reporter
        .catalog
        .reported(collection, asked, &mut |reported| {
            found.push(reported);
            Ok(())
        })
        .map_err(failed)?;
    Ok(found)
}

/// What an audit has left unread, and the command that reads it.
fn unfinished(overview: &Overview) -> Vec<(String, Option<String>)> {
    if let Some(running) = &overview.running {
        return vec![(format!("UNDER WAY: {}", running::sentence(running, overview.now_s)), None)];
    }
    let going_on = || Some(overview.going_on());
    let interrupted = match overview.interrupted().map(|last| &last.request[..]) {
        Some("all" | "due") => {
            let what = "The last audit was interrupted. To go on with it:";
            return vec![(what.to_owned(), going_on())];
        }
        // Its paths are kept in words, and not as they were given.
        Some(_) => Some((
            "The last audit, which was about a part of it, was interrupted. To go on with it, ask for the same again."
                .to_owned(),
            None,
        )),
        None => None,
    };
    let not_over = (overview.progress == hashlane_catalog::Progress::Begun).then(|| {
        let not_over = not_over(overview.total, overview.never_read);
        (format!("INCOMPLETE: {not_over}. To go on:"), going_on())
    });
    interrupted.into_iter().chain(not_over).collect()
}
