//! Names that begin with what they are listed for: a directory, or a prefix of a store. They are relative to it all the same.
//!
//! Tables of a tree have absolute names, or relative ones that begin with the tree, and those of a store have whole names of objects. A list
//! of the same tree may have names that are relative to it. What a name means is decided here, for checks, audits, comparisons and imports.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hashlane_record::ItemPath;

use crate::lists::{Items, ListOptions};
use crate::normal::{here, normal};
use crate::out_of_place::{OutOfPlace, has_scheme};

/// What names are relative to, and what they may begin with for that.
#[derive(Clone, Debug)]
pub struct Within {
    kind: Kind,
    /// All relative names of the present list lead into it from the current directory, and none does from the directory itself.
    from_here: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Directory {
        path: PathBuf,
        /// Its absolute names: as it was named, without symbolic links, and as the present list has it.
        names: Vec<Vec<u8>>,
        /// The current directory; empty if it is unknown.
        here: Vec<u8>,
    },
    /// A prefix, with the slash at its end.
    Prefix(Vec<u8>),
}

impl Within {
    /// A directory, or a prefix of a store, as it was named.
    pub fn of(named: &Path) -> Self {
        match named.as_os_str().as_bytes() {
            name if !has_scheme(name) => Self::directory(named),
            name if name.ends_with(b"/") => Self::prefix(name),
            name => Self::prefix(&[name, b"/"].concat()),
        }
    }

    /// A directory.
    pub fn directory(path: &Path) -> Self {
        let here = here();
        let mut names = vec![normal(&here, path.as_os_str().as_bytes())];
        if let Ok(real) = path.canonicalize() {
            names.push(real.into_os_string().into_encoded_bytes());
        }
        names.retain(|name| name.starts_with(b"/"));
        names.dedup();
        Self { kind: Kind::Directory { path: path.to_owned(), names, here }, from_here: false }
    }

    /// All below a prefix of a store, which ends with a slash.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self { kind: Kind::Prefix(prefix.to_vec()), from_here: false }
    }

    /// What it was named.
    pub(crate) fn named(&self) -> ItemPath {
        match &self.kind {
            Kind::Directory { path, .. } => ItemPath::from(path.as_os_str().as_bytes()),
            Kind::Prefix(prefix) => ItemPath::from(prefix.strip_suffix(b"/").unwrap_or(prefix)),
        }
    }

    /// Gets to know how the names of a list begin, as far as it can be read twice. `bare`: a name as the list means it.
    pub fn begin(&mut self, list: &OsStr, reading: &ListOptions, bare: impl Fn(&[u8]) -> Vec<u8>) {
        self.from_here = false;
        let Kind::Directory { path, names, here } = &mut self.kind else { return };
        let is_regular = std::fs::metadata(list).is_ok_and(|facts| facts.is_file());
        let Some(items) = is_regular.then(|| Items::by_whatever_algorithm(list, reading).ok()).flatten()
        else {
            return;
        };
        let mut listed = items.flatten().map(|item| bare(item.path.as_bytes()));
        let Some(first) = listed.next().filter(|name| !has_scheme(name)) else { return };
        let absolute = normal(here, &first);
        if absolute.starts_with(b"/") && below_any(names, &absolute).is_none() {
            names.extend(other_name(path, &absolute));
        }
        if first.starts_with(b"/") {
            return;
        }
        let mut leading = Leading { path, names, here, seen: None };
        self.from_here =
            leading.leads_in(&first) && listed.all(|name| name.starts_with(b"/") || leading.leads_in(&name));
    }

    /// What follows it in a name that begins with it. Other names are as they were.
    pub fn relative<'a>(&self, name: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        match name {
            Cow::Borrowed(name) => self.below(name).unwrap_or(Cow::Borrowed(name)),
            Cow::Owned(name) => match self.below(&name).map(Cow::into_owned) {
                Some(below) => Cow::Owned(below),
                None => Cow::Owned(name),
            },
        }
    }

    /// Whether a name is whole: neither relative to it, nor to the current directory.
    fn is_whole(&self, name: &[u8]) -> bool {
        has_scheme(name) || name.starts_with(b"/") && matches!(self.kind, Kind::Directory { .. })
    }

    /// A name below it, relative to it; `None` if the name is whole and lies elsewhere.
    pub fn inside<'a>(&self, name: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let below = self.below(name);
        below.or_else(|| (!self.is_whole(name)).then_some(Cow::Borrowed(name)))
    }

    /// A root, as names below it are; `.` for all of it.
    pub fn root(&self, root: &ItemPath) -> ItemPath {
        let ended = [root.as_bytes(), b"/"].concat();
        match (&self.kind, self.below(root.as_bytes())) {
            (Kind::Prefix(prefix), _) if *prefix == ended || *prefix == root.as_bytes() => {
                ItemPath::from(".")
            }
            (_, Some(below)) => ItemPath::from(&*below),
            (_, None) => root.clone(),
        }
    }

    /// What follows it in a name that begins with it.
    pub fn below<'a>(&self, name: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match &self.kind {
            // An object of its own name lies beside what is below it.
            Kind::Prefix(prefix) => {
                name.strip_prefix(&prefix[..]).filter(|rest| !rest.is_empty()).map(Cow::Borrowed)
            }
            Kind::Directory { names, here, .. } => {
                let is_absolute = name.starts_with(b"/");
                if is_absolute && let Some(below) = below_any(names, name) {
                    return Some(Cow::Borrowed(below));
                }
                if has_scheme(name) || !is_absolute && !self.from_here {
                    return None;
                }
                let absolute = normal(here, name);
                below_any(names, &absolute).map(|below| Cow::Owned(below.to_vec()))
            }
        }
    }

    /// Why a name that is not below it is no relative one either.
    pub(crate) fn why_not(&self, name: &[u8]) -> Option<OutOfPlace> {
        match &self.kind {
            Kind::Prefix(_) => has_scheme(name).then_some(OutOfPlace::Outside),
            Kind::Directory { .. } if has_scheme(name) => Some(OutOfPlace::Object),
            Kind::Directory { .. } => name.starts_with(b"/").then_some(OutOfPlace::Outside),
        }
    }
}

