//! What a leaf says: one version of a file, as a text that anybody can read and hash.

use std::io::Write as _;

use hashlane_digest::{Algorithm, Digest, Hasher};
use hashlane_record::{Escaped, Timestamp};

/// The first line of the text, which names what the others are.
const VERSION_1: &str = "hashlane/file-version@v1";

/// Bytes of a secret, and of a salt.
const SECRET_BYTES: usize = 32;
const SALT_BYTES: usize = 16;

/// One version of a file, as it was recorded.
#[derive(Clone, Copy, Debug)]
pub struct FileVersion<'a> {
    /// What the collection is called by for ever: 16 random bytes.
    pub collection: &'a [u8],
    /// Below its root.
    pub path: &'a [u8],
    /// Bytes.
    pub size: Option<u64>,
    /// When it was last written to.
    pub modified: Option<Timestamp>,
    /// Those that were recorded.
    pub digests: &'a [Digest],
    /// When the run began that recorded it, in seconds since 1970.
    pub recorded_s: i64,
}

impl FileVersion<'_> {
    /// Writes the leaf in place of what is in the buffer: lines of a key and a value, in this order, each ended by a newline. What is not
    /// known has no line.
    pub fn write(&self, salt: &[u8], leaf: &mut Vec<u8>) {
        leaf.clear();
        for part in [VERSION_1.as_bytes(), b"\ncollection "] {
            leaf.extend_from_slice(part);
        }
        write_text(self.collection, leaf);
        leaf.extend_from_slice(b"\npath ");
        write_path(self.path, leaf);
        if let Some(size) = self.size {
            write_number("size", size.into(), leaf);
        }
        if let Some(Timestamp { seconds, nanos }) = self.modified {
            write_number("modified_ns", i128::from(seconds) * 1_000_000_000 + i128::from(nanos), leaf);
        }
        for digest in self.digests {
            leaf.push(b'\n');
            leaf.extend_from_slice(digest.algorithm().name().as_bytes());
            leaf.push(b' ');
            write_text(digest.as_bytes(), leaf);
        }
        write_number("recorded_s", self.recorded_s.into(), leaf);
        leaf.extend_from_slice(b"\nsalt ");
        write_text(salt, leaf);
        leaf.push(b'\n');
    }
}

/// Ends a line, and writes the next one up to its end.
fn write_number(key: &str, number: i128, leaf: &mut Vec<u8>) {
    let written = write!(leaf, "\n{key} {number}");
    debug_assert!(written.is_ok(), "memory takes everything");
}

/// Most paths are what they look like, and need no look at each character.
fn write_path(path: &[u8], leaf: &mut Vec<u8>) {
    if path.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\') {
        leaf.extend_from_slice(path);
        return;
    }
    let written = write!(leaf, "{}", Escaped(path));
    debug_assert!(written.is_ok(), "memory takes everything");
}

/// In lower case.
fn write_text(bytes: &[u8], leaf: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";

    leaf.extend(
        bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]),
    );
}

/// The salts of the leaves of a run, which make names unguessable for those who see nothing but hashes.
#[derive(Debug)]
pub struct Salts {
    secret: [u8; SECRET_BYTES],
    sha256: Hasher,
}

impl Salts {
    /// Those that derive from the secret of a run.
    ///
    /// # Panics
    /// Never: SHA-256 is registered.
    pub fn new(secret: [u8; SECRET_BYTES]) -> Self {
        let sha256 = Algorithm::SHA256.hasher();
        Self { secret, sha256 }
    }

