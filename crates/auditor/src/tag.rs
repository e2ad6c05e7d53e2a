//! What is known of a file, on its way through the engine and back with its record.

use hashlane_catalog::{CataloguePart, Content, Error, ItemId, Result, State, blob_of, digests_of};
use hashlane_digest::Algorithm;
use hashlane_record::bytes::{Rest, put_number, put_time};

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

/// The first byte of what is known, and that of a new name.
const KNOWN: u8 = 1;
const NEW: u8 = 0;

impl Tag {
    pub(crate) fn encode(&self) -> Box<[u8]> {
        let mut bytes = Vec::with_capacity(128);
        let known = match self {
            Self::New(number) => {
                bytes.push(NEW);
                put_number(&mut bytes, *number as u64);
                return bytes.into();
            }
            Self::Known(known) => known,
        };
        bytes.extend([KNOWN, known.state.number() as u8]);
        for number in [known.item.0, known.from.0, known.listed] {
            put_number(&mut bytes, number as u64);
        }
        let content = &known.content;
        for number in [content.size, content.inode] {
            bytes.push(u8::from(number.is_some()));
            put_number(&mut bytes, number.unwrap_or(0));
        }
        for time in [content.modified, content.changed] {
            bytes.push(u8::from(time.is_some()));
            put_time(&mut bytes, time.unwrap_or_default());
        }
        bytes.extend(blob_of(&content.digests).unwrap_or_default());
        bytes.into()
    }

    pub(crate) fn decode(bytes: &[u8], algorithms: &[Algorithm]) -> Result<Self> {
        Self::of(Rest(bytes), algorithms).unwrap_or_else(|| {
            Err(Error::damaged(CataloguePart::Note, "what was known of a file is cut off"))
        })
    }

    fn of(mut rest: Rest<'_>, algorithms: &[Algorithm]) -> Option<Result<Self>> {
        if rest.byte()? == NEW {
            return Some(Ok(Self::New(rest.number()? as i64)));
        }
        let state = State::of_number(i64::from(rest.byte()?));
        let [item, from, listed] = rest.numbers()?.map(|number| number as i64);
        let mut number = || Some((rest.byte()?, rest.number()?));
        let [size, inode] =
            [number()?, number()?].map(|(is_there, number)| (is_there == 1).then_some(number));
        let mut time = || Some((rest.byte()?, rest.time()?));
        let [modified, changed] = [time()?, time()?].map(|(is_there, time)| (is_there == 1).then_some(time));
        Some(state.and_then(|state| {
            let digests = digests_of(algorithms, rest.0)?;
            let content = Content { size, modified, changed, inode, digests };
            Ok(Self::Known(Known { item: ItemId(item), from: ItemId(from), state, content, listed }))
        }))
    }
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
        let digests = blob_of(&known.content.digests).expect("two digests");
        for tag in [Tag::New(0), Tag::New(i64::MAX), Tag::Known(known), Tag::Known(unread)] {
            let bytes = tag.encode();
            assert_eq!(Tag::decode(&bytes, &algorithms).expect("whole"), tag);
            for end in 0..bytes.len() {
                // Without its digests it is whole, too.
                let is_whole = bytes.len() - end == digests.len();
                assert!(Tag::decode(&bytes[..end], &algorithms).is_err() || is_whole, "{end}");
            }
        }
    }
}
