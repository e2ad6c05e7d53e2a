//! What was read of a file is compared with what is known of it: the verdict, before anything else of the catalogue is asked.

use std::collections::BTreeMap;

use hashlane_catalog::{
    Clock, Collection, Content, Policy, ReadBy, Reading, ReadingKind, Result, Seen, StintId, Unchecked,
    Verdict, judge,
};
use hashlane_digest::Digest;
use hashlane_record::{Obstacle, Outcome, Record};

use crate::ground::Ground;
use crate::listing::Found;
use crate::seen::{
    AS_KNOWN, beginning_of, begins_as, content_of, end_where_it_was_read, is_disputed, is_forbidden,
    is_not_there, is_of_network, is_read, obstacle,
};
use crate::tag::{Known, Tag};
use crate::tally::Tally;
use crate::under_way::Means;

/// A file that was judged and is not recorded yet.
pub(crate) struct Judged {
    /// Its number in the plan.
    pub(crate) number: u64,
    pub(crate) verdict: Verdict,
    /// Its path, of one that is not known.
    pub(crate) path: Vec<u8>,
    pub(crate) policy: Policy,
    pub(crate) known: Option<Known>,
    pub(crate) content: Content,
    /// How long its beginning is that was digested by itself, and the digests of that.
    pub(crate) beginning: Option<(u64, Vec<Digest>)>,
    /// Which version of an object was read.
    pub(crate) version: Option<Box<str>>,
    /// Nothing was read of it: it has no bytes.
    pub(crate) is_empty: bool,
    pub(crate) reading: ReadingKind,
    /// The stint that read the first byte.
    pub(crate) stint: StintId,
    pub(crate) detail: String,
    pub(crate) is_settled: bool,
}

impl Judged {
    /// Whether its bytes are those that are stored; there may be none.
    pub(crate) fn is_of_medium(&self) -> bool {
        self.is_empty || self.reading.is_of_medium()
    }

    pub(crate) fn seen(&self) -> Seen {
        Seen {
            content: self.content.clone(),
            again: Vec::new(),
            reading: (!self.content.digests.is_empty()).then_some(self.reading),
            detail: self.detail.clone(),
            version: self.version.clone(),
            cause: None,
        }
    }
}

/// Judges files that were read.
pub(crate) struct Judge<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) ground: &'a Ground<'a>,
    /// Who has read, if that was not here.
    pub(crate) by: Option<&'a ReadBy>,
    pub(crate) clock: Clock,
    /// Nothing was known before this run.
    pub(crate) is_first: bool,
    /// What the listing has found: files that may be appended to, those that look changed, and directories that could not be listed. It is said
    /// of those, and not of each of their files, that they cannot be read.
    pub(crate) found: &'a Found,
    pub(crate) means: Means,
    /// Why what the collection lies on cannot be reached any more, if that is so.
    pub(crate) away: Option<String>,
}

