//! Records as bytes, for the temporary file of one run, and for parts that are joined elsewhere: no format, never read by another version.

use std::io;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::bytes::{Rest, put_bytes, put_number, put_pieces, put_time};
use hashlane_record::{
    Cause, Dispute, Facts, Failure, Instability, ItemPath, Medium, ObjectState, Obstacle, Operation, Origin,
    Outcome, Record,
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
        for number in numbers {
            put_number(&mut bytes, number);
        }
        bytes.push(u8::from(record.facts.is_some()));
        if let Some(facts) = &record.facts {
            for number in [facts.size_bytes, facts.device, facts.inode, u64::from(facts.links)] {
                put_number(&mut bytes, number);
            }
            for time in [facts.modified, facts.changed, facts.accessed] {
                put_time(&mut bytes, time);
            }
        }
        let state = record.state.as_deref();
        // No name of a state is empty.
        put_bytes(&mut bytes, state.and_then(|state| state.etag.as_deref()).unwrap_or_default().as_bytes());
        put_bytes(
            &mut bytes,
            state.and_then(|state| state.version.as_deref()).unwrap_or_default().as_bytes(),
        );
        put_number(&mut bytes, record.digests.len() as u64);
        for digest in &record.digests {
            bytes.push(self.index(digest.algorithm()));
            bytes.extend_from_slice(digest.as_bytes());
        }
        if let Some(pieces) = &record.pieces {
            put_pieces(&mut bytes, pieces);
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
        let mut rest = Rest(bytes);
        if rest.byte()? == RECORD {
            return self.decode_record(number, &mut rest).map(Finished::Record);
        }
        let (path, tag) = (ItemPath::from(rest.bytes()?), rest.bytes()?.into());
        Some(Finished::Excluded(Excluded { number, path, tag }))
    }

    fn decode_record(&self, number: u64, rest: &mut Rest<'_>) -> Option<Record> {
        let (path, tag) = (ItemPath::from(rest.bytes()?), rest.bytes()?.into());
        let [kind, cause, offset_bytes, digested_bytes] = rest.numbers()?;
        let [cache_bytes, device_bytes, network_bytes, unknown_bytes, medium] = rest.numbers()?;
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
        let facts = if rest.byte()? == 1 { Some(take_facts(rest)?) } else { None };
        let [etag, version] = [rest.bytes()?, rest.bytes()?].map(str::from_utf8);
        let state = ObjectState::new(Some(etag.ok()?), Some(version.ok()?)).map(Box::new);
        let mut digests = Vec::new();
        for _ in 0..rest.number()? {
            let algorithm = *self.algorithms.get(usize::from(rest.byte()?))?;
            digests.push(Digest::new(algorithm, rest.take(algorithm.length())?).ok()?);
        }
        let pieces = if rest.0.is_empty() { None } else { Some(Box::new(rest.pieces()?)) };
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

fn take_facts(rest: &mut Rest<'_>) -> Option<Facts> {
    let [size_bytes, device, inode, links] = rest.numbers()?;
    let (modified, changed, accessed) = (rest.time()?, rest.time()?, rest.time()?);
    let links = u32::try_from(links).ok()?;
    Some(Facts { size_bytes, modified, changed, accessed, device, inode, links })
}
