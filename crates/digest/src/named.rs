//! Algorithms by their names. Those that code asks for are constants: a name that is not registered does not compile.

use crate::algorithm::{Algorithm, C4};
use crate::c4;
use crate::registry::{REGISTRY, UNLISTED};

/// The beginning of the names of algorithms that are in no list.
const UNLISTED_START: &str = "blake2b";

macro_rules! constants {
    ($($constant:ident: $name:literal,)*) => {
        impl Algorithm {
            $(#[doc = concat!("The algorithm that is registered as `", $name, "`.")]
            pub const $constant: Self = registered($name);)*
        }
    };
}

constants! {
    BLAKE2B: "blake2b",
    BLAKE3: "blake3",
    C4: "c4",
    CRC32: "crc32",
    CRC32C: "crc32c",
    MD5: "md5",
    SHA1: "sha1",
    SHA256: "sha256",
    SHA3_256: "sha3-256",
    SHA512: "sha512",
    XOR32: "xor32",
    XXH128: "xxh128",
    XXH3: "xxh3",
}

/// The line of the registry with a name, while the crate is compiled.
const fn registered(name: &str) -> Algorithm {
    let mut line = 0;
    while line < REGISTRY.len() {
        if are_equal(REGISTRY[line].name.as_bytes(), name.as_bytes()) {
            return Algorithm::new(&REGISTRY[line]);
        }
        line += 1;
    }
    panic!("no algorithm has this name")
}

const fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Algorithm {
    /// Adds those of `more` that are not among `all` yet, in their order.
    pub fn unite(all: &mut Vec<Self>, more: impl IntoIterator<Item = Self>) {
        for algorithm in more {
            if !all.contains(&algorithm) {
                all.push(algorithm);
            }
        }
    }

    /// All registered algorithms, in the order in which they are shown.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        REGISTRY.iter().map(Self)
    }

    /// The registered algorithm of this name or alias. Case, `-`, `_`, `/` and `:` do not matter.
    ///
    /// BLAKE2b is found with each length, in bits: `blake2b-72`.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(algorithm) = Self::all().find(|algorithm| algorithm.name() == name) {
            return Some(algorithm);
        }
        let listed = Self::all().find(|algorithm| {
            same_name(name, algorithm.name())
                || algorithm.0.aliases.iter().any(|alias| same_name(name, alias))
        });
        listed.or_else(|| {
            let is_blake2b = name.get(..UNLISTED_START.len())?.eq_ignore_ascii_case(UNLISTED_START);
            UNLISTED.iter().map(Self).find(|algorithm| is_blake2b && same_name(name, algorithm.name()))
        })
    }

    /// BLAKE2b with digests of this many bytes; `None` beyond 1 to 64.
    pub fn blake2b(length: usize) -> Option<Self> {
        let is_it =
            |algorithm: &Self| algorithm.length() == length && algorithm.name().starts_with(UNLISTED_START);
        Self::all().chain(UNLISTED.iter().map(Self)).find(is_it)
    }

    /// Whether it is among [`Algorithm::all`]. Others are BLAKE2b of a length that is hardly used, or were made by [`Algorithm::new`].
    pub fn is_listed(self) -> bool {
        REGISTRY.as_ptr_range().contains(&std::ptr::from_ref(self.0))
    }

    /// The registered algorithm that a line with this BSD tag means: `SHA512-256`, but `SHA2-512/256` (OpenSSL) and
    /// `SHA512t256` (FreeBSD) too. Every tag is accepted as are names: tools do not agree on case and punctuation.
    pub fn tagged(tag: &str) -> Option<Self> {
        Self::all().find(|algorithm| same_name(tag, algorithm.bsd_tag())).or_else(|| Self::named(tag))
    }

    /// The algorithm of a digest whose text names it.
    pub fn told_by(text: &[u8]) -> Option<Self> {
        c4::parse(text).and_then(|_| Self::named(C4))
    }
}

fn same_name(given: &str, name: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        let text = text.bytes().filter(|byte| !matches!(byte, b'-' | b'_' | b'/' | b':'));
        text.map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(given) == letters(name)
}
