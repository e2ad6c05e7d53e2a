//! Memory: how fast it is read, copied, and combined by XOR. No stage that touches memory can be faster.

use std::hint::black_box;
use std::sync::Arc;

use hashlane_digest::Algorithm;

use super::on_threads;
use crate::cell::{Cell, Stage};
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// Bytes in memory, all pages touched.
#[derive(Clone, Debug)]
pub struct Memory(Arc<Vec<u8>>);

impl Memory {
    /// So many bytes.
    pub fn new(bytes: usize) -> Self {
        // Not zeros: those are one page, mapped many times.
        Self(Arc::new(vec![0xa5; bytes]))
    }
}

/// Reads or copies memory.
#[derive(Debug)]
pub struct MemoryProbe {
    stage: Stage,
    xor: Option<Algorithm>,
    threads: usize,
    memory: Memory,
    copies: Vec<Vec<u8>>,
}

impl MemoryProbe {
    /// Reads it, each thread its share.
    pub fn read(memory: &Memory, threads: usize) -> Self {
        Self { stage: Stage::MemoryRead, xor: None, threads, memory: memory.clone(), copies: Vec::new() }
    }

    /// Combines its words by XOR, as the algorithm `xor32` does.
    pub fn xor(memory: &Memory, threads: usize, algorithm: Algorithm) -> Self {
        Self { xor: Some(algorithm), ..Self::read(memory, threads) }
    }

    /// Copies half of it into other memory of the same size.
    pub fn copy(memory: &Memory, threads: usize) -> Self {
        let share = memory.0.len() / 2 / threads;
        let copies = (0..threads).map(|_| vec![1; share]).collect();
        Self { stage: Stage::MemoryCopy, copies, ..Self::read(memory, threads) }
    }
}

impl Probe for MemoryProbe {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: self.xor.map(|algorithm| algorithm.name().to_owned()),
            backend: self.xor.map(|algorithm| algorithm.backend().to_owned()),
            threads: self.threads,
            ..Cell::new(self.stage.clone())
        }
    }

    fn run(&mut self, repeats: u64) -> Result<Work, NotPossible> {
        let memory = &self.memory.0;
        let share =
            |of: usize, number: usize| number * (of / self.threads)..(number + 1) * (of / self.threads);
        let bytes = if self.stage == Stage::MemoryCopy {
            std::thread::scope(|scope| {
                for (number, copy) in self.copies.iter_mut().enumerate() {
                    let from = &memory[share(memory.len() / 2, number)];
                    scope.spawn(move || {
                        for _ in 0..repeats {
                            black_box(&mut *copy)[..from.len()].copy_from_slice(black_box(from));
                        }
                    });
                }
            });
            self.copies.iter().map(Vec::len).sum::<usize>()
        } else {
            on_threads(self.threads, |number| {
                let mine = &memory[share(memory.len(), number)];
                for _ in 0..repeats {
                    match self.xor {
                        Some(algorithm) => {
                            black_box(algorithm.digest(black_box(mine)));
                        }
                        None => {
                            black_box(sum(black_box(mine)));
                        }
                    }
                }
            });
            memory.len() / self.threads * self.threads
        };
        Ok(Work { bytes: bytes as u64 * repeats, operations: repeats, ..Work::default() })
    }
}

/// Adds all words: the least that can be done with bytes and still needs every one. Eight sums at once keep the adds from
/// waiting for each other.
fn sum(bytes: &[u8]) -> u64 {
    let mut sums = [0u64; 8];
    let chunks = bytes.chunks_exact(64);
    let rest = chunks.remainder().iter().map(|&byte| u64::from(byte)).sum::<u64>();
    for chunk in chunks {
        for (sum, word) in sums.iter_mut().zip(chunk.chunks_exact(8)) {
            *sum = sum.wrapping_add(u64::from_le_bytes(word.try_into().expect("8 bytes")));
        }
    }
    sums.iter().fold(rest, |all, sum| all.wrapping_add(*sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_the_sum() {
        let mut bytes = vec![0u8; 1_000];
        assert_eq!(sum(&bytes), 0);
        for at in [0, 7, 8, 63, 64, 959, 960, 999] {
            bytes[at] = 1;
            assert_ne!(sum(&bytes), 0, "{at}");
            bytes[at] = 0;
        }
    }

    #[test]
    fn bytes_are_counted_as_they_are_touched() {
        let memory = Memory::new(1 << 20);
        let xor = Algorithm::named("xor32").expect("registered");
        for threads in [1, 3] {
            let near = |probe: &mut MemoryProbe, bytes: u64| {
                let work = probe.run(2).expect("memory is there");
                assert!(work.bytes <= bytes && work.bytes > bytes - 16, "{work:?}");
            };
            near(&mut MemoryProbe::read(&memory, threads), 2 << 20);
            near(&mut MemoryProbe::xor(&memory, threads, xor), 2 << 20);
            near(&mut MemoryProbe::copy(&memory, threads), 1 << 20);
        }
    }
}
