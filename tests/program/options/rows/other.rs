//! The options of `convert` and `merge`.

use super::{BACKENDS, Mode, NOT_READ, READING, Row, flag, refused, shows};

pub(crate) const CONVERT: Mode = Mode {
    name: "convert",
    command: "convert",
    base: "convert list.jsonl",
    rows: &[OF_CONVERT, NOT_READ, BACKENDS],
};

pub(crate) const ADD: Mode = Mode {
    name: "convert --add",
    command: "convert",
    base: "convert --add sha1 list.jsonl",
    rows: &[OF_ADD, READING, BACKENDS],
};

pub(crate) const MERGE: Mode =
    Mode { name: "merge", command: "merge", base: "merge 1.sums 2.sums", rows: &[OF_MERGE] };

const OF_CONVERT: &[Row] = &[
    shows("--add", "", "sha1", "sha1"),
    shows("--algorithm", "", "md5", "md5,sha256"),
    refused("--base", "t"),
    shows("--from", "", "gnu", "jsonl"),
    shows("--from-algorithm", "convert PLAIN", "md5", "sha256"),
    shows("--from-zero", "convert SHA256SUMS", "", ""),
    shows("--force", "convert list.jsonl there", "", ""),
    shows("--manifest-format", "", "jsonl", "bsd"),
    shows("--tag", "convert --algorithm sha256 list.jsonl", "", ""),
    shows("--base64", "convert --algorithm sha256 list.jsonl", "", ""),
    flag("--zero"),
    flag("--header"),
    shows("--no-header", "convert --manifest-format hashdeep list.jsonl", "", ""),
    shows("--strict-hashdeep", "convert --manifest-format hashdeep hard.jsonl", "", ""),
    flag("--quiet"),
];

const OF_ADD: &[Row] = &[
    shows("--algorithm", "", "md5", "md5,sha256,sha1"),
    shows("--base", "convert --add sha1 inner.jsonl", "t", "."),
    shows("--from", "", "gnu", "jsonl"),
    shows("--from-algorithm", "convert --add sha1 PLAIN", "md5", "sha256"),
    shows("--from-zero", "convert --add sha1 SHA256SUMS", "", ""),
    shows("--force", "convert --add sha1 list.jsonl there", "", ""),
    shows("--manifest-format", "", "jsonl", "bsd"),
    shows("--tag", "convert --add sha1 --algorithm sha1 list.jsonl", "", ""),
    shows("--base64", "convert --add sha1 --algorithm sha1 list.jsonl", "", ""),
    flag("--zero"),
    flag("--header"),
    shows("--no-header", "convert --add sha1 --manifest-format hashdeep list.jsonl", "", ""),
    shows("--strict-hashdeep", "convert --add sha1 --manifest-format hashdeep hard.jsonl", "", ""),
    flag("--quiet"),
];

const OF_MERGE: &[Row] = &[
    shows("--output", "", "out", "out"),
    shows("--manifest-format", "", "jsonl", "gnu"),
    flag("--tag"),
    flag("--base64"),
    flag("--zero"),
    flag("--header"),
    shows("--no-header", "merge --manifest-format hashdeep 1.jsonl 2.jsonl", "", ""),
    shows("--strict-hashdeep", "merge --manifest-format hashdeep hard.jsonl", "", ""),
    flag("--quiet"),
];
