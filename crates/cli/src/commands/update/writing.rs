//! Writes the manifest: what is kept and what was read.

use std::path::Path;

use hashlane_audit::Verdict;
use hashlane_engine::Taken;
use hashlane_manifest::{Error, Item, time_text};
use hashlane_record::{ItemPath, Outcome, Record, Timestamp};
use hashlane_report::files::unwritten;
use hashlane_report::text;
use hashlane_verify::{Disputed, update::Event};

use super::{lists_version, may_be_version};
use crate::new_list::NewList;
use crate::status::{Status, halt};
use crate::terminal::screen::Screen;

/// What stands before the time of a header, in the formats that have one.
const STARTED: [&[u8]; 4] =
    [b"\"started\":\"", b"# hashlane started: ", b"; hashlane started: ", b"started>"];

/// What has become of the files.
#[derive(Default)]
pub(super) struct Counts {
    kept: u64,
    moved: u64,
    added: u64,
    changed: u64,
    same: u64,
    corrupt: u64,
    collisions: u64,
    failed: u64,
    gone: u64,
    elsewhere: u64,
}

impl Counts {
    /// What has changed, as a check would say of the old list.
    pub(super) fn status(&self) -> Status {
        let mut status = Status::OK;
        let found = [
            (self.added + self.moved, Verdict::New),
            (self.gone + self.moved, Verdict::Missing),
            (self.changed, Verdict::Changed),
        ];
        for (_, found) in found.into_iter().filter(|(count, _)| *count > 0) {
            status |= Status::of(found);
        }
        status
    }

    pub(super) fn line(&self, basis: &str) -> String {
        let mut line = format!("{} not read again, trusted {basis}", text::counted(self.kept, "file"));
        let others = [
            (self.moved, "moved"),
            (self.added, "added"),
            (self.changed, "changed"),
            (self.same, "read again and unchanged"),
            (self.corrupt, "corrupt"),
            (self.collisions, "collision"),
            (self.failed, "not read"),
            (self.gone, "gone"),
            (self.elsewhere, "elsewhere and not examined"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {} {what}", text::count(count));
        }
        line
    }
}

/// Writes what is kept and what was read, in the order of the walk.
pub(super) struct Writing<'a> {
    /// The list that is updated.
    manifest: &'a Path,
    list: NewList,
    screen: Screen,
    pub(super) status: Status,
    quiet: bool,
    pub(super) counts: Counts,
    /// Something that is listed has no place in the new list.
    pub(super) lost: bool,
}

impl<'a> Writing<'a> {
    pub(super) fn new(list: NewList, screen: Screen, quiet: bool, manifest: &'a Path) -> Self {
        let (status, counts) = (Status::OK, Counts::default());
        Self { manifest, list, screen, status, quiet, counts, lost: false }
    }

