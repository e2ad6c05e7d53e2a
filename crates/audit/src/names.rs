//! When two names are the same, and which comes first.

use std::cmp::Ordering;
use std::hash::{BuildHasher as _, RandomState};

use memchr::memrchr;

/// How names are compared: byte for byte, or without regard to case.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    fold_case: bool,
    // Keyed at random: manifests come from others, who could prepare names that collide.
    keys: RandomState,
}

impl Names {
    pub(crate) fn new(fold_case: bool) -> Self {
        Self { fold_case, keys: RandomState::new() }
    }

    /// The order in which equal names are the same name.
    pub(crate) fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        if !self.fold_case {
            left.cmp(right)
        } else if left.is_ascii() && right.is_ascii() {
            let (left, right) = (left.iter(), right.iter());
            left.map(u8::to_ascii_lowercase).cmp(right.map(u8::to_ascii_lowercase))
        } else {
            folded(left).cmp(&folded(right))
        }
    }

    /// The order in which names that only count as the same follow each other: total.
    pub(crate) fn order(&self, left: &[u8], right: &[u8]) -> Ordering {
        self.compare(left, right).then_with(|| left.cmp(right))
    }

    /// Whether names that are spelled otherwise may be the same.
    pub(crate) fn fold_case(&self) -> bool {
        self.fold_case
    }

    /// A number that is the same for names that are spelled alike.
    pub(crate) fn hash(&self, name: &[u8]) -> u64 {
        self.keys.hash_one(name)
    }
}

/// What follows the last slash.
pub(crate) fn base_name(name: &[u8]) -> &[u8] {
    memrchr(b'/', name).map_or(name, |slash| &name[slash + 1..])
}

/// The form in which names are compared without regard to case: lower case, a character at a time. A sigma at the end of a word is like any
/// other.
pub fn folded(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(text) => text.chars().flat_map(char::to_lowercase).collect::<String>().into_bytes(),
        Err(_) => name.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_matters_unless_it_is_folded() {
        let same = |fold_case, left: &[u8], right: &[u8]| Names::new(fold_case).compare(left, right).is_eq();
        assert!(same(false, b"a/B", b"a/B") && !same(false, b"a/B", b"a/b"));
        assert!(same(true, b"a/B", b"A/b") && !same(true, b"a/B", b"a/bb"));
        assert!(same(true, "Größe ΣΑΣ".as_bytes(), "gRÖßE σας".replace('ς', "σ").as_bytes()));
        assert!(same(true, "\u{212a}".as_bytes(), b"k"), "the Kelvin sign is a capital k");
    }

    #[test]
    fn a_name_that_is_not_utf_8_folds_its_ascii_letters_only() {
        let names = Names::new(true);
        assert!(names.compare(b"A\xff\xc3\x84", b"a\xff\xc3\x84").is_eq());
        assert!(names.compare(b"\xff\xc3\x84", b"\xff\xc3\xa4").is_ne());
    }

    #[test]
    fn names_that_count_as_the_same_still_have_an_order() {
        let names = Names::new(true);
        assert!(names.order(b"A", b"a").is_lt() && names.order(b"a", b"B").is_lt());
    }

    #[test]
    fn a_base_name_is_what_follows_the_last_slash() {
        let names: [(&[u8], &[u8]); 4] = [(b"a/b/c", b"c"), (b"c", b"c"), (b"a/", b""), (b"", b"")];
        for (name, base) in names {
            assert_eq!(base_name(name), base);
        }
    }
}
