//! Where the results go: standard output, or a file that appears only when it is complete.

use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};

use hashlane_digest::Algorithm;
use hashlane_engine::Taken;
pub(crate) use hashlane_io::is_special;
use hashlane_io::{AtTerminal, Destination, Outlet, first_clash};
use hashlane_manifest::{Error, Format, Misleading, WriteOptions, Writer, misleading};
use hashlane_record::{Escaped, tamed};
use hashlane_report::text;

use crate::partial::{self, Existing, not_written};
use crate::status::{Ended, halt};
use crate::terminal::screen::Screen;

/// Where results go, with the words for what becomes of that.
#[derive(Debug)]
pub(crate) struct Output(Outlet);

/// What is different at the terminal of the program.
const AT_TERMINAL: AtTerminal = AtTerminal {
    aside: |action| Screen::plain().aside(action),
    without_bar: Screen::without_bar,
    tame: tamed,
};

/// Where an output goes, for messages about it.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Stdout,
    Partial(PathBuf),
    Special(PathBuf),
}

impl Place {
    fn of(destination: &Destination) -> Self {
        match destination {
            Destination::StandardOutput => Self::Stdout,
            Destination::File { file, .. } => Self::Partial(file.beside().into()),
            Destination::Special(path) => Self::Special(path.clone()),
        }
    }

    /// The error for a failed write. One that an output has given keeps its words.
    pub(crate) fn failed(&self, error: &io::Error) -> anyhow::Error {
        if let Some(own) = Ended::of(error) {
            return own.clone().into();
        }
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Ended::broken_pipe(text::system(error));
        }
        match self {
            Self::Stdout => {
                Ended::output(format!("cannot write to standard output: {}", text::system(error)))
            }
            Self::Partial(path) => Ended::output(format!(
                "cannot write to {}: {}; what was written so far is kept",
                shown(path),
                text::system(error)
            )),
            Self::Special(path) => refused(path, error),
        }
    }
}

impl Output {
    /// Opens the destination; `None` is standard output. A file that is there is replaced.
    pub(crate) fn open(path: Option<&Path>, screen: &Screen) -> anyhow::Result<Self> {
        Self::open_as("--output", path, Existing::Replaced, screen)
    }

    /// The same, for what another option names (none: an argument), and with a say in what becomes of a file that is there.
    pub(crate) fn open_as(
        option: &str,
        path: Option<&Path>,
        existing: Existing,
        screen: &Screen,
    ) -> anyhow::Result<Self> {
        let destination = match path {
            None => Destination::StandardOutput,
            Some(path) if path.is_dir() => {
                return Err(Ended::usage(format!("{}: is a directory; name a file", named(option, path))));
            }
            Some(path) if is_special(path) => Destination::Special(path.into()),
            Some(path) => Destination::File { file: Arc::new(partial::create(path, screen)?), existing },
        };
        let place = Place::of(&destination);
        Outlet::open(destination, AT_TERMINAL).map(Self).map_err(|error| place.failed(&error))
    }

    /// Takes bytes from a sink.
    ///
    /// # Errors
    /// The error of the command ends the run.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Taken {
        self.write_all(bytes).map_err(halt)
    }

    /// Writes a line that sums up.
    pub(crate) fn line(&mut self, line: &impl fmt::Display) -> anyhow::Result<()> {
        Ok(writeln!(self, "{line}")?)
    }

    /// Writes what was taken so far.
    ///
    /// # Errors
    /// The error of the command ends the run.
    pub(crate) fn pour(&mut self) -> Taken {
        self.0.pour().map_err(|error| halt(self.failed(&error)))
    }

    /// Device and inode of the files that it goes to, or will replace: they are no items of a walk.
    pub(crate) fn identities(&self) -> Vec<(u64, u64)> {
        self.0.identities()
    }

    /// Where it goes, for messages.
    pub(crate) fn place(&self) -> Place {
        Place::of(self.0.destination())
    }

    fn failed(&self, error: &io::Error) -> anyhow::Error {
        self.place().failed(error)
    }

    /// A writer to it. A format that refuses leaves no file behind: nothing was written but one that holds nothing. `told`: the words of its
    /// error.
    ///
    /// # Errors
    /// The format refuses, or is none for a terminal; or the output fails.
    pub(crate) fn writer(
        self,
        format: Format,
        algorithms: &[Algorithm],
        options: &WriteOptions,
        told: impl FnOnce(&Error) -> String,
    ) -> anyhow::Result<Writer<Self>> {
        if format.is_binary() && self.0.is_terminal() {
            return Err(Ended::usage(format!(
                "a {format} manifest is binary and cannot be shown on a terminal; write it to a file"
            )));
        }
        // It keeps the lock when the output is gone.
        let held = match self.0.destination() {
            Destination::File { file, .. } => Some(Arc::clone(file)),
            _ => None,
        };
        Writer::new(format, algorithms, options, self).map_err(|error| {
            if let Error::Output { source } = error {
                return source.into();
            }
            if let Some(file) = held {
                drop(file.discard());
            }
            Ended::usage(told(&error))
        })
    }

    /// Replaces what stands near the beginning of a file that is not in its place yet, if it does, by as many bytes.
    pub(crate) fn amend(&self, wrong: &[u8], right: &[u8]) -> anyhow::Result<()> {
        self.0.amend(wrong, right).map_err(|error| self.failed(&error))
    }

    /// Puts the complete result in its place.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.0.pour().map_err(|error| self.failed(&error))?;
        match self.0.destination() {
            Destination::File { file, existing } => {
                file.put_in_place(*existing).map_err(|error| not_written(&error))
            }
            Destination::StandardOutput | Destination::Special(_) => Ok(()),
        }
    }

    /// Ends the output of a run that could read nothing: what a file held before is worth more than that.
    pub(crate) fn withdraw(self, screen: &Screen) -> anyhow::Result<()> {
        let Destination::File { file, .. } = self.0.destination() else { return self.finish() };
        file.discard().map_err(|error| not_written(&error))?;
        screen.message(&format!("nothing could be read; {} was not written", shown(file.path())));
        Ok(())
    }

    /// Ends the output of a run that did not come to its end: a file stays under its partial name, which is reported. Where a write has
    /// failed, that was the end.
    pub(crate) fn leave(self, screen: &Screen) -> anyhow::Result<()> {
        let is_left = self.0.leave().map_err(|error| self.failed(&error))?;
        if let (true, Destination::File { file, .. }) = (is_left, self.0.destination()) {
            screen.message(&format!("finished results are in {}", shown(file.beside())));
        }
        Ok(())
    }
}

