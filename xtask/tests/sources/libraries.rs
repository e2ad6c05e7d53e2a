//! What a library shows of itself: a README whose example is run as a test.

use std::fs;

use crate::crates::{folder, libraries};

/// Longer than this it is a guide, and belongs to docs.
const MOST_LINES: usize = 70;

#[test]
fn every_library_has_a_short_readme_whose_example_is_a_doctest() {
    for name in libraries() {
        let folder = folder(&name);
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let (readme, root, manifest) = (read("README.md"), read("src/lib.rs"), read("Cargo.toml"));
        assert!(readme.starts_with(&format!("# hashlane-{name}\n")), "crates/{name}/README.md");
        assert!(readme.lines().count() <= MOST_LINES, "crates/{name}/README.md is long");
        assert!(manifest.contains("readme = \"README.md\""), "crates/{name}/Cargo.toml names its README");
        assert!(
            root.contains("#![doc = include_str!(\"../README.md\")]"),
            "crates/{name}/src/lib.rs shows its README"
        );
        let examples: Vec<&str> = readme.split("\n```").skip(1).step_by(2).collect();
        // What is not run proves nothing.
        let is_run = |example: &&str| {
            matches!(example.lines().next(), Some("" | "rust" | "should_panic" | "standalone_crate"))
        };
        assert!(examples.iter().any(is_run), "crates/{name}/README.md has an example that is run");
    }
}
