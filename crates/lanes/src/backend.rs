//! Backends: the ways in which a compression function is computed.

use std::fmt;

/// One way to compute a compression function: portable, or with an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Backend {
    /// AVX-512 F and BW: sixteen words of 32 bits at a time, or eight of 64.
    Avx512,
    /// The rounds by the SHA extensions of x86, the message schedule by AVX-512.
    ShaNiAvx512,
    /// AVX2: eight words of 32 bits at a time, or four of 64.
    Avx2,
    /// The SHA extensions of x86, messages interleaved.
    ShaNi,
    /// Plain words, one message after the other.
    Portable,
}

impl Backend {
    /// All of them, those that need most of the CPU first.
    pub const ALL: [Self; 5] = [Self::ShaNiAvx512, Self::Avx512, Self::Avx2, Self::ShaNi, Self::Portable];

    /// Its name, as the user gives it: `sha-ni`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::ShaNiAvx512 => "sha-ni-avx512",
            Self::Avx2 => "avx2",
            Self::ShaNi => "sha-ni",
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
                }
                Self::ShaNiAvx512 => Self::ShaNi.is_available() && Self::Avx512.is_available(),
                Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
                Self::ShaNi => {
                    std::arch::is_x86_feature_detected!("sha")
                        && std::arch::is_x86_feature_detected!("ssse3")
                        && std::arch::is_x86_feature_detected!("sse4.1")
                }
                Self::Portable => true,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
