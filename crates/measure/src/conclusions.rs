//! What the figures of a check-up mean: each pipeline against its ceilings and the model, what limits it, what to do.

use crate::ceilings::{ALGORITHMS, READ_BLOCK_BYTES};
use crate::cell::{CacheState, Cell, Size, Stage};
use crate::run::Run;
use crate::statistics::Estimate;
use crate::warning::Warning;

/// A pipeline is limited by a stage if it reaches this share of the stage's ceiling.
const AT_CEILING: f64 = 0.85;

/// More of a ceiling than this is more than noise: the ceiling was disturbed.
pub(crate) const ABOVE_CEILING: f64 = 1.1;

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
    /// Cores that can digest at once: one for one file, unless the algorithm is a tree; all of them for many files.
    pub digesting_cores: usize,
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
    /// It cannot be determined: the pipeline was faster than the ceiling that it was held against.
    Disturbed,
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
        match self.share_of_ceiling() {
            share if share > ABOVE_CEILING => return Limit::Disturbed,
            share if share >= AT_CEILING => {}
            _ if takes_turns => return Limit::Turns,
            _ if !self.could_be_at_ceiling() => return Limit::Neither,
            _ => {}
        }
        match self.cell.cache {
            _ if self.digest_is_slower() => Limit::Digest,
            Some(CacheState::Cold) => Limit::Device,
            _ => Limit::Cache,
        }
    }

    /// Whether the figures are too uncertain to be sure of the limit: too few of them, or other values within their
    /// intervals would name another one.
    pub fn is_uncertain(&self) -> bool {
        let (read, digest) = (self.read_ceiling, self.digest_ceiling);
        let (Some(measured), Some(read_interval), Some(digest_interval)) =
            (self.measured.interval, read.interval, digest.interval)
        else {
            return true;
        };
        let other_may_be_slower = if self.digest_is_slower() {
            read_interval.0 < digest.median
        } else {
            digest_interval.0 < read.median
        };
        match self.limit() {
            Limit::Digest | Limit::Device | Limit::Cache => {
                other_may_be_slower || measured.0 < AT_CEILING * self.ceiling().median
            }
            Limit::Turns => measured.0 < AT_CEILING * self.model.rate(),
            Limit::Neither | Limit::Disturbed => false,
        }
    }

    /// Whether it is at its ceiling if the truth lies at the favourable ends of the intervals.
    fn could_be_at_ceiling(&self) -> bool {
        let (Some((_, most)), Some((least, _))) = (self.measured.interval, self.ceiling().interval) else {
            return false;
        };
        most / least >= AT_CEILING
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
    // One message is digested by one core at a time, unless the algorithm is a tree. Of many files each core has its own.
    let is_tree = hashlane_digest::Algorithm::named(algorithm).is_some_and(|algorithm| algorithm.has_tree());
    let is_of_many = cell.is_of_many_files();
    let digesting = if is_tree || is_of_many { cell.threads } else { 1 };
    let one = digest_ceiling(run, algorithm, digesting);
    let side_by_side = side_by_side_ceiling(run, algorithm, digesting).filter(|_| is_of_many);
    let digest_ceiling = side_by_side.or(one)?;
    let read_ceiling = read_ceiling(run, cell.cache?, digesting)?;
    let (read, digest) = (read_ceiling.median, digest_ceiling.median);
    // Where a tree or many files keep all cores at digesting, or there is one, none is left to copy from the page cache; a device needs
    // none.
    let takes_all_cores = cell.threads == 1 || is_tree || is_of_many;
    let model = if takes_all_cores && cell.cache != Some(CacheState::Cold) {
        Model::Turns(1.0 / (1.0 / read + 1.0 / digest))
    } else {
        Model::Overlap(read.min(digest))
    };
    let cell = cell.clone();
    Some(PipelineFigure { cell, measured, read_ceiling, digest_ceiling, digesting_cores: digesting, model })
}

/// The digest ceiling of an algorithm, one message a core, in bytes a second.
pub fn digest_ceiling(run: &Run, algorithm: &str, threads: usize) -> Option<Estimate> {
    run.find(|cell| is_ceiling(cell, algorithm, threads) && cell.messages.is_none())?.figure
}

/// The same of as many messages side by side as `sum` digests of many files; none where they are not side by side here.
pub fn side_by_side_ceiling(run: &Run, algorithm: &str, threads: usize) -> Option<Estimate> {
    run.find(|cell| is_ceiling(cell, algorithm, threads) && cell.messages.is_some())?.figure
}

