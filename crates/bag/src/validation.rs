//! Is a bag what it says it is? What its tag files say against what is there, and what is listed against what is read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hashlane_audit::Verdict as Judged;
use hashlane_digest::Digest;
use hashlane_engine::{AlgorithmSet, Control, Error, Halt, Input, Options, Sink, Summary, Taken};
use hashlane_io::Directory;
use hashlane_manifest::bag::{Listed, Oxum, Version};
use hashlane_record::{ItemPath, Outcome, Record, counted, shown_name};
use hashlane_verify::{Expected, judge};

use super::contents::{Contents, unopened};
use super::finding::{BagFinding, Findings, Verdict};
use super::tree::EntryKind;

/// The files that are to be read, by their numbers in the tags of a run.
type Files = Vec<(Vec<u8>, Listed)>;

/// A bag that was looked through.
pub struct Bag {
    contents: Contents,
    /// What is listed and there.
    files: Arc<Files>,
}

impl Bag {
    /// Looks at all that lies in a bag and reads its tag files. What is wrong is found on the way; no file of the payload is
    /// read. With `quick` none will be, and each that is there is [`Verdict::Present`].
    ///
    /// Nothing where `findings` takes no more before all was looked at.
    ///
    /// # Errors
    /// `findings` failed.
    pub fn look(
        directory: Arc<Directory>,
        quick: bool,
        findings: &mut dyn Findings,
    ) -> Result<Option<Self>, Error> {
        match Self::looked(directory, quick, findings) {
            Ok(bag) => Ok(Some(bag)),
            Err(halt) => halt.into_result().map(|()| None),
        }
    }

    fn looked(directory: Arc<Directory>, quick: bool, findings: &mut dyn Findings) -> Result<Self, Halt> {
        let mut contents = Contents::read(directory, findings)?;
        let listed = std::mem::take(&mut contents.listing.files);
        let files = complete(&contents, listed, quick, findings)?.into();
        judge_oxum(&contents, findings)?;
        Ok(Self { contents, files })
    }

    /// The version that it declares, or is read as.
    pub fn version(&self) -> Version {
        self.contents.version
    }

    /// What lies in the payload.
    pub fn payload(&self) -> Oxum {
        self.contents.found
    }

    /// Whether it says how much its payload is.
    pub fn has_oxum(&self) -> bool {
        self.contents.oxum.is_some()
    }

    /// The bytes that verifying it reads.
    pub fn bytes(&self) -> u64 {
        let sizes = self.files.iter().filter_map(|(name, _)| self.contents.disk.get(name));
        sizes.map(|facts| facts.size).fold(0, u64::saturating_add)
    }

    /// Reads all that is listed, and compares.
    ///
    /// # Errors
    /// The run could not be brought to its end.
    pub fn verify(
        &self,
        options: Options,
        control: &Arc<Control>,
        findings: &mut dyn Findings,
    ) -> Result<Summary, Error> {
        let inputs = Inputs {
            files: Arc::clone(&self.files),
            next: 0,
            base: Arc::clone(&self.contents.directory),
            algorithms: Arc::new([]),
        };
        let mut sink = Verdicts { files: &self.files, findings };
        hashlane_engine::run(options, inputs, &mut sink, control)
    }
}

impl fmt::Debug for Bag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bag")
            .field("version", &self.version())
            .field("files", &self.files.len())
            .finish_non_exhaustive()
    }
}

/// Says what is missing, what is not listed, and what is not listed everywhere. Gives back what is there to
/// be read.
fn complete(
    contents: &Contents,
    listed: BTreeMap<Vec<u8>, Listed>,
    quick: bool,
    report: &mut dyn Findings,
) -> Result<Files, Halt> {
    for (name, facts) in contents.disk.iter().filter(|(name, _)| name.starts_with(b"data/")) {
        let why = match facts.kind {
            _ if listed.contains_key(name) => continue,
            EntryKind::EmptyDirectory => continue,
            EntryKind::File => "in no manifest",
            EntryKind::LinkToFile | EntryKind::LinkToDirectory | EntryKind::LinkToNothing => {
                "a symbolic link that is in no manifest"
            }
            EntryKind::Special => "not a regular file, and in no manifest",
        };
        report.say(name, Verdict::Extra, why)?;
    }
    for (name, item) in &contents.fetch {
        let listed_in = listed.get(name).map_or(0, |listed| listed.manifests);
        if contents.payload_bits() & !listed_in != 0 {
            let why = format!("line {}: {} is not in every payload manifest", item.line, shown_name(name));
            report.say(b"fetch.txt", Verdict::Invalid, why)?;
        }
    }
    let mut files = Vec::new();
    for (name, listed) in listed {
        judge_listed(contents, &name, &listed, report)?;
        let Some(facts) = contents.disk.get(&name) else {
            report.say(&name, Verdict::Missing, why_missing(contents, &name))?;
            continue;
        };
        if !facts.is_file() {
            report.say(&name, Verdict::Unreadable, kind_text(facts.kind))?;
            continue;
        }
        let fetched_size = contents.fetch.get(&name).and_then(|item| item.size);
        if let Some(size) = fetched_size.filter(|size| *size != facts.size) {
            let why = format!("has {} bytes, but fetch.txt states {size}", facts.size);
            report.say(&name, Verdict::Mismatch, why)?;
        }
        if quick {
            report.take(&BagFinding::new(&name, Verdict::Present, None))?;
        }
        files.push((name, listed));
    }
    for manifest in contents.manifests.iter().filter(|manifest| !manifest.of_tags) {
        let listed_in = files.iter().find(|(name, _)| *name == manifest.name);
        let missing = contents.tag_bits() & !listed_in.map_or(0, |(_, listed)| listed.manifests);
        if missing != 0 {
            let why =
                format!("is not listed in {}, as every payload manifest must be", contents.names_of(missing));
            let verdict = if contents.version.is_strict() { Verdict::Invalid } else { Verdict::Warning };
            report.say(&manifest.name, verdict, why)?;
        }
    }
    Ok(files)
}

