//! Input as it is met: from Windows, truncated, mixed up, hostile.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Read};

use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, Item, LineEnds, ReadOptions, Reader};

const EMPTY_MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
const EMPTY_SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn read(text: &[u8], options: &ReadOptions<'_>) -> Vec<String> {
    match Reader::open(text, options) {
        Ok(reader) => reader.map(|item| item.map_or_else(|problem| problem.to_string(), shown)).collect(),
        Err(error) => vec![format!("error: {error}")],
    }
}

fn shown(item: Item) -> String {
    let digests: Vec<_> = item.digests.iter().map(|digest| digest.algorithm().name()).collect();
    let size = item.size.map(|size| format!(" {size}")).unwrap_or_default();
    format!("{} {}{size}: {}", item.line, item.path.escaped(), digests.join(","))
}

fn plain(text: &str) -> Vec<String> {
    read(text.as_bytes(), &ReadOptions::default())
}

fn with(algorithm: &str, text: &[u8]) -> Vec<String> {
    read(text, &ReadOptions { algorithm: Algorithm::named(algorithm), ..ReadOptions::default() })
}

#[test]
fn crlf_ends_lines_if_all_of_them_end_so() {
    let line = |name: &str| format!("{EMPTY_SHA1}  {name}");
    let windows = format!("{}\r\n{}\r\n", line("a"), line("b"));
    assert_eq!(plain(&windows), ["1 a: sha1", "2 b: sha1"]);
    let mixed = format!("{}\r\n{}\n", line("a"), line("b"));
    assert_eq!(plain(&mixed), ["1 a\\r: sha1", "2 b: sha1"]);
    let options = ReadOptions { line_ends: Some(LineEnds::CrLf), ..ReadOptions::default() };
    assert_eq!(read(mixed.as_bytes(), &options), ["1 a: sha1", "2 b: sha1"]);
    let options = ReadOptions { line_ends: Some(LineEnds::Lf), ..ReadOptions::default() };
    assert_eq!(read(windows.as_bytes(), &options), ["1 a\\r: sha1", "2 b\\r: sha1"]);
    assert_eq!(plain(&format!("\\{}\\r\r\n", line("a"))), ["1 a\\r: sha1"]);
}

#[test]
fn byte_order_marks_are_obeyed() {
    let text = format!("{EMPTY_SHA1}  größe\r\n");
    let marked = format!("\u{feff}{text}");
    assert_eq!(plain(&marked), ["1 größe: sha1"]);
    let units: Vec<_> = marked.encode_utf16().collect();
    let little: Vec<_> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<_> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    assert_eq!(read(&little, &ReadOptions::default()), ["1 größe: sha1"]);
    assert_eq!(read(&big, &ReadOptions::default()), ["1 größe: sha1"]);
    assert_eq!(read(&little[2..], &ReadOptions::default()), ["error: line 1 contains a NUL byte"]);
    assert_eq!(
        read(&little[..little.len() - 1], &ReadOptions::default()).last().unwrap(),
        "error: the manifest cannot be read: the UTF-16 text ends within a character"
    );
}

#[test]
fn nul_ends_lines_only_if_asked_to() {
    let text = format!("{EMPTY_SHA1}  a\\nb\n\0{EMPTY_SHA1}  c\0");
    assert!(plain(&text)[0].starts_with("error: line 2 contains a NUL byte"));
    let zero = ReadOptions { zero: true, ..ReadOptions::default() };
    assert_eq!(read(text.as_bytes(), &zero), ["1 a\\\\nb\\n: sha1", "2 c: sha1"]);
    let text = format!("{EMPTY_SHA1}  a\n{EMPTY_SHA1}  b\n");
    assert_eq!(
        read(text.as_bytes(), &zero),
        [format!(
            "line 1: the last record does not end with NUL: the file is truncated, or its lines end with newlines: \
             \"{EMPTY_SHA1}  a\\n{}…\"",
            &EMPTY_SHA1[..28]
        )]
    );
    let hashdeep = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n0,{EMPTY_MD5},a\n\0");
    assert_eq!(read(hashdeep.as_bytes(), &zero)[0].split(':').next(), Some("error"),);
    let late = format!("{}{EMPTY_SHA1}  a\0b\n", format!("{EMPTY_SHA1}  a\n").repeat(3000));
    assert_eq!(
        plain(&late)[3000],
        format!("line 3001: the name contains a NUL byte: \"{EMPTY_SHA1}  a\\x00b\"")
    );
}