/// What is left of an absolute name below one of several, without the slashes and the `./` that it begins with.
fn below_any<'a>(names: &[Vec<u8>], name: &'a [u8]) -> Option<&'a [u8]> {
    names.iter().find_map(|above| {
        let rest = name.strip_prefix(above.as_slice())?;
        let is_below = rest.is_empty() || rest.starts_with(b"/") || above.ends_with(b"/");
        let mut below = rest;
        while let Some(further) = below.strip_prefix(b"/").or_else(|| below.strip_prefix(b"./")) {
            below = further;
        }
        // The directory itself.
        is_below.then_some(if below.is_empty() { b"." } else { below })
    })
}

/// Tells which relative names lead into a directory from the current one.
struct Leading<'a> {
    path: &'a Path,
    names: &'a [Vec<u8>],
    here: &'a [u8],
    /// What the last name began with, and whether the directory has that, too: mostly the next one begins with the same.
    seen: Option<(Vec<u8>, bool)>,
}

impl Leading<'_> {
    /// Whether a name leads into the directory from here, and to nothing from there.
    fn leads_in(&mut self, name: &[u8]) -> bool {
        let absolute = normal(self.here, name);
        let Some(below) = below_any(self.names, &absolute).filter(|_| !has_scheme(name)) else {
            return false;
        };
        let direct = normal(b"", name);
        // Else it begins with nothing that is above: the current directory lies in that one.
        let Some(above) = direct.strip_suffix(below) else { return false };
        // What leads up from there is out of it.
        if above.split(|&byte| byte == b'/').any(|component| component == b"..") {
            return true;
        }
        if self.seen.as_ref().is_none_or(|(seen, _)| seen != above) {
            let is_there = self.path.join(OsStr::from_bytes(above)).symlink_metadata().is_ok();
            self.seen = Some((above.to_vec(), is_there));
        }
        !above.is_empty() && self.seen.as_ref().is_some_and(|(_, is_there)| !is_there)
    }
}

