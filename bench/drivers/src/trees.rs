//! `cargo xtask make-tree`: synthetic collections of real bytes, as the benchmark driver of ACE describes its own.
//!
//! Owns their shape: directories are nested to a depth, only the deepest ones have files, and all of it follows from a seed.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::peers::random::Random;
use crate::sizes;

/// Bytes that are made together.
const BLOCK_BYTES: usize = 1 << 20;

/// Options of `make-tree`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Where the tree is made; there is to be nothing
    #[arg(value_name = "DIR")]
    root: PathBuf,
    #[command(flatten)]
    shape: Shape,
}

/// What a tree is like.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Shape {
    /// How deep directories are nested; 0: all files are in the root
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) depth: u32,
    /// Directories in each directory above the deepest ones
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) directories: u32,
    /// Files in each of the deepest directories
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) files: u32,
    /// How long each file is, such as 64KiB, or 100..64KiB
    #[arg(long, default_value = "64KiB", value_parser = sizes::range, value_name = "SIZE")]
    pub(crate) length: (u64, u64),
    /// What all contents follow from
    #[arg(long, default_value_t = 974_629_478, value_name = "N")]
    pub(crate) seed: u64,
}

/// What was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// Makes a tree, and says what it has.
pub(crate) fn run(options: &Options) -> Result<bool> {
    ensure!(!options.root.exists(), "{} is there already", options.root.display());
    let made = options.shape.make(&options.root)?;
    println!("{}: {} files, {} bytes", options.root.display(), made.files, made.bytes);
    Ok(true)
}

impl Shape {
    /// Makes a tree below a root.
    pub(crate) fn make(&self, root: &Path) -> Result<Made> {
        let mut made = Made::default();
        self.level(root, self.depth, &mut made)?;
        Ok(made)
    }

    /// The paths below the root of all files, in the order in which they are made.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut directories = vec![String::new()];
        for _ in 0..self.depth {
            directories = below(&directories, self.directories, |number| format!("d{number:03}/"));
        }
        below(&directories, self.files, |number| format!("f{number:06}"))
    }

    fn level(&self, directory: &Path, depth: u32, made: &mut Made) -> Result<()> {
        fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        if depth > 0 {
            return (0..self.directories).try_for_each(|number| {
                self.level(&directory.join(format!("d{number:03}")), depth - 1, made)
            });
        }
        for number in 0..self.files {
            let path = directory.join(format!("f{number:06}"));
            made.bytes +=
                self.file(&path, made.files).with_context(|| format!("cannot write {}", path.display()))?;
            made.files += 1;
        }
        Ok(())
    }

    fn file(&self, path: &Path, number: u64) -> Result<u64> {
        let (least, most) = self.length;
        let mut random = Random::for_item(self.seed, number);
        // All lengths are as likely.
        let length = least + ((u128::from(random.next()) * u128::from(most - least + 1)) >> 64) as u64;
        let mut block = vec![0; BLOCK_BYTES.min(usize::try_from(length)?)];
        let mut file = File::create_new(path)?;
        let mut left = length;
        while left > 0 {
            let now = left.min(BLOCK_BYTES as u64) as usize;
            random.fill(&mut block[..now]);
            file.write_all(&block[..now])?;
            left -= now as u64;
        }
        Ok(length)
    }
}

/// `number` names in each of some directories.
fn below(directories: &[String], number: u32, name: impl Fn(u32) -> String) -> Vec<String> {
    let names =
        |directory| (0..number).map(|number| format!("{directory}{}", name(number))).collect::<Vec<_>>();
    directories.iter().flat_map(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_its_shape_and_follows_from_its_seed() {
        let shape = Shape { depth: 2, directories: 3, files: 4, length: (10, 2000), seed: 1 };
        let directory = tempfile::tempdir().expect("a directory");
        let (one, other) = (directory.path().join("one"), directory.path().join("other"));
        let made = shape.make(&one).expect("made");
        assert_eq!(shape.make(&other).expect("made"), made);
        let names = shape.names();
        assert_eq!((made.files, names.len()), (36, 36));
        let mut bytes = 0;
        for name in &names {
            let content = fs::read(one.join(name)).expect("it was made");
            assert_eq!(content, fs::read(other.join(name)).expect("it was made"));
            assert!((10..=2000).contains(&content.len()));
            bytes += content.len() as u64;
        }
        assert_eq!(bytes, made.bytes);
    }
}
