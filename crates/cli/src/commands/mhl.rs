//! `hashlane mhl`: histories of ASC MHL.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;
use hashlane_engine::{Input, Sink, Stop, Taken, WalkOptions};
use hashlane_io::directory_of;
use hashlane_mhl::{Error, FOLDER, FoundNames, History, Making, Patterns, Read, Wrong};
use hashlane_record::{ItemPath, Outcome, Record};
use hashlane_report::{chain_text, text};

use crate::args::{CheckArgs, MhlArgs, MhlCommand, MhlCreateArgs, MhlInfoArgs};
use crate::commands::bench::print;
use crate::commands::check;
use crate::inputs::first_given;
use crate::session::Session;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// The options of a check, where nobody gives any.
#[derive(clap::Parser)]
struct Checking {
    #[command(flatten)]
    check: CheckArgs,
}

pub(crate) fn run(args: &MhlArgs) -> anyhow::Result<Status> {
    match &args.command {
        MhlCommand::Create(args) => create(args),
        MhlCommand::Verify(args) => {
            let quiet = args.quiet.then_some("--quiet");
            let check = Checking::parse_from(std::iter::once("check").chain(quiet)).check;
            verify(&args.directory, check)
        }
        MhlCommand::Info(args) => info(args),
    }
}

/// The directory of the history that a check is asked for, if it is.
pub(crate) fn history_of(args: &CheckArgs) -> Option<PathBuf> {
    let [only] = &args.manifests[..] else { return None };
    let folder = Path::new(only);
    let is_history = folder.file_name().is_some_and(|name| name == FOLDER) && folder.is_dir() && !args.audit;
    is_history.then(|| directory_of(folder).to_owned())
}

/// Checks the lists of a history, and then the files by what they have.
pub(crate) fn verify(directory: &Path, mut args: CheckArgs) -> anyhow::Result<Status> {
    let of_lists = [
        (args.base.is_some(), "--base"),
        (args.beside, "--beside"),
        (args.names.is_some(), "--names"),
        (args.strip_prefix.is_some(), "--strip-prefix"),
        (args.manifest_format.is_some(), "--manifest-format"),
        (args.algorithm.is_some(), "--algorithm"),
    ];
    if let Some(option) = first_given(&of_lists) {
        return Err(Ended::usage(format!(
            "{option}: a history of ASC MHL is about the directory that it lies in, and says what its digests are; leave it out"
        )));
    }
    let history = History::open(directory).map_err(ended)?;
    let screen = Screen::plain();
    let mut status = said(&history, &screen);
    let (listing, patterns) = (history.listing(), history.patterns());
    let ignores = Patterns::new(&patterns).map_err(ended)?;
    for name in listing.missing_directories(directory, &ignores) {
        screen.message(&format!("{}: the directory is missing", text::name(name.as_bytes())));
        status |= Status::MISSING;
    }
    let temporary = |source| Ended::output(format!("no temporary file: {}", text::system(&source)));
    let mut list =
        tempfile::Builder::new().prefix("history-").suffix(".mhl").tempfile().map_err(temporary)?;
    listing.write(&mut list).map_err(temporary)?;
    let mut ignored = tempfile::NamedTempFile::new().map_err(temporary)?;
    for pattern in &patterns {
        writeln!(ignored, "{pattern}").map_err(temporary)?;
    }
    list.flush().and_then(|()| ignored.flush()).map_err(temporary)?;
    args.manifests = vec![list.path().into()];
    args.base = Some(directory.to_owned());
    args.complete = true;
    args.filter.ignore_file.push(ignored.path().to_owned());
    status |= check::run(&args)?;
    Ok(status)
}

/// Says what is wrong with the lists of a history.
fn said(history: &History, screen: &Screen) -> Status {
    let mut all = Status::OK;
    for finding in history.findings() {
        let (what, status) = match &finding.wrong {
            Wrong::Changed => ("differs from its C4 ID in the chain", Status::MISMATCH),
            Wrong::Missing => ("is missing", Status::MISSING),
            Wrong::Unlisted => ("is not in the chain", Status::EXTRA),
            Wrong::Malformed(what) => (&what[..], Status::UNREADABLE),
            _ => ("is not as it should be", Status::UNREADABLE),
        };
        screen.message(&format!("{}: {what}", text::name(finding.path.as_bytes())));
        all |= status;
    }
    all
}

