//! `hashlane check`: verdicts, their lines and exit codes, and the options that change them.

use crate::tree::nasty;
use crate::work::{Dir, digest, gnu};

/// Two files that are as listed in `SHA256SUMS`, one that differs, one that is missing.
fn mixed() -> Dir {
    let dir = Dir::new();
    dir.write("a", "1").write("b", "2").write("c", "changed");
    dir.write("SHA256SUMS", gnu(&[("a", "1"), ("c", "3"), ("gone", "4"), ("b", "2")]));
    dir
}

const MIXED: &str = "a: OK\nc: FAILED\ngone: FAILED open or read\nb: OK\n";

#[test]
fn verdicts_are_printed_as_coreutils_does_and_the_codes_add_up() {
    mixed().hashlane(["check", "SHA256SUMS"]).run().code(2 + 4).printed(MIXED).said(&[
        "gone: No such file or directory",
        "2 OK by sha256, 1 mismatch, 1 missing; 3 files, 9 B (9 B)",
    ]);
}

#[test]
fn all_formats_round_trip() {
    let dir = Dir::new();
    nasty(&dir, "tree");
    let count = dir.hashlane(["sum", "-q", "-z", "tree"]).run().code(0).stdout;
    let count = count.iter().filter(|&&byte| byte == 0).count();
    for format in ["gnu", "bsd", "base64", "base64-untagged", "jsonl", "csv"] {
        for options in [&[][..], &["--zero"], &["--header"]] {
            let has_no_place = options == ["--zero"] && ["jsonl", "csv"].contains(&format)
                || options == ["--header"] && format == "csv";
            if has_no_place {
                continue;
            }
            let sum = ["sum", "-q", "-o", "SHA256SUMS", "--manifest-format", format, "tree"];
            dir.hashlane(sum).args(options).run().code(0);
            let zero = options.iter().filter(|&&option| option == "--zero");
            let ran = dir
                .hashlane(["check", "--strict", "--complete", "--root", "tree", "SHA256SUMS"])
                .args(zero)
                .run();
            let ran = ran.code(0);
            assert_eq!(ran.lines().len(), count, "{format} {options:?}");
            assert!(ran.lines().iter().all(|line| line.ends_with(b": OK\n")), "{format} {options:?}");
        }
    }
}

#[test]
fn a_hashdeep_manifest_round_trips_but_for_names_with_a_newline() {
    let dir = Dir::new();
    nasty(&dir, "tree");
    let ran = dir.hashlane([
        "sum",
        "-q",
        "-o",
        "known",
        "--manifest-format",
        "hashdeep",
        "-a",
        "md5,sha256",
        "tree",
    ]);
    let messages = ran.run().code(16).messages();
    // The last one says how many there are.
    let refused = messages.len() - 1;
    assert!(refused > 3 && messages[refused] == format!("known: {refused} files are not in it"));
    let ran = dir.hashlane(["check", "--strict", "--complete", "known"]).run().code(1);
    let extras = ran.lines().iter().filter(|line| line.ends_with(b": EXTRA (not listed)\n")).count();
    assert_eq!(extras, refused);
    assert!(ran.stderr.lines().last().unwrap().contains(" OK by md5 and sha256, "), "{}", ran.stderr);
}

#[test]
fn several_algorithms_are_all_compared() {
    let dir = Dir::new();
    dir.write("a", "1");
    let (md5, sha1) = (digest("md5", "1"), digest("sha1", "2"));
    dir.write("list", format!("MD5 (a) = {md5}\nSHA1 (a) = {sha1}\n"));
    dir.hashlane(["check", "-v", "list"]).run().code(4).printed(format!(
        "a: COLLISION (one digest is as listed, another is not)\n    sha1 listed   {sha1}\n    \
             sha1 computed {}\n",
        digest("sha1", "1")
    ));
    dir.hashlane(["check", "-a", "md5", "list"]).run().code(0).printed("a: OK\n");
}

#[test]
fn quiet_and_status_say_less_and_mean_the_same() {
    let dir = mixed();
    dir.hashlane(["check", "--quiet", "SHA256SUMS"])
        .run()
        .code(6)
        .printed("c: FAILED\ngone: FAILED open or read\n");
    dir.hashlane(["check", "--status", "SHA256SUMS"]).run().code(6).printed("").said(&[]);
    dir.hashlane(["check", "--status", "nowhere"]).run().code(16).printed("").said(&[]);
    dir.write("SHA256SUMS", gnu(&[("a", "1")]));
    dir.hashlane(["check", "--quiet", "SHA256SUMS"]).run().code(0).printed("").said(&[]);
}

