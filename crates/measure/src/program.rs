//! Programs of others: what is known of them, how they are run, what they print.

use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_digest::Algorithm;
use object::{Object as _, ObjectSection as _};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ProgramError;
use crate::sampler::{NotPossible, Stopper};

/// What of its output is looked at. Who prints more has said by then what it has to say.
const MOST_OUTPUT: usize = 1 << 20;

/// A program as it was run, and what its file tells of how it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramFacts {
    /// What it is called in cells.
    pub name: String,
    /// Its arguments, the program first.
    pub command: Vec<String>,
    /// What made it, run by a shell before anything was timed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub setup: Option<String>,
    /// Where it was made and run, if not where the study was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub directory: Option<String>,
    /// Its file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// SHA-256 of its file, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
    /// Compilers that say in it that they have made a part of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compilers: Vec<String>,
    /// Options of the compiler, where they were recorded: gcc does with `-frecord-gcc-switches`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub flags: Vec<String>,
}

impl ProgramFacts {
    /// Adds what the file of its command says. What cannot be found out stays absent: a script has no compiler.
    pub fn look(&mut self) {
        let directory = self.directory.as_ref().map(PathBuf::from);
        let Some(path) = self.command.first().and_then(|name| find(name, directory.as_deref())) else {
            return;
        };
        self.file = Some(path.to_string_lossy().into_owned());
        let Ok(content) = std::fs::read(&path) else { return };
        let sha256 = Algorithm::SHA256;
        self.sha256 = Some(sha256.digest(&content).to_string());
        let Ok(file) = object::File::parse(content.as_slice()) else { return };
        self.compilers = texts(&file, ".comment");
        self.flags = texts(&file, ".GCC.command.line");
    }
}

/// The texts of a section, each once.
fn texts(file: &object::File<'_>, section: &str) -> Vec<String> {
    let data = file.section_by_name(section).and_then(|section| section.data().ok()).unwrap_or_default();
    let mut texts: Vec<String> = Vec::new();
    for text in data.split(|&byte| byte == 0).filter(|text| !text.is_empty()) {
        let text = String::from_utf8_lossy(text).into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The file of a program: as it is named if it has a slash, else where PATH has it.
fn find(name: &str, directory: Option<&Path>) -> Option<PathBuf> {
    if name.contains('/') {
        let path = directory.map_or_else(|| PathBuf::from(name), |directory| directory.join(name));
        return std::fs::canonicalize(path).ok();
    }
    let path = std::env::var_os("PATH")?;
    let there = std::env::split_paths(&path).map(|place| place.join(name)).find(|path| path.is_file())?;
    std::fs::canonicalize(there).ok()
}

/// Which line of a program's complaints says why it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Of most programs.
    First,
    /// Of what runs others one after the other, and warns as it goes: make, a build.
    Last,
}

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// How.
    pub(crate) status: ExitStatus,
    /// The beginning of what it printed.
    pub(crate) stdout: Vec<u8>,
    /// The beginning of what it complained of.
    pub(crate) stderr: Vec<u8>,
}

impl Ended {
    /// Whether it has done its work.
    ///
    /// # Errors
    /// How it ended otherwise, with the first line of what it complained of: what follows is advice.
    pub(crate) fn success(&self) -> Result<(), ProgramError> {
        self.success_by(Line::First)
    }

    /// The same with the line that says most.
    ///
    /// # Errors
    /// How it ended otherwise, with that line of what it complained of.
    pub(crate) fn success_by(&self, line: Line) -> Result<(), ProgramError> {
        if self.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&self.stderr);
        let mut lines = said.lines().filter(|line| !line.trim().is_empty());
        let told = match line {
            Line::First => lines.next(),
            Line::Last => lines.next_back(),
        };
        Err(ProgramError::Failed { status: self.status, said: told.map(|line| line.trim().to_owned()) })
    }
}

/// How long a program may run.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// What takes longer is killed.
    pub(crate) limit: Duration,
    /// So is what somebody wants to stop.
    pub(crate) stopper: Stopper,
}

/// Runs a program to its end, without input, and takes what it prints. One that goes beyond its bounds is killed, with what
/// it has started itself: it has a process group of its own, and what would be left of it would disturb all that is measured
/// after it. Of Ctrl-C it hears nothing, and is killed when this process is.
///
/// # Errors
/// It cannot be started, does not end in time, or was stopped.
pub(crate) fn run(command: &mut Command, bounds: &Bounds) -> Result<Ended, ProgramError> {
    run_into(command, Stdio::piped(), bounds)
}

