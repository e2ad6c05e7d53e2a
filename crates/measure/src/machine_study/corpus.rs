//! What the input is made of: copies of a dictionary or of a file, or what does not compress.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use hashlane_io::Content;
use hashlane_record::{Escaped, system_text};

/// The dictionary of the original.
pub const DICTIONARY: &str = "american-english";

/// Where dictionaries are.
const DICTIONARIES: &str = "/usr/share/dict";

/// Random data in place of one copy: as much as the dictionary had when its figures were published.
const RANDOM_BYTES: u64 = 976_241;

/// Bytes copied at once.
const BUFFER_BYTES: usize = 1 << 20;

/// What inputs are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    name: String,
    /// None is random data.
    path: Option<PathBuf>,
    unit_bytes: u64,
}

impl Corpus {
    /// The dictionary of the original.
    ///
    /// # Errors
    /// It is not there or empty, and what to do.
    pub fn dictionary() -> Result<Self, String> {
        Self::dictionary_in(Path::new(DICTIONARIES))
    }

    fn dictionary_in(directory: &Path) -> Result<Self, String> {
        Self::opened(&directory.join(DICTIONARY)).map_err(|wrong| {
            format!(
                "{wrong}; on Debian and its relatives the package wamerican has it; or give --corpus random, or \
                 --corpus FILE"
            )
        })
    }

    /// A file.
    ///
    /// # Errors
    /// It cannot be read, is empty, or is no file whose length is known.
    pub fn file(path: &Path) -> Result<Self, String> {
        Self::opened(path)
            .map_err(|wrong| format!("--corpus {wrong}; name a file with content, or give random"))
    }

    /// What does not compress, and repeats itself nowhere.
    pub fn random() -> Self {
        Self { name: "random".to_owned(), path: None, unit_bytes: RANDOM_BYTES }
    }

    fn opened(path: &Path) -> Result<Self, String> {
        let wrong = |what: &str| format!("{}: {what}", Escaped(path.as_os_str().as_encoded_bytes()));
        let facts = std::fs::metadata(path).and_then(|facts| {
            // What may not be read shows when it is opened.
            if facts.is_file() { File::open(path)?.metadata() } else { Ok(facts) }
        });
        let facts = facts.map_err(|error| wrong(&system_text(&error)))?;
        if !facts.is_file() {
            return Err(wrong("is no regular file"));
        }
        if facts.len() == 0 {
            return Err(wrong("is empty"));
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, path: Some(path.to_path_buf()), unit_bytes: facts.len() })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of one copy.
    pub fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// Writes so many copies. Bytes are written, not shared with the original by a file system that could.
    ///
    /// # Errors
    /// What the system says; the original has changed.
    pub(super) fn write(&self, copies: u64, seed: u64, to: &mut impl Write) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Content::seeded(seed).write(to, 0..copies * self.unit_bytes);
        };
        let mut buffer = vec![0; BUFFER_BYTES];
        for _ in 0..copies {
            let mut original = File::open(path)?;
            let mut bytes = 0;
            loop {
                let length = original.read(&mut buffer)?;
                if length == 0 {
                    break;
                }
                bytes += length as u64;
                to.write_all(&buffer[..length])?;
            }
            if bytes != self.unit_bytes {
                return Err(io::Error::other(format!(
                    "{}: changed while it was copied",
                    Escaped(path.as_os_str().as_encoded_bytes())
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_an_empty_dictionary_is_refused_with_ways_out() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let said = Corpus::dictionary_in(directory.path()).expect_err("it is not there");
        for part in
            ["american-english: No such file or directory; ", "wamerican", "--corpus random", "--corpus FILE"]
        {
            assert!(said.contains(part), "{said}");
        }
        std::fs::write(directory.path().join(DICTIONARY), "").expect("write");
        let said = Corpus::dictionary_in(directory.path()).expect_err("it is empty");
        assert!(said.contains("american-english: is empty; "), "{said}");
        let said = Corpus::file(directory.path()).expect_err("it is a directory");
        assert!(said.ends_with(": is no regular file; name a file with content, or give random"), "{said}");
        assert!(Corpus::file(Path::new("/dev/zero")).is_err());
    }

    #[test]
    fn copies_follow_each_other_and_random_data_repeats_nowhere() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("words");
        std::fs::write(&path, "one\ntwo\n").expect("write");
        let corpus = Corpus::file(&path).expect("it is there");
        assert_eq!((corpus.name(), corpus.unit_bytes()), ("words", 8));
        let mut written = Vec::new();
        corpus.write(3, 1, &mut written).expect("memory takes all");
        assert_eq!(written, b"one\ntwo\none\ntwo\none\ntwo\n");
        std::fs::write(&path, "one\n").expect("write");
        assert!(corpus.write(1, 1, &mut Vec::new()).is_err());
        let mut random = Vec::new();
        Corpus::random().write(2, 1, &mut random).expect("memory takes all");
        assert_eq!(random.len() as u64, 2 * RANDOM_BYTES);
        let (first, second) = random.split_at(RANDOM_BYTES as usize);
        assert_ne!(first, second);
    }
}
