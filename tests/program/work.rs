//! A directory to work in, commands that run there, and what they left behind.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use hashlane_digest::Algorithm;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const HASHLANE: &str = env!("CARGO_BIN_EXE_hashlane");

/// Where no cache can be.
const NO_CACHE: &str = "/dev/null/none";

/// What the names of variables begin with that say how stores of objects are reached.
const STORES: [&str; 6] = ["AWS_", "AZURE_", "AZBLOB_", "GOOGLE_", "GCE_METADATA_", "STORAGE_EMULATOR_HOST"];

/// Somebody without any rights.
const NOBODY: u32 = 65534;

/// A directory of one test, removed at its end.
pub(crate) struct Dir(TempDir);

/// A command about to run.
pub(crate) struct Cmd {
    command: Command,
    input: Vec<u8>,
    stdin: Option<Stdio>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
}

/// What a command that ended has left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// A command that runs, its standard error read along.
pub(crate) struct Running {
    child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<ChildStderr>,
    said: Vec<u8>,
}

impl Dir {
    /// An empty directory that everybody may enter.
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        Self(dir)
    }

    /// The same, in memory where the system has a file system there: such runs wait for no disk.
    pub(crate) fn in_memory() -> Self {
        let dir = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        Self(dir)
    }

    /// The directory itself.
    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// The path of a name in it.
    pub(crate) fn path(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.root().join(OsStr::from_bytes(name.as_ref()))
    }

    /// Writes a file, and the directories above it.
    pub(crate) fn write(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// When the content of a file was last changed, by its own account.
    #[track_caller]
    pub(crate) fn modified(&self, name: impl AsRef<[u8]>) -> SystemTime {
        self.path(name).metadata().unwrap().modified().unwrap()
    }

    /// Sets the time of the last change of the content.
    #[track_caller]
    pub(crate) fn set_modified(&self, name: impl AsRef<[u8]>, time: SystemTime) -> &Self {
        File::options().write(true).open(self.path(name)).unwrap().set_modified(time).unwrap();
        self
    }

    /// Writes other bytes into a file that is there, and sets the time back.
    #[track_caller]
    pub(crate) fn corrupt(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> &Self {
        let modified = self.modified(&name);
        self.write(&name, content).set_modified(&name, modified)
    }

    /// Makes a directory, and those above it.
    pub(crate) fn make(&self, name: impl AsRef<[u8]>) -> &Self {
        fs::create_dir_all(self.path(name)).unwrap();
        self
    }

    /// Makes a symbolic link.
    pub(crate) fn link(&self, target: &str, name: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
        self
    }

    /// Makes a FIFO.
    pub(crate) fn fifo(&self, name: &str) -> PathBuf {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, self.path(name), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
        self.path(name)
    }

    /// The content of a file.
    #[track_caller]
    pub(crate) fn read(&self, name: impl AsRef<[u8]>) -> Vec<u8> {
        let content = fs::read(self.path(name)).unwrap();
        crate::schemas::hold(&content);
        content
    }

    /// The run that was kept in `run.json`.
    pub(crate) fn run_file(&self) -> Value {
        serde_json::from_slice(&self.read("run.json")).expect("a run file")
    }

    /// Whether a name is there.
    pub(crate) fn has(&self, name: impl AsRef<[u8]>) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// `hashlane` with arguments.
    pub(crate) fn hashlane<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Cmd {
        self.command(HASHLANE, arguments)
    }

    /// `hashlane` with arguments, and with a catalogue in this directory.
    pub(crate) fn keeper<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Cmd {
        let catalogue = self.path("catalog.sqlite");
        self.hashlane(arguments).env("HASHLANE_CATALOG", catalogue.to_str().expect("a plain name"))
    }

    /// Any program with arguments.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Cmd {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.root());
        command.env("LC_ALL", "C").env("TMPDIR", std::env::temp_dir()).env_remove("COLUMNS");
        // What was found out about this machine before says nothing here, and nothing is left behind.
        command.env("HASHLANE_CACHE", NO_CACHE);
        // Nor does how whoever runs the tests reaches stores of objects.
        for (name, _) in std::env::vars_os() {
            if STORES.iter().any(|begin| name.as_bytes().starts_with(begin.as_bytes())) {
                command.env_remove(name);
            }
        }
        // Nor does what whoever runs the tests keeps.
        command.env("HASHLANE_CATALOG", "/proc/no/catalogue").env_remove("HASHLANE_BACKUPS");
        // Nor who is told.
        command.env("HASHLANE_CONFIG", "");
        Cmd { command, input: Vec::new(), stdin: None, stdout: None, stderr: None }
    }

    /// A shell script, with `hashlane` as `$0`.
    pub(crate) fn shell(&self, script: &str) -> Cmd {
        self.command("bash", ["-c", script, HASHLANE])
    }
}

impl Cmd {
    /// What it reads from standard input; nothing if this is not called.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Chooses backends by itself, even where a whole run of the tests is for one of them.
    pub(crate) fn unforced(mut self) -> Self {
        self.command.env_remove("HASHLANE_BACKEND");
        self
    }

