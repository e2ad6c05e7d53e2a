//! Paths as the bytes that they are. Those below a root have a slash at neither end.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The bytes of a path.
pub fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// The path of these bytes.
pub fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// A file beside another one, whose name is that one's and more.
pub(crate) fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(what);
    name.into()
}

/// Where the catalogue of a user lies, in the place that the XDG base directory specification has for data; nowhere without a home.
pub fn usual_place() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))?;
    Some(data.join("hashlane/catalog.sqlite"))
}

/// Whether a root is that of objects in a store. That of a tree is absolute.
pub(crate) fn is_in_store(root: &Path) -> bool {
    !root.is_absolute()
}

/// The directory and the name of a path below a root.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b"", path),
    }
}

/// A name in a directory, as a path below a root.
pub fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        b"" => name.to_vec(),
        directory => [directory, b"/", name].concat(),
    }
}

/// Whether a path below a root is another one, or lies below it.
pub fn lies_in(path: &[u8], other: &[u8]) -> bool {
    let below = path.strip_prefix(other);
    other.is_empty() || below.is_some_and(|below| below.is_empty() || below.starts_with(b"/"))
}

/// Whether a path is one of those that something is about, or lies below one. Where none is named, it is about all.
pub fn lies_within(path: &[u8], within: &[Vec<u8>]) -> bool {
    within.is_empty() || within.iter().any(|other| lies_in(path, other))
}
