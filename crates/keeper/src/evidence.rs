//! What a provider says of the files of a collection: its reports are read and held against one another. No file is read, and no store asked.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hashlane_auditor::is_held;
use hashlane_catalog::{About, Claim, Collection, EvidenceImport, EvidenceKind, Named, ReportSource};
use hashlane_digest::Digest;
use hashlane_manifest::evidence::{Error as Malformed, Job, Provider, Report, Standing, Statement};
use hashlane_objects::Service;
use hashlane_record::{Escaped, shown_name, system_text};

use crate::paths::plain;

/// The list of a report that has several files.
const MANIFEST: &str = "manifest.json";

/// A list of files is no longer than that.
const MOST_MANIFEST_BYTES: u64 = 64 << 20;

/// Why a report is not taken. Nothing was recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file cannot be read.
    #[error("{}: {}", shown(path), system_text(source))]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// A file is none of a report, or is damaged.
    #[error("{}: {source}{}", shown(path), if matches!(source, Malformed::Unknown) { "" } else { "; nothing was recorded" })]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Malformed,
    },
    /// There is no list in a directory.
    #[error("{}: there is no such file; name the files of the report one by one", shown(.0))]
    NoList(PathBuf),
    /// What was named is a device, say.
    #[error("{}: is no regular file", shown(.0))]
    NoFile(PathBuf),
    /// A file that is listed is missing.
    #[error("{}: lists {}, which is neither beside it nor in `results`; copy the whole report", shown(list), shown_name(file.as_bytes()))]
    NotThere {
        /// The list.
        list: PathBuf,
        /// The file.
        file: String,
    },
    /// A file is not the one that is listed.
    #[error("{}: does not have the MD5 that {MANIFEST} lists for it; copy it again", shown(.0))]
    OtherMd5(PathBuf),
    /// Files are of several reports.
    #[error("{} and {} are two reports; import them one by one, the oldest first", shown(.0), shown(.1))]
    Several(PathBuf, PathBuf),
    /// Two files say of an object what can only be true at different times.
    #[error(
        "{}: line {line}: the checksum of {} differs from the one in {}: the reports are of two jobs; import them one by one, the oldest first; nothing was recorded",
        shown(path),
        shown_name(name),
        shown(first)
    )]
    OfAnother {
        /// The later file.
        path: PathBuf,
        /// Its line, counted from 1.
        line: u64,
        /// What it is about.
        name: Vec<u8>,
        /// The earlier file.
        first: PathBuf,
    },
    /// Files come from several providers.
    #[error("{}: comes from {}, but {} comes from {}; import the evidence of one provider at a time", shown(path), provider.name(), shown(first), other.name())]
    Providers {
        /// The later file.
        path: PathBuf,
        /// Its provider.
        provider: Provider,
        /// The earlier file.
        first: PathBuf,
        /// Its provider.
        other: Provider,
    },
    /// The collection lies in a store of another kind.
    #[error("{}: comes from {}, but {name} lies in {}", shown(path), provider.name(), shown(root))]
    OtherService {
        /// The file.
        path: PathBuf,
        /// Its provider.
        provider: Provider,
        /// The collection.
        name: String,
        /// Where it lies.
        root: PathBuf,
        /// What its own store says.
        own: Option<&'static str>,
    },
    /// Nothing was named.
    #[error("the report has no files")]
    Nothing,
    /// The rows cannot be kept.
    #[error(transparent)]
    Catalog(#[from] hashlane_catalog::Error),
}

impl ReportError {
    /// Whether what was named is not what can be imported. Else something could not be read, or is damaged.
    pub fn is_of_asker(&self) -> bool {
        match self {
            Self::Malformed { source, .. } => matches!(source, Malformed::Unknown),
            Self::Unread { .. } | Self::NotThere { .. } | Self::OtherMd5(_) | Self::Catalog(_) => false,
            _ => true,
        }
    }
}

fn shown(path: &Path) -> Escaped<'_> {
    Escaped(path.as_os_str().as_bytes())
}

/// A report that was read.
#[derive(Debug)]
pub struct EvidenceReport {
    /// Who has made it.
    pub provider: Provider,
    /// What it is.
    pub source: ReportSource,
    /// What it says.
    pub import: EvidenceImport,
}

impl EvidenceReport {
    /// Reads a report: its files, or a list or a directory of them.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or is not of the store of the collection.
    pub fn read(named: &[PathBuf], collection: &Collection) -> Result<Self, ReportError> {
        let parts = parts(named)?;
        let mut import = EvidenceImport::new(&hashlane_io::temporary_directory())?;
        let provider = take_all(&parts, collection, &mut import)?;
        let kind = if provider.has_computed() { EvidenceKind::Computed } else { EvidenceKind::Stated };
        let source = ReportSource {
            files: named.iter().map(|path| shown(path).to_string()).collect(),
            provider: provider.name().to_owned(),
            kind,
            // They are of one report.
            made_s: parts.first().and_then(|part| part.made_s),
        };
        Ok(Self { provider, source, import })
    }
}

