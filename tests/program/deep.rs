//! `hashlane as hashdeep` and its kin: the same command lines through Debian's programs, and what is
//! otherwise on purpose.

use crate::work::{Dir, Ran, have};

/// The command lines that both are given.
pub(crate) const LIST: &str = include_str!("../differential/deep.list");

/// Files of odd names, lists of known files, and whatever else the command lines name.
fn stage() -> Dir {
    let dir = Dir::new();
    let big: Vec<u8> = (0..2000_u32).map(|number| (number * number / 7) as u8).collect();
    dir.write("plain/a", "a\n").write("plain/b", "bee\n").write("plain/empty", "").write("plain/big", &big);
    dir.write("plain/sub/c", "sea").write("plain/sub/sp ace", "space").write("plain/sub.x", "x");
    for name in ["b,c", "paren)x", "back\\slash", "ü☃", " lead", "tab\t", "st*r", "e=x (y) = z", "#hash"] {
        dir.write(format!("odd/{name}"), name);
    }
    dir.write(b"odd/bad\xff", "bad").write("newline/new\nline", "n").write("-dash", "dash");
    dir.write("snow/☃", "snow").write("snow/日本", "nihon").write("latin/é", "e");
    dir.make("links").link("../plain/a", "links/ok").link("nowhere", "links/dangling");
    dir.link("self", "links/self").link("../plain/sub", "links/sub");
    dir.write("cycle/x", "x").link("../cycle", "cycle/up").link("x", "cycle/y");
    dir.write("mixed/file", "file").link("file", "mixed/link").link("../plain/sub", "mixed/sub");
    let mut program = vec![0; 512];
    program[..2].copy_from_slice(b"MZ");
    program[60] = 0x80;
    program[0x80..0x84].copy_from_slice(b"PE\0\0");
    dir.write("mixed/prog.exe", &program).write("mixed/prog", &program);
    dir.write("pipes/file", "file").fifo("pipes/pipe");
    dir.write("changed/a", "a\n").write("changed/b", "other\n").write("changed/copy", &big);
    dir.write("changed/new", "new").write("empty", "");
    dir.write("names.txt", "plain/a\n\nplain/b\nodd/b,c\n")
        .write("names-crlf.txt", "plain/a\r\n\r\nplain/b\r\n");
    dir.write("names-missing.txt", "plain/a\nmissing\n").write("names-directory.txt", "plain\nplain/a");
    dir
}

