//! What an algorithm has to do, and what it cannot.

use hashlane_lanes::Midstate;

/// How a message of an algorithm can be put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Saving {
    /// After any byte.
    Anywhere,
    /// After each [`crate::tree::SAVED_SPAN`] bytes: what came since is read again.
    Spans,
    /// Not at all: its library keeps its state to itself. The message is read again from its beginning.
    Never,
}

impl Saving {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Anywhere, Self::Spans, Self::Never];

    /// Its name, lower case: `anywhere`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anywhere => "anywhere",
            Self::Spans => "spans",
            Self::Never => "never",
        }
    }
}

/// What an algorithm has to do. The result must not depend on how the message is cut into updates.
pub trait State: Send {
    /// Takes in the next bytes of the message.
    fn update(&mut self, bytes: &[u8]);

    /// Writes the digest of all bytes so far into `digest`, whose length is the algorithm's, and leaves a fresh state.
    fn finish_into(&mut self, digest: &mut [u8]);

    /// Forgets all bytes so far, in place.
    fn reset(&mut self);

    /// Another state of the same bytes.
    fn duplicate(&self) -> Box<dyn State>;

    /// The CPU path that it takes on this machine, such as `sha-ni`. Must claim only what the code does.
    fn backend(&self) -> &'static str {
        "portable"
    }

    /// Whether the kernels of `hashlane-lanes` compute it, and no library.
    fn is_in_lanes(&self) -> bool {
        false
    }

    /// What another state of the algorithm needs to go on with the message, or with as much of it as can be put aside.
    /// `None` where a message cannot be.
    fn save(&self) -> Option<Midstate> {
        None
    }

    /// Goes on with a message that was saved, by this backend or another one, in place of what was there. False, and the
    /// state is fresh, if none of this algorithm can have been saved so: never a panic, now or later.
    fn restore(&mut self, _saved: &Midstate) -> bool {
        false
    }
}