/// A file of the payload belongs in all payload manifests.
fn judge_listed(contents: &Contents, name: &[u8], listed: &Listed, report: &mut dyn Findings) -> Taken {
    let missing = contents.payload_bits() & !listed.manifests;
    if name.starts_with(b"data/") && missing != 0 {
        let why = format!("is not listed in {}, unlike others", contents.names_of(missing));
        let verdict = if contents.version.is_strict() { Verdict::Invalid } else { Verdict::Warning };
        report.say(name, verdict, why)?;
    }
    Ok(())
}

fn why_missing(contents: &Contents, name: &[u8]) -> String {
    if let Some(item) = contents.fetch.get(name) {
        return format!("to be fetched from {}", shown_name(&item.url));
    }
    let slashed: Vec<_> = name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    if slashed != name && contents.disk.get(&slashed).is_some() {
        return "exists with slashes instead of backslashes; a bag separates directories with slashes"
            .to_owned();
    }
    "listed, but does not exist".to_owned()
}

fn kind_text(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::LinkToNothing => "a symbolic link that leads nowhere",
        EntryKind::LinkToDirectory => "a symbolic link to a directory",
        EntryKind::EmptyDirectory => "a directory; manifests list files",
        EntryKind::File | EntryKind::LinkToFile | EntryKind::Special => "not a regular file",
    }
}

/// The payload against what the bag says that it is.
fn judge_oxum(contents: &Contents, report: &mut dyn Findings) -> Taken {
    if let Some(oxum) = contents.oxum.filter(|oxum| *oxum != contents.found) {
        let why = format!(
            "Payload-Oxum is {oxum}, but there are {} in {}",
            counted(contents.found.bytes, "byte"),
            counted(contents.found.files, "file")
        );
        report.say(b"data", Verdict::Mismatch, why)?;
    }
    Ok(())
}

/// The files as inputs of a run.
struct Inputs {
    files: Arc<Files>,
    next: usize,
    base: Arc<Directory>,
    /// The set used last serves again if it is the same.
    algorithms: AlgorithmSet,
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        let (name, listed) = self.files.get(self.next)?;
        let wanted = || listed.digests.iter().map(Digest::algorithm);
        if !wanted().eq(self.algorithms.iter().copied()) {
            self.algorithms = wanted().collect();
        }
        let tag = (self.next as u64).to_le_bytes().into();
        self.next += 1;
        let base = Some(Arc::clone(&self.base));
        Some(Input::file(ItemPath::from(name.as_slice()), base, &self.algorithms, tag))
    }
}

/// Compares records with what is listed.
struct Verdicts<'a> {
    files: &'a Files,
    findings: &'a mut dyn Findings,
}

impl Sink for Verdicts<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let number = record.tag.as_ref().try_into().map(u64::from_le_bytes);
        let listed = number.ok().and_then(|number| self.files.get(usize::try_from(number).ok()?));
        let Some((name, listed)) = listed else {
            unreachable!("every entry of a bag carries its number");
        };
        let expected = Expected { digests: listed.digests.clone(), ..Expected::default() };
        let judged = judge(&expected, &record, false).verdict;
        let (verdict, why) = match record.outcome {
            Outcome::Read => (Verdict::of_content(judged), None),
            Outcome::Unstable(what) => (Verdict::Unstable, Some(what.to_string())),
            Outcome::Disputed(dispute) => (Verdict::Unreadable, Some(dispute.to_string())),
            Outcome::Failed(failure) => {
                let is_missing = judged == Judged::Missing;
                let verdict = if is_missing { Verdict::Missing } else { Verdict::Unreadable };
                (verdict, Some(unopened(&failure.io_error())))
            }
        };
        self.findings.take(&BagFinding {
            path: name,
            verdict,
            why: why.as_deref(),
            hint: None,
            expected: &listed.digests,
            computed: &record.digests,
        })
    }
}
