//! SHA-512/224 (FIPS 180-4) by RustCrypto: the kernels have its kin, which lists are made of.

use super::rust_crypto::{portable, start};
use crate::state::State;

pub(crate) fn sha512_224() -> Box<dyn State> {
    start::<sha2::Sha512_224>(portable)
}