/// Its errors have the words of the command, which [`Ended::of`] finds again.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| {
            let words = self.failed(&error).reallocate_into_boxed_dyn_error_without_backtrace();
            io::Error::new(error.kind(), words)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Refuses to write over what is there, unless it was said that it may be lost.
pub(crate) fn refuse_existing(path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        Some(path) if fs::symlink_metadata(path).is_ok() && !is_special(path) => Err(Ended::usage(format!(
            "{}: already exists; name another file, or replace it with --force",
            shown(path)
        ))),
        _ => Ok(()),
    }
}

/// Refuses an output that is one of the inputs: it would be replaced by its own digest.
pub(crate) fn refuse_input<'a>(
    output: Option<&Path>,
    inputs: impl Iterator<Item = &'a std::ffi::OsStr>,
) -> anyhow::Result<()> {
    refuse_input_as("--output", output, inputs)
}

/// The same, for what another option names (none: an argument).
pub(crate) fn refuse_input_as<'a>(
    option: &str,
    output: Option<&Path>,
    mut inputs: impl Iterator<Item = &'a std::ffi::OsStr>,
) -> anyhow::Result<()> {
    let identity = |path: &Path| {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|facts| (facts.dev(), facts.ino()))
    };
    let Some(path) = output else { return Ok(()) };
    let Some(target) = identity(path) else { return Ok(()) };
    match inputs.find(|input| *input != "-" && identity(Path::new(input)) == Some(target)) {
        None => Ok(()),
        Some(_) => Err(Ended::usage(format!("{}: is also an input; name another file", named(option, path)))),
    }
}

/// Refuses a list under a name that a reader would take for something else. `option` names the file.
pub(crate) fn refuse_misleading_name(
    option: &str,
    path: &Path,
    format: Format,
    algorithms: &[Algorithm],
) -> anyhow::Result<()> {
    let Some(misleading) = misleading(path, format, algorithms).filter(|_| !is_special(path)) else {
        return Ok(());
    };
    let taken_for = match misleading {
        Misleading::Bag => {
            "would be read as a manifest of a bag because of its name; use --manifest-format bagit".to_owned()
        }
        Misleading::Table => "is named like a table; use --manifest-format parquet".to_owned(),
        Misleading::Algorithm { told, instead_of } => {
            format!(
                "would be read as a list of {told} instead of {instead_of} because of its name; use --tag"
            )
        }
    };
    Err(Ended::usage(format!("{}: {taken_for}, or name another file", named(option, path))))
}

/// Refuses an output that is another one as well, each with the option that names it.
pub(crate) fn refuse_twice(outputs: &[(&str, Option<&Path>)]) -> anyhow::Result<()> {
    let (options, paths): (Vec<_>, Vec<_>) =
        outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?))).unzip();
    match first_clash(&paths) {
        Some((other, at)) => {
            let (this, other) = (named(options[at], paths[at]), options[other]);
            Err(Ended::usage(format!("{this}: is also the file of {other}; name another file")))
        }
        None => Ok(()),
    }
}

/// A file with the option that names it, or without one.
fn named(option: &str, path: &Path) -> String {
    let space = if option.is_empty() { "" } else { " " };
    format!("{option}{space}{}", shown(path))
}

/// A path for a message.
pub(crate) fn shown(path: &Path) -> String {
    Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}

/// The error for a file that cannot be written to.
pub(crate) fn refused(path: &Path, error: &io::Error) -> anyhow::Error {
    Ended::output(format!("cannot write to {}: {}", shown(path), text::system(error)))
}
