//! The `|`-separated files of sysperf's scripts: measurements, lookup tables, descriptions of machines.
//!
//! A file may hold lines of all three kinds, and of several hosts; a heading says what the lines after it are, and may stand
//! before each of them. Headings of some versions lack the names of the last three columns, which are the rates. Wall time is
//! what counts; times and rates of user and system are not compared.
//!
//! Each measurement has two figures: the rate as it was recorded, which the scripts cut to whole MB/s, and the rate
//! that bytes and wall time of the line make.

use super::size::counts;
use super::{Basis, Format, Imported, ImportedMachine, MOST_MACHINES, Problem, Remark, Timing, is_possible};
use crate::cell::Unit;
use crate::text::shown;

/// Columns of a measurement.
pub(crate) const MEASUREMENT: [&str; 14] = [
    "Hostname",
    "UCT Date_time",
    "Dictionary bytes",
    "Effective Iterations",
    "Iterations",
    "Number of Copies",
    "Total size",
    "Cryptographic Hash",
    "WallTime",
    "UserTime",
    "Systime",
    "MB/Sec Wall",
    "MB/Sec User",
    "MB/Sec System",
];

/// Columns before the rates, which some lines lack.
const WITHOUT_RATES: usize = 11;

/// Columns of a lookup table, which holds rates once more under a name: `host_program_copies_iterations`.
pub(crate) const LOOKUP: [&str; 4] = ["Lookup Value", "MB/Sec Wall", "MB/Sec User", "MB/Sec System"];

/// Columns of a description, and what they are called here.
pub(crate) const DESCRIPTION: [(&str, &str); 13] = [
    ("Hostname", "host"),
    ("Architecture", "architecture"),
    ("cores", "cores"),
    ("CPU max MHz", "highest clock in MHz"),
    ("MEM Total", "memory"),
    ("MEM Used", "memory used when described"),
    ("MEM Free", "memory free when described"),
    ("SWAP Total", "swap"),
    ("SWAP Used", "swap used when described"),
    ("SWAP Free", "swap free when described"),
    ("OS", "system"),
    ("OS_VERSION_ID", "version of system"),
    ("Bogomips", "bogomips"),
];

/// How a line begins that says that a measurement failed.
const FAILURE: &str = "FAILURE|";

/// Bytes a second in the unit of the scripts.
const MEGABYTE: f64 = 1e6;

/// What lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Measurement,
    Lookup,
    Description,
}

/// Whether a text begins as its files do.
pub(crate) fn is_sysperf(text: &str) -> bool {
    let first = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    first.starts_with(FAILURE) || heading(&fields(first)).is_some() || is_bare_measurement(&fields(first))
}

pub(super) fn parse(text: &str) -> Result<Imported, Problem> {
    let mut machines = Vec::new();
    let mut kind = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let fields = fields(line);
        if line.is_empty() {
            continue;
        }
        if let Some(said) = line.strip_prefix(FAILURE) {
            let remark = Remark::Failed { place: format!("line {number}"), text: shown(said) };
            // Its host is not said. Lines of one file are nearly always of one.
            let at = machines.len().saturating_sub(1);
            if machines.is_empty() {
                machines.push(ImportedMachine::default());
            }
            machines[at].remarks.push(remark);
            continue;
        }
        if let Some(is) = heading(&fields) {
            check_heading(is, &fields, number)?;
            kind = Some(is);
            continue;
        }
        match kind {
            Some(Kind::Lookup) => lookup(&mut machines, &fields, number)?,
            Some(Kind::Description) => description(&mut machines, &fields, number)?,
            Some(Kind::Measurement) | None => measurement(&mut machines, &fields, number)?,
        }
    }
    Ok(Imported { format: Format::Sysperf, machines })
}

