//! `--benchmark_format=json` of Google Benchmark: real time of an iteration; less is better. Repetitions are samples; their
//! aggregates count only where the repetitions were not written.

use std::collections::HashSet;

use serde_json::Value;

use super::{Format, Imported, ImportedMachine, Problem, Remark};
use crate::cell::Unit;
use crate::text::shown;

pub(super) fn is_google_benchmark(value: &Value) -> bool {
    value["benchmarks"].is_array() && value["context"].is_object()
}

pub(super) fn parse(value: &Value) -> Result<Imported, Problem> {
    let mut machine = of_context(&value["context"]);
    let rows: Vec<&Value> = value["benchmarks"].as_array().into_iter().flatten().collect();
    let measured: HashSet<&str> =
        rows.iter().filter(|row| aggregate(row).is_none()).map(|row| name(row)).collect();
    for (number, row) in rows.iter().enumerate() {
        let place = format!("benchmarks[{number}]");
        if row["error_occurred"] == true {
            let said = row["error_message"].as_str().unwrap_or("no reason is given");
            let text = format!("{}: {}", shown(name(row)), shown(said));
            machine.remarks.push(Remark::Failed { place, text });
            continue;
        }
        let counts = match aggregate(row) {
            None => true,
            Some("median") => !measured.contains(name(row)),
            Some(_) => false,
        };
        if counts {
            let figure = real_time_ns(row, &place)?;
            machine.report(name(row), Unit::NanosecondsPerOperation, figure);
        }
    }
    Ok(Imported { format: Format::GoogleBenchmark, machines: vec![machine] })
}

/// The benchmark that a row belongs to.
fn name(row: &Value) -> &str {
    let full = row["name"].as_str().unwrap_or("benchmark");
    match (row["run_name"].as_str(), aggregate(row)) {
        (Some(name), _) => name,
        (None, Some(aggregate)) => {
            full.strip_suffix(aggregate).and_then(|name| name.strip_suffix('_')).unwrap_or(full)
        }
        (None, None) => full,
    }
}

/// The kind of an aggregate. Old versions only say it in the name.
fn aggregate(row: &Value) -> Option<&str> {
    if row["run_type"] == "aggregate" {
        return Some(row["aggregate_name"].as_str().unwrap_or("unknown"));
    }
    let old = row["run_type"].is_null();
    let ends = |kind: &&str| row["name"].as_str().is_some_and(|name| name.ends_with(&format!("_{kind}")));
    ["mean", "median", "stddev", "cv", "BigO", "RMS"].into_iter().find(|kind| old && ends(kind))
}

fn real_time_ns(row: &Value, place: &str) -> Result<f64, Problem> {
    let wrong = "not a time; write the file again with --benchmark_format=json";
    let time = row["real_time"].as_f64();
    let time = time.ok_or_else(|| Problem::new(format!("{place}.real_time"), &row["real_time"], wrong))?;
    let scale = match row["time_unit"].as_str() {
        Some("ns") | None => 1.0,
        Some("us") => 1e3,
        Some("ms") => 1e6,
        Some("s") => 1e9,
        Some(unit) => {
            let wrong = "not one of ns, us, ms, s; correct it, or leave out the file";
            return Err(Problem::new(format!("{place}.time_unit"), unit, wrong));
        }
    };
    Ok(time * scale)
}

fn of_context(context: &Value) -> ImportedMachine {
    let text = |name: &str| match &context[name] {
        Value::Null => None,
        Value::String(text) => Some(shown(text)),
        other => Some(shown(&other.to_string())),
    };
    let facts = [
        ("host", text("host_name")),
        ("cores", text("num_cpus")),
        ("clock", text("mhz_per_cpu").map(|clock| format!("{clock} MHz"))),
        ("clock scaling", text("cpu_scaling_enabled")),
        ("build", text("library_build_type")),
        ("program", text("executable")),
    ];
    let facts = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect();
    ImportedMachine { facts, ..ImportedMachine::default() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn machine(rows: Value) -> ImportedMachine {
        let value = json!({"context": {"host_name": "ash", "num_cpus": 4}, "benchmarks": rows});
        parse(&value).expect("as it writes").machines.remove(0)
    }

    #[test]
    fn repetitions_are_samples_and_aggregates_are_not() {
        let machine = machine(json!([
            {"name": "BM_A/8", "run_name": "BM_A/8", "run_type": "iteration", "real_time": 2.5, "time_unit": "us"},
            {"name": "BM_A/8", "run_name": "BM_A/8", "run_type": "iteration", "real_time": 2.7, "time_unit": "us"},
            {"name": "BM_A/8_median", "run_name": "BM_A/8", "run_type": "aggregate", "aggregate_name": "median", "real_time": 2.6, "time_unit": "us"},
            {"name": "BM_B", "error_occurred": true, "error_message": "no file"},
        ]));
        assert_eq!(machine.cells.len(), 1);
        let times: Vec<_> = machine.cells[0].timings.iter().map(|timing| timing.figures[0].1).collect();
        assert_eq!(times, [2500.0, 2700.0]);
        assert_eq!(machine.remarks[0].to_string(), "benchmarks[3]: a measurement failed: BM_B: no file");
        assert_eq!(machine.facts[0], ("host".to_owned(), "ash".to_owned()));
    }

    #[test]
    fn where_only_aggregates_were_written_the_median_counts() {
        let machine = machine(json!([
            {"name": "BM_A_mean", "real_time": 2.5, "time_unit": "ms"},
            {"name": "BM_A_median", "real_time": 2.0, "time_unit": "ms"},
            {"name": "BM_A_stddev", "real_time": 0.1, "time_unit": "ms"},
        ]));
        assert_eq!((machine.cells.len(), machine.cells[0].name.as_str()), (1, "BM_A"));
        assert_eq!(machine.cells[0].timings[0].figures[0].1, 2e6);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let said = |row: Value| {
            let value = json!({"context": {}, "benchmarks": [row]});
            parse(&value).expect_err("it is wrong").to_string()
        };
        assert!(said(json!({"name": "a"})).starts_with("benchmarks[0].real_time: `null` is not a time"));
        assert!(
            said(json!({"name": "a", "real_time": 1, "time_unit": "h"}))
                .contains("`h` is not one of ns, us, ms, s")
        );
    }
}
