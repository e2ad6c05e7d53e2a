//! A part of a thing, read by itself: for machines that read a large one together.
//!
//! Owns how a part is read, and what parts come to together. Where a thing is cut, and who reads which part, is the caller's. Only BLAKE3 has
//! parts ([`hashlane_digest::tree`]).
//!
//! Invariants:
//! 1. Parts come to a digest only if all bytes of one state were read: none is missing, none was seen to change, and all of them found
//!    the same size, times, inode and names of the state.
//! 2. What a part has come to is in its bytes, which tell damage of themselves.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use hashlane_digest::{Algorithm, tree};
use hashlane_io::{FileKind, FileSystem, OpenFile, Opened, ReadError, Store as _, start_thread_in};
use hashlane_record::{
    Cause, Dispute, Facts, Failure, Instability, ItemPath, ObjectState, Obstacle, Operation, Origin, Outcome,
    Record,
};

use crate::control::Control;
use crate::local_files::named_file;
use crate::record_codec::Codec;
use crate::verdict::{self, Finished};

/// Bytes that a thread reads and digests at a time: a part of the part. Stores are asked for as many at once.
const BLOCK_BYTES: u64 = 4 << 20;

/// What the reading of a part has found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRecord {
    /// As of the whole, but without digests. The tag is the caller's.
    pub record: Record,
    /// Which bytes were to be read.
    range: Range<u64>,
    /// What is left of them, if they were read.
    part: Option<tree::Subtree>,
}

/// Opens a file, to read parts of it.
///
/// # Errors
/// What the system says.
pub fn open_file(path: &ItemPath) -> Result<OpenFile, Failure> {
    FileSystem.open(&named_file(path)?).map_err(|error| failure(&error))
}

/// A failure to open something, as records have it.
pub fn failure(error: &ReadError) -> Failure {
    verdict::failure(error, 0)
}

impl PartRecord {
    /// Reads a part of a thing by `threads` threads. `range` begins at a multiple of its length, which is a power of two and at
    /// least [`tree::MIN_PART_LENGTH`]; the last part of a thing may be shorter. `None`: the run was stopped.
    pub fn read(
        path: ItemPath,
        opened: Result<&impl Opened, Failure>,
        range: Range<u64>,
        threads: usize,
        control: &Control,
    ) -> Option<Self> {
        let opened = opened.and_then(|opened| match opened.facts().kind {
            FileKind::Regular => Ok(opened),
            _ => Err(Failure {
                operation: Operation::Open,
                cause: Cause::Obstacle(Obstacle::Special),
                offset_bytes: 0,
            }),
        });
        let opened = match opened {
            Ok(opened) => opened,
            Err(failure) => return Some(Self::new(path, None, range, Outcome::Failed(failure), None)),
        };
        let mut reading = PartReading::new(&range, control);
        reading.run(opened, threads);
        if control.stopped().is_some() {
            return None;
        }
        let (outcome, part) = reading.ended(opened);
        let seen = (verdict::facts(opened.facts()), verdict::state(opened));
        Some(Self::new(path, Some(seen), range, outcome, part))
    }

    fn new(
        path: ItemPath,
        seen: Option<(Facts, Option<Box<ObjectState>>)>,
        range: Range<u64>,
        outcome: Outcome,
        part: Option<tree::Subtree>,
    ) -> Self {
        let digested_bytes = part.map_or(0, |part| part.length());
        let (facts, state) = seen.map_or((None, None), |(facts, state)| (Some(facts), state));
        let record = Record {
            number: 0,
            path,
            outcome,
            facts,
            digests: Vec::new(),
            pieces: None,
            digested_bytes,
            origin: Origin { unknown_bytes: digested_bytes, ..Origin::default() },
            medium: Default::default(),
            state,
            tag: Box::default(),
        };
        Self { record, range, part }
    }

    /// Whether it was read, of the state that is open now: then it need not be read again.
    pub fn is_of(&self, opened: &impl Opened, range: &Range<u64>) -> bool {
        let now = verdict::facts(opened.facts());
        self.record.outcome == Outcome::Read
            && self.range == *range
            && self.record.facts.is_some_and(|facts| difference(&facts, &now).is_none())
            && self.record.state == verdict::state(opened)
    }

