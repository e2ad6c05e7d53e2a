#![doc = include_str!("../README.md")]
//!
//! Owns the schema of the catalogue and every statement that reads or writes it. What an audit does with it is `hashlane-auditor`. Prints nothing.
//!
//! Invariants:
//! 1. All that one [`Batch`] records is there after its commit, or nothing of it, whatever ends the process or the machine.
//! 2. A name is stored once. An item's id names its segment, and never changes.
//! 3. Spans of a collection never overlap, and two that touch differ in what they say.

#![forbid(unsafe_code)]

mod acting;
mod backups;
mod batch;
mod beside;
mod causes;
mod changelog;
mod changes;
mod checksums;
mod children;
mod clock;
mod collections;
mod comparison;
mod contents;
mod copies;
mod copying;
mod damage;
mod earlier;
mod edits;
mod elsewhere;
mod error;
mod events;
mod evidence;
mod exchange;
mod feed;
mod findings;
mod forecast;
mod good;
mod habits;
mod header;
mod ids;
mod items;
mod keeping;
mod lasting;
mod lock;
mod maintenance;
mod migrations;
mod opening;
mod outbox;
pub mod paths;
mod pending;
mod phase;
mod placing;
mod purging;
mod put_aside;
mod reader;
mod recorded;
mod reporting;
mod requests;
mod resetting;
mod restoring;
mod row;
mod running;
mod runs;
pub mod scratch;
mod sealing;
mod selecting;
mod shuffled;
mod silence;
mod spans;
mod standing;
mod status;
mod steering;
mod stint_progress;
mod stood;
mod telling;
mod totals;
mod verdict;
mod vouching;
mod weekly;
mod withheld;
mod writer;

pub use acting::{Acting, Way};
pub use backups::{Backup, Backups, Occasion};
pub use batch::Batch;
pub use beside::OwnFiles;
pub use causes::Cause;
pub use changelog::Change;
#[doc(hidden)]
pub use checksums::keep_checksums;
pub use children::{ChildDirectory, ChildFile};
pub use clock::Clock;
pub use collections::{Collection, HoldIf, Policies, Policy, Selection, StoreTerms, Terms};
pub use comparison::{Comparison, Gone};
pub use contents::{DamagedContent, HeldContent, HeldUntil, RunBegan};
pub use damage::{CataloguePart, Damage};
pub use elsewhere::{Elsewhere, ReadBy, ReadElsewhere};
pub use error::{Error, Result, Sqlite};
pub use events::EventKind;
pub use evidence::{
    About, Claim, Compared, Contradiction, Evidence, EvidenceCounts, EvidenceImport, EvidenceKind, Heard,
    ImportedEvidence, Named, ReportSource, Said,
};
pub use exchange::{Import, Imported, PastImport};
pub use feed::{Feed, Happened, Wanted};
pub use findings::{
    ACCEPTED, Acknowledgement, BACK, Before, ByContent, Event, Finding, GONE, LEFT_OUT, OF_CONTENT,
    OF_MEDIUM, Seen, Standing, UNREAD, WrittenOver,
};
pub use forecast::{Forecast, Given};
pub use habits::Habits;
pub use ids::{CollectionId, DirectoryId, ItemId, RunId, SegmentNumber, StintId};
pub use items::{Content, Item, Segment, State, Version, blob_of, digests_of, keepable, nanos_of, time_of};
pub use keeping::{Acceptable, Choice, Decision, Look, Looked};
pub use lasting::Lasting;
pub use lock::{Holder, Lock};
pub use maintenance::Thoroughness;
pub use migrations::LATEST;
pub use opening::Opening;
pub use outbox::{Message, MessageId, NewMessage, Target};
pub use paths::usual_place;
pub use pending::{DecidedOn, Pending, Waiting};
pub use phase::Phase;
pub use put_aside::{FileVersion, FirstStint, PutAside};
pub use reader::{Interrupter, Reader};
pub use reporting::{
    Asked, Counted, IntactCopy, Late, Moment, OldPlace, OldReading, ReadFrom, Readings, Reported, RunFigures,
    SealedRun, UnlistedDirectory, Which,
};
pub use restoring::{Replaced, RestoreError, restore};
pub use running::Running;
pub use runs::{Beginning, Ending, HeldRun, Request, Stint};
pub use sealing::Seal;
pub use selecting::LeftOut;
pub use shuffled::Shuffled;
pub use silence::Judging;
pub use spans::{ReadingKind, Span};
pub use status::Run;
pub use steering::{Pause, Steered, Steering};
pub use stint_progress::StintProgress;
pub use stood::Stood;
pub use telling::Untold;
pub use totals::Total;
pub use verdict::{Reading, Unchecked, Verdict, is_as_known, judge, of_damage};
pub use withheld::{HeldFile, Withheld};
pub use writer::Writer;
