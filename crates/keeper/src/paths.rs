//! What a path means below a root, whether anything lies there or not.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use hashlane_auditor::Ground;

/// A path without detours; nothing of one that leads out of where it begins.
pub fn plain(path: &Path) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => parts.push(name.as_bytes()),
            Component::ParentDir => _ = parts.pop()?,
            _ => {}
        }
    }
    Some(parts.join(&b'/'))
}

/// A path that is relative to the current directory, below a root.
pub fn here(root: &Path, path: &Path) -> Option<Vec<u8>> {
    below(root, &std::path::absolute(path).ok()?)
}

/// An absolute path below a root: as it is written, or as the system sees it.
pub fn below(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let written =
        |path: &Path| plain(path).map(|plain| PathBuf::from(OsStr::from_bytes(&[b"/", &plain[..]].concat())));
    [written(path), written(&canonical(path))]
        .into_iter()
        .flatten()
        .find_map(|path| Some(path.strip_prefix(root).ok()?.as_os_str().as_bytes().to_vec()))
}

/// A path without links, as far as it exists: the file itself may be one, or be gone.
fn canonical(path: &Path) -> PathBuf {
    for above in path.ancestors().skip(1) {
        if let (Ok(real), Ok(below)) = (above.canonicalize(), path.strip_prefix(above)) {
            return real.join(below);
        }
    }
    path.to_owned()
}

/// The first part of a path below a root that is a symbolic link.
pub fn link<'a>(root: &Path, path: &'a [u8]) -> Option<&'a [u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    let mut parts = ends.chain([path.len()]).map(|end| &path[..end]);
    parts.find(|part| place(root, part).is_symlink())
}

/// Whether a directory has a file that an audit would read, however deep. What cannot be listed may have one.
pub fn has_files(tree: &Ground<'_>, root: &Path, directory: &[u8]) -> bool {
    let mut left = vec![directory.to_vec()];
    while let Some(directory) = left.pop() {
        let Ok(names) = place(root, &directory).read_dir() else { return true };
        for entry in names.flatten() {
            let name = entry.file_name();
            let path = match &directory[..] {
                b"" => name.as_bytes().to_vec(),
                directory => [directory, b"/", name.as_bytes()].concat(),
            };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => left.push(path),
                Ok(kind) if kind.is_file() && tree.takes(&path) => return true,
                _ => {}
            }
        }
    }
    false
}

/// Where a path below a root lies.
pub fn place(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out_and_nothing_leads_above() {
        let plain = |path: &str| plain(Path::new(path)).map(|plain| String::from_utf8(plain).unwrap());
        for (path, expected) in
            [("a/b", "a/b"), ("./a//b/", "a/b"), ("a/../b", "b"), (".", ""), ("a/..", ""), ("/x/y", "x/y")]
        {
            assert_eq!(plain(path).as_deref(), Some(expected), "{path}");
        }
        assert_eq!((plain(".."), plain("a/../..")), (None, None));
    }

    #[test]
    fn an_absolute_path_lies_below_a_root_or_not() {
        let below = |path: &str| below(Path::new("/srv/photos"), Path::new(path));
        assert_eq!(below("/srv/photos/2023/./a"), Some(b"2023/a".to_vec()));
        assert_eq!(below("/srv/photos"), Some(Vec::new()));
        assert_eq!(below("/srv/photos-old/a"), None);
        assert_eq!(below("/srv/photos/../a"), None);
    }
}
