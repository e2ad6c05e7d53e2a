use super::*;

/// A device that is as fast as a function says, without noise: a figure is what it says, to the hundredth, at seven rounds.
struct Scripted<F> {
    rate: F,
    /// Comparisons before somebody asks to stop.
    left: usize,
    efforts: Vec<Effort>,
}

#[derive(Clone, Debug)]
struct Figure {
    rate: Option<f64>,
    rounds: usize,
}

impl Timed for Figure {
    fn rate(&self) -> Option<f64> {
        self.rate
    }

    fn rounds(&self) -> usize {
        self.rounds
    }

    fn not_measured(&self) -> Option<&str> {
        self.rate.is_none().then_some("it is in a museum")
    }

    fn gain_over(&self, other: &Self) -> Option<Gain> {
        let median = self.rate? / other.rate?;
        Some(Gain { median, interval: (self.rounds >= 7).then_some((median - 0.01, median + 0.01)) })
    }
}

impl<F: Fn(&Trial) -> Option<f64>> Timer for Scripted<F> {
    type Timed = Figure;

    fn time(&mut self, trials: &[Trial], effort: &Effort) -> Option<Vec<Figure>> {
        self.left = self.left.checked_sub(1)?;
        self.efforts.push(effort.clone());
        Some(
            trials
                .iter()
                .map(|trial| Figure { rate: (self.rate)(trial), rounds: effort.least_rounds })
                .collect(),
        )
    }
}

fn tuned_within(left: usize, rate: impl Fn(&Trial) -> Option<f64>) -> (Tuning<Figure>, Vec<Effort>) {
    let mut timer = Scripted { rate, left, efforts: Vec::new() };
    let base = Profile::default();
    (tune_from(base, |part| part.ways(base, true, true, 2), &mut timer), timer.efforts)
}

fn tuned(rate: impl Fn(&Trial) -> Option<f64>) -> Tuning<Figure> {
    tuned_within(usize::MAX, rate).0
}

/// All ways that are tried of a part, but the default.
fn others(part: TunedPart) -> Vec<Profile> {
    part.ways(Profile::default(), true, true, 2).split_off(1)
}

/// Of each part that was measured one way is taken: that which the profile has.
fn assert_consistent(tuning: &Tuning<Figure>) {
    for (part, _) in TunedPart::ALL {
        let of_part = || tuning.candidates.iter().filter(move |candidate| candidate.part == part);
        let measured = of_part().any(|candidate| candidate.is_default && candidate.timed.rate.is_some());
        let taken: Vec<_> = of_part().filter(|candidate| candidate.is_taken).collect();
        assert_eq!(taken.len(), usize::from(measured), "{part:?}");
        let is_default = part.graft(Profile::default(), &tuning.profile) == Profile::default();
        assert!(taken.iter().all(|candidate| candidate.is_default == is_default), "{part:?}");
        assert_eq!(of_part().filter(|candidate| candidate.is_default).count(), 1);
    }
    assert!(tuning.profile.is_sound());
}

#[test]
fn whichever_way_is_fastest_is_taken_and_changes_its_part_alone() {
    for (part, _) in TunedPart::ALL {
        for best in others(part) {
            let tuning = tuned(|trial| Some(if trial.part == part && trial.way == best { 1.5 } else { 1.0 }));
            assert_eq!(tuning.profile, best);
            assert!(tuning.notes.is_empty() && !tuning.interrupted, "{:?}", tuning.notes);
            assert_consistent(&tuning);
        }
    }
}

#[test]
fn what_is_faster_by_too_little_to_matter_is_not_taken() {
    for (part, _) in TunedPart::ALL {
        let best = others(part)[0];
        let tuning = tuned(|trial| Some(if trial.part == part && trial.way == best { 1.02 } else { 1.0 }));
        assert_eq!(tuning.profile, Profile::default());
        assert_consistent(&tuning);
    }
}