/// Lists of known files: those that the originals write, and damaged ones.
fn write_lists(dir: &Dir) {
    let made = [
        "hashdeep -r -l -j0 plain > known.hd",
        "hashdeep -c sha1 -r -l -j0 plain > known-sha1.hd",
        "hashdeep -r -l -j0 odd > known-comma.hd",
        "hashdeep -p 512 -r -l -j0 plain > pieces.hd",
        "md5deep -r -l -j0 plain > known.md5",
        "md5deep -r -l -z -j0 plain > known.sizes",
        "for with in t zk kt zt 0 0z ct; do md5deep -r -l -$with -j0 plain > known-$with.md5; done",
        "for kin in sha1 sha256 tiger whirlpool; do ${kin}deep -r -l -j0 plain > known.$kin; done",
        "md5deep -p 512 -r -l -j0 plain > pieces.md5",
        "sed 's!plain/!PLAIN/!' known.hd > known-case.hd",
        "sed '/^%/!s/^\\([0-9]*,[0-9a-f]*\\)/\\U\\1/' known.hd > known-upper.hd",
        // One whose SHA-256 is another, and one whose size is.
        "sed -e '/plain\\/a$/s/,[0-9a-f]\\(.\\{63\\},plain\\)/,x\\1/; s/,x/,0/' \
         -e '/plain\\/b$/s/^4,/5,/' known.hd > collision.hd",
        "sed '/plain\\/a$/s/,\\([0-9a-f]\\{5\\}\\)./,\\1z/' known.hd > bad.hd",
        "sed 's/sha256/sha257/' known.hd > unknown-column.hd",
        "sed 's/^\\([0-9a-f]*\\)  \\(.*\\)$/MD5 (\\2) = \\1/' known.md5 > known.bsd",
        "(head -n 2 known.md5; echo 'no digest here'; tail -n +3 known.md5) > known-bad.md5",
        "echo 'This is prose, and nothing else.' > known.prose",
    ];
    for script in made {
        dir.shell(script).run().code(0);
    }
    let md5 = |content: &str| crate::work::digest("md5", content);
    let sha1 = |content: &str| crate::work::digest("sha1", content);
    let nsrl = r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
    let row = |content, name| {
        format!("\"{}\",\"{}\",\"00000000\",\"{name}\",2,1,\"1\",\"\"\r\n", sha1(content), md5(content))
    };
    dir.write("known.nsrl", format!("{nsrl}\r\n{}{}", row("a\n", "known-a"), row("bee\n", "known-b")));
    let ilook = "V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512";
    let row = format!("{},{},known-a,/x,2,,,", md5("a\n"), sha1("a\n"));
    dir.write("known.ilook", format!("{ilook}\r\n{row}\r\n"));
    // As iLook 4 itself writes them: rows with a column more than the header has, and with columns fewer.
    let (bee, sea) = (md5("bee\n"), md5("sea"));
    let more = format!(
        "{},{},NULL,DEV,,2,,,,16.4.2008 14:29:24,2.4.2008 14:25:16,18.4.2008",
        md5("a\n"),
        sha1("a\n")
    );
    let fewer = format!("{},{},\"known, b\r\n{},{}", bee.to_uppercase(), sha1("bee\n"), sea, sha1("sea"));
    let ilook =
        format!("{},CreateTime,ModTime,LastAccessTime", ilook.replace('3', "4").replace("SHA484", "SHA384"));
    dir.write("odd.ilook", format!("{ilook}\r\n{more}\r\n{fewer}\r\n\r\n"));
    let ilook = "V1Hash,HashType,SetDescription,FileName,FilePath,FileSize";
    dir.write("known.ilook1", format!("{ilook}\n{},md5,set,known-a,/x,2\n", md5("a\n")));
    let keeper = "file_id,hashset_id,file_name,directory,hash,file_size,date_modified,time_modified,time_zone,\
                  comments,date_accessed,time_accessed";
    let keeper = keeper.split(',').map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(",");
    let row = format!("1,1,\"known-a\",\"x\",\"{}\",2,\"\",\"\",\"\",\"\",\"\",\"\"", md5("a\n"));
    dir.write("known.hashkeeper", format!("{keeper}\r\n{row}\r\n"));
    let mut encase = b"HASH\r\n\xff\0\x01\0\0\0\0\0\0\0\x01\0\0\0".to_vec();
    encase.resize(0x480, 0);
    let digest = hashlane_digest::Algorithm::MD5.digest(b"a\n");
    encase.extend_from_slice(digest.as_bytes());
    encase.extend_from_slice(&[0, 0]);
    dir.write("known.encase", encase);
}

/// One line of the list.
#[derive(Debug)]
struct CommandLine {
    text: &'static str,
    /// The deliberate difference that shows in it.
    differs: Option<&'static str>,
    stdin: Option<String>,
    words: Vec<String>,
}

fn command_lines() -> Vec<CommandLine> {
    let lines = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parsed = lines.map(|text| {
        let (mut differs, mut stdin, mut words) = (None, None, Vec::new());
        for word in text.split_ascii_whitespace() {
            match (word.strip_prefix('!'), word.strip_prefix('<')) {
                (Some(id), _) if words.is_empty() => differs = Some(id),
                (_, Some(file)) if words.is_empty() => stdin = Some(file.to_owned()),
                _ => words.push(word.to_owned()),
            }
        }
        CommandLine { text, differs, stdin, words }
    });
    parsed.collect()
}

/// What a program did, with its lines in an order that does not depend on threads.
fn outcome(dir: &Dir, ran: &Ran) -> (i32, String, String) {
    let sorted = |text: &[u8]| {
        let zeros = text.iter().filter(|&&byte| byte == 0).count();
        let comparable = crate::deep_document::comparable(text);
        let mut lines: Vec<_> = comparable.split(|byte| matches!(byte, b'\n' | 0)).collect();
        lines.sort_unstable();
        let lines: Vec<_> = lines.iter().map(|line| line.escape_ascii().to_string()).collect();
        format!("{}\n({zeros} NUL)", lines.join("\n"))
    };
    let written = if dir.has("out.txt") { dir.read("out.txt") } else { Vec::new() };
    let stdout = [ran.stdout.as_slice(), b"--\n", &written].concat();
    let code = ran.status.code().unwrap_or(-1);
    (code, sorted(&stdout), sorted(ran.stderr.as_bytes()))
}

