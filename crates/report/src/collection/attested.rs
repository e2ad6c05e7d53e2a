//! What providers say of the files of a collection, in words. It stands apart from what was read, wherever it is shown.

use hashlane_catalog::{Compared, Evidence, EvidenceCounts, ReportSource, Said};

use crate::text;
use crate::times::{date, time};

/// Why files were not compared, and how many: `2 of another size, 1 of an earlier version`.
pub fn not_compared(counts: &EvidenceCounts) -> String {
    let is_so = |compared: &Compared| !compared.is_comparison() && *compared != Compared::Failed;
    let reasons = Compared::ALL.into_iter().filter(is_so).filter(|compared| counts.of(*compared) > 0);
    let reasons: Vec<_> =
        reasons.map(|compared| format!("{} {}", text::count(counts.of(compared)), words(compared))).collect();
    reasons.join(", ")
}

/// What came of a claim, in words.
pub(super) fn words(compared: Compared) -> &'static str {
    match compared {
        Compared::Agrees => "agrees",
        Compared::Differs => "differs",
        Compared::Failed => "could not be read there",
        Compared::NoChecksum => "without a checksum",
        Compared::OtherAlgorithm => "with other algorithms only",
        Compared::Composite => "with a checksum of parts",
        Compared::OtherSize => "of another size",
        Compared::OtherTime => "written at another time",
        Compared::Later => "written after the report",
        Compared::Earlier => "of an earlier version",
        Compared::Several => "of several versions, none of them as known",
        Compared::NeverRead => "never read here",
        Compared::Settled => "settled since",
        Compared::OtherVersion => "of another version than was read",
        Compared::EitherName => "with a plus that may be a space, so two files are possible",
        _ => "not compared",
    }
}

/// What kind of evidence it is, whose, and of when: `computed by S3 on 2026-11-20`.
pub(super) fn origin(evidence: &Evidence) -> String {
    let when = match evidence.made_s {
        Some(made_s) => format!("on {}", date(made_s)),
        None => format!("as imported on {}", date(evidence.imported_s)),
    };
    format!("{} by {} {when}", evidence.kind.name(), evidence.provider)
}

/// What it says of the files as they are now: `computed by S3 on 2026-11-20: 4 of 5 files attested, 1 contradicted`.
pub(super) fn sentence(evidence: &Evidence, files: u64) -> String {
    let mut sentence = format!(
        "{}: {} of {} attested",
        origin(evidence),
        text::count(evidence.agrees),
        text::counted(files, "file")
    );
    if evidence.differs > 0 {
        sentence += &format!(", {} contradicted", text::count(evidence.differs));
    }
    let failed = evidence.counts.of(Compared::Failed);
    if failed > 0 {
        sentence += &format!(", {} that could not be read there", text::count(failed));
    }
    sentence + "; not read here"
}

/// What came of the import of a report, or would: `computed by S3 on 2026-11-20: 4 of 5 files attested; 1 contradicted`.
pub fn import_sentence(source: &ReportSource, counts: &EvidenceCounts, dry_run: bool) -> String {
    let ReportSource { provider, kind, made_s, .. } = source;
    let made = made_s.map_or_else(String::new, |made_s| format!(" on {}", date(made_s)));
    let would = if dry_run { "would be " } else { "" };
    let mut sentence = format!(
        "{} by {provider}{made}: {} of {} {would}attested",
        kind.name(),
        text::count(counts.of(Compared::Agrees)),
        text::counted(counts.files, "file"),
    );
    let mut tell = |number: u64, what: String| {
        if number > 0 {
            sentence += &format!("; {} {what}", text::count(number));
        }
    };
    tell(counts.of(Compared::Differs), "contradicted".to_owned());
    tell(counts.of(Compared::Failed), format!("that {provider} could not read"));
    tell(counts.not_compared(), format!("not compared ({})", not_compared(counts)));
    tell(counts.unnamed, "not in the report".to_owned());
    tell(counts.unknown, format!("{} of other names", if counts.unknown == 1 { "row" } else { "rows" }));
    sentence
}

/// What a report says of one file, in a line.
pub(super) fn said_line(said: &Said) -> String {
    let mut line = format!("{}: {}", origin(&said.evidence), words(said.compared));
    match (&said.digest, &said.other) {
        (Some(digest), _) => line += &format!(", {} {digest}", digest.algorithm().name()),
        (None, Some(other)) => line += &format!(", {}", text::name(other.as_bytes())),
        (None, None) => {}
    }
    if let Some(version) = &said.version {
        line += &format!(", version {}", text::name(version.as_bytes()));
    }
    if !said.detail.is_empty() {
        line += &format!(", {}", text::name(said.detail.as_bytes()));
    }
    if !said.is_current {
        line += match said.compared {
            Compared::Differs => "; it no longer stands",
            _ => "; the file is of a later version now",
        };
    }
    line
}

/// The heads of a table of reports.
pub(super) const HEADS: [&str; 8] =
    ["imported", "kind", "provider", "made", "attested", "contradicted", "not compared", "not named"];

/// A report as cells of it. The first two numbers are of the files as they are now, the others of when it was imported.
pub(super) fn cells(evidence: &Evidence) -> [String; HEADS.len()] {
    let counts = &evidence.counts;
    [
        time(evidence.imported_s),
        evidence.kind.name().to_owned(),
        evidence.provider.clone(),
        evidence.made_s.map_or_else(|| "–".to_owned(), time),
        text::count(evidence.agrees),
        text::count(evidence.differs),
        text::count(counts.not_compared() + counts.of(Compared::Failed)),
        text::count(counts.unnamed),
    ]
}
