//! Walks: their order, and what they pass over.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_engine::{EngineChoice, Filter, Found, Input, Memory, Skipped, WalkOptions, list, list_by};
use hashlane_io::Directory;
use hashlane_record::{Cause, Failure, Obstacle, Operation, Outcome};
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::*;

/// The paths that a walk finds, in its order: the same by one thread and by several.
fn walked(root: &Path, options: &WalkOptions) -> Vec<Vec<u8>> {
    let (skipped, found) = walked_by(1, root, options);
    for threads in [2, 7] {
        assert_eq!(walked_by(threads, root, options), (skipped, found.clone()), "{threads} threads");
    }
    let paths = found.into_iter().map(|(path, error)| match error {
        None => path,
        Some(error) => panic!("{}: {error}", String::from_utf8_lossy(&path)),
    });
    paths.collect()
}

/// A path, and what is wrong with it.
type Told = (Vec<u8>, Option<String>);

/// What a walk by `threads` threads skips, and what it finds, in its order.
fn walked_by(threads: usize, root: &Path, options: &WalkOptions) -> (Skipped, Vec<Told>) {
    let mut paths = Vec::new();
    let skipped = list_by(threads, &item(root), options, &mut |found| {
        paths.push(match found {
            Found::File { directory, name } => {
                assert!(directory.facts(name).is_ok(), "it can be looked at");
                (directory.join(name.to_bytes()), None)
            }
            Found::Failed { path, error } => (path, Some(error.to_string())),
        });
        ControlFlow::Continue(())
    });
    (skipped.expect("a good name"), paths)
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    // The bytes around the slash are those that a wrong order shows with.
    let byte =
        prop_oneof![Just(b'a'), Just(b'.'), Just(b'-'), Just(b'0'), Just(0x80_u8), Just(0xff), Just(b' ')];
    prop::collection::vec(byte, 1..4).prop_filter("a name", |name| name != b"." && name != b"..")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_walk_goes_in_byte_order_of_the_whole_path(
        paths in prop::collection::vec(prop::collection::vec(name(), 1..5), 0..40),
        links in prop::collection::vec((name(), any::<prop::sample::Index>()), 0..3),
        names_bytes in prop_oneof![Just(1_usize), Just(60), Just(1 << 20)],
    ) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (root, elsewhere) = (directory.path().join("root"), directory.path().join("elsewhere"));
        let mut expected = Vec::new();
        fs::create_dir(&root).expect("mkdir");
        for components in &paths {
            let path = components.iter().fold(root.clone(), |path, name| path.join(OsStr::from_bytes(name)));
            // A name that is a file already cannot be a directory too, nor the other way round.
            if fs::create_dir_all(path.parent().expect("the root at least")).is_ok() {
                let _ = File::create_new(&path);
            }
        }
        collect(&root, &mut expected);
        for name in ["x", "x.y", "z/w"] {
            fs::create_dir_all(elsewhere.join(name).parent().expect("a parent")).expect("mkdir");
            fs::write(elsewhere.join(name), b"").expect("write");
        }
        for (name, place) in &links {
            let mut places = vec![root.clone()];
            places.extend(expected.iter().filter_map(|file| file.parent().map(Path::to_owned)));
            let link = place.get(&places).join(OsStr::from_bytes(name));
            let _ = symlink(&elsewhere, link);
        }
        expected.clear();
        collect(&root, &mut expected);
        let memory = Memory { names_bytes, ..Memory::default() };
        for follow in [false, true] {
            let mut all: Vec<Vec<u8>> = expected
                .iter()
                .filter(|path| follow || !path_has_link(&root, path))
                .map(|path| path.as_os_str().as_bytes().to_vec())
                .collect();
            all.sort();
            prop_assert_eq!(walked(&root, &WalkOptions { follow, memory, ..plain_walk() }), all);
        }
    }
}

/// All files below, through symbolic links as well.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("list") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

fn path_has_link(root: &Path, path: &Path) -> bool {
    path.ancestors().take_while(|&path| path != root).any(Path::is_symlink)
}

#[test]
fn a_directory_beyond_the_memory_for_names_is_sorted_through_a_temporary_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut expected: Vec<_> =
        (0..3000).map(|number| format!("{:08x}", number * 2_654_435_761_u64 % (1 << 32))).collect();
    expected.iter().for_each(|name| drop(File::create(directory.path().join(name)).expect("create")));
    expected.sort();
    let root = directory.path().as_os_str().as_bytes();
    let expected: Vec<_> = expected.iter().map(|name| [root, b"/", name.as_bytes()].concat()).collect();
    for names_bytes in [1, 1000, 20_000, 1 << 20] {
        let memory = Memory { names_bytes, ..Memory::default() };
        assert_eq!(walked(directory.path(), &WalkOptions { memory, ..plain_walk() }), expected);
    }
    // Where that file cannot be made, the directory is reported and the run goes on.
    let mut options = options(2, &["crc32"]);
    options.walk.memory.names_bytes = 1000;
    options.walk.spill_directory = directory.path().join("missing");
    let (records, summary) = run(options, [path(directory.path())]);
    assert_eq!((records.len(), summary.failed), (1, 1));
    assert!(matches!(records[0].outcome, Outcome::Failed(Failure { operation: Operation::List, .. })));
}

