//! The CPU: what it calls itself, and its clock.

/// What distinguishes this CPU from others that may be faster at something else: maker, family, model, stepping, and its name.
/// `None` where a program cannot ask it.
pub fn cpu_model() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    return Some(x86::model());
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The features of this CPU that kernels here or in libraries for digests ask for, as Rust names them. A virtual machine
/// need not show all that the CPU has.
pub fn cpu_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($detected:ident: $($feature:tt)+) => {
            [$(($feature, std::arch::$detected!($feature))),+]
        };
    }
    #[cfg(target_arch = "x86_64")]
    let features = detected!(is_x86_feature_detected:
        "avx2" "avx512bw" "avx512f" "avx512vbmi" "avx512vl" "bmi1" "bmi2" "sha" "sse4.1" "ssse3");
    #[cfg(target_arch = "aarch64")]
    let features = detected!(is_aarch64_feature_detected: "neon" "sha2" "sha3");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let features: [(&str, bool); 0] = [];
    features.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
}

/// Cycles of the time stamp counter of x86 since the machine started. They are as long as they always are, however fast the
/// core runs just now. `None` where there is no such counter, or none that keeps its pace.
pub fn reference_cycles() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    return x86::keeps_pace().then(x86::cycles);
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The CPUs for which kernels have rates of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "of others there is one column of rates"))]
pub(crate) enum Core {
    /// AMD's with vector units of 256 bits, where the kernels were written, and all that are not known.
    Zen4,
    /// AMD's from family 26 on: their units have 512 bits, and their SHA extensions are no faster than with half of that. A bit says so
    /// (CPUID Fn8000_001A), which virtual machines do not show.
    Zen5,
    /// Intel's: their SHA extensions have one unit, and gain nothing from several messages.
    GoldenCove,
}

/// What this CPU is taken for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn core() -> Core {
    static CORE: std::sync::LazyLock<Core> = std::sync::LazyLock::new(x86::core);
    *CORE
}

/// Whether the SHA extensions may follow wide vectors at once, and these the extensions, see [`crate::Backend::ShaNiAvx512`]: on
/// AMD's CPUs, and those made after their designs.
#[cfg(target_arch = "x86_64")]
pub(crate) fn mixes_sha_with_avx() -> bool {
    static MIXES: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| ["AuthenticAMD", "HygonGenuine"].contains(&x86::maker().as_str()));
    *MIXES
}

/// What this CPU is taken for: there is one column of rates.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn core() -> Core {
    Core::Zen4
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{_rdtsc, CpuidResult};

    use super::Core;

    /// The leaf that says which is the last of the extended ones.
    const EXTENDED: u32 = 0x8000_0000;

    /// What the CPU says of itself. Zeros for a leaf that it does not have: it would answer for another one.
    fn leaf(number: u32) -> CpuidResult {
        // Newer compilers know by themselves that every CPU has this instruction.
        #[allow(unused_unsafe)]
        // SAFETY: every CPU with 64 bits has it.
        let ask = |number| unsafe { std::arch::x86_64::__cpuid(number) };
        let last = ask(number & EXTENDED).eax;
        if number <= last { ask(number) } else { CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 } }
    }

    /// The letters in registers, with one space between words.
    fn text(words: impl IntoIterator<Item = u32>) -> String {
        let bytes = words.into_iter().flat_map(u32::to_le_bytes);
        let plain = bytes.map(|byte| if byte.is_ascii_graphic() { char::from(byte) } else { ' ' });
        plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The maker, as it calls itself.
    pub(super) fn maker() -> String {
        let words = leaf(0);
        text([words.ebx, words.edx, words.ecx])
    }

    pub(super) fn model() -> String {
        let name = [EXTENDED + 2, EXTENDED + 3, EXTENDED + 4].into_iter().flat_map(|number| {
            let words = leaf(number);
            [words.eax, words.ebx, words.ecx, words.edx]
        });
        let (family, model, stepping) = signature(leaf(1).eax);
        format!("{} {family}-{model}-{stepping} {}", maker(), text(name)).trim_end().to_owned()
    }

    /// See [`super::core`].
    pub(super) fn core() -> Core {
        let (family, ..) = signature(leaf(1).eax);
        core_of(&maker(), family)
    }

    fn core_of(maker: &str, family: u32) -> Core {
        match maker {
            "AuthenticAMD" if family >= 26 => Core::Zen5,
            "GenuineIntel" => Core::GoldenCove,
            _ => Core::Zen4,
        }
    }

    /// Family, model and stepping (AMD64 Architecture Programmer's Manual, volume 3, CPUID Fn0000_0001).
    fn signature(eax: u32) -> (u32, u32, u32) {
        let (stepping, model, family) = (eax & 15, (eax >> 4) & 15, (eax >> 8) & 15);
        let (more_model, more_family) = ((eax >> 16) & 15, (eax >> 20) & 255);
        let model = if matches!(family, 6 | 15) { more_model << 4 | model } else { model };
        (if family == 15 { family + more_family } else { family }, model, stepping)
    }

    /// Whether the counter goes on at one rate through all changes of the core's clock and its sleep.
    pub(super) fn keeps_pace() -> bool {
        leaf(EXTENDED + 7).edx & 1 << 8 != 0
    }

    pub(super) fn cycles() -> u64 {
        // SAFETY: every CPU with 64 bits has the counter, and Linux lets programs read it.
        unsafe { _rdtsc() }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn signatures_are_taken_apart_as_the_manuals_say() {
            assert_eq!(signature(0x00a1_0f11), (25, 17, 1), "Zen 4");
            assert_eq!(signature(0x000c_06f2), (6, 207, 2), "Emerald Rapids");
            assert_eq!(signature(0x0000_0f4a), (15, 4, 10), "a family without more");
        }

        #[test]
        fn cores_are_known_by_maker_and_family() {
            assert_eq!(core_of("AuthenticAMD", 26), Core::Zen5);
            assert_eq!(core_of("AuthenticAMD", 25), Core::Zen4);
            assert_eq!(core_of("GenuineIntel", 6), Core::GoldenCove);
            assert_eq!(core_of("GenuineIntel", 26), Core::GoldenCove);
            assert_eq!(core_of("another", 26), Core::Zen4);
            let model = model();
            let family = model.split([' ', '-']).nth(1).expect("a family").parse().expect("a number");
            assert_eq!(core(), core_of(&maker(), family), "{model}");
        }

        #[test]
        fn the_cpu_says_who_it_is() {
            let model = model();
            let (maker, rest) = model.split_once(' ').expect("maker and numbers");
            assert!(maker.chars().all(|letter| letter.is_ascii_graphic()) && maker.len() > 3, "{model}");
            assert!(rest.split(' ').next().expect("numbers").split('-').count() == 3, "{model}");
            assert_eq!(model, super::model());
        }

        #[test]
        fn a_leaf_that_is_not_there_says_nothing() {
            assert_eq!(leaf(0x7fff_ffff).eax, 0);
        }
    }
}
