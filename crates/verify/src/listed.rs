//! The entries of lists as inputs of a run.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Input};
use hashlane_manifest::{Item, LineProblem, ProblemKind};
use hashlane_record::{ItemPath, Outcome};

use crate::base::Base;
use crate::error::Error;
use crate::expected::Expected;
use crate::lists::{First, Items, STDIN};
use crate::meant::{Meant, below, in_another_case};
use crate::names::Names;
use crate::normalization::{Spellings, is_file, is_there, others, spelling_there};
use crate::note::{ListSummary, Note, Notes};
use crate::options::{CheckOptions, LookupOptions};
use crate::places::Places;
use crate::proof::{Proof, Prover};
use crate::selection::Roots;
use crate::titled::Titled;
use crate::unverified::Unverified;
use crate::within::{with_here, without_here};

/// What was met on the way through the lists.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Lists that could not be opened.
    pub(crate) unopened: Vec<Error>,
    /// Lists that were read, if there is anything to be said of them.
    pub(crate) lists: Vec<ListSummary>,
    /// The list that is read.
    present: ListSummary,
    /// The roots that headers name, those further down in concatenated lists too.
    pub(crate) roots: Vec<ItemPath>,
    /// Listed names that are there, where only names are compared.
    pub(crate) there: u64,
    /// Listed files that are standard input, which is taken already.
    pub(crate) stdin_again: u64,
    /// The names listed, if anybody will ask.
    pub(crate) names: Names,
    keeps_names: bool,
}

impl Met {
    /// `names`: none yet, and how they will be compared.
    pub(crate) fn new(keeps_names: bool, names: Names) -> Self {
        Self { keeps_names, names, ..Self::default() }
    }

    /// Ends the present list.
    pub(crate) fn close(&mut self) {
        let list = std::mem::take(&mut self.present);
        if !list.is_plain() {
            self.lists.push(list);
        }
    }
}

/// Reads lists one after the other, each opened when it is reached, so that a thousand of them take one descriptor.
/// Runs on the thread of the source.
pub(crate) struct Listed {
    options: Arc<CheckOptions>,
    /// What is taken off listed names.
    places: Places,
    notes: Notes,
    /// The roots that globs are compared below: those that somebody named, or those of the present list's headers.
    below: Roots,
    lists: std::vec::IntoIter<OsString>,
    present: Option<(OsString, Items)>,
    /// Nothing of it was met yet.
    is_first: bool,
    /// The roots that its headers have named so far, in the form of the names below them.
    named: Vec<ItemPath>,
    /// What stands in for the algorithm of the present list, where nothing has proven it.
    stand_in: Option<Algorithm>,
    /// What the name of the present list says.
    titled: Titled,
    met: Arc<Mutex<Met>>,
    algorithms: AlgorithmSet,
    /// Standard input is a list, or a listed file that went before.
    stdin_taken: bool,
    /// Where other spellings are taken for what is listed.
    normalized: Option<Normalized>,
    /// What is not certain to be a sentence until an entry follows.
    between: Between,
    /// Files of the present list without a digest that can be verified.
    unverified: Unverified,
}

/// Lines that seem to list nothing and have the name of a file that is there. Between entries each of them is one that was damaged.
#[derive(Debug, Default)]
struct Between {
    /// The present list has had an entry.
    has_begun: bool,
    /// Such lines since the last entry.
    lines: u64,
}

/// What the entry of a file carries: what is expected of it, behind a byte that says whether it was listed with `./` before it, which
/// is not part of a key, and is shown with it.
fn tag(expected: &Expected, is_from_here: bool) -> Box<[u8]> {
    [&[u8::from(is_from_here)][..], &expected.encode()].concat().into()
}

/// What such a tag says.
pub(crate) fn tagged(tag: &[u8]) -> Option<(Expected, bool)> {
    let (is_from_here, expected) = tag.split_first()?;
    Some((Expected::decode(expected)?, *is_from_here == 1))
}

/// What has to wait until all names are known that are listed.
#[derive(Debug, Default)]
struct Normalized {
    spellings: Spellings,
    /// Listed files that are missing, and there in another spelling.
    waiting: VecDeque<(ItemPath, Expected)>,
}

impl Listed {
    pub(crate) fn new(options: &Arc<CheckOptions>, met: &Arc<Mutex<Met>>, notes: Notes) -> Self {
        let places = options.lookup.places(None).read_from(options.lookup.base.as_ref().map(Base::path));
        Self {
            options: Arc::clone(options),
            places,
            notes,
            below: Roots::default(),
            lists: options.lists.clone().into_iter(),
            present: None,
            is_first: true,
            named: Vec::new(),
            stand_in: None,
            titled: Titled::default(),
            met: Arc::clone(met),
            algorithms: Arc::new([]),
            stdin_taken: options.lists.iter().any(|name| name == STDIN),
            normalized: options.lookup.normalize.then(Normalized::default),
            between: Between::default(),
            unverified: Unverified::default(),
        }
    }

