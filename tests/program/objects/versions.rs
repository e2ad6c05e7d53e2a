//! States of objects: which of them was read, and which of them a store keeps.

use serde_json::{Value, json};

use super::server::{Server, Trouble};
use super::{hashlane, lines, quiet, some_bytes, with_credentials};
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

/// Lines for versions of objects of the bucket `b`.
fn versions(all: &[(&str, &str, &[u8])]) -> String {
    let line = |(key, id, bytes): &(&str, &str, &[u8])| {
        format!("{}  s3://b/{key}?versionId={id}\n", digest("sha256", bytes))
    };
    all.iter().map(line).collect()
}

/// A bucket in which an object has seven states, two of them delete markers, beside others.
fn kept() -> Server {
    let server =
        Server::start(&[("p/a", b"zero"), ("p-beside", b"beside"), ("q", b"q"), ("p/f/", b"")], quiet);
    server.keep_versions();
    for bytes in [Some(&b"one"[..]), Some(b"two"), None, Some(b"four"), Some(b"five"), None] {
        server.put("p/a", bytes);
    }
    server.put("p/new c", Some(b"new"));
    server.put("p", Some(b"itself"));
    server
}

const OF_A: [(&str, &str, &[u8]); 5] = [
    ("p/a", "v5", b"five"),
    ("p/a", "v4", b"four"),
    ("p/a", "v2", b"two"),
    ("p/a", "v1", b"one"),
    ("p/a", "null", b"zero"),
];

#[test]
fn all_versions_are_listed_read_and_named() {
    let dir = Dir::new();
    let server = kept();
    let below = [&OF_A[..], &[("p/new c", "v7", b"new")]].concat();
    let all = [&[("p", "v8", &b"itself"[..])], &below[..]].concat();
    let ran = hashlane(&dir, &server, &["sum", "--versions", "s3://b/p"]).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), versions(&all));
    let messages = ran.messages().join("\n");
    assert!(messages.contains("skipped: 1 special file"), "{messages}");
    // A page has four states. One is asked for to see whether there is any; of `p` itself there is one page.
    assert!(messages.contains("12 requests: 5 for listings, 7 for objects"), "{messages}");
    assert!(messages.contains("; 2 delete markers passed over"), "{messages}");
    let sum = |path: &str, expected: &str| {
        hashlane(&dir, &server, &["sum", "-q", "--versions", path]).run().code(0).printed(expected);
    };
    // One that is gone by now, all below a prefix, a bucket, and one version.
    sum("s3://b/p/a", &versions(&OF_A));
    sum("s3://b/p/", &versions(&below));
    let beside: [(&str, &str, &[u8]); 2] = [("p-beside", "null", b"beside"), ("q", "null", b"q")];
    sum("s3://b", &versions(&[&all[..1], &beside[..1], &below, &beside[1..]].concat()));
    sum("s3://b/p/a?versionId=v2", &versions(&OF_A[2..3]));
    let ran = hashlane(&dir, &server, &["sum", "--versions", "s3://b/p/none"]).run().code(16);
    assert!(ran.stderr.contains("no such object, and none below that name"), "{}", ran.stderr);
    let ran = hashlane(&dir, &server, &["sum", "--versions", "s3://b/p/a?versionId=v99"]).run().code(16);
    assert!(ran.stderr.contains("no such object"), "{}", ran.stderr);
    // A bucket has no versions, and a key may be called like that.
    let ran = hashlane(&dir, &server, &["sum", "--versions", "s3://b/?versionId=v2"]).run().code(16);
    assert!(ran.stderr.contains("no such object"), "{}", ran.stderr);
    // What is found is selected, planned and limited like all objects.
    let bound = ["sum", "-q", "--versions", "--max-size", "3", "--exclude", "new*", "s3://b/p/"];
    hashlane(&dir, &server, &bound).run().code(0).printed(versions(&OF_A[2..4]));
    let plan = ["sum", "--dry-run", "--versions", "s3://b/p/a"];
    let ran = hashlane(&dir, &server, &plan).run().code(0);
    ran.printed(
        "5 objects, 18 B (18 B): 5 requests to read them; finding them took 4; 2 delete markers passed over\n",
    );
    let few = ["sum", "-q", "--versions", "--max-requests", "6", "s3://b/p/a"];
    let ran = hashlane(&dir, &server, &few).run().code(16);
    assert!(ran.stderr.contains("the limit on requests is reached"), "{}", ran.stderr);
    // Lists have the state, and names of versions are read from lists.
    let sum = ["sum", "-q", "--versions", "--manifest-format", "jsonl", "s3://b/p/a"];
    let items = lines_of(&hashlane(&dir, &server, &sum).run().code(0).stdout);
    assert!(OF_A.iter().zip(&items).all(|((_, id, _), item)| item["version_id"] == *id), "{items:?}");
    dir.write("names", "s3://b/p/a?versionId=v1\ns3://b/p/new c\n");
    let ran = hashlane(&dir, &server, &["sum", "-q", "--versions", "--files-from", "names"]).run().code(0);
    let current = lines(&[("p/new c", b"new")]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), versions(&OF_A[3..4]) + &current);
}

