//! What is found in a bag: verdicts on its files, and what is wrong with itself.

use hashlane_audit::Verdict as Judged;
use hashlane_digest::Digest;
use hashlane_engine::Taken;

/// The judgement on a file, or on what a tag file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every digest is as listed.
    Ok,
    /// There, and not read: of a quick check.
    Present,
    /// A digest or a size is another than listed.
    Mismatch,
    /// One digest is as listed, another is not.
    Collision,
    /// Listed, and not there.
    Missing,
    /// There, and in no manifest.
    Extra,
    /// It could not be read.
    Unreadable,
    /// It changed while it was read.
    Unstable,
    /// Not as the specification demands.
    Invalid,
    /// As it may be, and worth a word.
    Warning,
}

impl Verdict {
    /// That of a content that was read.
    pub(crate) fn of_content(verdict: Judged) -> Self {
        match verdict {
            Judged::Ok => Self::Ok,
            Judged::Collision => Self::Collision,
            _ => Self::Mismatch,
        }
    }

    /// What a list that says the same would have it judged; nothing where nothing was judged, or nothing is wrong.
    pub fn judged(self) -> Option<Judged> {
        match self {
            Self::Present | Self::Warning => None,
            Self::Ok => Some(Judged::Ok),
            Self::Mismatch => Some(Judged::Changed),
            Self::Collision => Some(Judged::Collision),
            Self::Missing => Some(Judged::Missing),
            Self::Extra => Some(Judged::New),
            Self::Unreadable => Some(Judged::Unreadable),
            Self::Unstable => Some(Judged::Unstable),
            // What it says cannot be compared.
            Self::Invalid => Some(Judged::Unverified),
        }
    }

    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::Present,
        Self::Mismatch,
        Self::Collision,
        Self::Missing,
        Self::Extra,
        Self::Unreadable,
        Self::Unstable,
        Self::Invalid,
        Self::Warning,
    ];

    /// Its name, as programs get it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Present => "present",
            Self::Mismatch => "mismatch",
            Self::Collision => "collision",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Unreadable => "unreadable",
            Self::Unstable => "unstable",
            Self::Invalid => "invalid",
            Self::Warning => "warning",
        }
    }
}

/// What whoever shows a finding may add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// How to learn which algorithms are known.
    KnownAlgorithms,
}

/// One thing that was found.
#[derive(Clone, Copy, Debug)]
pub struct BagFinding<'a> {
    /// The file that it is about, by its name in the bag.
    pub path: &'a [u8],
    /// The judgement.
    pub verdict: Verdict,
    /// Why, where the judgement alone does not tell.
    pub why: Option<&'a str>,
    /// What may be added to that.
    pub hint: Option<Hint>,
    /// What is listed of a file that was read.
    pub expected: &'a [Digest],
    /// What reading it gave, in the same order.
    pub computed: &'a [Digest],
}

impl<'a> BagFinding<'a> {
    /// One without digests.
    pub fn new(path: &'a [u8], verdict: Verdict, why: Option<&'a str>) -> Self {
        Self { path, verdict, why, hint: None, expected: &[], computed: &[] }
    }
}

/// Takes what is found, as it is found.
pub trait Findings {
    /// Takes one.
    ///
    /// # Errors
    /// No more are wanted, or it has failed.
    fn take(&mut self, finding: &BagFinding<'_>) -> Taken;
}

impl dyn Findings + '_ {
    /// One without digests.
    pub(crate) fn say(&mut self, path: &[u8], verdict: Verdict, why: impl AsRef<str>) -> Taken {
        self.take(&BagFinding::new(path, verdict, Some(why.as_ref())))
    }
}
