//! An io_uring with the requests that are in the hands of the kernel.
//!
//! Invariants:
//! 1. What the kernel was given (a block's memory, a name, descriptors) stays where it is and is not touched before
//!    the kernel has said that it is done: it lies in [`Ring::flights`], and leaves it only when its completion has come.
//!    If a completion does not come although the engine ends, its flight is leaked.
//! 2. There is room in the queue for every flight, the event, and a cancellation of each.
//! 3. While the thread waits, a read of the event is in flight.
//! 4. No process that was forked off uses it.

use std::collections::VecDeque;
use std::ffi::CString;
use std::io;
use std::mem::{self, ManuallyDrop};
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use io_uring::squeue::{self, Flags};
use io_uring::types::{Fd, OpenHow, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, opcode};
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

use crate::event::Event;
use crate::step::Step;

/// The longest read that one entry asks for.
const LONGEST_READ_BYTES: usize = 1 << 30;

/// A longer read waits several times: the kernel reads ahead no further than that, by default. Then our own thread would be
/// interrupted each time and copy what came, instead of digesting; a thread of the kernel reads beside it.
const READ_AHEAD_BYTES: usize = 128 << 10;

/// How long an engine that ends waits for requests that cannot be cancelled.
const PATIENCE: Duration = Duration::from_secs(2);

/// User data of what is not a flight.
const EVENT: u64 = u64::MAX;
const CANCELLATION: u64 = u64::MAX - 1;

pub(super) struct Ring {
    /// Dropped by hand, and not in a forked process, which has no such mapping.
    ring: ManuallyDrop<IoUring>,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
    /// Completions taken from the kernel and not looked at yet: user data and result.
    completed: VecDeque<(u64, i32)>,
    event: Arc<Event>,
    /// A read of the event is in flight.
    listens: bool,
    /// The event was raised, and no wait has ended by it.
    raised: bool,
    process: Pid,
}

/// A request in the hands of the kernel.
struct Flight {
    step: Step,
    /// How its file is opened, if it is not open yet.
    opening: Option<Box<Opening>>,
}

/// What the kernel reads to open a file.
struct Opening {
    /// A descriptor of the step's directory, or none.
    base: Fd,
    name: CString,
    how: OpenHow,
}

/// A request that is back, with what has become of it.
pub(super) struct Landing {
    pub(super) step: Step,
    pub(super) result: Result<Brought, Errno>,
}

pub(super) enum Brought {
    /// The file, open.
    File(OwnedFd),
    /// This many bytes into the block.
    Bytes(usize),
}

