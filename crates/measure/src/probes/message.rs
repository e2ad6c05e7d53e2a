//! Whole messages in memory: each is begun, taken in and ended, so that what a message costs besides its bytes shows.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use hashlane_digest::{Algorithm, BackendChoice, Digest, LaneSet, Part};
use hashlane_engine::SLOTS_PER_WORKER;
use hashlane_io::Content;

use super::on_threads;
use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// Bytes between the beginnings of two messages, less the message: as blocks of files lie, see `Block::staggered`.
const STAGGER_BYTES: usize = 128;

/// How messages are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One after the other.
    Single,
    /// As many side by side as `sum` does with many files.
    SideBySide,
}

/// Digests whole messages of one length, each thread its own.
#[derive(Debug)]
pub struct MessageProbe {
    algorithm: Algorithm,
    backend: BackendChoice,
    threads: usize,
    message_bytes: usize,
    /// Messages at once.
    width: usize,
    /// Messages of each thread in a sample, where that is laid down.
    count: Option<u64>,
    /// What each message has to give, once one has looked. The messages themselves are there only while they are digested:
    /// there are many probes, and all of them together would take more than a small machine has.
    digests: Vec<Digest>,
}

impl MessageProbe {
    /// How many messages of an algorithm are taken in side by side; none where it has no lanes.
    pub fn width(algorithm: Algorithm, backend: &BackendChoice) -> Option<usize> {
        let width = LaneSet::by(algorithm, SLOTS_PER_WORKER, backend).width();
        (width > 1).then_some(width)
    }

    /// Bytes of memory that a probe takes for each thread while it runs.
    pub fn memory_bytes(
        algorithm: Algorithm,
        backend: &BackendChoice,
        form: Form,
        message_bytes: usize,
    ) -> usize {
        let width = Self::width(algorithm, backend).filter(|_| form == Form::SideBySide).unwrap_or(1);
        width.saturating_mul(message_bytes.saturating_add(STAGGER_BYTES))
    }

    /// Messages of `message_bytes` for each of `threads` threads. `None` if they are to be side by side and the algorithm
    /// has no lanes.
    pub fn new(
        algorithm: Algorithm,
        backend: &BackendChoice,
        form: Form,
        threads: usize,
        message_bytes: usize,
    ) -> Option<Self> {
        let width = match form {
            Form::Single => 1,
            Form::SideBySide => Self::width(algorithm, backend)?,
        };
        Some(Self {
            algorithm,
            backend: backend.clone(),
            threads,
            message_bytes,
            width,
            count: None,
            digests: Vec::new(),
        })
    }

    /// All messages, each of them another one.
    fn messages(&self) -> Vec<u8> {
        let mut messages = vec![0; self.width * (self.message_bytes + STAGGER_BYTES)];
        Content::seeded(1).fill(0, &mut messages);
        messages
    }

    fn expect(&mut self) {
        if self.digests.is_empty() {
            let of_one = |bytes: &[u8]| self.algorithm.digest(&bytes[..self.message_bytes]);
            let messages = self.messages();
            self.digests = messages.chunks_exact(self.message_bytes + STAGGER_BYTES).map(of_one).collect();
        }
    }

    /// Bytes of memory that it takes while it runs, on all threads.
    pub(crate) fn all_bytes(&self) -> usize {
        self.threads
            .saturating_mul(self.width.saturating_mul(self.message_bytes.saturating_add(STAGGER_BYTES)))
    }

    /// `count` messages a sample, however long they take.
    pub fn counted(self, count: u64) -> Self {
        Self { count: Some(count), ..self }
    }

    fn single(&self, messages: &[u8], count: u64) -> Digest {
        let mut hasher = self.algorithm.hasher_by(&self.backend);
        let message = &messages[..self.message_bytes];
        let mut digest = self.digests[0];
        for _ in 0..count {
            hasher.update(black_box(message));
            digest = black_box(hasher.finish());
        }
        digest
    }

    /// Returns the digest of the last message side by side.
    fn side_by_side(&self, messages: &[u8], turns: u64) -> Digest {
        let mut lanes = LaneSet::by(self.algorithm, self.width, &self.backend);
        let whole = messages.chunks_exact(self.message_bytes + STAGGER_BYTES).enumerate();
        let parts: Vec<_> = whole
            .map(|(slot, bytes)| Part { slot, bytes: &bytes[..self.message_bytes], last: true })
            .collect();
        let mut digest = self.digests[0];
        for _ in 0..turns {
            lanes.advance(black_box(&parts));
            for slot in 0..self.width {
                digest = black_box(lanes.finish(slot));
            }
        }
        digest
    }
}

