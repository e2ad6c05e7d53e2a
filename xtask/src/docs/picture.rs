//! The picture of the crates in docs/architecture.md, drawn from what Cargo knows of them.
//!
//! There is a line for each crate. It names those that the crate depends on, but not those that it reaches through another one: a
//! dozen crates have forty edges, and the reader wants to know which layer stands on which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use xtask::cargo::{metadata, workspace};

/// What stands around the picture.
const BEGIN: &str = "<!-- Drawn by `cargo xtask docs`: -->\n```\n";
const END: &str = "```\n<!-- End of what is drawn. -->\n";

/// The crates and those that each leans on, by the names of their folders.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Draws it.
pub(super) fn write() -> Result<()> {
    let (page, text) = page()?;
    let drawn = replaced(&text, &picture(&graph(&metadata()?)?))?;
    fs::write(&page, drawn).with_context(|| format!("cannot write {}", page.display()))
}

/// What is wrong with the page: the picture has drifted, or a crate has no row in the table.
pub(super) fn drift() -> Result<Vec<String>> {
    let (_, text) = page()?;
    let graph = graph(&metadata()?)?;
    let mut drift = Vec::new();
    if replaced(&text, &picture(&graph))? != text {
        drift.push("docs/architecture.md: the picture of the crates differs".to_owned());
    }
    drift.extend(graph.keys().filter(|name| !text.contains(&format!("\n| `{name}` | "))).map(|name| {
        format!("docs/architecture.md: the table of the crates has no row for {name}; write one")
    }));
    Ok(drift)
}

/// The page that holds it, and what it says.
fn page() -> Result<(PathBuf, String)> {
    let page = workspace().join("docs/architecture.md");
    let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    Ok((page, text))
}

fn replaced(text: &str, picture: &str) -> Result<String> {
    let Some((before, rest)) = text.split_once(BEGIN) else {
        bail!("docs/architecture.md has no place for the picture of the crates: {BEGIN}");
    };
    let Some((_, behind)) = rest.split_once(END) else {
        bail!("docs/architecture.md: the picture of the crates has no end: {END}");
    };
    Ok(format!("{before}{BEGIN}{picture}{END}{behind}"))
}

/// The crates of the product, and what each needs when it runs: not what only its tests need.
fn graph(metadata: &Value) -> Result<Graph> {
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let folder_of = |package: &Value| -> Option<(String, String)> {
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
        let is_crate = folder.parent()?.file_name()? == "crates";
        let name = folder.file_name()?.to_str()?.to_owned();
        is_crate.then(|| (package["name"].as_str().unwrap_or_default().to_owned(), name))
    };
    let folders: BTreeMap<String, String> = packages.iter().filter_map(folder_of).collect();
    let mut graph = Graph::new();
    for package in packages {
        let Some(name) = package["name"].as_str().and_then(|name| folders.get(name)) else { continue };
        let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        let needed = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let needed = needed.filter_map(|dependency| folders.get(dependency["name"].as_str()?).cloned());
        graph.insert(name.clone(), needed.collect());
    }
    Ok(graph)
}

/// A line for each crate, none above one that leans on it.
fn picture(graph: &Graph) -> String {
    let width = graph.keys().map(String::len).max().unwrap_or(0);
    let mut names: Vec<&String> = graph.keys().collect();
    names.sort_by_key(|name| (std::cmp::Reverse(height(graph, name)), *name));
    let line = |name: &String| {
        let direct = direct(graph, name);
        match direct.is_empty() {
            true => format!("{name}\n"),
            false => format!("{name:width$} ──► {}\n", direct.join(", ")),
        }
    };
    names.into_iter().map(line).collect()
}

/// How many crates stand below one another under this one, at most.
fn height(graph: &Graph, name: &str) -> usize {
    graph[name].iter().map(|below| 1 + height(graph, below)).max().unwrap_or(0)
}

/// Those that it leans on and reaches in no other way, the highest first.
fn direct<'a>(graph: &'a Graph, name: &str) -> Vec<&'a str> {
    let below = &graph[name];
    let elsewhere: BTreeSet<&String> = below.iter().flat_map(|one| all_below(graph, one)).collect();
    let mut direct: Vec<&str> =
        below.iter().filter(|one| !elsewhere.contains(one)).map(String::as_str).collect();
    direct.sort_by_key(|one| (std::cmp::Reverse(height(graph, one)), *one));
    direct
}

fn all_below<'a>(graph: &'a Graph, name: &str) -> BTreeSet<&'a String> {
    graph[name].iter().flat_map(|below| std::iter::once(below).chain(all_below(graph, below))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, folder: &str, needs: &[(&str, Option<&str>)]) -> Value {
        let needs: Vec<_> = needs.iter().map(|(name, kind)| json!({"name": name, "kind": kind})).collect();
        json!({"name": name, "manifest_path": format!("/somewhere/{folder}/Cargo.toml"), "dependencies": needs})
    }

    #[test]
    fn crates_stand_above_what_they_need_and_name_the_next_ones_only() {
        let metadata = json!({"packages": [
            package("p", "crates/top", &[("p-low", None), ("p-mid", None), ("p-side", None), ("serde", None)]),
            package("p-mid", "crates/mid", &[("p-low", None), ("p-side", Some("dev"))]),
            package("p-low", "crates/low", &[]),
            package("p-side", "crates/side", &[]),
            package("p-tools", "tools", &[("p", None)]),
        ]});
        let graph = graph(&metadata).expect("they are packages");
        assert_eq!(picture(&graph), "top  ──► mid, side\nmid  ──► low\nlow\nside\n");
    }

    #[test]
    fn the_page_shows_the_crates_as_they_are() {
        assert_eq!(drift().expect("the page is there"), [""; 0], "run `cargo xtask docs`");
    }

    #[test]
    fn the_picture_alone_is_replaced() {
        let page = format!("before\n{BEGIN}old\n{END}behind\n");
        assert_eq!(replaced(&page, "new\n").expect("it has a place"), page.replace("old", "new"));
        assert!(replaced("before\nbehind\n", "").is_err());
        assert!(replaced(&format!("before\n{BEGIN}old\n"), "").is_err());
    }
}
