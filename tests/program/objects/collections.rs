//! Collections of objects: registered, audited and asked about like trees of files.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::gateway::{Gateway, is_s3proxy};
use super::server::{Asked, Server, Trouble};
use super::{hashlane, quiet, with_credentials};
use crate::keeper::settle;
use crate::work::{Cmd, Dir, Ran, digest, printed};

/// A store whose objects are files of a folder, and a collection `k` of the bucket `keep`, audited once.
pub(super) fn kept(options: &[&str]) -> Option<(Dir, Gateway)> {
    let dir = Dir::new();
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for (name, content) in
        [("a", "first"), ("d/b", "second"), ("d/e/c", "third"), ("d.x", "beside"), ("d/ü \n", "odd")]
    {
        dir.write(format!("store/keep/{name}"), content);
        dir.set_modified(format!("store/keep/{name}"), long_ago);
    }
    let gateway = Gateway::start(&dir.path("store"))?;
    let add = ["collection", "add", "k", "s3://keep/", "--endpoint", gateway.url()];
    gateway.keeper(&dir, &[&add[..], options].concat()).run().code(0);
    let ran = gateway.keeper(&dir, &["audit", "k"]).run().code(0);
    assert!(ran.stderr.contains("; 5 registered"), "{}", ran.stderr);
    Some((dir, gateway))
}

/// Changes the content behind the back of the store, which goes on to tell the same size and time.
pub(super) fn damage(dir: &Dir, name: &str, content: &str) {
    dir.corrupt(format!("store/keep/{name}"), content);
}

fn findings(ran: &Ran) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let objects = ran.objects();
    let findings = objects.iter().filter(|object| object["type"] == "finding");
    findings.map(|object| (word(&object["verdict"]), word(&object["path"]))).collect()
}

fn audit(dir: &Dir, gateway: &Gateway, code: i32) -> Vec<(String, String)> {
    findings(&gateway.keeper(dir, &["audit", "k", "--format", "json"]).run().code(code))
}

fn of(verdict: &str, path: &str) -> (String, String) {
    (verdict.to_owned(), path.to_owned())
}

#[test]
fn an_object_that_was_registered_within_a_minute_of_its_upload_is_read_again_by_the_next_audit() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    dir.write("store/keep/young", "first");
    let first = gateway.keeper(&dir, &["audit", "k"]).run().code(0).stderr;
    assert!(first.contains("6 files listed") && !first.contains("read again: "), "{first}");
    // Another content of the same size within the same second looks the same.
    let modified = dir.modified("store/keep/young");
    dir.write("store/keep/young", "other").set_modified("store/keep/young", modified);
    let again = gateway.keeper(&dir, &["audit", "k"]).run().code(4);
    let told = "; read again: 1 object was listed within a minute of its upload";
    assert!(again.stderr.contains(told) && again.stderr.contains("1 changed"), "{}", again.stderr);
}

#[test]
fn a_corrupt_object_is_found_by_two_readings_and_is_good_again_when_it_is_put_back() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    assert_eq!(audit(&dir, &gateway, 0), []);
    damage(&dir, "d/b", "sEcond");
    assert_eq!(audit(&dir, &gateway, 8), [of("corrupt", "d/b")]);
    let history = gateway.keeper(&dir, &["history", "s3://keep/d/b"]).run().code(0);
    let history = String::from_utf8(history.stdout).unwrap();
    assert!(history.contains("corrupt") && history.contains("from the store"), "{history}");
    let status = gateway.keeper(&dir, &["status"]).run();
    assert!(printed(&status).contains("1 corrupt"), "{}", printed(&status));
    damage(&dir, "d/b", "second");
    assert_eq!(audit(&dir, &gateway, 0), []);
}