#[test]
fn directories_in_which_there_is_nothing_are_counted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path();
    ["a", "b/c", "d/e", "d/f"].iter().for_each(|name| fs::create_dir_all(root.join(name)).expect("mkdir"));
    fs::write(root.join("d/file"), b"content").expect("write");
    let counted = |options| run(options, [path(root)]).1.skipped.empty_directories;
    assert_eq!(counted(options(2, &["crc32"])), 4);
    // What is listed in pieces has names.
    let mut small = options(2, &["crc32"]);
    small.walk.memory.names_bytes = 1;
    assert_eq!(counted(small), 4);
}

#[test]
fn symbolic_links_are_passed_over_unless_they_are_followed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("b")).expect("mkdir");
    fs::write(root.join("b/file"), b"content").expect("write");
    symlink("b/file", root.join("a")).expect("symlink");
    symlink("b", root.join("c")).expect("symlink");
    symlink("missing", root.join("d")).expect("symlink");
    let (records, summary) = run(options(2, &["crc32"]), [path(&root)]);
    assert_eq!((records.len(), summary.skipped.symlinks), (1, 3));
    let mut followed = options(2, &["crc32"]);
    followed.walk.follow = true;
    let (records, summary) = run(followed, [path(&root)]);
    let paths: Vec<_> = records.iter().map(|record| record.path.clone()).collect();
    assert_eq!(paths, ["a", "b/file", "c/file", "d"].map(|name| item(&root.join(name))));
    assert_eq!((summary.files, summary.failed), (3, 1));
    assert_eq!(
        records[3].outcome,
        Outcome::Failed(Failure { operation: Operation::Open, cause: Cause::System(2), offset_bytes: 0 })
    );
}

#[test]
fn a_loop_of_symbolic_links_is_reported_and_left() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir_all(directory.path().join("a/b")).expect("mkdir");
    fs::write(directory.path().join("a/b/file"), b"").expect("write");
    symlink("../..", directory.path().join("a/b/up")).expect("symlink");
    symlink("self", directory.path().join("self")).expect("symlink");
    let mut options = options(2, &["crc32"]);
    options.walk.follow = true;
    let (records, summary) = run(options, [path(directory.path())]);
    let paths: Vec<_> = records.iter().map(|record| record.path.clone()).collect();
    assert_eq!(paths, ["a/b/file", "a/b/up", "self"].map(|name| item(&directory.path().join(name))));
    assert_eq!((summary.files, summary.failed), (1, 2));
}

