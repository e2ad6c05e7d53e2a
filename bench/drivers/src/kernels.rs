//! `cargo xtask kernels`: our kernels against those of other libraries, by the number of messages, their size
//! and where they lie.
//!
//! Owns the course of a run. What takes part, how time is taken, limits, bars and the page are modules of
//! their own.

mod bars;
mod cells;
mod contest;
mod contestants;
mod foreign;
#[cfg(feature = "libcrypto")]
mod libcrypto;
mod limits;
mod report;

use std::env;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use hashlane_lanes::{Rate, Streams, cpu_model};
use hashlane_measure::{Look, Machine};

use crate::one_processor::OneProcessor;
use crate::peers::machine::disturbances;
use crate::sizes::size;
use crate::{records, shipped};
use cells::{Cell, Hash, Messages, Placing};
use contest::Contest;
use contestants::{Contestant, Libraries};
use limits::{Core, fewest_cycles};
use report::Record;

/// Options of `kernels`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these algorithms
    #[arg(long, value_delimiter = ',', value_name = "ALGORITHM")]
    algorithms: Vec<Hash>,
    /// Numbers of messages [default: 1,2,3,5,8,16,20,32,48, with --quick 1,5,8,48]
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    counts: Vec<u16>,
    /// Sizes of a message [default: 64,4KiB,16KiB,64KiB, with --quick 64,16KiB]
    #[arg(long, value_delimiter = ',', value_name = "SIZE", value_parser = size)]
    sizes: Vec<u64>,
    /// Where messages begin [default: both, with --quick staggered]
    #[arg(long, value_delimiter = ',', value_name = "PLACING")]
    placing: Vec<Placing>,
    /// Measured rounds [default: 21, with --quick 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Fewer rounds and cells
    #[arg(long)]
    quick: bool,
    /// Choose our kernels by a calibration, as long runs of hashlane do [default: by the rates that they were
    /// written with, as short ones do]
    #[arg(long)]
    calibrated: bool,
    /// Seed of the messages
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write bench/records/DATE-MACHINE-kernels.json and .md
    #[arg(long)]
    record: bool,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// Sizes at which the function for whole messages is held against slots that are kept: later, what is around
/// a kernel is little.
const SHORT: [usize; 2] = [64, 256];

/// The longest message: all of them are in memory at once.
const MOST_BYTES: u64 = 64 << 20;

/// Builds, OpenSSL from its sources included, and then measures in a process of the shipped build. True
/// unless a bar that binds is missed.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let fits = |size: &u64| (1..=MOST_BYTES).contains(size);
    ensure!(options.sizes.iter().all(fits), "--sizes are from 1 to {} MiB", MOST_BYTES >> 20);
    if options.measuring {
        options.measure()
    } else {
        shipped::build_and_measure(false, &["--features", "hashlane-bench/vendored"])
    }
}

impl Options {
    fn measure(&self) -> Result<bool> {
        let before = Look::now();
        let libraries = Libraries::find();
        for line in &libraries.missing {
            eprintln!("{line}");
        }
        let core = Core::here();
        let contests = self.hold_all(&libraries, core)?;
        let bars = bars::judge(&contests);
        let bars_bind = core == Some(Core::Zen4);
        let fine = !bars_bind || bars.iter().all(bars::Bar::is_met);
        let mut warnings = libraries.missing;
        warnings.extend(disturbances(&before, &Look::now()));
        let record = Record {
            schema: "hashlane-kernels/1",
            command: command(),
            date: jiff::Timestamp::now().to_string(),
            version: env!("CARGO_PKG_VERSION"),
            machine: Machine::describe(),
            cpu: cpu_model(),
            bars_bind,
            rounds: self.rounds(),
            seed: self.seed,
            peers: libraries.versions,
            warnings,
            contests,
            bars,
        };
        let page = record.page(core);
        print!("{page}");
        if self.record {
            let stem = format!("{}-{}-kernels", jiff::Zoned::now().date(), record.machine.slug());
            records::write(&stem, &record, &page)?;
        }
        Ok(fine)
    }

