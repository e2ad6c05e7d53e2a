//! Checks, audits, comparisons and updates of objects: what they say is what they say of the same files.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::gateway::Gateway;
use super::server::{Asked, Server, Trouble};
use super::{hashlane, lines, quiet, some_bytes};
use crate::work::{Dir, Ran, digest, printed};

/// A bucket `keep` whose objects are files of a folder, and two lists of them: by names of files, and by whole names of objects.
fn kept() -> Option<(Dir, Gateway)> {
    let dir = Dir::new();
    let long_ago = SystemTime::now() - Duration::from_secs(7_200);
    for (name, content) in [
        ("a", "first"),
        ("d.x", "beside"),
        ("d/b", "second"),
        ("d/e/c", "third"),
        ("d/ü &+", "odd"),
        ("twice", "same"),
        ("twice too", "same"),
    ] {
        dir.write(format!("store/keep/{name}"), content);
        dir.set_modified(format!("store/keep/{name}"), long_ago);
    }
    let gateway = Gateway::start(&dir.path("store"))?;
    dir.shell("cd store/keep && $0 sum -q -o ../../SHA256SUMS .").run().code(0);
    let whole = ["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "s3://keep"];
    gateway.hashlane(&dir, &whole).run().code(0);
    Some((dir, gateway))
}

/// Changes, moves, copies, removes and adds files of the bucket.
fn meddle(dir: &Dir) {
    let place = |name: &str| dir.path(format!("store/keep/{name}"));
    fs::rename(place("d/b"), place("moved")).unwrap();
    fs::copy(place("a"), place("d/copy")).unwrap();
    fs::remove_file(place("d.x")).unwrap();
    fs::remove_file(place("twice too")).unwrap();
    dir.write("store/keep/d/e/c", "other").write("store/keep/new", "new");
}

fn text(ran: &Ran) -> String {
    String::from_utf8(ran.stdout.clone()).unwrap()
}

/// The same command on the files and on the objects; `%` stands for where they are. Both say the same, which is returned.
#[track_caller]
fn alike(dir: &Dir, gateway: &Gateway, arguments: &str, code: i32) -> String {
    let with = |place: &str| arguments.replace('%', place);
    let words = |line: &str| line.split('|').map(str::to_owned).collect::<Vec<_>>();
    let files = dir.hashlane(words(&with("store/keep"))).run().code(code);
    let with_objects = words(&with("s3://keep"));
    let with_objects: Vec<_> = with_objects.iter().map(String::as_str).collect();
    let objects = gateway.hashlane(dir, &with_objects).run().code(code);
    assert_eq!(text(&objects), text(&files), "{arguments}: {}", objects.stderr);
    text(&files)
}

#[test]
fn objects_that_are_not_listed_are_found_like_files() {
    let Some((dir, gateway)) = kept() else { return };
    alike(&dir, &gateway, "check|--complete|--base|%|SHA256SUMS", 0);
    meddle(&dir);
    let found = alike(&dir, &gateway, "check|--complete|--base|%|SHA256SUMS", 7);
    assert!(found.contains("\nd/copy: EXTRA (not listed)\nmoved: EXTRA (not listed)\nnew: EXTRA"), "{found}");
    let found = alike(&dir, &gateway, "check|--complete|--exclude|new|--exclude|d|--base|%|SHA256SUMS", 3);
    assert!(found.contains("d/e/c: EXCLUDED") && !found.contains("new"), "{found}");
    alike(&dir, &gateway, "check|--complete|--max-size|4|--base|%|SHA256SUMS", 3);
    alike(&dir, &gateway, "check|--complete|--root|d|--base|%|SHA256SUMS", 7);
    // By whole names, where a header or somebody says where to look.
    let ran = gateway.hashlane(&dir, &["check", "-q", "--complete", "LIST"]).run().code(7);
    let expected = ["d/copy", "moved", "new"].map(|name| format!("s3://keep/{name}: EXTRA (not listed)"));
    assert!(text(&ran).ends_with(&format!("{}\n", expected.join("\n"))), "{}", text(&ran));
    let json = ["check", "-q", "--complete", "--root", "s3://keep/d", "--format", "json", "LIST"];
    let ran = gateway.hashlane(&dir, &json).run().code(7);
    let objects = ran.objects();
    let summary = objects.last().unwrap();
    assert_eq!(summary["summary"]["extra"], 1, "{summary}");
    // Five of the contents, the changed one among them, were read.
    assert_eq!(summary["origin"]["network_bytes"], 5 + 5 + 3 + 4, "{summary}");
    assert!(ran.stderr.contains(" for listings, "), "{}", ran.stderr);
}

#[test]
fn an_audit_of_objects_says_what_one_of_files_says() {
    let Some((dir, gateway)) = kept() else { return };
    alike(&dir, &gateway, "check|--audit|--base|%|SHA256SUMS", 0);
    meddle(&dir);
    for (options, code) in [
        ("", 7),
        ("--exclude|d|", 3),
        ("--max-size|4|", 3),
        ("--root|d|", 7),
        ("--root|d|--root|a|", 7),
        ("--ignore-case|", 7),
    ] {
        alike(&dir, &gateway, &format!("check|--audit|{options}--base|%|SHA256SUMS"), code);
    }
    let found = alike(&dir, &gateway, "check|--audit|--format|json|--base|%|SHA256SUMS", 7);
    for verdict in ["moved", "copied", "missing", "new", "changed", "duplicate-lost"] {
        assert!(found.contains(&format!("\"verdict\":\"{verdict}\"")), "{verdict}: {found}");
    }
    // The list has the times of the objects.
    dir.corrupt("store/keep/a", "fIrst");
    let ran = gateway.hashlane(&dir, &["check", "-q", "--audit", "LIST"]).run().code(15);
    assert!(text(&ran).starts_with("s3://keep/a: CORRUPT"), "{}", text(&ran));
    assert!(text(&ran).contains("s3://keep/moved: MOVED from s3://keep/d/b\n"), "{}", text(&ran));
    assert!(ran.stderr.contains(" for listings, "), "{}", ran.stderr);
}

#[test]
fn a_manifest_differs_from_objects_as_from_files() {
    let Some((dir, gateway)) = kept() else { return };
    alike(&dir, &gateway, "diff|--base|%|SHA256SUMS|%", 0);
    meddle(&dir);
    for (options, code) in [("", 7), ("--exclude|d|", 3), ("--max-size|4|", 3), ("--memory|1MiB|", 7)] {
        alike(&dir, &gateway, &format!("diff|{options}--base|%|SHA256SUMS|%"), code);
        alike(&dir, &gateway, &format!("diff|{options}--base|%|%|SHA256SUMS"), code);
    }
    alike(&dir, &gateway, "diff|--format|json|--base|%|SHA256SUMS|%", 7);
    let ran = gateway.hashlane(&dir, &["diff", "LIST", "s3://keep"]).run().code(7);
    assert!(
        text(&ran).starts_with("s3://keep/d.x: MISSING (only in A)\ns3://keep/d/b: MISSING"),
        "{}",
        text(&ran)
    );
    assert!(ran.stderr.contains(" for listings, "), "{}", ran.stderr);
}

#[test]
fn a_directory_and_a_prefix_or_two_prefixes_are_compared_by_what_lies_below_them() {
    let Some((dir, gateway)) = kept() else { return };
    dir.shell("cp -a store/keep tree").run().code(0);
    let diff = |arguments: &[&str], code| {
        text(&gateway.hashlane(&dir, &[&["diff"][..], arguments].concat()).run().code(code))
    };
    assert_eq!(diff(&["tree", "s3://keep"], 0), "");
    assert_eq!(diff(&["s3://keep/d/", "tree/d"], 0), "");
    assert_eq!(diff(&["s3://keep/", "s3://keep", "-a", "md5"], 0), "");
    let apart = diff(&["s3://keep", "s3://keep/d"], 16 + 3);
    assert!(apart.contains("e/c: NEW (only in B)\n"), "{apart}");
    meddle(&dir);
    let expected = "d.x: MISSING (only in A)\nd/b: MISSING (only in A)\nd/copy: NEW (only in B)\nd/e/c: CHANGED\n\
        moved: NEW (only in B)\nnew: NEW (only in B)\ntwice too: MISSING (only in A)\n";
    assert_eq!(diff(&["tree", "s3://keep"], 7), expected);
    let turned = diff(&["s3://keep", "tree"], 7);
    assert!(turned.starts_with("d.x: NEW (only in B)\n"), "{turned}");
    let bounded = diff(&["tree", "s3://keep", "--exclude", "d", "--max-size", "4"], 3);
    assert_eq!(bounded, "new: NEW (only in B)\ntwice too: MISSING (only in A)\n");
    let none = gateway.hashlane(&dir, &["diff", "tree", "s3://keep/none"]).run().code(16);
    assert!(none.stderr.contains("no such object, and none below that name"), "{}", none.stderr);
}

/// The listed names and their digests.
fn entries(list: &[u8]) -> BTreeMap<String, Value> {
    let list = String::from_utf8(list.to_vec()).unwrap();
    let objects = list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let named =
        objects.filter_map(|object| Some((object["path"].as_str()?.to_owned(), object["digests"].clone())));
    named.collect()
}

#[test]
fn an_update_reads_the_objects_that_are_new_or_have_another_size_or_time() {
    let Some((dir, gateway)) = kept() else { return };
    let update = ["sum", "--update", "LIST"];
    let ran = gateway.hashlane(&dir, &update).run().code(0);
    let said = &ran.stderr;
    assert!(
        said.contains("7 files not read again, trusted by size and time\n") && said.contains("0 files"),
        "{said}"
    );
    meddle(&dir);
    // What was damaged under its size and time is what a check is for.
    dir.corrupt("store/keep/a", "fIrst");
    let ran = gateway.hashlane(&dir, &[&update[..], &["--fail-on-change"]].concat()).run().code(7);
    let said = &ran.stderr;
    assert!(said.contains("; 3 added; 1 changed; 3 gone\n"), "{said}");
    for told in ["added: s3://keep/new", "changed: s3://keep/d/e/c", "gone: s3://keep/d/b"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    dir.corrupt("store/keep/a", "first");
    let again =
        gateway.hashlane(&dir, &["sum", "-q", "--manifest-format", "jsonl", "s3://keep"]).run().code(0);
    assert_eq!(entries(&dir.read("LIST")), entries(&again.stdout));
    // What filters leave out stays as it is listed, and what is gone goes.
    dir.write("store/keep/d/more", "more");
    fs::remove_file(dir.path("store/keep/d/e/c")).unwrap();
    let ran = gateway.hashlane(&dir, &[&update[..], &["--exclude", "d"]].concat()).run().code(0);
    assert!(ran.stderr.contains("; 1 gone; 2 elsewhere and not examined"), "{}", ran.stderr);
    // A prefix that was emptied may be another one.
    fs::rename(dir.path("store/keep/d"), dir.path("away")).unwrap();
    let before = dir.read("LIST");
    let ran = gateway.hashlane(&dir, &[&update[..], &["s3://keep/d"]].concat()).run().code(16);
    assert!(ran.stderr.contains("the manifest was left unchanged"), "{}", ran.stderr);
    assert_eq!(dir.read("LIST"), before);
}

/// A list of objects of the bucket `b`, with sizes and times.
fn list(dir: &Dir, server: &Server, path: &str) {
    let arguments = ["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", path];
    hashlane(dir, server, &arguments).run().code(0);
}

#[test]
fn objects_that_were_listed_within_a_minute_of_their_upload_are_read_again_and_counted() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"a"), ("p/b", b"b")], quiet);
    list(&dir, &server, "s3://b/p");
    let made = String::from_utf8(dir.read("LIST")).unwrap();
    let (before, rest) = made.split_once("\"started\":\"").unwrap();
    let (_, behind) = rest.split_once('"').unwrap();
    // The objects were written at 10:00:00.
    for (started, said) in [
        (
            "2026-11-01T10:00:30Z",
            "hashlane: read again: 2 objects were listed within a minute of their upload\n",
        ),
        ("2026-11-01T10:01:01Z", "hashlane: 2 files not read again, trusted by size and time\n"),
    ] {
        dir.write("LIST", format!("{before}\"started\":\"{started}\"{behind}"));
        let ran = hashlane(&dir, &server, &["sum", "--update", "LIST"]).run().code(0);
        assert!(ran.stderr.contains(said), "{started}: {}", ran.stderr);
        assert_eq!(ran.stderr.contains("read again: "), started.contains(":00:30"), "{}", ran.stderr);
    }
}

