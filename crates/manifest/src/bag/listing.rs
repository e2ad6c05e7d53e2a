//! What all manifests of a bag together say of its files.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use hashlane_digest::Digest;
use hashlane_record::Escaped;
use unicode_normalization::UnicodeNormalization as _;

use super::path::{Outside, confined, decode, other_readings};
use super::{ManifestLine, Version, manifest_algorithm};

/// The names that are on the disk, relative to the bag, and what is known of each.
#[derive(Debug, Default)]
pub struct OnDisk<T> {
    names: BTreeMap<Vec<u8>, T>,
    composed: OnceCell<HashMap<Vec<u8>, Vec<Vec<u8>>>>,
}

/// What the manifests say of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its digests; each algorithm once.
    pub digests: Vec<Digest>,
    /// The manifests that list it, a bit for each.
    pub manifests: u128,
    /// The name as it was listed, where the disk has another spelling of it.
    pub listed_as: Option<Vec<u8>>,
}

/// The files that manifests list, by their names on the disk; one that is not there by the name that was
/// listed.
#[derive(Debug)]
pub struct Listing {
    version: Version,
    /// The files.
    pub files: BTreeMap<Vec<u8>, Listed>,
}

/// A manifest of the bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its number among the manifests of the bag, below 128.
    pub number: u32,
    /// Whether it lists tag files.
    pub of_tags: bool,
}

/// What is to be said of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Remark {
    /// The path leads out of the bag. The file is not looked at.
    #[error("{0}")]
    Outside(Outside),
    /// A payload manifest lists what is not a file of the payload.
    #[error("a payload manifest must list only files in data/")]
    NotPayload,
    /// A tag manifest lists a file of the payload.
    #[error("a tag manifest must not list files in data/")]
    PayloadAmongTags,
    /// A tag manifest lists a tag manifest.
    #[error("a tag manifest must not list tag manifests")]
    TagManifest,
    /// An asterisk stands before the path.
    #[error("an asterisk precedes the path, as in the output of md5sum")]
    Starred,
    /// The path has components that lead nowhere.
    #[error("the path is not in normal form; it is read as {}", Escaped(.0))]
    Straightened(Vec<u8>),
    /// A percent sign was taken in another way than the version has it, because a file is there then.
    #[error("no file has that name; percent signs are read as other programs write them: {}", Escaped(.0))]
    OtherReading(Vec<u8>),
    /// The file is there under another Unicode normalization of its name.
    #[error("the file exists under another Unicode normalization of its name")]
    Normalized,
    /// Several files are there under other normalizations of the name.
    #[error(
        "several files exist whose names are the same under Unicode normalization; \
         it is unclear which one is meant"
    )]
    Ambiguous,
    /// The line is there twice.
    #[error("the file is listed twice with the same digest")]
    Twice,
    /// The file is listed twice, and not alike.
    #[error("the file is listed twice with different digests")]
    TwiceUnlike,
    /// Two names of one manifest are one file.
    #[error("two names in this manifest refer to the same file")]
    TwoNames,
    /// They are, under Unicode normalization, and have the same digest.
    #[error("the file is listed twice, under two Unicode normalizations of its name, with the same digest")]
    TwoNormalizations,
}

impl Remark {
    /// Whether a bag of this version with it is not valid; otherwise it is a blemish.
    pub fn is_error(&self, version: Version) -> bool {
        match self {
            Self::Outside(_) | Self::NotPayload | Self::Ambiguous | Self::TwiceUnlike | Self::TwoNames => {
                true
            }
            Self::PayloadAmongTags | Self::TagManifest | Self::Twice => version.is_strict(),
            Self::Starred
            | Self::Straightened(_)
            | Self::OtherReading(_)
            | Self::Normalized
            | Self::TwoNormalizations => false,
        }
    }
}

impl<T> OnDisk<T> {
    /// No name yet.
    pub fn new() -> Self {
        Self { names: BTreeMap::new(), composed: OnceCell::new() }
    }

    /// Adds a name.
    pub fn insert(&mut self, name: Vec<u8>, known: T) {
        self.composed.take();
        self.names.insert(name, known);
    }

    /// What is known of a name.
    pub fn get(&self, name: &[u8]) -> Option<&T> {
        self.names.get(name)
    }

