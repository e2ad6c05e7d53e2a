//! Imports of known digests, as the history of a file and the report of a collection tell of them.

use hashlane_catalog::{Imported, PastImport, Terms};
use hashlane_keeper::Action;

use super::HowTo;
use crate::text;
use crate::times::{exact_time, time};

/// The title of their table.
pub(super) const TITLE: &str = "Imports of lists";

/// What the cells of an import are.
pub(super) const HEADS: [&str; 8] =
    ["when", "who", "registered", "matched", "differing", "not found", "not listed", "reason"];

/// Which of them are words.
pub(super) const WORDS: [usize; 3] = [0, 1, 7];

/// An import as cells.
pub(super) fn cells(import: &PastImport) -> [String; 8] {
    let counted = import.counted.as_ref().map(Imported::counts);
    let count = |place: usize| counted.map_or_else(|| "–".to_owned(), |counts| text::count(counts[place].1));
    [
        time(import.at_s),
        text::name(import.actor.as_bytes()),
        count(0),
        count(1),
        count(2),
        count(3),
        count(4),
        match &import.reason[..] {
            "" => "–".to_owned(),
            reason => text::name(reason.as_bytes()),
        },
    ]
}

/// A line of the history of a file, which the import has registered or not.
pub(super) fn line(import: &PastImport, has_registered: bool) -> String {
    let what = if has_registered { "registered" } else { "lists imported" };
    let actor = text::name(import.actor.as_bytes());
    let mut line = format!("{what:<15} {} by {actor}", exact_time(import.at_s));
    if !import.reason.is_empty() {
        line += &format!(": {}", text::name(import.reason.as_bytes()));
    }
    if let Some(counted) = &import.counted {
        let counts = counted
            .counts()
            .map(|(name, files)| format!("{} {}", text::count(files), name.replace('_', " ")));
        line += &format!(" (files when imported: {})", counts.join(", "));
    }
    line
}

/// What came of lists that were imported into a collection, of which so many lines were left out.
pub fn imported_line(terms: &Terms, imported: &Imported, left_out: u64, how: HowTo<'_>) -> String {
    let name = &terms.name;
    let mut line = format!("{name}: {} registered", text::counted(imported.registered, "file"));
    if imported.registered > 0 {
        let by = text::listed(&terms.algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>());
        line += &format!(" by {by}, not yet verified: `{}` compares them", how(&Action::Audit(name)));
    }
    let mut before = "; ";
    for (number, what) in [
        (imported.known, "known already, with the same content"),
        (imported.contradicting, "known as another content"),
        (imported.not_found, "registered, though the last audit did not find them"),
        (imported.not_listed, "known, and in no list"),
        (left_out, "left out"),
    ] {
        if number > 0 {
            line += &format!("{before}{} {what}", text::count(number));
            before = ", ";
        }
    }
    line
}
