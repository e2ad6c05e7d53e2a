//! A check-up as tables, and what all studies say of machines and of cells without a figure.

use hashlane_measure::conclusions::{self, Limit};
use hashlane_measure::{BackendUse, CacheState, CellResult, Run, Stage, Unit};

use super::figures::{self, NONE};
use crate::tables::{Table, distinct};

/// All tables of a check-up.
pub(crate) fn tables(run: &Run) -> Vec<Table> {
    vec![memory(run), digests(run), reading(run), pipelines(run), small_files(run)]
}

/// The machine, a line for each fact.
pub fn machine(run: &Run) -> Vec<(String, String)> {
    let machine = &run.machine;
    let processor = &machine.processor;
    let mut facts = vec![("processor".to_owned(), processor.name.clone())];
    let names = [("run", &run.name), ("host", &run.host)];
    facts.extend(names.iter().filter_map(|(what, name)| Some(((*what).to_owned(), (*name).clone()?))));
    let mut add = |name: &str, fact: Option<String>| facts.extend(fact.map(|fact| (name.to_owned(), fact)));
    let cores = match processor.cores_of_machine {
        Some(all) if all != processor.cores => format!("{} of {all}", processor.cores),
        _ => processor.cores.to_string(),
    };
    add("cores", Some(cores));
    add("features", (!processor.features.is_empty()).then(|| processor.features.join(" ")));
    let caches: Vec<String> = processor
        .caches
        .iter()
        .filter(|cache| cache.kind != "instruction")
        .map(|cache| format!("L{} {}", cache.level, figures::block(cache.size_bytes)))
        .collect();
    add("caches", (!caches.is_empty()).then(|| caches.join(", ")));
    add("microcode", processor.microcode.clone());
    add("governor", processor.governor.clone());
    add("bogomips", machine.bogomips.map(|bogomips| format!("{bogomips:.2}")));
    add("memory", machine.memory_bytes.map(figures::bytes));
    add("limit of cores", machine.limits.cores.map(figures::digits));
    add("limit of memory", machine.limits.memory_bytes.map(figures::bytes));
    add("limit of address space", machine.limits.address_space_bytes.map(figures::bytes));
    add("huge pages", machine.huge_pages.clone());
    add("kernel", Some(machine.kernel.clone()));
    add("system", machine.system.clone());
    add("backends", backends(run));
    if let Some(place) = &run.place {
        let disk = [place.model.as_deref(), place.disk.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        let on = if disk.is_empty() { String::new() } else { format!(" ({disk})") };
        add("files in", Some(place.path.clone()));
        add("file system", Some(format!("{} on {}{on}, {}", place.file_system, place.mounted, place.medium)));
        add("mount options", Some(place.mount_options.clone()));
        add(
            "free space",
            Some(format!("{} of {}", figures::bytes(place.free_bytes), figures::bytes(place.size_bytes))),
        );
    }
    add("program", Some(run.program.clone()));
    facts
}

/// What decided how digests were computed, where it was not the fixed order.
fn backends(run: &Run) -> Option<String> {
    match &run.backend {
        BackendUse { forced: Some(backend), .. } => Some(format!("{backend}, as requested")),
        BackendUse { calibrated, .. } if calibrated.is_empty() => None,
        BackendUse { calibrated, .. } => {
            Some(format!("as measured on this CPU for {}", calibrated.join(", ")))
        }
    }
}

fn memory(run: &Run) -> Table {
    let mut table = Table::new("Memory", &["", "one core", "all cores", "MiB/s", "95 % interval"]);
    let rows = [
        ("read", Stage::MemoryRead, false),
        ("copy", Stage::MemoryCopy, false),
        ("XOR", Stage::MemoryRead, true),
    ];
    for (name, stage, xor) in rows {
        let of = |result: &&CellResult| result.cell.stage == stage && result.cell.algorithm.is_some() == xor;
        pair_row(&mut table, name, run.cells.iter().filter(of).collect());
    }
    table
}

/// One message beside many: what one file can come to, and what `sum` does with many.
fn digests(run: &Run) -> Table {
    let mut table = Table::new(
        "Digest ceilings, in the cache of each core: one message, and many side by side",
        &[
            "",
            "one, one core",
            "one, all cores",
            "many, one core",
            "many, all cores",
            "gain",
            "at once",
            "one by",
            "many by",
            "one, 95 % interval",
            "many, 95 % interval",
        ],
    );
    (table.words, table.details) = (vec![7, 8], vec![9, 10]);
    for name in hashlane_measure::check_up::ALGORITHMS {
        let of = |threads: Option<usize>, many: bool| {
            let is_it = |result: &&CellResult| {
                result.cell.stage == Stage::Digest
                    && result.cell.algorithm.as_deref() == Some(name)
                    && result.cell.messages.is_some() == many
                    && threads.is_none_or(|threads| result.cell.threads == threads)
            };
            run.cells.iter().filter(is_it).max_by_key(|result| result.cell.threads)
        };
        let (one, many) = (of(None, false), of(None, true));
        let Some(widest) = one else { continue };
        let rate = |result: Option<&CellResult>| result.map_or_else(|| NONE.to_owned(), figures::rate_of);
        let text = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
        let backend = |result: Option<&CellResult>| text(result.and_then(|of| of.cell.backend.clone()));
        let gain = || Some(many?.figure?.median / one?.figure?.median);
        let interval = |result: Option<&CellResult>| {
            text(result.and_then(|of| Some(figures::interval(&of.figure?, of.unit))))
        };
        table.rows.push(vec![
            name.to_owned(),
            rate(of(Some(1), false)),
            rate(one),
            rate(of(Some(1), true)),
            rate(many),
            text(gain().map(|gain| format!("{gain:.1}"))),
            text(many.and_then(|of| Some(of.cell.messages?.to_string()))),
            backend(one),
            backend(many),
            interval(one),
            interval(many),
        ]);
        table.notes.extend([Some(widest), many].into_iter().flatten().filter_map(reason));
    }
    if table.rows.iter().any(|row| row[6] != NONE) {
        table.notes.push(
            "many: messages side by side in the lanes of a core's vectors, as `sum` digests many files; gain: on all cores"
                .to_owned(),
        );
    }
    table
}

/// A row of the same cell on one core and on all; MiB/s and interval are those of the widest.
fn pair_row(table: &mut Table, name: &str, results: Vec<&CellResult>) {
    let narrow = results.iter().find(|result| result.cell.threads == 1);
    let wide = results.iter().max_by_key(|result| result.cell.threads);
    let Some(wide) = wide else { return };
    let rate = |result: Option<&&CellResult>| {
        result
            .and_then(|result| result.figure)
            .map_or_else(|| NONE.to_owned(), |figure| figures::rate(figure.median))
    };
    table.rows.push(vec![
        name.to_owned(),
        rate(narrow),
        rate(Some(wide)),
        wide.figure.map_or_else(|| NONE.to_owned(), |figure| figures::mebibytes(figure.median)),
        wide.figure.map_or_else(|| NONE.to_owned(), |figure| figures::interval(&figure, wide.unit)),
    ]);
    table.notes.extend(reason(wide));
}

fn reading(run: &Run) -> Table {
    let mut table = Table::new(
        "Reading and writing files",
        &["", "engine", "block", "in flight", "rate", "MiB/s", "95 % interval", "n"],
    );
    let of = |result: &&CellResult| matches!(result.cell.stage, Stage::Read | Stage::Write);
    for result in run.cells.iter().filter(of) {
        let cell = &result.cell;
        let cores = figures::cores(cell.threads);
        let name = match (&cell.stage, cell.cache) {
            (Stage::Write, _) => "write and sync".to_owned(),
            (_, Some(CacheState::Cold)) => "read, cold".to_owned(),
            (_, cache) => {
                format!("read, {}, {cores}", cache.map_or("?".to_owned(), |cache| cache.to_string()))
            }
        };
        let Some(figure) = result.figure else {
            table.notes.extend(reason(result));
            continue;
        };
        table.rows.push(vec![
            name,
            cell.engine.clone().unwrap_or_else(|| NONE.to_owned()),
            cell.block_bytes.map_or_else(|| NONE.to_owned(), figures::block),
            cell.depth.map_or_else(|| NONE.to_owned(), |depth| depth.to_string()),
            figures::rate(figure.median),
            figures::mebibytes(figure.median),
            figures::interval(&figure, result.unit),
            figure.n.to_string(),
        ]);
    }
    table.notes.dedup();
    let harness = run.find(|cell| cell.stage == Stage::Harness).and_then(|result| result.figure);
    if let Some(harness) = harness {
        let cost = figures::figure(harness.median, Unit::NanosecondsPerOperation);
        table.notes.push(format!(
            "the machinery alone takes {cost} per request (measured with an engine that reads nothing)"
        ));
    }
    table
}

fn pipelines(run: &Run) -> Table {
    let mut table = Table::new(
        &format!("Reading and digesting one large file{}", many_files(run)),
        &["", "rate", "of ceiling", "model", "of model", "limited by", "95 % interval"],
    );
    let known = conclusions::pipelines(run);
    for figure in &known {
        let cell = &figure.cell;
        let how = figures::cores(cell.threads);
        let cache = cell.cache.map_or_else(String::new, |cache| format!(", {cache}"));
        table.rows.push(vec![
            format!(
                "{}{}{cache}, {how}",
                cell.algorithm.as_deref().unwrap_or(NONE),
                if cell.is_of_many_files() { ", many files" } else { "" }
            ),
            figures::rate(figure.measured.median),
            figures::share(figure.share_of_ceiling()),
            figures::rate(figure.model.rate()),
            figures::share(figure.share_of_model()),
            format!("{}{}", limit(figure.limit()), if figure.is_uncertain() { " ?" } else { "" }),
            figures::interval(&figure.measured, Unit::BytesPerSecond),
        ]);
    }
    for result in run.cells.iter().filter(|result| result.cell.stage == Stage::Pipeline) {
        table.notes.extend(reason(result));
        let has_row = known.iter().any(|figure| figure.cell == result.cell);
        if let Some(figure) = result.figure.filter(|_| !has_row) {
            let rate = figures::rate(figure.median);
            table
                .notes
                .push(format!("{}: {rate}; a ceiling to compare it with was not measured", result.cell));
        }
    }
    table
}

/// `, and 384 files of 1 MiB`.
fn many_files(run: &Run) -> String {
    let many = run.find(hashlane_measure::Cell::is_of_many_files).map(|result| &result.cell);
    let count =
        |cell: &hashlane_measure::Cell| Some((cell.input_bytes? / cell.block_bytes?, cell.block_bytes?));
    let count = many.and_then(count);
    count.map_or_else(String::new, |(files, bytes)| {
        format!(", and {files} files of {}", figures::block(bytes))
    })
}

fn small_files(run: &Run) -> Table {
    let mut table = Table::new("Many small files", &["", "files", "rate", "MiB/s", "95 % interval", "n"]);
    for result in run.cells.iter().filter(|result| result.cell.stage == Stage::SmallFiles) {
        let (Some(figure), Some(sample)) = (result.figure, result.samples.first()) else {
            table.notes.extend(reason(result));
            continue;
        };
        let bytes_per_file = sample.work.bytes as f64 / sample.work.operations.max(1) as f64;
        table.rows.push(vec![
            format!(
                "{}{}",
                result.cell.algorithm.as_deref().unwrap_or(NONE),
                result.cell.cache.map_or_else(String::new, |cache| format!(", {cache}"))
            ),
            figures::figure(figure.median, result.unit),
            figures::rate(figure.median * bytes_per_file),
            figures::mebibytes(figure.median * bytes_per_file),
            figures::interval(&figure, result.unit),
            figure.n.to_string(),
        ]);
    }
    table
}

fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::Cache => "page cache",
        Limit::Device => "device",
        Limit::Digest => "digest",
        Limit::Disturbed => NONE,
        Limit::Neither => "neither stage",
        Limit::Turns => "taking turns",
    }
}

/// What has no figure, and why: for studies whose cells stand in many tables. Each reason is said once.
pub(crate) fn not_measured(run: &Run) -> Table {
    let without = || run.cells.iter().filter(|result| result.figure.is_none());
    let reasons = distinct(without().filter_map(|result| result.not_measured.as_deref()));
    let note = |why: &str| {
        let mut cells = without().filter(|result| result.not_measured.as_deref() == Some(why));
        let first = cells.next().map(|result| result.cell.to_string()).unwrap_or_default();
        match cells.count() {
            0 => format!("{first}: {why}"),
            more => format!("{first}, and {more} more: {why}"),
        }
    };
    Table { notes: reasons.into_iter().map(note).collect(), ..Table::new("Not measured", &[]) }
}

pub(crate) fn reason(result: &CellResult) -> Option<String> {
    Some(format!("{}: not measured: {}", result.cell, result.not_measured.as_deref()?))
}
