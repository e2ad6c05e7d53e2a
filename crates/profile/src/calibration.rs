//! Which backends are fastest on this CPU: measured after a long run, kept in the cache, and used from the next run on.
//!
//! Owns when it is measured, and the file that keeps it. A file that is of another CPU or version, or was damaged, is as if
//! it were not there. Nothing here fails a run: docs/decisions/0014-calibrated-backends.md.

use std::path::PathBuf;
use std::sync::Arc;

use hashlane_digest::{Algorithm, Backend, BackendChoice, Calibrations, calibrate, cpu_features, cpu_model};
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::error::Error;

/// What the file calls itself.
const SCHEMA: &str = "hashlane-backends";

/// A file of another version is not read.
const SCHEMA_VERSION: u32 = 1;

/// Bytes of work for an algorithm that make its measuring worth while: 20 ms of it are a fifth of what they take at most.
const ENOUGH_BYTES: u64 = 256_000_000;

/// What is known of this CPU, and where it is kept.
#[derive(Clone, Debug)]
pub struct KeptBackends {
    cache: Cache,
    cpu: Cpu,
    program: String,
}

/// What distinguishes CPUs whose backends differ in speed. The features are those that the system shows: a virtual machine
/// moves between hosts, and what it had there says nothing of what it has here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cpu {
    architecture: String,
    /// Maker, family, model and stepping, and the name, which hypervisors shorten; on ARM the number of the main ID register.
    model: String,
    features: Vec<String>,
}

/// What distinguishes the CPU from others: maker, family, model, stepping and name; on ARM the number of its main ID register. None where
/// it does not say.
pub fn cpu_signature() -> Option<String> {
    Cpu::this().map(|cpu| cpu.model)
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct File {
    schema: String,
    schema_version: u32,
    program: String,
    cpu: Cpu,
    algorithms: Calibrations,
}

impl Cpu {
    /// This one; none if it does not say what it is.
    pub(crate) fn this() -> Option<Self> {
        // On ARM only the system may ask.
        const MIDR: &str = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
        let model = cpu_model().or_else(|| Some(std::fs::read_to_string(MIDR).ok()?.trim().to_owned()))?;
        let features = cpu_features().into_iter().map(str::to_owned).collect();
        Some(Self { architecture: std::env::consts::ARCH.to_owned(), model, features })
    }

    /// The name of its file: for people, and with a checksum of all that distinguishes it from others.
    fn file_name(&self) -> String {
        let whole = serde_json::to_vec(self).expect("texts have a form");
        let checksum = Algorithm::CRC32.digest(&whole);
        let plain = self.model.to_lowercase();
        let words =
            plain.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        format!("backends-{}-{checksum}.json", words.collect::<Vec<_>>().join("-"))
    }
}

impl KeptBackends {
    /// This CPU's, by a `program` (name and version: those of others are not its own); none where it does not say what it is.
    pub fn of(cache: Cache, program: &str) -> Option<Self> {
        Some(Self { cache, cpu: Cpu::this()?, program: program.to_owned() })
    }

    /// Whether this CPU says what it is.
    pub fn is_possible() -> bool {
        Cpu::this().is_some()
    }

    /// What was measured before, of those algorithms that were.
    pub fn load(&self) -> Calibrations {
        let text = self.cache.read(&self.cpu.file_name());
        text.and_then(|text| self.parse(&text)).unwrap_or_default()
    }

    fn parse(&self, text: &str) -> Option<Calibrations> {
        let file: File = serde_json::from_str(text).ok()?;
        let ours = file.schema == SCHEMA && file.schema_version == SCHEMA_VERSION;
        (ours && file.program == self.program && file.cpu == self.cpu).then_some(file.algorithms)
    }

    /// Where it is kept.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Adds what was measured to what is kept. What another run adds at the same moment may be lost, and is measured again.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, measured: Calibrations) -> Result<PathBuf, Error> {
        let mut algorithms = self.load();
        algorithms.add(measured);
        let file = File {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            program: self.program.clone(),
            cpu: self.cpu.clone(),
            algorithms,
        };
        let mut text = serde_json::to_string_pretty(&file).expect("it holds nothing but text and numbers");
        text.push('\n');
        let name = self.cpu.file_name();
        self.cache.write(&name, &text)?;
        Ok(self.cache.path(&name))
    }
}

/// How the digests of one run are computed, and what the run leaves for the next.
#[derive(Debug)]
pub struct Backends {
    choice: BackendChoice,
    /// Where more may be kept.
    kept: Option<KeptBackends>,
}

impl Backends {
    /// By the one that was asked for. Nothing is measured.
    pub fn only(backend: Backend) -> Self {
        Self { choice: BackendChoice::Only(backend), kept: None }
    }

    /// By what this `program` measured on this CPU and kept, else by the fixed order. Without a cache nothing is measured.
    pub fn kept(cache: Option<Cache>, program: &str) -> Self {
        let kept = cache.and_then(|cache| KeptBackends::of(cache, program));
        let choice = match kept.as_ref().map(KeptBackends::load) {
            Some(calibrations) => BackendChoice::Calibrated(Arc::new(calibrations)),
            None => BackendChoice::Auto,
        };
        Self { choice, kept }
    }

    /// What decides.
    pub fn choice(&self) -> BackendChoice {
        self.choice.clone()
    }

    /// Measures the algorithms that had much to do and are not known yet, for the next run. To be called when the results
    /// are out: nobody waits for it but the prompt.
    pub fn learn(&self, digested: &[(Algorithm, u64)]) {
        self.learn_above(ENOUGH_BYTES, digested);
    }

    fn learn_above(&self, enough_bytes: u64, digested: &[(Algorithm, u64)]) {
        let Some(kept) = &self.kept else { return };
        let wanted = |&&(algorithm, bytes): &&(Algorithm, u64)| {
            let known = self.choice.calibration(algorithm).is_some();
            algorithm.lanes().is_some() && bytes > enough_bytes && !known
        };
        let mut wanted = digested.iter().filter(wanted).peekable();
        // Where nothing can be kept, each run would measure again.
        if wanted.peek().is_none() || kept.cache().prepare().is_err() {
            return;
        }
        let measured = wanted.filter_map(|&(algorithm, _)| Some((algorithm, calibrate(algorithm)?)));
        // Without it the next run measures again.
        let _ = kept.add(measured.collect());
    }
}

#[cfg(test)]
mod tests;
