//! Which known file an input of unknown name comes from.
//!
//! Known files of equal content form a group. An input has its content from any group that agrees with it;
//! there can be several, since one manifest may list sizes or digests that another does not.

use std::collections::HashMap;
use std::ops::Range;

use crate::contents::{Pair, Selected, pair_up};
use crate::empty::Empty;
use crate::entry::Entry;
use crate::finding::NumberedFinding;
use crate::judge::Likeness;
use crate::names::base_name;
use crate::state::State;
use crate::tables::{Tables, Which};
use crate::verdict::Verdict;

/// Judges inputs of unknown names by their content: all that still wait. Numbers ascend, as the names do.
pub(crate) fn match_contents(tables: &mut Tables, inputs: &[u32], empty: &Empty) -> Vec<NumberedFinding> {
    let mut origins = Origins::find(tables, empty);
    let mut from = vec![None; inputs.len()];
    origins.assign_by_base_name(tables, inputs, &mut from);
    origins.assign(tables, inputs, &mut from);
    let judged = inputs.iter().zip(from).map(|(&input, from)| {
        let (verdict, known) = match (tables.held.state(input).unmatched(), from) {
            (Some(verdict), _) => (verdict, None),
            (_, Some(known)) => (Verdict::Moved, Some(known)),
            (_, None) => origins.without_move(input),
        };
        NumberedFinding { verdict, subject: Which::Input(input), other: known.map(Which::Known) }
    });
    judged.collect()
}

/// The groups that inputs have their content from.
struct Origins {
    groups: Vec<Group>,
    /// The members of all groups that are gone.
    gone: Vec<u32>,
    /// Classes of inputs with their groups, sorted. A class has the number of its first input.
    pairs: Vec<(u32, u32)>,
    /// The first known file that collides with a class.
    collisions: HashMap<u32, u32>,
    /// The class of each input that has a pair or collides, by its number; [`NONE`] for others.
    classes: Vec<u32>,
}

/// No class: numbers end before it.
const NONE: u32 = u32::MAX;

/// Known files of equal content.
struct Group {
    /// The one whose name comes first, gone or not.
    first: u32,
    /// Where those that are gone are in [`Origins::gone`].
    start: u32,
    end: u32,
}

