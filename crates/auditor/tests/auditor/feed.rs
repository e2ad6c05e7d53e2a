//! The feed of what happens: each filter, both ways, page by page, and across a purge.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hashlane_catalog::{
    Acting, Choice, Decision, Error, EventKind, Happened, Policy, Reader, Terms, Verdict, Wanted, Way, Writer,
};

use crate::keeper::{DAY, Keeper, corrupt};

/// All that is asked for, in pages of at most this many events.
fn pages(catalog: &Reader, wanted: &Wanted, most: usize) -> Vec<Happened> {
    let mut feed = catalog.feed(wanted).expect("readable");
    let mut all = Vec::new();
    loop {
        let page = feed.next(most).expect("readable");
        let is_last = page.len() < most;
        all.extend(page);
        if is_last {
            return all;
        }
    }
}

fn all(catalog: &Reader) -> Vec<Happened> {
    pages(catalog, &Wanted::default(), 1000)
}

/// Whether an event was asked for, by a look at it alone.
fn is_wanted(wanted: &Wanted, happened: &Happened) -> bool {
    let lies_there = |path: &[u8]| {
        happened.path.as_ref().is_some_and(|of| {
            of == path
                || of.strip_prefix(path).is_some_and(|below| path.is_empty() || below.starts_with(b"/"))
        })
    };
    wanted.collection.as_ref().is_none_or(|name| *name == happened.collection)
        && (wanted.kinds.is_empty() || wanted.kinds.contains(&happened.kind))
        && wanted.actor.as_ref().is_none_or(|actor| *actor == happened.actor)
        && wanted.since_s.is_none_or(|since_s| happened.at_s >= since_s)
        && wanted.after.is_none_or(|after| happened.number > after)
        && wanted.before.is_none_or(|before| happened.number < before)
        && wanted.path.as_ref().is_none_or(|path| lies_there(path))
}

/// A year of a collection and days of another one, with events of nearly all kinds.
fn lived() -> Keeper {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Living);
    let acting = |actor: &str, at_s| Acting {
        actor: actor.into(),
        uid: Some(1000),
        way: Way::Command,
        reason: String::new(),
        at_s: Some(at_s),
    };
    keeper.catalog.act_as(acting("jane", keeper.now()));
    for name in ["a", "b", "d/c", "d/e/f", "dd"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    let other = keeper.directory.path().join("other");
    fs::create_dir(&other).expect("made");
    let mut terms = Terms::new("other", &other);
    terms.period_s = Some(30 * DAY);
    keeper.catalog.add_collection(&terms, keeper.now()).expect("a new name");
    for night in 0..8 {
        keeper.passes(DAY);
        keeper.write("b", format!("edited in night {night}"));
        keeper.write(&format!("d/new-{night}"), format!("{night}"));
        match night {
            1 => corrupt(&keeper.tree().join("a"), b"CONTENT of a"),
            2 => fs::rename(keeper.tree().join("d/c"), keeper.tree().join("d/e/c")).expect("renamed"),
            3 => fs::remove_file(keeper.tree().join("d/e/f")).expect("removed"),
            4 => drop(fs::copy(keeper.tree().join("dd"), keeper.tree().join("copy")).expect("copied")),
            5 => keeper.write("d/e/f", "content of d/e/f"),
            _ => {}
        }
        keeper.audit(|options| {
            options.scope = hashlane_auditor::Scope::All;
            options.actor = if night % 2 == 0 { "root".into() } else { "backup".into() };
        });
        if night == 6 {
            let collection = keeper.collection();
            let choice = Choice::new(vec![b"a".to_vec()], vec![]);
            let chosen = keeper.catalog.chosen(&collection, &choice).expect("readable");
            let findings: Vec<_> = chosen.into_iter().map(|(_, finding)| finding).collect();
            let decision = Decision { actor: "jane".into(), reason: "known".into(), at_s: keeper.now() };
            keeper.catalog.acknowledge(&collection, &findings, None, &decision).expect("noted");
        }
    }
    let collection = keeper.catalog.collection("other").expect("there");
    keeper.catalog.act_as(acting("admin", keeper.now()));
    keeper.catalog.remove_collection(&collection, keeper.now()).expect("removed");
    keeper
}

