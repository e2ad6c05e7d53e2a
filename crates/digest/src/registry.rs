//! The algorithms there are: one line each, implemented by the module named in the last column.

use crate::algorithm::{Family, Security, Spec};
use crate::algorithms::sha2;

macro_rules! registry {
    ($($name:literal, $aliases:expr, $tag:literal, $length:literal, $family:ident, $security:ident, $start:path;)*) => {
        pub(crate) static REGISTRY: &[Spec] = &[$(Spec {
            name: $name,
            aliases: &$aliases,
            bsd_tag: $tag,
            length: $length,
            family: Family::$family,
            security: Security::$security,
            start: $start,
        }),*];
    };
}

registry! {
    "sha256", ["sha2-256"], "SHA256", 32, Sha2, Strong, sha2::sha256;
}
