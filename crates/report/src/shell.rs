//! Names in commands that people copy into a shell.

use std::fmt::Write as _;

use hashlane_record::Escaped;

/// A name as one word of a command of bash, zsh or ksh. What stands in it can be shown anywhere: no control character, nothing that turns
/// the direction of text.
pub fn word(name: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%".contains(byte);
    let shown = Escaped(name).to_string();
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_empty() && name.iter().all(is_plain) => text.to_owned(),
        Ok(text) if shown == text => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped(name),
    }
}

fn escaped(name: &[u8]) -> String {
    let mut word = String::from("$'");
    for &byte in name {
        match byte {
            b'\'' | b'\\' => {
                word.push('\\');
                word.push(char::from(byte));
            }
            b' '..=b'~' => word.push(char::from(byte)),
            // In octal, which ends after three digits whatever follows.
            _ => _ = write!(word, "\\{byte:03o}"),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_meant() {
        let all: Vec<u8> = (1..=255).collect();
        let names: [&[u8]; 9] = [
            b"plain/name.txt",
            b"two words",
            b"it's",
            b"$(reboot)`reboot`",
            b"new\nline",
            b"back\\slash\x01f",
            "\u{202e}gpj.exe".as_bytes(),
            b"\xff\xfe",
            &all,
        ];
        for name in names {
            let word = word(name);
            assert!(!word.chars().any(char::is_control) && !word.contains('\u{202e}'), "{word}");
            let script = std::ffi::OsString::from_vec(format!("printf %s {word}").into_bytes());
            let Ok(ran) = Command::new("bash").arg("-c").arg(script).output() else { return };
            assert_eq!(ran.stdout, name, "{word}");
        }
    }
}
