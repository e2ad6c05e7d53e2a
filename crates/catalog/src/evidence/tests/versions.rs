//! Several rows about one file: which of them decides.

use super::*;
use crate::withheld::Withheld;

#[test]
fn rows_that_name_no_version_are_about_one_content() {
    for (rows, expected) in [
        (&[("0", "0"), ("0", "0")][..], Compared::Agrees),
        (&[("0", "0"), ("0", "x")], Compared::Differs),
        (&[("0", "x"), ("0", "0"), ("0", "y")], Compared::Differs),
        (&[("0", "x"), ("0", "x")], Compared::Differs),
    ] {
        let (_directory, mut catalog, collection, _) = made(2);
        let all = [rows, &[("1", "1"), ("else", "1")]].concat();
        let counts = counts(import(&mut catalog, &collection, &all).0);
        let files = if expected == Compared::Agrees { 2 } else { 1 };
        assert_eq!((counts.of(expected), counts.unknown, counts.unnamed), (files, 1, 0), "{rows:?}");
    }
}

/// Rows about the file `0`: the version that each names, and the content that it has, or why there is none.
pub(super) type Rows<'a> = &'a [(Option<&'a str>, &'a str)];

/// What a row says. `failed`, `parts` and `none` are no contents, `other` is one of another algorithm, and `was x` one of before.
pub(super) fn row(version: Option<&str>, content: &str) -> Claim {
    let whole = Claim { version: version.map(str::to_owned), ..Claim::default() };
    match content {
        "failed" => Claim { about: About::Failure("AccessDenied".into()), ..whole },
        "parts" => Claim { about: About::Parts, other: Some("SHA256".into()), ..whole },
        "none" => whole,
        "other" => {
            let crc32c = Algorithm::CRC32C;
            Claim { digests: vec![crc32c.digest(b"0")], ..whole }
        }
        content => {
            let (about, content) = match content.strip_prefix("was ") {
                Some(content) => (About::Earlier, content),
                None => (About::Whole, content),
            };
            Claim { digests: vec![digest(content)], size: Some(content.len() as u64), about, ..whole }
        }
    }
}

/// What comes of them where the version that was read is known by a name, or is not.
fn of_versions(read: Option<&str>, rows: Rows<'_>) -> Compared {
    let (_directory, mut catalog, collection, items) = made_at("s3://b", 2);
    if let Some(version) = read {
        let audit = stint(&mut catalog, &collection, "due");
        let batch = catalog.batch(collection.id, audit).expect("a batch");
        batch.put_read_version(items[0], Some(version)).expect("recorded");
        batch.commit().expect("written");
    }
    let mut import = taken(&[("1", "1")]);
    for (version, content) in rows {
        import.add(Named::Clear(b"0"), &row(*version, content)).expect("taken");
    }
    import
        .import(&mut catalog, &collection, &source("S3", None), &decision(), false, &mut Heard::default())
        .expect("imported");
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
    let said = catalog.said_of(collection.id, items[0]).expect("readable");
    let differs = said[0].compared == Compared::Differs;
    assert_eq!(stands(&catalog, &collection, items[0]), differs.then_some(Verdict::Contradicted));
    said[0].compared
}

#[test]
fn the_version_that_was_read_decides_and_behind_it_the_current_one() {
    use Compared::{
        Agrees, Composite, Differs, Earlier, Failed, NoChecksum, OtherAlgorithm, OtherSize, OtherVersion,
        Several,
    };
    let [v1, v2, v3, none] = [Some("v1"), Some("v2"), Some("v3"), None];
    let table: [(Option<&str>, Rows<'_>, Compared); 34] = [
        // Which version was read is not known.
        (None, &[(v1, "0"), (v2, "x")], Agrees),
        (None, &[(v1, "x"), (v2, "y")], Several),
        (None, &[(v1, "x"), (v2, "y"), (v3, "z")], Several),
        (None, &[(v1, "x")], Differs),
        (None, &[(v1, "0"), (v1, "x")], Differs),
        // That another version is damaged says nothing of the one that agrees.
        (None, &[(v1, "0"), (v2, "0"), (v2, "x")], Agrees),
        // What names no version is the current one.
        (None, &[(v1, "0"), (none, "x")], Differs),
        (None, &[(v1, "x"), (none, "0")], Agrees),
        // It is known, and an old version that agrees hides nothing.
        (v2, &[(v1, "0"), (v2, "x")], Differs),
        (v2, &[(v1, "x"), (v2, "0")], Agrees),
        (v2, &[(v1, "x"), (v3, "y"), (v2, "0")], Agrees),
        (v2, &[(v1, "x")], OtherVersion),
        (v2, &[(v1, "x"), (v3, "y")], OtherVersion),
        (v2, &[(v1, "0")], OtherVersion),
        // A version never changes, so another size does not excuse it.
        (v2, &[(v2, "longer")], Differs),
        (None, &[(v2, "longer")], OtherSize),
        // One that is written over does change.
        (Some("null"), &[(Some("null"), "longer")], OtherSize),
        (Some("null"), &[(Some("null"), "x"), (v1, "0")], Differs),
        // What says nothing of the content hides nothing, and nothing else vouches for it.
        (v2, &[(v2, "failed"), (none, "x")], Differs),
        (v2, &[(v2, "other"), (none, "x")], Differs),
        (v2, &[(v2, "parts"), (none, "0")], Composite),
        (v2, &[(v2, "none"), (v1, "x")], NoChecksum),
        (v2, &[(v2, "failed"), (none, "0"), (v1, "x")], Failed),
        (None, &[(none, "other"), (v1, "x")], Differs),
        (None, &[(none, "other"), (v1, "0")], OtherAlgorithm),
        // The one that nothing is known of may be the file.
        (None, &[(v1, "x"), (v2, "parts")], Several),
        (None, &[(v1, "x"), (v2, "failed")], Failed),
        (None, &[(v1, "x"), (v2, "failed"), (v3, "0")], Agrees),
        (None, &[(v1, "x"), (v2, "x"), (v3, "x")], Differs),
        (None, &[(v1, "x"), (v2, "x"), (v3, "y")], Several),
        // The version that was read is compared though it is not the current one any more.
        (v1, &[(v1, "was x"), (v2, "y")], Differs),
        (v1, &[(v1, "was 0"), (v2, "y")], Agrees),
        (v2, &[(v1, "was x"), (v2, "0")], Agrees),
        (None, &[(v1, "was x")], Earlier),
    ];
    for (read, rows, expected) in table {
        assert_eq!(of_versions(read, rows), expected, "{read:?} {rows:?}");
        let reversed: Vec<_> = rows.iter().rev().copied().collect();
        assert_eq!(of_versions(read, &reversed), expected, "{read:?} {reversed:?}");
    }
}

#[test]
fn a_version_of_a_copy_stays_contradicted_while_reports_repeat_it() {
    let (_directory, mut catalog, collection, items) = made(2);
    let mut day = 0;
    let mut say = |catalog: &mut Writer, rows: Rows<'_>| {
        day += 1;
        let mut import = taken(&[("1", "1")]);
        for (version, content) in rows {
            import.add(Named::Clear(b"0"), &row(*version, content)).expect("taken");
        }
        let source = source("S3", Some(NOW + day * DAY));
        import
            .import(catalog, &collection, &source, &decision(), false, &mut Heard::default())
            .expect("imported");
        stands(catalog, &collection, items[0])
    };
    let [v1, v2, v3] = [Some("v1"), Some("v2"), Some("v3")];
    let contradicted = Some(Verdict::Contradicted);
    assert_eq!(say(&mut catalog, &[(v2, "x")]), contradicted);
    // An older version that agrees says nothing of this one.
    assert_eq!(say(&mut catalog, &[(v1, "0"), (v2, "x")]), contradicted);
    assert_eq!(say(&mut catalog, &[(v1, "0"), (v2, "0")]), None);
    assert_eq!(say(&mut catalog, &[(v2, "x")]), contradicted);
    // It was uploaded anew.
    assert_eq!(say(&mut catalog, &[(v3, "0")]), None);
}

