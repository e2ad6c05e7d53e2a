//! The report as a page.

use hashlane_catalog::{Reported, Result, RunFigures};
use hashlane_keeper::{Action, Condition, Entry, Kind, Overview, Subject, advice};

use super::advice::{sure_and_cause, when};
use super::finding::{evidence, known_by, last_good, restored, size};
use super::lines::{
    EVIDENCE, alerts, at_most, news, oldest, places, read_elsewhere, run_cells, terms, unlisted_name,
};
use super::overview::{findings, in_one_sentence, kinds, late, notes, state};
use super::sentence::from;
use super::throughput::sentences;
use super::{HowTo, Put, Report, attested, imports, root, words};
use crate::charts::{Axis, Bar, Chart, Kind as Colour};
use crate::document::{Document, Listing, Part, Row, Word, Words};
use crate::text::ago;
use crate::times::time;
use crate::{figures, text};

pub(super) fn write(report: &Report<'_>, put: Put<'_>) -> Result<()> {
    let overviews = report.overviews()?;
    let mut page = Document {
        title: "collection report".to_owned(),
        heading: in_one_sentence(&overviews),
        when: format!("{}, {}", time(report.reporter.now_s), report.program),
        program: report.program.to_owned(),
        summary: Vec::new(),
        parts: Vec::new(),
    };
    if overviews.is_empty() {
        page.summary.push(format!("`{}` registers a collection.", (report.how)(&Action::Register)));
    } else {
        page.parts.push(Part::Listing(overview_table(&overviews, report.reporter.now_s)));
    }
    let mut short = Vec::new();
    for overview in overviews {
        let subject = report.reporter.subject(overview)?;
        short.extend(in_short(&subject).map(plain));
        page.parts.extend(subject_parts(&subject, report));
    }
    if short.is_empty() && !page.parts.is_empty() {
        page.summary.push("Nothing needs a person.".to_owned());
    }
    if !short.is_empty() {
        page.parts.insert(0, Part::Alert(short));
    }
    put(&page.html())
}

/// What needs a person, in one sentence; nothing if nothing does.
fn in_short(subject: &Subject) -> Option<String> {
    let overview = &subject.overview;
    let new: u64 = subject.new.iter().map(|(_, files)| files).sum();
    let mut parts = Vec::new();
    if overview.is_held() {
        parts.push("held: nothing was judged".to_owned());
    }
    if overview.condition() == Condition::Refused {
        parts.push("refused: nothing was judged".to_owned());
    }
    if let Some(since_s) = overview.collection.offline_s {
        parts.push(format!("offline since {}", time(since_s)));
    }
    if overview.open() > 0 || overview.unlisted > 0 {
        let new = match new {
            _ if overview.open() == 0 => String::new(),
            0 => ", none of them new".to_owned(),
            new => format!(", {} of them new", text::count(new)),
        };
        parts.push(format!("{}{new}", findings(overview, &[])));
    }
    if overview.late.files() > 0 {
        parts.push(format!("{} late", late(overview)));
    }
    (!parts.is_empty()).then(|| format!("{}: {}", overview.name(), parts.join("; ")))
}

pub(super) fn plain(text: impl Into<String>) -> Words {
    vec![Word::plain(text)]
}

/// A time that stays on one line.
fn date(seconds: i64) -> Words {
    vec![Word::whole(time(seconds))]
}

pub(super) fn path(path: &[u8]) -> Words {
    vec![Word::name(text::name(path))]
}

fn listing(title: &str, head: &[&str], words: &[usize]) -> Listing {
    Listing {
        title: title.to_owned(),
        head: head.iter().map(|head| (*head).to_owned()).collect(),
        words: words.to_vec(),
        ..Listing::default()
    }
}

fn overview_table(overviews: &[Overview], now_s: i64) -> Listing {
    let head =
        ["collection", "state", "findings", "known", "recovered", "files", "bytes", "oldest reading", "late"];
    let mut table = listing("Collections", &head, &[1, 2, 7]);
    for overview in overviews {
        table.rows.push(Row {
            cells: vec![
                path(overview.name().as_bytes()),
                plain(state(overview)),
                plain(findings(overview, &[])),
                plain(text::count(overview.acknowledged())),
                plain(text::count(overview.recovered)),
                plain(text::count(overview.total.files)),
                plain(text::decimal(overview.total.bytes as f64)),
                plain(oldest(overview, now_s)),
                plain(late(overview)),
            ],
            ..Row::default()
        });
    }
    table
}

