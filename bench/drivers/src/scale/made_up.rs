//! A tree that exists by its names only: listed and read as fast as names and digests can be made up.
//!
//! Owns which files there are and what is in them: the same for the same number of files, on every machine. What an audit of it takes
//! is what the audit itself takes.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::{
    Control, DirectoryState, Input, Options, Seen, SeenRoot, Shown, Sink, Skipped, Summary, Tree, WalkOptions,
};
use hashlane_record::{Facts, ItemPath, Origin, Outcome, Record, Timestamp};

use crate::peers::random::Random;

/// What all names are made from.
const SEED: u64 = 974_629_478;

/// The most files of a directory. Their numbers are spread so that each power of ten is as likely.
const MOST_FILES: f64 = 5000.0;

/// Records that are handed over together, and such batches that wait: as an engine does.
const TOGETHER: usize = 256;
const WAITING: usize = 16;

/// How names begin: cameras, scanners, people.
const BEGINNINGS: [&str; 6] = ["", "IMG_", "scan-", "page ", "2014-07-19_", "minutes of the board, "];

/// How they end.
const ENDINGS: [&str; 6] = [".tif", ".jpg", ".wav", ".xml", ".dng", ".pdf"];

/// What directories are called, behind their numbers.
const TOPICS: [&str; 6] = ["letters", "maps", "interviews", "estate", "newspapers", "field-notes"];

/// Files that are made up.
#[derive(Clone, Copy, Debug)]
pub(super) struct MadeUp {
    files: u64,
    sha256: Algorithm,
}

impl MadeUp {
    /// A tree of that many files; nothing if there is no sha256.
    pub(super) fn new(files: u64) -> Option<Self> {
        Some(Self { files, sha256: Algorithm::SHA256 })
    }

    /// Shows all files in byte order of their paths: directory and name.
    pub(super) fn each<E>(self, mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), E>) -> Result<(), E> {
        let (mut left, mut number, mut name) = (self.files, 0, String::new());
        while left > 0 {
            let mut random = Random::for_item(SEED, number);
            let files = (MOST_FILES.powf(random.below(1 << 20) as f64 / (1 << 20) as f64) as u64).min(left);
            let directory = directory(number);
            let beginning = BEGINNINGS[random.below(BEGINNINGS.len())];
            for file in 0..files {
                let more = random.next();
                // Ordered by the number, which has the same length in all names of a directory.
                name.clear();
                name.push_str(beginning);
                push_number(&mut name, file);
                for place in 0..more % 9 {
                    name.push(char::from(b'a' + (more >> (8 + 5 * place) & 15) as u8));
                }
                name.push_str(ENDINGS[(more >> 56) as usize % ENDINGS.len()]);
                visit(directory.as_bytes(), name.as_bytes())?;
            }
            left -= files;
            number += 1;
        }
        Ok(())
    }

    /// The bytes of all names of files, without those of their directories.
    pub(super) fn name_bytes(self) -> u64 {
        let mut bytes = 0;
        let Ok(()) = self.each(|_, name| {
            bytes += name.len() as u64;
            Ok::<_, std::convert::Infallible>(())
        });
        bytes
    }

    /// What an engine would say of a file.
    fn record(self, number: u64, file: Input) -> Option<Record> {
        let Input::File { path, tag, .. } = file else { return None };
        let mark = Mark::of(path.as_bytes());
        let size = mark.size();
        let facts = Facts {
            size_bytes: size,
            modified: mark.modified(),
            changed: mark.changed(),
            accessed: mark.changed(),
            device: 1,
            inode: mark.inode(),
            links: 1,
        };
        Some(Record {
            number,
            outcome: Outcome::Read,
            facts: Some(facts),
            digests: vec![mark.digest(self.sha256)?],
            pieces: None,
            digested_bytes: size,
            origin: Origin { device_bytes: size, ..Origin::default() },
            medium: Default::default(),
            state: None,
            tag,
            path,
        })
    }
}

/// A directory by its number: some on a shelf, some shelves in a room.
fn directory(number: u64) -> String {
    let topic = |number: u64| TOPICS[Random::for_item(SEED, number).below(TOPICS.len())];
    let (room, shelf) = (number / 500, number / 20);
    format!("{room:03}-{}/{shelf:05}/{number:06}-{}", topic(room), topic(number))
}

fn push_number(name: &mut String, number: u64) {
    for power in [10_000, 1000, 100, 10, 1] {
        name.push(char::from(b'0' + (number / power % 10) as u8));
    }
}

