//! Keepers of five kinds of collections, for a year each: what they do is ordinary, so that a night above 0 needs a cause that can be named.
//!
//! Owns what each of them does by day, and what counts as a cause.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use fastrand::Rng;
use hashlane_catalog::Policy;

use super::ground::{Bytes, Key, Kind};
use super::night::World;
use super::people::{Deed, What};
use super::story::{Night, Rule, Step, Story, Terms};
use super::truth::Wrong;

const YEAR: i64 = 365;

/// A keeper of one collection.
struct Keeper {
    name: &'static str,
    terms: fn() -> Terms,
    /// Names of the files at first.
    files: fn(usize) -> String,
    /// What happens on a day.
    day: fn(&mut Rng, &Day<'_>) -> Vec<Deed>,
    /// Which share of all bytes a night may read, if there is a budget.
    share: Option<u64>,
}

/// A day of a keeper.
struct Day<'a> {
    number: i64,
    there: &'a [String],
}

impl Day<'_> {
    fn any(&self, rng: &mut Rng, end: &str) -> Option<String> {
        let named: Vec<_> = self.there.iter().filter(|name| name.ends_with(end)).collect();
        (!named.is_empty()).then(|| named[rng.usize(..named.len())].clone())
    }

    /// Whether it is the day of something that is done once in `every` days.
    fn is_one_of(&self, every: i64) -> bool {
        self.number % every == every / 2
    }
}

const KEEPERS: [Keeper; 6] = [
    Keeper {
        name: "photos on a laptop, touched by a backup",
        terms: || terms(Kind::Ext4, &OF_PHOTOS, 90),
        files: photo,
        day: photos,
        share: None,
    },
    Keeper {
        name: "a USB disk with their copies",
        terms: || terms(Kind::Exfat, &OF_PHOTOS, 90),
        files: photo,
        day: usb_disk,
        share: None,
    },
    Keeper {
        name: "a NAS with hard-link snapshots",
        terms: || Terms {
            append_only: vec!["*.log".to_owned()],
            ..terms(Kind::Snapshots, &[(None, Policy::Growing), (Some("docs/**"), Policy::Living)], 30)
        },
        files: |number| match number % 10 {
            0 => format!("logs/host{number}.log"),
            1..4 => format!("docs/letter{number}.odt"),
            _ => format!("share/film{number}.mkv"),
        },
        day: nas,
        share: None,
    },
    Keeper {
        name: "40 TB with a nightly budget",
        terms: || terms(Kind::Ext4, &[(None, Policy::Frozen)], 90),
        files: |number| format!("tape{}/plate{number}.fits", number / 20),
        day: archive,
        share: Some(60),
    },
    Keeper {
        name: "a web archive in a bucket",
        terms: || terms(Kind::Bucket, &[(None, Policy::Growing)], 90),
        files: |number| format!("crawl{}/part{number}.warc.gz", number / 50),
        day: bucket,
        share: None,
    },
    Keeper {
        name: "source trees with branch switches",
        terms: || terms(Kind::Ext4, &[(None, Policy::Living)], 30),
        files: |number| {
            format!(
                "src{}/{}.rs",
                number / 40,
                if number % 8 == 0 { "mod" } else { "part" }.to_owned() + &number.to_string()
            )
        },
        day: sources,
        share: None,
    },
];

/// Photos stay as they are, and what is said of them is edited.
const OF_PHOTOS: [(Option<&str>, Policy); 2] = [(None, Policy::Growing), (Some("*.xmp"), Policy::Living)];

fn photo(number: usize) -> String {
    format!("{}/img{number}.{}", 2000 + number / 25, ["jpg", "xmp"][number % 2])
}

fn terms(kind: Kind, rules: &[(Option<&str>, Policy)], every_days: i64) -> Terms {
    let policy: Vec<Rule> = rules.iter().map(|(glob, policy)| (glob.map(str::to_owned), *policy)).collect();
    Terms { kind, policy, append_only: Vec::new(), every_days, hold_files: 50 }
}

fn of(what: What, number: i64, name: &str) -> Deed {
    Deed::of(what, number, &[name])
}

fn content(rng: &mut Rng) -> i64 {
    rng.i64(1_000..1_000_000)
}

/// New files under names that nothing has had.
fn new_files(rng: &mut Rng, day: &Day<'_>, most: i64, name: impl Fn(i64, i64) -> String) -> Vec<Deed> {
    (0..rng.i64(..=most)).map(|number| of(What::Write, content(rng), &name(day.number, number))).collect()
}

