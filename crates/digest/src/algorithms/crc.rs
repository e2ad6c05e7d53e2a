//! Cyclic redundancy checks of 32 and 64 bits by crc-fast, which folds with carry-less multiplication. Digests are big-endian.

use crc_fast::{CrcAlgorithm, Digest, get_calculator_target};
use hashlane_lanes::Midstate;

use crate::state::State;

/// CRC-32/ISO-HDLC: the one of zlib, gzip, PNG and Ethernet.
pub(crate) fn crc32() -> Box<dyn State> {
    start(CrcAlgorithm::Crc32IsoHdlc, 32)
}

/// CRC-32/ISCSI (RFC 3720, section 12.1): Castagnoli's polynomial.
pub(crate) fn crc32c() -> Box<dyn State> {
    start(CrcAlgorithm::Crc32Iscsi, 32)
}

/// CRC-64/NVME (NVM Command Set Specification 1.0, section 5.2.1.3.4): what S3 keeps of whole objects.
pub(crate) fn crc64nvme() -> Box<dyn State> {
    start(CrcAlgorithm::Crc64Nvme, 64)
}

fn start(algorithm: CrcAlgorithm, bits: u32) -> Box<dyn State> {
    Box::new(Crc { sum: Digest::new(algorithm), algorithm, bits, before: 0 })
}

#[derive(Clone)]
struct Crc {
    sum: Digest,
    algorithm: CrcAlgorithm,
    bits: u32,
    /// Bytes of the message that were taken in by another state, which this one goes on from.
    before: u64,
}

impl State for Crc {
    fn update(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        let value = self.sum.finalize().to_be_bytes();
        digest.copy_from_slice(&value[value.len() - digest.len()..]);
        self.reset();
    }

    fn reset(&mut self) {
        self.sum.reset();
        self.before = 0;
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn save(&self) -> Option<Midstate> {
        let chaining = self.sum.get_state().to_le_bytes().to_vec();
        Some(Midstate { length: self.before + self.sum.get_amount(), chaining, pending: Vec::new() })
    }

    fn restore(&mut self, saved: &Midstate) -> bool {
        self.reset();
        let Ok(register) = saved.chaining.as_slice().try_into().map(u64::from_le_bytes) else { return false };
        let fits = register.checked_shr(self.bits).unwrap_or(0) == 0;
        if !fits || !saved.pending.is_empty() || saved.length > Midstate::MOST_LENGTH {
            return false;
        }
        self.sum = Digest::new_with_init_state(self.algorithm, register);
        self.before = saved.length;
        true
    }

    /// Asks the crate, whose answer is an `architecture-instructions` text.
    fn backend(&self) -> &'static str {
        match get_calculator_target(self.algorithm).as_str() {
            "aarch64-neon-pmull" => "pmull",
            "aarch64-neon-pmull-sha3" => "pmull-sha3",
            "x86-sse-pclmulqdq" | "x86_64-sse-pclmulqdq" => "pclmulqdq",
            "x86_64-avx512-pclmulqdq" => "avx512-pclmulqdq",
            "x86_64-avx512-vpclmulqdq" => "avx512-vpclmulqdq",
            _ => "portable",
        }
    }
}
