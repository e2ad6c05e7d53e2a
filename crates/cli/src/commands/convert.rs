//! `hashlane convert`: a manifest in another format.

mod add;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::Algorithm;
use hashlane_known::Nsrl;
use hashlane_manifest::{Ahead, Error, Format, Header, Item, LineProblem, Losses, ProblemKind, ReadOptions};
use hashlane_record::{ItemPath, without_secrets};
use hashlane_report::text;
use hashlane_verify::add::places_of;
use hashlane_verify::lists::ListOptions;
use hashlane_verify::{Base, OutOfPlace, Places};

use crate::args::ConvertArgs;
use crate::commands::known::failed as database_failed;
use crate::commands::listed::open_base;
use crate::commands::sum;
use crate::manifests::{self, OptionNames, Refused, STDIN};
use crate::new_list::{self, NewList, Target};
use crate::output::{refuse_existing, refuse_input_as, shown};
use crate::partial::Existing;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// How many names and lines are said one by one.
const MAX_SAID: u64 = 20;

/// Where the files of IN are read, which is not empty.
fn places(args: &ConvertArgs, entries: &Ahead) -> anyhow::Result<(Places, Option<Base>)> {
    let base = open_base(args.base.as_deref())?;
    let reading = ListOptions {
        format: args.from,
        algorithm: args.from_algorithm,
        zero: args.from_zero,
        pieces: false,
    };
    let first = &entries.first().expect("there is an entry").path;
    let places = places_of(&args.input, &reading, first, base.as_ref());
    let places = places.map_err(|error| {
        let (list, name) = (manifests::shown(&args.input), text::name(first.as_bytes()));
        match (error, &args.base) {
            (hashlane_verify::Error::OutOfPlace { why: OutOfPlace::Outside, .. }, Some(base)) => Ended::usage(format!(
                "{list}: {name} does not lie below --base {}; name the directory that it lies in, or leave it out",
                shown(base)
            )),
            (hashlane_verify::Error::OutOfPlace { .. }, _) => Ended::usage(format!(
                "--add: {list}: {name} is an object, and files are read; `hashlane sum --algorithm` lists objects with more digests"
            )),
            (error, _) => manifests::failed_as(&error, CALLED),
        }
    })?;
    Ok((places, base))
}

/// The options by which it is said how IN is to be read.
const CALLED: OptionNames =
    OptionNames { task: "convert", format: "--from", zero: "--from-zero", ..OptionNames::USUAL };

