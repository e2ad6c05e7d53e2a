//! What a manifest says of itself if it lists one of several parts of a listing.

use std::fmt;
use std::str::FromStr;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Trail;

/// The algorithm that a listing is known by.
const ALGORITHM: &str = "blake3";

/// One of several parts of a listing, each in a manifest of its own. In a header it is one line of text:
///
/// ```text
/// 3/16 files=77 bytes=1024 names=2a4f…-81c0… of-files=1234 of-bytes=56789 listing=blake3:af13…
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which of them it is, from 1.
    pub index: u32,
    /// How many there are.
    pub count: u32,
    /// Files that it lists if all could be read.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The checksum of the names of all files of the parts before, and that of those names and its own.
    pub names: (Trail, Trail),
    /// The listing that it is a part of.
    pub listing: Listing,
}

/// All that was listed, the same for all parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Files of all parts.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The BLAKE3 digest of all names and sizes, in their order.
    pub digest: Digest,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, count, files, bytes, names: (before, through), listing } = self;
        let Listing { files: all_files, bytes: all_bytes, digest } = listing;
        write!(
            f,
            "{index}/{count} files={files} bytes={bytes} names={before}-{through} of-files={all_files} of-bytes={all_bytes} listing={}:{digest}",
            digest.algorithm()
        )
    }
}

impl FromStr for Shard {
    type Err = NotAShard;

    /// What is unknown in it is passed over, for versions to come.
    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let mut words = text.split_ascii_whitespace();
        let (index, count) = words.next().and_then(part).ok_or(NotAShard)?;
        let words: Vec<_> = words.filter_map(|word| word.split_once('=')).collect();
        let value = |key: &str| {
            let mut values = words.iter().filter(|(name, _)| *name == key).map(|(_, value)| *value);
            values.next().filter(|_| values.next().is_none()).ok_or(NotAShard)
        };
        let number = |key: &str| value(key)?.parse().map_err(|_| NotAShard);
        let (algorithm, hex) = value("listing")?.split_once(':').ok_or(NotAShard)?;
        let algorithm = Algorithm::named(algorithm).filter(|known| known.name() == ALGORITHM);
        let bytes = data_encoding::HEXLOWER.decode(hex.as_bytes()).map_err(|_| NotAShard)?;
        let digest = Digest::new(algorithm.ok_or(NotAShard)?, &bytes).map_err(|_| NotAShard)?;
        let listing = Listing { files: number("of-files")?, bytes: number("of-bytes")?, digest };
        let (before, through) = value("names")?.split_once('-').ok_or(NotAShard)?;
        let trail = |text: &str| text.parse().map_err(|_| NotAShard);
        let names = (trail(before)?, trail(through)?);
        let (files, bytes) = (number("files")?, number("bytes")?);
        // Part of a whole that is less.
        if files > listing.files || bytes > listing.bytes {
            return Err(NotAShard);
        }
        Ok(Self { index, count, files, bytes, names, listing })
    }
}

/// Which part of how many: `3/16`. `None` if it is neither.
pub fn part(text: &str) -> Option<(u32, u32)> {
    let (index, count) = text.split_once('/')?;
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    let (index, count) = (number(index)?, number(count)?);
    (1..=count).contains(&index).then_some((index, count))
}

/// A text that says of no part of a listing what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it does not say which shard this is")]
pub struct NotAShard;

#[cfg(test)]
mod tests {
    use super::*;

    fn shard() -> Shard {
        let digest = Algorithm::named(ALGORITHM).expect("it is registered").digest(b"x");
        let mut through = Trail::default();
        through.pass(b"a");
        let listing = Listing { files: 99, bytes: 2, digest };
        Shard { index: 3, count: 16, files: 77, bytes: 1, names: (Trail::default(), through), listing }
    }

    #[test]
    fn a_shard_is_read_back_from_its_text() {
        let text = shard().to_string();
        assert!(text.starts_with("3/16 files=77 bytes=1 names=0000"), "{text}");
        assert!(text.contains(" of-files=99 of-bytes=2 listing=blake3:"), "{text}");
        assert_eq!(text.parse(), Ok(shard()));
        assert_eq!(format!("{text} more=1 word").parse(), Ok(shard()));
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        let text = shard().to_string();
        for (what, other) in [
            ("3/16", "0/16"),
            ("3/16", "17/16"),
            ("3/16", "3"),
            ("3/16", "+3/16"),
            ("files=77", "files=-1"),
            ("files=77", "files=100"),
            ("bytes=1", "bytes=3"),
            ("names=0", "names="),
            ("files=77", "files=77 files=78"),
            ("of-files", "off-files"),
            ("blake3:", "sha256:"),
            ("blake3:", "blake3:0"),
        ] {
            assert_eq!(text.replacen(what, other, 1).parse::<Shard>(), Err(NotAShard), "{other}");
        }
        assert_eq!("".parse::<Shard>(), Err(NotAShard));
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,80}") {
            if let Ok(shard) = text.parse::<Shard>() {
                assert_eq!(shard.to_string().parse(), Ok(shard));
            }
        }
    }
}
