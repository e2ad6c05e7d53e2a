//! A limit for the rate at which all workers together read.
//!
//! The rate may change, and may be none, while they read: it is looked at whenever bytes are granted.
//!
//! Reads are cut into pieces of at most a 64th of a second's bytes, and each takes its bytes out of a bucket that
//! fills at almost the stated rate. A worker stands in line with one piece at a time, so that all get their turns;
//! while it stands there it does whatever else is to be done, and waits as it always does if that is nothing. One
//! thread fills the bucket for those who wait, and wakes whose turn it is.
//!
//! Invariants:
//! 1. The bytes granted within any second are at most the rate: what the bucket holds and what flows into it meanwhile; and
//!    what was given back of reads let go before that second. Files that were begun without a limit are read on in the pieces that they
//!    were begun with: where those are larger than what the bucket holds, it is in debt afterwards.
//! 2. Only opening is free, and nothing is read in the same step: what is read is paid for before. What did not come,
//!    because a pipe had less or a file has ended, is given back. Only made-up files, which have no size, are read when they
//!    are opened; for them the bucket is in debt, and nothing is read or opened before that is paid.
//! 3. Nobody sleeps here but the thread that does nothing else.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::options::Options;
use hashlane_io::{
    BLOCK_ALIGNMENT, Completion, FileSystem, ReadEngine, Request, Store, Target, Waker, start_thread,
};

/// Pieces in a second's bytes, at least.
const PIECES: u64 = 64;

/// Pieces that the bucket holds: one to be taken, one for the time until a thread is woken.
const HELD_PIECES: u64 = 2;

/// How long it takes at most until a rate counts that was set.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The lowest possible rate, in bytes per second: a piece is then one page.
pub const LOWEST_RATE: u64 = PIECES * BLOCK_ALIGNMENT as u64;

/// What the workers of a run share.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// The rate with which the run was begun, and who may set another.
    begun_with: Option<u64>,
    control: Arc<Control>,
    bucket: Mutex<Bucket>,
    /// Somebody stands in line, or the run is over.
    changed: Condvar,
}

#[derive(Debug)]
struct Bucket {
    /// What the rest is computed from.
    rate: Option<u64>,
    capacity: f64,
    bytes_per_second: f64,
    bytes: f64,
    filled: Instant,
    line: VecDeque<Arc<Ticket>>,
    closed: bool,
}

/// A place in line.
#[derive(Debug)]
struct Ticket {
    bytes: usize,
    granted: AtomicBool,
    waker: Waker,
}

impl Throttle {
    /// What a run needs that has a limit, or may get one.
    pub(crate) fn of(options: &Options, control: &Arc<Control>) -> Option<Self> {
        let rate = options.max_bytes_per_second;
        (rate.is_some() || options.rate_may_change).then(|| Self::new(rate, control))
    }

    fn new(begun_with: Option<u64>, control: &Arc<Control>) -> Self {
        let control = Arc::clone(control);
        let bucket = Bucket::at(control.rate().unwrap_or(begun_with));
        Self { begun_with, control, bucket: Mutex::new(bucket), changed: Condvar::new() }
    }

    /// The limit as it is now, if there is one. Less than [`LOWEST_RATE`] counts as that.
    pub(crate) fn rate(&self) -> Option<u64> {
        self.control.rate().unwrap_or(self.begun_with)
    }

    /// Starts the thread that fills the bucket; it ends when what is returned is dropped.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(crate) fn start(self: &Arc<Self>) -> io::Result<Filling> {
        let throttle = Arc::clone(self);
        start_thread("throttle", move || throttle.fill())?;
        Ok(Filling(Arc::clone(self)))
    }

    /// Grants what there is for whoever is first in line, until the run is over.
    fn fill(&self) {
        let mut bucket = self.lock();
        while !bucket.closed {
            bucket = match bucket.grant(self.rate(), Instant::now()) {
                None => self.changed.wait(bucket).unwrap_or_else(PoisonError::into_inner),
                Some(pause) => {
                    drop(bucket);
                    thread::sleep(pause.min(LONGEST_PAUSE));
                    self.lock()
                }
            };
        }
    }

    /// Stands in line for a piece, which may be granted at once.
    fn ask(&self, bytes: usize, waker: Waker) -> Arc<Ticket> {
        let ticket = Arc::new(Ticket { bytes, granted: AtomicBool::new(false), waker });
        let mut bucket = self.lock();
        bucket.line.push_back(Arc::clone(&ticket));
        bucket.grant(self.rate(), Instant::now());
        if !bucket.line.is_empty() {
            self.changed.notify_one();
        }
        ticket
    }

    /// Gives back what was granted and not used, or takes what was used and not granted.
    fn settle(&self, bytes: f64) {
        let mut bucket = self.lock();
        if bucket.rate.is_some() {
            bucket.bytes = (bucket.bytes + bytes).min(bucket.capacity);
        }
    }

    fn is_in_debt(&self) -> bool {
        self.lock().bytes < 0.0
    }

    fn lock(&self) -> MutexGuard<'_, Bucket> {
        self.bucket.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a piece at a rate.
