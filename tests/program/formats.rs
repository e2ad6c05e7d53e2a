//! The formats that each command lists in its help: it takes all of them, and no others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::work::{Dir, digest};

/// The options of all commands whose values are formats of manifests, as their help has them.
fn listed(dir: &Dir) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    let mut commands = vec![String::new()];
    while let Some(command) = commands.pop() {
        let words: Vec<_> = command.split_ascii_whitespace().collect();
        let help = dir.hashlane(&words).arg("--help").run().code(0).stdout;
        let help = String::from_utf8(help).unwrap();
        let behind = help.split_once("\nCommands:\n").map_or("", |(_, behind)| behind);
        let named = behind.lines().take_while(|line| line.starts_with("  "));
        let named = named.filter(|line| !line.starts_with("   "));
        let named = named.filter_map(|line| line.split_ascii_whitespace().next());
        commands.extend(named.filter(|&name| name != "help").map(|name| format!("{command} {name}")));
        let lists = help.match_indices("[possible values: ").map(|(at, _)| (at, ']'));
        for (at, end) in lists.chain(help.match_indices("Formats: ").map(|(at, _)| (at, '.'))) {
            let values = help[at..].split_once(": ").unwrap().1.split_once(end).unwrap().0;
            let values: BTreeSet<_> = values.split(',').map(|value| value.trim().to_owned()).collect();
            let option = help[..at].lines().rev().find_map(|line| {
                line.split_ascii_whitespace()
                    .find(|word| word.starts_with("--"))
                    .filter(|_| line.contains('<'))
            });
            if values.contains("hashdeep") && values.contains("gnu") {
                found.insert(format!("{} {}", command.trim(), option.unwrap()), values);
            }
        }
    }
    found
}

/// Writes `a` in each format that is written, and the others by hand, each to a file of its name; which can be written.
fn manifests(dir: &Dir, formats: &[Value]) -> BTreeMap<String, Option<&'static str>> {
    let mut made = BTreeMap::new();
    for format in formats.iter().filter(|format| format["name"] != "nsrl-sqlite") {
        let name = format["name"].as_str().unwrap();
        let written = ["md5", "sha256", "crc32"].into_iter().find(|algorithm| {
            let ran = dir.hashlane(["sum", "-q", "-a", algorithm, "--manifest-format", name, "a"]).run();
            dir.write(name, &ran.stdout);
            ran.status.success()
        });
        assert_eq!(written.is_some(), format["write"] == Value::Bool(true), "{name}");
        made.insert(name.to_owned(), written);
    }
    let (md5, sha1) = (digest("md5", "1"), digest("sha1", "1"));
    dir.write("name-first", format!("a {md5}\n"));
    dir.write("get-filehash", format!("\"Algorithm\",\"Hash\",\"Path\"\r\n\"MD5\",\"{md5}\",\"a\"\r\n"));
    dir.write(
        "certutil",
        format!("MD5 hash of a:\r\n{md5}\r\nCertUtil: -hashfile command completed successfully.\r\n"),
    );
    let archive = "<files><file name=\"a\" source=\"original\"><size>1</size><md5>";
    dir.write("internet-archive", format!("{archive}{md5}</md5></file></files>\n"));
    dir.write("mtree", format!("#mtree\n/set type=file\n./a size=1 md5digest={md5}\n"));
    let nsrl = r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
    dir.write("nsrl", format!("{nsrl}\n\"{sha1}\",\"{md5}\",\"00000000\",\"a\",1,1,\"W\",\"\"\n"));
    let keeper = r#""file_id","hashset_id","file_name","directory","hash","file_size","date_modified""#;
    dir.write("hashkeeper", format!("{keeper}\n1,1,\"a\",\"x\",\"{md5}\",1,\"\"\n"));
    dir.write("ilook", format!("V3Hash,HashSHA1,FileName,FilePath,FileSize\n{md5},{sha1},a,x,1\n"));
    let mut encase = b"HASH\r\n\xff\0\x01\0\0\0\0\0\0\0\x01\0\0\0".to_vec();
    encase.resize(0x480, 0);
    encase.extend_from_slice(hashlane_digest::Algorithm::MD5.digest(b"1").as_bytes());
    encase.extend_from_slice(&[0, 0]);
    dir.write("encase", encase);
    made
}

