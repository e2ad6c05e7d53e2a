//! What is done to the files of a tree, and what an audit is to say of it.

use std::fs;
use std::time::SystemTime;

use anyhow::{Context, Result};
use fastrand::Rng;

use super::tree::{Tree, set_time};
use crate::damage;

/// Something that was done to a file.
pub(super) struct Fault {
    pub(super) kind: Kind,
    path: String,
    /// Where it is now, if it was renamed.
    to: Option<String>,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bit was flipped, and the time set back.
    Flipped,
    /// It was cut off, and the time set back.
    CutOff,
    /// Another content under a new time.
    Edited,
    /// A new time.
    Touched,
    Removed,
    /// To another name, in another directory.
    Renamed,
    /// Nothing was there before.
    Added,
}

/// What an audit is to say of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) events: &'static [&'static str],
    pub(super) standing: Option<&'static str>,
    pub(super) versions: usize,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Flipped, Self::CutOff, Self::Edited, Self::Touched, Self::Removed, Self::Renamed, Self::Added];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Flipped => "flipped bits",
            Self::CutOff => "cut off",
            Self::Edited => "edited",
            Self::Touched => "touched",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
            Self::Added => "added",
        }
    }
}

impl Fault {
    /// Where it was, or is new.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// What is to be said, by path. `is_accepted`: a file that is gone was accepted to be.
    pub(super) fn expected(&self, is_accepted: bool) -> Vec<(&str, Expected)> {
        let of = |events, standing, versions| Expected { events, standing, versions };
        let path = self.path.as_str();
        match (self.kind, &self.to) {
            (Kind::Flipped | Kind::CutOff, _) => vec![(path, of(&["corrupt"], Some("corrupt"), 0))],
            // It is dated back, so that it is named when it is accepted.
            (Kind::Edited, _) => vec![(path, of(&["changed"], None, 1))],
            (Kind::Touched, _) => vec![(path, of(&[], None, 1))],
            (Kind::Removed, _) if is_accepted => vec![(path, of(&["missing", "accepted"], None, 0))],
            (Kind::Removed, _) => vec![(path, of(&["missing"], Some("missing"), 0))],
            (Kind::Renamed, Some(to)) => {
                vec![(path, of(&["moved-away"], None, 0)), (to, of(&["moved"], None, 0))]
            }
            (Kind::Renamed | Kind::Added, _) => vec![(path, of(&[], None, 0))],
        }
    }
}

/// Does something to some of the files.
pub(super) fn inject(tree: &Tree, number: usize, rng: &mut Rng) -> Result<Vec<Fault>> {
    let mut names = tree.names();
    rng.shuffle(&mut names);
    let mut faults = Vec::with_capacity(number);
    for (number, name) in names.into_iter().take(number).enumerate() {
        let kind = Kind::ALL[rng.usize(..Kind::ALL.len())];
        faults.push(one(tree, kind, name, number, rng)?);
    }
    Ok(faults)
}

fn one(tree: &Tree, kind: Kind, name: String, number: usize, rng: &mut Rng) -> Result<Fault> {
    let path = tree.root.join(&name);
    let length = fs::metadata(&path)?.len();
    let (mut path_of, mut to) = (name, None);
    match kind {
        Kind::Flipped => {
            let (byte, bit) = (rng.u64(..length), rng.u32(..8));
            damage::keeping_time(&path, |path| damage::flip(path, byte, bit))?;
        }
        Kind::CutOff => {
            let length = rng.u64(..length);
            damage::keeping_time(&path, |path| damage::cut_off(path, length))?;
        }
        Kind::Edited => {
            fs::write(&path, format!("edited {number} {}", rng.u64(..)))?;
            set_time(&path, SystemTime::UNIX_EPOCH)?;
        }
        Kind::Touched => set_time(&path, SystemTime::UNIX_EPOCH)?,
        Kind::Removed => fs::remove_file(&path)?,
        Kind::Renamed => {
            let name = format!("d/{}/moved-{number}", rng.u32(..9));
            damage::rename(&path, &tree.root.join(&name))?;
            to = Some(name);
        }
        Kind::Added => {
            path_of = format!("e/{}/new-{number}", rng.u32(..9));
            let place = tree.root.join(&path_of);
            fs::create_dir_all(place.parent().context("it lies in a directory")?)?;
            fs::write(place, format!("new {number} {}", rng.u64(..)))?;
        }
    }
    Ok(Fault { kind, path: path_of, to })
}
