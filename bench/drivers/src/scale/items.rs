//! A catalogue of ten million files: audits, status, reports, and what a file takes.
//!
//! No disk holds ten million files for a measurement, so they are made up. Each audit has a process of its own, whose peak is that of
//! the audit; what people type is timed as they type it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use hashlane_auditor::{AuditOptions, Ground, Outcome, audit};
use hashlane_catalog::{Terms, Verdict, Writer};
use hashlane_engine::{Control, Options};
use hashlane_measure::statistics::Estimate;

use super::made_up::MadeUp;
use super::runs::{MIB, Used, run};
use super::years;
use crate::figures::{Bound, Figure};
use crate::sizes::has_room;

/// What audits of ten million files may take (the bars).
const FIRST_AT_MOST_S: f64 = 180.0;
const UNCHANGED_AT_MOST_S: f64 = 60.0;
const MOST_MIB: f64 = 256.0;

/// What opening the catalogue and telling its state may take, and a report of ten million files (the bars).
const STATUS_AT_MOST_S: f64 = 1.0;
const REPORT_AT_MOST_S: f64 = 5.0;

/// What a file may take among ten million, for each byte that it takes among a hundredth of them (the bar).
const MOST_COSTLIER: f64 = 1.3;

/// What a file may take in the catalogue besides its name, with a digest of 32 bytes (the bar).
const MOST_BYTES: f64 = 160.0;

/// The number of files. With fewer, the bars on times shrink with them.
const BARRED_FILES: u64 = 10_000_000;

/// How many files fewer those have that the cost of one is compared with.
const FEWER: u64 = 100;

/// Of this many files one has a finding when a report is made: 100,000 of ten million.
pub(super) const FINDING_EVERY: u64 = 100;

/// What a file takes on the disk meanwhile: its row, its log, what an audit keeps of it, a copy.
const ON_DISK: u64 = 400;

/// What the collection is called.
pub(super) const NAME: &str = "made-up";

/// What happens to the catalogue, each in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Stage {
    /// The first audit, which registers all files.
    First,
    /// An audit of all files. None has changed.
    Unchanged,
    /// Ten years of nights, up to forty days ago.
    Years,
    /// The forty nights since.
    Nights,
    /// One more night, which finds something in a hundredth of the files.
    Findings,
}

/// Where the catalogue of a directory lies.
pub(super) fn catalogue(directory: &Path) -> PathBuf {
    directory.join("catalog.sqlite")
}

/// Does what a stage is, in this process.
pub(super) fn stage(stage: Stage, directory: &Path, files: u64) -> Result<()> {
    match stage {
        Stage::First => one_audit(directory, files, Verdict::Registered),
        Stage::Unchanged => one_audit(directory, files, Verdict::Ok),
        Stage::Years => years::pass(&catalogue(directory)),
        Stage::Nights => years::go_on(&catalogue(directory)),
        Stage::Findings => years::find(&catalogue(directory)),
    }
}

/// An audit of all files. Each is to get this verdict.
fn one_audit(directory: &Path, files: u64, verdict: Verdict) -> Result<()> {
    let mut catalog = Writer::open_or_make(&catalogue(directory))?;
    if verdict == Verdict::Registered {
        let mut terms = Terms::new(NAME, "/made-up");
        terms.period_s = Some(years::PERIOD_S);
        catalog.add_collection(&terms, jiff::Timestamp::now().as_second())?;
    }
    let collection = catalog.collection(NAME)?;
    let mut options = AuditOptions::new("driver");
    options.scope = hashlane_auditor::Scope::All;
    options.scratch = directory.to_path_buf();
    let made_up = Rc::new(MadeUp::new(files).context("sha256 is registered")?);
    let engine = Options::new(collection.terms.algorithms.clone().into());
    let ground = Ground::new(&catalog, &collection, made_up, engine)?;
    let control = Arc::new(Control::new());
    let audited = audit(&mut catalog, &collection, &ground, &options, &control, &mut |_| Ok(()))?;
    let judged = audited.counts.of(verdict);
    ensure!(audited.outcome == Outcome::Complete, "the audit ended as {:?}", audited.outcome);
    ensure!(
        judged == files && audited.files == files,
        "{judged} of {files} files are {}",
        verdict.name_in_collection()
    );
    eprintln!(
        "{files} files are {}: listed in {:.1} s, read in {:.1} s",
        verdict.name_in_collection(),
        audited.listing_time.as_secs_f64(),
        audited.reading_time.as_secs_f64()
    );
    Ok(())
}

