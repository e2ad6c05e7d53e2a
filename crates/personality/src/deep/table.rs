//! Sets of known files that are tables (NSRL, Hashkeeper, iLook), row by row as the originals take them.
//!
//! They look for two columns, of the name and of the digest, and never at the rest: rows are longer or shorter than the header,
//! and quotation marks stand anywhere, also in sets that iLook itself wrote. `hashlane_manifest` reads such sets strictly, for a row
//! that is not as its header says may be damaged; a set that was good enough for `md5deep -m` has to match the same files here.

use std::io::Cursor;

use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::{ReadOptions, Reader};
use memchr::memchr3;

/// Which columns of a row are asked for.
pub(super) struct DigestTable {
    algorithm: Algorithm,
    /// From 0.
    name: usize,
    digest: usize,
}

/// The columns of names in any of the tables.
const NAMES: [&str; 2] = ["FileName", "file_name"];

/// The columns of digests in any of the tables.
const DIGESTS: [(&str, &str); 8] = [
    ("MD5", "md5"),
    ("hash", "md5"),
    ("V1Hash", "md5"),
    ("V3Hash", "md5"),
    ("V4Hash", "md5"),
    ("SHA-1", "sha1"),
    ("HashSHA1", "sha1"),
    ("HashSHA256", "sha256"),
];

impl DigestTable {
    /// The table that a file is which begins so, if it has digests of the algorithm.
    pub(super) fn of(text: &[u8], algorithm: Algorithm) -> Option<Self> {
        let header = text.split(|&byte| byte == b'\n').next()?.trim_ascii_end();
        let options = ReadOptions { algorithm: Some(algorithm), ..ReadOptions::default() };
        let reader = Reader::open(Cursor::new(header), &options).ok()?;
        if !["nsrl", "hashkeeper", "ilook"].contains(&reader.format().name()) {
            return None;
        }
        let place = |is_it: &dyn Fn(&str) -> bool| {
            (0..).map_while(|n| column(header, n)).position(|name| str::from_utf8(name).is_ok_and(is_it))
        };
        let name = place(&|name| NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)))?;
        let digest = place(&|name| {
            let is_it =
                |(known, of): &(&str, &str)| of == &algorithm.name() && name.eq_ignore_ascii_case(known);
            DIGESTS.iter().any(is_it)
        })?;
        Some(Self { algorithm, name, digest })
    }

    /// Digest and name of a row.
    pub(super) fn record<'a>(&self, row: &'a [u8]) -> Option<(Digest, &'a [u8])> {
        // A row ends with its first carriage return, wherever that stands.
        let row = &row[..memchr3(b'\r', b'\n', 0, row).unwrap_or(row.len())];
        let name = column(row, self.name)?;
        let bytes = data_encoding::HEXLOWER_PERMISSIVE.decode(column(row, self.digest)?).ok()?;
        Some((Digest::new(self.algorithm, &bytes).ok()?, name))
    }
}

/// A column of a row, from 0, without a quotation mark at either end. Commas between two quotation marks separate nothing.
fn column(row: &[u8], wanted: usize) -> Option<&[u8]> {
    let mut quoted = false;
    let mut columns = row.split(|&byte| {
        quoted ^= byte == b'"';
        byte == b',' && !quoted
    });
    let column = columns.nth(wanted)?;
    let column = column.strip_prefix(b"\"").unwrap_or(column);
    Some(column.strip_suffix(b"\"").unwrap_or(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_behind_whatever_quotation_marks_there_are() {
        let row = br#""a,b",c"d,e",""f"",,"g,h"#;
        let columns: Vec<_> = (0..).map_while(|n| column(row, n)).collect();
        assert_eq!(columns, [&b"a,b"[..], b"c\"d,e", b"\"f\"", b"", b"g,h"]);
        assert_eq!(column(b"", 0), Some(&b""[..]));
        assert_eq!(column(b"\"", 0), Some(&b""[..]));
    }
}
