//! What cannot be read: named, counted, in the exit code, and no hindrance to the rest.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::work::{Dir, digest, gnu};

fn forbid(dir: &Dir, name: &str) {
    fs::set_permissions(dir.path(name), Permissions::from_mode(0o000)).unwrap();
}

#[test]
fn a_file_that_may_not_be_read_is_reported_and_the_others_are_listed() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/secret", "2").write("t/z", "3");
    forbid(&dir, "t/secret");
    let said = ["t/secret: Permission denied", "1 could not be read", "2 files, 2 B (2 B)"];
    let listed = gnu(&[("t/a", "1"), ("t/z", "3")]);
    dir.hashlane(["sum", "t"]).without_rights().run().code(16).printed(&listed).said(&said);
    dir.hashlane(["sum", "t/a", "t/secret", "t/z"])
        .without_rights()
        .run()
        .code(16)
        .printed(&listed)
        .said(&said);
}

#[test]
fn a_directory_that_may_not_be_listed_is_reported_and_the_others_are_walked() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/locked/b", "2").write("t/z", "3");
    forbid(&dir, "t/locked");
    dir.hashlane(["sum", "-q", "t"])
        .without_rights()
        .run()
        .code(16)
        .printed(gnu(&[("t/a", "1"), ("t/z", "3")]))
        .said(&["t/locked: Permission denied (listing the directory)"]);
    dir.hashlane(["sum", "-q", "t/locked"])
        .without_rights()
        .run()
        .code(16)
        .said(&["t/locked: Permission denied (listing the directory)"]);
}

#[test]
fn jsonl_lists_a_file_that_could_not_be_read_with_what_the_system_said() {
    let dir = Dir::new();
    dir.write("t/secret", "2");
    forbid(&dir, "t/secret");
    let ran = dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "t"]).without_rights().run().code(16);
    ran.printed(
        "{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"t/secret\",\"outcome\":\"failed\",\
         \"operation\":\"open\",\"errno\":13,\"offset_bytes\":0,\"error\":\"Permission denied\"}\n",
    )
    .said(&["t/secret: Permission denied"]);
}

#[test]
fn an_error_of_the_device_is_reported_with_its_place() {
    let dir = Dir::new();
    dir.write("a", "1").write("z", "2");
    dir.hashlane(["sum", "-q", "a", "/proc/self/mem", "z"])
        .run()
        .code(16)
        .printed(gnu(&[("a", "1"), ("z", "2")]))
        .said(&["/proc/self/mem: Input/output error (reading)"]);
}

#[test]
fn a_file_that_vanished_since_it_was_listed_is_reported() {
    let dir = Dir::new();
    dir.write("a", "1").write("z", "2");
    dir.hashlane(["sum", "-q", "--files-from", "-"])
        .input("a\ngone\nz\n")
        .run()
        .code(16)
        .printed(gnu(&[("a", "1"), ("z", "2")]))
        .said(&["gone: No such file or directory"]);
}

#[test]
fn a_check_tells_missing_files_from_unreadable_ones() {
    let dir = Dir::new();
    dir.write("a", "1").write("secret", "2").write("file", "3").make("directory");
    forbid(&dir, "secret");
    let names = ["a", "secret", "gone", "file/below", "directory"];
    let list: String = names.iter().map(|name| format!("{}  {name}\n", digest("sha256", "1"))).collect();
    dir.write("SHA256SUMS", list);
    dir.hashlane(["check", "SHA256SUMS"])
        .without_rights()
        .run()
        .code(2 + 16)
        .printed(
            "a: OK\nsecret: FAILED open or read\ngone: FAILED open or read\nfile/below: FAILED open or read\n\
             directory: FAILED open or read\n",
        )
        .said(&[
            "secret: Permission denied",
            "gone: No such file or directory",
            "file/below: Not a directory",
            "directory: Is a directory",
            "1 OK, 2 missing, 2 unreadable; 1 file, 1 B (1 B)",
        ]);
}

#[test]
fn messages_escape_what_a_terminal_would_obey() {
    let dir = Dir::new();
    let name = crate::work::bytes(b"\x1b[31m\n\xff\\");
    dir.hashlane(["sum".as_ref(), "-q".as_ref(), name.as_os_str()])
        .run()
        .code(16)
        .said(&["\\x1b[31m\\n\\xff\\\\: No such file or directory"]);
}
