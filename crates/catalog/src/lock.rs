//! Who audits a collection: one at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;

use hashlane_record::Escaped;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::catalog::Catalog;
use crate::collections::Collection;
use crate::error::{Error, Result};

/// Held while a collection is audited. The system lets go of it when its process ends, however that ends: what a file says about one
/// that is gone stops nobody.
#[derive(Debug)]
pub struct Lock(File);

impl Catalog {
    /// Says that this process audits a collection, since a time in seconds since 1970.
    ///
    /// # Errors
    /// Another process audits it: the error says which, where and since when.
    pub fn lock(&self, collection: &Collection, now_s: i64) -> Result<Lock> {
        let mut path = self.path().as_os_str().to_owned();
        path.push(format!(".audit-{}", collection.id.0));
        let path = PathBuf::from(path);
        let failed = |source| Error::Open { path: path.clone(), source };
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let _ = file.take(1000).read_to_string(&mut text);
                let (holder, since_s) = holder(&text);
                return Err(Error::Busy { name: collection.terms.name.clone(), holder, since_s });
            }
            Err(error) => return Err(failed(error.into())),
        }
        describe(&mut file, now_s).map_err(failed)?;
        Ok(Lock(file))
    }
}

/// What stands between who holds a lock and since when.
const SINCE: &str = " since ";

/// Who holds a lock, by what it says, and since when. It may not say so yet.
fn holder(text: &str) -> (String, Option<i64>) {
    match text.trim().rsplit_once(SINCE) {
        // Who holds the locks of all collections for a moment knows of no time.
        Some((holder, since)) => (holder.to_owned(), since.parse().ok().filter(|since_s| *since_s > 0)),
        None => ("another process".to_owned(), None),
    }
}

/// Writes who holds it.
fn describe(file: &mut File, now_s: i64) -> io::Result<()> {
    let host = Escaped(rustix::system::uname().nodename().to_bytes()).to_string();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "process {} on {host}{SINCE}{now_s}", std::process::id())
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What it says is no longer true. The file stays: another process may wait with it open.
        let _ = self.0.set_len(0);
        // A child that this process is just starting has the file open too, until it is another program.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_says_who_holds_it_and_since_when() {
        let told = |text: &str| holder(text);
        let other = || "another process".to_owned();
        assert_eq!(told("process 7 on since since 12\n"), ("process 7 on since".to_owned(), Some(12)));
        assert_eq!(told("process 7 on host since 0\n"), ("process 7 on host".to_owned(), None));
        assert_eq!([told(""), told("process 7")], [(other(), None), (other(), None)]);
    }
}
