//! Digests that name their own algorithm: multihash, `ni:` URIs and subresource integrity.

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};

use crate::algorithm::Algorithm;
use crate::value::{Digest, MAX_DIGEST_LENGTH};

/// A way to write a digest together with the name of its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// [Multihash](https://github.com/multiformats/multihash) in hexadecimal, `1220…`: code and length as variable-length
    /// numbers, then the digest. Read with the prefix `f` of multibase as well.
    Multihash,
    /// The URI of RFC 6920: `ni:///sha-256;…`, base64url without padding. Read with an authority and a query as well, which say
    /// nothing of the content.
    NamedInformation,
    /// W3C subresource integrity: `sha256-…`, base64 with padding; SHA-256, SHA-384 and SHA-512 only. Read with options behind a
    /// question mark as well.
    SubresourceIntegrity,
}

/// An algorithm, its code in the table of multicodec, its name in IANA's registry of named information, and that of
/// subresource integrity.
type Row = (&'static str, Option<u32>, Option<&'static str>, Option<&'static str>);

/// What each notation has a name for.
static NAMES: &[Row] = &[
    ("md4", Some(0xd4), None, None),
    ("md5", Some(0xd5), None, None),
    ("sha1", Some(0x11), None, None),
    ("sha224", Some(0x1013), None, None),
    ("sha256", Some(0x12), Some("sha-256"), Some("sha256")),
    ("sha384", Some(0x20), Some("sha-384"), Some("sha384")),
    ("sha512", Some(0x13), Some("sha-512"), Some("sha512")),
    ("sha512-224", Some(0x1014), None, None),
    ("sha512-256", Some(0x1015), None, None),
    ("sha3-224", Some(0x17), Some("sha3-224"), None),
    ("sha3-256", Some(0x16), Some("sha3-256"), None),
    ("sha3-384", Some(0x15), Some("sha3-384"), None),
    ("sha3-512", Some(0x14), Some("sha3-512"), None),
    ("shake128", Some(0x18), None, None),
    ("shake256", Some(0x19), None, None),
    ("blake2b-128", Some(0xb210), None, None),
    ("blake2b-160", Some(0xb214), None, None),
    ("blake2b-224", Some(0xb21c), None, None),
    ("blake2b-384", Some(0xb230), None, None),
    ("blake2b", Some(0xb240), Some("blake2b-512"), None),
    ("blake2b-256", Some(0xb220), Some("blake2b-256"), None),
    ("blake2s", Some(0xb260), Some("blake2s-256"), None),
    ("blake3", Some(0x1e), None, None),
    ("sm3", Some(0x534d), None, None),
    ("ripemd160", Some(0x1053), None, None),
];

/// The code of BLAKE2b with digests of no bytes; those of others follow, by the number of bytes.
const BLAKE2B_CODE: u32 = 0xb200;

impl Notation {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Multihash, Self::NamedInformation, Self::SubresourceIntegrity];

    /// Whether it has a name for an algorithm.
    pub fn has(self, algorithm: Algorithm) -> bool {
        self.prefix(algorithm).is_some()
    }

    /// Appends a digest; false, and nothing is appended, if the notation has no name for its algorithm.
    pub fn write(self, digest: &Digest, text: &mut Vec<u8>) -> bool {
        let Some(prefix) = self.prefix(digest.algorithm()) else { return false };
        text.extend_from_slice(&prefix);
        let encoding = match self {
            Self::Multihash => &HEXLOWER,
            Self::NamedInformation => &BASE64URL_NOPAD,
            Self::SubresourceIntegrity => &BASE64,
        };
        let start = text.len();
        text.resize(start + encoding.encode_len(digest.as_bytes().len()), 0);
        encoding.encode_mut(digest.as_bytes(), &mut text[start..]);
        true
    }

    /// The digest that a text is, if it is one in this notation, whole and of an algorithm that is registered.
    pub fn read(self, text: &[u8]) -> Option<Digest> {
        let known = |name: &str| Algorithm::named(name);
        match self {
            Self::Multihash => {
                let text =
                    text.strip_prefix(b"f").filter(|text| text.len().is_multiple_of(2)).unwrap_or(text);
                // Two numbers of at most five bytes each.
                let mut bytes = [0; MAX_DIGEST_LENGTH + 10];
                let bytes = bytes.get_mut(..HEXLOWER_PERMISSIVE.decode_len(text.len()).ok()?)?;
                HEXLOWER_PERMISSIVE.decode_mut(text, bytes).ok()?;
                let (code, rest) = read_number(bytes)?;
                let (length, digest) = read_number(rest)?;
                let named = NAMES.iter().find(|(_, known, ..)| *known == Some(code));
                let algorithm = match named {
                    Some((name, ..)) => known(name),
                    None => Algorithm::blake2b(usize::try_from(code.checked_sub(BLAKE2B_CODE)?).ok()?),
                };
                let whole = usize::try_from(length).is_ok_and(|length| length == digest.len());
                algorithm.filter(|_| whole).and_then(|algorithm| Digest::new(algorithm, digest).ok())
            }
            Self::NamedInformation => {
                let (scheme, rest) = text.split_at_checked(5)?;
                let is_scheme = scheme.eq_ignore_ascii_case(b"ni://");
                let (_authority, text) = split(rest, b'/').filter(|_| is_scheme)?;
                let (algorithm, digest) = split(without_options(text), b';')?;
                let named =
                    |row: &&Row| row.2.is_some_and(|name| algorithm.eq_ignore_ascii_case(name.as_bytes()));
                let (name, ..) = NAMES.iter().find(named)?;
                Digest::new(known(name)?, &BASE64URL_NOPAD.decode(digest).ok()?).ok()
            }
            Self::SubresourceIntegrity => {
                let (algorithm, digest) = split(without_options(text), b'-')?;
                let named =
                    |row: &&Row| row.3.is_some_and(|name| algorithm.eq_ignore_ascii_case(name.as_bytes()));
                let (name, ..) = NAMES.iter().find(named)?;
                Digest::new(known(name)?, &BASE64.decode(digest).ok()?).ok()
            }
        }
    }

    /// What stands before the digest itself.
    fn prefix(self, algorithm: Algorithm) -> Option<Vec<u8>> {
        let row = NAMES.iter().find(|(name, ..)| *name == algorithm.name());
        let of_blake2b = || {
            Algorithm::blake2b(algorithm.length()).filter(|blake2b| *blake2b == algorithm)?;
            Some((BLAKE2B_CODE + u32::try_from(algorithm.length()).ok()?, None, None))
        };
        let (code, information, integrity) = match row {
            Some((_, code, information, integrity)) => ((*code)?, *information, *integrity),
            None => of_blake2b()?,
        };
        Some(match self {
            Self::Multihash => {
                let mut bytes = Vec::new();
                push_number(&mut bytes, code);
                push_number(&mut bytes, u32::try_from(algorithm.length()).expect("digests are short"));
                HEXLOWER.encode(&bytes).into_bytes()
            }
            Self::NamedInformation => format!("ni:///{};", information?).into_bytes(),
            Self::SubresourceIntegrity => format!("{}-", integrity?).into_bytes(),
        })
    }
}

