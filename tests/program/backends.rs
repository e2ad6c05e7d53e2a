//! Backends: measured, chosen, forced.

use hashlane_digest::{Algorithm, Backend, Saving, reference_cycles};

use crate::work::{Dir, digest};

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
            .unforced()
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
fn a_variable_that_is_empty_is_as_if_it_were_not_there() {
    let dir = Dir::new();
    dir.write("file", b"content");
    let empty = |name: &str| dir.hashlane(["sum", "file"]).env(name, "").run().code(0);
    for name in ["HASHLANE_BACKEND", "HASHLANE_CACHE"] {
        empty(name).printed(format!("{}  file\n", digest("sha256", b"content")));
    }
}

#[test]
fn a_backend_that_this_cpu_lacks_is_a_mistake() {
    let dir = Dir::new();
    dir.write("file", b"abc");
    for backend in Backend::ALL.into_iter().filter(|backend| !backend.is_available()) {
        let ran = dir.hashlane(["sum", "--backend", backend.name(), "file"]).run().code(64).printed("");
        let said = format!("invalid value '{backend}' for '--backend <BACKEND>': this CPU supports portable");
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    let ran = dir.hashlane(["sum", "--backend", "mmx", "file"]).run().code(64).printed("");
    assert!(ran.stderr.contains("possible values: portable,"), "{}", ran.stderr);
    let ran = dir.hashlane(["sum", "file"]).env("HASHLANE_BACKEND", "mmx").run().code(64).printed("");
    assert!(ran.stderr.contains("mmx"), "{}", ran.stderr);
}

/// The rows of a table of `hashlane backends` for one algorithm, as words.
fn rows<'a>(table: &'a str, algorithm: &str) -> Vec<Vec<&'a str>> {
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|words| words.first() == Some(&algorithm)).collect()
}

#[test]
fn backends_are_measured_kept_and_the_ones_in_use_marked() {
    let dir = Dir::new();
    let measure = |more: &[&str]| {
        let line = ["backends", "-a", "sha256,md5", "--budget", "1s", "--cache", "cache"];
        let ran = dir.hashlane(line.into_iter().chain(more.iter().copied())).unforced().run().code(0);
        (String::from_utf8(ran.stdout).unwrap(), ran.stderr)
    };
    let (table, said) = measure(&["--no-save"]);
    assert!(!dir.has("cache") && said.is_empty(), "{said}");
    let (kept, said) = measure(&[]);
    assert!(said.starts_with("hashlane: sum, check and bench now use these figures: cache/"), "{said}");
    for table in [&table, &kept] {
        for name in ["sha256", "md5"] {
            let lanes = Algorithm::named(name).expect("registered").lanes().expect("it has lanes");
            let rows = rows(table, name);
            let shown: Vec<_> = rows.iter().map(|words| (words[1], words[2].parse().unwrap())).collect();
            let there: Vec<_> =
                lanes.kernels().into_iter().map(|(backend, lanes)| (backend.name(), lanes)).collect();
            assert_eq!(shown, there, "{table}");
            assert!(rows.iter().all(|words| words[4].ends_with("B/s")), "{table}");
            assert_eq!(rows.iter().filter(|words| words.ends_with(&["and", "more"])).count(), 1, "{table}");
        }
        let cycles = if reference_cycles().is_some() { "GHz" } else { "no clock that would tell cycles" };
        assert!(table.contains(cycles), "{table}");
    }
    let files: Vec<_> = std::fs::read_dir(dir.path("cache")).unwrap().map(|entry| entry.unwrap()).collect();
    let [file] = files.as_slice() else { panic!("one file: {files:?}") };
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
    assert_eq!(kept["schema"], "hashlane-backends");
    let names: Vec<_> = kept["algorithms"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["md5", "sha256"]);

    let ran = dir.hashlane(["backends", "-a", "blake3"]).unforced().run().code(64).printed("");
    assert!(ran.stderr.contains("--algorithm blake3: it has only one backend"), "{}", ran.stderr);
}

#[test]
fn where_an_algorithm_lacks_what_was_asked_for_portable_is_shown_to_serve() {
    let dir = Dir::new();
    let line = ["backends", "-a", "md5,sha512", "--budget", "1s", "--no-save", "--backend", "portable"];
    let table = String::from_utf8(dir.hashlane(line).run().code(0).stdout).unwrap();
    assert!(table.contains("portable was requested"), "{table}");
    let assert_portable_serves = |table: &str, name: &str| {
        for words in rows(table, name) {
            assert_eq!(words.ends_with(&["1", "and", "more"]), words[1] == "portable", "{table}");
        }
    };
    assert_portable_serves(&table, "md5");
    assert_portable_serves(&table, "sha512");
    if Backend::ShaNi.is_available() {
        let line = ["backends", "-a", "md5,sha1", "--budget", "1s", "--no-save"];
        let ran = dir.hashlane(line).env("HASHLANE_BACKEND", "sha-ni").run().code(0);
        let table = String::from_utf8(ran.stdout).unwrap();
        assert_portable_serves(&table, "md5");
        assert!(
            rows(&table, "sha1")
                .iter()
                .any(|words| words[1] == "sha-ni" && words.ends_with(&["and", "more"]))
        );
    }
}