#[test]
fn what_loses_with_digesting_is_taken_back_and_that_is_noted() {
    for lost in [Some(0.9), None] {
        // Only in the last comparison everything is digested.
        let proves = |trial: &Trial| trial.computed.is_some();
        for part in [TunedPart::ColdLarge, TunedPart::ColdSmall] {
            let best = others(part)[0];
            let tuning = tuned(|trial| match trial.part == part && trial.way == best {
                true if proves(trial) => lost,
                true => Some(1.5),
                false => Some(1.0),
            });
            assert_eq!(tuning.profile, Profile::default());
            let [Note::TakenBack { part: of, gain }] = &tuning.notes[..] else {
                panic!("{:?}", tuning.notes)
            };
            assert_eq!((*of, gain.map(|gain| gain.median)), (part, lost));
            assert_consistent(&tuning);
        }
    }
}

#[test]
fn what_cannot_be_measured_is_noted_and_the_rest_is_tuned() {
    for (part, _) in TunedPart::ALL {
        let best = |of: TunedPart| others(of)[1];
        let tuning = tuned(|trial| {
            (trial.part != part).then(|| if trial.way == best(trial.part) { 2.0 } else { 1.0 })
        });
        let [Note::NotMeasured { part: of, reason }] = &tuning.notes[..] else {
            panic!("{:?}", tuning.notes)
        };
        assert_eq!((*of, reason.as_str()), (part, "it is in a museum"));
        for (other, _) in TunedPart::ALL {
            let expected = if other == part { Profile::default() } else { best(other) };
            assert_eq!(other.graft(Profile::default(), &tuning.profile), expected);
        }
        assert_consistent(&tuning);
    }
}

#[test]
fn the_time_is_spent_once_from_its_beginning_to_its_end() {
    let (_, efforts) =
        tuned_within(usize::MAX, |trial| Some(if trial.way == Profile::default() { 1.0 } else { 2.0 }));
    assert_eq!(efforts.len(), 2 * TunedPart::ALL.len() + 1);
    let mut at = 0.0;
    for Effort { time, least_rounds, most_rounds } in efforts {
        assert!((time.start - at).abs() < 1e-9 && time.start < time.end, "{time:?}");
        assert!((1..=most_rounds).contains(&least_rounds));
        at = time.end;
    }
    assert!((at - 1.0).abs() < 1e-9, "{at}");
}

#[test]
fn a_stop_at_any_time_ends_it_and_is_told() {
    let comparisons = 2 * TunedPart::ALL.len() + 1;
    for left in 0..=comparisons {
        let (tuning, efforts) =
            tuned_within(left, |trial| Some(if trial.way == Profile::default() { 1.0 } else { 2.0 }));
        assert_eq!((efforts.len(), tuning.interrupted), (left, left < comparisons));
        assert!(tuning.profile.is_sound());
    }
}

#[test]
fn notes_say_what_is_so_and_name_no_option() {
    let gain = |interval| Some(Gain { median: 0.923, interval });
    let part = TunedPart::WarmLarge;
    let notes = [
        (Note::NotMeasured { part, reason: "why".into() }, "large file, warm: why"),
        (
            Note::TooFewRounds { part, rounds: 1 },
            "large file, warm: only 1 round in the time available, too few to decide; a longer budget gives more",
        ),
        (
            Note::TooFewRounds { part, rounds: 3 },
            "large file, warm: only 3 rounds in the time available, too few to decide; a longer budget gives more",
        ),
        (
            Note::TakenBack { part, gain: gain(Some((0.913, 0.936))) },
            "large file, warm: faster at first, but possibly not while computing sha256: 0.92 [0.91, 0.94] of the rate of \
             the default; left unchanged",
        ),
        (
            Note::TakenBack { part, gain: gain(None) },
            "large file, warm: faster at first, but possibly not while computing sha256: 0.92 of the rate of the default in \
             too few rounds; left unchanged",
        ),
        (
            Note::TakenBack { part, gain: None },
            "large file, warm: faster at first, but possibly not while computing sha256: it could not be compared; left \
             unchanged",
        ),
    ];
    for (note, said) in notes {
        assert_eq!(note.to_string(), said);
    }
}
