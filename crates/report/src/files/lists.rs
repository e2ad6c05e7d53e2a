//! What is said of lists that were read, and of one that was written.

use hashlane_digest::Algorithm;
use hashlane_verify::{ListSummary, Remedy};

use crate::{shell, text};

/// How many kinds of remarks on a list there are.
const REMARKS: usize = 8;

/// What there is to say of lists, and whether it leaves a doubt. What several have in common stands together. `asked`: the algorithm that
/// was requested. `strict`: whether lines that are not understood leave a doubt; `which`: what shows them, if that has to be said.
pub fn list_remarks(
    lists: &[&ListSummary],
    asked: Option<Algorithm>,
    strict: bool,
    which: &str,
) -> Vec<(String, bool)> {
    let of_lists: Vec<_> = lists.iter().map(|list| remarks(list, asked, strict, which)).collect();
    (0..REMARKS).flat_map(|at| of_lists.iter().filter_map(move |remarks| remarks[at].clone())).collect()
}

fn remarks(
    list: &ListSummary,
    asked: Option<Algorithm>,
    strict: bool,
    which: &str,
) -> [Option<(String, bool)>; REMARKS] {
    let name = text::list(&list.name);
    let lines = |count| text::counted(count, "line");
    let asked = asked.map_or("the requested algorithm", Algorithm::name);
    let has_digests = if list.other_lengths == 1 { "has a digest" } else { "have digests" };
    let said = |is_so: bool, text: String, is_doubt| is_so.then(|| (format!("{name}: {text}"), is_doubt));
    let misnamed = list.misnamed.as_ref().map(|(named, others)| {
        let others: Vec<_> = others.iter().map(|algorithm| algorithm.name()).collect();
        format!("is named after {named}, but its digests are {}", text::listed(&others))
    });
    [
        said(list.malformed > 0, format!("{} cannot be parsed{which}", lines(list.malformed)), strict),
        said(!list.columns_not_read.is_empty(), text::columns_not_read(&list.columns_not_read), strict),
        said(
            list.other_lengths > 0,
            format!("{} {has_digests} of another length, not compared{which}", lines(list.other_lengths)),
            strict,
        ),
        said(list.skipped > 0, format!("{} skipped: not {asked}{which}", lines(list.skipped)), false),
        said(
            list.commented_out > 0,
            format!("{} commented out, not verified", text::counted(list.commented_out, "entry")),
            false,
        ),
        said(
            list.carriage_returns > 0,
            format!(
                "{} without the carriage return at the end of the line",
                text::counted(list.carriage_returns, "name")
            ),
            false,
        ),
        said(misnamed.is_some(), misnamed.unwrap_or_default(), false),
        said(list.broken_off, "the rest of it was not read".to_owned(), true),
    ]
}

/// How many missing files are there if names are read in another way, and which way that is.
pub fn found_otherwise(remedy: &Remedy) -> String {
    let Remedy { names, prefix, beside, fold_case, missing, sought, found } = remedy;
    let files = match (found, missing) {
        (1, 1) => "the missing file is".to_owned(),
        (found, missing) if found == missing => format!("all {missing} missing files are"),
        (1, missing) => format!("1 of {missing} missing files is"),
        (found, missing) if sought == missing => format!("{found} of {missing} missing files are"),
        (found, missing) if found == sought => format!("the first {sought} of {missing} missing files are"),
        (found, missing) => format!("{found} of the first {sought} of {missing} missing files are"),
    };
    let ways = [
        names.is_windows().then(|| "with `\\` as separator".to_owned()),
        names.page().map(|page| format!("in the code page {page}")),
        prefix.as_ref().map(|prefix| format!("without {}", shell::word(prefix.as_bytes()))),
        beside.then(|| "beside the list".to_owned()),
        fold_case.then(|| "in another case".to_owned()),
    ];
    let ways: Vec<_> = ways.iter().flatten().map(String::as_str).collect();
    format!("{files} there {}", text::listed(&ways))
}

/// What was found, or asked for, and has no digest in the list that was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeftOut {
    /// Files.
    pub files: u64,
    /// Directories that could not be looked into.
    pub directories: u64,
    /// The list has a place for files that could not be read.
    pub are_named: bool,
}

impl LeftOut {
    /// What to say of a list, by its name.
    pub fn line(self, list: &str) -> Option<String> {
        let mut what = Vec::new();
        if self.files > 0 {
            what.push(text::counted(self.files, "file"));
        }
        match self.directories {
            0 => {}
            1 => what.push("everything below a directory".to_owned()),
            many => what.push(format!("everything below {} directories", text::count(many))),
        }
        let is_one = self.files + u64::from(self.directories > 0) == 1;
        let verb = match (self.are_named, is_one) {
            (false, true) => "is not",
            (false, false) => "are not",
            (true, true) => "has no digest",
            (true, false) => "have no digest",
        };
        (!what.is_empty()).then(|| format!("{list}: {} {verb} in it", what.join(" and ")))
    }
}
