//! A measurement as its commands run it: followed on the screen, stopped by signals, kept and printed at its end.

use std::path::Path;

use hashlane_io::try_directory;
use hashlane_measure::{Observer, Run};
use hashlane_report::text::system;

use super::kept::Place;
use super::progress::BenchProgress;
use super::{clear, print};
use crate::args::{ProgressMode, ResultArgs};
use crate::output::shown;
use crate::status::{Ended, Status, unwritten};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;

/// A measurement under way.
pub(super) struct Session<'a> {
    results: &'a ResultArgs,
    place: Place,
    progress: BenchProgress,
}

impl<'a> Session<'a> {
    /// Begins one whose test files, if it has any, go to `directory`.
    pub(super) fn begin(
        results: &'a ResultArgs,
        mode: ProgressMode,
        directory: Option<&Path>,
    ) -> anyhow::Result<Self> {
        // Before a minute is spent: where results go has to be there.
        let place = Place::of(results)?;
        let progress = BenchProgress::start(mode)?;
        let session = Self { results, place, progress };
        session.announce(directory);
        Ok(session)
    }

    fn announce(&self, directory: Option<&Path>) {
        let screen = self.progress.screen();
        [directory, self.place.directory()].into_iter().flatten().for_each(|place| clear(place, screen));
        let Some(directory) = directory else { return };
        match try_directory(directory) {
            Ok(()) if self.results.json => {}
            Ok(()) => {
                screen.message(&format!("test files go to {} and are removed afterwards", shown(directory)))
            }
            Err(error) => screen.message(&format!(
                "{}: {}: files cannot be measured there, only the rest; name another directory with --path",
                shown(directory),
                system(&error)
            )),
        }
    }

    /// What follows the sampler.
    pub(super) fn observer(&mut self) -> &mut dyn Observer {
        &mut self.progress
    }

    /// Where messages go.
    pub(super) fn screen(&self) -> &Screen {
        self.progress.screen()
    }

    /// Dies by the signal that has stopped it, if one has, before anything was measured.
    pub(super) fn die_if_interrupted(&self) {
        if let Some(signal) = self.progress.interrupted().signal() {
            die_empty_handed(signal, self.screen());
        }
    }

    /// Keeps what was measured and prints it as `text` makes it, unless JSON is wanted. Dies by the signal that has stopped
    /// it, if one has; fails for the reason given, if there is one, when all is kept and printed.
    pub(super) fn end(
        self,
        measured: &Run,
        text: impl Fn(&Run) -> String,
        failure: Option<anyhow::Error>,
    ) -> anyhow::Result<Status> {
        let Self { results, place, progress } = self;
        let interrupted = progress.interrupted();
        drop(progress);
        let plain = Screen::plain();
        let is_empty = measured.cells.iter().all(|result| result.samples.is_empty());
        if let Some(signal) = interrupted.signal().filter(|_| is_empty) {
            die_empty_handed(signal, &plain);
        }
        // Whatever becomes of one, the other is not lost: what was measured is kept, and it is printed.
        let saved = place.save(measured, &plain);
        let written = print(&if results.json { measured.to_json() } else { text(measured) });
        if let Some(signal) = interrupted.signal() {
            if let Err(error) = saved {
                plain.message(&error.to_string());
            }
            die_by(signal);
        }
        let page = saved?;
        written?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        if is_empty {
            return Err(Ended::usage("nothing could be measured; each cell shows the reason".to_owned()));
        }
        if let Some(page) = page.filter(|_| results.open) {
            open::that(&page).map_err(|error| unwritten!("cannot open {}: {error}", shown(&page)))?;
        }
        Ok(Status::OK)
    }
}

fn die_empty_handed(signal: i32, screen: &Screen) -> ! {
    screen.message("stopped before the end of the first round; there is nothing to save");
    die_by(signal)
}
