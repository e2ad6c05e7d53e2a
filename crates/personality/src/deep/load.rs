//! Reads files of known digests into the known set: hashdeep's own for `-k`, whatever list there is for `-m`
//! and `-x`.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::{Error, Format, LineProblem, MAX_LINE_BYTES, ProblemKind, ReadOptions, Reader};
use hashlane_record::system_text;
use memchr::memchr2;

use super::known::{Known, TooMany};
use super::lenient::Lenient;
use super::table::DigestTable;

use super::voice::Voice;

/// Why nothing more is to be done than to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The header names what is not an algorithm.
    Columns,
    /// There are more records than fit.
    TooMany,
}

impl From<TooMany> for Unusable {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

/// Reads a file of hashdeep's. Gives the algorithms that it has, in the order of its columns; `None` if it
/// was refused, which was said.
pub(super) fn hashdeep(
    known: &mut Known,
    path: &Path,
    voice: &Voice,
) -> Result<Option<Vec<Algorithm>>, Unusable> {
    let Some(input) = open(path, voice) else { return Ok(None) };
    let options = ReadOptions { format: Format::named("hashdeep"), ..ReadOptions::default() };
    let reader = match Reader::open(input, &options) {
        Ok(reader) => reader,
        Err(Error::UnknownColumn { .. } | Error::DuplicateColumn { .. }) => {
            say(voice, path, "Badly formatted file");
            return Err(Unusable::Columns);
        }
        Err(Error::Input { source }) => {
            say(voice, path, &system_text(&source));
            return Ok(None);
        }
        Err(_) => {
            say(voice, path, "Unable to identify file format");
            return Ok(None);
        }
    };
    let algorithms = reader.algorithms().to_vec();
    let mut has_bad = false;
    for item in reader {
        match item {
            Ok(item) => known.add(item.path.as_bytes(), item.size.unwrap_or(0), &item.digests)?,
            Err(problem) => {
                say(voice, path, &bad_line(&problem));
                has_bad = true;
            }
        }
    }
    if has_bad {
        say(voice, path, "contains some bad hashes, using anyway");
    }
    Ok(Some(algorithms))
}

/// What is said of a line of a file of hashdeep's.
fn bad_line(problem: &LineProblem) -> String {
    match problem.kind {
        ProblemKind::DigestDigits { algorithm } | ProblemKind::DigestLength { algorithm, .. } => {
            format!("Invalid {algorithm} hash in line {}", problem.line)
        }
        _ => problem.to_string(),
    }
}

/// Reads a list with digests of one algorithm, of any format. `warns`: lines without one are named.
pub(super) fn list(
    known: &mut Known,
    path: &Path,
    algorithm: Algorithm,
    voice: &Voice,
    warns: bool,
) -> Result<(), Unusable> {
    let Some(mut input) = open(path, voice) else { return Ok(()) };
    let mut first = Vec::new();
    if let Err(error) = first_record(&mut input, &mut first) {
        say(voice, path, &system_text(&error));
        return Ok(());
    }
    let input = Cursor::new(first.clone()).chain(input);
    if first.starts_with(ENCASE) && algorithm.name() == "md5" {
        return encase(input, known, algorithm, path, voice);
    }
    if let Some(table) = DigestTable::of(&first, algorithm) {
        let rows = Records { end: b'\n', headers: 1, path, voice, warns };
        return rows.read(input, known, |row| table.record(row));
    }
    if let Some(decorated) = Decorated::of(&first, algorithm) {
        let records = Records { end: decorated.end, headers: 0, path, voice, warns };
        return records.read(input, known, |record| decorated.record(record).map(|(found, _)| found));
    }
    let input = Lenient::new(input, algorithm);
    let file_name = Some(path.as_os_str().as_bytes());
    let options = ReadOptions { algorithm: Some(algorithm), file_name, ..ReadOptions::default() };
    let reader = match Reader::open(input, &options) {
        Ok(reader) => reader,
        Err(Error::Input { source }) => {
            say(voice, path, &system_text(&source));
            return Ok(());
        }
        Err(_) => {
            say(voice, path, "Unable to find any hashes in file, skipped.");
            return Ok(());
        }
    };
    let is_csv = reader.format().name() == "md5deep-csv";
    let mut found = false;
    for item in reader {
        match item {
            Ok(item) if item.digests.is_empty() => {}
            Ok(item) => {
                let name = item.path.as_bytes();
                // With `-t` a time stands before it.
                let timed = is_csv && name.get(..TIME.len()).is_some_and(is_time);
                let timed = timed.then(|| name[TIME.len()..].strip_prefix(b",")).flatten();
                let name = timed.unwrap_or(name);
                known.add(name, 0, &item.digests)?;
                found = true;
            }
            Err(problem) if warns => say_no_hash(voice, path, problem.line),
            Err(_) => {}
        }
    }
    if !found {
        say(voice, path, "Unable to find any hashes in file, skipped.");
    }
    Ok(())
}

fn say_no_hash(voice: &Voice, path: &Path, line: u64) {
    voice.fatal([path.as_os_str().as_bytes(), format!(": No hash found in line {line}").as_bytes()].concat());
}

/// How a set of EnCase begins.
const ENCASE: &[u8] = b"HASH\r\n\xff\0";

/// Reads a set of EnCase: its records to the end of the file, whatever number of them the header says. They have no names: the
/// original gives them that of the file.
fn encase(
    mut input: impl Read,
    known: &mut Known,
    md5: Algorithm,
    path: &Path,
    voice: &Voice,
) -> Result<(), Unusable> {
    const HEADER_BYTES: usize = 0x480;
    /// A digest and two zeros.
    const RECORD_BYTES: usize = 18;
    let mut header = Vec::with_capacity(HEADER_BYTES);
    let mut found = 0;
    let mut read = || -> io::Result<Result<(), TooMany>> {
        input.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut header)?;
        let mut input = BufReader::new(&mut input);
        let mut record = Vec::with_capacity(RECORD_BYTES);
        loop {
            record.clear();
            input.by_ref().take(RECORD_BYTES as u64).read_to_end(&mut record)?;
            // What is left behind the last record is less than one.
            let Some(digest) = record.get(..md5.length()).filter(|_| record.len() == RECORD_BYTES) else {
                return Ok(Ok(()));
            };
            let digest = Digest::new(md5, digest).expect("as many bytes as an MD5 has");
            if let Err(error) = known.add(path.as_os_str().as_bytes(), 0, &[digest]) {
                return Ok(Err(error));
            }
            found += 1;
        }
    };
    match read() {
        Ok(added) => added?,
        Err(error) => say(voice, path, &system_text(&error)),
    }
    let expected =
        header.get(16..20).map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    if found != u64::from(expected) {
        // With an empty line behind it, as there.
        say(voice, path, &format!("Expecting {expected} hashes, found {found}\n"));
    }
    Ok(())
}

