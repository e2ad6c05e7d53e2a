use super::*;

/// A file on its way to `X`, with something in it, in a directory of its own.
fn on_its_way() -> (tempfile::TempDir, PathBuf, AtomicFile) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("X");
    let made = partial(&path).expect("a new file");
    (&made).write_all(b"new").expect("write");
    (directory, path, made)
}

fn partial(path: &Path) -> Result<AtomicFile, ReplaceError> {
    AtomicFile::partial(path, |_, _| {})
}

fn count(directory: &Path) -> usize {
    fs::read_dir(directory).expect("list").count()
}

#[test]
fn a_name_that_was_taken_meanwhile_is_replaced_only_where_that_was_decided() {
    for (existing, expected) in [(Existing::Kept, b"old"), (Existing::Replaced, b"new")] {
        let (_directory, path, made) = on_its_way();
        fs::write(&path, "old").expect("write");
        let placed = made.put_in_place(existing);
        assert_eq!(fs::read(&path).expect("read"), expected);
        assert_eq!(
            (placed.is_ok(), made.beside().exists()),
            (existing == Existing::Replaced, placed.is_err())
        );
        assert!(placed.is_ok() || placed.is_err_and(|error| error.is_taken()));
    }
}

#[test]
fn a_file_that_another_run_has_set_aside_does_not_get_the_name_of_its_successor() {
    let (_directory, path, made) = on_its_way();
    // As a run does where there are no locks.
    let kept = set_aside(made.beside()).expect("renamed");
    fs::write(made.beside(), "of the other run").expect("write");
    let placed = made.put_in_place(Existing::Replaced);
    assert!(matches!(placed, Err(ReplaceError::Displaced { .. })), "{placed:?}");
    assert!(!path.exists());
    assert_eq!(fs::read(kept).expect("read"), b"new");
    made.discard().expect("nothing to remove");
    assert_eq!(fs::read(made.beside()).expect("it is still there"), b"of the other run");
}

#[test]
fn what_an_earlier_run_left_is_locked_until_it_is_set_aside() {
    let (_directory, path, made) = on_its_way();
    let beside = made.beside().to_owned();
    drop(made);
    let left = claimed(&beside, false).expect("nobody is writing it");
    assert!(matches!(left, Claimed::Left(_)));
    partial(&path).expect_err("it is locked");
    assert_eq!(fs::read(&beside).expect("it was not set aside"), b"new");
}

#[test]
fn what_was_changed_meanwhile_is_not_replaced_by_what_was_made_of_it() {
    for (change, is_replaced) in [(None, true), (Some("other"), false)] {
        let (_directory, path, made) = on_its_way();
        fs::write(&path, "old").expect("write");
        let version = FileVersion::of(&path);
        if let Some(change) = change {
            fs::write(&path, change).expect("write");
        }
        let placed = made.put_in_place(Existing::Unchanged(version));
        assert_eq!(placed.is_ok(), is_replaced);
        assert_eq!(fs::read(&path).expect("read"), change.unwrap_or("new").as_bytes());
        assert!(!made.beside().exists());
    }
}

#[test]
fn a_file_that_is_being_written_is_refused() {
    let (_directory, path, made) = on_its_way();
    let refused = partial(&path).expect_err("it is locked");
    assert!(
        refused.to_string().ends_with(": another run is writing it; wait for that run, or name another file")
    );
    drop(made);
    let mut said = Vec::new();
    let kept = |from: &Path, to: &Path| said.push((from.to_owned(), to.to_owned()));
    let _again = AtomicFile::partial(&path, kept).expect("it is kept, and a new one made");
    let (beside, aside) = (partial_name(&path), with_ending(&path, ".partial.1"));
    assert_eq!(fs::read(&aside).expect("read"), b"new");
    assert_eq!(said, [(beside, aside)]);
}

