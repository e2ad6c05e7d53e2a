//! Reports of a small collection, as they are recorded.

mod names;
mod versions;

use hashlane_digest::Algorithm;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::collections::{Collection, Terms};
use crate::findings::Seen;
use crate::items::{Content, State};
use crate::keeping::Decision;
use crate::maintenance::Thoroughness;
use crate::reader::Reader;
use crate::runs::{Ending, Request, Stint};
use crate::spans::ReadingKind;
use crate::verdict::Verdict;
use crate::writer::Writer;

const NOW: i64 = 1_700_000_000;
const DAY: i64 = 86_400;

fn digest(text: &str) -> Digest {
    Algorithm::SHA256.digest(text.as_bytes())
}

fn content(text: &str) -> Content {
    Content { size: Some(text.len() as u64), digests: vec![digest(text)], ..Content::default() }
}

fn stint(catalog: &mut Writer, collection: &Collection, what: &str) -> Stint {
    let request = Request { what: what.into(), actor: "keeper".into(), reason: String::new() };
    catalog.begin_stint(collection.id, &request, NOW, i64::MAX).expect("begun")
}

/// A collection `c` of the files `0`, `1`, … whose contents are their names, and their items.
fn made(files: u64) -> (TempDir, Writer, Collection, Vec<ItemId>) {
    made_at("/srv", files)
}

fn made_at(root: &str, files: u64) -> (TempDir, Writer, Collection, Vec<ItemId>) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
    let mut terms = Terms::new("c", root);
    terms.period_s = Some(DAY);
    catalog.add_collection(&terms, NOW).expect("a new name");
    let collection = catalog.collection("c").expect("it was added");
    let first = stint(&mut catalog, &collection, "all");
    let mut batch = catalog.batch(collection.id, first).expect("a batch");
    let top = batch.directory(b"").expect("the root");
    let mut items = Vec::new();
    for name in (0..files).map(|file| file.to_string()) {
        let item = batch.add(top, name.as_bytes(), &content(&name), State::Present).expect("added");
        batch.read_good(item, item, ReadingKind::Device).expect("recorded");
        items.push(item);
    }
    batch.commit().expect("written");
    catalog.end_stint(first, Some(Ending::of("complete")), NOW).expect("ended");
    (directory, catalog, collection, items)
}

/// Hears everything, and reports nothing.
#[derive(Default)]
struct Heard(Vec<(Vec<u8>, bool)>, Vec<(Vec<u8>, String)>);

impl super::Heard for Heard {
    fn unknown(&mut self, _: &[u8]) {}

    fn words(&mut self, algorithm: &str) -> String {
        format!("S3 computed another {algorithm}")
    }

    fn contradicted(&mut self, contradiction: Contradiction<'_>) -> Result<()> {
        self.0.push((contradiction.path.to_vec(), contradiction.is_new));
        Ok(())
    }

    fn failed(&mut self, path: &[u8], why: &str) -> Result<bool> {
        self.1.push((path.to_vec(), why.to_owned()));
        Ok(self.1.len() < 2)
    }
}

/// Imports rows: names, and the contents that they speak of.
fn import(
    catalog: &mut Writer,
    collection: &Collection,
    rows: &[(&str, &str)],
) -> (ImportedEvidence, Vec<(Vec<u8>, bool)>) {
    import_of(catalog, collection, rows, "S3", None)
}

fn taken(rows: &[(&str, &str)]) -> EvidenceImport {
    let mut import = EvidenceImport::new(&std::env::temp_dir()).expect("a temporary file");
    for (name, content) in rows {
        let claim = Claim { digests: vec![digest(content)], ..Claim::default() };
        import.add(Named::Clear(name.as_bytes()), &claim).expect("taken");
    }
    import
}

fn source(provider: &str, made_s: Option<i64>) -> ReportSource {
    let kind = EvidenceKind::Computed;
    ReportSource { files: vec!["report.csv".into()], provider: provider.into(), kind, made_s }
}

fn decision() -> Decision {
    Decision { actor: "keeper".into(), reason: String::new(), at_s: NOW + DAY }
}

