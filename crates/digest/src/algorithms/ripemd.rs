//! RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996) by RustCrypto.

use super::rust_crypto::{portable, start};
use crate::hasher::State;

pub(crate) fn ripemd160() -> Box<dyn State> {
    start::<ripemd::Ripemd160>(portable)
}
