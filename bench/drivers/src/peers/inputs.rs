//! What is read: generated files and trees, the same from the same seed, kept and reused.
//!
//! An input is whole if its stamp, which is written last, says what the recipe says; anything else is made anew.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::random::Random;

/// Files in one folder.
const FILES_IN_FOLDER: u64 = 1_000;

/// What a file system is taken to keep for one small file beyond its bytes: the rest of a block, and an inode.
const OVERHEAD_BYTES: u64 = 4_096;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// How an input is made.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// Folder under the directory of inputs.
    pub(crate) name: &'static str,
    /// For people.
    pub(crate) title: String,
    groups: Vec<Group>,
}

/// Files of one kind within an input.
#[derive(Clone, Debug)]
struct Group {
    prefix: &'static str,
    count: u64,
    size: Size,
    flat: bool,
}

#[derive(Clone, Copy, Debug)]
enum Size {
    Fixed(u64),
    LogNormal {
        median: f64,
        sigma: f64,
    },
    /// Apparent size, and pieces of 1 MiB of data spread over it.
    Sparse {
        apparent: u64,
        pieces: u64,
    },
}

/// An input that is there.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// For people.
    pub(crate) title: String,
    /// Where commands start.
    pub(crate) folder: PathBuf,
    /// What they are given, from there.
    pub(crate) name: String,
    /// Whether it is a folder.
    pub(crate) tree: bool,
    /// Regular files in it.
    pub(crate) files: u64,
    /// Their apparent sizes.
    pub(crate) bytes: u64,
    /// The same when a file with several names (hard links) counts once.
    pub(crate) bytes_once: u64,
}

fn group(prefix: &'static str, count: u64, size: Size, flat: bool) -> Group {
    Group { prefix, count, size, flat }
}

fn scaled(amount: u64, scale: f64) -> u64 {
    ((amount as f64 * scale) as u64).max(1)
}

impl Recipe {
    /// One file of 1 GiB.
    pub(crate) fn one_file(scale: f64) -> Self {
        let groups = vec![group("data.bin", 1, Size::Fixed(scaled(GIB, scale)), true)];
        Self { name: "one-file", title: "one file of 1 GiB".into(), groups }
    }

    /// 2,000 files of 1 MiB.
    pub(crate) fn many(scale: f64) -> Self {
        let groups = vec![group("", scaled(2_000, scale), Size::Fixed(MIB), false)];
        Self { name: "many", title: "2,000 files of 1 MiB".into(), groups }
    }

    /// 100,000 small files. A deviation of 1.24 makes their mean 11.0 kB, and the whole 1.1 GB.
    pub(crate) fn small(scale: f64) -> Self {
        let size = Size::LogNormal { median: 5_120.0, sigma: 1.24 };
        let groups = vec![group("", scaled(100_000, scale), size, false)];
        let title = "100,000 small files (log-normal, median 5 KiB, 1.1 GB)".into();
        Self { name: "small", title, groups }
    }

    /// 1,000,000 files of 100 bytes, in folders of 1,000 or in one.
    pub(crate) fn million(scale: f64, flat: bool) -> Self {
        let groups = vec![group("", scaled(1_000_000, scale), Size::Fixed(100), flat)];
        let (name, folders) =
            if flat { ("million-flat", "one folder") } else { ("million", "folders of 1,000") };
        Self { name, title: format!("1,000,000 files of 100 bytes in {folders}"), groups }
    }

    /// 10,000 files of 100 bytes in folders of 1,000.
    pub(crate) fn ten_thousand(scale: f64) -> Self {
        let groups = vec![group("", scaled(10_000, scale), Size::Fixed(100), false)];
        let title = "10,000 files of 100 bytes in folders of 1,000".into();
        Self { name: "ten-thousand", title, groups }
    }

    /// A file of 8 GiB, and 100,000 small ones after it.
    pub(crate) fn huge(scale: f64) -> Self {
        let first = group("0-first.bin", 1, Size::Fixed(scaled(8 * GIB, scale)), true);
        let others = group("then-", scaled(100_000, scale), Size::Fixed(100), false);
        Self {
            name: "huge",
            title: "8 GiB first, then 100,000 files of 100 bytes".into(),
            groups: vec![first, others],
        }
    }