const fn piece_bytes(rate: u64) -> u64 {
    let page = BLOCK_ALIGNMENT as u64;
    let rate = if rate < LOWEST_RATE { LOWEST_RATE } else { rate };
    rate / PIECES / page * page
}

impl Bucket {
    fn at(rate: Option<u64>) -> Self {
        let mut bucket = Self {
            rate: None,
            capacity: 0.0,
            bytes_per_second: 0.0,
            bytes: 0.0,
            filled: Instant::now(),
            line: VecDeque::new(),
            closed: false,
        };
        bucket.turn_to(rate);
        bucket
    }

    /// Fills at another rate from now on. Without a limit nobody pays for what was read before.
    fn turn_to(&mut self, rate: Option<u64>) {
        let capacity = rate.map_or(0, |rate| HELD_PIECES * piece_bytes(rate));
        self.rate = rate;
        self.capacity = capacity as f64;
        self.bytes_per_second = rate.map_or(0.0, |rate| (rate.max(LOWEST_RATE) - capacity) as f64);
        self.bytes = if rate.is_some() { self.bytes.min(self.capacity) } else { 0.0 };
    }

    /// Fills the bucket up to `now`, at the rate as it is now, and grants what it holds, in order; returns how long the next in line has
    /// to wait.
    fn grant(&mut self, rate: Option<u64>, now: Instant) -> Option<Duration> {
        if rate != self.rate {
            self.turn_to(rate);
            self.filled = now;
        }
        let flown = now.saturating_duration_since(self.filled).as_secs_f64() * self.bytes_per_second;
        self.bytes = (self.bytes + flown).min(self.capacity);
        self.filled = now;
        while let Some(ticket) = self.line.front() {
            // What is larger than the bucket waits until that is full.
            let missing = (ticket.bytes as f64).min(self.capacity) - self.bytes;
            if rate.is_some() {
                if missing > 0.0 {
                    return Some(Duration::from_secs_f64(missing / self.bytes_per_second));
                }
                self.bytes -= ticket.bytes as f64;
            }
            ticket.granted.store(true, Ordering::Release);
            ticket.waker.wake();
            self.line.pop_front();
        }
        None
    }
}

/// Ends the thread that fills the bucket when it is dropped.
#[derive(Debug)]
pub(crate) struct Filling(Arc<Throttle>);

impl Drop for Filling {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_one();
    }
}

/// A read engine whose reads wait for their turn.
pub(crate) struct Throttled<S: Store = FileSystem> {
    engine: Box<dyn ReadEngine<S>>,
    throttle: Arc<Throttle>,
    /// Reads that have not been let go.
    waiting: VecDeque<Request<S>>,
    /// The place in line of the first of them.
    ticket: Option<Arc<Ticket>>,
    /// What was granted for the reads under way, by token.
    granted: HashMap<u64, usize>,
}

impl<S: Store> Throttled<S> {
    pub(crate) fn new(engine: Box<dyn ReadEngine<S>>, throttle: Arc<Throttle>) -> Self {
        Self { engine, throttle, waiting: VecDeque::new(), ticket: None, granted: HashMap::new() }
    }

    fn is_granted(&self) -> bool {
        self.ticket.as_ref().is_some_and(|ticket| ticket.granted.load(Ordering::Acquire))
    }

    /// Lets reads go whose turn has come, and stands in line for the next.
    fn let_go(&mut self) {
        while let Some(next) = self.waiting.front() {
            let bytes = if matches!(next.target, Target::Open { .. }) { 0 } else { next.length };
            let ticket = self.ticket.get_or_insert_with(|| self.throttle.ask(bytes, self.engine.waker()));
            if !ticket.granted.load(Ordering::Acquire) {
                return;
            }
            self.ticket = None;
            if let Some(request) = self.waiting.pop_front() {
                self.granted.insert(request.token, bytes);
                self.engine.submit(request);
            }
        }
    }
}

