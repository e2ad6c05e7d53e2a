//! File systems in files: damage below a file system, which no program has written.
//!
//! Owns making, mounting and unmounting them, which takes root, and finding where in the file the bytes of a file lie.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use xtask::cargo::find_command;

use crate::damage;

/// What making and mounting takes, and the package that has it.
const PROGRAMS: [(&str, &str); 4] =
    [("mkfs.ext4", "e2fsprogs"), ("debugfs", "e2fsprogs"), ("mount", "mount"), ("umount", "mount")];

/// What the tables and the journal take besides the files, at least and in a hundred.
const LEAST_MORE: u64 = 64 << 20;
const MORE_PERCENT: u64 = 4;

/// A file with a file system in it, which is unmounted when this goes.
#[derive(Debug)]
pub(crate) struct Image {
    path: PathBuf,
    place: PathBuf,
    is_mounted: bool,
}

/// Why there can be no mounted image here; nothing if there can be one.
pub(crate) fn obstacle() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("mounting an image takes root".to_owned());
    }
    let missing = PROGRAMS.iter().find(|(name, _)| find_command(name).is_none());
    missing.map(|(name, package)| format!("{name} is not here (package {package})"))
}

impl Image {
    /// Makes a file system with room for `bytes` bytes of files, and mounts it. The file is sparse: it takes what is in it.
    pub(crate) fn make(path: &Path, place: &Path, bytes: u64) -> Result<Self> {
        let file = File::create_new(path).with_context(|| format!("cannot make {}", path.display()))?;
        file.set_len(bytes + bytes / 100 * MORE_PERCENT + LEAST_MORE)?;
        succeed(Command::new(program("mkfs.ext4")?).args(["-q", "-F", "-b", "4096", "-m", "0"]).arg(path))?;
        fs::create_dir_all(place)?;
        let mut image = Self { path: path.to_owned(), place: place.to_owned(), is_mounted: false };
        image.mount()?;
        Ok(image)
    }

    /// Where it is mounted.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    pub(crate) fn mount(&mut self) -> Result<()> {
        succeed(Command::new(program("mount")?).args(["-o", "loop"]).arg(&self.path).arg(&self.place))?;
        self.is_mounted = true;
        Ok(())
    }

    pub(crate) fn unmount(&mut self) -> Result<()> {
        succeed(Command::new(program("umount")?).arg(&self.place))?;
        self.is_mounted = false;
        Ok(())
    }

    /// Flips a bit of a file by its inode while nothing is mounted.
    pub(crate) fn flip(&mut self, inode: u64, byte: u64, bit: u32) -> Result<()> {
        self.unmount()?;
        flip_below(&self.path, &format!("<{inode}>"), byte, bit)?;
        self.mount()
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.is_mounted
            && let Err(error) = self.unmount()
        {
            eprintln!("{}: {error:#}", self.place.display());
        }
    }
}

/// Flips a bit of a file in an image that is not mounted. `file`: a path in it, or an inode in angle brackets.
pub(crate) fn flip_below(image: &Path, file: &str, byte: u64, bit: u32) -> Result<()> {
    let header = debugfs(image, "show_super_stats -h")?;
    let block_bytes = header.lines().find_map(|line| line.strip_prefix("Block size:"));
    let block_bytes: u64 = block_bytes.context("debugfs tells no block size")?.trim().parse()?;
    ensure!(!header.contains("needs_recovery"), "{} is mounted, or was not unmounted", image.display());
    let said = debugfs(image, &format!("bmap {file} {}", byte / block_bytes))?;
    let block: u64 =
        said.trim().parse().with_context(|| format!("debugfs does not tell where {file} lies: {said}"))?;
    ensure!(block > 0, "{file} has a hole at byte {byte}");
    let raw = File::options().read(true).write(true).open(image)?;
    damage::flip_in(&raw, block * block_bytes + byte % block_bytes, bit)
}

fn debugfs(image: &Path, request: &str) -> Result<String> {
    let mut command = Command::new(program("debugfs")?);
    let output = command.args(["-R", request]).arg(image).stdin(Stdio::null()).output()?;
    ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn program(name: &str) -> Result<PathBuf> {
    find_command(name).with_context(|| format!("{name} is not here"))
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
