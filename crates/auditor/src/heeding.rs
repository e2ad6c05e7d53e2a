//! Heeds what is asked of an audit from outside, by whoever has the same catalogue: to end, to read at another rate, to pause.
//!
//! A thread of its own looks every now and then: the one that records may wait for a file that takes hours. It has a connection of its own,
//! and asks for nothing as long as nobody has written to the catalogue. An audit that cannot look goes on: what is asked is heeded as soon as
//! it can be read.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use hashlane_catalog::{Clock, Pause, Reader, Stint, StintId};
use hashlane_engine::Control;
use hashlane_io::start_thread;

/// How long it takes at most until it looks again.
const INTERVAL: Duration = Duration::from_millis(500);

/// Why an audit was asked to end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskedToEnd {
    /// Somebody has stopped it.
    Stop {
        /// Who.
        by: String,
    },
    /// Somebody has paused all audits.
    Pause(Pause),
}

/// Looks at what is asked of one audit, as long as it lives.
#[derive(Debug)]
pub(crate) struct Heeding {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    stint: Option<Stint>,
    asked: Arc<OnceLock<AskedToEnd>>,
}

impl Heeding {
    /// Heeds nothing yet.
    pub(crate) fn nothing() -> Self {
        Self { end: None, thread: None, stint: None, asked: Arc::default() }
    }

    /// Heeds what is asked of a stint. `control`: that of its audit alone.
    pub(crate) fn begin(&mut self, catalog: &Path, stint: Stint, control: &Arc<Control>, clock: &Clock) {
        let (end, ended) = channel();
        let asked = Arc::clone(&self.asked);
        let (path, control, clock) = (catalog.to_owned(), Arc::clone(control), clock.clone());
        let look = move || look(&path, stint.id, &ended, &control, &clock, &asked);
        // Without a thread it goes on, and ends as it was begun.
        self.thread = start_thread("heeding", look).ok();
        (self.end, self.stint) = (Some(end), Some(stint));
    }

    /// Which stint was asked to end, and why; nothing if none was.
    pub(crate) fn asked(&self) -> Option<(Stint, AskedToEnd)> {
        self.stint.zip(self.asked.get().cloned())
    }
}

impl Drop for Heeding {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // It looks at nothing by which it could fail.
            let _ = thread.join();
        }
    }
}

fn look(
    path: &Path,
    stint: StintId,
    ended: &Receiver<()>,
    control: &Control,
    clock: &Clock,
    asked: &OnceLock<AskedToEnd>,
) {
    let (mut reader, mut seen) = (None, None);
    while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        if reader.is_none() {
            reader = Reader::open(path).ok();
        }
        let Some(open) = &reader else { continue };
        match heed(open, &mut seen, stint, control, clock) {
            Ok(None) => {}
            Ok(Some(why)) => {
                // Before it ends: who sees that it does asks why.
                let _ = asked.set(why);
                return control.drain();
            }
            // It may be put back, or held by another: the next look opens it anew. Each connection counts by itself what others write.
            Err(_) => (reader, seen) = (None, None),
        }
    }
}

/// Looks at what is asked if anything was written since `seen`; returns why the audit is to end.
fn heed(
    catalog: &Reader,
    seen: &mut Option<i64>,
    stint: StintId,
    control: &Control,
    clock: &Clock,
) -> hashlane_catalog::Result<Option<AskedToEnd>> {
    let version = catalog.data_version()?;
    if *seen == Some(version) {
        return Ok(None);
    }
    let steering = catalog.steering(stint)?;
    if let Some((rate, _)) = steering.rate {
        control.set_rate(rate);
    }
    if let Some((_, by)) = steering.stop {
        return Ok(Some(AskedToEnd::Stop { by }));
    }
    let pause = catalog.pause(clock.now_s())?;
    *seen = Some(version);
    Ok(pause.map(AskedToEnd::Pause))
}
