//! What disturbs a measurement, as far as the kernel reports it: time that the host took away, other work, the governor, the
//! clock rate. Looked at before and after each sample, outside of its time.

use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Processor time of all cores since the machine started, in ticks, idle time included.
    all_ticks: u64,
    /// Of it, what the host of this virtual machine gave to others.
    stolen_ticks: u64,
    /// Of it, what was neither idle nor waiting.
    busy_ticks: u64,
    /// Threads that run or could, all programs together.
    runnable: Option<u32>,
    /// Load average of the last minute.
    load: Option<f64>,
    /// Rate of the first core in kHz.
    clock_khz: Option<u64>,
}

/// What was seen around one sample. Absent: the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Share of all processor time that the host took away meanwhile, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stolen: Option<f64>,
    /// Share of all processor time that was spent on anything meanwhile, 0 to 1; this program included.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy: Option<f64>,
    /// Threads that could run when the sample began, without the asking one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runnable_before: Option<u32>,
    /// The same when it ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runnable_after: Option<u32>,
    /// Load average of the minute before it began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub load_before: Option<f64>,
    /// Load average of the minute before it ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub load_after: Option<f64>,
    /// Rate of the first core in kHz before, where the kernel tells.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock_khz_before: Option<u64>,
    /// The same afterwards.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock_khz_after: Option<u64>,
}

impl Look {
    /// What the kernel counts now.
    pub fn now() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Self::parse(
            &read("/proc/stat"),
            &read("/proc/loadavg"),
            &read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"),
        )
    }

    /// Reads `/proc/stat`, `/proc/loadavg` (proc_pid_stat(5), proc_loadavg(5)) and a core's rate.
    fn parse(stat: &str, loadavg: &str, clock: &str) -> Self {
        let cores = stat.lines().find(|line| line.starts_with("cpu ")).unwrap_or_default();
        let ticks: Vec<u64> = cores.split_whitespace().skip(1).filter_map(|time| time.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; the two behind them are contained in user and nice.
        let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
        let all_ticks = ticks.iter().take(8).sum();
        let runnable = stat.lines().find_map(|line| line.strip_prefix("procs_running ")?.trim().parse().ok());
        Self {
            all_ticks,
            stolen_ticks: at(7),
            busy_ticks: all_ticks - at(3) - at(4),
            // The asking thread runs.
            runnable: runnable.map(|count: u32| count.saturating_sub(1)),
            load: loadavg.split(' ').next().and_then(|load| load.parse().ok()),
            clock_khz: clock.trim().parse().ok(),
        }
    }

    /// What lay between this look and a later one.
    pub fn until(&self, later: &Self) -> Noise {
        let all = later.all_ticks.saturating_sub(self.all_ticks);
        let share =
            |before: u64, after: u64| (all > 0).then(|| after.saturating_sub(before) as f64 / all as f64);
        Noise {
            stolen: share(self.stolen_ticks, later.stolen_ticks),
            busy: share(self.busy_ticks, later.busy_ticks),
            runnable_before: self.runnable,
            runnable_after: later.runnable,
            load_before: self.load,
            load_after: later.load,
            clock_khz_before: self.clock_khz,
            clock_khz_after: later.clock_khz,
        }
    }
}

/// What this process, and all its children that it has waited for, have read from devices so far; none where the kernel does
/// not count it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceReads(Option<u64>);

impl DeviceReads {
    pub(crate) fn now() -> Self {
        let counters = std::fs::read_to_string("/proc/self/io").ok();
        let bytes = counters.and_then(|counters| {
            counters.lines().find_map(|line| line.strip_prefix("read_bytes:")?.trim().parse().ok())
        });
        Self(bytes)
    }

    /// Whether nothing was read since, beyond doubt.
    pub(crate) fn are_the_same(self) -> bool {
        self.0.is_some() && Self::now().0 == self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "cpu  100 0 50 800 20 0 10 20 0 0\ncpu0 1 1 1 1\nprocs_running 3\n";
    const AFTER: &str = "cpu  140 0 60 840 20 0 10 30 7 7\ncpu0 1 1 1 1\nprocs_running 1\n";

    #[test]
    fn what_lies_between_two_looks_is_told_in_shares() {
        let before = Look::parse(BEFORE, "0.52 0.58 0.59 1/467 12345\n", "2400000\n");
        let after = Look::parse(AFTER, "0.60 0.58 0.59 1/467 12346\n", "1200000\n");
        let noise = before.until(&after);
        assert_eq!((noise.stolen, noise.busy), (Some(0.1), Some(0.6)));
        assert_eq!((noise.runnable_before, noise.runnable_after), (Some(2), Some(0)));
        assert_eq!((noise.load_before, noise.load_after), (Some(0.52), Some(0.6)));
        assert_eq!((noise.clock_khz_before, noise.clock_khz_after), (Some(2_400_000), Some(1_200_000)));
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_absent_and_not_zero() {
        let nothing = Look::parse("", "", "");
        assert_eq!(nothing.until(&nothing), Noise::default());
        assert_eq!(serde_json::to_string(&Noise::default()).expect("plain data"), "{}");
        // Between two looks within one tick there is nothing to tell shares from.
        let before = Look::parse(BEFORE, "", "");
        assert_eq!(before.until(&before).stolen, None);
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let look = Look::now();
        assert!(look.all_ticks > 0 && look.all_ticks >= look.busy_ticks);
    }

    #[test]
    fn what_comes_from_a_device_is_counted_and_what_is_cached_is_not() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = crate::LargeFile::create(directory.path(), 4 << 20, std::time::Duration::MAX, 1);
        let file = file.expect("there is room");
        let read = || std::io::copy(&mut file.open().expect("it is there"), &mut std::io::sink());
        // Where files are in memory, or nobody can tell, there is nothing to count.
        if !matches!(file.evict(), Ok(Ok(0))) || DeviceReads::now().0.is_none() {
            return;
        }
        let before = DeviceReads::now();
        read().expect("it can be read");
        assert!(!before.are_the_same());
        // Something else of this process may be read meanwhile, but not every time.
        let is_cached = || {
            let before = DeviceReads::now();
            read().expect("it can be read");
            before.are_the_same()
        };
        assert!((0..50).any(|_| is_cached()));
    }
}
