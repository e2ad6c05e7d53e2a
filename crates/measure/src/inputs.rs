//! What a run says of the inputs that were made for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of an input when it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InputFacts {
    /// What it is made of: `random`, or the name of a dictionary, a word list or a file.
    pub name: String,
    /// Where that was taken from; runs of before there was a choice do not say it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Origin>,
    /// SHA-256 of one copy, in hexadecimal digits; none of random data.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
    /// Bytes of one copy.
    pub unit_bytes: u64,
    /// Copies in it.
    pub copies: u64,
    /// How long writing it took, in nanoseconds, until the kernel had it.
    pub write_ns: u64,
    /// The first run on it, while it was on its way to the device; none where no program could be run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_run: Option<FirstRun>,
    /// How write-back came to rest; none where the kernel does not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub settling: Option<Settling>,
}

/// The first timing on a new input. It is in no figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstRun {
    /// The program.
    pub program: String,
    /// How often it was run.
    pub iterations: u64,
    /// How long that took, in nanoseconds.
    pub wall_ns: u64,
}

/// Where what an input is made of was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The dictionary of this system.
    Dictionary,
    /// A file that was named.
    File,
    /// The word list that this program makes, because the system has no dictionary or because it was asked for.
    Generated,
    /// Random data.
    Random,
}

/// How write-back came to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settling {
    /// Bytes of the whole machine that were not on a device yet before the input was written.
    pub before_bytes: u64,
    /// The same right after it was written.
    pub written_bytes: u64,
    /// The same when the waiting ended.
    pub left_bytes: u64,
    /// How long bringing the input to the device and the waiting took together, in nanoseconds.
    pub waited_ns: u64,
    /// Whether it came to rest; if not, others went on writing.
    pub settled: bool,
}
