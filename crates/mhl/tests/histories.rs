//! Histories as they are made, read again, and damaged.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_mhl::{CHAIN, Error, FOLDER, FoundNames, History, Made, Making, Patterns, Read, Wrong};
use hashlane_record::Timestamp;
use tempfile::TempDir;

fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| Algorithm::named(name).unwrap()).collect()
}

fn making(names: &[&str]) -> Making {
    Making {
        algorithms: algorithms(names),
        directory_hashes: true,
        detects_renaming: true,
        patterns: Vec::new(),
        tool: ("a & b".to_owned(), "1".to_owned()),
        host: "here".to_owned(),
    }
}

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn record(directory: &Path, making: &Making) -> Made {
    let history = History::open_or_begin(directory).unwrap();
    let needed = making.needed(&history).unwrap();
    let patterns = Patterns::new(&making.all_patterns(&history)).unwrap();
    let tree = FoundNames::look(directory, &patterns).unwrap();
    let read = |name: &String| {
        let content = fs::read(directory.join(name)).unwrap();
        let digests = needed.iter().map(|algorithm| algorithm.digest(&content)).collect();
        let modified = Timestamp { seconds: 0, nanos: 0 };
        (name.clone(), Read { size: content.len() as u64, modified, digests })
    };
    let read: BTreeMap<_, _> = tree.files.iter().map(read).collect();
    making.write(directory, &history, &tree, &patterns, &read).unwrap()
}

fn list(directory: &Path, number: usize) -> String {
    let mut names: Vec<_> =
        fs::read_dir(directory.join(FOLDER)).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "mhl"));
    names.sort();
    fs::read_to_string(&names[number - 1]).unwrap()
}

/// A directory with a name that does not depend on the test.
fn directory() -> (TempDir, std::path::PathBuf) {
    let temporary = TempDir::new().unwrap();
    let directory = temporary.path().join("A");
    fs::create_dir(&directory).unwrap();
    (temporary, directory)
}

#[test]
fn directories_have_the_digests_that_the_reference_implementation_gives_them() {
    let (_temporary, directory) = directory();
    write(&directory, &[("Clips/1.mov", "abc\n"), ("note.txt", "note\n"), ("zero", "")]);
    fs::create_dir(directory.join("empty")).unwrap();
    record(&directory, &making(&["md5", "c4"]));
    let text = list(&directory, 1);
    // Content and structure, as ascmhl 1.2 has them.
    for digest in [
        "e23230ae39386ea9be8cf37c00d956f8",
        "11e839832a786f1ec6a786d0ce13a20e",
        "084cd464dc6a974942c25bbf6a5d058a",
        "8e45d487fbed1ac6303acb3dc741c65b",
        "c4679gV1ZswHa3fRjAG8A4TbYtcbHqMX95xsYe7gnqtFSAVd73YwcYwwhZHEgd96FYeUomx51AP3bGhJKDXY7tk5ce",
        "c44Qz3XSKCtRvwK5mQnM5FCfWFRP3UiAMN8yUpHyjjma5xKdReGBHnWjvceFdB4xysYYj4yVjmjkbST8KtsXE4nq52",
    ] {
        assert!(text.contains(&format!(">{digest}<")), "{digest}: {text}");
    }
    // The schema has an order for them.
    let order = |digests: &str| digests.find("<c4 ").unwrap() < digests.find("<md5 ").unwrap();
    assert!(text.split("</content>").take(3).all(order), "{text}");
    let history = History::open(&directory).unwrap();
    let [generation] = history.generations() else { panic!("one generation") };
    assert_eq!((generation.number, &generation.tool[..], &generation.host[..]), (1, "a & b 1", "here"));
    assert_eq!(history.patterns(), [".DS_Store", "ascmhl", "ascmhl/"]);
    let listing = history.listing();
    assert_eq!(listing.files.keys().collect::<Vec<_>>(), ["Clips/1.mov", "note.txt", "zero"]);
    assert_eq!(listing.directories.iter().collect::<Vec<_>>(), ["Clips", "empty"]);
}

#[test]
fn what_is_known_is_what_was_found_first() {
    let (_temporary, directory) = directory();
    write(&directory, &[("a", "1"), ("b", "2"), ("c", "3")]);
    record(&directory, &making(&["md5"]));
    write(&directory, &[("a", "changed"), ("new", "4")]);
    fs::rename(directory.join("b"), directory.join("renamed")).unwrap();
    fs::remove_file(directory.join("c")).unwrap();
    let made = record(&directory, &making(&["sha1"]));
    assert_eq!(made.failed, ["a"]);
    assert_eq!(made.missing, ["c"]);
    assert_eq!(made.renamed, [("b".to_owned(), "renamed".to_owned())]);
    let text = list(&directory, 2);
    assert!(text.contains("<previousPath>b</previousPath>") && text.contains("action=\"failed\""), "{text}");
    // What has failed gets no new digest.
    let sha1 = Algorithm::SHA1;
    assert!(!text.contains(&sha1.digest(b"changed").to_string()), "{text}");
    let listing = History::open(&directory).unwrap().listing();
    let known = |name: &str| -> Vec<String> {
        listing.files[name].digests.iter().map(|digest| format!("{digest:?}")).collect()
    };
    let of = |name: &str, content: &str| {
        format!("{:?}", Algorithm::named(name).unwrap().digest(content.as_bytes()))
    };
    assert_eq!(known("a"), [of("md5", "1")]);
    assert_eq!(known("renamed"), [of("md5", "2"), of("sha1", "2")]);
    assert_eq!(known("c"), [of("md5", "3")]);
    assert_eq!(known("new"), [of("sha1", "4")]);
    assert!(!listing.files.contains_key("b"));
}