#[test]
fn the_command_that_restores_reaches_the_store() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    for (name, content) in [("a", "first"), ("d/b", "second"), ("d/ü \n", "odd")] {
        dir.write(format!("mirror/{name}"), content);
    }
    settle();
    gateway.keeper(&dir, &["collection", "add", "m", "mirror"]).run().code(0);
    gateway.keeper(&dir, &["audit", "m"]).run().code(0);
    damage(&dir, "d/b", "sEcond");
    damage(&dir, "d/ü \n", "oDd");
    dir.corrupt("mirror/a", "fIrst");
    for name in ["k", "m"] {
        gateway.keeper(&dir, &["audit", name]).run().code(8);
    }
    let report = |format: &str| {
        let ran = gateway.keeper(&dir, &["collection", "report", "--format", format]).run().code(0);
        String::from_utf8(ran.stdout).unwrap()
    };
    let object: Value = serde_json::from_str(&report("json")).unwrap();
    let findings = object["collections"].as_array().unwrap().iter();
    let findings = findings.flat_map(|collection| collection["findings"].as_array().unwrap());
    let mut commands: Vec<_> =
        findings.map(|finding| finding["intact_copy"]["restore"].as_str().unwrap()).collect();
    commands.sort_unstable();
    let (url, mirror) = (gateway.url(), dir.path("mirror"));
    let (before, mirror) = (format!("aws s3 cp --endpoint-url {url}"), mirror.display());
    let mut expected = [
        format!("{before} {mirror}/d/b s3://keep/d/b"),
        format!("{before} $'{mirror}/d/\\303\\274 \\012' $'s3://keep/d/\\303\\274 \\012'"),
        format!("{before} s3://keep/a {mirror}/a"),
    ];
    expected.sort_unstable();
    assert_eq!(commands, expected);
    let (text, rows) = (report("text"), report("csv"));
    assert!(text.contains("intact copy: m: d/b, read good "), "{text}");
    assert!(expected.iter().all(|command| text.contains(command) && rows.contains(command)), "{text}{rows}");
}

#[test]
fn new_missing_moved_and_changed_objects_are_told_apart() {
    let Some((dir, gateway)) = kept(&["--frozen"]) else { return };
    let place = |name: &str| dir.path(format!("store/keep/{name}"));
    fs::rename(place("d.x"), place("moved")).unwrap();
    fs::remove_file(place("d/e/c")).unwrap();
    dir.write("store/keep/new", "new").write("store/keep/a", "other");
    let mut found = audit(&dir, &gateway, 7);
    found.sort();
    assert_eq!(found, [of("changed", "a"), of("missing", "d/e/c"), of("moved", "moved"), of("new", "new")]);
    // Only what lies below a name is read.
    let ran = gateway.keeper(&dir, &["audit", "k", "s3://keep/d"]).run();
    assert!(ran.stderr.contains("k: 5 files listed, 2 files read"), "{}", ran.stderr);
    let ran = gateway.keeper(&dir, &["audit", "k", "nothing/here"]).run().code(64);
    assert!(ran.stderr.contains("nothing lies there"), "{}", ran.stderr);
    let ran = gateway.keeper(&dir, &["accept", "k", "a", "--reason", "edited"]).run().code(0);
    assert!(ran.stderr.contains("k: 1 file accepted"), "{}", ran.stderr);
}

#[test]
fn a_list_of_objects_is_what_a_collection_of_them_knows() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    gateway
        .hashlane(&dir, &["sum", "-q", "--manifest-format", "parquet", "-o", "list.parquet", "s3://keep"])
        .run()
        .code(0);
    let ran = gateway.keeper(&dir, &["collection", "import", "k", "list.parquet"]).run().code(0);
    assert!(ran.stderr.contains("5 known already"), "{}", ran.stderr);
    gateway
        .keeper(&dir, &["collection", "export", "k", "--manifest-format", "parquet", "-o", "known.parquet"])
        .run()
        .code(0);
    let ran = dir.hashlane(["check", "--base", "store/keep", "known.parquet"]).run().code(0);
    assert_eq!(ran.lines().len(), 5, "{}", printed(&ran));
}

