//! `bench machine`: programs on copies of a dictionary, what starting them costs, and the tables of sysperf's
//! paper.

use hashlane_measure::machine_study::{
    DIGESTS, InputFacts, OWN, Origin, effective_iterations, first_run_share, is_start, pure_hash, start,
    subject,
};
use hashlane_measure::variant::Time;
use hashlane_measure::{CellResult, Estimate, Run, Stage};

use crate::charts::{Axis, Bar, Chart, Kind, farthest};
use crate::run::charts::bar;
use crate::run::figures::{self, NONE};
use crate::tables::{Table, distinct, doubt};
use crate::view::View;

pub(crate) fn view(run: &Run) -> View {
    let groups = groups(run);
    let mut tables: Vec<_> = groups.iter().map(|group| table(run, group)).collect();
    tables.push(starts(run));
    tables.push(inputs(run));
    tables.push(programs(run));
    View {
        title: "Machine: programs and this engine".to_owned(),
        findings: findings(run, &groups),
        charts: charts(run, &groups),
        curves: Vec::new(),
        tables,
    }
}

/// Cells of the same copies and iterations, from the fewest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    copies: u64,
    effective: u64,
}

fn group_of(result: &CellResult) -> Option<Group> {
    Some(Group { copies: result.cell.copies?, effective: effective_iterations(&result.cell)? })
}

/// Those where anything was measured.
fn groups(run: &Run) -> Vec<Group> {
    let measured = run.cells.iter().filter(|result| result.figure.is_some());
    let mut groups: Vec<_> = measured.filter_map(group_of).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

fn of_group<'a>(run: &'a Run, group: &Group) -> impl Iterator<Item = &'a CellResult> {
    let group = *group;
    run.cells.iter().filter(move |result| result.figure.is_some() && group_of(result) == Some(group))
}

fn copies(copies: u64) -> String {
    if copies == 1 { "1 copy".to_owned() } else { format!("{copies} copies") }
}

/// `b2sum`, or what our engine does in this process.
fn name(result: &CellResult) -> String {
    let ours = match result.cell.stage {
        Stage::Program => return subject(&result.cell),
        Stage::Read => "read".to_owned(),
        _ => result.cell.algorithm.clone().unwrap_or_default(),
    };
    format!("{ours}, in process")
}

/// The column of what starting takes.
const START: usize = 8;

fn table(run: &Run, group: &Group) -> Table {
    let first = of_group(run, group).next();
    let cell = first.map(|result| &result.cell);
    let input = cell.and_then(|cell| cell.input.clone()).unwrap_or_default();
    let size = cell
        .and_then(|cell| cell.input_bytes)
        .map_or_else(String::new, |bytes| format!(" ({})", figures::bytes(bytes)));
    let cache = cell.and_then(|cell| cell.cache).map_or_else(String::new, |cache| format!(", {cache}"));
    let runs = group.effective / group.copies;
    let mut table = Table::new(
        &format!(
            "{} of {input}{size}{cache}, {} effective iterations: read {}",
            copies(group.copies),
            group.effective,
            if runs == 1 { "once".to_owned() } else { format!("{runs} times") }
        ),
        &["", "real s", "user s", "sys s", "MB/s", "MiB/s", "95 % interval, MB/s", "n", "start", "pure hash"],
    );
    table.details = vec![5];
    let none = || NONE.to_owned();
    let mut has_pure = false;
    for result in of_group(run, group) {
        let Some(figure) = result.figure else { continue };
        let seconds = |time: Time| {
            time.estimate(result)
                .map_or_else(none, |estimate| format!("{:.4}", estimate.median * runs as f64))
        };
        let pure = pure_hash(run, result);
        has_pure |= pure.is_some();
        table.rows.push(vec![
            name(result),
            seconds(Time::Real),
            seconds(Time::User),
            seconds(Time::System),
            figures::digits(figure.median / 1e6),
            figures::mebibytes(figure.median),
            interval(&figure, 1e6),
            figure.n.to_string(),
            start_share(run, result).map_or_else(none, figures::share),
            pure.map_or_else(none, |(rate, is_doubtful)| {
                format!("{}{}", figures::rate(rate), if is_doubtful { " ?" } else { "" })
            }),
        ]);
    }
    table.notes.extend(doubt(&table));
    if table.rows.iter().any(|row| row[START] != NONE) {
        table.notes.push(
            "start is the share of the time for starting and ending programs, without reading".to_owned(),
        );
    }
    if has_pure {
        table.notes.push(
            "pure hash is derived: the bytes divided by the time beyond that of dd, or of reading in process, in the same \
             rounds"
                .to_owned(),
        );
    }
    table
}

