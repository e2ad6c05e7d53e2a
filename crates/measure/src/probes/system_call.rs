//! System calls that do next to nothing: what asking the kernel costs.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use super::not_possible;
use crate::cell::{Cell, Stage, Unit};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::scratch::LargeFile;

/// A file that is read byte by byte is begun anew once in this many calls at most, which costs a call more.
const LEAST_BYTES: u64 = 1_000;

/// A system call that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCall {
    /// Which process is the parent: the way to the kernel and back.
    GetParent,
    /// Moves the position in a file.
    Seek,
    /// One byte from the position in a file, which is in the page cache.
    Read,
    /// One byte from a place in a file, which is in the page cache.
    PositionedRead,
    /// Looks up a name, opens it, and closes it again: two calls.
    OpenAndClose,
}

impl SystemCall {
    /// All of them, from the one that does least.
    pub const ALL: [Self; 5] =
        [Self::GetParent, Self::Seek, Self::PositionedRead, Self::Read, Self::OpenAndClose];

    /// As it is called in cells.
    pub fn name(self) -> &'static str {
        match self {
            Self::GetParent => "getppid",
            Self::Seek => "lseek",
            Self::PositionedRead => "pread",
            Self::Read => "read",
            Self::OpenAndClose => "open+close",
        }
    }
}

/// Makes one call again and again.
#[derive(Debug)]
pub struct SystemCallProbe {
    call: SystemCall,
    content: Arc<LargeFile>,
    name: PathBuf,
    file: Option<File>,
}

impl SystemCallProbe {
    /// Calls that read do so in `content`; `name` is what is opened.
    pub fn new(call: SystemCall, content: &Arc<LargeFile>, name: PathBuf) -> Self {
        Self { call, content: Arc::clone(content), name, file: None }
    }

    fn call(&self, times: u64) -> io::Result<u64> {
        let mut file = self.file.as_ref().expect("it was prepared");
        let mut byte = [0];
        let mut bytes = 0;
        match self.call {
            SystemCall::GetParent => {
                for _ in 0..times {
                    std::hint::black_box(rustix::process::getppid());
                }
            }
            SystemCall::Seek => {
                for _ in 0..times {
                    file.seek(SeekFrom::Start(0))?;
                }
            }
            SystemCall::PositionedRead => {
                for at in 0..times {
                    bytes += file.read_at(&mut byte, at % self.content.bytes())? as u64;
                }
            }
            SystemCall::Read => {
                for at in 0..times {
                    if at > 0 && at.is_multiple_of(self.content.bytes()) {
                        file.seek(SeekFrom::Start(0))?;
                    }
                    file.read_exact(&mut byte)?;
                    bytes += 1;
                }
            }
            SystemCall::OpenAndClose => {
                for _ in 0..times {
                    std::hint::black_box(File::open(&self.name)?);
                }
            }
        }
        Ok(bytes)
    }
}

impl Probe for SystemCallProbe {
    fn cell(&self) -> Cell {
        Cell { call: Some(self.call.name().to_owned()), ..Cell::new(Stage::SystemCall) }
    }

    fn unit(&self) -> Unit {
        Unit::NanosecondsPerOperation
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        if self.call == SystemCall::Read && self.content.bytes() < LEAST_BYTES {
            return Err(NotPossible::Broken(format!(
                "a file of fewer than {LEAST_BYTES} bytes would have to be started again too often"
            )));
        }
        super::prepare(&self.content, self.content.when_read())?;
        let opened = self.content.open();
        self.file = Some(opened.map_err(|error| not_possible("the file cannot be opened", &error))?);
        Ok(None)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        if self.file.is_none() {
            self.prepare()?;
            watch.restart();
        }
        let bytes = self.call(repeats).map_err(|error| not_possible(self.call.name(), &error))?;
        Ok(Work { bytes, operations: repeats, ..Work::default() })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_call_is_made_as_often_as_is_said() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let content = LargeFile::create(directory.path(), 1_000, Duration::MAX, 1).expect("there is room");
        let (content, name) = (Arc::new(content), directory.path().join("name"));
        std::fs::write(&name, "").expect("there is room");
        for call in SystemCall::ALL {
            let mut probe = SystemCallProbe::new(call, &content, name.clone());
            probe.prepare().expect("it is there");
            // More than the file has bytes.
            let work = probe.run(2_500, &mut Stopwatch::start()).expect("it can be called");
            let reads = matches!(call, SystemCall::Read | SystemCall::PositionedRead);
            assert_eq!((work.operations, work.bytes), (2_500, if reads { 2_500 } else { 0 }), "{call:?}");
        }
        let mut probe = SystemCallProbe::new(SystemCall::OpenAndClose, &content, "/nowhere/name".into());
        probe.prepare().expect("what is read is there");
        let failed = probe.run(1, &mut Stopwatch::start()).expect_err("there is no such name");
        assert!(failed.to_string().starts_with("open+close: "), "{failed}");
    }
}
