//! Pieces of a large file or object that several machines read together: for `hashlane.spark`.
//!
//! How a piece is read and what pieces come to is the engine's: to it, a piece is a part.

use std::ffi::OsStr;
use std::ops::Range;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_digest::tree::MIN_PART_LENGTH;
use hashlane_engine::{Control, PartRecord, open_file};
use hashlane_io::Opened;
use hashlane_objects::{is_object, judge};
use hashlane_record::{Failure, ItemPath};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::records::{Batch, Columns, broken, connect};
use crate::running::{Hand, Running};
use crate::{hash, reading};

/// The one algorithm whose digest is joined.
const ALGORITHM: &str = "blake3";

/// Threads that read a piece of a file: one digests while the other waits.
const THREADS: usize = 2;

/// Ranges of an object that are on their way at a time.
const RANGES: usize = 8;

/// Reads `length` bytes from `offset` on, and returns what they have come to. `kept`: what earlier readings of this piece have come to; the
/// first that is sound, and of the state that the file is in now, is returned again. `None`: the object has to be read as a whole.
#[pyfunction]
#[pyo3(signature = (path, offset, length, kept=Vec::new()))]
pub(crate) fn read_piece<'py>(
    py: Python<'py>,
    path: &[u8],
    offset: u64,
    length: u64,
    kept: Vec<Vec<u8>>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let range = offset..offset.saturating_add(length);
    let aligned = length.checked_next_power_of_two().unwrap_or(u64::MAX).max(MIN_PART_LENGTH as u64);
    if length == 0 || !offset.is_multiple_of(aligned) {
        return Err(PyValueError::new_err(format!(
            "no piece of {length} bytes begins at {offset}; begin at a multiple of a power of two that is at least 1024 and not less than its length"
        )));
    }
    let kept: Vec<_> = kept.iter().filter_map(|kept| PartRecord::from_bytes(kept)).collect();
    let path = reading::path(path);
    let running = Running::start(py, 1, move |_: &Hand<()>, control| read(&path, range, kept, control))?;
    running.next(py)?;
    let bytes = running.end().and_then(Option::as_deref);
    Ok(bytes.map(|bytes| PyBytes::new(py, bytes)))
}

fn read(
    path: &OsStr,
    range: Range<u64>,
    kept: Vec<PartRecord>,
    control: &Arc<Control>,
) -> PyResult<Option<Vec<u8>>> {
    let item = ItemPath::from(path.as_encoded_bytes());
    if !is_object(item.as_bytes()) {
        let part = part(item.clone(), &open_file(&item), range, kept, THREADS, control);
        return Ok(part.map(|part| part.to_bytes()));
    }
    let opened = connect(&[])?.open_shared(&item);
    if opened.as_ref().is_ok_and(|object| !object.can_be_shared()) {
        return Ok(None);
    }
    let part = part(item, &opened, range, kept, RANGES, control).map(|mut part| {
        if let Some(object) = opened.as_ref().ok().filter(|_| part.record.tag.is_empty()) {
            part.record.tag = object.checksum_of_range().into();
        }
        part.to_bytes()
    });
    Ok(part)
}

fn part<O: Opened>(
    path: ItemPath,
    opened: &Result<O, Failure>,
    range: Range<u64>,
    kept: Vec<PartRecord>,
    threads: usize,
    control: &Control,
) -> Option<PartRecord> {
    let opened = opened.as_ref().map_err(|failure| *failure);
    let mut kept = kept.into_iter();
    match kept.find(|kept| opened.is_ok_and(|opened| kept.is_of(opened, &range))) {
        Some(kept) => Some(kept),
        None => PartRecord::read(path, opened, range, threads, control),
    }
}

/// Joins what the pieces of one file have come to: a row of `sum_files`, by BLAKE3. `identity`: with its columns for that.
#[pyfunction]
#[pyo3(signature = (pieces, *, identity=false))]
pub(crate) fn join_pieces(pieces: Vec<Vec<u8>>, identity: bool) -> PyResult<Batch> {
    let parts: Option<Vec<_>> = pieces.iter().map(|piece| PartRecord::from_bytes(piece)).collect();
    let Some(parts) = parts.filter(|parts| !parts.is_empty()) else {
        return Err(PyValueError::new_err("a piece is damaged, or was read by another version of hashlane"));
    };
    let checksums: Vec<_> = parts.iter().map(|part| part.record.tag.clone()).collect();
    let mut record = PartRecord::join(parts);
    judge(&mut record, checksums.iter().map(|checksum| &**checksum));
    let algorithm: Algorithm = hash::algorithm(ALGORITHM)?;
    Columns::new(&[algorithm], identity).and_then(|columns| columns.batch(&[record])).map_err(broken)
}
