//! MD4 (RFC 1320) and MD5 (RFC 1321) by RustCrypto: portable code on every CPU, because no instruction set helps a single
//! message.

use super::rust_crypto::{portable, start};
use crate::hasher::State;

pub(crate) fn md4() -> Box<dyn State> {
    start::<md4::Md4>(portable)
}

pub(crate) fn md5() -> Box<dyn State> {
    start::<md5::Md5>(portable)
}
