//! `hashlane formats`: the manifest formats.

use hashlane_report::{formats_json, formats_text};

use crate::args::{FormatsArgs, ListFormat};
use crate::commands::bench::print;
use crate::status::Status;

pub(super) fn run(args: &FormatsArgs) -> anyhow::Result<Status> {
    let text = match args.format {
        ListFormat::Text => formats_text(),
        ListFormat::Json => formats_json(),
    };
    print(&text)?;
    Ok(Status::OK)
}
