//! A list that is written: in which format, where it goes, and what becomes of it in the end.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_io::FileSystems;
use hashlane_manifest::{Error, Format, Header, Item, Losses, WriteOptions, Writer};
use hashlane_record::{ItemPath, Outcome, Record, Timestamp, masked_argument};

use crate::args::WriteFormat;
use crate::output::{Output, Place, refuse_misleading_name};
use crate::partial::Existing;
use crate::status::Ended;
use crate::terminal::screen::Screen;
use crate::version::PROGRAM;

/// Where a list is to go. `option` names the file; none: an argument does.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) option: &'static str,
    pub(crate) path: Option<&'a Path>,
    pub(crate) existing: Existing,
    pub(crate) screen: &'a Screen,
}

/// A list that is being written.
pub(crate) struct NewList {
    writer: Writer<Output>,
    place: Place,
    file_systems: FileSystems,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) has_header: bool,
    identities: Vec<(u64, u64)>,
    /// What its entries had that it does not hold.
    pub(crate) losses: Losses,
}

impl NewList {
    /// Starts one as is asked for. `header`: what it says of itself, if it says anything. `told`: the words of an error of the format.
    pub(crate) fn start(
        target: Target<'_>,
        asked: &WriteFormat,
        format: Format,
        algorithms: &[Algorithm],
        header: Header,
        told: impl FnOnce(&Error) -> String,
    ) -> anyhow::Result<Self> {
        refuse_strict(asked, format)?;
        if let Some(path) = target.path {
            refuse_misleading_name(target.option, path, format, algorithms)?;
        }
        let options = options(asked, has_header(asked, format).then_some(header));
        let output = Output::open_as(target.option, target.path, target.existing, target.screen)?;
        Self::to(output, format, algorithms, &options, told)
    }

    /// Starts one in an output that is open.
    pub(crate) fn to(
        output: Output,
        format: Format,
        algorithms: &[Algorithm],
        options: &WriteOptions,
        told: impl FnOnce(&Error) -> String,
    ) -> anyhow::Result<Self> {
        let (place, identities) = (output.place(), output.identities());
        Ok(Self {
            writer: output.writer(format, algorithms, options, told)?,
            place,
            file_systems: FileSystems::default(),
            algorithms: algorithms.to_vec(),
            has_header: options.header.is_some(),
            identities,
            losses: Losses::default(),
        })
    }

    pub(crate) fn format(&self) -> Format {
        self.writer.format()
    }

    /// Device and inode of what is written to.
    pub(crate) fn identities(&self) -> Vec<(u64, u64)> {
        self.identities.clone()
    }

    /// Writes an entry. What is given back is why it has no place there.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn item(&mut self, item: &Item) -> anyhow::Result<Option<Error>> {
        let written = self.writer.item(item);
        if written.is_ok() {
            self.losses.note(item, self.writer.format(), self.writer.has_inodes(), &self.algorithms);
        }
        self.taken(written)
    }

    /// Writes what was read, with the inode of a file that keeps it: by that an update finds it again below a directory that was renamed.
    pub(crate) fn record(&mut self, record: &Record) -> anyhow::Result<Option<Error>> {
        let facts = record.facts.filter(|_| self.writer.has_inodes() && record.outcome == Outcome::Read);
        let written = match facts.filter(|facts| facts.inode != 0) {
            Some(facts) if self.file_systems.identity(facts.device, record.path.as_path()).is_some() => {
                self.writer.numbered_record(record)
            }
            _ => self.writer.record(record),
        };
        self.taken(written)
    }

    fn taken(&self, written: Result<(), Error>) -> anyhow::Result<Option<Error>> {
        match written {
            Err(Error::Output { source }) => Err(self.place.failed(&source)),
            written => Ok(written.err()),
        }
    }

    /// Ends it, as a complete one or as the part that it is; the output is still to be put in its place.
    pub(crate) fn end(self, is_complete: bool) -> anyhow::Result<Output> {
        let ended = if is_complete { self.writer.finish() } else { self.writer.leave() };
        ended.map_err(|error| match error {
            Error::Output { source } => self.place.failed(&source),
            error => Ended::output(crate::manifests::told(&error)),
        })
    }

    /// The output of one that failed, if anything of it can be kept.
    pub(crate) fn leave(self) -> Option<Output> {
        self.writer.leave().ok()
    }
}

/// The format asked for, the one that the name of the output tells, or the plainest that holds so many algorithms.
pub(crate) fn format(args: &WriteFormat, output: Option<&Path>, algorithms: &[Algorithm]) -> Format {
    let told = || Format::of_file_name(output?.as_os_str().as_encoded_bytes());
    let name = match args {
        WriteFormat { base64: true, .. } => "base64",
        WriteFormat { tag: true, .. } => "bsd",
        _ if algorithms.len() > 1 => "bsd",
        _ => "gnu",
    };
    let is_plain = !args.base64 && !args.tag;
    let format = args.manifest_format.or_else(|| told().filter(|_| is_plain));
    format.or_else(|| Format::named(name)).expect("the format is registered")
}

/// The format, unless strictness would have no effect: other formats have no such bounds.
pub(crate) fn refuse_strict(args: &WriteFormat, format: Format) -> anyhow::Result<Format> {
    if args.strict_hashdeep && format.name() != "hashdeep" {
        return Err(Ended::usage(format!(
            "--strict-hashdeep: is for --manifest-format hashdeep, and this is {format}; leave it out"
        )));
    }
    Ok(format)
}

/// Whether a list in a format has a header.
pub(crate) fn has_header(asked: &WriteFormat, format: Format) -> bool {
    asked.header || format.name() == "hashdeep" && !asked.no_header
}

/// How it is written.
pub(crate) fn options(asked: &WriteFormat, header: Option<Header>) -> WriteOptions {
    WriteOptions {
        zero: asked.zero,
        header,
        strict_hashdeep: asked.strict_hashdeep,
        ..WriteOptions::default()
    }
}

/// What a header says of this run, with the file systems of its roots.
pub(crate) fn header_of_roots(roots: Vec<ItemPath>) -> Header {
    let mut known = FileSystems::default();
    let mut file_systems = Vec::new();
    for path in roots.iter().map(ItemPath::as_path) {
        let device = std::fs::metadata(path).map(|facts| facts.dev()).ok();
        let found = device.and_then(|device| known.identity(device, path));
        file_systems.extend(found.filter(|found| !file_systems.contains(found)));
    }
    Header { roots, file_systems, ..header_of_this_run() }
}

/// What a header says of this run, but for the roots.
pub(crate) fn header_of_this_run() -> Header {
    let arguments: Vec<_> =
        std::env::args_os().map(|argument| masked_argument(argument.as_bytes()).into_owned()).collect();
    Header {
        program: PROGRAM.to_owned(),
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
