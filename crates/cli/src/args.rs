//! The one definition of the command line: help, man pages and completions all come from it.

mod backends;
mod bag;
mod bench;
mod compare;
mod convert;
mod device;
mod diff;
mod filter;
mod io;
mod known;
mod machine;
mod personality;
mod pipeline;
mod study;
mod tune;
mod update;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgGroup, Args, Parser, Subcommand, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_io::EngineKind;
use hashlane_manifest::Format;

pub(crate) use backends::{BackendChoiceArgs, BackendsArgs};
pub(crate) use bag::{BagArgs, BagCommand, BagCreateArgs, BagValidateArgs, ExistingData};
pub(crate) use bench::{BenchArgs, ReportArgs, ResultArgs, RunFormat, RunNameArgs};
pub(crate) use compare::{CompareArgs, ComparisonFormat};
pub(crate) use convert::{ConvertArgs, FormatsArgs, ListFormat};
pub(crate) use device::DeviceArgs;
pub(crate) use diff::{DiffArgs, DiffFormat};
pub(crate) use filter::{FileType, FilterArgs};
pub(crate) use io::{IoArgs, block_size};
pub(crate) use known::{
    KnownArgs, KnownBuildArgs, KnownCommand, KnownInfoArgs, KnownLookupArgs, MatchArgs, hex_digest,
    named_digest,
};
pub(crate) use machine::{Counts, MachineArgs, Mode, ProgramName, SinkName};
pub(crate) use personality::{AsArgs, InstallLinksArgs};
pub(crate) use pipeline::{CacheStates, PipelineArgs};
pub(crate) use study::{Forms, SpeedArgs, StudyArgs, StudyCommand, VariantArgs};
pub(crate) use tune::TuneArgs;
pub(crate) use update::{Trust, UpdateArgs};

use crate::version;

macro_rules! exit_codes {
    () => {
        "\
Exit codes (1 to 16 add up, the others stand alone):
  0  all is well            1  extra files           2  missing files
  4  digest mismatch        8  corrupt: size and time as listed, content not
 16  unreadable, unstable or I/O error               64  usage error
 70  internal error        74  output cannot be written"
    };
}

/// Measures how fast this machine reads and digests, and fingerprints and checks files at that speed.
#[derive(Debug, Parser)]
#[command(
    name = "hashlane",
    version = version::short(),
    long_version = version::long(),
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 110,
    after_help = concat!("\
Examples:
  hashlane bench                           how fast is this machine, and what limits it?
  hashlane sum photos                      digests of all files below photos
  hashlane sum -o SHA256SUMS photos        into a file
  hashlane check SHA256SUMS                are the files still what they were?
  hashlane check --complete SHA256SUMS     and is nothing there that is not listed?

", exit_codes!())
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Bench(BenchArgs),
    Report(ReportArgs),
    Compare(CompareArgs),
    Sum(SumArgs),
    Check(CheckArgs),
    Diff(DiffArgs),
    Convert(ConvertArgs),
    Formats(FormatsArgs),
    Known(KnownArgs),
    Bag(BagArgs),
    Backends(BackendsArgs),
    Tune(TuneArgs),
    As(AsArgs),
    InstallLinks(InstallLinksArgs),
    Generate(GenerateArgs),
}

/// Print the digests of files and trees
///
/// Directories are walked. Lines are in byte order of the path, whatever the number of cores. By default they are what sha256sum
/// writes; `sha256sum -c` and `hashlane check` read them back.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
Examples:
  hashlane sum .                             digests of all files below the current directory
  hashlane sum -a blake3 -o B3SUMS photos    with BLAKE3, into a file
  hashlane sum -a md5,sha256 photos          two algorithms in one reading, one line for each
  find . -name '*.raw' -print0 | hashlane sum --files0-from -
  hashlane sum --header -o list.jsonl --manifest-format jsonl photos
  hashlane sum --update list.jsonl           reads only what is new or was changed since
  hashlane sum --known nsrl.known --no-match /evidence
                                             only what is not known
  hashlane sum --newer-than 7d --max-size 1GiB photos
                                             what was modified within a week, but for huge files
  hashlane sum -q --known dupes.txt --match --files0-out - . | xargs -0 ls -l
                                             the names of what is known, for other programs

