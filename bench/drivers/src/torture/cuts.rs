//! The power is cut under a catalogue, at random moments of every command that writes to it.
//!
//! The catalogue lies on the [layer](super::layer). While a command runs, the disk is copied at moments that chance chooses, and once
//! more when the command has ended. A cut takes such a copy, drops and tears what was not synced, and puts the rest into a directory:
//! there the catalogue is to be whole, to have what was acknowledged before, and to be gone on with. So one command has as many cuts as
//! are asked for. Once for each command the process is killed as well, and the catalogue is opened on the layer that was mounted anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;

use super::case::{Case, Ground, SETTLED, kill};
use super::disk::{Disk, Lost, Mercy};
use super::faults::{self, Fault};
use super::hold::Held;
use super::layer::Mounted;
use super::tally::{Part, Tally, Turn};
use super::tree::Tree;

const PART: Part = Part::Cuts;

const FILES: usize = 220;
const FAULTS: usize = 40;

/// Cuts in the midst of a command, and after its end.
const DURING: usize = 9;
const AFTER: usize = 3;

/// Cuts of a device that lies about its syncs, each of them is to be noticed.
const LIES: u64 = 6;

/// A command that writes to the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Add,
    Import,
    FirstAudit,
    /// After files were tampered with.
    Audit,
    Backup,
    Compact,
    Accept,
    Restore,
}

impl Step {
    const BEFORE_FAULTS: [Self; 3] = [Self::Add, Self::Import, Self::FirstAudit];
    const WITH_FAULTS: [Self; 5] = [Self::Audit, Self::Backup, Self::Compact, Self::Accept, Self::Restore];

    fn name(self) -> &'static str {
        match self {
            Self::Add => "making a catalogue",
            Self::Import => "importing",
            Self::FirstAudit => "the first audit",
            Self::Audit => "an audit with faults",
            Self::Backup => "a backup",
            Self::Compact => "compacting",
            Self::Accept => "accepting",
            Self::Restore => "restoring",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Add => &["collection", "add", "t", "tree", "--living", "--hold-files", "100000"],
            Self::Import => &["collection", "import", "t", "list"],
            Self::FirstAudit | Self::Audit => &["audit", "t"],
            Self::Backup => &["catalog", "backup", "layer/copy.sqlite"],
            Self::Compact => &["catalog", "compact"],
            Self::Accept => &["accept", "t", "--verdict", "missing", "--reason", "torture"],
            Self::Restore => &["catalog", "restore", "layer/copy.sqlite"],
        }
    }

    /// How it ends.
    fn codes(self) -> std::ops::Range<i32> {
        match self {
            Self::Audit => 1..32,
            _ => 0..1,
        }
    }
}

/// When the power is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    During,
    After,
}

/// Cuts the power over one tree.
pub(super) fn turn(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    let layer = ground.scratch.join("layer");
    let Ok(mounted) = Mounted::new(Disk::new(SystemTime::now()), &layer) else {
        return Ok(Turn::Needs("the right to mount a FUSE file system"));
    };
    let case = Case::on_layer(ground, &layer);
    let tree = Tree::make(&ground.scratch.join("tree"), FILES, rng)?;
    let listed = FILES / 2;
    fs::write(ground.scratch.join("list"), tree.list(Some(listed))?)?;
    thread::sleep(SETTLED);
    let mut cuts = Cuts {
        ground,
        case,
        layer,
        mounted: Some(mounted),
        tree,
        listed,
        is_imported: false,
        faults: Vec::new(),
        rng,
        tally,
    };
    if cuts.tally.turns(PART) == 0 {
        cuts.lies()?;
    }
    for step in Step::BEFORE_FAULTS {
        // Not every catalogue begins with a list.
        if step != Step::Import || cuts.rng.bool() {
            cuts.step(step)?;
        }
    }
    cuts.faults = faults::inject(&cuts.tree, FAULTS, cuts.rng)?;
    thread::sleep(SETTLED);
    for step in Step::WITH_FAULTS {
        if ground.has_time() {
            cuts.step(step)?;
        }
    }
    cuts.tally.note(PART, "trees", 1);
    Ok(Turn::Done)
}

