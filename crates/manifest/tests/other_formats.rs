//! What other programs write: lists of md5deep, SFV, Checkm, ACE, and sets of known files.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, Item, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::ItemPath;

const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
const SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

/// Format, then what each line comes to.
fn read_as(text: &[u8], options: &ReadOptions<'_>) -> Vec<String> {
    let reader = match Reader::open(text, options) {
        Ok(reader) => reader,
        Err(error) => return vec![error.to_string()],
    };
    let mut said = vec![reader.format().to_string()];
    said.extend(reader.map(|item| match item {
        Ok(Item { line, path, size, digests, .. }) => {
            let digests: Vec<_> = digests.iter().map(|digest| format!("{digest:?}")).collect();
            let size = size.map_or("?".to_owned(), |size| size.to_string());
            format!("{line} {} {size} {}", path.escaped(), digests.join(" "))
        }
        Err(problem) if problem.is_entry() => format!("{problem}; an entry"),
        Err(problem) => problem.to_string(),
    }));
    said
}

fn read(text: &str) -> Vec<String> {
    read_as(text.as_bytes(), &ReadOptions::default())
}

fn read_with(algorithm: &str, text: &str) -> Vec<String> {
    let algorithm = Algorithm::named(algorithm);
    read_as(text.as_bytes(), &ReadOptions { algorithm, ..ReadOptions::default() })
}

#[test]
fn a_list_with_sizes_is_read_whatever_the_sizes() {
    let text = format!("         3  {SHA1}  a  b\n  12345678  {SHA1}   c\n12345678901  {SHA1}  d\n");
    let expected = [
        format!("1 a  b 3 sha1:{SHA1}"),
        format!("2  c 12345678 sha1:{SHA1}"),
        format!("3 d 12345678901 sha1:{SHA1}"),
    ];
    assert_eq!(read(&text)[0], "md5deep-sizes");
    assert_eq!(read(&text)[1..], expected);
    // Eight digits in the first line must not be taken for a checksum either.
    let turned = format!("  12345678  {SHA1}  c\n");
    assert_eq!(read(&turned), ["md5deep-sizes".to_owned(), format!("1 c 12345678 sha1:{SHA1}")]);
}

#[test]
fn columns_of_md5deep_are_read_with_and_without_sizes() {
    let text = format!("{SHA1},a,b \"c\"\n         3, {SHA1},d\n");
    let expected =
        ["md5deep-csv".to_owned(), format!("1 a,b \"c\" ? sha1:{SHA1}"), format!("2 d 3 sha1:{SHA1}")];
    assert_eq!(read(&text), expected);
}

#[test]
fn triage_gives_the_digest_of_all() {
    let text = format!("3\t{MD5}\t{}\ta\tb\n", MD5.to_uppercase());
    assert_eq!(read_with("md5", &text), ["triage".to_owned(), format!("1 a\\tb 3 md5:{MD5}")]);
    assert!(read(&text)[0].starts_with("a digest of 16 bytes can be "));
}

#[test]
fn sfv_is_read_where_nothing_else_is_said() {
    let text = "; made by hand\n\na name.bin 0D4A1185\nb  f7d18982  \n";
    let expected = ["sfv", "3 a name.bin ? crc32:0d4a1185", "4 b ? crc32:f7d18982"];
    assert_eq!(read(text), expected);
    let dated = format!("Checksums of 20261121\n{SHA1}  a\n");
    assert_eq!(read(&dated)[0], "gnu");
    let prose = "made on 20261121\nby hand\n";
    assert!(read(prose)[0].starts_with("line 1 matches no known format"));
    let named = ReadOptions { file_name: Some(b"DISC.SFV"), ..ReadOptions::default() };
    assert_eq!(
        read_as(prose.as_bytes(), &named)[1..],
        [
            "1 made on ? crc32:20261121",
            "line 2: not a line of this format; expected a name, a space, eight hexadecimal digits: \"by hand\"; an entry"
        ]
    );
    assert_eq!(
        read_with("md5", text),
        ["the sfv manifest has no md5 column; it has crc32"],
        "an algorithm that it cannot hold"
    );
}

#[test]
fn digests_that_name_their_algorithm_need_no_other_word() {
    let sha256 = Algorithm::SHA256.digest(b"");
    for (format, text) in [
        ("multihash", format!("1220{sha256}  a b\n\\f1220{sha256} *c\\nd\n1114{SHA1}  a b\n")),
        (
            "ni",
            "ni:///sha-256;47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU  a b\n\\ni:///sha-256;\
             47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU  c\\nd\n"
                .to_owned(),
        ),
        (
            "sri",
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=  a b\n\\sha256-\
             47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=  c\\nd\n"
                .to_owned(),
        ),
    ] {
        let said = read(&text);
        assert_eq!(
            said[..3],
            [format.to_owned(), format!("1 a b ? sha256:{sha256}"), format!("2 c\\nd ? sha256:{sha256}")]
        );
        assert!(said.len() == 3 || said[3] == format!("3 a b ? sha1:{SHA1}"));
    }
    let cut_off = format!("1220{sha256}  a\n1220{}  b\n", &sha256.to_string()[..62]);
    assert!(read(&cut_off)[2].ends_with("; an entry"), "{:?}", read(&cut_off));
}

