//! `hashlane collection export --format s3-batch`: the objects of a collection, as S3 Batch Operations takes them
//! (`S3BatchOperations_CSV_20180820`).

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{Catalog, Collection, State};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::{failed, sink};
use crate::output::{Output, shown};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::text;

/// What is written by its number. Slashes stay, so that people can read it.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A list that is written at once, in bytes.
const BLOCK_BYTES: usize = 64 << 10;

pub(super) fn write(
    catalog: &Catalog,
    collection: &Collection,
    mut output: Output,
) -> anyhow::Result<Status> {
    let (name, root) = (&collection.terms.name, collection.terms.root.as_os_str().as_bytes());
    let Some(place) = root.strip_prefix(b"s3://").filter(|_| collection.terms.is_in_store()) else {
        return Err(Ended::usage(format!(
            "{name}: lies in {}, and s3-batch lists objects in S3; `hashlane collection export {name}` writes a manifest",
            shown(&collection.terms.root)
        )));
    };
    let (bucket, prefix) = match place.iter().position(|byte| *byte == b'/') {
        Some(slash) => (&place[..slash], [&place[slash + 1..], b"/"].concat()),
        None => (place, Vec::new()),
    };
    let bucket = String::from_utf8_lossy(bucket).into_owned();
    let place = output.place();
    let (mut files, mut block) = (0, Vec::with_capacity(BLOCK_BYTES));
    let mut flush = |block: &mut Vec<u8>| {
        let written = output.write_all(block);
        block.clear();
        written.map_err(|error| sink(place.failed(&error)))
    };
    let listed = catalog.each_item(collection, &mut |directory, item| {
        if matches!(item.state, State::Retired | State::Ignored) {
            return Ok(());
        }
        files += 1;
        let below = if directory.is_empty() { Vec::new() } else { [directory, b"/"].concat() };
        let key = [&prefix[..], &below, &item.name].concat();
        block.extend_from_slice(format!("{bucket},{}\n", percent_encode(&key, ENCODED)).as_bytes());
        if block.len() >= BLOCK_BYTES { flush(&mut block) } else { Ok(()) }
    });
    listed.and_then(|()| flush(&mut block)).map_err(failed)?;
    output.finish()?;
    let what = if files == 0 { "; `hashlane audit` lists the objects first" } else { "" };
    Screen::plain()
        .message(&format!("{name}: {} listed for S3 Batch Operations{what}", text::counted(files, "object")));
    Ok(Status::OK)
}
