//! Objects of stores: listed, read and digested like files, whatever the store does.

mod clouds;
mod collections;
mod commands;
mod evidence;
mod gateway;
mod patience;
mod round_trips;
mod secrets;
pub(crate) mod server;
mod services;
mod versions;

use crate::work::{Cmd, Dir, digest};
use server::{Asked, Server, Trouble};

/// `hashlane` for the objects of a server.
fn hashlane(dir: &Dir, server: &Server, arguments: &[&str]) -> Cmd {
    with_credentials(dir.hashlane(arguments)).args(["--endpoint", &server.url()])
}

/// With credentials, and nothing else that the environment may say about stores.
fn with_credentials(command: Cmd) -> Cmd {
    command
        .env("AWS_ACCESS_KEY_ID", "testkey")
        .env("AWS_SECRET_ACCESS_KEY", "secretsecret")
        .env("AWS_REGION", "us-east-1")
}

fn quiet(_: &Asked) -> Trouble {
    Trouble::None
}

/// Lines for objects of the bucket `b`.
fn lines(objects: &[(&str, &[u8])]) -> String {
    objects.iter().map(|(key, bytes)| format!("{}  s3://b/{key}\n", digest("sha256", bytes))).collect()
}

/// Bytes that are not all alike.
fn some_bytes(count: usize) -> Vec<u8> {
    (0..count).map(|place| (place * 31 + place / 251) as u8).collect()
}

/// The first time that the object `key` is asked for.
fn first_of(asked: &Asked, key: &str, was_asked: &std::sync::atomic::AtomicBool) -> bool {
    asked.method == "GET"
        && asked.key.as_deref() == Some(key)
        && !was_asked.swap(true, std::sync::atomic::Ordering::SeqCst)
}

#[test]
fn all_objects_below_a_name_are_digested_in_their_order_by_one_request_each() {
    let dir = Dir::new();
    let large = some_bytes(3_000_000);
    let all: Vec<(&str, &[u8])> = vec![
        ("photos-old/x", b"old"),
        ("photos.txt", b"beside"),
        ("photos/2024/a", b"a"),
        ("photos/2024/b", b""),
        ("photos/2024/large", &large),
        ("photos/c", b"c"),
        ("photos/d", b"d"),
        ("photos/e", b"e"),
    ];
    let server = Server::start(&all, quiet);
    let ran = hashlane(&dir, &server, &["sum", "s3://b/photos"]).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&all[2..]));
    let messages = ran.messages().join("\n");
    assert!(messages.contains("6 files, 3.00 MB"), "{messages}");
    assert!(ran.stderr.contains("; 100 % from the network\n"), "{}", ran.stderr);
    assert!(messages.contains("11 requests: 3 for listings, 8 for objects"), "{messages}");
    assert!(all[2..].iter().all(|(key, _)| server.times(key) == 1), "one request each");
    // A bucket, a prefix with its slash, and one object.
    hashlane(&dir, &server, &["sum", "-q", "s3://b"]).run().code(0).printed(lines(&all));
    hashlane(&dir, &server, &["sum", "-q", "s3://b/photos/2024/"]).run().code(0).printed(lines(&all[2..5]));
    hashlane(&dir, &server, &["sum", "-q", "s3://b/photos.txt"]).run().code(0).printed(lines(&all[1..2]));
}

#[test]
fn filters_and_markers_of_folders_are_counted() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![
        ("x/", b""),
        ("x/a.txt", b"a"),
        ("x/skip/b.txt", b"b"),
        ("x/sub/", b"not empty"),
        ("x/sub/c.bin", b"c"),
    ];
    let server = Server::start(&all, quiet);
    let arguments = ["sum", "s3://b/x", "--exclude", "skip", "--exclude", "*.bin"];
    let ran = hashlane(&dir, &server, &arguments).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[all[1], all[3]]));
    let messages = ran.messages().join("\n");
    assert!(messages.contains("skipped: 1 special file, 2 excluded names"), "{messages}");
}

