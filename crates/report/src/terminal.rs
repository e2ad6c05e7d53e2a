//! Tables, charts of bars and paragraphs on a terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table as Drawn};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::charts::{Axis, Bar, Chart};
use crate::tables::Table;

/// Columns that a line has at most, unless it may have any number.
pub const WIDTH: usize = 100;

/// A column is not made narrower than this.
const LEAST_COLUMN: usize = 9;

/// Columns of a chart's longest bar, where names leave them.
const BAR: usize = 44;

/// Columns of a chart's longest bar, whatever names there are.
const LEAST_BAR: usize = 20;

/// Without what a terminal would obey: names come from machines and files.
pub(crate) fn tamed(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() && letter != '\n' { '\u{fffd}' } else { letter })
        .collect()
}

/// A table as text, as wide as it is.
pub fn table(table: &Table) -> String {
    Sheet { wide: true }.table(table)
}

/// A text in lines of no more than [`WIDTH`] columns: the first one behind `first`, the others behind `others`.
pub fn paragraph(text: &str, first: &str, others: &str) -> String {
    Sheet { wide: false }.indented(text, first, others)
}

/// What text is written on: as wide as it takes, or [`WIDTH`] columns wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    pub(crate) wide: bool,
}

impl Sheet {
    /// A table, its title and its notes.
    pub(crate) fn table(self, table: &Table) -> String {
        let shown = if self.wide { table.clone() } else { fitted(table.clone().without_details()) };
        let lines = if shown.rows.is_empty() { String::new() } else { drawn(&shown) };
        let notes: String = shown.notes.iter().map(|note| self.indented(note, "  ", "    ")).collect();
        format!("{}{lines}{notes}", self.indented(&shown.title, "", "  "))
    }

