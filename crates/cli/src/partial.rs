//! Files that appear under their name only when they are complete, in words: the mechanism is [`AtomicFile`].
//!
//! What stands under the final name is replaced, or not, as whoever writes it has decided ([`Existing`]);
//! [0024](../../../docs/decisions/0024-what-is-written-over.md) says who decides what.

use std::fs;
use std::path::Path;

use hashlane_io::ReplaceError;
pub(crate) use hashlane_io::{AtomicFile, Existing, FileVersion as Version};

use crate::output::{is_special, shown};
use crate::screen::Screen;
use crate::status::Ended;
use crate::text;

/// Creates the file that a result is written to until it is complete; `path` is what it will be. What an earlier run left there is
/// kept, which is said.
pub(crate) fn create(path: &Path, screen: &Screen) -> anyhow::Result<AtomicFile> {
    let kept = |partial: &Path, kept: &Path| {
        screen.message(&format!("{} of an earlier run is kept as {}", shown(partial), shown(kept)));
    };
    AtomicFile::partial(path, kept).map_err(|error| not_written(&error))
}

/// The error for a file that did not get its name.
pub(crate) fn not_written(error: &ReplaceError) -> anyhow::Error {
    Ended::output(match error {
        ReplaceError::Write { path, source } => {
            format!("cannot write to {}: {}", shown(path), text::system(source))
        }
        ReplaceError::Sync { path, source } => {
            format!("cannot write to {}: {}; what was written stays there", shown(path), text::system(source))
        }
        ReplaceError::NotRegular { partial } => {
            format!("{}: is not a regular file; remove it", shown(partial))
        }
        ReplaceError::Linked { partial } => {
            format!("{}: has another name as well; remove it", shown(partial))
        }
        ReplaceError::Busy { partial } => {
            format!("{}: another run is writing it; wait for it, or name another file", shown(partial))
        }
        ReplaceError::JustCompleted { partial } => {
            format!("{}: another run has just completed it; run again", shown(partial))
        }
        ReplaceError::TooManyKept { partial, kept } => format!(
            "{}: an earlier run left it, and {kept} others are kept beside it; remove those that nobody needs",
            shown(partial)
        ),
        ReplaceError::Displaced { partial, path } => format!(
            "{}: is not the file of this run any more; {} was not written: run again",
            shown(partial),
            shown(path)
        ),
        ReplaceError::Changed { path } => format!(
            "{}: was changed by another run meanwhile; nothing was written; run it again",
            shown(path)
        ),
        ReplaceError::Rename { partial, path, source } => format!(
            "{} is complete but cannot be renamed to {}: {}",
            shown(partial),
            shown(path),
            text::system(source)
        ),
        other => other.to_string(),
    })
}

/// Refuses to write over what is there, unless it was said that it may be lost.
pub(crate) fn refuse_existing(path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        Some(path) if fs::symlink_metadata(path).is_ok() && !is_special(path) => Err(Ended::usage(format!(
            "{}: is there already; name another file, or replace it by --force",
            shown(path)
        ))),
        _ => Ok(()),
    }
}
