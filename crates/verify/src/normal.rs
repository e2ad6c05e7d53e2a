//! Names brought into one form, so that those which lead to the same file are equal.

use std::os::unix::ffi::OsStringExt as _;

/// The current directory; empty where nobody knows it.
pub fn here() -> Vec<u8> {
    std::env::current_dir().map_or_else(|_| Vec::new(), |path| path.into_os_string().into_vec())
}

/// A name from the root, if it is known where it starts, without `.` components and repeated slashes: `./a//b` and `a/b`
/// are the same. Each `..` at its beginning takes one component from `here`, which has no symbolic links in it; further
/// down it may follow one, and stays.
pub(crate) fn normal(here: &[u8], name: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(here.len() + 1 + name.len());
    if name.starts_with(b"/") {
        normal.push(b'/');
    } else {
        normal.extend_from_slice(here);
    }
    let mut climbs = !here.is_empty() && !name.starts_with(b"/");
    for component in name.split(|&byte| byte == b'/').filter(|&component| !matches!(component, b"" | b".")) {
        climbs &= component == b"..";
        if climbs {
            let parent = normal.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
            normal.truncate(parent.max(1));
            continue;
        }
        if !normal.is_empty() && !normal.ends_with(b"/") {
            normal.push(b'/');
        }
        normal.extend_from_slice(component);
    }
    normal
}