pub(super) fn run(args: &ConvertArgs) -> anyhow::Result<Status> {
    let screen = Screen::plain();
    let path = args.output.as_deref().filter(|path| path.as_os_str() != STDIN);
    refuse_input_as("", path, std::iter::once(args.input.as_os_str()))?;
    if !args.force {
        refuse_existing(path)?;
    }
    if args.reading.device.from_medium && args.add.is_empty() {
        return Err(Ended::usage("--from-medium: no file is read without --add; leave it out"));
    }
    let mut source = manifests::open(&args.input)?;
    if args.from.is_none() && source.is_regular() && Nsrl::is_database(source.beginning()) {
        return convert_database(args, path, Said::new(screen, manifests::shown(&args.input)));
    }
    let options = ReadOptions {
        format: args.from,
        // Of a manifest with tags the others are wanted to be left out, not to be contradicted.
        algorithm: args.from_algorithm,
        fallback: match args.algorithm[..] {
            [only] if args.add.is_empty() => Some(only),
            _ => None,
        },
        zero: args.from_zero,
        ..ReadOptions::default()
    };
    let called = match args.from_algorithm {
        Some(_) => OptionNames { algorithm: Some("--from-algorithm"), ..CALLED },
        None => CALLED,
    };
    let reader = manifests::read(source, &options, called).map_err(|refused| match refused {
        Refused::Ambiguous { asking: error, .. } if !args.add.is_empty() => {
            Ended::usage(format!("{error}; with --add, name the algorithm with --from-algorithm"))
        }
        refused => refused.into_error(),
    })?;
    let from = reader.format();
    if from.is_known_set() && !args.add.is_empty() {
        return Err(known_set_to_read(args, from.name()));
    }
    let said = Said::new(screen, manifests::shown(&args.input));
    let Some(mut entries) = Ahead::read(reader.merged(), &mut |problem| said.pass_over(problem)) else {
        return Err(Ended::unreadable(format!(
            "{}: no entry could be parsed; nothing was written",
            said.source
        )));
    };
    // Before anything is written.
    let places = if args.add.is_empty() { None } else { Some(places(args, &entries)?) };
    let listed = entries.reader();
    let algorithms = algorithms(args, &entries);
    // With --add all is read now; otherwise all is as it was when it was listed.
    let started =
        if args.add.is_empty() { listed.header_started() } else { sum::header_of_this_run().started };
    let header = Header {
        roots: listed
            .header_roots()
            .iter()
            .map(|root| ItemPath::from(&*without_secrets(root.as_bytes())))
            .collect(),
        started,
        file_systems: listed.header_file_systems().to_vec(),
        ..sum::header_of_this_run()
    };
    let mut new = start(args, path, &algorithms, header, &said)?;
    said.tally().columns = listed.columns_passed_over().to_vec();
    said.tally().drops_header = listed.has_header() && !new.has_header;
    if let Some(places) = places {
        return add::run(args, entries, new, said, places);
    }
    while let Some(entry) = said.next(&mut entries) {
        write(&mut new, &entry, &said)?;
    }
    let (to, listed) = (new.format(), entries.reader());
    // Of lists that were put behind each other the first one need not be the oldest.
    let is_dated = !args.format.header || listed.header_started() == started;
    said.tally().drops_header = listed.has_header() && !new.has_header;
    finish(new, &said, is_dated)?;
    if !is_dated {
        return Err(Ended::usage(format!(
            "--header: {} is several lists, and its first header has not the time of the oldest; convert them one by one, or leave out --header",
            said.source
        )));
    }
    Ok(said.close(args, from.name(), to))
}

/// Says that files are to be read of a set of known contents, in a format.
fn known_set_to_read(args: &ConvertArgs, format: &str) -> anyhow::Error {
    Ended::usage(format!(
        "--add: {} is a set of known contents ({format}), whose names are from another machine; there is nothing to read",
        manifests::shown(&args.input)
    ))
}

/// Converts a database of NSRL (RDS 3).
fn convert_database(args: &ConvertArgs, path: Option<&Path>, said: Said) -> anyhow::Result<Status> {
    if !args.add.is_empty() {
        return Err(known_set_to_read(args, "nsrl-sqlite"));
    }
    let database =
        Nsrl::open(Path::new(&args.input)).map_err(|error| database_failed(&said.source, &error))?;
    let algorithms = match args.algorithm.is_empty() {
        true => database.algorithms().to_vec(),
        false => args.algorithm.clone(),
    };
    // Nobody has verified any file.
    let header = Header { started: None, ..sum::header_of_this_run() };
    let mut new = start(args, path, &algorithms, header, &said)?;
    let mut rows = 0_u64;
    let read = database.for_each::<anyhow::Error>(|row| {
        rows += 1;
        if let Some(column) = row.bad {
            said.bad(&format!("row {}: its {column} is not a digest; the row is left out", row.number));
            return Ok(());
        }
        let (line, size, digests) = (row.number, row.size, row.digests);
        let path = ItemPath::from(&row.name[..]);
        let item = Item { line, path, size, modified: None, digests, ..Item::default() };
        write(&mut new, &item, &said)
    });
    read.map_err(|error| match error.downcast() {
        Ok(error) => database_failed(&said.source, &error),
        Err(error) => error,
    })?;
    if rows == 0 {
        return Err(Ended::unreadable(format!(
            "{}: its table FILE has no rows; nothing was written",
            said.source
        )));
    }
    let to = new.format();
    finish(new, &said, true)?;
    Ok(said.close(args, "nsrl-sqlite", to))
}

