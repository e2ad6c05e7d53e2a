//! `cargo xtask objects`: objects of a server on this machine, read by `sum`, by a loop that digests nothing, and by other programs.
//!
//! The server shares the processor with whoever reads. Where it is kept to a rate, it does not, and what is compared is how well
//! programs use a network.

mod bare;
mod peers;
mod proxy;
mod server;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::figures::{Bound, Figure, Record, text};
use crate::shipped;
use peers::{Program, Run};
use server::Server;
use xtask::cargo::target_directory;

pub(crate) use bare::{Options as BareOptions, run as bare};

/// What the programs are asked for: sizes of objects, and their number.
const LARGE: Objects = Objects { bucket: "large", count: 1000, bytes: 1 << 20 };
const SMALL: Objects = Objects { bucket: "small", count: 10_000, bytes: 16 << 10 };

/// A few of them for a program that is started for each.
const FEW: Objects = Objects { bucket: "few", count: 16, bytes: 1 << 20 };

/// The rate to which the server is kept, in bytes a second.
const RATE: u64 = 300_000_000;

/// What the issue asks for.
const LEAST_BUSY: f64 = 0.85;
const LEAST_LIMITED: f64 = 0.97;
const LEAST_SMALL: f64 = 0.8;
const LEAST_OTHERS: f64 = 2.0;
const MOST_MIB: f64 = 256.0;

const MIB: f64 = (1 << 20) as f64;

/// Options of `objects`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Measured rounds, where programs take turns
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Where objects are made and removed again: 1.3 GB [default: target/objects]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write bench/records/DATE-MACHINE-objects.json and .md
    #[arg(long)]
    record: bool,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// Objects of a bucket, all alike in size.
#[derive(Clone, Copy, Debug)]
struct Objects {
    bucket: &'static str,
    count: usize,
    bytes: usize,
}

impl Objects {
    fn make(self, store: &Path) -> Result<()> {
        let folder = store.join(self.bucket);
        fs::create_dir_all(&folder)?;
        for number in 0..self.count {
            let mut content = vec![0; self.bytes];
            fastrand::fill(&mut content);
            fs::write(folder.join(format!("{number:05}")), content)?;
        }
        Ok(())
    }

    fn all_bytes(self) -> f64 {
        (self.count * self.bytes) as f64
    }
}

/// What is to be known of the figures.
#[derive(Debug, Serialize)]
struct About {
    programs: Vec<String>,
}

/// Builds, and then measures in a process of the shipped build. True if every bar is met.
pub(crate) fn run(options: &Options) -> Result<bool> {
    match options.measuring {
        true => options.measure(),
        false => {
            xtask::setup::install_peers_of_objects()?;
            shipped::build_and_measure(true, &["--features", "hashlane-bench/object-store"])
        }
    }
}

impl Options {
    fn measure(&self) -> Result<bool> {
        let directory = match &self.dir {
            Some(directory) => directory.clone(),
            None => target_directory()?.join("objects"),
        };
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let scratch = tempfile::tempdir_in(&directory).context("cannot make a temporary directory")?;
        let store = scratch.path().join("store");
        for objects in [LARGE, SMALL, FEW] {
            objects.make(&store)?;
        }
        let server = Server::start(&store)?;
        let contest = Contest { server: &server, scratch: scratch.path(), rounds: self.rounds };
        let mut figures = Vec::new();
        for part in [Contest::busy, Contest::limited, Contest::small] {
            let found = part(&contest)?;
            eprint!("{}", text(&found));
            figures.extend(found);
        }
        let about = About { programs: peers::versions()? };
        let title = format!("Objects of a server on the same machine: {}", about.programs.join(", "));
        let command = format!("cargo xtask objects --rounds {}", self.rounds);
        let record = Record::new("hashlane-objects/1", command, about, figures);
        record.conclude(&title, self.record.then_some("objects"))
    }
}

/// Programs that take turns.
struct Contest<'a> {
    server: &'a Server,
    scratch: &'a Path,
    rounds: u32,
}

