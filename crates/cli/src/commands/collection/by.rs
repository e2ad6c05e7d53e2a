//! `hashlane audit NAME --by`: a run of Spark, whose tables an audit takes in place of reading. It is verified before anything is recorded.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use hashlane_catalog::{Collection, Elsewhere, ReadBy, ReadElsewhere};
use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::spark::{FINGERPRINTS, MANIFEST, MOST_MANIFEST_BYTES, Run, Table, rows};
use hashlane_manifest::{Item, ReadOptions};
use hashlane_record::{Outcome, system_text};
use serde_json::{Value, json};

use super::ground::is_held;
use super::places::plain;
use super::{failed, time, time_json};
use crate::args::AuditArgs;
use crate::manifests::{self, OptionNames};
use crate::output::shown;
use crate::status::Ended;
use crate::text;

/// Bytes that are digested at once.
const BLOCK_BYTES: usize = 1 << 20;

/// The options by which it is said how a table is to be read: there are none.
const CALLED: OptionNames = OptionNames { task: "take", algorithm: None, ..OptionNames::USUAL };

/// Takes what a run has read, if all of it is as its list says.
pub(super) fn taken(
    args: &AuditArgs,
    directory: &Path,
    collection: &Collection,
) -> anyhow::Result<Elsewhere> {
    let list = directory.join(MANIFEST);
    let text = listed(directory, &list)?;
    let run = Run::parse(&text).map_err(|error| Ended::unreadable(format!("{}: {error}", shown(&list))))?;
    if run.ended < run.started {
        return Err(Ended::unreadable(format!("{}: it ended before it started", shown(&list))));
    }
    let prefix = prefix(args, collection, &run)?;
    let mut by = ReadBy::default();
    by.program = format!("Spark {}", run.spark);
    by.hashlane.clone_from(&run.hashlane);
    by.id.clone_from(&run.id);
    by.source = String::from_utf8_lossy(&run.source).into_owned();
    by.place = std::path::absolute(directory)?.to_string_lossy().into_owned();
    by.tables = run.fingerprints().len() as u64;
    by.rows = run.fingerprints().iter().map(|table| table.rows).sum();
    by.blake3 = blake3()?.digest(&text).to_string();
    (by.started_s, by.ended_s) = (run.started.seconds, run.ended.seconds);
    let mut elsewhere = Elsewhere::new(by, &hashlane_io::temporary_directory()).map_err(failed)?;
    let mut outside = 0;
    for (of, tables) in &run.tables {
        for table in tables {
            let path = directory.join(of).join(&table.name);
            verify(&path, table, &list)?;
            if of == FINGERPRINTS {
                outside += take(&path, table, (collection, &prefix), &mut elsewhere)?;
            }
        }
    }
    if outside == elsewhere.by().rows {
        let prefix = text::name(&prefix);
        return Err(Ended::usage(format!("{}: has no name below {prefix}", shown(directory))));
    }
    Ok(elsewhere)
}

/// The list of a run that is complete.
fn listed(directory: &Path, list: &Path) -> anyhow::Result<Vec<u8>> {
    let refused = |error: io::Error| Ended::unreadable(format!("{}: {}", shown(list), system_text(&error)));
    let file = File::open(list).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if directory.is_dir() => Ended::unreadable(format!(
            "{}: has no {MANIFEST}, so the run is not complete; run the job again, which goes on",
            shown(directory)
        )),
        io::ErrorKind::NotADirectory => Ended::usage(format!(
            "{}: is no directory; name the directory that the job was given as --out",
            shown(directory)
        )),
        _ => refused(error),
    })?;
    let mut text = Vec::new();
    file.take(MOST_MANIFEST_BYTES).read_to_end(&mut text).map_err(refused)?;
    Ok(text)
}

/// What the names begin with that lie in the tree of the collection, as the nodes saw it.
fn prefix(args: &AuditArgs, collection: &Collection, run: &Run) -> anyhow::Result<Vec<u8>> {
    let root = &collection.terms.root;
    let source = run.source.strip_suffix(b"/").unwrap_or(&run.source);
    let is_below = |prefix: &[u8]| {
        source.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    let name = &collection.terms.name;
    if let Some(prefix) = &args.strip_prefix {
        let prefix = prefix.as_bytes().strip_suffix(b"/").unwrap_or(prefix.as_bytes());
        return match is_below(prefix) {
            true => Ok(prefix.to_vec()),
            false => Err(Ended::usage(format!(
                "the run has read {}, which does not lie below --strip-prefix {}",
                text::name(source),
                text::name(prefix)
            ))),
        };
    }
    if is_below(root.as_os_str().as_bytes()) {
        return Ok(root.as_os_str().as_bytes().to_vec());
    }
    let here = PathBuf::from(OsStr::from_bytes(source));
    if !collection.terms.is_in_store() && here.canonicalize().is_ok_and(|here| here == *root) {
        return Ok(here.into_os_string().into_vec());
    }
    Err(Ended::usage(format!(
        "the run has read {source}, and the root of {name} is {}; if its nodes saw that tree at {source}, add --strip-prefix {source}",
        shown(root),
        source = text::name(source),
    )))
}

/// Makes sure that a table has the bytes and rows that the list says.
fn verify(path: &Path, table: &Table, list: &Path) -> anyhow::Result<()> {
    let not_as_told = |what: String| {
        Ended::unreadable(format!(
            "{}: {what}; {} says otherwise, so nothing is recorded: take the run from an intact copy, or have it run again",
            shown(path),
            shown(list)
        ))
    };
    let refused = |error: io::Error| Ended::unreadable(format!("{}: {}", shown(path), system_text(&error)));
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => not_as_told("is not there".to_owned()),
        _ => refused(error),
    })?;
    let size_bytes = file.metadata().map_err(refused)?.len();
    if size_bytes != table.size_bytes {
        return Err(not_as_told(format!("has {}", text::counted(size_bytes, "byte"))));
    }
    let digest = digest(&file).map_err(refused)?;
    if digest != table.blake3 {
        return Err(not_as_told(format!("has the BLAKE3 digest {digest}")));
    }
    let rows = rows(file).map_err(refused)?;
    if rows != table.rows {
        return Err(not_as_told(format!("has {}", text::counted(rows, "row"))));
    }
    Ok(())
}

