//! Whirlpool (ISO/IEC 10118-3:2004, the final version of the design) by RustCrypto.

use super::rust_crypto::{chained, portable, start_saved};
use crate::state::State;

pub(crate) fn whirlpool() -> Box<dyn State> {
    start_saved::<whirlpool::Whirlpool>(portable, chained())
}
