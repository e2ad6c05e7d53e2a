//! Records leave in the order of their numbers.
//!
//! Invariants: a number leaves once, and after all smaller ones; what waits in memory stays below a limit, except when the
//! temporary file cannot be written: then the caller is asked to begin nothing new until it shrinks.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use hashlane_sort::Spill;

use crate::record_codec::Codec;
use crate::verdict::Finished;

/// What a record takes besides its name and tag: itself, its node in the map, allocation overhead.
const RECORD_BYTES: usize = 400;

/// Puts finished entries in order.
#[derive(Debug)]
pub(crate) struct Order {
    next: u64,
    /// Boxed: the map moves what it holds about, several at a time.
    waiting: BTreeMap<u64, Box<Finished>>,
    waiting_bytes: usize,
    /// Memory for what waits, in bytes.
    window_bytes: usize,
    spill: Option<Spill>,
    codec: Codec,
    directory: PathBuf,
    cannot_spill: bool,
}

impl Order {
    /// An empty order that keeps `window_bytes` in memory and makes its temporary file, if it needs one, in `directory`.
    pub(crate) fn new(window_bytes: usize, directory: PathBuf) -> Self {
        Self {
            next: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            window_bytes,
            spill: None,
            codec: Codec::default(),
            directory,
            cannot_spill: false,
        }
    }

    /// Takes a finished entry, and gives it back if it is the next in order. Others may follow it: [`Order::pop`].
    pub(crate) fn add(&mut self, finished: Finished) -> Option<Finished> {
        if finished.number() == self.next {
            self.next += 1;
            return Some(finished);
        }
        self.waiting_bytes += size(&finished);
        self.waiting.insert(finished.number(), Box::new(finished));
        if self.waiting_bytes > self.window_bytes && !self.cannot_spill {
            self.cannot_spill = self.spill().is_err();
        }
        None
    }

    /// The number that all wait for, if more waits than should, with no file to put it into.
    pub(crate) fn next_if_full(&self) -> Option<u64> {
        (self.cannot_spill && self.waiting_bytes > self.window_bytes).then_some(self.next)
    }

    /// The next in order, if it is there.
    pub(crate) fn pop(&mut self) -> io::Result<Option<Finished>> {
        let finished = match self.waiting.first_key_value() {
            Some((&number, _)) if number == self.next => self.pop_waiting(),
            _ => self.pop_spilled(Some(self.next))?,
        };
        self.next += u64::from(finished.is_some());
        Ok(finished)
    }

    /// The smallest there is, gaps or not: for a run that was stopped.
    pub(crate) fn pop_any(&mut self) -> io::Result<Option<Finished>> {
        let waiting = self.waiting.first_key_value().map(|(&number, _)| number);
        let spilled = self.spill.as_ref().and_then(Spill::first).map(|(key, _)| number_of(key));
        match (waiting, spilled) {
            (Some(waiting), Some(spilled)) if spilled < waiting => self.pop_spilled(None),
            (None, Some(_)) => self.pop_spilled(None),
            _ => Ok(self.pop_waiting()),
        }
    }

    fn pop_waiting(&mut self) -> Option<Finished> {
        let (_, finished) = self.waiting.pop_first()?;
        self.waiting_bytes -= size(&finished);
        Some(*finished)
    }

    fn pop_spilled(&mut self, number: Option<u64>) -> io::Result<Option<Finished>> {
        let Some(spill) = &mut self.spill else { return Ok(None) };
        let Some((key, payload)) = spill.first() else { return Ok(None) };
        if number.is_some_and(|number| number != number_of(key)) {
            return Ok(None);
        }
        let finished = self.codec.decode(number_of(key), payload)?;
        spill.drop_first()?;
        Ok(Some(finished))
    }

    /// Moves all that waits to the temporary file.
    fn spill(&mut self) -> io::Result<()> {
        let codec = &mut self.codec;
        let encoded: Vec<([u8; 8], Vec<u8>)> = self
            .waiting
            .iter()
            .map(|(number, finished)| (number.to_be_bytes(), codec.encode(finished)))
            .collect();
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::new(&self.directory)?),
        };
        spill.add(encoded.iter().map(|(number, payload)| (&number[..], &payload[..])))?;
        self.waiting.clear();
        self.waiting_bytes = 0;
        Ok(())
    }
}

fn number_of(key: &[u8]) -> u64 {
    u64::from_be_bytes(key.try_into().expect("keys are numbers of eight bytes"))
}