/// The same with an output that goes elsewhere, if it is not a pipe.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_into(command: &mut Command, stdout: Stdio, bounds: &Bounds) -> Result<Ended, ProgramError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |what: &'static str, error: io::Error| ProgramError::Process {
        program: program.clone(),
        what,
        source: Arc::new(error),
    };
    command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).process_group(0);
    // Nothing is begun that is not wanted any more.
    bounds.stopper.check().map_err(ProgramError::Stopped)?;
    let mut child = command.spawn().map_err(|error| failed("cannot be started", error))?;
    let mut output = Stream::new(child.stdout.take());
    let mut complaints = Stream::new(child.stderr.take());
    let watched = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())
        .map_err(io::Error::from)
        .map_err(|error| failed("cannot be watched", error))
        .and_then(|ends| match follow(&ends, &mut output, &mut complaints, bounds) {
            Ok(Followed::ToItsEnd) => Ok(()),
            Ok(Followed::TooLong) => {
                Err(ProgramError::TooLong { program: program.clone(), limit: bounds.limit })
            }
            Ok(Followed::Stopped(how)) => Err(ProgramError::Stopped(how)),
            Err(error) => Err(failed("cannot be watched", error)),
        });
    watched.inspect_err(|_| kill(&mut child))?;
    let status = child.wait().map_err(|error| failed("cannot be waited for", error))?;
    Ok(Ended { status, stdout: output.taken, stderr: complaints.taken })
}

