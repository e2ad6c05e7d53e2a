//! How long the folders of the command are: it is for words and options, and what grows there mostly belongs to a library.
//!
//! The list has a folder and its lines, and below it what it has grown by, each time with the reason:
//!
//! ```text
//! args 4000
//!     +25 `--require` takes figures
//! ```
//!
//! The file `x.rs` beside a folder `x` counts with it, so that nothing is saved by moving text between the two. A folder that may only
//! fall stands in [`FALLING`] and not in the list, with all that is below it. It has exactly that many lines: fewer are written down at
//! once, or they could come back. Any other folder has at most its lines, and at most [`SLACK`] fewer, so that a commit that makes one a
//! little shorter need not touch the list.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::crates::folder;

const LISTED: &str = include_str!("cli-lines.txt");

/// The sum of the lines that folders were listed with at first. The numbers without a reason never add up to more: what grows is
/// written below its folder, with the reason, and a new folder begins at 0.
const AT_FIRST: usize = 17_289;

/// Folders that may only fall, with all below them, and their lines.
const FALLING: [(&str, usize); 1] = [("commands/collection", 2_039)];

/// This many lines fewer than listed are not worth a change of the list.
const SLACK: usize = 100;

/// What a folder of the list may have.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listed {
    at_first: usize,
    /// By how many lines it has grown, for reasons.
    grown: usize,
}

#[test]
fn folders_of_the_command_are_as_long_as_listed() {
    let mut texts = BTreeMap::new();
    gather(&folder("cli").join("src"), "", &mut texts);
    let told = told(LISTED, AT_FIRST, &by_folder(&texts));
    assert!(told.is_empty(), "\n{told}");
}

/// The lines of all sources below a folder, by their path.
fn gather(place: &Path, above: &str, lines: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(place).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let below = if above.is_empty() { name.into_owned() } else { format!("{above}/{name}") };
        if path.is_dir() {
            gather(&path, &below, lines);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            lines.insert(below, fs::read_to_string(&path).expect("a source is text").lines().count());
        }
    }
}

/// The lines of each folder, from those of the files. What lies in none is `.`.
fn by_folder(files: &BTreeMap<String, usize>) -> BTreeMap<String, usize> {
    let above =
        |path: &str| path.rsplit_once('/').map_or_else(|| ".".to_owned(), |(above, _)| above.to_owned());
    let mut folders = BTreeMap::new();
    for (path, lines) in files {
        let beside = path.trim_end_matches(".rs");
        let has_folder =
            files.keys().any(|other| other.strip_prefix(beside).is_some_and(|rest| rest.starts_with('/')));
        let own = if has_folder { beside.to_owned() } else { above(path) };
        let is_below = |falling: &str| own.strip_prefix(falling).is_some_and(|rest| rest.starts_with('/'));
        let folder = FALLING
            .iter()
            .find(|(falling, _)| is_below(falling))
            .map_or(own.clone(), |(falling, _)| (*falling).to_owned());
        *folders.entry(folder).or_default() += lines;
    }
    folders
}

/// What is wrong with a list of folders and with their lines.
fn told(list: &str, at_first: usize, folders: &BTreeMap<String, usize>) -> String {
    let mut told = String::new();
    let mut listed = read(list, &mut told);
    let sum: usize = listed.values().map(|listed| listed.at_first).sum();
    if sum > at_first {
        let _ = writeln!(
            told,
            "{} lines were added without a reason: write `+N REASON` below the folder",
            sum - at_first
        );
    }
    for (folder, &lines) in folders {
        if let Some((_, most)) = FALLING.iter().find(|(falling, _)| *falling == folder) {
            let todo = match lines.cmp(most) {
                Ordering::Less => "write so in FALLING",
                Ordering::Equal => continue,
                Ordering::Greater => "it may only fall: what is new goes elsewhere",
            };
            let _ = writeln!(told, "{folder} has {lines} lines, and had {most}: {todo}");
            continue;
        }
        let Listed { at_first, grown } = listed.remove(folder.as_str()).unwrap_or_default();
        let most = at_first + grown;
        if lines > most {
            let more = lines - most;
            let _ = writeln!(
                told,
                "{folder} has {lines} lines, and {most} are listed: write `+{more} REASON` below it"
            );
        } else if most - lines > SLACK {
            let _ = writeln!(
                told,
                "{folder} has {lines} lines, and {most} are listed: lower its number by {}",
                most - lines
            );
        }
    }
    for folder in listed.keys() {
        let _ =
            writeln!(told, "{folder} is not there any more, or may only fall: take it out of cli-lines.txt");
    }
    told
}

