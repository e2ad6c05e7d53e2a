//! Digests of libcrypto as a probe, timed by our sampler.

use std::sync::Arc;

use anyhow::{Context, Result};
use hashlane_measure::check_up::DIGEST_BLOCK_BYTES;
use hashlane_measure::{Cell, Foreign, NotPossible, Probe, Stage, Stopwatch, Work};
use openssl::error::ErrorStack;
use openssl::hash::{MessageDigest, hash};
use openssl::md::Md;
use openssl::md_ctx::MdCtx;

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
            let digest =
                hash(self.digest, &self.piece).map_err(|error| NotPossible::Broken(error.to_string()))?;
            std::hint::black_box(digest);
        }
        Ok(Work { bytes: repeats * self.piece.len() as u64, operations: repeats, ..Work::default() })
    }
}

/// A function that digests a whole message, fetched once and given a context each time, as `openssl speed` does it.
pub(super) fn function(name: &'static str) -> Result<Foreign> {
    let digest = Md::fetch(None, super::evp_name(name), None);
    let digest = digest.with_context(|| format!("libcrypto has no {name}"))?;
    let once = move |message: &[u8]| -> Result<(), ErrorStack> {
        let mut context = MdCtx::new()?;
        let mut result = [0; 64];
        context.digest_init(&digest)?;
        context.digest_update(message)?;
        context.digest_final(&mut result[..digest.size()])?;
        std::hint::black_box(result);
        Ok(())
    };
    let function =
        move |message: &mut [u8]| once(message).expect("a digest that was fetched can be computed");
    Ok(Foreign { name: name.to_owned(), function: Arc::new(function) })
}
