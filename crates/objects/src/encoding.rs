//! Names and values as URLs have them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a part of a query holds as it is.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What a path holds as it is. Dots too: a server that takes `..` in it for a way up is not the server of such a key.
pub(crate) const PATH: &AsciiSet = &QUERY.remove(b'/');

/// A text as a part of a query has it.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}