fn size(finished: &Finished) -> usize {
    match finished {
        Finished::Record(record) => {
            let pieces = record.pieces.as_ref().map_or(0, |pieces| pieces.memory_bytes());
            RECORD_BYTES
                + record.path.as_bytes().len()
                + record.tag.len()
                + size_of_val(&record.digests[..])
                + pieces
        }
        Finished::Output { .. } => RECORD_BYTES,
        Finished::Excluded(excluded) => RECORD_BYTES + excluded.path.as_bytes().len() + excluded.tag.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Excluded;
    use hashlane_digest::Algorithm;
    use hashlane_record::{
        Cause, Dispute, Failure, Instability, ItemPath, ObjectState, Obstacle, Operation, Outcome, Pieces,
        Record,
    };
    use proptest::prelude::*;
    use std::num::NonZeroU64;
    use std::sync::LazyLock;

    const WINDOW_BYTES: usize = 1 << 20;

    /// One of each kind in which a reading ends, with each obstacle.
    fn outcomes() -> &'static [Outcome] {
        static OUTCOMES: LazyLock<Vec<Outcome>> = LazyLock::new(|| {
            let operations = [
                Operation::List,
                Operation::Open,
                Operation::Read,
                Operation::Stat,
                Operation::FromMedium,
                Operation::Divide,
            ];
            let changes = [Instability::Shrank, Instability::Grew, Instability::Modified];
            let disputed = [(true, 3), (false, 1 << 40)];
            let disputed =
                disputed.map(|(is_read_twice, offset_bytes)| Dispute { is_read_twice, offset_bytes });
            let obstacles = Obstacle::ALL.iter().copied().map(Cause::Obstacle);
            let causes = [Cause::System(5), Cause::Remote(503)].into_iter().chain(obstacles);
            let failed = causes.zip(operations.into_iter().cycle()).zip(7..);
            let failed =
                failed.map(|((cause, operation), offset_bytes)| Failure { operation, cause, offset_bytes });
            std::iter::once(Outcome::Read)
                .chain(changes.map(Outcome::Unstable))
                .chain(disputed.map(Outcome::Disputed))
                .chain(failed.map(Outcome::Failed))
                .collect()
        });
        &OUTCOMES
    }

    fn record(number: u64, path: &[u8]) -> Record {
        let digest = Algorithm::SHA256.digest(path);
        Record {
            number,
            path: ItemPath::from(path),
            outcome: outcomes()[number as usize % outcomes().len()],
            facts: None,
            digests: if number.is_multiple_of(2) { vec![digest] } else { Vec::new() },
            pieces: number.is_multiple_of(5).then(|| {
                let columns = vec![(digest.algorithm(), [digest.as_bytes(), digest.as_bytes()].concat())];
                Pieces::new(NonZeroU64::new(10).expect("not 0"), 11, columns).expect("two pieces").into()
            }),
            digested_bytes: number * 7,
            origin: Default::default(),
            medium: Default::default(),
            state: ObjectState::new(
                (number.is_multiple_of(3)).then_some("e"),
                (number.is_multiple_of(7)).then_some("v"),
            )
            .map(Box::new),
            tag: path.into(),
        }
    }

    #[test]
    fn records_leave_in_order_also_when_most_of_them_had_to_be_spilled() {
        let mut order = Order::new(WINDOW_BYTES, std::env::temp_dir());
        let total = 60_000;
        // Number 0 comes last, as a huge first file would.
        for number in (1..total).rev() {
            let path = format!("some/directory/file {number}");
            assert!(order.add(Finished::Record(record(number, path.as_bytes()))).is_none());
            assert!(order.waiting_bytes <= WINDOW_BYTES, "memory is bounded");
            assert!(order.pop().expect("readable").is_none());
        }
        assert!(order.spill.is_some(), "the test is about spilling");
        let first = order.add(Finished::Output { number: 0 });
        assert_eq!(first.map(|first| first.number()), Some(0));
        let excluded =
            |number| Excluded { number, path: ItemPath::from("passed over"), tag: b"t"[..].into() };
        for number in total..2 * total {
            order.add(Finished::Excluded(excluded(number)));
        }
        for number in 1..2 * total {
            match order.pop().expect("readable").expect("there") {
                Finished::Record(found) => {
                    assert_eq!(found, record(number, format!("some/directory/file {number}").as_bytes()));
                }
                Finished::Output { number } => panic!("{number} left before"),
                Finished::Excluded(found) => assert!(number >= total && found == excluded(number)),
            }
        }
        assert!(order.pop().expect("readable").is_none());
    }

    #[test]
    fn a_spilled_record_ends_as_it_did_before_with_each_obstacle_and_when_it_is_disputed() {
        let mut order = Order::new(0, std::env::temp_dir());
        let total = 1 + outcomes().len() as u64;
        for number in (1..total).rev() {
            order.add(Finished::Record(record(number, b"name")));
        }
        assert!(order.spill.is_some(), "the test is about spilling");
        order.add(Finished::Output { number: 0 });
        for number in 1..total {
            let Some(Finished::Record(found)) = order.pop().expect("readable") else { panic!("no {number}") };
            assert_eq!(found.outcome, outcomes()[number as usize % outcomes().len()]);
        }
    }

    #[test]
    fn a_directory_that_takes_no_temporary_file_stops_the_intake_and_loses_nothing() {
        let mut order = Order::new(WINDOW_BYTES, "/nonexistent".into());
        for number in 1..60_000 {
            order.add(Finished::Record(record(number, b"name")));
        }
        assert_eq!(order.next_if_full(), Some(0));
        assert!(order.add(Finished::Record(record(0, b"name"))).is_some());
        for number in 1..60_000 {
            assert_eq!(order.pop().expect("readable").map(|finished| finished.number()), Some(number));
        }
        assert_eq!(order.next_if_full(), None);
    }

    #[test]
    fn a_stopped_run_yields_what_is_there_in_order() {
        let mut order = Order::new(WINDOW_BYTES, std::env::temp_dir());
        for number in [7, 3, 5] {
            order.add(Finished::Record(record(number, b"name")));
        }
        let mut left = Vec::new();
        while let Some(finished) = order.pop_any().expect("readable") {
            left.push(finished.number());
        }
        assert_eq!(left, [3, 5, 7]);
    }

    proptest! {
        #[test]
        fn every_order_of_arrival_gives_the_same_order_of_departure(numbers in Just((0..200u64).collect::<Vec<_>>()).prop_shuffle()) {
            let mut order = Order::new(WINDOW_BYTES, std::env::temp_dir());
            let mut left = Vec::new();
            for number in numbers {
                let mut next = order.add(Finished::Record(record(number, &number.to_le_bytes())));
                while let Some(finished) = next {
                    left.push(finished.number());
                    next = order.pop().expect("readable");
                }
            }
            prop_assert_eq!(left, (0..200).collect::<Vec<_>>());
        }
    }
}
