//! What every backend has to get right.

use std::sync::{Mutex, PoisonError};

use hashlane_lanes::{Algorithm, Backend, Midstate, Part, Streams};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

use crate::oracle;

/// The most lanes that any kernel has.
const MOST_LANES: usize = 48;

/// The tests of this module for one backend.
macro_rules! tests {
    ($backend:expr) => {
        #[test]
        fn messages_of_every_length_around_blocks_and_padding() {
            suite::lengths($backend);
        }

        #[test]
        fn parts_that_end_with_a_block_or_beside_its_end() {
            suite::parts($backend);
        }

        #[test]
        fn every_number_of_messages_from_one_to_more_than_all_lanes() {
            suite::numbers($backend);
        }

        #[test]
        fn messages_that_lie_anywhere() {
            suite::alignments($backend);
        }

        #[test]
        fn any_mix_of_messages_cut_anywhere_in_slots_used_again() {
            suite::mixes($backend);
        }

        #[test]
        fn more_bits_than_fit_into_32() {
            suite::long($backend);
        }
    };
}
pub(crate) use tests;

/// The algorithms that this CPU has the backend for. Says so where there are none.
fn algorithms(backend: Backend) -> Vec<Algorithm> {
    let has = |algorithm: &Algorithm| algorithm.backends().contains(&backend);
    let algorithms: Vec<_> = Algorithm::ALL.into_iter().filter(has).collect();
    if algorithms.is_empty() {
        // No skip that a tool could mend: another machine runs it.
        println!("this CPU does not have {backend}");
    }
    algorithms
}

fn streams(algorithm: Algorithm, backend: Backend, slots: usize) -> Streams {
    Streams::with_backend(algorithm, slots, backend).expect("the CPU has it")
}

fn finish(streams: &mut Streams, slot: usize) -> Vec<u8> {
    let mut digest = vec![0; streams.algorithm().length()];
    streams.finish(slot, &mut digest);
    digest
}

/// Bytes that differ from place to place.
fn content(length: usize, seed: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed as u64);
    std::iter::repeat_with(|| random.u8(..)).take(length).collect()
}

/// Digests all messages at once and compares each with the oracle.
fn compare(algorithm: Algorithm, backend: Backend, messages: &[&[u8]]) {
    let mut streams = streams(algorithm, backend, messages.len());
    let parts = messages.iter().enumerate().map(|(slot, bytes)| Part { slot, bytes, last: true });
    streams.advance(&parts.collect::<Vec<_>>());
    for (slot, message) in messages.iter().enumerate() {
        let of = message.len();
        assert_eq!(
            finish(&mut streams, slot),
            oracle::digest(algorithm, message),
            "{algorithm:?} of {of} bytes"
        );
    }
}

pub(crate) fn lengths(backend: Backend) {
    for algorithm in algorithms(backend) {
        let most = 3 * oracle::block_bytes(algorithm) + 2;
        let messages: Vec<_> = (0..=most).map(|length| content(length, length)).collect();
        // All of one length, so that no lane runs ahead, and all lengths at once.
        for message in &messages {
            compare(algorithm, backend, &vec![message.as_slice(); MOST_LANES + 1]);
        }
        compare(algorithm, backend, &messages.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}

/// Whether a full block is the last one may be known with it, later, or never until the digest is asked for.
pub(crate) fn parts(backend: Backend) {
    for algorithm in algorithms(backend) {
        let block = oracle::block_bytes(algorithm);
        let mut streams = streams(algorithm, backend, MOST_LANES + 1);
        for length in [0, 1, block - 1, block, block + 1, 2 * block, 3 * block - 1, 3 * block, 3 * block + 1]
        {
            let messages: Vec<_> = (0..streams.slots()).map(|slot| content(length, slot)).collect();
            for step in [block - 1, block, block + 1, 2 * block] {
                let steps = length.div_ceil(step);
                for last in [steps.saturating_sub(1), steps, usize::MAX] {
                    for number in 0..=steps {
                        let parts = messages.iter().enumerate().map(|(slot, message)| {
                            let bytes = message.chunks(step).nth(number).unwrap_or_default();
                            Part { slot, bytes, last: number == last }
                        });
                        streams.advance(&parts.collect::<Vec<_>>());
                        if number == last {
                            break;
                        }
                    }
                    for (slot, message) in messages.iter().enumerate() {
                        let found = finish(&mut streams, slot);
                        let of = format!("{algorithm:?} of {length} bytes, {step} at a time");
                        assert_eq!(found, oracle::digest(algorithm, message), "{of}");
                    }
                }
            }
        }
    }
}

pub(crate) fn numbers(backend: Backend) {
    for algorithm in algorithms(backend) {
        let messages: Vec<_> = (0..2 * MOST_LANES + 3).map(|n| content(1000 + 17 * n, n)).collect();
        let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
        (1..=messages.len()).for_each(|count| compare(algorithm, backend, &messages[..count]));
    }
}

pub(crate) fn alignments(backend: Backend) {
    let bytes = content(64 + 5000, 0);
    for algorithm in algorithms(backend) {
        for shift in 0..64 {
            let messages: Vec<_> =
                (0..MOST_LANES).map(|lane| &bytes[(shift + 3 * lane) % 64..][..4000 + lane]).collect();
            compare(algorithm, backend, &messages);
        }
    }
}

/// A message, and the lengths of its first parts.
fn cut_message() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    let length = prop_oneof![0..300_usize, 0..5000_usize, 60_000..70_000_usize];
    (length, any::<u16>(), proptest::collection::vec(prop_oneof![0..200_usize, 0..9000_usize], 0..6))
        .prop_map(|(length, seed, cuts)| (content(length, seed.into()), cuts))
}

pub(crate) fn mixes(backend: Backend) {
    let cases = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) };
    let mixes = proptest::collection::vec(cut_message(), 1..MOST_LANES + 20);
    for algorithm in algorithms(backend) {
        TestRunner::new(cases.clone())
            .run(&mixes, |messages| mix(&mut streams(algorithm, backend, MOST_LANES + 8), &messages))
            .unwrap_or_else(|failure| panic!("{algorithm:?}: {failure}"));
    }
}

