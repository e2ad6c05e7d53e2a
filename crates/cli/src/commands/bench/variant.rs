//! `hashlane bench variant`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hashlane_measure::ProgramError;
use hashlane_measure::variant::{Finder, PUBLISHED_SIZES, QUICK_SIZES, SIZES, Variant, Variants};

use super::session::Session;
use super::{brief, check_directory, check_writable, not_studied, printed, sorted};
use crate::args::VariantArgs;
use crate::output::shown;
use crate::status::{Ended, Status};
use crate::text::counted;

/// Time for measuring unless told otherwise.
const BUDGET: Duration = Duration::from_secs(120);

/// The same with `--quick`.
const QUICK_BUDGET: Duration = Duration::from_secs(15);

/// Rounds that give an interval.
const ROUNDS: u64 = 7;

pub(super) fn run(args: &VariantArgs) -> anyhow::Result<Status> {
    let variants = variants(args)?;
    check_writable("--dir", &args.dir)?;
    let mut session = Session::begin(&args.study.results, args.study.progress, Some(&args.dir))?;
    for variant in variants.iter().filter(|variant| variant.setup.is_some()) {
        session.screen().message(&format!("{}: setting up", variant.name));
        if let Err(error) = variant.set_up(args.timeout, session.observer().stopper()) {
            session.die_if_interrupted();
            let which = match (&error, &variant.setup) {
                (ProgramError::Failed { .. }, Some(setup)) => format!("--setup `{setup}` "),
                _ => String::new(),
            };
            return Err(Ended::usage(format!("{}: {which}{error}", variant.name)));
        }
    }
    let budget = if args.study.quick { QUICK_BUDGET } else { BUDGET };
    let usual: &[u64] = match args.study.quick {
        true => &QUICK_SIZES,
        false if args.study.as_published => &PUBLISHED_SIZES,
        false => &SIZES,
    };
    let sizes = if args.sizes.is_empty() { usual.to_vec() } else { sorted(&args.sizes) };
    if args.study.as_published {
        let written: u64 = sizes.iter().sum();
        session.screen().message(&format!(
            "as published: writes {:.1} GB, and has each variant read that at least {} times, for at most {} s after that",
            written as f64 / 1e9,
            ROUNDS + 1,
            args.study.budget.unwrap_or(budget).as_secs()
        ));
    }
    let study = Variants {
        brief: brief(&args.study, args.run_name.as_deref(), args.dir.clone(), budget),
        variants,
        sizes,
        cold: args.cold,
        result: match (&args.result, args.no_result) {
            (_, true) => Finder::None,
            (Some(expression), _) => Finder::Expression(expression.clone()),
            (None, _) => Finder::Digits,
        },
        limit: args.timeout,
    };
    let measured = study.run(session.observer()).map_err(|error| Ended::usage(not_studied(&error)))?;
    session.end(&measured, |run| printed(run, &args.study))
}

/// The variants as they were named, each with a name of its own.
fn variants(args: &VariantArgs) -> anyhow::Result<Vec<Variant>> {
    let more = |what: &str, count: usize| {
        (count > args.commands.len()).then(|| {
            Ended::usage(format!(
                "{what} is given {}, for {}",
                counted(count as u64, "time"),
                counted(args.commands.len() as u64, "command")
            ))
        })
    };
    let counts =
        [("--name", args.name.len()), ("--setup", args.setup.len()), ("--build-dir", args.build_dir.len())];
    if let Some(error) = counts.into_iter().find_map(|(what, count)| more(what, count)) {
        return Err(error);
    }
    let mut variants: Vec<Variant> = Vec::new();
    for (number, text) in args.commands.iter().enumerate() {
        let command = shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            Ended::usage(format!("`{text}`: not a command: it is empty, or has an unmatched quotation mark"))
        })?;
        let name = args.name.get(number).unwrap_or(text);
        if name.chars().any(char::is_control) {
            return Err(Ended::usage(format!(
                "{}: not a name: it contains a line feed or another control character; give another one with --name",
                shown(Path::new(name))
            )));
        }
        let name = name.clone();
        if variants.iter().any(|known| known.name == name) {
            return Err(Ended::usage(format!(
                "`{name}`: two variants have this name; give them different ones with --name"
            )));
        }
        let directory = args.build_dir.get(number).filter(|directory| !directory.is_empty()).map(Path::new);
        if let Some(directory) = directory {
            check_directory("--build-dir", directory)?;
        }
        variants.push(Variant {
            name,
            command,
            setup: args.setup.get(number).filter(|setup| !setup.is_empty()).cloned(),
            directory: directory.map(PathBuf::from),
        });
    }
    Ok(variants)
}
