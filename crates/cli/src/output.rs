//! Where the results go: standard output, or a file that appears only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hashlane_record::Escaped;

use crate::screen::Screen;
use crate::status::Ended;

/// Bytes gathered before they are written.
const BUFFER_BYTES: usize = 64 << 10;

/// How long a result may wait in the buffer, so that a slow run can be followed.
const PATIENCE: Duration = Duration::from_secs(1);

/// A buffered destination. Every `write` is taken whole, as one piece.
#[derive(Debug)]
pub(crate) struct Output {
    target: Target,
    buffer: Vec<u8>,
    flushed: Instant,
    screen: Screen,
}

#[derive(Debug)]
enum Target {
    Stdout {
        terminal: bool,
    },
    /// Written under the name with `.partial` and renamed when complete.
    File {
        partial: PathBuf,
        path: PathBuf,
        file: File,
    },
    /// A device or pipe that was named: written as it is.
    Special(File),
}

impl Output {
    /// Opens the destination; `None` is standard output.
    pub(crate) fn open(path: Option<&Path>, screen: &Screen) -> anyhow::Result<Self> {
        let target = match path {
            None => Target::Stdout { terminal: io::stdout().is_terminal() },
            Some(path) if fs::metadata(path).is_ok_and(|facts| !facts.is_file()) => {
                if path.is_dir() {
                    return Err(Ended::usage(format!(
                        "--output {}: is a directory; name a file",
                        shown(path)
                    )));
                }
                let file =
                    OpenOptions::new().write(true).open(path).map_err(|error| refused(path, &error))?;
                Target::Special(file)
            }
            Some(path) => {
                let mut partial = path.as_os_str().to_owned();
                partial.push(".partial");
                let partial = PathBuf::from(partial);
                let file = File::create(&partial).map_err(|error| refused(&partial, &error))?;
                Target::File { partial, path: path.into(), file }
            }
        };
        Ok(Self {
            target,
            buffer: Vec::with_capacity(BUFFER_BYTES),
            flushed: Instant::now(),
            screen: screen.clone(),
        })
    }

    /// Device and inode of the files that it goes to, or will replace: they are no items of a walk.
    pub(crate) fn identities(&self) -> Vec<(u64, u64)> {
        let of = |facts: fs::Metadata| facts.is_file().then(|| (facts.dev(), facts.ino()));
        let found = match &self.target {
            Target::Stdout { .. } => {
                let facts = rustix::fs::fstat(rustix::stdio::stdout()).ok();
                let regular = |mode| rustix::fs::FileType::from_raw_mode(mode).is_file();
                let identity =
                    facts.filter(|facts| regular(facts.st_mode)).map(|facts| (facts.st_dev, facts.st_ino));
                [identity, None]
            }
            Target::File { path, file, .. } => {
                [file.metadata().ok().and_then(of), fs::metadata(path).ok().and_then(of)]
            }
            Target::Special(_) => [None, None],
        };
        found.into_iter().flatten().collect()
    }

    /// Puts the complete result in its place.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.flush().map_err(|error| self.failed(&error))?;
        if let Target::File { partial, path, file } = &self.target {
            file.sync_all().map_err(|error| refused(partial, &error))?;
            fs::rename(partial, path)
                .with_context(|| format!("{} is complete but cannot be renamed", shown(partial)))
                .map_err(|error| Ended::output(format!("{error:#}")))?;
        }
        Ok(())
    }

    /// Writes what is gathered and leaves the file under its partial name; says where that is.
    pub(crate) fn abandon(&mut self) -> Option<&Path> {
        // Whoever abandons it has reported why; what cannot be written now could not before.
        let _ = self.flush();
        match &self.target {
            Target::File { partial, .. } => Some(partial),
            _ => None,
        }
    }

    /// The error for a failed write: silent for a broken pipe, which ends the process.
    pub(crate) fn failed(&self, error: &io::Error) -> anyhow::Error {
        if error.kind() == io::ErrorKind::BrokenPipe {
            crate::signals::die_by_broken_pipe();
        }
        match &self.target {
            Target::Stdout { .. } => Ended::output(format!("cannot write to standard output: {error}")),
            Target::File { partial, .. } => Ended::output(format!(
                "cannot write to {}: {error}; what was written stays there",
                shown(partial)
            )),
            Target::Special(_) => Ended::output(format!("cannot write the output: {error}")),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        let live = matches!(self.target, Target::Stdout { terminal: true });
        if live || self.buffer.len() >= BUFFER_BYTES || self.flushed.elapsed() >= PATIENCE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed = Instant::now();
        let buffer = std::mem::take(&mut self.buffer);
        let result = match &mut self.target {
            Target::Stdout { terminal: false } => write_stdout(&buffer),
            Target::Stdout { terminal: true } => self.screen.aside(|| write_stdout(tame(&buffer).as_bytes())),
            Target::File { file, .. } | Target::Special(file) => file.write_all(&buffer),
        };
        self.buffer = buffer;
        self.buffer.clear();
        result
    }
}

fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Lines for a terminal: what it would obey is escaped, line ends and backslashes stay.
fn tame(text: &[u8]) -> String {
    let mut tamed = String::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let (line, end) = line.strip_suffix(b"\n").map_or((line, ""), |line| (line, "\n"));
        for (index, piece) in line.split(|&byte| byte == b'\\').enumerate() {
            if index > 0 {
                tamed.push('\\');
            }
            tamed.push_str(&Escaped(piece).to_string());
        }
        tamed.push_str(end);
    }
    tamed
}

/// A path for a message.
pub(crate) fn shown(path: &Path) -> String {
    Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}

fn refused(path: &Path, error: &io::Error) -> anyhow::Error {
    Ended::output(format!("cannot write to {}: {error}", shown(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_characters() {
        assert_eq!(tame(b"\\ab  a\\nb\n12  \x1b[31mred\xff\n"), "\\ab  a\\nb\n12  \\x1b[31mred\\xff\n");
    }
}