/// An interval in the unit of its column, whatever the size.
fn interval(estimate: &Estimate, unit: f64) -> String {
    let shown = |value: f64| figures::digits(value / unit);
    estimate.interval.map_or_else(
        || format!("n = {}: too few", estimate.n),
        |(low, high)| format!("{} to {}", shown(low), shown(high)),
    )
}

/// How much of its time a program spends on being started.
fn start_share(run: &Run, result: &CellResult) -> Option<f64> {
    let start = start(run, result.cell.program.as_deref()?)?;
    let (start, all) = (Time::Real.estimate(start)?.median, Time::Real.estimate(result)?.median);
    (all > 0.0 && start < all).then_some(start / all)
}

fn starts(run: &Run) -> Table {
    let mut table = Table::new(
        "Starting a program: on an empty file",
        &["", "real ms", "user ms", "sys ms", "95 % interval of real", "n"],
    );
    for result in run.cells.iter().filter(|result| is_start(&result.cell)) {
        let Some(figure) = result.figure else { continue };
        let milliseconds = |time: Time| {
            time.estimate(result)
                .map_or_else(|| NONE.to_owned(), |estimate| format!("{:.3}", estimate.median * 1e3))
        };
        table.rows.push(vec![
            name(result),
            milliseconds(Time::Real),
            milliseconds(Time::User),
            milliseconds(Time::System),
            interval(&figure, 1e6),
            figure.n.to_string(),
        ]);
    }
    table
}

fn inputs(run: &Run) -> Table {
    let mut table = Table::new(
        "Inputs: writing, syncing to the device, and the first run before that",
        &["", "size", "written in", "settled in", "left to write", "first run", "of the others' rate"],
    );
    let none = || NONE.to_owned();
    for input in &run.inputs {
        let settling = input.settling;
        table.rows.push(vec![
            format!(
                "{} of {}{}",
                copies(input.copies),
                input.name,
                if input.origin == Some(Origin::Generated) { " (generated)" } else { "" }
            ),
            figures::bytes(input.unit_bytes * input.copies),
            format!("{:.3} s", input.write_ns as f64 / 1e9),
            settling.map_or_else(none, |settling| format!("{:.3} s", settling.waited_ns as f64 / 1e9)),
            settling.map_or_else(none, |settling| {
                format!(
                    "{} to {}",
                    figures::bytes(settling.written_bytes),
                    figures::bytes(settling.left_bytes)
                )
            }),
            input
                .first_run
                .as_ref()
                .map_or_else(none, |first| format!("{} {:.4} s", first.program, first.wall_ns as f64 / 1e9)),
            first_run_share(run, input).map_or_else(none, figures::share),
        ]);
        if settling.is_some_and(|settling| !settling.settled) {
            table.notes.push(format!(
                "{}: other programs kept writing; the wait ended without settling",
                copies(input.copies)
            ));
        }
    }
    table
}

fn programs(run: &Run) -> Table {
    let mut table = Table::new("What ran", &["", "command", "SHA-256 of the program"]);
    table.words = vec![1, 2];
    for program in run.programs.iter().filter(|program| program.sha256.is_some()) {
        let digest = program.sha256.as_deref().unwrap_or_default();
        let digest = format!("{}…", digest.chars().take(16).collect::<String>());
        table.rows.push(vec![program.name.clone(), program.command.join(" "), digest]);
    }
    // A program that is not there is missing in every cell: said once.
    for result in &run.cells {
        let Some(reason) = &result.not_measured else { continue };
        let of = if is_start(&result.cell) || result.cell.copies.is_none() {
            subject(&result.cell)
        } else {
            let of_all = format!("{}: not measured: {reason}", subject(&result.cell));
            if table.notes.contains(&of_all) {
                continue;
            }
            format!("{}, {}", name(result), copies(result.cell.copies.unwrap_or(1)))
        };
        let note = format!("{of}: not measured: {reason}");
        if !table.notes.contains(&note) {
            table.notes.push(note);
        }
    }
    table
}

