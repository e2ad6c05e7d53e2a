//! Distinguishes formats by what only one of them can look like. Nothing is decided by likelihood.

use hashlane_record::ItemPath;
use memchr::{memchr, memrchr};

use crate::error::Error;
use crate::file_name::file_of_list;
use crate::format::Format;
use crate::formats::{
    Remark, bagit, bsd, checkm, dfxml, encase, gnu, hashdeep, internet_archive, mhl, mtree, name_first,
    parquet, remark, sfv,
};
use crate::header::Recorded;
use crate::kinds::kind_of;
use crate::lines::{BLOCK_BYTES, BYTE_ORDER_MARK, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::shape::{SCHEMA, begins_as_entry, is_comment, is_object, lone_digest, seems_entry};

/// Lines beyond [`crate::MAX_LINE_BYTES`] that may stand before the first good one.
const MAX_SKIPPED: usize = 16;

/// What the beginning of a text says.
pub(crate) struct Found {
    pub(crate) format: Format,
    pub(crate) recorded: Recorded,
    /// Lines that were passed because they are too long to be looked at, and comments that are damaged entries.
    pub(crate) skipped: Vec<LineProblem>,
    /// The file that a list of one digest without a name is about.
    pub(crate) only_file: Option<ItemPath>,
}

/// What stands before the first line that is neither blank nor a comment.
#[derive(Default)]
struct Above {
    recorded: Recorded,
    skipped: Vec<LineProblem>,
    /// Comments that are damaged entries where the format has no prose.
    doubtful: Vec<LineProblem>,
    /// A comment said that the list is one of Checkm, or begins as most specifications of mtree do.
    is_checkm: bool,
    is_mtree: bool,
    /// Comments that are entries in SFV, which has another mark for them, and in mtree.
    of_sfv: u64,
    of_mtree: u64,
}

impl Above {
    fn found(mut self, format: Format) -> Found {
        if format == Format(&sfv::SPEC) {
            self.recorded.commented_out += self.of_sfv;
        }
        if format == Format(&mtree::SPEC) {
            self.recorded.commented_out += self.of_mtree;
        }
        if !format.0.prose {
            self.skipped.append(&mut self.doubtful);
            self.skipped.sort_by_key(|problem| problem.line);
        }
        Found { format, recorded: self.recorded, skipped: self.skipped, only_file: None }
    }
}

/// Reads blank lines and comments, then looks at the next block. `given` is believed. The extension of `file_name` decides
/// only where no line does.
pub(crate) fn detect(
    lines: &mut Lines<'_>,
    given: Option<Format>,
    file_name: Option<&[u8]>,
) -> Result<Found, Error> {
    let mut above = Above::default();
    let encase = Format(&encase::SPEC);
    if given == Some(encase) || given.is_none() && encase::is_set(lines.window()?) {
        return Ok(above.found(encase));
    }
    if given.is_none() && lines.window()?.starts_with(b"SQLite format 3\0") {
        return Err(Error::Database);
    }
    if given.is_none() && is_encrypted_table(lines.window()?) {
        return Err(Error::Table { what: "it is encrypted".to_owned() });
    }
    let parquet = Format(&parquet::SPEC);
    if given == Some(parquet) || given.is_none() && parquet::is_table(lines.window()?) {
        return match lines.window()?.is_empty() {
            true => Err(Error::Empty),
            false => Ok(above.found(parquet)),
        };
    }
    for document in [Format(&dfxml::SPEC), Format(&mhl::SPEC), Format(&internet_archive::SPEC)] {
        if given == Some(document) || given.is_none() && (document.0.recognizes)(lines.window()?) {
            return match lines.window()?.is_empty() {
                true => Err(Error::Empty),
                false => Ok(above.found(document)),
            };
        }
    }
    if given.is_none_or(|format| !format.0.by_first_line) {
        read_comments(lines, &mut above)?;
    }
    if lines.window()?.is_empty() && given.is_none() && !above.recorded.shards.is_empty() {
        // A part of a listing may have no files, and says which part it is all the same.
        let format = if above.recorded.algorithm.is_some() { &gnu::SPEC } else { &bsd::SPEC };
        return Ok(above.found(Format(format)));
    }
    if lines.window()?.is_empty() {
        return Err(above.skipped.first().map_or(Error::Empty, unknown));
    }
    if !hashdeep::has_nul_records(lines.window()?) {
        refuse_nul(lines)?;
    }
    if let Some(file) = file_name.and_then(file_of_list)
        && given.is_none_or(|format| format == Format(&gnu::SPEC))
        && has_lone_digest(lines)?
    {
        return Ok(Found { only_file: Some(ItemPath::new(file)), ..above.found(Format(&gnu::SPEC)) });
    }
    let format = match given {
        Some(format) => format,
        None if above.is_checkm => Format(&checkm::SPEC),
        None if above.is_mtree => Format(&mtree::SPEC),
        None => recognize(lines, file_name)?,
    };
    Ok(above.found(format))
}

/// Whether a text begins as a Parquet table whose metadata are encrypted.
fn is_encrypted_table(text: &[u8]) -> bool {
    text.strip_prefix(b"PARE").is_some_and(parquet::begins_with_part)
}

/// A line with a NUL byte is a bad line and no more, unless NUL seems to end lines: no line is without one, or
/// an entry stands behind one.
fn refuse_nul(lines: &mut Lines<'_>) -> Result<(), Error> {
    if lines.ends() == LineEnds::Nul {
        return Ok(());
    }
    let number = lines.next_number();
    let (mut first, mut has_plain) = (None, false);
    for (text, number) in lines.window()?.split(|&byte| byte == b'\n').zip(number..) {
        match memchr(0, text) {
            Some(at) if seems_entry(&text[at + 1..]) => return Err(Error::NulByte { line: number }),
            Some(_) => first = first.or(Some(number)),
            None => has_plain |= !text.is_empty(),
        }
    }
    match first.filter(|_| !has_plain) {
        Some(line) => Err(Error::NulByte { line }),
        None => Ok(()),
    }
}

fn read_comments(lines: &mut Lines<'_>, above: &mut Above) -> Result<(), Error> {
    while let Some(line) = lines.next() {
        let line = match line {
            Ok(line) if line.text.is_empty() => continue,
            Ok(line) if is_comment(line.text) => line,
            Ok(_) => {
                lines.put_back();
                return Ok(());
            }
            Err(LineProblem { kind: ProblemKind::Input(source), .. }) => return Err(Error::Input { source }),
            Err(problem) if above.skipped.len() < MAX_SKIPPED => {
                above.skipped.push(problem);
                continue;
            }
            Err(problem) => return Err(unknown(&problem)),
        };
        above.is_checkm |= line.text.starts_with(checkm::MARK);
        above.is_mtree |= line.text.trim_ascii() == mtree::MARK;
        above.of_sfv += u64::from(sfv::is_entry(line.text));
        above.of_mtree += u64::from(mtree::is_entry(line.text));
        match above.recorded.note(line.text) {
            Err(ProblemKind::HeaderTooLong { limit }) => return Err(Error::HeaderTooLong { limit }),
            Err(kind @ ProblemKind::CommentedEntry) => {
                let is_damaged = remark(line.text) == Remark::Damaged;
                let kept = if is_damaged { &mut above.skipped } else { &mut above.doubtful };
                // The first ones are enough for the list not to pass.
                if kept.len() < MAX_SKIPPED {
                    kept.push(line.problem(kind));
                }
            }
            // A comment of ours that is broken binds nobody.
            _ => {}
        }
    }
    Ok(())
}

fn unknown(problem: &LineProblem) -> Error {
    Error::UnknownFormat { line: problem.line, excerpt: problem.excerpt.clone() }
}

/// Whether there is nothing but one digest without a name, comments and blank lines.
fn has_lone_digest(lines: &mut Lines<'_>) -> Result<bool, Error> {
    let window = lines.window()?;
    let mut texts = window
        .split(|byte| matches!(byte, 0 | b'\n'))
        .filter(|text| !text.trim_ascii().is_empty() && !is_comment(text));
    let first = texts.next();
    Ok(window.len() < BLOCK_BYTES && texts.next().is_none() && first.and_then(lone_digest).is_some())
}

/// The format of the first line in the next block that any format recognizes.
fn recognize(lines: &mut Lines<'_>, file_name: Option<&[u8]>) -> Result<Format, Error> {
    let number = lines.next_number();
    let end_byte = if lines.ends() == LineEnds::Nul { 0 } else { b'\n' };
    let strip_cr = lines.ends() == LineEnds::CrLf;
    let window = lines.window()?;
    // The last line of a long text may be cut off.
    let end = if window.len() < BLOCK_BYTES { None } else { memrchr(end_byte, window) };
    let whole_lines = || window[..end.unwrap_or(window.len())].split(|&byte| byte == end_byte);
    let is_sfv = file_name.is_some_and(|name| name.to_ascii_lowercase().ends_with(b".sfv"));
    if file_name.is_some_and(|name| bagit::is_manifest(name, whole_lines())) {
        return Ok(Format(&bagit::SPEC));
    }
    if is_sfv && sfv::is_whole(whole_lines(), |_| false) {
        return Ok(Format(&sfv::SPEC));
    }
    let mut first = None;
    for (text, number) in window.split(|&byte| byte == end_byte).zip(number..) {
        let text = if strip_cr { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if text.is_empty() || is_comment(text) {
            continue;
        }
        let (first_number, first_text) = *first.get_or_insert((number, text));
        let is_first = number == first_number;
        let can_show = Format::all().filter(|format| is_first || !format.0.by_first_line);
        if let Some(format) = can_show.into_iter().find(|format| (format.0.recognizes)(text)) {
            return Ok(format);
        }
        if is_first && is_object(first_text) && kind_of(window).is_none() {
            return Err(Error::ForeignJson { line: number, schema: SCHEMA });
        }
    }
    if is_sfv || sfv::is_whole(whole_lines(), begins_as_entry) {
        return Ok(Format(&sfv::SPEC));
    }
    if name_first::is_whole(whole_lines()) {
        return Ok(Format(&name_first::SPEC));
    }
    if let Some(kind) = kind_of(window) {
        return Err(Error::OtherKind { kind });
    }
    let (line, text) = first.unwrap_or((number, b""));
    Err(Error::UnknownFormat { line, excerpt: excerpt(text) })
}
