//! Which kernel serves how many messages: by a fixed order, by rates that were measured, or as it was asked for.

use crate::backend::Backend;
use crate::kernel::{Kernel, Kernels, MAX_LANES};

/// How much faster a kernel has to be measured than the one that the fixed order would take, for it to take its place.
/// What is measured in some milliseconds is off by some hundredths now and then; kernels that are as near to each other as
/// that may stay in the order that was measured with patience.
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

/// The kernels to use for a design, and the one for each number of messages.
pub(crate) struct Schedule<W: 'static> {
    kernels: Vec<&'static Kernel<W>>,
    /// The place of the kernel for each number of messages; for more than [`MAX_LANES`] it is the last one.
    serving: [usize; MAX_LANES + 1],
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
        is_there.then(|| Self {
            serving: std::array::from_fn(|messages| best(&kernels, rates.as_deref(), messages.max(1))),
            kernels,
        })
    }

    /// The place of the kernel that serves so many messages, at least one.
    pub(crate) fn place(&self, messages: usize) -> usize {
        self.serving[messages.min(MAX_LANES)]
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

/// The place of the kernel to take for so many messages.
fn best<W>(kernels: &[&Kernel<W>], rates: Option<&[f64]>, messages: usize) -> usize {
    // Lanes that nobody sits in count for nothing, and more messages wait.
    let filled = |place: usize, rate: f64| {
        let lanes = kernels[place].lanes;
        rate * messages.min(lanes) as f64 / lanes as f64
    };
    let fastest = |rate: &dyn Fn(usize) -> f64| {
        (0..kernels.len())
            .max_by(|&one, &other| filled(one, rate(one)).total_cmp(&filled(other, rate(other))))
            .expect("there are kernels")
    };
    let fixed = fastest(&|place| f64::from(kernels[place].rate));
    let Some(rates) = rates else { return fixed };
    let found = fastest(&|place| rates[place]);
    if filled(found, rates[found]) > MARGIN * filled(fixed, rates[fixed]) { found } else { fixed }
}