#[test]
fn an_object_that_is_as_it_was_listed_is_not_asked_for() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("p/a", b"a"), ("p/b", b"b"), ("p/folder/", b"")];
    list(&dir, &Server::start(&all, quiet), "s3://b/p");
    let longer: Vec<(&str, &[u8])> = vec![("p/a", b"a"), ("p/b", b"bb"), ("p/c", b"c"), ("p/folder/", b"")];
    let server = Server::start(&longer, quiet);
    let update = ["sum", "-q", "--update", "LIST", "--trust", "mtime"];
    hashlane(&dir, &server, &update).run().code(0);
    assert_eq!(["p/a", "p/b", "p/c"].map(|key| server.times(key)), [0, 1, 1]);
    let names: Vec<_> = entries(&dir.read("LIST")).into_keys().collect();
    assert_eq!(names, ["s3://b/p/a", "s3://b/p/b", "s3://b/p/c"]);
    // Another root, with its own header line, and what lies elsewhere stays.
    let server = Server::start(&[("q/x", b"x")], quiet);
    hashlane(&dir, &server, &[&update[..], &["s3://b/q"]].concat()).run().code(0);
    let text = String::from_utf8(dir.read("LIST")).unwrap();
    assert!(text.contains("{\"root\":\"s3://b/p\"}") && text.contains("{\"root\":\"s3://b/q\"}"), "{text}");
    assert_eq!(entries(text.as_bytes()).len(), 4);
}