    /// What parts of a thing come to. Those of one range are the same: one of them counts.
    ///
    /// # Panics
    /// There are no parts.
    pub fn join(mut parts: Vec<Self>) -> Record {
        parts.sort_by_key(|part| (part.range.start, part.range.end));
        parts.dedup_by(|part, before| part.range == before.range);
        let mut record = parts.first().expect("a thing that is joined has parts").record.clone();
        let outcomes = || parts.iter().map(|part| part.record.outcome);
        let failed = outcomes().find(|outcome| matches!(outcome, Outcome::Failed(_)));
        let disputed = || outcomes().find(|outcome| matches!(outcome, Outcome::Disputed(_)));
        let unstable = || outcomes().find(|outcome| matches!(outcome, Outcome::Unstable(_)));
        record.outcome = failed.or_else(disputed).or_else(unstable).unwrap_or_else(|| match unlike(&parts) {
            Some(instability) => Outcome::Unstable(instability),
            None => Outcome::Read,
        });
        record.digested_bytes = parts.iter().map(|part| part.record.digested_bytes).sum();
        record.origin = Origin::default();
        for part in &parts {
            record.origin += part.record.origin;
        }
        if record.outcome == Outcome::Read {
            let whole: Option<Vec<_>> = parts.iter().map(|part| part.part).collect();
            let digest = whole.and_then(|whole| tree::Subtree::joined(&whole)?.digest());
            match digest {
                Some(digest) => record.digests = vec![digest],
                // One that is not whole is not the whole thing.
                None => record.outcome = Outcome::Unstable(Instability::Modified),
            }
        }
        record
    }

    /// All of it, to be joined by another process of this version.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(VERSION.as_bytes());
        bytes.push(0);
        bytes.extend(self.range.start.to_le_bytes());
        bytes.extend(self.range.end.to_le_bytes());
        bytes.push(u8::from(self.part.is_some()));
        bytes.extend(self.part.iter().flat_map(tree::Subtree::to_bytes));
        // Digests are added where parts are joined, so the codec meets no algorithm.
        bytes.extend(Codec::default().encode(&Finished::Record(self.record.clone())));
        bytes.extend(check_of(&bytes));
        bytes
    }

    /// The part that [`PartRecord::to_bytes`] made the bytes of. `None`: they are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (bytes, check) = bytes.split_at_checked(bytes.len().checked_sub(check_of(&[]).len())?)?;
        let bytes = bytes.strip_prefix(VERSION.as_bytes())?.strip_prefix(&[0])?;
        let whole = [VERSION.as_bytes(), &[0], bytes].concat();
        if check_of(&whole) != check {
            return None;
        }
        let (start, bytes) = bytes.split_first_chunk()?;
        let (end, bytes) = bytes.split_first_chunk()?;
        let range = u64::from_le_bytes(*start)..u64::from_le_bytes(*end);
        let (has_part, bytes) = bytes.split_first()?;
        let (part, bytes) = match has_part {
            0 => (None, bytes),
            _ => {
                let (part, bytes) = bytes.split_first_chunk()?;
                (Some(tree::Subtree::from_bytes(part)), bytes)
            }
        };
        match Codec::default().decode(0, bytes).ok()? {
            Finished::Record(record) => Some(Self { record, range, part }),
            _ => None,
        }
    }
}

const VERSION: &str = concat!("hashlane part ", env!("CARGO_PKG_VERSION"));

fn check_of(bytes: &[u8]) -> Vec<u8> {
    let algorithm = Algorithm::BLAKE3;
    algorithm.digest(bytes).as_bytes().to_vec()
}

/// What sets parts apart that are all in order by themselves.
fn unlike(parts: &[PartRecord]) -> Option<Instability> {
    let mut end = 0;
    let first = &parts.first()?.record;
    let size_bytes = first.facts?.size_bytes;
    for PartRecord { record, range, .. } in parts {
        let facts = record.facts?;
        if let Some(instability) = difference(&first.facts?, &facts) {
            return Some(instability);
        }
        if record.state != first.state || range.start != end {
            return Some(Instability::Modified);
        }
        end = range.end;
    }
    // It was cut by the size that it had when it was listed.
    (end < size_bytes).then_some(Instability::Grew)
}

/// What has moved between two looks at a file, perhaps by two machines, which number devices each in their own way.
fn difference(before: &Facts, now: &Facts) -> Option<Instability> {
    if now.size_bytes != before.size_bytes {
        let has_grown = now.size_bytes > before.size_bytes;
        return Some(if has_grown { Instability::Grew } else { Instability::Shrank });
    }
    // A change time that moves together with the number of names is a link made or removed.
    let is_same = now.modified == before.modified
        && now.inode == before.inode
        && (now.changed == before.changed || now.links != before.links);
    (!is_same).then_some(Instability::Modified)
}

/// A part while it is read: blocks in their order, each by the thread that takes it.
struct PartReading<'a> {
    range: &'a Range<u64>,
    control: &'a Control,
    next: AtomicU64,
    is_over: AtomicBool,
    state: Mutex<PartState>,
}

#[derive(Default)]
struct PartState {
    blocks: Vec<tree::Subtree>,
    /// The offset at which the bytes ended before their time.
    end: Option<u64>,
    failure: Option<Failure>,
}