    /// Where its standard output goes, instead of to the test.
    pub(crate) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.stdout = Some(stdout.into());
        self
    }

    /// Where its standard input comes from, instead of from the test.
    pub(crate) fn stdin(mut self, stdin: impl Into<Stdio>) -> Self {
        self.stdin = Some(stdin.into());
        self
    }

    /// Where its messages go, instead of to the test.
    pub(crate) fn stderr(mut self, stderr: impl Into<Stdio>) -> Self {
        self.stderr = Some(stderr.into());
        self
    }

    /// A variable of its environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// One more argument.
    pub(crate) fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.args([argument])
    }

    /// More arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Runs `hashlane` without the rights of root, which would read what nobody may.
    pub(crate) fn without_rights(mut self) -> Self {
        if rustix::process::geteuid().is_root() {
            let mut command = Command::new(program_for_nobody());
            command.args(self.command.get_args()).current_dir(self.command.get_current_dir().unwrap());
            command.env("LC_ALL", "C").env("HASHLANE_CACHE", NO_CACHE).uid(NOBODY).gid(NOBODY);
            self.command = command;
        }
        self
    }

    /// Lets signals do to it what they do by default, also where whoever started the tests ignores them, as a shell does
    /// for what runs in the background.
    pub(crate) fn interruptible(mut self) -> Self {
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(self.command.get_program()).args(self.command.get_args());
        command.current_dir(self.command.get_current_dir().unwrap());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.command = command;
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ran {
        self.start().wait()
    }

    /// Runs it with a standard output that nobody reads.
    pub(crate) fn run_into_closed_pipe(self) -> Ran {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.stdout(writer).run()
    }

    /// Starts it.
    pub(crate) fn start(self) -> Running {
        let Self { mut command, input, stdin, stdout, stderr } = self;
        command.stdin(stdin.unwrap_or_else(Stdio::piped));
        command.stdout(stdout.unwrap_or_else(Stdio::piped));
        command.stderr(stderr.unwrap_or_else(Stdio::piped));
        let mut child = command.spawn().unwrap();
        drop(command);
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends early does not take it all.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        let stdout = child.stdout.take().map(|mut stdout| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                stdout.read_to_end(&mut bytes).unwrap();
                bytes
            })
        });
        let stderr = child.stderr.take();
        Running { child, stdout, stderr, said: Vec::new() }
    }
}

impl Running {
    /// Waits until it has said `text` on standard error.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |said| said.contains(text));
    }

    /// Waits until its progress says that a round is done.
    #[track_caller]
    pub(crate) fn wait_for_round(&mut self) {
        self.wait_for_some("rounds");
    }

    /// Waits until its progress says that some bytes are digested.
    #[track_caller]
    pub(crate) fn wait_for_bytes(&mut self) {
        self.wait_for_some("digested_bytes");
    }

    /// Waits until its progress has another number than 0 for this.
    #[track_caller]
    fn wait_for_some(&mut self, name: &str) {
        let number = |rest: &str| rest.split([',', '}']).next().and_then(|number| number.parse::<u64>().ok());
        let member = format!("\"{name}\":");
        self.wait_until(name, |said| said.split(&member).skip(1).filter_map(number).any(|number| number > 0));
    }

    #[track_caller]
    fn wait_until(&mut self, what: &str, is_said: impl Fn(&str) -> bool) {
        let mut buffer = [0; 4096];
        while !is_said(&String::from_utf8_lossy(&self.said)) {
            let count = self.stderr.as_mut().unwrap().read(&mut buffer).unwrap();
            assert!(count > 0, "it ended without {what:?}; it said: {}", String::from_utf8_lossy(&self.said));
            self.said.extend_from_slice(&buffer[..count]);
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Whether it runs a program of this name just now.
    pub(crate) fn has_child(&self, program: &str) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
        let children: Vec<_> =
            lists.flatten().flat_map(|list| list.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect();
        let name = |child: &String| fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default();
        children.iter().any(|child| name(child).trim_end() == program)
    }

    /// Waits for its end; after `limit` it is killed, and nothing is given.
    pub(crate) fn wait_within(self, limit: Duration) -> Option<Ran> {
        let process = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()).unwrap();
        let (ended, end) = mpsc::channel::<()>();
        let watchdog = thread::spawn(move || {
            let hangs = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            // It may have ended just now.
            hangs && pidfd_send_signal(process, Signal::KILL).is_ok()
        });
        let ran = self.wait();
        drop(ended);
        (!watchdog.join().unwrap()).then_some(ran)
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Ran {
        if let Some(mut stderr) = self.stderr.take() {
            stderr.read_to_end(&mut self.said).unwrap();
        }
        let stdout = self.stdout.take().map_or_else(Vec::new, |stdout| stdout.join().unwrap());
        let status = self.child.wait().unwrap();
        crate::schemas::hold(&stdout);
        crate::schemas::hold(&self.said);
        Ran { status, stdout, stderr: String::from_utf8(self.said).unwrap() }
    }
}

impl Ran {
    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        let Self { status, stdout, stderr } = &self;
        let stdout = stdout.escape_ascii();
        assert_eq!(status.code(), Some(expected), "{status}\nstdout: {stdout}\nstderr: {stderr}");
        self
    }

    /// Asserts that it died by a signal.
    #[track_caller]
    pub(crate) fn died_by(self, expected: Signal) -> Self {
        let died = self.status.signal();
        assert_eq!(died, Some(expected.as_raw()), "{}\nstderr: {}", self.status, self.stderr);
        self
    }

    /// Asserts what it wrote to standard output.
    #[track_caller]
    pub(crate) fn printed(self, expected: impl AsRef<[u8]>) -> Self {
        let (found, expected) = (self.stdout.escape_ascii(), expected.as_ref().escape_ascii());
        // Shown with a line for each line.
        let lines = |text: String| text.replace("\\n", "\n");
        let (found, expected) = (lines(found.to_string()), lines(expected.to_string()));
        assert!(found == expected, "printed:\n{found}\nexpected:\n{expected}\nstderr: {}", self.stderr);
        self
    }

    /// Asserts all its messages, as [`Ran::messages`] gives them.
    #[track_caller]
    pub(crate) fn said(self, expected: &[&str]) -> Self {
        assert_eq!(self.messages(), expected);
        self
    }

    /// Asserts that among its messages are some that begin so.
    #[track_caller]
    pub(crate) fn said_among_others(self, expected: &[&str]) -> Self {
        let messages = self.messages();
        for expected in expected {
            assert!(
                messages.iter().any(|message| message.starts_with(expected)),
                "{expected:?} in {messages:#?}"
            );
        }
        self
    }

    /// Its messages, without the program's name, and the summary without its times.
    pub(crate) fn messages(&self) -> Vec<String> {
        let message = |line: &str| {
            let line = line.strip_prefix("hashlane: ").unwrap_or_else(|| panic!("not ours: {line:?}"));
            let read = line.find("B) read in ").map(|end| end + "B) read".len());
            let summary = read.or_else(|| line.find("B) in ").map(|end| end + "B)".len()));
            line[..summary.unwrap_or(line.len())].to_owned()
        };
        self.stderr.lines().map(message).collect()
    }

    /// Lines of standard output.
    pub(crate) fn lines(&self) -> Vec<&[u8]> {
        self.stdout.split_inclusive(|&byte| byte == b'\n').collect()
    }

    /// Lines of standard output, each with an object of JSON; empty ones are left out.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let lines = self.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }
}

