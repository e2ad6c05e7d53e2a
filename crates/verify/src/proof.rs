//! Proves the algorithm of a list that does not name it, by a file whose digest is listed.
//!
//! A content has the listed digest under one algorithm only, so one matching file proves which algorithm the list uses. A checksum proves
//! nothing, because matching contents are easy to make. docs/decisions/0003 explains why this is not a guess.

use std::ffi::CString;
use std::fs::{File, Metadata};
use std::io;
use std::sync::Arc;

use hashlane_digest::{Algorithm, Digest, Security};
use hashlane_engine::{Control, Input, Options, Seen, Sink, Taken};
use hashlane_io::{Directory, OpenHow};
use hashlane_manifest::{Item, is_undoubted, piece_of_name};
use hashlane_record::{ItemPath, Outcome, Record};

use crate::base::Base;
use crate::elsewhere::{Elsewhere, run};
use crate::error::{Doubt, Error};
use crate::lists::{STDIN, Untold};
use crate::note::{Note, Notes};
use crate::selection::{Selection, lies_within};

/// At most this many files are read until one fits.
const MOST_FILES: usize = 8;

/// What reading listed files has shown.
pub(crate) enum Proof {
    /// The algorithm of the list.
    Proven(Algorithm),
    /// No listed file can be read: nothing that follows can be verified, unless its line names the algorithm.
    NothingReadable,
}

/// Proves algorithms.
pub(crate) struct Prover<'a> {
    pub(crate) base: Option<&'a Base>,
    /// Where files are, if they are not files of this machine.
    pub(crate) elsewhere: Option<&'a Elsewhere>,
    pub(crate) selection: &'a Selection,
    /// How files are read.
    pub(crate) engine: &'a Options,
    /// Names like `NAME offset 0-1023` are of pieces of files.
    pub(crate) pieces: bool,
    pub(crate) notes: &'a Notes,
}

/// A listed file that may be read.
struct Candidate {
    size_bytes: u64,
    path: ItemPath,
    listed: Digest,
}

/// What was met on the way to a proof.
#[derive(Default)]
struct Search {
    /// Files that were read, and none fits.
    read: usize,
    /// Listed things that are not read twice: pipes, devices, standard input, pieces of files.
    unlike_files: bool,
    /// A checksum that fits a file.
    checksum: Option<(Algorithm, ItemPath)>,
}

impl Search {
    /// Why the algorithm has to be asked for; nothing where no file can be read.
    fn doubt(self, untold: &Untold<'_>) -> Option<Doubt> {
        if let Some((algorithm, path)) = self.checksum {
            return Some(Doubt::Checksum { algorithm, path });
        }
        match self.read {
            0 if self.unlike_files => Some(Doubt::ReadOnce),
            0 if untold.is_cut_off() => Some(Doubt::NoneNear),
            0 => None,
            read => Some(Doubt::NoneFits { read }),
        }
    }
}

