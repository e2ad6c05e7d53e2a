//! Runs of Spark in a catalogue: an audit takes what they have read, as of the time at which that was so, and nothing more.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use parquet::basic::{Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArrayType, DataType, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::{Value, json};

use crate::keeper::{kept, raw, settle, told};
use crate::work::{Dir, Ran, digest};

/// The directory of a run, as `hashlane.spark` leaves it: tables of what is in a tree, and the list of them, which is written last.
struct Run {
    list: Value,
    name: &'static str,
}

impl Run {
    /// Reads what lies at these paths. Each gets a table, and notes that it began now.
    fn of(dir: &Dir, name: &'static str, source: &str, parts: &[&str]) -> Self {
        let started = Timestamp::now().as_second();
        let mut run = Self { list: Value::Null, name };
        dir.make(format!("{name}/fingerprints")).make(format!("{name}/verdicts"));
        let source = dir.path(source);
        let mut tables = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let table = format!("part-{number:06}-{:016x}.parquet", number * 7);
            let path = format!("{name}/fingerprints/{table}");
            let ran = dir.hashlane(["sum", "--manifest-format", "parquet", "--output", &path]);
            ran.arg(source.join(part)).run();
            add_identities(dir, &path);
            tables.push((path, table));
        }
        let path = format!("{name}/verdicts/part-000000.parquet");
        // Of the verdicts nobody takes more than their digest.
        fs::copy(dir.path(&tables[0].0), dir.path(&path)).unwrap();
        let described = |(path, table): &(String, String)| {
            let ran = dir.hashlane(["convert", "--manifest-format", "jsonl", path, "-"]).run().code(0);
            let rows = ran.objects().iter().filter(|line| line.get("path").is_some()).count();
            let content = dir.read(path);
            json!({ "name": table, "rows": rows, "size_bytes": content.len(), "blake3": digest("blake3", content) })
        };
        let told = |tables: Vec<Value>| {
            let rows: u64 = tables.iter().map(|table| table["rows"].as_u64().unwrap()).sum();
            json!({ "rows": rows, "files": tables })
        };
        let fingerprints = told(tables.iter().map(described).collect());
        run.list = json!({
            "schema": "hashlane-spark-audit", "version": 1, "run_id": format!("id-of-{name}"),
            "started": Timestamp::from_second(started).unwrap().to_string().replace('Z', "+00:00"), "source": source,
            "known": [], "algorithms": ["sha256"], "ended": Timestamp::now().to_string(), "hashlane": "0.1.0",
            "spark": "4.1.4", "passed": true, "exit_code": 0, "verdicts": {}, "problems": {},
            "files": fingerprints["rows"], "size_bytes": 0,
            "tables": { "fingerprints": fingerprints, "verdicts": told(vec![described(&(path, "part-000000.parquet".into()))]) },
        });
        run.write(dir);
        run
    }

    fn write(&self, dir: &Dir) {
        dir.write(format!("{}/_manifest.json", self.name), format!("{:#}\n", self.list));
    }

    fn started(&self) -> Timestamp {
        self.list["started"].as_str().unwrap().parse().unwrap()
    }
}

