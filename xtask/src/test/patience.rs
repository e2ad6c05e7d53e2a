//! Ends a run of tests from which nothing more is heard: a test that waits for ever must end as a failure, and the other steps have
//! their turn.

use std::fs;
use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Longer than a build lasts before its first test, and longer than any test.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Who waits for a process. No longer, once this is dropped.
pub(super) struct Patience(Sender<()>);

impl Patience {
    pub(super) fn with(child: &Child) -> Self {
        Self::lasting(PATIENCE, child)
    }

    fn lasting(time: Duration, child: &Child) -> Self {
        let (heard, hears) = mpsc::channel();
        let id = child.id();
        thread::spawn(move || {
            loop {
                match hears.recv_timeout(time) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        eprintln!(
                            "error: nothing was heard of the tests for {} s; they are killed",
                            time.as_secs()
                        );
                        return kill(id);
                    }
                }
            }
        });
        Self(heard)
    }

    /// Something was heard of it.
    pub(super) fn renew(&self) {
        // Once it has been killed nobody listens, and its last lines are still read.
        let _ = self.0.send(());
    }
}

/// Kills a process and all that it has started: any of them may hold the output open.
fn kill(id: u32) {
    let mut family = vec![id];
    let mut next = 0;
    while let Some(&id) = family.get(next) {
        let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
        for children in threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok()) {
            family.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
        next += 1;
    }
    for pid in family.into_iter().filter_map(|id| Pid::from_raw(id.cast_signed())) {
        // It may have ended by itself meanwhile.
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_is_silent_is_killed_with_all_that_it_has_started() {
        let mut child = Command::new("sh")
            .args(["-c", "(sleep 1000; echo never) & echo once; sleep 1000"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut output = child.stdout.take().expect("it is a pipe");
        let patience = Patience::lasting(Duration::from_millis(300), &child);
        patience.renew();
        let mut said = String::new();
        // Ends when nobody holds the pipe any more.
        output.read_to_string(&mut said).expect("text");
        assert_eq!(said, "once\n");
        assert!(!child.wait().expect("a child").success());
    }

    #[test]
    fn what_is_heard_of_is_left_alone() {
        let mut child = Command::new("sleep").arg("1").spawn().expect("sleep");
        let patience = Patience::lasting(Duration::from_secs(100), &child);
        patience.renew();
        assert!(child.wait().expect("a child").success());
    }
}