#[test]
fn a_dry_run_says_what_a_run_would_take_and_bounds_cost_nothing() {
    let dir = Dir::new();
    let large = some_bytes(40_000_000);
    let all: Vec<(&str, &[u8])> = vec![("a", b"a"), ("large", &large), ("mark/", b""), ("small", b"12")];
    let server = Server::start(&all, quiet);
    let ran = hashlane(&dir, &server, &["sum", "s3://b", "--dry-run"]).run().code(0);
    ran.printed("3 objects, 40.0 MB (38.1 MiB): 13 requests to read them; finding them took 2\n");
    assert!(server.asked().iter().all(|asked| asked.key.is_none()), "nothing is read");
    hashlane(&dir, &server, &["sum", "-q", "s3://b", "--max-size", "1"])
        .run()
        .code(0)
        .printed(lines(&all[..1]));
    let asked: Vec<_> = server.asked().into_iter().filter_map(|asked| asked.key).collect();
    assert_eq!(asked, ["a"], "sizes are known from the listing");
    dir.hashlane(["sum", "--dry-run", "."]).run().code(64);
}

#[test]
fn a_dry_run_counts_all_requests_and_so_many_are_enough() {
    let dir = Dir::new();
    let large = some_bytes(36_000_000);
    let all: Vec<(&str, &[u8])> = vec![("large", &large), ("parts", b"some bytes"), ("whole", b"whole")];
    let server = Server::start(&all, |asked| match asked.key.as_deref() {
        Some("large") => Trouble::InParts(20_000_000, None),
        Some("parts") => Trouble::InParts(6, None),
        _ => Trouble::None,
    });
    ["large", "parts"].iter().for_each(|key| server.list_as_composite(key));
    let ran = hashlane(&dir, &server, &["sum", "s3://b", "--dry-run"]).run().code(0);
    // A question, nine ranges and the parts of the first one; the second one and its parts; the third one.
    ran.printed("3 objects, 36.0 MB (34.3 MiB): 14 requests to read them; finding them took 2\n");
    server.take_asked();
    let sum = |most| hashlane(&dir, &server, &["sum", "-q", "--max-requests", most, "s3://b"]).run();
    sum("16").code(0).printed(lines(&all));
    assert_eq!(server.take_asked().len(), 16);
    sum("15").code(16);
}

#[test]
fn keys_are_taken_byte_by_byte() {
    let dir = Dir::new();
    let long = "k".repeat(1024);
    let keys =
        ["../up", "./x", "//a//b", "a b+c&d=e%20f", "line\nbreak", "quote\"'<>", "trailing/.", "ünï", &long];
    let all: Vec<(&str, &[u8])> = keys.iter().map(|key| (*key, key.as_bytes())).collect();
    let server = Server::start(&all, quiet);
    let ran = hashlane(&dir, &server, &["sum", "-q", "-z", "s3://b"]).run().code(0);
    let mut expected: Vec<_> = all.clone();
    expected.sort_unstable();
    let expected: String =
        expected.iter().map(|(key, bytes)| format!("{}  s3://b/{key}\0", digest("sha256", bytes))).collect();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    for key in keys {
        let path = format!("s3://b/{key}");
        let ran = hashlane(&dir, &server, &["sum", "-q", "-z", &path]).run().code(0);
        assert_eq!(ran.stdout, format!("{}  {path}\0", digest("sha256", key)).into_bytes(), "{key}");
    }
}

#[test]
fn a_large_object_is_read_by_ranges_of_one_state() {
    let dir = Dir::new();
    let large = some_bytes(40_000_000);
    let server = Server::start(&[("large", &large)], quiet);
    let ran = hashlane(&dir, &server, &["sum", "s3://b/large"]).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[("large", &large)]));
    let asked: Vec<_> = server.asked().into_iter().filter(|asked| asked.key.is_some()).collect();
    let (ranges, others): (Vec<_>, Vec<_>) = asked.iter().partition(|asked| asked.header("range").is_some());
    assert!(others.iter().all(|asked| asked.method == "HEAD"));
    assert_eq!(ranges.len(), 10, "of 4 MiB each");
    assert!(ranges.iter().all(|asked| asked.header("if-match").is_some()));
    assert!(ran.stderr.contains("1 object with the checksum that the store keeps"), "{}", ran.stderr);
}

