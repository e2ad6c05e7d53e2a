//! `bench speed`: a table and curves of rates over message sizes, and the table that hashbench printed.

use hashlane_measure::speed::{
    Cycles, cycles_per_byte, find, is_message, ns_per_message, subject, subjects_and_sizes,
};
use hashlane_measure::{Cell, CellResult, Run, Size, Unit};

use crate::charts::{Curve, MOST_SERIES, Series};
use crate::run::figures::{self, NONE};
use crate::run::tables::reason;
use crate::tables::{Table, distinct};
use crate::view::View;

pub(crate) fn view(run: &Run) -> View {
    let (subjects, sizes) = subjects_and_sizes(run);
    let mut tables: Vec<_> = subjects.iter().map(|name| table(run, name, &sizes)).collect();
    if let Some(last) = tables.last_mut() {
        last.notes.extend(remarks(run));
    }
    View {
        title: "Speed of digests by message size".to_owned(),
        findings: subjects.iter().filter_map(|name| finding(run, name, &sizes)).collect(),
        charts: Vec::new(),
        curves: curves(run, &subjects),
        tables,
    }
}

/// How messages of a name were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    side_by_side: bool,
    threads: usize,
}

impl Form {
    /// All that were measured of a name: one message after the other first, from the fewest threads.
    fn all(run: &Run, name: &str) -> Vec<Self> {
        let of_name = run.cells.iter().map(|result| &result.cell).filter(|cell| subject(cell) == Some(name));
        let form = |cell: &Cell| Some(Self { side_by_side: cell.messages? > 1, threads: cell.threads });
        let mut forms: Vec<_> = of_name.filter_map(form).collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    fn find<'a>(&self, run: &'a Run, name: &str, size: u64) -> Option<&'a CellResult> {
        find(run, name, size, self.threads, self.side_by_side)
    }

    /// The head of its column, which stands behind those of `others`.
    fn head(&self, run: &Run, others: &[Self]) -> String {
        let on = cores(run, self.threads);
        match self.side_by_side && others.iter().all(|other| !other.side_by_side) {
            true if self.threads == 1 => "side by side".to_owned(),
            true => format!("side by side, {on}"),
            false => on,
        }
    }
}

/// What `threads` threads are.
fn cores(run: &Run, threads: usize) -> String {
    match threads {
        1 => "one core".to_owned(),
        all if all == run.machine.processor.cores => "all cores".to_owned(),
        threads => format!("{threads} threads"),
    }
}

fn table(run: &Run, name: &str, sizes: &[u64]) -> Table {
    let forms = Form::all(run, name);
    let mut table = Table::new(&title(run, name), &[]);
    let of_name = run.cells.iter().filter(|result| subject(&result.cell) == Some(name));
    table.notes.extend(of_name.filter_map(reason));
    let Some((lead, others)) = forms.split_first() else { return table };
    let lead_head = lead.head(run, &[]);
    let head = ["message", "ns", lead_head.as_str(), "MiB/s", "95 % interval", "n", "CPU s/GB", "cycles/B"];
    table.head.extend(head.map(str::to_owned));
    table.details = vec![3, 5, 6];
    // Cycles are shown for each way of working once: on more threads they are hardly others.
    let has_cycles = |form: &Form| form.side_by_side && !lead.side_by_side && form.threads == lead.threads;
    for (at, form) in others.iter().enumerate() {
        table.head.push(form.head(run, &forms[..=at]));
        if has_cycles(form) {
            table.details.push(table.head.len());
            table.head.push("cycles/B".to_owned());
        }
    }
    for &size in sizes {
        if forms.iter().all(|form| form.find(run, name, size).is_none()) {
            continue;
        }
        let mut row = vec![Size(size).to_string()];
        row.extend(figures_of_one(lead.find(run, name, size), run));
        for form in others {
            let result = form.find(run, name, size);
            let cell = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
            row.push(cell(result.and_then(rate)));
            row.extend(has_cycles(form).then(|| cell(result.and_then(|result| cycles(result, run)))));
        }
        table.rows.push(row);
    }
    table
}

/// `sha256: one by sha-ni, 16 side by side by avx512`.
fn title(run: &Run, name: &str) -> String {
    let backend = |side_by_side| {
        let result = run.find(|cell| is_message(cell, name, side_by_side))?;
        Some((result.cell.messages?, result.cell.backend.clone()?))
    };
    let is_foreign = run.cells.iter().any(|result| result.cell.program.as_deref() == Some(name));
    if is_foreign {
        return format!("{name}: a function of a plugin, one message");
    }
    let one = backend(false).map(|(_, backend)| format!("one message by {backend}"));
    let many = backend(true).map(|(messages, backend)| format!("{messages} side by side by {backend}"));
    let both: Vec<_> = [one, many].into_iter().flatten().collect();
    if both.is_empty() { name.to_owned() } else { format!("{name}: {}", both.join(", ")) }
}

fn figures_of_one(result: Option<&CellResult>, run: &Run) -> [String; 7] {
    let figure = result.and_then(|result| result.figure);
    let cpu = result.and_then(|result| result.cpu_s_per_gb);
    [
        result.and_then(ns_per_message).map(figures::digits),
        result.and_then(rate),
        figure.map(|figure| figures::mebibytes(figure.median)),
        figure.map(|figure| figures::interval(&figure, Unit::BytesPerSecond)),
        figure.map(|figure| figure.n.to_string()),
        cpu.map(|cpu| figures::digits(cpu.median)),
        result.and_then(|result| cycles(result, run)),
    ]
    .map(|text| text.unwrap_or_else(|| NONE.to_owned()))
}

