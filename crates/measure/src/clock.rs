//! Clocks: what time a piece of work took, by the wall and of the processor, and what the asking itself costs.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use hashlane_digest::reference_cycles;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use perf_event::events::Hardware;
use perf_event::{Builder, Counter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the time of day may run from the steady clock before it counts as a step. Slewing by NTP is 0.5 ms a second.
const STEP: Duration = Duration::from_millis(500);

/// Time that a piece of work took. The processor's is that of all threads of this process, or of the programs that it waited
/// for where those are what is timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Elapsed {
    /// By a steady clock, in nanoseconds.
    pub wall_ns: u64,
    /// Processor time in user mode, in nanoseconds. The kernel counts it in whole microseconds or coarser.
    pub user_ns: u64,
    /// Processor time in the kernel, likewise.
    pub sys_ns: u64,
    /// Cycles that the cores spent on it in user mode; absent where the system does not let a program count them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub core_cycles: Option<u64>,
}

/// A stopwatch that runs.
#[derive(Debug)]
pub struct Stopwatch {
    of: UsageWho,
    user_ns: u64,
    sys_ns: u64,
    core_cycles: Option<u64>,
    start: Instant,
}

impl Stopwatch {
    /// Starts it. The steady clock is asked last.
    pub fn start() -> Self {
        Self::of(UsageWho::RUSAGE_SELF)
    }

    fn of(of: UsageWho) -> Self {
        let (user_ns, sys_ns) = processor_times(of);
        let core_cycles = core_cycles().filter(|_| of == UsageWho::RUSAGE_SELF);
        Self { of, user_ns, sys_ns, core_cycles, start: Instant::now() }
    }

    /// Starts it anew: what came before was preparation.
    pub fn restart(&mut self) {
        *self = Self::start();
    }

    /// Starts it anew for programs: processor time is that of those that end, and are waited for, before it is read.
    pub fn restart_for_programs(&mut self) {
        *self = Self::of(UsageWho::RUSAGE_CHILDREN);
    }

    /// Reads it. The steady clock is asked first.
    pub fn elapsed(&self) -> Elapsed {
        let wall = self.start.elapsed();
        let (user_ns, sys_ns) = processor_times(self.of);
        Elapsed {
            wall_ns: nanoseconds(wall),
            user_ns: user_ns.saturating_sub(self.user_ns),
            sys_ns: sys_ns.saturating_sub(self.sys_ns),
            core_cycles: core_cycles().zip(self.core_cycles).map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// Cycles that the cores have spent on this process in user mode, of all threads that began after the first call. `None`
/// where the kernel or the machine has no such counter for us.
fn core_cycles() -> Option<u64> {
    static COUNTER: OnceLock<Option<Mutex<Counter>>> = OnceLock::new();
    let start = || {
        let mut counter = Builder::new(Hardware::CPU_CYCLES).inherit(true).build().ok()?;
        counter.enable().ok()?;
        Some(Mutex::new(counter))
    };
    let counter = COUNTER.get_or_init(start).as_ref()?;
    counter.lock().unwrap_or_else(PoisonError::into_inner).read().ok()
}

/// How fast the reference cycles of the processor pass.
#[derive(Debug)]
pub struct ReferenceClock {
    cycles: u64,
    time: Instant,
}

impl ReferenceClock {
    /// Starts it; `None` where the processor has no counter that keeps its pace.
    pub fn start() -> Option<Self> {
        Some(Self { cycles: reference_cycles()?, time: Instant::now() })
    }

    /// Cycles in a second since the start.
    pub fn rate(&self) -> Option<f64> {
        let cycles = reference_cycles()?.checked_sub(self.cycles)?;
        let seconds = self.time.elapsed().as_secs_f64();
        (cycles > 0 && seconds > 0.0).then(|| cycles as f64 / seconds)
    }
}

/// What a stopwatch shows when nothing lies between its start and its reading, in nanoseconds: the median of many.
pub fn stopwatch_overhead_ns() -> u64 {
    const TIMES: usize = 1_001;
    let mut shown: Vec<u64> = (0..TIMES).map(|_| Stopwatch::start().elapsed().wall_ns).collect();
    shown.sort_unstable();
    shown[TIMES / 2]
}

/// Notices when the time of day is set while a run is under way. The samples are timed by a steady clock and stay right;
/// the dates in the run file do not.
#[derive(Debug)]
pub struct DayClock {
    steady: Instant,
    day: SystemTime,
}

impl DayClock {
    /// Notes both clocks.
    pub fn start() -> Self {
        Self { steady: Instant::now(), day: SystemTime::now() }
    }

    /// By how many seconds the time of day was stepped since, forward above 0; none if it was not.
    pub fn stepped_s(&self) -> Option<f64> {
        let steady = self.steady.elapsed().as_secs_f64();
        let day = match SystemTime::now().duration_since(self.day) {
            Ok(forward) => forward.as_secs_f64(),
            Err(backward) => -backward.duration().as_secs_f64(),
        };
        (day - steady).abs().ge(&STEP.as_secs_f64()).then_some(day - steady)
    }
}

/// A time in whole nanoseconds; five hundred years and more are as many as fit.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// User and system time so far of this process, or of all that it has waited for, in nanoseconds.
fn processor_times(of: UsageWho) -> (u64, u64) {
    let nanoseconds = |time: nix::sys::time::TimeVal| u64::try_from(time.num_nanoseconds()).unwrap_or(0);
    let times = |usage: Usage| (nanoseconds(usage.user_time()), nanoseconds(usage.system_time()));
    // It cannot fail for these; times of 0 would be seen.
    getrusage(of).map_or((0, 0), times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopwatch_sees_work_of_the_processor_and_sleep() {
        let watch = Stopwatch::start();
        let mut sum = 0u64;
        while watch.elapsed().user_ns + watch.elapsed().sys_ns < 20_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(watch.elapsed().wall_ns > 0);
        let watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(20));
        let idle = watch.elapsed();
        assert!(idle.wall_ns >= 20_000_000, "{idle:?}");
    }

    #[test]
    fn asking_costs_something_and_not_much() {
        let overhead = stopwatch_overhead_ns();
        assert!(overhead > 0 && overhead < 1_000_000, "{overhead}");
    }

    #[test]
    fn a_day_that_was_set_back_is_noticed() {
        let mut clock = DayClock::start();
        assert_eq!(clock.stepped_s(), None);
        clock.day += Duration::from_secs(3_600);
        let stepped = clock.stepped_s().expect("an hour back");
        assert!((stepped + 3_600.0).abs() < 1.0, "{stepped}");
        clock.day -= Duration::from_secs(7_200);
        assert!(clock.stepped_s().expect("an hour forward") > 3_599.0);
    }
}