/// What follows from a path.
#[derive(Clone, Copy)]
struct Mark(u64);

impl Mark {
    fn of(path: &[u8]) -> Self {
        let mix = |mark, chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            Random::for_item(mark, u64::from_le_bytes(word)).next()
        };
        Self(path.chunks(8).fold(SEED, mix))
    }

    fn size(self) -> u64 {
        100 + self.0 % (8 << 20)
    }

    /// In the years 2008 to 2023, to the nanosecond.
    fn modified(self) -> Timestamp {
        Timestamp {
            seconds: 1_200_000_000 + (self.0 >> 23 & 0x1fff_ffff) as i64,
            nanos: (self.0 % 999_999_937) as u32,
        }
    }

    fn changed(self) -> Timestamp {
        Timestamp { seconds: self.modified().seconds + 3, ..self.modified() }
    }

    fn inode(self) -> u64 {
        (1 << 20) + self.0 % (1 << 31)
    }

    fn digest(self, algorithm: Algorithm) -> Option<Digest> {
        let mut bytes = [0; 32];
        Random::new(self.0).fill(&mut bytes);
        Digest::new(algorithm, &bytes).ok()
    }

    fn seen(self) -> Seen {
        Seen {
            size_bytes: self.size(),
            modified: self.modified(),
            changed: Some(self.changed()),
            inode: Some(self.inode()),
            made_s: None,
        }
    }
}

impl Tree for MadeUp {
    fn base(&self) -> &[u8] {
        b""
    }

    fn identity(&self) -> io::Result<SeenRoot> {
        Ok(SeenRoot { file_system: "made up".into(), inode: 1, mounts: Vec::new() })
    }

    fn list(
        &self,
        _: &ItemPath,
        _: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        let mut path = Vec::new();
        let _: Result<(), ()> = self.each(|directory, name| {
            path.clear();
            path.extend_from_slice(directory);
            path.push(b'/');
            path.extend_from_slice(name);
            let seen = Some(Mark::of(&path).seen());
            let flow = visit(Shown::File { path: &path, seen, is_offline: false });
            if flow.is_continue() { Ok(()) } else { Err(()) }
        });
        Ok(Skipped::default())
    }

    fn directory(&self, _: &[u8]) -> DirectoryState {
        DirectoryState::There
    }

    fn facts(&self, path: &[u8]) -> io::Result<Option<Seen>> {
        Ok(Some(Mark::of(path).seen()))
    }

    /// Files are planned on one thread and recorded on another one, as with an engine.
    fn read(
        &self,
        _: Options,
        files: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        _: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let (hand, taken) = sync_channel::<Vec<Record>>(WAITING);
        let made_up = *self;
        let reader = thread::spawn(move || {
            let mut records = Vec::with_capacity(TOGETHER);
            for (number, file) in (0..).zip(files) {
                records.extend(made_up.record(number, file));
                // Who does not listen any more needs none of it.
                if records.len() == TOGETHER && hand.send(std::mem::take(&mut records)).is_err() {
                    return;
                }
            }
            let _ = hand.send(records);
        });
        let mut result = Ok(());
        'all: for records in &taken {
            for record in records {
                if let Err(halt) = sink.record(record) {
                    result = halt.into_result();
                    break 'all;
                }
            }
        }
        drop(taken);
        if let Err(panic) = reader.join() {
            std::panic::resume_unwind(panic);
        }
        result.map(|()| Summary::default())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn paths(files: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut paths = Vec::new();
        let made_up = MadeUp::new(files).expect("sha256 is registered");
        let Ok(()) = made_up.each(|directory, name| {
            paths.push((directory.to_vec(), name.to_vec()));
            Ok::<_, Infallible>(())
        });
        paths
    }

    #[test]
    fn files_come_in_byte_order_of_their_paths_and_each_once() {
        let paths = paths(60_000);
        assert_eq!(paths.len(), 60_000);
        assert!(paths.is_sorted_by(|one, other| one < other));
        assert!(paths.iter().all(|(_, name)| (8..=40).contains(&name.len())));
        let directories: std::collections::BTreeSet<_> =
            paths.iter().map(|(directory, _)| directory).collect();
        assert!(directories.len() > 30);
    }

    #[test]
    fn the_same_number_of_files_are_the_same_files() {
        assert_eq!(paths(3000), paths(3000));
        assert_eq!(paths(3000)[..2000], paths(2000)[..]);
    }
}