fn blake3() -> anyhow::Result<Algorithm> {
    Algorithm::named("blake3").ok_or_else(|| anyhow::anyhow!("blake3 is not registered"))
}

fn digest(mut file: &File) -> io::Result<Digest> {
    let mut hasher = blake3().map_err(io::Error::other)?.hasher();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&block[..read]),
        }
    }
}

/// Takes the rows of a table, and returns how many are of files outside of the collection.
fn take(
    path: &Path,
    table: &Table,
    of: (&Collection, &[u8]),
    elsewhere: &mut Elsewhere,
) -> anyhow::Result<u64> {
    let source = manifests::open(path.as_os_str())?;
    let reader =
        manifests::read(source, &ReadOptions::default(), CALLED).map_err(|refused| refused.into_error())?;
    let (mut taken, mut outside) = (0, 0);
    for item in reader {
        let item = item.map_err(|problem| {
            Ended::unreadable(format!("{}: row {}: {}", shown(path), problem.line, problem.kind))
        })?;
        taken += 1;
        let line = item.line;
        let at = |what: &str| Ended::unreadable(format!("{}: row {line}: {what}", shown(path)));
        match row(item, of).map_err(|what| at(&what))? {
            None => outside += 1,
            Some((name, read)) => {
                if !elsewhere.add(&name, &read).map_err(failed)? {
                    return Err(at(&format!("{} was in a row before", text::name(&name))));
                }
            }
        }
    }
    match taken == table.rows {
        true => Ok(outside),
        false => Err(Ended::unreadable(format!("{}: changed while it was read", shown(path)))),
    }
}

/// A row as it is kept: its path below the root; nothing of one outside of it.
fn row(
    item: Item,
    (collection, prefix): (&Collection, &[u8]),
) -> Result<Option<(Vec<u8>, ReadElsewhere)>, String> {
    let below = item.path.as_bytes().strip_prefix(prefix).and_then(|rest| rest.strip_prefix(b"/"));
    let Some(below) = below else { return Ok(None) };
    let path = match collection.terms.is_in_store() {
        true => Some(below.to_vec()).filter(|path| is_held(path)),
        false => plain(Path::new(OsStr::from_bytes(below))).filter(|path| path == below && !path.is_empty()),
    };
    let Some(path) = path else { return Ok(None) };
    let outcome = item.outcome.unwrap_or(Outcome::Read);
    let mut digests = Vec::new();
    if outcome == Outcome::Read {
        for algorithm in &collection.terms.algorithms {
            let found = item.digests.iter().find(|digest| digest.algorithm() == *algorithm);
            digests.push(*found.ok_or_else(|| {
                format!(
                    "has no {algorithm}, by which {} is known; have the run made with it",
                    collection.terms.name
                )
            })?);
        }
        if item.size.is_none() || item.modified.is_none() {
            return Err("has no size or no time".to_owned());
        }
    }
    Ok(Some((path, ReadElsewhere { outcome, size: item.size, modified: item.modified, digests })))
}

/// That a run is recorded already.
pub(super) fn before(run: i64, at_s: i64) -> String {
    format!("this run of Spark is recorded already, as run {run} of {}; it counts once", time(at_s))
}

/// Who has read, and when, in words: `Spark 4.1.4, from 2026-11-26 22:00 to 2026-11-27 03:10`.
pub(super) fn whose(by: &ReadBy) -> String {
    let program = text::name(by.program.as_bytes());
    format!("{program}, from {} to {}", time(by.started_s), time(by.ended_s))
}

/// The same with all that it takes to find the run again.
pub(super) fn evidence(by: &ReadBy) -> String {
    let [id, place, source] = [&by.id, &by.place, &by.source].map(|name| text::name(name.as_bytes()));
    format!(
        "{}, run {id} of {source}, {} in {place}; BLAKE3 of its {MANIFEST}: {}",
        whose(by),
        text::counted(by.tables, "table"),
        text::name(by.blake3.as_bytes())
    )
}

/// The same for programs.
pub(super) fn by_json(by: &ReadBy) -> Value {
    json!({
        "program": by.program,
        "hashlane": by.hashlane,
        "run_id": by.id,
        "source": by.source,
        "directory": by.place,
        "tables": by.tables,
        "rows": by.rows,
        "manifest_blake3": by.blake3,
        "started": time_json(by.started_s),
        "ended": time_json(by.ended_s),
    })
}
