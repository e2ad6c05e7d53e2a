//! What BLAKE3 puts out: a digest of any length, from any place on, with or without a key.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;

use blake3::hazmat::{self, ContextKey, HasherExt as _};
use hashlane_digest::Algorithm;
use hashlane_io::StandardInput;

use super::{Ends, Settings, parts};
use crate::digest::{self, BATCH, HowToRead};
use crate::outputs::Outputs;

/// More threads than this bring nothing, whatever is asked for.
const MOST_THREADS: usize = 1024;

/// What is computed.
#[derive(Debug)]
pub(super) enum Mode {
    Plain,
    Keyed([u8; blake3::KEY_LEN]),
    /// With what became of a context.
    Derive(ContextKey),
}

impl Mode {
    pub(super) fn derive(context: &str) -> Self {
        Self::Derive(hazmat::hash_derive_key_context(context))
    }

    pub(super) fn hasher(&self) -> blake3::Hasher {
        match self {
            Self::Plain => blake3::Hasher::new(),
            Self::Keyed(key) => blake3::Hasher::new_keyed(key),
            Self::Derive(key) => blake3::Hasher::new_from_context_key(key),
        }
    }

    /// The same, for putting subtrees together.
    pub(super) fn of_tree(&self) -> hazmat::Mode<'_> {
        match self {
            Self::Plain => hazmat::Mode::Hash,
            Self::Keyed(key) => hazmat::Mode::KeyedHash(key),
            Self::Derive(key) => hazmat::Mode::DeriveKeyMaterial(key),
        }
    }
}

/// The output for one file.
pub(super) enum Output {
    /// All of it.
    Whole(Vec<u8>),
    /// This many bytes are still to be computed.
    Stream(Box<blake3::OutputReader>, u64),
}

/// The key, which is all that standard input holds.
pub(super) fn key() -> Result<[u8; blake3::KEY_LEN], Ends> {
    let mut bytes = Vec::new();
    StandardInput.take(blake3::KEY_LEN as u64 + 1).read_to_end(&mut bytes)?;
    let (wanted, found) = (blake3::KEY_LEN, bytes.len());
    <[u8; blake3::KEY_LEN]>::try_from(bytes).map_err(|_| {
        Ends::Error(if found < wanted {
            format!("expected {wanted} key bytes from stdin, found {found}")
        } else {
            format!("read more than {wanted} key bytes from stdin")
        })
    })
}

impl Settings {
    /// Whether `length` bytes are a part of an ordinary digest, which the engine computes.
    fn is_by_engine(&self, length: u64) -> bool {
        matches!(self.mode, Mode::Plain)
            && self.args.seek.checked_add(length).is_some_and(|end| end <= blake3::OUT_LEN as u64)
    }

    /// How many files are digested before their lines are written.
    pub(super) fn batch(&self, length: u64) -> usize {
        if self.is_by_engine(length) { BATCH } else { 1 }
    }

    /// `length` bytes of output for each file, in their order.
    pub(super) fn outputs(&self, names: &[&[u8]], length: u64) -> Vec<io::Result<Output>> {
        if !self.is_by_engine(length) {
            return names.iter().map(|name| self.stream(name, length)).collect();
        }
        let blake3 = Algorithm::BLAKE3;
        let reading = HowToRead { workers: self.given_threads(), is_buffered: self.args.no_mmap };
        let files: Vec<_> = names.iter().map(|&name| (name, blake3)).collect();
        let part = self.args.seek as usize..(self.args.seek + length) as usize;
        let digests = digest::all_by(&reading, &files).into_iter();
        digests.map(|digest| Ok(Output::Whole(digest?[part.clone()].to_vec()))).collect()
    }

    /// How many threads digest a file. Files that are not mapped are digested by one, as the original has it.
    fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        if self.args.no_mmap { 1 } else { self.given_threads().unwrap_or_else(cores) }
    }

    fn given_threads(&self) -> Option<usize> {
        self.args.num_threads.filter(|&threads| threads > 0).map(|threads| threads.min(MOST_THREADS))
    }

    /// Digests a file here and now.
    fn stream(&self, name: &[u8], length: u64) -> io::Result<Output> {
        if name == b"-" && matches!(self.mode, Mode::Keyed(_)) {
            return Err(io::Error::other("Cannot open `-` in keyed mode"));
        }
        let in_parts = match name {
            b"-" => None,
            name => parts::output(Path::new(OsStr::from_bytes(name)), &self.mode, self.threads())?,
        };
        let mut output = match in_parts {
            Some(output) => output,
            None => {
                let mut hasher = self.mode.hasher();
                digest::read(name, 1 << 17, |bytes| {
                    hasher.update(bytes);
                })?;
                hasher.finalize_xof()
            }
        };
        output.set_position(self.args.seek);
        Ok(Output::Stream(Box::new(output), length))
    }
}

impl Output {
    /// Prints it as it is.
    pub(super) fn raw(self, outputs: &mut Outputs) {
        self.pieces(outputs, |outputs, bytes| outputs.print(bytes));
    }

    /// Prints it in hexadecimal, lower case.
    pub(super) fn hex(self, outputs: &mut Outputs) {
        self.pieces(outputs, |outputs, bytes| {
            outputs.print(data_encoding::HEXLOWER.encode(bytes).as_bytes());
        });
    }

    /// The bytes themselves, of an output that is short.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Stream(mut output, length) => {
                let mut bytes = vec![0; length as usize];
                output.fill(&mut bytes);
                bytes
            }
        }
    }

    /// Takes it piece by piece, as long as there is somebody to read it.
    fn pieces(self, outputs: &mut Outputs, mut print: impl FnMut(&mut Outputs, &[u8])) {
        let (mut output, mut rest) = match self {
            Self::Whole(bytes) => return print(outputs, &bytes),
            Self::Stream(output, length) => (output, length),
        };
        let mut block = [0; 1 << 12];
        while rest > 0 && outputs.broken().is_none() {
            let count = rest.min(block.len() as u64);
            output.fill(&mut block[..count as usize]);
            print(outputs, &block[..count as usize]);
            rest -= count;
        }
    }
}
