//! The lines of a bag's manifest: `HEX  path`.

use std::io::Read;

use hashlane_digest::{Algorithm, Digest};

use super::path::encode;
use super::text::tag_text;
use super::{Encoding, Version};
use crate::lines::{LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::text::decode_plain;

const EXPECTED: &str = "HEX, spaces, PATH";

/// A line of a manifest: the path is as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestLine {
    /// Number of the line, from 1.
    pub line: u64,
    /// The digest.
    pub digest: Digest,
    /// The path, not decoded and without the asterisk.
    pub path: Vec<u8>,
    /// Whether an asterisk stood before the path, as md5sum writes it.
    pub starred: bool,
}

/// Reads a manifest line by line, in bounded memory. Blank lines and those that begin with `#` are passed
/// over.
#[derive(Debug)]
pub struct Entries<'a> {
    lines: Lines<'a>,
    algorithm: Algorithm,
    ended: bool,
}

impl<'a> Entries<'a> {
    /// Begins to read a manifest.
    ///
    /// # Errors
    /// The input fails.
    pub fn open(
        input: impl Read + Send + 'a,
        encoding: Encoding,
        algorithm: Algorithm,
    ) -> std::io::Result<Self> {
        let lines = Lines::new(tag_text(input, encoding)?, LineEnds::Lf);
        Ok(Self { lines, algorithm, ended: false })
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<ManifestLine, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(problem) => {
                    self.ended = matches!(problem.kind, ProblemKind::Input(_));
                    return Some(Err(problem));
                }
            };
            if line.text.trim_ascii().is_empty() || line.text.starts_with(b"#") {
                continue;
            }
            let entry = entry(line.text, self.algorithm);
            let number = line.number;
            return Some(match entry {
                Ok((digest, path, starred)) => Ok(ManifestLine { line: number, digest, path, starred }),
                Err(kind) => Err(line.problem(kind)),
            });
        }
        None
    }
}

fn entry(text: &[u8], algorithm: Algorithm) -> Result<(Digest, Vec<u8>, bool), ProblemKind> {
    let (digits, path, starred) = cut(text).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
    let digest = decode_plain(algorithm, digits)?;
    if memchr::memchr(0, path).is_some() {
        return Err(ProblemKind::NulInName);
    }
    if std::str::from_utf8(path).is_err() {
        return Err(ProblemKind::NotUtf8);
    }
    Ok((digest, path.to_vec(), starred))
}

/// The digest and the path of a line, and whether an asterisk stood before the path. What follows the path
/// belongs to it.
pub(crate) fn cut(text: &[u8]) -> Option<(&[u8], &[u8], bool)> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let text = text.trim_ascii_start();
    let space = text.iter().position(is_space)?;
    let rest = &text[space..];
    let path = &rest[rest.iter().position(|byte| !is_space(byte))?..];
    let (path, starred) = path.strip_prefix(b"*").map_or((path, false), |path| (path, true));
    (!path.is_empty()).then_some((&text[..space], path, starred))
}

/// Appends a line of a manifest of this version; false, and nothing, if the name cannot be held.
pub fn push_line(text: &mut Vec<u8>, digest: &Digest, name: &[u8], version: Version) -> bool {
    let Some(path) = encode(name, version) else { return false };
    digest.write_text(text);
    text.extend_from_slice(b"  ");
    text.extend_from_slice(&path);
    text.push(b'\n');
    true
}

/// What stands for an algorithm in the name of a manifest: lower case, without punctuation.
pub fn algorithm_name(algorithm: Algorithm) -> String {
    algorithm.name().chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// What a file is named after if it is a manifest: `sha256` for `manifest-sha256.txt` and
/// `tagmanifest-sha256.txt`, and whether it lists tag files. The name may be of no algorithm.
pub fn manifest_algorithm(file_name: &[u8]) -> Option<(&[u8], bool)> {
    let bare = file_name.strip_suffix(b".txt")?;
    let (name, of_tags) = match bare.strip_prefix(b"tagmanifest-") {
        Some(name) => (name, true),
        None => (bare.strip_prefix(b"manifest-")?, false),
    };
    (!name.is_empty()).then_some((name, of_tags))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<Result<ManifestLine, String>> {
        let md5 = Algorithm::MD5;
        let entries = Entries::open(text, Encoding::Utf8, md5).unwrap();
        entries.map(|entry| entry.map_err(|problem| problem.to_string())).collect()
    }

    #[test]
    fn lines_of_all_programs_are_read() {
        let hex = "d41d8cd98f00b204e9800998ecf8427e";
        let text = format!(
            "{hex}  data/a b \r\n{hex} *data/c\n\n# {hex}\r{hex}\t \tdata/*d%0A\n{}  data/e",
            hex.to_uppercase()
        );
        let paths: Vec<_> = all(text.as_bytes()).into_iter().map(|entry| entry.unwrap()).collect();
        let paths: Vec<_> = paths.iter().map(|entry| (entry.line, &entry.path[..], entry.starred)).collect();
        assert_eq!(
            paths,
            [
                (1, &b"data/a b "[..], false),
                (2, b"data/c", true),
                (5, b"data/*d%0A", false),
                (6, b"data/e", false)
            ]
        );
    }

    #[test]
    fn a_line_that_is_none_is_a_problem_with_its_number() {
        let hex = "d41d8cd98f00b204e9800998ecf8427e";
        for bad in [
            hex.to_owned(),
            format!("{hex}  "),
            format!("{hex} *"),
            format!("{hex}00  data/a"),
            format!("{}g  data/a", &hex[1..]),
            format!("{hex}  data/a\0b"),
        ] {
            let found = all(format!("\n{bad}\n{hex}  data/z\n").as_bytes());
            assert!(found[0].as_ref().unwrap_err().starts_with("line 2: "), "{found:?}");
            assert!(found[1].is_ok());
        }
        let raw = [hex.as_bytes(), b"  data/\xff"].concat();
        assert!(all(&raw)[0].as_ref().unwrap_err().contains("UTF-8"));
    }

    #[test]
    fn names_of_manifests_tell_the_algorithm() {
        assert_eq!(manifest_algorithm(b"manifest-sha512.txt"), Some((&b"sha512"[..], false)));
        assert_eq!(manifest_algorithm(b"tagmanifest-x.txt"), Some((&b"x"[..], true)));
        for other in ["manifest.txt", "manifest-.txt", "manifest-md5", "bag-info.txt", "a-manifest-md5.txt"] {
            assert_eq!(manifest_algorithm(other.as_bytes()), None, "{other}");
        }
        assert_eq!(algorithm_name(Algorithm::SHA3_256), "sha3256");
    }
}
