//! How many files there are of each verdict.

use crate::verdict::Verdict;

/// How many files there are of each verdict, counted once for the inputs and once for the known files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Inputs, each counted once.
    pub inputs: u64,
    /// Known files, each name counted once.
    pub knowns: u64,
    /// Records that said nothing new of a known file.
    pub repeated: u64,
    /// Records that added something to a known file.
    pub merged: u64,
    /// Records that contradicted a known file, or themselves.
    pub conflicting: u64,
    /// Records for which there was no room.
    pub refused: u64,
    /// Inputs that were seen before: the first reading counts.
    pub seen_again: u64,
    of_inputs: [u64; Verdict::ALL.len()],
    of_knowns: [u64; Verdict::ALL.len()],
}

impl Counters {
    /// The number of files with a verdict. A moved file counts once, and so does an input of known name.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.of_inputs(verdict).max(self.of_knowns(verdict))
    }

    /// The number of inputs with a verdict: none is missing or lost as a duplicate.
    pub fn of_inputs(&self, verdict: Verdict) -> u64 {
        self.of_inputs[verdict as usize]
    }

    /// The number of known files with a verdict: none is new or copied, and a collision or an unreadable file
    /// counts only where its name is known.
    pub fn of_knowns(&self, verdict: Verdict) -> u64 {
        self.of_knowns[verdict as usize]
    }

    /// The inputs of all verdicts together, and the known files of all verdicts together. When the audit is
    /// finished they are [`Counters::inputs`] and [`Counters::knowns`].
    pub fn sums(&self) -> (u64, u64) {
        (self.of_inputs.iter().sum(), self.of_knowns.iter().sum())
    }

    /// Whether the audit is finished, at least one file is ok, and nothing else was found. A file that was left
    /// out is nothing. A record that contradicts another or found no room is something: a file may be ok by the
    /// one and not by the other.
    pub fn passed(&self) -> bool {
        let mut judged = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Excluded);
        let only_ok = judged.all(|verdict| verdict.is_pass() == (self.of(verdict) > 0));
        only_ok && self.conflicting == 0 && self.refused == 0 && self.sums() == (self.inputs, self.knowns)
    }

    /// Counts an input, and the known file that has its verdict from it.
    pub(crate) fn input(&mut self, verdict: Verdict, known: bool) {
        self.of_inputs[verdict as usize] += 1;
        self.of_knowns[verdict as usize] += u64::from(known);
    }

    /// Counts a known file for which there is no input.
    pub(crate) fn known(&mut self, verdict: Verdict) {
        self.of_knowns[verdict as usize] += 1;
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
        let is_found = |verdict: &Verdict| !verdict.is_pass() && *verdict != Verdict::Excluded;
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
}
