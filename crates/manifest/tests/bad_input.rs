//! Every format, and all that can be wrong with a text in it: one table of what the formats look like, one test for each
//! kind of damage.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Read};

use hashlane_manifest::{Error, Format, Item, LineProblem, MAX_LINE_BYTES, ReadOptions, Reader, Remedy};

const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
const SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
const SHA1_BASE64: &str = "2jmj7l5rSw0yVb/vlWAYkK/YBwk=";
const SHA256_BASE64: &str = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

/// What a text of a format is made of. `NAME` stands for a name, and all digests are of nothing.
struct Shape {
    format: &'static str,
    head: String,
    entry: String,
    tail: &'static str,
}

/// All formats that are text.
fn shapes() -> Vec<Shape> {
    let shape = |format, head: &str, entry: String| Shape { format, head: head.to_owned(), entry, tail: "" };
    let ni = SHA256_BASE64.trim_end_matches('=').replace('+', "-").replace('/', "_");
    let json = "{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"NAME\",\"digests\":{\"sha1\":\"";
    vec![
        shape("gnu", "", format!("{SHA1}  NAME\n")),
        shape("bsd", "", format!("SHA1 (NAME) = {SHA1}\n")),
        shape("base64", "", format!("SHA1 (NAME) = {SHA1_BASE64}\n")),
        shape("base64-untagged", "", format!("{SHA1_BASE64}  NAME\n")),
        shape("multihash", "", format!("1114{SHA1}  NAME\n")),
        shape("ni", "", format!("ni:///sha-256;{ni}  NAME\n")),
        shape("sri", "", format!("sha256-{SHA256_BASE64}  NAME\n")),
        shape("hashdeep", "%%%% HASHDEEP-1.0\n%%%% size,sha1,filename\n", format!("0,{SHA1},NAME\n")),
        shape("md5deep-sizes", "", format!("         0  {SHA1}  NAME\n")),
        shape("md5deep-csv", "", format!("{SHA1},NAME\n")),
        shape("triage", "", format!("0\t{SHA1}\t{SHA1}\tNAME\n")),
        shape("sfv", "", "NAME 00000000\n".to_owned()),
        shape(
            "get-filehash",
            "Algorithm       Hash       Path\n---------       ----       ----\n",
            format!("SHA1 {SHA1} NAME\n"),
        ),
        shape("certutil", "", format!("SHA1 hash of NAME:\n{SHA1}\n")),
        shape("name-first", "", format!("NAME {SHA1}\n")),
        shape("checkm", "#%checkm_0.7\n", format!("NAME | sha1 | {SHA1} | 0\n")),
        shape("bagit", "", format!("{SHA1}  NAME\n")),
        shape("ace", "SHA-1:c\n", format!("{SHA1}\t/NAME\n")),
        shape("jsonl", "", format!("{json}{SHA1}\"}}}}\n")),
        shape("csv", "path,sha1\n", format!("NAME,{SHA1}\n")),
        Shape {
            format: "dfxml",
            head: "<?xml version='1.0'?>\n<dfxml>\n".to_owned(),
            entry: format!(
                "<fileobject><filename>NAME</filename><hashdigest type='sha1'>{SHA1}</hashdigest></fileobject>\n"
            ),
            tail: "</dfxml>\n",
        },
        Shape {
            format: "mhl",
            head: "<?xml version='1.0'?>\n<hashlist version='1.1'>\n".to_owned(),
            entry: format!("<hash><file>NAME</file><size>0</size><sha1>{SHA1}</sha1></hash>\n"),
            tail: "</hashlist>\n",
        },
        Shape {
            format: "internet-archive",
            head: "<?xml version='1.0'?>\n<files>\n".to_owned(),
            entry: format!("<file name=\"NAME\"><size>0</size><sha1>{SHA1}</sha1></file>\n"),
            tail: "</files>\n",
        },
        shape("mtree", "/set type=file uid=0\n. type=dir\n", format!("NAME size=0 sha1digest={SHA1}\n")),
        shape(
            "nsrl",
            "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n",
            format!("\"{SHA1}\",\"{MD5}\",\"00000000\",\"NAME\",0,1,\"1\",\"\"\n"),
        ),
        shape(
            "hashkeeper",
            "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\"\n",
            format!("1,1,\"NAME\",\"\",\"{MD5}\",0,\"\"\n"),
        ),
        shape("ilook", "V3Hash,HashSHA1,FileName,FilePath,FileSize\n", format!("{MD5},{SHA1},NAME,x,0\n")),
    ]
}

