//! The options of `sum`.

use super::{
    BACKENDS, Mode, NO_STORE, READING, READING_OBJECTS, Row, STORE, elsewhere, flag, refused, shows,
};

pub(crate) const FILES: Mode = Mode {
    name: "sum of files",
    command: "sum",
    base: "sum t",
    rows: &[OUTPUT, INPUT, MATCHING, WALK, NO_UPDATE, READING, NO_STORE, BACKENDS],
};

pub(crate) const OBJECTS: Mode = Mode {
    name: "sum of objects",
    command: "sum",
    base: "sum s3://b/t",
    rows: &[
        OUTPUT_OF_OBJECTS,
        MATCHING_OBJECTS,
        WALK_OF_OBJECTS,
        NO_UPDATE,
        READING_OBJECTS,
        STORE,
        BACKENDS,
    ],
};

pub(crate) const UPDATE: Mode = Mode {
    name: "sum --update",
    command: "sum",
    base: "sum --update update.jsonl",
    rows: &[OF_UPDATE, WALK_OF_UPDATE, READING, NO_STORE, BACKENDS],
};

const OUTPUT: &[Row] = &[
    shows("--algorithm", "", "md5", "sha256"),
    shows("--manifest-format", "", "jsonl", "gnu"),
    flag("--tag"),
    flag("--base64"),
    flag("--zero"),
    flag("--header"),
    shows("--no-header", "sum --manifest-format hashdeep t", "", ""),
    shows("--strict-hashdeep", "sum --manifest-format hashdeep hard", "", ""),
    shows("--pieces", "", "1KiB", "1KiB"),
    shows("--output", "", "out", "out"),
    shows("--files0-out", "", "out0", "out0"),
    flag("--quiet"),
    shows("--shard", "", "1/2", "1/1"),
];

const INPUT: &[Row] = &[
    shows("--files-from", "sum", "names", "names"),
    shows("--files0-from", "sum", "names0", "names0"),
    refused("--versions", ""),
    refused("--dry-run", ""),
    shows("--update", "", "update.jsonl", "update.jsonl"),
];

const MATCHING: &[Row] = &[
    shows("--known", "", "known.md5", "known.sha256"),
    shows("--known-digest", "", "md5:60b725f10c9c85c70d97880dfe8191b3", KNOWN),
    shows("--match", "sum --known known.sha256 t", "", ""),
    shows("--no-match", "sum --known known.sha256 t", "", ""),
    shows("--show-matched-by", "sum --known known.sha256 t", "", ""),
    shows("--unseen", "sum --known known.sha256 t", "unseen", "unseen"),
];

/// The digest of `t/a`.
const KNOWN: &str = "sha256:87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";

const WALK: &[Row] = &[
    shows("--recursive", "sum --no-recursive t", "", ""),
    flag("--no-recursive"),
    shows("--one-file-system", "sum --follow links", "", ""),
    shows("--follow", "sum links", "", ""),
    shows("--type", "", "char", "file,char"),
    flag("--no-links-once"),
    shows("--include", "", "*.tmp", "*"),
    shows("--exclude", "", "*.tmp", "*.none"),
    shows("--ignore-file", "", "ignore", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "1000", "1TiB"),
    shows("--newer-than", "", "2000-01-01", "1960-01-01"),
    shows("--older-than", "", "2000-01-01", "2400-01-01"),
];

const NO_UPDATE: &[Row] = &[refused("--trust", "mtime"), refused("--fail-on-change", "")];

const OUTPUT_OF_OBJECTS: &[Row] = &[
    shows("--algorithm", "", "sha1", "sha256"),
    shows("--manifest-format", "", "jsonl", "gnu"),
    flag("--tag"),
    flag("--base64"),
    flag("--zero"),
    flag("--header"),
    shows("--no-header", "sum --manifest-format hashdeep s3://b/t", "", ""),
    shows("--strict-hashdeep", "sum --manifest-format hashdeep s3://b/hard", "", ""),
    shows("--pieces", "", "1KiB", "1KiB"),
    shows("--output", "", "out", "out"),
    shows("--files0-out", "", "out0", "out0"),
    flag("--quiet"),
    shows("--shard", "", "1/2", "1/1"),
    refused("--files-from", "names"),
    refused("--files0-from", "names0"),
    flag("--versions"),
    flag("--dry-run"),
    shows("--update", "", "list.jsonl", "list.jsonl"),
];

const MATCHING_OBJECTS: &[Row] = &[
    shows("--known", "", "known.md5", "known.sha256"),
    shows("--known-digest", "", "md5:60b725f10c9c85c70d97880dfe8191b3", KNOWN),
    shows("--match", "sum --known known.sha256 s3://b/t", "", ""),
    shows("--no-match", "sum --known known.sha256 s3://b/t", "", ""),
    shows("--show-matched-by", "sum --known known.sha256 s3://b/t", "", ""),
    shows("--unseen", "sum --known known.sha256 s3://b/t", "unseen", "unseen"),
];

const WALK_OF_OBJECTS: &[Row] = &[
    shows("--recursive", "sum --no-recursive s3://b/t", "", ""),
    flag("--no-recursive"),
    refused("--one-file-system", ""),
    refused("--follow", ""),
    shows("--type", "", "fifo", "file"),
    refused("--no-links-once", ""),
    shows("--include", "", "*.tmp", "*"),
    shows("--exclude", "", "*.tmp", "*.none"),
    shows("--ignore-file", "", "ignore", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "1000", "1TiB"),
    shows("--newer-than", "", "2400-01-01", "1960-01-01"),
    shows("--older-than", "", "1960-01-01", "2400-01-01"),
];

const OF_UPDATE: &[Row] = &[
    shows("--algorithm", "", "md5", "sha256"),
    refused("--manifest-format", "jsonl"),
    refused("--tag", ""),
    refused("--base64", ""),
    refused("--zero", ""),
    shows("--header", "sum --update list.jsonl t", "", ""),
    refused("--no-header", ""),
    refused("--strict-hashdeep", ""),
    refused("--pieces", "1KiB"),
    shows("--output", "", "out", "out"),
    refused("--files0-out", "out0"),
    flag("--quiet"),
    refused("--shard", "1/2"),
    refused("--files-from", "names"),
    refused("--files0-from", "names0"),
    refused("--versions", ""),
    refused("--dry-run", ""),
    refused("--known", "known.sha256"),
    refused("--known-digest", KNOWN),
    refused("--match", ""),
    refused("--no-match", ""),
    refused("--show-matched-by", ""),
    refused("--unseen", "unseen"),
    shows("--trust", "", "names", "times"),
    flag("--fail-on-change"),
];

const WALK_OF_UPDATE: &[Row] = &[
    elsewhere("--recursive", "", "it is what is done"),
    refused("--no-recursive", ""),
    shows("--one-file-system", "sum --update update.jsonl --follow links t", "", ""),
    shows("--follow", "sum --update update.jsonl links t", "", ""),
    shows("--type", "", "char", "file,char"),
    shows("--no-links-once", "sum --algorithm md5 --update update.jsonl", "", ""),
    shows("--include", "", "*.tmp", "*"),
    shows("--exclude", "", "*.tmp", "*.none"),
    shows("--ignore-file", "", "ignore", "ignore-none"),
    shows("--min-size", "", "1000", "0"),
    shows("--max-size", "", "1000", "1TiB"),
    shows("--newer-than", "", "2000-01-01", "1960-01-01"),
    shows("--older-than", "", "2000-01-01", "2400-01-01"),
];
