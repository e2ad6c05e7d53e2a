//! Formats and algorithms are found by what is stated, or asked for.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, ReadOptions, Reader};

const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
const BASE64: &str = "2jmj7l5rSw0yVb/vlWAYkK/YBwk=";

fn opened(text: &str, options: &ReadOptions<'_>) -> String {
    match Reader::open(text.as_bytes(), options) {
        Ok(reader) => format!("{} {:?}", reader.format(), reader.algorithms()),
        Err(error) => error.to_string(),
    }
}

fn format_of(text: &str) -> String {
    opened(text, &ReadOptions::default())
}

#[test]
fn content_tells_the_format() {
    assert_eq!(format_of(&format!("{SHA1}  a")), "gnu [sha1]");
    assert_eq!(format_of(&format!("\\{SHA1} *a\\n")), "gnu [sha1]");
    assert_eq!(format_of(&format!("SHA1 (a) = {SHA1}")), "bsd []");
    assert_eq!(format_of(&format!("SHA1 (a) = {BASE64}")), "base64 []");
    assert_eq!(format_of(&format!("{BASE64}  a")), "base64-untagged [sha1]");
    assert_eq!(format_of("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n"), "hashdeep [md5]");
    assert_eq!(format_of("path,size_bytes,mtime,md5,sha256,path_b64\n"), "csv [md5, sha256]");
    assert_eq!(format_of("{ \"version\":1, \"schema\" : \"hashlane-manifest\"}"), "jsonl []");
}

#[test]
fn the_first_good_line_counts() {
    assert_eq!(
        format_of(&format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{SHA1}  a")),
        "gnu [sha1]"
    );
    assert_eq!(format_of(&format!("README  is here\nSHA1 (a) = {SHA1}\n{SHA1}  a")), "bsd []");
}

#[test]
fn text_that_is_no_manifest_is_refused() {
    assert_eq!(
        format_of("To be, or not to be\nthat is\x1b[31m the question\n"),
        "line 1 matches no known format: \"To be, or not to be\""
    );
    for text in
        ["<?xml version=\"1.0\"?>", "size,name", "path,name", "%%%% HASHDEEP-2.0", "abcd  x", "word  word"]
    {
        assert!(format_of(text).starts_with("line 1 matches no known format: "), "{text}");
    }
    assert!(format_of("\n# x\n\nabc").starts_with("line 4 matches no known format: \"abc\""));
}

#[test]
fn a_length_that_several_algorithms_have_is_not_enough() {
    assert_eq!(
        format_of(&format!("{SHA256}  a")),
        "a digest of 32 bytes can be sha256, sha512-256, sha3-256, shake128, blake2b-256, blake2s, blake3 or sm3"
    );
    assert_eq!(
        format_of(&format!("{}  a", &SHA256[..18])),
        "no known algorithm but BLAKE2b has digests of 9 bytes"
    );
}

#[test]
fn a_header_then_an_option_then_the_name_states_the_algorithm() {
    let line = format!("{SHA256}  a\n");
    let named =
        |file_name| opened(&line, &ReadOptions { file_name: Some(file_name), ..ReadOptions::default() });
    assert_eq!(named(b"x/SHA256SUMS"), "gnu [sha256]");
    assert_eq!(named(b"B3SUMS"), "gnu [blake3]");
    assert!(named(b"list.txt").starts_with("a digest of 32 bytes can be"));
    let sha3 = Some(Algorithm::SHA3_256);
    let given = ReadOptions { algorithm: sha3, file_name: Some(b"SHA256SUMS"), ..ReadOptions::default() };
    assert_eq!(opened(&line, &given), "gnu [sha3-256]");
    let md5 = ReadOptions { algorithm: Some(Algorithm::MD5), ..given.clone() };
    assert_eq!(
        opened(&line, &md5),
        "the manifest is named after sha256 and has digests of 32 bytes, but md5 was requested, whose digests have 16"
    );
    assert_eq!(opened(&format!("{SHA1}  a\n"), &md5), "gnu [md5]");
    let headed = format!("# hashlane algorithm: blake2s\n{line}");
    let by_name = ReadOptions { file_name: Some(b"SHA256SUMS"), ..ReadOptions::default() };
    assert_eq!(opened(&headed, &by_name), "gnu [blake2s]");
    assert_eq!(
        opened(&headed, &given),
        "the manifest states that its digests are blake2s, but sha3-256 was requested"
    );
}

#[test]
fn what_is_fallen_back_on_contradicts_nothing() {
    let md5 = &SHA256[..32];
    let fallback = |name| ReadOptions { fallback: Algorithm::named(name), ..ReadOptions::default() };
    let sized = format!("       100  {md5}  a\n");
    for (text, expected) in [
        (&format!("{md5}  a"), "gnu [md4]"),
        (&sized, "md5deep-sizes [md4]"),
        // What names it goes first.
        (&format!("# hashlane algorithm: md5\n{md5}  a"), "gnu [md5]"),
        (&format!("{SHA1}  a"), "gnu [sha1]"),
        (&format!("MD5 (a) = {md5}"), "bsd []"),
    ] {
        assert_eq!(opened(text, &fallback("md4")), expected, "{text}");
    }
    let bag = ReadOptions { format: Format::named("bagit"), ..fallback("md4") };
    assert_eq!(opened(&format!("{md5}  data/a"), &bag), "bagit [md4]");
    let named = ReadOptions { file_name: Some(b"MD5SUMS"), ..fallback("md4") };
    assert_eq!(opened(&format!("{md5}  a"), &named), "gnu [md5]");
    // One of another length is of no help.
    assert!(
        opened(&format!("{md5}  a"), &fallback("sha256")).starts_with("a digest of 16 bytes can be md4, ")
    );
    // Further down too.
    let text = format!("SHA1 (a) = {SHA1}\n{md5}  b\n");
    let algorithms = |options: &ReadOptions<'_>| {
        let items = Reader::open(text.as_bytes(), options).unwrap();
        items.map(|item| Some(item.ok()?.digests[0].algorithm().name())).collect::<Vec<_>>()
    };
    assert_eq!(algorithms(&fallback("md4")), [Some("sha1"), Some("md4")]);
    assert_eq!(algorithms(&fallback("sha256")), [Some("sha1"), None]);
    assert_eq!(algorithms(&ReadOptions::default()), [Some("sha1"), None]);
}

