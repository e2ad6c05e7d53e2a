//! What is new since somebody was told: as values, for a mail, a request or a page.
//!
//! A collection is news where it has come to another condition than the one that was told last, where something was found that still stands,
//! and where something is over that stood. What is found once is told once.

use std::collections::{HashMap, HashSet};

use hashlane_catalog::{CollectionId, EventKind, Reader, Result, Wanted};

use crate::condition::Condition;
use crate::overview::Overview;
use crate::subject::{Kind, Reporter, Subject};

/// Findings that are shown one by one, of all collections together.
const MOST_SHOWN: usize = 50;

/// Events that are looked at at a time.
const PAGE: usize = 10_000;

/// As many paths are kept to see which findings are new; of more, the rest is counted alone.
const MOST_PATHS: usize = 100_000;

/// A state that turns over more often than this within a day is not told each time.
const MOST_TURNS: usize = 3;

const DAY_S: i64 = 24 * 3600;

/// What is new since somebody was told.
#[derive(Debug)]
#[non_exhaustive]
pub struct News {
    /// The number of the first event that was looked at, which may be larger than the last.
    pub first: i64,
    /// The number of the last one.
    pub last: i64,
    /// The time that it is about, in seconds since 1970.
    pub now_s: i64,
    /// How all collections are.
    pub overviews: Vec<Overview>,
    /// What is new, what needs a person first.
    pub collections: Vec<CollectionNews>,
}

/// What is new of a collection.
#[derive(Debug)]
#[non_exhaustive]
pub struct CollectionNews {
    /// How it is. Of its findings the new ones are shown.
    pub subject: Subject,
    /// How it was when that was told last, if it ever was.
    pub was: Option<Announced>,
    /// What is told of it now.
    pub is: Announced,
    /// New findings that still stand.
    pub found: u64,
    /// Files against which something stood, and nothing stands any more.
    pub recovered: u64,
    /// It is news, and not shown only because it needs a person.
    pub has_changed: bool,
}

/// What was told of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// That it is so.
    Is(Condition),
    /// That it turns over and over.
    Flapping,
}

impl Announced {
    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Is(condition) => condition.name(),
            Self::Flapping => "flapping",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let conditions = Condition::ALL.into_iter().map(Self::Is);
        conditions.chain([Self::Flapping]).find(|told| told.name() == name)
    }

    /// Whether a person is to hear that it is so, and that it is not any more.
    fn is_told(self) -> bool {
        match self {
            Self::Flapping => true,
            Self::Is(condition) => matches!(
                condition,
                Condition::Held
                    | Condition::Refused
                    | Condition::Offline
                    | Condition::Attention
                    | Condition::Silent
                    | Condition::Late
                    | Condition::Empty
            ),
        }
    }
}

/// What the events behind a number say of a collection.
#[derive(Debug, Default)]
struct Seen {
    /// New findings by verdict, and their paths.
    found: HashMap<String, u64>,
    paths: HashSet<Vec<u8>>,
    recovered: u64,
}

impl News {
    /// What is new behind an event, for somebody who was told that collections are so. `is_full`: with what needs a person and is not new.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of(
        reporter: &Reporter<'_>,
        after: i64,
        told: &HashMap<CollectionId, String>,
        is_full: bool,
    ) -> Result<Self> {
        let catalog = reporter.catalog;
        let _moment = catalog.moment()?;
        let last = catalog.last_event()?;
        let mut seen = seen(catalog, after, last)?;
        let turns = turns(catalog, reporter.now_s)?;
        let mut overviews = Vec::new();
        let mut collections = Vec::new();
        for collection in catalog.collections()? {
            let id = collection.id;
            let overview = reporter.overview(collection)?;
            overviews.push(overview.clone());
            let was = told.get(&id).and_then(|name| Announced::named(name));
            let is = told_of(&overview, was, turns.get(overview.name()).copied().unwrap_or(0));
            let seen = seen.remove(overview.name()).unwrap_or_default();
            let has_turned = was.unwrap_or(Announced::Is(Condition::Ok)) != is
                && (is.is_told() || was.is_some_and(Announced::is_told));
            let stands = overview.open() > 0;
            let has_found = stands && !seen.found.is_empty();
            // What turns over and over is told once, and then with what else there is to tell.
            let is_quiet = is == Announced::Flapping && was == Some(Announced::Flapping) && !has_found;
            let has_changed = (has_turned || has_found || seen.recovered > 0) && !is_quiet;
            let is_shown = is_full && overview.needs_a_person();
            if has_changed || is_shown {
                let mut news = CollectionNews::of(reporter.subject(overview)?, was, is, &seen, is_shown);
                news.has_changed = has_changed;
                collections.push(news);
            }
        }
        collections.sort_by_key(|news| news.subject.overview.condition());
        let mut left = MOST_SHOWN;
        for kind in collections.iter_mut().flat_map(|news| &mut news.subject.open) {
            kind.entries.truncate(left);
            left -= kind.entries.len();
        }
        Ok(Self { first: after + 1, last, now_s: reporter.now_s, overviews, collections })
    }

    /// Whether anything is new.
    pub fn has_changes(&self) -> bool {
        self.collections.iter().any(|news| news.has_changed)
    }

    /// What is told of each of these collections from now on.
    pub fn told(&self) -> Vec<(CollectionId, &'static str)> {
        self.collections.iter().map(|news| (news.subject.overview.collection.id, news.is.name())).collect()
    }
}

