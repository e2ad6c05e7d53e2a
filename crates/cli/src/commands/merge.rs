//! `hashlane merge`: the manifests of shards as one, complete or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::{
    Error, Format, Header, Item, LineProblem, Losses, Merged as Merging, ProblemKind, ReadOptions, Reader,
    Shard, WriteOptions, Writer,
};
use hashlane_record::{ItemPath, Outcome, Timestamp, Trail};
use hashlane_report::text;
use hashlane_verify::Error as Unread;
use hashlane_verify::lists;

use crate::args::MergeArgs;
use crate::commands::convert::{header_dropped, say_losses, say_passed_over};
use crate::commands::sum;
use crate::manifests::{self, OptionNames, STDIN};
use crate::output::{Output, Place, refuse_input_as, refuse_misleading_name};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// Nothing says how a shard is to be read: it says so itself.
const CALLED: OptionNames = OptionNames { task: "merge", algorithm: None, ..OptionNames::USUAL };

pub(super) fn run(args: &MergeArgs) -> anyhow::Result<Status> {
    let screen = Screen::plain();
    refuse_input_as("--output", args.output.as_deref(), args.shards.iter().map(OsString::as_os_str))?;
    let mut problems = Problems { screen: &screen, status: Status::OK };
    let (mut parts, empty) = open(args, &mut problems);
    compare(&parts, &mut problems);
    if problems.status == Status::MISSING {
        empty.iter().for_each(|name| screen.message(&format!("{name}: lists no file")));
    }
    // What is wrong with the shards is said of all of them, before anything is written.
    if problems.status != Status::OK {
        screen.message("these are not the shards of one listing; nothing was written");
        return Ok(problems.status);
    }
    parts.sort_by_key(|part| part.shard.index);
    try_first_entries(args, &mut parts, &mut problems);
    if problems.status != Status::OK {
        screen.message("nothing was written");
        return Ok(problems.status);
    }
    let (merged, dropped) = write(args, &mut parts, &mut problems)?;
    if problems.status == Status::OK && !args.quiet {
        let count = text::counted(u64::from(parts[0].shard.count), "shard");
        screen.message(&format!("{} of {count}", text::counted(merged, "listed file")));
        if let Some((losses, to, has_header)) = dropped {
            say_losses(&screen, &losses, to);
            if !has_header {
                screen.message(&header_dropped(to));
            }
        }
        for part in &parts {
            say_passed_over(&screen, &part.name, part.items.get_ref().columns_passed_over());
        }
    }
    Ok(problems.status)
}

/// The manifest of a shard, opened.
struct Part {
    name: String,
    shard: Shard,
    /// What was read of it before anything is written, in its order.
    begun: Vec<Result<Item, LineProblem>>,
    items: Merging<Reader<'static>>,
}

impl Part {
    /// The first entry that has digests. It is looked for among the first ones only: what is read here is held in memory.
    fn first_entry(&mut self) -> Option<&Item> {
        /// Most entries and bad lines that are looked at.
        const MOST: usize = 64;
        let is_entry = |item: &Result<Item, LineProblem>| matches!(item, Ok(item) if is_read(item) && !item.digests.is_empty());
        while self.begun.len() < MOST && !self.begun.last().is_some_and(is_entry) {
            self.begun.push(self.items.next()?);
        }
        self.begun.last()?.as_ref().ok().filter(|item| is_read(item) && !item.digests.is_empty())
    }
}

fn is_read(item: &Item) -> bool {
    matches!(item.outcome, None | Some(Outcome::Read))
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
}