/// Measures all stages over that many files, with the shipped program where people would type it.
pub(super) fn made_up(hashlane: &Path, scratch: &Path, files: u64, rounds: u32) -> Result<Vec<Figure>> {
    has_room(scratch, files * ON_DISK)?;
    let few = Measured::audits(&scratch.join("few"), (files / FEWER).max(1000), rounds)?;
    fs::remove_dir_all(scratch.join("few"))?;
    let directory = scratch.join("many");
    let many = Measured::audits(&directory, files, 1)?;
    let mut figures = many.figures(&few);
    let typed = Typed { hashlane, catalogue: catalogue(&directory), rounds };
    figures.push(typed.size(files)?);
    figures.push(typed.status("with two audits")?);
    for (stage, what) in [
        (Stage::Years, "with ten years of nights, all files late"),
        (Stage::Nights, "with ten years of nights"),
        (Stage::Findings, "with ten years of nights, findings in a hundredth"),
    ] {
        in_process(stage, &directory, files)?;
        figures.push(typed.status(what)?);
    }
    figures.extend(typed.report(files)?);
    fs::remove_dir_all(&directory)?;
    Ok(figures)
}

/// Runs a stage in a process of its own.
fn in_process(stage: Stage, directory: &Path, files: u64) -> Result<Used> {
    let mut command = process(stage, directory, files)?;
    let used = run(&mut command, |_| Ok(()))?;
    ensure!(used.code == Some(0), "{command:?} ended with {:?}", used.code);
    eprintln!("{} of {files} files: {:.1} s", command_name(stage)?, used.wall_s);
    Ok(used)
}

/// The command of a stage.
pub(super) fn process(stage: Stage, directory: &Path, files: u64) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("cannot tell which program this is")?);
    let name = command_name(stage)?;
    command.args(["scale", "--stage", &name, "--rows", &files.to_string(), "--dir"]).arg(directory);
    Ok(command)
}

fn command_name(stage: Stage) -> Result<String> {
    Ok(stage.to_possible_value().context("every stage has a name")?.get_name().to_owned())
}

/// What first and unchanged audits of some files took.
struct Measured {
    files: u64,
    first: Vec<Used>,
    unchanged: Vec<Used>,
}

impl Measured {
    /// Audits in turns. The catalogue of the last one stays.
    fn audits(directory: &Path, files: u64, rounds: u32) -> Result<Self> {
        let mut measured = Self { files, first: Vec::new(), unchanged: Vec::new() };
        for _ in 0..rounds {
            let _ = fs::remove_dir_all(directory);
            fs::create_dir_all(directory)?;
            measured.first.push(in_process(Stage::First, directory, files)?);
            measured.unchanged.push(in_process(Stage::Unchanged, directory, files)?);
        }
        Ok(measured)
    }

