//! Command lines as GNU getopt reads them: operands anywhere, long options abbreviated, short ones in a bunch.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// An option that a program has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opt {
    /// Its letter, if it has one.
    pub(crate) short: Option<u8>,
    /// Its long name, if it has one.
    pub(crate) long: Option<&'static str>,
    /// Whether something follows it.
    pub(crate) takes_value: bool,
}

impl Opt {
    pub(crate) const fn flag(short: Option<u8>, long: &'static str) -> Self {
        Self { short, long: Some(long), takes_value: false }
    }

    pub(crate) const fn value(short: Option<u8>, long: &'static str) -> Self {
        Self { short, long: Some(long), takes_value: true }
    }
}

/// What a command line consists of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// An option, by its place in the table, and what follows it.
    Option(usize, Option<OsString>),
    /// Anything else.
    Operand(OsString),
}

/// Splits a command line. An error is the text that getopt prints, without the program's name; what stands before it counts.
pub(crate) fn parse(options: &[Opt], arguments: &[OsString]) -> (Vec<Word>, Option<Vec<u8>>) {
    let mut words = Vec::new();
    let mut rest: VecDeque<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    // With this variable set, the first operand ends the options.
    let stops_early = std::env::var_os("POSIXLY_CORRECT").is_some();
    while let Some(argument) = rest.pop_front() {
        let parsed = match argument.as_bytes() {
            b"--" => break,
            [b'-', b'-', long @ ..] => self::long(options, long, &mut rest),
            [b'-', short @ ..] if !short.is_empty() => {
                bunch(options, short, &mut rest, &mut words).map(|()| None)
            }
            _ if stops_early => {
                rest.push_front(argument);
                break;
            }
            _ => Ok(Some(Word::Operand(argument.into()))),
        };
        match parsed {
            Ok(word) => words.extend(word),
            Err(message) => return (words, Some(message)),
        }
    }
    words.extend(rest.into_iter().map(|operand| Word::Operand(operand.into())));
    (words, None)
}

/// A long option, the dashes taken off.
fn long(options: &[Opt], text: &[u8], rest: &mut VecDeque<&OsStr>) -> Result<Option<Word>, Vec<u8>> {
    let (name, value) = match text.iter().position(|&byte| byte == b'=') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is = |option: &Opt, exact: bool| {
        option.long.is_some_and(|long| {
            if exact { long.as_bytes() == name } else { long.as_bytes().starts_with(name) }
        })
    };
    let exact = options.iter().position(|option| is(option, true));
    let candidates: Vec<_> = (0..options.len()).filter(|&place| is(&options[place], false)).collect();
    let place = match (exact, &candidates[..]) {
        (Some(place), _) | (None, &[place]) => place,
        (None, []) => return Err([b"unrecognized option '--", name_of(text), b"'"].concat()),
        (None, many) => {
            let mut message = [b"option '--", text, b"' is ambiguous; possibilities:"].concat();
            for &place in many {
                let long = options[place].long.unwrap_or_default();
                message.extend([b" '--", long.as_bytes(), b"'"].concat());
            }
            return Err(message);
        }
    };
    let option = &options[place];
    let shown = option.long.unwrap_or_default().as_bytes();
    match (option.takes_value, value) {
        (false, None) => Ok(Some(Word::Option(place, None))),
        (false, Some(_)) => Err([b"option '--", shown, b"' doesn't allow an argument"].concat()),
        (true, Some(value)) => Ok(Some(Word::Option(place, Some(OsString::from_vec(value.to_vec()))))),
        (true, None) => match rest.pop_front() {
            Some(value) => Ok(Some(Word::Option(place, Some(value.into())))),
            None => Err([b"option '--", shown, b"' requires an argument"].concat()),
        },
    }
}

/// An option that does not exist is shown whole, with its value.
fn name_of(text: &[u8]) -> &[u8] {
    text
}

/// Letters behind one dash.
fn bunch(
    options: &[Opt],
    letters: &[u8],
    rest: &mut VecDeque<&OsStr>,
    words: &mut Vec<Word>,
) -> Result<(), Vec<u8>> {
    for (at, &letter) in letters.iter().enumerate() {
        let quoted = |start: &[u8]| [start, b" -- '", &[letter], b"'"].concat();
        let Some(place) = options.iter().position(|option| option.short == Some(letter)) else {
            return Err(quoted(b"invalid option"));
        };
        if !options[place].takes_value {
            words.push(Word::Option(place, None));
            continue;
        }
        let behind = &letters[at + 1..];
        let value = match (behind.is_empty(), rest.front()) {
            (false, _) => OsStr::from_bytes(behind),
            (true, Some(next)) => {
                let next = *next;
                rest.pop_front();
                next
            }
            (true, None) => return Err(quoted(b"option requires an argument")),
        };
        words.push(Word::Option(place, Some(value.into())));
        return Ok(());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[Opt] = &[
        Opt::flag(Some(b'c'), "check"),
        Opt::flag(None, "status"),
        Opt::flag(None, "strict"),
        Opt::value(Some(b'l'), "length"),
    ];

    fn parsed(line: &str) -> Result<String, String> {
        let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let (words, error) = parse(OPTIONS, &arguments);
        if let Some(error) = error {
            return Err(String::from_utf8(error).expect("text"));
        }
        let shown = words.iter().map(|word| match word {
            Word::Option(place, None) => format!("{place}"),
            Word::Option(place, Some(value)) => format!("{place}={}", value.display()),
            Word::Operand(operand) => operand.display().to_string(),
        });
        Ok(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_and_operands_are_told_apart_wherever_they_stand() {
        assert_eq!(parsed("a -c b --strict - -- -c").as_deref(), Ok("a 0 b 2 - -c"));
        assert_eq!(
            parsed("-cl8 -l 16 --length=24 --length 32 --le=x").as_deref(),
            Ok("0 3=8 3=16 3=24 3=32 3=x")
        );
        assert_eq!(parsed("--stat --str").as_deref(), Ok("1 2"));
    }

    #[test]
    fn what_is_wrong_is_said_as_getopt_says_it() {
        let said = |line| parsed(line).expect_err("it is wrong");
        assert_eq!(said("-x"), "invalid option -- 'x'");
        assert_eq!(said("--nope=1"), "unrecognized option '--nope=1'");
        assert_eq!(said("--st"), "option '--st' is ambiguous; possibilities: '--status' '--strict'");
        assert_eq!(said("--check=1"), "option '--check' doesn't allow an argument");
        assert_eq!(said("-cl"), "option requires an argument -- 'l'");
        assert_eq!(said("--length"), "option '--length' requires an argument");
    }
}
