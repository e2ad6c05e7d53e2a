//! Imports of known digests: who, why and how many stand in the history of a file and in the report of its collection.

use serde_json::{Value, json};

use crate::keeper::{kept, told};
use crate::work::{Dir, digest};

/// A tree whose files lists have named twice: the first one all but one, the second one that and another content.
fn imported() -> Dir {
    let dir = Dir::new();
    dir.write("tree/a", "first").write("tree/d/b", "second").write("tree/d/c", "third");
    let line = |name: &str, content: &str| format!("{}  {name}\n", digest("sha256", content));
    dir.write("one", line("a", "first") + &line("d/b", "second") + &line("gone", "never there"));
    dir.write("two", line("a", "another one") + &line("d/c", "third"));
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let import = |list: &str, reason: &str, code| {
        dir.keeper(["collection", "import", "t", list, "--reason", reason]).run().code(code);
    };
    import("one", "delivery note 12", 0);
    dir.keeper(["audit", "t"]).run();
    import("two", "<b>their</b> list", 16);
    dir
}

fn text(dir: &Dir, arguments: &[&str]) -> String {
    String::from_utf8(dir.keeper(arguments).run().code(0).stdout).unwrap()
}

/// An import for programs, without what is another number each time.
fn import(object: &Value) -> Value {
    let mut import = object.clone();
    for key in ["run", "at", "actor"] {
        assert!(!import.as_object_mut().unwrap().remove(key).unwrap().is_null(), "{object}");
    }
    import
}

#[test]
fn the_history_of_a_file_names_the_imports_since_it_is_known() {
    let dir = imported();
    let shown = text(&dir, &["history", "t:a"]);
    let lines: Vec<&str> =
        shown.lines().map(str::trim).filter(|line| line.contains("(files when imported: ")).collect();
    let [first, second] = lines[..] else { panic!("{shown}") };
    let counts = ": delivery note 12 (files when imported: 3 registered, 0 matched, 0 differing, 0 not found, 0 not listed)";
    assert!(first.starts_with("registered ") && first.ends_with(counts), "{first}");
    let counts = ": <b>their</b> list (files when imported: 0 registered, 1 matched, 1 differing, 0 not found, 2 not listed)";
    assert!(second.starts_with("lists imported ") && second.ends_with(counts), "{second}");

    let object: Value = serde_json::from_str(&text(&dir, &["history", "t:a", "--format", "json"])).unwrap();
    let imports: Vec<Value> = object["imports"].as_array().unwrap().iter().map(import).collect();
    let [first, second] = &imports[..] else { panic!("{imports:?}") };
    assert_eq!((&first["reason"], &first["registered_this"]), (&json!("delivery note 12"), &json!(true)));
    assert_eq!((&first["registered"], &second["registered_this"]), (&json!(3), &json!(false)));
    // What was found later knows of later imports alone.
    let object: Value = serde_json::from_str(&text(&dir, &["history", "t:d/c", "--format", "json"])).unwrap();
    assert_eq!(object["imports"].as_array().unwrap().len(), 1, "{object}");
}

#[test]
fn the_report_of_a_collection_lists_its_imports() {
    let dir = imported();
    let report: Value =
        serde_json::from_str(&text(&dir, &["collection", "report", "--format", "json"])).unwrap();
    let imports = report["collections"][0]["imports"].as_array().unwrap();
    let expected = [
        json!({ "reason": "<b>their</b> list", "registered": 0, "matched": 1, "differing": 1, "not_found": 0, "not_listed": 2 }),
        json!({ "reason": "delivery note 12", "registered": 3, "matched": 0, "differing": 0, "not_found": 0, "not_listed": 0 }),
    ];
    assert_eq!(imports.iter().map(import).collect::<Vec<_>>(), expected);

    let shown = text(&dir, &["collection", "report"]);
    let table = shown.split_once("Imports of lists").unwrap().1;
    let row = table.lines().find(|line| line.contains("delivery note 12")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[3..], ["3", "0", "0", "0", "0", "delivery", "note", "12"], "{table}");

    let page = text(&dir, &["collection", "report", "--format", "html"]);
    assert!(page.contains("Imports of lists") && page.contains("delivery note 12"));
    assert!(page.contains("&lt;b&gt;their&lt;/b&gt; list") && !page.contains("<b>their"));
}

#[test]
fn a_report_without_imports_does_not_speak_of_them() {
    let dir = kept(&[]);
    for format in ["text", "html"] {
        assert!(!text(&dir, &["collection", "report", "--format", format]).contains("Imports"), "{format}");
    }
}

#[test]
fn the_last_audit_keeps_what_status_says_right_after_it() {
    let dir = kept(&[]);
    dir.corrupt("tree/a", "FIRST");
    dir.keeper(["audit", "t"]).run().code(8);
    let object = |arguments: &[&str]| -> Value { serde_json::from_str(&text(&dir, arguments)).unwrap() };
    let report = object(&["collection", "report", "--format", "json"]);
    let status = &object(&["status", "--format", "json"])["collections"][0];
    let audits = report["collections"][0]["audits"].as_array().unwrap();
    let (last, first) = (&audits[0]["standing"], &audits[1]["standing"]);
    for key in ["files", "bytes", "never_read", "late_files", "late_is_exact", "unlisted", "acknowledged"] {
        assert_eq!(last[key], status[key], "{key}");
    }
    assert_eq!(last["open"], status["findings"]);
    assert_eq!((&last["open"], &first["open"]), (&json!({ "corrupt": 1 }), &json!({})));
}

#[test]
fn changes_of_a_name_that_no_collection_has_or_had_are_an_error() {
    let dir = kept(&[]);
    let said = told(&dir, &["catalog", "changes", "tt"], 64);
    let way_out = "`hashlane collection list` shows those that are registered";
    assert_eq!(said, format!("hashlane: no collection is named tt; {way_out}\n"));
    assert!(text(&dir, &["catalog", "changes", "t"]).contains("added"));
    // Nothing was changed since.
    let none = ["catalog", "changes", "t", "--since", "2100-01-01"];
    assert_eq!(told(&dir, &none, 0), "hashlane: nothing was changed\n");
    // A name that it had, and one that was purged.
    dir.keeper(["collection", "rename", "t", "u"]).run().code(0);
    assert!(text(&dir, &["catalog", "changes", "t"]).contains("renamed"));
    dir.keeper(["collection", "remove", "u"]).run().code(0);
    dir.keeper(["collection", "purge", "u", "--force"]).run().code(0);
    assert!(text(&dir, &["catalog", "changes", "u"]).contains("purged"));
}
