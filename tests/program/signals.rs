//! Ctrl-C once and twice, and its kin: what was finished is kept, and the process dies by the signal.

use std::fs::File;
use std::io::Write as _;

use rustix::process::Signal;

use crate::work::{Dir, HASHLANE, Running, gnu};

const STOPPING: &str =
    "stopping: files that can be finished within 2 seconds are finished; interrupt again to stop at once";

/// A run that has done two files and waits for more names, and what keeps it waiting.
fn waiting(dir: &Dir, arguments: &[&str]) -> (Running, File) {
    dir.write("a", "1").write("b", "2");
    let list = dir.fifo("list");
    let run = dir.hashlane(["sum", "--files0-from", "list", "--progress=json"]).args(arguments);
    let mut run = run.interruptible().start();
    let mut names = File::options().write(true).open(list).unwrap();
    names.write_all(b"a\0b\0").unwrap();
    run.wait_for("\"files_done\":2,");
    (run, names)
}

fn messages_of_ours(stderr: &str) -> Vec<&str> {
    stderr.lines().filter_map(|line| line.strip_prefix("hashlane: ")).collect()
}

#[test]
fn the_first_signal_keeps_what_was_finished_and_then_dies_by_it() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let dir = Dir::new();
        let (run, names) = waiting(&dir, &["-o", "out"]);
        run.signal(signal);
        let ran = run.wait().died_by(signal);
        drop(names);
        let messages = messages_of_ours(&ran.stderr);
        assert_eq!(messages[..2], [STOPPING, "finished results are in out.partial"], "{}", ran.stderr);
        assert!(messages[2].starts_with("stopped after "), "{}", ran.stderr);
        let ended = ": 2 files finished, 0 found but not finished, others not searched for";
        assert!(messages[2].ends_with(ended), "{}", ran.stderr);
        assert_eq!(messages.len(), 3);
        assert_eq!(dir.read("out.partial"), gnu(&[("a", "1"), ("b", "2")]).as_bytes());
        assert!(!dir.has("out"));
    }
}

#[test]
fn what_was_finished_comes_out_on_standard_output_too() {
    let dir = Dir::new();
    let (run, names) = waiting(&dir, &[]);
    run.signal(Signal::INT);
    run.wait().died_by(Signal::INT).printed(gnu(&[("a", "1"), ("b", "2")]));
    drop(names);
}

#[test]
fn the_second_signal_stops_at_once() {
    let dir = Dir::new();
    dir.fifo("slow");
    let mut run = dir.hashlane(["sum", "slow"]).interruptible().start();
    // It holds the other end open and sends nothing.
    let writer = File::options().write(true).open(dir.path("slow")).unwrap();
    run.signal(Signal::INT);
    run.wait_for(STOPPING);
    run.signal(Signal::INT);
    let ran = run.wait().died_by(Signal::INT).printed("");
    drop(writer);
    assert_eq!(ran.messages(), [STOPPING]);
}

#[test]
fn a_file_that_is_not_finished_in_time_is_dropped_and_counted() {
    let dir = Dir::new();
    dir.write("a", "1");
    dir.fifo("slow");
    let run = dir.hashlane(["sum", "-o", "out", "a", "slow", "a"]).interruptible().start();
    let writer = File::options().write(true).open(dir.path("slow")).unwrap();
    run.signal(Signal::INT);
    let ran = run.wait().died_by(Signal::INT);
    drop(writer);
    let messages = ran.messages();
    assert_eq!(messages[..2], [STOPPING, "finished results are in out.partial"]);
    // The file behind the dropped one is finished or not, as it came; what is written is right in any case.
    assert!(messages[3].contains(" found but not finished"), "{messages:?}");
    let line = gnu(&[("a", "1")]);
    let written = dir.read("out.partial");
    assert!(
        [line.as_bytes(), line.repeat(2).as_bytes()].contains(&&written[..]),
        "{}",
        written.escape_ascii()
    );
}

