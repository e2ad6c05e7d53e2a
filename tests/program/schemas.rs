//! Lines for programs, against the schemas in docs/schema: every one that any of these tests sees, and each kind of them here.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::work::{Dir, HASHLANE};

/// What says whether a line holds to its schema.
struct Validators {
    /// As it is published: a line may tell more than this program does.
    published: Validator,
    /// What this program writes: all of it is in the schema.
    strict: Validator,
}

/// The validators of lines, by what a line says that it is of.
fn validators() -> &'static BTreeMap<String, Validators> {
    static VALIDATORS: OnceLock<BTreeMap<String, Validators>> = OnceLock::new();
    VALIDATORS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        // Not by way of `work`, which asks for the validators.
        let ran = Command::new(HASHLANE).args(["generate", "schema"]).arg(folder.path()).status().unwrap();
        assert!(ran.success(), "{ran}");
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let lines = files.filter(|path| path.file_name().unwrap() != "run.schema.json");
        let validator = |path: std::path::PathBuf| {
            let mut schema: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let of = schema["anyOf"][0]["properties"]["schema"]["const"].as_str().unwrap().to_owned();
            let published = jsonschema::validator_for(&schema).unwrap();
            close(&mut schema);
            (of, Validators { published, strict: jsonschema::validator_for(&schema).unwrap() })
        };
        lines.map(validator).collect()
    })
}

/// Takes out of a schema what leaves room for later programs: other fields, other words, and other kinds of lines.
fn close(schema: &mut Value) {
    if let Some(lines) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        lines.retain(|line| line.pointer("/properties/type/not").is_none());
    }
    if schema["anyOf"][0].get("enum").is_some() && schema["anyOf"][1] == json!({ "type": "string" }) {
        schema["enum"] = schema["anyOf"][0]["enum"].take();
        schema.as_object_mut().unwrap().remove("anyOf");
    }
    if schema.get("properties").is_some() {
        schema["additionalProperties"] = false.into();
    }
    match schema {
        Value::Object(parts) => parts.values_mut().filter(|part| !part.is_string()).for_each(close),
        Value::Array(parts) => parts.iter_mut().filter(|part| part.is_object()).for_each(close),
        _ => {}
    }
}

/// The objects of a text that have one of the schemas: a line each, or all of it, in a list or one after the other.
fn lines(text: &[u8]) -> Vec<Value> {
    let whole: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(text).into_iter().collect();
    let parsed: Vec<Value> = match whole {
        Ok(values) => values,
        Err(_) => {
            let objects = text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{"));
            objects.filter_map(|line| serde_json::from_slice(line).ok()).collect()
        }
    };
    let each = parsed.into_iter().flat_map(|value| match value {
        Value::Array(values) => values,
        value => vec![value],
    });
    each.filter(|line| line["schema"].as_str().is_some_and(|of| validators().contains_key(of))).collect()
}

/// Asserts that the lines of a text that have a schema hold to it.
#[track_caller]
pub(crate) fn hold(text: &[u8]) {
    // Most have none.
    if !text.windows(8).any(|found| found == b"\"schema\"") {
        return;
    }
    for line in lines(text) {
        let errors: Vec<_> =
            validator(&line).strict.iter_errors(&line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{line}\n{errors:?}");
    }
}

fn validator(line: &Value) -> &'static Validators {
    &validators()[line["schema"].as_str().unwrap()]
}

/// Every object in a value, by the way to it.
fn objects(value: &Value, way: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let within = fields.iter().flat_map(|(name, field)| objects(field, &format!("{way}/{name}")));
            std::iter::once(way.to_owned()).chain(within).collect()
        }
        Value::Array(values) => {
            let within = values.iter().enumerate();
            within.flat_map(|(at, value)| objects(value, &format!("{way}/{at}"))).collect()
        }
        _ => Vec::new(),
    }
}

