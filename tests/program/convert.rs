//! `hashlane convert` and `hashlane formats`: what is carried over, what is left behind, and what is said of it.

use serde_json::Value;

use crate::work::{Dir, digest, gnu, have, printed};

/// Formats that are written, besides those of one algorithm without sizes.
fn written() -> Vec<String> {
    let dir = Dir::new();
    let listed: Value =
        serde_json::from_slice(&dir.hashlane(["formats", "--format", "json"]).run().code(0).stdout).unwrap();
    let formats = listed.as_array().unwrap().iter().filter(|format| format["write"] == true);
    formats.map(|format| format["name"].as_str().unwrap().to_owned()).collect()
}

fn files() -> Dir {
    let dir = Dir::new();
    dir.make("d").write("d/a b", "1").write("d/c|d %.txt", "2").write("d/größe", "");
    dir
}

#[test]
fn formats_are_listed_with_what_they_hold() {
    let text = printed(&Dir::new().hashlane(["formats"]).run().code(0));
    for name in written() {
        assert!(
            text.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))),
            "{name}: {text}"
        );
    }
    let sfv = text.lines().find(|line| line.contains("name CRC32")).unwrap();
    assert!(sfv.contains("one") && sfv.contains(".sfv"), "{sfv}");
    let nsrl = text.lines().find(|line| line.trim_start().starts_with("nsrl")).unwrap();
    assert!(nsrl.contains("yes   –"), "{nsrl}");
}

#[test]
fn what_is_converted_into_any_format_still_holds() {
    let dir = files();
    dir.hashlane([
        "sum",
        "-q",
        "-a",
        "sha256,crc32,md5",
        "--manifest-format",
        "jsonl",
        "-o",
        "all.jsonl",
        "d",
    ])
    .run()
    .code(0);
    let formats = written();
    assert!(formats.len() >= 12, "{formats:?}");
    for format in formats {
        let algorithm = match &format[..] {
            "mhl" => "md5",
            "sfv" => "crc32",
            _ => "sha256",
        };
        let line =
            ["convert", "-q", "--force", "-a", algorithm, "--manifest-format", &format, "all.jsonl", "list"];
        dir.hashlane(line).run().code(0).said(&[]);
        // It looks as gnu does, and is known by the name of the file.
        let told: &[&str] = if format == "bagit" { &["--manifest-format", "bagit"] } else { &[] };
        let ran = dir.hashlane(["check", "-a", algorithm, "list"]).args(told).run().code(0);
        assert_eq!(ran.lines().len(), 3, "{format}: {}", ran.stderr);
        // And it comes back as what it was, as far as it goes.
        let back = ["convert", "-q", "-a", algorithm, "--manifest-format", "gnu", "list", "-"];
        let expected = ["convert", "-q", "-a", algorithm, "--manifest-format", "gnu", "all.jsonl", "-"];
        let expected = dir.hashlane(expected).run().code(0).stdout;
        let back = dir.hashlane(back).args(["--from", &format]).run().code(0).stdout;
        assert_eq!(String::from_utf8_lossy(&back), String::from_utf8_lossy(&expected), "{format}");
    }
}

#[test]
fn what_is_left_behind_is_said() {
    let dir = files();
    dir.hashlane(["sum", "-q", "-a", "sha256,md5", "--manifest-format", "jsonl", "-o", "all.jsonl", "d"])
        .run()
        .code(0);
    dir.hashlane(["convert", "all.jsonl", "SHA256SUMS", "-a", "sha256"]).run().code(0).printed("").said(&[
        "3 listed files: jsonl to gnu",
        "sizes and times were dropped: gnu cannot store them",
        "digests that were not requested were dropped: md5",
    ]);
    dir.hashlane(["check", "SHA256SUMS"]).run().code(0);
    let ran = dir.hashlane(["convert", "--manifest-format", "gnu", "all.jsonl", "none"]).run().code(64);
    ran.said(&["a gnu manifest can store one algorithm, not 2; use bsd, base64, hashdeep, jsonl or csv; or choose one with --algorithm sha256"]);
    assert!(!dir.has("none") && !dir.has("none.partial"));
}

#[test]
fn the_name_of_the_new_file_tells_its_format() {
    let dir = files();
    dir.write("SHA256SUMS", gnu(&[("a", "1")]));
    dir.hashlane(["convert", "-q", "SHA256SUMS", "list.csv"]).run().code(0);
    assert!(dir.read("list.csv").starts_with(b"path,size_bytes,mtime,sha256,path_b64\na,,,"));
    dir.hashlane(["convert", "-q", "--force", "SHA256SUMS", "list.csv", "--tag"]).run().code(0);
    assert_eq!(
        String::from_utf8(dir.read("list.csv")).unwrap(),
        format!("SHA256 (a) = {}\n", digest("sha256", "1"))
    );
}

