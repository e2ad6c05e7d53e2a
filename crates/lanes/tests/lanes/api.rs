//! What callers may and may not do.

use hashlane_lanes::{Algorithm, Backend, Part, Streams, digest_many};

use crate::oracle;

#[test]
fn messages_in_memory_are_digested_in_their_order() {
    // More than are taken at a time.
    let messages: Vec<_> = (0..2500_usize).map(|n| vec![n as u8; n % 300]).collect();
    let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
    for algorithm in Algorithm::ALL {
        let digests = digest_many(algorithm, &messages);
        assert_eq!(digests.len(), messages.len());
        for (message, digest) in messages.iter().zip(digests) {
            assert_eq!(digest, oracle::digest(algorithm, message), "{algorithm:?}");
        }
        assert!(digest_many(algorithm, &[]).is_empty());
    }
}

#[test]
fn a_backend_has_a_name_and_is_known_by_it() {
    for backend in Backend::ALL {
        assert_eq!(Backend::named(backend.name()), Some(backend));
        assert_eq!(backend.to_string(), backend.name());
    }
    assert_eq!(Backend::named("mmx"), None);
    assert!(Backend::Portable.is_available());
}

#[test]
fn a_backend_that_is_not_there_is_refused_and_what_serves_is_there() {
    for algorithm in Algorithm::ALL {
        let backends = algorithm.backends();
        assert!(backends.contains(&Backend::Portable));
        for backend in Backend::ALL {
            let streams = Streams::with_backend(algorithm, 40, backend);
            assert_eq!(streams.is_some(), backends.contains(&backend), "{algorithm:?} {backend}");
            if let Some(streams) = streams {
                assert_eq!(streams.serving(40).0, backend, "{algorithm:?}");
            }
        }
        let best = Streams::new(algorithm, 40);
        let widths: Vec<_> = (1..=40).map(|messages| best.serving(messages).1).collect();
        assert!(widths.is_sorted(), "{algorithm:?}: more messages never fill fewer lanes, {widths:?}");
        assert_eq!(widths[0], 1, "{algorithm:?}");
    }
}

#[test]
fn a_slot_that_was_finished_or_forgotten_is_fresh() {
    for algorithm in Algorithm::ALL {
        let mut streams = Streams::new(algorithm, 1);
        let mut digest = vec![0; algorithm.length()];
        for length in [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000] {
            let message = vec![0x5a; length];
            for last in [false, true] {
                streams.advance(&[Part { slot: 0, bytes: &message, last }]);
                streams.forget(0);
                streams.advance(&[Part { slot: 0, bytes: &message, last }]);
                streams.finish(0, &mut digest);
                assert_eq!(digest, oracle::digest(algorithm, &message), "{algorithm:?} of {length} bytes");
            }
        }
        streams.finish(0, &mut digest);
        assert_eq!(digest, oracle::digest(algorithm, b""), "{algorithm:?} of nothing");
    }
}

#[test]
#[should_panic(expected = "named twice")]
fn a_slot_is_named_once() {
    let part = Part { slot: 1, bytes: b"a", last: false };
    Streams::new(Algorithm::Md5, 2).advance(&[part, part]);
}

#[test]
#[should_panic(expected = "has ended")]
fn a_message_that_has_ended_takes_no_more() {
    let mut streams = Streams::new(Algorithm::Md5, 1);
    streams.advance(&[Part { slot: 0, bytes: b"a", last: true }]);
    streams.advance(&[Part { slot: 0, bytes: b"b", last: false }]);
}

#[test]
#[should_panic(expected = "its algorithm's length")]
fn a_digest_has_its_length() {
    Streams::new(Algorithm::Md5, 1).finish(0, &mut [0; 15]);
}
