//! `hashlane formats`: the manifest formats.

use hashlane_manifest::Format;
use hashlane_report::{Table, table};
use serde_json::json;

use crate::args::{FormatsArgs, ListFormat};
use crate::commands::bench::print;
use crate::status::Status;

/// Databases of NSRL: no text, and no format of lines.
const DATABASE: &str = "nsrl-sqlite";
const DATABASE_SHAPE: &str = "NSRL RDS 3: table FILE";
const DATABASE_TOLD_BY: &str = "an SQLite database";

pub(super) fn run(args: &FormatsArgs) -> anyhow::Result<Status> {
    let text = match args.format {
        ListFormat::Text => text(),
        ListFormat::Json => json(),
    };
    print(&text)?;
    Ok(Status::OK)
}

fn text() -> String {
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

fn json() -> String {
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