#[test]
fn an_entry_that_cannot_be_carried_over_is_no_success() {
    let dir = Dir::new();
    let one = digest("sha256", "1");
    dir.write("SHA256SUMS", format!("{one}  a\n\\{one}  b\\nc\n{}  d\nby hand\n", &one[..60]));
    let ran =
        dir.hashlane(["convert", "SHA256SUMS", "list", "--manifest-format", "md5deep-csv"]).run().code(16);
    ran.said(&[
        "SHA256SUMS: line 2: \"b\\nc\": an md5deep-csv manifest cannot store a name with a newline; use jsonl or csv",
        &format!(
            "SHA256SUMS: line 3: a sha256 digest has 64 hexadecimal or 44 base64 characters, not 60: \"{}  d\"",
            &one[..60]
        ),
        "1 listed file: gnu to md5deep-csv, 2 left out, 1 line without a file skipped",
    ]);
    assert_eq!(dir.read("list"), format!("{one},a\n").as_bytes());
    dir.write("SHA256SUMS", "by hand\n");
    dir.hashlane(["convert", "SHA256SUMS", "other"]).run().code(64);
    dir.write("empty", "");
    dir.hashlane(["convert", "empty", "other"])
        .run()
        .code(16)
        .said(&["empty: nothing to convert: the manifest has no lines"]);
    assert!(!dir.has("other"));
    dir.hashlane(["convert", "nowhere", "other"])
        .run()
        .code(16)
        .said(&["nowhere: No such file or directory"]);
    dir.hashlane(["convert", "list", "list"])
        .run()
        .code(64)
        .said(&["list: is also an input; name another file"]);
    dir.hashlane(["convert", "list", "x", "-a", "sha256", "--manifest-format", "nsrl"])
        .run()
        .code(64)
        .said(&["nsrl can be read but not written; `hashlane formats` shows which formats can be written"]);
}

#[test]
fn a_set_of_known_contents_is_converted_and_not_checked() {
    let dir = Dir::new();
    let (sha1, md5) = (digest("sha1", "1"), digest("md5", "1"));
    let header = "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"";
    dir.write(
        "NSRLFile.txt",
        format!("{header}\r\n\"{sha1}\",\"{md5}\",\"\",\"A.EXE\",1,7,\"362\",\"\"\r\n"),
    );
    dir.hashlane(["convert", "-q", "-a", "sha1", "NSRLFile.txt"])
        .run()
        .code(0)
        .printed(format!("{sha1}  A.EXE\n"));
    dir.hashlane(["check", "NSRLFile.txt"]).run().code(64).said(&[
        "NSRLFile.txt: a set of known contents (nsrl), whose names are from another machine; there is nothing to check",
    ]);
}

#[test]
fn lists_of_md5deep_and_rhash_are_checked_and_ours_by_rhash() {
    if !have("sha1deep") || !have("rhash") {
        return;
    }
    let dir = files();
    for options in ["-rl", "-rlz", "-rlc", "-rlcz", "-rlZ"] {
        dir.shell(&format!("sha1deep {options} d > list")).run().code(0);
        let ran = dir.hashlane(["check", "list"]).run().code(0);
        assert_eq!(ran.lines().len(), 3, "{options}: {}", ran.stderr);
    }
    dir.shell("rhash --sfv -r d > theirs.sfv").run().code(0);
    assert_eq!(dir.hashlane(["check", "theirs.sfv"]).run().code(0).lines().len(), 3);
    dir.hashlane(["sum", "-q", "-a", "crc32", "--manifest-format", "sfv", "-o", "ours.sfv", "d"])
        .run()
        .code(0);
    dir.shell("rhash -c ours.sfv").run().code(0);
}

/// Two files and their md5.
fn with_md5() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two");
    dir.hashlane(["sum", "-q", "-a", "md5", "-o", "MD5SUMS", "t"]).run().code(0);
    dir
}

