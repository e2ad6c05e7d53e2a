//! The options of `check`.

use super::{
    BACKENDS, Mode, NO_STORE, READ, READING, READING_OBJECTS, Row, STORE, elsewhere, flag, refused, shows,
};

pub(crate) const PLAIN: Mode = Mode {
    name: "check",
    command: "check",
    base: "check BAD.sha256",
    rows: &[OF_PLAIN, LISTS, FILTERS, REPORT, NO_WALK, NO_SORTING, READING, NO_STORE, BACKENDS],
};

pub(crate) const COMPLETE: Mode = Mode {
    name: "check --complete",
    command: "check",
    base: "check --complete --root t BAD.sha256",
    rows: &[OF_COMPLETE, LISTS_OF_COMPLETE, FILTERS, REPORT, NO_SORTING, READING, NO_STORE, BACKENDS],
};

pub(crate) const AUDIT: Mode = Mode {
    name: "check --audit",
    command: "check",
    base: "check --audit --root t BAD.sha256",
    rows: &[OF_AUDIT, LISTS_OF_AUDIT, FILTERS, REPORT_OF_AUDIT, READING, NO_STORE, BACKENDS],
};

pub(crate) const OBJECTS: Mode = Mode {
    name: "check of objects",
    command: "check",
    base: "check WRONGOBJECTS.sha256",
    rows: &[OF_OBJECTS, FILTERS_OF_OBJECTS, NO_WALK, NO_SORTING, READING_OBJECTS, STORE, BACKENDS],
};

const OF_PLAIN: &[Row] = &[
    flag("--complete"),
    flag("--audit"),
    flag("--names-only"),
    refused("--root", "t"),
    refused("--versions", ""),
    shows("--fail-fast", "check WORSE.sha256", "", ""),
];

const LISTS: &[Row] = &[
    shows("--algorithm", "check BOTH.bsd", "sha256", "sha256"),
    shows("--manifest-format", "", "checkm", "gnu"),
    shows("--zero", "", "", READ),
    shows("--pieces", "check PIECES.sha256", "", ""),
    shows("--base", "check INNER.sha256", "t", "."),
    shows("--strip-prefix", "check OLDNAMES.sha256", "/was", "/is"),
    shows("--names", "check WINDOWS.sha256", "windows", "windows"),
    shows("--beside", "check beside/BESIDE.sha256", "", ""),
    shows("--normalize", "check NFC.sha256", "", ""),
    shows("--ignore-case", "check CASE.sha256", "", ""),
    shows("--ignore-missing", "check MISSING.sha256", "", ""),
    shows("--strict", "check NOISE.sha256", "", ""),
    shows("--warn", "check NOISE.sha256", "", ""),
];

const FILTERS: &[Row] = &[
    // What is wrong is with `t/x.tmp`: so these show in the exit code, too.
    shows("--include", "", "a", "*"),
    shows("--exclude", "", "*.tmp", "*.none"),
    shows("--ignore-file", "", "ignore", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "3", "1TiB"),
    shows("--newer-than", "", "2400-01-01", "1960-01-01"),
    shows("--older-than", "", "2000-01-01", "2400-01-01"),
];

const REPORT: &[Row] = &[
    flag("--quiet"),
    flag("--status"),
    flag("--verbose"),
    shows("--format", "", "json", "text"),
    shows("--output", "", "out", "out"),
];

const NO_WALK: &[Row] = &[refused("--one-file-system", ""), refused("--follow", "")];

const NO_SORTING: &[Row] = &[refused("--memory", "1GiB"), refused("--temporary-directory", "t")];

const OF_COMPLETE: &[Row] = &[
    refused("--audit", ""),
    flag("--names-only"),
    shows("--root", "check --complete SHA256SUMS", "t", "links"),
    refused("--versions", ""),
    shows("--fail-fast", "check --complete --root t WORSE.sha256", "", ""),
    shows("--one-file-system", "check --complete --follow --root links LINKS.sha256", "", ""),
    shows("--follow", "check --complete --root links LINKS.sha256", "", ""),
];

