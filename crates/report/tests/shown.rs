//! What holds of all that is shown, whatever study it is of: lines fit, texts are clean, colours can be seen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hashlane_measure::{Comparison, Loaded, Run, Subject};
use hashlane_report::{WIDTH, classic, comparison_page, comparison_text, page, text};

/// Longer than any table has room for.
const LONG: &str = "a-very-long-name.of-a-machine_that-nobody-can-place/in-a-table-of-a-hundred-columns and a half, to be sure";

fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/records")
}

/// Runs of all studies: those that are kept as records, and one of each study that is not among them.
fn runs() -> Vec<(String, Run)> {
    let places = [records(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs")];
    let entries = places.iter().flat_map(|place| std::fs::read_dir(place).expect("a directory"));
    let mut runs: Vec<(String, Run)> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            // Other records are of other programs.
            Some((name, Run::load(&path).ok()?))
        })
        .collect();
    runs.sort_by(|one, other| one.0.cmp(&other.0));
    let studies: Vec<&str> = runs.iter().map(|(_, run)| run.study.as_str()).collect();
    for study in ["check-up", "io", "machine", "pipeline", "speed", "variant"] {
        assert!(studies.contains(&study), "there is no run of {study} among {studies:?}");
    }
    runs
}

/// The same with names that are as long as names get.
fn with_long_names(run: &Run) -> Run {
    let mut run = run.clone();
    (run.name, run.host) = (Some(LONG.to_owned()), Some(LONG.to_owned()));
    run.machine.processor.name = LONG.to_owned();
    for result in &mut run.cells {
        let cell = &mut result.cell;
        for name in [&mut cell.program, &mut cell.input].into_iter().flatten() {
            // What a cell is about shows in its name in places.
            if !["dd", "empty", "b2sum", "sha1sum", "sha256sum", "sha512sum", "hashlane-sum"]
                .contains(&name.as_str())
            {
                *name = format!("{name} {LONG}");
            }
        }
    }
    for program in &mut run.programs {
        program.command.push(LONG.to_owned());
    }
    run
}

fn fits(what: &str, shown: &str) {
    use unicode_width::UnicodeWidthStr as _;
    for line in shown.lines() {
        assert!(line.width() <= WIDTH, "{what}: {} columns:\n{line}", line.width());
    }
}

#[test]
fn no_line_of_a_run_is_wider_than_a_hundred_columns() {
    for (name, run) in runs() {
        for run in [run.clone(), with_long_names(&run)] {
            fits(&name, &text(&run, true, false));
        }
        // With all columns there are more.
        assert!(text(&run, true, true).len() >= text(&run, true, false).replace("\n    ", " ").len() / 2);
        if let Some(classic) = classic(&run) {
            assert!(!classic.is_empty(), "{name}");
        }
    }
}

#[test]
fn what_is_left_out_without_wide_is_named_and_there_with_it() {
    let mut named = 0;
    for (name, run) in runs() {
        let narrow = text(&run, false, false).replace("\n  ", " ");
        let Some((_, columns)) = narrow.split_once("a wide table has more columns: ") else { continue };
        let wide = text(&run, false, true);
        let columns = columns.lines().next().expect("a line");
        for column in columns.split("; ") {
            assert!(wide.contains(column), "{name}: {column}");
            named += 1;
        }
        assert!(!wide.contains("a wide table has"));
    }
    assert!(named > 5, "{named}");
}

/// Comparisons of pairs, and of many, each with itself under other names.
fn comparisons() -> Vec<(String, Comparison)> {
    let mut all = Vec::new();
    for (name, run) in runs() {
        for count in [2, 3, 7] {
            for (short, run) in [(true, run.clone()), (false, with_long_names(&run))] {
                let file = |at: usize| {
                    let named = Run {
                        name: if short { Some(format!("run {at}")) } else { run.name.clone() },
                        ..run.clone()
                    };
                    (PathBuf::from(format!("{at}.json")), Loaded::Run(Box::new(named)))
                };
                let compared = Comparison::of(Subject::gather((0..count).map(file).collect()), None);
                all.push((format!("{count} of {name}"), compared.expect("the same cells")));
            }
        }
    }
    all
}

