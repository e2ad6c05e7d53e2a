//! The manifests that a command is given: their names, and what is said where one cannot be read.

use std::ffi::{OsStr, OsString};
use std::io;

use hashlane_audit::diff::{Error as Sorting, SortError};
use hashlane_digest::Algorithm;
use hashlane_io::StandardInput;
use hashlane_manifest::{Error as ManifestError, ReadOptions, Reader, Remedy};
use hashlane_report::text;
use hashlane_verify::lists::{self, ListOptions};
use hashlane_verify::{Doubt, Error, Note, Notes};

use crate::args::CheckArgs;
use crate::hints;
use crate::output::shown as shown_path;
use crate::status::{Ended, Status, way_out};
use crate::terminal::screen::Screen;

pub(crate) use hashlane_report::text::list as shown;
pub(crate) use hashlane_verify::lists::{STDIN, Source};

/// The manifests to read; none named: standard input.
pub(crate) fn names(args: &CheckArgs) -> Vec<OsString> {
    if args.manifests.is_empty() { vec![STDIN.into()] } else { args.manifests.clone() }
}

/// How they are read.
pub(crate) fn reading(args: &CheckArgs) -> ListOptions {
    ListOptions {
        format: args.manifest_format,
        algorithm: args.algorithm,
        zero: args.zero,
        pieces: args.pieces,
    }
}

/// What the options are called that say how a manifest is to be read: an error names them as the way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionNames {
    /// What the command would have done with the manifest: `verify`.
    pub(crate) task: &'static str,
    pub(crate) format: &'static str,
    pub(crate) zero: &'static str,
    /// Names the algorithm of digests; nothing where no option does.
    pub(crate) algorithm: Option<&'static str>,
}

impl OptionNames {
    const USUAL_ALGORITHM: &'static str = "--algorithm";

    /// As most commands name them.
    pub(crate) const USUAL: Self = Self {
        task: "verify",
        format: "--manifest-format",
        zero: "--zero",
        algorithm: Some(Self::USUAL_ALGORITHM),
    };

    /// An error with the way out, as it is called here.
    pub(crate) fn told(self, error: &ManifestError) -> String {
        match error.remedy() {
            Some(remedy) => format!("{error}; {}", self.way_out(remedy)),
            None => error.to_string(),
        }
    }

    fn way_out(self, remedy: Remedy) -> String {
        let Self { format: option, zero, algorithm, .. } = self;
        let asked = algorithm.unwrap_or(OptionNames::USUAL_ALGORITHM);
        match remedy {
            // Where digests are what they are, only another format can do.
            Remedy::AlgorithmOrNone(_) | Remedy::AlgorithmOrFormat(_) | Remedy::AnyAlgorithm
                if algorithm.is_none() =>
            {
                format!("choose another format with {option} (`hashlane formats` lists them)")
            }
            Remedy::AlgorithmOrNone(algorithm) => {
                format!("use {asked} {algorithm}, or leave out {asked}")
            }
            Remedy::AlgorithmOrFormat(algorithm) => {
                format!("use {asked} {algorithm}, or another format")
            }
            Remedy::AnyAlgorithm => format!("use {asked} sha256"),
            Remedy::TellAlgorithm(likely) => {
                let file = format!("{}SUMS", likely.name().to_ascii_uppercase());
                match algorithm {
                    Some(option) => format!(
                        "name the algorithm ({option} {likely}), or name the file after it ({file}), or write the manifest \
                         with --tag"
                    ),
                    None => format!(
                        "name the file after its algorithm ({file}), or write the manifest with --tag"
                    ),
                }
            }
            Remedy::IfAlgorithm(likely) => format!("if that made them, use {asked} {likely}"),
            Remedy::TellFormat => format!("name the format with {option} (`hashlane formats` lists them)"),
            Remedy::FormatOrName(format) => {
                format!("if it is {format}, use {option} {format}; otherwise rename it")
            }
            Remedy::FormatWithNulEnds => format!("{zero} goes with {}", Remedy::NUL_ENDED),
            Remedy::NulEndsOrUtf8 => format!(
                "if its lines end with NUL, use {zero}; if it is UTF-16 without a byte order mark, convert it to UTF-8"
            ),
            Remedy::DigestBeginnings(format) => {
                format!("use md5deep-sizes, or read the file again with --manifest-format {format}")
            }
            Remedy::SeeAlgorithms => "`hashlane --version` lists the known algorithms".to_owned(),
            Remedy::SeeFormats => "`hashlane formats` shows which formats can be written".to_owned(),
            Remedy::KnownSet => {
                let commands = "`hashlane convert`, `hashlane known build` and `hashlane sum --known`";
                format!("NSRL sets (RDS 3) are read by {commands}")
            }
            other => other.to_string(),
        }
    }
}

