//! How much a run will read, for whoever shows how far it is. Files that are gone count with no bytes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_engine::{Found, WalkOptions, list};
use hashlane_record::ItemPath;

use crate::lists::{Items, ListOptions, STDIN, is_regular};
use crate::selection::{Roots, Selection, lies_within};

/// Takes the bytes of one more file; false if nobody wants to know any more.
pub type Add<'a> = dyn FnMut(u64) -> bool + 'a;

/// Counts the bytes below a path; false if it cannot, or if nobody wants to know any more.
pub fn count_path(path: &OsStr, options: &WalkOptions, add: &mut Add<'_>) -> bool {
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => {}
        Ok(facts) if path != STDIN && !lies_within(options.filter.bounds(), &facts) => return add(0),
        Ok(facts) => return path != STDIN && add(facts.len()),
        Err(_) => return add(0),
    }
    let mut wanted = true;
    let walked = list(&ItemPath::from(path.as_bytes()), options, &mut |found| {
        if let Found::File { directory, name } = found {
            let facts = directory.facts(name).ok().filter(|facts| options.filter.bounds().take(facts));
            wanted = add(facts.map_or(0, |facts| facts.size_bytes));
        }
        if wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    walked.is_ok() && wanted
}

/// Counts the bytes of files by their names; false if nobody wants to know any more.
pub fn count_names(
    names: impl IntoIterator<Item = ItemPath>,
    options: &WalkOptions,
    add: &mut Add<'_>,
) -> bool {
    names.into_iter().all(|name| {
        let facts = fs::metadata(name.as_path()).ok();
        let facts = facts.filter(|facts| lies_within(options.filter.bounds(), facts));
        add(facts.map_or(0, |facts| facts.len()))
    })
}

/// Counts the bytes of listed files: the lists are read once more for it, and their algorithm does not matter. `base`: what names are
/// relative to. False if a list can be read only once, or cannot be read; or if nobody wants to know any more.
pub fn count_listed(
    lists: &[OsString],
    reading: &ListOptions,
    base: &Path,
    selection: &Selection,
    add: &mut Add<'_>,
) -> bool {
    let roots = Roots::default();
    lists.iter().all(|name| {
        let items = is_regular(name).then(|| Items::by_whatever_algorithm(name, reading).ok()).flatten();
        items.is_some_and(|items| {
            let mut wanted = items.flatten().filter(|item| {
                selection.takes_name(item.path.as_bytes(), &roots)
                    && selection.takes_listed(item.size, item.modified)
            });
            wanted.all(|item| {
                let size = || fs::metadata(base.join(item.path.as_path())).ok().map(|facts| facts.len());
                add(item.size.or_else(size).unwrap_or(0))
            })
        })
    })
}
