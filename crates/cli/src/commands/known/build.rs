//! `hashlane known build`: an index of sets.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use hashlane_digest::Algorithm;
use hashlane_io::start_thread_in;
use hashlane_known::{Builder, Index};
use hashlane_manifest::ReadOptions;
use hashlane_report::{built_lines, rows_left_out, text};
use indicatif::ProgressBar;

use super::set::Set;
use super::{is_checksum, not_written};
use crate::args::{KnownBuildArgs, ProgressMode};
use crate::commands::bench::distinct;
use crate::inputs::sorting_memory;
use crate::manifests::{self, OptionNames};
use crate::output::{is_special, refuse_input, refused, shown};
use crate::partial::{self, AtomicFile, Existing};
use crate::status::{Status, usage};
use crate::terminal::bar::columns;
use crate::terminal::progress::Look;
use crate::terminal::screen::Screen;

/// How many rows go by between two looks at the clock.
const ROWS_BETWEEN: u64 = 1 << 14;

/// How often the bar moves while no row goes by.
const BAR_TICK: Duration = Duration::from_millis(200);

pub(super) fn run(args: &KnownBuildArgs) -> anyhow::Result<Status> {
    let screen = Screen::plain();
    refuse_input(Some(&args.output), args.sets.iter().map(|set| set.as_os_str()))?;
    // What a manifest has that does not tell; of one that does, digests of others are left out.
    let fallback = match args.algorithm[..] {
        [algorithm] => Some(algorithm),
        _ => None,
    };
    let options =
        ReadOptions { format: args.manifest_format, fallback, zero: args.zero, ..ReadOptions::default() };
    let called = OptionNames { task: "index", ..OptionNames::USUAL };
    let open = |name| Set::open(manifests::open(name)?, &options, called, &screen);
    let sets = args.sets.iter().map(|name| open(name.as_os_str()));
    let sets = sets.collect::<anyhow::Result<Vec<Set>>>()?;
    let algorithms = match args.algorithm.is_empty() {
        true => algorithms(&sets)?,
        false => args.algorithm.clone(),
    };
    refuse_other(&args.output)?;
    let file = partial::create(&args.output, &screen)?;
    let status = fill(args, &file, sets, &algorithms, &screen).inspect_err(|_| drop(file.discard()))?;
    file.put_in_place(Existing::Replaced).map_err(|error| partial::not_written(&error))?;
    if !args.quiet {
        let index = super::open_index(file.path().as_os_str())?;
        let bytes = file.file().metadata().map_or(0, |facts| facts.len());
        built_lines(&index, bytes, &shown(file.path())).iter().for_each(|line| screen.message(line));
    }
    Ok(status)
}

/// Only an index is written over, or nothing at all: what a list says may be nowhere else.
fn refuse_other(output: &Path) -> anyhow::Result<()> {
    let (Ok(facts), name) = (fs::metadata(output), shown(output)) else { return Ok(()) };
    if is_special(output) {
        let kind = facts.file_type();
        let what = match () {
            () if kind.is_dir() => "a directory",
            () if kind.is_fifo() => "a FIFO",
            () if kind.is_socket() => "a socket",
            () if kind.is_char_device() || kind.is_block_device() => "a device",
            () => "a name for an open file",
        };
        return Err(usage!("--output {name}: is {what}, which an index cannot replace; name another file"));
    }
    if facts.len() > 0 && !Index::is_index(manifests::open(output.as_os_str())?.beginning()) {
        return Err(usage!("--output {name}: exists and is not an index; name another file, or remove it"));
    }
    Ok(())
}

/// All algorithms of the sets but those that contents share by chance.
fn algorithms(sets: &[Set]) -> anyhow::Result<Vec<Algorithm>> {
    let mut algorithms = Vec::new();
    for set in sets {
        let of_set = set.algorithms();
        let (checksums, others): (Vec<_>, Vec<_>) = of_set.into_iter().partition(|&one| is_checksum(one));
        if let (Some(checksum), []) = (checksums.first(), &others[..]) {
            return Err(usage!(
                "{}: has digests of {checksum} only, which different contents share by chance; use them anyway with \
                 --algorithm {checksum}",
                set.shown()
            ));
        }
        algorithms.extend(others);
    }
    Ok(distinct(&algorithms))
}

/// Builds the index into the file.
fn fill(
    args: &KnownBuildArgs,
    file: &AtomicFile,
    sets: Vec<Set>,
    algorithms: &[Algorithm],
    screen: &Screen,
) -> anyhow::Result<Status> {
    let put = |error| not_written(Some(file.beside()), error);
    // It is ours, and locked, as long as this one is open: the builder closes its own.
    let file = file.file().try_clone().map_err(|error| refused(file.beside(), &error))?;
    let mut builder =
        Builder::new(file, algorithms, args.names, sorting_memory(args.memory as usize)).map_err(put)?;
    let mut status = Status::OK;
    let bar = bar(args.quiet);
    for set in sets {
        let shown = set.shown().to_owned();
        let met = |row: u64| {
            if row.is_multiple_of(ROWS_BETWEEN) {
                let row = format!(": row {}", text::count(row));
                // The clock takes 9 columns.
                let room = usize::from(columns()).saturating_sub(9 + row.len());
                bar.set_message(text::shortened(&shown, room) + &row);
                bar.tick();
            }
        };
        let rows = set.pour(&mut builder, put, met)?;
        screen.messages(rows_left_out(&rows, &shown).filter(|_| !args.quiet));
        if rows.bad > 0 {
            status |= Status::UNREADABLE;
        }
    }
    bar.set_message("sorting and writing");
    beside(&bar, || builder.finish()).map_err(put)?;
    bar.finish_and_clear();
    Ok(status)
}

/// Works, and moves the bar meanwhile if the system gives a thread for it.
fn beside<T>(bar: &ProgressBar, work: impl FnOnce() -> T) -> T {
    let (working, ended) = channel::<()>();
    let moves = move || {
        while ended.recv_timeout(BAR_TICK) == Err(RecvTimeoutError::Timeout) {
            bar.tick();
        }
    };
    thread::scope(|scope| {
        let _ = start_thread_in(scope, "bar", moves);
        let result = work();
        drop(working);
        result
    })
}

/// What shows how far it is, on a terminal.
fn bar(quiet: bool) -> ProgressBar {
    let look = Look::of(if quiet { ProgressMode::Never } else { ProgressMode::Auto });
    look.bar(None, "{elapsed_precise} {wide_msg}").unwrap_or_else(ProgressBar::hidden)
}
