//! What a list loses that is written in another format.

use std::collections::BTreeSet;

use hashlane_digest::{Algorithm, Digest};

use crate::format::Format;
use crate::item::Item;

/// What entries had that the list which is written does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    not_held: BTreeSet<Lost>,
    without_header: bool,
    digests: BTreeSet<&'static str>,
}

/// Something that a format may have no place for. In the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lost {
    Sizes,
    Times,
    Pieces,
    Inodes,
    EntityTags,
    Versions,
}

impl Lost {
    fn name(self) -> &'static str {
        match self {
            Self::Sizes => "sizes",
            Self::Times => "times",
            Self::Pieces => "digests of pieces",
            Self::Inodes => "inodes",
            Self::EntityTags => "entity tags",
            Self::Versions => "versions",
        }
    }
}

impl Losses {
    /// Takes note of an entry that was written. `has_inodes`: the list that is written holds them ([`crate::Writer::has_inodes`]).
    pub fn note(&mut self, item: &Item, format: Format, has_inodes: bool, algorithms: &[Algorithm]) {
        let is_lost = |division| !format.holds_pieces(division);
        let state = item.state.as_deref().filter(|_| !format.holds_states());
        let lost = [
            (Lost::Sizes, item.size.is_some() && !format.holds_sizes()),
            (Lost::Times, item.modified.is_some() && !format.holds_times()),
            (Lost::Pieces, item.division().is_some_and(is_lost)),
            (Lost::Inodes, item.inode.is_some() && !format.holds_inodes()),
            (Lost::EntityTags, state.is_some_and(|state| state.etag.is_some())),
            (Lost::Versions, state.is_some_and(|state| state.version.is_some())),
        ];
        self.not_held.extend(lost.into_iter().filter(|(_, is_lost)| *is_lost).map(|(lost, _)| lost));
        self.without_header |= item.inode.is_some() && format.holds_inodes() && !has_inodes;
        let of_pieces =
            item.pieces.iter().flat_map(|pieces| pieces.columns()).map(|(algorithm, _)| *algorithm);
        for algorithm in item.digests.iter().map(Digest::algorithm).chain(of_pieces) {
            if !algorithms.contains(&algorithm) {
                self.digests.insert(algorithm.name());
            }
        }
    }

    /// What the format has no place for, in words.
    pub fn not_held(&self) -> Vec<&'static str> {
        self.not_held.iter().map(|lost| lost.name()).collect()
    }

    /// Whether inodes were left out because the list does not say when it was made: they would prove nothing.
    pub fn lost_undated_inodes(&self) -> bool {
        self.without_header
    }

    /// The names of algorithms whose digests were not wanted.
    pub fn digests(&self) -> Vec<&'static str> {
        self.digests.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use hashlane_record::{ObjectState, Timestamp};

    use super::*;

    #[test]
    fn each_thing_that_a_format_does_not_hold_is_named_once() {
        let md5 = Algorithm::MD5;
        let item = Item {
            path: "a".into(),
            size: Some(1),
            modified: Some(Timestamp { seconds: 1, nanos: 0 }),
            digests: vec![md5.digest(b"a"), Algorithm::SHA1.digest(b"a")],
            state: ObjectState::new(Some("e"), Some("v")).map(Box::new),
            inode: NonZeroU64::new(7),
            ..Item::default()
        };
        let of = |name: &str, has_inodes| {
            let mut losses = Losses::default();
            for _ in 0..2 {
                losses.note(&item, Format::named(name).expect("a format"), has_inodes, &[md5]);
            }
            (losses.not_held().join(", "), losses.lost_undated_inodes(), losses.digests().join(", "))
        };
        let sha1 = "sha1".to_owned();
        assert_eq!(
            of("gnu", false),
            ("sizes, times, inodes, entity tags, versions".to_owned(), false, sha1.clone())
        );
        assert_eq!(of("parquet", true), ("entity tags, versions".to_owned(), false, sha1.clone()));
        assert_eq!(of("jsonl", true), (String::new(), false, sha1.clone()));
        assert_eq!(of("jsonl", false), (String::new(), true, sha1));
        assert_eq!(Losses::default().not_held(), [""; 0]);
    }
}