    /// All names, in byte order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &T)> {
        self.names.iter().map(|(name, known)| (name.as_slice(), known))
    }

    /// The names that are this one under Unicode normalization.
    fn spellings(&self, name: &[u8]) -> &[Vec<u8>] {
        let composed_names = self.composed.get_or_init(|| {
            let mut all: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
            // What is plain ASCII has one spelling only, and need not be looked up in this way.
            for name in self.names.keys().filter(|name| !name.is_ascii()) {
                all.entry(composed(name)).or_default().push(name.clone());
            }
            all
        });
        composed_names.get(&composed(name)).map_or(&[], Vec::as_slice)
    }

    /// Groups of names that are one under Unicode normalization.
    pub fn twins(&self) -> Vec<Vec<Vec<u8>>> {
        let _ = self.spellings(b"");
        let groups = self.composed.get().into_iter().flat_map(HashMap::values);
        let mut groups: Vec<_> = groups.filter(|names| names.len() > 1).cloned().collect();
        groups.sort();
        groups
    }
}

/// A name in the composed form of Unicode (NFC); one that is not UTF-8 as it is.
pub fn composed(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(text) => text.nfc().collect::<String>().into_bytes(),
        Err(_) => name.to_vec(),
    }
}

impl Listing {
    /// Nothing is listed yet.
    pub fn new(version: Version) -> Self {
        Self { version, files: BTreeMap::new() }
    }

    /// Takes in a line of a manifest. The name is looked for on the disk as it should be read, then as other
    /// programs write it, then under Unicode normalization.
    pub fn add<T>(&mut self, manifest: Named, line: &ManifestLine, disk: &OnDisk<T>) -> Vec<Remark> {
        let mut remarks = Vec::new();
        if line.starred {
            remarks.push(Remark::Starred);
        }
        let decoded = decode(&line.path, self.version);
        let name = match confined(&decoded) {
            Ok(name) => name,
            Err(outside) => {
                remarks.push(Remark::Outside(outside));
                return remarks;
            }
        };
        if name != decoded {
            remarks.push(Remark::Straightened(name.clone()));
        }
        let in_payload = name.starts_with(b"data/");
        if !manifest.of_tags && !in_payload {
            remarks.push(Remark::NotPayload);
        } else if manifest.of_tags && in_payload {
            remarks.push(Remark::PayloadAmongTags);
        } else if manifest.of_tags && manifest_algorithm(&name).is_some_and(|(_, of_tags)| of_tags) {
            remarks.push(Remark::TagManifest);
        }
        let (place, remark) = self.place(&name, &line.path, disk);
        remarks.extend(remark);
        remarks.extend(self.enter(manifest, place, name, line.digest));
        remarks
    }

    /// The name on the disk that is meant.
    fn place<T>(&self, name: &[u8], text: &[u8], disk: &OnDisk<T>) -> (Vec<u8>, Option<Remark>) {
        if disk.get(name).is_some() {
            return (name.to_vec(), None);
        }
        let confined_readings =
            other_readings(text, self.version).into_iter().flat_map(|name| confined(&name));
        let readings: Vec<_> = confined_readings.collect();
        if let Some(other) = readings.iter().find(|other| disk.get(other).is_some()) {
            return (other.clone(), Some(Remark::OtherReading(other.clone())));
        }
        let spelled = std::iter::once(name).chain(readings.iter().map(Vec::as_slice));
        match spelled.map(|name| disk.spellings(name)).find(|names| !names.is_empty()) {
            Some([only]) => (only.clone(), Some(Remark::Normalized)),
            Some(_) => (name.to_vec(), Some(Remark::Ambiguous)),
            None => (name.to_vec(), None),
        }
    }

