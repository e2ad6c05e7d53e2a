//! The bytes of a list. It is opened once by its name. What was examined before the actual reading comes again, and only a regular file is
//! read a second time, from the open descriptor.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_manifest::{Format, TABLE_MARK_BYTES, is_table};

use crate::error::Error;
use crate::stdin::{STDIN, Stdin};

/// This much of what cannot be read again is kept, in bytes: 100,000 lines and more.
const MOST_KEPT_BYTES: usize = 16 << 20;

/// How much distinguishes a database or an index from lists.
const BEGINNING_BYTES: usize = 16;

/// An open list.
#[derive(Debug)]
pub struct Source {
    name: OsString,
    input: Input,
    /// What was read of the input and comes again.
    kept: Vec<u8>,
    /// How much of it has come again.
    passed: usize,
    /// Whether what is read is kept.
    keeps: bool,
}

/// A list that is read several times, whatever it comes from: what is kept of a pipe comes again.
#[derive(Clone, Debug)]
pub(crate) struct Kept(Arc<Mutex<Source>>);

#[derive(Debug)]
enum Input {
    Stdin(Stdin),
    Regular(File),
    /// A pipe or a device: what is read of it is gone.
    Stream(File),
}

/// A regular file that can be read again, even if it has been renamed.
#[derive(Debug)]
pub struct Again {
    name: OsString,
    file: File,
}

impl Source {
    /// Opens a list by its name; `-` is standard input.
    ///
    /// # Errors
    /// It does not exist, or is a directory.
    pub fn open(name: &OsStr) -> Result<Self, Error> {
        if name == STDIN {
            return Ok(Self::new(name, Input::Stdin(Stdin::default())));
        }
        let file = File::open(name).map_err(|source| Error::Open { list: name.to_owned(), source })?;
        Self::of(name, file)
    }

    /// A list that is open, from where the file stands.
    ///
    /// # Errors
    /// It is a directory, or nothing is known of it.
    pub fn of(name: &OsStr, file: File) -> Result<Self, Error> {
        let facts = file.metadata().map_err(|source| Error::Open { list: name.to_owned(), source })?;
        if facts.is_dir() {
            return Err(Error::Directory { list: name.to_owned() });
        }
        Ok(Self::new(name, if facts.is_file() { Input::Regular(file) } else { Input::Stream(file) }))
    }

    fn new(name: &OsStr, input: Input) -> Self {
        Self { name: name.to_owned(), input, kept: Vec::new(), passed: 0, keeps: false }
    }

    /// Its name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Its first bytes, enough to recognize a database or an index. Call this before anything is read.
    pub fn beginning(&mut self) -> &[u8] {
        self.first(BEGINNING_BYTES)
    }

    /// Its first `bytes` bytes, if there are as many. Nobody waits for more.
    fn first(&mut self, bytes: usize) -> &[u8] {
        let mut block = [0; BEGINNING_BYTES];
        while self.kept.len() < bytes {
            match self.input.read(&mut block[..bytes - self.kept.len()]) {
                Ok(count @ 1..) => self.kept.extend_from_slice(&block[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // What cannot be read now will say so when it is read in earnest.
                Ok(0) | Err(_) => break,
            }
        }
        &self.kept
    }

    /// Whether it is a regular file, which can be read again.
    pub fn is_regular(&self) -> bool {
        matches!(self.input, Input::Regular(_))
    }

    /// The file from its beginning; `None` if it is not a regular file.
    ///
    /// # Errors
    /// The system cannot seek in it.
    pub fn into_regular(self) -> io::Result<Option<File>> {
        match self.input {
            Input::Regular(mut file) => file.rewind().map(|()| Some(file)),
            _ => Ok(None),
        }
    }

    /// The file itself, which can be read anywhere; `None` if it is not a regular file.
    ///
    /// # Errors
    /// The system has no descriptor left.
    pub(crate) fn file(&self) -> io::Result<Option<File>> {
        match &self.input {
            Input::Regular(file) => file.try_clone().map(Some),
            _ => Ok(None),
        }
    }

    /// A way to read it again; `None` if it is not a regular file.
    ///
    /// # Errors
    /// The system has no descriptor left.
    pub fn again(&self) -> io::Result<Option<Again>> {
        match &self.input {
            Input::Regular(file) => Ok(Some(Again { name: self.name.clone(), file: file.try_clone()? })),
            _ => Ok(None),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.passed == self.kept.len() && !self.keeps {
            return self.input.read(buffer);
        }
        if self.passed == self.kept.len() {
            let room = MOST_KEPT_BYTES - self.kept.len();
            let end = buffer.len().min(room);
            let count = self.input.read(&mut buffer[..end])?;
            self.kept.extend_from_slice(&buffer[..count]);
            self.passed = self.kept.len();
            return Ok(count);
        }
        let count = (&self.kept[self.passed..]).read(buffer)?;
        self.passed += count;
        if self.passed == self.kept.len() && !self.keeps {
            (self.kept, self.passed) = (Vec::new(), 0);
        }
        Ok(count)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stdin(stdin) => stdin.read(buffer),
            Self::Regular(file) | Self::Stream(file) => file.read(buffer),
        }
    }
}

impl Kept {
    /// Keeps what is read of a list, as far as there is room: then it seems to end. Nothing was read of it before.
    ///
    /// A table names the algorithm of each digest, so that it is read once, and all of it at once.
    pub(crate) fn new(mut source: Source, format: Option<Format>) -> Self {
        let may_be_table = format.is_none_or(|format| format.name() == "parquet");
        // A regular file is read again from its beginning, so nothing of it may come twice.
        let keeps = match source.is_regular() {
            true => false,
            false => !may_be_table || !is_table(source.first(TABLE_MARK_BYTES)),
        };
        Self(Arc::new(Mutex::new(Source { keeps, ..source })))
    }

    /// The file itself, which can be read anywhere; `None` if it is not a regular file.
    pub(crate) fn file(&self) -> io::Result<Option<File>> {
        self.source().file()
    }

    /// Begins it anew.
    pub(crate) fn rewind(&self) -> io::Result<()> {
        let mut source = self.source();
        if let Input::Regular(file) = &mut source.input {
            return file.rewind();
        }
        source.passed = 0;
        Ok(())
    }

    /// Keeps nothing more: it is read for the last time.
    pub(crate) fn settle(&self) {
        self.source().keeps = false;
    }

    /// Whether there was no room for more of it.
    pub(crate) fn is_full(&self) -> bool {
        self.source().kept.len() == MOST_KEPT_BYTES
    }

    fn source(&self) -> MutexGuard<'_, Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Kept {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source().read(buffer)
    }
}

impl Again {
    /// The list from its beginning. Do not read from what was opened before: both share one file position.
    ///
    /// # Errors
    /// The system cannot seek in it, or has no descriptor left.
    pub fn source(&self) -> io::Result<Source> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        let (name, kept) = (self.name.clone(), Vec::new());
        Ok(Source { name, input: Input::Regular(file), kept, passed: 0, keeps: false })
    }
}
