//! A check: do files still have their listed digests, and are there files that are not listed?

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex};

use hashlane_audit::Verdict;
use hashlane_digest::Digest;
use hashlane_engine::{Bounds, Control, Excluded, Halt, Sink, Skipped, Summary, Taken, WalkOptions};
use hashlane_record::{ItemPath, Outcome, Record};

use crate::base::Base;
use crate::confined::Confined;
use crate::elsewhere;
use crate::error::Error;
use crate::expected::{Differing, Expected};
use crate::extras::{self, Extra};
use crate::judge::{Judgement, judge};
use crate::listed::{Listed, Met, lock, tagged};
use crate::lists::{Items, STDIN, is_regular};
use crate::names::Names;
use crate::normal::{distinct, here};
use crate::note::{ListSummary, Notes};
use crate::options::CheckOptions;
use crate::out_of_place::{OutOfPlace, has_scheme};
use crate::prefixes;
use crate::problem::Problem;
use crate::remedy::{Absent, Remedy};
use crate::within::with_here;

/// A check of lists. At least one of them can be opened.
pub struct Check {
    options: Arc<CheckOptions>,
    met: Arc<Mutex<Met>>,
    listed: Listed,
}

/// The verdict on one file.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// Its name.
    pub path: &'a ItemPath,
    /// The verdict. [`Verdict::New`] is a file in no list.
    pub verdict: Verdict,
    /// Why it was not read, if it was not.
    pub problem: Option<Problem<'a>>,
    /// What was expected of it, if it was examined.
    pub expected: Option<&'a Expected>,
    /// The result of reading it, if it was examined.
    pub record: Option<&'a Record>,
    /// Which of its pieces differ, if pieces are listed and the file does not match.
    pub differing: Option<&'a Differing>,
}

/// The result of a check, besides its findings.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// What was read.
    pub summary: Summary,
    /// Lists that could not be opened.
    pub unopened: Vec<Error>,
    /// Lists that were read and have something to report.
    pub lists: Vec<ListSummary>,
    /// The result of the search for unlisted files.
    pub extras: Extras,
    /// The number of listed names that are there, if only names were compared.
    pub there: u64,
    /// A way to read names by which missing files are found, if there is one.
    pub remedy: Option<Remedy>,
    /// Whether it came to its end, and nobody and nothing has stopped it before.
    pub is_complete: bool,
}

/// The result of the search for unlisted files.
#[derive(Debug)]
#[non_exhaustive]
pub enum Extras {
    /// It was not requested, or the check was stopped before it.
    NotSought,
    /// Not all lists could be read, so their files would be reported as new.
    ListsLack,
    /// The search was made.
    Sought(Skipped),
    /// They were looked for until the check was stopped.
    Stopped,
    /// They could not be looked for.
    Failed(Error),
}

impl Check {
    /// Opens the first list that can be opened. `notes` takes what is found while reading the lists.
    ///
    /// # Errors
    /// No list can be opened.
    pub fn open(options: CheckOptions, notes: Notes) -> Result<Self, Vec<Error>> {
        let options = Arc::new(options);
        let names = match (&options.lookup.elsewhere, &options.lookup.base) {
            (Some(_), _) => Names::of_keys(),
            (None, Some(_)) => Names::default(),
            (None, None) => Names::from_here(),
        };
        let met = Arc::new(Mutex::new(Met::new(options.complete, names)));
        let mut listed = Listed::new(&options, &met, notes);
        if listed.open_next() {
            return Ok(Self { options, met, listed });
        }
        let unopened = std::mem::take(&mut lock(&met).unopened);
        Err(unopened)
    }

    /// Reads and judges all listed files, and looks for unlisted ones if requested. `found` takes the verdicts and may end the check.
    /// `excluded`: device and inode of files that the search skips, besides the lists themselves, such as the output.
    ///
    /// # Errors
    /// The engine or `found` failed. All other problems are findings or notes.
    pub fn run(
        self,
        excluded: &[(u64, u64)],
        found: &mut dyn FnMut(&Finding<'_>) -> Taken,
        control: &Arc<Control>,
    ) -> Result<Checked, Error> {
        let Self { options, met, listed } = self;
        let has_base = options.lookup.has_base();
        let (bounds, is_in_store) = (*options.lookup.selection.bounds(), options.lookup.elsewhere.is_some());
        let mut judged =
            Judged { bounds, has_base, is_in_store, found, absent: Absent::default(), stopped: false };
        let mut engine = options.lookup.engine.clone();
        engine.disputed = true;
        let summary =
            elsewhere::run(options.lookup.elsewhere.as_deref(), engine, listed, &mut judged, control)?;
        let mut met = std::mem::take(&mut *lock(&met));
        met.close();
        judged.stdin_again(met.stdin_again).or_else(Halt::into_result)?;
        let is_over = judged.stopped || control.stopped().is_some();
        let extras = match options.complete && !is_over {
            true => extras(&options, &mut met, excluded, &mut judged, control)?,
            false => Extras::NotSought,
        };
        let is_complete = !is_over && !matches!(extras, Extras::Stopped);
        // Who has stopped it is not to wait for more.
        let remedy = if is_in_store || !is_complete { None } else { judged.absent.remedy(&options) };
        let Met { there, unopened, lists, .. } = met;
        Ok(Checked { summary, unopened, lists, extras, there, remedy, is_complete })
    }
}

impl Checked {
    /// The number of listed files without a digest that can be verified.
    pub fn undigested(&self) -> u64 {
        self.lists.iter().map(|list| list.undigested).sum()
    }