    /// Goes on to the next list that can be opened, and notes those that cannot; false if no more can.
    pub(crate) fn open_next(&mut self) -> bool {
        while let Some(name) = self.lists.next() {
            let beside = self.options.lookup.beside();
            self.places.start_at(&name, None, beside);
            self.places.begin(&name, &self.options.lookup.reading);
            self.places.hint(&name, &self.notes);
            match self.open(&name) {
                Ok((items, stand_in)) => {
                    self.places.start_at(&name, Some(&items), beside);
                    self.named.clear();
                    self.is_first = true;
                    self.stand_in = stand_in;
                    self.below = self.options.lookup.selection.roots(&self.options.lookup.roots);
                    self.titled = Titled::new(&name, self.options.lookup.reading.algorithm);
                    lock(&self.met).present = ListSummary::of(&name);
                    self.present = Some((name, items));
                    return true;
                }
                Err(error) => self.refuse(error),
            }
        }
        false
    }

    /// Goes on without a list.
    fn refuse(&self, error: Error) {
        (self.notes)(Note::Unopened(&error));
        lock(&self.met).unopened.push(error);
    }

    /// A list, and what stands in for its algorithm if nothing proves it.
    fn open(&self, name: &OsStr) -> Result<(Items, Option<Algorithm>), Error> {
        if name == STDIN {
            (self.notes)(Note::StandardInput);
        }
        // Before a file is read to find out the algorithm: of another place there is none.
        if (self.options.lookup.has_base()
            || self.options.lookup.elsewhere.is_some() && self.options.complete)
            && let Some(First { name: first, .. }) = First::of_list(name, &self.options.lookup.reading)
            && let Some(why) = self.places.first_out_of_place(first.as_bytes(), self.options.complete)
        {
            return Err(self.places.refused(name, &first, why));
        }
        let LookupOptions { reading, selection, roots, .. } = &self.options.lookup;
        let mut stand_in = None;
        let items = Items::open(name, reading, |untold| {
            let (mut below, mut named) = (selection.roots(roots), Vec::new());
            let wanted = |name: &[u8], of_headers: &[ItemPath]| {
                if roots.is_empty() {
                    named.extend(of_headers.iter().skip(named.len()).map(|root| self.places.root(root)));
                    selection.grow(&mut below, &named);
                }
                let name = self.places.bare(name);
                selection.takes_name(&name, &below).then(|| self.path_there(&name))
            };
            if self.options.names_only {
                return Ok(*stand_in.insert(untold.stand_in()));
            }
            match self.prover().prove(untold, wanted)? {
                Proof::Proven(algorithm) => Ok(algorithm),
                // What is missing or unreadable is so by whatever algorithm; what is there by now is not verified.
                Proof::NothingReadable => Ok(*stand_in.insert(untold.stand_in())),
            }
        })?;
        Ok((items, stand_in))
    }

