//! `cargo xtask years`: keepers' years against an oracle. A made-up disk is audited night by night, while people and media do to it what
//! they do. The oracle knows what each reading brought, and shares no code with the verdicts. All damage is to be reported in time, no finding is
//! to end otherwise than it may, and no night without a cause is to alarm anybody.
//!
//! Owns how stories share the time, and which of those that fail are kept.

mod chance;
mod ground;
mod keepers;
mod night;
mod people;
mod real;
mod report;
mod shrink;
mod story;
mod truth;
mod watch;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use fastrand::Rng;

use night::{World, replay};
use report::Tally;
use shrink::shrink;
use story::{Step, Story};
use truth::Wrong;

/// Stories that have failed once, each as small as it could be made.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/years/stories");

/// Years that take about a minute with two processors.
const YEARS: u64 = 60;

/// Options of `years`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Simulated years, each of another collection
    #[arg(long, default_value_t = YEARS, value_name = "N")]
    years: u64,
    /// Files of a collection
    #[arg(long, default_value_t = 250, value_name = "N")]
    files: usize,
    /// What chance begins with in the first year [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Only this story
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// What is shown of that story: all that is true and known of these files, each night, instead of all that stands
    #[arg(long, requires = "replay", value_name = "NAME")]
    about: Vec<String>,
    /// Begin no more years after so many seconds
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// How long each story that fails is made smaller, in seconds [default: 20; of one that is carried out again: not at all]
    #[arg(long, value_name = "SECONDS")]
    shrink: Option<u64>,
    /// Leave out the stories that are kept
    #[arg(long)]
    by_chance_alone: bool,
    /// End with the first story that fails
    #[arg(long)]
    first: bool,
    /// Write the smallest story of each kind of failure into this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Five keepers for a year each, instead of years as chance has them
    #[arg(long, conflicts_with_all = ["replay", "years", "seconds"])]
    keepers: bool,
    /// So many years of a real tree, audited by the program that is built beside this one, with the clock of libfaketime
    #[arg(long, conflicts_with_all = ["replay", "years", "seconds", "keepers"], value_name = "N")]
    real: Option<u64>,
    /// Where catalogues are made and removed again [default: memory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// A story that fails.
struct Failure {
    story: Story,
    wrong: Wrong,
    seed: u64,
    times: u64,
}

/// Carries out all stories. True if nothing is wrong.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let in_memory = Path::new("/dev/shm");
    let scratch = options.dir.as_deref().or_else(|| in_memory.is_dir().then_some(in_memory));
    let scratch = crate::shipped::scratch(scratch)?;
    if let Some(path) = &options.replay {
        let mut story = read(path)?;
        if let (Some(patience), Some((_, wrong))) = (options.shrink, replay(&story, scratch.path())?) {
            story = shrink(story, &wrong, scratch.path(), Duration::from_secs(patience))?;
            println!("{story}");
        }
        return shown(&story, &options.about, scratch.path());
    }
    let began = Instant::now();
    let mut is_fine = true;
    let kept = if options.by_chance_alone { Vec::new() } else { kept(Path::new(KEPT))? };
    for path in kept {
        is_fine &= told(&path, scratch.path())?;
    }
    let seed = options.seed.unwrap_or_else(|| Rng::new().u64(..));
    println!("seed {seed}");
    if let Some(years) = options.real {
        // In memory nothing lies on a medium.
        return Ok(real::years(years, options.files, seed, options.dir.as_deref())? && is_fine);
    }
    if options.keepers {
        return Ok(keepers::all(seed, options.files, scratch.path())? && is_fine);
    }
    let (tally, failures) = options.all(seed, scratch.path())?;
    for (kind, failure) in &failures {
        is_fine = false;
        let Failure { story, seed, times, .. } = failure;
        let (nights, deeds) = (story.nights(), story.deeds());
        println!(
            "\n{kind}: in {times} stories, such as --seed {seed} --years 1; {deeds} deeds in {nights} nights:"
        );
        println!("# {}\n{story}", failure.wrong.text);
        if let Some(directory) = &options.keep {
            let name: String =
                kind.chars().map(|char| if char.is_alphanumeric() { char } else { '-' }).collect();
            let text = format!("# {kind}\n{story}");
            fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
            let place = directory.join(format!("{name}.txt"));
            fs::write(&place, text).with_context(|| format!("cannot write {}", place.display()))?;
        }
    }
    let of = |begins: &[&str]| {
        let is_meant = |kind: &&String| begins.iter().any(|begin| kind.starts_with(begin));
        failures.keys().filter(is_meant).map(|kind| failures[kind].times as usize).sum()
    };
    print!("{}", tally.table(of(&["false alarm"]), of(&["ended"])));
    println!("{:.0} s", began.elapsed().as_secs_f64());
    Ok(is_fine)
}

/// The stories that are kept, by name.
fn kept(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| directory.display().to_string()),
    };
    let paths: std::io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<Story> {
    let shown = || path.display().to_string();
    Story::parse(&fs::read_to_string(path).with_context(shown)?).with_context(shown)
}

