//! The programs that the check-up is compared with, asked to do the same work.

#[cfg(feature = "libcrypto")]
mod libcrypto;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hashlane_io::Content;
use hashlane_measure::{Foreign, Probe, Stopwatch};

use super::beside::Done;

/// Up to here the clock, read for each block, takes a good part of what a block takes.
const SMALL_BYTES: usize = 64 << 10;

/// Seconds that other programs take for a figure of theirs, where they share a processor with us.
const SHARED_SECONDS: u32 = 3;

/// The engine of fio that takes blocks for read and does nothing.
const NOTHING: &str = "null";

/// A reading by fio, of the whole file once if it is cold, for some seconds if it is warm.
#[derive(Debug)]
pub(super) struct Fio {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// `read` or `randread`.
    pub(super) pattern: &'static str,
    pub(super) engine: &'static str,
    pub(super) direct: bool,
    pub(super) jobs: usize,
    /// Requests in flight, of each job.
    pub(super) depth: usize,
    pub(super) block_bytes: usize,
    pub(super) cold: bool,
    /// Whether the time is left out that fio takes for a block beside reading it: what it takes with an engine that reads
    /// nothing. That is much of what a block of 4 KiB takes that is in memory.
    pub(super) net: bool,
}

impl Fio {
    /// The rate in bytes a second. What fio writes beside it goes to `directory`.
    pub(super) fn rate(&self, directory: &Path) -> Result<f64> {
        parse_rate(&self.output(directory, self.engine)?)
    }

    /// The rate in bytes a second of processor time.
    pub(super) fn rate_of_processor(&self, directory: &Path) -> Result<f64> {
        let done = |engine| parse_done(&self.output(directory, engine)?)?.rate();
        if !self.net {
            return done(self.engine);
        }
        // At once, so that both find the same machine.
        let (rate, own) = thread::scope(|scope| {
            let own = scope.spawn(|| done(NOTHING));
            (done(self.engine), own.join().expect("it does not panic"))
        });
        let (rate, own) = (rate?, own?);
        ensure!(own > rate, "fio takes no longer to read than to read nothing");
        Ok(1.0 / (1.0 / rate - 1.0 / own))
    }

