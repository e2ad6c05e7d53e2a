//! Why names below --base are not read, in words that say what to do.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hashlane_record::{Failure, ItemPath, Operation};
use rustix::io::Errno;

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

    /// What to say of a failure, if it is for the base that a name is not read.
    pub(crate) fn problem(&self, name: &ItemPath, failure: Failure) -> Option<Cow<'static, str>> {
        if failure.errno == Errno::XDEV.raw_os_error() {
            return Some(Cow::from(self.outside.clone()));
        }
        // File systems have reasons of their own for this number.
        let is_refused =
            failure.operation == Operation::Open && failure.errno == Errno::OPNOTSUPP.raw_os_error();
        (is_refused && self.is_special(name)).then_some(Cow::from(SPECIAL))
    }

    fn is_special(&self, name: &ItemPath) -> bool {
        let facts = std::fs::metadata(self.base.join(name.as_path()));
        facts.is_ok_and(|facts| !facts.is_file() && !facts.is_dir())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_its_file_system_refuses_is_not_called_special() {
        let confined = Confined::new(Path::new("/dev"));
        let unsupported = Errno::OPNOTSUPP.raw_os_error();
        let failure = |operation, errno| Failure { operation, errno, offset_bytes: 0 };
        let problem = |name, failure| confined.problem(&ItemPath::from(name), failure);
        assert_eq!(problem("null", failure(Operation::Open, unsupported)).as_deref(), Some(SPECIAL));
        assert_eq!(problem("null", failure(Operation::Read, unsupported)), None);
        assert_eq!(problem("../proc/self/status", failure(Operation::Open, unsupported)), None);
        assert_eq!(problem("not/there", failure(Operation::Open, unsupported)), None);
        let outside = problem("x", failure(Operation::Open, Errno::XDEV.raw_os_error()));
        assert_eq!(outside.as_deref(), Some("leads out of --base /dev; leave out --base to follow it"));
    }
}
