//! The display of a measurement: a bar on a terminal, lines of text or JSON where they are wanted.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use hashlane_engine::{Control, Stop};
use hashlane_measure::{Cell, Observer, Stopper};
use hashlane_report::{text, work};
use indicatif::ProgressBar;

use crate::args::ProgressMode;
use crate::terminal::bar::columns;
use crate::terminal::progress::{LINE_TICK, Look, SIZED, SIZED_COLUMNS};
use crate::terminal::screen::Screen;
use crate::terminal::signals::Interrupted;

/// Steps of the bar.
const STEPS: u64 = 1_000;

/// Follows the sampler from [`BenchProgress::start`] until it is dropped.
pub(crate) struct BenchProgress {
    control: Arc<Control>,
    interrupted: Interrupted,
    look: Look,
    bar: Option<ProgressBar>,
    screen: Screen,
    said: Instant,
    start: Instant,
    rounds: usize,
}

impl BenchProgress {
    /// # Errors
    /// The system refuses to watch for signals, which stop the measurement.
    pub(crate) fn start(mode: ProgressMode) -> anyhow::Result<Self> {
        let (control, look, screen) = (Arc::new(Control::new()), Look::of(mode), Screen::plain());
        let bar = look.bar(Some(STEPS), SIZED);
        let interrupted = Interrupted::watch(&control, &screen, Stop::Aborted)?;
        let now = Instant::now();
        Ok(Self { control, interrupted, look, bar, screen, said: now, start: now, rounds: 0 })
    }

    /// Says which signal stops it, also when it is over.
    pub(crate) fn interrupted(&self) -> Interrupted {
        self.interrupted.clone()
    }

    /// Takes it away; the signal that has stopped it, if one has.
    pub(crate) fn end(self) -> Option<i32> {
        let interrupted = self.interrupted();
        drop(self);
        interrupted.signal()
    }

    /// Where messages go beside it.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }
}

impl Observer for BenchProgress {
    fn at(&mut self, cell: &Cell, share: f64) {
        let text = format!("{:.0} %, {cell}", share * 100.0);
        if let Some(bar) = &self.bar {
            bar.set_position((share * STEPS as f64) as u64);
            bar.set_message(text::shortened(&text, usize::from(columns()).saturating_sub(SIZED_COLUMNS)));
            return;
        }
        if self.look == Look::Hidden || self.said.elapsed() < LINE_TICK {
            return;
        }
        self.said = Instant::now();
        let line = match self.look {
            Look::Json => {
                work::measuring_json(self.start.elapsed(), self.rounds, share, cell.to_string()).to_string()
            }
            _ => text,
        };
        // A display that nobody takes any more does not stop a study.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }

    fn round_done(&mut self, rounds: usize) {
        self.rounds = rounds;
    }

    fn stops(&self) -> bool {
        self.control.stopped().is_some()
    }

    fn stopper(&self) -> Stopper {
        let control = Arc::clone(&self.control);
        Stopper::new(move || control.stopped().is_some())
    }
}

impl Drop for BenchProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
