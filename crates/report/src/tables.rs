//! Tables: what stands in them, not how they look.

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Heads of its columns. The first column holds names, the others figures but for those that are among the words.
    pub head: Vec<String>,
    /// Its rows, as long as the head.
    pub rows: Vec<Vec<String>>,
    /// Remarks below it: why something is missing, say.
    pub notes: Vec<String>,
    /// Columns that hold words as the first one does, and are aligned as it is.
    pub words: Vec<usize>,
    /// Columns that are shown only where there is room for any width.
    pub details: Vec<usize>,
}

impl Table {
    /// Whether there is anything to show of it.
    pub(crate) fn is_filled(&self) -> bool {
        !self.rows.is_empty() || !self.notes.is_empty()
    }

    /// A table without rows.
    pub fn new(title: &str, head: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            head: head.iter().map(|text| (*text).to_owned()).collect(),
            rows: Vec::new(),
            notes: Vec::new(),
            words: Vec::new(),
            details: Vec::new(),
        }
    }

    /// Removes a column.
    pub(crate) fn remove(&mut self, column: usize) {
        self.head.remove(column);
        self.rows.iter_mut().for_each(|row| _ = row.remove(column));
        for columns in [&mut self.words, &mut self.details] {
            columns.retain(|other| *other != column);
            columns.iter_mut().filter(|other| **other > column).for_each(|other| *other -= 1);
        }
    }

    /// The table without its details.
    pub(crate) fn without_details(mut self) -> Self {
        while let Some(last) = self.details.iter().max().copied() {
            self.remove(last);
        }
        self
    }

    /// Whether a column holds words, and not figures.
    pub(crate) fn has_words(&self, column: usize) -> bool {
        column == 0 || self.words.contains(&column)
    }
}

/// What the mark behind a figure means that may be nothing but chance, where one bears it.
pub(crate) fn doubt(table: &Table) -> Option<String> {
    let is_marked = |cell: &String| cell.ends_with(" ?");
    let note = "?: may be chance; the 95 % interval of the difference contains 0, or there are too few rounds for one";
    table.rows.iter().flatten().any(is_marked).then(|| note.to_owned())
}

/// In their order, and each once.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}
