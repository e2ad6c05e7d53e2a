//! The crates and their source files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::lexer::{self, Placed};

/// The crate that is not a library.
const COMMAND: &str = "cli";

/// The crates that do not lie among the others: `(name, folder)`.
const BESIDE: &[(&str, &str)] =
    &[("drivers", "bench/drivers"), ("fuzz", "fuzz"), ("python", "python"), ("xtask", "xtask")];

/// A source file, without what is built for tests alone.
pub(crate) struct Source {
    /// Below the crate's `src`: `run/collect.rs`.
    pub(crate) path: PathBuf,
    pub(crate) tokens: Vec<Placed>,
}

impl Source {
    /// The module that it is, from the crate's root on; of the root itself nothing.
    pub(crate) fn module(&self) -> Vec<String> {
        let mut parts: Vec<String> =
            self.path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.last().is_some_and(|last| last == "mod") || matches!(&parts[..], [one] if is_root(one)) {
            parts.pop();
        }
        parts
    }
}

fn is_root(stem: &str) -> bool {
    stem == "lib" || stem == "main"
}

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of it").into()
}

/// Where a crate lies.
pub(crate) fn folder(name: &str) -> PathBuf {
    match BESIDE.iter().find(|(beside, _)| *beside == name) {
        Some((_, folder)) => workspace().join(folder),
        None => workspace().join("crates").join(name),
    }
}

/// Names of all crates, in order, with those beside the program and its libraries.
pub(crate) fn with_beside() -> Vec<String> {
    let mut names = all();
    names.extend(BESIDE.iter().map(|(name, _)| (*name).to_owned()));
    names.sort();
    names
}

/// Names of the folders of the program and its libraries, in order.
pub(crate) fn all() -> Vec<String> {
    let entries = fs::read_dir(workspace().join("crates")).expect("there are crates");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 9, "{names:?}");
    names
}

/// The same without the command.
pub(crate) fn libraries() -> Vec<String> {
    all().into_iter().filter(|name| name != COMMAND).collect()
}

/// All source files of a crate but those that are built for tests alone.
pub(crate) fn sources(name: &str) -> Vec<Source> {
    let root = folder(name).join("src");
    let mut paths = Vec::new();
    gather(&root, &mut paths);
    paths.sort();
    let mut tests = Vec::new();
    let mut sources = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a source is text");
        let (tokens, modules) = lexer::without_tests(&lexer::tokens(&text));
        let path = path.strip_prefix(&root).expect("it lies there").to_owned();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let below =
            if is_root(&stem) || stem == "mod" { path.with_file_name("") } else { path.with_extension("") };
        tests.extend(modules.iter().map(|module| below.join(module)));
        sources.push(Source { path, tokens });
    }
    sources.retain(|source| !tests.iter().any(|test| source.path.with_extension("").starts_with(test)));
    assert!(!sources.is_empty(), "{name} has sources");
    sources
}

/// The paths and texts of all Rust files of a crate, tests and examples included.
pub(crate) fn texts_below(folder: &Path) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for part in ["src", "tests", "examples", "benches", "fuzz_targets"].map(|part| folder.join(part)) {
        if part.is_dir() {
            gather(&part, &mut paths);
        }
    }
    paths.extend(Some(folder.join("build.rs")).filter(|path| path.exists()));
    paths.sort();
    let text = |path: &PathBuf| {
        let below = path.strip_prefix(folder).expect("it lies there").display().to_string();
        (below, fs::read_to_string(path).expect("a source is text"))
    };
    paths.iter().map(text).collect()
}

fn gather(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            gather(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}
