//! `hashlane compare`: machines side by side.

use std::path::Path;

use hashlane_measure::{CompareError, Comparison, LoadError, Loaded, RunError, Subject};
use hashlane_report::{
    comparison_csv, comparison_json, comparison_markdown, comparison_page, comparison_text,
};

use crate::args::{CompareArgs, ComparisonFormat};
use crate::commands::bench::{print, put, refuse_run};
use crate::output::{refuse_input, shown};
use crate::status::{Ended, Status, usage};
use crate::version::PROGRAM;

pub(super) fn run(args: &CompareArgs) -> anyhow::Result<Status> {
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    check_output(output, args)?;
    let mut files = Vec::with_capacity(args.runs.len());
    for path in &args.runs {
        files.push((path.clone(), load(path)?));
    }
    let subjects = Subject::gather(files);
    let comparison =
        Comparison::of(subjects, args.reference.as_deref()).map_err(|error| Ended::usage(in_words(error)))?;
    let text = match args.format() {
        ComparisonFormat::Text => comparison_text(&comparison, args.wide),
        ComparisonFormat::Markdown => comparison_markdown(&comparison),
        ComparisonFormat::Csv => comparison_csv(&comparison),
        ComparisonFormat::Json => comparison_json(&comparison),
        ComparisonFormat::Html => comparison_page(&comparison, PROGRAM),
    };
    match output {
        None => print(&text)?,
        Some(path) => put(path, &text)?,
    }
    Ok(Status::OK)
}

/// Refuses an output that would replace what is compared.
fn check_output(output: Option<&Path>, args: &CompareArgs) -> anyhow::Result<()> {
    match output {
        Some(path) if path.is_dir() => Err(usage!("--output {}: is a directory; name a file", shown(path))),
        output => {
            refuse_input(output, args.runs.iter().map(|run| run.as_os_str()))?;
            refuse_run(output)
        }
    }
}

fn load(path: &Path) -> anyhow::Result<Loaded> {
    Loaded::load(path).map_err(|error| match error {
        LoadError::Run(RunError::Io { .. }) | LoadError::List { .. } => Ended::unreadable(error),
        error => Ended::usage(error),
    })
}

/// Names the option that a message is about.
fn in_words(error: CompareError) -> String {
    match error {
        CompareError::NoSuchReference { .. } | CompareError::NothingToReferTo { .. } => {
            format!("--reference: {error}")
        }
        error => error.to_string(),
    }
}