#[test]
fn versions_are_verified_one_by_one() {
    let dir = Dir::new();
    let server = kept();
    dir.write("list", versions(&OF_A));
    let ran = hashlane(&dir, &server, &["check", "-a", "sha256", "--versions", "list"]).run().code(0);
    assert!(ran.stderr.contains("5 OK by sha256"), "{}", ran.stderr);
    // Each is asked for as that version, and nothing is listed.
    assert!(server.asked().iter().all(|asked| asked.key.is_some() && asked.query.starts_with("versionId=")));
    let asked: Vec<_> = server.asked().into_iter().filter(|asked| asked.method == "GET").collect();
    assert_eq!(asked.len(), 5);
    // Names below a base, and one that is not a version.
    dir.write(
        "short",
        format!("{}  a?versionId=v1\n{}  new c\n", digest("sha256", "one"), digest("sha256", "new")),
    );
    hashlane(&dir, &server, &["check", "-q", "--versions", "--base", "s3://b/p", "short"]).run().code(0);
    // A byte of an old one, one that is deleted for good, and a delete marker.
    server.damage("v2", 1);
    dir.write("list", versions(&OF_A) + &versions(&[("p/a", "v77", b"gone"), ("p/a", "v3", b"marker")]));
    let ran = hashlane(&dir, &server, &["check", "--versions", "list"]).run().code(6);
    let expected = "s3://b/p/a?versionId=v5: OK\ns3://b/p/a?versionId=v4: OK\ns3://b/p/a?versionId=v2: FAILED\n\
                    s3://b/p/a?versionId=v1: OK\ns3://b/p/a?versionId=null: OK\n\
                    s3://b/p/a?versionId=v77: FAILED open or read\ns3://b/p/a?versionId=v3: FAILED open or read\n";
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    assert!(ran.stderr.contains("versionId=v3: was deleted in the store"), "{}", ran.stderr);
    // Without the option, all of a name is a key, and keys may end like versions.
    hashlane(&dir, &server, &["check", "-q", "list"]).run().code(2);
    let odd = Server::start(&[("x?versionId=v1", b"a key")], quiet);
    let line = versions(&[("x", "v1", b"a key")]);
    hashlane(&dir, &odd, &["sum", "-q", "s3://b"]).run().code(0).printed(line.clone());
    dir.write("odd", &line);
    hashlane(&dir, &odd, &["check", "-q", "odd"]).run().code(0);
    odd.keep_versions();
    let versioned = versions(&[("x?versionId=v1", "null", b"a key")]);
    hashlane(&dir, &odd, &["sum", "-q", "--versions", "s3://b"]).run().code(0).printed(versioned.clone());
    dir.write("odd", versioned);
    hashlane(&dir, &odd, &["check", "-q", "--versions", "odd"]).run().code(0);
}

