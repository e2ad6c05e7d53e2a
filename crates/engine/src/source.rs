//! The source: inputs become numbered entries.

use std::ffi::CString;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use hashlane_io::{Directory, FileFacts, FileKind, OpenHow};
use hashlane_record::{Cause, Division, Failure, ItemPath, Operation, Outcome, Record};
use rustix::fs::{AtFlags, CWD, statat};
use rustix::io::Errno;

use crate::entry::{AlgorithmSet, Entry, Excluded, Input, Location};
use crate::profile::ReadOrder;
use crate::run::{PAUSES, Shared, Skipped};
use crate::verdict::{Finished, system_cause};
use crate::walk::{Visitor, Walk, WalkOptions};

/// Entries handed over at once: few enough that workers start early, enough that the queue's lock is cheap.
const BATCH: usize = 64;

/// Turns inputs into entries and puts them into the queue.
pub(crate) struct Source {
    shared: Arc<Shared>,
    records: Sender<Vec<Finished>>,
    algorithms: AlgorithmSet,
    division: Option<Division>,
    current: Arc<Directory>,
    batch: Vec<Entry>,
    failures: Vec<Finished>,
    next: u64,
    /// How often it still pauses for want of descriptors before a directory fails.
    pauses_left: u32,
}

impl Source {
    pub(crate) fn new(shared: Arc<Shared>, records: Sender<Vec<Finished>>) -> Self {
        let algorithms = Arc::clone(&shared.options.algorithms);
        let division = shared.options.division;
        let current = Arc::new(Directory::current());
        Self {
            shared,
            records,
            algorithms,
            division,
            current,
            batch: Vec::new(),
            failures: Vec::new(),
            next: 0,
            pauses_left: PAUSES,
        }
    }

    /// Hands out all inputs, closes the queue, and says what a walk passed over.
    pub(crate) fn run(mut self, inputs: impl Iterator<Item = Input>, options: &WalkOptions) -> Skipped {
        let mut skipped = Skipped::default();
        for input in inputs {
            let goes_on = self.input(input, options, &mut skipped);
            // The next name of a list may be long in coming, or come only after the record of this one.
            self.flush();
            if !goes_on {
                break;
            }
        }
        self.shared.control.set_found(self.next);
        self.shared.control.set_walk_done();
        self.shared.queue.close();
        self.shared.idle.wake_all();
        skipped
    }

    fn input(&mut self, input: Input, options: &WalkOptions, skipped: &mut Skipped) -> bool {
        match input {
            Input::Path(path) => self.path(path, options, skipped),
            Input::File { path, base, algorithms, division, tag } => {
                self.file(path, base, (algorithms, division), tag)
            }
            Input::Excluded { path, tag } => {
                let number = self.next;
                self.finish_at_once(Finished::Excluded(Excluded { number, path, tag }))
            }
            Input::Stdin { tag, algorithms, division } => {
                self.push(Entry { division, ..Entry::new(Location::Stdin, algorithms, tag) })
            }
        }
    }

    fn path(&mut self, path: ItemPath, options: &WalkOptions, skipped: &mut Skipped) -> bool {
        let Ok(name) = CString::new(path.as_bytes()) else {
            return self.failed(
                path.as_bytes().to_vec(),
                Operation::Open,
                io::ErrorKind::InvalidInput.into(),
            );
        };
        // A path too long for this call is no directory that anybody named by hand; opening it will tell.
        let kind =
            statat(CWD, name.as_c_str(), AtFlags::empty()).map(|stat| FileFacts::from_stat(&stat).kind);
        if kind == Ok(FileKind::Directory) {
            let shared = Arc::clone(&self.shared);
            let inodes = shared.order() == ReadOrder::OnDisk;
            return Walk::new(options, &shared.descriptors, self, skipped).with_inodes(inodes).run(&name);
        }
        let wanted = (Arc::clone(&self.algorithms), self.division);
        self.file(path, None, wanted, Box::default())
    }

