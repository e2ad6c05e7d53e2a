//! The arguments that say how devices are treated.

use clap::Args;
use hashlane_engine::LOWEST_RATE;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct DeviceArgs {
    /// Read every byte from its device, bypassing the page cache, or fail the file
    ///
    /// Content in memory proves nothing about the disk. Files are read past the page cache where the file system guarantees that.
    /// Elsewhere they are first dropped from the page cache, and this is verified. Files for which neither is certain fail with
    /// exit code 16: those on memory, network, overlay and FUSE file systems, pipes, and, where files have to be dropped first,
    /// those that a program has mapped. Holes are not content. A file with several names is read once for each of them. The bytes
    /// are cold for this kernel: the device, a loop device or the host of a virtual machine may still have them in a cache of its
    /// own.
    #[arg(long)]
    pub(crate) from_medium: bool,

    /// Read at most RATE bytes per second, such as 100MB or 64MiB
    ///
    /// RATE is the total of all cores, at least 256KiB. K, M, G and T as well as KiB, MiB, GiB and TiB are powers of 1024; kB,
    /// MB, GB and TB are powers of 1000. File bytes are counted, however they are read; the kernel may read a few hundred KiB
    /// ahead.
    #[arg(long, value_name = "RATE", value_parser = rate, hide_short_help = true)]
    pub(crate) max_rate: Option<u64>,

    /// Read only when no other program does (the idle I/O priority class)
    ///
    /// This works with the schedulers BFQ and mq-deadline and has no effect with others; see /sys/block/*/queue/scheduler.
    #[arg(long, hide_short_help = true)]
    pub(crate) nice_io: bool,
}

/// A rate as people write it, in bytes a second.
fn rate(text: &str) -> Result<u64, String> {
    let bytes = size(text.strip_suffix("/s").unwrap_or(text))?;
    if bytes < LOWEST_RATE {
        return Err(format!("too low; give at least {}KiB", LOWEST_RATE >> 10));
    }
    Ok(bytes)
}

/// A size as people write it, in bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 14] = [
        ("", 1),
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("K", 1 << 10),
        ("KiB", 1 << 10),
        ("M", 1 << 20),
        ("MiB", 1 << 20),
        ("G", 1 << 30),
        ("GiB", 1 << 30),
        ("T", 1 << 40),
        ("TiB", 1 << 40),
    ];
    let malformed = || "not a size; write it like 100MB or 64MiB".to_owned();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let Some(factor) = factor else {
        return Err(match unit {
            "KB" => "KB may be 1000 or 1024 bytes; write kB or KiB".to_owned(),
            _ => malformed(),
        });
    };
    // Whole numbers are exact whatever their size; parts of a unit need not be.
    if factor == 1 && number.contains('.') {
        return Err("not a whole number of bytes; write it like 1500 or 1.5kB".to_owned());
    }
    let bytes = match number.parse::<u64>() {
        Ok(number) => number.checked_mul(factor),
        Err(_) => {
            let bytes = number.parse::<f64>().map_err(|_| malformed())? * factor as f64;
            Some(bytes as u64).filter(|&bytes| bytes < u64::MAX)
        }
    };
    bytes.ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let sizes = [
            ("0", 0),
            ("7", 7),
            ("7B", 7),
            ("100MB", 100_000_000),
            ("100 MB", 100_000_000),
            ("64MiB", 64 << 20),
            ("64M", 64 << 20),
            ("3K", 3 << 10),
            ("3KiB", 3 << 10),
            ("3kB", 3_000),
            ("1.5G", 3 << 29),
            ("0.25TB", 250_000_000_000),
            ("2T", 2 << 40),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in sizes {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for wrong in
            ["", "MB", "-1", "1e6", "10 Mb", "10m", "10KB", "1.2.3G", ".", "fast", "1iB", "10MBit", "∞"]
        {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        for large in ["18014398509481984K", "18446744073709551616", "16777216.0T"] {
            assert_eq!(size(large), Err("too large".into()));
        }
    }

    #[test]
    fn a_rate_is_a_size_and_not_too_low() {
        assert_eq!(rate("10MB"), Ok(10_000_000));
        assert_eq!(rate("10MB/s"), Ok(10_000_000));
        assert_eq!(rate("256KiB"), Ok(LOWEST_RATE));
        assert_eq!(rate("255KiB"), Err("too low; give at least 256KiB".into()));
        assert!(rate("10MB/m").is_err());
    }
}