", exit_codes!()))]
pub(crate) struct SumArgs {
    /// Files and directories; with no PATH, or `-`, reads standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Algorithms, separated by commas [default: sha256]
    ///
    /// Names: md4, md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sha3-256, sha3-512, blake2b, blake2b-256, blake2s, blake3,
    /// sm3, ripemd160, tiger, whirlpool, xxh64, xxh3, xxh128, crc32, crc32c, crc64nvme, xor32. `hashlane --version` reports how each is
    /// computed here.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Vec<Algorithm>,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    /// Also digest every piece of SIZE of each file
    ///
    /// This is done in the same reading. A later check can then report which bytes differ.
    #[arg(long, value_name = "SIZE", value_parser = piece_bytes, conflicts_with_all = ["update", "show_matched_by"],
        help_heading = "Output", hide_short_help = true)]
    pub(crate) pieces: Option<NonZeroU64>,

    /// Write to FILE, which appears when it is complete
    ///
    /// Until then it is FILE.partial. Files that could not be read are not in it; this is reported.
    #[arg(short, long, value_name = "FILE", value_parser = output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write the names of the listed files to FILE, for `xargs -0`
    ///
    /// Each name ends with NUL. With `-` the names go to standard output; the lines then go to --output, or nowhere.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "update", help_heading = "Output",
        hide_short_help = true)]
    pub(crate) files0_out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) names: NamesFrom,

    #[command(flatten)]
    pub(crate) matching: MatchArgs,

    #[command(flatten)]
    pub(crate) update: UpdateArgs,

    #[command(flatten)]
    pub(crate) walk: WalkArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    /// Do not print the summary line
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct WriteFormat {
    /// Format of the manifest [default: gnu; with several algorithms: bsd]
    ///
    /// Formats: gnu, bsd, base64, base64-untagged, multihash, ni, sri, hashdeep, md5deep-sizes, md5deep-csv, triage, sfv, checkm, bagit,
    /// ace, jsonl, csv, dfxml. `hashlane formats` describes them.
    #[arg(long, value_name = "FORMAT", value_parser = written_format(), conflicts_with_all = ["tag", "base64"],
        hide_possible_values = true)]
    pub(crate) manifest_format: Option<Format>,

    /// BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd
    #[arg(long)]
    pub(crate) tag: bool,

    /// Digests in base64, with or without --tag; short for --manifest-format base64
    #[arg(long, hide_short_help = true)]
    pub(crate) base64: bool,

    /// End lines with NUL and escape nothing
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Begin with a header: which run wrote the manifest, and of what
    ///
    /// `check --complete` then knows where to look.
    #[arg(long, overrides_with = "no_header", hide_short_help = true)]
    pub(crate) header: bool,

    /// Write no header, even where the format has one by default (hashdeep's own two lines stay)
    #[arg(long, overrides_with = "header", hide_short_help = true)]
    pub(crate) no_header: bool,

    /// Refuse what hashdeep 4.4 would not read back unharmed
    #[arg(long, hide_short_help = true)]
    pub(crate) strict_hashdeep: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct NamesFrom {
    /// Read the names of the files from FILE, one a line; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["paths", "files0_from"],
        hide_short_help = true)]
    pub(crate) files_from: Option<OsString>,

    /// Read names that end with NUL from FILE, as `find -print0` writes them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "paths")]
    pub(crate) files0_from: Option<OsString>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Directories")]
pub(crate) struct WalkArgs {
    /// Walk directories: the default; accepted for compatibility
    #[arg(short, long, overrides_with = "no_recursive", hide_short_help = true)]
    pub(crate) recursive: bool,

    /// Refuse directories
    #[arg(long, overrides_with = "recursive", hide_short_help = true)]
    pub(crate) no_recursive: bool,

    /// Stay on the file system of the named directory
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Follow symbolic links; by default they are counted and skipped
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,

