use proptest::prelude::*;

use super::*;

/// Kernels by lanes and rate.
fn kernels(all: &[(usize, f64)]) -> Vec<Speed> {
    all.iter().map(|&(lanes, rate)| Speed { lanes, rate }).collect()
}

/// The lanes of the kernels that serve this many messages of one length, one after the other.
fn split(serving: &Serving, kernels: &[Speed], mut messages: usize) -> Vec<usize> {
    let mut lanes = Vec::new();
    while messages > 0 {
        let kernel = kernels[serving.place(messages)];
        lanes.push(kernel.lanes);
        messages = messages.saturating_sub(kernel.lanes);
    }
    lanes
}

/// The time that this many messages of one length take, if a rule says which kernel comes next.
fn time(kernels: &[Speed], mut messages: usize, place: impl Fn(usize) -> usize) -> f64 {
    let mut time = 0.0;
    while messages > 0 {
        let kernel = kernels[place(messages)];
        time += kernel.turn();
        messages = messages.saturating_sub(kernel.lanes);
    }
    time
}

/// The kernel with the highest rate of the lanes that are taken, whatever it leaves behind.
fn greedy(kernels: &[Speed], messages: usize) -> usize {
    let filled = |place: usize| messages.min(kernels[place].lanes) as f64 / kernels[place].turn();
    (0..kernels.len())
        .max_by(|&one, &other| filled(one).total_cmp(&filled(other)))
        .expect("there are kernels")
}

#[test]
fn what_a_kernel_leaves_behind_counts() {
    // Those of blake2b, and those of md5.
    let long = kernels(&[(8, 4.2), (4, 2.75), (1, 1.07)]);
    let serving = Serving::fastest(&long);
    assert_eq!(split(&serving, &long, 4), [4]);
    assert_eq!(split(&serving, &long, 5), [8], "not four, and the fifth alone");
    assert_eq!(split(&serving, &long, 9), [8, 1]);
    let short = kernels(&[(48, 12.4), (32, 11.5), (16, 7.9), (8, 4.8), (1, 0.74)]);
    let serving = Serving::fastest(&short);
    assert_eq!(split(&serving, &short, 17), [32]);
    assert_eq!(split(&serving, &short, 20), [32], "not sixteen, and four more");
    assert_eq!(split(&serving, &short, 40), [48]);
    assert_eq!(split(&serving, &short, 64), [32, 32], "not 48, and sixteen more");
}

#[test]
fn the_widest_kernel_of_a_split_comes_first() {
    let some = kernels(&[(1, 5.0), (4, 10.0), (16, 16.0)]);
    assert_eq!(split(&Serving::fastest(&some), &some, 21), [16, 4, 1]);
}

#[test]
fn more_messages_than_are_split_are_served_by_the_kernel_with_the_highest_rate() {
    // As many as are split fit better into the wide kernel than into the fast one.
    let some = kernels(&[(MAX_LANES, 10.0), (MAX_LANES - 1, 10.1)]);
    let serving = Serving::fastest(&some);
    assert_eq!(serving.place(SPLIT), 0);
    assert_eq!(serving.place(SPLIT + 1), 1);
    assert_eq!(serving.place(usize::MAX), 1);
}

#[test]
fn measured_splits_have_to_be_clearly_faster() {
    let fixed = kernels(&[(8, 8.0), (4, 6.0), (1, 2.0)]);
    for (rate, kept) in [(11.0, true), (14.0, false)] {
        // Eight messages: 8 / 8 by the fixed split, 2 * 4 / `rate` by the other one.
        let measured = kernels(&[(8, 11.0), (4, rate), (1, 2.0)]);
        let serving = Serving::measured(&fixed, &measured);
        assert_eq!(split(&serving, &fixed, 8), if kept { vec![8] } else { vec![4, 4] }, "{rate}");
        assert_eq!(serving.place(SPLIT + 1), usize::from(!kept), "{rate}");
    }
}

/// Kernels of up to as many lanes as there may be. One of them is for a single message.
fn any_kernels() -> impl Strategy<Value = Vec<(usize, f64, f64)>> {
    let kernel = |lanes| (lanes, 0.01..20.0_f64, 0.01..20.0_f64);
    (
        proptest::collection::vec((1..=MAX_LANES).prop_flat_map(move |lanes| kernel(Just(lanes))), 0..12),
        kernel(Just(1)),
    )
        .prop_map(|(mut kernels, alone)| {
            kernels.push(alone);
            kernels
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_number_of_messages_takes_longer_than_by_the_highest_rate_at_each_turn(all in any_kernels()) {
        let kernels: Vec<_> = all.iter().map(|&(lanes, rate, _)| Speed { lanes, rate }).collect();
        let serving = Serving::fastest(&kernels);
        for messages in 1..3 * SPLIT {
            let own = time(&kernels, messages, |messages| serving.place(messages));
            let other = time(&kernels, messages, |messages| greedy(&kernels, messages));
            prop_assert!(own <= other * (1.0 + 1e-9), "{messages}: {own} and {other}");
        }
    }

    #[test]
    fn the_margin_costs_no_more_than_it_says(all in any_kernels()) {
        let fixed: Vec<_> = all.iter().map(|&(lanes, rate, _)| Speed { lanes, rate }).collect();
        let measured: Vec<_> = all.iter().map(|&(lanes, _, rate)| Speed { lanes, rate }).collect();
        let [serving, by_fixed, by_measured] =
            [Serving::measured(&fixed, &measured), Serving::fastest(&fixed), Serving::fastest(&measured)];
        for messages in 1..=SPLIT {
            let of = |serving: &Serving| time(&measured, messages, |messages| serving.place(messages));
            let own = of(&serving);
            prop_assert!(own <= of(&by_fixed) * (1.0 + 1e-9), "{messages}");
            prop_assert!(own <= MARGIN * of(&by_measured) * (1.0 + 1e-9), "{messages}");
        }
    }
}
