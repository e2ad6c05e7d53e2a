//! The library as a program uses it: options in, events out.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hashlane_audit::Verdict;
use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::{Control, Halt, Options, Taken};
use hashlane_manifest::ReadOptions;
use hashlane_verify::audit::{self, End, Listing, SeenElsewhere};
use hashlane_verify::check::{Check, Checked, Extras, Finding};
use hashlane_verify::lists::{self, Source};
use hashlane_verify::update::{self, OldList, Update, outermost};
use hashlane_verify::{
    AuditOptions, Base, Basis, Belief, CheckOptions, Doubt, Error, Note, Notes, Problem, Selection, Trust,
};

fn engine() -> Options {
    let mut options = Options::new(Arc::new([]));
    options.workers = Some(2);
    options
}

fn md5(content: &str) -> Digest {
    Algorithm::MD5.digest(content.as_bytes())
}

/// A line of md5sum.
fn line(name: &str, content: &str) -> String {
    format!("{}  {name}\n", md5(content))
}

/// A tree, with files of these names and contents.
fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    for (name, content) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("one")).expect("made");
        fs::write(path, content).expect("written");
    }
    root
}

fn name(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Takes down notes in words.
fn notes() -> (Arc<Mutex<Vec<String>>>, Notes) {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&taken);
    let take = move |note: Note<'_>| {
        let text = match note {
            Note::Unopened(Error::Open { .. }) => "not opened".to_owned(),
            Note::Unopened(Error::Unproven { doubt, .. }) => format!("unproven: {doubt:?}"),
            Note::Proven { algorithm, by, .. } => format!("{algorithm} by {}", name(by.as_bytes())),
            Note::Unproven { .. } => "nothing readable".to_owned(),
            Note::Line { problem, .. } => format!("line {}", problem.line),
            other => format!("{other:?}"),
        };
        kept.lock().expect("nobody has panicked").push(text);
    };
    (taken, Arc::new(take))
}

/// What came of a check, the verdicts by name, and the notes in words.
type Told = (Result<Checked, Vec<Error>>, Vec<(String, Verdict)>, Vec<String>);

/// A check below a tree.
fn check(base: &Path, lists: &[&str], change: impl FnOnce(&mut CheckOptions)) -> Told {
    let lists: Vec<OsString> = lists.iter().map(|list| base.join(list).into()).collect();
    let mut options = CheckOptions::new(lists, engine());
    options.lookup.base = Some(Base::open(base).expect("a base"));
    options.lookup.selection = Selection::new(options.lookup.engine.walk.clone(), Vec::new());
    change(&mut options);
    let (taken, notes) = notes();
    let mut found = Vec::new();
    let checked = Check::open(options, notes).map(|check| {
        let mut take = |finding: &Finding<'_>| {
            found.push((name(finding.path.as_bytes()), finding.verdict));
            Ok(())
        };
        check.run(&[], &mut take, &Arc::new(Control::new())).expect("the engine runs")
    });
    let taken = taken.lock().expect("nobody has panicked").clone();
    (checked, found, taken)
}

#[test]
fn a_check_tells_of_files_lines_and_lists_that_are_wrong_and_goes_on() {
    let lines = [line("same", "1"), "what is this\n".into(), line("other", "2"), line("gone", "3")].concat();
    let root = tree(&[("same", "1"), ("other", "changed"), ("new", "4"), ("MD5SUMS", &lines)]);
    let judged = |found: &[(String, Verdict)]| {
        found.iter().map(|(name, verdict)| format!("{name}: {}", verdict.name())).collect::<Vec<_>>()
    };
    let (checked, found, taken) = check(root.path(), &["MD5SUMS"], |options| options.complete = true);
    let checked = checked.expect("a list");
    assert_eq!(judged(&found), ["same: ok", "other: changed", "gone: missing", "new: new"]);
    assert_eq!(taken, ["line 2"]);
    assert_eq!((checked.lists[0].malformed, checked.lists[0].undigested), (1, 0));
    assert!(matches!(checked.extras, Extras::Sought(_)));
    // Where a list is lacking nothing is called new, for it may be in that one.
    let (checked, found, taken) =
        check(root.path(), &["lacking", "MD5SUMS"], |options| options.complete = true);
    let checked = checked.expect("one list");
    assert_eq!((found.len(), &taken[0][..]), (3, "not opened"));
    assert!(matches!(checked.extras, Extras::ListsLack) && checked.unopened.len() == 1);
    // Where all are lacking there is no check.
    let (checked, _, _) = check(root.path(), &["lacking"], |_| {});
    assert!(matches!(&checked.expect_err("no list")[..], [Error::Open { .. }]));
}

