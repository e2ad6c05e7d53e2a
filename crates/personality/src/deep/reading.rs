//! Reads files in pieces, and their beginnings, as the original does: each piece has its line when it is read, whatever becomes of
//! the file, and there may be any number of them.
//!
//! One file after the other, in memory of one block. The engine keeps pieces until it knows that the file kept still.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use hashlane_digest::{Algorithm, Digest, Hasher};
use hashlane_engine::{Halt, Taken};

use super::settings::Files;

/// Bytes read at once.
const BLOCK_BYTES: usize = 128 << 10;

/// Bytes that the first digest of triage is of.
const FIRST_BYTES: usize = 512;

/// A stretch of a file, with its digests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) digests: &'a [Digest],
}

/// What is known of a file when it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    pub(super) size: u64,
    pub(super) digests: Vec<Digest>,
}

/// Why a file has no digest.
#[derive(Debug)]
pub(super) enum Unread {
    /// The system refused to open it.
    Open(io::Error),
    /// The system refused to read on from here.
    Read(u64, io::Error),
    /// It changed meanwhile.
    Unstable,
    /// Who takes the pieces takes no more.
    Stopped(Halt),
}

/// Takes pieces.
pub(super) type Each<'a> = &'a mut dyn FnMut(Piece<'_>) -> Taken;

/// Reads files, and shows their pieces.
pub(super) struct FileReading {
    /// Of whole files.
    whole: Vec<Hasher>,
    /// Of the present piece.
    piece: Vec<Hasher>,
    piece_bytes: Option<u64>,
    block: Vec<u8>,
}

impl FileReading {
    pub(super) fn new(algorithms: &[Algorithm], files: &Files) -> Self {
        let hashers = |wanted: bool| {
            let wanted = algorithms.iter().filter(|_| wanted);
            wanted.map(|algorithm| algorithm.hasher()).collect()
        };
        Self {
            whole: hashers(true),
            piece: hashers(files.piece.is_some()),
            piece_bytes: files.piece.map(u64::from),
            block: vec![0; BLOCK_BYTES],
        }
    }

    /// Reads an open file to its end.
    pub(super) fn file(&mut self, file: &mut File, each: Each<'_>) -> Result<Whole, Unread> {
        let before = file.metadata().map_err(Unread::Open)?;
        let whole = self.stream(file, each)?;
        let after = file.metadata().map_err(|error| Unread::Read(whole.size, error))?;
        let state = |facts: &std::fs::Metadata| {
            (facts.len(), facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec())
        };
        // Files of /proc have content and no size.
        let is_cut = after.len() != 0 && after.len() != whole.size;
        if after.is_file() && (state(&before) != state(&after) || is_cut) {
            return Err(Unread::Unstable);
        }
        Ok(whole)
    }

    /// Reads whatever comes to its end.
    pub(super) fn stream(&mut self, input: &mut dyn Read, each: Each<'_>) -> Result<Whole, Unread> {
        self.whole.iter_mut().chain(&mut self.piece).for_each(Hasher::reset);
        let mut block = std::mem::take(&mut self.block);
        let read = self.blocks(input, &mut block, each);
        self.block = block;
        let (size, offset) = read?;
        if self.piece_bytes.is_some() && (size > offset || size == 0) {
            self.show_piece(offset, size, each)?;
        }
        Ok(Whole { size, digests: finished(&mut self.whole) })
    }

    /// Reads block by block; gives the size, and where the last piece begins.
    fn blocks(
        &mut self,
        input: &mut dyn Read,
        block: &mut [u8],
        each: Each<'_>,
    ) -> Result<(u64, u64), Unread> {
        let (mut size, mut offset) = (0, 0);
        loop {
            let mut rest = match input.read(block) {
                Ok(0) => return Ok((size, offset)),
                Ok(count) => &block[..count],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Unread::Read(size, error)),
            };
            self.whole.iter_mut().for_each(|hasher| hasher.update(rest));
            let Some(piece_bytes) = self.piece_bytes else {
                size += rest.len() as u64;
                continue;
            };
            while !rest.is_empty() {
                let room = usize::try_from(piece_bytes - (size - offset)).unwrap_or(usize::MAX);
                let (now, later) = rest.split_at(room.min(rest.len()));
                self.piece.iter_mut().for_each(|hasher| hasher.update(now));
                size += now.len() as u64;
                rest = later;
                if size - offset == piece_bytes {
                    self.show_piece(offset, size, each)?;
                    offset = size;
                }
            }
        }
    }

    fn show_piece(&mut self, offset: u64, size: u64, each: Each<'_>) -> Result<(), Unread> {
        let digests = finished(&mut self.piece);
        each(Piece { offset, length: size - offset, digests: &digests }).map_err(Unread::Stopped)
    }
}

/// The digest of the first 512 bytes of a file, which is left as it was.
pub(super) fn of_beginning(file: &File, algorithm: Algorithm) -> io::Result<Digest> {
    let (mut beginning, mut length) = ([0; FIRST_BYTES], 0);
    while length < FIRST_BYTES {
        match file.read_at(&mut beginning[length..], length as u64) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(algorithm.digest(&beginning[..length]))
}

fn finished(hashers: &mut [Hasher]) -> Vec<Digest> {
    hashers.iter_mut().map(Hasher::finish).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;

    /// Gives seven bytes at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(7).min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }

    fn read(content: &[u8], piece: u64) -> (Vec<(u64, u64, Digest)>, Whole) {
        let md5 = Algorithm::MD5;
        let files = Files { piece: NonZeroU64::new(piece), ..Files::default() };
        let mut pieces = Vec::new();
        let whole = FileReading::new(&[md5], &files).stream(&mut Slowly(content), &mut |piece| {
            pieces.push((piece.offset, piece.length, piece.digests[0]));
            Ok(())
        });
        (pieces, whole.unwrap())
    }

    #[test]
    fn pieces_are_the_stretches_of_the_file_and_the_last_is_what_is_left() {
        let md5 = Algorithm::MD5;
        let content: Vec<u8> = (0..1000).map(|number| number as u8).collect();
        for (piece, expected) in [(1, 1000), (10, 100), (300, 4), (999, 2), (1000, 1), (5000, 1)] {
            let (pieces, whole) = read(&content, piece);
            assert_eq!(pieces.len(), expected);
            let chunks = content.chunks(piece as usize).enumerate();
            let of_chunks =
                chunks.map(|(at, chunk)| (at as u64 * piece, chunk.len() as u64, md5.digest(chunk)));
            assert!(of_chunks.eq(pieces.iter().copied()), "{piece}");
            assert_eq!((whole.size, whole.digests[0]), (1000, md5.digest(&content)));
        }
    }

    #[test]
    fn an_empty_file_is_one_empty_piece() {
        let (pieces, whole) = read(b"", 10);
        assert_eq!(pieces, [(0, 0, whole.digests[0])]);
    }
}
