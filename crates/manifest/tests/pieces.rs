//! Digests of pieces: what is written is read back, what does not fit together is said, and nothing is put
//! together unasked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Read, Write};
use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::{
    Error, Format, Item, Piecewise, ReadOptions, Reader, WriteOptions, Writer, piece_of_name,
};
use hashlane_record::{Division, ItemPath, Pieces};

fn algorithm(name: &str) -> Algorithm {
    Algorithm::named(name).unwrap()
}

fn every(bytes: u64) -> Division {
    Division::Every(NonZeroU64::new(bytes).unwrap())
}

fn beginning(bytes: u64) -> Division {
    Division::Beginning(NonZeroU64::new(bytes).unwrap())
}

/// The item of a file with this content in pieces of `piece_bytes`.
fn item(name: &str, content: &[u8], piece_bytes: u64, algorithms: &[&str]) -> Item {
    let algorithms: Vec<_> = algorithms.iter().map(|name| algorithm(name)).collect();
    let column = |algorithm: &Algorithm| {
        let digests = content.chunks(piece_bytes as usize).map(|piece| algorithm.digest(piece));
        (*algorithm, digests.flat_map(|digest| digest.as_bytes().to_vec()).collect())
    };
    let columns = algorithms.iter().map(column).collect();
    let pieces = Pieces::new(NonZeroU64::new(piece_bytes).unwrap(), content.len() as u64, columns);
    Item {
        line: 0,
        path: ItemPath::from(name),
        size: Some(content.len() as u64),
        modified: None,
        digests: algorithms.iter().map(|algorithm| algorithm.digest(content)).collect(),
        outcome: None,
        pieces: pieces.filter(|pieces| pieces.count() > 0).map(Box::new),
        ..Item::default()
    }
}

fn text_of(format: &str, algorithms: &[&str], options: &WriteOptions, items: &[Item]) -> String {
    let algorithms: Vec<_> = algorithms.iter().map(|name| algorithm(name)).collect();
    let mut writer = Writer::new(Format::named(format).unwrap(), &algorithms, options, Vec::new()).unwrap();
    items.iter().for_each(|item| writer.item(item).unwrap());
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn shown(item: &Item) -> String {
    let size = item.size.map_or(String::new(), |size| format!(" {size}"));
    let pieces = item.pieces.as_ref().map_or(String::new(), |pieces| {
        format!(" {}x{} to {}", pieces.count(), pieces.piece_bytes(), pieces.end())
    });
    format!("{} {}{size}:{pieces} {}", item.line, item.path.escaped(), item.digests.len())
}

fn all(text: &str, pieced: bool, options: &ReadOptions<'_>) -> Vec<String> {
    let reader = Reader::open(text.as_bytes(), options).unwrap().merged();
    let said = |item: Result<Item, hashlane_manifest::LineProblem>| match item {
        Ok(item) => shown(&item),
        Err(problem) if problem.is_entry() => problem.to_string(),
        Err(problem) => format!("{problem}; no entry"),
    };
    if pieced { reader.pieced().map(said).collect() } else { reader.map(said).collect() }
}

fn md5(name: &str) -> String {
    format!("{}  {name}\n", algorithm("md5").digest(name.as_bytes()))
}

/// What a list of these names in md5 comes to.
fn named(names: &[&str]) -> Vec<String> {
    let text: String = names.iter().map(|name| md5(name)).collect();
    all(&text, true, &ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() })
}

