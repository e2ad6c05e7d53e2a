//! What a run of Spark has read of a collection. It is verified before an audit takes its tables in place of reading.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hashlane_auditor::is_held;
use hashlane_catalog::{Collection, Elsewhere, ReadBy, ReadElsewhere, Reader};
use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::spark::{
    FINGERPRINTS, Identities, Identity, MANIFEST, MOST_MANIFEST_BYTES, Run, Table, rows,
};
use hashlane_manifest::{Item, ReadOptions};
use hashlane_record::{Escaped, Outcome, counted, shown_name, system_text};
use hashlane_verify::lists::{self, Source};

use crate::paths::plain;

/// Bytes that are digested at once.
const BLOCK_BYTES: usize = 1 << 20;

/// Why nothing is taken of a run. Nothing was recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file cannot be read.
    #[error("{}: {}", shown(path), system_text(source))]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// What was named is not a directory.
    #[error("{}: is no directory", shown(.0))]
    NoDirectory(PathBuf),
    /// A file of the run says something that cannot be, or is not what its list says.
    #[error("{}: {what}", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// The run has read something else than what was said to be taken off.
    #[error("the run has read {}, which does not lie below {}", shown_name(source_name), shown_name(prefix))]
    NotBelow {
        /// What it has read.
        source_name: Vec<u8>,
        /// What was to be taken off.
        prefix: Vec<u8>,
    },
    /// The run has read something else than the tree of the collection.
    #[error("the run has read {}, and the root of {name} is {}", shown_name(source_name), shown(root))]
    OtherRoot {
        /// What it has read.
        source_name: Vec<u8>,
        /// The collection.
        name: String,
        /// Its root.
        root: PathBuf,
    },
    /// No row is one of the collection.
    #[error("{}: has no name below {}", shown(directory), if prefix.is_empty() { "/".to_owned() } else { shown_name(prefix) })]
    Elsewhere {
        /// The directory of the run.
        directory: PathBuf,
        /// What names of the collection begin with.
        prefix: Vec<u8>,
    },
    /// A table cannot be read as a list.
    #[error(transparent)]
    Table(#[from] hashlane_verify::Error),
    /// The rows cannot be kept.
    #[error(transparent)]
    Catalog(#[from] hashlane_catalog::Error),
}

fn shown(path: &Path) -> Escaped<'_> {
    Escaped(path.as_os_str().as_bytes())
}

fn unread(path: &Path) -> impl Fn(io::Error) -> RunError {
    |source| RunError::Unread { path: path.to_owned(), source }
}

fn damaged(path: &Path, what: impl Into<String>) -> RunError {
    RunError::Damaged { path: path.to_owned(), what: what.into() }
}

/// Takes what a run has read, if all of it is as its list says. Of one that is recorded already nothing is taken: the audit says so.
/// `strip_prefix`: what the names begin with on its nodes, where that is not the root.
///
/// # Errors
/// It cannot be read, is not complete or not as its list says, or is about other files.
pub fn read_by_spark(
    directory: &Path,
    strip_prefix: Option<&OsStr>,
    (catalog, collection): (&Reader, &Collection),
) -> Result<Elsewhere, RunError> {
    let list = directory.join(MANIFEST);
    let text = listed(directory, &list)?;
    let run = Run::parse(&text).map_err(|error| damaged(&list, error.to_string()))?;
    if run.ended < run.started {
        return Err(damaged(&list, "it ended before it started"));
    }
    let prefix = prefix(strip_prefix, collection, &run)?;
    let by = ReadBy {
        program: format!("Spark {}", run.spark),
        hashlane: run.hashlane.clone(),
        id: run.id.clone(),
        source: String::from_utf8_lossy(&run.source).into_owned(),
        place: std::path::absolute(directory).map_err(unread(directory))?.to_string_lossy().into_owned(),
        tables: run.fingerprints().len() as u64,
        // `Run::parse` has refused a sum that overflows.
        rows: run.fingerprints().iter().map(|table| table.rows).sum(),
        blake3: Algorithm::BLAKE3.digest(&text).to_string(),
        started_s: run.started.seconds,
        ended_s: run.ended.seconds,
    };
    drop(text);
    let is_recorded = catalog.taken(collection, &by)?.is_some();
    let mut elsewhere = Elsewhere::new(by, &hashlane_io::temporary_directory())?;
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
        return Err(RunError::Elsewhere { directory: directory.to_owned(), prefix });
    }
    Ok(elsewhere)
}

