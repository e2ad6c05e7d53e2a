//! The pairs in which an option shows nothing, and should not.

/// Why an option shows nothing beside another one. Names may be `*`.
pub(super) struct Exception {
    mode: &'static str,
    options: &'static [&'static str],
    beside: &'static [&'static str],
}

impl Exception {
    pub(super) fn is_for(&self, mode: &str, option: &str, beside: &str) -> bool {
        let has = |names: &[&str], name| names.contains(&"*") || names.contains(&name);
        mode.starts_with(self.mode) && has(self.options, option) && has(self.beside, beside)
    }
}

const fn exception(
    mode: &'static str,
    options: &'static [&'static str],
    beside: &'static [&'static str],
    _reason: &'static str,
) -> Exception {
    Exception { mode, options, beside }
}

pub(super) const EXCEPTIONS: &[Exception] = &[
    exception("check of objects", &["--algorithm"], &["--names-only"], "no digest is compared"),
    exception(
        "check of objects",
        &["--quiet"],
        &["--names-only"],
        "of what is there no line is printed anyway",
    ),
    exception(
        "sum of objects",
        &["--algorithm", "--manifest-format", "--tag", "--base64", "--zero", "--header", "--no-header"],
        &["--dry-run"],
        "what reading would take is the same, and a command line is tried as it will be run",
    ),
    exception(
        "sum of objects",
        &["--strict-hashdeep", "--quiet", "--progress"],
        &["--dry-run"],
        "what reading would take is the same, and a command line is tried as it will be run",
    ),
    exception(
        "sum of objects",
        &["--strict-hashdeep"],
        &["--versions"],
        "the name ends with that of the version",
    ),
    exception(
        "bag validate",
        &["--verbose", "--quiet", "--format"],
        &["--status"],
        "nothing is printed, and these say what is; the exit code is the result",
    ),
    exception("bag validate", &["--fail-fast"], &["--status"], "all that fails has the same exit code"),
    exception("bag validate", &["--fail-fast"], &["--quick"], "all names are there, and nothing fails"),
    exception("bag validate", &["--verbose", "--progress"], &["--quick"], "nothing is read or digested"),
    exception("check", &["--beside"], &["--zero"], "the list that lies elsewhere has lines"),
    exception(
        "check",
        &["--verbose", "--quiet", "--format", "--warn"],
        &["--status"],
        "nothing is printed, and these say what is; the exit code is the result",
    ),
    exception(
        "diff",
        &["--verbose", "--quiet", "--format", "--warn", "--zero"],
        &["--status"],
        "nothing is printed, and these say what is; the exit code is the result",
    ),
    exception("", &["--tag"], &["--base64"], "`--base64` takes it with and without: its lines have tags"),
    exception("sum", &["*"], &["--no-recursive"], "the directory is refused, and nothing else is named"),
    exception("sum", &["--header"], &["--shard", "--update"], "there is a header anyway"),
    exception(
        "sum",
        &["--no-links-once"],
        &["--quiet"],
        "the summary alone says how often a content was read",
    ),
    exception("sum", &["--no-links-once"], &["--from-medium"], "from the medium every name is read anyway"),
    exception(
        "convert",
        &["--from-algorithm"],
        &["--from"],
        "a list that does not name it is not in that format",
    ),
    exception("check", &["--one-file-system"], &["--base"], "no link leads out of the directory of `--base`"),
    exception(
        "check",
        &["--complete", "--ignore-missing"],
        &["--fail-fast"],
        "another failure comes first, and ends the run",
    ),
    exception(
        "check of objects",
        &["--names"],
        &["--audit"],
        "the root below which it looks is no name below `--base`",
    ),
    exception(
        "diff of a list",
        &["--strict", "--verbose"],
        &["--base"],
        "relative to it no listed name is there",
    ),
    exception("check of objects", REGION, UNSIGNED, NO_REGION),
    exception("diff of objects", REGION, UNSIGNED, NO_REGION),
    exception("sum of objects", REGION, UNSIGNED, NO_REGION),
];

const REGION: &[&str] = &["--region"];
const UNSIGNED: &[&str] = &["--no-sign-request"];
const NO_REGION: &str = "of a server that is named, the region is only in what is signed";
