//! The options of `diff`.

use super::{
    BACKENDS, Mode, NO_STORE, NOT_READ, READING, READING_OBJECTS, Row, STORE, elsewhere, flag, refused, shows,
};

pub(crate) const LISTS: Mode = Mode {
    name: "diff of lists",
    command: "diff",
    base: "diff OLD.sha256 NEW.sha256",
    rows: &[OF_LISTS, REPORT, NO_TREE, NOT_READ, NO_STORE, BACKENDS],
};

pub(crate) const TREE: Mode = Mode {
    name: "diff of a list and a tree",
    command: "diff",
    base: "diff BAD.sha256 t",
    rows: &[OF_TREE, REPORT, FILTERS, SORTING, READING, NO_STORE, BACKENDS],
};

pub(crate) const TREES: Mode = Mode {
    name: "diff of trees",
    command: "diff",
    base: "diff A B",
    rows: &[OF_TREES, REPORT, FILTERS_OF_TREES, NO_SORTING, READING, NO_STORE, BACKENDS],
};

pub(crate) const OBJECTS: Mode = Mode {
    name: "diff of objects",
    command: "diff",
    base: "diff A s3://b/t",
    rows: &[OF_OBJECTS, REPORT, FILTERS_OF_OBJECTS, SORTING, READING_OBJECTS, STORE, BACKENDS],
};

const REPORT: &[Row] = &[
    shows("--format", "", "json", "text"),
    flag("--zero"),
    flag("--verbose"),
    flag("--quiet"),
    flag("--status"),
    shows("--output", "", "out", "out"),
];

const FILTERS: &[Row] = &[
    // What differs is `t/x.tmp`: so these show in the exit code, too.
    shows("--include", "", "a", "*"),
    shows("--exclude", "", "*.tmp", "*.none"),
    shows("--ignore-file", "", "ignore", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "3", "1TiB"),
    shows("--newer-than", "", "2400-01-01", "1960-01-01"),
    shows("--older-than", "", "2000-01-01", "2400-01-01"),
];

/// The same, where `x.tmp` differs and all else is older and longer.
const FILTERS_OF_TREES: &[Row] = &[
    shows("--include", "diff few/A few/B", "big", "*"),
    shows("--exclude", "diff few/A few/B", "*.tmp", "*.none"),
    shows("--ignore-file", "diff few/A few/B", "ignore", "ignore-none"),
    shows("--min-size", "diff few/A few/B", "1000", "0"),
    shows("--max-size", "diff few/A few/B", "3", "1TiB"),
    shows("--newer-than", "diff few/A few/B", "2400-01-01", "1960-01-01"),
    shows("--older-than", "diff few/A few/B", "2000-01-01", "2400-01-01"),
];

const SORTING: &[Row] = &[
    elsewhere("--memory", "1GiB", "`little_memory.rs`"),
    elsewhere("--temporary-directory", "t", "`little_memory.rs`"),
];

/// Directories are listed in order.
const NO_SORTING: &[Row] = &[
    elsewhere("--memory", "1GiB", "nothing is sorted"),
    elsewhere("--temporary-directory", "t", "nothing is sorted"),
];

const NO_TREE: &[Row] = &[
    refused("--base", "t"),
    refused("--normalize", ""),
    refused("--follow", ""),
    refused("--one-file-system", ""),
    refused("--include", "*"),
    refused("--exclude", "*.none"),
    refused("--ignore-file", "ignore"),
    refused("--min-size", "1000"),
    refused("--max-size", "1000"),
    refused("--newer-than", "2000-01-01"),
    refused("--older-than", "2000-01-01"),
];

const OF_LISTS: &[Row] = &[
    shows("--algorithm", "diff PLAIN PLAIN", "md5", "md5"),
    shows("--manifest-format", "", "checkm", "gnu"),
    flag("--from-zero"),
    shows("--strip-prefix", "", "/was/", "/is/"),
    shows("--strict", "diff NOISE.sha256 NEW.sha256", "", ""),
    shows("--warn", "diff NOISE.sha256 NEW.sha256", "", ""),
    elsewhere("--memory", "1GiB", "`little_memory.rs`"),
    elsewhere("--temporary-directory", "t", "`little_memory.rs`"),
];

const OF_TREE: &[Row] = &[
    shows("--algorithm", "diff PLAIN t", "md5", "sha256"),
    shows("--manifest-format", "", "checkm", "gnu"),
    flag("--from-zero"),
    shows("--base", "diff INNER.sha256 t", "t", "t"),
    shows("--strip-prefix", "diff OLDNAMES.sha256 t", "/was/", "/is/"),
    refused("--normalize", ""),
    shows("--follow", "diff LINKS.sha256 links", "", ""),
    shows("--one-file-system", "diff --follow LINKS.sha256 links", "", ""),
    shows("--strict", "diff NOISE.sha256 t", "", ""),
    shows("--warn", "diff NOISE.sha256 t", "", ""),
];

const OF_TREES: &[Row] = &[
    shows("--algorithm", "diff crc/A crc/B", "crc32", "sha256"),
    refused("--manifest-format", "gnu"),
    refused("--from-zero", ""),
    refused("--base", "A"),
    refused("--strip-prefix", "A/"),
    flag("--normalize"),
    shows("--follow", "diff links t/sub", "", ""),
    shows("--one-file-system", "diff --follow links linked", "", ""),
    refused("--strict", ""),
    refused("--warn", ""),
];

const OF_OBJECTS: &[Row] = &[
    shows("--algorithm", "diff crc/A s3://b/crc", "crc32", "sha256"),
    refused("--manifest-format", "gnu"),
    refused("--from-zero", ""),
    refused("--base", "A"),
    refused("--strip-prefix", "A/"),
    refused("--normalize", ""),
    shows("--follow", "diff linked s3://b/t", "", ""),
    shows("--one-file-system", "diff --follow links s3://b/t", "", ""),
    refused("--strict", ""),
    refused("--warn", ""),
];

const FILTERS_OF_OBJECTS: &[Row] = &[
    shows("--include", "", "*.tmp", "*"),
    shows("--exclude", "", "*.tmp", "*.none"),
    shows("--ignore-file", "", "ignore", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "1000", "1TiB"),
    shows("--newer-than", "", "2400-01-01", "1960-01-01"),
    shows("--older-than", "", "2000-01-01", "2400-01-01"),
];
