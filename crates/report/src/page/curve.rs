//! Curves over sizes, drawn: sizes go by powers of two, values evenly or by powers of ten.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{plain, rich};
use crate::charts::{Curve, MOST_SERIES, Point, Series};
use crate::figures;

/// Curves over sizes.
pub(super) fn line_chart(curve: &Curve) -> Markup {
    let space = Space::of(curve);
    html! {
        section {
            h2 { (rich(&curve.title)) }
            @if curve.series.len() > 1 {
                p.legend {
                    @for (number, series) in curve.series.iter().enumerate() {
                        span class=(colour(number)) { (rich(&series.name)) } " "
                    }
                }
            }
            svg.curve viewBox=(format!("0 0 {} {}", Space::WIDTH, Space::HEIGHT)) role="img" aria-label=(plain(&curve.title)) {
                @for value in space.scale.marks() {
                    @let y = space.y(value);
                    line.grid x1=(Space::LEFT) x2=(Space::WIDTH - Space::RIGHT) y1=(format!("{y:.1}")) y2=(format!("{y:.1}")) {}
                    text.axis x=(Space::LEFT - 6.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" {
                        @if value == 0.0 { "0" } @else { (figures::rate(value)) }
                    }
                }
                @for ceiling in &curve.ceilings {
                    @let y = format!("{:.1}", space.y(ceiling.value));
                    line.ceiling x1=(Space::LEFT) x2=(Space::WIDTH - Space::RIGHT) y1=(y) y2=(y) {}
                    text.axis x=(Space::WIDTH - Space::RIGHT) y=(format!("{:.1}", space.y(ceiling.value) - 4.0)) text-anchor="end" {
                        (plain(&ceiling.name))
                    }
                }
                @for (number, series) in curve.series.iter().enumerate() {
                    g class=(colour(number)) {
                        polygon.band points=(space.band(series)) {}
                        polyline.line points=(space.line(series)) {}
                        @for at in &series.points {
                            circle.dot cx=(format!("{:.1}", space.x(at.size_bytes))) cy=(format!("{:.1}", space.y(at.value))) r="3" {
                                title { (plain(&series.name)) ", " (at.size) ": " (figures::rate(at.value)) }
                            }
                        }
                    }
                }
                @for at in space.labels(curve) {
                    text.axis x=(format!("{:.1}", space.x(at.size_bytes))) y=(Space::HEIGHT - Space::BOTTOM + 18.0) text-anchor="middle" {
                        (at.size)
                    }
                }
            }
            p.caption {
                (rich(&curve.caption))
                @if matches!(space.scale, Scale::Decades { .. }) { " Each line across is ten times the one below." }
            }
        }
    }
}

/// The class that gives a curve its colour.
fn colour(number: usize) -> String {
    format!("c{}", number % MOST_SERIES)
}

/// Where things lie in the drawing of a curve.
struct Space {
    /// Logarithms of the smallest and of the largest size.
    first: f64,
    last: f64,
    scale: Scale,
}

/// How values go up.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// From 0 to this value.
    Even(f64),
    /// From one power of ten to another, where the smallest would be lost beside the largest.
    Decades { first: i32, last: i32 },
}

impl Scale {
    /// What is this many times smaller than the largest lies on the axis.
    const LOST: f64 = 30.0;

    fn of(least: f64, most: f64) -> Self {
        if least > 0.0 && most / least > Self::LOST {
            return Self::Decades { first: least.log10().floor() as i32, last: most.log10().ceil() as i32 };
        }
        Self::Even(nice_above(most))
    }

    /// Where a value lies, from 0 at the bottom to 1 at the top. What an interval has below the axis lies on it.
    fn height(self, value: f64) -> f64 {
        match self {
            Self::Even(most) => value / most,
            Self::Decades { first, last } => {
                ((value.log10() - f64::from(first)) / f64::from(last - first)).max(0.0)
            }
        }
    }

    /// The values that lines across stand for.
    fn marks(self) -> Vec<f64> {
        match self {
            Self::Even(most) => (0..=4).map(|step| most * f64::from(step) / 4.0).collect(),
            Self::Decades { first, last } => (first..=last).map(|power| 10f64.powi(power)).collect(),
        }
    }
}

