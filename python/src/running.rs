//! Work that goes on in a thread of its own while Python takes what it hands over.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use hashlane_engine::{Control, Halt, Taken};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors;

/// How often a waiting call looks for signals.
const TICK: Duration = Duration::from_millis(50);

/// How long work that is interrupted is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Work, what it hands over, `T`, and what it comes to in the end, `E`.
///
/// If it is dropped the work is stopped, and nobody waits until it has.
pub(crate) struct Running<T, E> {
    coming: Receiver<Message<T>>,
    control: Arc<Control>,
    thread: Mutex<Option<JoinHandle<PyResult<E>>>>,
    end: OnceLock<Result<E, PyErr>>,
    /// The process in which the work goes on.
    process: u32,
}

enum Message<T> {
    /// All that can be wrong from the beginning is not.
    Begun,
    One(T),
}

/// Where the work hands over what it has.
pub(crate) struct Hand<T>(Sender<Message<T>>);

impl<T> Hand<T> {
    /// Says that the work has begun: until here an error is one of the call that asked for it.
    pub(crate) fn begun(&self) {
        // Who does not listen any more has ended the work already.
        let _ = self.0.send(Message::Begun);
    }

    /// Hands something over; waits as long as nobody takes what was handed over before.
    pub(crate) fn give(&self, one: T) -> Taken {
        self.0.send(Message::One(one)).map_err(|_| Halt::Enough)
    }
}

impl<T: Send + 'static, E: Send + Sync + 'static> Running<T, E> {
    /// Starts the work, and waits until it has begun. `ahead`: how much may be handed over before it is taken.
    ///
    /// # Errors
    /// It did not begin, or a signal came.
    pub(crate) fn start(
        py: Python<'_>,
        ahead: usize,
        work: impl FnOnce(&Hand<T>, &Arc<Control>) -> PyResult<E> + Send + 'static,
    ) -> PyResult<Self> {
        let (hand, coming) = bounded(ahead);
        let control = Arc::new(Control::new());
        let its = Arc::clone(&control);
        let thread = hashlane_io::start_thread("python", move || work(&Hand(hand), &its))
            .map_err(|error| errors::refused(None, &format!("cannot start a thread: {error}")))?;
        let running = Self {
            coming,
            control,
            thread: Mutex::new(Some(thread)),
            end: OnceLock::new(),
            process: std::process::id(),
        };
        match running.receive(py)? {
            Some(Message::Begun) | None => Ok(running),
            Some(Message::One(_)) => unreachable!("nothing is handed over before the work has begun"),
        }
    }

    /// The next that is handed over; nothing at the end.
    ///
    /// # Errors
    /// The work has failed, or a signal came.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        match self.receive(py)? {
            Some(Message::One(one)) => Ok(Some(one)),
            Some(Message::Begun) => unreachable!("the work begins once"),
            None => Ok(None),
        }
    }

    /// What it came to, if it has come to its end.
    pub(crate) fn end(&self) -> Option<&E> {
        self.end.get()?.as_ref().ok()
    }

    /// Stops it, and waits a while for its end: what it used is free then for another call.
    fn interrupt(&self) {
        self.control.abort();
        let until = Instant::now() + PATIENCE;
        let goes_on = || !matches!(self.coming.recv_timeout(TICK), Err(RecvTimeoutError::Disconnected));
        while Instant::now() < until && goes_on() {}
    }

    fn receive(&self, py: Python<'_>) -> PyResult<Option<Message<T>>> {
        if std::process::id() != self.process {
            // Here nobody would ever hand anything over.
            return Err(PyRuntimeError::new_err(
                "the threads that read are those of the process that has forked this one; begin to read after the fork",
            ));
        }
        loop {
            // Here too where nothing has to be waited for: who takes all in a loop of another language sees no signal else.
            py.check_signals().inspect_err(|_| py.detach(|| self.interrupt()))?;
            if let Ok(message) = self.coming.try_recv() {
                return Ok(Some(message));
            }
            match py.detach(|| self.coming.recv_timeout(TICK)) {
                Ok(message) => return Ok(Some(message)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.join(py).map(|()| None),
            }
        }
    }

    /// Takes over the end. Whoever comes later is told the same.
    fn join(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            // All others wait here until the end is there.
            let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(thread) = thread.take() {
                let end = thread.join().unwrap_or_else(|_| {
                    Err(PyRuntimeError::new_err(
                        "a thread of hashlane panicked: this is a bug in hashlane; please report it",
                    ))
                });
                let _ = self.end.set(end);
            }
        });
        match self.end.get() {
            Some(Err(error)) => Err(error.clone_ref(py)),
            _ => Ok(()),
        }
    }
}

impl<T, E> Drop for Running<T, E> {
    fn drop(&mut self) {
        self.control.abort();
    }
}