#[test]
fn a_store_that_cannot_be_reached_is_offline_one_that_refuses_is_told_and_nothing_is_missing() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    let wrong = gateway.keeper(&dir, &["audit", "k"]).env("AWS_SECRET_ACCESS_KEY", "wrong").run().code(16);
    assert!(wrong.stderr.contains("k: refused: s3://keep: "), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("SignatureDoesNotMatch"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("check the credentials"), "{}", wrong.stderr);
    assert!(!wrong.stderr.contains("relocate"), "it is where it was: {}", wrong.stderr);
    let unsigned = gateway.keeper(&dir, &["audit", "k"]).env("AWS_ACCESS_KEY_ID", "nobody").run().code(16);
    assert!(unsigned.stderr.contains("k: refused: "), "{}", unsigned.stderr);
    // The bucket is gone.
    fs::rename(dir.path("store/keep"), dir.path("kept")).unwrap();
    let gone = gateway.keeper(&dir, &["audit", "k"]).run().code(16);
    assert!(gone.stderr.contains("k: refused: ") && gone.stderr.contains("NoSuchBucket"), "{}", gone.stderr);
    fs::rename(dir.path("kept"), dir.path("store/keep")).unwrap();
    drop(gateway);
    let ran = with_credentials(dir.keeper(["audit", "k"])).run().code(75);
    assert!(ran.stderr.contains("k: offline") && ran.stderr.contains("cannot be reached"), "{}", ran.stderr);
    assert!(ran.stderr.contains("collection relocate k s3://BUCKET/PREFIX"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("missing"), "{}", ran.stderr);
    let status = dir.keeper(["status"]).run();
    assert!(String::from_utf8_lossy(&status.stdout).contains("offline since"), "{:?}", status.stdout);
}

/// `hashlane` with a catalogue, for the objects of a server.
fn keeper(dir: &Dir, arguments: &[&str]) -> Cmd {
    with_credentials(dir.keeper(arguments))
}

fn add(dir: &Dir, server: &Server) {
    keeper(dir, &["collection", "add", "k", "s3://b/p", "--endpoint", &server.url()]).run().code(0);
}

#[test]
fn an_object_is_no_collection() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"a")], quiet);
    let add = |root: &str, code: i32| {
        let add = ["collection", "add", "k", root, "--endpoint", &server.url()];
        keeper(&dir, &add).run().code(code).stderr
    };
    let said = add("s3://b/p/a", 64);
    assert!(
        said.contains("s3://b/p/a: is an object, and a collection is all that lies below a prefix"),
        "{said}"
    );
    let said = add("s3://b/q", 16);
    assert!(said.contains("s3://b/q: no such object, and none below that name"), "{said}");
}

#[test]
fn keys_that_no_path_can_be_are_named_and_the_others_are_audited() {
    let dir = Dir::new();
    let objects: [(&str, &[u8]); 9] = [
        ("p/", b"a folder with a content"),
        ("p/.hashlane-marker", b"of a tree that was copied"),
        ("p/a", b"a"),
        ("p//slash", b"b"),
        ("p/x/", b"c"),
        ("p/folder/", b""),
        ("p/d//e", b"d"),
        ("p/../up", b"e"),
        ("px", b"beside"),
    ];
    let server = Server::start(&objects, quiet);
    add(&dir, &server);
    let ran = keeper(&dir, &["audit", "k"]).run().code(16);
    let said = printed(&ran);
    assert!(said.contains("k: /slash: UNREADABLE") && said.contains("k: x/: UNREADABLE"), "{said}");
    let export = keeper(&dir, &["collection", "export", "k", "--manifest-format", "jsonl"]).run().code(0);
    let mut names: Vec<_> =
        export.objects().iter().map(|object| object["path"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["../up", "a", "d//e"]);
    let history = keeper(&dir, &["history", "s3://b/p/d//e"]).run().code(0);
    assert!(printed(&history).starts_with("k: d//e\n"), "{}", printed(&history));
    let unknown = keeper(&dir, &["history", "s3://b/p/d/e"]).run().code(64);
    assert!(unknown.stderr.contains("no collection knows this file"), "{}", unknown.stderr);
}

#[test]
fn a_prefix_that_was_emptied_holds_the_audit() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    for number in 0..20 {
        dir.write(format!("store/keep/many/{number}"), "x");
    }
    gateway.keeper(&dir, &["audit", "k"]).run().code(0);
    fs::rename(dir.path("store/keep"), dir.path("kept")).unwrap();
    fs::create_dir(dir.path("store/keep")).unwrap();
    let ran = gateway.keeper(&dir, &["audit", "k"]).run();
    assert!(ran.stderr.contains("HELD") && !ran.stderr.contains("offline"), "{}", ran.stderr);
}

#[test]
fn a_tree_with_a_marker_is_moved_into_a_store() {
    let dir = Dir::new();
    for number in 0..3 {
        dir.write(format!("store/keep/{number}"), number.to_string());
    }
    let Some(gateway) = Gateway::start(&dir.path("store")) else { return };
    gateway.keeper(&dir, &["collection", "add", "k", "store/keep", "--marker"]).run().code(0);
    gateway.keeper(&dir, &["audit", "k"]).run().code(0);
    let relocate = ["collection", "relocate", "k", "s3://keep", "--endpoint", gateway.url()];
    let ran = gateway.keeper(&dir, &relocate).run().code(0);
    assert!(ran.stderr.contains("marker"), "{}", ran.stderr);
    let ran = gateway.keeper(&dir, &["audit", "k"]).run().code(0);
    assert!(ran.stderr.contains("3 files listed, 3 files read"), "{}", ran.stderr);
}