#[test]
fn an_old_manifest_gets_new_digests_of_the_same_reading_if_the_old_ones_hold() {
    let dir = with_md5();
    let ran = dir.hashlane(["convert", "--add", "sha256", "MD5SUMS", "SUMS"]).run().code(0);
    ran.said(&["2 files, 6 B (6 B)", "2 listed files: gnu to bsd"]);
    let both = dir.hashlane(["sum", "-q", "-a", "md5,sha256", "t"]).run().code(0);
    assert_eq!(dir.read("SUMS"), both.stdout);
    dir.hashlane(["convert", "-q", "--add", "sha256", "-a", "sha256", "MD5SUMS", "SHA256SUMS"]).run().code(0);
    assert_eq!(dir.read("SHA256SUMS"), gnu(&[("t/a", "one"), ("t/b", "two")]).into_bytes());
    // What is listed already is verified and not listed twice.
    dir.hashlane(["convert", "-q", "--add", "md5,sha256", "SUMS"]).run().code(0).printed(both.stdout);
}

#[test]
fn nothing_is_added_to_a_file_that_is_not_as_listed() {
    let dir = with_md5();
    dir.write("t/a", "1").write("SUMS", "what was there before\n");
    let ran = dir.hashlane(["convert", "--force", "--add", "sha256", "MD5SUMS", "SUMS"]).run().code(4);
    ran.said_among_others(&[
        "MD5SUMS: line 1: t/a: md5 is c4ca4238a0b923820dcc509a6f75849b, not f97c5d29941bfb1b2fdab0874906ab82 as listed",
        "finished results are in SUMS.partial",
        "1 listed file: gnu to bsd, 1 left out",
    ]);
    assert_eq!(dir.read("SUMS"), b"what was there before\n");
    let partial = String::from_utf8(dir.read("SUMS.partial")).unwrap();
    assert!(partial.contains("(t/b)") && !partial.contains("(t/a)"), "{partial}");
    std::fs::remove_file(dir.path("t/b")).unwrap();
    dir.hashlane(["convert", "--force", "--add", "sha256", "MD5SUMS", "SUMS"]).run().code(6);
}

#[test]
fn names_may_be_relative_to_a_base_and_do_not_lead_out_of_it() {
    let dir = with_md5();
    dir.write("LIST", "f97c5d29941bfb1b2fdab0874906ab82  a\nb8a9f715dbb64fd5c56e7783c6820a61  ../t/b\n");
    let convert = ["convert", "--add", "sha256", "-a", "sha256", "--base", "t", "LIST"];
    dir.hashlane(convert).run().code(64).said_among_others(&["LIST: a digest of 16 bytes can be md5, md4"]);
    let ran = dir.hashlane(convert).args(["--from-algorithm", "md5"]).run().code(16);
    ran.printed(gnu(&[("a", "one")])).said_among_others(&["LIST: line 2: ../t/b: leads out of --base t"]);
    dir.hashlane(["convert", "--base", "t", "LIST"]).run().code(64);
}

#[test]
fn names_that_begin_with_the_base_are_read_there_and_written_as_they_were() {
    let dir = with_md5();
    let absolute = dir.path("t").to_str().unwrap().to_owned();
    let convert = |above: &str| {
        let lines = format!(
            "f97c5d29941bfb1b2fdab0874906ab82  {above}/a\nb8a9f715dbb64fd5c56e7783c6820a61  {above}/b\n"
        );
        dir.write("LIST.md5", lines);
        dir.hashlane(["convert", "--add", "sha256", "-a", "sha256", "--base", "t", "LIST.md5"]).run()
    };
    convert(&absolute)
        .code(0)
        .printed(gnu(&[(&format!("{absolute}/a"), "one"), (&format!("{absolute}/b"), "two")]));
    // Relative names mean what lies below the base, whatever they begin with.
    convert("t").code(2).said_among_others(&["LIST.md5: line 1: t/a: No such file or directory"]);
    dir.write("LIST.md5", "f97c5d29941bfb1b2fdab0874906ab82  /old/a\n");
    let ran = dir.hashlane(["convert", "--add", "sha256", "--base", "t", "LIST.md5", "out"]).run().code(64);
    ran.said(&[
        "LIST.md5: /old/a does not lie below --base t; name the directory that it lies in, or leave it out",
    ]);
    assert!(!dir.has("out"));
}

#[test]
fn objects_are_not_read_as_files() {
    let dir = with_md5();
    dir.write("LIST.md5", "f97c5d29941bfb1b2fdab0874906ab82  s3://b/a\n");
    for base in [&[][..], &["--base", "t"]] {
        let ran = dir.hashlane(["convert", "--add", "sha256", "LIST.md5", "out"]).args(base).run().code(64);
        ran.said(&["--add: LIST.md5: s3://b/a is an object, and files are read; `hashlane sum --algorithm` lists objects with more digests"]);
        assert!(!dir.has("out"));
    }
    dir.write(
        "LIST.md5",
        "f97c5d29941bfb1b2fdab0874906ab82  t/a\nf97c5d29941bfb1b2fdab0874906ab82  s3://b/a\n",
    );
    let ran = dir.hashlane(["convert", "--add", "sha256", "-a", "sha256", "LIST.md5"]).run().code(16);
    ran.printed(gnu(&[("t/a", "one")])).said_among_others(&[
        "LIST.md5: line 2: s3://b/a: is the name of an object, and files are looked for",
    ]);
}

