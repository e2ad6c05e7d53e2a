//! What the input is made of: copies of a dictionary, of a word list of our own or of a file, or what does not compress.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_digest::{Algorithm, Hasher};
use hashlane_io::Content;
use hashlane_record::Escaped;

use super::words;
use crate::error::StudyError;
use crate::inputs::Origin;

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
    origin: Origin,
    source: Source,
    unit_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Random,
    File(PathBuf),
    Memory(Arc<Vec<u8>>),
}

impl Corpus {
    /// The dictionary of the original; where the system has none, the word list of this program.
    ///
    /// # Errors
    /// It is there and cannot be read, or is empty.
    pub fn dictionary() -> Result<Self, StudyError> {
        Self::dictionary_in(Path::new(DICTIONARIES))
    }

    fn dictionary_in(directory: &Path) -> Result<Self, StudyError> {
        let path = directory.join(DICTIONARY);
        // A link that leads nowhere is not a dictionary either.
        if std::fs::metadata(&path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(Self::word_list());
        }
        Self::opened(&path, Origin::Dictionary)
    }

    /// The word list that this program makes, the same on every machine.
    pub fn word_list() -> Self {
        let list = words::word_list(words::SEED);
        Self {
            name: words::NAME.to_owned(),
            origin: Origin::Generated,
            unit_bytes: list.len() as u64,
            source: Source::Memory(Arc::new(list)),
        }
    }

    /// What the word list is called.
    pub const WORD_LIST: &str = words::NAME;

    /// A file.
    ///
    /// # Errors
    /// It cannot be read, is empty, or is not a file whose length is known.
    pub fn file(path: &Path) -> Result<Self, StudyError> {
        Self::opened(path, Origin::File)
    }

    /// What does not compress, and repeats itself nowhere.
    pub fn random() -> Self {
        let (origin, source) = (Origin::Random, Source::Random);
        Self { name: "random".to_owned(), origin, source, unit_bytes: RANDOM_BYTES }
    }

    fn opened(path: &Path, origin: Origin) -> Result<Self, StudyError> {
        let facts = std::fs::metadata(path).and_then(|facts| {
            // What may not be read shows when it is opened.
            if facts.is_file() { File::open(path)?.metadata() } else { Ok(facts) }
        });
        let facts = facts.map_err(StudyError::at(path))?;
        if !facts.is_file() {
            return Err(StudyError::NotRegular { path: path.into() });
        }
        if facts.len() == 0 {
            return Err(StudyError::Empty { path: path.into() });
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, origin, source: Source::File(path.to_path_buf()), unit_bytes: facts.len() })
    }

    /// Where it was taken from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// SHA-256 of one copy, in hexadecimal digits: two dictionaries of one name and size may be others. None of random data,
    /// which is equal work whatever it is, and of what can no longer be read.
    pub(super) fn sha256(&self) -> Option<String> {
        if self.source == Source::Random {
            return None;
        }
        let mut digesting = Digesting(Algorithm::SHA256.hasher());
        self.write(1, 0, &mut digesting).ok()?;
        Some(digesting.0.finish().to_string())
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of one copy.
    pub fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// Writes `copies` copies. Bytes are written, not shared with the original by a file system that could.
    ///
    /// # Errors
    /// What the system says; the original has changed.
    pub(super) fn write(&self, copies: u64, seed: u64, to: &mut impl Write) -> io::Result<()> {
        let path = match &self.source {
            Source::Random => return Content::seeded(seed).write(to, 0..copies * self.unit_bytes),
            Source::Memory(bytes) => return (0..copies).try_for_each(|_| to.write_all(bytes)),
            Source::File(path) => path,
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

/// Digests what is written.
struct Digesting(Hasher);

impl Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_dictionary_there_is_a_word_list_and_an_empty_one_is_refused() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join(DICTIONARY);
        let made = Corpus::dictionary_in(directory.path()).expect("it needs no file");
        assert_eq!((made.name(), made.origin()), ("word-list", Origin::Generated));
        let mut written = Vec::new();
        made.write(2, 7, &mut written).expect("memory takes all");
        let (first, second) = written.split_at(made.unit_bytes() as usize);
        assert_eq!(first, second);
        std::os::unix::fs::symlink("nowhere", &path).expect("a link");
        assert_eq!(Corpus::dictionary_in(directory.path()).expect("it needs no file"), made);
        std::fs::remove_file(&path).expect("it is there");
        std::fs::write(&path, "one\ntwo\n").expect("write");
        let there = Corpus::dictionary_in(directory.path()).expect("it is there");
        assert_eq!((there.name(), there.origin()), (DICTIONARY, Origin::Dictionary));
        std::fs::write(directory.path().join(DICTIONARY), "").expect("write");
        let said = Corpus::dictionary_in(directory.path()).expect_err("it is empty");
        assert!(matches!(&said, StudyError::Empty { path: named } if *named == path), "{said}");
        let said = Corpus::file(directory.path()).expect_err("it is a directory");
        assert!(matches!(said, StudyError::NotRegular { .. }), "{said}");
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