#[test]
fn a_listing_that_fails_says_nothing_of_missing_objects() {
    let dir = Dir::new();
    let is_broken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let its = std::sync::Arc::clone(&is_broken);
    let trouble = move |asked: &Asked| match its.load(std::sync::atomic::Ordering::SeqCst) {
        // Whether there is anything is asked for by pages of one key.
        true if asked.key.is_none()
            && !asked.query.contains("max-keys=1&")
            && !asked.query.ends_with("max-keys=1") =>
        {
            Trouble::Refused(403, "AccessDenied")
        }
        _ => Trouble::None,
    };
    let server = Server::start(&[("p/a", b"a"), ("p/b", b"b")], trouble);
    add(&dir, &server);
    keeper(&dir, &["audit", "k"]).run().code(0);
    is_broken.store(true, std::sync::atomic::Ordering::SeqCst);
    let ran = keeper(&dir, &["audit", "k"]).run().code(16);
    let said = printed(&ran) + &ran.stderr;
    assert!(said.contains("AccessDenied") && !said.contains("missing"), "{said}");
    is_broken.store(false, std::sync::atomic::Ordering::SeqCst);
    keeper(&dir, &["audit", "k"]).run().code(0);
}

#[test]
fn an_object_that_is_listed_and_not_found_is_unreadable() {
    let dir = Dir::new();
    let is_lost = |asked: &Asked| match asked.key.as_deref() {
        Some("p/lost") => Trouble::Refused(404, "NoSuchKey"),
        _ => Trouble::None,
    };
    let server = Server::start(&[("p/a", b"a"), ("p/lost", b"b")], is_lost);
    add(&dir, &server);
    let ran = keeper(&dir, &["audit", "k"]).run().code(16);
    let said = printed(&ran);
    assert!(said.contains("k: lost: UNREADABLE") && said.contains("404 Not Found"), "{said}");
}

