//! Lists that are updated after whatever became of their trees: no file gets a digest that is not its own, and nothing below a renamed
//! directory is read.
//!
//! The oracle knows what was written where, and the inodes that the system gave it; of times, lists and walks it knows nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use fastrand::Rng;
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Options};
use hashlane_io::FileSystems;
use hashlane_manifest::{Item, ReadOptions};
use hashlane_record::Record;
use hashlane_verify::lists::{self, Source};
use hashlane_verify::update::{Event, OldList, Update, outermost};
use hashlane_verify::{Belief, Trust};

/// Trees that are listed once and updated once each; with `HASHLANE_TEST_ALL`, and without.
const TREES: [u64; 2] = [4000, 150];

/// Few of each, so that files are alike.
const DIRECTORIES: [&str; 8] = ["a", "b", "c", "a/x", "b/x", "c/x", "a/y", "new"];
const NAMES: [&str; 3] = ["f", "g", "h"];
const CONTENTS: [&str; 3] = ["one", "two", "three"];

/// A file of a tree: its content, and when it was written, in seconds.
type Files = BTreeMap<String, (String, u64)>;

/// What becomes of a tree.
#[derive(Clone, Debug)]
enum Step {
    /// A directory gets another name, or several do in turn, as in an exchange.
    Rename(Vec<(String, String)>),
    /// A file or a directory is copied with its times.
    Copy(String, String),
    RenameFile(String, String),
    Link(String, String),
    Remove(String),
    /// A file is written; its time is put back where the last is true.
    Write(String, String, bool),
}

struct Tree {
    root: tempfile::TempDir,
}

impl Tree {
    fn new(rng: &mut Rng) -> Self {
        let tree = Self { root: tempfile::tempdir().expect("a directory") };
        for directory in DIRECTORIES.iter().filter(|directory| **directory != "new") {
            for name in NAMES {
                if rng.u8(..3) == 0 {
                    continue;
                }
                let name = format!("{directory}/{name}");
                fs::create_dir_all(tree.at(&name).parent().expect("one")).expect("made");
                tree.write(&name, rng.choice(CONTENTS).expect("one"), 1_000_000_000 + 12_345 * rng.u64(..2));
            }
        }
        tree
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join("t").join(name)
    }

    fn write(&self, name: &str, content: &str, seconds: u64) {
        fs::write(self.at(name), content).expect("written");
        set_time(&self.at(name), SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    }

    /// All files below a directory, with what they hold.
    fn files(&self) -> Files {
        let mut files = Files::new();
        let mut left = vec![self.at("")];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten() {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    left.push(path);
                    continue;
                }
                let name = path.strip_prefix(self.at("")).expect("below").to_str().expect("text").to_owned();
                let seconds = fs::metadata(&path).expect("facts").mtime().cast_unsigned();
                files.insert(name, (fs::read_to_string(&path).expect("text"), seconds));
            }
        }
        files
    }

    /// Does a step, or nothing where it cannot be done.
    fn step(&self, step: &Step) {
        let is_free = |name: &str| !self.at(name).exists();
        match step {
            Step::Rename(pairs) => {
                for (from, to) in pairs {
                    if is_free(to) {
                        let _ = fs::rename(self.at(from), self.at(to));
                    }
                }
            }
            Step::Copy(from, to) if is_free(to) => copy(&self.at(from), &self.at(to)),
            Step::RenameFile(from, to) => {
                let _ = fs::rename(self.at(from), self.at(to));
            }
            Step::Link(from, to) => {
                let _ = fs::hard_link(self.at(from), self.at(to));
            }
            Step::Remove(name) => {
                let _ = fs::remove_dir_all(self.at(name));
            }
            Step::Write(name, content, puts_back) => {
                let path = self.at(name);
                let Ok(before) = fs::metadata(&path).and_then(|facts| facts.modified()) else { return };
                fs::write(&path, content).expect("written");
                if *puts_back {
                    set_time(&path, before);
                }
            }
            Step::Copy(..) => {}
        }
    }
}