#[test]
fn each_format_says_where_it_has_pieces() {
    let of = |wanted: fn(Piecewise) -> bool| {
        let has = |format: &Format| format.piecewise().is_some_and(wanted);
        Format::all().filter(has).map(Format::name).collect::<Vec<_>>()
    };
    assert_eq!(of(|piecewise| piecewise == Piecewise::Native), ["jsonl", "dfxml"]);
    assert_eq!(
        of(|piecewise| piecewise == Piecewise::ByName),
        ["gnu", "bsd", "base64", "base64-untagged", "hashdeep", "md5deep-sizes", "md5deep-csv"]
    );
    assert_eq!(
        of(|piecewise| matches!(piecewise, Piecewise::Beginning(bytes) if bytes.get() == 512)),
        ["triage"]
    );
    let start = |format: &str, pieces| {
        let options = WriteOptions { pieces: Some(pieces), ..WriteOptions::default() };
        Writer::new(Format::named(format).unwrap(), &[algorithm("md5")], &options, Vec::new()).map(drop)
    };
    for (format, division) in
        [("jsonl", beginning(3)), ("dfxml", every(3)), ("gnu", every(3)), ("triage", beginning(512))]
    {
        start(format, division).unwrap();
    }
    for (format, division, said) in [
        (
            "csv",
            every(3),
            "a csv manifest cannot store digests of pieces; use jsonl, dfxml, hashdeep, bsd or gnu",
        ),
        (
            "triage",
            every(512),
            "a triage manifest cannot store digests of pieces; use jsonl, dfxml, hashdeep, bsd or gnu",
        ),
        (
            "triage",
            beginning(511),
            "a triage manifest cannot store digests of the beginnings of files; use jsonl, dfxml or triage",
        ),
        (
            "gnu",
            beginning(512),
            "a gnu manifest cannot store digests of the beginnings of files; use jsonl, dfxml or triage",
        ),
    ] {
        assert_eq!(start(format, division).unwrap_err().to_string(), said);
    }
}

#[test]
fn jsonl_has_pieces_in_the_object_of_their_file() {
    let item = item("a", b"abcdefghi", 4, &["crc32"]);
    let text = text_of("jsonl", &["crc32"], &WriteOptions::default(), std::slice::from_ref(&item));
    let digest = |content: &[u8]| algorithm("crc32").digest(content).to_string();
    assert_eq!(
        text,
        format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"a\",\"size_bytes\":9,\
             \"digests\":{{\"crc32\":\"{}\"}},\"pieces\":{{\"piece_bytes\":4,\"end_bytes\":9,\
             \"digests\":{{\"crc32\":[\"{}\",\"{}\",\"{}\"]}}}}}}\n",
            digest(b"abcdefghi"),
            digest(b"abcd"),
            digest(b"efgh"),
            digest(b"i")
        )
    );
    let read: Vec<_> =
        Reader::open(text.as_bytes(), &ReadOptions::default()).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, [Item { line: 1, ..item }]);
}

/// As many pieces as fill several lines, of a size that the last does not fill.
fn many(name: &str) -> Item {
    let content: Vec<u8> = (0..10_001_u32).flat_map(u32::to_le_bytes).take(40_001).collect();
    item(name, &content, 4, &["md5", "sha1"])
}

#[test]
fn many_pieces_are_continued_in_lines_of_their_own_and_come_back() {
    let items = [many("a"), item("b", b"b", 4, &["md5", "sha1"]), many("a\u{1}\n")];
    for format in ["jsonl", "dfxml", "bsd"] {
        let text = text_of(format, &["md5", "sha1"], &WriteOptions::default(), &items);
        let reader = Reader::open(text.as_bytes(), &ReadOptions::default());
        let read: Vec<_> =
            reader.unwrap().merged().pieced().map(|item| Item { line: 0, ..item.unwrap() }).collect();
        let sizes = format != "bsd";
        let expected = items.clone().map(|item| Item { size: item.size.filter(|_| sizes), ..item });
        assert_eq!(read.len(), 3, "{format}");
        for (read, expected) in read.iter().zip(&expected) {
            // Of one piece alone nothing says that others would be longer.
            assert_eq!(read.digests, expected.digests, "{format}");
            assert_eq!((&read.path, read.size), (&expected.path, expected.size), "{format}");
            let shape =
                |item: &Item| item.pieces.as_ref().map(|pieces| (pieces.end(), pieces.columns().to_vec()));
            assert_eq!(shape(read), shape(expected), "{format}");
        }
    }
    let text = text_of("jsonl", &["md5", "sha1"], &WriteOptions::default(), &items[..1]);
    assert!(text.lines().count() > 5 && text.lines().all(|line| line.len() < 70_000));
    let sha1 = ReadOptions { algorithm: Some(algorithm("sha1")), ..ReadOptions::default() };
    let read = Reader::open(text.as_bytes(), &sha1).unwrap().next().unwrap().unwrap();
    assert_eq!(read.pieces.unwrap().columns(), &items[0].pieces.as_ref().unwrap().columns()[1..]);
}