#[test]
fn what_a_store_disputes_is_judged_by_its_bytes() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
    const DAMAGED: usize = 1;
    const FLIPPED_ONCE: usize = 2;
    const LIE: usize = 3;
    let dir = Dir::new();
    let large: Vec<u8> = (0..36_000_000_u32).map(|place| (place % 251) as u8).collect();
    let phase = Arc::new(AtomicUsize::new(0));
    let (its, gets) = (Arc::clone(&phase), AtomicU64::new(0));
    let trouble = move |asked: &Asked| match (its.load(SeqCst), asked.key.as_deref()) {
        (DAMAGED, Some("p/a")) => Trouble::Flipped(3),
        (DAMAGED, Some("p/large"))
            if asked.header("range").is_some_and(|range| range.starts_with("bytes=4194304-")) =>
        {
            Trouble::Flipped(5_000_000)
        }
        (FLIPPED_ONCE, Some("p/a")) if gets.fetch_add(1, SeqCst) == 0 => Trouble::Flipped(3),
        (LIE, Some("p/a" | "p/large")) => Trouble::Lie,
        _ => Trouble::None,
    };
    let server = Server::start(&[("p/a", b"what is known"), ("p/large", &large), ("p/z", b"z")], trouble);
    add(&dir, &server);
    let audit = |code: i32| keeper(&dir, &["audit", "k"]).run().code(code);
    audit(0);
    hashlane(&dir, &server, &["sum", "-q", "-o", "list", "s3://b/p"]).run().code(0);
    let header = ["sum", "-q", "--header", "-o", "list.jsonl", "--manifest-format", "jsonl", "s3://b/p"];
    hashlane(&dir, &server, &header).run().code(0);
    let diff = |code: i32| {
        printed(&hashlane(&dir, &server, &["diff", "-a", "sha256", "list", "s3://b/p"]).run().code(code))
    };
    // Another algorithm is added by reading everything.
    let update = |code: i32| {
        let update = ["sum", "--update", "list.jsonl", "-a", "sha256,sha1"];
        let ran = hashlane(&dir, &server, &update).run().code(code);
        let list = String::from_utf8(dir.read("list.jsonl")).unwrap();
        assert!(list.contains(&digest("sha256", "what is known")), "{list}");
        // Nothing that a store disputes is written down.
        assert_eq!(list.contains(&digest("sha1", "what is known")), code == 0, "{list}");
        assert!(!list.contains(&digest("sha256", "whap is known")), "{list}");
        ran.messages().join("\n")
    };
    let check = |code: i32| hashlane(&dir, &server, &["check", "list"]).run().code(code);
    // A limit that nothing fits into sends all that is listed to disk.
    let long = (0..10_000).map(|number| {
        let name = format!("s3://b/p/an object of a rather long name that is not there {number:05}");
        format!("{}  {name}\n", digest("sha256", &name))
    });
    dir.write("long", [dir.read("list"), long.collect::<String>().into()].concat());
    let audit_lists = |code: i32| {
        let audit = |list: &str, options: &[&str], code: i32| {
            let check = ["check", "--audit", "-v", "--root", "s3://b/p", "--exclude", "large"];
            let check = [&check[..], options, &[list]].concat();
            let ran = hashlane(&dir, &server, &check).run().code(code);
            let is_said = |line: &&String| line.contains("s3://b/p/a:");
            let mut said: Vec<_> = ran.messages().iter().filter(is_said).cloned().collect();
            // Digests stand below their file.
            let is_told = |line: &String| is_said(&line) || line.starts_with("    ");
            said.extend(printed(&ran).lines().map(str::to_owned).filter(is_told));
            said
        };
        let said = audit("list", &[], code);
        assert_eq!(audit("long", &["--memory", "1MiB"], code | 2), said);
        said.join("\n")
    };

    // The bytes are others, and so is the checksum that was stored with them: the store has damaged them.
    phase.store(DAMAGED, SeqCst);
    let said = printed(&audit(8));
    for name in ["a", "large"] {
        assert!(said.contains(&format!("k: {name}: CORRUPT")), "{said}");
    }
    assert!(said.contains("it was damaged in the store"), "{said}");
    let damaged = digest("sha256", "whap is known");
    for line in
        [format!("known  sha256 {}", digest("sha256", "what is known")), format!("read   sha256 {damaged}")]
    {
        assert!(said.contains(&line), "{said}");
    }
    let ran = check(24);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        text.contains("s3://b/p/a: FAILED (corrupt: the store's checksum does not match either)")
            && text.contains("s3://b/p/z: OK"),
        "{text}"
    );
    // A large object is read once, and may have been damaged on its way.
    assert!(text.contains("s3://b/p/large: FAILED open or read"), "{text}");
    let messages = ran.messages().join("\n");
    assert!(messages.contains("s3://b/p/large: does not match the checksum"), "{messages}");
    assert!(messages.contains("read it again: it may have been damaged on its way"), "{messages}");
    assert!(
        messages.contains("s3://b/p/a: its content has neither the listed digest nor the checksum"),
        "{messages}"
    );
    let verbose = hashlane(&dir, &server, &["check", "-v", "list"]).run().code(24);
    assert!(printed(&verbose).contains(&format!("sha256 computed {damaged}")), "{}", printed(&verbose));

    let said = audit_lists(8);
    for line in [
        "s3://b/p/a: its content has neither the listed digest nor the checksum that the store keeps for it: it was damaged in the store",
        "s3://b/p/a: CORRUPT (the store's checksum does not match either)",
        &format!("    sha256 computed {damaged}"),
    ] {
        assert!(said.lines().any(|other| other.ends_with(line)), "{line}: {said}");
    }

    let said = diff(24);
    let corrupt = "s3://b/p/a: CORRUPT (in B, the store's checksum does not match either)\n";
    assert_eq!(said, format!("{corrupt}s3://b/p/large: UNREADABLE\n"));
    let other_way = ["diff", "-a", "sha256", "--exclude", "large", "s3://b/p", "list"];
    let said = printed(&hashlane(&dir, &server, &other_way).run().code(8));
    assert_eq!(said, "s3://b/p/a: CORRUPT (in A, the store's checksum does not match either)\n");
    let said = update(24);
    assert!(
        said.contains("s3://b/p/a: corrupt: its content has neither the listed digest nor the checksum"),
        "{said}"
    );

    phase.store(0, SeqCst);
    audit(0);
    // What comes right the second time was damaged on its way, and nothing is wrong with the object.
    phase.store(FLIPPED_ONCE, SeqCst);
    let said = printed(&audit(16));
    assert!(said.contains("k: a: UNREADABLE\n    was damaged on its way"), "{said}");
    audit(0);

    // The bytes are those that are known. Only the checksum is another one.
    phase.store(LIE, SeqCst);
    let said = printed(&audit(16));
    for name in ["a", "large"] {
        assert!(
            said.contains(&format!(
                "k: {name}: UNREADABLE\n    its content is as known, but the store keeps"
            )),
            "{said}"
        );
    }
    let report = String::from_utf8(keeper(&dir, &["collection", "report"]).run().stdout).unwrap();
    assert!(
        report.contains("upload an intact copy") && !report.contains("permissions or the device"),
        "{report}"
    );
    // One reading is enough for that: nothing was damaged on its way.
    let messages = check(16).messages().join("\n");
    for name in ["a", "large"] {
        let expected = format!("s3://b/p/{name}: its content is as listed, but the store keeps another");
        assert!(messages.contains(&expected), "{messages}");
    }
    let as_listed = "s3://b/p/a: its content is as listed, but the store keeps another";
    let said = audit_lists(16);
    assert!(said.contains("s3://b/p/a: UNREADABLE") && said.contains(as_listed), "{said}");
    let said = update(16);
    assert!(said.contains(as_listed), "{said}");
    diff(16);
    phase.store(0, SeqCst);
    audit(0);
    assert_eq!(diff(0), "");
    update(0);
}