impl Contest<'_> {
    /// Objects of 1 MiB: digested, and brought only, while the server has what is left of the processor.
    fn busy(&self) -> Result<Vec<Figure>> {
        let programs = [Program::Hashlane, Program::Bare, Program::Rclone];
        let runs = self.turns(LARGE, &self.server.url(), &programs)?;
        let few = self.turns(FEW, &self.server.url(), &[Program::Hashlane, Program::Aws])?;
        let name = "1,000 x 1 MiB";
        let mut figures = rates(name, LARGE, &programs, &runs);
        figures.push(ratio(&format!("sum by the bare loop, {name}"), &runs[0], &runs[1], LEAST_BUSY));
        figures.push(ratio(&format!("sum by rclone, {name}"), &runs[0], &runs[2], LEAST_OTHERS));
        figures.extend(rates("16 x 1 MiB", FEW, &[Program::Hashlane, Program::Aws], &few));
        figures.push(ratio("sum by aws, two at a time, 16 x 1 MiB", &few[0], &few[1], LEAST_OTHERS));
        figures.push(memory(name, &runs[0]));
        Ok(figures)
    }

    /// The same, with a server that is kept to a rate.
    fn limited(&self) -> Result<Vec<Figure>> {
        let slow = proxy::limited(self.server.address(), RATE)?;
        let programs = [Program::Hashlane, Program::Bare];
        let runs = self.turns(LARGE, &format!("http://{slow}"), &programs)?;
        let name = "1,000 x 1 MiB at 300 MB/s";
        let mut figures = rates(name, LARGE, &programs, &runs);
        figures.push(ratio(&format!("sum by the bare loop, {name}"), &runs[0], &runs[1], LEAST_LIMITED));
        Ok(figures)
    }

    /// Objects of 16 KiB.
    fn small(&self) -> Result<Vec<Figure>> {
        let programs = [Program::Hashlane, Program::Bare];
        let runs = self.turns(SMALL, &self.server.url(), &programs)?;
        let name = "10,000 x 16 KiB";
        let mut figures = rates(name, SMALL, &programs, &runs);
        figures.push(ratio(&format!("sum by the bare loop, {name}"), &runs[0], &runs[1], LEAST_SMALL));
        figures.push(memory(name, &runs[0]));
        Ok(figures)
    }

    /// Runs of programs, one of each in a round; which goes first changes. The first round is not counted: it proves that all have
    /// read the same.
    fn turns(&self, objects: Objects, url: &str, programs: &[Program]) -> Result<Vec<Vec<Run>>> {
        let mut digests = Vec::new();
        for program in programs {
            let printed = program.run(url, objects.bucket, self.scratch)?.printed;
            digests.push(program.digests(&printed, objects.count, objects.all_bytes() as u64)?);
        }
        let known = digests[0].as_ref().context("the first program digests")?;
        ensure!(known.len() == objects.count, "{} digests of {}", known.len(), objects.count);
        for other in digests.iter().flatten() {
            ensure!(other == known, "two programs have other digests");
        }
        let mut runs: Vec<Vec<Run>> = programs.iter().map(|_| Vec::new()).collect();
        for round in 0..self.rounds as usize {
            for place in 0..programs.len() {
                let turn = (round + place) % programs.len();
                runs[turn].push(programs[turn].run(url, objects.bucket, self.scratch)?);
            }
        }
        Ok(runs)
    }
}

/// What each program brought in a second.
fn rates(name: &str, objects: Objects, programs: &[Program], runs: &[Vec<Run>]) -> Vec<Figure> {
    let rate = |run: &Run| objects.all_bytes() / run.seconds / 1e6;
    let of = |(program, runs): (&Program, &Vec<Run>)| {
        Figure::new(format!("{}, {name}", program.name()), "MB/s", runs.iter().map(rate).collect())
    };
    programs.iter().zip(runs).map(of).collect()
}

/// How much faster one program was than another, round by round.
fn ratio(what: &str, one: &[Run], other: &[Run], least: f64) -> Figure {
    let ratios = one.iter().zip(other).map(|(one, other)| other.seconds / one.seconds).collect();
    Figure::new(what, "", ratios).with_bar(Bound::AtLeast, least)
}

fn memory(name: &str, runs: &[Run]) -> Figure {
    let peaks = runs.iter().map(|run| run.peak_bytes as f64 / MIB).collect();
    Figure::new(format!("peak memory of sum, {name}"), "MiB", peaks).with_bar(Bound::AtMost, MOST_MIB)
}
