//! Ctrl-C and its kin: the first drains the run, the second ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::Context as _;
use hashlane_engine::{Control, Stop};
use hashlane_io::start_thread;
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::terminal::screen::Screen;

/// The signal that a run was stopped by, if one was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupted(Arc<AtomicI32>);

impl Interrupted {
    /// Watches for signals from now on, and stops the run as `stop` says; not for those that whoever started us wants
    /// ignored, as nohup does.
    pub(crate) fn watch(control: &Arc<Control>, screen: &Screen, stop: Stop) -> anyhow::Result<Self> {
        let ignored = ignored();
        let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(wanted).context("cannot watch for signals")?;
        let interrupted = Self::default();
        let (seen, control, screen) = (interrupted.clone(), Arc::clone(control), screen.clone());
        let watch = move || {
            for signal in signals.forever() {
                if seen.0.swap(signal, Ordering::SeqCst) != 0 {
                    die_by(signal);
                }
                if stop == Stop::Aborted {
                    control.abort();
                    continue;
                }
                control.drain();
                screen.message(
                    "stopping: files that can be finished within 2 seconds are finished; interrupt again to stop at once",
                );
            }
        };
        start_thread("signals", watch).context("cannot start a thread")?;
        Ok(interrupted)
    }

    /// The signal, if one came.
    pub(crate) fn signal(&self) -> Option<i32> {
        Some(self.0.load(Ordering::SeqCst)).filter(|&signal| signal != 0)
    }
}

/// The signals that are ignored, one a bit from the lowest; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Ends the process as the signal would have, so that whoever started it can tell.
pub(crate) fn die_by(signal: i32) -> ! {
    // It returns only if the signal cannot be raised; the shell's convention is then the next best.
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

/// Ends the process as a broken pipe ends others: without a word.
pub(crate) fn die_by_broken_pipe() -> ! {
    die_by(SIGPIPE)
}