/// The folders of a list. What is not understood of it is reported.
fn read<'a>(list: &'a str, told: &mut String) -> BTreeMap<&'a str, Listed> {
    let mut folders: BTreeMap<&str, Listed> = BTreeMap::new();
    let mut last = None;
    for line in list.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (first, second) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let understood = match (first.strip_prefix('+'), last) {
            (Some(grown), Some(folder)) => {
                grown.parse().ok().filter(|_| !second.trim().is_empty()).map(|grown: usize| {
                    folders.entry(folder).or_default().grown += grown;
                })
            }
            (Some(_), None) => None,
            (None, _) => {
                second.trim().parse().ok().filter(|_| !folders.contains_key(first)).map(|at_first| {
                    folders.insert(first, Listed { at_first, grown: 0 });
                    last = Some(first);
                })
            }
        };
        if understood.is_none() {
            let _ = writeln!(told, "cli-lines.txt: `{line}` is neither `FOLDER LINES` nor `+LINES REASON`");
        }
    }
    folders
}

#[test]
fn a_file_counts_with_the_folder_that_is_named_like_it() {
    let lines = |files: &[(&str, usize)]| {
        by_folder(&files.iter().map(|(path, lines)| ((*path).to_owned(), *lines)).collect())
    };
    let folders = lines(&[
        ("main.rs", 1),
        ("args.rs", 2),
        ("args/store.rs", 4),
        ("commands.rs", 8),
        ("commands/sum.rs", 16),
        ("commands/sum/shard.rs", 32),
        ("commands/sums.rs", 64),
        ("commands/collection.rs", 128),
        ("commands/collection/report/page.rs", 256),
    ]);
    let expected =
        [(".", 1), ("args", 6), ("commands", 72), ("commands/collection", 384), ("commands/sum", 48)];
    assert_eq!(folders, expected.map(|(folder, lines)| (folder.to_owned(), lines)).into());
}

/// What is reported of a list with the numbers that it has had at first, of folders with their lines.
fn of(list: &str, at_first: usize, folders: &[(&str, usize)]) -> String {
    told(list, at_first, &folders.iter().map(|(folder, lines)| ((*folder).to_owned(), *lines)).collect())
}

#[test]
fn a_folder_grows_only_by_a_number_with_its_reason_beside_it() {
    assert_eq!(of("args 10\n", 10, &[("args", 10)]), "");
    let grown = of("args 10\n", 10, &[("args", 12)]);
    assert_eq!(grown, "args has 12 lines, and 10 are listed: write `+2 REASON` below it\n");
    assert_eq!(of("args 10\n    +2 a new option\n", 10, &[("args", 12)]), "");
    assert!(of("args 10\n    +2\n", 10, &[("args", 12)]).starts_with("cli-lines.txt: `    +2` is neither"));
    assert!(of("args 12\n", 10, &[("args", 12)]).starts_with("2 lines were added without a reason"));
    assert!(of("args 10\n", 10, &[("args", 10), ("new", 5)]).contains("new has 5 lines, and 0 are listed"));
    assert_eq!(of("args 10\nnew 0\n    +5 a new command\n", 10, &[("args", 10), ("new", 5)]), "");
}

#[test]
fn a_folder_that_became_shorter_does_not_grow_again_unseen() {
    let few = [("args", 200 - SLACK)];
    assert_eq!(of("args 200\n", 200, &few), "");
    let fewer = of("args 200\n", 200, &[("args", 199 - SLACK)]);
    assert_eq!(fewer, "args has 99 lines, and 200 are listed: lower its number by 101\n");
    assert_eq!(
        of("args 200\n", 200, &[]),
        "args is not there any more, or may only fall: take it out of cli-lines.txt\n"
    );
}

#[test]
fn a_folder_that_may_only_fall_does_so_line_by_line_and_for_no_reason_grows() {
    let (folder, most) = FALLING[0];
    assert_eq!(of("", 0, &[(folder, most)]), "");
    assert!(of("", 0, &[(folder, most + 1)]).contains("may only fall"));
    assert!(of("", 0, &[(folder, most - 1)]).contains("write so in FALLING"));
    // Nor by lines that another folder gave up, or for a reason.
    let list = format!("args 10\n{folder} 5\n    +5 a reason\n");
    let told = of(&list, 15, &[("args", 10), (folder, most + 1)]);
    assert!(told.contains("may only fall: what is new") && told.contains("take it out"), "{told}");
}
