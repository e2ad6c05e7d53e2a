//! Digests of libcrypto as a probe, timed by our sampler.

use anyhow::{Context, Result};
use hashlane_measure::check_up::DIGEST_BLOCK_BYTES;
use hashlane_measure::{Cell, NotPossible, Probe, Stage, Stopwatch, Work};
use openssl::hash::{MessageDigest, hash};

/// Digests pieces of the size of a ceiling, a message each, as `openssl speed` does it.
pub(super) struct LibcryptoProbe {
    name: &'static str,
    piece: Vec<u8>,
    digest: MessageDigest,
}

impl LibcryptoProbe {
    pub(super) fn new(name: &'static str) -> Result<Self> {
        let digest = MessageDigest::from_name(super::evp_name(name));
        let digest = digest.with_context(|| format!("libcrypto has no {name}"))?;
        Ok(Self { name, piece: super::piece(DIGEST_BLOCK_BYTES), digest })
    }
}

impl Probe for LibcryptoProbe {
    fn cell(&self) -> Cell {
        Cell { algorithm: Some(self.name.to_owned()), ..Cell::new(Stage::Digest) }
    }

    fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
        for _ in 0..repeats {
            let digest = hash(self.digest, &self.piece).map_err(|error| NotPossible(error.to_string()))?;
            std::hint::black_box(digest);
        }
        Ok(Work { bytes: repeats * self.piece.len() as u64, operations: repeats, ..Work::default() })
    }
}
