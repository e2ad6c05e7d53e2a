//! The trees that are tortured.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use fastrand::Rng;
use hashlane_digest::Algorithm;

pub(super) use crate::damage::set_time;

/// A tree of small files.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    names: Vec<String>,
}

impl Tree {
    /// Makes one: directories of very different sizes, contents that are all different, and times that are past.
    pub(super) fn make(root: &Path, files: usize, rng: &mut Rng) -> Result<Self> {
        let mut names = Vec::with_capacity(files);
        for number in 0..files {
            let directory = match rng.u32(..10) {
                0 => String::new(),
                1..=3 => "a/".to_owned(),
                4 => format!("b/{}/", rng.u32(..40)),
                _ => format!("c/{}/{}/", rng.u32(..5), rng.u32(..5)),
            };
            let name = format!("{directory}{}-{number}", rng.alphanumeric());
            let path = root.join(&name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let length = rng.usize(16..40_000);
            let mut content = format!("{number} ").into_bytes();
            content.resize_with(length, || rng.u8(..));
            fs::write(&path, content)?;
            set_time(
                &path,
                SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + rng.u64(..100_000_000)),
            )?;
            names.push(name);
        }
        Ok(Self { root: root.to_owned(), names })
    }

    /// A list of the digests of the files that have a name, or of `most` of them, as GNU programs write it.
    pub(super) fn list(&self, most: Option<usize>) -> Result<String> {
        let sha256 = Algorithm::SHA256;
        let mut list = String::new();
        for name in self.names.iter().take(most.unwrap_or(usize::MAX)) {
            list += &format!("{}  {name}\n", sha256.digest(&fs::read(self.root.join(name))?));
        }
        Ok(list)
    }

    /// The names of all files, as they were made.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.clone()
    }
}
