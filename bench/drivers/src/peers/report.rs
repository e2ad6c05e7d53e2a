//! A run as text that people read: the same Markdown on the terminal and in the record.

use std::fmt::Write as _;

use super::bars::{Bar, Side};
use super::machine::Machine;
use super::run::{Contest, Entry, Role, Run};
use super::statistics::{Estimate, LEAST_SAMPLES};

const MIB: f64 = 1_048_576.0;

/// The whole report.
pub(crate) fn markdown(run: &Run) -> String {
    let mut text = format!("# hashlane and its peers, {}\n\n", run.started);
    text += &machine(&run.machine);
    let _ = writeln!(text, "\nMeasured with `{}`, seed {}.", run.command, run.seed);
    if run.rounds < LEAST_SAMPLES {
        let _ =
            writeln!(text, "\n{} rounds are too few for intervals: figures are medians alone.", run.rounds);
    }
    if run.scale != 1.0 {
        let _ = writeln!(
            text,
            "\n**Inputs scaled by {}: the bars are not judged on what they ask for.**",
            run.scale
        );
    }
    for warning in &run.warnings {
        let _ = writeln!(text, "\n**Warning:** {warning}.");
    }
    if !run.bars.is_empty() {
        text += &bars(&run.bars);
    }
    for contest in &run.contests {
        text += &table(contest);
    }
    text += LEGEND;
    text
}

const LEGEND: &str = "
## How to read this

Figures are medians; brackets hold 95 % intervals of the median, from ranks, which fewer than 6 rounds do not
have; n is the number of measured rounds. Programs took turns in shuffled order in every round, after their outputs
had been found equal and after one round that was not measured.
\"hashlane is\" is the median of the ratios of each round: 2.00 x means that hashlane takes half the time for as many
bytes. MB is 10^6
bytes, MiB is 2^20. Processor time is user and system, of all processes of a program, for 10^9 bytes. Peak memory is
that of all processes together, mapped files and shared libraries counted; `<` stands where it is less than what the
harness itself has. Warm: all bytes were read just before; cold: the page cache was dropped before every sample, which
says nothing of caches below this kernel.
";

fn machine(machine: &Machine) -> String {
    let mut text = String::from("| machine | |\n|---|---|\n");
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "| {name} | {value} |");
    };
    row("processor", &format!("{}, {} cores", machine.processor, machine.cores));
    row("memory", &format!("{:.1} GiB", machine.memory_bytes as f64 / MIB / 1024.0));
    row("kernel", &machine.kernel);
    row("file system", &machine.file_system);
    row("frequency governor", machine.governor.as_deref().unwrap_or("not visible"));
    for (name, version) in &machine.programs {
        row(name, version);
    }
    text
}

fn bars(bars: &[Bar]) -> String {
    format!("\n## Bars\n\n| bar | asked | measured | n | |\n|---|---:|---:|---:|---|\n{}", bar_rows(bars))
}

/// A row of the table for each bar.
pub(crate) fn bar_rows(bars: &[Bar]) -> String {
    let mut text = String::new();
    for bar in bars {
        let sign = if bar.side == Side::AtLeast { "≥" } else { "≤" };
        let measured = bar.value.map_or_else(|| "not measured".to_owned(), |value| interval(value, decimals));
        let n = bar.value.map_or(0, |value| value.n);
        let verdict = if bar.passed { "PASS" } else { "MISSED" };
        let unit = if bar.unit.is_empty() { String::new() } else { format!(" {}", bar.unit) };
        let _ = writeln!(
            text,
            "| {} | {sign} {}{unit} | {measured}{unit} | {n} | {verdict} |",
            bar.name, bar.limit
        );
    }
    text
}

fn table(contest: &Contest) -> String {
    let mut text = format!("\n## {}: {}, {}\n\n", contest.part, contest.work, contest.state);
    if contest.files > 0 {
        let (files, megabytes) = (contest.files, contest.bytes as f64 / 1e6);
        let _ = writeln!(text, "Input: {} ({files} files, {megabytes:.1} MB).\n", contest.input);
    }
    text += "| program | time | MB/s | MiB/s | CPU s/GB | peak memory | hashlane is | n |\n";
    text += "|---|---:|---:|---:|---:|---:|---:|---:|\n";
    let mut entries: Vec<_> = contest.entries.iter().collect();
    entries.sort_by(|left, right| time(left).total_cmp(&time(right)));
    for entry in &entries {
        text += &row(entry);
    }
    text.push('\n');
    for entry in entries {
        let remark = entry.remark.as_ref().map(|remark| format!(" ({remark})")).unwrap_or_default();
        let _ = writeln!(text, "- {}: `{}`{remark}", entry.name, entry.command.trim_end());
    }
    text
}

