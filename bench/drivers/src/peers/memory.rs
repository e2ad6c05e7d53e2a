//! Memory of other processes while they run, and of this one.
//!
//! All mapped pages count: files that are mapped, shared libraries in every process that has them.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time between two looks. A look at a tree of four processes takes about 0.1 ms, so the program keeps its cores.
const PAUSE: Duration = Duration::from_millis(10);

/// Fewer looks than these may all have come too early.
const LOOKS: u32 = 5;

/// Looks at a process and its descendants until stopped.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Option<u64>>,
}

impl Watch {
    /// Starts looking.
    pub(crate) fn start(process: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let (mut peak, mut looks) = (0, 0);
            while !stopped.load(Ordering::Relaxed) {
                peak = peak.max(tree_bytes(process));
                looks += 1;
                thread::sleep(PAUSE);
            }
            (looks >= LOOKS).then_some(peak)
        });
        Self { stop, thread }
    }

    /// The peak that was seen; none if the program was gone too soon.
    pub(crate) fn stop(self) -> Option<u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().ok().flatten().filter(|peak| *peak > 0)
    }
}

/// Forgets the peak of this process and returns the new one.
///
/// The kernel counts the memory of the process that starts a program towards the program's own peak, so what a
/// program's peak says below this figure is nothing about the program.
pub(crate) fn reset_own_peak() -> u64 {
    // The kernel's documented way to reset VmHWM; without the permission the older peak stands, which is larger.
    let _ = fs::write("/proc/self/clear_refs", "5");
    status_bytes("self", "VmHWM:").unwrap_or(u64::MAX)
}

/// Memory of a process and all its descendants now: the sum, or the highest past peak of one of them if that is more.
fn tree_bytes(process: u32) -> u64 {
    let (mut sum, mut highest) = (0, 0);
    let mut waiting = vec![process];
    while let Some(process) = waiting.pop() {
        let name = process.to_string();
        sum += status_bytes(&name, "VmRSS:").unwrap_or(0);
        highest = highest.max(status_bytes(&name, "VmHWM:").unwrap_or(0));
        waiting.extend(children(process));
    }
    sum.max(highest)
}

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn status_bytes(process: &str, key: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(key))?;
    Some(value.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn only_child(process: u32) -> u32 {
        (0..500)
            .find_map(|_| {
                thread::sleep(PAUSE);
                children(process).first().copied()
            })
            .expect("the shell starts its command")
    }

    #[test]
    fn a_tree_holds_its_grandchildren() {
        let script = ["-c", "sh -c 'cat; :'; :"];
        let mut shell =
            Command::new("sh").args(script).stdin(Stdio::piped()).spawn().expect("the shell works");
        let child = only_child(shell.id());
        let grandchild = only_child(child);
        assert!(tree_bytes(shell.id()) >= tree_bytes(child));
        assert!(tree_bytes(child) >= tree_bytes(grandchild));
        assert!(tree_bytes(grandchild) > 0);
        drop(shell.stdin.take());
        shell.wait().expect("the shell ends");
    }

    #[test]
    fn the_own_peak_is_known() {
        assert!((1..1 << 40).contains(&reset_own_peak()));
    }
}
