//! Memory: how fast it is read, copied, and combined by XOR. What touches all bytes of a large file is hardly faster.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use hashlane_digest::{Algorithm, sum_of_words};

use super::{on_threads, share, start};
use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// Memory in parts, and room for a copy of half of each. Every part was first touched by a thread of its own, so that on a
/// machine with several nodes it lies on more than one of them.
#[derive(Clone, Debug)]
pub struct Memory(Arc<Vec<Part>>);

#[derive(Debug)]
struct Part {
    bytes: Vec<u8>,
    copy: Mutex<Vec<u8>>,
}

impl Memory {
    /// `bytes` bytes for each of `threads` threads, and half as many again for copies.
    pub fn new(bytes: usize, threads: usize) -> Self {
        // Not zeros: those are one page, mapped many times.
        let part = move || Part { bytes: vec![0xa5; bytes], copy: Mutex::new(vec![1; bytes / 2]) };
        thread::scope(|scope| {
            let parts: Vec<_> = (0..threads).map(|_| start(scope, part)).collect();
            // Where there is no thread for it, this one touches it.
            let touched = parts.into_iter().map(|started| {
                started.map_or_else(|_| part(), |part| part.join().expect("memory can be touched"))
            });
            Self(Arc::new(touched.collect()))
        })
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|part| part.bytes.len() as u64).sum()
    }
}

/// Reads or copies memory.
#[derive(Debug)]
pub struct MemoryProbe {
    stage: Stage,
    xor: Option<Algorithm>,
    threads: usize,
    memory: Memory,
}

impl MemoryProbe {
    /// Reads it, each thread its parts.
    pub fn read(memory: &Memory, threads: usize) -> Self {
        Self { stage: Stage::MemoryRead, xor: None, threads, memory: memory.clone() }
    }

    /// Combines its words by XOR, as the algorithm `xor32` does.
    pub fn xor(memory: &Memory, threads: usize, algorithm: Algorithm) -> Self {
        Self { xor: Some(algorithm), ..Self::read(memory, threads) }
    }

    /// Copies half of each part into other memory.
    pub fn copy(memory: &Memory, threads: usize) -> Self {
        Self { stage: Stage::MemoryCopy, ..Self::read(memory, threads) }
    }

    /// Works on one part; returns the bytes that were read of it.
    fn work(&self, part: &Part) -> u64 {
        let bytes = black_box(part.bytes.as_slice());
        if self.stage == Stage::MemoryCopy {
            let mut copy = part.copy.lock().unwrap_or_else(PoisonError::into_inner);
            let length = copy.len();
            black_box(copy.as_mut_slice()).copy_from_slice(&bytes[..length]);
            return length as u64;
        }
        match self.xor {
            Some(algorithm) => _ = black_box(algorithm.digest(bytes)),
            None => _ = black_box(sum_of_words(bytes)),
        }
        bytes.len() as u64
    }
}

impl Probe for MemoryProbe {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: self.xor.map(|algorithm| algorithm.name().to_owned()),
            backend: self.xor.map(|algorithm| algorithm.backend().to_owned()),
            threads: self.threads,
            input_bytes: Some(self.memory.bytes()),
            ..Cell::new(self.stage.clone())
        }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let parts = &self.memory.0;
        let mine = |number| share(parts.len() as u64, number, self.threads);
        let touched = on_threads(self.threads, watch, mine, |mine| {
            let mut touched = 0;
            for _ in 0..repeats {
                for part in &parts[mine.start as usize..mine.end as usize] {
                    touched += self.work(part);
                }
            }
            touched
        })?;
        Ok(Work { bytes: touched.iter().sum(), operations: repeats, ..Work::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_as_they_are_touched() {
        let memory = Memory::new(1 << 20, 3);
        let xor = Algorithm::XOR32;
        for threads in [1, 3] {
            let bytes = |mut probe: MemoryProbe| {
                probe.run(2, &mut Stopwatch::start()).expect("memory is there").bytes
            };
            assert_eq!(bytes(MemoryProbe::read(&memory, threads)), 6 << 20);
            assert_eq!(bytes(MemoryProbe::xor(&memory, threads, xor)), 6 << 20);
            assert_eq!(bytes(MemoryProbe::copy(&memory, threads)), 3 << 20);
        }
        assert!(memory.0.iter().all(|part| part.copy.lock().expect("alone")[0] == 0xa5));
    }
}
