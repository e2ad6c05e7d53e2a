//! A word list for machines that have no dictionary: as many lines as american-english has and about as many bytes, the same on
//! every machine, whatever it runs.
//!
//! Words are made of syllables, so that they repeat themselves as those of people do. Owns its numbers: those of a library may
//! become others with its next version, and the list with them.

use std::collections::BTreeSet;

use hashlane_io::SplitMix;

/// What the list is called in cells and tables.
pub(super) const NAME: &str = "word-list";

/// Lines of the dictionary american-english, 2020.12.07.
pub(super) const LINES: usize = 104_334;

/// Seed of the list. Another one is another list, and figures of it are not comparable.
pub(super) const SEED: u64 = 1;

/// How syllables begin, what is in their middle, and how they end.
const SYLLABLE: [&[&str]; 3] = [
    &[
        "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "bl", "br",
        "ch", "cl", "cr", "dr", "fl", "fr", "gl", "gr", "pl", "pr", "qu", "sc", "sh", "sl", "sp", "st",
        "str", "th", "tr",
    ],
    &["a", "e", "i", "o", "u", "a", "e", "i", "o", "a", "e", "ai", "ea", "ee", "ou", "y"],
    &["", "", "n", "r", "s", "t", "l", "d", "m", "ck", "nd", "ng", "nt", "rd", "st"],
];

/// What words end with that come of others.
const ENDINGS: [&str; 8] = ["'s", "'s", "'s", "s", "ed", "ing", "er", "ly"];

/// The list: a word on each line, sorted by its bytes, each once.
pub(super) fn word_list(seed: u64) -> Vec<u8> {
    let mut numbers = Numbers(SplitMix::new(seed));
    let mut words = BTreeSet::new();
    while words.len() < LINES {
        let mut word = String::new();
        for _ in 0..1 + (numbers.below(8) + numbers.below(8)) / 6 {
            SYLLABLE.iter().for_each(|parts| word += numbers.one_of(parts));
        }
        // A sixth of all are names.
        if numbers.below(6) == 0 {
            word[..1].make_ascii_uppercase();
        }
        if numbers.below(3) == 0 && words.len() + 1 < LINES {
            words.insert(format!("{word}{}", numbers.one_of(&ENDINGS)));
        }
        words.insert(word);
    }
    words.into_iter().flat_map(|word| (word + "\n").into_bytes()).collect()
}

/// Choices that are the same everywhere.
struct Numbers(SplitMix);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        (self.0.next() >> 32) % bound
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use hashlane_digest::Algorithm;

    use super::*;

    #[test]
    fn the_list_is_the_same_everywhere_and_like_a_dictionary() {
        let list = word_list(SEED);
        let text = std::str::from_utf8(&list).expect("letters");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), LINES);
        assert!(lines.is_sorted_by(|one, other| one < other), "sorted, and each once");
        // american-english has 985,084.
        assert!((900_000..1_080_000).contains(&list.len()), "{}", list.len());
        let of_people = |line: &&&str| line.ends_with("'s");
        assert!(lines.iter().filter(of_people).count() > LINES / 20);
        // Another list would be other work: whoever changes it changes its name too.
        let sha256 = Algorithm::SHA256;
        assert_eq!(
            sha256.digest(&list).to_string(),
            "96ae77ce6a6b0cc24b32de60827ba3f876a09c8a69f076ee3e2db21a30cc0f06"
        );
        assert_ne!(word_list(SEED + 1), list);
    }
}
