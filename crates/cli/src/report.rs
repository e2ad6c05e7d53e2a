//! The verdicts of a check as lines: as coreutils prints them, or as JSON.

use std::io::Write as _;

use hashlane_audit::Verdict as Judged;
use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::Taken;
use hashlane_record::{Extent, ItemPath, Origin};
use hashlane_report::text;
use hashlane_verify::Differing;
use serde_json::{Map, Value, json};

use crate::args::{CheckArgs, ReportFormat};
use crate::output::Output;
use crate::status::Status;
use crate::terminal::screen::Screen;

/// The judgement on one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ok,
    Mismatch,
    Corrupt,
    /// One digest is as listed, and another or the size is not.
    Collision,
    Missing,
    Unreadable,
    Unstable,
    Extra,
    /// Listed, and not wanted: not looked at.
    Excluded,
}

/// All verdicts, in the order in which they are counted.
/// Those of contents that were compared come first.
const VERDICTS: [Verdict; 9] = [
    Verdict::Ok,
    Verdict::Mismatch,
    Verdict::Corrupt,
    Verdict::Collision,
    Verdict::Missing,
    Verdict::Unreadable,
    Verdict::Unstable,
    Verdict::Extra,
    Verdict::Excluded,
];

/// How many of them are of contents that were compared.
const COMPARED: usize = 4;

/// Their names, as programs get them.
pub(crate) fn verdict_names() -> impl Iterator<Item = &'static str> {
    VERDICTS.into_iter().map(Verdict::name)
}

/// What is to be said of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) path: &'a ItemPath,
    pub(crate) verdict: Verdict,
    pub(crate) expected: &'a [Digest],
    pub(crate) computed: &'a [Digest],
    /// The size listed and the one read, in bytes, where both are known.
    pub(crate) sizes: Option<(u64, u64)>,
    /// The pieces that differ, where such are listed and the file fails.
    pub(crate) differing: Option<&'a Differing>,
    pub(crate) problem: Option<&'a str>,
    /// Where what was read came from, if it was looked at.
    pub(crate) origin: Option<Origin>,
}

/// Prints and counts verdicts.
#[derive(Debug)]
pub(crate) struct Report {
    output: Output,
    screen: Screen,
    format: ReportFormat,
    silent: bool,
    quiet: bool,
    verbose: bool,
    counts: [u64; VERDICTS.len()],
    /// What contents were compared by.
    algorithms: Vec<Algorithm>,
    origin: Origin,
    /// How many names are there, where only names were compared.
    there: Option<u64>,
}

impl Verdict {
    /// That of a file in the words of a check.
    pub(crate) fn of(verdict: Judged) -> Self {
        match verdict {
            Judged::Ok => Self::Ok,
            Judged::Changed => Self::Mismatch,
            Judged::Corrupt => Self::Corrupt,
            Judged::Collision => Self::Collision,
            Judged::Missing => Self::Missing,
            Judged::New => Self::Extra,
            Judged::Excluded => Self::Excluded,
            Judged::Unstable => Self::Unstable,
            // What could not be compared is no better than what could not be read.
            _ => Self::Unreadable,
        }
    }

    /// Whether a content was compared.
    pub(crate) fn is_compared(self) -> bool {
        (self as usize) < COMPARED
    }

    /// Whether nothing is wrong, as far as was looked.
    pub(crate) fn is_fine(self) -> bool {
        matches!(self, Self::Ok | Self::Excluded)
    }

    /// What it means for the exit code.
    pub(crate) fn status(self) -> Status {
        Status::of(match self {
            Self::Ok => Judged::Ok,
            Self::Mismatch => Judged::Changed,
            Self::Corrupt => Judged::Corrupt,
            Self::Collision => Judged::Collision,
            Self::Missing => Judged::Missing,
            Self::Unreadable => Judged::Unreadable,
            Self::Unstable => Judged::Unstable,
            Self::Extra => Judged::New,
            Self::Excluded => Judged::Excluded,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Mismatch => "mismatch",
            Self::Corrupt => "corrupt",
            Self::Collision => "collision",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Unstable => "unstable",
            Self::Extra => "extra",
            Self::Excluded => "excluded",
        }
    }

    /// The word behind the name, as coreutils has it where coreutils has it.
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Mismatch => "FAILED",
            Self::Corrupt => "FAILED (corrupt)",
            Self::Collision => "COLLISION (one digest is as listed, another is not)",
            Self::Missing | Self::Unreadable => "FAILED open or read",
            Self::Unstable => "FAILED (changed while it was read)",
            Self::Extra => "EXTRA (not listed)",
            Self::Excluded => "EXCLUDED",
        }
    }
}

