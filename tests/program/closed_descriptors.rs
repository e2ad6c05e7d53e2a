//! Standard descriptors that are closed, or open for the wrong direction: never an empty input, never a success.

use std::collections::BTreeSet;
use std::process::Command;

use crate::work::{Dir, HASHLANE, Ran, digest, gnu};

/// What each command is given, and which standard descriptors it has a use for then.
struct Case {
    /// The command, as in the help.
    command: &'static str,
    arguments: &'static str,
    reads: bool,
    /// Not the same text each time, as figures that are measured are.
    measures: bool,
}

const fn case(command: &'static str, arguments: &'static str) -> Case {
    Case { command, arguments, reads: false, measures: false }
}

const fn reads(command: &'static str, arguments: &'static str) -> Case {
    Case { reads: true, ..case(command, arguments) }
}

const fn measures(command: &'static str, arguments: &'static str) -> Case {
    Case { measures: true, ..case(command, arguments) }
}

const CASES: &[Case] = &[
    case("accept", "t b --catalog kept"),
    case("acknowledge", "t b --catalog kept"),
    measures("as", "--list"),
    case("audit", "t --catalog kept"),
    measures("backends", "--budget 1s -a md5 --no-save"),
    case("bag create", "tree"),
    case("bag validate", "bag"),
    measures("bench", "--quick --budget 1s --no-save"),
    measures("bench io", "--quick --budget 1s --no-save -r 64KiB 4 f"),
    measures(
        "bench machine",
        "--quick --budget 1s --no-save --corpus numbers --copies 1 --iterations 1 --programs b2sum",
    ),
    measures(
        "bench pipeline",
        "--quick --budget 1s --no-save -a md5 --files 1 --file-size 1MiB --block 64KiB",
    ),
    measures("bench speed", "--quick --budget 1s --no-save -a md5 --size 1KiB"),
    measures("bench variant", "--quick --budget 1s --no-save --no-result --sizes 1kB true"),
    case("catalog backup", "new-copy --catalog kept"),
    case("catalog changes", "--catalog kept"),
    case("catalog compact", "--catalog kept"),
    case("catalog restore", "copy --catalog kept"),
    case("catalog seals", "--catalog kept"),
    case("catalog verify", "--catalog kept"),
    case("check", "SUMS"),
    reads("check", ""),
    reads("check", "SUMS -"),
    reads("check", "--audit --root tree -"),
    case("collection add", "u . --catalog kept"),
    case("collection export", "t --catalog kept"),
    case("collection import", "t SUMS --catalog kept"),
    reads("collection import", "t - --catalog kept"),
    case("collection list", "--catalog kept"),
    case("collection purge", "t --force --catalog kept"),
    case("collection relocate", "t tree --catalog kept"),
    case("collection remove", "t --catalog kept"),
    case("collection restore", "gone --catalog kept"),
    case("collection rename", "t u --catalog kept"),
    measures("collection set", "t --every 3d --catalog kept"),
    // It says how long ago files were read.
    measures("collection report", "--catalog kept"),
    case("collection show", "t --catalog kept"),
    case("compare", "run.json run.json"),
    case("config check", ""),
    // It names the file, in a directory of its own each time.
    measures("config show", ""),
    case("convert", "SUMS"),
    reads("convert", "-"),
    case("diff", "SUMS SUMS"),
    case("diff", "SUMS tree"),
    reads("diff", "- SUMS"),
    reads("diff", "SUMS -"),
    case("events", "--catalog kept"),
    case("formats", ""),
    case("help", ""),
    measures("history", "t:a --catalog kept"),
    case("install-links", "."),
    case("known build", "-o new.known SUMS"),
    reads("known build", "-o new.known -"),
    case("known info", "seen.known"),
    case("known lookup", "seen.known DIGEST"),
    reads("known lookup", "seen.known"),
    case("merge", "SHARD"),
    case("mhl create", "tree"),
    case("mhl info", "history"),
    case("mhl verify", "history"),
    case("report", "run.json"),
    case("sum", "f"),
    case("sum", "tree"),
    case("sum", "-o out f"),
    case("sum", "--known SUMS --match f"),
    reads("sum", ""),
    reads("sum", "-"),
    reads("sum", "f - tree"),
    reads("sum", "--engine mmap -"),
    reads("sum", "--pieces 1KiB --manifest-format gnu -"),
    reads("sum", "/dev/stdin"),
    reads("sum", "--files-from -"),
    reads("sum", "--files0-from -"),
    reads("sum", "--known - --match f"),
    // It says how long ago files were read.
    measures("status", "--catalog kept"),
    case("tell list", "--catalog kept"),
    case("tell retry", "--catalog kept"),
    case("tell run", "--catalog kept"),
    case("tell test", "textfile --catalog kept"),
    measures("tune", "--budget 1s --no-save ."),
];