impl Judge<'_> {
    /// Judges what was read of a file. Nothing: it says nothing of the file today.
    pub(crate) fn judge(&mut self, mut record: Record, tally: &mut Tally) -> Result<Option<Judged>> {
        if self.found.logs.takes(record.path.as_bytes()) {
            end_where_it_was_read(&mut record);
        }
        let tag = Tag::decode(&record.tag, &self.collection.terms.algorithms)?;
        tally.origin += record.origin;
        let is_not_there = matches!(record.outcome, Outcome::Failed(failure) if is_not_there(failure));
        let is_gone = is_not_there && !self.ground.is_listed(record.path.as_bytes());
        // What has gone away as a whole says nothing of its files.
        let is_away =
            matches!(record.outcome, Outcome::Failed(failure) if is_of_network(failure)) && self.is_away();
        let (Tag::New(number) | Tag::Known(Known { listed: number, .. })) = tag;
        if number > 0 {
            let is_left = matches!(obstacle(&record), Some(Obstacle::Archived | Obstacle::RequestsUsedUp));
            if !is_left && !is_away {
                self.means.course.note_new(number, is_gone || record.outcome == Outcome::Read);
            }
        }
        let is_said = matches!(record.outcome, Outcome::Failed(failure) if is_forbidden(failure))
            && !self.found.unlisted.is_empty()
            && is_below(record.path.as_bytes(), &self.found.unlisted);
        // Nobody misses what was never read.
        let was_read = matches!(&tag, Tag::Known(known) if !known.content.digests.is_empty());
        let is_missing = is_gone && was_read && self.collection.terms.is_in_store();
        if is_gone && !is_missing || is_said {
            // It was there when the tree was listed: the next listing shows what became of it.
            tally.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
            return Ok(None);
        }
        if is_away {
            self.means.limit.fall_short();
            return Ok(None);
        }
        match obstacle(&record) {
            // It is there, and somebody has to restore it first. Of one that was written to since, that is said.
            Some(Obstacle::Archived) if !self.is_changed(&tag) => {
                tally.counts.add(Verdict::NotChecked(Unchecked::Offline), 1);
                return Ok(None);
            }
            // As much of the budget as the bytes and the time.
            Some(Obstacle::RequestsUsedUp) => {
                self.means.limit.fall_short();
                return Ok(None);
            }
            _ => {}
        }
        tally.bytes += record.digested_bytes;
        tally.files += u64::from(is_read(&record) || matches!(record.outcome, Outcome::Unstable(_)));
        let content = content_of(&record);
        let mut detail = match record.outcome {
            Outcome::Failed(_) if is_missing => GONE_SINCE.to_owned(),
            Outcome::Failed(failure) if is_not_there => format!("{failure}, {LISTED_ALL_THE_SAME}"),
            outcome => outcome.problem().map(ToString::to_string).unwrap_or_default(),
        };
        if let Some(by) = self.by.filter(|_| !detail.is_empty()) {
            detail += &format!(" (told by {})", by.program);
        }
        let read = self.means.checkpoints.end(&record);
        if self.has_grown_since(&tag, &record) {
            // The next listing asks for its beginning.
            tally.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
            return Ok(None);
        }
        let (verdict, known) = match tag {
            // A store that does not list it any more has looked for it twice.
            Tag::Known(known) if is_missing => (Verdict::Missing, Some(known)),
            Tag::New(_) => (self.verdict_on_new(&record), None),
            Tag::Known(known) => {
                let seen = Reading {
                    outcome: record.outcome,
                    size: content.size.unwrap_or(record.digested_bytes),
                    modified: content.modified,
                    digests: &record.digests,
                    begins_as_known: begins_as(&known.content, &record)
                        // Everything begins with nothing.
                        || known.content.size == Some(0) && self.found.logs.takes(record.path.as_bytes()),
                    is_in_store: self.collection.terms.is_in_store(),
                };
                if is_disputed(&record) && record.digests == known.content.digests {
                    AS_KNOWN.clone_into(&mut detail);
                }
                (judge(&known.content, known.state, &seen), Some(known))
            }
        };
        Ok(Some(Judged {
            number: record.number,
            verdict,
            // It may have been read at any time since then, long before its turn to be recorded.
            is_settled: content.is_settled(read.began_s, self.clock.now_s(), self.ground.grain_s()),
            path: if known.is_some() { Vec::new() } else { record.path.as_bytes().to_vec() },
            policy: self.found.logs.policy(record.path.as_bytes()),
            beginning: beginning_of(&record),
            known,
            // Of others nobody says that they would have read the device.
            is_empty: content.size == Some(0) && self.by.is_none(),
            reading: read.reading,
            stint: read.stint,
            content,
            version: record.state.and_then(|state| state.version),
            // A suspect with a detail is one that could not be read again.
            detail: if verdict == Verdict::Suspect { String::new() } else { detail },
        }))
    }

    /// Whether a file that may be appended to is longer than it was known, and looked unchanged when the tree was listed: of its beginning
    /// nothing was asked for. The next listing finds it changed.
    fn has_grown_since(&self, tag: &Tag, record: &Record) -> bool {
        let Tag::Known(Known { listed: 0, content, .. }) = tag else { return false };
        is_read(record)
            && record.pieces.is_none()
            && !self.is_changed(tag)
            && content.size.is_some_and(|known| (1..record.digested_bytes).contains(&known))
            && self.found.logs.takes(record.path.as_bytes())
    }

    /// Whether what the collection lies on cannot be reached any more.
    fn is_away(&mut self) -> bool {
        if self.away.is_none() {
            let failed = self.ground.root().err();
            // Who may not ask any more does not know.
            let failed = failed.filter(|error| error.kind() != std::io::ErrorKind::QuotaExceeded);
            self.away = failed.map(|error| error.to_string());
        }
        self.away.is_some()
    }

    /// Whether the listing has another size or time for a known file.
    fn is_changed(&self, tag: &Tag) -> bool {
        matches!(tag, Tag::Known(known) if known.listed == 0 && self.found.changed.contains(known.item.0 as u64))
    }

    fn verdict_on_new(&self, record: &Record) -> Verdict {
        match record.outcome {
            Outcome::Disputed(_) | Outcome::Failed(_) => Verdict::Unreadable,
            Outcome::Unstable(_) => Verdict::Unstable,
            Outcome::Read if self.is_first => Verdict::Registered,
            Outcome::Read => Verdict::New,
        }
    }
}

/// What is said of an object that was listed when the audit began, and is neither there nor listed when its turn comes.
const GONE_SINCE: &str = "it was listed when the audit began, and has gone since";

/// What is said of an object that is not there by the name by which its store lists it.
const LISTED_ALL_THE_SAME: &str = "though it lists this name: the content is lost, or the key has characters that a listing cannot hold; if so, copy \
     the object to another key";

/// Whether a path lies below one of these directories.
fn is_below(path: &[u8], directories: &BTreeMap<Vec<u8>, String>) -> bool {
    let above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end]);
    std::iter::once(&b""[..]).chain(above).any(|directory| directories.contains_key(directory))
}
