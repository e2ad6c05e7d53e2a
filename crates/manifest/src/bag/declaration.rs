//! `bagit.txt`: which version a bag is of, and how its other tag files are encoded.

use std::fmt;

use super::Encoding;
use super::text::decoded_text;
use crate::problem::excerpt;

/// The version of a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// What stands before the dot.
    pub major: u32,
    /// What stands behind it.
    pub minor: u32,
}

/// What `bagit.txt` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The version.
    pub version: Version,
    /// The encoding of the other tag files.
    pub encoding: Encoding,
    /// What an older version lets pass and 1.0 does not, in words.
    pub lax: Vec<String>,
}

/// Why a `bagit.txt` declares nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeclarationError {
    /// It begins with a byte order mark.
    #[error("must not begin with a byte order mark; remove the first three bytes")]
    Mark,
    /// It is not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
    /// A line does not have the form that it must have.
    #[error("line {line} is \"{found}\"; expected `{expected}`")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What stands there, escaped.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// A line is missing.
    #[error("has no line `{expected}`")]
    Missing {
        /// What should stand there.
        expected: &'static str,
    },
    /// There is more than two lines.
    #[error("has more than its two lines: line {line} is \"{found}\"")]
    Surplus {
        /// Number of the line, from 1.
        line: usize,
        /// What stands there, escaped.
        found: String,
    },
    /// The version is none that is known.
    #[error("is of version {found}; versions 0.93 to 0.97 and 1.0 can be read")]
    Version {
        /// What stands there, escaped.
        found: String,
    },
    /// The encoding is none that can be read.
    #[error(
        "the encoding {found} cannot be read, but UTF-8, US-ASCII, ISO-8859-1 and UTF-16 can; \
         convert the tag files"
    )]
    Encoding {
        /// What stands there, escaped.
        found: String,
    },
}

const VERSION_LINE: &str = "BagIt-Version: M.N";
const ENCODING_LINE: &str = "Tag-File-Character-Encoding: ENCODING";

impl Version {
    /// The version of RFC 8493.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };

    /// The version of a text such as `1.0`, if it is one that can be read.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
        if !digits(major) || !digits(minor) {
            return None;
        }
        let version = Self { major: major.parse().ok()?, minor: minor.parse().ok()? };
        matches!((version.major, version.minor), (0, 93..=97) | (1, 0)).then_some(version)
    }

    /// Whether what RFC 8493 demands is demanded: before 1.0 some of it was a custom.
    pub fn is_strict(self) -> bool {
        self >= Self::CURRENT
    }

    /// Whether a percent sign in a path is written as `%25`.
    pub(super) fn encodes_percent(self) -> bool {
        self >= Self::CURRENT
    }

    /// The file with the metadata: it had another name before 0.96.
    pub fn info_name(self) -> &'static str {
        if self < (Self { major: 0, minor: 96 }) { "package-info.txt" } else { "bag-info.txt" }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Declaration {
    /// Reads `bagit.txt`.
    ///
    /// # Errors
    /// Whatever is not as the version that it declares wants it.
    pub fn parse(bytes: &[u8]) -> Result<Self, DeclarationError> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(DeclarationError::Mark);
        }
        let text = decoded_text(bytes, Encoding::Utf8).map_err(|_| DeclarationError::NotUtf8)?;
        let text = String::from_utf8(text).map_err(|_| DeclarationError::NotUtf8)?;
        let mut lax = Vec::new();
        let lines: Vec<_> = text.lines().zip(1..).collect();
        let filled: Vec<_> = lines.iter().copied().filter(|(line, _)| !line.trim().is_empty()).collect();
        if filled.len() != lines.len() {
            lax.push("has blank lines".to_owned());
        }
        let version_text = element(filled.first(), "BagIt-Version", VERSION_LINE, &mut lax)?;
        let version = Version::parse(version_text)
            .ok_or_else(|| DeclarationError::Version { found: excerpt(version_text.as_bytes()) })?;
        let encoding = element(filled.get(1), "Tag-File-Character-Encoding", ENCODING_LINE, &mut lax)?;
        let encoding = Encoding::named(encoding)
            .ok_or_else(|| DeclarationError::Encoding { found: excerpt(encoding.as_bytes()) })?;
        // Every version has two: what follows may be what is left of other lines.
        if let Some((line, number)) = filled.get(2) {
            return Err(DeclarationError::Surplus { line: *number, found: excerpt(line.as_bytes()) });
        }
        if version.is_strict() {
            for (found, expected) in filled.iter().zip([VERSION_LINE, ENCODING_LINE]) {
                must_be_exact(found, expected)?;
            }
        }
        Ok(Self { version, encoding, lax })
    }

    /// The text of a `bagit.txt` of this version, with UTF-8.
    pub fn text(version: Version) -> String {
        format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n")
    }
}

