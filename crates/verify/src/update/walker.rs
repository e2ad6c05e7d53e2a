//! Which files an update reads, and which it keeps as they are listed.

use std::collections::{HashMap, VecDeque};
use std::ffi::CString;
use std::io;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_engine::{AlgorithmSet, Control, Found, Input, Shown, Skipped, WalkOptions, list};
use hashlane_io::{Directory, FileFacts};
use hashlane_record::{ItemPath, without_secrets};

use super::moved::Moved;
use super::old::OldList;
use crate::elsewhere::Elsewhere;
use crate::prefixes;
use crate::trust::{Belief, Signs, has_size_and_time};

/// In the queue of decisions: the next record is reported. All else is the number of a listed file that is kept.
pub(super) const READ: u32 = u32::MAX;

/// What the walk hands to the sink.
pub(super) struct State {
    pub(super) decisions: VecDeque<u32>,
    /// Which listed files are there, by number.
    pub(super) there: Vec<bool>,
    /// In which roots there is anything.
    pub(super) inhabited: Vec<bool>,
    /// Directories that could not be looked into, and why.
    pub(super) unsearched: Vec<(Vec<u8>, io::Error)>,
    /// The inodes of kept files that have none in the list, by number, until they are reported.
    pub(super) inodes: HashMap<u32, NonZeroU64>,
    /// The names that listed files have now, by number, where a directory above them was renamed.
    pub(super) moved: HashMap<u32, ItemPath>,
    /// Something is kept without that times show that it is as it was listed.
    pub(super) taken_on_trust: bool,
    /// Files that look as they are listed, and were listed so soon after they were written that they are read.
    pub(super) too_young: u64,
}

impl State {
    pub(super) fn new(old: &OldList, roots: usize) -> Self {
        Self {
            decisions: VecDeque::new(),
            there: vec![false; old.count as usize],
            inhabited: vec![false; roots],
            unsearched: Vec::new(),
            inodes: HashMap::new(),
            moved: HashMap::new(),
            taken_on_trust: false,
            too_young: 0,
        }
    }
}

pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides which files are to be read.
pub(super) struct Walker {
    pub(super) old: Arc<OldList>,
    pub(super) belief: Belief,
    pub(super) state: Arc<Mutex<State>>,
    pub(super) sender: SyncSender<Input>,
    pub(super) roots: Vec<ItemPath>,
    pub(super) algorithms: AlgorithmSet,
    pub(super) excluded: Vec<(u64, u64)>,
    pub(super) walk: WalkOptions,
    pub(super) elsewhere: Option<Arc<Elsewhere>>,
    pub(super) moved: Moved,
}

impl Walker {
    /// Says what was passed over.
    pub(super) fn walk_all(&self, control: &Control) -> Skipped {
        let mut skipped = Skipped::default();
        for (place, root) in self.roots.iter().enumerate() {
            let flow = if let Some(elsewhere) = self.elsewhere.as_deref() {
                self.prefix(elsewhere, place, root, control, &mut skipped)
            } else if root.as_path().is_dir() {
                self.directory(place, root, control, &mut skipped)
            } else {
                let facts = Directory::current().facts(&c_string(root));
                self.wanted(facts, &mut skipped, || root.as_bytes().to_vec())
            };
            if flow.is_break() {
                break;
            }
        }
        skipped
    }

    fn directory(
        &self,
        place: usize,
        root: &ItemPath,
        control: &Control,
        skipped: &mut Skipped,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let walked = list(root, &self.walk, &mut |found| {
            lock(&self.state).inhabited[place] = true;
            flow = match found {
                _ if control.stopped().is_some() => ControlFlow::Break(()),
                Found::File { directory, name } => {
                    self.wanted(directory.facts(name), skipped, || directory.join(name.to_bytes()))
                }
                Found::Failed { path, error } => {
                    lock(&self.state).unsearched.push((path, error));
                    ControlFlow::Continue(())
                }
            };
            flow
        });
        if let Ok(walked) = walked {
            *skipped += walked;
        }
        flow
    }

    /// What a store has below a root, or under its name. Where it is not listed to its end, that is said.
    fn prefix(
        &self,
        elsewhere: &Elsewhere,
        place: usize,
        root: &ItemPath,
        control: &Control,
        skipped: &mut Skipped,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let listed = elsewhere.list(root, &self.walk, &mut |shown| {
            lock(&self.state).inhabited[place] = true;
            flow = match (control.stopped(), shown) {
                (Some(_), _) => ControlFlow::Break(()),
                (None, Shown::File { path, seen, .. }) => self.file(path.to_vec(), seen.map(Signs::from)),
                (None, Shown::Unlisted { .. }) => ControlFlow::Continue(()),
            };
            flow
        });
        match listed {
            Ok(passed_over) => *skipped += passed_over,
            Err(error) => lock(&self.state).unsearched.push((root.as_bytes().to_vec(), error)),
        }
        flow
    }

    /// A file, if it lies within the bounds of size and time. What is listed of others stays.
    fn wanted(
        &self,
        facts: io::Result<FileFacts>,
        skipped: &mut Skipped,
        path: impl FnOnce() -> Vec<u8>,
    ) -> ControlFlow<()> {
        if facts.as_ref().is_ok_and(|facts| !self.walk.filter.bounds().take(facts)) {
            skipped.excluded += 1;
            return ControlFlow::Continue(());
        }
        if facts.as_ref().is_ok_and(|facts| self.excluded.contains(&(facts.device, facts.inode))) {
            return ControlFlow::Continue(());
        }
        self.file(path(), facts.ok().as_ref().map(Signs::from))
    }

