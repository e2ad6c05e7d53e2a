//! Listings against what is known, on real trees.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use hashlane_catalog::{Collection, Comparison, Item, Reader, State, Writer};
use hashlane_engine::{Found, WalkOptions, list};
use proptest::prelude::*;

use crate::support::{begun, content, made};

/// A path below the root, split before its name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Records files, all in one batch, in this order.
fn record(catalog: &mut Writer, paths: &[String]) -> Collection {
    let (collection, stint) = begun(catalog, "c");
    let mut batch = catalog.batch(collection.id, stint).expect("a batch");
    for (number, path) in paths.iter().enumerate() {
        let (directory, name) = split(path);
        let directory = batch.directory(directory.as_bytes()).expect("a directory");
        batch.add(directory, name.as_bytes(), &content(number as u64), State::Present).expect("added");
    }
    batch.commit().expect("written");
    collection
}

/// What a listing showed: files that are known, files that are not, and items that are gone.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    known: BTreeMap<String, u64>,
    new: BTreeSet<String>,
    gone: BTreeMap<String, u64>,
}

fn joined(directory: &[u8], name: &[u8]) -> String {
    let path = if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() };
    String::from_utf8(path).expect("plain names")
}

fn number(item: &Item) -> u64 {
    item.content.size.expect("recorded")
}

/// Walks a tree and compares it. `unsearched` are directories that are taken for such as cannot be listed.
fn compared(catalog: &Reader, collection: &Collection, root: &Path, unsearched: &[&str]) -> Told {
    let mut told = Told::default();
    let mut comparison = Comparison::new(catalog, collection);
    let mut gone = |directory: &[u8], item: Item| {
        assert_eq!(told.gone.insert(joined(directory, &item.name), number(&item)), None);
        Ok(())
    };
    unsearched.iter().for_each(|directory| comparison.unsearched(directory.as_bytes()));
    let root_bytes = root.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    list(&root_bytes.into(), &WalkOptions::default(), &mut |file| {
        let Found::File { directory, name } = file else { panic!("all can be listed") };
        let path = directory.path();
        let below = path.strip_prefix(root_bytes).expect("below the root");
        found.push((below.strip_prefix(b"/").unwrap_or(below).to_vec(), name.to_bytes().to_vec()));
        ControlFlow::Continue(())
    })
    .expect("it can be walked");
    for (directory, name) in found {
        let path = joined(&directory, &name);
        if unsearched.iter().any(|lacking| path.starts_with(&format!("{lacking}/"))) {
            continue;
        }
        match comparison.file(&directory, &name, &mut gone).expect("readable") {
            Some(item) => drop(told.known.insert(path, number(&item))),
            None => drop(told.new.insert(path)),
        }
    }
    comparison.finish(&mut gone).expect("readable");
    told
}

/// Paths of few and awkward names: those of directories sort as if they ended with a slash.
fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![Just("a"), Just("a!"), Just("a.b"), Just("a0"), Just("b"), Just("ü")];
    proptest::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

/// Without those that would be below a file.
fn files(paths: BTreeSet<String>) -> BTreeSet<String> {
    let above =
        |path: &str| path.match_indices('/').map(|(end, _)| path[..end].to_owned()).collect::<Vec<_>>();
    let directories: BTreeSet<String> = paths.iter().flat_map(|path| above(path)).collect();
    paths.into_iter().filter(|path| !directories.contains(path)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_file_is_known_new_or_gone(
        known in proptest::collection::btree_set(path(), 0..40),
        there in proptest::collection::btree_set(path(), 0..40),
        seed in any::<u64>(),
        lacking in prop_oneof![Just(None), Just(Some("a")), Just(Some("a/b"))],
    ) {
        let there = files(there);
        let mut recorded: Vec<_> = files(known).into_iter().collect();
        recorded.sort_by_key(|path| path.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)));
        let mut made = made();
        let collection = record(&mut made.catalog, &recorded);
        let root = tempfile::tempdir().expect("a directory");
        for path in &there {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("one")).expect("made");
            fs::write(path, "").expect("written");
        }
        let told = compared(&made.catalog, &collection, root.path(), lacking.as_slice());
        let is_lacking = |path: &str| lacking.is_some_and(|lacking| path.starts_with(&format!("{lacking}/")));
        let mut expected = Told::default();
        for (number, path) in (0..).zip(&recorded) {
            match there.contains(path) {
                _ if is_lacking(path) => None,
                true => expected.known.insert(path.clone(), number),
                false => expected.gone.insert(path.clone(), number),
            };
        }
        let is_new = |path: &&String| !recorded.contains(path) && !is_lacking(path);
        expected.new = there.iter().filter(is_new).cloned().collect();
        prop_assert_eq!(told, expected);
    }
}

#[test]
fn a_directory_of_many_segments_is_compared_name_by_name() {
    const NAMES: u64 = 20_000;
    let mut made = made();
    let names: Vec<_> = (0..NAMES).map(|number| format!("d/{number:06}")).collect();
    let collection = record(&mut made.catalog, &names);
    let directory = made.catalog.directory(collection.id, b"d").expect("readable").expect("known");
    assert!(made.catalog.segments(directory).expect("readable").len() > 4);
    let mut gone = Vec::new();
    let mut comparison = Comparison::new(&made.catalog, &collection);
    let mut tell = |_: &[u8], item: Item| {
        gone.push(number(&item));
        Ok(())
    };
    // Every third is there, and beside it one that is not known.
    for present in (0..NAMES).step_by(3) {
        let name = format!("{present:06}");
        let item = comparison.file(b"d", name.as_bytes(), &mut tell).expect("readable").expect("known");
        assert_eq!(number(&item), present);
        let new = format!("{present:06}-");
        assert_eq!(comparison.file(b"d", new.as_bytes(), &mut tell).expect("readable"), None);
    }
    comparison.finish(&mut tell).expect("readable");
    assert!(gone.into_iter().eq((0..NAMES).filter(|number| number % 3 != 0)));
}