/// A line of each kind.
fn every_kind() -> Vec<Value> {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two").write(b"t/\xff", "three").write("t/gone", "four");
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "list", "t"]).run().code(0);
    dir.hashlane(["sum", "-q", "--pieces", "1", "--manifest-format", "jsonl", "-o", "pieces", "t"])
        .run()
        .code(0);
    dir.write("t/b", "twisted").write("t/copy", "one").write("t/moved", "four");
    std::fs::remove_file(dir.path("t/gone")).unwrap();
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "now", "t"]).run().code(0);
    dir.write("bag/data/a", "one").write("bag/data/b", "two");
    dir.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let md5 = |content: &str| crate::work::digest("md5", content);
    dir.write("bag/manifest-md5.txt", format!("{}  data/a\n{}  data/b\n", md5("one"), md5("other")));
    let commands: [&[&str]; 10] = [
        &["check", "--format=json", "--progress=json", "list"],
        &["check", "--format=json", "--complete", "pieces"],
        &["check", "--format=json", "--audit", "--root=t", "list"],
        &["diff", "--format=json", "list", "now"],
        &["diff", "--format=json", "list", "t", "--progress=json"],
        &["bag", "validate", "--format=json", "bag"],
        &["bag", "validate", "--format=json", "--quick", "bag"],
        &["backends", "--format=json", "-a=sha256,blake2b", "--budget=1s", "--no-save"],
        &["sum", "--progress=json", "t"],
        &["bench", "speed", "--progress=json", "--budget=6s", "--size=1MiB", "-a", "sha256", "--no-save"],
    ];
    let mut all = Vec::new();
    for words in commands {
        let ran = dir.hashlane(words).run();
        all.extend(lines(&ran.stdout));
        all.extend(lines(ran.stderr.as_bytes()));
    }
    all.extend(of_collections());
    all
}

/// What the commands about collections write.
fn of_collections() -> Vec<Value> {
    let dir = crate::collection_report::told();
    let commands: [&[&str]; 10] = [
        &["events", "--format=json"],
        &["catalog", "seals", "--format=json"],
        &["catalog", "changes", "--format=json"],
        &["collection", "list", "--format=json"],
        &["collection", "show", "t", "--format=json"],
        &["collection", "report", "--format=json"],
        &["history", "t:acknowledged", "--format=json"],
        &["history", "t:a", "--format=json"],
        &["status", "--format=json"],
        &["audit", "t", "--format=json", "--verbose"],
    ];
    let mut all = Vec::new();
    for words in commands {
        let found = lines(&dir.keeper(words).run().stdout);
        assert!(!found.is_empty(), "{words:?}");
        all.extend(found);
    }
    all.extend(lines(&crate::running::followed()));
    all.extend(told(&dir));
    all
}

/// What is told of collections, and the list of that.
fn told(dir: &Dir) -> Vec<Value> {
    let config = "[webhook.x]\nurl = 'http://127.0.0.1:1/x'\nsecret_variable = 'KEY'\n";
    dir.write("config.toml", config);
    let run = |words: &[&str]| dir.keeper(words).env("HASHLANE_CONFIG", "config.toml").run();
    run(&["tell", "run"]);
    dir.write("tree/new in a frozen collection", "x");
    run(&["audit", "t"]);
    let catalogue = rusqlite::Connection::open(dir.path("catalog.sqlite")).unwrap();
    let mut messages = catalogue.prepare("SELECT content FROM message").unwrap();
    let news = messages.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut all: Vec<_> = news.flat_map(|news| lines(news.unwrap().as_bytes())).collect();
    assert!(all.len() > 1);
    all.extend(lines(&run(&["tell", "list", "--format=json"]).code(0).stdout));
    all
}

