//! hashdeep, md5deep, sha1deep, sha256deep, tigerdeep and whirlpooldeep 4.4: their command lines, lines and
//! exit codes.
//!
//! Owns what is old: options, words, counters. Files are read by the engine, lists by `hashlane-manifest`.
//! Where the originals crash or are wrong, what is done instead stands in docs/old-command-lines.md, with an
//! id and a test each.

mod banner;
mod document;
mod getopt;
mod hashdeep;
mod hashed;
mod known;
mod lenient;
mod load;
mod names;
mod options;
mod printer;
mod reading;
mod run;
mod settings;
mod single;
mod sources;
mod table;
mod taker;
mod usage;
mod voice;

use std::io;
use std::sync::Arc;

use hashlane_record::system_text;
use options::Ends;
use voice::Voice;

use super::{Call, Host};

/// The exit code for whatever failed: an audit, a known file that nothing matched, a file that could not be
/// read.
const FAILURE: u8 = 1;

/// The exit code for a command line that makes no sense.
const USER_ERROR: u8 = 64;

/// The exit code for a defect of this program.
const INTERNAL_ERROR: u8 = 128;

/// Runs one of the family.
pub(crate) fn run(call: Call, host: Arc<dyn Host>) -> u8 {
    let command: Vec<_> = std::iter::once(call.called.clone()).chain(call.arguments.clone()).collect();
    let done = options::parse(call, host).and_then(|(settings, voice)| run::run(settings, &voice, &command));
    done.unwrap_or_else(|Ends(code)| code)
}

/// Writes to standard output at once. One that takes nothing ends the program.
fn written(voice: &Voice, text: &[u8]) -> Result<(), Ends> {
    voice.host.print(text).map_err(|error| unwritten(voice, &error))
}

/// Says that results could not be written. A broken pipe ends the process without a word.
fn unwritten(voice: &Voice, error: &io::Error) -> Ends {
    if error.kind() == io::ErrorKind::BrokenPipe {
        voice.host.end_by_broken_pipe();
    }
    voice.fatal(format!("cannot write the results: {}", system_text(error)));
    Ends(FAILURE)
}