/// Peers are ordered by time, and what has none comes last. References do other amounts of work.
fn time(entry: &Entry) -> f64 {
    let summary = entry.summary.as_ref();
    match (entry.role, summary) {
        (Role::Reference, _) => f64::MAX,
        (_, Some(summary)) => summary.wall_s.median,
        (_, None) => f64::INFINITY,
    }
}

fn row(entry: &Entry) -> String {
    let name = if entry.role == Role::Ours { format!("**{}**", entry.name) } else { entry.name.clone() };
    let Some(summary) = &entry.summary else {
        let reason = entry.excluded.as_deref().unwrap_or("no samples");
        return format!("| {name} | excluded: {reason} | – | – | – | – | – | 0 |\n");
    };
    let dash = || "–".to_owned();
    // A reference runs for a set time, which is not a result.
    let time = if entry.role == Role::Reference { dash() } else { interval(summary.wall_s, seconds) };
    let rate = summary.mb_per_s.map_or_else(dash, |rate| interval(rate, whole));
    let binary = summary.mb_per_s.map_or_else(dash, |rate| whole(rate.median * 1e6 / MIB));
    let processor = summary.cpu_s_per_gb.map_or_else(dash, |time| decimals(time.median));
    let ratio = entry.hashlane_ratio.map_or_else(dash, |ratio| format!("{} x", interval(ratio, decimals)));
    let memory = entry.peak_memory_bytes.map_or_else(dash, |peak| {
        format!("{}{:.1} MiB", if entry.peak_is_bound { "< " } else { "" }, peak as f64 / MIB)
    });
    let n = summary.wall_s.n;
    format!("| {name} | {time} | {rate} | {binary} | {processor} | {memory} | {ratio} | {n} |\n")
}

fn interval(estimate: Estimate, shown: fn(f64) -> String) -> String {
    match estimate.interval {
        Some((low, high)) => format!("{} [{}, {}]", shown(estimate.median), shown(low), shown(high)),
        None => shown(estimate.median),
    }
}

fn whole(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

fn decimals(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") }
}

fn seconds(value: f64) -> String {
    if value < 0.1 { format!("{:.2} ms", value * 1e3) } else { format!("{value:.3} s") }
}

#[cfg(test)]
mod tests {
    use super::super::run::Sample;
    use super::*;

    fn entry(name: &str, role: Role, wall_ns: u64, rounds: usize) -> Entry {
        let sample = |round| Sample {
            round,
            wall_ns,
            user_ns: 1_000_000,
            sys_ns: 0,
            bytes: 1_000_000,
            max_rss_bytes: None,
            read_bytes: None,
        };
        let samples = (0..rounds).map(sample).collect();
        Entry { samples, peak_memory_bytes: Some(3 << 20), ..Entry::new(name, role, format!("{name} x")) }
    }

    #[test]
    fn a_table_has_units_intervals_and_reasons() {
        let mut odd = Entry::new("odd", Role::Peer, "odd x".to_owned());
        odd.excluded = Some("prints nothing".to_owned());
        let mut contest = Contest {
            part: "many".into(),
            input: "files".into(),
            work: "md5".into(),
            state: "warm".into(),
            files: 2,
            bytes: 1_000_000,
            entries: vec![
                odd,
                entry("slow", Role::Peer, 4_000_000, 5),
                entry("hashlane", Role::Ours, 2_000_000, 6),
            ],
        };
        let mut less = entry("hashlane, less", Role::Part, 1_000_000, 5);
        less.samples.iter_mut().for_each(|sample| sample.bytes = 500_000);
        contest.entries.push(less);
        contest.summarise();
        let text = table(&contest);
        let wanted = "| hashlane, less | 1.00 ms | 500 | 477 | 2.000 | 3.0 MiB | – | 5 |
| **hashlane** | 2.00 ms [2.00 ms, 2.00 ms] | 500 [500, 500] | 477 | 1.000 | 3.0 MiB | – | 6 |
| slow | 4.00 ms | 250 | 238 | 1.000 | 3.0 MiB | 2.000 x | 5 |
| odd | excluded: prints nothing | – | – | – | – | – | 0 |
";
        assert!(text.contains(wanted), "{text}");
        assert!(!text.contains("inf"));
    }
}
