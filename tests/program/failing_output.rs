//! Results that cannot be written: each command ends with the code for that, says so once, and leaves the terminal clean.

use std::fs::File;
use std::io::Write as _;

use rustix::process::Signal;

use crate::work::{Dir, digest};

/// Files enough that their results are more than any buffer takes.
const FILES: usize = 1_200;

fn name(number: usize) -> String {
    format!("{number:04}-{}", "x".repeat(60))
}

/// A tree, lists of it, a list of other contents, a bag, and a set of known contents that holds nothing of it.
fn tree() -> Dir {
    let dir = Dir::new();
    let (mut list, mut other, mut payload) = (String::new(), String::new(), String::new());
    for number in 0..FILES {
        let (name, content) = (name(number), number.to_string());
        dir.write(format!("t/{name}"), &content).write(format!("bag/data/{name}"), &content);
        let digest = digest("sha256", content);
        list += &format!("{digest}  t/{name}\n");
        payload += &format!("{digest}  data/{name}\n");
        other += &format!("{}  t/{name}\n", crate::work::digest("sha256", format!("not {number}")));
    }
    dir.write("SHA256SUMS", list).write("other.sha256", other).write("empty.sha256", "");
    dir.write("one.sha256", format!("{}  one\n", digest("sha256", "none of them")));
    dir.write("bag/manifest-sha256.txt", payload);
    dir.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir.hashlane(["sum", "-q", "--header", "--manifest-format=jsonl", "-o", "list.jsonl", "t"]).run().code(0);
    dir
}

/// Command lines whose results go to standard output, and are many.
const COMMANDS: [&[&str]; 13] = [
    &["sum", "t"],
    &["sum", "--manifest-format", "jsonl", "t"],
    &["sum", "--known", "one.sha256", "--show-matched-by", "t"],
    &["sum", "--files0-out", "-", "t"],
    &["check", "SHA256SUMS"],
    &["check", "--format", "json", "SHA256SUMS"],
    &["check", "--complete", "--root", "t", "one.sha256"],
    &["check", "--audit", "--format", "json", "SHA256SUMS"],
    &["diff", "SHA256SUMS", "other.sha256"],
    &["diff", "other.sha256", "t"],
    &["convert", "SHA256SUMS", "-"],
    &["convert", "SHA256SUMS", "-", "--add", "md5", "--manifest-format", "jsonl"],
    &["bag", "validate", "bag"],
];

#[test]
fn a_full_disk_ends_every_command_with_one_message() {
    let dir = tree();
    for arguments in COMMANDS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = dir.hashlane(arguments).stdout(full).run().code(74);
        let failed: Vec<_> =
            ran.messages().into_iter().filter(|message| message.contains("No space left")).collect();
        assert_eq!(failed, ["cannot write to standard output: No space left on device"], "{arguments:?}");
        assert_eq!(ran.messages().last(), failed.last(), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("defect"), "{arguments:?}: {}", ran.stderr);
    }
    let update = ["sum", "--update", "list.jsonl", "-o", "/dev/full"];
    let ran = dir.hashlane(update).run().code(74);
    assert_eq!(ran.messages(), ["cannot write to /dev/full: No space left on device"]);
}

#[test]
fn a_reader_that_has_gone_ends_every_command_without_a_word() {
    let dir = tree();
    for arguments in COMMANDS {
        let ran = dir.hashlane(arguments).run_into_closed_pipe().died_by(Signal::PIPE);
        let failed: Vec<_> = ran.messages().into_iter().filter(|message| message.contains("pipe")).collect();
        assert!(failed.is_empty(), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn what_one_output_took_is_left_where_the_other_fails() {
    let dir = tree();
    let ran = dir.hashlane(["sum", "-o", "list", "--files0-out", "/dev/full", "t"]).run().code(74);
    let said = ["finished results are in list.partial", "cannot write to /dev/full: No space left on device"];
    assert_eq!(ran.messages(), said);
    assert!(dir.has("list.partial") && !dir.has("list"));
    let ran = dir.hashlane(["sum", "-o", "/dev/full", "--files0-out", "names", "t"]).run().code(74);
    let said =
        ["finished results are in names.partial", "cannot write to /dev/full: No space left on device"];
    assert_eq!(ran.messages(), said);
    assert!(dir.has("names.partial") && !dir.has("names"));
}

#[test]
fn a_signal_counts_more_than_an_output_that_fails_after_it() {
    let dir = tree();
    let list = dir.fifo("list");
    let slow = dir.fifo("slow");
    let arguments = ["sum", "--files0-from", "list", "-o", "/dev/full", "-j", "2", "--progress=json"];
    let mut run = dir.hashlane(arguments).interruptible().start();
    let mut names = File::options().write(true).open(list).unwrap();
    // It holds the other end open and sends nothing: what is behind it waits for it, read as it is.
    names.write_all(b"slow\0").unwrap();
    let writer = File::options().write(true).open(slow).unwrap();
    let bytes: usize = (0..FILES).map(|number| number.to_string().len()).sum();
    for number in 0..FILES {
        names.write_all(format!("t/{}\0", name(number)).as_bytes()).unwrap();
    }
    run.wait_for(&format!("\"digested_bytes\":{bytes},"));
    run.signal(Signal::INT);
    let ran = run.wait().died_by(Signal::INT);
    drop((writer, names));
    let failed = "hashlane: cannot write to /dev/full: No space left on device";
    assert_eq!(ran.stderr.lines().filter(|line| *line == failed).count(), 1, "{}", ran.stderr);
}