#[test]
fn every_format_in_a_help_is_taken_and_every_one_that_is_taken_is_there() {
    let dir = Dir::new();
    dir.write("a", "1");
    let formats = dir.hashlane(["formats", "--format", "json"]).run().code(0).stdout;
    let formats: Vec<Value> = serde_json::from_slice(&formats).unwrap();
    let written = manifests(&dir, &formats);
    let listed = listed(&dir);
    let options: Vec<_> = listed.keys().map(String::as_str).collect();
    let known = [
        "check --manifest-format",
        "collection export --manifest-format",
        "collection import --manifest-format",
        "convert --from",
        "convert --manifest-format",
        "diff --manifest-format",
        "known build --manifest-format",
        "merge --manifest-format",
        "sum --manifest-format",
    ];
    assert_eq!(options, known, "an option that this test does not try");
    for algorithm in ["md5", "sha256", "crc32"] {
        dir.keeper(["collection", "add", algorithm, ".", "-a", algorithm]).run().code(0);
        let shard = ["sum", "-q", "--shard", "1/1", "--manifest-format", "jsonl", "-a", algorithm, "a", "-o"];
        dir.hashlane(shard).arg(format!("shard.{algorithm}")).run().code(0);
    }
    let mut tried = 0;
    for (option, listed) in &listed {
        for format in formats.iter().map(|format| format["name"].as_str().unwrap()) {
            let algorithm = written.get(format).copied().flatten().unwrap_or("md5");
            let shard = format!("shard.{algorithm}");
            let words: &[&str] = match option.as_str() {
                "check --manifest-format" => {
                    &["check", "-q", "-a", algorithm, "--manifest-format", format, format]
                }
                "collection export --manifest-format" => {
                    &["collection", "export", algorithm, "--manifest-format", format]
                }
                "collection import --manifest-format" => {
                    &["collection", "import", algorithm, "--manifest-format", format, format]
                }
                "convert --from" => &["convert", "-q", "-a", algorithm, "--from", format, format, "-"],
                "convert --manifest-format" => {
                    let from = ["md5", "sha256", "crc32"].iter().position(|&name| name == algorithm).unwrap();
                    let from = ["hashdeep", "ni", "sfv"][from];
                    &["convert", "-q", "-a", algorithm, "--manifest-format", format, from, "-"]
                }
                "diff --manifest-format" => {
                    &["diff", "-q", "-a", algorithm, "--manifest-format", format, format, format]
                }
                "known build --manifest-format" => {
                    &["known", "build", "-q", "-o", "k", "-a", algorithm, "--manifest-format", format, format]
                }
                "merge --manifest-format" => &["merge", "-q", "--manifest-format", format, &shard],
                _ => &["sum", "-q", "-a", algorithm, "--manifest-format", format, "a"],
            };
            let ran = dir.keeper(words).run();
            let expected = if listed.contains(format) { 0 } else { 64 };
            assert_eq!(ran.status.code(), Some(expected), "{words:?}: {ran:?}");
            tried += 1;
        }
    }
    println!("{tried} formats tried with {} options", listed.len());
}

#[test]
fn the_name_of_the_output_says_the_format_unless_an_option_does() {
    let dir = Dir::new();
    dir.write("t/a", "a").make("t/empty");
    let first_line = |name: &str| {
        let content = std::fs::read(dir.path(name)).expect("it was written");
        String::from_utf8_lossy(content.split(|&byte| byte == b'\n').next().expect("a line")).into_owned()
    };
    for (name, begins) in [
        ("l.csv", "path,size_bytes,mtime,sha256"),
        ("l.jsonl", "{\"schema\":\"hashlane-manifest\""),
        ("l.ndjson", "{\"schema\":\"hashlane-manifest\""),
        ("l.DFXML", "<?xml"),
        ("l.parquet", "PAR1"),
    ] {
        let ran = dir.hashlane(["sum", "-o", name, "t"]).run().code(0);
        let format = if name == "l.ndjson" { "jsonl".to_owned() } else { name[2..].to_lowercase() };
        let said = format!("hashlane: {name}: in format {format}, as its name says\n");
        assert!(ran.stderr.starts_with(&said), "{}", ran.stderr);
        assert!(first_line(name).starts_with(begins), "{name}: {}", first_line(name));
        assert_eq!(dir.hashlane(["check", "-q", name]).run().code(0).stderr, "", "{name}");
    }
    // Options count more, and names that say nothing are of sha256sum, as before.
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "o.csv", "t"]).run().code(0);
    assert!(first_line("o.csv").starts_with("{\"schema\""));
    dir.hashlane(["sum", "-q", "--tag", "-o", "tag.csv", "t"]).run().code(0);
    assert!(first_line("tag.csv").starts_with("SHA256 (t/a) = "));
    for name in ["l.txt", "SHA256SUMS", "list", ".csv", "l.html"] {
        let ran = dir.hashlane(["sum", "-o", name, "t"]).run().code(0);
        assert!(!ran.stderr.contains("in format"), "{name}: {}", ran.stderr);
        assert!(first_line(name).ends_with("  t/a"), "{name}");
    }
    // What the format does not store is asked for, and nothing is written.
    let ran = dir.hashlane(["sum", "-o", "l.sfv", "t"]).run().code(64);
    assert!(
        ran.stderr.contains("an sfv manifest stores crc32 digests, not sha256; use --algorithm crc32"),
        "{}",
        ran.stderr
    );
    assert!(!dir.path("l.sfv").exists());
    dir.hashlane(["sum", "-q", "-a", "crc32", "-o", "l.sfv", "t"]).run().code(0);
    assert_eq!(first_line("l.sfv"), "t/a E8B7BE43");
}
