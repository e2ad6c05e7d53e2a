//! Which kernel serves how many messages: by fixed rates, by rates that were measured, or as it was asked for.
//!
//! Messages that a kernel has no lanes for wait, and another kernel may serve them. So what is compared is the time of all
//! messages: of five, a kernel of four lanes leaves one behind, which takes longer alone than all five side by side in a
//! kernel of eight. Messages are taken to be of one length: nobody knows how long they are before they have ended.

use crate::backend::Backend;
use crate::cpu;
use crate::kernel::{Kernel, Kernels, MAX_LANES};

/// How much faster kernels have to be measured for some messages than those that the fixed rates would take, for them to take
/// their place. What is measured in some milliseconds is off by some hundredths now and then; kernels that are as near to each
/// other as that may stay in the order that was measured with patience.
pub const MARGIN: f64 = 1.05;

/// How fast a kernel was measured to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Its backend.
    pub backend: Backend,
    /// How many messages it takes in at once.
    pub lanes: usize,
    /// Bytes of all messages together, in a second, with all lanes taken. Only the ratios count.
    pub bytes_per_second: f64,
}

/// Which kernels may serve, and what decides between them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// All that the CPU has, by the rates that they have where they were written.
    Fixed,
    /// All that the CPU has, by the rates that they have here.
    Measured(&'a [Rate]),
    /// Those of one backend, and the portable ones.
    Backend(Backend),
    /// One kernel: backend and lanes.
    Kernel(Backend, usize),
}

/// Numbers of messages for which the fastest split is looked for. Of more, the kernel with the highest rate takes as many as it
/// has lanes until no more than these are left.
const SPLIT: usize = 2 * MAX_LANES;

/// The kernels to use for a design, and the one for each number of messages.
pub(crate) struct Schedule<W: 'static> {
    kernels: Vec<&'static Kernel<W>>,
    serving: Serving,
}

// Not derived: that would ask the words to be `Clone`, of which there are none here.
impl<W> Clone for Schedule<W> {
    fn clone(&self) -> Self {
        Self { kernels: self.kernels.clone(), serving: self.serving.clone() }
    }
}

impl<W> Schedule<W> {
    /// `None` if this CPU or the design lacks what is wanted.
    pub(crate) fn new<D: Kernels<Word = W>>(wanted: Wanted<'_>) -> Option<Self> {
        let usable = |kernel: &&Kernel<W>| {
            kernel.backend.is_available()
                && match wanted {
                    Wanted::Fixed | Wanted::Measured(_) => true,
                    Wanted::Backend(backend) => [backend, Backend::Portable].contains(&kernel.backend),
                    Wanted::Kernel(backend, lanes) => (kernel.backend, kernel.lanes) == (backend, lanes),
                }
        };
        let kernels: Vec<_> = D::kernels().iter().filter(usable).collect();
        let is_there = match wanted {
            Wanted::Backend(backend) => kernels.iter().any(|kernel| kernel.backend == backend),
            _ => !kernels.is_empty(),
        };
        let rates = if let Wanted::Measured(rates) = wanted { measured(&kernels, rates) } else { None };
        is_there.then(|| {
            let core = cpu::core();
            let own = |kernel: &&Kernel<W>| Speed { lanes: kernel.lanes, rate: kernel.rates.on(core).into() };
            let fixed: Vec<_> = kernels.iter().map(own).collect();
            let serving = match rates {
                Some(rates) => {
                    let with = |(&speed, rate): (&Speed, f64)| Speed { rate, ..speed };
                    Serving::measured(&fixed, &fixed.iter().zip(rates).map(with).collect::<Vec<_>>())
                }
                None => Serving::fastest(&fixed),
            };
            Self { kernels, serving }
        })
    }

    /// The place of the kernel that serves so many messages, at least one. Those that it has no lanes for wait.
    pub(crate) fn place(&self, messages: usize) -> usize {
        self.serving.place(messages)
    }

