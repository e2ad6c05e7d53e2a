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
                let mut holder = String::new();
                let _ = file.take(1000).read_to_string(&mut holder);
                return Err(Error::Busy {
                    name: collection.terms.name.clone(),
                    holder: holder.trim().to_owned(),
                });
            }
            Err(error) => return Err(failed(error.into())),
        }
        describe(&mut file, now_s).map_err(failed)?;
        Ok(Lock(file))
    }
}

/// Writes who holds it.
fn describe(file: &mut File, now_s: i64) -> io::Result<()> {
    let host = Escaped(rustix::system::uname().nodename().to_bytes()).to_string();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "process {} on {host} since {now_s}", std::process::id())
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What it says is no longer true. The file stays: another process may wait with it open.
        let _ = self.0.set_len(0);
        // A child that this process is just starting has the file open too, until it is another program.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}
