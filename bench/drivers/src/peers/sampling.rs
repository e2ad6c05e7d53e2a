//! One timing of one job: a program, or a digest of memory in this process.
//!
//! Owns how time, processor time and memory are taken; knows nothing of rounds and statistics. The timed span reaches
//! from before the start of the program to its end; nothing is polled while a sample is timed unless asked for.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use hashlane_digest::{Algorithm, Backend};
use hashlane_measure::{LanesProbe, Probe as _, Stopwatch};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use wait4::Wait4 as _;

use super::memory::{self, Watch};
use super::random::Random;
use super::run::Sample;
use crate::agree::parse_rate;

/// A program with its arguments, started in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    /// Looked up in the search path.
    pub(crate) program: OsString,
    /// As they are passed.
    pub(crate) arguments: Vec<OsString>,
    /// Where it starts.
    pub(crate) folder: PathBuf,
    /// As it is shown.
    pub(crate) shown: String,
    /// Bytes of input.
    pub(crate) bytes: u64,
    /// A status other than 0 is expected, because the program leaves some files out.
    pub(crate) may_fail: bool,
}

/// Something that can be timed.
#[derive(Clone, Debug)]
pub(crate) enum Job {
    /// Runs a program.
    Program(Invocation),
    /// Digests memory in this process, on one thread.
    Digest(DigestJob),
    /// Digests messages side by side in this process, on one thread.
    Lanes(LanesJob),
    /// Lets openssl measure itself: program and name of the algorithm.
    OpensslSpeed(String),
    /// Lets fio measure itself as it reads one file of a folder from end to end: the file's name and bytes.
    Fio { folder: PathBuf, name: String, bytes: u64 },
}

/// Digesting as many messages as a backend takes at once, over and over, all of them in the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanesJob {
    /// The algorithm.
    pub(crate) algorithm: Algorithm,
    /// The backend.
    pub(crate) backend: Backend,
    /// Messages at once.
    pub(crate) messages: usize,
    /// Least length of a sample.
    pub(crate) time: Duration,
}

/// Digesting one piece of memory over and over.
#[derive(Clone, Debug)]
pub(crate) struct DigestJob {
    /// The algorithm.
    pub(crate) algorithm: Algorithm,
    /// Length of the piece.
    pub(crate) block_bytes: usize,
    /// Zeros, or data.
    pub(crate) zeros: bool,
    /// When to stop.
    pub(crate) amount: Amount,
}

/// When a digest job ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amount {
    /// After that many bytes, rounded up to a block.
    Bytes(u64),
    /// After the first block past that time.
    Time(Duration),
}

/// Where the output of a program goes.
#[derive(Debug)]
pub(crate) enum Output {
    /// Nowhere.
    Dropped,
    /// To this file.
    Kept(File),
}

impl Job {
    /// How it is called, for people.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Program(invocation) => invocation.shown.clone(),
            Self::Digest(job) => {
                let what = if job.zeros { "zeros" } else { "data" };
                format!("{} of {} KiB of {what} in cache, one thread", job.algorithm, job.block_bytes / 1024)
            }
            Self::Lanes(LanesJob { algorithm, backend, messages, .. }) => {
                format!("{algorithm} by {backend}, {messages} x 16 KiB in cache, one thread")
            }
            Self::OpensslSpeed(algorithm) => format!("openssl {}", speed_arguments(algorithm).join(" ")),
            Self::Fio { name, .. } => format!("fio {}", fio_arguments(name).join(" ")),
        }
    }

    /// One sample.
    pub(crate) fn sample(&self, round: usize) -> Result<Sample> {
        match self {
            Self::Program(invocation) => invocation.measure(round, Output::Dropped),
            Self::Digest(job) => Ok(job.measure(round)),
            Self::Lanes(job) => job.measure(round),
            Self::OpensslSpeed(algorithm) => openssl_speed(algorithm, round),
            Self::Fio { folder, name, bytes } => fio(folder, name, *bytes, round),
        }
    }

    /// The peak of the memory of all processes together, from a run that is not timed.
    pub(crate) fn peak_memory_bytes(&self) -> Result<Option<u64>> {
        let Self::Program(invocation) = self else {
            self.sample(0)?;
            return Ok(None);
        };
        let mut command = invocation.command();
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().with_context(|| self.shown())?;
        let watch = Watch::start(child.id());
        child.wait()?;
        Ok(watch.stop())
    }
}