    /// The salt of one of the versions of an item: the beginning of SHA-256 over the secret, a word and both numbers, which is one
    /// block. All parts have fixed lengths, so no two versions have the same message.
    pub fn salt(&mut self, item: u64, version: u32) -> [u8; SALT_BYTES] {
        self.sha256.update(&self.secret);
        self.sha256.update(b"salt");
        self.sha256.update(&item.to_be_bytes());
        self.sha256.update(&version.to_be_bytes());
        let mut salt = [0; SALT_BYTES];
        salt.copy_from_slice(&self.sha256.finish().as_bytes()[..SALT_BYTES]);
        salt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that a version need have.
    const BARE: FileVersion<'_> =
        FileVersion { collection: &[], path: b"", size: None, modified: None, digests: &[], recorded_s: 0 };

    #[test]
    fn a_leaf_is_this_text() {
        let sha256 = Algorithm::SHA256;
        let md5 = Algorithm::MD5;
        let version = FileVersion {
            collection: &[0xab; 16],
            path: b"2024/a\nb\xff.raw",
            size: Some(8_893),
            modified: Some(Timestamp { seconds: -1, nanos: 5 }),
            digests: &[sha256.digest(b""), md5.digest(b"")],
            recorded_s: 1_764_000_000,
        };
        let mut leaf = b"what was there before".to_vec();
        version.write(&[0x5a; 16], &mut leaf);
        assert_eq!(
            String::from_utf8(leaf.clone()).expect("a text"),
            "hashlane/file-version@v1\n\
             collection abababababababababababababababab\n\
             path 2024/a\\nb\\xff.raw\n\
             size 8893\n\
             modified_ns -999999995\n\
             sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n\
             md5 d41d8cd98f00b204e9800998ecf8427e\n\
             recorded_s 1764000000\n\
             salt 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a\n"
        );
        let bare = FileVersion { path: b"x", ..BARE };
        bare.write(&[], &mut leaf);
        assert_eq!(
            String::from_utf8(leaf).expect("a text"),
            "hashlane/file-version@v1\ncollection \npath x\nrecorded_s 0\nsalt \n"
        );
    }

    /// As docs/seals.md lists them: leaves that were sealed must never be written otherwise.
    #[test]
    fn a_path_is_escaped_in_this_way_for_ever() {
        let mut leaf = Vec::new();
        let mut written = |path: &[u8]| {
            FileVersion { path, ..BARE }.write(&[], &mut leaf);
            let leaf = String::from_utf8(leaf.clone()).expect("a text");
            let lines: Vec<_> = leaf.split('\n').collect();
            assert_eq!(lines.len(), 6, "{leaf}");
            lines[2].strip_prefix("path ").expect("its path").to_owned()
        };
        let turning =
            |number: u32| matches!(number, 0x80..=0x9f | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069);
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            let number = u32::from(character);
            // Most of the planes have nothing to show.
            if number > 0x3000 && number % 251 != 0 {
                continue;
            }
            let expected = match number {
                0x5c => "\\\\".to_owned(),
                0x0a => "\\n".to_owned(),
                0x0d => "\\r".to_owned(),
                0x09 => "\\t".to_owned(),
                0x00..=0x1f | 0x7f => format!("\\x{number:02x}"),
                number if turning(number) => format!("\\u{{{number:x}}}"),
                _ => character.to_string(),
            };
            assert_eq!(written(character.to_string().as_bytes()), expected, "U+{number:04X}");
        }
        for byte in 0x80..=0xff {
            assert_eq!(written(&[b'a', byte, b'b']), format!("a\\x{byte:02x}b"));
        }
        assert_eq!(
            written(b"\0\x01\x1b\x1f\x7f \xc3\xa4 \xc3( \xe2\x82 \xed\xa0\x80 \xff"),
            "\\x00\\x01\\x1b\\x1f\\x7f ä \\xc3( \\xe2\\x82 \\xed\\xa0\\x80 \\xff"
        );
        assert_eq!(
            written("\u{80}\u{85}\u{9f}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}".as_bytes()),
            "\\u{80}\\u{85}\\u{9f}\\u{200e}\\u{200f}\\u{202a}\\u{202e}\\u{2066}\\u{2069}"
        );
        let plain = "\u{a0}\u{ad}\u{200b}\u{200d}\u{2028}\u{2029}\u{2065}\u{206a}\u{feff}";
        assert_eq!(written(plain.as_bytes()), plain);
    }

    #[test]
    fn salts_differ_by_secret_item_and_version_and_never_change() {
        let mut salts = Salts::new([1; 32]);
        let salt = salts.salt(2, 3);
        assert_eq!(salt, Salts::new([1; 32]).salt(2, 3));
        for other in [salts.salt(3, 3), salts.salt(2, 2), Salts::new([2; 32]).salt(2, 3)] {
            assert_ne!(salt, other);
        }
        // As Python's hashlib has it of the same bytes.
        let hex = data_encoding::HEXLOWER.encode(&salt);
        assert_eq!(hex, "e0ac9cbec5475fde5fb3f6b03bdf2b5d");
    }
}
