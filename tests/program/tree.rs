//! Trees with every name that a file system allows, compared with `find`, `sort` and `sha256sum`.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat};

use crate::work::{Dir, digest, have};

/// Names that sorting and printing have to get right.
pub(crate) fn nasty_names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        &b"a"[..],
        b"a.b",
        b"a-b",
        b"a b",
        b"a0",
        b"A",
        b" leading",
        b"trailing ",
        b"  two  spaces  ",
        b"-n",
        b"--help",
        b"*star",
        b"#comment",
        b"~tilde",
        b"new\nline",
        b"\nfirst",
        b"last\n",
        b"back\\slash",
        b"\\",
        b"\\n",
        b"return\r",
        b"\r",
        b"both\r\n",
        b"tab\t",
        b"\x1b[31mred",
        b"\x01\x02\x7f",
        b"\xff\xfe",
        b"latin \xe9",
        b"half \xc3",
        "größe".as_bytes(),
        "日本".as_bytes(),
        "c1 \u{9b} and \u{202e}txt".as_bytes(),
        b"(paren)",
        b"x) = y",
        b"comma,quote\"",
        b"...",
        b".hidden",
        b"%25",
    ]
    .map(Vec::from)
    .into();
    names.push(vec![b'l'; 255]);
    names.push(vec![b'\\'; 255]);
    names.push(vec![0xff; 255]);
    names
}

/// A tree of nasty names: as files, and as directories with files.
pub(crate) fn nasty(dir: &Dir, root: &str) {
    for (index, name) in nasty_names().iter().enumerate() {
        let of = |parts: &[&[u8]]| [&[root.as_bytes()][..], parts].concat().join(&b'/');
        let content = |kind: &str| format!("{kind} {index}");
        dir.write(of(&[b"files", name]), content("file"));
        dir.write(of(&[b"directories", name, b"x"]), content("inner"));
        dir.write(of(&[b"directories", name, b"deep/er", name]), content("deep"));
    }
    // A file whose name is a directory's and one byte: `/` sorts between `.` and `0`.
    for name in ["d/x", "d.x", "d-x", "d0", "d!", "d/.x", "d/x-/y", "d/x.", "e/f/g", "e/f.g", "e/f-g", "e/f0"]
    {
        dir.write(format!("{root}/order/{name}"), name);
    }
    dir.make(format!("{root}/empty/er"));
    dir.write(format!("{root}/zero"), "");
    dir.write(format!("{root}/larger"), vec![7; (1 << 20) + 1]);
}

fn reference(dir: &Dir, root: &str) -> Vec<u8> {
    let script = format!("find {root} -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum --");
    dir.shell(&script).run().code(0).stdout
}

#[test]
fn a_nasty_tree_comes_out_byte_for_byte_as_find_sort_and_sha256sum_print_it() {
    if !have("sha256sum") {
        return;
    }
    let dir = Dir::new();
    nasty(&dir, "tree");
    let expected = reference(&dir, "tree");
    assert!(expected.len() > 10_000, "the reference is about something");
    for jobs in ["1", "2", "5"] {
        dir.hashlane(["sum", "-q", "-j", jobs, "tree"]).run().code(0).printed(&expected).said(&[]);
    }
    dir.hashlane(["sum", "-q", "."]).run().code(0).printed(reference(&dir, "."));
    dir.hashlane(["sum", "-q", "tree/"]).run().code(0).printed(reference(&dir, "tree/"));
}

#[test]
fn a_wide_directory_comes_out_in_byte_order() {
    if !have("sha256sum") {
        return;
    }
    let dir = Dir::new();
    dir.make("w");
    for number in 0..3000u32 {
        let name = format!("w/{:x}", number.wrapping_mul(2_654_435_761));
        match number % 50 {
            0 => dir.write(format!("{name}/inner"), name),
            _ => dir.write(&name, &name),
        };
    }
    dir.hashlane(["sum", "-q", "w"]).run().code(0).printed(reference(&dir, "w"));
}

