//! Pages: what an index is read in, and believed by.
//!
//! Owns what a page is, how pages are written and how they are read.
//!
//! Invariants:
//! 1. Nothing of a page is handed out before its checksum holds.
//! 2. The checksum covers the number of the page too: a page that is whole and in the place of another is damage.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;

use hashlane_digest::{Algorithm, Digest};

use crate::error::{Error, while_doing};

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Bytes of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// What a page has room for.
pub(crate) const ROOM_BYTES: usize = PAGE_BYTES - CHECKSUM_BYTES;

/// A page; once it was filled, its checksum holds.
pub(crate) type Page = [u8; PAGE_BYTES];

/// How many pages `bytes` bytes take that lie in them without gaps.
pub(crate) fn pages_of(bytes: u64) -> u64 {
    bytes.div_ceil(ROOM_BYTES as u64)
}

/// The checksum that the description is believed by.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    number(&Algorithm::CRC32C.digest(bytes))
}

/// The checksum of a page: of its number and of what is in it.
fn checksum_of_page(page: u64, room: &[u8]) -> u32 {
    let mut hasher = Algorithm::CRC32C.hasher();
    hasher.update(&page.to_le_bytes());
    hasher.update(room);
    number(&hasher.finish())
}

/// A CRC-32C as a number.
fn number(digest: &Digest) -> u32 {
    digest.as_bytes().iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The pages of a file that is read.
#[derive(Debug)]
pub(crate) struct Pages {
    file: File,
}

impl Pages {
    pub(crate) fn new(file: File) -> Self {
        Self { file }
    }

    /// Reads page `number`; `what` names it if it is damaged.
    pub(crate) fn fill(&self, number: u64, page: &mut Page, what: &'static str) -> Result<(), Error> {
        let damaged = Error::Damaged { what };
        let Some(offset) = number.checked_mul(PAGE_BYTES as u64) else { return Err(damaged) };
        self.read(page, offset)?;
        let (room, sum) = page.split_at(ROOM_BYTES);
        if checksum_of_page(number, room).to_le_bytes() == *sum { Ok(()) } else { Err(damaged) }
    }

    /// Reads bytes that no page is of.
    pub(crate) fn read(&self, bytes: &mut [u8], offset: u64) -> Result<(), Error> {
        match self.file.read_exact_at(bytes, offset) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(Error::Damaged { what: "it is too short" })
            }
            result => result.map_err(while_doing("reading the index")),
        }
    }

    /// Reads bytes that lie in pages without gaps, from byte `at` of those that begin with page `first`.
    pub(crate) fn stream(&self, first: u64, at: u64, what: &'static str) -> Stream<'_> {
        let room = ROOM_BYTES as u64;
        let (next, skip) = (first.saturating_add(at / room), (at % room) as usize);
        Stream { pages: self, next, page: [0; PAGE_BYTES], used: ROOM_BYTES, skip, what }
    }
}

/// Bytes that lie in pages without gaps.
pub(crate) struct Stream<'a> {
    pages: &'a Pages,
    /// The page that is read next.
    next: u64,
    page: Page,
    /// How much of the page is used up.
    used: usize,
    /// How much of the next page comes before what is wanted.
    skip: usize,
    what: &'static str,
}

impl Stream<'_> {
    /// The next bytes.
    pub(crate) fn take(&mut self, mut bytes: &mut [u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            if self.used == ROOM_BYTES {
                self.pages.fill(self.next, &mut self.page, self.what)?;
                self.next += 1;
                self.used = std::mem::take(&mut self.skip);
            }
            let count = bytes.len().min(ROOM_BYTES - self.used);
            let (now, later) = bytes.split_at_mut(count);
            now.copy_from_slice(&self.page[self.used..][..count]);
            self.used += count;
            bytes = later;
        }
        Ok(())
    }
}

/// The pages of a file that is written.
pub(crate) struct PageWriter {
    writer: BufWriter<File>,
    /// The page that is being filled.
    page: Vec<u8>,
    /// Its number.
    number: u64,
}

impl PageWriter {
    /// Writes to an empty file.
    pub(crate) fn new(file: File) -> Self {
        let writer = BufWriter::with_capacity(1 << 18, file);
        Self { writer, page: Vec::with_capacity(PAGE_BYTES), number: 0 }
    }

    /// The number of the page that is being filled.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether nothing is in that page yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.page.is_empty()
    }

    /// Writes bytes that go on in the next page where this one ends.
    pub(crate) fn stream(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(ROOM_BYTES - self.page.len()));
            self.page.extend_from_slice(now);
            if self.page.len() == ROOM_BYTES {
                self.end()?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Writes a row into the page, which is ended before if it has no room for it.
    pub(crate) fn row(&mut self, row: &[u8]) -> io::Result<()> {
        debug_assert!(row.len() <= ROOM_BYTES);
        self.page.extend_from_slice(row);
        if self.page.len() + row.len() > ROOM_BYTES { self.end() } else { Ok(()) }
    }

    /// Ends the page, unless it is empty: zeros and the checksum.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        self.page.resize(ROOM_BYTES, 0);
        let checksum = checksum_of_page(self.number, &self.page);
        self.page.extend_from_slice(&checksum.to_le_bytes());
        self.writer.write_all(&self.page)?;
        self.page.clear();
        self.number += 1;
        Ok(())
    }

    /// Writes what stands behind all pages, and gives the file back.
    pub(crate) fn finish(mut self, behind: &[u8]) -> io::Result<File> {
        self.end()?;
        self.writer.write_all(behind)?;
        self.writer.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_page_in_the_place_of_another_is_damage() {
        let mut writer = PageWriter::new(tempfile::tempfile().unwrap());
        writer.stream(&[b'x'; 2 * ROOM_BYTES]).unwrap();
        let file = writer.finish(b"").unwrap();
        let mut first = [0; PAGE_BYTES];
        file.read_exact_at(&mut first, 0).unwrap();
        file.write_all_at(&first, PAGE_BYTES as u64).unwrap();
        let pages = Pages::new(file);
        pages.fill(0, &mut first, "a page").unwrap();
        let error = pages.fill(1, &mut first, "a page").unwrap_err();
        assert!(matches!(error, Error::Damaged { what: "a page" }), "{error}");
    }

    #[test]
    fn bytes_come_back_from_any_place_on() {
        let bytes: Vec<u8> = (0..3 * ROOM_BYTES).map(|at| (at % 251) as u8).collect();
        let mut writer = PageWriter::new(tempfile::tempfile().unwrap());
        // In pieces of every length that meets the end of a page.
        for piece in bytes.chunks(ROOM_BYTES / 3 + 1) {
            writer.stream(piece).unwrap();
        }
        let pages = Pages::new(writer.finish(b"").unwrap());
        for at in [0, 1, ROOM_BYTES - 1, ROOM_BYTES, ROOM_BYTES + 1, 2 * ROOM_BYTES - 1] {
            let mut found = vec![0; ROOM_BYTES + 1];
            pages.stream(0, at as u64, "a page").take(&mut found).unwrap();
            assert_eq!(found, bytes[at..][..found.len()], "{at}");
        }
    }
}
