//! A run as charts: which bars and points, not how they are drawn.

use crate::figures;

/// A chart of bars with a common scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// From the top.
    pub bars: Vec<Bar>,
    /// What their length stands for.
    pub axis: Axis,
    /// What the colours stand for, where bars have parts.
    pub legend: Vec<(Kind, &'static str)>,
}

/// Where bars begin, and how far they go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// At 0, evenly.
    FromZero {
        /// The value that takes the whole width. Longer bars are cut there.
        most: f64,
    },
    /// At 1, to both sides, by the logarithm: twice as much is as far from it as half as much.
    FromOne {
        /// The value at the left end, below 1.
        least: f64,
        /// The value at the right end, above 1.
        most: f64,
    },
}

impl Axis {
    /// The least part of its width that an axis from 1 shows, so that what is nothing does not look like much.
    const NARROWEST: f64 = 1.02;

    /// An axis on which all values lie, and of intervals as much as leaves the values their room.
    fn from_one(bars: &[Bar]) -> Self {
        let far = bars.iter().map(|bar| bar.value.ln().abs()).fold(Self::NARROWEST.ln(), f64::max);
        let reach = |bar: &Bar| bar.interval.unwrap_or((bar.value, bar.value));
        let least = bars.iter().map(|bar| reach(bar).0.max((-2.0 * far).exp()).min(bar.value));
        let most = bars.iter().map(|bar| reach(bar).1.min((2.0 * far).exp()).max(bar.value));
        Self::FromOne {
            least: least.fold(1.0 / Self::NARROWEST, f64::min),
            most: most.fold(Self::NARROWEST, f64::max),
        }
    }

    /// Where a value lies, from 0 at the left end to 1 at the right one. What is beyond them lies on them.
    pub fn place(self, value: f64) -> f64 {
        let place = match self {
            Self::FromZero { most } => value / most,
            Self::FromOne { least, most } => {
                (value.max(f64::MIN_POSITIVE) / least).ln() / (most / least).ln()
            }
        };
        place.clamp(0.0, 1.0)
    }

    /// Where bars begin.
    pub fn origin(self) -> f64 {
        match self {
            Self::FromZero { .. } => 0.0,
            Self::FromOne { .. } => self.place(1.0),
        }
    }

    /// Whether an interval goes on beyond an end.
    pub fn cuts_interval(self, (low, high): (f64, f64)) -> bool {
        self.is_beyond(low) || self.is_beyond(high)
    }

    /// Whether a value lies beyond an end.
    pub fn is_beyond(self, value: f64) -> bool {
        match self {
            Self::FromZero { most } => value > most,
            Self::FromOne { least, most } => value < least || value > most,
        }
    }

    /// Whether a bar is longer than can be drawn.
    pub fn cuts(self, value: f64) -> bool {
        matches!(self, Self::FromZero { most } if value > most)
    }
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Its length, above 0.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Its value as text.
    pub shown: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// A mark on it: what the model allows, say.
    pub mark: Option<f64>,
    /// What it is made of, from the left, all of its length; a bar of one piece has none.
    pub parts: Vec<Part>,
}

/// A part of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it stands for.
    pub kind: Kind,
    /// Its length.
    pub value: f64,
}

impl Chart {
    /// A chart whose longest bar, interval or mark takes the whole width.
    pub(crate) fn new(title: &str, caption: String, bars: Vec<Bar>) -> Self {
        let axis = Axis::FromZero { most: farthest(&bars).unwrap_or(1.0) };
        Self { title: title.to_owned(), caption, bars, axis, legend: Vec::new() }
    }

    /// A chart of ratios, whose bars begin at 1.
    pub(crate) fn of_ratios(title: &str, mut caption: String, bars: Vec<Bar>) -> Self {
        let axis = Axis::from_one(&bars);
        if let Axis::FromOne { least, most } = axis {
            caption += &format!(
                " Bars begin at 1, which means as fast; the logarithmic scale goes from {} to {}.",
                figures::times(least),
                figures::times(most)
            );
        }
        if bars.iter().any(|bar| bar.interval.is_some_and(|interval| axis.cuts_interval(interval))) {
            caption += " An interval that ends in an arrow goes on beyond the chart.";
        }
        Self { title: title.to_owned(), caption, bars, axis, legend: Vec::new() }
    }
}

/// As far as any of them is drawn; none without bars.
pub(crate) fn farthest<'a>(bars: impl IntoIterator<Item = &'a Bar>) -> Option<f64> {
    bars.into_iter().map(Bar::reach).reduce(f64::max)
}

impl Bar {
    /// As far as anything of it is drawn.
    fn reach(&self) -> f64 {
        self.interval.map_or(self.value, |(_, high)| high).max(self.mark.unwrap_or(0.0))
    }
}

/// Kinds of bars, distinguished by colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reading alone.
    Read,
    /// Digesting alone, on one core.
    Digest,
    /// Digesting alone, on all cores.
    DigestAll,
    /// One of several machines.
    Machine,
    /// Both together.
    Pipeline,
    /// A ratio that cannot be distinguished from 1.
    Undecided,
    /// Waiting.
    Wait,
}

/// Rates over sizes, as curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// The curves, at most [`MOST_SERIES`].
    pub series: Vec<Series>,
    /// Lines that no curve should be above.
    pub ceilings: Vec<Ceiling>,
}

impl Curve {
    /// The same with a bar for each point, for those who cannot draw it.
    pub(crate) fn as_chart(&self) -> Chart {
        let bars = self.series.iter().flat_map(|series| {
            series.points.iter().map(|point| Bar {
                name: format!("{}, {}", series.name, point.size),
                value: point.value,
                interval: point.interval,
                shown: figures::rate(point.value),
                kind: Kind::Read,
                mark: None,
                parts: Vec::new(),
            })
        });
        Chart::new(&self.title, self.caption.clone(), bars.collect())
    }
}

/// More curves than this in one drawing cannot be kept apart by eye.
pub const MOST_SERIES: usize = 8;

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it stands for.
    pub name: String,
    /// From the smallest size, at least one.
    pub points: Vec<Point>,
}

/// A level that is known from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// What it stands for.
    pub name: String,
    /// Bytes per second.
    pub value: f64,
}

/// A point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The size, of a block or a message, in bytes.
    pub size_bytes: u64,
    /// The same as people write it.
    pub size: String,
    /// Bytes per second.
    pub value: f64,
    /// 95 % interval of the value.
    pub interval: Option<(f64, f64)>,
}
