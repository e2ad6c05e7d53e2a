//! `hashlane audit NAME --by`: a run of Spark, whose tables an audit takes in place of reading. It is verified before anything is recorded.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hashlane_catalog::{Catalog, Collection, Elsewhere, ReadBy, ReadElsewhere};
use hashlane_digest::{Algorithm, Digest};
use hashlane_keeper::{is_held, plain};
use hashlane_manifest::spark::{
    FINGERPRINTS, Identities, Identity, MANIFEST, MOST_MANIFEST_BYTES, Run, Table, rows,
};
use hashlane_manifest::{Item, ReadOptions};
use hashlane_record::{Outcome, system_text};
use serde_json::{Value, json};

use super::{failed, time, time_json};
use crate::args::AuditArgs;
use crate::manifests::{self, OptionNames, Source};
use crate::output::shown;
use crate::status::Ended;
use crate::text;

/// Bytes that are digested at once.
const BLOCK_BYTES: usize = 1 << 20;

/// The options by which it is said how a table is to be read: there are none.
const CALLED: OptionNames = OptionNames { task: "take", algorithm: None, ..OptionNames::USUAL };

/// Takes what a run has read, if all of it is as its list says. Of one that is recorded already nothing is taken: the audit says so.
pub(super) fn taken(
    args: &AuditArgs,
    directory: &Path,
    (catalog, collection): (&Catalog, &Collection),
) -> anyhow::Result<Elsewhere> {
    let list = directory.join(MANIFEST);
    let text = listed(directory, &list)?;
    let run = Run::parse(&text).map_err(|error| Ended::unreadable(format!("{}: {error}", shown(&list))))?;
    if run.ended < run.started {
        return Err(Ended::unreadable(format!("{}: it ended before it started", shown(&list))));
    }
    let prefix = prefix(args, collection, &run)?;
    let by = ReadBy {
        program: format!("Spark {}", run.spark),
        hashlane: run.hashlane.clone(),
        id: run.id.clone(),
        source: String::from_utf8_lossy(&run.source).into_owned(),
        place: std::path::absolute(directory)?.to_string_lossy().into_owned(),
        tables: run.fingerprints().len() as u64,
        // `Run::parse` has refused a sum that overflows.
        rows: run.fingerprints().iter().map(|table| table.rows).sum(),
        blake3: blake3()?.digest(&text).to_string(),
        started_s: run.started.seconds,
        ended_s: run.ended.seconds,
    };
    drop(text);
    let is_recorded = catalog.taken(collection, &by).map_err(failed)?.is_some();
    let mut elsewhere = Elsewhere::new(by, &hashlane_io::temporary_directory()).map_err(failed)?;
    if is_recorded {
        return Ok(elsewhere);
    }
    let mut outside = 0;
    for (of, tables) in &run.tables {
        for table in tables {
            let path = directory.join(of).join(&table.name);
            let verified = Verified::of(path, table, &list)?;
            if of == FINGERPRINTS {
                outside += verified.take((collection, &prefix), &mut elsewhere)?;
            }
        }
    }
    if outside == elsewhere.by().rows {
        let prefix = if prefix.is_empty() { "/".to_owned() } else { text::name(&prefix) };
        return Err(Ended::usage(format!("{}: has no name below {prefix}", shown(directory))));
    }
    Ok(elsewhere)
}

/// The list of a run that is complete.
fn listed(directory: &Path, list: &Path) -> anyhow::Result<Vec<u8>> {
    let refused = |error: io::Error| Ended::unreadable(format!("{}: {}", shown(list), system_text(&error)));
    let file = File::open(list).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if directory.is_dir() => Ended::unreadable(format!(
            "{}: has no {MANIFEST}, so the run is not complete; run the job again, and it resumes",
            shown(directory)
        )),
        io::ErrorKind::NotADirectory => Ended::usage(format!(
            "{}: is no directory; name the directory that the job was given as --out",
            shown(directory)
        )),
        _ => refused(error),
    })?;
    let mut text = Vec::new();
    // One byte more tells that there is more.
    let is_whole = file.metadata().map_err(refused)?.len() <= MOST_MANIFEST_BYTES
        && file.take(MOST_MANIFEST_BYTES + 1).read_to_end(&mut text).map_err(refused)? as u64
            <= MOST_MANIFEST_BYTES;
    match is_whole {
        true => Ok(text),
        false => Err(Ended::unreadable(format!(
            "{}: is larger than {} GiB, and that much is read of such a list; have the tree read with a larger bin_bytes, which makes fewer tables",
            shown(list),
            MOST_MANIFEST_BYTES >> 30
        ))),
    }
}

