//! The same against real servers that speak as Google's and Azure's do, which `cargo xtask setup` installs.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use data_encoding::BASE64;
use hashlane_digest::Algorithm;

use super::gateway::{SERVICE, tool};
use super::some_bytes;
use crate::work::{Cmd, Dir, digest, needs, printed};

/// The account of Azure, and its key: "secretsecret".
const ACCOUNT: (&str, &str) = ("me", "c2VjcmV0c2VjcmV0");

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Google,
    Azure,
}

/// Their servers, as `HASHLANE_SERVICE` names them.
const GOOGLE: &str = "fake-gcs-server";
const AZURE: &str = "azurite";

/// Does the same with a server of each of these kinds; where `HASHLANE_SERVICE` names one of them, with that alone.
fn with_each(kinds: &[Kind], test: impl Fn(&Dir, Cloud)) {
    let only = std::env::var(SERVICE).ok().and_then(|name| match name.as_str() {
        GOOGLE => Some(Kind::Google),
        AZURE => Some(Kind::Azure),
        _ => None,
    });
    for &kind in kinds.iter().filter(|kind| only.is_none_or(|only| only == **kind)) {
        let dir = Dir::new();
        if let Some(cloud) = Cloud::start(&dir, kind) {
            test(&dir, cloud);
        }
    }
}

const BOTH: [Kind; 2] = [Kind::Google, Kind::Azure];

/// A server with a bucket `keep`, whose contents lie in files somewhere below `folder`. Ends with the value.
struct Cloud {
    kind: Kind,
    process: Child,
    address: String,
    folder: PathBuf,
}

