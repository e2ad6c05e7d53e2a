//! The report of collections: in each format all that it says, and no name that does anything.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::keeper::{raw, settle};
use crate::work::Dir;

/// Paths that would do something to a page, to a table, to a terminal or to a shell.
const HOSTILE: [&[u8]; 8] = [
    b"<script>alert(1)</script>",
    b"=cmd|' /C calc'!A0",
    b"@SUM(1+1)",
    b"-rf \"*\" $(reboot) `reboot` '",
    b"new\nline\r\tand tab\x1b[31m",
    b"bad \xff\xfe utf-8",
    "\u{202e}gpj.exe".as_bytes(),
    b"&lt;b&gt; ' \" > <img src=x onerror=alert(1)>",
];

/// A frozen collection with findings of all kinds that take no failing disk, a mirror of it, and one that is away.
pub(crate) fn told() -> Dir {
    told_in(Dir::new(), || ())
}

/// The same in a directory. `wait`: what is done between changes of the tree and the audit that finds them.
pub(crate) fn told_in(dir: Dir, wait: fn()) -> Dir {
    for name in HOSTILE {
        write(&dir, name, b"the content of ", name);
    }
    for name in ["a", "gone", "acknowledged", "recovered", "deep/er/whole"] {
        write(&dir, name.as_bytes(), b"first ", name.as_bytes());
    }
    dir.make("away");
    settle();
    dir.keeper(["collection", "add", "t", "tree", "--frozen", "--every", "30d", "--group", "g"])
        .run()
        .code(0);
    dir.keeper(["collection", "add", "mirror", "mirror"]).run().code(0);
    dir.keeper(["collection", "add", "away", "away", "--allow-empty", "--removable"]).run().code(0);
    for name in ["t", "mirror", "away"] {
        dir.keeper(["audit", name]).run().code(0);
    }
    for name in HOSTILE {
        corrupt(&dir, name);
    }
    corrupt(&dir, b"acknowledged");
    dir.write("tree/a", "edited").write("tree/new", "new");
    let whole = dir.path("tree/recovered");
    std::fs::rename(&whole, dir.path("kept")).unwrap();
    std::fs::remove_file(dir.path("tree/gone")).unwrap();
    wait();
    dir.keeper(["audit", "t"]).run().code(15);
    std::fs::rename(dir.path("kept"), &whole).unwrap();
    wait();
    dir.keeper(["acknowledge", "t", "acknowledged", "--reason", "=copy ordered", "--until", "14d"])
        .run()
        .code(0);
    dir.keeper(["audit", "t"]).run().code(15);
    std::fs::remove_dir(dir.path("away")).unwrap();
    dir.keeper(["audit", "away"]).run().code(0);
    dir
}

/// Writes a file into the tree, and into the mirror, with one time.
fn write(dir: &Dir, name: &[u8], before: &[u8], content: &[u8]) {
    let [path, mirror] = [&b"tree/"[..], b"mirror/"].map(|root| [root, name].concat());
    dir.write(&path, [before, content].concat()).write(&mirror, [before, content].concat());
    dir.set_modified(&mirror, dir.modified(&path));
}

/// Writes other bytes, and sets the time back.
fn corrupt(dir: &Dir, name: &[u8]) {
    let path = [b"tree/", name].concat();
    let content: Vec<u8> = dir.read(&path).iter().map(|byte| byte ^ 1).collect();
    dir.corrupt(&path, content);
}

fn report(dir: &Dir, options: &[&str]) -> String {
    let ran = dir.keeper([&["collection", "report"], options].concat()).run().code(0);
    assert_eq!(ran.stderr, "");
    String::from_utf8(ran.stdout).unwrap()
}

