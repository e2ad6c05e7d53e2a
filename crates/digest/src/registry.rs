//! The algorithms there are: one line each, implemented by the function named in the last column, by the kernels of
//! `hashlane-lanes`, or by the one for a message alone and by the others for many.
//!
//! Names and tags follow coreutils, OpenSSL, xxhsum and rhash; the aliases are what these and the BSDs write instead.

use crate::algorithm::{Family, Security, Spec};
use crate::algorithms::{blake2, blake3, crc, in_lanes, ripemd, sha2, sha3, tiger, whirlpool, xor, xxhash};
use crate::state::Saving;

macro_rules! registry {
    ($(
        $name:literal, $aliases:expr, $tag:literal, $length:literal, $family:ident, $security:ident, $saving:ident,
        $module:ident::$start:ident $(and in_lanes::$many:ident)?;
    )*) => {
        pub(crate) static REGISTRY: &[Spec] = &[$(Spec {
            name: $name,
            aliases: &$aliases,
            bsd_tag: $tag,
            length: $length,
            family: Family::$family,
            security: Security::$security,
            saving: Saving::$saving,
            start: registry!(@start $module $start),
            lanes: registry!(@lanes $module $start $($many)?),
        }),*];
    };
    (@start in_lanes $algorithm:ident) => {
        || in_lanes::start(hashlane_lanes::Algorithm::$algorithm)
    };
    (@start $module:ident $start:ident) => {
        $module::$start
    };
    (@lanes in_lanes $algorithm:ident) => {
        Some(hashlane_lanes::Algorithm::$algorithm)
    };
    (@lanes $module:ident $start:ident) => {
        None
    };
    (@lanes $module:ident $start:ident $algorithm:ident) => {
        Some(hashlane_lanes::Algorithm::$algorithm)
    };
}

