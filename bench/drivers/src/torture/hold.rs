//! `cargo xtask hold`: opens a catalogue in a process of its own, verifies it, and keeps it open until its input ends.
//!
//! Nobody may map files of a file system that they serve themselves: to unmap one, the kernel writes back what is dirty, with the lock of
//! the address space held, and whoever is to take that waits for the same lock as soon as it needs memory. SQLite maps the file that it
//! shares among processes.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use hashlane_catalog::{Reader, Thoroughness, Writer};

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
    let catalog = Writer::open_or_make(&options.catalogue).context("the catalogue cannot be opened")?;
    assert_whole(&catalog)?;
    let mut output = io::stdout();
    output.write_all(OPEN.as_bytes())?;
    output.flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    drop(catalog);
    Ok(true)
}

/// Asserts that a catalogue is whole.
pub(super) fn assert_whole(catalog: &Reader) -> Result<()> {
    let problems = catalog.verify(Thoroughness::Full).context("the catalogue cannot be verified")?;
    ensure!(problems.is_empty(), "the catalogue is damaged: {problems:?}");
    Ok(())
}

/// What has this program hold a catalogue. Where its tests run, it is they, and one of them holds it.
fn holder(catalogue: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    #[cfg(not(test))]
    command.arg("hold").arg(catalogue);
    #[cfg(test)]
    command.args(["--exact", tests::HOLDS, "--nocapture"]).env(tests::CATALOGUE, catalogue);
    Ok(command)
}

/// A catalogue that another process has open.
#[derive(Debug)]
pub(super) struct Held {
    child: Child,
    _output: BufReader<ChildStdout>,
}

impl Held {
    /// Has another process open a catalogue, which is to be whole.
    pub(super) fn open(catalogue: &Path) -> Result<Self> {
        let mut command = holder(catalogue)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut output = BufReader::new(child.stdout.take().context("it has an output")?);
        let mut said = String::new();
        // A process of the tests has its own words before that.
        while !said.ends_with(OPEN) {
            said.clear();
            if output.read_line(&mut said)? == 0 {
                let ended = child.wait_with_output()?;
                bail!("{}", String::from_utf8_lossy(&ended.stderr).trim_end());
            }
        }
        // What it says at its end is to find somebody.
        Ok(Self { child, _output: output })
    }

    /// Has it closed.
    pub(super) fn close(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "a catalogue that was held ended with {status}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the test below.
    pub(super) const HOLDS: &str = "torture::hold::tests::a_catalogue_is_held_by_another_process";

    /// The catalogue that it holds, if it is started for that.
    pub(super) const CATALOGUE: &str = "HASHLANE_TEST_HOLD";

    #[test]
    fn a_catalogue_is_held_by_another_process() {
        if let Some(catalogue) = std::env::var_os(CATALOGUE) {
            assert!(run(&Options { catalogue: catalogue.into() }).expect("it is whole"));
            return;
        }
        let directory = tempfile::tempdir().expect("a directory");
        let catalogue = directory.path().join("catalog.sqlite");
        let log = directory.path().join("catalog.sqlite-wal");
        let held = Held::open(&catalogue).expect("it is made");
        drop(Writer::open(&catalogue).expect("it can be shared"));
        assert!(log.exists(), "the last who closes it brings the log in, and that is not this one");
        held.close().expect("closed");
        assert!(!log.exists());
        std::fs::write(&catalogue, "no catalogue").expect("written");
        let error = Held::open(&catalogue).expect_err("it is none").to_string();
        assert!(error.contains("is not a catalogue"), "{error}");
    }
}
