//! A list that is being written, of what was read and of what was listed before.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;

use hashlane_digest::Algorithm;
use hashlane_io::FileSystems;
use hashlane_manifest::{Error, Format, Header, Item, Losses, Writer};
use hashlane_record::{ItemPath, Outcome, Record, Timestamp, masked_argument};

/// A list that is being written.
pub struct NewList<W> {
    writer: Writer<W>,
    file_systems: FileSystems,
    /// What it has digests of.
    pub algorithms: Vec<Algorithm>,
    /// Whether it says which run wrote it.
    pub has_header: bool,
    /// What its entries had that it does not hold.
    pub losses: Losses,
}

impl<W: Write> NewList<W> {
    /// One that was just begun.
    pub fn new(writer: Writer<W>, algorithms: &[Algorithm], has_header: bool) -> Self {
        let (file_systems, losses) = (FileSystems::default(), Losses::default());
        Self { writer, file_systems, algorithms: algorithms.to_vec(), has_header, losses }
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.writer.format()
    }

    /// What it is written to.
    pub fn output(&self) -> &W {
        self.writer.sink()
    }

    /// Writes an entry. What is given back is why it has no place there.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn item(&mut self, item: &Item) -> io::Result<Option<Error>> {
        let written = self.writer.item(item);
        if written.is_ok() {
            self.losses.note(item, self.writer.format(), self.writer.has_inodes(), &self.algorithms);
        }
        taken(written)
    }

    /// Writes what was read, with the inode of a file that keeps it: by that an update finds it again below a directory that was renamed. What is
    /// given back is why it has no place there.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn record(&mut self, record: &Record) -> io::Result<Option<Error>> {
        let facts = record.facts.filter(|_| self.writer.has_inodes() && record.outcome == Outcome::Read);
        taken(match facts.filter(|facts| facts.inode != 0) {
            Some(facts) if self.file_systems.identity(facts.device, record.path.as_path()).is_some() => {
                self.writer.numbered_record(record)
            }
            _ => self.writer.record(record),
        })
    }

    /// Ends it, as a complete one or as the part that it is.
    ///
    /// # Errors
    /// As [`Writer::finish`].
    pub fn end(self, is_complete: bool) -> Result<W, Error> {
        if is_complete { self.writer.finish() } else { self.writer.leave() }
    }
}

fn taken(written: Result<(), Error>) -> io::Result<Option<Error>> {
    match written {
        Err(Error::Output { source }) => Err(source),
        written => Ok(written.err()),
    }
}

/// What a header says of this run of a program, but for the roots.
pub fn header_of_this_run(program: &str) -> Header {
    let arguments: Vec<_> =
        std::env::args_os().map(|argument| masked_argument(argument.as_bytes()).into_owned()).collect();
    Header {
        program: program.to_owned(),
        command: arguments.join(&b' '),
        cwd: std::env::current_dir().map_or_else(|_| "?".into(), |path| path.as_os_str().as_bytes().into()),
        roots: Vec::new(),
        started: Some(now()),
        file_systems: Vec::new(),
        shard: None,
        superuser: rustix::process::geteuid().is_root(),
    }
}

/// The present by the clock that file systems stamp with, which runs some milliseconds behind the fine one.
fn now() -> Timestamp {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Timestamp { seconds: now.tv_sec, nanos: now.tv_nsec as u32 }
}

/// A header that names these roots, and the file systems that they are on.
pub fn header_of_roots(roots: Vec<ItemPath>, header: Header) -> Header {
    let mut known = FileSystems::default();
    let mut file_systems = Vec::new();
    for path in roots.iter().map(ItemPath::as_path) {
        let device = std::fs::metadata(path).map(|facts| facts.dev()).ok();
        let found = device.and_then(|device| known.identity(device, path));
        file_systems.extend(found.filter(|found| !file_systems.contains(found)));
    }
    Header { roots, file_systems, ..header }
}