#[test]
fn a_list_of_versions_is_not_updated() {
    let dir = Dir::new();
    let server = kept();
    let refused = |arguments: &[&str], name: &str| {
        let before = dir.read("list");
        let ran = hashlane(&dir, &server, &[&["sum", "--update", "list"], arguments].concat()).run().code(64);
        let expected = format!(
            "--update: list: {name} is a version of an object; --update is for current objects; \
             list versions anew with `hashlane sum --versions`"
        );
        assert!(ran.messages().iter().any(|line| line.ends_with(&expected)), "{}", ran.stderr);
        assert_eq!(dir.read("list"), before);
    };
    let sum =
        ["sum", "-q", "--versions", "--header", "--manifest-format", "jsonl", "-o", "list", "s3://b/p/"];
    hashlane(&dir, &server, &sum).run().code(0);
    let before = server.asked().len();
    refused(&[], "s3://b/p/a?versionId=null");
    // It is refused before a content is asked for.
    assert!(server.asked().iter().skip(before).all(|asked| asked.key.is_none() || asked.method == "HEAD"));
    refused(&["-o", "other"], "s3://b/p/a?versionId=null");
    assert!(!dir.has("other"));
    dir.write("list", versions(&OF_A[3..4]));
    refused(&["-a", "sha256", "--trust", "names", "s3://b/p"], "s3://b/p/a?versionId=v1");
    // What lies elsewhere stays listed.
    dir.write("list", versions(&OF_A[..3]));
    let update = |root| ["sum", "-q", "--update", "list", "-a", "sha256", "--trust", "names", root];
    hashlane(&dir, &server, &update("s3://b/q")).run().code(0);
    let kept: Vec<_> = OF_A[..3].iter().rev().copied().collect();
    assert_eq!(dir.read("list"), (lines(&[("q", b"q")]) + &versions(&kept)).as_bytes());

    // Keys may end like versions. Only one that no object has would be lost.
    let server = Server::start(&[("x?versionId=v1", b"a key"), ("y", b"y")], quiet);
    let odd = versions(&[("x", "v1", b"a key")]);
    dir.write("list", &odd);
    hashlane(&dir, &server, &update("s3://b")).run().code(0);
    let current = odd + &lines(&[("y", b"y")]);
    assert_eq!(dir.read("list"), current.as_bytes());
    dir.write("list", current + &versions(&[("y", "v2", b"older")]));
    let before = dir.read("list");
    let ran = hashlane(&dir, &server, &update("s3://b")).run().code(64);
    assert!(ran.stderr.contains("s3://b/y?versionId=v2 is a version of an object"), "{}", ran.stderr);
    assert_eq!(dir.read("list"), before);
}

#[test]
fn ranges_and_parts_are_those_of_the_version() {
    let dir = Dir::new();
    let (old, new) = (some_bytes(36_000_000), vec![7; 35_000_000]);
    let server =
        Server::start(&[("large", &old), ("parts", b"in parts")], |asked| match asked.key.as_deref() {
            Some("parts") => Trouble::InParts(3, None),
            _ => Trouble::None,
        });
    server.keep_versions();
    server.put("large", Some(&new));
    server.put("parts", Some(b"others, longer"));
    let ran = hashlane(&dir, &server, &["sum", "--versions", "s3://b"]).run().code(0);
    let expected: [(&str, &str, &[u8]); 4] = [
        ("large", "v1", &new),
        ("large", "null", &old),
        ("parts", "v2", b"others, longer"),
        ("parts", "null", b"in parts"),
    ];
    assert_eq!(String::from_utf8_lossy(&ran.stdout), versions(&expected));
    assert!(ran.stderr.contains("4 objects with the checksum that the store keeps"), "{}", ran.stderr);
    let asked: Vec<_> = server.asked().into_iter().filter(|asked| asked.key.is_some()).collect();
    assert!(asked.iter().all(|asked| asked.query.contains("versionId=")), "{asked:?}");
    assert!(asked.iter().any(|asked| asked.query == "attributes&versionId=null"), "{asked:?}");
    dir.write("list", versions(&expected[..2]));
    hashlane(&dir, &server, &["check", "-q", "--versions", "list"]).run().code(0);
}

#[test]
fn what_is_wrong_with_the_first_name_of_a_list_is_one_error() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"first")], |asked| match asked.query.contains("versionId=nope") {
        // As S3 answers to the name of a version that it never gives.
        true => Trouble::Refused(400, "InvalidArgument"),
        false => Trouble::None,
    });
    server.keep_versions();
    server.put("a", Some(b"second"));
    for (bad, expected) in [
        ("s3://b/a?versionId=nope", "the store answered 400 Bad Request"),
        ("s3://b/a?versionId=v9", "the store answered 404 Not Found"),
        ("s3://b!/a", "Invalid argument"),
    ] {
        dir.write("names", format!("{bad}\ns3://b/a?versionId=null\n"));
        let ran = hashlane(&dir, &server, &["sum", "--versions", "--files-from", "names"]).run().code(16);
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout),
            versions(&[("a", "null", b"first")]),
            "{}",
            ran.stderr
        );
        let messages = ran.messages().join("\n");
        assert!(messages.contains(&format!("{bad}: {expected}")), "{messages}");
    }
    // A list of versions is read as one only where that is asked for.
    dir.write("list", versions(&[("a", "null", b"first")]));
    let ran = hashlane(&dir, &server, &["check", "-a", "sha256", "list"]).run().code(2);
    let messages = ran.messages().join("\n");
    assert!(
        messages.contains("its name ends like that of a version; --versions reads it as one"),
        "{messages}"
    );
}