impl Invocation {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
        // What was found out about this machine before decides nothing here.
        command.env("HASHLANE_CACHE", "/dev/null/none");
        command
    }

    /// Runs it once.
    pub(crate) fn measure(&self, round: usize, output: Output) -> Result<Sample> {
        let mut command = self.command();
        command.stderr(Stdio::null()).stdout(match output {
            Output::Dropped => Stdio::null(),
            Output::Kept(file) => Stdio::from(file),
        });
        let floor = memory::reset_own_peak();
        let start = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot run {}", self.shown))?;
        let id = Pid::from_child(&child);
        // The process is left a zombie, so that the kernel's account of it can still be read.
        waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).context("cannot wait")?;
        let wall = start.elapsed();
        let read_bytes = bytes_read(child.id());
        let used = child.wait4().context("cannot wait")?;
        if !used.status.success() && !self.may_fail {
            bail!("{} ended with {}", self.shown, used.status);
        }
        Ok(Sample {
            round,
            wall_ns: wall.as_nanos() as u64,
            user_ns: used.rusage.utime.as_nanos() as u64,
            sys_ns: used.rusage.stime.as_nanos() as u64,
            bytes: self.bytes,
            max_rss_bytes: Some(used.rusage.maxrss).filter(|peak| *peak > floor),
            read_bytes,
        })
    }
}

impl DigestJob {
    /// Digests until the amount is reached.
    pub(crate) fn measure(&self, round: usize) -> Sample {
        let mut block = vec![0; self.block_bytes];
        if !self.zeros {
            Random::new(1).fill(&mut block);
        }
        let mut hasher = self.algorithm.hasher();
        // Brings code and data into the caches.
        hasher.update(&block);
        black_box(hasher.finish());
        let mut bytes = 0;
        let start = Instant::now();
        loop {
            hasher.update(black_box(&block));
            bytes += block.len() as u64;
            let enough = match self.amount {
                Amount::Bytes(wanted) => bytes >= wanted,
                Amount::Time(wanted) => start.elapsed() >= wanted,
            };
            if enough {
                break;
            }
        }
        black_box(hasher.finish());
        let wall_ns = start.elapsed().as_nanos() as u64;
        // One thread that never waits: its processor time is the elapsed time.
        Sample { round, wall_ns, user_ns: wall_ns, sys_ns: 0, bytes, max_rss_bytes: None, read_bytes: None }
    }
}

impl LanesJob {
    /// Digests until the time is up.
    fn measure(&self, round: usize) -> Result<Sample> {
        let probe = LanesProbe::new(self.algorithm, self.backend, self.messages);
        let mut probe = probe.context("this CPU has no such kernel")?;
        // Brings code and data into the caches, and shows how long one turn takes.
        let mut watch = Stopwatch::start();
        let mut repeats = 16;
        loop {
            let work = probe.run(repeats, &mut watch)?;
            let elapsed = watch.elapsed();
            if elapsed.wall_ns >= self.time.as_nanos() as u64 {
                let (wall_ns, user_ns, sys_ns) = (elapsed.wall_ns, elapsed.user_ns, elapsed.sys_ns);
                let bytes = work.bytes;
                return Ok(Sample {
                    round,
                    wall_ns,
                    user_ns,
                    sys_ns,
                    bytes,
                    max_rss_bytes: None,
                    read_bytes: None,
                });
            }
            let factor = self.time.as_nanos() as f64 / elapsed.wall_ns.max(1) as f64 * 1.1;
            repeats = (repeats as f64 * factor).ceil() as u64;
        }
    }
}

/// As it reads a file that is in no cache at its best through the page cache; the cache is emptied by the caller.
fn fio_arguments(name: &str) -> Vec<String> {
    let fixed = "--name=peers --rw=read --output-format=json --ioengine=psync --bs=512k --invalidate=0 --thread \
                 --allow_file_create=0";
    let file = format!("--filename={name}");
    fixed.split_whitespace().map(str::to_owned).chain([file]).collect()
}

