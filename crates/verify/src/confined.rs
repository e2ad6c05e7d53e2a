//! What is below a base and what leads out of it: why names are not read, and where to walk.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use hashlane_record::{Cause, Failure, ItemPath, Obstacle};
use rustix::io::Errno;

use crate::normal::normal;

/// Why a name is not read below a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It leads out of the base.
    #[error("leads out of the base")]
    Outside,
    /// It is not a file.
    #[error("is a pipe, socket or device, which is not read below a base")]
    Special,
}

/// The directory that names must not lead out of.
#[derive(Clone, Debug)]
pub struct Confined {
    base: PathBuf,
}

impl Confined {
    /// The rules for this base.
    pub fn new(base: &Path) -> Self {
        Self { base: base.into() }
    }

    /// The base itself.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Whether all of these roots are relative and below the base. An absolute root belongs to the machine on which a list was made, and
    /// one that climbs out of the base is not allowed.
    pub fn holds(roots: &[ItemPath]) -> bool {
        let climbs = |root: &[u8]| root.split(|&byte| byte == b'/').any(|component| component == b"..");
        roots.iter().map(ItemPath::as_bytes).all(|root| !root.starts_with(b"/") && !climbs(root))
    }

    /// The path to walk for a root; the base itself if the root has no name.
    ///
    /// # Errors
    /// It is a symbolic link that leads out.
    pub fn walked(&self, root: &ItemPath) -> Result<ItemPath, Refused> {
        let name = normal(b"", root.as_bytes());
        let base = self.base.as_os_str().as_bytes();
        if name.is_empty() {
            return Ok(ItemPath::from(base));
        }
        let slash: &[u8] = if base.ends_with(b"/") { b"" } else { b"/" };
        let path = ItemPath::from([base, slash, &name].concat());
        let is_inside = match (fs::canonicalize(path.as_path()), fs::canonicalize(&self.base)) {
            (Ok(path), Ok(base)) => path.starts_with(base),
            // What is not there says so when it is walked.
            _ => true,
        };
        if is_inside { Ok(path) } else { Err(Refused::Outside) }
    }

    /// Why a name was not read, if it is for the base.
    pub(crate) fn refused(failure: Failure) -> Option<Refused> {
        match failure.cause {
            Cause::System(errno) if errno == Errno::XDEV.raw_os_error() => Some(Refused::Outside),
            Cause::Obstacle(Obstacle::Special) => Some(Refused::Special),
            _ => None,
        }
    }
}

/// The roots that the headers of a list name, as they come up.
#[derive(Debug, Default)]
pub(crate) struct HeaderRoots {
    normal: HashSet<PathBuf>,
    /// How many of those that were named are in it, repeated ones too.
    taken: usize,
}

impl HeaderRoots {
    /// Whether a name is one of the roots that were named by now, or lies below one.
    pub(crate) fn hold(&mut self, named: &[ItemPath], name: &[u8]) -> bool {
        let path = |name: &[u8]| PathBuf::from(OsString::from_vec(normal(b"", name)));
        self.normal.extend(named.iter().skip(self.taken).map(|root| path(root.as_bytes())));
        self.taken = named.len();
        !self.normal.is_empty() && path(name).ancestors().any(|above| self.normal.contains(above))
    }
}

#[cfg(test)]
mod tests {
    use hashlane_record::Operation;

    use super::*;

    #[test]
    fn a_file_that_its_file_system_refuses_is_not_called_special() {
        let refused =
            |cause| Confined::refused(Failure { operation: Operation::Open, cause, offset_bytes: 0 });
        assert_eq!(refused(Cause::Obstacle(Obstacle::Special)), Some(Refused::Special));
        assert_eq!(refused(Cause::System(Errno::OPNOTSUPP.raw_os_error())), None);
        assert_eq!(refused(Cause::System(Errno::XDEV.raw_os_error())), Some(Refused::Outside));
    }
}