impl Shape {
    fn entry(&self, name: &[u8]) -> Vec<u8> {
        let (before, after) = self.entry.split_once("NAME").unwrap();
        let name = match self.format {
            // Blanks are written as numbers there.
            "mtree" => &name.split(|&byte| byte == b' ').collect::<Vec<_>>().join(&b"\\040"[..])[..],
            _ => name,
        };
        [before.as_bytes(), name, after.as_bytes()].concat()
    }

    /// A text with these entries and whatever else.
    fn text(&self, parts: &[Vec<u8>]) -> Vec<u8> {
        [self.head.as_bytes(), &parts.concat(), self.tail.as_bytes()].concat()
    }

    fn read_from(&self, input: impl Read + Send) -> Vec<Result<Item, LineProblem>> {
        let options = ReadOptions { format: Format::named(self.format), ..ReadOptions::default() };
        Reader::open(input, &options).unwrap().collect()
    }

    fn read(&self, text: &[u8]) -> Vec<Result<Item, LineProblem>> {
        self.read_from(text)
    }

    fn names(&self, text: &[u8]) -> Vec<Vec<u8>> {
        self.read(text).into_iter().flatten().map(|item| item.path.as_bytes().to_vec()).collect()
    }

    /// The number of the line that an entry stands on.
    fn line(&self, entry: usize) -> u64 {
        (self.head.matches('\n').count() + entry * self.entry.matches('\n').count() + 1) as u64
    }

    /// Whether the text is cut into lines that are understood each by itself.
    fn has_lines(&self) -> bool {
        !["dfxml", "mhl", "internet-archive"].contains(&self.format)
    }
}

/// The one problem among what was read.
fn problem<'p>(shape: &Shape, read: &'p [Result<Item, LineProblem>]) -> &'p LineProblem {
    let mut problems = read.iter().filter_map(|item| item.as_ref().err());
    let problem = problems.next().unwrap_or_else(|| panic!("{}: nothing is wrong in {read:?}", shape.format));
    assert!(problems.next().is_none(), "{}: {read:?}", shape.format);
    problem
}

#[test]
fn the_table_has_every_format() {
    let named: Vec<_> = shapes().iter().map(|shape| shape.format).chain(["encase", "parquet"]).collect();
    for format in Format::all() {
        assert!(named.contains(&format.name()), "{format} is in no test of this file");
    }
    for shape in shapes() {
        assert_eq!(shape.names(&shape.text(&[shape.entry(b"a"), shape.entry(b"b c")])), [&b"a"[..], b"b c"]);
    }
}

#[test]
fn marks_utf_16_and_lines_of_windows_are_read_in_every_format() {
    for shape in shapes() {
        let text =
            String::from_utf8(shape.text(&[shape.entry("größe".as_bytes()), shape.entry(b"b")])).unwrap();
        let utf16 = |bytes: fn(u16) -> [u8; 2]| {
            format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
        };
        let crlf = text.replace('\n', "\r\n");
        let texts = [
            format!("\u{feff}{text}").into_bytes(),
            format!("\u{feff}{crlf}").into_bytes(),
            crlf.into_bytes(),
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
        ];
        for text in texts {
            assert_eq!(
                shape.names(&text),
                ["größe".as_bytes(), b"b"],
                "{}: {}",
                shape.format,
                text.escape_ascii()
            );
        }
    }
}

