//! MHL as it is met: the elements of its digests, what cannot be verified, and names that it cannot hold.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, Item, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::{ItemPath, Timestamp};

/// Of `abcd`.
const MD5: &str = "e2fc714c4727ee9395f324cd2e7f331f";
const XXH64: &str = "de0327b0d25d92cc";
const XXH64_REVERSED: &str = "cc925dd2b02703de";

fn shown(item: Item) -> String {
    let digests: Vec<_> = item.digests.iter().map(|digest| format!("{digest:?}")).collect();
    let size = item.size.map(|size| format!(" {size}")).unwrap_or_default();
    let time = item.modified.map(|time| format!(" @{}", time.seconds)).unwrap_or_default();
    format!("{} {}{size}{time} {}", item.line, item.path.escaped(), digests.join(" "))
}

fn read_with(text: &str, options: &ReadOptions<'_>) -> Vec<String> {
    match Reader::open(text.as_bytes(), options) {
        Ok(reader) => {
            assert_eq!(reader.format().name(), "mhl");
            let said = |item: Result<Item, _>| item.map_or_else(|problem| format!("{problem}"), shown);
            reader.map(said).collect()
        }
        Err(error) => vec![format!("error: {error}")],
    }
}

fn read(text: &str) -> Vec<String> {
    read_with(text, &ReadOptions::default())
}

/// A list with these entries, all on one line.
fn list(entries: &[&str]) -> String {
    let entries: String = entries.iter().map(|inside| format!("<hash>{inside}</hash>")).collect();
    format!("<?xml version='1.0' encoding='UTF-8'?><hashlist version='1.1'>{entries}</hashlist>")
}

/// One entry with these elements behind its name and size.
fn entry(inside: &str) -> Vec<String> {
    read(&list(&[&format!("<file>a</file><size>4</size>{inside}")]))
}

#[test]
fn each_element_of_a_digest_is_read_in_its_own_order_of_bytes() {
    let xxh64 = [format!("1 a 4 xxh64:{XXH64}")];
    assert_eq!(entry(&format!("<xxhash64be>{XXH64}</xxhash64be>")), xxh64);
    assert_eq!(entry(&format!("<xxhash64>{XXH64_REVERSED}</xxhash64>")), xxh64);
    let both = format!("<xxhash64be>{XXH64}</xxhash64be><xxhash64>{XXH64_REVERSED}</xxhash64>");
    assert_eq!(entry(&both), xxh64);
    // The same digits in both cannot be right.
    let unlike = format!("<xxhash64be>{XXH64}</xxhash64be><xxhash64>{XXH64}</xxhash64>");
    assert_eq!(entry(&unlike), ["line 1: two xxh64 digests: \"a\""]);
    let upper = MD5.to_uppercase();
    assert_eq!(entry(&format!("<md5> {upper}\n</md5>")), [format!("1 a 4 md5:{MD5}")]);
    // XXH32 in decimal digits.
    assert_eq!(entry("<xxhash>0123456789</xxhash>"), ["1 a 4 xxh32:075bcd15"]);
    let time = "<lastmodificationdate>1970-01-01T01:00:01+01:00</lastmodificationdate>";
    assert_eq!(entry(&format!("{time}<md5>{MD5}</md5>")), [format!("1 a 4 @1 md5:{MD5}")]);
}

#[test]
fn what_cannot_be_verified_is_a_problem_with_the_name_of_its_file() {
    let unknown = |name: &str| [format!("line 1: unknown algorithm {name}: \"a\"")];
    assert_eq!(entry("<xxhash>4294967296</xxhash>").len(), 1);
    assert!(entry("<xxhash>4294967296</xxhash>")[0].starts_with("line 1: "));
    assert_eq!(entry("<null></null>"), unknown("null"));
    assert_eq!(entry("<null/>"), unknown("null"));
    assert_eq!(entry(&format!("<xxhash-64>{XXH64}</xxhash-64>")), unknown("xxhash-64"));
    assert_eq!(entry("<hashdate>2026-01-01T00:00:00Z</hashdate>"), ["line 1: it has no digest: \"a\""]);
    // Beside a digest that can, it does not matter.
    assert_eq!(entry(&format!("<xxh99>0123456789</xxh99><md5>{MD5}</md5>")), [format!("1 a 4 md5:{MD5}")]);
    let text = list(&["<file>a</file><size>4</size><null/>"]);
    let problem =
        Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap().next().unwrap().unwrap_err();
    assert_eq!(problem.listed(), Some(&ItemPath::from("a")));
    let md5_only = ReadOptions { algorithm: Some(Algorithm::MD5), ..ReadOptions::default() };
    let text = list(&[&format!("<file>a</file><xxhash64be>{XXH64}</xxhash64be>")]);
    assert_eq!(read_with(&text, &md5_only), ["line 1: it has no digest: \"a\""]);
}

