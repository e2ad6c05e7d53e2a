//! Directories that are listed before the walk comes to them, by threads of their own: over a network each is several journeys.
//!
//! Owns which directories are listed next. All else is the walk's, as without: its order, where it turns back, and what is wrong with a
//! directory. What could not be listed ahead is listed again when its turn has come.
//!
//! Invariants:
//! 1. What is listed and not yet taken has a limit: [`MOST`] directories, and a share of the memory for names each.
//! 2. The walk waits only for a directory that a thread is listing.
//! 3. Nothing is locked while the system is asked.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::AsFd as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hashlane_io::{DescriptorBudget, Directory, FileFacts};

use super::names::Names;
use super::{KEEP_DESCRIPTORS, WalkOptions, read_names, relative};

/// Directories that are listed ahead.
pub(super) const MOST: usize = 64;

/// Of each directory, so many of the next ones in it are known ahead.
const NEXT: usize = 16;

/// A directory that is listed.
pub(super) struct Listed {
    pub(super) directory: Arc<Directory>,
    pub(super) facts: FileFacts,
    pub(super) names: Names,
}

/// What is listed, and what is to be.
pub(super) struct Ahead<'a> {
    options: &'a WalkOptions,
    descriptors: &'a DescriptorBudget,
    root_length: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// A directory by its parent and its name there.
type Place = (Arc<Directory>, CString);

#[derive(Default)]
struct State {
    /// By path with a slash at its end: the first is that to which the walk comes first.
    wanted: BTreeMap<Vec<u8>, Place>,
    /// Those that were begun. `None`: not done yet.
    begun: HashMap<Vec<u8>, Option<io::Result<Listed>>>,
    is_over: bool,
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
        while let Some((path, (parent, name))) = self.next() {
            let listed = self.list(&parent, &name, &mut room);
            if let Ok(listed) = &listed {
                self.want(&listed.directory, &listed.names);
            }
            self.lock().begun.insert(path, Some(listed));
            self.changed.notify_all();
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
    pub(super) fn take(&self, parent: &Arc<Directory>, name: &CStr) -> Option<Listed> {
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
    fn next(&self) -> Option<(Vec<u8>, Place)> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if state.begun.len() < MOST
                && let Some((path, place)) = state.wanted.pop_first()
            {
                state.begun.insert(path.clone(), None);
                return Some((path, place));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(&self, parent: &Arc<Directory>, name: &CStr, room: &mut Vec<u8>) -> io::Result<Listed> {
        let descriptor = parent.open_directory(name, false)?;
        let facts = FileFacts::of(descriptor.as_fd())?;
        let mut names = Names::in_memory(self.options.memory.names_bytes / (2 * MOST));
        read_names(&descriptor, &mut names, self.options, room)?;
        let permit = self.descriptors.take(KEEP_DESCRIPTORS);
        let directory = Arc::new(parent.child(name, permit.map(|permit| (descriptor, permit))));
        Ok(Listed { directory, facts, names })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(parent: &Directory, name: &CStr) -> Vec<u8> {
    let mut path = parent.join(name.to_bytes());
    path.push(b'/');
    path
}