/// What the cases name and a program has to make: it makes it once.
struct Made {
    run: Vec<u8>,
    index: Vec<u8>,
    kept: Vec<u8>,
    shard: Vec<u8>,
}

/// A directory with what the cases name.
fn fixture(made: &Made) -> Dir {
    let dir = Dir::new();
    dir.write("kept", &made.kept).write("copy", &made.kept);
    dir.write("f", "f")
        .write("tree/a", "a")
        .write("SUMS", sums())
        .write("f2", "")
        .write("numbers", "12345\n".repeat(100));
    dir.write("run.json", &made.run).write("seen.known", &made.index).write("SHARD", &made.shard);
    dir.write("bag/data/a", "a")
        .write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir.write("bag/manifest-sha256.txt", gnu(&[("data/a", "a")]));
    let list = format!(
        "<hashlist version='2.0'><hashes><hash><path>a</path><md5>{}</md5></hash></hashes></hashlist>",
        digest("md5", "a")
    );
    let link = format!("<path>0001.mhl</path><c4>{}</c4>", digest("c4", &list));
    let chain = format!("<ascmhldirectory><hashlist sequencenr='1'>{link}</hashlist></ascmhldirectory>");
    dir.write("history/a", "a").write("history/ascmhl/0001.mhl", list);
    dir.write("history/ascmhl/ascmhl_chain.xml", chain);
    dir.write("config.toml", format!("[textfile]\npath = '{}'\n", dir.path("metrics").display()));
    dir
}

fn sums() -> String {
    gnu(&[("tree/a", "a")]).lines().map(|line| format!("SHA256 (tree/a) = {}\n", &line[..64])).collect()
}

/// Runs a command whose descriptors are what a shell makes of `redirections`.
fn redirected(dir: &Dir, words: &[&str], input: &str, redirections: &str) -> Ran {
    let script = format!("exec \"$@\" {redirections}");
    let words = ["-c", &script, "sh"].into_iter().chain(words.iter().copied());
    dir.command("sh", words).env("HASHLANE_CONFIG", "config.toml").input(input).run()
}

/// The commands that the help names, those below others behind them.
fn commands(dir: &Dir, above: &[&str], found: &mut BTreeSet<String>) {
    let help = dir.hashlane(above).arg("--help").run().code(0);
    let help = String::from_utf8(help.stdout).unwrap();
    let mut lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).peekable();
    if lines.peek().is_none() || above == ["bench"] {
        found.insert(above.join(" "));
    }
    for line in lines.take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        if name == "help" {
            found.insert("help".to_owned());
        } else {
            commands(dir, &[above, &[name]].concat(), found);
        }
    }
}

