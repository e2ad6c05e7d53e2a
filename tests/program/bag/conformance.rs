//! The cases of the conformance suite of the Library of Congress, by their names, and more: each bag is made
//! here from the rules that it is about. Where bagit.py judges otherwise than RFC 8493 wants it, the case
//! says why.

use super::{FILES, bagit, bare, declaration, manifest, seal, they_accept, validate, whole};
use crate::work::{Dir, digest};

struct Case {
    name: &'static str,
    bag: fn() -> Dir,
    /// Our exit code.
    code: i32,
    /// Why bagit.py, version 1.9, judges otherwise; `None`: it does not.
    they_differ: Option<&'static str>,
}

const fn case(name: &'static str, code: i32, bag: fn() -> Dir) -> Case {
    Case { name, bag, code, they_differ: None }
}

const fn differs(name: &'static str, code: i32, bag: fn() -> Dir, why: &'static str) -> Case {
    Case { name, bag, code, they_differ: Some(why) }
}

/// A bag in which the manifest lists something besides its files.
fn listing(version: &str, path: &str, content: &str) -> Dir {
    let dir = bare(version, &FILES);
    let more = manifest("md5", &[(path, content)]);
    dir.write("bag/manifest-md5.txt", manifest("md5", &FILES) + &more);
    seal(&dir, "md5");
    dir
}

/// A bag in which fetch.txt has a line.
fn fetching(line: &str) -> Dir {
    let dir = bare("0.97", &FILES);
    dir.write("bag/fetch.txt", format!("{line}\n"));
    seal(&dir, "md5");
    dir
}

fn declared(text: &str) -> Dir {
    let dir = whole("0.97");
    dir.write("bag/bagit.txt", text);
    seal(&dir, "md5");
    dir
}

/// Tag files in another encoding than UTF-8.
fn encoded(name: &str, encode: fn(&str) -> Vec<u8>) -> Dir {
    let dir = bare("0.97", &[("data/n\u{e9}", "x")]);
    dir.write("bag/bagit.txt", format!("BagIt-Version: 0.97\nTag-File-Character-Encoding: {name}\n"));
    dir.write("bag/manifest-md5.txt", encode(&manifest("md5", &[("data/n\u{e9}", "x")])));
    dir.write("bag/bag-info.txt", encode("Contact-Name: Ren\u{e9}\nPayload-Oxum: 1.1\n"));
    dir
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_be_bytes).collect()
}

fn ascii(text: &str) -> Vec<u8> {
    text.replace('\u{e9}', "e").into_bytes()
}

/// A bag that lists the one file that it has by two names that are one under Unicode normalization, with these contents.
fn in_two_normalizations(version: &str, there: &str, [decomposed, composed]: [&str; 2]) -> Dir {
    let dir = bare(version, &[(there, "")]);
    let names = [("data/Nu\u{301}n\u{303}ez", decomposed), ("data/N\u{fa}\u{f1}ez", composed)];
    dir.write("bag/manifest-md5.txt", manifest("md5", &names));
    dir
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect()
}

/// A bag of an old version: its metadata have another name, lines end with CR and LF.
fn of_dos(version: &str) -> Dir {
    let dir = bare(version, &FILES);
    let dos = |text: String| text.replace('\n', "\r\n");
    dir.write("bag/bagit.txt", dos(declaration(version)));
    dir.write("bag/manifest-md5.txt", dos(manifest("md5", &FILES)).replace("  data", " data"));
    dir.write("bag/package-info.txt", "Bag-Size: 8 B\r\n   or so\r\n");
    seal(&dir, "md5");
    dir
}

