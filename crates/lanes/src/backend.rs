//! Backends: the ways in which a compression function is computed.

use std::fmt;

#[cfg(target_arch = "x86_64")]
use crate::cpu;

/// One way to compute a compression function: portable, or with an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Backend {
    /// AVX-512 F, BW and VL: sixteen words of 32 bits at a time, or eight of 64, or half as many; BMI for the rounds of a single
    /// message. Every CPU with BW has VL.
    Avx512,
    /// The rounds by the SHA extensions of x86, the message schedule by AVX-512. Only on AMD's CPUs: the extensions know nothing of the upper
    /// halves of registers, and others take hundreds of cycles to keep these whenever one kind of instruction follows the other (measured on an
    /// Emerald Rapids: a hundredth of the rate of the extensions alone).
    ShaNiAvx512,
    /// AVX2: eight words of 32 bits at a time, or four of 64; BMI for the rounds of a single message.
    Avx2,
    /// The SHA extensions of x86, messages interleaved.
    ShaNi,
    /// The SHA-512 instructions of ARMv8.2, messages interleaved.
    ArmSha512,
    /// The SHA-1 and SHA-256 instructions of ARMv8.0, messages interleaved.
    ArmSha,
    /// NEON: four words of 32 bits at a time, or two of 64.
    Neon,
    /// Plain words, one message after the other.
    Portable,
}

impl Backend {
    /// All of them, those that need most of the CPU first.
    pub const ALL: [Self; 8] = [
        Self::ShaNiAvx512,
        Self::Avx512,
        Self::Avx2,
        Self::ShaNi,
        Self::ArmSha512,
        Self::ArmSha,
        Self::Neon,
        Self::Portable,
    ];

    /// Its name, as the user gives it: `sha-ni`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::ShaNiAvx512 => "sha-ni-avx512",
            Self::Avx2 => "avx2",
            Self::ShaNi => "sha-ni",
            Self::ArmSha512 => "armv8-sha512",
            Self::ArmSha => "armv8-sha",
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }

    /// The backend of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|backend| backend.name() == name)
    }

    /// Whether this CPU has what it needs.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            match self {
                Self::Avx512 => {
                    std::arch::is_x86_feature_detected!("avx512f")
                        && std::arch::is_x86_feature_detected!("avx512bw")
                        && std::arch::is_x86_feature_detected!("avx512vl")
                        && has_bmi()
                }
                Self::ShaNiAvx512 => {
                    Self::ShaNi.is_available() && Self::Avx512.is_available() && cpu::mixes_sha_with_avx()
                }
                Self::Avx2 => std::arch::is_x86_feature_detected!("avx2") && has_bmi(),
                Self::ShaNi => {
                    std::arch::is_x86_feature_detected!("sha")
                        && std::arch::is_x86_feature_detected!("ssse3")
                        && std::arch::is_x86_feature_detected!("sse4.1")
                }
                Self::ArmSha512 | Self::ArmSha | Self::Neon => false,
                Self::Portable => true,
            }
        }
        // With the highest byte first the words of a register lie in another order than these kernels know.
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        {
            match self {
                Self::ArmSha512 => std::arch::is_aarch64_feature_detected!("sha3"),
                Self::ArmSha => std::arch::is_aarch64_feature_detected!("sha2"),
                Self::Neon | Self::Portable => true,
                Self::Avx512 | Self::ShaNiAvx512 | Self::Avx2 | Self::ShaNi => false,
            }
        }
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
        {
            self == Self::Portable
        }
    }
}

/// What the kernels for a single message need besides. Every CPU with AVX2 has it; a virtual machine need not show it.
#[cfg(target_arch = "x86_64")]
fn has_bmi() -> bool {
    std::arch::is_x86_feature_detected!("bmi1") && std::arch::is_x86_feature_detected!("bmi2")
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
