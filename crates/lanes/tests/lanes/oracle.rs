//! The same digests by RustCrypto.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use blake2::{Blake2b, Blake2b512};
use hashlane_lanes::Algorithm;
use sha2::Digest;
use sha2::digest::consts::U32;

/// The digest of a message.
pub(crate) fn digest(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    repeated(algorithm, message, 1)
}

/// The digest of a message that is `bytes`, this many times over.
pub(crate) fn repeated(algorithm: Algorithm, bytes: &[u8], times: usize) -> Vec<u8> {
    match algorithm {
        Algorithm::Md4 => by::<md4::Md4>(bytes, times),
        Algorithm::Md5 => by::<md5::Md5>(bytes, times),
        Algorithm::Sha1 => by::<sha1::Sha1>(bytes, times),
        Algorithm::Sha224 => by::<sha2::Sha224>(bytes, times),
        Algorithm::Sha256 => by::<sha2::Sha256>(bytes, times),
        Algorithm::Sha384 => by::<sha2::Sha384>(bytes, times),
        Algorithm::Sha512 => by::<sha2::Sha512>(bytes, times),
        Algorithm::Sha512_256 => by::<sha2::Sha512_256>(bytes, times),
        Algorithm::Sha3_256 => by::<sha3::Sha3_256>(bytes, times),
        Algorithm::Sha3_512 => by::<sha3::Sha3_512>(bytes, times),
        Algorithm::Blake2b => by::<Blake2b512>(bytes, times),
        Algorithm::Blake2b256 => by::<Blake2b<U32>>(bytes, times),
        Algorithm::Sm3 => by::<sm3::Sm3>(bytes, times),
        other => panic!("{other:?} has no oracle"),
    }
}

/// The same of a message that is too long to be digested for every backend: asked for with one message only.
pub(crate) fn repeated_once(algorithm: Algorithm, bytes: &[u8], times: usize) -> Vec<u8> {
    static KNOWN: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(format!("{algorithm:?}")).or_insert_with(|| repeated(algorithm, bytes, times)).clone()
}

fn by<D: Digest>(bytes: &[u8], times: usize) -> Vec<u8> {
    let mut hash = D::new();
    (0..times).for_each(|_| hash.update(bytes));
    hash.finalize().to_vec()
}

/// A block of the algorithm in bytes.
pub(crate) fn block_bytes(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Sha384 | Algorithm::Sha512 | Algorithm::Sha512_256 => 128,
        Algorithm::Sha3_256 => 136,
        Algorithm::Sha3_512 => 72,
        Algorithm::Blake2b | Algorithm::Blake2b256 => 128,
        _ => 64,
    }
}
