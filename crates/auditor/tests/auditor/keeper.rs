//! A keeper of a real tree, whose clock goes as a test wants.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use hashlane_auditor::{
    AuditEvent, AuditOptions, Audited, Ground, Scope, accept, accept_by_policy, audit, audit_by,
};
use hashlane_catalog::{
    Choice, Clock, Collection, Decision, Elsewhere, Error, Finding, Item, Policy, State, Terms, Thoroughness,
    Verdict, Writer,
};
use hashlane_engine::{Control, LocalTree, Options, Tree};
use tempfile::TempDir;

pub(crate) const DAY: i64 = 24 * 3600;

/// A tree, its collection, and a clock that goes as the test wants.
pub(crate) struct Keeper {
    pub(crate) catalog: Writer,
    pub(crate) directory: TempDir,
    pub(crate) now_s: Arc<AtomicI64>,
}

/// What an audit said: the verdicts by path, with those that were accepted.
pub(crate) type Said = BTreeMap<String, Verdict>;

impl Keeper {
    pub(crate) fn new(change: impl FnOnce(&mut Terms)) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = directory.path().join("tree");
        fs::create_dir(&tree).expect("made");
        let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
        let mut terms = Terms::new("tree", &tree);
        terms.policy = Policy::Living;
        change(&mut terms);
        let now =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs() as i64;
        // Everything was written long ago: its change times are those of now.
        let now_s = Arc::new(AtomicI64::new(now + 3600));
        catalog.add_collection(&terms, now).expect("a new name");
        Self { catalog, directory, now_s }
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    pub(crate) fn collection(&self) -> Collection {
        self.catalog.collection("tree").expect("it was added")
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.tree().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, content).expect("written");
    }

    pub(crate) fn now(&self) -> i64 {
        self.now_s.load(Ordering::Relaxed)
    }

    pub(crate) fn passes(&self, seconds: i64) {
        self.now_s.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) fn audit(&mut self, change: impl FnOnce(&mut AuditOptions)) -> (Audited, Said) {
        self.try_audit(change, &Arc::new(Control::new())).expect("an audit")
    }

    pub(crate) fn accept(&mut self, findings: &[Finding], decision: &Decision) -> Result<usize, Error> {
        let (collection, tree) = (self.collection(), self.local_tree());
        accept(&mut self.catalog, &collection, &tree, findings, decision).map(|others| others.len())
    }

    /// Accepts all that stands. How many files were not as they were found any more.
    pub(crate) fn accept_all(&mut self) -> usize {
        let collection = self.collection();
        let chosen = self.catalog.chosen(&collection, &Choice::default()).expect("readable");
        let findings: Vec<_> = chosen.into_iter().map(|(_, finding)| finding).collect();
        let decision = Decision { actor: "keeper".into(), reason: "all mine".into(), at_s: 0 };
        self.accept(&findings, &decision).expect("accepted")
    }

    pub(crate) fn all(&mut self) -> (Audited, Said) {
        self.audit(|options| options.scope = Scope::All)
    }

    /// An audit of all, in which something happens between listing and reading.
    pub(crate) fn replacing(&mut self, happens: impl FnOnce()) -> (Audited, Said) {
        let mut happens = Some(happens);
        let mut listed = || happens.take().into_iter().for_each(|happens| happens());
        let control = Arc::new(Control::new());
        self.watched(|options| options.scope = Scope::All, &control, &mut listed).expect("an audit")
    }

    pub(crate) fn try_audit(
        &mut self,
        change: impl FnOnce(&mut AuditOptions),
        control: &Arc<Control>,
    ) -> Result<(Audited, Said), Error> {
        self.watched(change, control, &mut || {})
    }

    fn watched(
        &mut self,
        change: impl FnOnce(&mut AuditOptions),
        control: &Arc<Control>,
        listed: &mut dyn FnMut(),
    ) -> Result<(Audited, Said), Error> {
        let tree = self.local_tree();
        self.over(&tree, change, control, listed)
    }

    /// The tree as an audit sees it. It also stands for a store.
    pub(crate) fn local_tree(&self) -> Ground<'static> {
        self.ground(Rc::new(LocalTree::new(&self.tree())))
    }

    /// What stands for the tree.
    pub(crate) fn ground<'a>(&self, tree: Rc<dyn Tree + 'a>) -> Ground<'a> {
        let mut collection = self.collection();
        collection.terms.root = self.tree();
        let options = Options::new(collection.terms.algorithms.clone().into());
        Ground::new(&self.catalog, &collection, tree, options).expect("good globs")
    }

    /// An audit over something that stands for the tree. `listed`: what happens between listing and reading.
    pub(crate) fn over(
        &mut self,
        ground: &Ground<'_>,
        change: impl FnOnce(&mut AuditOptions),
        control: &Arc<Control>,
        listed: &mut dyn FnMut(),
    ) -> Result<(Audited, Said), Error> {
        self.over_by(None, ground, change, control, listed)
    }

    /// The same by what others have read, if it was not read here.
    pub(crate) fn over_by(
        &mut self,
        elsewhere: Option<&Elsewhere>,
        ground: &Ground<'_>,
        change: impl FnOnce(&mut AuditOptions),
        control: &Arc<Control>,
        listed: &mut dyn FnMut(),
    ) -> Result<(Audited, Said), Error> {
        let collection = self.collection();
        let mut options = AuditOptions::new("keeper");
        let now_s = Arc::clone(&self.now_s);
        options.clock = Clock::new(move || now_s.load(Ordering::Relaxed));
        options.scratch = self.directory.path().to_owned();
        change(&mut options);
        let mut said = Said::new();
        let mut events = |event: AuditEvent<'_>| {
            if matches!(event, AuditEvent::Planned { .. }) {
                listed();
            }
            if let AuditEvent::File { path, verdict, .. } | AuditEvent::Finding { path, verdict, .. } = event
            {
                let path = String::from_utf8_lossy(path).into_owned();
                let before = said.insert(path.clone(), verdict);
                // Whether what is new to a frozen collection is a copy is known at the end.
                let is_once =
                    before.is_none_or(|before| (before, verdict) == (Verdict::New, Verdict::Copied));
                assert!(is_once, "each file is told once: {path} is {before:?} and {verdict:?}");
            }
            Ok(())
        };
        let catalog = &mut self.catalog;
        let audited = match elsewhere {
            Some(by) => audit_by(by, catalog, &collection, ground, &options, control, &mut events),
            None => audit(catalog, &collection, ground, &options, control, &mut events),
        };
        assert_eq!(self.catalog.verify(Thoroughness::Full).expect("readable"), []);
        Ok((audited?, said))
    }

    /// The findings that stand.
    pub(crate) fn standing(&self) -> Said {
        let mut standing = Said::new();
        let collection = self.collection();
        self.catalog
            .findings(&collection, &mut |finding| {
                if finding.cleared_s.is_none() {
                    let path = self.catalog.path_of(finding.item)?;
                    standing.insert(String::from_utf8_lossy(&path).into_owned(), finding.verdict);
                }
                Ok(())
            })
            .expect("readable");
        standing
    }

    /// What the history of a file says.
    pub(crate) fn events(&self, path: &str) -> Vec<String> {
        let events = self.catalog.events(self.item(path).id).expect("readable");
        events.into_iter().map(|event| event.what).collect()
    }

    /// What is known of a file.
    pub(crate) fn item(&self, path: &str) -> Item {
        self.catalog.item_at(&self.collection(), path.as_bytes()).expect("readable").expect("known")
    }

    /// What stands against a file.
    pub(crate) fn finding(&self, path: &str) -> Finding {
        let item = self.item(path).id;
        self.catalog.finding(&self.collection(), item).expect("readable").expect("it stands")
    }

    /// Changes the terms of the collection.
    pub(crate) fn set(&mut self, change: impl FnOnce(&mut Terms)) {
        let collection = self.collection();
        let mut terms = collection.terms.clone();
        change(&mut terms);
        let decision = Decision { actor: "keeper".into(), reason: "policy".into(), at_s: 0 };
        accept_by_policy(&mut self.catalog, &collection, &terms, &decision).expect("accepted");
        self.catalog.set_collection(collection.id, &terms).expect("set");
    }

    pub(crate) fn state(&self, path: &str) -> Option<State> {
        self.catalog.item_at(&self.collection(), path.as_bytes()).expect("readable").map(|item| item.state)
    }

    pub(crate) fn files(&self) -> u64 {
        self.catalog.total(self.collection().id, State::Present).expect("readable").files
    }
}

/// What time it is, in seconds since 1970.
pub(crate) fn now_s() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs() as i64
}

/// Writes other bytes into a file and sets its modification time back.
pub(crate) fn corrupt(path: &Path, content: &[u8]) {
    let modified = fs::metadata(path).and_then(|facts| facts.modified()).expect("there");
    fs::write(path, content).expect("written");
    set_modified(path, modified);
}

/// Makes a file look written to at another time.
pub(crate) fn touch(path: &Path) {
    set_modified(path, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000));
}

pub(crate) fn set_modified(path: &Path, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("there");
    file.set_modified(time).expect("set");
}

pub(crate) fn said(expected: &[(&str, Verdict)]) -> Said {
    expected.iter().map(|(path, verdict)| ((*path).to_owned(), *verdict)).collect()
}
