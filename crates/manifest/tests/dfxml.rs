//! DFXML as it is met: from hashdeep and fiwalk, truncated, hostile.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Read};

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, Item, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::ItemPath;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";

fn shown(item: Item) -> String {
    let digests: Vec<_> = item.digests.iter().map(|digest| digest.algorithm().name()).collect();
    let size = item.size.map(|size| format!(" {size}")).unwrap_or_default();
    let time = item.modified.map(|time| format!(" @{}", time.seconds)).unwrap_or_default();
    format!("{} {}{size}{time}: {}", item.line, item.path.escaped(), digests.join(","))
}

fn read_from(input: impl Read + Send, options: &ReadOptions<'_>) -> Vec<String> {
    match Reader::open(input, options) {
        Ok(reader) => {
            assert_eq!(reader.format().name(), "dfxml");
            let said = |item: Result<Item, _>| item.map_or_else(|problem| format!("{problem}"), shown);
            reader.map(said).collect()
        }
        Err(error) => vec![format!("error: {error}")],
    }
}

fn read(text: impl AsRef<[u8]>) -> Vec<String> {
    read_from(text.as_ref(), &ReadOptions::default())
}

/// A document with these children of its root, all on one line.
fn document(inside: &str) -> String {
    format!("<?xml version='1.0' encoding='UTF-8'?><dfxml version='1.0'>{inside}</dfxml>\n")
}

fn object(inside: &str) -> String {
    format!("<fileobject>{inside}</fileobject>")
}

fn md5() -> String {
    format!("<hashdigest type='MD5'>{MD5}</hashdigest>")
}

#[test]
fn the_root_element_tells_the_format() {
    let object = object(&format!("<filename>a</filename>{}", md5()));
    let plain = format!("<dfxml>{object}</dfxml>");
    for text in [
        plain.clone(),
        format!("\u{feff}{plain}"),
        format!("\r\n <?xml version=\"1.0\"?>\n<!-- <fiwalk> --><?x y?>\n{plain}"),
        format!("<?xml version='1.0' encoding='utf-8'?>\r\n{plain}\r\n"),
        plain.replace("dfxml", "d:dfxml").replace("fileobject", "d:fileobject"),
    ] {
        let read = read(&text);
        let is_prefixed = text.contains("d:dfxml");
        assert!(read.len() == 1 && (is_prefixed || read[0].ends_with(" a: md5")), "{text}: {read:?}");
    }
    for text in ["<?xml version='1.0'?><fiwalk/>", "<dfxmlish/>", "<x><dfxml/></x>", "<!-- <dfxml> -->"] {
        let error = Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::UnknownFormat { .. }), "{text}: {error}");
    }
    let utf16: Vec<u8> = format!("\u{feff}{plain}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(utf16), ["1 a: md5"]);
}

#[test]
fn what_fiwalk_writes_is_read() {
    let text = document(&format!(
        "<volume offset='0'><block_size>512</block_size>\n<fileobject><parent_object><inode>5</inode></parent_object>\
         <filename>a &amp; b&#x21;</filename><name_type>r</name_type><filesize>3</filesize>\
         <mtime prec='2'>1970-01-01T00:00:00-01:00</mtime><byte_runs><byte_run file_offset='0' len='3'/></byte_runs>\
         <hashdigest type='md5'>{}</hashdigest><hashdigest type='SHA-1'><![CDATA[{SHA1}]]></hashdigest>\
         </fileobject>\n<fileobject><filename>d</filename><name_type>d</name_type></fileobject></volume>",
        MD5.to_ascii_uppercase()
    ));
    assert_eq!(read(&text), ["2 a & b! 3 @3600: md5,sha1"]);
    let options = ReadOptions { algorithm: Some(Algorithm::SHA1), ..ReadOptions::default() };
    assert_eq!(read_from(text.as_bytes(), &options), ["2 a & b! 3 @3600: sha1"]);
}

#[test]
fn names_that_hashdeep_writes_raw_are_read() {
    let digest = md5();
    for name in [&b"inv\xff"[..], b"ctl\x01", b"new\nline", b"cr\rcr", b" lead trail ", b"%41", b"]]>"] {
        let text = [
            b"<dfxml><fileobject><filename>",
            name,
            b"</filename>",
            digest.as_bytes(),
            b"</fileobject></dfxml>",
        ];
        let items: Vec<_> =
            Reader::open(&text.concat()[..], &ReadOptions::default()).unwrap().map(Result::unwrap).collect();
        assert_eq!(items[0].path, ItemPath::new(name));
    }
}

