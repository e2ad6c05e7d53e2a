//! SFV: `name CRC32`, comments after `;`.
//!
//! Nothing is quoted or escaped. The checksum is the last word of a line, so a name may have spaces, but not at its end, where
//! some programs line up their columns with them.

use hashlane_digest::Algorithm;
use hashlane_record::ItemPath;
use memchr::memrchr;

use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::{Header, Recorded, push_comment};
use crate::hex::is_hex;
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::rfc3339::time_text;
use crate::text::{checked_name, decode_plain, push_plain};
use crate::write_options::WriteOptions;

pub(crate) const SPEC: Spec = Spec {
    name: "sfv",
    shape: "name CRC32",
    detected_by: "the extension .sfv, or only names that end with a space and eight hexadecimal digits",
    // A line alone may be prose that ends with a date.
    recognizes: |_| false,
    renderer: Some(renderer),
    ..Spec::read_by(parser)
};

/// The name and the digits of a line.
fn cut(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let space = memrchr(b' ', line)?;
    let (name, digits) = (line[..space].trim_ascii_end(), &line[space + 1..]);
    (digits.len() == 8 && is_hex(digits) && !name.is_empty()).then_some((name, digits))
}

/// Whether a comment of other formats would be an entry here.
pub(crate) fn is_entry(line: &[u8]) -> bool {
    cut(line).is_some()
}

/// Whether a line ends with a checksum, or with what is left of one.
fn ends_in_digits(line: &[u8]) -> bool {
    let mut words = line.trim_ascii_end().rsplit(|&byte| byte == b' ');
    words.next().is_some_and(|word| word.len() >= 4 && word.iter().all(u8::is_ascii_hexdigit))
}

/// The name on a line that ends with what is left of a checksum.
fn name_before_digits(line: &[u8]) -> Option<ItemPath> {
    let line = line.trim_ascii_end();
    let name = line[..memrchr(b' ', line)?].trim_ascii_end();
    checked_name(name).ok().filter(|_| ends_in_digits(line))
}

fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&b';')
}

/// Whether these are nothing but lines of this format and comments, one of the former at least, and no line is another's.
pub(crate) fn is_whole<'a>(lines: impl Iterator<Item = &'a [u8]>, is_others: fn(&[u8]) -> bool) -> bool {
    let mut any = false;
    for line in lines.filter(|line| !line.trim_ascii().is_empty() && !is_comment(line)) {
        if cut(line).is_none() || is_others(line) {
            return false;
        }
        any = true;
    }
    any
}

struct Sfv {
    recorded: Recorded,
    algorithm: [Algorithm; 1],
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    setup.algorithms_listed(std::iter::once(Algorithm::CRC32))?;
    let algorithm = [Algorithm::CRC32];
    // What stands behind the checksum counts for nothing.
    lines.set_ends(LineEnds::Lf);
    let mut sfv = Sfv { recorded: setup.recorded, algorithm };
    while let Some(line) = lines.next() {
        if !line.is_ok_and(|line| is_comment(line.text) && sfv.note(line.text).is_ok()) {
            lines.put_back();
            break;
        }
    }
    Ok(Box::new(sfv))
}

impl Parser for Sfv {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            let result = if line.text.trim_ascii().is_empty() {
                continue;
            } else if is_comment(line.text) {
                let Err(kind) = self.note(line.text) else { continue };
                Err(kind)
            } else {
                self.item(&line)
            };
            return Some(result.map_err(|kind| line.problem(kind).of_file(name_before_digits(line.text))));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithm
    }
}

impl Sfv {
    /// Takes in a comment. One that ends as entries do is one that somebody has taken out.
    fn note(&mut self, comment: &[u8]) -> Result<(), ProblemKind> {
        let before = self.recorded.commented_out;
        self.recorded.note(&comment[1..])?;
        let is_entry = self.recorded.commented_out == before && cut(&comment[1..]).is_some();
        self.recorded.commented_out += u64::from(is_entry);
        Ok(())
    }

    fn item(&self, line: &Line<'_>) -> Result<Item, ProblemKind> {
        let (name, digits) = cut(line.text)
            .ok_or(ProblemKind::NotALine { expected: "a name, a space, eight hexadecimal digits" })?;
        let digest = decode_plain(self.algorithm[0], digits)?;
        Ok(Item::of_digest(line.number, checked_name(name)?, digest))
    }
}

struct Names;

fn renderer(algorithms: &[Algorithm], _: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    match algorithms {
        [only] if *only == Algorithm::CRC32 => Ok(Box::new(Names)),
        [other, ..] => {
            Err(Error::OnlyOneKind { format: Format(&SPEC), only: Algorithm::CRC32, algorithm: *other })
        }
        [] => Err(Error::NoAlgorithm),
    }
}

impl Renderer for Names {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(header) = header {
            push_comment(text, "; hashlane program: ", header.program.as_bytes(), b'\n');
            if let Some(started) = header.started {
                push_comment(text, "; hashlane started: ", &time_text(started), b'\n');
            }
            if let Some(shard) = &header.shard {
                push_comment(text, "; hashlane shard: ", shard.to_string().as_bytes(), b'\n');
            }
            for root in &header.roots {
                push_comment(text, "; hashlane root: ", root.as_bytes(), b'\n');
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        let format = Format(&SPEC);
        entry.must_be_read(format)?;
        let name = entry.path.as_bytes();
        let refused = if name.contains(&b'\n') {
            Some("with a newline")
        } else if matches!(name, [b';' | b'#', ..]) {
            Some("that begins like a comment")
        } else if name.first() == Some(&0xef) && name.starts_with(b"\xef\xbb\xbf")
            || matches!(name, [0xfe | 0xff, ..])
        {
            Some("that begins like a byte order mark")
        } else if name.last().is_some_and(u8::is_ascii_whitespace) {
            Some("that ends with white space")
        } else {
            None
        };
        if let Some(why) = refused {
            return Err(format.name_not_held(entry.path, why));
        }
        text.extend_from_slice(name);
        text.push(b' ');
        let start = text.len();
        push_plain(text, entry.needed_digest(Algorithm::CRC32, format)?);
        text[start..].make_ascii_uppercase();
        text.push(b'\n');
        Ok(())
    }
}