/// A file of a report.
struct Part {
    path: PathBuf,
    /// The list that names it.
    list: Option<PathBuf>,
    /// The MD5 that its list says of it.
    md5: Option<Digest>,
    /// When the report was made, if its list says so.
    made_s: Option<i64>,
}

/// All files of what was named, each once. They are of one report: what two say of a file is of two times.
fn parts(named: &[PathBuf]) -> Result<Vec<Part>, ReportError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut seen = Vec::new();
    for path in named {
        let path = match path.is_dir() {
            true => path.join(MANIFEST),
            false => path.clone(),
        };
        for part in of_path(path)? {
            let facts = part.path.metadata().map_err(unread(&part.path))?;
            let identity = (facts.dev(), facts.ino());
            if !facts.is_file() {
                return Err(ReportError::NoFile(part.path));
            }
            if !seen.contains(&identity) {
                seen.push(identity);
                parts.push(part);
            }
        }
    }
    if let [first, rest @ ..] = &parts[..]
        && let Some(other) = rest.iter().find(|part| part.list != first.list)
    {
        let [first, other] = [first, other].map(|part| part.list.as_ref().unwrap_or(&part.path).clone());
        return Err(ReportError::Several(first, other));
    }
    Ok(parts)
}

/// The files that a path means: itself, or those that it lists.
fn of_path(path: PathBuf) -> Result<Vec<Part>, ReportError> {
    let mut file = File::open(&path).map_err(|error| {
        let is_list =
            path.file_name() == Some(OsStr::new(MANIFEST)) && error.kind() == io::ErrorKind::NotFound;
        match is_list {
            true => ReportError::NoList(path.clone()),
            false => unread(&path)(error),
        }
    })?;
    let mut first = [0; 1];
    if !matches!(file.read(&mut first), Ok(1)) || first != *b"{" {
        return Ok(vec![Part { path, list: None, md5: None, made_s: None }]);
    }
    let mut text = first.to_vec();
    file.take(MOST_MANIFEST_BYTES).read_to_end(&mut text).map_err(unread(&path))?;
    let job = Job::parse(&text).map_err(malformed(&path))?;
    let made_s = job.made.map(|made| made.seconds);
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    job.files
        .into_iter()
        .map(|file| {
            let Some(found) = beside(&directory, &file.key) else {
                return Err(ReportError::NotThere { list: path.clone(), file: file.key });
            };
            Ok(Part { path: found, list: Some(path.clone()), md5: file.md5, made_s })
        })
        .collect()
}

/// A listed file, where a report lies that was copied as a folder or file by file.
fn beside(directory: &Path, key: &str) -> Option<PathBuf> {
    let name = Path::new(key).file_name()?;
    [directory.join("results").join(name), directory.join(name)].into_iter().find(|path| path.is_file())
}

/// Takes all rows of all files. They are of one provider: what two say is two pieces of evidence.
fn take_all(
    parts: &[Part],
    collection: &Collection,
    import: &mut EvidenceImport,
) -> Result<Provider, ReportError> {
    let mut of: Option<(Provider, &Path)> = None;
    for (nth, part) in parts.iter().enumerate() {
        let path = &part.path;
        if nth > 0 {
            import.next_file();
        }
        let mut file = File::open(path).map_err(unread(path))?;
        if let Some(md5) = &part.md5 {
            check_md5(path, &mut file, md5)?;
        }
        let report = Report::open(file).map_err(malformed(path))?;
        let provider = report.provider();
        if let Some((other, first)) = of.filter(|(other, _)| *other != provider) {
            let (path, first) = (path.clone(), first.to_owned());
            return Err(ReportError::Providers { path, provider, first, other });
        }
        if let Some((_, first)) = of.filter(|_| provider == Provider::Rclone) {
            // Each of its lists is whole.
            return Err(ReportError::Several(first.to_owned(), path.clone()));
        }
        check_service(collection, path, provider)?;
        of = Some((provider, path));
        // Nothing says that files without a list are of one job.
        let may_be_of_another = provider == Provider::S3 && part.list.is_none();
        let mut take = |statement| take(collection, import, statement, may_be_of_another);
        report.each(&mut take).map_err(|error| match error {
            Stopped::Report(error) => malformed(path)(error),
            Stopped::Catalog(error) => error.into(),
            Stopped::OfAnother { line, name, file } => {
                let first = parts.get(file).map_or(path, |part| &part.path).clone();
                ReportError::OfAnother { path: path.clone(), line, name, first }
            }
        })?;
    }
    of.map(|(provider, _)| provider).ok_or(ReportError::Nothing)
}