#[test]
fn a_line_with_nul_is_one_bad_line_wherever_it_stands() {
    let line = |name: &str| format!("{EMPTY_SHA1}  {name}\n");
    let problem = |number: u64, text: &str| {
        format!(
            "line {number}: not a line of this format; expected DIGEST, two spaces, NAME or ALGORITHM (NAME) = \
             DIGEST: \"{text}\""
        )
    };
    assert_eq!(plain(&format!("x\0y\n{}", line("a"))), [problem(1, "x\\x00y"), "2 a: sha1".to_owned()]);
    assert_eq!(plain(&format!("{}x\0y\n", line("a"))), ["1 a: sha1".to_owned(), problem(2, "x\\x00y")]);
    let named = plain(&format!("{}{}", line("a\0b"), line("c")));
    assert!(named[0].starts_with("line 1: the name contains a NUL byte"), "{}", named[0]);
    assert_eq!(named[1], "2 c: sha1");
    // What NUL seems to end is asked about.
    let zero = |text: &str| text.replace('\n', "\0");
    let headed = format!("# hashlane algorithm: sha1\n{}{}", line("a"), line("b"));
    for text in [zero(&line("a")), zero(&headed), format!("{}{}", line("a"), zero(&headed))] {
        assert!(plain(&text)[0].contains(" contains a NUL byte"), "{text:?}");
    }
}

#[test]
fn an_empty_manifest_verifies_nothing() {
    for text in ["", "\n", "\n\n# only a comment\n", "\u{feff}", "\r\n"] {
        assert_eq!(plain(text), ["error: the manifest has no lines"], "{text:?}");
    }
}

#[test]
fn comments_and_blank_lines_are_passed_over() {
    let text = format!("# one\n\n#two\n{EMPTY_SHA1}  a\n\n#  three\nSHA1 (b) = {EMPTY_SHA1}\n");
    assert_eq!(plain(&text), ["4 a: sha1", "7 b: sha1"]);
}

#[test]
fn a_missing_final_newline_is_no_problem_and_a_truncated_digest_is() {
    assert_eq!(plain(&format!("{EMPTY_SHA1}  a")), ["1 a: sha1"]);
    let cut = format!("{EMPTY_SHA1}  a\n{}", &EMPTY_SHA1[..39]);
    assert_eq!(
        plain(&cut)[1],
        format!(
            "line 2: not a line of this format; expected DIGEST, two spaces, NAME or ALGORITHM (NAME) = DIGEST: \"{}\"",
            &EMPTY_SHA1[..39]
        )
    );
    let cut = format!("SHA1 (a) = {EMPTY_SHA1}\nSHA1 (b) = {}", &EMPTY_SHA1[..39]);
    assert_eq!(
        plain(&cut)[1],
        format!(
            "line 2: a sha1 digest has 40 hexadecimal or 28 base64 characters, not 39: \"SHA1 (b) = {}\"",
            &EMPTY_SHA1[..39]
        )
    );
}

#[test]
fn upper_case_and_both_encodings_are_read() {
    let upper = EMPTY_SHA256.to_ascii_uppercase();
    let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    let text =
        format!("{upper}  a\n{base64}  b\n{EMPTY_SHA256} *c\nSHA256 (d) = {base64}\nSHA2-256(e)= {upper}\n");
    let names = ["1 a: sha256", "2 b: sha256", "3 c: sha256", "4 d: sha256", "5 e: sha256"];
    assert_eq!(with("sha256", text.as_bytes()), names);
}

#[test]
fn wrong_lengths_and_digits_are_problems_of_their_lines() {
    let text = format!("{EMPTY_SHA1}  a\n{EMPTY_MD5}  b\n{}g  c\n{EMPTY_SHA1}  d\n", &EMPTY_SHA1[..39]);
    assert_eq!(
        plain(&text),
        [
            "1 a: sha1".to_owned(),
            format!(
                "line 2: a sha1 digest has 40 hexadecimal or 28 base64 characters, not 32: \"{EMPTY_MD5}  b\""
            ),
            format!(
                "line 3: the sha1 digest is neither hexadecimal nor base64: \"{}g  c\"",
                &EMPTY_SHA1[..39]
            ),
            "4 d: sha1".to_owned(),
        ]
    );
}

