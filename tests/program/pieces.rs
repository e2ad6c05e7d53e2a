//! Digests of the pieces of files: written, verified and audited; and triage.

use hashlane_digest::Algorithm;
use serde_json::Value;

use crate::work::{Dir, have, printed};

/// What a piece is called in lists of hashdeep's kin.
fn piece_line(content: &[u8], from: usize, to: usize, name: &str) -> String {
    let digest = Algorithm::SHA256.digest(&content[from..to]);
    format!("{digest}  {name} offset {from}-{}\n", to - 1)
}

fn whole_line(content: &[u8], name: &str) -> String {
    format!("{}  {name}\n", Algorithm::SHA256.digest(content))
}

/// A long file, one of a piece, and one of nothing.
fn tree() -> (Dir, Vec<u8>) {
    let dir = Dir::new();
    let content: Vec<u8> = (0..2500_u32).map(|number| (number * 7 % 251) as u8).collect();
    dir.write("t/empty", "").write("t/long", &content).write("t/short", "abc");
    (dir, content)
}

/// The tree with a byte of its long file changed.
fn changed(dir: &Dir, content: &[u8], at: usize) {
    let mut content = content.to_vec();
    content[at] ^= 1;
    dir.write("t/long", content);
}

#[test]
fn each_piece_has_a_line_before_that_of_the_whole() {
    let (dir, content) = tree();
    let expected = [
        whole_line(b"", "t/empty"),
        piece_line(&content, 0, 1024, "t/long"),
        piece_line(&content, 1024, 2048, "t/long"),
        piece_line(&content, 2048, 2500, "t/long"),
        whole_line(&content, "t/long"),
        piece_line(b"abc", 0, 3, "t/short"),
        whole_line(b"abc", "t/short"),
    ];
    dir.hashlane(["sum", "-q", "--pieces", "1KiB", "t"]).run().code(0).printed(expected.concat());
    dir.hashlane(["sum", "-q", "--pieces", "1024"]).input(&*content).run().code(0).printed(
        [
            piece_line(&content, 0, 1024, "-"),
            piece_line(&content, 1024, 2048, "-"),
            piece_line(&content, 2048, 2500, "-"),
            whole_line(&content, "-"),
        ]
        .concat(),
    );
}

#[test]
fn a_check_says_which_bytes_differ() {
    for (format, reads) in [
        ("jsonl", None),
        ("dfxml", None),
        ("gnu", Some("--pieces")),
        ("bsd", Some("--pieces")),
        ("hashdeep", Some("--pieces")),
    ] {
        let (dir, content) = tree();
        dir.hashlane(["sum", "-q", "--pieces", "1KiB", "--manifest-format", format, "-o", "SHA256SUMS", "t"])
            .run()
            .code(0);
        let check = |more: &[&str]| {
            let given =
                ["check"].iter().copied().chain(reads).chain(more.iter().copied()).chain(["SHA256SUMS"]);
            dir.hashlane(given.collect::<Vec<_>>()).run()
        };
        check(&[]).code(0).printed("t/empty: OK\nt/long: OK\nt/short: OK\n");
        changed(&dir, &content, 1500);
        check(&["-q"]).code(4).printed("t/long: FAILED (1 of 3 pieces differs)\n");
        let said = printed(&check(&["-q", "-v"]).code(4));
        assert!(said.contains("    bytes 1024 to 2047 differ\n"), "{format}: {said}");
        let object = printed(&check(&["-q", "--format", "json"]).code(4));
        let object: Value = serde_json::from_str(object.lines().next().unwrap()).unwrap();
        let extents = serde_json::json!([{ "offset_bytes": 1024, "length_bytes": 1024 }]);
        assert_eq!(object["pieces"], serde_json::json!({ "listed": 3, "differing": 1, "extents": extents }));
        dir.write("t/long", &content[..1100]);
        let said = printed(&check(&["-q", "-v"]).code(4));
        assert!(said.contains("    bytes 1024 to 2499 differ\n"), "{format}: {said}");
    }
}

#[test]
fn names_like_those_of_pieces_are_names_unless_it_is_said() {
    let dir = Dir::new();
    dir.write("t/a offset 0-9", "0123456789");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    dir.hashlane(["check", "SHA256SUMS"]).run().code(0).printed("t/a offset 0-9: OK\n");
    dir.hashlane(["check", "--pieces", "SHA256SUMS"]).run().code(2);
    let (dir, _) = tree();
    dir.hashlane(["sum", "-q", "--pieces", "1KiB", "-o", "SHA256SUMS", "t"]).run().code(0);
    let said = dir.hashlane(["check", "SHA256SUMS"]).run().code(2).stderr;
    assert!(said.contains("--pieces"), "{said}");
}