#[test]
fn each_kind_of_line_has_a_schema_that_has_all_its_fields_and_takes_those_of_later_programs() {
    let all = every_kind();
    let met: BTreeSet<_> =
        all.iter().map(|line| (line["schema"].as_str().unwrap(), line.get("summary").is_some())).collect();
    let of_files = ["hashlane-audit", "hashlane-bag", "hashlane-check", "hashlane-diff"];
    let mut wanted: BTreeSet<_> = of_files.into_iter().flat_map(|of| [(of, false), (of, true)]).collect();
    let others = [
        "hashlane-backends",
        "hashlane-bench-progress",
        "hashlane-catalog-change",
        "hashlane-catalog-seal",
        "hashlane-event",
        "hashlane-message",
        "hashlane-news",
        "hashlane-progress",
    ];
    wanted.extend(others.map(|of| (of, false)));
    let of_collections = ["", "-audit", "-history", "-progress", "-report", "-status"];
    let of_collections = of_collections.map(|of| format!("hashlane-collection{of}"));
    wanted.extend(of_collections.iter().map(|of| (of.as_str(), false)));
    assert_eq!(met, wanted);
    assert_eq!(validators().len(), wanted.iter().map(|(of, _)| of).collect::<BTreeSet<_>>().len());
    let (mut fields, mut tried) = (BTreeSet::new(), 0);
    for line in &all {
        let Validators { published, strict } = validator(line);
        assert!(published.is_valid(line) && strict.is_valid(line), "{line}");
        for way in objects(line, "") {
            let mut more = line.clone();
            more.pointer_mut(&way).unwrap()["unknown"] = 1.into();
            assert!(published.is_valid(&more) && !strict.is_valid(&more), "{more}");
            let names: Vec<_> = line.pointer(&way).unwrap().as_object().unwrap().keys().cloned().collect();
            for name in names {
                // A word that a later program adds.
                if ["verdict", "difference", "outcome", "reason", "type"].contains(&name.as_str()) {
                    let mut other = line.clone();
                    let field = &mut other.pointer_mut(&way).unwrap()[&name];
                    if field.is_string() {
                        *field = "a-word-to-come".into();
                        assert!(published.is_valid(&other), "{other}");
                    }
                }
                // Numbers as text, and text as numbers.
                let mut other = line.clone();
                let field = &mut other.pointer_mut(&way).unwrap()[&name];
                *field = match field {
                    Value::String(_) => 1.5.into(),
                    Value::Null => Value::Array(Vec::new()),
                    _ => "text".into(),
                };
                assert!(!strict.is_valid(&other), "{other}");
                fields.insert(name);
                tried += 3;
            }
        }
    }
    for field in
        ["path_b64", "pieces", "extents", "origin", "other", "conclusion", "a_size_bytes", "share", "saving"]
    {
        assert!(fields.contains(field), "no line had {field}");
    }
    println!("{} lines, {} fields, {tried} lines that are not", all.len(), fields.len());
}

#[test]
fn a_kind_of_line_that_a_later_program_adds_has_a_place_in_the_schema() {
    let later =
        json!({ "schema": "hashlane-collection-audit", "version": 1, "type": "later", "collection": "c" });
    let Validators { published, strict } = validator(&later);
    assert!(published.is_valid(&later), "a reader skips it");
    assert!(!strict.is_valid(&later), "this program does not write it");
    // A kind that there is has to be as it is described, and a kind is a word.
    for kind in ["finding", "unlisted", "file", "audit", "evidence", "failed"].map(Value::from) {
        let mut known = later.clone();
        known["type"] = kind;
        assert!(!published.is_valid(&known), "{known}");
    }
    for of_type in [json!(1), Value::Null] {
        let mut other = later.clone();
        other["type"] = of_type;
        assert!(!published.is_valid(&other), "{other}");
    }
}

#[test]
fn the_schemas_in_the_documents_are_these() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    let fresh = Dir::new();
    fresh.hashlane(["generate", "schema", "schema"]).run().code(0);
    for file in std::fs::read_dir(fresh.path("schema")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let kept = std::fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
        let is_same = kept.as_bytes() == fresh.read(format!("schema/{name}"));
        assert!(is_same, "docs/schema/{name} is another; run `cargo xtask docs`");
    }
}
