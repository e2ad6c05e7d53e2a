//! Runs, and files of figures of other programs: whatever they hold, they are refused, or can be shown and compared.

use std::path::Path;

use hashlane_measure::{Comparison, Loaded, Subject};
use hashlane_report as report;

pub(super) fn check(input: &[u8]) {
    let path = Path::new("file");
    let loaded = match Loaded::parse(input, path) {
        Ok(loaded) => loaded,
        // A name may be long, but no message is a file.
        Err(error) => return assert!(error.to_string().len() < 32_000, "{error}"),
    };
    if let Loaded::Run(run) = &loaded {
        let numbers = |text: &str| numbers(text, input);
        for wide in [true, false] {
            numbers(&report::text(run, true, wide));
        }
        report::page(run);
        report::csv(run);
        report::prometheus(run);
        report::google_benchmark(run);
        report::classic(run).as_deref().map(numbers);
    }
    let files = ["one", "other"].map(|name| (name.into(), loaded.clone()));
    let Ok(comparison) = Comparison::of(Subject::gather(files.to_vec()), None) else { return };
    for wide in [true, false] {
        let _ = report::comparison_text(&comparison, wide);
    }
    report::comparison_markdown(&comparison);
    report::comparison_csv(&comparison);
    report::comparison_page(&comparison, "fuzz");
    report::comparison_json(&comparison);
}

/// What is printed of figures is a number; a name may be any word.
fn numbers(text: &str, input: &[u8]) {
    let is_a_name = |word: &str| input.windows(word.len()).any(|bytes| bytes == word.as_bytes());
    for word in text.split_whitespace().filter(|word| ["inf", "-inf", "NaN"].contains(word)) {
        assert!(is_a_name(word), "{text}");
    }
}
