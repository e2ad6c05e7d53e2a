//! Options as getopt of the C library takes them: letters behind one hyphen, options between operands, `--`
//! ends them.
//!
//! Owns how a command line is cut up and what is said of a bad letter; what a letter means belongs to
//! `options`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// What the next step of a command line is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An option, with its argument where it takes one.
    Option(u8, OsString),
    /// Something that is not an option of this program, in the words of the C library.
    Bad(Vec<u8>),
}

/// Cuts a command line up, step by step. What is not an option gathers in [`Getopt::operands`].
#[derive(Debug)]
pub(super) struct Getopt {
    /// The letters that are known, each followed by a colon if it takes an argument.
    letters: &'static str,
    arguments: VecDeque<OsString>,
    operands: Vec<OsString>,
    /// Letters of the present argument that are left.
    cluster: VecDeque<u8>,
    /// Whether the first operand ends the options, as POSIX has it.
    strict: bool,
}

impl Getopt {
    pub(super) fn new(letters: &'static str, arguments: Vec<OsString>) -> Self {
        let strict = std::env::var_os("POSIXLY_CORRECT").is_some();
        let arguments = arguments.into();
        Self { letters, arguments, operands: Vec::new(), cluster: VecDeque::new(), strict }
    }

    /// The next option; `None` if there is none left.
    pub(super) fn next(&mut self) -> Option<Step> {
        let letter = match self.cluster.pop_front() {
            Some(letter) => letter,
            None => self.next_cluster()?,
        };
        let place = self.letters.bytes().position(|known| known == letter && known != b':');
        let Some(place) = place else {
            return Some(Step::Bad([b"invalid option -- '".as_slice(), &[letter], b"'"].concat()));
        };
        if self.letters.as_bytes().get(place + 1) != Some(&b':') {
            return Some(Step::Option(letter, OsString::new()));
        }
        let rest: Vec<u8> = self.cluster.drain(..).collect();
        let argument =
            if rest.is_empty() { self.arguments.pop_front() } else { Some(OsString::from_vec(rest)) };
        Some(match argument {
            Some(argument) => Step::Option(letter, argument),
            None => Step::Bad([b"option requires an argument -- '".as_slice(), &[letter], b"'"].concat()),
        })
    }

    /// The first letter of the next argument that has letters.
    fn next_cluster(&mut self) -> Option<u8> {
        loop {
            let argument = self.arguments.pop_front()?;
            match argument.as_bytes() {
                b"--" => {
                    self.operands.extend(self.arguments.drain(..));
                    return None;
                }
                [b'-', first, rest @ ..] => {
                    self.cluster.extend(rest);
                    return Some(*first);
                }
                _ => {
                    self.operands.push(argument);
                    if self.strict {
                        self.operands.extend(self.arguments.drain(..));
                    }
                }
            }
        }
    }

    /// What is not an option, in its order. To be asked when there is no option left.
    pub(super) fn operands(self) -> Vec<OsString> {
        self.operands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(arguments: &[&str]) -> (Vec<String>, Vec<OsString>) {
        let arguments = arguments.iter().map(OsString::from).collect();
        let mut getopt = Getopt { strict: false, ..Getopt::new("ab:c", arguments) };
        let mut steps = Vec::new();
        while let Some(step) = getopt.next() {
            steps.push(match step {
                Step::Option(letter, argument) => format!("{}={}", char::from(letter), argument.display()),
                Step::Bad(text) => String::from_utf8_lossy(&text).into_owned(),
            });
        }
        (steps, getopt.operands())
    }

    #[test]
    fn options_stand_anywhere_and_share_a_hyphen() {
        let (steps, operands) = cut(&["x", "-acb", "-y", "-", "-bz", "--", "-a", "w"]);
        assert_eq!(steps, ["a=", "c=", "b=-y", "b=z"]);
        assert_eq!(operands, ["x", "-", "-a", "w"]);
    }

    #[test]
    fn what_is_unknown_or_lacks_its_argument_is_told_in_the_words_of_the_c_library() {
        let (steps, _) = cut(&["-az", "--all", "-b"]);
        let invalid = |letter| format!("invalid option -- '{letter}'");
        let missing = "option requires an argument -- 'b'".to_owned();
        assert_eq!(steps[..3], ["a=".to_owned(), invalid('z'), invalid('-')]);
        assert_eq!(steps.last(), Some(&missing));
    }
}
