//! Disks that run full: at each request for room in turn there is none, until the audit has ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;

use super::case::{Case, Ground, JUDGED, SETTLED};
use super::disk::Disk;
use super::faults::{self, Fault};
use super::layer::Mounted;
use super::tally::{Part, Tally, Turn};
use super::tree::Tree;

const PART: Part = Part::Space;

const FILES: usize = 150;
const FAULTS: usize = 30;

/// The exit code of a catalogue that cannot be written to.
const NOT_WRITTEN: i32 = 74;

/// What goes on, and what runs full meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sweep {
    /// An audit with faults, on the disk of the catalogue.
    Audit,
    /// The same, on the disk for temporary files.
    Temporary,
    Backup,
    Compact,
    Accept,
}

impl Sweep {
    const ALL: [Self; 5] = [Self::Audit, Self::Temporary, Self::Backup, Self::Compact, Self::Accept];

    fn name(self) -> &'static str {
        match self {
            Self::Audit => "an audit",
            Self::Temporary => "an audit, temporary files",
            Self::Backup => "a backup",
            Self::Compact => "compacting",
            Self::Accept => "accepting",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Audit | Self::Temporary => &["audit", "t"],
            Self::Backup => &["catalog", "backup", "layer/copy.sqlite"],
            Self::Compact => &["catalog", "compact"],
            Self::Accept => &["accept", "t", "--verdict", "missing", "--reason", "torture"],
        }
    }

    /// Whether faults are found by it, and not before.
    fn finds(self) -> bool {
        matches!(self, Self::Audit | Self::Temporary)
    }
}

/// Tries all requests for room, in any order, of one command after the other.
pub(super) fn turn(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    let layer = ground.scratch.join("layer");
    let Ok(mounted) = Mounted::new(Disk::new(SystemTime::now()), &layer) else {
        return Ok(Turn::Needs("the right to mount a FUSE file system"));
    };
    let tree = Tree::make(&ground.scratch.join("tree"), FILES, rng)?;
    thread::sleep(SETTLED);
    let case = Case::on_layer(ground, &layer);
    case.ends(&["collection", "add", "t", "tree", "--living", "--hold-files", "100000"], [0])?;
    case.ends(&["audit", "t"], [0])?;
    let known = mounted.disk();
    let faults = faults::inject(&tree, FAULTS, rng)?;
    thread::sleep(SETTLED);
    case.audit_to_the_end()?;
    let found = mounted.unmount()?;
    let mut space = Space { ground, case, layer, known, found, tree, faults, rng, tally };
    let mut sweeps = Sweep::ALL;
    // Where there is time for some only, it is not always the same ones.
    space.rng.shuffle(&mut sweeps);
    for sweep in sweeps {
        space.sweep(sweep)?;
    }
    Ok(if ground.has_time() { Turn::Over } else { Turn::Done })
}

struct Space<'a> {
    ground: Ground<'a>,
    /// With its catalogue on the layer.
    case: Case<'a>,
    layer: PathBuf,
    /// The catalogue before any fault was found.
    known: Disk,
    /// And after that.
    found: Disk,
    tree: Tree,
    faults: Vec<Fault>,
    rng: &'a mut Rng,
    tally: &'a mut Tally,
}

impl<'a> Space<'a> {
    /// A command for each time that it asks for room.
    fn sweep(&mut self, sweep: Sweep) -> Result<()> {
        if !self.ground.has_time() {
            return Ok(());
        }
        // How often it asks where there is room for all. It is not always the same: one more request is tried than there were.
        let (_, requests, _) = self.refused(sweep, u64::MAX >> 1)?;
        let mut points: Vec<_> = (1..=requests + 1).collect();
        self.rng.shuffle(&mut points);
        let mut said = BTreeSet::new();
        for point in points {
            if !self.ground.has_time() {
                break;
            }
            let (is_refused, _, message) = self
                .refused(sweep, point)
                .with_context(|| format!("{}, no room from request {point} on", sweep.name()))?;
            let what = match (is_refused, message) {
                (false, _) => "asked less often this time",
                (true, None) => "could do without",
                (true, Some(message)) => {
                    said.insert(message);
                    "ended for want of room"
                }
            };
            self.tally.hit(PART, &format!("{}: {what}", sweep.name()));
        }
        for message in said {
            self.tally.note(PART, &format!("{}: it said: {message}", sweep.name()), 1);
        }
        Ok(())
    }