#[test]
fn escapes_count_only_where_they_are_announced() {
    let text = format!(
        "{EMPTY_SHA1}  a\\nb\n\\{EMPTY_SHA1}  a\\nb\\\\\\r\n\\{EMPTY_SHA1}  a\\tb\n\\{EMPTY_SHA1}  a\\\n"
    );
    let read = plain(&text);
    assert_eq!(read[..2], ["1 a\\\\nb: sha1", "2 a\\nb\\\\\\r: sha1"]);
    let problem = "a backslash in the name is not followed by a backslash, n or r";
    assert!(read[2].starts_with(&format!("line 3: {problem}")), "{}", read[2]);
    assert!(read[3].starts_with(&format!("line 4: {problem}")), "{}", read[3]);
    assert_eq!(plain(&format!("\\SHA1 (a\\nb) = {EMPTY_SHA1}")), ["1 a\\nb: sha1"]);
}

#[test]
fn a_line_of_100_mb_is_one_problem() {
    let line = format!("{EMPTY_SHA1}  a\n");
    let huge = io::repeat(b'x').take(100_000_000);
    let input = io::Cursor::new(line.clone()).chain(huge).chain(io::Cursor::new(format!("\n{line}")));
    let read: Vec<_> = Reader::open(input, &ReadOptions::default()).unwrap().collect();
    assert_eq!(read.len(), 3);
    assert_eq!(
        read[1].as_ref().unwrap_err().to_string(),
        format!("line 2: longer than 1048576 bytes: \"{}…\"", "x".repeat(72))
    );
    assert_eq!((read[2].as_ref().unwrap().line, read[1].as_ref().unwrap_err().offset_bytes), (3, 44));
}

#[test]
fn a_line_of_100_mb_comes_first_and_is_one_problem() {
    let huge = || io::repeat(b'x').take(100_000_000);
    let input = huge().chain(io::Cursor::new(format!("\n{EMPTY_SHA1}  a\n")));
    let read: Vec<_> = Reader::open(input, &ReadOptions::default()).unwrap().collect();
    assert_eq!(read.len(), 2);
    assert!(read[0].as_ref().unwrap_err().to_string().starts_with("line 1: longer than 1048576 bytes"));
    assert_eq!(read[1].as_ref().unwrap().line, 2);
    let refused = |input| Reader::open(input, &ReadOptions::default()).unwrap_err().to_string();
    let message = "line 1 matches no known format: \"xxx";
    assert!(refused(Box::new(huge()) as Box<dyn Read + Send>).starts_with(message));
    let long = format!("{}\n", "x".repeat(2_000_000)).repeat(17);
    assert!(refused(Box::new(io::Cursor::new(long))).starts_with("line 17 matches no known format"));
}

#[test]
fn hashdeep_headers_are_understood_in_all_their_spellings() {
    let text = format!(
        "%%%% hashdeep-1.0\n%%%% SIZE,MD5,Sha-1,SHA-256,FileName\n## Invoked from: /x\n## $ hashdeep\n## \n\
         0,{EMPTY_MD5},{EMPTY_SHA1},{EMPTY_SHA256},d/a,b,c\n"
    );
    assert_eq!(plain(&text), ["6 d/a,b,c 0: md5,sha1,sha256"]);
    assert_eq!(with("sha-1", text.as_bytes()), ["6 d/a,b,c 0: sha1"]);
    assert_eq!(
        with("sha512", text.as_bytes()),
        ["error: the hashdeep manifest has no sha512 column; it has md5, sha1 and sha256"]
    );
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(plain(&crlf), ["6 d/a,b,c 0: md5,sha1,sha256"]);
}

#[test]
fn broken_hashdeep_files_are_refused_or_reported() {
    let headed =
        |columns: &str, line: &str| plain(&format!("%%%% HASHDEEP-1.0\n{columns}\n{line}\n")).remove(0);
    let missing = "error: the hashdeep manifest does not start with its header; expected `%%%% HASHDEEP-1.0` and \
                   `%%%% size,ALGORITHM...,filename`";
    for columns in ["0,x,a", "%%%% md5,filename", "%%%% size,md5", "%%%% size,filename", "%%%% ", ""] {
        assert_eq!(headed(columns, ""), missing, "{columns}");
    }
    assert_eq!(
        headed("%%%% size,sha9,filename", ""),
        "error: the hashdeep manifest has the column `sha9`, which is neither known nor an algorithm; remove it"
    );
    assert_eq!(
        headed("%%%% size,md5,MD5,filename", ""),
        "error: the hashdeep manifest has the column `MD5` twice; remove one"
    );
    let line = |line: &str| headed("%%%% size,md5,filename", line);
    let size = "line 3: the size is not a number from 0 to 18446744073709551615";
    assert!(line(&format!("18446744073709551616,{EMPTY_MD5},a")).starts_with(size));
    assert!(line(&format!("-1,{EMPTY_MD5},a")).starts_with(size));
    assert!(line(&format!(",{EMPTY_MD5},a")).starts_with(size));
    assert!(line(&format!("1,{EMPTY_MD5}")).starts_with("line 3: not a line of this format"));
    assert!(line(&format!("1,{EMPTY_MD5},")).starts_with("line 3: the name is empty"));
    assert!(line(&format!("1,{}g,a", &EMPTY_MD5[1..])).starts_with("line 3: the md5 digest is neither"));
    let options = ReadOptions { format: Format::named("hashdeep"), ..ReadOptions::default() };
    assert_eq!(read(format!("0,{EMPTY_MD5},a\n").as_bytes(), &options), [missing]);
}