/// Starts the manifest that is written. With it comes what is written to.
fn start(
    args: &ConvertArgs,
    path: Option<&Path>,
    algorithms: &[Algorithm],
    header: Header,
    said: &Said,
) -> anyhow::Result<NewList> {
    let existing = if args.force { Existing::Replaced } else { Existing::Kept };
    let target = Target { option: "", path, existing, screen: &said.screen };
    let format = sum::format(&args.format, path, algorithms);
    new_list::start(target, &args.format, format, algorithms, header, |error| {
        format!("{}{}", manifests::told(error), way_out(error, algorithms))
    })
}

/// Writes an entry; says if it cannot be held.
fn write(list: &mut NewList, entry: &Item, said: &Said) -> anyhow::Result<()> {
    let bare = match without_secrets(entry.path.as_bytes()) {
        Cow::Borrowed(_) => None,
        Cow::Owned(name) => Some(Item { path: ItemPath::from(name), ..entry.clone() }),
    };
    match list.item(bare.as_ref().unwrap_or(entry))? {
        None => {
            let mut tally = said.tally();
            tally.secrets += u64::from(bare.is_some());
            tally.written += 1;
        }
        Some(error) => said.bad(&format!("line {}: {}", entry.line, manifests::told(&error))),
    }
    Ok(())
}

/// Leaves what was written of a manifest that failed, if anything was.
fn leave(list: NewList, said: &Said) -> anyhow::Result<()> {
    let Ok(output) = list.end(false) else { return Ok(()) };
    if said.tally().written == 0 { output.withdraw(&said.screen) } else { output.leave(&said.screen) }
}

/// Puts it in its place, if it is complete and holds anything.
fn finish(mut list: NewList, said: &Said, complete: bool) -> anyhow::Result<()> {
    said.tally().losses = std::mem::take(&mut list.losses);
    // What was cut off before stays marked as that.
    let is_cut = said.tally().is_cut;
    let output = new_list::end(list, complete && !is_cut)?;
    let written = said.tally().written;
    match written {
        0 => output.withdraw(&said.screen),
        _ if complete => output.finish(),
        _ => output.leave(&said.screen),
    }
}

/// What to write: what was asked for, or what the manifest has and what is added.
fn algorithms(args: &ConvertArgs, entries: &Ahead) -> Vec<Algorithm> {
    if !args.algorithm.is_empty() {
        return args.algorithm.clone();
    }
    let mut algorithms = entries.algorithms();
    Algorithm::unite(&mut algorithms, args.add.iter().copied());
    algorithms
}

/// What to do where a format does not take the algorithms.
fn way_out(error: &Error, algorithms: &[Algorithm]) -> String {
    match (error, algorithms) {
        (Error::OneAlgorithmOnly { .. }, [first, ..]) => format!("; or choose one with --algorithm {first}"),
        _ => String::new(),
    }
}

/// Says what entries had that a list in this format does not hold.
pub(super) fn say_losses(screen: &Screen, losses: &Losses, to: Format) {
    let (lost, digests) = (losses.not_held(), losses.digests());
    if !lost.is_empty() {
        screen.message(&format!("{} were dropped: {to} cannot store them", text::listed(&lost)));
    }
    if losses.lost_undated_inodes() {
        screen.message("inodes were dropped: without --header, which tells their age, they prove nothing");
    }
    if !digests.is_empty() {
        screen.message(&format!("digests that were not requested were dropped: {}", digests.join(", ")));
    }
}

/// Says which columns of a table nobody knows here.
pub(super) fn say_passed_over(screen: &Screen, source: &str, columns: &[String]) {
    if !columns.is_empty() {
        screen.message(&format!("{source}: columns that are not known were dropped: {}", columns.join(", ")));
    }
}

/// Says that a list had a header, and that which is written has none.
pub(super) fn say_header_dropped(screen: &Screen, to: Format) {
    match to.holds_header() {
        true => screen.message("the header was dropped; --header writes one"),
        false => screen.message(&format!("the header was dropped: {to} cannot store it")),
    }
}

