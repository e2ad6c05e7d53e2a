//! Messages that are put aside and gone on with later, by another process or another backend.
//!
//! Owns the byte form of a saved state. What a state consists of is its algorithm's.
//!
//! Shapes: the bytes are `hlstate`, the version 1; one byte for the length of the algorithm's name, and the name; the
//! length of the message so far, then the lengths of chaining value and pending bytes, eight bytes each, then these two
//! themselves; at last the XXH3 of all before. Numbers are little-endian.
//!
//! ```
//! use hashlane_digest::{Algorithm, BackendChoice, SavedState};
//!
//! let sha256 = Algorithm::SHA256;
//! let mut hasher = sha256.resumable_hasher(&BackendChoice::Auto).unwrap();
//! hasher.update(b"the beginning, ");
//! let bytes = hasher.save().unwrap().to_bytes();
//!
//! let saved = SavedState::parse(&bytes)?;
//! let mut hasher = saved.resume(&BackendChoice::Auto);
//! hasher.update(&b"the beginning, and the end"[saved.length() as usize..]);
//! assert_eq!(hasher.finish(), sha256.digest(b"the beginning, and the end"));
//! # Ok::<(), hashlane_digest::InvalidState>(())
//! ```

use hashlane_lanes::Midstate;

use crate::algorithm::Algorithm;
use crate::calibration::BackendChoice;
use crate::hasher::Hasher;
use crate::tree::{SAVED_SPAN, TreeHasher};

/// The state of a message that was put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedState {
    algorithm: Algorithm,
    midstate: Midstate,
}

/// Why bytes are not a saved state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidState {
    /// They do not begin as a saved state does.
    #[error("is not a saved state of a digest")]
    Foreign,

    /// They are of a version that this one does not read.
    #[error(
        "is a saved state of version {found}, but only version {known} can be used; read the file from its beginning"
    )]
    OtherVersion {
        /// The version that they say.
        found: u8,
        /// The version that is read.
        known: u8,
    },

    /// They are not what was written: cut off, lengthened or changed.
    #[error("is a damaged saved state; read the file from its beginning")]
    Damaged,

    /// They are of an algorithm that is not registered.
    #[error("is a saved state of {name}, an unknown algorithm; read the file from its beginning")]
    UnknownAlgorithm {
        /// The name that they say.
        name: String,
    },

    /// No message of this algorithm can have been saved so.
    #[error("is not a possible state of {algorithm}; read the file from its beginning")]
    Impossible {
        /// The algorithm.
        algorithm: Algorithm,
    },
}

/// What saved states begin with; the version follows.
const MAGIC: &[u8; 7] = b"hlstate";

const VERSION: u8 = 1;

const CHECKSUM_BYTES: usize = 8;

impl Hasher {
    /// The state of the message, to be gone on with later. [`SavedState::length`] says how much of it is in there. `None`
    /// where this state cannot be put aside: [`Algorithm::resumable_hasher`] gives one that can, where there is one.
    pub fn save(&self) -> Option<SavedState> {
        SavedState::new(self.algorithm(), self.midstate()?).ok()
    }
}

impl TreeHasher {
    /// A hasher that goes on with a message that was put aside, behind [`SavedState::length`]. `None` if it is of another
    /// algorithm.
    ///
    /// # Panics
    /// The part length is not a power of two, is less than [`crate::tree::MIN_PART_LENGTH`], or is more than [`SAVED_SPAN`].
    pub fn resume(part_length: usize, saved: &SavedState) -> Option<Self> {
        assert!(part_length as u64 <= SAVED_SPAN, "a part length is at most {SAVED_SPAN}, not {part_length}");
        let mut tree = Self::new(part_length);
        (saved.algorithm == tree.algorithm && tree.restore(&saved.midstate)).then_some(tree)
    }

    /// The message so far, up to its last whole [`SAVED_SPAN`]: what came since is not in it. Nothing of it is, if parts are
    /// longer than that.
    pub fn save(&self) -> SavedState {
        SavedState::new(self.algorithm, self.midstate()).expect("it is a state of this algorithm")
    }
}

impl SavedState {
    /// The state of a message, if its algorithm can be in it.
    pub(crate) fn new(algorithm: Algorithm, midstate: Midstate) -> Result<Self, InvalidState> {
        let mut hasher = algorithm.resumable_hasher(&BackendChoice::Auto);
        let is_possible = hasher.as_mut().is_some_and(|hasher| hasher.restore(&midstate));
        if is_possible {
            Ok(Self { algorithm, midstate })
        } else {
            Err(InvalidState::Impossible { algorithm })
        }
    }

    /// What [`SavedState::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are something else, or were changed, or are of an algorithm or a version that is not known here.
    pub fn parse(bytes: &[u8]) -> Result<Self, InvalidState> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(InvalidState::Foreign)?;
        let (&found, _) = rest.split_first().ok_or(InvalidState::Foreign)?;
        if found != VERSION {
            return Err(InvalidState::OtherVersion { found, known: VERSION });
        }
        let (body, sum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(InvalidState::Damaged)?;
        if checksum(body) != *sum {
            return Err(InvalidState::Damaged);
        }
        let mut rest = body.get(MAGIC.len() + 1..).ok_or(InvalidState::Damaged)?;
        let (name, midstate) = fields(&mut rest).filter(|_| rest.is_empty()).ok_or(InvalidState::Damaged)?;
        let algorithm = Algorithm::all().find(|algorithm| algorithm.name().as_bytes() == name);
        let unknown = || InvalidState::UnknownAlgorithm { name: String::from_utf8_lossy(name).into_owned() };
        Self::new(algorithm.ok_or_else(unknown)?, midstate)
    }

