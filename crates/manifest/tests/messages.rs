//! Errors of a writer name the value, the limit and the way out, and leave the writer whole.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, Header, Item, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::{Cause, Failure, ItemPath, Operation, Outcome};

fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| Algorithm::named(name).unwrap()).collect()
}

fn start(format: &str, names: &[&str], options: &WriteOptions) -> Result<Writer<Vec<u8>>, Error> {
    Writer::new(Format::named(format).unwrap(), &algorithms(names), options, Vec::new())
}

fn refused(format: &str, names: &[&str], options: &WriteOptions) -> String {
    start(format, names, options).unwrap_err().to_string()
}

fn item(path: &[u8], names: &[&str]) -> Item {
    let digests = algorithms(names).iter().map(|algorithm| algorithm.digest(b"")).collect();
    Item { line: 1, path: ItemPath::from(path), size: None, modified: None, digests, ..Item::default() }
}

#[test]
fn what_cannot_be_written_at_all_is_said_at_once() {
    let plain = WriteOptions::default();
    assert_eq!(refused("gnu", &[], &plain), "a manifest needs at least one algorithm");
    let one = "manifest can store one algorithm, not 2; use bsd, base64, hashdeep, jsonl or csv";
    assert_eq!(refused("gnu", &["md5", "sha1"], &plain), format!("a gnu {one}"));
    assert_eq!(refused("base64-untagged", &["md5", "sha1"], &plain), format!("a base64-untagged {one}"));
    let zero = WriteOptions { zero: true, ..plain.clone() };
    assert_eq!(refused("hashdeep", &["md5"], &zero), "a hashdeep manifest cannot end its lines with NUL");
    let header = Header { roots: vec![ItemPath::from("a\0b")], ..Header::default() };
    let headed = WriteOptions { header: Some(header), ..plain };
    assert_eq!(
        refused("gnu", &["md5"], &headed),
        "\"a\\x00b\": a gnu manifest cannot store a name with a NUL byte; no file system has such a name"
    );
    assert!(start("gnu", &["md5", "md5"], &WriteOptions::default()).is_ok());
}

#[test]
fn a_refused_record_leaves_no_trace() {
    let said = |format: &str, bad: &Item| {
        let mut writer = start(format, &["md5"], &WriteOptions::default()).unwrap();
        let error = writer.item(bad).unwrap_err().to_string();
        let mut good = item(b"good", &["md5"]);
        good.size = Some(0);
        writer.item(&good).unwrap();
        let text = writer.finish().unwrap();
        let items: Vec<_> = Reader::open(
            &text[..],
            &ReadOptions { algorithm: Some(Algorithm::MD5), ..ReadOptions::default() },
        )
        .unwrap()
        .map(Result::unwrap)
        .collect();
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].path, good.path);
        error
    };
    let no_digest = item(b"x", &["sha1"]);
    let plain = Format::all().filter(|format| {
        format.can_be_written() && !matches!(format.name(), "hashdeep" | "sfv" | "ni" | "sri")
    });
    for format in plain {
        let a =
            if ["ace", "mhl", "md5deep-csv", "md5deep-sizes"].contains(&format.name()) { "an" } else { "a" };
        assert_eq!(
            said(format.name(), &no_digest),
            format!("\"x\": it has no md5 digest, which every line of {a} {format} manifest needs")
        );
    }
    assert_eq!(
        said("hashdeep", &item(b"x", &["md5"])),
        "\"x\": its size is unknown, but every line of a hashdeep manifest needs one; use jsonl or csv"
    );
    assert_eq!(
        said("gnu", &item(b"", &["md5"])),
        "\"\": a gnu manifest cannot store a name of no bytes; give the file a name"
    );
    assert!(said("csv", &item(&vec![b'x'; 200_000], &["md5"])).contains("a name of more than 131072 bytes"));
    let failure = Failure { operation: Operation::Open, cause: Cause::System(2), offset_bytes: 0 };
    let failed = Item { outcome: Some(Outcome::Failed(failure)), ..item(b"x", &[]) };
    assert_eq!(
        said("bsd", &failed),
        "\"x\": No such file or directory; a bsd manifest can store only files that were read completely; jsonl can store the others"
    );
}

#[test]
fn items_of_one_name_are_merged_only_if_they_agree() {
    let (a, b) = ("d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72");
    let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    let text = format!(
        "MD5 (x) = {a}\nSHA1 (x) = {sha1}\nMD5 (y) = {a}\nMD5 (y) = {b}\nwrong\nSHA1 (y) = {sha1}\nMD5 (x) = {a}\n"
    );
    let merged: Vec<_> = Reader::open(text.as_bytes(), &ReadOptions::default())
        .unwrap()
        .merged()
        .map(|item| match item {
            Ok(item) => format!("{} {} {}", item.line, item.path.escaped(), item.digests.len()),
            Err(problem) => format!("{} wrong", problem.line),
        })
        .collect();
    assert_eq!(merged, ["1 x 2", "3 y 1", "4 y 1", "5 wrong", "6 y 1", "7 x 1"]);
}

#[test]
fn a_sink_that_fails_is_told_from_a_record_that_is_refused() {
    let mut small = [0_u8; 8];
    let format = Format::named("gnu").unwrap();
    let mut writer =
        Writer::new(format, &algorithms(&["md5"]), &WriteOptions::default(), &mut small[..]).unwrap();
    let error = writer.item(&item(b"x", &["md5"])).unwrap_err();
    assert!(matches!(error, Error::Output { .. }));
    assert_eq!(error.to_string(), "the manifest cannot be written: failed to write whole buffer");
}
