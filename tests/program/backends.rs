//! Backends: measured, chosen, forced.

use hashlane_digest::{Algorithm, Backend};

use crate::work::Dir;

/// Files of every length around a block, and a few of several pieces.
fn some_files(dir: &Dir) {
    for length in (0..200).chain([20_000, 70_000, 140_000, 600_000]) {
        let bytes: Vec<u8> = (0..length).map(|at: usize| (at * 7 + length) as u8).collect();
        dir.write(format!("files/{length:06}"), &bytes);
    }
}

#[test]
fn every_backend_gives_the_same_lines() {
    let dir = Dir::new();
    some_files(&dir);
    let algorithms = "md4,md5,sha1,sha224,sha256,sha384,sha512,sha512-256,sha3-256,sha3-512,blake2b,blake2b-256,blake3,sm3";
    let sum = |more: &[&str]| {
        let ran = dir
            .hashlane(["sum", "--quiet", "-a", algorithms, "files"].into_iter().chain(more.iter().copied()))
            .run();
        ran.code(0).stdout
    };
    let best = sum(&[]);
    assert_eq!(best.iter().filter(|&&byte| byte == b'\n').count(), 204 * 14);
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        assert!(sum(&["--backend", backend.name()]) == best, "{backend}");
        let by_variable = dir
            .hashlane(["sum", "--quiet", "-a", algorithms, "files"])
            .env("HASHLANE_BACKEND", backend.name())
            .run();
        assert!(by_variable.code(0).stdout == best, "{backend}, by the variable");
    }
}

#[test]
fn a_backend_that_this_cpu_lacks_is_a_mistake() {
    let dir = Dir::new();
    dir.write("file", b"abc");
    for backend in Backend::ALL.into_iter().filter(|backend| !backend.is_available()) {
        let ran = dir.hashlane(["sum", "--backend", backend.name(), "file"]).run().code(64).printed("");
        let said = format!("invalid value '{backend}' for '--backend <BACKEND>': this CPU has portable");
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    let ran = dir.hashlane(["sum", "--backend", "mmx", "file"]).run().code(64).printed("");
    assert!(ran.stderr.contains("possible values: portable,"), "{}", ran.stderr);
    let ran = dir.hashlane(["sum", "file"]).env("HASHLANE_BACKEND", "mmx").run().code(64).printed("");
    assert!(ran.stderr.contains("mmx"), "{}", ran.stderr);
}

#[test]
fn backends_are_measured_and_the_ones_in_use_marked() {
    let dir = Dir::new();
    let ran = dir.hashlane(["backends", "-a", "sha256,md5,sha3-512,blake2b", "--budget", "1s"]).run().code(0);
    let table = String::from_utf8(ran.stdout).unwrap();
    for name in ["sha256", "md5", "sha3-512", "blake2b"] {
        let algorithm = Algorithm::named(name).expect("registered");
        let lines = || table.lines().filter(|line| line.trim_start().starts_with(name));
        for backend in algorithm.lanes().expect("it has lanes").backends() {
            assert!(lines().any(|line| line.split_whitespace().nth(1) == Some(backend.name())), "{table}");
        }
        assert_eq!(lines().filter(|line| line.ends_with("one message")).count(), 1, "{table}");
        assert!(lines().all(|line| line.contains("B/s")), "{table}");
    }
    let ran = dir.hashlane(["backends", "-a", "blake3"]).run().code(64).printed("");
    assert!(ran.stderr.contains("--algorithm blake3: there is only one way"), "{}", ran.stderr);
}