#[test]
fn lists_of_pieces_are_audited() {
    let (dir, content) = tree();
    // As hashdeep -p writes it: no line of the whole, and none of a size that is that of the file.
    let sum =
        dir.hashlane(["sum", "-q", "--pieces", "1KiB", "--manifest-format", "hashdeep", "t"]).run().code(0);
    let pieces: Vec<_> = printed(&sum)
        .lines()
        .filter(|line| line.starts_with('%') || line.contains(" offset ") || line.starts_with("0,"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let pieces: String = pieces.concat().replace(",t/empty\n", ",t/empty offset 0-18446744073709551615\n");
    dir.write("PIECES", pieces);
    let audit = || dir.hashlane(["check", "--audit", "--pieces", "--root", "t", "PIECES"]).run();
    audit().code(0).printed("t/empty: OK\nt/long: OK\nt/short: OK\n");
    changed(&dir, &content, 0);
    audit().code(4).printed("t/empty: OK\nt/long: CHANGED\nt/short: OK\n");
    dir.write("t/long", &content);
    std::fs::rename(dir.path("t/long"), dir.path("t/moved")).unwrap();
    std::fs::remove_file(dir.path("t/short")).unwrap();
    dir.write("t/new", "new");
    audit().code(3).printed("t/empty: OK\nt/moved: MOVED from t/long\nt/new: NEW\nt/short: MISSING\n");
}

#[test]
fn lists_of_hashdeep_and_md5deep_in_pieces_are_read() {
    if !have("hashdeep") {
        return;
    }
    let (dir, content) = tree();
    dir.shell("hashdeep -l -r -p 1k t > PIECES; md5deep -l -r -p 1k t > PIECES.md5").run().code(0);
    for check in [&["check"][..], &["check", "--audit", "--root", "t"]] {
        for list in ["PIECES", "PIECES.md5"] {
            let check = || dir.hashlane(check.iter().copied().chain(["-a", "md5", "--pieces", list])).run();
            dir.write("t/long", &content);
            check().code(0);
            changed(&dir, &content, 2400);
            check().code(4);
        }
    }
}

#[test]
fn mistakes_with_pieces_say_the_way_out() {
    let (dir, _) = tree();
    let sum = |arguments: &[&str]| {
        dir.hashlane(["sum", "-q", "t"].iter().chain(arguments).copied()).run().code(64).printed("").stderr
    };
    for format in ["sfv", "csv", "checkm", "ace", "bagit", "multihash"] {
        let algorithm = if format == "sfv" { "crc32" } else { "sha256" };
        let said = sum(&["-a", algorithm, "--manifest-format", format, "--pieces", "1KiB"]);
        assert!(said.contains("jsonl"), "{format}: {said}");
    }
    assert!(sum(&["--pieces", "0"]).contains("at least 1 byte"));
    assert!(sum(&["--pieces", "1MiB", "--manifest-format", "triage"]).contains("triage"));
}

#[test]
fn triage_has_the_digest_of_the_beginning_as_md5deep_writes_it() {
    let (dir, content) = tree();
    dir.write("t/odd", &content[..512]).write("t/odder", &content[..513]);
    dir.hashlane(["sum", "-q", "-a", "md5", "--manifest-format", "triage", "-o", "TRIAGE", "t"])
        .run()
        .code(0);
    dir.hashlane(["check", "-a", "md5", "TRIAGE"]).run().code(0);
    if have("md5deep") {
        dir.shell(
            "md5deep -Z -r -l t | sort -t '\t' -k4 > EXPECTED; sort -t '\t' -k4 TRIAGE | cmp - EXPECTED",
        )
        .run()
        .code(0);
    }
    changed(&dir, &content, 2000);
    dir.hashlane(["check", "-q", "-a", "md5", "TRIAGE"]).run().code(4).printed("t/long: FAILED\n");
}

#[test]
fn pieces_of_several_files_may_be_mixed_as_threads_list_them() {
    let (dir, content) = tree();
    dir.write("t/other", &content[..2048]);
    let piece = |from, to, name| piece_line(&content, from, to, name);
    let mixed = [
        piece(0, 1024, "t/long"),
        piece(0, 1024, "t/other"),
        piece(1024, 2048, "t/long"),
        piece_line(b"abc", 0, 3, "t/short"),
        piece(1024, 2048, "t/other"),
        piece(2048, 2500, "t/long"),
    ];
    dir.write("SHA256SUMS", mixed.concat());
    let check = dir.hashlane(["check", "--pieces", "SHA256SUMS"]).run().code(0);
    assert_eq!(check.lines().len(), 3);
    dir.hashlane(["check", "--audit", "--pieces", "--root", "t", "--exclude", "empty", "SHA256SUMS"])
        .run()
        .code(0);
    if have("hashdeep") {
        for number in 0..4 {
            dir.write(format!("t/many{number}"), content.repeat(100 + number));
        }
        dir.shell("hashdeep -l -r -p 1k t > PIECES").run().code(0);
        dir.hashlane(["check", "--pieces", "PIECES"]).run().code(0);
        dir.hashlane(["check", "--audit", "--pieces", "--root", "t", "PIECES"]).run().code(0);
    }
}

#[test]
fn standard_input_is_verified_by_its_pieces() {
    let (dir, content) = tree();
    let sum = ["sum", "-q", "--pieces", "1KiB", "--manifest-format", "jsonl", "-o", "P.jsonl"];
    dir.hashlane(sum).input(&*content).run().code(0);
    dir.hashlane(["check", "P.jsonl"]).input(&*content).run().code(0).printed("-: OK\n");
    let said = "-: FAILED (3 of 3 pieces differ)\n";
    dir.hashlane(["check", "P.jsonl"]).input("x").run().code(4).printed(said);
}

#[test]
fn digests_are_added_beside_pieces() {
    let (dir, content) = tree();
    dir.hashlane(["sum", "-q", "--pieces", "1KiB", "--manifest-format", "jsonl", "-o", "P.jsonl", "t"])
        .run()
        .code(0);
    dir.hashlane(["convert", "-q", "--add", "md5", "P.jsonl", "Q.jsonl"]).run().code(0);
    let check = dir.hashlane(["check", "Q.jsonl"]).run().code(0);
    assert_eq!(check.lines().len(), 3);
    let added = String::from_utf8(dir.read("Q.jsonl")).unwrap();
    let first_piece = Algorithm::MD5.digest(&content[..1024]);
    assert!(added.contains(&first_piece.to_string()), "{added}");
    changed(&dir, &content, 0);
    let said = dir.hashlane(["convert", "--add", "md5", "P.jsonl", "R.jsonl"]).run().code(4).stderr;
    assert!(said.contains("t/long: sha256 is"), "{said}");
    dir.write("t/long", &content);
    let said = dir.hashlane(["convert", "--add", "sha1", "Q.jsonl", "S.csv"]).run().code(0).stderr;
    assert!(said.contains("digests of pieces"), "{said}");
}

#[test]
fn lists_with_pieces_are_not_updated_but_kept() {
    for (format, algorithm) in
        [("jsonl", "sha256"), ("dfxml", "sha256"), ("hashdeep", "sha256"), ("triage", "md5")]
    {
        let (dir, _) = tree();
        let pieces: &[&str] = if format == "triage" { &[] } else { &["--pieces", "1KiB"] };
        let given = ["sum", "-q", "-a", algorithm, "--manifest-format", format, "-o", "LIST", "t"];
        dir.hashlane(given.iter().chain(pieces)).run().code(0);
        let before = dir.read("LIST");
        let update = ["sum", "--update", "LIST", "--trust", "names", "-a", algorithm, "t"];
        let said = dir.hashlane(update).run().code(64).stderr;
        assert!(said.contains("make it again"), "{format}: {said}");
        assert_eq!(dir.read("LIST"), before, "{format}");
        assert!(!dir.has("LIST.partial"), "{format}");
    }
}

#[test]
fn what_a_list_says_of_one_content_in_two_ways_has_to_agree() {
    let (dir, _) = tree();
    let of = |content: &[u8]| Algorithm::SHA256.digest(content);
    let line = |piece: &[u8]| {
        let (whole, piece) = (of(b"abc"), of(piece));
        format!(
            r#"{{"schema":"hashlane-manifest","version":1,"path":"t/short","size_bytes":3,"digests":{{"sha256":"{whole}"}},"pieces":{{"piece_bytes":9,"end_bytes":3,"digests":{{"sha256":["{piece}"]}}}}}}"#
        )
    };
    dir.write("L.jsonl", line(b"abc")).hashlane(["check", "L.jsonl"]).run().code(0);
    dir.write("L.jsonl", line(b"abd"));
    assert_ne!(dir.hashlane(["check", "L.jsonl"]).run().status.code(), Some(0));
    // The digest of the beginning.
    dir.hashlane(["sum", "-q", "-a", "md5", "--manifest-format", "triage", "-o", "TRIAGE", "t/long"])
        .run()
        .code(0);
    let triage = String::from_utf8(dir.read("TRIAGE")).unwrap();
    let columns: Vec<_> = triage.split('\t').collect();
    dir.write("TRIAGE", triage.replace(columns[1], &"0".repeat(32)));
    let collision = "COLLISION (one digest is as listed, another is not)";
    let said = format!("t/long: {collision} (1 of 1 piece differs)\n");
    dir.hashlane(["check", "-a", "md5", "TRIAGE"]).run().code(4).printed(said);
}
