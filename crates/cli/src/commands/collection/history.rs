//! `hashlane history`.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_keeper::{History, UnknownFile, files_named, why_unknown};
use hashlane_report::collection::{history_json, history_text, unread_words};
use hashlane_report::text;

use super::places::{meaningless, refuse_empty};
use super::{failed, open_to_read};
use crate::args::{HistoryArgs, ListFormat};
use crate::commands::bench::print;
use crate::hints::store_told;
use crate::how::how_to;
use crate::status::{Status, usage};

pub(crate) fn run(args: &HistoryArgs) -> anyhow::Result<Status> {
    refuse_empty(&args.file)?;
    let catalog = open_to_read(&args.catalog)?;
    let found = files_named(&catalog, &args.file).map_err(failed)?;
    if found.is_empty() {
        let name = text::name(args.file.as_bytes());
        let why = why_unknown(&catalog, &args.file, store_told);
        return Err(usage!("{name}: {}", words(&why.map_err(|error| meaningless(&name, error))?)));
    }
    let mut text = String::new();
    for (collection, path, item) in found {
        let history = History::of(&catalog, collection, path, item).map_err(failed)?;
        text += &match args.format {
            ListFormat::Text => history_text(&history),
            ListFormat::Json => format!("{:#}\n", history_json(&history)),
        };
    }
    print(&text)?;
    Ok(Status::OK)
}

fn words(why: &UnknownFile) -> String {
    match why {
        UnknownFile::Directory => "is a directory; name a file in it".to_owned(),
        UnknownFile::NotReadYet(collection) => {
            format!("is not known yet; `hashlane audit {}` reads it", collection.terms.name)
        }
        UnknownFile::Unread(collection, why) => unread_words(collection, why, &how_to),
        UnknownFile::Nowhere => "no collection knows this file".to_owned(),
    }
}
