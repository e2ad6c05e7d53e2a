//! What the tools of the field write is read, and what we write they accept.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output};

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, Header, Item, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::{Facts, ItemPath, Origin, Outcome, Record, Timestamp};
use tempfile::TempDir;

/// Names that every tool here holds.
const PLAIN: [&[u8]; 6] = [b"a", b"b c ", b" *d", b"e(f) = 0", b"g,h", b"latin \xe9"];
/// Names that need escapes.
const ESCAPED: [&[u8]; 3] = [b"new\nline", b"back\\slash\\n", b"return\r"];

/// Whether a tool is there; says so if not, and fails if skipping is forbidden.
fn have(tool: &str) -> bool {
    let found =
        Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap().status.success();
    if !found {
        assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|flag| flag != "1"), "needs {tool}");
        println!("SKIPPED: needs {tool}");
    }
    found
}

fn run(directory: &Path, command: &mut Command) -> Output {
    command.current_dir(directory).env("LC_ALL", "C").output().unwrap()
}

fn tree(names: &[&[u8]]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for name in names {
        fs::write(directory.path().join(std::ffi::OsStr::from_bytes(name)), [b"content of ", *name].concat())
            .unwrap();
    }
    directory
}

fn records(directory: &Path, names: &[&[u8]], algorithms: &[Algorithm]) -> Vec<Record> {
    let record = |(number, name): (usize, &&[u8])| {
        let mut content = Vec::new();
        let path = directory.join(std::ffi::OsStr::from_bytes(name));
        fs::File::open(path).unwrap().read_to_end(&mut content).unwrap();
        let time = Timestamp::default();
        let size_bytes = content.len() as u64;
        Record {
            number: number as u64,
            path: ItemPath::from(*name),
            outcome: Outcome::Read,
            facts: Some(Facts {
                size_bytes,
                modified: time,
                changed: time,
                accessed: time,
                device: 1,
                inode: 1,
                links: 1,
            }),
            digests: algorithms.iter().map(|algorithm| algorithm.digest(&content)).collect(),
            pieces: None,
            digested_bytes: size_bytes,
            origin: Origin::default(),
            medium: Default::default(),
            state: None,
            tag: Box::default(),
        }
    };
    names.iter().enumerate().map(record).collect()
}

fn written(format: &str, algorithms: &[Algorithm], options: &WriteOptions, records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new(Format::named(format).unwrap(), algorithms, options, Vec::new()).unwrap();
    for record in records {
        writer.record(record).unwrap();
    }
    writer.finish().unwrap()
}

fn items(text: &[u8], options: &ReadOptions<'_>) -> Vec<Item> {
    Reader::open(text, options).unwrap().map(Result::unwrap).collect()
}

fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| Algorithm::named(name).unwrap()).collect()
}

fn all_names() -> Vec<&'static [u8]> {
    PLAIN.iter().chain(&ESCAPED).copied().collect()
}

/// Compares our bytes with a tool's, byte for byte, and reads them back.
fn same_as_tool(tool: &str, arguments: &[&str], format: &str, algorithm: &str, zero: bool) {
    if !have(tool) {
        return;
    }
    let names = all_names();
    let directory = tree(&names);
    let mut command = Command::new(tool);
    command.args(arguments).arg("--").args(names.iter().map(|name| std::ffi::OsStr::from_bytes(name)));
    let theirs = run(directory.path(), &mut command);
    assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
    let algorithms = algorithms(&[algorithm]);
    let records = records(directory.path(), &names, &algorithms);
    let ours = written(format, &algorithms, &WriteOptions { zero, ..WriteOptions::default() }, &records);
    assert_eq!(
        theirs.stdout.escape_ascii().to_string(),
        ours.escape_ascii().to_string(),
        "{tool} {arguments:?}"
    );
    let read = items(
        &theirs.stdout,
        &ReadOptions { algorithm: Some(algorithms[0]), zero, ..ReadOptions::default() },
    );
    for (item, record) in read.iter().zip(&records) {
        assert_eq!((&item.path, &item.digests), (&record.path, &record.digests));
    }
    assert_eq!(read.len(), records.len());
}

