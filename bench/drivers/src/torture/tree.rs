//! The trees that are tortured.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use fastrand::Rng;

pub(super) use crate::damage::set_time;

/// How many files a tree has.
const FILES: usize = 1200;

/// A tree of small files.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    names: Vec<String>,
}

impl Tree {
    /// Makes one: directories of very different sizes, contents that are all different, and times that are past.
    pub(super) fn make(root: &Path, rng: &mut Rng) -> Result<Self> {
        let mut names = Vec::with_capacity(FILES);
        for number in 0..FILES {
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

    /// The names of all files, as they were made.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.clone()
    }
}