#[test]
fn nested_histories_are_recorded_first_and_vouched_for() {
    let (_temporary, directory) = directory();
    write(&directory, &[("in/side/a", "1"), ("b", "2")]);
    record(&directory.join("in"), &making(&["xxh64"]));
    let made = record(&directory, &making(&["xxh64"]));
    assert_eq!(made.written.len(), 2);
    assert!(made.written[0].starts_with(directory.join("in").join(FOLDER)), "{:?}", made.written);
    let history = History::open(&directory).unwrap();
    assert_eq!(history.children()[0].prefix(), "in/");
    assert_eq!(history.generations()[0].references.len(), 1);
    assert_eq!(history.listing().files.keys().collect::<Vec<_>>(), ["b", "in/side/a"]);
    assert!(history.findings().is_empty());
    // The last list of the nested history, and its chain with it.
    let (list, chain) = (&made.written[0], directory.join("in").join(FOLDER).join(CHAIN));
    let before = fs::read(list).unwrap();
    fs::write(list, [&before[..], b"\n"].concat()).unwrap();
    let digest = |bytes: &[u8]| Algorithm::C4.digest(bytes).to_string();
    let text =
        fs::read_to_string(&chain).unwrap().replace(&digest(&before), &digest(&fs::read(list).unwrap()));
    fs::write(&chain, text).unwrap();
    let findings = History::open(&directory).unwrap().findings();
    assert_eq!(findings.iter().map(|finding| &finding.wrong).collect::<Vec<_>>(), [&Wrong::Changed]);
}

#[test]
fn a_list_that_the_chain_does_not_vouch_for_says_nothing() {
    let (_temporary, directory) = directory();
    write(&directory, &[("a", "1")]);
    let made = record(&directory, &making(&["md5"]));
    let list = &made.written[0];
    let whole = fs::read_to_string(list).unwrap();
    let wrong = || {
        let history = History::open(&directory).unwrap();
        assert!(history.listing().files.is_empty());
        history.findings().into_iter().map(|finding| finding.wrong).collect::<Vec<_>>()
    };
    fs::write(list, whole.replace(">a<", ">b<")).unwrap();
    assert_eq!(wrong(), [Wrong::Changed]);
    let other = list.with_file_name("0002_A.mhl");
    fs::rename(list, &other).unwrap();
    assert_eq!(wrong(), [Wrong::Missing, Wrong::Unlisted]);
    fs::remove_file(other).unwrap();
    fs::write(list.with_file_name("._0001.mhl"), "").unwrap();
    assert_eq!(wrong(), [Wrong::Missing]);
    // A list that is vouched for, and none.
    fs::write(list, "<hashlist version=\"2.0\"><hashes>").unwrap();
    let chain = list.with_file_name(CHAIN);
    let c4 = Algorithm::C4;
    let text = fs::read_to_string(&chain).unwrap();
    let text = text
        .replace(&c4.digest(whole.as_bytes()).to_string(), &c4.digest(&fs::read(list).unwrap()).to_string());
    fs::write(&chain, &text).unwrap();
    assert!(matches!(wrong()[..], [Wrong::Malformed(_)]));
    for bad in [
        "",
        "<a/>",
        &text[..text.len() - 5],
        &text.replace("0001_", "../0001_"),
        &text.replace("sequencenr", "x"),
    ] {
        fs::write(&chain, bad).unwrap();
        assert!(matches!(History::open(&directory), Err(Error::Malformed { .. })), "{bad}");
    }
    fs::remove_file(chain).unwrap();
    assert!(matches!(History::open(&directory), Err(Error::NoChain { .. })));
}

#[test]
fn what_asc_mhl_cannot_store_is_refused() {
    let (_temporary, directory) = directory();
    let refused =
        making(&["sha256"]).needed(&History::open_or_begin(&directory).unwrap()).unwrap_err().to_string();
    assert_eq!(refused, "ASC MHL supports md5, sha1, xxh64, xxh3, xxh128 and c4, not sha256");
    write(&directory, &[("a\u{1}", ""), ("x.tmp", "")]);
    let look = |patterns: &[&str]| {
        let patterns: Vec<_> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        FoundNames::look(&directory, &Patterns::new(&patterns)?).map(|tree| tree.files)
    };
    assert!(matches!(look(&[]), Err(Error::Name { .. })));
    assert!(look(&["a*", "*.tmp"]).unwrap().is_empty());
    assert!(matches!(look(&["[z-a]"]), Err(Error::Pattern { .. })));
}
