//! What `hashlane sum` compares contents with: the sets that were named, each as an index.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use hashlane_known::{Builder, Index, Match, Matching as Sets, Met, SetError, Unmarkable};
use hashlane_manifest::{Error, Format, Item, ReadOptions, WriteOptions, Writer};
use hashlane_record::{ItemPath, Outcome, Record};
use hashlane_report::text;

use super::set::Set;
use super::{failed, is_checksum, not_written};
use crate::args::{MatchArgs, given};
use crate::commands::bench::distinct;
use crate::inputs::sorting_memory;
use crate::manifests::{self, OptionNames, shown};
use crate::output::Output;
use crate::status::{Ended, Status, unreadable, unwritten, usage};
use crate::terminal::screen::Screen;

/// Who has to say how a set is to be read indexes it first.
const CALLED: OptionNames = OptionNames {
    task: "match against",
    format: "`hashlane known build --manifest-format`",
    zero: "`hashlane known build --zero`",
    ..OptionNames::USUAL
};

/// Memory for sorting a set that is not an index yet.
const SORT_BYTES: usize = 64 << 20;

/// The sets, and what was found in them so far.
pub(crate) struct Matching {
    sets: Sets,
    /// What reading the sets means for the exit code.
    pub(crate) status: Status,
}

/// What the sets say of a file.
pub(crate) enum Verdict {
    /// The content is known: what it matches, for a line.
    Known(String),
    /// It is not.
    Unknown,
    /// It has one digest of something known, and another that it should not have with it: what there is to say.
    Collision(String),
}

impl Matching {
    /// Opens the sets; nothing if none is named. `algorithms`: those that were asked for by name.
    pub(crate) fn open(
        args: &MatchArgs,
        algorithms: &[Algorithm],
        screen: &Screen,
    ) -> anyhow::Result<Option<Self>> {
        if !args.is_asked_for() {
            let asked = [
                (args.only_known, "--match"),
                (args.no_match, "--no-match"),
                (args.show_matched_by, "--show-matched-by"),
                (args.unseen.is_some(), "--unseen"),
            ];
            return match given(&asked) {
                Some(what) => Err(usage!(
                    "{what}: no known contents are given; name a set with --known FILE, or a digest with --known-digest ALGORITHM:HEX"
                )),
                None => Ok(None),
            };
        }
        let mut matching = Self { sets: Sets::default(), status: Status::OK };
        let algorithm = match algorithms {
            [algorithm] => Some(*algorithm),
            _ => None,
        };
        for name in &args.known {
            let (index, status) = open(name, algorithm, screen)?;
            matching.status |= status;
            matching.add(shown(name), index)?;
        }
        if !args.known_digest.is_empty() {
            let index = of_digests(&args.known_digest).map_err(|error| Ended::output(error.to_string()))?;
            matching.add("--known-digest".to_owned(), index)?;
        }
        if args.unseen.is_some() {
            matching.sets.mark().map_err(|(set, why)| unmarkable(&set, why))?;
        }
        Ok(Some(matching))
    }

    /// The algorithms that contents are looked up by.
    pub(crate) fn algorithms(&self) -> &[Algorithm] {
        self.sets.algorithms()
    }

    /// What the sets say of a file that was read.
    pub(crate) fn judge(&mut self, record: &Record) -> anyhow::Result<Verdict> {
        debug_assert_eq!(record.outcome, Outcome::Read);
        Ok(match self.sets.judge(&record.digests).map_err(damaged)? {
            Match::Known(met) => Verdict::Known(said(met)),
            Match::Unknown => Verdict::Unknown,
            Match::Collision { met, algorithm, other } => Verdict::Collision(format!(
                "has the {algorithm} of {} but not its {other}: one of the two contents was made to match the other",
                said(met)
            )),
        })
    }

    /// The closing line.
    pub(crate) fn line(&self) -> String {
        let Sets { known, unknown, collisions, .. } = self.sets;
        let mut line = format!("{} known, {} not", text::counted(known, "file"), text::count(unknown));
        if collisions > 0 {
            line += &format!(", {}", text::counted(collisions, "collision"));
        }
        line
    }

