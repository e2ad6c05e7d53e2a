//! Generated files and trees: the same bytes, sizes and names for the same seed, on every machine.
//!
//! Integer arithmetic only; nothing depends on a mathematical library, on the order of threads or on the file system.
//!
//! - Content is SplitMix64 by counter: word i of a file is `mix(start + (i + 1) * GAMMA)`, little-endian, where `start` is
//!   made from the seed. Any part of a file can be made by itself, and no part can be compressed or deduplicated.
//! - Sizes that are log-normal are `median * 2^(sigma * z / ln 2)`, where z is the number of ones among 1024 random bits,
//!   centred, smoothed by a uniform fraction of one and divided by its deviation of 16: normal to about five
//!   deviations. The power of two is a product of square roots of two in 62 bits of fraction.
//! - Names are the digits of a file's number in base `per_directory`, so no directory holds more entries than that, and the
//!   order of numbers is the order of names.
//!
//! Source: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014 (SplitMix64).
//!
//! Invariant: what is generated never changes. Digests pinned below and the records of old benchmarks depend on it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Content of any length, made from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    start: u64,
}

/// A tree of files to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreePlan {
    /// What everything is made from.
    pub seed: u64,
    /// Number of files.
    pub files: u64,
    /// How large they are.
    pub sizes: Sizes,
    /// The most entries that a directory holds; at least 2.
    pub per_directory: u64,
}

/// The sizes of the files of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All have this size in bytes.
    Fixed(u64),
    /// Log-normal, as the files of people are: many small ones, few huge ones.
    LogNormal {
        /// Half of them are smaller, in bytes.
        median_bytes: u64,
        /// Standard deviation of the size's natural logarithm, in thousandths: 2000 is usual for home directories.
        sigma_thousandths: u32,
        /// Larger ones are cut to this size in bytes, so that one file does not fill the disk.
        largest_bytes: u64,
    },
}

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// Path below the tree's root.
    pub path: PathBuf,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Seed of its [`Content`].
    pub seed: u64,
}

impl Content {
    /// The content of a seed.
    pub fn seeded(seed: u64) -> Self {
        // Seeds that are near each other start far from each other.
        Self { start: mix(seed ^ 0x6861_7368_6c61_6e65) }
    }

    /// Fills `bytes` with the content from `offset_bytes` on.
    pub fn fill(&self, offset_bytes: u64, bytes: &mut [u8]) {
        let skipped = (offset_bytes % 8) as usize;
        let mut word = offset_bytes / 8;
        let mut rest = bytes;
        if skipped > 0 {
            let count = rest.len().min(8 - skipped);
            let (head, tail) = rest.split_at_mut(count);
            head.copy_from_slice(&self.word(word)[skipped..skipped + count]);
            rest = tail;
            word += 1;
        }
        let (words, tail) = rest.as_chunks_mut::<8>();
        for (number, bytes) in (word..).zip(words.iter_mut()) {
            *bytes = self.word(number);
        }
        let last = self.word(word + words.len() as u64);
        tail.copy_from_slice(&last[..tail.len()]);
    }

    /// Writes the part of the content that lies in `range`, in bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, file: &mut impl io::Write, range: Range<u64>) -> io::Result<()> {
        let mut buffer = vec![0; range.end.saturating_sub(range.start).min(256 * 1024) as usize];
        let mut offset = range.start;
        while offset < range.end {
            let count = buffer.len().min(usize::try_from(range.end - offset).unwrap_or(usize::MAX));
            self.fill(offset, &mut buffer[..count]);
            file.write_all(&buffer[..count])?;
            offset += count as u64;
        }
        Ok(())
    }

    fn word(&self, number: u64) -> [u8; 8] {
        mix(self.start.wrapping_add(GAMMA.wrapping_mul(number.wrapping_add(1)))).to_le_bytes()
    }
}