#[test]
fn figures_that_cannot_be_kept_are_not_measured() {
    let dir = Dir::new();
    dir.write("file", "");
    let ran = dir.hashlane(["backends", "--cache", "file/cache"]).run().code(74).printed("");
    let said = "hashlane: file/cache: Not a directory: the figures cannot be saved; name another directory with --cache, or use --no-save\n";
    assert_eq!(ran.stderr, said);
}

/// A file of holes: a long run that reads nothing.
fn long_file(dir: &Dir, bytes: u64) {
    std::fs::File::create(dir.path("long")).unwrap().set_len(bytes).unwrap();
}

#[test]
fn a_long_run_measures_for_the_next_and_a_short_one_does_not() {
    let dir = Dir::new();
    long_file(&dir, 257_000_000);
    dir.write("short", "abc");
    let sum = |more: &[&str]| {
        let line = ["sum", "--cache", "cache", "-a", "sha256,sha1"].into_iter().chain(more.iter().copied());
        dir.hashlane(line).unforced().run().code(0)
    };
    sum(&["short"]);
    sum(&["--no-calibrate", "long"]);
    sum(&["--backend", "portable", "--jobs", "2", "long"]);
    assert!(!dir.has("cache"));
    let first = sum(&["long"]);
    let kept = || {
        let files = std::fs::read_dir(dir.path("cache")).unwrap();
        let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        std::fs::read(&files[0]).unwrap()
    };
    let text = kept();
    let file: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(file["algorithms"].as_object().unwrap().keys().collect::<Vec<_>>(), ["sha1", "sha256"]);
    // Now it is known; and check takes it as well.
    assert_eq!(sum(&["long"]).stdout, first.stdout);
    dir.write("sums", &first.stdout);
    dir.hashlane(["check", "--cache", "cache", "sums"]).unforced().run().code(0);
    assert_eq!(kept(), text);
}

#[test]
fn a_cache_that_is_damaged_or_cannot_be_written_is_no_failure() {
    let dir = Dir::new();
    long_file(&dir, 257_000_000);
    let sum = |cache: &str| dir.hashlane(["sum", "-q", "--cache", cache, "long"]).unforced().run().code(0);
    let good = sum("cache");
    let path = std::fs::read_dir(dir.path("cache")).unwrap().next().unwrap().unwrap().path();
    for damage in [&b""[..], b"{", b"\xff\xfe", b"{\"schema\": \"hashlane-backends\"}"] {
        std::fs::write(&path, damage).unwrap();
        let ran = sum("cache");
        assert_eq!((ran.stdout, ran.stderr.as_str()), (good.stdout.clone(), ""));
        assert!(std::fs::read(&path).unwrap().starts_with(b"{\n  \"schema\""), "it is written anew");
    }
    dir.write("file", "");
    let ran = sum("file/cache");
    assert_eq!((ran.stdout, ran.stderr.as_str()), (good.stdout, ""));
}

#[test]
fn what_cannot_be_saved_is_named_as_text_and_for_programs() {
    let dir = Dir::new();
    let show = |format| {
        let line = ["backends", "-a", "sha256,blake2b", "--budget", "1s", "--no-save", "--format", format];
        String::from_utf8(dir.hashlane(line).unforced().run().code(0).stdout).unwrap()
    };
    let never: Vec<_> = Algorithm::all().filter(|algorithm| algorithm.saving() == Saving::Never).collect();
    let names: Vec<_> = never.iter().map(|algorithm| algorithm.name()).collect();
    let said = format!("of blake3 only after every GiB; those of {} not at all.", names.join(", "));
    let table = show("text");
    assert!(table.split_whitespace().collect::<Vec<_>>().join(" ").contains(&said), "{table}");

    let lines = show("json");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (saving, ways) = lines.split_last().unwrap();
    for algorithm in Algorithm::all() {
        assert_eq!(saving["saving"][algorithm.name()], algorithm.saving().name(), "{algorithm}");
    }
    for name in ["sha256", "blake2b"] {
        let kernels = Algorithm::named(name).unwrap().lanes().unwrap().kernels();
        let shown = ways.iter().filter(|way| way["algorithm"] == name && way.get("lanes").is_some());
        let shown: Vec<_> =
            shown.map(|way| (way["backend"].as_str().unwrap(), way["lanes"].as_u64().unwrap())).collect();
        let there: Vec<_> = kernels.iter().map(|(backend, lanes)| (backend.name(), *lanes as u64)).collect();
        assert_eq!(shown, there);
    }
    let library = ways.iter().filter(|way| way.get("lanes").is_none()).collect::<Vec<_>>();
    assert!(matches!(library[..], [way] if way["algorithm"] == "blake2b"), "{library:?}");
}
