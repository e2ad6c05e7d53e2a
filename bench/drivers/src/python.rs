//! `cargo xtask python`: the wheel of Python and Spark on one machine, beside hashlib and the command.
//!
//! All files are in the page cache: what is compared is what the ways to the same digests cost.

mod worker;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hashlane_digest::Algorithm;
use serde::Serialize;
use xtask::cargo::{shown, target_directory};
use xtask::python::{Build, Environment, SPARK_RELEASES, build};

use crate::figures::{Bound, Figure, Record, text};
use crate::shipped;
use crate::trees::Shape;
use worker::Worker;

/// 16 GiB in directories of 4 GiB.
const LARGE: Shape = Shape { depth: 1, directories: 4, files: 64, length: (64 << 20, 64 << 20), seed: 1 };

/// 100,000 files of 4 KiB.
const SMALL: Shape = Shape { depth: 1, directories: 100, files: 1000, length: (4096, 4096), seed: 2 };

/// A million files of 1 KiB.
const MILLION: Shape = Shape { depth: 2, directories: 32, files: 977, length: (1024, 1024), seed: 3 };

/// The bars.
const LEAST_MANY: f64 = 8.0;
const LEAST_OF_COMMAND: f64 = 0.95;
const LEAST_MARGINAL: f64 = 0.7;
const MOST_MICROSECONDS: f64 = 20.0;

/// Options of `python`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Measured rounds, where programs take turns; Spark has fewer, at least three
    #[arg(long, default_value_t = 9, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Where trees are made and removed again: 17 GB [default: target/python]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The interpreter
    #[arg(long, value_name = "PYTHON", default_value = "python3")]
    python: PathBuf,
    /// Measure the wheel only, and not Spark
    #[arg(long, conflicts_with = "record")]
    no_spark: bool,
    /// Write bench/records/DATE-MACHINE-python.json and .md
    #[arg(long)]
    record: bool,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// What is to be known of the figures.
#[derive(Debug, Serialize)]
struct About {
    programs: Vec<String>,
}

/// Builds, and then measures in a process of the shipped build. True if every bar is met.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.measuring {
        return options.measure();
    }
    let built = Build { python: options.python.clone(), profile: "dist".to_owned() };
    let wheel = build(&built, &target_directory()?.join("wheel"))?;
    let user = environment(&options.python)?;
    user.install(newest())?;
    user.install_anew(&wheel)?;
    shipped::build_and_measure(true, &[])
}

/// Spark and what it needs.
fn newest() -> [&'static str; 3] {
    let [.., newest] = SPARK_RELEASES;
    newest
}

/// Where it is installed.
fn environment(python: &Path) -> Result<Environment> {
    Environment::at(target_directory()?.join("wheel/measured"), python)
}

impl Options {
    fn measure(&self) -> Result<bool> {
        let directory = match &self.dir {
            Some(directory) => directory.clone(),
            None => target_directory()?.join("python"),
        };
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let scratch = tempfile::tempdir_in(&directory).context("cannot make a temporary directory")?;
        let python = environment(&self.python)?.program("python");
        let mut contest = Contest {
            worker: Worker::start(&python, scratch.path())?,
            scratch: scratch.path().to_owned(),
            rounds: self.rounds as usize,
        };
        let mut parts: Vec<Part> = vec![Contest::many, Contest::small, Contest::large];
        if !self.no_spark {
            parts.extend([Contest::spark as Part, Contest::million]);
        }
        let mut figures = Vec::new();
        for part in parts {
            let found = part(&mut contest)?;
            eprint!("{}", text(&found));
            figures.extend(found);
        }
        let about = About { programs: versions(&python)? };
        let title = format!("Python and Spark beside the command: {}", about.programs.join(", "));
        let command = format!("cargo xtask python --rounds {}", self.rounds);
        let record = Record::new("hashlane-python/1", command, about, figures);
        record.conclude(&title, self.record.then_some("python"))
    }
}

type Part = fn(&mut Contest) -> Result<Vec<Figure>>;

/// Contenders that take turns.
struct Contest {
    worker: Worker,
    scratch: PathBuf,
    rounds: usize,
}

/// Who reads a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Command,
    SumFiles,
    Spark,
}

impl Contest {
    /// Messages in memory.
    fn many(&mut self) -> Result<Vec<Figure>> {
        let contenders = ["loop", "digest_many"];
        let mut runs = [Vec::new(), Vec::new()];
        for round in 0..=self.rounds {
            let mut proofs = Vec::new();
            for place in 0..contenders.len() {
                let turn = (round + place) % contenders.len();
                let answer = self.worker.ask(contenders[turn], None)?;
                // The first round is not counted.
                runs[turn].extend((round > 0).then(|| answer.seconds()).transpose()?);
                proofs.push(answer.proof()?);
            }
            ensure!(proofs[0] == proofs[1], "hashlib has other digests");
        }
        let [hashlib, ours] = runs;
        let names = ["digest_many", "hashlib in a loop"];
        Ok(beside(names, "100,000 x 4 KiB, md5", 409.6e6, [&ours, &hashlib], LEAST_MANY))
    }

