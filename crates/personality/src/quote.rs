//! Names in messages, as GNU programs write them: bare where a shell would take them as they are, else quoted for it.

/// Whether messages are in UTF-8, by the variables that say so.
pub(crate) fn is_utf8() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// A name as a shell would take it.
pub(crate) fn name(name: &[u8], utf8: bool) -> Vec<u8> {
    let pieces = pieces(name, utf8);
    let all_shown = pieces.iter().all(|piece| matches!(piece, Piece::Shown(_)));
    let has_quote = name.contains(&b'\'');
    if all_shown && !has_quote && !name.is_empty() && !needs_quotes(name) {
        return name.to_vec();
    }
    if all_shown && has_quote && !name.iter().any(|byte| SPECIAL.contains(byte)) {
        return [b"\"", name, b"\""].concat();
    }
    // An empty word in front, where a name has both: that is how they write it.
    let mut text = if has_quote && !all_shown { b"'''".to_vec() } else { b"'".to_vec() };
    let mut is_escaping = false;
    for piece in pieces {
        match piece {
            Piece::Shown(bytes) => {
                if std::mem::replace(&mut is_escaping, false) {
                    text.extend(b"''");
                }
                for &byte in bytes {
                    match byte {
                        b'\'' => text.extend(b"'\\''"),
                        byte => text.push(byte),
                    }
                }
            }
            Piece::Escaped(bytes) => {
                if !std::mem::replace(&mut is_escaping, true) {
                    text.extend(b"'$'");
                }
                bytes.iter().for_each(|&byte| escape(byte, &mut text));
            }
        }
    }
    text.push(b'\'');
    text
}

/// A value between quotation marks, curly where the locale has them.
pub(crate) fn value(value: &[u8], utf8: bool) -> Vec<u8> {
    let (open, close) = if utf8 { ("\u{2018}", "\u{2019}") } else { ("'", "'") };
    [open.as_bytes(), value, close.as_bytes()].concat()
}

enum Piece<'a> {
    /// Bytes that a terminal shows.
    Shown(&'a [u8]),
    /// Bytes that it does not.
    Escaped(&'a [u8]),
}

/// Splits a name into what can be shown and what cannot.
fn pieces(name: &[u8], utf8: bool) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    if !utf8 {
        let is_shown = |byte: u8| (b' '..=b'~').contains(&byte);
        for run in name.chunk_by(|&left, &right| is_shown(left) == is_shown(right)) {
            pieces.push(if is_shown(run[0]) { Piece::Shown(run) } else { Piece::Escaped(run) });
        }
        return pieces;
    }
    for chunk in name.utf8_chunks() {
        let mut rest = chunk.valid();
        while !rest.is_empty() {
            let first = rest.chars().next().is_some_and(char::is_control);
            let end = rest.find(|letter: char| letter.is_control() != first).unwrap_or(rest.len());
            let (run, others) = rest.split_at(end);
            pieces.push(if first { Piece::Escaped(run.as_bytes()) } else { Piece::Shown(run.as_bytes()) });
            rest = others;
        }
        if !chunk.invalid().is_empty() {
            pieces.push(Piece::Escaped(chunk.invalid()));
        }
    }
    pieces
}

/// What a shell gives a meaning to wherever it stands, and between double quotes too or nearly so.
const SPECIAL: &[u8] = b"!\"$&()*;<=>?[\\^`|";

/// Whether a shell would not take a name as it is. It has no quote in it.
fn needs_quotes(name: &[u8]) -> bool {
    name.iter().any(|byte| *byte == b' ' || SPECIAL.contains(byte))
        || matches!(name.first(), Some(b'#' | b'~'))
        || matches!(name, b"{" | b"}")
}

/// A byte as `$'...'` has it.
fn escape(byte: u8, text: &mut Vec<u8>) {
    let letter = match byte {
        0x07 => b'a',
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            text.extend(format!("\\{byte:03o}").bytes());
            return;
        }
    };
    text.extend([b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(bytes: &[u8], utf8: bool, expected: &str) {
        assert_eq!(String::from_utf8(name(bytes, utf8)).expect("text"), expected, "{}", bytes.escape_ascii());
    }

    /// Recorded from GNU coreutils 9.1.
    #[test]
    fn names_are_quoted_as_gnu_programs_do() {
        for plain in ["nope", "x~", "a{b", "%", ",", "]", "a-b_c.d/e:f@g+h"] {
            shows(plain.as_bytes(), false, plain);
        }
        for quoted in
            ["", "no pe", "no\"pe", "no\\pe", "~x", "#x", "{", "a=b", "$x", "[", "!", "^", "|", "&", "?"]
        {
            shows(quoted.as_bytes(), false, &format!("'{quoted}'"));
        }
        for double in ["no'pe", "a'b c", "#a'b", "'"] {
            shows(double.as_bytes(), false, &format!("\"{double}\""));
        }
        shows(b"a'b c\"d", false, r#"'a'\''b c"d'"#);
        shows(b"no\npe", true, r"'no'$'\n''pe'");
        shows(b"a\n", true, r"'a'$'\n'");
        shows(b"\n", true, r"''$'\n'");
        shows(b"a\x01b", true, r"'a'$'\001''b'");
        shows(b"no\xffpe", true, r"'no'$'\377''pe'");
        shows("n\u{f6}".as_bytes(), true, "n\u{f6}");
        shows("n\u{f6}".as_bytes(), false, r"'n'$'\303\266'");
        shows(b"a'\n", true, r"'''a'\'''$'\n'");
    }
}
