//! Names that are the same text in other bytes: composed (NFC), as most systems write them, or decomposed (NFD), as macOS does.
//!
//! Different names are different files, even if they look the same. What is found here is only reported; a name is matched with another
//! spelling only on request (`--normalize`) and only if it is unambiguous: one name is listed, and one exists.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use unicode_normalization::{UnicodeNormalization as _, is_nfc, is_nfd};

/// How many spellings of one name are followed: each directory on the way may have several.
const MOST_SPELLINGS: usize = 16;

/// The composed form of a name, if it is text with more than one spelling.
pub fn composed(name: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(name).ok().filter(|text| !text.is_ascii())?;
    Some(text.nfc().collect::<String>().into_bytes())
}

/// Names that one of two sides has alone: the other may have them in other bytes.
#[derive(Debug)]
pub struct Unmatched<S>(HashMap<Vec<u8>, (Vec<u8>, S)>);

impl<S> Default for Unmatched<S> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<S: PartialEq> Unmatched<S> {
    /// Takes note of a name that a side has alone; gives back how the other side has it, if that is known.
    pub fn add(&mut self, name: &[u8], side: S) -> Option<Vec<u8>> {
        /// Memory is bounded.
        const MOST: usize = 1 << 16;
        let composed = composed(name)?;
        match self.0.get(&composed) {
            Some((other, its)) => (*its != side).then(|| other.clone()),
            None => {
                if self.0.len() < MOST {
                    self.0.insert(composed, (name.to_vec(), side));
                }
                None
            }
        }
    }
}

/// The name of a spelling: `NFC`, `NFD` or a phrase.
pub fn form(name: &[u8]) -> &'static str {
    match std::str::from_utf8(name) {
        Ok(text) if is_nfc(text) => "NFC",
        Ok(text) if is_nfd(text) => "NFD",
        _ => "neither NFC nor NFD",
    }
}

/// The other spellings of a name that exist. `base`: what the name is relative to; empty: the current directory.
pub fn others(base: &Path, name: &[u8]) -> Vec<Vec<u8>> {
    if composed(name).is_none() {
        return Vec::new();
    }
    let mut found = vec![Vec::new()];
    for (place, component) in name.split(|&byte| byte == b'/').enumerate() {
        let mut further = Vec::new();
        for start in &found {
            for spelling in spellings(component) {
                let slash: &[u8] = if place > 0 { b"/" } else { b"" };
                let path = [start, slash, &spelling].concat();
                if component.is_empty() || is_there(base, &path) {
                    further.push(path);
                }
            }
        }
        further.truncate(MOST_SPELLINGS);
        found = further;
    }
    found.retain(|path| path != name);
    found
}

/// The spelling to read a listed name by, when only the name itself is known: its own, or the only other one that is there.
pub(crate) fn spelling_there(base: &Path, name: &[u8]) -> Vec<u8> {
    only_other(base, name).unwrap_or_else(|| name.to_vec())
}

/// Whether a regular file is there under this name.
pub(crate) fn is_file(base: &Path, name: &[u8]) -> bool {
    fs::metadata(base.join(std::ffi::OsStr::from_bytes(name))).is_ok_and(|facts| facts.is_file())
}

/// The only other spelling that is there, of a name that is not.
fn only_other(base: &Path, name: &[u8]) -> Option<Vec<u8>> {
    let mut others = others(base, name);
    others.pop().filter(|_| others.is_empty() && !is_there(base, name))
}

/// Whether something is there under exactly this name, as far as the file system distinguishes names.
pub(crate) fn is_there(base: &Path, name: &[u8]) -> bool {
    fs::symlink_metadata(base.join(std::ffi::OsStr::from_bytes(name))).is_ok()
}

/// The spelling as `component`, composed and decomposed, each once.
fn spellings(component: &[u8]) -> Vec<Vec<u8>> {
    let mut spellings = vec![component.to_vec()];
    if let Ok(text) = std::str::from_utf8(component) {
        for other in [text.nfc().collect::<String>(), text.nfd().collect()] {
            if !spellings.iter().any(|spelling| *spelling == other.as_bytes()) {
                spellings.push(other.into_bytes());
            }
        }
    }
    spellings
}

