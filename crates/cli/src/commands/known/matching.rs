//! What `hashlane sum` compares contents with: the sets that were named, each as an index.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

use hashlane_digest::{Algorithm, Digest, Security};
use hashlane_known::{Builder, Found, Index, Judgement};
use hashlane_manifest::{Error, Format, Item, ReadOptions, WriteOptions, Writer};
use hashlane_record::{ItemPath, Outcome, Record};
use hashlane_report::text;

use super::set::Set;
use super::{failed, is_checksum, not_written};
use crate::args::MatchArgs;
use crate::inputs::sorting_memory;
use crate::manifests::{self, OptionNames, shown};
use crate::output::Output;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// Who has to say how a set is to be read indexes it first.
const CALLED: OptionNames = OptionNames {
    task: "match against",
    format: "`hashlane known build --manifest-format`",
    zero: "`hashlane known build --zero`",
    ..OptionNames::USUAL
};

/// Memory for sorting a set that is no index yet.
const SORT_BYTES: usize = 64 << 20;

/// The sets, and what was found in them so far.
pub(crate) struct Matching {
    sets: Vec<KnownSet>,
    algorithms: Vec<Algorithm>,
    /// What reading the sets means for the exit code.
    pub(crate) status: Status,
    known: u64,
    unknown: u64,
    collisions: u64,
}

