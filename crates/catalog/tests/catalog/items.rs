//! Items come back as they were recorded, in the order of their names, whatever order they came in.

use std::collections::BTreeMap;

use hashlane_catalog::{Collection, Content, DirectoryId, Ending, Item, Reader, State};
use hashlane_record::Timestamp;
use proptest::prelude::*;

use crate::support::{NOW, begun, content, made, request};

/// All items of a directory.
fn items(catalog: &Reader, collection: &Collection, directory: DirectoryId) -> Vec<Item> {
    let segments = catalog.segments(directory).expect("readable");
    segments.iter().flat_map(|segment| catalog.items(collection, segment).expect("readable")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// In several batches. Each adds some names of a directory, in order or not.
    #[test]
    fn names_of_any_order_are_found_in_order(
        batches in proptest::collection::vec((proptest::collection::btree_set(0_u32..60_000, 1..6_000), any::<bool>()), 1..4),
    ) {
        let mut made = made();
        let catalog = &mut made.catalog;
        let (collection, stint) = begun(catalog, "c");
        let mut known = BTreeMap::new();
        for (numbers, is_in_order) in batches {
            let mut batch = catalog.batch(collection.id, stint).expect("a batch");
            let directory = batch.directory(b"").expect("the root");
            let mut numbers: Vec<_> = numbers.into_iter().filter(|number| !known.contains_key(number)).collect();
            if !is_in_order {
                numbers.sort_by_key(|number| number.wrapping_mul(2_654_435_761));
            }
            for number in numbers {
                let name = format!("{number:08}");
                let id = batch.add(directory, name.as_bytes(), &content(number.into()), State::Present).expect("added");
                prop_assert_eq!(known.insert(number, id), None);
            }
            batch.commit().expect("written");
        }
        let directory = catalog.directory(collection.id, b"").expect("readable").expect("known");
        let found = items(catalog, &collection, directory);
        prop_assert_eq!(found.len(), known.len());
        for (item, (number, id)) in found.iter().zip(&known) {
            let name = format!("{number:08}");
            prop_assert_eq!(&item.name, name.as_bytes());
            prop_assert_eq!((item.id, &item.content), (*id, &content((*number).into())));
        }
    }
}

#[test]
fn a_segment_that_is_full_gets_another_part() {
    const NAMES: u32 = (1 << 16) + 1_000;
    let mut made = made();
    let catalog = &mut made.catalog;
    let (collection, stint) = begun(catalog, "c");
    let mut batch = catalog.batch(collection.id, stint).expect("a batch");
    let directory = batch.directory(b"").expect("the root");
    // Each stands before all that are there.
    for number in (0..NAMES).rev() {
        batch.add(directory, &number.to_be_bytes(), &content(number.into()), State::Present).expect("added");
    }
    batch.commit().expect("written");
    let segments = catalog.segments(directory).expect("readable");
    let [segment] = &segments[..] else { panic!("they are among the names of one segment") };
    assert_eq!((segment.len(), segment.ids().count()), (NAMES as usize, 2));
    let found = items(catalog, &collection, directory);
    assert_eq!(found.len(), NAMES as usize);
    assert!(found.iter().zip(0..).all(|(item, number)| item.name == u32::to_be_bytes(number)));
}

#[test]
fn every_name_and_every_time_comes_back_as_it_was() {
    let mut made = made();
    let catalog = &mut made.catalog;
    let (collection, stint) = begun(catalog, "c");
    let names: [&[u8]; 6] = [b"\x01", b"a\nb", b"caf\xe9", "größe".as_bytes(), b"\xff\xfe", &[b'x'; 255]];
    let times =
        [(0, 0), (-1, 999_999_999), (1_700_000_000, 1), (9_223_372_035, 999_999_999), (-9_000_000_000, 5)];
    let mut batch = catalog.batch(collection.id, stint).expect("a batch");
    let mut contents = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let directory = batch.directory(&[&b"d/"[..], name].concat()).expect("a directory");
        let (seconds, nanos) = times[number % times.len()];
        let time = Some(Timestamp { seconds, nanos });
        let size = Some(u64::MAX >> number);
        let content = Content { size, modified: time, changed: time, ..content(number as u64) };
        batch.add(directory, name, &content, State::Registered).expect("added");
        contents.push(content);
    }
    batch.commit().expect("written");
    for (name, content) in names.iter().zip(contents) {
        let path = [&b"d/"[..], name].concat();
        let directory = catalog.directory(collection.id, &path).expect("readable").expect("known");
        let [item] = &items(catalog, &collection, directory)[..] else { panic!("one file in it") };
        assert_eq!((item.name.as_slice(), &item.content, item.state), (*name, &content, State::Registered));
    }
}

#[test]
fn all_that_a_file_was_before_is_kept_also_within_a_run() {
    let mut made = made();
    let catalog = &mut made.catalog;
    let (collection, stint) = begun(catalog, "c");
    let mut batch = catalog.batch(collection.id, stint).expect("a batch");
    let directory = batch.directory(b"").expect("the root");
    let item = batch.add(directory, b"file", &content(1), State::Present).expect("added");
    batch.commit().expect("written");
    catalog.end_stint(stint, Some(Ending::of("complete")), NOW).expect("ended");
    for version in 2..=3 {
        let stint = catalog.begin_stint(collection.id, &request("all"), NOW, 0).expect("a stint");
        assert!(!stint.goes_on);
        // Twice in one run, as where it changes again before a run of many nights ends.
        for number in [100 + version, version] {
            let mut batch = catalog.batch(collection.id, stint).expect("a batch");
            batch.replace(item, &content(number), State::Present).expect("replaced");
            batch.commit().expect("written");
        }
        catalog.end_stint(stint, Some(Ending::of("complete")), NOW).expect("ended");
    }
    let [known] = &items(catalog, &collection, directory)[..] else { panic!("one file") };
    assert_eq!(known.content, content(3));
    let versions = catalog.versions(&collection, item).expect("readable");
    let sizes = [1, 102, 2, 103];
    assert_eq!(versions.iter().map(|version| version.size).collect::<Vec<_>>(), sizes.map(Some));
    let digests: Vec<_> = versions.iter().map(|version| version.digests.clone()).collect();
    assert_eq!(digests, sizes.map(|size| content(size).digests));
    // The run that recorded a version, and the one that replaced it.
    let runs: Vec<_> = versions.iter().map(|version| version.run == version.until).collect();
    assert_eq!(runs, [false, true, false, true]);
}
