//! What the name of a manifest says about its algorithm: `SHA256SUMS`, `md5sum.txt`, `photos.b3`.

use hashlane_digest::{Algorithm, Family};
use memchr::memrchr;

/// Algorithms of other programs that are not computed here, as their lists are named after them. Digests of these lists are no others' of
/// their length.
const UNKNOWN: [&str; 20] = [
    "aich",
    "blake2sp",
    "blake2bp",
    "btih",
    "ed2k",
    "edonr256",
    "edonr512",
    "gost",
    "gost12256",
    "gost12512",
    "gost94",
    "has160",
    "haval",
    "md2",
    "ripemd128",
    "ripemd256",
    "ripemd320",
    "snefru128",
    "snefru256",
    "tth",
];

/// What lists of xxHash are called whatever their length: digests of 4, 8 and 16 bytes are of XXH32, XXH64 and XXH128. XXH3 says so in each line.
const XXHASH: [&str; 2] = ["xxh", "xxhash"];

/// Short names that stand in file names only.
const SHORT: [(&str, &str); 2] = [("b2", "blake2b"), ("b3", "blake3")];

/// The algorithm that the name of a manifest states.
///
/// Only the last part of the path counts: `<algorithm>SUMS`, `<algorithm>SUM`, each also with `.txt`, or the
/// extension `.<algorithm>`, `.<algorithm>sum` or `.<algorithm>sums`; of a bag `manifest-<algorithm>.txt`. Case does not matter. `CHECKSUMS`
/// states nothing.
pub fn algorithm_of_file_name(file_name: &[u8]) -> Option<Algorithm> {
    let base = base_name(file_name)?;
    if let Some(name) = base.strip_prefix("manifest-").or_else(|| base.strip_prefix("tagmanifest-")) {
        return Algorithm::named(name);
    }
    match base.rsplit_once('.') {
        Some((_, extension)) => of_extension(extension),
        None => without_sums(&base).and_then(short_or_named),
    }
}

/// The algorithm that the name of a manifest states and that is not known here.
pub(crate) fn unknown_of_file_name(file_name: &[u8]) -> Option<&'static str> {
    let base = base_name(file_name)?;
    let stated = base.rsplit_once('.').map_or(&base[..], |(_, extension)| extension);
    let stated = without_sums(stated).unwrap_or(stated).replace(['-', '_'], "");
    UNKNOWN.into_iter().find(|name| *name == stated)
}

/// The design that the name of a manifest states, where it states no algorithm of it: `photos.xxh`, `XXHSUMS`.
pub(crate) fn family_of_file_name(file_name: &[u8]) -> Option<Family> {
    let base = base_name(file_name)?;
    let is_named = match base.rsplit_once('.') {
        Some((_, extension)) => is_xxhash(extension),
        None => without_sums(&base).is_some_and(is_xxhash),
    };
    is_named.then_some(Family::XxHash)
}

/// Whether an extension states that a list is of xxHash.
fn is_xxhash(extension: &str) -> bool {
    XXHASH.contains(&without_sums(extension).unwrap_or(extension))
}

/// The last part of a path in lower case, without `.txt` at its end. What a run has left that was broken off is named after what it would
/// have become.
fn base_name(file_name: &[u8]) -> Option<String> {
    let base = file_name.rsplit(|&byte| byte == b'/').next()?;
    let base = std::str::from_utf8(base).ok()?.to_ascii_lowercase();
    let whole =
        base.split_once(".partial").filter(|(_, rest)| is_kept(rest)).map_or(&base[..], |(whole, _)| whole);
    Some(whole.strip_suffix(".txt").unwrap_or(whole).to_owned())
}