    /// 64 GiB with 10 MiB of data.
    pub(crate) fn sparse(scale: f64) -> Self {
        let size = Size::Sparse { apparent: scaled(64 * GIB, scale).max(32 * MIB), pieces: 10 };
        let groups = vec![group("data.bin", 1, size, true)];
        Self { name: "sparse", title: "64 GiB with 10 MiB of data".into(), groups }
    }

    /// Bytes of space that making it would take, and files; nothing if it is there.
    pub(crate) fn missing(&self, directory: &Path, seed: u64) -> (u64, u64) {
        if self.is_made(directory, seed) {
            return (0, 0);
        }
        let bytes = |group: &Group| group.count * (group.size.mean_data_bytes() + OVERHEAD_BYTES);
        (self.groups.iter().map(bytes).sum(), self.groups.iter().map(|group| group.count).sum())
    }

    /// Makes it unless it is there.
    pub(crate) fn make(&self, directory: &Path, seed: u64) -> Result<Input> {
        let folder = directory.join(self.name);
        if !self.is_made(directory, seed) {
            eprintln!("making {}: {}", self.name, self.title);
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
            }
            for (number, group) in self.groups.iter().enumerate() {
                group.make(&folder, seed.wrapping_add(number as u64))?;
            }
            rustix::fs::sync();
            fs::write(self.stamp_path(directory), self.stamp(seed)).context("cannot write the stamp")?;
        }
        let tree = !matches!(self.groups.as_slice(), [one] if one.prefix == "data.bin");
        let name = if tree { self.name.to_owned() } else { format!("{}/data.bin", self.name) };
        Input::found(self.title.clone(), directory, name)
    }

    fn is_made(&self, directory: &Path, seed: u64) -> bool {
        fs::read_to_string(self.stamp_path(directory)).is_ok_and(|stamp| stamp == self.stamp(seed))
    }

    fn stamp_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.stamp", self.name))
    }

    fn stamp(&self, seed: u64) -> String {
        format!("1 {seed} {:?}\n", self.groups)
    }
}

impl Size {
    fn mean_data_bytes(self) -> u64 {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::LogNormal { median, sigma } => (median * (sigma * sigma / 2.0).exp()) as u64,
            Self::Sparse { pieces, .. } => pieces * MIB,
        }
    }

    fn draw(self, random: &mut Random) -> u64 {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::LogNormal { median, sigma } => (median * (sigma * random.normal()).exp()).round() as u64,
            Self::Sparse { apparent, .. } => apparent,
        }
    }
}

impl Group {
    fn make(&self, folder: &Path, seed: u64) -> Result<()> {
        let mut buffer = vec![0; MIB as usize];
        for number in 0..self.count {
            let path = folder.join(self.path(number));
            if self.flat && number == 0 || !self.flat && number % FILES_IN_FOLDER == 0 {
                let parent = path.parent().unwrap_or(folder);
                fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
            }
            let mut random = Random::for_item(seed, number);
            self.fill(&path, &mut random, &mut buffer)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    fn path(&self, number: u64) -> String {
        match (self.flat, self.prefix) {
            (true, "") => format!("f{number:07}.bin"),
            (true, name) => name.to_owned(),
            (false, prefix) => format!("{prefix}d{:04}/f{number:07}.bin", number / FILES_IN_FOLDER),
        }
    }

    fn fill(&self, path: &Path, random: &mut Random, buffer: &mut [u8]) -> std::io::Result<()> {
        let mut file = File::create(path)?;
        let length = self.size.draw(random);
        if let Size::Sparse { apparent, pieces } = self.size {
            for piece in 0..pieces {
                random.fill(buffer);
                file.seek(SeekFrom::Start(apparent / pieces * piece / MIB * MIB))?;
                file.write_all(buffer)?;
            }
            return file.set_len(length);
        }
        let mut left = length;
        while left > 0 {
            let piece = left.min(buffer.len() as u64) as usize;
            random.fill(&mut buffer[..piece]);
            file.write_all(&buffer[..piece])?;
            left -= piece as u64;
        }
        Ok(())
    }
}

impl Input {
    /// What lies at `name`, seen from `folder`.
    pub(crate) fn found(title: String, folder: &Path, name: String) -> Result<Self> {
        let path = folder.join(&name);
        let facts =
            fs::symlink_metadata(&path).with_context(|| format!("cannot look at {}", path.display()))?;
        let tree = facts.is_dir();
        let [files, bytes, bytes_once] = if tree { contents(&path)? } else { [1, facts.len(), facts.len()] };
        ensure!(files > 0, "{} holds no file", path.display());
        Ok(Self { title, folder: folder.to_path_buf(), name, tree, files, bytes, bytes_once })
    }

    /// Whether files in it have several names, so that who reads each once has less to do.
    pub(crate) fn has_links(&self) -> bool {
        self.bytes_once < self.bytes
    }
}

/// Regular files below a folder, their bytes, and their bytes when each inode counts once.
fn contents(folder: &Path) -> Result<[u64; 3]> {
    let (mut files, mut bytes, mut bytes_once) = (0, 0, 0);
    let mut met = HashSet::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() {
                let facts = entry.metadata()?;
                files += 1;
                bytes += facts.len();
                if facts.nlink() == 1 || met.insert((facts.dev(), facts.ino())) {
                    bytes_once += facts.len();
                }
            }
        }
    }
    Ok([files, bytes, bytes_once])
}