    /// Names the columns that the tables have left out, if they have.
    pub(crate) fn left_out(self, tables: &[Table]) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for table in tables.iter().filter(|table| !table.rows.is_empty()) {
            for name in table.details.iter().map(|&column| table.head[column].as_str()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let is_cut = !self.wide && !names.is_empty();
        is_cut.then(|| self.line(&format!("a wide table has more columns: {}", names.join("; "))))
    }

    /// A sentence.
    pub(crate) fn line(self, text: &str) -> String {
        self.indented(text, "", "  ")
    }

    /// A text, its first line and the others behind what they begin with.
    fn indented(self, text: &str, first: &str, others: &str) -> String {
        if self.wide {
            return format!("{first}{text}\n");
        }
        let lines = wrapped(text, WIDTH - first.len().max(others.len()));
        let begun = |(at, line): (usize, String)| format!("{}{line}\n", if at == 0 { first } else { others });
        lines.into_iter().enumerate().map(begun).collect()
    }

    /// A chart of horizontal bars.
    pub(crate) fn bars(self, chart: &Chart) -> String {
        let mut text = self.line(&chart.title);
        let legend = chart.legend.iter().enumerate().map(|(at, (_, name))| format!("  {} {name}", fill(at)));
        text += &legend.collect::<String>();
        text += if chart.legend.is_empty() { "" } else { "\n" };
        let rest = |bar: &Bar| format!("{} {}", if chart.axis.cuts(bar.value) { "»" } else { "" }, bar.shown);
        let longest = chart.bars.iter().map(|bar| width(&rest(bar))).max().unwrap_or(0);
        let longest_name = chart.bars.iter().map(|bar| width(&bar.name)).max().unwrap_or(0);
        let left = if self.wide { usize::MAX } else { WIDTH.saturating_sub(longest + 5) };
        let most = left.saturating_sub(longest_name).clamp(LEAST_BAR, BAR);
        let room = left.saturating_sub(most).max(LEAST_COLUMN);
        let names: Vec<Vec<String>> = chart.bars.iter().map(|bar| wrapped(&bar.name, room)).collect();
        let widest = names.iter().flatten().map(|name| width(name)).max().unwrap_or(0);
        for (bar, name) in chart.bars.iter().zip(&names) {
            let (last, before) =
                name.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
            before.iter().for_each(|line| text += &format!("  {line}\n"));
            let drawn =
                if bar.parts.is_empty() { whole(bar, chart.axis, most) } else { stacked(bar, chart, most) };
            text += &format!("  {last}{}  {drawn}{}\n", " ".repeat(widest - width(last)), rest(bar));
        }
        text
    }
}

/// The lines of a table, without its title and notes.
fn drawn(table: &Table) -> String {
    let mut drawn = Drawn::new();
    drawn.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let aligned = |(column, text): (usize, &String)| {
        let alignment = if table.has_words(column) { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text).set_alignment(alignment)
    };
    drawn.set_header(table.head.iter().enumerate().map(aligned).collect::<Vec<_>>());
    for row in &table.rows {
        drawn.add_row(row.iter().enumerate().map(aligned).collect::<Vec<_>>());
    }
    drawn.lines().map(|line| format!(" {}\n", line.trim_end())).collect()
}

/// The table with its longest texts on several lines, so that all columns have room: heads first, which are often longer than
/// what stands below them, then whatever is widest.
fn fitted(mut table: Table) -> Table {
    /// Beside each column.
    const MARGIN: usize = 2;
    /// Lines that a head may take.
    const HEAD_LINES: usize = 3;
    let columns = table.head.len();
    let of_rows = |table: &Table, column: usize| -> usize {
        table.rows.iter().flat_map(|row| row[column].lines()).map(width).max().unwrap_or(0)
    };
    let widths = |table: &Table| -> Vec<usize> {
        let of_head = |column: usize| table.head[column].lines().map(width).max().unwrap_or(0);
        (0..columns).map(|column| of_rows(table, column).max(of_head(column))).collect()
    };
    let room = WIDTH.saturating_sub(MARGIN * columns);
    if widths(&table).iter().sum::<usize>() <= room {
        return table;
    }
    for column in 0..columns {
        let head = width(&table.head[column]);
        let most = of_rows(&table, column).max(head.div_ceil(HEAD_LINES)).max(LEAST_COLUMN);
        table.head[column] = wrapped(&table.head[column], most).join("\n");
    }
    let widths = widths(&table);
    let fits = |most: usize| widths.iter().map(|width| (*width).min(most)).sum::<usize>() <= room;
    let most = (LEAST_COLUMN..=WIDTH).rev().find(|most| fits(*most)).unwrap_or(LEAST_COLUMN);
    for row in table.rows.iter_mut().chain([&mut table.head]) {
        for cell in row.iter_mut() {
            *cell = cell.lines().flat_map(|line| wrapped(line, most)).collect::<Vec<_>>().join("\n");
        }
    }
    table
}

/// A text in lines of no more than `most` columns: it is cut at spaces, else behind what parts words, else anywhere.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while width(rest) > most {
        let (mut columns, mut end, mut space, mut mark) = (0, 0, None, None);
        for (at, letter) in rest.char_indices() {
            columns += letter.width().unwrap_or(0);
            if letter == ' ' && at > 0 && columns <= most + 1 {
                space = Some(at);
            }
            if columns > most {
                break;
            }
            end = at + letter.len_utf8();
            if matches!(letter, '-' | '_' | '.' | ',' | '/' | ':' | '=') {
                mark = Some(end);
            }
        }
        // A letter that is wider than all the room is not cut either.
        let end = if end == 0 { rest.chars().next().map_or(rest.len(), char::len_utf8) } else { end };
        let cut = space.or(mark).unwrap_or(end);
        lines.push(rest[..cut].trim_end().to_owned());
        rest = rest[cut..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}

/// Columns that a text takes.
fn width(text: &str) -> usize {
    text.width()
}

/// To the eighth of a column. A bar that begins elsewhere than at the left is drawn in whole columns.
fn whole(bar: &Bar, axis: Axis, most: usize) -> String {
    if axis.origin() > 0.0 {
        return from_one(bar, axis, most);
    }
    let eighths = columns(axis.place(bar.value), most * 8);
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// To both sides of the place of 1.
fn from_one(bar: &Bar, axis: Axis, most: usize) -> String {
    let (one, end) = (columns(axis.origin(), most), columns(axis.place(bar.value), most));
    let drawn = |column: usize| match column {
        column if column == one => '│',
        column if (end.min(one)..end.max(one) + 1).contains(&column) => '█',
        _ => ' ',
    };
    (0..=most).map(drawn).collect()
}

/// To the column: parts are distinguished by how full it is.
fn stacked(bar: &Bar, chart: &Chart, most: usize) -> String {
    let (mut drawn, mut reached, mut columns_before) = (String::new(), 0.0, 0);
    for part in &bar.parts {
        reached += part.value;
        let columns = columns(chart.axis.place(reached), most);
        let at = chart.legend.iter().position(|(kind, _)| *kind == part.kind).unwrap_or(0);
        drawn += &fill(at).to_string().repeat(columns - columns_before);
        columns_before = columns;
    }
    drawn
}

fn columns(place: f64, most: usize) -> usize {
    (place * most as f64).round() as usize
}

/// The letter that parts of a kind are drawn with, by its place in the legend.
fn fill(at: usize) -> char {
    ['█', '▓', '░'][at.min(2)]
}
