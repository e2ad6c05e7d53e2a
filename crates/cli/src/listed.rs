//! The items of manifests as inputs of a run.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Input};
use hashlane_io::Directory;
use hashlane_manifest::{Item, LineProblem, ProblemKind, algorithm_of_file_name};
use hashlane_record::{ItemPath, Outcome};
use hashlane_verify::normalization::{Spellings, is_there, others, spelling_there};
use hashlane_verify::{Expected, Names, Roots, Selection};

use crate::args::CheckArgs;
use crate::manifests::{self, Items, STDIN};
use crate::proof::{Proof, Prover};
use crate::screen::Screen;
use crate::status::{Ended, Status};

/// What was met on the way through the manifests.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What manifests that could not be opened mean for the exit code.
    pub(crate) status: Status,
    /// Lines that could not be understood, by manifest.
    pub(crate) malformed: Vec<(String, u64)>,
    /// Lines that were left out because another algorithm was asked for, by manifest.
    pub(crate) skipped: Vec<(String, u64)>,
    /// Manifests with digests of none but other algorithms than they are named after: what they are named after, and what they
    /// have.
    pub(crate) misnamed: Vec<(String, Algorithm, Vec<Algorithm>)>,
    /// Manifests whose reading failed before their end.
    pub(crate) broken_off: Vec<String>,
    /// The roots that headers name, those further down in concatenated manifests too.
    pub(crate) roots: Vec<ItemPath>,
    /// Items that list no digest, or none that can be understood.
    pub(crate) undigested: u64,
    /// Items whose reading failed or was unstable, as the manifest itself says: their digests are those of no file.
    pub(crate) recorded_bad: u64,
    /// Listed files that are standard input, which is taken already.
    pub(crate) stdin_again: u64,
    /// The names listed, if anybody will ask.
    pub(crate) known: Names,
    keeps_names: bool,
}

impl Seen {
    /// `from_here`: names are relative to the current directory.
    pub(crate) fn new(keeps_names: bool, from_here: bool) -> Self {
        let known = if from_here { Names::from_here() } else { Names::default() };
        Self { keeps_names, known, ..Self::default() }
    }
}

/// Reads manifests one after the other, each opened when it is reached, so that a thousand of them take one descriptor.
/// Runs on the thread of the source.
pub(crate) struct Listed {
    args: CheckArgs,
    selection: Selection,
    /// Where files are looked for, if somebody said so.
    roots: Vec<ItemPath>,
    /// Those of the present manifest: these, or what its headers name.
    below: Roots,
    names: std::vec::IntoIter<OsString>,
    present: Option<(String, Items)>,
    /// What stands in for the algorithm of the present manifest, where nothing has proven it.
    stand_in: Option<Algorithm>,
    /// What the name of the present manifest says.
    titled: Titled,
    base: Option<Arc<Directory>>,
    seen: Arc<Mutex<Seen>>,
    screen: Screen,
    algorithms: AlgorithmSet,
    /// Standard input is a manifest, or a listed file that went before.
    stdin_taken: bool,
    /// With --normalize.
    normalized: Option<Normalized>,
}

/// What has to wait until all names are known that are listed.
#[derive(Debug, Default)]
struct Normalized {
    spellings: Spellings,
    /// Listed files that are missing, and there in another spelling.
    waiting: VecDeque<Item>,
}

impl Listed {
    pub(crate) fn new(
        args: &CheckArgs,
        selection: Selection,
        base: Option<Arc<Directory>>,
        seen: Arc<Mutex<Seen>>,
        screen: Screen,
    ) -> Self {
        let names = manifests::names(args);
        let stdin_taken = names.iter().any(|name| name == STDIN);
        Self {
            args: args.clone(),
            selection,
            roots: args.root.iter().map(|root| root.as_os_str().as_bytes().into()).collect(),
            below: Roots::default(),
            names: names.into_iter(),
            present: None,
            stand_in: None,
            titled: Titled::default(),
            base,
            seen,
            screen,
            algorithms: Arc::new([]),
            stdin_taken,
            normalized: args.normalize.then(Normalized::default),
        }
    }

