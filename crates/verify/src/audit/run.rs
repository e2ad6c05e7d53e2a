//! An audit: its runs of the engine, one after the other.

use std::path::Path;
use std::sync::Arc;

use hashlane_audit::{Counters, Verdict};
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Input, Summary, Taken};
use hashlane_record::ItemPath;

use super::event::{End, Event};
use super::seen::{SeenElsewhere, show};
use super::sink::{Judged, Telling};
use crate::base::Base;
use crate::elsewhere::{self, Elsewhere};
use crate::error::Error;

/// The result of an audit, besides its events.
#[derive(Debug)]
#[non_exhaustive]
pub struct Audited {
    /// What was read.
    pub summary: Summary,
    /// How it ended.
    pub end: End,
    /// The number of files per verdict.
    pub counters: Counters,
    /// The algorithms by which contents were compared.
    pub algorithms: Vec<Algorithm>,
    /// The roots that were searched.
    pub roots: Vec<ItemPath>,
    /// Directories that could not be searched.
    pub unsearched: u64,
}

impl Audited {
    /// Whether the content of any file was compared.
    pub fn is_compared(&self) -> bool {
        use Verdict::{Changed, Collision, Copied, Corrupt, Moved, Ok};
        [Ok, Changed, Corrupt, Moved, Copied, Collision]
            .into_iter()
            .any(|verdict| self.counters.of(verdict) > 0)
    }
}

/// An audit that is ready to run.
pub struct TreeAudit {
    pub(super) engine: hashlane_engine::Options,
    pub(super) base: Option<Base>,
    pub(super) elsewhere: Option<Arc<Elsewhere>>,
    pub(super) roots: Vec<ItemPath>,
    pub(super) judged: Judged,
    pub(super) contradictions: u64,
}

impl TreeAudit {
    /// The roots to search.
    pub fn roots(&self) -> &[ItemPath] {
        &self.roots
    }

    /// What names are relative to; empty: the current directory.
    pub fn start(&self) -> &Path {
        self.judged.places.start()
    }

    /// The algorithms by which contents are compared.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.engine.algorithms
    }

    /// The number of names whose entries contradict each other, found when all entries were brought together.
    pub fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// How files are read. Settings of the device may depend on the roots.
    pub fn engine(&mut self) -> &mut hashlane_engine::Options {
        &mut self.engine
    }

    /// Reads and judges all existing files, and then reports on the listed ones. `found` takes every event and may end the audit.
    ///
    /// # Errors
    /// The engine or `found` failed, or what does not fit into memory could not be sorted. All other problems are events.
    pub fn run(
        self,
        found: &mut dyn FnMut(&Event<'_>) -> Taken,
        control: &Arc<Control>,
    ) -> Result<Audited, Error> {
        self.run_with(None, found, control)
    }

    /// The same where others have read all that is below the roots, by the algorithms that are compared. Only listed files that they did not
    /// come to are looked for and read here.
    ///
    /// # Errors
    /// Besides those of [`TreeAudit::run`]: a table cannot be read, or does not tell what was read, or pieces of files are listed.
    pub fn run_on(
        self,
        seen: &SeenElsewhere,
        found: &mut dyn FnMut(&Event<'_>) -> Taken,
        control: &Arc<Control>,
    ) -> Result<Audited, Error> {
        self.run_with(Some(seen), found, control)
    }

    fn run_with(
        self,
        seen: Option<&SeenElsewhere>,
        found: &mut dyn FnMut(&Event<'_>) -> Taken,
        control: &Arc<Control>,
    ) -> Result<Audited, Error> {
        let Self { engine, base, elsewhere, roots, judged, .. } = self;
        let elsewhere = elsewhere.as_deref();
        let mut sink = Telling { judged, found };
        let mut summary = match seen {
            Some(_) if engine.division.is_some() => return Err(Error::UnlikePieces),
            Some(seen) => show(seen, elsewhere.is_none(), &mut sink, control)?,
            None => {
                let inputs = roots.clone().into_iter().map(Input::Path);
                elsewhere::run(elsewhere, engine.clone(), inputs, &mut sink, control)?
            }
        };
        let mut looked = Vec::new();
        while summary.stopped.is_none() {
            sink.judged.inhabited |= summary.skipped.excluded > 0;
            let names = match sink.present(&mut looked) {
                Ok(names) => names,
                Err(halt) => {
                    halt.into_result()?;
                    break;
                }
            };
            if names.is_empty() {
                break;
            }
            let (base, algorithms) = (base.clone(), Arc::clone(&engine.algorithms));
            let division = engine.division;
            let inputs = names.into_iter().map(move |path| Input::File {
                path,
                base: base.as_ref().map(|base| Arc::clone(base.directory())),
                algorithms: Arc::clone(&algorithms),
                division,
                tag: [].into(),
            });
            summary += elsewhere::run(elsewhere, engine.clone(), inputs, &mut sink, control)?;
        }
        let is_complete = summary.stopped.is_none() && !sink.judged.stopped;
        let unsearched = sink.judged.unsearched;
        let (end, counters) = sink.finish(is_complete)?;
        Ok(Audited { summary, end, counters, algorithms: engine.algorithms.to_vec(), roots, unsearched })
    }
}
