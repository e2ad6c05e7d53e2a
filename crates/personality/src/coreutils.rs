//! md5sum, the sha*sum family and b2sum, as GNU coreutils 9.1 has them.
//!
//! Recorded from the programs themselves, and held against them by the differential tests. Each file is digested by the engine,
//! many at once; few and small ones on the calling thread, so that nothing is started for them.

mod check;
mod line;

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_io::StandardInput;
use hashlane_record::system_text;
use rustix::io::Errno;

use super::digest::{self, BATCH};
use super::getopt::{self, Opt, Word};
use super::outputs::Outputs;
use super::{Call, Host, VERSION, quote};
use line::Lines;

/// What a program of the family computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    /// What it is called in tagged lines.
    pub(super) tag: &'static str,
    /// Its registered name; b2sum has others beside it, of other lengths.
    algorithm: &'static str,
    /// Whether the length of the digest can be chosen.
    pub(super) has_lengths: bool,
    title: &'static str,
}

impl Program {
    fn of(program: &str) -> Self {
        let (tag, algorithm, title) = match program {
            "md5sum" => ("MD5", "md5", "MD5 (128-bit)"),
            "sha1sum" => ("SHA1", "sha1", "SHA1 (160-bit)"),
            "sha224sum" => ("SHA224", "sha224", "SHA224 (224-bit)"),
            "sha384sum" => ("SHA384", "sha384", "SHA384 (384-bit)"),
            "sha512sum" => ("SHA512", "sha512", "SHA512 (512-bit)"),
            "b2sum" => ("BLAKE2b", "blake2b", "BLAKE2b (512-bit)"),
            _ => ("SHA256", "sha256", "SHA256 (256-bit)"),
        };
        Self { tag, algorithm, has_lengths: program == "b2sum", title }
    }

    /// The longest digest, in bytes.
    pub(super) fn full_length(self) -> usize {
        self.registered().length()
    }

    fn registered(self) -> Algorithm {
        Algorithm::named(self.algorithm).expect("the algorithm is registered")
    }

    /// The algorithm of digests of `length` bytes.
    pub(super) fn algorithm(self, length: usize) -> Algorithm {
        Algorithm::blake2b(length).filter(|_| self.has_lengths).unwrap_or_else(|| self.registered())
    }
}

/// What the command line asks for.
#[derive(Debug)]
pub(super) struct Settings {
    kind: Program,
    /// Of the digest, in bytes.
    length: usize,
    checks: bool,
    /// Whether the mode was chosen, and which.
    binary: Option<bool>,
    tag: bool,
    zero: bool,
    pub(super) ignore_missing: bool,
    pub(super) status_only: bool,
    pub(super) quiet: bool,
    pub(super) warn: bool,
    pub(super) strict: bool,
    files: Vec<OsString>,
}

const OPTIONS: &[Opt] = &[
    Opt::flag(Some(b'b'), "binary"),
    Opt::flag(Some(b'c'), "check"),
    Opt::flag(None, "ignore-missing"),
    Opt::flag(None, "quiet"),
    Opt::flag(None, "status"),
    Opt::flag(Some(b'w'), "warn"),
    Opt::flag(None, "strict"),
    Opt::flag(None, "tag"),
    Opt::flag(Some(b't'), "text"),
    Opt::flag(Some(b'z'), "zero"),
    Opt::flag(None, "help"),
    Opt::flag(None, "version"),
    // Of b2sum alone; the last, so that the others can do without.
    Opt::value(Some(b'l'), "length"),
];

pub(super) fn run(call: Call, host: Arc<dyn Host>) -> u8 {
    let mut terminal = Terminal::new(&call, host);
    let settings = match Settings::parse(&call, &mut terminal) {
        Ok(settings) => settings,
        Err(code) => return terminal.end(code),
    };
    let mut succeeded = if settings.checks {
        let mut lines = Lines::default();
        let mut succeeded = true;
        for file in &settings.files {
            succeeded &= check::run(&settings, file.as_bytes(), &mut lines, &mut terminal);
        }
        succeeded
    } else {
        sum(&settings, &mut terminal)
    };
    // The original closes what it has read, and says so where that is closed already.
    if StandardInput.is_closed() && settings.files.iter().any(|file| file == "-") {
        terminal.say(format!("standard input: {}", system_text(&Errno::BADF.into())).as_bytes());
        succeeded = false;
    }
    terminal.end(if succeeded { 0 } else { 1 })
}

