//! Arguments of `generate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Write man pages or completions into a directory
#[derive(Clone, Debug, Args)]
#[command(hide = true)]
pub(crate) struct GenerateArgs {
    /// What to write
    #[arg(value_enum)]
    pub(crate) what: Generated,

    /// The directory to write into
    pub(crate) directory: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generated {
    Man,
    Completions,
    Schema,
}