    fn file(
        &mut self,
        path: ItemPath,
        base: Option<Arc<Directory>>,
        (algorithms, division): (AlgorithmSet, Option<Division>),
        tag: Box<[u8]>,
    ) -> bool {
        let Ok(name) = CString::new(path.as_bytes()) else {
            return self.record_failure(
                path,
                Operation::Open,
                Cause::System(Errno::INVAL.raw_os_error()),
                tag,
            );
        };
        let location = match base {
            Some(base) => Location::Below { base, name },
            None => Location::Name { directory: Arc::clone(&self.current), name, how: OpenHow::Named },
        };
        self.push(Entry { division, ..Entry::new(location, algorithms, tag) })
    }

    fn push(&mut self, entry: Entry) -> bool {
        self.batch.push(Entry { number: self.next, turn: self.next, ..entry });
        self.next += 1;
        if self.batch.len() >= BATCH {
            self.flush_batch();
        }
        !self.shared.control.is_stopped()
    }

    fn record_failure(&mut self, path: ItemPath, operation: Operation, cause: Cause, tag: Box<[u8]>) -> bool {
        self.finish_at_once(Finished::Record(Record {
            number: self.next,
            path,
            outcome: Outcome::Failed(Failure { operation, cause, offset_bytes: 0 }),
            facts: None,
            digests: Vec::new(),
            pieces: None,
            digested_bytes: 0,
            origin: Default::default(),
            tag,
        }))
    }

    /// Hands over what needs no worker: the next in the order.
    fn finish_at_once(&mut self, finished: Finished) -> bool {
        self.wait_at_the_gate();
        self.failures.push(finished);
        self.next += 1;
        if self.failures.len() >= BATCH {
            self.flush_failures();
        }
        !self.shared.control.is_stopped()
    }

    /// Waits while too many records wait for an earlier one: a failure is a record, and goes to nobody who would wait.
    fn wait_at_the_gate(&mut self) {
        /// There is no disk for temporary files: what matters is that the run comes to its end at all.
        const PAUSE: Duration = Duration::from_millis(1);
        while !self.shared.may_begin(self.next) && !self.shared.control.is_stopped() {
            Visitor::flush(self);
            thread::sleep(PAUSE);
        }
    }

    fn flush_batch(&mut self) {
        if !self.batch.is_empty() && self.shared.queue.push(&mut self.batch) {
            self.shared.control.set_found(self.next);
            self.shared.idle.wake_all();
        }
    }

    fn flush_failures(&mut self) {
        if !self.failures.is_empty() {
            // Nobody receives any more: the run was aborted, and its records with it.
            let _ = self.records.send(std::mem::take(&mut self.failures));
        }
    }
}

impl Visitor for Source {
    fn file(&mut self, directory: &Arc<Directory>, name: CString, inode: u64, how: OpenHow) -> bool {
        let location = Location::Name { directory: Arc::clone(directory), name, how };
        let algorithms = Arc::clone(&self.algorithms);
        let division = self.division;
        self.push(Entry { inode, division, ..Entry::new(location, algorithms, Box::default()) })
    }

    fn failed(&mut self, path: Vec<u8>, operation: Operation, error: io::Error) -> bool {
        self.record_failure(ItemPath::from(path), operation, system_cause(&error), Box::default())
    }

    fn flush(&mut self) {
        self.flush_batch();
        self.flush_failures();
    }

    fn waits_for_descriptor(&mut self) -> bool {
        if self.shared.control.is_stopped() {
            return false;
        }
        if !self.shared.queue.is_settled() || !self.shared.big.is_idle(false) {
            // Files that are read give theirs back.
            self.pauses_left = PAUSES;
            return true;
        }
        // Who else has them does not say when.
        let waits = self.pauses_left > 0;
        self.pauses_left = self.pauses_left.saturating_sub(1);
        waits
    }
}
