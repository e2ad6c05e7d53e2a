//! OpenSSL, one message after the other: the function is fetched once and the context kept, as its manual
//! advises.

use anyhow::{Context as _, Result};
use openssl::md::Md;
use openssl::md_ctx::MdCtx;

use super::cells::Hash;

/// A function with its context.
pub(super) struct Evp {
    function: Md,
    context: MdCtx,
}

impl Evp {
    pub(super) fn fetch(algorithm: Hash) -> Result<Self> {
        let name = match algorithm {
            Hash::Md5 => "MD5",
            Hash::Sha1 => "SHA1",
            Hash::Sha256 => "SHA2-256",
            Hash::Sha512 => "SHA2-512",
            Hash::Sha3 => "SHA3-256",
            Hash::Sm3 => "SM3",
            Hash::Blake2b => "BLAKE2B-512",
        };
        let function = Md::fetch(None, name, None).with_context(|| format!("OpenSSL has no {name}"))?;
        Ok(Self { function, context: MdCtx::new()? })
    }

    /// Writes the digests of all messages, one behind the other.
    pub(super) fn digest(&mut self, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        for (message, digest) in messages.iter().zip(digests.chunks_exact_mut(self.function.size())) {
            self.context.digest_init(&self.function)?;
            self.context.digest_update(message)?;
            self.context.digest_final(digest)?;
        }
        Ok(())
    }
}
