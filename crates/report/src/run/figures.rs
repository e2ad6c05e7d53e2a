//! Figures of cells in their units: a rate, an interval.

use hashlane_measure::{Cell, CellResult, Estimate, Size, Unit};

pub use crate::figures::*;

/// A figure in its unit: `1.79 GB/s`, `182,000 files/s`, `85 ns`.
pub fn figure(value: f64, unit: Unit) -> String {
    let scale = scale_of(value, unit);
    format!("{} {}", scale.digits(value), scale.name)
}

/// The rate of a result; a dash if it has none.
pub(crate) fn rate_of(result: &CellResult) -> String {
    result.figure.map_or_else(|| NONE.to_owned(), |figure| rate(figure.median))
}

/// The block of a cell, as sizes are written.
pub(crate) fn block_of(cell: &Cell) -> String {
    cell.block_bytes.map_or_else(|| NONE.to_owned(), |bytes| Size(bytes).to_string())
}

/// An interval in the scale of its figure: `1.78 to 1.80 GB/s`.
pub fn interval(estimate: &Estimate, unit: Unit) -> String {
    let Some((low, high)) = estimate.interval else { return format!("n = {}: too few", estimate.n) };
    let scale = scale_of(estimate.median, unit);
    format!("{} to {} {}", scale.digits(low), scale.digits(high), scale.name)
}

/// What figures of about the same size are shown in.
fn scale_of(size: f64, unit: Unit) -> Scale {
    let (by, name) = match unit {
        Unit::BytesPerSecond => return Scale::of_rate(size),
        Unit::FilesPerSecond => (1.0, "files/s"),
        Unit::NanosecondsPerOperation if size >= 1e9 => (1e9, "s"),
        Unit::NanosecondsPerOperation if size >= 1e6 => (1e6, "ms"),
        Unit::NanosecondsPerOperation if size >= 1e3 => (1e3, "µs"),
        Unit::NanosecondsPerOperation => (1.0, "ns"),
    };
    Scale { by, name, is_whole: unit == Unit::FilesPerSecond }
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