    /// Types of files to read in directories
    ///
    /// A file that is named is read whatever its type is.
    #[arg(
        long = "type",
        value_name = "TYPE",
        value_enum,
        value_delimiter = ',',
        default_value = "file",
        hide_short_help = true
    )]
    pub(crate) types: Vec<FileType>,

    /// Read a file with several names (hard links) once for each name, not once in all
    #[arg(long, hide_short_help = true)]
    pub(crate) no_links_once: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    /// Cores to use [default: all that this process may use]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) jobs: Option<u16>,

    /// How bytes are read
    ///
    /// `auto` suits every case; `direct` reads past the page cache; `uring` serves local file systems, and others are read without
    /// it.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine(), hide_short_help = true)]
    pub(crate) engine: EngineName,

    /// Ignore what `hashlane tune` has kept about the device
    #[arg(long, hide_short_help = true)]
    pub(crate) no_profile: bool,

    /// Leave nothing in the page cache of files that were not there before
    ///
    /// Without it a run may fill a quarter of the memory first.
    #[arg(long, overrides_with = "no_drop_behind", hide_short_help = true)]
    pub(crate) drop_behind: bool,

    /// Leave in the page cache whatever the system keeps there
    #[arg(long, overrides_with = "drop_behind", hide_short_help = true)]
    pub(crate) no_drop_behind: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

/// A read engine as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineName {
    Auto,
    Only(EngineKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    Auto,
    Always,
    Never,
    Json,
}

/// Verify that files still have the digests that a manifest lists
///
/// Reads every manifest that sum writes, and those of sha256sum and its kin, b3sum, xxhsum, rhash, md5deep and hashdeep. Where a list
/// does not name its algorithm, a listed file whose content fits proves it. An algorithm that is neither named nor proven has to be
/// given with --algorithm.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("walking").args(["complete", "audit"]).multiple(true)))]
#[command(after_long_help = concat!("\
Examples:
  hashlane check SHA256SUMS               as sha256sum -c
  hashlane check --complete SHA256SUMS    and nothing is there that is not listed
  hashlane check --audit SHA256SUMS       and what was moved, copied or changed?
  hashlane check --audit --exclude '*.tmp' --max-size 1GiB SHA256SUMS
                                          with some files left out: these are not missing and not new
  hashlane check --from-medium SHA256SUMS what the disk holds, not what memory remembers
  hashlane check -a sha256 list.txt       a plain list whose algorithm nothing names or proves

", exit_codes!()))]
pub(crate) struct CheckArgs {
    /// Manifests; with no MANIFEST, or `-`, reads standard input
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub(crate) manifests: Vec<OsString>,

    /// The algorithm of a manifest that does not name it
    ///
    /// Names: md4, md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sha3-256, sha3-512, blake2b, blake2b-256, blake2s, blake3,
    /// sm3, ripemd160, tiger, whirlpool, xxh64, xxh3, xxh128, crc32, crc32c, crc64nvme, xor32. `hashlane --version` reports how each is
    /// computed here.
    #[arg(short, long, value_name = "NAME", value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Option<Algorithm>,

    /// Format of the manifests [default: detected]
    ///
    /// Formats: gnu, bsd, base64, base64-untagged, multihash, ni, sri, hashdeep, md5deep-sizes, md5deep-csv, triage, sfv, checkm, bagit,
    /// ace, jsonl, csv, dfxml. `hashlane formats` describes them.
    #[arg(long, value_name = "FORMAT", value_parser = format_of_files(), hide_possible_values = true, hide_short_help = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Lines end with NUL and nothing is escaped
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Names that end with ` offset 0-1023` and the like are pieces of files
    ///
    /// `hashdeep -p` writes such lists. jsonl and dfxml have a place of their own for pieces and do not need this.
    #[arg(long, hide_short_help = true)]
    pub(crate) pieces: bool,

    /// Take names relative to DIR, and refuse those that lead out of it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) base: Option<PathBuf>,

    /// Also report files that are there and not listed
    #[arg(long)]
    pub(crate) complete: bool,

    /// Read all files and report what became of each: changed, moved, copied, new, missing
    #[arg(long, conflicts_with_all = ["complete", "fail_fast"])]
    pub(crate) audit: bool,