#[test]
fn digests_of_pieces_are_never_taken_for_the_files() {
    let piece =
        format!("<byte_run file_offset='0' len='1'><hashdigest type='MD5'>{MD5}</hashdigest></byte_run>");
    let only = object(&format!("<filename>a</filename>{piece}"));
    let both = object(&format!("<filename>b</filename>{piece}<hashdigest type='sha1'>{SHA1}</hashdigest>"));
    assert_eq!(
        read(document(&format!("{only}\n{both}"))),
        [
            "line 1: the file has digests of pieces only, not of the whole; it is not verified: \"a\"",
            "2 b: sha1"
        ]
    );
}

#[test]
fn a_bad_object_is_one_problem_and_the_next_one_is_read() {
    let name = "<filename>x</filename>";
    let good = object(&format!("<filename>good</filename>{}", md5()));
    for (inside, said) in [
        (md5(), "the name is empty"),
        (format!("<filename/>{}", md5()), "the name is empty"),
        (format!("<filename>a\0b</filename>{}", md5()), "the name contains a NUL byte"),
        (format!("{name}{name}{}", md5()), "two <filename> elements in one <fileobject>: \"x\""),
        (
            format!("{name}<fileobject>{}</fileobject>", md5()),
            "two <fileobject> elements in one <fileobject>",
        ),
        (format!("<filename>x<b/>y</filename>{}", md5()), "not a line of this format"),
        (name.to_owned(), "it has no digest: \"x\""),
        (format!("{name}{}{}", md5(), md5()), "two md5 digests"),
        (format!("{name}<hashdigest type='ssdeep'>3:a</hashdigest>"), "unknown algorithm ssdeep"),
        (format!("{name}<hashdigest>{MD5}</hashdigest>"), "unknown algorithm : "),
        (format!("{name}<hashdigest type='sha1'>{MD5}</hashdigest>"), "a sha1 digest has 40 hexadecimal"),
        (format!("{name}<hashdigest type='md5'>{}zz</hashdigest>", &MD5[2..]), "the md5 digest is neither"),
        (format!("{name}<filesize>-1</filesize>{}", md5()), "the size is not a number"),
        (format!("{name}<mtime>yesterday</mtime>{}", md5()), "the time is not of the form"),
        (format!("{name}<mtime>1970-01-01T00:00:0ö01:00</mtime>{}", md5()), "the time is not of the form"),
        (
            format!("{name}<error>No such file</error>"),
            "the manifest states that the file could not be read: No such file",
        ),
    ] {
        let read = read(document(&format!("{}\n{good}", object(&inside))));
        assert!(read[0].starts_with(&format!("line 1: {said}")), "{inside}: {read:?}");
        assert_eq!(read[1..], ["2 good: md5"], "{inside}");
        let text = document(&object(&inside));
        let mut reader = Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert!(reader.next().unwrap().unwrap_err().is_entry(), "{inside}");
    }
}

#[test]
fn a_document_that_is_cut_off_never_passes_as_complete() {
    let object = object(&format!("<filename>a&amp;</filename><!-- c -->{}<![CDATA[ ]]>", md5()));
    let whole = document(&format!("<metadata x=\"&lt;\"/>{object}<?pi?>"));
    let whole = whole.trim_end();
    for length in whole.find("<dfxml>").unwrap_or(0).max(52)..whole.len() {
        let Ok(reader) = Reader::open(&whole.as_bytes()[..length], &ReadOptions::default()) else { continue };
        let last = reader.last().unwrap().unwrap_err();
        assert!(last.is_entry() && last.to_string().contains("it is truncated"), "{length}: {last}");
    }
    assert_eq!(read(whole).len(), 1);
    assert!(read(whole)[0].ends_with(": md5"));
}

