//! Names brought into one form, so that those which lead to the same file are equal.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use hashlane_record::ItemPath;
use memchr::memmem;

/// The current directory; empty if it is unknown.
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

/// Roots, each once however it is spelled. `nested`: without those that lie in another one, too. `start`: what they are relative
/// to; `here`: the same as a name from the root, where names are brought together there.
pub(crate) fn distinct(roots: Vec<ItemPath>, start: &Path, here: &[u8], nested: bool) -> Vec<ItemPath> {
    let name = |root: &ItemPath| normal(here, &without_detours(start, root.as_bytes()));
    let named: HashSet<Vec<u8>> = roots.iter().map(name).collect();
    let lies_in_another = |name: &[u8]| {
        let mut above = Path::new(OsStr::from_bytes(name)).ancestors().skip(1);
        above.any(|above| named.contains(above.as_os_str().as_bytes()))
    };
    let mut met = HashSet::new();
    let is_wanted = |root: &ItemPath| {
        let name = name(root);
        !(nested && lies_in_another(&name)) && met.insert(name)
    };
    roots.into_iter().filter(is_wanted).collect()
}

/// A listed name without what leads into a directory and out of it again, `d/../`: it leads to the same file then. What is not a
/// directory, or one by a symbolic link only, stays: from there `..` leads elsewhere or nowhere. `start`: what the name is
/// relative to.
pub(crate) fn without_detours<'a>(start: &Path, name: &'a [u8]) -> Cow<'a, [u8]> {
    if memmem::find(name, b"/..").is_none() {
        return Cow::Borrowed(name);
    }
    let root: &[u8] = if name.starts_with(b"/") { b"/" } else { b"" };
    let joined = |components: &[&[u8]]| [root, &components.join(&b'/')].concat();
    let is_directory = |components: &[&[u8]]| {
        let path = start.join(OsStr::from_bytes(&joined(components)));
        path.symlink_metadata().is_ok_and(|facts| facts.is_dir())
    };
    let (mut kept, mut ends_in_directory): (Vec<&[u8]>, bool) = (Vec::new(), false);
    for component in name.split(|&byte| byte == b'/') {
        ends_in_directory = matches!(component, b"" | b"." | b"..");
        match component {
            b"" | b"." => {}
            b".." if !kept.is_empty() && !kept.contains(&&b".."[..]) && is_directory(&kept) => _ = kept.pop(),
            _ => kept.push(component),
        }
    }
    let mut direct = if kept.is_empty() && root.is_empty() { b".".to_vec() } else { joined(&kept) };
    if ends_in_directory {
        direct.push(b'/');
    }
    Cow::Owned(direct)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_into_a_directory_and_out_again_is_no_part_of_a_name() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(directory.path().join("t/d")).expect("made");
        std::os::unix::fs::symlink("t/d", directory.path().join("l")).expect("made");
        let cases = [
            ("t/d/../a", "t/a"),
            ("./t//d/.././d/../a", "t/a"),
            ("t/d/../../a", "a"),
            ("t/d/../", "t/"),
            ("t/d/..", "t/"),
            ("t/..", "./"),
            ("l/../a", "l/../a"),
            ("none/../a", "none/../a"),
            ("../t/../a", "../t/../a"),
            ("a/..b", "a/..b"),
            ("./a", "./a"),
        ];
        for (name, direct) in cases {
            let found = without_detours(directory.path(), name.as_bytes());
            assert_eq!(found.escape_ascii().to_string(), direct, "{name}");
        }
    }

    #[test]
    fn a_root_counts_once_however_it_is_spelled() {
        let distinct = |roots: &[&str], here: &str, nested| {
            let roots = roots.iter().map(|root| ItemPath::from(*root)).collect();
            let kept = distinct(roots, Path::new(""), here.as_bytes(), nested);
            kept.iter().map(|root| root.escaped().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(distinct(&["t", "./t/", "u", "/home/ada/t"], "/home/ada", false), ["t", "u"]);
        assert_eq!(distinct(&["t/d", "t", "tt"], "/home/ada", false), ["t/d", "t", "tt"]);
        assert_eq!(distinct(&["t/d", "t", "tt"], "/home/ada", true), ["t", "tt"]);
        assert_eq!(distinct(&["t", "."], "/home/ada", true), ["."]);
        assert_eq!(distinct(&["t", "."], "", true), ["."]);
    }
}
