#![doc = include_str!("../README.md")]
//! Owns what a program that keeps collections does and shows, as values: [`Night`] is the audits of several of them, [`Job`] is work in a
//! thread of its own, and the rest is how names lead to files of this machine or to objects of a store, what others have read or say of
//! them, how collections are and what is to be done about it. Does not own the words for these, which are `hashlane-report`'s, nor how a
//! store is asked, which is `hashlane-objects`, nor what is made of what it says, which are `hashlane-verify` and `hashlane-auditor`.
//!
//! Invariants:
//! 1. Nothing is asked of a store before something is looked for in it.
//! 2. What cannot be asked for is neither there nor gone.
//! 3. No text names an option: what a store refuses is put into words by who calls.

#![forbid(unsafe_code)]

mod action;
mod advice;
mod changes;
mod condition;
mod endings;
mod error;
mod evidence;
mod exchange;
mod history;
mod job;
mod left;
mod listed;
mod meaning;
mod news;
mod night;
mod outcomes;
mod outlook;
mod overview;
mod paths;
mod place;
mod prefix;
mod registering;
mod restore;
mod spark;
mod subject;
mod terms;
mod throughput;
mod who;
mod window;

pub use action::{Action, Reason};
pub use advice::{Advice, Case, Step, When, advice};
pub use changes::{ChangeError, Changes, PolicyOf, Promise};
pub use condition::{Condition, Facts};
pub use endings::Endings;
pub use error::Error;
pub use evidence::{EvidenceReport, ReportError};
pub use exchange::{BagLists, ImportError, ImportNote, ListImport, export, export_for_s3_batch};
pub use hashlane_objects::is_object;
pub use history::History;
pub use job::{Coming, Hand, Job, JobEvent};
pub use left::Left;
pub use listed::BelowRoot;
pub use meaning::{PathError, UnknownFile, Unread, files_named, meant, unread, why_unknown};
pub use news::{Announced, CollectionNews, News};
pub use night::{
    Finished, MOST_LATE, Night, NightEnd, NightError, NightEvent, NightEvents, NightOptions, NotAudited,
    sort_by_due,
};
pub use outcomes::{Class, Heartbeat, Told};
pub use outlook::{Outlook, Rate, Watched};
pub use overview::{Overview, Progress};
pub use paths::{below, has_files, here, link, place, plain};
pub use place::Place;
pub use prefix::{lie_in_one_service, prefix};
pub use registering::{FoundAgain, MarkError, Overlap, PurgeError, mark, register, to_purge};
pub use restore::{Invocation, restore};
pub use spark::{RunError, read_by_spark};
pub use subject::{Alert, Entry, Kind, MOST_SHOWN, Reporter, Subject, going_on};
pub use terms::{connection_of, terms_of};
pub use throughput::{Ceiling, Throughput, TunedRate};
pub use who::{acting, backups};
pub use window::Window;
