//! `ALGORITHM (name) = BASE64` and `BASE64  name`: what `cksum --base64` writes, with and without
//! `--untagged`.

use super::bsd::Tagged;
use super::gnu::{self, Untagged};
use crate::format::{Format, Spec};
use crate::pieces::Piecewise;
use crate::text::push_base64;

pub(crate) const SPEC: Spec = Spec {
    name: "base64",
    shape: "ALGORITHM (name) = BASE64",
    many_algorithms: true,
    zero: true,
    detected_by: "the tag before the name",
    prose: true,
    untold: true,
    pieces: Some(Piecewise::ByName),
    recognizes: |line| gnu::recognize(line, true, false),
    renderer: Some(|algorithms, options| Tagged::renderer(Format(&SPEC), algorithms, options, push_base64)),
    ..Spec::read_by(gnu::parser::parser)
};

pub(crate) const UNTAGGED_SPEC: Spec = Spec {
    name: "base64-untagged",
    shape: "BASE64  name",
    zero: true,
    detected_by: "a base64 digest of a known length, two spaces (or a space and *), a name",
    prose: true,
    untold: true,
    pieces: Some(Piecewise::ByName),
    recognizes: |line| gnu::recognize(line, false, false),
    renderer: Some(|algorithms, options| {
        Untagged::renderer(Format(&UNTAGGED_SPEC), algorithms, options, push_base64)
    }),
    ..Spec::read_by(gnu::parser::parser)
};
