//! Opening without a trace: what is read here was not used by anybody, and keeps the access time that it has.
//!
//! Linux lets those do so who own a file or may act as its owner (`CAP_FOWNER`), and refuses all others (`EPERM`). For them a file is
//! opened as usual: an access time is never worth an error.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

/// Whether this process was refused it for some file. To ask when a file is open costs a little where it is granted, and far less than a
/// second opening where it is refused. Either way each file is asked for.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Opens by flags so that reading moves no access time, where that is granted, and as usual where not. A mere handle (`O_PATH`) reads nothing.
pub(crate) fn open(flags: OFlags, open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    if flags.contains(OFlags::PATH) {
        return open(flags);
    }
    if !REFUSED.load(Ordering::Relaxed) {
        match open(flags | OFlags::NOATIME) {
            // Some file systems hand the flag to a program or a server that may know nothing of it.
            Err(Errno::PERM | Errno::ACCESS | Errno::INVAL | Errno::OPNOTSUPP) => {}
            opened => return opened,
        }
        let opened = open(flags)?;
        REFUSED.store(true, Ordering::Relaxed);
        return Ok(opened);
    }
    let opened = open(flags)?;
    keep(&opened);
    Ok(opened)
}

/// Asks for it when a file is open already. Whoever is refused reads it as usual.
pub(crate) fn keep(file: &OwnedFd) {
    let _ = fcntl_getfl(file).and_then(|flags| fcntl_setfl(file, flags | OFlags::NOATIME));
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rustix::fs::{CWD, Mode, openat};

    use super::*;

    /// One test, because all files of a process share what it was refused.
    #[test]
    fn whoever_is_refused_opens_as_usual_and_still_asks() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let asked = RefCell::new(Vec::new());
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let open_as = |refused: Option<Errno>| {
            asked.borrow_mut().clear();
            let opened = open(flags, |flags| {
                asked.borrow_mut().push(flags);
                match refused {
                    Some(error) if flags.contains(OFlags::NOATIME) => Err(error),
                    _ => openat(CWD, file.path(), flags, Mode::empty()),
                }
            });
            (opened, asked.borrow().clone())
        };
        let has = |file: &OwnedFd, flag| fcntl_getfl(file).expect("its flags").contains(flag);

        let (missing, asked_for) = open_as(Some(Errno::NOENT));
        assert_eq!(missing.map(drop), Err(Errno::NOENT));
        assert_eq!(asked_for, [flags | OFlags::NOATIME], "what is not there is not opened again");

        let (granted, asked_for) = open_as(None);
        assert!(has(&granted.expect("it is there"), OFlags::NOATIME));
        assert_eq!(asked_for, [flags | OFlags::NOATIME]);

        let (refused, asked_for) = open_as(Some(Errno::PERM));
        assert!(!has(&refused.expect("it is there"), OFlags::NOATIME));
        assert_eq!(asked_for, [flags | OFlags::NOATIME, flags]);

        // From here on it is asked for when the file is open. The file of the test is its own.
        let (own, asked_for) = open_as(Some(Errno::PERM));
        let own = own.expect("it is there");
        assert!(has(&own, OFlags::NOATIME) && has(&own, OFlags::NONBLOCK));
        assert_eq!(asked_for, [flags]);

        let handle = open(OFlags::PATH, |flags| openat(CWD, file.path(), flags, Mode::empty()));
        assert!(!has(&handle.expect("it is there"), OFlags::NOATIME));
    }
}