    /// Goes on to the next manifest that can be opened, and reports those that cannot; false if no more can.
    pub(crate) fn open_next(&mut self) -> bool {
        while let Some(name) = self.names.next() {
            match self.open(&name) {
                Ok((items, stand_in)) => {
                    self.stand_in = stand_in;
                    self.below = self.selection.roots(&self.roots);
                    self.titled = Titled::new(&name, &self.args);
                    self.present = Some((manifests::shown(&name), items));
                    return true;
                }
                Err(error) => {
                    self.screen.message(&error.to_string());
                    lock(&self.seen).status |=
                        error.downcast_ref::<Ended>().map_or(Status::INTERNAL, Ended::status);
                }
            }
        }
        false
    }

    /// A manifest, and what stands in for its algorithm if nothing proves it.
    fn open(&self, name: &OsStr) -> anyhow::Result<(Items, Option<Algorithm>)> {
        let mut stand_in = None;
        let items = Items::open(name, &self.args, |untold| {
            let mut below = self.selection.roots(&self.roots);
            let wanted = |name: &[u8], of_headers: &[ItemPath]| {
                if self.roots.is_empty() {
                    self.selection.grow(&mut below, of_headers);
                }
                self.selection.takes_name(name, &below).then(|| self.path_there(name))
            };
            match self.prover().prove(untold, wanted)? {
                Proof::Proven(algorithm) => Ok(algorithm),
                // What is missing or unreadable is so by whatever algorithm; what is there by now is not verified.
                Proof::NothingReadable => Ok(*stand_in.insert(untold.stand_in())),
            }
        })?;
        Ok((items, stand_in))
    }

    fn prover(&self) -> Prover<'_> {
        let Self { args, selection, screen, .. } = self;
        Prover { args, selection, base: self.base.as_ref(), screen }
    }

    /// The path that a listed name is read by, as far as the name alone tells it.
    fn path_there(&self, name: &[u8]) -> ItemPath {
        let base = self.args.base.as_deref().unwrap_or(Path::new(""));
        if self.normalized.is_some() { spelling_there(base, name).into() } else { ItemPath::from(name) }
    }

    /// The path of a file that may be read, and of whose digest nobody knows the algorithm.
    fn unproven(&self, item: &Item) -> Option<ItemPath> {
        let stand_in = self.stand_in?;
        let is_told = item.digests.iter().all(|digest| digest.algorithm() != stand_in);
        let path = (!is_told).then(|| self.path_there(item.path.as_bytes()))?;
        self.prover().may_read(&path).then_some(path)
    }

    fn input(&mut self, item: Item) -> Option<Input> {
        if let Some((_, items)) = &self.present
            && self.roots.is_empty()
        {
            self.selection.grow(&mut self.below, items.header_roots());
        }
        let is_taken = self.selection.takes_name(item.path.as_bytes(), &self.below);
        let unproven = if is_taken { self.unproven(&item) } else { None };
        let mut seen = lock(&self.seen);
        if seen.keeps_names {
            seen.known.add(item.path.as_bytes());
        }
        if !is_taken {
            return Some(Input::Excluded { path: item.path, tag: Box::default() });
        }
        if item.outcome.is_some_and(|outcome| outcome != Outcome::Read) {
            seen.recorded_bad += 1;
            return None;
        }
        let expected = Expected::of(&item);
        if expected.is_empty() || unproven.is_some() {
            seen.undigested += 1;
            // In whatever spelling: it is listed.
            if let Some(path) = unproven.filter(|_| seen.keeps_names) {
                seen.known.add(path.as_bytes());
            }
            return None;
        }
        let is_stdin = item.path.as_bytes() == STDIN.as_bytes() && self.base.is_none();
        if is_stdin && std::mem::replace(&mut self.stdin_taken, true) {
            seen.stdin_again += 1;
            return None;
        }
        drop(seen);
        self.titled.meet(expected.compared_by());
        if let Some(normalized) = &mut self.normalized {
            let (base, name) = (self.args.base.as_deref().unwrap_or(Path::new("")), item.path.as_bytes());
            normalized.spellings.add(name);
            if !is_stdin && !is_there(base, name) && !others(base, name).is_empty() {
                normalized.waiting.push_back(item);
                return None;
            }
        }
        Some(self.expecting(item.path, &expected, is_stdin))
    }

    /// A listed file that has waited, under the name by which it is there if that can be no other's.
    fn waited(&mut self) -> Option<Input> {
        let Normalized { spellings, waiting } = self.normalized.as_mut()?;
        let item = waiting.pop_front()?;
        let base = self.args.base.as_deref().unwrap_or(Path::new(""));
        let found = spellings.found(base, item.path.as_bytes()).map(ItemPath::from);
        if let Some(found) = &found {
            let mut seen = lock(&self.seen);
            if seen.keeps_names {
                seen.known.add(found.as_bytes());
            }
        }
        let expected = Expected::of(&item);
        Some(self.expecting(found.unwrap_or(item.path), &expected, false))
    }

    fn expecting(&mut self, path: ItemPath, expected: &Expected, is_stdin: bool) -> Input {
        let algorithms = expected.algorithms(&[], &mut self.algorithms);
        let (division, tag) = (expected.division(), expected.encode());
        if is_stdin {
            return Input::Stdin { tag, algorithms, division };
        }
        Input::File { path, base: self.base.clone(), algorithms, division, tag }
    }
}