#[test]
fn a_listing_that_breaks_off_makes_nothing_missing_and_nothing_gone() {
    let dir = Dir::new();
    let keys = ["p/a", "p/b", "p/c", "p/d", "p/e", "p/f"];
    let all: Vec<(&str, &[u8])> = keys.iter().map(|key| (*key, key.as_bytes())).collect();
    list(&dir, &Server::start(&all, quiet), "s3://b/p");
    // Four objects are shown, and two of the rest are still there.
    let server = Server::start(&all[..5], |asked| match asked.query.contains("continuation-token") {
        true => Trouble::Refused(403, "AccessDenied"),
        false => Trouble::None,
    });
    let told = |arguments: &[&str]| {
        let ran = hashlane(&dir, &server, arguments).run().code(16);
        assert!(!printed(&ran).to_lowercase().contains("missing ("), "{}", printed(&ran));
        assert!(ran.stderr.contains("403"), "{}", ran.stderr);
        (text(&ran), ran.stderr)
    };
    let (verdicts, said) = told(&["check", "--audit", "LIST"]);
    assert!(!verdicts.contains("MISSING") && verdicts.contains("s3://b/p/a: OK"), "{verdicts}");
    assert!(said.contains("nothing is reported as missing"), "{said}");
    for sides in [["LIST", "s3://b/p"], ["s3://b/p", "LIST"], ["s3://b/p", "."]] {
        let (differences, said) = told(&["diff", sides[0], sides[1]]);
        assert!(differences.is_empty() && said.contains("nothing was compared"), "{said}");
    }
    let before = dir.read("LIST");
    let (_, said) = told(&["sum", "--update", "LIST", "--trust", "mtime"]);
    assert!(said.contains("the manifest was left unchanged") && !said.contains("gone"), "{said}");
    assert_eq!(dir.read("LIST"), before);
    let (_, said) = told(&["sum", "--update", "LIST", "--trust", "mtime", "-o", "NEW"]);
    assert!(!dir.has("NEW"), "{said}");
    // Two fewer are listed: what is there of them is shown, and that there may be more.
    dir.write("some", lines(&[all[0], all[2]]));
    let ran = hashlane(&dir, &server, &["check", "--complete", "--root", "s3://b/p", "some"]).run().code(17);
    assert!(
        text(&ran).ends_with(
            "s3://b/p/b: EXTRA (not listed)\ns3://b/p/d: EXTRA (not listed)\ns3://b/p: FAILED open or read\n"
        ),
        "{}",
        text(&ran)
    );
}

