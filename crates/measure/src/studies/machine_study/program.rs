//! The programs that are started: those of the original, and our own.

use std::path::PathBuf;

use hashlane_digest::Algorithm;

use crate::error::ProgramError;
use crate::program::ProgramFacts;

/// Programs of the original that digest, in its order, and what they compute.
pub const DIGESTS: [(&str, &str); 4] =
    [("b2sum", "blake2b"), ("sha1sum", "sha1"), ("sha256sum", "sha256"), ("sha512sum", "sha512")];

/// The program of the original that only reads.
pub const COPIER: &str = "dd";

/// Our own, started as a program; it computes sha256.
pub const OWN: &str = "hashlane-sum";

/// What our own program computes.
const OWN_ALGORITHM: &str = "sha256";

/// Bytes that dd is asked to read at once: what the other programs do. The original did not ask for a size, so it took 512.
pub const BLOCK_BYTES: u64 = 32 << 10;

/// Where the output of programs goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Nowhere.
    Null,
    /// To a file beside the input.
    File,
}

impl Sink {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::File => "file",
        }
    }
}

/// A program that is measured.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) name: String,
    /// Its words; `{}` is the input and `{out}` the output.
    pub(super) command: Vec<String>,
    /// Its file, where it is not looked for.
    pub(super) path: Option<PathBuf>,
    /// What it computes; none if it only reads.
    pub(super) algorithm: Option<Algorithm>,
    /// Bytes that it is asked to read at once.
    pub(super) block_bytes: Option<u64>,
}

impl Program {
    /// The names of those of the original, in its order.
    pub fn originals() -> impl Iterator<Item = &'static str> {
        DIGESTS.iter().map(|(name, _)| *name).chain([COPIER])
    }

    /// One of the programs of the original. dd reads `block_bytes` at once, if they are given.
    pub fn named(name: &str, block_bytes: Option<u64>) -> Option<Self> {
        if name == COPIER {
            let mut command = ["dd", "if={}", "of={out}"].map(str::to_owned).to_vec();
            command.extend(block_bytes.map(|bytes| format!("bs={bytes}")));
            return Some(Self { name: name.to_owned(), command, path: None, algorithm: None, block_bytes });
        }
        let (_, algorithm) = DIGESTS.iter().find(|(known, _)| *known == name)?;
        Some(Self {
            name: name.to_owned(),
            command: vec![name.to_owned(), "{}".to_owned()],
            path: None,
            algorithm: Algorithm::named(algorithm),
            block_bytes: None,
        })
    }

    /// This program itself, which is at `path`, digesting by a backend that was asked for. On one core, as the programs of the
    /// original and what is measured within this process.
    pub fn own(path: PathBuf, backend: Option<&str>) -> Self {
        let words = [
            "hashlane",
            "sum",
            "--quiet",
            "--jobs=1",
            "--no-calibrate",
            "--no-profile",
            "--algorithm",
            OWN_ALGORITHM,
        ];
        let mut command = words.map(str::to_owned).to_vec();
        command.extend(backend.into_iter().flat_map(|backend| ["--backend".to_owned(), backend.to_owned()]));
        command.push("{}".to_owned());
        let algorithm = Algorithm::named(OWN_ALGORITHM);
        Self { name: OWN.to_owned(), command, path: Some(path), algorithm, block_bytes: None }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn facts(&self, sink: Sink) -> ProgramFacts {
        let output = if sink == Sink::Null { "/dev/null" } else { "output" };
        let command = self.command.iter().map(|word| word.replace(super::probe::OUTPUT, output)).collect();
        let mut facts = ProgramFacts { name: self.name.clone(), command, ..ProgramFacts::default() };
        if let Some(path) = &self.path {
            facts.command[0] = path.to_string_lossy().into_owned();
        }
        facts.look();
        if self.path.is_some() {
            // Where it lies is nobody's business: a run file is shown to others.
            facts.command[0].clone_from(&self.command[0]);
            facts.file = None;
        }
        facts
    }

    pub(super) fn is_there(&self, facts: &ProgramFacts) -> bool {
        self.path.is_some() || facts.file.is_some()
    }

    /// Why it cannot be measured, if it is not there.
    pub(super) fn missing(&self, facts: &ProgramFacts) -> Result<(), ProgramError> {
        if self.is_there(facts) {
            return Ok(());
        }
        Err(ProgramError::Missing { name: self.name.clone() })
    }
}