#[test]
fn every_command_line_does_what_the_original_does() {
    if !have("hashdeep") || !have("md5deep") {
        return;
    }
    let dir = stage();
    write_lists(&dir);
    let mut wrong = Vec::new();
    let lines = command_lines();
    for line in &lines {
        let run = |command: crate::work::Cmd| {
            let _ = std::fs::remove_file(dir.path("out.txt"));
            let input = line.stdin.as_ref().map(|file| dir.read(file)).unwrap_or_default();
            let ran = command.args(&line.words[1..]).input(input).run();
            outcome(&dir, &ran)
        };
        let theirs = run(dir.command(&line.words[0], [""; 0]));
        let ours = run(dir.hashlane(["as", &line.words[0]]));
        let is_same = theirs == ours;
        let verdict = match (&line.differs, is_same) {
            (None, true) => "identical".to_owned(),
            (Some(row), false) => format!("deliberately different ({row})"),
            _ => "WRONG".to_owned(),
        };
        // `cargo xtask differential` counts these.
        println!("{verdict}: {}", line.text);
        if is_same == line.differs.is_some() {
            wrong.push(format!("{}\ntheirs: {theirs:#?}\nours:   {ours:#?}", line.text));
        }
    }
    let wrong: Vec<_> = wrong.iter().map(|wrong| wrong.replace("\\n", "\n")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n\n"));
}

const A_MD5: &str = "60b725f10c9c85c70d97880dfe8191b3";
const A_SHA256: &str = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";

/// A list of hashdeep's that has files as `(size, md5, sha256, name)`.
fn list(files: &[(u64, &str, &str, &str)]) -> String {
    let rows = files.iter().map(|(size, md5, sha256, name)| format!("{size},{md5},{sha256},{name}\n"));
    format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## \n{}", rows.collect::<String>())
}

fn run(dir: &Dir, words: &[&str]) -> Ran {
    dir.hashlane(["as"]).args(words).run()
}

#[test]
fn hashdeep_lists_sizes_and_digests_below_a_banner() {
    let dir = Dir::new();
    dir.write("t/a", "a\n");
    let ran = run(&dir, &["hashdeep", "-r", "-l", "t"]).code(0);
    let text = String::from_utf8(ran.stdout).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[..2], ["%%%% HASHDEEP-1.0", "%%%% size,md5,sha256,filename"]);
    assert!(lines[2].starts_with("## Invoked from: /") && lines[3].ends_with(" hashdeep -r -l t"), "{text}");
    assert_eq!(lines[4..], ["## ".to_owned(), format!("2,{A_MD5},{A_SHA256},t/a")]);
}

#[test]
fn an_audit_says_what_became_of_each_file_and_counts_rightly() {
    let dir = Dir::new();
    dir.write("t/a", "a\n").write("t/b", "other\n").write("t/c", "a\n");
    let none = ("0".repeat(32), "0".repeat(64));
    dir.write("k", list(&[(2, A_MD5, A_SHA256, "t/a"), (6, &none.0, &none.1, "t/b")]));
    let words = ["hashdeep", "-a", "-vvv", "-k", "k", "-r", "-l", "t"];
    let expected = "t/a: Ok\nt/b: No match\nt/c: Moved from t/a\nt/b: Known file not used\n\
                    hashdeep: Audit failed\n   Input files examined: 3\n  Known files expecting: 2\n\
                    \x20         Files matched: 1\nFiles partially matched: 0\n            Files moved: 1\n\
                    \x20       New files found: 1\n  Known files not found: 1\n";
    run(&dir, &words).code(1).printed(expected);
    run(&dir, &["hashdeep", "-a", "-k", "k", "-l", "t/a"]).code(1).printed("hashdeep: Audit failed\n");
}

#[test]
fn a_collision_fails_the_audit() {
    let dir = Dir::new();
    dir.write("t/a", "a\n");
    for (size, sha256) in [(2, "0".repeat(64)), (3, A_SHA256.to_owned())] {
        dir.write("k", list(&[(size, A_MD5, &sha256, "t/a")]));
        let expected = "t/a: Hash collision with t/a\nhashdeep: Audit failed\n";
        run(&dir, &["hashdeep", "-a", "-k", "k", "-r", "-l", "t"]).code(1).printed(expected);
    }
}

#[test]
fn a_list_of_pieces_passes_its_own_audit() {
    let dir = Dir::new();
    dir.write("t/big", vec![b'x'; 1300]).write("t/even", vec![b'y'; 1024]).write("t/none", "");
    let listed = run(&dir, &["hashdeep", "-p", "512", "-r", "-l", "t"]).code(0);
    dir.write("k", listed.stdout);
    let words = ["hashdeep", "-a", "-v", "-p", "512", "-k", "k", "-r", "-l", "t"];
    let ran = run(&dir, &words).code(0);
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.starts_with("hashdeep: Audit passed\n          Files matched: 6\n"), "{text}");
}

