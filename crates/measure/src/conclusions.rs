//! What the figures of a check-up mean: each pipeline against its ceilings and the model, what limits it, what to do.

use crate::cell::{CacheState, Cell, Stage};
use crate::run::Run;
use crate::statistics::Estimate;

/// A pipeline is limited by a stage if it reaches this share of the stage's ceiling.
const AT_CEILING: f64 = 0.85;

/// A pipeline beside what it could be.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineFigure {
    /// The cell.
    pub cell: Cell,
    /// What was measured, in bytes a second.
    pub measured: Estimate,
    /// The read ceiling, in bytes a second.
    pub read_ceiling: Estimate,
    /// The digest ceiling, in bytes a second.
    pub digest_ceiling: Estimate,
    /// What the model allows, in bytes a second.
    pub model: Model,
}

/// How the two stages of a pipeline share its cores, and what that allows at best, in bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// They overlap: as fast as the slower one.
    Overlap(f64),
    /// Every core that reads also digests, one after the other: the times of both add up.
    Turns(f64),
}

/// What limits a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The digest.
    Digest,
    /// Reading from the device.
    Device,
    /// Reading from the page cache.
    Cache,
    /// Its cores do both in turns.
    Turns,
    /// None of the stages: it stays behind all of them.
    Neither,
}

impl PipelineFigure {
    /// The ceiling of the slower stage.
    pub fn ceiling(&self) -> Estimate {
        if self.digest_is_slower() { self.digest_ceiling } else { self.read_ceiling }
    }

    /// How much of the slower stage's ceiling it reaches, 1 for all of it.
    pub fn share_of_ceiling(&self) -> f64 {
        self.measured.median / self.ceiling().median
    }

    /// How much of the model it reaches.
    pub fn share_of_model(&self) -> f64 {
        self.measured.median / self.model.rate()
    }

    /// What limits it.
    pub fn limit(&self) -> Limit {
        let takes_turns = matches!(self.model, Model::Turns(_)) && self.share_of_model() >= AT_CEILING;
        if self.share_of_ceiling() < AT_CEILING {
            if takes_turns {
                return Limit::Turns;
            }
            if !self.is_uncertain() {
                return Limit::Neither;
            }
        }
        match self.cell.cache {
            _ if self.digest_is_slower() => Limit::Digest,
            Some(CacheState::Cold) => Limit::Device,
            _ => Limit::Cache,
        }
    }

    /// Whether only the width of the intervals allows that it is at its ceiling.
    pub fn is_uncertain(&self) -> bool {
        let (Some((_, most)), Some((least, _))) = (self.measured.interval, self.ceiling().interval) else {
            return false;
        };
        self.share_of_ceiling() < AT_CEILING && most / least >= AT_CEILING
    }

    fn digest_is_slower(&self) -> bool {
        self.digest_ceiling.median <= self.read_ceiling.median
    }
}

impl Model {
    /// Bytes a second.
    pub fn rate(self) -> f64 {
        match self {
            Self::Overlap(rate) | Self::Turns(rate) => rate,
        }
    }
}

/// The pipelines of a run whose ceilings are known.
pub fn pipelines(run: &Run) -> Vec<PipelineFigure> {
    let pipelines = run.cells.iter().filter(|result| result.cell.stage == Stage::Pipeline);
    pipelines.filter_map(|result| figure(run, &result.cell, result.figure?)).collect()
}

fn figure(run: &Run, cell: &Cell, measured: Estimate) -> Option<PipelineFigure> {
    let algorithm = cell.algorithm.as_deref()?;
    // One message is digested by one core at a time, unless the algorithm is a tree.
    let is_tree = hashlane_digest::Algorithm::named(algorithm).is_some_and(|algorithm| algorithm.has_tree());
    let digesting = if is_tree { cell.threads } else { 1 };
    let digest_ceiling = digest_ceiling(run, algorithm, digesting)?;
    let read_ceiling = read_ceiling(run, cell.cache?, digesting)?;
    let (read, digest) = (read_ceiling.median, digest_ceiling.median);
    // Where a tree keeps all cores at digesting, none is left to copy from the page cache; a device needs none.
    let no_core_is_left = cell.threads == 1 || is_tree && cell.cache == Some(CacheState::Warm);
    let model = if no_core_is_left {
        Model::Turns(1.0 / (1.0 / read + 1.0 / digest))
    } else {
        Model::Overlap(read.min(digest))
    };
    Some(PipelineFigure { cell: cell.clone(), measured, read_ceiling, digest_ceiling, model })
}

