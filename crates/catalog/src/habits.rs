//! What the place of a collection is like, and how its promise is meant.
//!
//! Kept as JSON, so that one more word needs no other table. What is on record from before a word was there has what holds for it anyway:
//! [`Habits::on_record`].

use serde::{Deserialize, Serialize};

/// What the place of a collection is like, and how its promise is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Habits {
    /// Nobody has said the period: it is the usual one. Files that are late are late all the same, but no forecast is held against it.
    pub is_usual_period: bool,
    /// Its place may be away for a while, as a disk is that is unplugged: that alone is not a fault.
    pub is_removable: bool,
    /// Its first audit may find no files.
    pub may_be_empty: bool,
    /// That nothing was judged for long is a fault.
    pub minds_silence: bool,
    /// The share of `hold_if` is one that the keeper has said: changes count by it, too.
    pub says_hold_percent: bool,
    /// Files are read past the page cache where that can be, and a reading from the cache keeps no promise.
    pub reads_device: bool,
}

impl Habits {
    /// Those of a collection that was registered before there were any: nothing begins to alarm because the program was replaced.
    pub fn on_record() -> Self {
        Self {
            is_usual_period: false,
            is_removable: true,
            may_be_empty: true,
            minds_silence: false,
            says_hold_percent: true,
            reads_device: false,
        }
    }

    /// Those of a collection that is registered now.
    pub fn usual() -> Self {
        Self {
            is_usual_period: false,
            is_removable: false,
            may_be_empty: false,
            minds_silence: true,
            says_hold_percent: false,
            reads_device: true,
        }
    }
}

/// What a word stands for that is not there.
impl Default for Habits {
    fn default() -> Self {
        Self::on_record()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_record_without_a_word_is_as_it_was() {
        let read = |text| serde_json::from_str::<Habits>(text).expect("habits");
        assert_eq!(read("{}"), Habits::on_record());
        assert_eq!(
            read(r#"{"is_removable":false,"a_later_word":1}"#),
            Habits { is_removable: false, ..Habits::on_record() }
        );
        let usual = Habits::usual();
        assert_eq!(read(&serde_json::to_string(&usual).expect("JSON")), usual);
    }
}
