//! `hashlane check` of lists whose names are those of another system, another directory or another machine.

use hashlane_digest::Algorithm;

use crate::work::Dir;

fn of(content: &str) -> String {
    Algorithm::SHA256.digest(content.as_bytes()).to_string()
}

/// Files with their own names as contents, and a list of other names for them.
fn listed(list: &str, files: &[(&str, &[u8])]) -> Dir {
    let dir = Dir::new();
    let mut text = Vec::new();
    for (name, listed) in files {
        dir.write(name, name);
        text.extend_from_slice(of(name).as_bytes());
        text.extend_from_slice(b"  ");
        text.extend_from_slice(listed);
        text.push(b'\n');
    }
    dir.write(list, text);
    dir
}

/// What is said of missing files, and that they are found as it says.
fn is_found_as_said(dir: &Dir, list: &str, said: &str) {
    let ran = dir.hashlane(["check", list]).run();
    assert_eq!(ran.status.code(), Some(2), "{}", ran.stderr);
    let line = format!("hashlane: {said}\n");
    assert!(ran.stderr.contains(&line), "{line}{}", ran.stderr);
    let options = said.split_once(": ").expect("the way is told").1;
    let command = format!("check {options} {list}");
    let words: Vec<_> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
    let found = dir.hashlane(words).run().code(0);
    assert!(!found.stderr.contains("missing"), "{}", found.stderr);
}

#[test]
fn names_of_windows_are_read_and_proposed() {
    let files: [(&str, &[u8]); 2] = [("sub/deep/a", br"sub\deep\a"), ("sub/b", br".\sub\b")];
    let dir = listed("SHA256SUMS", &files);
    is_found_as_said(
        &dir,
        "SHA256SUMS",
        "all 2 missing files are there with `\\` as separator: --names windows",
    );
    dir.hashlane(["check", "--audit", "--root", "sub", "--names", "windows", "SHA256SUMS"]).run().code(0);
    dir.hashlane(["check", "--complete", "--root", "sub", "--names", "windows", "SHA256SUMS"]).run().code(0);
    // The file of that very name is the one that is meant.
    dir.write(r"sub\deep\a", "another");
    let ran = dir.hashlane(["check", "SHA256SUMS"]).run();
    assert_eq!(ran.status.code(), Some(2 | 4), "{}", ran.stderr);
    let files: [(&str, &[u8]); 2] = [("sub/a", br"C:\data\sub\a"), ("b", br"C:\data\b")];
    let said = "all 2 missing files are there with `\\` as separator and without /data: --names windows --strip-prefix /data";
    is_found_as_said(&listed("SHA256SUMS", &files), "SHA256SUMS", said);
}

#[test]
fn names_in_a_code_page_are_read_and_proposed() {
    let dir = listed("SHA256SUMS", &[("Größe", b"Gr\xf6\xdfe")]);
    let said = "the missing file is there in the code page windows-1252: --names windows-1252";
    is_found_as_said(&dir, "SHA256SUMS", said);
    let dir = listed("SHA256SUMS", &[("ü/Größe", b"\x81\\Gr\x94\xe1e"), ("ü/b", b"\x81\\b")]);
    let said = "all 2 missing files are there with `\\` as separator and in the code page cp437: --names windows,cp437";
    is_found_as_said(&dir, "SHA256SUMS", said);
    dir.hashlane(["check", "--names", "linux", "SHA256SUMS"]).run().code(64);
}

#[test]
fn names_are_relative_to_their_list_where_that_is_asked_for() {
    let dir = Dir::new();
    for (name, content) in [("one/a", "1"), ("one/b", "2"), ("two/a", "3")] {
        dir.write(name, content);
    }
    dir.write("one/SHA256SUMS", format!("{}  a\n{}  b\n", of("1"), of("2")));
    dir.write("two/SHA256SUMS", format!("{}  a\n", of("3")));
    // A list about the file that it is named after needs no such thing, and is not misled by it.
    dir.write("two/a.sha256", of("3"));
    is_found_as_said(&dir, "one/SHA256SUMS", "all 2 missing files are there beside the list: --beside");
    let ran = dir.hashlane(["check", "--beside", "one/SHA256SUMS", "two/SHA256SUMS", "two/a.sha256"]).run();
    ran.code(0).printed("one/a: OK\none/b: OK\ntwo/a: OK\ntwo/a: OK\n");
    dir.hashlane([
        "check",
        "--beside",
        "--audit",
        "one/SHA256SUMS",
        "two/SHA256SUMS",
        "--root",
        "one",
        "--root",
        "two",
    ])
    .run()
    .code(1)
    .printed("one/a: OK\none/b: OK\ntwo/a: OK\ntwo/a.sha256: NEW\n");
    dir.hashlane(["check", "--beside", "--base", "one", "one/SHA256SUMS"]).run().code(64);
    // What is not listed is looked for where the list is, and below the roots that it names from there.
    dir.write("two/more", "4").write("three/t/a", "5").write("three/beside", "6");
    dir.shell("cd three && \"$0\" sum -q --header -o LIST t").run().code(0);
    for (list, found) in [
        ("two/SHA256SUMS", "two/a: OK\ntwo/a.sha256: EXTRA (not listed)\ntwo/more: EXTRA (not listed)\n"),
        ("three/LIST", "three/t/a: OK\n"),
    ] {
        let ran = dir.hashlane(["check", "--beside", "--complete", list]).run();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), found, "{}", ran.stderr);
        let ran = dir.hashlane(["check", "--beside", "--audit", list]).run();
        assert_eq!(ran.lines().len(), found.lines().count(), "{}", ran.stderr);
        assert!(!ran.stderr.contains("one/"), "{}", ran.stderr);
    }
    let ran = dir.hashlane(["check", "--beside", "--complete", "--exclude", "/a", "three/LIST"]).run();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "three/t/a: EXCLUDED\n", "{}", ran.stderr);
}

