//! Records as bytes, for the temporary file of one run, and for parts that are joined elsewhere: no format, never read by another version.

use std::io;
use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{
    Cause, Dispute, Facts, Failure, Instability, ItemPath, Medium, ObjectState, Obstacle, Operation, Origin,
    Outcome, Pieces, Record, Timestamp,
};

use crate::entry::Excluded;
use crate::verdict::Finished;

/// Encodes and decodes; remembers the algorithms it met, so that a digest names its own by an index.
#[derive(Debug, Default)]
pub(crate) struct Codec {
    algorithms: Vec<Algorithm>,
}

/// The first byte of a record.
const RECORD: u8 = 0;

/// The first byte of a file that is not wanted.
const EXCLUDED: u8 = 1;

const OPERATIONS: [Operation; 6] = [
    Operation::List,
    Operation::Open,
    Operation::Read,
    Operation::Stat,
    Operation::FromMedium,
    Operation::Divide,
];
const INSTABILITIES: [Instability; 3] = [Instability::Shrank, Instability::Grew, Instability::Modified];

impl Codec {
    /// All of a finished entry but its number.
    pub(crate) fn encode(&mut self, finished: &Finished) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(256);
        let record = match finished {
            Finished::Record(record) => record,
            Finished::Output { .. } => return bytes,
            Finished::Excluded(excluded) => {
                bytes.push(EXCLUDED);
                put_bytes(&mut bytes, excluded.path.as_bytes());
                put_bytes(&mut bytes, &excluded.tag);
                return bytes;
            }
        };
        bytes.push(RECORD);
        put_bytes(&mut bytes, record.path.as_bytes());
        put_bytes(&mut bytes, &record.tag);
        let (kind, cause, offset) = match record.outcome {
            Outcome::Read => (0, 0, 0),
            Outcome::Disputed(Dispute { is_read_twice, offset_bytes }) => {
                (1 + u8::from(is_read_twice), 0, offset_bytes)
            }
            Outcome::Unstable(what) => (10 + position(&INSTABILITIES, &what), 0, 0),
            Outcome::Failed(Failure { operation, cause, offset_bytes }) => {
                (20 + position(&OPERATIONS, &operation), cause_number(cause), offset_bytes)
            }
        };
        let numbers = [
            u64::from(kind),
            cause,
            offset,
            record.digested_bytes,
            record.origin.cache_bytes,
            record.origin.device_bytes,
            record.origin.network_bytes,
            record.origin.unknown_bytes,
            medium_number(record.medium),
        ];
        put_numbers(&mut bytes, &numbers);
        bytes.push(u8::from(record.facts.is_some()));
        if let Some(facts) = &record.facts {
            let time = |time: Timestamp| [time.seconds.cast_unsigned(), u64::from(time.nanos)];
            put_numbers(&mut bytes, &[facts.size_bytes, facts.device, facts.inode, u64::from(facts.links)]);
            put_numbers(&mut bytes, &time(facts.modified));
            put_numbers(&mut bytes, &time(facts.changed));
            put_numbers(&mut bytes, &time(facts.accessed));
        }
        let state = record.state.as_deref();
        // No name of a state is empty.
        put_bytes(&mut bytes, state.and_then(|state| state.etag.as_deref()).unwrap_or_default().as_bytes());
        put_bytes(
            &mut bytes,
            state.and_then(|state| state.version.as_deref()).unwrap_or_default().as_bytes(),
        );
        put_numbers(&mut bytes, &[record.digests.len() as u64]);
        for digest in &record.digests {
            bytes.push(self.index(digest.algorithm()));
            bytes.extend_from_slice(digest.as_bytes());
        }
        if let Some(pieces) = &record.pieces {
            put_numbers(&mut bytes, &[pieces.piece_bytes().get(), pieces.end()]);
            for (algorithm, column) in pieces.columns() {
                bytes.push(self.index(*algorithm));
                put_bytes(&mut bytes, column);
            }
        }
        bytes
    }

    /// The finished entry that [`Codec::encode`] made the bytes of.
    ///
    /// # Errors
    /// The bytes are not such: somebody wrote into the temporary file.
    pub(crate) fn decode(&self, number: u64, bytes: &[u8]) -> io::Result<Finished> {
        if bytes.is_empty() {
            return Ok(Finished::Output { number });
        }
        self.decode_some(number, bytes).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "the temporary file of records was damaged")
        })
    }

    fn decode_some(&self, number: u64, bytes: &[u8]) -> Option<Finished> {
        let (kind, mut rest) = bytes.split_first()?;
        if *kind == RECORD {
            return self.decode_record(number, &mut rest).map(Finished::Record);
        }
        let path = ItemPath::from(take_bytes(&mut rest)?);
        let tag = take_bytes(&mut rest)?.into();
        Some(Finished::Excluded(Excluded { number, path, tag }))
    }

    fn decode_record(&self, number: u64, bytes: &mut &[u8]) -> Option<Record> {
        let path = ItemPath::from(take_bytes(bytes)?);
        let tag = take_bytes(bytes)?.into();
        let [kind, cause, offset_bytes, digested_bytes] = take_numbers(bytes)?;
        let [cache_bytes, device_bytes, network_bytes, unknown_bytes, medium] = take_numbers(bytes)?;
        let outcome = match kind {
            0 => Outcome::Read,
            1 | 2 => Outcome::Disputed(Dispute { is_read_twice: kind == 2, offset_bytes }),
            10..20 => Outcome::Unstable(*INSTABILITIES.get(kind as usize - 10)?),
            _ => Outcome::Failed(Failure {
                operation: *OPERATIONS.get((kind as usize).checked_sub(20)?)?,
                cause: numbered_cause(cause)?,
                offset_bytes,
            }),
        };
        let facts = if take(bytes, 1)? == [1] { Some(take_facts(bytes)?) } else { None };
        let etag = std::str::from_utf8(take_bytes(bytes)?).ok()?;
        let version = std::str::from_utf8(take_bytes(bytes)?).ok()?;
        let state = ObjectState::new(Some(etag), Some(version)).map(Box::new);
        let [count] = take_numbers(bytes)?;
        let mut digests = Vec::new();
        for _ in 0..count {
            let algorithm = self.take_algorithm(bytes)?;
            digests.push(Digest::new(algorithm, take(bytes, algorithm.length())?).ok()?);
        }
        let pieces = if bytes.is_empty() { None } else { Some(Box::new(self.take_pieces(bytes)?)) };
        let origin = Origin { cache_bytes, device_bytes, network_bytes, unknown_bytes };
        let medium = numbered_medium(medium)?;
        Some(Record {
            number,
            path,
            outcome,
            facts,
            digests,
            pieces,
            digested_bytes,
            origin,
            medium,
            state,
            tag,
        })
    }

    fn take_pieces(&self, bytes: &mut &[u8]) -> Option<Pieces> {
        let [piece_bytes, end] = take_numbers(bytes)?;
        let mut columns = Vec::new();
        while !bytes.is_empty() {
            columns.push((self.take_algorithm(bytes)?, take_bytes(bytes)?.to_vec()));
        }
        Pieces::new(NonZeroU64::new(piece_bytes)?, end, columns)
    }

    fn take_algorithm(&self, bytes: &mut &[u8]) -> Option<Algorithm> {
        self.algorithms.get(usize::from(take(bytes, 1)?[0])).copied()
    }

    fn index(&mut self, algorithm: Algorithm) -> u8 {
        let index = self.algorithms.iter().position(|&known| known == algorithm).unwrap_or_else(|| {
            self.algorithms.push(algorithm);
            self.algorithms.len() - 1
        });
        u8::try_from(index).expect("a run has fewer than 256 algorithms")
    }
}

