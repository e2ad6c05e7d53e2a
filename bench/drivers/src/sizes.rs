//! Sizes: as people write them, and whether a disk has room for them.

use std::path::Path;

use anyhow::{Context, Result, ensure};

/// A size in bytes: `1500`, `10GB`, `64MiB`.
pub(crate) fn size(text: &str) -> std::result::Result<u64, String> {
    const UNITS: [(&str, u64); 8] = [
        ("", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
    ];
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, factor)| *factor);
    let bytes =
        number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    bytes.ok_or_else(|| "not a size; write it like 100MB or 64MiB".to_owned())
}

/// Two sizes, the lower one first: `100..64KiB`; one stands for both.
pub(crate) fn range(text: &str) -> std::result::Result<(u64, u64), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    match (size(least)?, size(most)?) {
        (least, most) if least <= most => Ok((least, most)),
        _ => Err("the first size is above the second one".to_owned()),
    }
}

/// Says before it is too late that the disk is too small.
pub(crate) fn has_room(place: &Path, needed: u64) -> Result<()> {
    let facts = rustix::fs::statvfs(place).with_context(|| format!("cannot look at {}", place.display()))?;
    let free = facts.f_bavail * facts.f_frsize;
    ensure!(
        free > needed,
        "{} has {} MiB free, and {} MiB are needed; name another place with --dir",
        place.display(),
        free >> 20,
        needed >> 20
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("10GB"), Ok(10_000_000_000));
        assert_eq!(range("100..64KiB"), Ok((100, 65_536)));
        assert_eq!(range("5"), Ok((5, 5)));
        assert!(size("10 QB").is_err() && size("").is_err() && range("2..1").is_err());
    }
}
