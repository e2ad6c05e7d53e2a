//! From the command line to settings: the two tables of options, and what is said of combinations that make
//! no sense.
//!
//! Options take effect in their order, as in the original: a file of known digests is read when its option
//! comes, with the algorithms and the silence of that moment.

use std::ffi::OsStr;
use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_digest::Algorithm;

use super::getopt::{Getopt, Step};
use super::load::{self, Unusable};
use super::names::Escape;
use super::settings::{Family, Files, Lines, Mode, Settings};
use super::voice::Voice;
use super::{Call, FAILURE, Host, USER_ERROR, usage};

/// The algorithms of hashdeep, in the order of its columns.
pub(super) const ALGORITHMS: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

const HASHDEEP: &str = "abc:CdeEF:f:o:I:i:MmXxtlk:rsp:wvVhW:0D:uj:";
const SINGLE: &str = "A:a:bcCdeF:f:I:i:M:X:x:m:o:tnwzsSp:rhvV0lkqZW:D:uj:";

/// A command line that ends the program at once, with this exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends(pub(super) u8);

/// What was understood so far.
struct Parser {
    voice: Voice,
    settings: Settings,
    /// The columns of the last file of known digests.
    columns: Option<Vec<Algorithm>>,
    /// Bad lines of lists are named even in silence (`-S`).
    warns: bool,
    helped: u32,
}

/// Reads a command line. The name of the program decides which.
pub(super) fn parse(call: Call, host: Arc<dyn Host>) -> Result<(Settings, Voice), Ends> {
    let Call { personality, called, arguments, as_is } = call;
    let program = personality.name;
    let voice = Voice::new(program, host);
    let family = family(program).ok_or_else(|| {
        voice.fatal(format!("unknown hash: {}", program.strip_suffix("deep").unwrap_or(program)));
        Ends(FAILURE)
    })?;
    let algorithms = match family {
        Family::Hashdeep => ["md5", "sha256"].into_iter().filter_map(Algorithm::named).collect(),
        Family::Single(algorithm) => vec![algorithm],
    };
    let settings = Settings {
        family,
        algorithms,
        mode: Mode::Compute,
        known: Default::default(),
        files: Files::default(),
        lines: Lines::default(),
        output: None,
        threads: None,
        verbose: 0,
        as_is,
    };
    let mut parser = Parser { voice, settings, columns: None, warns: false, helped: 0 };
    let letters = if family == Family::Hashdeep { HASHDEEP } else { SINGLE };
    let mut getopt = Getopt::new(letters, arguments);
    while let Some(step) = getopt.next() {
        match step {
            Step::Option(letter, argument) => parser.option(letter, &argument)?,
            Step::Bad(text) => {
                // That is said by the C library, which names the program as it was called.
                parser.voice.write(&[called.as_bytes(), b": ", &text, b"\n"]);
                return Err(parser.misused());
            }
        }
    }
    parser.settings.files.operands = getopt.operands();
    if parser.helped > 0 {
        return Err(Ends(0));
    }
    parser.sanity()?;
    if parser.voice.documented {
        // Neither means anything in XML.
        (parser.voice.zero, parser.voice.escape) = (false, Escape::None);
    }
    Ok((parser.settings, parser.voice))
}

/// The command line that a program of this name has.
fn family(program: &str) -> Option<Family> {
    let name = program.to_ascii_lowercase();
    match name.split("deep").next()? {
        "hash" => Some(Family::Hashdeep),
        name => ALGORITHMS.contains(&name).then(|| Algorithm::named(name))?.map(Family::Single),
    }
}

impl Parser {
    fn option(&mut self, letter: u8, argument: &OsStr) -> Result<(), Ends> {
        let single = self.settings.family != Family::Hashdeep;
        let Settings { files, lines, .. } = &mut self.settings;
        match letter {
            // Old I/O modes and debugging, without effect here: the engine knows better how to read.
            b'C' | b'D' => {}
            b'F' => self.io_mode(argument)?,
            b'e' => {}
            b'b' => lines.bare = true,
            b'd' => self.voice.documented = true,
            b'l' => files.relative = true,
            b'r' => files.recursive = true,
            b'f' => files.list = Some(argument.into()),
            b'o' => self.kinds(argument),
            b'0' => self.voice.zero = true,
            b's' => self.voice.silent = true,
            b'u' => self.voice.escape = if self.settings.as_is { Escape::Latin1 } else { Escape::All },
            b'w' => lines.show_matched = true,
            b'W' => self.settings.output = Some(argument.into()),
            b'j' => self.settings.threads = Some(leading_number(argument.as_bytes()).try_into().unwrap_or(0)),
            b'i' | b'I' => self.threshold(letter, argument)?,
            b'p' => self.piece(argument)?,
            b'h' => {
                self.helped += 1;
                usage::print(&self.voice, self.settings.family, self.helped)?;
            }
            _ if single => self.single(letter, argument)?,
            _ => self.hashdeep(letter, argument)?,
        }
        Ok(())
    }

