//! `hashlane sum`: formats, names and order of what is named.

use crate::work::{Dir, digest, gnu};

fn two_files() -> Dir {
    let dir = Dir::new();
    dir.write("a/b", "1\n").write("a.b", "2\n").write("a-b", "3\n");
    dir
}

#[test]
fn a_tree_is_printed_as_sha256sum_prints_it() {
    let dir = two_files();
    let lines = gnu(&[("./a-b", "3\n"), ("./a.b", "2\n"), ("./a/b", "1\n")]);
    dir.hashlane(["sum", "."]).run().code(0).printed(lines).said(&["3 files, 6 B (6 B)"]);
}

#[test]
fn names_begin_as_they_were_given() {
    let dir = two_files();
    let b = |name| gnu(&[(name, "1\n")]);
    for (given, printed) in
        [("a", "a/b"), ("a/", "a/b"), ("./a", "./a/b"), ("a//", "a//b"), ("a/../a", "a/../a/b")]
    {
        dir.hashlane(["sum", "-q", given]).run().code(0).printed(b(printed)).said(&[]);
    }
    let absolute = dir.path("a").to_str().unwrap().to_owned();
    dir.hashlane(["sum", "-q", &absolute]).run().code(0).printed(b(&format!("{absolute}/b")));
}

#[test]
fn several_paths_keep_the_order_given() {
    let dir = two_files();
    let lines = gnu(&[("a/b", "1\n"), ("a-b", "3\n"), ("a.b", "2\n"), ("a-b", "3\n")]);
    dir.hashlane(["sum", "-q", "a", "a-b", "a.b", "a-b"]).run().code(0).printed(lines);
}

#[test]
fn several_algorithms_make_bsd_lines_in_the_order_asked_for() {
    let dir = two_files();
    let line = |tag: &str, name: &str| format!("{tag} (a/b) = {}\n", digest(name, "1\n"));
    let lines = [line("SHA1", "sha1"), line("MD5", "md5"), line("BLAKE3", "blake3")].concat();
    dir.hashlane(["sum", "-q", "-a", "sha1,md5", "-a", "blake3,sha1", "a"]).run().code(0).printed(lines);
}

#[test]
fn every_manifest_format_is_written() {
    let dir = two_files();
    dir.set_modified("a/b", std::time::UNIX_EPOCH);
    let hex = digest("sha256", "1\n");
    let base64 = "Q1WkaxnTSNwvV8BG+O9j1FOOu5NgAPPJ7pVKJ0YN2GU=";
    let time = "1970-01-01T00:00:00.000000000Z";
    let root = dir.root().canonicalize().unwrap();
    let prompt = if rustix::process::geteuid().is_root() { '#' } else { '$' };
    let program = crate::work::HASHLANE;
    let expected = [
        ("gnu", format!("{hex}  a/b\n")),
        ("bsd", format!("SHA256 (a/b) = {hex}\n")),
        ("base64", format!("SHA256 (a/b) = {base64}\n")),
        ("base64-untagged", format!("{base64}  a/b\n")),
        (
            "hashdeep",
            format!(
                "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n## Invoked from: {}\n\
                 ## {prompt} {program} sum -q --manifest-format hashdeep a\n## hashlane root: a\n## \n2,{hex},a/b\n",
                root.display()
            ),
        ),
        (
            "jsonl",
            format!(
                "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"a/b\",\"size_bytes\":2,\
                 \"mtime\":\"{time}\",\"digests\":{{\"sha256\":\"{hex}\"}},\"outcome\":\"read\"}}\n"
            ),
        ),
        ("csv", format!("path,size_bytes,mtime,sha256,path_b64\na/b,2,{time},{hex},\n")),
    ];
    for (format, text) in expected {
        dir.hashlane(["sum", "-q", "--manifest-format", format, "a"]).run().code(0).printed(text).said(&[]);
    }
}

#[test]
fn tag_base64_and_zero_are_what_they_are_elsewhere() {
    let dir = two_files();
    let hex = digest("sha256", "1\n");
    let base64 = "SHA256 (a/b) = Q1WkaxnTSNwvV8BG+O9j1FOOu5NgAPPJ7pVKJ0YN2GU=\n";
    dir.hashlane(["sum", "-q", "--tag", "a"]).run().code(0).printed(format!("SHA256 (a/b) = {hex}\n"));
    dir.hashlane(["sum", "-q", "--base64", "a"]).run().code(0).printed(base64);
    dir.hashlane(["sum", "-q", "--base64", "--tag", "a"]).run().code(0).printed(base64);
    dir.write("new\nline", "1\n");
    dir.hashlane(["sum", "-q", "-z", "new\nline"]).run().code(0).printed(format!("{hex}  new\nline\0"));
    dir.hashlane(["sum", "-q", "new\nline"]).run().code(0).printed(format!("\\{hex}  new\\nline\n"));
}

