//! What lies below --base and what leads out of it: why names are not read, in words that say what to do, and where to walk.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use hashlane_record::{Cause, Failure, ItemPath, Obstacle};
use rustix::io::Errno;

use crate::extras::normal;
use crate::output::shown;

/// What to say of a name that is no file.
const SPECIAL: &str =
    "is a pipe, socket or device, which is not read below --base; leave out --base to read it";

/// The directory that names may not lead out of.
#[derive(Debug)]
pub(crate) struct Confined {
    base: PathBuf,
    outside: String,
}

impl Confined {
    pub(crate) fn new(base: &Path) -> Self {
        let outside = format!("leads out of --base {}; leave out --base to follow it", shown(base));
        Self { base: base.into(), outside }
    }

    /// Whether all of these roots lie below the base, relative to it: an absolute one is of the machine on which a list was made,
    /// and what climbs out has no place here.
    pub(crate) fn holds(roots: &[ItemPath]) -> bool {
        let climbs = |root: &[u8]| root.split(|&byte| byte == b'/').any(|component| component == b"..");
        roots.iter().map(ItemPath::as_bytes).all(|root| !root.starts_with(b"/") && !climbs(root))
    }

    /// Where to walk for a root: the base itself where it has no name. It may be a symbolic link that leads out.
    pub(crate) fn walked(&self, root: &ItemPath) -> Result<ItemPath, String> {
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
        if is_inside { Ok(path) } else { Err(self.outside.clone()) }
    }

    /// What to say of a failure, if it is for the base that a name is not read.
    pub(crate) fn problem(&self, failure: Failure) -> Option<Cow<'static, str>> {
        match failure.cause {
            Cause::System(errno) if errno == Errno::XDEV.raw_os_error() => {
                Some(Cow::from(self.outside.clone()))
            }
            Cause::Obstacle(Obstacle::Special) => Some(Cow::from(SPECIAL)),
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
        let confined = Confined::new(Path::new("/dev"));
        let problem =
            |cause| confined.problem(Failure { operation: Operation::Open, cause, offset_bytes: 0 });
        assert_eq!(problem(Cause::Obstacle(Obstacle::Special)).as_deref(), Some(SPECIAL));
        assert_eq!(problem(Cause::System(Errno::OPNOTSUPP.raw_os_error())), None);
        let outside = problem(Cause::System(Errno::XDEV.raw_os_error()));
        assert_eq!(outside.as_deref(), Some("leads out of --base /dev; leave out --base to follow it"));
    }
}
