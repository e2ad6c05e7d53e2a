//! Few file descriptors, and much of everything else.

use crate::work::{Dir, gnu};

/// A tree that is wide and deep.
fn tree() -> Dir {
    let dir = Dir::new();
    for number in 0..400 {
        dir.write(format!("t/wide/{number:03}/file"), format!("{number}"));
    }
    let mut path = "t/deep".to_owned();
    for level in 0..300 {
        dir.write(format!("{path}/file"), format!("{level}"));
        dir.write(format!("{path}/zoom"), format!("{level}"));
        path += "/d";
    }
    dir.write("t/big/a", vec![1; 3 << 20])
        .write("t/big/b", vec![2; 3 << 20])
        .write("t/big/c", vec![3; 3 << 20]);
    dir
}

#[test]
fn few_file_descriptors_are_enough() {
    let dir = tree();
    let expected = dir.hashlane(["sum", "-q", "t"]).run().code(0).stdout;
    assert_eq!(expected.iter().filter(|&&byte| byte == b'\n').count(), 400 + 600 + 3);
    for limit in [64, 32] {
        for jobs in [1, 2, 16] {
            let script = format!("ulimit -n {limit}; exec \"$0\" sum -q -j {jobs} t");
            dir.shell(&script).run().code(0).printed(&expected).said(&[]);
        }
        dir.write("SHA256SUMS", &expected);
        let script = format!("ulimit -n {limit}; exec \"$0\" check -q --complete --root t SHA256SUMS");
        dir.shell(&script).run().code(0).printed("").said(&[]);
    }
}

#[test]
fn more_algorithms_than_cores_on_few_descriptors_end_too() {
    let dir = tree();
    let all = "md4,md5,sha1,sha256,sha512,sha3-256,blake2b,blake3,tiger,whirlpool,xxh3,crc32,xor32";
    let expected = dir.hashlane(["sum", "-q", "-a", all, "t/big"]).run().code(0).stdout;
    let script = format!("ulimit -n 32; exec \"$0\" sum -q -j 3 -a {all} t/big");
    dir.shell(&script).run().code(0).printed(&expected).said(&[]);
}

#[test]
fn many_inputs_of_every_kind_come_out_in_their_order() {
    let dir = Dir::new();
    dir.write("small", "s").write("big", vec![1; 2 << 20]).make("d").write("d/x", "x");
    let names: Vec<&str> = ["small", "nowhere", "big", "d/x", "d"].into_iter().cycle().take(2000).collect();
    let ran = dir.hashlane(["sum", "-q", "--files-from", "-"]).input(names.join("\n")).run().code(16);
    let printed: Vec<String> =
        ran.lines().iter().map(|line| String::from_utf8_lossy(&line[66..]).trim_end().to_owned()).collect();
    let expected: Vec<&str> = names.into_iter().filter(|name| !["nowhere", "d"].contains(name)).collect();
    assert_eq!(printed, expected);
    assert_eq!(ran.messages().len(), 800);
}

#[test]
fn more_manifests_than_descriptors_are_read_one_after_the_other() {
    let dir = Dir::new();
    dir.write("a", "1");
    for number in 0..200 {
        dir.write(format!("m/{number:03}.sha256"), gnu(&[("a", "1")]));
    }
    let ran = dir.shell("ulimit -n 64; exec \"$0\" check -j 1 m/*").run().code(0);
    ran.printed("a: OK\n".repeat(200)).said(&["200 OK by sha256; 200 files, 200 B (200 B)"]);
    // One that cannot be opened does not hinder those behind it.
    dir.write("m/100.list", gnu(&[("a", "changed")])).write("m/150.sha256", "");
    let ran = dir.shell("ulimit -n 64; exec \"$0\" check -j 1 --complete m/*").run().code(16);
    let messages = ran.messages();
    assert!(messages[0].starts_with("m/100.list: a digest of 32 bytes can be "), "{messages:?}");
    assert_eq!(
        messages[1..],
        [
            "m/150.sha256: nothing to verify: the manifest has no lines",
            "unlisted files were not looked for, because not all manifests could be read",
            "199 OK by sha256; 199 files, 199 B (199 B)",
        ]
    );
}

#[test]
fn a_check_of_nothing_makes_no_output() {
    let dir = Dir::new();
    dir.hashlane(["check", "nowhere", "not here", "-o", "out"]).run().code(16);
    assert!(!dir.has("out") && !dir.has("out.partial"));
}
