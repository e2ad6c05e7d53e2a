//! Stories as chance has them: trees, policies, promises and budgets, and people and media that do something each day.
//!
//! Owns how often what happens. All of it follows from one number.

use fastrand::Rng;
use hashlane_catalog::Policy;

use super::ground::{Kind, Root};
use super::night::World;
use super::people::{Deed, What};
use super::story::{Night, Rule, Step, Story, Terms, takes};

const ENDS: [&str; 6] = ["jpg", "raw", "xmp", "txt", "log", "dat"];

/// How a world is, beside what its story says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Deeds a day, in hundredths.
    busy: u32,
    /// One night in this many has a budget, an end from outside, or reads all.
    budget_every: u32,
    kill_every: u32,
    all_every: u32,
    /// Days between two audits, at most.
    days: i64,
    /// One day in this many the keeper looks at what stands.
    keeper_every: u32,
    /// Whether large things happen: restoring all, another disk, holds, clocks that jump.
    is_wild: bool,
}

/// How a story begins.
pub(super) fn begin(rng: &mut Rng, files: usize) -> (Story, Manner) {
    let kinds = [Kind::Ext4, Kind::Ext4, Kind::Snapshots, Kind::Exfat];
    let policies = [Policy::Living, Policy::Growing, Policy::Frozen];
    let mut policy: Vec<Rule> = vec![(None, policies[rng.usize(..policies.len())])];
    if rng.u8(..3) == 0 {
        for glob in ["*.xmp", "d1/**"] {
            policy.push((Some(glob.to_owned()), policies[rng.usize(..policies.len())]));
        }
    }
    let append_only = if rng.bool() { vec!["*.log".to_owned()] } else { Vec::new() };
    let every_days = [7, 14, 30, 90][rng.usize(..4)];
    let hold_files = [50, 50, 50, 8][rng.usize(..4)];
    let terms = Terms { kind: kinds[rng.usize(..4)], policy, append_only, every_days, hold_files };
    let files = (0..files).map(|number| {
        let directory = ["", "d1/", "d2/", "d2/sub/", "d3/"][number % 5];
        let end = ENDS[number / 5 % ENDS.len()];
        // Some are alike.
        let content = if rng.u8(..20) == 0 { 7 } else { rng.u64(1_000..1_000_000) };
        (format!("{directory}f{number}.{end}"), content)
    });
    let files = files.collect();
    let manner = Manner {
        busy: [30, 100, 250][rng.usize(..3)],
        budget_every: [0, 0, 8, 1][rng.usize(..4)],
        kill_every: [0, 25, 8][rng.usize(..3)],
        all_every: [0, 40, 7][rng.usize(..3)],
        days: [1, 1, 1, 2, 7][rng.usize(..5)],
        keeper_every: [3, 10, 60][rng.usize(..3)],
        is_wild: rng.bool(),
    };
    (Story { terms, files, steps: Vec::new() }, manner)
}

/// Names that are there, and those against which something stands.
struct Names {
    there: Vec<String>,
    standing: Vec<(String, &'static str)>,
}

impl Names {
    fn of(world: &World) -> Self {
        let there = world.disk.names().map(|(name, _)| name.clone()).collect();
        let standing = world.truth.standing().map(|(name, verdict)| (name.clone(), verdict)).collect();
        Self { there, standing }
    }

    fn any(&self, rng: &mut Rng) -> String {
        self.there.get(rng.usize(..self.there.len().max(1))).cloned().unwrap_or_default()
    }

    fn of_end(&self, rng: &mut Rng, end: &str) -> Option<String> {
        let named: Vec<_> = self.there.iter().filter(|name| name.ends_with(end)).collect();
        (!named.is_empty()).then(|| named[rng.usize(..named.len())].clone())
    }

    /// A name that nothing has yet.
    fn fresh(rng: &mut Rng) -> String {
        let directory = ["", "d1/", "d2/", "e1/", "e2/sub/"][rng.usize(..5)];
        format!("{directory}n{}.{}", rng.u32(..100_000), ENDS[rng.usize(..ENDS.len())])
    }

    /// All in a directory, and below it.
    fn below(&self, directory: &str) -> Vec<&String> {
        self.there.iter().filter(|name| takes(&format!("{directory}/**"), name)).collect()
    }