#[test]
fn pieces_that_are_continued_and_lost_or_changed_are_said_once() {
    let options = WriteOptions::default();
    let text =
        text_of("jsonl", &["md5", "sha1"], &options, &[many("a"), item("b", b"", 4, &["md5", "sha1"])]);
    let lines: Vec<_> = text.lines().collect();
    let count = lines.len();
    let read = |lines: &[&str]| all(&lines.join("\n"), false, &ReadOptions::default());
    assert_eq!(read(&lines), ["1 a 40001: 10001x4 to 40001 2".to_owned(), format!("{count} b 0: 2")]);
    let without = |lost: usize| {
        let kept: Vec<_> =
            lines.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, line)| *line).collect();
        read(&kept)
    };
    let gap = without(2);
    assert_eq!(gap.len(), 2, "{gap:?}");
    assert!(
        gap[0].starts_with("line 3: a piece begins at ") || gap[0].starts_with("line 1: a piece begins at "),
        "{gap:?}"
    );
    assert_eq!(gap[1], format!("{} b 0: 2", count - 1));
    let short = without(count - 2);
    assert!(
        short[0].starts_with("line 1: there are ") && short[0].contains("instead of the stated 10001"),
        "{short:?}"
    );
    assert_eq!((short.len(), &short[1]), (2, &format!("{} b 0: 2", count - 1)));
    let headless = without(0);
    assert!(headless[0].starts_with("line 1: pieces from "), "{headless:?}");
    let broken =
        [&lines[..1], &["{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\""], &lines[count - 1..]]
            .concat();
    let broken = read(&broken);
    assert!(
        broken[0].starts_with("line 1: there are ") && broken[1].starts_with("line 2: not a manifest object")
    );
    let cut = all(&text[..text.len() / 2], false, &ReadOptions::default());
    assert!(cut[0].starts_with("line 1: there are "), "{cut:?}");
}

#[test]
fn pieces_in_jsonl_that_cannot_be_are_problems_of_their_line() {
    let sum = "900150983cd24fb0d6963f7d28e17f72";
    let read = |size: &str, pieces: &str| {
        let text = format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"a\",{size}\"digests\":{{\"md5\":\"{sum}\"}},\"pieces\":{{{pieces}}}}}\n"
        );
        let mut said = all(&text, false, &ReadOptions::default());
        assert_eq!(said.len(), 1);
        said.remove(0).split(": \"{").next().unwrap().to_owned()
    };
    let two = format!("\"digests\":{{\"md5\":[\"{sum}\",\"{sum}\"]}}");
    assert_eq!(read("", &format!("\"piece_bytes\":2,\"end_bytes\":3,{two}")), "1 a: 2x2 to 3 1");
    for (size, pieces, said) in [
        ("", format!("\"piece_bytes\":0,\"end_bytes\":3,{two}"), "a piece has 0 bytes instead of 1"),
        ("", format!("\"piece_bytes\":2,\"end_bytes\":0,{two}"), "a piece has 0 bytes instead of 1"),
        (
            "",
            format!("\"piece_bytes\":2,{two}"),
            "not a line of this format; expected piece_bytes and end_bytes",
        ),
        (
            "",
            format!("\"piece_bytes\":2,\"end_bytes\":2,{two}"),
            "there are 2 digests of pieces instead of the stated 1",
        ),
        (
            "",
            format!("\"piece_bytes\":2,\"end_bytes\":5,{two}"),
            "there are 2 digests of pieces instead of the stated 3",
        ),
        (
            "",
            format!("\"piece_bytes\":1,\"end_bytes\":10000000,{two}"),
            "more than 4194304 pieces of one file",
        ),
        (
            "",
            format!("\"piece_bytes\":1,\"end_bytes\":18446744073709551615,{two}"),
            "more than 4194304 pieces",
        ),
        (
            "\"size_bytes\":4,",
            format!("\"piece_bytes\":2,\"end_bytes\":3,{two}"),
            "the pieces end at 3, but the file has 4 bytes",
        ),
        (
            "",
            "\"piece_bytes\":2,\"end_bytes\":3,\"digests\":{\"none\":[]}".to_owned(),
            "unknown algorithm none",
        ),
        (
            "",
            format!(
                "\"piece_bytes\":2,\"end_bytes\":3,\"digests\":{{\"md5\":[\"{sum}\"],\"MD5\":[\"{sum}\"]}}"
            ),
            "two md5 digests",
        ),
        (
            "",
            "\"piece_bytes\":2,\"end_bytes\":3,\"digests\":{\"md5\":[\"00\",\"\"]}".to_owned(),
            "a md5 digest has 32 hexadecimal",
        ),
        (
            "",
            "\"offset_bytes\":2,\"digests\":{}".to_owned(),
            "pieces from 2 on, without the pieces before them",
        ),
        ("", "\"piece_bytes\":-2,\"end_bytes\":3".to_owned(), "not a manifest object"),
    ] {
        let read = read(size, &pieces);
        assert!(read.starts_with(&format!("line 1: {said}")), "{pieces}: {read}");
    }
}

