//! The same against real servers, which check signatures, and whose objects are files: one tree is digested as files and over S3.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use hashlane_digest::Algorithm;

use super::with_credentials;
use crate::work::{Cmd, Dir, HASHLANE, digest, needs};

/// Names the server that the tests use: `versitygw` unless it says `s3proxy`. `cargo xtask services` goes through both.
pub(super) const SERVICE: &str = "HASHLANE_SERVICE";

/// A server whose buckets are the folders of a directory, and whose objects are their files. Ends with the value.
pub(super) struct Gateway {
    process: Child,
    url: String,
}

impl Gateway {
    /// One that serves `folder`; `None`, with a line that says so, where there is none.
    pub(super) fn start(folder: &Path) -> Option<Self> {
        Self::start_with(folder, None)
    }

    /// One that keeps versions in another folder; `None`, with a line that says so, where there is none, or one that cannot.
    pub(super) fn with_versions(folder: &Path, versions: &Path) -> Option<Self> {
        if is_s3proxy() {
            println!("SKIPPED: s3proxy keeps no versions");
            return None;
        }
        Self::start_with(folder, Some(versions))
    }

    fn start_with(folder: &Path, versions: Option<&Path>) -> Option<Self> {
        let is_java = is_s3proxy();
        let (name, file) = if is_java { ("s3proxy", "s3proxy.jar") } else { ("versitygw", "versitygw") };
        let program = tool(&format!("{name}/{file}"));
        if !needs(program.is_some(), name) {
            return None;
        }
        let program = program?;
        // Somebody else may take the port before the server does: then it ends, and another one is tried.
        loop {
            let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            let address = format!("127.0.0.1:{port}");
            let mut command = if is_java {
                s3proxy(&program, folder, &address)
            } else {
                versitygw(&program, folder, versions, &address)
            };
            let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let mut gateway = Self { process, url: format!("http://{address}") };
            while gateway.process.try_wait().unwrap().is_none() {
                if std::net::TcpStream::connect(&address).is_ok() {
                    return Some(gateway);
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// A command about collections. How the store is reached is kept with each.
    pub(super) fn keeper(&self, dir: &Dir, arguments: &[&str]) -> Cmd {
        with_credentials(dir.keeper(arguments))
    }

    /// Does to a bucket, or to an object in it, what `hashlane` never does: it writes.
    pub(super) fn write(&self, method: &str, path: &str, query: &str, body: &[u8]) {
        let host = self.url.strip_prefix("http://").unwrap();
        let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let content = hex(&sha256(body));
        let signed = "host;x-amz-content-sha256;x-amz-date";
        let canonical = format!(
            "{method}\n{path}\n{query}\nhost:{host}\nx-amz-content-sha256:{content}\nx-amz-date:{time}\n\n{signed}\n{content}"
        );
        let (day, scope) = (&time[..8], format!("{}/us-east-1/s3/aws4_request", &time[..8]));
        let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex(&sha256(canonical.as_bytes())));
        let key = [day, "us-east-1", "s3", "aws4_request"]
            .iter()
            .fold(b"AWS4secretsecret".to_vec(), |key, part| hmac(&key, part.as_bytes()));
        let signature = hex(&hmac(&key, to_sign.as_bytes()));
        let head = format!(
            "{method} {path}?{query} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\nConnection: close\r\n\
             x-amz-content-sha256: {content}\r\nx-amz-date: {time}\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=testkey/{scope}, SignedHeaders={signed}, Signature={signature}\r\n\r\n",
            body.len()
        );
        let mut connection = TcpStream::connect(host).unwrap();
        connection.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 2"), "{method} {path}: {answer}");
    }

    /// Lets the bucket `keep` keep versions from now on.
    pub(super) fn keep_versions(&self) {
        let enable = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
                      <Status>Enabled</Status></VersioningConfiguration>";
        self.write("PUT", "/keep", "versioning=", enable.as_bytes());
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn hashlane(&self, dir: &Dir, arguments: &[&str]) -> Cmd {
        with_credentials(dir.hashlane(arguments)).args(["--endpoint", &self.url])
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(super) fn is_s3proxy() -> bool {
    std::env::var(SERVICE).is_ok_and(|name| name == "s3proxy")
}

fn versitygw(program: &Path, folder: &Path, versions: Option<&Path>, address: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--quiet", "--access", "testkey", "--secret", "secretsecret", "--port", address, "posix"]);
    if let Some(versions) = versions {
        command.arg("--versioning-dir").arg(versions);
    }
    command.arg(folder);
    command
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    Algorithm::SHA256.digest(bytes).as_bytes().to_vec()
}

/// RFC 2104, for keys of up to a block.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let padded = |byte: u8| (0..64).map(|place| key.get(place).unwrap_or(&0) ^ byte).collect::<Vec<_>>();
    sha256(&[padded(0x5c), sha256(&[&padded(0x36), message].concat())].concat())
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn s3proxy(program: &Path, folder: &Path, address: &str) -> Command {
    let settings = folder.with_extension("properties");
    let text = format!(
        "s3proxy.endpoint=http://{address}\ns3proxy.authorization=aws-v2-or-v4\ns3proxy.identity=testkey\n\
         s3proxy.credential=secretsecret\njclouds.provider=filesystem-nio2\njclouds.filesystem.basedir={}\n",
        folder.display()
    );
    fs::write(&settings, text).unwrap();
    let mut command = Command::new("java");
    command
        .args(["-Xmx512m", "-cp"])
        .arg(program)
        .args(["org.gaul.s3proxy.Main", "--properties"])
        .arg(settings);
    command
}

/// What `cargo xtask setup`, or `services`, has installed.
pub(super) fn tool(name: &str) -> Option<PathBuf> {
    let mut built = Path::new(HASHLANE).ancestors().map(|above| above.join("tools").join(name));
    built.find(|tool| tool.is_file())
}

/// A tree in a bucket `keep` of a folder `store`.
fn tree(dir: &Dir) {
    let large: Vec<u8> = (0..34_000_000_u32).map(|place| (place % 251) as u8).collect();
    for number in 0..40 {
        dir.write(format!("store/keep/many/{number:02}"), vec![number; 1000 * usize::from(number)]);
    }
    dir.write("store/keep/a b+c/ü&d=1", "text")
        .write("store/keep/empty", "")
        .write("store/keep/large", &large);
}

#[test]
fn a_tree_has_the_same_digests_over_s3() {
    let dir = Dir::new();
    tree(&dir);
    let Some(gateway) = Gateway::start(&dir.path("store")) else { return };
    let files = dir.shell("cd store/keep && $0 sum -q -a md5,sha256 .").run().code(0);
    let files = String::from_utf8(files.stdout).unwrap();
    let over_s3 = gateway.hashlane(&dir, &["sum", "-q", "-a", "md5,sha256", "s3://keep"]).run().code(0);
    assert_eq!(String::from_utf8(over_s3.stdout).unwrap(), files.replace("(./", "(s3://keep/"));
}

#[test]
fn wrong_credentials_and_buckets_are_told_apart() {
    let dir = Dir::new();
    dir.write("store/keep/a", "a");
    let Some(gateway) = Gateway::start(&dir.path("store")) else { return };
    let said = |command: Cmd| command.run().code(16).messages().join("\n");
    let wrong = said(gateway.hashlane(&dir, &["sum", "s3://keep/a"]).env("AWS_SECRET_ACCESS_KEY", "wrong"));
    assert!(wrong.contains("SignatureDoesNotMatch") && wrong.contains("check the credentials"), "{wrong}");
    let unknown = said(gateway.hashlane(&dir, &["sum", "s3://keep/a"]).env("AWS_ACCESS_KEY_ID", "nobody"));
    // In words, or by the code of S3.
    let is_told = unknown.contains("access key ID") || unknown.contains("InvalidAccessKeyId");
    assert!(is_told, "{unknown}");
    let bucket = said(gateway.hashlane(&dir, &["sum", "s3://nothing/a"]));
    assert!(bucket.contains("NoSuchBucket"), "{bucket}");
    let key = said(gateway.hashlane(&dir, &["sum", "s3://keep/nothing"]));
    assert!(key.contains("no such object, and none below that name"), "{key}");
    gateway.hashlane(&dir, &["sum", "-q", "s3://keep/a"]).run().code(0);
}

/// The file below a directory that has this content.
fn with_content(directory: &Path, content: &[u8]) -> Option<PathBuf> {
    fs::read_dir(directory).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return with_content(&path, content);
        }
        fs::read(&path).is_ok_and(|found| found == content).then_some(path)
    })
}

#[test]
fn versions_are_read_verified_and_told_apart_from_what_was_deleted() {
    let dir = Dir::new();
    dir.write("store/keep/unversioned", "there before").write("versions/none", "");
    let versions = dir.path("versions");
    let Some(gateway) = Gateway::with_versions(&dir.path("store"), &versions) else { return };
    gateway.keep_versions();
    gateway.write("PUT", "/keep/p/a%20b", "", b"first");
    gateway.write("PUT", "/keep/p/a%20b", "", b"second");
    gateway.write("DELETE", "/keep/p/a%20b", "", b"");
    gateway.write("PUT", "/keep/p/c", "", b"third");
    let sum = ["sum", "-o", "VERSIONS", "--versions", "s3://keep"];
    let ran = gateway.hashlane(&dir, &sum).run().code(0);
    assert!(ran.stderr.contains("; 1 delete marker passed over"), "{}", ran.stderr);
    let list = String::from_utf8(dir.read("VERSIONS")).unwrap();
    let digests: Vec<_> = list.lines().map(|line| &line[..64]).collect();
    let expected = ["second", "first", "third", "there before"].map(|content| digest("sha256", content));
    assert_eq!(digests, expected, "{list}");
    let names: Vec<_> = list.lines().map(|line| &line[66..]).collect();
    assert!(names[..2].iter().all(|name| name.starts_with("s3://keep/p/a b?versionId=")), "{list}");
    assert!(names[0] != names[1], "{list}");
    gateway.hashlane(&dir, &["check", "-q", "--versions", "VERSIONS"]).run().code(0);
    // Without the option, the whole name is a key.
    gateway.hashlane(&dir, &["check", "-q", "VERSIONS"]).run().code(2);
    // The current state of one is gone, and that is said.
    dir.write("CURRENT", format!("{}  s3://keep/p/a b\n", digest("sha256", "second")));
    let ran = gateway.hashlane(&dir, &["check", "CURRENT"]).run().code(2);
    let expected = "s3://keep/p/a b: was deleted in the store, which may still keep older versions of it";
    assert!(ran.messages().join("\n").contains(expected), "{}", ran.stderr);
    // A byte of an old version that is another one.
    let old = with_content(&versions, b"first").expect("the old version is a file");
    fs::write(old, "fIrst").unwrap();
    let ran = gateway.hashlane(&dir, &["check", "--versions", "VERSIONS"]).run().code(8);
    let text = String::from_utf8(ran.stdout.clone()).unwrap();
    let failed: Vec<_> = text.lines().filter(|line| !line.ends_with(": OK")).collect();
    assert_eq!(
        failed,
        [format!("{}: FAILED (corrupt: the store's checksum does not match either)", names[1])]
    );
    // The server keeps a checksum, so it is known that the content was damaged and not replaced.
    let expected = format!("{}: its content has neither the listed digest nor the checksum", names[1]);
    assert!(ran.messages().join("\n").contains(&expected), "{}", ran.stderr);
}

#[test]
fn versions_of_one_object_fill_several_pages() {
    let dir = Dir::new();
    dir.write("store/keep/beside", "beside").write("versions/none", "");
    let Some(gateway) = Gateway::with_versions(&dir.path("store"), &dir.path("versions")) else { return };
    gateway.keep_versions();
    // A key that is written out, in pages and in what they are asked for with.
    for number in 0..1100 {
        gateway.write("PUT", "/keep/a%20%2B%2541", "", format!("content {number}").as_bytes());
    }
    let ran = gateway.hashlane(&dir, &["sum", "--versions", "s3://keep"]).run().code(0);
    let list = String::from_utf8(ran.stdout.clone()).unwrap();
    let digests: Vec<_> = list.lines().map(|line| line[..64].to_owned()).collect();
    let expected = (0..1100).rev().map(|number| digest("sha256", format!("content {number}")));
    assert_eq!(digests, expected.chain([digest("sha256", "beside")]).collect::<Vec<_>>());
    assert!(list.starts_with(&format!("{}  s3://keep/a +%41?versionId=", digests[0])), "{}", &list[..150]);
    assert!(ran.stderr.contains(": 3 for listings, 1,101 for objects"), "{}", ran.stderr);
}