/// Reads until a record has ended, or more than any has.
fn first_record(input: &mut impl Read, text: &mut Vec<u8>) -> io::Result<()> {
    const STEP_BYTES: u64 = 4096;
    while text.len() < MAX_LINE_BYTES && memchr2(b'\n', 0, text).is_none() {
        if input.by_ref().take(STEP_BYTES).read_to_end(text)? == 0 {
            break;
        }
    }
    Ok(())
}

/// A list of md5deep with what its options put beside digest and name: times (`-t`), a size and an asterisk (`-zk`), NUL at the
/// end (`-0`). No format of its own, for nobody else writes or reads it.
struct Decorated {
    algorithm: Algorithm,
    end: u8,
}

impl Decorated {
    /// Whether a list is one, by its first record.
    fn of(text: &[u8], algorithm: Algorithm) -> Option<Self> {
        let end = memchr2(b'\n', 0, text).map_or(b'\n', |at| text[at]);
        let decorated = Self { algorithm, end };
        let first = text.split(|&byte| byte == end).next().unwrap_or_default();
        let (_, is_decorated) = decorated.record(first)?;
        (end == 0 || is_decorated).then_some(decorated)
    }

    /// Digest and name of a record, and whether it is one of no other format.
    fn record<'a>(&self, text: &'a [u8]) -> Option<((Digest, &'a [u8]), bool)> {
        /// Of a size; every digest has more.
        const MOST_DIGITS: usize = 20;
        // A size is right-aligned in ten characters.
        let bare = text.trim_ascii_start();
        let digits = bare.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_size = digits <= MOST_DIGITS && text.len() - bare.len() + digits >= 10;
        let sized = is_size.then(|| bare.get(digits..)?.strip_prefix(b"  "));
        let (rest, has_size) = sized.flatten().map_or((text, false), |rest| (rest, true));
        let (hex, rest) = rest.split_at_checked(2 * self.algorithm.length())?;
        let bytes = data_encoding::HEXLOWER_PERMISSIVE.decode(hex).ok()?;
        let digest = Digest::new(self.algorithm, &bytes).ok()?;
        let rest = rest.strip_prefix(b" ")?;
        let timed = rest.split_at_checked(TIME.len()).filter(|(time, _)| is_time(time));
        let (rest, has_time) =
            timed.and_then(|(_, rest)| rest.strip_prefix(b" ")).map_or((rest, false), |rest| (rest, true));
        let name = rest.strip_prefix(b" ").or(rest.strip_prefix(b"*"))?;
        Some(((digest, name), has_time || has_size && rest.starts_with(b"*")))
    }
}

