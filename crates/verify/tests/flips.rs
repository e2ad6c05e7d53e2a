//! Lists of intact files with one bit flipped, or edited otherwise: a check verifies all of the files, or does not pass.
//!
//! A few thousand cases of each kind are tried; with `HASHLANE_TEST_ALL` each bit of each format, and a million edits.
//! `cargo xtask flips` does that, and prints the table.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use hashlane_audit::Verdict;
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Options};
use hashlane_manifest::{Format, Item, WriteOptions, Writer};
use hashlane_record::{ItemPath, Outcome, Timestamp};
use hashlane_verify::check::{Check, Finding};
use hashlane_verify::{Base, CheckOptions, Selection};

/// The files, whose names are neither short nor alike.
const FILES: [(&str, &str); 3] =
    [("letters/a first one.txt", "one"), ("second.bin", "the second"), ("third (3)", "")];

/// Names of files that lie there too, so that a name that was flipped may be there: its content is another one.
const OTHERS: [&str; 2] = ["tecond.bin", "third (2)"];

/// What comes of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// All files were verified, and it passes.
    Verified,
    /// It does not pass.
    Refused,
    /// It passes, and says that an entry of it is commented out.
    Commented,
    /// It passes with fewer files than are there.
    Silent,
}

/// A tree and lists of it.
struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a directory");
        for (name, content) in FILES.iter().copied().chain(OTHERS.map(|name| (name, "another"))) {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("one")).expect("made");
            fs::write(path, content).expect("written");
        }
        Self { root }
    }

    /// What a check says of a list. `number`: of who asks, so that several may.
    fn check(&self, list: &[u8], name: &str, number: usize) -> Came {
        let place = self.root.path().join(format!("lists-{number}"));
        fs::create_dir_all(&place).expect("made");
        let path = place.join(name);
        fs::write(&path, list).expect("written");
        let came = check(self.root.path(), path.clone().into_os_string());
        // File systems wait for the disk where a file is written over.
        fs::remove_file(path).expect("removed");
        came
    }
}

fn check(base: &Path, list: OsString) -> Came {
    let mut engine = Options::new(Arc::new([]));
    engine.workers = Some(1);
    let mut options = CheckOptions::new([list], engine);
    options.lookup.base = Some(Base::open(base).expect("a base"));
    options.lookup.selection = Selection::new(options.lookup.engine.walk.clone(), Vec::new());
    let Ok(check) = Check::open(options, Arc::new(|_| {})) else { return Came::Refused };
    let (mut verified, mut is_fine) = (Vec::new(), true);
    let mut take = |finding: &Finding<'_>| {
        match finding.verdict {
            Verdict::Ok => verified.push(finding.path.clone()),
            _ => is_fine = false,
        }
        Ok(())
    };
    let Ok(checked) = check.run(&[], &mut take, &Arc::new(Control::new())) else { return Came::Refused };
    is_fine &= checked.undigested() == 0 && checked.recorded_bad() == 0 && checked.unopened.is_empty();
    is_fine &= checked.lists.iter().all(|list| !list.broken_off) && !verified.is_empty();
    if !is_fine {
        return Came::Refused;
    }
    let is_verified = |name: &str| verified.contains(&ItemPath::from(name.as_bytes()));
    if FILES.iter().all(|(name, _)| is_verified(name)) {
        return Came::Verified;
    }
    match checked.lists.iter().any(|list| list.commented_out > 0) {
        true => Came::Commented,
        false => Came::Silent,
    }
}

/// A list of the files in a format, by each algorithm that it is mostly written with.
fn lists() -> Vec<(String, String, Vec<u8>)> {
    let mut lists = Vec::new();
    for format in Format::all().filter(|format| format.can_be_written() && !format.is_binary()) {
        let sets: &[&[&str]] = match format.name() {
            "sfv" => &[&["crc32"]],
            "gnu" => &[&["sha256"], &["md5"], &["crc32"], &["sha512"], &["xxh64"]],
            "bsd" => &[&["sha256"], &["md5", "sha1"], &["crc32"]],
            "base64" | "base64-untagged" => &[&["sha256"], &["sha1"]],
            "md5deep-sizes" | "md5deep-csv" | "triage" => &[&["md5"]],
            "hashdeep" => &[&["md5", "sha256"]],
            "mhl" => &[&["md5"], &["sha1", "xxh64"]],
            _ => &[&["sha256"]],
        };
        for names in sets {
            let algorithms: Vec<_> =
                names.iter().map(|name| Algorithm::named(name).expect("known")).collect();
            let options = WriteOptions::default();
            let Ok(mut writer) = Writer::new(format, &algorithms, &options, Vec::new()) else { continue };
            for (line, (path, content)) in (1..).zip(FILES) {
                let item = Item {
                    line,
                    path: path.into(),
                    size: Some(content.len() as u64),
                    modified: Some(Timestamp { seconds: 1_700_000_000, nanos: 0 }),
                    digests: algorithms
                        .iter()
                        .map(|algorithm| algorithm.digest(content.as_bytes()))
                        .collect(),
                    outcome: Some(Outcome::Read),
                    ..Item::default()
                };
                writer.item(&item).unwrap_or_else(|error| panic!("{}: {error}", format.name()));
            }
            let text = writer.finish().expect("written");
            // A name that says the algorithm where nothing else does.
            let name = match format.name() {
                "gnu" | "base64-untagged" | "md5deep-sizes" | "md5deep-csv" => format!("list.{}", names[0]),
                "bagit" => format!("manifest-{}.txt", names[0]),
                "sfv" => "list.sfv".to_owned(),
                _ => "list.txt".to_owned(),
            };
            lists.push((format!("{} {}", format.name(), names.join(",")), name, text));
        }
    }
    lists.extend(lists_of_others());
    lists
}