fn set_time(path: &Path, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("opened");
    file.set_times(FileTimes::new().set_modified(time)).expect("set");
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        // What is copied into itself would have no end.
        if to.starts_with(from) || fs::create_dir(to).is_err() {
            return;
        }
        for entry in fs::read_dir(from).expect("listed") {
            let entry = entry.expect("an entry");
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else if let (Ok(time), Ok(_)) =
        (fs::metadata(from).and_then(|facts| facts.modified()), fs::copy(from, to))
    {
        set_time(to, time);
    }
}

fn random_step(rng: &mut Rng) -> Step {
    fn some(rng: &mut Rng) -> String {
        rng.choice(DIRECTORIES).expect("one").to_owned()
    }
    fn file(rng: &mut Rng) -> String {
        format!("{}/{}", some(rng), rng.choice(NAMES).expect("one"))
    }
    match rng.u8(..10) {
        0..3 => Step::Rename(vec![(some(rng), some(rng))]),
        3..5 => {
            let (one, other) = (some(rng), some(rng));
            let aside = "aside".to_owned();
            Step::Rename(vec![(one.clone(), aside.clone()), (other.clone(), one), (aside, other)])
        }
        5 => Step::Copy(some(rng), some(rng)),
        6 => Step::RenameFile(file(rng), file(rng)),
        7 if rng.bool() => Step::Link(file(rng), file(rng)),
        7 => Step::Copy(file(rng), file(rng)),
        8 => Step::Remove(some(rng)),
        _ => Step::Write(file(rng), rng.choice(CONTENTS).expect("one").to_owned(), rng.bool()),
    }
}

/// A list with the inode of each file, as it says that it was made now.
fn list(tree: &Tree, files: &Files) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    let schema = "\"schema\":\"hashlane-manifest\",\"version\":1";
    let started = rfc3339(now);
    let mut text = format!(
        "{{{schema},\"header\":{{\"program\":\"p\",\"command\":\"c\",\"cwd\":\"/\",\"started\":\"{started}\"}}}}\n"
    );
    let device = fs::metadata(tree.root.path()).expect("facts").dev();
    let named = FileSystems::default().identity(device, tree.root.path()).expect("a file system with inodes");
    text += &format!("{{{schema},\"header\":{{\"file_system\":\"{named:x}\"}}}}\n");
    for (name, (content, seconds)) in files {
        let path = tree.at(name);
        let facts = fs::metadata(&path).expect("facts");
        text += &format!(
            "{{{schema},\"path\":{:?},\"size_bytes\":{},\"mtime\":\"{}\",\"inode\":{},\"digests\":{{\"md5\":\"{}\"}},\"outcome\":\"read\"}}\n",
            path.to_str().expect("text"),
            content.len(),
            rfc3339(*seconds),
            facts.ino(),
            md5(content)
        );
    }
    text
}

/// A time, by the calendar of days since 1970.
fn rfc3339(seconds: u64) -> String {
    let (mut days, of_day) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.000000000Z", month + 1, days + 1)
}

fn md5(content: &str) -> String {
    Algorithm::MD5.digest(content.as_bytes()).to_string()
}

/// What an update reported: the digest of each file that is there, and which files were moved, read, corrupt and gone.
#[derive(Debug, Default)]
struct Told {
    digests: BTreeMap<String, String>,
    /// By the new name, with the listed one.
    moved: BTreeMap<String, String>,
    read: BTreeSet<String>,
    corrupt: BTreeSet<String>,
    gone: BTreeSet<String>,
}