impl Ring {
    /// A ring that works, as it was seen to do, for `depth` requests in the hands of the kernel.
    ///
    /// # Errors
    /// The kernel has none, or not one with all that is needed (Linux 5.11), or it is forbidden, or there is no memory.
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        let event = Arc::new(Event::new()?);
        // By invariant 2. There is room for twice as many completions, so none is ever kept back.
        let entries = (4 * depth).next_power_of_two();
        let ring = IoUring::builder().dontfork().build(entries as u32)?;
        let params = ring.params();
        let features =
            params.is_feature_nodrop() && params.is_feature_submit_stable() && params.is_feature_ext_arg();
        let mut probe = Probe::new();
        ring.submitter().register_probe(&mut probe)?;
        let operations = [opcode::OpenAt2::CODE, opcode::Read::CODE, opcode::AsyncCancel::CODE];
        if !features || !operations.iter().all(|&code| probe.is_supported(code)) {
            return Err(Errno::NOSYS.into());
        }
        // What has to be waited for in a thread of the kernel does not wait for other requests as well. Before Linux 5.15
        // it is four threads for each processor.
        let _ = ring.submitter().register_iowq_max_workers(&mut [depth as u32, 0]);
        let mut ring = Self {
            ring: ManuallyDrop::new(ring),
            flights: (0..depth).map(|_| None).collect(),
            free: (0..depth).rev().collect(),
            completed: VecDeque::new(),
            event,
            listens: false,
            raised: false,
            process: getpid(),
        };
        ring.prove()?;
        Ok(ring)
    }

    /// What ends or forestalls [`Ring::wait`].
    pub(super) fn event(&self) -> &Arc<Event> {
        &self.event
    }

    /// The number of requests in the hands of the kernel.
    pub(super) fn in_flight(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    /// Whether there is room for one more.
    pub(super) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Opens the file of a step by one call, or reads on if it is open. Gives the step back if there is no room or its
    /// file cannot be opened by one call.
    pub(super) fn start(&mut self, step: Step) -> Option<Step> {
        let opening = Opening::of(&step);
        if opening.is_none() && !step.is_open() {
            return Some(step);
        }
        let Some(key) = self.free.pop() else { return Some(step) };
        let flight = self.flights[key].insert(Flight { step, opening });
        let entry = match &flight.opening {
            Some(opening) => opening.entry(),
            None => read(&mut flight.step),
        };
        // SAFETY: the memory of block, name and `OpenHow` lies on the heap and belongs to the flight, as do the file and
        // the directory whose descriptors are used; by invariant 1 it stays there until the kernel is done.
        unsafe { self.push(&entry.user_data(key as u64)) };
        None
    }

    /// Hands over what has been queued.
    pub(super) fn hand_over(&mut self) {
        if !self.ring.submission().is_empty() {
            self.enter(0, None).unwrap_or_else(broken);
        }
    }

    /// A request that is back, if there is one. Never waits.
    pub(super) fn land(&mut self) -> Option<Landing> {
        self.collect();
        while let Some((key, result)) = self.completed.pop_front() {
            let landing = self.landing(key, result);
            if landing.is_some() {
                return landing;
            }
        }
        None
    }

    /// Waits until a request is back or the event is raised. May return early.
    pub(super) fn wait(&mut self) {
        self.collect();
        if !self.completed.is_empty() || mem::take(&mut self.raised) {
            return;
        }
        self.listen();
        self.enter(1, None).unwrap_or_else(broken);
        self.collect();
        self.raised = false;
    }

    /// Sees that a raised event comes through.
    fn prove(&mut self) -> io::Result<()> {
        self.listen();
        self.event.raise();
        self.enter(1, Some(PATIENCE))?;
        self.collect();
        if mem::take(&mut self.raised) { Ok(()) } else { Err(Errno::NOSYS.into()) }
    }

    /// Queues a read of the event, if none is in flight.
    fn listen(&mut self) {
        if !self.listens {
            let entry = opcode::Read::new(Fd(self.event.as_fd().as_raw_fd()), self.event.room(), 8);
            // SAFETY: room and descriptor belong to the event, which the ring holds, and which is leaked if the kernel
            // should not be done with it when the ring ends.
            unsafe { self.push(&entry.build().user_data(EVENT)) };
            self.listens = true;
        }
    }

    /// Takes completions from the kernel.
    fn collect(&mut self) {
        for entry in self.ring.completion() {
            match entry.user_data() {
                CANCELLATION => {}
                EVENT => {
                    self.listens = false;
                    self.raised = true;
                    self.event.take();
                }
                key => self.completed.push_back((key, entry.result())),
            }
        }
    }

    /// The flight that came to its end.
    fn landing(&mut self, key: u64, result: i32) -> Option<Landing> {
        let key = usize::try_from(key).ok()?;
        let Flight { step, .. } = self.flights.get_mut(key)?.take()?;
        self.free.push(key);
        let result = match u32::try_from(result) {
            Err(_) => Err(Errno::from_raw_os_error(result.wrapping_neg())),
            Ok(count) if step.is_open() => Ok(Brought::Bytes(count as usize)),
            // SAFETY: the kernel has just opened it for this request, and nobody else has it.
            Ok(_) => Ok(Brought::File(unsafe { OwnedFd::from_raw_fd(result) })),
        };
        Some(Landing { step, result })
    }

    /// Queues an entry.
    ///
    /// # Safety
    /// What it points to stays valid and untouched until its completion has come.
    unsafe fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: promised by the caller.
        let pushed = unsafe { self.ring.submission().push(entry) };
        pushed.expect("the queue has room for every flight and its cancellation");
    }

    /// Hands over what is queued, and waits for `completions` completions, at most until `limit`.
    fn enter(&mut self, completions: usize, limit: Option<Duration>) -> io::Result<()> {
        let entered = match limit {
            None => self.ring.submit_and_wait(completions),
            Some(limit) => {
                let limit = Timespec::from(limit);
                self.ring.submitter().submit_with_args(completions, &SubmitArgs::new().timespec(&limit))
            }
        };
        let Err(error) = entered else { return Ok(()) };
        match Errno::from_io_error(&error) {
            // A signal, or no time left.
            Some(Errno::INTR | Errno::TIME) => Ok(()),
            // What is queued stays queued. Not tried again at once, or nobody else gets to free anything.
            Some(Errno::AGAIN | Errno::BUSY | Errno::NOMEM) => {
                if completions > 0 {
                    thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Cancels what is in flight and waits for the kernel to let go of it; false if it does not.
    pub(super) fn come_home(&mut self) -> bool {
        let under_way =
            (0..self.flights.len()).filter(|&key| self.flights[key].is_some()).map(|key| key as u64);
        for key in under_way.chain(self.listens.then_some(EVENT)).collect::<Vec<_>>() {
            let entry = opcode::AsyncCancel::new(key).build().user_data(CANCELLATION);
            // SAFETY: it points to nothing.
            unsafe { self.push(&entry) };
        }
        let until = Instant::now() + PATIENCE;
        loop {
            // What a request has brought meanwhile nobody wants: a file that it opened is closed here.
            while self.land().is_some() {}
            if self.in_flight() == 0 && !self.listens {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.enter(1, Some(left)).is_err() {
                return false;
            }
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // A forked process has copies of the memory, which no kernel writes to, but no ring.
        if getpid() != self.process {
            return;
        }
        if !self.come_home() {
            mem::forget(mem::take(&mut self.flights));
            mem::forget(Arc::clone(&self.event));
        }
        // SAFETY: it is not used again.
        unsafe { ManuallyDrop::drop(&mut self.ring) };
    }
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ring({} in flight)", self.in_flight())
    }
}

impl Opening {
    /// None if it takes more than one call.
    fn of(step: &Step) -> Option<Box<Self>> {
        let call = step.one_call()?;
        let how = OpenHow::new().flags(call.flags.bits().into()).resolve(call.resolve.bits());
        Some(Box::new(Self { base: Fd(call.base.as_raw_fd()), name: call.name.into_owned(), how }))
    }

    /// Not tried at once: the cache of names was asked already, and a FIFO would be opened without waiting for its writer.
    fn entry(&self) -> squeue::Entry {
        opcode::OpenAt2::new(self.base, self.name.as_ptr(), &raw const self.how).build().flags(Flags::ASYNC)
    }
}

/// A read of what a step still wants.
fn read(step: &mut Step) -> squeue::Entry {
    let file = Fd(step.file().as_fd().as_raw_fd());
    let length = step.wanted.min(LONGEST_READ_BYTES);
    let room = &mut step.completion.block.room()[..length];
    let entry = opcode::Read::new(file, room.as_mut_ptr(), length as u32).offset(step.offset).build();
    // A file system that cannot say whether it would wait is not asked again.
    if step.is_blind() || length > READ_AHEAD_BYTES { entry.flags(Flags::ASYNC) } else { entry }
}

/// # Panics
/// Always: it has worked before, and the owner would wait for ever for what is in flight.
fn broken(error: io::Error) {
    panic!("io_uring worked before but now fails: {error}");
}
