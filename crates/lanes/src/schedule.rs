//! The kernels of a design that may serve: by fixed rates, by rates that were measured, or as it was asked for.

use crate::backend::Backend;
use crate::cpu;
use crate::kernel::{Kernel, Kernels};
use crate::serving::{Serving, Speed};

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
    serving: Serving,
}

// Not derived: that would ask the words to be `Clone`, and there are none here.
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

    /// The place of the kernel that serves this many messages, at least one. Those that it has no lanes for wait.
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
