//! What a command line of the hashdeep family asks for.

use std::ffi::OsString;
use std::num::NonZeroU64;

use hashlane_digest::Algorithm;

use super::known::Known;

/// All that a command line says.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) family: Family,
    /// What is computed, in the order of the columns.
    pub(super) algorithms: Vec<Algorithm>,
    pub(super) mode: Mode,
    pub(super) known: Known,
    pub(super) files: Files,
    pub(super) lines: Lines,
    /// The file that results go to.
    pub(super) output: Option<OsString>,
    /// Number of threads, where it was said.
    pub(super) threads: Option<usize>,
    /// How often `-v` was said.
    pub(super) verbose: u32,
    /// Whether old quirks are to be as they were (`--as-is`).
    pub(super) as_is: bool,
}

/// Which of the two command lines it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// `hashdeep`.
    Hashdeep,
    /// `md5deep` and its kin, each with its algorithm.
    Single(Algorithm),
}

/// What is done with digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Compute,
    /// Files that are known, or with `negative` those that are not.
    Match {
        negative: bool,
    },
    Audit,
}

/// Which files are read.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) operands: Vec<OsString>,
    /// A list of names (`-f`).
    pub(super) list: Option<OsString>,
    pub(super) recursive: bool,
    /// Names are as they were typed (`-l`).
    pub(super) relative: bool,
    /// Only files of these kinds (`-o`).
    pub(super) kinds: Option<Kinds>,
    /// Larger files are not read (`-i`, `-I`).
    pub(super) threshold: Option<u64>,
    /// Larger files are listed with stars for digests (`-I`).
    pub(super) stars: bool,
    /// Files are read in pieces of this size (`-p`).
    pub(super) piece: Option<NonZeroU64>,
    /// The first 512 bytes have a digest of their own (`-Z`).
    pub(super) triage: bool,
}

/// Kinds of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) regular: bool,
    pub(super) symlink: bool,
    pub(super) block: bool,
    pub(super) character: bool,
    pub(super) pipe: bool,
    pub(super) socket: bool,
    /// Programs of Windows, by their content.
    pub(super) windows: bool,
}

/// What lines look like.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// No directories before names (`-b`).
    pub(super) bare: bool,
    /// Matching files are shown with their digests (`-M`, `-X`).
    pub(super) digests_of_matches: bool,
    /// And with what they match (`-w`).
    pub(super) show_matched: bool,
    /// Known files that nothing matched are shown instead of files (`-n`).
    pub(super) show_unmatched: bool,
    pub(super) ignore_case: bool,
    pub(super) csv: bool,
    pub(super) size: bool,
    pub(super) time: bool,
    pub(super) asterisk: bool,
    /// Digests without names (`-q`).
    pub(super) quiet: bool,
}

impl Files {
    /// Whether each file has to be looked at before it is read, or read in a way of its own.
    pub(super) fn one_by_one(&self) -> bool {
        self.threshold.is_some() || self.reads_itself() || self.kinds.is_some_and(|kinds| !kinds.are_plain())
    }

    /// Whether files are read one after the other, in pieces or with something beside.
    pub(super) fn reads_itself(&self) -> bool {
        self.piece.is_some() || self.triage || self.stars
    }
}

impl Kinds {
    /// Whether they are the kinds that a walk of the engine finds: files, and what links lead to.
    pub(super) fn are_plain(self) -> bool {
        let Self { regular, symlink, .. } = self;
        regular && self == Self { regular, symlink, ..Self::default() }
    }
}
