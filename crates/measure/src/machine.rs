//! What the figures depend on: processor, memory, kernel, limits, backends. Nothing here needs rights; what the system
//! does not tell is absent.

mod cgroup;
mod processor;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hashlane_digest::{Algorithm, BackendChoice};
use hashlane_io::{Device, Medium};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cgroup::Limits;
pub use processor::{Cache, Processor};

/// A machine, as far as measurements depend on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The processor.
    pub processor: Processor,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Bytes of memory that programs could get when the run began.
    pub memory_available_bytes: Option<u64>,
    /// Release of the kernel.
    pub kernel: String,
    /// Name of the distribution.
    pub system: Option<String>,
    /// Whether huge pages are used: `always`, `madvise` or `never`.
    pub huge_pages: Option<String>,
    /// What the kernel took its loop of idling for, of the first core; says little of anything else.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bogomips: Option<f64>,
    /// What control groups, and its own limits, allow this process.
    pub limits: Limits,
    /// The implementation that serves a single message of each algorithm here.
    pub backends: BTreeMap<String, String>,
}

/// Where files are read and written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The directory, as it was given.
    pub path: String,
    /// Type of the file system.
    pub file_system: String,
    /// What is mounted there.
    pub mounted: String,
    /// Options of the mount.
    pub mount_options: String,
    /// What the bytes come from: `disk`, `virtual-disk`, `memory`, `network`, `layered`, `loop`, `unknown`.
    pub medium: String,
    /// The disk, as the kernel calls it.
    pub disk: Option<String>,
    /// Vendor and model of the disk.
    pub model: Option<String>,
    /// The file that the disk is, if it is a loop device, or made of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backing_file: Option<String>,
    /// Whether the disk says that it turns; virtual disks lie.
    pub rotational: Option<bool>,
    /// Bytes free for this user when the run began.
    pub free_bytes: u64,
    /// Bytes of the file system.
    pub size_bytes: u64,
}

