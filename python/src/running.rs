//! Jobs whose events Python takes.

use std::sync::Arc;
use std::time::Duration;

use hashlane_engine::Control;
pub(crate) use hashlane_keeper::Hand;
use hashlane_keeper::{Coming, Job, JobEvent};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors;

/// How often a waiting call looks for signals.
const TICK: Duration = Duration::from_millis(50);

/// How long work that is interrupted is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A job, and the process in which it goes on.
pub(crate) struct Running<T, E> {
    job: Job<T, PyResult<E>>,
    process: u32,
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
        let job = Job::start(ahead, work)
            .map_err(|error| errors::refused(None, &format!("cannot start a thread: {error}")))?;
        let running = Self { job, process: std::process::id() };
        match running.receive(py)? {
            Some(JobEvent::Begun) | None => Ok(running),
            Some(JobEvent::One(_)) => unreachable!("nothing is handed over before the work has begun"),
        }
    }

    /// The next that is handed over; nothing at the end.
    ///
    /// # Errors
    /// The work has failed, or a signal came.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        match self.receive(py)? {
            Some(JobEvent::One(one)) => Ok(Some(one)),
            Some(JobEvent::Begun) => unreachable!("the work begins once"),
            None => Ok(None),
        }
    }

    /// What it came to, if it has come to its end.
    pub(crate) fn end(&self) -> Option<&E> {
        self.job.end()?.as_ref().ok()
    }

    fn receive(&self, py: Python<'_>) -> PyResult<Option<JobEvent<T>>> {
        if std::process::id() != self.process {
            // Here nobody would ever hand anything over.
            return Err(PyRuntimeError::new_err(
                "the threads that read are those of the process that has forked this one; begin to read after the fork",
            ));
        }
        loop {
            // Here too where nothing has to be waited for: who takes all in a loop of another language sees no signal else.
            py.check_signals().inspect_err(|_| py.detach(|| self.job.interrupt(PATIENCE)))?;
            let mut coming = self.job.next(Duration::ZERO);
            if matches!(coming, Coming::NotYet) {
                coming = py.detach(|| self.job.next(TICK));
            }
            match coming {
                Coming::Event(event) => return Ok(Some(event)),
                Coming::NotYet => {}
                Coming::Ended => return self.join(py).map(|()| None),
            }
        }
    }

    /// Takes over the end. Whoever comes later gets the same.
    fn join(&self, py: Python<'_>) -> PyResult<()> {
        match py.detach(|| self.job.wait()) {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(error.clone_ref(py)),
            None => Err(PyRuntimeError::new_err(
                "a thread of hashlane panicked: this is a bug in hashlane; please report it",
            )),
        }
    }
}
