//! What a report asks: the latest findings, the oldest readings, what is late, and where an intact copy is.

use hashlane_catalog::{
    Asked, Collection, Content, Decision, Ending, ItemId, Late, OldPlace, ReadFrom, Reader, ReadingKind,
    Reported, Seen, State, Stint, Verdict, Which, Writer,
};

use crate::support::{NOW, begun, content, made, request};

const DAY: i64 = 24 * 3600;

/// Adds files that were read good, all of a directory at once.
fn add(
    catalog: &mut Writer,
    (collection, stint): &(Collection, Stint),
    directory: &str,
    contents: &[Content],
) -> Vec<ItemId> {
    let mut batch = catalog.batch(collection.id, *stint).expect("a batch");
    let parent = batch.directory(directory.as_bytes()).expect("a directory");
    let mut items = Vec::new();
    for (number, content) in contents.iter().enumerate() {
        let name = format!("{number:04}");
        items.push(batch.add(parent, name.as_bytes(), content, State::Present).expect("a new file"));
    }
    let (first, last) = (items[0], items[items.len() - 1]);
    batch.read_good(first, last, ReadingKind::Device).expect("it takes it");
    batch.commit().expect("it takes it");
    items
}

fn find(catalog: &mut Writer, (collection, stint): &(Collection, Stint), items: &[(ItemId, Verdict, i64)]) {
    let mut batch = catalog.batch(collection.id, *stint).expect("a batch");
    for (item, verdict, at_s) in items {
        batch.put_finding(*item, *verdict, &Seen::default(), *at_s).expect("it takes it");
    }
    batch.commit().expect("it takes it");
}

fn reported(catalog: &Reader, collection: &Collection, which: Which, most: Option<usize>) -> Vec<Reported> {
    let asked = Asked { which, verdict: None, most, now_s: NOW };
    let mut found = Vec::new();
    let mut show = |reported| {
        found.push(reported);
        Ok(())
    };
    catalog.reported(collection, asked, &mut show).expect("it can be read");
    found
}

#[test]
fn each_finding_is_of_one_kind_and_the_latest_come_first() {
    let mut made = made();
    let begun = begun(&mut made.catalog, "t");
    let contents: Vec<_> = (0..5).map(content).collect();
    let items = add(&mut made.catalog, &begun, "d", &contents);
    let (corrupt, missing) = (Verdict::Corrupt, Verdict::Missing);
    let said = [(items[0], corrupt, NOW - 9), (items[1], missing, NOW - 5), (items[2], corrupt, NOW - 7)];
    find(&mut made.catalog, &begun, &said);
    find(&mut made.catalog, &begun, &[(items[3], corrupt, NOW - 3), (items[4], corrupt, NOW - 4)]);
    let collection = &begun.0;
    let known = made.catalog.finding(collection, items[3]).expect("it can be read").expect("it stands");
    let decision = Decision { actor: "keeper".into(), reason: "known".into(), at_s: NOW - 2 };
    made.catalog.acknowledge(collection, &[known], Some(NOW + 1), &decision).expect("it takes it");
    let mut batch = made.catalog.batch(collection.id, begun.1).expect("a batch");
    assert!(batch.clear_finding(items[4], NOW - 1).expect("it takes it"));
    batch.commit().expect("it takes it");

    let open = |most| reported(&made.catalog, collection, Which::Open, most);
    let paths = |found: &[Reported]| -> Vec<String> {
        found.iter().map(|found| String::from_utf8_lossy(&found.path).into_owned()).collect()
    };
    assert_eq!(paths(&open(Some(9))), ["d/0001", "d/0002", "d/0000"]);
    assert_eq!(paths(&open(Some(2))), ["d/0001", "d/0002"]);
    assert_eq!(paths(&open(None)), ["d/0000", "d/0002", "d/0001"], "by verdict, in order of items");
    assert_eq!(open(Some(1))[0].known, contents[1]);
    assert_eq!(open(Some(1))[0].last_good, Some((NOW, ReadingKind::Device)));
    assert_eq!(paths(&reported(&made.catalog, collection, Which::Acknowledged, None)), ["d/0003"]);
    assert_eq!(paths(&reported(&made.catalog, collection, Which::Recovered, None)), ["d/0004"]);
    let of_run = made.catalog.first_said_by(collection.id, begun.1.run, NOW).expect("it can be read");
    assert_eq!(of_run, [(corrupt, 2), (missing, 1)]);
    // An acknowledgement that is over is none.
    let of_run = made.catalog.first_said_by(collection.id, begun.1.run, NOW + 1).expect("it can be read");
    assert_eq!(of_run, [(corrupt, 3), (missing, 1)]);
}

