//! `--from-medium`: what is read comes from the device, or fails; and what is said of where bytes came from.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::keeper::mounting;
use crate::work::{Dir, digest, gnu, have, have_mounts, needs};

/// Whether files in a directory can be read from a medium; says so where they cannot.
fn has_medium(dir: &Dir) -> bool {
    dir.write("a probe of the medium", "?");
    let ran = dir.hashlane(["sum", "-q", "--from-medium", "a probe of the medium"]).run();
    fs::remove_file(dir.path("a probe of the medium")).unwrap();
    needs(ran.status.success(), "a temporary directory on a device that can be read from")
}

/// Bytes that devices brought for what a script runs, by the kernel's account of a shell and all that it waited for.
fn brought(dir: &Dir, script: &str) -> u64 {
    let account =
        dir.shell(&format!("{script} > /dev/null 2> messages || exit 1; cat /proc/$$/io")).run().code(0);
    let text = String::from_utf8(account.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("read_bytes: ")).unwrap().parse().unwrap()
}

#[test]
fn the_summary_says_what_the_kernel_counts() {
    let dir = Dir::new();
    if !has_medium(&dir) {
        return;
    }
    const BYTES: u64 = 24 << 20;
    // What a shell and a program that starts may bring of themselves.
    const BESIDE: u64 = 8 << 20;
    dir.write("t/large", vec![7; BYTES as usize - 1]).write("t/small", "1");
    let said = || String::from_utf8(dir.read("messages")).unwrap();
    let warm = brought(&dir, "\"$0\" sum t");
    assert!(said().ends_with("; 100 % from cache\n"), "{}", said());
    assert!(warm < BESIDE, "{warm}");
    let cold = brought(&dir, "\"$0\" sum --from-medium t");
    assert!(said().ends_with("; 100 % from the device\n"), "{}", said());
    assert!((BYTES..BYTES + BESIDE).contains(&cold), "{cold}");
    // It was read past the page cache, which is as it was.
    assert!(brought(&dir, "\"$0\" sum t") < BESIDE);
}

#[test]
fn what_lies_in_memory_fails_with_a_sentence() {
    let dir = Dir::new();
    let memory = tempfile::tempdir_in("/dev/shm");
    if !needs(memory.is_ok(), "/dev/shm") {
        return;
    }
    let memory = memory.unwrap();
    fs::write(memory.path().join("file"), "1").unwrap();
    fs::write(memory.path().join("empty"), "").unwrap();
    let file = memory.path().join("file");
    let said = format!("{}: cannot be read from the medium: it is in memory", file.display());
    dir.hashlane(["sum", "--from-medium"])
        .args([memory.path()])
        .run()
        .code(16)
        .printed(format!("{}  {}\n", digest("sha256", ""), memory.path().join("empty").display()))
        .said(&[&said, "1 could not be read", "1 file, 0 B (0 B)"]);
    dir.write("SHA256SUMS", format!("{}  {}\n", digest("sha256", "1"), file.display()));
    dir.hashlane(["check", "--from-medium", "SHA256SUMS"])
        .run()
        .code(16)
        .printed(format!("{}: FAILED open or read\n", file.display()))
        .said(&[&said, "no file was verified", "0 OK, 1 unreadable; 0 files, 0 B (0 B)"]);
    dir.hashlane(["check", "SHA256SUMS"]).run().code(0);
}

#[test]
fn a_pipe_fails_with_a_sentence() {
    let dir = Dir::new();
    let said = "-: cannot be read from the medium: it is neither a regular file nor a block device";
    dir.hashlane(["sum", "-q", "--from-medium"]).input("hello").run().code(16).printed("").said(&[said]);
}

#[test]
fn a_file_that_stays_in_the_cache_fails_where_it_has_to_be_dropped_from_there() {
    let dir = Dir::new();
    let sleep = ["/usr/bin/sleep", "/bin/sleep"].into_iter().find(|path| Path::new(path).exists());
    if !needs(sleep.is_some(), "sleep") || !has_medium(&dir) {
        return;
    }
    fs::copy(sleep.unwrap(), dir.path("program")).unwrap();
    let whole = digest("sha256", dir.read("program"));
    // Behind standard input the file cannot be read past the cache.
    let through_cache = || dir.shell("\"$0\" sum --from-medium < program").run();
    let ran = through_cache().code(0).printed(format!("{whole}  -\n"));
    assert!(ran.stderr.ends_with("; 100 % from the device\n"), "{}", ran.stderr);
    // Its pages are mapped as long as it runs.
    let mut running = Command::new("sh")
        .args(["-c", "exec ./program 1000"])
        .current_dir(dir.root())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let exe = format!("/proc/{}/exe", running.id());
    let runs = || fs::read_link(&exe).is_ok_and(|exe| exe.ends_with("program"));
    while !runs() {
        // A `sleep` that goes by its name does not go by this one.
        if running.try_wait().unwrap().is_some() {
            assert!(!needs(false, "a sleep that runs under another name"));
            return;
        }
        std::thread::yield_now();
    }
    let ran = through_cache();
    let direct = dir.hashlane(["sum", "--from-medium", "program"]).run();
    running.kill().unwrap();
    running.wait().unwrap();
    let kept = "-: cannot be read from the medium: part of it remains in the page cache, because a program has it mapped or locked, or is writing it";
    ran.code(16).printed("").said(&[kept, "1 could not be read", "0 files, 0 B (0 B)"]);
    let direct = direct.code(0).printed(format!("{whole}  program\n"));
    assert!(direct.stderr.ends_with("; 100 % from the device\n"), "{}", direct.stderr);
    through_cache().code(0);
}

