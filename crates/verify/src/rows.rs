//! The rows of a list, in order, to be compared with those of another list or of a tree.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_audit::KnownFile;
use hashlane_audit::diff::{Error as Sorting, Gather, Gathered, Row, RowKind, Rows, Taken};
use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::Control;
use hashlane_manifest::{Format, Merged, ProblemKind, ReadOptions, Reader};
use hashlane_record::{ItemPath, Outcome};

use crate::error::Error;
use crate::lists::{self, Again, ListOptions, STDIN, Source};
use crate::note::{Note, Notes};
use crate::out_of_place::{OutOfPlace, has_scheme};
use crate::places::Places;

/// A list on its way to be compared. It is read once, or a second time where it is in order already and does not fit into
/// memory, or is not and it took more memory to find that out.
pub struct ListRows {
    list: OsString,
    options: ReadOptions<'static>,
    places: Places,
    notes: Notes,
    control: Arc<Control>,
    items: Option<Merged<Reader<'static>>>,
    /// Nothing of it was met yet.
    is_first: bool,
    /// If it is a regular file that was opened.
    again: Option<Again>,
    /// Its format, if that holds a set of known contents.
    known_set: Option<Format>,
    met: Met,
    algorithms: Vec<Algorithm>,
}

/// What was met on the way through a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Met {
    /// Lines that list a file and were not understood.
    pub bad: u64,
    /// Lines that were not understood and list no file.
    pub noise: u64,
    /// The columns of a table that have a known name and a type that is not read.
    pub columns_not_read: Vec<&'static str>,
    /// Listed files that were unreadable or unstable when they were listed.
    pub recorded_bad: u64,
    /// Entries behind the mark of a comment, which are not read.
    pub commented_out: u64,
}

/// What sorting may take.
#[derive(Clone, Debug)]
pub struct Room {
    /// Memory for one side, in bytes.
    pub memory_bytes: usize,
    /// Where that goes which has no room in memory.
    pub directory: PathBuf,
}

/// A list that was read to its end, and its rows.
#[non_exhaustive]
pub struct Loaded {
    /// Its rows.
    pub rows: Box<dyn Rows + Send>,
    /// All that its rows have digests of.
    pub algorithms: Vec<Algorithm>,
    /// Its format, if that holds a set of known contents: its names are those of another machine.
    pub known_set: Option<Format>,
    /// What was met.
    pub met: Met,
}

/// A list that is in order, read while it is compared.
struct InOrder {
    list: ListRows,
    last: Vec<u8>,
}

impl ListRows {
    /// The rows of a list; `-` is standard input. `notes` takes the lines that cannot be parsed; if the list is read a second time, once
    /// more.
    pub fn new(
        list: &OsStr,
        options: ReadOptions<'static>,
        places: &Places,
        notes: Notes,
        control: &Arc<Control>,
    ) -> Self {
        Self {
            list: list.to_owned(),
            options,
            places: places.clone(),
            notes,
            control: Arc::clone(control),
            items: None,
            is_first: true,
            again: None,
            known_set: None,
            met: Met::default(),
            algorithms: Vec::new(),
        }
    }

    /// Reads the list, and brings its rows into order if they are not.
    ///
    /// # Errors
    /// It cannot be read to its end, is not a list, or cannot be sorted.
    pub fn load(mut self, room: &Room) -> Result<Loaded, Error> {
        let Room { memory_bytes: memory, directory } = room.clone();
        self.open()?;
        let mut gather = Gather::new(memory, directory.clone(), self.again.is_some());
        let mut row = Row::default();
        while self.row(&mut row).map_err(Error::of_rows)? {
            if gather.push(&row)? == Taken::Again {
                gather = Gather::sorting(memory, directory.clone());
                self.open()?;
            }
        }
        let (met, known_set, algorithms) =
            (self.met.clone(), self.known_set, std::mem::take(&mut self.algorithms));
        let rows: Box<dyn Rows + Send> = match gather.finish()? {
            Gathered::Sorted(sorted) => Box::new(sorted),
            Gathered::InOrder => {
                self.open()?;
                Box::new(InOrder { list: self, last: Vec::new() })
            }
        };
        Ok(Loaded { rows, algorithms, known_set, met })
    }