#[test]
fn what_passes_is_asked_for_again_and_what_broke_off_is_continued() {
    use std::sync::atomic::AtomicBool;
    let dir = Dir::new();
    let (middle, large) = (some_bytes(2_000_000), some_bytes(36_000_000));
    let all: Vec<(&str, &[u8])> = vec![
        ("busy", b"busy"),
        ("closed", b"closed"),
        ("cut", &middle),
        ("large", &large),
        ("slow", b"slow"),
    ];
    let seen: [AtomicBool; 6] = Default::default();
    let server = Server::start(&all, move |asked| match () {
        () if asked.key.is_none() && asked.number == 0 => Trouble::Refused(503, "SlowDown"),
        () if first_of(asked, "busy", &seen[0]) => Trouble::Refused(503, "SlowDown"),
        () if first_of(asked, "closed", &seen[1]) => Trouble::Closed,
        () if first_of(asked, "cut", &seen[2]) => Trouble::Cut(1_500_000),
        () if first_of(asked, "large", &seen[3]) => Trouble::Cut(1_000_000),
        () if first_of(asked, "slow", &seen[4]) => Trouble::Refused(500, "InternalError"),
        () => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&all));
    let messages = ran.messages().join("\n");
    assert!(messages.contains("6 of them repeated"), "{messages}");
    assert!(messages.contains("5 files, 38.0 MB"), "nothing is counted twice: {messages}");
    let rest = server.asked().into_iter().filter(|asked| asked.key.as_deref() == Some("cut")).nth(1).unwrap();
    assert_eq!(rest.header("range"), Some("bytes=1500000-1999999"));
    assert!(rest.header("if-match").is_some());
}

#[test]
fn an_object_that_is_replaced_while_it_is_read_is_unstable() {
    use std::sync::atomic::AtomicBool;
    let dir = Dir::new();
    let (middle, large) = (some_bytes(2_000_000), some_bytes(36_000_000));
    let other = vec![7; 36_000_000];
    let all: Vec<(&str, &[u8])> = vec![("cut", &middle), ("fine", b"fine"), ("large", &large)];
    let seen: [AtomicBool; 2] = Default::default();
    let server = Server::start(&all, move |asked| match asked.key.as_deref() {
        Some("cut") if first_of(asked, "cut", &seen[0]) => Trouble::Cut(1_000_000),
        Some("cut") => Trouble::Replaced(vec![1; 2_000_000]),
        Some("large") if asked.header("range").is_some_and(|range| range.starts_with("bytes=8388608-")) => {
            Trouble::Replaced(other.clone())
        }
        _ => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&all[1..2]));
    let messages = ran.messages().join("\n");
    assert!(messages.contains("s3://b/cut: was modified while it was read"), "{messages}");
    assert!(messages.contains("s3://b/large: was modified while it was read"), "{messages}");
}

#[test]
fn an_object_that_vanishes_or_is_refused_or_archived_fails_alone() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> =
        vec![("archived", b"x"), ("fine", b"fine"), ("gone", b"gone"), ("mine", b"mine"), ("zz", b"zz")];
    let server = Server::start(&all, |asked| match asked.key.as_deref() {
        Some("archived") => Trouble::Refused(403, "InvalidObjectState"),
        Some("gone") => Trouble::Gone,
        Some("mine") => Trouble::Refused(403, "AccessDenied"),
        _ => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[all[1], all[4]]));
    let messages = ran.messages().join("\n");
    for message in [
        "s3://b/archived: is archived; restore it before it can be read",
        "s3://b/gone: the store answered 404 Not Found",
        "s3://b/mine: the store answered 403 Forbidden",
    ] {
        assert!(messages.contains(message), "{messages}");
    }
}

