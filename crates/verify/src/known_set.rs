//! A set of known contents as it comes, a manifest or a database, and how it gets into an index.

use hashlane_digest::{Algorithm, Digest};
use hashlane_known::{Builder, Error, Nsrl};
use hashlane_manifest::{Item, LineProblem, Merged, ProblemKind, Reader};
use hashlane_record::Outcome;

/// A set, open.
pub struct KnownSet {
    source: Kind,
    rows: KnownRows,
}

enum Kind {
    Database(Nsrl),
    List { first: Item, items: Box<Merged<Reader<'static>>> },
}

/// What became of the rows of a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownRows {
    /// Records that were taken in.
    pub taken: u64,
    /// Rows that could not be read.
    pub bad: u64,
    /// Files that were not read when the list was made: what it says of them is not content.
    pub failed: u64,
    /// Records without a digest of an algorithm that is wanted.
    pub other: u64,
    /// Entries that stand behind the mark of a comment.
    pub commented_out: u64,
}

/// A row that could not be read, and is left out.
#[derive(Debug)]
pub enum LeftOut {
    /// A line of a list. With an error of the system, the rest was not read either.
    Line(LineProblem),
    /// A row of a database, by its number and the column that is not a digest.
    Row(u64, &'static str),
}

/// Why a set did not get into an index.
#[derive(Debug)]
pub enum PourError {
    /// The database of the set cannot be read.
    Database(Error),
    /// The index, or a temporary file, cannot be written.
    Index(Error),
}

impl From<Error> for PourError {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<Nsrl> for KnownSet {
    fn from(database: Nsrl) -> Self {
        Self { source: Kind::Database(database), rows: KnownRows::default() }
    }
}

impl KnownSet {
    /// The set that a list is; `None` if it has no entry that can be read.
    pub fn of_list(reader: Reader<'static>, say: &mut dyn FnMut(LeftOut)) -> Option<Self> {
        let (mut items, mut rows) = (Box::new(reader.merged()), KnownRows::default());
        let first = next(&mut items, &mut rows, say)?;
        Some(Self { source: Kind::List { first, items }, rows })
    }

    /// The algorithms that it has, as far as its beginning shows, each once.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        match &self.source {
            Kind::Database(database) => database.algorithms().to_vec(),
            Kind::List { first, items } => {
                let mut algorithms = items.get_ref().algorithms().to_vec();
                Algorithm::unite(&mut algorithms, first.digests.iter().map(Digest::algorithm));
                algorithms
            }
        }
    }

    /// Puts all of it into an index, as its set of this number. `met` is called with the number of each row.
    ///
    /// # Errors
    /// The database cannot be read, or the index not be written.
    pub fn pour(
        self,
        builder: &mut Builder,
        number: u8,
        say: &mut dyn FnMut(LeftOut),
        mut met: impl FnMut(u64),
    ) -> Result<KnownRows, PourError> {
        let Self { source, mut rows } = self;
        let mut add = |rows: &mut KnownRows, name: &[u8], digests: &[Digest]| -> Result<(), PourError> {
            let counted = match builder.add(number, name, digests).map_err(PourError::Index)? {
                true => &mut rows.taken,
                false => &mut rows.other,
            };
            *counted += 1;
            Ok(())
        };
        match source {
            Kind::Database(database) => database.for_each(|row| {
                met(row.number);
                if let Some(column) = row.bad {
                    rows.bad += 1;
                    say(LeftOut::Row(row.number, column));
                    return Ok(());
                }
                add(&mut rows, &row.name, &row.digests)
            })?,
            Kind::List { first, mut items } => {
                let mut item = Some(first);
                while let Some(entry) = item {
                    met(entry.line);
                    match entry.outcome {
                        None | Some(Outcome::Read) => {
                            add(&mut rows, entry.path.as_bytes(), &entry.digests)?;
                        }
                        Some(_) => rows.failed += 1,
                    }
                    item = next(&mut items, &mut rows, say);
                }
                rows.commented_out = items.get_ref().commented_out();
            }
        }
        Ok(rows)
    }
}

/// The next entry; what is not an entry is passed over.
fn next(
    items: &mut Merged<Reader<'static>>,
    rows: &mut KnownRows,
    say: &mut dyn FnMut(LeftOut),
) -> Option<Item> {
    loop {
        match items.next()? {
            Ok(item) => return Some(item),
            Err(problem) if problem.is_entry() || matches!(problem.kind, ProblemKind::Input(_)) => {
                rows.bad += 1;
                say(LeftOut::Line(problem));
            }
            Err(_) => {}
        }
    }
}