/// The list of a run that is complete.
fn listed(directory: &Path, list: &Path) -> Result<Vec<u8>, RunError> {
    let file = File::open(list).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if directory.is_dir() => damaged(
            directory,
            format!("has no {MANIFEST}, so the run is not complete; run the job again, and it resumes"),
        ),
        io::ErrorKind::NotADirectory => RunError::NoDirectory(directory.to_owned()),
        _ => unread(list)(error),
    })?;
    let mut text = Vec::new();
    // One byte more shows that there is more.
    let is_whole = file.metadata().map_err(unread(list))?.len() <= MOST_MANIFEST_BYTES
        && file.take(MOST_MANIFEST_BYTES + 1).read_to_end(&mut text).map_err(unread(list))? as u64
            <= MOST_MANIFEST_BYTES;
    if is_whole {
        return Ok(text);
    }
    let most = MOST_MANIFEST_BYTES >> 30;
    Err(damaged(
        list,
        format!(
            "is larger than {most} GiB, and that much is read of such a list; have the tree read with a larger bin_bytes, which makes \
             fewer tables"
        ),
    ))
}

/// What the names begin with that lie in the tree of the collection, as the nodes saw it.
fn prefix(strip: Option<&OsStr>, collection: &Collection, run: &Run) -> Result<Vec<u8>, RunError> {
    let root = &collection.terms.root;
    let source = &run.source[..];
    if let Some(prefix) = strip {
        let prefix = prefix.as_bytes();
        let not_below = || RunError::NotBelow { source_name: source.to_vec(), prefix: prefix.to_vec() };
        return stripped(source, prefix).ok_or_else(not_below);
    }
    if let Some(prefix) = stripped(source, root.as_os_str().as_bytes()) {
        return Ok(prefix);
    }
    let here = PathBuf::from(OsStr::from_bytes(without_slash(source)));
    if !collection.terms.is_in_store() && here.canonicalize().is_ok_and(|here| here == *root) {
        return Ok(here.into_os_string().into_vec());
    }
    let name = collection.terms.name.clone();
    Err(RunError::OtherRoot { source_name: source.to_vec(), name, root: root.clone() })
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

fn digest(mut file: &File) -> io::Result<Digest> {
    let mut hasher = Algorithm::BLAKE3.hasher();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&block[..read]),
        }
    }
}

impl<'a> Verified<'a> {
    fn of(path: PathBuf, table: &'a Table, list: &Path) -> Result<Self, RunError> {
        let not_as_told = |what: &str| {
            let list = shown(list);
            damaged(
                &path,
                format!(
                    "{what}; {list} says otherwise, so nothing is recorded: take the run from an intact copy, or have it run again"
                ),
            )
        };
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_as_told("is not there"),
            _ => unread(&path)(error),
        })?;
        let facts = file.metadata().map_err(unread(&path))?;
        if facts.len() != table.size_bytes {
            return Err(not_as_told(&format!("has {}", counted(facts.len(), "byte"))));
        }
        let digest = digest(&file).map_err(unread(&path))?;
        if digest != table.blake3 {
            return Err(not_as_told(&format!("has the BLAKE3 digest {digest}")));
        }
        let rows = rows(file.try_clone().map_err(unread(&path))?).map_err(unread(&path))?;
        if rows != table.rows {
            return Err(not_as_told(&format!("has {}", counted(rows, "row"))));
        }
        Ok(Self { path, table, file, facts })
    }

    /// Takes its rows, and returns how many are of files outside of the collection.
    fn take(self, of: (&Collection, &[u8]), elsewhere: &mut Elsewhere) -> Result<u64, RunError> {
        let Self { path, table, mut file, facts: before } = self;
        file.rewind().map_err(unread(&path))?;
        let source = Source::of(path.as_os_str(), file.try_clone().map_err(unread(&path))?)?;
        let reader = lists::read(source, &ReadOptions::default())?;
        let mut identities =
            Identities::of(file.try_clone().map_err(unread(&path))?).map_err(unread(&path))?;
        let (mut taken, mut outside) = (0, 0);
        for item in reader {
            let item =
                item.map_err(|problem| damaged(&path, format!("row {}: {}", problem.line, problem.kind)))?;
            taken += 1;
            let line = item.line;
            let at = |what: &str| damaged(&path, format!("row {line}: {what}"));
            let identity = identities.next_row().map_err(unread(&path))?;
            match row(item, identity, of).map_err(|what| at(&what))? {
                None => outside += 1,
                Some((name, read)) => {
                    if !elsewhere.add(&name, &read)? {
                        return Err(at(&format!("{} was in a row before", shown_name(&name))));
                    }
                }
            }
        }
        let after = file.metadata().map_err(unread(&path))?;
        // Renaming it moves its change time, too, and changes no byte of it.
        let state = |facts: &Metadata| (facts.len(), facts.mtime(), facts.mtime_nsec());
        if taken == table.rows && state(&before) == state(&after) {
            return Ok(outside);
        }
        Err(damaged(&path, "was written to while it was read, so nothing is recorded; take the run again"))
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
        let sha256 = Algorithm::SHA256;
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
        let (size_bytes, blake3) = (bytes.len() as u64, Algorithm::BLAKE3.digest(&bytes));
        (bytes, Table { name: "part".into(), rows: 1, size_bytes, blake3 })
    }

    #[test]
    fn what_is_taken_is_what_was_verified_whatever_lies_there_a_moment_later() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut catalog =
            hashlane_catalog::Writer::open_or_make(&directory.path().join("catalog")).expect("made");
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