#[test]
fn a_header_says_which_run_wrote_the_manifest() {
    let dir = two_files();
    let text =
        String::from_utf8(dir.hashlane(["sum", "-q", "--header", "a", "-"]).run().code(0).stdout).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("# hashlane program: hashlane "), "{text}");
    assert!(lines[1].ends_with("hashlane sum -q --header a -"), "{text}");
    assert_eq!(lines[2], format!("# hashlane cwd: {}", dir.root().canonicalize().unwrap().display()));
    assert!(lines[3].starts_with("# hashlane started: 20") && lines[3].ends_with('Z'), "{text}");
    assert_eq!(lines[4..6], ["# hashlane algorithm: sha256", "# hashlane root: a"]);
    assert_eq!(lines[6], format!("{}  a/b", digest("sha256", "1\n")), "standard input is no root: {text}");
}

#[test]
fn what_a_format_cannot_hold_is_refused_before_anything_is_read() {
    let dir = two_files();
    let refused = |arguments: &[&str], message: &str| {
        dir.hashlane(["sum", "-o", "list"]).args(arguments).run().code(64).printed("").said(&[message]);
        assert!(!dir.has("list") && !dir.has("list.partial"), "{arguments:?}");
    };
    refused(
        &["--manifest-format", "gnu", "-a", "md5,sha1", "a"],
        "a gnu manifest can store one algorithm, not 2; use bsd, base64, hashdeep, jsonl or csv",
    );
    refused(
        &["--manifest-format", "csv", "--zero", "a"],
        "a csv manifest cannot end its lines with NUL; --zero goes with gnu, bsd, base64, multihash, ni and sri",
    );
    refused(
        &["--manifest-format", "hashdeep", "--strict-hashdeep", "-a", "blake3", "a"],
        "hashdeep supports md5, sha1, sha256, tiger and whirlpool, not blake3; use one of these, or jsonl or csv",
    );
}

#[test]
fn a_name_that_the_format_cannot_hold_is_reported_and_the_others_are_listed() {
    let dir = Dir::new();
    dir.write("d/a", "1").write("d/b\nc", "2").write("d/e", "3");
    let ran = dir.hashlane(["sum", "--manifest-format", "hashdeep", "--no-header", "d"]).run().code(16);
    let rows =
        [("a", "1"), ("e", "3")].map(|(name, content)| format!("1,{},d/{name}\n", digest("sha256", content)));
    ran.printed(format!("%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n{}", rows.concat())).said(&[
        "\"d/b\\nc\": a hashdeep manifest cannot store a name with a newline; use jsonl or csv",
        "3 files, 3 B (3 B)",
    ]);
}

#[test]
fn every_engine_and_any_number_of_jobs_give_the_same_lines() {
    let dir = Dir::new();
    for (name, size) in
        [("empty", 0), ("one", 1), ("slot", 128 << 10), ("big", 3 << 20), ("odd", (5 << 20) + 77)]
    {
        let content: Vec<u8> =
            (0..size).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        dir.write(format!("d/{name}"), content);
    }
    let algorithms = "sha256,blake3,xor32";
    let reference = dir.hashlane(["sum", "-q", "-a", algorithms, "d"]).run().code(0).stdout;
    for engine in ["buffered", "direct", "mmap", "uring"] {
        for jobs in ["1", "2", "7"] {
            dir.hashlane(["sum", "-q", "-a", algorithms, "--engine", engine, "-j", jobs, "d"])
                .run()
                .code(0)
                .printed(&reference);
        }
    }
}

#[test]
fn what_is_read_once_for_many_names_is_not_counted_as_read_for_each() {
    let dir = Dir::new();
    dir.write("t/a", "x".repeat(6_000));
    for number in 0..20 {
        std::fs::hard_link(dir.path("t/a"), dir.path(format!("t/l{number}"))).expect("a link");
    }
    let ran = dir.hashlane(["sum", "t"]).run().code(0);
    let said = "21 files, 126 kB (123 KiB) by all their names, 6.00 kB (5.86 KiB) read in ";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}
