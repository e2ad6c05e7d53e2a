//! Who takes part: our kernels, and for each algorithm the libraries that have it.
//!
//! A contestant gets the messages of a cell once, as its callers have them, and then digests all of them as
//! often as it is asked to. What a caller would keep from one call to the next is kept: contexts, managers,
//! slots.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use blake2b_simd::many::{HashManyJob, hash_many};
use hashlane_lanes::{Algorithm, Part, Rate, Streams, digest_many};
use sha2::Digest;

use super::cells::Hash;
use super::foreign::{Gcrypt, IpsecMb, Jobs};
#[cfg(feature = "libcrypto")]
use super::libcrypto::Evp;

/// Our kernels, as callers have them who keep their slots.
pub(super) const OURS: &str = "streams";

/// The function for messages that are in memory.
pub(super) const DIGEST_MANY: &str = "digest_many";

/// The multi-buffer library, which a bar names.
pub(super) const IPSEC_MB: &str = "ipsec-mb";

/// Somebody who digests the messages of a cell.
pub(super) struct Contestant<'a> {
    pub(super) name: &'static str,
    work: Box<dyn Work + 'a>,
}

/// The digests of the messages of a cell.
trait Work {
    /// Writes them one behind the other. An error says why they are not to be had.
    fn digest(&mut self, digests: &mut [u8]) -> Result<()>;
}

impl<'a> Contestant<'a> {
    fn new(name: &'static str, work: impl Work + 'a) -> Self {
        Self { name, work: Box::new(work) }
    }

    pub(super) fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        self.work.digest(digests)
    }

    /// Our kernels, chosen by their rates if there are any.
    pub(super) fn ours(algorithm: Hash, rates: &[Rate], messages: &'a [&'a [u8]]) -> Self {
        let streams = Streams::with_rates(algorithm.lanes(), messages.len(), rates);
        Self::new(OURS, Ours { streams, messages })
    }

    /// The same by the function that takes messages whole.
    pub(super) fn digest_many(algorithm: Hash, messages: &'a [&'a [u8]]) -> Self {
        Self::new(DIGEST_MANY, Whole { algorithm: algorithm.lanes(), messages })
    }
}

struct Ours<'a> {
    streams: Streams,
    messages: &'a [&'a [u8]],
}

impl Work for Ours<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        let parts = self.messages.iter().enumerate();
        let parts: Vec<_> = parts.map(|(slot, bytes)| Part { slot, bytes, last: true }).collect();
        self.streams.advance(&parts);
        let length = self.streams.algorithm().length();
        for (slot, digest) in digests.chunks_exact_mut(length).enumerate() {
            self.streams.finish(slot, digest);
        }
        Ok(())
    }
}

struct Whole<'a> {
    algorithm: Algorithm,
    messages: &'a [&'a [u8]],
}

impl Work for Whole<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        digest_many(self.algorithm, self.messages, digests);
        Ok(())
    }
}

/// The libraries that were found here.
pub(super) struct Libraries {
    ipsec_mb: Option<IpsecMb>,
    gcrypt: Option<Gcrypt>,
    /// What takes part, by which version.
    pub(super) versions: BTreeMap<&'static str, String>,
    /// What does not, and why.
    pub(super) missing: Vec<String>,
}