fn update(tree: &Tree, list: &Path) -> Told {
    let source = Source::open(list.as_os_str()).expect("open");
    let reader = lists::read(source, &ReadOptions::default()).expect("a list");
    let old = OldList::read(reader).expect("entries");
    let belief = Belief::new(Trust::Times, old.started(), None);
    let mut engine = Options::new(old.algorithms(&[]));
    engine.workers = Some(2);
    let roots = outermost([tree.at("").to_str().expect("text").into()].iter());
    let mut told = Told::default();
    let name = |path: &[u8]| {
        let path = Path::new(std::str::from_utf8(path).expect("text")).to_owned();
        path.strip_prefix(tree.at("")).expect("below").to_str().expect("text").to_owned()
    };
    let of_item = |item: &Item| (name(item.path.as_bytes()), item.digests[0].to_string());
    let of_record = |record: &Record| (name(record.path.as_bytes()), record.digests[0].to_string());
    let mut take = |event: &Event<'_>| {
        let (path, digest) = match event {
            Event::Kept(item) => of_item(item),
            Event::Moved { item, from } => {
                told.moved.insert(of_item(item).0, name(from));
                of_item(item)
            }
            Event::MovedAndRead { record, from } => {
                told.moved.insert(of_record(record).0, name(from));
                told.read.insert(of_record(record).0);
                of_record(record)
            }
            Event::Added(record) | Event::Same(record) | Event::Changed(record) => {
                told.read.insert(of_record(record).0);
                of_record(record)
            }
            Event::Corrupt { record, .. } => {
                told.corrupt.insert(of_record(record).0);
                of_record(record)
            }
            Event::Gone(path) => {
                told.gone.insert(name(path));
                return Ok(());
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(told.digests.insert(path.clone(), digest), None, "{path} is told twice");
        Ok(())
    };
    let update = Update { old, belief, roots, elsewhere: None, engine };
    update.run(&mut take, &Arc::new(Control::new())).expect("the engine runs");
    told
}

#[test]
fn whatever_becomes_of_a_tree_each_file_has_its_own_digest() {
    let trees = TREES[usize::from(std::env::var_os("HASHLANE_TEST_ALL").is_none())];
    let trees: Vec<_> = (0..trees).map(|seed| Tree::new(&mut Rng::with_seed(seed))).collect();
    // Nobody can set ctime back, and what was changed just before the listing is not trusted.
    thread::sleep(Duration::from_millis(3100));
    let (mut moved, mut corrupt, mut exchanged) = (0, 0, 0);
    for (seed, tree) in trees.iter().enumerate() {
        let before = tree.files();
        let inodes = |files: &Files| -> BTreeMap<String, u64> {
            let inode = |name: &String| fs::metadata(tree.at(name)).expect("facts").ino();
            files.keys().map(|name| (name.clone(), inode(name))).collect()
        };
        let listed = inodes(&before);
        let path = tree.root.path().join("list");
        fs::write(&path, list(tree, &before)).expect("written");

        let mut rng = Rng::with_seed(u64::MAX - seed as u64);
        let steps: Vec<_> = (0..rng.usize(1..5)).map(|_| random_step(&mut rng)).collect();
        steps.iter().for_each(|step| tree.step(step));
        let after = tree.files();
        if after.is_empty() {
            continue;
        }
        let told = update(tree, &path);
        let shown =
            || format!("tree {seed}: {steps:?}\nbefore: {before:?}\nafter: {after:?}\ntold: {told:?}");

        let digests = after.iter().map(|(name, (content, _))| (name.clone(), md5(content))).collect();
        assert_eq!(told.digests, digests, "{}", shown());
        let found: BTreeSet<_> = after.keys().cloned().collect();
        let now = inodes(&after);
        // Each name that is not there any more is reported, once.
        let from: BTreeSet<_> = told.moved.values().cloned().collect();
        assert_eq!(from.len(), told.moved.len(), "{}", shown());
        let (corrupt_under_new_names, _): (Vec<_>, Vec<_>) =
            told.corrupt.iter().partition(|name| !before.contains_key(*name));
        let no_more: BTreeSet<_> = before.keys().filter(|name| !found.contains(*name)).cloned().collect();
        let missing: BTreeSet<_> = no_more.difference(&from).cloned().collect();
        assert!(told.gone.is_subset(&missing), "{}", shown());
        assert_eq!(told.gone.len() + corrupt_under_new_names.len(), missing.len(), "{}", shown());

        // Damage is content of the same size and time under the listed name, and of no other listed file.
        for name in &told.corrupt {
            let of_inode = |other: &&String| listed[*other] == now[name];
            let was = match before.get(name) {
                Some(was) => vec![was],
                // Damaged, and below a directory that was renamed.
                None => before.keys().filter(of_inode).map(|other| &before[other]).collect(),
            };
            let is_another = before.keys().filter(of_inode).any(|other| before[other].0 == after[name].0);
            let is_damaged = was.iter().any(|was| was.0 != after[name].0 && was.1 == after[name].1);
            assert!(is_damaged && !is_another, "{name} in {}", shown());
        }
        // What was damaged is not recorded as good, whatever became of the directories above it.
        for (name, inode) in &now {
            let is_it = |other: &&String| {
                listed[*other] == *inode
                    && other.rsplit('/').next() == name.rsplit('/').next()
                    && !found.contains(*other)
            };
            let mut were = before.keys().filter(is_it).map(|other| &before[other]).peekable();
            let is_damaged = |was: &(String, u64)| {
                was.0 != after[name].0 && was.0.len() == after[name].0.len() && was.1 == after[name].1
            };
            if !before.contains_key(name) && were.peek().is_some() && were.all(is_damaged) {
                assert!(told.corrupt.contains(name), "{name} in {}", shown());
            }
        }
        for name in before.keys().filter(|name| found.contains(*name)) {
            let (was, is) = (&before[name], &after[name]);
            let is_silent = was.0 != is.0 && was.0.len() == is.0.len() && was.1 == is.1;
            if is_silent && now[name] == listed[name] {
                assert!(told.corrupt.contains(name), "{name} in {}", shown());
            }
            exchanged += usize::from(is_silent && now[name] != listed[name]);
        }
        // Where only directories have got names that were free, nothing is read.
        let are_renamed = |step: &Step| matches!(step, Step::Rename(pairs) if pairs.len() == 1);
        let are_free = before.keys().all(|name| !found.contains(name) || listed[name] == now[name]);
        if steps.iter().all(are_renamed) && are_free {
            assert!(told.read.is_empty() && told.corrupt.is_empty() && told.gone.is_empty(), "{}", shown());
        }
        moved += told.moved.len();
        corrupt += told.corrupt.len();
    }
    eprintln!(
        "{moved} files below renamed directories, {corrupt} corrupt, {exchanged} exchanged with files alike"
    );
    assert!(moved > 100 && corrupt > 0 && exchanged > 10, "{moved}, {corrupt}, {exchanged}");
}