#[test]
fn what_a_listing_cannot_name_is_told() {
    let dir = Dir::new();
    // XML has no place for such a character: the server lists another one in its place, and does not know that.
    dir.write("store/keep/a\u{1}b", "odd").write("store/keep/plain", "plain");
    let Some(gateway) = Gateway::start(&dir.path("store")) else { return };
    let add =
        gateway.keeper(&dir, &["collection", "add", "k", "s3://keep", "--endpoint", gateway.url()]).run();
    if is_s3proxy() {
        // Its listing ends at such a key, in the midst.
        assert!(add.code(16).stderr.contains("the store's listing cannot be read"));
        return;
    }
    add.code(0);
    let said = printed(&gateway.keeper(&dir, &["audit", "k"]).run().code(16));
    assert!(said.contains("b: UNREADABLE") && said.contains("copy the object to another key"), "{said}");
    let ran = gateway.keeper(&dir, &["audit", "k"]).run().code(16);
    assert!(ran.stderr.contains("1 unreadable, 1 intact"), "{}", ran.stderr);
    let status = printed(&gateway.keeper(&dir, &["status"]).run());
    assert!(status.contains("k needs a person"), "{status}");
}

#[test]
fn what_has_gone_since_it_was_listed_is_missing() {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    let is_late = std::sync::Arc::new(AtomicBool::new(false));
    let its = std::sync::Arc::clone(&is_late);
    let dir = Dir::new();
    let server =
        Server::start(&[("p/a", b"a"), ("p/gone", b"gone")], move |asked| match asked.key.as_deref() {
            Some("p/gone") if its.load(SeqCst) => Trouble::Gone,
            _ => Trouble::None,
        });
    add(&dir, &server);
    keeper(&dir, &["audit", "k"]).run().code(0);
    is_late.store(true, SeqCst);
    let ran = keeper(&dir, &["audit", "k"]).run().code(2);
    let said = printed(&ran);
    assert!(said.contains("k: gone: MISSING\n    it was listed when the audit began"), "{said}");
    keeper(&dir, &["audit", "k"]).run().code(2);
    is_late.store(false, SeqCst);
    server.put("p/gone", Some(b"gone"));
    keeper(&dir, &["audit", "k"]).run().code(0);
}

/// What a collection knows, through a table: names, sizes and digests.
fn rows(dir: &Dir, gateway: &Gateway, name: &str) -> Vec<(String, u64, String)> {
    let table = format!("{name}.parquet");
    let export = ["collection", "export", name, "--manifest-format", "parquet", "-o", &table];
    gateway.keeper(dir, &export).run().code(0);
    let ran = dir.hashlane(["convert", "-q", "--manifest-format", "jsonl", &table, "-"]).run().code(0);
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |object: &Value| {
        (word(&object["path"]), object["size_bytes"].as_u64().unwrap(), word(&object["digests"]["sha256"]))
    };
    ran.objects().iter().map(row).collect()
}

