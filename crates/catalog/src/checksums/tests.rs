use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashlane_digest::Algorithm;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use super::TABLES;
use crate::collections::Terms;
use crate::damage::{CataloguePart, Damage};
use crate::error::Error;
use crate::findings::Seen;
use crate::items::{Content, State};
use crate::maintenance::Thoroughness;
use crate::reader::Reader;
use crate::runs::{Ending, Request};
use crate::spans::ReadingKind;
use crate::verdict::Verdict;
use crate::writer::Writer;

const NOW: i64 = 1_700_000_000;

/// A catalogue of 200 files in 7 directories, with something in every table, in one file.
fn filled(path: &Path) {
    let mut catalog = Writer::open_or_make(path).expect("made");
    let id = catalog.add_collection(&Terms::new("photos", "/srv/photos"), NOW).expect("a new name");
    let sha256 = Algorithm::SHA256;
    let content = |number: u64| Content {
        size: Some(number * 1_000),
        inode: Some(number << 8),
        digests: vec![sha256.digest(&number.to_le_bytes())],
        ..Content::default()
    };
    let mut items = Vec::new();
    for run in 0..3 {
        let request = Request { what: "all".into(), actor: "keeper".into(), reason: format!("night {run}") };
        let stint = catalog.begin_stint(id, &request, NOW + run * 86_400, i64::MAX).expect("a stint");
        let mut batch = catalog.batch(id, stint).expect("a batch");
        for number in 0..200 {
            if run == 0 {
                let directory = batch.directory(format!("d{}", number % 7).as_bytes()).expect("a directory");
                let name = format!("f{number}.jpg");
                items.push(
                    batch.add(directory, name.as_bytes(), &content(number), State::Present).expect("added"),
                );
            }
            let item = items[number as usize];
            match number % 10 {
                7 if run == 1 => {
                    batch.replace(item, &content(number + 1000), State::Present).expect("replaced")
                }
                8 if run > 0 => {
                    let seen = Seen { content: content(number + 2000), ..Seen::default() };
                    batch.put_finding(item, Verdict::Corrupt, &seen, NOW + run).expect("noted");
                    batch.withhold(item, Verdict::Changed, &seen, stint.id).expect("noted");
                }
                9 if run == 2 => batch.leave_out(item).expect("noted"),
                number => {
                    let kind = if number < 5 { ReadingKind::Device } else { ReadingKind::Unknown };
                    batch.read_good(item, item, kind).expect("recorded");
                }
            }
        }
        batch.note_in_use(items[3]).expect("noted");
        batch.missed(items[4], NOW).expect("noted");
        batch.put_read_version(items[5], Some("v1")).expect("noted");
        batch.commit().expect("written");
        if run < 2 {
            catalog.end_stint(stint, Some(Ending::of("complete")), NOW + run * 86_400 + 600).expect("ended");
        }
    }
    let item = items[6].0;
    let rest = format!(
        "UPDATE finding SET known_by = 'keeper', known_reason = 'sent back', known_s = {NOW}, known_until_s = {NOW} + 86400
             WHERE item % 3 = 0;
         INSERT INTO unlisted (collection, path, since_s, detail) VALUES (1, x'64', {NOW}, 'Permission denied');
         INSERT INTO checkpoint (collection, path, stint, root, size, mtime_ns, ctime_ns, inode, reading, states)
             VALUES (1, x'6431', 3, 'root', 1, 2, 3, 4, 1, zeroblob(100));
         INSERT INTO evidence (collection, run, files, provider, kind, imported_s, fingerprint, is_whole)
             VALUES (1, 3, '[\"a report\"]', 'S3', 1, {NOW}, zeroblob(16), 1);
         INSERT INTO statement (evidence, item, outcome, algorithm, digest, detail) VALUES (1, {item}, 1, 'md5', zeroblob(16), 'said');
         INSERT INTO change (event, name, way, uid, was, becomes)
             SELECT id, 'photos', 1, 1000, '{{\"every\": 30}}', '{{\"every\": 90}}' FROM event LIMIT 5;
         INSERT INTO steering (stint, stop_s, stop_by, rate, rate_by) VALUES (3, {NOW}, 'anna', 1000000, 'anna');
         INSERT INTO target (name, event) VALUES ('mail', 40);
         INSERT INTO told (target, collection, condition, at_s) VALUES ('mail', 1, 'held', {NOW});
         INSERT INTO message (id, target, kind, first, last, made_s, content, tries, next_s, problem)
             VALUES (1, 'mail', 'changed', 30, 40, {NOW}, '{{}}', 2, {NOW} + 60, 'nobody answers');
         INSERT INTO pause (id, since_s, until_s, actor, reason) VALUES (1, {NOW}, {NOW} + 3600, 'anna', 'backup');
         INSERT INTO edit (id, collection, item, run, at_s, verdict) VALUES (1000, 1, {item}, 3, {NOW}, 11);
         INSERT INTO pending (collection, what, actor, way, reason, at_s) VALUES (1, 1, 'keeper', 1, 'as it should be', {NOW});
         INSERT INTO pending_item (pending, item, verdict, since_s, size, digests) VALUES (1, {item}, 14, {NOW}, 17, zeroblob(32));"
    );
    catalog.connection.execute_batch(&rest).expect("filled");
    catalog.connection.pragma_update(None, "journal_mode", "DELETE").expect("one file");
}

