//! The tree in which the lines are run: odd names, odd files, lists that are right and wrong.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Names that a shell, a line or a terminal trips over, and what is in them.
const FILES: &[(&[u8], &str)] = &[
    (b"a", "hi"),
    (b"b", "two\n"),
    (b"empty", ""),
    (b"with space", "x"),
    (b" leading", "x"),
    (b"trailing ", "x"),
    (b"new\nline", "x"),
    (b"return\r", "x"),
    (b"back\\slash", "x"),
    (b"back\\n", "x"),
    (b"quote'd", "x"),
    (b"double\"", "x"),
    (b"star*", "x"),
    (b"*star", "x"),
    (b"(paren)", "x"),
    (b"a) = b", "x"),
    (b"comma,s", "x"),
    (b"-dash", "x"),
    (b"--check", "x"),
    (b"#hash", "x"),
    (b"~tilde", "x"),
    (b"bad\xff", "x"),
    (b"\xc3\xbc", "x"),
    (b"tab\there", "x"),
    (b"d/deep", "y"),
    (b"d/e/deeper", "z"),
];

/// What the lists hold digests by.
const ALGORITHMS: &str = "sha256,md5,sha1,sha512,blake3,xxh64,xxh3,xxh128,blake2b,blake2b-256";

/// What the lists hold digests of.
const CONTENTS: [&str; 4] = ["hi", "x", "y", "two\n"];