#[test]
fn a_bad_entry_is_one_problem_and_the_next_one_is_read() {
    let md5 = format!("<md5>{MD5}</md5>");
    let good = format!("<file>b</file>{md5}");
    for (bad, said) in [
        (md5.clone(), "the name is empty"),
        (format!("<file></file>{md5}"), "the name is empty"),
        (format!("<file>a</file><file>a</file>{md5}"), "two <file> elements in one <hash>: \"a\""),
        (
            format!("<file>a</file><size>4 bytes</size>{md5}"),
            "the size is not a number from 0 to 18446744073709551615: \"a\"",
        ),
        (
            format!("<file>a</file><lastmodificationdate>today</lastmodificationdate>{md5}"),
            "the time is not of the form 2026-01-31T23:59:59.123456789Z: \"a\"",
        ),
        (format!("<file>a</file>{md5}<hash></hash>"), "two <hash> elements in one <hash>: \"a\""),
        (
            format!("<file>a</file><md5>{}</md5>", &MD5[1..]),
            "a md5 digest has 32 hexadecimal or 24 base64 characters, not 31: \"a\"",
        ),
        (
            format!("<file>a</file><md5><b/>{MD5}</md5>"),
            "not a line of this format; expected only text in the elements of a <hash>: \"a\"",
        ),
    ] {
        let read = read(&list(&[&bad, &good]));
        assert_eq!(read, [format!("line 1: {said}"), format!("1 b md5:{MD5}")], "{bad}");
    }
}

#[test]
fn the_root_element_tells_the_format_and_its_version() {
    let text = list(&[&format!("<file>a</file><md5>{MD5}</md5>")]);
    let item = [format!("1 a md5:{MD5}")];
    assert_eq!(read(&text), item);
    assert_eq!(read(&text.replace("version='1.1'", "version=\"1.0\"")), item);
    let prefixed =
        text.replace("</", "</m:").replace("<h", "<m:h").replace("<f", "<m:f").replace("<md", "<m:md");
    assert_eq!(read(&prefixed), item);
    assert_eq!(
        read(&text.replace("'1.1'", "'3.0'")),
        ["line 1: column 39: a version of MHL that is not known; the rest is not read"]
    );
    let error = Reader::open(&b"<hashlists/>"[..], &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::UnknownFormat { .. }), "{error}");
    // What is cut off is said, and what stood there is read.
    let cut = read(&text[..text.len() - 5]);
    assert_eq!(cut.len(), 2, "{cut:?}");
    assert!(cut[1].contains("the document ends early: it is truncated"), "{cut:?}");
}

#[test]
fn names_are_relative_to_the_directory_of_the_list() {
    let text = list(&[&format!("<file>d/a</file><md5>{MD5}</md5>"), "<file>/b</file><null/>"]);
    let mut reader = Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().path, ItemPath::from("d/a"));
    assert_eq!(reader.next().unwrap().unwrap_err().listed(), Some(&ItemPath::from("/b")));
    let directory = |list: &str| reader.directory_of_names(list.as_bytes()).unwrap();
    assert_eq!((directory("x/y.mhl"), directory("/y.mhl")), (b"x/".to_vec(), b"/".to_vec()));
    assert_eq!((directory("y.mhl"), directory("-")), (Vec::new(), Vec::new()));
    let gnu = format!("{MD5}  a\n");
    let gnu = Reader::open(
        gnu.as_bytes(),
        &ReadOptions { algorithm: Some(Algorithm::MD5), ..ReadOptions::default() },
    );
    assert_eq!(gnu.unwrap().directory_of_names(b"x/y"), None);
}

