//! Few threads: a run ends, whichever of its threads the system refuses, and at whatever moment.

use std::fs::{self, Permissions};
use std::hint::spin_loop;
use std::os::unix::fs::PermissionsExt as _;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::work::{Dir, HASHLANE, Ran};

/// What is run: a file that all workers read pieces of, each by a reader if there is one, and a small one.
const COMMAND: &str = "as b3sum tree/big tree/1";

/// The most threads that are allowed: from here on the system refuses few.
const MOST_THREADS: u64 = 8;

/// Far longer than any run takes.
const FOR_EVER: Duration = Duration::from_secs(120);

/// Runs with room for 1 to [`MOST_THREADS`] threads, as often as `rounds` says, until each has ended as without a limit or has said that
/// it was given no thread. The pages of a file that is another user's are not known to be cached, so all is read by readers.
fn run_all(first_user: u32, rounds: impl Fn(u64) -> usize) {
    let dir = Dir::new();
    let content: Vec<u8> = (0..33 << 20).map(|at: usize| (at / 7 * 31 + at) as u8).collect();
    dir.write("tree/big", content).write("tree/1", "ab");
    fs::copy(HASHLANE, dir.path("hashlane")).unwrap();
    fs::set_permissions(dir.root(), Permissions::from_mode(0o777)).unwrap();
    let expected = dir.shell(&format!("exec ./hashlane {COMMAND}")).run().code(0).stdout;
    // Nobody else runs as this one, and root may start as many as it likes.
    let somebody = match rustix::process::geteuid().is_root() {
        true => format!("--reuid {} --clear-groups", first_user + process::id()),
        false => String::new(),
    };
    for threads in 1..=MOST_THREADS {
        let script = format!("exec setpriv {somebody} prlimit --nproc={threads} ./hashlane {COMMAND}");
        let (rounds, mut refused) = (rounds(threads), 0);
        for round in 0..rounds {
            let ran = dir.shell(&script).start().wait_within(FOR_EVER);
            let Some(Ran { status, stdout, stderr }) = ran else {
                panic!("{threads} threads: run {round} hangs")
            };
            let shown = format!("{threads} threads: run {round}: {status}: {stderr}");
            match status.code() {
                Some(0) => assert!(stdout == expected && stderr.is_empty(), "{shown}"),
                code => {
                    assert!(code == Some(1) && stderr.contains("cannot start a thread: "), "{shown}");
                    refused += 1;
                }
            }
        }
        println!("room for {threads} threads: {rounds} runs, 0 hang, {refused} say that a thread is refused");
    }
}

/// In the whole matrix ten thousand runs beside load, which take a quarter of an hour.
#[test]
fn no_run_with_few_threads_hangs() {
    match std::env::var_os("HASHLANE_TEST_ALL") {
        None => run_all(5_000_000, |threads| if threads == 3 { 30 } else { 3 }),
        Some(_) => beside_load(|| run_all(6_000_000, |_| 1_250)),
    }
}

/// Does something while each processor has other work.
fn beside_load(work: impl FnOnce()) {
    /// Ends the load, also where the work fails.
    struct Over<'a>(&'a AtomicBool);

    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let load = || {
            while !is_over.load(Ordering::Relaxed) {
                spin_loop();
            }
        };
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(load);
        }
        let _over = Over(&is_over);
        work();
    });
}