impl Iterator for Listed {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        loop {
            let Some((name, items)) = &mut self.present else {
                if self.open_next() {
                    continue;
                }
                return self.waited();
            };
            match items.next() {
                None => {
                    let mut seen = lock(&self.seen);
                    seen.roots.extend_from_slice(items.header_roots());
                    if let Some((named, others)) = self.titled.misnamed() {
                        seen.misnamed.push((name.clone(), named, others));
                    }
                    drop(seen);
                    self.present = None;
                }
                Some(Ok(item)) => {
                    if let Some(input) = self.input(item) {
                        return Some(input);
                    }
                }
                Some(Err(LineProblem { kind: ProblemKind::Input(error), line, .. })) => {
                    let text = crate::text::system(&error);
                    self.screen.message(&format!("{name}: {text} (reading line {line})"));
                    lock(&self.seen).broken_off.push(name.clone());
                }
                Some(Err(problem)) => {
                    if self.args.warn {
                        self.screen.message(&format!("{name}: {problem}"));
                    }
                    let mut seen = lock(&self.seen);
                    seen.undigested += u64::from(problem.is_entry());
                    let lines = match problem.kind {
                        ProblemKind::AlgorithmNotAsked { .. } => &mut seen.skipped,
                        _ => &mut seen.malformed,
                    };
                    match lines.last_mut() {
                        Some((last, lines)) if last == name => *lines += 1,
                        _ => lines.push((name.clone(), 1)),
                    }
                }
            }
        }
    }
}

/// What a manifest is named after, and what it has.
#[derive(Debug, Default)]
pub(crate) struct Titled {
    named: Option<Algorithm>,
    met: Vec<Algorithm>,
}

impl Titled {
    /// One of this name; who asks for an algorithm knows what he wants.
    pub(crate) fn new(name: &OsStr, args: &CheckArgs) -> Self {
        let named = algorithm_of_file_name(name.as_bytes()).filter(|_| args.algorithm.is_none());
        Self { named, met: Vec::new() }
    }

    /// Takes note of what a listed file is compared by.
    pub(crate) fn meet(&mut self, algorithms: impl Iterator<Item = Algorithm>) {
        if self.named.is_some() {
            for algorithm in algorithms {
                if !self.met.contains(&algorithm) {
                    self.met.push(algorithm);
                }
            }
        }
    }

    /// What it is named after and what it has instead, if that is something else.
    pub(crate) fn misnamed(&mut self) -> Option<(Algorithm, Vec<Algorithm>)> {
        let named = self.named.filter(|named| !self.met.is_empty() && !self.met.contains(named))?;
        Some((named, std::mem::take(&mut self.met)))
    }
}

/// What was met so far.
pub(crate) fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
