//! Where measurements are kept: `bench/records`, never over an older one; and how they say where they were made.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use hashlane_measure::Place;
use serde::Serialize;

use xtask::cargo::workspace;

/// Keeps a measurement for programs and for people. A second one of the same stem gets a number.
pub(crate) fn write(stem: &str, record: &impl Serialize, text: &str) -> Result<()> {
    let folder = workspace().join("bench/records");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let stems = std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}-{number}")));
    let free = |stem: &String| !folder.join(format!("{stem}.json")).exists();
    let stem = stems.into_iter().find(free).context("no name for the record")?;
    let mut json = serde_json::to_string_pretty(record)?;
    json.push('\n');
    for (ending, text) in [("json", json.as_str()), ("md", text)] {
        let path = folder.join(format!("{stem}.{ending}"));
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("wrote bench/records/{stem}.{ending}");
    }
    Ok(())
}

/// The place of a measurement, by a path that means something elsewhere too: below the project, or else the name of the directory.
pub(crate) fn place(directory: &Path) -> Result<Place> {
    let mut place = Place::describe(directory)?;
    let below = directory.strip_prefix(workspace()).ok().or_else(|| directory.file_name().map(Path::new));
    place.path = below.unwrap_or(directory).to_string_lossy().into_owned();
    Ok(place)
}
