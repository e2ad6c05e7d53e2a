//! What the figures depend on: processor, memory, kernel, file system, versions, and what else went on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde::Serialize;

/// The machine and what is installed on it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    /// Model name of the processor.
    pub(crate) processor: String,
    /// Cores that this process may use.
    pub(crate) cores: usize,
    /// Bytes of memory.
    pub(crate) memory_bytes: u64,
    /// Release of the kernel.
    pub(crate) kernel: String,
    /// How the processor's frequency is governed, where that can be seen.
    pub(crate) governor: Option<String>,
    /// Type and source of the file system of the generated inputs.
    pub(crate) file_system: String,
    /// Versions of all programs.
    pub(crate) programs: BTreeMap<String, String>,
}

/// A look at what disturbs measurements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disturbance {
    stolen: u64,
    all: u64,
    load: f64,
}

impl Machine {
    /// Describes this machine, for inputs in `directory`.
    pub(crate) fn describe(directory: &Path, hashlane: &Path) -> Self {
        Self {
            processor: processor(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_bytes(),
            kernel: line_of("/proc/sys/kernel/osrelease").unwrap_or_default(),
            governor: line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            file_system: file_system(directory),
            programs: versions(hashlane),
        }
    }

    /// Names records of this machine.
    pub(crate) fn slug(&self) -> String {
        let name = self.processor.to_lowercase();
        let name = name.split('@').next().unwrap_or_default().replace("(r)", "").replace("(tm)", "");
        let word = |word: &&str| !word.is_empty() && !["cpu", "processor"].contains(word);
        let words: Vec<_> = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(word).collect();
        format!("{}-{}-cores", words.join("-"), self.cores)
    }
}

impl Disturbance {
    /// What the kernel counts now.
    pub(crate) fn now() -> Self {
        let stat = line_of("/proc/stat").unwrap_or_default();
        let times: Vec<u64> = stat.split_whitespace().skip(1).filter_map(|time| time.parse().ok()).collect();
        let load = line_of("/proc/loadavg").and_then(|line| line.split(' ').next()?.parse().ok());
        // The eighth is stolen time; the two after it are contained in others.
        Self {
            stolen: times.get(7).copied().unwrap_or(0),
            all: times.iter().take(8).sum(),
            load: load.unwrap_or(0.0),
        }
    }

    /// What readers should be warned of, for a run that began with `self`.
    pub(crate) fn warnings(self) -> Vec<String> {
        let now = Self::now();
        let mut warnings = Vec::new();
        if self.load > 0.5 {
            warnings.push(format!(
                "the load average was {:.2} at the start; let other work end first",
                self.load
            ));
        }
        let share = (now.stolen - self.stolen) as f64 / (now.all - self.all).max(1) as f64;
        if share > 0.01 {
            warnings.push(format!("the host took away {:.1} % of the processor time", share * 100.0));
        }
        warnings
    }
}

/// The line with which a program says its version.
pub(crate) fn version(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).stdin(Stdio::null()).output().ok()?;
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let text = String::from_utf8_lossy(&text);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn versions(hashlane: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let cargo_b3sum = crate::cargo::cargo_bin().map(|folder| folder.join("b3sum"));
    let mut asked = vec![
        ("hashlane", hashlane, "--version"),
        ("coreutils", Path::new("sha256sum"), "--version"),
        ("openssl", Path::new("openssl"), "version"),
        ("rhash", Path::new("rhash"), "--version"),
        ("hashdeep", Path::new("hashdeep"), "-V"),
        ("xxhsum", Path::new("xxhsum"), "--version"),
        ("b3sum", Path::new("b3sum"), "--version"),
    ];
    asked.extend(cargo_b3sum.as_deref().map(|path| ("b3sum (cargo)", path, "--version")));
    for (name, program, argument) in asked {
        if let Some(version) = version(program, argument) {
            found.insert(name.to_owned(), version);
        }
    }
    found
}

fn processor() -> String {
    let facts = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = facts.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    // On ARM there are numbers only.
    let numbers =
        || Some(format!("{} {} {}", std::env::consts::ARCH, value("CPU implementer")?, value("CPU part")?));
    value("model name").or_else(numbers).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn memory_bytes() -> u64 {
    let facts = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = facts.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
    total.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The mount with the longest path above the directory.
fn file_system(directory: &Path) -> String {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let parsed = mounts.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        Some((place.split(' ').nth(4)?, kind))
    });
    let above = parsed.filter(|(point, _)| directory.starts_with(point));
    let nearest = above.max_by_key(|(point, _)| point.len());
    let shown = |(_, kind): (&str, &str)| kind.split(' ').take(2).collect::<Vec<_>>().join(" on ");
    nearest.map_or_else(|| "unknown".to_owned(), shown)
}

fn line_of(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()?.lines().next().map(|line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_after_the_processor() {
        let mut machine = Machine {
            processor: "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz".to_owned(),
            cores: 2,
            memory_bytes: 0,
            kernel: String::new(),
            governor: None,
            file_system: String::new(),
            programs: BTreeMap::new(),
        };
        assert_eq!(machine.slug(), "intel-xeon-e5-2680-v4-2-cores");
        machine.processor = "AMD EPYC 9R45".to_owned();
        assert_eq!(machine.slug(), "amd-epyc-9r45-2-cores");
    }

    #[test]
    fn the_root_has_a_file_system() {
        assert_ne!(file_system(Path::new("/")), "unknown");
    }
}
