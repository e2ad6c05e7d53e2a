//! Signatures: where credentials come from, and what is asked for with them.
//!
//! The chain of places where they are looked for is that of reqsign, which is that of AWS: the environment, profiles, single
//! sign-on, web identities, processes, containers, instances. It asks for files, programs and answers of servers; what it gets here
//! comes by plain calls that wait.

use std::fs;
use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use reqsign_aws_v4::{Credential, DefaultCredentialProvider, RequestSigner};
use reqsign_core::{
    CommandExecute, CommandOutput, Context, Error, FileRead, HttpSend, OsEnv, Result, Signer,
};
use ureq::Agent;

/// The longest answer of a server that gives out credentials, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// Signs requests for a region.
#[derive(Clone, Debug)]
pub(crate) struct Signatures(Signer<Credential>);

impl Signatures {
    pub(crate) fn new(region: &str) -> Self {
        // Outside of a cloud nobody answers at the address of the instance's own server, and nobody is to wait for it.
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(1)))
            .timeout_global(Some(Duration::from_secs(10)))
            .build()
            .new_agent();
        let context = Context::new()
            .with_env(OsEnv)
            .with_file_read(Files)
            .with_command_execute(Commands)
            .with_http_send(Servers(agent));
        Self(Signer::new(context, DefaultCredentialProvider::new(), RequestSigner::new("s3", region)))
    }

    /// The same credentials for another region.
    pub(crate) fn in_region(&self, region: &str) -> Self {
        Self(self.0.clone().with_request_signer(RequestSigner::new("s3", region)))
    }

    /// Signs a request: the first time with credentials that have to be found, later with these, until they run out.
    ///
    /// # Errors
    /// There are none, or those that there are cannot be used. The text has no part of them.
    pub(crate) fn sign(&self, request: &mut Parts) -> std::result::Result<(), String> {
        pollster::block_on(self.0.sign(request, None)).map_err(|error| error.to_string())
    }
}

#[derive(Debug)]
struct Files;

impl FileRead for Files {
    async fn file_read(&self, path: &str) -> Result<Vec<u8>> {
        fs::read(path).map_err(|error| Error::config_invalid(format!("{path}: {error}")))
    }
}

#[derive(Debug)]
struct Commands;

impl CommandExecute for Commands {
    async fn command_execute<'a>(
        &'a self,
        program: &'a str,
        arguments: &'a [&'a str],
    ) -> Result<CommandOutput> {
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|error| Error::config_invalid(format!("{program}: {error}")))?;
        Ok(CommandOutput {
            status: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }
}

#[derive(Debug)]
struct Servers(Agent);

impl HttpSend for Servers {
    async fn http_send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>> {
        let failed = |error: ureq::Error| Error::unexpected(format!("no answer: {error}"));
        let (parts, body) = request.into_parts();
        // A request without a body is not one with an empty body.
        let answer = if body.is_empty() {
            self.0.run(http::Request::from_parts(parts, ()))
        } else {
            self.0.run(http::Request::from_parts(parts, &body[..]))
        };
        let (parts, mut body) = answer.map_err(failed)?.into_parts();
        let body = body.with_config().limit(LONGEST_ANSWER).read_to_vec().map_err(failed)?;
        Ok(http::Response::from_parts(parts, Bytes::from(body)))
    }
}
