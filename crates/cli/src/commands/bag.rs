//! `hashlane bag`: bags (BagIt, RFC 8493), made and verified.

mod create;
mod report;
mod validate;

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_io::Directory;
use hashlane_report::text;

use crate::args::{BagArgs, BagCommand};
use crate::output::shown;
use crate::status::{Status, unreadable, usage};

pub(crate) fn run(args: &BagArgs) -> anyhow::Result<Status> {
    match &args.command {
        BagCommand::Create(args) => create::run(args),
        BagCommand::Validate(args) => validate::run(args),
    }
}

/// Opens what has to be a directory; `hint` says what to name where it is none.
pub(super) fn open(path: &OsStr, hint: &str) -> anyhow::Result<Arc<Directory>> {
    let shown = shown(Path::new(path));
    let failed = |error: std::io::Error| unreadable!("{shown}: {}", text::system(&error));
    let directory = File::open(path).map_err(failed)?;
    if !directory.metadata().map_err(failed)?.is_dir() {
        return Err(usage!("{shown}: is not a directory; {hint}"));
    }
    Ok(Arc::new(Directory::with_descriptor(path.as_bytes(), directory.into(), None)))
}
