//! Spans against a model that keeps every item by itself.

use std::collections::BTreeMap;

use hashlane_catalog::{ItemId, ReadingKind, State, StintId};
use proptest::prelude::*;

use crate::support::{begun, content, made, request};

const ITEMS: usize = 40;

#[derive(Clone, Debug)]
enum Step {
    Read { first: usize, count: usize, kind: ReadingKind },
    Forget { first: usize, count: usize },
    NewStint,
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![Just(ReadingKind::Device), Just(ReadingKind::Cache)];
    prop_oneof![
        6 => (0..ITEMS, 1..ITEMS, kind).prop_map(|(first, count, kind)| Step::Read { first, count, kind }),
        2 => (0..ITEMS, 1..ITEMS).prop_map(|(first, count)| Step::Forget { first, count }),
        1 => Just(Step::NewStint),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn spans_say_of_every_item_what_was_last_said_of_it(steps in proptest::collection::vec(step(), 1..30)) {
        let mut made = made();
        let catalog = &mut made.catalog;
        let (collection, mut stint) = begun(catalog, "c");
        let mut ids: Vec<ItemId> = Vec::new();
        let mut batch = catalog.batch(collection.id, stint).expect("a batch");
        let directory = batch.directory(b"d").expect("a directory");
        for number in 0..ITEMS as u64 {
            let name = format!("{number:04}");
            ids.push(batch.add(directory, name.as_bytes(), &content(number), State::Present).expect("added"));
        }
        batch.commit().expect("written");
        let mut model: BTreeMap<ItemId, (StintId, ReadingKind)> = BTreeMap::new();
        for step in steps {
            let range = |first: usize, count: usize| first..(first + count).min(ITEMS);
            match step {
                Step::Read { first, count, kind } => {
                    let range = range(first, count);
                    let batch = catalog.batch(collection.id, stint).expect("a batch");
                    batch.read_good(ids[range.start], ids[range.end - 1], kind).expect("recorded");
                    batch.commit().expect("written");
                    model.extend(ids[range].iter().map(|id| (*id, (stint.id, kind))));
                }
                Step::Forget { first, count } => {
                    let range = range(first, count);
                    let batch = catalog.batch(collection.id, stint).expect("a batch");
                    batch.forget_good(ids[range.start], ids[range.end - 1]).expect("recorded");
                    batch.commit().expect("written");
                    model.retain(|id, _| !ids[range.clone()].contains(id));
                }
                Step::NewStint => stint = catalog.begin_stint(collection.id, &request("all"), 1, 0).expect("a stint"),
            }
        }
        for id in &ids {
            let span = catalog.last_good(collection.id, *id).expect("readable");
            prop_assert_eq!(span.map(|span| (span.stint, span.reading)), model.get(id).copied());
        }
        // As few as can be: two that touch differ.
        let mut spans = catalog.good_spans(collection.id).expect("readable");
        prop_assert!(spans.is_sorted_by_key(|span| (span.stint, span.first)));
        spans.sort_by_key(|span| span.first);
        let at = |id: ItemId| ids.iter().position(|other| *other == id).expect("one of them");
        for pair in spans.windows(2) {
            let apart = at(pair[0].last) + 1 < at(pair[1].first);
            let differ = (pair[0].stint, pair[0].reading) != (pair[1].stint, pair[1].reading);
            prop_assert!(pair[0].last < pair[1].first && (apart || differ), "{:?}", pair);
        }
    }
}

#[test]
fn a_whole_reading_is_one_span_and_another_collection_has_its_own() {
    let mut made = made();
    let catalog = &mut made.catalog;
    let mut all = Vec::new();
    for name in ["a", "b"] {
        let (collection, stint) = begun(catalog, name);
        let mut batch = catalog.batch(collection.id, stint).expect("a batch");
        let mut ids = Vec::new();
        for directory in 0..20 {
            let directory = batch.directory(format!("{directory:02}").as_bytes()).expect("a directory");
            for number in 0..5_000 {
                let name = format!("{number:05}");
                ids.push(
                    batch.add(directory, name.as_bytes(), &content(number), State::Present).expect("added"),
                );
            }
        }
        batch.commit().expect("written");
        all.push((collection, stint, ids));
    }
    let read = |catalog: &mut hashlane_catalog::Writer, which: usize| {
        let (collection, stint, _) = &all[which];
        let directories: Vec<_> = (0..20)
            .map(|directory| catalog.directory(collection.id, format!("{directory:02}").as_bytes()))
            .map(|found| found.expect("readable").expect("known"))
            .collect();
        let segments: Vec<_> = directories
            .iter()
            .flat_map(|directory| catalog.segments(*directory).expect("readable"))
            .collect();
        let batch = catalog.batch(collection.id, *stint).expect("a batch");
        for (first, last) in segments.iter().flat_map(|segment| segment.ids()) {
            batch.read_good(first, last, ReadingKind::Cache).expect("recorded");
        }
        batch.commit().expect("written");
    };
    read(catalog, 0);
    assert_eq!(catalog.good_spans(all[0].0.id).expect("readable").len(), 1);
    assert!(catalog.good_spans(all[1].0.id).expect("readable").is_empty());
    for id in &all[0].2 {
        let span = catalog.last_good(all[0].0.id, *id).expect("readable").expect("it was read");
        assert_eq!((span.stint, span.reading), (all[0].1.id, ReadingKind::Cache));
    }
    read(catalog, 1);
    assert_eq!(catalog.good_spans(all[1].0.id).expect("readable").len(), 1);
}