fn photos(rng: &mut Rng, day: &Day<'_>) -> Vec<Deed> {
    let mut deeds = Vec::new();
    if rng.u8(..4) == 0 {
        deeds.extend(new_files(rng, day, 5, |day, number| format!("new/d{day}n{number}.jpg")));
        deeds.extend(new_files(rng, day, 5, |day, number| format!("new/d{day}n{number}.xmp")));
    }
    for _ in 0..rng.u8(..3) {
        deeds.extend(day.any(rng, ".xmp").map(|name| of(What::Save, content(rng), &name)));
    }
    if day.is_one_of(60) {
        // An album gets another name.
        deeds.push(Deed::of(What::RenameDirectory, 0, &["new", &format!("album{}", day.number)]));
    }
    // The backup of each evening clears the archive bit, or what it takes for one.
    deeds.push(Deed::of(What::Attributes, 1, &[]));
    deeds
}

fn usb_disk(rng: &mut Rng, day: &Day<'_>) -> Vec<Deed> {
    if day.number % 7 != 0 {
        return vec![Deed::of(What::Unplug, 0, &[])];
    }
    let mut deeds = vec![Deed::of(What::Plug, 0, &[]), Deed::of(What::Drop, 0, &[])];
    deeds.extend(new_files(rng, day, 12, |day, number| format!("new/d{day}n{number}.jpg")));
    deeds.extend(day.any(rng, ".xmp").map(|name| of(What::Save, content(rng), &name)));
    deeds
}

fn nas(rng: &mut Rng, day: &Day<'_>) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for _ in 0..2 {
        deeds.extend(day.any(rng, ".log").map(|name| of(What::Append, content(rng), &name)));
    }
    deeds.extend(day.any(rng, ".log").map(|name| of(What::Grow, 0, &name)));
    if day.is_one_of(30)
        && let Some(log) = day.any(rng, "0.log")
    {
        deeds.push(Deed::of(What::Rotate, content(rng), &[&log, &format!("{log}.{}", day.number)]));
    }
    deeds.extend(day.any(rng, ".odt").map(|name| of(What::Save, content(rng), &name)));
    deeds.extend(new_files(rng, day, 1, |day, number| format!("share/d{day}n{number}.mkv")));
    if day.is_one_of(50)
        && let Some(film) = day.any(rng, ".mkv")
    {
        deeds.push(Deed::of(What::Rename, 0, &[&film, &format!("share/seen/d{}.mkv", day.number)]));
    }
    deeds
}

fn archive(_: &mut Rng, _: &Day<'_>) -> Vec<Deed> {
    // More than any memory holds.
    vec![Deed::of(What::Drop, 0, &[])]
}

fn bucket(rng: &mut Rng, day: &Day<'_>) -> Vec<Deed> {
    match day.is_one_of(7) {
        true => new_files(rng, day, 8, |day, number| format!("crawl-d{day}/part{number}.warc.gz")),
        false => Vec::new(),
    }
}

fn sources(rng: &mut Rng, day: &Day<'_>) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for _ in 0..rng.u8(..6) {
        deeds.extend(day.any(rng, ".rs").map(|name| of(What::Save, content(rng), &name)));
    }
    deeds.extend(new_files(rng, day, 1, |day, number| format!("src1/d{day}n{number}.rs")));
    if day.is_one_of(14) {
        // To the other branch, or back: the files in which both differ, each time with the content of its branch.
        let branch = day.number / 14 % 2;
        let differ = (0..40).map(|number| format!("src2/part{}.rs", 80 + number));
        deeds.extend(
            differ
                .enumerate()
                .map(|(number, name)| of(What::Save, 2_000 * (branch + 1) + number as i64, &name)),
        );
    }
    deeds
}

/// Something that has happened to a file, and is to be reported as long as it is not mended.
struct Cause {
    name: String,
    key: Key,
    good: Bytes,
    /// What it contained when it was first looked at since: whatever comes later was written to it.
    harmed: Option<Bytes>,
}

impl Cause {
    fn of(world: &World, name: &str) -> Option<Self> {
        let (key, node) = (world.disk.key(name)?, world.disk.node(name)?);
        Some(Self { name: name.to_owned(), key, good: Bytes::clone(&node.medium), harmed: None })
    }

    fn is_of(&self, world: &World, name: &str) -> bool {
        self.name == name || world.disk.key(name) == Some(self.key)
    }

    /// Whether the file is harmed as before.
    fn lasts(&mut self, world: &World) -> bool {
        match world.disk.node_of(self.key) {
            Some(node) => {
                let harmed = self.harmed.get_or_insert_with(|| Bytes::clone(&node.medium));
                node.medium == *harmed && node.medium != self.good
            }
            None => !world.disk.has(&self.name),
        }
    }
}