impl Report {
    pub(crate) fn new(args: &CheckArgs, output: Output, screen: Screen) -> Self {
        Self {
            output,
            screen,
            format: args.format,
            silent: args.status,
            quiet: args.quiet,
            verbose: args.verbose > 0,
            counts: [0; VERDICTS.len()],
            algorithms: Vec::new(),
            origin: Origin::default(),
            there: None,
        }
    }

    /// Prints and counts a verdict.
    pub(crate) fn line(&mut self, line: &Line<'_>) -> Taken {
        self.counts[line.verdict as usize] += 1;
        self.origin += line.origin.unwrap_or_default();
        if let Some(problem) = line.problem {
            self.screen.message(&format!("{}: {problem}", text::name(line.path.as_bytes())));
        }
        if self.silent || (self.quiet && line.verdict.is_fine()) {
            return Ok(());
        }
        let text = match self.format {
            ReportFormat::Text => self.text(line),
            ReportFormat::Json => json_line(line),
        };
        self.output.take(&text)
    }

    /// Takes note of what a content was compared by.
    pub(crate) fn compared_by(&mut self, algorithms: impl Iterator<Item = Algorithm>) {
        for algorithm in algorithms {
            if !self.algorithms.contains(&algorithm) {
                self.algorithms.push(algorithm);
            }
        }
    }

    /// Files whose content was compared.
    pub(crate) fn verified(&self) -> u64 {
        self.counts[..COMPARED].iter().sum()
    }

    /// Takes note of how many names are there, where only names were compared.
    pub(crate) fn names_there(&mut self, there: Option<u64>) {
        self.there = there;
    }

    /// The counters, in words: `12 OK by sha256, 1 missing`.
    pub(crate) fn counts(&self) -> String {
        let counted = VERDICTS
            .iter()
            .zip(self.counts)
            .filter(|(verdict, count)| **verdict == Verdict::Ok || *count > 0);
        let words = counted.map(|(verdict, count)| match verdict {
            Verdict::Ok => match self.there {
                Some(there) => format!("{} there", text::count(there)),
                None => format!("{} OK{}", text::count(count), by(&self.algorithms)),
            },
            verdict => format!("{} {}", text::count(count), verdict.name()),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// Ends the output of a run that failed.
    pub(crate) fn leave(self, screen: &Screen) -> anyhow::Result<()> {
        self.output.leave(screen)
    }

    /// Ends the output. That of a run that was stopped stays under its partial name; an interrupted one sums up nothing.
    pub(crate) fn finish(mut self, screen: &Screen, interrupted: bool, stopped: bool) -> anyhow::Result<()> {
        if self.format == ReportFormat::Json && !self.silent && !interrupted {
            let counts: Map<String, Value> = VERDICTS
                .iter()
                .zip(self.counts)
                .map(|(verdict, count)| (verdict.name().into(), count.into()))
                .collect();
            let origin = origin_json(&self.origin);
            let algorithms: Vec<_> = self.algorithms.iter().map(|algorithm| algorithm.name()).collect();
            let mut line = json!({
                "schema": "hashlane-check",
                "version": 1,
                "summary": counts,
                "algorithms": algorithms,
                "origin": origin,
            });
            if let Some(there) = self.there {
                line["there"] = there.into();
            }
            let written = writeln!(self.output, "{line}");
            written.map_err(|error| self.output.place().failed(&error))?;
        }
        if interrupted || stopped { self.output.leave(screen) } else { self.output.finish() }
    }

    fn text(&self, line: &Line<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, line.path.as_bytes());
        text.extend(b": ");
        match (line.verdict, line.other_size()) {
            (Verdict::Collision, Some(_)) => {
                text.extend(b"COLLISION (a digest is as listed, the size is not)")
            }
            // Only what its store disputes is corrupt and has a problem.
            (Verdict::Corrupt, _) if line.problem.is_some() => {
                text.extend(b"FAILED (corrupt: the store's checksum does not match either)")
            }
            (Verdict::Corrupt, _) => {
                text.extend(format!("FAILED (corrupt: {})", unwritten(line.sizes, "than listed")).bytes())
            }
            (verdict, _) => text.extend(verdict.word().bytes()),
        }
        if let Some(Differing { listed, pieces: pieces @ 1.., .. }) = line.differing {
            let (of, verb) =
                (text::counted(*listed, "piece"), if *pieces == 1 { "differs" } else { "differ" });
            text.extend(format!(" ({} of {of} {verb})", text::count(*pieces)).bytes());
        }
        text.push(b'\n');
        if self.verbose && line.verdict.is_compared() && line.verdict != Verdict::Ok {
            if let Some((listed, read)) = line.other_size() {
                text.extend(format!("    size listed   {listed}\n    size read     {read}\n").bytes());
            }
            for (expected, computed) in
                line.expected.iter().zip(line.computed).filter(|(one, other)| one != other)
            {
                let algorithm = expected.algorithm();
                text.extend(format!("    {algorithm} listed   {expected}\n").bytes());
                text.extend(format!("    {algorithm} computed {computed}\n").bytes());
            }
            for Extent { offset, length } in line.differing.iter().flat_map(|differing| &differing.extents) {
                text.extend(format!("    bytes {offset} to {} differ\n", offset + length - 1).bytes());
            }
        }
        text
    }
}

impl Line<'_> {
    /// The sizes, where they differ.
    fn other_size(&self) -> Option<(u64, u64)> {
        self.sizes.filter(|(listed, read)| listed != read)
    }
}

/// Why a content is corrupt that no store disputes. `sizes`: the known one and that of the content, where both are known. `shorter`: than
/// what, or where.
pub(crate) fn unwritten(sizes: Option<(u64, u64)>, shorter: &str) -> String {
    match sizes {
        None => "its time does not say that it was written".into(),
        Some((known, seen)) if seen < known => {
            format!("shorter {shorter}, and its time does not say that it was written")
        }
        Some(_) => "neither size nor time says that it was written".into(),
    }
}

/// What contents were compared by, as a summary says it behind those that are as listed: ` by md5 and sha256`.
pub(crate) fn by(algorithms: &[Algorithm]) -> String {
    let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    if names.is_empty() { String::new() } else { format!(" by {}", text::listed(&names)) }
}

/// Appends a name as coreutils prints it before a verdict: a backslash announces escapes.
pub(crate) fn push_name(text: &mut Vec<u8>, name: &[u8]) {
    if name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        text.push(b'\\');
    }
    for &byte in name {
        match byte {
            b'\\' => text.extend(b"\\\\"),
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            _ => text.push(byte),
        }
    }
}

