//! Machines side by side: as text, Markdown, CSV, JSON and a page.
//!
//! Text, Markdown and page are drawn from the same tables ([`parts`]); CSV and JSON hold every figure, ratio and interval in
//! full ([`data`]).

mod data;
mod means;
mod parts;

use hashlane_measure::Comparison;
use maud::html;

use self::parts::Parts;
use crate::page::{Head, document, rich};
use crate::tables::Table;
use crate::terminal::{Sheet, tamed};
use crate::view::View;

pub use data::{comparison_csv, comparison_json};

/// Machines side by side as text: what they are, their cells, and last what it comes to. `wide` has all columns, and no line is
/// cut; without it lines have no more than [`crate::WIDTH`] columns.
pub fn comparison_text(comparison: &Comparison, wide: bool) -> String {
    /// This many others have room beside the reference.
    const ABREAST: usize = 2;
    let parts = Parts::of(comparison, if wide { usize::MAX / 4 } else { ABREAST });
    let Parts { machines, environment, regressions, cells, standings, remarks, doubts, findings, .. } = parts;
    let tables = [vec![machines], environment, regressions, cells, vec![remarks, standings]].concat();
    let tables: Vec<Table> = tables.into_iter().filter(Table::is_filled).collect();
    let sheet = Sheet { wide };
    let mut parts: Vec<String> = tables.iter().map(|drawn| sheet.table(drawn)).collect();
    parts.extend(sheet.left_out(&tables));
    parts.push(
        doubts
            .iter()
            .map(|line| format!("in doubt: {line}"))
            .chain(findings)
            .map(|line| sheet.line(&line))
            .collect(),
    );
    tamed(&parts.join("\n"))
}

/// The same as Markdown, what it comes to first.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let parts = Parts::of(comparison, usize::MAX / 4);
    let doubts = parts.doubts.clone();
    let view = view(parts);
    let mut text = format!("# {}\n", view.title);
    for line in doubts {
        text += &format!("\nIn doubt: {}\n", marked(&line));
    }
    for line in &view.findings {
        text += &format!("\n{}\n", marked(line));
    }
    for table in &view.tables {
        text += &format!("\n## {}\n\n", marked(&table.title));
        if !table.rows.is_empty() {
            let line = |cells: &[String]| {
                cells.iter().map(|cell| format!("| {} ", marked(cell))).collect::<String>() + "|\n"
            };
            text += &line(&table.head);
            let aligned = |column| if table.has_words(column) { "---|" } else { "---:|" };
            text += &format!("|{}\n", (0..table.head.len()).map(aligned).collect::<String>());
            text.extend(table.rows.iter().map(|row| line(row)));
            text += if table.notes.is_empty() { "" } else { "\n" };
        }
        text.extend(table.notes.iter().map(|note| format!("- {}\n", marked(note))));
    }
    tamed(&text)
}

/// The same as a page that loads nothing and runs nothing. `program` is the one that makes it, with its version.
pub fn comparison_page(comparison: &Comparison, program: &str) -> String {
    let names: Vec<_> = comparison.subjects.iter().map(|subject| subject.name.as_str()).collect();
    let title = names.join(", ");
    let reference = &comparison.subjects[comparison.reference].name;
    let when = format!("ratios to {reference}, {program}");
    let method = html! {
        section {
            h2 { "How to read this" }
            @for line in parts::METHOD { p { (rich(line)) } }
        }
    };
    let parts = Parts::of(comparison, usize::MAX / 4);
    let doubts = parts.doubts.clone();
    let head = Head { title: &title, heading: rich(&title), when: &when, program, doubts };
    document(&head, &view(parts), &method)
}

/// What it comes to first, details after it.
fn view(parts: Parts) -> View {
    let Parts { findings, charts, machines, environment, regressions, cells, standings, remarks, .. } = parts;
    let mut tables =
        [vec![standings], regressions, vec![machines], environment, cells, vec![remarks]].concat();
    tables.retain(Table::is_filled);
    View { title: "Comparison".to_owned(), findings, charts, curves: Vec::new(), tables }
}

/// A text in which nothing is taken for a mark or a column.
fn marked(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '~') {
            marked.push('\\');
        }
        marked.push(if letter == '\n' { ' ' } else { letter });
    }
    marked
}
