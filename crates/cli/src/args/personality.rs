//! The arguments of `hashlane as` and `hashlane install-links`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Act as an older program, with the same options, output and exit codes
///
/// Everything after NAME is interpreted as by that program, including --help. A link to this program under that name does the
/// same; `hashlane install-links` makes such links.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Programs:
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum
  b3sum xxhsum xxh32sum xxh64sum xxh128sum xxh3sum
  hashdeep md5deep sha1deep sha256deep tigerdeep whirlpooldeep

Examples:
  hashlane as sha256sum --check SHA256SUMS
  hashlane as md5sum *.iso > MD5SUMS

Exit codes are those of the older program.")]
pub(crate) struct AsArgs {
    /// List the programs
    #[arg(long)]
    pub(crate) list: bool,

    /// Reproduce old quirks that scripts may depend on; must come before NAME
    #[arg(long)]
    pub(crate) as_is: bool,

    /// The program to act as
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<OsString>,

    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
    pub(crate) arguments: Vec<OsString>,
}

/// Make links to this program under the names of the older programs
///
/// A name already used by anything else is left alone.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane install-links ~/bin               all of them
  hashlane install-links ~/bin sha256sum     one of them

Exit codes:
  0  all links exist       64  usage error             74  a link could not be made")]
pub(crate) struct InstallLinksArgs {
    /// Directory for the links
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// Names of the links to make [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<OsString>,

    /// Replace other files of these names, but not directories
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not report what was done
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