#[test]
fn lines_behind_a_comment_that_names_their_algorithm_are_told() {
    let text = format!(
        "{SHA256}  a\n{SHA256}  b\n# hashlane algorithm: sha256\n{SHA256}  c\nSHA256 (d) = {SHA256}\n"
    );
    // Also where what the comment names is what stands in for the others.
    for stand_in in ["sha256", "sha3-256"] {
        let fallback = Algorithm::named(stand_in);
        let options = ReadOptions { fallback, untold_only: true, ..ReadOptions::default() };
        let items = Reader::open(text.as_bytes(), &options).unwrap();
        let untold: Vec<_> = items.map(|item| item.unwrap().path.as_bytes().to_vec()).collect();
        assert_eq!(untold, [b"a", b"b"], "{stand_in}");
    }
}

#[test]
fn a_tag_that_contradicts_the_option_is_a_problem_of_its_line() {
    let text = format!("SHA1 (a) = {SHA1}\nSHA256 (b) = {SHA256}\nSHA9 (c) = {SHA1}\n");
    let options = ReadOptions { algorithm: Some(Algorithm::SHA256), ..ReadOptions::default() };
    let mut reader = Reader::open(text.as_bytes(), &options).unwrap();
    assert_eq!(
        reader.next().unwrap().unwrap_err().to_string(),
        format!("line 1: skipped: not sha256: \"SHA1 (a) = {SHA1}\"")
    );
    assert!(reader.next().unwrap().is_ok());
    assert_eq!(
        reader.next().unwrap().unwrap_err().to_string(),
        format!("line 3: unknown algorithm SHA9: \"SHA9 (c) = {SHA1}\"")
    );
}

#[test]
fn tags_and_plain_lines_may_be_mixed_and_the_plain_ones_still_need_an_algorithm() {
    let text = format!("SHA1 (a) = {SHA1}\n{SHA256}  b\n{SHA1}  c\n{SHA256}  d\n");
    let read: Vec<_> = Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap().collect();
    assert!(read[0].is_ok() && read[2].is_ok());
    let problem = read[1].as_ref().unwrap_err().to_string();
    assert!(problem.starts_with("line 2: a digest of 32 bytes can be sha256, "), "{problem}");
    assert!(read[3].as_ref().unwrap_err().to_string().starts_with("line 4: a sha1 digest has 40"));
}

/// For each line after the first whether it is read, seems an entry, or is passed over as noise.
fn fates(text: &str) -> Vec<&'static str> {
    fates_with(None, text)
}

fn fates_with(algorithm: Option<&str>, text: &str) -> Vec<&'static str> {
    let options = ReadOptions { algorithm: algorithm.and_then(Algorithm::named), ..ReadOptions::default() };
    let fate = |read: Result<_, hashlane_manifest::LineProblem>| match read {
        Ok(_) => "read",
        Err(problem) if problem.is_entry() => "entry",
        Err(_) => "noise",
    };
    Reader::open(text.as_bytes(), &options).unwrap().skip(1).map(fate).collect()
}

