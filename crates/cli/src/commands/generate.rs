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
    let command = described(Cli::definition()).long_version(None).version(crate::version::short());
    clap_mangen::generate_to(command.mut_subcommands(without_version), directory)
}

/// The same where each argument has its text as the long one, too: a page has no other of those that the short help leaves out.
fn described(command: clap::Command) -> clap::Command {
    let described = |arg: clap::Arg| match (arg.get_long_help(), arg.get_help().cloned()) {
        (None, Some(help)) => arg.long_help(help),
        _ => arg,
    };
    command.mut_args(described).mut_subcommands(self::described)
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
        "message" => "A message, as hashlane tell list --format json writes it",
        "news" => "What is new of collections, as a webhook gets it",
        "progress" => "A line of --progress json of sum, check, diff, convert, audit, bag and mhl",
        _ => "An event, as hashlane events --format json writes it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_on_a_page_is_described() {
        let directory = tempfile::tempdir().expect("a directory");
        man(directory.path()).expect("written");
        let mut options = 0;
        for page in fs::read_dir(directory.path()).expect("there") {
            let path = page.expect("readable").path();
            let page = fs::read_to_string(&path).expect("text");
            for option in page.split("\n.TP\n").skip(1) {
                let mut lines = option.lines();
                let name = lines.next().unwrap_or_default();
                let text = lines.next().unwrap_or_default();
                let is_text = !text.is_empty() && !text.starts_with(".TP") && !text.starts_with(".SH");
                assert!(is_text && !text.starts_with(".RS"), "{}: {name}", path.display());
                options += 1;
            }
        }
        assert!(options > 500, "{options}");
    }
}
