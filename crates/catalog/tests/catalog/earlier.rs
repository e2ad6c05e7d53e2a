//! Catalogues of earlier versions: read where they are, brought up to date, and judged.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hashlane_catalog::{
    Asked, Backups, Collection, Error, LATEST, Occasion, Reader, Terms, Thoroughness, Which, Writer,
};
use tempfile::TempDir;

/// The first version whose collections have an identity: what becomes the one of others is drawn by lot.
const FIRST_WITH_IDENTITY: u32 = 2;

/// A catalogue of this version: `tests/fixtures/catalogues/README.md` says how it was made.
fn fixture(version: u32) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/catalogues");
    Path::new(folder).join(format!("version-{version}.sqlite"))
}

/// A copy of it, which is gone with its directory: SQLite makes files beside one that it reads.
pub(crate) fn copied(version: u32) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("catalog.sqlite");
    fs::copy(fixture(version), &path).expect("each version has a fixture");
    (directory, path)
}

/// Which version a file says that it is of: <https://www.sqlite.org/fileformat.html#the_database_header>.
fn version_of(path: &Path) -> u32 {
    let header = fs::read(path).expect("readable");
    u32::from_be_bytes(header[60..64].try_into().expect("four bytes"))
}

/// All that a catalogue says at a time, and what it says of each file whenever it is asked.
pub(crate) fn judged(catalog: &Reader, since_last_s: i64) -> String {
    let collections = catalog.collections().expect("readable");
    let starts = collections.iter().flat_map(|collection| catalog.last_runs(collection.id, 1).expect("runs"));
    let last_s = starts.map(|run| run.started_s).max().expect("something has run");
    let mut said = String::new();
    for collection in collections {
        of_collection(&mut said, catalog, &collection, last_s + since_last_s);
    }
    writeln!(said, "{:?}", catalog.removed_collections().expect("readable").len()).expect("a text");
    said
}

fn of_collection(said: &mut String, catalog: &Reader, collection: &Collection, now_s: i64) {
    let id = collection.id;
    let mut tell = |what: &dyn std::fmt::Debug| writeln!(said, "{what:?}").expect("a text");
    let Collection { terms, created_s, marker, seen_root, offline_s, listed_s, .. } = collection;
    tell(&(terms, created_s, marker, seen_root, offline_s, listed_s));
    tell(&catalog.present(id));
    tell(&catalog.standing(id, now_s));
    tell(&catalog.recovered(id));
    tell(&(catalog.late(collection, now_s), catalog.late_within(collection, now_s, 1000)));
    tell(&(catalog.was_never_read_in_time(collection, now_s), catalog.oldest_reading(id)));
    tell(&catalog.unlisted_directories(id, 100));
    tell(&(catalog.last_outcome(id), catalog.last_judging(id), catalog.last_runs(id, 100)));
    tell(&(catalog.last_evidence(id), catalog.evidence(id, 100)));
    tell(&catalog.oldest_readings(id, 10, 10));
    tell(&catalog.good_spans(id));
    tell(&(catalog.pace(collection, now_s), catalog.given(collection, now_s)));
    tell(&catalog.judging(collection, now_s));
    let mut shown = Vec::new();
    for which in [Which::Open, Which::Acknowledged, Which::Recovered] {
        let asked = Asked { which, verdict: None, most: None, now_s };
        let reported = catalog.reported(collection, asked, &mut |reported| {
            shown.push(format!(
                "{reported:?} {:?}",
                catalog.intact_copy(collection, &reported, std::slice::from_ref(collection))
            ));
            Ok(())
        });
        reported.expect("readable");
    }
    catalog
        .each_item(collection, &mut |directory, item| {
            shown.push(format!("{directory:?} {item:?} {:?}", catalog.versions(collection, item.id)?));
            shown.push(format!("{:?} {:?}", catalog.events(item.id)?, catalog.said_of(id, item.id)?));
            shown.push(format!("{:?}", catalog.finding(collection, item.id)?));
            Ok(())
        })
        .expect("readable");
    shown.iter().for_each(|line| tell(line));
}

/// Within the shortest promise of the story, behind it, behind all of them, and before its end: that clock was wrong.
pub(crate) const CLOCKS: [i64; 4] = [3600, 8 * 24 * 3600, 400 * 24 * 3600, -1000];

#[test]
fn every_version_has_a_fixture_and_there_is_no_other_one() {
    for version in 1..=LATEST {
        assert_eq!(version_of(&fixture(version)), version, "make one with the program of this version");
    }
    assert!(!fixture(LATEST + 1).exists());
}