    /// Says and writes what became of a file.
    pub(super) fn event(&mut self, event: &Event<'_>) -> Taken {
        match event {
            Event::Kept(item) => {
                self.counts.kept += 1;
                self.keep(item)?;
            }
            Event::Moved { item, from } => {
                self.counts.kept += 1;
                self.moved(&item.path, from);
                self.keep(item)?;
            }
            Event::MovedAndRead { record, from } => {
                self.counts.same += 1;
                self.moved(&record.path, from);
                self.renew(record)?;
            }
            Event::Added(record) => {
                self.counts.added += 1;
                self.say("added:", record.path.as_bytes());
                self.renew(record)?;
            }
            Event::Same(record) => {
                self.counts.same += 1;
                self.renew(record)?;
            }
            Event::Changed(record) => {
                self.counts.changed += 1;
                self.say("changed:", record.path.as_bytes());
                self.renew(record)?;
            }
            Event::Corrupt { record, listed, disputed } => {
                self.counts.corrupt += 1;
                self.status |= Status::of(Verdict::Corrupt);
                let name = text::name(record.path.as_bytes());
                let sizes = listed.size.map(|size| (size, record.digested_bytes));
                let unwritten = || unwritten(sizes, "than listed");
                let how = disputed.map_or_else(unwritten, |disputed| disputed.to_string());
                self.screen.message(&format!("{name}: corrupt: {how}; its listed entry is kept"));
                self.keep(listed)?;
            }
            Event::Collision { record, listed } => {
                self.counts.collisions += 1;
                self.status |= Status::of(Verdict::Collision);
                let name = text::name(record.path.as_bytes());
                let how = match listed.size {
                    Some(size) if size != record.digested_bytes => "a digest is as listed, the size is not",
                    _ => "one digest is as listed, another is not",
                };
                self.screen.message(&format!(
                    "{name}: collision: {how}; its listed entry is kept until you take it out"
                ));
                self.keep(listed)?;
            }
            Event::Failed { record, listed, disputed } => self.failed(record, *listed, *disputed)?,
            Event::Unsearched { path, error } => {
                self.status |= Status::UNREADABLE;
                self.screen.message(&format!("{}: {}", text::name(path), text::system(error)));
            }
            // Its entry may be the only record of it.
            Event::Gone(name) if may_be_version(name) => {
                return Err(halt(lists_version(self.manifest, name)));
            }
            Event::Gone(name) => {
                self.counts.gone += 1;
                self.say("gone:", name);
            }
            Event::Elsewhere(item) => {
                self.counts.elsewhere += 1;
                self.keep(item)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Says of a file that it has another name.
    fn moved(&mut self, now: &ItemPath, before: &[u8]) {
        self.counts.moved += 1;
        if !self.quiet {
            let (now, before) = (text::name(now.as_bytes()), text::name(before));
            self.screen.message(&format!("moved: {now} (from {before})"));
        }
    }

    /// A file that was not read, or not in one state.
    fn failed(&mut self, record: &Record, listed: Option<&Item>, disputed: Option<Disputed>) -> Taken {
        let problem = match (record.outcome, disputed) {
            (_, Some(disputed)) => disputed.to_string(),
            (Outcome::Failed(failure), None) => failure.to_string(),
            (Outcome::Disputed(dispute), None) => dispute.to_string(),
            (Outcome::Unstable(what), None) => what.to_string(),
            (Outcome::Read, None) => unreachable!("it was not read"),
        };
        self.counts.failed += 1;
        self.status |= Status::UNREADABLE;
        let kept = if listed.is_some() { "; its listed entry is kept" } else { "" };
        self.screen.message(&format!("{}: {problem}{kept}", text::name(record.path.as_bytes())));
        listed.map_or(Ok(()), |item| self.keep(item))
    }

    /// Writes what is listed.
    fn keep(&mut self, item: &Item) -> Taken {
        let refused = self.list.item(item).map_err(halt)?;
        self.lost |= refused.is_some();
        self.refused(refused);
        Ok(())
    }

    /// Writes what was read.
    fn renew(&mut self, record: &Record) -> Taken {
        let refused = self.list.record(record).map_err(halt)?;
        self.refused(refused);
        Ok(())
    }

    /// Says why an entry has no place in the new list, if it has none.
    fn refused(&mut self, refused: Option<Error>) {
        if let Some(error) = refused {
            self.status |= Status::UNREADABLE;
            self.screen.message(&error.to_string());
        }
    }

    fn say(&self, what: &str, name: &[u8]) {
        if !self.quiet {
            self.screen.message(&format!("{what} {}", text::name(name)));
        }
    }

    /// Leaves the list of an update that failed.
    pub(super) fn leave(self) -> anyhow::Result<()> {
        self.list.leave().map_or(Ok(()), |output| output.leave(&self.screen))
    }

    /// `times`: what the header says of when all was verified, and what it is to say, if it says anything and all was.
    pub(super) fn finish(self, complete: bool, times: Option<(Timestamp, Timestamp)>) -> anyhow::Result<()> {
        let output = self.list.end(complete)?;
        if !complete {
            return output.leave(&self.screen);
        }
        if let Some((listed_at, begun)) = times {
            let times = [listed_at, begun].map(time_text);
            for before in STARTED {
                let [old, new] = [&times[0], &times[1]].map(|time| [before, time.as_slice()].concat());
                output.amend(&old, &new).map_err(|error| output.place().failed(&error))?;
            }
        }
        output.finish()
    }
}
