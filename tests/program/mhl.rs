//! MHL, the list of the film world: read as other tools write it, and written for them.

use crate::work::{Dir, digest};

/// A card with a list of some of its files.
fn card(entries: &str) -> Dir {
    let dir = Dir::new();
    dir.write("A001/Clips/1.mov", "abcde").write("A001/Clips/2.mov", "abcd").write("A001/note.txt", "note");
    dir.write("A001/A001.mhl", list(entries));
    dir
}

fn list(entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"1.1\">\n  \
         <creatorinfo><name>x</name><tool>demo 1</tool></creatorinfo>\n{entries}</hashlist>\n"
    )
}

fn entry(name: &str, digest: &str) -> String {
    let date = "2026-01-15T13:00:00Z";
    format!(
        "  <hash><file>{name}</file><size>4</size><lastmodificationdate>{date}</lastmodificationdate>\
         {digest}<hashdate>{date}</hashdate></hash>\n"
    )
}

/// The digests of the card's files, as three tools wrote them.
fn entries() -> String {
    let sha1 = format!("<sha1>{}</sha1>", digest("sha1", "note"));
    [
        entry("Clips/1.mov", "<xxhash64be>07e3670c0c8dc7eb</xxhash64be>").replace("<size>4", "<size>5"),
        entry("Clips/2.mov", "<xxhash64>cc925dd2b02703de</xxhash64>"),
        entry("note.txt", &sha1),
    ]
    .concat()
}

#[test]
fn names_are_relative_to_the_list_wherever_one_checks_it_from() {
    let dir = card(&entries());
    dir.hashlane(["check", "A001/A001.mhl"])
        .run()
        .code(0)
        .printed("A001/Clips/1.mov: OK\nA001/Clips/2.mov: OK\nA001/note.txt: OK\n");
    let all = "Clips/1.mov: OK\nClips/2.mov: OK\nnote.txt: OK\n";
    dir.shell("cd A001 && \"$0\" check A001.mhl").run().code(0).printed(all);
    dir.hashlane(["check", "--base", "A001", "A001/A001.mhl"]).run().code(0).printed(all);
    // What comes through a pipe is in no directory.
    dir.shell("cd A001 && \"$0\" check < A001.mhl").run().code(0).printed(all);
    for what in ["--complete", "--audit"] {
        dir.hashlane(["check", "-q", what, "A001/A001.mhl"]).run().code(0);
    }
    dir.write("A001/new", "").write("beside", "");
    dir.hashlane(["check", "-q", "--complete", "A001/A001.mhl"])
        .run()
        .code(1)
        .printed("A001/new: EXTRA (not listed)\n");
    dir.hashlane(["check", "-q", "--audit", "A001/A001.mhl"]).run().code(1).printed("A001/new: NEW\n");
}

#[test]
fn what_is_missing_changed_or_cannot_be_verified_fails_the_check() {
    let dir = card(&entries());
    dir.write("A001/Clips/1.mov", "abcdf");
    dir.hashlane(["check", "-q", "A001/A001.mhl"]).run().code(4);
    std::fs::remove_file(dir.path("A001/Clips/2.mov")).unwrap();
    dir.hashlane(["check", "-q", "A001/A001.mhl"]).run().code(6);
    for (element, said) in [
        ("<xxh99>0123456789</xxh99>", "line 4: unknown algorithm xxh99: \"note.txt\""),
        ("<null/>", "line 4: unknown algorithm null: \"note.txt\""),
        ("", "line 4: it has no digest: \"note.txt\""),
    ] {
        let dir = card(&entry("note.txt", element));
        let ran = dir.hashlane(["check", "--warn", "A001/A001.mhl"]).run().code(16);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert!(ran.stderr.contains("1 listed file without a digest that can be verified"), "{}", ran.stderr);
    }
}