/// Carries out a story, and shows what stands after each night. True if nothing is wrong.
fn shown(story: &Story, about: &[String], place: &Path) -> Result<bool> {
    let mut world = World::begin(story, place)?;
    let mut seen = BTreeMap::new();
    for step in &story.steps {
        let wrong = world.step(step)?.err();
        match step {
            Step::Deed(deed) if about.is_empty() || deed.names.iter().any(|name| about.contains(name)) => {
                println!("{deed}");
            }
            Step::Deed(_) => {}
            Step::Night(night) if !about.is_empty() => {
                println!("night {night}: day {}, {}", world.day, world.last_outcome);
                for name in about {
                    let is = world.about(name)?;
                    if seen.get(name) != Some(&is) {
                        println!("  {name}: {is}");
                        seen.insert(name, is);
                    }
                }
            }
            Step::Night(night) => {
                let standing: Vec<_> = world.standing()?.into_iter().collect();
                println!("night {night}: day {}, {}; {standing:?}", world.day, world.last_outcome);
            }
        }
        if let Some(wrong) = wrong {
            println!("{}: {}", wrong.kind, wrong.text);
            return Ok(false);
        }
    }
    println!("nothing is wrong");
    Ok(true)
}

/// Carries out a story that lies in a file. True if nothing is wrong.
fn told(path: &Path, place: &Path) -> Result<bool> {
    let Some((step, wrong)) = replay(&read(path)?, place)? else { return Ok(true) };
    println!("{}: step {}: {}: {}", path.display(), step + 1, wrong.kind, wrong.text);
    Ok(false)
}

/// Counts of all years, and what fails, by kind.
type All = (Tally, BTreeMap<String, Failure>);

impl Options {
    /// All years, as many at a time as there are processors. What fails is made as small as it can be.
    fn all(&self, seed: u64, place: &Path) -> Result<All> {
        let until = self.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let (next, all) = (AtomicU64::new(0), Mutex::new(All::default()));
        at_once(&|| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.years || until.is_some_and(|until| Instant::now() >= until) {
                    return Ok(());
                }
                let seed = seed.wrapping_add(number);
                let (tally, failed) = self.year(seed, place).with_context(|| format!("--seed {seed}"))?;
                let mut all = lock(&all);
                let (sum, failures) = &mut *all;
                sum.add(tally);
                if let Some((story, wrong)) = failed {
                    // A run of hours says at once what somebody can look at.
                    eprintln!("--seed {seed}: {}", wrong.kind);
                    let new = || Failure { story, wrong: wrong.clone(), seed, times: 0 };
                    failures.entry(wrong.kind.clone()).or_insert_with(new).times += 1;
                    if self.first {
                        next.store(self.years, Ordering::Relaxed);
                    }
                }
            }
        })?;
        let (tally, failures) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (waiting, smaller) = (Mutex::new(failures.into_iter()), Mutex::new(BTreeMap::new()));
        at_once(&|| {
            loop {
                let Some((kind, failure)) = lock(&waiting).next() else { return Ok(()) };
                let story = shrink(
                    failure.story,
                    &failure.wrong,
                    place,
                    Duration::from_secs(self.shrink.unwrap_or(20)),
                )?;
                let wrong = replay(&story, place)?.map_or(failure.wrong, |(_, wrong)| wrong);
                lock(&smaller).insert(kind, Failure { story, wrong, ..failure });
            }
        })?;
        Ok((tally, smaller.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// One year of one collection. What has failed in it, if something has.
    fn year(&self, seed: u64, place: &Path) -> Result<(Tally, Option<(Story, Wrong)>)> {
        const YEAR: i64 = 365;

        let mut rng = Rng::with_seed(seed);
        let (mut story, manner) = chance::begin(&mut rng, self.files);
        let mut world = World::begin(&story, place)?;
        world.tally.stories = 1;
        while world.day < YEAR {
            for step in chance::day(&mut rng, &world, &manner) {
                story.steps.push(step.clone());
                if let Err(wrong) = world.step(&step)? {
                    world.tally.days = world.day;
                    return Ok((world.tally, Some((story, wrong))));
                }
            }
        }
        world.tally.days = world.day;
        Ok((world.tally, None))
    }
}

/// Does the same on all processors.
fn at_once(work: &(dyn Fn() -> Result<()> + Sync)) -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread has panicked"))?)
    })
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About a minute with two processors, and always the same ones. `cargo xtask test` runs this beside its other steps.
    #[test]
    fn a_minute_of_years_goes_well() {
        let words = ["years", "--by-chance-alone", "--seed", "1", "--years", "6", "--shrink", "0"];
        let options = <Parsed as clap::Parser>::parse_from(words).options;
        assert!(run(&options).expect("they can be carried out"), "see above");
    }

    #[derive(clap::Parser)]
    struct Parsed {
        #[command(flatten)]
        options: Options,
    }

    /// Years are for `cargo xtask years`.
    #[test]
    fn all_stories_that_are_kept_go_well() {
        let scratch = tempfile::tempdir().expect("a directory");
        for path in kept(Path::new(KEPT)).expect("they are there") {
            assert!(told(&path, scratch.path()).expect("it can be carried out"), "see above");
        }
    }

    #[test]
    fn a_story_is_read_as_it_was_printed() {
        let (mut story, manner) = chance::begin(&mut Rng::with_seed(1), 20);
        let scratch = tempfile::tempdir().expect("a directory");
        let (mut rng, world) = (Rng::with_seed(2), World::begin(&story, scratch.path()).expect("begun"));
        for _ in 0..200 {
            story.steps.extend(chance::day(&mut rng, &world, &manner));
        }
        assert_eq!(Story::parse(&story.to_string()).expect("it can be read"), story);
    }

    #[test]
    fn every_story_that_is_kept_can_be_read() {
        for path in kept(Path::new(KEPT)).expect("they are there") {
            let text = fs::read_to_string(&path).expect("readable");
            let story = Story::parse(&text).unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
            assert!(story.nights() > 1 && story.deeds() > 0, "{}: nothing happens", path.display());
        }
    }
}
