//! Writes the manifest: what is kept and what was read.

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hashlane_audit::{Content, Verdict};
use hashlane_engine::Sink;
use hashlane_manifest::{Error, Item, Writer, time_text};
use hashlane_record::{ItemPath, Outcome, Record, Timestamp};
use hashlane_verify::{Expected, judge};

use super::{Old, READ, State, lies_in, lock};
use crate::output::{Output, Place};
use crate::screen::Screen;
use crate::status::{Ended, Status};
use crate::text;

/// What stands before the time of a header, in the formats that have one.
const STARTED: [&[u8]; 4] =
    [b"\"started\":\"", b"# hashlane started: ", b"; hashlane started: ", b"started>"];

/// What has become of the files.
#[derive(Default)]
pub(super) struct Counts {
    kept: u64,
    added: u64,
    changed: u64,
    same: u64,
    corrupt: u64,
    failed: u64,
    gone: u64,
    elsewhere: u64,
}

impl Counts {
    /// What has changed, as a check would say of the old list.
    pub(super) fn status(&self) -> Status {
        let mut status = Status::OK;
        let found =
            [(self.added, Status::EXTRA), (self.gone, Status::MISSING), (self.changed, Status::MISMATCH)];
        for (_, found) in found.into_iter().filter(|(count, _)| *count > 0) {
            status |= found;
        }
        status
    }

    pub(super) fn line(&self, basis: &str) -> String {
        let mut line = format!("{} not read again, trusted {basis}", text::counted(self.kept, "file"));
        let others = [
            (self.added, "added"),
            (self.changed, "changed"),
            (self.same, "read again and as listed"),
            (self.corrupt, "corrupt"),
            (self.failed, "not read"),
            (self.gone, "gone"),
            (self.elsewhere, "elsewhere and not looked at"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {} {what}", text::count(count));
        }
        line
    }
}

/// Writes what is kept and what was read, in the order of the walk.
pub(super) struct UpdateSink {
    pub(super) old: Arc<Old>,
    pub(super) state: Arc<Mutex<State>>,
    pub(super) writer: Writer<Output>,
    pub(super) place: Place,
    pub(super) screen: Screen,
    pub(super) status: Status,
    pub(super) quiet: bool,
    pub(super) counts: Counts,
    /// Something is listed with digests that nothing has shown to be those of the file.
    pub(super) unverified: bool,
    /// Something that is listed has no place in the new list.
    pub(super) lost: bool,
    /// The error that ended the output.
    pub(super) broken: Option<io::Error>,
}

impl UpdateSink {
    /// Writes what is kept, up to the next file that was read.
    pub(super) fn keep_until_read(&mut self) {
        loop {
            let decision = lock(&self.state).decisions.pop_front();
            match decision {
                None | Some(READ) => return,
                Some(number) => {
                    self.counts.kept += 1;
                    self.keep(number);
                }
            }
        }
    }

    fn keep(&mut self, number: u32) {
        let (name, Content { size, modified, digests }) = self.old.files.file(number);
        let outcome = self.old.unread.get(&number).copied().filter(|_| digests.is_empty());
        let (path, outcome) = (ItemPath::from(name), outcome.or(Some(Outcome::Read)));
        let written =
            self.writer.item(&Item { line: 0, path, size, modified, digests, outcome, pieces: None });
        self.lost |= written.is_err();
        self.written(written);
    }

    fn keep_unverified(&mut self, number: u32) {
        self.unverified |= !self.old.files.file(number).1.digests.is_empty();
        self.keep(number);
    }

    fn written(&mut self, written: Result<(), Error>) {
        match written {
            Ok(()) => {}
            Err(Error::Output { source }) => self.broken = Some(source),
            Err(error) => {
                self.status |= Status::UNREADABLE;
                self.screen.message(&error.to_string());
            }
        }
    }

    fn say(&self, what: &str, name: &[u8]) {
        if !self.quiet {
            self.screen.message(&format!("{what} {}", text::name(name)));
        }
    }

    /// A root below which files are listed and none is.
    pub(super) fn deserted(&self, roots: &[ItemPath]) -> Option<ItemPath> {
        let state = lock(&self.state);
        let empty = roots
            .iter()
            .zip(&state.inhabited)
            .filter(|(root, inhabited)| !**inhabited && root.as_path().is_dir());
        let listed = |root: &ItemPath| {
            (0..self.old.count).any(|number| lies_in(self.old.files.file(number).0, root.as_bytes()))
        };
        empty.map(|(root, _)| root).find(|root| listed(root)).cloned()
    }

