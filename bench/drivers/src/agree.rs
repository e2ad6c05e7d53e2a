//! `cargo xtask agree`: does `bench` tell the truth? The check-up's ceilings against `openssl speed` and fio, the studies
//! against those and hyperfine, in turns; two check-ups against each other.
//!
//! Owns the course of a run; what was found and its bounds are in `record`. The probes are those of `hashlane
//! bench`, in this process; the others are asked to do the same work: same algorithm and size, same engine, block
//! size and depth, same file.

mod beside;
mod others;
mod record;
mod studies;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use hashlane_digest::Algorithm;
use hashlane_io::EngineKind;
use hashlane_measure::check_up::{DIGEST_BLOCK_BYTES, READ_BLOCK_BYTES};
use hashlane_measure::statistics::{geometric_mean, median};
use hashlane_measure::{
    Cell, CellResult, Comparison, DigestProbe, LargeFile, Loaded, Machine, Observer, Plan, Probe, ReadProbe,
    Run, Subject, sample,
};

use crate::{records, shipped};
use beside::{Done, beside};
pub(crate) use others::parse_rate;
use others::{Fio, blake3_rate, evp_name, libcrypto_probe, openssl_arguments, openssl_rate};
use record::{Agreement, DIGEST_BOUND, READ_BOUND, Record, TwoCheckUps};
use xtask::cargo::target_directory;
use xtask::setup::has_libcrypto;

/// Options of `agree`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Measured pairs
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Where the test file is made [default: target/agree]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Cold readings too: drops the page cache of the whole machine before every sample (root only)
    #[arg(long)]
    drop_caches: bool,
    /// Compare only some of it
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Part::ALL)]
    only: Vec<Part>,
    /// Time for each of the two check-ups, in seconds
    #[arg(long, default_value_t = 60)]
    budget: u64,
    /// Write bench/records/DATE-MACHINE-agree.json and .md
    #[arg(long)]
    record: bool,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
    /// Take memory and give it back at once, see `settle`
    #[arg(long, hide = true)]
    settle: bool,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Digest ceilings of the check-up
    Digests,
    /// Read ceilings of the check-up
    Reading,
    /// `bench speed`
    Messages,
    /// `bench io`
    Blocks,
    /// `bench variant`
    Programs,
    /// Two check-ups, one after the other
    CheckUps,
}

impl Part {
    const ALL: [Self; 6] =
        [Self::Digests, Self::Reading, Self::Messages, Self::Blocks, Self::Programs, Self::CheckUps];
}

/// Algorithms that `openssl speed` has too.
const DIGESTS: [&str; 5] = ["md5", "sha1", "sha256", "sha512", "blake2b"];

/// Bytes of the test file.
const FILE_BYTES: u64 = 1 << 30;

/// Builds, and then measures in a process of the shipped build.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.settle {
        settle();
        return Ok(true);
    }
    let root = rustix::process::geteuid().is_root();
    ensure!(!options.drop_caches || root, "--drop-caches takes root");
    if options.measuring {
        return options.measure();
    }
    ensure!(has_libcrypto(), "libssl-dev is missing; `cargo xtask setup` installs it");
    shipped::build_and_measure(true, &["--features", "hashlane-bench/libcrypto"])
}

impl Options {
    fn measure(&self) -> Result<bool> {
        let directory = match &self.dir {
            Some(directory) => directory.clone(),
            None => target_directory()?.join("agree"),
        };
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let (mut agreements, mut equalities) = (Vec::new(), Vec::new());
        if self.only.contains(&Part::Digests) {
            agreements.extend(self.digests()?);
        }
        if self.only.contains(&Part::Reading) {
            agreements.extend(self.reading(&directory)?);
        }
        if self.only.contains(&Part::Messages) {
            agreements.extend(self.messages(&directory)?);
        }
        if self.only.contains(&Part::Blocks) {
            agreements.extend(self.blocks(&directory)?);
            equalities.extend(self.xor(&directory)?);
        }
        if self.only.contains(&Part::Programs) {
            agreements.extend(self.programs(&directory)?);
        }
        let check_ups =
            self.only.contains(&Part::CheckUps).then(|| self.check_ups(&directory)).transpose()?;
        let record = Record {
            schema: "hashlane-agree",
            command: std::env::args()
                .skip(1)
                .filter(|argument| argument != "--measuring")
                .collect::<Vec<_>>()
                .join(" "),
            date: jiff::Zoned::now().strftime("%Y-%m-%d").to_string(),
            machine: Machine::describe(),
            place: records::place(&directory)?,
            versions: others::versions(),
            agreements,
            equalities,
            check_ups,
        };
        let (text, agreed) = record.text();
        print!("{text}");
        if self.record {
            let stem = format!("{}-{}-agree", record.date, record.machine.slug());
            records::write(&stem, &record, &text)?;
        }
        Ok(agreed)
    }