/// The listed names that have more than one spelling, by their composed form.
#[derive(Debug, Default)]
pub(crate) struct Spellings(HashMap<Vec<u8>, Listed>);

#[derive(Debug)]
enum Listed {
    Once(Vec<u8>),
    /// In several spellings: each stands for itself.
    Several,
}

impl Spellings {
    /// Takes note of a listed name.
    pub(crate) fn add(&mut self, name: &[u8]) {
        let Some(composed) = composed(name) else { return };
        let listed = self.0.entry(composed).or_insert_with(|| Listed::Once(name.to_vec()));
        if matches!(listed, Listed::Once(once) if once != name) {
            *listed = Listed::Several;
        }
    }

    /// The listed name that a file is to be taken for, whose own is not listed: it is the only spelling that is listed, no file
    /// has it, and the file is the only one that is spelled otherwise.
    pub(crate) fn listed(&self, base: &Path, name: &[u8]) -> Option<&[u8]> {
        match self.0.get(&composed(name)?)? {
            Listed::Once(once) if once != name && !is_there(base, once) => {
                matches!(&others(base, once)[..], [only] if only == name).then_some(once)
            }
            _ => None,
        }
    }

    /// The file that is to be taken for a listed name, by the same rule.
    pub(crate) fn found(&self, base: &Path, name: &[u8]) -> Option<Vec<u8>> {
        match self.0.get(&composed(name)?)? {
            Listed::Once(_) => only_other(base, name),
            Listed::Several => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPOSED: &str = "\u{e9}";
    const DECOMPOSED: &str = "e\u{301}";

    #[test]
    fn spellings_are_found_on_every_level() {
        let root = tempfile::tempdir().expect("a directory");
        let (listed, there) = (format!("{COMPOSED}/{COMPOSED}/x"), format!("{DECOMPOSED}/{COMPOSED}/x"));
        fs::create_dir_all(root.path().join(&there).parent().expect("one")).expect("mkdir");
        fs::write(root.path().join(&there), "").expect("write");
        assert_eq!(others(root.path(), listed.as_bytes()), [there.as_bytes()]);
        assert_eq!(others(root.path(), there.as_bytes()), [b""; 0]);
        assert_eq!(others(root.path(), b"x"), [b""; 0]);
        let absolute = [root.path().as_os_str().as_bytes(), b"/", listed.as_bytes()].concat();
        let found = [root.path().as_os_str().as_bytes(), b"/", there.as_bytes()].concat();
        assert_eq!(others(Path::new(""), &absolute), [found]);
    }

    #[test]
    fn one_name_is_taken_for_another_only_where_it_cannot_be_anything_else() {
        /// What is listed, what is there, and what of that is taken for something listed.
        type Case<'a> = (&'a [&'a [u8]], &'a [&'a [u8]], Option<&'a [u8]>);
        let (one, other) = (COMPOSED.as_bytes(), DECOMPOSED.as_bytes());
        let cases: [Case<'_>; 6] = [
            (&[one], &[other], Some(other)),
            (&[other], &[one], Some(one)),
            (&[one], &[one, other], None),
            (&[one, other], &[other], None),
            (&[one], &[], None),
            (&[one, one], &[other], Some(other)),
        ];
        for (listed, there, taken) in cases {
            let root = tempfile::tempdir().expect("a directory");
            for name in there {
                fs::write(root.path().join(std::ffi::OsStr::from_bytes(name)), "").expect("write");
            }
            let mut spellings = Spellings::default();
            listed.iter().for_each(|name| spellings.add(name));
            assert_eq!(spellings.found(root.path(), listed[0]).as_deref(), taken, "{listed:?} {there:?}");
            for name in there.iter().filter(|name| !listed.contains(name)) {
                let expected = taken.map(|_| listed[0]);
                assert_eq!(spellings.listed(root.path(), name), expected, "{listed:?} {there:?}");
            }
        }
        assert_eq!([one, other, b"\xff"].map(form), ["NFC", "NFD", "neither NFC nor NFD"]);
    }
}
