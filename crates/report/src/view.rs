//! What is shown of a subject: the same on a terminal and on a page.

use crate::charts::{Chart, Curve};
use crate::tables::Table;

/// What is shown of a run or of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// What was measured: `Check-up`.
    pub title: String,
    /// What it comes to, in sentences.
    pub findings: Vec<String>,
    /// Bars.
    pub charts: Vec<Chart>,
    /// Curves over sizes.
    pub curves: Vec<Curve>,
    /// All figures.
    pub tables: Vec<Table>,
}