#[test]
fn a_story_has_what_can_be_lost() {
    for version in 1..=LATEST {
        let (_directory, path) = copied(version);
        let catalog = Reader::open(&path).expect("it can be read");
        let said = judged(&catalog, CLOCKS[0]);
        // As the fields of findings and items say it: many a word is part of another one.
        let mut wanted = vec![
            "verdict: Corrupt,",
            "verdict: Missing,",
            "verdict: Changed,",
            "verdict: New,",
            "verdict: Unreadable,",
            "verdict: Touched,",
            "verdict: Moved,",
            "verdict: Copied,",
            "state: Retired }",
            "state: Unaccepted }",
            "known: Some(Acknowledgement",
            "cleared_s: Some",
            r#"what: \"recovered\""#,
            r#"what: \"accepted\""#,
            "outcome: Some(\"offline\")",
            "outcome: Some(\"held\")",
            "UnlistedDirectory {",
            "policy: Frozen,",
        ];
        if version >= 3 {
            wanted.extend(["\"s3://photos\"", "reading: Network"]);
        }
        if version >= 4 {
            wanted.extend(["verdict: Contradicted,", "Evidence {", "\"rclone\""]);
        }
        if version >= 6 {
            wanted.extend(["verdict: Collision,", "state: Unread }"]);
        }
        if version >= 7 {
            wanted.extend(["policy: Growing,", "policies: [(", "cause: Some(Emptied)"]);
        }
        if version >= 8 {
            wanted.extend(["before: Some(Before { verdict: Corrupt", "state: Ignored }"]);
        }
        for wanted in wanted {
            assert!(said.contains(wanted), "version {version} knows nothing of {wanted}");
        }
    }
}

#[test]
fn an_earlier_version_is_read_where_it_is_and_says_what_it_says_once_it_is_brought_up_to_date() {
    for version in 1..=LATEST {
        let (directory, path) = copied(version);
        let before = fs::read(&path).expect("readable");
        let catalog = Reader::open(&path).expect("it can be read");
        let read = CLOCKS.map(|since_last_s| judged(&catalog, since_last_s));
        assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
        drop(catalog);
        assert_eq!(fs::read(&path).expect("readable"), before, "it is as it was");
        let beside: Vec<_> = fs::read_dir(directory.path()).expect("readable").collect();
        assert_eq!(beside.len(), 1, "{beside:?}");

        let catalog = Writer::open(&path).expect("brought up to date");
        for (before, since_last_s) in read.iter().zip(CLOCKS) {
            assert_eq!(&judged(&catalog, since_last_s), before, "version {version}");
        }
        assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
        let identities = catalog.collections().expect("readable").into_iter();
        assert!(identities.into_iter().all(|collection| collection.identity.len() == 16));
        drop(catalog);
        assert_eq!(version_of(&path), LATEST);
        let copies = Backups::default().copies(&path).expect("listed");
        let occasions: Vec<_> = copies.iter().map(|copy| copy.occasion).collect();
        let expected: Vec<_> =
            (version < LATEST).then_some(Occasion::Migration(version)).into_iter().collect();
        assert_eq!(occasions, expected);
        for copy in copies {
            assert_eq!(version_of(&copy.path), version);
            let copy = Reader::open(&copy.path).expect("it can be read");
            assert_eq!(judged(&copy, CLOCKS[0]), read[0]);
        }
    }
}

#[test]
fn who_reads_goes_on_seeing_what_was_there_while_it_is_brought_up_to_date_and_written_to() {
    for version in 1..LATEST {
        let (_directory, path) = copied(version);
        let reading = Reader::open(&path).expect("it can be read");
        let mut writing = Writer::open(&path).expect("brought up to date");
        let photos = writing.collection("photos").expect("it is there");
        writing.add_collection(&Terms::new("later", "/srv/later"), 0).expect("added");
        writing.set_offline(photos.id, Some(1)).expect("noted");
        let (_other, old) = copied(version);
        let before = judged(&Reader::open(&old).expect("it can be read"), CLOCKS[0]);
        assert_eq!(judged(&reading, CLOCKS[0]), before, "version {version}");
        assert_eq!(reading.verify(Thoroughness::Full).expect("readable"), []);
        // Who opens it now sees what is there now.
        let now = Reader::open(&path).expect("it can be read");
        now.collection("later").expect("it was added");
    }
}

#[test]
fn what_an_earlier_version_does_not_keep_is_empty() {
    for version in 1..=LATEST {
        let (_directory, path) = copied(version);
        let catalog = Reader::open(&path).expect("it can be read");
        let collections = catalog.collections().expect("readable");
        let length = if version < FIRST_WITH_IDENTITY { 0 } else { 16 };
        assert!(collections.iter().all(|collection| collection.identity.len() == length));
        let reports: usize =
            collections.iter().map(|of| catalog.evidence(of.id, 10).expect("readable").len()).sum();
        assert_eq!(reports > 0, version >= 4, "version {version}");
    }
}

#[test]
fn what_is_damaged_stays_of_the_version_that_it_is_of() {
    for version in 1..LATEST {
        let (directory, path) = copied(version);
        let connection = rusqlite::Connection::open(&path).expect("opened");
        connection.execute("UPDATE total SET files = files + 1", []).expect("changed");
        drop(connection);
        let before = fs::read(&path).expect("readable");
        let error = Writer::open(&path).expect_err("it is damaged");
        assert!(matches!(error, Error::NotWhole { .. }) && error.is_damage(), "{error}");
        // Since they have checksums, rows are looked at first.
        let words =
            if version < 11 { "totals or checksums differ" } else { "of total is not as it was written" };
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(fs::read(&path).expect("readable"), before);
        assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 1, "nothing was copied");
        // It can be looked at all the same.
        let catalog = Reader::open(&path).expect("it can be read");
        assert!(!catalog.verify(Thoroughness::Quick).expect("readable").is_empty());
    }
}
