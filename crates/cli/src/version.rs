//! What `--version` says.

use std::sync::LazyLock;

pub(crate) use hashlane_profile::program as build;
use hashlane_report::abilities_text;

/// Name and version: `hashlane 0.1.0`.
pub(crate) const PROGRAM: &str = concat!("hashlane ", env!("CARGO_PKG_VERSION"));

/// The version number alone.
pub(crate) fn short() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The version with what this build can do on this CPU.
pub(crate) fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        let build = if cfg!(debug_assertions) { "debug" } else { "release" };
        let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
        format!("{} ({arch} {system}, {build} build){}", short(), abilities_text())
    });
    &LONG
}
