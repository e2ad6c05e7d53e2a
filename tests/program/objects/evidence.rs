//! What providers say of the files of a collection: recorded, shown apart, and never taken for a reading.

use std::fs;
use std::time::{Duration, SystemTime};

use data_encoding::BASE64;
use hashlane_digest::Algorithm;
use serde_json::{Value, json};

use super::collections::{damage, kept};
use super::gateway::Gateway;
use super::server::Server;
use super::{quiet, with_credentials};
use crate::work::{Dir, Ran, digest, printed};

/// The keys of the collection, URL-encoded as the list for S3 has them, and their contents.
const OBJECTS: [(&str, &str); 5] =
    [("a", "first"), ("d.x", "beside"), ("d/b", "second"), ("d/e/c", "third"), ("d/%C3%BC%20%0A", "odd")];

fn base64(algorithm: &str, content: &str) -> String {
    BASE64.encode(Algorithm::named(algorithm).unwrap().digest(content.as_bytes()).as_bytes())
}

/// A row of a completion report about a checksum of the whole object.
fn row(key: &str, algorithm: &str, content: &str) -> String {
    let checksum = base64(&algorithm.to_lowercase(), content);
    format!(
        "keep,{key},,succeeded,200,,\"{{\"\"checksum_base64\"\":\"\"{checksum}\"\",\"\"etag\"\":\"\"e\"\",\
         \"\"checksumAlgorithm\"\":\"\"{algorithm}\"\",\"\"checksumType\"\":\"\"FULL_OBJECT\"\"}}\"\n"
    )
}

/// Rows that agree, but for those of `others`.
fn rows(others: &[(&str, &str)]) -> String {
    let row = |&(key, content): &(&str, &str)| {
        let other = others.iter().find(|(other, _)| *other == key).map(|(_, content)| *content);
        row(key, "SHA256", other.unwrap_or(content))
    };
    OBJECTS.iter().map(row).collect()
}

/// Writes a report of several files as it is copied from its bucket.
fn report(dir: &Dir, name: &str, made: &str, parts: &[&str]) {
    let mut results = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        dir.write(format!("{name}/results/{number}.csv"), part);
        results.push(json!({ "TaskExecutionStatus": "succeeded", "Bucket": "reports", "Key": format!("job/results/{number}.csv"),
            "MD5Checksum": digest("md5", part) }));
    }
    let manifest = json!({ "Format": "Report_CSV_20180820", "ReportCreationDate": made, "Results": results,
        "ReportSchema": "Bucket, Key, VersionId, TaskStatus, ErrorCode, HTTPStatusCode, ResultMessage" });
    dir.write(format!("{name}/manifest.json"), manifest.to_string());
}

fn keeper(dir: &Dir, gateway: &Gateway, arguments: &[&str], code: i32) -> Ran {
    gateway.keeper(dir, arguments).env("TZ", "UTC").run().code(code)
}

fn status(dir: &Dir, gateway: &Gateway) -> Value {
    let ran = keeper(dir, gateway, &["status", "--format", "json"], 0);
    serde_json::from_slice::<Value>(&ran.stdout).unwrap()["collections"][0].clone()
}

