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

/// What runs full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Catalogue,
    Temporary,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Catalogue => "the catalogue's disk",
            Self::Temporary => "the disk for temporary files",
        }
    }
}

/// Tries all requests for room of an audit, in any order: the disk of the catalogue, then that of temporary files.
pub(super) fn turn(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    let layer = ground.scratch.join("layer");
    let Ok(mounted) = Mounted::new(Disk::new(SystemTime::now()), &layer) else {
        return Ok(Turn::Needs("the right to mount a FUSE file system"));
    };
    let tree = Tree::make(&ground.scratch.join("tree"), FILES, rng)?;
    thread::sleep(SETTLED);
    let case = Case::new(ground).at(layer.join("catalog.sqlite"));
    case.ends(&["collection", "add", "t", "tree", "--hold-files", "100000"], [0])?;
    case.ends(&["audit", "t"], [0])?;
    let known = mounted.unmount()?;
    let faults = faults::inject(&tree, FAULTS, rng)?;
    thread::sleep(SETTLED);
    let mut space = Space { ground, case, layer, known, tree, faults, rng, tally };
    space.sweep(Place::Catalogue)?;
    space.sweep(Place::Temporary)?;
    Ok(if ground.has_time() { Turn::Over } else { Turn::Done })
}

struct Space<'a> {
    ground: Ground<'a>,
    /// With its catalogue on the layer.
    case: Case<'a>,
    layer: PathBuf,
    /// The catalogue before any fault was found.
    known: Disk,
    tree: Tree,
    faults: Vec<Fault>,
    rng: &'a mut Rng,
    tally: &'a mut Tally,
}

impl Space<'_> {
    /// An audit for each time that it asks for room.
    fn sweep(&mut self, place: Place) -> Result<()> {
        // How often it asks where there is room for all. It is not always the same: one more fault is tried than there were.
        let (_, requests, _) = self.audit(place, u64::MAX >> 1)?;
        let mut points: Vec<_> = (1..=requests + 1).collect();
        self.rng.shuffle(&mut points);
        let mut said = BTreeSet::new();
        for point in points {
            if !self.ground.has_time() {
                break;
            }
            let (is_refused, _, message) = self
                .audit(place, point)
                .with_context(|| format!("no room from request {point} on, on {}", place.name()))?;
            let what = match (is_refused, message) {
                (false, _) => "audits that asked less often",
                (true, None) => "audits that could do without",
                (true, Some(message)) => {
                    said.insert(message);
                    "audits that ended for want of it"
                }
            };
            self.tally.hit(PART, &format!("{}: {what}", place.name()));
        }
        for message in said {
            self.tally.note(PART, &format!("ways to say it, such as: {message}"), 1);
        }
        Ok(())
    }

    /// Audits without room from some request on, then with room. Whether there was no room, how often it was asked for, and what
    /// was said.
    fn audit(&mut self, place: Place, point: u64) -> Result<(bool, u64, Option<String>)> {
        let (case, mounted) = self.laid_out(place)?;
        let before = mounted.with(|disk| {
            disk.fill_at(point);
            disk.asked()
        });
        let ended = case.run(&["audit", "t"])?;
        let refused = mounted.with(Disk::free);
        let requests = mounted.with(|disk| disk.asked()) - before;
        let said = ended.said();
        let message = match ended.code() {
            Some(NOT_WRITTEN) => Some(self.judged_message(&said, refused)?),
            // What it could do without was not worth to end for; all the same it has done all.
            Some(code) if JUDGED.contains(&code) => {
                case.judge(&self.tree, &self.faults, false).context("it ended as if all was well")?;
                None
            }
            _ => bail!("it ended with {ended}"),
        };
        case.verified()?;
        case.audit_to_the_end()?;
        case.judge(&self.tree, &self.faults, false)?;
        case.verified()?;
        self.tally.note(PART, "catalogues verified", 2);
        mounted.unmount()?;
        Ok((refused > 0, requests, message))
    }

    /// A catalogue that knows nothing of the faults, with the layer where the disk is to run full.
    fn laid_out(&self, place: Place) -> Result<(Case<'_>, Mounted)> {
        match place {
            Place::Catalogue => Ok((self.case.clone(), Mounted::new(self.known.clone(), &self.layer)?)),
            Place::Temporary => {
                let beside = self.ground.scratch.join("beside");
                if beside.exists() {
                    std::fs::remove_dir_all(&beside)?;
                }
                self.known.copy_to(&beside)?;
                let mut case = self.case.at(beside.join("catalog.sqlite"));
                case.temporary.clone_from(&self.layer);
                Ok((case, Mounted::new(Disk::new(SystemTime::now()), &self.layer)?))
            }
        }
    }

    /// The message, if it says what is the matter: without the names of this run.
    fn judged_message(&self, said: &str, refused: u64) -> Result<String> {
        ensure!(refused > 0, "there was room, and it said: {said}");
        let message = said.lines().last().unwrap_or_default();
        let names_it = ["catalogue", "catalog.sqlite", "temporary file"];
        ensure!(names_it.iter().any(|name| message.contains(name)), "it does not say what is full: {said}");
        Ok(message.replace(&*self.ground.scratch.to_string_lossy(), ""))
    }
}
