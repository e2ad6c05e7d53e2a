//! Tuning: which way of reading a device is taken, and why.
//!
//! For each kind of reading ([`TunedPart`]) all ways are visited a few times, then the best few and the default until their figures are
//! narrow. Another way than the default is taken only where it is faster beyond doubt, and stays taken only where a last comparison,
//! with digesting beside it, shows no loss. Where all is noise, or the time was too short to tell, the default stays.
//!
//! What times the ways, and what is read for it, is a [`Timer`]'s: nothing here takes time.

mod part;

use std::fmt;
use std::ops::Range;

use hashlane_digest::Algorithm;
use hashlane_engine::{Profile, ReadOrder};
use hashlane_io::Device;

use crate::gain::Gain;
use crate::kind::profile_of_kind;
pub use part::TunedPart;

/// Rounds in which all ways are visited, and ways that go on beside the default.
const FIRST_ROUNDS: usize = 2;
const FINALISTS: usize = 3;

/// Rounds of a comparison that decides, at least and at most.
const LAST_ROUNDS: (usize, usize) = (7, 15);

/// One way of reading, to be timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// What is read.
    pub part: TunedPart,
    /// How: only the part of it that is about this kind of reading counts.
    pub way: Profile,
    /// What is computed of it meanwhile.
    pub computed: Option<Algorithm>,
}

/// What a comparison may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Which part of the whole time it has: from where to where.
    pub time: Range<f64>,
    /// Rounds that are made whatever time they take.
    pub least_rounds: usize,
    /// Rounds after which no figure gets narrower by more of them.
    pub most_rounds: usize,
}

/// What times ways of reading.
pub trait Timer {
    /// What is known of a way when it was timed.
    type Timed: Timed;

    /// Times all trials in turns; one of each trial comes back, in their order. None if somebody asked to stop.
    fn time(&mut self, trials: &[Trial], effort: &Effort) -> Option<Vec<Self::Timed>>;
}

/// What is known of one way of reading.
pub trait Timed {
    /// Its rate, the median of the rounds; none if it was not measured.
    fn rate(&self) -> Option<f64>;

    /// How many rounds it was measured in.
    fn rounds(&self) -> usize;

    /// Why it was not measured.
    fn not_measured(&self) -> Option<&str>;

    /// What it gains over another; none if one of them was not measured.
    fn gain_over(&self, other: &Self) -> Option<Gain>;
}

/// One way of reading that was tried.
#[derive(Clone, Debug)]
pub struct Candidate<T> {
    /// What was read.
    pub part: TunedPart,
    /// In which order.
    pub order: ReadOrder,
    /// What is known of it.
    pub timed: T,
    /// Whether it is the way without a profile.
    pub is_default: bool,
    /// Whether it was taken.
    pub is_taken: bool,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Tuning<T> {
    /// How a run reads there.
    pub profile: Profile,
    /// All ways that were tried.
    pub candidates: Vec<Candidate<T>>,
    /// What could not be measured, or was measured and not taken.
    pub notes: Vec<Note>,
    /// Whether somebody asked to stop before the end: then it is not to be kept.
    pub interrupted: bool,
}

/// What is to be known beside the figures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// A kind of reading could not be measured.
    NotMeasured {
        /// Which.
        part: TunedPart,
        /// Why not.
        reason: String,
    },
    /// There were too few rounds for an interval.
    TooFewRounds {
        /// The kind of reading.
        part: TunedPart,
        /// How many there were.
        rounds: usize,
    },
    /// A way was taken, and then not shown to lose nothing.
    TakenBack {
        /// For which kind of reading.
        part: TunedPart,
        /// What it gained in the last comparison, if that could be made.
        gain: Option<Gain>,
    },
}

impl<T> Tuning<T> {
    /// The kinds of reading that were measured.
    pub fn parts(&self) -> Vec<TunedPart> {
        let is_measured =
            |part: &TunedPart| self.candidates.iter().any(|tried| tried.part == *part && tried.is_taken);
        TunedPart::ALL.iter().map(|(part, _)| *part).filter(is_measured).collect()
    }
}

/// Tunes all kinds of reading on a device; with `has_rings` by io_uring too. `cores` is how many workers read at once.
pub fn tune<T: Timer>(device: &Device, has_rings: bool, cores: usize, timer: &mut T) -> Tuning<T::Timed> {
    let base = profile_of_kind(device);
    let ways = |part: TunedPart| part.ways(base, device.rotational == Some(true), has_rings, cores);
    tune_from(base, ways, timer)
}

fn tune_from<T: Timer>(
    base: Profile,
    ways: impl Fn(TunedPart) -> Vec<Profile>,
    timer: &mut T,
) -> Tuning<T::Timed> {
    let tuning = Tuning { profile: base, candidates: Vec::new(), notes: Vec::new(), interrupted: false };
    let mut course = Course { base, timer, tuning };
    course.tuning.interrupted = course.run(ways).is_none();
    course.tuning
}

/// A tuning under way.
struct Course<'a, T: Timer> {
    /// The way without a profile.
    base: Profile,
    timer: &'a mut T,
    tuning: Tuning<T::Timed>,
}

