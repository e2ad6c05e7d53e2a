//! The studies beside other programs that do the same work: `bench speed` and `openssl speed`, `bench io` and fio,
//! `bench variant` and hyperfine.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hashlane_digest::{Algorithm, BackendChoice};
use hashlane_measure::input_output::RANDOM_BLOCK_BYTES;
use hashlane_measure::speed::Speed;
use hashlane_measure::variant::{Finder, Inputs, Variant, Variants};
use hashlane_measure::{
    BlockProbe, Brief, CellResult, ExpectedXor, Form, LargeFile, Machine, NamedFiles, Probe, RandomReadProbe,
    Run, Unit,
};

use super::beside::{Done, beside};
use super::others::{Fio, evp_name, libcrypto_function, openssl_arguments, openssl_rate};
use super::record::{Agreement, DIGEST_BOUND, Equality, READ_BOUND, VARIANT_BOUND};
use super::{Alone, FILE_BYTES, Options, done, drop_caches, in_turns, rate, settle_command};
use crate::one_processor::OneProcessor;
use xtask::cargo::workspace;

/// Algorithms whose messages are timed: by code of libcrypto, and the first ones by ours too.
const MESSAGES: [&str; 3] = ["sha1", "sha256", "md5"];

/// Of those, ours, which are of the same class as those of libcrypto where the processor has instructions for them.
const OWN: [&str; 2] = ["sha1", "sha256"];

/// Features of processors that have such instructions.
const INSTRUCTIONS: [&str; 2] = ["sha_ni", "sha2"];

/// What `openssl speed` is held against itself with: what the machine does to equal figures.
const CONTROL: &str = "sha256";

/// Bytes of the messages.
const MESSAGE_BYTES: [usize; 2] = [1 << 10, 16 << 10];

/// Random blocks in flight.
const DEPTH: usize = 16;

/// Bytes of the file whose words are combined.
const XOR_BYTES: u64 = (64 << 20) + 3;

/// Bytes of the blocks of a file.
const BLOCK_BYTES: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];

/// What both time as programs.
const COMMANDS: [&str; 2] = ["sha256sum", "md5sum"];

/// Bytes of their file: what starting takes is to be seen.
const PROGRAM_BYTES: u64 = 10_000_000;

/// Single runs by each in a round, in turns: the machine is to be the same for the next one.
const RUNS: u32 = 30;

/// Time for one figure.
const TIME: Duration = Duration::from_secs(1);

fn brief(directory: &Path, budget: Duration) -> Brief {
    Brief {
        directory: directory.to_owned(),
        budget,
        quick: false,
        backend: BackendChoice::Auto,
        seed: 1,
        name: None,
        tells_host: false,
        program: "xtask agree".to_owned(),
        command: Vec::new(),
    }
}

/// What a run of one cell did.
fn measured(run: &Run) -> Result<&CellResult> {
    let result = run.cells.first().context("one cell was to be measured")?;
    let reason = result.not_measured.as_deref().unwrap_or("no sample");
    ensure!(result.figure.is_some(), "{}: {reason}", result.cell);
    Ok(result)
}

/// Whose code computes the digests.
#[derive(Clone, Copy, Debug)]
enum Code {
    Libcrypto,
    Own,
    /// That of libcrypto, timed by `openssl speed` too.
    Control,
}

/// `bench speed` with one algorithm and one size, for a short time.
fn speed(directory: &Path, name: &'static str, code: Code, bytes: usize) -> Result<Done> {
    let (algorithms, foreign) = match code {
        Code::Own => (vec![Algorithm::named(name).context("not registered")?], Vec::new()),
        Code::Libcrypto | Code::Control => (Vec::new(), vec![libcrypto_function(name)?]),
    };
    let study = Speed {
        brief: brief(directory, TIME / 10),
        algorithms,
        foreign,
        sizes: vec![bytes],
        threads: vec![1],
        forms: vec![Form::Single],
        messages: None,
    };
    Ok(Done::of(&measured(&study.run(&mut Alone))?.samples))
}

impl Options {
    pub(super) fn messages(&self, directory: &Path) -> Result<Vec<Agreement>> {
        let features = Machine::describe().processor.features;
        let has_instructions = features.iter().any(|feature| INSTRUCTIONS.contains(&feature.as_str()));
        let mut pairs = Vec::new();
        for bytes in MESSAGE_BYTES {
            pairs.extend(MESSAGES.map(|name| (name, Code::Libcrypto, bytes)));
            if has_instructions {
                pairs.extend(OWN.map(|name| (name, Code::Own, bytes)));
            }
        }
        pairs.push((CONTROL, Code::Control, MESSAGE_BYTES[1]));
        let mut agreements: Vec<_> = pairs
            .iter()
            .map(|(name, code, bytes)| {
                let who = match code {
                    Code::Own => format!("bench speed: {name}"),
                    Code::Libcrypto => format!("bench speed: {name} of libcrypto"),
                    Code::Control => format!("control, `openssl speed` both: {name}"),
                };
                Agreement::new(
                    format!("{who}, messages of {bytes} bytes"),
                    format!("openssl {}", openssl_arguments(evp_name(name), *bytes)),
                    DIGEST_BOUND,
                )
            })
            .collect();
        for round in 0..=self.rounds {
            for (agreement, &(name, code, bytes)) in agreements.iter_mut().zip(&pairs) {
                eprintln!("{}, round {round}", agreement.what);
                let theirs = || openssl_rate(evp_name(name), bytes);
                let pair = match code {
                    Code::Control => both(theirs)?,
                    _ => beside(|| speed(directory, name, code, bytes), theirs)?,
                };
                agreement.add(round, pair);
            }
        }
        Ok(agreements)
    }