    /// Where --complete and --audit look for files; may be repeated
    ///
    /// With --base it is relative to that. The default is the roots in the manifest's header, else --base, else the current directory.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Vec<PathBuf>,

    /// With --audit: take PREFIX off the listed names
    ///
    /// This serves where the tree has another place by now.
    #[arg(long, value_name = "PREFIX", requires = "audit", hide_short_help = true)]
    pub(crate) strip_prefix: Option<OsString>,

    /// Match names that differ in Unicode normalization only (NFC, NFD)
    ///
    /// A listed name that is missing then stands for a file whose name is the same in the other form, as macOS writes it. Only one of
    /// the two forms may be listed, and only one may be there.
    #[arg(long, hide_short_help = true)]
    pub(crate) normalize: bool,

    /// With --audit: names that differ in case only are the same
    #[arg(long, requires = "audit", hide_short_help = true)]
    pub(crate) ignore_case: bool,

    /// With --complete or --audit: stay on the file system of the directory
    #[arg(short = 'x', long, requires = "walking", hide_short_help = true)]
    pub(crate) one_file_system: bool,

    /// With --complete or --audit: follow symbolic links
    ///
    /// By default they are counted and skipped.
    #[arg(short = 'L', long, requires = "walking", hide_short_help = true)]
    pub(crate) follow: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Do not fail for files that are missing
    #[arg(long)]
    pub(crate) ignore_missing: bool,

    /// Fail for every malformed line, also for those that list no file
    #[arg(long)]
    pub(crate) strict: bool,

    /// Warn about each malformed line
    #[arg(short, long, help_heading = "Output")]
    pub(crate) warn: bool,

    /// Stop at the first file that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Print failures only, and no summary where there are none
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing; the exit code tells
    #[arg(long, visible_alias = "silent", help_heading = "Output")]
    pub(crate) status: bool,

    /// Print the expected and the computed digest of each mismatch
    ///
    /// With --audit, -vv also prints the digests of what is new, moved or copied, and at the end all counters, one a line.
    #[arg(short, long, action = ArgAction::Count, help_heading = "Output")]
    pub(crate) verbose: u8,

    /// How results are printed: `text` as coreutils does, `json` as an object a line
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Write results to FILE, which appears when it is complete
    #[arg(short, long, value_name = "FILE", value_parser = output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// With --audit: memory for what is listed, as in 64MiB or 1GB; what takes more goes to temporary files, and then all verdicts
    /// come at the end
    #[arg(long, value_name = "SIZE", default_value = diff::MEMORY, value_parser = diff::memory, requires = "audit", help_heading = "Sorting")]
    pub(crate) memory: u64,

    /// With --audit: where temporary files are made; they have no names there [default: TMPDIR, else /var/tmp]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "audit", help_heading = "Sorting")]
    pub(crate) temporary_directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
}

/// Write man pages or completions into a directory
#[derive(Clone, Debug, Args)]
#[command(hide = true)]
pub(crate) struct GenerateArgs {
    /// What to write
    #[arg(value_enum)]
    pub(crate) what: Generated,

    /// Where
    pub(crate) directory: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generated {
    Man,
    Completions,
    Schema,
}

/// A file that results go to. `-` is none: it would be a file that nobody meant.
fn output_file() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("leave out --output for standard output, or write `./-` for a file of that name"),
        false => Ok(path),
    })
}

/// The same, where standard output does not do.
fn named_file() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("this cannot go to standard output; name a file, or write `./-` for one of that name"),
        false => Ok(path),
    })
}