#[test]
fn sizes_and_times_of_the_reading_are_listed_where_there_is_a_place_for_them() {
    let dir = with_md5();
    dir.hashlane(["convert", "-q", "--add", "sha256", "MD5SUMS", "list.csv"]).run().code(0);
    let list = dir.hashlane(["sum", "-q", "-a", "md5,sha256", "--manifest-format", "csv", "t"]).run().code(0);
    assert_eq!(dir.read("list.csv"), list.stdout);
}

#[test]
fn digests_of_pieces_are_carried_over_or_said_to_be_left_behind() {
    let dir = Dir::new();
    let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    dir.write(
        "pieces.jsonl",
        format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"a\",\"size_bytes\":4,\
             \"digests\":{{\"sha256\":\"{digest}\"}},\"pieces\":{{\"piece_bytes\":3,\"end_bytes\":4,\
             \"digests\":{{\"sha256\":[\"{digest}\",\"{digest}\"]}}}}}}\n"
        ),
    );
    let convert = |format: &str, input: &str| {
        dir.hashlane(["convert", "--manifest-format", format, input, "-"]).run().code(0)
    };
    let listed = convert("gnu", "pieces.jsonl");
    assert_eq!(printed(&listed), format!("{digest}  a offset 0-2\n{digest}  a offset 3-3\n{digest}  a\n"));
    dir.write("pieces.xml", printed(&convert("dfxml", "pieces.jsonl")));
    assert_eq!(printed(&convert("jsonl", "pieces.xml")), printed(&convert("jsonl", "pieces.jsonl")));
    convert("multihash", "pieces.jsonl")
        .said_among_others(&["sizes and digests of pieces were dropped: multihash cannot store them"]);
}

#[test]
fn nothing_is_written_under_the_name_of_a_manifest_of_a_bag_that_would_be_read_otherwise() {
    let dir = Dir::new();
    dir.write("data/100%25", "1").write("data/a%0Ab", "2");
    for format in [&[][..], &["--manifest-format", "gnu"]] {
        let ran = dir.hashlane(["sum", "-o", "manifest-sha256.txt", "data"]).args(format).run().code(64);
        ran.said(&[
            "--output manifest-sha256.txt: would be read as a manifest of a bag because of its name; use --manifest-format bagit, or name another file",
        ]);
    }
    dir.hashlane(["sum", "-q", "-o", "l.jsonl", "--manifest-format", "jsonl", "data"]).run().code(0);
    dir.hashlane(["convert", "l.jsonl", "manifest-sha256.txt"]).run().code(64);
    let bagit = ["--manifest-format", "bagit"];
    dir.hashlane(["convert", "l.jsonl", "manifest-sha512.txt"]).args(bagit).run().code(64);
    dir.hashlane(["convert", "l.jsonl", "manifest-sha256.txt"]).args(bagit).run().code(0);
    assert!(dir.read("manifest-sha256.txt").ends_with(b"  data/a%250Ab\n"));
    dir.hashlane(["check", "-q", "manifest-sha256.txt"]).run().code(0).printed("");
    dir.hashlane(["convert", "l.jsonl", "other.bagit", "--manifest-format", "gnu"]).run().code(64);
    // Any list may be called so.
    dir.hashlane(["sum", "-q", "-o", "manifest-of-photos.txt", "data"]).run().code(0);
    dir.hashlane(["check", "-q", "-a", "sha256", "manifest-of-photos.txt"]).run().code(0).printed("");
}

#[test]
fn a_file_that_was_not_read_does_not_tell_the_algorithms() {
    let dir = Dir::new();
    dir.write("t/a", "1");
    let sum = ["sum", "-q", "-a", "md5,sha1", "--manifest-format", "jsonl", "-o", "l.jsonl", "gone", "t"];
    dir.hashlane(sum).run().code(16);
    let ran = dir.hashlane(["convert", "l.jsonl", "-"]).run().code(16);
    let [md5, sha1] = ["md5", "sha1"].map(|algorithm| crate::work::digest(algorithm, "1"));
    ran.printed(format!("MD5 (t/a) = {md5}\nSHA1 (t/a) = {sha1}\n"));
    let ran = dir.hashlane(["convert", "--add", "sha256", "l.jsonl", "-"]).run().code(16);
    assert_eq!(ran.lines().len(), 3);
}