/// An error of a manifest with the way out.
pub(crate) fn told(error: &ManifestError) -> String {
    OptionNames::USUAL.told(error)
}

/// Why a manifest was not opened.
pub(crate) enum Refused {
    /// Its digests can come from several algorithms, and nothing says which.
    Ambiguous {
        /// Its name, and what its digests can be.
        question: String,
        /// The same, and how to answer it.
        asking: String,
        /// The algorithms that they can come from.
        candidates: Vec<Algorithm>,
    },
    /// All else.
    Other(anyhow::Error),
}

impl Refused {
    pub(crate) fn into_error(self) -> anyhow::Error {
        match self {
            Self::Ambiguous { asking, .. } => Ended::usage(asking),
            Self::Other(error) => error,
        }
    }
}

/// Opens a manifest by its name; `-` is standard input.
pub(crate) fn open(name: &OsStr) -> anyhow::Result<Source> {
    if name == STDIN {
        say_what_is_awaited(&Screen::plain());
    }
    Source::open(name).map_err(|error| failed(&error))
}

/// Finds out what a manifest is, its own name included.
pub(crate) fn read(
    source: Source,
    options: &ReadOptions<'_>,
    called: OptionNames,
) -> Result<Reader<'static>, Refused> {
    let name = source.name().to_owned();
    let reader = lists::read(source, options).map_err(|error| refused(&error, called))?;
    let assumed = reader.assumed().map(|algorithm| assumed_line(&name, algorithm, called));
    Screen::plain().messages(assumed);
    Ok(reader)
}

/// What the digests of a list are taken for.
pub(crate) fn assumed_line(list: &OsStr, algorithm: Algorithm, called: OptionNames) -> String {
    let other =
        called.algorithm.map_or(String::new(), |option| format!("; {option} names another algorithm"));
    format!("{}{other}", Note::Assumed { list, algorithm })
}

/// Why a manifest cannot be read, with a way out.
pub(crate) fn refused(error: &Error, called: OptionNames) -> Refused {
    match error {
        Error::Manifest { list, source: source @ ManifestError::AmbiguousAlgorithm { candidates, .. } } => {
            Refused::Ambiguous {
                question: format!("{}: {source}", shown(list)),
                asking: said(error, called).0,
                candidates: candidates.clone(),
            }
        }
        error => Refused::Other(ended(said(error, called))),
    }
}

/// An error of a check or an audit, with its exit code and its way out.
pub(crate) fn failed(error: &Error) -> anyhow::Error {
    failed_as(error, OptionNames::USUAL)
}

/// The same, where options are called otherwise.
pub(crate) fn failed_as(error: &Error, called: OptionNames) -> anyhow::Error {
    // Of a sink it is the command's own error that comes back.
    match Ended::of(error) {
        Some(own) => own.clone().into(),
        None => ended(said(error, called)),
    }
}

fn ended((text, status): (String, Status)) -> anyhow::Error {
    match status {
        Status::USAGE => Ended::usage(text),
        Status::UNREADABLE => Ended::unreadable(text),
        Status::OUTPUT => Ended::output(text),
        _ => anyhow::Error::msg(text),
    }
}

/// What is said where objects are listed, and nobody says below which prefixes others may be.
pub(crate) const NO_PREFIX: &str = "no header says below which prefixes these objects were listed; name where to look with --root s3://BUCKET/PREFIX";

/// The words of an error, and what it means for the exit code.
fn said(error: &Error, called: OptionNames) -> (String, Status) {
    (words(error, called), status_of(error))
}

/// What an error means for the exit code.
pub(crate) fn status_of(error: &Error) -> Status {
    match error {
        Error::Manifest { source: ManifestError::Empty | ManifestError::NamedUnknown { .. }, .. } => {
            Status::UNREADABLE
        }
        // What nothing fits is not verified, and no question of how the command was called.
        Error::Unproven { doubt: Some(Doubt::NoneFits { .. }), .. } => Status::UNREADABLE,
        Error::Base { .. } | Error::Open { .. } | Error::Read { .. } | Error::Search(_) => Status::UNREADABLE,
        Error::TreeRoot { .. } | Error::OutOfOrder { .. } => Status::UNREADABLE,
        Error::NothingToGoBy { .. } | Error::Root { .. } => Status::UNREADABLE,
        Error::RootSpecial { .. } | Error::RootRefused { .. } => Status::UNREADABLE,
        Error::BaseNoDirectory { .. } | Error::Directory { .. } | Error::Unlike { .. } => Status::USAGE,
        Error::Manifest { .. } | Error::KnownSet { .. } | Error::Unproven { .. } => Status::USAGE,
        Error::NowhereToLook | Error::OutOfPlace { .. } | Error::NoPrefix => Status::USAGE,
        Error::Walker(_) | Error::Sorting(Sorting::Sort(_)) => Status::OUTPUT,
        _ => Status::INTERNAL,
    }
}

