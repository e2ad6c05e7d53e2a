//! Man pages and completions, from the definition of the command line; the schemas of run files and of lines for
//! programs, from their types and tables.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use clap_complete::Shell;
use hashlane_report::{schema_document, schemas};

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
    let lines = schemas().into_iter().map(|(name, lines)| (name, schema_document(title(name), lines)));
    for (name, schema) in lines.chain([run]) {
        let mut text = serde_json::to_string_pretty(&schema)?;
        text.push('\n');
        fs::write(directory.join(format!("{name}.schema.json")), text)?;
    }
    Ok(())
}

/// What writes the lines of a name.
fn title(name: &str) -> &'static str {
    match name {
        "audit" => "A line of hashlane check --audit --format json",
        "backends" => "A line of hashlane backends --format json",
        "bag" => "A line of hashlane bag validate --format json",
        "bench-progress" => "A line of --progress json of bench, backends and tune",
        "catalog-change" => "A change, as hashlane catalog changes --format json writes it",
        "catalog-seal" => "A run with its seal, as hashlane catalog seals --format json writes it",
        "check" => "A line of hashlane check --format json",
        "collection" => "A collection, as hashlane collection show and list --format json write it",
        "collection-audit" => "A line of hashlane audit --format json",
        "collection-history" => "What hashlane history --format json writes of each file",
        "collection-progress" => {
            "A line of hashlane status --follow --format json, before the last one: that is a status"
        }
        "collection-report" => "What hashlane collection report --format json writes",
        "collection-status" => "What hashlane status --format json writes",
        "diff" => "A line of hashlane diff --format json",
        "progress" => "A line of --progress json of sum, check, diff, convert and bag",
        _ => "An event, as hashlane events --format json writes it",
    }
}
