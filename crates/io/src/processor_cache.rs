//! The caches of the processor, as far as who reads blocks has to know.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Bytes of second-level cache that one hardware thread has, if all that share it use it alike. Those of the first processor
/// stand for all. `None` if the system does not tell.
pub fn second_level_cache_bytes() -> Option<usize> {
    static BYTES: OnceLock<Option<usize>> = OnceLock::new();
    *BYTES.get_or_init(|| second_level_at(Path::new("/sys/devices/system/cpu/cpu0/cache")))
}

fn second_level_at(caches: &Path) -> Option<usize> {
    (0..8).map(|index| caches.join(format!("index{index}"))).find_map(|cache| {
        let fact = |name: &str| fs::read_to_string(cache.join(name)).ok();
        if fact("level")?.trim() != "2" {
            return None;
        }
        Some(bytes_of(&fact("size")?)? / threads_of(&fact("shared_cpu_list").unwrap_or_default()))
    })
}

/// `1024K`, as sysfs writes sizes.
fn bytes_of(size: &str) -> Option<usize> {
    let size = size.trim();
    let (number, unit) = match size.strip_suffix('M') {
        Some(number) => (number, 1 << 20),
        None => (size.strip_suffix('K')?, 1 << 10),
    };
    number.parse::<usize>().ok()?.checked_mul(unit)
}

/// How many there are in a list such as `0-1,64-65`; at least one.
fn threads_of(list: &str) -> usize {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        Some(last.checked_sub(first)? + 1)
    };
    list.trim().split(',').filter_map(count).sum::<usize>().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lists_are_read_as_sysfs_writes_them() {
        assert_eq!(
            (bytes_of("1024K\n"), bytes_of("2M"), bytes_of("48K")),
            (Some(1 << 20), Some(2 << 20), Some(48 << 10))
        );
        assert_eq!(
            (bytes_of(""), bytes_of("1024"), bytes_of("-1K"), bytes_of("99999999999999999999K")),
            (None, None, None, None)
        );
        assert_eq!((threads_of("0\n"), threads_of("0-1"), threads_of("0-1,64-65")), (1, 2, 4));
        assert_eq!((threads_of(""), threads_of("1-0"), threads_of("x,3")), (1, 1, 1));
    }

    #[test]
    fn the_second_level_is_found_and_shared() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        assert_eq!(second_level_at(directory.path()), None);
        for (index, (level, size, list)) in
            [("1", "32K", "0-1"), ("1", "32K", "0-1"), ("2", "1024K", "0-1")].iter().enumerate()
        {
            let place = directory.path().join(format!("index{index}"));
            fs::create_dir(&place).expect("mkdir");
            for (name, fact) in [("level", level), ("size", size), ("shared_cpu_list", list)] {
                fs::write(place.join(name), format!("{fact}\n")).expect("write");
            }
        }
        assert_eq!(second_level_at(directory.path()), Some(512 << 10));
    }
}