#[test]
fn pieces_by_name_are_put_together_only_where_that_is_asked_for() {
    let options = WriteOptions::default();
    let text = text_of("gnu", &["md5"], &options, &[item("a b", b"abcdefghi", 4, &["md5"])]);
    let names: Vec<_> = text.lines().map(|line| &line[34..]).collect();
    assert_eq!(names, ["a b offset 0-3", "a b offset 4-7", "a b offset 8-8", "a b"]);
    let options = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
    assert_eq!(all(&text, false, &options).len(), 4);
    assert_eq!(all(&text, true, &options), ["1 a b: 3x4 to 9 1"]);
    let text = text_of(
        "hashdeep",
        &["md5", "sha256"],
        &WriteOptions::default(),
        &[item("a", b"abcde", 4, &["sha256", "md5"])],
    );
    let sizes: Vec<_> = text.lines().skip(2).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(sizes, ["4", "1", "5"]);
    assert_eq!(all(&text, true, &ReadOptions::default()), ["3 a 5: 2x4 to 5 2"]);
}

#[test]
fn a_file_of_one_piece_has_a_line_for_it_where_pieces_are_asked_for() {
    let options = WriteOptions { pieces: Some(every(4)), ..WriteOptions::default() };
    let items = ["", "abc", "abcd"]
        .map(|content| Item { pieces: None, ..item("a", content.as_bytes(), 4, &["md5"]) });
    let names = |text: &str| text.lines().map(|line| line[34..].to_owned()).collect::<Vec<_>>();
    let text = text_of("gnu", &["md5"], &options, &items);
    assert_eq!(names(&text), ["a", "a offset 0-2", "a", "a offset 0-3", "a"]);
    let longer = Item { size: Some(5), ..items[0].clone() };
    for format in ["gnu", "jsonl"] {
        let mut writer =
            Writer::new(Format::named(format).unwrap(), &[algorithm("md5")], &options, Vec::new()).unwrap();
        assert_eq!(
            writer.item(&longer).unwrap_err().to_string(),
            "\"a\": it has more than 4 bytes but no digests of its pieces, unlike the others; read it again"
        );
    }
    let mut writer =
        Writer::new(Format::named("gnu").unwrap(), &[algorithm("md5")], &options, Vec::new()).unwrap();
    let alike = Item { path: ItemPath::from("x offset 0-9"), ..items[0].clone() };
    assert_eq!(
        writer.item(&alike).unwrap_err().to_string(),
        "\"x offset 0-9\": a gnu manifest cannot store a name that looks like a piece of another file; use jsonl or dfxml"
    );
    let full = Item { path: alike.path.clone(), ..items[1].clone() };
    writer.item(&full).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let options = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
    assert_eq!(all(&text, true, &options), ["1 x offset 0-9: 1x3 to 3 1"]);
}