const LISTS_OF_COMPLETE: &[Row] = &[
    shows("--algorithm", "check --complete --root t BOTH.bsd", "sha256", "sha256"),
    shows("--manifest-format", "", "checkm", "gnu"),
    shows("--zero", "", "", READ),
    shows("--pieces", "check --complete PIECES.sha256", "", ""),
    shows("--base", "check --complete INNER.sha256", "t", "."),
    shows("--strip-prefix", "check --complete OLDNAMES.sha256", "/was", "/is"),
    shows("--names", "check --complete WINDOWS.sha256", "windows", "windows"),
    shows("--beside", "check --complete beside/BESIDE.sha256", "", ""),
    shows("--normalize", "check --complete NFC.sha256", "", ""),
    shows("--ignore-case", "check --complete CASE.sha256", "", ""),
    shows("--ignore-missing", "check --complete --root t MISSING.sha256", "", ""),
    shows("--strict", "check --complete --root t NOISE.sha256", "", ""),
    shows("--warn", "check --complete --root t NOISE.sha256", "", ""),
];

const OF_AUDIT: &[Row] = &[
    refused("--complete", ""),
    refused("--names-only", ""),
    shows("--root", "check --audit SHA256SUMS", "t", "."),
    refused("--versions", ""),
    refused("--fail-fast", ""),
    shows("--one-file-system", "check --audit --follow --root links LINKS.sha256", "", ""),
    shows("--follow", "check --audit --root links LINKS.sha256", "", ""),
    elsewhere("--memory", "1GiB", "`little_memory.rs`"),
    elsewhere("--temporary-directory", "t", "`little_memory.rs`"),
];

const LISTS_OF_AUDIT: &[Row] = &[
    shows("--algorithm", "check --audit --root t BOTH.bsd", "sha256", "sha256"),
    shows("--manifest-format", "", "checkm", "gnu"),
    shows("--zero", "", "", READ),
    shows("--pieces", "check --audit PIECES.sha256", "", ""),
    shows("--base", "check --audit INNER.sha256", "t", "."),
    shows("--strip-prefix", "check --audit OLDNAMES.sha256", "/was/", "/is/"),
    shows("--names", "check --audit WINDOWS.sha256", "windows", "windows"),
    shows("--beside", "check --audit beside/BESIDE.sha256", "", ""),
    shows("--normalize", "check --audit NFC.sha256", "", ""),
    shows("--ignore-case", "check --audit CASE.sha256", "", ""),
    shows("--ignore-missing", "check --audit --root t MISSING.sha256", "", ""),
    shows("--strict", "check --audit --root t NOISE.sha256", "", ""),
    shows("--warn", "check --audit --root t NOISE.sha256", "", ""),
];

const REPORT_OF_AUDIT: &[Row] = &[
    flag("--quiet"),
    flag("--status"),
    flag("--verbose"),
    shows("--format", "", "json", "text"),
    shows("--output", "", "out", "out"),
];

const OF_OBJECTS: &[Row] = &[
    shows("--complete", "", "--root s3://b", "--root s3://b"),
    shows("--audit", "", "--root s3://b", "--root s3://b"),
    flag("--names-only"),
    refused("--root", "t"),
    shows("--versions", "check VERSIONS.sha256", "", ""),
    shows("--fail-fast", "check WRONGOBJECTS.sha256", "", ""),
    shows("--algorithm", "check OBJECTS.sha256", "sha3-256", "sha256"),
    shows("--manifest-format", "", "checkm", "gnu"),
    shows("--zero", "", "", READ),
    shows("--pieces", "check OBJECTPIECES.sha256", "", ""),
    shows("--base", "check INNER.sha256", "s3://b/t", "s3://b"),
    shows("--strip-prefix", "check --base s3://b OBJECTS.sha256", "s3://b/t/", "s3://b/x/"),
    shows("--names", "check --base s3://b WINDOWS.sha256", "windows", "windows"),
    refused("--beside", ""),
    refused("--normalize", ""),
    refused("--ignore-case", ""),
    shows("--ignore-missing", "check WRONGOBJECTS.sha256", "", ""),
    shows("--strict", "check NOISYOBJECTS.sha256", "", ""),
    shows("--warn", "check NOISYOBJECTS.sha256", "", ""),
    flag("--quiet"),
    flag("--status"),
    shows("--verbose", "check WRONGOBJECTS.sha256", "", ""),
    shows("--format", "", "json", "text"),
    shows("--output", "", "out", "out"),
];

const FILTERS_OF_OBJECTS: &[Row] = &[
    shows("--include", "", "big", "*"),
    shows("--exclude", "", "c", "*.none"),
    shows("--ignore-file", "", "ignore-c", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "1", "1TiB"),
    shows("--newer-than", "", "2400-01-01", "1960-01-01"),
    shows("--older-than", "", "1960-01-01", "2400-01-01"),
];
