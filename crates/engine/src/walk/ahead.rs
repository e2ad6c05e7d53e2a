//! Directories that are listed before the walk comes to them, by threads of their own: over a network each is several journeys.
//!
//! Owns which directories are listed next. All else is the walk's, as without: its order, where it turns back, and what is wrong with a
//! directory. What could not be listed ahead is listed again when its turn has come.
//!
//! Invariants:
//! 1. What is listed and not yet taken has a limit: [`MOST`] directories, and a share of the memory for names each.
//! 2. The walk waits only for a directory that a thread is listing, and no longer if that thread panics.
//! 3. Nothing is locked while the system is asked.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::io;
use std::mem;
use std::os::fd::AsFd as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hashlane_io::{DescriptorBudget, Directory, FileFacts};

use super::names::Names;
use super::{KEEP_DESCRIPTORS, WalkOptions, read_names, relative};

/// Directories that are listed ahead.
pub(super) const MOST: usize = 64;

/// In each directory, this many of the next ones are known ahead.
const NEXT: usize = 16;

/// A directory that is listed.
pub(super) struct ListedDirectory {
    pub(super) directory: Arc<Directory>,
    pub(super) facts: FileFacts,
    pub(super) names: Names,
}

/// What is listed, and what is to be.
pub(super) struct Ahead<'a> {
    options: &'a WalkOptions,
    descriptors: &'a DescriptorBudget,
    root_length: usize,
    state: Mutex<AheadState>,
    changed: Condvar,
}

/// A directory by its parent and its name there.
type DirectoryName = (Arc<Directory>, CString);

#[derive(Default)]
struct AheadState {
    /// By path with a slash at its end: the first is that to which the walk comes first.
    wanted: BTreeMap<Vec<u8>, DirectoryName>,
    /// Those that were begun. `None`: not done yet.
    begun: HashMap<Vec<u8>, Option<io::Result<ListedDirectory>>>,
    is_over: bool,
}

/// A directory that a thread is listing. However that ends, the walk does not wait for it any more.
struct Begun<'a, 'b> {
    ahead: &'a Ahead<'b>,
    path: Vec<u8>,
    place: DirectoryName,
    listed: io::Result<ListedDirectory>,
}

impl Drop for Begun<'_, '_> {
    fn drop(&mut self) {
        let listed = mem::replace(&mut self.listed, Err(io::ErrorKind::Other.into()));
        self.ahead.lock().begun.insert(mem::take(&mut self.path), Some(listed));
        self.ahead.changed.notify_all();
    }
}

