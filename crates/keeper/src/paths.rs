//! What a path means below a root, whether anything lies there or not.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

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
