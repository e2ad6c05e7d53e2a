//! The filters that arguments ask for.

use hashlane_engine::{Bounds, Filter, FilterError, GlobPurpose, WalkOptions};
use hashlane_verify::{Selection, here};

use crate::args::{CheckArgs, FilterArgs};
use crate::status::{Ended, usage};

/// The filter that arguments ask for.
pub(crate) fn filter(args: &FilterArgs) -> anyhow::Result<Filter> {
    let FilterArgs { min_size, max_size, newer_than, older_than, .. } = *args;
    if let (Some(least), Some(most)) = (min_size, max_size)
        && least > most
    {
        return Err(usage!(
            "--min-size: {least} bytes exceed the {most} of --max-size, so no file matches; swap them"
        ));
    }
    if let (Some(start), Some(end)) = (newer_than, older_than)
        && start >= end
    {
        return Err(Ended::usage(
            "--newer-than: its time is not before that of --older-than, so no file matches; swap them",
        ));
    }
    let bounds = Bounds {
        min_size_bytes: min_size,
        max_size_bytes: max_size,
        not_before: newer_than,
        before: older_than,
    };
    let filter =
        Filter::new(&args.include, &args.exclude, &args.ignore_file).map_err(|error| malformed(&error))?;
    Ok(filter.within(bounds))
}

/// What is wrong with a glob or an ignore file, and the option that it came with.
fn malformed(error: &FilterError) -> anyhow::Error {
    let option = match error {
        FilterError::Glob { purpose: GlobPurpose::Include, .. } => "--include ",
        FilterError::Glob { purpose: GlobPurpose::Exclude, .. } => "--exclude ",
        FilterError::IgnoreFile { .. } => "--ignore-file ",
        _ => "",
    };
    usage!("{option}{error}")
}

/// Which of the listed files are wanted. `here`: the current directory, or nothing where names are relative to another one.
pub(crate) fn selection(
    args: &FilterArgs,
    follow: bool,
    one_file_system: bool,
    here: Vec<u8>,
) -> anyhow::Result<Selection> {
    let walk = WalkOptions { follow, one_file_system, filter: filter(args)?, ..WalkOptions::default() };
    Ok(Selection::new(walk, here))
}

/// Those of a check, whose names are relative to --base or to the current directory.
pub(crate) fn of_check(args: &CheckArgs) -> anyhow::Result<Selection> {
    let here = if args.base.is_some() { Vec::new() } else { here() };
    selection(&args.filter, args.follow, args.one_file_system, here)
}
