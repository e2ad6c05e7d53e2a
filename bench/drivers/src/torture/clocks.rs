//! Clocks that jump by days, forwards and backwards, between audits and during them.
//!
//! The program asks the system for the time, and a test cannot set that. So these audits run in this process, by the library that the
//! program calls, with a clock of their own; tree and catalogue are as ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use hashlane_auditor::{AuditEvent, AuditOptions, Audited, Outcome, Scope, audit};
use hashlane_catalog::{Clock, Collection, Reader, Unchecked, Verdict, Writer};
use hashlane_engine::{Control, Options};

use super::case::{Case, Ground, SETTLED};
use super::faults;
use super::tally::{Part, Tally, Turn};
use super::tree::Tree;

const PART: Part = Part::Clocks;

const FILES: usize = 120;
const FAULTS: usize = 20;
const JUMPS: usize = 25;
const DAY_S: i64 = 24 * 3600;

/// By how many days a clock is off, at most: several times of what is promised.
const MOST_DAYS: i64 = 45;
const PROMISED_DAYS: i64 = 10;

/// Audits one tree under clocks that jump.
pub(super) fn turn(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    let case = Case::new(ground);
    let tree = Tree::make(&ground.scratch.join("tree"), FILES, rng)?;
    thread::sleep(SETTLED);
    let promise = format!("{PROMISED_DAYS}d");
    case.ends(
        &["collection", "add", "t", "tree", "--living", "--every", &promise, "--hold-files", "100000"],
        [0],
    )?;
    let mut catalog = Writer::open_or_make(&case.catalogue)?;
    let collection = catalog.collection("t")?;
    let mut before_s = real_s()?;
    for _ in 0..JUMPS {
        let now_s = jumped_s(rng)?;
        let jumped = || format!("the clock went from {before_s} to {now_s}");
        let (scope, audited) = audit_at(&mut catalog, now_s, rng, false).with_context(jumped)?;
        if audited.outcome == Outcome::Complete {
            is_kept(&catalog, &collection, &tree, (scope, now_s)).with_context(jumped)?;
        }
        tally.hit(PART, if now_s < before_s { "backwards" } else { "forwards" });
        before_s = now_s;
    }
    case.finds(&tree.names(), &Default::default())?;
    // And the clock is right again: all that was dated ahead of it is read anew.
    let now_s = real_s()?;
    let options = options_at(now_s, Scope::Due, None);
    let audited = carried_out(&mut catalog, options, false)?;
    ensure!(audited.outcome == Outcome::Complete, "it ended as {}", audited.outcome.name());
    is_kept(&catalog, &collection, &tree, (Scope::Due, now_s))?;
    case.is_known(&tree.names())?;
    // Faults are found once, whatever the clock says.
    let faults = faults::inject(&tree, FAULTS, rng)?;
    thread::sleep(SETTLED);
    for _ in 0..4 {
        audit_at(&mut catalog, jumped_s(rng)?, rng, true)?;
        tally.hit(PART, "with faults in the tree");
    }
    let options = options_at(jumped_s(rng)?, Scope::All, None);
    carried_out(&mut catalog, options, true)?;
    case.judge(&tree, &faults, false)?;
    case.verified()?;
    tally.note(PART, "faults found exactly once", faults.len() as u64);
    Ok(Turn::Done)
}

/// Seconds since 1970.
fn real_s() -> Result<i64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as i64)
}

/// What a clock says that is off by days and hours.
fn jumped_s(rng: &mut Rng) -> Result<i64> {
    Ok(real_s()? + rng.i64(-MOST_DAYS * DAY_S..MOST_DAYS * DAY_S))
}

/// An audit of any kind: of what is due or of all, to its end or interrupted.
fn audit_at(catalog: &mut Writer, now_s: i64, rng: &mut Rng, with_faults: bool) -> Result<(Scope, Audited)> {
    let scope = if rng.bool() { Scope::Due } else { Scope::All };
    let files = (rng.u32(..4) == 0).then(|| rng.u64(1..FILES as u64));
    let mut options = options_at(now_s, scope, files);
    if rng.bool() {
        // It jumps once more while the audit goes on, after some file or other.
        let (calls, steady, later_s) = (AtomicU64::new(0), rng.u64(1..FILES as u64), jumped_s(rng)?);
        options.clock = Clock::new(move || match calls.fetch_add(1, Ordering::Relaxed) < steady {
            true => now_s,
            false => later_s,
        });
    }
    Ok((scope, carried_out(catalog, options, with_faults)?))
}

fn options_at(now_s: i64, scope: Scope, files: Option<u64>) -> AuditOptions {
    let mut options = AuditOptions::new("torture");
    options.clock = Clock::new(move || now_s);
    options.scope = scope;
    options.budget.files = files;
    options
}

/// Audits. Without faults in the tree nothing is to be found, and nothing to be new.
fn carried_out(catalog: &mut Writer, options: AuditOptions, with_faults: bool) -> Result<Audited> {
    let collection = catalog.collection("t")?;
    let ground = hashlane_auditor::Ground::local(
        catalog,
        &collection,
        Options::new(collection.terms.algorithms.clone().into()),
    )?;
    let mut found = Vec::new();
    let mut events = |event: AuditEvent<'_>| {
        if let AuditEvent::Finding { path, verdict, .. } | AuditEvent::File { path, verdict, .. } = event {
            found.push(format!("{} {}", String::from_utf8_lossy(path), verdict.name_in_collection()));
        }
        Ok(())
    };
    let control = Arc::new(Control::new());
    let audited = audit(catalog, &collection, &ground, &options, &control, &mut events)?;
    if with_faults {
        return Ok(audited);
    }
    ensure!(found.is_empty(), "a clock makes no findings: {found:?}");
    let is_usual = |verdict| {
        matches!(verdict, Verdict::Ok | Verdict::Registered | Verdict::NotChecked(Unchecked::Budget))
    };
    if let Some((verdict, files)) = audited.counts.iter().find(|(verdict, _)| !is_usual(*verdict)) {
        bail!("{files} files are {}", verdict.name_in_collection());
    }
    match audited.outcome {
        Outcome::Complete | Outcome::Budget => Ok(audited),
        outcome => bail!("it ended as {}", outcome.name()),
    }
}

/// Asserts that each file counts as read, and that those are late that were not read within the promised time, or were in a time to come. An
/// audit of what is due leaves none; one of all may have gone on with one that was dated ahead, and then says so.
fn is_kept(
    catalog: &Reader,
    collection: &Collection,
    tree: &Tree,
    (scope, now_s): (Scope, i64),
) -> Result<()> {
    let late = catalog.late(collection, now_s)?;
    let mut out_of_time = 0;
    for name in tree.names() {
        let item =
            catalog.item_at(collection, name.as_bytes())?.with_context(|| format!("{name} is lost"))?;
        let read = catalog.last_reading(collection, item.id)?;
        let (read_s, _) = read.with_context(|| format!("{name} counts as never read"))?;
        let is_in_time = (now_s - PROMISED_DAYS * DAY_S..=now_s).contains(&read_s);
        out_of_time += u64::from(!is_in_time);
    }
    ensure!(late == out_of_time, "{out_of_time} files are not in time, and {late} are told to be late");
    ensure!(late == 0 || scope == Scope::All, "{late} files are late after an audit of what is due");
    Ok(())
}