#[test]
fn every_name_of_a_file_is_read() {
    let dir = Dir::new();
    if !has_medium(&dir) {
        return;
    }
    dir.write("a", "one file");
    fs::hard_link(dir.path("a"), dir.path("b")).unwrap();
    dir.write("SHA256SUMS", gnu(&[("a", "one file"), ("b", "one file")]));
    for (option, bytes) in [("--from-medium", 16), ("--quiet", 8)] {
        let ran = dir.hashlane(["check", "--format", "json", option, "SHA256SUMS"]).run().code(0);
        let summary: serde_json::Value = serde_json::from_slice(ran.lines().last().unwrap()).unwrap();
        let origin = &summary["origin"];
        let of = |from: &str| origin[from].as_u64().unwrap();
        assert_eq!(of("device_bytes") + of("cache_bytes") + of("unknown_bytes"), bytes, "{origin}");
        assert!(option == "--quiet" || of("device_bytes") == bytes, "{origin}");
    }
}

#[test]
fn engines_that_read_through_the_cache_are_refused_beside_it() {
    let dir = Dir::new();
    dir.write("a", "1").write("SHA256SUMS", gnu(&[("a", "1")]));
    for engine in ["buffered", "mmap", "uring"] {
        let said =
            format!("--from-medium: the engine {engine} reads through the page cache; leave out --engine");
        for command in [["sum", "a"], ["check", "SHA256SUMS"]] {
            let ran = dir.hashlane(command).args(["--from-medium", "--engine", engine]).run();
            ran.code(64).printed("").said(&[&said]);
        }
    }
    if has_medium(&dir) {
        dir.hashlane(["sum", "--from-medium", "--engine", "direct", "a"])
            .run()
            .code(0)
            .printed(gnu(&[("a", "1")]));
    }
}

#[test]
fn programs_are_told_where_bytes_came_from() {
    let dir = Dir::new();
    dir.write("a", "1").write("b", "22").write("SHA256SUMS", gnu(&[("a", "1"), ("b", "22"), ("gone", "3")]));
    let ran = dir.hashlane(["check", "--format", "json", "--progress", "json", "SHA256SUMS"]).run().code(2);
    let total = |line: &serde_json::Value| {
        let origin = line["origin"].as_object().unwrap();
        assert_eq!(origin.len(), 4);
        origin.values().map(|bytes| bytes.as_u64().unwrap()).sum::<u64>()
    };
    let lines = ran.objects();
    assert_eq!(lines.iter().map(total).collect::<Vec<_>>(), [1, 2, 0, 3]);
    let last = ran.stderr.lines().rfind(|line| line.contains("hashlane-progress")).unwrap();
    assert_eq!(total(&serde_json::from_str(last).unwrap()), 3);
}

#[test]
fn rot_below_a_file_that_is_cached_is_found_when_it_is_due() {
    if !have_mounts() || !have("mkfs.ext4") || !have("debugfs") {
        return;
    }
    let dir = Dir::new();
    dir.make("tree");
    let script = r#"
        set -e
        truncate -s 24M disk
        mkfs.ext4 -q -b 4096 disk
        mount -o loop disk tree
        head -c 500000 /dev/zero | tr '\0' a > tree/f
        touch -d '2 days ago' tree/f
        sync
        sleep 3.1
        "$0" collection add device tree --every 4s 2>>said
        "$0" collection add any tree --every 4s --from any 2>>said
        "$0" audit -q
        sleep 4.2
        cat tree/f >/dev/null
        # Under the file system, where no program and no cache notices it.
        block=$(debugfs -R 'bmap f 1' disk 2>>said)
        printf 'b' | dd of=disk bs=1 seek=$((block * 4096 + 7)) conv=notrunc status=none
        audit() { set +e; "$0" audit --due "$1" 2>>said; echo "$1 $?"; set -e; }
        cmp -s tree/f <(head -c 500000 /dev/zero | tr '\0' a) && echo the cache has it
        # At once: the system may drop from its cache what it likes.
        audit any
        audit device
        umount tree
    "#;
    let ran = mounting(&dir, script).run().code(0);
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(said.starts_with("the cache has it\nany 0\ndevice: f: CORRUPT: "), "{said}");
    assert!(said.ends_with("    last read from the device\ndevice 8\n"), "{said}");
}