fn is_ceiling(cell: &Cell, algorithm: &str, threads: usize) -> bool {
    cell.stage == Stage::Digest && cell.algorithm.as_deref() == Some(algorithm) && cell.threads == threads
}

/// The read ceiling, in bytes a second: of what is cached by that many threads in blocks of the usual size, of what is not by
/// whatever engine is fastest, since a device does not care who asks.
pub fn read_ceiling(run: &Run, cache: CacheState, threads: usize) -> Option<Estimate> {
    let right = |cell: &Cell| {
        cell.stage == Stage::Read
            && cell.cache == Some(cache)
            && cell.block_bytes == Some(READ_BLOCK_BYTES as u64)
            && (cache == CacheState::Cold || cell.threads == threads)
    };
    let figures = run.cells.iter().filter(|result| right(&result.cell)).filter_map(|result| result.figure);
    figures.max_by(|a, b| a.median.total_cmp(&b.median))
}

/// What the pipelines give cause to doubt in their ceilings.
pub fn doubts(pipelines: &[PipelineFigure]) -> Vec<Warning> {
    let above = pipelines.iter().filter(|figure| figure.share_of_ceiling() > ABOVE_CEILING);
    above
        .map(|figure| Warning::AboveCeiling {
            cell: figure.cell.to_string(),
            share: figure.share_of_ceiling(),
        })
        .collect()
}