    fn enter(&mut self, manifest: Named, place: Vec<u8>, name: Vec<u8>, digest: Digest) -> Option<Remark> {
        let bit = 1 << manifest.number.min(127);
        let is_elsewhere = place != name;
        let known = self.files.entry(place.clone()).or_default();
        let is_again = known.manifests & bit != 0;
        let first_name = known.listed_as.as_ref().unwrap_or(&place);
        let same_name = first_name == &name;
        let same_composed = composed(first_name) == composed(&name);
        known.manifests |= bit;
        if is_elsewhere && known.digests.is_empty() {
            known.listed_as = Some(name);
        }
        let same_algorithm = known.digests.iter().find(|known| known.algorithm() == digest.algorithm());
        match same_algorithm.copied() {
            None => {
                known.digests.push(digest);
                None
            }
            Some(first) if first != digest => Some(Remark::TwiceUnlike),
            Some(_) if is_again && !same_composed => Some(Remark::TwoNames),
            Some(_) if is_again && !same_name => Some(Remark::TwoNormalizations),
            Some(_) if is_again => Some(Remark::Twice),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashlane_digest::Algorithm;

    const OLD: Version = Version { major: 0, minor: 97 };
    const PAYLOAD: Named = Named { number: 0, of_tags: false };
    const TAGS: Named = Named { number: 1, of_tags: true };

    fn line(path: &str, content: &str) -> ManifestLine {
        let digest = Algorithm::SHA256.digest(content.as_bytes());
        ManifestLine { line: 1, digest, path: path.into(), starred: false }
    }

    fn disk(names: &[&str]) -> OnDisk<()> {
        let mut disk = OnDisk::new();
        names.iter().for_each(|name| disk.insert(name.as_bytes().to_vec(), ()));
        disk
    }

    #[test]
    fn a_name_is_looked_for_as_it_is_then_as_others_write_it_then_normalized() {
        let disk = disk(&["data/a%25", "data/n\u{e9}", "data/e\u{301}", "data/\u{e9}", "data/p%"]);
        for (path, place, remark) in [
            ("data/p%25", "data/p%", None),
            ("data/p%", "data/p%", None),
            ("data/a%25", "data/a%25", Some(Remark::OtherReading(b"data/a%25".to_vec()))),
            ("data/ne\u{301}", "data/n\u{e9}", Some(Remark::Normalized)),
            ("data/e\u{301}", "data/e\u{301}", None),
            ("data/gone", "data/gone", None),
            ("data//p%", "data/p%", Some(Remark::Straightened(b"data/p%".to_vec()))),
        ] {
            let mut listing = Listing::new(Version::CURRENT);
            assert_eq!(listing.add(PAYLOAD, &line(path, ""), &disk), Vec::from_iter(remark), "{path}");
            assert!(listing.files.contains_key(place.as_bytes()), "{path}");
        }
    }

    #[test]
    fn names_that_become_one_are_refused() {
        let two = disk(&["data/\u{212b}", "data/A\u{30a}"]);
        let mut listing = Listing::new(OLD);
        assert_eq!(listing.add(PAYLOAD, &line("data/\u{c5}", ""), &two), [Remark::Ambiguous]);
        assert_eq!(two.twins().len(), 1);
        let one = disk(&["data/\u{e9}"]);
        let mut listing = Listing::new(OLD);
        assert!(listing.add(PAYLOAD, &line("data/\u{e9}", ""), &one).is_empty());
        let remarks = listing.add(PAYLOAD, &line("data/e\u{301}", ""), &one);
        assert_eq!(remarks, [Remark::Normalized, Remark::TwoNormalizations]);
        assert!(remarks.iter().all(|remark| !remark.is_error(OLD) && !remark.is_error(Version::CURRENT)));
        let remarks = listing.add(PAYLOAD, &line("data/e\u{301}", "other"), &one);
        assert_eq!(remarks, [Remark::Normalized, Remark::TwiceUnlike]);
        assert!(remarks[1].is_error(OLD));
    }

    #[test]
    fn a_file_that_is_listed_twice_is_an_error_since_1_0_and_always_if_unlike() {
        let disk = disk(&["data/a"]);
        let mut listing = Listing::new(OLD);
        assert!(listing.add(PAYLOAD, &line("data/a", "x"), &disk).is_empty());
        assert_eq!(listing.add(PAYLOAD, &line("data/a", "x"), &disk), [Remark::Twice]);
        assert_eq!(listing.add(PAYLOAD, &line("data/a", "y"), &disk), [Remark::TwiceUnlike]);
        assert!(!Remark::Twice.is_error(OLD) && Remark::Twice.is_error(Version::CURRENT));
        assert!(Remark::TwiceUnlike.is_error(OLD));
    }

    #[test]
    fn each_manifest_lists_what_is_its_own() {
        let disk = disk(&[]);
        let mut listing = Listing::new(OLD);
        assert_eq!(listing.add(PAYLOAD, &line("bagit.txt", ""), &disk), [Remark::NotPayload]);
        assert_eq!(listing.add(TAGS, &line("data/x", ""), &disk), [Remark::PayloadAmongTags]);
        assert_eq!(listing.add(TAGS, &line("tagmanifest-md5.txt", ""), &disk), [Remark::TagManifest]);
        assert_eq!(listing.add(TAGS, &line("../x", ""), &disk), [Remark::Outside(Outside::Parent)]);
        assert!(!listing.files.contains_key(&b"../x"[..]));
    }
}
