//! Manifests as tables of Parquet: every command reads and writes them, and so do other programs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::work::{Dir, HASHLANE, needs, printed};

/// Names that a table has to hold as they are.
const NAMES: [&[u8]; 5] = [b"d/plain", b"d/new\nline", b"d/no\xfftext", "d/größe".as_bytes(), b"d/e/empty"];

fn tree() -> Dir {
    let dir = Dir::new();
    dir.make("d").make("d/e");
    for (number, name) in NAMES.into_iter().enumerate().filter(|(_, name)| !name.ends_with(b"empty")) {
        dir.write(name, vec![b'x'; 1000 * number + 1]);
    }
    dir.write("d/e/empty", "");
    dir
}

fn sum(dir: &Dir, format: &str, to: &str) {
    let line = ["sum", "-q", "-a", "sha256,crc32", "--header", "--manifest-format", format, "-o", to, "d"];
    dir.hashlane(line).run().code(0);
}

/// A Python with DuckDB and pyarrow, which `cargo xtask setup` installs; says so if it is not there.
fn python() -> Option<PathBuf> {
    let built = Path::new(HASHLANE).ancestors().map(|above| above.join("tools/tables/bin"));
    let found = built.into_iter().find(|place| place.join("complete").is_file());
    needs(found.is_some(), "DuckDB and pyarrow");
    found.map(|place| place.join("python3"))
}

#[test]
fn a_table_is_verified_compared_and_converted_like_any_list() {
    let dir = tree();
    sum(&dir, "parquet", "list.parquet");
    sum(&dir, "jsonl", "list.jsonl");
    let ran = dir.hashlane(["check", "list.parquet"]).run().code(0);
    assert_eq!(ran.lines().len(), NAMES.len());
    dir.hashlane(["check", "-q", "--complete", "list.parquet"]).run().code(0);
    dir.hashlane(["diff", "list.jsonl", "list.parquet"]).run().code(0);
    // What comes through a pipe is the same.
    let table = dir.read("list.parquet");
    dir.hashlane(["check", "-q", "-"]).input(table).run().code(0);
    // And back: the objects are those of the reading, but for the header.
    dir.hashlane(["convert", "-q", "list.parquet", "back.jsonl"]).run().code(0);
    let objects = |name: &str| -> Vec<Value> {
        let text = String::from_utf8(dir.read(name)).unwrap();
        let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let without_inode = |mut object: Value| {
            // Without a header it would prove nothing.
            object.as_object_mut().unwrap().remove("inode");
            object
        };
        objects.filter(|object| object.get("header").is_none()).map(without_inode).collect()
    };
    assert_eq!(objects("back.jsonl"), objects("list.jsonl"));
}

#[test]
fn one_flipped_byte_is_found_and_no_other_file_is_named() {
    let dir = tree();
    sum(&dir, "parquet", "list.parquet");
    dir.corrupt("d/größe", [&[b'x'; 1500][..], b"y", &[b'x'; 1500]].concat());
    let ran = dir.hashlane(["check", "--format", "json", "list.parquet"]).run().code(8);
    let objects = ran.objects();
    let bad: Vec<_> = objects.iter().filter(|object| object["verdict"] == "corrupt").collect();
    assert_eq!((objects.len(), bad.len()), (NAMES.len() + 1, 1), "{}", printed(&ran));
    assert_eq!(bad[0]["path"], "d/größe");
}

#[test]
fn a_table_that_was_cut_off_is_refused() {
    let dir = tree();
    sum(&dir, "parquet", "list.parquet");
    let table = dir.read("list.parquet");
    dir.write("cut.parquet", &table[..table.len() - 9]);
    let ran = dir.hashlane(["check", "cut.parquet"]).run();
    assert!(ran.stderr.contains("cut.parquet: the Parquet table cannot be read"), "{}", ran.stderr);
    assert!(ran.stdout.is_empty());
}

