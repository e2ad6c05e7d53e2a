//! What shows measurements knows of measurements. The parts that everything is shown by, and the view of collections, do not.

use std::path::Path;

use crate::crates::sources;

/// The views that may know of measurements.
const OF_MEASUREMENTS: [&str; 2] = ["comparison", "run"];

#[test]
fn only_views_of_measurements_know_of_them() {
    let is_view = |path: &Path| {
        let first = path.with_extension("");
        OF_MEASUREMENTS.iter().any(|view| first.starts_with(view))
    };
    let sources = sources("report");
    let names_it =
        |source: &&crate::crates::Source| source.tokens.iter().any(|token| token.is_word("hashlane_measure"));
    let (views, others): (Vec<_>, Vec<_>) =
        sources.iter().filter(names_it).map(|source| &source.path).partition(|path| is_view(path));
    assert!(others.is_empty(), "{others:?} name hashlane_measure: move that to a view");
    // Else nothing was looked at.
    assert!(views.len() > OF_MEASUREMENTS.len(), "{views:?}");
}
