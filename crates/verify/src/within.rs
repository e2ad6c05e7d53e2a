//! Whole names that begin with what they are listed for: a directory, or a prefix of a store. They are relative to it all the same.
//!
//! Tables of a tree may have absolute names, and those of a store have whole names of objects. A list of the same tree may have names that are
//! relative to it. What a name means is decided here, for checks, audits, comparisons and imports.
//!
//! A relative name means one file, whatever is there. `t/a` below `t` is `t/t/a`, and if that is gone, `t/a` is not another one: it would be
//! verified in its place.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hashlane_record::ItemPath;

use crate::lists::{Items, ListOptions, is_regular};
use crate::normal::{here, normal};
use crate::out_of_place::{OutOfPlace, has_scheme};

/// What names are relative to, and what they may begin with for that.
#[derive(Clone, Debug)]
pub struct Within {
    kind: Kind,
    /// See [`Within::one_too_deep`].
    doubled: Option<ItemPath>,
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
        Self { kind: Kind::Directory { path: path.to_owned(), names, here }, doubled: None }
    }

    /// All below a prefix of a store, which ends with a slash.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self { kind: Kind::Prefix(prefix.to_vec()), doubled: None }
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
        self.doubled = None;
        let Kind::Directory { path, names, here } = &mut self.kind else { return };
        let Some(items) =
            is_regular(list).then(|| Items::by_whatever_algorithm(list, reading).ok()).flatten()
        else {
            return;
        };
        let mut listed = items.flatten().map(|item| bare(item.path.as_bytes()));
        let Some(first) = listed.next() else { return };
        if first.starts_with(b"/") {
            let absolute = normal(here, &first);
            if below_any(names, &absolute).is_none() {
                names.extend(other_name(path, &absolute));
            }
            return;
        }
        let own = names.first().and_then(|name| name.rsplit(|&byte| byte == b'/').next());
        let Some(own) = own.filter(|own| !own.is_empty()) else { return };
        let begins =
            |name: &[u8]| normal(b"", name).strip_prefix(own).is_some_and(|rest| rest.starts_with(b"/"));
        // The list is read to its end only where nothing else speaks against it.
        let is_gone = || path.join(OsStr::from_bytes(own)).symlink_metadata().is_err();
        if begins(&first) && is_gone() && listed.all(|name| begins(&name)) {
            self.doubled = Some(ItemPath::from(own));
        }
    }

    /// The directory's own name, if all names of the present list begin with it, and it has nothing of that name. They may be relative to
    /// the directory above it. That is a hint and no more: what they name may have been lost.
    pub fn one_too_deep(&self) -> Option<&ItemPath> {
        self.doubled.as_ref()
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
            (Kind::Prefix(_), None) if !has_scheme(root.as_bytes()) => {
                let rest = without_here(root.as_bytes());
                ItemPath::from(if rest.is_empty() { b"." } else { rest })
            }
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
                if !name.starts_with(b"/") {
                    return None;
                }
                let absolute = normal(here, name);
                let found = match below_any(names, name) {
                    Some(below) => Some(Cow::Borrowed(below)),
                    None => below_any(names, &absolute).map(|below| Cow::Owned(below.to_vec())),
                };
                if !leads_up(name) {
                    return found;
                }
                // Where `..` leads is for the links on the way to say. A name that leads back in lies in there.
                let real = real_name(Path::new(OsStr::from_bytes(name)));
                let real = real.and_then(|real| below_any(names, &real).map(<[u8]>::to_vec));
                real.map(Cow::Owned).or(found)
            }
        }
    }

    /// Why a name that is not below it is not a relative one either.
    pub(crate) fn why_not(&self, name: &[u8]) -> Option<OutOfPlace> {
        match &self.kind {
            Kind::Prefix(_) => has_scheme(name).then_some(OutOfPlace::Outside),
            Kind::Directory { .. } if has_scheme(name) => Some(OutOfPlace::Object),
            Kind::Directory { .. } => name.starts_with(b"/").then_some(OutOfPlace::Outside),
        }
    }
}

/// A relative name without what a walk from the current directory puts before it.
pub(crate) fn without_here(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./") {
        name = &rest[rest.iter().take_while(|&&byte| byte == b'/').count()..];
    }
    name
}

/// The same name with it.
pub(crate) fn with_here(name: &ItemPath) -> ItemPath {
    ItemPath::from([b"./", name.as_bytes()].concat())
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

/// Whether a name has a component that leads to the directory above.
fn leads_up(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'/').any(|component| component == b"..")
}

/// The name of a file in the directory that it really lies in. The file itself may be a link, or gone.
fn real_name(path: &Path) -> Option<Vec<u8>> {
    let directory = path.parent()?.canonicalize().ok()?;
    Some(directory.join(path.file_name()?).into_os_string().into_encoded_bytes())
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
    fn an_absolute_name_that_leads_out_and_back_in_lies_below() {
        let root = tempfile::tempdir().expect("a directory");
        let path = |name: &str| root.path().canonicalize().expect("there").join(name);
        for name in ["t/d", "o"] {
            std::fs::create_dir_all(path(name)).expect("made");
        }
        std::os::unix::fs::symlink("../o", path("t/out")).expect("made");
        let within = Within::directory(&path("t"));
        for (name, expected) in [
            ("t/../t/a", "a"),
            ("t/d/../a", "a"),
            ("o/../t/d/gone", "d/gone"),
            // `t/out/..` is the directory above `t` and `o`.
            ("t/out/../t/a", "a"),
            ("t/out/../a", "out/../a"),
            ("t/../o/a", "../o/a"),
            ("t/gone/../a", "gone/../a"),
        ] {
            let name = path(name);
            let below = within.below(name.as_os_str().as_bytes()).expect("it begins with the directory");
            assert_eq!(text(below), expected, "{}", name.display());
        }
        assert_eq!(within.below(path("o/../o/a").as_os_str().as_bytes()), None);
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
        assert_eq!([".", "./", "./d", ".//./d", "s3://b/p/./d"].map(root), [".", ".", "d", "d", "./d"]);
        assert_eq!(within.why_not(b"s3://b/other"), Some(OutOfPlace::Outside));
        assert_eq!((within.why_not(b"a"), within.why_not(b"/a")), (None, None));
    }

    #[test]
    fn what_is_whole_and_lies_elsewhere_is_out_of_place() {
        let within = Within::directory(Path::new("."));
        assert_eq!(within.why_not(b"s3://b/k"), Some(OutOfPlace::Object));
        assert_eq!(within.why_not(b"/nowhere/k"), Some(OutOfPlace::Outside));
        assert_eq!(within.why_not(b"../k"), None);
    }
}
