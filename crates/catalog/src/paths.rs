//! Paths as the bytes that they are.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

pub(crate) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

pub(crate) fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Whether a root is that of objects in a store. That of a tree is absolute.
pub(crate) fn is_in_store(root: &Path) -> bool {
    !root.is_absolute()
}
