//! Where names are located: listed ones, and those found in a tree.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_manifest::directory_of_list;
use hashlane_record::{ItemPath, without_secrets};
use memchr::memmem;

use crate::alias::Alias;
use crate::confined::Confined;
use crate::elsewhere::Elsewhere;
use crate::error::Error;
use crate::foreign::Foreign;
use crate::lists::{Items, ListOptions};
use crate::normal::{here, normal, without_detours};
use crate::note::{Note, Notes};
use crate::out_of_place::{OutOfPlace, has_scheme};
use crate::within::{Within, without_here};

/// Makes names comparable: relative names start at the current directory, or at the base.
#[derive(Clone, Debug)]
pub struct Places {
    /// The directory from which on the names that are found count.
    base: Option<ItemPath>,
    /// The store that the names are of, if they are not of files here.
    elsewhere: Option<Arc<Elsewhere>>,
    /// The current directory; empty with a base, and where nobody knows it.
    here: Vec<u8>,
    /// What lies below the current directory is named from there on. Not so for a tree that the current directory lies in: its
    /// names would lose their order.
    from_here: bool,
    /// How listed names are written.
    foreign: Foreign,
    /// What is taken off listed names.
    prefixes: Vec<Prefix>,
    /// What listed names may begin with that are relative to it all the same.
    within: Option<Within>,
    /// The tree that listed names are compared with, which may have other names in a list.
    tree: Option<Alias>,
    /// They are compared with what is there, and not with those of another list.
    of_what_is_there: bool,
    /// What listed names are relative to, with a slash at its end: the directory of the present list; empty: what they are without a list.
    directory: Vec<u8>,
}

/// What is taken off listed names: whole components, however many slashes stand between and behind them, and whether or not `./`
/// stands before them.
#[derive(Clone, Debug)]
struct Prefix {
    /// As it was named, with a slash at its end.
    named: Vec<u8>,
    is_absolute: bool,
    components: Vec<Vec<u8>>,
}

impl Prefix {
    fn new(prefix: &[u8]) -> Self {
        // What is empty stands for the root.
        let is_absolute = prefix.is_empty() || prefix.starts_with(b"/");
        let components =
            from_here(prefix).split(|&byte| byte == b'/').filter(|component| !component.is_empty());
        let named = [prefix.strip_suffix(b"/").unwrap_or(prefix), b"/"].concat();
        Self { named, is_absolute, components: components.map(<[u8]>::to_vec).collect() }
    }

    /// What follows it in a name that begins with it: a relative name.
    fn off<'a>(&self, name: &'a [u8]) -> Option<&'a [u8]> {
        if name.starts_with(b"/") != self.is_absolute {
            return None;
        }
        self.components.iter().try_fold(from_here(name), |rest, component| {
            Some(without_slashes(rest.strip_prefix(component.as_slice())?.strip_prefix(b"/")?))
        })
    }

    /// The same of a key, in which each byte counts.
    fn off_key<'a>(&self, name: &'a [u8]) -> Option<&'a [u8]> {
        name.strip_prefix(&self.named[..])
    }

    /// Whether it lies in the directory of another one.
    fn is_below(&self, other: &Self) -> bool {
        self.is_absolute == other.is_absolute && self.components.starts_with(&other.components)
    }
}

/// What follows a prefix in a name that begins with it, by whole components; in a key of a store, byte by byte too.
pub fn taken_off<'a>(prefix: &OsStr, name: &'a [u8], is_key: bool) -> Option<&'a [u8]> {
    let prefix = Prefix::new(prefix.as_bytes());
    prefix.off_key(name).filter(|_| is_key).or_else(|| prefix.off(name))
}

/// A name without the slashes and the `./` that it begins with.
fn from_here(name: &[u8]) -> &[u8] {
    let mut rest = without_slashes(name);
    while let Some(behind) = rest.strip_prefix(b"./") {
        rest = without_slashes(behind);
    }
    rest
}

/// A name without the slashes that it begins with.
fn without_slashes(name: &[u8]) -> &[u8] {
    &name[name.iter().position(|&byte| byte != b'/').unwrap_or(name.len())..]
}

impl Places {
    /// `prefixes` are removed from listed names; the first that matches is used. Trailing slashes, repeated slashes and a leading `./` do
    /// not matter.
    pub fn new(base: Option<&Path>, prefixes: &[impl AsRef<OsStr>]) -> Self {
        let base = base.map(|base| ItemPath::from(base.as_os_str().as_bytes()));
        let here = match base {
            Some(_) => Vec::new(),
            None => here(),
        };
        let within = base.as_ref().map(|base| Within::directory(base.as_path()));
        let prefixes = prefixes.iter().map(|prefix| Prefix::new(prefix.as_ref().as_bytes()));
        let prefixes = prefixes.collect();
        Self { base, here, prefixes, within, ..Self::anywhere() }
    }