#[test]
fn damage_on_the_way_and_damage_in_the_store_are_told_apart() {
    use std::sync::atomic::AtomicBool;
    let dir = Dir::new();
    let (middle, large) = (some_bytes(2_000_000), some_bytes(36_000_000));
    let all: Vec<(&str, &[u8])> = vec![
        ("fine", b"fine"),
        ("flipped", &middle),
        ("large", &large),
        ("lie", b"whose checksum is another"),
        ("zz", &middle),
    ];
    let seen = AtomicBool::new(false);
    let server = Server::start(&all, move |asked| match asked.key.as_deref() {
        Some("flipped") if first_of(asked, "flipped", &seen) => Trouble::Flipped(1_234_567),
        Some("large") if asked.header("range").is_some_and(|range| range.starts_with("bytes=4194304-")) => {
            Trouble::Flipped(5_000_000)
        }
        Some("lie") => Trouble::Lie,
        _ => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[all[0], all[4]]));
    let messages = ran.messages().join("\n");
    assert!(
        messages
            .contains("s3://b/large: does not match the checksum that the store keeps for it; read it again")
    );
    assert!(messages.contains("s3://b/flipped: was damaged on its way from the store"), "{messages}");
    assert!(messages.contains("s3://b/lie: does not match the checksum that the store keeps"), "{messages}");
    assert!(messages.contains("2 objects with the checksum that the store keeps"), "{messages}");
}

#[test]
fn checksums_over_parts_are_computed_over_parts_where_the_store_tells_them() {
    let dir = Dir::new();
    let (middle, large) = (some_bytes(2_000_000), some_bytes(36_000_000));
    let all: Vec<(&str, &[u8])> =
        vec![("damaged", &middle), ("fine", &middle), ("large", &large), ("larger", &large)];
    let server = Server::start(&all, |asked| match asked.key.as_deref() {
        Some("damaged") => Trouble::InParts(500_000, Some(1_234_567)),
        Some("fine") => Trouble::InParts(700_000, None),
        Some("large") => Trouble::InParts(8_000_000, None),
        Some("larger") if asked.header("range").is_some_and(|range| range.starts_with("bytes=4194304-")) => {
            Trouble::Flipped(5_000_000)
        }
        Some("larger") => Trouble::InParts(5_000_000, None),
        _ => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&all[1..3]));
    let messages = ran.messages().join("\n");
    assert!(
        messages.contains("s3://b/damaged: does not match the checksum that the store keeps"),
        "{messages}"
    );
    assert!(
        messages.contains("s3://b/larger: does not match the checksum that the store keeps"),
        "{messages}"
    );
    assert!(messages.contains("2 objects with the checksum that the store keeps"), "{messages}");
    let endless = Server::start(&all[1..2], |_| Trouble::EndlessParts);
    hashlane(&dir, &endless, &["sum", "-q", "s3://b"]).run().code(0).printed(lines(&all[1..2]));
    // Where the store does not tell the parts, it is not asked for them for each object, and nothing is compared.
    let keys: Vec<String> = (0..500).map(|number| format!("{number:03}")).collect();
    let many: Vec<(&str, &[u8])> = keys.iter().map(|key| (key.as_str(), &b"some bytes"[..])).collect();
    let silent = Server::start(&many, |asked| match asked.query.as_str() {
        "attributes" => Trouble::Refused(403, "AccessDenied"),
        _ => Trouble::InParts(4, None),
    });
    let ran = hashlane(&dir, &silent, &["sum", "s3://b"]).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&many));
    assert!(!ran.stderr.contains("checksum"), "{}", ran.stderr);
    let asked = silent.asked().iter().filter(|asked| asked.query == "attributes").count();
    assert!((1..200).contains(&asked), "{asked} of 500");
}