#[test]
fn lines_of_checkm_about_one_file_are_one_item() {
    let text = format!(
        "#%checkm_0.7\n# a comment\n#Filename | Algorithm | Digest | Length\n\
         a%7Cb | md5 | {MD5} | 0\na%7Cb | SHA-1 | {SHA1} | 0 | 2026-01-31T23:59:59Z\n\
         c%zz|md5|{MD5}\n@other.checkm\nd | none | 00\n"
    );
    assert_eq!(
        read(&text),
        [
            "checkm".to_owned(),
            format!("4 a|b 0 md5:{MD5} sha1:{SHA1}"),
            format!("6 c%zz ? md5:{MD5}"),
            "line 7: it names another list, which is not read; check that list separately: \"@other.checkm\"; an entry"
                .to_owned(),
            "line 8: unknown algorithm none: \"d | none | 00\"; an entry".to_owned(),
        ]
    );
    let only = read_with("sha1", &text);
    assert_eq!(only[1], format!("4 a|b 0 sha1:{SHA1}"));
}

#[test]
fn the_list_of_a_collection_of_ace_names_its_algorithm() {
    let text = format!("SHA-1:photos:/\n{SHA1}\t/a b\n{SHA1}\tc\n\nnothing\n");
    assert_eq!(
        read(&text),
        [
            "ace".to_owned(),
            format!("2 a b ? sha1:{SHA1}"),
            format!("3 c ? sha1:{SHA1}"),
            "line 5: not a line of this format; expected DIGEST, a tab, NAME: \"nothing\"; an entry"
                .to_owned(),
        ]
    );
    assert_eq!(
        read(&format!("{SHA1}\t/a b\n")),
        ["the ace manifest does not start with its header; expected ALGORITHM:COLLECTION"]
    );
}

#[test]
fn sets_of_known_files_are_read_by_the_names_of_their_columns() {
    let (sha1, md5) = (SHA1.to_uppercase(), MD5.to_uppercase());
    let rows = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\
         \"{sha1}\",\"{md5}\",\"00000000\",\"a \"\"b\"\", c\",0,1,\"362\",\"\"\r\n\
         \"{sha1}\",\"{md5}\",\"\",\"\",0,1,\"362\",\"\"\r\n\
         \"{sha1}\",\"{md5}\",\"0000\r\n"
    );
    assert_eq!(
        read(&rows),
        [
            "nsrl".to_owned(),
            format!("2 a \"b\", c 0 sha1:{SHA1} md5:{MD5} crc32:00000000"),
            format!("3 (no name) 0 sha1:{SHA1} md5:{MD5}"),
            format!(
                "line 4: a quotation mark is never closed, in column 3: \"\"{sha1}\",\"{}…\"; an entry",
                &md5[..28]
            ),
        ]
    );
    assert_eq!(read_with("md5", &rows)[1], format!("2 a \"b\", c 0 md5:{MD5}"));
    let hashkeeper = format!(
        "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\"\n\
         1,5,\"A.HLP\",\"C:\\HELP\",\"{md5}\",34832,7/11/95 0:00:00\n"
    );
    assert_eq!(read(&hashkeeper), ["hashkeeper".to_owned(), format!("2 A.HLP 34832 md5:{MD5}")]);
    let ilook = format!(
        "V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512\n{md5},{sha1},x.dll,C:\\,0,,,\n"
    );
    assert_eq!(read(&ilook), ["ilook".to_owned(), format!("2 x.dll 0 md5:{MD5} sha1:{SHA1}")]);
}

#[test]
fn a_set_of_encase_is_as_long_as_it_says() {
    let digest = Algorithm::MD5.digest(b"");
    let mut set = b"HASH\r\n\xff\0\x01\0\0\0\0\0\0\0\x02\0\0\0".to_vec();
    set.resize(0x480, 0);
    for _ in 0..2 {
        set.extend(digest.as_bytes());
        set.extend([0, 0]);
    }
    let said = |set: &[u8]| read_as(set, &ReadOptions::default());
    let items = [format!("1 #1 ? md5:{MD5}"), format!("2 #2 ? md5:{MD5}")];
    assert_eq!(said(&set), ["encase".to_owned(), items[0].clone(), items[1].clone()]);
    assert_eq!(
        said(&set[..set.len() - 1])[2],
        "line 2: the file ends here, 1 records earlier than its header states; the last has 17 bytes; an entry"
    );
    set.push(0);
    assert_eq!(said(&set)[1..3], items);
    assert_eq!(said(&set)[3..], ["line 3: the file has more records than its header states; an entry"]);
    assert_eq!(
        said(&set[..1000]),
        [
            "the encase manifest does not start with its header; expected a header of 1152 bytes that begins with HASH"
        ]
    );
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let writer = |format: &str, algorithms: &[&str]| {
        let algorithms: Vec<_> = algorithms.iter().map(|name| Algorithm::named(name).unwrap()).collect();
        Writer::new(Format::named(format).unwrap(), &algorithms, &WriteOptions::default(), Vec::new())
    };
    let refused = |format: &str, algorithms: &[&str]| writer(format, algorithms).unwrap_err().to_string();
    assert_eq!(refused("nsrl", &["md5"]), "nsrl can be read but not written");
    assert_eq!(refused("sfv", &["md5"]), "an sfv manifest stores crc32 digests, not md5");
    assert_eq!(
        refused("md5deep-csv", &["crc32"]),
        "an md5deep-csv manifest stores digests of at least 16 bytes, but a crc32 digest has 4; use gnu or bsd"
    );
    let crc32 = Algorithm::CRC32.digest(b"");
    for name in ["; a", "#a", "a ", "a\nb"] {
        let item = Item {
            line: 0,
            path: ItemPath::from(name),
            size: None,
            modified: None,
            digests: vec![crc32],
            ..Item::default()
        };
        let refused = writer("sfv", &["crc32"]).unwrap().item(&item);
        assert!(matches!(refused, Err(Error::NameNotHeld { .. })), "{name:?}");
    }
}
