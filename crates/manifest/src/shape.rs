//! What lines look like, in whatever format, by their bytes alone.

mod digest;
mod likeness;
mod line;

use memchr::{memchr, memmem};

pub use digest::is_undoubted;
pub(crate) use digest::{
    BASE64_BYTES, LEAST_BYTES_OF_BLAKE2B, algorithms_of_length, is_long_digest, measure, only_blake2b,
    plain_bytes, usual_of_length,
};
pub(crate) use likeness::{
    LEAST_ENCODED_LEFT, LEAST_LEFT, begins_as_entry, has_digits, is_row, lacks_first_digit, seems_entry,
};
pub(crate) use line::{
    Cut, LITTLE_ENDIAN, algorithm_of_tag, cut, cut_all, lone_digest, measured, measured_digest, names_itself,
};

/// Whether a line is a comment, as coreutils and hashdeep see it. One with a NUL is none: records that
/// are ended by NUL would hide behind it.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&b'#') && memchr(0, line).is_none()
}

/// Whether nothing is on a line.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// The value of `schema` in every object.
pub(crate) const SCHEMA: &str = "hashlane-manifest";

/// Whether a line begins as an object does.
pub(crate) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Looks for the key and our value. Neither can stand inside a string, where quotation marks have
/// backslashes.
pub(crate) fn is_our_object(line: &[u8]) -> bool {
    const KEY: &[u8] = b"\"schema\"";
    if !is_object(line) {
        return false;
    }
    memmem::find_iter(line, KEY).any(|at| {
        let rest = line[at + KEY.len()..].trim_ascii_start().strip_prefix(b":").unwrap_or_default();
        let value = rest.trim_ascii_start().strip_prefix(b"\"").unwrap_or_default();
        value.strip_prefix(SCHEMA.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
    })
}

/// Whether a line seems to be an object of ours about a file, whole or not. No string holds the quoted key.
pub(crate) fn seems_our_entry(line: &[u8]) -> bool {
    is_our_object(line) && memmem::find(line, b"\"header\":").is_none()
}
