//! The report as text.

use std::time::Duration;

use hashlane_catalog::{OldPlace, OldReading, Reported, RunFigures, Verdict};
use hashlane_report::{Table, paragraph, table};

use super::super::attested;
use super::super::by;
use super::super::overview::{Overview, in_one_sentence};
use super::super::{ago, days, policies, time, words};
use super::Reporter;
use super::advice::advice;
use super::finding::{known_by, last_good, size};
use super::gather::{Entry, Kind, MOST_SHOWN, Subject};
use super::throughput::sentences;
use crate::imports;
use crate::output::shown;
use crate::sentence::from;
use crate::text;

pub(super) fn write(reporter: &mut Reporter<'_>) -> anyhow::Result<()> {
    let overviews = reporter.overviews()?;
    reporter.put(&overview_table(&overviews, reporter.now_s))?;
    for overview in overviews {
        let subject = reporter.subject(overview)?;
        let text = subject_text(&subject, reporter.now_s);
        reporter.put(&text)?;
    }
    Ok(())
}

fn overview_table(overviews: &[Overview], now_s: i64) -> String {
    if overviews.is_empty() {
        return "No collection is registered. `hashlane collection add` registers one.\n".to_owned();
    }
    let head =
        ["collection", "state", "files", "bytes", "findings", "known", "recovered", "oldest reading", "late"];
    let mut shown = Table::new(&in_one_sentence(overviews), &head);
    shown.words = vec![0, 1, 4, 7];
    for overview in overviews {
        shown.rows.push(vec![
            overview.name().to_owned(),
            overview.state().to_owned(),
            text::count(overview.total.files),
            text::decimal(overview.total.bytes as f64),
            overview.findings(),
            text::count(overview.acknowledged()),
            text::count(overview.recovered),
            oldest(overview, now_s),
            overview.late_files(),
        ]);
    }
    table(&shown)
}

/// How long ago the oldest reading is, and how many files were never read.
pub(super) fn oldest(overview: &Overview, now_s: i64) -> String {
    let read = overview.oldest_s.map(|read_s| ago(now_s - read_s));
    let never = (overview.never_read > 0).then(|| format!("{} never read", text::count(overview.never_read)));
    let both: Vec<_> = read.into_iter().chain(never).collect();
    if both.is_empty() { "–".to_owned() } else { both.join(", ") }
}

/// What the collection is, in one line.
pub(super) fn terms(subject: &Subject) -> String {
    let terms = &subject.overview.collection.terms;
    let promise = match terms.period_s {
        Some(period_s) if terms.habits.is_usual_period => {
            format!("every byte is read again within {}, the default", days(period_s))
        }
        Some(period_s) => format!("every byte is read again within {}", days(period_s)),
        None => "no promise".to_owned(),
    };
    format!("{}, {promise}", policies(terms))
}

fn subject_text(subject: &Subject, now_s: i64) -> String {
    let overview = &subject.overview;
    let terms_of = &overview.collection.terms;
    let mut text = format!("\n{}: {}\n", terms_of.name, shown(&terms_of.root));
    text += &paragraph(&terms(subject), "  ", "  ");
    for note in overview.kinds().into_iter().chain(overview.notes()) {
        text += &paragraph(&note, "  ", "  ");
    }
    for (alert, command) in subject.alerts() {
        text += &paragraph(&alert, "  ", "  ");
        text.extend(command.map(|command| format!("      {command}\n")));
    }
    text.extend(subject.news().map(|news| paragraph(&news, "  ", "  ")));
    for kind in &subject.open {
        text += &kind_text(subject, kind);
    }
    text += &unlisted(subject);
    let more = |all: u64, shown: usize| match all.saturating_sub(shown as u64) {
        0 => String::new(),
        more => format!("    and {} more\n", text::count(more)),
    };
    if !subject.acknowledged.is_empty() {
        text += &format!("\n  {} acknowledged\n", text::count(overview.acknowledged()));
        text.extend(subject.acknowledged.iter().map(acknowledged));
        text += &more(overview.acknowledged(), subject.acknowledged.len());
    }
    if !subject.recovered.is_empty() {
        text += &format!("\n  {} recovered\n", text::count(overview.recovered));
        text.extend(subject.recovered.iter().map(recovered));
        text += &more(overview.recovered, subject.recovered.len());
    }
    text += &oldest_text(subject, now_s);
    text += &format!("\n{}", paragraph(&sentences(subject.throughput.as_ref()), "  ", "  "));
    if !subject.runs.is_empty() {
        text += &format!("\n{}", indented(&runs_table(&subject.runs)));
        for note in read_elsewhere(&subject.runs) {
            text += &paragraph(&note, "    ", "      ");
        }
    }
    text +=
        &rest_text((EVIDENCE, &attested::HEADS, &[0, 1, 2, 3]), subject.evidence.iter().map(attested::cells));
    text += &rest_text(
        (imports::TITLE, &imports::HEADS, &imports::WORDS),
        subject.imports.iter().map(imports::cells),
    );
    text
}