#[test]
fn a_tree_and_its_objects_have_the_same_rows_and_both_audits_name_the_same_damage() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    gateway.keeper(&dir, &["collection", "add", "t", "store/keep"]).run().code(0);
    gateway.keeper(&dir, &["audit", "t"]).run().code(0);
    let files = rows(&dir, &gateway, "t");
    assert_eq!((files.len(), &files), (5, &rows(&dir, &gateway, "k")));
    damage(&dir, "d/e/c", "thirD");
    for name in ["t", "k"] {
        let ran = gateway.keeper(&dir, &["audit", name, "--format", "json"]).run();
        let found: Vec<_> = findings(&ran).into_iter().map(|(_, path)| path).collect();
        assert_eq!(found, ["d/e/c"], "{name}");
    }
}

/// A collection `k` of all objects of a server.
fn kept_in(server: &Server) -> Dir {
    let dir = Dir::new();
    let add = ["collection", "add", "k", "s3://b", "--endpoint", &server.url()];
    with_credentials(dir.keeper(add)).run().code(0);
    dir
}

#[test]
fn an_archived_object_is_neither_missing_nor_unreadable() {
    let server = Server::start(&[("a", b"first"), ("b", b"second"), ("c", b"third")], quiet);
    server.archive("c", true);
    let dir = kept_in(&server);
    let audit =
        |more: &[&str], code| with_credentials(dir.keeper([&["audit", "k"], more].concat())).run().code(code);
    let first = audit(&[], 0);
    assert!(first.stderr.contains("3 files listed, 2 files read"), "{}", first.stderr);
    assert!(first.stderr.contains("1 offline, 2 registered"), "{}", first.stderr);
    // One that was read goes there, another one comes back.
    server.archive("b", true);
    server.archive("c", false);
    let asked = server.times("b");
    let second = audit(&["--format", "json"], 0);
    assert_eq!(findings(&second), []);
    let summary = &second.objects()[0];
    assert_eq!(
        (&summary["listed"]["offline"], &summary["verdicts"]["offline"]),
        (&1.into(), &1.into()),
        "{summary}"
    );
    assert_eq!(summary["verdicts"]["new"], 1, "{summary}");
    assert_eq!(server.times("b"), asked, "its class says enough");
    let dry = audit(&["--dry-run"], 0);
    assert!(dry.stderr.contains("2 files would be read"), "{}", dry.stderr);
}

#[test]
fn what_is_written_over_in_an_archive_is_told_and_what_comes_back_there_is_not_missing() {
    let server =
        Server::start(&[("a", b"first"), ("b", b"second"), ("c", b"third"), ("d", b"fourth")], quiet);
    let dir = kept_in(&server);
    let audit = |code| with_credentials(dir.keeper(["audit", "k", "--format", "json"])).run().code(code);
    audit(0);
    server.put("b", None);
    assert_eq!(findings(&audit(2)), [of("missing", "b")]);
    server.put("b", Some(b"second"));
    server.archive("b", true);
    server.put("c", Some(b"other than third"));
    server.archive("c", true);
    let told = audit(16);
    assert_eq!(findings(&told), [of("unreadable", "c")]);
    let status = with_credentials(dir.keeper(["status"])).run().code(0);
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(!status.contains("missing") && status.contains("1 unreadable"), "{status}");
}

/// A store of 300 objects that is gone when one of them is asked for.
fn goes_away() -> Server {
    let objects: Vec<(String, Vec<u8>)> =
        (0..300_u32).map(|number| (format!("{number:03}"), number.to_le_bytes().to_vec())).collect();
    let objects: Vec<(&str, &[u8])> = objects.iter().map(|(key, bytes)| (key.as_str(), &bytes[..])).collect();
    Server::start(&objects, |asked| match (asked.method.as_str(), asked.key.as_deref()) {
        ("GET", Some("100")) => Trouble::Away,
        _ => Trouble::None,
    })
}

