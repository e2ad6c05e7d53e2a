//! Files with digests in them that are not read here, by what they are called: whoever names one is to hear that, and not what is wrong with
//! its first line.

use memchr::memmem::find;

/// What a text is that no format recognizes, and what reads it. `text`: its beginning.
pub(crate) fn kind_of(text: &[u8]) -> Option<&'static str> {
    let text = text.trim_ascii_start();
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let begins = |beginnings: &[&str]| beginnings.iter().any(|begin| text.starts_with(begin.as_bytes()));
    let has = |word: &str| find(text, word.as_bytes()).is_some();
    let kinds = [
        (
            begins(&["{"]) && has("\"digestAlgorithm\"") && has("\"manifest\""),
            "an OCFL inventory; a validator of OCFL reads it",
        ),
        (begins(&["["]) && has("\"Hashes\""), "a listing of rclone; an audit takes it as evidence"),
        (begins(&["Package: "]) && has("\nFilename: "), "a Debian Packages file; apt reads it"),
        (
            (begins(&["Format: "]) || begins(&["-----BEGIN PGP"])) && has("\nChecksums-Sha256:"),
            "a Debian source control or changes file; dscverify reads it",
        ),
        (has("\nSHA256:\n ") && has("\nSuite: "), "a Debian Release file; apt reads it"),
        (
            begins(&["DIST ", "EBUILD ", "AUX ", "MISC ", "MANIFEST ", "TIMESTAMP "]),
            "a Gentoo Manifest; gemato reads it",
        ),
        (find(first, b",sha256=").is_some(), "the RECORD of a Python package; pip reads it"),
        (begins(&["SHA256E-s", "SHA256-s", "MD5E-s"]), "a key of git-annex; `git annex fsck` verifies it"),
        (begins(&["BagIt-Version:"]), "bagit.txt of a bag; `hashlane bag verify DIR` verifies the bag"),
    ];
    kinds.into_iter().find(|(is_it, _)| *is_it).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_called_what_they_are() {
        for (text, kind) in [
            ("{\"manifest\":{\"77\":[\"a\"]},\"digestAlgorithm\":\"sha512\"}", "an OCFL"),
            ("[{\"Path\":\"a\",\"Hashes\":{}}]", "a listing of rclone"),
            ("Package: foo\nFilename: foo.deb\nSHA256: 00\n", "a Debian Packages"),
            ("Format: 3.0 (quilt)\nSource: foo\nChecksums-Sha256:\n 00 4 a\n", "a Debian source"),
            ("Origin: Debian\nSuite: stable\nSHA256:\n 00 2 main\n", "a Debian Release"),
            ("DIST foo.tar.gz 4 BLAKE2B 00\n", "a Gentoo"),
            ("pkg/__init__.py,sha256=mHU,4\n", "the RECORD"),
            ("SHA256E-s4--ef.tar.gz\n", "a key of git-annex"),
            ("BagIt-Version: 1.0\n", "bagit.txt"),
        ] {
            assert!(kind_of(text.as_bytes()).is_some_and(|of| of.starts_with(kind)), "{text}");
        }
        for text in ["", "abc", "{}", "[]", "a list of files", "Package: foo", "<files", "DISTANCE"] {
            assert_eq!(kind_of(text.as_bytes()), None, "{text}");
        }
    }
}