/// What fio says of itself, without the time that it takes to start.
fn fio(folder: &Path, name: &str, bytes: u64, round: usize) -> Result<Sample> {
    let mut command = Command::new("fio");
    command.args(fio_arguments(name)).current_dir(folder).stdin(Stdio::null());
    let output = command.output().context("cannot run fio")?;
    ensure!(output.status.success(), "fio ended with {}", output.status);
    let rate = parse_rate(&output.stdout)?;
    let wall_ns = (bytes as f64 * 1e9 / rate) as u64;
    Ok(Sample { round, wall_ns, user_ns: 0, sys_ns: 0, bytes, max_rss_bytes: None, read_bytes: None })
}

/// Without `-elapsed` its rate is of processor time, where ours is of elapsed time.
fn speed_arguments(algorithm: &str) -> [&str; 9] {
    ["speed", "-elapsed", "-mr", "-seconds", "1", "-bytes", "1048576", "-evp", algorithm]
}

/// Its machine-readable result is `+F:<n>:<algorithm>:<bytes a second>`.
fn openssl_speed(algorithm: &str, round: usize) -> Result<Sample> {
    let mut command = Command::new("openssl");
    let output = command.args(speed_arguments(algorithm)).stdin(Stdio::null()).output();
    let output = output.context("cannot run openssl speed")?;
    ensure!(output.status.success(), "openssl speed ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let rate =
        parse_speed(&text).with_context(|| format!("no result in the output of openssl speed: {text}"))?;
    let second = 1_000_000_000;
    let bytes = rate as u64;
    Ok(Sample {
        round,
        wall_ns: second,
        user_ns: second,
        sys_ns: 0,
        bytes,
        max_rss_bytes: None,
        read_bytes: None,
    })
}

fn parse_speed(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("+F:"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// What the process and the children that it waited for took in by read calls, system calls of any kind.
fn bytes_read(process: u32) -> Option<u64> {
    let account = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    account.lines().find_map(|line| line.strip_prefix("rchar: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Invocation {
        Invocation {
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: "/".into(),
            shown: script.to_owned(),
            bytes: 10,
            may_fail: false,
        }
    }

    #[test]
    fn a_sample_counts_the_children_of_a_pipeline() {
        let script = "head -c 3000000 /dev/zero | cat | cat >/dev/null";
        let sample = shell(script).measure(4, Output::Dropped).expect("the shell works");
        assert_eq!((sample.round, sample.bytes), (4, 10));
        assert!(sample.wall_ns > 0);
        assert!(sample.read_bytes.is_none_or(|bytes| bytes >= 9_000_000), "{:?}", sample.read_bytes);
    }

    #[test]
    fn a_program_that_fails_is_no_sample() {
        assert!(shell("exit 3").measure(0, Output::Dropped).is_err());
        assert!(Invocation { may_fail: true, ..shell("exit 3") }.measure(0, Output::Dropped).is_ok());
    }

    #[test]
    fn a_digest_job_stops_at_its_amount() {
        let algorithm = Algorithm::SHA256;
        let job = DigestJob { algorithm, block_bytes: 4096, zeros: true, amount: Amount::Bytes(10_000) };
        assert_eq!(job.measure(0).bytes, 12_288);
        let job = DigestJob { amount: Amount::Time(Duration::from_millis(1)), ..job };
        assert!(job.measure(0).wall_ns >= 1_000_000);
    }

    #[test]
    fn openssl_is_asked_for_elapsed_time() {
        let shown = Job::OpensslSpeed("md5".to_owned()).shown();
        assert_eq!(shown, "openssl speed -elapsed -mr -seconds 1 -bytes 1048576 -evp md5");
    }

    #[test]
    fn the_rate_is_found_in_what_openssl_prints() {
        assert_eq!(parse_speed("+H:1048576\n+F:25:sha256:1814036480.00\n"), Some(1_814_036_480.0));
        assert_eq!(parse_speed("+H:1048576\n"), None);
    }
}
