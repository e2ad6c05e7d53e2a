//! The lists that an audit goes by.

use std::ffi::OsStr;
use std::sync::Arc;

use hashlane_audit::{Audit, Known, KnownFile, Options, Rules};
use hashlane_digest::Digest;
use hashlane_engine::AlgorithmSet;
use hashlane_manifest::{Item, ProblemKind};
use hashlane_record::{ItemPath, Outcome};

use super::run::TreeAudit;
use super::sink::Judged;
use crate::base::Base;
use crate::check::identity;
use crate::confined::{Confined, HeaderRoots};
use crate::elsewhere;
use crate::error::Error;
use crate::lists::{First, Items, STDIN};
use crate::meant::below;
use crate::normal::distinct;
use crate::normalization::{Spellings, spelling_there};
use crate::note::{ListSummary, Note, Notes};
use crate::options::{AuditOptions, LookupOptions};
use crate::pieces::Kind;
use crate::places::Places;
use crate::prefixes;
use crate::proof::{Proof, Prover};
use crate::titled::Titled;
use crate::whereabouts::Wanted;

/// The lists that an audit goes by, taken in one after the other.
pub struct Listing {
    options: AuditOptions,
    notes: Notes,
    places: Places,
    known: Known,
    lists: Vec<(u64, u64)>,
    /// The roots that headers name.
    roots: Vec<ItemPath>,
    /// With a base: a file is listed that lies in no root of its list. That is of more than the roots, or has no header.
    beside: bool,
    /// A file is listed by a relative name.
    names_a_place: bool,
    kind: Kind,
    /// Where other spellings are taken for what is listed.
    spellings: Option<Spellings>,
}

impl Listing {
    /// An empty listing. `notes` takes what is found while reading the lists.
    pub fn new(options: AuditOptions, notes: Notes) -> Self {
        let rules = Rules { is_in_store: options.lookup.elsewhere.is_some(), ..Rules::NONE };
        let known = Known::within(
            Options { fold_case: options.lookup.fold_case, rules, ..Options::default() },
            options.memory_bytes,
            options.temporary_directory.clone(),
        );
        let places = options.lookup.places(options.lookup.base.as_ref().map(Base::path));
        let spellings = options.lookup.normalize.then(Spellings::default);
        Self {
            options,
            notes,
            places,
            known,
            lists: Vec::new(),
            roots: Vec::new(),
            beside: false,
            names_a_place: false,
            kind: Kind::default(),
            spellings,
        }
    }

    /// Takes in a list.
    ///
    /// # Errors
    /// The list cannot be opened or cannot be read to its end, or does not fit those before it: its files would be reported as new.
    pub fn read(&mut self, list: &OsStr) -> Result<ListSummary, Error> {
        let beside = self.options.lookup.beside();
        self.places.start_at(list, None, beside);
        self.places.begin(list, &self.options.lookup.reading);
        self.places.hint(list, &self.notes);
        // Before a file is read to find out the algorithm: of another place there is none.
        if (self.options.lookup.base.is_some() || self.options.lookup.elsewhere.is_some())
            && let Some(First { name, .. }) = First::of_list(list, &self.options.lookup.reading)
        {
            self.refuse_out_of_place(list, &name)?;
        }
        let mut items = self.open(list)?;
        self.places.start_at(list, Some(&items), beside);
        let mut is_first = true;
        let mut summary = ListSummary::of(list);
        let mut titled = Titled::new(list, self.options.lookup.reading.algorithm);
        let mut header_roots = self.options.lookup.has_base().then(HeaderRoots::default);
        while let Some(item) = items.next() {
            let item = match item {
                Ok(item) => item,
                Err(problem) => {
                    match problem.kind {
                        ProblemKind::Input(source) => {
                            let line = Some(problem.line);
                            return Err(Error::Read { list: list.to_owned(), line, source });
                        }
                        _ => summary.pass_over(&problem.kind),
                    }
                    summary.undigested += u64::from(problem.is_entry());
                    if let Some(path) = problem.listed() {
                        let digests = &[];
                        let name = &self.places.of_listed(path.as_bytes());
                        // It lists nothing more, so there is nothing that it could contradict.
                        let _ = self.known.add(KnownFile { path: name, size: None, modified: None, digests });
                    }
                    (self.notes)(Note::Line { list, problem: &problem });
                    continue;
                }
            };
            // One is enough.
            if !self.beside
                && let Some(roots) = &mut header_roots
            {
                self.beside = !roots.hold(items.header_roots(), item.path.as_bytes());
            }
            let item = self.placed(item, &items);
            if std::mem::take(&mut is_first) {
                self.refuse_out_of_place(list, &item.path)?;
            }
            self.take(list, &item, &mut titled, &mut summary)?;
        }
        self.roots.extend(self.places.roots(items.header_roots()));
        self.lists.extend(identity(list));
        summary.commented_out = items.commented_out();
        summary.misnamed = titled.misnamed();
        Ok(summary)
    }

