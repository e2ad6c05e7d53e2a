//! What makes cells of two machines comparable.

use std::fmt;

use crate::cell::{Cell, Stage};

/// What was measured, machines aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A cell of ours.
    Ours(Box<OurKey>),
    /// What another program calls it.
    Named(String),
}

/// All but the number of cores where all are at work, the backend, its lanes, and the size of the input where nothing else
/// distinguishes two cells of one run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OurKey {
    /// The cell without what differs.
    cell: Cell,
    all_cores: bool,
}

impl OurKey {
    /// The key of a cell on a machine with `cores` cores.
    pub(super) fn of(cell: &Cell, cores: usize) -> Self {
        let all_cores = cell.threads > 1 && cell.threads == cores;
        let cell = Cell {
            backend: None,
            threads: if all_cores { 1 } else { cell.threads },
            // With all cores at work the depth is theirs.
            depth: cell.depth.filter(|_| !all_cores),
            // Of one program there are cells of several sizes; where there are copies, those tell them apart.
            input_bytes: cell.input_bytes.filter(|_| cell.stage == Stage::Program && cell.copies.is_none()),
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
                match key.cell.threads {
                    _ if key.all_cores => f.write_str(", all cores"),
                    1 => f.write_str(", one core"),
                    threads => write!(f, ", {threads} threads"),
                }
            }
            Self::Named(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_alike_where_they_are_all_cores_or_as_many() {
        let key = |threads, cores| OurKey::of(&Cell { threads, ..Cell::new(Stage::Read) }, cores);
        assert_eq!(key(2, 2), key(8, 8));
        assert_eq!(key(1, 1), key(1, 8));
        assert_ne!(key(1, 8), key(4, 8));
        assert_ne!(key(4, 8), key(4, 4));
        assert_eq!(Key::Ours(Box::new(key(4, 8))).to_string(), "read, 4 threads");
    }
}