#[test]
fn what_is_not_well_formed_ends_the_reading_with_line_and_column() {
    let good = object(&format!("<filename>a</filename>{}", md5()));
    for (text, said) in [
        (document("\n  <a></b>"), "line 2: column 6: a tag that closes an element other than the open one"),
        (format!("{}x", document("").trim_end()), "line 1: column 68: text outside the root element"),
        (document("").repeat(2), "line 2: column 1: a second document begins here; read each one separately"),
        (
            format!("{}<dfxml/>", document("")),
            "line 2: column 1: a second document begins here; read each one separately",
        ),
        (document("&lol;"), "line 1: column 60: an ampersand"),
        (document("&#0;"), "line 1: column 60: an ampersand"),
        (document("& "), "line 1: column 60: an ampersand"),
        (document("<1/>"), "line 1: column 60: a malformed tag"),
        (document("<a b/>"), "line 1: column 60: a malformed tag"),
        (document("<a b='1'c='2'/>"), "line 1: column 60: a malformed tag"),
        (document(&"<a>".repeat(65)), "line 1: column 249: elements are nested deeper than 64"),
        (
            document(&format!("<{}/>", "n".repeat(257))),
            "line 1: column 60: the name of an element is longer than 256",
        ),
        (
            "<!DOCTYPE dfxml [<!ENTITY a \"b\">]><dfxml>&a;</dfxml>".to_owned(),
            "line 1: column 1: a document type declaration, which is not supported; remove it",
        ),
        (
            format!("<?xml version='1.0' encoding='ISO-8859-1'?><dfxml>{good}</dfxml>"),
            "line 1: column 1: the document is not in UTF-8; convert it",
        ),
    ] {
        let read = read(&text);
        assert!(read[0].starts_with(said) && read.len() == 1, "{text}: {read:?}");
        assert!(read[0].ends_with("; the rest is not read"), "{read:?}");
    }
}

#[test]
fn hostile_documents_cost_no_memory() {
    let good = object(&format!("<filename>good</filename>{}", md5()));
    let with = |start: &str, filler: &'static [u8], end: &str| {
        let repeated =
            Repeated { text: filler, at: 0 }.take(4_000_000 / filler.len() as u64 * filler.len() as u64);
        let input = io::Cursor::new(format!("<dfxml>{start}").into_bytes()).chain(repeated);
        read_from(input.chain(io::Cursor::new(end.as_bytes().to_vec())), &ReadOptions::default())
    };
    let rest = format!("{good}</dfxml>");
    assert_eq!(with("<source>", b"x", &format!("</source>{rest}")), ["1 good: md5"]);
    assert_eq!(with("<!--", b"- -", &format!("-->{rest}")), ["1 good: md5"]);
    assert_eq!(with("<?x ", b"?", &format!("?>{rest}")), ["1 good: md5"]);
    assert_eq!(with("<source><![CDATA[", b"]", &format!("]]></source>{rest}")), ["1 good: md5"]);
    assert_eq!(with("<source>", b"&amp;", &format!("</source>{rest}")), ["1 good: md5"]);
    let long = with("<fileobject><filename>", b"n", &format!("</filename>{}</fileobject>{rest}", md5()));
    assert_eq!(long, ["line 1: longer than 1048576 bytes", "1 good: md5"]);
    assert!(with("<source ", b"a='' ", &format!("/>{rest}"))[0].contains("longer than any tag"));
    assert!(with("", b"<a>", "")[0].contains("nested deeper than 64"));
    assert!(with("&", b"x", "")[0].contains("column 8: an ampersand"));
    assert!(with("<fileobject>", b"<hashdigest/>", "")[0].contains("it is truncated"));
}

struct Repeated {
    text: &'static [u8],
    at: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.text[self.at];
            self.at = (self.at + 1) % self.text.len();
        }
        Ok(buffer.len())
    }
}

#[test]
fn a_name_that_xml_cannot_hold_is_shown_and_kept() {
    let format = Format::named("dfxml").unwrap();
    let md5 = Algorithm::MD5;
    let mut writer = Writer::new(format, &[md5], &WriteOptions::default(), Vec::new()).unwrap();
    let template = document(&object(&format!("<filename>a</filename>{}", self::md5())));
    let item = Reader::open(template.as_bytes(), &ReadOptions::default()).unwrap().next().unwrap().unwrap();
    for name in ["a\u{1}<", "\u{fffe}", "tab\t", "\u{fffd}"] {
        writer.item(&Item { path: ItemPath::from(name), ..item.clone() }).unwrap();
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let names: Vec<_> = text.lines().filter(|line| line.contains("filename")).map(str::trim).collect();
    assert_eq!(
        names,
        [
            "<filename hashlane:b64=\"YQE8\">a\u{fffd}&lt;</filename>",
            "<filename hashlane:b64=\"77++\">\u{fffd}</filename>",
            "<filename>tab&#9;</filename>",
            "<filename>\u{fffd}</filename>",
        ]
    );
    assert!(text.ends_with("</dfxml>\n"));
    let changed = text.replace("a\u{fffd}&lt;", "b\u{fffd}&lt;").replace("77++", "77+");
    let read = read(changed);
    assert_eq!(read.len(), 4);
    assert!(read[0].contains("path and path_b64 differ"), "{read:?}");
    assert!(read[1].contains("path_b64 is not base64"), "{read:?}");
}