fn kill(child: &mut Child) {
    // It may have ended meanwhile, which is as well; nobody has waited for it, so that its number is still its own.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

/// How far a program was followed.
enum Followed {
    ToItsEnd,
    TooLong,
    Stopped(NotPossible),
}

/// How often it is asked whether somebody wants to stop. What runs for less is not disturbed.
const TICK: Duration = Duration::from_millis(100);

/// Takes what a program prints until it ends, whoever else has its pipes.
fn follow(
    ends: &impl AsFd,
    output: &mut Stream<impl Read + AsFd>,
    complaints: &mut Stream<impl Read + AsFd>,
    bounds: &Bounds,
) -> io::Result<Followed> {
    let deadline = Instant::now().checked_add(bounds.limit);
    output.do_not_wait()?;
    complaints.do_not_wait()?;
    loop {
        if let Err(how) = bounds.stopper.check() {
            return Ok(Followed::Stopped(how));
        }
        let left = deadline.map_or(TICK, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Ok(Followed::TooLong);
        }
        let left = left.min(TICK);
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        let has_ended = {
            let mut watched = vec![PollFd::new(ends, PollFlags::IN)];
            watched.extend(output.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            watched.extend(complaints.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            match poll(&mut watched, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            watched[0].revents().contains(PollFlags::IN)
        };
        output.take()?;
        complaints.take()?;
        if has_ended {
            return Ok(Followed::ToItsEnd);
        }
    }
}

/// One of a program's outputs.
struct Stream<P> {
    /// Until its end; none if it goes elsewhere.
    pipe: Option<P>,
    taken: Vec<u8>,
}

impl<P: Read + AsFd> Stream<P> {
    fn new(pipe: Option<P>) -> Self {
        Self { pipe, taken: Vec::new() }
    }

    fn do_not_wait(&self) -> io::Result<()> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
    }

    /// Takes what is there.
    fn take(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    let kept = length.min(MOST_OUTPUT - self.taken.len());
                    self.taken.extend_from_slice(&buffer[..kept]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(limit: Duration) -> Bounds {
        Bounds { limit, stopper: Stopper::default() }
    }

    fn shell(script: &str, limit: Duration) -> Result<Ended, ProgramError> {
        run(Command::new("sh").args(["-c", script]), &within(limit))
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_a_program_prints_is_taken_however_much_it_is() {
        let ended = shell("head -c 3000000 /dev/zero; echo oh >&2", LONG).expect("it ends");
        assert_eq!((ended.stdout.len(), ended.stderr.as_slice()), (MOST_OUTPUT, &b"oh\n"[..]));
        ended.success().expect("it did its work");
    }

    #[test]
    fn a_program_that_fails_says_how() {
        let ended =
            shell("echo what; echo first >&2; echo second >&2; echo >&2; exit 3", LONG).expect("it ends");
        let said = ended.success().expect_err("it failed").to_string();
        assert_eq!(said, "ended with exit status: 3: first");
        let said = ended.success_by(Line::Last).expect_err("it failed").to_string();
        assert_eq!(said, "ended with exit status: 3: second");
        let ended = shell("kill -9 $$", LONG).expect("it ends");
        assert!(ended.success().expect_err("it was killed").to_string().contains("signal: 9"));
        let error = run(&mut Command::new("/nowhere/x"), &within(LONG)).expect_err("it is not there");
        assert!(error.to_string().starts_with("/nowhere/x: cannot be started: "), "{error}");
    }

    #[test]
    fn a_program_that_hangs_is_killed() {
        let error = shell("sleep 600", Duration::from_millis(50)).expect_err("it does not end");
        assert_eq!(error.to_string(), "sh: does not end within 0 s");
    }

    #[test]
    fn what_a_program_has_started_is_killed_with_it() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let begun = directory.path().join("begun");
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $! >begun.new; mv begun.new begun; wait"]);
        command.current_dir(&directory);
        let has_begun = begun.clone();
        let bounds = Bounds { limit: LONG, stopper: Stopper::new(move || has_begun.exists()) };
        assert_eq!(run(&mut command, &bounds).expect_err("it was stopped").to_string(), "it was stopped");
        let pid = std::fs::read_to_string(&begun).expect("it has begun").trim().parse().expect("a number");
        // Whoever has taken it over may not have waited for it yet: it is a process, and has ended.
        match pidfd_open(Pid::from_raw(pid).expect("a process"), PidfdFlags::empty()) {
            Err(error) => assert_eq!(error, rustix::io::Errno::SRCH),
            Ok(ends) => {
                let timeout = Timespec { tv_sec: 60, tv_nsec: 0 };
                let ended = poll(&mut [PollFd::new(&ends, PollFlags::IN)], Some(&timeout));
                assert_eq!(ended.expect("it can be watched"), 1);
            }
        }
    }

    #[test]
    fn a_program_that_is_not_wanted_any_more_is_killed_or_not_begun() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let begun = directory.path().join("begun");
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ >begun.new; mv begun.new begun; exec sleep 600"]);
        command.current_dir(&directory);
        let has_begun = begun.clone();
        let bounds = Bounds { limit: LONG, stopper: Stopper::new(move || has_begun.exists()) };
        assert_eq!(run(&mut command, &bounds).expect_err("it was stopped").to_string(), "it was stopped");
        let pid = std::fs::read_to_string(&begun).expect("it has begun").trim().parse().expect("a number");
        let gone = pidfd_open(Pid::from_raw(pid).expect("a process"), PidfdFlags::empty());
        assert_eq!(gone.err(), Some(rustix::io::Errno::SRCH));
        // It would write its number once more.
        std::fs::write(&begun, "").expect("it is ours");
        assert_eq!(run(&mut command, &bounds).expect_err("it was stopped").to_string(), "it was stopped");
        assert_eq!(std::fs::read(&begun).expect("it is there"), b"");
    }

    #[test]
    fn what_a_program_leaves_running_is_not_waited_for() {
        // The one that is left has the pipes.
        let ended = shell("sleep 600 & echo $!", LONG).expect("the shell ends");
        let left: i32 = String::from_utf8_lossy(&ended.stdout).trim().parse().expect("a number");
        let left = Pid::from_raw(left).expect("a process");
        rustix::process::kill_process(left, rustix::process::Signal::KILL).expect("it runs");
    }

    #[test]
    fn a_program_is_known_by_its_file() {
        let mut facts = ProgramFacts { command: vec!["sh".into()], ..ProgramFacts::default() };
        facts.look();
        assert!(facts.file.as_deref().is_some_and(|file| file.starts_with('/')), "{facts:?}");
        assert_eq!(facts.sha256.map(|digest| digest.len()), Some(64));
        let mut nothing = ProgramFacts { command: vec!["no such program".into()], ..ProgramFacts::default() };
        nothing.look();
        assert_eq!((nothing.file, nothing.sha256), (None, None));
    }
}
