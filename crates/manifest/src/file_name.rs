//! What the name of a manifest says about its algorithm: `SHA256SUMS`, `md5sum.txt`, `photos.b3`.

use hashlane_digest::Algorithm;

/// Short names that stand in file names only.
const SHORT: [(&str, &str); 2] = [("b2", "blake2b"), ("b3", "blake3")];

/// The algorithm that the name of a manifest states.
///
/// Only the last part of the path counts: `<algorithm>SUMS`, `<algorithm>SUM`, each also with `.txt`, or the
/// extension `.<algorithm>`, `.<algorithm>sum` or `.<algorithm>sums`; of a bag `manifest-<algorithm>.txt`. Case does not matter. `CHECKSUMS`
/// states nothing.
pub fn algorithm_of_file_name(file_name: &[u8]) -> Option<Algorithm> {
    let base = file_name.rsplit(|&byte| byte == b'/').next()?;
    let base = std::str::from_utf8(base).ok()?.to_ascii_lowercase();
    let base = base.strip_suffix(".txt").unwrap_or(&base);
    let sums =
        |text: &str| text.strip_suffix("sums").or_else(|| text.strip_suffix("sum")).and_then(short_or_named);
    if let Some(name) = base.strip_prefix("manifest-").or_else(|| base.strip_prefix("tagmanifest-")) {
        return Algorithm::named(name);
    }
    if let Some((_, extension)) = base.rsplit_once('.') {
        return short_or_named(extension).or_else(|| sums(extension));
    }
    sums(base)
}

fn short_or_named(name: &str) -> Option<Algorithm> {
    let full = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    if full.is_empty() { None } else { Algorithm::named(full) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_in_use_are_understood() {
        let sha256 = Algorithm::named("sha256");
        for name in [
            "SHA256SUMS",
            "sha256sums.txt",
            "SHA256SUM",
            "sha256sum.txt",
            "x.sha256",
            "a/b.c/x.SHA256sum",
            "SHA-256SUMS",
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