fn object(dir: &Dir) -> Value {
    serde_json::from_str(&report(dir, &["--format", "json"])).unwrap()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// Rows by the names of their columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The bytes of the path of a row.
fn path_of(row: &BTreeMap<String, String>) -> Vec<u8> {
    match row["path_b64"].as_str() {
        "" => row["path"].clone().into_bytes(),
        bytes => data_encoding::BASE64.decode(bytes.as_bytes()).unwrap(),
    }
}

#[test]
fn a_report_tells_what_stands_and_no_name_does_anything() {
    let dir = told();
    check_text(&report(&dir, &[]));
    check_page(&report(&dir, &["--format", "html"]));
    check_rows(&report(&dir, &["--format", "csv"]));
    check_object(&object(&dir));
    // What goes to a file is the same.
    dir.keeper(["collection", "report", "--format", "csv", "-o", "out.csv"]).run().code(0).printed("");
    assert_eq!(dir.read("out.csv"), report(&dir, &["--format", "csv"]).as_bytes());
    let one = report(&dir, &["mirror"]);
    assert!(one.starts_with("1 collection: all is well\n") && !one.contains("CORRUPT"), "{one}");
    dir.keeper(["collection", "report", "nobody"])
        .run()
        .code(64)
        .said_among_others(&["no collection is named nobody"]);
    restore(&dir);
}

fn check_text(text: &str) {
    let obeyed = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
    assert!(!text.contains(obeyed), "{text}");
    has(
        text,
        &[
            "3 collections: t needs a person\n",
            "\n  8 CORRUPT\n",
            "\n  1 MISSING\n",
            "\n  1 CHANGED\n",
            "\n  1 NEW\n",
            "\n  1 acknowledged\n    acknowledged: corrupt since ",
            "\n  1 recovered\n    recovered: missing since ",
            "OFFLINE since ",
            "hashlane audit t PATH",
            "    bad \\xff\\xfe utf-8\n",
            "    new\\nline\\r\\tand tab\\x1b[31m\n",
            "    \\u{202e}gpj.exe\n",
            "      intact copy: mirror: gone, read good ",
            "No audit has read for a second or longer",
            "Longest unverified",
            "Last audits",
        ],
    );
    let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
    has(&unwrapped, &["found nothing new that still stands", "=copy ordered"]);
}

fn check_page(page: &str) {
    for forbidden in ["<script", "<img", "href=", "http:", "https:", "\u{202e}", "\x1b", "\u{fffd}"] {
        assert!(!page.to_lowercase().contains(forbidden), "{forbidden} is in:\n{page}");
    }
    has(
        page,
        &[
            "default-src 'none'; style-src 'unsafe-inline'",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "&amp;lt;b&amp;gt;",
            "8 corrupt",
            "intact copy: ",
            "class=\"faint\"",
        ],
    );
    // Whatever is between the tags, each one is of the page.
    for tag in page.split('<').skip(1) {
        let name =
            tag.trim_start_matches('/').split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap();
        let known = [
            "", "html", "head", "meta", "title", "style", "body", "header", "main", "p", "h1", "h2", "h3",
            "div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "code", "dl", "dt", "dd", "span",
            "section",
        ];
        assert!(known.contains(&name) && (!name.is_empty() || tag.starts_with('!')), "<{tag}");
    }
}

fn check_rows(text: &str) {
    let rows = rows(text);
    let mut corrupt = BTreeSet::new();
    for row in &rows {
        for (column, cell) in row {
            let begins = cell.trim_start().chars().next();
            assert!(!begins.is_some_and(|begins| "=+-@\t\r\n".contains(begins)), "{column}: {cell:?}");
            assert!(!cell.contains(char::is_control), "{column}: {cell:?}");
        }
        if row["verdict"] == "corrupt" && row["acknowledged_by"].is_empty() {
            corrupt.insert(path_of(row));
        }
    }
    assert_eq!(corrupt, HOSTILE.iter().map(|name| name.to_vec()).collect());
    assert_eq!(rows.len(), 8 + 4);
    let of = |path: &[u8]| rows.iter().find(|row| path_of(row) == path).unwrap();
    assert_eq!(of(b"acknowledged")["acknowledged_reason"], "'=copy ordered");
    let gone = of(b"gone");
    assert_eq!((gone["verdict"].as_str(), gone["intact_copy"].as_str()), ("missing", "mirror:gone"));
    assert!(gone["known_digests"].starts_with("sha256:") && gone["read_digests"].is_empty());
    assert_eq!(of(b"=cmd|' /C calc'!A0")["path"], "'=cmd|' /C calc'!A0");
}

fn check_object(report: &Value) {
    let collections = report["collections"].as_array().unwrap();
    let states: Vec<_> = collections.iter().map(|collection| &collection["state"]).collect();
    assert_eq!(states, ["offline", "ok", "attention"]);
    let t = &collections[2];
    assert_eq!(t["counts"]["open"]["corrupt"], 8);
    assert_eq!((&t["counts"]["acknowledged"]["corrupt"], &t["counts"]["recovered"]), (&1.into(), &1.into()));
    assert_eq!(t["findings"].as_array().unwrap().len(), 8 + 4 + 1);
    assert_eq!(t["audits"].as_array().unwrap().len(), 3);
    assert_eq!(t["throughput"], Value::Null);
}

/// Brings all files back by the commands that the report names.
fn restore(dir: &Dir) {
    let report = object(dir);
    let mut restored = 0;
    for finding in report["collections"][2]["findings"].as_array().unwrap() {
        if let Some(command) = finding["intact_copy"]["restore"].as_str() {
            let Ok(ran) = Command::new("bash").arg("-c").arg(command).status() else { return };
            assert!(ran.success(), "{command}");
            restored += 1;
        }
    }
    assert_eq!(restored, 8 + 3, "all but the one that was not known");
    dir.keeper(["accept", "t", "--verdict", "new"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    has(&self::report(dir, &["t"]), &["1 collection: all is well\n", "\n  12 recovered\n"]);
}

#[test]
fn what_is_held_or_late_is_said_first() {
    let dir = Dir::new();
    dir.write("tree/a", "a").write("tree/b", "b");
    dir.keeper(["collection", "add", "t", "tree", "--every", "30d"]).run().code(0);
    has(
        &report(&dir, &[]),
        &["none was audited yet", "It was never audited. To do so:\n      hashlane audit t\n"],
    );
    dir.keeper(["audit", "t"]).run().code(0);
    let raw = raw(&dir);
    raw.execute("UPDATE stint SET started_s = started_s - 40 * 86400", []).unwrap();
    raw.execute("UPDATE collection SET created_s = created_s - 40 * 86400", []).unwrap();
    let late = report(&dir, &[]);
    has(&late, &["LATE: 2 files were not read good within 30 d.", "hashlane audit t --due", "40 d ago"]);
    assert_eq!(object(&dir)["collections"][0]["late_files"], 2);
    raw.execute(
        "INSERT INTO unlisted (collection, path, since_s, detail) SELECT id, CAST('<i>\n' AS BLOB), 0, 'Permission denied' FROM collection",
        [],
    )
    .unwrap();
    has(
        &report(&dir, &[]),
        &["  1 directory could not be listed;", "    <i>\\n: since 1970-01-01", "1 not listed"],
    );
    has(&report(&dir, &["--format", "html"]), &["&lt;i&gt;\\n", "Nothing is said of what lies below them."]);
    assert_eq!(object(&dir)["collections"][0]["unlisted"][0]["path"], "<i>\n");
    std::fs::rename(dir.path("tree"), dir.path("other")).unwrap();
    dir.write("tree/other", "of another tree");
    // Held, and late.
    dir.keeper(["audit", "t"]).run().code(48);
    has(
        &report(&dir, &[]),
        &["HELD since ", "the root is another directory", "hashlane audit t --resume-held"],
    );
    assert_eq!(object(&dir)["collections"][0]["state"], "held");
    let page = report(&dir, &["--format", "html"]);
    has(&page, &["t: held: nothing was judged; 1 not listed; 2 late", "class=\"alert\""]);
}

#[test]
fn of_many_findings_some_are_shown_and_all_are_listed() {
    let dir = Dir::new();
    for number in 0..230 {
        dir.write(format!("tree/{}/{number}", number % 7), format!("{number}"));
    }
    dir.keeper(["collection", "add", "t", "tree", "--hold-files", "1000"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    for directory in 0..7 {
        std::fs::remove_dir_all(dir.path(format!("tree/{directory}"))).unwrap();
    }
    dir.write("tree/left", "one");
    dir.keeper(["audit", "t"]).run().code(2);
    let text = report(&dir, &[]);
    has(
        &text,
        &["New in the last audit, of ", "230 MISSING, 230 new", "    and 30 more; --format csv has all\n"],
    );
    has(&report(&dir, &["--format", "html"]), &["and 30 more; the CSV and the JSON have all"]);
    let rows = rows(&report(&dir, &["--format", "csv"]));
    assert_eq!(rows.iter().filter(|row| row["new"] == "yes").count(), 230);
    assert_eq!(object(&dir)["collections"][0]["findings"].as_array().unwrap().len(), 230);
}

#[test]
fn a_rate_stands_beside_the_best_one_of_its_kind() {
    let dir = Dir::new();
    dir.write("tree/a", "a");
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let raw = raw(&dir);
    let add = |read: u64, device: u64, cache: u64, milliseconds: u64| {
        let counts = format!(
            "{{\"read_bytes\":{read},\"device_bytes\":{device},\"cache_bytes\":{cache},\"reading_ms\":{milliseconds}}}"
        );
        raw.execute(
            "INSERT INTO run (collection, request, actor, started_s, ended_s, outcome, counts, secret, leaf_base)
             SELECT collection, 'due', actor, started_s, started_s, 'complete', ?1, secret, 0 FROM run LIMIT 1",
            [counts],
        )
        .unwrap();
        report(&dir, &[]).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    has(
        &add(200_000_000, 200_000_000, 0, 1_000),
        &["200 MB at 200 MB/s, from the device. No ceiling is known"],
    );
    has(
        &add(100_000_000, 99_000_000, 1_000_000, 1_000),
        &["at 100 MB/s, from the device. That is 50 % of 200 MB/s, the fastest"],
    );
    // Neither one that took no time, nor one of another kind is a ceiling.
    add(900_000_000, 900_000_000, 0, 900);
    has(&add(900_000_000, 0, 900_000_000, 1_000), &["at 900 MB/s, from the page cache. No ceiling is known"]);
    has(
        &add(900_000_000, 450_000_000, 450_000_000, 1_000),
        &["so there is nothing to compare the rate with"],
    );
    has(&add(150_000_000, 150_000_000, 0, 1_000), &["That is 75 % of 200 MB/s"]);
    let throughput = &object(&dir)["collections"][0]["throughput"];
    assert_eq!(
        (&throughput["ceiling"]["by"], &throughput["share_of_ceiling"]),
        (&"fastest-audit".into(), &0.75.into())
    );
    has(&report(&dir, &["--format", "html"]), &["Rates of the last audits", "<rect class=\"read\""]);
}