    fn hold_all(&self, libraries: &Libraries, core: Option<Core>) -> Result<Vec<Contest>> {
        let _one = OneProcessor::hold()?;
        let mut contests = Vec::new();
        for algorithm in self.algorithms() {
            eprintln!("{}", algorithm.name());
            let rates = if self.calibrated { calibrated(algorithm) } else { Vec::new() };
            for cell in self.cells(algorithm) {
                let messages = Messages::new(&cell, self.seed);
                let slices = messages.slices();
                let mut contestants = vec![Contestant::ours(algorithm, &rates, &slices)];
                contestants.extend(libraries.peers(algorithm, &slices)?);
                let mut contest = Contest::hold(cell, self.rounds(), contestants)?;
                let streams = Streams::with_rates(algorithm.lanes(), cell.messages, &rates);
                let kernel = streams.serving(cell.messages);
                contest.kernel = format!("{} x {}", kernel.0.name(), kernel.1);
                contest.fewest_cycles = core.and_then(|core| fewest_cycles(core, &cell, kernel));
                contests.push(contest);
            }
            for cell in self.short_cells(algorithm) {
                let messages = Messages::new(&cell, self.seed);
                let slices = messages.slices();
                // Chosen alike: this is about what is around the kernels.
                let contestants = vec![
                    Contestant::ours(algorithm, &[], &slices),
                    Contestant::digest_many(algorithm, &slices),
                ];
                contests.push(Contest::hold(cell, self.rounds(), contestants)?);
            }
        }
        Ok(contests)
    }

    /// The cells in which peers take part.
    fn cells(&self, algorithm: Hash) -> Vec<Cell> {
        let mut cells = Vec::new();
        for placing in self.placings() {
            for messages in self.counts() {
                for size_bytes in self.sizes() {
                    cells.push(Cell { algorithm, messages, size_bytes, placing });
                }
            }
        }
        cells
    }

    /// The cells of [`SHORT`] messages.
    fn short_cells(&self, algorithm: Hash) -> Vec<Cell> {
        let placing = Placing::Staggered;
        let sizes = SHORT.into_iter().filter(|_| self.sizes.is_empty());
        let cell = |size_bytes| {
            self.counts().into_iter().map(move |messages| Cell { algorithm, messages, size_bytes, placing })
        };
        sizes.flat_map(cell).collect()
    }

    fn rounds(&self) -> usize {
        self.rounds.map_or(if self.quick { 7 } else { 21 }, |rounds| rounds as usize)
    }

    fn algorithms(&self) -> Vec<Hash> {
        if self.algorithms.is_empty() { Hash::value_variants().to_vec() } else { self.algorithms.clone() }
    }

    fn placings(&self) -> Vec<Placing> {
        match (self.placing.is_empty(), self.quick) {
            (false, _) => self.placing.clone(),
            (true, true) => vec![Placing::Staggered],
            (true, false) => Placing::value_variants().to_vec(),
        }
    }

    fn counts(&self) -> Vec<usize> {
        match (self.counts.is_empty(), self.quick) {
            (false, _) => self.counts.iter().map(|&count| usize::from(count)).collect(),
            (true, true) => vec![1, 5, 8, 48],
            (true, false) => vec![1, 2, 3, 5, 8, 16, 20, 32, 48],
        }
    }

    fn sizes(&self) -> Vec<usize> {
        match (self.sizes.is_empty(), self.quick) {
            (false, _) => self.sizes.iter().map(|&size| size as usize).collect(),
            (true, true) => vec![64, 16 << 10],
            (true, false) => vec![64, 4 << 10, 16 << 10, 64 << 10],
        }
    }
}

/// How fast each kernel of an algorithm is here. None where there is nothing to choose from.
fn calibrated(algorithm: Hash) -> Vec<Rate> {
    let registered = hashlane_digest::Algorithm::named(algorithm.name());
    registered.and_then(hashlane_digest::calibrate).map_or_else(Vec::new, |calibration| calibration.rates())
}

/// As it was typed.
fn command() -> String {
    let arguments = env::args().skip(1).filter(|argument| argument != "--measuring");
    ["cargo".to_owned(), "xtask".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        options: Options,
    }

    fn parse(arguments: &[&str]) -> Options {
        Arguments::parse_from([&["kernels"], arguments].concat()).options
    }

    #[test]
    fn without_options_everything_is_measured() {
        let options = parse(&[]);
        assert_eq!((options.algorithms().len(), options.rounds()), (7, 21));
        assert_eq!(options.cells(Hash::Md5).len(), 9 * 4 * 2);
        assert_eq!(options.short_cells(Hash::Md5).len(), 9 * 2);
    }

    #[test]
    fn quick_is_a_part_of_it_and_what_is_named_goes_before() {
        assert_eq!(parse(&["--quick"]).cells(Hash::Md5).len(), 4 * 2);
        let options = parse(&["--quick", "--counts", "3", "--sizes", "4KiB,100", "--rounds", "9"]);
        assert_eq!((options.cells(Hash::Sm3).len(), options.rounds()), (2, 9));
        assert!(options.short_cells(Hash::Sm3).is_empty(), "sizes that are named are all that is measured");
    }

    #[test]
    fn a_message_too_long_for_the_memory_is_refused() {
        let refused = run(&parse(&["--sizes", "65MiB"])).expect_err("too long");
        assert_eq!(refused.to_string(), "--sizes are from 1 to 64 MiB");
    }
}
