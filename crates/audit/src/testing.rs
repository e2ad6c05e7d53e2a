//! Small trees for tests, and a count of the work that they take.

use std::cell::Cell;
use std::ops::ControlFlow;

use hashlane_digest::{Algorithm, Digest};

use crate::audit::Audit;
use crate::file::{KnownFile, Reading, Seen};
use crate::findings::Findings;
use crate::judge::Rules;
use crate::known::Known;
use crate::options::Options;

/// Those of plain audits.
pub(crate) const RULES: Rules = Rules::NONE;

pub(crate) fn digest(algorithm: &str, content: &str) -> Digest {
    Algorithm::named(algorithm).expect("a registered name").digest(content.as_bytes())
}

thread_local! {
    /// Entries that this thread has decoded.
    static DECODED: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn count_decoded() {
    DECODED.set(DECODED.get() + 1);
}

/// How many entries `work` decodes. Nothing that is stored of a file can be compared without: what compares each file with each
/// shows here, on a fast machine and on a slow one.
pub(crate) fn decoded_by(work: impl FnOnce()) -> u64 {
    let before = DECODED.get();
    work();
    DECODED.get() - before
}

/// Whether work for `files` files grows about as they do: four times as many take at most six times as much. Sorting them
/// takes five times, comparing each with each sixteen.
pub(crate) fn grows_with_files(files: usize, work: impl Fn(usize)) -> Result<(), (u64, u64)> {
    let (few, many) = (decoded_by(|| work(files)), decoded_by(|| work(4 * files)));
    assert!(few >= files as u64, "{few} of {files} were looked at: the count is no longer one of the work");
    if many <= 6 * few { Ok(()) } else { Err((few, many)) }
}

/// Files by name and content, with sizes and SHA-256.
pub(crate) fn known(options: Options, files: &[(&str, &str)]) -> Known {
    let mut known = Known::new(options);
    for (path, content) in files {
        let digests = &[digest("sha256", content)];
        let file =
            KnownFile { path: path.as_bytes(), size: Some(content.len() as u64), modified: None, digests };
        known.add(file).expect("no contradictions");
    }
    known
}

/// Sees files by name and content; those without content cannot be read. Final verdicts are lines.
pub(crate) fn see(audit: &mut Audit, files: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, content) in files {
        let digests = content.map(|content| [digest("sha256", content)]);
        let reading = digests.as_ref().map_or(Reading::Unreadable, |digests| Reading::Read(digests));
        let size = content.map(|content| content.len() as u64);
        let seen = Seen { path: path.as_bytes(), size, modified: None, reading };
        lines.extend(audit.see(seen).map(|verdict| format!("{verdict} {path}")));
    }
    lines
}

/// Findings as lines: `moved new, old`.
pub(crate) fn lines(findings: &Findings) -> Vec<String> {
    let line = |finding: crate::Finding<'_>| {
        let other =
            finding.other.map_or(String::new(), |other| format!(", {}", String::from_utf8_lossy(other)));
        format!("{} {}{other}", finding.verdict, String::from_utf8_lossy(finding.path))
    };
    let mut lines = Vec::new();
    let visited = findings.visit(|finding| {
        lines.push(line(finding));
        ControlFlow::Continue(())
    });
    visited.expect("the temporary files can be read");
    lines
}

/// All verdicts on files that were known and are seen, as lines, the final ones first.
pub(crate) fn judged(options: Options, known_files: &[(&str, &str)], seen: &[(&str, &str)]) -> Vec<String> {
    let mut audit = Audit::new(known(options, known_files));
    let seen: Vec<_> = seen.iter().map(|&(path, content)| (path, Some(content))).collect();
    let mut all = see(&mut audit, &seen);
    let findings = audit.finish().unwrap();
    let counters = findings.counters();
    assert_eq!(counters.sums(), (counters.inputs, counters.knowns));
    all.extend(lines(&findings));
    all
}
