//! Digests of files, whatever their number and size.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, EngineChoice, Halt, Input, Options, Sink, Taken};
use hashlane_io::{EngineKind, StandardInput};
use hashlane_record::{ItemPath, Outcome, Record};

/// Below this many bytes in all, files are read one after the other on the calling thread: the engine's threads would take longer to
/// start.
const FEW_BYTES: u64 = 1 << 20;

/// How many files are digested before their lines are written.
pub(crate) const BATCH: usize = 1024;

/// How files are read, where a command line says so.
#[derive(Clone, Debug, Default)]
pub(crate) struct HowToRead {
    /// Number of workers; `None`: as many as the process may use cores.
    pub(crate) workers: Option<usize>,
    /// Whether files are not to be mapped.
    pub(crate) is_buffered: bool,
}

/// The digest of each file, in their order. `-` is standard input.
pub(crate) fn all(files: &[(&[u8], Algorithm)]) -> Vec<io::Result<Vec<u8>>> {
    all_by(&HowToRead::default(), files)
}

/// The digest of each file, in their order, read in a certain way. `-` is standard input.
pub(crate) fn all_by(reading: &HowToRead, files: &[(&[u8], Algorithm)]) -> Vec<io::Result<Vec<u8>>> {
    let mut digests: Vec<Option<io::Result<Vec<u8>>>> = files.iter().map(|_| None).collect();
    if is_much(files) {
        by_engine(reading, files, &mut digests);
    }
    let rest = files.iter().zip(digests);
    rest.map(|(&(name, algorithm), digest)| digest.unwrap_or_else(|| one(name, algorithm))).collect()
}

/// Whether it is worth while to start threads.
fn is_much(files: &[(&[u8], Algorithm)]) -> bool {
    let mut bytes = 0_u64;
    files.iter().any(|(name, _)| {
        let facts = std::fs::metadata(Path::new(std::ffi::OsStr::from_bytes(name)));
        bytes += facts.map_or(0, |facts| if facts.is_file() { facts.len().max(4096) } else { 0 });
        bytes >= FEW_BYTES
    })
}

/// Digests what is a file, and leaves the rest.
fn by_engine(reading: &HowToRead, files: &[(&[u8], Algorithm)], digests: &mut [Option<io::Result<Vec<u8>>>]) {
    let mut sets: Vec<(Algorithm, AlgorithmSet)> = Vec::new();
    let mut places = Vec::new();
    let mut inputs = Vec::new();
    for (place, &(name, algorithm)) in files.iter().enumerate() {
        if name == b"-" {
            continue;
        }
        let known = sets.iter().find(|(known, _)| *known == algorithm).map(|(_, set)| Arc::clone(set));
        let algorithms = known.unwrap_or_else(|| {
            let set: AlgorithmSet = [algorithm].into();
            sets.push((algorithm, Arc::clone(&set)));
            set
        });
        places.push(place);
        inputs.push(Input::file(ItemPath::from(name), None, &algorithms, [].into()));
    }
    let mut sink = Digests { places: places.into_iter(), digests };
    // Whatever it does not come to is read without it.
    let _ = hashlane_engine::run(options(reading), inputs.into_iter(), &mut sink, &Arc::new(Control::new()));
}

fn options(reading: &HowToRead) -> Options {
    let mut options = Options::new(Arc::new([]));
    options.workers = reading.workers;
    if reading.is_buffered {
        options.engine = EngineChoice::Only(EngineKind::Buffered);
    }
    options.links_once = false;
    options
}

/// Puts the digests in their places.
struct Digests<'a> {
    places: std::vec::IntoIter<usize>,
    digests: &'a mut [Option<io::Result<Vec<u8>>>],
}

impl Sink for Digests<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let Some(place) = self.places.next() else { return Err(Halt::Enough) };
        self.digests[place] = match (record.outcome, record.digests.first()) {
            (Outcome::Failed(failure), _) => Some(Err(failure.io_error())),
            (Outcome::Disputed(dispute), _) => Some(Err(dispute.io_error())),
            // A file that changes meanwhile has a digest all the same, here.
            (Outcome::Read | Outcome::Unstable(_), Some(digest)) => Some(Ok(digest.as_bytes().to_vec())),
            (_, None) => None,
        };
        Ok(())
    }
}

/// Reads and digests one file here and now.
fn one(name: &[u8], algorithm: Algorithm) -> io::Result<Vec<u8>> {
    let mut hasher = algorithm.hasher();
    read(name, 1 << 16, |bytes| hasher.update(bytes))?;
    Ok(hasher.finish().as_bytes().to_vec())
}

/// Reads a file here and now, up to `block` bytes at a time. `-` is standard input.
pub(crate) fn read(name: &[u8], block: usize, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut input: Box<dyn Read> = match name {
        b"-" => Box::new(StandardInput),
        name => Box::new(File::open(std::ffi::OsStr::from_bytes(name))?),
    };
    let mut buffer = vec![0; block];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => take(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
