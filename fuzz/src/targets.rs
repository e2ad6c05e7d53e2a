//! The targets: what each gives an input to. All are in one program, which is linked once; a variable names the one that a process tries.

mod detection;
mod figures;
mod known_index;
mod lanes;
mod mhl_history;
mod names;
mod nsrl_sqlite;
mod saved_states;

use std::env;
use std::panic;

use crate::{check_bag, check_evidence, check_format, check_formats, check_table};

/// Names the target.
const VARIABLE: &str = "HASHLANE_FUZZ_TARGET";

/// What is tried.
pub struct Target {
    name: &'static str,
    check: fn(&[u8]),
    /// The library that it is about panics on some inputs, and the caller catches that. What panics and is not caught still ends the
    /// fuzzer.
    catches_panics: bool,
}

/// All targets, by name.
const TARGETS: &[Target] = &[
    target("ace", |input| check_format(input, "ace")),
    target("bagit", check_bag),
    target("checkm", |input| check_format(input, "checkm")),
    target("csv", |input| check_format(input, "csv")),
    target("detection", detection::check),
    target("dfxml", |input| check_format(input, "dfxml")),
    // gnu, bsd and both base64 formats have one parser.
    target("digest_lines", |input| check_format(input, "gnu")),
    target("encase", |input| check_format(input, "encase")),
    Target { catches_panics: true, ..target("evidence", check_evidence) },
    target("figures", figures::check),
    target("hashdeep", |input| check_format(input, "hashdeep")),
    target("internet_archive", |input| check_format(input, "internet-archive")),
    target("jsonl", |input| check_format(input, "jsonl")),
    target("known_csv", |input| check_formats(input, &["nsrl", "hashkeeper", "ilook"])),
    target("known_index", known_index::check),
    target("lanes", lanes::check),
    target("md5deep", |input| check_formats(input, &["md5deep-sizes", "md5deep-csv", "triage"])),
    target("mhl", |input| check_format(input, "mhl")),
    target("mhl_history", mhl_history::check),
    target("mtree", |input| check_format(input, "mtree")),
    target("names", names::check),
    target("nsrl_sqlite", nsrl_sqlite::check),
    Target { catches_panics: true, ..target("parquet", check_table) },
    target("saved_states", saved_states::check),
    target("self_naming", |input| check_formats(input, &["multihash", "ni", "sri"])),
    target("sfv", |input| check_formats(input, &["sfv", "name-first"])),
    target("windows", |input| check_formats(input, &["get-filehash", "certutil"])),
];

const fn target(name: &'static str, check: fn(&[u8])) -> Target {
    Target { name, check, catches_panics: false }
}

impl Target {
    /// The one that the environment names, made ready.
    ///
    /// # Panics
    /// It names none.
    pub fn chosen() -> &'static Self {
        let name = env::var(VARIABLE).unwrap_or_default();
        let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            panic!("{VARIABLE} is {name:?}; it names one of {}", names.join(", "));
        };
        if target.catches_panics {
            // The fuzzer's own hook would end the process before anybody can catch anything.
            panic::set_hook(Box::new(|_| {}));
        }
        target
    }

    /// Tries an input.
    pub fn check(&self, input: &[u8]) {
        (self.check)(input);
    }
}
