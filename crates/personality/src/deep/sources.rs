//! Which files are read: operands and lists as the old programs take them, and what is said of what is none.
//!
//! Trees go to the walk of the engine as they are. Where each file has to be looked at first (`-i`, `-o`) or
//! is read in a way of its own (`-p`, `-Z`, `-I`), the trees are listed here and the files are handed out one
//! by one.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::sync::Arc;

use hashlane_engine::{Found, Halt, Taken, WalkOptions, list};
use hashlane_manifest::ProblemKind;
use hashlane_manifest::names::Names;
use hashlane_record::{ItemPath, system_text};

use super::names::{absolute, tidied};
use super::settings::{Files, Kinds};
use super::voice::Voice;

/// What is to be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A file.
    File(ItemPath),
    /// All files below a directory.
    Tree(ItemPath),
    /// Nothing: something is to be said of a file, in the document of results.
    Said { path: ItemPath, text: String },
}

/// Takes items one by one.
pub(super) type Take<'a> = &'a mut dyn FnMut(Item) -> Taken;

/// Finds what is to be read.
#[derive(Debug)]
pub(super) struct Sources {
    files: Arc<Files>,
    voice: Voice,
    /// The current directory, which names are below unless they are relative.
    current: Vec<u8>,
    list: Option<Names<'static>>,
}

impl Sources {
    /// Opens the list of names, if there is one.
    pub(super) fn open(files: &Arc<Files>, voice: &Voice, current: &[u8]) -> io::Result<Self> {
        let list = match &files.list {
            Some(path) => Some(Names::lines(File::open(path)?)?),
            None => None,
        };
        Ok(Self { files: Arc::clone(files), voice: voice.clone(), current: current.into(), list })
    }

    /// Whether only some kinds of files are wanted.
    pub(super) fn has_kinds(&self) -> bool {
        self.files.kinds.is_some()
    }

    /// Hands out everything, in the order in which it was named.
    pub(super) fn all(mut self, take: Take<'_>) -> Taken {
        if let Some(list) = self.list.take() {
            for name in list {
                match name {
                    Ok(name) => {
                        let name = name.as_bytes();
                        self.named(name.strip_suffix(b"\r").unwrap_or(name).to_vec(), take)?;
                    }
                    // Blank lines mean nothing.
                    Err(problem) if matches!(problem.kind, ProblemKind::EmptyName) => {}
                    Err(problem) => {
                        let list = self.files.list.as_deref().unwrap_or_default();
                        self.voice.unread(list.as_bytes(), &problem.to_string());
                    }
                }
            }
        }
        for operand in &self.files.operands {
            let operand = operand.as_bytes();
            let path = if self.files.relative { operand.to_vec() } else { absolute(&self.current, operand) };
            self.named(path, take)?;
        }
        Ok(())
    }

    /// Hands out what was named.
    fn named(&self, path: Vec<u8>, take: Take<'_>) -> Taken {
        let path = if self.files.relative { path } else { tidied(&path) };
        let path = ItemPath::from(path);
        let facts = match fs::symlink_metadata(path.as_path()) {
            Ok(facts) => facts,
            Err(error) => return self.unread(&path, &error, take),
        };
        if let Some(kinds) = self.files.kinds.filter(|kinds| !kinds.are_plain()) {
            return self.of_kinds(path, facts.file_type(), kinds, &mut Vec::new(), take);
        }
        if facts.is_symlink() && self.files.kinds.is_some_and(|kinds| !kinds.symlink) {
            return Ok(());
        }
        let target = if facts.is_symlink() { fs::metadata(path.as_path()) } else { Ok(facts) };
        match target {
            Ok(facts) if facts.is_dir() => self.directory(path, take),
            // Those of other kinds were asked for by name, unless -o says otherwise.
            Ok(facts) if self.files.kinds.is_some() && !facts.is_file() => Ok(()),
            Ok(facts) => self.file(path, facts.len(), take),
            Err(error) => self.unread(&path, &error, take),
        }
    }

