//! A bag as its tag files describe it and as it lies on the disk. Everything that is wrong with the two is
//! said on the way.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::Halt;
use hashlane_io::{Directory, OpenHow};
use hashlane_manifest::ProblemKind;
use hashlane_manifest::bag::{
    Declaration, Encoding, Entries, Fetch, FetchItem, Info, Listing, Named, OnDisk, Oxum, Version,
    algorithm_name, decoded_text, manifest_algorithm,
};
use hashlane_record::{Escaped, shown_name, system_text};
use rustix::io::Errno;

use super::finding::{BagFinding, Findings, Hint, Verdict};
use super::tree::{self, EntryFacts, EntryKind, Found, c_name};

/// The longest tag file that is held as a whole: bagit.txt and bag-info.txt.
const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Bits for manifests, at most.
const MOST_MANIFESTS: usize = 128;

/// A bag that was looked through.
pub(crate) struct Contents {
    pub(crate) directory: Arc<Directory>,
    pub(crate) disk: OnDisk<EntryFacts>,
    pub(crate) listing: Listing,
    pub(crate) fetch: HashMap<Vec<u8>, FetchItem>,
    pub(crate) version: Version,
    pub(crate) manifests: Vec<Manifest>,
    /// What bag-info.txt says.
    pub(crate) oxum: Option<Oxum>,
    /// What is there.
    pub(crate) found: Oxum,
}

/// A manifest of the bag whose algorithm is known.
pub(crate) struct Manifest {
    pub(crate) name: Vec<u8>,
    pub(crate) algorithm: Algorithm,
    pub(crate) of_tags: bool,
}

impl Contents {
    /// Looks at all that lies in the bag and reads its tag files.
    pub(crate) fn read(directory: Arc<Directory>, report: &mut dyn Findings) -> Result<Self, Halt> {
        let disk = look(&directory, report)?;
        let mut reader = Reader { directory, disk, report };
        let declaration = reader.declaration()?;
        let (version, encoding) = match &declaration {
            Some(declaration) => (declaration.version, declaration.encoding),
            None => (Version { major: 0, minor: 97 }, Encoding::Utf8),
        };
        let oxum = reader.info(version, encoding)?;
        let found = reader.payload()?;
        let manifests = reader.manifests()?;
        let listing = reader.listing(&manifests, version, encoding)?;
        let fetch = reader.fetch(version, encoding)?;
        let Reader { directory, disk, .. } = reader;
        Ok(Self { directory, disk, listing, fetch, version, manifests, oxum, found })
    }

    /// The bits of all payload manifests.
    pub(crate) fn payload_bits(&self) -> u128 {
        self.bits(|manifest| !manifest.of_tags)
    }

    /// The bits of all tag manifests.
    pub(crate) fn tag_bits(&self) -> u128 {
        self.bits(|manifest| manifest.of_tags)
    }

    /// The names of the manifests of some bits.
    pub(crate) fn names_of(&self, bits: u128) -> String {
        let of_bits = self.manifests.iter().enumerate().filter(|(number, _)| bits >> number & 1 == 1);
        of_bits.map(|(_, manifest)| shown_name(&manifest.name)).collect::<Vec<_>>().join(", ")
    }

    fn bits(&self, is_meant: impl Fn(&Manifest) -> bool) -> u128 {
        let numbered = self.manifests.iter().enumerate().filter(|(_, manifest)| is_meant(manifest));
        numbered.fold(0, |bits, (number, _)| bits | 1 << number)
    }
}

/// Everything that lies in the bag.
fn look(directory: &Directory, report: &mut dyn Findings) -> Result<OnDisk<EntryFacts>, Halt> {
    let mut disk = OnDisk::new();
    let root = directory.path();
    let root = hashlane_record::ItemPath::from(root);
    let mut taken = Ok(());
    tree::walk(
        root.as_path(),
        |_| true,
        |found| match found {
            Found::Name(name, facts) => disk.insert(name, facts),
            Found::Unsearched(name, error) => {
                let name = if name.is_empty() { b"." } else { &name[..] };
                if taken.is_ok() {
                    taken = report.say(name, Verdict::Unreadable, system_text(&error));
                }
            }
        },
    );
    taken.map(|()| disk)
}

/// What a bag consists of, half read.
struct Reader<'a> {
    directory: Arc<Directory>,
    disk: OnDisk<EntryFacts>,
    report: &'a mut dyn Findings,
}