#[test]
fn lines_that_are_no_row_of_pieces_are_one_problem_of_their_file() {
    assert_eq!(named(&["a offset 0-9", "a offset 10-19", "a offset 20-20"]), ["1 a: 3x10 to 21 0"]);
    assert_eq!(
        named(&["a", "a offset 0-9", "a offset 10-19", "b"]),
        ["1 a: 2x10 to 20 1".replace("1 a", "2 a"), "4 b: 1".to_owned()]
    );
    assert_eq!(named(&["a", "a offset 0-9", "a"]), ["1 a: 1", "2 a: 1x10 to 10 1"]);
    assert_eq!(
        named(&["b", "a offset 0-9", "b offset 0-9"]),
        ["1 b: 1", "2 a: 1x10 to 10 0", "3 b: 1x10 to 10 0"]
    );
    // What is listed twice is two items.
    assert_eq!(named(&["a offset 0-9", "a offset 0-9", "a"]), ["1 a: 1x10 to 10 0", "2 a: 1x10 to 10 1"]);
    for (names, said) in [
        (
            &["a offset 0-9", "a offset 20-29", "a offset 30-39"][..],
            "line 2: a piece begins at 20 instead of 10; ",
        ),
        (&["a offset 0-9", "a offset 5-14"], "line 2: a piece begins at 5 instead of 10; "),
        (&["a offset 0-9", "a offset 10-29"], "line 2: a piece has 20 bytes instead of 10; "),
        (
            &["a offset 0-9", "a offset 10-18", "a offset 19-28"],
            "line 3: a piece has 9 bytes instead of 10; ",
        ),
        (&["a offset 10-19", "a offset 20-29"], "line 1: a piece begins at 10 instead of 0; "),
        (
            &["a offset 0-9", "a offset 10-18446744073709551615"],
            "line 2: a piece has 18446744073709551606 bytes instead of 10; ",
        ),
        (&["a offset 0-18446744073709551615"], "line 1: a piece has 0 bytes instead of 1; "),
        (&["a offset 0-9", "a offset 10-9"], "line 2: a piece has 0 bytes instead of 1; "),
    ] {
        let read = named(names);
        assert!(read.len() == 1 && read[0].starts_with(said), "{names:?}: {read:?}");
        let with_whole = named(&[names, &["a"]].concat());
        assert!(with_whole.len() == 2 && with_whole[0] == read[0], "{with_whole:?}");
        assert_eq!(with_whole[1], format!("{} a: 1", names.len() + 1), "the whole is verified all the same");
    }
    // A line that is not understood takes no piece away, or what it took is missed.
    let text = format!("{}wrong\n{}", md5("a offset 0-9"), md5("a offset 10-19"));
    let options = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
    let read = all(&text, true, &options);
    assert!(read.len() == 2 && read[0].starts_with("line 2: ") && read[1] == "1 a: 2x10 to 20 0", "{read:?}");
    let text = format!("{}wrong\n{}", md5("a offset 0-9"), md5("a offset 20-29"));
    let read = all(&text, true, &options);
    assert!(read.len() == 2 && read[1].starts_with("line 3: a piece begins at 20"), "{read:?}");
}

