//! `hashlane audit NAME --evidence`: what a provider says of the files of a collection. Nothing is read, and no store is asked.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hashlane_catalog::{
    About, Claim, Collection, Compared, Contradiction, EvidenceCounts, EvidenceImport, EvidenceKind, Heard,
    ImportedEvidence, Named, ReportSource, Seen, Verdict,
};
use hashlane_digest::{Algorithm, Digest};
use hashlane_keeper::{is_held, plain};
use hashlane_manifest::evidence::{Job, Provider, Report, Standing, Statement};
use serde_json::{Map, Value, json};

use super::attested::{Whose, insert_contradiction, not_compared};
use super::line::{insert_schema, object};
use super::{actor, failed, now_s, open, sink, time, time_json};
use crate::args::{AuditArgs, ListFormat};
use crate::objects;
use crate::output::{Output, shown};
use crate::report::insert_name;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::text;
use crate::times::date;

/// The list of a report that has several files.
const MANIFEST: &str = "manifest.json";

/// A list of files is no longer than that.
const MOST_MANIFEST_BYTES: u64 = 64 << 20;

/// Rows of other names that are told one by one, and files that the provider could not read.
const MOST_TOLD: u64 = 20;

pub(super) fn run(args: &AuditArgs, name: &str) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(name).map_err(failed)?;
    let parts = parts(&args.evidence)?;
    let mut import = EvidenceImport::new(&hashlane_io::temporary_directory()).map_err(failed)?;
    let provider = take_all(&parts, &collection, &mut import)?;
    let kind = if provider.has_computed() { EvidenceKind::Computed } else { EvidenceKind::Stated };
    let source = ReportSource {
        files: args.evidence.iter().map(|path| shown(path)).collect(),
        provider: provider.name().to_owned(),
        kind,
        // They are of one report.
        made_s: parts.first().and_then(|part| part.made_s),
    };
    let algorithms: Vec<String> = import.algorithms().map(str::to_owned).collect();
    let decision = hashlane_catalog::Decision { actor: actor(), reason: args.reason.clone(), at_s: now_s() };
    let screen = Screen::plain();
    let mut output = Output::open(None, &screen)?;
    let mut teller = Teller {
        args,
        collection: &collection,
        source: &source,
        output: &mut output,
        screen: &screen,
        imported_s: (!args.dry_run).then_some(decision.at_s),
        unknown: 0,
        contradicted: 0,
        failed: 0,
    };
    let imported = import
        .import(&mut catalog, &collection, &source, &decision, args.dry_run, &mut teller)
        .map_err(failed)?;
    let mut status = Status::OK;
    match &imported {
        ImportedEvidence::Incomparable(counts) => {
            return Err(incomparable(&collection, provider, counts, &algorithms));
        }
        ImportedEvidence::New(counts) if counts.of(Compared::Failed) > 0 => status |= Status::UNREADABLE,
        ImportedEvidence::Known { failed, .. } if *failed > 0 => status |= Status::UNREADABLE,
        _ => {}
    }
    teller.say(&imported, decision.at_s)?;
    // Also where something else stands against a file, that was acknowledged or says less.
    if teller.contradicted > 0 {
        status |= Status::of_finding(Verdict::Contradicted);
    }
    output.finish()?;
    if args.dry_run {
        return Ok(Status::OK);
    }
    for standing in catalog.standing(collection.id, now_s()).map_err(failed)? {
        if standing.open > 0 {
            status |= Status::of_finding(standing.verdict);
        }
    }
    Ok(status)
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
fn parts(named: &[PathBuf]) -> anyhow::Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut seen = Vec::new();
    for path in named {
        let path = match path.is_dir() {
            true => path.join(MANIFEST),
            false => path.clone(),
        };
        for part in of_path(path)? {
            let facts = part.path.metadata().map_err(|error| refused(&part.path, &error))?;
            let identity = (facts.dev(), facts.ino());
            if !facts.is_file() {
                return Err(Ended::usage(format!("{}: is no regular file", shown(&part.path))));
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
        let [first, other] = [first, other].map(|part| part.list.as_ref().unwrap_or(&part.path));
        return Err(several(first, other));
    }
    Ok(parts)
}

fn several(first: &Path, other: &Path) -> anyhow::Error {
    Ended::usage(format!(
        "{} and {} are two reports; import them one by one, the oldest first",
        shown(first),
        shown(other)
    ))
}

/// The files that a path means: itself, or those that it lists.
fn of_path(path: PathBuf) -> anyhow::Result<Vec<Part>> {
    let mut file = File::open(&path).map_err(|error| {
        let is_list =
            path.file_name() == Some(OsStr::new(MANIFEST)) && error.kind() == io::ErrorKind::NotFound;
        match is_list {
            true => Ended::usage(format!(
                "{}: there is no such file; name the files of the report one by one",
                shown(&path)
            )),
            false => refused(&path, &error),
        }
    })?;
    let mut first = [0; 1];
    if !matches!(file.read(&mut first), Ok(1)) || first != *b"{" {
        return Ok(vec![Part { path, list: None, md5: None, made_s: None }]);
    }
    let mut text = first.to_vec();
    file.take(MOST_MANIFEST_BYTES).read_to_end(&mut text).map_err(|error| refused(&path, &error))?;
    let job = Job::parse(&text).map_err(|error| malformed(&path, &error))?;
    let made_s = job.made.map(|made| made.seconds);
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    job.files
        .into_iter()
        .map(|file| {
            let Some(found) = beside(&directory, &file.key) else {
                return Err(Ended::unreadable(format!(
                    "{}: lists {}, which is neither beside it nor in `results`; copy the whole report",
                    shown(&path),
                    text::name(file.key.as_bytes())
                )));
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
) -> anyhow::Result<Provider> {
    let mut of: Option<(Provider, &Path)> = None;
    for (nth, part) in parts.iter().enumerate() {
        let path = &part.path;
        if nth > 0 {
            import.next_file();
        }
        let mut file = File::open(path).map_err(|error| refused(path, &error))?;
        if let Some(md5) = &part.md5 {
            check_md5(path, &mut file, md5)?;
        }
        let report = Report::open(file).map_err(|error| malformed(path, &error))?;
        let provider = report.provider();
        if let Some((other, first)) = of.filter(|(other, _)| *other != provider) {
            return Err(Ended::usage(format!(
                "{}: comes from {}, but {} comes from {}; import the evidence of one provider at a time",
                shown(path),
                provider.name(),
                shown(first),
                other.name()
            )));
        }
        if let Some((_, first)) = of.filter(|_| provider == Provider::Rclone) {
            // Each of its lists is whole.
            return Err(several(first, path));
        }
        check_service(collection, path, provider)?;
        of = Some((provider, path));
        // Nothing says that files without a list are of one job.
        let may_be_of_another = provider == Provider::S3 && part.list.is_none();
        let mut take = |statement| take(collection, import, statement, may_be_of_another);
        report.each(&mut take).map_err(|error| match error {
            Stopped::Report(error) => malformed(path, &error),
            Stopped::Catalog(error) => failed(error),
            Stopped::OfAnother { line, name, file } => {
                let first = parts.get(file).map_or(path, |part| &part.path);
                of_another(path, line, &name, first)
            }
        })?;
    }
    of.map(|(provider, _)| provider).ok_or_else(|| Ended::usage("the report has no files"))
}

/// Refuses the evidence of another kind of store: buckets of the same name are in both. A tree may have copies anywhere.
fn check_service(collection: &Collection, path: &Path, provider: Provider) -> anyhow::Result<()> {
    let Some(own) = objects::own_evidence(collection.terms.root.as_os_str().as_bytes()) else {
        return Ok(());
    };
    if provider == Provider::Rclone || own.is_some_and(|(own, _)| own == provider) {
        return Ok(());
    }
    let take = own.map_or_else(String::new, |(_, what)| format!("{what}, or "));
    Err(Ended::usage(format!(
        "{}: comes from {}, but {} lies in {}; import {take}a list of `rclone lsjson --hash`; nothing was recorded",
        shown(path),
        provider.name(),
        collection.terms.name,
        shown(&collection.terms.root)
    )))
}

/// Compares the bytes of a file with what its list says of them.
fn check_md5(path: &Path, file: &mut File, expected: &Digest) -> anyhow::Result<()> {
    let mut hasher = expected.algorithm().hasher();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(refused(path, &error)),
        }
    }
    file.rewind().map_err(|error| refused(path, &error))?;
    match hasher.finish() == *expected {
        true => Ok(()),
        false => Err(Ended::unreadable(format!(
            "{}: does not have the MD5 that {MANIFEST} lists for it; copy it again",
            shown(path)
        ))),
    }
}

/// What ends the reading of a report.
enum Stopped {
    Report(hashlane_manifest::evidence::Error),
    Catalog(hashlane_catalog::Error),
    /// A line says of a file something else than an earlier file of the report, which has this number.
    OfAnother {
        line: u64,
        name: Vec<u8>,
        file: usize,
    },
}

fn of_another(path: &Path, line: u64, name: &[u8], first: &Path) -> anyhow::Error {
    Ended::usage(format!(
        "{}: line {line}: the checksum of {} differs from the one in {}: the reports are of two jobs; import them one by one, the \
         oldest first; nothing was recorded",
        shown(path),
        text::name(name),
        shown(first)
    ))
}

impl From<hashlane_manifest::evidence::Error> for Stopped {
    fn from(error: hashlane_manifest::evidence::Error) -> Self {
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

/// Tells what comes of a report.
struct Teller<'a> {
    args: &'a AuditArgs,
    collection: &'a Collection,
    source: &'a ReportSource,
    output: &'a mut Output,
    screen: &'a Screen,
    /// When it is imported; nothing if it would only be.
    imported_s: Option<i64>,
    /// Rows of other names.
    unknown: u64,
    /// Files that are contradicted, of which nobody was told yet.
    contradicted: u64,
    /// Files that the provider could not read, and that were told.
    failed: u64,
}

impl Heard for Teller<'_> {
    fn unknown(&mut self, path: &[u8]) {
        self.unknown += 1;
        if self.args.verbose && self.unknown <= MOST_TOLD {
            let name = &self.collection.terms.name;
            self.screen.message(&format!(
                "{name}: {}: is in the report, but not in the collection",
                text::name(path)
            ));
        }
    }

    fn words(&mut self, algorithm: &str) -> String {
        let ReportSource { provider, kind, made_s, .. } = self.source;
        let on = match made_s {
            Some(made_s) => format!(" on {}", date(*made_s)),
            None => format!(", as imported on {}", date(now_s())),
        };
        format!("{provider} {} another {algorithm}{on}", kind.name())
    }

    fn contradicted(&mut self, contradiction: Contradiction<'_>) -> hashlane_catalog::Result<()> {
        let Contradiction { path, words, algorithm, said, known, is_new } = contradiction;
        self.contradicted += u64::from(is_new);
        let name = &self.collection.terms.name;
        let said = Algorithm::named(algorithm).and_then(|algorithm| Digest::new(algorithm, said).ok());
        let line = if self.args.format == ListFormat::Json {
            let seen = Seen { detail: words.to_owned(), ..Seen::default() };
            let mut finding = object(path, Verdict::Contradicted, &seen, known);
            insert_contradiction(&mut finding, &self.whose(), said.as_ref(), known);
            insert_schema(&mut finding, "hashlane-collection-audit");
            finding.insert("type".into(), json!("finding"));
            finding.insert("collection".into(), json!(name));
            finding.insert("is_new".into(), json!(is_new));
            format!("{}\n", Value::Object(finding))
        } else if is_new || self.args.verbose {
            let of = known.digests.iter().find(|digest| digest.algorithm().name() == algorithm);
            let mut lines = format!("{name}: {}: CONTRADICTED: {words}; not read here\n", text::name(path));
            for (what, digest) in [("known", of.copied()), ("said ", said)] {
                lines.extend(digest.map(|digest| format!("    {what}  {algorithm} {digest}\n")));
            }
            lines
        } else {
            return Ok(());
        };
        self.output.take(line.as_bytes()).map_err(|_| sink(Ended::output("the output takes no more")))
    }

    fn failed(&mut self, path: &[u8], why: &str) -> hashlane_catalog::Result<bool> {
        self.failed += 1;
        let (name, is_json) = (&self.collection.terms.name, self.args.format == ListFormat::Json);
        let line = if is_json {
            let mut object = Map::new();
            insert_schema(&mut object, "hashlane-collection-audit");
            object.insert("type".into(), json!("failed"));
            object.insert("collection".into(), json!(name));
            insert_name(&mut object, "path", path);
            object.insert("detail".into(), json!(why));
            self.whose().insert(&mut object);
            format!("{}\n", Value::Object(object))
        } else {
            let why =
                if why.is_empty() { String::new() } else { format!(": {}", text::name(why.as_bytes())) };
            format!("{name}: {}: {} could not read it{why}\n", text::name(path), self.source.provider)
        };
        self.output.take(line.as_bytes()).map_err(|_| sink(Ended::output("the output takes no more")))?;
        Ok(is_json || self.failed < MOST_TOLD)
    }
}

impl Teller<'_> {
    fn whose(&self) -> Whose<'_> {
        let ReportSource { provider, kind, made_s, .. } = self.source;
        Whose { provider, kind: *kind, made_s: *made_s, imported_s: self.imported_s }
    }

    /// Says what was counted.
    fn say(&mut self, imported: &ImportedEvidence, now_s: i64) -> anyhow::Result<()> {
        let name = &self.collection.terms.name;
        if self.args.format == ListFormat::Json {
            let line = format!("{}\n", self.json(imported, now_s));
            return self.output.take(line.as_bytes()).map_err(|_| Ended::output("the output takes no more"));
        }
        match imported {
            ImportedEvidence::Known { imported_s, differs, failed } => {
                let mut line =
                    format!("{name}: this report was imported on {}; nothing has changed", time(*imported_s));
                if *differs > 0 {
                    let stand = if *differs == 1 { "stands" } else { "stand" };
                    let of_it = text::counted(*differs, "contradiction");
                    line +=
                        &format!("; {of_it} of it {stand}: `hashlane collection report {name}` lists them");
                }
                if *failed > 0 {
                    let files = text::counted(*failed, "file");
                    line += &format!("; {files} that {} could not read", self.source.provider);
                }
                self.screen.message(&line);
            }
            ImportedEvidence::New(counts) if !self.args.quiet => {
                let untold = counts.of(Compared::Failed).saturating_sub(self.failed);
                if untold > 0 {
                    let (files, provider) = (text::count(untold), &self.source.provider);
                    self.screen.message(&format!(
                        "{name}: {files} more that {provider} could not read; --format json names all"
                    ));
                }
                self.screen.message(&format!("{name}: {}", self.sentence(counts)));
                let word = match counts.of(Compared::Differs) {
                    0 => "that is the provider's word; nothing was read".to_owned(),
                    _ if !self.collection.terms.is_in_store() => format!(
                        "that is the provider's word about its copy; nothing was read. It stands until a later report agrees, or until \
                         `hashlane accept {name} FILE` says that the provider is wrong"
                    ),
                    _ => format!(
                        "that is the provider's word; nothing was read. `hashlane audit {name}` reads what it contradicts, before the rest"
                    ),
                };
                self.screen.message(&format!("{name}: {word}"));
            }
            _ => {}
        }
        Ok(())
    }

    fn sentence(&self, counts: &EvidenceCounts) -> String {
        let ReportSource { provider, kind, made_s, .. } = self.source;
        let made = made_s.map_or_else(String::new, |made_s| format!(" on {}", date(made_s)));
        let would = if self.args.dry_run { "would be " } else { "" };
        let mut sentence = format!(
            "{} by {provider}{made}: {} of {} {would}attested",
            kind.name(),
            text::count(counts.of(Compared::Agrees)),
            text::counted(counts.files, "file"),
        );
        let mut tell = |number: u64, what: String| {
            if number > 0 {
                sentence += &format!("; {} {what}", text::count(number));
            }
        };
        tell(counts.of(Compared::Differs), "contradicted".to_owned());
        tell(counts.of(Compared::Failed), format!("that {provider} could not read"));
        tell(counts.not_compared(), format!("not compared ({})", not_compared(counts)));
        tell(counts.unnamed, "not in the report".to_owned());
        tell(counts.unknown, format!("{} of other names", if counts.unknown == 1 { "row" } else { "rows" }));
        sentence
    }

    fn json(&self, imported: &ImportedEvidence, now_s: i64) -> Value {
        let ReportSource { provider, kind, made_s, files } = self.source;
        let none = EvidenceCounts::default();
        let (outcome, counts, imported_s) = match imported {
            ImportedEvidence::Known { imported_s, .. } => ("known", &none, Some(*imported_s)),
            ImportedEvidence::New(counts) if self.args.dry_run => ("would-be-recorded", counts, None),
            ImportedEvidence::New(counts) => ("recorded", counts, Some(now_s)),
            _ => ("incomparable", &none, None),
        };
        let contradicted = match imported {
            ImportedEvidence::Known { differs, .. } => *differs,
            _ => counts.of(Compared::Differs),
        };
        json!({
            "schema": "hashlane-collection-audit",
            "version": 1,
            "type": "evidence",
            "collection": self.collection.terms.name,
            "outcome": outcome,
            "provider": provider,
            "kind": kind.name(),
            "made": made_s.map(time_json),
            "imported": imported_s.map(time_json),
            "reports": files,
            "rows": counts.rows,
            "unknown_rows": counts.unknown,
            "files": counts.files,
            "unnamed_files": counts.unnamed,
            "compared": counts.compared,
            "contradicted_files": contradicted,
        })
    }
}