    /// The byte form, some hundred bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Midstate { length, chaining, pending } = &self.midstate;
        let name = self.algorithm.name().as_bytes();
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, u8::try_from(name.len()).expect("names of algorithms are short")]);
        bytes.extend(name);
        for number in [*length, chaining.len() as u64, pending.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(chaining);
        bytes.extend(pending);
        bytes.extend(checksum(&bytes));
        bytes
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Bytes of the message that are in it: whoever goes on goes on behind them.
    pub fn length(&self) -> u64 {
        self.midstate.length
    }

    /// A hasher that goes on with the message, by whatever backend is chosen.
    pub fn resume(&self, choice: &BackendChoice) -> Hasher {
        let hasher = self.algorithm.resumable_hasher(choice);
        let mut hasher = hasher.expect("there was one when the state was made");
        let is_restored = hasher.restore(&self.midstate);
        assert!(is_restored, "the state was possible when it was made");
        hasher
    }
}

/// The name of the algorithm, and the state.
fn fields<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], Midstate)> {
    let (&length, behind) = rest.split_first()?;
    *rest = behind;
    let name = take(rest, length.into())?;
    let length = number(rest)?;
    let (chaining, pending) = (number(rest)?, number(rest)?);
    let chaining = take(rest, chaining)?.to_vec();
    let pending = take(rest, pending)?.to_vec();
    Some((name, Midstate { length, chaining, pending }))
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    take(rest, 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn take<'a>(rest: &mut &'a [u8], count: u64) -> Option<&'a [u8]> {
    let (taken, behind) = rest.split_at_checked(usize::try_from(count).ok()?)?;
    *rest = behind;
    Some(taken)
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let digest = Algorithm::XXH3.digest(bytes);
    digest.as_bytes().try_into().expect("it has 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(name: &str, midstate: Midstate) -> SavedState {
        SavedState { algorithm: Algorithm::named(name).unwrap(), midstate }
    }

    #[test]
    fn the_byte_form_is_what_the_module_says() {
        let midstate = Midstate { length: 0x0102, chaining: vec![7; 4], pending: vec![] };
        let bytes = saved("xor32", midstate).to_bytes();
        let body: Vec<u8> = [
            &b"hlstate\x01\x05xor32"[..],
            &[2, 1, 0, 0, 0, 0, 0, 0],
            &[4, 0, 0, 0, 0, 0, 0, 0],
            &[0; 8],
            &[7; 4],
        ]
        .concat();
        let (written, sum) = bytes.split_last_chunk::<8>().unwrap();
        assert_eq!((written, Algorithm::XXH3.digest(&body).as_bytes()), (&body[..], &sum[..]));
    }

    #[test]
    fn what_is_foreign_is_told_from_what_is_damaged_and_what_cannot_be() {
        let error = |bytes: &[u8]| SavedState::parse(bytes).unwrap_err();
        let resealed = |mut bytes: Vec<u8>| {
            bytes.truncate(bytes.len() - CHECKSUM_BYTES);
            let sum = checksum(&bytes);
            [bytes, sum.to_vec()].concat()
        };
        let whole = saved("xor32", Midstate { length: 2, chaining: vec![7; 4], pending: vec![] }).to_bytes();
        assert!(SavedState::parse(&whole).is_ok());
        assert_eq!(error(b""), InvalidState::Foreign);
        assert_eq!(error(b"some text or other"), InvalidState::Foreign);
        let mut newer = whole.clone();
        newer[MAGIC.len()] = 2;
        assert_eq!(error(&newer), InvalidState::OtherVersion { found: 2, known: 1 });
        assert_eq!(error(&[&whole[..], b"x"].concat()), InvalidState::Damaged);
        let mut renamed = whole.clone();
        renamed[MAGIC.len() + 2] = b'y';
        assert_eq!(error(&resealed(renamed)), InvalidState::UnknownAlgorithm { name: "yor32".to_owned() });
        let mut huge = whole.clone();
        huge[MAGIC.len() + 2 + 5 + 8..][..8].fill(0xff);
        assert_eq!(error(&resealed(huge)), InvalidState::Damaged);
        for (name, length, chaining, pending) in [
            ("sha256", 3, 32, 2),
            ("sha256", 64, 32, 64),
            ("sha256", 0, 31, 0),
            ("xxh3", 0, 0, 0),
            ("md5", u64::MAX, 16, 63),
        ] {
            let midstate = Midstate { length, chaining: vec![1; chaining], pending: vec![1; pending] };
            let algorithm = Algorithm::named(name).unwrap();
            let bytes = saved(name, midstate).to_bytes();
            assert_eq!(error(&bytes), InvalidState::Impossible { algorithm }, "{name} {length}");
        }
    }
}
