//! The seal of a run: what its Merkle root commits to, when it is made, and that damage breaks it.

use hashlane_catalog::{Content, Damage, Ending, Reader, Seal, State, Stint, Thoroughness};
use hashlane_digest::Algorithm;
use hashlane_record::Timestamp;
use rusqlite::{Connection, Row};

use crate::support::{Made, NOW, begun, content, made, request};

type Hash = [u8; 32];

fn sha256(parts: &[&[u8]]) -> Hash {
    let sha256 = Algorithm::SHA256;
    sha256.digest(&parts.concat()).as_bytes().try_into().expect("32 bytes")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The root as RFC 9162 defines it.
fn root(leaves: &[String]) -> Hash {
    match leaves {
        [] => sha256(&[]),
        [leaf] => sha256(&[&[0], leaf.as_bytes()]),
        leaves => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            sha256(&[&[1], &root(left), &root(right)])
        }
    }
}

/// Leaves and root of a run, as docs/seals.md says, from the rows of the database alone.
fn by_hand(catalog: &Reader, run: i64) -> (u64, Hash) {
    let raw = Connection::open(catalog.path()).expect("opened");
    let (secret, started_s, identity): (Vec<u8>, i64, Vec<u8>) = raw
        .query_row(
            "SELECT secret, started_s, identity FROM run JOIN collection ON collection.id = collection WHERE run.id = ?1",
            [run],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .expect("a run");
    let leaf = |row: &Row<'_>| {
        let (item, nth): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (path, size, mtime_ns): (String, Option<i64>, Option<i64>) =
            (row.get(2)?, row.get(3)?, row.get(4)?);
        let digests: Vec<u8> = row.get(5)?;
        let salt = sha256(&[&secret, b"salt", &item.to_be_bytes(), &(nth as u32).to_be_bytes()]);
        let mut text = format!("hashlane/file-version@v1\ncollection {}\npath {path}\n", hex(&identity));
        if let Some(size) = size {
            text += &format!("size {size}\n");
        }
        if let Some(mtime_ns) = mtime_ns {
            text += &format!("modified_ns {mtime_ns}\n");
        }
        text += &format!("sha256 {}\nrecorded_s {started_s}\nsalt {}\n", hex(&digests), hex(&salt[..16]));
        Ok(text)
    };
    let mut statement = raw
        .prepare(
            "WITH all_versions AS (
                 SELECT item, nth, run, size, mtime_ns, digests FROM version
                 UNION ALL SELECT id, (SELECT count(*) FROM version WHERE item = id), run, size, mtime_ns, digests FROM item)
             SELECT v.item, nth, CAST(iif(d.path = x'', i.name, d.path || '/' || i.name) AS TEXT), v.size, v.mtime_ns, v.digests
             FROM all_versions v JOIN item i ON i.id = v.item JOIN segment s ON s.id = v.item >> 16
             JOIN directory d ON d.id = s.directory
             WHERE v.run = ?1 AND v.digests IS NOT NULL ORDER BY v.item, nth",
        )
        .expect("a query");
    let leaves = statement.query_map([run], leaf).expect("asked");
    let leaves: Vec<String> = leaves.collect::<Result<_, _>>().expect("readable");
    (leaves.len() as u64, root(&leaves))
}

/// What the catalogue says.
fn seal(catalog: &Reader, stint: Stint) -> Option<(u64, Hash)> {
    catalog.seal_of(stint.run).expect("readable").map(|Seal { leaves, root, .. }| (leaves, root))
}

fn problems(catalog: &Reader) -> Vec<Damage> {
    catalog.verify(Thoroughness::Full).expect("readable")
}

/// A run that adds files, or changes those that are there.
fn record(made: &mut Made, stint: Stint, names: &[&str], number: u64) {
    let collection = made.catalog.collection("c").expect("it was added");
    for name in names {
        let known = made.catalog.item_at(&collection, name.as_bytes()).expect("readable");
        let modified = Timestamp { seconds: 7, nanos: number as u32 };
        let content = Content { modified: Some(modified), ..content(number) };
        let mut batch = made.catalog.batch(collection.id, stint).expect("a batch");
        let (parent, name) = name.rsplit_once('/').unwrap_or(("", name));
        match known {
            Some(item) => batch.replace(item.id, &content, State::Present).expect("replaced"),
            None => {
                let directory = batch.directory(parent.as_bytes()).expect("a directory");
                batch.add(directory, name.as_bytes(), &content, State::Present).expect("added");
            }
        }
        batch.commit().expect("written");
    }
}

fn next(made: &mut Made, what: &str) -> Stint {
    let collection = made.catalog.collection("c").expect("it was added");
    made.catalog.begin_stint(collection.id, &request(what), NOW + 1, 0).expect("a stint")
}

fn end(made: &mut Made, stint: Stint) {
    made.catalog.end_stint(stint, Some(Ending::of("complete")), NOW + 2).expect("ended");
}