    /// The kernel in a place.
    pub(crate) fn kernel(&self, place: usize) -> &'static Kernel<W> {
        self.kernels[place]
    }
}

/// The rates of the kernels, if all of them were measured: rates from here and from elsewhere cannot be compared.
fn measured<W>(kernels: &[&Kernel<W>], rates: &[Rate]) -> Option<Vec<f64>> {
    let of = |kernel: &&Kernel<W>| {
        let own = rates.iter().find(|rate| (rate.backend, rate.lanes) == (kernel.backend, kernel.lanes))?;
        (own.bytes_per_second.is_finite() && own.bytes_per_second > 0.0).then_some(own.bytes_per_second)
    };
    kernels.iter().map(of).collect()
}

/// A kernel, as far as the choice depends on it.
#[derive(Clone, Copy, Debug)]
struct Speed {
    lanes: usize,
    /// Bytes of all lanes together in a unit of time, with all of them taken.
    rate: f64,
}

impl Speed {
    /// The time that a byte in each lane takes, whether somebody sits there or not.
    fn turn(self) -> f64 {
        self.lanes as f64 / self.rate
    }
}

/// The place of the kernel that serves each number of messages.
#[derive(Clone)]
struct Serving {
    /// For none, which is never asked for, the first one.
    few: [usize; SPLIT + 1],
    many: usize,
}

impl Serving {
    /// The first kernel of the fastest split of each number of messages, by the rates of the kernels.
    fn fastest(kernels: &[Speed]) -> Self {
        let mut serving = Self { few: [0; SPLIT + 1], many: fastest(kernels) };
        let mut time = [0.0; SPLIT + 1];
        for messages in 1..=SPLIT {
            let rest = |place: usize| messages.saturating_sub(kernels[place].lanes);
            let with = |place: usize| kernels[place].turn() + time[rest(place)];
            let last = (0..kernels.len())
                .min_by(|&one, &other| with(one).total_cmp(&with(other)))
                .expect("there are kernels");
            time[messages] = with(last);
            // The order does not matter for the time. With the widest first, messages that turn out to be longer than the
            // others, which are begun first, have the most company.
            let others = serving.few[rest(last)];
            let wider = rest(last) > 0 && kernels[others].lanes > kernels[last].lanes;
            serving.few[messages] = if wider { others } else { last };
        }
        serving
    }

    /// The same by rates that were measured, but for numbers of messages where what the fixed rates choose is no slower than
    /// [`MARGIN`] allows. Because the rest is chosen in the same way, all messages together are within it too.
    fn measured(fixed: &[Speed], measured: &[Speed]) -> Self {
        let [mut serving, found] = [fixed, measured].map(Self::fastest);
        let [fixed, fastest] = [&serving, &found].map(|serving| serving.times(measured));
        for messages in 1..=SPLIT {
            if MARGIN * fastest[messages] < fixed[messages] {
                serving.few[messages] = found.few[messages];
            }
        }
        if measured[found.many].rate > MARGIN * measured[serving.many].rate {
            serving.many = found.many;
        }
        serving
    }

    /// The time that each number of messages takes, up to [`SPLIT`].
    fn times(&self, kernels: &[Speed]) -> [f64; SPLIT + 1] {
        let mut time = [0.0; SPLIT + 1];
        for messages in 1..=SPLIT {
            let kernel = kernels[self.few[messages]];
            time[messages] = kernel.turn() + time[messages.saturating_sub(kernel.lanes)];
        }
        time
    }

    fn place(&self, messages: usize) -> usize {
        self.few.get(messages).copied().unwrap_or(self.many)
    }
}

/// The place of the kernel with the highest rate.
fn fastest(kernels: &[Speed]) -> usize {
    (0..kernels.len())
        .max_by(|&one, &other| kernels[one].rate.total_cmp(&kernels[other].rate))
        .expect("there are kernels")
}

#[cfg(test)]
mod tests;
