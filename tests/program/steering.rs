//! An audit in one process, and what another one asks of it: to end, to read at another rate, to wait. And of all of them.

use std::time::Duration;

use crate::keeper::settle;
use crate::running::wait_until_begun;
use crate::work::{Cmd, Dir, Running};

/// A tree that takes a minute at [`SLOW`], registered as `t`, and one of a small file, as `u`.
fn registered() -> Dir {
    let dir = Dir::new();
    for number in 0..30 {
        dir.write(format!("tree/{number:02}"), vec![b'x'; 512 << 10]);
    }
    dir.write("other/a", "a");
    settle();
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir.keeper(["collection", "add", "u", "other"]).run().code(0);
    dir
}

const SLOW: &str = "256KiB";

fn slow(dir: &Dir) -> Running {
    let audit = dir.keeper(["audit", "t", "--max-rate", SLOW]).start();
    wait_until_begun(dir);
    audit
}

fn asks<const N: usize>(dir: &Dir, arguments: [&str; N]) -> Cmd {
    dir.keeper([&["audit"], &arguments[..]].concat())
        .env("USER", "anna")
        .env("LOGNAME", "anna")
        .env("SUDO_USER", "anna")
}

#[test]
fn an_audit_is_slowed_down_stopped_and_gone_on_with_by_others() {
    let dir = registered();
    let audit = slow(&dir);
    asks(&dir, ["--set-rate", "t", "300KiB", "--reason", "people work"]).run().code(0);
    asks(&dir, ["--stop", "t"]).run().code(0).said_among_others(&["t: "]);
    let ended = audit.wait().code(75);
    assert!(ended.stderr.contains("; stopped by anna"), "{}", ended.stderr);
    let status = String::from_utf8(dir.keeper(["status", "t"]).run().code(0).stdout).unwrap();
    assert!(status.contains(", was stopped by anna"), "{status}");
    // The next one goes on, and has nothing of the rate of the last one.
    let next = dir.keeper(["audit", "t"]).run().code(0);
    assert!(next.stderr.contains("it continued an audit that was not over"), "{}", next.stderr);
    let log = String::from_utf8(dir.keeper(["catalog", "changes", "t"]).run().code(0).stdout).unwrap();
    for change in ["rate-set", "bytes_per_second: 307200", "audit-stopped", "people work", "process: "] {
        assert!(log.contains(change), "{change}: {log}");
    }
    asks(&dir, ["--stop", "t"]).run().code(0).said(&["t: no audit of it is under way"]);
    asks(&dir, ["--set-rate", "t", "1MB"]).run().code(64);
    asks(&dir, ["--set-rate", "t", "fast"])
        .run()
        .code(64)
        .said(&["--set-rate t fast: not a size; write it like 100MB or 64MiB; `none` lifts the limit"]);
    asks(&dir, ["--stop", "nobody"]).run().code(64);
}

#[test]
fn a_limit_is_lifted_from_another_terminal() {
    let dir = registered();
    let audit = slow(&dir);
    asks(&dir, ["--set-rate", "t", "none"]).run().code(0);
    // It would have taken a minute.
    let ended = audit.wait_within(Duration::from_secs(50)).expect("nothing slows it down").code(0);
    assert!(ended.stderr.contains("30 files read"), "{}", ended.stderr);
}

#[test]
fn while_all_audits_are_paused_each_ends_with_75_and_says_why() {
    let dir = registered();
    let audit = slow(&dir);
    asks(&dir, ["--pause-all", "--until", "2h", "--reason", "a move"]).run().code(0);
    let ended = audit.wait().code(75);
    assert!(ended.stderr.contains("; paused by anna since "), "{}", ended.stderr);
    for command in [&["audit"][..], &["audit", "u"], &["audit", "--dry-run"]] {
        let refused = dir.keeper(command).run().code(75);
        assert!(refused.stderr.contains("u: not begun: paused by anna since "), "{}", refused.stderr);
        assert!(refused.stderr.contains(" (a move); `hashlane audit --resume-all` ends the pause"));
    }
    let json = dir.keeper(["audit", "u", "--format", "json"]).run().code(75).stdout;
    assert!(String::from_utf8(json).unwrap().contains("paused by anna"));
    asks(&dir, ["--resume-all"]).run().code(0);
    asks(&dir, ["--resume-all"]).run().code(0).said(&["no audit was paused"]);
    dir.keeper(["audit", "u"]).run().code(0);
    // One that is over by itself.
    asks(&dir, ["--pause-all", "--until", "1s"]).run().code(0);
    std::thread::sleep(Duration::from_millis(1_100));
    dir.keeper(["audit", "u"]).run().code(0);
    for time in ["yesterday", "2020-01-01T00:00:00Z", "25:00"] {
        asks(&dir, ["--pause-all", "--until", time]).run().code(64);
    }
}

#[test]
fn no_more_audits_than_are_allowed_are_under_way() {
    let dir = registered();
    let audit = slow(&dir);
    // Not for ever: the time is for waiting, too.
    let waits = dir.keeper(["audit", "u", "--at-most", "1", "--for", "1s"]).run().code(75);
    assert!(
        waits.stderr.contains("u: waits for t") && waits.stderr.contains("the time was over"),
        "{}",
        waits.stderr
    );
    dir.keeper(["audit", "u", "--at-most", "2"]).run().code(0);
    let waits = dir.keeper(["audit", "u", "--at-most", "1"]).start();
    asks(&dir, ["--stop", "t"]).run().code(0);
    audit.wait().code(75);
    waits.wait().code(0);
}
