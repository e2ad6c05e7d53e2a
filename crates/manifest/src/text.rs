//! What formats have in common in how they write: numbers, names, digests, fields.

mod csv;
mod digest;
mod name;

use std::io::Write as _;

pub(crate) use csv::{Fields, push_field};
pub(crate) use digest::{
    algorithm_of_length, decode, decode_plain, push_base64, push_base64_bytes, push_plain,
};
pub(crate) use name::{checked_name, path_of_both, percent_decoded, push_percent};

/// A number from 0 to 2^64 - 1, in digits only.
pub(crate) fn parse_number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Appends a number.
pub(crate) fn push_number(text: &mut Vec<u8>, number: u64) {
    // Writing to a vector does not fail.
    let _ = write!(text, "{number}");
}
