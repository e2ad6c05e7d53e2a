//! What `--version` says.

use std::sync::LazyLock;

use hashlane_digest::Algorithm;
use hashlane_io::EngineKind;
use hashlane_manifest::Format;
pub(crate) use hashlane_profile::program as build;

/// Name and version: `hashlane 0.1.0`.
pub(crate) const PROGRAM: &str = concat!("hashlane ", env!("CARGO_PKG_VERSION"));

/// The version number alone.
pub(crate) fn short() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The version with what this build can do on this CPU.
pub(crate) fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        let backends = Algorithm::all().map(|algorithm| format!("{algorithm} ({})", algorithm.backend()));
        let sections = [
            ("digests", backends.collect::<Vec<_>>()),
            ("engines", EngineKind::all().iter().map(|kind| kind.name().to_owned()).collect()),
            ("formats", Format::all().map(|format| format.name().to_owned()).collect()),
        ];
        let mut text = format!(
            "{} ({} {}, {} build)",
            short(),
            std::env::consts::ARCH,
            std::env::consts::OS,
            if cfg!(debug_assertions) { "debug" } else { "release" }
        );
        for (title, entries) in sections {
            text.push_str(&format!("\n{title}:"));
            let mut width = usize::MAX;
            for entry in entries {
                width = width.saturating_add(entry.len() + 2);
                if width > 88 {
                    text.push_str("\n ");
                    width = entry.len() + 2;
                }
                text.push(' ');
                text.push_str(&entry);
            }
        }
        text
    });
    &LONG
}
