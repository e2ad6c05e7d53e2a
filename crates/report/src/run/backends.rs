//! Every algorithm by every kernel that this CPU has for it, and which of them serve.

use std::collections::BTreeMap;

use hashlane_digest::{Algorithm, BackendChoice, Saving};
use hashlane_measure::backends::{MeasuredWays, Way};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::figures;
use crate::json::*;
use crate::tables::Table;
use crate::terminal::table;

/// The figures as a table. `choice`: what decides which of them serve.
pub fn backends_text(of: &MeasuredWays, choice: &BackendChoice) -> String {
    let head =
        ["", "backend", "lanes", "one core", "MiB/s", "95 % interval", "n", "cycles/B", "used for messages"];
    let mut shown = Table::new("Backends: messages side by side in the cache of one core", &head);
    for row in &of.rows {
        let (rate, mebibytes, interval, n, cycles) = match &row.result.figure {
            Some(figure) => (
                figures::rate(figure.median),
                figures::mebibytes(figure.median),
                figures::interval(figure, row.result.unit),
                figure.n.to_string(),
                of.cycles_per_second.map(|cycles| format!("{:.2}", cycles / figure.median)),
            ),
            None => Default::default(),
        };
        let lanes = match row.way {
            Way::Kernel(_, lanes) => lanes.to_string(),
            Way::Library => "library".to_owned(),
        };
        let cycles = cycles.unwrap_or_else(|| figures::NONE.to_owned());
        let served = row.served(choice);
        let (algorithm, backend) = (row.algorithm.name(), row.backend());
        let cells = [algorithm, backend, &lanes, &rate, &mebibytes, &interval, &n, &cycles, &served];
        shown.rows.push(cells.map(str::to_owned).to_vec());
    }
    shown.notes.push(match of.cycles_per_second {
        Some(rate) => format!(
            "Cycles are counted by the time stamp counter at {:.2} GHz, whatever the clock rate of the core.",
            rate / 1e9
        ),
        None => "This CPU has no counter for cycles.".to_owned(),
    });
    shown.notes.push(
        "The backend that is used has the fastest samples; if it is not the usual choice, by at least a twentieth."
            .to_owned(),
    );
    shown.notes.push(saving_line());
    if let BackendChoice::Only(backend) = choice {
        shown.notes.push(format!("{backend} was requested; algorithms that lack it use portable."));
    }
    table(&shown)
}

/// How far the states of digests can be saved, of all algorithms.
fn saving_line() -> String {
    let of = |saving| {
        let such = Algorithm::all().filter(|algorithm| algorithm.saving() == saving);
        such.map(Algorithm::name).collect::<Vec<_>>().join(", ")
    };
    format!(
        "Digest states can be saved after any byte; those of {} only after every GiB; those of {} not at all.",
        of(Saving::Spans),
        of(Saving::Never)
    )
}

/// The figures as lines for programs, and a line on what can be saved.
pub fn backends_json(of: &MeasuredWays, choice: &BackendChoice) -> String {
    let lines = of.rows.iter().map(|row| {
        let figure = row.result.figure.as_ref();
        let line = Figure {
            algorithm: row.algorithm.name(),
            backend: row.backend(),
            serves: row.served(choice),
            lanes: match row.way {
                Way::Kernel(_, lanes) => Some(lanes),
                Way::Library => None,
            },
            bytes_per_second: figure.map(|figure| figure.median),
            samples: figure.map(|figure| figure.n),
            cycles_per_byte: of.cycles_per_second.zip(figure).map(|(cycles, figure)| cycles / figure.median),
        };
        line.value()
    });
    let saving = Algorithm::all().map(|algorithm| (algorithm.name(), algorithm.saving().name())).collect();
    lines.chain([States { saving }.value()]).map(|line| format!("{line}\n")).collect()
}

/// The schemas of the lines.
pub(crate) fn backends_schemas() -> Vec<Value> {
    vec![Figure::schema(), States::schema()]
}

schema_fns! {
    savings => {
        let how = one_of(Saving::ALL.map(Saving::name));
        let mut how = how.to_value();
        how["description"] = "When its states can be saved".into();
        let of: Vec<_> = Algorithm::all().map(Algorithm::name).collect();
        let properties: BTreeMap<_, _> = of.iter().map(|name| (*name, how.clone())).collect();
        schemars::json_schema!({ "type": "object", "properties": properties, "required": of })
    };
}

lines! {
    struct Figure: "hashlane-backends" {
        /// The algorithm.
        #[schemars(schema_with = "algorithm")]
        algorithm: &'static str,
        /// The implementation.
        backend: &'static str,
        /// The numbers of messages that it is used for; empty: none.
        serves: String,
        ..if known {
            /// Number of messages side by side; absent: one, by a library.
            lanes: usize,
            /// The median of all samples.
            #[schemars(range(min = 0))]
            bytes_per_second: f64,
            /// Number of samples.
            samples: usize,
            /// Cycles of the time stamp counter per byte.
            #[schemars(range(min = 0))]
            cycles_per_byte: f64,
        }
    }

    struct States: "hashlane-backends" {
        /// When states can be saved, for every algorithm.
        #[schemars(schema_with = "savings")]
        saving: BTreeMap<&'static str, &'static str>,
    }
}