impl Cloud {
    /// A server of a kind; `None`, with a line that says so, where there is none.
    fn start(dir: &Dir, kind: Kind) -> Option<Self> {
        let (name, file) = match kind {
            Kind::Google => (GOOGLE, "fake-gcs-server/fake-gcs-server"),
            Kind::Azure => (AZURE, "azurite/node_modules/azurite/dist/src/blob/main.js"),
        };
        let program = tool(file);
        if !needs(program.is_some(), name) {
            return None;
        }
        let program = program?;
        let folder = dir.path("cloud");
        fs::create_dir_all(&folder).unwrap();
        // Somebody else may take the port before the server does: then it ends, and another one is tried.
        loop {
            let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port().to_string();
            let address = format!("127.0.0.1:{port}");
            let mut command = match kind {
                Kind::Google => fake_gcs_server(&program, &folder, &address, &port),
                Kind::Azure => azurite(&program, &folder, &port),
            };
            let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let mut cloud = Self { kind, process, address, folder: folder.clone() };
            while cloud.process.try_wait().unwrap().is_none() {
                if TcpStream::connect(&cloud.address).is_ok() {
                    cloud.make_bucket();
                    return Some(cloud);
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }

    fn make_bucket(&self) {
        match self.kind {
            Kind::Google => self.send("POST", "/storage/v1/b", "application/json", br#"{"name": "keep"}"#),
            Kind::Azure => {
                self.send("PUT", &format!("/me/keep?restype=container&{}", token()), "text/plain", b"");
            }
        }
    }

    fn put(&self, key: &str, content: &[u8]) {
        let key = encoded(key);
        match self.kind {
            Kind::Google => {
                let target = format!("/upload/storage/v1/b/keep/o?uploadType=media&name={key}");
                self.send("POST", &target, "application/x-test", content);
            }
            Kind::Azure => {
                self.send("PUT", &format!("/me/keep/{key}?{}", token()), "application/x-test", content);
            }
        }
    }

    /// Sends a request, which is to succeed.
    fn send(&self, method: &str, target: &str, kind: &str, body: &[u8]) {
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
             x-ms-version: 2023-11-03\r\nx-ms-blob-type: BlockBlob\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        let request = [head.as_bytes(), body].concat();
        // A server that closes a connection may take its answer back with it. The same may be sent again.
        for _ in 0..5 {
            let mut connection = TcpStream::connect(&self.address).unwrap();
            let mut answer = Vec::new();
            let sent = connection.write_all(&request).and_then(|()| connection.read_to_end(&mut answer));
            let answer = String::from_utf8_lossy(&answer);
            match sent {
                Err(_) if answer.is_empty() => {}
                _ => return assert!(answer.starts_with("HTTP/1.1 20"), "{method} {target}: {answer}"),
            }
        }
        panic!("{method} {target}: no answer");
    }

    /// Flips a bit of a content behind the back of the server.
    fn damage(&self, content: &[u8]) {
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let mut bytes = fs::read(&path).unwrap();
                if let Some(place) = bytes.windows(content.len()).position(|window| window == content) {
                    bytes[place] ^= 1;
                    // In place: what is known of the file stays.
                    fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(&bytes).unwrap();
                    return;
                }
            }
        }
        panic!("the content is nowhere in a file");
    }

    fn name(&self, key: &str) -> String {
        match self.kind {
            Kind::Google => format!("gs://keep/{key}"),
            Kind::Azure => format!("az://keep/{key}"),
        }
    }

    /// A command with credentials. The server is named in the environment.
    fn with_credentials(&self, command: Cmd) -> Cmd {
        match self.kind {
            Kind::Google => command.env("STORAGE_EMULATOR_HOST", &self.address),
            Kind::Azure => {
                let (name, key) = ACCOUNT;
                let endpoint = format!("http://{}/{name}", self.address);
                let string = format!("BlobEndpoint={endpoint};AccountName={name};AccountKey={key}");
                command.env("AZURE_STORAGE_CONNECTION_STRING", &string)
            }
        }
    }

    fn hashlane(&self, dir: &Dir, arguments: &[&str]) -> Cmd {
        self.with_credentials(dir.hashlane(arguments))
    }

    fn keeper(&self, dir: &Dir, arguments: &[&str]) -> Cmd {
        self.with_credentials(dir.keeper(arguments))
    }
}

impl Drop for Cloud {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn fake_gcs_server(program: &Path, folder: &Path, address: &str, port: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["-backend", "filesystem", "-filesystem-root"]).arg(folder);
    command.args(["-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", address]);
    command
}

fn azurite(program: &Path, folder: &Path, port: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(program).arg("--location").arg(folder);
    command.args(["--blobHost", "127.0.0.1", "--blobPort", port, "--silent", "--loose"]);
    command.args(["--skipApiVersionCheck", "--disableTelemetry"]);
    command.env("AZURITE_ACCOUNTS", format!("{}:{}", ACCOUNT.0, ACCOUNT.1));
    command
}

/// A token that allows all in the account. It is signed once, so no request needs a date.
fn token() -> String {
    let (account, key) = ACCOUNT;
    let signed = format!("{account}\nrwdlac\nb\nsco\n\n2099-01-01T00:00:00Z\n\n\n2019-12-12\n");
    let signature = hmac_sha256(&BASE64.decode(key.as_bytes()).unwrap(), signed.as_bytes());
    format!(
        "sv=2019-12-12&ss=b&srt=sco&sp=rwdlac&se=2099-01-01T00%3A00%3A00Z&sig={}",
        encoded(&BASE64.encode(&signature))
    )
}

/// RFC 2104.
fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    let sha256 = |bytes: &[u8]| Algorithm::SHA256.digest(bytes).as_bytes().to_vec();
    let padded = |with: u8| -> Vec<u8> {
        (0..64).map(|place| key.get(place).copied().unwrap_or_default() ^ with).collect()
    };
    let inner = sha256(&[padded(0x36), message.to_vec()].concat());
    sha256(&[padded(0x5c), inner].concat())
}

fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-~".contains(byte);
    text.bytes()
        .map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[test]
fn objects_are_digested_and_verified() {
    with_each(&BOTH, |dir, cloud| {
        let mut all: Vec<(String, Vec<u8>)> = (0..40_u8)
            .map(|number| (format!("many/{number:02}"), vec![number; 1000 * usize::from(number)]))
            .collect();
        for key in ["a b+c/ü&d=1", "e%20f?#", "quote\"'<>", "x/y.", "tilde~"] {
            all.push((key.to_owned(), key.as_bytes().to_vec()));
        }
        all.push(("large".to_owned(), some_bytes(36_000_000)));
        all.iter().for_each(|(key, content)| cloud.put(key, content));
        all.sort();
        let list = |algorithm: &str| -> String {
            let line = |(key, content): &(String, Vec<u8>)| {
                format!("{}  {}\n", digest(algorithm, content), cloud.name(key))
            };
            all.iter().map(line).collect()
        };
        let ran = cloud.hashlane(dir, &["sum", &cloud.name("")]).run().code(0);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), list("sha256"));
        assert!(ran.stderr.contains("46 objects with the checksum that the store keeps"), "{}", ran.stderr);
        dir.write("list", list("md5"));
        let ran = cloud.hashlane(dir, &["check", "list"]).run().code(0);
        assert!(ran.stderr.contains("46 OK by md5"), "{}", ran.stderr);
        let below = cloud.hashlane(dir, &["sum", "-q", &cloud.name("many")]).run().code(0);
        assert_eq!(String::from_utf8_lossy(&below.stdout).lines().count(), 40);
    });
}