#[test]
fn what_is_denied_or_vanishes_is_unreadable() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> =
        vec![("p/denied", b"denied"), ("p/fine", b"fine"), ("p/gone", b"gone"), ("p/lost", b"lost")];
    list(&dir, &Server::start(&all, quiet), "s3://b/p");
    let start = || {
        Server::start(&all[..3], |asked| match (asked.method.as_str(), asked.key.as_deref()) {
            (_, Some("p/denied")) => Trouble::Refused(403, "AccessDenied"),
            ("GET", Some("p/gone")) => Trouble::Gone,
            _ => Trouble::None,
        })
    };
    let ran = hashlane(&dir, &start(), &["check", "--audit", "LIST"]).run().code(18);
    let expected =
        "s3://b/p/denied: UNREADABLE\ns3://b/p/fine: OK\ns3://b/p/gone: UNREADABLE\ns3://b/p/lost: MISSING\n";
    assert_eq!(text(&ran), expected);
    let ran = hashlane(&dir, &start(), &["diff", "LIST", "s3://b/p"]).run().code(18);
    let expected =
        "s3://b/p/denied: UNREADABLE\ns3://b/p/gone: UNREADABLE\ns3://b/p/lost: MISSING (only in A)\n";
    assert_eq!(text(&ran), expected);
    let before = entries(&dir.read("LIST"));
    let server = start();
    let ran = hashlane(&dir, &server, &["sum", "--update", "LIST", "-a", "md5"]).run().code(16);
    assert!(ran.stderr.contains("s3://b/p/denied: the store answered 403"), "{}", ran.stderr);
    let after = entries(&dir.read("LIST"));
    assert_eq!(after["s3://b/p/denied"], before["s3://b/p/denied"], "its entry is kept");
    assert_eq!(after["s3://b/p/gone"], before["s3://b/p/gone"], "until the next listing");
    assert!(!after.contains_key("s3://b/p/lost") && after["s3://b/p/fine"]["md5"].is_string());
}

