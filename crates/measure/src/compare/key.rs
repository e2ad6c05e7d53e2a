//! What makes cells of two machines comparable.

use std::fmt;

use crate::cell::Cell;

/// What was measured, machines aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A cell of ours.
    Ours(Box<OurKey>),
    /// What another program calls it.
    Named(String),
}

/// All but the number of cores, the backend, its lanes and the size of the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OurKey {
    /// The cell without what differs.
    cell: Cell,
    all_cores: bool,
}

impl OurKey {
    /// The key of a cell on a machine with so many cores.
    pub(super) fn of(cell: &Cell, cores: usize) -> Self {
        let all_cores = cell.threads > 1 && cell.threads == cores;
        let cell = Cell {
            backend: None,
            threads: 1,
            // With all cores at work the depth is theirs.
            depth: cell.depth.filter(|_| !all_cores),
            input_bytes: None,
            // How wide its lanes are is a property of a machine, as its backend is.
            messages: cell.messages.map(|messages| messages.min(2)),
            ..cell.clone()
        };
        Self { cell, all_cores }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours(key) => {
                key.cell.write_what(f)?;
                f.write_str(if key.all_cores { ", all cores" } else { ", one core" })
            }
            Self::Named(name) => f.write_str(name),
        }
    }
}