#[test]
fn missing_files_can_be_ignored_but_nothing_verified_is_no_success() {
    let dir = mixed();
    dir.hashlane(["check", "--ignore-missing", "SHA256SUMS"])
        .run()
        .code(4)
        .printed("a: OK\nc: FAILED\nb: OK\n");
    dir.write("SHA256SUMS", gnu(&[("gone", "1"), ("gone too", "2")]));
    dir.hashlane(["check", "--ignore-missing", "SHA256SUMS"])
        .run()
        .code(16)
        .printed("")
        .said(&["no file was verified", "0 OK; 0 files, 0 B (0 B)"]);
}

#[test]
fn fail_fast_stops_at_the_first_failure() {
    let dir = mixed();
    let ran = dir.hashlane(["check", "--fail-fast", "SHA256SUMS"]).run().code(4);
    ran.printed("a: OK\nc: FAILED\n");
    dir.write("MD5SUMS", gnu(&[("a", "wrong")]).repeat(20_000));
    dir.hashlane(["check", "--fail-fast", "-a", "sha256", "MD5SUMS"]).run().code(4).printed("a: FAILED\n");
}

#[test]
fn a_file_whose_size_and_time_are_as_listed_is_corrupt_and_not_just_changed() {
    let dir = Dir::new();
    dir.write("rotten", "content").write("edited", "content").write("fine", "content");
    for format in ["jsonl", "csv"] {
        dir.write("rotten", "content").write("edited", "content");
        dir.hashlane(["sum", "-q", "--manifest-format", format, "-o", "list", "edited", "fine", "rotten"])
            .run()
            .code(0);
        dir.corrupt("rotten", "c0ntent").write("edited", "different");
        dir.hashlane(["check", "list"])
            .run()
            .code(4 + 8)
            .printed(
                "edited: FAILED\nfine: OK\nrotten: FAILED (corrupt: neither size nor time says that it was written)\n",
            )
            .said(&["1 OK by sha256, 1 mismatch, 1 corrupt; 3 files, 23 B (23 B)"]);
    }
}

#[test]
fn a_size_that_differs_is_named() {
    let dir = Dir::new();
    dir.write("a", "123").write("list", format!("path,size_bytes,sha256\na,2,{}\n", digest("sha256", "123")));
    let collision = "a: COLLISION (a digest is as listed, the size is not)\n";
    dir.hashlane(["check", "list"]).run().code(4).printed(collision);
    let sizes = "    size listed   2\n    size read     3\n";
    dir.hashlane(["check", "-v", "list"]).run().code(4).printed(collision.to_owned() + sizes);
    let ran = dir.hashlane(["check", "--format", "json", "list"]).run().code(4);
    let line: serde_json::Value = serde_json::from_slice(ran.lines()[0]).unwrap();
    assert_eq!((&line["expected_size_bytes"], &line["read_size_bytes"]), (&2.into(), &3.into()));
    let ran = dir.hashlane(["check", "--audit", "list"]).run().code(4);
    ran.printed("a: COLLISION (a digest is as listed, the size is not)\n");
    dir.write("other", format!("path,size_bytes,sha256\na,3,{}\n", digest("sha256", "123")));
    let differs = "a: COLLISION (a digest is the same, the size is not)\n";
    dir.hashlane(["diff", "list", "other"]).run().code(4).printed(differs);
    // No digest is the same.
    dir.write("list", format!("path,size_bytes,sha256\na,2,{}\n", digest("sha256", "12")));
    dir.hashlane(["check", "list"]).run().code(4).printed("a: FAILED\n");
}