#[test]
fn c4_ids_are_written_and_read_as_such() {
    // Published with the C4 framework.
    let id = "c43zYcLni5LF9rR4Lg4B8h3Jp8SBwjcnyyeh4bc6gTPHndKuKdjUWx1kJPYhZxYt3zV6tQXpDs2shPsPYjgG81wZM1";
    let dir = Dir::new();
    dir.write("a", "alfa");
    dir.hashlane(["sum", "-q", "-a", "c4", "a"]).run().code(0).printed(format!("{id}  a\n"));
    dir.hashlane(["sum", "-q", "-a", "c4", "--tag", "a"]).run().code(0).printed(format!("C4 (a) = {id}\n"));
    for format in [
        "gnu",
        "bsd",
        "base64",
        "hashdeep",
        "md5deep-sizes",
        "md5deep-csv",
        "checkm",
        "ace",
        "jsonl",
        "csv",
        "dfxml",
    ] {
        dir.hashlane(["sum", "-q", "-a", "c4", "-o", "list", "--manifest-format", format, "a"]).run().code(0);
        // Nothing else has to tell the algorithm.
        dir.hashlane(["check", "list"]).run().code(0).printed("a: OK\n");
        std::fs::remove_file(dir.path("list")).unwrap();
    }
    let wrong = id.replace("M1", "M2");
    dir.write("list", format!("{wrong}  a\n"));
    dir.hashlane(["check", "-q", "list"]).run().code(4);
    for bad in [&id[..89], &id.replace("M1", "M0"), &id.to_uppercase()] {
        dir.write("list", format!("{id}  b\n{bad}  a\n"));
        dir.hashlane(["check", "-q", "list"]).run().code(18);
    }
    let entry = entry("note.txt", &format!("<c4>{}</c4>", digest("c4", "note")));
    card(&entry).hashlane(["check", "-q", "A001/A001.mhl"]).run().code(0);
}

#[test]
fn a_generation_of_asc_mhl_is_checked_from_anywhere() {
    let dir = Dir::new();
    dir.write("A/d/a", "abcd").write(
        "A/ascmhl/0001_A_2026-01-17_143000Z.mhl",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\"><hashes>\
         <hash><path size=\"4\">d/a</path><xxh64 action=\"original\">de0327b0d25d92cc</xxh64></hash></hashes></hashlist>\n",
    );
    dir.shell("\"$0\" check A/ascmhl/*.mhl").run().code(0).printed("A/d/a: OK\n");
    dir.shell("cd A && \"$0\" check ascmhl/*.mhl").run().code(0).printed("d/a: OK\n");
    dir.shell("cd A/ascmhl && \"$0\" check *.mhl").run().code(0).printed("../d/a: OK\n");
    dir.shell("\"$0\" check --base A A/ascmhl/*.mhl").run().code(0).printed("d/a: OK\n");
}

#[test]
fn what_is_written_is_verified_and_names_that_it_cannot_hold_are_refused() {
    let dir = Dir::new();
    dir.write("t/a & <b>", "1").write("t/größe", "2").write("t/d/ c ", "3");
    let write = ["sum", "-q", "-a", "xxh64,md5", "--manifest-format", "mhl", "-o", "t.mhl", "t"];
    dir.hashlane(write).run().code(0);
    crate::dfxml::is_xml(&dir, "t.mhl");
    assert_eq!(dir.hashlane(["check", "t.mhl"]).run().code(0).lines().len(), 3);
    // To another format and back nothing is lost.
    dir.hashlane(["convert", "-q", "t.mhl", "t.csv"]).run().code(0);
    dir.hashlane(["convert", "-q", "t.csv", "again.mhl"]).run().code(0);
    assert_eq!(dir.read("t.mhl"), dir.read("again.mhl"));
    dir.write("t/a\x01", "4");
    let ran = dir.hashlane(&write[..6]).arg("t").run().code(16);
    let said = "an mhl manifest cannot store a name that XML cannot hold; use jsonl or csv";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    dir.hashlane(["sum", "-q", "--manifest-format", "mhl", "t"])
        .run()
        .code(64)
        .said(&["MHL supports md5, sha1 and xxh64, not sha256; use one of these, or jsonl or csv"]);
}
