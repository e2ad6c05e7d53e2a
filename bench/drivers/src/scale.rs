//! `cargo xtask scale`: manifests of ten million lines, sets of as many contents, catalogues of as many files: rates, and the memory
//! that must not grow with them.
//!
//! Nothing is read from a disk where a pipe will do: inputs are made while they are read, and the rate of a core is taken from
//! the processor time of the program that reads.

mod audits;
mod diff;
mod items;
mod lines;
mod made_up;
mod moved;
mod rows;
mod runs;
mod tables;
mod turns;
mod watchers;
mod years;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use hashlane_measure::Place;
use serde::Serialize;

use crate::figures::{Record, text};
use crate::{records, shipped};
use xtask::cargo::target_directory;

/// Options of `scale`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these parts
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Lines of the manifests, rows of the sets, and files of the catalogue that are made up
    #[arg(long, default_value_t = 10_000_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    rows: u64,
    /// Small files that are audited: 5 kB of disk each
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    small_files: u64,
    /// Files of 1 MiB that are audited from the page cache
    #[arg(long, default_value_t = 8000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    large_files: u64,
    /// Measured rounds, where programs take turns
    #[arg(long, default_value_t = 9, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Where inputs are made and removed again: 450 bytes a row [default: target/scale]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write bench/records/DATE-MACHINE-scale.json and .md
    #[arg(long)]
    record: bool,
    /// Only audit files that have moved, in this process
    #[arg(long, hide = true, requires = "dir")]
    moved: bool,
    /// Only one stage of a catalogue whose files are made up, in this process
    #[arg(long, hide = true, requires = "dir")]
    stage: Option<items::Stage>,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    /// The memory of records that have to be held
    Held,
    /// The memory of an audit of files that have all moved
    Moved,
    /// An index of known contents: building it, looking digests up
    Known,
    /// Comparing manifests, in order and out of order
    Diff,
    /// Starting as sha256sum
    Start,
    /// check against sum
    Check,
    /// Audits of many small files against sum
    AuditSmall,
    /// Audits of files of 1 MiB against sum
    AuditLarge,
    /// Audits of files that lie on the device alone against sum
    AuditCold,
    /// Audits, status and reports of as many files as there are rows, which are made up
    AuditItems,
    /// Pages of the feed of as many events as there are rows
    Events,
    /// The state of a hundred collections of as many files as there are rows
    Status,
    /// Writing and reading tables of Parquet
    Tables,
    /// A first audit of many small files, made up, with readers beside it. It and the next run in this process: last, for what they take
    /// counts towards programs that are started afterwards
    Readers,
    /// Reading manifests
    Lines,
}

/// What is to be known of the figures.
#[derive(Debug, Serialize)]
struct About {
    rows: u64,
    place: Option<Place>,
}

/// Builds, and then measures in a process of the shipped build. True if every bar is met.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if let (true, Some(directory)) = (options.moved, &options.dir) {
        return moved::audit(directory, options.rows).map(|()| true);
    }
    if let (Some(stage), Some(directory)) = (options.stage, &options.dir) {
        return items::stage(stage, directory, options.rows).map(|()| true);
    }
    if options.measuring {
        return options.measure();
    }
    shipped::build_and_measure(true, &[])
}

impl Options {
    fn measure(&self) -> Result<bool> {
        let hashlane = shipped::command()?;
        let directory = match &self.dir {
            Some(directory) => directory.clone(),
            None => target_directory()?.join("scale"),
        };
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let scratch = tempfile::tempdir_in(&directory).context("cannot make a temporary directory")?;
        let mut figures = Vec::new();
        for &part in Part::value_variants() {
            if !self.only.is_empty() && !self.only.contains(&part) {
                continue;
            }
            let found = match part {
                Part::Lines => lines::reading(self.rows, self.rounds)?,
                Part::Tables => tables::written_and_read(&hashlane, scratch.path(), self.rows, self.rounds)?,
                Part::Held => runs::held(&hashlane, scratch.path(), self.rows)?,
                Part::Moved => moved::all_moved(scratch.path(), self.rows)?,
                Part::Known => runs::known(&hashlane, scratch.path(), self.rows)?,
                Part::Diff => diff::comparing(&hashlane, scratch.path(), self.rows)?,
                Part::Start => turns::start(&hashlane, scratch.path(), self.rounds)?,
                Part::Check => turns::check(&hashlane, scratch.path(), self.rounds)?,
                Part::AuditSmall => audits::small(&hashlane, scratch.path(), self.small_files, self.rounds)?,
                Part::AuditLarge => audits::large(&hashlane, scratch.path(), self.large_files, self.rounds)?,
                Part::AuditCold => audits::cold(&hashlane, scratch.path(), self.rounds)?,
                Part::AuditItems => items::made_up(&hashlane, scratch.path(), self.rows, self.rounds)?,
                Part::Events => watchers::feed(&hashlane, scratch.path(), self.rows, self.rounds)?,
                Part::Status => watchers::status(&hashlane, scratch.path(), self.rows, self.rounds)?,
                Part::Readers => watchers::readers(scratch.path(), self.small_files, self.rounds)?,
            };
            eprint!("{}", text(&found));
            figures.extend(found);
        }
        let about = About { rows: self.rows, place: records::place(&directory).ok() };
        let record = Record::new("hashlane-scale/1", self.command(), about, figures);
        let title = format!("Manifests, sets and catalogues of {} rows", self.rows);
        record.conclude(&title, self.record.then_some("scale"))
    }
}

impl Options {
    /// The command line that measures the same.
    fn command(&self) -> String {
        let mut command = format!("cargo xtask scale --rows {} --rounds {}", self.rows, self.rounds);
        command += &format!(" --small-files {} --large-files {}", self.small_files, self.large_files);
        for (number, part) in self.only.iter().filter_map(|part| part.to_possible_value()).enumerate() {
            command += if number == 0 { " --only " } else { "," };
            command += part.get_name();
        }
        command
    }
}