#[test]
fn no_command_takes_a_closed_input_for_an_empty_one_or_a_closed_output_for_success() {
    let dir = Dir::new();
    dir.write("SUMS", sums());
    dir.hashlane(["known", "build", "-o", "seen.known", "SUMS"]).run().code(0);
    let speed = "bench speed --quick --budget 1s -a md5 --size 1KiB -o run.json";
    dir.hashlane(speed.split(' ')).run().code(0);
    // A collection with a missing file, in a catalogue of one file.
    dir.write("kept-tree/a", "a").write("kept-tree/b", "b");
    let once = ["collection add gone kept-tree", "collection remove gone"];
    for words in once.into_iter().chain(["collection add t kept-tree", "audit t"]) {
        dir.keeper(words.split(' ')).run().code(0);
    }
    std::fs::remove_file(dir.path("kept-tree/b")).unwrap();
    dir.keeper(["audit", "t"]).run().code(2);
    dir.keeper(["catalog", "backup", "kept"]).run().code(0);
    dir.write("tree/a", "a");
    dir.hashlane(["sum", "-q", "--shard", "1/1", "-o", "SHARD", "tree"]).run().code(0);
    let [run, index, kept, shard] = ["run.json", "seen.known", "kept", "SHARD"].map(|name| dir.read(name));
    let made = Made { run, index, kept, shard };

    let mut named = BTreeSet::new();
    commands(&dir, &[], &mut named);
    let tested: BTreeSet<_> = CASES.iter().map(|case| case.command.to_owned()).collect();
    assert_eq!(tested, named, "each command has a case here");

    let digest = &sums()[18..82];
    let mut cells = 0;
    for case in CASES {
        let words = case.command.split(' ').chain(case.arguments.split_whitespace());
        let words: Vec<_> = [HASHLANE]
            .into_iter()
            .chain(words.map(|word| if word == "DIGEST" { digest } else { word }))
            .collect();
        let input = match case.arguments {
            "--files-from -" | "--files0-from -" => "f",
            "seen.known" => digest,
            _ => &sums(),
        };
        let run = |redirections| redirected(&fixture(&made), &words, input, redirections);
        let open = run("");
        let (code, writes) = (open.status.code().unwrap(), !open.stdout.is_empty());
        assert!([0, 2].contains(&code), "{words:?}: {}", open.stderr);
        let all = [
            ("<&-", case.reads),
            ("0>f2", case.reads),
            (">&-", writes),
            ("1<f2", writes),
            ("2>&-", false),
            ("2<f2", false),
        ];
        // Slow ones are not asked twice for the same, and at once for what must not matter.
        let few = [(">&-", writes), ("<&- 2>&-", false)];
        for &(redirections, is_lost) in if case.measures { &few[..] } else { &all } {
            // Under its path a file is opened anew, for reading.
            if case.arguments == "/dev/stdin" && redirections == "0>f2" {
                continue;
            }
            let ran = run(redirections);
            let found = ran.status.code();
            let shown = format!("{words:?} {redirections}: {} {}", ran.status, ran.stderr);
            match redirections {
                // What it has read besides may be missing too.
                "<&-" | "0>f2" if is_lost => {
                    assert!(found.is_some_and(|found| found < 64 && found & 16 != 0), "{shown}");
                    // There is nothing there to be opened any more.
                    let why = if case.arguments == "/dev/stdin" { "" } else { "Bad file descriptor" };
                    assert!(ran.stderr.contains(why), "{shown}");
                }
                _ if is_lost => {
                    assert_eq!(found, Some(74), "{shown}");
                    assert!(ran.stderr.contains("standard output: Bad file descriptor"), "{shown}");
                }
                _ => {
                    assert_eq!(found, Some(code), "{shown}");
                    let is_same = redirections.starts_with(['1', '>']) || ran.stdout == open.stdout;
                    assert!(is_same || case.measures, "{shown}");
                }
            }
            cells += 1;
        }
    }
    println!("{cells} runs of {} commands with a closed or useless standard descriptor", named.len());
}

