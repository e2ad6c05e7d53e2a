//! The programs, as they are run, and what they print.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use wait4::Wait4 as _;
use xtask::cargo::target_directory;

use super::server::{KEY, SECRET};
use crate::peers::memory::reset_own_peak;
use crate::shipped;

/// A program that reads objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// `hashlane sum`.
    Hashlane,
    /// A loop over object_store, without digests.
    Bare,
    /// `rclone hashsum sha256 --download`.
    Rclone,
    /// `aws s3 cp - | sha256sum` for each object.
    Aws,
}

/// One run.
pub(super) struct Run {
    pub(super) seconds: f64,
    pub(super) peak_bytes: u64,
    pub(super) printed: String,
}

impl Program {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hashlane => "hashlane sum",
            Self::Bare => "bare loop",
            Self::Rclone => "rclone hashsum sha256 --download",
            Self::Aws => "aws s3 cp - | sha256sum",
        }
    }

    /// Reads all objects of a bucket.
    pub(super) fn run(self, url: &str, bucket: &str, scratch: &Path) -> Result<Run> {
        let mut command = self.command(url, bucket)?;
        let output = scratch.join("printed");
        command
            .env("AWS_ACCESS_KEY_ID", KEY)
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .env("AWS_REGION", "us-east-1")
            .env("HOME", scratch)
            .env_remove("AWS_CA_BUNDLE")
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(Stdio::null());
        let own_bytes = reset_own_peak();
        let start = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let used = child.wait4().context("cannot wait")?;
        let seconds = start.elapsed().as_secs_f64();
        ensure!(used.status.success(), "{command:?} ended with {}", used.status);
        let peak_bytes = used.rusage.maxrss;
        ensure!(
            self != Self::Hashlane || peak_bytes > own_bytes,
            "sum took less than the {own_bytes} bytes of this process, so its peak cannot be told"
        );
        Ok(Run { seconds, peak_bytes, printed: fs::read_to_string(&output)? })
    }

    fn command(self, url: &str, bucket: &str) -> Result<Command> {
        let prefix = format!("s3://{bucket}");
        let mut command = match self {
            Self::Hashlane => Command::new(shipped::command()?),
            Self::Bare => Command::new(std::env::current_exe()?),
            Self::Rclone => Command::new("rclone"),
            Self::Aws => Command::new("sh"),
        };
        match self {
            Self::Hashlane => command.args(["sum", "-q", "--endpoint", url, &prefix]),
            Self::Bare => command.args(["bare-objects", "--endpoint", url, bucket]),
            Self::Rclone => {
                let remote = format!(
                    ":s3,provider=Other,env_auth=true,force_path_style=true,endpoint='{url}':{bucket}"
                );
                // As many as the others have on their way.
                command.args(["hashsum", "sha256", "--download", "--checkers", "32", &remote])
            }
            Self::Aws => {
                let aws = aws()?;
                let aws = aws.to_str().context("the path of aws is not text")?;
                let each = format!(
                    "printf '%s  %s\\n' \"$({aws} --endpoint-url {url} s3 cp {prefix}/$1 - | sha256sum | cut -c1-64)\" $1"
                );
                let all = format!(
                    "seq -f %05g 0 15 | xargs -P 2 -I{{}} sh -c '{}' sh {{}}",
                    each.replace('\'', "'\\''")
                );
                command.args(["-c", &all])
            }
        };
        Ok(command)
    }

    /// The digests in what a run has printed, by the names of the objects; `None` of the loop that has none. It has read all of them.
    pub(super) fn digests(
        self,
        printed: &str,
        objects: usize,
        bytes: u64,
    ) -> Result<Option<BTreeMap<String, String>>> {
        if self == Self::Bare {
            ensure!(printed.trim() == format!("{objects} {bytes}"), "the loop has read {printed:?}");
            return Ok(None);
        }
        let mut digests = BTreeMap::new();
        for line in printed.lines() {
            let Some((digest, name)) = line.split_once("  ") else { bail!("{}: {line:?}", self.name()) };
            let name = name.rsplit('/').next().unwrap_or(name);
            digests.insert(name.to_owned(), digest.to_owned());
        }
        Ok(Some(digests))
    }
}

/// What `cargo xtask objects` has installed.
fn aws() -> Result<PathBuf> {
    Ok(target_directory()?.join("tools/aws/bin/aws"))
}

/// Which programs these are.
pub(super) fn versions() -> Result<Vec<String>> {
    let first_line = |command: &mut Command| -> Result<String> {
        let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
    };
    Ok(vec![
        first_line(Command::new(shipped::command()?).arg("--version"))?,
        "object_store 0.14 (32 at a time)".to_owned(),
        first_line(Command::new("rclone").arg("version"))?,
        first_line(Command::new(aws()?).arg("--version"))?,
    ])
}
