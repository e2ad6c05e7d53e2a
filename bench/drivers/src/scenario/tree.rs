//! The tree in which everything happens.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

use super::Runner;
use crate::damage;
use crate::peers::random::Random;

/// How long all files are that are not empty, so that any two can be swapped.
const LENGTH: usize = 24_000;

/// How long a sparse file is, and where it has bytes.
const SPARSE_BYTES: u64 = 4 << 20;
const SPARSE_AT: u64 = 1 << 20;

/// When the first file was written, in seconds since 1970. Each has a time of its own.
const WRITTEN_S: u64 = 1_600_000_000;

pub(super) struct Tree {
    root: PathBuf,
    runner: Runner,
}

impl Tree {
    pub(super) fn new(root: PathBuf, runner: Runner) -> Result<Self> {
        fs::create_dir(&root).with_context(|| root.display().to_string())?;
        Ok(Self { root, runner })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn runner(&self) -> &Runner {
        &self.runner
    }

    pub(super) fn path(&self, name: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(name))
    }

    /// When a file was written that was there from the beginning.
    fn time(name: &[u8]) -> SystemTime {
        let number = Random::new(mark(name)).below(10_000_000) as u64;
        SystemTime::UNIX_EPOCH + Duration::from_secs(WRITTEN_S + number)
    }

    /// Makes a file that is there from the beginning. What its name ends with says what it is like.
    pub(super) fn make(&self, name: &[u8]) -> Result<()> {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if name.ends_with(b".empty") {
            fs::write(&path, b"")?;
        } else if name.ends_with(b".sparse") {
            let file = File::create(&path)?;
            file.set_len(SPARSE_BYTES)?;
            file.write_all_at(&content(name), SPARSE_AT)?;
        } else {
            fs::write(&path, content(name))?;
        }
        damage::set_time(&path, Self::time(name))
    }

    /// Hands all of it over to whom programs run as.
    pub(super) fn hand_over(&self) -> Result<()> {
        let mut waiting = vec![self.root.clone()];
        while let Some(directory) = waiting.pop() {
            self.runner.hand_over(&directory)?;
            for entry in fs::read_dir(&directory)? {
                let entry = entry?;
                match entry.file_type()?.is_dir() {
                    true => waiting.push(entry.path()),
                    false => self.runner.hand_over(&entry.path())?,
                }
            }
        }
        Ok(())
    }

    /// Writes a file that may be there.
    pub(super) fn write(&self, name: &[u8], content: &[u8]) -> Result<()> {
        let path = self.path(name);
        fs::write(&path, content)?;
        self.runner.hand_over(&path)
    }

    /// Overwrites some bytes in the middle of a file.
    pub(super) fn edit(&self, name: &[u8], with: &[u8]) -> Result<()> {
        File::options().write(true).open(self.path(name))?.write_all_at(with, 7000)?;
        Ok(())
    }

    pub(super) fn append(&self, name: &[u8], more: &[u8]) -> Result<()> {
        std::io::Write::write_all(&mut File::options().append(true).open(self.path(name))?, more)?;
        Ok(())
    }

    /// Sets the time back to that of the beginning.
    pub(super) fn set_back(&self, name: &[u8]) -> Result<()> {
        damage::set_time(&self.path(name), Self::time(name))
    }

    /// The content that a file had in the beginning.
    pub(super) fn restore(&self, name: &[u8]) -> Result<()> {
        self.write(name, &content(name))?;
        self.set_back(name)
    }

    pub(super) fn set_mode(&self, name: &[u8], mode: u32) -> Result<()> {
        Ok(fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode))?)
    }
}

/// What a file has in the beginning: something else in each.
fn content(name: &[u8]) -> Vec<u8> {
    let mut content = vec![0; LENGTH];
    Random::new(mark(name)).fill(&mut content);
    content
}

fn mark(name: &[u8]) -> u64 {
    name.iter().fold(17, |mark, byte| Random::for_item(mark, u64::from(*byte)).next())
}