impl Space {
    const WIDTH: f64 = 480.0;
    const HEIGHT: f64 = 240.0;
    const LEFT: f64 = 76.0;
    const RIGHT: f64 = 32.0;
    const TOP: f64 = 12.0;
    const BOTTOM: f64 = 36.0;

    fn of(curve: &Curve) -> Self {
        let points = || curve.series.iter().flat_map(|series| &series.points);
        let logs = || points().map(|point| (point.size_bytes as f64).log2());
        let highest = |point: &Point| point.interval.map_or(point.value, |(_, high)| high);
        let values = points().map(highest).chain(curve.ceilings.iter().map(|ceiling| ceiling.value));
        let least = points().map(|point| point.value).fold(f64::MAX, f64::min);
        Self {
            first: logs().fold(f64::MAX, f64::min),
            last: logs().fold(f64::MIN, f64::max),
            scale: Scale::of(least, values.fold(f64::MIN_POSITIVE, f64::max)),
        }
    }

    fn x(&self, size_bytes: u64) -> f64 {
        let along = ((size_bytes as f64).log2() - self.first) / (self.last - self.first).max(1e-9);
        Self::LEFT + along * (Self::WIDTH - Self::LEFT - Self::RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        Self::TOP + (1.0 - self.scale.height(value)) * (Self::HEIGHT - Self::TOP - Self::BOTTOM)
    }

    fn point(&self, size_bytes: u64, value: f64) -> String {
        format!("{:.1},{:.1}", self.x(size_bytes), self.y(value))
    }

    fn line(&self, series: &Series) -> String {
        let points = series.points.iter().map(|at| self.point(at.size_bytes, at.value));
        points.collect::<Vec<_>>().join(" ")
    }

    /// Along the upper ends of the intervals, and back along the lower ones.
    fn band(&self, series: &Series) -> String {
        let edges = |at: &Point| at.interval.unwrap_or((at.value, at.value));
        let upper = series.points.iter().map(|at| self.point(at.size_bytes, edges(at).1));
        let lower = series.points.iter().rev().map(|at| self.point(at.size_bytes, edges(at).0));
        upper.chain(lower).collect::<Vec<_>>().join(" ")
    }

    /// The sizes that are written below the axis: from the smallest, as many as there is room for.
    fn labels<'a>(&self, curve: &'a Curve) -> Vec<&'a Point> {
        const ROOM: f64 = 58.0;
        let points = curve.series.iter().flat_map(|series| &series.points);
        let points: BTreeMap<u64, &Point> = points.map(|point| (point.size_bytes, point)).collect();
        let mut labels: Vec<&Point> = Vec::new();
        for (size, point) in points {
            if labels.last().is_none_or(|last| self.x(size) - self.x(last.size_bytes) >= ROOM) {
                labels.push(point);
            }
        }
        labels
    }
}

/// The next round number above, so that four steps of the axis are round too.
fn nice_above(value: f64) -> f64 {
    let scale = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * scale).find(|nice| *nice >= value).unwrap_or(10.0 * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_much_go_by_powers_of_ten() {
        assert_eq!(Scale::of(1.0, 20.0), Scale::Even(20.0));
        let decades = Scale::of(0.2e6, 21e9);
        assert_eq!(decades, Scale::Decades { first: 5, last: 11 });
        assert_eq!(decades.marks().len(), 7);
        assert_eq!([decades.height(1e5), decades.height(1e8), decades.height(1e11)], [0.0, 0.5, 1.0]);
        // An interval may go down to nothing.
        assert_eq!(decades.height(0.0), 0.0);
        assert_eq!(Scale::of(0.0, 20.0), Scale::Even(20.0));
    }

    #[test]
    fn even_marks_begin_at_nothing_and_end_above_all() {
        let marks = Scale::of(3.0, 19.0).marks();
        assert_eq!(marks, [0.0, 5.0, 10.0, 15.0, 20.0]);
    }
}
