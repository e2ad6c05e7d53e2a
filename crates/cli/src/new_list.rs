//! A list that is written: in which format, where it goes, and what becomes of it in the end.

use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, Header, WriteOptions};

use crate::args::WriteFormat;
use crate::output::{Output, refuse_misleading_name};
use crate::partial::Existing;
use crate::status::Ended;
use crate::terminal::screen::Screen;
use crate::version::PROGRAM;

/// Where a list is to go. `option` names the file; none: an argument does.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) option: &'static str,
    pub(crate) path: Option<&'a Path>,
    pub(crate) existing: Existing,
    pub(crate) screen: &'a Screen,
}

/// A list that is being written.
pub(crate) type NewList = hashlane_verify::NewList<Output>;

/// Starts one as is asked for. `header`: what it says of itself, if it says anything. `told`: the words of an error of the format.
pub(crate) fn start(
    target: Target<'_>,
    asked: &WriteFormat,
    format: Format,
    algorithms: &[Algorithm],
    header: Header,
    told: impl FnOnce(&Error) -> String,
) -> anyhow::Result<NewList> {
    refuse_strict(asked, format)?;
    if let Some(path) = target.path {
        refuse_misleading_name(target.option, path, format, algorithms)?;
    }
    let options = options(asked, has_header(asked, format).then_some(header));
    let output = Output::open_as(target.option, target.path, target.existing, target.screen)?;
    start_in(output, format, algorithms, &options, told)
}

/// Starts one in an output that is open.
pub(crate) fn start_in(
    output: Output,
    format: Format,
    algorithms: &[Algorithm],
    options: &WriteOptions,
    told: impl FnOnce(&Error) -> String,
) -> anyhow::Result<NewList> {
    let writer = output.writer(format, algorithms, options, told)?;
    Ok(NewList::new(writer, algorithms, options.header.is_some()))
}

/// Ends one, as a complete one or as the part that it is; the output is still to be put in its place.
pub(crate) fn end(list: NewList, is_complete: bool) -> anyhow::Result<Output> {
    list.end(is_complete).map_err(|error| match error {
        Error::Output { source } => source.into(),
        error => Ended::output(crate::manifests::told(&error)),
    })
}

/// The format that the name of an output says, unless one is asked for.
pub(crate) fn told_format(args: &WriteFormat, output: Option<&Path>) -> Option<Format> {
    let is_asked = args.manifest_format.is_some() || args.tag || args.base64;
    let output = output.filter(|_| !is_asked)?;
    Format::of_file_name(output.as_os_str().as_encoded_bytes())
}

/// The format asked for, the one that the name of the output says, or the plainest that holds all algorithms.
pub(crate) fn format(args: &WriteFormat, output: Option<&Path>, algorithms: &[Algorithm]) -> Format {
    let name = match args {
        WriteFormat { base64: true, .. } => "base64",
        WriteFormat { tag: true, .. } => "bsd",
        _ if algorithms.len() > 1 => "bsd",
        _ => "gnu",
    };
    let format = args.manifest_format.or_else(|| told_format(args, output));
    format.or_else(|| Format::named(name)).expect("the format is registered")
}

/// The format, unless strictness would have no effect: other formats have no such bounds.
pub(crate) fn refuse_strict(args: &WriteFormat, format: Format) -> anyhow::Result<Format> {
    if args.strict_hashdeep && format.name() != "hashdeep" {
        return Err(Ended::usage(format!(
            "--strict-hashdeep: is for --manifest-format hashdeep, and this is {format}; leave it out"
        )));
    }
    Ok(format)
}

/// Whether a list in a format has a header.
pub(crate) fn has_header(asked: &WriteFormat, format: Format) -> bool {
    asked.header || format.name() == "hashdeep" && !asked.no_header
}

/// How it is written.
pub(crate) fn options(asked: &WriteFormat, header: Option<Header>) -> WriteOptions {
    WriteOptions {
        zero: asked.zero,
        header,
        strict_hashdeep: asked.strict_hashdeep,
        ..WriteOptions::default()
    }
}

/// What a header says of this run, but for the roots.
pub(crate) fn header_of_this_run() -> Header {
    hashlane_verify::header_of_this_run(PROGRAM)
}
