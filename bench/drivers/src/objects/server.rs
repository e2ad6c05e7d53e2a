//! A server whose buckets are folders, and whose objects are files.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use xtask::cargo::target_directory;

/// Who may ask it.
pub(super) const KEY: &str = "testkey";
pub(super) const SECRET: &str = "secretsecret";

/// It ends with the value.
pub(super) struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    /// One that serves a directory.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let program = target_directory()?.join("tools/versitygw/versitygw");
        ensure!(program.is_file(), "versitygw is not here; `cargo xtask setup` installs it");
        let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
        let mut command = Command::new(&program);
        command.args([
            "--quiet",
            "--access",
            KEY,
            "--secret",
            SECRET,
            "--port",
            &address.to_string(),
            "posix",
        ]);
        command.arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().with_context(|| format!("cannot run {}", program.display()))?;
        let mut server = Self { process, address };
        while TcpStream::connect(address).is_err() {
            ensure!(server.process.try_wait()?.is_none(), "versitygw has ended");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
