//! `hashlane merge`: the manifests of shards as one, complete or not at all.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::shards::{
    self, BadEntry, ShardFault, ShardList, ShardProblem, compare, has_nul_ends, try_first_entries,
};
use hashlane_manifest::{Error, Format, Header, Item, Losses, ReadOptions, Writer};
use hashlane_report::{shard_problem, text};
use hashlane_verify::Error as Unread;
use hashlane_verify::lists;

use crate::args::MergeArgs;
use crate::commands::convert::{say_header_dropped, say_losses, say_passed_over};
use crate::commands::sum;
use crate::manifests::{self, OptionNames, STDIN};
use crate::new_list::{self, NewList, Target, header_of_this_run, options, told_format};
use crate::output::refuse_input_as;
use crate::partial::Existing;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// Nothing says how a shard is to be read: it says so itself.
const CALLED: OptionNames = OptionNames { task: "merge", algorithm: None, ..OptionNames::USUAL };

pub(super) fn run(args: &MergeArgs) -> anyhow::Result<Status> {
    let screen = Screen::plain();
    refuse_input_as("--output", args.output.as_deref(), args.shards.iter().map(OsString::as_os_str))?;
    let mut problems = Problems { screen: &screen, status: Status::OK };
    let (mut parts, empty) = open(args, &mut problems);
    compare(&parts).iter().for_each(|problem| problems.add(problem));
    if problems.status == Status::MISSING {
        empty.iter().for_each(|name| screen.message(&format!("{name}: lists no file")));
    }
    // What is wrong with the shards is said of all of them, before anything is written.
    if problems.status != Status::OK {
        screen.message("these are not the shards of one listing; nothing was written");
        return Ok(problems.status);
    }
    parts.sort_by_key(|part| part.shard.index);
    let begun = |algorithms: &[Algorithm], of_first: Format| {
        let format = format(args, algorithms, of_first);
        Writer::new(format, algorithms, &options(&args.format, None), io::sink()).ok()
    };
    try_first_entries(&mut parts, begun).iter().for_each(|problem| problems.add(problem));
    if problems.status != Status::OK {
        screen.message("nothing was written");
        return Ok(problems.status);
    }
    let (merged, dropped) = write(args, &mut parts, &mut problems)?;
    if problems.status == Status::OK && !args.quiet {
        let count = text::counted(u64::from(parts[0].shard.count), "shard");
        screen.message(&format!("{} of {count}", text::counted(merged, "listed file")));
        let (losses, to, has_header) = dropped;
        say_losses(&screen, &losses, to);
        if !has_header {
            say_header_dropped(&screen, to);
        }
        for part in &parts {
            say_passed_over(&screen, &part.name, part.reader().columns_passed_over());
        }
    }
    Ok(problems.status)
}

/// What is wrong, as it is said.
struct Problems<'a> {
    screen: &'a Screen,
    status: Status,
}

impl Problems<'_> {
    fn say(&mut self, status: Status, what: &str) {
        self.screen.message(what);
        self.status |= status;
    }

    fn add(&mut self, problem: &ShardProblem) {
        self.status |= status_of(problem);
        self.screen.message(&told(problem));
    }
}

fn status_of(problem: &ShardProblem) -> Status {
    match *problem.fault {
        ShardFault::Missing { .. } => Status::MISSING,
        ShardFault::ColumnNotRead(_) | ShardFault::CommentedOut(_) => Status::OK,
        _ => Status::UNREADABLE,
    }
}

/// What is wrong with shards, and the way out.
fn told(problem: &ShardProblem) -> String {
    let words = shard_problem(problem, &manifests::told);
    match *problem.fault {
        ShardFault::None => no_shard(&problem.list),
        ShardFault::OtherAlgorithms(_) => format!("{words}; write all shards with the same --algorithm"),
        _ => words,
    }
}

fn no_shard(name: &str) -> String {
    format!(
        "{name}: is not a shard written by `hashlane sum --shard I/N`: it does not state which shard it is"
    )
}