registry! {
    "md4", [], "MD4", 16, Md, Weak, Anywhere, in_lanes::Md4;
    "md5", [], "MD5", 16, Md, Weak, Anywhere, in_lanes::Md5;
    "sha1", [], "SHA1", 20, Sha1, Weak, Anywhere, in_lanes::Sha1;
    "sha224", ["sha2-224"], "SHA224", 28, Sha2, Strong, Anywhere, in_lanes::Sha224;
    "sha256", ["sha2-256"], "SHA256", 32, Sha2, Strong, Anywhere, in_lanes::Sha256;
    "sha384", ["sha2-384"], "SHA384", 48, Sha2, Strong, Anywhere, in_lanes::Sha384;
    "sha512", ["sha2-512"], "SHA512", 64, Sha2, Strong, Anywhere, in_lanes::Sha512;
    "sha512-224", ["sha2-512/224", "sha512t224"], "SHA512-224", 28, Sha2, Strong, Never, sha2::sha512_224;
    "sha512-256", ["sha2-512/256", "sha512t256"], "SHA512-256", 32, Sha2, Strong, Anywhere, in_lanes::Sha512_256;
    "sha3-224", [], "SHA3-224", 28, Sha3, Strong, Anywhere, sha3::sha3_224;
    "sha3-256", [], "SHA3-256", 32, Sha3, Strong, Anywhere, sha3::sha3_256 and in_lanes::Sha3_256;
    "sha3-384", [], "SHA3-384", 48, Sha3, Strong, Anywhere, sha3::sha3_384;
    "sha3-512", [], "SHA3-512", 64, Sha3, Strong, Anywhere, sha3::sha3_512 and in_lanes::Sha3_512;
    "shake128", [], "SHAKE128", 32, Sha3, Strong, Never, sha3::shake128;
    "shake256", [], "SHAKE256", 64, Sha3, Strong, Never, sha3::shake256;
    "blake2b", ["blake2b-512"], "BLAKE2b", 64, Blake2, Strong, Anywhere, blake2::blake2b and in_lanes::Blake2b;
    "blake2b-256", [], "BLAKE2b-256", 32, Blake2, Strong, Anywhere, blake2::blake2b_256 and in_lanes::Blake2b256;
    "blake2b-384", [], "BLAKE2b-384", 48, Blake2, Strong, Never, blake2::blake2b_384;
    "blake2b-224", [], "BLAKE2b-224", 28, Blake2, Strong, Never, blake2::blake2b_224;
    "blake2b-160", [], "BLAKE2b-160", 20, Blake2, Strong, Never, blake2::blake2b_160;
    "blake2b-128", [], "BLAKE2b-128", 16, Blake2, Strong, Never, blake2::blake2b_128;
    "blake2s", ["blake2s-256"], "BLAKE2s", 32, Blake2, Strong, Never, blake2::blake2s;
    "blake3", ["b3"], "BLAKE3", 32, Blake3, Strong, Spans, blake3::blake3;
    "sm3", [], "SM3", 32, Sm3, Strong, Anywhere, in_lanes::Sm3;
    "ripemd160", ["rmd160"], "RIPEMD160", 20, Ripemd, Strong, Anywhere, ripemd::ripemd160;
    "tiger", ["tiger-192"], "TIGER", 24, Tiger, Strong, Anywhere, tiger::tiger;
    "whirlpool", [], "WHIRLPOOL", 64, Whirlpool, Strong, Anywhere, whirlpool::whirlpool;
    "xxh32", ["xxhash32"], "XXH32", 4, XxHash, Checksum, Never, xxhash::xxh32;
    "xxh64", ["xxhash64"], "XXH64", 8, XxHash, Checksum, Never, xxhash::xxh64;
    "xxh3", ["xxh3-64"], "XXH3", 8, XxHash, Checksum, Never, xxhash::xxh3;
    "xxh128", ["xxh3-128", "xxhash128"], "XXH128", 16, XxHash, Checksum, Never, xxhash::xxh128;
    "crc32", ["crc32-iso-hdlc"], "CRC32", 4, Crc, Checksum, Anywhere, crc::crc32;
    "crc32c", ["crc32-iscsi"], "CRC32C", 4, Crc, Checksum, Anywhere, crc::crc32c;
    "crc64nvme", [], "CRC64NVME", 8, Crc, Checksum, Anywhere, crc::crc64nvme;
    "xor32", [], "XOR32", 4, Xor, Checksum, Anywhere, xor::xor32;
    // SHA-512, shown in another way.
    "c4", ["c4id"], "C4", 64, Sha2, Strong, Anywhere, in_lanes::Sha512;
}

macro_rules! blake2b {
    ($($bytes:literal $bits:literal),* $(,)?) => {
        /// BLAKE2b of all other lengths, in the order of these. They are found by name and in no list: hardly anybody uses them.
        pub(crate) static UNLISTED: &[Spec] = &[$(Spec {
            name: concat!("blake2b-", $bits),
            aliases: &[],
            bsd_tag: concat!("BLAKE2b-", $bits),
            length: $bytes,
            family: Family::Blake2,
            security: if $bytes < LEAST_STRONG_BYTES { Security::Checksum } else { Security::Strong },
            saving: Saving::Never,
            start: || blake2::start_blake2b($bytes),
            lanes: None,
        }),*];
    };
}

/// Below this length, in bytes, collisions are found by trying.
const LEAST_STRONG_BYTES: usize = 16;

blake2b! {
    1 8, 2 16, 3 24, 4 32, 5 40, 6 48, 7 56, 8 64, 9 72, 10 80, 11 88, 12 96, 13 104, 14 112, 15 120, 17 136,
    18 144, 19 152, 21 168, 22 176, 23 184, 24 192, 25 200, 26 208, 27 216, 29 232, 30 240, 31 248, 33 264,
    34 272, 35 280, 36 288, 37 296, 38 304, 39 312, 40 320, 41 328, 42 336, 43 344, 44 352, 45 360, 46 368,
    47 376, 49 392, 50 400, 51 408, 52 416, 53 424, 54 432, 55 440, 56 448, 57 456, 58 464, 59 472, 60 480,
    61 488, 62 496, 63 504,
}