impl Group {
    fn gone(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Origins {
    fn find(tables: &Tables, empty: &Empty) -> Self {
        let mut origins = Self {
            groups: Vec::new(),
            gone: Vec::new(),
            pairs: Vec::new(),
            collisions: HashMap::new(),
            classes: vec![NONE; tables.held.len() as usize],
        };
        let waits = |entry: &Entry<'_>| entry.state == State::Waiting && !empty.is(entry);
        let inputs = Selected { records: &tables.held, has: &waits };
        let known = Selected { records: &tables.known, has: &|_| true };
        let mut by_first = HashMap::new();
        pair_up(inputs, known, |pair| origins.take_in(tables, &pair, &mut by_first));
        origins.pairs.sort_unstable();
        origins
    }

    fn take_in(&mut self, tables: &Tables, pair: &Pair<'_>, by_first: &mut HashMap<u32, u32>) {
        let (class, first) = (pair.asked[0].number, pair.among[0].number);
        if self.classes[class as usize] == NONE {
            for key in pair.asked {
                self.classes[key.number as usize] = class;
            }
        }
        if pair.likeness == Likeness::Collision {
            self.collisions.entry(class).and_modify(|known| *known = first.min(*known)).or_insert(first);
            return;
        }
        let group = *by_first.entry(first).or_insert_with(|| {
            let start = self.gone.len() as u32;
            let is_gone = |&number: &u32| tables.known.state(number) == State::Unseen;
            self.gone.extend(pair.among.iter().map(|key| key.number).filter(is_gone));
            self.groups.push(Group { first, start, end: self.gone.len() as u32 });
            self.groups.len() as u32 - 1
        });
        self.pairs.push((class, group));
    }

    /// Gives inputs, in order, the first known file that is gone and has their content and base name.
    fn assign_by_base_name(&mut self, tables: &mut Tables, inputs: &[u32], from: &mut [Option<u32>]) {
        let Tables { names, known, held } = tables;
        for group in &self.groups {
            self.gone[group.gone()].sort_by(|&left, &right| {
                let (one, other) = (known.entry(left), known.entry(right));
                names.compare(base_name(one.name), base_name(other.name)).then(left.cmp(&right))
            });
        }
        // From the first place of a base name in a group to the first that may not be taken: without it, a
        // thousand `__init__.py` that moved would be gone through a thousand times.
        let mut untaken = HashMap::new();
        for (&input, from) in inputs.iter().zip(from) {
            let entry = held.entry(input);
            let base = base_name(entry.name);
            let mut best = None;
            for group in self.groups_of(input) {
                let compared = |&number: &u32| names.compare(base_name(known.entry(number).name), base);
                let members = &self.gone[group.gone()];
                let start = members.partition_point(|number| compared(number).is_lt());
                let same = |place: usize| members.get(place).filter(|number| compared(number).is_eq());
                if same(start).is_none() {
                    continue;
                }
                let mut place = *untaken.get(&(group.start, start)).unwrap_or(&start);
                if same(place).is_some_and(|&number| known.state(number) != State::Unseen) {
                    while same(place).is_some_and(|&number| known.state(number) != State::Unseen) {
                        place += 1;
                    }
                    untaken.insert((group.start, start), place);
                }
                best = earliest(best, same(place));
            }
            if let Some(number) = best {
                known.set_state(number, State::MovedAway);
                *from = best;
            }
        }
    }

    /// Gives inputs that have none, in order, the first known file that is gone and has their content.
    fn assign(&mut self, tables: &mut Tables, inputs: &[u32], from: &mut [Option<u32>]) {
        for group in &self.groups {
            self.gone[group.gone()].sort_unstable();
        }
        let known = &mut tables.known;
        for (&input, from) in inputs.iter().zip(from).filter(|(_, from)| from.is_none()) {
            let of_input = self.range(input);
            let mut best = None;
            for &(_, group) in &self.pairs[of_input] {
                let group = &mut self.groups[group as usize];
                let taken = |number: &u32| known.state(*number) != State::Unseen;
                while self.gone[group.gone()].first().is_some_and(taken) {
                    group.start += 1;
                }
                best = earliest(best, self.gone[group.gone()].first());
            }
            if let Some(number) = best {
                known.set_state(number, State::MovedAway);
                *from = best;
            }
        }
    }

    /// The verdict on an input that is not moved, and the known file that it is about.
    fn without_move(&self, input: u32) -> (Verdict, Option<u32>) {
        if let Some(first) = self.groups_of(input).map(|group| group.first).min() {
            return (Verdict::Copied, Some(first));
        }
        match self.collisions.get(&self.classes[input as usize]) {
            Some(&known) => (Verdict::Collision, Some(known)),
            None => (Verdict::New, None),
        }
    }

    fn groups_of(&self, input: u32) -> impl Iterator<Item = &Group> {
        self.pairs[self.range(input)].iter().map(|&(_, group)| &self.groups[group as usize])
    }

    /// Where the groups of an input are in [`Origins::pairs`].
    fn range(&self, input: u32) -> Range<usize> {
        let class = self.classes[input as usize];
        let start = self.pairs.partition_point(|&(other, _)| other < class);
        start..start + self.pairs[start..].partition_point(|&(other, _)| other == class)
    }
}

fn earliest(best: Option<u32>, other: Option<&u32>) -> Option<u32> {
    best.into_iter().chain(other.copied()).min()
}

#[cfg(test)]
mod tests {
    use crate::options::Options;
    use crate::testing::{RULES, grows_with_files, judged};

    const PLAIN: Options = Options { fold_case: false, ignore_empty_content: false, rules: RULES };

    #[test]
    fn a_file_that_is_gone_is_moved_once_and_then_copied() {
        let verdicts = judged(PLAIN, &[("old", "x")], &[("new 2", "x"), ("new 1", "x")]);
        assert_eq!(verdicts, ["moved new 1, old", "copied new 2, old"]);
    }

    #[test]
    fn the_same_base_name_goes_before_the_first_name() {
        let known = [("a/1", "x"), ("a/2", "x"), ("b/2", "x")];
        let verdicts = judged(PLAIN, &known, &[("c/0", "x"), ("c/2", "x"), ("d/2", "x")]);
        assert_eq!(verdicts, ["moved c/0, a/1", "moved c/2, a/2", "moved d/2, b/2"]);
    }

    #[test]
    fn a_renamed_directory_is_moved_file_by_file() {
        let known = [("old/1", ""), ("old/2", ""), ("old/3", "x"), ("old/4", "x")];
        let seen = [("new/4", "x"), ("new/3", "x"), ("new/2", ""), ("new/1", "")];
        let moved = ["moved new/1, old/1", "moved new/2, old/2", "moved new/3, old/3", "moved new/4, old/4"];
        assert_eq!(judged(PLAIN, &known, &seen), moved);
    }

    #[test]
    fn a_file_that_is_still_there_is_copied_and_not_moved() {
        assert_eq!(judged(PLAIN, &[("a", "x")], &[("a", "x"), ("b", "x")]), ["ok a", "copied b, a"]);
        let swapped = judged(PLAIN, &[("a", "x"), ("b", "y")], &[("a", "y"), ("b", "x")]);
        assert_eq!(swapped, ["changed a", "changed b"]);
    }

    #[test]
    fn empty_files_are_matched_by_name_only_if_asked() {
        let ignored = Options { ignore_empty_content: true, ..PLAIN };
        let (known, seen) = ([("a", ""), ("b", "")], [("b", ""), ("c", "")]);
        assert_eq!(judged(PLAIN, &known, &seen), ["ok b", "moved c, a"]);
        assert_eq!(judged(ignored, &known, &seen), ["ok b", "missing a", "new c"]);
        assert_eq!(judged(PLAIN, &known, &seen[..1]), ["ok b", "duplicate-lost a, b"]);
        assert_eq!(judged(ignored, &known, &seen[..1]), ["ok b", "missing a"]);
    }

    #[test]
    fn many_equal_files_that_moved_are_not_compared_with_each_other() {
        let all_move = |files: usize| {
            let names = |directory: &str| -> Vec<String> {
                (0..files).map(|number| format!("{directory}/{number}/{}", number % 2)).collect()
            };
            let [old, new] = ["old", "new"].map(names);
            let [old, new] =
                [&old, &new].map(|names| -> Vec<_> { names.iter().map(|name| (&name[..], "")).collect() });
            let verdicts = judged(PLAIN, &old, &new);
            assert!(verdicts.iter().all(|line| line.starts_with("moved")) && verdicts.len() == old.len());
        };
        assert_eq!(grows_with_files(1000, all_move), Ok(()));
    }
}