#[test]
fn two_contents_that_are_said_of_one_version_are_told_in_one_way_whatever_comes_first() {
    let mut rows = [("v1", "x"), ("v1", "y"), ("v2", "x")].map(|(version, content)| (Some(version), content));
    let said = of_versions(None, &rows);
    rows.swap(0, 1);
    assert_eq!(of_versions(None, &rows), said);
}

#[test]
fn which_version_was_read_goes_with_a_content_into_a_finding_and_out_of_it() {
    let (_directory, mut catalog, collection, items) = made_at("s3://b", 2);
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    for item in &items {
        batch.put_read_version(*item, Some("v1")).expect("recorded");
    }
    let seen = Seen { content: content("new"), version: Some("v2".into()), ..Seen::default() };
    batch.put_finding(items[0], Verdict::Changed, &seen, NOW).expect("noted");
    batch.withhold(items[1], Verdict::Changed, &seen, audit.id).expect("noted");
    let [Withheld { item, seen: withheld, .. }] = &batch.take_withheld(&collection, 2).expect("taken")[..]
    else {
        panic!("one was withheld")
    };
    assert_eq!((item, withheld), (&items[1], &seen));
    batch.commit().expect("written");
    assert_eq!(catalog.read_version(items[0]).expect("readable").as_deref(), Some("v1"));
    let finding = catalog.finding(&collection, items[0]).expect("readable").expect("it stands");
    assert_eq!(finding.seen, seen);
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    batch.accept(&finding, &decision()).expect("accepted");
    batch.commit().expect("written");
    assert_eq!(catalog.read_version(items[0]).expect("readable").as_deref(), Some("v2"));
    // Somewhere else, versions have other names.
    let terms = Terms { root: "s3://c".into(), ..collection.terms.clone() };
    catalog.set_collection(collection.id, &terms).expect("relocated");
    assert!(items.iter().all(|item| catalog.read_version(*item).expect("readable").is_none()));
}

#[test]
fn which_version_was_read_is_forgotten_with_the_content() {
    let (_directory, mut catalog, collection, items) = made_at("s3://b", 3);
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    for item in &items {
        batch.put_read_version(*item, Some("v1")).expect("recorded");
    }
    batch.put_read_version(items[0], Some("v2")).expect("recorded");
    batch.replace(items[1], &content("new"), State::Present).expect("replaced");
    batch.set_state(items[2], State::Retired).expect("set");
    batch.commit().expect("written");
    let version = |item| catalog.read_version(item).expect("readable");
    assert_eq!([items[0], items[1], items[2]].map(version), [Some("v2".to_owned()), None, None]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_comes_of_rows_with_versions_does_not_depend_on_their_order(
        read in prop::option::of(0..3_usize),
        rows in prop::collection::vec((prop::option::of(0..3_usize), 0..7_usize), 1..7),
        seed: u64,
    ) {
        let version = |number: Option<usize>| number.map(|number| ["v1", "v2", "v3"][number]);
        let of = |&(number, content): &(Option<usize>, usize)| {
            (version(number), ["0", "x", "y", "failed", "parts", "other", "was x"][content])
        };
        let rows: Vec<_> = rows.iter().map(of).collect();
        let mut shuffled = rows.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        prop_assert_eq!(of_versions(version(read), &rows), of_versions(version(read), &shuffled));
    }
}