struct Cuts<'a> {
    ground: Ground<'a>,
    case: Case<'a>,
    layer: PathBuf,
    /// Nothing while it is mounted anew.
    mounted: Option<Mounted>,
    tree: Tree,
    /// How many files the list has.
    listed: usize,
    is_imported: bool,
    faults: Vec<Fault>,
    rng: &'a mut Rng,
    tally: &'a mut Tally,
}

impl Cuts<'_> {
    fn mounted(&self) -> Result<&Mounted> {
        self.mounted.as_ref().context("the layer is mounted")
    }

    /// Puts another disk into the place of the one that is mounted.
    fn mount(&mut self, disk: Disk) -> Result<()> {
        if let Some(mounted) = self.mounted.take() {
            mounted.unmount().context("the layer cannot be unmounted")?;
        }
        self.mounted = Some(Mounted::new(disk, &self.layer)?);
        Ok(())
    }

    /// Runs a command, and cuts the power during it and after it.
    fn step(&mut self, step: Step) -> Result<()> {
        let before = self.mounted()?.disk();
        // The last one who closes a catalogue brings the log into it, and syncs both. Where another one has it open, nobody does.
        let is_open_elsewhere = step != Step::Add && self.rng.bool();
        let other = is_open_elsewhere.then(|| Held::open(&self.case.catalogue)).transpose()?;
        let rng = self.rng.fork();
        self.mounted()?.take(DURING, rng);
        let began = Instant::now();
        self.case.ends(step.arguments(), step.codes())?;
        let took = began.elapsed();
        let (copies, moments) = self.mounted()?.taken();
        let after = self.mounted()?.disk();
        if let Some(other) = other {
            other.close()?;
        }
        self.tally.note(
            PART,
            "commands beside which another one had the catalogue open",
            is_open_elsewhere.into(),
        );
        ensure!(moments > 10, "{}: only {moments} changes reached the disk", step.name());
        self.tally.note(PART, "moments to choose from", moments as u64);
        let cuts = copies.iter().map(|disk| (disk, Moment::During));
        let cuts = cuts.chain(std::iter::repeat_n((&after, Moment::After), AFTER));
        for (disk, moment) in cuts {
            if !self.ground.has_time() {
                break;
            }
            self.cut(step, moment, disk).with_context(|| format!("{}, {moment:?}", step.name()))?;
        }
        self.kill(step, before, took).with_context(|| format!("{}, killed", step.name()))?;
        self.is_imported |= step == Step::Import;
        self.mount(after)
    }

    /// Cuts the power of a copy of the disk, and judges what is left of it in a directory.
    fn cut(&mut self, step: Step, moment: Moment, disk: &Disk) -> Result<()> {
        let place = self.ground.scratch.join("cut");
        let (after, lost) = disk.cut(Mercy::any(self.rng), self.rng);
        after.copy_to(&place)?;
        self.judge(step, moment, &place)?;
        self.count(step, lost);
        fs::remove_dir_all(place)?;
        Ok(())
    }

    /// Kills the command while it runs, cuts the power, and judges what is left on the layer itself.
    fn kill(&mut self, step: Step, before: Disk, took: Duration) -> Result<()> {
        self.mount(before)?;
        let mut child = self.case.command(step.arguments()).spawn()?;
        thread::sleep(took.mul_f64(self.rng.f64()));
        // The power goes at once: what the kernel does when a process ends comes too late.
        let disk = self.mounted()?.disk();
        let moment = if kill(&mut child)? { Moment::During } else { Moment::After };
        let disk = if moment == Moment::After { self.mounted()?.disk() } else { disk };
        let (after, lost) = disk.cut(Mercy::any(self.rng), self.rng);
        self.mount(after)?;
        let layer = self.layer.clone();
        self.judge(step, moment, &layer)?;
        self.count(step, lost);
        self.tally.note(PART, "judged on the layer itself", 1);
        Ok(())
    }

    fn count(&mut self, step: Step, lost: Lost) {
        self.tally.hit(PART, &format!("cut during or after {}", step.name()));
        self.tally.note(PART, "cuts that dropped something", u64::from(lost.dropped > 0));
        self.tally.note(PART, "cuts that tore something", u64::from(lost.torn > 0));
        self.tally.note(PART, "changes dropped", lost.dropped);
        self.tally.note(PART, "writes torn", lost.torn);
    }

    /// Judges what a cut has left in a directory: what was acknowledged is there, and all goes on.
    fn judge(&mut self, step: Step, moment: Moment, place: &Path) -> Result<()> {
        let case = self.case.at(place.join("catalog.sqlite"));
        let is_over = moment == Moment::After;
        ensure!(
            case.catalogue.exists() || step == Step::Add && !is_over,
            "there is no catalogue, though something was acknowledged"
        );
        let catalog = case.verified()?;
        self.tally.note(PART, "catalogues verified", 1);
        match catalog.collection("t") {
            Ok(_) => {}
            Err(_) if step == Step::Add && !is_over => drop(case.ends(step.arguments(), [0])?),
            Err(error) => return Err(error).context("the collection was acknowledged"),
        }
        drop(catalog);
        self.is_as_acknowledged(step, is_over, &case, place)?;
        case.audit_to_the_end()?;
        case.judge(&self.tree, &self.faults, self.accepted(step, &case)?)?;
        if Step::BEFORE_FAULTS.contains(&step) {
            case.is_known(&self.tree.names())?;
        }
        let catalog = case.verified();
        catalog.map(drop).context("after the next audit")
    }

    /// Asserts that what a command did is all there if it has ended, and that what those before it did is in any case.
    fn is_as_acknowledged(&self, step: Step, is_over: bool, case: &Case<'_>, place: &Path) -> Result<()> {
        match step {
            Step::Import if is_over => case.is_known(&self.tree.names()[..self.listed])?,
            Step::FirstAudit if is_over => case.is_known(&self.tree.names())?,
            Step::FirstAudit if self.is_imported => {
                let known = case.known()?;
                let listed = &self.tree.names()[..self.listed];
                ensure!(listed.iter().all(|name| known.contains(name)), "what was imported is lost");
            }
            Step::Audit if !is_over => {}
            Step::Audit | Step::Backup | Step::Compact | Step::Accept | Step::Restore => {
                let is_accepted = self.accepted(step, case)?;
                ensure!(step != Step::Accept || !is_over || is_accepted, "what was accepted is lost");
                ensure!(step != Step::Restore || !is_over || !is_accepted, "what was restored is lost");
                case.judge(&self.tree, &self.faults, is_accepted)?;
            }
            _ => {}
        }
        let copy = place.join("copy.sqlite");
        let is_copied =
            step == Step::Backup && is_over || matches!(step, Step::Compact | Step::Accept | Step::Restore);
        ensure!(copy.exists() || !is_copied, "the backup was acknowledged, and is not there");
        if copy.exists() && matches!(step, Step::Backup | Step::Accept) {
            // As it is: what a program that opens it makes beside it is not to be taken for its own.
            let apart = self.ground.scratch.join("apart");
            fs::create_dir_all(&apart)?;
            fs::copy(&copy, apart.join("copy.sqlite"))?;
            let copied = case.at(apart.join("copy.sqlite"));
            copied.verified().context("the backup")?;
            copied.judge(&self.tree, &self.faults, false).context("the backup")?;
            fs::remove_dir_all(apart)?;
        }
        Ok(())
    }

    /// Whether the files that are gone were accepted, in a catalogue where some of them may have been.
    fn accepted(&self, step: Step, case: &Case<'_>) -> Result<bool> {
        let gone = self.faults.iter().find(|fault| fault.kind == faults::Kind::Removed);
        match gone {
            Some(gone) if matches!(step, Step::Accept | Step::Restore) => {
                Ok(case.events(gone.path())?.iter().any(|event| event == "accepted"))
            }
            _ => Ok(false),
        }
    }

    /// Tests the test: a device that does not sync loses what was acknowledged, and each cut is to show it.
    fn lies(&mut self) -> Result<()> {
        let empty = self.mounted()?.disk();
        self.mounted()?.with(Disk::deafen);
        for step in [Step::Add, Step::FirstAudit] {
            self.case.ends(step.arguments(), step.codes())?;
        }
        let disk = self.mounted()?.disk();
        for _ in 0..LIES {
            let place = self.ground.scratch.join("lie");
            let (after, _) = disk.cut(Mercy { kept: 0.5, torn: 0.1 }, self.rng);
            after.copy_to(&place)?;
            ensure!(
                self.judge(Step::FirstAudit, Moment::After, &place).is_err(),
                "the device lied about what it had synced, and nothing was noticed"
            );
            self.tally.note(PART, "lies of a device noticed", 1);
            fs::remove_dir_all(place)?;
        }
        self.mount(empty)
    }
}
