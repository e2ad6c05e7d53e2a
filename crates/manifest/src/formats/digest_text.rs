//! Digests as text: plain, or base64 (RFC 4648 section 4, with its padding). Plain is hexadecimal of either case, and of C4 the text that all
//! programs write.
//!
//! For a known algorithm the length says which: only 2 and 4 bytes have as many characters in both, and those
//! end in `=` in base64, which is no hexadecimal digit.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest, MAX_DIGEST_LENGTH};

use crate::error::Error;
use crate::hex;
use crate::problem::ProblemKind;

/// What the longest base64 digest decodes into: whole groups of three bytes.
const BASE64_BYTES: usize = MAX_DIGEST_LENGTH.div_ceil(3) * 3;

/// The digest of `algorithm` that a text is, plain or in base64.
pub(crate) fn decode(algorithm: Algorithm, text: &[u8]) -> Result<Digest, ProblemKind> {
    let wrong_length = || ProblemKind::DigestLength { algorithm, found: text.len() };
    let is_base64_long = text.len() == algorithm.length().div_ceil(3) * 4;
    match decode_plain(algorithm, text) {
        Err(_) if is_base64_long => {
            let mut bytes = [0; BASE64_BYTES];
            let bytes = bytes.get_mut(..text.len() / 4 * 3).ok_or_else(wrong_length)?;
            let length =
                BASE64.decode_mut(text, bytes).map_err(|_| ProblemKind::DigestDigits { algorithm })?;
            Digest::new(algorithm, &bytes[..length]).map_err(|_| wrong_length())
        }
        result => result,
    }
}

/// The digest of `algorithm` that a text is, plain.
pub(crate) fn decode_plain(algorithm: Algorithm, text: &[u8]) -> Result<Digest, ProblemKind> {
    let wrong_length = || ProblemKind::DigestLength { algorithm, found: text.len() };
    if text.len() != algorithm.text_length() {
        return Err(wrong_length());
    }
    if algorithm.names_itself() {
        return Digest::parse(algorithm, text).ok_or(ProblemKind::DigestDigits { algorithm });
    }
    // In fewer steps than a library takes: lists have millions of them.
    let mut bytes = [0; MAX_DIGEST_LENGTH];
    let bytes = bytes.get_mut(..algorithm.length()).ok_or_else(wrong_length)?;
    if !hex::decode(text, bytes) {
        return Err(ProblemKind::DigestDigits { algorithm });
    }
    Digest::new(algorithm, bytes).map_err(|_| wrong_length())
}

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

/// The algorithm of digests of this many bytes that nothing names: the only one that there is, or the one to fall back on.
pub(crate) fn algorithm_of_length(
    digest_bytes: usize,
    fallback: Option<Algorithm>,
) -> Result<Algorithm, Error> {
    let mut candidates = algorithms_of_length(digest_bytes);
    match (&candidates[..], fallback) {
        // Only who names it means BLAKE2b of a length that nothing else has.
        ([], Some(fallback)) if fallback.length() == digest_bytes => return Ok(fallback),
        ([], _) => return Err(Error::NoAlgorithmOfLength { digest_bytes }),
        _ => {}
    }
    let blake2b = Algorithm::blake2b(digest_bytes).filter(|blake2b| !candidates.contains(blake2b));
    candidates.extend(blake2b.filter(|_| digest_bytes >= LEAST_BYTES_OF_BLAKE2B));
    match (&candidates[..], fallback) {
        ([only], _) => Ok(*only),
        (several, Some(fallback)) if several.contains(&fallback) => Ok(fallback),
        _ => Err(Error::AmbiguousAlgorithm { digest_bytes, candidates }),
    }
}

/// BLAKE2b, where digests of this many bytes may come from nothing else as well.
pub(crate) fn only_blake2b(digest_bytes: usize) -> Option<Algorithm> {
    let is_alone = digest_bytes < LEAST_BYTES_OF_BLAKE2B || algorithms_of_length(digest_bytes).is_empty();
    Algorithm::blake2b(digest_bytes).filter(|_| is_alone)
}

/// Nobody writes BLAKE2b of fewer bytes without saying so.
const LEAST_BYTES_OF_BLAKE2B: usize = 16;

/// Appends a digest in base64.
pub(crate) fn push_base64(text: &mut Vec<u8>, digest: &Digest) {
    push_base64_bytes(text, digest.as_bytes());
}

/// Appends bytes in base64.
pub(crate) fn push_base64_bytes(text: &mut Vec<u8>, bytes: &[u8]) {
    let start = text.len();
    text.resize(start + BASE64.encode_len(bytes.len()), 0);
    BASE64.encode_mut(bytes, &mut text[start..]);
}

/// Appends a digest, plain.
pub(crate) fn push_plain(text: &mut Vec<u8>, digest: &Digest) {
    digest.write_text(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_of_every_algorithm_come_back() {
        for algorithm in Algorithm::all() {
            let digest = algorithm.digest(b"hashlane");
            let (mut hex, mut base64) = (Vec::new(), Vec::new());
            push_plain(&mut hex, &digest);
            push_base64(&mut base64, &digest);
            assert_eq!(decode(algorithm, &hex).unwrap(), digest);
            let upper = decode(algorithm, &hex.to_ascii_uppercase());
            assert_eq!(upper.ok(), Some(digest).filter(|_| !algorithm.names_itself()));
            assert_eq!(decode(algorithm, &base64).unwrap(), digest);
            assert_eq!(measure(&hex), Some((algorithm.length(), true)));
            assert_eq!(measure(&base64), Some((algorithm.length(), false)));
            for end in 0..hex.len() {
                assert!(decode_plain(algorithm, &hex[..end]).is_err());
            }
        }
    }

    #[test]
    fn base64_has_one_spelling_only() {
        let sha256 = Algorithm::SHA256;
        let good = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        assert_eq!(decode(sha256, good.as_bytes()).unwrap(), sha256.digest(b""));
        for bad in [
            good.replace('=', ""),
            good.replace("FU=", "FV="),
            good.replace('+', "-").replace('/', "_"),
            good.replace("FU=", "F=="),
            good.replace("FU=", "FU "),
        ] {
            assert!(decode(sha256, bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