    /// The same for names of a store, which are compared byte by byte.
    pub fn in_store(elsewhere: Arc<Elsewhere>, prefixes: &[impl AsRef<OsStr>]) -> Self {
        let base = elsewhere.base();
        let base = (!base.is_empty()).then(|| ItemPath::from(base));
        let within = base.as_ref().map(|base| Within::prefix(base.as_bytes()));
        let prefixes = prefixes.iter().map(|prefix| Prefix::new(prefix.as_ref().as_bytes())).collect();
        let elsewhere = Some(elsewhere);
        Self { base, elsewhere, prefixes, within, of_what_is_there: true, ..Self::anywhere() }
    }

    fn anywhere() -> Self {
        Self {
            base: None,
            elsewhere: None,
            here: Vec::new(),
            from_here: true,
            foreign: Foreign::default(),
            prefixes: Vec::new(),
            within: None,
            tree: None,
            of_what_is_there: false,
            directory: Vec::new(),
        }
    }

    /// For names that are compared with what is there.
    #[must_use]
    pub(crate) fn of_what_is_there(self) -> Self {
        Self { of_what_is_there: true, ..self }
    }

    /// For names that whoever reads files takes from a directory on: they are reported without it.
    #[must_use]
    pub(crate) fn read_from(self, base: Option<&Path>) -> Self {
        Self { within: base.map(Within::directory).or(self.within), ..self }
    }

    /// For names that are written as other systems do. What is taken off them is looked for in what they are here.
    #[must_use]
    pub fn written(self, foreign: Foreign) -> Self {
        Self { foreign, ..self }
    }

    /// From here on, names are those of a list, which is `open` or about to be. They are relative to its directory if its format says so, or if that
    /// is `asked` for; not if they are relative to a base or are those of a store (`None`), or if it is about the file that it is named after.
    pub(crate) fn start_at(&mut self, list: &OsStr, open: Option<&Items>, asked: Option<bool>) {
        let name = list.as_bytes();
        let of_format = || open.and_then(|items| items.directory_of_names(name));
        let is_about_its_name = open.is_some_and(Items::is_about_its_name);
        let of_list = |asked: bool| (asked && !is_about_its_name).then(|| directory_of_list(name).to_vec());
        self.directory = asked.and_then(|asked| of_format().or_else(|| of_list(asked))).unwrap_or_default();
    }

    /// Gets to know how the names of a list begin, before the first of them is asked for.
    pub fn begin(&mut self, list: &OsStr, reading: &ListOptions) {
        if let Some(mut within) = self.within.take() {
            within.begin(list, reading, |name| self.bare(name).into_owned());
            self.within = Some(within);
        }
        if let Some(mut tree) = self.tree.take() {
            tree.begin(list, reading, |name| self.bare(name).into_owned());
            self.tree = Some(tree);
        }
    }

    /// Notes that the names of the present list may be relative to the directory above the one that was named.
    pub(crate) fn hint(&self, list: &OsStr, notes: &Notes) {
        if let Some(name) = self.within.as_ref().and_then(Within::one_too_deep) {
            notes(Note::OneTooDeep { list, name });
        }
    }

    /// For names that are relative to a directory.
    #[must_use]
    pub(crate) fn starting_in(self, directory: Vec<u8>) -> Self {
        Self { directory, ..self }
    }

    /// The store that the names are of, if they are not of files here.
    pub(crate) fn elsewhere(&self) -> Option<&Elsewhere> {
        self.elsewhere.as_deref()
    }

    /// For comparing names with those of one tree, in their order. What is listed below another name of the tree is meant by this one.
    #[must_use]
    pub fn in_order_of(self, tree: &OsStr) -> Self {
        let root = normal(&self.here, tree.as_bytes());
        let is_in = self.here != root
            && Path::new(OsStr::from_bytes(&self.here)).starts_with(OsStr::from_bytes(&root));
        let alias = Alias::of(tree, self.start());
        Self { from_here: !is_in, of_what_is_there: true, tree: Some(alias), ..self }
    }