/// Opens all manifests and finds out which shards they are. Those that list no file are returned by their names: if they should, it is
/// missed.
fn open(args: &MergeArgs, problems: &mut Problems<'_>) -> (Vec<Part>, Vec<String>) {
    let (mut parts, mut empty) = (Vec::new(), Vec::new());
    for path in &args.shards {
        let name = manifests::shown(path);
        if path == STDIN {
            problems.say(Status::UNREADABLE, "-: standard input cannot be a shard; name its file");
            continue;
        }
        let zero = has_nul_ends(path).unwrap_or(args.format.zero);
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
        let reader = match opened {
            Ok(Some(reader)) => reader,
            Ok(None) => {
                empty.push(name);
                continue;
            }
            Err(error) => {
                problems.say(Status::UNREADABLE, &format!("{error:#}"));
                continue;
            }
        };
        match reader.header_shards() {
            [shard] => {
                parts.push(Part { name, shard: shard.clone(), begun: Vec::new(), items: reader.merged() })
            }
            [] => problems.say(Status::UNREADABLE, &no_shard(&name)),
            _ => problems.say(Status::UNREADABLE, &several(&name)),
        }
    }
    (parts, empty)
}

/// Whether the lines of a shard end with NUL, as its first line tells: how it was written says nothing of what is to be written now.
/// Nothing of what can be read only once.
fn has_nul_ends(path: &OsStr) -> Option<bool> {
    /// More than the first line of a header.
    const FIRST_LINE_BYTES: u64 = 256;
    let is_regular = std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
    let file = is_regular.then(|| File::open(path).ok()).flatten()?;
    let mut beginning = Vec::new();
    file.take(FIRST_LINE_BYTES).read_to_end(&mut beginning).ok()?;
    let end = beginning.iter().find(|byte| matches!(byte, b'\n' | b'\0'));
    Some(beginning.starts_with(b"# hashlane ") && end == Some(&b'\0'))
}

fn no_shard(name: &str) -> String {
    format!(
        "{name}: is not a shard written by `hashlane sum --shard I/N`: it does not state which shard it is"
    )
}

fn several(name: &str) -> String {
    format!("{name}: is more than one shard; name each shard's own file")
}

/// Looks whether these are all shards of one listing, each once.
fn compare(parts: &[Part], problems: &mut Problems<'_>) {
    let Some((first, others)) = parts.split_first() else { return };
    for other in others {
        if other.shard.count != first.shard.count {
            let [one, of_first] = [other, first].map(|part| text::count(u64::from(part.shard.count)));
            let what = format!("{}: is one of {one} shards, {} one of {of_first}", other.name, first.name);
            problems.say(Status::UNREADABLE, &what);
        } else if other.shard.listing != first.shard.listing {
            let [one, of_first] = [other, first].map(|part| {
                let listing = &part.shard.listing;
                format!("{} of {}", text::counted(listing.files, "file"), text::decimal(listing.bytes as f64))
            });
            let what = format!(
                "{}: is a shard of another listing than {} ({one}; {of_first}); files were added, removed or changed \
                 in between, are selected by their age, or the PATHs were named in another way: write all shards again",
                other.name, first.name
            );
            problems.say(Status::UNREADABLE, &what);
        }
    }
    let same =
        |part: &&Part| part.shard.count == first.shard.count && part.shard.listing == first.shard.listing;
    let mut of_first: Vec<&Part> = parts.iter().filter(same).collect();
    if of_first.len() < parts.len() {
        // Which shards are missing depends on which listing is meant.
        return;
    }
    of_first.sort_by_key(|part| part.shard.index);
    for pair in of_first.windows(2) {
        let [one, other] = pair else { continue };
        if one.shard.index == other.shard.index {
            let what = format!("{}: is shard {}, and so is {}", other.name, one.shard.index, one.name);
            problems.say(Status::UNREADABLE, &what);
        }
    }
    of_first.dedup_by_key(|part| part.shard.index);
    // A shard without files need not be named: nothing is in it.
    let files: u128 = of_first.iter().map(|part| u128::from(part.shard.files)).sum();
    let listed = u128::from(first.shard.listing.files);
    let gaps = gaps(of_first.iter().map(|part| part.shard.index), first.shard.count);
    if files < listed && !gaps.is_empty() {
        let missing = format!(
            "missing: {} of {}, with {}",
            ranges(&gaps),
            text::counted(u64::from(first.shard.count), "shard"),
            text::counted((listed - files) as u64, "file")
        );
        problems.say(Status::MISSING, &missing);
    } else if files != listed {
        let what = format!("the shards state {files} files, and their listing {listed}");
        problems.say(Status::UNREADABLE, &what);
    }
    if files != listed {
        return;
    }
    let (mut end, mut whose) = (Trail::default(), None);
    for part in of_first {
        if part.shard.names.0 != end {
            let end = whose.map_or_else(|| "the listing begins".to_owned(), |name| format!("{name} ends"));
            let what = format!(
                "{}: does not begin where {end}; another version of hashlane may have split it: write all shards again",
                part.name
            );
            problems.say(Status::UNREADABLE, &what);
        }
        (end, whose) = (part.shard.names.1, Some(&part.name));
    }
}

