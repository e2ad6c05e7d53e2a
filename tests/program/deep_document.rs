//! `-d` of `hashlane as hashdeep` and its kin: DFXML, which the originals' own is compared with in `deep`.

use crate::work::{Dir, Ran, digest};

/// Elements whose text is another in each run, or names the program.
const OWN: [&str; 13] = [
    "atime",
    "clocktime",
    "compiler",
    "inblock",
    "majflt",
    "maxrss",
    "minflt",
    "nswap",
    "oublock",
    "program",
    "start_time",
    "stime",
    "version",
];

/// A document without what two programs cannot have in common, a line for each element; other text as it is.
pub(crate) fn comparable(text: &[u8]) -> Vec<u8> {
    if !text.starts_with(b"<?xml ") {
        return text.to_vec();
    }
    let mut kept = Vec::new();
    let text = String::from_utf8_lossy(text).replace("</matched>", "</matched>\n");
    for line in text.lines().map(str::trim) {
        let element = OWN.iter().chain(&["utime"]).find(|name| line.starts_with(&format!("<{name}>")));
        let line = match element {
            Some(name) => &line[..name.len() + 2],
            None if line.starts_with("xmlns:hashlane=") || line.starts_with("<algorithm name=''") => continue,
            None if line.starts_with("<fileobject workerid=") => "<fileobject>",
            None => line,
        };
        if !line.is_empty() {
            kept.extend_from_slice(line.as_bytes());
            kept.push(b'\n');
        }
    }
    kept
}

fn run(dir: &Dir, words: &[&str]) -> Ran {
    dir.hashlane(["as"]).args(words).run()
}

fn is_xml(dir: &Dir, text: &[u8]) {
    dir.write("document.xml", text);
    crate::dfxml::is_xml(dir, "document.xml");
}

const NAMES: [&[u8]; 12] = [
    b"plain",
    b"new\nline",
    b"cr\r",
    b"ctl\x01\x1b\x7f",
    b"inv\xff\xfe",
    b"\xef\xbf\xbe",
    b"<&>\"'",
    b" lead and trail ",
    b"]]>",
    b"&amp;",
    b"<!--",
    "größe \u{1f600}".as_bytes(),
];

fn odd_names() -> Dir {
    let dir = Dir::new();
    for name in NAMES {
        dir.write([b"d/", name].concat(), name);
    }
    dir
}

#[test]
fn every_mode_writes_xml_whatever_the_names_are() {
    let dir = odd_names();
    // Those two lists cannot hold a newline.
    for (list, program) in [("known.hd", "hashdeep"), ("known.md5", "md5deep")] {
        let names = NAMES.iter().filter(|name| !name.contains(&b'\n'));
        let names = names.map(|name| crate::work::bytes(&[b"d/", *name].concat()));
        dir.write(list, dir.hashlane(["as", program, "-l", "--"]).args(names).run().code(0).stdout);
    }
    dir.write("other", "other");
    let modes: [&[&str]; 9] = [
        &["hashdeep", "-d", "-r"],
        &["md5deep", "-d", "-r", "-u", "-0", "-e"],
        &["hashdeep", "-d", "-p", "3", "-r"],
        &["hashdeep", "-d", "-m", "-k", "known.hd", "-r"],
        &["hashdeep", "-d", "-x", "-w", "-k", "known.hd", "-r"],
        &["hashdeep", "-d", "-a", "-vvv", "-k", "known.hd", "-r"],
        &["md5deep", "-d", "-M", "known.md5", "-p", "2", "-r"],
        &["md5deep", "-d", "-n", "-m", "known.md5"],
        &["hashdeep", "-d", "-o", "fe", "-c", "all", "-r"],
    ];
    for mode in modes {
        let ran = run(&dir, &[mode, &["d", "other", "missing<\u{1}", "d"]].concat());
        assert_eq!(ran.stderr, "", "{mode:?}");
        assert!(ran.stdout.ends_with(b"  </rusage>\n</dfxml>\n"), "{mode:?}");
        is_xml(&dir, &ran.stdout);
    }
}

#[test]
fn what_is_written_is_verified_and_converted() {
    let dir = odd_names();
    for pieces in [&[][..], &["-p", "2"]] {
        let ran = run(&dir, &[&["hashdeep", "-d", "-r", "-l", "-W", "list.xml"], pieces, &["d"]].concat());
        ran.code(0).printed("");
        let checked = dir.hashlane(["check", "list.xml"]).run().code(0);
        assert_eq!(checked.lines().len(), NAMES.len(), "{}", checked.stderr);
        dir.hashlane(["convert", "-q", "--force", "list.xml", "list.csv"]).run().code(0);
        assert_eq!(dir.hashlane(["check", "list.csv"]).run().code(0).lines().len(), NAMES.len());
    }
    // A document keeps whole seconds, so what is written within the same one would be taken for damage.
    dir.corrupt("d/plain", "other");
    dir.hashlane(["check", "-q", "list.xml"]).run().code(8);
    let later = dir.modified("d/plain") + std::time::Duration::from_secs(100);
    dir.set_modified("d/plain", later);
    dir.hashlane(["check", "-q", "list.xml"]).run().code(4);
}

