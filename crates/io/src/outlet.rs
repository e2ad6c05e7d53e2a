//! Where results go while they are found: standard output, a device or pipe that was named, or a file that appears only when it is
//! complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use crate::atomic::{AtomicFile, Existing, directory_of, partial_name};
use crate::limits::start_thread;
use crate::standard::StandardOutput;

/// Bytes gathered before they are written.
const BUFFER_BYTES: usize = 64 << 10;

/// How long a result may wait in the buffer.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is different at a terminal: a progress bar may be in the way, and what is written may be obeyed.
#[derive(Clone, Copy, Debug)]
pub struct AtTerminal {
    /// Does something while no bar is in the way.
    pub aside: fn(&mut dyn FnMut()),
    /// Takes a bar away for good: the terminal stands within a line of the results, and a bar would wipe it.
    pub without_bar: fn(),
    /// Escapes what a terminal would obey.
    pub tame: fn(&[u8]) -> String,
}

/// Where results go.
#[derive(Clone, Debug)]
pub enum Destination {
    /// Standard output.
    StandardOutput,
    /// Written under the name with `.partial` and renamed when complete.
    File {
        /// The file.
        file: Arc<AtomicFile>,
        /// What becomes of a file that has the name.
        existing: Existing,
    },
    /// A device or pipe that was named: written as it is.
    Special(PathBuf),
}

/// A buffered destination. Every `write` is taken whole, as one piece, and waits a second at most: what was finished is there even
/// while the next file takes hours, and whatever ends the process then.
#[derive(Debug)]
pub struct Outlet {
    stream: Arc<Mutex<Stream>>,
    destination: Destination,
}

/// What is written to, shared with the thread that sees to it that nothing waits for long.
#[derive(Debug)]
struct Stream {
    sink: Sink,
    /// A terminal gets lines at once, and nothing that it would obey.
    terminal: Option<AtTerminal>,
    buffer: Vec<u8>,
    /// What has failed meanwhile: the next write says so.
    failed: Option<io::Error>,
    /// A write has said so.
    broken: bool,
}

#[derive(Debug)]
enum Sink {
    Stdout,
    File(Arc<AtomicFile>),
    Special(File),
}

impl Outlet {
    /// # Errors
    /// The device or pipe cannot be opened.
    pub fn open(destination: Destination, terminal: AtTerminal) -> io::Result<Self> {
        let sink = match &destination {
            Destination::StandardOutput => Sink::Stdout,
            Destination::File { file, .. } => Sink::File(Arc::clone(file)),
            Destination::Special(path) => Sink::Special(OpenOptions::new().append(true).open(path)?),
        };
        let terminal = Some(terminal).filter(|_| sink.is_terminal());
        let buffer = Vec::with_capacity(BUFFER_BYTES);
        let stream = Arc::new(Mutex::new(Stream { sink, terminal, buffer, failed: None, broken: false }));
        if terminal.is_none() {
            pour_regularly(&stream);
        }
        Ok(Self { stream, destination })
    }

    /// Where it goes.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Whether somebody looks at it.
    pub fn is_terminal(&self) -> bool {
        lock(&self.stream).terminal.is_some()
    }

    /// Writes what was taken so far.
    ///
    /// # Errors
    /// It cannot be written, or could not meanwhile.
    pub fn pour(&self) -> io::Result<()> {
        let mut stream = lock(&self.stream);
        let poured = stream.pour();
        stream.broken |= poured.is_err();
        poured
    }

    /// Writes what was taken so far, unless a write has failed: that was the end then, and false is returned.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn leave(&self) -> io::Result<bool> {
        let mut stream = lock(&self.stream);
        if stream.broken { Ok(false) } else { stream.pour().map(|()| true) }
    }

    /// Device and inode of the files that it goes to, or will replace: they are no items of a walk.
    pub fn identities(&self) -> Vec<(u64, u64)> {
        let of = |facts: io::Result<fs::Metadata>| {
            facts.ok().filter(fs::Metadata::is_file).map(|facts| (facts.dev(), facts.ino()))
        };
        let found = match &self.destination {
            Destination::StandardOutput => {
                // What cannot be written goes nowhere.
                let facts = StandardOutput.check().ok().and_then(|()| rustix::fs::fstat(StandardOutput).ok());
                let regular = |mode| rustix::fs::FileType::from_raw_mode(mode).is_file();
                let identity =
                    facts.filter(|facts| regular(facts.st_mode)).map(|facts| (facts.st_dev, facts.st_ino));
                [identity, None]
            }
            Destination::File { file, .. } => [of(file.file().metadata()), of(fs::metadata(file.path()))],
            Destination::Special(path) => [of(fs::metadata(path)), None],
        };
        found.into_iter().flatten().collect()
    }

    /// Replaces what stands near the beginning of a file that is not in its place yet, if it does, by as many bytes.
    ///
    /// # Errors
    /// It cannot be written, or what stands there is not as long.
    pub fn amend(&self, wrong: &[u8], right: &[u8]) -> io::Result<()> {
        /// In most formats it stands behind a command line and a directory alone.
        const BEGINNING_BYTES: usize = 1 << 20;
        let mut stream = lock(&self.stream);
        stream.pour()?;
        let Destination::File { file, .. } = &self.destination else { return Ok(()) };
        let file = file.file();
        let mut beginning = vec![0; BEGINNING_BYTES];
        let mut length = 0;
        while length < beginning.len() {
            match file.read_at(&mut beginning[length..], length as u64)? {
                0 => break,
                count => length += count,
            }
        }
        beginning.truncate(length);
        match memchr::memmem::find(&beginning, wrong) {
            Some(at) if wrong.len() == right.len() => file.write_all_at(right, at as u64),
            Some(_) => Err(io::Error::from(io::ErrorKind::InvalidInput)),
            None => Ok(()),
        }
    }
}

