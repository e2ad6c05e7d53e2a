//! Signatures: where credentials come from, and what is asked for with them.
//!
//! The chains of places where they are looked for are those of reqsign. That of AWS: the environment, profiles, single sign-on, web
//! identities, processes, containers, instances. That of Google: the file that the environment names, the one that `gcloud` writes,
//! instances. That of Azure: the environment, `az`, certificates and secrets of clients, workloads, instances. They ask for files,
//! programs and answers of servers; what they get here comes by plain calls that wait.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use reqsign_core::{
    CommandExecute, CommandOutput, Context, Env, Error, FileRead, HttpSend, OsEnv, ProvideCredential, Result,
    Signer,
};
use reqsign_google::ServiceAccountTokenCredentialProvider as AccountTokens;
use ureq::Agent;
use ureq::tls::TlsConfig;
use {reqsign_aws_v4 as aws, reqsign_azure_storage as azure_storage, reqsign_google as google};

use crate::azure::Account;
use crate::credentials::Credentials;
use crate::service::Service;

/// The longest answer of a server that gives out credentials, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// What Google's library is asked for: to read, and nothing else.
const SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_only";

/// What lets Google's library run programs. It waits for them by a clock that is not here.
const PROGRAMS: &str = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";

/// Signs requests for a service, and a region of it.
#[derive(Clone, Debug)]
pub(crate) struct Signatures {
    signers: Signers,
    found: Arc<Found>,
}

/// One that signs as a service asks for it.
#[derive(Clone, Debug)]
enum Signers {
    S3(Signer<aws::Credential>),
    Google(Signer<google::Credential>),
    Azure(Signer<azure_storage::Credential>),
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
    /// `None` where nobody signs: requests for URLs.
    pub(crate) fn new(
        service: Service,
        (region, endpoint): (&str, &str),
        credentials: &Credentials,
        tls: &TlsConfig,
    ) -> Option<Self> {
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
        let context =
            Context::new().with_file_read(Files).with_command_execute(Commands).with_http_send(servers);
        let environment = |added| Environment { added, credentials: credentials.clone() };
        let signers = match service {
            Service::S3 => {
                let chain = aws::DefaultCredentialProvider::new();
                let signs = aws::RequestSigner::new("s3", region);
                Signers::S3(Signer::new(context.with_env(environment(HashMap::new())), chain, signs))
            }
            Service::Google => {
                let signs = google::RequestSigner::new("storage").with_scope(SCOPE);
                let environment = environment(HashMap::new());
                Signers::Google(Signer::new(context.with_env(environment), GoogleChain::new(), signs))
            }
            Service::Azure => {
                let chain = azure_storage::DefaultCredentialProvider::new();
                let account = Account::of(|name| credentials.find(name, variable));
                let environment = environment(account.variables(endpoint));
                let signs = azure_storage::RequestSigner::new();
                Signers::Azure(Signer::new(context.with_env(environment), chain, signs))
            }
            Service::Web => return None,
        };
        Some(Self { signers, found: Arc::default() })
    }

    /// The same credentials for another region.
    pub(crate) fn in_region(&self, region: &str) -> Self {
        let signers = match self.signers.clone() {
            Signers::S3(signer) => {
                Signers::S3(signer.with_request_signer(aws::RequestSigner::new("s3", region)))
            }
            others => others,
        };
        Self { signers, found: Arc::clone(&self.found) }
    }

