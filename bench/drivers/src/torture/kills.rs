//! Commands that are killed at random moments, and two that audit at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use hashlane_catalog::{EventKind, Reader, Verdict, Wanted, Writer};

use super::case::{Case, Ground, JUDGED, SETTLED, kill};
use super::faults;
use super::tally::{Part, Tally, Turn};
use super::tree::{Tree, set_time};

const PART: Part = Part::Kills;

const FILES: usize = 1200;
const FAULTS: usize = 90;

/// Commands that are killed over one tree: before its faults and after, and while what was found is accepted.
const BEFORE: u64 = 20;
const AFTER: u64 = 40;
const DECIDING: u64 = 12;

/// Decisions that are made beside an audit.
const BESIDE: u64 = 6;

/// The kind of audit that takes some seconds.
const SLOW: &str = "audits in several batches";

/// Files that are new when a collection is frozen.
const NEW_FILES: usize = 400;

/// Kills commands over one tree, and sees that its faults are found all the same.
pub(super) fn turn(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    let case = Case::new(ground);
    let tree = Tree::make(&ground.scratch.join("tree"), FILES, rng)?;
    let mut kills = Kills { ground, case: case.clone(), rng, tally, alive: BTreeMap::new() };
    thread::sleep(SETTLED);
    case.ends(&["collection", "add", "t", "tree", "--living", "--hold-files", "100000"], [0])?;
    kills.audits(BEFORE)?;
    case.ends(&["audit", "t"], [0])?;
    case.is_known(&tree.names())?;
    kills.makings(&tree)?;
    let faults = faults::inject(&tree, FAULTS, kills.rng)?;
    thread::sleep(SETTLED);
    kills.audits(AFTER)?;
    case.audit_to_the_end()?;
    case.judge(&tree, &faults, false)?;
    case.is_told(&faults)?;
    for fault in &faults {
        kills.tally.note(PART, &format!("faults found exactly once: {}", fault.kind.name()), 1);
    }
    kills.decisions(&tree)?;
    kills.decisions_beside()?;
    kills.verified()?;
    kills.tally.note(PART, "trees", 1);
    Ok(Turn::Done)
}

struct Kills<'a> {
    ground: Ground<'a>,
    case: Case<'a>,
    rng: &'a mut Rng,
    tally: &'a mut Tally,
    /// How long each kind of command is taken to be alive.
    alive: BTreeMap<&'static str, Duration>,
}