    /// One core, pieces of 16 KiB. Each algorithm twice: the code of the other program timed by our sampler, which shows
    /// whether the sampler is right, and our own code, which shows whether the ceiling is the one that people know.
    fn digests(&self) -> Result<Vec<Agreement>> {
        let mut agreements = Vec::new();
        for name in DIGESTS {
            let other = format!("openssl {}", openssl_arguments(evp_name(name), DIGEST_BLOCK_BYTES));
            for what in [format!("{name} of libcrypto, by our sampler"), format!("digest ceiling of {name}")]
            {
                agreements.push(Agreement::new(format!("{what}, one core"), other.clone(), DIGEST_BOUND));
            }
        }
        let other = "blake3::Hasher::update, 16 KiB, in a loop of a second".to_owned();
        agreements.push(Agreement::new("digest ceiling of blake3, one core".to_owned(), other, DIGEST_BOUND));
        let second = Duration::from_secs(1);
        for round in 0..=self.rounds {
            for (pair, name) in agreements.chunks_mut(2).zip(DIGESTS) {
                eprintln!("{name}, round {round}");
                let (mut library, mut own) = (libcrypto_probe(name)?, digest_probe(name)?);
                let speed = || openssl_rate(evp_name(name), DIGEST_BLOCK_BYTES);
                pair[0].add(round, beside(|| done(library.as_mut()), speed)?);
                pair[1].add(round, beside(|| done(&mut own), speed)?);
            }
            eprintln!("blake3, round {round}");
            let mut own = digest_probe("blake3")?;
            let other = || Ok(blake3_rate(second, DIGEST_BLOCK_BYTES));
            let last = agreements.last_mut().context("it was pushed above")?;
            last.add(round, in_turns(round, || rate(&mut own, second), other)?);
        }
        Ok(agreements)
    }

    fn reading(&self, directory: &Path) -> Result<Vec<Agreement>> {
        let file = Arc::new(
            LargeFile::create(directory, FILE_BYTES, Duration::MAX, 1)
                .context("cannot make the test file")?,
        );
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let buffered = EngineKind::Buffered;
        let fio = |engine: &'static str, direct: bool, jobs: usize, depth: usize, cold: bool| Fio {
            path: file.path(),
            bytes: FILE_BYTES,
            pattern: "read",
            engine,
            direct,
            jobs,
            depth,
            block_bytes: READ_BLOCK_BYTES,
            cold,
            net: false,
        };
        let mut pairs: Vec<(&str, ReadProbe, Fio)> = vec![
            (
                "warm read ceiling, one core",
                ReadProbe::warm(&file, buffered, 1, READ_BLOCK_BYTES),
                fio("psync", false, 1, 1, false),
            ),
            (
                "warm read ceiling, all cores",
                ReadProbe::warm(&file, buffered, cores, READ_BLOCK_BYTES),
                fio("psync", false, cores, 1, false),
            ),
        ];
        if self.drop_caches {
            pairs.push((
                "cold read ceiling, direct, 8 in flight",
                ReadProbe::cold(&file, EngineKind::Direct, 8, READ_BLOCK_BYTES),
                fio("libaio", true, 1, 8, true),
            ));
            pairs.push((
                "cold read ceiling, buffered, 1 in flight",
                ReadProbe::cold(&file, buffered, 1, READ_BLOCK_BYTES),
                fio("psync", false, 1, 1, true),
            ));
        }
        let mut agreements: Vec<_> = pairs
            .iter()
            .map(|(what, _, fio)| Agreement::new((*what).to_owned(), fio.shown(), READ_BOUND))
            .collect();
        for round in 0..=self.rounds {
            for (agreement, (_, probe, fio)) in agreements.iter_mut().zip(&mut pairs) {
                eprintln!("{}, round {round}", agreement.what);
                let ours = || {
                    if fio.cold {
                        drop_caches()?;
                        ensure!(settle_command()?.status()?.success(), "no memory to settle");
                    }
                    rate(probe, Duration::from_secs(1))
                };
                let theirs = || {
                    if fio.cold {
                        drop_caches()?;
                    }
                    fio.rate(directory)
                };
                let pair = in_turns(round, ours, theirs)?;
                agreement.add(round, pair);
            }
        }
        Ok(agreements)
    }

    /// Two check-ups by the program itself.
    fn check_ups(&self, directory: &Path) -> Result<TwoCheckUps> {
        let program = shipped::command()?;
        let mut runs = Vec::new();
        for number in 0..2 {
            eprintln!("check-up {}", number + 1);
            let saved = directory.join(format!("check-up-{number}.json"));
            let budget = format!("{}s", self.budget);
            let status = Command::new(&program)
                .args(["bench", "--json", "--budget", &budget, "--path"])
                .arg(directory)
                .arg("--output")
                .arg(&saved)
                .stdout(std::process::Stdio::null())
                .status()
                .context("cannot run hashlane bench")?;
            ensure!(status.success(), "hashlane bench ended with {status}");
            runs.push(Run::load(&saved)?);
        }
        let named = |(number, run): (usize, &Run)| {
            (format!("check-up-{number}.json").into(), Loaded::Run(Box::new(run.clone())))
        };
        let subjects = Subject::gather(runs.iter().enumerate().map(named).collect());
        let comparison = Comparison::of(subjects, None)?;
        let rows = comparison.sections.iter().flat_map(|section| &section.rows);
        let ratios: Vec<_> = rows.filter_map(|row| Some((row.cell.clone(), row.ratios[1]?.median))).collect();
        let values: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
        Ok(TwoCheckUps {
            median: median(&values),
            geometric_mean: geometric_mean(&values),
            overhead: runs.iter().map(|run| run.overhead.largest_share).fold(0.0, f64::max),
            ratios,
        })
    }
}

