//! Manifests as they come: from other systems, damaged, ambiguous, huge.

use crate::work::{Dir, digest, gnu};

fn files() -> Dir {
    let dir = Dir::new();
    dir.write("a", "1").write("b", "2").write("größe", "3");
    dir
}

fn utf16(text: &str, little: bool) -> Vec<u8> {
    let unit = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn manifests_of_other_systems_are_read() {
    let dir = files();
    let text = gnu(&[("a", "1"), ("b", "2"), ("größe", "3")]);
    let ok = "a: OK\nb: OK\ngröße: OK\n";
    let windows = text.replace('\n', "\r\n");
    for manifest in [
        windows.clone().into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
        format!("\u{feff}{windows}").into_bytes(),
        utf16(&text, true),
        utf16(&windows, true),
        utf16(&windows, false),
        text.to_uppercase()
            .replace("  A", "  a")
            .replace("  B", "  b")
            .replace("GRÖSSE", "größe")
            .into_bytes(),
        text.replace("  ", " *").into_bytes(),
        format!("# comment\n\n{text}").into_bytes(),
        text.trim_end().as_bytes().to_vec(),
    ] {
        let manifest = String::from_utf8(manifest.clone())
            .map_or(manifest, |text| text.replace("GRÖßE", "größe").into());
        dir.write("SHA256SUMS", &manifest);
        let ran = dir.hashlane(["check", "--strict", "SHA256SUMS"]).run();
        ran.code(0).printed(ok).said(&["3 OK by sha256; 3 files, 3 B (3 B)"]);
    }
}

#[test]
fn mixed_algorithms_and_formats_stand_in_one_file() {
    let dir = files();
    let list = format!(
        "{}  a\nMD5 (a) = {}\nBLAKE3 (b) = {}\nSHA2-256(b)= {}\nSHA256 (a) = a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s=\n",
        digest("sha256", "1"),
        digest("md5", "1"),
        digest("blake3", "2"),
        digest("sha256", "2"),
    );
    dir.write("SHA256SUMS", list);
    dir.hashlane(["check", "--strict", "SHA256SUMS"]).run().code(0).printed("a: OK\nb: OK\na: OK\n");
}

#[test]
fn lines_that_cannot_be_understood_are_counted_and_the_others_checked() {
    let dir = files();
    let hex = digest("sha256", "1");
    let list =
        format!("{hex}  a\n{}  b\nnonsense\n{hex} b\n\\{hex}  a\\x\n{}", &hex[..62], gnu(&[("b", "2")]));
    dir.write("SHA256SUMS", list);
    let counted = "SHA256SUMS: 2 lines cannot be parsed";
    let cut_off = "SHA256SUMS: 1 line has a digest of another length, not compared; --warn shows which";
    let unverified = "1 listed file without a digest that can be verified";
    let summary = "2 OK by sha256, 1 mismatch; 3 files, 3 B (3 B)";
    let hinted = format!("{counted}; --warn shows which");
    for strictness in [None, Some("--strict")] {
        let ran = dir.hashlane(["check", "SHA256SUMS"]).args(strictness).run();
        ran.code(16 + 4).printed("a: OK\nb: FAILED\nb: OK\n").said(&[&hinted, cut_off, unverified, summary]);
    }
    let ran = dir.hashlane(["check", "--warn", "SHA256SUMS"]).run().code(16 + 4);
    let messages = ran.messages();
    let kind = "not a line of this format; expected DIGEST, two spaces, NAME or ALGORITHM (NAME) = DIGEST";
    assert_eq!(
        messages[0],
        format!(
            "SHA256SUMS: line 2: a sha256 digest has 64 hexadecimal or 44 base64 characters, not 62: \"{}  b\"",
            &hex[..62]
        )
    );
    assert_eq!(messages[1], format!("SHA256SUMS: line 3: {kind}: \"nonsense\""));
    assert!(messages[2].starts_with("SHA256SUMS: line 5: a backslash in the name"), "{}", messages[2]);
    assert_eq!(messages[3..], [counted, cut_off.split(';').next().unwrap(), unverified, summary]);
}

#[test]
fn lines_that_list_nothing_are_counted_and_fail_only_if_asked_to() {
    let dir = files();
    let signature =
        "-----BEGIN PGP SIGNATURE-----\n\niQIzBAEBCAAdFiEE0123\n=njUN\n-----END PGP SIGNATURE-----\n";
    dir.write("SHA256SUMS", format!("Files of today\n{}{signature}", gnu(&[("a", "1"), ("b", "2")])));
    let said =
        ["SHA256SUMS: 5 lines cannot be parsed; --warn shows which", "2 OK by sha256; 2 files, 2 B (2 B)"];
    for (strictness, code) in [(None, 0), (Some("--strict"), 16)] {
        let ran = dir.hashlane(["check", "SHA256SUMS"]).args(strictness).run();
        ran.code(code).printed("a: OK\nb: OK\n").said(&said);
    }
}

#[test]
fn an_entry_whose_algorithm_is_not_known_is_not_verified() {
    let dir = files();
    let list = format!("SHA256 (a) = {}\n{}", digest("sha256", "1"), gnu(&[("b", "2")]));
    dir.write("list", &list).write("SHA256SUMS", &list);
    dir.hashlane(["check", "SHA256SUMS"]).run().code(0).printed("a: OK\nb: OK\n");
    dir.hashlane(["check", "-a", "sha256", "list"]).run().code(0).printed("a: OK\nb: OK\n");
    dir.hashlane(["check", "list"]).run().code(16).printed("a: OK\n").said(&[
        "list: 1 line cannot be parsed; --warn shows which",
        "1 listed file without a digest that can be verified",
        "1 OK by sha256; 1 file, 1 B (1 B)",
    ]);
    dir.hashlane(["check", "--status", "list"]).run().code(16).printed("").said(&[]);
}

#[test]
fn a_manifest_of_nothing_but_nonsense_verifies_nothing() {
    let dir = files();
    dir.write("SHA256SUMS", "once upon\na time\n");
    dir.hashlane(["check", "SHA256SUMS"]).run().code(64).printed("").said(&[
        "SHA256SUMS: line 1 matches no known format: \"once upon\"; name the format with --manifest-format \
         (`hashlane formats` lists them)",
    ]);
    dir.hashlane(["check", "--manifest-format", "gnu", "SHA256SUMS"]).run().code(16).said(&[
        "SHA256SUMS: 2 lines cannot be parsed; --warn shows which",
        "no file was verified",
        "0 OK; 0 files, 0 B (0 B)",
    ]);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_one_problem() {
    let dir = files();
    let mut list = gnu(&[("a", "1")]).into_bytes();
    list.resize(list.len() + 100_000_000, b'x');
    list.extend(format!("\n{}", gnu(&[("b", "2")])).bytes());
    dir.write("SHA256SUMS", &list);
    // Nobody has seen what it lists: that is not a pass.
    let ran = dir.hashlane(["check", "-w", "SHA256SUMS"]).run().code(16).printed("a: OK\nb: OK\n");
    let messages = ran.messages();
    let problem = "SHA256SUMS: line 2: longer than 1048576 bytes: \"xxx";
    assert!(messages[0].starts_with(problem) && messages[0].len() < 200, "{}", messages[0]);
    assert_eq!(messages[1], "SHA256SUMS: 1 line cannot be parsed");
    dir.write("SHA256SUMS", list.split_off(list.len() - 100_000_000));
    let ran = dir.hashlane(["check", "SHA256SUMS"]).run().code(16).printed("b: OK\n");
    ran.said(&[
        "SHA256SUMS: 1 line cannot be parsed; --warn shows which",
        "1 listed file without a digest that can be verified",
        "1 OK by sha256; 1 file, 1 B (1 B)",
    ]);
    dir.write("SHA256SUMS", vec![b'x'; 100_000_000]);
    let ran = dir.hashlane(["check", "SHA256SUMS"]).run().code(64).printed("");
    assert!(ran.stderr.len() < 400 && ran.stderr.contains("matches no known format"), "{}", ran.stderr);
}

#[test]
fn truncated_records_are_problems_and_no_verdicts() {
    let dir = files();
    let cut = |format: &str, zero: &[&str], keep: &dyn Fn(&[u8]) -> usize, verdicts: &str, said: &str| {
        let sum = ["sum", "-q", "-o", "SHA256SUMS", "--manifest-format", format, "a", "b"];
        dir.hashlane(sum).args(zero).run().code(0);
        let whole = dir.read("SHA256SUMS");
        dir.write("SHA256SUMS", &whole[..keep(&whole)]);
        let ran =
            dir.hashlane(["check", "--strict", "SHA256SUMS"]).args(zero).run().code(16).printed(verdicts);
        assert_eq!(ran.messages()[0], format!("SHA256SUMS: {said}; --warn shows which"));
    };
    let (bad, cut_off) = ("1 line cannot be parsed", "1 line has a digest of another length, not compared");
    let inside_last = |whole: &[u8]| whole.len() - 40;
    cut("gnu", &[], &inside_last, "a: OK\n", bad);
    cut("bsd", &[], &inside_last, "a: OK\n", cut_off);
    cut("jsonl", &[], &inside_last, "a: OK\n", bad);
    cut("csv", &[], &inside_last, "a: OK\n", bad);
    cut("hashdeep", &[], &inside_last, "a: OK\n", bad);
    let without_nul = |whole: &[u8]| whole.len() - 1;
    cut("gnu", &["--zero"], &without_nul, "a: OK\n", bad);
}

#[test]
fn what_cannot_be_told_is_asked_for() {
    let dir = files();
    dir.write("list", gnu(&[("a", "changed")]));
    dir.hashlane(["check", "list"]).run().code(16).printed("").said(&[
        "list: a digest of 32 bytes can be sha256, sha512-256, sha3-256, shake128, blake2b-256, blake2s, blake3 or sm3; \
         name the algorithm (--algorithm sha256), or name the file after it (SHA256SUMS), \
         or write the manifest with --tag; not proven: none of them matches the one file that could be read",
    ]);
    dir.write("list", gnu(&[("a", "1")]));
    for arguments in [&["-a", "sha256", "list"][..], &["--algorithm=sha256", "list"]] {
        dir.hashlane(["check"]).args(arguments).run().code(0).printed("a: OK\n");
    }
    for name in ["SHA256SUMS", "sha256sum.txt", "photos.sha256"] {
        dir.write(name, gnu(&[("a", "1")]));
        dir.hashlane(["check", name]).run().code(0).printed("a: OK\n");
    }
    dir.write("list", format!("{}  a\n", digest("md5", "changed")));
    dir.hashlane(["check", "list"]).run().code(16).said(&[
        "list: a digest of 16 bytes can be md5, md4, blake2b-128 or xxh128; name the algorithm (--algorithm md5), \
         or name the file after it (MD5SUMS), or write the manifest with --tag; \
         not proven: none of them matches the one file that could be read",
    ]);
    dir.write("list", format!("BLAKE2b-256 (a) = {}\n", digest("blake2b-256", "1")));
    dir.hashlane(["check", "list"]).run().code(0).printed("a: OK\n");
    dir.write("list", format!("{}  a\n", digest("sha1", "1")));
    dir.hashlane(["check", "list"]).run().code(0).printed("a: OK\n");
}

#[test]
fn each_command_says_what_it_cannot_do_with_a_list_of_nothing() {
    let dir = files();
    dir.write("SHA256SUMS", gnu(&[("a", "1")]));
    for (name, text) in [("empty", ""), ("comments", "# nothing\n\n"), ("mark", "\u{feff}")] {
        dir.write(name, text);
        for (words, task) in [
            ("check NAME", "verify"),
            ("check --audit NAME", "verify"),
            ("convert NAME new", "convert"),
            ("convert --add sha256 NAME new", "convert"),
            ("diff NAME SHA256SUMS", "compare"),
            ("diff SHA256SUMS NAME", "compare"),
            ("known build -o new NAME", "index"),
            ("sum --known NAME --match a", "match against"),
            ("sum --update NAME a", "update"),
        ] {
            let words: Vec<_> =
                words.split(' ').map(|word| if word == "NAME" { name } else { word }).collect();
            let ran = dir.hashlane(&words).run().code(16).printed("");
            let said = format!("hashlane: {name}: nothing to {task}: the manifest has no lines");
            assert!(ran.stderr.lines().any(|line| line == said), "{words:?}: {}", ran.stderr);
            assert!(!dir.has("new") && dir.read(name) == text.as_bytes(), "{words:?}");
        }
    }
}

#[test]
fn a_manifest_that_cannot_be_read_is_said() {
    let dir = files();
    dir.make("directory").write("empty", "").write("comments", "# nothing\n\n").write("json", "{\"a\": 1}\n");
    dir.write("nul", "a\0b\n").write("cut", format!("{}  a\n", "ab".repeat(9)));
    let said = |name: &str, code: i32, message: &str| {
        let ran = dir.hashlane(["check", name]).run().code(code).printed("");
        assert_eq!(ran.messages(), [format!("{name}: {message}")]);
    };
    said("nowhere", 16, "No such file or directory");
    said("directory", 64, "is a directory; name the manifest in it");
    said("empty", 16, "nothing to verify: the manifest has no lines");
    said("comments", 16, "nothing to verify: the manifest has no lines");
    said(
        "json",
        64,
        "line 1 is JSON without `\"schema\":\"hashlane-manifest\"`; only hashlane manifests can be read as jsonl",
    );
    said(
        "nul",
        64,
        "line 1 contains a NUL byte; if its lines end with NUL, use --zero; if it is UTF-16 without a byte order mark, convert it to UTF-8",
    );
    said("/proc/self/mem", 16, "Input/output error (reading)");
}

#[test]
fn an_algorithm_that_contradicts_the_manifest_is_an_error() {
    let dir = files();
    dir.hashlane(["sum", "-q", "--header", "-o", "list", "a"]).run().code(0);
    dir.hashlane(["check", "list"]).run().code(0).printed("a: OK\n");
    dir.write("SHA256SUMS", gnu(&[("a", "1")]));
    dir.hashlane(["check", "-a", "md5", "SHA256SUMS"]).run().code(64).said(&[
        "SHA256SUMS: the manifest is named after sha256 and has digests of 32 bytes, but md5 was requested, whose digests have 16; use --algorithm sha256, or leave out --algorithm",
    ]);
    dir.hashlane(["check", "-a", "blake3", "list"]).run().code(64).said(&[
        "list: the manifest states that its digests are sha256, but blake3 was requested; use --algorithm sha256, or leave out --algorithm",
    ]);
}

#[test]
fn a_file_that_jsonl_lists_without_a_digest_is_not_verified() {
    let dir = files();
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "list", "a", "nowhere"]).run().code(16);
    dir.hashlane(["check", "list"]).run().code(16).printed("a: OK\n").said(&[
        "1 listed file without a digest to verify: recorded as unreadable or unstable",
        "1 OK by sha256; 1 file, 1 B (1 B)",
    ]);
    // Nor is one whose digests are those of a file on the move, or of a part of it.
    let object = |outcome: &str| {
        format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"a\",\
             \"digests\":{{\"sha256\":\"{}\"}},{outcome}}}\n",
            digest("sha256", "1")
        )
    };
    let unstable = object("\"outcome\":\"unstable\",\"change\":\"grew\"");
    let failed = object("\"outcome\":\"failed\",\"operation\":\"read\",\"errno\":5,\"offset_bytes\":1");
    dir.write("list", format!("{unstable}{failed}"));
    dir.hashlane(["check", "list"]).run().code(16).printed("").said(&[
        "2 listed files without a digest to verify: recorded as unreadable or unstable",
        "no file was verified",
        "0 OK; 0 files, 0 B (0 B)",
    ]);
}