/// Whether this stands behind `.partial`: nothing, or the number of one that was kept.
fn is_kept(rest: &str) -> bool {
    rest.is_empty()
        || rest.strip_prefix('.').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What stands before `sum` or `sums`.
fn without_sums(text: &str) -> Option<&str> {
    text.strip_suffix("sums").or_else(|| text.strip_suffix("sum"))
}

/// The directory that a list of this name is in, with the slash behind it; nothing if it is the one that the name is relative to.
pub fn directory_of_list(file_name: &[u8]) -> &[u8] {
    &file_name[..memrchr(b'/', file_name).map_or(0, |slash| slash + 1)]
}

/// The file that a list of this name is about, if it has one digest and no name: `tool.tar.gz` of `tool.tar.gz.sha256`.
pub(crate) fn file_of_list(file_name: &[u8]) -> Option<&[u8]> {
    let bare = match file_name.len().checked_sub(4).map(|at| file_name.split_at(at)) {
        Some((before, end)) if end.eq_ignore_ascii_case(b".txt") => before,
        _ => file_name,
    };
    let dot = memrchr(b'.', bare)?;
    let (file, extension) = (&bare[..dot], &bare[dot + 1..]);
    let extension = std::str::from_utf8(extension).ok()?.to_ascii_lowercase();
    let is_named = !file.is_empty() && !file.ends_with(b"/");
    (is_named && (of_extension(&extension).is_some() || is_xxhash(&extension))).then_some(file)
}

/// The algorithm that an extension states: `sha256`, `sha256sum`, `sha256sums`.
fn of_extension(extension: &str) -> Option<Algorithm> {
    short_or_named(extension).or_else(|| without_sums(extension).and_then(short_or_named))
}

fn short_or_named(name: &str) -> Option<Algorithm> {
    let full = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    if full.is_empty() { None } else { Algorithm::named(full) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_algorithms_that_are_not_known_are_no_others() {
        for (name, unknown) in [
            ("a.has160", Some("has160")),
            ("HAS-160SUMS", Some("has160")),
            ("t/a.tth.txt", Some("tth")),
            ("a.edonr-512", Some("edonr512")),
            ("a.sha1", None),
            ("SUMS", None),
            ("list.txt", None),
        ] {
            assert_eq!(unknown_of_file_name(name.as_bytes()), unknown, "{name}");
        }
        assert!(UNKNOWN.iter().all(|name| Algorithm::named(name).is_none()));
    }

    #[test]
    fn lists_of_xxhash_need_not_say_which() {
        for name in ["a.xxh", "b/A.XXHASH", "a.xxhsum", "a.xxh.txt", "XXHSUMS", "xxhsum.txt"] {
            assert_eq!(family_of_file_name(name.as_bytes()), Some(Family::XxHash), "{name}");
            assert_eq!(algorithm_of_file_name(name.as_bytes()), None, "{name}");
        }
        for name in ["a.xxh64", "a.md5", "xxh", "SUMS"] {
            assert_eq!(family_of_file_name(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn a_list_of_one_digest_is_named_after_its_file() {
        for (name, file) in [
            ("tool.tar.gz.sha256", Some("tool.tar.gz")),
            ("a/b.iso.SHA256SUM", Some("a/b.iso")),
            ("b.sha256.txt", Some("b")),
            ("b.md5", Some("b")),
            ("b.xxh", Some("b")),
            ("SHA256SUMS", None),
            (".sha256", None),
            ("a/.sha256", None),
            ("b.txt", None),
            ("manifest-sha256.txt", None),
        ] {
            assert_eq!(file_of_list(name.as_bytes()), file.map(str::as_bytes), "{name}");
        }
    }

    #[test]
    fn names_that_are_in_use_are_understood() {
        let sha256 = Some(Algorithm::SHA256);
        for name in [
            "SHA256SUMS",
            "sha256sums.txt",
            "SHA256SUM",
            "sha256sum.txt",
            "x.sha256",
            "a/b.c/x.SHA256sum",
            "SHA-256SUMS",
            "SHA256SUMS.partial",
            "photos.sha256.partial",
            "SHA256SUMS.txt.partial.12",
        ] {
            assert_eq!(algorithm_of_file_name(name.as_bytes()), sha256, "{name}");
        }
        for name in [
            "",
            "SUMS",
            "CHECKSUMS",
            "sums.txt",
            "x.txt",
            "sha256",
            "sha256sums/list",
            "a.sha256.gz",
            ".",
            "\u{fffd}.sums",
        ] {
            assert_eq!(algorithm_of_file_name(name.as_bytes()), None, "{name}");
        }
        assert_eq!(algorithm_of_file_name(b"\xff.sha256"), None);
        for (name, algorithm) in [
            ("B3SUMS", "blake3"),
            ("x.b3", "blake3"),
            ("B2SUMS", "blake2b"),
            ("MD5SUMS", "md5"),
            ("x.md5", "md5"),
            ("bag/manifest-sha512.txt", "sha512"),
            ("tagmanifest-sha3256.txt", "sha3-256"),
        ] {
            assert_eq!(algorithm_of_file_name(name.as_bytes()), Algorithm::named(algorithm), "{name}");
        }
    }
}
