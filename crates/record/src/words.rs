//! Names and counts for people.

use crate::{Escaped, without_secrets};

/// A name for a message: escaped, without the secrets of a URL, and visible even where it is empty.
pub fn shown_name(name: &[u8]) -> String {
    if name.is_empty() { "\"\"".to_owned() } else { Escaped(&without_secrets(name)).to_string() }
}

/// A count with commas: `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: `1 file`, `2 files`, `2 directories`.
pub fn counted(number: u64, noun: &str) -> String {
    let count = count(number);
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("{count} {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_seen_whatever_it_is() {
        assert_eq!([&b""[..], b"a b", b"\x1b"].map(shown_name), ["\"\"", "a b", "\\x1b"]);
        assert_eq!(shown_name(b"https://h/k?sig=secret"), "https://h/k");
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!((counted(1, "file"), counted(2, "file")), ("1 file".into(), "2 files".into()));
        let plurals = ["directory", "key", "day", "copy"].map(|noun| counted(2, noun));
        assert_eq!(plurals, ["2 directories", "2 keys", "2 days", "2 copies"]);
        assert_eq!(counted(1, "directory"), "1 directory");
    }
}