    /// What reads blocks here, and what fio is asked to do the same.
    fn block_pairs(&self, file: &Arc<LargeFile>) -> Vec<(String, Box<dyn Probe>, Fio)> {
        let fio = |pattern, engine, depth, block_bytes, cold| Fio {
            path: file.path(),
            bytes: FILE_BYTES,
            pattern,
            engine,
            direct: engine != "psync",
            jobs: 1,
            depth,
            block_bytes,
            cold,
            net: false,
        };
        let mut pairs: Vec<(String, Box<dyn Probe>, Fio)> = Vec::new();
        for bytes in BLOCK_BYTES {
            let probe = Box::new(BlockProbe::warm(file, 1, bytes));
            pairs.push((
                format!("bench io: blocks of {bytes} bytes, warm"),
                probe,
                fio("read", "psync", 1, bytes, false),
            ));
        }
        // What fio takes for itself is much of what a small block takes: once more without it.
        let small = BLOCK_BYTES[0];
        pairs.push((
            format!("bench io: blocks of {small} bytes, warm; of fio, reading alone"),
            Box::new(BlockProbe::warm(file, 1, small)),
            Fio { net: true, ..fio("read", "psync", 1, small, false) },
        ));
        let bytes = RANDOM_BLOCK_BYTES;
        pairs.push((
            format!("bench io: random blocks of {bytes} bytes, warm"),
            Box::new(RandomReadProbe::warm(file, bytes, 1)),
            fio("randread", "psync", 1, bytes, false),
        ));
        pairs.push((
            format!("bench io: random blocks of {bytes} bytes, warm; of fio, reading alone"),
            Box::new(RandomReadProbe::warm(file, bytes, 1)),
            Fio { net: true, ..fio("randread", "psync", 1, bytes, false) },
        ));
        if self.drop_caches {
            let block = BLOCK_BYTES[BLOCK_BYTES.len() - 1];
            pairs.push((
                format!("bench io: blocks of {block} bytes, cold"),
                Box::new(BlockProbe::cold(file, block)),
                fio("read", "psync", 1, block, true),
            ));
            // As ours: threads that wait for one block each. For a second: the page cache has no part in it.
            let threads = Fio { direct: true, jobs: DEPTH, ..fio("randread", "psync", 1, bytes, false) };
            pairs.push((
                format!("bench io: random blocks of {bytes} bytes, past the page cache, {DEPTH} in flight"),
                Box::new(RandomReadProbe::cold(file, DEPTH, bytes, 1)),
                threads,
            ));
        }
        pairs
    }

    pub(super) fn blocks(&self, directory: &Path) -> Result<Vec<Agreement>> {
        let file = LargeFile::create(directory, FILE_BYTES, Duration::MAX, 1);
        let file = Arc::new(file.context("cannot make the test file")?);
        let mut pairs = self.block_pairs(&file);
        let mut agreements: Vec<_> = pairs
            .iter()
            .map(|(what, _, fio)| Agreement::new(what.clone(), fio.shown(), READ_BOUND))
            .collect();
        for round in 0..=self.rounds {
            for (agreement, (_, probe, fio)) in agreements.iter_mut().zip(&mut pairs) {
                eprintln!("{}, round {round}", agreement.what);
                if !fio.cold && !fio.direct {
                    let theirs = || fio.rate_of_processor(directory);
                    agreement.add(round, beside(|| done(probe.as_mut()), theirs)?);
                    continue;
                }
                let drops = || if fio.cold { drop_caches() } else { Ok(()) };
                let ours = || {
                    drops()?;
                    if fio.cold {
                        ensure!(settle_command()?.status()?.success(), "no memory to settle");
                    }
                    bytes_per_second(probe.as_mut())
                };
                let theirs = || {
                    drops()?;
                    fio.rate(directory)
                };
                agreement.add(round, in_turns(round, ours, theirs)?);
            }
        }
        Ok(agreements)
    }