#[test]
fn a_mode_is_not_forgotten_unless_that_is_asked_for() {
    let dir = Dir::new();
    dir.write("t/a", "a\n").write("k", list(&[(2, A_MD5, A_SHA256, "t/a")]));
    let words = ["hashdeep", "-a", "-c", "md5", "-k", "k", "-r", "-l", "t"];
    run(&dir, &words).code(0).printed("hashdeep: Audit passed\n");
    let ran = run(&dir, &[&["--as-is"], &words[..]].concat()).code(0);
    assert!(ran.stdout.starts_with(b"%%%% HASHDEEP-1.0\n"));
}

#[test]
fn what_cannot_be_read_shows_in_the_exit_code_and_fails_audits() {
    let dir = Dir::new();
    dir.write("t/a", "a\n").write("k", list(&[(2, A_MD5, A_SHA256, "t/a")])).link("none", "t/link");
    let expected = format!("{A_MD5}  t/a\n");
    for (as_is, code) in [(&[][..], 1), (&["--as-is"], 0)] {
        let ran = run(&dir, &[as_is, &["md5deep", "-r", "-l", "t"]].concat()).code(code);
        assert_eq!(ran.stderr, "t/link: No such file or directory\n");
        ran.printed(&expected);
        let words = [as_is, &["hashdeep", "-s", "-a", "-k", "k", "-r", "-l", "t"]].concat();
        run(&dir, &words).code(1).printed("hashdeep: Audit failed\n");
    }
    run(&dir, &["md5deep", "t"]).code(0).printed("");
}

#[test]
fn names_that_are_not_utf_8_are_written_whole_or_escaped() {
    let dir = Dir::new();
    dir.write(b"t/\xff", "a\n").write("t/\u{e9}\u{2603}", "a\n");
    let of = |name: &[u8]| [A_MD5.as_bytes(), b"  t/", name, b"\n"].concat();
    let plain = [of("\u{e9}\u{2603}".as_bytes()), of(b"\xff")].concat();
    run(&dir, &["md5deep", "-r", "-l", "t"]).code(0).printed(plain);
    let escaped = [of(b"U+00E9U+2603"), of(b"\\xff")].concat();
    run(&dir, &["md5deep", "-u", "-r", "-l", "t"]).code(0).printed(escaped);
    let old = [of(b"\xe9U+2603"), of(b"\\xff")].concat();
    run(&dir, &["--as-is", "md5deep", "-u", "-r", "-l", "t"]).code(0).printed(old);
}

#[test]
fn large_files_have_stars_and_their_size() {
    let dir = Dir::new();
    dir.write("t/a", "a\n").write("t/big", "x".repeat(100));
    let ran = run(&dir, &["hashdeep", "-c", "md5", "-I", "10", "-r", "-l", "t"]).code(0);
    let stars = "*".repeat(32);
    assert!(ran.stdout.ends_with(format!("2,{A_MD5},t/a\n100,{stars},t/big\n").as_bytes()));
    let expected = format!("         2  {A_MD5}  t/a\n       100  {stars}  t/big\n");
    run(&dir, &["md5deep", "-z", "-I", "10", "-r", "-l", "t"]).code(0).printed(expected);
}

#[test]
fn all_algorithms_are_five() {
    let dir = Dir::new();
    dir.write("a", "a\n");
    let ran = run(&dir, &["hashdeep", "-c", "all", "-l", "a"]).code(0);
    assert!(
        ran.stdout.starts_with(b"%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,sha256,tiger,whirlpool,filename\n")
    );
}

#[test]
fn pipes_of_a_tree_are_passed_over_and_told() {
    let dir = Dir::new();
    dir.write("t/a", "a\n").fifo("t/pipe");
    let ran = run(&dir, &["md5deep", "-r", "-l", "t"]).code(0);
    let expected = "md5deep: 1 special file passed over (pipes, sockets, devices); use -o to read them\n";
    assert_eq!(ran.stderr, expected);
    ran.printed(format!("{A_MD5}  t/a\n"));
}

#[test]
fn the_file_that_results_go_to_is_no_input() {
    let dir = Dir::new();
    dir.write("t/a", "a\n").write("t/out", "old");
    run(&dir, &["md5deep", "-W", "t/out", "-r", "-l", "t"]).code(0).printed("");
    assert_eq!(dir.read("t/out"), format!("{A_MD5}  t/a\n").into_bytes());
    let ran = dir.shell("$0 as md5deep -r -l -p 2 t > t/out; cat t/out").run().code(0);
    ran.printed(format!("{A_MD5}  t/a offset 0-1\n"));
}

