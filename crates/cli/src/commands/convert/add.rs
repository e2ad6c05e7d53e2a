//! `hashlane convert --add`: digests of more algorithms, for files whose listed digests hold.
//!
//! A digest is written only if the reading that made it also made the digests that are listed. So the new manifest says of
//! a file what the old one said, or nothing.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::Verdict;
use hashlane_engine::{Stop, Taken, WalkOptions};
use hashlane_manifest::{Ahead, Item};
use hashlane_record::{Outcome, Record};
use hashlane_report::files::{checked, not_as_listed};
use hashlane_report::text;
use hashlane_verify::add::{Reread, reread};
use hashlane_verify::{Base, Places, Problem};

use super::{Said, finish, leave, write};
use crate::args::ConvertArgs;
use crate::hints;
use crate::manifests;
use crate::new_list::NewList;
use crate::session::Session;
use crate::status::{Status, halt};

/// Reads the files of a manifest and writes those entries that hold, with more digests.
pub(super) fn run(
    args: &ConvertArgs,
    entries: Ahead,
    new: NewList,
    said: Said,
    places: (Places, Option<Base>),
) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, false)?;
    let from = entries.reader().format();
    let to = new.format();
    let (places, base) = places;
    session.show(Box::new(|_| {}));
    let place = args.base.as_deref().map_or(OsStr::new("."), Path::as_os_str);
    let mut options = session.options(Arc::new([]), WalkOptions::default(), std::iter::once(place));
    options.excluded = new.output().identities();
    let entries = Listed { entries, said: said.clone() };
    let mut writing = Writing { new, said: said.clone(), status: Status::OK, base: base.clone() };
    let (run, ran) = session.run(Stop::Drained, |control| {
        let mut found = |file| writing.file(file);
        reread(entries, &args.add, (&places, base.as_ref()), options, &mut found, control)
    })?;

    let Writing { new, mut status, .. } = writing;
    let summary = match run {
        Ok(summary) => summary,
        Err(error) => return ran.failed(manifests::failed(&error), leave(new, &said)),
    };
    let left_out = said.tally().left_out();
    let done = finish(new, &said, summary.stopped.is_none() && left_out == 0);
    ran.die_if_interrupted(&summary);
    done?;
    if !args.quiet {
        ran.close(None, &summary);
    }
    status |= said.close(args, from.name(), to);
    ran.learn(&summary);
    Ok(status)
}

/// The entries of the manifest whose files can be verified. Runs on the thread of the source.
struct Listed {
    entries: Ahead,
    said: Said,
}

impl Iterator for Listed {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            let item = self.said.next(&mut self.entries)?;
            if !item.digests.is_empty() && item.outcome.is_none_or(|outcome| outcome == Outcome::Read) {
                return Some(item);
            }
            let name = text::name(item.path.as_bytes());
            self.said.bad(&format!("line {}: {name}: no digest is listed that can be verified", item.line));
        }
    }
}

/// Writes the entries that hold.
struct Writing {
    new: NewList,
    said: Said,
    status: Status,
    /// With --base.
    base: Option<Base>,
}

impl Writing {
    /// Why an entry is left out.
    fn problem(&self, file: &Reread, verdict: Verdict) -> String {
        let Reread { record, expected, out_of_place, .. } = file;
        match out_of_place.map(Problem::OutOfPlace).or_else(|| Problem::of(record, self.base.is_some())) {
            Some(problem) => {
                let base = self.base.as_ref().map_or(Path::new(""), Base::path);
                hints::problem(&problem, base).into_owned()
            }
            None => not_as_listed(expected, record, verdict),
        }
    }

    /// Writes a file's entry, if it holds.
    fn file(&mut self, file: Reread) -> Taken {
        let verdict = checked(file.verdict);
        if verdict != Verdict::Ok {
            self.status |= Status::of(verdict);
            let (line, name) = (file.line, text::name(file.path.as_bytes()));
            let problem = self.problem(&file, verdict);
            self.said.failed(&format!("line {line}: {name}: {problem}"));
            return Ok(());
        }
        let Reread { line, path, record, .. } = file;
        let to = self.new.format();
        let size = to.holds_sizes().then_some(record.digested_bytes);
        let modified = record.facts.map(|facts| facts.modified).filter(|_| to.holds_times());
        let Record { digests, pieces, outcome, state, .. } = record;
        let item =
            Item { line, path, size, modified, digests, outcome: Some(outcome), pieces, state, inode: None };
        write(&mut self.new, &item, &self.said).map_err(halt)
    }
}
