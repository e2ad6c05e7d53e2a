//! `bench variant`: times of programs side by side, and whether they differ.

use hashlane_measure::variant::{Difference, Time, difference};
use hashlane_measure::{CellResult, Estimate, ProgramFacts, Run, Size};

use crate::charts::{Bar, Chart, Kind};
use crate::run::figures::{self, NONE};
use crate::run::tables::reason;
use crate::tables::{Table, distinct, doubt};
use crate::view::View;

pub(crate) fn view(run: &Run) -> View {
    let sizes = sizes(run);
    let mut tables: Vec<_> = sizes.iter().map(|&size| table(run, size)).collect();
    tables.extend((!run.programs.is_empty()).then(|| programs(run)));
    View {
        title: "Variants".to_owned(),
        findings: sizes.iter().flat_map(|&size| findings(run, size)).collect(),
        charts: sizes.iter().map(|&size| chart(run, size)).collect(),
        curves: Vec::new(),
        tables,
    }
}

/// The sizes of the files; none for commands that were run without one.
fn sizes(run: &Run) -> Vec<Option<u64>> {
    let mut sizes: Vec<_> = run.cells.iter().map(|result| result.cell.input_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The cells of one size, in the order in which the variants were named.
fn of_size(run: &Run, size: Option<u64>) -> impl Iterator<Item = &CellResult> {
    run.cells.iter().filter(move |result| result.cell.input_bytes == size)
}

/// What was read, as a title begins.
fn what(size: Option<u64>) -> String {
    size.map_or_else(|| "Commands".to_owned(), |size| format!("A file of {}", Size(size)))
}

fn name(result: &CellResult) -> &str {
    result.cell.program.as_deref().unwrap_or(NONE)
}

fn table(run: &Run, size: Option<u64>) -> Table {
    let cache = of_size(run, size).find_map(|result| result.cell.cache);
    let cache = cache.map_or_else(String::new, |cache| format!(", {cache}"));
    let mut table = Table::new(
        &format!("{}{cache}: seconds", what(size)),
        &[
            "",
            "real",
            "user",
            "sys",
            "CPU",
            "95 % interval of real",
            "n",
            "rate",
            "MiB/s",
            "real, to the first",
            "CPU, to the first",
        ],
    );
    table.details = vec![6, 8];
    let first = of_size(run, size).find(|result| result.figure.is_some());
    for result in of_size(run, size) {
        table.notes.extend(reason(result));
        let Some(real) = Time::Real.estimate(result) else { continue };
        let mut row = vec![name(result).to_owned()];
        row.extend(
            Time::ALL.iter().map(|time| time.estimate(result).map_or_else(|| NONE.to_owned(), seconds)),
        );
        row.push(real.interval.map_or_else(
            || format!("n = {}: too few", real.n),
            |(low, high)| format!("{low:.4} to {high:.4}"),
        ));
        row.push(real.n.to_string());
        let rate = size.map(|size| size as f64 / real.median);
        let rates = [rate.map(figures::rate), rate.map(figures::mebibytes)];
        row.extend(rates.map(|rate| rate.unwrap_or_else(|| NONE.to_owned())));
        let to_first = |time| {
            let first = first.filter(|first| first.cell != result.cell)?;
            difference(result, first, time).map(|difference| shown(&difference))
        };
        row.extend([Time::Real, Time::Cpu].map(|time| to_first(time).unwrap_or_else(|| NONE.to_owned())));
        table.rows.push(row);
    }
    if table.rows.len() > 1 {
        table.notes.push(
            "\"To the first\" is the median of the differences within each round, not the difference of the medians."
                .to_owned(),
        );
    }
    table.notes.extend(doubt(&table));
    table
}

fn seconds(estimate: Estimate) -> String {
    format!("{:.4}", estimate.median)
}

/// `+1.3 %`, and a mark where it may be nothing.
fn shown(difference: &Difference) -> String {
    let doubt = if difference.is_real() { "" } else { " ?" };
    format!("{:+.1} %{doubt}", difference.share * 100.0)
}

/// Whether each variant differs from the first, in sentences.
fn findings(run: &Run, size: Option<u64>) -> Vec<String> {
    let mut measured = of_size(run, size).filter(|result| result.figure.is_some());
    let Some(first) = measured.next() else { return Vec::new() };
    measured.filter_map(|result| finding(result, first, size)).collect()
}

fn finding(result: &CellResult, first: &CellResult, size: Option<u64>) -> Option<String> {
    let real = difference(result, first, Time::Real)?;
    let (one, other) = (name(result), name(first));
    let start = size.map_or_else(|| format!("{one} "), |size| format!("{}: {one} ", Size(size)));
    let (user, system) = (difference(result, first, Time::User)?, difference(result, first, Time::System)?);
    let parts: Vec<_> = [(user, "user"), (system, "system")]
        .into_iter()
        .filter(|(part, _)| part.is_real())
        .map(|(part, name)| format!("{name} time {:+.1} ms", part.seconds.median * 1e3))
        .collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    Some(match real.seconds.interval {
        None => {
            format!("{start}and {other} ran too few times for a decision; a longer budget gives more rounds.")
        }
        Some((low, high)) if real.is_real() => format!(
            "takes {:.1} % {} than {other}{parts}: the difference of {:+.1} ms, {:+.1} to {:+.1}, is real.",
            real.share.abs() * 100.0,
            if real.share < 0.0 { "less time" } else { "longer" },
            real.seconds.median * 1e3,
            low * 1e3,
            high * 1e3
        )
        .replacen("takes", &format!("{start}takes"), 1),
        Some((low, high)) => format!(
            "{start}and {other} show no clear difference in real time: {:+.1} ms, {:+.1} to {:+.1}{}.",
            real.seconds.median * 1e3,
            low * 1e3,
            high * 1e3,
            if parts.is_empty() { String::new() } else { format!("; they differ in processor time{parts}") }
        ),
    })
}

/// Each variant beside the first: what is asked is whether they differ, and bars from 0 would all look alike.
fn chart(run: &Run, size: Option<u64>) -> Chart {
    let first = of_size(run, size).find(|result| result.figure.is_some());
    let bar = |result: &CellResult| {
        let first = first.filter(|first| first.cell != result.cell)?;
        let (to_first, least) = (difference(result, first, Time::Real)?, Time::Real.estimate(first)?.median);
        // An interval may hold more than all of the time.
        let speed = |seconds: f64| least / (least + seconds).max(least / 100.0);
        Some(Bar {
            name: name(result).to_owned(),
            value: speed(to_first.seconds.median),
            interval: to_first.seconds.interval.map(|(low, high)| (speed(high), speed(low))),
            shown: format!("{:.3} times", speed(to_first.seconds.median)),
            kind: if to_first.is_real() { Kind::Machine } else { Kind::Undecided },
            mark: None,
            parts: Vec::new(),
        })
    };
    let bars = of_size(run, size).filter_map(bar).collect();
    let caption = format!(
        "How many times as fast each is as {}, by the median of the differences within each round; the line is the 95 % \
         interval. Grey bars cannot be distinguished from 1.",
        first.map_or(NONE, name)
    );
    Chart::of_ratios(&format!("{}: times as fast", what(size)), caption, bars)
}

fn programs(run: &Run) -> Table {
    let mut table =
        Table::new("What ran", &["", "command", "SHA-256 of the program", "compilers", "made by"]);
    table.words = vec![1, 2, 3, 4];
    let none = || NONE.to_owned();
    for program in &run.programs {
        table.rows.push(vec![
            program.name.clone(),
            program.command.join(" "),
            program
                .sha256
                .as_ref()
                .map_or_else(none, |digest| format!("{}…", digest.chars().take(16).collect::<String>())),
            if program.compilers.is_empty() { none() } else { program.compilers.join(", ") },
            made_by(program).unwrap_or_else(none),
        ]);
    }
    table
}

fn made_by(program: &ProgramFacts) -> Option<String> {
    let flags = (!program.flags.is_empty()).then(|| program.flags.join(" "));
    program.setup.clone().or(flags)
}

/// The lines that the comparison of compiler options reported: real, user and system time, sizes from the left.
pub(crate) fn classic(run: &Run) -> String {
    let sizes = sizes(run);
    let mut table = Table {
        title: "real/user/sys in seconds".to_owned(),
        head: std::iter::once(String::new())
            .chain(
                sizes
                    .iter()
                    .map(|size| size.map_or_else(|| "commands".to_owned(), |size| Size(size).to_string())),
            )
            .collect(),
        rows: Vec::new(),
        notes: run.cells.iter().filter_map(reason).collect(),
        words: Vec::new(),
        details: Vec::new(),
    };
    for variant in distinct(run.cells.iter().map(name)) {
        let cell = |&size: &Option<u64>| {
            let result = of_size(run, size).find(|result| name(result) == variant)?;
            let times = [Time::Real, Time::User, Time::System].map(|time| time.estimate(result));
            let times: Option<Vec<_>> = times.into_iter().collect();
            Some(times?.iter().map(|time| format!("{:.3}", time.median)).collect::<Vec<_>>().join("/"))
        };
        let cells = sizes.iter().map(|size| cell(size).unwrap_or_else(|| NONE.to_owned()));
        table.rows.push(std::iter::once(variant.to_owned()).chain(cells).collect());
    }
    crate::terminal::table(&table)
}