#[test]
fn an_algorithm_is_proven_or_doubted_and_never_guessed() {
    let root = tree(&[("a", "1"), ("b", "2"), ("good", &line("a", "1")), ("bad", &line("a", "x"))]);
    fs::write(root.path().join("lost"), line("gone", "1")).expect("written");
    let (_, found, taken) = check(root.path(), &["good"], |_| {});
    assert_eq!((found.len(), &taken[..]), (1, &["md5 by a".to_owned()][..]));
    let (checked, _, taken) = check(root.path(), &["bad"], |_| {});
    let doubt = Some(Doubt::NoneFits { read: 1 });
    assert!(
        matches!(&checked.expect_err("unproven")[..], [Error::Unproven { doubt: found, .. }] if *found == doubt)
    );
    assert_eq!(taken, [format!("unproven: {doubt:?}")]);
    let (_, found, taken) = check(root.path(), &["lost"], |_| {});
    assert_eq!((found[0].1, &taken[..]), (Verdict::Missing, &["nothing readable".to_owned()][..]));
    let md5 = Some(Algorithm::MD5);
    let (_, found, taken) = check(root.path(), &["bad"], |options| options.lookup.reading.algorithm = md5);
    assert_eq!((found[0].1, taken.len()), (Verdict::Changed, 0));
}

#[test]
fn a_name_that_leads_out_of_the_base_is_refused_and_the_rest_is_judged() {
    let root = tree(&[("in/a", "1"), ("secret", "2")]);
    let lines = [line("../secret", "2"), line("a", "1")].concat();
    fs::write(root.path().join("in/MD5SUMS"), lines).expect("written");
    let mut options = CheckOptions::new([root.path().join("in/MD5SUMS")], engine());
    options.lookup.base = Some(Base::open(&root.path().join("in")).expect("a base"));
    let mut found = Vec::new();
    let mut take = |finding: &Finding<'_>| {
        found.push((finding.verdict, finding.problem.map(|problem| problem.to_string())));
        Ok(())
    };
    let check = Check::open(options, notes().1).expect("a list");
    check.run(&[], &mut take, &Arc::new(Control::new())).expect("the engine runs");
    let refused = Problem::Refused(hashlane_verify::Refused::Outside).to_string();
    assert_eq!(found, [(Verdict::Unreadable, Some(refused)), (Verdict::Ok, None)]);
}

#[test]
fn whoever_takes_the_findings_ends_a_check() {
    let names: Vec<String> = (0..100).map(|number| format!("{number:03}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&name[..], "1")).collect();
    let root = tree(&files);
    let lines: String = names.iter().map(|name| line(name, "1")).collect();
    fs::write(root.path().join("MD5SUMS"), lines).expect("written");
    let mut options = CheckOptions::new([root.path().join("MD5SUMS")], engine());
    options.lookup.base = Some(Base::open(root.path()).expect("a base"));
    options.complete = true;
    let mut count = 0;
    let mut take = |_: &Finding<'_>| {
        count += 1;
        if count < 7 { Ok(()) } else { Err(Halt::Enough) }
    };
    let check = Check::open(options, notes().1).expect("a list");
    let checked = check.run(&[], &mut take, &Arc::new(Control::new())).expect("the engine runs");
    assert!(count == 7 && matches!(checked.extras, Extras::NotSought));
}

/// An audit of a tree by its list: how it ended, and its verdicts, sorted.
fn audited(base: &Path, list: &Path, memory_bytes: usize) -> (End, Vec<String>) {
    audited_by(base, list, memory_bytes, None).expect("the engine runs")
}

/// The same of a tree that others have read.
fn audited_by(
    base: &Path,
    list: &Path,
    memory_bytes: usize,
    seen: Option<&SeenElsewhere>,
) -> Result<(End, Vec<String>), Error> {
    let mut options = AuditOptions { memory_bytes, ..AuditOptions::new(engine()) };
    options.lookup.base = Some(Base::open(base).expect("a base"));
    options.lookup.selection = Selection::new(engine().walk, Vec::new());
    let mut listing = Listing::new(options, notes().1);
    let summary = listing.read(list.as_os_str()).expect("a list");
    assert_eq!((summary.malformed, listing.is_empty()), (0, false));
    let mut found = Vec::new();
    let mut take = |event: &audit::Event<'_>| {
        if let audit::Event::Verdict(finding) = event {
            let other = finding.other.map(|other| format!(" {}", name(other))).unwrap_or_default();
            found.push(format!("{}: {}{other}", name(finding.path), finding.verdict.name()));
        }
        Ok(())
    };
    let audit = listing.start().expect("roots");
    let control = Arc::new(Control::new());
    let audited = match seen {
        Some(seen) => audit.run_on(seen, &mut take, &control)?,
        None => audit.run(&mut take, &control)?,
    };
    found.sort();
    let counted: u64 = Verdict::ALL.iter().map(|verdict| audited.counters.of(*verdict)).sum();
    assert!(audited.end != End::Complete || counted == found.len() as u64);
    Ok((audited.end, found))
}