/// How many bits are flipped where not all are asked for.
const SOME: u64 = 2_000;

/// The rows of each table.
type Dump = BTreeMap<String, Vec<Vec<Value>>>;

/// All rows of all tables, and how these are made.
fn dump(path: &Path) -> rusqlite::Result<Dump> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch("BEGIN")?;
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let names: rusqlite::Result<Vec<String>> =
        connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect();
    let mut tables = BTreeMap::new();
    for name in names?.into_iter().chain(["sqlite_schema".to_owned()]) {
        let mut statement = connection.prepare(&format!("SELECT * FROM {name}"))?;
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect())?;
        tables.insert(name, rows.collect::<rusqlite::Result<_>>()?);
    }
    Ok(tables)
}

/// Whether the same rows are in the same tables, in whatever order they come.
fn is_same(one: &Dump, other: &Dump) -> bool {
    let sorted = |rows: &[Vec<Value>]| {
        let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort_unstable();
        rows
    };
    // Rows that come in the same order need no sorting: it takes longer than all else that a flipped bit does.
    let is_same_table = |rows: &Vec<_>, others: &Vec<_>| rows == others || sorted(rows) == sorted(others);
    one.keys().eq(other.keys())
        && one.values().zip(other.values()).all(|(rows, others)| is_same_table(rows, others))
}

/// What the program says of a catalogue.
fn verified(path: &Path) -> Result<Vec<Damage>, Error> {
    Reader::open(path)?.verify(Thoroughness::Full)
}

#[test]
fn no_flipped_bit_changes_a_row_of_a_catalogue_that_is_called_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("catalog");
    filled(&path);
    let whole = fs::read(&path).expect("readable");
    let before = dump(&path).expect("readable");
    assert_eq!(verified(&path).expect("readable"), []);
    for (name, rows) in &before {
        assert!(!rows.is_empty(), "there is nothing to flip in {name}");
        let has_sum = TABLES.iter().any(|summed| summed.table == name);
        assert!(has_sum || ["item", "sqlite_schema"].contains(&&name[..]), "{name} has no checksums");
    }

    let bits = whole.len() as u64 * 8;
    let is_all = std::env::var_os("HASHLANE_TEST_ALL").is_some();
    let mut rng = fastrand::Rng::with_seed(17);
    let asked: Vec<u64> = match part() {
        Some((number, parts)) => (bits * (number - 1) / parts..bits * number / parts).collect(),
        None if is_all => (0..bits).collect(),
        None => (0..SOME).map(|_| rng.u64(..bits)).collect(),
    };
    let workers = std::thread::available_parallelism().map_or(1, |number| number.get());
    let next = AtomicUsize::new(0);
    let (whole, before, asked, directory, next) = (&whole, &before, &asked, &directory, &next);
    let flipped = std::thread::scope(|scope| {
        let work = |number: usize| {
            let path = directory.path().join(format!("copy-{number}"));
            fs::write(&path, whole).expect("copied");
            let mut flipped = Flipped::default();
            loop {
                let first = next.fetch_add(TOGETHER, Ordering::Relaxed);
                let Some(bits) = asked.get(first..) else { return flipped };
                if bits.is_empty() {
                    return flipped;
                }
                for bit in &bits[..bits.len().min(TOGETHER)] {
                    flipped.flip(&path, whole, *bit, before);
                }
            }
        };
        let workers: Vec<_> = (0..workers).map(|number| scope.spawn(move || work(number))).collect();
        workers.into_iter().fold(Flipped::default(), |all, worker| all + worker.join().expect("it ends"))
    });
    let Flipped { found, named, same, unnoticed } = flipped;
    assert_eq!(found + same + unnoticed.len(), asked.len());
    println!(
        "{found} found, {named} of them named by what is damaged, {same} changed no row, {} unnoticed",
        unnoticed.len()
    );
    assert!(unnoticed.is_empty(), "of {bits} bits: {unnoticed:?}");
    // What damages the head of the file belongs to nothing in it, and the first part has most of that.
    assert!(part().is_some() || named * 100 >= found * 95, "{named} of {found} are named");
}