#[test]
fn an_algorithm_that_was_not_asked_for_is_left_out_where_the_file_has_the_other() {
    let line = |tag: &str, name: &str| match tag {
        "SHA1" => format!("SHA1 ({name}) = {SHA1}\n"),
        _ => format!("SHA256 ({name}) = {SHA256}\n"),
    };
    let both = [line("SHA1", "x"), line("SHA1", "a"), line("SHA256", "a"), line("SHA1", "b")].concat();
    assert_eq!(fates_with(Some("sha1"), &both), ["read", "noise", "read"]);
    assert_eq!(fates_with(Some("sha256"), &both), ["noise", "read", "entry"]);
}

#[test]
fn an_entry_that_cannot_be_read_is_told_from_noise() {
    let object = format!(
        "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"a\",\"digests\":{{\"sha1\":\"{SHA1}\"}}}}"
    );
    let (gnu, bsd) = (format!("{SHA1}  a"), format!("SHA1 (a) = {SHA1}"));
    let hashdeep = format!("%%%% HASHDEEP-1.0\n%%%% size,sha1,filename\n1,{SHA1},a");
    let csv = format!("path,sha1\na,{SHA1}");
    let noise = "once upon a time\n-----BEGIN PGP SIGNATURE-----\n=njUN\nHash: SHA256";
    for manifest in [&gnu, &bsd] {
        assert_eq!(fates(&format!("{manifest}\n{noise}")), ["noise"; 4], "{manifest}");
    }
    // Nobody writes sentences between these.
    for manifest in [&hashdeep, &object, &csv] {
        assert_eq!(fates(&format!("{manifest}\n{noise}")), ["entry"; 4], "{manifest}");
    }
    for manifest in [&gnu, &bsd] {
        assert_eq!(fates(&format!("{manifest}\n{bsd}\n{gnu}")), ["read"; 2]);
        assert_eq!(fates(&format!("{manifest}\n{hashdeep}")), ["noise", "noise", "entry"]);
        assert_eq!(fates(&format!("{manifest}\n{csv}")), ["noise", "entry"]);
        assert_eq!(fates(&format!("{manifest}\n{object}\n{}", &object[..60])), ["entry"; 2]);
    }
    for manifest in [&hashdeep, &object, &csv] {
        assert_eq!(fates(&format!("{manifest}\n{gnu}\n{bsd}\n{gnu},b")), ["entry"; 3], "{manifest}");
    }
    assert_eq!(fates(&format!("{object}\n{{\"sch\n{{\"schema\":\"other\",\"version\":1}}")), ["entry"; 2]);
    assert_eq!(fates(&format!("{hashdeep}\n4,01")), ["entry"]);
    assert_eq!(fates(&format!("{csv}\nb,01\n\"c\n{SHA1}")), ["entry"; 2]);
    assert_eq!(fates(&format!("SHA256 (b) = {SHA256}\n{SHA256}  c\nSHA256 (d) = 01")), ["entry"; 2]);
}

#[test]
fn a_heading_that_looks_like_a_short_digest_settles_nothing() {
    assert_eq!(format_of(&format!("Contents  of photos\n{SHA1}  a\n")), "gnu [sha1]");
}

#[test]
fn concatenated_manifests_of_ours_keep_their_algorithms_and_roots() {
    let text = format!(
        "# hashlane algorithm: sha256\n# hashlane root: x\\\\\\ny\n{SHA256}  b\n\
         # hashlane algorithm: blake3\n# hashlane root: z\n{SHA256}  b\n"
    );
    let mut reader = Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(format!("{:?}", reader.header_roots()), "[\"x\\\\\\ny\"]");
    let algorithms: Vec<_> =
        reader.by_ref().map(|item| item.unwrap().digests[0].algorithm().name()).collect();
    assert_eq!(algorithms, ["sha256", "blake3"]);
    assert_eq!(reader.header_roots().len(), 2);
}

#[test]
fn a_header_with_endless_roots_is_refused() {
    let root = format!("# hashlane root: {}\n", "r".repeat(100_000));
    assert_eq!(
        format_of(&root.repeat(200)),
        "the roots in the manifest's header are longer than 16777216 bytes; remove its `# hashlane root` lines"
    );
}

#[test]
fn a_format_that_is_given_is_believed() {
    let options = |format| ReadOptions { format: Format::named(format), ..ReadOptions::default() };
    assert!(opened("nonsense\n", &options("gnu")).starts_with("gnu"));
    assert!(
        opened("nonsense\n", &options("csv")).starts_with("the csv manifest does not start with its header")
    );
    let zero = ReadOptions { zero: true, ..options("csv") };
    assert_eq!(opened("path,md5\n", &zero), "a csv manifest cannot end its lines with NUL");
}
