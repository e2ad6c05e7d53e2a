//! `hashlane sum`: digests of files and trees, as a manifest.

mod shard;
mod sink;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Stop, Summary, Tree as _};
use hashlane_manifest::{Format, Header, Piecewise, Shard};
use hashlane_objects::Objects;
use hashlane_record::Division;
use hashlane_report::stores::plan_line;
use hashlane_report::work::unread_line;
use hashlane_report::{shard_line, shell};
use hashlane_verify::{Inputs, header_of_roots};

use super::bench::print;
use super::known::Matching;
use crate::args::SumArgs;
use crate::hints::store_problem;
use crate::inputs::{self, are_objects, counter, open_store, walk_options};
use crate::manifests::STDIN;
use crate::new_list::{has_header, told_format};
use crate::output::{Output, refuse_input_as, refuse_misleading_name, refuse_twice, shown as shown_path};
use crate::partial::Existing;
use crate::session::{Ran, Session};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

use sink::LineSink;

pub(super) use crate::new_list::{format, header_of_this_run, refuse_strict};

pub(super) fn run(args: &SumArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, false)?;
    let screen = session.screen().clone();
    let are_objects = are_objects(args)?;
    let store = are_objects.then(|| open_store(args, &screen)).transpose()?;
    let paths = store.as_ref().map_or(&args.paths, |(_, there)| there);
    if args.dry_run {
        return dry_run(args, store.as_ref());
    }
    let inputs = inputs::inputs(paths, &args.names);
    refuse_stdin_twice(args, &inputs)?;
    let matching = Matching::open(&args.matching, &args.algorithm, &screen)?;
    let looked_up_by = matching.as_ref().map_or(&[][..], Matching::algorithms);
    let shown = match args.algorithm.is_empty() {
        true => algorithms(looked_up_by),
        false => algorithms(&args.algorithm),
    };
    let algorithms = algorithms(&[&shown, looked_up_by].concat());
    let format = refuse_strict(&args.format, format(&args.format, args.output.as_deref(), &shown))?;
    say_format(args, format, &screen);
    let division = division(args, format);
    let walk = walk_options(&args.walk)?;
    match inputs.come_from_terminal() {
        // To count objects beforehand takes as many requests as to list them.
        _ if are_objects => session.show(Box::new(|_| ())),
        true => session.show_beside_typing(counter(&inputs, &walk)),
        false => session.show(counter(&inputs, &walk)),
    }

    let shard = shard::find(args, (&inputs, format), store.as_ref().map(|(objects, _)| objects), &walk)?;
    let (slice, shard) = shard.unzip();
    let refused = Arc::new(AtomicU64::new((args.paths.len() - paths.len()) as u64));
    let recursive = !args.walk.no_recursive;
    let input = inputs::open(&inputs, recursive, (&algorithms, division), &screen, &refused)?;
    let (output, names) = outputs(args, (format, &shown), &session)?;
    let places = inputs.places().filter(|_| !are_objects);
    let mut options = session.options(algorithms, walk, places);
    options.division = division;
    options.slice = slice;
    options.excluded = output.identities();
    options.excluded.extend(names.iter().flat_map(Output::identities));
    options.links_once = !args.walk.no_links_once;
    // Nobody knows when a stream ends: there is nothing to wait for where it is all there is.
    let stop = if inputs.are_stdin() { Stop::Aborted } else { Stop::Drained };
    let header = header(args, format, &inputs, shard.as_ref());
    let mut sink =
        LineSink::new(format, &shown, args, (&inputs, header), matching, (output, names), &screen)?;
    let traffic = store.as_ref().map(|(objects, _)| objects.traffic());
    let (run, ran) = session.run(stop, |control| match store {
        None => hashlane_engine::run(options, input, &mut sink, control),
        Some((store, _)) => store.read(options, Box::new(input), &mut sink, control),
    })?;

    let summary = match run {
        Ok(summary) => summary,
        Err(error) => return ran.failed(error, sink.leave(&screen)),
    };
    sink.refused(refused.load(Ordering::Relaxed));
    let (status, matching, done) = sink.finish(&screen, summary.stopped);
    if summary.stopped.is_some() && done.is_ok() {
        say_how_to_go_on(args, format, &shown, &screen);
    }
    ran.die_if_interrupted(&summary);
    done?;
    if let (Some(matching), Some(unseen)) = (&matching, args.matching.unseen.as_deref()) {
        matching.write_unseen(unseen, &screen)?;
    }
    if !args.quiet {
        screen.messages(matching.as_ref().map(Matching::line));
        screen.messages(shard.as_ref().map(shard_line));
        close(&ran, &summary);
        ran.say_traffic(traffic.as_ref());
    }
    ran.learn(&summary);
    Ok(status)
}

/// Says how what is left of a run that was stopped becomes the whole, where an update can do that.
fn say_how_to_go_on(args: &SumArgs, format: Format, algorithms: &[Algorithm], screen: &Screen) {
    let Some(output) = &args.output else { return };
    let has_lists = args.names.files_from.is_some() || args.names.files0_from.is_some();
    let is_plain =
        args.pieces.is_none() && args.shard.is_none() && !args.versions && args.matching.known.is_empty();
    // An update reads lines, and what a list of a bag is called is not what is left of it.
    let is_updated = !args.format.zero && format.name() != "bagit" && !format.has_end();
    let is_of_beginnings = matches!(format.piecewise(), Some(Piecewise::Beginning(_)));
    let has_stdin = args.paths.iter().any(|path| path == STDIN);
    if has_lists || !is_plain || !is_updated || is_of_beginnings || has_stdin {
        return;
    }
    let (mut condition, mut options) = ("", String::new());
    if !(format.holds_sizes() && format.holds_times()) {
        condition = "if no file has changed since, ";
        options += " --trust names";
    }
    if let ([algorithm], false) = (algorithms, format.holds_many_algorithms()) {
        options += &format!(" -a {algorithm}");
    }
    let word = |path: &Path| shell::word(path.as_os_str().as_encoded_bytes());
    let (partial, output) = (word(&hashlane_io::partial_name(output)), word(output));
    screen.message(&format!(
        "to go on, {condition}with the same PATHs and filters: hashlane sum --update {partial}{options} --output {output} PATH..."
    ));
}