#[test]
fn coreutils_writes_what_we_write() {
    same_as_tool("sha256sum", &[], "gnu", "sha256", false);
    same_as_tool("sha256sum", &["--tag"], "bsd", "sha256", false);
    same_as_tool("sha256sum", &["--zero"], "gnu", "sha256", true);
    same_as_tool("sha512sum", &["--tag", "--zero"], "bsd", "sha512", true);
    same_as_tool("md5sum", &["--tag"], "bsd", "md5", false);
    same_as_tool("sha1sum", &[], "gnu", "sha1", false);
    same_as_tool("b2sum", &["--tag"], "bsd", "blake2b", false);
    same_as_tool("b2sum", &["--tag", "-l", "256"], "bsd", "blake2b-256", false);
}

#[test]
fn coreutils_accepts_what_we_write() {
    if !have("sha256sum") {
        return;
    }
    let names = all_names();
    let directory = tree(&names);
    let sha256 = algorithms(&["sha256"]);
    let records = records(directory.path(), &names, &sha256);
    let header = Header {
        program: "hashlane".to_owned(),
        command: b"hashlane sum\nx".to_vec(),
        cwd: ItemPath::from("/x"),
        roots: vec![ItemPath::from("r\n\\")],
        started: Some(Timestamp { seconds: 1, nanos: 0 }),
        file_systems: Vec::new(),
        shard: None,
        superuser: false,
    };
    for format in ["gnu", "bsd"] {
        let options = WriteOptions { header: Some(header.clone()), ..WriteOptions::default() };
        fs::write(directory.path().join("list"), written(format, &sha256, &options, &records)).unwrap();
        let checked = run(directory.path(), Command::new("sha256sum").args(["--check", "--strict", "list"]));
        assert!(checked.status.success(), "{format}: {}", String::from_utf8_lossy(&checked.stderr));
        assert_eq!(checked.stdout.iter().filter(|&&byte| byte == b'\n').count(), names.len());
    }
}

#[test]
fn b3sum_and_we_read_each_other() {
    if !have("b3sum") {
        return;
    }
    // b3sum refuses names that are not UTF-8 when it checks, and does not escape carriage returns before 1.5.
    let names = [&b"a"[..], b"b c", b"new\nline", b"back\\slash"];
    let directory = tree(&names);
    let blake3 = algorithms(&["blake3"]);
    let records = records(directory.path(), &names, &blake3);
    let ours = written("gnu", &blake3, &WriteOptions::default(), &records);
    let mut command = Command::new("b3sum");
    command.args(names.iter().map(|name| std::ffi::OsStr::from_bytes(name)));
    let theirs = run(directory.path(), &mut command).stdout;
    assert_eq!(theirs.escape_ascii().to_string(), ours.escape_ascii().to_string());
    fs::write(directory.path().join("B3SUMS"), &ours).unwrap();
    let checked = run(directory.path(), Command::new("b3sum").args(["--check", "B3SUMS"]));
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let options = ReadOptions { file_name: Some(b"B3SUMS"), ..ReadOptions::default() };
    assert_eq!(items(&theirs, &options).len(), names.len());
}

#[test]
fn openssl_lines_are_read() {
    if !have("openssl") {
        return;
    }
    let directory = tree(&[b"a", b"e(f) = 0"]);
    let text =
        run(directory.path(), Command::new("openssl").args(["dgst", "-sha256", "a", "e(f) = 0"])).stdout;
    let read = items(&text, &ReadOptions::default());
    let records = records(directory.path(), &[b"a", b"e(f) = 0"], &algorithms(&["sha256"]));
    for (item, record) in read.iter().zip(&records) {
        assert_eq!((&item.path, &item.digests), (&record.path, &record.digests));
    }
    assert_eq!(read.len(), 2);
}

