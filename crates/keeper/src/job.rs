//! Work that goes on in a thread of its own, while whoever has asked for it takes what it hands over.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use hashlane_engine::{Control, Halt, Progress, Taken};

/// Work, what it hands over, `T`, and what it comes to in the end, `E`. What it needs of a catalogue it opens in its own thread.
///
/// Dropped, it stops the work, and does not wait for its end.
#[derive(Debug)]
pub struct Job<T, E> {
    coming: Receiver<JobEvent<T>>,
    control: Arc<Control>,
    thread: Mutex<Option<JoinHandle<E>>>,
    end: OnceLock<Option<E>>,
}

/// What comes of a job before its end.
#[derive(Debug)]
pub enum JobEvent<T> {
    /// It has begun: all that can be wrong from the beginning is not.
    Begun,
    /// Something is handed over.
    One(T),
}

/// What a job is found at.
#[derive(Debug)]
pub enum Coming<T> {
    /// It has said something.
    Event(JobEvent<T>),
    /// Nothing has come in the time that was given.
    NotYet,
    /// Nothing will come any more.
    Ended,
}

/// Where the work hands over what it has.
#[derive(Debug)]
pub struct Hand<T>(Sender<JobEvent<T>>);

impl<T> Hand<T> {
    /// Says that the work has begun: until here an error is one of who asked for it.
    pub fn begun(&self) {
        // Who does not listen any more has ended the work already.
        let _ = self.0.send(JobEvent::Begun);
    }

    /// Hands something over; waits as long as nobody takes what was handed over before.
    ///
    /// # Errors
    /// Nobody will take it.
    pub fn give(&self, one: T) -> Taken {
        self.0.send(JobEvent::One(one)).map_err(|_| Halt::Enough)
    }
}

impl<T: Send + 'static, E: Send + 'static> Job<T, E> {
    /// Starts the work. `ahead`: how much may be handed over before it is taken.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(
        ahead: usize,
        work: impl FnOnce(&Hand<T>, &Arc<Control>) -> E + Send + 'static,
    ) -> io::Result<Self> {
        let (hand, coming) = bounded(ahead);
        let control = Arc::new(Control::new());
        let its = Arc::clone(&control);
        let thread = hashlane_io::start_thread("job", move || work(&Hand(hand), &its))?;
        Ok(Self { coming, control, thread: Mutex::new(Some(thread)), end: OnceLock::new() })
    }
}

impl<T, E> Job<T, E> {
    /// What comes next; waits so long for it.
    pub fn next(&self, patience: Duration) -> Coming<T> {
        match self.coming.recv_timeout(patience) {
            Ok(event) => Coming::Event(event),
            Err(RecvTimeoutError::Timeout) => Coming::NotYet,
            Err(RecvTimeoutError::Disconnected) => Coming::Ended,
        }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.control.progress()
    }

    /// What stops it.
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Stops it at once, and waits so long for its end: what it used is free then for another one. What it still hands over is dropped.
    pub fn interrupt(&self, patience: Duration) {
        self.control.abort();
        let until = Instant::now() + patience;
        let left = || until.saturating_duration_since(Instant::now());
        while !left().is_zero() && !matches!(self.next(left()), Coming::Ended) {}
    }

    /// What it came to; nothing if its thread has panicked. Waits for its end, and drops nothing of what it hands over: take that first.
    pub fn wait(&self) -> Option<&E> {
        // All others wait here until the end is there.
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            let _ = self.end.set(thread.join().ok());
        }
        self.end()
    }

    /// What it came to, if somebody has waited for that.
    pub fn end(&self) -> Option<&E> {
        self.end.get()?.as_ref()
    }
}

impl<T, E> Drop for Job<T, E> {
    fn drop(&mut self) {
        self.control.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_is_handed_over_comes_in_its_order_and_the_end_for_all_who_wait() {
        let job = Job::start(1, |hand, _| {
            hand.begun();
            (0..3).take_while(|number| hand.give(*number).is_ok()).count()
        });
        let job = job.expect("a thread");
        assert!(job.end().is_none());
        assert!(matches!(job.next(LONG), Coming::Event(JobEvent::Begun)));
        for number in 0..3 {
            assert!(matches!(job.next(LONG), Coming::Event(JobEvent::One(other)) if other == number));
        }
        assert!(matches!(job.next(LONG), Coming::Ended));
        let waits = || job.wait() == Some(&3);
        std::thread::scope(|scope| assert!(scope.spawn(waits).join().expect("no panic") && waits()));
    }

    #[test]
    fn who_interrupts_or_drops_a_job_ends_it() {
        let endless = |hand: &Hand<()>, control: &Arc<Control>| {
            while control.stopped().is_none() && hand.give(()).is_ok() {}
        };
        let job = Job::start(1, endless).expect("a thread");
        job.interrupt(LONG);
        assert!(job.wait().is_some() && job.control().stopped().is_some());
        let (ended, end) = std::sync::mpsc::channel();
        let job = Job::start(1, move |hand: &Hand<()>, control| {
            while control.stopped().is_none() && hand.give(()).is_ok() {}
            ended.send(()).expect("somebody waits");
        });
        drop(job);
        assert_eq!(end.recv_timeout(LONG), Ok(()));
    }

    #[test]
    fn a_job_that_panics_comes_to_nothing() {
        let job = Job::start(1, |_: &Hand<()>, _| panic!("as it is meant to")).expect("a thread");
        assert!(matches!(job.next(LONG), Coming::Ended));
        let end: Option<&()> = job.wait();
        assert!(end.is_none());
    }
}
