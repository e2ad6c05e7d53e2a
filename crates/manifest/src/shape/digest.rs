//! What digests look like, and which algorithms they may come from.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, MAX_DIGEST_LENGTH};

use crate::hex;

/// What the longest base64 digest decodes into: whole groups of three bytes.
pub(crate) const BASE64_BYTES: usize = MAX_DIGEST_LENGTH.div_ceil(3) * 3;

/// How many bytes a digest has that is written like this, and whether it is plain.
///
/// A text of hexadecimal digits only is hexadecimal: that a base64 digest of 24 bytes or more looks so has
/// odds of less than one in 10^14, and its line then fails, it does not pass.
pub(crate) fn measure(text: &[u8]) -> Option<(usize, bool)> {
    if text.len() < 8 {
        return None;
    }
    if let Some(bytes) = plain_bytes(text) {
        return Some((bytes, true));
    }
    let mut bytes = [0; BASE64_BYTES];
    let bytes = bytes.get_mut(..BASE64.decode_len(text.len()).ok()?)?;
    BASE64.decode_mut(text, bytes).ok().map(|length| (length, false))
}

/// How many bytes a digest has that is plain.
pub(crate) fn plain_bytes(text: &[u8]) -> Option<usize> {
    if let Some(told) = Algorithm::told_by(text) {
        return Some(told.length());
    }
    (hex::is_hex(text) && text.len().is_multiple_of(2)).then_some(text.len() / 2)
}

/// What digests without a name are wherever lists are made, of the lengths that one algorithm is known for. Where there are files, it is proven.
const USUAL: [&str; 4] = ["sha1", "tiger", "sha224", "sha384"];

/// From this many hexadecimal digits on, those of md5, a word is a digest whatever stands beside it: shorter ones may be sizes and dates.
const LEAST_LONG: usize = 32;

/// Whether a word is a digest in hexadecimal that no word of a sentence looks like.
pub(crate) fn is_long_digest(word: &[u8]) -> bool {
    word.len() >= LEAST_LONG
        && hex::is_hex(word)
        && word.len().is_multiple_of(2)
        && !algorithms_of_length(word.len() / 2).is_empty()
}

/// Whether nobody doubts that digests of its length are of this algorithm where nothing names one.
pub fn is_undoubted(algorithm: Algorithm) -> bool {
    algorithm.name() == USUAL[0]
}

/// The registered algorithms that digests of this many bytes may come from where nothing names one.
pub(crate) fn algorithms_of_length(bytes: usize) -> Vec<Algorithm> {
    Algorithm::all().filter(|algorithm| algorithm.length() == bytes && !algorithm.names_itself()).collect()
}

/// The algorithm that digests of this many bytes are taken to have where nothing names one and nothing can prove one.
pub(crate) fn usual_of_length(bytes: usize) -> Option<Algorithm> {
    USUAL.into_iter().filter_map(Algorithm::named).find(|algorithm| algorithm.length() == bytes)
}

/// BLAKE2b, where digests of this many bytes may come from nothing else as well.
pub(crate) fn only_blake2b(digest_bytes: usize) -> Option<Algorithm> {
    let is_alone = digest_bytes < LEAST_BYTES_OF_BLAKE2B || algorithms_of_length(digest_bytes).is_empty();
    Algorithm::blake2b(digest_bytes).filter(|_| is_alone)
}

/// Nobody writes BLAKE2b of fewer bytes without saying so.
pub(crate) const LEAST_BYTES_OF_BLAKE2B: usize = 16;
