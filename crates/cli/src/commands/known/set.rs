//! A set of known contents, read: a manifest or a database.

use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use hashlane_known::{Builder, Error, Nsrl};
use hashlane_manifest::{Item, LineProblem, Merged, ProblemKind, ReadOptions, Reader};
use hashlane_record::Outcome;
use hashlane_report::text;

use super::failed;
use crate::commands::bench::distinct;
use crate::manifests::{self, OptionNames, Refused};
use crate::status::unreadable;
use crate::terminal::screen::Screen;

/// How many rows that are left out are said one by one.
const MAX_SAID: u64 = 20;

/// A set, open.
pub(super) struct Set {
    pub(super) shown: String,
    source: Source,
    rows: Rows,
    screen: Screen,
}

enum Source {
    Database(Nsrl),
    Manifest { first: Item, items: Box<Merged<Reader<'static>>> },
}

/// What became of the rows of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    /// Records that were taken in.
    pub(super) taken: u64,
    /// Rows that could not be read.
    pub(super) bad: u64,
    /// Files that were not read when the list was made: what it says of them is not content.
    pub(super) failed: u64,
    /// Records without a digest of an algorithm that is wanted.
    pub(super) other: u64,
}

impl Set {
    /// Reads what a set begins with.
    pub(super) fn open(
        mut source: manifests::Source,
        options: &ReadOptions<'_>,
        called: OptionNames,
        screen: &Screen,
    ) -> anyhow::Result<Self> {
        let shown = manifests::shown(source.name());
        let screen = screen.clone();
        if options.format.is_none() && source.is_regular() && Nsrl::is_database(source.beginning()) {
            let database = Nsrl::open(Path::new(source.name())).map_err(|error| failed(&shown, &error))?;
            return Ok(Self { shown, source: Source::Database(database), rows: Rows::default(), screen });
        }
        let reader = manifests::read(source, options, called).map_err(Refused::into_error)?;
        let (mut items, mut rows) = (reader.merged(), Rows::default());
        let Some(first) = next(&mut items, &mut rows, &shown, &screen) else {
            return Err(unreadable!("{shown}: no entry could be parsed"));
        };
        Ok(Self { shown, source: Source::Manifest { first, items: Box::new(items) }, rows, screen })
    }

    /// The algorithms that it has, as far as its beginning shows.
    pub(super) fn algorithms(&self) -> Vec<Algorithm> {
        match &self.source {
            Source::Database(database) => database.algorithms().to_vec(),
            Source::Manifest { first, items } => {
                let mut algorithms = items.get_ref().algorithms().to_vec();
                algorithms.extend(first.digests.iter().map(Digest::algorithm));
                distinct(&algorithms)
            }
        }
    }

    /// Puts all of it into an index, which `refused` names if it cannot be written. `met` is called with the number of each row.
    pub(super) fn pour(
        self,
        builder: &mut Builder,
        refused: impl Fn(Error) -> anyhow::Error,
        mut met: impl FnMut(u64),
    ) -> anyhow::Result<Rows> {
        let Self { shown, source, mut rows, screen } = self;
        let set = builder.set(shown.clone()).map_err(|error| failed(&shown, &error))?;
        let mut add = |rows: &mut Rows, name: &[u8], digests: &[Digest]| -> anyhow::Result<()> {
            let counted = match builder.add(set, name, digests).map_err(&refused)? {
                true => &mut rows.taken,
                false => &mut rows.other,
            };
            *counted += 1;
            Ok(())
        };
        match source {
            Source::Database(database) => {
                database
                    .for_each(|row| {
                        met(row.number);
                        if let Some(column) = row.bad {
                            let what = format!(
                                "row {}: its {column} is not a digest; the row is left out",
                                row.number
                            );
                            rows.bad(&what, &shown, &screen);
                            return Ok(());
                        }
                        add(&mut rows, &row.name, &row.digests).map_err(Poured::Ended)
                    })
                    .map_err(|error| match error {
                        Poured::Failed(error) => failed(&shown, &error),
                        Poured::Ended(error) => error,
                    })?;
            }
            Source::Manifest { first, mut items } => {
                let mut item = Some(first);
                while let Some(entry) = item {
                    met(entry.line);
                    match entry.outcome {
                        None | Some(Outcome::Read) => {
                            add(&mut rows, entry.path.as_bytes(), &entry.digests)?;
                        }
                        Some(_) => rows.failed += 1,
                    }
                    item = next(&mut items, &mut rows, &shown, &screen);
                }
                manifests::say_commented_out(&screen, &shown, items.get_ref().commented_out(), "taken in");
            }
        }
        if rows.bad > MAX_SAID {
            screen.message(&format!("{shown}: and {} more", text::count(rows.bad - MAX_SAID)));
        }
        if rows.taken == 0 {
            return Err(unreadable!(
                "{shown}: no record has a digest of the indexed algorithms; name others with --algorithm"
            ));
        }
        Ok(rows)
    }
}

impl Rows {
    /// Counts a row that is left out, and says why.
    fn bad(&mut self, what: &str, shown: &str, screen: &Screen) {
        self.bad += 1;
        if self.bad <= MAX_SAID {
            screen.message(&format!("{shown}: {what}"));
        }
    }
}

/// What ends the reading of a database.
enum Poured {
    Failed(Error),
    Ended(anyhow::Error),
}

impl From<Error> for Poured {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The next entry; what is not an entry is passed over.
fn next(items: &mut Merged<Reader<'static>>, rows: &mut Rows, shown: &str, screen: &Screen) -> Option<Item> {
    loop {
        match items.next()? {
            Ok(item) => return Some(item),
            Err(LineProblem { kind: ProblemKind::Input(error), line, .. }) => {
                let what = format!("line {line}: {}; the rest was not read", text::system(&error));
                rows.bad(&what, shown, screen);
            }
            Err(problem) if problem.is_entry() => rows.bad(&problem.to_string(), shown, screen),
            Err(_) => {}
        }
    }
}