    /// `few`: the same over fewer files.
    fn figures(&self, few: &Self) -> Vec<Figure> {
        let mut figures = Vec::new();
        let share = self.files as f64 / BARRED_FILES as f64;
        for (name, many, few, files_of_few, most_s) in [
            ("first audit", &self.first, &few.first, few.files, FIRST_AT_MOST_S),
            ("unchanged audit", &self.unchanged, &few.unchanged, few.files, UNCHANGED_AT_MOST_S),
        ] {
            let what = format!("{} made-up files, {name}", self.files);
            let each = |of: fn(&Used) -> f64| many.iter().map(of).collect::<Vec<_>>();
            let peaks = each(|used| used.peak_bytes as f64 / MIB);
            let bar_s = most_s * share.min(1.0);
            let cost = |used: &[Used], files: u64, of: fn(&Used) -> f64| {
                used.iter().map(|used| of(used) * 1e6 / files as f64).collect::<Vec<_>>()
            };
            let a_file = format!("{what}: a file");
            let dear = Figure::new(a_file, "µs", cost(many, self.files, |used| used.wall_s));
            let a_file = format!("{files_of_few} made-up files, {name}: a file");
            let cheap = Figure::new(a_file, "µs", cost(few, files_of_few, |used| used.wall_s));
            let ratio = dear.median().zip(cheap.median()).map(|(dear, cheap)| dear / cheap);
            let worked = |used: &[Used], files| {
                Estimate::of(&cost(used, files, |used| used.processor_s)).map(|estimate| estimate.median)
            };
            let worked = worked(many, self.files).zip(worked(few, files_of_few));
            figures.extend([
                Figure::new(&what, "s", each(|used| used.wall_s)).with_bar(Bound::AtMost, bar_s),
                Figure::new(format!("{what}: processor time"), "s", each(|used| used.processor_s)),
                Figure::new(format!("{what}: peak memory"), "MiB", peaks).with_bar(Bound::AtMost, MOST_MIB),
                dear,
                cheap,
                Figure::new(
                    format!("{name}: a file among many by one among few"),
                    "times",
                    ratio.into_iter().collect(),
                )
                .with_bar(Bound::AtMost, MOST_COSTLIER),
                Figure::new(
                    format!("{name}: the same, by processor time"),
                    "times",
                    worked.map(|(dear, cheap)| dear / cheap).into_iter().collect(),
                ),
            ]);
        }
        figures
    }
}

/// Commands as people type them, over a catalogue.
struct Typed<'a> {
    hashlane: &'a Path,
    catalogue: PathBuf,
    rounds: u32,
}

impl Typed<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.hashlane);
        command.args(arguments).env("HASHLANE_CATALOG", &self.catalogue);
        command
    }

    /// What a file takes in the catalogue once that is compact: all tables and indexes, without the names.
    fn size(&self, files: u64) -> Result<Figure> {
        let used = run(&mut self.command(&["catalog", "compact"]), |_| Ok(()))?;
        ensure!(used.code == Some(0), "catalog compact ended with {:?}", used.code);
        let names = MadeUp::new(files).context("sha256 is registered")?.name_bytes();
        let bytes = fs::metadata(&self.catalogue)?.len();
        let besides = (bytes as f64 - names as f64) / files as f64;
        Ok(Figure::new(
            "the catalogue, compact: a file besides its name, with one digest of 32 bytes",
            "B",
            vec![besides],
        )
        .with_bar(Bound::AtMost, MOST_BYTES))
    }

    /// How long it takes to show the state of all collections, from the start of the program to its end.
    fn status(&self, what: &str) -> Result<Figure> {
        let mut samples = Vec::new();
        for _ in 0..self.rounds {
            let used = run(&mut self.command(&["status"]), |_| Ok(()))?;
            ensure!(used.code == Some(0), "status ended with {:?}", used.code);
            samples.push(used.wall_s);
        }
        Ok(Figure::new(format!("open and status, {what}"), "s", samples)
            .with_bar(Bound::AtMost, STATUS_AT_MOST_S))
    }

    /// A report for programs.
    fn report(&self, files: u64) -> Result<Vec<Figure>> {
        let output = self.catalogue.with_file_name("report.json");
        let (mut walls, mut peaks) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            let _ = fs::remove_file(&output);
            let mut command = self.command(&["collection", "report", NAME, "--format", "json", "--output"]);
            let used = run(command.arg(&output), |_| Ok(()))?;
            ensure!(used.code == Some(0), "collection report ended with {:?}", used.code);
            walls.push(used.wall_s);
            peaks.push(used.peak_bytes as f64 / MIB);
        }
        let what = format!("collection report, {} findings in {files} files", files / FINDING_EVERY);
        Ok(vec![
            Figure::new(&what, "s", walls).with_bar(Bound::AtMost, REPORT_AT_MOST_S),
            Figure::new(format!("{what}: peak memory"), "MiB", peaks),
        ])
    }
}