impl TreePlan {
    /// The files of the tree, in the byte order of their paths.
    pub fn files(&self) -> impl Iterator<Item = PlannedFile> + '_ {
        (0..self.files).map(|number| self.file(number))
    }

    /// The file of a number below [`TreePlan::files`].
    pub fn file(&self, number: u64) -> PlannedFile {
        let mut random = SplitMix::of(self.seed, number);
        let seed = random.next();
        PlannedFile { path: self.path(number), size_bytes: self.sizes.draw(&mut random), seed }
    }

    /// Makes the tree below `root`, which is made if it is not there. Returns the bytes written.
    ///
    /// # Errors
    /// What the system says; a file that is there already is an error, never overwritten.
    pub fn create(&self, root: &Path) -> io::Result<u64> {
        fs::create_dir_all(root)?;
        let mut total = 0;
        let mut made = PathBuf::new();
        for planned in self.files() {
            let path = root.join(&planned.path);
            let parent = path.parent().unwrap_or(root);
            if parent != made {
                fs::create_dir_all(parent)?;
                made = parent.to_owned();
            }
            let mut file = File::create_new(&path)?;
            Content::seeded(planned.seed).write(&mut file, 0..planned.size_bytes)?;
            file.flush()?;
            total += planned.size_bytes;
        }
        Ok(total)
    }

    /// The digits of a number in base `per_directory`, each with as many decimal digits as the largest needs.
    fn path(&self, number: u64) -> PathBuf {
        let base = self.per_directory.max(2);
        let width = (base - 1).to_string().len();
        let mut levels = 1;
        let mut reach = base;
        while reach < self.files {
            reach = reach.saturating_mul(base);
            levels += 1;
        }
        let mut digits = Vec::with_capacity(levels);
        let mut rest = number;
        for _ in 0..levels {
            digits.push(rest % base);
            rest /= base;
        }
        digits.iter().rev().enumerate().fold(PathBuf::new(), |path, (level, digit)| {
            let kind = if level + 1 == levels { 'f' } else { 'd' };
            path.join(format!("{kind}{digit:0width$}"))
        })
    }
}

impl Sizes {
    fn draw(&self, random: &mut SplitMix) -> u64 {
        match *self {
            Self::Fixed(size_bytes) => size_bytes,
            Self::LogNormal { median_bytes, sigma_thousandths, largest_bytes } => {
                let exponent = i128::from(random.normal()) * i128::from(sigma_thousandths) * LOG2_E / 1000;
                scale_by_power_of_two(median_bytes, exponent >> 32).min(largest_bytes)
            }
        }
    }
}

/// Added to the state for every word: 2^64 divided by the golden ratio, odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// 1 / ln 2 with 32 bits of fraction.
const LOG2_E: i128 = 6_196_328_019;

/// Bits of fraction of [`ROOTS`].
const ROOT_BITS: u32 = 62;

/// 2^(1/2), 2^(1/4), 2^(1/8), ... rounded down.
const ROOTS: [u64; 32] = {
    let mut roots = [0; 32];
    let mut root = 1_u128 << (ROOT_BITS + 1);
    let mut index = 0;
    while index < roots.len() {
        root = (root << ROOT_BITS).isqrt();
        roots[index] = root as u64;
        index += 1;
    }
    roots
};

/// Numbers that look random, the same on every machine and in every version: SplitMix64.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The sequence of a seed, as it is published.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of one of many things under one seed.
    pub(crate) fn of(seed: u64, number: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(number)))
    }

    /// The next 64 bits. It has no end, so it is not an [`Iterator`].
    #[expect(clippy::should_implement_trait, reason = "an iterator ends, or may")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// A normal deviate with 32 bits of fraction.
    fn normal(&mut self) -> i64 {
        let ones: u32 = (0..16).map(|_| self.next().count_ones()).sum();
        let fraction = (self.next() >> 32) as i64 - (1 << 31);
        (((i64::from(ones) - 512) << 32) + fraction) >> 4
    }
}

