//! Collections: how they are, what stands against them, and what happened, as text, page, CSV and JSON.
//!
//! All is made of the values of `hashlane-keeper`. What a person can do is a value there, too; what it is called the program says that
//! shows it, by a [`HowTo`].

mod advice;
mod attested;
mod audited;
mod by;
mod changes;
mod data;
mod events;
mod finding;
mod history;
mod imports;
mod kept;
mod line;
mod lines;
mod messages;
mod news;
mod object;
mod outlook;
mod overview;
mod page;
mod rows;
mod running;
mod seals;
mod sentence;
mod status;
mod steering;
mod throughput;

use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{Collection, Result, Verdict};
use hashlane_keeper::{Action, Overview, Reporter, Unread};
use hashlane_record::Escaped;

use crate::text;

pub use advice::reason;
pub use attested::{import_sentence, not_compared};
pub use audited::{Asked, audit_event_lines, audit_sentence, held_back_lines, known_before};
pub use by::read_by;
pub use changes::{change_json, changes_csv, changes_text};
pub(crate) use data::schemas;
pub use data::{ImportedReport, audit_event_json, audit_json, collection_json, not_begun_json};
pub use events::{event_json, event_line, events_csv};
pub use history::{history_json, history_text};
pub use imports::imported_line;
pub use kept::{collection_text, collections_text, removed_text};
pub use messages::{message_json, messages_text};
pub use news::{NewsText, news_text, thread_of};
pub use outlook::outlook_line;
pub use running::{how_far, progress_json};
pub use seals::{seal_json, seals_text};
pub use sentence::{no_promise, policies, promise, recorded, unwatched};
pub use status::{status_json, status_text};
pub use steering::{asked_to_end, pause_line, pause_over_line, paused, rate_line, stop_line, waiting_line};

/// What something is called, or done by, in the program that shows it: a command without quotes.
pub type HowTo<'a> = &'a dyn Fn(&Action<'_>) -> String;

/// Takes a piece of a report. Its error ends the report.
pub type Put<'a> = &'a mut dyn FnMut(&str) -> Result<()>;

/// A report of collections.
pub struct Report<'a> {
    /// Where it gets what it shows.
    pub reporter: Reporter<'a>,
    /// What it is about.
    pub collections: Vec<Collection>,
    /// What the program calls what can be done.
    pub how: HowTo<'a>,
    /// Name and version of the program.
    pub program: &'a str,
}

impl Report<'_> {
    /// Writes it as text.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged; and those of `put`.
    pub fn text(&self, put: Put<'_>) -> Result<()> {
        lines::write(self, put)
    }

    /// Writes it as one HTML page.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn page(&self, put: Put<'_>) -> Result<()> {
        page::write(self, put)
    }

    /// Writes it as CSV, a row for each finding that stands.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn csv(&self, put: Put<'_>) -> Result<()> {
        rows::write(self, put)
    }

    /// Writes it as one JSON object.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn json(&self, put: Put<'_>) -> Result<()> {
        object::write(self, put)
    }

    fn overviews(&self) -> Result<Vec<Overview>> {
        self.collections.iter().cloned().map(|collection| self.reporter.overview(collection)).collect()
    }
}

/// A verdict for people; its name is for programs.
pub fn words(verdict: Verdict) -> String {
    verdict.name_in_collection().replace('-', " ")
}

/// Why an audit would read nothing of what lies at a path, and what to name instead.
pub fn unread_words(collection: &Collection, why: &Unread, how: HowTo<'_>) -> String {
    let (name, place) = (&collection.terms.name, &collection.terms.root);
    let filters = format!("`{}` shows its filters", how(&Action::Show(name)));
    match why {
        Unread::Link { behind, target } => {
            let which = match behind {
                None => "is a symbolic link".to_owned(),
                Some(link) => format!("lies behind the symbolic link {}", text::name(link)),
            };
            let instead = match target.as_ref().map(|target| target.strip_prefix(place)) {
                None => "it leads nowhere".to_owned(),
                Some(Ok(below)) => format!("name {} instead", text::name(below.as_os_str().as_bytes())),
                Some(Err(_)) => format!("it leads out of {}", root(collection)),
            };
            format!("{which}, which is not followed; {instead}")
        }
        Unread::Empty => format!("no file of {name} lies in this directory; {filters}"),
        Unread::Other(what) => format!("is {what}; only files and directories are audited"),
        _ => format!("is left out of {name}; {filters}"),
    }
}

/// Where the tree of a collection lies.
fn root(collection: &Collection) -> String {
    Escaped(collection.terms.root.as_os_str().as_encoded_bytes()).to_string()
}