#[test]
fn keys_are_others_as_soon_as_a_byte_is() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![
        ("p", b"beside"),
        ("p/", b""),
        ("p/-", b"dash"),
        ("p/../up", b"up"),
        ("p//a", b"two slashes"),
        ("p/a", b"one slash"),
        ("p/a/", b""),
        ("p/a//b", b"in between"),
        ("p/a/b", b"further down"),
        ("p/new\nline", b"two lines"),
    ];
    let server = Server::start(&all, quiet);
    // Of each pair that paths would take for one name, only one is listed.
    let listed = ["p/-", "p/../up", "p//a", "p/a/b"];
    let few: Vec<_> = all.iter().copied().filter(|(key, _)| listed.contains(key)).collect();
    dir.write("SHA256SUMS", lines(&few));
    let extra = ["p", "p/a", "p/a//b", "p/new\\nline"];
    let ran = hashlane(&dir, &server, &["check", "-q", "--complete", "--root", "s3://b/p", "SHA256SUMS"])
        .run()
        .code(1);
    let mut found: Vec<_> = text(&ran).lines().map(str::to_owned).collect();
    found.sort();
    let mut expected = extra.map(|key| {
        let mark = if key.contains('\\') { "\\" } else { "" };
        format!("{mark}s3://b/{key}: EXTRA (not listed)")
    });
    expected.sort();
    assert_eq!(found, expected);
    let ran = hashlane(&dir, &server, &["check", "-q", "--audit", "--root", "s3://b/p", "SHA256SUMS"])
        .run()
        .code(1);
    assert_eq!(text(&ran).lines().filter(|line| line.ends_with(": NEW")).count(), 4, "{}", text(&ran));
    let ran = hashlane(&dir, &server, &["diff", "SHA256SUMS", "s3://b/p"]).run().code(1);
    assert_eq!(text(&ran).lines().count(), 4, "{}", text(&ran));
    // The same relative to the prefix, where the object of its own name is not part of it.
    let relative: String =
        few.iter().map(|(key, bytes)| format!("{}  ./{}\n", digest("sha256", bytes), &key[2..])).collect();
    // What begins with a slash there is written as it is.
    let relative = relative.replace(".//a", "/a");
    dir.write("RELATIVE.sha256", relative);
    for command in ["--complete", "--audit"] {
        let ran =
            hashlane(&dir, &server, &["check", "-q", command, "--base", "s3://b/p", "RELATIVE.sha256"]).run();
        let ran = ran.code(1);
        assert_eq!(text(&ran).lines().count(), 3, "{}", printed(&ran));
    }
    let arguments = ["diff", "--base", "s3://b/p", "RELATIVE.sha256", "s3://b/p"];
    let ran = hashlane(&dir, &server, &arguments).run().code(1);
    assert_eq!(text(&ran).lines().count(), 3, "{}", printed(&ran));
    hashlane(&dir, &server, &["diff", "s3://b/p", "s3://b/p/"]).run().code(0);
}

