//! Figures as people read them: a rate in powers of ten with MiB/s beside it, an interval, a share.

use hashlane_measure::{Cell, CellResult, Estimate, Size, Unit};

/// What stands where there is no figure.
pub const NONE: &str = "–";

/// A figure in its unit: `1.79 GB/s`, `182,000 files/s`, `85 ns`.
pub fn figure(value: f64, unit: Unit) -> String {
    let scale = Scale::of(value, unit);
    format!("{} {}", scale.digits(value), scale.name)
}

/// A rate in powers of ten, three digits: `1.79 GB/s`, `842 MB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    figure(bytes_per_second, Unit::BytesPerSecond)
}

/// The rate of a result; a dash if it has none.
pub(crate) fn rate_of(result: &CellResult) -> String {
    result.figure.map_or_else(|| NONE.to_owned(), |figure| rate(figure.median))
}

/// The block of a cell, as sizes are written.
pub(crate) fn block_of(cell: &Cell) -> String {
    cell.block_bytes.map_or_else(|| NONE.to_owned(), |bytes| Size(bytes).to_string())
}

/// The same in MiB/s: `1,707`.
pub fn mebibytes(bytes_per_second: f64) -> String {
    grouped(bytes_per_second / f64::from(1 << 20))
}

/// An interval in the scale of its figure: `1.78 to 1.80 GB/s`.
pub fn interval(estimate: &Estimate, unit: Unit) -> String {
    let Some((low, high)) = estimate.interval else { return format!("n = {}: too few", estimate.n) };
    let scale = Scale::of(estimate.median, unit);
    format!("{} to {} {}", scale.digits(low), scale.digits(high), scale.name)
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

/// So many digits behind the point, or as many as show two that are not a leading zero.
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
struct Scale {
    by: f64,
    name: &'static str,
    /// Parts of it say nothing.
    is_whole: bool,
}

impl Scale {
    /// That of a figure of such a size.
    fn of(size: f64, unit: Unit) -> Self {
        let (by, name) = match unit {
            Unit::BytesPerSecond if size >= 1e9 => (1e9, "GB/s"),
            Unit::BytesPerSecond if size >= 1e6 => (1e6, "MB/s"),
            Unit::BytesPerSecond => (1e3, "kB/s"),
            Unit::FilesPerSecond => (1.0, "files/s"),
            Unit::NanosecondsPerOperation if size >= 1e9 => (1e9, "s"),
            Unit::NanosecondsPerOperation if size >= 1e6 => (1e6, "ms"),
            Unit::NanosecondsPerOperation if size >= 1e3 => (1e3, "µs"),
            Unit::NanosecondsPerOperation => (1.0, "ns"),
        };
        Self { by, name, is_whole: unit == Unit::FilesPerSecond }
    }

    /// A figure without the name of the unit.
    fn digits(&self, value: f64) -> String {
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
        assert_eq!(figure(1.794e9, Unit::BytesPerSecond), "1.79 GB/s");
        assert_eq!(figure(17.94e9, Unit::BytesPerSecond), "17.9 GB/s");
        assert_eq!(figure(842.4e6, Unit::BytesPerSecond), "842 MB/s");
        assert_eq!(figure(182_345.6, Unit::FilesPerSecond), "182,346 files/s");
        assert_eq!(figure(85.04, Unit::NanosecondsPerOperation), "85.0 ns");
        assert_eq!(figure(8_504.0, Unit::NanosecondsPerOperation), "8.50 µs");
        assert_eq!(figure(1.5e9, Unit::NanosecondsPerOperation), "1.50 s");
        assert_eq!(mebibytes(1.79e9), "1,707");
        assert_eq!(block(524_288), "512 KiB");
        assert_eq!(bytes(24_900_000_000), "24.9 GB");
        assert_eq!(digits(99.97), "100");
    }

    #[test]
    fn an_interval_is_in_the_scale_of_its_figure() {
        let estimate =
            Estimate { median: 1.0e9, interval: Some((0.99e9, 1.01e9)), min: 0.0, max: 2e9, mad: 0.0, n: 7 };
        assert_eq!(interval(&estimate, Unit::BytesPerSecond), "0.99 to 1.01 GB/s");
        let few = Estimate { interval: None, n: 3, ..estimate };
        assert_eq!(interval(&few, Unit::BytesPerSecond), "n = 3: too few");
    }
}