    fn output(&self, directory: &Path, engine: &str) -> Result<Vec<u8>> {
        // The file has no name; fio opens it as this process has it open.
        let path = self.path.to_string_lossy().replace("/self/", &format!("/{}/", std::process::id()));
        let output = Command::new("fio")
            .args(self.arguments(engine))
            .args(self.settled()?)
            .current_dir(directory)
            // Buffers in huge pages, as ours are: into scattered pages a virtual disk writes half as fast, and to what does
            // not begin with a page the kernel copies half as fast.
            .env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
            .arg(format!("--filename={path}"))
            .stdin(Stdio::null())
            .output()
            .context("cannot run fio; `cargo xtask setup` installs it")?;
        ensure!(
            output.status.success(),
            "fio ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(output.stdout)
    }

    /// As our own reading is prepared: see `settle`.
    fn settled(&self) -> Result<Option<String>> {
        if !self.cold {
            return Ok(None);
        }
        let command = super::settle_command()?;
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        Ok(Some(format!("--exec_prerun={}", words.join(" "))))
    }

    /// How it is called, without the file.
    pub(super) fn shown(&self) -> String {
        let net = if self.net {
            format!(", less the time that it takes with --ioengine={NOTHING}, both at once")
        } else {
            String::new()
        };
        format!("GLIBC_TUNABLES=glibc.malloc.hugetlb=1 fio {}{net}", self.arguments(self.engine).join(" "))
    }

    fn arguments(&self, engine: &str) -> Vec<String> {
        // Each job reads its part, or anywhere.
        let is_random = self.pattern == "randread";
        let jobs = if is_random { 1 } else { self.jobs };
        let share = self.bytes / jobs as u64 / self.block_bytes as u64 * self.block_bytes as u64;
        let mut arguments = vec![
            "--name=agree".to_owned(),
            format!("--rw={}", self.pattern),
            "--output-format=json".to_owned(),
            "--group_reporting".to_owned(),
            "--thread".to_owned(),
            "--allow_file_create=0".to_owned(),
            "--iomem_align=2m".to_owned(),
            format!("--ioengine={engine}"),
            format!("--direct={}", u8::from(self.direct)),
            format!("--bs={}", self.block_bytes),
            format!("--iodepth={}", self.depth),
            format!("--numjobs={}", self.jobs),
            format!("--size={share}"),
            format!("--offset_increment={}", if is_random { 0 } else { share }),
            format!("--invalidate={}", u8::from(self.cold)),
        ];
        if is_random {
            // As ours: any block again, and one time of each, not three.
            arguments.extend(["--norandommap", "--disable_slat=1", "--disable_lat=1"].map(str::to_owned));
        } else if self.block_bytes <= SMALL_BYTES {
            // Ours reads no clock for each block either.
            arguments.push("--gtod_reduce=1".to_owned());
        }
        if !self.cold {
            // Starting takes processor time too, and is not counted within the first second.
            let runtime = format!("--runtime={SHARED_SECONDS}");
            arguments.extend(["--time_based".to_owned(), "--ramp_time=1".to_owned(), runtime]);
        }
        arguments
    }
}

fn parse(output: &[u8]) -> Result<serde_json::Value> {
    // Remarks may stand before the object.
    let start = output.iter().position(|&byte| byte == b'{').context("fio has printed no result")?;
    serde_json::from_slice(&output[start..]).context("fio has printed no JSON")
}

/// What was read by what fio has printed as JSON, and the processor time that it took.
fn parse_done(output: &[u8]) -> Result<Done> {
    let result = parse(output)?;
    let job = &result["jobs"][0];
    let number = |value: &serde_json::Value, name: &str| {
        value[name].as_f64().with_context(|| format!("no {name} in what fio has printed"))
    };
    // Shares of the time that the job took, in hundredths; that is in milliseconds.
    let share = number(job, "usr_cpu")? + number(job, "sys_cpu")?;
    Ok(Done {
        bytes: number(&job["read"], "io_bytes")?,
        seconds: share / 100.0 * number(job, "job_runtime")? / 1e3,
    })
}

/// The rate in what fio has printed as JSON, in bytes a second.
pub(crate) fn parse_rate(output: &[u8]) -> Result<f64> {
    let result = parse(output)?;
    let rate =
        result["jobs"][0]["read"]["bw_bytes"].as_f64().context("no bw_bytes in what fio has printed")?;
    ensure!(rate > 0.0, "fio has read nothing");
    Ok(rate)
}

/// How `openssl speed` is called for pieces of `block_bytes` bytes. It counts processor time, as it does where nothing else is said.
pub(super) fn openssl_arguments(algorithm: &str, block_bytes: usize) -> String {
    format!("speed -seconds {SHARED_SECONDS} -bytes {block_bytes} -evp {algorithm}")
}

/// The rate of `openssl speed` for pieces of `block_bytes` bytes, in bytes a second of processor time.
pub(super) fn openssl_rate(algorithm: &str, block_bytes: usize) -> Result<f64> {
    let output = Command::new("openssl")
        .args(openssl_arguments(algorithm, block_bytes).split(' '))
        .arg("-mr")
        .stdin(Stdio::null())
        .output()
        .context("cannot run openssl speed")?;
    ensure!(output.status.success(), "openssl speed ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let line =
        text.lines().find(|line| line.starts_with("+F:")).context("openssl speed has printed no result")?;
    let rate = line.rsplit(':').next().and_then(|rate| rate.trim().parse().ok());
    rate.context("openssl speed has printed no rate")
}

/// What `openssl` calls an algorithm of ours.
pub(super) fn evp_name(name: &str) -> &str {
    if name == "blake2b" { "blake2b512" } else { name }
}

/// The very code that `openssl speed` times.
///
/// # Errors
/// This program was built without it, or it has no such algorithm.
pub(super) fn libcrypto_probe(name: &'static str) -> Result<Box<dyn Probe>> {
    #[cfg(feature = "libcrypto")]
    return Ok(Box::new(libcrypto::LibcryptoProbe::new(name)?));
    #[cfg(not(feature = "libcrypto"))]
    anyhow::bail!("{name} of libcrypto is not built in; run `cargo xtask agree` without --measuring");
}

/// The same code as a function of others, for `bench speed`.
///
/// # Errors
/// Likewise.
pub(super) fn libcrypto_function(name: &'static str) -> Result<Foreign> {
    #[cfg(feature = "libcrypto")]
    return libcrypto::function(name);
    #[cfg(not(feature = "libcrypto"))]
    anyhow::bail!("{name} of libcrypto is not built in; run `cargo xtask agree` without --measuring");
}

/// The rate of the library of b3sum in a loop of its own, in bytes a second.
pub(super) fn blake3_rate(time: Duration, block_bytes: usize) -> f64 {
    let piece = piece(block_bytes);
    let mut hasher = blake3::Hasher::new();
    let watch = Stopwatch::start();
    let mut pieces = 0u64;
    // The clock is read once in a hundred pieces.
    while u128::from(watch.elapsed().wall_ns) < time.as_nanos() {
        (0..100).for_each(|_| _ = hasher.update(&piece));
        pieces += 100;
    }
    let elapsed = watch.elapsed().wall_ns;
    std::hint::black_box(hasher.finalize());
    (pieces * block_bytes as u64) as f64 * 1e9 / elapsed as f64
}

/// Bytes to digest, no two pages of them alike.
fn piece(bytes: usize) -> Vec<u8> {
    let mut piece = vec![0; bytes];
    Content::seeded(1).fill(0, &mut piece);
    piece
}

/// Versions of the other programs.
pub(super) fn versions() -> Vec<String> {
    let version = |program: &str, argument: &str| {
        let output = Command::new(program).arg(argument).stdin(Stdio::null()).output().ok()?;
        String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
    };
    [version("openssl", "version"), version("fio", "--version"), version("hyperfine", "--version")]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_fio_is_found() {
        let output = b"note: a remark\n{\"jobs\": [{\"read\": {\"bw_bytes\": 1234567}}]}";
        assert_eq!(parse_rate(output).expect("it is there"), 1_234_567.0);
        assert!(parse_rate(b"nothing").is_err());
        assert!(parse_rate(b"{\"jobs\": []}").is_err());
    }
}