/// What the names begin with that lie in the tree of the collection, as the nodes saw it.
fn prefix(args: &AuditArgs, collection: &Collection, run: &Run) -> anyhow::Result<Vec<u8>> {
    let root = &collection.terms.root;
    let source = &run.source[..];
    let name = &collection.terms.name;
    if let Some(prefix) = &args.strip_prefix {
        return stripped(source, prefix.as_bytes()).ok_or_else(|| {
            Ended::usage(format!(
                "the run has read {}, which does not lie below --strip-prefix {}",
                text::name(source),
                text::name(prefix.as_bytes())
            ))
        });
    }
    if let Some(prefix) = stripped(source, root.as_os_str().as_bytes()) {
        return Ok(prefix);
    }
    let here = PathBuf::from(OsStr::from_bytes(without_slash(source)));
    if !collection.terms.is_in_store() && here.canonicalize().is_ok_and(|here| here == *root) {
        return Ok(here.into_os_string().into_vec());
    }
    Err(Ended::usage(format!(
        "the run has read {source}, and the root of {name} is {}; if its nodes saw that tree at {source}, add --strip-prefix {source}",
        shown(root),
        source = text::name(source),
    )))
}

/// The prefix as it stands before the slash in names below it, if a source is that place or lies below it. Of `/` nothing is left.
fn stripped(source: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    let prefix = without_slash(prefix);
    let rest = without_slash(source).strip_prefix(prefix)?;
    (rest.is_empty() || rest.starts_with(b"/")).then(|| prefix.to_vec())
}

fn without_slash(name: &[u8]) -> &[u8] {
    name.strip_suffix(b"/").unwrap_or(name)
}

/// A table that has the bytes and rows that the list says. It stays open: another file may lie at its path a moment later.
struct Verified<'a> {
    path: PathBuf,
    table: &'a Table,
    file: File,
    facts: Metadata,
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

impl<'a> Verified<'a> {
    fn of(path: PathBuf, table: &'a Table, list: &Path) -> anyhow::Result<Self> {
        let not_as_told = |what: String| {
            Ended::unreadable(format!(
                "{}: {what}; {} says otherwise, so nothing is recorded: take the run from an intact copy, or have it run again",
                shown(&path),
                shown(list)
            ))
        };
        let refused =
            |error: io::Error| Ended::unreadable(format!("{}: {}", shown(&path), system_text(&error)));
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_as_told("is not there".to_owned()),
            _ => refused(error),
        })?;
        let facts = file.metadata().map_err(refused)?;
        if facts.len() != table.size_bytes {
            return Err(not_as_told(format!("has {}", text::counted(facts.len(), "byte"))));
        }
        let digest = digest(&file).map_err(refused)?;
        if digest != table.blake3 {
            return Err(not_as_told(format!("has the BLAKE3 digest {digest}")));
        }
        let rows = rows(file.try_clone().map_err(refused)?).map_err(refused)?;
        if rows != table.rows {
            return Err(not_as_told(format!("has {}", text::counted(rows, "row"))));
        }
        Ok(Self { path, table, file, facts })
    }

    /// Takes its rows, and returns how many are of files outside of the collection.
    fn take(self, of: (&Collection, &[u8]), elsewhere: &mut Elsewhere) -> anyhow::Result<u64> {
        let Self { path, table, mut file, facts: before } = self;
        let refused =
            |error: io::Error| Ended::unreadable(format!("{}: {}", shown(&path), system_text(&error)));
        file.rewind().map_err(refused)?;
        let source = Source::of(path.as_os_str(), file.try_clone().map_err(refused)?);
        let source = source.map_err(|error| manifests::failed(&error))?;
        let reader = manifests::read(source, &ReadOptions::default(), CALLED)
            .map_err(|refused| refused.into_error())?;
        let mut identities = Identities::of(file.try_clone().map_err(refused)?).map_err(refused)?;
        let (mut taken, mut outside) = (0, 0);
        for item in reader {
            let item = item.map_err(|problem| {
                Ended::unreadable(format!("{}: row {}: {}", shown(&path), problem.line, problem.kind))
            })?;
            taken += 1;
            let line = item.line;
            let at = |what: &str| Ended::unreadable(format!("{}: row {line}: {what}", shown(&path)));
            let identity = identities.next_row().map_err(refused)?;
            match row(item, identity, of).map_err(|what| at(&what))? {
                None => outside += 1,
                Some((name, read)) => {
                    if !elsewhere.add(&name, &read).map_err(failed)? {
                        return Err(at(&format!("{} was in a row before", text::name(&name))));
                    }
                }
            }
        }
        let after = file.metadata().map_err(refused)?;
        // Renaming it moves its change time, too, and changes no byte of it.
        let state = |facts: &Metadata| (facts.len(), facts.mtime(), facts.mtime_nsec());
        match taken == table.rows && state(&before) == state(&after) {
            true => Ok(outside),
            false => Err(Ended::unreadable(format!(
                "{}: was written to while it was read, so nothing is recorded; take the run again",
                shown(&path)
            ))),
        }
    }
}