/// The verdict: what limits this machine and what to do, in plain sentences.
pub fn verdict(run: &Run) -> Vec<String> {
    let all = pipelines(run);
    let widest = |cold: bool, is_of_many: bool| {
        let of = all.iter().filter(|figure| {
            (figure.cell.cache == Some(CacheState::Cold)) == cold
                && figure.cell.is_of_many_files() == is_of_many
                && figure.cell.algorithm.as_deref() == Some("sha256")
        });
        of.max_by_key(|figure| figure.cell.threads)
    };
    let (warm, many, cold) = (widest(false, false), widest(false, true), widest(true, false));
    let mut lines = Vec::new();
    match warm {
        Some(warm) => lines.push(limited_line(run, warm)),
        None => lines.extend(not_measured(run, false)),
    }
    match many {
        Some(many) => lines.push(many_line(run, many, warm)),
        None => lines.extend(many_not_measured(run)),
    }
    lines.extend(warm.and_then(|warm| about_the_algorithm(run, warm)));
    match cold {
        Some(cold) => lines.push(limited_line(run, cold)),
        None => lines.extend(not_measured(run, true)),
    }
    lines.extend(cold.and_then(|cold| about_the_device(run, cold)));
    if lines.is_empty() {
        lines.push("no measurement was completed; let it run longer".to_owned());
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

fn limited_line(run: &Run, figure: &PipelineFigure) -> String {
    let algorithm = figure.cell.algorithm.as_deref().unwrap_or_default();
    let file = match figure.cell.cache {
        Some(CacheState::Cold) => "a cold file",
        Some(CacheState::Warm) => "a warm file",
        _ => "a file just read",
    };
    let rate = gigabytes(figure.measured.median);
    let (what, share) = limit_in_words(run, figure);
    let colon = if what == REACHES { "" } else { ":" };
    format!("{algorithm} of {file} {what}{colon} {rate}, {share}{}", doubt(figure))
}

/// What a pipeline does where no limit can be named.
const REACHES: &str = "reaches";

/// What limits a pipeline, and how much of that it reaches.
fn limit_in_words(run: &Run, figure: &PipelineFigure) -> (&'static str, String) {
    let share = format!("{:.0} %", figure.share_of_ceiling() * 100.0);
    let digesting = cores(figure.digesting_cores);
    let verb = if figure.digesting_cores == 1 { "digests" } else { "digest" };
    let how = if figure.cell.messages.is_some_and(|messages| messages > 1) { " side by side" } else { "" };
    match figure.limit() {
        Limit::Digest => ("is limited by the digest", format!("{share} of what {digesting} {verb}{how}")),
        Limit::Device => ("is limited by the device", format!("{share} of what it reads")),
        Limit::Cache => ("is limited by copying from the page cache", format!("{share} of that")),
        Limit::Turns => (
            "is limited by cores taking turns at reading and digesting",
            format!("{:.0} % of what that allows", figure.share_of_model() * 100.0),
        ),
        Limit::Neither if run.machine.core_limit().is_some() => {
            (REACHES, format!("{share} of the slower stage alone; processor time is limited here"))
        }
        Limit::Neither => {
            (REACHES, format!("{share} of the slower stage alone, and neither stage explains it"))
        }
        Limit::Disturbed => {
            (REACHES, "more than its stages alone, which were disturbed; measure again".to_owned())
        }
    }
}

/// What `sum` of many files does, beside what it does with one.
fn many_line(run: &Run, many: &PipelineFigure, one: Option<&PipelineFigure>) -> String {
    let algorithm = many.cell.algorithm.as_deref().unwrap_or_default();
    let (files, rate) = (Size(many.cell.block_bytes.unwrap_or_default()), gigabytes(many.measured.median));
    let beside = one.filter(|one| one.cell.threads == many.cell.threads).map_or_else(String::new, |one| {
        format!(", {:.1} times as fast as one file", many.measured.median / one.measured.median)
    });
    let warm = if many.cell.cache == Some(CacheState::Warm) { "warm " } else { "" };
    let (what, share) = limit_in_words(run, many);
    let colon = if what == REACHES { "" } else { ":" };
    format!(
        "{algorithm} of many {warm}files of {files} comes to {rate} on {}{beside}; it {what}{colon} {share}{}",
        cores(many.cell.threads),
        doubt(many)
    )
}

fn many_not_measured(run: &Run) -> Option<String> {
    let reason = run.find(Cell::is_of_many_files)?.not_measured.as_deref()?;
    Some(format!("many files were not measured: {reason}"))
}

/// What keeps a limit from being sure, if anything does.
fn doubt(figure: &PipelineFigure) -> String {
    if !figure.is_uncertain() {
        return String::new();
    }
    let range = |estimate: &Estimate| {
        let (low, high) = estimate.interval?;
        Some(format!("{} to {}", gigabytes(low), gigabytes(high)))
    };
    let ranges = [range(&figure.measured), range(&figure.read_ceiling), range(&figure.digest_ceiling)];
    match ranges {
        [Some(measured), Some(read), Some(digest)] => {
            format!(" (not sure: this is {measured}, reading {read}, digesting {digest})")
        }
        _ => " (not sure: too few rounds)".to_owned(),
    }
}

fn not_measured(run: &Run, cold: bool) -> Option<String> {
    let of = |cell: &Cell| {
        cell.stage == Stage::Pipeline
            && !cell.is_of_many_files()
            && (cell.cache == Some(CacheState::Cold)) == cold
    };
    let reason = run.find(of)?.not_measured.as_deref()?;
    Some(format!("{} files were not measured: {reason}", if cold { "cold" } else { "warm" }))
}

/// What another algorithm would bring where the digest limits.
fn about_the_algorithm(run: &Run, warm: &PipelineFigure) -> Option<String> {
    let all = run.machine.processor.cores;
    let best = |algorithm: &str| Some(digest_ceiling(run, algorithm, all)?.median);
    let (sha256, blake3) = (best("sha256")?, best("blake3")?);
    (warm.limit() == Limit::Digest && blake3 > 1.2 * sha256).then(|| {
        format!(
            "if you can choose the algorithm: {} {} {} of blake3, {} of sha256",
            cores(all),
            if all == 1 { "digests" } else { "digest" },
            gigabytes(blake3),
            gigabytes(sha256)
        )
    })
}

/// Whether any algorithm would do where the device limits.
fn about_the_device(run: &Run, cold: &PipelineFigure) -> Option<String> {
    if cold.limit() != Limit::Device || cold.is_uncertain() {
        return None;
    }
    let slowest = ALGORITHMS
        .iter()
        .filter_map(|name| Some((name, digest_ceiling(run, name, 1)?.median)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let (name, rate) = slowest.filter(|(_, rate)| *rate > cold.read_ceiling.median)?;
    let rate = gigabytes(rate);
    Some(format!(
        "for cold files the algorithm does not matter: even {name} ({rate}) is faster than the device"
    ))
}

fn cores(count: usize) -> String {
    if count == 1 { "one core".to_owned() } else { format!("{count} cores") }
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
    use crate::cell::Unit;
    use crate::sample::CellResult;

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
            digesting_cores: 1,
            model,
        }
    }

    #[test]
    fn the_slower_stage_limits() {
        use CacheState::{Cold, Warm};
        assert_eq!(figure(2, Warm, 1.9, 9.0, 2.0).limit(), Limit::Digest);
        assert_eq!(figure(2, Cold, 0.5, 0.52, 2.0).limit(), Limit::Device);
        assert_eq!(figure(2, Warm, 8.8, 9.0, 20.0).limit(), Limit::Cache);
        assert_eq!(figure(1, Warm, 0.95, 2.0, 2.0).limit(), Limit::Turns);
        assert_eq!(figure(2, Warm, 1.0, 9.0, 2.0).limit(), Limit::Neither);
        assert_eq!(figure(2, Warm, 3.0, 9.0, 2.0).limit(), Limit::Disturbed);
        assert!(!figure(2, Warm, 1.9, 9.0, 2.0).is_uncertain());
    }

    #[test]
    fn many_files_are_held_against_many_messages_on_all_cores() {
        let brief = crate::testing::brief(".".as_ref());
        let study = crate::study::Underway::begin(crate::studies::check_up::STUDY, &brief, false);
        let mut run = study.finish(Vec::new(), crate::sampler::Ending::Complete);
        let mut add = |cell: Cell, rate: f64| {
            let mut result = CellResult::new(cell, Unit::BytesPerSecond);
            result.figure = Estimate::of(&[rate * 1e9; 7]);
            run.cells.push(result);
        };
        let sha256 = |stage, threads, messages| Cell {
            algorithm: Some("sha256".into()),
            messages,
            threads,
            ..Cell::new(stage)
        };
        add(sha256(Stage::Digest, 1, None), 2.0);
        add(sha256(Stage::Digest, 2, None), 4.0);
        add(sha256(Stage::Digest, 2, Some(16)), 10.0);
        for threads in [1, 2] {
            let block_bytes = Some(READ_BLOCK_BYTES as u64);
            let cache = Some(CacheState::Warm);
            add(Cell { cache, block_bytes, threads, ..Cell::new(Stage::Read) }, 10.0 * threads as f64);
        }
        let warm = |cell: Cell| Cell { cache: Some(CacheState::Warm), ..cell };
        add(warm(sha256(Stage::Pipeline, 2, None)), 1.9);
        let many = sha256(Stage::Pipeline, 2, Some(16));
        add(warm(Cell { block_bytes: Some(1 << 20), ..many }), 6.0);
        let of_many = pipelines(&run).into_iter().find(|of| of.cell.is_of_many_files()).expect("it is there");
        assert_eq!((of_many.digest_ceiling.median, of_many.digesting_cores), (10.0e9, 2));
        assert!(
            matches!(of_many.model, Model::Turns(rate) if (rate / 1e9 - 1.0 / (1.0 / 20.0 + 0.1)).abs() < 1e-9)
        );
        assert_eq!(of_many.limit(), Limit::Turns);
        assert_eq!(
            verdict(&run)[..2],
            [
                "sha256 of a warm file is limited by the digest: 1.90 GB/s, 95 % of what one core digests.",
                "sha256 of many warm files of 1 MiB comes to 6.00 GB/s on 2 cores, 3.2 times as fast as one file; it is \
                 limited by cores taking turns at reading and digesting: 90 % of what that allows."
            ]
        );
    }

    #[test]
    fn a_limit_that_other_values_within_the_intervals_would_change_is_not_sure() {
        let mut cold = figure(2, CacheState::Cold, 1.2, 1.6, 2.0);
        assert_eq!((cold.limit(), cold.is_uncertain()), (Limit::Neither, false));
        cold.read_ceiling.interval = Some((0.8e9, 1.9e9));
        assert_eq!((cold.limit(), cold.is_uncertain()), (Limit::Device, true));
        assert_eq!(
            doubt(&cold),
            " (not sure: this is 1.20 GB/s to 1.20 GB/s, reading 800 MB/s to 1.90 GB/s, digesting 2.00 GB/s to 2.00 GB/s)"
        );
        // The digest is slower by its median, and reading may be.
        let mut close = figure(2, CacheState::Cold, 1.9, 2.2, 2.0);
        assert_eq!((close.limit(), close.is_uncertain()), (Limit::Digest, false));
        close.read_ceiling.interval = Some((1.0e9, 3.0e9));
        assert!(close.is_uncertain());
        close.read_ceiling.interval = None;
        assert_eq!(doubt(&close), " (not sure: too few rounds)");
    }
}
