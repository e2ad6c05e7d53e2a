//! A list of a tree, in whatever format and with whatever names, used on the same tree: what has not changed comes out whole. Only relative
//! names that begin with the tree are not those of it: they are refused or missing, and never those of other files.

use super::gateway::Gateway;
use crate::work::{Cmd, Dir, Ran};

/// What lies in each source.
const FILES: [(&str, &str); 4] = [("a", "one"), ("d/b", "two"), ("d/e/c", "three"), ("t.old", "one")];

/// How lists are written.
const WRITERS: [&[&str]; 5] = [
    &["--manifest-format", "gnu", "--no-header"],
    &["--manifest-format", "csv", "--no-header"],
    &["--manifest-format", "parquet"],
    &["--manifest-format", "jsonl", "--no-header"],
    &["--manifest-format", "jsonl", "--header"],
];

/// Who reads them: LIST stands for the list, and SOURCE for what it was made of.
const READERS: [&str; 8] = [
    "check LIST",
    "check --base SOURCE LIST",
    "check --complete --base SOURCE LIST",
    "check --complete --root SOURCE LIST",
    "check --audit --base SOURCE LIST",
    "check --audit --root SOURCE LIST",
    "diff -a sha256 LIST SOURCE",
    "diff -a sha256 --base SOURCE LIST SOURCE",
];

/// Writes lists of a source in all ways and reads each in all ways, the import into a collection and its audit among them. Returns how many
/// pairs there were.
fn round_trips(source: &str, command: &dyn Fn(&[&str]) -> Cmd, keeper: &dyn Fn(&[&str]) -> Cmd) -> usize {
    let mut pairs = 0;
    // Such names begin with the source, and mean other files below it.
    let is_relative = !source.starts_with('/') && !source.contains("://");
    for (number, options) in WRITERS.iter().enumerate() {
        let list = format!("LIST.{number}");
        command(&[&["sum", "-q", "-o", &list, source], *options].concat()).run().code(0);
        for reader in READERS {
            let word = |word: &'static str| match word {
                "LIST" => list.as_str(),
                "SOURCE" => source,
                word => word,
            };
            let words: Vec<&str> = reader.split(' ').map(word).collect();
            let what = format!("{source}, {options:?}: {reader}");
            match is_relative && reader.contains("--base") {
                true => is_told(&command(&words).run(), &what),
                false => is_whole(&command(&words).run(), &what, reader.starts_with("diff")),
            }
            pairs += 1;
        }
        let name = format!("{number}-{}", source.replace([':', '/', '.'], "-"));
        keeper(&["collection", "add", &name, source, "--algorithm", "sha256"]).run().code(0);
        let imported = keeper(&["collection", "import", &name, &list]).run().code(0);
        let registered = format!("{name}: {} files registered by sha256", FILES.len());
        assert!(
            imported.stderr.contains(&registered) && !imported.stderr.contains("did not find"),
            "{}",
            imported.stderr
        );
        if is_relative {
            assert!(imported.stderr.contains("--strip-prefix takes away what their names begin with"));
            // By their sizes they are known again, and none is where it is listed.
            let told = keeper(&["audit", &name]).run().messages();
            let files = FILES.len();
            let elsewhere = [format!("; {files} moved"), format!("; {files} missing, {files} registered")];
            assert!(
                elsewhere.iter().any(|ending| told.iter().any(|line| line.ends_with(ending))),
                "{told:?}"
            );
            pairs += 1;
            continue;
        }
        let audited = keeper(&["audit", &name]).run().code(0);
        // As they were registered, and all that is there.
        let told = audited.messages();
        let files = FILES.len();
        assert!(
            told[0].contains(&format!("{files} files listed, {files} files read, ")),
            "{source}: {told:?}"
        );
        assert!(told[0].ends_with(&format!("; {files} registered")), "{source}: {told:?}");
        pairs += 1;
    }
    pairs
}

