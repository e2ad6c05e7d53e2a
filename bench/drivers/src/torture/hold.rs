//! `cargo xtask hold`: opens a catalogue in a process of its own, verifies it, and keeps it open until its input ends.
//!
//! Nobody may map files of a file system that they serve themselves: to unmap one, the kernel writes back what is dirty, with the lock of
//! the address space held, and whoever is to take that waits for the same lock as soon as it needs memory. SQLite maps the file that it
//! shares among processes.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use hashlane_catalog::{Catalog, Thoroughness};

/// What is said once it is open.
const OPEN: &str = "open\n";

/// Options of `hold`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The catalogue; it is made if there is none
    catalogue: PathBuf,
}

/// Holds a catalogue until the input ends. True if it is whole.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let catalog = whole(&options.catalogue)?;
    let mut output = io::stdout();
    output.write_all(OPEN.as_bytes())?;
    output.flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    drop(catalog);
    Ok(true)
}

/// Opens a catalogue, and asserts that it is whole.
pub(super) fn whole(catalogue: &Path) -> Result<Catalog> {
    let catalog = Catalog::open_or_make(catalogue).context("the catalogue cannot be opened")?;
    let problems = catalog.verify(Thoroughness::Full).context("the catalogue cannot be verified")?;
    ensure!(problems.is_empty(), "the catalogue is damaged: {problems:?}");
    Ok(catalog)
}

/// A catalogue that another process has open.
#[derive(Debug)]
pub(super) struct Held(Child);

impl Held {
    /// Has another process open a catalogue, which is to be whole.
    pub(super) fn open(catalogue: &Path) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("hold").arg(catalogue);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut said = String::new();
        let output = child.stdout.take().context("it has an output")?;
        BufReader::new(output).read_line(&mut said)?;
        if said != OPEN {
            let ended = child.wait_with_output()?;
            anyhow::bail!("{}", String::from_utf8_lossy(&ended.stderr).trim_end());
        }
        Ok(Self(child))
    }

    /// Has it closed.
    pub(super) fn close(mut self) -> Result<()> {
        drop(self.0.stdin.take());
        let status = self.0.wait()?;
        ensure!(status.success(), "a catalogue that was held ended with {status}");
        Ok(())
    }
}