/// Which part of all bits is asked for, of how many: `HASHLANE_TEST_PART=3/20`. All of them take two hours.
fn part() -> Option<(u64, u64)> {
    let text = std::env::var("HASHLANE_TEST_PART").ok()?;
    let (number, parts) = text.split_once('/').expect("a number, a slash and how many there are");
    let [number, parts] = [number, parts].map(|text| text.parse().expect("a number"));
    assert!((1..=parts).contains(&number), "{text} is no part");
    Some((number, parts))
}

#[test]
fn a_schema_that_holds_bytes_where_text_belongs_is_damaged() {
    let directory = tempfile::tempdir().expect("a directory");
    for column in ["type", "name", "tbl_name", "sql"] {
        let path = directory.path().join(column);
        filled(&path);
        let connection = Connection::open(&path).expect("opened");
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).expect("set");
        let change = format!(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET {column} = CAST({column} AS BLOB) WHERE name = 'stint'"
        );
        connection.execute_batch(&change).expect("changed");
        drop(connection);
        match verified(&path) {
            Ok(damages) => {
                assert!(
                    damages.iter().any(|damage| damage.part == CataloguePart::Schema),
                    "{column}: {damages:?}"
                )
            }
            Err(error) => assert!(error.is_damage(), "{column}: {error}"),
        }
    }
}

/// Bits that one thread flips before it looks for more.
const TOGETHER: usize = 64;

/// What became of bits that were flipped.
#[derive(Default)]
struct Flipped {
    found: usize,
    /// Those of them where it was reported what is damaged.
    named: usize,
    /// Those that change no row.
    same: usize,
    unnoticed: Vec<u64>,
}

impl Flipped {
    /// Flips a bit of a copy, looks what is said of it, and flips it back.
    fn flip(&mut self, path: &Path, whole: &[u8], bit: u64, before: &Dump) {
        let (at, mask) = (bit / 8, 1 << (bit % 8));
        let byte = whole[at as usize];
        let file = File::options().write(true).open(path).expect("writable");
        file.write_all_at(&[byte ^ mask], at).expect("flipped");
        match verified(path) {
            Ok(damages) if damages.is_empty() => {
                match dump(path).is_ok_and(|after| is_same(&after, before)) {
                    true => self.same += 1,
                    false => self.unnoticed.push(bit),
                }
            }
            Ok(damages) => {
                self.found += 1;
                self.named += usize::from(damages[0].part != CataloguePart::File);
            }
            Err(error) => {
                self.found += 1;
                let is_named =
                    matches!(error, Error::Damaged { damage, .. } if damage.part != CataloguePart::File);
                self.named += usize::from(is_named);
            }
        }
        file.write_all_at(&[byte], at).expect("flipped back");
    }
}

impl std::ops::Add for Flipped {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.found += other.found;
        self.named += other.named;
        self.same += other.same;
        self.unnoticed.extend(other.unnoticed);
        self
    }
}
