//! The sources under test: files, and objects of a store in memory. What holds for every source is tested on each of them,
//! by functions that [`for_each_world`] makes tests of.

use std::fmt::Debug;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hashlane_engine::{Control, Error, Halt, Input, Options, Sink, Summary, Taken};
use hashlane_io::{Directory, EngineKind, FileSystem, Store};
use hashlane_record::Record;

use crate::support::*;

/// Makes a test on files and one on objects of each function.
macro_rules! for_each_world {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        mod files {
            $(#[test] $(#[$attribute])* fn $name() { super::$name::<crate::worlds::Files>() })*
        }

        mod objects {
            $(#[test] $(#[$attribute])* fn $name() { super::$name::<crate::objects::Objects>() })*
        }
    };
}
pub(crate) use for_each_world;

/// Inputs for a source of a world.
pub(crate) type InputOf<W> = Input<<W as World>::Base>;

/// A source with things of known content: named so that they sort in their order, the one below the other.
pub(crate) trait World: Sized {
    type Store: Store;
    type Base: Clone + Send + 'static;
    /// A way in which its things are brought.
    type Way: Copy + Debug + PartialEq;

    /// Whether a change is seen that happens when bytes of a thing have come, or only one that happens before.
    const CHANGES_AFTER_READ: bool;

    /// All ways that bring what is there, the default first.
    fn ways() -> Vec<Self::Way>;

    /// Things of these sizes.
    fn make(sizes: &[u64]) -> Self;

    fn made(&self) -> &[Made];

    /// What all of them lie below.
    fn root(&self) -> InputOf<Self>;

    /// Another size for a thing that already exists, its content kept as far as it reaches.
    fn resize(&self, number: usize, size: u64);

    /// Other bytes in the same place.
    fn overwrite(&self, number: usize);

    /// What a test does to a world while a run reads it.
    fn handle(&self) -> Self;

    /// A run under a watchdog, whatever its end, by engines with something around them.
    fn run_into(
        &self,
        options: Options,
        way: Self::Way,
        wrap: Wrap<Self::Store>,
        inputs: Vec<InputOf<Self>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, Error>;

    fn path_of(&self, number: usize) -> InputOf<Self> {
        Input::Path(item(&self.made()[number].path))
    }

    fn try_run(
        &self,
        options: Options,
        way: Self::Way,
        wrap: Wrap<Self::Store>,
        inputs: Vec<InputOf<Self>>,
        control: &Arc<Control>,
    ) -> (Vec<Record>, Result<Summary, Error>) {
        let mut kept = Kept::default();
        let result = self.run_into(options, way, wrap, inputs, &mut kept, control);
        (kept.0, result)
    }

    /// A run of all things that comes to its end.
    fn run(&self, options: Options, way: Self::Way, wrap: Wrap<Self::Store>) -> (Vec<Record>, Summary) {
        let (records, result) =
            self.try_run(options, way, wrap, vec![self.root()], &Arc::new(Control::new()));
        let summary = result.expect("a run that nobody disturbs");
        assert_eq!((summary.stopped, summary.dropped), (None, 0));
        assert_eq!(summary.files + summary.unstable + summary.failed, records.len() as u64);
        assert!(
            records.iter().zip(0..).all(|(record, number)| record.number == number),
            "no gap, none twice"
        );
        assert_eq!(records.len(), self.made().len());
        (records, summary)
    }

    /// The same where all of them are right.
    fn assert_right(&self, options: Options, way: Self::Way, wrap: Wrap<Self::Store>) -> Summary {
        let set = options.algorithms.clone();
        let (records, summary) = self.run(options, way, wrap);
        for (record, made) in records.iter().zip(self.made()) {
            assert_read(record, made, &set);
        }
        let total: u64 = self.made().iter().map(|made| made.bytes.len() as u64).sum();
        assert_eq!((summary.digested_bytes, summary.origin.read_bytes()), (total, total));
        summary
    }
}

/// Files in a temporary directory.
#[derive(Clone)]
pub(crate) struct Files(Arc<Tree>);

struct Tree {
    directory: tempfile::TempDir,
    made: Vec<Made>,
}

impl Files {
    fn file(&self, number: usize) -> (PathBuf, File) {
        let path = self.0.made[number].path.clone();
        let file = File::options().write(true).open(&path).expect("open");
        (path, file)
    }
}

impl World for Files {
    type Store = FileSystem;
    type Base = Arc<Directory>;
    type Way = EngineKind;

    const CHANGES_AFTER_READ: bool = true;

    fn ways() -> Vec<EngineKind> {
        reading_kinds().collect()
    }

    fn make(sizes: &[u64]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let made = make_files(directory.path(), sizes);
        // So long ago that whatever happens now shows in its times.
        let past = SystemTime::now() - Duration::from_secs(1000);
        for made in &made {
            let file = File::options().write(true).open(&made.path);
            file.and_then(|file| file.set_modified(past)).expect("utime");
        }
        Self(Arc::new(Tree { directory, made }))
    }

    fn made(&self) -> &[Made] {
        &self.0.made
    }

    fn root(&self) -> Input {
        path(self.0.directory.path())
    }

    fn resize(&self, number: usize, size: u64) {
        let (path, file) = self.file(number);
        let length = fs::metadata(path).expect("stat").len();
        match size.checked_sub(length) {
            Some(more) => file.write_all_at(&content(99, more), length).expect("write"),
            None => file.set_len(size).expect("truncate"),
        }
    }

    fn overwrite(&self, number: usize) {
        self.file(number).1.write_all_at(b"new", 5).expect("write");
    }

    fn handle(&self) -> Self {
        self.clone()
    }

    fn run_into(
        &self,
        mut options: Options,
        kind: EngineKind,
        wrap: Wrap<FileSystem>,
        inputs: Vec<Input>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, Error> {
        options.engine = wrapped(kind, wrap);
        watched("a run", || hashlane_engine::run(options, inputs.into_iter(), sink, control))
    }
}

/// Takes this many records and no more.
pub(crate) struct Breaks {
    pub(crate) left: u64,
    pub(crate) taken: u64,
    /// What it fails with, if it does not just have enough.
    pub(crate) error: Option<std::io::Error>,
}

impl Sink for Breaks {
    fn record(&mut self, _: Record) -> Taken {
        self.taken += 1;
        match self.error.take_if(|_| self.taken == self.left) {
            Some(error) => Err(error.into()),
            None if self.taken == self.left => Err(Halt::Enough),
            None => Ok(()),
        }
    }
}
