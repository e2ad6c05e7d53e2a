//! DFXML, against the program whose format it is and against an XML parser.

use crate::work::{Dir, Ran, digest, have, needs};

const NAMES: [&[u8]; 12] = [
    b"d/plain",
    b"d/new\nline",
    b"d/cr\r",
    b"d/ctl\x01\x1b",
    b"d/inv\xff\xfe",
    b"d/\xef\xbf\xbe",
    b"d/<&>\"'",
    b"d/ lead and trail ",
    b"d/-dash),%41\\",
    b"d/]]>",
    b"d/&amp;",
    "d/größe \u{1f600}".as_bytes(),
];

fn odd_names() -> Dir {
    let dir = Dir::new();
    dir.make("d");
    for (number, name) in NAMES.iter().enumerate() {
        dir.write(name, format!("{number}"));
    }
    dir
}

/// Holds a file to be well-formed XML, where xmllint is there to say so.
pub(crate) fn is_xml(dir: &Dir, name: &str) {
    if needs(have("xmllint"), "xmllint") {
        dir.command("xmllint", ["--noout", "--nonet", name]).run().code(0);
    }
}

fn written(dir: &Dir, options: &[&str]) -> Ran {
    let line = ["sum", "-q", "-a", "sha256,md5,blake3", "--manifest-format", "dfxml", "-o", "list.xml"];
    dir.hashlane(line).args(options).arg("d").run()
}

#[test]
fn any_name_is_held_in_valid_xml_and_verified() {
    let dir = odd_names();
    for options in [&[][..], &["--header"]] {
        written(&dir, options).code(0);
        is_xml(&dir, "list.xml");
        let ran = dir.hashlane(["check", "list.xml"]).run().code(0);
        assert_eq!(ran.lines().len(), NAMES.len(), "{}", ran.stderr);
    }
    dir.hashlane(["check", "-q", "--audit", "list.xml"]).run().code(0);
    dir.write("d/new\nline", "changed").write("d/more", "");
    dir.hashlane(["check", "-q", "--audit", "list.xml"]).run().code(5);
}

#[test]
fn nothing_is_lost_on_the_way_to_it_and_back() {
    let dir = odd_names();
    dir.hashlane(["sum", "-q", "-a", "sha256,blake3", "--manifest-format", "csv", "-o", "a.csv", "d"])
        .run()
        .code(0);
    dir.hashlane(["convert", "-q", "a.csv", "b.xml"]).run().code(0);
    is_xml(&dir, "b.xml");
    dir.hashlane(["convert", "-q", "b.xml", "c.csv"]).run().code(0);
    assert_eq!(dir.read("a.csv"), dir.read("c.csv"));
}

#[test]
fn what_hashdeep_writes_is_verified_whatever_the_names_are() {
    if !needs(have("hashdeep"), "hashdeep") {
        return;
    }
    let dir = odd_names();
    dir.shell("hashdeep -d -r -l d > list.xml").run().code(0);
    let ran = dir.hashlane(["check", "list.xml"]).run().code(0);
    assert_eq!(ran.lines().len(), NAMES.len(), "{}", ran.stderr);
    dir.shell("hashdeep -d -p 1 -l d/plain > pieces.xml").run().code(0);
    assert_eq!(dir.hashlane(["check", "pieces.xml"]).run().code(0).lines().len(), 1);
    // What it could not read was never verified.
    dir.shell("hashdeep -d -l d/plain d/missing > failed.xml").run();
    let ran = dir.hashlane(["check", "--warn", "failed.xml"]).run().code(16);
    assert!(ran.stderr.contains("could not be read: No such file or directory"), "{}", ran.stderr);
}

#[test]
fn a_file_that_could_not_be_read_is_listed_with_its_error() {
    let dir = odd_names();
    let line =
        ["sum", "-q", "-a", "md5", "--manifest-format", "dfxml", "-o", "list.xml", "d/plain", "missing"];
    dir.hashlane(line).run().code(16);
    is_xml(&dir, "list.xml");
    let text = String::from_utf8(dir.read("list.xml")).unwrap();
    assert!(text.contains(">No such file or directory</error>"), "{text}");
    assert!(text.contains(&digest("md5", "0")), "{text}");
    dir.hashlane(["check", "-q", "list.xml"]).run().code(16);
    dir.hashlane(["convert", "-q", "list.xml", "list.jsonl"]).run().code(0);
    assert!(String::from_utf8_lossy(&dir.read("list.jsonl")).contains("\"errno\":2"));
}

#[test]
fn a_document_that_ends_early_fails() {
    let dir = odd_names();
    written(&dir, &[]).code(0);
    let text = dir.read("list.xml");
    dir.write("list.xml", &text[..text.len() - "</dfxml>\n".len()]);
    let ran = dir.hashlane(["check", "--warn", "list.xml"]).run();
    assert_ne!(ran.status.code(), Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("it is truncated"), "{}", ran.stderr);
}
