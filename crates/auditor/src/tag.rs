//! What is known of a file, on its way through the engine and back with its record.

use hashlane_catalog::{Content, Error, ItemId, Part, Result, State, blob_of, digests_of, nanos_of, time_of};
use hashlane_digest::Algorithm;

/// What is known of a file that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Nothing: its name is new. Its number in the listing.
    New(i64),
    /// An item.
    Known(Known),
}

/// An item that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) item: ItemId,
    /// From here up to the item no other item of the collection has a number.
    pub(crate) from: ItemId,
    pub(crate) state: State,
    pub(crate) content: Content,
    /// The number in the listing of one that was known by its name only; else 0.
    pub(crate) listed: i64,
}

/// Bytes of a known item before its digests.
const FIXED: usize = 8 + 8 + 8 + 1 + 4 * 9;

/// Bytes of the number of a new file, fewer than any item has.
const NEW: usize = 8;

impl Tag {
    pub(crate) fn encode(&self) -> Box<[u8]> {
        let known = match self {
            Self::New(number) => return number.to_le_bytes().into(),
            Self::Known(known) => known,
        };
        let content = &known.content;
        let digests = blob_of(&content.digests).unwrap_or_default();
        let mut bytes = Vec::with_capacity(FIXED + digests.len());
        bytes.extend_from_slice(&known.item.0.to_le_bytes());
        bytes.extend_from_slice(&known.from.0.to_le_bytes());
        bytes.extend_from_slice(&known.listed.to_le_bytes());
        bytes.push(known.state.number() as u8);
        let [size, inode] = [content.size, content.inode].map(|number| number.map(|number| number as i64));
        let [modified, changed] = [content.modified, content.changed].map(|time| time.map(nanos_of));
        for value in [size, modified, changed, inode] {
            bytes.push(u8::from(value.is_some()));
            bytes.extend_from_slice(&value.unwrap_or(0).to_le_bytes());
        }
        bytes.extend(digests);
        bytes.into()
    }

    pub(crate) fn decode(bytes: &[u8], algorithms: &[Algorithm]) -> Result<Self> {
        if let Ok(number) = <[u8; NEW]>::try_from(bytes) {
            return Ok(Self::New(i64::from_le_bytes(number)));
        }
        Self::known(bytes, algorithms)
            .unwrap_or_else(|| Err(Error::damaged(Part::Note, "what was known of a file is cut off")))
    }

    fn known(bytes: &[u8], algorithms: &[Algorithm]) -> Option<Result<Self>> {
        let mut rest = bytes;
        let item = ItemId(number(&mut rest)?);
        let from = ItemId(number(&mut rest)?);
        let listed = number(&mut rest)?;
        let (state, behind) = rest.split_first()?;
        rest = behind;
        let mut values = [None; 4];
        for value in &mut values {
            let (is_there, behind) = rest.split_first()?;
            rest = behind;
            let number = number(&mut rest)?;
            *value = (*is_there == 1).then_some(number);
        }
        let [size, modified, changed, inode] = values;
        let state = match State::of_number(i64::from(*state)) {
            Ok(state) => state,
            Err(error) => return Some(Err(error)),
        };
        Some(digests_of(algorithms, rest).map(|digests| {
            let content = Content {
                size: size.map(|size| size as u64),
                modified: modified.map(time_of),
                changed: changed.map(time_of),
                inode: inode.map(|inode| inode as u64),
                digests,
            };
            Self::Known(Known { item, from, state, content, listed })
        }))
    }
}

/// Takes a number from the beginning.
fn number(bytes: &mut &[u8]) -> Option<i64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(i64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use hashlane_record::Timestamp;

    use super::*;

    #[test]
    fn what_is_known_comes_back_as_it_was() {
        let algorithms = ["md5", "sha256"].map(|name| Algorithm::named(name).expect("registered"));
        let content = Content {
            size: Some(u64::MAX),
            modified: Some(Timestamp { seconds: -1, nanos: 999_999_999 }),
            changed: None,
            inode: Some(7),
            digests: algorithms.iter().map(|algorithm| algorithm.digest(b"x")).collect(),
        };
        let known =
            Known { item: ItemId(70_000), from: ItemId(65_536), state: State::Unsettled, content, listed: 0 };
        let unread = Known { content: Content::default(), state: State::Unread, listed: 9, ..known.clone() };
        for tag in [Tag::New(0), Tag::New(i64::MAX), Tag::Known(known), Tag::Known(unread)] {
            let bytes = tag.encode();
            assert_eq!(Tag::decode(&bytes, &algorithms).expect("whole"), tag);
            for end in 0..bytes.len() {
                let is_whole = end == FIXED || end == NEW;
                assert!(Tag::decode(&bytes[..end], &algorithms).is_err() || is_whole, "{end}");
            }
        }
    }
}