#[test]
fn a_name_that_leads_out_of_the_base_is_refused_unless_it_is_a_key() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> =
        vec![("other/x", b"x"), ("p/../key", b"a key"), ("p/a", b"a"), ("p/d/../b", b"b"), ("x", b"x")];
    let server = Server::start(&all, |asked| match asked.key.as_deref() {
        // As servers do that take keys for paths.
        Some("p/../x" | "p/d/../../other/x") => Trouble::Answer("x".to_owned()),
        _ => Trouble::None,
    });
    let names = ["../key", "../x", "a", "d/../../other/x", "d/../b"];
    let contents = ["a key", "x", "a", "x", "b"];
    let list: String = names
        .iter()
        .zip(contents)
        .map(|(name, content)| format!("{}  {name}\n", digest("sha256", content)))
        .collect();
    dir.write("list", list);
    let ran =
        hashlane(&dir, &server, &["check", "-a", "sha256", "--base", "s3://b/p", "list"]).run().code(16);
    let expected = [
        "../key: OK",
        "../x: FAILED open or read",
        "a: OK",
        "d/../../other/x: FAILED open or read",
        "d/../b: OK",
    ];
    assert_eq!(text(&ran).lines().collect::<Vec<_>>(), expected);
    let messages = ran.messages().join("\n");
    for name in ["../x", "d/../../other/x"] {
        let expected =
            format!("{name}: leads out of --base s3://b/p, and the store lists no such key below it");
        assert!(messages.contains(&expected), "{messages}");
        assert_eq!(server.times(&format!("p/{name}")), 0, "it is not asked for");
    }
}

