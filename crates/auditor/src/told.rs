//! What an audit says while it goes on, and what it did.

use std::time::Duration;

use hashlane_catalog::{
    Cause, Collection, Content, ItemId, Result, RunId, Said, Seal, Seen, Stint, Verdict, Writer,
};
use hashlane_engine::Skipped;
use hashlane_record::Origin;

use crate::counts::Counts;
use crate::heeding::AskedToEnd;
use crate::held::Held;
use crate::held_back::HeldBack;
use crate::listing::Listing;

/// What happens during an audit.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditEvent<'a> {
    /// This many files were listed so far.
    Listing(u64),
    /// The tree was listed to its end.
    Listed(&'a Listing),
    /// The plan is made: how many files are to be read in any case, because they are new or look changed.
    Planned {
        /// Files that are new or look changed.
        at_once: u64,
        /// Bytes that will be read, where that is known beforehand.
        bytes: Option<u64>,
    },
    /// A file is not as known, and not a finding: it was accepted, or is not judged to its end yet.
    File {
        /// Its path below the root.
        path: &'a [u8],
        /// What it is.
        verdict: Verdict,
        /// What is particular about an edit.
        cause: Option<Cause>,
        /// The same in words; empty if nothing is.
        detail: &'a str,
    },
    /// Something stands against a file.
    Finding {
        /// Its path below the root.
        path: &'a [u8],
        /// What it is.
        verdict: Verdict,
        /// It is said for the first time, of this content.
        is_new: bool,
        /// It was found by an earlier audit, which did not come to tell it, at a time in seconds since 1970.
        again_s: Option<i64>,
        /// What was there instead.
        seen: &'a Seen,
        /// What is known.
        known: &'a Content,
        /// What a provider says instead, of a file that one contradicts.
        said: Option<&'a Said>,
    },
    /// A directory or a file could not be listed or looked up.
    Unlisted {
        /// Its path below the root.
        path: &'a [u8],
        /// What the system said.
        reason: &'a str,
    },
    /// This many files are read again past the cache.
    Rereading(u64),
    /// What was reported so far is to be where it is read: when this returns, it counts as reported, and no later audit repeats it.
    Told,
}

/// Takes what happens during an audit. An error ends it.
pub type Events<'a> = &'a mut dyn FnMut(AuditEvent<'_>) -> Result<()>;

/// How an audit ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// All that was to be read was read.
    #[default]
    Complete,
    /// The budget was used up before.
    Budget,
    /// It was stopped from outside, and goes on with the same request.
    Stopped,
    /// It was held.
    Held(Held),
    /// The root cannot be reached, for this reason.
    Offline(String),
    /// The root is there, and the system does not let it be read, or the store does not answer to whoever asks: for this reason.
    Refused(String),
    /// There is no file, and never was: a first audit that registers nothing.
    Empty,
}

impl Outcome {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Budget => "budget",
            Self::Stopped => "stopped",
            Self::Held(_) => "held",
            Self::Offline(_) => "offline",
            Self::Refused(_) => "refused",
            Self::Empty => "empty",
        }
    }
}

/// What an audit did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Audited {
    /// How it ended.
    pub outcome: Outcome,
    /// The run that has recorded it; nothing of one that only counts.
    pub run: Option<RunId>,
    /// What the listing found.
    pub listing: Listing,
    /// What it holds back, by directory, if it is held.
    pub held_back: Vec<HeldBack>,
    /// How many files got which verdict.
    pub counts: Counts,
    /// What the walk passed over.
    pub skipped: Skipped,
    /// Files that were read to their end.
    pub files: u64,
    /// Bytes that were read, without those that were read again.
    pub bytes: u64,
    /// Where they came from.
    pub origin: Origin,
    /// Files that were read again, because they differ under their old size and time or only the device can tell that they are good.
    pub reread_files: u64,
    /// Bytes that were read again, each time that they were.
    pub reread_bytes: u64,
    /// Files that were to be read.
    pub planned_files: u64,
    /// Their bytes, without those of large files that were read before.
    pub planned_bytes: u64,
    /// Files that a run elsewhere was not asked for, as later readings or findings are known of them. Of a run that was ended early, or
    /// that goes on, it is not known how many those are: 0.
    pub known_later: u64,
    /// How many objects of a store were read again because they were recorded so soon after they were written that one more change might not
    /// show.
    pub unsettled_objects: u64,
    /// Files where something other than the content has changed since they were read, and that this audit has not read.
    pub changed_metadata: u64,
    /// Why decisions that were made beside it are not carried out yet, if that failed.
    pub undecided: Option<String>,
    /// Why it was asked to end from outside, if it was.
    pub asked_to_end: Option<AskedToEnd>,
    /// Why it ended before all was read, if that was not for its budget: what the collection lies on could not be reached any more.
    pub away: Option<String>,
    /// It was the first of its collection.
    pub is_first: bool,
    /// It went on with a run that was interrupted.
    pub goes_on: bool,
    /// How long the listing took.
    pub listing_time: Duration,
    /// How long the reading took, without what was read again.
    pub reading_time: Duration,
    /// How long it took to read files again.
    pub rereading_time: Duration,
    /// All that the run has recorded, in one number; nothing of one that is not over.
    pub seal: Option<Seal>,
}

impl Audited {
    /// One that has not done anything.
    pub fn nothing(is_first: bool) -> Self {
        Self { is_first, ..Self::default() }
    }
}

/// A finding that is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stands {
    pub(crate) item: ItemId,
    pub(crate) verdict: Verdict,
    /// It is said for the first time.
    pub(crate) is_new: bool,
}

/// Reports what stands against a file, and whether that is said for the first time.
pub(crate) fn tell(
    catalog: &Writer,
    collection: &Collection,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    told: Stands,
) -> Result<()> {
    tell_of(catalog, collection, events, told, None)
}

/// Reports what earlier audits have found and did not come to report.
pub(crate) fn tell_again(
    catalog: &Writer,
    collection: &Collection,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    stint: Stint,
) -> Result<()> {
    for untold in catalog.untold(collection.id, stint)? {
        let told = Stands { item: untold.item, verdict: untold.verdict, is_new: true };
        tell_of(catalog, collection, events, told, Some(untold.since_s))?;
    }
    Ok(())
}

/// Takes note that what was handed on since the last time is reported.
pub(crate) fn mark_told(
    catalog: &mut Writer,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    now_s: i64,
) -> Result<()> {
    if !catalog.has_handed_on() {
        return Ok(());
    }
    events(AuditEvent::Told)?;
    catalog.mark_told(now_s)
}

fn tell_of(
    catalog: &Writer,
    collection: &Collection,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    Stands { item, verdict, is_new }: Stands,
    again_s: Option<i64>,
) -> Result<()> {
    let path = catalog.path_of(item)?;
    let seen = catalog.finding(collection, item)?.map(|finding| finding.seen).unwrap_or_default();
    let known = catalog.item(collection, item)?.map(|item| item.content).unwrap_or_default();
    let said = match verdict {
        Verdict::Contradicted => catalog.contradiction(collection.id, item)?,
        _ => None,
    };
    let (seen, known, said) = (&seen, &known, said.as_ref());
    events(AuditEvent::Finding { path: &path, verdict, is_new, again_s, seen, known, said })?;
    if is_new {
        catalog.hand_on(item);
    }
    Ok(())
}
