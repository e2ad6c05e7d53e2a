//! Cyclic redundancy checks of 32 bits by crc-fast, which folds with carry-less multiplication. Digests are big-endian.

use crc_fast::{CrcAlgorithm, Digest, get_calculator_target};

use crate::hasher::State;

/// CRC-32/ISO-HDLC: the one of zlib, gzip, PNG and Ethernet.
pub(crate) fn crc32() -> Box<dyn State> {
    Box::new(Crc32(Digest::new(CrcAlgorithm::Crc32IsoHdlc)))
}

/// CRC-32/ISCSI (RFC 3720, section 12.1): Castagnoli's polynomial.
pub(crate) fn crc32c() -> Box<dyn State> {
    Box::new(Crc32(Digest::new(CrcAlgorithm::Crc32Iscsi)))
}

struct Crc32(Digest);

impl State for Crc32 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        let value = u32::try_from(self.0.finalize_reset()).expect("a CRC of 32 bits fits");
        digest.copy_from_slice(&value.to_be_bytes());
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    /// Asks the crate, whose answer is an `architecture-instructions` text.
    fn backend(&self) -> &'static str {
        match get_calculator_target(CrcAlgorithm::Crc32IsoHdlc).as_str() {
            "aarch64-neon-pmull" => "pmull",
            "aarch64-neon-pmull-sha3" => "pmull-sha3",
            "x86-sse-pclmulqdq" | "x86_64-sse-pclmulqdq" => "pclmulqdq",
            "x86_64-avx512-pclmulqdq" => "avx512-pclmulqdq",
            "x86_64-avx512-vpclmulqdq" => "avx512-vpclmulqdq",
            _ => "portable",
        }
    }
}
