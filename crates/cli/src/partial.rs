//! Files that appear under their name only when they are complete, in words: the mechanism is [`AtomicFile`].
//!
//! What stands under the final name is replaced, or not, as whoever writes it has decided ([`Existing`]);
//! [0024](../../../docs/decisions/0024-what-is-written-over.md) says who decides what.

use std::path::Path;

use hashlane_io::ReplaceError;
pub(crate) use hashlane_io::{AtomicFile, Existing, FileVersion as Version};
use hashlane_report::text;

use crate::status::Ended;
use crate::terminal::screen::Screen;

/// Creates the file that a result is written to until it is complete; `path` is what it will be. What an earlier run left there is
/// kept, which is said.
pub(crate) fn create(path: &Path, screen: &Screen) -> anyhow::Result<AtomicFile> {
    let kept = |partial: &Path, kept: &Path| {
        screen.message(&format!("{} of an earlier run was saved as {}", name(partial), name(kept)));
    };
    AtomicFile::partial(path, kept).map_err(|error| not_written(&error))
}

/// The error for a file that did not get its name.
pub(crate) fn not_written(error: &ReplaceError) -> anyhow::Error {
    Ended::output(match error {
        ReplaceError::Write { path, source } => {
            format!("cannot write to {}: {}", name(path), text::system(source))
        }
        ReplaceError::Sync { path, source } => {
            format!(
                "cannot write to {}: {}; what was written so far is kept",
                name(path),
                text::system(source)
            )
        }
        ReplaceError::NotRegular { partial } => {
            format!("{}: is not a regular file; remove it", name(partial))
        }
        ReplaceError::Busy { partial } => {
            format!("{}: another run is writing it; wait for that run, or name another file", name(partial))
        }
        ReplaceError::JustCompleted { partial } => {
            format!("{}: another run has just completed it; run again", name(partial))
        }
        ReplaceError::TooManyKept { partial, kept } => format!(
            "{}: an earlier run left it, and {kept} older ones are already saved beside it; remove those that are not needed",
            name(partial)
        ),
        ReplaceError::Displaced { partial, path } => format!(
            "{}: is no longer the file of this run; {} was not written; run again",
            name(partial),
            name(path)
        ),
        ReplaceError::Changed { path } => {
            format!("{}: another run changed it in the meantime; nothing was written; run again", name(path))
        }
        ReplaceError::Rename { partial, path, source } => format!(
            "{} is complete but cannot be renamed to {}: {}",
            name(partial),
            name(path),
            text::system(source)
        ),
        other => other.to_string(),
    })
}

fn name(path: &Path) -> String {
    text::name(path.as_os_str().as_encoded_bytes())
}
