//! `hyperfine --export-json`: times of whole commands in seconds; less is better.

use serde_json::Value;

use super::{Format, Imported, ImportedMachine, Problem, Remark};
use crate::cell::Unit;

pub(super) fn is_hyperfine(value: &Value) -> bool {
    let results = value["results"].as_array();
    results.is_some_and(|results| results.iter().all(|result| result["command"].is_string()))
}

pub(super) fn parse(value: &Value) -> Result<Imported, Problem> {
    let mut machine = ImportedMachine::default();
    for (number, result) in value["results"].as_array().into_iter().flatten().enumerate() {
        let place = format!("results[{number}]");
        let command = result["command"].as_str().unwrap_or_default();
        let seconds = |value: &Value, name: &str| {
            let wrong = "not a time in seconds; write the file again with --export-json";
            value.as_f64().ok_or_else(|| Problem::new(format!("{place}.{name}"), value, wrong))
        };
        // Without all times, which an option leaves out, the median is what there is.
        let times = match result["times"].as_array() {
            Some(times) if !times.is_empty() => {
                times.iter().map(|time| seconds(time, "times")).collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![seconds(&result["median"], "median")?],
        };
        for time in times {
            machine.report(command, Unit::NanosecondsPerOperation, time * 1e9);
        }
        let failed = result["exit_codes"].as_array().into_iter().flatten();
        let failed = failed.filter(|code| code.as_i64() != Some(0)).count();
        if failed > 0 {
            let text = format!("{failed} of its runs did not exit with 0; their times are counted");
            machine.remarks.push(Remark::Failed { place, text });
        }
    }
    Ok(Imported { format: Format::Hyperfine, machines: vec![machine] })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_samples() {
        let value = json!({"results": [{"command": "sum a", "median": 0.5, "times": [0.4, 0.5, 0.0], "exit_codes": [0, 1, 0]}]});
        let machine = parse(&value).expect("as it writes").machines.remove(0);
        assert_eq!(machine.cells[0].name, "sum a");
        assert_eq!(machine.cells[0].timings.len(), 2);
        let said: Vec<_> = machine.remarks.iter().map(ToString::to_string).collect();
        assert_eq!(said[0], "sum a: left out: 0 is not a possible figure");
        assert!(said[1].starts_with("results[0]: a measurement failed: 1 of its runs did not exit with 0"));
    }

    #[test]
    fn without_times_the_median_counts() {
        let value = json!({"results": [{"command": "a", "median": 0.5}]});
        let machine = parse(&value).expect("as it writes").machines.remove(0);
        assert_eq!(machine.cells[0].timings[0].figures[0].1, 5e8);
        let wrong = json!({"results": [{"command": "a", "times": ["fast"]}]});
        let said = parse(&wrong).expect_err("no time").to_string();
        assert!(said.starts_with("results[0].times: `\"fast\"` is not a time in seconds"), "{said}");
    }
}