#[test]
fn what_is_left_of_a_truncated_text_is_what_stood_there() {
    for shape in shapes() {
        let text = shape.text(&[shape.entry(b"first"), shape.entry(b"second")]);
        let whole: Vec<Item> = shape.read(&text).into_iter().map(Result::unwrap).collect();
        for end in 0..text.len() {
            let options = ReadOptions { format: Format::named(shape.format), ..ReadOptions::default() };
            let Ok(reader) = Reader::open(&text[..end], &options) else { continue };
            let read: Vec<_> = reader.collect();
            assert!(read.len() <= 2 + usize::from(!shape.has_lines()), "{}", shape.format);
            // A name that stands at the end of its line may be cut: nothing shows it.
            for (item, whole) in read.iter().flatten().zip(&whole) {
                assert_eq!(item.digests, whole.digests, "{} cut at {end}", shape.format);
                assert!(whole.path.as_bytes().starts_with(item.path.as_bytes()), "{} at {end}", shape.format);
            }
            if !shape.has_lines() {
                assert!(read.iter().any(Result::is_err) || end + 1 == text.len(), "{end}");
            }
        }
    }
}

#[test]
fn a_digest_that_is_too_short_or_too_long_is_a_problem_of_its_line() {
    for shape in shapes() {
        let entry = String::from_utf8(shape.entry(b"bad")).unwrap();
        let (digest, shorter) = match shape.format {
            "sfv" => ("00000000", "0000000"),
            "sri" => (SHA256_BASE64, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hS"),
            "ni" => ("hSuFU", "h"),
            "base64" | "base64-untagged" => (SHA1_BASE64, "2jmj7l5rSw0yVb/vlWAYkK/Y"),
            "nsrl" | "hashkeeper" | "ilook" => (MD5, "d41d8cd98f00b204e9800998ecf842"),
            _ => (SHA1, "da39a3ee5e6b4b0d3255bfef95601890afd807"),
        };
        for other in [shorter.to_owned(), format!("{digest}00000000")] {
            // The second of two in triage is the one that counts.
            let at = entry.rfind(digest).unwrap();
            let bad = [&entry[..at], &other, &entry[at + digest.len()..]].concat().into_bytes();
            let read = shape.read(&shape.text(&[shape.entry(b"a"), bad, shape.entry(b"b")]));
            let named = problem(&shape, &read);
            assert_eq!((read.len(), named.line), (3, shape.line(1)), "{}: {named}", shape.format);
            assert!(named.is_entry(), "{}: {named}", shape.format);
        }
    }
}

#[test]
fn names_that_lead_elsewhere_and_names_that_come_twice_are_read_as_they_are() {
    for shape in shapes().into_iter().filter(|shape| shape.format != "ace") {
        for name in [&b"/etc/passwd"[..], b"../../x", b"a/../../b", b"./a", b"C:/x"] {
            let text = shape.text(&[shape.entry(name), shape.entry(b"twice"), shape.entry(b"twice")]);
            assert_eq!(shape.names(&text), [name, b"twice", b"twice"], "{}", shape.format);
        }
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_the_name_or_a_problem() {
    for shape in shapes() {
        let read = shape.read(&shape.text(&[shape.entry(b"a\xff\xfe"), shape.entry(b"b")]));
        if shape.format == "jsonl" {
            let named = problem(&shape, &read);
            assert_eq!((read.len(), named.line), (2, shape.line(0)), "{}", shape.format);
            assert!(named.is_entry(), "{named}");
        } else {
            let names = read.iter().map(|item| item.as_ref().unwrap().path.as_bytes());
            assert!(names.eq([&b"a\xff\xfe"[..], b"b"]), "{}", shape.format);
        }
    }
}

#[test]
fn a_nul_byte_is_no_part_of_a_name() {
    for shape in shapes().into_iter().filter(|shape| !["nsrl", "hashkeeper", "ilook"].contains(&shape.format))
    {
        let text = shape.text(&[shape.entry(b"a"), shape.entry(b"x\0y"), shape.entry(b"b")]);
        let options = ReadOptions { format: Format::named(shape.format), ..ReadOptions::default() };
        let read = match Reader::open(&text[..], &options) {
            Ok(reader) => reader.collect::<Vec<_>>(),
            // What stands behind it looks like an entry: whether NUL ends lines is asked.
            Err(error) => {
                assert!(matches!(error, Error::NulByte { .. }), "{error}");
                continue;
            }
        };
        let named = problem(&shape, &read);
        assert_eq!((read.len(), named.line), (3, shape.line(1)), "{}: {named}", shape.format);
        assert!(named.is_entry(), "{}: {named}", shape.format);
    }
}

#[test]
fn a_line_too_long_to_be_held_fails_and_costs_no_other() {
    let shapes = shapes();
    for shape in shapes.iter().filter(|shape| shape.has_lines()) {
        // Before the first entry, after it, and as the last thing in the text; names, columns, words.
        for (filling, ended) in
            [(b'x', true), (b',', true), (b'|', true), (b' ', true), (b'[', true), (b'"', false)]
        {
            let long = || {
                let rest = if ended { &b"\n"[..] } else { b"" };
                io::repeat(filling).take(10_000_000).chain(rest)
            };
            let known = shape.text(&[shape.entry(b"a")]);
            let read = shape.read_from(io::Cursor::new(&known).chain(long()));
            let named = problem(shape, &read);
            assert_eq!((read.len(), named.line), (2, shape.line(1)), "{}", shape.format);
            assert!(named.to_string().contains(&format!("longer than {MAX_LINE_BYTES} bytes")), "{named}");
            assert!(named.is_entry() && named.to_string().len() < 400, "{named}");
            if ended && !shape.head.is_empty() {
                let entry = shape.entry(b"a");
                let input = io::Cursor::new(&shape.head).chain(long()).chain(io::Cursor::new(entry));
                let read = shape.read_from(input);
                assert_eq!((read.len(), problem(shape, &read).line), (2, shape.line(0)), "{}", shape.format);
            }
        }
    }
}

#[test]
fn a_long_comment_lists_nothing() {
    let comment = [b"#".as_slice(), &vec![b'x'; 2 * MAX_LINE_BYTES], b"\n"].concat();
    for shape in
        shapes().iter().filter(|shape| ["gnu", "bsd", "hashdeep", "md5deep-csv"].contains(&shape.format))
    {
        let read = shape.read(&shape.text(&[shape.entry(b"a"), comment.clone(), shape.entry(b"b")]));
        assert!(!problem(shape, &read).is_entry(), "{}", shape.format);
    }
}

#[test]
fn algorithms_that_are_not_known_are_named() {
    let cases = [
        ("bsd", "SHA1", "SHA9"),
        ("base64", "SHA1", "SHA9"),
        ("multihash", "1114", "7f14"),
        ("ni", "sha-256", "sha-999"),
        ("sri", "sha256", "sha999"),
        ("checkm", "sha1", "sha9"),
        ("jsonl", "sha1", "sha9"),
        ("dfxml", "sha1", "sha9"),
        ("mhl", "sha1", "sha9"),
    ];
    for (format, known, unknown) in cases {
        let shape = shapes().into_iter().find(|shape| shape.format == format).unwrap();
        let entry = String::from_utf8(shape.entry(b"x")).unwrap().replace(known, unknown).into_bytes();
        let read = shape.read(&shape.text(&[shape.entry(b"a"), entry, shape.entry(b"b")]));
        let named = problem(&shape, &read);
        assert_eq!((read.len(), named.line), (3, shape.line(1)), "{format}");
        assert!(named.is_entry(), "{format}: {named}");
    }
    for (format, column) in [("hashdeep", "sha1"), ("csv", "sha1"), ("ace", "SHA-1")] {
        let shape = shapes().into_iter().find(|shape| shape.format == format).unwrap();
        let text = String::from_utf8(shape.text(&[shape.entry(b"a")])).unwrap().replacen(column, "sha9", 1);
        let options = ReadOptions { format: Format::named(format), ..ReadOptions::default() };
        assert!(Reader::open(text.as_bytes(), &options).is_err(), "{format}");
    }
}

#[test]
fn bombs_of_xml_do_not_go_off() {
    let bomb = "<?xml version='1.0'?>\n<!DOCTYPE dfxml [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>\
                <!ENTITY c SYSTEM 'file:///etc/passwd'>]>\n<dfxml><fileobject><filename>&b;</filename></fileobject></dfxml>";
    let cases = [
        (bomb.to_owned(), "line 2: column 1: a document type declaration"),
        (
            format!("<dfxml>\n{}", "<a>".repeat(1_000_000)),
            "line 2: column 190: elements are nested deeper than 64",
        ),
        ("<dfxml>\n<x>&c;</x></dfxml>".to_owned(), "line 2: column 4: an ampersand"),
        (format!("<dfxml>\n<x {}>", "a='1' ".repeat(1_000_000)), "line 2: column 1: longer than any tag"),
        (format!("<dfxml><x>\n&{};</x></dfxml>", "a".repeat(1_000_000)), "line 2: column 1: an ampersand"),
    ];
    for (text, expected) in cases {
        let options = ReadOptions::default();
        let read: Vec<_> = Reader::open(text.as_bytes(), &options).unwrap().collect();
        assert_eq!(read.len(), 1, "{expected}");
        let named = read[0].as_ref().unwrap_err();
        assert!(named.to_string().starts_with(expected) && named.is_entry(), "{named}");
    }
}

#[test]
fn places_in_csv_and_json_are_told() {
    let shape = |format| shapes().into_iter().find(|shape| shape.format == format).unwrap();
    let said = |format, line: &str| {
        let shape = shape(format);
        problem(&shape, &shape.read(&shape.text(&[shape.entry(b"a"), line.as_bytes().to_vec()]))).to_string()
    };
    let json = said("jsonl", "{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":3}\n");
    assert!(
        json.starts_with("line 2: not a manifest object: ") && json.contains(", in column 50: "),
        "{json}"
    );
    let stray = said("csv", "a,b\"c\n");
    assert!(
        stray.starts_with("line 3: a quotation mark inside an unquoted field")
            && stray.contains(", in column 2: ")
    );
    assert!(said("csv", "a,\"c\n").starts_with("line 3: a quotation mark is never closed, in column 2: "));
}

#[test]
fn a_set_of_encase_that_is_cut_or_goes_on_is_said() {
    let mut set = b"HASH\r\n\xff\0\x01\0\0\0\0\0\0\0\x02\0\0\0".to_vec();
    set.resize(0x480 + 36, 0);
    let options = ReadOptions::default();
    let read = |text: &[u8]| match Reader::open(text, &options) {
        Ok(reader) => reader.collect::<Vec<_>>(),
        Err(_) => Vec::new(),
    };
    assert!(read(&set).len() == 2 && read(&set).iter().all(Result::is_ok));
    for end in 0x480..set.len() {
        let left = read(&set[..end]);
        assert_eq!(left.iter().filter(|item| item.is_err()).count(), 1, "{end}");
    }
    set.extend_from_slice(&[0; 100]);
    assert!(read(&set).last().unwrap().is_err());
}

#[test]
fn a_database_is_no_manifest_and_the_way_to_read_it_is_said() {
    let error = Reader::open(&b"SQLite format 3\0\x10\0\x01\x01"[..], &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "an SQLite database, not a manifest");
    assert_eq!(error.remedy(), Some(Remedy::KnownSet));
}