#[test]
fn other_programs_read_our_tables_and_we_read_theirs() {
    let Some(python) = python() else { return };
    let dir = tree();
    sum(&dir, "parquet", "list.parquet");
    dir.write(
        "read.py",
        r#"
import duckdb, json, pyarrow.parquet as pq
table = pq.read_table("list.parquet")
file = pq.ParquetFile("list.parquet")
rows = [[r["path"].hex(), r["size_bytes"], r["sha256"].hex(), r["crc32"].hex(), r["outcome"]] for r in table.to_pylist()]
print(json.dumps(rows))
query = "SELECT hex(path), size_bytes, hex(sha256), hex(crc32), outcome FROM 'list.parquet' ORDER BY path"
print(json.dumps([[p.lower(), s, d.lower(), c.lower(), o] for p, s, d, c, o in duckdb.sql(query).fetchall()]))
ids = {field.name: int(field.metadata[b"PARQUET:field_id"]) for field in file.schema_arrow}
group = file.metadata.row_group(0)
print(json.dumps([ids["path"], ids["sha256"], [(c.column_index, c.descending) for c in group.sorting_columns]]))
print(json.dumps([str(table.schema.field("mtime").type), str(table.schema.field("sha256").type)]))
pq.write_table(table, "arrow.parquet", compression="snappy")
duckdb.sql("COPY (SELECT * FROM 'list.parquet') TO 'duck.parquet'")
duckdb.sql("COPY (SELECT path, lower(hex(sha256)) AS sha256, 1 AS owner FROM 'list.parquet') TO 'text.parquet' (COMPRESSION gzip)")
"#,
    );
    let ran = dir.command(python.to_str().unwrap(), ["read.py"]).run().code(0);
    let said = ran.objects();
    assert_eq!(said[0], said[1], "pyarrow and DuckDB agree");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut names: Vec<_> = NAMES.iter().map(|name| hex(name)).collect();
    names.sort();
    let listed: Vec<_> =
        said[0].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap().to_owned()).collect();
    assert_eq!(listed, names, "sorted by the bytes of their names");
    let empty = said[0].as_array().unwrap().iter().find(|row| row[1] == 0).unwrap();
    assert_eq!(empty[2], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!((&empty[3], &empty[4]), (&Value::from("00000000"), &Value::from("read")));
    assert_eq!(said[2], serde_json::json!([1, 105, [[0, false]]]));
    assert_eq!(said[3], serde_json::json!(["timestamp[us, tz=UTC]", "fixed_size_binary[32]"]));
    for name in ["arrow.parquet", "duck.parquet", "text.parquet"] {
        let ran = dir.hashlane(["check", name]).run().code(0);
        assert_eq!(ran.lines().len(), NAMES.len(), "{name}");
    }
}

/// A table that pyarrow has made (`tests/fixtures/tables/make.py`), as JSON Lines, and what was said of that.
fn converted(name: &str) -> (Vec<Value>, String) {
    let dir = Dir::new();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tables").join(name);
    let convert = dir.hashlane(["convert"]).arg(table).arg("back.jsonl");
    let ran = convert.run().code(0);
    let text = String::from_utf8(dir.read("back.jsonl")).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), ran.stderr)
}

#[test]
fn times_and_beginnings_in_common_are_read_as_other_programs_write_them() {
    let names: [&[u8]; 3] = [b"d/a/one", b"d/a/two", b"d/b\xff/three"];
    let times = [
        "2026-11-01T10:00:00.123456000Z",
        "1969-12-31T23:59:59.999999000Z",
        "2400-02-29T00:00:01.000000000Z",
    ];
    for table in ["int96.parquet", "delta_byte_array.parquet", "delta_byte_array_v2.parquet"] {
        let (objects, said) = converted(table);
        assert_eq!(said, "hashlane: 3 listed files: parquet to jsonl\n", "{table}");
        assert_eq!(objects.len(), 3);
        for ((object, name), time) in objects.iter().zip(names).zip(times) {
            assert_eq!(object["path"], String::from_utf8_lossy(name).as_ref(), "{table}");
            assert_eq!(object["mtime"], time, "{table}");
            assert_eq!(object["size_bytes"], name.len(), "{table}");
            for algorithm in ["sha256", "md5"] {
                assert_eq!(object["digests"][algorithm], crate::work::digest(algorithm, name), "{table}");
            }
        }
    }
}

#[test]
fn columns_that_are_not_read_are_called_columns() {
    let (_, said) = converted("other_columns.parquet");
    assert!(said.contains("the column `mtime` has the type BYTE_ARRAY UTF8, and is not read"), "{said}");
    assert!(
        said.contains("other_columns.parquet: columns that are not known were dropped: owner, mode\n"),
        "{said}"
    );
    let dir = Dir::new();
    let table =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tables/other_columns.parquet");
    dir.write("list.parquet", std::fs::read(table).unwrap());
    for command in [&["check", "list.parquet"][..], &["check", "--audit", "--root", ".", "list.parquet"]] {
        let ran = dir.hashlane(command).run();
        assert!(ran.stderr.contains("list.parquet: 1 column that is not read: mtime\n"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("cannot be parsed"), "{}", ran.stderr);
    }
    for (strict, code) in [(false, 0), (true, 16)] {
        let option = if strict { "--strict" } else { "--warn" };
        let ran = dir.hashlane(["diff", option, "list.parquet", "list.parquet"]).run().code(code);
        assert!(ran.stderr.contains("list.parquet: 1 column that is not read: mtime\n"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("cannot be parsed"), "{}", ran.stderr);
    }
}
