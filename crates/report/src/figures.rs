//! Figures as people read them: a rate in powers of ten with MiB/s beside it, an interval, a share.

/// What stands where there is no figure.
pub const NONE: &str = "–";

/// A rate in powers of ten, three digits: `1.79 GB/s`, `842 MB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    let scale = Scale::of_rate(bytes_per_second);
    format!("{} {}", scale.digits(bytes_per_second), scale.name)
}

/// The same in MiB/s: `1,707`.
pub fn mebibytes(bytes_per_second: f64) -> String {
    grouped(bytes_per_second / f64::from(1 << 20))
}

/// A share of one as a percentage: `96 %`.
pub fn share(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// A ratio with three digits behind the point, and never fewer than two that count: `0.872`, `0.00041`.
pub fn times(ratio: f64) -> String {
    format!("{ratio:.*}", places(ratio, 3))
}

/// A ratio as a percentage with two digits behind the point, as others quote it, and never fewer than two that count: `81.03 %`,
/// `0.041 %`.
pub fn percent(ratio: f64) -> String {
    format!("{} %", percentage(ratio))
}

/// The same without the sign.
pub(crate) fn percentage(ratio: f64) -> String {
    let percent = ratio * 100.0;
    format!("{percent:.*}", places(percent, 2))
}

/// A difference that is large enough: `6 %`, `0.8 %`, `a factor of 2.7`.
pub(crate) fn least_share(least: f64) -> String {
    match least {
        least if least >= 9.0 => format!("a factor of {:.0}", 1.0 + least),
        least if least >= 1.0 => format!("a factor of {:.1}", 1.0 + least),
        least if least >= 0.01 => format!("{:.0} %", least * 100.0),
        least => format!("{:.1} %", least * 100.0),
    }
}

/// At least `least` digits behind the point, or as many as show two that are not a leading zero.
fn places(value: f64, least: usize) -> usize {
    let first = -value.abs().log10().floor();
    if first.is_finite() && first > 0.0 { least.max(first as usize + 1) } else { least }
}

/// Bytes in powers of 1024, as block sizes are written: `4 KiB`.
pub fn block(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 30 && bytes % (1 << 30) == 0 => format!("{} GiB", bytes >> 30),
        bytes if bytes >= 1 << 20 && bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 && bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// How many cores: `one core`, `2 cores`.
pub fn cores(count: usize) -> String {
    if count == 1 { "one core".to_owned() } else { format!("{count} cores") }
}

/// Bytes in powers of ten: `24.9 GB`.
pub fn bytes(bytes: u64) -> String {
    let value = bytes as f64;
    match value {
        value if value >= 1e12 => format!("{} TB", digits(value / 1e12)),
        value if value >= 1e9 => format!("{} GB", digits(value / 1e9)),
        value if value >= 1e6 => format!("{} MB", digits(value / 1e6)),
        value if value >= 1e3 => format!("{} kB", digits(value / 1e3)),
        _ => format!("{bytes} B"),
    }
}

/// Three digits, whatever the size.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => grouped(value),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// What figures of about the same size are shown in.
pub(crate) struct Scale {
    pub(crate) by: f64,
    pub(crate) name: &'static str,
    /// Parts of it say nothing.
    pub(crate) is_whole: bool,
}

impl Scale {
    /// That of a rate of such a size, in bytes per second.
    pub(crate) fn of_rate(size: f64) -> Self {
        let (by, name) = match size {
            size if size >= 1e9 => (1e9, "GB/s"),
            size if size >= 1e6 => (1e6, "MB/s"),
            _ => (1e3, "kB/s"),
        };
        Self { by, name, is_whole: false }
    }

    /// A figure without the name of the unit.
    pub(crate) fn digits(&self, value: f64) -> String {
        if self.is_whole { grouped(value) } else { digits(value / self.by) }
    }
}

/// A whole number in groups of three.
fn grouped(value: f64) -> String {
    let number = format!("{value:.0}");
    let (sign, number) = number.strip_prefix('-').map_or(("", number.as_str()), |number| ("-", number));
    let groups: Vec<&str> =
        number.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits")).collect();
    format!("{sign}{}", groups.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!([1.794e9, 17.94e9, 842.4e6].map(rate), ["1.79 GB/s", "17.9 GB/s", "842 MB/s"]);
        assert_eq!(mebibytes(1.79e9), "1,707");
        assert_eq!(block(524_288), "512 KiB");
        assert_eq!(bytes(24_900_000_000), "24.9 GB");
        assert_eq!(digits(99.97), "100");
    }
}
