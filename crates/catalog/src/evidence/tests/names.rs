//! Names with a plus, which may be a space.

use super::versions::{Rows, row};
use super::*;

#[test]
fn a_name_with_a_plus_is_that_of_the_file_that_there_is() {
    /// A name as the report writes it, and the content.
    type Written<'a> = &'a [(&'a str, &'a str)];

    // The files that there are, rows, what is said of each file, and how many rows are about none.
    let table: [(&[&str], Written<'_>, &[&str], u64); 12] = [
        (&["a b"], &[("a+b", "a b")], &["agrees"], 0),
        (&["a+b"], &[("a+b", "a+b")], &["agrees"], 0),
        (&["a+b"], &[("a+b", "x")], &["differs"], 0),
        // Of two files it is the one that it agrees with.
        (&["a b", "a+b"], &[("a+b", "a b")], &["agrees", ""], 0),
        (&["a b", "a+b"], &[("a+b", "a+b")], &["", "agrees"], 0),
        // If it agrees with neither, nobody knows which one is meant.
        (&["a b", "a+b"], &[("a+b", "x")], &["either-name", ""], 0),
        // Who writes another plus in another way means a space.
        (&["a b", "a+b"], &[("a+b", "a+b"), ("a%2Bb", "a+b")], &["differs", "agrees"], 0),
        (&["a+b"], &[("a+b", "old"), ("a%2Bb", "a+b")], &["agrees"], 1),
        (&["a+b"], &[("else%2B", "x"), ("a+b", "a+b")], &[""], 2),
        // And who writes another space in another way means a plus.
        (&["a b", "a+b"], &[("a%20b", "a b"), ("a+b", "a b")], &["agrees", "differs"], 0),
        (&["a b"], &[("a+b", "a b"), ("else%20", "x")], &[""], 2),
        (&["a b", "a+b"], &[("a%20b", "a b"), ("a+b", "a+b"), ("a%2Bb", "a+b")], &["agrees", "agrees"], 0),
    ];
    for (files, rows, expected, unknown) in table {
        let (_directory, mut catalog, collection, _) = made(1);
        let first = stint(&mut catalog, &collection, "all");
        let mut batch = catalog.batch(collection.id, first).expect("a batch");
        let top = batch.directory(b"").expect("the root");
        for name in files {
            batch.add(top, name.as_bytes(), &content(name), State::Present).expect("added");
        }
        batch.commit().expect("written");
        let mut import = taken(&[("0", "0")]);
        for (written, said) in rows {
            let decoded = |text: &str| text.replace("%20", " ").replace("%2B", "+").into_bytes();
            let (spaces, pluses) = (decoded(&written.replace('+', " ")), decoded(written));
            let is_doubtful = written.contains('+');
            import.learn(&spaces, is_doubtful.then_some(&pluses));
            let named = match is_doubtful {
                true => Named::Plus { spaces: Some(&spaces), pluses: Some(&pluses) },
                false => Named::Clear(&spaces),
            };
            let claim = Claim { digests: vec![digest(said)], ..Claim::default() };
            import.add(named, &claim).expect("taken");
        }
        let imported = import
            .import(&mut catalog, &collection, &source("S3", None), &decision(), false, &mut Heard::default())
            .expect("imported");
        let counts = counts(imported);
        let of_these: u64 = counts.compared.values().sum();
        let named = expected.iter().filter(|expected| !expected.is_empty()).count() as u64;
        assert_eq!((of_these, counts.unknown), (named + 1, unknown), "{files:?} {rows:?}");
        for (name, expected) in files.iter().zip(expected) {
            let item = catalog.item_at(&collection, name.as_bytes()).expect("readable").expect("known");
            let said = catalog.said_of(collection.id, item.id).expect("readable");
            let compared = said.first().map_or("", |said| said.compared.name());
            assert_eq!(compared, *expected, "{name}: {files:?} {rows:?}");
        }
    }
}

#[test]
fn rows_of_one_name_with_a_plus_are_about_one_file() {
    let rows: [(Rows<'_>, &str); 5] = [
        // The version decides, whatever is said of it.
        (&[(Some("of a+b"), "x")], "a+b"),
        (&[(Some("of a b"), "x"), (Some("older"), "a+b")], "a b"),
        // Else the content does.
        (&[(Some("older"), "a+b"), (Some("oldest"), "x")], "a+b"),
        (&[(Some("oldest"), "x")], "a b"),
        (&[(None, "failed")], "a b"),
    ];
    for (rows, expected) in rows {
        let (_directory, mut catalog, collection, _) = made_at("s3://b", 1);
        let first = stint(&mut catalog, &collection, "all");
        let mut batch = catalog.batch(collection.id, first).expect("a batch");
        let top = batch.directory(b"").expect("the root");
        let is_known =
            rows.iter().any(|(version, _)| version.is_some_and(|version| version.starts_with("of ")));
        for name in ["a b", "a+b"] {
            let item = batch.add(top, name.as_bytes(), &content(name), State::Present).expect("added");
            let version = is_known.then(|| format!("of {name}"));
            batch.put_read_version(item, version.as_deref()).expect("recorded");
        }
        batch.commit().expect("written");
        let mut import = taken(&[("0", "0")]);
        for (version, content) in rows {
            import.learn(b"a b", Some(b"a+b"));
            let named = Named::Plus { spaces: Some(b"a b"), pluses: Some(b"a+b") };
            import.add(named, &row(*version, content)).expect("taken");
        }
        import
            .import(&mut catalog, &collection, &source("S3", None), &decision(), false, &mut Heard::default())
            .expect("imported");
        for name in ["a b", "a+b"] {
            let item = catalog.item_at(&collection, name.as_bytes()).expect("readable").expect("known");
            let said = catalog.said_of(collection.id, item.id).expect("readable");
            assert_eq!(!said.is_empty(), name == expected, "{name}: {rows:?}");
            let is_doubtful = matches!(rows, [(Some("oldest"), _)]);
            assert!(
                said.iter().all(|said| (said.compared == Compared::EitherName) == is_doubtful),
                "{rows:?}"
            );
        }
    }
}

#[test]
fn a_plus_that_leads_out_of_the_collection_is_counted_as_of_another() {
    // The root is `…/a b` or `…/a+b`: only one reading of a name lies below it.
    let mut import = taken(&[("0", "0")]);
    let claim = Claim { digests: vec![digest("0")], ..Claim::default() };
    import.learn(b"a b/0", Some(b"a+b/0"));
    import.add(Named::Plus { spaces: None, pluses: Some(b"0") }, &claim).expect("taken");
    import.learn(b"a+c", None);
    import.pass();
    let (_directory, mut catalog, collection, _) = made(2);
    let imported = import
        .import(&mut catalog, &collection, &source("S3", None), &decision(), true, &mut Heard::default())
        .expect("compared");
    let counts = counts(imported);
    assert_eq!((counts.rows, counts.unknown, counts.of(Compared::Agrees)), (3, 2, 1));
}