#[test]
fn hashdeep_audits_what_we_write() {
    if !have("hashdeep") {
        return;
    }
    let names = [&b"a"[..], b"b c ", b"g,h", b"latin \xe9", b"back\\slash", b"a\rb"];
    let (all, home) = (algorithms(&["whirlpool", "md5", "tiger", "sha256", "sha1"]), TempDir::new().unwrap());
    let directory = tree(&names);
    let records = records(directory.path(), &names, &all);
    for some in [&all[..], &all[1..2], &all[2..4]] {
        let header = Header {
            program: "hashlane".to_owned(),
            command: b"hashlane sum x ".repeat(1000),
            cwd: ItemPath::from("/x"),
            roots: vec![ItemPath::from("r\n\\"), ItemPath::from("s")],
            started: Some(Timestamp { seconds: 1, nanos: 0 }),
            file_systems: Vec::new(),
            shard: None,
            superuser: true,
        };
        let options = WriteOptions { header: Some(header), strict_hashdeep: true, ..WriteOptions::default() };
        let known = home.path().join("known");
        let text = written("hashdeep", some, &options, &records);
        fs::write(&known, &text).unwrap();
        let mut command = Command::new("hashdeep");
        command
            .args(["-l", "-a", "-v", "-k"])
            .arg(&known)
            .args(names.iter().map(|name| std::ffi::OsStr::from_bytes(name)));
        let audit = run(directory.path(), &mut command);
        let said = String::from_utf8_lossy(&audit.stdout).into_owned();
        assert!(said.contains("Audit passed") && said.contains("Files matched: 6"), "{said}");
        assert!(audit.stderr.is_empty(), "{}", String::from_utf8_lossy(&audit.stderr));
        assert_eq!(Reader::open(&text[..], &ReadOptions::default()).unwrap().header_roots().len(), 2);
    }
}

#[test]
fn hashdeep_writes_what_we_write() {
    if !have("hashdeep") {
        return;
    }
    let names = [&b"a"[..], b"b c ", b"g,h", b"latin \xe9", b"back\\slash", b"return\r"];
    let directory = tree(&names);
    let mut command = Command::new("hashdeep");
    command.args(["-l", "-j0", "-c", "whirlpool,md5,tiger,sha256,sha1"]);
    let theirs =
        run(directory.path(), command.args(names.iter().map(|name| std::ffi::OsStr::from_bytes(name))))
            .stdout;
    let all = algorithms(&["sha256", "tiger", "whirlpool", "sha1", "md5"]);
    let records = records(directory.path(), &names, &all);
    let ours = written("hashdeep", &all, &WriteOptions::default(), &records);
    let without_comments: Vec<_> =
        theirs.split_inclusive(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"#")).collect();
    assert_eq!(without_comments.concat().escape_ascii().to_string(), ours.escape_ascii().to_string());
    let read = items(&theirs, &ReadOptions::default());
    assert_eq!(read.iter().map(|item| item.path.as_bytes()).collect::<Vec<_>>(), names);
}

#[test]
fn what_hashdeep_would_spoil_is_refused_when_strict() {
    let md5 = algorithms(&["md5"]);
    let directory = tree(&[b"return\r", b"new\nline", b"a"]);
    let mut records = records(directory.path(), &[b"return\r", b"new\nline", b"a"], &md5);
    records.push(Record { path: ItemPath::from("x".repeat(2030).as_bytes()), ..records[2].clone() });
    let options = WriteOptions { strict_hashdeep: true, ..WriteOptions::default() };
    let mut writer = Writer::new(Format::named("hashdeep").unwrap(), &md5, &options, Vec::new()).unwrap();
    let said: Vec<_> = records
        .iter()
        .map(|record| writer.record(record).map_err(|error: Error| error.to_string()))
        .collect();
    let held = "a hashdeep manifest cannot store a name";
    assert_eq!(
        said[0],
        Err(format!("\"return\\r\": {held} that ends with a carriage return; use jsonl or csv"))
    );
    assert_eq!(said[1], Err(format!("\"new\\nline\": {held} with a newline; use jsonl or csv")));
    assert_eq!(said[2], Ok(()));
    let long = "whose line is longer than the 2047 bytes that hashdeep reads; use jsonl or csv";
    assert_eq!(said[3], Err(format!("\"{}\": {held} {long}", "x".repeat(2030))));
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    let error =
        Writer::new(Format::named("hashdeep").unwrap(), &algorithms(&["sha512"]), &options, Vec::new());
    assert_eq!(
        error.unwrap_err().to_string(),
        "hashdeep supports md5, sha1, sha256, tiger and whirlpool, not sha512; use one of these, or jsonl or csv"
    );
}
