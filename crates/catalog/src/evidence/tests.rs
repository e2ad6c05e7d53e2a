//! Reports of a small collection, as they are recorded.

use hashlane_digest::Algorithm;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::catalog::Catalog;
use crate::collections::{Collection, Terms};
use crate::findings::Seen;
use crate::items::{Content, State};
use crate::keeping::Decision;
use crate::maintenance::Thoroughness;
use crate::runs::{Ending, Request, Stint};
use crate::spans::ReadingKind;
use crate::verdict::Verdict;

const NOW: i64 = 1_700_000_000;
const DAY: i64 = 86_400;

fn digest(text: &str) -> Digest {
    Algorithm::named("sha256").expect("registered").digest(text.as_bytes())
}

fn content(text: &str) -> Content {
    Content { size: Some(text.len() as u64), digests: vec![digest(text)], ..Content::default() }
}

fn stint(catalog: &mut Catalog, collection: &Collection, what: &str) -> Stint {
    let request = Request { what: what.into(), actor: "keeper".into(), reason: String::new() };
    catalog.begin_stint(collection.id, &request, NOW, i64::MAX).expect("begun")
}

/// A collection `c` of the files `0`, `1`, … whose contents are their names, and their items.
fn made(files: u64) -> (TempDir, Catalog, Collection, Vec<ItemId>) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut catalog = Catalog::open_or_make(&directory.path().join("catalog")).expect("made");
    let mut terms = Terms::new("c", "/srv");
    terms.period_s = Some(DAY);
    catalog.add_collection(&terms, NOW).expect("a new name");
    let collection = catalog.collection("c").expect("it was added");
    let first = stint(&mut catalog, &collection, "all");
    let mut batch = catalog.batch(collection.id, first).expect("a batch");
    let root = batch.directory(b"").expect("the root");
    let mut items = Vec::new();
    for name in (0..files).map(|file| file.to_string()) {
        let item = batch.add(root, name.as_bytes(), &content(&name), State::Present).expect("added");
        batch.read_good(item, item, ReadingKind::Device).expect("recorded");
        items.push(item);
    }
    batch.commit().expect("written");
    catalog.end_stint(first, Some(Ending::of("complete")), NOW).expect("ended");
    (directory, catalog, collection, items)
}

/// Hears everything, and tells nothing.
#[derive(Default)]
struct Heard(Vec<(Vec<u8>, bool)>);

impl super::Heard for Heard {
    fn unknown(&mut self, _: &[u8]) {}

    fn words(&mut self, algorithm: &str) -> String {
        format!("S3 computed another {algorithm}")
    }

    fn contradicted(&mut self, contradiction: Contradiction<'_>) -> Result<()> {
        self.0.push((contradiction.path.to_vec(), contradiction.is_new));
        Ok(())
    }
}

/// Imports rows: names, and the contents that they speak of.
fn import(
    catalog: &mut Catalog,
    collection: &Collection,
    rows: &[(&str, &str)],
) -> (ImportedEvidence, Vec<(Vec<u8>, bool)>) {
    let mut import = EvidenceImport::new(&std::env::temp_dir()).expect("a temporary file");
    for (name, content) in rows {
        let claim = Claim { digests: vec![digest(content)], ..Claim::default() };
        import.add(name.as_bytes(), None, &claim).expect("taken");
    }
    let source = ReportSource {
        files: vec!["report.csv".into()],
        provider: "S3".into(),
        kind: EvidenceKind::Computed,
        made_s: None,
    };
    let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: NOW + DAY };
    let mut heard = Heard::default();
    let imported =
        import.import(catalog, collection, &source, &decision, false, &mut heard).expect("imported");
    (imported, heard.0)
}

fn counts(imported: ImportedEvidence) -> EvidenceCounts {
    match imported {
        ImportedEvidence::New(counts) => counts,
        other => panic!("{other:?}"),
    }
}

/// How many files the last report agrees with and differs from, as they are now.
fn now(catalog: &Catalog, collection: &Collection) -> (u64, u64) {
    let evidence = catalog.last_evidence(collection.id).expect("readable");
    (evidence[0].agrees, evidence[0].differs)
}

fn standing(catalog: &Catalog, collection: &Collection, item: ItemId) -> Option<Verdict> {
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
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), [""; 0]);
    // A later report that differs as well says nothing new.
    let (_, heard) = import(&mut catalog, &collection, &[("2", "y")]);
    assert_eq!(heard, [(b"2".to_vec(), false)]);
}

#[test]
fn a_file_that_has_another_version_or_is_retired_counts_no_more() {
    let (_directory, mut catalog, collection, items) = made(4);
    import(&mut catalog, &collection, &[("0", "0"), ("1", "1"), ("2", "x"), ("3", "3")]);
    assert_eq!(now(&catalog, &collection), (3, 1));
    let audit = stint(&mut catalog, &collection, "due");
    let mut batch = catalog.batch(collection.id, audit).expect("a batch");
    // The same again is no other version.
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
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), [""; 0]);
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
fn rows_about_one_name_are_versions_of_it() {
    for (rows, expected) in [
        (&[("0", "0"), ("0", "old")][..], Compared::Agrees),
        (&[("0", "old"), ("0", "0"), ("0", "older")], Compared::Agrees),
        (&[("0", "old"), ("0", "older")], Compared::Several),
        (&[("0", "old"), ("0", "older"), ("0", "oldest")], Compared::Several),
        (&[("0", "old"), ("0", "old")], Compared::Differs),
    ] {
        let (_directory, mut catalog, collection, _) = made(2);
        let all = [rows, &[("1", "1"), ("else", "1")]].concat();
        let counts = counts(import(&mut catalog, &collection, &all).0);
        let other = if expected == Compared::Agrees { 2 } else { 1 };
        assert_eq!((counts.of(expected), counts.unknown, counts.unnamed), (other, 1, 0), "{rows:?}");
    }
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
            prop_assert_eq!(agrees, contents.contains(&&name[..]));
            let stands = standing(&catalog, &collection, item.id) == Some(Verdict::Contradicted);
            let one = contents.windows(2).all(|pair| pair[0] == pair[1]);
            prop_assert_eq!(stands, !contents.is_empty() && !agrees && one);
        }
        // In any order it is the same report.
        rows.reverse();
        let (again, _) = import(&mut catalog, &collection, &rows);
        prop_assert_eq!(again, ImportedEvidence::Known(NOW + DAY));
    }
}
