//! `fio --output-format=json`: the rate of each job, reading and writing apart. Latencies are not compared.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::{Basis, Format, Imported, ImportedMachine, MOST_MACHINES, Problem, Remark, Timing, is_possible};
use crate::cell::Unit;
use crate::text::shown;

/// Options that say what is worked on and how. The others name places and reports.
const WORK: [&str; 10] =
    ["rw", "readwrite", "bs", "blocksize", "size", "iodepth", "ioengine", "direct", "numjobs", "fsync"];

pub(super) fn is_fio(value: &Value) -> bool {
    value["jobs"].is_array() && value["fio version"].is_string() || value["client_stats"].is_array()
}

pub(super) fn parse(value: &Value) -> Result<Imported, Problem> {
    let mut machines: Vec<ImportedMachine> = Vec::new();
    let (list, jobs) = match value["client_stats"].as_array() {
        Some(jobs) => ("client_stats", jobs),
        None => (
            "jobs",
            value["jobs"]
                .as_array()
                .ok_or_else(|| Problem::new("jobs", &value["jobs"], "not a list; write the file again"))?,
        ),
    };
    // Jobs of one name and group run side by side: clones of one section.
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<(usize, String, i64), usize> = HashMap::new();
    for (number, job) in jobs.iter().enumerate() {
        let place = format!("{list}[{number}]");
        let name = job["jobname"].as_str().unwrap_or("job");
        let host = job["hostname"].as_str().map(shown);
        if name == "All clients" {
            continue;
        }
        if machines.len() > MOST_MACHINES {
            return Err(Problem::new(place, name, "one machine too many for one file; split the file"));
        }
        let at = machines.iter().position(|machine| machine.host == host).unwrap_or_else(|| {
            machines.push(ImportedMachine { host, ..ImportedMachine::default() });
            machines.len() - 1
        });
        if let Some(error) = job["error"].as_i64().filter(|error| *error != 0) {
            let text = format!("job {} ended with error {error} and was left out", shown(name));
            machines[at].remarks.push(Remark::Failed { place, text });
            continue;
        }
        for direction in ["read", "write", "mixed"] {
            let part = &job[direction];
            if part["io_bytes"].as_u64().unwrap_or(0) == 0 {
                continue;
            }
            let rate = rate(part, &format!("{place}.{direction}"))?;
            let cell = shown(&format!("{name}, {direction}"));
            let group = job["groupid"].as_i64().unwrap_or(0);
            let place = *places.entry((at, cell.clone(), group)).or_insert(groups.len());
            if let Some(known) = groups.get_mut(place) {
                (known.rate, known.jobs) = (known.rate + rate, known.jobs + 1);
            } else {
                groups.push(Group { machine: at, cell, rate, jobs: 1, work: work(value, job) });
            }
        }
    }
    for Group { machine, cell, rate, jobs, work } in groups {
        let machine = &mut machines[machine];
        if jobs > 1 {
            machine.remarks.push(Remark::SideBySide { cell: cell.clone(), jobs });
        }
        if !is_possible(rate) {
            machine.remarks.push(Remark::NoFigure { cell, found: rate.to_string() });
            continue;
        }
        let cell = machine.cell(&cell, Unit::BytesPerSecond, false);
        cell.timings.push(Timing { identity: None, figures: vec![(Basis::Reported, rate)] });
        cell.work = work;
    }
    for machine in &mut machines {
        let version = value["fio version"].as_str().map(|version| ("program".to_owned(), shown(version)));
        machine.facts.extend(version);
    }
    Ok(Imported { format: Format::Fio, machines })
}

/// Jobs that ran side by side.
struct Group {
    machine: usize,
    cell: String,
    rate: f64,
    jobs: usize,
    work: BTreeMap<String, String>,
}

/// The rate of a direction in bytes a second. Old versions only write it in KiB.
fn rate(part: &Value, place: &str) -> Result<f64, Problem> {
    let bytes = part["bw_bytes"].as_f64().or_else(|| Some(part["bw"].as_f64()? * 1024.0));
    bytes.ok_or_else(|| {
        let wrong = "not a rate in bytes a second; write the file again with --output-format=json";
        Problem::new(format!("{place}.bw_bytes"), &part["bw_bytes"], wrong)
    })
}

/// What the job was asked to do.
fn work(file: &Value, job: &Value) -> BTreeMap<String, String> {
    let option =
        |name: &str| job["job options"][name].as_str().or_else(|| file["global options"][name].as_str());
    let known = WORK.iter().filter_map(|name| Some(((*name).to_owned(), shown(option(name)?))));
    known.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(name: &str, group: i64, rate: f64) -> Value {
        json!({"jobname": name, "groupid": group, "error": 0, "job options": {"bs": "128k", "filename": "f"},
               "read": {"io_bytes": 4096, "bw_bytes": rate}, "write": {"io_bytes": 0, "bw_bytes": 0}})
    }

    fn file(jobs: Vec<Value>) -> Value {
        json!({"fio version": "fio-3.33", "global options": {"rw": "read"}, "jobs": jobs})
    }

    #[test]
    fn a_cell_is_a_job_and_a_direction() {
        let machine = parse(&file(vec![job("a", 0, 5e8)])).expect("as it writes").machines.remove(0);
        assert_eq!(machine.cells.len(), 1);
        assert_eq!(machine.cells[0].name, "a, read");
        assert_eq!(machine.cells[0].work["bs"], "128k");
        assert_eq!(machine.cells[0].work["rw"], "read");
        assert!(!machine.cells[0].work.contains_key("filename"));
    }

    #[test]
    fn jobs_of_one_group_are_added_and_groups_are_timings() {
        let jobs = vec![job("a", 0, 1e8), job("a", 0, 2e8), job("a", 1, 4e8)];
        let machine = parse(&file(jobs)).expect("as it writes").machines.remove(0);
        let rates: Vec<_> = machine.cells[0].timings.iter().map(|timing| timing.figures[0].1).collect();
        assert_eq!(rates, [3e8, 4e8]);
        assert_eq!(machine.remarks[0].to_string(), "a, read: 2 jobs ran side by side; their rates are added");
    }

    #[test]
    fn a_job_that_failed_is_said_and_a_rate_that_is_none_refused() {
        let mut failed = job("a", 0, 1e8);
        failed["error"] = 5.into();
        let machine = parse(&file(vec![failed])).expect("as it writes").machines.remove(0);
        assert!(machine.cells.is_empty());
        assert!(machine.remarks[0].to_string().contains("job a ended with error 5"));
        let mut wrong = job("a", 0, 1e8);
        wrong["read"]["bw_bytes"] = "fast".into();
        let said = parse(&file(vec![wrong])).expect_err("no rate").to_string();
        assert!(said.starts_with("jobs[0].read.bw_bytes: `\"fast\"` is not a rate"), "{said}");
    }
}