#[test]
fn shards_of_versions_count_each_delete_marker_once() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"first"), ("b", b"second")], quiet);
    server.keep_versions();
    server.put("a", None);
    let ran = hashlane(&dir, &server, &["sum", "--versions", "--shard", "1/1", "s3://b"]).run().code(0);
    assert!(ran.stderr.contains("; 1 delete marker passed over"), "{}", ran.stderr);
    // What was deleted is called that, and not something that never was.
    let ran = hashlane(&dir, &server, &["sum", "s3://b/a"]).run().code(16);
    let messages = ran.messages().join("\n");
    let expected = "s3://b/a: the object was deleted in the store, which may still keep older versions of it; `hashlane sum --versions` reads them";
    assert!(messages.contains(expected), "{messages}");
}

#[test]
fn listings_of_versions_that_are_none_end() {
    let dir = Dir::new();
    let version = "<Version><Key>p/a</Key><VersionId>v1</VersionId><LastModified>2026-11-01T10:00:00Z</LastModified>\
                   <Size>1</Size></Version>";
    let cut = "<IsTruncated>true</IsTruncated>";
    let next = "<NextKeyMarker>p/a</NextKeyMarker><NextVersionIdMarker>v1</NextVersionIdMarker>";
    for (inner, expected) in [
        (format!("{cut}{next}{version}"), "its pages repeat themselves"),
        (format!("{cut}{next}"), "its pages repeat themselves"),
        (format!("{cut}{version}<NextKeyMarker>p/a</NextKeyMarker>"), "no way to ask for that"),
        (version.replace("v1", "a/b"), "a version has no name, or one that no version can have"),
        (version.replace("p/a", "other"), "is not below"),
    ] {
        let answer = format!("<ListVersionsResult>{inner}</ListVersionsResult>");
        let server = Server::start(&[("p/a", b"a")], move |asked| match asked.query.contains("max-keys") {
            // Whether there is anything at all.
            true => Trouble::None,
            false if asked.key.is_none() => Trouble::Answer(answer.clone()),
            false => Trouble::None,
        });
        server.keep_versions();
        let ran = hashlane(&dir, &server, &["sum", "--dry-run", "--versions", "s3://b/p/"]).run().code(16);
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
        hashlane(&dir, &server, &["sum", "-q", "--versions", "s3://b/p/"]).run().code(16);
    }
    // A store that knows no versions.
    let server = Server::start(&[("p/a", b"a")], |asked| match asked.query.starts_with("versions") {
        true => Trouble::Refused(501, "NotImplemented"),
        false => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "--versions", "s3://b/p"]).run().code(16);
    assert!(ran.stderr.contains("s3://b/p: the store answered 501: NotImplemented"), "{}", ran.stderr);
}

#[test]
fn versions_are_only_looked_for_where_they_are() {
    let dir = Dir::new();
    dir.write("file", "x").write("list", format!("{}  gs://b/x?versionId=1\n", digest("sha256", "x")));
    dir.write("names", "https://127.0.0.1:9/x\n")
        .write("files", format!("{}  file\n", digest("sha256", "x")));
    for (arguments, expected) in [
        (&["sum", "--versions", "gs://b/x"][..], "--versions: gs://b/x: versions are only read from S3"),
        (
            &["sum", "--versions", "s3://b/x", "az://b/x"],
            "--versions: az://b/x: versions are only read from S3",
        ),
        (&["sum", "--versions", "--files-from", "names"], "versions are only read from S3"),
        (&["sum", "--versions", "file"], "--versions is for objects"),
        (
            &["check", "--versions", "list"],
            "--versions: gs://b/x?versionId=1: versions are only read from S3",
        ),
        (
            &["check", "--versions", "--base", "https://127.0.0.1:9/x", "files"],
            "versions are only read from S3",
        ),
        (&["check", "--versions", "--base", ".", "files"], "name a prefix with --base s3://BUCKET/PREFIX"),
        (&["check", "--versions", "--complete", "list"], "cannot be used with"),
        (&["check", "--versions", "--audit", "list"], "cannot be used with"),
        (&["sum", "--versions", "--update", "list"], "cannot be used with"),
        (&["diff", "--versions", "list", "files"], "unexpected argument '--versions'"),
        (&["collection", "add", "--versions", "x", "s3://b"], "unexpected argument '--versions'"),
    ] {
        let ran = with_credentials(dir.keeper(arguments)).run().code(64);
        assert!(ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
    }
}
