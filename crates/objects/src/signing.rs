//! Signatures: where credentials come from, and what is asked for with them.
//!
//! The chain of places where they are looked for is that of reqsign, which is that of AWS: the environment, profiles, single
//! sign-on, web identities, processes, containers, instances. It asks for files, programs and answers of servers; what it gets here
//! comes by plain calls that wait.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use reqsign_aws_v4::{Credential, DefaultCredentialProvider, RequestSigner};
use reqsign_core::{
    CommandExecute, CommandOutput, Context, Error, FileRead, HttpSend, OsEnv, Result, Signer,
};
use ureq::Agent;
use ureq::tls::TlsConfig;

/// The longest answer of a server that gives out credentials, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// Signs requests for a region.
#[derive(Clone, Debug)]
pub(crate) struct Signatures {
    signer: Signer<Credential>,
    found: Arc<Found>,
}

/// What came of the search for credentials.
#[derive(Debug, Default)]
struct Found {
    /// Some were found.
    some: AtomicBool,
    /// None were, for this reason. The places where they may be are not gone through again for each request.
    none: Mutex<Option<String>>,
}

impl Signatures {
    pub(crate) fn new(region: &str, tls: &TlsConfig) -> Self {
        let agent = |connect: u64, all: u64| {
            Agent::config_builder()
                .http_status_as_error(false)
                .tls_config(tls.clone())
                .timeout_connect(Some(Duration::from_secs(connect)))
                .timeout_global(Some(Duration::from_secs(all)))
                .build()
                .new_agent()
        };
        // Outside of a cloud nobody answers at the address of the instance's own server, and nobody is to wait for it.
        let servers = Servers { own: agent(1, 5), others: agent(10, 30) };
        let context = Context::new()
            .with_env(OsEnv)
            .with_file_read(Files)
            .with_command_execute(Commands)
            .with_http_send(servers);
        let signer = Signer::new(context, DefaultCredentialProvider::new(), RequestSigner::new("s3", region));
        Self { signer, found: Arc::default() }
    }

    /// The same credentials for another region.
    pub(crate) fn in_region(&self, region: &str) -> Self {
        let signer = self.signer.clone().with_request_signer(RequestSigner::new("s3", region));
        Self { signer, found: Arc::clone(&self.found) }
    }

    /// Signs a request: the first time with credentials that have to be found, later with these, until they run out.
    ///
    /// # Errors
    /// There are none, or those that there are cannot be used. The text has no part of them.
    pub(crate) fn sign(&self, request: &mut Parts) -> std::result::Result<(), String> {
        let sign = |request: &mut Parts| {
            pollster::block_on(self.signer.sign(request, None)).map_err(|error| error.to_string())
        };
        if self.have_signed() {
            return sign(request);
        }
        // One search for all: the others wait for what comes of it.
        let mut none = self.found.none.lock().unwrap_or_else(PoisonError::into_inner);
        if self.have_signed() {
            return sign(request);
        }
        if let Some(reason) = &*none {
            return Err(reason.clone());
        }
        // A place that does not answer is passed over as if it had nothing: it is asked once more.
        let signed = sign(request).or_else(|_| sign(request));
        match &signed {
            Ok(()) => self.found.some.store(true, Ordering::Release),
            Err(reason) => *none = Some(reason.clone()),
        }
        signed
    }

    /// Whether credentials were found.
    pub(crate) fn have_signed(&self) -> bool {
        self.found.some.load(Ordering::Acquire)
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
struct Servers {
    /// For those of the instance itself.
    own: Agent,
    others: Agent,
}

impl HttpSend for Servers {
    async fn http_send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>> {
        let failed = |error: ureq::Error| Error::unexpected(format!("no answer: {error}"));
        let (parts, body) = request.into_parts();
        let is_own =
            parts.uri.host().is_some_and(|host| host.starts_with("169.254.") || host.contains("fd00:ec2:"));
        let agent = if is_own { &self.own } else { &self.others };
        // A request without a body is not one with an empty body.
        let answer = if body.is_empty() {
            agent.run(http::Request::from_parts(parts, ()))
        } else {
            agent.run(http::Request::from_parts(parts, &body[..]))
        };
        let (parts, mut body) = answer.map_err(failed)?.into_parts();
        let body = body.with_config().limit(LONGEST_ANSWER).read_to_vec().map_err(failed)?;
        Ok(http::Response::from_parts(parts, Bytes::from(body)))
    }
}
