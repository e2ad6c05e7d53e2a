//! Findings in words.

use hashlane_catalog::{Cause, Content, Seen, Verdict};
use hashlane_digest::Digest;

use super::sentence::from;
use super::words;
use crate::text;

/// A finding as lines: what it is, and of what, then what there is to tell of it.
pub(super) fn finding_lines(
    collection: &str,
    path: &[u8],
    verdict: Verdict,
    seen: &Seen,
    known: &Content,
) -> String {
    let mut lines = format!("{collection}: {}: {}\n", text::name(path), title(verdict, seen, known));
    let mut tell = |what: &str| lines += &format!("    {what}\n");
    if let Some(cause) = seen.likely_cause(verdict, known) {
        tell(cause);
    }
    if !seen.detail.is_empty() && verdict != Verdict::Contradicted {
        tell(&text::name(seen.detail.as_bytes()));
    }
    let is_of_content = matches!(
        verdict,
        Verdict::Corrupt | Verdict::Collision | Verdict::Misread | Verdict::UnstableMedium | Verdict::Changed
    );
    // It was read, and its store keeps the checksum of another content.
    let is_disputed = verdict == Verdict::Unreadable && !seen.content.digests.is_empty();
    if is_of_content || is_disputed || verdict == Verdict::Contradicted {
        for digest in &known.digests {
            tell(&format!("known  {}", named(digest)));
        }
    }
    if is_of_content || is_disputed {
        for digest in &seen.content.digests {
            tell(&format!("read   {}", named(digest)));
        }
        for digest in &seen.again {
            tell(&format!("again  {}", named(digest)));
        }
        if let Some(reading) = seen.reading.filter(|_| verdict != Verdict::Changed) {
            tell(&format!("last read {}", from(reading)));
        }
    }
    lines
}

/// A verdict in capitals, as the other commands print theirs, and what it means.
fn title(verdict: Verdict, seen: &Seen, known: &Content) -> String {
    let title = match verdict {
        Verdict::Corrupt if seen.cause == Some(Cause::Restored) => {
            "CORRUPT: it was damaged, and has yet another content now"
        }
        Verdict::Corrupt if seen.cause == Some(Cause::CopyOfDamage) => "CORRUPT: it has a damaged content",
        Verdict::Corrupt if seen.cause == Some(Cause::Renamed) => {
            "CORRUPT: the file was renamed, and its content differs"
        }
        Verdict::Corrupt if seen.content.size < known.size => {
            "CORRUPT: it has become shorter, and its modification time does not say so"
        }
        Verdict::Corrupt => "CORRUPT: the content differs, and size and time do not say so",
        Verdict::Collision if seen.has_other_size(known) => {
            "COLLISION: a digest is as known, the size is not"
        }
        Verdict::Collision => "COLLISION: one digest is as known, another is not",
        Verdict::Missing => "MISSING",
        Verdict::Changed => "CHANGED",
        Verdict::Unreadable => "UNREADABLE",
        Verdict::Unstable => "UNSTABLE",
        Verdict::UnstableMedium => "UNSTABLE MEDIUM: it is read differently each time",
        Verdict::Suspect if !seen.detail.is_empty() => {
            "SUSPECT: the content differs, and could not be read again"
        }
        Verdict::Suspect => "SUSPECT: the content differs, and was not read again yet",
        Verdict::Misread => "MISREAD: the first reading differed, two more past the cache did not",
        Verdict::Contradicted => {
            return format!("CONTRADICTED: {}; not read here", text::name(seen.detail.as_bytes()));
        }
        Verdict::New => "NEW",
        Verdict::Moved => "MOVED",
        Verdict::MovedAway => "MOVED AWAY",
        Verdict::Copied => "COPIED",
        Verdict::Touched => "TOUCHED",
        other => return words(other),
    };
    title.to_owned()
}

fn named(digest: &Digest) -> String {
    format!("{} {digest}", digest.algorithm().name())
}