/// Adds to a table what distinguishes a file from another one that lies under its name later, as the nodes of Spark do.
fn add_identities(dir: &Dir, table: &str) {
    let path = &dir.path(table);
    // What the nodes see there is the tree.
    let (nodes, tree) = (dir.path("nodes"), dir.path("tree"));
    let seen = |name: &Path| name.strip_prefix(&nodes).map_or(name.to_owned(), |below| tree.join(below));
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata().clone();
    let number = |name: &str| {
        let number =
            Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::OPTIONAL);
        Arc::new(number.build().unwrap())
    };
    let mut fields = metadata.schema().get_fields().to_vec();
    fields.extend(["ctime_ns", "inode"].map(number));
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build().unwrap());
    let properties =
        WriterProperties::builder().set_key_value_metadata(metadata.key_value_metadata().cloned());
    let out = tempfile::NamedTempFile::new_in(path.parent().unwrap()).unwrap();
    let mut writer =
        SerializedFileWriter::new(out.reopen().unwrap(), schema, Arc::new(properties.build())).unwrap();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).unwrap();
        let rows = group.metadata().num_rows() as usize;
        let mut to = writer.next_row_group().unwrap();
        let mut facts = Vec::new();
        for column in 0..group.num_columns() {
            let mut to = to.next_column().unwrap().unwrap();
            match group.get_column_reader(column).unwrap() {
                ColumnReader::ByteArrayColumnReader(from) => {
                    let values = copy(from, to.typed::<ByteArrayType>(), rows);
                    if column == 0 {
                        let names = values.iter().map(|name| Path::new(OsStr::from_bytes(name.data())));
                        facts = names.map(|name| fs::symlink_metadata(seen(name)).ok()).collect();
                    }
                }
                ColumnReader::FixedLenByteArrayColumnReader(from) => {
                    copy(from, to.typed::<FixedLenByteArrayType>(), rows);
                }
                ColumnReader::Int32ColumnReader(from) => _ = copy(from, to.typed::<Int32Type>(), rows),
                ColumnReader::Int64ColumnReader(from) => _ = copy(from, to.typed::<Int64Type>(), rows),
                _ => panic!("tables have no such column"),
            }
            to.close().unwrap();
        }
        let levels: Vec<_> = facts.iter().map(|facts| i16::from(facts.is_some())).collect();
        let changed = |facts: &Metadata| facts.ctime() * 1_000_000_000 + facts.ctime_nsec();
        for of in [changed, |facts: &Metadata| facts.ino() as i64] {
            let values: Vec<_> = facts.iter().flatten().map(of).collect();
            let mut to = to.next_column().unwrap().unwrap();
            to.typed::<Int64Type>().write_batch(&values, Some(&levels), None).unwrap();
            to.close().unwrap();
        }
        to.close().unwrap();
    }
    writer.close().unwrap();
    out.persist(path).unwrap();
}

/// Copies a column, and returns what it has.
fn copy<T: DataType>(
    mut from: ColumnReaderImpl<T>,
    to: &mut ColumnWriterImpl<'_, T>,
    rows: usize,
) -> Vec<T::T> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    from.read_records(rows, Some(&mut levels), None, &mut values).unwrap();
    // Where each row has a value there are none.
    let levels = Some(&levels[..]).filter(|levels| !levels.is_empty());
    to.write_batch(&values, levels, None).unwrap();
    values
}

/// A table that an audit takes, with what it says at its end.
fn taken(dir: &Dir, arguments: &[&str], code: i32) -> (Ran, Value) {
    let ran = dir.keeper([arguments, &["--format", "json"]].concat()).run().code(code);
    let summary = ran.objects().pop().unwrap();
    assert_eq!(summary["type"], "audit");
    (ran, summary)
}

