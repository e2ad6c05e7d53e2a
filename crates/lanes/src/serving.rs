//! Which of several kernels serves how many messages.
//!
//! Messages that a kernel has no lanes for wait, and another kernel may serve them. So what is compared is the time of all
//! messages: of five, a kernel of four lanes leaves one behind, which takes longer alone than all five side by side in a
//! kernel of eight. Messages are taken to be of one length: nobody knows how long they are before they have ended.
//!
//! Stands on nothing else of this crate, so that its tests can be built without the kernels.

/// The most lanes that a kernel has.
pub(crate) const MAX_LANES: usize = 48;

/// How much faster kernels have to be measured for some messages than those that the fixed rates would take, for them to take
/// their place. What is measured in some milliseconds is off by some hundredths now and then; kernels that are as near to each
/// other as that may stay in the order that was measured with patience.
pub const MARGIN: f64 = 1.05;

/// Numbers of messages for which the fastest split is looked for. Of more, the kernel with the highest rate takes as many as it
/// has lanes until no more than these are left.
const SPLIT: usize = 2 * MAX_LANES;

/// A kernel, as far as the choice depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    pub(crate) lanes: usize,
    /// Bytes of all lanes together in a unit of time, with all of them taken.
    pub(crate) rate: f64,
}

impl Speed {
    /// The time that a byte in each lane takes, whether somebody sits there or not.
    fn turn(self) -> f64 {
        self.lanes as f64 / self.rate
    }
}

/// The place of the kernel that serves each number of messages.
#[derive(Clone)]
pub(crate) struct Serving {
    /// For none, which is never asked for, the first one.
    few: [usize; SPLIT + 1],
    many: usize,
}

impl Serving {
    /// The first kernel of the fastest split of each number of messages, by the rates of the kernels.
    pub(crate) fn fastest(kernels: &[Speed]) -> Self {
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
    pub(crate) fn measured(fixed: &[Speed], measured: &[Speed]) -> Self {
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

    pub(crate) fn place(&self, messages: usize) -> usize {
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
#[path = "serving/tests.rs"]
mod tests;