impl<T: Timer> Course<'_, T> {
    /// Tunes all parts; none if somebody asked to stop.
    fn run(&mut self, ways: impl Fn(TunedPart) -> Vec<Profile>) -> Option<()> {
        let mut done = 0.0;
        for (part, share) in TunedPart::ALL {
            self.tune_part(part, &ways(part), done..done + share)?;
            done += share;
        }
        self.prove(done..1.0)
    }

    /// Tries the ways of one part (the first is the default), and takes the best.
    fn tune_part(&mut self, part: TunedPart, ways: &[Profile], time: Range<f64>) -> Option<()> {
        let trial = |way: &Profile| Trial { part, way: *way, computed: part.computed() };
        let half = f64::midpoint(time.start, time.end);
        let all: Vec<Trial> = ways.iter().map(trial).collect();
        let first = Effort { time: time.start..half, least_rounds: 1, most_rounds: FIRST_ROUNDS };
        let mut timed = self.timer.time(&all, &first)?;
        let finalists = finalists(&timed);
        let trials: Vec<Trial> = finalists.iter().map(|&at| all[at]).collect();
        let finals = self.timer.time(&trials, &decisive(half..time.end))?;
        for (&at, of_final) in finalists.iter().zip(finals) {
            timed[at] = of_final;
        }
        let gains = finalists.iter().skip(1).filter_map(|&at| Some((at, timed[at].gain_over(&timed[0])?)));
        let worth_it = gains.filter(|(_, gain)| gain.is_worth_it());
        let taken =
            worth_it.max_by(|(_, a), (_, b)| f64::total_cmp(&a.median, &b.median)).map_or(0, |(at, _)| at);
        self.tuning.profile = part.graft(self.tuning.profile, &ways[taken]);
        self.tuning.notes.extend(note(part, &timed[0]));
        for (at, (way, timed)) in ways.iter().zip(timed).enumerate() {
            let (is_default, is_taken) = (at == 0, at == taken && timed.rate().is_some());
            let order = if part == TunedPart::ColdSmall { way.order } else { ReadOrder::Inputs };
            self.tuning.candidates.push(Candidate { part, order, timed, is_default, is_taken });
        }
        Some(())
    }

    /// Compares what was taken with the default once more, digesting as a run does, and takes back what may lose there.
    fn prove(&mut self, time: Range<f64>) -> Option<()> {
        let changed: Vec<TunedPart> = TunedPart::ALL
            .iter()
            .map(|(part, _)| *part)
            .filter(|part| part.graft(self.base, &self.tuning.profile) != self.base)
            .collect();
        if changed.is_empty() {
            return Some(());
        }
        let pair = |&part: &TunedPart| {
            [self.base, part.graft(self.base, &self.tuning.profile)].map(|way| Trial {
                part,
                way,
                computed: Some(Algorithm::SHA256),
            })
        };
        let trials: Vec<Trial> = changed.iter().flat_map(pair).collect();
        let timed = self.timer.time(&trials, &decisive(time))?;
        for (part, pair) in changed.into_iter().zip(timed.chunks_exact(2)) {
            let gain = pair[1].gain_over(&pair[0]);
            if !gain.is_some_and(|gain| gain.is_harmless()) {
                self.take_back(part, gain);
            }
        }
        Some(())
    }

    fn take_back(&mut self, part: TunedPart, gain: Option<Gain>) {
        self.tuning.profile = part.graft(self.tuning.profile, &self.base);
        self.tuning.notes.push(Note::TakenBack { part, gain });
        for candidate in self.tuning.candidates.iter_mut().filter(|candidate| candidate.part == part) {
            candidate.is_taken = candidate.is_default;
        }
    }
}

/// The effort of a comparison that decides.
fn decisive(time: Range<f64>) -> Effort {
    let (least_rounds, most_rounds) = LAST_ROUNDS;
    Effort { time, least_rounds, most_rounds }
}

/// The default, which is the first, and the best of the others.
fn finalists(timed: &[impl Timed]) -> Vec<usize> {
    let rate = |at: usize| timed[at].rate().unwrap_or(0.0);
    let mut best: Vec<usize> = (1..timed.len()).collect();
    best.sort_by(|&a, &b| f64::total_cmp(&rate(b), &rate(a)));
    std::iter::once(0).chain(best.into_iter().take(FINALISTS)).collect()
}

/// What is to be said of a kind of reading whose default was timed so.
fn note(part: TunedPart, default: &impl Timed) -> Option<Note> {
    if let Some(reason) = default.not_measured() {
        return Some(Note::NotMeasured { part, reason: reason.to_owned() });
    }
    // With itself it has an interval where its rounds are enough for one.
    let is_enough = default.gain_over(default).is_some_and(|gain| gain.interval.is_some());
    (!is_enough).then(|| Note::TooFewRounds { part, rounds: default.rounds() })
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMeasured { part, reason } => write!(f, "{}: {reason}", part.name()),
            Self::TooFewRounds { part, rounds } => {
                write!(
                    f,
                    "{}: only {rounds} round{} in the time available, too few to decide; ",
                    part.name(),
                    if *rounds == 1 { "" } else { "s" }
                )?;
                write!(f, "a longer budget gives more")
            }
            Self::TakenBack { part, gain } => {
                write!(f, "{}: faster at first, but possibly not while computing sha256: ", part.name())?;
                match gain {
                    Some(Gain { median, interval: Some((low, high)) }) => {
                        write!(f, "{median:.2} [{low:.2}, {high:.2}] of the rate of the default")?;
                    }
                    Some(Gain { median, interval: None }) => {
                        write!(f, "{median:.2} of the rate of the default in too few rounds")?;
                    }
                    None => write!(f, "it could not be compared")?,
                }
                write!(f, "; left unchanged")
            }
        }
    }
}

#[cfg(test)]
mod tests;