/// Where bytes came from, for programs.
pub(crate) fn origin_json(origin: &Origin) -> Value {
    json!({
        "device_bytes": origin.device_bytes,
        "cache_bytes": origin.cache_bytes,
        "network_bytes": origin.network_bytes,
        "unknown_bytes": origin.unknown_bytes,
    })
}

/// Puts a name into an object, and its bytes beside it where they are not UTF-8.
pub(crate) fn insert_name(object: &mut Map<String, Value>, key: &str, name: &[u8]) {
    object.insert(key.into(), String::from_utf8_lossy(name).into());
    if std::str::from_utf8(name).is_err() {
        object.insert(format!("{key}_b64"), data_encoding::BASE64.encode(name).into());
    }
}

/// Digests by algorithm.
pub(crate) fn digests_json(digests: &[Digest]) -> Map<String, Value> {
    let of = |digest: &Digest| (digest.algorithm().name().to_owned(), digest.to_string().into());
    digests.iter().map(of).collect()
}

fn json_line(line: &Line<'_>) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("schema".into(), "hashlane-check".into());
    object.insert("version".into(), 1.into());
    insert_name(&mut object, "path", line.path.as_bytes());
    object.insert("verdict".into(), line.verdict.name().into());
    object.insert("expected".into(), digests_json(line.expected).into());
    object.insert("computed".into(), digests_json(line.computed).into());
    if let Some((listed, read)) = line.other_size() {
        object.insert("expected_size_bytes".into(), listed.into());
        object.insert("read_size_bytes".into(), read.into());
    }
    if let Some(Differing { listed, pieces, extents, .. }) = line.differing {
        let extents: Vec<_> = extents
            .iter()
            .map(|extent| json!({ "offset_bytes": extent.offset, "length_bytes": extent.length }))
            .collect();
        let pieces = json!({ "listed": listed, "differing": pieces, "extents": extents });
        object.insert("pieces".into(), pieces);
    }
    if let Some(origin) = &line.origin {
        object.insert("origin".into(), origin_json(origin));
    }
    if let Some(problem) = line.problem {
        object.insert("problem".into(), problem.into());
    }
    let mut text = Value::Object(object).to_string().into_bytes();
    text.push(b'\n');
    text
}