impl CollectionNews {
    fn of(mut subject: Subject, was: Option<Announced>, is: Announced, seen: &Seen, is_full: bool) -> Self {
        let is_seen = |kind: &Kind| seen.found.get(kind.verdict.name()).copied().unwrap_or(0);
        for kind in &mut subject.open {
            kind.new = is_seen(kind).min(kind.files);
            kind.entries
                .iter_mut()
                .for_each(|entry| entry.is_new = seen.paths.contains(&entry.reported.path));
            // The new ones first, the latest of each first.
            kind.entries.sort_by_key(|entry| !entry.is_new);
            kind.entries.retain(|entry| entry.is_new || is_full);
        }
        subject.open.retain(|kind| kind.new > 0 || is_full);
        let found = subject.open.iter().map(|kind| kind.new).sum();
        Self { subject, was, is, found, recovered: seen.recovered, has_changed: true }
    }
}

/// What is to be told of a collection, to somebody who was told something else before.
fn told_of(overview: &Overview, was: Option<Announced>, turns: usize) -> Announced {
    if turns > MOST_TURNS {
        return Announced::Flapping;
    }
    match overview.condition() {
        // It may be back at the next audit.
        Condition::Offline if !overview.needs_a_person() => was.unwrap_or(Announced::Is(Condition::Ok)),
        condition => Announced::Is(condition),
    }
}

/// What the events behind one say of each collection, up to another.
fn seen(catalog: &Reader, after: i64, last: i64) -> Result<HashMap<String, Seen>> {
    let mut wanted = Wanted::default();
    wanted.kinds = vec![EventKind::Finding, EventKind::Recovered];
    (wanted.after, wanted.before) = (Some(after), Some(last + 1));
    let mut feed = catalog.feed(&wanted)?;
    let mut all: HashMap<String, Seen> = HashMap::new();
    loop {
        let page = feed.next(PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        for event in page {
            let seen = all.entry(event.collection).or_default();
            if event.kind == EventKind::Recovered {
                seen.recovered += 1;
            } else {
                if let Some(path) = event.path.filter(|_| seen.paths.len() < MOST_PATHS) {
                    seen.paths.insert(path);
                }
                *seen.found.entry(event.what).or_default() += 1;
            }
        }
    }
}

/// How often each collection has come to a state that lasts, or out of it, within the last day.
fn turns(catalog: &Reader, now_s: i64) -> Result<HashMap<String, usize>> {
    let mut wanted = Wanted::default();
    wanted.kinds =
        vec![EventKind::Held, EventKind::Offline, EventKind::Refused, EventKind::Silent, EventKind::Late];
    wanted.since_s = Some(now_s - DAY_S);
    let mut feed = catalog.feed(&wanted)?;
    let mut turns: HashMap<(String, EventKind), usize> = HashMap::new();
    loop {
        let page = feed.next(PAGE)?;
        if page.is_empty() {
            break;
        }
        for event in page {
            *turns.entry((event.collection, event.kind)).or_default() += 1;
        }
    }
    let mut most = HashMap::new();
    for ((collection, _), turns) in turns {
        let of: &mut usize = most.entry(collection).or_default();
        *of = (*of).max(turns);
    }
    Ok(most)
}
