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
    Ended::output(error.in_words(&name, &text::system))
}

fn name(path: &Path) -> String {
    text::name(path.as_os_str().as_encoded_bytes())
}