#[test]
fn what_cannot_be_written_under_the_partial_name_is_refused_by_kind() {
    let (_directory, path, made) = on_its_way();
    drop(made);
    let beside = partial_name(&path);
    let replaced_by = |make: &dyn Fn()| {
        if fs::symlink_metadata(&beside).is_ok_and(|facts| facts.is_dir()) {
            fs::remove_dir(&beside).expect("remove");
        } else {
            fs::remove_file(&beside).expect("remove");
        }
        make();
        partial(&path).expect_err("it is in the way")
    };
    let fifo = replaced_by(&|| {
        use rustix::fs::{FileType, Mode, mknodat};
        mknodat(CWD, &beside, FileType::Fifo, Mode::from_raw_mode(0o644), 0).expect("mknod");
    });
    assert!(matches!(fifo, ReplaceError::NotRegular { .. }), "{fifo}");
    let directory = replaced_by(&|| fs::create_dir(&beside).expect("mkdir"));
    assert!(matches!(directory, ReplaceError::Write { .. }), "{directory}");
    assert!(!path.exists());
}

#[test]
fn a_link_under_the_partial_name_is_kept_and_neither_followed_nor_written_into() {
    let (directory, path, made) = on_its_way();
    drop(made);
    let (beside, aside) = (partial_name(&path), with_ending(&path, ".partial.1"));
    let other = directory.path().join("other");
    let links: [&dyn Fn(); 2] = [&|| fs::hard_link(&other, &beside).expect("link"), &|| {
        std::os::unix::fs::symlink("other", &beside).expect("symlink")
    }];
    for link in links {
        fs::remove_file(&beside).expect("remove");
        fs::write(&other, "").expect("write");
        link();
        let made = partial(&path).expect("a file of its own");
        (&made).write_all(b"new").expect("write");
        assert_eq!(fs::read(&other).expect("read"), b"");
        fs::remove_file(&aside).expect("what was there is kept");
    }
}

#[test]
fn a_link_that_leads_nowhere_stays_and_what_it_leads_to_is_made() {
    let directory = tempfile::tempdir().expect("a directory");
    let [link, target] = ["link", "target"].map(|name| directory.path().join(name));
    std::os::unix::fs::symlink("target", &link).expect("symlink");
    replace(&link, b"new").expect("written");
    assert_eq!(fs::read(&target).expect("read"), b"new");
    fs::remove_file(&target).expect("remove");
    let made = partial(&link).expect("made");
    assert_eq!(made.path(), target);
    made.put_in_place(Existing::Replaced).expect("put");
    assert!(link.is_symlink() && target.is_file());
}

#[test]
fn both_kinds_take_the_rights_of_what_they_replace_and_leave_nothing_beside_it() {
    let mode = |path: &Path| fs::metadata(path).expect("facts").mode() & 0o777;
    type Make = fn(&Path) -> Result<AtomicFile, ReplaceError>;
    for make in [partial as Make, AtomicFile::hidden] {
        for rights in [0o600, 0o640, 0o664] {
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("X");
            fs::write(&path, "old").expect("write");
            fs::set_permissions(&path, fs::Permissions::from_mode(rights)).expect("chmod");
            let made = make(&path).expect("a new file");
            assert_eq!(mode(made.beside()), 0o600, "nobody else may read what is not complete");
            (&made).write_all(b"new").expect("write");
            assert_eq!(fs::read(&path).expect("read"), b"old");
            made.put_in_place(Existing::Replaced).expect("there is room");
            drop(made);
            assert_eq!((fs::read(&path).expect("read"), mode(&path)), (b"new".to_vec(), rights));
            assert_eq!(count(directory.path()), 1);
        }
    }
}

#[test]
fn a_run_that_does_not_come_to_its_end_leaves_a_partial_file_and_no_hidden_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("X");
    drop(AtomicFile::hidden(&path).expect("a new file"));
    assert_eq!(count(directory.path()), 0);
    drop(partial(&path).expect("a new file"));
    assert!(partial_name(&path).exists() && count(directory.path()) == 1);
}