fn subject_parts(subject: &Subject, report: &Report<'_>) -> Vec<Part> {
    let (overview, how) = (&subject.overview, report.how);
    let mut parts = vec![
        Part::Heading(path(overview.name().as_bytes())),
        Part::Text(vec![
            Word::name(root(&overview.collection)),
            Word::plain(format!(": {}", terms(subject))),
        ]),
    ];
    let notes = kinds(overview).into_iter().chain(notes(overview, how));
    parts.extend(notes.map(|note| Part::Text(plain(note))));
    for (alert, command) in alerts(subject, how) {
        let mut words = plain(alert);
        words.extend(command.into_iter().flat_map(|command| [Word::plain(" "), Word::code(command)]));
        parts.push(Part::Alert(vec![words]));
    }
    parts.extend(news(subject).map(|news| Part::Text(plain(news))));
    for kind in &subject.open {
        parts.extend(kind_parts(subject, kind, how));
    }
    parts.extend(unlisted(subject));
    parts.extend(acknowledged(subject));
    parts.extend(recovered(subject));
    parts.extend(oldest_parts(subject, report.reporter.now_s));
    parts.push(Part::Title("Throughput".to_owned()));
    parts.push(Part::Text(plain(sentences(subject.throughput.as_ref(), how))));
    parts.extend(chart(subject).map(Part::Chart));
    parts.extend(runs(&subject.runs));
    parts.extend(rest_parts(
        (EVIDENCE, &attested::HEADS, &[0, 1, 2, 3]),
        subject.evidence.iter().map(attested::cells),
    ));
    parts.extend(rest_parts(
        (imports::TITLE, &imports::HEADS, &imports::WORDS),
        subject.imports.iter().map(imports::cells),
    ));
    parts
}

/// What is shown by a table alone: its title, its heads, which of its cells are words, and its rows.
fn rest_parts<const N: usize>(
    (title, heads, words): (&str, &[&str; N], &[usize]),
    rows: impl Iterator<Item = [String; N]>,
) -> Vec<Part> {
    let mut table = listing(title, heads, words);
    table
        .rows
        .extend(rows.map(|cells| Row { cells: cells.into_iter().map(plain).collect(), ..Row::default() }));
    if table.rows.is_empty() { Vec::new() } else { vec![Part::Title(title.to_owned()), Part::Listing(table)] }
}

pub(super) fn kind_parts(subject: &Subject, kind: &Kind, how: HowTo<'_>) -> Vec<Part> {
    let advice = advice(kind.verdict, &subject.overview.collection);
    let (sure, cause) = sure_and_cause(advice.case);
    let new = if kind.new > 0 { format!(", {} new", text::count(kind.new)) } else { String::new() };
    let mut facts = vec![("How sure".to_owned(), plain(sure)), ("What it may be".to_owned(), plain(cause))];
    for (at, step) in advice.steps.iter().enumerate() {
        let name = if at == 0 { "What now" } else { "" };
        facts.push((
            name.to_owned(),
            vec![Word::plain(format!("{}: ", when(step.when))), Word::code(how(&step.action))],
        ));
    }
    let mut table = listing(&words(kind.verdict), &["file", "size", "since", "last read good"], &[2, 3]);
    table.rows.extend(kind.entries.iter().map(|entry| entry_row(subject, entry)));
    table.notes.extend(rest(kind.files, kind.entries.len()));
    vec![
        Part::Title(format!("{} {}{new}", text::count(kind.files), words(kind.verdict))),
        Part::Facts(facts),
        Part::Listing(table),
    ]
}

/// That there are more than are shown.
fn rest(all: u64, shown: usize) -> Option<Words> {
    let more = all.saturating_sub(shown as u64);
    (more > 0).then(|| plain(format!("and {} more; the CSV and the JSON have all", text::count(more))))
}

fn entry_row(subject: &Subject, entry: &Entry) -> Row {
    let reported = &entry.reported;
    let mut below: Vec<Words> = evidence(reported).into_iter().map(plain).collect();
    if let Some(copy) = &entry.copy {
        below.push(vec![
            Word::plain("intact copy: "),
            Word::name(copy.collection.terms.name.clone()),
            Word::plain(": "),
            Word::name(text::name(&copy.path)),
            Word::plain(format!(", read good {}, {}", time(copy.read_s), from(copy.reading))),
        ]);
        let command = restored(&subject.overview.collection, reported, copy);
        below.extend(command.map(|command| vec![Word::code(command)]));
    }
    let new = if entry.is_new { ", new" } else { "" };
    Row {
        cells: vec![
            path(&reported.path),
            plain(size(reported).map_or_else(|| "–".to_owned(), |size| text::decimal(size as f64))),
            vec![Word::whole(time(reported.finding.since_s)), Word::plain(new)],
            plain(last_good(reported.last_good)),
        ],
        below,
        is_faint: false,
    }
}

fn unlisted(subject: &Subject) -> Vec<Part> {
    let all = subject.overview.unlisted;
    if all == 0 {
        return Vec::new();
    }
    let title = "Directories that could not be listed";
    let mut table = listing(title, &["directory", "since", "why"], &[1, 2]);
    for directory in &subject.unlisted {
        let cells = vec![
            vec![Word::name(unlisted_name(&directory.path))],
            date(directory.since_s),
            plain(text::name(directory.detail.as_bytes())),
        ];
        table.rows.push(Row { cells, ..Row::default() });
    }
    table.notes.push(plain("Nothing is said of what lies below them."));
    table.notes.extend(rest(all, subject.unlisted.len()));
    vec![Part::Title(title.to_owned()), Part::Listing(table)]
}

