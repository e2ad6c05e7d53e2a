//! Files that exist but are not listed: the other half of a complete check.

use std::ffi::CStr;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;

use hashlane_engine::{Control, Found, Halt, Shown, Skipped, Taken, WalkOptions, list};
use hashlane_io::Directory;
use hashlane_record::ItemPath;
use rustix::io::Errno;

use crate::confined::{Confined, Refused};
use crate::elsewhere::Elsewhere;
use crate::names::Names;
use crate::selection::lies_within;

/// What was found beside the listed files.
#[derive(Debug)]
pub(crate) enum Extra {
    /// A file that no manifest lists.
    File(ItemPath),
    /// A directory that could not be searched.
    Unsearched {
        /// Its name.
        path: ItemPath,
        /// Why.
        why: Unsearched,
    },
}

/// Why a directory was not searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unsearched {
    /// It is outside the base.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The system refused.
    #[error("{}", hashlane_record::system_text(.0))]
    System(#[from] io::Error),
}

/// Walks below the roots and shows what is wanted and not known; says what it passed over. With a base names and roots are relative
/// to it, and no root is the base itself.
///
/// # Errors
/// A root cannot be walked at all, or `show` takes no more.
pub(crate) fn search(
    roots: &[ItemPath],
    confined: Option<&Confined>,
    walk: &WalkOptions,
    known: &mut Names,
    manifests: &[(u64, u64)],
    show: &mut dyn FnMut(Extra) -> Taken,
) -> Result<Skipped, Ended> {
    let whole = [ItemPath::from(".")];
    let mut search = Search { confined, walk, known, manifests, skipped: Skipped::default() };
    for root in if confined.is_some() && roots.is_empty() { &whole } else { roots } {
        match confined.map(|confined| confined.walked(root)) {
            None => search.root(root, show)?,
            Some(Ok(walked)) => search.root(&walked, show)?,
            Some(Err(refused)) => show(Extra::Unsearched { path: root.clone(), why: refused.into() })?,
        }
    }
    Ok(search.skipped)
}

/// The same in a store, below roots with whole names. The lists themselves are files.
///
/// # Errors
/// `show` takes no more, or `control` has stopped.
pub(crate) fn search_in(
    elsewhere: &Elsewhere,
    roots: &[ItemPath],
    walk: &WalkOptions,
    known: &mut Names,
    control: &Control,
    show: &mut dyn FnMut(Extra) -> Taken,
) -> Result<Skipped, Ended> {
    let mut skipped = Skipped::default();
    for root in roots {
        let mut taken = Ok(());
        let listed = elsewhere.list(root, walk, &mut |shown| {
            // A listing may take hours, and show nothing that is not known.
            if control.stopped().is_some() {
                taken = Err(Halt::Enough);
                return ControlFlow::Break(());
            }
            let Shown::File { path: name, .. } = shown else { return ControlFlow::Continue(()) };
            if known.has(name) {
                return ControlFlow::Continue(());
            }
            // A store may show a name twice, and roots may lie in each other.
            known.add(name);
            taken = show(Extra::File(ItemPath::from(name)));
            if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        taken?;
        match listed {
            Ok(passed_over) => skipped += passed_over,
            Err(error) => show(Extra::Unsearched { path: root.clone(), why: error.into() })?,
        }
    }
    Ok(skipped)
}

/// Why a search did not come to its end.
#[derive(Debug)]
pub(crate) enum Ended {
    /// A root cannot be walked at all.
    Root(io::Error),
    /// Who takes the files takes no more.
    Halt(Halt),
}

impl From<Halt> for Ended {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

/// A search under way.
struct Search<'a> {
    confined: Option<&'a Confined>,
    walk: &'a WalkOptions,
    known: &'a mut Names,
    manifests: &'a [(u64, u64)],
    skipped: Skipped,
}

impl Search<'_> {
    /// What lies below one root, or the root if it is a file.
    fn root(&mut self, root: &ItemPath, show: &mut dyn FnMut(Extra) -> Taken) -> Result<(), Ended> {
        if let Some(facts) = std::fs::metadata(root.as_path()).ok().filter(std::fs::Metadata::is_file) {
            let name = self.below_base(root.as_bytes());
            let listed = self.known.has(name) || self.manifests.contains(&(facts.dev(), facts.ino()));
            let is_excluded = !listed && !lies_within(self.walk.filter.bounds(), &facts);
            self.skipped.excluded += u64::from(is_excluded);
            let is_extra = !listed && !is_excluded;
            let extra = is_extra.then(|| Extra::File(ItemPath::from(&*self.known.shown(name))));
            return Ok(extra.map_or(Ok(()), show)?);
        }
        let mut taken = Ok(());
        let walked = list(root, self.walk, &mut |found| {
            let extra = match found {
                Found::File { directory, name } => self.file(directory, name),
                Found::Failed { path, error } => {
                    let is_outside = error.raw_os_error() == Some(Errno::XDEV.raw_os_error());
                    let why = match is_outside && self.confined.is_some() {
                        true => Refused::Outside.into(),
                        false => error.into(),
                    };
                    Some(Extra::Unsearched { path: ItemPath::from(path), why })
                }
            };
            taken = extra.map_or(Ok(()), &mut *show);
            if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .map_err(Ended::Root)?;
        self.skipped.symlinks += walked.symlinks;
        self.skipped.special += walked.special;
        self.skipped.excluded += walked.excluded;
        self.skipped.other_filesystem += walked.other_filesystem;
        Ok(taken?)
    }

    /// A file that was found, if it is an extra.
    fn file(&mut self, directory: &Directory, name: &CStr) -> Option<Extra> {
        let path = directory.join(name.to_bytes());
        let path = self.below_base(&path);
        if self.known.has(path) {
            return None;
        }
        let facts = directory.facts(name).ok();
        if facts.is_some_and(|facts| self.manifests.contains(&(facts.device, facts.inode))) {
            return None;
        }
        if facts.is_some_and(|facts| !self.walk.filter.bounds().take(&facts)) {
            self.skipped.excluded += 1;
            return None;
        }
        // Roots may lie in each other: what was shown is known.
        self.known.add(path);
        Some(Extra::File(ItemPath::from(&*self.known.shown(path))))
    }

    /// A name that was found, without the base.
    fn below_base<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        let Some(confined) = self.confined else { return name };
        let below = &name[confined.base().as_os_str().len()..];
        &below[below.iter().position(|&byte| byte != b'/').unwrap_or(below.len())..]
    }
}