#[test]
fn whole_names_below_a_base_are_keys_byte_by_byte() {
    let dir = Dir::new();
    // All have one content: whoever reads another one calls it the same.
    let all: [(&str, &[u8]); 3] = [("p/a", b"x"), ("p//a", b"x"), ("p/./a", b"x")];
    let check = |kept: &[(&str, &[u8])], more: &[&str]| {
        let server = Server::start(kept, quiet);
        let arguments = ["check", "-a", "sha256", "--base", "s3://b/p", "WHOLE"];
        hashlane(&dir, &server, &[&arguments[..], more].concat()).run()
    };
    for (gone, _) in &all[1..] {
        let name = &gone["p/".len()..];
        // In each order: the first name also shows what the list is of.
        for order in [[gone, "p/a"], ["p/a", gone]] {
            dir.write("WHOLE", lines(&order.map(|key| (key, &b"x"[..]))));
            let left: Vec<_> = all.iter().filter(|(key, _)| key != gone).copied().collect();
            let line = |key: &str, verdict| format!("{}: {verdict}\n", &key["p/".len()..]);
            let whole = order.map(|key| line(key, "OK")).concat();
            assert_eq!(text(&check(&all, &[]).code(0)), whole);
            let missing =
                order.map(|key| line(key, if key == *gone { "FAILED open or read" } else { "OK" })).concat();
            assert_eq!(text(&check(&left, &[]).code(2)), missing);
            assert!(text(&check(&left, &["--complete"]).code(3)).starts_with(&missing), "{name}");
            assert!(text(&check(&left, &["--audit"])).contains(&format!("MOVED from {name}\n")), "{name}");
        }
    }
    // What a walk of directories has put before a relative name is not part of a key.
    dir.write("WHOLE", format!("{}  ./a\n", digest("sha256", "x")));
    assert_eq!(text(&check(&all[..1], &[]).code(0)), "./a: OK\n");
}

#[test]
fn a_proof_of_the_algorithm_takes_the_requests_that_the_guide_says() {
    let dir = Dir::new();
    let keys: Vec<String> = (0..20).map(|number| format!("{number:02}")).collect();
    let contents: Vec<Vec<u8>> = (0..20_usize).map(|number| vec![b'x'; 1000 - number]).collect();
    let all: Vec<(&str, &[u8])> =
        keys.iter().zip(&contents).map(|(key, bytes)| (key.as_str(), &bytes[..])).collect();
    dir.write("list", lines(&all));
    let asked = |more: &[&str]| {
        let server = Server::start(&all, quiet);
        hashlane(&dir, &server, &[&["check", "-q", "list"], more].concat()).run().code(0);
        server.asked().len()
    };
    // Eight sizes, and the smallest of them once more.
    assert_eq!(asked(&[]), asked(&["-a", "sha256"]) + 9);
}

