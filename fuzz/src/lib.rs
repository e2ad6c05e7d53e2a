//! What every target checks: reading ends, what is read can be written, and what was written is read back the same.

mod targets;

use std::io::{Seek as _, Write as _};
use std::num::NonZeroU64;

use hashlane_digest::Algorithm;
use hashlane_manifest::bag::{
    Declaration, Encoding, Entries, Fetch, Info, Listing, Named, OnDisk, Version, confined, decode,
    decoded_text, encode,
};
use hashlane_manifest::evidence::{self, Job, MAX_STATEMENT_BYTES, Report};
use hashlane_manifest::{
    Error, Format, Item, Piecewise, ReadOptions, Reader, WriteOptions, Writer, piece_of_name,
};
use hashlane_record::{Outcome, Pieces};

pub use targets::Target;

/// Reads a text in one format, writes the items in every format that holds them, and reads them again.
fn check(text: &[u8], options: &ReadOptions<'_>) {
    let Ok(mut reader) = Reader::open(text, options) else {
        return;
    };
    let mut items = Vec::new();
    let mut entries = 0;
    for entry in reader.by_ref() {
        entries += 1;
        // Every item and every problem is at least one byte, or one empty line.
        assert!(entries <= text.len() + 1, "more entries than bytes");
        match entry {
            Ok(item) => items.push(item),
            Err(problem) => assert!(problem.to_string().len() < 2000, "{problem}"),
        }
    }
    let names: usize = items.iter().map(|item| item.path.as_bytes().len()).sum();
    // UTF-16 grows by half when it is decoded.
    assert!(names <= 2 * text.len(), "names of {names} bytes from {} bytes", text.len());
    for item in &items {
        assert!(!item.path.as_bytes().is_empty() && !item.path.as_bytes().contains(&0));
    }
    check_pieced(text, options);
    // What is not text is written by a target of its own.
    for format in Format::all().filter(|format| !format.is_binary()) {
        for zero in [false, true] {
            if !zero || format.can_end_with_nul() {
                write_and_read(&items, format, zero);
            }
        }
    }
}

/// Reads a table of Parquet, and writes and reads again what is in it. A few bytes can stand for any number of rows that are alike, so
/// not all are taken.
fn check_table(table: &[u8]) {
    let parquet = Format::named("parquet").expect("it is registered");
    let options = ReadOptions { format: Some(parquet), ..ReadOptions::default() };
    let Ok(reader) = Reader::open(table, &options) else { return };
    let mut items = Vec::new();
    for entry in reader.take(2_000) {
        match entry {
            Ok(item) => items.push(item),
            Err(problem) => assert!(problem.to_string().len() < 2000, "{problem}"),
        }
    }
    write_and_read(&items, parquet, false);
}

/// Reads a report of a provider, and what lists the files of one.
fn check_evidence(input: &[u8]) {
    let listed = Job::parse(input).map(|job| job.files.len());
    assert!(listed.is_ok_and(|files| files <= input.len()) || Job::parse(input).is_err());
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(input).and_then(|()| file.rewind()).expect("written");
    let mut statements = 0;
    let read = Report::open(file).and_then(|report| {
        report.each(&mut |statement| {
            statements += 1;
            assert!(!statement.name.is_empty() && statement.name.len() <= MAX_STATEMENT_BYTES + (1 << 16));
            // A few bytes of a table can stand for any number of rows that are alike.
            if statements < 2_000 { Ok(()) } else { Err(evidence::Error::Unknown) }
        })
    });
    if let Err(error) = read {
        assert!(!error.to_string().is_empty());
    }
}

/// Names are taken for those of pieces, whatever they are.
fn check_pieced(text: &[u8], options: &ReadOptions<'_>) {
    let Ok(reader) = Reader::open(text, options) else { return };
    let mut entries = 0;
    for entry in reader.merged().pieced() {
        entries += 1;
        assert!(entries <= text.len() + 1, "more entries than bytes");
        match entry {
            Ok(item) => {
                // Where an algorithm is asked for, what has others only is an item without any.
                let has_none = item.digests.is_empty() && item.outcome.is_none() && item.pieces.is_none();
                assert!(!has_none || options.algorithm.is_some());
                assert!(item.pieces.is_none() || item.division().is_some());
            }
            Err(problem) => assert!(problem.to_string().len() < 2000, "{problem}"),
        }
    }
}

