//! The table of `tests/fixtures/verdicts.json`, judged by what a check calls, and by what Python and Spark call: an audit of tables.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::sync::Arc;

use hashlane_audit::{Facts, Rules, Verdict};
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Options};
use hashlane_manifest::{Item, ReadOptions};
use hashlane_record::{Outcome, Record};
use hashlane_verify::audit::{self, End, Listing, SeenElsewhere};
use hashlane_verify::lists::{self, Source};
use hashlane_verify::{AuditOptions, Base, Expected, Selection, judge};
use serde_json::Value;

/// Two lists of the same names below a directory: what is known, and what was read; and of each case, by its name, the verdict.
struct Table {
    directory: tempfile::TempDir,
    verdicts: Vec<(String, String)>,
}

fn table() -> Table {
    let table: Value =
        serde_json::from_str(include_str!("../../../tests/fixtures/verdicts.json")).expect("JSON");
    let directory = tempfile::tempdir().expect("a directory");
    let (mut known, mut seen) = (String::new(), String::new());
    let mut verdicts = Vec::new();
    for (number, case) in table["cases"].as_array().expect("cases").iter().enumerate() {
        let name = format!("c{number:02}");
        let row = |path: String, size: Option<u64>, modified: Option<&str>, md5: &str, sha256: &str| {
            let digest = |algorithm: &str, text: &str| {
                let algorithm = Algorithm::named(algorithm).expect("registered");
                format!("\"{algorithm}\":\"{}\"", algorithm.digest(text.as_bytes()))
            };
            let size = size.map(|size| format!(",\"size_bytes\":{size}")).unwrap_or_default();
            let modified = modified.map(|time| format!(",\"mtime\":\"{time}\"")).unwrap_or_default();
            format!(
                "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"{path}\"{size}{modified},\
                 \"digests\":{{{},{}}},\"outcome\":\"read\"}}\n",
                digest("md5", md5),
                digest("sha256", sha256)
            )
        };
        let text = |side: &Value, key: &str| side[key].as_str().map(str::to_owned);
        let (of_known, of_seen) = (&case["known"], &case["seen"]);
        known += &row(
            name.clone(),
            of_known["size_bytes"].as_u64(),
            of_known["modified"].as_str(),
            &text(of_known, "md5").expect("a text"),
            &text(of_known, "sha256").expect("a text"),
        );
        let content = text(of_seen, "content").expect("a text");
        let path = directory.path().join(&name).display().to_string();
        seen += &row(path, Some(content.len() as u64), of_seen["modified"].as_str(), &content, &content);
        verdicts.push((name, text(case, "verdict").expect("a verdict")));
    }
    fs::write(directory.path().join("known"), known).expect("written");
    fs::write(directory.path().join("seen"), seen).expect("written");
    Table { directory, verdicts }
}

impl Table {
    fn place(&self, name: &str) -> OsString {
        self.directory.path().join(name).into()
    }

    fn items(&self, name: &str) -> Vec<Item> {
        let source = Source::open(&self.place(name)).expect("there");
        let items = lists::read(source, &ReadOptions::default()).expect("a list").merged();
        items.map(|item| item.expect("a row")).collect()
    }
}

#[test]
fn a_check_gives_the_verdicts_of_the_table() {
    let table = table();
    for ((known, seen), (name, verdict)) in
        table.items("known").into_iter().zip(table.items("seen")).zip(&table.verdicts)
    {
        let facts = seen.modified.map(|modified| hashlane_record::Facts {
            size_bytes: seen.size.expect("known"),
            modified,
            changed: modified,
            accessed: modified,
            device: 1,
            inode: 1,
            links: 1,
        });
        let record = Record {
            number: 0,
            path: seen.path,
            outcome: Outcome::Read,
            facts,
            digests: seen.digests.clone(),
            pieces: None,
            digested_bytes: seen.size.expect("known"),
            origin: Default::default(),
            medium: Default::default(),
            state: None,
            tag: Box::default(),
        };
        let facts = |size, modified, digests| Facts { size, modified, digests };
        let by_rule = hashlane_audit::judge(
            &facts(known.size, known.modified, &known.digests),
            &facts(seen.size, seen.modified, &seen.digests),
            Rules::NONE,
        );
        let expected = Expected {
            size_bytes: known.size,
            modified: known.modified,
            digests: known.digests,
            pieces: None,
        };
        let judged = judge(&expected, &record, false);
        assert_eq!((judged.verdict.name(), by_rule.name()), (&verdict[..], &verdict[..]), "{name}");
    }
}

#[test]
fn an_audit_of_tables_as_python_and_spark_make_it_gives_the_verdicts_of_the_table() {
    let table = table();
    for memory_bytes in [1 << 20, 0] {
        let mut engine = Options::new(Arc::new([]));
        engine.workers = Some(1);
        let walk = engine.walk.clone();
        let mut options = AuditOptions { memory_bytes, ..AuditOptions::new(engine) };
        options.lookup.base = Some(Base::open(table.directory.path()).expect("a base"));
        options.lookup.selection = Selection::new(walk, Vec::new());
        let mut listing = Listing::new(options, Arc::new(|_| {}));
        listing.read(&table.place("known")).expect("a list");
        let mut found = BTreeMap::new();
        let mut take = |event: &audit::Event<'_>| {
            if let audit::Event::Verdict(finding) = event {
                found.insert(String::from_utf8_lossy(finding.path).into_owned(), finding.verdict);
            }
            Ok(())
        };
        let seen = SeenElsewhere { tables: vec![table.place("seen")], apart: Vec::new() };
        let audit = listing.start().expect("roots");
        let audited = audit.run_on(&seen, &mut take, &Arc::new(Control::new())).expect("it runs");
        assert_eq!(audited.end, End::Complete);
        let expected: BTreeMap<_, _> = table.verdicts.iter().cloned().collect();
        let found: BTreeMap<_, _> = found
            .into_iter()
            .map(|(name, verdict): (_, Verdict)| (name, verdict.name().to_owned()))
            .collect();
        assert_eq!(found, expected, "within {memory_bytes} bytes");
    }
}
