//! For tests: an engine that fails where it is asked to.
//!
//! It wraps any other engine and puts faults in its way, each at the n-th opening or the n-th read, counted from 0 in the
//! order of submission. A request for a file to be opened counts as an opening, whatever is read in the same step; one for
//! a file that is open counts as a read. With the same plan and the same requests, the same faults happen.
//!
//! Invariants: those of [`ReadEngine`] hold, faults or not: every request comes back once, with its block.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Completion, ReadEngine, Request, Target, Waker};
use crate::generate::SplitMix;
use crate::open_file::FileKind;
use crate::read_error::{ReadError, ReadStep};
use crate::source::Sources;
use crate::store::{FileSystem, Opened as _, Store};

/// An engine with faults. For tests.
pub struct Failing<S: Store = FileSystem> {
    engine: Box<dyn ReadEngine<S>>,
    plan: FaultPlan,
    /// Numbers of the next opening and the next read.
    next: (u64, u64),
    /// Requests in the engine, by the token that it knows them by.
    inside: HashMap<u64, Inside>,
    serial: u64,
    ready: VecDeque<Completion<S>>,
    /// What is kept, until a moment or until it is released.
    stalled: Vec<(Completion<S>, Option<Instant>)>,
    release: Release,
}

/// A request that the wrapped engine has.
struct Inside {
    token: u64,
    /// Bytes that were in its block before.
    before: usize,
    fault: Option<Fault>,
}

/// Which faults happen when. For tests.
#[derive(Clone, Debug, Default)]
pub struct FaultPlan {
    faults: HashMap<Call, Fault>,
    /// Once in a number of calls, one of these, drawn from the seed.
    random: Option<(u64, u64, Vec<Fault>)>,
}

/// A call, counted from 0. For tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// The n-th request for a file to be opened.
    Open(u64),
    /// The n-th request for a file that is open.
    Read(u64),
}

/// What goes wrong. For tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A step fails with a number of errno(3). A read fails after it brought this many bytes.
    Fail {
        /// The step. What comes before it is done.
        step: ReadStep,
        /// The error's number.
        errno: i32,
        /// Bytes brought before a read fails.
        after_bytes: usize,
    },
    /// A signal interrupts the call. Engines take it up again, so nobody sees `EINTR`; all that can be seen of it is that
    /// less came than there is: here half, and at least one byte.
    Interrupt,
    /// At most this many bytes come, and at least one, since none means the end of the file. What has no offsets to ask
    /// again at (a FIFO) is not shortened.
    Shorten(usize),
    /// The completion is kept until [`Release::release`].
    Stall,
    /// The completion is kept for some time.
    StallFor(Duration),
}

/// Lets go of stalled completions, from any thread. For tests.
#[derive(Clone)]
pub struct Release {
    released: Arc<AtomicBool>,
    waker: Waker,
}

impl<S: Store> Failing<S> {
    /// Puts the faults of a plan in the way of an engine.
    pub fn new(engine: Box<dyn ReadEngine<S>>, plan: FaultPlan) -> Self {
        let release = Release { released: Arc::default(), waker: engine.waker() };
        Self {
            engine,
            plan,
            next: (0, 0),
            inside: HashMap::new(),
            serial: 0,
            ready: VecDeque::new(),
            stalled: Vec::new(),
            release,
        }
    }

    /// What lets stalled completions go.
    pub fn release(&self) -> Release {
        self.release.clone()
    }

    fn count(&mut self, target: &Target<S>) -> Call {
        let (opens, reads) = &mut self.next;
        let (call, counter) = match target {
            Target::Open { .. } => (Call::Open(*opens), opens),
            Target::File(_) => (Call::Read(*reads), reads),
        };
        *counter += 1;
        call
    }

    /// Takes what the wrapped engine brought; `None` if it is kept.
    fn deliver(&mut self, mut completion: Completion<S>) -> Option<Completion<S>> {
        let inside = self.inside.remove(&completion.token).expect("it was given this token on submission");
        completion.token = inside.token;
        let brought = completion.block.len() - inside.before;
        match inside.fault {
            Some(Fault::Fail { errno, after_bytes, .. }) if completion.read => {
                cut(&mut completion, inside.before, after_bytes);
                completion.error = Some(failure(ReadStep::Read, errno));
            }
            Some(Fault::Interrupt) if has_offsets(&completion) => {
                cut(&mut completion, inside.before, (brought / 2).max(1));
            }
            Some(Fault::Shorten(bytes)) if has_offsets(&completion) => {
                cut(&mut completion, inside.before, bytes.max(1));
            }
            Some(Fault::Stall) => {
                self.stalled.push((completion, None));
                return None;
            }
            Some(Fault::StallFor(time)) => {
                self.stalled.push((completion, Some(Instant::now() + time)));
                let waker = self.engine.waker();
                thread::spawn(move || {
                    thread::sleep(time);
                    waker.wake();
                });
                return None;
            }
            _ => {}
        }
        Some(completion)
    }

