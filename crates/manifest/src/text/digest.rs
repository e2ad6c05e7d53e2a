//! Digests as text: plain, or base64 (RFC 4648 section 4, with its padding). Plain is hexadecimal of either case, and of C4 the text that all
//! programs write.
//!
//! For a known algorithm the length says which: only 2 and 4 bytes have as many characters in both, and those
//! end in `=` in base64, which is not a hexadecimal digit.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest, MAX_DIGEST_LENGTH};

use crate::error::Error;
use crate::hex;
use crate::problem::ProblemKind;
use crate::shape::{BASE64_BYTES, LEAST_BYTES_OF_BLAKE2B, algorithms_of_length};

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
    use crate::shape::measure;

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
