//! What another program has read, in words.

use std::path::Path;

use hashlane_catalog::{Collection, Elsewhere, Reader};
use hashlane_keeper::{RunError, read_by_spark};
use hashlane_report::text;

use super::failed;
use crate::args::AuditArgs;
use crate::manifests::{self, OptionNames};
use crate::status::{Ended, usage};

/// The options by which it is said how a table is to be read: there are none.
const CALLED: OptionNames = OptionNames { task: "take", algorithm: None, ..OptionNames::USUAL };

/// Takes what a run has read, if all of it is as its list says. Of one that is recorded already nothing is taken: the audit says so.
pub(super) fn taken(
    args: &AuditArgs,
    directory: &Path,
    of: (&Reader, &Collection),
) -> anyhow::Result<Elsewhere> {
    read_by_spark(directory, args.strip_prefix.as_deref(), of).map_err(|error| match error {
        RunError::Catalog(error) => failed(error),
        RunError::Table(error) => manifests::refused(&error, CALLED).into_error(),
        RunError::NotBelow { source_name, prefix } => {
            let [source, prefix] = [source_name, prefix].map(|name| text::name(&name));
            usage!("the run has read {source}, which does not lie below --strip-prefix {prefix}")
        }
        RunError::OtherRoot { ref source_name, .. } => {
            let source = text::name(source_name);
            usage!("{error}; if its nodes saw that tree at {source}, add --strip-prefix {source}")
        }
        error @ RunError::NoDirectory(_) => {
            usage!("{error}; name the directory that the job was given as --out")
        }
        error @ (RunError::Unread { .. } | RunError::Damaged { .. }) => Ended::unreadable(error),
        error => Ended::usage(error),
    })
}
