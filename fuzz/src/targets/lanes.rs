//! Messages of any lengths in lanes: digests are those of other implementations.

use hashlane_lanes::{Algorithm, Part, Streams};
use sha2::Digest as _;

/// Algorithms that between them use every compression function that has an oracle here.
const ALGORITHMS: [Algorithm; 8] = [
    Algorithm::Md5,
    Algorithm::Sha1,
    Algorithm::Sha256,
    Algorithm::Sha512,
    Algorithm::Sha3_256,
    Algorithm::Sha3_512,
    Algorithm::Blake2b,
    Algorithm::Sm3,
];

/// The first byte chooses an algorithm and a backend. What follows is cut into messages, each message in two parts: two
/// bytes say how long it is, scaled so that long messages come up, one where it is cut.
pub(super) fn check(input: &[u8]) {
    let Some((&choice, mut rest)) = input.split_first() else { return };
    let algorithm = ALGORITHMS[usize::from(choice) % ALGORITHMS.len()];
    let backends = algorithm.backends();
    let backend = backends[usize::from(choice) / ALGORITHMS.len() % backends.len()];
    let mut messages = Vec::new();
    while let [low, high, cut, tail @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high])) % 1000;
        let seed = tail.first().copied().unwrap_or_default();
        let message: Vec<u8> = (0..length).map(|at| (at as u8).wrapping_mul(31) ^ seed).collect();
        messages.push((message, length * usize::from(*cut) / 255));
        rest = tail;
    }
    let mut streams = Streams::with_backend(algorithm, messages.len().max(1), backend).expect("it is there");
    for last in [false, true] {
        let parts = messages.iter().enumerate().map(|(slot, (message, cut))| {
            let (first, second) = message.split_at(*cut);
            Part { slot, bytes: if last { second } else { first }, last }
        });
        streams.advance(&parts.collect::<Vec<_>>());
    }
    for (slot, (message, _)) in messages.iter().enumerate() {
        let mut digest = vec![0; algorithm.length()];
        streams.finish(slot, &mut digest);
        let expected = match algorithm {
            Algorithm::Md5 => md5::Md5::digest(message).to_vec(),
            Algorithm::Sha1 => sha1::Sha1::digest(message).to_vec(),
            Algorithm::Sha256 => sha2::Sha256::digest(message).to_vec(),
            Algorithm::Sha3_256 => sha3::Sha3_256::digest(message).to_vec(),
            Algorithm::Sha3_512 => sha3::Sha3_512::digest(message).to_vec(),
            Algorithm::Blake2b => blake2::Blake2b512::digest(message).to_vec(),
            Algorithm::Sm3 => sm3::Sm3::digest(message).to_vec(),
            _ => sha2::Sha512::digest(message).to_vec(),
        };
        assert_eq!(digest, expected);
    }
}