#[test]
fn a_file_that_one_section_verifies_is_verified() {
    let dir = files();
    let section = |algorithm: &str| {
        let lines =
            [("a", "1"), ("b", "2")].map(|(name, text)| format!("{}  {name}\n", digest(algorithm, text)));
        format!("#\n# Checksums-{algorithm}:\n{}", lines.concat())
    };
    dir.write("CHECKSUMS", section("sha1") + &section("sha256"));
    for (option, algorithm) in [(None, "sha1"), (Some("-asha256"), "sha256")] {
        dir.hashlane(["check", "CHECKSUMS"]).args(option).run().code(0).printed("a: OK\nb: OK\n").said(&[
            "CHECKSUMS: 2 lines have digests of another length, not compared; --warn shows which",
            &format!("2 OK by {algorithm}; 2 files, 2 B (2 B)"),
        ]);
    }
    // What only the other section lists is not verified.
    dir.write("CHECKSUMS", section("sha1") + &format!("{}  c\n", digest("sha256", "3")));
    dir.hashlane(["check", "CHECKSUMS"]).run().code(16).said_among_others(&[
        "CHECKSUMS: 1 line has a digest of another length, not compared",
        "1 listed file without a digest that can be verified",
    ]);
}

#[test]
fn a_specification_of_a_hierarchy_is_read() {
    let dir = Dir::new();
    dir.write("a b", "1").write("sub/c", "2").write("sub/deep/d", "3").write("e", "4");
    let entry =
        |name: &str, text: &str| format!("    {name} size=1 \\\n\tsha256digest={}\n", digest("sha256", text));
    let specification = [
        "#\t   user: ada\n#\tmachine: h\n#mtree\n/set type=file uid=0 mode=0644\n# .\n.  type=dir\n",
        &entry("a\\040b", "1"),
        "    l type=link link=e\n    sub type=dir\n",
        &entry("c", "2"),
        "    deep type=dir\n",
        &entry("d", "3"),
        "    ..\n    ..\n",
        &format!("#e size=1 md5={}\n", digest("md5", "4")),
        "..\n",
        &format!("./e md5={} cksum=12 optional\n", digest("md5", "4")),
    ];
    dir.write("root.mtree", specification.concat());
    let ok = "a b: OK\nsub/c: OK\nsub/deep/d: OK\n./e: OK\n";
    dir.hashlane(["check", "root.mtree"]).run().code(0).printed(ok).said(&[
        "root.mtree: 1 entry commented out, not verified",
        "4 OK by sha256 and md5; 4 files, 4 B (4 B)",
    ]);
    dir.write("sub/c", "x");
    dir.hashlane(["check", "root.mtree"]).run().code(4).printed(ok.replace("c: OK", "c: FAILED"));
    // A name of a link may end with a backslash, and the line does not go on.
    let lines = ["l type=link link=a\\\\\n", "./sub/c type=file md5=", &digest("md5", "2"), "\n"];
    dir.write("one.mtree", "#mtree\n.\n".to_owned() + &lines.concat());
    dir.hashlane(["check", "one.mtree"]).run().code(16 + 4);
    // Sentences whose words are keywords are none.
    dir.write("SHA256SUMS", format!("Release contents size\n{}  e\n", digest("sha256", "4")));
    dir.hashlane(["check", "SHA256SUMS"]).run().code(0).printed("e: OK\n");
    // What cannot be understood, or has no digest, is not verified; nor is what a directive that is damaged may have changed.
    for bad in [
        "f size=1\n",
        "f type=fil md5=1\n",
        "f md5=12\n",
        "..\n",
        "/sat type=file\n",
        "f cksum=1\n",
        "f\\q\n",
    ] {
        dir.write("one.mtree", format!("./e type=file md5={}\n{bad}", digest("md5", "4")));
        dir.hashlane(["check", "one.mtree"]).run().code(16).printed("./e: OK\n");
    }
}