#[test]
fn paths_longer_than_the_kernel_takes_in_one_call_are_read() {
    let dir = Dir::new();
    let component = "p".repeat(250);
    let mut at = openat(CWD, dir.root(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
    let mut expected = String::new();
    let mut path = "deep".to_owned();
    mkdirat(&at, "deep", Mode::RWXU).unwrap();
    at = openat(&at, "deep", OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
    for level in 0..20 {
        let name = CString::new(format!("leaf {level}")).unwrap();
        let file = openat(&at, &name, OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        rustix::io::write(&file, format!("{level}").as_bytes()).unwrap();
        expected += &format!("{}  {path}/leaf {level}\n", digest("sha256", level.to_string()));
        mkdirat(&at, &component, Mode::RWXU).unwrap();
        at = openat(&at, &component, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        path = format!("{path}/{component}");
    }
    assert!(path.len() > 4096);
    // `leaf` comes before `pppp`, so each level's file comes before what lies deeper.
    let ran = dir.hashlane(["sum", "-q", "deep"]).run().code(0).printed(&expected).said(&[]);
    dir.write("SHA256SUMS", &ran.stdout);
    let checked = dir.hashlane(["check", "-q", "--complete", "--root", "deep", "SHA256SUMS"]).run();
    checked.code(0).printed("").said(&[]);
    // The list itself, as names: also where each name is one too long for a call.
    let names: Vec<u8> = expected.lines().flat_map(|line| [&line.as_bytes()[66..], b"\0"].concat()).collect();
    dir.hashlane(["sum", "-q", "--files0-from", "-"]).input(names).run().code(0).printed(&expected);
}

#[test]
fn empty_directories_and_an_empty_tree_give_no_lines_and_no_error() {
    let dir = Dir::new();
    dir.make("empty/er").make("empty/est");
    dir.hashlane(["sum", "empty"]).run().code(0).printed("").said(&["0 files, 0 B (0 B)"]);
}

#[test]
fn symbolic_links_that_are_found_are_counted_and_passed_over() {
    let dir = Dir::new();
    dir.write("t/file", "1").link("file", "t/link").link("../t", "t/loop").link("nowhere", "t/dangling");
    dir.fifo("t/fifo");
    dir.hashlane(["sum", "t"])
        .run()
        .code(0)
        .printed(crate::work::gnu(&[("t/file", "1")]))
        .said(&["skipped: 3 symbolic links, 1 special file", "1 file, 1 B (1 B)"]);
}

#[test]
fn symbolic_links_that_are_named_are_followed() {
    let dir = Dir::new();
    dir.write("t/file", "1").link("t/file", "to-file").link("t", "to-dir").link("nowhere", "dangling");
    dir.hashlane(["sum", "-q", "to-file", "to-dir", "dangling"])
        .run()
        .code(16)
        .printed(crate::work::gnu(&[("to-file", "1"), ("to-dir/file", "1")]))
        .said(&["dangling: No such file or directory"]);
}

#[test]
fn followed_links_that_loop_or_dangle_are_errors_and_end() {
    let dir = Dir::new();
    dir.write("t/file", "1").link("file", "t/link").link("../t", "t/loop").link("nowhere", "t/dangling");
    dir.link("self", "t/self").write("other/x", "2").link("../other", "t/other");
    dir.hashlane(["sum", "--follow", "t"])
        .run()
        .code(16)
        .printed(crate::work::gnu(&[("t/file", "1"), ("t/link", "1"), ("t/other/x", "2")]))
        .said(&[
            "t/dangling: No such file or directory",
            "t/loop: Too many levels of symbolic links",
            "t/self: Too many levels of symbolic links",
            "3 could not be read",
            "3 files, 3 B (3 B)",
        ]);
}

#[test]
fn a_file_with_several_names_is_read_once_and_listed_by_each() {
    let dir = Dir::new();
    let content = "x".repeat(3 << 20);
    dir.write("t/a", &content);
    for name in ["t/b", "t/c/d"] {
        dir.make("t/c");
        fs::hard_link(dir.path("t/a"), dir.path(name)).unwrap();
    }
    let lines = crate::work::gnu(&[("t/a", &content), ("t/b", &content), ("t/c/d", &content)]);
    let read = |arguments: &[&str], said: &str| {
        let ran =
            dir.hashlane(["sum", "--manifest-format", "gnu"]).args(arguments).run().code(0).printed(&lines);
        assert_eq!(ran.messages(), [said]);
    };
    read(&["t"], "3 files, 9.44 MB (9.00 MiB) by all their names, 3.15 MB (3.00 MiB) read");
    read(&["--no-links-once", "t"], "3 files, 9.44 MB (9.00 MiB)");
}

#[test]
fn the_walk_stays_on_one_file_system_if_asked_to() {
    if !crate::work::have_mounts() {
        return;
    }
    let dir = Dir::new();
    dir.write("t/a", "1").make("t/mounted").write("t/z", "3");
    let script = "mount -t tmpfs none t/mounted && echo -n 2 > t/mounted/b && exec \"$0\" sum";
    let run = |options: &str| {
        dir.command(
            "unshare",
            ["--mount", "sh", "-c", &format!("{script} {options} t"), crate::work::HASHLANE],
        )
        .run()
    };
    run("-q").code(0).printed(crate::work::gnu(&[("t/a", "1"), ("t/mounted/b", "2"), ("t/z", "3")]));
    run("--one-file-system")
        .code(0)
        .printed(crate::work::gnu(&[("t/a", "1"), ("t/z", "3")]))
        .said(&["skipped: 1 other file system", "2 files, 2 B (2 B)"]);
}

#[test]
fn globs_and_ignore_files_choose_what_is_read() {
    let dir = Dir::new();
    for name in ["t/a.raw", "t/b.jpg", "t/cache/c.raw", "t/sub/d.raw", "t/sub/cache.raw"] {
        dir.write(name, name);
    }
    dir.write("ignored", "# what is not kept\n/cache/\n*.jpg\n");
    let listed = |arguments: &[&str], names: &[&str], messages: &[&str]| {
        let files: Vec<_> = names.iter().map(|&name| (name, name)).collect();
        dir.hashlane(["sum"])
            .args(arguments)
            .arg("t")
            .run()
            .code(0)
            .printed(crate::work::gnu(&files))
            .said(messages);
    };
    listed(
        &["--include", "*.raw"],
        &["t/a.raw", "t/cache/c.raw", "t/sub/cache.raw", "t/sub/d.raw"],
        &["skipped: 1 excluded name", "4 files, 46 B (46 B)"],
    );
    listed(
        &["--exclude", "cache", "--exclude", "sub/d.*"],
        &["t/a.raw", "t/b.jpg", "t/sub/cache.raw"],
        &["skipped: 2 excluded names", "3 files, 29 B (29 B)"],
    );
    listed(
        &["--ignore-file", "ignored"],
        &["t/a.raw", "t/sub/cache.raw", "t/sub/d.raw"],
        &["skipped: 2 excluded names", "3 files, 33 B (33 B)"],
    );
    dir.hashlane(["sum", "--exclude", "[", "t"])
        .run()
        .code(64)
        .said(&["--exclude [: unclosed character class; missing ']'; write \\[ for the character itself"]);
    dir.hashlane(["sum", "--ignore-file", "nowhere", "t"])
        .run()
        .code(64)
        .said(&["--ignore-file nowhere: No such file or directory"]);
}

#[test]
fn a_directory_is_refused_where_directories_are_not_walked() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("b", "2");
    dir.hashlane(["sum", "-q", "--no-recursive", "t", "b"])
        .run()
        .code(16)
        .printed(crate::work::gnu(&[("b", "2")]))
        .said(&["t: Is a directory; leave out --no-recursive"]);
    dir.hashlane(["sum", "-q", "--no-recursive", "-r", "t"]).run().code(0);
}

#[test]
fn holes_are_not_read_and_count_as_the_zeros_that_they_are() {
    if !have("sha256sum") || !have("strace") {
        return;
    }
    let dir = Dir::new();
    let sparse = fs::File::create(dir.path("sparse")).unwrap();
    let data = vec![0x5a; 1 << 20];
    sparse.set_len(256 << 20).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&sparse, &data, 99 << 20).unwrap();
    drop(sparse);
    let facts = fs::metadata(dir.path("sparse")).unwrap();
    let expected = dir.command("sha256sum", ["sparse"]).run().code(0).stdout;
    dir.hashlane(["sum", "-q", "sparse"]).run().code(0).printed(&expected);
    if std::os::unix::fs::MetadataExt::blocks(&facts) * 512 > 2 << 20 {
        // This file system keeps no holes.
        return;
    }
    let calls =
        ["-f", "-qq", "-e", "trace=read,pread64,preadv,preadv2", "-o", "calls", crate::work::HASHLANE];
    dir.command("strace", calls).args(["sum", "-q", "sparse"]).run().code(0).printed(&expected);
    let calls = String::from_utf8(dir.read("calls")).unwrap();
    let read: u64 = calls.lines().filter_map(|call| call.rsplit_once("= ")?.1.parse::<u64>().ok()).sum();
    assert!((1 << 20..3 << 20).contains(&read), "{read} bytes were read");
}

#[test]
fn a_name_need_not_exist_for_the_others_to_be_read() {
    let dir = Dir::new();
    dir.write("a", "1");
    dir.hashlane(["sum", "nowhere", "a", "", "a/b"])
        .run()
        .code(16)
        .printed(crate::work::gnu(&[("a", "1")]))
        .said(&[
            "nowhere: No such file or directory",
            "\"\": No such file or directory",
            "a/b: Not a directory",
            "3 could not be read",
            "1 file, 1 B (1 B)",
        ]);
}

/// Not a test of the program but of this file: the tree has what it says.
#[test]
fn the_nasty_tree_has_all_its_files() {
    let dir = Dir::new();
    nasty(&dir, "tree");
    for name in nasty_names() {
        let path = [b"tree/files/", &name[..]].concat();
        let found = rustix::fs::statat(CWD, dir.path(path), AtFlags::SYMLINK_NOFOLLOW);
        assert!(found.is_ok(), "{}", std::ffi::OsStr::from_bytes(&name).display());
    }
}
