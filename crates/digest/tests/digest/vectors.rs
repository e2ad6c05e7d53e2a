//! The vectors of tests/vectors.json, which other languages read too.

use std::fmt;

use hashlane_digest::{Algorithm, BackendChoice, LaneSet, Part};
use serde::Deserialize;

use crate::forced::{digest, hasher};

const LONG: usize = 100_000;

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    algorithm: String,
    text: Option<String>,
    hex: Option<String>,
    cycle_251: Option<usize>,
    #[serde(default = "once")]
    repeat: usize,
    digest: String,
    source: String,
}

fn once() -> usize {
    1
}

impl Vector {
    fn algorithm(&self) -> Algorithm {
        Algorithm::named(&self.algorithm).unwrap_or_else(|| panic!("{} is not registered", self.algorithm))
    }

    fn message(&self) -> Vec<u8> {
        match (&self.text, &self.hex, self.cycle_251) {
            (Some(text), None, None) => text.repeat(self.repeat).into_bytes(),
            (None, Some(hex), None) => from_hex(hex).repeat(self.repeat),
            (None, None, Some(length)) => (0..=250).cycle().take(length).collect(),
            _ => panic!("a {} vector must say its message in one way", self.algorithm),
        }
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes ({})", self.algorithm, self.message().len(), self.source)
    }
}

fn vectors() -> Vec<Vector> {
    let file: File = serde_json::from_str(include_str!("../vectors.json")).expect("valid vectors");
    file.vectors
}

fn from_hex(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("pairs of hexadecimal digits")).collect()
}

#[test]
fn every_vector_is_met() {
    for vector in vectors() {
        assert_eq!(digest(vector.algorithm(), &vector.message()).to_string(), vector.digest, "{vector}");
    }
}

#[test]
fn every_vector_is_met_in_pieces_by_a_used_hasher() {
    for algorithm in Algorithm::all() {
        let mut hasher = hasher(algorithm);
        for vector in vectors().into_iter().filter(|vector| vector.algorithm() == algorithm) {
            for piece in vector.message().chunks(4093) {
                hasher.update(piece);
            }
            assert_eq!(hasher.finish().to_string(), vector.digest, "{vector}");
        }
    }
}

#[test]
fn every_vector_is_met_in_lanes_of_every_backend() {
    for algorithm in Algorithm::all() {
        let Some(lanes) = algorithm.lanes() else { continue };
        let vectors: Vec<_> =
            vectors().into_iter().filter(|vector| vector.algorithm() == algorithm).collect();
        let messages: Vec<_> = vectors.iter().map(Vector::message).collect();
        for backend in lanes.backends() {
            let mut set = LaneSet::by(algorithm, messages.len(), &BackendChoice::Only(backend));
            assert_eq!(set.backend(), backend.name(), "{algorithm}");
            let parts = messages.iter().enumerate().map(|(slot, bytes)| Part { slot, bytes, last: true });
            set.advance(&parts.collect::<Vec<_>>());
            for (slot, vector) in vectors.iter().enumerate() {
                assert_eq!(set.finish(slot).to_string(), vector.digest, "{backend}: {vector}");
            }
        }
    }
}

#[test]
fn every_algorithm_has_an_empty_a_short_and_a_long_vector() {
    let vectors = vectors();
    for algorithm in Algorithm::all() {
        let mut messages =
            vectors.iter().filter(|vector| vector.algorithm() == algorithm).map(Vector::message);
        assert!(messages.clone().any(|message| message.is_empty()), "{algorithm}");
        assert!(messages.clone().any(|message| message == b"abc"), "{algorithm}");
        assert!(messages.any(|message| message.len() >= LONG), "{algorithm}");
    }
}
