//! One flipped bit in a large collection: by a write after which the time was set back, and below the file system.
//!
//! The disk holds the collection once: it lies in the image in which a bit is flipped.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::SETTLED;
use crate::damage;
use crate::images::{self, Image};
use crate::sizes::has_room;
use crate::trees::Shape;

/// Files of the collection.
const DEPTH: u32 = 2;
const DIRECTORIES: u32 = 4;
const FILES: u32 = 16;

/// The bit that is flipped in the second half of a file.
const BIT: u32 = 4;

/// Flips a bit by each injection, and has it found. True if all that is to be said is said.
pub(super) fn find(hashlane: &Path, scratch: &Path, bytes: u64) -> Result<bool> {
    let number = u64::from(DIRECTORIES.pow(DEPTH) * FILES);
    let length = (bytes / number).max(2);
    let shape =
        Shape { depth: DEPTH, directories: DIRECTORIES, files: FILES, length: (length, length), seed: 1 };
    has_room(scratch, bytes + bytes / 10)?;
    let mut image = match images::obstacle() {
        None => Some(Image::make(&scratch.join("image"), &scratch.join("mounted"), bytes)?),
        Some(obstacle) => {
            println!("SKIPPED: damage below the file system: {obstacle}");
            None
        }
    };
    let root = image.as_ref().map_or(scratch, Image::place).join("tree");
    let made = shape.make(&root)?;
    println!("{} files, {} bytes", made.files, made.bytes);
    thread::sleep(SETTLED);
    let case = Case { hashlane, scratch, root };
    case.end(&["collection", "add", "one-bit"], true)?;
    let (code, _) = case.audit()?;
    ensure!(code == 0, "the first audit ended with {code}");
    let names = shape.names();
    let (written, below) = (&names[names.len() / 3], &names[names.len() * 2 / 3]);
    let byte = length / 2 + length / 5;
    let mut is_right = case.by_a_write(written, byte)?;
    if let Some(image) = &mut image {
        let inode = fs::metadata(case.root.join(below))?.ino();
        let good = sum(&case.root.join(below))?;
        image.flip(inode, byte, BIT)?;
        is_right &= case.is_found("below the file system", below, &good)?;
    }
    Ok(is_right)
}

/// A collection, and who audits it.
struct Case<'a> {
    hashlane: &'a Path,
    scratch: &'a Path,
    root: PathBuf,
}

impl Case<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.hashlane);
        command.args(arguments).env("HASHLANE_CATALOG", self.scratch.join("catalog.sqlite"));
        command.env("HASHLANE_CACHE", self.scratch.join("cache")).env("TMPDIR", self.scratch);
        command.stdin(Stdio::null());
        command
    }

    fn end(&self, arguments: &[&str], with_root: bool) -> Result<()> {
        let mut command = self.command(arguments);
        command.args(with_root.then_some(&self.root));
        let output = command.output()?;
        ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Audits all of it: the exit code, and the findings.
    fn audit(&self) -> Result<(i32, Vec<Value>)> {
        let start = Instant::now();
        let output = self.command(&["audit", "--format", "json", "one-bit"]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        println!("audited in {:.1} s", start.elapsed().as_secs_f64());
        let findings = lines.into_iter().filter(|line| line["type"] == "finding");
        Ok((output.status.code().context("the audit was killed")?, findings.collect()))
    }

    /// Flips a bit and sets the time back; mends the file when it was found.
    fn by_a_write(&self, name: &str, byte: u64) -> Result<bool> {
        let path = self.root.join(name);
        let good = sum(&path)?;
        damage::keeping_time(&path, |path| damage::flip(path, byte, BIT))?;
        let is_right = self.is_found("by a write, time set back", name, &good)?;
        damage::keeping_time(&path, |path| damage::flip(path, byte, BIT))?;
        thread::sleep(SETTLED);
        let (code, findings) = self.audit()?;
        println!("mended: exit code {code}, {} findings", findings.len());
        Ok(is_right && code == 0 && findings.is_empty())
    }

    /// Whether an audit finds exactly this file corrupt, and says all that there is to say of it.
    fn is_found(&self, how: &str, name: &str, good: &str) -> Result<bool> {
        let bad = sum(&self.root.join(name))?;
        let (code, findings) = self.audit()?;
        println!("one bit of {name}, {how}: exit code {code}");
        let mut checks = vec![("exit code 8", code == 8), ("one finding", findings.len() == 1)];
        if let Some(finding) = findings.first() {
            println!("{finding:#}");
            let (known, seen) =
                (&finding["known"]["digests"]["sha256"], &finding["seen"]["digests"]["sha256"]);
            let again = &finding["seen"]["again"][0];
            checks.extend([
                ("corrupt", finding["verdict"] == "corrupt"),
                ("its path", finding["path"] == name),
                ("the digest that is known", known == good),
                ("the digest that was read", seen == &bad),
                (
                    "the digest of the second reading",
                    again.as_str().is_some_and(|again| again.ends_with(&bad)),
                ),
                ("where the second reading came from", finding["seen"]["reading"].is_string()),
            ]);
        }
        for (what, is_right) in &checks {
            println!("{}: {what}", if *is_right { "right" } else { "WRONG" });
        }
        Ok(checks.iter().all(|(_, is_right)| *is_right))
    }
}

/// What coreutils says of a file.
fn sum(path: &Path) -> Result<String> {
    let output = Command::new("sha256sum").arg(path).output().context("cannot run sha256sum")?;
    let line = String::from_utf8(output.stdout)?;
    Ok(line.split_whitespace().next().context("sha256sum said nothing")?.to_owned())
}
