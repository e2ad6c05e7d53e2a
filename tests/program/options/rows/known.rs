//! The options of `known`.

use super::{Mode, READ, Row, elsewhere, flag, shows};

pub(crate) const BUILD: Mode = Mode {
    name: "known build",
    command: "known build",
    base: "known build --output out.known list.jsonl",
    rows: &[OF_BUILD],
};

pub(crate) const INFO: Mode =
    Mode { name: "known info", command: "known info", base: "known info index.known", rows: &[OF_INFO] };

const OF_BUILD: &[Row] = &[
    shows("--algorithm", "", "md5", "md5,sha256"),
    shows("--manifest-format", "", "gnu", "jsonl"),
    elsewhere("--memory", "1GiB", "`little_memory.rs`"),
    flag("--names"),
    flag("--quiet"),
    shows("--zero", "known build --output out.known SHA256SUMS", "", READ),
];

const OF_INFO: &[Row] = &[shows("--format", "", "json", "text"), flag("--verify")];
