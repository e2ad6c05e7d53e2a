//! How much of a collection was lost or changed in one night: what an audit has to be held for, and what it may be.
//!
//! Owns the two bounds. Between them either answer is right.

use std::collections::BTreeMap;

use hashlane_catalog::Policy;

use super::super::ground::Disk;
use super::elsewhere::Elsewhere;
use super::expect::stood;
use super::origins::{has_changed, has_facts};
use super::times::are_alike;
use super::{Bytes, Evening, Known, Listed, Name, Readings, Truth};

/// A directory that is empty, and was not with this many files, was emptied.
const CROWD: usize = 10;

/// What one night has shown for certain, in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Losses {
    /// Gone, emptied, older or unreadable.
    lost: u64,
    /// Changed otherwise, where that is a finding, and where it is accepted.
    changed: u64,
    edited: u64,
}

/// What a night says of holding its audit.
pub(in super::super) struct Alarm {
    /// It has to be held, for this.
    pub(in super::super) must: Option<String>,
    /// The most files that may count.
    pub(in super::super) most: u64,
    /// A directory may have lost all of its files.
    pub(in super::super) may_be_emptied: bool,
}

impl Truth {
    /// What an audit has to be held for. `hold`: how many files may be lost at least.
    pub(in super::super) fn alarm(&self, evening: &Evening<'_>, hold: u64, disk: &Disk) -> Alarm {
        let readings = self.readings(evening);
        // What is new and cannot be read counts as well.
        let failed =
            readings.iter().filter(|(path, of)| self.known(path).is_none() && (of.failed || of.unstable));
        let (mut losses, mut most) = (Losses::default(), failed.count() as u64);
        let (mut emptied, mut gone): (BTreeMap<&str, usize>, _) = (BTreeMap::new(), 0);
        for (path, name) in self.names.iter().filter(|(path, _)| self.takes(path)) {
            let Some(known) = &name.known else { continue };
            let Some(listed) = evening.listed.get(path) else {
                most += 1;
                // What has its number and looks like it is the same file, under another name.
                gone += usize::from(!evening.listed.values().any(|listed| has_facts(known, listed)));
                if self.is_lost(evening, &readings, (path, name, known)) {
                    losses.lost += 1;
                    let above = above(path).find(|directory| disk.has_directory(directory));
                    *emptied.entry(above.unwrap_or_default()).or_default() += 1;
                }
                continue;
            };
            let of = readings.get(path.as_str());
            most += u64::from(may_count(name, known, listed, of));
            if let Some(of) = of {
                self.add(&mut losses, evening, &readings, (path, name, known, listed), of);
            }
        }
        let files = evening.listed.len() as u64;
        let (allowed, tenth, half) = (hold.max(files / 100), hold.max(files / 10), hold.max(files / 2));
        let is_empty = |directory: &str| !directory.is_empty() && !disk.has_files_below(directory);
        let emptied = emptied.into_iter().find(|(directory, gone)| *gone >= CROWD && is_empty(directory));
        let must = match losses {
            Losses { lost, .. } if lost > allowed => Some(format!("{lost} files are lost")),
            Losses { changed, .. } if changed > tenth => Some(format!("{changed} files have changed")),
            Losses { edited, .. } if edited > half => Some(format!("{edited} files were edited")),
            _ => emptied.map(|(directory, gone)| format!("{directory} has lost all of its {gone} files")),
        };
        // What was certainly edited is not a loss. It counts only where there is too much of that alone.
        let unsure = most.saturating_sub(losses.changed + losses.edited);
        if losses.changed + unsure <= tenth && losses.edited + unsure <= half {
            most = unsure;
        }
        Alarm { must, most, may_be_emptied: gone >= CROWD }
    }

    /// Whether a file that is known, and was not missed so far, is nowhere.
    fn is_lost(
        &self,
        evening: &Evening<'_>,
        readings: &BTreeMap<&str, Readings>,
        (path, name, known): (&str, &Name, &Known),
    ) -> bool {
        let is_missed = !name.is_loose && !name.is_unaccepted && name.also.is_empty() && !name.is_replaced();
        is_missed
            && name.stands.is_none()
            && !known.bytes.is_empty()
            && !self.may_grow(path)
            && self.elsewhere((evening, readings), path, known, name) == Elsewhere::No
    }

    /// Adds what the readings of a file have shown for certain.
    fn add(
        &self,
        losses: &mut Losses,
        evening: &Evening<'_>,
        readings: &BTreeMap<&str, Readings>,
        (path, name, known, listed): (&str, &Name, &Known, &Listed),
        of: &Readings,
    ) {
        let is_plain = stood(name).is_none() && name.also.is_empty() && !name.is_replaced() && !name.is_loose;
        if !is_plain {
            return;
        }
        let [bytes] = &of.contents[..] else {
            losses.lost += u64::from(of.contents.is_empty() && (of.failed || of.unstable));
            return;
        };
        let is_clear = !self.may_grow(path)
            && !are_alike(known.modified, listed.modified)
            && *bytes != known.bytes
            && self.linked(listed, path).is_none()
            && self.renamed_from(evening, path, listed).is_none()
            && self.damage_of((evening, readings), path, bytes).is_none();
        if !is_clear {
            return;
        }
        let counter = match self.policy(path) {
            _ if bytes.is_empty() || listed.modified < known.modified => &mut losses.lost,
            Policy::Living => &mut losses.edited,
            _ => &mut losses.changed,
        };
        *counter += 1;
    }
}

/// Whether a file that is there may count for anything.
fn may_count(name: &Name, known: &Known, listed: &Listed, of: Option<&Readings>) -> bool {
    let is_other = |bytes: &Bytes| *bytes != known.bytes;
    has_changed(known, listed)
        || name.is_replaced()
        || !name.also.is_empty()
        || known.number != listed.number
        || of.is_some_and(|of| of.failed || of.unstable || of.contents.iter().any(is_other))
}

/// The directories above a name, the nearest one first.
fn above(name: &str) -> impl Iterator<Item = &str> {
    name.rmatch_indices('/').map(|(end, _)| &name[..end])
}