fn acknowledged(subject: &Subject) -> Vec<Part> {
    let all = subject.overview.acknowledged();
    if subject.acknowledged.is_empty() {
        return Vec::new();
    }
    let mut table = listing("Acknowledged", &["file", "verdict", "since", "known"], &[1, 2, 3]);
    let row = |reported: &Reported| Row {
        cells: vec![
            path(&reported.path),
            plain(words(reported.finding.verdict)),
            date(reported.finding.since_s),
            plain(known_by(reported.finding.known.as_ref())),
        ],
        below: Vec::new(),
        is_faint: true,
    };
    table.rows.extend(subject.acknowledged.iter().map(row));
    table.notes.extend(rest(all, subject.acknowledged.len()));
    vec![Part::Title(format!("{} acknowledged", text::count(all))), Part::Listing(table)]
}

fn recovered(subject: &Subject) -> Vec<Part> {
    let all = subject.overview.recovered;
    if subject.recovered.is_empty() {
        return Vec::new();
    }
    let mut table = listing("Recovered", &["file", "verdict", "since", "good again"], &[1, 2, 3]);
    let row = |reported: &Reported| Row {
        cells: vec![
            path(&reported.path),
            plain(words(reported.finding.verdict)),
            date(reported.finding.since_s),
            reported.finding.cleared_s.map_or_else(Words::new, date),
        ],
        below: Vec::new(),
        is_faint: true,
    };
    table.rows.extend(subject.recovered.iter().map(row));
    table.notes.extend(rest(all, subject.recovered.len()));
    vec![Part::Title(format!("{} recovered", text::count(all))), Part::Listing(table)]
}

fn oldest_parts(subject: &Subject, now_s: i64) -> Vec<Part> {
    let never = subject.overview.never_read;
    let mut table =
        listing("Longest unverified", &["where", "files, at most", "last read good", "reading"], &[2, 3]);
    for reading in &subject.oldest {
        let mut cell = Words::new();
        for (at, place) in places(reading).into_iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            cell.extend([Word::plain(comma), Word::name(place)]);
        }
        let mut read = date(reading.read_s);
        read.push(Word::plain(format!(", {}", ago(now_s - reading.read_s))));
        let cells = vec![cell, plain(at_most(reading)), read, plain(from(reading.reading))];
        table.rows.push(Row { cells, ..Row::default() });
    }
    if never > 0 {
        table.notes.push(plain(format!("{} never read", text::counted(never, "file"))));
    }
    match table.rows.is_empty() && table.notes.is_empty() {
        true => Vec::new(),
        false => vec![Part::Title("Longest unverified".to_owned()), Part::Listing(table)],
    }
}

/// The rates of the last audits, the ceiling as a mark on each.
fn chart(subject: &Subject) -> Option<Chart> {
    let compared = subject.throughput.as_ref()?;
    let mark = compared.best();
    let of_kind = |run: &&RunFigures| run.counted.read_from() == Some(compared.from);
    let bar = |run: &RunFigures| {
        let rate = run.counted.bytes_per_second()?;
        Some(Bar {
            name: time(run.started_s),
            value: rate,
            interval: None,
            shown: figures::rate(rate),
            kind: Colour::Read,
            mark,
            parts: Vec::new(),
        })
    };
    let bars: Vec<_> = subject.runs.iter().filter(of_kind).filter_map(bar).collect();
    if bars.len() < 2 {
        return None;
    }
    let most = bars.iter().map(|bar| bar.value).chain(mark).fold(0.0, f64::max);
    let marked = if mark.is_some() { " The line is the best rate that is known." } else { "" };
    Some(Chart {
        title: "Rates of the last audits".to_owned(),
        caption: format!(
            "Audits that read for a second or longer, {}; one reading each, so without an interval.{marked}",
            super::throughput::from(compared.from)
        ),
        bars,
        axis: Axis::FromZero { most },
        legend: Vec::new(),
    })
}

fn runs(runs: &[RunFigures]) -> Vec<Part> {
    if runs.is_empty() {
        return Vec::new();
    }
    let head = ["begun", "outcome", "listed", "read", "bytes", "from the device", "rate", "found"];
    let mut table = listing("Last audits", &head, &[1, 7]);
    for run in runs {
        let [begun, outcome, figures @ .., found] = run_cells(run);
        let mut cells = vec![vec![Word::whole(begun)], vec![Word::whole(outcome)]];
        cells.extend(figures.map(plain));
        cells.push(plain(found));
        table.rows.push(Row { cells, below: Vec::new(), is_faint: run.outcome.is_none() });
    }
    table.notes.extend(read_elsewhere(runs).map(plain));
    vec![Part::Title("Last audits".to_owned()), Part::Listing(table)]
}