fn history(dir: &Dir, file: &str) -> Value {
    let ran = dir.keeper(["history", file, "--format", "json"]).run().code(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// How many runs a catalogue knows.
fn runs(dir: &Dir) -> i64 {
    let catalogue = raw(dir);
    catalogue.query_row("SELECT count(*) FROM run", [], |row| row.get(0)).unwrap()
}

/// The kinds of readings that a catalogue has.
fn readings(dir: &Dir) -> Vec<i64> {
    let catalogue = raw(dir);
    let mut statement = catalogue.prepare("SELECT DISTINCT reading FROM span ORDER BY reading").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_a_run_has_read_counts_as_of_its_start_and_from_an_unknown_place() {
    let dir = Dir::new();
    dir.write("tree/a", "first").write("tree/d/b", "second").write("tree/d/empty", "");
    dir.keeper(["collection", "add", "t", "tree", "--every", "30d"]).run().code(0);
    settle();
    let run = Run::of(&dir, "run", "tree", &["a", "d"]);
    settle();
    let (_, summary) = taken(&dir, &["audit", "t", "--by", "run"], 0);
    assert_eq!(summary["verdicts"], json!({ "registered": 3 }));
    assert_eq!((&summary["outcome"], &summary["read"]["files"]), (&json!("complete"), &json!(3)));
    assert_eq!(summary["read"]["origin"]["unknown_bytes"], 11);
    let by = &summary["by"];
    assert_eq!((&by["run_id"], &by["program"]), (&json!("id-of-run"), &json!("Spark 4.1.4")));
    assert_eq!((&by["tables"], &by["rows"]), (&json!(2), &json!(3)));
    assert_eq!(by["manifest_blake3"], digest("blake3", dir.read("run/_manifest.json")));
    assert_eq!(by["source"], dir.path("tree").to_str().unwrap());
    assert_eq!(summary["seal"]["leaves"], 3);
    // Not when it was recorded.
    let at = json!(run.started().to_string());
    for file in ["tree/a", "tree/d/b", "tree/d/empty"] {
        let history = history(&dir, file);
        assert_eq!(history["last_read_good"], json!({ "at": at, "from": "unknown" }), "{file}");
        assert_eq!(history["read_by"], *by);
    }
    assert_eq!(readings(&dir), [3], "nobody says that the device was read, not even of nothing");
    let status = dir.keeper(["status", "--check", "--format", "json"]).run().code(0);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["collections"][0]["oldest_reading"], at);
    assert_eq!(status["collections"][0]["late_files"], 0);
    let report = dir.keeper(["collection", "report", "t", "--format", "json"]).run().code(0);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["collections"][0]["audits"][0]["by"], *by);
    let report = dir.keeper(["collection", "report", "t"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("complete, by Spark 4.1.4") && report.contains("id-of-run"), "{report}");
    assert!(
        dir.keeper(["history", "tree/a"]).run().code(0).stdout.windows(9).any(|text| text == b"id-of-run")
    );
    dir.keeper(["catalog", "verify"]).run().code(0);
    // All of it is known, and was read so lately that nothing is late.
    dir.keeper(["audit"]).run().code(0);
}

#[test]
fn a_run_counts_once() {
    let dir = kept(&[]);
    Run::of(&dir, "run", "tree", &[""]);
    taken(&dir, &["audit", "t", "--by", "run"], 0);
    let before = (runs(&dir), history(&dir, "tree/a"));
    let said = told(&dir, &["audit", "t", "--by", "run"], 0);
    assert!(said.contains("is recorded already, as run 2 of ") && said.contains("it counts once"), "{said}");
    let (_, summary) = taken(&dir, &["audit", "t", "--by", "run"], 0);
    assert_eq!((&summary["outcome"], &summary["run"]), (&json!("not-begun"), &Value::Null));
    fs::rename(dir.path("run"), dir.path("moved")).unwrap();
    // Its tables are not read for that.
    fs::remove_dir_all(dir.path("moved/fingerprints")).unwrap();
    assert!(told(&dir, &["audit", "t", "--by", "moved"], 0).contains("is recorded already"));
    assert_eq!((runs(&dir), history(&dir, "tree/a")), before);
    // What stands is in the exit code for all that.
    fs::remove_file(dir.path("tree/a")).unwrap();
    dir.keeper(["audit", "t"]).run().code(2);
    dir.keeper(["audit", "t", "--by", "moved"]).run().code(2);
}

#[test]
fn the_verdicts_are_those_of_an_audit_that_reads_the_tree_itself() {
    let dir = Dir::new();
    for number in 0..8 {
        dir.write(format!("tree/{number}/file"), format!("content {number}"));
    }
    dir.write("tree/e", "").write("tree/locked", "x");
    settle();
    for name in ["t", "u", "f", "g"] {
        let frozen: &[&str] = if ["f", "g"].contains(&name) { &["--frozen"] } else { &["--living"] };
        dir.keeper([&["collection", "add", name, "tree"], frozen].concat()).run().code(0);
        dir.keeper(["audit", name]).run().code(0);
    }
    settle();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::rename(dir.path("tree/1/file"), dir.path("tree/moved")).unwrap();
    fs::remove_file(dir.path("tree/2/file")).unwrap();
    dir.write("tree/3/file", "another content");
    dir.corrupt("tree/4/file", "CONTENT 4");
    dir.set_modified("tree/5/file", long_ago);
    dir.write("tree/copy", "content 6").write("tree/new", "nobody knows this");
    settle();
    Run::of(&dir, "run", "tree", &[""]);
    for (by, here, code) in [("t", "u", 10), ("f", "g", 15)] {
        let (ours, summary) = taken(&dir, &["audit", by, "--by", "run", "--verbose"], code);
        let (theirs, expected) = taken(&dir, &["audit", here, "--verbose"], code);
        assert_eq!(summary["verdicts"], expected["verdicts"]);
        assert_eq!(summary["outcome"], expected["outcome"]);
        let lines = |ran: &Ran| {
            let mut lines: Vec<_> = ran.objects();
            lines.pop();
            let verdict = |line: &Value| {
                (line["path"].to_string(), line["verdict"].to_string(), line["type"].to_string())
            };
            let mut lines: Vec<_> = lines.iter().map(verdict).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&ours), lines(&theirs));
    }
    let verdicts = history(&dir, "t:4/file");
    assert_eq!(verdicts["finding"]["verdict"], "corrupt");
    assert_eq!(verdicts["finding"]["seen"]["again"].as_array().unwrap().len(), 1, "it was read again here");
    assert_eq!(history(&dir, "t:moved")["state"], "present");
    dir.keeper(["catalog", "verify"]).run().code(0);
}

#[test]
fn what_is_said_is_what_the_run_has_read_and_what_differs_is_read_again_here() {
    let dir = kept(&[]);
    // The nodes see other bytes, of the same size and time: their memory or their network is bad.
    let time = dir.modified("tree/d/b");
    dir.make("nodes/d");
    for file in ["a", "d/b", "d/c"] {
        fs::copy(dir.path(format!("tree/{file}")), dir.path(format!("nodes/{file}"))).unwrap();
        dir.set_modified(format!("nodes/{file}"), dir.modified(format!("tree/{file}")));
    }
    dir.write("nodes/d/b", "SECOND").set_modified("nodes/d/b", time);
    Run::of(&dir, "run", "nodes", &[""]);
    let said = told(&dir, &["audit", "t", "--by", "run"], 64);
    let nodes = dir.path("nodes");
    let nodes = nodes.to_str().unwrap();
    assert!(
        said.contains(&format!("if its nodes saw that tree at {nodes}, add --strip-prefix {nodes}")),
        "{said}"
    );
    let (_, summary) = taken(&dir, &["audit", "t", "--by", "run", "--strip-prefix", nodes], 16);
    assert_eq!(summary["verdicts"], json!({ "misread": 1, "intact": 2 }));
    assert_eq!(summary["reread"]["files"], 1);
    let finding = &history(&dir, "t:d/b")["finding"];
    assert_eq!(finding["seen"]["digests"]["sha256"], digest("sha256", "SECOND"));
}

#[test]
fn a_reading_counts_only_for_the_file_that_was_read() {
    let dir = kept(&["--living"]);
    dir.write("tree/at-once", "x");
    settle();
    let run = Run::of(&dir, "run", "tree", &[""]);
    settle();
    // Written to since; touched since, though its size and time do not tell; new since.
    dir.write("tree/a", "edited").corrupt("tree/d/b", "SECOND").write("tree/later", "new");
    let (_, summary) = taken(&dir, &["audit", "t", "--by", "run"], 0);
    assert_eq!(summary["verdicts"], json!({ "new": 1, "intact": 1, "not-checked": 3 }));
    assert_eq!(summary["outcome"], "budget");
    assert_eq!(history(&dir, "t:d/c")["last_read_good"]["at"], json!(run.started().to_string()));
    assert_eq!(history(&dir, "t:d/b")["read_by"], Value::Null);
    let report = dir.keeper(["collection", "report", "t"]).run().code(0);
    assert!(String::from_utf8(report.stdout).unwrap().contains("in part, by Spark 4.1.4"));
    // All that is left is judged by the next audit.
    let (_, summary) = taken(&dir, &["audit", "t"], 8);
    assert_eq!(summary["verdicts"], json!({ "corrupt": 1, "changed": 1, "new": 1, "intact": 2 }));
}

#[test]
fn what_was_read_here_later_stays() {
    let dir = kept(&[]);
    dir.corrupt("tree/d/b", "SECOND");
    settle();
    let run = Run::of(&dir, "run", "tree", &[""]);
    settle();
    dir.corrupt("tree/d/b", "second");
    dir.keeper(["audit", "t", "a", "d/b"]).run().code(0);
    let (read_a, read_b) = (history(&dir, "t:a"), history(&dir, "t:d/b"));
    let (ran, summary) = taken(&dir, &["audit", "t", "--by", "run"], 0);
    assert_eq!(summary["verdicts"], json!({ "intact": 1 }), "{ran:?}");
    assert_eq!((history(&dir, "t:a"), history(&dir, "t:d/b")), (read_a, read_b));
    assert_eq!(history(&dir, "t:d/c")["last_read_good"]["at"], json!(run.started().to_string()));
}

#[test]
fn a_finding_that_was_made_here_later_stays() {
    let dir = kept(&[]);
    let run = Run::of(&dir, "run", "tree", &[""]);
    settle();
    dir.corrupt("tree/d/b", "SECOND");
    dir.keeper(["audit", "t", "d/b"]).run().code(8);
    let before = history(&dir, "t:d/b");
    let said = told(&dir, &["audit", "t", "--by", "run"], 8);
    assert!(
        said.contains("2 files read by Spark 4.1.4")
            && said.contains("2 intact; 1 file known by later readings"),
        "{said}"
    );
    assert_eq!(history(&dir, "t:d/b"), before);
    assert!(run.started() < Timestamp::now());
}

#[test]
fn what_its_nodes_could_not_read_is_a_finding_that_says_so() {
    let dir = kept(&[]);
    fs::remove_file(dir.path("tree/d/b")).unwrap();
    symlink("b", dir.path("tree/d/b")).unwrap();
    dir.command("chmod", ["0", "tree/a"]).run().code(0);
    settle();
    // As root each file can be read, so the table is made by somebody else.
    dir.command("chmod", ["-R", "a+rwX", "."]).run().code(0);
    dir.command("chmod", ["0", "tree/a"]).run().code(0);
    settle();
    let started = Timestamp::now();
    dir.make("run");
    dir.command("chmod", ["777", "run"]).run().code(0);
    dir.hashlane(["sum", "--manifest-format", "parquet", "--output", "run/part"])
        .arg(dir.path("tree"))
        .without_rights()
        .run()
        .code(16);
    let mut run = Run::of(&dir, "other", "tree", &[""]);
    add_identities(&dir, "run/part");
    let content = dir.read("run/part");
    let table = json!({ "name": "part", "rows": 2, "size_bytes": content.len(), "blake3": digest("blake3", &content) });
    dir.write("other/fingerprints/part", &content);
    run.list["tables"]["fingerprints"] = json!({ "rows": 2, "files": [table] });
    run.list["started"] = json!(started.to_string());
    run.write(&dir);
    let (_, summary) = taken(&dir, &["audit", "t", "--by", "other"], 18);
    assert_eq!(summary["verdicts"], json!({ "missing": 1, "unreadable": 1, "intact": 1 }));
    let detail = history(&dir, "t:a")["finding"]["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("Permission denied") && detail.ends_with("(told by Spark 4.1.4)"), "{detail}");
    // Here it can be read.
    dir.keeper(["audit", "t"]).run().code(2);
}

#[test]
fn a_run_that_is_held_goes_on_by_the_same_run_only() {
    let dir = Dir::new();
    for number in 0..60 {
        dir.write(format!("tree/{number}"), format!("content {number}"));
    }
    dir.write("tree/d/stays", "it does");
    settle();
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    for number in 0..55 {
        fs::remove_file(dir.path(format!("tree/{number}"))).unwrap();
    }
    Run::of(&dir, "run", "tree", &[""]);
    let said = told(&dir, &["audit", "t", "--by", "run"], 75);
    assert!(said.contains("HELD") && said.contains("hashlane audit t --by run --resume-held"), "{said}");
    let status = dir.keeper(["status", "--check"]).run().code(75);
    assert!(
        status.lines().iter().any(|line| line.starts_with(b"  t           held ")),
        "{:?}",
        status.lines()
    );
    let report = dir.keeper(["collection", "report", "t"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains(&format!("--by {} --resume-held", dir.path("run").display())), "{report}");
    let said = told(&dir, &["audit", "t", "--resume-held"], 64);
    assert!(said.contains("takes what a run of Spark has read"), "{said}");
    let mut other = Run::of(&dir, "other", "tree", &[""]);
    assert!(
        told(&dir, &["audit", "t", "--by", "other", "--resume-held"], 64).contains("no audit of it is held")
    );
    let (_, summary) = taken(&dir, &["audit", "t", "--by", "run", "--resume-held"], 2);
    assert_eq!((&summary["verdicts"]["missing"], &summary["goes_on"]), (&json!(55), &json!(true)));
    assert!(told(&dir, &["audit", "t", "--by", "run"], 2).contains("is recorded already"));
    // One that is dropped may be taken later.
    other.list["run_id"] = json!("another");
    other.write(&dir);
    dir.keeper(["audit", "t", "--by", "other"]).run().code(2);
}

#[test]
fn a_run_that_cannot_be_taken_says_why_and_records_nothing() {
    let dir = kept(&[]);
    let run = Run::of(&dir, "run", "tree", &["a", "d"]);
    let before = runs(&dir);
    let refused = |change: &dyn Fn(&mut Value), code: i32, why: &str| {
        let mut changed = Run { list: run.list.clone(), ..run };
        change(&mut changed.list);
        changed.write(&dir);
        let said = told(&dir, &["audit", "t", "--by", "run"], code);
        assert!(said.contains(why), "{said}");
        run.write(&dir);
    };
    let table = |list: &mut Value, number: usize, what: &str, is: Value| {
        list["tables"]["fingerprints"]["files"][number][what] = is;
    };
    refused(&|list| list["schema"] = json!("other"), 16, "is not the list of an audit by hashlane.spark");
    refused(&|list| list["version"] = json!(2), 16, "has version 2, and this program knows version 1");
    refused(&|list| list["started"] = json!("2999-01-01T00:00:00+00:00"), 16, "it ended before it started");
    refused(
        &|list| {
            list["started"] = json!("2999-01-01T00:00:00+00:00");
            list["ended"] = list["started"].clone();
        },
        16,
        "yet to come: a clock is wrong: 2999-01-01",
    );
    refused(&|list| table(list, 0, "rows", json!(2)), 16, "and it says 3");
    refused(&|list| table(list, 0, "size_bytes", json!(2)), 16, "bytes; run/_manifest.json says otherwise");
    refused(&|list| table(list, 1, "blake3", json!("0".repeat(64))), 16, "has the BLAKE3 digest ");
    refused(&|list| table(list, 1, "name", json!("gone.parquet")), 16, "gone.parquet: is not there");
    refused(
        &|list| {
            table(list, 0, "rows", json!(2));
            list["tables"]["fingerprints"]["rows"] = json!(4);
        },
        16,
        "has 1 row; run/_manifest.json says otherwise",
    );
    refused(
        &|list| {
            let twice = list["tables"]["fingerprints"]["files"][0].clone();
            list["tables"]["fingerprints"] = json!({ "rows": 2, "files": [twice, twice] });
        },
        16,
        "a was in a row before",
    );
    refused(
        &|list| list["tables"]["verdicts"]["files"][0]["size_bytes"] = json!(1),
        16,
        "verdicts/part-000000.parquet: has ",
    );
    refused(&|list| list["source"] = json!("/elsewhere"), 64, "add --strip-prefix /elsewhere");
    let strip = |prefix: &str, why: &str| {
        let said = told(&dir, &["audit", "t", "--by", "run", "--strip-prefix", prefix], 64);
        assert!(said.contains(why), "{said}");
    };
    strip("/elsewhere", "does not lie below --strip-prefix /elsewhere");
    // The tree has no `tree/a`.
    strip(dir.root().to_str().unwrap(), "its tree has none of the names that the run has read");
    let mut text = dir.read("run/fingerprints/part-000001-0000000000000007.parquet");
    let middle = text.len() / 2;
    text[middle] ^= 1;
    let intact = dir.read("run/fingerprints/part-000001-0000000000000007.parquet");
    dir.write("run/fingerprints/part-000001-0000000000000007.parquet", &text);
    refused(&|_| {}, 16, "take the run from an intact copy, or have it run again");
    dir.write("run/fingerprints/part-000001-0000000000000007.parquet", &intact);
    let list = fs::File::options().write(true).open(dir.path("run/_manifest.json")).unwrap();
    list.set_len((4 << 30) + 1).unwrap();
    assert!(
        told(&dir, &["audit", "t", "--by", "run"], 16)
            .contains("run/_manifest.json: is larger than 4 GiB, and that much is read")
    );
    fs::remove_file(dir.path("run/_manifest.json")).unwrap();
    assert!(
        told(&dir, &["audit", "t", "--by", "run"], 16).contains("the run is not complete; run the job again")
    );
    assert!(told(&dir, &["audit", "t", "--by", "tree/a"], 64).contains("is no directory"));
    dir.keeper(["audit", "--by", "run"]).run().code(64);
    dir.keeper(["audit", "t", "a", "--by", "run"]).run().code(64);
    dir.keeper(["collection", "add", "m", "tree", "--algorithm", "md5"]).run().code(0);
    run.write(&dir);
    assert!(told(&dir, &["audit", "m", "--by", "run"], 16).contains("has no md5, by which m is known"));
    assert_eq!(runs(&dir), before);
    // The tree itself is away.
    fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    assert!(told(&dir, &["audit", "t", "--by", "run"], 75).contains("offline"));
    fs::rename(dir.path("away"), dir.path("tree")).unwrap();
    dir.keeper(["audit", "t", "--by", "run"]).run().code(0);
}
