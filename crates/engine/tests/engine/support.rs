//! Runs under a watchdog, trees with known digests, and engines with hooks.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, abort};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use hashlane_digest::{Algorithm, Backend, BackendChoice, Digest};
use hashlane_engine::{
    AlgorithmSet, Control, EngineChoice, EngineFactory, Error, Input, Options, Sink, Summary, Taken,
    WalkOptions,
};
use hashlane_io::{
    Completion, Content, EngineKind, Failing, FaultPlan, FileSystem, ReadEngine, Release, Request, Store,
    Waker,
};
use hashlane_record::{ItemPath, Outcome, Record};

pub(crate) const KIB: u64 = 1 << 10;
pub(crate) const MIB: u64 = 1 << 20;

/// The rounds of this build. All tests run with assertions and, optimised further, without: each build tries every other round, and with
/// `HASHLANE_TEST_ALL` all.
pub(crate) fn rounds(count: u64) -> impl Iterator<Item = u64> {
    let takes_all = std::env::var_os("HASHLANE_TEST_ALL").is_some();
    let share = u64::from(!cfg!(debug_assertions));
    (0..count).filter(move |round| takes_all || round % 2 == share)
}

/// Does some work that must not take for ever: if it does, the process ends and says which it was.
pub(crate) fn watched<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = channel::<()>();
    let what = format!("\nhangs: {what} ({:?})\n", thread::current().name());
    thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
            // Not by a macro: what tests print by those is kept back, and lost when the process ends.
            let _ = std::io::stderr().write_all(what.as_bytes());
            abort();
        }
    });
    let result = work();
    drop(done);
    result
}

