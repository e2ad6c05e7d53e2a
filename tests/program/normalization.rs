//! Names that look the same and are other bytes: what is said of them, and what `--normalize` takes for one.

use crate::work::{Dir, gnu};

const COMPOSED: &str = "t/caf\u{e9}";
const DECOMPOSED: &str = "t/cafe\u{301}";

/// A tree with some files, and a list of others, all with one content but for one that has an ordinary name.
fn dir(there: &[&str], listed: &[&str]) -> Dir {
    let dir = Dir::new();
    dir.write("t/plain", "plain");
    for name in there {
        dir.write(name, "coffee");
    }
    let files: Vec<_> = listed.iter().map(|name| (*name, "coffee")).collect();
    dir.write("SHA256SUMS", gnu(&files) + &gnu(&[("t/plain", "plain")]));
    dir
}

/// Whether a message says it.
fn is_said(messages: &[String], what: &str) -> bool {
    messages.iter().any(|message| message.contains(what))
}

#[test]
fn a_name_in_another_normalization_is_said_to_be_there() {
    for (there, listed, form) in [(DECOMPOSED, COMPOSED, "NFD"), (COMPOSED, DECOMPOSED, "NFC")] {
        let dir = dir(&[there], &[listed]);
        let said = format!("of that name exists in {form}, and the listed name is in");
        for base in [&[][..], &["--base", "."]] {
            let ran = dir.hashlane(["check", "SHA256SUMS"]).args(base).run().code(2);
            assert!(is_said(&ran.messages(), &said), "{}", ran.stderr);
        }
        let audit = ["check", "--audit", "--root", "t", "SHA256SUMS"];
        let ran = dir.hashlane(audit).run().code(3);
        assert!(
            is_said(&ran.messages(), &format!("is in {form}, and the otherwise equal listed name")),
            "{}",
            ran.stderr
        );
        dir.write(there, "changed");
        let ran = dir.hashlane(audit).run().code(3);
        assert!(is_said(&ran.messages(), &said), "{}", ran.stderr);
        dir.hashlane(["sum", "-q", "-o", "B.sha256", "t"]).run().code(0);
        for other in ["t", "B.sha256"] {
            let ran = dir.hashlane(["diff", "SHA256SUMS", other]).run().code(3);
            assert!(is_said(&ran.messages(), "to the file system these are two"), "{}", ran.stderr);
        }
    }
    // Of a name that is nowhere nothing is said, and of one that is spelled in one way only.
    let dir = dir(&[], &[COMPOSED, "t/other"]);
    for arguments in [&["check"][..], &["check", "--audit", "--root", "t"]] {
        let ran = dir.hashlane(arguments).arg("SHA256SUMS").run().code(2);
        assert!(!is_said(&ran.messages(), "NF"), "{}", ran.stderr);
    }
}

#[test]
fn normalizing_matches_one_listed_name_with_one_file_and_nothing_else() {
    let both = &[COMPOSED, DECOMPOSED][..];
    let (one, other) = (&both[..1], &both[1..]);
    // What is there, what is listed, and what check --complete and --audit end with.
    let cases = [
        (one, other, 0, 0),
        (other, one, 0, 0),
        (one, one, 0, 0),
        (both, both, 0, 0),
        // Two are listed and one is there: one is missing, or its content lost as a duplicate.
        (one, both, 2, 2),
        (other, both, 2, 2),
        // Two are there and one is listed: the other is more than that.
        (both, one, 1, 1),
        (both, other, 1, 1),
    ];
    for (there, listed, complete, audit) in cases {
        let dir = dir(there, listed);
        for base in [&["--root", "t"][..], &["--base", ".", "--root", "t"]] {
            for (what, code) in [("--complete", complete), ("--audit", audit)] {
                let ran = dir.hashlane(["check", "--normalize", what, "SHA256SUMS"]).args(base).run();
                let said = (String::from_utf8_lossy(&ran.stdout), &ran.stderr);
                assert_eq!(ran.status.code(), Some(code), "{there:?} {listed:?} {what}: {said:?}");
            }
        }
    }
}

#[test]
fn what_is_matched_is_verified_and_two_names_never_have_one_file() {
    let deep = |form: &str| format!("t/{form}/{form}");
    let (composed, decomposed) = (deep("\u{e9}"), deep("e\u{301}"));
    let dir = dir(&[&decomposed], &[&composed]);
    let run = |arguments: &[&str]| dir.hashlane(["check", "--normalize"]).args(arguments).run();
    run(&["SHA256SUMS"]).code(0);
    let audited = run(&["--audit", "--root", "t", "SHA256SUMS"]).code(0);
    assert!(String::from_utf8_lossy(&audited.stdout).contains(&format!("{composed}: OK\n")));
    dir.write(&decomposed, "COFFEE");
    run(&["SHA256SUMS"]).code(4);
    run(&["--audit", "--root", "t", "SHA256SUMS"]).code(4);
    dir.write(&decomposed, "coffee");
    // Of two lists each has one form.
    dir.write("MORE.sha256", gnu(&[(&decomposed, "coffee")]));
    run(&["SHA256SUMS", "MORE.sha256"]).code(2);
    // A list of two algorithms is one of the same files.
    dir.hashlane(["sum", "-q", "-a", "md5,sha256", "-o", "TWO", "t"]).run().code(0);
    let two = String::from_utf8(dir.read("TWO")).unwrap().replace(&decomposed, &composed);
    dir.write("TWO", two);
    run(&["TWO"]).code(0);
    // Names that are not text have one spelling.
    dir.write(b"t/\xff", "1");
    dir.hashlane(["sum", "-q", "-o", "ALL.sha256", "t"]).run().code(0);
    run(&["--complete", "--root", "t", "ALL.sha256"]).code(0);
}