impl<'a> Ahead<'a> {
    pub(super) fn new(
        options: &'a WalkOptions,
        descriptors: &'a DescriptorBudget,
        root_length: usize,
    ) -> Self {
        Self { options, descriptors, root_length, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Whether anything may be listed ahead. Where links are followed, or file systems count, only the walk knows where it turns back.
    pub(super) fn suits(options: &WalkOptions) -> bool {
        !options.follow && !options.one_file_system
    }

    /// Lists what is wanted, until [`Ahead::end`].
    pub(super) fn work(&self) {
        let mut room = Vec::with_capacity(64 << 10);
        while let Some(mut begun) = self.next() {
            let (parent, name) = &begun.place;
            begun.listed = self.list(parent, name, &mut room);
            if let Ok(listed) = &begun.listed {
                self.want(&listed.directory, &listed.names);
            }
        }
    }

    /// Says that the walk has ended.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Says that the walk will come to the next directories among these names.
    pub(super) fn want(&self, parent: &Arc<Directory>, names: &Names) {
        let filter = &self.options.filter;
        let enters =
            |name: &CStr| filter.is_empty() || filter.enters(&relative(parent, name, self.root_length));
        let places: Vec<_> = names
            .next_directories(NEXT)
            .filter(|name| enters(name))
            .map(|name| (key(parent, &name), (Arc::clone(parent), name)))
            .collect();
        let mut state = self.lock();
        for (path, place) in places {
            if !state.begun.contains_key(&path) {
                state.wanted.insert(path, place);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A directory to which the walk has come, if it is listed; waits if it is being listed.
    pub(super) fn take(&self, parent: &Arc<Directory>, name: &CStr) -> Option<ListedDirectory> {
        let path = key(parent, name);
        let mut state = self.lock();
        state.wanted.remove(&path);
        while matches!(state.begun.get(&path), Some(None)) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let listed = state.begun.remove(&path).flatten();
        drop(state);
        // There is room for another one.
        self.changed.notify_all();
        listed?.ok()
    }

    /// What is to be listed next; waits as long as there is nothing, or no room.
    fn next(&self) -> Option<Begun<'_, 'a>> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if state.begun.len() < MOST
                && let Some((path, place)) = state.wanted.pop_first()
            {
                state.begun.insert(path.clone(), None);
                let listed = Err(io::ErrorKind::Other.into());
                return Some(Begun { ahead: self, path, place, listed });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(&self, parent: &Arc<Directory>, name: &CStr, room: &mut Vec<u8>) -> io::Result<ListedDirectory> {
        let descriptor = parent.open_directory(name, false)?;
        let facts = FileFacts::of(descriptor.as_fd())?;
        let mut names = Names::in_memory(self.options.memory.names_bytes / (2 * MOST));
        read_names(&descriptor, &mut names, self.options, room)?;
        let permit = self.descriptors.take(KEEP_DESCRIPTORS);
        let directory = Arc::new(parent.child(name, permit.map(|permit| (descriptor, permit))));
        Ok(ListedDirectory { directory, facts, names })
    }

    fn lock(&self) -> MutexGuard<'_, AheadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(parent: &Directory, name: &CStr) -> Vec<u8> {
    let mut path = parent.join(name.to_bytes());
    path.push(b'/');
    path
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;
    use std::thread;

    use hashlane_io::FilePlace;
    use hashlane_record::{Failure, ItemPath};

    use super::*;
    use crate::lister::Lister;
    use crate::summary::Skipped;
    use crate::walk::Walk;

    #[derive(Default)]
    struct Shown(Vec<Vec<u8>>);

    impl Lister for Shown {
        fn found(&mut self, place: FilePlace, _inode: u64) -> ControlFlow<()> {
            self.0.push(place.directory.join(place.name.to_bytes()));
            ControlFlow::Continue(())
        }

        fn failed(&mut self, path: ItemPath, _failure: Failure) -> ControlFlow<()> {
            self.0.push(path.as_bytes().to_vec());
            ControlFlow::Continue(())
        }
    }

    fn name(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).expect("no NUL")
    }

    fn want_all(ahead: &Ahead<'_>, root: &Path) -> Arc<Directory> {
        let at = Arc::new(Directory::by_path(root.as_os_str().as_bytes()));
        let descriptor = at.open_directory(c".", false).expect("open");
        let mut names = Names::in_memory(1 << 20);
        read_names(&descriptor, &mut names, ahead.options, &mut Vec::with_capacity(4096)).expect("list");
        ahead.want(&at, &names);
        at
    }

    #[test]
    fn the_walk_takes_what_was_listed_ahead() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path();
        let (before, after) = (["a/before", "b/before"], ["a/after", "b/after"]);
        for path in before.map(|path| root.join(path)) {
            fs::create_dir_all(path.parent().expect("above it")).expect("mkdir");
            fs::write(path, b"").expect("write");
        }
        let (options, descriptors) = (WalkOptions::default(), DescriptorBudget::new(100));
        let ahead = Ahead::new(&options, &descriptors, name(root).count_bytes());
        thread::scope(|scope| {
            scope.spawn(|| ahead.work());
            want_all(&ahead, root);
            let mut state = ahead.lock();
            while state.begun.values().flatten().count() < before.len() {
                state = ahead.changed.wait(state).expect("no panic");
            }
            drop(state);
            ahead.end();
        });
        for (before, after) in before.iter().zip(after) {
            fs::rename(root.join(before), root.join(after)).expect("rename");
        }
        let walked = || {
            let (mut shown, mut skipped) = (Shown::default(), Skipped::default());
            let walk = Walk::new(&options, &descriptors, &mut shown, &mut skipped);
            let _ = walk.with_ahead(&ahead).run(&name(root));
            shown.0
        };
        let paths = |names: [&str; 2]| names.map(|name| root.join(name).as_os_str().as_bytes().to_vec());
        assert_eq!(walked(), paths(before));
        // Each is taken once.
        assert_eq!(walked(), paths(after));
    }

    #[test]
    fn a_directory_whose_thread_panics_is_left_to_the_walk() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(directory.path().join("a")).expect("mkdir");
        let (options, descriptors) = (WalkOptions::default(), DescriptorBudget::new(100));
        let ahead = Ahead::new(&options, &descriptors, name(directory.path()).count_bytes());
        let at = want_all(&ahead, directory.path());
        let ended = thread::scope(|scope| {
            let work = || {
                let _begun = ahead.next();
                panic!("as the test wants it");
            };
            scope.spawn(work).join()
        });
        assert!(ended.is_err() && ahead.take(&at, c"a").is_none());
    }
}