fn ended(error: Error) -> anyhow::Error {
    match error {
        error @ (Error::NoHistory { .. } | Error::Algorithm { .. } | Error::Pattern { .. }) => {
            Ended::usage(error.to_string())
        }
        error => Ended::unreadable(error.to_string()),
    }
}

/// Keeps what was read.
#[derive(Default)]
struct Found {
    read: BTreeMap<String, Read>,
    unread: Vec<(ItemPath, String)>,
}

impl Sink for Found {
    fn record(&mut self, record: Record) -> Taken {
        match record.facts.filter(|_| record.outcome == Outcome::Read) {
            Some(facts) => {
                let (size, modified, digests) = (facts.size_bytes, facts.modified, record.digests);
                let name = String::from_utf8_lossy(record.path.as_bytes()).into_owned();
                self.read.insert(name, Read { size, modified, digests });
            }
            None => {
                let problem = record.outcome.problem().map(ToString::to_string);
                let why = problem.unwrap_or_else(|| "nothing is known of it".to_owned());
                self.unread.push((record.path, why));
            }
        }
        Ok(())
    }
}

fn create(args: &MhlCreateArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, false)?;
    let directory = &args.directory;
    let opened = super::bag::open(directory.as_os_str(), "name the directory to record")?;
    let history = History::open_or_begin(directory).map_err(ended)?;
    let screen = session.screen().clone();
    let mut status = said(&history, &screen);
    if status != Status::OK {
        screen.message("nothing was recorded, because the history is not whole");
        return Ok(status);
    }
    let making = Making {
        algorithms: args.algorithm.clone(),
        directory_hashes: !args.no_directory_hashes,
        detects_renaming: args.detect_renaming,
        patterns: args.ignore.clone(),
        tool: ("hashlane".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
    };
    let needed = making.needed(&history).map_err(ended)?;
    let patterns = Patterns::new(&making.all_patterns(&history)).map_err(ended)?;
    let tree = FoundNames::look(directory, &patterns).map_err(ended)?;
    let place = std::iter::once(directory.as_os_str());
    let options = session.options(needed[..].into(), WalkOptions::default(), place);
    let algorithms = Arc::clone(&options.algorithms);
    let input = |name: &String| {
        Input::file(ItemPath::from(&name[..]), Some(Arc::clone(&opened)), &algorithms, [].into())
    };
    let inputs: Vec<_> = tree.files.iter().map(input).collect();
    let mut found = Found::default();
    let (run, ran) = session.run(Stop::Drained, |control| {
        hashlane_engine::run(options, inputs.into_iter(), &mut found, control)
    })?;
    let summary = run?;
    ran.die_if_interrupted(&summary);
    for (path, why) in &found.unread {
        screen.message(&format!("{}: {why}", text::name(path.as_bytes())));
    }
    if !found.unread.is_empty() {
        let files = text::counted(found.unread.len() as u64, "file");
        return Err(Ended::unreadable(format!("{files} could not be read; nothing was recorded")));
    }
    let made = making
        .write(directory, &history, &tree, &patterns, &found.read)
        .map_err(|error| Ended::output(format!("cannot record: {error}")))?;
    let shown = |name: &String| text::name(name.as_bytes());
    let wrong = [(&made.failed, "FAILED", Status::MISMATCH), (&made.missing, "MISSING", Status::MISSING)];
    for (names, what, found) in wrong {
        for name in names {
            screen.message(&format!("{}: {what}", shown(name)));
            status |= found;
        }
    }
    if !args.quiet {
        for (old, new) in &made.renamed {
            screen.message(&format!("{}: was {}", shown(new), shown(old)));
        }
        for path in &made.written {
            screen.message(&format!("wrote {}", crate::output::shown(path)));
        }
        ran.close(None, &summary);
    }
    ran.learn(&summary);
    Ok(status)
}

fn info(args: &MhlInfoArgs) -> anyhow::Result<Status> {
    let history = History::open(&args.directory).map_err(ended)?;
    print(&chain_text(&history))?;
    Ok(said(&history, &Screen::plain()))
}