/// An error with the way out.
fn words(error: &Error, called: OptionNames) -> String {
    match error {
        Error::Base { .. } => format!("--base {error}"),
        Error::BaseNoDirectory { .. } => {
            format!("--base {error}; name the directory that the listed names are relative to")
        }
        Error::Manifest { list, source: source @ ManifestError::Empty } => {
            format!("{}: nothing to {}: {source}", shown(list), called.task)
        }
        Error::Manifest { list, source } => format!("{}: {}", shown(list), called.told(source)),
        Error::KnownSet { list, format } => format!(
            "{}: a set of known contents ({format}), whose names are from another machine; there is nothing to check",
            shown(list)
        ),
        Error::Unproven { list, digest_bytes, candidates, doubt } => {
            let (digest_bytes, candidates) = (*digest_bytes, candidates.clone());
            let asking = ManifestError::AmbiguousAlgorithm { digest_bytes, candidates };
            let why = doubt.as_ref().map(|doubt| format!("; not proven: {doubt}"));
            format!("{}: {}{}", shown(list), called.told(&asking), why.unwrap_or_default())
        }
        Error::NothingToGoBy { .. } => format!("{error} with --algorithm"),
        Error::NowhereToLook => {
            "all names in the manifest are absolute; name where to look with --root DIR".into()
        }
        Error::OutOfPlace { list, path, source_of_names, why } => {
            let base = source_of_names.as_ref().map(|base| shown_path(base.as_path()));
            let way_out = hints::out_of_place(*why, path.as_bytes(), base.as_deref());
            format!("{}: {}{way_out}", shown(list), text::name(path.as_bytes()))
        }
        Error::NoPrefix => NO_PREFIX.into(),
        Error::Root { .. } => format!("{error}; name where the files are with --root or --base"),
        Error::RootSpecial { .. } => format!("{error}; name a directory or a file with --root"),
        Error::RootRefused { base, root, why } => {
            format!("{}: {}", shown_path(root.as_path()), hints::refused(*why, base))
        }
        Error::Sorting(Sorting::Sort(error)) => no_temporary(error),
        Error::Engine(source) => format!("{error}{}", way_out(source)),
        error => error.to_string(),
    }
}

/// Why a temporary file cannot be sorted in, and the way out.
pub(crate) fn no_temporary(error: &SortError) -> String {
    let SortError::Temporary { what, directory, source } = error else {
        return format!("{error}; run again, with another --temporary-directory");
    };
    let place = match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "a directory that is there",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "a directory to write in",
        _ => "a place with more room",
    };
    let (directory, system) = (shown_path(directory), text::system(source));
    format!("{directory}: {system} ({what}); name {place} by --temporary-directory, or give more --memory")
}

/// Says what is met on the way through the lists of a check or an audit.
pub(crate) fn notes(args: &CheckArgs, screen: &Screen) -> Notes {
    let (screen, quiet, warn, is_audit) = (screen.clone(), args.quiet, args.warn, args.audit);
    std::sync::Arc::new(move |note| match note {
        Note::StandardInput => say_what_is_awaited(&Screen::plain()),
        Note::Unopened(error) => screen.message(&said(error, OptionNames::USUAL).0),
        Note::Proven { .. } if quiet => {}
        Note::Line { .. } if !warn => {}
        // A check says so at its end, if nothing was found.
        Note::OneTooDeep { .. } if !is_audit => {}
        Note::OneTooDeep { name, .. } => {
            let name = text::name(name.as_bytes());
            screen.message(&format!("{note}; --strip-prefix {name} takes it off"));
        }
        Note::Assumed { .. } => {}
        note => screen.message(&note.to_string()),
    })
}

/// Says how many entries stand behind the mark of a comment, if any do. `not`: what they are not, in a word.
pub(crate) fn say_commented_out(screen: &Screen, shown: &str, count: u64, not: &str) {
    if count > 0 {
        screen.message(&format!("{shown}: {} commented out, not {not}", text::counted(count, "entry")));
    }
}

/// At a terminal nothing else shows what is waited for.
pub(crate) fn say_what_is_awaited(screen: &Screen) {
    if StandardInput.is_terminal() {
        screen.message("reading a manifest from standard input; name a MANIFEST, or press Ctrl-D to end");
    }
}