/// Refuses the evidence of another kind of store: buckets of the same name are in both. A tree may have copies anywhere.
fn check_service(collection: &Collection, path: &Path, provider: Provider) -> Result<(), ReportError> {
    let own = match Service::of(collection.terms.root.as_os_str().as_bytes()) {
        None => return Ok(()),
        Some(Service::S3) => Some((Provider::S3, "a completion report of S3 Batch Operations")),
        Some(Service::Google) => Some((Provider::Google, "an inventory of Storage Insights")),
        Some(Service::Azure) => Some((Provider::Azure, "an inventory of Azure blobs")),
        _ => None,
    };
    if provider == Provider::Rclone || own.is_some_and(|(own, _)| own == provider) {
        return Ok(());
    }
    Err(ReportError::OtherService {
        path: path.to_owned(),
        provider,
        name: collection.terms.name.clone(),
        root: collection.terms.root.clone(),
        own: own.map(|(_, what)| what),
    })
}

/// Compares the bytes of a file with what its list says of them.
fn check_md5(path: &Path, file: &mut File, expected: &Digest) -> Result<(), ReportError> {
    let mut hasher = expected.algorithm().hasher();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(path)(error)),
        }
    }
    file.rewind().map_err(unread(path))?;
    if hasher.finish() == *expected { Ok(()) } else { Err(ReportError::OtherMd5(path.to_owned())) }
}

fn unread(path: &Path) -> impl Fn(io::Error) -> ReportError {
    |source| ReportError::Unread { path: path.to_owned(), source }
}

fn malformed(path: &Path) -> impl Fn(Malformed) -> ReportError {
    |source| ReportError::Malformed { path: path.to_owned(), source }
}

/// What ends the reading of a report.
enum Stopped {
    Report(Malformed),
    Catalog(hashlane_catalog::Error),
    /// A line says of a file something else than an earlier file of the report, which has this number.
    OfAnother {
        line: u64,
        name: Vec<u8>,
        file: usize,
    },
}

impl From<Malformed> for Stopped {
    fn from(error: Malformed) -> Self {
        Self::Report(error)
    }
}

fn take(
    collection: &Collection,
    import: &mut EvidenceImport,
    statement: Statement,
    may_be_of_another: bool,
) -> Result<(), Stopped> {
    let path_of = |name: &[u8]| path(collection, statement.bucket.as_deref(), name);
    let with_pluses = statement.name_with_plus.as_deref();
    import.learn(&statement.name, with_pluses);
    let first = path_of(&statement.name);
    let pluses = with_pluses.and_then(path_of);
    let Some(path) = first.as_deref().or(pluses.as_deref()) else {
        import.pass();
        return Ok(());
    };
    let named = match with_pluses {
        Some(_) => Named::Plus { spaces: first.as_deref(), pluses: pluses.as_deref() },
        None => Named::Clear(path),
    };
    let about = match statement.standing {
        Standing::Composite => About::Parts,
        Standing::Earlier => About::Earlier,
        Standing::Failed(why) => About::Failure(why),
        _ => About::Whole,
    };
    let claim = Claim {
        size: statement.size,
        modified: statement.modified,
        digests: statement.digests,
        other: statement.other,
        version: statement.version,
        etag: statement.etag,
        about,
    };
    if may_be_of_another
        && let Some(file) = import.contradicting_file(path, &claim).map_err(Stopped::Catalog)?
    {
        return Err(Stopped::OfAnother { line: statement.line, name: path.to_vec(), file });
    }
    import.add(named, &claim).map_err(Stopped::Catalog)
}

/// A name in a report as a path below the root; nothing, if it is not below it.
fn path(collection: &Collection, bucket: Option<&[u8]>, name: &[u8]) -> Option<Vec<u8>> {
    if !collection.terms.is_in_store() {
        let leads_up = name.split(|&byte| byte == b'/').any(|component| component == b"..");
        return plain(Path::new(OsStr::from_bytes(name))).filter(|path| !path.is_empty() && !leads_up);
    }
    let Some(bucket) = bucket else { return Some(name.to_vec()).filter(|path| is_held(path)) };
    let root = collection.terms.root.as_os_str().as_bytes();
    let scheme = root.windows(3).position(|bytes| bytes == b"://")?;
    let below = [bucket, b"/", name].concat();
    let path = below.strip_prefix(&root[scheme + 3..])?.strip_prefix(b"/")?;
    Some(path.to_vec()).filter(|path| is_held(path))
}
