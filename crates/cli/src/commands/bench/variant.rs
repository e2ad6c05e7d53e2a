//! `hashlane bench variant`.

use std::path::{Path, PathBuf};

use hashlane_measure::ProgramError;
use hashlane_measure::variant::{Compared, Finder, Inputs, SIZES, Variant, Variants, shell_syntax};
use hashlane_record::masked_text;
use hashlane_report::text::counted;

use super::session::Session;
use super::{Budget, brief, check_directory, check_writable, not_studied, printed};
use crate::args::VariantArgs;
use crate::output::shown;
use crate::status::{Ended, Status, unreadable, usage};

const BUDGET: Budget = Budget { usual_s: 120, quick_s: 15 };

/// Rounds that give an interval.
const ROUNDS: u64 = 7;

pub(super) fn run(args: &VariantArgs) -> anyhow::Result<Status> {
    let variants = variants(args)?;
    let reads_files = args.command.is_empty();
    if reads_files {
        check_writable("--dir", &args.dir)?;
    }
    let directory = reads_files.then_some(args.dir.as_path());
    let mut session = Session::begin(&args.study.results, args.study.progress, directory)?;
    for variant in variants.iter().filter(|variant| variant.setup.is_some()) {
        session.screen().message(&format!("{}: setting up", variant.name));
        if let Err(error) = variant.set_up(args.timeout, session.observer().stopper()) {
            session.die_if_interrupted();
            let which = match (&error, &variant.setup) {
                (ProgramError::Failed { .. }, Some(setup)) => format!("--setup `{setup}` "),
                _ => String::new(),
            };
            return Err(usage!("{}: {which}{error}", variant.name));
        }
    }
    let sizes = SIZES.of(args.study.extent(), &args.sizes);
    if args.study.as_published {
        let written: u64 = sizes.iter().sum();
        session.screen().message(&format!(
            "as published: writes {:.1} GB, and has each variant read that at least {} times, for at most {} s after that",
            written as f64 / 1e9,
            ROUNDS + 1,
            BUDGET.of(args.study.budget, args.study.quick).as_secs()
        ));
    }
    let study = Variants {
        brief: brief(&args.study, args.run_name.as_ref(), args.dir.clone(), BUDGET),
        variants,
        inputs: if reads_files { Inputs::Files { sizes, cold: args.cold } } else { Inputs::None },
        ignores_failure: args.ignore_failure,
        result: match &args.result {
            _ if args.no_result => Finder::None,
            Some(expression) => Finder::Expression(expression.clone()),
            None if reads_files => Finder::Digits,
            None => Finder::None,
        },
        limit: args.timeout,
    };
    let compared = study.run(session.observer()).map_err(not_studied)?;
    let Compared { run, failed } = compared;
    let failed = failed.into_iter().collect::<Vec<_>>();
    let failure = (!failed.is_empty()).then(|| {
        let way_out = match (reads_files, args.ignore_failure) {
            (true, false) => {
                "; a command that reads no file is compared with --command, and a failure is overlooked with --ignore-failure"
            }
            (true, true) => "; a command that reads no file is compared with --command",
            (false, false) => "; a failure is overlooked with --ignore-failure",
            (false, true) => "",
        };
        let names = failed.join(", ");
        unreadable!("failed: {names}; each cell shows the reason{way_out}")
    });
    session.end(&run, |run| printed(run, &args.study), failure)
}

/// The variants as they were named, each with a name of its own.
fn variants(args: &VariantArgs) -> anyhow::Result<Vec<Variant>> {
    let commands = if args.command.is_empty() { &args.commands } else { &args.command };
    let counts =
        [("--name", args.name.len()), ("--setup", args.setup.len()), ("--build-dir", args.build_dir.len())];
    if let Some((what, count)) = counts.into_iter().find(|(_, count)| *count > commands.len()) {
        let (times, commands) = (counted(count as u64, "time"), counted(commands.len() as u64, "command"));
        return Err(usage!("{what} is given {times}, for {commands}"));
    }
    let mut variants: Vec<Variant> = Vec::new();
    for (number, text) in commands.iter().enumerate() {
        let words = shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            Ended::usage(match text.trim() {
                "" => "a command is empty; name a program, and its arguments".to_owned(),
                _ => format!("`{text}`: not a command: it has an unmatched quotation mark"),
            })
        })?;
        let command = if args.shell { vec![text.clone()] } else { words };
        if let Some(syntax) = shell_syntax(text).filter(|_| !args.shell) {
            return Err(usage!(
                "`{text}`: `{syntax}` means something to a shell only, and commands run without one; add --shell, or quote it"
            ));
        }
        let name = args.name.get(number).unwrap_or(text);
        if name.chars().any(char::is_control) {
            return Err(usage!(
                "{}: not a name: it contains a line feed or another control character; give another one with --name",
                shown(Path::new(name))
            ));
        }
        // Runs are shown to others, by names.
        let name = masked_text(name).into_owned();
        if variants.iter().any(|known| known.name == name) {
            return Err(usage!(
                "`{name}`: two variants have this name; give them different ones with --name"
            ));
        }
        let directory = args.build_dir.get(number).filter(|directory| !directory.is_empty()).map(Path::new);
        if let Some(directory) = directory {
            check_directory("--build-dir", directory)?;
        }
        variants.push(Variant {
            name,
            command,
            by_shell: args.shell,
            setup: args.setup.get(number).filter(|setup| !setup.is_empty()).cloned(),
            directory: directory.map(PathBuf::from),
        });
    }
    Ok(variants)
}