/// Refuses to start what would fill the disk: bytes and files that are to be made must leave a twentieth free.
pub(crate) fn check_space(directory: &Path, (bytes, files): (u64, u64)) -> Result<()> {
    let facts =
        rustix::fs::statvfs(directory).with_context(|| format!("cannot look at {}", directory.display()))?;
    let free = (facts.f_bavail * facts.f_frsize) / 20 * 19;
    ensure!(
        bytes <= free,
        "the inputs need {} MB and {} has {} MB to give; free some, or use --dir or --only",
        bytes / 1_000_000,
        directory.display(),
        free / 1_000_000
    );
    // File systems without a fixed number of inodes say 0.
    ensure!(
        facts.f_files == 0 || files <= facts.f_favail,
        "the inputs need {files} inodes and {} has {}; use --dir or --only",
        directory.display(),
        facts.f_favail
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_small_files_have_their_median_and_total() {
        let size = Size::LogNormal { median: 5_120.0, sigma: 1.24 };
        let mut sizes: Vec<_> = (0..100_000).map(|item| size.draw(&mut Random::for_item(1, item))).collect();
        sizes.sort_unstable();
        assert!((4_950..5_290).contains(&sizes[50_000]), "{}", sizes[50_000]);
        let total: u64 = sizes.iter().sum();
        assert!((1_080_000_000..1_130_000_000).contains(&total), "{total}");
        assert!(size.mean_data_bytes().abs_diff(11_046) < 20);
    }

    #[test]
    fn an_input_is_made_once_and_the_same_again() {
        let directory = tempfile::tempdir().expect("a temporary folder");
        let recipe = Recipe::small(0.0005);
        assert_eq!(recipe.missing(directory.path(), 1).1, 50);
        let input = recipe.make(directory.path(), 1).expect("it can be made");
        assert_eq!((input.files, input.tree), (50, true));
        assert_eq!(recipe.missing(directory.path(), 1), (0, 0));
        assert_ne!(recipe.missing(directory.path(), 2), (0, 0));
        let file = directory.path().join("small/d0000/f0000007.bin");
        let before = fs::read(&file).expect("it is there");
        fs::remove_file(directory.path().join("small.stamp")).expect("it is there");
        recipe.make(directory.path(), 1).expect("it can be made again");
        assert_eq!(fs::read(&file).expect("it is there"), before);
    }

    #[test]
    fn bytes_behind_several_names_are_told_apart() {
        let directory = tempfile::tempdir().expect("a temporary folder");
        let found = || Input::found(String::new(), directory.path(), ".".to_owned()).expect("it is there");
        fs::write(directory.path().join("a"), [0; 10]).expect("it can be written");
        assert!(!found().has_links());
        fs::hard_link(directory.path().join("a"), directory.path().join("b")).expect("it can be linked");
        let input = found();
        assert_eq!((input.files, input.bytes, input.bytes_once), (2, 20, 10));
        assert!(input.has_links());
    }

    #[test]
    fn a_sparse_input_has_its_size_and_little_data() {
        let directory = tempfile::tempdir().expect("a temporary folder");
        let input = Recipe::sparse(0.002).make(directory.path(), 1).expect("it can be made");
        assert_eq!(input.bytes, 137_438_953);
        let facts = fs::metadata(directory.path().join(&input.name)).expect("it is there");
        assert!(facts.blocks() * 512 <= 11 * MIB, "{}", facts.blocks());
    }
}
