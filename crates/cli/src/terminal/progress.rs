//! Progress of a run: a bar on a terminal, lines of text or JSON elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use hashlane_engine::Control;
use hashlane_io::start_thread;
use hashlane_report::text::fitted;
use hashlane_report::work::{Meter, Totals};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::ProgressMode;
use crate::terminal::bar::{self, Terminal};
use crate::terminal::screen::Screen;

/// How often a bar moves.
const BAR_TICK: Duration = Duration::from_millis(100);

/// How often a line is written for people.
pub(crate) const LINE_TICK: Duration = Duration::from_secs(1);

/// How often one is written for programs: often enough to see a file of 1 GiB grow.
const JSON_TICK: Duration = Duration::from_millis(200);

/// A run that is shorter than this is not worth finding out how long it will be.
const WORTH_COUNTING: Duration = Duration::from_millis(700);

/// Finds out how much there is to do.
pub(crate) type Count = Box<dyn FnOnce(&Totals) + Send>;

/// The display of a run, from [`Progress::start`] until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    totals: Arc<Totals>,
}

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Hidden,
    Bar,
    Lines,
    Json,
}

impl Look {
    /// What `mode` is where standard error leads.
    pub(crate) fn of(mode: ProgressMode) -> Self {
        let terminal = std::io::stderr().is_terminal();
        match mode {
            ProgressMode::Auto | ProgressMode::Always if terminal => Self::Bar,
            ProgressMode::Always => Self::Lines,
            ProgressMode::Json => Self::Json,
            ProgressMode::Auto | ProgressMode::Never => Self::Hidden,
        }
    }

    /// The bar, if that is how it is shown. Messages get along with it from now on.
    pub(crate) fn bar(self, length: Option<u64>, template: &str) -> Option<ProgressBar> {
        (self == Self::Bar).then(|| {
            let target = ProgressDrawTarget::term_like(Box::new(Terminal::default()));
            let bar = ProgressBar::with_draw_target(length, target);
            bar.set_style(style(template));
            Screen::with_bar(&bar);
            bar
        })
    }
}

/// A bar of known length.
pub(crate) const SIZED: &str = "[{bar:24}] {wide_msg}";

/// Columns beside the message of [`SIZED`].
pub(crate) const SIZED_COLUMNS: usize = 27;

/// A bar of unknown length.
const UNSIZED: &str = "{spinner} {wide_msg}";

/// The least that a bar is worth, with its brackets and the space behind it.
const LEAST_BAR_COLUMNS: usize = 11;

impl Progress {
    /// Shows the progress of a run as `mode` says. `count` runs beside it, if the run takes long enough to ask.
    pub(crate) fn start(mode: ProgressMode, control: &Arc<Control>, count: Count) -> Self {
        let look = Look::of(mode);
        let bar = look.bar(None, UNSIZED);
        let totals = Arc::new(Totals::default());
        if look == Look::Hidden {
            return Self { stop: None, thread: None, totals };
        }
        let (stop, stopped) = channel();
        let mut display = Display { look, bar, meter: Meter::new(Arc::clone(control), Arc::clone(&totals)) };
        let (mut count, counted) = (Some(count), Arc::clone(&totals));
        let show = move || {
            let tick = match look {
                Look::Bar => BAR_TICK,
                Look::Json => JSON_TICK,
                Look::Lines | Look::Hidden => LINE_TICK,
            };
            while stopped.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                if let Some(count) = count.take_if(|_| display.meter.elapsed() >= WORTH_COUNTING) {
                    let totals = Arc::clone(&counted);
                    // Without it there is no estimate, and that is all.
                    let _ = start_thread("count", move || count(&totals));
                }
                display.show();
            }
            display.end();
        };
        let thread = start_thread("progress", show).ok();
        Self { stop: Some(stop), thread, totals }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.totals.cancel();
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A display that panicked has shown why.
            let _ = thread.join();
        }
    }
}

struct Display {
    look: Look,
    bar: Option<ProgressBar>,
    meter: Meter,
}

impl Display {
    fn show(&mut self) {
        let progress = self.meter.read();
        match self.look {
            Look::Json => drop(writeln!(std::io::stderr().lock(), "{}", progress.json())),
            Look::Hidden => {}
            Look::Bar | Look::Lines => {
                self.line(&progress.parts(), progress.so_far.digested_bytes, progress.total_bytes)
            }
        }
    }

    fn line(&mut self, parts: &[String], done: u64, total: Option<u64>) {
        let Some(bar) = &self.bar else {
            let _ = writeln!(std::io::stderr().lock(), "{}", parts.concat());
            return;
        };
        let columns = usize::from(bar::columns());
        let text = match total {
            // The spinner and a space.
            None => fitted(parts, columns.saturating_sub(2)),
            Some(total) => {
                let text = fitted(parts, columns);
                let free = columns - text.chars().count();
                let template = match free.min(SIZED_COLUMNS) {
                    ..LEAST_BAR_COLUMNS => "{wide_msg}".to_owned(),
                    free => format!("[{{bar:{}}}] {{wide_msg}}", free - (SIZED_COLUMNS - 24)),
                };
                bar.set_style(style(&template));
                bar.set_length(total);
                text
            }
        };
        bar.set_position(done);
        bar.set_message(text);
        bar.tick();
    }

    fn end(&mut self) {
        match (&self.bar, self.look) {
            (Some(bar), _) => bar.finish_and_clear(),
            // The last state, so that a reader of the stream sees it reach its end.
            (None, Look::Json) => self.show(),
            _ => {}
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("all templates are tested").progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_sound() {
        for template in [UNSIZED, SIZED, "{wide_msg}", "[{bar:8}] {wide_msg}", "{elapsed_precise} {wide_msg}"]
        {
            style(template);
        }
        assert_eq!(SIZED_COLUMNS, "[] ".len() + 24);
    }
}