impl<S: Store> ReadEngine<S> for Throttled<S> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn submit(&mut self, mut request: Request<S>) {
        let Some(rate) = self.throttle.rate() else {
            if self.waiting.is_empty() {
                return self.engine.submit(request);
            }
            return self.waiting.push_back(request);
        };
        if !request.block.is_window() {
            request.length = request.length.min(usize::try_from(piece_bytes(rate)).unwrap_or(usize::MAX));
        }
        if let Target::Open { first_read, .. } = &mut request.target {
            first_read.largest_bytes = 0;
            if !self.throttle.is_in_debt() {
                self.granted.insert(request.token, 0);
                return self.engine.submit(request);
            }
        }
        self.waiting.push_back(request);
        self.let_go();
    }

    fn reap(&mut self) -> Option<Completion<S>> {
        self.let_go();
        let completion = self.engine.reap()?;
        // What was let go without a limit is not paid for.
        if let Some(granted) = self.granted.remove(&completion.token) {
            let brought = usize::try_from(completion.sources.total_bytes()).unwrap_or(usize::MAX);
            if brought != granted {
                self.throttle.settle(granted as f64 - brought as f64);
            }
        }
        Some(completion)
    }

    fn wait(&mut self) {
        if !self.is_granted() {
            self.engine.wait();
        }
    }

    fn waker(&self) -> Waker {
        self.engine.waker()
    }

    fn in_flight(&self) -> usize {
        self.engine.in_flight() + self.waiting.len()
    }

    fn fallbacks(&self) -> u64 {
        self.engine.fallbacks()
    }

    fn unsuited(&self) -> u64 {
        self.engine.unsuited()
    }
}

#[cfg(test)]
mod tests {
    use hashlane_io::{Block, Directory, FilePlace, FirstRead, OpenHow, Sources};

    use super::*;

    fn stand_in_line(bucket: &mut Bucket, bytes: usize) -> Arc<Ticket> {
        let ticket = Arc::new(Ticket { bytes, granted: AtomicBool::new(false), waker: Waker::current() });
        bucket.line.push_back(Arc::clone(&ticket));
        ticket
    }

    /// What is granted when there is always somebody in line and the bucket is looked at after each of `pauses`: time
    /// and bytes.
    fn granted(
        rate: u64,
        lengths: &[usize],
        pauses: impl Iterator<Item = Duration>,
    ) -> Vec<(Duration, usize)> {
        let mut bucket = Bucket::at(Some(rate));
        let start = bucket.filled;
        let (mut now, mut granted) = (Duration::ZERO, Vec::new());
        let mut asked = lengths.iter().cycle().map(|&bytes| bytes.min(piece_bytes(rate) as usize));
        for pause in pauses {
            now += pause;
            let mut more = true;
            while more {
                let ticket = stand_in_line(&mut bucket, asked.next().expect("it is a cycle"));
                bucket.grant(Some(rate), start + now);
                more = bucket.line.is_empty();
                if more {
                    granted.push((now, ticket.bytes));
                } else {
                    bucket.line.clear();
                }
            }
        }
        granted
    }

    #[test]
    fn no_second_has_more_than_the_rate_and_all_together_have_most_of_it() {
        for rate in [LOWEST_RATE, 10_000_000, 64 << 20, 3_000_000_001] {
            for lengths in [&[usize::MAX][..], &[1, 100_000, 4096, 700], &[4096]] {
                // Now and then the thread that fills is late by more than a piece.
                let pauses =
                    (0..5000).map(|step| Duration::from_micros(if step % 97 == 0 { 20_000 } else { 700 }));
                let granted = granted(rate, lengths, pauses);
                let (mut within, mut first) = (0, 0);
                for &(now, bytes) in &granted {
                    within += bytes as u64;
                    while granted[first].0 + Duration::from_secs(1) < now {
                        within -= granted[first].1 as u64;
                        first += 1;
                    }
                    assert!(within <= rate, "{within} bytes within a second, at most {rate}");
                }
                let all: u64 = granted.iter().map(|&(_, bytes)| bytes as u64).sum();
                let seconds = granted.last().expect("some").0.as_secs_f64();
                assert!(all as f64 > 0.85 * rate as f64 * seconds, "{all} in {seconds} s of {rate}");
            }
        }
    }

