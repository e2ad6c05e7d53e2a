//! The options of `bag`.

use super::{BACKENDS, Mode, READING, Row, flag, shows};

pub(crate) const CREATE: Mode = Mode {
    name: "bag create",
    command: "bag create",
    base: "bag create --data move unbagged",
    rows: &[OF_CREATE, READING, BACKENDS],
};

pub(crate) const VALIDATE: Mode = Mode {
    name: "bag validate",
    command: "bag validate",
    base: "bag validate bag",
    rows: &[OF_VALIDATE, READING, BACKENDS],
};

const OF_CREATE: &[Row] = &[
    shows("--algorithm", "", "md5", "sha256,sha512"),
    shows("--bagit-version", "", "0.97", "1.0"),
    shows("--info", "", "Contact-Name=Ada", "Contact-Name=Ada"),
    shows("--data", "bag create unbagged", "keep", "move"),
    flag("--keep-empty"),
    shows("--undo", "bag create unbagged", "", ""),
    flag("--quiet"),
];

const OF_VALIDATE: &[Row] = &[
    flag("--quick"),
    flag("--fail-fast"),
    flag("--quiet"),
    flag("--status"),
    flag("--verbose"),
    shows("--format", "", "json", "text"),
    shows("--output", "", "out", "out"),
];