/// The finalizer of SplitMix64.
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// `value * 2^exponent`, rounded down, at most `u64::MAX`; the exponent has 32 bits of fraction.
fn scale_by_power_of_two(value: u64, exponent: i128) -> u64 {
    let whole = (exponent >> 32).clamp(-128, 128) as i32;
    let fraction = exponent as u32;
    let mut factor = 1_u128 << ROOT_BITS;
    for (index, &root) in ROOTS.iter().enumerate() {
        if fraction & (1 << 31 >> index) != 0 {
            factor = (factor * u128::from(root)) >> ROOT_BITS;
        }
    }
    // Below 2^64 * 2^63.
    let product = u128::from(value) * factor;
    let scaled = match ROOT_BITS as i32 - whole {
        right @ 0.. => product.checked_shr(right as u32).unwrap_or(0),
        left => {
            let left = left.unsigned_abs();
            if left <= product.leading_zeros() { product << left.min(127) } else { u128::MAX }
        }
    };
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn sha256(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn content(seed: u64, length: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        Content::seeded(seed).write(&mut bytes, 0..length).expect("memory takes all");
        bytes
    }

    #[test]
    fn content_is_what_it_always_was() {
        assert_eq!(
            sha256(&content(0, 1_000_003)),
            "aaac5f1a6b13c35f1c5ef9dae6ae40fe456e4dff4098298638f56d25b148bac5"
        );
        assert_eq!(
            sha256(&content(1, 65_536)),
            "3ea3c92d00d433c95144cd122b9a19324d35515b9c5503084c615a54a052d05e"
        );
    }

    #[test]
    fn trees_are_what_they_always_were() {
        let sizes =
            Sizes::LogNormal { median_bytes: 10_000, sigma_thousandths: 2000, largest_bytes: 1 << 30 };
        let plan = TreePlan { seed: 7, files: 1000, sizes, per_directory: 20 };
        let list: String = plan
            .files()
            .map(|file| format!("{} {} {}\n", file.path.display(), file.size_bytes, file.seed))
            .collect();
        assert_eq!(list.lines().next(), Some("d00/d00/f00 9523 13019073220954770443"));
        assert_eq!(
            sha256(list.as_bytes()),
            "626826629659ed9b88238fc99e912b6c7ba03a05b35b011aa8bfaa7094dc74a9"
        );
    }

    #[test]
    fn any_part_of_the_content_can_be_made_by_itself() {
        let whole = content(3, 100);
        for offset in 0..100 {
            for length in 0..=100 - offset {
                let mut part = vec![0; length];
                Content::seeded(3).fill(offset as u64, &mut part);
                assert_eq!(part, whole[offset..offset + length]);
            }
        }
    }

    #[test]
    fn log_normal_sizes_have_their_median_and_spread() {
        let sizes =
            Sizes::LogNormal { median_bytes: 1_000_000, sigma_thousandths: 1000, largest_bytes: u64::MAX };
        let plan = TreePlan { seed: 1, files: 20_000, sizes, per_directory: 1000 };
        let mut drawn: Vec<u64> = plan.files().map(|file| file.size_bytes).collect();
        drawn.sort_unstable();
        // One deviation below, the median, one and two above: e^-1, 1, e, e^2, within five per cent.
        for (share, expected) in
            [(0.1587, 367_879), (0.5, 1_000_000), (0.8413, 2_718_281), (0.9772, 7_389_056)]
        {
            let found = drawn[(share * 20_000.0) as usize];
            assert!(found.abs_diff(expected) < expected / 20, "{share}: {found}, not {expected}");
        }
    }

    #[test]
    fn powers_of_two_saturate_and_vanish() {
        let one = 1_i128 << 32;
        assert_eq!(scale_by_power_of_two(3, 2 * one), 12);
        assert_eq!(scale_by_power_of_two(1000, -3 * one), 125);
        assert_eq!(scale_by_power_of_two(1_000_000_000, one / 2), 1_414_213_562);
        assert_eq!(scale_by_power_of_two(u64::MAX, 63 * one), u64::MAX);
        assert_eq!(scale_by_power_of_two(u64::MAX, i128::MAX), u64::MAX);
        assert_eq!(scale_by_power_of_two(u64::MAX, i128::MIN), 0);
        assert_eq!(scale_by_power_of_two(0, 100 * one), 0);
    }

    #[test]
    fn a_tree_is_made_as_planned_in_the_order_of_names_and_never_twice() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let plan = TreePlan { seed: 1, files: 30, sizes: Sizes::Fixed(1000), per_directory: 5 };
        assert_eq!(plan.create(root.path()).expect("create"), 30_000);
        let paths: Vec<_> = plan.files().map(|file| file.path).collect();
        assert!(paths.is_sorted_by(|a, b| a.as_os_str() < b.as_os_str()));
        assert_eq!(paths[29], Path::new("d1/d0/f4"));
        for file in plan.files() {
            let bytes = fs::read(root.path().join(&file.path)).expect("it was made");
            assert_eq!(bytes, content(file.seed, file.size_bytes));
        }
        assert_eq!(fs::read_dir(root.path()).expect("list").count(), 2);
        let again = plan.create(root.path()).expect_err("files are there");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }
}
