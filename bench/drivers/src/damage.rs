//! What is done to files on purpose, so that an audit has something to find.
//!
//! Owns each kind of damage, done once. Who injects it says what is to be found of it.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::peers::random::Random;

/// Sets the modification time of a file.
pub(crate) fn set_time(path: &Path, time: SystemTime) -> Result<()> {
    // Reading will do: who owns a file may set its times, whether it is to be written or not.
    File::open(path)?.set_times(FileTimes::new().set_modified(time))?;
    Ok(())
}

/// Works on a file, and sets its modification time back.
pub(crate) fn keeping_time(path: &Path, work: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let modified = fs::metadata(path).with_context(|| path.display().to_string())?.modified()?;
    work(path)?;
    set_time(path, modified)
}

/// Flips one bit by a write.
pub(crate) fn flip(path: &Path, byte: u64, bit: u32) -> Result<()> {
    let file = File::options().read(true).write(true).open(path)?;
    flip_in(&file, byte, bit)
        .with_context(|| format!("cannot flip a bit at byte {byte} of {}", path.display()))
}

/// Flips one bit of an open file.
pub(crate) fn flip_in(file: &File, byte: u64, bit: u32) -> Result<()> {
    let mut byte_there = [0];
    file.read_exact_at(&mut byte_there, byte)?;
    byte_there[0] ^= 1 << (bit % 8);
    file.write_all_at(&byte_there, byte)?;
    file.sync_all()?;
    Ok(())
}

/// Cuts a file off.
pub(crate) fn cut_off(path: &Path, length: u64) -> Result<()> {
    let file = File::options().write(true).open(path)?;
    let before = file.metadata()?.len();
    ensure!(length < before, "{} has {before} bytes, which are not more than {length}", path.display());
    file.set_len(length)?;
    Ok(())
}

/// Gives a file another name, in a directory that is made if there is none.
pub(crate) fn rename(path: &Path, to: &Path) -> Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    ensure!(fs::symlink_metadata(to).is_err(), "{} is there already", to.display());
    fs::rename(path, to).with_context(|| format!("cannot rename {} to {}", path.display(), to.display()))
}

/// Swaps the names of two files.
pub(crate) fn swap(one: &Path, other: &Path) -> Result<()> {
    let between = beside(one, ".swapped");
    rename(one, &between)?;
    rename(other, one)?;
    rename(&between, other)
}

/// Puts another file of the same length in the place of one.
pub(crate) fn replace(path: &Path, seed: u64) -> Result<()> {
    let mut content = vec![0; usize::try_from(fs::metadata(path)?.len())?];
    Random::new(seed).fill(&mut content);
    let next = beside(path, ".next");
    fs::write(&next, content)?;
    fs::rename(&next, path)?;
    Ok(())
}

/// Puts an empty directory in the place of a tree, as where a disk is not mounted. Returns where the tree is now.
pub(crate) fn root_gone(root: &Path) -> Result<PathBuf> {
    let gone = beside(root, ".gone");
    rename(root, &gone)?;
    fs::create_dir(root)?;
    Ok(gone)
}

/// Moves every second thing in a directory out of it. Returns where they are now.
pub(crate) fn half_gone(root: &Path) -> Result<PathBuf> {
    let gone = beside(root, ".gone");
    fs::create_dir(&gone).with_context(|| gone.display().to_string())?;
    let mut names: Vec<_> =
        fs::read_dir(root)?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
    names.sort();
    for name in names.iter().step_by(2) {
        fs::rename(root.join(name), gone.join(name))?;
    }
    Ok(gone)
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_is_flipped_and_the_time_stays() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        fs::write(&path, [0; 9]).expect("written");
        set_time(&path, SystemTime::UNIX_EPOCH).expect("set");
        keeping_time(&path, |path| flip(path, 8, 3)).expect("flipped");
        assert_eq!(fs::read(&path).expect("readable"), [0, 0, 0, 0, 0, 0, 0, 0, 8]);
        let modified = fs::metadata(&path).and_then(|facts| facts.modified()).expect("it has a time");
        assert_eq!(modified, SystemTime::UNIX_EPOCH);
        assert!(flip(&path, 9, 0).is_err() && cut_off(&path, 9).is_err());
    }

    #[test]
    fn half_of_a_directory_is_elsewhere() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("root");
        fs::create_dir(&root).expect("made");
        for name in ["a", "b", "c"] {
            fs::write(root.join(name), name).expect("written");
        }
        let gone = half_gone(&root).expect("moved");
        assert!(root.join("b").exists() && gone.join("a").exists() && gone.join("c").exists());
        swap(&gone.join("a"), &root.join("b")).expect("swapped");
        assert_eq!(fs::read(root.join("b")).expect("readable"), b"a");
    }
}
