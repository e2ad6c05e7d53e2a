//! Rows of manifests and sets, made while they are read.

use std::io::{self, Write};

use crate::peers::random::Random;

/// The digits of a digest of `bytes` bytes that belongs to a number.
pub(super) fn push_hex(text: &mut Vec<u8>, number: u64, bytes: usize, digits: &[u8; 16]) {
    let mut random = Random::for_item(bytes as u64, number);
    let mut word = 0;
    for place in 0..bytes {
        if place % 8 == 0 {
            word = random.next();
        }
        let byte = (word & 0xff) as usize;
        text.extend([digits[byte >> 4], digits[byte & 15]]);
        word >>= 8;
    }
}

pub(super) const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Bytes gathered before they are written.
const BATCH_BYTES: usize = 1 << 18;

/// Writes rows by `push` until there are enough, or until whoever reads has enough.
fn write_rows(out: &mut impl Write, rows: u64, mut push: impl FnMut(&mut Vec<u8>, u64)) -> io::Result<()> {
    let mut text = Vec::with_capacity(2 * BATCH_BYTES);
    for row in 0..rows {
        push(&mut text, row);
        if text.len() >= BATCH_BYTES || row + 1 == rows {
            match out.write_all(&text) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
            text.clear();
        }
    }
    Ok(())
}

/// Lines as sha256sum writes them, in the order of their names.
pub(super) fn write_gnu(out: &mut impl Write, rows: u64) -> io::Result<()> {
    write_rows(out, rows, |text, row| {
        push_hex(text, row, 32, LOWER);
        text.extend_from_slice(b"  ");
        text.extend_from_slice(name(row).as_bytes());
        text.push(b'\n');
    })
}

/// The name in a row.
pub(super) fn name(row: u64) -> String {
    format!("archive/{:06}/{row:010}.tif", row / 1000)
}

/// The CSV of NSRL, RDS 2.
pub(super) fn write_nsrl(out: &mut impl Write, rows: u64) -> io::Result<()> {
    out.write_all(b"\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n")?;
    write_rows(out, rows, |text, row| {
        for bytes in [20, 16, 4] {
            text.push(b'"');
            push_hex(text, row, bytes, UPPER);
            text.extend_from_slice(b"\",");
        }
        text.extend_from_slice(
            format!("\"file{row}.dll\",{},{},\"362\",\"\"\r\n", row % 65_536, row % 5000).as_bytes(),
        );
    })
}

/// Digests to look up: of every two one that [`write_nsrl`] has, all over the set.
pub(super) fn write_lookups(out: &mut impl Write, count: u64, rows: u64) -> io::Result<()> {
    let mut random = Random::new(7);
    write_rows(out, count, |text, number| {
        let row = random.next() % rows;
        text.extend_from_slice(b"sha1:");
        push_hex(text, if number % 2 == 0 { row } else { rows + row }, 20, LOWER);
        text.push(b'\n');
    })
}
