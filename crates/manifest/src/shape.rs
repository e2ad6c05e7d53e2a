//! What lines look like, in whatever format: told from their bytes alone.

mod digest;
mod likeness;
mod line;
mod object;

use memchr::memchr;

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
pub(crate) use object::{SCHEMA, is_object, is_our_object};

/// Whether a line is a comment, as coreutils and hashdeep see it. One with a NUL is none: records that
/// are ended by NUL would hide behind it.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&b'#') && memchr(0, line).is_none()
}

/// Whether nothing is on a line.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}
