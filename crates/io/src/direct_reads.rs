//! Reads past the page cache.

use std::os::fd::AsFd as _;

use rustix::io::{Errno, pread};

use crate::block::Block;
use crate::memory::BLOCK_ALIGNMENT;
use crate::open_file::OpenFile;
use crate::past_cache::LONGEST_PIECE_BYTES;
use crate::read_state::Terms;
use crate::source::Source;
use crate::step::Step;

/// Brings what is wanted past the page cache, or fails.
pub(crate) fn read_direct(step: &mut Step, file: &OpenFile, terms: Terms) -> Result<(), Errno> {
    while step.wanted > 0 {
        match read_piece(step, file, terms) {
            Ok(Piece::Middle) => {}
            Ok(Piece::Last) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether more may follow a piece.
enum Piece {
    Middle,
    Last,
}

/// One read: into the block if offset and memory are aligned and an aligned length fits, else beside it.
fn read_piece(step: &mut Step, file: &OpenFile, terms: Terms) -> Result<Piece, Errno> {
    let alignment = terms.alignment;
    let skipped = (step.offset % alignment as u64) as usize;
    let wanted = step.wanted;
    let room = step.completion.block.room();
    let fitting = wanted.next_multiple_of(alignment).min(room.len() / alignment * alignment);
    let (count, ends) =
        if skipped == 0 && room.as_ptr().addr().is_multiple_of(alignment.min(BLOCK_ALIGNMENT)) && fitting > 0
        {
            let count = pread(file.as_fd(), &mut room[..fitting], step.offset)?;
            (count.min(wanted), is_end(count, alignment))
        } else {
            let length = (skipped + wanted).next_multiple_of(alignment).min(LONGEST_PIECE_BYTES);
            let mut piece = Block::new(length);
            let count = pread(file.as_fd(), &mut piece.room()[..length], step.offset - skipped as u64)?;
            piece.advance(count);
            let bytes = piece.bytes().get(skipped..).unwrap_or_default();
            let bytes = &bytes[..bytes.len().min(wanted)];
            room[..bytes.len()].copy_from_slice(bytes);
            (bytes.len(), is_end(count, alignment) || bytes.is_empty())
        };
    step.brought(count, if terms.promised { Source::Device } else { Source::Unknown });
    Ok(if ends { Piece::Last } else { Piece::Middle })
}

/// A direct read stops off an alignment only at the end of the file.
fn is_end(count: usize, alignment: usize) -> bool {
    count == 0 || !count.is_multiple_of(alignment)
}
