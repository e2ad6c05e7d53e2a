//! Where the listed files are that no walk came to.

use std::collections::BTreeSet;
use std::io;

use hashlane_audit::Content;
use hashlane_record::ItemPath;

use crate::places::Places;
use crate::prefixes::Prefixes;
use crate::selection::{Roots, Selection, devices, lies_within};

/// What became of a listed file that no walk came to.
pub(crate) enum Whereabouts {
    /// It is there, or may be: what is in the way of saying so is found out by reading it.
    There,
    /// Something else is in its place, which might be waited for without end.
    Special,
    Gone,
    /// It is not wanted, whether it is there or not.
    Excluded,
}

/// Which of the listed files are wanted.
pub(crate) struct Wanted {
    selection: Selection,
    /// The roots of the walk, from where names are relative to.
    roots: Roots,
    /// The devices that they lie on.
    devices: BTreeSet<u64>,
    /// The same roots with their whole names, where they are those of a store.
    prefixes: Option<Prefixes>,
    /// Names must not lead out of a directory.
    has_base: bool,
}

impl Wanted {
    pub(crate) fn new(selection: Selection, has_base: bool, places: &Places, roots: &[ItemPath]) -> Self {
        let (prefixes, devices) = match places.elsewhere() {
            Some(_) => (Some(Prefixes::new(roots)), BTreeSet::new()),
            None => (None, devices(roots)),
        };
        let roots = match has_base {
            true => roots.iter().map(|root| ItemPath::from(&*places.of_found(root.as_bytes()))).collect(),
            false => roots.to_vec(),
        };
        let roots = selection.roots(&roots);
        Self { selection, roots, devices, prefixes, has_base }
    }

    /// Whether any file could be unwanted.
    pub(crate) fn is_everything(&self) -> bool {
        self.selection.is_everything()
    }

    pub(crate) fn whereabouts(
        &self,
        name: &[u8],
        places: &Places,
        known: impl FnOnce() -> Option<Content>,
    ) -> Whereabouts {
        let Self { selection, roots, devices, prefixes, has_base } = self;
        if let (Some(prefixes), Some(elsewhere)) = (prefixes, places.elsewhere()) {
            return self.in_store(name, prefixes.hold(&elsewhere.whole(name)), known);
        }
        // Whatever lies there, it is refused when it is read.
        if *has_base && name.starts_with(b"/") {
            return Whereabouts::There;
        }
        let path = &places.path(name);
        if !selection.takes_name(name, roots) || selection.is_elsewhere(path, devices) {
            return Whereabouts::Excluded;
        }
        match std::fs::metadata(path) {
            Ok(facts) if !lies_within(selection.bounds(), &facts) => Whereabouts::Excluded,
            Ok(facts) if facts.is_file() => Whereabouts::There,
            Ok(facts) if !facts.is_dir() => Whereabouts::Special,
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Whereabouts::There
            }
            _ if selection.bounds().are_open() => Whereabouts::Gone,
            // Of a file that is gone, what is listed says whether it was wanted.
            _ => match known() {
                Some(known) if !selection.takes_listed(known.size, known.modified) => Whereabouts::Excluded,
                _ => Whereabouts::Gone,
            },
        }
    }

    /// The same in a store whose roots were all listed to their ends. `is_in_roots`: the name lies in one of them. Whether something
    /// else is there is not asked for here, one name after the other, but by reading it beside others.
    fn in_store(
        &self,
        name: &[u8],
        is_in_roots: bool,
        known: impl FnOnce() -> Option<Content>,
    ) -> Whereabouts {
        let selection = &self.selection;
        if !selection.takes_name(name, &self.roots) {
            return Whereabouts::Excluded;
        }
        let is_bounded = !selection.bounds().are_open();
        if is_bounded && known().is_some_and(|known| !selection.takes_listed(known.size, known.modified)) {
            return Whereabouts::Excluded;
        }
        // A listing shows all but what only marks folders and what lies out of bounds.
        match is_in_roots && !is_bounded && !name.ends_with(b"/") {
            true => Whereabouts::Gone,
            false => Whereabouts::There,
        }
    }
}

/// A share of the listed files that no walk came to.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Looks {
    pub(crate) present: Vec<ItemPath>,
    pub(crate) unwanted: Vec<ItemPath>,
    pub(crate) special: Vec<ItemPath>,
    /// The last that was looked for; nothing if no name was left.
    pub(crate) last: Option<Vec<u8>>,
}

impl Looks {
    /// Looks for files until `most` names are kept, those present only if they are `spelled` as listed.
    pub(crate) fn new(
        names: impl Iterator<Item = impl AsRef<[u8]>>,
        whereabouts: impl Fn(&[u8]) -> Whereabouts,
        spelled: bool,
        most: usize,
    ) -> Self {
        let (mut looks, mut last) = (Self::default(), None);
        for name in names {
            let held = last.insert(name);
            let name: &[u8] = (*held).as_ref();
            match whereabouts(name) {
                Whereabouts::There if spelled => looks.present.push(ItemPath::from(name)),
                Whereabouts::Special if spelled => looks.special.push(ItemPath::from(name)),
                Whereabouts::There | Whereabouts::Special | Whereabouts::Gone => continue,
                Whereabouts::Excluded => looks.unwanted.push(ItemPath::from(name)),
            }
            if looks.present.len() + looks.unwanted.len() + looks.special.len() >= most {
                break;
            }
        }
        looks.last = last.map(|name| name.as_ref().to_vec());
        looks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwanted_names_are_looked_for_in_shares_too() {
        let names = ["a", "b", "c", "d", "e"].map(str::as_bytes);
        let whereabouts = |name: &[u8]| match name {
            b"a" => Whereabouts::Gone,
            b"d" => Whereabouts::There,
            _ => Whereabouts::Excluded,
        };
        let looks = |start: usize, spelled| {
            let looks = Looks::new(names[start..].iter().copied(), whereabouts, spelled, 2);
            let shown =
                |paths: &[ItemPath]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
            (shown(&looks.present).concat(), shown(&looks.unwanted).concat(), looks.last)
        };
        assert_eq!(looks(0, true), (b"".to_vec(), b"bc".to_vec(), Some(b"c".to_vec())));
        assert_eq!(looks(3, true), (b"d".to_vec(), b"e".to_vec(), Some(b"e".to_vec())));
        assert_eq!(looks(3, false), (b"".to_vec(), b"e".to_vec(), Some(b"e".to_vec())));
        assert_eq!(looks(5, true), (b"".to_vec(), b"".to_vec(), None));
    }
}