/// A row as it is kept: its path below the root; nothing of one outside of it.
fn row(
    item: Item,
    identity: Option<Identity>,
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
        if item.size.is_none() {
            return Err("has no size".to_owned());
        }
    }
    let read = ReadElsewhere {
        outcome,
        size: item.size,
        modified: item.modified,
        changed: identity.map(|identity| identity.changed),
        inode: identity.map(|identity| identity.inode),
        digests,
    };
    Ok(Some((path, read)))
}

/// That a run is recorded already.
pub(super) fn before(run: i64, at: &str) -> String {
    format!("this run of Spark is recorded already, as run {run} of {at}; it counts once")
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use hashlane_catalog::Terms;
    use hashlane_manifest::{Format, WriteOptions, Writer};
    use hashlane_record::Timestamp;

    use super::*;

    /// A table with one row, and what its list says of it.
    fn table(name: &str) -> (Vec<u8>, Table) {
        let sha256 = Algorithm::named("sha256").expect("registered");
        let parquet = Format::named("parquet").expect("registered");
        let mut writer =
            Writer::new(parquet, &[sha256], &WriteOptions::default(), Vec::new()).expect("begun");
        let item = Item {
            line: 1,
            path: name.as_bytes().to_vec().into(),
            size: Some(1),
            modified: Some(Timestamp { seconds: 1, nanos: 0 }),
            digests: vec![sha256.digest(name.as_bytes())],
            outcome: Some(Outcome::Read),
            ..Item::default()
        };
        writer.item(&item).expect("written");
        let bytes = writer.finish().expect("written");
        let (size_bytes, blake3) = (bytes.len() as u64, blake3().expect("registered").digest(&bytes));
        (bytes, Table { name: "part".into(), rows: 1, size_bytes, blake3 })
    }

    #[test]
    fn what_is_taken_is_what_was_verified_whatever_lies_there_a_moment_later() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut catalog = Catalog::open_or_make(&directory.path().join("catalog")).expect("made");
        catalog.add_collection(&Terms::new("t", "/t"), 0).expect("a new name");
        let collection = catalog.collection("t").expect("it was added");
        let (path, other_path) = (directory.path().join("part"), directory.path().join("other"));
        let (bytes, table_of_a) = table("/t/a");
        // Of this one nothing belongs to the collection.
        let (other, _) = table("/x/a");
        let taken = |meanwhile: &dyn Fn()| {
            fs::write(&path, &bytes).expect("written");
            let file = File::options().write(true).open(&path).expect("there");
            file.set_modified(SystemTime::UNIX_EPOCH).expect("set");
            fs::write(&other_path, &other).expect("written");
            let verified = Verified::of(path.clone(), &table_of_a, Path::new("list")).expect("as it says");
            meanwhile();
            let mut elsewhere =
                Elsewhere::new(ReadBy::default(), directory.path()).expect("a temporary file");
            verified.take((&collection, b"/t"), &mut elsewhere).map_err(|error| error.to_string())
        };
        assert_eq!(taken(&|| {}), Ok(0));
        assert_eq!(taken(&|| fs::rename(&other_path, &path).expect("renamed")), Ok(0));
        let refused = taken(&|| fs::write(&path, &other).expect("written")).expect_err("it was written to");
        assert!(refused.contains("was written to while it was read, so nothing is recorded"), "{refused}");
    }

    #[test]
    fn a_source_lies_below_a_root_whose_name_ends_with_a_slash() {
        let stripped = |source: &str, prefix: &str| {
            let prefix = super::stripped(source.as_bytes(), prefix.as_bytes());
            prefix.map(|prefix| String::from_utf8(prefix).expect("text"))
        };
        let some = |prefix: &str| Some(prefix.to_owned());
        assert_eq!([stripped("/shared", "/"), stripped("/", "/")], [some(""), some("")]);
        assert_eq!(stripped("/shared/archive/", "/shared"), some("/shared"));
        assert_eq!(stripped("/shared", "/shared/"), some("/shared"));
        assert_eq!(stripped("s3://keep/archive", "s3://keep/"), some("s3://keep"));
        assert_eq!([stripped("/shared2", "/shared"), stripped("/shared", "/shared/archive")], [None, None]);
    }
}
