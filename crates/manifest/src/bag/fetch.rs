//! `fetch.txt`: files of the payload that are elsewhere.

use std::io::Read;

use super::path::{Outside, confined, decode};
use super::text::tag_text;
use super::{Encoding, Version};
use crate::lines::{LineEnds, Lines};
use crate::problem::{ProblemKind, excerpt};

/// A file that may have to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchItem {
    /// Number of the line, from 1.
    pub line: u64,
    /// Where it is, as it stands there.
    pub url: Vec<u8>,
    /// Its size in bytes, unless `-` stands there.
    pub size: Option<u64>,
    /// Its place in the bag.
    pub path: Vec<u8>,
}

/// What is wrong with a line of `fetch.txt`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// It has another form.
    #[error("\"{0}\" is not a line of the form URL SIZE PATH")]
    Form(String),
    /// What should be a URL is none.
    #[error("\"{0}\" is not an absolute URL")]
    Url(String),
    /// The size is neither a number nor `-`.
    #[error("the size \"{0}\" is neither a number nor -")]
    Size(String),
    /// The path leads out of the bag.
    #[error("{reason}: {path}")]
    Outside {
        /// The path, escaped.
        path: String,
        /// How.
        reason: Outside,
    },
    /// The path is not one of the payload.
    #[error("{0} is not in data/; only files of the payload are fetched")]
    NotPayload(String),
    /// The line could not be read.
    #[error("{0}")]
    Line(ProblemKind),
}

/// Reads `fetch.txt` line by line, in bounded memory.
#[derive(Debug)]
pub struct Fetch<'a> {
    lines: Lines<'a>,
    version: Version,
    ended: bool,
}

impl<'a> Fetch<'a> {
    /// Begins to read.
    ///
    /// # Errors
    /// The input fails.
    pub fn open(input: impl Read + Send + 'a, encoding: Encoding, version: Version) -> std::io::Result<Self> {
        let lines = Lines::new(tag_text(input, encoding)?, LineEnds::Lf);
        Ok(Self { lines, version, ended: false })
    }
}

impl Iterator for Fetch<'_> {
    type Item = Result<FetchItem, (u64, FetchError)>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(problem) => {
                    self.ended = matches!(problem.kind, ProblemKind::Input(_));
                    return Some(Err((problem.line, FetchError::Line(problem.kind))));
                }
            };
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            let item = item(line.text, self.version).map(|item| FetchItem { line: line.number, ..item });
            return Some(item.map_err(|error| (line.number, error)));
        }
        None
    }
}

fn item(text: &[u8], version: Version) -> Result<FetchItem, FetchError> {
    let form = || FetchError::Form(excerpt(text));
    let (url, rest) = word(text).ok_or_else(form)?;
    let (size, path) = word(rest).ok_or_else(form)?;
    if path.is_empty() {
        return Err(form());
    }
    if !is_absolute_url(url) {
        return Err(FetchError::Url(excerpt(url)));
    }
    let size = match size {
        b"-" => None,
        digits => Some(number(digits).ok_or_else(|| FetchError::Size(excerpt(digits)))?),
    };
    let path = confined(&decode(path, version))
        .map_err(|reason| FetchError::Outside { path: excerpt(path), reason })?;
    if !path.starts_with(b"data/") {
        return Err(FetchError::NotPayload(excerpt(&path)));
    }
    Ok(FetchItem { line: 0, url: url.to_vec(), size, path })
}

/// The first word of a text, and what follows the spaces behind it.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
    Some((&text[..end], text[end..].trim_ascii_start()))
}

fn number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Whether a text begins with a scheme and goes on; what begins with `//` has to name a host, but for
/// `file:`.
fn is_absolute_url(url: &[u8]) -> bool {
    let Some(colon) = url.iter().position(|&byte| byte == b':') else { return false };
    let (scheme, rest) = (&url[..colon], &url[colon + 1..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let of_hosts = [&b"http"[..], b"https", b"ftp", b"ftps", b"sftp", b"s3"];
    let needs_host = of_hosts.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let host = rest.strip_prefix(b"//").map(|rest| rest.split(|byte| b"/?#".contains(byte)).next());
    let has_host = host.flatten().is_some_and(|host| !host.is_empty());
    is_scheme && !rest.is_empty() && (has_host || !needs_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<FetchItem, String> {
        let mut fetch = Fetch::open(text.as_bytes(), Encoding::Utf8, Version::CURRENT).unwrap();
        let item = fetch.next().unwrap().map_err(|(line, error)| format!("{line}: {error}"));
        assert!(fetch.next().is_none());
        item
    }

    #[test]
    fn a_line_is_a_url_a_size_and_a_path() {
        let item = one("https://example.org/a%20b\t12  data/a b%0Ac\r\n").unwrap();
        assert_eq!((item.size, &item.path[..]), (Some(12), &b"data/a b\nc"[..]));
        assert_eq!(one("file:///x - ./data/a").unwrap().path, b"data/a");
        assert_eq!(one("urn:isbn:1 - data/a").unwrap().size, None);
        for (bad, why) in [
            ("https://e.org/a - ", "form"),
            ("https://e.org/a", "form"),
            ("nothing - data/a", "URL"),
            ("http: - data/a", "URL"),
            ("http:///a - data/a", "URL"),
            ("https://e.org/a x data/a", "size"),
            ("https://e.org/a -1 data/a", "size"),
            ("https://e.org/a 99999999999999999999 data/a", "size"),
            ("https://e.org/a - ../a", ".."),
            ("https://e.org/a - /tmp/a", "absolute"),
            ("https://e.org/a - ~root/a", "~"),
            ("https://e.org/a - bagit.txt", "payload"),
        ] {
            let error = one(bad).unwrap_err();
            assert!(error.starts_with("1: ") && error.contains(why), "{bad}: {error}");
        }
    }
}