/// Algorithms by name or alias; the help and the completions list the names.
fn algorithm() -> impl clap::builder::TypedValueParser<Value = Algorithm> {
    #[derive(Clone)]
    struct Parser;

    impl clap::builder::TypedValueParser for Parser {
        type Value = Algorithm;

        fn parse_ref(
            &self,
            command: &clap::Command,
            argument: Option<&clap::Arg>,
            value: &std::ffi::OsStr,
        ) -> Result<Algorithm, clap::Error> {
            if let Some(algorithm) = value.to_str().and_then(Algorithm::named) {
                return Ok(algorithm);
            }
            // Not an alias either: let the list of names explain.
            let names = PossibleValuesParser::new(Algorithm::all().map(Algorithm::name));
            let mut error = match names.parse_ref(command, argument, value) {
                Ok(_) => clap::Error::new(ErrorKind::InvalidValue),
                Err(error) => error,
            };
            let plain = value.to_string_lossy().to_ascii_lowercase().replace(['-', '_'], "");
            let completed: Vec<_> =
                Algorithm::all().map(Algorithm::name).filter(|name| name.starts_with(&plain)).collect();
            // Case and hyphens would make a name that is written otherwise look far away.
            let near = match names.parse_ref(command, argument, plain.as_ref()) {
                _ if plain.len() > 1 && !completed.is_empty() => {
                    Some(ContextValue::Strings(completed.into_iter().map(str::to_owned).collect()))
                }
                Ok(name) => Some(ContextValue::String(name)),
                Err(error) => error.get(ContextKind::SuggestedValue).cloned(),
            };
            if let Some(near) = near {
                error.insert(ContextKind::SuggestedValue, near);
            }
            Err(error)
        }

        fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
            Some(Box::new(
                Algorithm::all().map(|algorithm| clap::builder::PossibleValue::new(algorithm.name())),
            ))
        }
    }

    Parser
}

/// A format that is read.
fn format() -> FormatParser {
    FormatParser(|_| true)
}

/// A format whose names are those of files here: what is known of files elsewhere cannot be compared with any.
fn format_of_files() -> FormatParser {
    FormatParser(|format| !format.is_known_set())
}

/// A format that is written.
fn written_format() -> FormatParser {
    FormatParser(Format::can_be_written)
}

/// Formats by name; help and completions list those that serve here. Of another one the command says why it does not serve.
#[derive(Clone, Copy)]
struct FormatParser(fn(Format) -> bool);

impl FormatParser {
    fn names(self) -> impl Iterator<Item = &'static str> {
        Format::all().filter(move |&format| (self.0)(format)).map(Format::name)
    }
}

impl clap::builder::TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Format, clap::Error> {
        if let Some(format) = value.to_str().and_then(Format::named) {
            return Ok(format);
        }
        match PossibleValuesParser::new(self.names()).parse_ref(command, argument, value) {
            Ok(_) => Err(clap::Error::new(ErrorKind::InvalidValue)),
            Err(error) => Err(error),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(self.names().map(clap::builder::PossibleValue::new)))
    }
}

/// The length of a piece.
fn piece_bytes(text: &str) -> Result<NonZeroU64, String> {
    NonZeroU64::new(device::size(text)?).ok_or_else(|| "a piece has at least 1 byte".to_owned())
}

fn engine() -> impl clap::builder::TypedValueParser<Value = EngineName> {
    // The null engine brings zeros: good for measuring, and no digest that anybody should see comes from it.
    let kinds = EngineKind::all().iter().filter(|&&kind| kind != EngineKind::Null);
    let names = std::iter::once("auto").chain(kinds.map(|kind| kind.name()));
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "auto" => Ok(EngineName::Auto),
        name => EngineKind::named(name).map(EngineName::Only).ok_or("not an engine"),
    })
}

impl Cli {
    /// The definition, for what is generated from it.
    pub(crate) fn definition() -> clap::Command {
        <Self as clap::CommandFactory>::command()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::definition().debug_assert();
    }

    #[test]
    fn what_is_hidden_among_the_values_is_named_in_the_text() {
        fn ask(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| argument.is_hide_possible_values_set())
            {
                let text = argument.get_long_help().map(ToString::to_string).unwrap_or_default();
                let names: Vec<_> = text.split([' ', ',', '.', '\n']).collect();
                for value in argument.get_possible_values() {
                    let name = value.get_name();
                    assert!(names.contains(&name), "{} {}: {name}", command.get_name(), argument.get_id());
                }
            }
            command.get_subcommands().for_each(ask);
        }
        Cli::definition().get_subcommands().for_each(ask);
    }

    #[test]
    fn every_argument_says_what_it_does() {
        fn ask(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| argument.get_id() != "help") {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(ask);
        }
        Cli::definition().get_subcommands().for_each(ask);
    }
}