#[test]
fn hashdeep_files_may_be_concatenated() {
    let text = format!(
        "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n0,{EMPTY_MD5},a\n\
         %%%% HASHDEEP-1.0\n%%%% size,sha1,filename\n## hashlane root: r\n0,{EMPTY_SHA1},b\n\
         %%%% HASHDEEP-1.0\n%%%% size,sha9,filename\n0,00,c\n"
    );
    let read = plain(&text);
    assert_eq!(read[..2], ["3 a 0: md5", "7 b 0: sha1"]);
    assert!(read[2].starts_with("line 9: the column `sha9` is unknown or duplicate"), "{}", read[2]);
    assert!(read[3].starts_with("line 10: not a line of this format"), "{}", read[3]);
}

#[test]
fn csv_is_read_in_any_order_of_columns() {
    let text = format!(
        "SHA-1,path\r\n{EMPTY_SHA1},\"a\r\nb,\"\"c\"\"\"\r\n\r\n{EMPTY_SHA1},d\r\n,e\r\n{EMPTY_SHA1}\r\n\
         {EMPTY_SHA1},f\"g\r\n{EMPTY_SHA1},h\r\n{EMPTY_SHA1},\"i\r\n"
    );
    let read = plain(&text);
    assert_eq!(read[..2], ["2 a\\r\\nb,\"c\": sha1", "5 d: sha1"]);
    assert_eq!(read[2], "line 6: it has no digest: \",e\\r\"");
    assert!(read[3].starts_with("line 7: 1 columns, but the header names 2"), "{}", read[3]);
    assert!(read[4].starts_with("line 8: a quotation mark inside an unquoted field"), "{}", read[4]);
    assert_eq!(read[5], "9 h: sha1");
    assert!(read[6].starts_with("line 10: a quotation mark is never closed"), "{}", read[6]);
    assert_eq!(read.len(), 7);
    assert_eq!(
        plain("path,sha256,remark\n"),
        [
            "error: the csv manifest has the column `remark`, which is neither known nor an algorithm; remove it"
        ]
    );
    assert_eq!(
        plain("path,path,sha256\n"),
        ["error: the csv manifest has the column `path` twice; remove one"]
    );
}

#[test]
fn csv_values_are_judged() {
    let head = "path,size_bytes,mtime,sha1,path_b64\n";
    let row = |row: &str| plain(&format!("{head}{}", row.replace('H', EMPTY_SHA1))).remove(0);
    assert_eq!(row("a,18446744073709551615,2026-01-31T23:59:59Z,H,"), "2 a 18446744073709551615: sha1");
    assert_eq!(row("a\u{fffd},,,H,Yf8="), "2 a\\xff: sha1");
    assert_eq!(row(",,,H,Yf8="), "2 a\\xff: sha1");
    assert!(row("b\u{fffd},,,H,Yf8=").starts_with("line 2: path and path_b64 differ"));
    assert!(row("a,,,H,Yf8").starts_with("line 2: path_b64 is not base64"));
    assert!(row(",,,H,").starts_with("line 2: the name is empty"));
    assert!(row(",,,H,AA==").starts_with("line 2: the name contains a NUL byte"));
    assert!(row("a,1e3,,H,").starts_with("line 2: the size is not a number"));
    assert!(row("a,,yesterday,H,").starts_with("line 2: the time is not of the form"));
}