/// Prints digests.
fn sum(settings: &Settings, terminal: &mut Terminal) -> bool {
    let mut succeeded = true;
    let algorithm = settings.kind.algorithm(settings.length);
    for files in settings.files.chunks(BATCH) {
        let names: Vec<_> = files.iter().map(|file| (file.as_bytes(), algorithm)).collect();
        for (file, digest) in files.iter().zip(digest::all(&names)) {
            match digest {
                Ok(digest) => settings.line(file.as_bytes(), &digest, terminal),
                Err(error) => {
                    succeeded = false;
                    terminal.failed(file.as_bytes(), &error);
                }
            }
        }
    }
    succeeded
}

impl Settings {
    /// The settings, or the exit code of a program that has said all.
    fn parse(call: &Call, terminal: &mut Terminal) -> Result<Self, u8> {
        let kind = Program::of(call.personality.name);
        let options = if kind.has_lengths { OPTIONS } else { &OPTIONS[..OPTIONS.len() - 1] };
        let (words, error) = getopt::parse(options, &call.arguments);
        let mut settings = Self {
            kind,
            length: kind.full_length(),
            checks: false,
            binary: None,
            tag: false,
            zero: false,
            ignore_missing: false,
            status_only: false,
            quiet: false,
            warn: false,
            strict: false,
            files: Vec::new(),
        };
        for word in words {
            match word {
                Word::Operand(file) => settings.files.push(file),
                Word::Option(place, value) => {
                    settings.option(options[place].long.unwrap_or_default(), value, terminal)?;
                }
            }
        }
        if let Some(message) = error {
            return Err(terminal.usage(&message));
        }
        settings.refuse(terminal)?;
        if settings.files.is_empty() {
            settings.files.push("-".into());
        }
        Ok(settings)
    }

    fn option(&mut self, name: &str, value: Option<OsString>, terminal: &mut Terminal) -> Result<(), u8> {
        match name {
            "binary" => self.binary = Some(true),
            "text" => self.binary = Some(false),
            "check" => self.checks = true,
            "ignore-missing" => self.ignore_missing = true,
            // The last of these three counts.
            "quiet" | "status" | "warn" => {
                (self.quiet, self.status_only, self.warn) =
                    (name == "quiet", name == "status", name == "warn");
            }
            "strict" => self.strict = true,
            "tag" => {
                self.tag = true;
                self.binary = Some(true);
            }
            "zero" => self.zero = true,
            "length" => self.set_length(&value.unwrap_or_default().into_vec(), terminal)?,
            "help" => {
                terminal.print(help(terminal.program.clone(), self.kind).as_bytes());
                return Err(0);
            }
            _ => {
                terminal.print(format!("{} (hashlane) {VERSION}\n", terminal.called()).as_bytes());
                return Err(0);
            }
        }
        Ok(())
    }

