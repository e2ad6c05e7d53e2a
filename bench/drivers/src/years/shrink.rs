//! The smallest story that fails in the same way as a long one: nights, deeds, files and options are left out as long as it still fails.
//!
//! Owns which story is tried next.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use hashlane_catalog::Policy;

use super::ground::Kind;
use super::night::replay;
use super::people::{Deed, What};
use super::story::{Night, Step, Story};
use super::truth::Wrong;

/// A story that is made smaller.
struct Shrinking<'a> {
    story: Story,
    kind: &'a str,
    place: &'a Path,
    until: Instant,
}

/// Makes a story smaller that fails in a certain way, for as long as there is time.
pub(super) fn shrink(story: Story, wrong: &Wrong, place: &Path, patience: Duration) -> Result<Story> {
    let mut shrinking = Shrinking { story, kind: &wrong.kind, place, until: Instant::now() + patience };
    let about = wrong.text.split([' ', ':']).next().unwrap_or_default();
    // Most of a long story has nothing to do with the file.
    for steps in [0, 1, 2, usize::MAX] {
        if shrinking.is_over() {
            break;
        }
        let smaller = focus(&shrinking.story, about, steps);
        if shrinking.takes(smaller)? {
            break;
        }
    }
    while !shrinking.is_over() {
        let before = shrinking.story.clone();
        shrinking.cut()?;
        shrinking.leave_out_steps()?;
        shrinking.leave_out_files()?;
        shrinking.leave_out_names()?;
        shrinking.simplify()?;
        if shrinking.story == before {
            break;
        }
    }
    Ok(shrinking.story)
}

/// A story without the files that have nothing to do with one: no deed is about both, nor about others that are related in `steps` steps.
fn focus(story: &Story, about: &str, steps: usize) -> Story {
    let mut names = BTreeSet::from([about.to_owned()]);
    let is_meant = |names: &BTreeSet<String>, deed: &Deed| {
        let is_in = |name: &String| names.contains(name);
        let is_above = |name: &String| names.iter().any(|of| of.starts_with(&format!("{name}/")));
        deed.names.is_empty()
            || deed.names.iter().any(is_in)
            || deed.what == What::RenameDirectory && deed.names.iter().any(is_above)
            || matches!(deed.what, What::Policy | What::Exclude)
    };
    for _ in 0..steps.min(20) {
        let before = names.len();
        for step in story.steps.iter().rev() {
            let Step::Deed(deed) = step else { continue };
            if let (What::RenameDirectory, [from, to]) = (deed.what, &deed.names[..]) {
                let moved = names.iter().filter_map(|name| name.strip_prefix(to.as_str()));
                let moved: Vec<_> = moved.map(|rest| format!("{from}{rest}")).collect();
                names.extend(moved);
            } else if deed.names.len() == 2 && is_meant(&names, deed) {
                names.extend(deed.names.iter().cloned());
            }
        }
        if names.len() == before {
            break;
        }
    }
    let mut story = story.clone();
    story.files.retain(|(name, _)| names.contains(name));
    story.steps.retain(|step| match step {
        Step::Deed(deed) => is_meant(&names, deed),
        Step::Night(_) => true,
    });
    for step in &mut story.steps {
        if let Step::Deed(deed) = step
            && matches!(deed.what, What::Tape | What::Relocate | What::OtherRoot)
        {
            deed.names.retain(|name| names.contains(name));
        }
    }
    story
}

impl Shrinking<'_> {
    /// Whether no time is left. Then not even copies of the story are made: that of a long one takes its time.
    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Takes a smaller story if that fails as well.
    fn takes(&mut self, smaller: Story) -> Result<bool> {
        if self.is_over() || smaller == self.story {
            return Ok(false);
        }
        let fails = match replay(&smaller, self.place) {
            Ok(Some((_, wrong))) => wrong.kind == self.kind,
            _ => false,
        };
        if fails {
            self.story = smaller;
        }
        Ok(fails)
    }

    /// Leaves out what comes behind the failure.
    fn cut(&mut self) -> Result<()> {
        if let Some((last, _)) = replay(&self.story, self.place)? {
            self.story.steps.truncate(last + 1);
        }
        Ok(())
    }

    fn leave_out_files(&mut self) -> Result<()> {
        self.leave_out(&|story| story.files.len(), &|story, which| drop(story.files.drain(which)))
    }

    fn leave_out_steps(&mut self) -> Result<()> {
        self.leave_out(&|story| story.steps.len(), &|story, which| drop(story.steps.drain(which)))
    }

    /// Leaves out things of one kind: half of them, a quarter, and so on to each by itself.
    fn leave_out(
        &mut self,
        number: &dyn Fn(&Story) -> usize,
        drain: &dyn Fn(&mut Story, Range<usize>),
    ) -> Result<()> {
        let mut size = number(&self.story).div_ceil(2);
        while size > 0 {
            let mut begin = 0;
            while begin < number(&self.story) && !self.is_over() {
                let mut smaller = self.story.clone();
                let end = (begin + size).min(number(&smaller));
                drain(&mut smaller, begin..end);
                if !self.takes(smaller)? {
                    begin += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Leaves out names of deeds that are about many.
    fn leave_out_names(&mut self) -> Result<()> {
        for number in 0..self.story.steps.len() {
            let mut place = 0;
            while !self.is_over()
                && let Step::Deed(deed) = &self.story.steps[number]
                && matches!(
                    deed.what,
                    What::Tape | What::Relocate | What::OtherRoot | What::Exclude | What::Policy
                )
                && place < deed.names.len()
            {
                let mut smaller = self.story.clone();
                if let Step::Deed(deed) = &mut smaller.steps[number] {
                    deed.names.remove(place);
                }
                if !self.takes(smaller)? {
                    place += 1;
                }
            }
        }
        Ok(())
    }

    /// Takes the usual options in place of others.
    fn simplify(&mut self) -> Result<()> {
        for number in 0..self.story.steps.len() {
            if self.is_over() {
                break;
            }
            let Step::Night(night) = self.story.steps[number].clone() else { continue };
            let simpler = [
                Night { days: 1, ..Night::default() },
                Night { days: 1, ..night.clone() },
                Night { bytes: None, files: None, ..night.clone() },
                Night { stop: None, death: None, event: None, ..night.clone() },
                Night { all: false, ..night },
            ];
            for night in simpler {
                let mut smaller = self.story.clone();
                smaller.steps[number] = Step::Night(night);
                if self.takes(smaller)? {
                    break;
                }
            }
        }
        let mut simpler = self.story.clone();
        simpler.terms.append_only.clear();
        self.takes(simpler)?;
        for place in (0..self.story.terms.policy.len()).rev() {
            let mut simpler = self.story.clone();
            if simpler.terms.policy[place].0.is_some() {
                simpler.terms.policy.remove(place);
                self.takes(simpler)?;
            }
        }
        for policy in [Policy::Growing, Policy::Living] {
            let mut simpler = self.story.clone();
            simpler.terms.policy = vec![(None, policy)];
            if self.story.terms.policy[..] == [(None, Policy::Growing)] || self.takes(simpler)? {
                break;
            }
        }
        let mut simpler = self.story.clone();
        simpler.terms.kind = Kind::Ext4;
        self.takes(simpler)?;
        for (days, files) in [(30, 50), (30, self.story.terms.hold_files)] {
            let mut simpler = self.story.clone();
            (simpler.terms.every_days, simpler.terms.hold_files) = (days, files);
            if self.takes(simpler)? {
                break;
            }
        }
        Ok(())
    }
}