#[test]
fn each_filter_finds_what_a_look_at_each_event_finds() {
    let keeper = lived();
    let events = all(&keeper.catalog);
    assert!(events.windows(2).all(|two| two[0].number < two[1].number));
    let kinds = |kind| events.iter().filter(|happened| happened.kind == kind).count();
    for kind in [
        EventKind::Finding,
        EventKind::Recovered,
        EventKind::Decision,
        EventKind::Change,
        EventKind::RunBegun,
        EventKind::RunEnded,
        EventKind::Edit,
    ] {
        assert!(kinds(kind) > 0, "{}", kind.name());
    }
    assert_eq!(kinds(EventKind::History), 0);
    let edits: Vec<_> = events.iter().filter(|event| event.kind == EventKind::Edit).collect();
    let of = |verdict: Verdict| {
        edits.iter().filter(|event| event.verdict() == Some(verdict.name_in_collection())).count()
    };
    assert_eq!(
        [Verdict::New, Verdict::Changed, Verdict::Moved, Verdict::Copied].map(of),
        [8, 8, 1, 1],
        "what a first audit registers is not new"
    );

    let last = events[events.len() - 1].number;
    let middle_s = events[events.len() / 2].at_s;
    let names = [None, Some("tree"), Some("other")];
    let kinds =
        [vec![], vec![EventKind::Edit], vec![EventKind::Finding, EventKind::RunEnded], vec![EventKind::Late]];
    let actors = [None, Some("root"), Some("jane"), Some("nobody")];
    let paths = [None, Some("a"), Some("d"), Some("./d//e/f"), Some("d/"), Some("")];
    let bounds =
        [(None, None), (Some(last / 3), None), (None, Some(last / 2)), (Some(last / 4), Some(last - 2))];
    let mut asked = 0;
    for (name, kinds) in names.iter().flat_map(|name| kinds.iter().map(move |kinds| (name, kinds))) {
        for (actor, path) in actors.iter().flat_map(|actor| paths.iter().map(move |path| (actor, path))) {
            for ((after, before), since_s) in bounds.iter().flat_map(|of| [(of, None), (of, Some(middle_s))])
            {
                let mut wanted = Wanted::default();
                wanted.collection = name.map(str::to_owned);
                wanted.kinds = kinds.clone();
                wanted.actor = actor.map(str::to_owned);
                wanted.path = path.map(|path| path.as_bytes().to_vec());
                (wanted.after, wanted.before, wanted.since_s) = (*after, *before, since_s);
                if *name == Some("other") && path.is_some_and(|path| !path.is_empty()) {
                    let asked = keeper.catalog.feed(&wanted).map(drop);
                    assert!(matches!(asked, Err(Error::NoPath { .. })), "it has no files");
                    continue;
                }
                // It is written in several ways.
                let mut plain = wanted.clone();
                plain.path = path.map(|path| path.trim_end_matches('/').replace("./d//", "d/").into_bytes());
                let mut expected: Vec<_> =
                    events.iter().filter(|happened| is_wanted(&plain, happened)).cloned().collect();
                for most in [3, 1000] {
                    assert_eq!(pages(&keeper.catalog, &wanted, most), expected, "{wanted:?}");
                }
                wanted.is_reversed = true;
                expected.reverse();
                assert_eq!(pages(&keeper.catalog, &wanted, 2), expected, "{wanted:?}");
                asked += 1;
            }
        }
    }
    assert_eq!(asked, (2 * 6 + 2) * 4 * 4 * 8);
}

#[test]
fn a_purge_takes_no_number_and_leaves_what_was_changed() {
    let mut keeper = lived();
    let before = all(&keeper.catalog);
    let last = before[before.len() - 1].number;
    let tree = keeper.collection();
    keeper.catalog.remove_collection(&tree, keeper.now()).expect("removed");
    keeper.catalog.purge_collection(&tree, keeper.now()).expect("purged");
    let after = all(&keeper.catalog);
    let stays = |event: &&Happened| event.kind == EventKind::Change || event.collection != "tree";
    let expected: Vec<_> = before.iter().filter(stays).cloned().collect();
    assert_eq!(after[..expected.len()], expected);
    let new: Vec<_> = after[expected.len()..].iter().map(|event| &event.what[..]).collect();
    assert_eq!(new, ["removed", "purged"]);
    assert!(after[expected.len()].number > last, "and no number is given out again");
    let mut wanted = Wanted::default();
    wanted.collection = Some("tree".into());
    assert!(pages(&keeper.catalog, &wanted, 9).iter().all(|event| event.kind == EventKind::Change));
    wanted.path = Some(b"a".to_vec());
    let asked = keeper.catalog.feed(&wanted).map(drop);
    assert!(matches!(asked, Err(Error::NoPath { .. })), "nothing is left of its files");
    wanted.path = None;
    wanted.collection = Some("never".into());
    let asked = keeper.catalog.feed(&wanted).map(drop);
    assert!(matches!(asked, Err(Error::NoCollection { name }) if name == "never"));
}