    fn set_length(&mut self, text: &[u8], terminal: &mut Terminal) -> Result<(), u8> {
        let shown = quote::value(text, terminal.utf8);
        let digits = text.trim_ascii_start();
        let digits = digits.strip_prefix(b"+").unwrap_or(digits);
        let invalid = [b"invalid length: ", &shown[..]].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            terminal.say(&invalid);
            return Err(1);
        }
        let Some(bits) = std::str::from_utf8(digits).ok().and_then(|number| number.parse::<u64>().ok())
        else {
            terminal.say(&[&invalid[..], b": ", system_text(&Errno::OVERFLOW.into()).as_bytes()].concat());
            return Err(1);
        };
        if !bits.is_multiple_of(8) {
            terminal.say(&invalid);
            terminal.say(b"length is not a multiple of 8");
            return Err(1);
        }
        let most = self.kind.full_length() as u64 * 8;
        if bits > most {
            terminal.say(&invalid);
            let tag = quote::value(self.kind.tag.as_bytes(), terminal.utf8);
            let limit = format!(" is {most} bits");
            terminal.say(&[b"maximum digest length for ", &tag[..], limit.as_bytes()].concat());
            return Err(1);
        }
        self.length = if bits == 0 { self.kind.full_length() } else { bits as usize / 8 };
        Ok(())
    }

    /// Refuses what does not go together, in the order in which the original does.
    fn refuse(&self, terminal: &mut Terminal) -> Result<(), u8> {
        let only_checking = "option is meaningful only when verifying checksums";
        let message = if self.tag && self.binary == Some(false) {
            "--tag does not support --text mode".to_owned()
        } else if self.zero && self.checks {
            "the --zero option is not supported when verifying checksums".to_owned()
        } else if self.tag && self.checks {
            "the --tag option is meaningless when verifying checksums".to_owned()
        } else if self.binary.is_some() && self.checks {
            "the --binary and --text options are meaningless when verifying checksums".to_owned()
        } else if self.checks {
            return Ok(());
        } else {
            let given = [
                (self.ignore_missing, "ignore-missing"),
                (self.status_only, "status"),
                (self.warn, "warn"),
                (self.quiet, "quiet"),
                (self.strict, "strict"),
            ];
            let Some((_, name)) = given.into_iter().find(|(given, _)| *given) else { return Ok(()) };
            format!("the --{name} {only_checking}")
        };
        Err(terminal.usage(message.as_bytes()))
    }

    /// Prints the line of a file.
    fn line(&self, name: &[u8], digest: &[u8], terminal: &mut Terminal) {
        let escapes = !self.zero && name.iter().any(|byte| b"\\\n\r".contains(byte));
        let mut text = Vec::with_capacity(2 * digest.len() + name.len() + 16);
        if escapes {
            text.push(b'\\');
        }
        if self.tag {
            text.extend(self.kind.tag.bytes());
            if self.length < self.kind.full_length() {
                text.extend(format!("-{}", self.length * 8).bytes());
            }
            text.extend(b" (");
            line::push_name(&mut text, name, escapes);
            text.extend(b") = ");
            line::push_plain(&mut text, digest);
        } else {
            line::push_plain(&mut text, digest);
            text.extend(if self.binary == Some(true) { b" *" } else { b"  " });
            line::push_name(&mut text, name, escapes);
        }
        text.push(if self.zero { b'\0' } else { b'\n' });
        terminal.print(&text);
    }
}

fn help(program: Vec<u8>, kind: Program) -> String {
    let length =
        if kind.has_lengths { "\n  -l, --length=BITS     digest of BITS bits, a multiple of 8" } else { "" };
    format!(
        "Usage: {} [OPTION]... [FILE]...
Print or check {} checksums; without FILE, or for -, of standard input.

  -b, --binary          mark the lines with an asterisk
  -c, --check           verify the files that FILE lists{length}
      --tag             lines that name the algorithm
  -t, --text            do not mark the lines (default)
  -z, --zero            end lines with NUL, and escape nothing

With --check:
      --ignore-missing  pass over files that are missing
      --quiet           no OK for files that are right
      --status          print nothing; the exit code tells
      --strict          fail for lines that are not understood
  -w, --warn            warn of lines that are not understood

      --help            this text
      --version         the version

This is hashlane in the manner of GNU coreutils; hashlane --help has more.
",
        String::from_utf8_lossy(&program),
        kind.title
    )
}

/// What the program says, and the name under which it does.
pub(super) struct Terminal {
    program: Vec<u8>,
    pub(super) utf8: bool,
    outputs: Outputs,
}

impl Terminal {
    fn new(call: &Call, host: Arc<dyn Host>) -> Self {
        let program = call.called.as_bytes().to_vec();
        Self { program, utf8: quote::is_utf8(), outputs: Outputs::new(host) }
    }

    fn called(&self) -> String {
        String::from_utf8_lossy(&self.program).into_owned()
    }

    pub(super) fn print(&mut self, text: &[u8]) {
        self.outputs.print(text);
    }

    /// A message.
    pub(super) fn say(&mut self, message: &[u8]) {
        self.outputs.say(&[&self.program[..], b": ", message, b"\n"].concat());
    }

    /// What the system says of a file.
    pub(super) fn failed(&mut self, name: &[u8], error: &io::Error) {
        let name = quote::name(name, self.utf8);
        self.say(&[&name[..], b": ", system_text(error).as_bytes()].concat());
    }

    /// A mistake of the command line; gives the exit code.
    fn usage(&mut self, message: &[u8]) -> u8 {
        self.say(message);
        self.outputs.say(&[b"Try '", &self.program[..], b" --help' for more information.\n"].concat());
        1
    }

    fn end(&mut self, code: u8) -> u8 {
        self.outputs.pour();
        if self.outputs.broken().is_some() {
            let closed = if self.outputs.are_closed() {
                format!(": {}", system_text(&Errno::BADF.into()))
            } else {
                String::new()
            };
            self.say(format!("write error{closed}").as_bytes());
            return 1;
        }
        code
    }
}