/// Opens all manifests and finds out which shards they are. Those that list no file are returned by their names: if they should, it is
/// missed.
fn open(args: &MergeArgs, problems: &mut Problems<'_>) -> (Vec<ShardList>, Vec<String>) {
    let (mut parts, mut empty) = (Vec::new(), Vec::new());
    for path in &args.shards {
        let name = manifests::shown(path);
        if path == STDIN {
            problems.say(Status::UNREADABLE, "-: standard input cannot be a shard; name its file");
            continue;
        }
        let zero = has_nul_ends(Path::new(path)).unwrap_or(args.format.zero);
        let options = ReadOptions { zero, ..ReadOptions::default() };
        let opened = manifests::open(path).and_then(|source| match lists::read(source, &options) {
            Ok(reader) => Ok(Some(reader)),
            Err(Unread::Manifest { source: Error::Empty, .. }) => Ok(None),
            // A shard names its algorithm.
            Err(Unread::Manifest { source: Error::AmbiguousAlgorithm { .. }, .. }) => {
                Err(Ended::unreadable(no_shard(&name)))
            }
            Err(error) => Err(manifests::refused(&error, CALLED).into_error()),
        });
        match opened.map(|reader| reader.map(|reader| ShardList::new(name.clone(), reader))) {
            Ok(Some(Ok(part))) => parts.push(part),
            Ok(Some(Err(problem))) => problems.add(&problem),
            Ok(None) => empty.push(name),
            Err(error) => problems.say(Status::UNREADABLE, &format!("{error:#}")),
        }
    }
    (parts, empty)
}

/// What is written: the format that is asked for or that the name of the output says, else that of the first shard.
fn format(args: &MergeArgs, algorithms: &[Algorithm], of_first: Format) -> Format {
    let (asked, output) = (&args.format, args.output.as_deref());
    let is_asked = asked.manifest_format.is_some() || asked.tag || asked.base64;
    if is_asked || told_format(asked, output).is_some() {
        sum::format(asked, output, algorithms)
    } else {
        of_first
    }
}

/// Writes all that the shards list; returns how many files that are, and what was dropped of them, by which format, and whether there is a
/// header.
fn write(
    args: &MergeArgs,
    parts: &mut [ShardList],
    problems: &mut Problems<'_>,
) -> anyhow::Result<(u64, (Losses, Format, bool))> {
    /// How many bad lines of one file are said.
    const MOST_SAID: u64 = 20;
    let (mut begun, mut merged) = (None, 0);
    let (header, screen) = (shards::header(parts, header_of_this_run()), problems.screen);
    for part in parts.iter_mut() {
        let mut bad = 0;
        let mut take = |item: &Item, of_shard: Format| {
            let list = match &mut begun {
                Some(list) => list,
                None => {
                    let algorithms: Vec<_> = item.digests.iter().map(Digest::algorithm).collect();
                    begun.insert(start(args, &algorithms, of_shard, &header, screen)?)
                }
            };
            Ok(match shards::has_exactly(item, &list.algorithms) {
                true => list.item(item)?.map(BadEntry::NotHeld),
                false => Some(BadEntry::OtherAlgorithms(item.path.clone(), list.algorithms.clone())),
            })
        };
        let mut say = |problem: ShardProblem| {
            let is_entry = matches!(*problem.fault, ShardFault::Entry(_));
            bad += u64::from(is_entry);
            match is_entry && bad > MOST_SAID {
                true => problems.status |= Status::UNREADABLE,
                false => problems.add(&problem),
            }
        };
        merged += part.copy::<anyhow::Error>(&mut take, &mut say)?;
    }
    let is_complete = problems.status == Status::OK;
    let empty = parts.first().filter(|first| is_complete && first.shard.listing.files == 0);
    let mut list = match (begun, empty) {
        (Some(list), _) => list,
        // A listing without files has no entry.
        (None, Some(first)) => {
            let algorithms = match first.reader().algorithms() {
                [] => sum::algorithms(&[]).to_vec(),
                algorithms => algorithms.to_vec(),
            };
            start(args, &algorithms, first.reader().format(), &header, screen)?
        }
        (None, None) => return Err(Ended::unreadable("no shard lists a file; nothing was written")),
    };
    let dropped = (std::mem::take(&mut list.losses), list.format(), list.has_header);
    let output = new_list::end(list, is_complete)?;
    if is_complete {
        output.finish()?
    } else {
        output.leave(screen)?
    }
    Ok((merged, dropped))
}

/// Starts what is written, in the format of the first shard unless another one is asked for.
fn start(
    args: &MergeArgs,
    algorithms: &[Algorithm],
    of_first: Format,
    header: &Header,
    screen: &Screen,
) -> anyhow::Result<NewList> {
    let path = args.output.as_deref();
    let target = Target { option: "--output", path, existing: Existing::Replaced, screen };
    let format = format(args, algorithms, of_first);
    new_list::start(target, &args.format, format, algorithms, header.clone(), manifests::told)
}