    fn prover(&self) -> Prover<'_> {
        let LookupOptions { base, selection, engine, reading, elsewhere, .. } = &self.options.lookup;
        let (base, elsewhere) = (base.as_ref(), elsewhere.as_deref());
        Prover { base, elsewhere, selection, engine, pieces: reading.pieces, notes: &self.notes }
    }

    /// What a list means by a name that is not there.
    fn meant<'n>(&self, name: &'n [u8]) -> Option<Meant<'n>> {
        if self.options.lookup.elsewhere.is_some() {
            return None;
        }
        let start = self.options.lookup.start();
        let meant = Meant::of(name).filter(|meant| !is_there(start, name) && is_there(start, &meant.name));
        meant.or_else(|| {
            let other = self.options.lookup.fold_case.then(|| in_another_case(start, name)).flatten()?;
            Some(Meant { name: other.into(), size: None, is_line_end: false })
        })
    }

    /// What a list means by a name, and the size beside it.
    fn settled<'n>(&self, name: &'n [u8]) -> Meant<'n> {
        let meant = |bare: Cow<'n, [u8]>| Meant { name: bare, size: None, is_line_end: false };
        match self.places.bare(name) {
            Cow::Borrowed(bare) => self.meant(bare).unwrap_or_else(|| meant(bare.into())),
            Cow::Owned(bare) => {
                let other = self.meant(&bare).map(|Meant { name, size, is_line_end }| Meant {
                    name: name.into_owned().into(),
                    size,
                    is_line_end,
                });
                other.unwrap_or_else(|| meant(bare.into()))
            }
        }
    }

    /// The path that a listed name is read by, as far as the name alone shows it.
    fn path_there(&self, name: &[u8]) -> ItemPath {
        if let Some(meant) = self.meant(name) {
            return ItemPath::from(&*meant.name);
        }
        if self.normalized.is_some() {
            spelling_there(self.options.lookup.start(), name).into()
        } else {
            ItemPath::from(name)
        }
    }

    /// What is expected of a file. Of a list whose algorithm nothing proves, no digest: only a file that cannot be read comes so far.
    fn expected_of(&self, item: &Item) -> Expected {
        let mut expected = Expected::of(item);
        if let Some(stand_in) = self.stand_in {
            expected.digests.retain(|digest| digest.algorithm() != stand_in);
            expected
                .pieces
                .take_if(|pieces| pieces.columns().iter().any(|&(algorithm, _)| algorithm == stand_in));
        }
        expected
    }

    /// The name of an item that has a digest which can be verified.
    fn verified_name(&self, item: &Item) -> Option<Vec<u8>> {
        let is_read = item.outcome.is_none_or(|outcome| outcome == Outcome::Read);
        let is_verified = is_read && !self.expected_of(item).is_empty();
        is_verified.then(|| self.settled(item.path.as_bytes()).name.into_owned())
    }

    /// The path of a file that may be read, and of whose digest nobody knows the algorithm.
    fn unproven(&self, item: &Item) -> Option<ItemPath> {
        let stand_in = self.stand_in?;
        let is_told = item.digests.iter().all(|digest| digest.algorithm() != stand_in);
        let path = (!is_told).then(|| self.path_there(item.path.as_bytes()))?;
        self.prover().may_read(&path).then_some(path)
    }

    fn input(&mut self, mut item: Item) -> Option<Input> {
        if let (Some((_, items)), Some(base)) = (&self.present, &self.options.lookup.base)
            && items.is_about_its_name()
        {
            item.path = below(base.path(), &item.path);
        }
        let Meant { name, size, is_line_end } = self.settled(item.path.as_bytes());
        let is_from_here = self.options.lookup.elsewhere.is_some()
            && *name != *item.path.as_bytes()
            && *name == *without_here(item.path.as_bytes());
        let other = (*name != *item.path.as_bytes()).then(|| ItemPath::from(&*name));
        drop(name);
        if let Some(other) = other {
            item.path = other;
            item.size = item.size.or(size);
            lock(&self.met).present.carriage_returns += u64::from(is_line_end);
        }
        if let Some((_, items)) = &self.present
            && self.options.lookup.roots.is_empty()
        {
            let named = items.header_roots();
            // Few lists name more of them further down.
            self.named.extend(named.iter().skip(self.named.len()).map(|root| self.places.root(root)));
            self.options.lookup.selection.grow(&mut self.below, &self.named);
        }
        let is_taken = self.options.lookup.selection.takes_name(item.path.as_bytes(), &self.below);
        if is_taken && self.options.names_only && self.prover().is_there(&item.path) {
            let mut met = lock(&self.met);
            met.there += 1;
            if met.keeps_names {
                met.names.add(&self.options.lookup.direct(item.path.as_bytes()));
            }
            return None;
        }
        let unproven = if is_taken { self.unproven(&item) } else { None };
        let mut met = lock(&self.met);
        if met.keeps_names {
            met.names.add(&self.options.lookup.direct(item.path.as_bytes()));
        }
        if !is_taken {
            let path = if is_from_here { with_here(&item.path) } else { item.path };
            return Some(Input::Excluded { path, tag: Box::default() });
        }
        if item.outcome.is_some_and(|outcome| outcome != Outcome::Read) {
            met.present.recorded_bad += 1;
            return None;
        }
        if !self.options.names_only && (Expected::of(&item).is_empty() || unproven.is_some()) {
            self.unverified.line(Some(item.path.as_bytes()));
            // In whatever spelling: it is listed.
            if let Some(path) = unproven.filter(|_| met.keeps_names) {
                met.names.add(path.as_bytes());
            }
            return None;
        }
        self.unverified.verified(item.path.as_bytes());
        let LookupOptions { base, elsewhere, .. } = &self.options.lookup;
        let is_stdin = item.path.as_bytes() == STDIN.as_bytes()
            && base.is_none()
            && elsewhere.is_none()
            && !self.options.names_only;
        if is_stdin && std::mem::replace(&mut self.stdin_taken, true) {
            met.stdin_again += 1;
            return None;
        }
        drop(met);
        let expected = self.expected_of(&item);
        self.titled.meet(expected.compared_by());
        if let Some(normalized) = &mut self.normalized {
            let (base, name) = (self.options.lookup.start(), item.path.as_bytes());
            normalized.spellings.add(name);
            if !is_stdin && !is_there(base, name) && !others(base, name).is_empty() {
                normalized.waiting.push_back((item.path, expected));
                return None;
            }
        }
        Some(self.expecting(item.path, &expected, is_stdin, is_from_here))
    }

    /// A listed file that has waited, under the name by which it is there if that can be no other's.
    fn waited(&mut self) -> Option<Input> {
        loop {
            let Normalized { spellings, waiting } = self.normalized.as_mut()?;
            let (path, expected) = waiting.pop_front()?;
            let found = spellings.found(self.options.lookup.start(), path.as_bytes()).map(ItemPath::from);
            if let Some(found) = &found {
                let mut met = lock(&self.met);
                if met.keeps_names {
                    met.names.add(found.as_bytes());
                }
                if self.options.names_only {
                    met.there += 1;
                    continue;
                }
            }
            return Some(self.expecting(found.unwrap_or(path), &expected, false, false));
        }
    }

    /// `is_from_here`: it was listed with `./` before it.
    fn expecting(
        &mut self,
        path: ItemPath,
        expected: &Expected,
        is_stdin: bool,
        is_from_here: bool,
    ) -> Input {
        let algorithms = expected.algorithms(&[], &mut self.algorithms);
        let (division, tag) = (expected.division(), tag(expected, is_from_here));
        if is_stdin {
            return Input::Stdin { tag, algorithms, division };
        }
        let base = self.options.lookup.base.as_ref().map(|base| Arc::clone(base.directory()));
        Input::File { path, base, algorithms, division, tag }
    }

    /// Whether a line that seems to list nothing has the name of a file that is there, and if so, whether it lists it for sure.
    fn sees_file(&self, problem: &LineProblem) -> Option<bool> {
        if self.options.lookup.elsewhere.is_some() {
            return None;
        }
        let mut seen = None;
        let is_there = |name| is_file(self.options.lookup.start(), &self.places.bare(name));
        for found in problem.possible_names().filter(|found| is_there(found.name)) {
            seen = Some(found.is_listed);
            if found.is_listed {
                break;
            }
        }
        seen
    }

    /// Ends the present list.
    fn close(&mut self) {
        let Some((name, items)) = self.present.take() else { return };
        let unverified = std::mem::take(&mut self.unverified);
        let undigested =
            unverified.count(&name, &self.options.lookup.reading, |item| self.verified_name(item));
        let misnamed = self.titled.misnamed();
        self.between = Between::default();
        let mut met = lock(&self.met);
        met.roots.extend(self.places.roots(items.header_roots()));
        met.present.commented_out = items.commented_out();
        (met.present.undigested, met.present.misnamed) = (undigested, misnamed);
        met.close();
    }

    /// Takes note of an entry of the present list.
    fn meet_entry(&mut self) {
        let lines = std::mem::take(&mut self.between.lines);
        if std::mem::replace(&mut self.between.has_begun, true) {
            self.unverified.lines(lines);
        }
    }

    /// Takes note of a line that lists nothing, or nothing that can be understood.
    fn pass_over(&mut self, list: &OsStr, problem: &LineProblem) {
        let seen = self.sees_file(problem);
        self.between.lines += u64::from(seen == Some(false));
        let is_entry = problem.is_entry() || seen == Some(true);
        if is_entry {
            self.meet_entry();
        }
        let mut met = lock(&self.met);
        let name = problem.listed().map(|path| self.settled(path.as_bytes()).name.into_owned());
        if let Some(name) = name.as_ref().filter(|_| met.keeps_names) {
            met.names.add(&self.options.lookup.direct(name));
        }
        if let ProblemKind::Input(error) = &problem.kind {
            met.present.broken_off = true;
            drop(met);
            return (self.notes)(Note::BrokenOff { list, line: problem.line, error });
        }
        if is_entry {
            self.unverified.line(name.as_deref());
        }
        met.present.pass_over(&problem.kind);
        drop(met);
        (self.notes)(Note::Line { list, problem });
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
                None => self.close(),
                Some(Ok(item)) => {
                    self.meet_entry();
                    if std::mem::take(&mut self.is_first)
                        && let Some(why) =
                            self.places.first_out_of_place(item.path.as_bytes(), self.options.complete)
                        && let Some((name, _)) = self.present.take()
                    {
                        self.refuse(self.places.refused(&name, &item.path, why));
                        continue;
                    }
                    if let Some(input) = self.input(item) {
                        return Some(input);
                    }
                }
                Some(Err(problem)) => {
                    let name = name.clone();
                    self.pass_over(&name, &problem);
                }
            }
        }
    }
}

/// What was met so far.
pub(crate) fn lock(met: &Mutex<Met>) -> MutexGuard<'_, Met> {
    met.lock().unwrap_or_else(PoisonError::into_inner)
}
