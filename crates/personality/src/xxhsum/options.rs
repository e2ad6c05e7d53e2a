//! The command line. Options come first: what follows a file is a file.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_io::StandardInput;

use super::{Action, Settings, XxhAlgorithm};
use crate::outputs::Outputs;
use crate::{Call, VERSION};

/// What else a command line can ask for.
#[derive(Default)]
struct Asked {
    benchmark: bool,
    /// Standard input, even if it is a terminal.
    stdin: bool,
}

impl Settings {
    /// The settings, or the exit code of a program that has said all.
    pub(super) fn parse(call: &Call, outputs: &mut Outputs) -> Result<Self, u8> {
        let accepted = XxhAlgorithm::of(call.personality.name);
        let mut settings = Self {
            kind: accepted.unwrap_or(XxhAlgorithm::Xxh64),
            accepted: accepted.filter(|_| !call.as_is),
            action: Action::Sum,
            tag: false,
            is_little_endian: false,
            strict: false,
            status_only: false,
            warn: false,
            quiet: false,
            ignore_missing: false,
            as_is: call.as_is,
            files: Vec::new(),
        };
        let mut asked = Asked::default();
        let mut words = call.arguments.iter();
        while let Some(word) = words.next() {
            match word.as_bytes() {
                b"--" => {
                    settings.files = words.cloned().collect();
                    break;
                }
                bytes if !bytes.starts_with(b"-") => {
                    settings.files = std::iter::once(word).chain(words).cloned().collect();
                    break;
                }
                b"-" => asked.stdin = true,
                long if long.starts_with(b"--") => settings.long(long, &mut asked, call, outputs)?,
                letters => settings.letters(&letters[1..], &mut asked, call, outputs)?,
            }
        }
        if asked.benchmark {
            outputs
                .say(b"Error: benchmarks are not played; use 'hashlane bench' or 'hashlane bench speed' \n");
            return Err(1);
        }
        if settings.files.is_empty() && !asked.stdin && StandardInput.is_terminal() {
            outputs.say(b"No input provided \n");
            return Err(1);
        }
        Ok(settings)
    }

    fn long(&mut self, word: &[u8], asked: &mut Asked, call: &Call, outputs: &mut Outputs) -> Result<(), u8> {
        match word {
            b"--check" => self.action = Action::Check,
            // Checking comes first, whatever the order.
            b"--files-from" | b"--filelist" if self.action == Action::Check => {}
            b"--files-from" | b"--filelist" => self.action = Action::Listed,
            b"--benchmark-all" | b"--bench-all" => asked.benchmark = true,
            b"--quiet" => self.quiet = true,
            b"--little-endian" => self.is_little_endian = true,
            b"--strict" => self.strict = true,
            b"--status" => self.status_only = true,
            b"--warn" => self.warn = true,
            b"--binary" => {}
            b"--ignore-missing" => self.ignore_missing = true,
            b"--tag" => self.tag = true,
            b"--help" => return Err(help(call, outputs)),
            b"--version" => return Err(version(call, outputs)),
            _ => return Err(wrong(call, outputs)),
        }
        Ok(())
    }

    /// Letters behind one dash.
    fn letters(
        &mut self,
        letters: &[u8],
        asked: &mut Asked,
        call: &Call,
        outputs: &mut Outputs,
    ) -> Result<(), u8> {
        let mut rest = letters;
        while let Some((&letter, behind)) = rest.split_first() {
            rest = behind;
            match letter {
                b'V' => return Err(version(call, outputs)),
                b'h' => return Err(help(call, outputs)),
                b'c' => self.action = Action::Check,
                b'w' => self.warn = true,
                b'q' => self.quiet = true,
                b'H' => {
                    let number = number(&mut rest, outputs)?;
                    self.kind = XxhAlgorithm::numbered(number).ok_or_else(|| wrong(call, outputs))?;
                    self.tag |= self.as_is && self.kind == XxhAlgorithm::Xxh3;
                }
                b'i' | b'B' => {
                    number(&mut rest, outputs)?;
                }
                b'b' => {
                    asked.benchmark = true;
                    number(&mut rest, outputs)?;
                    while let Some(behind) = rest.strip_prefix(b",") {
                        rest = behind;
                        number(&mut rest, outputs)?;
                    }
                }
                _ => return Err(wrong(call, outputs)),
            }
        }
        Ok(())
    }
}

/// The number at the beginning, which is taken off; 0 if there is none.
fn number(text: &mut &[u8], outputs: &mut Outputs) -> Result<u32, u8> {
    let mut value = Some(0_u32);
    while let Some((digit @ b'0'..=b'9', rest)) = text.split_first() {
        // The original refuses the last few numbers of 32 bits as well.
        value =
            value.filter(|&value| value < u32::MAX / 10).map(|value| 10 * value + u32::from(digit - b'0'));
        *text = rest;
    }
    if let Some((unit @ (b'K' | b'M'), rest)) = text.split_first() {
        let factor = if *unit == b'K' { 1 << 10 } else { 1 << 20 };
        value = value.and_then(|value| value.checked_mul(factor));
        let rest = rest.strip_prefix(b"i").unwrap_or(rest);
        *text = rest.strip_prefix(b"B").unwrap_or(rest);
    }
    value.ok_or_else(|| {
        outputs.say(b"Error: numeric value too large \n");
        1
    })
}

/// A command line that makes no sense; gives the exit code.
fn wrong(call: &Call, outputs: &mut Outputs) -> u8 {
    outputs.say(b"Wrong parameters\n\n");
    help(call, outputs);
    1
}

fn version(call: &Call, outputs: &mut Outputs) -> u8 {
    outputs.say(format!("{} (hashlane) {VERSION}\n", call.personality.name).as_bytes());
    0
}

fn help(call: &Call, outputs: &mut Outputs) -> u8 {
    let default = XxhAlgorithm::of(call.personality.name).unwrap_or(XxhAlgorithm::Xxh64).number();
    let program = call.personality.name;
    let text = format!(
        "Usage: {program} [OPTION]... [FILE]...
Print or check xxHash checksums; without FILE, or for -, of standard input.

  -H#                   the variant: 0 or 32 XXH32, 1 or 64 XXH64, 2 or 128 XXH128,
                        3 XXH3 (default: {default})
  -c, --check           verify the files that FILE lists
      --files-from, --filelist
                        print checksums of the files that FILE names, one a line
      --tag             lines that name the variant
      --little-endian   bytes of checksums from last to first
      --binary          no effect

With --check, and partly with --files-from:
  -q, --quiet           no OK for files that are right
      --status          print nothing; the exit code tells
      --strict          fail for lines that are not understood
  -w, --warn            warn of lines that are not understood
      --ignore-missing  pass over files that are missing

  -h, --help            this text
  -V, --version         the version

This is hashlane in the manner of xxhsum; hashlane --help has more, and hashlane bench measures.
"
    );
    outputs.say(text.as_bytes());
    0
}
