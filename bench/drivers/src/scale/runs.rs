//! What whole programs take for inputs of millions of rows that come through a pipe.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use wait4::Wait4 as _;

use super::moved;
use super::rows::{name, write_gnu, write_lookups, write_nsrl};
use crate::figures::{Bound, Figure};
use crate::peers::memory::reset_own_peak;

/// What a record that is held may take besides its name and digests (the bar).
const MOST_HELD: f64 = 24.0;

/// More than any list here takes.
const IN_MEMORY: [&str; 2] = ["--memory", "64GiB"];

/// What an index may take for a digest (the bar).
const MOST_INDEXED: f64 = 40.0;

pub(super) const MIB: f64 = (1 << 20) as f64;

/// What a program used.
pub(super) struct Used {
    pub(super) wall_s: f64,
    pub(super) processor_s: f64,
    pub(super) peak_bytes: u64,
    pub(super) code: Option<i32>,
}

/// Runs a program on what `write` writes to it; what it prints is passed over.
pub(super) fn run(
    command: &mut Command,
    write: impl FnOnce(&mut ChildStdin) -> io::Result<()> + Send + 'static,
) -> Result<Used> {
    let own_bytes = reset_own_peak();
    let used = timed(command, write)?;
    ensure!(
        used.peak_bytes > own_bytes,
        "{command:?} took less than the {own_bytes} bytes of this process, so its peak cannot be told"
    );
    Ok(used)
}

/// The same where this process may be the larger one: the peak is that of the larger of the two.
pub(super) fn timed(
    command: &mut Command,
    write: impl FnOnce(&mut ChildStdin) -> io::Result<()> + Send + 'static,
) -> Result<Used> {
    let start = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let mut stdin = child.stdin.take().context("it has no standard input")?;
    let writer = thread::spawn(move || write(&mut stdin));
    let used = child.wait4().context("cannot wait")?;
    writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?.context("cannot write to it")?;
    Ok(Used {
        wall_s: start.elapsed().as_secs_f64(),
        processor_s: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
        code: used.status.code(),
    })
}

/// An audit of a tree that has another file and none of those listed: every record has to be held to the end.
pub(super) fn held(hashlane: &Path, scratch: &Path, rows: u64) -> Result<Vec<Figure>> {
    let tree = scratch.join("other tree");
    fs::create_dir_all(&tree)?;
    fs::write(tree.join("other"), b"not listed")?;
    let audit = |rows: u64, memory: &[&str]| {
        let mut command = Command::new(hashlane);
        command.args(["check", "--audit", "-q", "-a", "sha256", "--root", ".", "-"]).args(memory);
        command.current_dir(&tree).env("TMPDIR", scratch);
        let used = run(&mut command, move |out| write_gnu(out, rows))?;
        ensure!(used.code == Some(19), "the audit ended with {:?}, not with 19: new, missing", used.code);
        Ok(used)
    };
    // What the program takes without records is taken off.
    let (few, all) = (audit(1000, &IN_MEMORY)?, audit(rows, &IN_MEMORY)?);
    let on_disk = audit(rows, &[])?;
    let text: u64 = (0..rows).map(|row| name(row).len() as u64 + 32).sum();
    let besides = (all.peak_bytes as f64 - few.peak_bytes as f64 - text as f64) / rows as f64;
    Ok(vec![
        Figure::new("audit: peak memory with all records", "MiB", vec![all.peak_bytes as f64 / MIB]),
        Figure::new("audit: names and digests in it", "MiB", vec![text as f64 / MIB]),
        Figure::new("audit: memory a record besides name and digest", "B", vec![besides])
            .with_bar(Bound::AtMost, MOST_HELD),
        Figure::new("audit: records read, held and reported", "records/s", vec![rows as f64 / all.wall_s]),
        Figure::new("audit, all files missing: peak memory", "MiB", vec![on_disk.peak_bytes as f64 / MIB])
            .with_bar(Bound::AtMost, moved::MOST_MIB),
        Figure::new("audit, all files missing: records", "records/s", vec![rows as f64 / on_disk.wall_s]),
    ])
}

/// An index of NSRL's CSV, with sha1 and md5.
pub(super) fn known(hashlane: &Path, scratch: &Path, rows: u64) -> Result<Vec<Figure>> {
    let index = scratch.join("nsrl.known");
    let mut build = Command::new(hashlane);
    build.args(["known", "build", "-q", "-o"]).arg(&index).arg("-").env("TMPDIR", scratch);
    let built = run(&mut build, move |out| write_nsrl(out, rows))?;
    ensure!(built.code == Some(0), "known build ended with {:?}", built.code);
    let bytes = fs::metadata(&index)?.len() as f64;
    let lookups = (rows / 5).max(1000);
    let mut lookup = Command::new(hashlane);
    lookup.args(["known", "lookup"]).arg(&index);
    let looked_up = run(&mut lookup, move |out| write_lookups(out, lookups, rows))?;
    ensure!(
        looked_up.code == Some(1),
        "known lookup ended with {:?}: every second is unknown",
        looked_up.code
    );
    let mut verify = Command::new(hashlane);
    verify.args(["known", "info", "--verify"]).arg(&index);
    let verified = run(&mut verify, |_| Ok(()))?;
    ensure!(verified.code == Some(0), "known info --verify ended with {:?}", verified.code);
    fs::remove_file(&index)?;
    Ok(vec![
        Figure::new("known build: peak memory (--memory 256MiB)", "MiB", vec![built.peak_bytes as f64 / MIB]),
        Figure::new("known build: rows with sha1 and md5", "rows/s", vec![rows as f64 / built.wall_s]),
        Figure::new(
            "known build: the same, by processor time",
            "rows/s a core",
            vec![rows as f64 / built.processor_s],
        ),
        Figure::new("the index, for each digest", "B", vec![bytes / (2 * rows) as f64])
            .with_bar(Bound::AtMost, MOST_INDEXED),
        Figure::new(
            "known lookup: half of the digests are known",
            "lookups/s",
            vec![lookups as f64 / looked_up.wall_s],
        ),
        Figure::new("known lookup: peak memory", "MiB", vec![looked_up.peak_bytes as f64 / MIB]),
        Figure::new("known info --verify: every page", "MiB/s", vec![bytes / MIB / verified.wall_s]),
    ])
}