impl Probe for MessageProbe {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: Some(self.algorithm.name().to_owned()),
            backend: Some(self.algorithm.backend_for(self.width, &self.backend).to_owned()),
            threads: self.threads,
            block_bytes: Some(self.message_bytes as u64),
            messages: Some(self.width),
            ..Cell::new(Stage::Digest)
        }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let turns = self.count.map_or(repeats, |count| count.div_ceil(self.width as u64) * repeats);
        self.expect();
        // Those of its own for each thread, in its own cache.
        let prepare = |_| self.messages();
        let digests = on_threads(self.threads, watch, prepare, |messages| match self.width {
            1 => self.single(&messages, turns),
            _ => self.side_by_side(&messages, turns),
        })?;
        let expected = self.digests.last();
        if digests.iter().any(|digest| Some(digest) != expected) {
            return Err(NotPossible::Wrong(format!("{} of the same bytes differ", self.algorithm)));
        }
        let operations = turns * (self.threads * self.width) as u64;
        Ok(Work { bytes: operations * self.message_bytes as u64, operations, ..Work::default() })
    }

    fn repeats(&self) -> bool {
        self.count.is_none()
    }
}

/// Takes in a whole message; it may write to it.
pub type ForeignFunction = dyn Fn(&mut [u8]);

/// A function of somebody else.
#[derive(Clone)]
pub struct Foreign {
    /// What it is called.
    pub name: String,
    /// The function.
    pub function: Arc<ForeignFunction>,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Foreign").field(&self.name).finish()
    }
}

/// Calls a foreign function with whole messages of one length, from one thread: whether it bears more nobody knows.
#[derive(Debug)]
pub(crate) struct ForeignProbe {
    foreign: Foreign,
    count: Option<u64>,
    message: Vec<u8>,
}

impl ForeignProbe {
    pub(crate) fn new(foreign: &Foreign, message_bytes: usize, count: Option<u64>) -> Self {
        let mut message = vec![0; message_bytes];
        Content::seeded(1).fill(0, &mut message);
        Self { foreign: foreign.clone(), count, message }
    }
}

impl Probe for ForeignProbe {
    fn cell(&self) -> Cell {
        Cell {
            program: Some(self.foreign.name.clone()),
            block_bytes: Some(self.message.len() as u64),
            messages: Some(1),
            ..Cell::new(Stage::Digest)
        }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let operations = self.count.unwrap_or(1) * repeats;
        watch.restart();
        for _ in 0..operations {
            (self.foreign.function)(black_box(&mut self.message));
        }
        Ok(Work { bytes: operations * self.message.len() as u64, operations, ..Work::default() })
    }

    fn repeats(&self) -> bool {
        self.count.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_are_digested_one_by_one_and_side_by_side() {
        let sha256 = Algorithm::SHA256;
        let auto = BackendChoice::Auto;
        for (form, threads, bytes) in
            [(Form::Single, 1, 100), (Form::Single, 2, 0), (Form::SideBySide, 2, 3_000)]
        {
            let Some(mut probe) = MessageProbe::new(sha256, &auto, form, threads, bytes) else {
                assert_eq!((form, MessageProbe::width(sha256, &auto)), (Form::SideBySide, None));
                continue;
            };
            let work = probe.run(3, &mut Stopwatch::start()).expect("they are in memory");
            let messages = 3 * (threads * probe.width) as u64;
            assert_eq!((work.bytes, work.operations), (messages * bytes as u64, messages));
        }
    }

    #[test]
    fn a_wrong_digest_is_not_measured() {
        let md5 = Algorithm::MD5;
        for form in [Form::Single, Form::SideBySide] {
            let Some(mut probe) = MessageProbe::new(md5, &BackendChoice::Auto, form, 1, 64) else { continue };
            probe.digests = vec![md5.digest(b"another message"); probe.width];
            let error = probe.run(1, &mut Stopwatch::start()).expect_err("it is another message");
            assert_eq!(error.to_string(), "md5 of the same bytes differ");
        }
    }

    #[test]
    fn a_foreign_function_is_called_for_each_message() {
        let calls = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let seen = Arc::clone(&calls);
        let function = Arc::new(move |message: &mut [u8]| {
            assert_eq!(message.len(), 70);
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        let foreign = Foreign { name: "theirs".into(), function };
        let work = ForeignProbe::new(&foreign, 70, None).run(5, &mut Stopwatch::start()).expect("it returns");
        assert_eq!((work.bytes, work.operations), (350, 5));
        ForeignProbe::new(&foreign, 70, Some(10)).run(1, &mut Stopwatch::start()).expect("it returns");
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 15);
    }

    #[test]
    fn a_count_is_kept_whatever_the_width() {
        let md5 = Algorithm::MD5;
        let probe = MessageProbe::new(md5, &BackendChoice::Auto, Form::Single, 1, 64);
        let mut probe = probe.expect("one message is always possible").counted(100);
        assert!(!probe.repeats());
        assert_eq!(probe.run(1, &mut Stopwatch::start()).expect("in memory").operations, 100);
    }
}