#[test]
fn a_generation_of_asc_mhl_is_a_list_of_the_directory_that_has_the_history() {
    let generation = |inside: &str| {
        format!(
            "<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n<processinfo><roothash><content><md5>{MD5}</md5></content>\
             </roothash><ignore><pattern>ascmhl</pattern></ignore></processinfo>\n<hashes>{inside}</hashes></hashlist>"
        )
    };
    let path = |attributes: &str| format!("<path {attributes}>d/a</path>");
    let original = format!("<xxh64 action=\"original\" hashdate=\"x\">{XXH64}</xxh64>");
    let c4 = Algorithm::C4.digest(b"abcd");
    let text = generation(&format!(
        "<hash>{}{original}<c4>{c4}</c4><previousPath>b</previousPath></hash>\
         <directoryhash><path>d</path><content><md5>{MD5}</md5></content><structure/></directoryhash>",
        path("size='4' lastmodificationdate='1970-01-01T01:00:00+01:00'")
    ));
    assert_eq!(read(&text), [format!("3 d/a 4 @0 xxh64:{XXH64} c4:{c4}")]);
    let one = |inside: &str| read(&generation(&format!("<hash>{}{inside}</hash>", path(""))));
    let failed = format!("<md5 action='failed'>{MD5}</md5>");
    assert_eq!(one(&failed), ["line 3: the manifest states that the file failed its verification: \"d/a\""]);
    assert_eq!(one(&format!("{failed}{original}")), [format!("3 d/a xxh64:{XXH64}")]);
    assert_eq!(one("<xxh99>00000000</xxh99>"), ["line 3: unknown algorithm xxh99: \"d/a\""]);
    let reader = Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap();
    let directory =
        |list: &str| String::from_utf8(reader.directory_of_names(list.as_bytes()).unwrap()).unwrap();
    assert_eq!(directory("x/ascmhl/0001.mhl"), "x/");
    assert_eq!(directory("ascmhl/0001.mhl"), "");
    assert_eq!(directory("./packing.mhl"), "./");
    assert_eq!(directory("lists/packing.mhl"), "lists/");
}

#[test]
fn what_is_written_is_what_other_programs_read() {
    let mut item = Reader::open(
        list(&[&format!(
            "<file>a&amp;b</file><size>4</size><md5>{MD5}</md5><xxhash64be>{XXH64}</xxhash64be>"
        )])
        .as_bytes(),
        &ReadOptions::default(),
    )
    .unwrap()
    .next()
    .unwrap()
    .unwrap();
    item.modified = Some(Timestamp { seconds: 1, nanos: 0 });
    let format = Format::named("mhl").unwrap();
    let algorithms = ["xxh64", "md5"].map(|name| Algorithm::named(name).unwrap());
    let mut writer = Writer::new(format, &algorithms, &WriteOptions::default(), Vec::new()).unwrap();
    writer.item(&item).unwrap();
    for (name, size) in [(&b"a\x01"[..], Some(1)), (b"\xff", Some(1)), (b"c", None)] {
        let refused = writer.item(&Item { path: ItemPath::new(name), size, ..item.clone() }).unwrap_err();
        let is_of_name = matches!(refused, Error::NameNotHeld { .. });
        assert!(is_of_name || size.is_none() && matches!(refused, Error::NoSize { .. }), "{refused}");
    }
    item.modified = Some(Timestamp { seconds: 1, nanos: 500_000_000 });
    item.digests.truncate(1);
    writer.item(&item).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert_eq!(
        text,
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"1.1\">\n  <creatorinfo>\n    \
             <tool>hashlane {}</tool>\n  </creatorinfo>\n  <hash>\n    <file>a&amp;b</file>\n    \
             <size>4</size>\n    <lastmodificationdate>1970-01-01T00:00:01Z</lastmodificationdate>\n    \
             <xxhash64be>{XXH64}</xxhash64be>\n    <md5>{MD5}</md5>\n  </hash>\n  <hash>\n    \
             <file>a&amp;b</file>\n    <size>4</size>\n    \
             <lastmodificationdate>1970-01-01T00:00:01.500000000Z</lastmodificationdate>\n    \
             <md5>{MD5}</md5>\n  </hash>\n</hashlist>\n",
            env!("CARGO_PKG_VERSION")
        )
    );
    let sha256 = [Algorithm::SHA256];
    let refused = Writer::new(format, &sha256, &WriteOptions::default(), Vec::new()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "MHL supports md5, sha1 and xxh64, not sha256; use one of these, or jsonl or csv"
    );
}