#[test]
fn no_line_of_a_comparison_is_wider_than_a_hundred_columns() {
    for (name, comparison) in comparisons() {
        fits(&name, &comparison_text(&comparison, false));
    }
}

#[test]
fn no_page_has_a_backtick_and_wide_tables_can_be_scrolled_by_all() {
    let mut pages: Vec<(String, String)> = Vec::new();
    for (name, mut run) in runs() {
        pages.push((name.clone(), page(&run)));
        // Whatever a name holds.
        (run.name, run.host) = (Some("`a` and `b".to_owned()), Some("`".to_owned()));
        run.machine.processor.name = "``c".to_owned();
        for result in &mut run.cells {
            result.cell.program = result.cell.program.take().map(|program| format!("`{program}"));
        }
        run.command.push("`date`".to_owned());
        pages.push((name, page(&run)));
    }
    pages.extend(
        comparisons().iter().map(|(name, compared)| (name.clone(), comparison_page(compared, "hashlane"))),
    );
    for (name, page) in pages {
        assert!(
            !page.contains('`'),
            "{name}: {}",
            page.split('`').next().expect("a part").lines().last().unwrap_or("")
        );
        let (tables, scrolled) = (
            page.matches("<table>").count(),
            page.matches("class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=").count(),
        );
        assert!(
            tables == scrolled && tables > 0,
            "{name}: {tables} tables, {scrolled} of them can be scrolled"
        );
    }
}

/// The style of the page.
const STYLE: &str = include_str!("../src/page.css");

/// The colours of the page by their names, in light and in dark.
fn palettes() -> [BTreeMap<&'static str, [f64; 3]>; 2] {
    let blocks: Vec<&str> =
        STYLE.split(":root {").skip(1).map(|rest| rest.split('}').next().expect("it ends")).collect();
    let palette = |block: &'static str| {
        let colours = block.split(';').filter_map(|line| {
            let (name, value) = line.trim().strip_prefix("--")?.split_once(": #")?;
            let part = |at: usize| f64::from(u8::from_str_radix(&value[at..at + 2], 16).expect("a digit"));
            Some((name, [part(0), part(2), part(4)]))
        });
        colours.collect()
    };
    let [light, dark] = blocks.as_slice() else { panic!("there are light and dark: {blocks:?}") };
    [palette(light), palette(dark)]
}

/// WCAG 2.2, 1.4.3: the ratio of the relative luminances of two colours.
fn contrast(one: &[f64; 3], other: &[f64; 3]) -> f64 {
    let luminance = |colour: &[f64; 3]| {
        let linear = colour.map(|part| match part / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn all_colours_stand_out_from_what_is_behind_them_in_light_and_dark() {
    assert!((contrast(&[0.0; 3], &[255.0; 3]) - 21.0).abs() < 1e-9);
    let [light, dark] = palettes();
    assert_eq!(light.keys().collect::<Vec<_>>(), dark.keys().collect::<Vec<_>>());
    for (theme, palette) in [("light", &light), ("dark", &dark)] {
        for (name, colour) in palette {
            let least = match *name {
                "paper" | "tint" | "rule" => continue,
                // These are text; all others only drawn.
                "ink" | "faint" => 4.5,
                _ => 3.0,
            };
            for behind in ["paper", "tint"] {
                let contrast = contrast(colour, &palette[behind]);
                assert!(contrast >= least, "{theme}: {name} on {behind}: {contrast:.2}");
            }
        }
    }
}

#[test]
fn text_has_the_colours_of_text_and_no_colour_is_without_a_name() {
    let rules = STYLE.rsplit(":root {").next().expect("a part").split_once('}').expect("it ends").1;
    assert!(
        !rules.contains('#')
            || rules
                .split('#')
                .skip(1)
                .all(|rest| !rest.starts_with(|letter: char| letter.is_ascii_hexdigit())),
        "a colour without a name"
    );
    for rule in rules.split('}') {
        let Some((selector, body)) = rule.split_once('{') else { continue };
        let is_drawn = selector.contains(".curve g") || selector.contains(".strip");
        for declaration in body.split(';') {
            let Some(value) = declaration.trim().strip_prefix("color:") else { continue };
            let is_text = ["var(--ink)", "var(--faint)"].contains(&value.trim());
            assert!(is_drawn || is_text, "{selector}: {declaration}");
        }
    }
}
