//! Sorts rows of equal length in bounded memory: what does not fit goes to an unnamed temporary file, run by run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::layout::{MAX_ROW_BYTES, prefix};

/// The least memory that makes sense.
const MIN_BYTES: usize = 64 << 10;

/// Bytes of memory for each row besides the row: its place in the order.
const ORDER_BYTES: usize = size_of::<(u64, u32)>();

/// Takes rows in any order.
pub(crate) struct Sorter {
    row_bytes: usize,
    /// Most rows in memory.
    most: usize,
    rows: Vec<u8>,
    /// Runs that are sorted, one behind the other in the file.
    runs: Vec<Run>,
    file: Option<File>,
    memory: usize,
}

/// A sorted run in the file.
struct Run {
    /// What is not read yet.
    from: u64,
    to: u64,
    buffer: Vec<u8>,
    /// How much of the buffer is used up.
    used: usize,
}

impl Sorter {
    /// Rows of `row_bytes`, in at most `memory` bytes.
    pub(crate) fn new(row_bytes: usize, memory: usize) -> Self {
        debug_assert!((1..=MAX_ROW_BYTES).contains(&row_bytes));
        let memory = memory.max(MIN_BYTES);
        let most = (memory / (row_bytes + ORDER_BYTES)).min(u32::MAX as usize);
        Self { row_bytes, most, rows: Vec::new(), runs: Vec::new(), file: None, memory }
    }

    /// Takes a row in.
    pub(crate) fn push(&mut self, row: &[u8]) -> io::Result<()> {
        debug_assert_eq!(row.len(), self.row_bytes);
        if self.rows.len() == self.rows.capacity() {
            // Exactly: a vector that doubles would take more than was given.
            let wanted = (2 * self.rows.len()).max(MIN_BYTES).min(self.most * self.row_bytes);
            self.rows.reserve_exact(wanted - self.rows.len());
        }
        self.rows.extend_from_slice(row);
        if self.rows.len() == self.most * self.row_bytes {
            self.spill()?;
        }
        Ok(())
    }

    /// The order of the rows in memory.
    fn order(&self) -> Vec<(u64, u32)> {
        let row = |index: u32| &self.rows[index as usize * self.row_bytes..][..self.row_bytes];
        let rows = self.rows.chunks_exact(self.row_bytes).zip(0..);
        let mut order: Vec<(u64, u32)> = rows.map(|(row, index)| (prefix(row), index)).collect();
        order.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| row(one.1).cmp(row(other.1))));
        order
    }

    /// Writes the rows in memory as a run.
    fn spill(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile()?);
        }
        let Some(file) = &self.file else { return Ok(()) };
        let from = self.runs.last().map_or(0, |run| run.to);
        let mut to = from;
        let mut buffer = Vec::with_capacity(MIN_BYTES + self.row_bytes);
        let order = self.order();
        for (_, index) in &order {
            buffer.extend_from_slice(&self.rows[*index as usize * self.row_bytes..][..self.row_bytes]);
            if buffer.len() >= MIN_BYTES {
                file.write_all_at(&buffer, to)?;
                to += buffer.len() as u64;
                buffer.clear();
            }
        }
        file.write_all_at(&buffer, to)?;
        to += buffer.len() as u64;
        self.runs.push(Run { from, to, buffer: Vec::new(), used: 0 });
        self.rows.clear();
        Ok(())
    }

    /// Hands all rows out in ascending order, equal ones as often as they came.
    pub(crate) fn drain(mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.file.is_none() {
            for (_, index) in self.order() {
                take(&self.rows[index as usize * self.row_bytes..][..self.row_bytes])?;
            }
            return Ok(());
        }
        if !self.rows.is_empty() {
            self.spill()?;
        }
        self.rows = Vec::new();
        let Some(file) = &self.file else { return Ok(()) };
        // Whole rows, and a page of them at least: with more runs than that the memory grows.
        let share = (self.memory / self.runs.len()).clamp(4096, 1 << 20) / self.row_bytes * self.row_bytes;
        let mut heads = BinaryHeap::with_capacity(self.runs.len());
        for (number, run) in self.runs.iter_mut().enumerate() {
            heads.extend(run.next(file, share, self.row_bytes)?.map(|row| Reverse((row, number))));
        }
        while let Some(Reverse((row, number))) = heads.pop() {
            take(&row[..self.row_bytes])?;
            let next = self.runs[number].next(file, share, self.row_bytes)?;
            heads.extend(next.map(|row| Reverse((row, number))));
        }
        Ok(())
    }
}

impl Run {
    /// The next row, with zeros behind it.
    fn next(
        &mut self,
        file: &File,
        share: usize,
        row_bytes: usize,
    ) -> io::Result<Option<[u8; MAX_ROW_BYTES]>> {
        if self.used == self.buffer.len() {
            let left = usize::try_from(self.to - self.from).unwrap_or(usize::MAX);
            if left == 0 {
                return Ok(None);
            }
            self.buffer.resize(share.min(left), 0);
            file.read_exact_at(&mut self.buffer, self.from)?;
            self.from += self.buffer.len() as u64;
            self.used = 0;
        }
        let mut row = [0; MAX_ROW_BYTES];
        row[..row_bytes].copy_from_slice(&self.buffer[self.used..][..row_bytes]);
        self.used += row_bytes;
        Ok(Some(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(rows: &[Vec<u8>], row_bytes: usize, most: usize) -> Vec<Vec<u8>> {
        let mut sorter = Sorter { most, ..Sorter::new(row_bytes, 0) };
        for row in rows {
            sorter.push(row).unwrap();
        }
        let mut found = Vec::new();
        sorter
            .drain(|row| {
                found.push(row.to_vec());
                Ok(())
            })
            .unwrap();
        found
    }

    proptest! {
        #[test]
        fn rows_come_out_as_a_plain_sort_has_them(
            mut rows in proptest::collection::vec(proptest::collection::vec(0_u8..3, 9), 0..200),
            most in 1_usize..50,
        ) {
            let found = sorted(&rows, 9, most);
            rows.sort();
            prop_assert_eq!(found, rows);
        }
    }

    #[test]
    fn many_rows_go_through_the_file() {
        let rows: Vec<Vec<u8>> =
            (0..40_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes().to_vec()).collect();
        let found = sorted(&rows, 4, 3000);
        assert!(found.is_sorted());
        assert_eq!(found.len(), rows.len());
    }
}
