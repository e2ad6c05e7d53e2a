//! Names that a line may list which does not seem to list any, so that somebody can look whether files of these names are there.

use crate::problem::LineProblem;
use crate::shape::{LEAST_ENCODED_LEFT, LEAST_LEFT, algorithm_of_tag, has_digits};

/// How many names a line is taken to have at most. For each of them a file is looked for.
const MAX_NAMES: usize = 64;

/// How many closing parentheses a name is taken to end at.
const MAX_ENDS: usize = 4;

/// This many digits in a row are left of CRC-32 where a blank stands in their midst.
const LEAST_IN_PLACE: usize = 4;

/// This many characters are left of the base64 of SHA-1 there.
const LEAST_ENCODED_IN_PLACE: usize = 10;

/// A name that a line may list which seems to list nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleName<'a> {
    /// The name.
    pub name: &'a [u8],
    /// Whether what stands beside it looks like a digest, or the line has the shape of an entry: a word, two spaces, the name. Otherwise it
    /// may be a sentence about the file.
    pub is_listed: bool,
}

impl LineProblem {
    /// The names that the line may list, if it does not seem to list any: where one of them is that of a file, it does.
    pub fn possible_names(&self) -> impl Iterator<Item = PossibleName<'_>> {
        possible_names(self.text())
    }
}

/// The names that a line may list: what stands behind a blank, a parenthesis or one character more, to the end of the line or to a closing
/// parenthesis.
fn possible_names(line: &[u8]) -> impl Iterator<Item = PossibleName<'_>> {
    // What stood before a name was taken off with the end of its line.
    let is_cut_off = line.starts_with(b"  ") || line.starts_with(b" *");
    let line = line.trim_ascii();
    let whole = PossibleName { name: line, is_listed: is_cut_off };
    let begins = |at: usize| line[at - 1].is_ascii_whitespace() || line[at - 1] == b'(';
    let starts = (1..line.len()).filter(move |&at| begins(at) || at > 1 && begins(at - 1));
    let parts = starts.flat_map(move |start| ends(line, start).map(move |end| found(line, start, end)));
    std::iter::once(whole).filter(|whole| !whole.name.is_empty()).chain(parts).take(MAX_NAMES)
}

/// Where a name may end that begins at `start`.
fn ends(line: &[u8], start: usize) -> impl Iterator<Item = usize> {
    let is_close = move |at: &usize| line[*at] == b')';
    std::iter::once(line.len()).chain((start + 1..line.len()).filter(is_close).take(MAX_ENDS))
}

fn found(line: &[u8], start: usize, end: usize) -> PossibleName<'_> {
    let (before, after) = (&line[..start], &line[end..]);
    let words =
        before.strip_suffix(b"  ").or_else(|| before.strip_suffix(b" *")).filter(|_| end == line.len());
    let is_shaped = words.is_some_and(|words| {
        let is_word = !words.is_empty() && !words.iter().any(u8::is_ascii_whitespace);
        is_word || has_digits(words, LEAST_IN_PLACE, LEAST_ENCODED_IN_PLACE)
    });
    let has_digest = |text| has_digits(text, LEAST_LEFT, LEAST_ENCODED_LEFT);
    let is_listed = is_shaped || is_tagged(before) || has_digest(before) || has_digest(after);
    PossibleName { name: &line[start..end], is_listed }
}

/// Whether a tag and an opening parenthesis stand before a name.
fn is_tagged(before: &[u8]) -> bool {
    let tag = before.trim_ascii().strip_suffix(b"(").map(<[u8]>::trim_ascii);
    tag.is_some_and(|tag| algorithm_of_tag(tag).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a line that are among these, and whether they are listed.
    fn names<'a>(line: &'a str, there: &[&str]) -> Vec<(&'a str, bool)> {
        let text = |name: PossibleName<'a>| (std::str::from_utf8(name.name).expect("text"), name.is_listed);
        let mut names: Vec<_> = possible_names(line.as_bytes()).map(text).collect();
        names.retain(|(name, _)| there.contains(name));
        names.dedup();
        names
    }

    #[test]
    fn a_name_is_seen_beside_what_is_left_of_a_digest() {
        let there = ["a b", "c (1)"];
        for line in
            ["1a2x3c4d  a b", "1a2b3c4d! a b", "CRC3!(a b) = 1a2b3c4d", "CRC32 ,a b) = 1a2b3c4d", "a  a b"]
        {
            assert!(names(line, &there).contains(&("a b", true)), "{line}");
        }
        assert!(names("CRC3! (c (1)) = 1a2b3c4d", &there).contains(&("c (1)", true)));
        assert_eq!(names("see also a b", &there), [("a b", false)]);
        assert_eq!(names("files (a b) and others", &there), [("a b", false)]);
        assert_eq!(names("a b", &there), [("a b", false)]);
        assert_eq!(names("  a b", &there), [("a b", true)]);
        assert_eq!(names("CRC32 (a b) ", &there), [("a b", true)]);
    }
}