    /// A file that is wanted. `signs`: what can be seen of it, if anything can.
    fn file(&self, path: Vec<u8>, signs: Option<Signs>) -> ControlFlow<()> {
        let Some(number) = self.old.files.number(&path) else {
            let path = ItemPath::from(path);
            let former = signs.and_then(|signs| Some((self.former(&path, &signs)?, signs)));
            let Some((former, signs)) = former else { return self.read(path, None) };
            let mut state = lock(&self.state);
            state.moved.insert(former, path.clone());
            if self.belief.may_follow(&signs) && self.is_as_listed(former, &signs) {
                state.decisions.push_back(former);
                return ControlFlow::Continue(());
            }
            drop(state);
            return self.read(path, Some(former));
        };
        let kept = signs.filter(|signs| self.is_as_listed(number, signs));
        let lacks_inode = self.old.has_room_for_inodes() && self.old.inode(number).is_none();
        let seen = kept.filter(|signs| lacks_inode && self.belief.may_follow(signs));
        let inode = seen.and_then(|signs| self.moved.kept_inode(&ItemPath::from(&path[..]), &signs));
        let mut state = lock(&self.state);
        // Roots may lie in each other.
        if std::mem::replace(&mut state.there[number as usize], true) {
            return ControlFlow::Continue(());
        }
        // Its name was gone a moment ago, if it is reported under another one.
        if let Some(signs) = kept.filter(|_| !state.moved.contains_key(&number)) {
            state.taken_on_trust |= !self.belief.is_older(&signs);
            state.inodes.extend(inode.map(|inode| (number, inode)));
            state.decisions.push_back(number);
            return ControlFlow::Continue(());
        }
        let is_too_young = |signs: &Signs| self.belief.is_too_young(&self.old.files.file(number).1, signs);
        state.too_young += u64::from(signs.as_ref().is_some_and(is_too_young));
        drop(state);
        self.read(ItemPath::from(path), Some(number))
    }

    fn is_as_listed(&self, number: u32, signs: &Signs) -> bool {
        let (listed, inode) = (self.old.files.file(number).1, self.old.inode(number));
        self.belief.takes(&listed, inode, signs, &self.algorithms)
    }

    /// The listed file that an unlisted one was before a directory above it was renamed, by all but ctime.
    fn former(&self, path: &ItemPath, signs: &Signs) -> Option<u32> {
        if self.elsewhere.is_some() {
            return None;
        }
        self.moved.former(&self.old, path, signs, |number| {
            let (name, listed) = self.old.files.file(number);
            let is_told = {
                let state = lock(&self.state);
                state.there[number as usize] || state.moved.contains_key(&number)
            };
            // What was not looked for is not gone.
            let is_looked_for = || self.roots.iter().any(|root| lies_in(name, root.as_bytes()));
            !is_told && has_size_and_time(&listed, signs) && is_looked_for()
        })
    }

    fn read(&self, path: ItemPath, number: Option<u32>) -> ControlFlow<()> {
        lock(&self.state).decisions.push_back(READ);
        let tag = number.map_or_else(Box::default, |number| number.to_le_bytes().into());
        match self.sender.send(Input::file(path, None, &self.algorithms, tag)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

fn c_string(path: &ItemPath) -> CString {
    // What has a NUL inside is not a file, and an empty name is none either.
    CString::new(path.as_bytes()).unwrap_or_default()
}

/// The roots that are not inside another one, each once: a file in two roots would be listed twice.
pub fn outermost<'a>(roots: impl Iterator<Item = &'a ItemPath>) -> Vec<ItemPath> {
    let bare = |root: &ItemPath| {
        let bytes = root.as_bytes();
        let end = bytes.iter().rposition(|&byte| byte != b'/').map_or(bytes.len().min(1), |last| last + 1);
        ItemPath::from(&bytes[..end])
    };
    let mut kept: Vec<ItemPath> = Vec::new();
    for root in roots.map(bare) {
        if kept.iter().any(|other| lies_in(root.as_bytes(), other.as_bytes())) {
            continue;
        }
        kept.retain(|other| !lies_in(other.as_bytes(), root.as_bytes()));
        kept.push(root);
    }
    kept
}

/// The same for roots in a store, where a slash at the end means something. They are named as their objects are: without secrets of URLs.
pub fn outermost_in_store<'a>(roots: impl Iterator<Item = &'a ItemPath>) -> Vec<ItemPath> {
    let shown = |root: &ItemPath| ItemPath::from(&*without_secrets(root.as_bytes()));
    prefixes::distinct(roots.map(shown).collect(), true)
}

/// Whether a name is a root or lies below it.
pub(super) fn lies_in(name: &[u8], root: &[u8]) -> bool {
    let below = name.strip_prefix(root);
    below.is_some_and(|rest| rest.is_empty() || root.ends_with(b"/") || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_roots_that_lie_in_each_other_the_outermost_is_left() {
        let outermost = |roots: &[&str]| {
            let roots: Vec<_> = roots.iter().map(|root| ItemPath::from(*root)).collect();
            let kept = outermost(roots.iter());
            kept.iter().map(|root| root.escaped().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(outermost(&["a/b", "a/", "ab", "a", "c//"]), ["a", "ab", "c"]);
        assert_eq!(outermost(&["/x", "/", "y"]), ["/", "y"]);
        assert_eq!(outermost(&[]), [""; 0]);
    }
}