/// The lines that each family of old programs is given, `LIST` being one that it has written itself; whether they read
/// standard input.
fn lines_of(program: &str) -> Vec<(&'static str, bool)> {
    let check = match program {
        "hashdeep" => ("-l -k LIST -m f", false),
        _ if program.ends_with("deep") => ("-l -m LIST f", false),
        _ => ("-c LIST", false),
    };
    let mut lines = vec![("", true), (if program.ends_with("deep") { "-l f" } else { "f" }, false), check];
    match program {
        _ if program.ends_with("deep") => lines.extend([("-h", false), ("-V", false)]),
        _ => lines.extend([("--help", false), ("--version", false)]),
    }
    match program {
        _ if program.ends_with("deep") => lines.push(("-p 1k", true)),
        _ if program.starts_with("xxh") => lines.extend([("-", true), ("-c", true), ("--files-from", true)]),
        "b3sum" => lines.extend([("-", true), ("f -", true), ("-c -", true), ("-l 64", true)]),
        _ => lines.extend([("-", true), ("f -", true), ("- f", true), ("-c -", true), ("--tag", true)]),
    }
    lines
}

#[test]
fn programs_that_are_played_end_as_their_originals_do_or_with_an_error() {
    let dir = Dir::new();
    let names = dir.hashlane(["as", "--list"]).run().code(0).stdout;
    let (mut cells, mut compared) = (0, 0);
    for program in String::from_utf8(names).unwrap().lines() {
        let is_here = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
        let is_here = is_here.status.success();
        for (line, is_read) in lines_of(program) {
            let dir = Dir::new();
            dir.write("f", "f").write("f2", "");
            let list = dir.hashlane(["as", program, "f"]).run().code(0).stdout;
            dir.write("LIST", &list);
            let words: Vec<_> = line.split_whitespace().collect();
            let ours = |redirections| {
                redirected(&dir, &[&[HASHLANE, "as", program], &words[..]].concat(), "", redirections)
            };
            let writes = !ours("").stdout.is_empty();
            for (redirections, is_lost) in [
                ("<&-", is_read),
                ("0>f2", is_read),
                (">&-", writes),
                ("1<f2", writes),
                ("2>&-", false),
                ("<&- >&- 2>&-", writes || is_read),
            ] {
                let ran = ours(redirections);
                let shown = format!("{program} {line} {redirections}: {} {}", ran.status, ran.stderr);
                let code = ran.status.code().unwrap();
                if is_lost {
                    assert_eq!(code, 1, "{shown}");
                    assert!(redirections.contains("2>") || !ran.stderr.is_empty(), "{shown}");
                }
                cells += 1;
                // What an older version does not know it refuses.
                if !is_here || line.starts_with("--files-from") {
                    continue;
                }
                let theirs = redirected(&dir, &[&[program], &words[..]].concat(), "", redirections);
                let is_stricter = code == 1 && is_lost && !is_of_coreutils(program);
                assert!(
                    theirs.status.code() == Some(code) || is_stricter,
                    "{shown}; theirs: {}",
                    theirs.status
                );
                compared += 1;
            }
        }
    }
    println!(
        "{cells} runs of old programs with closed standard descriptors, {compared} beside the originals"
    );
}

/// Whether the original notices all of this itself.
fn is_of_coreutils(program: &str) -> bool {
    ["md5sum", "b2sum"].contains(&program) || program.starts_with("sha") && program.ends_with("sum")
}

#[test]
fn what_is_written_to_a_closed_output_lands_in_no_file() {
    let dir = Dir::new();
    dir.write("f", "f").write("tree/a", "a");
    for redirections in [">&-", "<&- >&-", "<&- >&- 2>&-"] {
        redirected(&dir, &[HASHLANE, "sum", "-v", "--header", "f", "tree"], "", redirections).code(64);
        redirected(&dir, &[HASHLANE, "sum", "f", "tree"], "", redirections).code(74);
        redirected(
            &dir,
            &[HASHLANE, "sum", "-o", "out", "--files0-out", "names", "f", "tree"],
            "",
            redirections,
        )
        .code(0);
        assert_eq!(dir.read("out"), gnu(&[("f", "f"), ("tree/a", "a")]).as_bytes());
        assert_eq!((dir.read("f"), dir.read("tree/a")), (b"f".to_vec(), b"a".to_vec()));
        assert_eq!(dir.read("names"), b"f\0tree/a\0");
    }
}
