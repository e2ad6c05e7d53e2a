//! From settings to lines: files are read and handed to whoever makes lines of them.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;

use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Error, Halt, Input, Options, Taken};
use hashlane_io::{StandardInput, start_thread};
use hashlane_record::{ItemPath, counted, system_text};

use super::document::Document;
use super::hashdeep::Hashdeep;
use super::hashed::Hashed;
use super::names::bare;
use super::options::Ends;
use super::printer::Printer;
use super::reading::{FileReading, Piece, Unread, of_beginning};
use super::settings::{Family, Files, Settings};
use super::single::Single;
use super::sources::{Item, Sources, walk};
use super::taker::{AnyLines, SAID, STDIN, Taker, times};
use super::voice::Voice;
use super::{FAILURE, INTERNAL_ERROR, banner, unwritten};

/// Files that are found ahead of being read.
const AHEAD: usize = 1024;

/// Reads what was asked for; gives the exit code.
pub(super) fn run(mut settings: Settings, voice: &Voice, command: &[OsString]) -> Result<u8, Ends> {
    let as_is = settings.as_is;
    let mut files = std::mem::take(&mut settings.files);
    let current = std::env::current_dir().map_err(|error| {
        voice.fatal(system_text(&error));
        Ends(FAILURE)
    })?;
    let current = current.as_os_str().as_bytes();
    let from_stdin = files.operands.is_empty() && files.list.is_none();
    if from_stdin && files.triage {
        voice.fatal("Processing stdin not supported in Triage mode");
        return Err(Ends(FAILURE));
    }
    if voice.documented {
        // A document has no place for the first, and not even the size of what is not read.
        (files.triage, files.stars) = (false, false);
    }
    let files = Arc::new(files);
    let sources = Sources::open(&files, voice, current).map_err(|error| {
        let list = files.list.as_deref().unwrap_or_default();
        voice.write(&[b"Cannot open ", list.as_bytes(), b": ", system_text(&error).as_bytes(), b"\n"]);
        Ends(FAILURE)
    })?;
    let output = voice.host.open(settings.output.as_deref().map(Path::new)).map_err(|error| {
        voice.fatal(error.to_string());
        Ends(FAILURE)
    })?;
    let excluded = output.identities();
    let mut printer = Printer::new(output, voice.clone(), settings.output.is_some());
    let algorithms: Arc<[Algorithm]> = settings.algorithms.clone().into();
    let threads = settings.threads;
    let command: Vec<_> = command.iter().map(|argument| argument.as_bytes().to_vec()).collect();
    if voice.documented {
        let begun = printer.begin(Document::new(&algorithms), &command);
        begun.map_err(|error| unwritten(voice, &error))?;
    }
    let lines = match settings.family {
        Family::Hashdeep => {
            let banner = banner::text(&algorithms, current, &command);
            AnyLines::Hashdeep(Hashdeep::new(settings, voice.clone(), printer, banner))
        }
        Family::Single(algorithm) => {
            AnyLines::Single(Single::new(algorithm, files.triage, settings, voice.clone(), printer))
        }
    };
    let mut taker = Taker::new(lines, voice.clone());
    if files.reads_itself() {
        let done = in_turn(&mut taker, sources, &files, &algorithms, &excluded, from_stdin);
        done.or_else(Halt::into_result).map_err(|error| ended(voice, error))?;
    } else {
        let options = options(&files, algorithms, threads, excluded);
        together(&mut taker, sources, options, from_stdin)?;
    }
    let (code, printer) = taker.lines.finish().map_err(|error| unwritten(voice, &error))?;
    printer.finish().map_err(|error| unwritten(voice, &error))?.finish().map_err(|error| {
        voice.fatal(error.to_string());
        Ends(FAILURE)
    })?;
    // A script may rely on success although links lead nowhere.
    Ok(if voice.has_unread() && !as_is { code.max(FAILURE) } else { code })
}

/// How the engine reads.
fn options(
    files: &Files,
    algorithms: Arc<[Algorithm]>,
    threads: Option<usize>,
    excluded: Vec<(u64, u64)>,
) -> Options {
    let mut options = Options::new(algorithms);
    options.workers = threads.map(|threads| threads.max(1));
    options.walk = walk(files);
    options.excluded = excluded;
    options
}

