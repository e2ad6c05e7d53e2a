//! A database of NSRL (RDS 3) as a manifest.

use std::path::Path;

use hashlane_known::{Error, Nsrl};
use hashlane_manifest::{Header, Item};
use hashlane_record::ItemPath;

use super::{Said, finish, start, write};
use crate::args::ConvertArgs;
use crate::commands::known::failed;
use crate::commands::sum;
use crate::status::{Ended, Status};

/// What ends the reading.
enum Stopped {
    Database(Error),
    Writing(anyhow::Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

pub(super) fn run(args: &ConvertArgs, path: Option<&Path>, said: Said) -> anyhow::Result<Status> {
    if !args.add.is_empty() {
        return Err(Ended::usage(format!(
            "--add: {} is a set of known contents (nsrl-sqlite), whose names are from another machine; there is \
             nothing to read",
            said.source
        )));
    }
    let database = Nsrl::open(Path::new(&args.input)).map_err(|error| failed(&said.source, &error))?;
    let algorithms = match args.algorithm.is_empty() {
        true => database.algorithms().to_vec(),
        false => args.algorithm.clone(),
    };
    // Nobody has verified any file.
    let header = Header { started: None, ..sum::header_of_this_run() };
    let mut new = start(args, path, &algorithms, header, &said)?;
    let mut rows = 0_u64;
    let read = database.for_each(|row| {
        rows += 1;
        if let Some(column) = row.bad {
            said.bad(&format!("row {}: its {column} is not a digest; the row is left out", row.number));
            return Ok(());
        }
        let (line, size, digests) = (row.number, row.size, row.digests);
        let path = ItemPath::from(&row.name[..]);
        let item = Item { line, path, size, modified: None, digests, ..Item::default() };
        write(&mut new, &item, &said).map_err(Stopped::Writing)
    });
    read.map_err(|stopped| match stopped {
        Stopped::Database(error) => failed(&said.source, &error),
        Stopped::Writing(error) => error,
    })?;
    if rows == 0 {
        return Err(Ended::unreadable(format!(
            "{}: its table FILE has no rows; nothing was written",
            said.source
        )));
    }
    let to = new.format();
    finish(new, &said, true)?;
    Ok(said.close(args, "nsrl-sqlite", to))
}
