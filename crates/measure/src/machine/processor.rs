//! The processor: name, cores, features, caches, microcode, governor.

use std::fs;
use std::path::Path;
use std::thread;

use hashlane_io::{ProcessorCache, count_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::line_of;

/// Features that any algorithm or read path here depends on, as `/proc/cpuinfo` names them on x86 and ARM.
const FEATURES: [&str; 26] = [
    "aes",
    "asimd",
    "avx",
    "avx2",
    "avx512bw",
    "avx512f",
    "avx512vbmi",
    "avx512vl",
    "bmi2",
    "crc32",
    "hypervisor",
    "pclmulqdq",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sha512",
    "sha_ni",
    "sm3",
    "sse2",
    "sse4_1",
    "sse4_2",
    "ssse3",
    "sve",
    "vaes",
    "vpclmulqdq",
];

/// A processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Processor {
    /// Model name; on ARM what identifies it.
    pub name: String,
    /// Maker, family, model and stepping, and the name; on ARM the number of the main ID register. Names alone are shortened by
    /// hypervisors. Older files do not have it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signature: Option<String>,
    /// Architecture: `x86_64`.
    pub architecture: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Cores that the scheduler may put this process on; `cores` may be fewer, where control groups grant less.
    pub cores_by_affinity: Option<usize>,
    /// Cores that the machine has.
    pub cores_of_machine: Option<usize>,
    /// Features that matter here, as the kernel names them.
    pub features: Vec<String>,
    /// Revision of the microcode.
    pub microcode: Option<String>,
    /// How its clock rate is governed.
    pub governor: Option<String>,
    /// The highest clock rate in kHz.
    pub highest_clock_khz: Option<u64>,
    /// Caches of the first core, from the nearest.
    pub caches: Vec<Cache>,
}

/// A cache of the first core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// 1 is the nearest.
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Cores that share it, as the kernel lists them: `0-3`.
    pub shared_by: Option<String>,
}

impl From<ProcessorCache> for Cache {
    fn from(cache: ProcessorCache) -> Self {
        let ProcessorCache { level, kind, size_bytes, shared_by } = cache;
        Self { level, kind, size_bytes, shared_by }
    }
}

impl Processor {
    pub(super) fn describe() -> Self {
        let facts = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let frequency = Path::new("/sys/devices/system/cpu/cpu0/cpufreq");
        let frequency = |name: &str| line_of(frequency.join(name).to_str()?);
        let cores_of_machine = facts.lines().filter(|line| line.starts_with("processor")).count();
        Self {
            name: name_of(&facts),
            signature: hashlane_profile::cpu_signature(),
            architecture: std::env::consts::ARCH.to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            cores_by_affinity: rustix::thread::sched_getaffinity(None).ok().map(|set| set.count() as usize),
            cores_of_machine: (cores_of_machine > 0).then_some(cores_of_machine),
            features: features_of(&facts),
            microcode: value(&facts, "microcode"),
            governor: frequency("scaling_governor"),
            highest_clock_khz: frequency("cpuinfo_max_freq").and_then(|rate| rate.parse().ok()),
            caches: ProcessorCache::all().into_iter().map(Cache::from).collect(),
        }
    }

    /// Bytes of all caches of the farthest level together, as far as is known: each is as large as that of the first core.
    pub fn farthest_cache_bytes(&self) -> u64 {
        let Some(cache) = self.caches.iter().max_by_key(|cache| (cache.level, cache.size_bytes)) else {
            return 0;
        };
        let sharing = cache.shared_by.as_deref().map_or(1, count_of).max(1);
        let caches = self.cores_of_machine.unwrap_or(1).div_ceil(sharing).max(1);
        cache.size_bytes.saturating_mul(caches as u64)
    }
}

/// The first value of a key in `/proc/cpuinfo`.
fn value(facts: &str, key: &str) -> Option<String> {
    facts.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

/// `bogomips` on x86, `BogoMIPS` on ARM.
pub(super) fn bogomips(facts: &str) -> Option<f64> {
    let text = value(facts, "bogomips").or_else(|| value(facts, "BogoMIPS"))?;
    text.parse().ok().filter(|bogomips: &f64| bogomips.is_finite() && *bogomips > 0.0)
}

fn name_of(facts: &str) -> String {
    // On ARM there are numbers only.
    let numbers = || {
        let (maker, part) = (value(facts, "CPU implementer")?, value(facts, "CPU part")?);
        Some(format!("{} {maker} {part}", std::env::consts::ARCH))
    };
    value(facts, "model name").or_else(numbers).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn features_of(facts: &str) -> Vec<String> {
    let all = value(facts, "flags").or_else(|| value(facts, "Features")).unwrap_or_default();
    let mut features: Vec<_> =
        all.split_whitespace().filter(|feature| FEATURES.contains(feature)).map(str::to_owned).collect();
    features.sort_unstable();
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_of_both_architectures_have_a_name_and_features() {
        let x86 =
            "processor\t: 0\nmodel name\t: AMD EPYC 9R45\nmicrocode\t: 0xb\nflags\t\t: fpu sha_ni avx2 zzz\n";
        assert_eq!(name_of(x86), "AMD EPYC 9R45");
        assert_eq!(features_of(x86), ["avx2", "sha_ni"]);
        assert_eq!(value(x86, "microcode").as_deref(), Some("0xb"));
        let arm = "processor\t: 0\nFeatures\t: fp asimd sha2\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n";
        assert!(name_of(arm).ends_with("0x41 0xd40"));
        assert_eq!(features_of(arm), ["asimd", "sha2"]);
        assert_eq!(name_of(""), std::env::consts::ARCH);
        assert_eq!(bogomips("bogomips\t: 3992.77\n"), Some(3992.77));
        assert_eq!(bogomips("BogoMIPS\t: 108.00\n"), Some(108.0));
        assert_eq!(bogomips("bogomips\t: inf\n"), None);
    }
}