    /// What was listed and is not there any more is gone, unless nobody looked there.
    pub(super) fn close(&mut self, roots: &[ItemPath]) {
        let (absent, unsearched) = {
            let mut state = lock(&self.state);
            let absent = (0..self.old.count).filter(|&number| !state.there[number as usize]);
            (absent.collect::<Vec<_>>(), std::mem::take(&mut state.unsearched))
        };
        for problem in unsearched {
            self.status |= Status::UNREADABLE;
            self.screen.message(&problem);
        }
        let old = Arc::clone(&self.old);
        for number in absent {
            let (name, _) = old.files.file(number);
            let looked_at = roots.iter().any(|root| lies_in(name, root.as_bytes()));
            if looked_at && !may_be_there(name) {
                self.counts.gone += 1;
                self.say("gone:", name);
            } else {
                self.counts.elsewhere += 1;
                self.keep_unverified(number);
            }
        }
    }

    /// `begun`: what the header is to say of when all was verified, if it says anything and all was.
    pub(super) fn finish(self, complete: bool, begun: Option<Timestamp>) -> anyhow::Result<()> {
        let place = self.place;
        if let Some(error) = self.broken {
            return Err(place.failed(&error));
        }
        let output = self.writer.finish().map_err(|error| match error {
            Error::Output { source } => place.failed(&source),
            error => Ended::output(error),
        })?;
        if !complete {
            return output.leave(&self.screen);
        }
        let all_verified = !self.unverified && !lock(&self.state).taken_on_trust;
        if let Some(begun) = begun.filter(|_| all_verified) {
            let times = [self.old.belief.listed_at(), begun].map(time_text);
            for before in STARTED {
                let [old, new] = [&times[0], &times[1]].map(|time| [before, time.as_slice()].concat());
                output.amend(&old, &new).map_err(|error| place.failed(&error))?;
            }
        }
        output.finish()
    }
}

/// Whether there is a file that the walk did not come to: a symbolic link may stand in its way, a filter, a lack of rights, or it
/// is a pipe by now.
fn may_be_there(name: &[u8]) -> bool {
    match std::fs::metadata(Path::new(OsStr::from_bytes(name))) {
        Ok(facts) => !facts.is_dir(),
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

impl Sink for UpdateSink {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.keep_until_read();
        let number = record.tag.first_chunk().map(|number| u32::from_le_bytes(*number));
        let listed = number.map(|number| (number, self.old.files.file(number).1));
        let name = record.path.as_bytes();
        if record.outcome != Outcome::Read {
            let problem = match record.outcome {
                Outcome::Failed(failure) => failure.to_string(),
                Outcome::Unstable(what) => what.to_string(),
                Outcome::Read => unreachable!("it was not read"),
            };
            self.counts.failed += 1;
            self.status |= Status::UNREADABLE;
            let kept = if listed.is_some() { "; what is listed of it stays" } else { "" };
            self.screen.message(&format!("{}: {problem}{kept}", text::name(name)));
            if let Some((number, _)) = listed {
                self.keep_unverified(number);
            }
            return self.flow();
        }
        let judged = listed.map(|(number, listed)| {
            let expected = Expected::of_content(listed);
            (number, judge(&expected, &record).verdict, is_untouched(&record, &expected))
        });
        match judged {
            None => {
                self.counts.added += 1;
                self.say("added:", name);
            }
            Some((_, Verdict::Ok, _)) => self.counts.same += 1,
            // Where somebody has changed a file, one digest may be as listed by chance.
            Some((number, Verdict::Corrupt, _) | (number, Verdict::Collision, true)) => {
                self.counts.corrupt += 1;
                self.status |= Status::CORRUPT;
                let name = text::name(name);
                self.screen.message(&format!("{name}: corrupt: size and mtime are as listed, the content is not; what is listed of it stays"));
                self.keep_unverified(number);
                return self.flow();
            }
            Some(_) => {
                self.counts.changed += 1;
                self.say("changed:", name);
            }
        }
        let written = self.writer.record(&record);
        self.written(written);
        self.flow()
    }
}

impl UpdateSink {
    fn flow(&self) -> ControlFlow<()> {
        if self.broken.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether nothing says that anybody changed a file.
fn is_untouched(record: &Record, expected: &Expected) -> bool {
    let read = record.facts.map(|facts| (Some(facts.size_bytes), Some(facts.modified)));
    read == Some((expected.size_bytes, expected.modified))
}
