//! Findings, events and what lies in a directory, page by page.

use hashlane_catalog::{Collection, ItemId, Seen, State, Verdict, Wanted, Which, Writer};

use crate::support::{Made, NOW, begun, content, made};

/// A collection with these files, each with what stands against it.
fn filled(catalog: &mut Writer, files: &[(&str, Option<Verdict>)]) -> Collection {
    let (collection, stint) = begun(catalog, "photos");
    let mut batch = catalog.batch(collection.id, stint).expect("begun");
    for (number, (path, verdict)) in files.iter().enumerate() {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let directory = batch.directory(directory.as_bytes()).expect("added");
        let content = content(number as u64 + 1);
        let item = batch.add(directory, name.as_bytes(), &content, State::Present).expect("added");
        if let Some(verdict) = verdict {
            let seen = Seen { content, ..Seen::default() };
            batch.put_finding(item, *verdict, &seen, NOW).expect("recorded");
        }
    }
    batch.commit().expect("committed");
    collection
}

#[test]
fn a_directory_has_its_children_once_each_whatever_their_names_begin_with() {
    let Made { mut catalog, directory: _directory } = made();
    let corrupt = Some(Verdict::Corrupt);
    let files = [
        ("top", None),
        ("a/1", None),
        ("a/b/2", corrupt),
        ("a-b/3", None),
        ("a-b/c/d/4", Some(Verdict::Missing)),
        ("a0/5", None),
        // Nothing lies in it but a directory.
        ("deep/er/6", corrupt),
        ("deep/er/7", None),
    ];
    let collection = filled(&mut catalog, &files);
    let children = |path: &str| -> Vec<_> {
        let children = catalog.child_directories(collection.id, path.as_bytes()).expect("readable");
        let told = |child: &hashlane_catalog::ChildDirectory| {
            let name = String::from_utf8(child.name.clone()).expect("text");
            (name, child.files_at_most, child.findings)
        };
        children.iter().map(told).collect()
    };
    let of = |all: &[(&str, u64, u64)]| -> Vec<_> {
        all.iter().map(|(name, files, findings)| ((*name).to_owned(), *files, *findings)).collect()
    };
    assert_eq!(children(""), of(&[("a", 2, 1), ("a-b", 2, 1), ("a0", 1, 0), ("deep", 2, 1)]));
    assert_eq!(children("a"), of(&[("b", 1, 1)]));
    assert_eq!(children("a-b"), of(&[("c", 1, 1)]));
    assert_eq!(children("deep"), of(&[("er", 2, 1)]));
    assert_eq!((children("deep/er"), children("nowhere")), (Vec::new(), Vec::new()));
}

#[test]
fn the_files_of_a_directory_come_page_by_page_in_order_with_what_stands_against_them() {
    let Made { mut catalog, directory: _directory } = made();
    let corrupt = Some(Verdict::Corrupt);
    let files = [("d/e", None), ("d/a", corrupt), ("d/c", None), ("d/b", None), ("d/d", None), ("x", None)];
    let collection = filled(&mut catalog, &files);
    let page = |after: Option<&str>, most| -> Vec<_> {
        let after = after.map(str::as_bytes);
        let files = catalog.child_files(&collection, b"d", after, most).expect("readable");
        files
            .into_iter()
            .map(|file| (String::from_utf8(file.item.name).expect("text"), file.stands))
            .collect()
    };
    let of = |names: &[&str]| -> Vec<_> {
        names.iter().map(|name| ((*name).to_owned(), corrupt.filter(|_| *name == "a"))).collect()
    };
    assert_eq!(page(None, 2), of(&["a", "b"]));
    assert_eq!(page(Some("b"), 2), of(&["c", "d"]));
    assert_eq!(page(Some("d"), 2), of(&["e"]));
    assert_eq!((page(Some("e"), 2), page(None, 0)), (Vec::new(), Vec::new()));
    assert!(catalog.child_files(&collection, b"nowhere", None, 9).expect("readable").is_empty());
}

#[test]
fn findings_come_page_by_page_and_each_once() {
    let Made { mut catalog, directory: _directory } = made();
    let verdicts = [Verdict::Missing, Verdict::Corrupt, Verdict::Changed];
    let names: Vec<_> = (0..10).map(|number| format!("d{}/{number}", number % 2)).collect();
    let files: Vec<_> =
        names.iter().enumerate().map(|(at, name)| (&name[..], verdicts.get(at % 4).copied())).collect();
    let collection = filled(&mut catalog, &files);
    let mut all: Vec<(Verdict, ItemId)> = Vec::new();
    catalog
        .findings(&collection, &mut |finding| {
            all.push((finding.verdict, finding.item));
            Ok(())
        })
        .expect("readable");
    assert_eq!(all.len(), 8);
    all.sort_by_key(|(_, item)| *item);
    for most in 1..=9 {
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let page = catalog.reported_after(&collection, Which::Open, after, most, NOW).expect("readable");
            assert!(page.len() <= most);
            paged.extend(page.iter().map(|reported| (reported.finding.verdict, reported.finding.item)));
            match paged.last().filter(|_| page.len() == most) {
                Some((_, last)) => after = Some(*last),
                None => break,
            }
        }
        assert_eq!(paged, all, "{most} at a time");
    }
    // What stands against a file changes between two pages: it is shown, and once.
    let first = catalog.reported_after(&collection, Which::Open, None, 4, NOW).expect("readable");
    let (seen, unseen) = (all[0].1.0, all[7].1.0);
    let turned = "UPDATE finding SET verdict = CASE item WHEN ?1 THEN 14 ELSE 4 END WHERE item IN (?1, ?2)";
    let raw = rusqlite::Connection::open(catalog.path()).expect("opened");
    hashlane_catalog::keep_checksums(&raw).expect("kept");
    raw.execute(turned, [seen, unseen]).expect("changed");
    let last = first.last().map(|reported| reported.finding.item);
    let second = catalog.reported_after(&collection, Which::Open, last, 9, NOW).expect("readable");
    let shown: Vec<_> = first.iter().chain(&second).map(|reported| reported.finding.item).collect();
    assert_eq!(shown, all.iter().map(|(_, item)| *item).collect::<Vec<_>>());
}

#[test]
fn events_go_on_after_a_number_and_each_comes_once() {
    let Made { mut catalog, directory: _directory } = made();
    let corrupt = Some(Verdict::Corrupt);
    let names: Vec<_> = (0..7).map(|number| format!("{number}")).collect();
    let files: Vec<_> = names.iter().map(|name| (&name[..], corrupt)).collect();
    filled(&mut catalog, &files);
    let page = |after: Option<i64>, most: usize| -> Vec<i64> {
        let mut wanted = Wanted::default();
        wanted.after = after;
        let happened = catalog.feed(&wanted).and_then(|mut feed| feed.next(most)).expect("readable");
        happened.iter().map(|happened| happened.number).collect()
    };
    let all = page(None, 1000);
    assert!(all.len() >= 8 && all.is_sorted_by(|one, next| one < next), "{all:?}");
    let mut paged = Vec::new();
    loop {
        let page = page(paged.last().copied(), 3);
        paged.extend(&page);
        if page.len() < 3 {
            break;
        }
    }
    assert_eq!(paged, all);
}