/// A list that is read record by record.
struct Records<'a> {
    end: u8,
    /// How many records at its beginning have no digest.
    headers: u64,
    path: &'a Path,
    voice: &'a Voice,
    /// Whether records without a digest are named.
    warns: bool,
}

impl Records<'_> {
    fn read(
        &self,
        input: impl Read,
        known: &mut Known,
        found: impl Fn(&[u8]) -> Option<(Digest, &[u8])>,
    ) -> Result<(), Unusable> {
        let mut input = BufReader::new(input);
        let (mut record, mut goes_on, mut line) = (Vec::new(), false, 0);
        loop {
            record.clear();
            let read = input.by_ref().take(MAX_LINE_BYTES as u64).read_until(self.end, &mut record);
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    say(self.voice, self.path, &system_text(&error));
                    break;
                }
            }
            let text = record.strip_suffix(&[self.end]).unwrap_or(&record);
            // What is too long is one bad record, however many pieces it is read in.
            let is_rest =
                std::mem::replace(&mut goes_on, record.len() == MAX_LINE_BYTES && text.len() == record.len());
            if is_rest {
                continue;
            }
            line += 1;
            if line <= self.headers {
                continue;
            }
            match found(text).filter(|_| !goes_on) {
                Some((digest, name)) => known.add(name, 0, &[digest])?,
                None if self.warns => say_no_hash(self.voice, self.path, line),
                None => {}
            }
        }
        Ok(())
    }
}

/// How md5deep writes a time.
const TIME: &[u8] = b"YYYY:MM:DD:hh:mm:ss";

fn is_time(text: &[u8]) -> bool {
    let fits = |(byte, like): (&u8, &u8)| if *like == b':' { byte == like } else { byte.is_ascii_digit() };
    text.len() == TIME.len() && text.iter().zip(TIME).all(fits)
}

fn open(path: &Path, voice: &Voice) -> Option<File> {
    File::open(path).inspect_err(|error| say(voice, path, &system_text(error))).ok()
}

fn say(voice: &Voice, path: &Path, text: &str) {
    voice.error([path.as_os_str().as_bytes(), b": ", text.as_bytes()].concat());
}