/// One chart for each number of effective iterations, all on one scale.
fn charts(run: &Run, groups: &[Group]) -> Vec<Chart> {
    let mut iterations: Vec<_> = groups.iter().map(|group| group.effective).collect();
    iterations.sort_unstable();
    iterations.dedup();
    let chart = |&effective: &u64| {
        let mut bars: Vec<Bar> = Vec::new();
        let here = || groups.iter().filter(|group| group.effective == effective);
        let names = distinct(here().flat_map(|group| of_group(run, group)).map(name));
        for wanted in &names {
            for result in
                here().flat_map(|group| of_group(run, group)).filter(|result| name(result) == *wanted)
            {
                let count = result.cell.copies.unwrap_or(1);
                let kind = if count == 1 { Kind::Digest } else { Kind::DigestAll };
                bars.extend(bar(format!("{wanted}, {}", copies(count)), result, kind));
            }
        }
        let caption = "With one copy, each needs a start; many copies in one file share one. The line is the 95 % interval; \
                       all charts have the same scale.";
        Chart::new(&format!("{effective} effective iterations"), caption.to_owned(), bars)
    };
    let mut charts: Vec<_> = iterations.iter().map(chart).collect();
    // Reading alone is many times as fast as what is asked about.
    let is_asked = |bar: &&Bar| !["dd,", "read,"].iter().any(|only| bar.name.starts_with(only));
    let all = || charts.iter().flat_map(|chart| &chart.bars);
    let most = farthest(all().filter(is_asked)).unwrap_or_else(|| farthest(all()).unwrap_or(1.0));
    let is_cut = all().any(|bar| bar.value > most);
    for chart in &mut charts {
        chart.axis = Axis::FromZero { most };
        chart.caption += if is_cut { " Longer bars of programs that only read are cut off." } else { "" };
    }
    charts
}

/// What it comes to, in sentences.
fn findings(run: &Run, groups: &[Group]) -> Vec<String> {
    let mut findings = Vec::new();
    findings.extend(start_finding(run, groups));
    findings.extend(copies_finding(run, groups));
    findings.extend(fastest_finding(run, groups));
    findings.extend(own_start_finding(run, groups));
    findings.extend(run.inputs.iter().filter_map(|input| first_run_finding(run, input)));
    findings.extend(run.machine.bogomips.map(|bogomips| {
        format!("Bogomips: {bogomips:.2}. They time an empty loop of the kernel and do not explain the figures above.")
    }));
    findings
}

/// What starting costs, and of whom it is the largest share.
fn start_finding(run: &Run, groups: &[Group]) -> Option<String> {
    let measured = || {
        let starts = run.cells.iter().filter(|result| is_start(&result.cell));
        starts.filter_map(|result| Some((name(result), Time::Real.estimate(result)?.median)))
    };
    let (quick, least) = measured().min_by(|one, other| one.1.total_cmp(&other.1))?;
    let (slow, most) = measured().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let mut text =
        format!("Starting a program takes {:.2} ms ({quick}) to {:.2} ms ({slow})", least * 1e3, most * 1e3);
    let shares = groups.first().into_iter().flat_map(|group| of_group(run, group));
    let shares = shares.filter_map(|result| Some((result, start_share(run, result)?)));
    if let Some((result, share)) = shares.max_by(|one, other| one.1.total_cmp(&other.1)) {
        let count = result.cell.copies.unwrap_or(1);
        text += &format!(
            ": for {} on {}, up to {} of the time",
            name(result),
            copies(count),
            figures::share(share)
        );
    }
    Some(text + ".")
}

/// What many copies in one file gain over one.
fn copies_finding(run: &Run, groups: &[Group]) -> Option<String> {
    let many = groups.last()?;
    let few = groups.iter().find(|group| group.effective == many.effective)?;
    let program = of_group(run, few).find(|result| result.cell.stage == Stage::Program)?;
    let same = of_group(run, many).find(|result| result.cell.program == program.cell.program)?;
    let times = same.figure?.median / program.figure?.median;
    (few.copies < many.copies && times.is_finite()).then(|| {
        format!(
            "With {} in one file, {} reaches {:.2} times the rate of {}.",
            copies(many.copies),
            name(program),
            times,
            copies(few.copies)
        )
    })
}