#[test]
fn edits_are_forgotten_after_a_while_and_that_is_known() {
    let mut keeper = lived();
    let forgotten = |keeper: &Keeper, wanted: &Wanted| {
        keeper.catalog.feed(wanted).and_then(|feed| feed.forgotten_to(keeper.now())).expect("readable")
    };
    let edits = |keeper: &Keeper| {
        let is_kept = |event: &Happened| {
            event.kind == EventKind::Edit && matches!(event.verdict(), Some("new" | "changed"))
        };
        all(&keeper.catalog).into_iter().filter(is_kept).collect::<Vec<_>>()
    };
    let before = edits(&keeper);
    assert_eq!(forgotten(&keeper, &Wanted::default()), None);
    // Of the last three nights they are kept.
    keeper.passes(90 * DAY - 3 * DAY + DAY / 2);
    keeper.all();
    assert_eq!(edits(&keeper).len(), before.len(), "a clock may be wrong once");
    keeper.all();
    let kept = edits(&keeper);
    assert_eq!(kept, before[before.len() - kept.len()..]);
    assert_eq!(kept.len(), 6);
    let last = before[before.len() - kept.len() - 1].number;
    assert_eq!(forgotten(&keeper, &Wanted::default()), Some(last));
    let mut wanted = Wanted::default();
    wanted.after = Some(last);
    assert_eq!(forgotten(&keeper, &wanted), None, "nothing of it is missing");
    wanted.after = None;
    wanted.before = Some(3);
    assert_eq!(forgotten(&keeper, &wanted), Some(2), "all of it may be missing");
    wanted.before = None;
    wanted.since_s = Some(keeper.now() - DAY);
    assert_eq!(forgotten(&keeper, &wanted), None);
    wanted.since_s = None;
    wanted.kinds = vec![EventKind::Finding];
    assert_eq!(forgotten(&keeper, &wanted), None);
}

/// The number of the last event, and what that is.
fn last(catalog: &Reader) -> (i64, String) {
    let mut wanted = Wanted::default();
    wanted.is_reversed = true;
    let mut last = catalog.feed(&wanted).and_then(|mut feed| feed.next(1)).expect("readable");
    let last = last.pop().expect("something has happened");
    (last.number, last.what)
}

#[test]
fn a_restore_gives_out_no_number_again() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content");
    keeper.all();
    let copy = keeper.directory.path().join("copy");
    keeper.catalog.backup(&copy).expect("copied");
    let mode = fs::metadata(&copy).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "names of files are nobody else's");
    for _ in 0..3 {
        keeper.passes(DAY);
        keeper.all();
    }
    let (seen, _) = last(&keeper.catalog);
    let backup = Reader::open_backup(&copy).expect("whole");
    keeper.catalog.restore(&backup, None, keeper.now()).expect("restored");
    assert_eq!(last(&keeper.catalog), (seen + 1, "restored".into()));
    // Of a catalogue that is lost nobody knows how far it was.
    let mut new = Writer::open_or_make(&keeper.directory.path().join("new")).expect("made");
    new.restore(&backup, None, keeper.now()).expect("restored");
    let (number, what) = last(&new);
    assert!(number > seen + 1000 && what == "restored", "{number} {what}");
}

#[test]
fn what_a_long_audit_finds_is_an_event_of_the_time_at_which_it_is_found() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content");
    keeper.write("b", "content of b");
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT");
    fs::remove_file(keeper.tree().join("b")).expect("removed");
    keeper.write("n", "new");
    let (began_s, clock) = (keeper.now(), std::sync::Arc::clone(&keeper.now_s));
    // It lists for three days.
    keeper.replacing(move || _ = clock.fetch_add(3 * DAY, std::sync::atomic::Ordering::Relaxed));
    let mut wanted = Wanted::default();
    wanted.since_s = Some(began_s + 2 * DAY);
    wanted.kinds = vec![EventKind::Finding, EventKind::Edit];
    let found = pages(&keeper.catalog, &wanted, 9);
    let mut found: Vec<_> = found.iter().map(|event| &event.what[..]).collect();
    found.sort_unstable();
    assert_eq!(found, ["corrupt", "missing", "new"]);
}
