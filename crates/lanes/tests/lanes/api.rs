//! What callers may and may not do.

use hashlane_lanes::{Algorithm, Backend, Occupancy, Part, Rate, Streams, digest_many, reference_cycles};

use crate::oracle;

#[test]
fn messages_in_memory_are_digested_in_their_order() {
    // More than are taken at a time.
    let messages: Vec<_> = (0..2500_usize).map(|n| vec![n as u8; n % 300]).collect();
    let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
    for algorithm in Algorithm::ALL {
        // What one call keeps serves another one, of fewer messages and of more.
        for messages in [&messages[..3], &messages, &[], &messages[7..8], &messages[290..400]] {
            let mut digests = vec![0; messages.len() * algorithm.length()];
            digest_many(algorithm, messages, &mut digests);
            for (message, digest) in messages.iter().zip(digests.chunks(algorithm.length())) {
                assert_eq!(digest, oracle::digest(algorithm, message), "{algorithm:?}");
            }
        }
    }
}

#[test]
fn while_a_thread_ends_messages_are_digested_too() {
    struct Last;
    impl Drop for Last {
        fn drop(&mut self) {
            let mut digest = [0; 32];
            digest_many(Algorithm::Sha256, &[b"abc"], &mut digest);
            assert_eq!(digest, *oracle::digest(Algorithm::Sha256, b"abc"));
        }
    }
    thread_local!(static LAST: Last = const { Last });
    let thread = std::thread::spawn(|| {
        LAST.with(|_| ());
        digest_many(Algorithm::Sha256, &[b"abc"], &mut [0; 32]);
    });
    thread.join().expect("it ends as it should");
}

#[test]
#[should_panic(expected = "room for the digests")]
fn there_has_to_be_room_for_all_digests() {
    digest_many(Algorithm::Sha256, &[b"abc", b"abc"], &mut [0; 32]);
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
        let (_, lanes) = Streams::new(algorithm, 1).serving(1);
        assert!(lanes <= 4, "{algorithm:?}: a message alone leaves few lanes empty, or none");
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

/// Rates of all kernels of an algorithm here.
fn rates(algorithm: Algorithm, mut of: impl FnMut(Backend, usize) -> f64) -> Vec<Rate> {
    let kernels = algorithm.kernels().into_iter();
    kernels.map(|(backend, lanes)| Rate { backend, lanes, bytes_per_second: of(backend, lanes) }).collect()
}

/// More messages than any kernel has lanes.
const MANY: usize = 56;

/// The kernels that serve each number of messages, from one to [`MANY`].
fn serving(streams: &Streams) -> Vec<(Backend, usize)> {
    (1..=MANY).map(|messages| streams.serving(messages)).collect()
}

#[test]
fn what_was_measured_decides_which_kernel_serves() {
    for algorithm in Algorithm::ALL {
        for (favourite, width) in algorithm.kernels() {
            let rates = rates(
                algorithm,
                |backend, lanes| {
                    if (backend, lanes) == (favourite, width) { 1e12 } else { 1e9 }
                },
            );
            let streams = Streams::with_rates(algorithm, MANY, &rates);
            let all = serving(&streams);
            assert!(
                all.iter().all(|&kernel| kernel == (favourite, width)),
                "{algorithm:?} {favourite} {width}"
            );
        }
    }
}

#[test]
fn rates_that_are_incomplete_or_impossible_leave_the_fixed_order() {
    for algorithm in Algorithm::ALL {
        let fixed = serving(&Streams::new(algorithm, MANY));
        let mut some = rates(algorithm, |backend, _| if backend == Backend::Portable { 1e12 } else { 1.0 });
        for wrong in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            some[0].bytes_per_second = wrong;
            assert_eq!(serving(&Streams::with_rates(algorithm, MANY, &some)), fixed, "{algorithm:?} {wrong}");
        }
        some.remove(0);
        assert_eq!(serving(&Streams::with_rates(algorithm, MANY, &some)), fixed, "{algorithm:?}");
        assert_eq!(serving(&Streams::with_rates(algorithm, MANY, &[])), fixed, "{algorithm:?}");
    }
}

