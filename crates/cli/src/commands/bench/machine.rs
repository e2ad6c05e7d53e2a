//! `hashlane bench machine`.

use std::io;
use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_io::try_directory;
use hashlane_measure::Run;
use hashlane_measure::machine_study::{
    BLOCK_BYTES, COPIES, Corpus, DIGESTS, Host, ITERATIONS, MachineStudy, Outlook, Program, Sink,
    SysperfFile, is_foreign, sysperf_files,
};
use hashlane_report::run::counts::Counts;
use hashlane_report::text::{decimal, span, system};

use super::session::Session;
use super::{Budget, brief, check_directory, check_writable, distinct, not_studied, printed, reason};
use crate::args::{MachineArgs, Mode, SinkName};
use crate::output::shown;
use crate::status::{Ended, Status, unwritten, usage};

const BUDGET: Budget = Budget { usual_s: 150, quick_s: 16 };

pub(super) fn run(args: &MachineArgs) -> anyhow::Result<Status> {
    check_writable("--dir", &args.dir)?;
    if args.mode == Mode::InProcess && !args.programs.is_empty() {
        let what = "--programs: with --mode in-process no program is started; leave one of the two out";
        return Err(Ended::usage(what));
    }
    let mut study = study(args)?;
    check_iterations(&study)?;
    let host = Host::describe(&rustix::system::uname().nodename().to_string_lossy());
    if let Some(directory) = &args.sysperf_dir {
        check_directory("--sysperf-dir", directory)?;
        // Before minutes are spent: where results go has to take them.
        try_directory(directory).map_err(|error| cannot_be_written(directory, &error))?;
        let files = study.sysperf_names(&host).into_iter().map(|name| directory.join(name));
        if let Some(path) = files.into_iter().find(|path| is_foreign(path)) {
            return Err(usage!("--sysperf-dir: {}", in_the_way(&path)));
        }
    }
    let mut session = Session::begin(&args.study.results, args.study.progress, Some(&args.dir))?;
    if args.study.as_published {
        let outlook = study
            .outlook(&session.observer().stopper())
            .map_err(|error| usage!("--as-published: {}", reason(&error)))?;
        session.die_if_interrupted();
        session.screen().message(&announced(&study, &outlook));
        // The original measured everything once.
        if args.study.budget.is_none() {
            (study.brief.budget, study.most_rounds) = (outlook.round, Some(1));
        }
    }
    let measured = study.run(session.observer()).map_err(not_studied)?;
    let written = match &args.sysperf_dir {
        Some(directory) => write_files(&measured, &host, directory),
        None => Ok(()),
    };
    if let Some(directory) = args.sysperf_dir.as_ref().filter(|_| written.is_ok()) {
        session.screen().message(&format!("the sysperf files are in {}", shown(directory)));
    }
    let ended = session.end(&measured, |run| printed(run, &args.study), None);
    written.and(ended)
}

/// Whether any run is among the iterations at all: at least for the fewest copies.
fn check_iterations(study: &MachineStudy) -> anyhow::Result<()> {
    let (fewest, most) = (study.copies.iter().min(), study.iterations.iter().max());
    match (fewest, most) {
        (Some(fewest), Some(most)) if fewest > most => Err(usage!(
            "--iterations {most}: fewer than the {fewest} copies, so there would be no run; give {fewest} --iterations or \
             more, or fewer copies"
        )),
        _ => Ok(()),
    }
}

fn announced(study: &MachineStudy, outlook: &Outlook) -> String {
    format!(
        "as published: writes {}, has {} programs read {}, and takes about {} per round; a round that is stopped is lost",
        decimal(outlook.written_bytes as f64),
        study.programs.len(),
        decimal(outlook.read_bytes as f64),
        span(outlook.round)
    )
}

fn study(args: &MachineArgs) -> anyhow::Result<MachineStudy> {
    let (published, extent) = (args.study.as_published, args.study.extent());
    let brief = brief(&args.study, args.name.name.as_ref(), args.dir.clone(), BUDGET);
    let numbers = |given: &[Counts]| given.iter().flat_map(|counts| counts.0.clone()).collect::<Vec<_>>();
    let mode = if published { Mode::Programs } else { args.mode };
    let in_process = match mode {
        Mode::Programs => Vec::new(),
        _ => DIGESTS.iter().filter_map(|(_, algorithm)| Algorithm::named(algorithm)).collect(),
    };
    let backend = args.study.backends.forced.backend.map(|backend| backend.name());
    Ok(MachineStudy {
        programs: if mode == Mode::InProcess { Vec::new() } else { programs(args, backend) },
        in_process,
        corpus: corpus(&args.corpus)?,
        copies: COPIES.of(extent, &numbers(&args.copies)),
        may_be_fewer: args.copies.is_empty() && !published,
        iterations: ITERATIONS.of(extent, &numbers(&args.iterations)),
        sink: match args.sink {
            SinkName::Null => Sink::Null,
            SinkName::File => Sink::File,
        },
        most_rounds: None,
        brief,
    })
}

/// The programs; ours beside them, unless they were chosen.
fn programs(args: &MachineArgs, backend: Option<&str>) -> Vec<Program> {
    let published = args.study.as_published;
    let block_bytes = (!published).then_some(args.dd_block.map_or(BLOCK_BYTES, |bytes| bytes as u64));
    let chosen = distinct(&args.programs);
    let chosen = chosen.iter().map(String::as_str);
    let names: Vec<_> =
        if args.programs.is_empty() { Program::originals().collect() } else { chosen.collect() };
    let mut programs: Vec<_> =
        names.into_iter().filter_map(|name| Program::named(name, block_bytes)).collect();
    if !published && args.programs.is_empty() {
        programs.extend(std::env::current_exe().ok().map(|path| Program::own(path, backend)));
    }
    programs
}

fn corpus(wanted: &Path) -> anyhow::Result<Corpus> {
    match wanted.to_str() {
        Some("dictionary") => Corpus::dictionary().map_err(|error| {
            usage!(
                "{error}; on Debian and its derivatives, install the package wamerican; or use --corpus {}, --corpus random \
                 or --corpus FILE",
                Corpus::WORD_LIST
            )
        }),
        Some("random") => Ok(Corpus::random()),
        Some(Corpus::WORD_LIST) => Ok(Corpus::word_list()),
        _ => Corpus::file(wanted)
            .map_err(|error| usage!("--corpus {error}; name a file that is not empty, or use random")),
    }
}

/// Writes the files of sysperf; what was measured before stays, as its scripts would have it.
fn write_files(run: &Run, host: &Host, directory: &Path) -> anyhow::Result<()> {
    if run.cells.iter().all(|result| result.figure.is_none()) {
        return Ok(());
    }
    let files = sysperf_files(run, host);
    let place = |file: &SysperfFile| directory.join(&file.name);
    // Somebody may have put something there meanwhile: then all stays as it is.
    if let Some(path) = files.iter().map(place).find(|path| is_foreign(path)) {
        return Err(Ended::output(in_the_way(&path)));
    }
    for file in &files {
        file.write(directory).map_err(|error| cannot_be_written(&place(file), &error))?;
    }
    Ok(())
}

fn in_the_way(path: &Path) -> String {
    format!(
        "{}: exists and is not a sysperf file; name another directory with --sysperf-dir, or remove it",
        shown(path)
    )
}

fn cannot_be_written(path: &Path, error: &io::Error) -> anyhow::Error {
    unwritten!(
        "{}: {}: the sysperf files cannot be written; name another directory with --sysperf-dir",
        shown(path),
        system(error)
    )
}
