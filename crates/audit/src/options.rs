//! How names and contents are compared.

use crate::judge::Rules;

/// How names and contents are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// An input may have the name of a known file in another case: letters of ASCII, and those of Unicode where the name
    /// is valid UTF-8. A name spelled exactly as listed takes precedence, so an input spelled otherwise waits for the end
    /// and gets a known file that is left over. Known files whose names differ in case only are different files.
    pub fold_case: bool,
    /// Files without content are matched by name only, never moved, copied or lost as duplicates: they all
    /// look alike.
    pub ignore_empty_content: bool,
    /// What is distinguished beyond the content.
    pub rules: Rules,
}