/// Waits for another thread to have done something.
pub(crate) fn until(what: &str, condition: impl Fn() -> bool) {
    watched(what, || {
        while !condition() {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Says that something cannot be tested here.
pub(crate) fn skipped(why: &str) {
    assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none(), "SKIPPED: {why}");
    println!("SKIPPED: {why}");
}

pub(crate) fn algorithms(names: &[&str]) -> AlgorithmSet {
    names.iter().map(|name| Algorithm::named(name).expect("registered")).collect()
}

pub(crate) fn options(workers: usize, names: &[&str]) -> Options {
    let mut options = Options::new(algorithms(names));
    options.workers = Some(workers);
    options.backend = forced();
    options
}

/// What the tests compute with: the backend that HASHLANE_BACKEND names, so that all of them can be run for each one
/// (`cargo xtask test --only backends`).
fn forced() -> BackendChoice {
    let Some(name) = std::env::var_os("HASHLANE_BACKEND") else { return BackendChoice::Auto };
    let backend = name.to_str().and_then(Backend::named).filter(|backend| backend.is_available());
    BackendChoice::Only(
        backend.unwrap_or_else(|| panic!("HASHLANE_BACKEND={name:?}: not a backend of this CPU")),
    )
}

pub(crate) fn plain_walk() -> WalkOptions {
    WalkOptions::default()
}

/// Keeps all records, and checks that their numbers rise.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Vec<Record>);

impl Sink for Kept {
    fn record(&mut self, record: Record) -> Taken {
        assert!(self.0.last().is_none_or(|last| last.number < record.number), "records leave in order");
        self.0.push(record);
        Ok(())
    }
}

/// A run under a watchdog, whatever its end.
pub(crate) fn try_run(
    options: Options,
    inputs: impl IntoIterator<Item = Input, IntoIter: Send + 'static>,
    control: &Arc<Control>,
) -> (Vec<Record>, Result<Summary, Error>) {
    let mut kept = Kept::default();
    let inputs = inputs.into_iter();
    let result = watched("a run", || hashlane_engine::run(options, inputs, &mut kept, control));
    (kept.0, result)
}

/// A run that comes to its end.
pub(crate) fn run(
    options: Options,
    inputs: impl IntoIterator<Item = Input, IntoIter: Send + 'static>,
) -> (Vec<Record>, Summary) {
    let (records, result) = try_run(options, inputs, &Arc::new(Control::new()));
    let summary = result.expect("a run that nobody disturbs");
    assert_eq!((summary.stopped, summary.dropped), (None, 0));
    assert_eq!(summary.files + summary.unstable + summary.failed, records.len() as u64);
    assert!(records.iter().zip(0..).all(|(record, number)| record.number == number), "no gap, none twice");
    (records, summary)
}

pub(crate) fn path(path: &Path) -> Input {
    Input::Path(item(path))
}

pub(crate) fn item(path: &Path) -> ItemPath {
    ItemPath::from(path.as_os_str().as_encoded_bytes())
}

/// A file with its content.
pub(crate) struct Made {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    /// Those of the bytes that somebody has asked for: tests that read the same files hundreds of times would compute them as often.
    digests: Mutex<Vec<Digest>>,
}

impl Made {
    pub(crate) fn new(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes, digests: Mutex::default() }
    }

    fn digest(&self, algorithm: Algorithm) -> Digest {
        let mut known = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = known.iter().find(|digest| digest.algorithm() == algorithm) {
            return *digest;
        }
        let digest = algorithm.digest(&self.bytes);
        known.push(digest);
        digest
    }
}

pub(crate) fn content(seed: u64, length: u64) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    Content::seeded(seed).fill(0, &mut bytes);
    bytes
}

/// Files of the sizes given, named so that they sort in this order.
pub(crate) fn make_files(root: &Path, sizes: &[u64]) -> Vec<Made> {
    let made = sizes.iter().zip(0..).map(|(&size, number)| {
        let made = Made::new(root.join(format!("file {number:05}")), content(number, size));
        fs::write(&made.path, &made.bytes).expect("write");
        made
    });
    made.collect()
}

/// Whether a record is that of a file that was read without trouble.
pub(crate) fn assert_read(record: &Record, made: &Made, algorithms: &[Algorithm]) {
    assert_eq!(record.path, item(&made.path));
    assert_eq!(record.outcome, Outcome::Read, "{:?}", record.path);
    let expected: Vec<_> = algorithms.iter().map(|&algorithm| made.digest(algorithm)).collect();
    assert_eq!(record.digests, expected, "{:?} of {} bytes", record.path, made.bytes.len());
    assert_eq!(record.digested_bytes, made.bytes.len() as u64);
}

/// The engines that bring what is in the file.
pub(crate) fn reading_kinds() -> impl Iterator<Item = EngineKind> {
    EngineKind::all().iter().copied().filter(|&kind| kind != EngineKind::Null)
}

pub(crate) fn custom(
    windows: bool,
    start: impl Fn(&Arc<hashlane_io::ReaderPool>) -> Box<dyn ReadEngine> + Send + Sync + 'static,
) -> EngineChoice {
    let start: EngineFactory = Arc::new(start);
    EngineChoice::Custom { start, windows }
}

/// What lets go of the stalled requests of all workers.
#[derive(Clone, Default)]
pub(crate) struct Releases(Arc<Mutex<Vec<Release>>>);

impl Releases {
    pub(crate) fn keep(&self, release: Release) {
        self.0.lock().expect("nobody panics with it").push(release);
    }

    pub(crate) fn release(&self) {
        self.0.lock().expect("nobody panics with it").iter().for_each(Release::release);
    }
}

/// What stands around an engine of a worker.
pub(crate) type Wrap<S> = Arc<dyn Fn(Box<dyn ReadEngine<S>>) -> Box<dyn ReadEngine<S>> + Send + Sync>;

/// Nothing around an engine.
pub(crate) fn plain<S: Store>() -> Wrap<S> {
    Arc::new(|engine| engine)
}

/// Faults in the way of every worker's engine.
pub(crate) fn faulty<S: Store>(plan: FaultPlan) -> Wrap<S> {
    Arc::new(move |engine| Box::new(Failing::new(engine, plan.clone())))
}

/// Faults in the way of the first worker's engine, and what lets its stalled requests go.
pub(crate) fn faulty_first<S: Store>(plan: FaultPlan) -> (Wrap<S>, Releases) {
    faulty_some(1, plan)
}

/// The same for the first `workers` workers.
pub(crate) fn faulty_some<S: Store>(workers: u64, plan: FaultPlan) -> (Wrap<S>, Releases) {
    let releases = Releases::default();
    let started = AtomicU64::new(0);
    let kept = releases.clone();
    let wrap: Wrap<S> = Arc::new(move |engine| {
        if started.fetch_add(1, Ordering::Relaxed) >= workers {
            return engine;
        }
        let engine = Failing::new(engine, plan.clone());
        kept.keep(engine.release());
        Box::new(engine)
    });
    (wrap, releases)
}

/// What an observer sees.
pub(crate) enum Passed<'a, S: Store> {
    Submitted(&'a Request<S>),
    Reaped(&'a Completion<S>),
}

/// Shows all that passes through the engines to an observer, on the workers' threads.
pub(crate) fn observed<S: Store>(observer: impl Fn(Passed<'_, S>) + Send + Sync + 'static) -> Wrap<S> {
    let observer = Arc::new(observer);
    Arc::new(move |engine| Box::new(Observed { engine, observer: Arc::clone(&observer) }))
}

struct Observed<S: Store, O> {
    engine: Box<dyn ReadEngine<S>>,
    observer: Arc<O>,
}

impl<S: Store, O: Fn(Passed<'_, S>)> ReadEngine<S> for Observed<S, O> {
    fn name(&self) -> &'static str {
        "observed"
    }

    fn submit(&mut self, request: Request<S>) {
        (self.observer)(Passed::Submitted(&request));
        self.engine.submit(request);
    }

    fn reap(&mut self) -> Option<Completion<S>> {
        let completion = self.engine.reap()?;
        (self.observer)(Passed::Reaped(&completion));
        Some(completion)
    }

    fn wait(&mut self) {
        self.engine.wait();
    }

    fn waker(&self) -> Waker {
        self.engine.waker()
    }

    fn in_flight(&self) -> usize {
        self.engine.in_flight()
    }
}

/// An engine of a kind with something around it.
pub(crate) fn wrapped(kind: EngineKind, wrap: Wrap<FileSystem>) -> EngineChoice {
    custom(kind == EngineKind::Mapped, move |pool| wrap(kind.start(pool)))
}

/// An engine of a kind with faults in its way, for each worker the same.
pub(crate) fn failing(kind: EngineKind, plan: FaultPlan) -> EngineChoice {
    wrapped(kind, faulty(plan))
}

/// The same for the first `workers` workers; the others have no faults.
pub(crate) fn failing_some(workers: u64, kind: EngineKind, plan: FaultPlan) -> (EngineChoice, Releases) {
    let (wrap, releases) = faulty_some(workers, plan);
    (wrapped(kind, wrap), releases)
}

/// An engine of a kind that shows what passes through it.
pub(crate) fn hooked(
    kind: EngineKind,
    hook: impl Fn(Passed<'_, FileSystem>) + Send + Sync + 'static,
) -> EngineChoice {
    wrapped(kind, observed(hook))
}

/// Set for a process that [`in_child`] has started.
const CHILD: &str = "HASHLANE_TEST_CHILD";

/// Whether this process was started by [`in_child`]: then the test does its part there.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs a test of this binary, the calling one, again in a process of its own, which `prepare` may change; it must succeed.
pub(crate) fn in_child(test: &str, prepare: impl FnOnce(&mut Command)) {
    /// A child that is started while a copy is written keeps it open for a moment, and it cannot be run meanwhile.
    static STARTING: Mutex<()> = Mutex::new(());
    let starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    // A copy, since another user may not be allowed to reach the build's folder.
    let place = tempfile::tempdir().expect("a temporary directory");
    open_to_all(place.path());
    let binary = place.path().join("tests");
    fs::copy(std::env::current_exe().expect("a path"), &binary).expect("copy");
    // The system itself does not run programs for another CPU.
    let mut words = std::env::var_os("HASHLANE_TEST_EMULATOR").into_iter().chain([binary.into_os_string()]);
    let mut command = Command::new(words.next().expect("the binary at least"));
    command.args(words);
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1").current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    prepare(&mut command);
    let child = command.spawn().expect("it starts");
    drop(starting);
    let output = watched(test, || child.wait_with_output().expect("it ends"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && text[0].contains("1 passed"), "{test}: {}\n{}", text[0], text[1]);
}

pub(crate) fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("chmod");
}

pub(crate) fn append(path: &Path, bytes: &[u8]) {
    File::options().append(true).open(path).expect("open").write_all(bytes).expect("write");
}
