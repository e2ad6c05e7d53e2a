//! What of a command takes a shell, and where a script has its file.

use super::PLACE;

/// What of a command only a shell understands, if there is anything: operators, substitutions, patterns, variables that are set
/// before the program. Nothing that is quoted, but for what is substituted in double quotation marks.
pub fn shell_syntax(command: &str) -> Option<String> {
    let mut letters = command.char_indices().peekable();
    let mut quote = None;
    // Where a word begins, and whether it is the first one.
    let (mut begins, mut is_first) = (true, true);
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(letters.next()),
            (_, '`') => return Some("`".to_owned()),
            (_, '$') if next.is_some_and(|next| next.is_alphanumeric() || "_({@*#?$!-".contains(next)) => {
                return Some("$".to_owned());
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '|' | '&' | '>' | '<') if next == Some(letter) => {
                return Some(format!("{letter}{letter}"));
            }
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '\n') => {
                return Some(letter.escape_default().to_string());
            }
            (None, '~') if begins && next.is_none_or(|next| next == '/' || next.is_alphanumeric()) => {
                return Some("~".to_owned());
            }
            (None, '[') if next.is_some_and(|next| !next.is_whitespace()) => return Some("[".to_owned()),
            (None, '#') if begins => return Some("#".to_owned()),
            (None, '=') if is_first && is_variable(&command[..at]) => {
                return Some(format!("{}=", command[..at].trim_start()));
            }
            (None, _) => {}
        }
        is_first &= !letter.is_whitespace() || command[..at].trim().is_empty();
        begins = letter.is_whitespace();
    }
    None
}

/// A script in which each place of the file is its first argument, as one word: in double quotation marks, in single ones, or in none.
pub(super) fn placed(script: &str) -> String {
    let (mut placed, mut rest, mut quote) = (String::with_capacity(script.len()), script, None);
    while let Some(letter) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix(PLACE) {
            placed += match quote {
                Some('\'') => r#"'"$1"'"#,
                Some(_) => "$1",
                None => r#""$1""#,
            };
            rest = behind;
            continue;
        }
        let mut length = letter.len_utf8();
        match quote {
            // What is escaped begins and ends no quotation.
            Some('"') | None if letter == '\\' => {
                length += rest[length..].chars().next().map_or(0, char::len_utf8);
            }
            Some(mark) if mark == letter => quote = None,
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            _ => {}
        }
        placed += &rest[..length];
        rest = &rest[length..];
    }
    placed
}

/// Whether a shell would set a variable of this name.
fn is_variable(text: &str) -> bool {
    let name = text.trim_start();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_one_word_of_a_script_however_its_place_is_quoted() {
        for script in [
            "cat {} | tr a b",
            r#"cat "{}" | tr a b"#,
            "cat '{}' | tr a b",
            r#"echo "it's \"x\"" >/dev/null; cat "{}" | tr a b"#,
            r"cat $(printf %s\' >/dev/null){} | tr a b",
        ] {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let file = directory.path().join("it's a \"file\" $1");
            std::fs::write(&file, "aaa").expect("it can be written");
            let ran =
                std::process::Command::new("sh").args(["-c", &placed(script), "sh"]).arg(&file).output();
            let ran = ran.expect("there is a shell");
            assert_eq!(String::from_utf8_lossy(&ran.stdout), "bbb", "{}: {ran:?}", placed(script));
        }
    }

    #[test]
    fn what_only_a_shell_understands_is_found_where_it_is_not_quoted() {
        for (command, expected) in [
            ("sha256sum {} | cut -c1-64", Some("|")),
            ("true && false", Some("&&")),
            ("a || b", Some("||")),
            ("a & b", Some("&")),
            ("a; b", Some(";")),
            ("cat <{}", Some("<")),
            ("cat {} >/dev/null", Some(">")),
            ("cat {} >>log", Some(">>")),
            ("echo $HOME", Some("$")),
            (r#"echo "$(date)""#, Some("$")),
            ("echo `date`", Some("`")),
            ("sum *.c", Some("*")),
            ("sum ~/file", Some("~")),
            ("LC_ALL=C sort", Some("LC_ALL=")),
            (" A=1 sort", Some("A=")),
            ("(a)", Some("(")),
            ("a\nb", Some("\\n")),
            ("sh -c 'a | b; echo $0 > *'", None),
            (r#"grep "a|b*" {}"#, None),
            (r"grep a\|b\*", None),
            ("dd if={} of=/dev/null bs=1M", None),
            ("./a=b c", None),
            ("grep foo$ {}", None),
            ("echo a~b", None),
            ("cat ~root/file", Some("~")),
            ("cat [ab]", Some("[")),
            ("[ -e file ]", None),
            ("sum {} # quick", Some("#")),
            ("sum a#b", None),
            ("sha256sum", None),
        ] {
            assert_eq!(shell_syntax(command).as_deref(), expected, "{command}");
        }
    }
}