/// Reads everything by the engine, side by side; lines leave in the order of the files.
fn together(taker: &mut Taker, sources: Sources, options: Options, from_stdin: bool) -> Result<(), Ends> {
    let with_kinds = sources.has_kinds();
    let voice = taker.voice.clone();
    let algorithms = Arc::clone(&options.algorithms);
    let of_file = {
        let algorithms = Arc::clone(&algorithms);
        move |item| match item {
            Item::Tree(path) => Input::Path(path),
            Item::File(path) => Input::file(path, None, &algorithms, [].into()),
            // No file can have this name, so that it comes back in its place, and unread.
            Item::Said { path, text } => {
                let tag = [SAID, text.as_bytes(), b"\0", path.as_bytes()].concat();
                Input::file(ItemPath::from(b"\0".as_slice()), None, &algorithms, tag.into())
            }
        }
    };
    let inputs: Box<dyn Iterator<Item = Input> + Send> = if from_stdin {
        Box::new(std::iter::once(Input::Stdin { tag: STDIN.into(), algorithms, division: None }))
    } else {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        let find = move || {
            // Nobody receives any more once the run was broken off.
            let _ = sources.all(&mut |item| sender.send(item).map_err(|_| Halt::Enough));
        };
        start_thread("finder", find).map_err(|error| {
            voice.fatal(format!("cannot start a thread: {}", system_text(&error)));
            Ends(FAILURE)
        })?;
        Box::new(receiver.into_iter().map(of_file))
    };
    let summary = hashlane_engine::run(options, inputs, taker, &Arc::new(Control::new()))
        .map_err(|error| ended(&voice, error))?;
    // What -o does not name is passed over on purpose.
    let special = if with_kinds { 0 } else { summary.skipped.special };
    if special > 0 {
        let files = counted(special, "special file");
        voice.error(format!("{files} passed over (pipes, sockets, devices); use -o to read them"));
    }
    Ok(())
}

/// Says why a run did not come to its end.
fn ended(voice: &Voice, error: Error) -> Ends {
    match error {
        Error::Sink(why) => match why.downcast::<io::Error>() {
            Ok(why) => unwritten(voice, &why),
            Err(why) => {
                voice.fatal(why.to_string());
                Ends(INTERNAL_ERROR)
            }
        },
        error => {
            voice.fatal(error.to_string());
            Ends(if matches!(error, Error::Lost(..)) { INTERNAL_ERROR } else { FAILURE })
        }
    }
}

/// Reads one file after the other, in pieces.
fn in_turn(
    taker: &mut Taker,
    sources: Sources,
    files: &Files,
    algorithms: &[Algorithm],
    excluded: &[(u64, u64)],
    from_stdin: bool,
) -> Taken {
    let mut reading = FileReading::new(algorithms, files);
    if from_stdin {
        taker.is_stdin = true;
        taker.begin(STDIN);
        let mut each = |piece: Piece<'_>| taker.piece(STDIN, &piece);
        let whole = reading.stream(&mut StandardInput, &mut each);
        return taker.whole(STDIN, whole, files);
    }
    sources.all(&mut |item| {
        let path = match item {
            Item::File(path) | Item::Tree(path) => path,
            Item::Said { path, text } => return taker.say(path.as_bytes(), &text),
        };
        taker.facts = None;
        let mut file = match open(&path, excluded) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(()),
            Err(error) => return taker.whole(path.as_bytes(), Err(Unread::Open(error)), files),
        };
        taker.facts = file.metadata().ok().map(|facts| times(&facts));
        let size = file.metadata().map_or(0, |facts| facts.len());
        if files.threshold.is_some_and(|threshold| size > threshold) {
            let name = if taker.bare { bare(path.as_bytes()) } else { path.as_bytes() };
            return taker.take(&Hashed { size, ..Hashed::named(name) });
        }
        taker.triage = None;
        if let Some(&algorithm) = algorithms.first().filter(|_| files.triage) {
            match of_beginning(&file, algorithm) {
                Ok(digest) => taker.triage = Some((size, digest)),
                Err(error) => return taker.whole(path.as_bytes(), Err(Unread::Read(0, error)), files),
            }
        }
        taker.begin(path.as_bytes());
        let mut each = |piece: Piece<'_>| taker.piece(path.as_bytes(), &piece);
        let whole = reading.file(&mut file, &mut each);
        taker.whole(path.as_bytes(), whole, files)
    })
}

/// Opens a file, unless the results go to it.
fn open(path: &ItemPath, excluded: &[(u64, u64)]) -> io::Result<Option<File>> {
    let file = File::open(path.as_path())?;
    let facts = file.metadata()?;
    Ok((!excluded.contains(&(facts.dev(), facts.ino()))).then_some(file))
}
