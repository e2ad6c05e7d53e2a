//! Small trees, again and again: whatever the threads do, the same comes out.

use std::fs;
use std::time::Duration;

use hashlane_io::{EngineKind, Fault, FaultPlan};

use crate::support::*;

/// A reproducible sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn two_hundred_small_trees_come_out_right_whatever_stalls() {
    const KINDS: [EngineKind; 4] =
        [EngineKind::Buffered, EngineKind::Mapped, EngineKind::Direct, EngineKind::Uring];
    const SIZES: [u64; 8] = [0, 1, 1000, 128 * KIB, 300 * KIB, MIB, MIB + 1, 2 * MIB + 77];
    const SETS: [&[&str]; 4] = [&["sha256"], &["blake3"], &["crc32", "sha1"], &["blake3", "xxh3"]];
    for seed in rounds(200) {
        let mut numbers = Numbers(seed);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut made = Vec::new();
        for number in 0..numbers.below(4) {
            let root = directory.path().join(format!("{number}"));
            fs::create_dir(&root).expect("mkdir");
            let sizes: Vec<u64> = (0..numbers.below(12)).map(|_| SIZES[numbers.below(8) as usize]).collect();
            made.extend(make_files(&root, &sizes));
        }
        let names = SETS[numbers.below(4) as usize];
        let mut options = options(1 + numbers.below(8) as usize, names);
        let kind = KINDS[numbers.below(4) as usize];
        let stall = Fault::StallFor(Duration::from_micros(numbers.below(500)));
        let plan = FaultPlan::new().seeded(seed, 1 + numbers.below(8), &[stall, Fault::Interrupt, stall]);
        options.engine = failing(kind, plan);
        if numbers.below(2) == 0 {
            options.walk.memory.records_bytes = numbers.below(4000) as usize;
        }
        if numbers.below(3) == 0 {
            options.walk.spill_directory = directory.path().join("missing");
        }
        let (records, _) = run(options, [path(directory.path())]);
        assert_eq!(records.len(), made.len(), "seed {seed}");
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(names));
        }
    }
}

#[test]
fn many_tiny_runs_end_without_a_stall_to_wake_anybody() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10, 2 * MIB, 5 * MIB]);
    for number in rounds(600) {
        // Each build meets each combination.
        let number = number as usize / 2;
        let workers = 1 + number % 6;
        let count = number % 4;
        let names = if number.is_multiple_of(2) { &["crc32"] } else { &["blake3"] };
        let inputs: Vec<_> = (0..count).map(|input| path(&made[(input + number) % 3].path)).collect();
        let (records, _) = run(options(workers, names), inputs);
        assert_eq!(records.len(), count);
    }
}
