//! The manifests that a check is given: their names, and what they say when they are opened.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::os::unix::ffi::OsStrExt as _;

use hashlane_manifest::{Error, ReadOptions, Reader};

use crate::args::CheckArgs;
use crate::inputs::Stdin;
use crate::screen::Screen;
use crate::status::Ended;
use crate::text;

/// What stands for standard input.
pub(crate) const STDIN: &str = "-";

/// The manifests to read; none named: standard input.
pub(crate) fn names(args: &CheckArgs) -> Vec<OsString> {
    if args.manifests.is_empty() { vec![STDIN.into()] } else { args.manifests.clone() }
}

/// A manifest's name for a message.
pub(crate) fn shown(name: &OsStr) -> String {
    if name == STDIN { "standard input".to_owned() } else { text::name(name.as_bytes()) }
}

/// Opens a manifest and finds out what it is.
pub(crate) fn open(name: &OsStr, args: &CheckArgs) -> anyhow::Result<Reader<'static>> {
    let shown = shown(name);
    let input: Box<dyn Read + Send> = if name == STDIN {
        if io::stdin().is_terminal() {
            Screen::plain()
                .message("reading a manifest from standard input; name a MANIFEST, or press Ctrl-D to end");
        }
        Box::new(Stdin::default())
    } else {
        let refused = |error: io::Error| Ended::unreadable(format!("{shown}: {}", text::system(&error)));
        let file = File::open(name).map_err(refused)?;
        if file.metadata().is_ok_and(|facts| facts.is_dir()) {
            return Err(Ended::usage(format!("{shown}: is a directory; name the manifest in it")));
        }
        Box::new(file)
    };
    let options = ReadOptions {
        format: args.manifest_format,
        algorithm: args.algorithm,
        file_name: (name != STDIN).then(|| name.as_bytes()),
        zero: args.zero,
        ..ReadOptions::default()
    };
    Reader::open(input, &options).map_err(|error| match error {
        Error::Input { source } => Ended::unreadable(format!("{shown}: {} (reading)", text::system(&source))),
        Error::Empty => Ended::unreadable(format!("{shown}: {error}")),
        Error::AmbiguousAlgorithm { digest_bytes, mut candidates } => {
            // Of old digests md5 is the likely one: the message suggests the first.
            candidates.sort_by_key(|algorithm| algorithm.name() != "md5");
            Ended::usage(format!("{shown}: {}", Error::AmbiguousAlgorithm { digest_bytes, candidates }))
        }
        _ => Ended::usage(format!("{shown}: {error}")),
    })
}