    #[test]
    fn who_stands_in_line_goes_on_at_the_rate_as_it_is_by_then() {
        let mut bucket = Bucket::at(Some(LOWEST_RATE));
        let now = bucket.filled;
        let large = stand_in_line(&mut bucket, 10 << 20);
        let wait = bucket.grant(Some(LOWEST_RATE), now).expect("it is not full");
        assert!(wait < Duration::from_secs(1), "what is larger than the bucket waits until that is full");
        assert_eq!(bucket.grant(Some(LOWEST_RATE), now + wait + Duration::from_micros(1)), None);
        assert!(large.granted.load(Ordering::Relaxed));
        // Its bytes are paid for before anything else is granted, and the faster the higher the rate is.
        let next = stand_in_line(&mut bucket, 4096);
        let now = now + wait + Duration::from_millis(1);
        let slow = bucket.grant(Some(LOWEST_RATE), now).expect("it is in debt");
        let fast = bucket.grant(Some(100 << 20), now).expect("it is in debt");
        assert!(slow > Duration::from_secs(30) && fast < Duration::from_secs(1), "{slow:?} {fast:?}");
        assert!(!next.granted.load(Ordering::Relaxed));
        assert_eq!(bucket.grant(None, now), None);
        assert!(next.granted.load(Ordering::Relaxed));
        // What was read meanwhile is not paid for.
        stand_in_line(&mut bucket, 4096);
        assert!(bucket.grant(Some(LOWEST_RATE), now).expect("it is empty") < Duration::from_secs(1));
    }

    #[test]
    fn who_stands_in_line_has_its_turn() {
        let rate = 10_000_000;
        let mut bucket = Bucket::at(Some(rate));
        let tickets: Vec<_> =
            (0..4).map(|_| stand_in_line(&mut bucket, piece_bytes(rate) as usize)).collect();
        let mut now = bucket.filled;
        for turn in 0..4 {
            now += bucket.grant(Some(rate), now).expect("the bucket is empty, and somebody stands in line");
            bucket.grant(Some(rate), now + Duration::from_micros(1));
            let granted: Vec<_> =
                tickets.iter().map(|ticket| ticket.granted.load(Ordering::Relaxed)).collect();
            let expected: Vec<_> = (0..4).map(|number| number <= turn).collect();
            assert_eq!(granted, expected);
        }
        assert_eq!(bucket.grant(Some(rate), now), None);
    }

    /// Brings a piece with the opening of each file, as made-up files have one.
    struct MadeUp(VecDeque<Completion>);

    impl ReadEngine for MadeUp {
        fn name(&self) -> &'static str {
            "made up"
        }

        fn submit(&mut self, Request { token, block, length, .. }: Request) {
            let sources = Sources { unknown_bytes: length as u64, ..Sources::default() };
            self.0.push_back(Completion { token, file: None, block, read: true, sources, error: None });
        }

        fn reap(&mut self) -> Option<Completion> {
            self.0.pop_front()
        }

        fn wait(&mut self) {}

        fn waker(&self) -> Waker {
            Waker::current()
        }

        fn in_flight(&self) -> usize {
            self.0.len()
        }
    }

    #[test]
    fn what_is_read_with_the_opening_is_paid_for_before_another_file_is_opened() {
        const PIECE_BYTES: usize = piece_bytes(LOWEST_RATE) as usize;
        let throttle = Arc::new(Throttle::new(Some(LOWEST_RATE), &Arc::new(Control::new())));
        let mut engine = Throttled::new(Box::new(MadeUp(VecDeque::new())), Arc::clone(&throttle));
        let open = |token| Request {
            token,
            target: Target::Open {
                place: FilePlace {
                    directory: Arc::new(Directory::current()),
                    name: c"file".into(),
                    how: OpenHow::Named,
                },
                first_read: FirstRead { largest_bytes: 0, linked: true, uncached: false },
            },
            offset: 0,
            length: PIECE_BYTES,
            block: Block::new(PIECE_BYTES),
        };
        engine.submit(open(0));
        assert_eq!(engine.reap().map(|completion| completion.token), Some(0));
        assert!(throttle.is_in_debt(), "it was not paid for before");
        // So much that nothing flows in while this test runs.
        throttle.lock().bytes = -1e9;
        engine.submit(open(1));
        assert!(engine.reap().is_none() && engine.in_flight() == 1);
        throttle.lock().bytes = 1.0;
        throttle.lock().grant(Some(LOWEST_RATE), Instant::now());
        assert_eq!(engine.reap().map(|completion| completion.token), Some(1));
    }
}