    /// Signs a request: the first time with credentials that have to be found, later with these, until they run out.
    ///
    /// # Errors
    /// There are none, or those that there are cannot be used. The text has no part of them.
    pub(crate) fn sign(&self, request: &mut Parts) -> std::result::Result<(), String> {
        let sign = |request: &mut Parts| {
            let signed = match &self.signers {
                Signers::S3(signer) => pollster::block_on(signer.sign(request, None)),
                Signers::Google(signer) => pollster::block_on(signer.sign(request, None)),
                Signers::Azure(signer) => pollster::block_on(signer.sign(request, None)),
            };
            signed.map_err(|error| error.to_string())
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

/// Where Google's credentials are looked for.
#[derive(Debug)]
struct GoogleChain(google::DefaultCredentialProvider);

impl GoogleChain {
    fn new() -> Self {
        let chain = google::DefaultCredentialProvider::builder()
            .env(google::EnvCredentialProvider::new().with_scope(SCOPE))
            .well_known(google::WellKnownCredentialProvider::new().with_scope(SCOPE))
            .vm_metadata(google::VmMetadataCredentialProvider::new().with_scope(SCOPE));
        Self(chain.build())
    }
}

impl ProvideCredential for GoogleChain {
    type Credential = google::Credential;

    /// The key of a service account is exchanged for a token here, which serves for an hour. Left to the signer, there would be an
    /// exchange for each request.
    async fn provide_credential(&self, context: &Context) -> Result<Option<google::Credential>> {
        let found = self.0.provide_credential(context).await?;
        match found.as_ref().and_then(|credential| credential.service_account.clone()) {
            Some(account) => AccountTokens::new(account).with_scope(SCOPE).provide_credential(context).await,
            None => Ok(found),
        }
    }
}

/// The environment, or what stands for it, without leave to run programs, and with what it says in other words.
struct Environment {
    added: HashMap<String, String>,
    credentials: Credentials,
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Environment")
    }
}

impl Env for Environment {
    fn var(&self, name: &str) -> Option<String> {
        match name {
            PROGRAMS => None,
            _ => {
                self.added.get(name).cloned().or_else(|| self.credentials.find(name, |name| OsEnv.var(name)))
            }
        }
    }

    fn vars(&self) -> HashMap<String, String> {
        let mut all = self.credentials.all(OsEnv.vars());
        all.extend(self.added.clone());
        all.remove(PROGRAMS);
        all
    }

    fn home_dir(&self) -> Option<PathBuf> {
        OsEnv.home_dir()
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
        let is_own = parts.uri.host().is_some_and(|host| {
            host.starts_with("169.254.") || host.contains("fd00:ec2:") || host == "metadata.google.internal"
        });
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

/// What the environment says, if it says anything.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use rsa::pkcs8::{EncodePrivateKey as _, LineEnding};

    use super::*;

    /// Gives out tokens, and counts them.
    #[derive(Clone, Debug, Default)]
    struct Tokens(Arc<AtomicU32>);

    impl HttpSend for Tokens {
        async fn http_send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>> {
            assert_eq!(request.uri(), "https://oauth2.googleapis.com/token");
            self.0.fetch_add(1, Ordering::SeqCst);
            let answer = r#"{"access_token": "abc", "expires_in": 3600, "token_type": "Bearer"}"#;
            Ok(http::Response::new(Bytes::from(answer)))
        }
    }

    /// The one file that is read.
    #[derive(Debug)]
    struct OneFile(String);

    impl FileRead for OneFile {
        async fn file_read(&self, _: &str) -> Result<Vec<u8>> {
            Ok(self.0.clone().into_bytes())
        }
    }

    #[test]
    fn the_key_of_a_service_account_is_exchanged_once_for_all_requests() {
        let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 1024).expect("a key");
        let pem = key.to_pkcs8_pem(LineEnding::LF).expect("PEM").replace('\n', "\\n");
        let file = format!(r#"{{"type": "service_account", "client_email": "a@b", "private_key": "{pem}"}}"#);
        let added = HashMap::from([("GOOGLE_APPLICATION_CREDENTIALS".to_owned(), "key.json".to_owned())]);
        let tokens = Tokens::default();
        let context = Context::new()
            .with_http_send(tokens.clone())
            .with_file_read(OneFile(file))
            .with_env(Environment { added, credentials: Credentials::default() });
        let signs = google::RequestSigner::new("storage").with_scope(SCOPE);
        let signer = Signer::new(context, GoogleChain::new(), signs);
        for _ in 0..3 {
            let request =
                http::Request::get("https://storage.googleapis.com/b/a").body(()).expect("a request");
            let (mut parts, ()) = request.into_parts();
            pollster::block_on(signer.sign(&mut parts, None)).expect("signed");
            assert_eq!(parts.headers["authorization"], "Bearer abc");
        }
        assert_eq!(tokens.0.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn programs_are_never_allowed_by_the_environment() {
        let added = HashMap::from([(PROGRAMS.to_owned(), "1".to_owned()), ("X".to_owned(), "y".to_owned())]);
        let environment = Environment { added, credentials: Credentials::default() };
        assert_eq!((environment.var(PROGRAMS), environment.var("X").as_deref()), (None, Some("y")));
        let all = environment.vars();
        assert!(!all.contains_key(PROGRAMS) && all["X"] == "y");
    }
}