#[test]
fn a_directory_that_may_not_be_listed_fails_in_its_place() {
    if is_child() {
        return walk_what_may_not_be_listed();
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    open_to_all(directory.path());
    for name in ["a", "b", "c"] {
        fs::create_dir(directory.path().join(name)).expect("mkdir");
        fs::write(directory.path().join(name).join("file"), b"content").expect("write");
    }
    fs::set_permissions(directory.path().join("b"), fs::Permissions::from_mode(0o0)).expect("chmod");
    in_child("walk::a_directory_that_may_not_be_listed_fails_in_its_place", |command| {
        command.env("HASHLANE_TEST_ROOT", directory.path());
        // To root nothing is forbidden.
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
    });
    fs::set_permissions(directory.path().join("b"), fs::Permissions::from_mode(0o755)).expect("chmod");
}

fn walk_what_may_not_be_listed() {
    let root = PathBuf::from(std::env::var_os("HASHLANE_TEST_ROOT").expect("set by the test"));
    for workers in [1, 3] {
        let (records, summary) = run(options(workers, &["crc32"]), [path(&root)]);
        let paths: Vec<_> = records.iter().map(|record| record.path.clone()).collect();
        assert_eq!(paths, ["a/file", "b", "c/file"].map(|name| item(&root.join(name))));
        assert_eq!(
            records[1].outcome,
            Outcome::Failed(Failure {
                operation: Operation::List,
                cause: Cause::System(13),
                offset_bytes: 0
            })
        );
        assert_eq!((summary.files, summary.failed), (2, 1));
        let (_, found) = walked_by(workers, &root, &plain_walk());
        let refused = "Permission denied (os error 13)";
        let told = [("a/file", None), ("b", Some(refused)), ("c/file", None)];
        let told = told
            .map(|(name, error)| (root.join(name).as_os_str().as_bytes().to_vec(), error.map(str::to_owned)));
        assert_eq!(found, told, "{workers} threads");
    }
}

#[test]
fn several_threads_list_what_one_lists_in_its_order() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("root");
    let make = |name: &[u8]| {
        let path = root.join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().expect("the root at least")).expect("mkdir");
        fs::write(path, b"").expect("write");
    };
    for name in [&b"a-b"[..], b"a/b", b"a.c", b"\xff\xfe/\x80", b"\xff/a", b"a/-", b"z/a b/c"] {
        make(name);
    }
    for wide in 0..150 {
        for name in ["1", "2/3", "2-", "4/5/6"] {
            make(format!("wide/{}/{name}", wide * 7919 % 150).as_bytes());
        }
    }
    // More names than are looked at for the next directories, or than there is room for ahead.
    for file in 0..3000 {
        make(format!("many/{file}").as_bytes());
        make(format!("many/{file}-directories/{file}").as_bytes());
        fs::create_dir_all(root.join(format!("empty/{}/{file}", file % 3))).expect("mkdir");
    }
    make(&[&b"deep/"[..], &b"d/".repeat(60), b"file"].concat());
    symlink("a", root.join("linked")).expect("symlink");
    symlink("nowhere", root.join("deep/dangling")).expect("symlink");
    let few = Memory { names_bytes: 100_000, ..Memory::default() };
    let filter = Filter::new(&["**/*3*".to_owned()], &["wide/1*".to_owned()], &[]).expect("globs");
    for options in [
        plain_walk(),
        WalkOptions { memory: few, ..plain_walk() },
        WalkOptions { filter, ..plain_walk() },
        WalkOptions { follow: true, ..plain_walk() },
    ] {
        let (skipped, found) = walked_by(1, &root, &options);
        assert!(found.len() > 1000 && found.is_sorted());
        for threads in [2, 5, 40] {
            assert_eq!(walked_by(threads, &root, &options), (skipped, found.clone()), "{threads} threads");
        }
    }
    // A visitor that has enough ends all of them.
    let mut left = 100;
    let ended = list_by(5, &item(&root), &plain_walk(), &mut |_| {
        left -= 1;
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(ended.is_ok() && left == 0);
}

#[test]
fn other_file_systems_are_left_out_when_that_is_asked_for() {
    let (root, mounted) = (Path::new("/dev"), Path::new("/dev/shm"));
    let device = |path| fs::metadata(path).map(|facts| facts.dev()).ok();
    if device(mounted).is_none() || device(root) == device(mounted) {
        return skipped("/dev/shm is no file system of its own here");
    }
    let kept = tempfile::NamedTempFile::new_in(mounted);
    let options = WalkOptions { one_file_system: true, ..plain_walk() };
    let mut found = Vec::new();
    let skipped = list(&item(root), &options, &mut |seen| {
        if let Found::File { directory, .. } = seen {
            found.push(directory.path());
        }
        ControlFlow::Continue(())
    });
    assert!(skipped.expect("a good name").other_filesystem > 0);
    assert!(!found.iter().any(|path| path.starts_with(b"/dev/shm")));
    drop(kept);
}

#[test]
fn a_tree_deeper_than_a_path_may_be_long_is_walked() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut at =
        openat(CWD, directory.path(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).expect("open");
    for _ in 0..60 {
        let name = "d".repeat(100);
        mkdirat(&at, &name, Mode::RWXU).expect("mkdir");
        at = openat(&at, &name, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).expect("open");
        openat(&at, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).expect("create");
    }
    let (records, summary) = run(options(2, &["crc32"]), [path(directory.path())]);
    assert_eq!((records.len(), summary.files), (60, 60));
    assert!(records.is_sorted_by(|a, b| a.path < b.path), "in byte order, `d…` before `file`");
}

#[test]
fn what_is_no_file_below_a_base_is_an_obstacle_and_no_refusal_of_the_system() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_files(directory.path(), &[10]);
    mknodat(CWD, directory.path().join("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("mkfifo");
    let base = Arc::new(Directory::by_path(directory.path().as_os_str().as_encoded_bytes()));
    for kind in reading_kinds() {
        let input = |name: &str| Input::File {
            path: name.into(),
            base: Some(Arc::clone(&base)),
            algorithms: algorithms(&["sha256"]),
            division: None,
            tag: Box::default(),
        };
        let mut options = options(1, &["sha256"]);
        options.engine = EngineChoice::Only(kind);
        let (records, _) = run(options, [input("fifo"), input("file 00000"), input("missing")]);
        let failed = |cause| Outcome::Failed(Failure { operation: Operation::Open, cause, offset_bytes: 0 });
        assert_eq!(records[0].outcome, failed(Cause::Obstacle(Obstacle::Special)), "{kind:?}");
        assert_eq!(records[1].outcome, Outcome::Read);
        assert_eq!(records[2].outcome, failed(Cause::System(2)));
    }
}