/// What is told by a table alone: its title, its heads, which of its cells are words, and its rows.
fn rest_text<const N: usize>(
    (title, heads, words): (&str, &[&str; N], &[usize]),
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new(title, heads);
    (table.words, table.rows) = (words.to_vec(), rows.map(Vec::from).collect());
    if table.rows.is_empty() { String::new() } else { format!("\n{}", indented(&table)) }
}

fn kind_text(subject: &Subject, kind: &Kind) -> String {
    let advice = advice(kind.verdict, &subject.overview.collection);
    let new = if kind.new > 0 { format!(", {} new", text::count(kind.new)) } else { String::new() };
    let mut text = format!("\n  {} {}{new}\n", text::count(kind.files), words(kind.verdict).to_uppercase());
    text += &paragraph(advice.sure, "    how sure  ", "              ");
    text += &paragraph(advice.cause, "    may be    ", "              ");
    for (at, (when, command)) in advice.steps.iter().enumerate() {
        let first = if at == 0 { "    what now  " } else { "              " };
        text += &paragraph(&format!("{when}:"), first, "              ");
        text += &format!("                {command}\n");
    }
    for entry in &kind.entries {
        text += &entry_text(subject, entry);
    }
    if kind.files > kind.entries.len() as u64 {
        let more = text::count(kind.files - kind.entries.len() as u64);
        text += &format!("    and {more} more; --format csv has all\n");
    }
    text
}

fn entry_text(subject: &Subject, entry: &Entry) -> String {
    let reported = &entry.reported;
    let mut text = format!("    {}\n", text::name(&reported.path));
    let mut facts = Vec::new();
    facts.extend(size(reported).map(|size| text::decimal(size as f64)));
    let new = if entry.is_new { "new, " } else { "" };
    facts.push(format!("{new}since {}", time(reported.finding.since_s)));
    facts.push(format!("last read good: {}", last_good(reported.last_good)));
    text += &format!("      {}\n", facts.join("; "));
    text.extend(entry.evidence().iter().map(|line| paragraph(line, "      ", "      ")));
    if let Some(copy) = &entry.copy {
        text += &format!(
            "      intact copy: {}: {}, read good {}, {}\n",
            copy.collection.terms.name,
            text::name(&copy.path),
            time(copy.read_s),
            from(copy.reading)
        );
        text.extend(
            entry.restore(&subject.overview.collection).map(|command| format!("        {command}\n")),
        );
    }
    text
}

fn unlisted(subject: &Subject) -> String {
    let all = subject.overview.unlisted;
    if all == 0 {
        return String::new();
    }
    let mut text = format!(
        "\n  {} could not be listed; nothing is said of what lies below\n",
        match all {
            1 => "1 directory".to_owned(),
            all => format!("{} directories", text::count(all)),
        }
    );
    for directory in &subject.unlisted {
        text += &format!(
            "    {}: since {}: {}\n",
            unlisted_name(&directory.path),
            time(directory.since_s),
            text::name(directory.detail.as_bytes())
        );
    }
    if all > subject.unlisted.len() as u64 {
        text += &format!("    and {} more\n", text::count(all - MOST_SHOWN as u64));
    }
    text
}

fn acknowledged(reported: &Reported) -> String {
    let finding = &reported.finding;
    format!(
        "    {}: {} since {}; {}\n",
        text::name(&reported.path),
        words(finding.verdict),
        time(finding.since_s),
        known_by(finding.known.as_ref())
    )
}

fn recovered(reported: &Reported) -> String {
    let finding = &reported.finding;
    format!(
        "    {}: {} since {}, good again {}\n",
        text::name(&reported.path),
        words(finding.verdict),
        time(finding.since_s),
        finding.cleared_s.map_or_else(String::new, time)
    )
}

