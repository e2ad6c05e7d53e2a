//! Writes the manifest: what is kept and what was read.

use std::path::Path;

use hashlane_engine::Taken;
use hashlane_manifest::{Error, Item, time_text};
use hashlane_record::{Record, Timestamp};
use hashlane_report::{UpdateTally, UpdateWords};
use hashlane_verify::update::Event;

use super::{lists_version, may_be_version};
use crate::new_list::{self, NewList};
use crate::status::{Status, halt};
use crate::terminal::screen::Screen;

/// What stands before the time of a header, in the formats that have one.
const STARTED: [&[u8]; 4] =
    [b"\"started\":\"", b"# hashlane started: ", b"; hashlane started: ", b"started>"];

/// Writes what is kept and what was read, in the order of the walk.
pub(super) struct Writing<'a> {
    /// The list that is updated.
    manifest: &'a Path,
    list: NewList,
    screen: Screen,
    pub(super) status: Status,
    quiet: bool,
    pub(super) tally: UpdateTally,
    /// Something that is listed has no place in the new list.
    pub(super) lost: bool,
}

impl<'a> Writing<'a> {
    pub(super) fn new(list: NewList, screen: Screen, quiet: bool, manifest: &'a Path) -> Self {
        Self { manifest, list, screen, status: Status::OK, quiet, tally: UpdateTally::default(), lost: false }
    }

    /// Says and writes what became of a file.
    pub(super) fn event(&mut self, event: &Event<'_>) -> Taken {
        // Its entry may be the only record of it.
        if let Event::Gone(name) = event
            && may_be_version(name)
        {
            return Err(halt(lists_version(self.manifest, name)));
        }
        match self.tally.take(event) {
            Some(UpdateWords::News(text)) if !self.quiet => self.screen.message(&text),
            Some(UpdateWords::Trouble(text, verdict)) => {
                self.status |= Status::of(verdict);
                self.screen.message(&text);
            }
            _ => {}
        }
        match event {
            Event::Kept(item) | Event::Moved { item, .. } | Event::Elsewhere(item) => self.keep(item),
            Event::Corrupt { listed, .. } | Event::Collision { listed, .. } => self.keep(listed),
            Event::Failed { listed: Some(item), .. } => self.keep(item),
            Event::MovedAndRead { record, .. }
            | Event::Added(record)
            | Event::Same(record)
            | Event::Changed(record) => self.renew(record),
            _ => Ok(()),
        }
    }

    /// Writes what is listed.
    fn keep(&mut self, item: &Item) -> Taken {
        let refused = self.list.item(item).map_err(|error| halt(error.into()))?;
        self.lost |= refused.is_some();
        self.refused(refused);
        Ok(())
    }

    /// Writes what was read.
    fn renew(&mut self, record: &Record) -> Taken {
        let refused = self.list.record(record).map_err(|error| halt(error.into()))?;
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

    /// Leaves the list of an update that failed.
    pub(super) fn leave(self) -> anyhow::Result<()> {
        self.list.end(false).map_or(Ok(()), |output| output.leave(&self.screen))
    }

    /// `times`: what the header says of when all was verified, and what it is to say, if it says anything and all was.
    pub(super) fn finish(self, complete: bool, times: Option<(Timestamp, Timestamp)>) -> anyhow::Result<()> {
        let output = new_list::end(self.list, complete)?;
        if !complete {
            return output.leave(&self.screen);
        }
        if let Some((listed_at, begun)) = times {
            let times = [listed_at, begun].map(time_text);
            for before in STARTED {
                let [old, new] = [&times[0], &times[1]].map(|time| [before, time.as_slice()].concat());
                output.amend(&old, &new)?;
            }
        }
        output.finish()
    }
}