    fn directory(&self, path: ItemPath, take: Take<'_>) -> Taken {
        if !self.files.recursive {
            return self.say(&path, "Is a directory", take);
        }
        let path = self.root(path);
        if !self.files.one_by_one() {
            return take(Item::Tree(path));
        }
        let walk = walk(&self.files);
        let mut taken = Ok(());
        let listed = list(&path, &walk, &mut |found| {
            taken = match found {
                Found::File { directory, name } => {
                    let path = ItemPath::from(directory.join(name.to_bytes()));
                    match directory.facts(name) {
                        Ok(facts) => self.file(path, facts.size_bytes, take),
                        Err(error) => self.unread(&path, &error, take),
                    }
                }
                Found::Failed { path, error } => self.failed(&ItemPath::from(path), &error, take),
            };
            if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Err(error) = listed {
            return self.unread(&path, &error, take);
        }
        taken
    }

    /// A directory as it is walked: names below `.` and `..` are tidied as well.
    fn root(&self, path: ItemPath) -> ItemPath {
        let bytes = path.as_bytes();
        if self.files.relative || !(bytes.ends_with(b"/.") || bytes.ends_with(b"/..")) {
            return path;
        }
        ItemPath::from(tidied(&[bytes, b"/"].concat()))
    }

    /// Hands out a file, unless it is too large.
    fn file(&self, path: ItemPath, size: u64, take: Take<'_>) -> Taken {
        let is_large = self.files.threshold.is_some_and(|threshold| size > threshold);
        if is_large && !self.files.stars {
            return Ok(());
        }
        take(Item::File(path))
    }

    /// Hands out what is of these kinds, and what lies below a directory. `above` are the directories on the
    /// way.
    fn of_kinds(
        &self,
        path: ItemPath,
        kind: fs::FileType,
        kinds: Kinds,
        above: &mut Vec<std::path::PathBuf>,
        take: Take<'_>,
    ) -> Taken {
        if kind.is_dir() {
            return self.directory_of_kinds(path, kinds, above, take);
        }
        if kinds.windows && self.is_windows(&path, take)? {
            return self.file_of_kinds(path, take);
        }
        let wanted = match () {
            () if kind.is_symlink() => {
                if !kinds.symlink {
                    return Ok(());
                }
                return match fs::metadata(path.as_path()) {
                    Ok(facts) => self.of_kinds(path, facts.file_type(), kinds, above, take),
                    Err(error) => self.unread(&path, &error, take),
                };
            }
            () if kind.is_file() => kinds.regular,
            () if kind.is_block_device() => kinds.block,
            () if kind.is_char_device() => kinds.character,
            () if kind.is_fifo() => kinds.pipe,
            () => kinds.socket,
        };
        if wanted { self.file_of_kinds(path, take) } else { Ok(()) }
    }

    fn directory_of_kinds(
        &self,
        path: ItemPath,
        kinds: Kinds,
        above: &mut Vec<std::path::PathBuf>,
        take: Take<'_>,
    ) -> Taken {
        if !self.files.recursive {
            return self.say(&path, "Is a directory", take);
        }
        let path = self.root(path);
        let real = match fs::canonicalize(path.as_path()) {
            Ok(real) => real,
            Err(error) => return self.unread(&path, &error, take),
        };
        if above.contains(&real) {
            return self.say(&path, CYCLE, take);
        }
        let mut entries: Vec<(Vec<u8>, fs::FileType)> = Vec::new();
        let found = fs::read_dir(path.as_path()).and_then(|found| {
            for entry in found {
                let entry = entry?;
                entries.push((entry.file_name().as_bytes().to_vec(), entry.file_type()?));
            }
            Ok(())
        });
        if let Err(error) = found {
            return self.unread(&path, &error, take);
        }
        // In the order of the whole path, as the engine walks.
        entries.sort_by_cached_key(|(name, kind)| {
            if kind.is_dir() { [name.as_slice(), b"/"].concat() } else { name.clone() }
        });
        above.push(real);
        for (name, kind) in entries {
            let separator: &[u8] = if path.as_bytes().ends_with(b"/") { b"" } else { b"/" };
            let entry = ItemPath::from([path.as_bytes(), separator, &name].concat());
            self.of_kinds(entry, kind, kinds, above, take)?;
        }
        above.pop();
        Ok(())
    }

    fn file_of_kinds(&self, path: ItemPath, take: Take<'_>) -> Taken {
        match fs::metadata(path.as_path()) {
            Ok(facts) => self.file(path, facts.len(), take),
            Err(error) => self.unread(&path, &error, take),
        }
    }

    /// Whether a file is a program of Windows, by its content; says so where its name does not.
    fn is_windows(&self, path: &ItemPath, take: Take<'_>) -> Result<bool, Halt> {
        /// What the original takes for the name of a program.
        const EXTENSIONS: [&[u8]; 11] = [
            b".exe", b".dll", b".com", b".sys", b".cpl", b".hxs", b".hxi", b".olb", b".rll", b".tlb", b".mui",
        ];
        let is_program = match is_portable_executable(path) {
            Ok(is_program) => is_program,
            Err(error) => {
                self.failed(path, &error, take)?;
                false
            }
        };
        let name = path.as_bytes().to_ascii_lowercase();
        if is_program && !EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
            self.say(path, "Is Windows executable but does not have executable extension", take)?;
        }
        Ok(is_program)
    }

    fn unread(&self, path: &ItemPath, error: &io::Error, take: Take<'_>) -> Taken {
        self.voice.note_unread();
        self.say(path, &system_text(error), take)
    }

    fn failed(&self, path: &ItemPath, error: &io::Error, take: Take<'_>) -> Taken {
        let (text, is_fault) = fault(path, error);
        if is_fault {
            self.voice.note_unread();
        }
        self.say(path, &text, take)
    }

    /// Says something of a file, in its place if results are a document.
    fn say(&self, path: &ItemPath, text: &str, take: Take<'_>) -> Taken {
        if self.voice.documented {
            return take(Item::Said { path: path.clone(), text: text.to_owned() });
        }
        self.voice.file(path.as_bytes(), text);
        Ok(())
    }
}

const CYCLE: &str = "symlink creates cycle";

/// Why something could not be opened or listed, and whether that is a fault: a link that leads up the tree is
/// none, all that it leads to is read.
pub(super) fn fault(path: &ItemPath, error: &io::Error) -> (String, bool) {
    let is_loop = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    if is_loop && fs::metadata(path.as_path()).is_ok() {
        (CYCLE.to_owned(), false)
    } else {
        (system_text(error).to_string(), true)
    }
}

/// How trees are walked: links are followed, unless `-o` leaves them out.
pub(super) fn walk(files: &Files) -> WalkOptions {
    WalkOptions { follow: files.kinds.is_none_or(|kinds| kinds.symlink), ..WalkOptions::default() }
}

/// Whether a file begins as the programs of Windows do: `MZ`, and `PE` where it says.
fn is_portable_executable(path: &ItemPath) -> io::Result<bool> {
    const LOOKED_AT: usize = 8192;
    if !fs::metadata(path.as_path())?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::with_capacity(LOOKED_AT);
    File::open(path.as_path())?.take(LOOKED_AT as u64).read_to_end(&mut start)?;
    let place = start.get(60..64).and_then(|place| place.try_into().ok()).map(u32::from_le_bytes);
    let signature = place.and_then(|place| start.get(place as usize..)?.get(..4));
    Ok(start.starts_with(b"MZ") && signature == Some(b"PE\0\0"))
}