    /// A kept completion that may go.
    fn due(&self) -> Option<usize> {
        let released = self.release.released.load(Ordering::Acquire);
        self.stalled
            .iter()
            .position(|(_, until)| until.map_or(released, |until| released || until <= Instant::now()))
    }
}

impl<S: Store> ReadEngine<S> for Failing<S> {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn submit(&mut self, mut request: Request<S>) {
        let call = self.count(&request.target);
        let fault = self.plan.fault(call);
        if let Some(Fault::Fail { step: step @ (ReadStep::Open | ReadStep::Stat), errno, .. }) = fault {
            let Request { token, target, block, .. } = request;
            let file = match target {
                Target::File(file) => Some(file),
                Target::Open { .. } => None,
            };
            let error = Some(failure(step, errno));
            let sources = Default::default();
            self.ready.push_back(Completion { token, file, block, read: false, sources, error });
            return;
        }
        let inside = Inside { token: request.token, before: request.block.len(), fault };
        request.token = self.serial;
        self.serial += 1;
        self.inside.insert(request.token, inside);
        self.engine.submit(request);
    }

    fn reap(&mut self) -> Option<Completion<S>> {
        if let Some(completion) = self.ready.pop_front() {
            return Some(completion);
        }
        if let Some(index) = self.due() {
            return Some(self.stalled.remove(index).0);
        }
        while let Some(completion) = self.engine.reap() {
            if let Some(completion) = self.deliver(completion) {
                return Some(completion);
            }
        }
        // What was just kept may have been released long ago.
        self.due().map(|index| self.stalled.remove(index).0)
    }

    fn wait(&mut self) {
        if self.ready.is_empty() && self.due().is_none() {
            self.engine.wait();
        }
    }

    fn waker(&self) -> Waker {
        self.engine.waker()
    }

    fn in_flight(&self) -> usize {
        self.engine.in_flight() + self.ready.len() + self.stalled.len()
    }

    fn fallbacks(&self) -> u64 {
        self.engine.fallbacks()
    }

    fn unsuited(&self) -> u64 {
        self.engine.unsuited()
    }
}

impl FaultPlan {
    /// No faults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same plan with a fault at a call.
    #[must_use]
    pub fn at(mut self, call: Call, fault: Fault) -> Self {
        self.faults.insert(call, fault);
        self
    }

    /// The same plan with one of some faults at one call in `one_in`, on average, as drawn from a seed.
    #[must_use]
    pub fn seeded(mut self, seed: u64, one_in: u64, faults: &[Fault]) -> Self {
        self.random = (!faults.is_empty() && one_in > 0).then(|| (seed, one_in, faults.to_vec()));
        self
    }

    /// The fault of a call.
    pub fn fault(&self, call: Call) -> Option<Fault> {
        let drawn = || {
            let (seed, one_in, faults) = self.random.as_ref()?;
            let number = match call {
                Call::Open(number) => 2 * number,
                Call::Read(number) => 2 * number + 1,
            };
            let mut random = SplitMix::of(*seed, number);
            let happens = random.next().is_multiple_of(*one_in);
            happens.then(|| faults[(random.next() % faults.len() as u64) as usize])
        };
        self.faults.get(&call).copied().or_else(drawn)
    }
}

impl Release {
    /// Lets all stalled completions go, also those still to come.
    pub fn release(&self) {
        self.released.store(true, Ordering::Release);
        self.waker.wake();
    }
}

fn failure(step: ReadStep, errno: i32) -> ReadError {
    ReadError::system(step, io::Error::from_raw_os_error(errno))
}

fn has_offsets<S: Store>(completion: &Completion<S>) -> bool {
    completion.file.as_ref().is_some_and(|file| file.facts().kind == FileKind::Regular)
}

