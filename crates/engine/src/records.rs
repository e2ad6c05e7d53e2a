//! Records as an iterator, instead of through a sink.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use hashlane_io::start_thread;
use hashlane_record::Record;

use crate::control::Control;
use crate::entry::Input;
use crate::error::Error;
use crate::options::Options;
use crate::run::{run, run_from};
use crate::sink::{Halt, Sink, Taken};
use crate::source::Source;
use crate::summary::Summary;

/// Records that wait to be taken; the run then waits.
const WAITING: usize = 256;

/// The records of a run, in order, as they become available. The run continues in threads of its own and is never more than a few hundred
/// records ahead. Files that the bounds of size and time exclude are only counted in the summary.
///
/// If dropped before its end, it aborts the run without waiting.
#[derive(Debug)]
pub struct Records {
    /// `None` once nothing more is taken.
    taken: Option<Receiver<Record>>,
    control: Arc<Control>,
    /// `None` once the summary was asked for.
    run: Option<JoinHandle<Result<Summary, Error>>>,
}

/// Fingerprints files, as [`run()`] does, and yields their records one by one.
///
/// ```
/// use std::sync::Arc;
///
/// use hashlane_engine::{Control, Input, Options, records};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sha256 = hashlane_digest::Algorithm::SHA256;
/// let directory = tempfile::tempdir()?;
/// std::fs::write(directory.path().join("a"), "abc")?;
///
/// let tree = Input::Path(directory.path().as_os_str().as_encoded_bytes().into());
/// let mut records = records(Options::new([sha256].into()), [tree], &Arc::new(Control::new()))?;
/// for record in &mut records {
///     println!("{}  {}", record.digests[0], record.path.escaped());
///     assert_eq!(record.digests, [sha256.digest(b"abc")]);
/// }
/// assert_eq!(records.finish()?.files, 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The system refuses a thread. Any other error that ends a run early comes from [`Records::finish`].
pub fn records(
    options: Options,
    inputs: impl IntoIterator<Item = Input, IntoIter: Send + 'static>,
    control: &Arc<Control>,
) -> Result<Records, Error> {
    let inputs = inputs.into_iter();
    Records::start(control, move |sink, control| run(options, inputs, sink, control))
}

/// The same for the things of any source.
///
/// # Errors
/// As [`records()`].
pub fn records_from<S: Source>(
    source: S,
    options: Options,
    inputs: impl IntoIterator<Item = Input<S::Base>, IntoIter: Send + 'static>,
    control: &Arc<Control>,
) -> Result<Records, Error> {
    let inputs = inputs.into_iter();
    Records::start(control, move |sink, control| run_from(source, options, inputs, sink, control))
}

impl Records {
    fn start(
        control: &Arc<Control>,
        run: impl FnOnce(&mut dyn Sink, &Arc<Control>) -> Result<Summary, Error> + Send + 'static,
    ) -> Result<Self, Error> {
        let (hand, taken) = bounded(WAITING);
        let its = Arc::clone(control);
        let run = start_thread("collector", move || run(&mut Hand(hand), &its)).map_err(Error::Thread)?;
        Ok(Self { taken: Some(taken), control: Arc::clone(control), run: Some(run) })
    }

    /// Ends the run and returns its summary. Records that were not taken are dropped, and a run that is not complete is aborted.
    ///
    /// # Errors
    /// As [`run()`].
    pub fn finish(mut self) -> Result<Summary, Error> {
        self.leave();
        match self.run.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("the summary can be asked for once"),
        }
    }

    /// Takes no more; ends the run if there is more.
    fn leave(&mut self) {
        if let Some(taken) = self.taken.take()
            && taken.try_recv() != Err(TryRecvError::Disconnected)
        {
            self.control.abort();
        }
    }
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let record = self.taken.as_ref()?.recv().ok();
        if record.is_none() {
            self.taken = None;
        }
        record
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Hands records over, until nobody takes them.
struct Hand(Sender<Record>);

impl Sink for Hand {
    fn record(&mut self, record: Record) -> Taken {
        self.0.send(record).map_err(|_| Halt::Enough)
    }
}
