//! Has the whole machine forget what its caches hold. Takes root, and makes everything else on the machine slow for a while:
//! only at the user's word.

use std::io;

/// What is forgotten, by the numbers of `/proc/sys/vm/drop_caches`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCaches {
    /// The page cache (1).
    Pages,
    /// Names and inodes (2).
    Inodes,
    /// Both (3).
    All,
}

impl DropCaches {
    /// What it is asked of.
    pub const FILE: &'static str = "/proc/sys/vm/drop_caches";

    /// By its number.
    pub fn of(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Pages),
            2 => Some(Self::Inodes),
            3 => Some(Self::All),
            _ => None,
        }
    }

    /// Its number.
    pub fn number(self) -> u8 {
        match self {
            Self::Pages => 1,
            Self::Inodes => 2,
            Self::All => 3,
        }
    }

    /// Whether this process may; forgets nothing.
    ///
    /// # Errors
    /// Why it may not.
    pub fn try_rights() -> io::Result<()> {
        std::fs::OpenOptions::new().write(true).open(Self::FILE).map(drop)
    }

    /// Forgets. What is not yet on a device is brought there before: it could not be forgotten.
    ///
    /// # Errors
    /// What the system says: the right is missing.
    pub(crate) fn drop_now(self) -> io::Result<()> {
        rustix::fs::sync();
        std::fs::write(Self::FILE, self.number().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_kernel() {
        for number in 1..=3 {
            assert_eq!(DropCaches::of(number).map(DropCaches::number), Some(number));
        }
        assert_eq!([0, 4].map(DropCaches::of), [None, None]);
    }
}
