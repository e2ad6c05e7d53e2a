//! What indexes of known contents hold, which lists a history of ASC MHL has, and which formats manifests have.

use std::fmt::Write as _;

use hashlane_digest::Algorithm;
use hashlane_io::EngineKind;
use hashlane_known::{Index, SetDescription};
use hashlane_manifest::Format;
use hashlane_mhl::{FOLDER, History};
use hashlane_verify::KnownRows;
use serde_json::json;

use crate::tables::Table;
use crate::terminal::table;
use crate::text;

/// Databases of NSRL: no text, and no format of lines.
const DATABASE: &str = "nsrl-sqlite";
const DATABASE_SHAPE: &str = "NSRL RDS 3: table FILE";
const DATABASE_TOLD_BY: &str = "an SQLite database";

/// Which digests, engines and formats there are on this CPU, each kind behind a line end and its title.
pub fn abilities_text() -> String {
    let digests = Algorithm::all().map(|algorithm| format!("{algorithm} ({})", algorithm.backend()));
    let sections = [
        ("digests", digests.collect::<Vec<_>>()),
        ("engines", EngineKind::all().iter().map(|kind| kind.name().to_owned()).collect()),
        ("formats", Format::all().map(|format| format.name().to_owned()).collect()),
    ];
    let mut text = String::new();
    for (title, entries) in sections {
        let _ = write!(text, "\n{title}:");
        let mut width = usize::MAX;
        for entry in entries {
            width = width.saturating_add(entry.len() + 2);
            if width > 88 {
                text.push_str("\n ");
                width = entry.len() + 2;
            }
            text.push(' ');
            text.push_str(&entry);
        }
    }
    text
}

/// What an index of known contents holds. `verified`: whether all of it was read and found whole.
pub fn index_text(index: &Index, verified: bool) -> String {
    let mut sets = Table::new("Sets", &["set", "records"]);
    sets.rows.extend(index.sets().iter().map(|set| vec![set.name.clone(), text::count(set.records)]));
    let mut tables = Table::new("Digests", &["algorithm", "rows", "every record has one"]);
    for table in index.tables() {
        let every = if table.is_complete() { "yes" } else { "no" };
        tables.rows.push(vec![
            table.algorithm().name().to_owned(),
            text::count(table.rows()),
            every.to_owned(),
        ]);
    }
    let mut said = table(&sets) + "\n" + &table(&tables);
    let _ = writeln!(said, "\nnames: {}", if index.has_names() { "kept" } else { "not kept" });
    if verified {
        said += "verified: every checksum matches, every row is in order\n";
    }
    said
}

/// The same for programs.
pub fn index_json(index: &Index, verified: bool) -> String {
    let sets: Vec<_> =
        index.sets().iter().map(|set| json!({ "name": set.name, "records": set.records })).collect();
    let tables = index.tables().iter().map(|table| {
        json!({
            "algorithm": table.algorithm().name(),
            "rows": table.rows(),
            "complete": table.is_complete(),
        })
    });
    let tables: Vec<_> = tables.collect();
    let value = json!({ "sets": sets, "tables": tables, "names": index.has_names(), "verified": verified });
    format!("{value:#}\n")
}

/// What was built into an index of so many bytes: a line for each set, and one for the whole.
pub fn built_lines(index: &Index, bytes: u64, shown: &str) -> Vec<String> {
    let of_set = |set: &SetDescription| format!("{}: {}", set.name, text::counted(set.records, "record"));
    let of_table = |table: &hashlane_known::Table| {
        format!("{} of {}", text::counted(table.rows(), "row"), table.algorithm())
    };
    let tables: Vec<_> = index.tables().iter().map(of_table).collect();
    let whole = format!("{shown}: {}; {}", tables.join(", "), text::decimal(bytes as f64));
    index.sets().iter().map(of_set).chain([whole]).collect()
}

/// Which rows of a set are left out of an index, if any are.
pub fn rows_left_out(rows: &KnownRows, shown: &str) -> Option<String> {
    let counted = [
        (rows.bad, "that could not be read"),
        (rows.failed, "of files that could not be read when it was made"),
        (rows.other, "without a digest to index"),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    let counted: Vec<_> =
        counted.map(|(count, why)| format!("{} {why}", text::counted(count, "row"))).collect();
    (!counted.is_empty()).then(|| format!("{shown}: left out: {}", counted.join(", ")))
}

/// The manifest formats as a table.
pub fn formats_text() -> String {
    let mut shown =
        Table::new("Manifest formats", &["name", "read", "write", "algorithms", "a line", "detected by"]);
    shown.words = vec![1, 2, 3, 4, 5];
    for format in Format::all() {
        let write = if format.can_be_written() { "yes" } else { "–" };
        let algorithms = if format.holds_many_algorithms() { "several" } else { "one" };
        let row = [format.name(), "yes", write, algorithms, format.shape(), format.detected_by()];
        shown.rows.push(row.map(str::to_owned).to_vec());
    }
    shown.rows.push(vec![
        DATABASE.into(),
        "yes".into(),
        "–".into(),
        "several".into(),
        DATABASE_SHAPE.into(),
        DATABASE_TOLD_BY.into(),
    ]);
    shown.notes.push(
        "nsrl, hashkeeper, ilook, encase and nsrl-sqlite list known contents, with names from another machine"
            .to_owned(),
    );
    table(&shown)
}

/// The same for programs.
pub fn formats_json() -> String {
    let formats = Format::all().map(|format| {
        json!({
            "name": format.name(),
            "read": true,
            "write": format.can_be_written(),
            "several_algorithms": format.holds_many_algorithms(),
            "nul": format.can_end_with_nul(),
            "known_set": format.is_known_set(),
            "line": format.shape(),
            "detected_by": format.detected_by(),
        })
    });
    let database = json!({
        "name": DATABASE,
        "read": true,
        "write": false,
        "several_algorithms": true,
        "nul": false,
        "known_set": true,
        "line": DATABASE_SHAPE,
        "detected_by": DATABASE_TOLD_BY,
    });
    format!("{:#}\n", serde_json::Value::from_iter(formats.chain([database])))
}

/// The lists of a history and of those below it.
pub fn chain_text(history: &History) -> String {
    let mut shown = Table::new("History", &["list", "made", "by", "on", "files"]);
    shown.words = vec![1, 2, 3];
    add(history, &mut shown);
    table(&shown)
}

fn add(history: &History, shown: &mut Table) {
    for generation in history.generations() {
        let files = generation.entries.iter().filter(|entry| !entry.is_directory).count();
        let list = format!("{}{FOLDER}/{}", history.prefix(), generation.file_name);
        let row = [&list[..], &generation.created, &generation.tool, &generation.host]
            .map(|word| text::name(word.as_bytes()));
        shown.rows.push(row.into_iter().chain([text::count(files as u64)]).collect());
    }
    history.children().iter().for_each(|child| add(child, shown));
}