#[test]
fn the_oldest_readings_are_counted_by_segment_without_what_stands() {
    let mut made = made();
    let (collection, old) = begun(&mut made.catalog, "t");
    let contents: Vec<_> = (0..10).map(content).collect();
    let first = add(&mut made.catalog, &(collection.clone(), old), "a", &contents);
    add(&mut made.catalog, &(collection.clone(), old), "b", &contents);
    made.catalog.end_stint(old, Some(Ending::of("complete")), NOW).expect("it takes it");
    let new = made.catalog.begin_stint(collection.id, &request("due"), NOW + DAY, 0).expect("a stint");
    let begun = (collection.clone(), new);
    add(&mut made.catalog, &begun, "c", &contents);
    // The first file of all is the oldest, and something stands against it.
    let batch = made.catalog.batch(collection.id, new).expect("a batch");
    batch.read_good(first[1], first[9], ReadingKind::Cache).expect("it takes it");
    batch.commit().expect("it takes it");
    find(&mut made.catalog, &begun, &[(first[0], Verdict::Corrupt, NOW + DAY)]);

    let oldest = made.catalog.oldest_readings(collection.id, 8, 3).expect("it can be read");
    let told: Vec<_> =
        oldest.iter().map(|old| (old.read_s, old.reading, old.files_at_most, old.is_cut)).collect();
    let (device, cache) = (ReadingKind::Device, ReadingKind::Cache);
    assert_eq!(
        told,
        [(NOW, device, 10, false), (NOW + DAY, cache, 9, false), (NOW + DAY, device, 10, false)]
    );
    assert_eq!(oldest[0].places, [OldPlace::Directory(b"b".to_vec(), 10)]);
    assert_eq!(made.catalog.oldest_readings(collection.id, 1, 3).expect("it can be read"), oldest[..1]);

    let mut terms = collection.terms.clone();
    terms.period_s = Some(DAY);
    made.catalog.set_collection(collection.id, &terms).expect("it takes it");
    let collection = made.catalog.collection("t").expect("it is there");
    let late = |at_s, most| made.catalog.late_within(&collection, at_s, most).expect("it can be read");
    assert_eq!(late(NOW + DAY, 100), Late::Exactly(0));
    assert_eq!(late(NOW + DAY + 1, 100), Late::Exactly(10), "what has a finding says more than late");
    assert_eq!(late(NOW + DAY + 1, 5), Late::AtMost(11));
}

#[test]
fn an_intact_copy_has_the_same_content_and_nothing_stands_against_it() {
    let mut made = made();
    let begun_in = |catalog: &mut Writer, name: &str| begun(catalog, name);
    let t = begun_in(&mut made.catalog, "t");
    let other = begun_in(&mut made.catalog, "other");
    let contents = [content(1), content(2), content(3), content(4)];
    let items = add(&mut made.catalog, &t, "d", &contents);
    // Below a directory of its own: its path is that of the other one below its root, `/srv`.
    let copies = add(&mut made.catalog, &other, "srv/d", &[content(1), content(9), content(3), content(4)]);
    let said: Vec<_> = items.iter().map(|item| (*item, Verdict::Corrupt, NOW)).collect();
    find(&mut made.catalog, &t, &said);
    find(&mut made.catalog, &other, &[(copies[2], Verdict::Missing, NOW)]);
    let batch = made.catalog.batch(other.0.id, other.1).expect("a batch");
    batch.forget_good(copies[3], copies[3]).expect("it takes it");
    batch.commit().expect("it takes it");

    let among = made.catalog.collections().expect("they can be read");
    let found: Vec<_> = reported(&made.catalog, &t.0, Which::Open, None)
        .iter()
        .map(|reported| made.catalog.intact_copy(&t.0, reported, &among).expect("it can be read"))
        .collect();
    let copy = found[0].as_ref().expect("the first one has a copy");
    assert_eq!((copy.collection.terms.name.as_str(), copy.path.as_slice()), ("other", &b"srv/d/0000"[..]));
    assert_eq!((copy.read_s, copy.reading), (NOW, ReadingKind::Device));
    let why = ["has another content", "is missing", "was never read good"];
    for (found, why) in found[1..].iter().zip(why) {
        assert!(found.is_none(), "a copy that {why}");
    }
}

#[test]
fn the_fastest_run_is_one_of_the_same_kind() {
    let mut made = made();
    let (collection, stint) = begun(&mut made.catalog, "t");
    let run = |catalog: &mut Writer, stint: Stint, outcome, counts: &str| {
        let ending = Ending { outcome, counts, ..Ending::of(outcome) };
        catalog.end_stint(stint, Some(ending), NOW).expect("it takes it");
    };
    let next = |catalog: &mut Writer| {
        catalog.begin_stint(collection.id, &request("due"), NOW + DAY, 0).expect("a stint")
    };
    run(&mut made.catalog, stint, "complete", r#"{"read_bytes":5000,"device_bytes":5000,"reading_ms":1000}"#);
    let mixed = next(&mut made.catalog);
    run(&mut made.catalog, mixed, "budget", r#"{"read_bytes":9000,"device_bytes":4000,"reading_ms":1000}"#);
    let held = next(&mut made.catalog);
    run(&mut made.catalog, held, "held", r#"{"held":"it is empty","a later field":1}"#);
    let runs = made.catalog.last_runs(collection.id, 2).expect("they can be read");
    assert_eq!(
        runs.iter().map(|run| run.outcome.as_deref()).collect::<Vec<_>>(),
        [Some("held"), Some("budget")]
    );
    assert_eq!(runs[0].counted.held.as_deref(), Some("it is empty"));
    assert_eq!(runs[0].counted.read_from(), None);
    assert_eq!(runs[1].counted.read_from(), Some(ReadFrom::Mixed));
    let judging = made.catalog.last_judging(collection.id).expect("it can be read").expect("there is one");
    assert_eq!(judging.run, mixed.run);
    let fastest = |from| made.catalog.fastest(collection.id, from).expect("they can be read");
    assert_eq!(fastest(ReadFrom::Device).and_then(|run| run.counted.bytes_per_second()), Some(5_000.0));
    assert!(fastest(ReadFrom::Cache).is_none());
}