#[test]
fn a_stopped_run_says_how_to_go_on_and_that_makes_the_list_whole() {
    for format in ["gnu", "jsonl", "bagit", "dfxml"] {
        let dir = Dir::new();
        dir.write("t/a", "1").write("t/b", "2");
        dir.fifo("slow");
        // In the tree that is listed, and with a name that has to be quoted for a shell.
        let sum = ["sum", "--manifest-format", format, "-o", "t/the out", "t", "slow"];
        let run = dir.hashlane(sum).interruptible().start();
        let writer = File::options().write(true).open(dir.path("slow")).unwrap();
        run.signal(Signal::INT);
        let ran = run.wait().died_by(Signal::INT);
        drop(writer);
        let Some(said) = ran.messages().into_iter().find(|line| line.starts_with("to go on, ")) else {
            // A document without its end is none, and what is left of the list of a bag is not called as one.
            assert!(["bagit", "dfxml"].contains(&format), "{format}: {}", ran.stderr);
            continue;
        };
        assert_eq!(said.contains("if no file has changed since"), format == "gnu", "{said}");
        let (_, command) = said.split_once(": hashlane ").unwrap();
        let command = format!("{HASHLANE} {}", command.replace("PATH...", "t"));
        let ran = dir.shell(&command).run().code(0);
        assert!(ran.stderr.contains("not read again"), "{}", ran.stderr);
        dir.hashlane(["check", "-a", "sha256", "t/the out"]).run().code(0).printed("t/a: OK\nt/b: OK\n");
        assert!(!String::from_utf8_lossy(&dir.read("t/the out")).contains("partial"));
    }
}

#[test]
fn a_stopped_check_keeps_its_results() {
    let dir = Dir::new();
    dir.write("a", "1").write("b", "2");
    dir.fifo("slow");
    dir.write("SHA256SUMS", gnu(&[("a", "1"), ("b", "changed"), ("slow", "")]));
    let mut run = dir.hashlane(["check", "--progress=json", "SHA256SUMS"]).interruptible().start();
    let writer = File::options().write(true).open(dir.path("slow")).unwrap();
    run.wait_for("\"files_done\":2,");
    run.signal(Signal::INT);
    let ran = run.wait().died_by(Signal::INT).printed("a: OK\nb: FAILED\n");
    drop(writer);
    let messages = messages_of_ours(&ran.stderr);
    assert_eq!(messages[0], STOPPING);
    assert!(messages.last().unwrap().ends_with("2 files finished, 1 found but not finished"), "{messages:?}");
}

#[test]
fn standard_input_alone_is_not_waited_for() {
    let dir = Dir::new();
    // It holds the other end open and sends nothing.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut run = dir.hashlane(["sum", "--progress=json"]).stdin(reader).interruptible().start();
    run.wait_for("hashlane-progress");
    run.signal(Signal::INT);
    let ran = run.wait().died_by(Signal::INT).printed("");
    drop(writer);
    let messages = messages_of_ours(&ran.stderr);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].ends_with(": 0 files finished, 1 found but not finished"), "{messages:?}");
}

#[test]
fn signals_that_were_ignored_when_it_started_stay_ignored() {
    let dir = Dir::new();
    dir.fifo("slow");
    let mut run = dir.shell("trap '' HUP; exec \"$0\" sum --progress=json slow").start();
    let mut writer = File::options().write(true).open(dir.path("slow")).unwrap();
    run.wait_for("hashlane-progress");
    run.signal(Signal::HUP);
    writer.write_all(b"1").unwrap();
    drop(writer);
    let ran = run.wait().code(0).printed(gnu(&[("slow", "1")]));
    assert!(!ran.stderr.contains(STOPPING), "{}", ran.stderr);
}

#[test]
fn results_that_wait_for_a_slow_file_are_written_meanwhile() {
    let dir = Dir::new();
    dir.write("a", "1");
    dir.fifo("slow");
    let run = dir.hashlane(["sum", "-o", "out", "a", "slow"]).interruptible().start();
    let writer = File::options().write(true).open(dir.path("slow")).unwrap();
    while !dir.has("out.partial") || dir.read("out.partial").is_empty() {
        std::thread::yield_now();
    }
    // Not even a kill loses it.
    run.signal(Signal::KILL);
    run.wait().died_by(Signal::KILL);
    drop(writer);
    assert_eq!(dir.read("out.partial"), gnu(&[("a", "1")]).as_bytes());
}