impl<'a> PartReading<'a> {
    fn new(range: &'a Range<u64>, control: &'a Control) -> Self {
        let (next, is_over) = (AtomicU64::new(range.start), AtomicBool::new(false));
        Self { range, control, next, is_over, state: Mutex::default() }
    }

    fn run(&mut self, opened: &impl Opened, threads: usize) {
        let this = &*self;
        let blocks = (this.range.end - this.range.start).div_ceil(BLOCK_BYTES);
        let others = threads.min(usize::try_from(blocks).unwrap_or(threads)).saturating_sub(1);
        thread::scope(|scope| {
            for _ in 0..others {
                // If one cannot be started, the others do its work.
                let _ = start_thread_in(scope, "part", || this.work(opened));
            }
            this.work(opened);
        });
    }

    fn work(&self, opened: &impl Opened) {
        let length = BLOCK_BYTES.min(self.range.end - self.range.start);
        let mut room = vec![0; usize::try_from(length).expect("a block fits into memory")];
        while !self.is_over.load(Ordering::Acquire) && self.control.stopped().is_none() {
            let offset = self.next.fetch_add(BLOCK_BYTES, Ordering::Relaxed);
            if offset >= self.range.end {
                return;
            }
            let length = (self.range.end - offset).min(room.len() as u64);
            self.block(opened, offset, &mut room[..length as usize]);
        }
    }

