//! What the programs of the report printed: `run`, `reasonable`, `fast`, the tables of its questions, and that of Google
//! Benchmark.

use std::fmt::Write as _;

use hashlane_measure::input_output::{copies, is_block_write};
use hashlane_measure::{CacheState, Cell, CellResult, Run, Stage};

use super::measured;
use crate::run::figures::NONE;
use crate::run::google_benchmark;
use crate::run::tables::reason;
use crate::tables::Table;

/// All of it. Times are medians.
pub(crate) fn classic(run: &Run) -> String {
    let mut text = String::new();
    let is_run = |result: &&CellResult| is_block_write(result) || result.cell.stage == Stage::Pipeline;
    for result in measured(run, |_| true).filter(is_run) {
        text += &fields(result);
    }
    let mut tables =
        vec![by_block(run, "cached", false), by_block(run, "non-cached", true), calls(run), beside_dd(run)];
    tables.retain(Table::is_filled);
    for table in tables {
        text += &crate::terminal::table(&table);
        text.push('\n');
    }
    text += &google_benchmark::table(run);
    for note in run.cells.iter().filter_map(reason) {
        let _ = writeln!(text, "{note}");
    }
    text
}

/// The lines of one run of the program; its MB are MiB.
fn fields(result: &CellResult) -> String {
    let (Some(figure), Some(block), Some(bytes)) =
        (result.figure, result.cell.block_bytes, result.cell.input_bytes)
    else {
        return String::new();
    };
    let what = if result.cell.stage == Stage::Write { "Write" } else { "Read" };
    let mut text = String::new();
    let mut line = |name: &str, value: String| _ = writeln!(text, "{name:<14}: {value}");
    line("File name", result.cell.input.clone().unwrap_or_else(|| NONE.to_owned()));
    line("# of blocks", bytes.div_ceil(block).to_string());
    line("Blocks size", format!("{block} bytes"));
    line("Total size", format!("{bytes} bytes ({:.2} MB)", bytes as f64 / f64::from(1 << 20)));
    line(&format!("{what} time"), format!("{:.6} s", bytes as f64 / figure.median));
    let mebibytes = figure.median / f64::from(1 << 20);
    line(&format!("{what} speed"), format!("{:.2} B/s ({mebibytes:.2} MB/s)", figure.median));
    if result.cell.threads > 1 {
        line("Threads", result.cell.threads.to_string());
    }
    if let Some(xor) = &result.digest {
        line("XOR", xor.clone());
    }
    text.push('\n');
    text
}

fn by_block(run: &Run, title: &str, is_cold: bool) -> Table {
    let mut table = Table::new(&format!("Throughput, {title}"), &["block size", "B/s", "MB/s"]);
    let of = |cell: &Cell| {
        cell.stage == Stage::Read
            && cell.engine.as_deref() == Some(hashlane_measure::BLOCK_ENGINE)
            && cell.cache.is_some_and(|state| (state == CacheState::Cold) == is_cold)
    };
    for result in measured(run, of) {
        let (Some(figure), Some(block)) = (result.figure, result.cell.block_bytes) else { continue };
        let mebibytes = figure.median / f64::from(1 << 20);
        table.rows.push(vec![block.to_string(), format!("{:.2}", figure.median), format!("{mebibytes:.2}")]);
    }
    table
}

/// With a block of one byte, calls a second are bytes a second.
fn calls(run: &Run) -> Table {
    let mut table = Table::new("System calls", &["call", "calls/s"]);
    for result in measured(run, |cell| cell.stage == Stage::SystemCall) {
        let Some(figure) = result.figure else { continue };
        let name = result.cell.call.clone().unwrap_or_default();
        table.rows.push(vec![name, format!("{:.0}", 1e9 / figure.median)]);
    }
    table
}

fn beside_dd(run: &Run) -> Table {
    let mut table = Table::new("dd and this program, seconds", &["size in MB", "dd", "program"]);
    for (dd, own) in copies(run) {
        let (Some(of_dd), Some(of_own), Some(bytes)) = (dd.figure, own.figure, dd.cell.input_bytes) else {
            continue;
        };
        let seconds = |ns: f64| format!("{:.3}", ns / 1e9);
        table.rows.push(vec![
            format!("{:.0}", bytes as f64 / f64::from(1 << 20)),
            seconds(of_dd.median),
            seconds(of_own.median),
        ]);
    }
    table
}
