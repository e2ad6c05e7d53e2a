//! How names and contents are compared.

use crate::judge::Rules;

/// How names and contents are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names that differ in case only are the same: letters of ASCII, and those of Unicode where the name is
    /// valid UTF-8. A name spelled exactly as listed takes precedence, so an input spelled otherwise waits
    /// for the end.
    pub fold_case: bool,
    /// Files without content are matched by name only, never moved, copied or lost as duplicates: they all
    /// look alike.
    pub ignore_empty_content: bool,
    /// What is told apart beyond the content.
    pub rules: Rules,
}
