//! What was measured, held against its bars.

use anyhow::Result;
use hashlane_measure::Machine;
use hashlane_measure::statistics::Estimate;
use serde::Serialize;

use crate::records;

/// One figure.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    /// What was measured, and how.
    pub(crate) what: String,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// One value for each round.
    pub(crate) samples: Vec<f64>,
    /// Over all rounds; absent for a value that came with its interval.
    pub(crate) estimate: Option<Estimate>,
    /// What is asked for.
    pub(crate) bar: Option<Bar>,
}

/// What a figure has to be.
#[derive(Debug, Serialize)]
pub(crate) struct Bar {
    pub(crate) bound: Bound,
    pub(crate) value: f64,
    pub(crate) met: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtLeast,
    AtMost,
}

impl Figure {
    /// A figure of some rounds.
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, samples: Vec<f64>) -> Self {
        let estimate = Estimate::of(&samples);
        Self { what: what.into(), unit, samples, estimate, bar: None }
    }

    /// A figure that was computed of others.
    pub(crate) fn estimated(what: impl Into<String>, unit: &'static str, estimate: Option<Estimate>) -> Self {
        Self { what: what.into(), unit, samples: Vec::new(), estimate, bar: None }
    }

    /// The median over all rounds.
    pub(crate) fn median(&self) -> Option<f64> {
        self.estimate.as_ref().map(|estimate| estimate.median)
    }

    /// What it has to be, by its median. Without a median the bar is not met.
    pub(crate) fn with_bar(mut self, bound: Bound, value: f64) -> Self {
        let met = self.estimate.as_ref().is_some_and(|estimate| match bound {
            Bound::AtLeast => estimate.median >= value,
            Bound::AtMost => estimate.median <= value,
        });
        self.bar = Some(Bar { bound, value, met });
        self
    }
}

/// Figures with how they came about.
#[derive(Debug, Serialize)]
pub(crate) struct Record<T> {
    schema: &'static str,
    command: String,
    date: String,
    machine: Machine,
    #[serde(flatten)]
    about: T,
    figures: Vec<Figure>,
}

impl<T: Serialize> Record<T> {
    /// Those of a command on this machine, now. `about`: what else is to be known of them.
    pub(crate) fn new(schema: &'static str, command: String, about: T, figures: Vec<Figure>) -> Self {
        let (date, machine) = (jiff::Timestamp::now().to_string(), Machine::describe());
        Self { schema, command, date, machine, about, figures }
    }

    /// Prints them below a title, and keeps them if `name` is given, which the names of the files end with. True if every bar is met.
    pub(crate) fn conclude(&self, title: &str, name: Option<&str>) -> Result<bool> {
        let machine = &self.machine;
        let page = format!(
            "# {title}\n\n`{}` on {}; {}, {} cores, Linux {}.\n\n{}",
            self.command,
            self.date,
            machine.processor.name,
            machine.processor.cores,
            machine.kernel,
            text(&self.figures)
        );
        print!("{page}");
        if let Some(name) = name {
            records::write(&format!("{}-{}-{name}", jiff::Zoned::now().date(), machine.slug()), self, &page)?;
        }
        Ok(self.figures.iter().all(|figure| figure.bar.as_ref().is_none_or(|bar| bar.met)))
    }
}

/// A table in Markdown.
pub(crate) fn text(figures: &[Figure]) -> String {
    let mut table = String::from("| figure | value | unit | bar |\n|---|---|---|---|\n");
    for figure in figures {
        let value = match &figure.estimate {
            None => "–".to_owned(),
            Some(estimate) => match estimate.interval {
                Some((low, high)) => format!("{} [{}, {}]", short(estimate.median), short(low), short(high)),
                None => short(estimate.median),
            },
        };
        let bar = match &figure.bar {
            None => String::new(),
            Some(Bar { bound, value, met }) => {
                let bound = match bound {
                    Bound::AtLeast => "at least",
                    Bound::AtMost => "at most",
                };
                format!("{bound} {}: {}", short(*value), if *met { "met" } else { "MISSED" })
            }
        };
        table += &format!("| {} | {value} | {} | {bar} |\n", figure.what, figure.unit);
    }
    table
}

/// A number with three or four digits that mean something.
fn short(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_judged_by_the_median_and_missed_without_one() {
        let met = |samples: Vec<f64>, bound, value| {
            Figure::new("it", "s", samples).with_bar(bound, value).bar.is_some_and(|bar| bar.met)
        };
        assert!(met(vec![1.0, 2.0, 9.0], Bound::AtMost, 2.0));
        assert!(!met(vec![1.0, 3.0, 9.0], Bound::AtMost, 2.0));
        assert!(met(vec![1.0, 3.0, 9.0], Bound::AtLeast, 2.0));
        assert!(!met(vec![], Bound::AtMost, 2.0));
    }
}