/// What a keeper's year came to.
#[derive(Default)]
struct Year {
    nights: u64,
    faults: u64,
    told: u64,
    standing: BTreeSet<String>,
    causes: Vec<Cause>,
    holds: u64,
    above: u64,
    without_cause: Vec<String>,
    /// What each night has read, in bytes.
    bytes: Vec<u64>,
    /// All bytes that there are at the end.
    total: u64,
}

/// A year of each keeper. True if no night was above 0 without a cause.
pub(super) fn all(seed: u64, files: usize, place: &Path) -> Result<bool> {
    let mut is_fine = true;
    let mut table = format!(
        "{:<42}{:>7}{:>8}{:>6}{:>7}{:>9}{:>15}{:>21}\n",
        "keeper", "nights", "faults", "told", "holds", "above 0", "without cause", "% of bytes a night"
    );
    for keeper in &KEEPERS {
        let (year, wrong) = keeper.year(seed, files, place)?;
        if let Some(wrong) = wrong {
            println!("{}: {}: {}", keeper.name, wrong.kind, wrong.text);
            is_fine = false;
        }
        for night in &year.without_cause {
            println!("{}: {night}", keeper.name);
            is_fine = false;
        }
        let mut shares: Vec<_> =
            year.bytes.iter().map(|bytes| *bytes as f64 * 100.0 / year.total as f64).collect();
        shares.sort_by(f64::total_cmp);
        let at =
            |part: usize| shares.get(shares.len() * part / 100).or(shares.last()).copied().unwrap_or(0.0);
        writeln!(
            table,
            "{:<42}{:>7}{:>8}{:>6}{:>7}{:>9}{:>15}{:>21}",
            keeper.name,
            year.nights,
            year.faults,
            year.told,
            year.holds,
            year.above,
            year.without_cause.len(),
            format!("{:.1} {:.1} {:.1}", at(50), at(99), at(100)),
        )?;
    }
    println!("{table}The share of all bytes that a night reads: median, p99, most.");
    Ok(is_fine)
}

impl Keeper {
    fn year(&self, seed: u64, files: usize, place: &Path) -> Result<(Year, Option<Wrong>)> {
        let mut rng = Rng::with_seed(seed);
        let files = (0..files).map(|number| ((self.files)(number), rng.u64(1_000..1_000_000))).collect();
        let mut world = World::begin(&Story { terms: (self.terms)(), files, steps: Vec::new() }, place)?;
        let mut year = Year::default();
        while world.day < YEAR {
            let there: Vec<_> = world.disk.names().map(|(name, _)| name.clone()).collect();
            let mut deeds = (self.day)(&mut rng, &Day { number: world.day, there: &there });
            // The medium, and people.
            if rng.u8(..30) == 0 {
                let name = &there[rng.usize(..there.len())];
                let what = [What::Rot, What::Rot, What::Tear, What::Remove][rng.usize(..4)];
                deeds.push(of(what, content(&mut rng), name));
                year.causes.extend(Cause::of(&world, name));
                year.faults += 1;
            }
            // What is reported is mended within some days.
            for (name, _) in world.standing()? {
                if rng.u8(..3) == 0 {
                    deeds.push(of(What::RestoreWell, 0, &name));
                }
            }
            let bytes = self.share.map(|share| world.bytes() / share);
            let night = Step::Night(Night { days: 1, bytes, ..Night::default() });
            for step in deeds.into_iter().map(Step::Deed).chain([night]) {
                if let Err(wrong) = world.step(&step)? {
                    return Ok((year, Some(wrong)));
                }
            }
            year.see(&world)?;
        }
        Ok((year, None))
    }
}

impl Year {
    /// Looks at what a night has left.
    fn see(&mut self, world: &World) -> Result<()> {
        let standing: BTreeSet<_> = world.standing()?.into_keys().collect();
        self.nights += 1;
        self.total = world.bytes();
        if world.day > 1 {
            // The first audit reads all.
            self.bytes.push(world.read_bytes);
        }
        let mut without = Vec::new();
        for name in &standing {
            match self.causes.iter_mut().find(|cause| cause.is_of(world, name)) {
                Some(cause) => cause.name.clone_from(name),
                None => without.push(name),
            }
        }
        let is_other = world.late > 0 || world.is_held;
        self.holds += u64::from(world.is_held);
        self.above += u64::from(!standing.is_empty() || is_other);
        if !without.is_empty() || is_other {
            let (day, outcome, late) = (world.day, &world.last_outcome, world.late);
            self.without_cause
                .push(format!("day {day}: {outcome}, {late} late; without a cause: {without:?}"));
        }
        self.told += standing.difference(&self.standing).count() as u64;
        self.causes.retain_mut(|cause| cause.lasts(world) | standing.contains(&cause.name));
        self.standing = standing;
        Ok(())
    }
}