impl Stream {
    /// Writes what is gathered.
    fn pour(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = match (&mut self.sink, self.terminal) {
            _ if buffer.is_empty() => Ok(()),
            (sink, Some(AtTerminal { aside, tame, .. })) => {
                let (text, mut written) = (tame(&buffer), Ok(()));
                aside(&mut || written = sink.write(text.as_bytes()));
                written
            }
            (sink, None) => sink.write(&buffer),
        };
        buffer.clear();
        self.buffer = buffer;
        result
    }

    /// Writes the lines that are complete to the terminal: one that is not would be wiped by the bar. Records that end with NUL
    /// never make a line, and so the bar goes.
    fn pour_lines(&mut self, terminal: AtTerminal) -> io::Result<()> {
        let lines = memchr::memrchr(b'\n', &self.buffer).map_or(0, |end| end + 1);
        let rest = self.buffer.split_off(lines);
        self.pour()?;
        self.buffer.extend_from_slice(&rest);
        if rest.contains(&0) || rest.len() >= BUFFER_BYTES {
            (terminal.without_bar)();
            self.pour()?;
        }
        Ok(())
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => StandardOutput.write_all(bytes),
            Self::File(file) => (&**file).write_all(bytes),
            Self::Special(file) => file.write_all(bytes),
        }
    }

    fn is_terminal(&self) -> bool {
        match self {
            Self::Stdout => StandardOutput.is_terminal(),
            Self::File(_) => false,
            Self::Special(file) => file.is_terminal(),
        }
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stream = lock(&self.stream);
        stream.buffer.extend_from_slice(bytes);
        let poured = if let Some(terminal) = stream.terminal {
            stream.pour_lines(terminal)
        } else if stream.buffer.len() >= BUFFER_BYTES || stream.failed.is_some() {
            stream.pour()
        } else {
            Ok(())
        };
        stream.broken |= poured.is_err();
        poured.map(|()| bytes.len())
    }

    /// Does nothing: [`Outlet::pour`] and [`Outlet::leave`] write the rest.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts a thread that writes what is gathered every now and then, as long as the output lives.
fn pour_regularly(stream: &Arc<Mutex<Stream>>) {
    let stream: Weak<Mutex<Stream>> = Arc::downgrade(stream);
    let pour = move || loop {
        thread::sleep(PATIENCE);
        let Some(stream) = stream.upgrade() else { break };
        let mut stream = lock(&stream);
        if stream.failed.is_none() {
            stream.failed = stream.pour().err();
        }
    };
    // Without it results come later, and that is all.
    let _ = start_thread("output", pour);
}

fn lock(stream: &Mutex<Stream>) -> MutexGuard<'_, Stream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first of some files that is another one before it as well: the places of the two. Until it is complete, a file is written under another
/// name, which is taken as well.
pub fn first_clash(files: &[&Path]) -> Option<(usize, usize)> {
    let resolved = |path: &Path| {
        let below = || Some(fs::canonicalize(directory_of(path)).ok()?.join(path.file_name()?));
        fs::canonicalize(path).ok().or_else(below)
    };
    let mut taken: Vec<(usize, PathBuf)> = Vec::new();
    for (at, path) in files.iter().enumerate().filter(|(_, path)| !is_special(path)) {
        let Some(file) = resolved(path) else { continue };
        let clashes =
            |other: &Path| *other == file || partial_name(other) == file || *other == partial_name(&file);
        if let Some((other, _)) = taken.iter().find(|(_, other)| clashes(other)) {
            return Some((*other, at));
        }
        taken.push((at, file));
    }
    None
}

/// Whether a path is written as it is, and never replaced: a device, a FIFO, or what stands for an open file as
/// `/dev/stdout` does.
pub fn is_special(path: &Path) -> bool {
    let exists = fs::metadata(path);
    let stands_for_open_file = ["/dev", "/proc"].into_iter().any(|root| path.starts_with(root));
    exists.is_ok_and(|facts| !facts.is_file() || (stands_for_open_file && path.is_symlink()))
}