/// The same of a report by a provider, made at a time.
fn import_of(
    catalog: &mut Writer,
    collection: &Collection,
    rows: &[(&str, &str)],
    provider: &str,
    made_s: Option<i64>,
) -> (ImportedEvidence, Vec<(Vec<u8>, bool)>) {
    let mut heard = Heard::default();
    let imported = taken(rows)
        .import(catalog, collection, &source(provider, made_s), &decision(), false, &mut heard)
        .expect("imported");
    (imported, heard.0)
}

fn known(differs: u64) -> ImportedEvidence {
    ImportedEvidence::Known { imported_s: NOW + DAY, differs, failed: 0 }
}

/// A reading that finds a file as it is known.
fn read_good(catalog: &mut Writer, collection: &Collection, item: ItemId, at_s: i64) -> bool {
    let audit = stint(catalog, collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    let is_cleared = batch.clear_by(item, Some(ReadingKind::Network), at_s).expect("cleared");
    batch.commit().expect("written");
    is_cleared
}

/// What stands against a file now.
fn stands(catalog: &Reader, collection: &Collection, item: ItemId) -> Option<Verdict> {
    let finding = catalog.finding(collection, item).expect("readable");
    finding.filter(|finding| finding.cleared_s.is_none()).map(|finding| finding.verdict)
}

fn counts(imported: ImportedEvidence) -> EvidenceCounts {
    match imported {
        ImportedEvidence::New(counts) => counts,
        other => panic!("{other:?}"),
    }
}

/// How many files the last report agrees with and differs from, as they are now.
fn now(catalog: &Reader, collection: &Collection) -> (u64, u64) {
    let evidence = catalog.last_evidence(collection.id).expect("readable");
    (evidence[0].agrees, evidence[0].differs)
}

fn standing(catalog: &Reader, collection: &Collection, item: ItemId) -> Option<Verdict> {
    catalog.finding(collection, item).expect("readable").map(|finding| finding.verdict)
}

#[test]
fn evidence_opens_and_closes_no_finding_of_an_audit_and_keeps_no_promise() {
    let (_directory, mut catalog, collection, items) = made(4);
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    for item in &items[..2] {
        batch.put_finding(*item, Verdict::Corrupt, &Seen::default(), NOW).expect("noted");
    }
    batch.commit().expect("written");
    let late = catalog.late(&collection, NOW + 2 * DAY).expect("readable");
    // Of the two corrupt files it says one thing and the other.
    let rows = [("0", "0"), ("1", "x"), ("2", "x"), ("3", "3")];
    let (imported, heard) = import(&mut catalog, &collection, &rows);
    assert_eq!(counts(imported).compared, [("agrees".to_owned(), 2), ("differs".to_owned(), 2)].into());
    assert_eq!(heard, [(b"1".to_vec(), false), (b"2".to_vec(), true)]);
    let verdicts: Vec<_> = items.iter().map(|item| standing(&catalog, &collection, *item)).collect();
    assert_eq!(verdicts, [Some(Verdict::Corrupt), Some(Verdict::Corrupt), Some(Verdict::Contradicted), None]);
    assert_eq!(catalog.late(&collection, NOW + 2 * DAY).expect("readable"), late);
    assert_eq!(
        catalog.last_judging(collection.id).expect("readable").map(|run| run.request),
        Some("due".into())
    );
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
    // A later report that says the same says nothing new.
    let (_, heard) = import(&mut catalog, &collection, &[("2", "x"), ("3", "3")]);
    assert_eq!(heard, [(b"2".to_vec(), false)]);
}

/// Whoever keeps the collection knows of what stands against a file.
fn acknowledge(catalog: &mut Writer, collection: &Collection, item: ItemId) {
    let finding = catalog.finding(collection, item).expect("readable").expect("it stands");
    catalog.acknowledge(collection, &[finding], None, &decision()).expect("acknowledged");
}

fn is_acknowledged(catalog: &Reader, collection: &Collection, item: ItemId) -> bool {
    catalog.finding(collection, item).expect("readable").is_some_and(|finding| finding.known.is_some())
}

#[test]
fn what_was_acknowledged_is_told_again_where_a_report_says_yet_another_digest() {
    for root in ["/srv", "s3://b"] {
        let (_directory, mut catalog, collection, items) = made_at(root, 2);
        let say = |catalog: &mut Writer, content: &str, provider: &str, day: i64| {
            let made_s = Some(NOW + day * DAY);
            import_of(catalog, &collection, &[("0", content), ("1", "1")], provider, made_s).1
        };
        let [new, old] = [true, false].map(|is_new| vec![(b"0".to_vec(), is_new)]);
        assert_eq!(say(&mut catalog, "x", "S3", 1), new);
        acknowledge(&mut catalog, &collection, items[0]);
        // The same of a later day says nothing new, and another digest does.
        assert_eq!(say(&mut catalog, "x", "S3", 2), old, "{root}");
        assert!(is_acknowledged(&catalog, &collection, items[0]));
        assert_eq!(say(&mut catalog, "y", "S3", 3), new, "{root}");
        assert!(!is_acknowledged(&catalog, &collection, items[0]), "{root}");
        assert_eq!(stands(&catalog, &collection, items[0]), Some(Verdict::Contradicted));
        acknowledge(&mut catalog, &collection, items[0]);
        assert_eq!(say(&mut catalog, "x", "S3", 4), new, "it is back at the first one: {root}");
        acknowledge(&mut catalog, &collection, items[0]);
        // Of a store all speak of the same object, of a tree each of its own copy.
        let by_another = if root == "/srv" { &new } else { &old };
        assert_eq!(say(&mut catalog, "x", "rclone", 5), *by_another, "{root}");
        acknowledge(&mut catalog, &collection, items[0]);
        assert_eq!(say(&mut catalog, "z", "rclone", 6), new, "{root}");
        acknowledge(&mut catalog, &collection, items[0]);
        // Each goes on to say what it has said: nothing of it is new.
        assert_eq!(say(&mut catalog, "x", "S3", 7), old, "{root}");
        assert_eq!(say(&mut catalog, "z", "rclone", 8), old, "{root}");
        assert!(is_acknowledged(&catalog, &collection, items[0]));
        assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
    }
}

#[test]
fn the_last_report_is_the_one_that_was_made_last() {
    let (_directory, mut catalog, collection, _) = made(2);
    let mut day = |rows: &[(&str, &str)], provider: &str, made_s: Option<i64>| {
        import_of(&mut catalog, &collection, rows, provider, made_s);
        let last = catalog.last_evidence(collection.id).expect("readable");
        last.iter().map(|last| (last.provider.clone(), last.made_s)).collect::<Vec<_>>()
    };
    let of = |made_s| ("S3".to_owned(), made_s);
    let rows = [("0", "0"), ("1", "1")];
    assert_eq!(day(&rows, "S3", Some(NOW - DAY)), [of(Some(NOW - DAY))]);
    assert_eq!(day(&rows, "S3", Some(NOW - 3 * DAY)), [of(Some(NOW - DAY))], "an older one, imported later");
    // Without a date, it was made at the latest when it was imported.
    assert_eq!(day(&rows, "S3", None), [of(None)]);
    assert_eq!(day(&rows, "S3", Some(NOW + DAY / 2)), [of(None)]);
    assert_eq!(day(&rows, "S3", Some(NOW + 2 * DAY)), [of(Some(NOW + 2 * DAY))]);
    let google = ("Google".to_owned(), Some(NOW));
    assert_eq!(day(&rows, "Google", Some(NOW)), [of(Some(NOW + 2 * DAY)), google]);
}

#[test]
fn a_reading_that_finds_the_same_content_keeps_what_was_said_of_it() {
    let (_directory, mut catalog, collection, items) = made(3);
    import(&mut catalog, &collection, &[("0", "0"), ("1", "x"), ("2", "2")]);
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    // Size and time become known, or the time another one.
    let later = hashlane_record::Timestamp { seconds: NOW, nanos: 0 };
    for (item, name) in items.iter().zip(["0", "1", "2"]) {
        let touched = Content { modified: Some(later), ..content(name) };
        batch.replace(*item, &touched, State::Present).expect("replaced");
    }
    batch.replace(items[2], &content("new"), State::Present).expect("replaced");
    batch.commit().expect("written");
    assert_eq!(now(&catalog, &collection), (1, 1));
    let is_current = |item| catalog.said_of(collection.id, item).expect("readable")[0].is_current;
    assert_eq!([items[0], items[1], items[2]].map(is_current), [true, true, false]);
}

#[test]
fn a_file_that_has_another_version_or_is_retired_counts_no_more() {
    let (_directory, mut catalog, collection, items) = made(4);
    import(&mut catalog, &collection, &[("0", "0"), ("1", "1"), ("2", "x"), ("3", "3")]);
    assert_eq!(now(&catalog, &collection), (3, 1));
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    // The same again is not another version.
    batch.replace(items[3], &content("3"), State::Present).expect("replaced");
    batch.replace(items[0], &content("new"), State::Present).expect("replaced");
    batch.replace(items[0], &content("newer"), State::Present).expect("replaced");
    batch.set_state(items[1], State::Retired).expect("set");
    batch.replace(items[2], &content("x"), State::Present).expect("replaced");
    batch.commit().expect("written");
    assert_eq!(now(&catalog, &collection), (1, 0));
    let said = catalog.said_of(collection.id, items[0]).expect("readable");
    assert_eq!((said.len(), said[0].is_current, said[0].compared), (1, false, Compared::Agrees));
    let evidence = &catalog.evidence(collection.id, 10).expect("readable")[0];
    assert_eq!((evidence.counts.of(Compared::Agrees), evidence.counts.files), (3, 4), "as it was then");
}

#[test]
fn what_a_killed_import_has_left_counts_for_nothing_and_is_removed() {
    let (_directory, mut catalog, collection, items) = made(3);
    let killed = stint(&mut catalog, &collection, "evidence");
    catalog
        .connection
        .execute(
            "INSERT INTO evidence (collection, run, files, provider, kind, imported_s, fingerprint, is_whole)
             VALUES (?1, ?2, '[]', 'S3', 1, 1, x'', 0)",
            params![collection.id.0, killed.run.0],
        )
        .expect("left");
    for item in &items {
        let left =
            "INSERT INTO statement (evidence, item, outcome) VALUES ((SELECT max(id) FROM evidence), ?1, 1)";
        catalog.connection.execute(left, [item.0]).expect("left");
    }
    assert!(catalog.evidence(collection.id, 10).expect("readable").is_empty());
    assert!(catalog.said_of(collection.id, items[0]).expect("readable").is_empty());
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
    import(&mut catalog, &collection, &[("0", "0")]);
    let left: (i64, i64) = catalog
        .connection
        .query_row("SELECT (SELECT count(*) FROM evidence), (SELECT count(*) FROM statement)", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("readable");
    assert_eq!(left, (1, 1));
}

#[test]
fn where_nothing_can_be_compared_nothing_is_recorded() {
    let (_directory, mut catalog, collection, _) = made(1);
    let (imported, _) = import(&mut catalog, &collection, &[("else", "x")]);
    assert!(matches!(imported, ImportedEvidence::Incomparable(_)), "{imported:?}");
    assert!(catalog.evidence(collection.id, 10).expect("readable").is_empty());
    let runs = catalog.runs(collection.id).expect("readable");
    assert_eq!(runs.len(), 1, "the audit alone");
}

/// A report of names at which the provider has failed, and of others.
fn failing(names: &[&str], others: &[(&str, &str)]) -> EvidenceImport {
    let mut import = taken(others);
    for name in names {
        let claim = Claim { about: About::Failure("AccessDenied 403".into()), ..Claim::default() };
        import.add(Named::Clear(name.as_bytes()), &claim).expect("taken");
    }
    import
}

#[test]
fn a_report_of_failures_alone_is_recorded_if_it_names_files_of_the_collection() {
    let (_directory, mut catalog, collection, items) = made(4);
    let say = |catalog: &mut Writer, names: &[&str], others: &[(&str, &str)], is_dry: bool| {
        let (import, mut heard) = (failing(names, others), Heard::default());
        let imported =
            import.import(catalog, &collection, &source("S3", None), &decision(), is_dry, &mut heard);
        (imported.expect("imported"), heard.1)
    };
    let (imported, heard) = say(&mut catalog, &["else"], &[], false);
    assert!(matches!(imported, ImportedEvidence::Incomparable(_)), "{imported:?}");
    assert_eq!(heard, []);
    let names = ["0", "1", "2", "else"];
    // Who hears of two wants to hear of no more.
    let expected = ["0", "1"].map(|name| (name.as_bytes().to_vec(), "AccessDenied 403".to_owned()));
    let (imported, heard) = say(&mut catalog, &names, &[], true);
    assert_eq!((counts(imported).of(Compared::Failed), &heard[..]), (3, &expected[..]));
    assert!(catalog.evidence(collection.id, 10).expect("readable").is_empty());
    let (imported, heard) = say(&mut catalog, &names, &[], false);
    let counted = counts(imported);
    assert_eq!((counted.of(Compared::Failed), counted.unknown, counted.unnamed), (3, 1, 1));
    assert_eq!(heard, expected);
    let said = catalog.said_of(collection.id, items[2]).expect("readable");
    assert_eq!((said[0].compared, &said[0].detail[..]), (Compared::Failed, "AccessDenied 403"));
    assert_eq!(stands(&catalog, &collection, items[2]), None, "nothing is said of its content");
    let (imported, heard) = say(&mut catalog, &names, &[], false);
    let again = ImportedEvidence::Known { imported_s: NOW + DAY, differs: 0, failed: 3 };
    assert_eq!((imported, heard), (again, Vec::new()));
    // Of a report that was made with the wrong algorithm it says nothing that the provider has failed once as well.
    let mut import = failing(&["0"], &[]);
    let md5 = Algorithm::MD5.digest(b"1");
    import.add(Named::Clear(b"1"), &Claim { digests: vec![md5], ..Claim::default() }).expect("taken");
    let imported = import
        .import(&mut catalog, &collection, &source("S3", None), &decision(), false, &mut Heard::default())
        .expect("compared");
    assert!(matches!(imported, ImportedEvidence::Incomparable(_)), "{imported:?}");
}

#[test]
fn a_file_of_a_report_with_another_digest_of_the_same_version_is_of_another_report() {
    let claim = |content: &str, version: Option<&str>| Claim {
        digests: vec![digest(content)],
        version: version.map(str::to_owned),
        ..Claim::default()
    };
    let mut import = EvidenceImport::new(&std::env::temp_dir()).expect("a temporary file");
    import.add(Named::Clear(b"d/a"), &claim("a", None)).expect("taken");
    import.add(Named::Clear(b"d/a"), &claim("b", Some("1"))).expect("taken");
    let clash = |import: &EvidenceImport, path: &str, claim: &Claim| {
        import.contradicting_file(path.as_bytes(), claim).expect("readable")
    };
    assert_eq!(clash(&import, "d/a", &claim("x", None)), None, "in the same file it is another version");
    import.next_file();
    let crc = Algorithm::CRC32C.digest(b"x");
    for (path, claim, expected) in [
        ("d/a", claim("x", None), Some(0)),
        ("d/a", claim("x", Some("1")), Some(0)),
        ("d/a", claim("a", None), None),
        ("d/a", claim("b", Some("1")), None),
        ("d/a", claim("x", Some("2")), None),
        ("d/b", claim("x", None), None),
        // Another algorithm shows nothing, and neither does a failure.
        ("d/a", Claim { digests: vec![crc], ..Claim::default() }, None),
        ("d/a", Claim { about: About::Failure("denied".into()), ..Claim::default() }, None),
    ] {
        assert_eq!(clash(&import, path, &claim), expected, "{path} {claim:?}");
    }
    import.add(Named::Clear(b"d/b"), &claim("b", None)).expect("taken");
    import.next_file();
    assert_eq!(clash(&import, "d/b", &claim("x", None)), Some(1));
}

#[test]
fn the_same_rows_by_another_provider_or_of_another_day_are_another_report() {
    let (_directory, mut catalog, collection, _) = made(2);
    let rows = [("0", "0"), ("1", "x")];
    for (provider, made_s) in
        [("S3", None), ("S3", Some(NOW)), ("S3", Some(NOW + 1)), ("Google", Some(NOW + 1))]
    {
        let (imported, _) = import_of(&mut catalog, &collection, &rows, provider, made_s);
        assert_eq!(counts(imported).of(Compared::Agrees), 1, "{provider} {made_s:?}");
        let (imported, heard) = import_of(&mut catalog, &collection, &rows, provider, made_s);
        assert_eq!((imported, heard), (known(1), Vec::new()), "{provider} {made_s:?}");
    }
    let dates: Vec<_> = catalog.last_evidence(collection.id).expect("readable");
    // The one of S3 without a date was imported a day later than the others were made.
    assert_eq!(dates.iter().map(|last| last.made_s).collect::<Vec<_>>(), [None, Some(NOW + 1)]);
}

#[test]
fn the_same_report_is_compared_again_where_something_else_is_known() {
    let (_directory, mut catalog, collection, items) = made(3);
    let rows = [("0", "0"), ("1", "x"), ("2", "2")];
    import(&mut catalog, &collection, &rows);
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    batch.replace(items[0], &content("y"), State::Present).expect("replaced");
    batch.replace(items[1], &content("x"), State::Present).expect("replaced");
    batch.commit().expect("written");
    let (imported, heard) = import(&mut catalog, &collection, &rows);
    assert_eq!(counts(imported).compared, [("agrees".to_owned(), 2), ("differs".to_owned(), 1)].into());
    assert_eq!(heard, [(b"0".to_vec(), true)]);
    assert_eq!(now(&catalog, &collection), (2, 1));
    assert_eq!(import(&mut catalog, &collection, &rows).0, known(1));
}

#[test]
fn what_a_reading_has_settled_is_not_said_again_by_what_was_made_before() {
    for made_s in [None, Some(NOW)] {
        let (_directory, mut catalog, collection, items) = made_at("s3://b", 2);
        let rows = [("0", "x"), ("1", "1")];
        let say = |catalog: &mut Writer, rows: &[(&str, &str)], made_s| {
            import_of(catalog, &collection, rows, "S3", made_s).0
        };
        say(&mut catalog, &rows, made_s);
        assert!(read_good(&mut catalog, &collection, items[0], NOW + 2 * DAY));
        assert_eq!(say(&mut catalog, &rows, made_s), known(0), "{made_s:?}");
        assert_eq!(stands(&catalog, &collection, items[0]), None);
        // Another report that was made before the reading.
        let counted = counts(say(&mut catalog, &[("0", "y"), ("1", "1")], Some(NOW + DAY)));
        assert_eq!(counted.compared, [("agrees".to_owned(), 1), ("settled".to_owned(), 1)].into());
        assert_eq!(stands(&catalog, &collection, items[0]), None);
        // One that was made after it.
        say(&mut catalog, &rows, Some(NOW + 3 * DAY));
        assert_eq!(stands(&catalog, &collection, items[0]), Some(Verdict::Contradicted));
    }
}

#[test]
fn a_reading_elsewhere_does_not_refute_what_was_said_of_the_former_place() {
    let (_directory, mut catalog, collection, items) = made_at("s3://a", 2);
    let rows = [("0", "x"), ("1", "1")];
    import_of(&mut catalog, &collection, &rows, "S3", Some(NOW));
    let terms = |root: &str| Terms { root: root.into(), ..collection.terms.clone() };
    catalog.set_collection(collection.id, &terms("s3://b")).expect("relocated");
    let there = catalog.collection("c").expect("it is there");
    assert_eq!(stands(&catalog, &there, items[0]), Some(Verdict::Contradicted));
    assert!(read_good(&mut catalog, &there, items[0], NOW + 2 * DAY));
    assert_eq!(stands(&catalog, &there, items[0]), None);
    let events = catalog.events(items[0]).expect("readable");
    let what: Vec<_> = events.iter().map(|event| &event.what[..]).collect();
    assert_eq!(what, ["contradicted", "withdrawn"]);
    // Back again, the same report says the same.
    catalog.set_collection(collection.id, &terms("s3://a")).expect("relocated");
    import_of(&mut catalog, &collection, &rows, "S3", Some(NOW));
    assert_eq!(stands(&catalog, &collection, items[0]), Some(Verdict::Contradicted));
    assert!(read_good(&mut catalog, &collection, items[0], NOW + 3 * DAY));
    assert_eq!(import_of(&mut catalog, &collection, &rows, "S3", Some(NOW)).0, known(0));
}

#[test]
fn a_reading_of_a_tree_settles_nothing_about_the_copy_of_a_provider() {
    let (_directory, mut catalog, collection, items) = made(2);
    let [bad, good] = [[("0", "x"), ("1", "1")], [("0", "0"), ("1", "1")]];
    import_of(&mut catalog, &collection, &bad, "S3", Some(NOW));
    assert!(!read_good(&mut catalog, &collection, items[0], NOW + 2 * DAY));
    // Neither an older report says that the copy is good again, nor somebody else.
    import_of(&mut catalog, &collection, &good, "S3", Some(NOW - DAY));
    import_of(&mut catalog, &collection, &good, "Google", Some(NOW + DAY));
    assert_eq!(stands(&catalog, &collection, items[0]), Some(Verdict::Contradicted));
    import_of(&mut catalog, &collection, &good, "S3", Some(NOW + DAY));
    assert_eq!(stands(&catalog, &collection, items[0]), None);
    let reports = catalog.evidence(collection.id, 10).expect("readable");
    assert_eq!(reports.iter().map(|report| report.differs).collect::<Vec<_>>(), [0; 4]);
    let events = catalog.events(items[0]).expect("readable");
    let what: Vec<_> = events.iter().map(|event| &event.what[..]).collect();
    assert_eq!(what, ["contradicted", "withdrawn"]);
    // The first one says nothing new, and one that was made before the last one neither.
    assert_eq!(import_of(&mut catalog, &collection, &bad, "S3", Some(NOW)).0, known(0));
    import_of(&mut catalog, &collection, &bad, "S3", Some(NOW + DAY / 2));
    assert_eq!(stands(&catalog, &collection, items[0]), None);
}

#[test]
fn a_reading_settles_a_contradiction_behind_whatever_finding_stands() {
    for (root, left, differs) in [("s3://b", None, 0), ("/srv", Some(Verdict::Contradicted), 1)] {
        for verdict in [Verdict::Corrupt, Verdict::Unreadable, Verdict::Suspect] {
            let (_directory, mut catalog, collection, items) = made_at(root, 2);
            import(&mut catalog, &collection, &[("0", "x"), ("1", "1")]);
            let audit = stint(&mut catalog, &collection, "due");
            let mut batch = catalog.batch(collection.id, audit).expect("a batch");
            batch.put_finding(items[0], verdict, &Seen::default(), NOW).expect("noted");
            batch.commit().expect("written");
            assert!(read_good(&mut catalog, &collection, items[0], NOW + 2 * DAY));
            assert_eq!(stands(&catalog, &collection, items[0]), left, "{root} {verdict:?}");
            assert_eq!(now(&catalog, &collection), (1, differs), "{root} {verdict:?}");
        }
    }
}

#[test]
fn who_accepts_a_contradiction_settles_it() {
    let (_directory, mut catalog, collection, items) = made(2);
    let rows = [("0", "x"), ("1", "1")];
    import(&mut catalog, &collection, &rows);
    let audit = stint(&mut catalog, &collection, "accept");
    let finding = catalog.finding(&collection, items[0]).expect("readable").expect("it stands");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    batch.accept(&finding, &decision()).expect("accepted");
    batch.commit().expect("written");
    assert_eq!(now(&catalog, &collection), (1, 0));
    assert_eq!(import(&mut catalog, &collection, &rows).0, known(0));
    assert_eq!(stands(&catalog, &collection, items[0]), None);
}

/// Takes no reports.
struct Deaf;

impl super::Heard for Deaf {
    fn unknown(&mut self, _: &[u8]) {}

    fn words(&mut self, algorithm: &str) -> String {
        algorithm.to_owned()
    }

    fn contradicted(&mut self, _: Contradiction<'_>) -> Result<()> {
        Err(Error::damaged(CataloguePart::Evidence, "the output is full"))
    }

    fn failed(&mut self, _: &[u8], _: &str) -> Result<bool> {
        Err(Error::damaged(CataloguePart::Evidence, "the output is full"))
    }
}

#[test]
fn an_import_that_cannot_be_told_counts_and_has_ended() {
    let (_directory, mut catalog, collection, _) = made(2);
    let rows = [("0", "x"), ("1", "1")];
    let told =
        taken(&rows).import(&mut catalog, &collection, &source("S3", None), &decision(), false, &mut Deaf);
    assert!(told.is_err());
    let without_end = "SELECT count(*) FROM run WHERE outcome IS NULL";
    let open: i64 = catalog.connection.query_row(without_end, [], |row| row.get(0)).expect("readable");
    assert_eq!(open, 0);
    assert_eq!(import(&mut catalog, &collection, &rows).0, known(1));
}

#[test]
fn texts_of_a_provider_are_cut_at_a_letter() {
    let long = "ü".repeat(5_000);
    assert_eq!((short(&long).chars().count(), short("denied")), (1_024, "denied"));
}

#[test]
fn digests_come_back_as_they_were_packed() {
    let all: Vec<Digest> = Algorithm::all().map(|algorithm| algorithm.digest(b"x")).collect();
    assert_eq!(unpacked(&packed(&all)).expect("whole"), all);
    let whole = packed(&all[..1]);
    assert!(unpacked(&whole[..whole.len() - 1]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_rows_and_files_are_counted_once(rows in prop::collection::vec((0_u8..8, 0_u8..8), 1..40)) {
        let (_directory, mut catalog, collection, _) = made(5);
        let rows: Vec<(String, String)> = rows.iter().map(|(name, content)| (name.to_string(), content.to_string())).collect();
        let mut rows: Vec<(&str, &str)> = rows.iter().map(|(name, content)| (&name[..], &content[..])).collect();
        rows.push(("0", "0"));
        let counts = counts(import(&mut catalog, &collection, &rows).0);
        let named: u64 = counts.compared.values().sum();
        prop_assert_eq!(counts.rows, rows.len() as u64);
        prop_assert_eq!(counts.files, named + counts.unnamed);
        let unknown = rows.iter().filter(|(name, _)| name.parse::<u8>().is_ok_and(|name| name >= 5)).count();
        prop_assert_eq!(counts.unknown, unknown as u64);
        for name in 0..5_u8 {
            let name = name.to_string();
            let contents: Vec<_> = rows.iter().filter(|(of, _)| *of == name).map(|(_, content)| *content).collect();
            let item = catalog.item_at(&collection, name.as_bytes()).expect("readable").expect("known");
            let said = catalog.said_of(collection.id, item.id).expect("readable");
            let agrees = said.first().is_some_and(|said| said.compared == Compared::Agrees);
            prop_assert_eq!(agrees, !contents.is_empty() && contents.iter().all(|content| *content == name));
            let stands = standing(&catalog, &collection, item.id) == Some(Verdict::Contradicted);
            prop_assert_eq!(stands, !contents.is_empty() && !agrees);
        }
        // In any order it is the same report.
        rows.reverse();
        let (again, _) = import(&mut catalog, &collection, &rows);
        prop_assert_eq!(again, known(counts.of(Compared::Differs)));
    }
}