#[test]
fn no_more_requests_are_made_than_there_are_to_be() {
    let dir = Dir::new();
    // On one page, so that no listing goes on beside them.
    let all: Vec<(&str, &[u8])> = vec![("a", b"a"), ("b", b"b"), ("c", b"c"), ("d", b"d")];
    let server = Server::start(&all, quiet);
    // One looks whether there is anything, one lists, and two are left for objects.
    let ran = hashlane(&dir, &server, &["sum", "--max-requests", "4", "s3://b"]).run().code(16);
    assert_eq!(server.asked().len(), 4);
    assert_eq!(String::from_utf8_lossy(&ran.stdout).lines().count(), 2, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("the limit on requests is reached").count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("4 requests"), "{}", ran.stderr);
    hashlane(&dir, &server, &["sum", "-q", "--max-requests", "6", "s3://b"])
        .run()
        .code(0)
        .printed(lines(&all));
    let said = dir.hashlane(["sum", "--max-requests", "9", "."]).run().code(64).messages().join("\n");
    assert!(said.contains("--max-requests is for objects"), "{said}");
}

#[test]
fn what_is_listed_as_archived_costs_no_request() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("a", b"a"), ("b", b"b"), ("c", b"c")];
    let server = Server::start(&all, quiet);
    server.archive("b", true);
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[all[0], all[2]]));
    assert!(ran.stderr.contains("s3://b/b: is archived; restore it before it can be read"), "{}", ran.stderr);
    assert_eq!(server.times("b"), 0);
    let ran = hashlane(&dir, &server, &["sum", "--dry-run", "s3://b"]).run().code(0);
    let planned = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        planned.starts_with("2 objects, 2 B") && planned.contains("1 object in an archive cannot be read"),
        "{planned}"
    );
}

#[test]
fn what_is_wrong_with_all_of_it_is_said_before_anything_is_read() {
    let dir = Dir::new();
    let tell = |trouble: fn(&Asked) -> Trouble, expected: &str| {
        let server = Server::start(&[("a", b"a")], trouble);
        let ran = hashlane(&dir, &server, &["sum", "s3://b/a", "-o", "out"]).run().code(16);
        let messages = ran.messages().join("\n");
        assert!(messages.contains(expected), "{messages}");
        assert!(!dir.has("out") && !dir.has("out.partial"));
        assert!(!messages.contains("secretsecret"), "{messages}");
    };
    tell(|_| Trouble::Refused(403, "SignatureDoesNotMatch"), "check the credentials");
    tell(|_| Trouble::Refused(403, "RequestTimeTooSkewed"), "set the clock");
    tell(|_| Trouble::Refused(404, "NoSuchBucket"), "s3://b/a: the store answered 404: NoSuchBucket");
    fn listing(asked: &Asked, answer: &str) -> Trouble {
        match asked.key {
            None => Trouble::Answer(answer.to_owned()),
            Some(_) => Trouble::Refused(404, "NoSuchKey"),
        }
    }
    tell(|asked| listing(asked, "<html>Welcome</html>"), "not a ListBucketResult");
    tell(|asked| listing(asked, "<ListBucketResult><Contents>"), "the store's listing cannot be read");
    // Nobody listens at a port that was given back.
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let down =
        with_credentials(dir.hashlane(["sum", "s3://b/a", "--endpoint"])).arg(format!("http://{closed}"));
    let messages = down.run().code(16).messages().join("\n");
    assert!(messages.contains("cannot be reached") && messages.contains("check --endpoint"), "{messages}");
    let server = Server::start(&[("a", b"a")], quiet);
    let ran = hashlane(&dir, &server, &["sum", "s3://b/no", "s3://b/a"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[("a", b"a")]));
    assert!(ran.messages().join("\n").contains("s3://b/no: no such object, and none below that name"));
}

#[test]
fn a_listing_that_breaks_off_is_a_failure_of_the_listing() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("a", b"a"), ("b", b"b"), ("c", b"c"), ("d", b"d"), ("e", b"e")];
    let server = Server::start(&all, |asked| match asked.query.contains("continuation-token") {
        true => Trouble::Refused(403, "AccessDenied"),
        false => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&all[..4]));
    let messages = ran.messages().join("\n");
    assert!(
        messages.contains("s3://b: the store answered 403 Forbidden (listing the directory)"),
        "{messages}"
    );
}