fn write_and_read(items: &[Item], format: Format, zero: bool) {
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for digest in items.iter().flat_map(|item| &item.digests) {
        if !algorithms.contains(&digest.algorithm()) {
            algorithms.push(digest.algorithm());
        }
    }
    if !format.holds_many_algorithms() {
        algorithms.truncate(1);
    }
    let options = WriteOptions { zero, ..WriteOptions::default() };
    let mut writer = match Writer::new(format, &algorithms, &options, Vec::new()) {
        Ok(writer) => writer,
        Err(
            Error::NoAlgorithm
            | Error::ReadOnly { .. }
            | Error::NoNameFor { .. }
            | Error::NotInMhl { .. }
            | Error::OnlyOneKind { .. }
            | Error::DigestTooShort { .. },
        ) => return,
        Err(error) => panic!("{error}"),
    };
    let mut accepted = Vec::new();
    for item in items {
        match writer.item(item) {
            Ok(()) => accepted.push(item),
            Err(
                Error::NameNotHeld { .. }
                | Error::NoDigest { .. }
                | Error::NoSize { .. }
                | Error::NoBeginning { .. }
                | Error::NotRead { .. }
                | Error::ValueNotHeld { .. },
            ) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let text = writer.finish().expect("a vector takes everything");
    let algorithm = Some(algorithms[0]).filter(|_| !format.holds_many_algorithms());
    // Only its name distinguishes a list of odd names from prose.
    let file_name = match format.name() {
        "sfv" => Some(&b"list.sfv"[..]),
        "bagit" => Some(&b"list.bagit"[..]),
        _ => None,
    };
    let options = ReadOptions { algorithm, zero, file_name, ..ReadOptions::default() };
    let reader = match Reader::open(&text[..], &options) {
        Ok(reader) => reader,
        Err(Error::Empty) if accepted.is_empty() => return,
        // Its first line alone is no more than a word and a colon.
        Err(Error::UnknownFormat { .. }) if accepted.is_empty() && format.name() == "ace" => return,
        Err(error) => panic!("{format} {zero}: {error}"),
    };
    assert_eq!(reader.format(), format);
    let read: Vec<Item> = reader.map(|item| item.expect("what was written is read")).collect();
    if format.name() == "checkm" {
        // Adjacent lines about one name become one item.
        let pairs = |items: &mut dyn Iterator<Item = &Item>| {
            let pair = |item: &Item| {
                let of_item = |digest: &hashlane_digest::Digest| {
                    (item.path.as_bytes().to_vec(), digest.algorithm().name(), digest.as_bytes().to_vec())
                };
                item.digests.iter().map(of_item).collect::<Vec<_>>()
            };
            let mut pairs: Vec<_> = items.flat_map(pair).collect();
            pairs.sort();
            pairs
        };
        assert_eq!(pairs(&mut read.iter()), pairs(&mut accepted.into_iter()));
        return;
    }
    if format.name() == "parquet" {
        accepted.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    }
    let mut read = read.into_iter();
    for item in accepted {
        let a_line_each =
            format.shape().starts_with("ALGORITHM") || matches!(format.name(), "multihash" | "ni");
        let count = if a_line_each { item.digests.len() } else { 1 };
        let pieces = held_pieces(item, format, &algorithms);
        if let Some(pieces) = pieces.as_ref().filter(|_| format.piecewise() == Some(Piecewise::ByName)) {
            let lines = if a_line_each { pieces.columns().len() } else { 1 };
            for (extent, digests) in pieces.iter() {
                for line in 0..lines {
                    let piece = read.next().expect("a line for each piece");
                    assert_eq!(piece_of_name(piece.path.as_bytes()), Some((item.path.as_bytes(), extent)));
                    assert!(piece.digests.iter().all(|digest| digests.contains(digest)), "line {line}");
                }
            }
        }
        let mut digests = Vec::new();
        for _ in 0..count {
            let again = read.next().expect("as many items as were written");
            assert_eq!(again.path, item.path);
            let rich = matches!(format.name(), "jsonl" | "dfxml" | "parquet");
            // To say nothing is to say that it was read.
            let says_read = matches!(format.name(), "jsonl" | "parquet");
            let outcome =
                |outcome: Option<Outcome>| outcome.filter(|said| says_read || *said != Outcome::Read);
            assert!(
                !rich
                    || (again.size, again.modified, outcome(again.outcome))
                        == (item.size, item.modified, outcome(item.outcome))
            );
            if format.piecewise() != Some(Piecewise::ByName) {
                assert_eq!(again.pieces, pieces);
            }
            digests.extend(again.digests);
        }
        let held = item.digests.iter().filter(|digest| algorithms.contains(&digest.algorithm()));
        assert!(held.clone().all(|digest| digests.contains(digest)) && held.count() == digests.len());
    }
    assert_eq!(read.next(), None);
}

/// The pieces of an item that a format has a place for, with the digests that are written, in their order.
fn held_pieces(item: &Item, format: Format, algorithms: &[Algorithm]) -> Option<Box<Pieces>> {
    let pieces = item.pieces.as_ref()?;
    let division = item.division().expect("what is read fits together");
    let of = |algorithm: &Algorithm| pieces.columns().iter().find(|(known, _)| known == algorithm).cloned();
    let columns: Vec<_> = algorithms.iter().filter_map(of).collect();
    if columns.is_empty() || !format.holds_pieces(division) {
        return None;
    }
    // The only piece of a file says in dfxml how long it is, not how long others would be.
    let most = if format.name() == "dfxml" { pieces.end() } else { u64::MAX };
    let piece_bytes = NonZeroU64::new(pieces.piece_bytes().get().min(most))?;
    Pieces::new(piece_bytes, pieces.end(), columns).map(Box::new)
}

/// The options for one format, with the first byte of the input choosing the algorithm and what ends lines.
fn check_format(input: &[u8], format: &str) {
    let Some((&choice, text)) = input.split_first() else {
        return;
    };
    let algorithm = Algorithm::all().nth(usize::from(choice >> 1));
    let format = Format::named(format).expect("the target names a format");
    let zero = choice & 1 == 1 && format.can_end_with_nul();
    check(text, &ReadOptions { format: Some(format), algorithm, zero, ..ReadOptions::default() });
}

/// As [`check_format`], for formats that share a parser: the first byte chooses one.
fn check_formats(input: &[u8], formats: &[&str]) {
    if let Some((&choice, input)) = input.split_first() {
        check_format(input, formats[usize::from(choice) % formats.len()]);
    }
}

/// Gives a text to all parsers of tag files, in each encoding and for an old bag and a new one.
fn check_bag(input: &[u8]) {
    let _ = Declaration::parse(input).map_err(|error| error.to_string());
    let sha1 = Algorithm::SHA1;
    let encodings = [Encoding::Utf8, Encoding::Latin1, Encoding::Utf16, Encoding::Utf16Le, Encoding::Utf16Be];
    for (encoding, version) in encodings.into_iter().flat_map(|one| [(one, "0.97"), (one, "1.0")]) {
        let version = Version::parse(version).expect("it is known");
        if let Ok(text) = decoded_text(input, encoding) {
            let info = Info::parse(&text, version);
            assert!(info.elements.len() + info.problems.len() <= 2 * input.len() + 10);
        }
        let fetch =
            Fetch::open(input, encoding, version).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
        for item in fetch.iter().flatten() {
            assert!(item.path.starts_with(b"data/") && stays(&item.path), "{:?}", item.path);
        }
        let Ok(entries) = Entries::open(input, encoding, sha1) else { continue };
        let mut disk = OnDisk::new();
        for name in ["data/a", "data/\u{e9}", "data/100%", "bagit.txt"] {
            disk.insert(name.as_bytes().to_vec(), ());
        }
        let mut listing = Listing::new(version);
        for (count, line) in entries.enumerate() {
            assert!(count <= input.len(), "more lines than bytes");
            let Ok(line) = line else { continue };
            let name = decode(&line.path, version);
            if let Some(text) = encode(&name, version) {
                assert_eq!(decode(&text, version), name);
            }
            let remarks = listing.add(Named { number: 0, of_tags: false }, &line, &disk);
            assert!(remarks.len() < 8 && remarks.iter().all(|remark| !remark.to_string().is_empty()));
        }
        assert!(listing.files.keys().all(|name| stays(name)));
    }
    check_format(input, "bagit");
}

/// Whether a path that is to be opened leads nowhere but down.
fn stays(path: &[u8]) -> bool {
    confined(path).as_deref() == Ok(path)
        && !path.starts_with(b"/")
        && path.split(|&byte| byte == b'/').all(|part| !matches!(part, b".." | b"." | b""))
}
