//! The programs that the check-up is compared with, asked to do the same work.

#[cfg(feature = "libcrypto")]
mod libcrypto;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hashlane_io::Content;
use hashlane_measure::{Foreign, Probe, Stopwatch};

/// Blocks that take hardly longer than what fio does beside reading them.
const SMALL_BYTES: usize = 64 << 10;

/// The engine of fio that takes blocks for read and does nothing.
const NOTHING: &str = "null";

/// A reading by fio, of the whole file once if it is cold, for a second if it is warm.
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
        let rate = self.measured(directory, self.engine)?;
        if !self.net {
            return Ok(rate);
        }
        let own = self.measured(directory, NOTHING)?;
        ensure!(own > rate, "fio takes no longer to read than to read nothing");
        Ok(1.0 / (1.0 / rate - 1.0 / own))
    }

    fn measured(&self, directory: &Path, engine: &str) -> Result<f64> {
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
        parse_rate(&output.stdout)
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
            format!(", less the time that it takes with --ioengine={NOTHING}, in the same round")
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
            // As ours: any block again, and the time of each.
            arguments.push("--norandommap".to_owned());
        } else if self.block_bytes < SMALL_BYTES {
            // A clock that is read for each block takes as long as the block.
            arguments.push("--gtod_reduce=1".to_owned());
        }
        if !self.cold {
            arguments.extend(["--time_based", "--runtime=1"].map(str::to_owned));
        }
        arguments
    }
}

/// The rate in what fio has printed as JSON, in bytes a second.
pub(crate) fn parse_rate(output: &[u8]) -> Result<f64> {
    // Remarks may stand before the object.
    let start = output.iter().position(|&byte| byte == b'{').context("fio has printed no result")?;
    let result: serde_json::Value =
        serde_json::from_slice(&output[start..]).context("fio has printed no JSON")?;
    let rate =
        result["jobs"][0]["read"]["bw_bytes"].as_f64().context("no bw_bytes in what fio has printed")?;
    ensure!(rate > 0.0, "fio has read nothing");
    Ok(rate)
}

/// The rate of `openssl speed` for pieces of so many bytes, in bytes a second.
pub(super) fn openssl_rate(algorithm: &str, block_bytes: usize) -> Result<f64> {
    let bytes = block_bytes.to_string();
    let output = Command::new("openssl")
        .args(["speed", "-elapsed", "-mr", "-seconds", "1", "-bytes", &bytes, "-evp", algorithm])
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
