//! The variants of xxHash.

use hashlane_digest::Algorithm;

/// A variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XxhAlgorithm {
    Xxh32,
    Xxh64,
    Xxh128,
    Xxh3,
}

impl XxhAlgorithm {
    /// The one of a program's name; none for one that leaves the choice to its options.
    pub(super) fn of(program: &str) -> Option<Self> {
        Some(match program {
            "xxh32sum" => Self::Xxh32,
            "xxh64sum" => Self::Xxh64,
            "xxh128sum" => Self::Xxh128,
            "xxh3sum" => Self::Xxh3,
            _ => return None,
        })
    }

    /// The one of a number, as `-H` takes it.
    pub(super) fn numbered(number: u32) -> Option<Self> {
        Some(match number {
            0 | 32 => Self::Xxh32,
            1 | 64 => Self::Xxh64,
            2 | 128 => Self::Xxh128,
            3 => Self::Xxh3,
            _ => return None,
        })
    }

    /// Its number.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Xxh32 => 0,
            Self::Xxh64 => 1,
            Self::Xxh128 => 2,
            Self::Xxh3 => 3,
        }
    }

    /// What it is called in tagged lines.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Xxh32 => "XXH32",
            Self::Xxh64 => "XXH64",
            Self::Xxh128 => "XXH128",
            Self::Xxh3 => "XXH3",
        }
    }

    /// What stands before a digest in lines without tags: that of XXH3 is as long as that of XXH64.
    pub(super) fn prefix(self) -> &'static [u8] {
        if self == Self::Xxh3 { b"XXH3_" } else { b"" }
    }

    /// How long its digests are, in bytes.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Xxh32 => 4,
            Self::Xxh64 | Self::Xxh3 => 8,
            Self::Xxh128 => 16,
        }
    }

    /// The algorithm.
    pub(super) fn algorithm(self) -> Algorithm {
        let name = match self {
            Self::Xxh32 => "xxh32",
            Self::Xxh64 => "xxh64",
            Self::Xxh128 => "xxh128",
            Self::Xxh3 => "xxh3",
        };
        Algorithm::named(name).expect("the algorithm is registered")
    }
}
