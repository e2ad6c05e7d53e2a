//! The algorithms that code asks for by name, as constants: a name that is not registered does not compile.

use crate::algorithm::Algorithm;
use crate::registry::REGISTRY;

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