/// The program at a place that everybody may reach.
fn program_for_nobody() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let public = Path::new(HASHLANE)
            .ancestors()
            .skip(1)
            .all(|above| fs::metadata(above).is_ok_and(|facts| facts.permissions().mode() & 0o001 != 0));
        if public {
            return HASHLANE.into();
        }
        // Statics are never dropped: the copy is made again under the same name, and replaced as a whole.
        let program = std::env::temp_dir().join("hashlane-test-program");
        let mut fresh = tempfile::NamedTempFile::new().unwrap();
        std::io::copy(&mut File::open(HASHLANE).unwrap(), &mut fresh).unwrap();
        fs::set_permissions(fresh.path(), Permissions::from_mode(0o755)).unwrap();
        fresh.persist(&program).unwrap();
        program
    })
}

/// The digest of some bytes, as a manifest has it.
pub(crate) fn digest(algorithm: &str, content: impl AsRef<[u8]>) -> String {
    Algorithm::named(algorithm).unwrap().digest(content.as_ref()).to_string()
}

/// GNU lines with SHA-256 of files that need no escapes, from names and contents.
pub(crate) fn gnu(files: &[(&str, &str)]) -> String {
    files.iter().map(|(name, content)| format!("{}  {name}\n", digest("sha256", content))).collect()
}

/// Whether a program is there; says so if not.
pub(crate) fn have(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    needs(found.status.success(), program)
}

/// Whether mounts can be made in a mount namespace of their own; says so if not.
pub(crate) fn have_mounts() -> bool {
    let mount = "mount -t tmpfs -o size=64k none /mnt";
    let tried = Command::new("unshare").args(["--mount", "sh", "-c", mount]).output();
    needs(tried.is_ok_and(|tried| tried.status.success()), "the right to mount a tmpfs")
}

/// What a measurement printed, all figures in it being numbers.
pub(crate) fn printed(ran: &Ran) -> String {
    let text = String::from_utf8(ran.stdout.clone()).expect("text");
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        assert!(!["inf", "nan", "NaN"].contains(&word), "{text}");
    }
    text
}

/// Whether something is there that a test needs; says so if not.
pub(crate) fn needs(there: bool, what: &str) -> bool {
    if !there {
        let fail = std::env::var_os("HASHLANE_SKIPS_FAIL").is_some_and(|flag| flag == "1");
        assert!(!fail, "needs {what}");
        println!("SKIPPED: needs {what}");
    }
    there
}

/// Arguments, some of them not UTF-8.
pub(crate) fn bytes(argument: &[u8]) -> OsString {
    OsStr::from_bytes(argument).to_owned()
}
