//! What is read again before it is called corrupt: within the budget, the next time first, and counted by itself.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashlane_catalog::{
    AuditOptions, Audited, Content, DirectoryState, Ground, How, Listed, LocalTree, Outcome, Result, Scope,
    SeenRoot, ToRead, Verdict,
};
use hashlane_engine::{Checkpoints, Control, Sink, Skipped, Summary};

use crate::keeper::{DAY, Keeper, Said, corrupt, said};

/// A tree of which something is told before it is read.
struct Watched<'a> {
    tree: LocalTree,
    /// Whether it is the first time that what is read was read before.
    reads: &'a dyn Fn(bool),
    /// The names that were read, in turn; those that were read again with a `+`.
    log: Arc<Mutex<Vec<String>>>,
}

impl Ground for Watched<'_> {
    fn root(&self) -> io::Result<SeenRoot> {
        self.tree.root()
    }

    fn list(&self, visit: &mut dyn FnMut(Listed<'_>) -> Result<()>) -> Result<Skipped> {
        self.tree.list(visit)
    }

    fn takes(&self, path: &[u8]) -> bool {
        self.tree.takes(path)
    }

    fn directory(&self, path: &[u8]) -> DirectoryState {
        self.tree.directory(path)
    }

    fn facts(&self, path: &[u8]) -> Option<Content> {
        self.tree.facts(path)
    }

    fn read(
        &self,
        how: How,
        files: Box<dyn Iterator<Item = ToRead> + Send>,
        checkpoints: Option<Arc<dyn Checkpoints>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> std::result::Result<Summary, hashlane_engine::Error> {
        // What is read again is not put aside.
        let is_again = checkpoints.is_none();
        (self.reads)(is_again);
        let log = Arc::clone(&self.log);
        let files = files.inspect(move |file| {
            let name = String::from_utf8_lossy(file.path.as_bytes()).into_owned();
            log.lock().expect("no panic").push(if is_again { format!("+{name}") } else { name });
        });
        // As the tests may run where nothing can be read past the cache.
        let how = if is_again { How::Usual } else { how };
        self.tree.read(how, Box::new(files), checkpoints, sink, control)
    }
}

/// Audits all, and tells what was read in turn.
fn watched(
    keeper: &mut Keeper,
    reads: &dyn Fn(bool),
    change: impl FnOnce(&mut AuditOptions),
    control: &Arc<Control>,
) -> (Audited, Said, Vec<String>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let tree = Watched { tree: keeper.local_tree(), reads, log: Arc::clone(&log) };
    let change = |options: &mut AuditOptions| {
        options.scope = Scope::All;
        change(options);
    };
    let (audited, said) = keeper.over(&tree, change, control, &mut || {}).expect("an audit");
    let log = std::mem::take(&mut *log.lock().expect("no panic"));
    (audited, said, log)
}

/// A collection of so many files of 1000 bytes, all of which are damaged. The first of them is the largest.
fn damaged(files: u64) -> Keeper {
    let mut keeper = Keeper::new(|_| {});
    let content = |number: u64, byte: u8| vec![byte; if number == 0 { 1001 } else { 1000 }];
    for number in 0..files {
        keeper.write(&format!("f{number}"), content(number, b'x'));
    }
    keeper.all();
    keeper.passes(DAY);
    for number in 0..files {
        corrupt(&keeper.tree().join(format!("f{number}")), &content(number, b'y'));
    }
    keeper
}

fn of(keeper: &Keeper, verdict: Verdict) -> usize {
    keeper.standing().values().filter(|stands| **stands == verdict).count()
}

#[test]
fn when_the_time_is_over_one_suspect_is_read_again_and_the_others_are_the_first_of_the_next_audit() {
    let mut keeper = damaged(5);
    let until = Instant::now() + Duration::from_secs(3);
    let reads = |is_again| {
        if is_again {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    };
    let control = Arc::new(Control::new());
    let (audited, found, log) =
        watched(&mut keeper, &reads, |options| options.budget.until = Some(until), &control);
    assert_eq!(log, ["f0", "f1", "f2", "f3", "f4", "+f1"], "the smallest one of those that differ");
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Suspect)), (Outcome::Budget, 4));
    assert_eq!(
        (audited.counts.of(Verdict::Corrupt), audited.reread_files, audited.reread_bytes),
        (1, 1, 1000)
    );
    let expected = said(&[
        ("f0", Verdict::Suspect),
        ("f1", Verdict::Corrupt),
        ("f2", Verdict::Suspect),
        ("f3", Verdict::Suspect),
        ("f4", Verdict::Suspect),
    ]);
    assert_eq!((found, keeper.standing()), (expected.clone(), expected), "nobody is left in the dark");
    // One more in each audit that has no time at all.
    keeper.passes(DAY);
    let (_, _, log) = watched(&mut keeper, &|_| {}, |options| options.budget.until = Some(until), &control);
    assert_eq!((&log[0][..], log.len(), of(&keeper, Verdict::Suspect)), ("+f2", 2, 3));
    // And all of them where there is time enough.
    keeper.passes(DAY);
    let (audited, _, log) = watched(&mut keeper, &|_| {}, |_| {}, &control);
    assert_eq!(log[..3], ["+f3", "+f4", "+f0"], "{log:?}");
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Corrupt)), (Outcome::Complete, 5));
    assert_eq!((of(&keeper, Verdict::Corrupt), audited.reread_files, audited.files), (5, 3, 2));
}

