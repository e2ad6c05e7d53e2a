//! Limits of control groups and of the process: what a container, or who began it, leaves it of the machine.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the control groups of this process allow it, and its own limits. Absent: there is no limit, or it cannot be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Processor time for each second, in cores.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cores: Option<f64>,
    /// Bytes of memory that were left of the limit when the run began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_bytes: Option<u64>,
    /// Bytes of address space that were left of the limit of the process (`ulimit -v`) when it began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address_space_bytes: Option<u64>,
}

impl Limits {
    pub(super) fn of_this_process() -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let groups = Self::read(Path::new("/sys/fs/cgroup"), &own);
        Self { address_space_bytes: hashlane_io::address_space_limit(), ..groups }
    }

    /// The narrowest limits on the way from the own group up to the root, of version 2 and of version 1.
    fn read(root: &Path, own: &str) -> Self {
        let mut limits = Self::default();
        for line in own.lines() {
            // `0::/path` in version 2, `3:cpu,cpuacct:/path` in version 1.
            let mut parts = line.splitn(3, ':');
            let (Some(number), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let mount = if number == "0" { root.to_path_buf() } else { root.join(controllers) };
            for group in way_up(&mount, path) {
                limits.narrow(cores_v2(&group).or_else(|| cores_v1(&group)), memory(&group));
            }
        }
        limits
    }

    fn narrow(&mut self, cores: Option<f64>, memory_bytes: Option<u64>) {
        let less = |a: f64, b: f64| a.min(b);
        self.cores = self.cores.into_iter().chain(cores).reduce(less);
        self.memory_bytes = self.memory_bytes.into_iter().chain(memory_bytes).min();
    }
}

/// A group and all above it. In a container the path may name groups that are mounted away; those are passed over.
fn way_up(mount: &Path, path: &str) -> Vec<PathBuf> {
    let group = mount.join(path.trim_start_matches('/'));
    group.ancestors().take_while(|at| at.starts_with(mount)).map(Path::to_path_buf).collect()
}

fn number(group: &Path, name: &str) -> Option<f64> {
    fs::read_to_string(group.join(name)).ok()?.trim().parse().ok()
}

/// `max 100000` or `150000 100000`: microseconds in each period.
fn cores_v2(group: &Path) -> Option<f64> {
    let text = fs::read_to_string(group.join("cpu.max")).ok()?;
    let (quota, period) = text.trim().split_once(' ')?;
    share(quota.parse().ok()?, period.parse().ok()?)
}

fn cores_v1(group: &Path) -> Option<f64> {
    share(number(group, "cpu.cfs_quota_us")?, number(group, "cpu.cfs_period_us")?)
}

fn share(quota: f64, period: f64) -> Option<f64> {
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// What is left of a limit. Version 1 writes no limit as a huge number. Page cache counts as used, and is given up when
/// memory is wanted: of it only what the kernel calls active is not free.
fn memory(group: &Path) -> Option<u64> {
    let bytes = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit =
        bytes("memory.max").or_else(|| bytes("memory.limit_in_bytes")).filter(|limit| *limit < 1 << 60)?;
    let used = bytes("memory.current").or_else(|| bytes("memory.usage_in_bytes")).unwrap_or(0);
    let facts = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let inactive = facts.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(inactive.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("mkdir");
            fs::write(path, text).expect("write");
        }
    }

    #[test]
    fn the_narrowest_limit_on_the_way_up_counts() {
        let root = tempfile::tempdir().expect("a temporary directory");
        write(
            root.path(),
            &[
                ("a/cpu.max", "150000 100000\n"),
                ("a/memory.max", "max\n"),
                ("a/b/cpu.max", "max 100000\n"),
                ("a/b/memory.max", "1000000\n"),
                ("a/b/memory.current", "400000\n"),
                ("a/b/memory.stat", "anon 100000\ninactive_file 300000\n"),
            ],
        );
        let limits = Limits::read(root.path(), "0::/a/b\n");
        assert_eq!(
            limits,
            Limits { cores: Some(1.5), memory_bytes: Some(900_000), address_space_bytes: None }
        );
        // In a container the path of the host is not there, and the root is.
        write(root.path(), &[("cpu.max", "200000 100000\n")]);
        assert_eq!(Limits::read(root.path(), "0::/docker/xyz\n").cores, Some(2.0));
    }

    #[test]
    fn version_1_is_read_too_and_no_limit_is_none() {
        let root = tempfile::tempdir().expect("a temporary directory");
        write(
            root.path(),
            &[
                ("cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n"),
                ("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n"),
                ("cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
                ("cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
                ("memory/x/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        let own = "5:cpu,cpuacct:/x\n4:memory:/x\n";
        assert_eq!(Limits::read(root.path(), own), Limits { cores: Some(0.5), ..Limits::default() });
        assert_eq!(Limits::read(root.path(), "nonsense\n"), Limits::default());
    }
}