    /// `sum_files` of small files.
    fn small(&mut self) -> Result<Vec<Figure>> {
        let tree = self.make("small", SMALL)?;
        let figures = self.sum_files("100,000 files of 4 KiB", &tree, bytes(SMALL));
        fs::remove_dir_all(&tree)?;
        figures
    }

    /// `sum_files` of large ones, which Spark reads afterwards.
    fn large(&mut self) -> Result<Vec<Figure>> {
        let tree = self.make("large", LARGE)?;
        self.sum_files("64 files of 64 MiB", &tree.join("d000"), bytes(LARGE) / 4.0)
    }

    fn sum_files(&mut self, name: &str, tree: &Path, bytes: f64) -> Result<Vec<Figure>> {
        let readers = [Reader::SumFiles, Reader::Command];
        self.prove(&readers, tree)?;
        let runs = self.turns(&[(Reader::SumFiles, tree), (Reader::Command, tree)], self.rounds)?;
        Ok(beside(["sum_files", "hashlane sum"], name, bytes, [&runs[0], &runs[1]], LEAST_OF_COMMAND))
    }

    /// What Spark and the command take for 12 GiB more.
    fn spark(&mut self) -> Result<Vec<Figure>> {
        let all = self.scratch.join("large");
        let quarter = all.join("d000");
        let started = self.worker.ask("start_spark", None)?.seconds()?;
        self.prove(&[Reader::Spark, Reader::Command], &quarter)?;
        // The rest comes into the page cache.
        self.run(Reader::Command, &all)?;
        let runs = self.turns(
            &[
                (Reader::Spark, &quarter),
                (Reader::Spark, &all),
                (Reader::Command, &quarter),
                (Reader::Command, &all),
            ],
            self.rounds_of_spark(),
        )?;
        fs::remove_dir_all(&all)?;
        let marginal = |four: &[f64], sixteen: &[f64]| -> Vec<f64> {
            let more = bytes(LARGE) * 0.75 / 1e6;
            four.iter().zip(sixteen).map(|(four, sixteen)| more / (sixteen - four)).collect()
        };
        let (spark, command) = (marginal(&runs[0], &runs[1]), marginal(&runs[2], &runs[3]));
        let start_up: Vec<f64> =
            runs[0].iter().zip(&spark).map(|(four, rate)| four - bytes(LARGE) / 4e6 / rate).collect();
        let ratios = spark.iter().zip(&command).map(|(spark, command)| spark / command).collect();
        Ok(vec![
            Figure::new("start of Spark, local-cluster of 2 executors", "s", vec![started]),
            Figure::new("a job of Spark apart from its bytes", "s", start_up),
            Figure::new("Spark, 4 GiB", "s", runs[0].clone()),
            Figure::new("Spark, 16 GiB", "s", runs[1].clone()),
            Figure::new("hashlane sum, 4 GiB", "s", runs[2].clone()),
            Figure::new("hashlane sum, 16 GiB", "s", runs[3].clone()),
            Figure::new("Spark, from 4 to 16 GiB", "MB/s", spark),
            Figure::new("hashlane sum, from 4 to 16 GiB", "MB/s", command),
            Figure::new("Spark by hashlane sum, from 4 to 16 GiB", "", ratios)
                .with_bar(Bound::AtLeast, LEAST_MARGINAL),
        ])
    }

    /// What Spark takes for a file more than the command does.
    fn million(&mut self) -> Result<Vec<Figure>> {
        let tree = self.make("million", MILLION)?;
        let one = self.make("one", Shape { depth: 0, files: 1, ..MILLION })?;
        self.prove(&[Reader::Spark, Reader::Command], &tree)?;
        let runs = self.turns(
            &[
                (Reader::Spark, &tree),
                (Reader::Spark, &one),
                (Reader::Command, &tree),
                (Reader::Command, &one),
            ],
            self.rounds_of_spark(),
        )?;
        fs::remove_dir_all(&tree)?;
        let files = MILLION.names().len() as f64;
        let beyond = |many: &[f64], one: &[f64]| -> Vec<f64> {
            many.iter().zip(one).map(|(many, one)| (many - one) / files * 1e6).collect()
        };
        let (spark, command) = (beyond(&runs[0], &runs[1]), beyond(&runs[2], &runs[3]));
        let more = spark.iter().zip(&command).map(|(spark, command)| spark - command).collect();
        Ok(vec![
            Figure::new("Spark, a job of one file", "s", runs[1].clone()),
            Figure::new("Spark, each of 1,000,448 files of 1 KiB", "us", spark),
            Figure::new("hashlane sum, each of 1,000,448 files of 1 KiB", "us", command),
            Figure::new("Spark's overhead a file, bins of 10,000", "us", more)
                .with_bar(Bound::AtMost, MOST_MICROSECONDS),
        ])
    }

