//! The guide's examples, run as its readers run them: page after page in one directory.

use std::fs;
use std::path::Path;

use crate::work::{Dir, have};

/// Pages whose examples go together, in the order in which the guide has them.
const PAGES: [&str; 6] = ["sum", "check", "known", "bags", "collections", "telling"];

/// Where the pages are followed, as they have it.
const HOME: &str = "/home/keeper";

#[test]
fn the_guide_shows_what_its_commands_print() {
    if !(have("dd") && have("seq") && have("find")) {
        return;
    }
    let dir = Dir::new();
    let (mut examples, mut wrong) = (0, String::new());
    for page in PAGES {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(page).with_extension("md");
        let text = fs::read_to_string(&path).unwrap();
        for example in text.split("```console\n").skip(1) {
            let (example, _) = example.split_once("```").expect("an example ends");
            let commands: Vec<_> = example.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
            let shown: Vec<_> = example.lines().filter(|line| !line.starts_with("$ ")).collect();
            let printed = run(&dir, &commands);
            let printed: Vec<_> = printed.lines().collect();
            examples += commands.len();
            if sorted(&shown) != sorted(&printed) {
                wrong += &format!("{page}.md: after\n{}\n", commands.join("\n"));
                wrong += &format!("it shows\n{}\nand is now\n{}\n\n", shown.join("\n"), printed.join("\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    println!("{examples} commands of the guide print what it shows");
}

/// What the commands of an example print, on both streams: they share a terminal.
fn run(dir: &Dir, commands: &[&str]) -> String {
    let hashlane = Path::new(env!("CARGO_BIN_EXE_hashlane")).parent().unwrap().to_str().unwrap();
    let path = format!("{hashlane}:{}", std::env::var("PATH").unwrap());
    let script = format!("exec 2>&1\n{}", commands.join("\n"));
    let catalogue = dir.path("catalog.sqlite");
    let command = dir.command("bash", ["-c", &script]).env("PATH", &path).env("COLUMNS", "200");
    let command = command.env("HASHLANE_CATALOG", catalogue.to_str().unwrap()).env("SUDO_USER", "keeper");
    let printed = String::from_utf8(command.run().stdout).unwrap();
    printed.replace(dir.root().to_str().unwrap(), HOME)
}

/// Lines without what differs from run to run, in an order of their own: the summary comes when it comes.
fn sorted(lines: &[&str]) -> Vec<String> {
    let mut lines: Vec<_> = lines.iter().map(|line| without_times(line)).collect();
    lines.sort_unstable();
    lines
}

/// A line without the time that was taken, the rate and where bytes came from, and without points in time.
fn without_times(line: &str) -> String {
    let line = &without_dates(line);
    let line = match line.rsplit_once(") in ") {
        Some((before, _)) if line.starts_with("hashlane: ") => format!("{before})"),
        _ => line.to_owned(),
    };
    let is_time = |word: &str| word.len() > 19 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
    line.split(',').map(|word| if is_time(word) { "TIME" } else { word }).collect::<Vec<_>>().join(",")
}

/// A line of a collection without what differs from day to day: dates, how long ago something was, how long an audit took, and where
/// bytes came from, which depends on the file system.
fn without_dates(line: &str) -> String {
    if let Some((before, _)) = line.split_once("last readings: ") {
        return format!("{before}last readings: ");
    }
    let mut words: Vec<&str> = line.split(' ').collect();
    let is_date = |word: &str| word.len() == 10 && word.as_bytes()[4] == b'-' && word.as_bytes()[7] == b'-';
    let has_date = words.iter().any(|word| is_date(word.trim_end_matches(',')));
    if !has_date && !line.contains(" ago ") && !line.contains(" listed, ") && !line.contains("last read") {
        return line.to_owned();
    }
    if let Some(place) = words.iter().position(|word| is_date(word.trim_end_matches(','))) {
        words.truncate(place);
    }
    let text = words.join(" ");
    let text = match (text.split_once(" in "), text.split_once("; ")) {
        (Some((before, _)), Some((_, behind))) => format!("{before}; {behind}"),
        _ => text,
    };
    let text = match text.split_once(" last read ") {
        Some((before, _)) => format!("{before} last read"),
        None => text,
    };
    // Columns are as wide as what stands in them.
    let words: Vec<_> = text.split_whitespace().collect();
    match words.iter().position(|word| *word == "ago") {
        Some(ago) if ago >= 2 => [&words[..ago - 2], &words[ago + 1..]].concat().join(" "),
        _ => words.join(" "),
    }
}