/// First and last of the numbers up to `count` that are not among those that ascend.
fn gaps(there: impl Iterator<Item = u32>, count: u32) -> Vec<(u32, u32)> {
    let (mut gaps, mut next) = (Vec::new(), 1);
    for index in there.chain([count.saturating_add(1)]) {
        if index > next {
            gaps.push((next, index - 1));
        }
        next = index.saturating_add(1);
    }
    gaps
}

/// Ranges of shards, as people write them: `shards 3, 7-12`.
fn ranges(gaps: &[(u32, u32)]) -> String {
    /// More would be no help to anybody.
    const MOST: usize = 20;
    let shown = gaps.iter().take(MOST).map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    let shown: Vec<_> = shown.collect();
    let rest = if gaps.len() > MOST { " and more" } else { "" };
    let is_one = matches!(gaps, [(first, last)] if first == last);
    format!("{} {}{rest}", if is_one { "shard" } else { "shards" }, shown.join(", "))
}

/// Looks whether the shards have the same algorithms, and whether the format that is written has a place for what they list: the first
/// entry of each tells, since one run wrote the rest.
fn try_first_entries(args: &MergeArgs, parts: &mut [Part], problems: &mut Problems<'_>) {
    let mut first: Option<(String, Vec<Algorithm>, Option<Writer<io::Sink>>)> = None;
    for part in parts {
        let of = part.items.get_ref().format();
        let name = part.name.clone();
        let Some(item) = part.first_entry() else { continue };
        let has: Vec<_> = item.digests.iter().map(Digest::algorithm).collect();
        let (of_first, algorithms, writer) = first.get_or_insert_with(|| {
            // What cannot be begun at all is said when it is begun: then, too, nothing is written yet.
            let options = write_options(args, None);
            let writer = Writer::new(format(args, &has, of), &has, &options, io::sink()).ok();
            (name.clone(), has.clone(), writer)
        });
        if has.len() != algorithms.len() || !algorithms.iter().all(|algorithm| has.contains(algorithm)) {
            let [has, of_those] = [&has[..], algorithms].map(names);
            let what = format!(
                "{name}: its digests are {has}, and those of {of_first} are {of_those}; \
                 write all shards with the same --algorithm"
            );
            problems.say(Status::UNREADABLE, &what);
        } else if let Some(Err(error)) = writer.as_mut().map(|writer| writer.item(item)) {
            problems.say(Status::UNREADABLE, &format!("{name}: {}", manifests::told(&error)));
        }
    }
}

/// Algorithms as they are said.
fn names(algorithms: &[Algorithm]) -> String {
    let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    names.join(", ")
}

/// What is written: the format that is asked for or that the name of the output tells, else that of the first shard.
fn format(args: &MergeArgs, algorithms: &[Algorithm], of_first: Format) -> Format {
    let (asked, output) = (&args.format, args.output.as_deref());
    let is_asked = asked.manifest_format.is_some() || asked.tag || asked.base64;
    let is_told =
        output.is_some_and(|path| Format::of_file_name(path.as_os_str().as_encoded_bytes()).is_some());
    if is_asked || is_told { sum::format(asked, output, algorithms) } else { of_first }
}

