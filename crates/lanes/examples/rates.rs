//! Rates of all backends, data in cache.
#![allow(missing_docs)]
use hashlane_lanes::{Algorithm, Part, Streams};
use std::time::Instant;
fn main() {
    let kib: usize = std::env::args().nth(1).map_or(16, |a| a.parse().expect("a number"));
    for algorithm in Algorithm::ALL {
        for backend in algorithm.backends() {
            for slots in [1, 2, 3, 4, 8, 16, 32] {
                let pad: usize = std::env::args().nth(2).map_or(0, |a| a.parse().expect("a number"));
                let data = vec![7u8; slots * (kib * 1024 + pad)];
                let mut s = Streams::with_backend(algorithm, slots, backend).expect("it has it");
                let parts: Vec<_> = data
                    .chunks_exact(kib * 1024 + pad)
                    .enumerate()
                    .map(|(slot, bytes)| Part { slot, bytes: &bytes[..kib * 1024], last: false })
                    .collect();
                let mut best = f64::MAX;
                for _ in 0..7 {
                    let t = Instant::now();
                    let mut n = 0;
                    while t.elapsed().as_millis() < 15 {
                        s.advance(&parts);
                        n += 1;
                    }
                    best = best.min(t.elapsed().as_secs_f64() / f64::from(n));
                }
                print!("{algorithm:?} {backend} {slots}: {:.2} GB/s; ", data.len() as f64 / best / 1e9);
            }
            println!();
        }
    }
}