#[test]
fn sizes_and_algorithms_of_pieces_have_to_agree() {
    let read = |lines: &[(u64, &str)]| {
        let digest = algorithm("md5").digest(b"x");
        let lines: String = lines.iter().map(|(size, name)| format!("{size},{digest},{name}\n")).collect();
        all(&format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{lines}"), true, &ReadOptions::default())
    };
    assert_eq!(read(&[(4, "a offset 0-3"), (1, "a offset 4-4"), (5, "a")]), ["3 a 5: 2x4 to 5 1"]);
    assert_eq!(read(&[(4, "a offset 0-3"), (1, "a offset 4-4")]), ["3 a 5: 2x4 to 5 0"]);
    let unlike = read(&[(4, "a offset 0-3"), (1, "a offset 4-4"), (6, "a")]);
    assert_eq!(unlike, ["line 5: the pieces end at 5, but the file has 6 bytes: \"a\"", "5 a 6: 1"]);
    let wrong = read(&[(4, "a offset 0-3"), (2, "a offset 4-4")]);
    assert!(
        wrong.len() == 1 && wrong[0].starts_with("line 4: a piece has 2 bytes instead of 1"),
        "{wrong:?}"
    );
    let (md5, sha1) = (algorithm("md5").digest(b""), algorithm("sha1").digest(b""));
    let text =
        format!("MD5 (a offset 0-1) = {md5}\nSHA1 (a offset 0-1) = {sha1}\nSHA1 (a offset 2-2) = {sha1}\n");
    let read = all(&text, true, &ReadOptions::default());
    assert!(read.len() == 1 && read[0].starts_with("line 3: the piece has other algorithms"), "{read:?}");
}

#[test]
fn a_file_without_bytes_is_one_as_hashdeep_lists_it() {
    let digest = algorithm("md5").digest(b"");
    for end in ["0", "18446744073709551615"] {
        let gnu = format!("{digest}  a offset 0-{end}\n{digest}  a offset 0-{end}\n");
        let options = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
        assert_eq!(all(&gnu, true, &options), ["1 a: 1", "2 a: 1"]);
        let with_size =
            format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n0,{digest},a offset 0-{end}\n0,{digest},a\n");
        assert_eq!(all(&with_size, true, &ReadOptions::default()), ["4 a 0: 1"]);
    }
    let other = algorithm("md5").digest(b"x");
    let text = format!(
        "{digest}  stdin offset 0-0\n{digest}  stdin offset 1-0\n{other}  a offset 0-9\n{digest}  a offset 10-9\n"
    );
    let options = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
    let read = all(&text, true, &options);
    assert_eq!(read[1..].last().unwrap(), "3 a: 1x10 to 10 0");
    assert_eq!(piece_of_name(b"a offset 0-0").unwrap().1.length, 1);
}

#[test]
fn ten_million_pieces_of_one_file_are_refused_and_not_held() {
    /// Lines of pieces of one byte, as they are asked for.
    struct Endless(u64, Vec<u8>);
    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            while self.1.len() < into.len() && self.0 < 5_000_000 {
                let offset = self.0;
                writeln!(self.1, "CRC32 (a offset {offset}-{offset}) = 0d4a1185").unwrap();
                self.0 += 1;
            }
            let count = into.len().min(self.1.len());
            into[..count].copy_from_slice(&self.1[..count]);
            self.1.drain(..count);
            Ok(count)
        }
    }
    let reader = Reader::open(Endless(0, Vec::new()), &ReadOptions::default()).unwrap();
    let read: Vec<_> = reader.merged().pieced().collect();
    assert_eq!(read.len(), 1);
    let problem = read[0].as_ref().unwrap_err();
    assert_eq!(
        problem.to_string(),
        "line 4194305: more than 4194304 pieces of one file, whose digests are kept in memory; use larger pieces: \
         \"a offset 4194304-4194304\""
    );
}

#[test]
fn the_pieces_of_dfxml_come_back_and_others_are_passed_over() {
    let sum = "900150983cd24fb0d6963f7d28e17f72";
    let hash = format!("<hashdigest type='MD5'>{sum}</hashdigest>");
    let run = |place: &str| format!("<byte_run {place}>{hash}</byte_run>");
    let read = |size: u64, runs: &[String]| {
        let text = format!(
            "<dfxml><fileobject><filename>a</filename><filesize>{size}</filesize>{}{hash}</fileobject></dfxml>",
            runs.concat()
        );
        all(&text, false, &ReadOptions::default()).concat()
    };
    let (first, last) = (run("file_offset='0' len='4'"), run("file_offset='4' len='1'"));
    assert_eq!(read(5, &[first.clone(), last.clone()]), "1 a 5: 2x4 to 5 1");
    let within = format!("<byte_runs>{first}{last}</byte_runs>");
    assert_eq!(read(5, &[within]), "1 a 5: 2x4 to 5 1");
    assert_eq!(read(600, &[run("file_offset='0' len='512'")]), "1 a 600: 1x512 to 512 1");
    for odd in [
        vec![first.clone(), run("file_offset='5' len='1'")],
        vec![last.clone(), first.clone()],
        vec![first.clone(), run("len='1'")],
        vec![first.clone(), run("file_offset='4' len='5'")],
        vec![run("file_offset='0' len='0'")],
        vec![
            first.clone(),
            run("file_offset='4' len='4'"),
            run("file_offset='18446744073709551615' len='1'"),
        ],
        vec!["<byte_run file_offset='0' len='5'/>".to_owned()],
    ] {
        assert_eq!(read(5, &odd), "1 a 5: 1", "{odd:?}");
    }
    let damaged = read(5, &[first.replace("9001", "900z"), last]);
    assert!(damaged.starts_with("line 1: the md5 digest is neither"), "{damaged}");
}