/// None of the files passes under a name that is another one's, and the way out is shown, or why nothing was read.
fn is_told(ran: &Ran, what: &str) {
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.code().is_some_and(|code| code > 0), "{what}: {printed}{}", ran.stderr);
    assert!(!printed.contains(": OK"), "{what}: {printed}");
    let ways_out = ["--strip-prefix", "--base .", "--root or --base", "name its algorithm with --algorithm"];
    assert!(ways_out.iter().any(|way| ran.stderr.contains(way)), "{what}: {}", ran.stderr);
}

/// Nothing is reported but that each file has the content that is listed.
fn is_whole(ran: &Ran, what: &str, is_diff: bool) {
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{what}: {printed}{}", ran.stderr);
    match is_diff {
        true => {
            let same = format!("the same: {0} same; {0} names in A, {0} in B, {0} in both", FILES.len());
            assert!(printed.is_empty() && ran.stderr.contains(&same), "{what}: {printed}{}", ran.stderr);
        }
        false => {
            let passed = printed.lines().filter(|line| line.ends_with(": OK")).count();
            assert_eq!((passed, printed.lines().count()), (FILES.len(), FILES.len()), "{what}: {printed}");
        }
    }
}

#[test]
fn lists_of_a_directory_are_lists_of_it() {
    let dir = Dir::new();
    for (name, content) in FILES {
        dir.write(format!("t/{name}"), content);
    }
    let absolute = dir.path("t").to_str().unwrap().to_owned();
    let command = |arguments: &[&str]| dir.hashlane(arguments);
    let keeper = |arguments: &[&str]| dir.keeper(arguments);
    let pairs: usize = ["t", &absolute].iter().map(|source| round_trips(source, &command, &keeper)).sum();
    println!("{pairs} pairs of a writer and a reader, of directories");
    assert_eq!(pairs, 2 * WRITERS.len() * (READERS.len() + 1));
}

#[test]
fn lists_of_objects_are_lists_of_them() {
    let dir = Dir::new();
    for (name, content) in FILES {
        dir.write(format!("store/plain/t/{name}"), content);
    }
    dir.make("versions").make("store/keep");
    let Some(gateway) = Gateway::with_versions(&dir.path("store"), &dir.path("versions")) else { return };
    gateway.keep_versions();
    for (name, content) in FILES {
        for content in ["older", content] {
            gateway.write("PUT", &format!("/keep/t/{name}"), "", content.as_bytes());
        }
    }
    let command = |arguments: &[&str]| gateway.hashlane(&dir, arguments);
    let keeper = |arguments: &[&str]| match arguments {
        ["collection", "add", ..] => gateway.keeper(&dir, arguments).args(["--endpoint", gateway.url()]),
        _ => gateway.keeper(&dir, arguments),
    };
    let sources = ["s3://plain/t", "s3://keep/t"];
    let mut pairs: usize = sources.iter().map(|source| round_trips(source, &command, &keeper)).sum();
    // Versions are no objects as they are now, which is said.
    for (number, options) in WRITERS.iter().enumerate() {
        let list = format!("VERSIONS.{number}");
        command(&[&["sum", "-q", "--versions", "-o", &list, "s3://keep/t"], *options].concat()).run().code(0);
        for whole in
            [&["check", "--versions", &list][..], &["check", "--versions", "--base", "s3://keep/t", &list]]
        {
            let ran = command(whole).run().code(0);
            assert_eq!(String::from_utf8_lossy(&ran.stdout).matches(": OK\n").count(), 2 * FILES.len());
            pairs += 1;
        }
        // Without a look at what is listed, each is missing, and it is said how it is read.
        let ran = command(&["check", &list]).run().code(2);
        assert!(ran.stderr.contains("--versions reads it as one"), "{}", ran.stderr);
        pairs += 1;
        for reader in &READERS[2..] {
            let words = reader.replace("LIST", &list).replace("SOURCE", "s3://keep/t");
            let ran = command(&words.split(' ').collect::<Vec<_>>()).run().code(64).printed("");
            assert!(ran.stderr.contains("is a version of an object; "), "{words}: {}", ran.stderr);
            pairs += 1;
        }
    }
    println!("{pairs} pairs of a writer and a reader, of objects");
    assert_eq!(pairs, WRITERS.len() * (2 * (READERS.len() + 1) + 3 + READERS.len() - 2));
}