/// When each file was last read good, as the catalogue has it.
fn readings(dir: &Dir) -> Vec<(i64, i64, i64, i64)> {
    let catalog = rusqlite::Connection::open(dir.path("catalog.sqlite")).unwrap();
    let mut statement =
        catalog.prepare("SELECT first, last, stint, reading FROM span ORDER BY first").unwrap();
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn what_s3_has_computed_stands_apart_and_a_reading_settles_what_it_contradicts() {
    let Some((dir, gateway)) = kept(&["--every", "30d"]) else { return };
    let list = keeper(&dir, &gateway, &["collection", "export", "k", "--format", "s3-batch"], 0);
    let mut lines: Vec<_> = printed(&list).lines().map(str::to_owned).collect();
    lines.sort();
    let mut expected = OBJECTS.map(|(key, _)| format!("keep,{key}"));
    expected.sort();
    assert_eq!(lines, expected);

    let (before, known) = (readings(&dir), status(&dir, &gateway));
    let text = rows(&[("d/b", "sEcond")]).replace(&row("d.x", "SHA256", "beside"), "");
    let failed = "keep,d.x,,failed,AccessDenied,403,Access Denied\nkeep,else,,failed,NoSuchKey,404,\n";
    let unread = "k: d.x: S3 could not read it: AccessDenied 403 Access Denied\n";
    report(&dir, "report", "2099-11-20T17:48:39.725Z", &[&text, failed]);
    let dry = keeper(&dir, &gateway, &["audit", "k", "--evidence", "report", "--dry-run"], 0);
    assert!(
        dry.stderr.contains("computed by S3 on 2099-11-20: 3 of 5 files would be attested"),
        "{}",
        dry.stderr
    );
    assert!(printed(&dry).ends_with(unread), "{}", printed(&dry));
    assert_eq!(status(&dir, &gateway), known, "a dry run records nothing");

    let ran = keeper(&dir, &gateway, &["audit", "k", "--evidence", "report"], 16);
    let said = printed(&ran);
    assert!(
        said.starts_with("k: d/b: CONTRADICTED: S3 computed another sha256 on 2099-11-20; not read here\n"),
        "{said}"
    );
    let known_digest = format!("    known  sha256 {}\n", digest("sha256", "second"));
    assert!(said.contains(&known_digest) && said.contains(&digest("sha256", "sEcond")), "{said}");
    assert!(said.ends_with(unread), "{said}");
    let told = "k: computed by S3 on 2099-11-20: 3 of 5 files attested; 1 contradicted; 1 that S3 could not read; 1 row of other names";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(readings(&dir), before, "nothing was read");
    let now = status(&dir, &gateway);
    for same in ["oldest_reading", "late_files", "last_audit", "last_outcome", "never_read", "files"] {
        assert_eq!(now[same], known[same], "{same}");
    }
    assert_eq!((&now["findings"], &now["state"]), (&json!({ "contradicted": 1 }), &json!("attention")));
    let evidence = &now["evidence"][0];
    assert_eq!((&evidence["attested_files"], &evidence["contradicted_files"]), (&json!(3), &json!(1)));
    let shown = printed(&keeper(&dir, &gateway, &["status", "--check"], 16));
    let note = "k: computed by S3 on 2099-11-20: 3 of 5 files attested, 1 contradicted, 1 that could not be read there; not read here";
    assert!(shown.contains(note) && shown.contains("1 contradicted"), "{shown}");

    // The same again changes nothing, by whatever name it comes.
    let known = status(&dir, &gateway);
    let again = ["audit", "k", "--evidence", "report/manifest.json", "report/results/0.csv"];
    let ran = keeper(&dir, &gateway, &again, 16);
    let told = "nothing has changed; 1 contradiction of it stands: `hashlane collection report k` lists them; 1 file that S3 could not read";
    assert!(ran.stderr.contains(told) && ran.stdout.is_empty(), "{}", ran.stderr);
    assert_eq!(status(&dir, &gateway), known);
    let history = printed(&keeper(&dir, &gateway, &["history", "k:d/b"], 0));
    assert!(
        history.contains("  state           present; a provider says that its content is another one\n"),
        "{history}"
    );
    assert!(
        history.contains("  evidence        computed by S3 on 2099-11-20: differs, sha256 "),
        "{history}"
    );

    // That file is read before all others, and found to be as it was.
    keeper(&dir, &gateway, &["audit", "k", "--files", "1"], 0);
    let now = status(&dir, &gateway);
    assert_eq!((&now["findings"], &now["evidence"][0]["contradicted_files"]), (&json!({}), &json!(0)));
    let history = printed(&keeper(&dir, &gateway, &["history", "k:d/b"], 0));
    assert!(
        history.contains("settled") && history.contains("read here from the store, and intact"),
        "{history}"
    );
    assert!(
        history.contains("  evidence        computed by S3 on 2099-11-20: differs, sha256 "),
        "{history}"
    );
    assert!(history.contains("; it no longer stands\n"), "{history}");
    let history = keeper(&dir, &gateway, &["history", "k:d.x", "--format", "json"], 0);
    let said = &serde_json::from_slice::<Value>(&history.stdout).unwrap()["evidence"][0];
    assert_eq!(
        (&said["outcome"], &said["detail"]),
        (&json!("failed"), &json!("AccessDenied 403 Access Denied"))
    );

    // What is damaged in the store is corrupt when it was read, and not before.
    damage(&dir, "d/e/c", "thirD");
    report(&dir, "later", "2099-12-20T00:00:00Z", &[&rows(&[("d/e/c", "thirD")])]);
    keeper(&dir, &gateway, &["audit", "k", "--evidence", "later/manifest.json"], 16);
    let ran = keeper(&dir, &gateway, &["audit", "k", "--files", "1"], 8);
    assert!(printed(&ran).starts_with("k: d/e/c: CORRUPT"), "{}", printed(&ran));
    assert_eq!(status(&dir, &gateway)["findings"], json!({ "corrupt": 1 }));
    // A report that agrees with what is known changes nothing of that.
    report(&dir, "wrong", "2099-12-21T00:00:00Z", &[&rows(&[])]);
    keeper(&dir, &gateway, &["audit", "k", "--evidence", "wrong"], 8);
    assert_eq!(status(&dir, &gateway)["findings"], json!({ "corrupt": 1 }));
    let shown = printed(&keeper(&dir, &gateway, &["collection", "report", "k"], 0));
    let table = shown.split("What providers say; none of it was read here").nth(1).expect("a table");
    assert_eq!(table.matches("computed  S3").count(), 3, "{table}");
    keeper(&dir, &gateway, &["collection", "report", "k", "--format", "json"], 0);
    let page = printed(&keeper(&dir, &gateway, &["collection", "report", "k", "--format", "html"], 0));
    assert!(page.contains("What providers say; none of it was read here"));
}

/// A collection `t` of the files `a`, `b` and `c` of a tree, whose contents are their names, and which was audited.
fn tree(algorithm: &str) -> Dir {
    let dir = Dir::new();
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for name in ["a", "b", "c"] {
        dir.write(format!("tree/{name}"), name).set_modified(format!("tree/{name}"), long_ago);
    }
    dir.keeper(["collection", "add", "t", "tree", "--living", "-a", algorithm]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    dir
}

#[test]
fn a_contradiction_for_programs_has_both_digests_and_who_says_so() {
    let dir = tree("sha256");
    let keeper = |arguments: &[&str], code: i32| dir.keeper(arguments).run().code(code);
    let json = |arguments: &[&str], code: i32| keeper(&[arguments, &["--format", "json"]].concat(), code);
    report(&dir, "report", "2099-11-20T17:48:39Z", &[&row("a", "SHA256", "x"), &row("b", "SHA256", "b")]);
    let contradiction = |imported: &Value| {
        json!({ "algorithm": "sha256", "known": digest("sha256", "a"), "said": digest("sha256", "x"), "provider": "S3",
            "kind": "computed", "made": "2099-11-20T17:48:39Z", "imported": imported })
    };
    let dry = json(&["audit", "t", "--evidence", "report", "--dry-run"], 0);
    assert_eq!(dry.objects()[0]["contradiction"], contradiction(&Value::Null));
    let ran = json(&["audit", "t", "--evidence", "report"], 16);
    let [finding, summary] = &ran.objects()[..] else { panic!("{}", printed(&ran)) };
    let expected = contradiction(&summary["imported"]);
    assert!(summary["imported"].is_string());
    assert_eq!((&finding["path"], &finding["contradiction"]), (&json!("a"), &expected));
    let whole = |ran: Ran| serde_json::from_slice::<Value>(&ran.stdout).unwrap();
    let reported = whole(json(&["collection", "report", "t"], 0));
    assert_eq!(reported["collections"][0]["findings"][0]["contradiction"], expected);
    assert_eq!(whole(json(&["history", "t:a"], 0))["finding"]["contradiction"], expected);
    // A finding that no provider has to do with has none.
    dir.write("tree/c", "C").set_modified("tree/c", SystemTime::now() - Duration::from_secs(1_800));
    fs::remove_file(dir.path("tree/b")).unwrap();
    let ran = json(&["audit", "t"], 18);
    let objects = ran.objects();
    let missing = objects.iter().find(|object| object["verdict"] == "missing").expect("a finding");
    assert_eq!(missing.get("contradiction"), None);
}

#[test]
fn who_acknowledged_one_contradiction_hears_of_another_one() {
    let dir = tree("sha256");
    let keeper = |arguments: &[&str], code: i32| dir.keeper(arguments).env("TZ", "UTC").run().code(code);
    let import = |day: &str, content: &str, code: i32| {
        report(
            &dir,
            day,
            &format!("{day}T00:00:00Z"),
            &[&row("a", "SHA256", content), &row("b", "SHA256", "b")],
        );
        printed(&keeper(&["audit", "t", "--evidence", day], code))
    };
    import("2099-11-20", "x", 16);
    keeper(&["acknowledge", "t", "a", "--reason", "a known mirror"], 0);
    assert_eq!(import("2099-11-21", "x", 0), "", "it says nothing new");
    let said = import("2099-11-22", "y", 16);
    assert!(said.starts_with("t: a: CONTRADICTED: S3 computed another sha256 on 2099-11-22"), "{said}");
    assert!(said.contains(&digest("sha256", "y")), "{said}");
    let shown = printed(&keeper(&["status", "--check"], 16));
    assert!(shown.contains("1 contradicted"), "{shown}");
    // What is shown is the report that was made last, and not the one that was imported last.
    import("2099-11-19", "a", 16);
    let shown = printed(&keeper(&["status"], 0));
    assert!(
        shown.contains("t: computed by S3 on 2099-11-22: 1 of 3 files attested, 1 contradicted"),
        "{shown}"
    );
}

#[test]
fn the_first_reading_keeps_what_was_attested_of_imported_digests() {
    let dir = Dir::new();
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for name in ["a", "b", "c"] {
        dir.write(format!("tree/{name}"), name).set_modified(format!("tree/{name}"), long_ago);
    }
    let keeper = |arguments: &[&str], code: i32| dir.keeper(arguments).run().code(code);
    keeper(&["collection", "add", "t", "tree", "--living", "-a", "sha256"], 0);
    let sums: String = ["a", "b", "c"].map(|name| format!("{}  {name}\n", digest("sha256", name))).concat();
    dir.write("SHA256SUMS", sums);
    keeper(&["collection", "import", "t", "SHA256SUMS"], 0);
    dir.write("report.csv", ["a", "b", "c"].map(|name| row(name, "SHA256", name)).concat());
    keeper(&["audit", "t", "--evidence", "report.csv"], 0);
    keeper(&["audit", "t"], 0);
    let shown = printed(&keeper(&["status"], 0));
    assert!(shown.contains(": 3 of 3 files attested; not read here"), "{shown}");
    let history = printed(&keeper(&["history", "t:a"], 0));
    assert!(history.contains(": agrees, sha256 ") && !history.contains("of a later version"), "{history}");
    // Touched and read, it is the same content; another content is not.
    dir.set_modified("tree/a", long_ago + Duration::from_secs(60));
    dir.write("tree/b", "another");
    keeper(&["audit", "t"], 0);
    let shown = printed(&keeper(&["status"], 0));
    assert!(shown.contains(": 2 of 3 files attested; not read here"), "{shown}");
}

#[test]
fn a_report_of_failures_alone_is_recorded_and_names_them() {
    let dir = Dir::new();
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for number in 0..30 {
        let name = format!("tree/{number:02}");
        dir.write(&name, "x").set_modified(&name, long_ago);
    }
    let keeper = |arguments: &[&str], code: i32| dir.keeper(arguments).env("TZ", "UTC").run().code(code);
    keeper(&["collection", "add", "t", "tree", "--living"], 0);
    keeper(&["audit", "t"], 0);
    let row = |number: u32| format!("keep,{number:02},,failed,AccessDenied,403,\"no, \"\"never\"\"\"\n");
    let rows: String = (0..25).map(row).collect();
    report(&dir, "report", "2099-11-20T17:48:39Z", &[&rows]);
    dir.write("else.csv", rows.replace("keep,", "keep,else/"));
    let ran = keeper(&["audit", "t", "--evidence", "else.csv"], 64);
    assert!(ran.stderr.contains("none of the 25 rows of the report names a file"), "{}", ran.stderr);
    let ran = keeper(&["audit", "t", "--evidence", "report"], 16);
    let lines = printed(&ran);
    assert!(lines.starts_with("t: 00: S3 could not read it: AccessDenied 403 no, \"never\"\n"), "{lines}");
    assert_eq!(lines.lines().count(), 20);
    assert!(
        ran.stderr.contains("t: 5 more that S3 could not read; --format json names all\n"),
        "{}",
        ran.stderr
    );
    let told = "t: computed by S3 on 2099-11-20: 0 of 30 files attested; 25 that S3 could not read; 5 not in the report\n";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let shown = printed(&keeper(&["status"], 0));
    assert!(shown.contains("0 of 30 files attested, 25 that could not be read there"), "{shown}");
    let history = printed(&keeper(&["history", "t:24"], 0));
    assert!(history.contains("could not be read there, AccessDenied 403 no, \"never\"\n"), "{history}");
    // The same again is not a success either.
    let ran = keeper(&["audit", "t", "--evidence", "report"], 16);
    assert!(ran.stderr.contains("nothing has changed; 25 files that S3 could not read\n"), "{}", ran.stderr);
    dir.write("later.csv", rows);
    let ran = keeper(&["audit", "t", "--evidence", "later.csv", "--format", "json"], 16);
    let failed: Vec<_> = ran.objects().into_iter().filter(|object| object["type"] == "failed").collect();
    assert_eq!(failed.len(), 25);
    assert_eq!((&failed[24]["path"], &failed[24]["provider"]), (&json!("24"), &json!("S3")));
    assert_eq!(failed[24]["detail"], "AccessDenied 403 no, \"never\"");
}

#[test]
fn names_come_back_from_s3_in_whichever_way_it_encodes_them() {
    let mut names = [
        "p+q/a+b",
        "p+q/a b",
        "p+q/100%",
        "p+q/%2B",
        "p+q/line\nbreak",
        "p+q/ü+\u{1f600} ",
        "p+q/+",
        "p+q/d e/f+g",
        "p+q/\u{65}\u{301}",
    ];
    names.sort_unstable();
    let dir = Dir::new();
    let objects = names.map(|name| (name, name.as_bytes()));
    let server = Server::start(&objects, quiet);
    let keeper = |arguments: &[&str], code: i32| {
        with_credentials(dir.keeper(arguments)).env("TZ", "UTC").run().code(code)
    };
    keeper(&["collection", "add", "k", "s3://b/p+q", "--living", "--endpoint", &server.url()], 0);
    keeper(&["audit", "k"], 0);
    let list = printed(&keeper(&["collection", "export", "k", "--format", "s3-batch"], 0));
    let exported: Vec<_> = list.lines().map(|line| line.strip_prefix("b,").unwrap().to_owned()).collect();
    assert_eq!(exported.len(), names.len(), "{list}");
    let percent = |bytes: &[u8], keeps: &str| -> String {
        let keep = |byte: u8| byte.is_ascii_alphanumeric() || keeps.as_bytes().contains(&byte);
        bytes
            .iter()
            .map(|&byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") })
            .collect()
    };
    // As a form, as a path, with its pluses as they are, and with its slashes encoded as well.
    let ways: [&dyn Fn(&str) -> String; 4] = [
        &|name| percent(name.as_bytes(), "/-_.* ").replace(' ', "+"),
        &|name| percent(name.as_bytes(), "/-_.~"),
        &|name| percent(name.as_bytes(), "/-_.~+"),
        &|name| percent(name.as_bytes(), ""),
    ];
    for (nth, way) in ways.into_iter().enumerate() {
        let made = format!("2099-11-2{nth}T00:00:00Z");
        let rows: String = names.map(|name| row(&way(name), "SHA256", name).replace("keep,", "b,")).concat();
        report(&dir, &format!("report-{nth}"), &made, &[&rows]);
        let ran = keeper(&["audit", "k", "--evidence", &format!("report-{nth}")], 0);
        let told = format!("on 2099-11-2{nth}: 9 of 9 files attested\n");
        assert!(ran.stderr.contains(&told), "{rows}\n{}", ran.stderr);
    }
    // What was exported comes back as it was, whichever of the two names with and without a plus is damaged.
    for (nth, damaged) in ["p+q/a+b", "p+q/a b", "p+q/+"].into_iter().enumerate() {
        let content = |name: &str| if name == damaged { "damaged".to_owned() } else { name.to_owned() };
        let of = |key: &String| {
            names.into_iter().find(|name| percent(name.as_bytes(), "/-_.~").eq_ignore_ascii_case(key))
        };
        let rows: String = exported
            .iter()
            .map(|key| row(key, "SHA256", &content(of(key).unwrap())).replace("keep,", "b,"))
            .collect();
        let (made, report_of) = (format!("2099-12-2{nth}T00:00:00Z"), format!("damaged-{nth}"));
        report(&dir, &report_of, &made, &[&rows]);
        let ran = keeper(&["audit", "k", "--evidence", &report_of], 16);
        let said = format!("k: {}: CONTRADICTED", damaged.strip_prefix("p+q/").unwrap());
        assert!(printed(&ran).starts_with(&said), "{}", printed(&ran));
        assert_eq!(printed(&ran).matches("CONTRADICTED").count(), 1, "{}", printed(&ran));
    }
}

#[test]
fn what_was_said_of_an_earlier_version_counts_no_more() {
    let Some((dir, gateway)) = kept(&["--living"]) else { return };
    dir.write("all.csv", rows(&[]));
    let ran = keeper(&dir, &gateway, &["audit", "k", "--evidence", "all.csv", "--format", "json"], 0);
    let [summary] = &ran.objects()[..] else { panic!("{}", printed(&ran)) };
    assert_eq!((&summary["type"], &summary["compared"]), (&json!("evidence"), &json!({ "agrees": 5 })));
    assert_eq!((&summary["made"], &summary["unnamed_files"]), (&Value::Null, &json!(0)));
    dir.write("store/keep/a", "another");
    fs::remove_file(dir.path("store/keep/d.x")).unwrap();
    keeper(&dir, &gateway, &["audit", "k"], 2);
    keeper(&dir, &gateway, &["accept", "k", "d.x"], 0);
    let evidence = &status(&dir, &gateway)["evidence"][0];
    assert_eq!(
        (&evidence["attested_files"], &evidence["at_import"]["compared"]),
        (&json!(3), &json!({ "agrees": 5 }))
    );
    let history = printed(&keeper(&dir, &gateway, &["history", "k:a"], 0));
    assert!(
        history.contains("agrees, sha256 ") && history.contains("the file is of a later version now"),
        "{history}"
    );
    // A report about the old version says nothing of the new one, if it says when it was made.
    report(&dir, "old", "2026-01-01T00:00:00Z", &[&rows(&[("d/b", "second ")])]);
    let ran = keeper(&dir, &gateway, &["audit", "k", "--evidence", "old", "--format", "json"], 0);
    assert_eq!(ran.objects()[0]["compared"], json!({ "agrees": 2, "later": 2 }), "{}", printed(&ran));
}

#[test]
fn an_old_version_that_agrees_does_not_hide_the_current_one_that_differs() {
    let dir = Dir::new();
    dir.write("store/keep/empty", "").write("versions/none", "");
    let Some(gateway) = Gateway::with_versions(&dir.path("store"), &dir.path("versions")) else { return };
    gateway.keep_versions();
    gateway.write("PUT", "/keep/a", "", b"first");
    keeper(
        &dir,
        &gateway,
        &["collection", "add", "k", "s3://keep", "--living", "--endpoint", gateway.url()],
        0,
    );
    keeper(&dir, &gateway, &["audit", "k"], 0);
    // The same is uploaded twice, and kept twice. The store keeps whole seconds.
    std::thread::sleep(Duration::from_millis(1_100));
    for content in ["same", "same"] {
        gateway.write("PUT", "/keep/a", "", content.as_bytes());
    }
    let changed = keeper(&dir, &gateway, &["audit", "k"], 0);
    assert!(changed.stderr.contains("1 changed"), "{}", changed.stderr);
    let listed = gateway.hashlane(&dir, &["sum", "--versions", "s3://keep"]).run().code(0);
    let listed = printed(&listed);
    let ids: Vec<_> = listed.lines().filter_map(|line| line.split_once("keep/a?versionId=")).collect();
    let [(_, current), (_, old), (_, oldest)] = ids[..] else { panic!("{listed}") };
    let of =
        |id: &str, content: &str| row("a", "SHA256", content).replace("keep,a,,", &format!("keep,a,{id},"));
    let evidence = |name: &str, rows: &[(&str, &str)], code: i32| {
        dir.write(name, rows.iter().map(|(id, content)| of(id, content)).collect::<String>());
        keeper(&dir, &gateway, &["audit", "k", "--evidence", name, "--format", "json"], code)
    };
    let compared = |ran: &Ran| ran.objects().last().unwrap()["compared"].clone();
    let all = [(current, "same"), (old, "same"), (oldest, "first")];
    assert_eq!(compared(&evidence("good.csv", &all, 0)), json!({ "agrees": 1 }));
    // Versions that were not read are other ones, whether or not they have the same content.
    for (name, rows) in [("old.csv", &all[1..]), ("oldest.csv", &[(old, "x"), (oldest, "first")])] {
        let ran = evidence(name, rows, 64);
        assert!(ran.stderr.contains("1 of another version than was read"), "{}", ran.stderr);
    }
    let ran = evidence("damaged.csv", &[(current, "sAme"), (old, "same"), (oldest, "first")], 16);
    assert_eq!(compared(&ran), json!({ "differs": 1 }));
}

#[test]
fn what_cannot_be_compared_or_read_is_an_error_that_changes_nothing() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    let known = status(&dir, &gateway);
    let refused = |arguments: &[&str], code: i32, expected: &str| {
        let ran = keeper(&dir, &gateway, &[&["audit", "k", "--evidence"], arguments].concat(), code);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert_eq!(status(&dir, &gateway), known);
    };
    dir.write("crc.csv", row("a", "CRC64NVME", "first"));
    let said = "k: the report has crc64nvme; the collection keeps sha256. Let S3 compute SHA256 of full objects, or register it once more";
    refused(&["crc.csv"], 64, said);
    dir.write("parts.csv", row("a", "SHA256", "first").replace("FULL_OBJECT", "COMPOSITE"));
    refused(&["parts.csv"], 64, "the report has SHA256, some of them of parts");
    dir.write("else.csv", rows(&[]).replace("keep,", "other,"));
    refused(
        &["else.csv"],
        64,
        "none of the 5 rows of the report names a file of the collection; names are matched below s3://keep",
    );
    dir.write("cut.csv", &rows(&[])[..500]);
    refused(&["cut.csv"], 16, "cut.csv: line 3: ");
    dir.write("list", format!("{}  a\n", digest("sha256", "first")));
    refused(
        &["list"],
        64,
        "list: is not a report that can be imported: it must be a completion report of S3 Batch Operations",
    );
    refused(&["nothing"], 16, "nothing: No such file");
    refused(&["."], 64, "manifest.json: there is no such file; name the files of the report one by one");
    report(&dir, "report", "2026-11-20T17:48:39.725Z", &[&rows(&[]), &rows(&[])]);
    report(&dir, "later", "2026-11-21T17:48:39.725Z", &[&rows(&[("a", "x")])]);
    let said = "report/manifest.json and later/manifest.json are two reports; import them one by one, the oldest first";
    refused(&["report", "later"], 64, said);
    refused(&["report", "else.csv"], 64, "report/manifest.json and else.csv are two reports");
    // Files without a list may be of one job, unless they say two things of one version.
    let said = "two.csv: line 2: the checksum of d/b differs from the one in one.csv: the reports are of two jobs; import them one by one, \
                the oldest first; nothing was recorded";
    dir.write("one.csv", row("d/b", "SHA256", "second") + &row("d.x", "SHA256", "beside"));
    dir.write("two.csv", row("a", "SHA256", "first") + &row("d/b", "SHA256", "sEcond"));
    refused(&["one.csv", "two.csv"], 64, said);
    dir.write("report/results/1.csv", rows(&[("a", "x")]));
    refused(&["report"], 16, "1.csv: does not have the MD5 that manifest.json lists for it");
    fs::remove_file(dir.path("report/results/0.csv")).unwrap();
    refused(&["report"], 16, "lists job/results/0.csv, which is neither beside it nor in `results`");
    let google = format!("bucket,name,crc32c,md5Hash\nkeep,a,,{}\n", base64("md5", "first"));
    dir.write("google.csv", google).write("all.csv", rows(&[]));
    refused(&["all.csv", "google.csv"], 64, "google.csv: comes from Google, but all.csv comes from S3");
    // A bucket of the same name in another store is another bucket.
    let said = "google.csv: comes from Google, but k lies in s3://keep; import a completion report of S3 Batch Operations, or a list of `rclone";
    refused(&["google.csv"], 64, said);
    let list = json!([{ "Path": "a", "Hashes": { "md5": digest("md5", "first") } }]).to_string();
    dir.write("list.json", &list).write("more.json", &list);
    let said = "the report has md5; the collection keeps sha256. To have both, register it once more";
    refused(&["list.json"], 64, said);
    refused(
        &["list.json", "more.json"],
        64,
        "list.json and more.json are two reports; import them one by one",
    );
    keeper(&dir, &gateway, &["audit", "--evidence", "all.csv"], 64);
    keeper(&dir, &gateway, &["audit", "k", "--evidence", "all.csv", "--due"], 64);
    // Versions, other algorithms and the same again are no reason to refuse them.
    let version = row("d/b", "SHA256", "older").replace("d/b,,", "d/b,v1,");
    let crc = row("d/b", "CRC32C", "x");
    dir.write("three.csv", row("d/b", "SHA256", "second") + &version + &crc);
    keeper(&dir, &gateway, &["audit", "k", "--evidence", "one.csv", "three.csv"], 0);
}

#[test]
fn no_store_is_asked_for_evidence() {
    let dir = Dir::new();
    let objects: [(&str, &[u8]); 3] =
        [("p/,\"100%\"\n+", b"third"), ("p/a", b"first"), ("p/b+c d", b"second")];
    let server = Server::start(&objects, quiet);
    let add =
        ["collection", "add", "k", "s3://b/p", "--living", "--endpoint", &server.url(), "-a", "sha256,md5"];
    let keeper = |arguments: &[&str]| with_credentials(dir.keeper(arguments)).run();
    keeper(&add).code(0);
    keeper(&["audit", "k"]).code(0);
    let asked = server.asked().len();
    // What S3 is asked for comes back as it was, and names odd keys by their numbers.
    let list = printed(&keeper(&["collection", "export", "k", "--format", "s3-batch"]).code(0));
    assert_eq!(list, "b,p/%2C%22100%25%22%0A%2B\nb,p/a\nb,p/b%2Bc%20d\n");
    let keys: Vec<_> = list.lines().map(|line| line.split_once(',').unwrap().1).collect();
    let [odd, first, _] = keys[..] else { panic!("{keys:?}") };
    // A plus may be a plus or a space: what is known decides.
    let rows = [
        row(odd, "SHA256", "third"),
        row(first, "SHA256", "first"),
        row("p/b+c+d", "MD5", "second"),
        row("p/b%2Bc+d", "MD5", "second"),
    ];
    dir.write("report.csv", rows.concat().replace("keep,", "b,"));
    let ran = keeper(&["audit", "k", "--evidence", "report.csv"]).code(0);
    assert!(ran.stderr.contains(": 3 of 3 files attested; 1 row of other names"), "{}", ran.stderr);
    // The names of rclone are relative to the prefix.
    let list = json!([{ "Path": "a", "Size": 5, "Hashes": { "md5": digest("md5", "First") } }]);
    dir.write("list.json", list.to_string());
    let ran = keeper(&["audit", "k", "--evidence", "list.json"]).code(16);
    let said = "k: a: CONTRADICTED: rclone stated another md5, as imported on";
    assert!(printed(&ran).contains(said), "{}", printed(&ran));
    assert_eq!(server.asked().len(), asked, "nobody has asked it");
    keeper(&["acknowledge", "k", "a", "--verdict", "contradicted", "--reason", "an old list"]).code(0);
    keeper(&["status", "--check"]).code(0);
    keeper(&["accept", "k", "a", "--reason", "the list is wrong"]).code(0);
    keeper(&["status", "--check"]).code(0);
    let status = printed(&keeper(&["status"]).code(0));
    assert!(status.contains("stated by rclone") && !status.contains("1 contradicted"), "{status}");
    let ran = keeper(&["audit", "k", "--evidence", "list.json"]).code(0);
    assert!(ran.stderr.ends_with("; nothing has changed\n") && ran.stdout.is_empty(), "{}", ran.stderr);
}

#[test]
fn a_tree_of_files_has_evidence_too() {
    let dir = Dir::new();
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for (name, content) in [("tree/a", "first"), ("tree/d/b", "second"), ("tree/d/c", "third")] {
        dir.write(name, content).set_modified(name, long_ago);
    }
    let keeper = |arguments: &[&str], code: i32| dir.keeper(arguments).env("TZ", "UTC").run().code(code);
    keeper(&["collection", "add", "t", "tree", "--living", "-a", "md5,crc32c"], 0);
    keeper(&["audit", "t"], 0);
    let md5 = |content: &str| digest("md5", content);
    // Another size, another time, and a name that leads elsewhere.
    let list = json!([
        { "Path": "a", "Size": 5, "ModTime": "2026-01-01T00:00:00Z", "IsDir": false, "Hashes": { "md5": md5("other") } },
        { "Path": "d", "Size": -1, "IsDir": true },
        { "Path": "d/b", "Size": 7, "Hashes": { "md5": md5("second!") } },
        { "Path": "d/c", "Size": 5, "Hashes": { "md5": md5("third") } },
        { "Path": "d/../a", "Size": 5, "Hashes": { "md5": md5("first") } },
    ]);
    dir.write("list.json", list.to_string());
    let ran = keeper(&["audit", "t", "--evidence", "list.json"], 0);
    let told = "t: stated by rclone: 1 of 3 files attested; 2 not compared (1 of another size, 1 written at another time); 1 row of other names";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    // Inventories have a bucket, which is not part of a tree.
    let google = format!(
        "bucket,name,size,crc32c,md5Hash,generation\nmirror,a,5,{},,7\nmirror,d/b,6,{},{},8\n",
        base64("crc32c", "first"),
        base64("crc32c", "second"),
        base64("md5", "secOnd")
    );
    dir.write("google.csv", &google);
    let ran = keeper(&["audit", "t", "--evidence", "google.csv"], 16);
    assert!(printed(&ran).contains("t: d/b: CONTRADICTED: Google stated another md5"), "{}", printed(&ran));
    assert!(ran.stderr.contains("1 not in the report"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the provider's word about its copy; nothing was read"), "{}", ran.stderr);
    let history = printed(&keeper(&["history", "t:d/b"], 0));
    assert!(history.contains(", version 8\n"), "{history}");
    // Reading the file here would settle nothing.
    let report = printed(&keeper(&["collection", "report", "t"], 0));
    assert!(
        report.contains("hashlane audit t --evidence REPORT") && !report.contains("hashlane audit t PATH"),
        "{report}"
    );
    let ran = keeper(&["collection", "export", "t", "--format", "s3-batch"], 64);
    assert!(
        ran.stderr.contains("s3-batch lists objects in S3; `hashlane collection export t` writes a manifest"),
        "{}",
        ran.stderr
    );
    // That it is good here says nothing of the mirror. A later report does.
    keeper(&["audit", "t"], 16);
    assert!(printed(&keeper(&["status"], 0)).contains(" attested, 1 contradicted; not read here"));
    dir.write("later.csv", google.replace(&base64("md5", "secOnd"), &base64("md5", "second")));
    keeper(&["audit", "t", "--evidence", "later.csv"], 0);
    assert!(!printed(&keeper(&["status"], 0)).contains("1 contradicted"));
    let history = printed(&keeper(&["history", "t:d/b"], 0));
    assert!(history.contains("withdrawn") && history.contains("; it no longer stands"), "{history}");
    keeper(&["audit", "t"], 0);
    keeper(&["catalog", "verify"], 0);
    keeper(&["collection", "remove", "t"], 0);
    keeper(&["collection", "purge", "t", "--force"], 0);
    keeper(&["catalog", "verify"], 0);
}

#[test]
fn what_could_not_be_printed_counts_and_is_told_by_the_next_import() {
    let dir = Dir::new();
    dir.write("tree/a", "first").set_modified("tree/a", SystemTime::now() - Duration::from_secs(3_600));
    dir.keeper(["collection", "add", "t", "tree", "--living", "-a", "md5"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let list = json!([{ "Path": "a", "Hashes": { "md5": digest("md5", "other") } }]);
    dir.write("list.json", list.to_string());
    let import = || dir.keeper(["audit", "t", "--evidence", "list.json"]);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    import().stdout(full).run().code(74);
    let ran = import().run().code(16);
    assert!(ran.stderr.contains("; nothing has changed; 1 contradiction of it stands: "), "{}", ran.stderr);
    let ran = dir.keeper(["audit", "t", "--evidence", "list.json", "--format", "json"]).run().code(16);
    let [line] = &ran.objects()[..] else { panic!("{}", printed(&ran)) };
    assert_eq!((&line["outcome"], &line["contradicted_files"]), (&json!("known"), &json!(1)));
}

#[test]
fn a_contradiction_is_told_whatever_less_stands_against_a_file() {
    let Some((dir, gateway)) = kept(&["--frozen"]) else { return };
    // The same content at another time: a finding in a frozen collection.
    dir.set_modified("store/keep/a", SystemTime::now() - Duration::from_secs(600));
    keeper(&dir, &gateway, &["audit", "k"], 4);
    report(&dir, "report", "2099-11-20T17:48:39.725Z", &[&rows(&[("a", "fIrst")])]);
    let ran = keeper(&dir, &gateway, &["audit", "k", "--evidence", "report"], 20);
    assert!(printed(&ran).starts_with("k: a: CONTRADICTED: S3 computed another sha256"), "{}", printed(&ran));
    assert_eq!(status(&dir, &gateway)["evidence"][0]["contradicted_files"], 1);
    // A reading settles it, and what stood stands.
    keeper(&dir, &gateway, &["audit", "k"], 4);
    assert_eq!(status(&dir, &gateway)["evidence"][0]["contradicted_files"], 0);
}

#[test]
fn what_was_attested_of_one_bucket_is_not_attested_of_another_one() {
    let Some((dir, gateway)) = kept(&[]) else { return };
    report(&dir, "report", "2099-11-20T17:48:39.725Z", &[&rows(&[])]);
    keeper(&dir, &gateway, &["audit", "k", "--evidence", "report"], 0);
    assert_eq!(status(&dir, &gateway)["evidence"][0]["attested_files"], 5);
    dir.shell("cp -a store/keep store/copy").run().code(0);
    keeper(&dir, &gateway, &["collection", "relocate", "k", "s3://copy"], 0);
    assert_eq!(status(&dir, &gateway)["evidence"][0]["attested_files"], 0);
}
