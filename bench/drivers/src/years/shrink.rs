//! The smallest story that fails in the same way as a long one: nights, deeds, files and options are left out as long as it still fails.
//!
//! Owns which story is tried next.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use hashlane_catalog::Policy;

use super::ground::Kind;
use super::night::replay;
use super::story::{Night, Step, Story};

/// A story that is made smaller.
struct Shrinking<'a> {
    story: Story,
    kind: &'a str,
    place: &'a Path,
    until: Instant,
}

/// Makes a story smaller that fails in a certain way, for as long as there is time.
pub(super) fn shrink(story: Story, kind: &str, place: &Path, patience: Duration) -> Result<Story> {
    let mut shrinking = Shrinking { story, kind, place, until: Instant::now() + patience };
    loop {
        let before = shrinking.story.clone();
        shrinking.cut()?;
        shrinking.leave_out_files()?;
        shrinking.leave_out_steps()?;
        shrinking.leave_out_names()?;
        shrinking.simplify()?;
        if shrinking.story == before || Instant::now() >= shrinking.until {
            return Ok(shrinking.story);
        }
    }
}

impl Shrinking<'_> {
    /// Takes a smaller story if that fails as well.
    fn takes(&mut self, smaller: Story) -> Result<bool> {
        if smaller == self.story || Instant::now() >= self.until {
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
        let mut size = self.story.files.len().div_ceil(2);
        while size > 0 {
            let mut begin = 0;
            while begin < self.story.files.len() {
                let mut smaller = self.story.clone();
                let end = (begin + size).min(smaller.files.len());
                smaller.files.drain(begin..end);
                if !self.takes(smaller)? {
                    begin += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    fn leave_out_steps(&mut self) -> Result<()> {
        let mut size = self.story.steps.len().div_ceil(2);
        while size > 0 {
            let mut begin = 0;
            while begin < self.story.steps.len() {
                let mut smaller = self.story.clone();
                let end = (begin + size).min(smaller.steps.len());
                smaller.steps.drain(begin..end);
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
            while let Step::Deed(deed) = &self.story.steps[number]
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