fn position<T: PartialEq>(table: &[T], value: &T) -> u8 {
    table.iter().position(|entry| entry == value).expect("the tables hold every variant") as u8
}

/// Which kind of cause it is in the upper half, and which of its kind in the lower one.
fn cause_number(cause: Cause) -> u64 {
    match cause {
        Cause::System(errno) => u64::from(errno.cast_unsigned()),
        Cause::Obstacle(obstacle) => 1 << 32 | u64::from(position(Obstacle::ALL, &obstacle)),
        Cause::Remote(status) => 2 << 32 | u64::from(status),
        _ => unreachable!("every kind of cause has a number here"),
    }
}

fn numbered_cause(number: u64) -> Option<Cause> {
    let which = number as u32;
    Some(match number >> 32 {
        0 => Cause::System(which.cast_signed()),
        1 => Cause::Obstacle(*Obstacle::ALL.get(which as usize)?),
        2 => Cause::Remote(u16::try_from(which).ok()?),
        _ => return None,
    })
}

fn medium_number(medium: Medium) -> u64 {
    match medium {
        Medium::Unasked => 0,
        Medium::Shown => 1,
        Medium::SeenCached => 2,
        Medium::NotShown(obstacle) => 3 + u64::from(position(Obstacle::ALL, &obstacle)),
    }
}

fn numbered_medium(number: u64) -> Option<Medium> {
    Some(match number {
        0 => Medium::Unasked,
        1 => Medium::Shown,
        2 => Medium::SeenCached,
        _ => Medium::NotShown(*Obstacle::ALL.get(number as usize - 3)?),
    })
}

fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put_numbers(bytes, &[value.len() as u64]);
    bytes.extend_from_slice(value);
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[u64]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn take_numbers<const N: usize>(bytes: &mut &[u8]) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = u64::from_le_bytes(take(bytes, 8)?.try_into().ok()?);
    }
    Some(numbers)
}

fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let [length] = take_numbers(bytes)?;
    take(bytes, usize::try_from(length).ok()?)
}

fn take_facts(bytes: &mut &[u8]) -> Option<Facts> {
    let [size_bytes, device, inode, links] = take_numbers(bytes)?;
    let mut time = || {
        let [seconds, nanos] = take_numbers(bytes)?;
        Some(Timestamp { seconds: seconds.cast_signed(), nanos: u32::try_from(nanos).ok()? })
    };
    let (modified, changed, accessed) = (time()?, time()?, time()?);
    let links = u32::try_from(links).ok()?;
    Some(Facts { size_bytes, modified, changed, accessed, device, inode, links })
}