#[test]
fn names_of_another_place_and_another_case_are_proposed() {
    let dir = listed("SHA256SUMS", &[("d/a", b"/home/ci/build/d/a"), ("b", b"/home/ci/build/b")]);
    let said = "all 2 missing files are there without /home/ci/build: --strip-prefix /home/ci/build";
    is_found_as_said(&dir, "SHA256SUMS", said);
    let dir = listed("SHA256SUMS", &[("Photo.JPG", b"photo.jpg")]);
    is_found_as_said(&dir, "SHA256SUMS", "the missing file is there in another case: --ignore-case");
    // What is nowhere has no remedy, and of some that are it is said how many.
    let dir = listed("SHA256SUMS", &[("a", b"x/a"), ("b", b"gone")]);
    let ran = dir.hashlane(["check", "SHA256SUMS"]).run().code(2);
    assert!(
        ran.stderr.contains("1 of 2 missing files is there without x: --strip-prefix x"),
        "{}",
        ran.stderr
    );
    // Of many, the first ones are looked for.
    let dir = Dir::new();
    let mut list = String::new();
    for number in 0..300 {
        dir.write(format!("{number}"), "1");
        list += &format!("{}  x/{number}\n", of("1"));
    }
    let ran = dir.write("SHA256SUMS", list).hashlane(["check", "-q", "SHA256SUMS"]).run().code(2);
    assert!(
        ran.stderr.contains("the first 200 of 300 missing files are there without x: --strip-prefix x"),
        "{}",
        ran.stderr
    );
    let dir = listed("SHA256SUMS", &[("b", b"gone")]);
    let ran = dir.hashlane(["check", "SHA256SUMS"]).run().code(2);
    assert!(!ran.stderr.contains("there"), "{}", ran.stderr);
}

#[test]
fn what_windows_shows_of_digests_is_read() {
    let (upper, sha1) = (of("1").to_uppercase(), Algorithm::SHA1.digest(b"1").to_string());
    let spaced: Vec<_> =
        sha1.as_bytes().chunks(2).map(|byte| std::str::from_utf8(byte).expect("digits")).collect();
    let (start, end) = upper.split_at(40);
    let head = "\r\nAlgorithm       Hash                Path\r\n---------       ----                ----\r\n";
    for (list, is_whole) in [
        (format!("\"Algorithm\",\"Hash\",\"Path\"\r\n\"SHA256\",\"{upper}\",\"C:\\t\\a b\"\r\n"), true),
        (
            format!(
                "#TYPE Microsoft\r\n\"Algorithm\",\"Hash\",\"Path\"\r\n\"SHA256\",\"{upper}\",\"C:\\t\\a b\"\r\n"
            ),
            true,
        ),
        (format!("{head}SHA256          {upper}       C:\\t\\a b\r\n\r\n"), true),
        (format!("\r\nAlgorithm : SHA256\r\nHash      : {upper}\r\nPath      : C:\\t\\a b\r\n\r\n"), true),
        (
            format!(
                "Algorithm : SHA256\r\nHash      : {start}\r\n            {end}\r\nPath      : C:\\t\\a b\r\n"
            ),
            true,
        ),
        (
            format!(
                "SHA256 hash of C:\\t\\a b:\r\n{upper}\r\nCertUtil: -hashfile command completed successfully.\r\n"
            ),
            true,
        ),
        (format!("SHA1 hash of file C:\\t\\a b:\r\n{}\r\nCertUtil: done.\r\n", spaced.join(" ")), true),
        // What is cut off, has no name or no digest is not passed over.
        (format!("{head}SHA256          {upper}       C:\\t\\a...\r\n"), false),
        (format!("{head}SHA256          {start}...       C:\\t\\a b\r\n"), false),
        (format!("Algorithm : SHA256\r\nHash      : {upper}\r\n"), false),
        ("SHA256 hash of C:\\t\\a b:\r\nCertUtil: -hashfile command FAILED\r\n".to_owned(), false),
        ("SHA256 hash of C:\\t\\a b:\r\n".to_owned(), false),
    ] {
        let dir = Dir::new();
        dir.write("t/a b", "1").write("list", &list);
        let ran = dir.hashlane(["check", "--names", "windows", "--strip-prefix", "/", "list"]).run();
        let code = ran.status.code();
        assert_eq!(code, Some(if is_whole { 0 } else { 16 }), "{list}: {}", ran.stderr);
        assert_eq!(ran.stdout.is_empty(), !is_whole, "{list}");
    }
}