/// Lists in formats that are read only, or as only others write them.
fn lists_of_others() -> Vec<(String, String, Vec<u8>)> {
    let of = |algorithm: &str, content: &str| {
        Algorithm::named(algorithm).expect("known").digest(content.as_bytes())
    };
    let sha256 = |content: &str| of("sha256", content).to_string();
    let columns = "Algorithm       Hash       Path\n---------       ----       ----\n";
    type Line<'a> = &'a dyn Fn(&str, &str) -> String;
    let lists: [(&str, &str, &str, Line<'_>); 12] = [
        ("name-first", "list.txt", "", &|name, content| format!("{name} {}\n", sha256(content))),
        ("one blank", "list.txt", "", &|name, content| format!("{} {name}\n", sha256(content))),
        ("oci", "list.txt", "", &|name, content| format!("sha256:{}  {name}\n", sha256(content))),
        ("get-filehash csv", "list.csv", "\"Algorithm\",\"Hash\",\"Path\"\n", &|name, content| {
            format!("\"SHA256\",\"{}\",\"{name}\"\n", sha256(content))
        }),
        ("get-filehash table", "list.txt", columns, &|name, content| {
            format!("SHA256          {}       {name}\n", sha256(content))
        }),
        ("get-filehash list", "list.txt", "", &|name, content| {
            format!("Algorithm : SHA256\nHash      : {}\nPath      : {name}\n\n", sha256(content))
        }),
        ("certutil", "list.txt", "", &|name, content| {
            format!("SHA256 hash of {name}:\n{}\nCertUtil: done.\n", sha256(content))
        }),
        ("xxhsum -H3", "list.xxh", "", &|name, content| format!("XXH3_{}  {name}\n", of("xxh3", content))),
        ("xxhsum little-endian", "list.xxh", "", &|name, content| {
            format!("XXH128_LE ({name}) = {}\n", of("xxh128", content).reversed())
        }),
        ("mtree", "list.mtree", "#mtree\n/set type=file uid=0\n. type=dir\n", &|name, content| {
            let name = name.replace(' ', "\\040");
            format!("    {name} size={} \\\n    sha256digest={}\n", content.len(), sha256(content))
        }),
        ("mtree paths", "list.mtree", "", &|name, content| {
            let name = name.replace(' ', "\\s");
            format!("{name} type=file md5={} sha256={}\n", of("md5", content), sha256(content))
        }),
        ("internet-archive", "a_files.xml", "<files>\n", &|name, content| {
            let end = if Some(name) == FILES.last().map(|last| last.0) { "</files>\n" } else { "" };
            let (md5, sha1) = (of("md5", content), of("sha1", content));
            format!("<file name=\"{name}\"><md5>{md5}</md5><sha1>{sha1}</sha1></file>\n{end}")
        }),
    ];
    let written = |(what, name, head, line): (&str, &str, &str, Line<'_>)| {
        let lines: String = FILES.iter().map(|(path, content)| line(path, content)).collect();
        (what.to_owned(), name.to_owned(), format!("{head}{lines}").into_bytes())
    };
    lists.map(written).into()
}

/// What came of the cases of one list.
type Counts = BTreeMap<Came, u64>;

/// Tries cases of a list at once on all processors. Returns what came of them, and the first ones that pass in silence.
fn tried(
    bench: &Bench,
    name: &str,
    count: usize,
    case: &(dyn Fn(usize) -> Vec<u8> + Sync),
) -> (Counts, Vec<usize>) {
    let (next, found) = (AtomicUsize::new(0), Mutex::new((Counts::new(), Vec::new())));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for number in 0..workers {
            let (next, found) = (&next, &found);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let came = bench.check(&case(at), name, number);
                    let mut found = found.lock().expect("nobody has panicked");
                    *found.0.entry(came).or_default() += 1;
                    if came == Came::Silent {
                        found.1.push(at);
                    }
                }
            });
        }
    });
    let (counts, mut silent) = found.into_inner().expect("nobody has panicked");
    silent.sort_unstable();
    (counts, silent)
}

