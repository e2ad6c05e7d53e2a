//! Ten years of nights in a catalogue: runs, what they read, what they found and what was good again.
//!
//! Owns what happens in a night. All of it goes through the library, as an audit would write it; only the files are not looked at.

use std::path::Path;

use anyhow::{Context, Result};
use hashlane_catalog::{
    Collection, Content, Ending, Item, ItemId, ReadingKind, Request, Seen, State, Verdict, Writer,
};
use hashlane_digest::{Algorithm, Digest};

use super::items::{FINDING_EVERY, NAME};
use crate::peers::random::Random;

const DAY_S: i64 = 24 * 3600;

/// What the collection promises: every byte within a month.
pub(super) const PERIOD_S: i64 = 30 * DAY_S;

/// Nights of ten years, and those that are left out at their end: more than the promise allows.
const NIGHTS: i64 = 3650;
const LEFT_OUT: i64 = 40;

/// Nights within which all files are read.
const SHARES: i64 = 29;

/// Files in which a night finds something, and those that somebody has edited.
const FOUND: usize = 27;
const EDITED: usize = 9;

/// Rows that are written together.
const TOGETHER: usize = 8192;

/// Passes ten years, up to [`LEFT_OUT`] days ago: nothing was read within the promised time.
pub(super) fn pass(catalogue: &Path) -> Result<()> {
    Passing::begin(catalogue)?.nights(LEFT_OUT - NIGHTS..-LEFT_OUT)
}

/// Passes the nights since then.
pub(super) fn go_on(catalogue: &Path) -> Result<()> {
    Passing::begin(catalogue)?.nights(-LEFT_OUT..0)
}

/// Finds something in a hundredth of the files.
pub(super) fn find(catalogue: &Path) -> Result<()> {
    let mut passing = Passing::begin(catalogue)?;
    let items = std::mem::take(&mut passing.items);
    let at_s = passing.now_s;
    let stint = passing.stint(at_s)?;
    let mut random = Random::new(3);
    for together in items.chunks(TOGETHER) {
        let mut batch = passing.catalog.batch(passing.collection.id, stint)?;
        for item in together {
            let (verdict, seen) = finding(&mut random)?;
            batch.put_finding(*item, verdict, &seen, at_s)?;
        }
        batch.commit()?;
    }
    passing.catalog.end_stint(stint, Some(Ending::of("complete")), at_s + 1)?;
    Ok(())
}

/// A catalogue over which time passes.
struct Passing {
    catalog: Writer,
    collection: Collection,
    /// One of [`FINDING_EVERY`] files.
    items: Vec<ItemId>,
    /// Where the shares of the nights begin and end.
    ends: Vec<ItemId>,
    now_s: i64,
}

impl Passing {
    fn begin(catalogue: &Path) -> Result<Self> {
        let catalog = Writer::open(catalogue)?;
        let collection = catalog.collection(NAME)?;
        let (mut items, mut last, mut number) = (Vec::new(), None, 0);
        catalog.each_item(&collection, &mut |_, Item { id, .. }| {
            if number % FINDING_EVERY == 0 {
                items.push(id);
            }
            (number, last) = (number + 1, last.max(Some(id)));
            Ok(())
        })?;
        items.sort_unstable();
        let mut ends: Vec<_> =
            items.chunks(items.len().div_ceil(SHARES as usize).max(1)).map(|share| share[0]).collect();
        ends.push(last.context("the collection has no files")?);
        let now_s = jiff::Timestamp::now().as_second();
        Ok(Self { catalog, collection, items, ends, now_s })
    }

    fn stint(&mut self, at_s: i64) -> Result<hashlane_catalog::Stint> {
        let request = Request { what: "due".into(), actor: "cron".into(), reason: String::new() };
        Ok(self.catalog.begin_stint(self.collection.id, &request, at_s, at_s - PERIOD_S)?)
    }

    fn nights(&mut self, nights: std::ops::Range<i64>) -> Result<()> {
        let (mut found, end) = (Vec::new(), nights.end);
        for night in nights {
            found = self.night(night, &found)?;
        }
        // What the last one found is good again, too.
        let at_s = self.now_s + (end - 1) * DAY_S + 7200;
        let stint = self.stint(at_s)?;
        let mut batch = self.catalog.batch(self.collection.id, stint)?;
        for item in found {
            batch.clear_finding(item, at_s)?;
        }
        batch.commit()?;
        self.catalog.end_stint(stint, Some(Ending::of("complete")), at_s)?;
        Ok(())
    }

    /// A night: a share of the files is read good, what was found in the last one is good again, something else is found, and somebody
    /// has edited a few files.
    fn night(&mut self, night: i64, before: &[ItemId]) -> Result<Vec<ItemId>> {
        let at_s = self.now_s + night * DAY_S;
        let stint = self.stint(at_s)?;
        let mut random = Random::for_item(5, night as u64);
        let share = night.rem_euclid(self.ends.len() as i64 - 1) as usize;
        let mut batch = self.catalog.batch(self.collection.id, stint)?;
        // The next share begins with its first file, which is read twice.
        batch.read_good(self.ends[share], self.ends[share + 1], ReadingKind::Device)?;
        for item in before {
            batch.clear_finding(*item, at_s)?;
        }
        let mut found = Vec::with_capacity(FOUND);
        for _ in 0..FOUND {
            let item = self.items[random.below(self.items.len())];
            let (verdict, seen) = finding(&mut random)?;
            batch.put_finding(item, verdict, &seen, at_s)?;
            found.push(item);
        }
        for _ in 0..EDITED {
            let item = self.items[random.below(self.items.len())];
            batch.replace(item, &content(&mut random)?, State::Present)?;
        }
        batch.forget_recovered(at_s - PERIOD_S)?;
        batch.commit()?;
        let counts =
            r#"{"listed_files":10000000,"read_files":333333,"verdicts":{"intact":333306,"misread":27}}"#;
        let ending = Ending { counts, ..Ending::of("complete") };
        self.catalog.end_stint(stint, Some(ending), at_s + 3600)?;
        Ok(found)
    }
}

/// Something that may stand against a file, with what there is to tell of it.
fn finding(random: &mut Random) -> Result<(Verdict, Seen)> {
    let mut seen = Seen::default();
    let verdicts =
        [Verdict::Corrupt, Verdict::Missing, Verdict::Unreadable, Verdict::Changed, Verdict::Misread];
    let verdict = verdicts[random.below(verdicts.len())];
    match verdict {
        Verdict::Missing => {}
        Verdict::Unreadable => seen.detail = "read: input/output error at byte 1048576".into(),
        _ => {
            seen.content = content(random)?;
            seen.again.clone_from(&seen.content.digests);
            seen.reading = Some(ReadingKind::Device);
        }
    }
    Ok((verdict, seen))
}

/// What a file may have become.
fn content(random: &mut Random) -> Result<Content> {
    let sha256 = Algorithm::SHA256;
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    let time = |random: &mut Random| hashlane_record::Timestamp {
        seconds: 1_500_000_000 + random.below(200_000_000) as i64,
        nanos: random.below(999_999_999) as u32,
    };
    Ok(Content {
        size: Some(random.below(1 << 30) as u64),
        modified: Some(time(random)),
        changed: Some(time(random)),
        inode: Some(random.below(1 << 31) as u64),
        digests: vec![Digest::new(sha256, &bytes)?],
    })
}