    fn rounds_of_spark(&self) -> usize {
        self.rounds.div_ceil(2).max(3)
    }

    fn make(&self, name: &str, shape: Shape) -> Result<PathBuf> {
        let tree = self.scratch.join(name);
        shape.make(&tree)?;
        // Writing back what was made would take part in the first rounds.
        rustix::fs::sync();
        Ok(tree)
    }

    /// Proves that readers find the same digests. This brings the tree into the page cache, and is not counted.
    fn prove(&mut self, readers: &[Reader], tree: &Path) -> Result<()> {
        let proofs = readers.iter().map(|reader| self.proof(*reader, tree)).collect::<Result<Vec<_>>>()?;
        ensure!(
            proofs.windows(2).all(|two| two[0] == two[1]),
            "{}: {readers:?} find other digests: {proofs:?}",
            tree.display()
        );
        Ok(())
    }

    fn proof(&mut self, reader: Reader, tree: &Path) -> Result<String> {
        match reader {
            Reader::Command => command_proof(tree, &self.scratch.join("printed")),
            Reader::SumFiles => self.worker.ask("sum_files", Some(tree))?.proof(),
            Reader::Spark => self.worker.ask("fingerprint_rows", Some(tree))?.proof(),
        }
    }

    /// Runs of readers, one of each in a round; which goes first changes. What each took, in seconds.
    fn turns(&mut self, readers: &[(Reader, &Path)], rounds: usize) -> Result<Vec<Vec<f64>>> {
        let mut runs = vec![Vec::new(); readers.len()];
        for round in 0..rounds {
            for place in 0..readers.len() {
                let turn = (round + place) % readers.len();
                let (reader, tree) = readers[turn];
                let seconds = self.run(reader, tree)?;
                runs[turn].push(seconds);
            }
        }
        Ok(runs)
    }

    fn run(&mut self, reader: Reader, tree: &Path) -> Result<f64> {
        match reader {
            Reader::SumFiles => self.worker.ask("sum_files", Some(tree))?.seconds(),
            Reader::Spark => self.worker.ask("fingerprint", Some(tree))?.seconds(),
            Reader::Command => {
                let mut command = sum(tree, &self.scratch.join("printed"))?;
                let start = Instant::now();
                let status = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
                let seconds = start.elapsed().as_secs_f64();
                ensure!(status.success(), "{} ended with {status}", shown(&command));
                Ok(seconds)
            }
        }
    }
}

/// The rates of two contenders in work of `bytes` bytes, and how much faster the first one was, round by round.
fn beside(
    names: [&str; 2],
    work: &str,
    bytes: f64,
    [ours, others]: [&Vec<f64>; 2],
    least: f64,
) -> Vec<Figure> {
    let [our_name, other_name] = names;
    let rate = |seconds: &Vec<f64>| seconds.iter().map(|seconds| bytes / seconds / 1e6).collect();
    let ratios = ours.iter().zip(others).map(|(ours, other)| other / ours).collect();
    vec![
        Figure::new(format!("{our_name}, {work}"), "MB/s", rate(ours)),
        Figure::new(format!("{other_name}, {work}"), "MB/s", rate(others)),
        Figure::new(format!("{our_name} by {other_name}, {work}"), "", ratios)
            .with_bar(Bound::AtLeast, least),
    ]
}

/// Bytes of a tree whose files are all of one length.
fn bytes(shape: Shape) -> f64 {
    shape.names().len() as f64 * shape.length.0 as f64
}

/// The command, on a tree.
fn sum(tree: &Path, printed: &Path) -> Result<Command> {
    let mut command = Command::new(shipped::command()?);
    command.args(["sum", "--quiet", "--algorithm", "sha256"]).arg(tree);
    command.stdin(Stdio::null()).stdout(File::create(printed)?);
    Ok(command)
}

/// What it printed, sorted, and its digest.
fn command_proof(tree: &Path, printed: &Path) -> Result<String> {
    let mut command = sum(tree, printed)?;
    let status = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
    ensure!(status.success(), "{} ended with {status}", shown(&command));
    let printed = fs::read(printed)?;
    let mut lines: Vec<&[u8]> = printed.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    let sha256 = Algorithm::SHA256;
    Ok(sha256.digest(&lines.concat()).to_string())
}

/// Which programs these are.
fn versions(python: &Path) -> Result<Vec<String>> {
    let first_line = |command: &mut Command| -> Result<String> {
        let output = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
    };
    let openssl = "import ssl; print(ssl.OPENSSL_VERSION)";
    let mut programs = vec![
        first_line(Command::new(shipped::command()?).arg("--version"))?,
        first_line(Command::new(python).arg("--version"))?,
        first_line(Command::new(python).args(["-c", openssl]))?,
    ];
    programs.extend(newest().map(str::to_owned));
    Ok(programs)
}