#[test]
fn whole_names_need_a_place_to_look_for_others() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("old/a", b"a"), ("old/b", b"b"), ("new/a", b"a"), ("new/c", b"b")];
    let server = Server::start(&all, quiet);
    dir.write("SHA256SUMS", lines(&all[..2]));
    for option in ["--complete", "--audit"] {
        let ran = hashlane(&dir, &server, &["check", option, "SHA256SUMS"]).run().code(64);
        assert!(ran.stderr.contains("--root s3://BUCKET/PREFIX"), "{}", ran.stderr);
        // The same of a list that can be read once only.
        let ran = hashlane(&dir, &server, &["check", option, "-a", "sha256"]).input(lines(&all[..2])).run();
        assert!(ran.code(64).stderr.contains("--root s3://BUCKET/PREFIX"));
        // Names that begin with the base are relative to it, and others are not of it.
        let ran = hashlane(&dir, &server, &["check", option, "--base", "s3://b/old", "SHA256SUMS"]).run();
        assert_eq!(text(&ran.code(0)), "a: OK\nb: OK\n");
        let ran = hashlane(&dir, &server, &["check", option, "--base", "s3://b/new", "SHA256SUMS"]).run();
        assert!(ran.code(64).stderr.contains("SHA256SUMS: s3://b/old/a does not lie below s3://b/new; "));
        for root in ["s3://b", "s3://b/", "s3://b/old", "old"] {
            let arguments = ["check", option, "--base", "s3://b", "--root", root, "SHA256SUMS"];
            let ran = hashlane(&dir, &server, &arguments).run();
            let is_all = matches!(root, "s3://b" | "s3://b/");
            let text = text(&ran.code(i32::from(is_all)));
            assert!(text.contains("old/a: OK\nold/b: OK\n"), "{root}: {text}");
            assert_eq!(text.lines().count(), if is_all { 4 } else { 2 }, "{root}: {text}");
        }
        let other = ["check", option, "--base", "s3://b/old", "--root", "s3://b/new", "SHA256SUMS"];
        let ran = hashlane(&dir, &server, &other).run().code(64);
        assert!(ran.stderr.contains("--root: is relative to --base s3://b/old"), "{}", ran.stderr);
    }
    let audit = ["check", "--audit", "--base", "s3://b/new", "--strip-prefix", "s3://b/old", "SHA256SUMS"];
    let ran = hashlane(&dir, &server, &audit).run().code(3);
    assert_eq!(text(&ran), "a: OK\nc: MOVED from b\n");
    // What is listed elsewhere is asked for by its name.
    let ran =
        hashlane(&dir, &server, &["check", "--audit", "--root", "s3://b/new", "SHA256SUMS"]).run().code(1);
    assert!(text(&ran).contains("s3://b/old/b: OK\n"), "{}", text(&ran));
    let gone = Server::start(&all[1..], quiet);
    let ran =
        hashlane(&dir, &gone, &["check", "--audit", "--root", "s3://b/new", "SHA256SUMS"]).run().code(3);
    assert!(text(&ran).contains("s3://b/new/a: MOVED from s3://b/old/a\n"), "{}", text(&ran));
}

#[test]
fn an_order_of_the_store_is_no_order_of_names() {
    let dir = Dir::new();
    let object = |key: &str| {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-11-01T10:00:00.000Z</LastModified><Size>1</Size></Contents>"
        )
    };
    let page = format!(
        "<ListBucketResult>{}<IsTruncated>false</IsTruncated></ListBucketResult>",
        ["p/b", "p/c", "p/a"].map(object).concat()
    );
    let all: [(&str, &[u8]); 3] = [("p/a", b"a"), ("p/b", b"b"), ("p/c", b"c")];
    let server = Server::start(&all, move |asked: &Asked| match asked.key {
        None => Trouble::Answer(page.clone()),
        Some(_) => Trouble::None,
    });
    dir.write("SHA256SUMS", lines(&all)).write("t/a", "a").write("t/b", "b").write("t/c", "c");
    hashlane(&dir, &server, &["diff", "SHA256SUMS", "s3://b/p"]).run().code(0);
    hashlane(&dir, &server, &["diff", "t", "s3://b/p"]).run().code(0);
}

#[test]
fn a_comparison_that_meets_a_broken_answer_goes_on_and_a_changed_object_is_unstable() {
    let dir = Dir::new();
    let (one, two) = (some_bytes(2_000_000), some_bytes(1_000_000));
    let all: [(&str, &[u8]); 2] = [("p/one", &one), ("p/two", &two)];
    list(&dir, &Server::start(&all, quiet), "s3://b/p");
    let was_cut = Arc::new(AtomicBool::new(false));
    let its = Arc::clone(&was_cut);
    let server = Server::start(&all, move |asked| match asked.key.as_deref() {
        Some("p/one") if asked.method == "GET" && !its.swap(true, Ordering::SeqCst) => {
            Trouble::Cut(1_500_000)
        }
        Some("p/one") if asked.header("range").is_some() => Trouble::Replaced(vec![1; 2_000_000]),
        _ => Trouble::None,
    });
    let ran = hashlane(&dir, &server, &["diff", "LIST", "s3://b/p"]).run().code(16);
    assert_eq!(text(&ran), "s3://b/p/one: UNSTABLE (changed while it was read)\n");
    assert!(was_cut.load(Ordering::SeqCst));
}