    /// Some of them.
    fn some(&self, rng: &mut Rng, most: usize) -> Vec<String> {
        (0..rng.usize(..=most)).map(|_| self.any(rng)).collect()
    }
}

/// What happens on a day and in the night behind it.
pub(super) fn day(rng: &mut Rng, world: &World, manner: &Manner) -> Vec<Step> {
    let names = Names::of(world);
    let mut steps = Vec::new();
    let mut left = rng.u32(..=2 * manner.busy);
    while left >= 100 || rng.u32(..100) < left {
        left = left.saturating_sub(100);
        steps.push(Step::Deed(deed(rng, &names)));
    }
    if rng.u32(..manner.keeper_every) == 0 {
        steps.extend(keeper(rng, &names).into_iter().map(Step::Deed));
    }
    if rng.u8(..4) == 0 {
        steps.push(Step::Deed(Deed::of(What::Drop, 0, &[])));
    }
    if rng.u8(..20) == 0 {
        steps.push(Step::Deed(Deed::of(What::Unmap, 0, &[])));
    }
    if rng.u8(..60) == 0 {
        steps.push(Step::Deed(Deed::of(What::Attributes, rng.i64(1..5), &[])));
    }
    if manner.is_wild && rng.u8(..30) == 0 {
        steps.extend(large(rng, &names).into_iter().map(Step::Deed));
    }
    if world.disk.root != Root::There && rng.u8(..3) > 0 {
        steps.push(Step::Deed(Deed::of(What::Plug, 0, &[])));
    }
    steps.push(Step::Night(night(rng, world, manner)));
    steps
}

fn night(rng: &mut Rng, world: &World, manner: &Manner) -> Night {
    let mut night = Night { days: rng.i64(1..=manner.days), ..Night::default() };
    if manner.is_wild && rng.u8(..80) == 0 {
        // The machine is off.
        night.days = rng.i64(3..30);
    }
    let mut happens = |every: u32| every > 0 && rng.u32(..every) == 0;
    let (budget, kill) = (happens(manner.budget_every), happens(manner.kill_every));
    night.all = happens(manner.all_every);
    if budget {
        match rng.bool() {
            true => night.bytes = Some(rng.u64(100..4_000)),
            false => night.files = Some(rng.u64(1..40)),
        }
    }
    if kill {
        // Most nights read few files.
        let after = if rng.bool() { rng.u64(..4) } else { rng.u64(..60) };
        match rng.u8(..3) {
            0 => night.stop = Some(after),
            1 => night.death = Some(after),
            _ => night.event = Some(rng.u64(..8)),
        }
    }
    night.resume = world.is_held && world.disk.root == Root::There && rng.bool();
    night
}

/// Something small that people or media do.
fn deed(rng: &mut Rng, names: &Names) -> Deed {
    let (one, other) = (names.any(rng), names.any(rng));
    let number = rng.i64(1_000..1_000_000);
    let of = |what, names: &[&str]| Deed::of(what, number, names);
    match rng.u8(..100) {
        0..7 => of(What::Write, &[&one]),
        7 => of(What::Map, &[&one]),
        8..14 => of(What::Save, &[&one]),
        14..22 => of(What::Write, &[&Names::fresh(rng)]),
        22..27 => of(What::Append, &[&names.of_end(rng, ".log").unwrap_or(one)]),
        27..29 => of(What::Shorten, &[&one]),
        29..31 => of(What::Empty, &[&one]),
        31..36 => of(What::Remove, &[&one]),
        36..42 => of(What::Rename, &[&one, &Names::fresh(rng)]),
        42..44 => of(What::Rename, &[&one, &other]),
        44..46 => {
            let directories = ["d1", "d2", "d2/sub", "d3", "e1", "e2/sub"];
            let from = directories[rng.usize(..directories.len())];
            of(What::RenameDirectory, &[from, &format!("r{}", rng.u32(..50))])
        }
        46..49 => of(What::Swap, &[&one, &other]),
        49..52 => Deed::of(What::Copy, rng.i64(0..2), &[&one, &Names::fresh(rng)]),
        52..53 => Deed::of(What::Copy, rng.i64(0..2), &[&one, &other]),
        53..55 => of(What::Link, &[&one, &Names::fresh(rng)]),
        55..58 => of(What::Touch, &[&one]),
        58..61 => of(What::Chmod, &[&one]),
        61..64 => {
            let log = names.of_end(rng, ".log").unwrap_or(one);
            of(What::Rotate, &[&log, &format!("{log}.{}", rng.u32(..100_000))])
        }
        64..66 => of(What::Older, &[&one]),
        66..69 => Deed::of(What::RestoreWell, rng.i64(0..3), &[&one]),
        69..73 => Deed::of(What::RestoreBadly, rng.i64(0..3), &[&one]),
        73..87 => of(What::Rot, &[&one]),
        87..90 => of(What::Tear, &[&one]),
        90..92 => of(What::Forge, &[&one]),
        92..94 => of(What::Glitch, &[&one]),
        94..95 => of(What::Fail, &[&one]),
        95..96 => of(What::Waver, &[&one]),
        96 if rng.bool() => of(What::Busy, &[&one]),
        96 => of(What::Grow, &[&names.of_end(rng, ".log").unwrap_or(one)]),
        _ => of(What::Heal, &[&names.standing.first().map_or(one, |(name, _)| name.clone())]),
    }
}

/// What the keeper does about what stands.
fn keeper(rng: &mut Rng, names: &Names) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for (name, verdict) in &names.standing {
        let deed = match rng.u8(..12) {
            0..3 => Deed::of(What::RestoreWell, rng.i64(0..3), &[name]),
            3 => Deed::of(What::RestoreBadly, rng.i64(0..3), &[name]),
            4..6 => Deed::of(What::Accept, 0, &[name]),
            6 => Deed::of(What::Acknowledge, rng.i64(1..40), &[name]),
            7 => Deed::of(What::Remove, 0, &[name]),
            11 => Deed::of(What::Write, rng.i64(1_000..1_000_000), &[name]),
            8 if rng.u8(..3) == 0 => Deed::of(What::Copy, rng.i64(0..2), &[name, &names.any(rng)]),
            8 => Deed::of(What::Copy, rng.i64(0..2), &[name, &Names::fresh(rng)]),
            9 if rng.u8(..3) == 0 => Deed::of(What::Rename, 0, &[name, &names.any(rng)]),
            9 => Deed::of(What::Rename, 0, &[name, &Names::fresh(rng)]),
            10 if matches!(*verdict, "unreadable" | "unstable-medium") => Deed::of(What::Heal, 0, &[name]),
            _ => continue,
        };
        deeds.push(deed);
    }
    if rng.u8(..25) == 0 {
        deeds.push(Deed::of(What::Accept, 0, &[]));
    }
    if rng.u8(..25) == 0 {
        let words = ["living", "growing", "frozen", "living living:*.xmp", "growing frozen:d1/**"];
        let rules: Vec<_> = words[rng.usize(..words.len())].split(' ').collect();
        deeds.push(Deed::of(What::Policy, 0, &rules));
    }
    if rng.u8(..15) == 0 {
        let globs: [&[&str]; 4] = [&[], &["*.xmp"], &["d3/**"], &["*.dat", "e1/**"]];
        deeds.push(Deed::of(What::Exclude, 0, globs[rng.usize(..globs.len())]));
    }
    deeds
}

