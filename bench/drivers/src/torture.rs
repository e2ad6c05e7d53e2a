//! `cargo xtask torture`: all that may happen to an audit and to its catalogue, over trees with injected faults. Each fault is to be found
//! exactly once, nothing else is to be found, nothing that was acknowledged is to be lost, and the catalogue is to be whole each time.
//!
//! Owns the parts and how they share the time. What a part does stands in its module; `disk` and `layer` are what some of them stand on.

mod case;
mod clocks;
mod cuts;
mod disk;
mod faults;
pub(crate) mod hold;
mod kills;
mod layer;
mod medium;
mod space;
mod tally;
mod tree;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use fastrand::Rng;

use case::Ground;
use tally::{Part, Tally, Turn};

/// What each other part does at least where the time is not limited: files, bits and jumps.
const ENOUGH: u64 = 200;

/// Options of `torture`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Audits and other commands that are killed while they are alive
    #[arg(long, default_value_t = 1000, value_name = "N")]
    kills: u64,
    /// Power cuts under a catalogue
    #[arg(long, default_value_t = 1000, value_name = "N")]
    cuts: u64,
    /// Only these parts
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    part: Vec<Part>,
    /// Begin nothing more after so many seconds, in which all parts have their share
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// The program [default: that of the shipped build]
    #[arg(long, value_name = "FILE")]
    hashlane: Option<PathBuf>,
    /// What chance begins with in the first turn [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Where trees are made and removed again [default: the directory for temporary files]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// Builds, and then tortures. True if nothing went wrong.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.hashlane.is_none() && !options.measuring {
        return crate::shipped::build_and_measure(true, &[]);
    }
    let hashlane = crate::shipped::named(options.hashlane.as_deref())?;
    Ok(options.round(&hashlane)?.0)
}

impl Options {
    /// All turns, and the table of what was done. `false`: something went wrong, and was said.
    fn round(&self, hashlane: &Path) -> Result<(bool, Tally)> {
        let until = self.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let has_time = || until.is_none_or(|until| Instant::now() < until);
        let mut seed = self.seed.unwrap_or_else(|| Rng::new().u64(..));
        let (mut tally, mut is_fine) = (Tally::default(), true);
        while let Some(part) = self.next(&tally).filter(|_| is_fine && has_time()) {
            // One turn has no more than its part's share, so that all parts have a turn.
            let share = self.seconds.map(|seconds| self.share(part, Duration::from_secs(seconds)));
            let until = until.map(|until| share.map_or(until, |share| until.min(Instant::now() + share)));
            is_fine = self.turn(part, seed, (hashlane, until), &mut tally)?;
            // So that a turn can be had again by itself.
            seed = Rng::with_seed(seed).u64(..);
        }
        print!("{}", tally.table());
        for needed in tally.needed() {
            println!("SKIPPED: needs {needed}");
        }
        if is_fine {
            println!(
                "each fault was found exactly once; no false verdict, nothing lost, each catalogue whole"
            );
        }
        Ok((is_fine, tally))
    }

    /// The part that has had least of its share of the time; of those that had nothing, a short one first.
    fn next(&self, tally: &Tally) -> Option<Part> {
        let has_more = |part: &Part| !tally.is_over(*part) && tally.hits(*part) < self.aim(*part);
        self.parts().filter(has_more).min_by_key(|part| (tally.had(*part), part.share()))
    }

    fn parts(&self) -> impl Iterator<Item = Part> {
        Part::ALL.into_iter().filter(|part| self.part.is_empty() || self.part.contains(part))
    }

    fn share(&self, part: Part, all: Duration) -> Duration {
        all * part.share() / self.parts().map(Part::share).sum::<u32>().max(1)
    }

    /// How much of what it is about a part is to do.
    fn aim(&self, part: Part) -> u64 {
        match part {
            Part::Kills => self.kills,
            Part::Cuts => self.cuts,
            // It ends by itself.
            Part::Space => u64::MAX,
            Part::Image => ENOUGH / 5,
            Part::Errors | Part::Flips | Part::Clocks => ENOUGH,
        }
    }

    /// One turn of a part. `false`: something went wrong, and was said.
    fn turn(
        &self,
        part: Part,
        seed: u64,
        (hashlane, until): (&Path, Option<Instant>),
        tally: &mut Tally,
    ) -> Result<bool> {
        let scratch = crate::shipped::scratch(self.dir.as_deref())?;
        let ground = Ground { hashlane, scratch: scratch.path(), until };
        let (began, mut rng) = (Instant::now(), Rng::with_seed(seed));
        let turn = match part {
            Part::Kills => kills::turn(ground, &mut rng, tally),
            Part::Cuts => cuts::turn(ground, &mut rng, tally),
            Part::Space => space::turn(ground, &mut rng, tally),
            Part::Errors => medium::errors(ground, &mut rng, tally),
            Part::Flips => medium::flips(ground, &mut rng, tally),
            Part::Image => medium::image(ground, &mut rng, tally),
            Part::Clocks => clocks::turn(ground, &mut rng, tally),
        };
        match turn {
            Ok(turn) => {
                tally.ended(part, turn, began.elapsed());
                if self.seconds.is_none() {
                    eprintln!("{}: {}", part.title(), tally.hits(part));
                }
                Ok(true)
            }
            Err(error) => {
                let kept = scratch.keep();
                println!("FAILED with --part {part:?} --seed {seed}: {error:#}\nkept in {}", kept.display());
                tally.ended(part, Turn::Over, began.elapsed());
                Ok(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names the program, which is built elsewhere.
    const PROGRAM: &str = "HASHLANE_TORTURED";

    /// It takes two minutes, so a step of `cargo xtask test` runs it beside another one, and leaves it out of all other tests.
    #[test]
    fn a_round_goes_well() {
        let Some(program) = std::env::var_os(PROGRAM).map(PathBuf::from) else {
            assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none(), "{PROGRAM} names no hashlane");
            println!("SKIPPED: needs {PROGRAM} to name hashlane; `cargo xtask test --only torture` sets it");
            return;
        };
        let options = Options {
            kills: 1000,
            cuts: 1000,
            part: Vec::new(),
            seconds: Some(110),
            hashlane: Some(program.clone()),
            seed: None,
            dir: None,
            measuring: true,
        };
        let (is_fine, tally) = options.round(&program).expect("it can be carried out");
        assert!(is_fine, "see above");
        for part in Part::ALL {
            assert!(tally.hits(part) > 0 || tally.is_over(part), "{part:?} had no turn");
        }
    }
}