    /// A listed name as it is written here, without the first of the prefixes that it begins with, from the directory on that it is relative to.
    pub(crate) fn bare<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        let bare = match self.foreign.here(name) {
            Cow::Borrowed(name) => Cow::Borrowed(self.without_prefix(name)),
            Cow::Owned(name) => Cow::Owned(self.without_prefix(&name).to_vec()),
        };
        let placed = self.placed(bare);
        match &self.within {
            Some(within) => within.relative(placed),
            None => placed,
        }
    }

    /// Why a listed name is none of what is there, if its first characters tell. A path that leads out of a directory is refused where it is
    /// looked for.
    pub(crate) fn out_of_place(&self, name: &[u8]) -> Option<OutOfPlace> {
        let is_path = |why: &OutOfPlace| *why == OutOfPlace::Outside && self.elsewhere.is_none();
        self.why_not(&self.bare(name)).filter(|why| !is_path(why))
    }

    /// The same of the first name of a list, which shows what the list is of. One with a slash before it is a key of a store only if the store
    /// says so. `is_compared`: with what a store lists, where no versions are.
    pub(crate) fn first_out_of_place(&self, name: &[u8], is_compared: bool) -> Option<OutOfPlace> {
        let bare = self.bare(name);
        // What was whole is below the prefix, slash or not.
        let begins_with_slash = bare.starts_with(b"/") && !has_scheme(&self.foreign.here(name));
        let is_no_key =
            |elsewhere: &&Elsewhere| begins_with_slash && matches!(elsewhere.facts(&bare), Ok(None));
        let of_path = || self.elsewhere().filter(is_no_key).map(|_| OutOfPlace::Outside);
        let is_version = |there: &&Elsewhere| is_compared && there.is_version(&bare);
        let of_version = || self.elsewhere().filter(is_version).map(|_| OutOfPlace::Version);
        self.why_not(&bare).or_else(of_path).or_else(of_version)
    }

    fn why_not(&self, bare: &[u8]) -> Option<OutOfPlace> {
        match (&self.within, &self.elsewhere) {
            _ if !self.of_what_is_there => None,
            (Some(within), _) => within.why_not(bare),
            (None, Some(_)) => (!has_scheme(bare)).then_some(OutOfPlace::File),
            (None, None) => has_scheme(bare).then_some(OutOfPlace::Object),
        }
    }

    /// The error of a list that begins with such a name.
    pub(crate) fn refused(&self, list: &OsStr, path: &ItemPath, why: OutOfPlace) -> Error {
        let source_of_names = self.within.as_ref().map(Within::named);
        Error::OutOfPlace { list: list.to_owned(), path: path.clone(), source_of_names, why }
    }

    /// A relative name, from the directory on that listed names are relative to.
    fn placed<'a>(&self, name: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        match self.directory.is_empty() || name.starts_with(b"/") || has_scheme(&name) {
            true => name,
            false => Cow::Owned([&self.directory, &*name].concat()),
        }
    }

    fn without_prefix<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        let in_store = self.elsewhere.is_some();
        let of_key = |prefix: &Prefix| prefix.off_key(name).filter(|_| in_store);
        let off = self.prefixes.iter().find_map(|prefix| of_key(prefix).or_else(|| prefix.off(name)));
        off.unwrap_or_else(|| match &self.within {
            // Only what a walk of directories has put before a relative name: in a key each byte counts.
            Some(_) if in_store && !has_scheme(name) => without_here(name),
            _ => name,
        })
    }

    /// The form in which a listed name is compared.
    pub fn of_listed<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        match self.bare(name) {
            Cow::Borrowed(bare) => self.compared(bare),
            Cow::Owned(bare) => Cow::Owned(self.compared(&bare).into_owned()),
        }
    }

    /// The form in which a name is compared that nothing is taken off any more.
    fn compared<'a>(&self, bare: &'a [u8]) -> Cow<'a, [u8]> {
        if self.elsewhere.is_some() {
            return Cow::Borrowed(bare);
        }
        // A key, in which each byte counts; or a URL, which names the same object whatever secrets are in it.
        if has_scheme(bare) {
            return without_secrets(bare);
        }
        match without_detours(self.start(), bare) {
            Cow::Borrowed(bare) => with_slash_of(bare, self.in_tree(bare)),
            Cow::Owned(direct) => Cow::Owned(with_slash_of(&direct, self.in_tree(&direct)).into_owned()),
        }
    }

    /// A listed name as the tree has it, if it lies there.
    fn in_tree<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        match self.tree.as_ref().and_then(|tree| tree.found(name)) {
            Some(found) => Cow::Owned(self.of_found(&found).into_owned()),
            None => self.of(name),
        }
    }

    /// The form in which the name of a file that was found is compared.
    pub fn of_found<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        if let Some(elsewhere) = self.elsewhere() {
            return Cow::Borrowed(elsewhere.below_base(name));
        }
        let Some(base) = &self.base else { return self.of(name) };
        let below = name.strip_prefix(base.as_bytes()).unwrap_or(name);
        let start = below.iter().position(|&byte| byte != b'/').unwrap_or(below.len());
        self.of(&below[start..])
    }

    /// The roots of the present list: those that its headers name; if none does, the directory that its names are relative to, where that is
    /// its own.
    pub(crate) fn roots(&self, named: &[ItemPath]) -> Vec<ItemPath> {
        match named {
            [] if !self.directory.is_empty() => vec![self.directory()],
            named => named.iter().map(|root| self.root(root)).collect(),
        }
    }

    /// The root that a header of the present list names, in the form of the names below it.
    pub(crate) fn root(&self, named: &ItemPath) -> ItemPath {
        match self.of_root(named) {
            root if root == ItemPath::from(".") && !self.directory.is_empty() => self.directory(),
            root => ItemPath::from(&*self.placed(Cow::Borrowed(root.as_bytes()))),
        }
    }

    /// The directory that listed names are relative to, without the slash.
    fn directory(&self) -> ItemPath {
        let bare = self.directory.strip_suffix(b"/").filter(|bare| !bare.is_empty());
        ItemPath::from(bare.unwrap_or(b"/"))
    }

    /// The root that a header names, without the prefix, as names are written here.
    fn of_root(&self, root: &ItemPath) -> ItemPath {
        let root = &ItemPath::from(&*self.foreign.here(root.as_bytes()));
        let bare = root.as_bytes();
        let ended = [bare.strip_suffix(b"/").unwrap_or(bare), b"/"].concat();
        if let Some(rest) = self.prefixes.iter().find_map(|prefix| prefix.off(&ended)) {
            let rest = normal(b"", rest);
            // The prefix itself is what names are relative to by now.
            return if rest.is_empty() { ItemPath::from(".") } else { ItemPath::from(rest) };
        }
        // Below a base so is what lies above the prefix.
        let above = Prefix::new(&ended);
        if self.base.is_some() && self.prefixes.iter().any(|prefix| prefix.is_below(&above)) {
            return ItemPath::from(".");
        }
        self.within.as_ref().map_or_else(|| root.clone(), |within| within.root(root))
    }

    /// A name relative to the current directory, if it is below it.
    pub fn below_here<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        let below = name.strip_prefix(self.here.as_slice()).and_then(|rest| rest.strip_prefix(b"/"));
        below.filter(|_| !self.here.is_empty()).unwrap_or(name)
    }

    /// The directory that relative names are relative to; empty if that is not the current one.
    pub fn here(&self) -> &[u8] {
        &self.here
    }

    /// What compared names are relative to; empty: the current directory.
    pub fn start(&self) -> &Path {
        self.base.as_ref().map_or(Path::new(""), ItemPath::as_path)
    }

    /// The path of the file of a compared name, whether it exists or not.
    pub fn path(&self, name: &[u8]) -> PathBuf {
        self.start().join(OsStr::from_bytes(name))
    }

    /// The same; `None` if the name leads out of the base.
    pub fn path_inside(&self, name: &[u8]) -> Option<PathBuf> {
        let is_inside = self.base.is_none() || Confined::holds(&[ItemPath::from(name)]);
        is_inside.then(|| self.path(name))
    }

    /// The facts of the file of a name, if it exists. Only an error that states its absence proves that it does not exist.
    pub fn facts(&self, name: &[u8]) -> io::Result<Metadata> {
        self.path_inside(name).map_or_else(|| Err(io::ErrorKind::NotFound.into()), std::fs::metadata)
    }

    fn of<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        if (self.from_here || self.here.is_empty()) && is_plain(name) {
            return Cow::Borrowed(name);
        }
        let mut normal = normal(&self.here, name);
        if self.from_here {
            let start = normal.len() - self.below_here(&normal).len();
            normal.drain(..start);
        }
        Cow::Owned(normal)
    }
}

