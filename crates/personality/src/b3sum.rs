//! b3sum 1.8, the program of BLAKE3's authors.
//!
//! Recorded from the program itself, and held against it by the differential tests. Ordinary digests come from
//! the engine, so that many files at once and the parts of big ones are digested by all cores. With a key, a
//! context or another part of the output, one file after the other is digested here, the parts of big ones by
//! all cores as well.

mod check;
mod line;
mod output;
mod parts;

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::outputs::Outputs;
use super::{Call, Host};
use output::{Mode, Output};

/// The command line. Names, order and relations are those of the original, for its messages show them.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "b3sum",
    max_term_width = 100,
    about = "Print or check BLAKE3 digests",
    after_help = "This is hashlane in the manner of b3sum; hashlane --help has more."
)]
struct Args {
    /// Files to digest, or lists to check; without any, or for -, standard input
    file: Vec<PathBuf>,

    /// Digest with a key: 32 bytes that come from standard input
    #[arg(long, requires = "file")]
    keyed: bool,

    /// Derive a key from what the files hold, for this context
    #[arg(long, value_name = "CONTEXT", conflicts_with = "keyed")]
    derive_key: Option<String>,

    /// How many bytes of output
    #[arg(short, long, default_value_t = 32, value_name = "LEN")]
    length: u64,

    /// Where in the output they begin
    #[arg(long, default_value_t = 0, value_name = "SEEK")]
    seek: u64,

    /// How many threads at most; 0 for as many as there are cores
    #[arg(long, value_name = "NUM")]
    num_threads: Option<usize>,

    /// Read files instead of mapping them
    #[arg(long)]
    no_mmap: bool,

    /// Print digests without names
    #[arg(long)]
    no_names: bool,

    /// Print bytes instead of digits; takes one file
    #[arg(long)]
    raw: bool,

    /// Print lines that name the algorithm: BLAKE3 (FILE) = DIGEST
    #[arg(long)]
    tag: bool,

    /// Verify the files that the lists name
    #[arg(
        short,
        long,
        conflicts_with_all = ["derive_key", "keyed", "length", "raw", "tag", "no_names"]
    )]
    check: bool,

    /// With --check, print no line for files that are right
    #[arg(long, requires = "check")]
    quiet: bool,
}

/// What the command line asks for.
struct Settings {
    args: Args,
    mode: Mode,
}

/// What keeps the program from going on.
enum Ends {
    /// All has been said.
    Code(u8),
    /// This is said last.
    Error(String),
}

impl From<io::Error> for Ends {
    fn from(error: io::Error) -> Self {
        Self::Error(error.to_string())
    }
}

pub(super) fn run(call: Call, host: Arc<dyn Host>) -> u8 {
    let mut outputs = Outputs::new(host);
    let done = parse(call, &mut outputs).and_then(|settings| {
        if settings.args.check {
            check::run(&settings, &mut outputs)
        } else {
            Ok(sum(&settings, &mut outputs))
        }
    });
    let code = match done {
        Ok(succeeded) => u8::from(!succeeded),
        Err(Ends::Code(code)) => code,
        Err(Ends::Error(message)) => {
            outputs.say(format!("Error: {message}\n").as_bytes());
            1
        }
    };
    outputs.pour();
    if let Some(error) = outputs.broken() {
        let message = format!("b3sum: standard output: {error}\n");
        outputs.say(message.as_bytes());
        return 1;
    }
    code
}

fn parse(call: Call, outputs: &mut Outputs) -> Result<Settings, Ends> {
    let command = Args::command().version(concat!("(hashlane) ", env!("CARGO_PKG_VERSION")));
    let words = std::iter::once(call.called).chain(call.arguments);
    let parsed = command.try_get_matches_from(words).and_then(|matches| Args::from_arg_matches(&matches));
    let mut args = parsed.map_err(|error| {
        let text = error.render().to_string();
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            outputs.print(text.as_bytes());
            Ends::Code(0)
        } else {
            outputs.say(text.as_bytes());
            Ends::Code(2)
        }
    })?;
    if args.file.is_empty() {
        args.file.push("-".into());
    }
    if args.raw && args.file.len() > 1 {
        return Err(Ends::Error("Only one filename can be provided when using --raw".to_owned()));
    }
    let mode = match &args.derive_key {
        _ if args.keyed => Mode::Keyed(output::key()?),
        Some(context) => Mode::derive(context),
        None => Mode::Plain,
    };
    Ok(Settings { args, mode })
}

/// Prints digests; true if there was one of every file.
fn sum(settings: &Settings, outputs: &mut Outputs) -> bool {
    let mut succeeded = true;
    let names: Vec<_> = settings.args.file.iter().map(|file| file.as_os_str().as_bytes()).collect();
    for names in names.chunks(settings.batch(settings.args.length)) {
        for (&name, output) in names.iter().zip(settings.outputs(names, settings.args.length)) {
            match output {
                Ok(output) => settings.print(name, output, outputs),
                Err(error) => {
                    succeeded = false;
                    let name = String::from_utf8_lossy(name);
                    outputs.say(format!("b3sum: {name}: {error}\n").as_bytes());
                }
            }
            if outputs.broken().is_some() {
                return false;
            }
        }
    }
    succeeded
}

impl Settings {
    /// Prints what came of a file.
    fn print(&self, name: &[u8], output: Output, outputs: &mut Outputs) {
        let args = &self.args;
        if args.raw {
            output.raw(outputs);
            return;
        }
        if args.no_names {
            output.hex(outputs);
        } else {
            let (is_escaped, name) = line::shown(name);
            if is_escaped {
                outputs.print(b"\\");
            }
            if args.tag {
                outputs.print(format!("BLAKE3 ({name}) = ").as_bytes());
                output.hex(outputs);
            } else {
                output.hex(outputs);
                outputs.print(format!("  {name}").as_bytes());
            }
        }
        outputs.print(b"\n");
    }
}
