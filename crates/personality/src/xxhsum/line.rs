//! Names and lines of lists, as the original writes and understands them.

use std::borrow::Cow;

use super::kind::XxhAlgorithm;
use crate::lines;

/// What a line lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CheckLine {
    pub(super) name: Vec<u8>,
    pub(super) kind: XxhAlgorithm,
    pub(super) digest: Vec<u8>,
}

/// What stands at the beginning of a line with a name that takes several, and the name as it stands there.
pub(super) fn shown(name: &[u8]) -> (&'static [u8], Cow<'_, [u8]>) {
    if !name.iter().any(|byte| b"\\\n\r".contains(byte)) {
        return (b"", name.into());
    }
    let mut text = Vec::with_capacity(name.len() + 8);
    for &byte in name {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\\' => text.extend(b"\\\\"),
            byte => text.push(byte),
        }
    }
    (b"\\", text.into())
}

/// The name on a line of names, its escapes undone. No file has a NUL in its name.
pub(super) fn name(line: &[u8]) -> Option<Vec<u8>> {
    let (is_escaped, line) = unmarked(line);
    plain(line, is_escaped)
}

impl CheckLine {
    /// What a line lists, its newline taken off; digests without tags are in the given order of bytes.
    pub(super) fn parse(line: &[u8], is_little_endian: bool, accepted: Option<XxhAlgorithm>) -> Option<Self> {
        let (is_escaped, line) = unmarked(line);
        let blank = line.iter().position(|&byte| byte == b' ')?;
        let (kind, hex, name, is_little_endian) = if *line.get(blank + 1)? == b'(' {
            let last = line.iter().rposition(|&byte| byte == b' ')?;
            if last < blank + 5 || !line[..last].ends_with(b") =") {
                return None;
            }
            let tag = &line[..blank];
            let is_little_endian = tag.windows(3).any(|letters| letters == b"_LE");
            (tagged(tag), &line[last + 1..], &line[blank + 2..last - 3], is_little_endian)
        } else {
            // Between digest and name stand a blank and any other byte.
            let hex = &line[..blank];
            (of_length(hex.len())?, hex, &line[blank + 2..], is_little_endian)
        };
        if accepted.is_some_and(|accepted| accepted != kind) {
            return None;
        }
        let hex = hex.strip_prefix(kind.prefix()).unwrap_or(hex);
        if hex.len() != 2 * kind.length() {
            return None;
        }
        let mut digest = data_encoding::HEXLOWER_PERMISSIVE.decode(hex).ok()?;
        if is_little_endian {
            digest.reverse();
        }
        Some(Self { name: plain(name, is_escaped)?, kind, digest })
    }
}

/// The variant of a tag. What is behind its name does not matter, and an unknown one stands for the variant that
/// is usual.
fn tagged(tag: &[u8]) -> XxhAlgorithm {
    let kinds = [XxhAlgorithm::Xxh128, XxhAlgorithm::Xxh64, XxhAlgorithm::Xxh32, XxhAlgorithm::Xxh3];
    kinds.into_iter().find(|kind| tag.starts_with(kind.tag().as_bytes())).unwrap_or(XxhAlgorithm::Xxh64)
}

/// The variant whose digest is so long, with what stands before it.
fn of_length(length: usize) -> Option<XxhAlgorithm> {
    let kinds = [XxhAlgorithm::Xxh32, XxhAlgorithm::Xxh64, XxhAlgorithm::Xxh128, XxhAlgorithm::Xxh3];
    kinds.into_iter().find(|kind| kind.prefix().len() + 2 * kind.length() == length)
}

/// Whether a line has the mark of escaped names, and the line without it.
fn unmarked(line: &[u8]) -> (bool, &[u8]) {
    let first = line.iter().find(|byte| !b" \t".contains(byte));
    // Blanks may stand before the mark, but then a blank is taken off: such a line is not understood.
    if first == Some(&b'\\') { (true, &line[1..]) } else { (false, line) }
}

/// A name, its escapes undone.
fn plain(name: &[u8], is_escaped: bool) -> Option<Vec<u8>> {
    if name.contains(&0) {
        return None;
    }
    if is_escaped { lines::unescaped(name) } else { Some(name.to_vec()) }
}
