#![doc = include_str!("../README.md")]
//!
//! Owns the schema of the catalogue, every statement that reads or writes it, and the audits that fill it. Prints nothing.
//!
//! Invariants:
//! 1. All that one [`Batch`] records is there after its commit, or nothing of it, whatever ends the process or the machine.
//! 2. A name is stored once. An item's id tells its segment, and never changes.
//! 3. Spans of a collection never overlap, and two that touch differ in what they say.

#![forbid(unsafe_code)]

mod acting;
mod auditor;
mod backups;
mod batch;
mod catalog;
mod causes;
mod changelog;
mod changes;
mod checksums;
mod clock;
mod collections;
mod comparison;
mod condition;
mod copying;
mod damage;
mod earlier;
mod edits;
mod error;
mod events;
mod evidence;
mod exchange;
mod feed;
mod findings;
mod forecast;
mod habits;
mod header;
mod items;
mod keeping;
mod lasting;
mod lock;
mod maintenance;
mod migrations;
mod opening;
mod outcomes;
mod overview;
mod paths;
mod pending;
mod phase;
mod placing;
mod purging;
mod recorded;
mod reporting;
mod requests;
mod running;
mod runs;
mod sealing;
mod selecting;
mod silence;
mod spans;
mod standing;
mod status;
mod stood;
mod totals;
mod verdict;
mod vouching;
mod weekly;

pub use acting::{Acting, Way};
pub use auditor::{
    Alarm, AuditEvent, AuditOptions, Audited, Budget, Counts, DirectoryState, Elsewhere, Events, Ground,
    Held, HeldBack, How, Listed, Listing, LocalTree, MARKER, Outcome, ReadBy, ReadElsewhere, Scope, Shuffled,
    ToRead, audit, audit_by,
};
pub use backups::{Backup, Backups, Occasion};
pub use batch::Batch;
pub use catalog::Catalog;
pub use causes::Cause;
pub use changelog::Change;
#[doc(hidden)]
pub use checksums::keep_checksums;
pub use clock::Clock;
pub use collections::{Collection, CollectionId, HoldIf, Policy, SeenRoot, Selection, StoreTerms, Terms};
pub use comparison::{Comparison, Gone};
pub use condition::{Condition, Facts};
pub use damage::{Damage, Part};
pub use error::{Error, Result};
pub use events::EventKind;
pub use evidence::{
    About, Claim, Compared, Contradiction, Evidence, EvidenceCounts, EvidenceImport, EvidenceKind, Heard,
    ImportedEvidence, Named, ReportSource, Said,
};
pub use exchange::{Import, Imported, PastImport};
pub use feed::{Feed, Happened, Wanted};
pub use findings::{Acknowledgement, Event, Finding, Seen, Standing};
pub use forecast::{Forecast, Given};
pub use habits::Habits;
pub use items::{Content, DirectoryId, Item, ItemId, Segment, State, Version};
pub use keeping::{Acceptable, Choice, Decision};
pub use lock::{Holder, Lock};
pub use maintenance::Thoroughness;
pub use migrations::LATEST;
pub use opening::Opening;
pub use outcomes::{Heartbeat, Told};
pub use overview::{Overview, Progress};
pub use paths::usual_place;
pub use pending::{Decided, Pending};
pub use phase::Phase;
pub use reporting::{
    Asked, Counted, IntactCopy, Late, Moment, OldPlace, OldReading, ReadFrom, Readings, Reported, RunFigures,
    SealedRun, UnlistedDirectory, Which,
};
pub use running::Running;
pub use runs::{Ending, Request, RunId, Stint, StintId};
pub use sealing::Seal;
pub use selecting::LeftOut;
pub use silence::Judging;
pub use spans::{ReadingKind, Span};
pub use status::Run;
pub use stood::Stood;
pub use totals::Total;
pub use verdict::{Reading, Unchecked, Verdict, judge};
pub use vouching::NotEmptied;
