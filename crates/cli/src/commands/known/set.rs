//! A set of known contents, read: what is said of its rows.

use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_known::{Builder, Error, Nsrl};
use hashlane_manifest::{LineProblem, ProblemKind, ReadOptions};
use hashlane_report::text;
use hashlane_verify::{KnownRows, KnownSet, LeftOut, PourError};

use super::failed;
use crate::manifests::{self, OptionNames, Refused};
use crate::status::unreadable;
use crate::terminal::screen::Screen;

/// How many rows that are left out are said one by one.
const MAX_SAID: u64 = 20;

/// A set, open.
pub(super) struct Set {
    set: KnownSet,
    teller: Teller,
}

/// Says which rows are left out.
struct Teller {
    shown: String,
    screen: Screen,
    bad: u64,
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
        let mut teller = Teller { shown, screen: screen.clone(), bad: 0 };
        if options.format.is_none() && source.is_regular() && Nsrl::is_database(source.beginning()) {
            let database = Nsrl::open(Path::new(source.name()));
            let database = database.map_err(|error| failed(&teller.shown, &error))?;
            return Ok(Self { set: database.into(), teller });
        }
        let reader = manifests::read(source, options, called).map_err(Refused::into_error)?;
        match KnownSet::of_list(reader, &mut |row| teller.say(row)) {
            Some(set) => Ok(Self { set, teller }),
            None => Err(unreadable!("{}: no entry could be parsed", teller.shown)),
        }
    }

    pub(super) fn shown(&self) -> &str {
        &self.teller.shown
    }

    /// The algorithms that it has, as far as its beginning shows.
    pub(super) fn algorithms(&self) -> Vec<Algorithm> {
        self.set.algorithms()
    }

    /// Puts all of it into an index, which `refused` names if it cannot be written. `met` is called with the number of each row.
    pub(super) fn pour(
        self,
        builder: &mut Builder,
        refused: impl Fn(Error) -> anyhow::Error,
        met: impl FnMut(u64),
    ) -> anyhow::Result<KnownRows> {
        let Self { set, mut teller } = self;
        let number = builder.set(teller.shown.clone()).map_err(|error| failed(&teller.shown, &error))?;
        let poured = set.pour(builder, number, &mut |row| teller.say(row), met);
        let Teller { shown, screen, bad } = teller;
        let rows = poured.map_err(|error| match error {
            PourError::Database(error) => failed(&shown, &error),
            PourError::Index(error) => refused(error),
        })?;
        manifests::say_commented_out(&screen, &shown, rows.commented_out, "taken in");
        if bad > MAX_SAID {
            screen.message(&format!("{shown}: and {} more", text::count(bad - MAX_SAID)));
        }
        if rows.taken == 0 {
            return Err(unreadable!(
                "{shown}: no record has a digest of the indexed algorithms; name others with --algorithm"
            ));
        }
        Ok(rows)
    }
}

impl Teller {
    fn say(&mut self, row: LeftOut) {
        self.bad += 1;
        if self.bad > MAX_SAID {
            return;
        }
        let what = match row {
            LeftOut::Line(LineProblem { kind: ProblemKind::Input(error), line, .. }) => {
                format!("line {line}: {}; the rest was not read", text::system(&error))
            }
            LeftOut::Line(problem) => problem.to_string(),
            LeftOut::Row(number, column) => {
                format!("row {number}: its {column} is not a digest; the row is left out")
            }
        };
        self.screen.message(&format!("{}: {what}", self.shown));
    }
}
