//! `bag-info.txt`: what people want to know of a bag, and the octetstream sum.

use std::fmt;

use super::Version;
use crate::problem::excerpt;

/// What `bag-info.txt` says, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Labels and values; a value that was continued has a newline at each place where it was.
    pub elements: Vec<(String, String)>,
    /// What is wrong, by the number of the line, from 1.
    pub problems: Vec<(u64, InfoProblem)>,
}

/// What is wrong with a line of `bag-info.txt`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InfoProblem {
    /// It is neither an element nor the continuation of one.
    #[error("\"{0}\" is not a line of the form `LABEL: VALUE`")]
    NoElement(String),
    /// The bytes are not of the encoding.
    #[error("it is not in the encoding that bagit.txt declares")]
    Encoding,
    /// Spaces stand where a bag of 1.0 has one, or none.
    #[error("the label \"{0}\" is not followed by a colon and exactly one space")]
    Spaces(String),
    /// The octetstream sum is malformed.
    #[error("Payload-Oxum \"{0}\" is not of the form BYTES.FILES")]
    Oxum(String),
    /// There are two octetstream sums.
    #[error("Payload-Oxum occurs more than once")]
    Oxums,
    /// An element that should be there once.
    #[error("{0} occurs more than once")]
    Repeated(&'static str),
}

/// How many bytes a payload has in how many files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oxum {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
}

impl InfoProblem {
    /// Whether a bag with it is not valid; otherwise it is a blemish.
    pub fn is_error(&self) -> bool {
        !matches!(self, Self::Spaces(_) | Self::Repeated(_))
    }
}

impl Info {
    /// Reads `bag-info.txt`, decoded and with newlines.
    pub fn parse(text: &[u8], version: Version) -> Self {
        let mut info = Self::default();
        let text = match std::str::from_utf8(text) {
            Ok(text) => text.into(),
            Err(error) => {
                let before = &text[..error.valid_up_to()];
                let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
                info.problems.push((line, InfoProblem::Encoding));
                String::from_utf8_lossy(text)
            }
        };
        let mut oxum_line = 1;
        for (line, number) in text.lines().zip(1..) {
            if line.trim().is_empty() {
                continue;
            }
            if let (true, Some((_, value))) = (line.starts_with([' ', '\t']), info.elements.last_mut()) {
                value.push('\n');
                value.push_str(line.trim());
                continue;
            }
            let Some((label, value)) = line.split_once(':').filter(|(label, _)| !label.trim().is_empty())
            else {
                info.problems.push((number, InfoProblem::NoElement(excerpt(line.as_bytes()))));
                continue;
            };
            let spaced = value.strip_prefix([' ', '\t']).unwrap_or(value);
            let is_plain = label.trim() == label
                && !spaced.starts_with([' ', '\t'])
                && (value.is_empty() || spaced.len() < value.len());
            if version.is_strict() && !is_plain {
                info.problems.push((number, InfoProblem::Spaces(excerpt(label.trim().as_bytes()))));
            }
            if label.trim().eq_ignore_ascii_case("Payload-Oxum") {
                oxum_line = number;
            }
            info.elements.push((label.trim().to_owned(), value.trim().to_owned()));
        }
        info.judge(oxum_line);
        info
    }

    /// The values of an element, in their order. Case does not matter.
    pub fn values<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.elements.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(label));
        named.map(|(_, value)| value.as_str())
    }

    /// The octetstream sum, if there is one that can be understood.
    pub fn oxum(&self) -> Option<Oxum> {
        self.values("Payload-Oxum").next().and_then(Oxum::parse)
    }

    fn judge(&mut self, oxum_line: u64) {
        let oxums: Vec<_> = self.values("Payload-Oxum").map(str::to_owned).collect();
        let malformed = oxums.iter().filter(|text| Oxum::parse(text).is_none());
        let mut found: Vec<_> =
            malformed.map(|text| (oxum_line, InfoProblem::Oxum(excerpt(text.as_bytes())))).collect();
        if oxums.len() > 1 {
            found.push((oxum_line, InfoProblem::Oxums));
        }
        for once in ["Bagging-Date", "Bag-Size", "Bag-Group-Identifier", "Bag-Count"] {
            if self.values(once).count() > 1 {
                found.push((1, InfoProblem::Repeated(once)));
            }
        }
        self.problems.extend(found);
    }

    /// The text of the elements, a line for each.
    pub fn text(&self) -> String {
        self.elements.iter().map(|(label, value)| format!("{label}: {value}\n")).collect()
    }
}

