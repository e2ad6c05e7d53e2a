//! What would be found of the files that are missing, if their names were read in another way.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use hashlane_manifest::directory_of_list;
use hashlane_record::ItemPath;

use crate::foreign::{CodePage, Foreign};
use crate::meant::in_another_case;
use crate::normalization::is_file;
use crate::options::{CheckOptions, LookupOptions};
use crate::places::Places;

/// This many missing files are looked for elsewhere.
const MOST_MISSING: usize = 200;

/// This many of them show which ways are worth trying with the rest.
const FEW_MISSING: usize = 8;

/// Another way to read names, by which missing files are found. What it does not change is as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remedy {
    /// How they are written.
    pub names: Foreign,
    /// What is removed from them, in the form that they have here.
    pub prefix: Option<ItemPath>,
    /// They are relative to the directory of their list.
    pub beside: bool,
    /// Case does not matter.
    pub fold_case: bool,
    /// How many files are missing.
    pub missing: u64,
    /// How many of them were looked for: the first ones.
    pub sought: u64,
    /// How many of those are found.
    pub found: u64,
}

/// Files of lists that are missing.
#[derive(Debug, Default)]
pub(crate) struct Absent {
    /// The first ones.
    names: Vec<ItemPath>,
    count: u64,
}

impl Absent {
    pub(crate) fn add(&mut self, name: &ItemPath) {
        self.count += 1;
        if self.names.len() < MOST_MISSING {
            self.names.push(name.clone());
        }
    }

    /// The way in which most of them are found, if any are. What was asked for already stays as it is.
    pub(crate) fn remedy(&self, options: &CheckOptions) -> Option<Remedy> {
        let search = Search { options, directories: directories(options) };
        let few = &self.names[..self.names.len().min(FEW_MISSING)];
        let ways = search.ways(few).into_iter().filter(|way| search.found(way, few) > 0);
        let mut best: Option<Remedy> = None;
        for way in ways {
            let found = search.found(&way, &self.names);
            let (missing, sought) = (self.count, self.names.len() as u64);
            // Of two that find as much, the first asks for less.
            if best.as_ref().is_none_or(|best| found > best.found) {
                best = Some(Remedy { missing, sought, found, ..way });
            }
            if found == sought {
                break;
            }
        }
        best
    }
}

/// Looks for files under other names.
struct Search<'a> {
    options: &'a CheckOptions,
    /// Those of the lists, where names are not relative to them or to a base already.
    directories: Vec<Vec<u8>>,
}

/// The directories of lists that are not where the names are looked for.
fn directories(options: &CheckOptions) -> Vec<Vec<u8>> {
    if options.lookup.beside || options.lookup.base.is_some() {
        return Vec::new();
    }
    let directories = options.lists.iter().map(|list| directory_of_list(list.as_bytes()).to_vec());
    let directories: BTreeSet<_> = directories.filter(|directory| !directory.is_empty()).collect();
    directories.into_iter().collect()
}

impl Search<'_> {
    /// All ways that may find one of a few names: those that change less come first.
    fn ways(&self, few: &[ItemPath]) -> Vec<Remedy> {
        let LookupOptions { names: given, prefixes, fold_case, .. } = &self.options.lookup;
        let mut writings = vec![Foreign::default()];
        if given.is_native() {
            writings.push(Foreign::WINDOWS);
            if few.iter().any(|name| !name.as_bytes().is_ascii()) {
                for page in CodePage::COMMON {
                    writings.push(Foreign::default().in_page(page.clone()));
                    writings.push(Foreign::WINDOWS.in_page(page));
                }
            }
        }
        let mut ways = Vec::new();
        for names in &writings {
            for beside in [false, true].into_iter().filter(|beside| !beside || !self.directories.is_empty()) {
                let way = Remedy { names: names.clone(), beside, ..Remedy::default() };
                let mut more = vec![way.clone()];
                // A look at each entry of a directory takes long, and nobody has both.
                if !fold_case && names.page().is_none() {
                    more.push(Remedy { fold_case: true, ..way.clone() });
                }
                if prefixes.is_empty() {
                    let prefix = few.iter().find_map(|name| self.prefix(&way, name));
                    more.extend(prefix.map(|prefix| Remedy { prefix: Some(prefix), ..way }));
                }
                ways.extend(more);
            }
        }
        ways.retain(|way| *way != Remedy::default());
        ways.sort_by_key(|way| {
            [!way.names.is_native(), way.prefix.is_some(), way.beside, way.fold_case]
                .map(u8::from)
                .iter()
                .sum::<u8>()
        });
        ways
    }

    /// The least that has to be removed from a name for a file to be found.
    fn prefix(&self, way: &Remedy, name: &ItemPath) -> Option<ItemPath> {
        let name = way.names.here(name.as_bytes());
        let places = self.places(&Remedy { names: Foreign::default(), ..way.clone() });
        let mut ends = (0..name.len()).filter(|&at| name[at] == b'/' && at + 1 < name.len());
        let end = ends.find(|end| self.is_found(way, &places, &name[end + 1..]))?;
        Some(ItemPath::from(if end == 0 { b"/" } else { &name[..end] }))
    }

    /// How many of some names are found in a way.
    fn found(&self, way: &Remedy, names: &[ItemPath]) -> u64 {
        let places = self.places(way);
        names.iter().filter(|name| self.is_found(way, &places, name.as_bytes())).count() as u64
    }

    /// Where names are located in a way, as its options have it: here, or in each directory of a list.
    fn places(&self, way: &Remedy) -> Vec<Places> {
        let prefix = way.prefix.iter().map(|prefix| OsStr::from_bytes(prefix.as_bytes()));
        let here = Places::new(None, &prefix.collect::<Vec<_>>()).written(way.names.clone());
        match way.beside {
            true => {
                self.directories.iter().map(|directory| here.clone().starting_in(directory.clone())).collect()
            }
            false => vec![here],
        }
    }

    /// Whether a name is that of a file in one of several places.
    fn is_found(&self, way: &Remedy, places: &[Places], name: &[u8]) -> bool {
        let base = self.options.lookup.start();
        places.iter().map(|places| places.bare(name)).any(|name| match way.fold_case {
            true => in_another_case(base, &name).is_some_and(|name| is_file(base, &name)),
            false => is_file(base, &name),
        })
    }
}
