//! What the first bytes of a database say: <https://www.sqlite.org/fileformat.html#the_database_header>.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Result};
use std::path::Path;

/// How a file of SQLite says that it is a catalogue: `hlct`.
pub(crate) const APPLICATION_ID: i32 = 0x686c_6374;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: u64 = 100;

/// Which application a database says that it is of, if it begins as one.
pub(crate) fn application_of(path: &Path) -> Result<Option<i32>> {
    let (mut magic, mut rest, mut application) = ([0; 16], [0; 52], [0; 4]);
    let mut file = File::open(path)?;
    for part in [&mut magic[..], &mut rest, &mut application] {
        match file.read_exact(part) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
    }
    Ok((magic == *b"SQLite format 3\0").then(|| i32::from_be_bytes(application)))
}