impl Oxum {
    /// The sum of a text such as `279164409832.1198`.
    pub fn parse(text: &str) -> Option<Self> {
        let (bytes, files) = text.split_once('.')?;
        let number = |digits: &str| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { digits.parse().ok() } else { None }
        };
        Some(Self { bytes: number(bytes)?, files: number(files)? })
    }
}

impl fmt::Display for Oxum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.bytes, self.files)
    }
}

/// Whether a label can be written; if not, why.
///
/// # Errors
/// What is in the way.
pub fn check_label(label: &str) -> Result<(), &'static str> {
    match label {
        "" => Err("is empty"),
        label if label.trim() != label => Err("begins or ends with a space"),
        label if label.contains([':', '\n', '\r']) => Err("contains a colon or a line end"),
        label if label.contains(char::is_control) => Err("contains a control character"),
        _ => Ok(()),
    }
}

/// Whether a value can be written on one line; if not, why.
///
/// # Errors
/// What is in the way.
pub fn check_value(value: &str) -> Result<(), &'static str> {
    match value {
        value if value.contains(['\n', '\r']) => Err("contains a line end"),
        value if value.trim() != value => Err("begins or ends with a space"),
        value if value.contains('\0') => Err("contains a NUL"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Version = Version { major: 0, minor: 97 };

    #[test]
    fn elements_are_read_with_their_continuations() {
        let text = b"Contact-Name: Ada\nLong: one\n   two\n\tthree\n\nEmpty:\ncontact-name: Bob\n";
        let info = Info::parse(text, Version::CURRENT);
        assert!(info.problems.is_empty(), "{:?}", info.problems);
        assert_eq!(info.values("CONTACT-NAME").collect::<Vec<_>>(), ["Ada", "Bob"]);
        assert_eq!(info.values("Long").collect::<Vec<_>>(), ["one\ntwo\nthree"]);
        assert_eq!(info.values("Empty").collect::<Vec<_>>(), [""]);
        assert_eq!(info.oxum(), None);
    }

    #[test]
    fn spaces_matter_since_1_0() {
        let text = b"Test-Tag : 1\nTest-Tag:   2\nTest-Tag:3\nTest-Tag:\t4\n";
        let problems = |version| Info::parse(text, version).problems.len();
        assert_eq!((problems(OLD), problems(Version::CURRENT)), (0, 3));
        assert_eq!(Info::parse(text, OLD).values("test-tag").collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    }

    #[test]
    fn what_cannot_be_understood_is_said_with_its_line() {
        let problems = |text: &[u8]| Info::parse(text, OLD).problems;
        assert!(matches!(problems(b"A: b\nnothing\n")[..], [(2, InfoProblem::NoElement(_))]));
        assert!(matches!(problems(b"  folded\n")[..], [(1, InfoProblem::NoElement(_))]));
        assert!(matches!(problems(b": x\n")[..], [(1, InfoProblem::NoElement(_))]));
        assert!(matches!(problems(b"A: b\nC: \xff\n")[..], [(2, InfoProblem::Encoding)]));
        for bad in ["", "1", "1.2.3", "-1.2", "1.x", "99999999999999999999.1", "+1.1"] {
            let found = problems(format!("A: b\nPayload-Oxum: {bad}\n").as_bytes());
            assert!(matches!(found[..], [(2, InfoProblem::Oxum(_))]), "{bad}: {found:?}");
        }
        assert_eq!(problems(b"Payload-Oxum: 1.1\npayload-oxum: 1.1\n"), [(2, InfoProblem::Oxums)]);
        assert_eq!(Info::parse(b"Payload-Oxum: 12.3", OLD).oxum(), Some(Oxum { bytes: 12, files: 3 }));
    }

    #[test]
    fn labels_and_values_that_break_a_line_are_refused() {
        assert!(check_label("Contact Name").is_ok() && check_value("").is_ok());
        for bad in ["", " a", "a:b", "a\nb", "a\tb"] {
            assert!(check_label(bad).is_err(), "{bad:?}");
        }
        assert!(check_value("a\rb").is_err() && check_value("a ").is_err());
    }
}