    /// The number of listed files that were unreadable or unstable when they were listed.
    pub fn recorded_bad(&self) -> u64 {
        self.lists.iter().map(|list| list.recorded_bad).sum()
    }
}

impl<'a> Finding<'a> {
    /// A file that was not looked at.
    fn new(path: &'a ItemPath, verdict: Verdict) -> Self {
        Self { path, verdict, problem: None, expected: None, record: None, differing: None }
    }

    /// The computed digests; none for a file that changed while it was read, because they belong to no content that it ever had.
    pub fn computed(&self) -> &'a [Digest] {
        let is_judged = |record: &&Record| record.outcome == Outcome::Read || self.is_disputed();
        self.record.filter(is_judged).map_or(&[], |record| &record.digests)
    }

    /// The listed size and the size read, in bytes, if the file was read.
    pub fn sizes(&self) -> Option<(u64, u64)> {
        let is_judged = |record: &&Record| record.outcome == Outcome::Read || self.is_disputed();
        let record = self.record.filter(is_judged)?;
        Some((self.expected?.size_bytes?, record.digested_bytes))
    }

    /// Whether its content was compared, though its store keeps the checksum of another one.
    fn is_disputed(&self) -> bool {
        let is_compared = matches!(self.verdict, Verdict::Corrupt | Verdict::Collision);
        is_compared && self.record.is_some_and(|record| matches!(record.outcome, Outcome::Disputed(_)))
    }
}

/// Compares records with what was expected of them.
struct Judged<'a> {
    /// Of the files that are gone, those that are listed otherwise are not missing.
    bounds: Bounds,
    has_base: bool,
    is_in_store: bool,
    found: &'a mut dyn FnMut(&Finding<'_>) -> Taken,
    /// The missing files.
    absent: Absent,
    /// The check was ended by who takes its findings.
    stopped: bool,
}

impl Judged<'_> {
    fn show(&mut self, finding: &Finding<'_>) -> Taken {
        let taken = (self.found)(finding);
        self.stopped |= taken.is_err();
        taken
    }

    /// Why a name was not looked for, though nothing has it.
    fn out_of_place(&self, name: &[u8]) -> Option<OutOfPlace> {
        match (self.is_in_store, self.has_base) {
            _ if !has_scheme(name) => None,
            (true, has_base) => has_base.then_some(OutOfPlace::Outside),
            (false, _) => Some(OutOfPlace::Object),
        }
    }

    /// Files that are listed as standard input, which another one or a list has taken: they have no record.
    fn stdin_again(&mut self, count: u64) -> Taken {
        if self.stopped {
            return Ok(());
        }
        let path = ItemPath::from(STDIN);
        let problem = Some(Problem::StandardInputTaken);
        for _ in 0..count {
            self.show(&Finding { problem, ..Finding::new(&path, Verdict::Unreadable) })?;
        }
        Ok(())
    }
}

impl Sink for Judged<'_> {
    fn record(&mut self, mut record: Record) -> Taken {
        let Some((expected, is_from_here)) = tagged(&record.tag) else {
            unreachable!("every entry of a check carries what is expected of it");
        };
        if is_from_here {
            record.path = with_here(&record.path);
        }
        let Judgement { verdict, differing, disputed, .. } = judge(&expected, &record, self.is_in_store);
        if verdict == Verdict::Missing && !self.bounds.hold(expected.size_bytes, expected.modified) {
            return self.show(&Finding::new(&record.path, Verdict::Excluded));
        }
        if verdict == Verdict::Missing
            && let Some(why) = self.out_of_place(record.path.as_bytes())
        {
            let problem = Some(Problem::OutOfPlace(why));
            let finding = Finding::new(&record.path, Verdict::Unreadable);
            return self.show(&Finding {
                problem,
                expected: Some(&expected),
                record: Some(&record),
                ..finding
            });
        }
        if verdict == Verdict::Missing {
            self.absent.add(&record.path);
        }
        self.show(&Finding {
            path: &record.path,
            verdict,
            problem: disputed.map(Problem::Disputed).or_else(|| Problem::of(&record, self.has_base)),
            expected: Some(&expected),
            record: Some(&record),
            differing: differing.as_ref(),
        })
    }

    fn excluded(&mut self, excluded: Excluded) -> Taken {
        let is_from_here = tagged(&excluded.tag).is_some_and(|(_, is_from_here)| is_from_here);
        let path = if is_from_here { with_here(&excluded.path) } else { excluded.path };
        self.show(&Finding::new(&path, Verdict::Excluded))
    }
}