    /// Runs a command without room from some request on, and then with room. Whether there was no room, how often it was asked for, and what
    /// was said.
    fn refused(&mut self, sweep: Sweep, point: u64) -> Result<(bool, u64, Option<String>)> {
        let (case, mounted) = self.laid_out(sweep)?;
        let before = mounted.with(|disk| {
            disk.fill_at(point);
            disk.asked()
        });
        let ended = case.run(sweep.arguments())?;
        let refused = mounted.with(Disk::free);
        let requests = mounted.with(|disk| disk.asked()) - before;
        let message = match ended.code() {
            Some(NOT_WRITTEN) => Some(self.judged_message(&ended.said(), refused)?),
            Some(0) if !sweep.finds() => None,
            // What it could do without was not worth to end for.
            Some(code) if JUDGED.contains(&code) && sweep.finds() => None,
            _ => bail!("it ended with {ended}"),
        };
        self.judge(sweep, &case, message.is_none())?;
        mounted.unmount()?;
        Ok((refused > 0, requests, message))
    }

    /// Asserts that the catalogue is whole, that what is said to be done is, and that the rest can be done now that there is room.
    fn judge(&mut self, sweep: Sweep, case: &Case<'_>, is_done: bool) -> Result<()> {
        case.verified()?;
        let copy = self.layer.join("copy.sqlite");
        match (sweep, is_done) {
            (Sweep::Audit | Sweep::Temporary, false) => case.audit_to_the_end()?,
            (Sweep::Backup, false) => {
                // With its last steps refused it may have its name, and then it is whole.
                if !copy.exists() {
                    case.ends(sweep.arguments(), [0])?;
                }
            }
            (Sweep::Accept, false) => {
                // That there is nothing left to accept is a code of its own.
                case.ends(sweep.arguments(), [0, 16])?;
            }
            (Sweep::Compact, false) => drop(case.ends(sweep.arguments(), [0])?),
            (_, true) => {}
        }
        case.judge(&self.tree, &self.faults, sweep == Sweep::Accept)?;
        if sweep == Sweep::Backup {
            let copied = case.at(copy);
            copied.verified().context("the backup")?;
            copied.judge(&self.tree, &self.faults, false).context("the backup")?;
        }
        case.audit_to_the_end()?;
        case.judge(&self.tree, &self.faults, sweep == Sweep::Accept)?;
        case.verified()?;
        self.tally.note(PART, "catalogues verified", 2);
        Ok(())
    }

    /// A catalogue that knows of the faults, or not yet, with the layer where the disk is to run full.
    fn laid_out(&self, sweep: Sweep) -> Result<(Case<'a>, Mounted)> {
        let disk = if sweep.finds() { &self.known } else { &self.found };
        if sweep != Sweep::Temporary {
            return Ok((self.case.clone(), Mounted::new(disk.clone(), &self.layer)?));
        }
        let beside = self.ground.scratch.join("beside");
        if beside.exists() {
            std::fs::remove_dir_all(&beside)?;
        }
        disk.copy_to(&beside)?;
        let mut case = self.case.at(beside.join("catalog.sqlite"));
        case.temporary.clone_from(&self.layer);
        Ok((case, Mounted::new(Disk::new(SystemTime::now()), &self.layer)?))
    }

    /// The message, if it says what is the matter: without the names of this run.
    fn judged_message(&self, said: &str, refused: u64) -> Result<String> {
        ensure!(refused > 0, "there was room, and it said: {said}");
        let message = said.lines().last().unwrap_or_default();
        // The file, as it was named, or the directory for temporary files: both lie there.
        let name = self.layer.file_name().unwrap_or_default().to_string_lossy();
        ensure!(message.contains(&*name), "it does not say where no room is: {said}");
        Ok(message.replace(&*self.ground.scratch.to_string_lossy(), ""))
    }
}