impl Libraries {
    pub(super) fn find() -> Self {
        let mut missing = Vec::new();
        let mut versions = BTreeMap::new();
        let mut say = |name: &'static str, found: Result<&str, &String>| match found {
            Ok(version) => drop(versions.insert(name, version.to_owned())),
            Err(reason) => missing.push(format!("{name} takes no part: {reason}")),
        };
        let (ipsec_mb, gcrypt) = (IpsecMb::load(), Gcrypt::load());
        say(IPSEC_MB, ipsec_mb.as_ref().map(|library| library.version()));
        say("libgcrypt", gcrypt.as_ref().map(|library| library.version()));
        #[cfg(feature = "libcrypto")]
        say("openssl", Ok(openssl::version::version()));
        #[cfg(not(feature = "libcrypto"))]
        say("openssl", Err(&"this build is without it".to_owned()));
        say("tape-sha256", Ok(tape_sha256::backend()));
        if ipsec_mb.is_ok() {
            missing.push(format!(
                "{IPSEC_MB} takes no part in sha512 from 64 KiB on, where its digests are wrong"
            ));
        }
        Self { ipsec_mb: ipsec_mb.ok(), gcrypt: gcrypt.ok(), versions, missing }
    }

    /// All that have an algorithm, beside us.
    pub(super) fn peers<'a>(&self, algorithm: Hash, messages: &'a [&'a [u8]]) -> Result<Vec<Contestant<'a>>> {
        let mut peers = Vec::new();
        #[cfg(feature = "libcrypto")]
        peers.push(Contestant::new("openssl", OpenSsl { evp: Evp::fetch(algorithm)?, messages }));
        let fit = messages.iter().all(|message| message.len() <= IpsecMb::most_bytes(algorithm));
        if let Some(jobs) = self.ipsec_mb.filter(|_| fit).and_then(|library| library.jobs(algorithm)) {
            peers.push(Contestant::new(IPSEC_MB, Multi { jobs, messages }));
        }
        if let Some(library) = self.gcrypt {
            peers.push(Contestant::new("libgcrypt", OneByOne { library, algorithm, messages }));
        }
        match algorithm {
            Hash::Blake2b => peers.push(Contestant::new("blake2b_simd", Blake2bSimd { messages })),
            Hash::Sha256 => peers.push(Contestant::new("tape-sha256", Tape { messages })),
            _ => {}
        }
        peers.push(rust_crypto(algorithm, messages));
        Ok(peers)
    }
}

#[cfg(feature = "libcrypto")]
struct OpenSsl<'a> {
    evp: Evp,
    messages: &'a [&'a [u8]],
}

#[cfg(feature = "libcrypto")]
impl Work for OpenSsl<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        self.evp.digest(self.messages, digests)
    }
}

struct Multi<'a> {
    jobs: Jobs,
    messages: &'a [&'a [u8]],
}

impl Work for Multi<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        ensure!(self.jobs.digest(self.messages, digests), "a job was not completed");
        Ok(())
    }
}

struct OneByOne<'a> {
    library: Gcrypt,
    algorithm: Hash,
    messages: &'a [&'a [u8]],
}

impl Work for OneByOne<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        self.library.digest(self.algorithm, self.messages, digests);
        Ok(())
    }
}

struct Blake2bSimd<'a> {
    messages: &'a [&'a [u8]],
}

impl Work for Blake2bSimd<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        let parameters = blake2b_simd::Params::new();
        let mut jobs: Vec<_> =
            self.messages.iter().map(|message| HashManyJob::new(&parameters, message)).collect();
        hash_many(jobs.iter_mut());
        for (digest, job) in digests.chunks_exact_mut(blake2b_simd::OUTBYTES).zip(&jobs) {
            digest.copy_from_slice(job.to_hash().as_bytes());
        }
        Ok(())
    }
}

struct Tape<'a> {
    messages: &'a [&'a [u8]],
}

impl Work for Tape<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        let (digests, rest) = digests.as_chunks_mut();
        ensure!(rest.is_empty(), "a digest has 32 bytes");
        tape_sha256::hash_many(self.messages, digests);
        Ok(())
    }
}

/// The crates of RustCrypto: one message after the other.
fn rust_crypto<'a>(algorithm: Hash, messages: &'a [&'a [u8]]) -> Contestant<'a> {
    let digest: fn(&[u8], &mut [u8]) = match algorithm {
        Hash::Md5 => one::<md5::Md5>,
        Hash::Sha1 => one::<sha1::Sha1>,
        Hash::Sha256 => one::<sha2::Sha256>,
        Hash::Sha512 => one::<sha2::Sha512>,
        Hash::Sha3 => one::<sha3::Sha3_256>,
        Hash::Sm3 => one::<sm3::Sm3>,
        Hash::Blake2b => one::<blake2::Blake2b512>,
    };
    Contestant::new("RustCrypto", RustCrypto { digest, messages, length: algorithm.lanes().length() })
}

fn one<D: Digest>(message: &[u8], digest: &mut [u8]) {
    digest.copy_from_slice(&D::digest(message));
}

struct RustCrypto<'a> {
    digest: fn(&[u8], &mut [u8]),
    messages: &'a [&'a [u8]],
    length: usize,
}

impl Work for RustCrypto<'_> {
    fn digest(&mut self, digests: &mut [u8]) -> Result<()> {
        for (message, digest) in self.messages.iter().zip(digests.chunks_exact_mut(self.length)) {
            (self.digest)(message, digest);
        }
        Ok(())
    }
}
