//! The registry as a whole, and how it is asked.

use std::collections::HashMap;

use hashlane_digest::{Algorithm, Digest, Family, MAX_DIGEST_LENGTH, Notation, Security};

/// A name as the registry compares it.
fn normalised(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_', '/', ':'], "")
}

fn name_of(algorithm: Option<Algorithm>) -> Option<&'static str> {
    algorithm.map(Algorithm::name)
}

#[test]
fn no_name_alias_or_tag_means_two_algorithms() {
    let mut meaning = HashMap::new();
    for algorithm in Algorithm::all() {
        let spellings = [algorithm.name(), algorithm.bsd_tag()];
        for &spelling in spellings.iter().chain(algorithm.aliases()) {
            let other = meaning.insert(normalised(spelling), algorithm);
            assert!(other.is_none_or(|other| other == algorithm), "{spelling}: {other:?} and {algorithm}");
        }
    }
}

#[test]
fn no_alias_says_again_what_the_name_or_another_alias_says() {
    for algorithm in Algorithm::all() {
        let mut spellings: Vec<_> = algorithm.aliases().iter().map(|alias| normalised(alias)).collect();
        spellings.push(normalised(algorithm.name()));
        let given = spellings.len();
        spellings.sort();
        spellings.dedup();
        assert_eq!(spellings.len(), given, "{algorithm}");
    }
}

#[test]
fn names_are_lower_case_and_tags_have_no_blank() {
    for algorithm in Algorithm::all() {
        assert_eq!(algorithm.name(), algorithm.name().to_ascii_lowercase());
        assert!(!algorithm.bsd_tag().contains([' ', '(']), "{algorithm}");
    }
}

#[test]
fn a_digest_has_the_length_that_the_registry_says() {
    for algorithm in Algorithm::all() {
        assert!((1..=MAX_DIGEST_LENGTH).contains(&algorithm.length()), "{algorithm}");
        let digest = algorithm.digest(b"abc");
        assert_eq!(digest.as_bytes().len(), algorithm.length());
        assert_eq!(digest.to_string().len(), algorithm.text_length());
        assert_eq!(Digest::parse(algorithm, digest.to_string().as_bytes()), Some(digest));
    }
}

#[test]
fn every_algorithm_is_found_by_every_spelling() {
    for algorithm in Algorithm::all() {
        let spellings = [algorithm.name(), algorithm.bsd_tag()];
        for &spelling in spellings.iter().chain(algorithm.aliases()) {
            assert_eq!(Algorithm::named(spelling), Some(algorithm), "{spelling}");
            assert_eq!(Algorithm::tagged(spelling), Some(algorithm), "{spelling}");
            assert_eq!(Algorithm::named(&spelling.to_ascii_uppercase()), Some(algorithm), "{spelling}");
        }
    }
}

#[test]
fn names_are_found_without_regard_to_case_and_punctuation() {
    for (spelling, name) in [
        ("SHA-256", "sha256"),
        ("sha_1", "sha1"),
        ("SHA2-512/256", "sha512-256"),
        ("sha512/256", "sha512-256"),
        ("SHA2-256", "sha256"),
        ("sha3:256", "sha3-256"),
        ("BLAKE2b512", "blake2b"),
        ("xxh3_64", "xxh3"),
        ("CRC-32C", "crc32c"),
    ] {
        assert_eq!(name_of(Algorithm::named(spelling)), Some(name), "{spelling}");
    }
}

#[test]
fn tags_that_other_tools_write_are_understood() {
    for (tool, tag, name) in [
        ("coreutils", "BLAKE2b", "blake2b"),
        ("coreutils", "BLAKE2b-256", "blake2b-256"),
        ("OpenSSL 3", "SHA2-256", "sha256"),
        ("OpenSSL 3", "SHA2-512/256", "sha512-256"),
        ("OpenSSL 3", "BLAKE2B-512", "blake2b"),
        ("OpenSSL 3", "BLAKE2S-256", "blake2s"),
        ("OpenSSL 1", "SHA512-256", "sha512-256"),
        ("FreeBSD", "SHA512t256", "sha512-256"),
        ("coreutils", "SM3", "sm3"),
        ("rhash", "BLAKE2s", "blake2s"),
        ("rhash", "TIGER", "tiger"),
        ("xxhsum", "XXH128", "xxh128"),
    ] {
        assert_eq!(name_of(Algorithm::tagged(tag)), Some(name), "{tag} of {tool}");
    }
}

#[test]
fn what_is_not_registered_is_not_guessed() {
    for unknown in [
        "",
        "-",
        "sha",
        "sha2",
        "sha3",
        "sha257",
        "blake2",
        "BLAKE2b-520",
        "BLAKE2b-12",
        "BLAKE2b-0",
        "sha512-192",
        "crc",
        "tiger2",
    ] {
        assert_eq!(Algorithm::named(unknown), None, "{unknown}");
        assert_eq!(Algorithm::tagged(unknown), None, "{unknown}");
    }
}

#[test]
fn blake2b_of_each_length_is_found_and_hardly_any_is_listed() {
    assert_eq!((Algorithm::blake2b(0), Algorithm::blake2b(65)), (None, None));
    let listed = [16, 20, 28, 32, 48, 64];
    for length in 1..=64 {
        let algorithm = Algorithm::blake2b(length).expect("of each length");
        assert_eq!((algorithm.length(), algorithm.family()), (length, Family::Blake2));
        assert_eq!(algorithm.is_listed(), listed.contains(&length), "{algorithm}");
        assert_eq!(Algorithm::all().any(|other| other == algorithm), algorithm.is_listed());
        for name in [algorithm.bsd_tag(), &format!("Blake2B_{}", 8 * length)] {
            assert_eq!((Algorithm::named(name), Algorithm::tagged(name)), (Some(algorithm), Some(algorithm)));
        }
        let mut multihash = Vec::new();
        assert!(Notation::Multihash.write(&algorithm.digest(b"abc"), &mut multihash));
        assert_eq!(Notation::Multihash.read(&multihash), Some(algorithm.digest(b"abc")));
    }
}

#[test]
fn algorithms_with_known_collisions_are_called_weak() {
    let weak = Algorithm::all().filter(|algorithm| algorithm.security() == Security::Weak);
    assert_eq!(weak.map(Algorithm::name).collect::<Vec<_>>(), ["md4", "md5", "sha1"]);
}

#[test]
fn the_order_is_the_one_that_is_shown() {
    let names: Vec<_> = Algorithm::all().map(Algorithm::name).collect();
    assert_eq!(
        names.join(" "),
        "md4 md5 sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 \
         blake2b blake2b-256 blake2b-384 blake2b-224 blake2b-160 blake2b-128 blake2s blake3 sm3 \
         ripemd160 tiger whirlpool xxh32 xxh64 xxh3 xxh128 crc32 crc32c crc64nvme xor32 c4"
    );
}

#[test]
fn backends_have_short_names() {
    for algorithm in Algorithm::all() {
        let letters = |character: char| matches!(character, 'a'..='z' | '0'..='9' | '-' | '.');
        assert!(!algorithm.backend().is_empty() && algorithm.backend().chars().all(letters), "{algorithm}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_cpu_with_sha_instructions_is_used() {
    if std::arch::is_x86_feature_detected!("sha") && std::arch::is_x86_feature_detected!("sse4.1") {
        for name in ["sha1", "sha224", "sha256"] {
            assert_eq!(Algorithm::named(name).unwrap().backend(), "sha-ni");
        }
    }
}