impl Reader<'_> {
    /// Opens a tag file, if it is a file in the bag.
    fn open(&mut self, name: &[u8]) -> Result<Option<File>, Halt> {
        let Some(facts) = self.disk.get(name) else { return Ok(None) };
        if !facts.is_file() {
            self.report.say(name, Verdict::Invalid, "is not a regular file")?;
            return Ok(None);
        }
        let opened =
            c_name(name).and_then(|name| self.directory.open(&name, OpenHow::Confined).map(File::from));
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) => {
                self.report.say(name, Verdict::Unreadable, unopened(&error))?;
                Ok(None)
            }
        }
    }

    /// The bytes of a small tag file.
    fn bytes(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, Halt> {
        let Some(file) = self.open(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        match file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > MAX_TEXT_BYTES => {
                let why = format!("is longer than {MAX_TEXT_BYTES} bytes, too long for such a file");
                self.report.say(name, Verdict::Invalid, why)?;
                Ok(None)
            }
            Ok(_) => Ok(Some(bytes)),
            Err(error) => {
                self.report.say(name, Verdict::Unreadable, system_text(&error))?;
                Ok(None)
            }
        }
    }

    fn declaration(&mut self) -> Result<Option<Declaration>, Halt> {
        let name = b"bagit.txt";
        let declaration = if self.disk.get(name).is_none() {
            self.report.say(name, Verdict::Missing, "without it this is not a bag")?;
            None
        } else {
            let Some(bytes) = self.bytes(name)? else { return Ok(None) };
            match Declaration::parse(&bytes) {
                Ok(declaration) => Some(declaration),
                Err(error) => {
                    self.report.say(name, Verdict::Invalid, error.to_string())?;
                    None
                }
            }
        };
        match &declaration {
            Some(declaration) => {
                for lax in &declaration.lax {
                    self.report.say(name, Verdict::Warning, lax)?;
                }
            }
            None => {
                self.report.say(name, Verdict::Warning, "the rest is read as version 0.97")?;
            }
        }
        Ok(declaration)
    }

    /// What the metadata says of the payload.
    fn info(&mut self, version: Version, encoding: Encoding) -> Result<Option<Oxum>, Halt> {
        let name = version.info_name().as_bytes();
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let text = match decoded_text(&bytes, encoding) {
            Ok(text) => text,
            Err(error) => {
                self.report.say(name, Verdict::Invalid, error.to_string())?;
                return Ok(None);
            }
        };
        let info = Info::parse(&text, version);
        for (line, problem) in &info.problems {
            // Of a sum that is there twice it is not known which counts.
            let verdict = if problem.is_error() { Verdict::Invalid } else { Verdict::Warning };
            self.report.say(name, verdict, format!("line {line}: {problem}"))?;
        }
        Ok(info.oxum())
    }

    /// The payload directory: it has to be there, as a directory. Counts what lies in it.
    fn payload(&mut self) -> Result<Oxum, Halt> {
        let mut found = Oxum::default();
        for (_, facts) in
            self.disk.iter().filter(|(name, facts)| name.starts_with(b"data/") && facts.is_file())
        {
            found.bytes = found.bytes.saturating_add(facts.size);
            found.files += 1;
        }
        match self.disk.get(b"data").map(|facts| facts.kind) {
            None if self.disk.iter().any(|(name, _)| name.starts_with(b"data/")) => {}
            Some(EntryKind::EmptyDirectory) => {}
            None => self.report.say(b"data", Verdict::Missing, "every bag must have this directory")?,
            Some(_) => self.report.say(b"data", Verdict::Invalid, "is not a directory")?,
        }
        for twins in self.disk.twins() {
            let names: Vec<_> = twins.iter().map(|name| shown_name(name)).collect();
            let why = format!("{} names here are the same under Unicode normalization", names.len());
            self.report.say(&twins[0], Verdict::Warning, why)?;
        }
        Ok(found)
    }

    /// The manifests in the bag, those of the payload first.
    fn manifests(&mut self) -> Result<Vec<Manifest>, Halt> {
        let mut manifests: Vec<Manifest> = Vec::new();
        let top = self.disk.iter().map(|(name, _)| name).filter(|name| !name.contains(&b'/'));
        let named = top.filter_map(|name| Some((name.to_vec(), manifest_algorithm(name)?)));
        let named: Vec<_> = named.map(|(name, (of, of_tags))| (name, of.to_vec(), of_tags)).collect();
        for (name, of, of_tags) in named {
            let written = String::from_utf8_lossy(&of).into_owned();
            let plain: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
            let known = Algorithm::all()
                .find(|algorithm| algorithm_name(*algorithm) == plain.to_ascii_lowercase())
                .or_else(|| Algorithm::named(&written));
            let Some(algorithm) = known else {
                let why =
                    format!("the algorithm {} is unknown, so its digests cannot be verified", Escaped(&of));
                let hint = Some(Hint::KnownAlgorithms);
                self.report
                    .take(&BagFinding { hint, ..BagFinding::new(&name, Verdict::Invalid, Some(&why)) })?;
                continue;
            };
            if algorithm_name(algorithm) != written {
                let why =
                    format!("the algorithm is named {} in manifest file names", algorithm_name(algorithm));
                self.report.say(&name, Verdict::Warning, why)?;
            }
            let is_twice =
                manifests.iter().any(|known| known.algorithm == algorithm && known.of_tags == of_tags);
            if is_twice || manifests.len() == MOST_MANIFESTS {
                self.report.say(
                    &name,
                    Verdict::Invalid,
                    format!("another manifest for {algorithm} exists"),
                )?;
                continue;
            }
            manifests.push(Manifest { name, algorithm, of_tags });
        }
        manifests.sort_by(|one, other| (one.of_tags, &one.name).cmp(&(other.of_tags, &other.name)));
        if !manifests.iter().any(|manifest| !manifest.of_tags) {
            self.report.say(
                b".",
                Verdict::Invalid,
                "has no readable payload manifest; every bag must have one",
            )?;
        }
        Ok(manifests)
    }

    fn listing(
        &mut self,
        manifests: &[Manifest],
        version: Version,
        encoding: Encoding,
    ) -> Result<Listing, Halt> {
        let mut listing = Listing::new(version);
        for (number, manifest) in (0..).zip(manifests) {
            let Some(file) = self.open(&manifest.name)? else { continue };
            let entries = match Entries::open(file, encoding, manifest.algorithm) {
                Ok(entries) => entries,
                Err(error) => {
                    self.report.say(&manifest.name, of_input(&error), system_text(&error))?;
                    continue;
                }
            };
            let named = Named { number, of_tags: manifest.of_tags };
            for entry in entries {
                match entry {
                    Ok(line) => {
                        for remark in listing.add(named, &line, &self.disk) {
                            let is_error = remark.is_error(version);
                            let verdict = if is_error { Verdict::Invalid } else { Verdict::Warning };
                            let why = format!("line {}: {remark}: {}", line.line, Escaped(&line.path));
                            self.report.say(&manifest.name, verdict, why)?;
                        }
                    }
                    Err(problem) => {
                        let verdict = match &problem.kind {
                            ProblemKind::Input(error) => of_input(error),
                            _ => Verdict::Invalid,
                        };
                        self.report.say(&manifest.name, verdict, problem.to_string())?;
                    }
                }
            }
        }
        Ok(listing)
    }

    fn fetch(&mut self, version: Version, encoding: Encoding) -> Result<HashMap<Vec<u8>, FetchItem>, Halt> {
        let name = b"fetch.txt";
        let mut items = HashMap::new();
        if self.disk.get(name).is_none() {
            return Ok(items);
        }
        let Some(file) = self.open(name)? else { return Ok(items) };
        let fetch = match Fetch::open(file, encoding, version) {
            Ok(fetch) => fetch,
            Err(error) => {
                self.report.say(name, of_input(&error), system_text(&error))?;
                return Ok(items);
            }
        };
        for item in fetch {
            match item {
                Ok(item) => {
                    if items.insert(item.path.clone(), item.clone()).is_some() {
                        let why = format!("line {}: {} is listed twice", item.line, shown_name(&item.path));
                        self.report.say(name, Verdict::Warning, why)?;
                    }
                }
                Err((line, error)) => {
                    self.report.say(name, Verdict::Invalid, format!("line {line}: {error}"))?;
                }
            }
        }
        Ok(items)
    }
}

/// Whether a tag file could not be read, or was and is not of the encoding that it is said to be of.
fn of_input(error: &io::Error) -> Verdict {
    if error.kind() == io::ErrorKind::InvalidData { Verdict::Invalid } else { Verdict::Unreadable }
}

/// Why a file of the bag was not opened.
pub(crate) fn unopened(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(errno) if errno == Errno::XDEV.raw_os_error() => "leads out of the bag".to_owned(),
        _ => system_text(error),
    }
}