/// A set that contents are looked up in.
struct KnownSet {
    shown: String,
    index: Index,
    /// What it is looked up by.
    algorithms: Vec<Algorithm>,
    /// Of each row of the first of these whether it was met; empty where nobody asks.
    met: Vec<u64>,
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
                ("--match", args.only_known),
                ("--no-match", args.no_match),
                ("--show-matched-by", args.show_matched_by),
                ("--unseen", args.unseen.is_some()),
            ];
            return match asked.into_iter().find(|(_, is_given)| *is_given) {
                Some((what, _)) => Err(Ended::usage(format!(
                    "{what}: no known contents are given; name a set with --known FILE, or a digest with --known-digest ALGORITHM:HEX"
                ))),
                None => Ok(None),
            };
        }
        let mut matching = Self {
            sets: Vec::new(),
            algorithms: Vec::new(),
            status: Status::OK,
            known: 0,
            unknown: 0,
            collisions: 0,
        };
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
            matching.sets.iter_mut().try_for_each(KnownSet::mark)?;
        }
        Ok(Some(matching))
    }

    /// The algorithms that contents are looked up by.
    pub(crate) fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// What the sets say of a file that was read.
    pub(crate) fn judge(&mut self, record: &Record) -> anyhow::Result<Verdict> {
        debug_assert_eq!(record.outcome, Outcome::Read);
        let mut verdict = Verdict::Unknown;
        for set in &mut self.sets {
            let damaged = |error| failed(&set.shown, &error);
            match set.index.judge(&record.digests).map_err(damaged)? {
                Judgement::Known(found) => {
                    set.meet(&found, &record.digests)?;
                    if let Verdict::Unknown = verdict {
                        verdict = Verdict::Known(set.said(&found)?);
                    }
                }
                Judgement::Collision { found, other } => {
                    verdict = Verdict::Collision(format!(
                        "has the {} of {} but not its {other}: one of the two contents was made to match the other",
                        found.algorithm,
                        set.said(&found)?
                    ));
                    break;
                }
                Judgement::Unknown | Judgement::NotComparable => {}
            }
        }
        *match verdict {
            Verdict::Known(_) => &mut self.known,
            Verdict::Unknown => &mut self.unknown,
            Verdict::Collision(_) => &mut self.collisions,
        } += 1;
        Ok(verdict)
    }

    /// The closing line.
    pub(crate) fn line(&self) -> String {
        let mut line =
            format!("{} known, {} not", text::counted(self.known, "file"), text::count(self.unknown));
        if self.collisions > 0 {
            line += &format!(", {}", text::counted(self.collisions, "collision"));
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
        let mut marked: Vec<_> = self.sets.iter().filter_map(|set| set.algorithms.first().copied()).collect();
        marked.dedup();
        let format = Format::named(if marked.len() == 1 { "gnu" } else { "bsd" }).expect("it is registered");
        let mut writer = Writer::new(format, &marked, &WriteOptions::default(), output).map_err(put)?;
        let mut count = 0;
        for set in &self.sets {
            set.each_unseen(|digest, name| {
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
        }
        writer.finish().map_err(put)?.finish()?;
        screen.message(&format!("{} not found", text::counted(count, "known content")));
        Ok(())
    }

    fn add(&mut self, shown: String, index: Index) -> anyhow::Result<()> {
        let algorithms = looked_up_by(&index);
        if algorithms.is_empty() {
            return Err(Ended::usage(format!(
                "{shown}: contains no digests; nothing can be looked up in it"
            )));
        }
        for &algorithm in &algorithms {
            if !self.algorithms.contains(&algorithm) {
                self.algorithms.push(algorithm);
            }
        }
        self.sets.push(KnownSet { shown, index, algorithms, met: Vec::new() });
        Ok(())
    }
}

impl KnownSet {
    /// What a row is, for a line.
    fn said(&self, found: &Found) -> anyhow::Result<String> {
        let name = self.index.name(found).map_err(|error| failed(&self.shown, &error))?;
        let set = self.index.sets().get(usize::from(found.set)).map_or("?", |set| &set.name);
        Ok(match name {
            Some(name) => format!("{} ({set})", text::name(&name)),
            None => set.to_owned(),
        })
    }

    /// Makes room for what is met.
    fn mark(&mut self) -> anyhow::Result<()> {
        let first = self.algorithms.first().and_then(|&algorithm| self.index.table(algorithm));
        let Some(table) = first.filter(|table| table.is_complete() && self.index.has_names()) else {
            let (why, way_out) = match self.index.has_names() {
                true => (
                    "has no algorithm common to all its records",
                    "build one per algorithm with `hashlane known build -a`",
                ),
                false => ("has no names", "build it again with `hashlane known build --names`"),
            };
            return Err(Ended::usage(format!("--unseen: {} {why}; {way_out}", self.shown)));
        };
        self.met = vec![0; table.rows().div_ceil(64) as usize];
        Ok(())
    }

    /// Marks what was found as met, in the table that is asked in the end.
    fn meet(&mut self, found: &Found, digests: &[Digest]) -> anyhow::Result<()> {
        let (Some(&marked), false) = (self.algorithms.first(), self.met.is_empty()) else { return Ok(()) };
        let found = match digests.iter().find(|digest| digest.algorithm() == marked) {
            Some(digest) if found.algorithm != marked => {
                self.index.find(digest).map_err(|error| failed(&self.shown, &error))?
            }
            _ => Some(*found),
        };
        if let Some(found) = found {
            self.met[(found.row / 64) as usize] |= 1 << (found.row % 64);
        }
        Ok(())
    }

    /// Hands out what was not met.
    fn each_unseen(&self, mut take: impl FnMut(Digest, &[u8]) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let damaged = |error| failed(&self.shown, &error);
        let Some(table) = self.algorithms.first().and_then(|&algorithm| self.index.table(algorithm)) else {
            return Ok(());
        };
        // Of rows with one digest the first is marked.
        let mut group: Option<(Digest, bool)> = None;
        for row in self.index.rows(table) {
            let (digest, found) = row.map_err(damaged)?;
            let is_met = match &group {
                Some((last, is_met)) if *last == digest => *is_met,
                _ => self.met[(found.row / 64) as usize] >> (found.row % 64) & 1 == 1,
            };
            if !is_met && let Some(name) = self.index.name(&found).map_err(damaged)? {
                take(digest, &name)?;
            }
            group = Some((digest, is_met));
        }
        Ok(())
    }
}

/// What contents are looked up by: the best algorithm that all records have. One for which contents can be made, all: they
/// then show.
fn looked_up_by(index: &Index) -> Vec<Algorithm> {
    let mut best: Vec<_> =
        index.tables().iter().filter(|table| table.is_complete()).map(|table| table.algorithm()).collect();
    best.sort_by_key(|algorithm| std::cmp::Reverse(algorithm.length()));
    match best.iter().find(|algorithm| algorithm.security() == Security::Strong) {
        Some(&strong) => vec![strong],
        None => {
            let all = index.tables().iter().filter(|table| table.rows() > 0).map(|table| table.algorithm());
            let mut all: Vec<_> = all.collect();
            all.sort_by_key(|algorithm| !best.contains(algorithm));
            all
        }
    }
}

/// Opens an index, or makes one of a set that is none.
fn open(name: &OsStr, algorithm: Option<Algorithm>, screen: &Screen) -> anyhow::Result<(Index, Status)> {
    let mut source = manifests::open(name)?;
    if Index::is_index(source.beginning()) {
        return Ok((index_of(source)?, Status::OK));
    }
    let options = ReadOptions { fallback: algorithm, ..ReadOptions::default() };
    let set = Set::open(source, &options, CALLED, screen)?;
    let shown = set.shown.clone();
    let algorithms: Vec<_> = set.algorithms().into_iter().filter(|&one| !is_checksum(one)).collect();
    if algorithms.is_empty() {
        return Err(Ended::usage(format!(
            "{shown}: has only digests that different contents share by chance; if that is good enough, index it with \
             `hashlane known build --algorithm`"
        )));
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
    let file = source
        .into_regular()
        .map_err(|error| Ended::unreadable(format!("{shown}: {}", text::system(&error))))?;
    let Some(file) = file else {
        return Err(Ended::usage(format!(
            "{shown}: an index of known contents cannot be read from a pipe; name its file"
        )));
    };
    Index::new(file).map_err(|error| failed(&shown, &error))
}

/// An index of single digests.
fn of_digests(digests: &[Digest]) -> Result<Index, hashlane_known::Error> {
    let mut algorithms = Vec::new();
    for digest in digests {
        if !algorithms.contains(&digest.algorithm()) {
            algorithms.push(digest.algorithm());
        }
    }
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
    tempfile::tempfile()
        .map_err(|error| Ended::output(format!("cannot make a temporary file: {}", text::system(&error))))
}