/// Takes back what a request brought beyond `most` bytes, as if it had never been read.
fn cut<S: Store>(completion: &mut Completion<S>, before: usize, most: usize) {
    let excess = (completion.block.len() - before).saturating_sub(most);
    completion.block.take_back(excess);
    let mut excess = excess as u64;
    let Sources { cache_bytes, device_bytes, network_bytes, unknown_bytes } = &mut completion.sources;
    for counter in [unknown_bytes, network_bytes, device_bytes, cache_bytes] {
        let taken = excess.min(*counter);
        *counter -= taken;
        excess -= taken;
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;
    use crate::{Block, EngineKind, OpenFile, ReaderPool};

    const BYTES: [u8; 1000] = [7; 1000];

    fn file() -> (tempfile::TempDir, Arc<OpenFile>) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        fs::write(&path, BYTES).expect("write");
        let file = OpenFile::new(File::open(path).expect("open").into()).expect("stat");
        (directory, Arc::new(file))
    }

    fn engine(plan: FaultPlan) -> Failing {
        Failing::new(EngineKind::Buffered.start(&ReaderPool::new(1)), plan)
    }

    fn read(engine: &mut Failing, file: &Arc<OpenFile>) -> Completion {
        submit(engine, file);
        complete(engine)
    }

    fn complete(engine: &mut Failing) -> Completion {
        loop {
            match engine.reap() {
                Some(completion) => return completion,
                None => engine.wait(),
            }
        }
    }

    fn submit(engine: &mut Failing, file: &Arc<OpenFile>) {
        let (target, block) = (Target::File(Arc::clone(file)), Block::new(1000));
        engine.submit(Request { token: 9, target, offset: 0, length: 1000, block });
    }

    #[test]
    fn each_fault_strikes_at_its_call_and_nowhere_else() {
        let (_directory, file) = file();
        let fail = |step, after_bytes| Fault::Fail { step, errno: libc::EIO, after_bytes };
        let plan = FaultPlan::new()
            .at(Call::Open(0), Fault::Shorten(1))
            .at(Call::Read(1), fail(ReadStep::Read, 300))
            .at(Call::Read(2), Fault::Shorten(10))
            .at(Call::Read(3), Fault::Interrupt)
            .at(Call::Read(4), fail(ReadStep::Stat, 0))
            .at(Call::Read(5), Fault::StallFor(Duration::from_millis(5)));
        let mut engine = engine(plan);
        for (length, failed) in
            [(1000, false), (300, true), (10, false), (500, false), (0, true), (1000, false)]
        {
            let completion = read(&mut engine, &file);
            assert_eq!((completion.block.bytes(), completion.token), (&BYTES[..length], 9));
            assert_eq!(completion.sources.total_bytes(), length as u64);
            assert_eq!(completion.error.is_some(), failed);
            assert_eq!(engine.in_flight(), 0);
        }
    }

    #[test]
    fn a_stalled_completion_comes_when_it_is_released() {
        let (_directory, file) = file();
        let mut engine = engine(FaultPlan::new().at(Call::Read(0), Fault::Stall));
        submit(&mut engine, &file);
        assert_eq!(read(&mut engine, &file).block.len(), 1000);
        assert!(engine.reap().is_none());
        assert_eq!(engine.in_flight(), 1);
        let release = engine.release();
        let other = thread::spawn(move || release.release());
        while engine.due().is_none() {
            engine.wait();
        }
        other.join().expect("it only releases");
        assert_eq!(engine.reap().expect("it was let go").block.len(), 1000);
        assert_eq!(engine.in_flight(), 0);
    }

    #[test]
    fn the_same_seed_gives_the_same_faults() {
        let faults = [Fault::Interrupt, Fault::Shorten(1)];
        let plan = FaultPlan::new().seeded(5, 10, &faults);
        let drawn = |plan: &FaultPlan| (0..1000).map(|n| plan.fault(Call::Read(n))).collect::<Vec<_>>();
        assert_eq!(drawn(&plan), drawn(&plan.clone()));
        let happened = drawn(&plan).iter().flatten().count();
        assert!((50..200).contains(&happened), "{happened}");
        assert_ne!(drawn(&plan), drawn(&FaultPlan::new().seeded(6, 10, &faults)));
    }

    #[test]
    fn who_reads_on_until_the_end_never_notices_short_and_interrupted_reads() {
        for kind in EngineKind::all() {
            // Each its own: a file that was read direct is read by no other engine.
            let (_directory, file) = file();
            let plan = FaultPlan::new().seeded(1, 2, &[Fault::Interrupt, Fault::Shorten(100)]);
            let mut engine = Failing::new(kind.start(&ReaderPool::new(1)), plan);
            let mut offset = 0;
            loop {
                let (target, block) = (Target::File(Arc::clone(&file)), Block::window(400));
                engine.submit(Request { token: 9, target, offset, length: 400, block });
                let completion = complete(&mut engine);
                assert!(completion.error.is_none());
                offset += completion.block.len() as u64;
                if completion.block.is_empty() {
                    break;
                }
            }
            assert_eq!(offset, 1000, "{}", kind.name());
        }
    }
}
