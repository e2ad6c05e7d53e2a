//! An audit that is under way: what all of its parts know of it.

use std::sync::Arc;

use hashlane_catalog::{
    Collection, Elsewhere, Error, HeldRun, Lasting, ReadBy, Request, Result, Stint, Writer,
};
use hashlane_engine::{Control, SeenRoot};
use roaring::RoaringTreemap;

use crate::allowance::Allowance;
use crate::asked::{AuditOptions, Budget, Scope};
use crate::checkpoints::{Checkpoints, Reuse};
use crate::course::Course;
use crate::ground::Ground;
use crate::heeding::Heeding;
use crate::held::Held;
use crate::limit::Limit;
use crate::listing::Found;
use crate::meter::Meter;
use crate::share::Share;
use crate::told::{Events, Stands, tell};

/// What stands for the period of a collection without a promise, in seconds.
pub(crate) const MONTH_S: i64 = 30 * 24 * 3600;

/// What the plan, the reading and the end of an audit share.
#[derive(Clone)]
pub(crate) struct Means {
    pub(crate) course: Arc<Course>,
    pub(crate) checkpoints: Arc<Checkpoints>,
    pub(crate) limit: Arc<Limit>,
}

/// What is left for the end of an audit.
pub(crate) struct Left<'a> {
    pub(crate) found: &'a Found,
    pub(crate) course: &'a Course,
    pub(crate) allowance: &'a Allowance,
    pub(crate) root: &'a SeenRoot,
}

/// An audit that is under way.
pub(crate) struct Audit<'a> {
    pub(crate) catalog: &'a mut Writer,
    pub(crate) collection: &'a Collection,
    pub(crate) ground: &'a Ground<'a>,
    pub(crate) options: &'a AuditOptions,
    pub(crate) control: &'a Arc<Control>,
    pub(crate) events: Events<'a>,
    /// Who has read the files, if that was not here.
    pub(crate) elsewhere: Option<&'a Elsewhere>,
    /// When it began, in seconds since 1970.
    pub(crate) now_s: i64,
    /// Which files it reads: as is asked for, or as was asked for when it was held.
    pub(crate) scope: Scope,
    /// What it may use up.
    pub(crate) budget: Budget,
    /// What is to be read of the known files.
    pub(crate) share: Share,
    /// How far it has come beyond that.
    pub(crate) ahead_bytes: u64,
    /// How many files were gone that were not renamed, once the tree was listed.
    pub(crate) gone_files: Option<u64>,
    /// Why the listing holds it, if it does.
    pub(crate) held: Option<Held>,
    /// What the root is, in words; and with what is mounted in it.
    pub(crate) root: String,
    pub(crate) place: String,
    /// It goes on over another root, and somebody has said that it is the right one: no file of it was read yet.
    pub(crate) is_other_root: bool,
    /// Files that were read good since something other than their content has changed.
    pub(crate) settled_metadata: RoaringTreemap,
    /// Files against which something stands, and that were read good, but from the page cache alone.
    pub(crate) only_cached: RoaringTreemap,
    /// What kept files from being read again. It ends no audit, else nothing would be read in any.
    pub(crate) failed: Option<Error>,
    /// Keeps how far it is.
    pub(crate) meter: Meter,
    /// Heeds what is asked of it from outside.
    pub(crate) heeding: &'a mut Heeding,
}

impl Audit<'_> {
    /// When what it reads was read at the earliest, in seconds since 1970.
    pub(crate) fn read_s(&self) -> i64 {
        self.elsewhere.map_or(self.now_s, |elsewhere| elsewhere.by().started_s)
    }

    /// What is asked for: who lets a held run go on asks for what was asked for first.
    pub(crate) fn request(&self) -> Result<Request> {
        let mut request = self.options.request();
        match self.elsewhere {
            Some(elsewhere) => request.what = elsewhere.by().request(),
            None if self.options.ignores_hold => request.what = self.held()?.request,
            None => {}
        }
        Ok(request)
    }

    /// The run that is held, if this one may go on with it.
    pub(crate) fn held(&self) -> Result<HeldRun> {
        let held = self.catalog.held(self.collection)?;
        let name = || self.collection.terms.name.clone();
        match self.elsewhere {
            Some(elsewhere) if held.request != elsewhere.by().request() => {
                Err(Error::NotHeld { name: name() })
            }
            // Who read what it was given would read all of it here.
            None if held.request.starts_with(ReadBy::REQUEST) => Err(Error::HeldBy { name: name() }),
            _ => Ok(held),
        }
    }

    /// Since when the same request is the same run: within a period, or without a promise within a month.
    pub(crate) fn since_s(&self) -> i64 {
        self.now_s.saturating_sub(self.collection.terms.period_s.unwrap_or(MONTH_S))
    }

    /// Which files that were put aside are gone on with: who asks for all bytes, and sets no budget, gets all of them read.
    pub(crate) fn reuse(&self, stint: Option<Stint>) -> Reuse {
        match stint {
            Some(stint) if self.scope == Scope::All && self.budget.is_unlimited() => Reuse::OfRun(stint.run),
            _ => Reuse::Since(self.since_s()),
        }
    }

    /// Reports what stands against a file, and whether that is said for the first time.
    pub(crate) fn tell(&mut self, stands: Stands) -> Result<()> {
        tell(self.catalog, self.collection, self.events, stands)
    }

    pub(crate) fn note_lasting(
        &mut self,
        stint: Stint,
        lasting: Lasting,
        since_s: Option<i64>,
    ) -> Result<()> {
        self.catalog.note_lasting(self.collection.id.0, lasting, since_s, (stint.run.0, self.now_s))
    }
}