impl Machine {
    /// Describes the machine that this runs on.
    pub fn describe() -> Self {
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        Self {
            processor: Processor::describe(),
            memory_bytes: kibibytes(&meminfo, "MemTotal:"),
            memory_available_bytes: kibibytes(&meminfo, "MemAvailable:"),
            kernel: line_of("/proc/sys/kernel/osrelease").unwrap_or_default(),
            system: system_name(&fs::read_to_string("/etc/os-release").unwrap_or_default()),
            huge_pages: line_of("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|line| chosen(&line)),
            bogomips: processor::bogomips(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            limits: Limits::of_this_process(),
            backends: backends(&BackendChoice::Auto),
        }
    }

    /// Bytes of memory that may be had: what is free, and what control groups and the process leave of their limits.
    pub fn free_memory_bytes(&self) -> u64 {
        let free = self.memory_available_bytes.or(self.memory_bytes).unwrap_or(0);
        let limits = [self.limits.memory_bytes, self.limits.address_space_bytes];
        limits.into_iter().flatten().fold(free, u64::min)
    }

    /// Cores that a control group grants, and those that there would be without it; none if it grants all.
    pub fn core_limit(&self) -> Option<(f64, usize)> {
        // `cores` is already cut to what is granted, in whole cores.
        let visible = self.processor.cores_by_affinity.unwrap_or(self.processor.cores);
        self.limits.cores.filter(|granted| *granted < visible as f64).map(|granted| (granted, visible))
    }

    /// What makes it another machine where it differs: its processor with its caches, its cores, and its memory in steps that the
    /// kernel's own share does not reach. Microcode and kernel are not among it: with others it is the same machine in another
    /// state. `None` where a file does not say which processor it was.
    pub(crate) fn identity(&self) -> Option<Vec<String>> {
        let processor = &self.processor;
        let caches = processor.caches.iter();
        let caches = caches.map(|cache| format!("L{} {} {}", cache.level, cache.kind, cache.size_bytes));
        Some(vec![
            processor.signature.clone()?,
            processor.architecture.clone(),
            format!("{} of {}", processor.cores, processor.cores_of_machine.unwrap_or(processor.cores)),
            caches.collect::<Vec<_>>().join(", "),
            installed_bytes(self.memory_bytes?).to_string(),
        ])
    }

    /// In what its state differs from another one of the same machine: `kernel 6.18.1 instead of 6.12.4`.
    pub fn other_state(&self, other: &Self) -> Vec<String> {
        let states = [
            ("kernel", Some(&self.kernel), Some(&other.kernel)),
            ("microcode", self.processor.microcode.as_ref(), other.processor.microcode.as_ref()),
        ];
        let differs = |(what, here, there): (&str, Option<&String>, Option<&String>)| {
            let (here, there) = (here?, there?);
            (here != there).then(|| format!("{what} {here} instead of {there}"))
        };
        states.into_iter().filter_map(differs).collect()
    }

    /// A short name for tables and files: `amd-epyc-9r45-2-cores`.
    pub fn slug(&self) -> String {
        let name = self.processor.name.to_lowercase().replace("(r)", "").replace("(tm)", "");
        let name = name.split('@').next().unwrap_or_default();
        let word = |word: &&str| !word.is_empty() && !["cpu", "processor"].contains(word);
        let words: Vec<_> = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(word).collect();
        format!("{}-{}-cores", words.join("-"), self.processor.cores)
    }
}

/// The name of this host, as its kernel has it; none where it has none.
pub(crate) fn host_name() -> Option<String> {
    let name = line_of("/proc/sys/kernel/hostname")?;
    (name != "(none)").then(|| crate::text::shown(&name))
}

/// The backend that serves a single message of each algorithm.
pub(crate) fn backends(choice: &BackendChoice) -> BTreeMap<String, String> {
    let served = |algorithm: Algorithm| algorithm.backend_for(1, choice).to_owned();
    Algorithm::all().map(|algorithm| (algorithm.name().to_owned(), served(algorithm))).collect()
}

impl Place {
    /// Describes the file system under a directory.
    ///
    /// # Errors
    /// What the system says of the path.
    pub fn describe(path: &Path) -> std::io::Result<Self> {
        let device = Device::at(path)?;
        let space = rustix::fs::statvfs(path)?;
        Ok(Self {
            path: path.to_string_lossy().into_owned(),
            file_system: device.file_system,
            mounted: device.mounted,
            mount_options: device.mount_options,
            medium: medium_name(device.medium).to_owned(),
            disk: device.disk,
            model: device.model,
            backing_file: device.backing_file.map(|file| file.to_string_lossy().into_owned()),
            rotational: device.rotational,
            free_bytes: space.f_bavail.saturating_mul(space.f_frsize),
            size_bytes: space.f_blocks.saturating_mul(space.f_frsize),
        })
    }
}

fn medium_name(medium: Medium) -> &'static str {
    match medium {
        Medium::Disk => "disk",
        Medium::Layered => "layered",
        Medium::Loop => "loop",
        Medium::Memory => "memory",
        Medium::Network => "network",
        Medium::Synthetic => "synthetic",
        Medium::VirtualDisk => "virtual-disk",
        _ => "unknown",
    }
}

/// The memory that there is, by what the kernel leaves of it: that is less, by a share that differs between kernels.
fn installed_bytes(total_bytes: u64) -> u64 {
    let step = if total_bytes < 8 << 30 { 256 << 20 } else { 1 << 30 };
    total_bytes.next_multiple_of(step)
}

/// The first line of a file.
fn line_of(path: &str) -> Option<String> {
    let line = fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned();
    (!line.is_empty()).then_some(line)
}

/// A value of `/proc/meminfo`, in bytes.
pub(crate) fn kibibytes(meminfo: &str, key: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The name in os-release(5).
fn system_name(release: &str) -> Option<String> {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

/// The word in brackets: `always [madvise] never`.
fn chosen(line: &str) -> Option<String> {
    Some(line.split_once('[')?.1.split_once(']')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described() {
        let machine = Machine::describe();
        assert!(machine.processor.cores >= 1 && !machine.processor.name.is_empty());
        assert!(machine.memory_bytes.expect("told on Linux") > 0);
        assert!(!machine.kernel.is_empty());
        assert!(machine.backends.contains_key("sha256"));
        let json = serde_json::to_string(&machine).expect("plain data");
        assert_eq!(serde_json::from_str::<Machine>(&json).expect("as it was written"), machine);
    }

    #[test]
    fn a_place_is_described() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let place = Place::describe(directory.path()).expect("it is there");
        assert!(!place.file_system.is_empty() && place.size_bytes > 0);
        let nowhere = Place::describe(&directory.path().join("nowhere")).expect_err("it is not there");
        assert_eq!(nowhere.kind(), std::io::ErrorKind::NotFound);
    }

    #[test]
    fn system_files_are_read() {
        assert_eq!(kibibytes("MemTotal:       24 kB\nMemFree: 1 kB\n", "MemTotal:"), Some(24_576));
        assert_eq!(kibibytes("MemTotal: many\n", "MemTotal:"), None);
        assert_eq!(
            system_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 13\"\n").as_deref(),
            Some("Debian GNU/Linux 13")
        );
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("what"), None);
    }

    #[test]
    fn a_machine_is_another_by_its_processor_and_memory_and_not_by_its_kernel() {
        let mut machine = Machine::describe();
        machine.processor.signature = Some("AuthenticAMD 26 2 1, AMD EPYC".into());
        machine.processor.caches =
            vec![Cache { level: 3, kind: "unified".into(), size_bytes: 32 << 20, shared_by: None }];
        machine.memory_bytes = Some(25_300_000_000);
        let identity = machine.identity().expect("it says what it is");
        let with = |change: fn(&mut Machine)| {
            let mut other = machine.clone();
            change(&mut other);
            other.identity()
        };
        let others: [fn(&mut Machine); 5] = [
            |other| other.processor.signature = Some("AuthenticAMD 25 1 1, AMD EPYC".into()),
            |other| other.processor.caches[0].size_bytes *= 2,
            |other| other.processor.cores += 1,
            |other| other.processor.cores_of_machine = Some(1_000),
            |other| other.memory_bytes = Some(50_000_000_000),
        ];
        for change in others {
            assert_ne!(with(change), Some(identity.clone()));
        }
        let same: [fn(&mut Machine); 4] = [
            |other| other.kernel = "9.9.9".into(),
            |other| other.processor.microcode = Some("0xff".into()),
            |other| other.memory_bytes = Some(25_200_000_000),
            |other| other.memory_available_bytes = Some(1),
        ];
        for change in same {
            assert_eq!(with(change), Some(identity.clone()));
        }
        assert_eq!(with(|other| other.processor.signature = None), None, "an older file does not say");
        let mut later = machine.clone();
        assert!(later.other_state(&machine).is_empty());
        later.kernel = "9.9.9".into();
        machine.kernel = "6.18.1".into();
        assert_eq!(later.other_state(&machine), ["kernel 9.9.9 instead of 6.18.1"]);
        (later.processor.microcode, machine.processor.microcode) = (Some("0x2".into()), Some("0x1".into()));
        assert_eq!(later.other_state(&machine)[1], "microcode 0x2 instead of 0x1");
        machine.processor.microcode = None;
        assert_eq!(later.other_state(&machine).len(), 1, "what is not told does not differ");
    }

    #[test]
    fn machines_are_named_after_their_processor() {
        let mut machine = Machine::describe();
        machine.processor.cores = 2;
        machine.processor.name = "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz".into();
        assert_eq!(machine.slug(), "intel-xeon-e5-2680-v4-2-cores");
    }
}
