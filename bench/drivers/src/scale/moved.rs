//! An audit of files that have all moved: every known file is gone, and every file that is there has another name.
//!
//! No disk holds ten million files for a measurement, so the audit is fed what a run would have read. It has a process of its own,
//! whose peak is that of the audit.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hashlane_audit::{Audit, Known, KnownFile, Options, Reading, Seen, Verdict};
use hashlane_digest::{Algorithm, Digest};

use super::rows::{name, push_digest};
use super::runs::{MIB, run};
use crate::figures::{Bound, Figure};

/// The most memory that the audit may take, in MiB (docs/decisions/0019-audits.md).
pub(super) const MOST_MIB: f64 = 256.0;

/// What `check --audit` gives an audit: 64 MiB.
const MEMORY: usize = 64 << 20;

/// Measures an audit of `rows` files in a process of its own.
pub(super) fn all_moved(scratch: &Path, rows: u64) -> Result<Vec<Figure>> {
    let mut command = Command::new(std::env::current_exe().context("cannot tell which program this is")?);
    command.args(["scale", "--moved", "--rows", &rows.to_string(), "--dir"]).arg(scratch);
    let used = run(&mut command, |_| Ok(()))?;
    ensure!(used.code == Some(0), "the audit ended with {:?}", used.code);
    Ok(vec![
        Figure::new("audit, all files moved: peak memory", "MiB", vec![used.peak_bytes as f64 / MIB])
            .with_bar(Bound::AtMost, MOST_MIB),
        Figure::new("audit, all files moved: files", "files/s", vec![rows as f64 / used.wall_s]),
        Figure::new(
            "audit, all files moved: the same, by processor time",
            "files/s a core",
            vec![rows as f64 / used.processor_s],
        ),
    ])
}

/// The audit. Every file has to be moved, and from where it was.
pub(super) fn audit(directory: &Path, rows: u64) -> Result<()> {
    let start = Instant::now();
    let sha256 = Algorithm::SHA256;
    let digest = |row: u64| -> Result<[Digest; 1]> {
        let mut bytes = Vec::with_capacity(sha256.length());
        push_digest(&mut bytes, row, sha256.length());
        Ok([Digest::new(sha256, &bytes)?])
    };
    let mut known = Known::within(Options::default(), MEMORY, directory.to_path_buf());
    for row in 0..rows {
        let (path, size) = (name(row), Some(row % 65_536));
        known.add(KnownFile { path: path.as_bytes(), size, modified: None, digests: &digest(row)? })?;
    }
    let mut contradictions = 0;
    let mut audit = Audit::settled(known, |_, _| contradictions += 1)?;
    // In another order than that of the list: a stride that has no factor in common with the number of rows visits all of them.
    let stride = (rows / 3..).find(|stride| common_factor(*stride, rows) == 1).context("there is one")?;
    for place in 0..rows {
        let row = u64::try_from(u128::from(place) * u128::from(stride) % u128::from(rows))?;
        let (path, size) = (format!("moved/{}", name(row)), Some(row % 65_536));
        let digests = digest(row)?;
        let reading = Reading::Read(&digests);
        audit.see(Seen { path: path.as_bytes(), size, modified: None, reading });
    }
    let findings = audit.finish()?;
    let moved = findings.counters().of(Verdict::Moved);
    ensure!(moved == rows && contradictions == 0, "{moved} of {rows} files were moved");
    let mut right = 0;
    findings.visit(|finding| {
        let from = finding.path.strip_prefix(b"moved/");
        right += u64::from(from.is_some() && from == finding.other);
        ControlFlow::Continue(())
    })?;
    ensure!(right == rows, "{right} of {rows} files were moved from where they were");
    eprintln!("{rows} files were moved, {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn common_factor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_factor(other, one % other) }
}