#[test]
fn listed_objects_are_verified_and_what_is_missing_or_differs_is_told() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("p/a", b"aa"), ("p/b", b"bb"), ("p/c d", b"cc")];
    let server = Server::start(&all, quiet);
    hashlane(&dir, &server, &["sum", "-q", "-o", "list", "s3://b/p"]).run().code(0);
    // Nothing names the algorithm: an object proves it.
    let ran = hashlane(&dir, &server, &["check", "list"]).run().code(0);
    ran.printed("s3://b/p/a: OK\ns3://b/p/b: OK\ns3://b/p/c d: OK\n");
    let changed: Vec<(&str, &[u8])> = vec![("p/a", b"aa"), ("p/b", b"BB")];
    let server = Server::start(&changed, quiet);
    let ran = hashlane(&dir, &server, &["check", "list"]).run().code(6);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(text.contains("s3://b/p/a: OK\n") && text.contains("s3://b/p/b: FAILED\n"), "{text}");
    let messages = ran.messages().join("\n");
    assert!(messages.contains("1 OK by sha256, 1 mismatch, 1 missing"), "{messages}");
    assert!(messages.contains("for objects"), "{messages}");
    // Nothing is there.
    let server = Server::start(&[("q/x", b"x")], quiet);
    hashlane(&dir, &server, &["check", "-a", "sha256", "list"]).run().code(2);
}

#[test]
fn a_list_of_files_is_verified_against_the_objects_below_a_prefix() {
    let dir = Dir::new();
    dir.write("here/a", "aa").write("here/sub/b", "bb").write("here/gone", "gone");
    dir.shell("cd here && $0 sum -q -a sha256 --tag a gone sub > ../list").run().code(0);
    let all: Vec<(&str, &[u8])> = vec![("p/a", b"aa"), ("p/sub/b", b"bb"), ("a", b"another")];
    let server = Server::start(&all, quiet);
    // A list of a walk from the current directory has other names for the same files.
    dir.shell("sed 's/(/(.\\//' list > dotted").run().code(0);
    for (base, list) in [("s3://b/p", "list"), ("s3://b/p/", "list"), ("s3://b/p", "dotted")] {
        let ran = hashlane(&dir, &server, &["check", "--base", base, list]).run().code(2);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(text.contains("a: OK\n") && text.contains("sub/b: OK\n"), "{text}");
        assert!(text.contains("gone: FAILED open or read"), "{text}");
    }
    let ran = hashlane(&dir, &server, &["check", "--base", "s3://b/none", "list"]).run().code(16);
    assert!(ran.messages().join("\n").contains("no such object, and none below that name"));
}

#[test]
fn objects_are_read_from_their_first_byte_to_their_last_whatever_digests_them() {
    let dir = Dir::new();
    let some = some_bytes(20_000_000);
    let server = Server::start(&[("some", &some)], quiet);
    for arguments in
        [&["-a", "blake3"][..], &["-a", "crc32c"], &["--pieces", "1MiB", "--manifest-format", "jsonl"]]
    {
        let before = server.times("some");
        let ran = hashlane(&dir, &server, &[&["sum", "s3://b"][..], arguments].concat()).run().code(0);
        assert_eq!(server.times("some") - before, 1, "{arguments:?}");
        assert!(ran.stderr.contains("1 object with the checksum that the store keeps"), "{}", ran.stderr);
    }
    let printed = hashlane(&dir, &server, &["sum", "-q", "-a", "blake3", "s3://b"]).run().code(0);
    printed.printed(format!("{}  s3://b/some\n", digest("blake3", &some)));
}

#[test]
fn names_of_objects_may_come_from_a_list() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("a", b"a"), ("b", b"b"), ("c", b"c")];
    let server = Server::start(&all, quiet);
    dir.write("names", "s3://b/c\ns3://b/a\ns3://b/gone\n");
    let ran = hashlane(&dir, &server, &["sum", "--files-from", "names"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[all[2], all[0]]));
    assert!(ran.messages().join("\n").contains("s3://b/gone: the store answered 404 Not Found"));
}