/// Why no checksum of a report can be compared, and what to do.
fn incomparable(
    collection: &Collection,
    provider: Provider,
    counts: &EvidenceCounts,
    algorithms: &[String],
) -> anyhow::Error {
    let (name, root) = (&collection.terms.name, shown(&collection.terms.root));
    if counts.rows == 0 {
        return Ended::usage(format!("{name}: the report is empty; nothing was recorded"));
    }
    if counts.unknown == counts.rows {
        let rows = text::counted(counts.rows, "row");
        return Ended::usage(format!(
            "{name}: none of the {rows} of the report names a file of the collection; names are matched below {root}; nothing was recorded"
        ));
    }
    let known: Vec<_> = collection.terms.algorithms.iter().map(|algorithm| algorithm.name()).collect();
    let by_other = counts.of(Compared::OtherAlgorithm) + counts.of(Compared::Composite) > 0;
    if !by_other {
        let mut why = not_compared(counts);
        if counts.of(Compared::Failed) > 0 {
            why = format!(
                "{} that {} could not read, {why}",
                text::count(counts.of(Compared::Failed)),
                provider.name()
            );
        }
        return Ended::usage(format!(
            "{name}: no checksum of the report can be compared: {why}; nothing was recorded"
        ));
    }
    let said: Vec<_> = algorithms.iter().map(String::as_str).collect();
    let ask = match provider {
        Provider::S3 => format!("Let S3 compute {} of full objects, or", known.join(" or ").to_uppercase()),
        _ => "To have both,".to_owned(),
    };
    let parts = if counts.of(Compared::Composite) > 0 { ", some of them of parts" } else { "" };
    Ended::usage(format!(
        "{name}: the report has {}{parts}; the collection keeps {}. {ask} register it once more under another name, with \
         `hashlane collection add --algorithm`; nothing was recorded",
        text::listed(&said),
        text::listed(&known)
    ))
}

fn refused(path: &Path, error: &io::Error) -> anyhow::Error {
    Ended::unreadable(format!("{}: {}", shown(path), hashlane_record::system_text(error)))
}

fn malformed(path: &Path, error: &hashlane_manifest::evidence::Error) -> anyhow::Error {
    let line = format!("{}: {error}; nothing was recorded", shown(path));
    match error {
        hashlane_manifest::evidence::Error::Unknown => Ended::usage(format!("{}: {error}", shown(path))),
        _ => Ended::unreadable(line),
    }
}