/// Prints what it would take to read objects.
fn dry_run(args: &SumArgs, store: Option<&(Objects, Vec<OsString>)>) -> anyhow::Result<Status> {
    let Some((objects, there)) = store else {
        return Err(Ended::usage("--dry-run is for objects; name them as s3://BUCKET/KEY"));
    };
    let walk = walk_options(&args.walk)?;
    let plan = objects.plan(there.iter().map(|path| path.as_encoded_bytes()), &walk);
    let plan = plan.map_err(|(path, error)| Ended::unreadable(store_problem(path, &error)))?;
    print(&format!("{}\n", plan_line(&plan, &objects.traffic())))?;
    Ok(if there.len() < args.paths.len() { Status::UNREADABLE } else { Status::OK })
}

/// Where the lines go, and the names besides, if they go anywhere. What would write over an input is refused.
fn outputs(
    args: &SumArgs,
    (format, shown): (Format, &[Algorithm]),
    session: &Session<'_>,
) -> anyhow::Result<(Output, Option<Output>)> {
    let unseen = args.matching.unseen.as_deref();
    let names = args.files0_out.as_deref().filter(|names| names.as_os_str() != STDIN);
    let outputs = [("--output", args.output.as_deref()), ("--unseen", unseen), ("--files0-out", names)];
    for (option, output) in outputs {
        let lists = args.names.files_from.iter().chain(&args.names.files0_from).chain(&args.matching.known);
        refuse_input_as(option, output, args.paths.iter().chain(lists).map(|path| path.as_os_str()))?;
    }
    refuse_twice(&outputs)?;
    if let Some(path) = &args.output {
        refuse_misleading_name("--output", path, format, shown)?;
    }
    Ok((session.output(args.output.as_deref())?, open_names(args, session.screen())?))
}

/// Where names go besides the lines, if anywhere.
fn open_names(args: &SumArgs, screen: &Screen) -> anyhow::Result<Option<Output>> {
    match args.files0_out.as_deref() {
        Some(path) if path.as_os_str() == STDIN && args.output.is_some() => {
            Output::open(None, screen).map(Some)
        }
        Some(path) if path.as_os_str() == STDIN && args.matching.show_matched_by => Err(Ended::usage(
            "--files0-out -: standard output is used by --show-matched-by; add --output, or name a FILE",
        )),
        Some(path) if path.as_os_str() != STDIN => {
            Output::open_as("--files0-out", Some(path), Existing::Replaced, screen).map(Some)
        }
        _ => Ok(None),
    }
}

/// Refuses what would have to read standard input twice.
fn refuse_stdin_twice(args: &SumArgs, inputs: &Inputs) -> anyhow::Result<()> {
    let paths = args.paths.iter().filter(|path| *path == STDIN).count();
    if paths > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read only once"));
    }
    let is_list = matches!(inputs, Inputs::List(list) if list.file == STDIN);
    let known = args.matching.known.iter().filter(|known| *known == STDIN).count();
    if known > 1 || known == 1 && (paths > 0 || is_list || inputs.are_stdin()) {
        return Err(Ended::usage(
            "--known -: standard input is also read for something else; name a file or a PATH",
        ));
    }
    Ok(())
}

/// What parts of files get digests of their own: what was asked for, or what the format needs.
fn division(args: &SumArgs, format: Format) -> Option<Division> {
    match (args.pieces, format.piecewise()) {
        (Some(bytes), _) => Some(Division::Every(bytes)),
        (None, Some(Piecewise::Beginning(bytes))) => Some(Division::Beginning(bytes)),
        (None, _) => None,
    }
}

/// The algorithms asked for, each once.
pub(super) fn algorithms(given: &[Algorithm]) -> AlgorithmSet {
    let mut algorithms = Vec::new();
    Algorithm::unite(&mut algorithms, given.iter().copied());
    if algorithms.is_empty() {
        algorithms.push(Algorithm::SHA256);
    }
    algorithms.into()
}

/// Says that the name of the output decided the format, where it did.
fn say_format(args: &SumArgs, format: Format, screen: &Screen) {
    if let Some(path) = args.output.as_deref().filter(|_| !args.quiet)
        && told_format(&args.format, Some(path)) == Some(format)
    {
        screen.message(&format!("{}: in format {format}, as its name says", shown_path(path)));
    }
}

/// What the manifest says of itself, if anything. A shard has to say so.
fn header(args: &SumArgs, format: Format, inputs: &Inputs, shard: Option<&Shard>) -> Option<Header> {
    let is_wanted = has_header(&args.format, format);
    (is_wanted || shard.is_some())
        .then(|| Header { shard: shard.cloned(), ..header_of_roots(inputs.roots(), header_of_this_run()) })
}

/// The closing lines: what was passed over, what was not read as it should have been, and what was done how fast.
pub(super) fn close(ran: &Ran<'_>, summary: &Summary) {
    ran.passed_over(&summary.skipped, "output file");
    ran.screen().messages(unread_line(summary));
    ran.close(None, summary);
}
