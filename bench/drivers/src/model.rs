//! `cargo xtask model`: how long a store of a given size takes with given machines, what it costs, and what breaks first.
//!
//! A paper model: what one file, byte and request cost was measured and stands in `bench/records`; all else is computed of it, and a
//! simulation shows by how much tails, deaths of machines and the store's own limits make it worse.

mod costs;
mod simulation;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::figures::{Figure, Record};
use costs::Costs;
use simulation::{Outcome, simulate};

const HOUR: f64 = 3600.0;

/// Options of `model`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Objects of the store, in millions; without it, three sizes of stores are modelled
    #[arg(long, value_name = "N", requires = "terabytes")]
    millions: Option<f64>,
    /// Their bytes, in terabytes (10^12)
    #[arg(long, value_name = "N", requires = "millions")]
    terabytes: Option<f64>,
    /// Machines that read
    #[arg(long, default_value_t = 100, value_name = "N")]
    machines: u64,
    #[command(flatten)]
    given: Given,
    /// Prices: a JSON file with currency, per_1000_requests, per_1000_lists, per_machine_hour and per_gigabyte
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Simulated runs, each of another seed
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Write bench/records/DATE-MACHINE-model.json and .md
    #[arg(long)]
    record: bool,
}

/// What is not measured here, and has to be given.
#[derive(Clone, Copy, Debug, clap::Args, Serialize)]
pub(crate) struct Given {
    /// Cores of each machine
    #[arg(long, default_value_t = 16, value_name = "N")]
    cores: u64,
    /// What a machine's network or disks bring, in gigabits a second
    #[arg(long, default_value_t = 25.0, value_name = "N")]
    link_gbit: f64,
    /// The time from a request to the first byte, in milliseconds
    #[arg(long, default_value_t = 30.0, value_name = "N")]
    latency_ms: f64,
    /// Requests that a core has on the way
    #[arg(long, default_value_t = 16, value_name = "N")]
    in_flight: u64,
    /// Requests that the store answers, a second
    #[arg(long, default_value_t = 100_000.0, value_name = "N")]
    store_requests: f64,
    /// The time for a page of a listing, in milliseconds
    #[arg(long, default_value_t = 100.0, value_name = "N")]
    list_ms: f64,
    /// Listings side by side
    #[arg(long, default_value_t = 16, value_name = "N")]
    listings: u64,
    /// Time that starting a task takes of whoever hands them out, in milliseconds
    #[arg(long, default_value_t = 5.0, value_name = "N")]
    start_ms: f64,
    /// Gigabytes of a bin, at most
    #[arg(long, default_value_t = 16.0, value_name = "N")]
    bin_gb: f64,
    /// Objects of a bin, at most
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    bin_objects: u64,
    /// Days in which a machine dies once, on the average
    #[arg(long, default_value_t = 30.0, value_name = "N")]
    days_to_death: f64,
    /// How much sizes differ: the standard deviation of their natural logarithms
    #[arg(long, default_value_t = 2.5, value_name = "N")]
    sigma: f64,
    /// Gigabytes of the largest object that there may be
    #[arg(long, default_value_t = 5_000.0, value_name = "N")]
    largest_gb: f64,
    /// Hand out bins of many bytes first, instead of in the order of names
    #[arg(long)]
    largest_first: bool,
}

/// What is asked of the machines.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Scenario {
    files: f64,
    bytes: f64,
    machines: u64,
}

/// What things cost where the user is.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Prices {
    currency: String,
    per_1000_requests: f64,
    per_1000_lists: f64,
    per_machine_hour: f64,
    per_gigabyte: f64,
}

#[derive(Debug, Serialize)]
struct About {
    costs: Costs,
    given: Given,
    prices: Option<Prices>,
    scenarios: Vec<Scenario>,
}

/// The stores that are modelled if none is named.
const STORES: [Scenario; 3] = [
    Scenario { files: 1e6, bytes: 1e13, machines: 1 },
    Scenario { files: 1e8, bytes: 1e15, machines: 20 },
    Scenario { files: 1e9, bytes: 1e17, machines: 1000 },
];

/// Objects that a page of a listing has.
const PAGE: f64 = 1000.0;

/// Always true: there is no bar.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let costs = Costs::of_records()?;
    let prices = options.prices.as_deref().map(|path| -> Result<Prices> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} does not have prices", path.display()))
    });
    let prices = prices.transpose()?;
    let scenarios = match (options.millions, options.terabytes) {
        (Some(millions), Some(terabytes)) => {
            vec![Scenario { files: millions * 1e6, bytes: terabytes * 1e12, machines: options.machines }]
        }
        _ => STORES.to_vec(),
    };
    let mut figures = costs.figures();
    for scenario in &scenarios {
        figures.extend(model(scenario, &costs, options, prices.as_ref()));
    }
    let about = About { costs, given: options.given, prices, scenarios };
    let command = std::env::args().skip(1).fold("cargo xtask".to_owned(), |line, word| line + " " + &word);
    let record = Record::new("hashlane-model/1", command, about, figures);
    record.conclude("A paper model of large stores", options.record.then_some("model"))
}