    /// Writes what is known and was not met.
    pub(crate) fn write_unseen(&self, path: &Path, screen: &Screen) -> anyhow::Result<()> {
        let output = Output::open(Some(path), screen)?;
        let place = output.place();
        let put = |error: Error| match error {
            Error::Output { source } => place.failed(&source),
            error => Ended::output(crate::manifests::told(&error)),
        };
        let marked = self.sets.marked();
        let format = Format::named(if marked.len() == 1 { "gnu" } else { "bsd" }).expect("it is registered");
        let mut writer = Writer::new(format, &marked, &WriteOptions::default(), output).map_err(put)?;
        let mut count = 0;
        self.sets.each_unseen(damaged, |digest, name| {
            count += 1;
            let path = ItemPath::from(if name.is_empty() { b"-" } else { name });
            let (line, digests) = (count, vec![digest]);
            let item = Item { line, path, size: None, modified: None, digests, ..Item::default() };
            match writer.item(&item) {
                Err(Error::Output { source }) => Err(place.failed(&source)),
                // Of a name that no line can hold the digest still says what was not met.
                Err(_) => writer.item(&Item { path: "-".into(), ..item }).map_err(put),
                Ok(()) => Ok(()),
            }
        })?;
        writer.finish().map_err(put)?.finish()?;
        screen.message(&format!("{} not found", text::counted(count, "known content")));
        Ok(())
    }

    fn add(&mut self, shown: String, index: Index) -> anyhow::Result<()> {
        if self.sets.add(shown.clone(), index) {
            return Ok(());
        }
        Err(usage!("{shown}: contains no digests; nothing can be looked up in it"))
    }
}

fn damaged(error: SetError) -> anyhow::Error {
    failed(&error.set, &error.error)
}

/// What a row is, for a line.
fn said(Met { name, set }: Met) -> String {
    match name {
        Some(name) => format!("{} ({set})", text::name(&name)),
        None => set,
    }
}

/// Why it cannot be said of a set what was not met.
fn unmarkable(set: &str, why: Unmarkable) -> anyhow::Error {
    let (why, way_out) = match why {
        Unmarkable::NoCommonAlgorithm => (
            "has no algorithm common to all its records",
            "build one per algorithm with `hashlane known build -a`",
        ),
        Unmarkable::NoNames => ("has no names", "build it again with `hashlane known build --names`"),
    };
    usage!("--unseen: {set} {why}; {way_out}")
}

/// Opens an index, or makes one of a set that is none.
fn open(name: &OsStr, algorithm: Option<Algorithm>, screen: &Screen) -> anyhow::Result<(Index, Status)> {
    let mut source = manifests::open(name)?;
    if Index::is_index(source.beginning()) {
        return Ok((index_of(source)?, Status::OK));
    }
    let options = ReadOptions { fallback: algorithm, ..ReadOptions::default() };
    let set = Set::open(source, &options, CALLED, screen)?;
    let shown = set.shown().to_owned();
    let algorithms: Vec<_> = set.algorithms().into_iter().filter(|&one| !is_checksum(one)).collect();
    if algorithms.is_empty() {
        return Err(usage!(
            "{shown}: has only digests that different contents share by chance; if that is good enough, index it with \
             `hashlane known build --algorithm`"
        ));
    }
    let put = |error| not_written(None, error);
    let file = temporary()?;
    let mut builder = Builder::new(file, &algorithms, true, sorting_memory(SORT_BYTES)).map_err(put)?;
    let rows = set.pour(&mut builder, put, |_| ())?;
    let index = Index::new(builder.finish().map_err(put)?).map_err(|error| failed(&shown, &error))?;
    Ok((index, if rows.bad > 0 { Status::UNREADABLE } else { Status::OK }))
}

/// The index that a file is.
fn index_of(source: manifests::Source) -> anyhow::Result<Index> {
    let shown = shown(source.name());
    let file = source.into_regular().map_err(|error| unreadable!("{shown}: {}", text::system(&error)))?;
    let Some(file) = file else {
        return Err(usage!("{shown}: an index of known contents cannot be read from a pipe; name its file"));
    };
    Index::new(file).map_err(|error| failed(&shown, &error))
}

/// An index of single digests.
fn of_digests(digests: &[Digest]) -> Result<Index, hashlane_known::Error> {
    let algorithms = distinct(&digests.iter().map(Digest::algorithm).collect::<Vec<_>>());
    let file = tempfile::tempfile()
        .map_err(|source| hashlane_known::Error::Io { what: "making a temporary file", source })?;
    let mut builder = Builder::new(file, &algorithms, true, sorting_memory(SORT_BYTES))?;
    let set = builder.set("--known-digest")?;
    for digest in digests {
        let name = format!("{}:{}", digest.algorithm(), data_encoding::HEXLOWER.encode(digest.as_bytes()));
        builder.add(set, name.as_bytes(), std::slice::from_ref(digest))?;
    }
    Index::new(builder.finish()?)
}

fn temporary() -> anyhow::Result<File> {
    tempfile::tempfile().map_err(|error| unwritten!("cannot make a temporary file: {}", text::system(&error)))
}
