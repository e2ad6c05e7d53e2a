//! Little memory, small stacks, few threads: an error in words or a slower run, and never an end by a signal.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::time::Duration;

use crate::work::{Cmd, Dir, HASHLANE, Ran, gnu};

/// Commands that print the same each time.
const COMMANDS: &[&str] = &[
    "sum -q tree",
    "sum -q -a md5,sha1,sha256,sha512,blake3 tree",
    "sum -q -a blake3,xxh3 tree/big",
    "sum -q -j 16 tree",
    "sum -q --engine direct tree",
    "sum -q --engine mmap tree",
    "sum -q --engine uring tree",
    "check -q SHA256SUMS",
    "diff -q SHA256SUMS SHA256SUMS",
    "diff -q SHA256SUMS tree",
    "known build -q -o new.known SHA256SUMS",
    "known lookup seen.known DIGEST",
    "convert -q --manifest-format jsonl SHA256SUMS -",
    "as sha256sum tree/big tree/1",
    "as b3sum tree/big tree/1",
    "as md5deep -r tree",
];

/// Commands that take 32 MiB and more where they may. They print the same each time too.
const MUCH: &[&str] = &[
    "sum -q -j 16 much",
    "sum -q -j 16 --engine direct much",
    "sum -q -j 16 -a md5,sha256,sha512,blake2b,sha3-256,sm3 much",
    "diff -q many.sha256 other.sha256",
    "known build -q -o new.known --memory 256MiB many.sha256",
];

/// Commands that measure. They take long: a few limits of each kind are enough.
const SLOW: &[&str] =
    &["bench speed --quick --budget 1s --no-save -a md5 --size 1KiB", "bench --quick --budget 1s --no-save"];

/// The least address space in which the program starts: its code lies there too, and without optimisation that is twice as much.
static LEAST_MEBIBYTES: LazyLock<u64> = LazyLock::new(|| {
    let starts = |&mebibytes: &u64| {
        let script = format!("ulimit -v {}; exec \"$0\" --version", mebibytes << 10);
        Dir::new().shell(&script).run().status.success()
    };
    (8..1024).step_by(4).find(starts).expect("a gibibyte is enough to start")
});

/// A directory to work in, and what commands do there without a limit.
struct Scene {
    dir: Dir,
    free: HashMap<&'static str, (i32, Vec<u8>)>,
    runs: usize,
    well: usize,
}

/// Files of all sizes that are treated each in its way.
fn tree() -> Dir {
    let dir = Dir::new();
    let bytes = |length: usize| (0..length).map(|at| (at / 7 * 31 + at) as u8).collect::<Vec<_>>();
    for number in 0..150 {
        dir.write(format!("tree/{number}"), bytes(number * 701));
    }
    dir.write("tree/middle", bytes(3 << 20)).write("tree/big", bytes(33 << 20));
    fs::set_permissions(dir.root(), Permissions::from_mode(0o777)).unwrap();
    let sums = dir.hashlane(["sum", "-q", "tree"]).run().code(0).stdout;
    dir.write("SHA256SUMS", &sums);
    dir.hashlane(["known", "build", "-q", "-o", "seen.known", "SHA256SUMS"]).run().code(0);
    dir
}

/// The words of a command.
fn words(command: &str) -> Vec<String> {
    let digest = gnu(&[("1", "")])[..64].to_owned();
    command.split(' ').map(|word| if word == "DIGEST" { digest.clone() } else { word.to_owned() }).collect()
}

/// How a command ends without a limit, and what it prints.
fn free(dir: &Dir, command: &'static str) -> (&'static str, (i32, Vec<u8>)) {
    let ran = dir.hashlane(words(command)).run();
    let code = ran.status.code().unwrap();
    assert!(code < 64, "{command}: {}", ran.stderr);
    (command, (code, ran.stdout))
}

impl Scene {
    fn new() -> Self {
        let dir = tree();
        let free = COMMANDS.iter().map(|&command| free(&dir, command)).collect();
        fs::remove_file(dir.path("new.known")).unwrap();
        Self { dir, free, runs: 0, well: 0 }
    }

    /// Adds what [`MUCH`] is of.
    fn add_much(&mut self) {
        for number in 0..300 {
            self.dir.write(format!("much/{number}"), vec![number as u8; 200_000]);
        }
        // In no order that would spare the sort.
        let row = |number: usize| format!("{:064x}  {}/of the name\n", number * 7, number * 7919 % 300_000);
        let rows: String = (0..300_000).map(row).collect();
        self.dir.write("many.sha256", &rows).write("other.sha256", &rows);
        self.free.extend(MUCH.iter().map(|&command| free(&self.dir, command)));
        let _ = fs::remove_file(self.dir.path("new.known"));
    }

