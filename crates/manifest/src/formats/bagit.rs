//! `HEX  path`: a manifest of a bag (RFC 8493), with line ends and percent signs of names percent-encoded.
//!
//! It looks as gnu does, and means other names by some lines: it is known by its own name. What a bag is
//! besides its manifests stands in [`crate::bag`].

use hashlane_digest::Algorithm;
use hashlane_record::ItemPath;

use super::EachLine;
use crate::bag::{Version, cut, decode, manifest_algorithm, push_line};
use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::{Header, push_comments};
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::problem::ProblemKind;
use crate::shape::plain_bytes;
use crate::text::{checked_name, decode_plain};
use crate::write_options::WriteOptions;

pub(crate) const SPEC: Spec = Spec {
    name: "bagit",
    shape: "HEX  path, with %0A, %0D and %25",
    detected_by: "the name: manifest-ALGORITHM.txt and paths in data/, tagmanifest-ALGORITHM.txt, *.bagit",
    untold: true,
    // A line alone is one of gnu.
    recognizes: |_| false,
    renderer: Some(renderer),
    ..Spec::read_by(parser)
};

const EXPECTED: &str = "HEX, spaces, PATH";

/// Whether a file is named as a manifest of a bag is, and its lines can be of one.
pub(crate) fn is_manifest<'a>(file_name: &[u8], lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let base = file_name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let of_tags = match manifest_algorithm(base) {
        // Any list may be called manifest-2024.txt.
        Some((name, _)) if std::str::from_utf8(name).ok().and_then(Algorithm::named).is_none() => {
            return false;
        }
        Some((_, of_tags)) => of_tags,
        None if base.ends_with(b".bagit") => true,
        None => return false,
    };
    let mut any = false;
    for line in lines.filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#")) {
        let Some((digest, path, _)) = cut(line) else { return false };
        let path = path.strip_prefix(b"./").unwrap_or(path);
        if plain_bytes(digest).is_none() || !(of_tags || path.starts_with(b"data/")) {
            return false;
        }
        any = true;
    }
    any
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let algorithm = match setup.named() {
        Some(algorithm) => algorithm,
        None => setup.untold.algorithm_of_length(first_length(lines.window()?))?,
    };
    let read = move |line: &Line<'_>| item(line, algorithm);
    let name = |line: &[u8]| cut(line).and_then(|(_, path, _)| path_of(path).ok());
    let (recorded, algorithm) = (setup.recorded, Some(algorithm));
    Ok(Box::new(EachLine { recorded, algorithm, passes_blanks: true, read, name }))
}

/// The length of the first digest, in bytes.
fn first_length(window: &[u8]) -> usize {
    let digests = window.split(|&byte| byte == b'\n').filter_map(cut).map(|(digest, ..)| digest);
    digests.filter_map(plain_bytes).next().unwrap_or(0)
}

fn item(line: &Line<'_>, algorithm: Algorithm) -> Result<Item, ProblemKind> {
    // Some programs mix line ends; a name has its CR encoded.
    let text = line.text.strip_suffix(b"\r").unwrap_or(line.text);
    let (digits, path, _) = cut(text).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
    Ok(Item::of_digest(line.number, path_of(path)?, decode_plain(algorithm, digits)?))
}

fn path_of(path: &[u8]) -> Result<ItemPath, ProblemKind> {
    checked_name(&decode(path, Version::CURRENT))
}

struct Lister {
    algorithm: Algorithm,
}

fn renderer(algorithms: &[Algorithm], _: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    Ok(Box::new(Lister { algorithm: Format(&SPEC).only_algorithm(algorithms)? }))
}

impl Renderer for Lister {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        push_comments(text, header, Some(self.algorithm), b'\n');
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        let format = Format(&SPEC);
        entry.must_be_read(format)?;
        let digest = entry.needed_digest(self.algorithm, format)?;
        let name = entry.path.as_bytes();
        if name.starts_with(b"*") || name.starts_with(b" ") || name.starts_with(b"\t") {
            return Err(format.name_not_held(entry.path, "that begins with a space or an asterisk"));
        }
        if !push_line(text, digest, name, Version::CURRENT) {
            return Err(format.name_not_held(entry.path, "that is not UTF-8"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Reader, Writer};

    #[test]
    fn names_with_line_ends_and_percent_signs_come_back() {
        let sha256 = Algorithm::SHA256;
        let names = ["data/a\nb\r%0A%", "data/*x ", "data/\u{e9}\\"];
        let mut writer = Writer::new(Format(&SPEC), &[sha256], &WriteOptions::default(), Vec::new()).unwrap();
        for name in names {
            let item = Item::of_digest(1, name.into(), sha256.digest(name.as_bytes()));
            writer.item(&item).unwrap();
        }
        for refused in [&b"*x"[..], b" x", b"data/\xff"] {
            let item = Item::of_digest(1, refused.into(), sha256.digest(b""));
            assert!(matches!(writer.item(&item), Err(Error::NameNotHeld { .. })));
        }
        let text = writer.finish().unwrap();
        assert!(text.windows(21).any(|part| part == b"data/a%0Ab%0D%250A%25"));
        let options = ReadOptions { file_name: Some(b"bag/manifest-sha256.txt"), ..ReadOptions::default() };
        let reader = Reader::open(&text[..], &options).unwrap();
        assert_eq!(reader.format().name(), "bagit");
        let read: Vec<_> = reader.map(|item| item.unwrap().path).collect();
        assert_eq!(read, names.map(Into::into));
    }

    #[test]
    fn only_a_file_that_is_named_so_is_a_manifest_of_a_bag() {
        let hex = "d41d8cd98f00b204e9800998ecf8427e";
        let is = |name: &str, text: &str| {
            is_manifest(name.as_bytes(), text.as_bytes().split(|&byte| byte == b'\n'))
        };
        assert!(is("x/manifest-md5.txt", &format!("{hex} *./data/a\n")));
        assert!(is("tagmanifest-md5.txt", &format!("{hex}  bagit.txt\n")));
        assert!(!is("manifest-md5.txt", &format!("{hex}  photos/a\n")));
        assert!(!is("manifest-md5.txt", &format!("{hex}  data/a\n\\{hex}  data/b\\\\\n")));
        assert!(is("list.bagit", &format!("{hex}  photos/a\n")));
        assert!(!is("MD5SUMS", &format!("{hex}  data/a\n")));
        assert!(!is("manifest-md5.txt", "\n"));
    }
}