#[test]
fn json_objects_are_judged() {
    let start = "{\"schema\":\"hashlane-manifest\",\"version\":1";
    let digests = format!("\"digests\":{{\"sha1\":\"{EMPTY_SHA1}\"}}");
    let good = format!("{start},\"path\":\"a\",{digests}}}");
    let after = |bad: String| plain(&format!("{good}\n{bad}\n{good}\n")).remove(1);
    assert_eq!(plain(&format!("{good}\n\n{good}")), ["1 a: sha1", "3 a: sha1"]);
    let new_key = format!(
        "{start},\"path\":\"a\",\"new\":{{\"x\":[1]}},\"size_bytes\":18446744073709551615,{digests}}}"
    );
    assert_eq!(after(new_key), "2 a 18446744073709551615: sha1");
    for (bad, why) in [
        (
            format!("{start},\"path\":\"a\",\"path\":\"b\",{digests}}}"),
            "not a manifest object: duplicate field `path`",
        ),
        (
            format!("{start},\"path\":\"a\",\"size_bytes\":18446744073709551616,{digests}}}"),
            "not a manifest object",
        ),
        (format!("{start},\"path\":\"a\",\"size_bytes\":-1,{digests}}}"), "not a manifest object"),
        (format!("{start},\"path\":\"a\",\"size_bytes\":1e3,{digests}}}"), "not a manifest object"),
        (format!("{start},\"path\":\"\",{digests}}}"), "the name is empty"),
        (format!("{start},{digests}}}"), "the name is empty"),
        (format!("{start},\"path\":\"\\u0000\",{digests}}}"), "the name contains a NUL byte"),
        (format!("{start},\"path\":\"\\ud800\",{digests}}}"), "not a manifest object"),
        (format!("{start},\"path\":\"b\",\"path_b64\":\"YQ==\",{digests}}}"), "path and path_b64 differ"),
        (format!("{start},\"path\":\"a\",\"path_b64\":\"!\",{digests}}}"), "path_b64 is not base64"),
        (format!("{start},\"path\":\"a\"}}"), "it has no digest"),
        (format!("{start},\"path\":\"a\",\"digests\":{{\"sha9\":\"00\"}}}}"), "unknown algorithm sha9"),
        (format!("{start},\"path\":\"a\",\"digests\":{{\"sha1\":\"00\"}}}}"), "a sha1 digest has 40"),
        (
            format!(
                "{start},\"path\":\"a\",\"digests\":{{\"sha1\":\"{EMPTY_SHA1}\",\"SHA-1\":\"{EMPTY_SHA1}\"}}}}"
            ),
            "two sha1 digests",
        ),
        (format!("{start},\"path\":\"a\",\"outcome\":\"lost\",{digests}}}"), "unknown outcome"),
        (format!("{start},\"path\":\"a\",\"outcome\":\"failed\"}}"), "unknown outcome"),
        (format!("{start},\"path\":\"a\",\"mtime\":\"now\",{digests}}}"), "the time is not of the form"),
        (
            format!("{{\"schema\":\"hashlane-manifest\",\"version\":2,\"path\":\"a\",{digests}}}"),
            "schema `hashlane-manifest` version 2, but hashlane-manifest version 1 is expected",
        ),
        (format!("{start},\"path\":\"a\",\"deep\":{}", "[".repeat(500_000)), "not a manifest object"),
        (format!("{start},\"path\":\"a\",\"deep\":{}", "{\"a\":".repeat(100_000)), "not a manifest object"),
        ("[]".to_owned(), "not a manifest object"),
        (good[..good.len() - 1].to_owned(), "not a manifest object"),
    ] {
        let read = after(bad);
        assert!(read.starts_with(&format!("line 2: {why}")), "{why}: {}", &read[..read.len().min(200)]);
    }
    assert_eq!(
        plain(&format!("{{\"path\":\"a\",{digests}}}")),
        [
            "error: line 1 is JSON without `\"schema\":\"hashlane-manifest\"`; only hashlane manifests can be read as jsonl"
        ]
    );
}

#[test]
fn an_input_that_breaks_ends_with_a_problem() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(5))
        }
    }
    let text = format!("{EMPTY_SHA1}  a\n").repeat(2000);
    let reader = Reader::open(io::Cursor::new(text).chain(Broken), &ReadOptions::default()).unwrap();
    let read: Vec<_> = reader.collect();
    assert_eq!(read.len(), 2001);
    assert_eq!(
        read[2000].as_ref().unwrap_err().to_string(),
        "line 2001: reading failed: Input/output error (os error 5)"
    );
}