#[test]
fn a_list_of_the_internet_archive_is_about_the_files_beside_it() {
    let dir = Dir::new();
    dir.write("item/a b.flac", "1").write("item/sub/c", "2");
    let file = |name: &str, text: &str, more: &str| {
        format!("<file name=\"{name}\" source=\"original\"><md5>{}</md5>{more}</file>", digest("md5", text))
    };
    let more = format!(
        "<size>1</size><mtime>1768500000</mtime><format>x</format><sha1>{}</sha1>",
        digest("sha1", "1")
    );
    let files = [
        file("a b.flac", "1", &(more + "<crc32>00000000</crc32>")),
        file("sub/c", "2", ""),
        file("item_files.xml", "of itself", ""),
    ];
    dir.write("item/item_files.xml", format!("<files>\n{}\n</files>\n", files.concat()));
    let ran = dir.hashlane(["check", "--complete", "item/item_files.xml"]).run();
    ran.code(0).printed("item/a b.flac: OK\nitem/sub/c: OK\n");
    dir.write("item/sub/c", "x");
    dir.hashlane(["check", "item/item_files.xml"]).run().code(4);
    // Another list is a file like others, and a file within a file is none.
    let other = file("other_files.xml", "2", "");
    dir.write("item/other_files.xml", "x");
    dir.write("item/item_files.xml", format!("<files>{other}</files>"));
    dir.hashlane(["check", "item/item_files.xml"]).run().code(4);
    let within = file("a b.flac", "1", &file("sub/c", "2", ""));
    dir.write("item/item_files.xml", format!("<files>{within}</files>"));
    dir.hashlane(["check", "item/item_files.xml"]).run().code(16);
    // What is not a <file> may have been one.
    dir.write(
        "item/item_files.xml",
        format!("<files>{}<fale name=\"d\"/></files>", file("a b.flac", "1", "")),
    );
    dir.hashlane(["check", "item/item_files.xml"]).run().code(16);
}
