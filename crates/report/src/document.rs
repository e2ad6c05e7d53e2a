//! A page of sections that are not about a run: lists of things with names that anybody may have chosen.
//!
//! What stands in it is distinguished by kind, not by marks in the text: a name is shown as it is, whatever is in it.

use maud::{Markup, html};

use crate::charts::Chart;
use crate::page::{Head, bars, document, rich};
use crate::view::View;

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What kind of page it is: `collection report`.
    pub title: String,
    /// What it says, in one line.
    pub heading: String,
    /// When, and by what.
    pub when: String,
    /// The program that makes it, with its version.
    pub program: String,
    /// What it comes to, in sentences. What stands between two backticks is code, so names have no place here.
    pub summary: Vec<String>,
    /// What follows, from the top.
    pub parts: Vec<Part>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// What the parts behind it are about.
    Heading(Words),
    /// The title of the parts behind it, below a heading.
    Title(String),
    /// What has to be seen before anything else, in lines.
    Alert(Vec<Words>),
    /// A paragraph.
    Text(Words),
    /// What is called how, a line each.
    Facts(Vec<(String, Words)>),
    /// Bars.
    Chart(Chart),
    /// A table.
    Listing(Listing),
}

/// A table of things that have names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// Heads of its columns. The first column holds names.
    pub head: Vec<String>,
    /// Columns that hold words as the first one does, and not figures.
    pub words: Vec<usize>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Remarks below it.
    pub notes: Vec<Words>,
}

impl Listing {
    /// How a column is aligned, if not as figures are.
    fn class(&self, column: usize) -> Option<&'static str> {
        (column > 0 && self.words.contains(&column)).then_some("word")
    }
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// As many as the head has.
    pub cells: Vec<Words>,
    /// Lines below it, as wide as the table.
    pub below: Vec<Words>,
    /// It is of less importance than others.
    pub is_faint: bool,
}

/// A line of text.
pub type Words = Vec<Word>;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Text as it is.
    Plain(String),
    /// Text that stays on one line.
    Whole(String),
    /// A name that somebody chose: what is in it changes nothing around it.
    Name(String),
    /// What can be typed.
    Code(String),
}

impl Word {
    /// Text as it is.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }

    /// Text that stays on one line.
    pub fn whole(text: impl Into<String>) -> Self {
        Self::Whole(text.into())
    }

    /// A name that somebody chose.
    pub fn name(text: impl Into<String>) -> Self {
        Self::Name(text.into())
    }

    /// What can be typed.
    pub fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into())
    }
}

impl Document {
    /// The page as HTML. It loads nothing and runs nothing.
    pub fn html(&self) -> String {
        let view = View {
            title: self.title.clone(),
            findings: self.summary.clone(),
            charts: Vec::new(),
            curves: Vec::new(),
            tables: Vec::new(),
        };
        let head = Head {
            title: &self.heading,
            heading: html! { (self.heading) },
            when: &self.when,
            program: &self.program,
            doubts: Vec::new(),
        };
        document(&head, &view, &html! { @for part in &self.parts { (part_of(part)) } })
    }
}

fn part_of(part: &Part) -> Markup {
    html! {
        @match part {
            Part::Heading(text) => h2.subject { (line(text)) },
            Part::Title(text) => h3 { (text) },
            Part::Alert(lines) => div.alert { @for text in lines { p { (line(text)) } } },
            Part::Text(text) => p { (line(text)) },
            Part::Facts(facts) => dl { @for (name, fact) in facts { dt { (name) } dd { (line(fact)) } } },
            Part::Chart(chart) => section { h3 { (rich(&chart.title)) } (bars(chart)) },
            Part::Listing(listing) => (table_of(listing)),
        }
    }
}

/// On narrow screens its rows become blocks, so it says by itself what is a table, a row and a cell, and what each cell is called.
fn table_of(listing: &Listing) -> Markup {
    html! {
        @if !listing.rows.is_empty() {
            // Whoever has no mouse scrolls it by the arrow keys.
            div.wide tabindex="0" role="region" aria-label=(listing.title) {
                table.listing role="table" {
                    thead role="rowgroup" {
                        tr role="row" {
                            @for (column, head) in listing.head.iter().enumerate() {
                                th scope="col" role="columnheader" class=[listing.class(column)] { (head) }
                            }
                        }
                    }
                    tbody role="rowgroup" { @for row in &listing.rows { (row_of(listing, row)) } }
                }
            }
        }
        @for note in &listing.notes { p.caption { (line(note)) } }
    }
}

fn row_of(listing: &Listing, row: &Row) -> Markup {
    let class = match (row.is_faint, row.below.is_empty()) {
        (true, true) => Some("faint"),
        (true, false) => Some("faint goes-on"),
        (false, true) => None,
        (false, false) => Some("goes-on"),
    };
    html! {
        tr role="row" class=[class] {
            @for (column, cell) in row.cells.iter().enumerate() {
                @if column == 0 {
                    th scope="row" role="rowheader" { (line(cell)) }
                } @else {
                    td role="cell" class=[listing.class(column)] data-head=[listing.head.get(column)] { (line(cell)) }
                }
            }
        }
        @if !row.below.is_empty() {
            tr.below role="row" {
                td role="cell" colspan=(row.cells.len()) { @for more in &row.below { div { (line(more)) } } }
            }
        }
    }
}

fn line(words: &Words) -> Markup {
    html! {
        @for word in words {
            @match word {
                Word::Plain(text) => (text),
                Word::Whole(text) => span.whole { (text) },
                Word::Name(text) => bdi { (text) },
                Word::Code(text) => code { (text) },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_text_whatever_is_in_it() {
        let hostile = "<script>alert(`1`)</script>\"'&";
        let words =
            || vec![Word::name(hostile), Word::code(hostile), Word::plain(hostile), Word::whole(hostile)];
        let row = Row { cells: vec![words(), words()], below: vec![words()], is_faint: true };
        let listing = Listing {
            title: hostile.into(),
            head: vec![hostile.into(), hostile.into()],
            words: vec![1],
            rows: vec![row],
            notes: vec![words()],
        };
        let parts = vec![
            Part::Heading(words()),
            Part::Title(hostile.into()),
            Part::Alert(vec![words(), words()]),
            Part::Text(words()),
            Part::Facts(vec![(hostile.into(), words())]),
            Part::Listing(listing),
        ];
        let of = || hostile.to_owned();
        let page =
            Document { title: of(), heading: of(), when: of(), program: of(), summary: vec![of()], parts }
                .html();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("default-src 'none'"));
        let quoted = page.split('"').skip(1).step_by(2);
        assert!(quoted.clone().all(|value| !value.contains(['<', '>'])), "{:?}", quoted.collect::<Vec<_>>());
    }
}
