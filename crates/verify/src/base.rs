//! The directory that names are relative to, open.

use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_io::Directory;

use crate::confined::Confined;
use crate::error::Error;

/// The directory that names are relative to and must not lead out of.
#[derive(Clone, Debug)]
pub struct Base {
    confined: Confined,
    directory: Arc<Directory>,
}

impl Base {
    /// Opens it.
    ///
    /// # Errors
    /// It cannot be opened, or is not a directory.
    pub fn open(base: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Base { base: base.to_owned(), source };
        let directory = File::open(base).map_err(failed)?;
        if !directory.metadata().map_err(failed)?.is_dir() {
            return Err(Error::BaseNoDirectory { base: base.to_owned() });
        }
        let directory = Directory::with_descriptor(base.as_os_str().as_bytes(), directory.into(), None);
        Ok(Self { confined: Confined::new(base), directory: Arc::new(directory) })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.confined.base()
    }

    /// The directory, open.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The rules on what is inside it and what is not.
    pub fn confined(&self) -> &Confined {
        &self.confined
    }
}