/// What stands before the first of these bytes, and behind it.
fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|&byte| byte == at)?;
    Some((&text[..end], &text[end + 1..]))
}

/// A text without what follows a question mark.
fn without_options(text: &[u8]) -> &[u8] {
    split(text, b'?').map_or(text, |(before, _)| before)
}

/// Appends a number, seven bits a byte, the lowest first (LEB128).
fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number that bytes begin with, in as few bytes as it can be written in, and what follows.
fn read_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let end = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let number = bytes[..=end].iter().rev().fold(0_u64, |number, byte| number << 7 | u64::from(byte & 0x7f));
    let shortest = end == 0 || bytes[end] != 0;
    Some((u32::try_from(number).ok().filter(|_| shortest)?, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(notation: Notation, algorithm: &str, content: &[u8]) -> String {
        let mut text = Vec::new();
        assert!(notation.write(&Algorithm::named(algorithm).unwrap().digest(content), &mut text));
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn published_examples_come_out() {
        // RFC 6920, section 8.1.
        assert_eq!(
            written(Notation::NamedInformation, "sha256", b"Hello World!"),
            "ni:///sha-256;f4OxZX_x_FO5LcGBSKHWXfwtSx-j1ncoSt3SABJtkGk"
        );
        // Subresource Integrity, section 3.
        assert_eq!(
            written(Notation::SubresourceIntegrity, "sha384", b"alert('Hello, world.');"),
            "sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO"
        );
        // The examples of the multihash specification.
        assert_eq!(
            written(Notation::Multihash, "sha1", b"multihash"),
            "111488c2f11fb2ce392acb5b2986e640211c4690073e"
        );
        assert_eq!(
            written(Notation::Multihash, "sha256", b"multihash"),
            "12209cbc07c3f991725836a3aa2a581ca2029198aa420b9d99bc0e131d9f3e2cbe47"
        );
        // A code of three bytes: blake2b-256.
        assert!(written(Notation::Multihash, "blake2b-256", b"").starts_with("a0e40220"));
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        for notation in Notation::ALL {
            for algorithm in Algorithm::all() {
                let digest = algorithm.digest(b"hashlane");
                let mut text = Vec::new();
                assert_eq!(notation.write(&digest, &mut text), notation.has(algorithm));
                if !notation.has(algorithm) {
                    assert!(text.is_empty());
                    continue;
                }
                assert_eq!(notation.read(&text), Some(digest));
                for end in 0..text.len() {
                    assert_eq!(notation.read(&text[..end]), None, "{notation:?} {algorithm} {end}");
                }
                text.push(b'0');
                assert_eq!(notation.read(&text), None);
            }
        }
        let multihash = written(Notation::Multihash, "sha256", b"");
        assert!(Notation::Multihash.read(format!("f{multihash}").as_bytes()).is_some());
        assert!(Notation::Multihash.read(multihash.to_uppercase().as_bytes()).is_some());
        let named = written(Notation::NamedInformation, "sha256", b"");
        for other in [
            named.replace("ni:///", "ni://example.org/"),
            named.replace("ni:", "NI:").replace("sha-", "SHA-"),
            format!("{named}?ct=text/plain"),
        ] {
            let read = Notation::NamedInformation.read(other.as_bytes());
            assert_eq!(read, Notation::NamedInformation.read(named.as_bytes()), "{other}");
        }
        let integrity = written(Notation::SubresourceIntegrity, "sha256", b"");
        assert!(Notation::SubresourceIntegrity.read(format!("{integrity}?foo").as_bytes()).is_some());
        // The code 12 in two bytes.
        assert_eq!(Notation::Multihash.read(format!("9200{}", &multihash[2..]).as_bytes()), None);
    }
}