#[test]
fn one_may_read_an_object_without_being_allowed_to_list() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a")], |asked| match asked.key {
        None => Trouble::Refused(403, "AccessDenied"),
        Some(_) => Trouble::None,
    });
    hashlane(&dir, &server, &["sum", "-q", "s3://b/a"]).run().code(0).printed(lines(&[("a", b"a")]));
    let ran = hashlane(&dir, &server, &["sum", "-q", "s3://b"]).run().code(16);
    assert!(ran.messages().join("\n").contains("need permission to list"));
    dir.write("list", format!("SHA256 (a) = {}\n", digest("sha256", "a")));
    hashlane(&dir, &server, &["check", "-q", "--base", "s3://b", "list"]).run().code(0);
    // And the other way round: what is there and refused is reported, beside what lies below it.
    let server = Server::start(&[("x", b"x"), ("x/y", b"y")], |asked| match asked.key.as_deref() {
        Some("x") => Trouble::Refused(403, "AccessDenied"),
        _ => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b/x"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[("x/y", b"y")]));
    assert!(ran.messages().join("\n").contains("s3://b/x: the store answered 403 Forbidden"));
    hashlane(&dir, &server, &["sum", "--dry-run", "s3://b/x"]).run().code(16);
    let server = Server::start(&[], |_| Trouble::None);
    // A bucket is not an object, whatever a store answers there.
    let ran = hashlane(&dir, &server, &["sum", "--no-recursive", "s3://b"]).run().code(16);
    assert!(ran.messages().join("\n").contains("s3://b: Is a directory"));
}

#[test]
fn a_bucket_is_asked_where_it_says_that_it_is() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a"), ("b", b"b")], |asked| {
        match asked.header("authorization").is_some_and(|signature| signature.contains("/eu-west-1/s3/")) {
            true => Trouble::None,
            false => Trouble::Elsewhere("eu-west-1"),
        }
    });
    hashlane(&dir, &server, &["sum", "-q", "s3://b"])
        .run()
        .code(0)
        .printed(lines(&[("a", b"a"), ("b", b"b")]));
    // One that is always somewhere else is not followed for ever.
    let server = Server::start(&[("a", b"a")], |asked| match asked.number % 2 {
        0 => Trouble::Elsewhere("eu-west-1"),
        _ => Trouble::Elsewhere("eu-west-2"),
    });
    hashlane(&dir, &server, &["sum", "-q", "s3://b"]).run().code(16);
}

#[test]
fn a_listing_that_repeats_itself_ends() {
    let dir = Dir::new();
    let page = "<ListBucketResult><Contents><Key>a</Key><LastModified>2026-11-01T10:00:00.000Z</LastModified>\
        <Size>1</Size></Contents><IsTruncated>true</IsTruncated>\
        <NextContinuationToken>next</NextContinuationToken></ListBucketResult>";
    let server = Server::start(&[("a", b"a")], move |asked| match asked.key {
        None => Trouble::Answer(page.to_owned()),
        Some(_) => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["sum", "s3://b"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[("a", b"a")]));
}

#[test]
fn pages_of_a_listing_may_be_empty_and_overlap() {
    let dir = Dir::new();
    let page = |keys: &[&str], next: &str| {
        let object = |key: &&str| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2026-11-01T10:00:00.000Z</LastModified>\
                 <Size>1</Size></Contents>"
            )
        };
        let objects: String = keys.iter().map(object).collect();
        let is_cut = !next.is_empty();
        Trouble::Answer(format!(
            "<ListBucketResult>{objects}<IsTruncated>{is_cut}</IsTruncated>\
             <NextContinuationToken>{next}</NextContinuationToken></ListBucketResult>"
        ))
    };
    let server =
        Server::start(&[("p/a", b"a"), ("p/b", b"b")], move |asked| match (&asked.key, &asked.query) {
            (Some(_), _) => Trouble::None,
            (None, query) if query.contains("token=1") => page(&[], "2"),
            (None, query) if query.contains("token=2") => page(&["p/a"], "3"),
            (None, query) if query.contains("token=3") => page(&[], "4"),
            (None, query) if query.contains("token=4") => page(&["p/a", "p/b"], ""),
            _ => page(&[], "1"),
        });
    let ran = hashlane(&dir, &server, &["sum", "-q", "s3://b/p"]).run().code(0);
    ran.printed(lines(&[("p/a", b"a"), ("p/b", b"b")]));
}

