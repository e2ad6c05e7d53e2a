//! The report as text.

use std::time::Duration;

use hashlane_catalog::{OldPlace, OldReading, Reported, Result, RunFigures, Verdict};
use hashlane_keeper::{Action, Alert, Entry, Kind, MOST_SHOWN, Overview, Subject, advice};

use super::advice::{sure_and_cause, when};
use super::finding::{evidence, known_by, last_good, restored, size};
use super::overview::{findings, in_one_sentence, kinds, late, notes, state};
use super::sentence::{from, late_in_words, not_over, policies};
use super::throughput::sentences;
use super::{HowTo, Put, Report, attested, by, imports, root, running, words};
use crate::terminal::{paragraph, table};
use crate::text::{ago, days};
use crate::times::time;
use crate::{Table, figures, text};

pub(super) fn write(report: &Report<'_>, put: Put<'_>) -> Result<()> {
    let overviews = report.overviews()?;
    put(&overview_table(&overviews, report))?;
    for overview in overviews {
        put(&subject_text(&report.reporter.subject(overview)?, report))?;
    }
    Ok(())
}

fn overview_table(overviews: &[Overview], report: &Report<'_>) -> String {
    if overviews.is_empty() {
        return none_registered(report.how);
    }
    let head =
        ["collection", "state", "files", "bytes", "findings", "known", "recovered", "oldest reading", "late"];
    let mut shown = Table::new(&in_one_sentence(overviews), &head);
    shown.words = vec![0, 1, 4, 7];
    for overview in overviews {
        shown.rows.push(vec![
            overview.name().to_owned(),
            state(overview).to_owned(),
            text::count(overview.total.files),
            text::decimal(overview.total.bytes as f64),
            findings(overview, &[]),
            text::count(overview.acknowledged()),
            text::count(overview.recovered),
            oldest(overview, report.reporter.now_s),
            late(overview),
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

/// That there is no collection, and the way to one.
pub(super) fn none_registered(how: HowTo<'_>) -> String {
    format!("No collection is registered. `{}` registers one.\n", how(&Action::Register))
}

/// The alerts of a collection: a sentence each, and a command to go on with.
pub(super) fn alerts(subject: &Subject, how: HowTo<'_>) -> Vec<(String, Option<String>)> {
    let overview = &subject.overview;
    let mut alerts = Vec::new();
    for (alert, action) in subject.alerts() {
        let sentence = match alert {
            Alert::Held { since_s, why } => format!(
                "HELD since {}: {}. Nothing was said to be missing or changed. If the tree is as it should be:",
                time(since_s),
                text::name(why.unwrap_or("the reason was not kept").as_bytes())
            ),
            Alert::Edit { path, what } => format!(
                "Accepted, but look at it: {}: {}.",
                text::name(path),
                text::name(what.as_bytes())
            ),
            Alert::Notes => {
                alerts.extend(notes(overview, how).into_iter().map(|note| (format!("{note}."), None)));
                continue;
            }
            Alert::Offline(since_s) => format!(
                "OFFLINE since {}: its root could not be reached. Nothing is said of its files since then.",
                time(since_s)
            ),
            Alert::Unreadable(root) => format!(
                "UNREADABLE since {}: its root could not be listed: {}. Nothing is said of its files since then.",
                time(root.since_s),
                text::name(root.detail.as_bytes())
            ),
            Alert::Late => format!(
                "LATE: {} not read good within {}. To read what is due:",
                late_in_words(overview.late),
                overview.collection.terms.period_s.map_or_else(String::new, days)
            ),
            Alert::Running => {
                let running = overview.running.as_ref();
                let how_far = running.map(|running| running::sentence(running, overview.now_s));
                format!("UNDER WAY: {}", how_far.unwrap_or_default())
            }
            Alert::Interrupted => "The last audit was interrupted. To go on with it:".to_owned(),
            Alert::InterruptedInPart => {
                "The last audit, which was about a part of it, was interrupted. To go on with it, ask for the same again."
                    .to_owned()
            }
            Alert::Incomplete => {
                format!("INCOMPLETE: {}. To go on:", not_over(overview.total, overview.never_read))
            }
            Alert::NeverAudited => "It was never audited. To do so:".to_owned(),
        };
        alerts.push((sentence, action.as_ref().map(how)));
    }
    alerts
}

/// What the last audit that judged files said first, in one sentence; nothing of a collection that was never audited.
pub(super) fn news(subject: &Subject) -> Option<String> {
    let run = subject.judged.as_ref()?;
    // One that was held, or could not read the root, has found nothing, and not that nothing is wrong.
    let is_last = subject.overview.last.as_ref().is_some_and(|last| last.run == run.run);
    let last = if is_last { "last audit" } else { "last audit that judged files" };
    let new =
        subject.new.iter().map(|(verdict, files)| format!("{} {}", text::count(*files), words(*verdict)));
    let (new, since) = (new.collect::<Vec<_>>(), time(run.started_s));
    Some(match new.is_empty() {
        // That is shown below, with its directories.
        true if subject.overview.unlisted > 0 => {
            format!("The {last}, of {since}, could not list all of it.")
        }
        // What it found may have been accepted or acknowledged since.
        true => format!("The {last}, of {since}, found nothing new that still stands."),
        false => format!("New in the {last}, of {since}: {}.", new.join(", ")),
    })
}

fn subject_text(subject: &Subject, report: &Report<'_>) -> String {
    let (overview, how) = (&subject.overview, report.how);
    let mut text = format!("\n{}: {}\n", overview.name(), root(&overview.collection));
    text += &paragraph(&terms(subject), "  ", "  ");
    for note in kinds(overview).into_iter().chain(notes(overview, how)) {
        text += &paragraph(&note, "  ", "  ");
    }
    for (alert, command) in alerts(subject, how) {
        text += &paragraph(&alert, "  ", "  ");
        text.extend(command.map(|command| format!("      {command}\n")));
    }
    text.extend(news(subject).map(|news| paragraph(&news, "  ", "  ")));
    for kind in &subject.open {
        text += &kind_text(subject, kind, how);
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
    text += &oldest_text(subject, report.reporter.now_s);
    text += &format!("\n{}", paragraph(&sentences(subject.throughput.as_ref(), how), "  ", "  "));
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

/// What is shown by a table alone: its title, its heads, which of its cells are words, and its rows.
fn rest_text<const N: usize>(
    (title, heads, words): (&str, &[&str; N], &[usize]),
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new(title, heads);
    (table.words, table.rows) = (words.to_vec(), rows.map(Vec::from).collect());
    if table.rows.is_empty() { String::new() } else { format!("\n{}", indented(&table)) }
}

pub(super) fn kind_text(subject: &Subject, kind: &Kind, how: HowTo<'_>) -> String {
    let advice = advice(kind.verdict, &subject.overview.collection);
    let (sure, cause) = sure_and_cause(advice.case);
    let new = if kind.new > 0 { format!(", {} new", text::count(kind.new)) } else { String::new() };
    let mut text = format!("\n  {} {}{new}\n", text::count(kind.files), words(kind.verdict).to_uppercase());
    text += &paragraph(sure, "    how sure  ", "              ");
    text += &paragraph(cause, "    may be    ", "              ");
    for (at, step) in advice.steps.iter().enumerate() {
        let first = if at == 0 { "    what now  " } else { "              " };
        text += &paragraph(&format!("{}:", when(step.when)), first, "              ");
        text += &format!("                {}\n", how(&step.action));
    }
    for entry in &kind.entries {
        text += &entry_text(subject, entry);
    }
    if kind.files > kind.entries.len() as u64 {
        let more = text::count(kind.files - kind.entries.len() as u64);
        text += &format!("    and {more} more; {} has all\n", how(&Action::ListAll));
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
    text.extend(evidence(reported).iter().map(|line| paragraph(line, "      ", "      ")));
    if let Some(copy) = &entry.copy {
        text += &format!(
            "      intact copy: {}: {}, read good {}, {}\n",
            copy.collection.terms.name,
            text::name(&copy.path),
            time(copy.read_s),
            from(copy.reading)
        );
        let command = restored(&subject.overview.collection, reported, copy);
        text.extend(command.map(|command| format!("        {command}\n")));
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
        .then(|| figures::rate(counted.read_bytes as f64 / reading.as_secs_f64()));
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
            // Of others that is not known.
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