    /// Options that mean something to hashdeep only.
    fn hashdeep(&mut self, letter: u8, argument: &OsStr) -> Result<(), Ends> {
        match letter {
            b'a' => self.mode(Mode::Audit)?,
            b'm' | b'M' => self.mode(Mode::Match { negative: false })?,
            b'x' | b'X' => self.mode(Mode::Match { negative: true })?,
            b'c' => self.algorithms(argument)?,
            b'k' => self.known(argument)?,
            b'E' => self.settings.lines.ignore_case = true,
            b'v' => {
                self.settings.verbose += 1;
                if self.settings.verbose > 3 {
                    self.voice.error("User request for insane verbosity denied");
                }
            }
            b'V' => return Err(usage::version(&self.voice)),
            // -t is among the letters and does nothing but this.
            _ => return Err(self.misused()),
        }
        self.settings.lines.digests_of_matches |= matches!(letter, b'M' | b'X');
        Ok(())
    }

    /// Options that mean something to md5deep and its kin only.
    fn single(&mut self, letter: u8, argument: &OsStr) -> Result<(), Ends> {
        let Settings { files, lines, .. } = &mut self.settings;
        match letter {
            b'a' | b'A' => {
                self.matches(letter == b'A')?;
                self.digest(argument)?;
            }
            b'm' | b'M' | b'x' | b'X' => {
                lines.digests_of_matches |= matches!(letter, b'M' | b'X');
                self.matches(matches!(letter, b'x' | b'X'))?;
                self.list(argument)?;
            }
            b'c' => lines.csv = true,
            b'k' => lines.asterisk = true,
            b'n' => lines.show_unmatched = true,
            b'q' => lines.quiet = true,
            b't' => lines.time = true,
            b'z' => lines.size = true,
            b'Z' => files.triage = true,
            b'S' => {
                self.warns = true;
                self.voice.silent = true;
            }
            b'v' => return Err(usage::version(&self.voice)),
            b'V' => return Err(usage::terms(&self.voice)),
            _ => return Err(self.misused()),
        }
        Ok(())
    }

    /// Takes up a mode of hashdeep's, one only.
    fn mode(&mut self, mode: Mode) -> Result<(), Ends> {
        if self.settings.mode != Mode::Compute {
            return Err(self.senseless("Multiple processing modes specified."));
        }
        self.settings.mode = mode;
        Ok(())
    }

    /// Takes up matching, of one sense only.
    fn matches(&mut self, negative: bool) -> Result<(), Ends> {
        if self.settings.mode == (Mode::Match { negative: !negative }) {
            return Err(self.senseless("Regular and negative matching are mutually exclusive."));
        }
        self.settings.mode = Mode::Match { negative };
        Ok(())
    }

    fn algorithms(&mut self, argument: &OsStr) -> Result<(), Ends> {
        if self.settings.as_is {
            self.settings.mode = Mode::Compute;
        }
        self.settings.algorithms.clear();
        for name in argument.as_bytes().split(|&byte| byte == b',') {
            let name = name.to_ascii_lowercase();
            let plain: Vec<u8> = name.iter().copied().filter(|&byte| byte != b'-').collect();
            if let Some(known) = ALGORITHMS.iter().find(|known| known.as_bytes() == plain) {
                self.compute(Algorithm::named(known));
            } else if name == b"all" {
                for name in ALGORITHMS {
                    self.compute(Algorithm::named(name));
                }
                return Ok(());
            } else if !(name.is_empty() && argument.as_bytes().ends_with(b",")) {
                self.voice.fatal([b"Unknown algorithm: ".as_slice(), &name].concat());
                self.voice.hint();
                return Err(Ends(FAILURE));
            }
        }
        Ok(())
    }

    /// Adds an algorithm to those that are computed, in its place.
    fn compute(&mut self, algorithm: impl IntoIterator<Item = Algorithm>) {
        let algorithms = &mut self.settings.algorithms;
        algorithms.extend(algorithm);
        let place = |algorithm: &Algorithm| ALGORITHMS.iter().position(|&name| name == algorithm.name());
        algorithms.sort_by_key(|algorithm| (place(algorithm).unwrap_or(ALGORITHMS.len()), algorithm.name()));
        algorithms.dedup();
    }

    fn known(&mut self, argument: &OsStr) -> Result<(), Ends> {
        match load::hashdeep(&mut self.settings.known, Path::new(argument), &self.voice) {
            Ok(None) => Ok(()),
            Ok(Some(columns)) => {
                self.compute(columns.iter().copied());
                if self.columns.replace(columns.clone()).is_some_and(|before| before != columns) {
                    let text = b": Hashes not in same format as previously loaded";
                    self.voice.error([argument.as_bytes(), text].concat());
                }
                Ok(())
            }
            Err(unusable) => Err(self.unusable(unusable)),
        }
    }

    fn list(&mut self, argument: &OsStr) -> Result<(), Ends> {
        let Family::Single(algorithm) = self.settings.family else { return Ok(()) };
        let warns = self.warns || !self.voice.silent;
        load::list(&mut self.settings.known, Path::new(argument), algorithm, &self.voice, warns)
            .map_err(|unusable| self.unusable(unusable))
    }

