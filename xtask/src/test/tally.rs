//! Counts what `cargo test` prints: results and skips.

use std::collections::{BTreeMap, BTreeSet};

/// What the test binaries said so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) ignored: u64,
    skips: BTreeMap<String, u64>,
    /// What is not the project's, and was not there: to be seen, and no failure anywhere.
    left_out: BTreeSet<String>,
    /// Between `successes:` and what follows it: the output of tests that passed.
    within_successes: bool,
}

impl Tally {
    /// Takes in one line of output; true if it is worth showing.
    pub(super) fn take_in(&mut self, line: &str) -> bool {
        let line = without_colours(line);
        if line.starts_with("SKIPPED:") {
            *self.skips.entry(line).or_default() += 1;
            return true;
        }
        if line.starts_with("LEFT OUT:") {
            self.left_out.insert(line);
            return true;
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            self.add(result);
            self.within_successes = false;
        } else if line == "successes:" {
            self.within_successes = true;
        } else if line == "failures:" {
            self.within_successes = false;
        }
        !self.within_successes
    }

    /// Reasons of skips, with how often each was given.
    pub(super) fn skips(&self) -> impl Iterator<Item = (&str, u64)> {
        self.skips.iter().map(|(line, times)| (line.as_str(), *times))
    }

    /// What was left out for want of data that is not the project's.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &str> {
        self.left_out.iter().map(String::as_str)
    }

    /// How many skips there were.
    pub(super) fn skipped(&self) -> u64 {
        self.skips.values().sum()
    }

    /// Adds a result line, `ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
    fn add(&mut self, result: &str) {
        let counts = result.split_once(". ").map_or(result, |(_, counts)| counts);
        for part in counts.split("; ") {
            let Some((number, what)) = part.split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

/// The line without terminal escapes of the form `ESC [ ... letter`, the only ones that test binaries use.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|letter: char| letter.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
        plain.push_str(&piece[end..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed_over_binaries_and_through_colours() {
        let mut tally = Tally::default();
        tally.take_in(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.1s",
        );
        tally.take_in("test result: \u{1b}[31mFAILED\u{1b}[0m. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!((tally.passed, tally.failed, tally.ignored), (14, 3, 1));
    }

    #[test]
    fn output_of_passing_tests_is_hidden_but_for_skips() {
        let mut tally = Tally::default();
        let shown = |tally: &mut Tally, line: &str| tally.take_in(line);
        assert!(shown(&mut tally, "test a ... ok"));
        assert!(!shown(&mut tally, "successes:"));
        assert!(!shown(&mut tally, "chatter"));
        assert!(shown(&mut tally, "SKIPPED: no rhash"));
        assert!(shown(&mut tally, "SKIPPED: no rhash"));
        assert!(shown(&mut tally, "LEFT OUT: no data"));
        assert!(shown(&mut tally, "failures:"));
        assert!(shown(&mut tally, "thread 'b' panicked"));
        assert_eq!(tally.skips().collect::<Vec<_>>(), [("SKIPPED: no rhash", 2)]);
        assert_eq!(tally.skipped(), 2);
        assert_eq!(tally.left_out().collect::<Vec<_>>(), ["LEFT OUT: no data"]);
    }
}
