//! RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996) by RustCrypto.

use super::rust_crypto::{chained, portable, start_saved};
use crate::state::State;

pub(crate) fn ripemd160() -> Box<dyn State> {
    start_saved::<ripemd::Ripemd160>(portable, chained())
}