#[test]
fn a_kernel_that_is_hardly_faster_does_not_take_the_place_of_another() {
    for algorithm in Algorithm::ALL {
        // So many that what is left over when no kernel is full any more does not matter.
        let many = 10 * MANY;
        let fixed = Streams::new(algorithm, MANY).serving(many);
        for (rival, ratio) in algorithm.kernels().into_iter().flat_map(|rival| [(rival, 1.04), (rival, 1.06)])
        {
            let rates = rates(algorithm, |backend, lanes| match (backend, lanes) {
                kernel if kernel == fixed => 1e9,
                kernel if kernel == rival => ratio * 1e9,
                _ => 1e8,
            });
            let taken = Streams::with_rates(algorithm, MANY, &rates).serving(many);
            assert_eq!(taken, if ratio > 1.05 { rival } else { fixed }, "{algorithm:?} {rival:?} {ratio}");
        }
    }
}

#[test]
fn one_kernel_alone_serves_any_number_of_messages() {
    let messages: Vec<Vec<u8>> = (0..MANY).map(|n| vec![n as u8; n * 61]).collect();
    for algorithm in Algorithm::ALL {
        for (backend, lanes) in algorithm.kernels() {
            let mut streams = Streams::with_kernel(algorithm, MANY, backend, lanes).expect("it is there");
            assert!(serving(&streams).iter().all(|&kernel| kernel == (backend, lanes)), "{algorithm:?}");
            assert_digests(&mut streams, &messages);
        }
        assert!(Streams::with_kernel(algorithm, MANY, Backend::Portable, MANY).is_none());
    }
}

/// Whatever is measured, however absurd, digests are right: kernels may come and go with every message that ends.
#[test]
fn any_rates_give_the_same_digests() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let messages: Vec<Vec<u8>> =
            (0..random.usize(1..=MANY)).map(|_| vec![random.u8(..); random.usize(..3000)]).collect();
        for algorithm in Algorithm::ALL {
            let rates = rates(algorithm, |_, _| random.f64() * 1e9 + 1.0);
            assert_digests(&mut Streams::with_rates(algorithm, MANY, &rates), &messages);
        }
    }
}

fn assert_digests(streams: &mut Streams, messages: &[Vec<u8>]) {
    let algorithm = streams.algorithm();
    let parts = messages.iter().enumerate().map(|(slot, bytes)| Part { slot, bytes, last: true });
    streams.advance(&parts.collect::<Vec<_>>());
    let mut digest = vec![0; algorithm.length()];
    for (slot, message) in messages.iter().enumerate() {
        streams.finish(slot, &mut digest);
        assert_eq!(digest, oracle::digest(algorithm, message), "{algorithm:?}, slot {slot}");
    }
}

#[test]
fn reference_cycles_go_on_while_time_passes() {
    // Where there is no such counter there is nothing to see.
    let Some(before) = reference_cycles() else { return };
    std::thread::sleep(std::time::Duration::from_millis(20));
    let passed = reference_cycles().expect("there was one a moment ago") - before;
    // From 100 MHz to 1 THz, for 20 ms or, on a busy machine, some more.
    assert!((2_000_000..20_000_000_000).contains(&passed), "{passed}");
}

#[test]
fn lanes_are_as_full_as_there_are_messages() {
    for algorithm in Algorithm::ALL {
        let (_, lanes) = Streams::new(algorithm, 2 * MANY).serving(2 * MANY);
        let bytes = vec![7; 10_000];
        let share = |messages: usize| {
            let mut streams = Streams::new(algorithm, 2 * MANY);
            assert_eq!(streams.occupancy(), Occupancy::default());
            let parts = (0..messages).map(|slot| Part { slot, bytes: &bytes[..], last: true });
            streams.advance(&parts.collect::<Vec<_>>());
            let Occupancy { bytes: taken, room_bytes } = streams.occupancy();
            assert!(
                taken >= (messages * bytes.len()) as u64 && taken <= (messages * (bytes.len() + 272)) as u64
            );
            taken as f64 / room_bytes as f64
        };
        assert_eq!(share(lanes), 1.0, "{algorithm:?}");
        assert_eq!(share(2 * lanes), 1.0, "{algorithm:?}");
        assert_eq!(share(1), 1.0 / lanes as f64, "{algorithm:?}");
    }
}