    fn block(&self, opened: &impl Opened, offset: u64, room: &mut [u8]) {
        let mut done = 0;
        let mut failure = None;
        while done < room.len() {
            let at = offset + done as u64;
            match opened.read_at(at, &mut room[done..]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) => {
                    failure = Some(verdict::failure(&error, at));
                    break;
                }
            }
        }
        let is_whole = done == room.len();
        let part = is_whole.then(|| tree::part(offset, room));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.blocks.extend(part);
        if is_whole {
            return;
        }
        let end = offset + done as u64;
        state.end = Some(state.end.map_or(end, |before| before.min(end)));
        // The first counts, in whatever order they are met.
        state.failure = match (state.failure, failure) {
            (Some(one), Some(other)) if one.offset_bytes > other.offset_bytes => Some(other),
            (one, other) => one.or(other),
        };
        self.is_over.store(true, Ordering::Release);
    }

    /// To be called as soon as the last byte was read.
    fn ended(self, opened: &impl Opened) -> (Outcome, Option<tree::Subtree>) {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = state.failure {
            return (Outcome::Failed(failure), None);
        }
        let size_bytes = opened.facts().size_bytes;
        // Where its bytes have not ended, as much follows as its size promises.
        let end = state.end.unwrap_or(size_bytes.max(self.range.end));
        let outcome = match verdict::settle(opened, end) {
            Outcome::Failed(failure) => {
                Outcome::Failed(Failure { offset_bytes: self.range.end.min(end), ..failure })
            }
            Outcome::Disputed(dispute) => {
                Outcome::Disputed(Dispute { offset_bytes: self.range.end.min(end), ..dispute })
            }
            // It was cut when it had more of them.
            Outcome::Read if state.end.is_some() => Outcome::Unstable(Instability::Shrank),
            outcome => outcome,
        };
        state.blocks.sort_by_key(tree::Subtree::offset);
        let part = (outcome == Outcome::Read).then(|| tree::Subtree::joined(&state.blocks)).flatten();
        (outcome, part.filter(|part| part.length() == self.range.end - self.range.start))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    const PIECE: u64 = 4096;

    fn item(path: &Path) -> ItemPath {
        ItemPath::from(path.as_os_str().as_encoded_bytes())
    }

    fn read(path: &Path, range: Range<u64>) -> PartRecord {
        let path = item(path);
        let opened = open_file(&path);
        let part =
            PartRecord::read(path, opened.as_ref().map_err(|failure| *failure), range, 2, &Control::new());
        let part = part.expect("nobody stops it");
        let kept = PartRecord::from_bytes(&part.to_bytes()).expect("sound bytes");
        assert_eq!(kept, part);
        kept
    }

    fn ranges(length: u64, piece: u64) -> impl Iterator<Item = Range<u64>> {
        (0..length.div_ceil(piece)).map(move |number| number * piece..length.min((number + 1) * piece))
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|place| (place % 251) as u8).collect()
    }

    fn digest(bytes: &[u8]) -> Vec<hashlane_digest::Digest> {
        vec![Algorithm::BLAKE3.digest(bytes)]
    }

    #[test]
    fn parts_come_to_the_digest_of_the_whole() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        // Beyond a block, too.
        for (length, piece) in
            [(1 << 14, 1024), (5 * 4096 + 1, 4096), (9 << 20, 8 << 20), ((9 << 20) + 1, 1 << 20)]
        {
            let bytes = content(length);
            fs::write(&path, &bytes).expect("a file");
            let mut parts: Vec<_> = ranges(length as u64, piece).map(|range| read(&path, range)).collect();
            parts.reverse();
            parts.push(parts[0].clone());
            let record = PartRecord::join(parts);
            assert_eq!((record.outcome, record.digests), (Outcome::Read, digest(&bytes)), "{length}");
            assert_eq!(record.digested_bytes, length as u64);
        }
    }

    #[test]
    fn what_changes_between_its_parts_has_no_digest() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        let bytes = content(3 * 4096);
        let changes: [(&str, &dyn Fn(), Outcome); 6] = [
            (
                "same size",
                &|| fs::write(&path, vec![7; 3 * 4096]).expect("a file"),
                Outcome::Unstable(Instability::Modified),
            ),
            (
                "longer",
                &|| fs::write(&path, vec![7; 3 * 4096 + 1]).expect("a file"),
                Outcome::Unstable(Instability::Grew),
            ),
            (
                "shorter",
                &|| fs::write(&path, vec![7; 3 * 4096 - 1]).expect("a file"),
                Outcome::Unstable(Instability::Shrank),
            ),
            (
                "another file",
                &|| {
                    let times = fs::metadata(&path).and_then(|facts| facts.modified()).expect("a time");
                    let other = directory.path().join("other");
                    fs::write(&other, vec![7; 3 * 4096]).expect("a file");
                    fs::File::options()
                        .write(true)
                        .open(&other)
                        .and_then(|file| file.set_modified(times))
                        .expect("a time");
                    fs::rename(&other, &path).expect("another file");
                },
                Outcome::Unstable(Instability::Modified),
            ),
            (
                "change time",
                &|| fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("permissions"),
                Outcome::Unstable(Instability::Modified),
            ),
            (
                "gone",
                &|| fs::remove_file(&path).expect("it is there"),
                Outcome::Failed(Failure {
                    operation: Operation::Open,
                    cause: Cause::System(2),
                    offset_bytes: 0,
                }),
            ),
        ];
        for (name, change, outcome) in changes {
            fs::write(&path, &bytes).expect("a file");
            let first: Vec<_> = ranges(2 * PIECE, PIECE).map(|range| read(&path, range)).collect();
            // Times of files tick.
            thread::sleep(std::time::Duration::from_millis(20));
            change();
            let last = read(&path, 2 * PIECE..3 * PIECE);
            let record = PartRecord::join([first, vec![last]].concat());
            assert_eq!((record.outcome, record.digests), (outcome, vec![]), "{name}");
        }
    }

    #[test]
    fn what_was_listed_with_another_size_or_is_not_whole_has_no_digest() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        fs::write(&path, content(3 * 4096)).expect("a file");
        let joined = |ranges: &[Range<u64>]| {
            let record = PartRecord::join(ranges.iter().map(|range| read(&path, range.clone())).collect());
            assert_eq!(record.digests, []);
            record.outcome
        };
        assert_eq!(joined(&[0..4096, 4096..8192]), Outcome::Unstable(Instability::Grew));
        assert_eq!(joined(&[0..4096, 8192..12_288]), Outcome::Unstable(Instability::Modified));
        assert_eq!(joined(&[4096..8192, 8192..12_288]), Outcome::Unstable(Instability::Modified));
        let last = [0..4096, 4096..8192, 8192..12_288, 12_288..12_300];
        assert_eq!(joined(&last), Outcome::Unstable(Instability::Shrank));
    }

    #[test]
    fn a_part_counts_again_only_for_the_state_that_it_is_of() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        fs::write(&path, content(3 * 4096)).expect("a file");
        let part = read(&path, 0..4096);
        let open = || open_file(&item(&path)).expect("a file");
        assert!(part.is_of(&open(), &(0..4096)) && !part.is_of(&open(), &(4096..8192)));
        thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, content(3 * 4096)).expect("a file");
        assert!(!part.is_of(&open(), &(0..4096)));
        let bytes = part.to_bytes();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert_eq!(PartRecord::from_bytes(&damaged), None, "byte {place}");
            assert_eq!(PartRecord::from_bytes(&bytes[..place]), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_length_in_any_pieces(length in 1025_usize..200_000, exponent in 10_u32..17) {
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("file");
            let bytes = content(length);
            fs::write(&path, &bytes).expect("a file");
            let parts = ranges(length as u64, 1 << exponent).map(|range| read(&path, range)).collect();
            let record = PartRecord::join(parts);
            prop_assert_eq!((record.outcome, record.digests), (Outcome::Read, digest(&bytes)));
        }
    }
}