/// The figures of one store.
fn model(scenario: &Scenario, costs: &Costs, options: &Options, prices: Option<&Prices>) -> Vec<Figure> {
    let given = &options.given;
    let name = format!(
        "{:e} objects, {} TB, {} of {} cores",
        scenario.files,
        scenario.bytes / 1e12,
        match scenario.machines {
            1 => "1 machine".to_owned(),
            machines => format!("{machines} machines"),
        },
        given.cores
    );
    let outcomes: Vec<Outcome> =
        (0..options.runs.into()).map(|seed| simulate(scenario, given, costs, seed)).collect();
    let over = |what: &str, unit, of: &dyn Fn(&Outcome) -> f64| {
        Figure::new(format!("{name}: {what}"), unit, outcomes.iter().map(of).collect())
    };
    let lists = scenario.files / PAGE;
    let bounds = |outcome: &Outcome| bounds(scenario, given, costs, outcome);
    let mut figures: Vec<_> = bounds(&outcomes[0])
        .iter()
        .enumerate()
        .map(|(at, (what, _))| {
            over(&format!("{what}, if nothing else took time"), "h", &|outcome| bounds(outcome)[at].1 / HOUR)
        })
        .collect();
    let most = bounds(&outcomes[0]).into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    let breaks = most.map_or("", |(what, _)| what);
    let reading = |outcome: &Outcome| outcome.seconds / HOUR;
    figures.extend([
        over("reading, simulated", "h", &reading),
        over(&format!("reading by its longest bound ({breaks})"), "times", &|outcome| {
            let longest = bounds(outcome)[..READING].iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
            outcome.seconds / longest
        }),
        over("listing, reading and recording, one after the other", "h", &|outcome| {
            let bounds = bounds(outcome);
            (bounds[READING..].iter().map(|(_, seconds)| seconds).sum::<f64>() + outcome.seconds) / HOUR
        }),
        over("cores that were busy", "core hours", &|outcome| outcome.busy_seconds / HOUR),
        over("bins", "", &|outcome| outcome.bins as f64),
        over("bins that were read again after a death", "", &|outcome| outcome.again as f64),
        over("size of the largest object", "GB", &|outcome| outcome.largest / 1e9),
        over("requests for objects", "", &|outcome| outcome.requests),
        over("requests for listings", "", &|_| lists),
        over("the table of the results", "GB", &|_| scenario.files * costs.row_bytes / 1e9),
        over("the catalogue, besides names", "GB", &|_| scenario.files * costs.catalogue_bytes / 1e9),
    ]);
    if let Some(prices) = prices {
        let of = |outcome: &Outcome| {
            [
                outcome.requests / 1000.0 * prices.per_1000_requests + lists / 1000.0 * prices.per_1000_lists,
                outcome.seconds / HOUR * scenario.machines as f64 * prices.per_machine_hour,
                scenario.bytes / 1e9 * prices.per_gigabyte,
            ]
        };
        for (at, what) in ["price of requests", "price of machines", "price of bytes"].iter().enumerate() {
            let what = format!("{what}, {}", prices.currency);
            figures.push(over(&what, "", &|outcome| of(outcome)[at]));
        }
    }
    figures
}

/// How many of the bounds are of the reading; the others come before it or after it.
const READING: usize = 6;

/// What each resource takes by itself, in seconds: those of the reading first.
fn bounds(
    scenario: &Scenario,
    given: &Given,
    costs: &Costs,
    outcome: &Outcome,
) -> [(&'static str, f64); READING + 3] {
    let (files, bytes, machines) = (scenario.files, outcome.bytes, scenario.machines as f64);
    let slots = machines * given.cores as f64;
    [
        ("cores", (files * costs.object_s + bytes * costs.byte_s) / slots),
        ("links", bytes / (machines * given.link_bytes())),
        ("latency", files * given.latency_ms / 1e3 / (slots * given.in_flight as f64)),
        ("the store's requests", files / given.store_requests),
        ("starting tasks", outcome.bins as f64 * given.start_ms / 1e3),
        ("the largest object", outcome.largest * (1.0 / given.link_bytes()).max(costs.byte_s)),
        ("listing", files / PAGE * given.list_ms / 1e3 / given.listings as f64),
        ("writing the table on one core", files / costs.rows_a_second),
        ("recording in one catalogue", files * costs.catalogue_s),
    ]
}

impl Given {
    fn link_bytes(&self) -> f64 {
        self.link_gbit * 1e9 / 8.0
    }
}