fn tries_all() -> bool {
    std::env::var_os("HASHLANE_TEST_ALL").is_some()
}

fn row(what: &str, counts: &Counts) -> String {
    let count = |came| counts.get(&came).copied().unwrap_or(0);
    let (verified, refused) = (count(Came::Verified), count(Came::Refused));
    let (commented, silent) = (count(Came::Commented), count(Came::Silent));
    format!("{what:<24} {verified:>9} {refused:>9} {commented:>9} {silent:>9}")
}

fn table(rows: &str) -> String {
    let head = ["", "verified", "refused", "commented", "silent"];
    let [what, verified, refused, commented, silent] = head;
    format!("{what:<24} {verified:>9} {refused:>9} {commented:>9} {silent:>9}\n{rows}")
}

/// How many bits of a list are tried, if not all are: so far apart that each bit of a byte has its turn.
const BITS_TRIED: usize = 80;

#[test]
fn a_list_with_one_bit_flipped_verifies_all_files_or_does_not_pass() {
    let bench = Bench::new();
    let (mut rows, mut silent) = (String::new(), String::new());
    for (what, name, text) in lists() {
        assert_eq!(
            bench.check(&text, &name, 0),
            Came::Verified,
            "{what}: {}",
            String::from_utf8_lossy(&text)
        );
        let bits = 8 * text.len();
        let step = if tries_all() { 1 } else { (bits / BITS_TRIED).max(1) | 1 };
        let flipped = |at: usize| {
            let (bit, mut text) = (at * step, text.clone());
            text[bit / 8] ^= 1 << (bit % 8);
            text
        };
        let (counts, passed) = tried(&bench, &name, bits.div_ceil(step), &flipped);
        writeln!(rows, "{}", row(&what, &counts)).expect("written");
        for at in passed.iter().take(5) {
            let (bit, text) = (at * step, flipped(*at));
            let text = text.escape_ascii();
            writeln!(silent, "{what}: bit {} of byte {}: {text}", bit % 8, bit / 8).expect("written");
        }
    }
    println!("{}", table(&rows));
    assert!(silent.is_empty(), "these pass with fewer files:\n{silent}");
}

/// How often each list is edited by chance.
const EDITS: usize = 80;
const ALL_EDITS: usize = 1_000_000;

/// What is inserted, or put in the place of something.
const MARKS: [&str; 24] = [
    " ", "  ", "\t", "\n", "\r", "\r\n", "#", ";", "\\", "*", "-", "=", ":", ",", "|", "\"", "'", "(", ")",
    "\u{feff}", "\0", "0", "f", "g",
];

/// One edit of a list, of a few kinds. No line is taken out: who removes an entry has another list.
fn edited(text: &[u8], seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut edited = text.to_vec();
    let at = random.usize(..edited.len());
    let mark = MARKS[random.usize(..MARKS.len())].bytes();
    match random.u8(..5) {
        0 => _ = edited.splice(at..at, mark),
        1 => _ = edited.splice(at..=at, mark),
        2 => _ = edited.remove(at),
        3 => {
            let next = (at + 1).min(edited.len() - 1);
            edited.swap(at, next);
        }
        _ => {
            let mut lines: Vec<_> = edited.split_inclusive(|&byte| byte == b'\n').collect();
            let (one, other) = (random.usize(..lines.len()), random.usize(..lines.len()));
            lines.swap(one, other);
            edited = lines.concat();
        }
    }
    edited
}

#[test]
fn an_edited_list_verifies_all_files_or_does_not_pass() {
    let bench = Bench::new();
    let lists = lists();
    let count = if tries_all() { ALL_EDITS.div_ceil(lists.len()) } else { EDITS };
    let (mut rows, mut silent) = (String::new(), String::new());
    for (number, (what, name, text)) in lists.iter().enumerate() {
        let case = |at: usize| edited(text, (number * ALL_EDITS + at) as u64);
        let (counts, passed) = tried(&bench, name, count, &case);
        writeln!(rows, "{}", row(what, &counts)).expect("written");
        for at in passed.iter().take(5) {
            writeln!(silent, "{what}: case {at}: {}", case(*at).escape_ascii()).expect("written");
        }
    }
    println!("{}", table(&rows));
    assert!(silent.is_empty(), "these pass with fewer files:\n{silent}");
}