/// What there is to say of a conversion. Its clones share what they count.
#[derive(Clone)]
struct Said {
    screen: Screen,
    source: String,
    tally: Arc<Mutex<Tally>>,
}

/// What was found.
#[derive(Default)]
struct Tally {
    written: u64,
    /// Entries that were not understood, or cannot be held.
    bad: u64,
    /// Entries whose files are not as listed.
    failed: u64,
    /// Lines that are no entries.
    noise: u64,
    /// Entries that stand behind the mark of a comment.
    commented_out: u64,
    /// Names that are written without the secrets of a URL.
    secrets: u64,
    /// The rest is missing.
    is_cut: bool,
    /// What the new list does not hold.
    losses: Losses,
    /// Columns that mean nothing here.
    columns: Vec<String>,
    drops_header: bool,
}

impl Tally {
    /// Entries that are not in the new list.
    fn left_out(&self) -> u64 {
        self.bad + self.failed
    }
}

impl Said {
    fn new(screen: Screen, source: String) -> Self {
        Self { screen, source, tally: Arc::default() }
    }

    /// The next entry; what is not an entry is said and passed over.
    fn next(&self, entries: &mut Ahead) -> Option<Item> {
        let entry = entries.next(&mut |problem| self.pass_over(problem));
        if entry.is_none() {
            self.tally().commented_out = entries.reader().commented_out();
        }
        entry
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what is not an entry, or not one that can be understood.
    fn pass_over(&self, problem: LineProblem) {
        match problem {
            LineProblem { kind: ProblemKind::Input(error), line, .. } => {
                self.tally().is_cut = true;
                self.bad(&format!("line {line}: {}; the rest was not read", text::system(&error)));
            }
            problem if problem.is_entry() => {
                self.tally().is_cut |=
                    matches!(problem.kind, ProblemKind::Table { .. } | ProblemKind::TableBrokenOff);
                self.bad(&problem.to_string());
            }
            LineProblem { kind: kind @ ProblemKind::ColumnNotRead { .. }, .. } => {
                self.screen.message(&format!("{}: {kind}", self.source));
            }
            _ => self.tally().noise += 1,
        }
    }

    fn bad(&self, what: &str) {
        let mut tally = self.tally();
        tally.bad += 1;
        if tally.bad <= MAX_SAID {
            self.screen.message(&format!("{}: {what}", self.source));
        }
    }

    /// Of files that are not as listed none is passed over in silence.
    fn failed(&self, what: &str) {
        self.tally().failed += 1;
        self.screen.message(&format!("{}: {what}", self.source));
    }

    /// The closing lines, and the exit code.
    fn close(&self, args: &ConvertArgs, from: &str, to: Format) -> Status {
        let tally = self.tally();
        if tally.bad > MAX_SAID {
            self.screen.message(&format!("and {} more", text::count(tally.bad - MAX_SAID)));
        }
        manifests::say_commented_out(&self.screen, &self.source, tally.commented_out, "converted");
        if !args.quiet {
            let mut line = format!("{}: {from} to {to}", text::counted(tally.written, "listed file"));
            let left_out = tally.left_out();
            if left_out > 0 {
                line += &format!(", {} left out", text::count(left_out));
            }
            if tally.noise > 0 {
                line += &format!(", {} without a file skipped", text::counted(tally.noise, "line"));
            }
            self.screen.message(&line);
            if tally.secrets > 0 {
                let names = text::counted(tally.secrets, "name");
                let verb = if tally.secrets == 1 { "was" } else { "were" };
                self.screen.message(&format!(
                    "{names} {verb} written without the secrets of URLs, as `hashlane sum` names objects"
                ));
            }
            say_losses(&self.screen, &tally.losses, to);
            say_passed_over(&self.screen, &self.source, &tally.columns);
            if tally.drops_header {
                say_header_dropped(&self.screen, to);
            }
        }
        if tally.bad > 0 { Status::UNREADABLE } else { Status::OK }
    }
}