/// The fields of a line, spaces aside.
fn fields(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

/// What the lines after a heading are; none if it is not a heading.
fn heading(fields: &[&str]) -> Option<Kind> {
    match fields {
        [first, second, ..] if *first == MEASUREMENT[0] && *second == MEASUREMENT[1] => {
            Some(Kind::Measurement)
        }
        [first, second, ..] if *first == DESCRIPTION[0].0 && *second == DESCRIPTION[1].0 => {
            Some(Kind::Description)
        }
        [first, ..] if *first == LOOKUP[0] => Some(Kind::Lookup),
        _ => None,
    }
}

/// Other columns, or in another order, would be read as something else.
fn check_heading(kind: Kind, fields: &[&str], number: usize) -> Result<(), Problem> {
    let (known, least): (Vec<&str>, usize) = match kind {
        Kind::Measurement => (MEASUREMENT.to_vec(), WITHOUT_RATES),
        Kind::Lookup => (LOOKUP.to_vec(), 2),
        Kind::Description => (DESCRIPTION.iter().map(|(name, _)| *name).collect(), DESCRIPTION.len()),
    };
    let said = fields.strip_suffix(&[""]).unwrap_or(fields);
    let wrong = (0..said.len().max(least)).find(|&at| said.get(at) != known.get(at));
    let Some(at) = wrong else { return Ok(()) };
    let found = said.get(at).copied().unwrap_or_default();
    let expected = match known.get(at) {
        Some(known) => {
            format!("not the heading `{known}`; put the columns in the order of sysperf's scripts")
        }
        None => "a column too many; remove it".to_owned(),
    };
    Err(Problem::new(format!("line {number}, column {}", at + 1), found, expected))
}

/// Whether a line without a heading is a measurement: by its date, `20220304_1113`.
fn is_bare_measurement(fields: &[&str]) -> bool {
    let is_date = |date: &str| {
        let parts = date.split_once('_');
        parts.is_some_and(|(day, time)| {
            day.len() == 8
                && time.len() == 4
                && [day, time].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    fields.len() >= WITHOUT_RATES && is_date(fields[1])
}

/// A line of a file, for reading values out of it.
struct Line<'a> {
    fields: &'a [&'a str],
    number: usize,
}

impl Line<'_> {
    fn problem(&self, column: &str, found: &str, expected: &str) -> Problem {
        let place = format!("line {}, {column}", self.number);
        Problem::new(place, found, format!("{expected}; correct the line, or remove it"))
    }

    fn wrong(&self, column: usize, expected: &str) -> Problem {
        self.problem(MEASUREMENT[column], self.fields[column], expected)
    }

    fn count(&self, column: usize) -> Result<u64, Problem> {
        self.fields[column].parse().map_err(|_| self.wrong(column, "not a whole number"))
    }

    /// A rate in MB/s; none where a division by 0 left nothing.
    fn rate(&self, name: &str, column: usize) -> Result<Option<f64>, Problem> {
        let text = self.fields.get(column).copied().unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        let rate = number(text).filter(|rate| *rate == 0.0 || is_possible(rate * MEGABYTE));
        rate.map(Some).ok_or_else(|| self.problem(name, text, "not a rate in MB/s"))
    }
}

fn measurement(machines: &mut Vec<ImportedMachine>, fields: &[&str], number: usize) -> Result<(), Problem> {
    let line = Line { fields, number };
    let values = fields.strip_suffix(&[""]).filter(|_| fields.len() != MEASUREMENT.len()).unwrap_or(fields);
    if ![WITHOUT_RATES, MEASUREMENT.len()].contains(&values.len()) {
        let found = format!("{} values", values.len());
        return Err(line.problem("columns", &found, "not the 11 or 14 of a measurement: the line was cut"));
    }
    let host = host(&line, fields[0])?;
    let (dictionary, iterations, copies) = (line.count(2)?, line.count(4)?, line.count(5)?);
    let bytes = line.count(6)?;
    let effective = effective_iterations(&line, iterations, copies)?;
    let product =
        [iterations, copies].iter().try_fold(dictionary, |product, factor| product.checked_mul(*factor));
    if product != Some(bytes) {
        let expected = format!("not {dictionary} bytes x {iterations} iterations x {copies} copies");
        return Err(line.wrong(6, &expected));
    }
    let seconds = seconds(fields[8]).ok_or_else(|| line.wrong(8, "not a time in seconds"))?;
    let name = cell_name(fields[7], copies, effective);
    let recorded = line.rate(MEASUREMENT[11], 11)?;
    let recomputed = bytes as f64 / seconds;
    let machine = of_host(&line, machines, &host)?;
    let mut figures = Vec::new();
    match recorded {
        Some(rate) if rate > 0.0 => figures.push((Basis::Recorded, rate * MEGABYTE)),
        Some(_) => machine.remarks.push(Remark::CutToNothing { line: number, cell: name.clone() }),
        None => {}
    }
    if is_possible(recomputed) {
        figures.push((Basis::Recomputed, recomputed));
        let whole = (recomputed / MEGABYTE).floor();
        // The scripts divide in other steps; their last digit may be another.
        if let Some(rate) = recorded.filter(|rate| (rate - whole).abs() > 1.0) {
            let recomputed = format!("{:.2}", recomputed / MEGABYTE);
            machine.remarks.push(Remark::NotItsTime { line: number, recorded: rate.to_string(), recomputed });
        }
    } else {
        machine.remarks.push(Remark::NoTime { line: number, cell: name.clone() });
    }
    let cell = machine.cell(&name, Unit::BytesPerSecond, false);
    cell.timings.push(Timing { identity: Some(shown(&values.join("|"))), figures });
    for (what, value) in [("bytes", bytes), ("dictionary bytes", dictionary)] {
        let value = value.to_string();
        let known = cell.work.entry(what.to_owned()).or_insert_with(|| value.clone());
        if !known.split(" and ").any(|known| known == value) {
            *known = format!("{known} and {value}");
        }
    }
    Ok(())
}

/// How often the dictionary was worked through. Where a suffix may be a power of 1000 or of 1024, iterations and copies of the
/// line decide: their product is what is left of it after a division without remainder.
fn effective_iterations(line: &Line<'_>, iterations: u64, copies: u64) -> Result<u64, Problem> {
    let likely =
        counts(line.fields[3]).ok_or_else(|| line.wrong(3, "not a count, as in 5120, 5Kib or 1M"))?;
    let fits = |effective: &&u64| copies > 0 && **effective / copies == iterations;
    let fitting = likely.iter().find(fits);
    let wrong = format!("not {iterations} iterations of {copies} copies");
    fitting.copied().ok_or_else(|| line.wrong(3, &wrong))
}

fn lookup(machines: &mut Vec<ImportedMachine>, fields: &[&str], number: usize) -> Result<(), Problem> {
    let line = Line { fields, number };
    let rate = line.rate(LOOKUP[1], 1)?;
    let wrong = || line.problem(LOOKUP[0], fields[0], "not host_program_copies_iterations");
    // Names of hosts may hold the letter that parts them.
    let mut parts = fields[0].rsplitn(4, '_');
    let (iterations, copies, program, host_name) = (parts.next(), parts.next(), parts.next(), parts.next());
    let iterations = iterations.and_then(counts).and_then(|likely| likely.first().copied());
    let copies: Option<u64> = copies.and_then(|copies| copies.parse().ok());
    let (Some(iterations), Some(copies), Some(program), Some(host_name)) =
        (iterations, copies, program, host_name)
    else {
        return Err(wrong());
    };
    let host = host(&line, host_name)?;
    let machine = of_host(&line, machines, &host)?;
    let name = cell_name(program, copies, iterations);
    match rate.filter(|rate| *rate > 0.0) {
        Some(rate) => {
            let cell = machine.cell(&name, Unit::BytesPerSecond, true);
            let figures = vec![(Basis::Recorded, rate * MEGABYTE)];
            cell.timings.push(Timing { identity: Some(shown(&fields.join("|"))), figures });
        }
        None => machine.remarks.push(Remark::CutToNothing { line: number, cell: name }),
    }
    Ok(())
}

fn description(machines: &mut Vec<ImportedMachine>, fields: &[&str], number: usize) -> Result<(), Problem> {
    let line = Line { fields, number };
    let values = fields.strip_suffix(&[""]).filter(|_| fields.len() != DESCRIPTION.len()).unwrap_or(fields);
    if values.len() != DESCRIPTION.len() {
        let found = format!("{} values", values.len());
        return Err(line.problem("columns", &found, "not the 13 of a description: the line was cut"));
    }
    let host = host(&line, values[0])?;
    let machine = of_host(&line, machines, &host)?;
    let last = DESCRIPTION.len() - 1;
    let bogomips = number_or_none(&line, values[last])?;
    machine.bogomips = bogomips;
    for ((_, name), value) in DESCRIPTION.iter().zip(values).skip(1) {
        let value = shown(value.trim_matches('"'));
        if !value.is_empty() {
            machine.facts.push(((*name).to_owned(), value));
        }
    }
    Ok(())
}

fn number_or_none(line: &Line<'_>, text: &str) -> Result<Option<f64>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    let value = number(text).filter(|value| is_possible(*value));
    value.map(Some).ok_or_else(|| line.problem(DESCRIPTION[12].0, text, "not a number above 0"))
}

fn host(line: &Line<'_>, name: &str) -> Result<String, Problem> {
    if name.is_empty() {
        return Err(line.problem(MEASUREMENT[0], name, "not the name of a host"));
    }
    Ok(shown(name))
}

fn of_host<'a>(
    line: &Line<'_>,
    machines: &'a mut Vec<ImportedMachine>,
    host: &str,
) -> Result<&'a mut ImportedMachine, Problem> {
    // What was said before any host is of the first.
    let known = machines.iter().rposition(|known| known.host.as_deref().is_none_or(|known| known == host));
    let at = known.unwrap_or(machines.len());
    if at == machines.len() {
        if at >= MOST_MACHINES {
            return Err(line.problem(MEASUREMENT[0], host, "one host too many for one file"));
        }
        machines.push(ImportedMachine::default());
    }
    machines[at].host = Some(host.to_owned());
    Ok(&mut machines[at])
}