/// The digest ceiling of an algorithm, in bytes a second.
pub fn digest_ceiling(run: &Run, algorithm: &str, threads: usize) -> Option<Estimate> {
    let wanted = |cell: &Cell| {
        cell.stage == Stage::Digest && cell.algorithm.as_deref() == Some(algorithm) && cell.threads == threads
    };
    run.find(wanted)?.figure
}

/// The read ceiling, in bytes a second: of what is cached by so many threads, of what is not by whatever engine is
/// fastest, since a device does not care who asks.
pub fn read_ceiling(run: &Run, cache: CacheState, threads: usize) -> Option<Estimate> {
    let right = |cell: &Cell| {
        cell.stage == Stage::Read
            && cell.cache == Some(cache)
            && (cache == CacheState::Cold || cell.threads == threads)
    };
    let figures = run.cells.iter().filter(|result| right(&result.cell)).filter_map(|result| result.figure);
    figures.max_by(|a, b| a.median.total_cmp(&b.median))
}

/// The verdict: what limits this machine and what to do, in plain sentences.
pub fn verdict(run: &Run) -> Vec<String> {
    let all = pipelines(run);
    let widest = |cache| {
        let of = all.iter().filter(|figure| {
            figure.cell.cache == Some(cache) && figure.cell.algorithm.as_deref() == Some("sha256")
        });
        of.max_by_key(|figure| figure.cell.threads)
    };
    let mut lines = Vec::new();
    for (cache, files) in [(CacheState::Warm, "warm files"), (CacheState::Cold, "cold files")] {
        match widest(cache) {
            Some(figure) => lines.push(limited_line(figure, files)),
            None => lines.extend(not_measured(run, cache, files)),
        }
    }
    lines.extend(advice(run, widest(CacheState::Warm), widest(CacheState::Cold)));
    if lines.is_empty() {
        lines.push("nothing was measured to the end; let it run longer".to_owned());
    }
    lines.iter().map(|line| format!("{}.", capitalised(line))).collect()
}

/// Names of algorithms stay as they are.
fn capitalised(line: &str) -> String {
    let mut letters = line.chars();
    match letters.next() {
        Some(first) if !line.starts_with("sha") && !line.starts_with("blake") => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => line.to_owned(),
    }
}

fn limited_line(figure: &PipelineFigure, files: &str) -> String {
    let share = format!("{:.0} %", figure.share_of_ceiling() * 100.0);
    let of_model = figure.share_of_model() * 100.0;
    let algorithm = figure.cell.algorithm.as_deref().unwrap_or_default();
    let rate = gigabytes(figure.measured.median);
    let what = match figure.limit() {
        Limit::Digest => format!("is limited by the digest: {rate}, {share} of its ceiling"),
        Limit::Device => format!("is limited by the device: {rate}, {share} of what it reads"),
        Limit::Cache => format!("is limited by copying from the page cache: {rate}, {share} of that"),
        Limit::Turns => format!(
            "is limited by cores that read and digest in turns: {rate}, {of_model:.0} % of what that allows"
        ),
        Limit::Neither => format!(
            "reaches {rate}, {share} of the slower stage's ceiling; neither stage explains it, so look for other work \
             on this machine"
        ),
    };
    let doubt = match figure.ceiling().interval {
        Some((low, high)) if figure.is_uncertain() => {
            format!(
                ", as far as can be told while that is anything from {} to {}",
                gigabytes(low),
                gigabytes(high)
            )
        }
        _ => String::new(),
    };
    format!("{algorithm} of {files} {what}{doubt}")
}

fn not_measured(run: &Run, cache: CacheState, files: &str) -> Option<String> {
    let result = run.find(|cell| cell.stage == Stage::Pipeline && cell.cache == Some(cache))?;
    let reason = result.not_measured.as_deref()?;
    Some(format!("{files} were not measured: {reason}"))
}

