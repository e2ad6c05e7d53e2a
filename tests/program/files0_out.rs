//! `hashlane sum --files0-out`: names for other programs.

use crate::work::{Dir, bytes, gnu};

#[test]
fn names_stand_beside_the_lines_or_in_their_place() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/new\nline", "2").write(b"t/\xff", "3").write("t/large", "12345");
    let names = b"t/a\0t/new\nline\0t/\xff\0";
    let sum = || dir.hashlane(["sum", "-q", "--max-size", "4", "--files0-out"]);
    sum().args(["-", "t"]).run().code(0).printed(names).said(&[]);
    let lines = dir.hashlane(["sum", "-q", "--max-size", "4", "t"]).run().code(0).stdout;
    sum().args(["NAMES", "t"]).run().code(0).printed(&lines);
    assert_eq!(dir.read("NAMES"), names);
    // Lines in a file leave standard output to the names.
    sum().args(["-", "-o", "SUMS", "t"]).run().code(0).printed(names);
    assert_eq!(dir.read("SUMS"), lines);
    dir.shell("\"$0\" sum -q --max-size 4 --files0-out - t | xargs -0 cat").run().code(0).printed("123");
}

#[test]
fn only_names_of_files_that_were_read_and_are_listed_are_written() {
    let dir = Dir::new();
    dir.write("t/known", "1").write("t/unknown", "2").write("SHA256SUMS", gnu(&[("x", "1")]));
    let sum = |arguments: &[&str]| {
        dir.hashlane(["sum", "-q", "--files0-out", "-", "--known", "SHA256SUMS"]).args(arguments).run()
    };
    sum(&["--match", "t"]).code(0).printed("t/known\0");
    sum(&["--no-match", "t"]).code(0).printed("t/unknown\0");
    // A format that has a place for failures lists them; the names are for programs that want to read.
    let ran =
        dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "--files0-out", "NAMES", "t/known", "none"]);
    assert_eq!(ran.run().code(16).lines().len(), 2);
    assert_eq!(dir.read("NAMES"), b"t/known\0");
}

#[test]
fn the_file_of_names_is_no_item_and_appears_when_it_is_complete() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/NAMES", "of another run").write("t/NAMES.partial", "");
    for _ in 0..2 {
        let ran = dir.hashlane(["sum", "--files0-out", "t/NAMES", "t"]).run().code(0);
        ran.printed(gnu(&[("t/a", "1")]));
        assert_eq!((dir.read("t/NAMES"), dir.has("t/NAMES.partial")), (b"t/a\0".to_vec(), false));
    }
    // Of a run that could read nothing there is none.
    let ran = dir.hashlane(["sum", "-q", "--files0-out", "t/NAMES", "missing"]).run().code(16);
    ran.said_among_others(&["nothing could be read; t/NAMES was not written"]);
    assert_eq!(dir.read("t/NAMES"), b"t/a\0");
}

#[test]
fn a_file_of_names_that_is_something_else_is_refused() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("list", "t/a\n").write("SHA256SUMS", gnu(&[("x", "1")])).link("list", "link");
    let refused = |arguments: &[&str], text: &str| {
        let ran = dir.hashlane(["sum", "-q"]).args(arguments).run().code(64).printed("");
        assert!(ran.stderr.contains(text), "{arguments:?}: {}", ran.stderr);
    };
    refused(&["--files0-out", "t/a", "t/a"], "--files0-out t/a: is also an input; name another file");
    refused(&["--files0-out", "link", "--files-from", "list"], "--files0-out link: is also an input");
    refused(&["--files0-out", "t", "t"], "--files0-out t: is a directory; name a file");
    refused(&["--files0-out", "out", "-o", "./out", "t"], "--files0-out out: is also the file of --output");
    refused(
        &["--files0-out", "-", "--known", "SHA256SUMS", "--show-matched-by", "t"],
        "--files0-out -: standard output",
    );
    assert!(!dir.has("out") && !dir.has("out.partial"));
    dir.hashlane([bytes(b"sum"), bytes(b"--update"), bytes(b"list"), bytes(b"--files0-out"), bytes(b"x")])
        .run()
        .code(64);
    // What is written as it is may be named twice.
    dir.hashlane(["sum", "-q", "--files0-out", "/dev/null", "-o", "/dev/null", "t"]).run().code(0);
}

#[test]
fn the_name_that_a_file_has_until_it_is_complete_is_taken_as_well() {
    let dir = Dir::new();
    dir.write("t/a", "a");
    for (names, output) in [("n", "n.partial"), ("o.partial", "o")] {
        dir.hashlane(["sum", "-q", "--files0-out", names, "-o", output, "t"]).run().code(64);
        assert!(!dir.has(names) && !dir.has(output));
    }
}
