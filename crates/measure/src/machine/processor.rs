//! The processor: name, cores, features, caches, microcode, governor.

use std::fs;
use std::path::Path;
use std::thread;

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
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Model name; on ARM what identifies it.
    pub name: String,
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
#[serde(deny_unknown_fields)]
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

impl Processor {
    pub(super) fn describe() -> Self {
        let facts = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let frequency = Path::new("/sys/devices/system/cpu/cpu0/cpufreq");
        let frequency = |name: &str| line_of(frequency.join(name).to_str()?);
        let cores_of_machine = facts.lines().filter(|line| line.starts_with("processor")).count();
        Self {
            name: name_of(&facts),
            architecture: std::env::consts::ARCH.to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            cores_by_affinity: rustix::thread::sched_getaffinity(None).ok().map(|set| set.count() as usize),
            cores_of_machine: (cores_of_machine > 0).then_some(cores_of_machine),
            features: features_of(&facts),
            microcode: value(&facts, "microcode"),
            governor: frequency("scaling_governor"),
            highest_clock_khz: frequency("cpuinfo_max_freq").and_then(|rate| rate.parse().ok()),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
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

fn caches(directory: &Path) -> Vec<Cache> {
    let read = |index: usize| {
        let of = |name: &str| line_of(directory.join(format!("index{index}")).join(name).to_str()?);
        Some(Cache {
            level: of("level")?.parse().ok()?,
            kind: of("type")?.to_lowercase(),
            size_bytes: size(&of("size")?)?,
            shared_by: of("shared_cpu_list"),
        })
    };
    (0..).map_while(read).collect()
}

/// How many numbers a list has: `0-3,8` has five.
fn count_of(list: &str) -> usize {
    let count = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some(last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)? + 1),
        None => part.parse::<usize>().ok().map(|_| 1),
    };
    list.split(',').filter_map(|part| count(part.trim())).sum()
}

/// A size as sysfs writes it: `48K`.
fn size(text: &str) -> Option<u64> {
    match text.strip_suffix('K') {
        Some(kibibytes) => kibibytes.parse::<u64>().ok()?.checked_mul(1 << 10),
        None => text.strip_suffix('M')?.parse::<u64>().ok()?.checked_mul(1 << 20),
    }
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
        assert_eq!([count_of("0-3,8"), count_of("5"), count_of("")], [5, 1, 0]);
    }

    #[test]
    fn caches_are_read_as_sysfs_writes_them() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (index, (level, kind, size)) in [("1", "Data", "48K"), ("2", "Unified", "2M")].iter().enumerate()
        {
            let place = directory.path().join(format!("index{index}"));
            fs::create_dir(&place).expect("mkdir");
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(place.join(name), format!("{text}\n")).expect("write");
            }
        }
        let caches = caches(directory.path());
        assert_eq!(caches.len(), 2);
        assert_eq!((caches[0].level, caches[0].kind.as_str(), caches[0].size_bytes), (1, "data", 49_152));
        assert_eq!((caches[1].size_bytes, &caches[1].shared_by), (2 << 20, &None));
        assert!(super::caches(Path::new("/nowhere")).is_empty());
    }
}