#[test]
fn a_file_is_replaced_whole_and_as_others_are_created() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("file");
    replace(&path, b"before").expect("there is room");
    replace(&path, b"afterwards").expect("there is room");
    assert_eq!(fs::read(&path).expect("it is there"), b"afterwards");
    fs::write(directory.path().join("other"), "").expect("write");
    let mode = |path: &Path| fs::metadata(path).expect("facts").mode();
    assert_eq!(mode(&path), mode(&directory.path().join("other")));
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("other", &link).expect("symlink");
    replace(&link, b"behind").expect("there is room");
    assert!(link.is_symlink() && fs::read(&link).expect("it is there") == b"behind");
    assert_eq!(count(directory.path()), 3);
    replace(Path::new("/dev/null"), b"x").expect("it takes all");
    assert!(!fs::metadata("/dev/null").expect("facts").is_file());
    let nowhere = directory.path().join("nowhere/file");
    let error = replace(&nowhere, b"").expect_err("there is no directory");
    // The name that it has for a while is nobody's business.
    let said = format!("cannot write to {}: No such file or directory (os error 2)", nowhere.display());
    assert_eq!(error.to_string(), said);
}

#[test]
fn a_name_that_is_taken_is_not_taken_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("file");
    put_new(&path, b"first").expect("there is room");
    let again = put_new(&path, b"second").expect_err("it is taken");
    assert!(again.is_taken(), "{again}");
    assert_eq!(fs::read(&path).expect("it is there"), b"first");
    assert_eq!(count(directory.path()), 1);
    crate::try_directory(directory.path()).expect("there is room");
    assert_eq!(count(directory.path()), 1);
}

#[test]
fn what_cannot_have_its_name_stays_under_the_partial_one() {
    let (_directory, path, made) = on_its_way();
    // Something that no file can take the place of.
    fs::create_dir(&path).expect("mkdir");
    fs::write(path.join("file"), "").expect("write");
    for existing in [Existing::Replaced, Existing::Kept] {
        let placed = made.put_in_place(existing);
        assert!(matches!(&placed, Err(ReplaceError::Rename { path: to, .. }) if *to == path), "{placed:?}");
        assert_eq!(fs::read(made.beside()).expect("it is still there"), b"new");
    }
}

#[test]
fn after_so_many_kept_files_somebody_has_to_look() {
    let (_directory, path, made) = on_its_way();
    drop(made);
    for number in 1..=999 {
        fs::write(with_ending(&path, &format!(".partial.{number}")), "").expect("write");
    }
    let refused = partial(&path).expect_err("no number is left");
    assert!(matches!(refused, ReplaceError::TooManyKept { kept: 999, .. }), "{refused}");
    assert_eq!(fs::read(partial_name(&path)).expect("it is still there"), b"new");
}

#[test]
fn a_new_name_replaces_nothing_also_where_the_file_system_does_not_promise_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    for (from, is_directory) in [("file", false), ("directory", true)] {
        if is_directory {
            fs::create_dir(path(from)).expect("mkdir");
        } else {
            fs::write(path(from), "new").expect("write");
        }
        let taken = path("taken");
        fs::write(&taken, "old").expect("write");
        let error = rename_new_without_promise(&path(from), &taken).expect_err("the name is taken");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&taken).expect("read"), b"old");
        let free = path(&format!("free-{from}"));
        rename_new_without_promise(&path(from), &free).expect("the name is free");
        assert!(free.exists() && !path(from).exists());
    }
}

#[test]
fn who_puts_a_new_file_where_one_is_learns_that_the_name_is_taken() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("X");
    put_new(&path, b"old").expect("the name is free");
    assert!(put_new(&path, b"new").expect_err("the name is taken").is_taken());
    assert_eq!(fs::read(&path).expect("read"), b"old");
    assert_eq!(count(directory.path()), 1);
}