fn advice(run: &Run, warm: Option<&PipelineFigure>, cold: Option<&PipelineFigure>) -> Vec<String> {
    let mut lines = Vec::new();
    let cores = run.machine.processor.cores;
    let best = |algorithm: &str| Some(digest_ceiling(run, algorithm, cores)?.median);
    if let (Some(warm), Some(sha256), Some(blake3)) = (warm, best("sha256"), best("blake3"))
        && warm.limit() == Limit::Digest
        && blake3 > 1.2 * sha256
    {
        lines.push(format!(
            "where the algorithm is yours to choose, blake3 digests {:.1} times as fast here ({} on {cores} cores)",
            blake3 / sha256,
            gigabytes(blake3)
        ));
    }
    if let Some(cold) = cold.filter(|cold| cold.limit() == Limit::Device) {
        let slowest = crate::check_up::ALGORITHMS
            .iter()
            .filter_map(|name| Some((name, digest_ceiling(run, name, 1)?.median)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((name, rate)) = slowest.filter(|(_, rate)| *rate > cold.read_ceiling.median) {
            lines.push(format!(
                "for cold files the algorithm does not matter: even {name} ({}) is faster than the device",
                gigabytes(rate)
            ));
        }
    }
    lines
}

fn gigabytes(bytes_per_second: f64) -> String {
    match bytes_per_second {
        rate if rate >= 9.995e9 => format!("{:.1} GB/s", rate / 1e9),
        rate if rate >= 1e9 => format!("{:.2} GB/s", rate / 1e9),
        rate => format!("{:.0} MB/s", rate / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures in GB/s.
    fn figure(threads: usize, cache: CacheState, measured: f64, read: f64, digest: f64) -> PipelineFigure {
        let estimate = |rate: f64| Estimate::of(&[rate * 1e9; 7]).expect("finite");
        let model = match threads {
            1 => Model::Turns(1e9 / (1.0 / read + 1.0 / digest)),
            _ => Model::Overlap(1e9 * read.min(digest)),
        };
        PipelineFigure {
            cell: Cell {
                algorithm: Some("sha256".into()),
                cache: Some(cache),
                threads,
                ..Cell::new(Stage::Pipeline)
            },
            measured: estimate(measured),
            read_ceiling: estimate(read),
            digest_ceiling: estimate(digest),
            model,
        }
    }

    #[test]
    fn the_slower_stage_limits_and_is_named() {
        use CacheState::{Cold, Warm};
        assert_eq!(figure(2, Warm, 1.9, 9.0, 2.0).limit(), Limit::Digest);
        assert_eq!(figure(2, Cold, 0.5, 0.52, 2.0).limit(), Limit::Device);
        assert_eq!(figure(2, Warm, 8.8, 9.0, 20.0).limit(), Limit::Cache);
        assert_eq!(figure(1, Warm, 0.95, 2.0, 2.0).limit(), Limit::Turns);
        assert_eq!(figure(2, Warm, 1.0, 9.0, 2.0).limit(), Limit::Neither);
        let line = limited_line(&figure(2, Warm, 1.92, 9.0, 2.0), "warm files");
        assert_eq!(line, "sha256 of warm files is limited by the digest: 1.92 GB/s, 96 % of its ceiling");
        let line = limited_line(&figure(2, Cold, 0.5, 0.5, 2.0), "cold files");
        assert_eq!(line, "sha256 of cold files is limited by the device: 500 MB/s, 100 % of what it reads");
    }

    #[test]
    fn what_only_wide_intervals_allow_is_said_to_be_in_doubt() {
        let mut cold = figure(2, CacheState::Cold, 1.2, 1.6, 2.0);
        assert_eq!((cold.limit(), cold.is_uncertain()), (Limit::Neither, false));
        cold.read_ceiling.interval = Some((0.8e9, 1.9e9));
        assert_eq!((cold.limit(), cold.is_uncertain()), (Limit::Device, true));
        assert_eq!(
            limited_line(&cold, "cold files"),
            "sha256 of cold files is limited by the device: 1.20 GB/s, 75 % of what it reads, as far as can be told while \
             that is anything from 800 MB/s to 1.90 GB/s"
        );
        assert!(!figure(2, CacheState::Cold, 1.5, 1.6, 2.0).is_uncertain());
    }
}