#[test]
fn a_seal_is_the_merkle_root_of_all_versions_of_a_run() {
    let mut made = made();
    let (_, first) = begun(&mut made.catalog, "c");
    record(&mut made, first, &["b", "a", "d/x", "d/y", "d/z"], 1);
    assert_eq!(seal(&made.catalog, first), None, "it is not over");
    end(&mut made, first);
    let sealed = by_hand(&made.catalog, 1);
    assert_eq!((sealed.0, seal(&made.catalog, first)), (5, Some(sealed)));
    // Twice in one run, and a new one: three versions.
    let second = next(&mut made, "all");
    record(&mut made, second, &["a"], 2);
    record(&mut made, second, &["a", "new"], 3);
    end(&mut made, second);
    assert_eq!(seal(&made.catalog, second), Some(by_hand(&made.catalog, 2)));
    assert_eq!(by_hand(&made.catalog, 2).0, 3);
    // What a run recorded stays what it recorded.
    assert_eq!(by_hand(&made.catalog, 1), sealed);
    // A run that has recorded nothing has the root of the empty tree.
    let third = next(&mut made, "all");
    end(&mut made, third);
    assert_eq!(seal(&made.catalog, third), Some((0, sha256(&[]))));
    assert_eq!(problems(&made.catalog), []);
}

#[test]
fn a_run_of_several_processes_is_sealed_as_one() {
    let mut made = made();
    let (_, first) = begun(&mut made.catalog, "c");
    record(&mut made, first, &["a", "b"], 1);
    let again = next(&mut made, "all");
    assert!(again.goes_on);
    record(&mut made, again, &["b", "c"], 2);
    end(&mut made, again);
    assert_eq!(seal(&made.catalog, again), Some(by_hand(&made.catalog, 1)));
    assert_eq!(by_hand(&made.catalog, 1).0, 4);
    assert_eq!(problems(&made.catalog), []);
}

#[test]
fn a_run_that_nobody_goes_on_with_is_sealed_by_who_holds_the_lock() {
    let mut made = made();
    let (_, killed) = begun(&mut made.catalog, "c");
    record(&mut made, killed, &["a", "b"], 1);
    // A decision is not an audit: the interrupted one may still be gone on with.
    let decision = next(&mut made, "accept");
    end(&mut made, decision);
    assert_eq!(seal(&made.catalog, killed), None);
    let other = next(&mut made, "due");
    record(&mut made, other, &["b"], 2);
    end(&mut made, other);
    // Somebody may be under way who replaces what it has recorded.
    assert_eq!(seal(&made.catalog, killed), None);
    let collection = made.catalog.collection("c").expect("it was added");
    let _lock = made.catalog.lock(&collection, NOW).expect("nobody has it");
    assert!(!made.catalog.discard_held(collection.id, "", NOW).expect("none is held"));
    assert_eq!(seal(&made.catalog, killed), Some(by_hand(&made.catalog, 1)));
    assert_eq!(seal(&made.catalog, other), Some(by_hand(&made.catalog, 3)));
    assert_eq!(problems(&made.catalog), []);
}

#[test]
fn many_versions_are_sealed_by_one_look_at_all() {
    let mut made = made();
    let (collection, stint) = begun(&mut made.catalog, "c");
    let mut batch = made.catalog.batch(collection.id, stint).expect("a batch");
    let directory = batch.directory(b"").expect("the root");
    for number in 0..100_001_u64 {
        let name = format!("{number:06}");
        batch.add(directory, name.as_bytes(), &content(1), State::Present).expect("added");
    }
    batch.commit().expect("written");
    end(&mut made, stint);
    assert_eq!(seal(&made.catalog, stint), Some(by_hand(&made.catalog, 1)));
}

#[test]
fn what_was_recorded_once_cannot_be_changed_unnoticed() {
    let damages = [
        "UPDATE version SET digests = zeroblob(32)",
        "UPDATE version SET size = size + 1",
        "UPDATE version SET mtime_ns = NULL",
        "UPDATE version SET nth = nth + 1",
        "UPDATE version SET digests = zeroblob(31)",
        "UPDATE version SET run = 2",
        "DELETE FROM version",
        "UPDATE collection SET identity = randomblob(16)",
        "UPDATE run SET started_s = started_s - 1",
        "UPDATE run SET secret = randomblob(32)",
        "UPDATE run SET merkle_root = zeroblob(32) WHERE id = 2",
        "UPDATE run SET leaves = 7 WHERE id = 1",
        "UPDATE directory SET path = CAST('other' AS BLOB) WHERE path <> x''",
    ];
    for damage in damages {
        let mut made = made();
        let (_, first) = begun(&mut made.catalog, "c");
        record(&mut made, first, &["a", "d/b"], 1);
        end(&mut made, first);
        let second = next(&mut made, "all");
        record(&mut made, second, &["a"], 2);
        end(&mut made, second);
        assert_eq!(problems(&made.catalog), []);
        let raw = Connection::open(made.catalog.path()).expect("opened");
        // By somebody who knows of the checksums.
        hashlane_catalog::keep_checksums(&raw).expect("kept");
        raw.execute_batch(damage).expect(damage);
        let problems = problems(&made.catalog);
        let is_noticed =
            |damage: &Damage| damage.problem.contains("Merkle root") || damage.problem.contains("31 bytes");
        assert!(problems.iter().any(is_noticed), "{damage}: {problems:?}");
    }
}
