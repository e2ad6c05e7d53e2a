//! That no command and no option is lost: scripts of years call them. For tests alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::Command;

use super::Cli;

/// The commands and options that there are or were: what is renamed keeps its old name as a hidden alias.
const KEPT: &str = include_str!("../../../../tests/fixtures/options.txt");

/// Each command below one, and each option of it, hidden ones and aliases too.
fn add(command: &Command, path: &str, all: &mut BTreeSet<String>) {
    for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
        let long = argument.get_long().into_iter().chain(argument.get_all_aliases().unwrap_or_default());
        let short = argument.get_short().into_iter();
        let short = short.chain(argument.get_all_short_aliases().unwrap_or_default());
        all.extend(long.map(|name| format!("{path} --{name}")));
        all.extend(short.map(|letter| format!("{path} -{letter}")));
    }
    for below in command.get_subcommands() {
        for name in std::iter::once(below.get_name()).chain(below.get_all_aliases()) {
            let path = format!("{path} {name}");
            all.insert(path.clone());
            add(below, &path, all);
        }
    }
}

#[test]
fn an_option_that_was_there_is_there() {
    let mut all = BTreeSet::new();
    add(&Cli::definition(), "hashlane", &mut all);
    let kept: BTreeSet<_> = KEPT.lines().map(str::to_owned).collect();
    let mut told = String::new();
    for lost in kept.difference(&all) {
        writeln!(told, "{lost} is lost: keep it as a hidden alias").expect("a text");
    }
    for new in all.difference(&kept) {
        writeln!(told, "{new} is new: add this line to tests/fixtures/options.txt").expect("a text");
    }
    assert!(told.is_empty(), "{told}");
}
