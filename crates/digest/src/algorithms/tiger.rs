//! Tiger/192 (Anderson and Biham, 1996) by RustCrypto, with the padding of the paper and not that of Tiger2.

use super::rust_crypto::{chained, portable, start_saved};
use crate::state::State;

pub(crate) fn tiger() -> Box<dyn State> {
    start_saved::<tiger::Tiger>(portable, chained())
}
