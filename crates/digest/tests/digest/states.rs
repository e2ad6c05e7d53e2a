//! What holds for every state, whatever the algorithm: cutting, reuse, resetting, lanes.

use hashlane_digest::{Algorithm, Backend, BackendChoice, Hasher, Part, SavedState, Saving};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::forced::{choice, hasher, lane_set};

/// Messages around the block and chunk sizes of all algorithms, and longer ones.
fn message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300),
        proptest::collection::vec(any::<u8>(), 900..1200),
        proptest::collection::vec(any::<u8>(), 0..20_000),
    ]
}

/// A message and places to cut it, some of them equal so that some updates are empty.
fn cut_message() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    message().prop_flat_map(|message| {
        let cuts = proptest::collection::vec(0..=message.len(), 0..12);
        (Just(message), cuts.prop_map(sorted))
    })
}

fn sorted(mut cuts: Vec<usize>) -> Vec<usize> {
    cuts.sort_unstable();
    cuts
}

fn pieces<'m>(message: &'m [u8], cuts: &[usize]) -> Vec<&'m [u8]> {
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([message.len()]);
    starts.zip(ends).map(|(start, end)| &message[start..end]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_cutting_into_updates_gives_the_digest_of_one_update((message, cuts) in cut_message()) {
        for algorithm in Algorithm::all() {
            let mut hasher = hasher(algorithm);
            pieces(&message, &cuts).into_iter().for_each(|piece| hasher.update(piece));
            prop_assert_eq!(hasher.finish(), algorithm.digest(&message));
        }
    }

    #[test]
    fn a_clone_goes_on_with_a_message_of_its_own(first in message(), second in message()) {
        for algorithm in Algorithm::all() {
            let mut hasher = hasher(algorithm);
            hasher.update(&first);
            let mut clone = hasher.clone();
            clone.update(&second);
            prop_assert_eq!(hasher.finish(), algorithm.digest(&first));
            prop_assert_eq!(clone.finish(), algorithm.digest(&[&first[..], &second].concat()));
        }
    }

    #[test]
    fn a_hasher_is_fresh_after_finish_and_after_reset(first in message(), second in message()) {
        for algorithm in Algorithm::all() {
            let mut hasher = hasher(algorithm);
            hasher.update(&first);
            prop_assert_eq!(hasher.finish(), algorithm.digest(&first));
            hasher.update(&second);
            prop_assert_eq!(hasher.finish(), algorithm.digest(&second));
            hasher.update(&first);
            hasher.reset();
            prop_assert_eq!(hasher.finish(), algorithm.digest(b""));
            hasher.update(&first);
            hasher.reset();
            hasher.update(&second);
            prop_assert_eq!(hasher.finish(), algorithm.digest(&second));
        }
    }

    #[test]
    fn slots_of_a_lane_set_do_not_touch_each_other(
        (first, first_cuts) in cut_message(),
        (second, second_cuts) in cut_message(),
    ) {
        let first_pieces = pieces(&first, &first_cuts);
        let second_pieces = pieces(&second, &second_cuts);
        for algorithm in Algorithm::all() {
            let mut lanes = lane_set(algorithm, 3);
            for index in 0..first_pieces.len().max(second_pieces.len()) {
                let mut ready = Vec::new();
                ready.extend(first_pieces.get(index).map(|&bytes| Part { slot: 2, bytes, last: false }));
                ready.extend(second_pieces.get(index).map(|&bytes| Part { slot: 0, bytes, last: false }));
                ready.push(Part { slot: 1, bytes: b"forgotten", last: false });
                lanes.advance(&ready);
            }
            lanes.forget(1);
            prop_assert_eq!(lanes.finish(2), algorithm.digest(&first));
            prop_assert_eq!(lanes.finish(0), algorithm.digest(&second));
            prop_assert_eq!(lanes.finish(1), algorithm.digest(b""));
        }
    }
}