/// Takes messages in in parts, in as many slots as there are. A slot whose message has ended takes the next one; every
/// seventh message is forgotten on the way.
fn mix(streams: &mut Streams, messages: &[(Vec<u8>, Vec<usize>)]) -> TestCaseResult {
    struct Sitting {
        message: usize,
        part: usize,
        offset: usize,
    }
    let mut sitting: Vec<Option<Sitting>> = (0..streams.slots()).map(|_| None).collect();
    let mut next = 0;
    loop {
        let mut parts = Vec::new();
        for (slot, place) in sitting.iter_mut().enumerate() {
            if place.is_none() && next < messages.len() {
                *place = Some(Sitting { message: next, part: 0, offset: 0 });
                next += 1;
            }
            if let Some(Sitting { message, part, offset }) = place {
                let (bytes, cuts) = &messages[*message];
                let rest = &bytes[*offset..];
                let bytes = cuts.get(*part).map_or(rest, |&cut| &rest[..cut.min(rest.len())]);
                // The last part of some messages is not known for the last.
                let last = *part >= cuts.len() && *message % 3 != 0;
                parts.push(Part { slot, bytes, last });
                *part += 1;
                *offset += bytes.len();
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        streams.advance(&parts);
        for (slot, place) in sitting.iter_mut().enumerate() {
            let Some(Sitting { message, part, .. }) = place else { continue };
            let (bytes, cuts) = &messages[*message];
            if *message % 7 == 6 {
                streams.forget(slot);
            } else if *part > cuts.len() {
                let digest = finish(streams, slot);
                prop_assert_eq!(digest, oracle::digest(streams.algorithm(), bytes), "message {}", message);
            } else {
                continue;
            }
            *place = None;
        }
    }
}

/// Half a gigabyte has 2^32 bits.
const LONG_BYTES: usize = 1 << 29;
const PIECE_BYTES: usize = 1 << 20;
const PIECES: usize = LONG_BYTES / PIECE_BYTES;

/// A message but for its last piece, put aside after some backend has taken it in: once for all that go on with it.
fn all_but_the_last(algorithm: Algorithm, piece: &[u8]) -> Midstate {
    static KNOWN: Mutex<Vec<(Algorithm, Midstate)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, saved)) = known.iter().find(|(of, _)| *of == algorithm) {
        return saved.clone();
    }
    let mut streams = Streams::new(algorithm, 1);
    for _ in 1..PIECES {
        streams.advance(&[Part { slot: 0, bytes: piece, last: false }]);
    }
    let saved = streams.save(0).expect("it has not ended");
    known.push((algorithm, saved.clone()));
    saved
}

/// In the whole matrix each backend takes in all of the message, else what carries the count beyond 32 bits.
pub(crate) fn long(backend: Backend) {
    let piece = content(PIECE_BYTES, 7);
    let algorithms = algorithms(backend);
    // Those that share a compression function share the counter as well.
    let some = algorithms.into_iter().filter(|algorithm| {
        matches!(algorithm, Algorithm::Md5 | Algorithm::Sha1 | Algorithm::Sha256 | Algorithm::Sha512)
    });
    let takes_all = std::env::var_os("HASHLANE_TEST_ALL").is_some();
    for algorithm in some {
        let mut streams = streams(algorithm, backend, 2);
        if !takes_all {
            let saved = all_but_the_last(algorithm, &piece);
            assert!((0..2).all(|slot| streams.restore(slot, &saved)));
        }
        for _ in if takes_all { 0 } else { PIECES - 1 }..PIECES {
            streams.advance(&[0, 1].map(|slot| Part { slot, bytes: &piece, last: false }));
        }
        let end = &piece[..55];
        streams.advance(&[Part { slot: 1, bytes: end, last: true }]);
        let exactly = oracle::repeated_once(algorithm, &piece, PIECES);
        assert_eq!(finish(&mut streams, 0), exactly, "{algorithm:?} of 2^32 bits");
        assert_ne!(finish(&mut streams, 1), exactly, "{algorithm:?} of more");
    }
}