#[test]
fn an_audit_of_what_others_have_read_says_the_same() {
    let files = [("a/same", "1"), ("changed", "x"), ("copy", "1"), ("moved", "3"), ("new", "5")];
    let root = tree(&files);
    // No walk comes to what lies behind a link, so nobody else has read it.
    std::os::unix::fs::symlink("a", root.path().join("link")).expect("linked");
    let listed = [("a/same", "1"), ("changed", "2"), ("old", "3"), ("gone", "4"), ("link/same", "1")];
    // It lies in the tree and does not belong to it.
    let list = root.path().join("MD5SUMS");
    let lines = listed.map(|(name, content)| line(name, content)).concat();
    fs::write(&list, &lines).expect("written");

    let beside = tempfile::tempdir().expect("a directory");
    let table = |number: usize, files: &[(&str, &str)]| {
        let row = |(name, content): &(&str, &str)| {
            let path = root.path().join(name);
            format!("{},{},{}\n", content.len(), md5(content), path.display())
        };
        let rows: String = files.iter().map(row).collect();
        let path = beside.path().join(number.to_string());
        fs::write(&path, format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{rows}")).expect("written");
        path.into_os_string()
    };
    let tables = vec![table(0, &files[..2]), table(1, &files[2..]), table(2, &[("MD5SUMS", &lines)])];
    let seen = SeenElsewhere { tables, apart: vec![list.clone().into_os_string()] };
    for memory_bytes in [64 << 20, 0] {
        let (end, found) = audited(root.path(), &list, memory_bytes);
        assert_eq!((end, found.len()), (End::Complete, 7));
        let others = audited_by(root.path(), &list, memory_bytes, Some(&seen)).expect("it runs");
        assert_eq!(others, (end, found));
    }
    let belongs = SeenElsewhere { apart: Vec::new(), ..seen };
    let (_, found) = audited_by(root.path(), &list, 64 << 20, Some(&belongs)).expect("it runs");
    assert!(found.contains(&"MD5SUMS: new".to_owned()), "{found:?}");
}

#[test]
fn a_table_that_does_not_tell_what_was_read_ends_an_audit() {
    let root = tree(&[("a", "1")]);
    let beside = tempfile::tempdir().expect("a directory");
    let list = beside.path().join("MD5SUMS");
    fs::write(&list, line("a", "1")).expect("written");
    let header = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n";
    for (text, why) in
        [(format!("MD5 (a) = {}\n", md5("1")), "has no size"), (format!("{header}what is this\n"), "line 3")]
    {
        let table = beside.path().join("table");
        fs::write(&table, text).expect("written");
        let seen = SeenElsewhere { tables: vec![table.into_os_string()], apart: Vec::new() };
        let error = audited_by(root.path(), &list, 64 << 20, Some(&seen)).expect_err(why).to_string();
        assert!(error.contains("/table: ") && error.contains(why), "{error}");
    }
}

#[test]
fn an_audit_tells_what_became_of_each_file() {
    let root = tree(&[("same", "1"), ("changed", "x"), ("moved", "3"), ("copy", "1"), ("new", "5")]);
    let beside = tempfile::tempdir().expect("a directory");
    let list = beside.path().join("MD5SUMS");
    let lines = [line("same", "1"), line("changed", "2"), line("old", "3"), line("gone", "4")].concat();
    fs::write(&list, lines).expect("written");
    let expected = [
        "changed: changed",
        "copy: copied same",
        "gone: missing",
        "moved: moved old",
        "new: new",
        "same: ok",
    ];
    // The same whether what is listed fits into memory or not.
    for memory_bytes in [64 << 20, 0] {
        let expected = expected.map(str::to_owned).to_vec();
        assert_eq!(audited(root.path(), &list, memory_bytes), (End::Complete, expected));
    }
    // Of an empty tree nothing is called missing: it may not be mounted. A tag names its algorithm, for no file proves it.
    let empty = tempfile::tempdir().expect("a directory");
    fs::write(&list, format!("MD5 (same) = {}\n", md5("1"))).expect("written");
    assert_eq!(audited(empty.path(), &list, 0), (End::Deserted, Vec::new()));
}

#[test]
fn an_update_keeps_what_it_trusts_and_tells_what_it_read() {
    let root = tree(&[("changed", "x"), ("kept", "1"), ("new", "3")]);
    let at = |name: &str| root.path().join(name).to_str().expect("text").to_owned();
    // No size shows of a file that it was changed, so it is read by names only if that is asked for.
    let lines = ["changed", "gone", "kept"].map(|name| line(&at(name), "1")).concat();
    let beside = tempfile::tempdir().expect("a directory");
    let list = beside.path().join("MD5SUMS");
    fs::write(&list, lines).expect("written");
    let md5 = Some(Algorithm::MD5);
    let updated = |trust| {
        let source = Source::open(list.as_os_str()).expect("open");
        let reader = lists::read(source, &ReadOptions { fallback: md5, ..ReadOptions::default() });
        let old = OldList::read(reader.expect("a list")).expect("entries");
        let belief = Belief::new(trust, old.started(), None);
        let mut engine = engine();
        engine.algorithms = old.algorithms(&[]);
        let roots = outermost([root.path().to_str().expect("text").into()].iter());
        let mut told = Vec::new();
        let mut take = |event: &update::Event<'_>| {
            let (what, path) = match event {
                update::Event::Kept(item) => ("kept", item.path.as_bytes()),
                update::Event::Added(record) => ("added", record.path.as_bytes()),
                update::Event::Same(record) => ("same", record.path.as_bytes()),
                update::Event::Changed(record) => ("changed", record.path.as_bytes()),
                update::Event::Gone(name) => ("gone", *name),
                other => panic!("{other:?}"),
            };
            told.push(format!("{what} {}", name(path).rsplit('/').next().expect("a name")));
            Ok(())
        };
        let update = Update { old, belief, roots, elsewhere: None, engine };
        let updated = update.run(&mut take, &Arc::new(Control::new())).expect("the engine runs");
        assert!(updated.is_complete && updated.deserted.is_none());
        (told, belief.basis(), updated.is_verified)
    };
    let read = ["changed changed", "same kept", "added new", "gone gone"].map(str::to_owned).to_vec();
    assert_eq!(updated(Trust::Times), (read, Basis::TimesUndated, true));
    let kept = ["kept changed", "kept kept", "added new", "gone gone"].map(str::to_owned).to_vec();
    assert_eq!(updated(Trust::Names), (kept, Basis::Names, false));
}