#[test]
fn damage_in_the_store_is_found_by_its_checksum() {
    with_each(&BOTH, |dir, cloud| {
        cloud.put("fine", b"what is fine");
        cloud.put("flipped", b"what will be another content");
        cloud.damage(b"what will be another");
        let ran = cloud.hashlane(dir, &["sum", &cloud.name("")]).run().code(16);
        let expected = format!("{}  {}\n", digest("sha256", "what is fine"), cloud.name("fine"));
        assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
        let messages = ran.messages().join("\n");
        assert!(
            messages.contains("flipped: does not match the checksum that the store keeps for it"),
            "{messages}"
        );
    });
}

#[test]
fn what_is_not_there_is_said() {
    with_each(&BOTH, |dir, cloud| {
        cloud.put("a", b"a");
        let said = |name: &str| {
            let ran = cloud.hashlane(dir, &["sum", name]).run().code(16);
            ran.messages().join("\n")
        };
        let key = said(&cloud.name("nothing"));
        assert!(key.contains("no such object, and none below that name"), "{key}");
        let bucket = said(&cloud.name("a").replace("keep", "nothing"));
        // The one server has the code of Azure, the other one is at a loss for an answer.
        let expected =
            if cloud.kind == Kind::Azure { "404: ContainerNotFound" } else { "the store answered 500" };
        assert!(bucket.contains(expected), "{bucket}");
        cloud.hashlane(dir, &["sum", "-q", &cloud.name("a")]).run().code(0);
    });
}

#[test]
fn wrong_credentials_are_told() {
    // The other server believes everybody.
    with_each(&[Kind::Azure], |dir, cloud| {
        cloud.put("a", b"a");
        let (name, endpoint) = (cloud.name("a"), format!("http://{}/{}", cloud.address, ACCOUNT.0));
        let sum = || dir.hashlane(["sum", &name, "--endpoint", &endpoint]);
        sum().env("AZURE_STORAGE_KEY", ACCOUNT.1).run().code(0);
        sum().env("AZURE_STORAGE_SAS_TOKEN", &token()).run().code(0);
        let wrong = sum().env("AZURE_STORAGE_KEY", "d3Jvbmc=").run().code(16).messages().join("\n");
        assert!(wrong.contains("403") && wrong.contains("check the credentials"), "{wrong}");
        sum().arg("--no-sign-request").run().code(16);
    });
}

#[test]
fn an_object_that_is_replaced_while_it_is_read_is_unstable() {
    with_each(&BOTH, |dir, cloud| {
        cloud.put("large", &some_bytes(48_000_000));
        let arguments = ["sum", "--progress=json", "--max-rate", "8MB", &cloud.name("large")];
        let mut running = cloud.hashlane(dir, &arguments).start();
        // Its first bytes have come, and the others have to wait for their turn.
        running.wait_for_bytes();
        cloud.put("large", &vec![1; 48_000_000]);
        let ran = running.wait().code(16);
        assert!(ran.stderr.contains("large: was modified while it was read"), "{}", ran.stderr);
    });
}

#[test]
fn collections_are_audited_and_damage_is_a_finding() {
    with_each(&BOTH, |dir, cloud| {
        for (key, content) in
            [("p/a", "the first"), ("p/d/b", "the second"), ("p/d/ü", "the third"), ("q", "beside")]
        {
            cloud.put(key, content.as_bytes());
        }
        cloud.keeper(dir, &["collection", "add", "k", &cloud.name("p")]).run().code(0);
        let ran = cloud.keeper(dir, &["audit", "k"]).run().code(0);
        assert!(ran.stderr.contains("; 3 registered"), "{}", ran.stderr);
        cloud.keeper(dir, &["audit", "k"]).run().code(0);
        cloud.damage(b"the second");
        cloud.put("p/new", b"new");
        let ran = cloud.keeper(dir, &["audit", "k"]).run();
        let said = printed(&ran);
        assert!(said.contains("k: d/b: CORRUPT") && said.contains("it was damaged in the store"), "{said}");
        assert!(ran.stderr.contains("1 new"), "{}", ran.stderr);
        cloud.put("p/d/b", b"the second");
        cloud.keeper(dir, &["audit", "k"]).run().code(0);
        // How the server is reached was kept, and a server that is gone says nothing of missing objects.
        drop(cloud);
        let ran = dir.keeper(["audit", "k"]).env("AZURE_STORAGE_KEY", ACCOUNT.1).run();
        assert!(ran.stderr.contains("k: offline") && !ran.stderr.contains("missing"), "{}", ran.stderr);
    });
}