/// Whether the merged list has a header.
fn has_header(args: &MergeArgs, format: Format) -> bool {
    args.format.header || format.name() == "hashdeep" && !args.format.no_header
}

fn write_options(args: &MergeArgs, header: Option<Header>) -> WriteOptions {
    let asked = &args.format;
    WriteOptions {
        zero: asked.zero,
        header,
        strict_hashdeep: asked.strict_hashdeep,
        ..WriteOptions::default()
    }
}

/// What the merged list does not hold, its format, and whether it has a header.
type Dropped = Option<(Losses, Format, bool)>;

/// Writes all that the shards list; returns how many files that are, and what was dropped of them.
fn write(
    args: &MergeArgs,
    parts: &mut [Part],
    problems: &mut Problems<'_>,
) -> anyhow::Result<(u64, Dropped)> {
    let readers = || parts.iter().map(|part| part.items.get_ref());
    let started: Option<Vec<_>> = readers().map(Reader::header_started).collect();
    let started = started.and_then(|all| all.into_iter().min());
    let roots = readers().next().map_or_else(Vec::new, |reader| reader.header_roots().to_vec());
    let mut file_systems = Vec::new();
    for found in readers().flat_map(Reader::header_file_systems) {
        if !file_systems.contains(found) {
            file_systems.push(*found);
        }
    }
    let mut to = New {
        args,
        screen: problems.screen,
        roots,
        started,
        file_systems,
        writer: None,
        losses: Losses::default(),
    };
    let mut merged = 0;
    for part in parts.iter_mut() {
        let before = problems.status;
        let count = copy(part, &mut to, problems)?;
        merged += count;
        let expected = part.shard.files;
        if count != expected && problems.status == before {
            let what = format!(
                "{}: lists {} of the {} of shard {}; look at what could not be read, and write it again",
                part.name,
                text::count(count),
                text::counted(expected, "file"),
                part.shard.index
            );
            problems.say(Status::UNREADABLE, &what);
        }
    }
    if to.writer.is_none()
        && problems.status == Status::OK
        && let Some(first) = parts.first().filter(|first| first.shard.listing.files == 0)
    {
        to.start_empty(first.items.get_ref())?;
    }
    let (losses, format) =
        (std::mem::take(&mut to.losses), to.writer.as_ref().map(|(writer, ..)| writer.format()));
    to.finish(problems.status == Status::OK)?;
    Ok((merged, format.map(|format| (losses, format, has_header(args, format)))))
}

/// Copies the entries of a shard; returns how many files with digests there were.
fn copy(part: &mut Part, to: &mut New<'_>, problems: &mut Problems<'_>) -> anyhow::Result<u64> {
    /// How many bad lines of one file are said.
    const MOST_SAID: u64 = 20;
    let (mut count, mut bad) = (0, 0);
    let (before, through) = part.shard.names;
    let mut names = before;
    let format = part.items.get_ref().format();
    let mut say = |what: String, problems: &mut Problems<'_>| {
        bad += 1;
        problems.status |= Status::UNREADABLE;
        if bad <= MOST_SAID {
            problems.screen.message(&format!("{}: {what}", part.name));
        }
    };
    for item in part.begun.drain(..).chain(&mut part.items) {
        let item = match item {
            Ok(item) => item,
            Err(LineProblem { kind: kind @ ProblemKind::ColumnNotRead { .. }, .. }) => {
                problems.screen.message(&format!("{}: {kind}", part.name));
                continue;
            }
            Err(problem) if problem.is_entry() || matches!(problem.kind, ProblemKind::Input(_)) => {
                say(problem.to_string(), problems);
                continue;
            }
            Err(_) => continue,
        };
        if !is_read(&item) {
            say(format!("{}: was not read", text::name(item.path.as_bytes())), problems);
            continue;
        }
        names.pass(item.path.as_bytes());
        match to.write(&item, format)? {
            None => count += 1,
            Some(problem) => say(problem, problems),
        }
    }
    manifests::say_commented_out(problems.screen, &part.name, part.items.get_ref().commented_out(), "merged");
    if count == part.shard.files && names != through {
        problems.say(
            Status::UNREADABLE,
            &format!(
                "{}: lists other names than shard {} should; write it again",
                part.name, part.shard.index
            ),
        );
    }
    if part.items.get_ref().header_shards().len() != 1 {
        problems.say(Status::UNREADABLE, &several(&part.name));
    }
    Ok(count)
}

