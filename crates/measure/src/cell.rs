//! Cells: what is measured. One cell is one combination of a study's parameters.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No figure is larger, nor any number that a run holds.
pub(crate) const LARGEST_FIGURE: f64 = 1e21;

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
    /// A program of its own, from its start to its end.
    Program,
    /// Reading blocks at random places of a file.
    RandomRead,
    /// Reading files and nothing else.
    Read,
    /// Opening, reading and digesting many small files.
    SmallFiles,
    /// One system call, and what it does when it is asked for nearly nothing.
    SystemCall,
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
    /// What the input is made of, where there is a choice: `random`, or the name of a dictionary.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<String>,
    /// Messages that each thread digests side by side, each of a block; absent where blocks are parts of one message. Files are
    /// messages too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub messages: Option<usize>,
    /// How reading and digesting are put together: `serial`, `pipelined`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// Buffers between reading and digesting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub buffers: Option<usize>,
    /// The program, the build or the foreign function that ran, as it is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<String>,
    /// The system call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// Copies of which the input is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copies: Option<u64>,
    /// How often the input is worked through.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub iterations: Option<u64>,
    /// Where output goes: `null` or `file`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sink: Option<String>,
    /// Parameters of a later program that this one does not know, each with its value as JSON. Cells that differ there are not the same.
    #[serde(flatten, with = "others")]
    #[schemars(skip)]
    pub others: BTreeMap<String, String>,
}

/// Parameters that are not known stand beside those that are.
mod others {
    use std::collections::BTreeMap;

    use serde::{Deserialize as _, Deserializer, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(
        others: &BTreeMap<String, String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let value = |text: &String| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
        serializer.collect_map(others.iter().map(|(name, text)| (name, value(text))))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, String>, D::Error> {
        let values = BTreeMap::<String, Value>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|(name, value)| (name, value.to_string())).collect())
    }
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
            Self::Program => "program",
            Self::RandomRead => "random read",
            Self::Read => "read",
            Self::SmallFiles => "small files",
            Self::SystemCall => "system call",
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
            input: None,
            messages: None,
            model: None,
            buffers: None,
            program: None,
            call: None,
            copies: None,
            iterations: None,
            sink: None,
            others: BTreeMap::new(),
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
            // What another process does, and one call, is not a matter of our threads.
            1 if matches!(self.stage, Stage::Program | Stage::SystemCall) => Ok(()),
            1 => f.write_str(", 1 thread"),
            threads => write!(f, ", {threads} threads"),
        }
    }
}

impl Cell {
    /// Whether it reads and digests many files of one size, as many side by side as there are messages.
    pub fn is_of_many_files(&self) -> bool {
        self.stage == Stage::Pipeline && self.messages.is_some()
    }

    /// Its name without the number of threads: `read, cold, direct, 512 KiB blocks`.
    pub(crate) fn write_what(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.stage.name())?;
        for name in [&self.program, &self.call, &self.algorithm].into_iter().flatten() {
            write!(f, " {name}")?;
        }
        if let Some(cache) = self.cache {
            write!(f, ", {cache}")?;
        }
        if let Some(model) = &self.model {
            write!(f, ", {model}")?;
        }
        if let (Stage::Read | Stage::RandomRead, Some(engine)) = (&self.stage, &self.engine) {
            write!(f, ", {engine}")?;
        }
        match self.block_bytes {
            Some(bytes) if self.is_of_many_files() => write!(f, ", files of {}", Size(bytes))?,
            Some(bytes) if self.messages.is_some() => write!(f, ", {} messages", Size(bytes))?,
            Some(bytes) => write!(f, ", {} blocks", Size(bytes))?,
            None => {}
        }
        if self.messages.is_some_and(|messages| messages > 1) {
            f.write_str(", side by side")?;
        }
        if let (Stage::RandomRead, Some(depth)) = (&self.stage, self.depth) {
            write!(f, ", {depth} in flight")?;
        }
        if let Some(buffers) = self.buffers {
            write!(f, ", {buffers} buffers")?;
        }
        match &self.input {
            Some(input) => write!(f, ", {input}")?,
            None if self.stage == Stage::Program => {
                if let Some(bytes) = self.input_bytes {
                    write!(f, ", {}", Size(bytes))?;
                }
            }
            None => {}
        }
        if let Some(copies) = self.copies {
            write!(f, ", {copies} {}", if copies == 1 { "copy" } else { "copies" })?;
        }
        if let Some(iterations) = self.iterations {
            write!(f, ", {iterations} times")?;
        }
        if let Some(sink) = &self.sink {
            write!(f, ", to {sink}")?;
        }
        self.others.iter().try_for_each(|(name, value)| write!(f, ", {name} {value}"))
    }
}

/// A number of bytes as people write it, in powers of 1024 or of ten: `4 KiB`, `10 kB`, `100 B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 6] = [
            (1 << 30, "GiB"),
            (1 << 20, "MiB"),
            (1 << 10, "KiB"),
            (1_000_000_000, "GB"),
            (1_000_000, "MB"),
            (1_000, "kB"),
        ];
        let whole = UNITS.iter().find(|(unit, _)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match whole {
            Some((unit, name)) => write!(f, "{} {name}", self.0 / unit),
            None => write!(f, "{} B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_they_were_chosen() {
        let sizes = [16, 100, 1_000, 10_000, 16 << 10, 1 << 20, 10_000_000, 1 << 30, 1_000_000_000, 524_289];
        let shown: Vec<_> = sizes.iter().map(|&bytes| Size(bytes).to_string()).collect();
        assert_eq!(
            shown,
            ["16 B", "100 B", "1 kB", "10 kB", "16 KiB", "1 MiB", "10 MB", "1 GiB", "1 GB", "524289 B"]
        );
    }

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
        let many = Cell { messages: Some(16), block_bytes: Some(1 << 20), ..cell };
        assert_eq!(many.to_string(), "read + digest sha256, warm, files of 1 MiB, side by side, 2 threads");
        assert_eq!(Cell::new(Stage::MemoryCopy).to_string(), "memory copy, 1 thread");
        let cell =
            Cell { engine: Some("direct".into()), cache: Some(CacheState::Cold), ..Cell::new(Stage::Read) };
        assert_eq!(cell.to_string(), "read, cold, direct, 1 thread");
    }
}
