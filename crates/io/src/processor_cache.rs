//! The caches of the processor, as the system reports them.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// A cache of the first processor; those of the others are taken to be like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorCache {
    /// 1 is the nearest.
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Hardware threads that share it, as the kernel lists them: `0-3`.
    pub shared_by: Option<String>,
}

impl ProcessorCache {
    /// All of them, from the nearest; none where the system does not tell.
    pub fn all() -> Vec<Self> {
        Self::all_in(Path::new("/sys/devices/system/cpu/cpu0/cache"))
    }

    fn all_in(directory: &Path) -> Vec<Self> {
        let read = |index: usize| {
            let place = directory.join(format!("index{index}"));
            let fact = |name: &str| {
                let text = fs::read_to_string(place.join(name)).ok()?.trim().to_owned();
                (!text.is_empty()).then_some(text)
            };
            Some(Self {
                level: fact("level")?.parse().ok()?,
                kind: fact("type")?.to_lowercase(),
                size_bytes: size(&fact("size")?)?,
                shared_by: fact("shared_cpu_list"),
            })
        };
        (0..).map_while(read).collect()
    }
}

/// Bytes of cache behind the first level that one hardware thread has, if all that share it use it alike: those of the level
/// that gives it most. `None` if the system does not tell.
pub fn cache_share_bytes() -> Option<usize> {
    static BYTES: OnceLock<Option<usize>> = OnceLock::new();
    *BYTES.get_or_init(|| largest_share(&ProcessorCache::all()))
}

fn largest_share(caches: &[ProcessorCache]) -> Option<usize> {
    let share = |cache: &ProcessorCache| {
        let threads = cache.shared_by.as_deref().map_or(1, count_of).max(1);
        usize::try_from(cache.size_bytes).ok().map(|bytes| bytes / threads)
    };
    caches.iter().filter(|cache| cache.level > 1).filter_map(share).max()
}

/// How many numbers a list of the kernel has: `0-3,8` has five.
pub fn count_of(list: &str) -> usize {
    let count = |part: &str| match part.split_once('-') {
        Some((first, last)) => last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1),
        None => part.parse::<usize>().ok().map(|_| 1),
    };
    list.split(',').filter_map(|part| count(part.trim())).sum()
}

/// A size as sysfs writes it: `48K`.
fn size(text: &str) -> Option<u64> {
    match text.strip_suffix('K') {
        Some(kibibytes) => kibibytes.parse::<u64>().ok()?.checked_mul(1 << 10),
        None => text.strip_suffix('M')?.parse::<u64>().ok()?.checked_mul(1 << 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_as_sysfs_writes_them() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (index, (level, kind, size)) in [("1", "Data", "48K"), ("2", "Unified", "2M")].iter().enumerate()
        {
            let place = directory.path().join(format!("index{index}"));
            fs::create_dir(&place).expect("mkdir");
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(place.join(name), format!("{text}\n")).expect("write");
            }
        }
        let mut caches = ProcessorCache::all_in(directory.path());
        assert_eq!(caches.len(), 2);
        assert_eq!((caches[0].level, caches[0].kind.as_str(), caches[0].size_bytes), (1, "data", 49_152));
        assert_eq!((caches[1].size_bytes, &caches[1].shared_by), (2 << 20, &None));
        assert!(ProcessorCache::all_in(Path::new("/nowhere")).is_empty());
        assert_eq!(largest_share(&caches), Some(2 << 20));
        caches[1].shared_by = Some("0-1,64-65".to_owned());
        assert_eq!(largest_share(&caches), Some(512 << 10));
        let third = ProcessorCache { level: 3, size_bytes: 32 << 20, ..caches[1].clone() };
        assert_eq!(largest_share(&[caches[0].clone(), third, caches[1].clone()]), Some(8 << 20));
        assert_eq!(largest_share(&caches[..1]), None);
    }

    #[test]
    fn sizes_and_lists_that_are_none_are_nothing() {
        for wrong in ["", "1024", "-1K", "99999999999999999999K", "18446744073709551615M"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
        assert_eq!(
            [count_of("0-3,8"), count_of("5"), count_of(""), count_of("3-1"), count_of("x,2")],
            [5, 1, 0, 0, 1]
        );
    }
}