    /// Begins to read it, once more if need be.
    fn open(&mut self) -> Result<(), Error> {
        let failed = |source| Error::Open { list: self.list.clone(), source };
        let source = match &self.again {
            Some(again) => again.source().map_err(failed)?,
            None => {
                if self.list == STDIN {
                    (self.notes)(Note::StandardInput);
                }
                Source::open(&self.list)?
            }
        };
        if self.again.is_none() {
            self.again = source.again().map_err(failed)?;
        }
        let reader = lists::read(source, &self.options)?;
        if let Some(algorithm) = reader.assumed() {
            (self.notes)(Note::Assumed { list: &self.list, algorithm });
        }
        self.known_set = Some(reader.format()).filter(|format| format.is_known_set());
        let ReadOptions { format, fallback, zero, .. } = self.options;
        let reading = ListOptions { format, algorithm: fallback, zero, pieces: false };
        self.places.begin(&self.list, &reading);
        self.places.hint(&self.list, &self.notes);
        self.is_first = true;
        self.items = Some(reader.merged());
        self.met = Met::default();
        Ok(())
    }

    /// Why a name is none of what is compared.
    ///
    /// # Errors
    /// It is the first one, so the list is of something else.
    fn out_of_place(&mut self, path: &ItemPath) -> Result<Option<OutOfPlace>, Sorting> {
        if !std::mem::take(&mut self.is_first) {
            return Ok(self.places.out_of_place(path.as_bytes()));
        }
        match self.places.first_out_of_place(path.as_bytes(), true) {
            None => Ok(None),
            Some(why) => Err(self.places.refused(&self.list, path, why).in_rows()),
        }
    }

    /// Fills in the next row; false at the end.
    fn row(&mut self, row: &mut Row) -> Result<bool, Sorting> {
        loop {
            if self.control.stopped().is_some() {
                return Err(Error::Stopped.in_rows());
            }
            let Some(item) = self.items.as_mut().and_then(Iterator::next) else {
                self.met.commented_out =
                    self.items.as_ref().map_or(0, |items| items.get_ref().commented_out());
                return Ok(false);
            };
            let item = match item {
                Ok(item) => item,
                Err(problem) => {
                    if let ProblemKind::Input(source) = problem.kind {
                        let (list, line) = (self.list.clone(), Some(problem.line));
                        return Err(Error::Read { list, line, source }.in_rows());
                    }
                    match &problem.kind {
                        ProblemKind::ColumnNotRead { column, .. } => self.met.columns_not_read.push(column),
                        _ if problem.is_entry() => self.met.bad += 1,
                        _ => self.met.noise += 1,
                    }
                    (self.notes)(Note::Line { list: &self.list, problem: &problem });
                    continue;
                }
            };
            if let Some(why) = self.out_of_place(&item.path)? {
                self.met.bad += 1;
                let (list, line, path) = (&*self.list, item.line, &item.path);
                (self.notes)(Note::OutOfPlace { list, line, path, why });
                continue;
            }
            let (kind, digests) = match item.outcome {
                None | Some(Outcome::Read) => (RowKind::File, &item.digests[..]),
                Some(Outcome::Unstable(_)) => (RowKind::Unstable, &[][..]),
                Some(Outcome::Disputed(_) | Outcome::Failed(_)) => (RowKind::Unreadable, &[][..]),
            };
            self.met.recorded_bad += u64::from(kind != RowKind::File);
            Algorithm::unite(&mut self.algorithms, digests.iter().map(Digest::algorithm));
            let path = &*self.places.of_listed(item.path.as_bytes());
            row.set(item.line, kind, &KnownFile { path, size: item.size, modified: item.modified, digests });
            if item.state.is_some() || has_scheme(item.path.as_bytes()) {
                row.put_in_store();
            }
            return Ok(true);
        }
    }
}

impl Rows for InOrder {
    fn next(&mut self, row: &mut Row) -> Result<bool, Sorting> {
        let more = self.list.row(row)?;
        if more && *self.last > *row.name() {
            let (list, line) = (self.list.list.clone(), row.line());
            return Err(Error::OutOfOrder { list, line }.in_rows());
        }
        self.last.clear();
        self.last.extend_from_slice(row.name());
        Ok(more)
    }
}