#[test]
fn options_of_files_and_of_objects_are_kept_apart() {
    let dir = Dir::new();
    dir.write("file", "x").write("list.csv", "path,size_bytes,mtime,md5\n");
    for (arguments, expected) in [
        (&["sum", "s3://b/a", "file"][..], "read them in two runs"),
        (&["sum", "file", "--endpoint", "http://x"], "--endpoint is for objects"),
        (&["sum", "s3://b/a", "--from-medium"], "--from-medium is for files"),
        (&["sum", "s3://b/a", "--engine", "direct"], "--engine is for files"),
        (&["sum", "s3://b/a", "--endpoint", "localhost"], "is not a URL"),
        (&["sum", "s3://b/a", "--region", "eu west"], "is not a name such as eu-west-1"),
        (&["sum", "--update", "list.csv", "s3://b/a", "file"], "read them in two runs"),
        (&["sum", "--update", "list.csv", "s3://b/a", "--from-medium"], "--from-medium is for files"),
        (&["collection", "add", "x", "s3://b/a", "--marker"], "--marker is for trees of files"),
        (&["collection", "add", "x", ".", "--region", "x"], "--region is for objects"),
        (&["check", "--normalize", "--base", "s3://b/a", "file"], "--normalize is not possible with objects"),
        (&["check", "--audit", "file", "s3://b/a"], "a manifest is a file"),
        (&["check", "--audit", "--base", "s3://b/a", "--engine", "direct", "file"], "--engine is for files"),
        (&["check", "--complete", "--root", "s3://b/a", "--root", "x", "file"], "--root: name a prefix"),
        (&["diff", "file", "file", "--endpoint", "http://x"], "--endpoint is for objects"),
        (&["diff", "file", "s3://b/a", "--from-medium"], "--from-medium is for files"),
        (&["diff", "file", "s3://b/a", "--base", "s3://b/a/b"], "s3://b/a is not below it"),
        (&["diff", ".", "s3://b/a", "--base", "."], "--base: is for manifests"),
        (&["diff", "s3://b/b", "s3://b/a", "--strip-prefix", "x"], "--strip-prefix: is for manifests"),
        (&["check", "--base", ".", "--region", "x", "file"], "--region is for objects"),
    ] {
        let ran = with_credentials(dir.hashlane(arguments)).run().code(64);
        let messages = ran.messages().join("\n");
        assert!(messages.contains(expected), "{messages}");
    }
    let ran =
        with_credentials(dir.hashlane(["sum", "s3://", "--endpoint", "http://127.0.0.1:9"])).run().code(16);
    assert!(ran.messages().join("\n").contains("name objects as s3://BUCKET/KEY"));
}

#[test]
fn requests_are_signed_unless_they_are_not_to_be() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a")], quiet);
    hashlane(&dir, &server, &["sum", "-q", "s3://b/a", "--requester-pays"]).run().code(0);
    for asked in server.asked() {
        let signature = asked.header("authorization").expect("a signature");
        assert!(
            signature.starts_with("AWS4-HMAC-SHA256 Credential=testkey/")
                && signature.contains("/us-east-1/s3/")
        );
        assert_eq!(asked.header("x-amz-request-payer"), Some("requester"));
    }
    let server = Server::start(&[("a", b"a")], quiet);
    hashlane(&dir, &server, &["sum", "-q", "s3://b/a", "--no-sign-request"]).run().code(0);
    assert!(server.asked().iter().all(|asked| asked.header("authorization").is_none()));
    // Without any credentials: no file, no profile, no server of an instance.
    let server = Server::start(&[("a", b"a")], quiet);
    let ran = dir
        .hashlane(["sum", "s3://b/a", "--endpoint", &server.url()])
        .env("HOME", "/nonexistent")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .run()
        .code(16);
    let messages = ran.messages().join("\n");
    assert!(
        messages.contains("s3://b/a: credentials: ") && messages.contains("--no-sign-request"),
        "{messages}"
    );
    assert!(server.asked().is_empty());
}