#[test]
fn json_has_an_object_for_each_file_and_a_summary() {
    let dir = mixed();
    let ran = dir.hashlane(["check", "--format", "json", "SHA256SUMS"]).run().code(6);
    let text = String::from_utf8(ran.stdout).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = lines.iter().map(|line| line["verdict"].as_str().unwrap_or("")).collect();
    assert_eq!(verdicts, ["ok", "mismatch", "missing", "ok", ""]);
    assert!(lines.iter().all(|line| line["schema"] == "hashlane-check" && line["version"] == 1));
    assert_eq!(lines[1]["expected"]["sha256"], digest("sha256", "3"));
    assert_eq!(lines[1]["computed"]["sha256"], digest("sha256", "changed"));
    assert_eq!(lines[2]["problem"], "No such file or directory");
    assert_eq!(lines[4]["summary"]["ok"], 2);
    assert_eq!(lines[4]["summary"]["missing"], 1);
    dir.write(b"\xff", "5").write("SHA256SUMS", [digest("sha256", "5").as_bytes(), b"  \xff\n"].concat());
    let ran = dir.hashlane(["check", "--format", "json", "SHA256SUMS"]).run().code(0);
    let line: serde_json::Value = serde_json::from_slice(ran.lines()[0]).unwrap();
    assert_eq!((&line["path"], &line["path_b64"]), (&"\u{fffd}".into(), &"/w==".into()));
}

#[test]
fn several_manifests_are_one_check() {
    let dir = mixed();
    dir.write("MD5SUMS", format!("{}  a\n", digest("md5", "1")));
    dir.write("more.sha256", gnu(&[("b", "2")]));
    dir.hashlane(["check", "MD5SUMS", "SHA256SUMS", "more.sha256"])
        .run()
        .code(6)
        .printed(format!("a: OK\n{MIXED}b: OK\n"));
    dir.hashlane(["check", "MD5SUMS", "nowhere", "more.sha256"])
        .run()
        .code(16)
        .printed("a: OK\nb: OK\n")
        .said(&["nowhere: No such file or directory", "2 OK by md5 and sha256; 2 files, 2 B (2 B)"]);
}

#[test]
fn a_manifest_comes_from_standard_input_without_a_name_or_by_a_dash() {
    let dir = mixed();
    let list = format!("SHA256 (a) = {}\n", digest("sha256", "1"));
    dir.hashlane(["check"]).input(list.clone()).run().code(0).printed("a: OK\n");
    dir.hashlane(["check", "-"]).input(list).run().code(0).printed("a: OK\n");
    let ran = dir.hashlane(["check"]).input(gnu(&[("a", "changed")])).run().code(16).printed("");
    assert!(ran.messages()[0].starts_with("standard input: a digest of 32 bytes can be "), "{}", ran.stderr);
    dir.hashlane(["check"])
        .run()
        .code(16)
        .said(&["standard input: nothing to verify: the manifest has no lines"]);
}

#[test]
fn standard_input_that_was_listed_is_read_again() {
    let dir = Dir::new();
    dir.write("SHA256SUMS", gnu(&[("-", "hello")]));
    dir.hashlane(["check", "SHA256SUMS"]).input("hello").run().code(0).printed("-: OK\n");
    dir.hashlane(["check", "SHA256SUMS"]).input("other").run().code(4).printed("-: FAILED\n");
}

#[test]
fn standard_input_is_read_once_and_every_other_listing_of_it_fails() {
    let dir = Dir::new();
    dir.write("a", "1").write("SHA256SUMS", gnu(&[("-", "hello"), ("-", ""), ("a", "1")]));
    dir.hashlane(["check", "SHA256SUMS"])
        .input("hello")
        .run()
        .code(16)
        .printed("-: OK\na: OK\n-: FAILED open or read\n")
        .said(&[
            "-: standard input can be read only once",
            "2 OK by sha256, 1 unreadable; 2 files, 6 B (6 B)",
        ]);
    let manifest = gnu(&[("-", ""), ("a", "1")]);
    dir.hashlane(["check", "-a", "sha256"])
        .input(manifest)
        .run()
        .code(16)
        .printed("a: OK\n-: FAILED open or read\n");
    dir.hashlane(["check", "-", "-"])
        .run()
        .code(64)
        .said(&["`-` is named twice; standard input can be read only once"]);
}

#[test]
fn names_are_escaped_in_verdicts_as_coreutils_does() {
    let dir = Dir::new();
    dir.write("new\nline", "1").write("back\\slash", "2").write("tab\t", "3");
    let list = dir.hashlane(["sum", "-q", "."]).run().code(0).stdout;
    dir.hashlane(["check", "-a", "sha256"])
        .input(list)
        .run()
        .code(0)
        .printed("\\./back\\\\slash: OK\n\\./new\\nline: OK\n./tab\t: OK\n");
}
