//! The tools of the field read what we write, and we read what they write.

use crate::work::{Dir, have};

/// Names that all tools here can hold.
const NAMES: [&str; 7] = ["t/a", "t/b c", "t/sub/ü", "t/e(f) = 0", "t/g,h", "t/sub/deep/x", "t/-n"];

fn tree() -> Dir {
    let dir = Dir::new();
    for (index, name) in NAMES.iter().enumerate() {
        dir.write(name, format!("content {index}").repeat(index * 10_000));
    }
    dir
}

/// The names with an escape, which only coreutils and we have in common.
fn nasty_tree() -> Dir {
    let dir = tree();
    dir.write("t/new\nline", "x").write("t/back\\slash", "y").write("t/return\r", "z").write(b"t/\xff", "w");
    dir
}

/// Ours is accepted by `theirs`, a shell command that reads the file `list`.
fn they_accept(dir: &Dir, ours: &[&str], theirs: &str) {
    dir.hashlane(["sum", "-q", "-o", "list"]).args(ours).arg("t").run().code(0);
    dir.shell(theirs).run().code(0);
}

/// What `theirs`, a shell command, writes into the file `list` is accepted by us.
fn we_accept(dir: &Dir, theirs: &str, ours: &[&str]) {
    dir.shell(theirs).run().code(0);
    let ran = dir.hashlane(["check", "--strict", "--complete", "--root", "t"]).args(ours).arg("list").run();
    assert!(ran.code(0).lines().iter().all(|line| line.ends_with(b": OK\n")), "{theirs}");
}

#[test]
fn coreutils_and_we_accept_each_other() {
    if !have("sha256sum") {
        return;
    }
    let dir = nasty_tree();
    for (tool, algorithm) in [
        ("md5sum", "md5"),
        ("sha1sum", "sha1"),
        ("sha256sum", "sha256"),
        ("sha512sum", "sha512"),
        ("b2sum", "blake2b"),
    ] {
        let find = "find t -type f -print0 | LC_ALL=C sort -z | xargs -0";
        for options in ["", "--tag", "--zero"] {
            let ours = ["-a", algorithm].into_iter().chain((!options.is_empty()).then_some(options));
            let ours: Vec<_> = ours.collect();
            let zero = options == "--zero";
            if !zero {
                // coreutils writes lists that end with NUL and does not read them.
                they_accept(&dir, &ours, &format!("{tool} --check --strict --quiet list"));
            }
            let mut reading = vec!["-a", algorithm];
            reading.extend(zero.then_some("--zero"));
            we_accept(&dir, &format!("{find} {tool} {options} -- > list"), &reading);
            dir.hashlane(["sum", "-q"]).args(&ours).arg("t").run().code(0).printed(dir.read("list"));
        }
    }
}

#[test]
fn cksum_and_we_accept_each_other_in_base64() {
    if !have("cksum") {
        return;
    }
    let dir = nasty_tree();
    let probe = dir.shell("cksum -a sha256 --base64 t/a").run();
    if !probe.status.success() {
        // Before coreutils 9.2.
        return;
    }
    they_accept(&dir, &["--base64"], "cksum --check --strict --quiet list");
    we_accept(&dir, "find t -type f -print0 | xargs -0 cksum -a sha256 --base64 -- > list", &[]);
}

#[test]
fn b3sum_and_we_accept_each_other() {
    if !have("b3sum") {
        return;
    }
    let dir = tree();
    they_accept(&dir, &["-a", "blake3"], "b3sum --check --quiet list");
    we_accept(&dir, "find t -type f -print0 | xargs -0 b3sum -- > list", &["-a", "blake3"]);
}

#[test]
fn xxhsum_and_we_accept_each_other() {
    if !have("xxhsum") {
        return;
    }
    let dir = tree();
    for (algorithm, option) in [("xxh64", "-H1"), ("xxh128", "-H2")] {
        they_accept(&dir, &["-a", algorithm], &format!("xxhsum {option} --check --quiet list"));
        we_accept(
            &dir,
            &format!("find t -type f -print0 | xargs -0 xxhsum {option} > list"),
            &["-a", algorithm],
        );
    }
}

#[test]
fn rows_of_hashdeep_are_ours_and_it_finds_nothing_to_complain_of() {
    if !have("hashdeep") {
        return;
    }
    let dir = tree();
    dir.write(b"t/latin \xe9", "x");
    let ours = ["-a", "md5,sha256", "--manifest-format", "hashdeep"];
    let sorted = "grep -v '^[%#]' list | LC_ALL=C sort";
    dir.hashlane(["sum", "-q", "-o", "list"]).args(ours).arg("t").run().code(0);
    let our_rows = dir.shell(sorted).run().code(0).stdout;
    dir.shell("hashdeep -r -l -a -k list t").run().code(0).printed("hashdeep: Audit passed\n");
    dir.shell("hashdeep -r -l t > list").run().code(0);
    dir.shell(sorted).run().code(0).printed(our_rows);
    let ran = dir.hashlane(["check", "--strict", "--complete", "--root", "t", "list"]).run().code(0);
    assert_eq!(ran.lines().len(), NAMES.len() + 1);
    // Ours names the root in its header, where hashdeep sees a comment.
    they_accept(&dir, &ours, "hashdeep -r -l -a -k list t");
    dir.hashlane(["check", "-q", "--complete", "list"]).run().code(0);
}

#[test]
fn openssl_and_rhash_lists_are_read() {
    let dir = tree();
    if have("openssl") {
        we_accept(&dir, "find t -type f -print0 | xargs -0 openssl dgst -sha256 > list", &[]);
    }
    if have("rhash") {
        we_accept(&dir, "rhash --bsd --sha256 -r t > list", &[]);
    }
}
