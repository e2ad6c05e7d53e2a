//! The number of files per verdict.

use crate::verdict::{Unchecked, Verdict};

/// The number of files per verdict, counted once for the inputs and once for the known files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Inputs, each counted once.
    pub inputs: u64,
    /// Known files, each name counted once.
    pub knowns: u64,
    /// Records that added nothing to a known file.
    pub repeated: u64,
    /// Records that added something to a known file.
    pub merged: u64,
    /// Known files whose records contradict each other, and records that contradict themselves.
    pub conflicting: u64,
    /// Records that could not be stored.
    pub refused: u64,
    /// Inputs that were seen before: the first reading counts.
    pub seen_again: u64,
    of_inputs: Tally,
    of_knowns: Tally,
    /// Those of inputs that known files have as well.
    of_both: Tally,
}

/// The number of files per kind of verdict, and of those not checked per reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    kinds: [u64; Verdict::ALL.len()],
    reasons: [u64; Unchecked::ALL.len()],
}

impl Counters {
    /// The number of files with a verdict, whatever its reason. A moved file counts once, and so does an input of known name.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.of_inputs(verdict) + self.of_knowns(verdict) - self.of_both.kinds[verdict.number()]
    }

    /// The number of inputs with a verdict: none is missing or lost as a duplicate.
    pub fn of_inputs(&self, verdict: Verdict) -> u64 {
        self.of_inputs.kinds[verdict.number()]
    }

    /// The number of known files with a verdict: none is new or copied, and a collision or an unreadable file
    /// counts only where its name is known.
    pub fn of_knowns(&self, verdict: Verdict) -> u64 {
        self.of_knowns.kinds[verdict.number()]
    }

    /// The number of files that were not checked for this reason.
    pub fn not_checked(&self, reason: Unchecked) -> u64 {
        let of = |tally: &Tally| tally.reasons[reason as usize];
        of(&self.of_inputs) + of(&self.of_knowns) - of(&self.of_both)
    }

    /// The sum of all verdicts on inputs, and that on known files. When the audit is finished, they equal [`Counters::inputs`] and
    /// [`Counters::knowns`].
    pub fn sums(&self) -> (u64, u64) {
        (self.of_inputs.kinds.iter().sum(), self.of_knowns.kinds.iter().sum())
    }

    /// Whether the audit is finished, at least one file passed, and nothing else was found. Neutral verdicts do not count. A record that
    /// contradicts another or could not be stored does: a file may be ok by one record and not by the other.
    pub fn passed(&self) -> bool {
        let given = || Verdict::ALL.into_iter().filter(|verdict| self.of(*verdict) > 0);
        let only_passes = given().all(|verdict| verdict.is_pass() || verdict.is_neutral());
        given().any(Verdict::is_pass)
            && only_passes
            && self.conflicting == 0
            && self.refused == 0
            && self.sums() == (self.inputs, self.knowns)
    }

    /// Counts an input, and the known file that has its verdict from it.
    pub(crate) fn input(&mut self, verdict: Verdict, known: bool) {
        self.of_inputs.count(verdict);
        if known {
            self.of_knowns.count(verdict);
            self.of_both.count(verdict);
        }
    }

    /// Counts a known file for which there is no input.
    pub(crate) fn known(&mut self, verdict: Verdict) {
        self.of_knowns.count(verdict);
    }
}

impl Tally {
    fn count(&mut self, verdict: Verdict) {
        self.kinds[verdict.number()] += 1;
        if let Some(reason) = verdict.reason() {
            self.reasons[reason as usize] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_ok() -> Counters {
        let mut counters = Counters { inputs: 1, knowns: 1, ..Counters::default() };
        counters.input(Verdict::Ok, true);
        counters
    }

    #[test]
    fn nothing_at_all_is_no_pass() {
        assert!(!Counters::default().passed());
        assert!(all_ok().passed());
    }

    #[test]
    fn any_other_verdict_and_any_contradiction_is_no_pass() {
        let is_found = |verdict: &Verdict| !verdict.is_pass() && !verdict.is_neutral();
        for verdict in Verdict::ALL.into_iter().filter(is_found) {
            let mut counters = all_ok();
            counters.known(verdict);
            counters.knowns += 1;
            assert!(!counters.passed(), "{verdict}");
            let mut counters = all_ok();
            counters.input(verdict, false);
            counters.inputs += 1;
            assert!(!counters.passed(), "{verdict}");
        }
        assert!(!Counters { conflicting: 1, ..all_ok() }.passed());
        assert!(!Counters { refused: 1, ..all_ok() }.passed());
        assert!(!Counters { knowns: 2, ..all_ok() }.passed());
        let mut counters = Counters { knowns: 2, repeated: 3, merged: 1, seen_again: 1, ..all_ok() };
        assert!(!counters.passed());
        counters.known(Verdict::Excluded);
        assert!(counters.passed());
    }

    #[test]
    fn reasons_are_counted_apart_and_together() {
        let mut counters = Counters::default();
        counters.input(Verdict::NotChecked(Unchecked::Offline), true);
        counters.known(Verdict::NotChecked(Unchecked::Budget));
        counters.known(Verdict::NotChecked(Unchecked::Offline));
        let of = |reason| counters.not_checked(reason);
        assert_eq!((of(Unchecked::Offline), of(Unchecked::Budget), of(Unchecked::Held)), (2, 1, 0));
        assert_eq!(counters.of(Verdict::NotChecked(Unchecked::Held)), 3, "of the kind, whatever the reason");
    }
}
