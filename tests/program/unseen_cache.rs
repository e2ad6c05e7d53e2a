//! Where cachestat(2) is blocked, missing or wrong, and what lies on no medium.

use std::fs;
use std::sync::OnceLock;

use serde_json::Value;

use crate::keeper::mounting;
use crate::work::{Cmd, Dir, HASHLANE, have, have_mounts, needs};

/// Runs a command with system calls that fail, as a sandbox does it: `deny ERRNO NUMBER[,NUMBER...] CMD...`.
const DENY: &str = r#"
    my ($errno, @calls) = (shift, split /,/, shift);
    my $filter = pack("SCCL", 0x20, 0, 0, 0);
    $filter .= pack("SCCL", 0x15, 0, 1, $_) . pack("SCCL", 0x06, 0, 0, 0x50000 | $errno) for @calls;
    $filter .= pack("SCCL", 0x06, 0, 0, 0x7fff0000);
    my $program = pack("S x6 P", 2 + 2 * @calls, $filter);
    my $prctl = PRCTL;
    syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
    syscall($prctl, 22, 2, $program) == 0 or die "seccomp: $!";
    exec @ARGV or die "$ARGV[0]: $!";
"#;

const CACHESTAT: &str = "451";

/// Bytes of a file that is read.
const BYTES: usize = 4 << 20;

/// Numbers of prctl(2) and mincore(2); none where the test does not know them.
fn numbers() -> Option<(&'static str, &'static str)> {
    match std::env::consts::ARCH {
        "x86_64" => Some(("157", "27")),
        "aarch64" => Some(("167", "232")),
        _ => None,
    }
}

/// Whether system calls can be denied; says so if not.
fn can_deny() -> bool {
    have("perl") && needs(numbers().is_some(), "the numbers of system calls here")
}

fn denied(dir: &Dir, errno: &str, calls: &[&str], arguments: &[&str]) -> Cmd {
    let (prctl, _) = numbers().expect("asked before");
    let script = DENY.replace("PRCTL", prctl);
    let calls = calls.join(",");
    dir.command("perl", [&["-e", &script, errno, &calls, HASHLANE], arguments].concat())
}

/// Cold cells of a run, by engine: whether they have figures, and why not.
fn cold(run: &Value) -> Vec<(String, Option<String>)> {
    let cells = run["cells"].as_array().expect("cells").iter();
    let cold = cells.filter(|cell| cell["cell"]["cache"] == "cold");
    let of = |cell: &Value| {
        let engine = cell["cell"]["engine"].as_str().expect("an engine").to_owned();
        (engine, cell["not_measured"].as_str().map(str::to_owned))
    };
    cold.map(of).collect()
}

/// Whether cold figures are to be had where tests keep their files; says so if not.
fn have_cold() -> bool {
    static COLD: OnceLock<bool> = OnceLock::new();
    let is_cold = || {
        let dir = Dir::new();
        bench(dir.write("file", vec![7; BYTES]).hashlane(["bench", "io", "file"])).code(0);
        cold(&dir.run_file()).iter().all(|(_, reason)| reason.is_none())
    };
    needs(*COLD.get_or_init(is_cold), "a disk below the temporary directory")
}

fn bench(command: Cmd) -> crate::work::Ran {
    command.args(["--quick", "--budget", "1s", "-o", "run.json"]).run()
}

#[test]
fn a_sandbox_without_cachestat_measures_cold_all_the_same() {
    let dir = Dir::new();
    if !can_deny() || !have_cold() {
        return;
    }
    dir.write("file", vec![7; BYTES]);
    bench(denied(&dir, "1", &[CACHESTAT], &["bench", "io", "file"])).code(0);
    let cells = cold(&dir.run_file());
    assert!(cells.len() >= 4 && cells.iter().all(|(_, reason)| reason.is_none()), "{cells:?}");

    // Where nothing shows what is cached, O_DIRECT still goes past it.
    let (_, mincore) = numbers().expect("asked before");
    bench(denied(&dir, "1", &[CACHESTAT, mincore], &["bench", "io", "file"])).code(0);
    for (engine, reason) in cold(&dir.run_file()) {
        if engine == "pread" {
            let reason = reason.expect("nobody can know");
            assert!(reason.ends_with("a sandbox (seccomp) blocks cachestat(2): EPERM"), "{reason}");
        } else {
            assert_eq!(reason, None, "{engine}");
        }
    }
}

