//! The arguments of `hashlane tell` and of `hashlane config`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{KeptCatalogArgs, ListFormat};

/// Tell people what audits find, as the configuration says
///
/// What is new is put down in the catalogue, for each target of the configuration, and delivered: by the audit that found it when that has
/// ended, and else by this command. A message that cannot be delivered is tried again for seven days.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane tell test mail        does a mail arrive?
  hashlane tell list             what was told, and what waits?
  hashlane tell run              tell what is new, and deliver what waits
  hashlane tell retry            deliver all that was not delivered, now

Exit codes:
  0  told, or nothing to tell   16  something could not be delivered
 64  usage error                70  internal error
 74  catalogue cannot be read or written")]
pub(crate) struct TellArgs {
    #[command(subcommand)]
    pub(crate) command: TellCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum TellCommand {
    Run(TellRunArgs),
    List(TellListArgs),
    Test(TellTestArgs),
    Retry(TellRetryArgs),
}

/// Tell what is new, and deliver what waits
///
/// A timer runs this once a day: it also tells that nothing was audited for too long.
#[derive(Clone, Debug, Args)]
pub(crate) struct TellRunArgs {
    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Deliver all that was not delivered, now: what waits, and what was given up
#[derive(Clone, Debug, Args)]
pub(crate) struct TellRetryArgs {
    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// List the last messages, the latest first: to whom, about what, and what has become of them
#[derive(Clone, Debug, Args)]
pub(crate) struct TellListArgs {
    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,

    /// Output format: `text`, a table, or `json`, one object per line
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Send a test to a target: mail, webhook.NAME, heartbeat or textfile
#[derive(Clone, Debug, Args)]
pub(crate) struct TellTestArgs {
    /// The target, as the configuration names it
    #[arg(value_name = "TARGET")]
    pub(crate) target: String,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Check or show the configuration
///
/// It says where the catalogue lies and who is told what audits find. Nothing in it changes what is computed, listed or judged. It lies in
/// $XDG_CONFIG_HOME/hashlane/config.toml, or in /etc/hashlane/config.toml; HASHLANE_CONFIG names another file, or none if it is empty.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  nothing is wrong with it   64  usage error, or something is
 70  internal error")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    Check(ConfigCheckArgs),
    Show(ConfigShowArgs),
}

/// Check a configuration, and whether its secrets can be read
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigCheckArgs {
    /// The file [default: that which commands read]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
}

/// Show what a configuration says, without anything that may be a secret
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// The file [default: that which commands read]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
}
