//! The output of `openssl speed -mr`: `+H:` sizes in bytes, `+F:number:name:` rates in bytes a second.
//!
//! With `-multi` each process has such lines behind `Got:`, and the sums follow, without sizes.
//!
//! `+F2` and later lines tell of signatures and key exchange, which are not compared. `-DT`, `+R` lines are what it says while
//! it measures.

use super::{Format, Imported, ImportedMachine, Problem, Remark};
use crate::cell::Unit;

pub(super) fn is_openssl(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("+H:") || line.starts_with("+F:"))
}

pub(super) fn parse(text: &str) -> Result<Imported, Problem> {
    let mut machine = ImportedMachine::default();
    let mut sizes: Vec<u64> = Vec::new();
    let mut others = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        // Those of one process are those of all.
        let of_process = line.strip_prefix("Got: +H:").and_then(|rest| rest.split_once(" from "));
        let of_process = of_process.map(|(rest, _)| rest);
        if let Some(rest) = line.strip_prefix("+H:").or(of_process) {
            let size = |size: &str| {
                let wrong = "not a number of bytes; write the file again with `openssl speed -mr`";
                size.parse().map_err(|_| Problem::new(format!("line {number}"), size, wrong))
            };
            sizes = rest.split(':').map(size).collect::<Result<_, _>>()?;
        } else if let Some(rest) = line.strip_prefix("+F:") {
            let mut fields = rest.split(':').skip(1);
            let name = fields.next().unwrap_or_default();
            let rates: Vec<&str> = fields.collect();
            if name.is_empty() || rates.len() != sizes.len() {
                let expected = format!(
                    "not a name and a rate for each of {} sizes; write the file again with `openssl speed -mr`",
                    sizes.len()
                );
                return Err(Problem::new(format!("line {number}"), line, expected));
            }
            for (size, rate) in sizes.iter().zip(rates) {
                let wrong = "not a rate in bytes a second; write the file again with `openssl speed -mr`";
                let figure: f64 =
                    rate.parse().map_err(|_| Problem::new(format!("line {number}"), rate, wrong))?;
                machine.report(&format!("{name}, {size} B messages"), Unit::BytesPerSecond, figure);
            }
        } else if line.starts_with("+F") {
            others += 1;
        }
    }
    if others > 0 {
        let what = "lines about signatures and keys, which are not compared".to_owned();
        machine.remarks.push(Remark::LeftOut { what, count: others });
    }
    Ok(Imported { format: Format::OpensslSpeed, machines: vec![machine] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "+DT:sha256:1:16\n+R:12:sha256:0.67\n+H:16:1024\n+F:6:sha256:26668131.34:294638933.33\n\
                          +F2:1:1024:8363.636364:68277.192982\n";

    #[test]
    fn a_cell_is_a_name_and_a_size() {
        let machine = parse(OUTPUT).expect("as it writes").machines.remove(0);
        let names: Vec<_> = machine.cells.iter().map(|cell| cell.name.as_str()).collect();
        assert_eq!(names, ["sha256, 16 B messages", "sha256, 1024 B messages"]);
        assert_eq!(machine.cells[1].timings[0].figures[0].1, 294_638_933.33);
        assert_eq!(machine.remarks.len(), 1);
    }

    #[test]
    fn of_several_processes_the_sums_are_taken() {
        let output = "Forked child 0\nForked child 1\nGot: +H:16:64 from 0\nGot: +F:25:sha256:1.0:2.0 from 0\n\
                      Got: +H:16:64 from 1\nGot: +F:25:sha256:3.0:4.0 from 1\n+F:25:sha256:4.00:6.00\n";
        assert!(is_openssl(output));
        let machine = parse(output).expect("as it writes").machines.remove(0);
        let cells: Vec<_> =
            machine.cells.iter().map(|cell| (&cell.name[..], cell.timings[0].figures[0].1)).collect();
        assert_eq!(cells, [("sha256, 16 B messages", 4.0), ("sha256, 64 B messages", 6.0)]);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_line() {
        let said = |text: &str| parse(text).expect_err("it is wrong").to_string();
        assert!(said("+H:16:x\n").starts_with("line 1: `x` is not a number of bytes"));
        assert!(
            said("+H:16:64\n+F:6:sha256:1.0\n")
                .starts_with("line 2: `+F:6:sha256:1.0` is not a name and a rate for each of 2")
        );
        assert!(said("+H:16\n+F:6:sha256:fast\n").starts_with("line 2: `fast` is not a rate"));
    }

    #[test]
    fn a_rate_of_nothing_is_left_out() {
        let machine = parse("+H:16\n+F:6:sha256:0.00\n").expect("as it writes").machines.remove(0);
        assert!(machine.cells.is_empty());
        assert_eq!(
            machine.remarks[0].to_string(),
            "sha256, 16 B messages: left out: 0 is not a possible figure"
        );
    }
}
