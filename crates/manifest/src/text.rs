//! What formats have in common in how they write: numbers, names, digests, fields.

mod csv;
mod digest;

use std::io::Write as _;

use data_encoding::BASE64;
use hashlane_record::ItemPath;
use memchr::memchr;

use crate::hex;
use crate::problem::ProblemKind;

pub(crate) use csv::{Fields, push_field};
pub(crate) use digest::{
    algorithm_of_length, decode, decode_plain, push_base64, push_base64_bytes, push_plain,
};

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

/// A name, unless no file can have it.
pub(crate) fn checked_name(name: &[u8]) -> Result<ItemPath, ProblemKind> {
    if name.is_empty() {
        return Err(ProblemKind::EmptyName);
    }
    if memchr(0, name).is_some() {
        return Err(ProblemKind::NulInName);
    }
    Ok(ItemPath::new(name))
}

/// The name behind its text and its base64 form. Where there is the latter it counts, and the text must be
/// what it shows as.
pub(crate) fn path_of_both(text: Option<&[u8]>, base64: Option<&[u8]>) -> Result<ItemPath, ProblemKind> {
    let Some(base64) = base64 else {
        return checked_name(text.unwrap_or_default());
    };
    let name = BASE64.decode(base64).map_err(|_| ProblemKind::MalformedPath)?;
    if text.is_some_and(|text| String::from_utf8_lossy(&name).as_bytes() != text) {
        return Err(ProblemKind::PathsDisagree);
    }
    checked_name(&name)
}

/// Appends a byte of a name, as `%` and two hexadecimal digits where it may not stand there itself.
pub(crate) fn push_percent(text: &mut Vec<u8>, byte: u8, is_special: bool) {
    match is_special {
        // Writing to a vector does not fail.
        true => _ = write!(text, "%{byte:02X}"),
        false => text.push(byte),
    }
}

/// A name whose bytes may be written as `%` and two hexadecimal digits. A percent sign without them stands for itself.
pub(crate) fn percent_decoded(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [byte, behind @ ..] = rest {
        let mut value = [0];
        rest = match (byte, behind.split_at_checked(2)) {
            (b'%', Some((digits, behind))) if hex::decode(digits, &mut value) => {
                decoded.push(value[0]);
                behind
            }
            _ => {
                decoded.push(*byte);
                behind
            }
        };
    }
    decoded
}