/// What an absolute name calls a directory that lies above it, by links.
fn other_name(path: &Path, name: &[u8]) -> Option<Vec<u8>> {
    let real = path.canonicalize().ok()?;
    let mut above = Path::new(OsStr::from_bytes(name)).ancestors().skip(1);
    let found = above.find(|above| above.canonicalize().is_ok_and(|above| above == real))?;
    Some(found.as_os_str().as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: Cow<'_, [u8]>) -> String {
        name.escape_ascii().to_string()
    }

    #[test]
    fn absolute_names_below_a_directory_are_relative_to_it() {
        let root = tempfile::tempdir().expect("a directory");
        let (tree, link) = (root.path().join("t"), root.path().join("link"));
        std::fs::create_dir(&tree).expect("made");
        std::os::unix::fs::symlink(&tree, &link).expect("made");
        let real = tree.canonicalize().expect("there");
        for named in [&tree, &link, &tree.join("."), &tree.join("")] {
            let within = Within::directory(named);
            let relative = |name: String| text(within.relative(Cow::Borrowed(name.as_bytes())));
            let (named, real) = (named.display(), real.display());
            for name in [format!("{named}/a/b"), format!("{real}/a/b"), format!("{real}//.//a/b")] {
                assert_eq!(relative(name.clone()), "a/b", "{name}");
            }
            for name in
                ["a/b", "./a", "s3://b/a"].map(str::to_owned).into_iter().chain([format!("{real}-old/a")])
            {
                assert_eq!(relative(name.clone()), name);
            }
            let root = |name: String| within.root(&ItemPath::from(name.as_bytes())).escaped().to_string();
            assert_eq!((root(real.to_string()), root(format!("{real}/d"))), (".".to_owned(), "d".to_owned()));
        }
        assert_eq!(text(Within::directory(Path::new("/")).relative(Cow::Borrowed(b"/a/b"))), "a/b");
    }

    #[test]
    fn whole_names_below_a_prefix_are_relative_to_it_byte_by_byte() {
        let within = Within::prefix(b"s3://b/p/");
        let relative = |name: &str| text(within.relative(Cow::Borrowed(name.as_bytes())));
        for (name, expected) in [
            ("s3://b/p/a", "a"),
            ("s3://b/p//a", "/a"),
            ("s3://b/p/./a", "./a"),
            ("s3://b/p-old/a", "s3://b/p-old/a"),
            ("s3://b/./p/a", "s3://b/./p/a"),
            ("a", "a"),
            ("/a", "/a"),
        ] {
            assert_eq!(relative(name), expected, "{name}");
        }
        let root = |name: &str| within.root(&ItemPath::from(name)).escaped().to_string();
        assert_eq!(["s3://b/p", "s3://b/p/", "s3://b/p/d", "d"].map(root), [".", ".", "d", "d"]);
        assert_eq!(within.why_not(b"s3://b/other"), Some(OutOfPlace::Outside));
        assert_eq!((within.why_not(b"a"), within.why_not(b"/a")), (None, None));
    }

    #[test]
    fn names_lead_into_a_directory_from_here_where_none_can_be_meant_from_there() {
        let root = tempfile::tempdir().expect("a directory");
        let root = root.path().canonicalize().expect("there");
        std::fs::create_dir_all(root.join("x/t/x")).expect("made");
        let leads = |path: &str, here: &str, names: &[&str]| {
            let here = root.join(here).into_os_string().into_encoded_bytes();
            let path = root.join(path);
            let all = [path.as_os_str().as_bytes().to_vec()];
            let mut leading = Leading { path: &path, names: &all, here: &here, seen: None };
            names.iter().map(|name| leading.leads_in(name.as_bytes())).collect::<Vec<_>>()
        };
        assert_eq!(
            leads("x/t", "x", &["t/a", "./t//a", "t/b/c", "u/a", "tt/a", "../x/t/a"]),
            [true, true, true, false, false, true]
        );
        // `x/t/a` could be meant from there only if there were a directory `x/t`.
        assert_eq!(leads("x/t", "", &["x/t/a", "x/a"]), [true, false]);
        std::fs::create_dir(root.join("x/t/x/t")).expect("made");
        assert_eq!(leads("x/t", "", &["x/t/a"]), [false]);
        assert_eq!(leads("x/t", "x/t", &["a", "./a", "../t/a", "../a"]), [false, false, true, false]);
        assert_eq!(leads("x/t", "x/t/x", &["../a", "a"]), [true, false]);
    }

    #[test]
    fn what_is_whole_and_lies_elsewhere_is_out_of_place() {
        let within = Within::directory(Path::new("."));
        assert_eq!(within.why_not(b"s3://b/k"), Some(OutOfPlace::Object));
        assert_eq!(within.why_not(b"/nowhere/k"), Some(OutOfPlace::Outside));
        assert_eq!(within.why_not(b"../k"), None);
    }
}
