//! Man pages and completions, from the definition of the command line; the schemas of run files and of lines for
//! programs, from their types and tables.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use clap_complete::Shell;

use crate::args::{Cli, GenerateArgs, Generated};
use crate::status::Status;

pub(super) fn run(args: &GenerateArgs) -> anyhow::Result<Status> {
    let GenerateArgs { what, directory } = args;
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    match what {
        Generated::Man => man(directory),
        Generated::Completions => completions(directory),
        Generated::Schema => schema(directory),
    }
    .with_context(|| format!("cannot write into {}", directory.display()))?;
    Ok(Status::OK)
}

fn man(directory: &Path) -> std::io::Result<()> {
    // The long version depends on the CPU; a man page does not.
    let command = Cli::definition().long_version(None).version(crate::version::short());
    clap_mangen::generate_to(command.mut_subcommands(without_version), directory)
}

fn without_version(command: clap::Command) -> clap::Command {
    command.long_version(None)
}

fn completions(directory: &Path) -> std::io::Result<()> {
    for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
        clap_complete::generate_to(shell, &mut Cli::definition(), "hashlane", directory)?;
    }
    Ok(())
}

fn schema(directory: &Path) -> std::io::Result<()> {
    let run = ("run", hashlane_measure::Run::json_schema());
    for (name, schema) in crate::schema::all().into_iter().chain([run]) {
        let mut text = serde_json::to_string_pretty(&schema)?;
        text.push('\n');
        fs::write(directory.join(format!("{name}.schema.json")), text)?;
    }
    Ok(())
}
