//! `ALGORITHM (name) = BASE64` and `BASE64  name`: what `cksum --base64` writes, with and without
//! `--untagged`.

use super::bsd::Tagged;
use super::digest_line;
use super::digest_text::push_base64;
use super::gnu::Untagged;
use crate::format::{Format, Spec};
use crate::pieces::Piecewise;

pub(crate) const SPEC: Spec = Spec {
    name: "base64",
    shape: "ALGORITHM (name) = BASE64",
    many_algorithms: true,
    zero: true,
    detected_by: "the tag before the name",
    by_first_line: false,
    prose: true,
    untold: true,
    sizes: false,
    times: false,
    pieces: Some(Piecewise::ByName),
    known_set: false,
    recognizes: |line| digest_line::recognize(line, true, false),
    parser: digest_line::parser,
    renderer: Some(|algorithms, options| Tagged::renderer(Format(&SPEC), algorithms, options, push_base64)),
};

pub(crate) const UNTAGGED_SPEC: Spec = Spec {
    name: "base64-untagged",
    shape: "BASE64  name",
    many_algorithms: false,
    zero: true,
    detected_by: "a base64 digest of a known length, two spaces (or a space and *), a name",
    by_first_line: false,
    prose: true,
    untold: true,
    sizes: false,
    times: false,
    pieces: Some(Piecewise::ByName),
    known_set: false,
    recognizes: |line| digest_line::recognize(line, false, false),
    parser: digest_line::parser,
    renderer: Some(|algorithms, options| {
        Untagged::renderer(Format(&UNTAGGED_SPEC), algorithms, options, push_base64)
    }),
};