/// A name that is compared, with the slash that a listed one ends with: it leads to no file, as a check finds.
fn with_slash_of<'a>(listed: &[u8], name: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
    let is_directory = listed.ends_with(b"/") || listed.ends_with(b"/.");
    if !is_directory || name.is_empty() || name.ends_with(b"/") {
        return name;
    }
    let mut name = name.into_owned();
    name.push(b'/');
    Cow::Owned(name)
}

/// Whether a relative name is spelled as it is when it is brought together with others.
fn is_plain(name: &[u8]) -> bool {
    !matches!(name.first(), None | Some(b'/' | b'.'))
        && name.last() != Some(&b'/')
        && !name.ends_with(b"/.")
        && memmem::find(name, b"//").is_none()
        && memmem::find(name, b"/./").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(here: &str, from_here: bool, prefixes: &[&str]) -> Places {
        Places { here: here.into(), from_here, ..Places::new(None, prefixes) }
    }

    #[test]
    fn names_that_are_plain_are_those_that_do_not_change() {
        let names: [&[u8]; 12] =
            [b"a", b"a/b", b".a", b"./a", b"a//b", b"a/./b", b"a/", b"a/.", b"a/..", b"..a/b", b"", b"a/.b"];
        for name in names {
            if is_plain(name) {
                assert_eq!(normal(b"", name), name);
            }
        }
        assert!(is_plain(b"a/b") && is_plain(b"a/..") && !is_plain(b"./a") && !is_plain(b"a/."));
    }

    #[test]
    fn names_below_the_current_directory_begin_there() {
        let places = places("/home/ada", true, &["/old/", "new/"]);
        let cases = [
            ("./a", "a"),
            ("a//b/./c", "a/b/c"),
            ("/home/ada/a", "a"),
            ("/home/adam/a", "/home/adam/a"),
            ("../b", "/home/b"),
            ("/old/x", "x"),
            ("new/x", "x"),
            ("/older/x", "/older/x"),
            ("/old/new/x", "new/x"),
            ("s3://b/a//b/../c", "s3://b/a//b/../c"),
            ("new/s3://b/a//c", "s3://b/a//c"),
            ("d/s3://b//c", "d/s3:/b/c"),
        ];
        for (name, expected) in cases {
            assert_eq!(*places.of_listed(name.as_bytes()), *expected.as_bytes(), "{name}");
        }
    }

    #[test]
    fn a_listed_name_with_a_slash_at_its_end_is_no_file_s() {
        let places = places("/home/ada", true, &["old"]);
        for (name, expected) in
            [("a/", "a/"), ("./a//", "a/"), ("a/.", "a/"), ("old/a/", "a/"), ("/x/", "/x/")]
        {
            assert_eq!(*places.of_listed(name.as_bytes()), *expected.as_bytes(), "{name}");
        }
        assert_eq!(&*places.of_found(b"a/"), b"a");
    }

    #[test]
    fn names_of_a_tree_around_the_current_directory_keep_their_order() {
        let places = places("/home/ada", false, &[]);
        assert_eq!(*places.of_found(b"../ada/x"), *b"/home/ada/x");
        assert_eq!(*places.of_found(b"../bob"), *b"/home/bob");
        assert_eq!(*places.of_listed(b"x"), *b"/home/ada/x");
    }

    #[test]
    fn slashes_at_the_end_of_a_prefix_do_not_matter_and_nothing_else_is_taken_off() {
        for prefix in ["old", "old/", "old//", "old///"] {
            let places = places("/home/ada", true, &[prefix]);
            assert_eq!(*places.of_listed(b"old/x"), *b"x", "{prefix}");
            assert_eq!(places.of_root(&ItemPath::from("old/t")), ItemPath::from("t"), "{prefix}");
            assert_eq!(places.of_root(&ItemPath::from("old")), ItemPath::from("."), "{prefix}");
            assert_eq!(*places.of_listed(b"older/x"), *b"older/x", "{prefix}");
        }
        for prefix in ["old", "old/", "old//", "./old", ".//./old//"] {
            let places = places("/home/ada", true, &[prefix]);
            for name in ["old/s/b", "old//s/b", "old///s/b", "old/./s/b", "./old/s/b", ".//./old//s/b"] {
                assert_eq!(*places.of_listed(name.as_bytes()), *b"s/b", "{prefix} of {name}");
            }
            for name in ["/old/s/b", "older/s/b", "old", "x/old/s/b"] {
                let other = places.of_listed(name.as_bytes());
                assert_eq!(*other, *name.as_bytes(), "{prefix} of {name}");
            }
        }
        for prefix in ["/", "//"] {
            let places = places("/home/ada", true, &[prefix]);
            assert_eq!((&*places.of_listed(b"/a/b"), &*places.of_listed(b"//a")), (&b"a/b"[..], &b"a"[..]));
            assert_eq!(*places.of_listed(b"a/b"), *b"a/b");
        }
        let of_two = places("/home/ada", true, &["a/b"]);
        assert_eq!((&*of_two.of_listed(b"a//b/c"), &*of_two.of_listed(b"a/bc")), (&b"c"[..], &b"a/bc"[..]));
        let places = places("/home/ada", true, &["old "]);
        assert_eq!((&*places.of_listed(b"old /x"), &*places.of_listed(b"old/x")), (&b"x"[..], &b"old/x"[..]));
    }
}
