//! Names of objects where files and directories of this machine are meant. No file is there of such a name, which would be said of it otherwise.

use std::os::unix::ffi::OsStrExt as _;

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, Error, ValueHint};
use hashlane_objects::is_object;
use hashlane_report::text;

/// Commands and arguments that take names of objects, or say more of them.
const TAKING: [(&str, &[&str]); 9] = [
    ("add", &["root"]),
    ("as", &["arguments"]),
    ("audit", &["paths"]),
    ("check", &["base", "manifests", "root"]),
    ("diff", &["a", "b", "base"]),
    ("events", &["path"]),
    ("history", &["file"]),
    ("relocate", &["root"]),
    ("sum", &["paths"]),
];

/// Refuses a name of an object where a path is meant.
pub(crate) fn refuse_objects(command: &Command, matches: &ArgMatches) -> Result<(), Error> {
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        return refuse_objects(command, matches);
    }
    let taking = TAKING.iter().find(|(name, _)| *name == command.get_name());
    let takes = |arg: &Arg| taking.is_some_and(|(_, arguments)| arguments.contains(&arg.get_id().as_str()));
    for arg in command.get_arguments().filter(|arg| is_path(arg) && !takes(arg)) {
        let mut values = matches.try_get_raw(arg.get_id().as_str()).ok().flatten().into_iter().flatten();
        if let Some(object) = values.find(|value| is_object(value.as_bytes())) {
            let option = arg.get_long().map_or_else(String::new, |long| format!("--{long} "));
            let object = text::name(object.as_bytes());
            let told = format!(
                "{option}{object}: is the name of an object, and a file or directory of this machine is meant; copy it here, or name another one"
            );
            return Err(Error::raw(ErrorKind::ValueValidation, told));
        }
    }
    Ok(())
}

fn is_path(arg: &Arg) -> bool {
    matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::DirPath | ValueHint::FilePath)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn what_takes_objects_is_there() {
        fn all<'a>(command: &'a Command, found: &mut Vec<(&'a str, &'a str)>) {
            for arg in command.get_arguments().filter(|arg| is_path(arg)) {
                found.push((command.get_name(), arg.get_id().as_str()));
            }
            command.get_subcommands().for_each(|command| all(command, found));
        }
        let (command, mut found) = (Cli::command(), Vec::new());
        all(&command, &mut found);
        for (name, arguments) in TAKING {
            for argument in arguments {
                assert!(found.contains(&(name, argument)), "{name} has no path {argument}");
            }
        }
    }
}