#[test]
fn a_document_says_who_made_it_and_of_what() {
    let dir = Dir::new();
    dir.write("a", "a\n");
    let text = String::from_utf8(run(&dir, &["hashdeep", "-d", "-c", "md5,tiger", "-l", "a"]).code(0).stdout);
    let text = text.unwrap();
    let of = format!("    <hashdigest type='MD5'>{}</hashdigest>\n", digest("md5", "a\n"));
    for part in [
        "<?xml version='1.0' encoding='UTF-8'?>\n<dfxml \n  xmlns='http://www.forensicswiki.org/wiki/",
        "      <algorithm name='tiger' enabled='1'/>\n      <algorithm name='whirlpool' enabled='0'/>\n    </algo",
        "    <program>hashlane</program>\n    <version>0",
        "      <command_line>hashdeep -d -c md5,tiger -l a</command_line>\n      <uid>",
        "  <fileobject>\n    <filename>a</filename>\n    <filesize>2</filesize>\n    <mtime>20",
        &of,
        "  <rusage>\n    <utime>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn errors_stand_among_the_files_in_the_order_of_the_command_line() {
    let dir = Dir::new();
    dir.write("a", "a\n").write("t/b", "b").link("none", "t/c");
    let words = ["md5deep", "-d", "-l", "x", "a", "t", "y", "t/b"];
    for recursive in [&[][..], &["-r"]] {
        let ran = run(&dir, &[&words[..1], recursive, &words[1..]].concat()).code(1);
        let text = String::from_utf8(ran.stdout).unwrap();
        let names: Vec<_> = text.lines().filter(|line| line.contains("<filename>")).map(str::trim).collect();
        let shown: Vec<_> = names.iter().map(|name| name.replace("filename>", "")).collect();
        let expected: &[&str] = match recursive {
            [] => &["<x</", "<a</", "<t</", "<y</", "<t/b</"],
            _ => &["<x</", "<a</", "<t/b</", "<t/c</", "<y</", "<t/b</"],
        };
        assert_eq!(shown, expected);
        assert!(text.contains("<filename>y</filename>\n    <error>No such file or directory</error>\n"));
        assert_eq!(
            (text.contains("<error>Is a directory</error>"), ran.stderr.as_str()),
            (recursive.is_empty(), "")
        );
    }
    let ran = run(&dir, &["md5deep", "-d", "-s", "-l", "x", "a"]).code(1);
    assert!(!String::from_utf8(ran.stdout).unwrap().contains("<error>"));
    run(&dir, &["--as-is", "md5deep", "-d", "-l", "x"]).code(0);
}

#[test]
fn files_that_are_shown_have_their_digests_and_those_that_are_known_are_marked() {
    let dir = Dir::new();
    dir.write("a", "a").write("b", "b");
    dir.write("k", run(&dir, &["hashdeep", "-l", "a"]).stdout)
        .write("l", run(&dir, &["md5deep", "-l", "a"]).stdout);
    let cases: [(&[&str], [usize; 2]); 6] = [
        (&["hashdeep", "-d", "-m", "-k", "k"], [2, 1]),
        (&["hashdeep", "-d", "-M", "-k", "k"], [2, 1]),
        (&["hashdeep", "-d", "-x", "-k", "k"], [2, 0]),
        (&["md5deep", "-d", "-m", "l"], [1, 1]),
        (&["md5deep", "-d", "-w", "-x", "l"], [1, 0]),
        (&["md5deep", "-d", "-n", "-m", "l"], [0, 0]),
    ];
    for (words, expected) in cases {
        let text = run(&dir, &[words, &["-l", "a", "b"]].concat()).code(0).stdout;
        let text = String::from_utf8(text).unwrap();
        let count = |what: &str| text.matches(what).count();
        assert_eq!([count("<hashdigest "), count("<matched>1</matched>")], expected, "{words:?}");
        assert_eq!(count("<fileobject>"), 2);
    }
}

#[test]
fn standard_input_has_its_size_and_pieces_their_places() {
    let dir = Dir::new();
    let ran = dir.hashlane(["as", "md5deep", "-d", "-p", "2"]).input("abc").run().code(0);
    let text = String::from_utf8(ran.stdout).unwrap();
    let object = &text[text.find("  <fileobject>").unwrap()..text.find("  <rusage>").unwrap()];
    let of = |content: &str| format!("<hashdigest type='MD5'>{}</hashdigest>\n", digest("md5", content));
    let expected = format!(
        "  <fileobject>\n    <filename>stdin</filename>\n    <filesize>3</filesize>\n    \
         <byte_run file_offset='0' len='2'>   \n      {}    </byte_run>\n    \
         <byte_run file_offset='2' len='1'>   \n      {}    </byte_run>\n    {}  </fileobject>\n",
        of("ab"),
        of("c"),
        of("abc"),
    );
    assert_eq!(object, expected);
}

#[test]
fn a_document_that_cannot_be_written_fails() {
    let dir = Dir::new();
    dir.write("a", "a\n");
    let ran = dir.shell("$0 as md5deep -d -l a > /dev/full").run().code(1);
    assert_eq!(ran.stderr, "md5deep: cannot write to standard output: No space left on device\n");
    dir.write("list.xml", "old");
    run(&dir, &["md5deep", "-d", "-W", "list.xml", "-f", "missing"]).code(1);
    assert_eq!(dir.read("list.xml"), b"old");
}