/// Something large.
fn large(rng: &mut Rng, names: &Names) -> Vec<Deed> {
    let bad = names.some(rng, 5);
    let bad: Vec<_> = bad.iter().map(String::as_str).collect();
    let directory = ["d1", "d2", "d2/sub", "d3"][rng.usize(..4)];
    match rng.u8(..13) {
        // Somebody switches to another branch.
        10 => {
            let mut write = |name: &String| Deed::of(What::Write, rng.i64(1_000..1_000_000), &[name]);
            names.below(directory).into_iter().map(&mut write).collect()
        }
        // A program that fails leaves its files empty, and one that means well brings old ones back.
        11 => (0..30).map(|_| Deed::of(What::Empty, 0, &[&names.any(rng)])).collect(),
        12 => (0..30).map(|_| Deed::of(What::Older, rng.i64(1_000..1_000_000), &[&names.any(rng)])).collect(),
        // Its files are gone, or filed away one by one, and the directory stays.
        8 => names.below(directory).into_iter().map(|name| Deed::of(What::Remove, 0, &[name])).collect(),
        9 => {
            let number = rng.u32(..100);
            let to = |name: &str| format!("a{number}/{name}");
            let away = names.below(directory).into_iter().map(|name| (name, to(name)));
            away.map(|(name, to)| Deed::of(What::Rename, 0, &[name, &to])).collect()
        }
        0 => vec![Deed::of(What::Tape, 0, &bad)],
        1 => vec![Deed::of(What::Relocate, 0, &bad)],
        2 => vec![Deed::of(What::OtherRoot, 0, &bad)],
        3 => vec![Deed::of(What::Unplug, 0, &[])],
        4 => vec![Deed::of(What::Unmount, 0, &[])],
        5 => vec![Deed::of(What::Clock, [0, 0, 3, 400, -3, -40][rng.usize(..6)], &[])],
        6 => (0..30).map(|_| Deed::of(What::Remove, 0, &[&names.any(rng)])).collect(),
        _ => (0..30).map(|_| Deed::of(What::Write, rng.i64(1_000..1_000_000), &[&names.any(rng)])).collect(),
    }
}