/// Takes a number of events, and then no more.
struct Takes {
    left: usize,
    taken: usize,
    fails: bool,
}

impl Takes {
    fn take(&mut self) -> Taken {
        assert!(self.taken <= self.left, "it was told that no more are taken");
        self.taken += 1;
        match self.taken > self.left {
            false => Ok(()),
            true if self.fails => Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into()),
            true => Err(Halt::Enough),
        }
    }
}

/// Runs something that reports events, ended at each of them: it has to say so, or to fail with what failed. `run` says whether it came to
/// its end.
fn ended_at_every_event(events: usize, run: impl Fn(&mut Takes) -> Result<bool, Error>) {
    for left in 0..=events {
        let mut takes = Takes { left, taken: 0, fails: false };
        let complete = run(&mut takes).expect("to have enough is no failure");
        assert_eq!((complete, takes.taken), (left == events, (left + 1).min(events)), "{left} of {events}");
        let mut takes = Takes { left, taken: 0, fails: true };
        match run(&mut takes) {
            Ok(complete) => assert!(complete && left == events, "{left} of {events}"),
            Err(Error::Engine(hashlane_engine::Error::Sink(why))) => {
                let why = why.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
                assert_eq!((why, takes.taken), (Some(std::io::ErrorKind::StorageFull), left + 1));
            }
            Err(other) => panic!("{left} of {events}: {other}"),
        }
    }
}

