//! What the figures depend on: processor, memory, kernel, file system, versions, and what else went on.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use hashlane_measure::{Look, Place};
use serde::Serialize;

/// The machine and what is installed on it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    /// Names records of this machine.
    #[serde(skip)]
    pub(crate) slug: String,
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

impl Machine {
    /// Describes this machine, for inputs in `directory`.
    pub(crate) fn describe(directory: &Path, hashlane: &Path) -> Self {
        let machine = hashlane_measure::Machine::describe();
        let place = Place::describe(directory);
        Self {
            slug: machine.slug(),
            processor: machine.processor.name,
            cores: machine.processor.cores,
            memory_bytes: machine.memory_bytes.unwrap_or(0),
            kernel: machine.kernel,
            governor: machine.processor.governor,
            file_system: place.map_or_else(
                |_| "unknown".to_owned(),
                |place| format!("{} on {}", place.file_system, place.mounted),
            ),
            programs: versions(hashlane),
        }
    }
}

/// What readers should be warned of, for a run that lay between two looks.
pub(crate) fn disturbances(before: &Look, after: &Look) -> Vec<String> {
    let noise = before.until(after);
    let load = noise.load_before.filter(|load| *load > 0.5);
    let stolen = noise.stolen.filter(|share| *share > 0.01);
    let load =
        load.map(|load| format!("the load average was {load:.2} at the start; let other work end first"));
    let stolen =
        stolen.map(|share| format!("the host took away {:.1} % of the processor time", share * 100.0));
    load.into_iter().chain(stolen).collect()
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
    let cargo_b3sum = xtask::cargo::cargo_bin().map(|folder| folder.join("b3sum"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described() {
        let machine = Machine::describe(Path::new("/"), Path::new("hashlane"));
        assert!(machine.slug.ends_with("-cores") && machine.memory_bytes > 0);
        assert_ne!(machine.file_system, "unknown");
        // Records name it by their file; it is none of their fields.
        assert!(!serde_json::to_string(&machine).expect("plain data").contains("slug"));
    }
}