/// The manifest that is written, from its first entry on.
struct New<'a> {
    args: &'a MergeArgs,
    screen: &'a Screen,
    roots: Vec<ItemPath>,
    file_systems: Vec<NonZeroU64>,
    /// When the first shard began to be read; `None` if one of them does not say so.
    started: Option<Timestamp>,
    writer: Option<(Writer<Output>, Place, Vec<Algorithm>)>,
    losses: Losses,
}

impl New<'_> {
    /// Writes an entry of a shard. Some text, if it has no place there.
    fn write(&mut self, item: &Item, format: Format) -> anyhow::Result<Option<String>> {
        let (writer, place, algorithms) = match &mut self.writer {
            Some(started) => started,
            None => {
                let algorithms = item.digests.iter().map(Digest::algorithm).collect();
                let started = self.start(algorithms, format)?;
                self.writer.insert(started)
            }
        };
        let has = |algorithm: &Algorithm| item.digests.iter().any(|digest| digest.algorithm() == *algorithm);
        let name = || text::name(item.path.as_bytes());
        if item.digests.len() != algorithms.len() || !algorithms.iter().all(has) {
            return Ok(Some(format!(
                "{}: its digests are not {}, as those before",
                name(),
                names(algorithms)
            )));
        }
        match writer.item(item) {
            Ok(()) => {
                self.losses.note(item, writer.format(), writer.has_inodes(), algorithms);
                Ok(None)
            }
            Err(Error::Output { source }) => Err(place.failed(&source)),
            Err(error) => Ok(Some(manifests::told(&error))),
        }
    }

    /// Starts one of a listing without files, which has no entry.
    fn start_empty(&mut self, shard: &Reader<'_>) -> anyhow::Result<()> {
        let algorithms = match shard.algorithms() {
            [] => sum::algorithms(&[]).to_vec(),
            algorithms => algorithms.to_vec(),
        };
        self.writer = Some(self.start(algorithms, shard.format())?);
        Ok(())
    }

    /// Starts it, in the format of the first shard unless another one is asked for.
    fn start(
        &self,
        algorithms: Vec<Algorithm>,
        format: Format,
    ) -> anyhow::Result<(Writer<Output>, Place, Vec<Algorithm>)> {
        let asked = &self.args.format;
        let format = self::format(self.args, &algorithms, format);
        sum::refuse_strict(asked, format)?;
        if let Some(path) = &self.args.output {
            refuse_misleading_name("--output", path, format, &algorithms)?;
        }
        let header = has_header(self.args, format).then(|| Header {
            roots: self.roots.clone(),
            started: self.started,
            file_systems: self.file_systems.clone(),
            ..sum::header_of_this_run()
        });
        let options = write_options(self.args, header);
        let output = Output::open(self.args.output.as_deref(), self.screen)?;
        let place = output.place();
        let writer = output.writer(format, &algorithms, &options, manifests::told)?;
        Ok((writer, place, algorithms))
    }

    /// Puts it in its place, if it is complete.
    fn finish(self, is_complete: bool) -> anyhow::Result<()> {
        let Some((writer, place, _)) = self.writer else {
            return Err(Ended::unreadable("no shard lists a file; nothing was written"));
        };
        let ended = if is_complete { writer.finish() } else { writer.leave() };
        let output = ended.map_err(|error| match error {
            Error::Output { source } => place.failed(&source),
            error => Ended::output(error),
        })?;
        if is_complete { output.finish() } else { output.leave(self.screen) }
    }
}