    /// Adds one digest. What is none is known as well, and never found.
    fn digest(&mut self, argument: &OsStr) -> Result<(), Ends> {
        let Family::Single(algorithm) = self.settings.family else { return Ok(()) };
        let bytes = data_encoding::HEXLOWER_PERMISSIVE.decode(argument.as_bytes()).unwrap_or_default();
        let digest = hashlane_digest::Digest::new(algorithm, &bytes).ok();
        self.settings
            .known
            .add(argument.as_bytes(), 0, digest.as_slice())
            .map_err(|too_many| self.unusable(too_many.into()))
    }

    fn unusable(&self, unusable: Unusable) -> Ends {
        match unusable {
            Unusable::Columns => self.voice.hint(),
            Unusable::TooMany => {
                self.voice
                    .fatal("more than 4294967295 known files; use several runs with a part of them each");
            }
        }
        Ends(FAILURE)
    }

    fn kinds(&mut self, argument: &OsStr) {
        let kinds = self.settings.files.kinds.get_or_insert_default();
        for &letter in argument.as_bytes() {
            match letter {
                b'e' => kinds.windows = true,
                b'b' => kinds.block = true,
                b'c' => kinds.character = true,
                b'p' => kinds.pipe = true,
                b'f' => kinds.regular = true,
                b'l' => kinds.symlink = true,
                b's' => kinds.socket = true,
                // Doors are of Solaris.
                b'd' => {}
                _ => {
                    let program = self.voice.program.as_bytes();
                    self.voice.error([program, b": Unrecognized file type: ", &[letter]].concat());
                }
            }
        }
    }

    fn io_mode(&mut self, argument: &OsStr) -> Result<(), Ends> {
        if matches!(argument.as_bytes(), [b'b' | b'B' | b'u' | b'U' | b'm' | b'M', ..]) {
            return Ok(());
        }
        self.voice
            .fatal([b"unknown I/O mode: ".as_slice(), argument.as_bytes(), b"; use -F b, u or m"].concat());
        Err(Ends(USER_ERROR))
    }

    fn threshold(&mut self, letter: u8, argument: &OsStr) -> Result<(), Ends> {
        let size = self.size(argument);
        if size == 0 {
            let end = if self.settings.family == Family::Hashdeep { "" } else { "." };
            self.voice.error(format!("Requested size threshold implies not hashing anything{end}"));
            return Err(Ends(USER_ERROR));
        }
        self.settings.files.threshold = Some(size);
        self.settings.files.stars |= letter == b'I';
        Ok(())
    }

    fn piece(&mut self, argument: &OsStr) -> Result<(), Ends> {
        self.settings.files.piece = NonZeroU64::new(self.size(argument));
        if self.settings.files.piece.is_some() {
            return Ok(());
        }
        if self.settings.family == Family::Hashdeep {
            self.voice.fatal("Piecewise blocks of zero bytes are impossible");
            return Err(Ends(FAILURE));
        }
        self.voice.error("Illegal size value for piecewise mode.");
        Err(Ends(USER_ERROR))
    }

    /// A size with its unit, as far as it can be understood.
    fn size(&self, argument: &OsStr) -> u64 {
        let Some(&last) = argument.as_bytes().last() else { return 0 };
        let power = match last.to_ascii_lowercase() {
            b'b' | b'0'..=b'9' => 0,
            b'k' => 1,
            b'm' => 2,
            b'g' => 3,
            b't' => 4,
            b'p' => 5,
            b'e' => 6,
            _ => {
                self.voice.error("Improper piecewise multiplier ignored.");
                0
            }
        };
        leading_number(argument.as_bytes()).saturating_mul(1 << (10 * power))
    }

    /// What cannot be meant.
    fn sanity(&self) -> Result<(), Ends> {
        let Settings { family, mode, known, files, lines, .. } = &self.settings;
        let single = *family != Family::Hashdeep;
        let matches = matches!(mode, Mode::Match { .. });
        let faults = [
            (*mode != Mode::Compute && known.len() == 0, "Unable to load any matching files."),
            (files.relative && lines.bare, "Relative paths and bare filenames are mutally exclusive."),
            (
                single && files.piece.is_some() && lines.size,
                "Piecewise mode and file size display is just plain silly.",
            ),
            (
                single && lines.show_unmatched && !matches,
                "Matching or negative matching must be enabled to display non-matching files.",
            ),
            (
                single && lines.show_matched && !matches,
                "Matching or negative matching must be enabled to display which file matched.",
            ),
        ];
        match faults.iter().find(|(is_so, _)| *is_so) {
            Some((_, text)) => Err(self.senseless(text)),
            None => Ok(()),
        }
    }

    fn senseless(&self, text: &str) -> Ends {
        if !self.voice.silent {
            self.voice.error(text);
            self.voice.hint();
        }
        Ends(USER_ERROR)
    }

    fn misused(&self) -> Ends {
        self.voice.hint();
        Ends(if self.settings.family == Family::Hashdeep { FAILURE } else { USER_ERROR })
    }
}

/// The number at the start of a text, 0 if there is none; one that does not fit is the largest that does.
fn leading_number(text: &[u8]) -> u64 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}
