//! Cells: what is measured. One cell is one combination of a study's parameters.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a cell is a measure of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stage {
    /// One algorithm over bytes that lie in the cache of the core.
    Digest,
    /// The machinery alone: requests to a read engine that brings nothing.
    Harness,
    /// Copying memory to memory.
    MemoryCopy,
    /// Reading memory.
    MemoryRead,
    /// Reading and digesting together.
    Pipeline,
    /// Reading files and nothing else.
    Read,
    /// Opening, reading and digesting many small files.
    SmallFiles,
    /// Writing a file until it is on the device.
    Write,
}

/// Whether the bytes of a cell are in the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// They are, as observed.
    Warm,
    /// They are not, as observed before each sample.
    Cold,
    /// They were written or read a moment ago, and whether they are still there cannot be seen here.
    Unknown,
}

/// What the figure of a cell counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes a second.
    BytesPerSecond,
    /// Files a second.
    FilesPerSecond,
    /// Nanoseconds for one operation: less is better.
    NanosecondsPerOperation,
}

/// One combination of parameters. What does not apply is absent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// What it is a measure of.
    pub stage: Stage,
    /// Name of the algorithm.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub algorithm: Option<String>,
    /// The implementation that ran: `sha-ni`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backend: Option<String>,
    /// Name of the read engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// Whether the bytes were in the page cache.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cache: Option<CacheState>,
    /// Threads at work.
    pub threads: usize,
    /// Reads in flight at once, all threads together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<usize>,
    /// Bytes of one request, piece or message.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub block_bytes: Option<u64>,
    /// Bytes of the file, the files or the memory that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_bytes: Option<u64>,
}

impl Stage {
    /// As it is called in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Harness => "harness",
            Self::MemoryCopy => "memory copy",
            Self::MemoryRead => "memory read",
            Self::Pipeline => "read + digest",
            Self::Read => "read",
            Self::SmallFiles => "small files",
            Self::Write => "write",
        }
    }
}

impl Cell {
    /// A cell with one thread and nothing else said.
    pub fn new(stage: Stage) -> Self {
        Self {
            stage,
            algorithm: None,
            backend: None,
            engine: None,
            cache: None,
            threads: 1,
            depth: None,
            block_bytes: None,
            input_bytes: None,
        }
    }
}

impl fmt::Display for CacheState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
            Self::Unknown => "cache unknown",
        })
    }
}

/// A name for tables and messages: `read + digest sha256, warm, 2 threads`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_what(f)?;
        match self.threads {
            1 => f.write_str(", 1 thread"),
            threads => write!(f, ", {threads} threads"),
        }
    }
}

impl Cell {
    /// Its name without the number of threads: `read, cold, direct, 512 KiB blocks`.
    pub(crate) fn write_what(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.stage.name())?;
        if let Some(algorithm) = &self.algorithm {
            write!(f, " {algorithm}")?;
        }
        if let Some(cache) = self.cache {
            write!(f, ", {cache}")?;
        }
        if let (Stage::Read, Some(engine)) = (&self.stage, &self.engine) {
            write!(f, ", {engine}")?;
        }
        match self.block_bytes {
            Some(bytes) => write!(f, ", {} blocks", Block(bytes)),
            None => Ok(()),
        }
    }
}

/// Prints a block size as people write it: 4 KiB.
struct Block(u64);

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 && bytes % (1 << 20) == 0 => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes >= 1 << 10 && bytes % (1 << 10) == 0 => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} B"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_a_name_that_says_what_it_is() {
        let cell = Cell {
            algorithm: Some("sha256".into()),
            cache: Some(CacheState::Warm),
            threads: 2,
            block_bytes: Some(512 << 10),
            ..Cell::new(Stage::Pipeline)
        };
        assert_eq!(cell.to_string(), "read + digest sha256, warm, 512 KiB blocks, 2 threads");
        assert_eq!(Cell::new(Stage::MemoryCopy).to_string(), "memory copy, 1 thread");
        let cell =
            Cell { engine: Some("direct".into()), cache: Some(CacheState::Cold), ..Cell::new(Stage::Read) };
        assert_eq!(cell.to_string(), "read, cold, direct, 1 thread");
    }
}