#[test]
fn a_check_ends_with_what_ends_it_wherever_that_is() {
    let lines = [line("-", "0"), line("a", "1"), line("gone", "2"), line("b", "3")].concat();
    let root = tree(&[("a", "1"), ("b", "changed"), ("new", "4"), ("newer/x", "5"), ("MD5SUMS", &lines)]);
    let run = |takes: &mut Takes| {
        let mut options = CheckOptions::new([root.path().join("MD5SUMS")], engine());
        options.lookup.base = Some(Base::open(root.path()).expect("a base"));
        options.complete = true;
        let check = Check::open(options, notes().1).expect("a list");
        let checked = check.run(&[], &mut |_| takes.take(), &Arc::new(Control::new()))?;
        Ok(checked.is_complete)
    };
    ended_at_every_event(6, run);
}

#[test]
fn an_audit_ends_with_what_ends_it_wherever_that_is() {
    let root = tree(&[("same", "1"), ("changed", "x"), ("moved", "3"), ("copy", "1"), ("new", "5")]);
    std::os::unix::net::UnixListener::bind(root.path().join("special")).expect("a socket");
    let beside = tempfile::tempdir().expect("a directory");
    let list = beside.path().join("MD5SUMS");
    let listed = [("same", "1"), ("changed", "2"), ("old", "3"), ("gone", "4"), ("special", "5")];
    fs::write(&list, listed.map(|(name, content)| line(name, content)).concat()).expect("written");
    for memory_bytes in [64 << 20, 0] {
        let run = |takes: &mut Takes| {
            let mut options =
                AuditOptions { memory_bytes, tells_passes: true, ..AuditOptions::new(engine()) };
            options.lookup.base = Some(Base::open(root.path()).expect("a base"));
            options.lookup.selection = Selection::new(engine().walk, Vec::new());
            let mut listing = Listing::new(options, notes().1);
            listing.read(list.as_os_str()).expect("a list");
            let audit = listing.start().expect("roots");
            let audited = audit.run(&mut |_| takes.take(), &Arc::new(Control::new()))?;
            Ok(audited.end == End::Complete)
        };
        let mut all = Takes { left: usize::MAX, taken: 0, fails: false };
        assert!(run(&mut all).expect("it runs"));
        // A verdict on each of seven names, and that one has no file by now.
        assert_eq!(all.taken, 8);
        ended_at_every_event(all.taken, run);
    }
}

#[test]
fn an_update_ends_with_what_ends_it_wherever_that_is() {
    let root = tree(&[("changed", "x"), ("kept", "1"), ("new", "3"), ("zkept", "1")]);
    let at = |name: &str| root.path().join(name).to_str().expect("text").to_owned();
    let names = ["changed", "gone", "kept", "zkept"].map(at);
    let lines = names.map(|name| line(&name, "1")).concat() + &line("/elsewhere/x", "1");
    let beside = tempfile::tempdir().expect("a directory");
    let list = beside.path().join("MD5SUMS");
    fs::write(&list, lines).expect("written");
    let run = |takes: &mut Takes| {
        let source = Source::open(list.as_os_str()).expect("open");
        let fallback = Some(Algorithm::MD5);
        let reader = lists::read(source, &ReadOptions { fallback, ..ReadOptions::default() });
        let old = OldList::read(reader.expect("a list")).expect("entries");
        let belief = Belief::new(Trust::Names, old.started(), None);
        let mut engine = engine();
        engine.algorithms = old.algorithms(&[]);
        let roots = outermost([root.path().to_str().expect("text").into()].iter());
        let update = Update { old, belief, roots, elsewhere: None, engine };
        let updated = update.run(&mut |_| takes.take(), &Arc::new(Control::new()))?;
        Ok(updated.is_complete)
    };
    ended_at_every_event(6, run);
}