    /// Runs commands with a limit. Each ends as it does without, or says why not; none by a signal, and none never.
    fn judge(&mut self, commands: &[&'static str], limit: &str, limited: impl Fn(&Dir) -> Cmd) {
        for command in commands {
            let ran = limited(&self.dir).args(words(command)).start().wait_within(Duration::from_secs(120));
            let Some(Ran { status, stdout, stderr }) = ran else { panic!("{limit}: {command}: hangs") };
            let shown = format!("{limit}: {command}: {status}: {stderr}");
            // A shell adds the signal to 128, which is a code of md5deep.
            let code = status.code().filter(|&code| code <= 128);
            assert!(code.is_some() && !stderr.contains("panicked"), "{shown}");
            self.runs += 1;
            match self.free.get(command) {
                Some((expected, printed)) if code == Some(*expected) => {
                    assert!(stdout == *printed, "{shown}")
                }
                None if code == Some(0) => {}
                _ => {
                    assert!(code != Some(0) && !stderr.is_empty(), "{shown}");
                    continue;
                }
            }
            self.well += 1;
            if command.starts_with("known build") {
                let is_same = self.dir.read("new.known") == self.dir.read("seen.known");
                assert!(is_same || command.contains("many"), "{shown}");
                fs::remove_file(self.dir.path("new.known")).unwrap();
            }
        }
    }

    fn print(&self, what: &str) {
        println!("{} runs with {what}, {} of them ended well and none by a signal", self.runs, self.well);
    }
}

#[test]
fn little_address_space_gives_an_error_or_the_same_result() {
    let mut scene = Scene::new();
    for more_mebibytes in [4, 16, 48, 80, 208, 976] {
        let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", (*LEAST_MEBIBYTES + more_mebibytes) << 10);
        scene.judge(COMMANDS, &script, |dir| dir.shell(&script));
        if more_mebibytes == 48 {
            scene.judge(SLOW, &script, |dir| dir.shell(&script));
        }
    }
    scene.print("little address space");
    // A limit that leaves room enough does not hinder.
    let script = format!("ulimit -v {}; exec \"$0\" sum -q tree", (*LEAST_MEBIBYTES + 976) << 10);
    scene.dir.shell(&script).run().code(0).printed(scene.dir.read("SHA256SUMS"));
}

#[test]
fn a_program_that_is_played_says_in_its_own_name_that_memory_is_lacking() {
    let dir = tree();
    // What is known is held, and this is more than a small process may have.
    let rows: String = (0..300_000).map(|number| format!("{number:032x}  {number}\n")).collect();
    dir.write("known", rows);
    let mut seen = BTreeSet::new();
    for command in [
        "sha256sum tree/middle",
        "b2sum tree/middle",
        "b3sum tree/middle",
        "xxhsum tree/middle",
        "hashdeep tree/middle",
        "md5deep tree/middle",
        "md5deep -m known tree/1",
        "md5deep -x known tree/1",
    ] {
        let (program, _) = command.split_once(' ').unwrap();
        let free = dir.shell(&format!("exec \"$0\" as {command}")).run();
        let free = (free.status.code(), free.stdout, free.stderr);
        for mebibytes in (LEAST_MEBIBYTES.saturating_sub(36)..=*LEAST_MEBIBYTES + 12).step_by(8) {
            let script = format!("ulimit -v {}; exec \"$0\" as {command}", mebibytes << 10);
            let Ran { status, stdout, stderr } = dir.shell(&script).run();
            let shown = format!("{script}: {status}: {stderr}");
            match status.code() {
                _ if (status.code(), &stdout, &stderr) == (free.0, &free.1, &free.2) => {}
                // The system or its loader has no room for any program.
                None if stderr.is_empty() => {}
                Some(127) if stderr.contains("error while loading shared libraries") => {}
                // Nor has it room for its arguments, by which it knows what it plays.
                Some(70)
                    if mebibytes + 28 <= *LEAST_MEBIBYTES
                        && stderr.starts_with("hashlane: out of memory: ") => {}
                code => {
                    assert_eq!(code, Some(1), "{shown}");
                    let why = stderr.strip_prefix(&format!("{program}: ")).expect(&shown);
                    seen.insert(why.trim_end().to_owned());
                }
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.contains("memory exhausted"), "{seen:?}");
}

#[test]
fn a_small_stack_is_enough_for_everything() {
    let mut scene = Scene::new();
    for kibibytes in [64, 256, 1024] {
        let script = format!("ulimit -s {kibibytes}; exec \"$0\" \"$@\"");
        scene.judge(COMMANDS, &script, |dir| dir.shell(&script));
        if kibibytes == 64 {
            scene.judge(SLOW, &script, |dir| dir.shell(&script));
        }
    }
    scene.print("a small stack");
    assert_eq!(scene.well, scene.runs);
}

#[test]
fn few_threads_give_an_error_or_the_same_result() {
    let mut scene = Scene::new();
    fs::copy(HASHLANE, scene.dir.path("hashlane")).unwrap();
    // Nobody else runs as this one, and root may start as many as it likes.
    let somebody = match rustix::process::geteuid().is_root() {
        true => format!("--reuid {} --clear-groups", 3_000_000 + process::id()),
        false => String::new(),
    };
    for threads in [1, 2, 3, 4, 6, 12] {
        let script = format!("exec setpriv {somebody} prlimit --nproc={threads} ./hashlane \"$@\"");
        scene.judge(COMMANDS, &script, |dir| dir.shell(&script));
        if threads == 2 {
            scene.judge(SLOW, &script, |dir| dir.shell(&script));
        }
    }
    scene.print("few threads");
}

#[test]
fn where_a_run_cannot_start_its_threads_all_commands_name_the_way_out() {
    let dir = tree();
    fs::copy(HASHLANE, dir.path("hashlane")).unwrap();
    let somebody = match rustix::process::geteuid().is_root() {
        true => format!("--reuid {} --clear-groups", 4_000_000 + process::id()),
        false => String::new(),
    };
    let commands = [
        "sum -q -j 4 tree",
        "check -q -j 4 SHA256SUMS",
        "check --audit -q -j 4 --root tree SHA256SUMS",
        "convert -q -j 4 --add md5 SHA256SUMS -",
    ];
    for command in commands {
        let refused = (1..=6).any(|threads| {
            let script = format!("exec setpriv {somebody} prlimit --nproc={threads} ./hashlane \"$@\"");
            let ran = dir.shell(&script).args(words(command)).run();
            ran.stderr.contains("cannot start a thread: ") && ran.stderr.contains("; lower --jobs")
        });
        assert!(refused, "{command}");
    }
}

/// A cgroup of its own for a test, removed at its end.
struct Cgroup(PathBuf);

impl Cgroup {
    /// One that may have `bytes` bytes; `None` where none can be made.
    fn of(bytes: u64) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        groups.lines().find_map(|line| {
            let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
            let (mount, file) = match controllers {
                "" => (PathBuf::from("/sys/fs/cgroup"), "memory.max"),
                "memory" => (PathBuf::from("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
                _ => return None,
            };
            // In a group that has processes the second version makes no groups with limits.
            let above = Path::new(group.trim_start_matches('/')).ancestors();
            above.map(|group| mount.join(group)).find_map(|group| Self::below(&group, file, bytes))
        })
    }

    fn below(above: &Path, file: &str, bytes: u64) -> Option<Self> {
        let path = above.join(format!("hashlane-test-{}", process::id()));
        fs::create_dir(&path).ok()?;
        let made = Self(path);
        // What is not a controller here has no such file.
        let is_limited =
            made.0.join(file).exists() && fs::write(made.0.join(file), bytes.to_string()).is_ok();
        (is_limited && made.command(&Dir::new(), "true").run().status.success()).then_some(made)
    }

    /// A script that runs in it.
    fn command(&self, dir: &Dir, script: &str) -> Cmd {
        dir.shell(&format!("echo $$ > {}/cgroup.procs && {script}", self.0.display()))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // The last of its processes has been waited for.
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_cgroup_of_little_memory_gives_an_error_or_the_same_result() {
    let Some(group) = Cgroup::of(32 << 20) else {
        println!("LEFT OUT: no cgroup with a limit of memory can be made here");
        return;
    };
    let mut scene = Scene::new();
    scene.add_much();
    let limited = |dir: &Dir| group.command(dir, "exec \"$0\" \"$@\"");
    scene.judge(COMMANDS, "a cgroup of 32 MiB", limited);
    scene.judge(MUCH, "a cgroup of 32 MiB", limited);
    assert_eq!(scene.well, scene.runs, "32 MiB are enough for all but measurements");
    scene.judge(SLOW, "a cgroup of 32 MiB", limited);
    scene.print("a cgroup of 32 MiB");
}
