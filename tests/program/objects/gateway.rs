//! The same against real servers, which check signatures, and whose objects are files: one tree is digested as files and over S3.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::with_credentials;
use crate::work::{Cmd, Dir, HASHLANE, needs};

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
        let is_java = std::env::var(SERVICE).is_ok_and(|name| name == "s3proxy");
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
                versitygw(&program, folder, &address)
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

fn versitygw(program: &Path, folder: &Path, address: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args(["--quiet", "--access", "testkey", "--secret", "secretsecret", "--port", address, "posix"])
        .arg(folder);
    command
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