/// Which program digests fastest, and our engine beside it.
fn fastest_finding(run: &Run, groups: &[Group]) -> Option<String> {
    let group = groups.last()?;
    let is_digest = |result: &&CellResult| {
        DIGESTS.iter().any(|(program, _)| result.cell.program.as_deref() == Some(program))
    };
    let rate = |result: &CellResult| result.figure.map_or(0.0, |figure| figure.median);
    let fastest =
        of_group(run, group).filter(is_digest).max_by(|one, other| rate(one).total_cmp(&rate(other)))?;
    let (program, algorithm) =
        DIGESTS.iter().find(|(name, _)| fastest.cell.program.as_deref() == Some(name))?;
    let ours = of_group(run, group).find(|result| {
        result.cell.stage == Stage::Pipeline && result.cell.algorithm.as_deref() == Some(algorithm)
    });
    let beside = ours.map_or_else(String::new, |ours| {
        format!("; this engine computes the same in its process at {}", figures::rate(rate(ours)))
    });
    Some(format!(
        "The fastest program on {} is {program} with {}{beside}.",
        copies(group.copies),
        figures::rate(rate(fastest))
    ))
}

/// The same code started as a program and within one process.
fn own_start_finding(run: &Run, groups: &[Group]) -> Option<String> {
    let group = groups.first()?;
    let program = of_group(run, group).find(|result| result.cell.program.as_deref() == Some(OWN))?;
    let within = of_group(run, group).find(|result| {
        result.cell.stage == Stage::Pipeline && result.cell.algorithm.as_deref() == Some("sha256")
    })?;
    let (program, within) = (Time::Real.estimate(program)?.median, Time::Real.estimate(within)?.median);
    Some(format!(
        "This engine takes {:.2} ms for sha256 of {} as a separate program, and {:.2} ms within a running process.",
        program * 1e3,
        copies(group.copies),
        within * 1e3
    ))
}

fn first_run_finding(run: &Run, input: &InputFacts) -> Option<String> {
    let share = first_run_share(run, input)?;
    let first = input.first_run.as_ref()?;
    Some(format!(
        "The first run of {} on {} just written, a single one, reached {} of the rate of the later ones; it is in no figure.",
        first.program,
        copies(input.copies),
        figures::share(share)
    ))
}

/// Tables 1 and 2 of the paper, for one machine.
pub(crate) fn classic(run: &Run) -> String {
    let unknown = || "-".to_owned();
    let machine = &run.machine;
    let mut first = Table::new(
        "Table 1",
        &["name", "model", "arch", "cores", "max MHz", "maker", "RAM", "vintage", "bought"],
    );
    let clock = machine.processor.highest_clock_khz;
    first.rows.push(vec![
        // What made and sold a machine is not known to a run.
        run.host.clone().unwrap_or_else(unknown),
        machine.processor.name.clone(),
        machine.processor.architecture.clone(),
        machine.processor.cores.to_string(),
        clock.map_or_else(unknown, |khz| format!("{:.0}", khz as f64 / 1e3)),
        unknown(),
        machine.memory_bytes.map_or_else(unknown, figures::bytes),
        unknown(),
        unknown(),
    ]);
    let mut second = Table::new("Table 2: MB/s by wall time", &["", "this machine"]);
    let bogomips = machine.bogomips.map_or_else(unknown, |bogomips| format!("{bogomips:.2}"));
    second.rows.push(vec!["Bogomips".to_owned(), bogomips]);
    for result in
        run.cells.iter().filter(|result| result.cell.stage == Stage::Program && !is_start(&result.cell))
    {
        let (Some(copies), Some(effective)) = (result.cell.copies, effective_iterations(&result.cell)) else {
            continue;
        };
        let name = format!("{}_{copies}_{effective}", subject(&result.cell));
        let rate = result.figure.map_or_else(unknown, |figure| figures::digits(figure.median / 1e6));
        second.rows.push(vec![name, rate]);
    }
    second.notes = programs(run).notes;
    format!("{}\n{}", crate::terminal::table(&first), crate::terminal::table(&second))
}