/// The digests of all that the lists name, in hexadecimal, by algorithm and content.
pub(super) struct Digests(BTreeMap<&'static str, BTreeMap<String, String>>);

impl Digests {
    /// Asks the program, which the tests of its own hold against others.
    pub(super) fn by(hashlane: &Path) -> Result<Self> {
        let mut digests = BTreeMap::new();
        for content in CONTENTS {
            let mut command = Command::new(hashlane);
            command.args(["sum", "--quiet", "--manifest-format", "jsonl", "-a", ALGORITHMS, "-"]);
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .context("cannot run hashlane")?;
            child.stdin.take().context("no input")?.write_all(content.as_bytes())?;
            let output = child.wait_with_output()?;
            ensure!(output.status.success(), "hashlane sum ended with {}", output.status);
            let mut record: serde_json::Value = serde_json::from_slice(&output.stdout)?;
            let of_content =
                serde_json::from_value(record["digests"].take()).context("a record without digests")?;
            digests.insert(content, of_content);
        }
        Ok(Self(digests))
    }

    fn hex(&self, algorithm: &str, content: &str) -> String {
        self.0[content][algorithm].clone()
    }
}

/// Makes files, and lists of them.
pub(super) fn make(root: &Path, digests: &Digests) -> io::Result<()> {
    let path = |name: &[u8]| root.join(OsStr::from_bytes(name));
    fs::create_dir_all(root.join("d/e"))?;
    for (name, content) in FILES {
        fs::write(path(name), content)?;
    }
    fs::write(path(b"big"), vec![7; 3 << 20])?;
    symlink("a", path(b"link"))?;
    symlink("nowhere", path(b"dangling"))?;
    lists(root, digests)
}

/// Lists for `--check`.
fn lists(root: &Path, digests: &Digests) -> io::Result<()> {
    let hex = |algorithm: &str, content: &str| digests.hex(algorithm, content);
    let right = hex("sha256", "hi");
    let wrong = right.replace('8', "9");
    let odd = hex("sha256", "x");
    let upper = right.to_ascii_uppercase();
    let good = format!("{right}  a\n{}  b\n{}  d/deep\n", hex("sha256", "two\n"), hex("sha256", "y"));
    let mixed = format!(
        "# comment\n{right}  a\n{wrong}  a\nno digest\n\n{right}  missing\n{right}  d\n{upper} *a\nSHA256 (a) = {right}\n\
         SHA256(a)= {right}\nSHA256 (a) ={right}\nMD5 (a) = {}\n{right} a\n\t {right}  a\n{right}\ta\n{right}\n{right}  \n\
         {right}0  a\n{}  a\nsha256 (a) = {right}\nSHA256 (a = {right}\n\\{odd}  new\\nline\n\\{odd}  back\\\\slash\n\
         \\{odd}  bad\\escape\n\\{odd}  ends\\\n\\SHA256 (new\\nline) = {odd}\n{odd}  back\\slash\n{odd}  back\\n\n\
         SHA256 (a) = b) = {odd}\nSHA256 ((paren)) = {odd}\n{odd}  trailing \n{odd}   leading\n{odd} **star\n{odd}  star*\n",
        hex("md5", "hi"),
        &right[1..],
    );
    let crlf = good.replace('\n', "\r\n");
    let files = [
        ("GOOD", good.clone()),
        ("MIXED", mixed),
        ("CRLF", crlf),
        ("NOEND", good.trim_end().to_owned()),
        ("REVERSED", format!("{right} a\n{wrong} b\n{right}  a\n")),
        ("MISSING", format!("{right}  missing\n{right}  gone too\n")),
        ("PARTLY", format!("{right}  a\n{right}  missing\n")),
        ("NONE", "nothing\nhere\n".to_owned()),
        ("COMMENTS", "# one\n# two\n".to_owned()),
        ("STDIN", format!("{right}  -\n")),
        ("BOM", format!("\u{feff}{good}")),
        ("MD5SUMS", format!("{}  a\n{}  b\n", hex("md5", "hi"), hex("md5", "hi"))),
        ("SHA1SUMS", format!("SHA1 (a) = {}\n", hex("sha1", "hi"))),
        ("SHA512SUMS", format!("{}  a\n", hex("sha512", "hi"))),
        ("B3SUMS", b3(&hex("blake3", "hi"), &hex("blake3", "x"), &hex("sha256", "hi"))),
        ("XXSUMS", xx(&hex)),
        ("B2SUMS", b2(&hex("blake2b", "hi"), &hex("blake2b-256", "hi"))),
    ];
    for (name, text) in files {
        fs::write(root.join(name), text)?;
    }
    fs::write(root.join("B3BAD"), [hex("blake3", "hi").as_bytes(), b"  a\n", b"\xff\n"].concat())?;
    fs::write(root.join("LONG"), format!("{}  a\n{}\n", hex("xxh64", "hi"), "x".repeat(40_000)))?;
    fs::write(
        root.join("NAMES"),
        "a\n# comment\nb\nmissing\n\nd\n\\new\\nline\nback\\slash\n\\bad\\escape\n*star\n-\n",
    )
}

fn b2(full: &str, half: &str) -> String {
    format!(
        "{full}  a\n{half}  a\nBLAKE2b (a) = {full}\nBLAKE2b-256 (a) = {half}\nBLAKE2b-512 (a) = {full}\nBLAKE2b-255 (a) = {half}\n\
         BLAKE2b-0 (a) = {full}\nBLAKE2b-520 (a) = {full}\nBLAKE2b- (a) = {full}\nBLAKE2b-256 (a) = {full}\n{}  a\n{full}00  a\n",
        &half[1..]
    )
}

/// Lines of b3sum, right and wrong.
fn b3(right: &str, odd: &str, other: &str) -> String {
    let upper = right.to_ascii_uppercase();
    format!(
        "{right}  a\n{other}  a\n{right}  missing\n{right}  d\n\n# comment\n{right} a\n{right} *a\n\
         {right}   a\n{upper}  a\n\
         {}  a\n{right}0  a\n{right}  \n{right}\nBLAKE3 (a) = {right}\nBLAKE3 (a)= {right}\n\
         BLAKE3 (a) = {other}\n\
         blake3 (a) = {right}\nBLAKE3 (a) = b) = {odd}\nBLAKE3 ((paren)) = {odd}\n\
         BLAKE3 (a  b) = {right}\nBLAKE3 () = {right}\n\
         \\{odd}  new\\nline\n\\{odd}  return\\r\n\\{odd}  back\\\\slash\n\\{odd}  bad\\escape\n\
         \\{odd}  ends\\\n\
         \\BLAKE3 (new\\nline) = {odd}\n{odd}  back\\n\n{odd}  bad\u{fffd}\n{odd}  \u{fc}\n\
         {odd}  trailing \n{odd}   leading\n\
         \u{fc}{}  a\n  {right}  a\n{right}  a\r\n",
        &right[1..],
        &right[2..],
    )
}

/// Lines of xxhsum, right and wrong.
fn xx(hex: &dyn Fn(&str, &str) -> String) -> String {
    let [right, xxh3, xxh128, odd] =
        [hex("xxh64", "hi"), hex("xxh3", "hi"), hex("xxh128", "hi"), hex("xxh64", "x")];
    let wrong = right.replace(|digit| "0123456789".contains(digit), "a");
    let bytes: Vec<_> = right.as_bytes().chunks(2).rev().flatten().copied().map(char::from).collect();
    let reversed: String = bytes.into_iter().collect();
    let upper = right.to_ascii_uppercase();
    format!(
        "{right}  a\n{wrong}  a\n{right}  missing\n\n{right} a\n{right} *a\n{right}a\n{right}\n{right} \n\
         {right}  \n{right}\ta\n\
         {upper}  a\n{right}0  a\n{xxh128}  a\n{reversed}  a\nno digest\nXXH64 (a) = {right}\n\
         XXH64_LE (a) = {reversed}\n\
         XXH64 (a) = {reversed}\nXXH64(a) = {right}\nXXH64 (a)= {right}\nXXH64 (a = {right}\n\
         XXH64 () = {right}\nxxh (a) = {right}\n\
         XXH64 (a) = b) = {odd}\nXXH64 ((paren)) = {odd}\nXXH3 (a) = {xxh3}\nXXH3_LE (a) = {xxh3}\n\
         XXH128 (a) = {xxh128}\n\
         XXH32 (a) = {right}\nXXH128 (a) = {right}\nXXH64x (a) = {right}\n (a) = {right}\n( a) = {right}\n\
         {odd}  \u{fc}\n\
         {odd}  trailing \n{odd}   leading\n{odd} **star\n{odd}  with space\n  {right}  a\n{right}  a\r\n"
    )
}