#[test]
fn tune_keeps_nothing_that_it_could_not_measure() {
    let dir = Dir::new();
    if !can_deny() || !have_cold() {
        return;
    }
    dir.make("disk").write("disk/file", b"abc");
    let tune = ["tune", "disk", "--budget", "1s", "--cache", "cache"];
    let (_, mincore) = numbers().expect("asked before");
    let ran = denied(&dir, "1", &[CACHESTAT, mincore], &tune).run().code(64);
    for part in
        ["a sandbox (seccomp) blocks cachestat(2): EPERM", "nothing was measured, so nothing is saved"]
    {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(fs::read_dir(dir.path("cache")).map_or(0, Iterator::count), 0);
    let ran = dir.hashlane(["sum", "disk", "--cache", "cache"]).run().code(0);
    assert!(!ran.stderr.contains("tuned"), "{}", ran.stderr);
    // With mincore all is measured.
    let ran = denied(&dir, "1", &[CACHESTAT], &tune).run().code(0);
    assert!(ran.stderr.contains("; sum and check use it"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("not measured"), "{}", ran.stderr);
}

#[test]
fn tune_keeps_what_it_could_measure_and_says_what_is_missing() {
    let dir = Dir::new();
    if !have_mounts() {
        return;
    }
    // In memory nothing is cold.
    dir.make("memory");
    let script = r#"
        set -e
        mount -t tmpfs -o size=2g none memory
        echo abc >memory/file
        "$0" tune memory --budget 1s --cache cache >/dev/null
        "$0" sum memory --cache cache
    "#;
    let ran = mounting(&dir, script).run().code(0);
    let missing = "but nothing of what was not measured (small files, cold; large file, cold)";
    assert!(ran.stderr.contains(missing), "{}", ran.stderr);
    let said = ran.stderr.lines().find(|line| line.contains("read as tuned for ")).expect("it is tuned");
    assert!(said.contains(": warm large files ") && !said.contains("cold"), "{said}");
}

#[test]
fn what_is_cached_below_an_overlay_is_seen_on_files_of_our_own() {
    let dir = Dir::new();
    if !have_mounts() || !have_cold() {
        return;
    }
    dir.make("lower").make("upper").make("work").make("merged");
    dir.write("lower/file", vec![7; BYTES]);
    let script = r#"
        set -e
        # What is dirty below cannot be written through the overlay.
        sync lower/file
        mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work merged
        "$0" bench io merged/file --quick --budget 1s -o run.json >/dev/null
        # Dropped: a sum has to wait, and cannot tell for how much.
        sync merged/file
        dd if=merged/file iflag=nocache count=0 status=none
        "$0" sum merged/file
    "#;
    let ran = mounting(&dir, script).run().code(0);
    let cells = cold(&dir.run_file());
    assert!(cells.len() >= 4 && cells.iter().all(|(_, reason)| reason.is_none()), "{cells:?}");
    let why = "100 % unknown, because overlayfs caches its files under another inode";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}

#[test]
fn holes_and_what_was_never_written_are_no_cold_reads() {
    let dir = Dir::new();
    if !have("fallocate") {
        return;
    }
    fs::File::create(dir.path("hole")).and_then(|file| file.set_len(BYTES as u64)).expect("a hole");
    dir.command("fallocate", ["-l", &BYTES.to_string(), "unwritten"]).run().code(0);
    bench(dir.hashlane(["bench", "io", "unwritten"])).code(0);
    let cells = cold(&dir.run_file());
    assert!(cells.len() >= 4, "{cells:?}");
    for (engine, reason) in cells {
        let reason = reason.unwrap_or_default();
        let start = format!("{BYTES} of the {BYTES} bytes of the file are holes or were never written");
        assert!(reason.starts_with(&start), "{engine}: {reason}");
    }
    for name in ["hole", "unwritten"] {
        // Its pages are of no medium either.
        dir.command("dd", [&format!("if={name}"), "iflag=nocache", "count=0", "status=none"]).run().code(0);
        let ran = dir.hashlane(["sum", name]).run().code(0);
        assert!(!ran.stderr.contains("from the device"), "{name}: {}", ran.stderr);
    }
    // Of a file that is mostly hole, shares are of the rest, and that is said.
    dir.write("part", vec![7; 1 << 20]);
    let part = fs::File::options().write(true).open(dir.path("part")).expect("it was written");
    part.set_len(64 << 20).and_then(|()| part.sync_all()).expect("it can grow");
    dir.command("dd", ["if=part", "iflag=nocache", "count=0", "status=none"]).run().code(0);
    let ran = dir.hashlane(["sum", "part"]).run().code(0);
    let is_told = ran.stderr.contains("; 66.1 MB in holes, which lie nowhere");
    assert!(is_told || ran.stderr.contains("unknown"), "{}", ran.stderr);
}

#[test]
fn the_file_behind_a_loop_device_is_named() {
    let dir = Dir::new();
    if !have_mounts() || !have("mkfs.ext4") {
        return;
    }
    dir.make("tree");
    let script = r#"
        set -e
        truncate -s 16M disk
        mkfs.ext4 -q disk
        mount -o loop disk tree
        trap 'umount tree' EXIT
        head -c 4M /dev/urandom >tree/file
        "$0" bench io tree/file --quick --budget 1s -o run.json
    "#;
    let ran = mounting(&dir, script).run().code(0);
    let run = dir.run_file();
    assert_eq!(run["place"]["medium"], "loop");
    let file = run["place"]["backing_file"].as_str().expect("it is told");
    assert!(file.ends_with("/disk"), "{file}");
    let text = String::from_utf8(ran.stdout).expect("text");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("the disk is the file {file}, which")), "{text}");
}

#[test]
fn files_of_others_have_a_cache_state_or_a_reason() {
    let dir = Dir::new();
    dir.write("file", vec![7; BYTES]);
    if !needs(rustix::process::geteuid().is_root(), "the rights of root, to be somebody else") {
        return;
    }
    let arguments = ["bench", "io", "file", "--quick", "--budget", "1s", "--json", "--no-save"];
    let ran = dir.hashlane(arguments).without_rights().run().code(0);
    let run: Value = serde_json::from_slice(&ran.stdout).expect("a run");
    for (engine, reason) in cold(&run) {
        // Kernels before 6.13 tell everybody.
        let Some(reason) = reason else { continue };
        let is_why =
            ["belongs to another user", "cannot bypass", "keeps"].iter().any(|why| reason.contains(why));
        assert!(is_why, "{engine}: {reason}");
    }
}