#[test]
fn a_newline_in_an_argument_makes_no_record() {
    let dir = Dir::new();
    dir.write("a", "a\n").write("b\n3,x,y,z", "a\n");
    let ran = run(&dir, &["hashdeep", "-l", "a", "b\n3,x,y,z"]).code(0);
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.lines().nth(3).unwrap().ends_with("hashdeep -l a b\\n3,x,y,z"), "{text}");
}

#[test]
fn lists_that_end_with_nul_and_long_lines_are_read() {
    let dir = Dir::new();
    let deep = format!("t/{}", ["d".repeat(200).as_str(); 12].join("/"));
    dir.write(format!("{deep}/a"), "a\n").write("t/b", "b");
    for zero in ["-0", "-l"] {
        let listed = run(&dir, &["hashdeep", zero, "-r", "-l", "t"]).code(0);
        dir.write("k", listed.stdout);
        let ran = run(&dir, &["hashdeep", "-a", "-k", "k", "-r", "-l", "t"]);
        ran.code(0).printed("hashdeep: Audit passed\n");
    }
}

#[test]
fn hashkeeper_and_the_names_of_known_sets_are_read() {
    let dir = Dir::new();
    let nsrl = r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
    let row = format!("\"{}\",\"{A_MD5}\",\"00000000\",\"known\",2,1,\"1\",\"\"", "0".repeat(40));
    let keeper = r#""file_id","hashset_id","file_name","directory","hash","file_size","date_modified""#;
    dir.write("t/a", "a\n").write("nsrl", format!("{nsrl}\n{row}\n"));
    dir.write("keeper", format!("{keeper}\n1,1,\"known\",\"x\",\"{A_MD5}\",2,\"\"\n"));
    for set in ["nsrl", "keeper"] {
        run(&dir, &["md5deep", "-w", "-m", set, "-r", "-l", "t"]).code(0).printed("t/a matched known\n");
    }
}

#[test]
fn results_that_cannot_be_written_fail() {
    let dir = Dir::new();
    dir.write("a", "a\n");
    let ran = dir.shell("$0 as md5deep -l a > /dev/full").run().code(1);
    assert_eq!(ran.stderr, "md5deep: cannot write to standard output: No space left on device\n");
    dir.hashlane(["as", "md5deep", "-Fx", "a"]).run().code(64);
}

#[test]
fn every_difference_of_the_list_stands_in_the_table() {
    let table = include_str!("../../docs/old-command-lines-deep.md");
    for line in command_lines() {
        let Some(id) = line.differs else { continue };
        assert!(table.contains(&format!("| `{id}` |")), "{id}");
    }
}

/// What ends with NUL was read only by `as hashdeep -k` once.
#[test]
fn lists_of_hashdeep_whose_records_end_with_nul_are_read_everywhere() {
    if !have("hashdeep") {
        return;
    }
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2");
    for names in ["t/a", "t/a t/b"] {
        dir.shell(&format!("hashdeep -0 -l {names} > LIST")).run().code(0);
        let ran = dir.hashlane(["check", "LIST"]).run().code(0);
        assert_eq!(ran.lines().len(), names.split(' ').count());
    }
    // A newline ends none of them.
    dir.write("odd/a\nb", "3").write("odd/a", "4");
    dir.shell("hashdeep -0 -j0 -r -l odd > ODD").run().code(0);
    // Threads of hashdeep write in any order.
    let list = dir.read("ODD");
    let records = list.windows(4).position(|text| text == b"## \n").expect("an end of the header") + 4;
    let mut turned = list[..records].to_vec();
    for record in list[records..].split_inclusive(|&byte| byte == 0).rev() {
        turned.extend_from_slice(record);
    }
    dir.write("TURNED", turned);
    for list in ["ODD", "TURNED"] {
        let ran = dir.hashlane(["check", list]).run().code(0);
        assert_eq!(ran.lines().len(), 2, "{list}");
    }
    dir.shell("cat LIST ODD LIST > ALL").run().code(0);
    let ran = dir.hashlane(["check", "ALL"]).run().code(0);
    assert_eq!(ran.lines().len(), 6);
    // And a list that ends in zeros is torn.
    dir.shell("hashdeep -l t/a t/b > TORN && truncate -s -2 TORN && truncate -s +4096 TORN").run().code(0);
    dir.hashlane(["check", "TORN"]).run().code(16);
}