const CASES: &[Case] = &[
    case("v0.93/valid/basic-bag", 0, || of_dos("0.93")),
    case("v0.94/valid/basic-bag", 0, || of_dos("0.94")),
    case("v0.95/valid/basic-bag", 0, || of_dos("0.95")),
    case("v0.96/valid/basic-bag", 0, || of_dos("0.96")),
    case("v0.97/valid/basic-bag", 0, || whole("0.97")),
    case("v1.0/valid/basicBag", 0, || whole("1.0")),
    case("v0.97/valid/duplicate-metadata-entries", 0, || {
        let dir = whole("0.97");
        dir.write("bag/bag-info.txt", "Bagging-Date: 2016-02-26\nBagging-Date: 2016-03-10\nx: 1\nX: 2\n");
        seal(&dir, "md5");
        dir
    }),
    case("v0.97/valid/bag-in-a-bag", 0, || {
        bare(
            "0.97",
            &[("data/bag/bagit.txt", "x"), ("data/bag/data/a", "y"), ("data/bag/manifest-md5.txt", "z")],
        )
    }),
    case("v0.96/valid/bag-with-encoded-names", 0, || {
        bare("0.96", &[("data/%7Edir/a", "x"), ("data/%test", "y"), ("data/dir/~t", "z")])
    }),
    case("v0.97/valid/bag-with-escapable-characters", 0, || bare("0.97", &[("data/a & (b) 'c'", "x")])),
    case("v0.97/valid/bag-with-space", 0, || bare("0.97", &[("data/test 1.txt", "x")])),
    case("v0.97/valid/bag-with-leading-dot-slash-in-manifest", 0, || {
        let dir = bare("0.97", &FILES);
        dir.write("bag/manifest-md5.txt", manifest("md5", &FILES).replace("data/", "./data/"));
        dir
    }),
    case("v0.97/valid/holey-bag", 0, || fetching("http://localhost/a%20b - data/sub/a b")),
    case("v0.97/valid/minimal-bag", 0, || bare("0.97", &FILES)),
    case("v0.97/valid/ISO-8859-1-encoded-tag-files", 0, || encoded("ISO-8859-1", latin1)),
    case("v0.97/valid/UTF-16-encoded-tag-files", 0, || encoded("UTF-16", utf16)),
    case("v0.97/valid/uncommon-metadata-separators", 0, || {
        let dir = whole("0.97");
        dir.write("bag/bag-info.txt", "T: 1\nT:   2\nT : 3\nT\t:4\nPayload-Oxum:8.2\n");
        seal(&dir, "md5");
        dir
    }),
    case("v0.97/invalid/baginfo-missing-encoding", 16, || declared("BagIt-Version: 0.97\n")),
    case("v0.97/invalid/bom-in-bagit.txt", 16, || declared(&format!("\u{feff}{}", declaration("0.97")))),
    case("v0.97/invalid/invalid-version-number", 16, || declared(&declaration(".97"))),
    case("v0.97/invalid/corrupt-data-file", 4, || {
        let dir = whole("0.97");
        dir.write("bag/data/hello.txt", "hullo\n");
        dir
    }),
    case("v0.97/invalid/corrupt-tag-file", 4, || {
        let dir = whole("0.97");
        dir.write("bag/bag-info.txt", "Contact-Name: Eve\nPayload-Oxum: 8.2\n");
        dir
    }),
    case("v0.97/invalid/extra-file-in-bag", 5, || {
        let dir = whole("0.97");
        dir.write("bag/data/bar", "bar");
        dir
    }),
    case("v0.97/invalid/missing-baginfo", 2, || {
        let dir = whole("0.97");
        std::fs::remove_file(dir.path("bag/bag-info.txt")).unwrap();
        dir
    }),
    case("v0.97/invalid/missing-bagit.txt", 2, || {
        let dir = whole("0.97");
        std::fs::remove_file(dir.path("bag/bagit.txt")).unwrap();
        dir
    }),
    case("v0.97/invalid/out-of-scope-file-paths-using-dot-notation", 16, || listing("0.97", "../x", "x")),
    case("v0.97/invalid/out-of-scope-file-paths-using-dot-notation-for-fetch", 16, || {
        fetching("http://e.org/ - ../x")
    }),
    case("v0.97/linux-only/out-of-scope-file-paths-using-absolute-path", 16, || {
        listing("0.97", "/tmp/foo", "x")
    }),
    case("v0.97/linux-only/out-of-scope-file-paths-using-absolute-path-for-fetch", 16, || {
        fetching("http://e.org/ - /tmp/foo")
    }),
    case("v0.97/linux-only/out-of-scope-file-paths-using-shortcut", 16, || listing("0.97", "~/foo", "x")),
    case("v0.97/linux-only/out-of-scope-file-paths-using-shortcut-for-fetch", 16, || {
        fetching("http://e.org/ - ~/foo")
    }),
    case("v0.97/linux-only/out-of-scope-file-paths-using-shortcut-username", 16, || {
        listing("0.97", "~root/foo", "x")
    }),
    case("v0.97/linux-only/out-of-scope-file-paths-using-shortcut-username-for-fetch", 16, || {
        fetching("http://e.org/ - ~root/foo")
    }),
    case("v0.97/invalid/same-filename-listed-twice-with-different-hashes", 16, || {
        listing("0.97", "data/hello.txt", "x")
    }),
    case("v1.0/invalid/same-filename-listed-twice-with-different-hashes", 16, || {
        listing("1.0", "data/hello.txt", "x")
    }),
    case("v0.97/warning/same-filename-listed-twice-with-the-same-hash", 0, || {
        listing("0.97", "data/hello.txt", "hello\n")
    }),
    case("v1.0/invalid/same-filename-listed-twice-with-the-same-hash", 16, || {
        listing("1.0", "data/hello.txt", "hello\n")
    }),
    case("v0.97/warning/duplicate-file-with-different-case", 2, || {
        listing("0.97", "data/HELLO.txt", "hello\n")
    }),
    case("v0.97/warning/made-with-md5sum-tools", 0, || {
        let dir = bare("0.97", &FILES);
        dir.write("bag/manifest-md5.txt", manifest("md5", &FILES).replace("  data", " *data"));
        dir
    }),
    case("v0.97/warning/relative-path", 0, || {
        let dir = bare("0.97", &FILES);
        dir.write("bag/manifest-md5.txt", manifest("md5", &FILES).replace("data/hello", "./data/hello"));
        dir
    }),
    differs(
        "v0.97/warning/same-filename-listed-twice-with-different-normalization",
        0,
        || in_two_normalizations("0.96", "data/N\u{fa}\u{f1}ez", ["", ""]),
        "it looks the file up by each name as listed; the suite has this bag among those to be warned of",
    ),
    differs(
        "one file in two normalizations, in 1.0",
        0,
        || in_two_normalizations("1.0", "data/N\u{fa}\u{f1}ez", ["", ""]),
        "it looks the file up by each name as listed",
    ),
    case("one file in two normalizations, its name decomposed", 0, || {
        in_two_normalizations("0.97", "data/Nu\u{301}n\u{303}ez", ["", ""])
    }),
    case("one file in two normalizations with two digests", 16, || {
        in_two_normalizations("0.97", "data/N\u{fa}\u{f1}ez", ["", "x"])
    }),
    case("one file in two normalizations with two digests, the first of which is wrong", 20, || {
        in_two_normalizations("1.0", "data/N\u{fa}\u{f1}ez", ["x", ""])
    }),
    case("garbage behind the declaration, in 0.97", 16, || declared(&(declaration("0.97") + "garbage\n"))),
    case("garbage behind the declaration, in 0.93", 16, || declared(&(declaration("0.93") + "garbage\n"))),
    differs(
        "an element behind the declaration, in 0.97",
        16,
        || declared(&(declaration("0.97") + "More: x\n")),
        "it takes further elements; every version has two lines",
    ),
    case("garbage behind the declaration, in 1.0", 16, || declared(&(declaration("1.0") + "garbage\n"))),
    case("UTF-16 declared over ASCII tag files", 17, || encoded("UTF-16", ascii)),
    case("UTF-16LE declared over ASCII tag files", 17, || encoded("UTF-16LE", ascii)),
    case("UTF-16BE declared over ASCII tag files", 17, || encoded("UTF-16BE", ascii)),
    case("UTF-16 declared over an ASCII manifest and nothing else", 17, || {
        let dir = encoded("UTF-16", ascii);
        std::fs::remove_file(dir.path("bag/bag-info.txt")).unwrap();
        dir
    }),
    case("UTF-16 declared, and nothing but bag-info.txt is ASCII", 16, || {
        let dir = encoded("UTF-16", utf16);
        dir.write("bag/bag-info.txt", "Contact-Name: Ada\n");
        dir
    }),
    case("v0.97/warning/special-system-files", 2, || listing("0.97", "data/.DS_Store", "")),
    case("v1.0/invalid/notAllManifestsListAllFiles", 1, || {
        let dir = bare("1.0", &FILES);
        dir.write("bag/data/missingFromManifest.txt", "x");
        dir
    }),
    differs(
        "v1.0/invalid/bagit-with-invalid-whitespace",
        16,
        || declared("BagIt-Version : 1.0\nTag-File-Character-Encoding : UTF-8\n"),
        "it takes any space around the colon; section 2.1.1 has one space behind it",
    ),
    differs(
        "a file that one of two manifests does not list",
        16,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/manifest-sha256.txt", manifest("sha256", &FILES[..1]));
            dir
        },
        "it merges the manifests; section 2.1.3 wants every file in every one since 1.0",
    ),
    case("a file that one of two manifests does not list, before 1.0", 0, || {
        let dir = bare("0.97", &FILES);
        dir.write("bag/manifest-sha256.txt", manifest("sha256", &FILES[..1]));
        dir
    }),
    differs(
        "a percent sign as RFC 8493 writes it",
        0,
        || {
            let dir = bare("1.0", &[("data/100%", "x")]);
            dir.write("bag/manifest-md5.txt", manifest("md5", &[("data/100%25", "x")]));
            dir
        },
        "it decodes %0A and %0D only; section 2.1.3 has %25 as well",
    ),
    case("a percent sign as bagit.py writes it", 0, || {
        bare("1.0", &[("data/100%", "x"), ("data/a%25b", "y")])
    }),
    case("line ends in a name", 0, || {
        let dir = bare("1.0", &[("data/a\nb\rc", "x")]);
        dir.write("bag/manifest-md5.txt", manifest("md5", &[("data/a%0Ab%0Dc", "x")]));
        dir
    }),
    differs(
        "line ends in a name, encoded in lower case",
        0,
        || {
            let dir = bare("1.0", &[("data/a\nb", "x")]);
            dir.write("bag/manifest-md5.txt", manifest("md5", &[("data/a%0ab", "x")]));
            dir
        },
        "it decodes upper case only; RFC 3986 has both alike",
    ),
    differs(
        "a name with three newlines",
        0,
        || {
            let dir = bare("1.0", &[("data/a\n\n\nb", "x")]);
            dir.write("bag/manifest-md5.txt", manifest("md5", &[("data/a%0A%0A%0Ab", "x")]));
            dir
        },
        "it decodes two of a kind and no more",
    ),
    case("a composed name whose file is decomposed", 0, || {
        let dir = bare("1.0", &[("data/e\u{301}", "x")]);
        dir.write("bag/manifest-md5.txt", manifest("md5", &[("data/\u{e9}", "x")]));
        dir
    }),
    differs(
        "a decomposed name whose file is composed",
        0,
        || {
            let dir = bare("1.0", &[("data/\u{e9}", "x")]);
            dir.write("bag/manifest-md5.txt", manifest("md5", &[("data/e\u{301}", "x")]));
            dir
        },
        "it looks the file up by the name as listed, but only finds names of the composed form",
    ),
    case("two files whose names are one when normalized, both listed", 0, || {
        bare("1.0", &[("data/\u{e9}", "x"), ("data/e\u{301}", "y")])
    }),
    case("no payload manifest", 17, || {
        let dir = bare("1.0", &FILES);
        std::fs::remove_file(dir.path("bag/manifest-md5.txt")).unwrap();
        dir
    }),
    differs(
        "a manifest of an unknown algorithm beside a known one",
        16,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/manifest-quux9.txt", "00  data/hello.txt\n");
            dir
        },
        "it does not see manifests of algorithms that it does not know",
    ),
    case("nothing but a manifest of an unknown algorithm", 17, || {
        let dir = bare("1.0", &FILES);
        std::fs::rename(dir.path("bag/manifest-md5.txt"), dir.path("bag/manifest-quux9.txt")).unwrap();
        dir
    }),
    differs(
        "a tag manifest without the payload manifest",
        16,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/tagmanifest-md5.txt", manifest("md5", &[("bagit.txt", &declaration("1.0"))]));
            dir
        },
        "it does not ask what a tag manifest lists; section 2.2.1 wants every payload manifest there",
    ),
    differs(
        "a tag manifest that lists itself's kin",
        16,
        || {
            let dir = whole("1.0");
            dir.write("bag/tagmanifest-sha1.txt", {
                let line =
                    |name: &str| format!("{}  {name}\n", digest("sha1", dir.read(format!("bag/{name}"))));
                line("manifest-md5.txt") + &line("tagmanifest-md5.txt")
            });
            dir
        },
        "it does not ask what a tag manifest lists; section 2.2.1 has no tag manifests there",
    ),
    case("a payload manifest that lists a tag file", 16, || listing("1.0", "bagit.txt", &declaration("1.0"))),
    differs(
        "a path with .. that stays in the bag",
        17,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/manifest-md5.txt", manifest("md5", &FILES).replace("data/sub/", "data/x/../sub/"));
            dir
        },
        "it works out where a path leads; we follow no `..`, for a link on the way may turn it",
    ),
    differs(
        "a bag whose data is a link",
        18,
        || {
            let dir = bare("1.0", &FILES);
            std::fs::rename(dir.path("bag/data"), dir.path("bag/real")).unwrap();
            dir.link("real", "bag/data");
            dir
        },
        "it follows the link; section 2.1.2 has a directory",
    ),
    case("a link that leads out", 16, || {
        let dir = bare("1.0", &FILES);
        std::fs::remove_file(dir.path("bag/data/hello.txt")).unwrap();
        dir.write("outside", "hello\n").link("../../outside", "bag/data/hello.txt");
        dir
    }),
    case("a link that stays in the bag", 0, || {
        let dir = bare("1.0", &[("data/a", "x"), ("data/b", "x")]);
        std::fs::remove_file(dir.path("bag/data/b")).unwrap();
        dir.link("a", "bag/data/b");
        dir
    }),
    case("no data directory", 2, || {
        let dir = bare("1.0", &[]);
        std::fs::remove_dir(dir.path("bag/data")).unwrap();
        seal(&dir, "md5");
        dir
    }),
    case("an empty payload with a tag manifest", 0, || {
        let dir = bare("1.0", &[]);
        seal(&dir, "md5");
        dir
    }),
    differs(
        "an empty payload and no tag manifest",
        16,
        || bare("1.0", &[]),
        "nothing could be verified, which is no pass here",
    ),
    case("a file that is still to be fetched", 2, || {
        let dir = fetching("http://localhost/a - data/hello.txt");
        std::fs::remove_file(dir.path("bag/data/hello.txt")).unwrap();
        dir
    }),
    differs(
        "a fetched file of another size",
        4,
        || fetching("http://localhost/a 7 data/hello.txt"),
        "it does not read the sizes in fetch.txt",
    ),
    differs(
        "a file in fetch.txt and in no manifest",
        16,
        || fetching("http://localhost/a - data/other"),
        "it does not ask whether manifests list what is fetched; section 2.2.3 wants it",
    ),
    case("a URL without a scheme in fetch.txt", 16, || fetching("localhost/a - data/hello.txt")),
    case("Payload-Oxum that does not fit", 4, || {
        let dir = bare("1.0", &FILES);
        dir.write("bag/bag-info.txt", "Payload-Oxum: 9.2\n");
        dir
    }),
    differs(
        "Payload-Oxum twice",
        16,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/bag-info.txt", "Payload-Oxum: 8.2\nPayload-Oxum: 8.2\n");
            dir
        },
        "it takes the first and warns; section 2.2.2 has one",
    ),
    differs(
        "payload-oxum in lower case that does not fit",
        4,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/bag-info.txt", "payload-oxum: 9.2\n");
            dir
        },
        "it passes over it; section 2.2.2 has labels of any case",
    ),
    differs(
        "a manifest whose algorithm is named in upper case",
        0,
        || {
            let dir = bare("1.0", &FILES);
            std::fs::rename(dir.path("bag/manifest-md5.txt"), dir.path("bag/manifest-MD5.txt")).unwrap();
            dir
        },
        "it does not find it; what it lists holds, and a warning says that the name is another",
    ),
    case("metadata that are no elements", 16, || {
        let dir = bare("1.0", &FILES);
        dir.write("bag/bag-info.txt", "nothing\n");
        dir
    }),
    differs(
        "a line that is no entry",
        16,
        || {
            let dir = bare("1.0", &FILES);
            dir.write("bag/manifest-md5.txt", manifest("md5", &FILES) + "data/hello.txt\n");
            dir
        },
        "it logs an error and goes on",
    ),
    case("digests in upper case", 0, || {
        let dir = bare("1.0", &FILES);
        let upper = |line: &str| format!("{}{}\n", line[..32].to_uppercase(), &line[32..]);
        dir.write("bag/manifest-md5.txt", manifest("md5", &FILES).lines().map(upper).collect::<String>());
        dir
    }),
    differs(
        "a version that is not there yet",
        16,
        || declared(&declaration("1.1")),
        "it reads everything below 2.0",
    ),
];

#[test]
fn bags_are_judged_as_the_rules_have_it_and_as_bagit_py_does() {
    let tool = bagit();
    let mut wrong = Vec::new();
    for Case { name, bag, code, they_differ } in CASES {
        let dir = bag();
        let ran = validate(&dir, &["-q", "bag"]);
        let found = ran.status.code();
        if found != Some(*code) {
            let said = String::from_utf8_lossy(&ran.stdout);
            wrong.push(format!("{name}: exit {found:?}, expected {code}\n{said}{}", ran.stderr));
        }
        let Some(tool) = &tool else { continue };
        let accepted = they_accept(&dir, tool, "bag");
        if (accepted == (*code == 0)) == they_differ.is_some() {
            wrong.push(format!("{name}: bagit.py accepts: {accepted}; expected otherwise ({they_differ:?})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
