//! Zeros read from /dev/zero, written to a new file and brought to the device, by `dd` and by us: the same blocks, the same
//! rule.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hashlane_io::Block;
use hashlane_record::system_text;

use super::COPY_BLOCK_BYTES;
use crate::cell::{Cell, Size, Stage, Unit};
use crate::clock::Stopwatch;
use crate::error::ProgramError;
use crate::program::{Bounds, run};
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe, Stopper};
use crate::scratch::NamedFiles;

/// The program.
pub(super) const DD: &str = "dd";

/// Time for one copy.
pub(super) const UNIT: Unit = Unit::NanosecondsPerOperation;

/// How long a copy may take.
const LIMIT: Duration = Duration::from_secs(900);

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    Dd,
    Own,
}

#[derive(Debug)]
pub(super) struct CopyProbe {
    writer: Writer,
    _named: Arc<NamedFiles>,
    /// The same name for all: one copy lies there at a time.
    path: PathBuf,
    bytes: u64,
    bounds: Bounds,
}

impl CopyProbe {
    /// Writes `bytes`, a whole number of blocks.
    pub(super) fn new(writer: Writer, named: &Arc<NamedFiles>, bytes: u64, stopper: Stopper) -> Self {
        let bounds = Bounds { limit: LIMIT, stopper };
        Self { writer, _named: Arc::clone(named), path: named.path("copy"), bytes, bounds }
    }

    fn blocks(&self) -> u64 {
        self.bytes / COPY_BLOCK_BYTES as u64
    }

    fn by_dd(&self) -> Result<(), NotPossible> {
        let mut to = std::ffi::OsString::from("of=");
        to.push(&self.path);
        let mut command = Command::new(DD);
        command.args(["if=/dev/zero", "conv=fsync", "status=none"]).arg(to);
        command.args([format!("bs={COPY_BLOCK_BYTES}"), format!("count={}", self.blocks())]);
        let ended = run(&mut command, &self.bounds).map_err(ProgramError::broken)?;
        ended.success().map_err(|how| NotPossible::Broken(format!("{DD} {how}")))
    }

    fn by_us(&self) -> io::Result<()> {
        let mut zeros = File::open("/dev/zero")?;
        let mut block = Block::new(COPY_BLOCK_BYTES);
        let block = &mut block.room()[..COPY_BLOCK_BYTES];
        let mut file = File::create_new(&self.path)?;
        for _ in 0..self.blocks() {
            zeros.read_exact(block)?;
            file.write_all(block)?;
        }
        file.sync_all()
    }
}

impl Probe for CopyProbe {
    fn cell(&self) -> Cell {
        let (stage, program) = match self.writer {
            Writer::Dd => (Stage::Program, Some(DD.to_owned())),
            Writer::Own => (Stage::Write, None),
        };
        Cell {
            program,
            block_bytes: Some(COPY_BLOCK_BYTES as u64),
            input_bytes: Some(self.bytes),
            input: Some(format!("{} of zeros", Size(self.bytes))),
            ..Cell::new(stage)
        }
    }

    fn unit(&self) -> Unit {
        UNIT
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(NotPossible::Broken(format!("the last copy cannot be removed: {}", system_text(&error))))
            }
            _ => Ok(None),
        }
    }

    fn run(&mut self, _: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let failed = |error: io::Error| {
            NotPossible::Broken(format!("a copy cannot be written: {}", system_text(&error)))
        };
        match self.writer {
            Writer::Dd => {
                watch.restart_for_programs();
                self.by_dd()?;
            }
            Writer::Own => self.by_us().map_err(failed)?,
        }
        let written = std::fs::metadata(&self.path).map_err(failed)?.len();
        if written != self.bytes {
            return Err(NotPossible::Broken(format!(
                "{written} bytes were written instead of {}",
                self.bytes
            )));
        }
        Ok(Work { bytes: written, operations: 1, ..Work::default() })
    }

    fn repeats(&self) -> bool {
        // Every repetition wears a disk.
        false
    }
}
