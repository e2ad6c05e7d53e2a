//! What each option does, in each of the ways in which its command works.

mod bag;
mod check;
mod diff;
mod known;
mod other;
mod sum;

/// A way in which a command works: what it is called with, unless a row says otherwise, and what each of its options does then.
pub(super) struct Mode {
    pub(super) name: &'static str,
    /// As `tests/fixtures/options.txt` names it.
    pub(super) command: &'static str,
    pub(super) base: &'static str,
    pub(super) rows: &'static [&'static [Row]],
}

/// What an option does.
pub(super) struct Row {
    pub(super) option: &'static str,
    pub(super) does: Does,
    /// What it is shown with, if not with the base of its mode.
    base: &'static str,
    value: &'static str,
    /// A value that leaves other options their effect.
    beside: &'static str,
}

#[derive(Clone, Copy)]
pub(super) enum Does {
    /// What the command prints, writes, asks for or ends with is not what it is without the option.
    Shows,
    /// The command ends with 64 and names it.
    IsRefused,
    /// It says only how bytes are read or digested, which is seen elsewhere: where.
    ShowsElsewhere,
}

/// An option that shows.
const fn shows(option: &'static str, base: &'static str, value: &'static str, beside: &'static str) -> Row {
    Row { option, does: Does::Shows, base, value, beside }
}

/// One without a value that shows with the base of the mode.
const fn flag(option: &'static str) -> Row {
    shows(option, "", "", "")
}

const fn refused(option: &'static str, value: &'static str) -> Row {
    Row { option, does: Does::IsRefused, base: "", value, beside: value }
}

const fn elsewhere(option: &'static str, value: &'static str, _place: &'static str) -> Row {
    Row { option, does: Does::ShowsElsewhere, base: "", value, beside: value }
}

impl Mode {
    pub(super) fn rows(&self) -> impl Iterator<Item = &'static Row> {
        self.rows.iter().flat_map(|group| group.iter())
    }

    /// The options that make it what it is.
    pub(super) fn own(&self) -> Vec<&'static str> {
        self.base.split_whitespace().filter(|word| word.starts_with("--")).collect()
    }

    /// What a row is shown with.
    pub(super) fn base_of(&self, row: &Row) -> Vec<&'static str> {
        if row.base.is_empty() { self.base } else { row.base }.split_whitespace().collect()
    }
}

impl Row {
    /// Whether it says that the lines of lists end with NUL. In `check` it is the option that elsewhere says how lists are written.
    pub(super) fn reads_nul(&self) -> bool {
        self.option == "--from-zero" || self.option == "--zero" && self.beside == READ
    }

    /// The option, as it is given alone.
    pub(super) fn given(&self) -> Vec<&'static str> {
        std::iter::once(self.option).chain(self.value.split_whitespace()).collect()
    }

    /// The option, as it is given beside another one.
    pub(super) fn beside(&self) -> Vec<&'static str> {
        let words = self.beside.split_whitespace().filter(|word| *word != READ);
        std::iter::once(self.option).chain(words).collect()
    }
}

/// Stands for no value, where `--zero` is about the lists that are read.
const READ: &str = "(read)";

pub(super) const MODES: &[Mode] = &[
    sum::FILES,
    sum::OBJECTS,
    sum::UPDATE,
    check::PLAIN,
    check::COMPLETE,
    check::AUDIT,
    check::OBJECTS,
    diff::LISTS,
    diff::TREE,
    diff::TREES,
    diff::OBJECTS,
    other::CONVERT,
    other::ADD,
    other::MERGE,
    known::BUILD,
    known::INFO,
    bag::CREATE,
    bag::VALIDATE,
];

/// How files are read and digested.
const READING: &[Row] = &[
    elsewhere("--jobs", "1", "the log of system calls"),
    elsewhere("--engine", "buffered", "tests of the engines"),
    elsewhere("--no-profile", "", "`tune.rs`"),
    elsewhere("--drop-behind", "", "tests of the page cache"),
    elsewhere("--no-drop-behind", "", "tests of the page cache"),
    elsewhere("--max-rate", "1GiB", "tests of the engine's clock"),
    elsewhere("--nice-io", "", "tests of the engine's threads"),
    flag("--from-medium"),
    shows("--progress", "", "json", "json"),
];

/// The same, where no file is read. What these ask for is kept, but that files were read from the medium cannot be said.
const NOT_READ: &[Row] = &[
    elsewhere("--jobs", "1", "nothing is read"),
    elsewhere("--engine", "buffered", "nothing is read"),
    elsewhere("--no-profile", "", "nothing is read"),
    elsewhere("--drop-behind", "", "nothing is read"),
    elsewhere("--no-drop-behind", "", "nothing is read"),
    elsewhere("--max-rate", "1GiB", "nothing is read"),
    elsewhere("--nice-io", "", "nothing is read"),
    elsewhere("--progress", "json", "nothing is read"),
    refused("--from-medium", ""),
];

/// The same for objects.
const READING_OBJECTS: &[Row] = &[
    elsewhere("--jobs", "1", "the log of requests"),
    refused("--engine", "buffered"),
    elsewhere("--no-profile", "", "no device is read"),
    elsewhere("--drop-behind", "", "nothing of it is in the page cache"),
    elsewhere("--no-drop-behind", "", "nothing of it is in the page cache"),
    elsewhere("--max-rate", "1GiB", "tests of the engine's clock"),
    elsewhere("--nice-io", "", "no device is read"),
    refused("--from-medium", ""),
    shows("--progress", "", "json", "json"),
];

/// By which means digests are computed. All of them compute the same.
const BACKENDS: &[Row] = &[
    elsewhere("--backend", "portable", "`backends.rs`"),
    elsewhere("--calibrate", "", "tests of calibration"),
    elsewhere("--no-calibrate", "", "tests of calibration"),
    elsewhere("--cache", "cache", "`tune.rs`"),
];

/// What is for objects, where there are none.
const NO_STORE: &[Row] = &[
    refused("--endpoint", "{other}"),
    refused("--region", "eu-north-1"),
    refused("--no-sign-request", ""),
    refused("--requester-pays", ""),
    refused("--max-requests", "2"),
    refused("--retries", "2"),
    refused("--retry-for", "2s"),
];

/// How a store is asked.
const STORE: &[Row] = &[
    shows("--endpoint", "", "{other}", "{other}"),
    shows("--region", "", "eu-north-1", "eu-north-1"),
    flag("--no-sign-request"),
    flag("--requester-pays"),
    shows("--max-requests", "", "2", "1000"),
    elsewhere("--retries", "2", "`objects/patience.rs`"),
    elsewhere("--retry-for", "2s", "`objects/patience.rs`"),
];
