//! States of objects: which of them was read, and which of them a store keeps.

use serde_json::{Value, json};

use super::server::{Server, Trouble};
use super::{hashlane, lines, quiet, some_bytes};
use crate::work::{Dir, digest};

/// The objects of a list in JSON Lines, by the ends of their names.
fn listed<'a>(items: &'a [Value], name: &str) -> &'a Value {
    items.iter().find(|item| item["path"].as_str().unwrap().ends_with(name)).expect(name)
}

fn lines_of(text: &[u8]) -> Vec<Value> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let objects = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    objects.filter(|object| object.get("header").is_none()).collect()
}

#[test]
fn a_list_says_which_state_of_an_object_was_read() {
    let dir = Dir::new();
    let large = some_bytes(34_000_000);
    let server = Server::start(&[("p/large", &large), ("p/small", b"old")], quiet);
    let tag = |bytes: &[u8]| digest("md5", bytes);
    let sum = ["sum", "-q", "--manifest-format", "jsonl", "-o", "plain.jsonl", "s3://b/p"];
    hashlane(&dir, &server, &sum).run().code(0);
    let items = lines_of(&dir.read("plain.jsonl"));
    assert_eq!(listed(&items, "small")["etag"], tag(b"old"));
    assert!(items.iter().all(|item| item.get("version_id").is_none()), "the bucket keeps none");

    server.keep_versions();
    server.put("p/small", Some(b"new"));
    let sum = ["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "list.jsonl", "s3://b/p"];
    hashlane(&dir, &server, &sum).run().code(0);
    let items = lines_of(&dir.read("list.jsonl"));
    let (small, big) = (listed(&items, "small"), listed(&items, "large"));
    assert_eq!((&small["etag"], &small["version_id"]), (&json!(tag(b"new")), &json!("v1")));
    // That of the question about it, to which all ranges are tied.
    assert_eq!((&big["etag"], &big["version_id"]), (&json!(tag(&large)), &json!("null")));

    // Who reads such a list does so as before, and who writes it anew keeps both.
    hashlane(&dir, &server, &["check", "list.jsonl"]).run().code(0);
    dir.hashlane(["convert", "list.jsonl", "converted.jsonl"]).run().code(0);
    assert_eq!(lines_of(&dir.read("converted.jsonl")), items);
    server.put("p/third", Some(b"third"));
    hashlane(&dir, &server, &["sum", "-q", "--update", "list.jsonl"]).run().code(0);
    let updated = lines_of(&dir.read("list.jsonl"));
    assert_eq!(listed(&updated, "third")["version_id"], "v2");
    assert_eq!((listed(&updated, "small"), listed(&updated, "large")), (small, big));
    // Other formats have no place for them.
    dir.hashlane(["convert", "list.jsonl", "list.csv"]).run().code(0);
    assert!(!String::from_utf8(dir.read("list.csv")).unwrap().contains(&tag(b"new")));
    // Files have neither.
    dir.write("file", "x");
    let ran = dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "file"]).run().code(0);
    assert!(!String::from_utf8(ran.stdout).unwrap().contains("etag"));
}

#[test]
fn what_a_store_says_of_a_state_is_shown_only_if_it_can_be() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a"), ("b", b"b")], |asked| match asked.key.as_deref() {
        Some("a") => Trouble::Named(format!("\"{}\"", "t".repeat(1025))),
        Some("b") => Trouble::Named("\"quote\\<&\"".to_owned()),
        _ => Trouble::None,
    });
    let sum = ["sum", "-q", "--manifest-format", "jsonl", "s3://b"];
    let ran = hashlane(&dir, &server, &sum).run().code(0);
    let items = lines_of(&ran.stdout);
    assert!(listed(&items, "/a").get("etag").is_none());
    assert_eq!(listed(&items, "/b")["etag"], "quote\\<&");
}

#[test]
fn what_was_deleted_in_a_bucket_with_versions_is_missing_and_that_is_said() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"a"), ("p/gone", b"gone"), ("p/never", b"never")], quiet);
    dir.write("list", lines(&[("p/a", b"a"), ("p/gone", b"gone")]));
    server.keep_versions();
    server.put("p/gone", None);
    let ran = hashlane(&dir, &server, &["check", "list"]).run().code(2);
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "s3://b/p/a: OK
s3://b/p/gone: FAILED open or read
"
    );
    let deleted = "was deleted in the store, which may still keep older versions of it";
    let expected = format!("s3://b/p/gone: {deleted}");
    assert!(ran.messages().iter().any(|line| line.contains(&expected)), "{}", ran.stderr);
    let ran = hashlane(&dir, &server, &["check", "--format", "json", "list"]).run().code(2);
    let object = ran.objects().into_iter().find(|object| object["path"] == "s3://b/p/gone").unwrap();
    assert_eq!(object["verdict"], "missing");
    assert!(object["problem"].as_str().unwrap().starts_with(deleted), "{object}");
    hashlane(&dir, &server, &["check", "-q", "--ignore-missing", "list"]).run().code(0);
    // In a listing there is nothing of that name.
    hashlane(&dir, &server, &["sum", "-q", "s3://b/p/a"]).run().code(0).printed(lines(&[("p/a", b"a")]));
    let ran = hashlane(&dir, &server, &["check", "-q", "--complete", "--base", "s3://b", "of-keys"]);
    dir.write(
        "of-keys",
        format!(
            "{}  p/a
{}  p/never
",
            digest("sha256", "a"),
            digest("sha256", "never")
        ),
    );
    ran.run().code(0);
    let ran = hashlane(&dir, &server, &["sum", "s3://b/p/gone"]).run().code(16);
    assert!(ran.stderr.contains("s3://b/p/gone: the object was deleted in the store"), "{}", ran.stderr);
    // What never was has no marker.
    dir.write("list", lines(&[("p/a", b"a"), ("p/none", b"")]));
    let ran = hashlane(&dir, &server, &["check", "list"]).run().code(2);
    assert!(!ran.stderr.contains("deleted"), "{}", ran.stderr);
    // A list that holds failures has the reason, and is read again.
    dir.write(
        "names",
        "s3://b/p/gone
s3://b/p/a
",
    );
    let sum = ["sum", "-q", "--manifest-format", "jsonl", "-o", "list.jsonl", "--files-from", "names"];
    hashlane(&dir, &server, &sum).run().code(16);
    let items = lines_of(&dir.read("list.jsonl"));
    assert_eq!(listed(&items, "gone")["obstacle"], "deleted");
    dir.hashlane(["convert", "list.jsonl", "again.jsonl"]).run().code(0);
    assert_eq!(lines_of(&dir.read("again.jsonl")), items);
}
