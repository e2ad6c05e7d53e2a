//! SQLite is used by the catalogue and by the index of known contents, and by nothing else: what a table means stands in one crate.
//!
//! The tests of the whole program and those of audits look into databases, and spoil them as another program would. For them their crates may
//! name the library among what their tests need, and nowhere else.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::crates::{folder, texts_below, with_beside};
use crate::lexer::{Placed, tokens};

/// The crates that may use it.
const OWNERS: [&str; 2] = ["catalog", "known"];

/// The crates whose tests spoil databases.
const SPOILING: [&str; 2] = ["auditor", "cli"];

/// The library, and others that would do the same.
const LIBRARIES: [&str; 5] = ["rusqlite", "libsqlite3-sys", "sqlite", "sqlx", "diesel"];

#[test]
fn sqlite_is_used_by_catalog_and_known_alone() {
    let mut told = String::new();
    for name in with_beside().iter().filter(|name| !OWNERS.contains(&name.as_str())) {
        told += &in_manifest(name, &read(&folder(name).join("Cargo.toml")));
        let may_spoil = |path: &str| SPOILING.contains(&name.as_str()) && path.starts_with("tests/");
        for (path, text) in texts_below(&folder(name)).into_iter().filter(|(path, _)| !may_spoil(path)) {
            told += &in_source(&format!("{name}: {path}"), &text);
        }
    }
    assert!(told.is_empty(), "\n{told}");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is reported of the manifest of a crate that is not an owner.
fn in_manifest(name: &str, manifest: &str) -> String {
    let mut told = String::new();
    let mut section = "";
    for line in manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
        }
        let is_word = |letter: char| !letter.is_ascii_alphanumeric() && letter != '-' && letter != '_';
        let Some(library) = line.split(is_word).find(|word| LIBRARIES.contains(word)) else { continue };
        let is_of_tests = section == "dev-dependencies" || section.starts_with("dev-dependencies.");
        if section.contains("dependencies") && !(SPOILING.contains(&name) && is_of_tests) {
            let _ = writeln!(
                told,
                "{name}: Cargo.toml: [{section}] has {library}: ask crates/catalog for what is needed"
            );
        }
    }
    told
}

/// What is reported of a source of such a crate, its tests included.
fn in_source(place: &str, text: &str) -> String {
    let names = LIBRARIES.map(|library| library.replace('-', "_"));
    let is_path = |tokens: &[Placed]| tokens.windows(3).any(|three| is_path_of(&names, three));
    match names.iter().any(|name| text.contains(name)) && is_path(&tokens(text)) {
        true => format!("{place} uses SQLite: ask crates/catalog for what is needed\n"),
        false => String::new(),
    }
}

/// Whether three tokens begin a path into one of the libraries, `rusqlite::`, or end the word for the whole of it, `use rusqlite;`.
fn is_path_of(names: &[String], three: &[Placed]) -> bool {
    let [first, second, third] = three else { return false };
    let is_name = |token: &Placed| names.iter().any(|name| token.is_word(name));
    let leads_on = is_name(first) && second.is(':') && third.is(':');
    leads_on || first.is_word("use") && is_name(second) || first.is_word("crate") && is_name(second)
}

#[test]
fn a_manifest_that_names_sqlite_is_told_of_by_whatever_name() {
    let breaches = [
        "[dependencies]\nrusqlite.workspace = true",
        "[dependencies]\nrusqlite = { version = \"0.43\" }",
        "[dependencies]\nsql = { package = \"rusqlite\", version = \"0.43\" }",
        "[dependencies.rusqlite]\nversion = \"0.43\"",
        "[build-dependencies]\nrusqlite.workspace = true",
        "[target.'cfg(unix)'.dependencies]\nsqlx = \"1\"",
        "[dev-dependencies]\nrusqlite.workspace = true",
    ];
    for manifest in breaches {
        assert!(in_manifest("serve", manifest).contains("ask crates/catalog"), "{manifest}");
    }
    let fine = "[package]\nname = \"sqlite\"\n[dependencies]\n# rusqlite\nrusqlite-like = \"1\"";
    assert_eq!(in_manifest("serve", fine), "");
}

#[test]
fn who_spoils_databases_may_name_sqlite_for_its_tests_alone() {
    for name in SPOILING {
        assert_eq!(in_manifest(name, "[dev-dependencies]\nrusqlite.workspace = true"), "");
        assert_ne!(in_manifest(name, "[dependencies]\nrusqlite.workspace = true"), "");
    }
}

#[test]
fn a_source_that_uses_sqlite_is_told_of_and_a_comment_is_none() {
    assert_ne!(in_source("cli: src/x.rs", "use rusqlite::Connection;"), "");
    assert_ne!(in_source("cli: src/x.rs", "#[cfg(test)] mod tests { fn f() { rusqlite::version() } }"), "");
    assert_ne!(in_source("cli: src/x.rs", "use rusqlite as sql;"), "");
    assert_ne!(in_source("cli: src/x.rs", "extern crate rusqlite;"), "");
    assert_eq!(in_source("cli: src/x.rs", "let sqlite = 1; f(sqlite)"), "");
    assert_eq!(in_source("cli: src/x.rs", "// rusqlite\nfn f() { say(\"rusqlite\") }"), "");
}
