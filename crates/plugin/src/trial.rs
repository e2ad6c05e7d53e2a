//! Work that may crash, hang or end the program, done in a process of its own without loss.
//!
//! That process is made by fork, so it has only the thread that made it, and what others have locked stays locked: trials belong
//! before there are threads. Its output goes to memory. It ends at once, without what was to run at the end of its parent.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, pidfd_open, set_parent_process_death_signal, setrlimit,
};
use rustix::stdio::{dup2_stderr, dup2_stdout};

/// Before an answer: whether something was printed until then.
const PRINTED: char = 'p';
const SILENT: char = '-';

/// After it: that the work which followed is done as well. No C string has it.
const DONE: char = '\0';

/// This much of what it said is repeated.
const MOST_LETTERS: usize = 200;

/// What became of it.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) end: End,
    /// What the work answered, where it came to that.
    pub(crate) answer: Option<Answer>,
    /// Whether it printed something to standard output.
    pub(crate) printed: bool,
    /// The first line that it wrote to standard error.
    pub(crate) said: Option<String>,
}

/// What comes back from a process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Whether something was printed before.
    pub(crate) printed: bool,
}

/// Where a process puts its answer, and what it prints.
#[derive(Debug)]
pub(crate) struct Outputs {
    answer: File,
    printed: File,
    said: File,
}

/// How its process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It answered, and all of its work is done.
    Done,
    /// Somebody else ended it, with this status.
    Exited(i32),
    /// It died.
    Died(Signal),
    /// It was killed when its time was up.
    Late,
}

impl Outputs {
    fn new() -> io::Result<Self> {
        let memory = |name| memfd_create(name, MemfdFlags::CLOEXEC).map(File::from);
        Ok(Self { answer: memory("answer")?, printed: memory("printed")?, said: memory("said")? })
    }

    /// Has standard output and standard error go there.
    fn take_over(&self) -> io::Result<()> {
        dup2_stdout(&self.printed)?;
        Ok(dup2_stderr(&self.said)?)
    }

    /// Answers, once. Work may go on afterwards.
    pub(crate) fn answer(&mut self, text: &str) {
        flush();
        let printed = self.printed.metadata().is_ok_and(|facts| facts.len() > 0);
        // An answer that is not there is none.
        let _ = write!(self.answer, "{}{text}", if printed { PRINTED } else { SILENT });
    }

    /// Says that all is done.
    fn finish(&mut self) {
        flush();
        let _ = write!(self.answer, "{DONE}");
    }

    /// What was answered, and whether all was done.
    fn answered(&mut self) -> io::Result<(Option<Answer>, bool)> {
        let text = text(&mut self.answer)?;
        let answer = |printed, text: &str| Answer { printed, text: text.trim_end_matches(DONE).to_owned() };
        let given = match (text.strip_prefix(SILENT), text.strip_prefix(PRINTED)) {
            (Some(text), _) => Some(answer(false, text)),
            (_, Some(text)) => Some(answer(true, text)),
            _ => None,
        };
        Ok((given, text.ends_with(DONE)))
    }
}

/// Does some work in a process of its own, whose answer comes back.
pub(crate) fn run(limit: Duration, work: impl FnOnce(&mut Outputs)) -> io::Result<Trial> {
    let mut outputs = Outputs::new()?;
    // SAFETY: by the promise above there are no other threads that could have locked what the child takes.
    let child = match unsafe { fork() }? {
        ForkResult::Child => {
            // Whoever waits for it may be killed. Dying is expected here, and leaves no core. Neither has to succeed.
            let _ = set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
            let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
            if outputs.take_over().is_ok() {
                work(&mut outputs);
                outputs.finish();
            }
            // SAFETY: it takes any status and does not return.
            unsafe { nix::libc::_exit(0) }
        }
        ForkResult::Parent { child } => child,
    };
    let has_ended = wait(child.as_raw(), limit);
    if !matches!(has_ended, Ok(true)) {
        // It may have ended meanwhile, which is as well.
        let _ = kill(child, Signal::SIGKILL);
    }
    let status = waitpid(child, None)?;
    let (answer, is_done) = outputs.answered()?;
    let end = match status {
        _ if !has_ended? => End::Late,
        WaitStatus::Exited(..) if is_done => End::Done,
        WaitStatus::Exited(_, status) => End::Exited(status),
        WaitStatus::Signaled(_, signal, _) => End::Died(signal),
        _ => return Err(io::Error::other("it has not ended")),
    };
    let said = text(&mut outputs.said)?.lines().map(str::trim).find(|line| !line.is_empty()).map(printable);
    Ok(Trial { end, answer, printed: outputs.printed.metadata()?.len() > 0, said })
}

/// Has the C library write what it keeps in buffers.
fn flush() {
    // SAFETY: without a stream it means all of them, which belong to the C library.
    unsafe { nix::libc::fflush(std::ptr::null_mut()) };
}

/// The beginning of what was written to a file.
fn text(file: &mut File) -> io::Result<String> {
    const MOST_BYTES: u64 = 1 << 16;
    let mut bytes = Vec::new();
    // The child moved the place of reading, which both have in common.
    file.rewind()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// As much of a line as a message may have of it, without what moves a terminal.
fn printable(line: &str) -> String {
    line.chars().take(MOST_LETTERS).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// Waits until a child has ended; whether it has in time.
fn wait(child: i32, limit: Duration) -> io::Result<bool> {
    let child = Pid::from_raw(child).ok_or_else(|| io::Error::other("no process"))?;
    let ends = pidfd_open(child, PidfdFlags::empty())?;
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&ends, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