/// The value of a line, whatever space stands around it.
fn element<'a>(
    line: Option<&(&'a str, usize)>,
    label: &str,
    expected: &'static str,
    lax: &mut Vec<String>,
) -> Result<&'a str, DeclarationError> {
    let &(text, line) = line.ok_or(DeclarationError::Missing { expected })?;
    let wrong = || DeclarationError::Line { line, found: excerpt(text.as_bytes()), expected };
    let (found, value) = text.split_once(':').ok_or_else(wrong)?;
    if found.trim() != label || value.trim().is_empty() {
        return Err(wrong());
    }
    if text != format!("{label}: {}", value.trim()) {
        lax.push(format!("line {line} has spaces unlike `{expected}`"));
    }
    Ok(value.trim())
}

/// In a bag of 1.0 there is one space behind the colon and no other.
fn must_be_exact(&(text, line): &(&str, usize), expected: &'static str) -> Result<(), DeclarationError> {
    let is_exact = text.split_once(": ").is_some_and(|(label, value)| {
        !label.contains(char::is_whitespace) && !value.contains(char::is_whitespace)
    });
    if is_exact {
        return Ok(());
    }
    Err(DeclarationError::Line { line, found: excerpt(text.as_bytes()), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_two_lines_and_nothing_else() {
        let good = Declaration::parse(Declaration::text(Version::CURRENT).as_bytes()).unwrap();
        assert_eq!((good.version, good.encoding), (Version::CURRENT, Encoding::Utf8));
        assert!(good.lax.is_empty());
        for bad in [
            "",
            "BagIt-Version: 1.0\n",
            "\u{feff}BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
            "Tag-File-Character-Encoding: UTF-8\nBagIt-Version: 1.0\n",
            "BagIt-Version : 1.0\nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version:  1.0\nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version: 1.0 \nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\nMore: x\n",
            "BagIt-Version: .97\nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version: 0.97\nTag-File-Character-Encoding: EBCDIC-US\n",
            "BagIt-Version: 0.93\nTag-File-Character-Encoding: UTF-8\nMore: x\n",
            "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n\ngarbage",
            "BagIt-Version: 99999999999.0\nTag-File-Character-Encoding: UTF-8\n",
        ] {
            assert!(Declaration::parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
        assert_eq!(Declaration::parse(b"BagIt-Version: \xff"), Err(DeclarationError::NotUtf8));
    }

    #[test]
    fn an_older_bag_may_have_other_spaces_and_it_is_said() {
        let text = "BagIt-Version :  0.96\r\n\r\nTag-File-Character-Encoding: ISO-8859-1\r\n\r\n";
        let old = Declaration::parse(text.as_bytes()).unwrap();
        assert_eq!((old.version, old.encoding), (Version { major: 0, minor: 96 }, Encoding::Latin1));
        assert_eq!(old.lax.len(), 2, "{:?}", old.lax);
        assert_eq!(old.version.info_name(), "bag-info.txt");
        assert_eq!(Version::parse("0.95").unwrap().info_name(), "package-info.txt");
    }
}