#[test]
fn a_store_that_goes_away_in_the_midst_is_told_once_and_not_of_each_object() {
    let server = goes_away();
    let dir = kept_in(&server);
    let ran = with_credentials(dir.keeper(["audit", "k", "--format", "json"])).run().code(16);
    assert_eq!(findings(&ran), []);
    let told = ran.objects();
    assert_eq!(told.iter().filter(|object| object["type"] == "unlisted").count(), 1);
    let summary = told.iter().find(|object| object["type"] == "audit").unwrap();
    let read = summary["read"]["files"].as_u64().unwrap();
    assert_eq!(
        (&summary["outcome"], summary["verdicts"]["not-checked"].as_u64()),
        (&"budget".into(), Some(300 - read))
    );
    assert!(read < 300 && summary["verdicts"]["unreadable"].is_null(), "{summary}");
    assert!(summary["detail"].as_str().unwrap().contains("cannot be reached"), "{summary}");
}

#[test]
fn that_a_store_went_away_is_not_called_a_budget() {
    let server = goes_away();
    let dir = kept_in(&server);
    let ran = with_credentials(dir.keeper(["audit", "k"])).run().code(16);
    assert!(
        ran.stderr.contains("it could not be reached any more: the next audit reads the rest"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("budget"), "{}", ran.stderr);
}

#[test]
fn too_few_requests_for_the_listing_alarm_nobody() {
    let objects: Vec<(String, Vec<u8>)> =
        (0..40_u8).map(|number| (format!("{number:02}"), vec![number; 50])).collect();
    let objects: Vec<(&str, &[u8])> = objects.iter().map(|(key, bytes)| (key.as_str(), &bytes[..])).collect();
    let server = Server::start(&objects, quiet);
    let dir = kept_in(&server);
    let audit = |most: &str, code| {
        with_credentials(dir.keeper(["audit", "k", "--max-requests", most])).run().code(code)
    };
    // Neither for the question whether it is there, nor for all pages.
    for most in ["1", "5"] {
        let ran = audit(most, 75);
        let expected = format!(
            "k: not begun: --max-requests {most} does not cover its listing; `hashlane audit k --dry-run` says"
        );
        assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
        assert_eq!(printed(&ran), "");
    }
    with_credentials(dir.keeper(["audit", "k"])).run().code(0);
    let ran = audit("5", 75);
    assert!(
        ran.stderr.contains("for the 40 files that are known it takes about 3 requests"),
        "{}",
        ran.stderr
    );
    let ran = with_credentials(dir.keeper(["audit", "k", "--max-requests", "5", "--format", "json"]))
        .run()
        .code(75);
    let told = ran.objects();
    assert_eq!((told.len(), &told[0]["outcome"]), (1, &"not-begun".into()));
    let status = with_credentials(dir.keeper(["status"])).run().code(0);
    assert!(
        printed(&status).starts_with("1 collection: all that was read is well; k has no promise\n"),
        "{}",
        printed(&status)
    );
}

#[test]
fn an_audit_with_too_few_requests_goes_on_with_the_next_one() {
    let objects: Vec<(String, Vec<u8>)> =
        (0..20_u8).map(|number| (format!("{number:02}"), vec![number; 50])).collect();
    let objects: Vec<(&str, &[u8])> = objects.iter().map(|(key, bytes)| (key.as_str(), &bytes[..])).collect();
    let server = Server::start(&objects, quiet);
    let dir = kept_in(&server);
    // Several objects are asked for at a time, so which of the last ones comes too late is a matter of chance.
    let have_been_read = || objects.iter().all(|(key, _)| server.times(key) > 0);
    for number in 0.. {
        let before = server.asked().len();
        let audit = ["audit", "k", "--max-requests", "15", "--format", "json"];
        let ran = with_credentials(dir.keeper(audit)).run().code(0);
        assert_eq!(server.asked().len() - before, 15);
        assert_eq!(findings(&ran), []);
        let told = ran.objects();
        let summary = told.iter().find(|object| object["type"] == "audit").unwrap();
        assert_eq!(
            (&summary["outcome"], &summary["read"]["files"]),
            (&"budget".into(), &9.into()),
            "{summary}"
        );
        assert!(number < 50, "some are never read");
        // Those that were never read come before those that were, but for what is asked for at the same time.
        if number < 2 {
            let export = ["collection", "export", "k", "--manifest-format", "jsonl"];
            let known = with_credentials(dir.keeper(export)).run().code(0).objects().len();
            assert!((7 * (number + 1)..=9 * (number + 1)).contains(&known), "{known} after {number}");
        }
        if number > 1 && have_been_read() {
            break;
        }
    }
}