fn rate(result: &CellResult) -> Option<String> {
    Some(figures::rate(result.figure?.median))
}

fn cycles(result: &CellResult, run: &Run) -> Option<String> {
    cycles_per_byte(result, run).map(|(cycles, _)| figures::digits(cycles))
}

/// What holds for all tables.
fn remarks(run: &Run) -> Vec<String> {
    let whose = run.cells.iter().find_map(|result| cycles_per_byte(result, run));
    let cycles = match (whose, run.reference_cycles_per_second) {
        (Some((_, Cycles::OfCores)), _) => {
            "Cycles are those that the cores spent in user mode, according to their counters.".to_owned()
        }
        (Some((_, Cycles::OfClock)), Some(rate)) => format!(
            "Cycles are counted by the time stamp counter at {:.2} GHz, whatever the clock rate of the cores, whose own cycles \
             cannot be counted here.",
            rate / 1e9
        ),
        _ => "Cycles cannot be counted on this processor.".to_owned(),
    };
    let memory = "Each message is started, digested and finished; all are in memory, small ones in the caches. Side by side, \
                  they take at most 64 MiB per core.";
    vec![memory.to_owned(), cycles]
}

/// What one algorithm comes to.
fn finding(run: &Run, name: &str, sizes: &[u64]) -> Option<String> {
    let forms = Form::all(run, name);
    let lead = forms.first()?;
    let measured = |size: &u64| lead.find(run, name, *size).filter(|result| result.figure.is_some());
    let smallest = sizes.iter().find_map(measured)?;
    let best = |form: &Form| {
        let results = sizes.iter().filter_map(|size| form.find(run, name, *size));
        results.filter_map(|result| result.figure).map(|figure| figure.median).reduce(f64::max)
    };
    let long = best(lead)?;
    let how = match lead {
        Form { side_by_side: false, threads: 1 } => String::new(),
        lead => format!(", {}", lead.head(run, &[])),
    };
    let mut text = format!(
        "{name}{how}: a message of {} takes {} ns",
        Size(smallest.cell.block_bytes?),
        figures::digits(ns_per_message(smallest)?),
    );
    if sizes.len() > 1 {
        text += &format!(", the best rate of any size is {}", figures::rate(long));
    }
    let is_wide = |form: &&Form| form.side_by_side && !lead.side_by_side && form.threads == lead.threads;
    if let Some(many) = forms.iter().find(is_wide).and_then(best) {
        text += &format!(", side by side {}: {:.1} times as fast", figures::rate(many), many / long);
    }
    Some(text + ".")
}

fn curves(run: &Run, subjects: &[String]) -> Vec<Curve> {
    let curve = |title: &str, side_by_side: bool, subjects: &[String]| {
        let form =
            |name: &&String| Form::all(run, name).into_iter().find(|form| form.side_by_side == side_by_side);
        let forms: Vec<(&String, Form)> =
            subjects.iter().filter_map(|name| Some((name, form(&name)?))).collect();
        let series = forms.iter().filter_map(|(name, form)| {
            let of = |result: &&CellResult| {
                is_message(&result.cell, name, side_by_side) && result.cell.threads == form.threads
            };
            Series::of(name, run.cells.iter().filter(of))
        });
        let on = distinct(forms.iter().map(|(_, form)| cores(run, form.threads))).join(" or ");
        Curve {
            title: title.to_owned(),
            caption: format!("On {on}; the band is the 95 % interval."),
            series: series.filter(|series| series.points.len() > 1).collect(),
            ceilings: Vec::new(),
        }
    };
    let single =
        subjects.chunks(MOST_SERIES).map(|subjects| curve("One message after the other", false, subjects));
    let many = subjects.chunks(MOST_SERIES).map(|subjects| curve("Messages side by side", true, subjects));
    single.chain(many).collect()
}

/// The table that hashbench printed: whole KB a second of its hundred runs together, a row for each size.
pub(crate) fn classic(run: &Run) -> String {
    let (subjects, sizes) = subjects_and_sizes(run);
    let mut table = Table {
        title: "KB/s".to_owned(),
        head: std::iter::once(String::new()).chain(subjects.iter().cloned()).collect(),
        rows: Vec::new(),
        notes: vec![
            "As hashbench printed them: the bytes of one message divided by the time of 100, so 100 times less than the \
             rate. With whole clock ticks (1/1024 s and 10 ms then), a short time was 0 and its rate infinite; \
             here nanoseconds are counted, and figures below 1 keep their digits."
                .to_owned(),
        ],
        words: Vec::new(),
        details: Vec::new(),
    };
    for size in sizes {
        let figure = |name: &String| {
            // One core was all that the original knew.
            let rate = find(run, name, size, 1, false)?.figure?.median;
            Some(figures::digits(rate / 100.0 / 1e3))
        };
        let cells = subjects.iter().map(|name| figure(name).unwrap_or_else(|| NONE.to_owned()));
        table.rows.push(std::iter::once(classic_size(size)).chain(cells).collect());
    }
    crate::terminal::table(&table)
}

/// `100`, `1KB`: the original did not say of what its KB are; those of 1024 are written so as well.
fn classic_size(bytes: u64) -> String {
    match bytes {
        bytes if bytes % (1 << 20) == 0 => format!("{}MB", bytes >> 20),
        bytes if bytes % (1 << 10) == 0 => format!("{}KB", bytes >> 10),
        bytes if bytes % 1_000_000 == 0 => format!("{}MB", bytes / 1_000_000),
        bytes if bytes % 1_000 == 0 => format!("{}KB", bytes / 1_000),
        bytes => bytes.to_string(),
    }
}
