//! A tree that lets a test know before it is read, and whose readings end as the test wants.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use hashlane_auditor::{AuditOptions, Audited, Scope};
use hashlane_catalog::{Elsewhere, Result};
use hashlane_engine::{
    Control, DirectoryState, EngineChoice, Input, LocalTree, Options, Seen, SeenRoot, Shown, Sink, Skipped,
    Summary, Taken, Tree, WalkOptions,
};
use hashlane_record::{Cause, Failure, ItemPath, Medium, Operation, Outcome, Record};

use crate::keeper::{Keeper, Said};

/// What a test does to an audit. `is_again`: what is read was read before.
pub(crate) struct Hooks<'a> {
    /// Before files are read.
    pub(crate) reads: &'a dyn Fn(bool) -> std::result::Result<(), hashlane_engine::Error>,
    /// With each record.
    pub(crate) bend: &'a dyn Fn(bool, &mut Record),
    /// With each size that is reported of a file, by its name.
    pub(crate) size: &'a dyn Fn(&str, &mut u64),
    /// When a file was made, by its path, in seconds since 1970.
    pub(crate) made_s: &'a dyn Fn(&str) -> Option<i64>,
}

impl Default for Hooks<'_> {
    fn default() -> Self {
        Self { reads: &|_| Ok(()), bend: &|_, _| {}, size: &|_, _| {}, made_s: &|_| None }
    }
}

/// A tree that is watched.
struct Watched<'a> {
    tree: LocalTree,
    hooks: &'a Hooks<'a>,
    /// The names that were read, in turn; those that were read again with a `+`.
    log: Arc<Mutex<Vec<String>>>,
}

impl Watched<'_> {
    fn bent(&self, path: &[u8], seen: Option<Seen>) -> Option<Seen> {
        let mut seen = seen?;
        let path = String::from_utf8_lossy(path);
        (self.hooks.size)(path.rsplit('/').next().unwrap_or_default(), &mut seen.size_bytes);
        seen.made_s = (self.hooks.made_s)(&path);
        Some(seen)
    }
}

impl fmt::Debug for Watched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}

impl Tree for Watched<'_> {
    fn base(&self) -> &[u8] {
        self.tree.base()
    }

    fn identity(&self) -> io::Result<SeenRoot> {
        self.tree.identity()
    }

    fn list(
        &self,
        root: &ItemPath,
        walk: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        self.tree.list(root, walk, &mut |shown| match shown {
            Shown::File { path, seen, is_offline } => {
                visit(Shown::File { path, seen: self.bent(path, seen), is_offline })
            }
            shown => visit(shown),
        })
    }

    fn directory(&self, path: &[u8]) -> DirectoryState {
        self.tree.directory(path)
    }

    fn facts(&self, path: &[u8]) -> io::Result<Option<Seen>> {
        self.tree.facts(path).map(|seen| self.bent(path, seen))
    }

    fn read(
        &self,
        mut options: Options,
        files: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> std::result::Result<Summary, hashlane_engine::Error> {
        // What is read again is not put aside.
        let is_again = options.checkpoints.is_none();
        (self.hooks.reads)(is_again)?;
        let log = Arc::clone(&self.log);
        let files = files.inspect(move |file| {
            let Input::File { path, .. } = file else { return };
            let name = String::from_utf8_lossy(path.as_bytes()).into_owned();
            log.lock().expect("no panic").push(if is_again { format!("+{name}") } else { name });
        });
        // As the tests may run where nothing can be read past the cache.
        if is_again {
            options.engine = EngineChoice::Auto;
        }
        let mut sink = Bent { sink, hooks: self.hooks, is_again };
        self.tree.read(options, Box::new(files), &mut sink, control)
    }
}

/// Takes records and hands them on as the test wants them.
struct Bent<'a> {
    sink: &'a mut dyn Sink,
    hooks: &'a Hooks<'a>,
    is_again: bool,
}

impl Sink for Bent<'_> {
    fn record(&mut self, mut record: Record) -> Taken {
        let name = name_of(&record);
        if let Some(facts) = &mut record.facts {
            (self.hooks.size)(&name, &mut facts.size_bytes);
        }
        // A test states where bytes came from by the origin alone.
        record.medium = Medium::Unasked;
        (self.hooks.bend)(self.is_again, &mut record);
        self.sink.record(record)
    }

    fn tick(&mut self) -> Taken {
        self.sink.tick()
    }
}

/// The name of a file that was read.
pub(crate) fn name_of(record: &Record) -> String {
    String::from_utf8_lossy(record.path.as_bytes()).into_owned()
}

/// Makes a reading one that has failed.
pub(crate) fn fail(record: &mut Record) {
    let cause = Cause::System(rustix::io::Errno::IO.raw_os_error());
    record.outcome = Outcome::Failed(Failure { operation: Operation::Read, cause, offset_bytes: 0 });
}

/// Audits all, and returns what was read in turn.
pub(crate) fn watched(
    keeper: &mut Keeper,
    hooks: &Hooks<'_>,
    change: impl FnOnce(&mut AuditOptions),
    control: &Arc<Control>,
) -> (Audited, Said, Vec<String>) {
    let (audited, log) = try_watched(keeper, hooks, change, control);
    let (audited, said) = audited.expect("an audit");
    (audited, said, log)
}

/// The same of one that may fail.
pub(crate) fn try_watched(
    keeper: &mut Keeper,
    hooks: &Hooks<'_>,
    change: impl FnOnce(&mut AuditOptions),
    control: &Arc<Control>,
) -> (Result<(Audited, Said)>, Vec<String>) {
    try_watched_by(None, keeper, hooks, change, control)
}

/// Takes what others have read, and returns what was read here.
pub(crate) fn watched_by(
    elsewhere: &Elsewhere,
    keeper: &mut Keeper,
    hooks: &Hooks<'_>,
    control: &Arc<Control>,
) -> (Audited, Said, Vec<String>) {
    let (audited, log) = try_watched_by(Some(elsewhere), keeper, hooks, |_| {}, control);
    let (audited, said) = audited.expect("an audit");
    (audited, said, log)
}

fn try_watched_by(
    elsewhere: Option<&Elsewhere>,
    keeper: &mut Keeper,
    hooks: &Hooks<'_>,
    change: impl FnOnce(&mut AuditOptions),
    control: &Arc<Control>,
) -> (Result<(Audited, Said)>, Vec<String>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let tree = Watched { tree: LocalTree::new(&keeper.tree()), hooks, log: Arc::clone(&log) };
    let tree = keeper.ground(Rc::new(tree));
    let change = |options: &mut AuditOptions| {
        options.scope = Scope::All;
        change(options);
    };
    let audited = keeper.over_by(elsewhere, &tree, change, control, &mut || {});
    let log = std::mem::take(&mut *log.lock().expect("no panic"));
    (audited, log)
}
