//! What an audit does at a time.

/// What an audit is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The tree is listed.
    Listing,
    /// Files are read.
    Reading,
    /// Files that differ are read again.
    ReadingAgain,
    /// What was found is recorded and reported.
    Ending,
}

impl Phase {
    /// All of them, in the order in which they begin.
    pub const ALL: [Self; 4] = [Self::Listing, Self::Reading, Self::ReadingAgain, Self::Ending];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Listing => "listing",
            Self::Reading => "reading",
            Self::ReadingAgain => "reading-again",
            Self::Ending => "ending",
        }
    }

    /// As it stands in the row of a stint.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Listing => 1,
            Self::Reading => 2,
            Self::ReadingAgain => 3,
            Self::Ending => 4,
        }
    }

    /// Nothing of an audit of an earlier program, which does not say.
    pub(crate) fn of_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_found_by_their_numbers_and_an_unknown_one_is_none() {
        for phase in Phase::ALL {
            assert_eq!(Phase::of_number(phase.number()), Some(phase));
        }
        assert_eq!([0, 5, -1].map(Phase::of_number), [None; 3]);
    }
}