impl Prover<'_> {
    /// Proves the algorithm of a list. `wanted` gives the path under which a listed name is read, if it is.
    ///
    /// # Errors
    /// Files can be read, and none fits: then it is asked for.
    pub(crate) fn prove(
        &self,
        untold: &Untold<'_>,
        mut wanted: impl FnMut(&[u8], &[ItemPath]) -> Option<ItemPath>,
    ) -> Result<Proof, Error> {
        let list = untold.name();
        let unproven = |doubt| Error::Unproven {
            list: list.to_owned(),
            digest_bytes: untold.digest_bytes(),
            candidates: untold.candidates().to_vec(),
            doubt,
        };
        let proves = |algorithm: &Algorithm| algorithm.security() != Security::Checksum;
        if !untold.candidates().iter().any(proves) {
            return Err(unproven(None));
        }
        let mut items = untold.items()?;
        let mut search = Search::default();
        let mut options = self.engine.clone();
        options.algorithms = untold.candidates().into();
        options.division = None;
        loop {
            let mut files = Vec::new();
            while search.read + files.len() < MOST_FILES
                && let Some(item) = items.next()
            {
                let Ok(item) = item else { continue };
                let path = wanted(item.path.as_bytes(), items.header_roots());
                files.extend(path.and_then(|path| self.candidate(&item, path, &mut search)));
            }
            if files.is_empty() {
                break;
            }
            // One that fits is enough, and the smallest shows as much as the largest.
            files.sort_by_key(|file| file.size_bytes);
            for file in files {
                if let Some(algorithm) = self.fitting(&file, &options, &mut search)? {
                    if !is_undoubted(algorithm) {
                        (self.notes)(Note::Proven { list, algorithm, by: &file.path });
                    }
                    return Ok(Proof::Proven(algorithm));
                }
            }
        }
        if let Some(doubt) = search.doubt(untold) {
            return Err(unproven(Some(doubt)));
        }
        (self.notes)(Note::Unproven { list });
        Ok(Proof::NothingReadable)
    }

    /// A listed file that can be read now and once more.
    fn candidate(&self, item: &Item, path: ItemPath, search: &mut Search) -> Option<Candidate> {
        let is_local = self.elsewhere.is_none();
        let is_stdin = is_local && self.base.is_none() && item.path.as_bytes() == STDIN.as_bytes();
        if is_stdin || self.pieces && piece_of_name(item.path.as_bytes()).is_some() {
            search.unlike_files = true;
            return None;
        }
        if item.outcome.is_some_and(|outcome| outcome != Outcome::Read) {
            return None;
        }
        let [listed] = item.digests[..] else { return None };
        if let Some(elsewhere) = self.elsewhere {
            let Seen { size_bytes, .. } = self.stored(elsewhere, &path)?;
            return Some(Candidate { size_bytes, path, listed });
        }
        let facts = self.opened(&path).ok()?;
        search.unlike_files |= !facts.is_file() && !facts.is_dir();
        let is_wanted = facts.is_file() && lies_within(self.selection.bounds(), &facts);
        is_wanted.then_some(Candidate { size_bytes: facts.len(), path, listed })
    }

    /// What a store has under a name, if it says so and that is wanted.
    fn stored(&self, elsewhere: &Elsewhere, path: &ItemPath) -> Option<Seen> {
        let stored = elsewhere.facts(path.as_bytes()).ok().flatten()?;
        self.selection.takes_listed(Some(stored.size_bytes), Some(stored.modified)).then_some(stored)
    }

    /// The facts of what lies under a name, and of a regular file only if it can be opened: a run of the engine for each file
    /// of another user took 0.8 ms, and a list may hold nothing else. What is not a file is not opened, which might wait.
    fn opened(&self, path: &ItemPath) -> io::Result<Metadata> {
        let facts = match self.base {
            Some(base) => std::fs::metadata(base.path().join(path.as_path()))?,
            None => std::fs::metadata(path.as_path())?,
        };
        if !facts.is_file() {
            return Ok(facts);
        }
        let name = CString::new(path.as_bytes())?;
        let opened = match self.base {
            Some(base) => base.directory().open(&name, OpenHow::Confined)?,
            None => Directory::current().open(&name, OpenHow::Named)?,
        };
        File::from(opened).metadata()
    }

    /// Whether something other than a directory lies under a name, wanted by size and time. Nothing is read.
    pub(crate) fn is_there(&self, path: &ItemPath) -> bool {
        if let Some(elsewhere) = self.elsewhere {
            return self.stored(elsewhere, path).is_some();
        }
        let below = |base: &Base| base.path().join(path.as_path());
        let facts = std::fs::metadata(self.base.map_or_else(|| path.as_path().to_owned(), below));
        let is_confined = || match self.opened(path) {
            Ok(_) => true,
            // Only a name that leads out is refused for another reason.
            Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
        };
        facts.is_ok_and(|facts| !facts.is_dir() && lies_within(self.selection.bounds(), &facts))
            && (self.base.is_none() || is_confined())
    }

    /// Whether a run may read what lies under a name. Where it cannot, it says why itself.
    pub(crate) fn may_read(&self, path: &ItemPath) -> bool {
        if let Some(elsewhere) = self.elsewhere {
            return self.stored(elsewhere, path).is_some();
        }
        match self.opened(path) {
            Ok(facts) => !facts.is_dir() && lies_within(self.selection.bounds(), &facts),
            // Longer than one call takes: the run walks there.
            Err(error) => error.kind() == io::ErrorKind::InvalidFilename,
        }
    }

    /// The algorithm by which a file has the digest that is listed.
    fn fitting(
        &self,
        file: &Candidate,
        options: &Options,
        search: &mut Search,
    ) -> Result<Option<Algorithm>, Error> {
        let base = self.base.map(|base| Arc::clone(base.directory()));
        let input = Input::file(file.path.clone(), base, &options.algorithms, [].into());
        let mut digests = Digests(None);
        let control = Arc::new(Control::new());
        run(self.elsewhere, options.clone(), std::iter::once(input), &mut digests, &control)?;
        let Some(digests) = digests.0 else { return Ok(None) };
        search.read += 1;
        let fits = digests.iter().filter(|digest| digest.as_bytes() == file.listed.as_bytes());
        let (checksums, proven): (Vec<_>, Vec<_>) =
            fits.map(Digest::algorithm).partition(|algorithm| algorithm.security() == Security::Checksum);
        if let Some(&checksum) = checksums.first() {
            search.checksum.get_or_insert((checksum, file.path.clone()));
        }
        // Two that fit cannot be, and would prove nothing.
        Ok(match proven[..] {
            [only] => Some(only),
            _ => None,
        })
    }
}

/// The digests of the one file of a run, if it could be read.
struct Digests(Option<Vec<Digest>>);

impl Sink for Digests {
    fn record(&mut self, record: Record) -> Taken {
        if record.outcome == Outcome::Read {
            self.0 = Some(record.digests);
        }
        Ok(())
    }
}