#[test]
fn what_was_read_again_before_a_stop_is_recorded() {
    let mut keeper = damaged(5);
    let control = Arc::new(Control::new());
    let reads = {
        let (control, again) = (Arc::clone(&control), Mutex::new(0));
        move |is_again: bool| {
            let mut again = again.lock().expect("no panic");
            *again += u32::from(is_again);
            if *again == 2 {
                control.drain();
            }
        }
    };
    let (audited, found, _) = watched(&mut keeper, &reads, |_| {}, &control);
    assert_eq!((audited.outcome, of(&keeper, Verdict::Corrupt)), (Outcome::Stopped, 1));
    assert_eq!(found, said(&[("f1", Verdict::Corrupt)]), "the others are not told before they are known");
    let (audited, _, _) = watched(&mut keeper, &|_| {}, |_| {}, &Arc::new(Control::new()));
    assert_eq!((audited.outcome, audited.goes_on, audited.reread_files), (Outcome::Complete, true, 4));
    assert_eq!(of(&keeper, Verdict::Corrupt), 5);
}

#[test]
fn as_many_bytes_are_read_again_as_the_budget_has() {
    let mut keeper = damaged(6);
    let control = Arc::new(Control::new());
    // All were seen at once, and one was read again.
    let until = Instant::now() + Duration::from_secs(2);
    let reads = |is_again| {
        if is_again {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    };
    watched(&mut keeper, &reads, |options| options.budget.until = Some(until), &control);
    assert_eq!(of(&keeper, Verdict::Suspect), 5);
    keeper.passes(DAY);
    let (audited, _, log) =
        watched(&mut keeper, &|_| {}, |options| options.budget.bytes = Some(2500), &control);
    assert_eq!(log[..2], ["+f2", "+f3"], "{log:?}");
    assert_eq!((audited.reread_bytes, of(&keeper, Verdict::Suspect)), (2000, 3), "{audited:?}");
    assert!(audited.bytes <= 2500, "what is read again is not counted in it: {audited:?}");
    keeper.passes(DAY);
    let (audited, _, _) = watched(&mut keeper, &|_| {}, |options| options.budget.files = Some(1), &control);
    assert_eq!((audited.files, audited.reread_files, of(&keeper, Verdict::Suspect)), (1, 1, 2));
}

#[test]
fn an_audit_of_a_part_reads_nothing_else_again() {
    let mut keeper = damaged(4);
    let stopped = Arc::new(Control::new());
    let reads = {
        let stopped = Arc::clone(&stopped);
        move |is_again: bool| {
            if is_again {
                stopped.drain();
            }
        }
    };
    watched(&mut keeper, &reads, |_| {}, &stopped);
    assert_eq!(of(&keeper, Verdict::Suspect), 4, "all are read, and none again");
    keeper.passes(DAY);
    let part = |options: &mut AuditOptions| options.within = vec![b"f2".to_vec()];
    let (_, _, log) = watched(&mut keeper, &|_| {}, part, &Arc::new(Control::new()));
    assert_eq!((log, of(&keeper, Verdict::Suspect)), (vec!["+f2".to_owned()], 3));
    let missing = |options: &mut AuditOptions| options.only = vec![Verdict::Missing];
    let (_, _, log) = watched(&mut keeper, &|_| {}, missing, &Arc::new(Control::new()));
    assert!(log.is_empty(), "{log:?}");
}

#[test]
fn a_run_in_which_nothing_differs_reads_nothing_again() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    keeper.all();
    let (audited, _) = keeper.all();
    assert_eq!((audited.reread_files, audited.reread_bytes), (0, 0));
}