#[test]
fn no_name_tells_another_algorithm_than_the_lines_have() {
    let dir = Dir::new();
    dir.write("t/a", "1");
    let ran = dir.hashlane(["sum", "-a", "blake3", "-o", "SHA256SUMS", "t"]).run().code(64);
    ran.said(&[
        "--output SHA256SUMS: would be read as a list of sha256 instead of blake3 because of its name; use --tag, or name another file",
    ]);
    assert!(!dir.has("SHA256SUMS") && !dir.has("SHA256SUMS.partial"));
    dir.hashlane(["sum", "-q", "-a", "blake3", "--tag", "-o", "SHA256SUMS", "t"]).run().code(0);
    dir.hashlane(["check", "-q", "SHA256SUMS"]).run().code(0);
    dir.hashlane(["convert", "SHA256SUMS", "t.md5"]).run().code(64);
    dir.hashlane(["convert", "SHA256SUMS", "t.b3"]).run().code(0);
}

#[test]
fn what_is_dropped_is_named() {
    let dir = files();
    let sum = ["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "list.jsonl", "d"];
    dir.hashlane(sum).run().code(0);
    let of_header = "the header was dropped; --header writes one";
    let of_inodes = "inodes were dropped: without --header, which tells their age, they prove nothing";
    dir.hashlane(["convert", "list.jsonl"]).run().code(0).said(&[
        "3 listed files: jsonl to gnu",
        "sizes, times and inodes were dropped: gnu cannot store them",
        of_header,
    ]);
    let ran = dir.hashlane(["convert", "list.jsonl", "again.jsonl"]).run().code(0);
    ran.said(&["3 listed files: jsonl to jsonl", of_inodes, of_header]);
    let ran = dir.hashlane(["convert", "list.jsonl", "again.csv"]).run().code(0);
    ran.said(&[
        "3 listed files: jsonl to csv",
        "inodes were dropped: csv cannot store them",
        "the header was dropped: csv cannot store it",
    ]);
    let ran = dir.hashlane(["convert", "--header", "list.jsonl", "with.jsonl"]).run().code(0);
    ran.said(&["3 listed files: jsonl to jsonl"]);
    dir.hashlane(["convert", "-q", "list.jsonl"]).run().code(0).said(&[]);
    dir.write(
        "state.jsonl",
        "{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"s3://b/a\",\"digests\":\
        {\"md5\":\"0cc175b9c0f1b6a831c399e269772661\"},\"etag\":\"e\",\"version_id\":\"v\"}\n",
    );
    let ran = dir.hashlane(["convert", "state.jsonl", "state.csv"]).run().code(0);
    ran.said(&[
        "1 listed file: jsonl to csv",
        "entity tags and versions were dropped: csv cannot store them",
    ]);
    for index in ["1", "2"] {
        let (shard, list) = (format!("{index}/2"), format!("shard{index}"));
        let sum = ["sum", "-q", "--shard", &shard, "--manifest-format", "jsonl", "-o", &list, "d"];
        dir.hashlane(sum).run().code(0);
    }
    let ran = dir.hashlane(["merge", "-o", "merged", "shard1", "shard2"]).run().code(0);
    ran.said(&["3 listed files of 2 shards", of_inodes, of_header]);
    let ran = dir.hashlane(["merge", "--header", "-o", "merged", "shard1", "shard2"]).run().code(0);
    ran.said(&["3 listed files of 2 shards"]);
}

#[test]
fn names_are_written_without_the_secrets_of_urls() {
    let dir = Dir::new();
    dir.write(
        "SHA256SUMS",
        gnu(&[("http://me:pw@h/a", "1"), ("https://h/k?part=2&X-Amz-Signature=00", "2"), ("f", "3")]),
    );
    let bare = gnu(&[("http://...@h/a", "1"), ("https://h/k?part=2", "2"), ("f", "3")]);
    dir.hashlane(["convert", "SHA256SUMS", "--tag"]).run().code(0).said_among_others(&[
        "2 names were written without the secrets of URLs, as `hashlane sum` names objects",
    ]);
    dir.hashlane(["convert", "-q", "SHA256SUMS", "NEW"]).run().code(0).said(&[]);
    assert_eq!(dir.read("NEW").escape_ascii().to_string(), bare.as_bytes().escape_ascii().to_string());
}