    /// Refuses a list whose first name is none of what is audited: all of its files would be taken for others.
    fn refuse_out_of_place(&self, list: &OsStr, path: &ItemPath) -> Result<(), Error> {
        match self.places.first_out_of_place(path.as_bytes(), true) {
            None => Ok(()),
            Some(why) => Err(self.places.refused(list, path, why)),
        }
    }

    /// An item that is about the file that its list is named after, relative to the base.
    fn placed(&self, mut item: Item, items: &Items) -> Item {
        if let Some(base) = self.options.lookup.base.as_ref().filter(|_| items.is_about_its_name()) {
            item.path = below(base.path(), &item.path);
        }
        item
    }

    /// Whether no file is listed.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn open(&self, list: &OsStr) -> Result<Items, Error> {
        if list == STDIN {
            (self.notes)(Note::StandardInput);
        }
        let LookupOptions { base, selection, engine, reading, roots, normalize, elsewhere, .. } =
            &self.options.lookup;
        let (pieces, has_base) = (reading.pieces, self.options.lookup.has_base());
        let (base, elsewhere) = (base.as_ref(), elsewhere.as_deref());
        let prover = Prover { base, elsewhere, selection, engine, pieces, notes: &self.notes };
        Items::open(list, reading, |untold| {
            let below = selection.roots(if has_base { &[] } else { roots });
            let wanted = |name: &[u8], _: &[ItemPath]| {
                let name = self.places.of_listed(name);
                let there = || match normalize {
                    true => spelling_there(self.places.start(), &name).into(),
                    false => ItemPath::from(&*name),
                };
                selection.takes_name(&name, &below).then(there)
            };
            match prover.prove(untold, wanted)? {
                Proof::Proven(algorithm) => Ok(algorithm),
                Proof::NothingReadable => Err(Error::NothingToGoBy { list: list.to_owned() }),
            }
        })
    }

    /// Takes in an entry of a list.
    fn take(
        &mut self,
        list: &OsStr,
        item: &Item,
        titled: &mut Titled,
        summary: &mut ListSummary,
    ) -> Result<(), Error> {
        let (line, path) = (item.line, &item.path);
        let is_read = item.outcome.is_none_or(|outcome| outcome == Outcome::Read);
        summary.recorded_bad += u64::from(!is_read);
        let (digests, size) = if is_read {
            let unlike = |why| Error::Unlike { list: list.to_owned(), line, path: path.clone(), why };
            self.kind.content(item).map_err(unlike)?
        } else {
            (Vec::new(), item.size)
        };
        titled.meet(digests.iter().map(Digest::algorithm));
        if let Some(why) = self.places.out_of_place(path.as_bytes()) {
            summary.refused += 1;
            (self.notes)(Note::OutOfPlace { list, line, path, why });
            return Ok(());
        }
        self.names_a_place |= !self.places.bare(path.as_bytes()).starts_with(b"/");
        let name = self.places.of_listed(path.as_bytes());
        if let Some(spellings) = &mut self.spellings {
            spellings.add(&name);
        }
        let file = KnownFile { path: &name, size, modified: item.modified, digests: &digests };
        if let Err(error) = self.known.add(file) {
            summary.refused += 1;
            (self.notes)(Note::NotTaken { list, line, path, error: &error });
        }
        Ok(())
    }

    /// Determines where to look.
    ///
    /// # Errors
    /// A root does not exist (what is not mounted is not lost), is neither a directory nor a file, or leads out of the base; or the listed
    /// entries cannot be sorted.
    pub fn start(self) -> Result<TreeAudit, Error> {
        let roots = self.roots_to_walk()?;
        let (has_base, is_elsewhere) =
            (self.options.lookup.has_base(), self.options.lookup.elsewhere.is_some());
        let Self { options, notes, places, known, lists, kind, spellings, .. } = self;
        let algorithms: AlgorithmSet = known.algorithms().into();
        let mut contradictions = 0;
        let audit = Audit::settled(known, |path, error| {
            contradictions += 1;
            notes(Note::Contradicted { path, error: &error });
        })?;
        let division = kind.division();
        let mut engine = options.lookup.engine;
        engine.algorithms = Arc::clone(&algorithms);
        engine.division = division;
        engine.disputed = true;
        engine.walk.inside = options.lookup.base.as_ref().map(|base| Arc::clone(base.directory()));
        engine.excluded.extend(lists);
        let judged = Judged {
            wanted: Wanted::new(options.lookup.selection, has_base || is_elsewhere, &places, &roots),
            audit,
            spellings,
            spelled: !options.lookup.fold_case,
            by_pieces: division.is_some(),
            tells_passes: options.tells_passes,
            places,
            has_base,
            inhabited: false,
            unsearched: 0,
            by_listed_name: false,
            stopped: false,
        };
        let (base, elsewhere) = (options.lookup.base, options.lookup.elsewhere);
        Ok(TreeAudit { engine, base, elsewhere, roots, judged, contradictions })
    }

    fn roots_to_walk(&self) -> Result<Vec<ItemPath>, Error> {
        let mut roots = self.options.lookup.roots.clone();
        // Rather all of the base than less than what the lists are of.
        if roots.is_empty() && !self.beside {
            roots.clone_from(&self.roots);
        }
        let (base, has_base) = (self.options.lookup.base.as_ref(), self.options.lookup.has_base());
        // There is no place of objects that could be meant.
        if roots.is_empty() && self.options.lookup.elsewhere.is_some() && !has_base {
            return Err(Error::NoPrefix);
        }
        // Nor is the current directory meant by names that are absolute.
        if roots.is_empty() && !has_base && !self.names_a_place {
            return Err(Error::NowhereToLook);
        }
        if roots.is_empty() || (has_base && !Confined::holds(&roots)) {
            roots = vec![ItemPath::from(".")];
        }
        // With globs, which are compared below each root, a file may be wanted below one and not below another.
        let nested = self.options.lookup.selection.is_everything();
        if let Some(elsewhere) = self.options.lookup.elsewhere.as_deref() {
            let roots = roots.iter().map(|root| elsewhere::root(elsewhere, root)).collect();
            return Ok(prefixes::distinct(roots, nested));
        }
        let roots = distinct(roots, self.places.start(), self.places.here(), nested);
        let walked = roots.into_iter().map(|root| {
            let root = match base.map(|base| (base, base.confined().walked(&root))) {
                None => root,
                Some((_, Ok(walked))) => walked,
                Some((base, Err(why))) => {
                    return Err(Error::RootRefused { base: base.path().to_owned(), root, why });
                }
            };
            match std::fs::metadata(root.as_path()) {
                Ok(facts) if facts.is_dir() || facts.is_file() => Ok(root),
                // It might be waited for without end, and nothing lies below it.
                Ok(_) => Err(Error::RootSpecial { root }),
                Err(source) => Err(Error::Root { root, source }),
            }
        });
        walked.collect()
    }
}