fn digest_probe(name: &str) -> Result<DigestProbe> {
    let algorithm = Algorithm::named(name).context("not registered")?;
    Ok(DigestProbe::new(algorithm, 1, DIGEST_BLOCK_BYTES))
}

/// Both figures of a round; who comes first changes from round to round.
fn in_turns(
    round: u32,
    mut ours: impl FnMut() -> Result<f64>,
    mut others: impl FnMut() -> Result<f64>,
) -> Result<(f64, f64)> {
    if round.is_multiple_of(2) {
        let ours = ours()?;
        Ok((ours, others()?))
    } else {
        let others = others()?;
        Ok((ours()?, others))
    }
}

/// Looks on and never stops.
struct Alone;

impl Observer for Alone {
    fn at(&mut self, _: &Cell, _: f64) {}

    fn stops(&self) -> bool {
        false
    }
}

/// The figure of a probe, mostly bytes a second: one sample of our sampler, calibrated to take so long where its work may be
/// repeated.
fn rate(probe: &mut dyn Probe, time: Duration) -> Result<f64> {
    let result = sampled(probe, time)?;
    result.figures().first().copied().context("one sample has one figure")
}

/// What a probe does in a short sample, so that it soon sees that it is no longer wanted.
fn done(probe: &mut dyn Probe) -> Result<Done> {
    Ok(Done::of(&sampled(probe, Duration::from_millis(100))?.samples))
}

/// One sample of a probe, calibrated to take so long where its work may be repeated.
fn sampled(probe: &mut dyn Probe, time: Duration) -> Result<CellResult> {
    // Something may come between: a host that takes memory back while a file is to stay in the page cache.
    const ATTEMPTS: usize = 3;
    let plan = Plan { budget: time, sample: time, least_rounds: 1, most_rounds: 1, width: 0.0, seed: 1 };
    let mut reason = String::new();
    for _ in 0..ATTEMPTS {
        let (mut results, _) = sample(&mut [Box::new(&mut *probe)], &plan, &mut Alone);
        let result = results.pop().context("one probe has one result")?;
        if !result.samples.is_empty() {
            return Ok(result);
        }
        reason = format!("{}: {}", result.cell, result.not_measured.as_deref().unwrap_or("no sample"));
        eprintln!("{reason}; once more");
    }
    bail!(reason)
}

fn drop_caches() -> Result<()> {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "3").context("cannot drop the page cache")
}

/// Touches as much memory as a cold reading will fill. What the host of a virtual machine has taken back of its free memory
/// has to be brought again, at half a second for a gigabyte, and whoever reads first would wait for that as well.
fn settle() {
    std::hint::black_box(vec![1u8; FILE_BYTES as usize + (256 << 20)]);
}

/// How another process does that, right before it reads.
fn settle_command() -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("this program has no path")?);
    command.args(["agree", "--settle"]);
    Ok(command)
}