fn cell_name(program: &str, copies: u64, iterations: u64) -> String {
    let copies = if copies == 1 { "1 copy".to_owned() } else { format!("{copies} copies") };
    shown(&format!("{program}, {copies}, {iterations} iterations"))
}

/// A number above or equal to 0 with a decimal point or, where the locale has it so, a comma.
fn number(text: &str) -> Option<f64> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    if !text.bytes().all(is_digit) || text.bytes().filter(|byte| !byte.is_ascii_digit()).count() > 1 {
        return None;
    }
    text.replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// A time: `3.19`, `3,19`, or as time(1) writes it with minutes and hours, `1:05.20`.
fn seconds(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let (last, before) = parts.split_last()?;
    let minutes =
        before.iter().try_fold(0u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))?;
    (before.len() <= 2).then_some(())?;
    Some(minutes as f64 * 60.0 + number(last)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "Hostname|UCT Date_time|Dictionary bytes|Effective Iterations|Iterations|Number of Copies|Total size|Cryptographic Hash|WallTime|UserTime|Systime|";
    const ROW: &str = "ash|20220304_1113|1000000|1Kib|2|512|1024000000|b2sum|3.20|2.93|0.25|320|341|3998";

    fn machines(text: &str) -> Vec<ImportedMachine> {
        parse(text).expect("as the scripts write").machines
    }

    fn machine(text: &str) -> ImportedMachine {
        machines(text).remove(0)
    }

    fn figures(machine: &ImportedMachine) -> Vec<(Basis, f64)> {
        machine.cells[0].timings[0].figures.clone()
    }

    fn refused(row: &str) -> String {
        parse(&format!("{HEADING}\n{row}\n")).expect_err("it is wrong").to_string()
    }

    #[test]
    fn headings_may_lack_names_stand_before_each_row_or_be_absent() {
        let both = [(Basis::Recorded, 3.2e8), (Basis::Recomputed, 3.2e8)];
        let whole = format!("{HEADING}MB/Sec Wall|MB/Sec User|MB/Sec System");
        let other = ROW.replace("b2sum", "dd");
        let expected = [
            format!("{HEADING}\n{ROW}\n"),
            format!("{whole}\r\n{ROW}\r\n{whole}\r\n{other}\r\n"),
            ROW.to_owned(),
        ];
        for text in expected {
            assert!(is_sysperf(&text));
            let machine = machine(&text);
            assert_eq!(machine.host.as_deref(), Some("ash"));
            assert_eq!(machine.cells[0].name, "b2sum, 512 copies, 1024 iterations");
            assert_eq!(figures(&machine), both);
            assert!(machine.remarks.is_empty());
        }
    }

    #[test]
    fn other_columns_are_not_read_as_these() {
        let said = parse(&HEADING.replace("WallTime|UserTime", "UserTime|WallTime"))
            .expect_err("another order")
            .to_string();
        assert!(said.starts_with("line 1, column 9: `UserTime` is not the heading `WallTime`"), "{said}");
        let said = parse("Hostname|UCT Date_time|").expect_err("cut").to_string();
        assert!(said.starts_with("line 1, column 3: `` is not the heading `Dictionary bytes`"), "{said}");
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_line_and_column() {
        let way_out = "; correct the line, or remove it";
        for (old, new, said) in [
            ("|3.20|", "|soon|", "line 2, WallTime: `soon` is not a time in seconds"),
            ("|3.20|", "|-3.20|", "line 2, WallTime: `-3.20` is not a time in seconds"),
            ("|3.20|", "|1,000.5|", "line 2, WallTime: `1,000.5` is not a time in seconds"),
            (
                "|1Kib|",
                "|1Qib|",
                "line 2, Effective Iterations: `1Qib` is not a count, as in 5120, 5Kib or 1M",
            ),
            ("|1Kib|", "|3Kib|", "line 2, Effective Iterations: `3Kib` is not 2 iterations of 512 copies"),
            ("|512|", "|many|", "line 2, Number of Copies: `many` is not a whole number"),
            (
                "|1024000000|",
                "|1024|",
                "line 2, Total size: `1024` is not 1000000 bytes x 2 iterations x 512 copies",
            ),
            ("|320|", "|fast|", "line 2, MB/Sec Wall: `fast` is not a rate in MB/s"),
            ("ash|", "|", "line 2, Hostname: `` is not the name of a host"),
            (
                "|0.25|320|341|3998",
                "",
                "line 2, columns: `10 values` is not the 11 or 14 of a measurement: the line was cut",
            ),
        ] {
            assert_eq!(refused(&ROW.replace(old, new)), format!("{said}{way_out}"));
        }
    }

    #[test]
    fn decimal_commas_and_minutes_are_read() {
        for (text, expected) in
            [("3,19", 3.19), ("3.19", 3.19), ("1:05.20", 65.2), ("1:00:00", 3600.0), ("0", 0.0)]
        {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for wrong in ["", ",", "1:", "1:2:3:4", "1.2.3", "nan", "1e3", ":5"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_time_of_nothing_makes_no_rate() {
        let machine = machine(&ROW.replace("|3.20|2.93|0.25|320|341|3998", "|0.00|0.00|0.00|||"));
        assert!(figures(&machine).is_empty());
        assert_eq!(
            machine.remarks,
            [Remark::NoTime { line: 1, cell: "b2sum, 512 copies, 1024 iterations".into() }]
        );
    }

    #[test]
    fn a_rate_cut_to_nothing_leaves_the_other() {
        let machine = machine(&ROW.replace("|3.20|", "|5000|").replace("|320|", "|0|"));
        assert_eq!(figures(&machine), [(Basis::Recomputed, 204_800.0)]);
        assert!(matches!(machine.remarks[0], Remark::CutToNothing { line: 1, .. }));
    }

    #[test]
    fn a_rate_that_is_not_that_of_its_time_is_said() {
        let machine = machine(&ROW.replace("|320|", "|420|"));
        assert_eq!(
            machine.remarks[0].to_string(),
            "line 1: 420 MB/s are recorded, but bytes and wall time yield 320.00 MB/s"
        );
    }

    #[test]
    fn without_rates_they_are_recomputed() {
        for end in ["", "|"] {
            let machine = machine(&format!("{HEADING}\n{}", ROW.replace("|320|341|3998", end)));
            assert_eq!(figures(&machine), [(Basis::Recomputed, 3.2e8)]);
        }
    }

    #[test]
    fn suffixes_that_may_be_either_are_told_by_the_row() {
        let thousand = ROW.replace("1Kib|2|512|1024000000", "1K|1000|1|1000000000");
        assert_eq!(machine(&thousand).cells[0].name, "b2sum, 1 copy, 1000 iterations");
        for suffix in ["1K", "1Kb", "1024"] {
            let row = ROW.replace("1Kib", suffix);
            assert_eq!(machine(&row).cells[0].name, "b2sum, 512 copies, 1024 iterations");
        }
        // Fewer iterations than copies make none: nothing was done.
        let none = ROW.replace("1Kib|2|512|1024000000", "100|0|512|0");
        assert!(matches!(machine(&none).remarks.last(), Some(Remark::NoTime { .. })));
    }

    #[test]
    fn the_same_cell_again_is_another_timing_of_it() {
        let machine = machine(&format!(
            "{HEADING}\n{ROW}\n{ROW}\n{}",
            ROW.replace("3.20", "4.00").replace("|320|", "|256|")
        ));
        assert_eq!((machine.cells.len(), machine.cells[0].timings.len()), (1, 3));
        assert_eq!(machine.cells[0].timings[0], machine.cells[0].timings[1]);
    }

    #[test]
    fn failures_are_kept() {
        let text = format!("FAILURE|no space on /tmp|\n{HEADING}\n{ROW}\n");
        assert!(is_sysperf(&text));
        let machine = machine(&text);
        assert_eq!(machine.host.as_deref(), Some("ash"));
        assert_eq!(machine.remarks[0].to_string(), "line 1: a measurement failed: no space on /tmp|");
    }

    #[test]
    fn lookup_tables_are_copies_and_hosts_may_hold_underscores() {
        let heading = LOOKUP.join("|");
        let machine = machine(&format!("{heading}\nold_ash_b2sum_512_1024|320|341|3998\n"));
        assert_eq!(machine.host.as_deref(), Some("old_ash"));
        assert!(machine.cells[0].is_copy);
        assert_eq!(machine.cells[0].name, "b2sum, 512 copies, 1024 iterations");
        assert_eq!(figures(&machine), [(Basis::Recorded, 3.2e8)]);
        let said =
            parse(&format!("{heading}\nash_b2sum_1024|320|341|3998\n")).expect_err("no copies").to_string();
        assert!(
            said.starts_with("line 2, Lookup Value: `ash_b2sum_1024` is not host_program_copies_iterations"),
            "{said}"
        );
    }

    #[test]
    fn descriptions_are_facts() {
        let names: Vec<_> = DESCRIPTION.iter().map(|(name, _)| *name).collect();
        let heading = names.join("|");
        let row = "ash|aarch64|4|1500.0000|7.6Gi|2.5Gi|2.8Gi|6.9Gi|0B|6.9Gi|ubuntu|\"21.10\"|108.00";
        let machine = machine(&format!("{heading}\n{row}\n"));
        assert_eq!((machine.host.as_deref(), machine.bogomips), (Some("ash"), Some(108.0)));
        let fact =
            |name: &str| machine.facts.iter().find(|(known, _)| known == name).map(|(_, fact)| fact.as_str());
        assert_eq!(
            (fact("cores"), fact("memory"), fact("version of system")),
            (Some("4"), Some("7.6Gi"), Some("21.10"))
        );
        let said = parse(&format!("{heading}\n{}\n", row.replace("108.00", "many")))
            .expect_err("no number")
            .to_string();
        assert!(said.starts_with("line 2, Bogomips: `many` is not a number above 0"), "{said}");
        assert!(parse(&format!("{heading}\nash|aarch64\n")).is_err());
    }

    #[test]
    fn a_file_may_tell_of_several_hosts() {
        let machines = machines(&format!("{HEADING}\n{ROW}\n{}\n", ROW.replace("ash", "elm")));
        let hosts: Vec<_> = machines.iter().filter_map(|machine| machine.host.as_deref()).collect();
        assert_eq!(hosts, ["ash", "elm"]);
    }
}
