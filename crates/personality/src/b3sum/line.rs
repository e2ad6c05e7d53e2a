//! Names and lines of lists, as the original writes and understands them. Its lists are UTF-8: in a name, bytes
//! that are not stand as U+FFFD, and such a name is not checked.

/// What a line lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CheckLine {
    /// The file.
    pub(super) name: String,
    /// How the line names it, a backslash in front if something in it is escaped.
    pub(super) shown: String,
    pub(super) digest: [u8; blake3::OUT_LEN],
}

/// A name as lines show it, and whether something in it is escaped.
pub(super) fn shown(name: &[u8]) -> (bool, String) {
    let name = String::from_utf8_lossy(name);
    if !name.contains(['\\', '\n', '\r']) {
        return (false, name.into_owned());
    }
    (true, name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r"))
}

impl CheckLine {
    /// What a line lists, or what is wrong with it.
    pub(super) fn parse(line: &str) -> Result<Self, &'static str> {
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Err("Empty line");
        }
        let (is_escaped, rest) = match line.strip_prefix('\\') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        // A name may hold what separates it, so it ends where the line, or begins where the tag does.
        let tagged = || rest.strip_prefix("BLAKE3 (")?.rsplit_once(") = ");
        let (hex, name) = match (rest.split_once("  "), tagged()) {
            (Some((hex, name)), _) | (None, Some((name, hex))) => (hex, name),
            (None, None) => return Err("Invalid check line format"),
        };
        if hex.len() != 2 * blake3::OUT_LEN {
            return Err("Invalid hash length");
        }
        let digest = data_encoding::HEXLOWER.decode(hex.as_bytes()).map_err(|_| "Invalid hex")?;
        let digest = digest.try_into().map_err(|_| "Invalid hash length")?;
        let plain = if is_escaped { unescaped(name)? } else { name.to_owned() };
        if plain.is_empty() {
            return Err("empty file path");
        }
        if plain.contains('\0') {
            return Err("Null character in path");
        }
        if plain.contains('\u{fffd}') {
            return Err("Unicode replacement character in path");
        }
        let shown = if is_escaped { format!("\\{name}") } else { name.to_owned() };
        Ok(Self { name: plain, shown, digest })
    }
}

/// A name, its escapes undone.
fn unescaped(name: &str) -> Result<String, &'static str> {
    let mut plain = String::with_capacity(name.len());
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('\\') => '\\',
                _ => return Err("Invalid backslash escape"),
            },
            letter => letter,
        });
    }
    Ok(plain)
}