#[test]
fn triage_has_the_digest_of_the_first_512_bytes() {
    let content = vec![b'x'; 600];
    let short = Item { pieces: None, ..item("short", b"abc", 512, &["md5"]) };
    let first = Pieces::new(
        NonZeroU64::new(512).unwrap(),
        512,
        vec![(algorithm("md5"), algorithm("md5").digest(&content[..512]).as_bytes().to_vec())],
    );
    let long = Item { pieces: first.map(Box::new), ..item("long", &content, 600, &["md5"]) };
    assert_eq!(long.division(), Some(beginning(512)));
    let items = [short.clone(), long.clone()];
    let text = text_of("triage", &["md5"], &WriteOptions::default(), &items);
    let digest = |content: &[u8]| algorithm("md5").digest(content).to_string();
    assert_eq!(
        text,
        format!(
            "3\t{0}\t{0}\tshort\n600\t{1}\t{2}\tlong\n",
            digest(b"abc"),
            digest(&content[..512]),
            digest(&content)
        )
    );
    let options = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
    for format in ["triage", "jsonl", "dfxml"] {
        let text = text_of(format, &["md5"], &WriteOptions::default(), &items);
        let read: Vec<_> = Reader::open(text.as_bytes(), &options)
            .unwrap()
            .map(|item| Item { line: 0, ..item.unwrap() })
            .collect();
        assert_eq!(read, items, "{format}");
    }
    let mut writer = Writer::new(
        Format::named("triage").unwrap(),
        &[algorithm("md5")],
        &WriteOptions::default(),
        Vec::new(),
    )
    .unwrap();
    let unknown = Item { pieces: None, ..long };
    assert_eq!(
        writer.item(&unknown).unwrap_err().to_string(),
        "\"long\": it has no md5 digest of its first 512 bytes, which every line of a triage manifest needs"
    );
    assert!(matches!(writer.item(&Item { size: None, ..short }), Err(Error::NoSize { .. })));
    let contradicting = format!("512\t{}\t{}\ta\n", digest(b"a"), digest(b"b"));
    let said = all(&contradicting, false, &options);
    assert!(
        said[0].starts_with("line 1: the digests of the beginning and of the whole differ, but all 512 bytes are within the first 512: "),
        "{said:?}"
    );
}

#[test]
fn a_record_with_pieces_that_is_refused_leaves_no_trace() {
    let writer = |format: &str, strict_hashdeep| {
        let options = WriteOptions { strict_hashdeep, ..WriteOptions::default() };
        Writer::new(Format::named(format).unwrap(), &[algorithm("md5")], &options, Vec::new()).unwrap()
    };
    let good = item("a", b"abcdefghi", 4, &["md5"]);
    let digest: Vec<Digest> = vec![algorithm("sha1").digest(b"")];
    let longest = "x".repeat(2047 - 2 - 33);
    for (format, bad) in [
        ("jsonl", Item { size: Some(8), ..good.clone() }),
        ("jsonl", Item { digests: digest.clone(), ..good.clone() }),
        ("dfxml", Item { digests: digest, ..good.clone() }),
        ("hashdeep", Item { path: ItemPath::from("a\nb"), ..good.clone() }),
        // The name of the file fits, those of its pieces do not.
        ("hashdeep", Item { path: ItemPath::from(&longest[..]), ..good.clone() }),
        ("gnu", Item { path: ItemPath::from(&"x".repeat(128 << 10)[..]), ..good.clone() }),
    ] {
        let (mut once, mut never) = (writer(format, true), writer(format, true));
        once.item(&bad).unwrap_err();
        once.item(&good).unwrap();
        never.item(&good).unwrap();
        assert_eq!(once.finish().unwrap(), never.finish().unwrap(), "{format}");
    }
    let mut alone = writer("hashdeep", true);
    alone.item(&Item { path: ItemPath::from(&longest[..]), pieces: None, ..good }).unwrap();
}

#[test]
fn pieces_without_a_digest_of_the_algorithm_asked_for_are_not_dropped() {
    let options = ReadOptions { algorithm: Some(algorithm("sha1")), ..ReadOptions::default() };
    let digest = |name: &str| algorithm(name).digest(b"x");
    let text = format!("x offset 0-9 | md5 | {} | 10\ny | sha1 | {} | 1\n", digest("md5"), digest("sha1"));
    let named: Vec<_> = Reader::open(text.as_bytes(), &options)
        .unwrap()
        .merged()
        .pieced()
        .map(|item| item.map(|item| (item.path, item.digests.len())).unwrap())
        .collect();
    assert_eq!(named, [(ItemPath::from("x offset 0-9"), 0), (ItemPath::from("y"), 1)]);
}