impl Kills<'_> {
    /// Starts a command and kills it. The time within which that is done follows how long its like was alive.
    fn kill(&mut self, case: &Case<'_>, what: &'static str, arguments: &[&str]) -> Result<bool> {
        let within = *self.alive.entry(what).or_insert(likely(what));
        let is_killed = case.killed(arguments, within, self.rng)?;
        self.count(what, is_killed);
        Ok(is_killed)
    }

    fn count(&mut self, what: &'static str, is_killed: bool) {
        let within = self.alive.entry(what).or_insert(likely(what));
        match is_killed {
            true => {
                self.tally.hit(PART, &format!("killed: {what}"));
                *within = within.mul_f64(1.06).min(Duration::from_secs(3));
            }
            false => {
                self.tally.note(PART, "ended before they were killed", 1);
                *within = within.mul_f64(0.85).max(Duration::from_millis(2));
            }
        }
    }

    fn verified(&mut self) -> Result<Writer> {
        let catalog = self.case.verified()?;
        self.tally.note(PART, "catalogues verified", 1);
        Ok(catalog)
    }

    /// Kills audits, and what else goes on in a catalogue. Each is to leave one that is whole.
    fn audits(&mut self, kills: u64) -> Result<()> {
        let (mut killed, mut tries) = (0, 0);
        while killed < kills && tries < 4 * kills && self.ground.has_time() {
            tries += 1;
            let copy = self.ground.scratch.join(format!("copy-{tries}.sqlite"));
            let copy = copy.to_str().context("a name")?.to_owned();
            let case = self.case.clone();
            let is_killed = match self.rng.u32(..12) {
                0 => self.kill(&case, "backups", &["catalog", "backup", &copy])?,
                1 => self.kill(&case, "compactions", &["catalog", "compact"])?,
                2 => self.kill(&case, "audits of what is due", &["audit", "--files", "300"])?,
                3 => self.two_at_once()?,
                // Slow enough to be recorded in several batches.
                4 => self.kill(&case, SLOW, &["audit", "t", "--max-rate", "12MB"])?,
                _ => self.kill(&case, "audits", &["audit", "t"])?,
            };
            killed += u64::from(is_killed);
            self.verified()?;
            // A copy that has its name is a catalogue.
            if Path::new(&copy).exists() {
                self.case.at(copy.clone().into()).verified().context("a backup")?;
                self.tally.note(PART, "backups verified", 1);
                fs::remove_file(&copy)?;
            }
        }
        Ok(())
    }

    /// One of two reports it, or comes after the other has ended; the first one is killed.
    fn two_at_once(&mut self) -> Result<bool> {
        let mut child = self.case.command(&["audit", "t"]).spawn()?;
        let second = self.case.ends(&["audit", "t", "--files", "50"], JUDGED.chain([75]));
        let killed = kill(&mut child);
        let (second, killed) = (second?, killed?);
        if second.code() == Some(75) {
            self.tally.note(PART, "refused while another one audited", 1);
        }
        self.count("audits with another one beside them", killed);
        Ok(killed)
    }

    /// Kills what makes a catalogue, which is a migration from nothing, and what brings digests into it.
    fn makings(&mut self, tree: &Tree) -> Result<()> {
        fs::write(self.ground.scratch.join("list"), tree.list(None)?)?;
        for number in 0..6 {
            if !self.ground.has_time() {
                return Ok(());
            }
            let case = self.case.at(self.ground.scratch.join(format!("new-{number}/catalog.sqlite")));
            let add = ["collection", "add", "t", "tree", "--living"];
            self.kill(&case, "makings of a catalogue", &add)?;
            let catalog = case.verified().context("a new catalogue")?;
            if catalog.collection("t").is_err() {
                case.ends(&add, [0])?;
            }
            drop(catalog);
            self.kill(&case, "imports", &["collection", "import", "t", "list"])?;
            case.verified().context("after an import")?;
            case.ends(&["collection", "import", "t", "list"], [0])?;
            case.is_known(&tree.names())?;
            self.tally.note(PART, "catalogues verified", 2);
        }
        Ok(())
    }

    /// Freezes the collection, and kills those who accept what is new and changed in it: all of it is accepted, or nothing.
    fn decisions(&mut self, tree: &Tree) -> Result<()> {
        let case = self.case.clone();
        case.ends(&["collection", "set", "t", "--frozen"], [0])?;
        for number in 0..NEW_FILES {
            let place = tree.root.join(format!("f/{}/new-{number}", number % 7));
            fs::create_dir_all(place.parent().context("it lies in a directory")?)?;
            fs::write(&place, format!("another {number}"))?;
            set_time(&place, std::time::SystemTime::UNIX_EPOCH)?;
        }
        thread::sleep(SETTLED);
        case.ends(&["audit", "t"], JUDGED)?;
        ensure!(open(&*self.verified()?)? == NEW_FILES as u64, "not all new files were found");
        case.ends(&["catalog", "backup", "before.sqlite"], [0])?;
        let accept = ["accept", "t", "--verdict", "new,changed", "--reason", "torture"];
        let files = ["", "-wal", "-shm"].map(|end| format!("catalog.sqlite{end}"));
        for number in 0..DECIDING {
            if !self.ground.has_time() {
                break;
            }
            let place = self.ground.scratch.join(format!("accept-{number}"));
            fs::create_dir_all(&place)?;
            for name in &files {
                let from = self.ground.scratch.join(name);
                if from.exists() {
                    fs::copy(from, place.join(name))?;
                }
            }
            let case = case.at(place.join("catalog.sqlite"));
            self.kill(&case, "acceptances", &accept)?;
            let left = open(&*case.verified().context("while findings were accepted")?)?;
            self.tally.note(PART, "catalogues verified", 1);
            ensure!(left == 0 || left == NEW_FILES as u64, "{left} of {NEW_FILES} were not accepted");
            if left > 0 {
                case.ends(&accept, [0])?;
            }
            // What was accepted is not a finding any more, and is not found anew.
            case.ends(&["audit", "t"], JUDGED)?;
            ensure!(open(&*case.verified()?)? == 0, "what was accepted is found again");
            self.kill(&case, "restorations", &["catalog", "restore", "before.sqlite"])?;
            let left = open(&*case.verified().context("while a backup was brought back")?)?;
            ensure!(left == 0 || left == NEW_FILES as u64, "{left} of {NEW_FILES} were brought back");
            case.ends(&["catalog", "restore", "before.sqlite"], [0])?;
            ensure!(open(&*case.verified()?)? == NEW_FILES as u64, "the backup was not brought back");
            self.tally.note(PART, "catalogues verified", 3);
            fs::remove_dir_all(&place)?;
        }
        Ok(())
    }

    /// Accepts what is new while an audit is under way, and kills one of the two, or both: what was recorded is carried out, once.
    fn decisions_beside(&mut self) -> Result<()> {
        let accept = ["accept", "t", "--verdict", "new,changed", "--reason", "torture"];
        for number in 0..BESIDE {
            if !self.ground.has_time() {
                break;
            }
            let place = self.ground.scratch.join(format!("beside-{number}"));
            fs::create_dir_all(&place)?;
            let case = self.case.at(place.join("catalog.sqlite"));
            fs::copy(self.ground.scratch.join("before.sqlite"), &case.catalogue)?;
            let mut audit = case.command(&["audit", "t", "--max-rate", "1MB"]).spawn()?;
            thread::sleep(Duration::from_millis(self.rng.u64(20..400)));
            let mut child = case.command(&accept).spawn()?;
            thread::sleep(Duration::from_millis(self.rng.u64(..400)));
            let (kills_audit, kills_accept) =
                [(true, false), (false, true), (true, true)][number as usize % 3];
            if kills_audit {
                let is_killed = kill(&mut audit)?;
                self.count("audits with a decision beside them", is_killed);
            }
            if kills_accept {
                let is_killed = kill(&mut child)?;
                self.count("decisions beside an audit", is_killed);
            }
            audit.wait()?;
            child.wait()?;
            let catalog = case.verified().context("after a decision beside an audit")?;
            let is_recorded =
                catalog.changes(Some("t"), None)?.iter().any(|change| change.what.starts_with("accept"));
            drop(catalog);
            case.ends(&["audit", "t"], JUDGED)?;
            let catalog = case.verified()?;
            let left = open(&catalog)?;
            ensure!(
                left == if is_recorded { 0 } else { NEW_FILES as u64 },
                "{left} of {NEW_FILES} were not accepted"
            );
            ensure!(
                catalog.pending(catalog.collection("t")?.id)?.waiting == 0,
                "a decision waits for nobody"
            );
            let mut wanted = Wanted::default();
            wanted.kinds = vec![EventKind::Decision];
            let decided = catalog.feed(&wanted)?.next(10 * NEW_FILES)?;
            let files: BTreeSet<_> = decided.iter().map(|event| event.path.clone()).collect();
            let expected = NEW_FILES - left as usize;
            ensure!(
                decided.len() == expected && files.len() == expected,
                "{} decisions on {} files are recorded, and not {expected}",
                decided.len(),
                files.len()
            );
            self.tally.note(
                PART,
                if is_recorded { "decisions carried out once" } else { "decisions never recorded" },
                1,
            );
            self.tally.note(PART, "catalogues verified", 2);
            drop(catalog);
            fs::remove_dir_all(&place)?;
        }
        Ok(())
    }
}

/// How long a command is alive, before anything is known of that.
fn likely(what: &str) -> Duration {
    Duration::from_millis(if what == SLOW { 2_500 } else { 40 })
}

/// How many new and changed files nobody has accepted.
fn open(catalog: &Reader) -> Result<u64> {
    let standing = catalog.standing(catalog.collection("t")?.id, 0)?;
    let is_meant = |verdict| matches!(verdict, Verdict::New | Verdict::Changed);
    Ok(standing.iter().filter(|standing| is_meant(standing.verdict)).map(|standing| standing.open).sum())
}
