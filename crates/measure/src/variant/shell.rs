//! What of a command takes a shell.

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
            (None, '~') if begins && next.is_none_or(|next| next == '/') => return Some("~".to_owned()),
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
            ("sha256sum", None),
        ] {
            assert_eq!(shell_syntax(command).as_deref(), expected, "{command}");
        }
    }
}