    /// What all words of a file come to by XOR: as `bench io` finds it with one thread and with several, and as a program
    /// finds it that goes byte by byte.
    pub(super) fn xor(&self, directory: &Path) -> Result<Vec<Equality>> {
        let program = directory.join("xor32");
        let source = workspace().join("bench/agree/xor32.c");
        let built = Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(&source).status();
        ensure!(built.context("cannot run cc")?.success(), "{} cannot be compiled", source.display());
        // No whole word at its end.
        let file = LargeFile::create(directory, XOR_BYTES, Duration::MAX, 1);
        let file = Arc::new(file.context("cannot make the test file")?);
        let path = file.path().to_string_lossy().replace("/self/", &format!("/{}/", std::process::id()));
        let output = Command::new(&program).arg(path).stdin(Stdio::null()).output()?;
        ensure!(output.status.success(), "xor32: {}", String::from_utf8_lossy(&output.stderr));
        let theirs = String::from_utf8(output.stdout)?.trim().to_owned();
        let found = |threads: usize| {
            let mut probe =
                BlockProbe::warm(&file, threads, BLOCK_BYTES[1]).combining(&ExpectedXor::default());
            rate(&mut probe, TIME)?;
            let ours = probe.digest().context("no XOR was found")?;
            let what = format!("bench io: XOR of {XOR_BYTES} bytes, {threads} at once");
            Ok(Equality { what, other: "bench/agree/xor32.c".to_owned(), ours, theirs: theirs.clone() })
        };
        [1, 2, 7].into_iter().map(found).collect()
    }

    pub(super) fn programs(&self, directory: &Path) -> Result<Vec<Agreement>> {
        let files = NamedFiles::create(directory).context("cannot make the test file")?;
        let file = files.add("input", PROGRAM_BYTES, 1).context("cannot make the test file")?;
        let mut agreements: Vec<_> = COMMANDS
            .iter()
            .map(|command| {
                Agreement::new(
                    format!("bench variant: {command} of {PROGRAM_BYTES} bytes"),
                    format!("hyperfine -N --warmup 1 --runs 1 '{command} FILE'"),
                    VARIANT_BOUND,
                )
            })
            .collect();
        let _one = OneProcessor::hold()?;
        for round in 0..=self.rounds * RUNS {
            for (agreement, command) in agreements.iter_mut().zip(COMMANDS) {
                if round.is_multiple_of(RUNS) {
                    eprintln!("{}, round {}", agreement.what, round / RUNS);
                }
                let ours = || variant_rate(directory, command);
                let theirs = || hyperfine_rate(directory, &format!("{command} {}", file.path().display()));
                agreement.add(round, in_turns(round, ours, theirs)?);
            }
        }
        Ok(agreements)
    }
}

/// The rate of a probe, also of one whose figure is a time.
fn bytes_per_second(probe: &mut dyn Probe) -> Result<f64> {
    let figure = rate(probe, TIME)?;
    Ok(match (probe.unit(), probe.cell().block_bytes) {
        (Unit::NanosecondsPerOperation, Some(bytes)) => bytes as f64 / figure * 1e9,
        _ => figure,
    })
}

/// `openssl speed` beside itself.
fn both(theirs: impl Fn() -> Result<f64> + Sync) -> Result<(f64, f64)> {
    let _one = OneProcessor::hold()?;
    thread::scope(|scope| {
        let one = scope.spawn(&theirs);
        let other = theirs()?;
        Ok((one.join().expect("it does not panic")?, other))
    })
}

/// `bench variant` with one command, run once after it was run for nothing.
fn variant_rate(directory: &Path, command: &str) -> Result<f64> {
    let study = Variants {
        brief: Brief { quick: true, ..brief(directory, Duration::ZERO) },
        variants: vec![Variant {
            name: command.to_owned(),
            command: vec![command.to_owned()],
            by_shell: false,
            setup: None,
            directory: None,
        }],
        inputs: Inputs::Files { sizes: vec![PROGRAM_BYTES], cold: false },
        ignores_failure: false,
        result: Finder::Digits,
        limit: Duration::from_secs(60),
    };
    let compared = study.run(&mut Alone).map_err(anyhow::Error::msg)?;
    let figure = measured(&compared.run)?.figure.context("it was measured")?;
    Ok(PROGRAM_BYTES as f64 / figure.median * 1e9)
}

fn hyperfine_rate(directory: &Path, command: &str) -> Result<f64> {
    let result = directory.join("hyperfine.json");
    let output = Command::new("hyperfine")
        .args(["-N", "--warmup", "1", "--runs", "1", "--export-json"])
        .args([result.as_os_str(), command.as_ref()])
        .stdin(Stdio::null())
        .output()
        .context("cannot run hyperfine; `cargo xtask setup` installs it")?;
    ensure!(output.status.success(), "hyperfine: {}", String::from_utf8_lossy(&output.stderr));
    let result: serde_json::Value = serde_json::from_slice(&std::fs::read(&result)?)?;
    let seconds = result["results"][0]["median"].as_f64().context("hyperfine has written no median")?;
    ensure!(seconds > 0.0, "hyperfine has timed nothing");
    Ok(PROGRAM_BYTES as f64 / seconds)
}