#[test]
fn a_forgotten_message_leaves_nothing_behind_at_any_length() {
    let message = vec![0xa5; 3000];
    for algorithm in Algorithm::all() {
        let mut lanes = lane_set(algorithm, 1);
        for length in [1, 63, 64, 65, 127, 128, 129, 135, 136, 240, 241, 256, 1024, 1025, 3000] {
            lanes.advance(&[Part { slot: 0, bytes: &message[..length], last: length % 2 == 0 }]);
            lanes.forget(0);
            lanes.advance(&[Part { slot: 0, bytes: b"ab", last: false }]);
            lanes.advance(&[Part { slot: 0, bytes: b"c", last: true }]);
            assert_eq!(lanes.finish(0), algorithm.digest(b"abc"), "{algorithm} after {length} bytes");
        }
    }
}

fn saved(hasher: &Hasher) -> SavedState {
    hasher.save().unwrap_or_else(|| panic!("{} by {}", hasher.algorithm(), hasher.backend()))
}

/// All ways to compute an algorithm on this machine.
fn choices() -> Vec<BackendChoice> {
    let there = Backend::ALL.into_iter().filter(|backend| backend.is_available());
    [BackendChoice::Auto, choice()].into_iter().chain(there.map(BackendChoice::Only)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_message_that_is_put_aside_anywhere_goes_on_under_any_backend(
        (message, cuts) in cut_message(),
        (before, after) in (any::<Index>(), any::<Index>()),
    ) {
        let choices = choices();
        let [before, after] = [before, after].map(|index| &choices[index.index(choices.len())]);
        for algorithm in Algorithm::all() {
            let Some(mut hasher) = algorithm.resumable_hasher(before) else {
                prop_assert_eq!(algorithm.saving(), Saving::Never);
                continue;
            };
            let pieces = pieces(&message, &cuts);
            let mut position = 0;
            for piece in pieces {
                let saved = saved(&hasher);
                let bytes = saved.to_bytes();
                prop_assert_eq!(&SavedState::parse(&bytes), &Ok(saved.clone()));
                let expected = if algorithm.saving() == Saving::Anywhere { position } else { 0 };
                prop_assert_eq!(saved.length(), expected as u64, "{}", algorithm);
                hasher = saved.resume(after);
                hasher.update(&message[saved.length() as usize..position + piece.len()]);
                position += piece.len();
            }
            prop_assert_eq!(hasher.finish(), algorithm.digest(&message), "{}", algorithm);
            hasher.update(&message);
            prop_assert_eq!(hasher.finish(), algorithm.digest(&message), "{} is fresh after it", algorithm);
        }
    }

    #[test]
    fn a_saved_state_that_was_cut_off_or_changed_is_refused(
        message in message(), at: Index, bit in 0..8u32, more in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        for algorithm in Algorithm::all() {
            let Some(mut hasher) = algorithm.resumable_hasher(&BackendChoice::Auto) else { continue };
            hasher.update(&message);
            let bytes = saved(&hasher).to_bytes();
            let at = at.index(bytes.len());
            prop_assert!(SavedState::parse(&bytes[..at]).is_err());
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            prop_assert!(SavedState::parse(&flipped).is_err());
            // With a checksum that holds it may be a state, and then a message goes on from it.
            let body = &flipped[..flipped.len() - 8];
            let sum = Algorithm::XXH3.digest(body);
            if let Ok(forged) = SavedState::parse(&[body, sum.as_bytes()].concat()) {
                let mut hasher = forged.resume(&choice());
                hasher.update(&message);
                prop_assert_eq!(saved(&hasher).algorithm(), forged.algorithm());
                hasher.finish();
            }
            let longer = [&bytes[..], &more].concat();
            prop_assert_eq!(SavedState::parse(&longer).is_ok(), more.is_empty());
        }
    }
}

#[test]
fn the_registry_says_of_every_algorithm_how_it_is_put_aside() {
    let never: Vec<_> = Algorithm::all().filter(|algorithm| algorithm.saving() == Saving::Never).collect();
    let unsaved = Algorithm::all().filter(|algorithm| algorithm.resumable_hasher(&choice()).is_none());
    assert_eq!(never, unsaved.collect::<Vec<_>>());
    for algorithm in Algorithm::all().filter(|algorithm| algorithm.lanes().is_some()) {
        assert_eq!(algorithm.saving(), Saving::Anywhere, "{algorithm}");
    }
    let spans: Vec<_> = Algorithm::all().filter(|algorithm| algorithm.saving() == Saving::Spans).collect();
    assert_eq!(spans, Algorithm::all().filter(|algorithm| algorithm.has_tree()).collect::<Vec<_>>());
}