/// Looks for files that are not listed.
fn extras(
    options: &CheckOptions,
    met: &mut Met,
    excluded: &[(u64, u64)],
    judged: &mut Judged<'_>,
    control: &Control,
) -> Result<Extras, Error> {
    if !met.unopened.is_empty() || met.lists.iter().any(|list| list.broken_off) {
        return Ok(Extras::ListsLack);
    }
    let roots = match roots(options, met) {
        Ok(roots) => roots,
        Err(nowhere) => return Ok(Extras::Failed(nowhere)),
    };
    let mut show = |extra| match extra {
        // The walk for extras has no records to finish: it ends at once.
        _ if control.stopped().is_some() => Err(Halt::Enough),
        Extra::File(path) => judged.show(&Finding::new(&path, Verdict::New)),
        Extra::Unsearched { path, why } => {
            let problem = Some(Problem::Unsearched(&why));
            judged.show(&Finding { problem, ..Finding::new(&path, Verdict::Unreadable) })
        }
    };
    if let Some(elsewhere) = options.lookup.elsewhere.as_deref() {
        let walk = &options.lookup.selection.walk;
        let searched = extras::search_in(elsewhere, &roots, walk, &mut met.names, control, &mut show);
        return sought(searched);
    }
    let of_lists = options.lists.iter().filter_map(|name| identity(name));
    let known: BTreeSet<_> = of_lists.chain(excluded.iter().copied()).collect();
    let known: Vec<_> = known.into_iter().collect();
    let confined = options.lookup.base.as_ref().map(Base::confined);
    let inside = options.lookup.base.as_ref().map(|base| Arc::clone(base.directory()));
    let walk = WalkOptions { inside, ..options.lookup.selection.walk.clone() };
    sought(extras::search(&roots, confined, &walk, &mut met.names, &known, &mut show))
}

/// Where to look for files that are not listed.
///
/// # Errors
/// Nobody says where.
fn roots(options: &CheckOptions, met: &mut Met) -> Result<Vec<ItemPath>, Error> {
    let has_base = options.lookup.has_base();
    let roots = match has_base {
        _ if !options.lookup.roots.is_empty() => options.lookup.roots.clone(),
        // Rather all of the base than less than what the lists are of.
        true if !are_of_all(met, options) => Vec::new(),
        _ => std::mem::take(&mut met.roots),
    };
    let nested = options.lookup.selection.is_everything();
    if let Some(elsewhere) = options.lookup.elsewhere.as_deref() {
        let roots = match roots.is_empty() {
            true if has_base => vec![ItemPath::from(".")],
            true => return Err(Error::NoPrefix),
            false => roots,
        };
        return Ok(prefixes::distinct(
            roots.iter().map(|root| elsewhere::root(elsewhere, root)).collect(),
            nested,
        ));
    }
    let roots = match &roots[..] {
        [] if has_base => Vec::new(),
        [] if !met.names.has_relative() => return Err(Error::NowhereToLook),
        [] => vec![ItemPath::from(".")],
        _ => roots,
    };
    let here = if has_base { Vec::new() } else { here() };
    Ok(distinct(roots, options.lookup.start(), &here, nested))
}

/// How a search ended.
fn sought(searched: Result<Skipped, extras::Ended>) -> Result<Extras, Error> {
    match searched {
        Ok(skipped) => Ok(Extras::Sought(skipped)),
        Err(extras::Ended::Halt(halt)) => {
            halt.into_result()?;
            Ok(Extras::Stopped)
        }
        Err(extras::Ended::Root(error)) => Ok(Extras::Failed(Error::Search(error))),
    }
}

/// Whether the roots of headers lie below the base and are those of all that is listed. A list without a header can stand behind
/// one that has it, in one file or in another.
fn are_of_all(met: &Met, options: &CheckOptions) -> bool {
    let CheckOptions { lists, lookup, .. } = options;
    // Those that stand before the first line are known when it is opened. What can be read once only does not tell any more.
    let begins_with_one = |name: &std::ffi::OsString| {
        is_regular(name)
            && Items::by_whatever_algorithm(name, &lookup.reading)
                .is_ok_and(|items| !items.header_roots().is_empty())
    };
    Confined::holds(&met.roots)
        && met.names.lie_in(&met.roots)
        && (lists.len() == 1 || lists.iter().all(begins_with_one))
}

/// Device and inode of a list that a walk may find.
pub fn identity(list: &OsStr) -> Option<(u64, u64)> {
    if list == STDIN {
        return None;
    }
    std::fs::metadata(list).ok().map(|facts| (facts.dev(), facts.ino()))
}