fn oldest_text(subject: &Subject, now_s: i64) -> String {
    let never = subject.overview.never_read;
    let mut rows =
        Table::new("Longest unverified", &["last read good", "reading", "files, at most", "where"]);
    rows.words = vec![0, 1, 3];
    for reading in &subject.oldest {
        rows.rows.push(vec![
            format!("{}, {}", time(reading.read_s), ago(now_s - reading.read_s)),
            from(reading.reading).to_owned(),
            at_most(reading),
            places(reading).join(", "),
        ]);
    }
    if never > 0 {
        rows.notes.push(format!("{} never read", text::counted(never, "file")));
    }
    match rows.rows.is_empty() && rows.notes.is_empty() {
        true => String::new(),
        false => format!("\n{}", indented(&rows)),
    }
}

/// How many files a reading is of.
pub(super) fn at_most(reading: &OldReading) -> String {
    let files = text::count(reading.files_at_most);
    if reading.is_cut { format!("{files} and more") } else { files }
}

/// The root of a collection, which has no name below itself.
const ROOT: &str = "./";

/// What could not be listed, for people.
pub(super) fn unlisted_name(path: &[u8]) -> String {
    if path.is_empty() { ROOT.to_owned() } else { text::name(path) }
}

/// Where the files of a reading lie, in words.
pub(super) fn places(reading: &OldReading) -> Vec<String> {
    let mut shown: Vec<_> = reading
        .places
        .iter()
        .map(|place| match place {
            OldPlace::File(path) => text::name(path),
            OldPlace::Directory(path, _) if path.is_empty() => ROOT.to_owned(),
            OldPlace::Directory(path, _) => format!("{}/", text::name(path)),
        })
        .collect();
    let told: u64 = reading.places.iter().map(OldPlace::files).sum();
    if reading.files_at_most > told {
        shown.push(format!("and {} more", text::counted(reading.files_at_most - told, "file")));
    }
    shown
}

fn runs_table(runs: &[RunFigures]) -> Table {
    let head = ["begun", "outcome", "listed", "read", "bytes", "from the device", "rate", "found"];
    let mut rows = Table::new("Last audits", &head);
    rows.words = vec![0, 1, 7];
    rows.rows.extend(runs.iter().map(|run| run_cells(run).to_vec()));
    rows
}

/// Which runs took what others have read, and where that stands.
pub(super) fn read_elsewhere(runs: &[RunFigures]) -> impl Iterator<Item = String> {
    let note = |run: &RunFigures| {
        let by = run.counted.by.as_ref()?;
        Some(format!("{}: read by {}", time(run.started_s), by::evidence(by)))
    };
    runs.iter().filter_map(note)
}

/// What providers say stands by itself.
pub(super) const EVIDENCE: &str = "What providers say; none of it was read here";

/// A run as cells: when, outcome, files listed and read, bytes, share from the device, rate, what was found.
pub(super) fn run_cells(run: &RunFigures) -> [String; 8] {
    let counted = &run.counted;
    let none = || "–".to_owned();
    let reading = Duration::from_millis(counted.reading_ms);
    let rate = (counted.read_bytes > 0 && reading >= Duration::from_millis(10))
        .then(|| hashlane_report::figures::rate(counted.read_bytes as f64 / reading.as_secs_f64()));
    let found: Vec<_> = counted
        .by_verdict()
        .filter(|(verdict, files)| *files > 0 && *verdict != Verdict::Suspect)
        .map(|(verdict, files)| format!("{} {}", text::count(files), words(verdict)))
        .collect();
    [
        time(run.started_s),
        match &counted.by {
            Some(by) => format!("{}, by {}", outcome(run), text::name(by.program.as_bytes())),
            None => outcome(run).to_owned(),
        },
        text::count(counted.listed_files),
        text::count(counted.read_files),
        text::decimal(counted.read_bytes as f64),
        match counted.read_bytes {
            // Of others that cannot be told.
            _ if counted.by.is_some() => none(),
            0 => none(),
            bytes => text::percent(counted.device_bytes.min(bytes), bytes),
        },
        rate.unwrap_or_else(none),
        if found.is_empty() { none() } else { found.join(", ") },
    ]
}

/// How a run ended, in words.
pub(super) fn outcome(run: &RunFigures) -> &str {
    match run.outcome.as_deref() {
        Some("complete") => "complete",
        // What it took was less than all.
        Some("budget") if run.counted.by.is_some() => "in part",
        Some("budget") => "budget used up",
        Some("held") => "held",
        Some("discarded") => "discarded",
        Some("offline") => "offline",
        Some("refused") => "refused",
        Some("empty") => "no files",
        Some(_) => "ended",
        None => "not ended",
    }
}

/// A table, a little to the right.
fn indented(rows: &Table) -> String {
    table(rows).lines().map(|line| format!("  {line}\n")).collect()
}
