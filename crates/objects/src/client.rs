//! Requests to a store: how it is reached, and what was asked of it.

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashlane_record::system_text;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use http::request::Parts;
use http::uri::Scheme;
use http::{Method, Request, Response, Uri};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, ResponseExt as _};

use crate::azure::{self, Account};
use crate::credentials::Credentials;
use crate::error::Error;
use crate::need::Gate;
use crate::patience::{Backoff, Heeded, Patience};
use crate::refusal::{Refusal, Status};
use crate::service::Service;
use crate::signing::{Signatures, variable};
use crate::standing::Standings;

/// The region of requests, until a bucket says that it is elsewhere.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

/// The longest answer that is not an object, in bytes: a page of a listing has a thousand keys of a kilobyte, each written out, or five
/// thousand of three.
const LONGEST_ANSWER: u64 = 32 << 20;

/// Objects that are asked for at a time, at most. A store far away answers each after tens of milliseconds.
pub(crate) const MOST_OPENS: usize = 128;

/// How a store is reached.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Connection {
    /// The URL of a server; `None`: that of the environment, else those of the service. Of Azure, it is that of an account.
    pub endpoint: Option<String>,
    /// Where buckets of S3 are, unless they say otherwise; `None`: what `AWS_REGION` or `AWS_DEFAULT_REGION` says.
    pub region: Option<String>,
    /// Requests are not signed: for objects that everybody may read.
    pub anonymous: bool,
    /// Whoever asks pays for buckets whose owners ask for that.
    pub requester_pays: bool,
    /// How long a store is waited for.
    pub patience: Patience,
    /// What requests are signed with.
    pub credentials: Credentials,
}

impl Connection {
    /// That of the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same for a service, with the endpoint that the environment names where none was given.
    #[must_use]
    pub fn meant(&self, service: Service) -> Self {
        let mut meant = self.clone();
        if self.endpoint.is_some() {
            return meant;
        }
        meant.endpoint = match service {
            Service::S3 => variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")),
            Service::Google => emulator(),
            Service::Azure => Account::of(|name| self.credentials.find(name, variable)).endpoint(),
            Service::Web => None,
        };
        // As Google's own programs do: nobody is known there.
        meant.anonymous |= service == Service::Google && meant.endpoint.is_some();
        meant
    }
}

/// The server that stands for Google's, where the environment names one. It may have no scheme.
fn emulator() -> Option<String> {
    let host = variable("STORAGE_EMULATOR_HOST")?;
    Some(if host.contains("://") { host } else { format!("http://{host}") })
}

/// What was asked of a store so far.
#[derive(Debug, Default)]
pub struct Traffic {
    lists: AtomicU64,
    gets: AtomicU64,
    again: AtomicU64,
    agreeing: AtomicU64,
    markers: AtomicU64,
    /// Requests that may still be made, if they are counted.
    left: Mutex<Option<u64>>,
}

impl Traffic {
    /// Makes at most `most` requests from now on.
    pub(crate) fn limit(&self, most: u64) {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(most);
    }

    /// Takes one of the requests that may still be made; `false` if there is none.
    fn take_one(&self) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *left {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    }

    /// Pages of listings asked for.
    pub fn lists(&self) -> u64 {
        self.lists.load(Ordering::Relaxed)
    }

    /// All requests.
    pub fn requests(&self) -> u64 {
        self.lists() + self.gets()
    }

    /// Objects, and parts of objects, asked for, or asked about.
    pub fn gets(&self) -> u64 {
        self.gets.load(Ordering::Relaxed)
    }

    /// How many of both were asked for once more, because the store could not serve them, or broke off.
    pub fn again(&self) -> u64 {
        self.again.load(Ordering::Relaxed)
    }

    /// Objects whose content has the checksum that the store keeps for it.
    pub fn agreeing(&self) -> u64 {
        self.agreeing.load(Ordering::Relaxed)
    }

    /// Delete markers that listings of all versions had, and that are no content.
    pub fn markers(&self) -> u64 {
        self.markers.load(Ordering::Relaxed)
    }

    /// Counts no delete marker of the listings so far: they are listed once more.
    pub fn forget_markers(&self) {
        self.markers.store(0, Ordering::Relaxed);
    }

    pub(crate) fn count_marker(&self) {
        self.markers.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_agreeing(&self) {
        self.agreeing.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_again(&self) {
        self.again.fetch_add(1, Ordering::Relaxed);
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    List,
    Get,
    Head,
}

/// What an answer is taken from a connection into, before it goes into a block: small enough to be still in a core's cache by then.
const BUFFER_BYTES: usize = 64 << 10;

/// A store, as its buckets are asked.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) service: Service,
    agent: Agent,
    /// `None`: those of the service.
    endpoint: Option<String>,
    pub(crate) region: String,
    pub(crate) signatures: Option<Signatures>,
    pub(crate) requester_pays: bool,
    pub(crate) traffic: Arc<Traffic>,
    /// Lets objects be asked for.
    pub(crate) gate: Gate,
    pub(crate) patience: Patience,
    heeded: Heeded,
    standings: Standings,
}

impl Client {
    /// A store of a service. Its requests are counted in `traffic`.
    pub(crate) fn new(
        service: Service,
        connection: &Connection,
        traffic: Arc<Traffic>,
        heeded: Heeded,
    ) -> Result<Self, Error> {
        let connection = connection.meant(service);
        let patience = connection.patience;
        let endpoint = connection.endpoint.as_deref().map(checked_endpoint).transpose()?;
        if service == Service::Azure && endpoint.is_none() {
            return Err(Error::Account);
        }
        let region = region(&connection)?;
        let tls = TlsConfig::builder().root_certs(root_certificates()?).build();
        let signatures = match connection.anonymous {
            true => None,
            false => {
                let endpoint = endpoint.as_deref().unwrap_or_default();
                Signatures::new(service, (&region, endpoint), &connection.credentials, &tls)
            }
        };
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            // A request that is signed is for one server. A URL may lead to another one.
            .max_redirects(if service == Service::Web { 5 } else { 0 })
            .max_redirects_will_error(false)
            .save_redirect_history(service == Service::Web)
            .user_agent(concat!("hashlane/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .timeout_connect(Some(Duration::from_secs(10)))
            // A limit of its own for the body would hold while the answer is waited for, too.
            .timeout_per_read(Some(patience.silence))
            .input_buffer_size(BUFFER_BYTES)
            .max_idle_connections(256)
            .max_idle_connections_per_host(256)
            .build()
            .new_agent();
        Ok(Self {
            service,
            agent,
            endpoint,
            region,
            signatures,
            requester_pays: connection.requester_pays,
            traffic,
            gate: Gate::new(MOST_OPENS),
            patience,
            heeded,
            standings: Standings::default(),
        })
    }

    /// The URL of the endpoint, or what stands for all of the service.
    pub(crate) fn server(&self) -> &str {
        self.endpoint.as_deref().unwrap_or(self.service.server())
    }

    /// The URL of a bucket, without a slash at the end.
    pub(crate) fn url_of(&self, bucket: &str, region: &str) -> String {
        self.service.url(self.endpoint.as_deref(), bucket, region)
    }

    /// Waits before a request is made again of the server that has a URL; false if it is not to be.
    pub(crate) fn waits(&self, url: &Uri, refusal: &Refusal, backoff: &mut Backoff) -> bool {
        let standing = self.standings.of(url);
        let passes = match refusal {
            // Credentials that signed requests before are asked for again.
            Refusal::Credentials(_) => self.has_signed(),
            // A name that was known before is known again; another one may be a slip of the pen.
            _ if refusal.is_unknown_host() => standing.has_answered(),
            _ => refusal.is_transient(),
        };
        // Else each of many objects would be waited for as long as the first one was.
        if !passes || standing.is_given_up() {
            return false;
        }
        if refusal.asks_for_less() {
            self.gate.slow_down();
        }
        let answers = backoff.begun(|| standing.answers());
        let again = backoff.pause(refusal.is_silence(), &self.heeded);
        if again {
            self.traffic.count_again();
        } else {
            standing.give_up(refusal, answers);
        }
        again
    }

    /// Whether credentials were found, and signed a request.
    pub(crate) fn has_signed(&self) -> bool {
        self.signatures.as_ref().is_some_and(Signatures::have_signed)
    }

    /// Asks once.
    pub(crate) fn ask(
        &self,
        asked: Asked,
        uri: Uri,
        headers: &HeaderMap,
        signatures: Option<&Signatures>,
    ) -> Result<Response<Body>, Refusal> {
        let standing = self.standings.of(&uri);
        let _underway = standing.begin()?;
        if !self.traffic.take_one() {
            return Err(Refusal::UsedUp);
        }
        let count = match asked {
            Asked::List => &self.traffic.lists,
            Asked::Get | Asked::Head => &self.traffic.gets,
        };
        count.fetch_add(1, Ordering::Relaxed);
        let mut request = Request::new(());
        *request.method_mut() = if asked == Asked::Head { Method::HEAD } else { Method::GET };
        *request.uri_mut() = uri;
        *request.headers_mut() = headers.clone();
        let (mut parts, ()) = request.into_parts();
        if let Some(signatures) = signatures {
            signatures.sign(&mut parts).map_err(Refusal::Credentials)?;
            if would_show_token(&parts) {
                return Err(Refusal::Unencrypted);
            }
        }
        let answer = self.agent.run(Request::from_parts(parts, ()));
        let answer = answer.map_err(|error| Refusal::Transport(transport(error)))?;
        standing.answered(answer.status().is_success());
        // The first of them is the one that was asked.
        for _ in answer.get_redirect_history().unwrap_or_default().iter().skip(1) {
            count.fetch_add(1, Ordering::Relaxed);
            if !self.traffic.take_one() {
                return Err(Refusal::UsedUp);
            }
        }
        if answer.status().is_success() {
            return Ok(answer);
        }
        let status = answer.status().as_u16();
        let region = answer.headers().get("x-amz-bucket-region");
        let region = region.and_then(|region| region.to_str().ok()).map(str::to_owned);
        let code = answer.headers().get(azure::ERROR_CODE).and_then(|code| code.to_str().ok());
        let code = code.unwrap_or_default().to_owned();
        let is_deleted = answer.headers().get("x-amz-delete-marker").is_some_and(|told| told == "true");
        let is_deleted = is_deleted && self.service == Service::S3;
        // What cannot be read of the reason is not the reason.
        let body = body(answer).unwrap_or_default();
        let mut status = Status { is_deleted, ..Status::new(status, region, &body) };
        if status.code.is_empty() {
            status.code = code;
        }
        let refusal = Refusal::Status(status);
        standing.answered(!refusal.is_transient());
        Err(refusal)
    }
}

/// Whether everybody on the way could read a token and use it. Other signatures are for one request.
fn would_show_token(request: &Parts) -> bool {
    let authorization = request.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let is_bearer = authorization.is_some_and(|value| value.starts_with(b"Bearer "));
    let host = request.uri.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    is_bearer && request.uri.scheme() == Some(&Scheme::HTTP) && !is_here
}

/// The region of buckets that do not say where they are.
fn region(connection: &Connection) -> Result<String, Error> {
    let given = connection.region.clone();
    let region = given.or_else(|| variable("AWS_REGION")).or_else(|| variable("AWS_DEFAULT_REGION"));
    let region = region.unwrap_or_else(|| DEFAULT_REGION.to_owned());
    if is_region(&region) { Ok(region) } else { Err(Error::Region(region)) }
}

/// Looks whether a store can be reached as is asked for.
///
/// # Errors
/// The endpoint or the region is none, or nobody can vouch for a server.
pub(crate) fn check(connection: &Connection) -> Result<(), Error> {
    connection.endpoint.as_deref().map(checked_endpoint).transpose()?;
    region(connection)?;
    root_certificates().map(drop)
}

/// Who may vouch for a server: the authorities in the file that `AWS_CA_BUNDLE` names, else those of Mozilla.
fn root_certificates() -> Result<RootCerts, Error> {
    let Some(path) = std::env::var_os("AWS_CA_BUNDLE").filter(|path| !path.is_empty()) else {
        return Ok(RootCerts::WebPki);
    };
    let unusable = |reason: String| Error::Authorities { path: path.clone().into(), reason };
    let pem = std::fs::read(&path).map_err(|error| unusable(system_text(&error)))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| unusable(error.to_string()))? {
            certificates.push(certificate);
        }
    }
    match certificates.is_empty() {
        true => Err(unusable("no certificate is in it".to_owned())),
        false => Ok(RootCerts::Specific(Arc::new(certificates))),
    }
}

/// The body of an answer that is not an object.
pub(crate) fn body(mut answer: Response<Body>) -> Result<Vec<u8>, Refusal> {
    let body = answer.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec();
    body.map_err(|error| Refusal::Transport(transport(error)))
}

/// What the system said, or what comes closest to it.
pub(crate) fn transport(error: ureq::Error) -> io::Error {
    match error {
        // The system has no number for it.
        ureq::Error::Io(error) if error.raw_os_error().is_none() && is_lookup(&error) => unknown_host(error),
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(tls) if is_disagreement(tls) => io::Error::other(tls.clone()),
            _ => error,
        },
        ureq::Error::Timeout(_) | ureq::Error::BodyStalled => io::ErrorKind::TimedOut.into(),
        ureq::Error::HostNotFound => unknown_host("the host is not known"),
        ureq::Error::ConnectionFailed => io::ErrorKind::ConnectionRefused.into(),
        // Half an answer is what a server leaves behind that was stopped.
        ureq::Error::Protocol(error) => io::Error::new(io::ErrorKind::InvalidData, error),
        error => io::Error::other(error),
    }
}

/// Whether a server and this program do not come together, whenever they try: it is not the one that was named, or does not encrypt
/// as this program does, or not at all.
fn is_disagreement(error: &rustls::Error) -> bool {
    use rustls::{AlertDescription as Alert, Error};
    match error {
        Error::InvalidCertificate(_) | Error::NoCertificatesPresented | Error::PeerIncompatible(_) => true,
        Error::InvalidMessage(_) => true,
        Error::AlertReceived(alert) => matches!(
            alert,
            Alert::HandshakeFailure
                | Alert::ProtocolVersion
                | Alert::InsufficientSecurity
                | Alert::UnrecognisedName
                | Alert::UnknownCA
                | Alert::AccessDenied
                | Alert::CertificateRequired
        ),
        _ => false,
    }
}

/// The host of a server has no address, or nobody knows it.
fn unknown_host(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, reason)
}

/// Whether an error of the standard library is about the address of a host: it has no kind of its own.
fn is_lookup(error: &io::Error) -> bool {
    error.to_string().starts_with("failed to lookup address information")
}

/// Whether this can be the name of a region, which becomes part of the name of a host.
pub(crate) fn is_region(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// An endpoint without what is not part of it.
fn checked_endpoint(url: &str) -> Result<String, Error> {
    // Neither a password nor what follows a question mark is to be seen: that may be a token.
    let (shown, _) = url.split_once('?').unwrap_or((url, ""));
    let without_user = shown.rsplit_once('@').map(|(_, host)| format!("...@{host}"));
    let refused = || Error::Endpoint(without_user.clone().unwrap_or_else(|| shown.to_owned()));
    let trimmed = url.trim_end_matches('/');
    let uri: Uri = trimmed.parse().map_err(|_| refused())?;
    let scheme = uri.scheme_str();
    let sound = matches!(scheme, Some("http" | "https"))
        && uri.query().is_none()
        && uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    if sound { Ok(trimmed.to_owned()) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_for_servers_that_encrypt_and_for_this_machine() {
        let shows = |uri: &str, authorization: &'static str| {
            let request = Request::builder().uri(uri).header(AUTHORIZATION, authorization);
            would_show_token(&request.body(()).expect("a request").into_parts().0)
        };
        assert!(shows("http://storage.example.org/b", "Bearer x"));
        assert!(shows("http://10.0.0.1:4443/b", "Bearer x"));
        assert!(!shows("https://storage.example.org/b", "Bearer x"));
        for here in ["http://localhost:1/b", "http://127.0.0.2/b", "http://[::1]:1/b"] {
            assert!(!shows(here, "Bearer x"), "{here}");
        }
        assert!(!shows("http://storage.example.org/b", "AWS4-HMAC-SHA256 x"), "it is for one request");
    }

    #[test]
    fn a_server_that_cannot_be_trusted_is_not_tried_again() {
        use rustls::{AlertDescription, CertificateError, Error, InvalidMessage};
        let is_transient = |error: Error| {
            let error = io::Error::new(io::ErrorKind::InvalidData, error);
            Refusal::Transport(transport(ureq::Error::Io(error))).is_transient()
        };
        assert!(!is_transient(Error::InvalidCertificate(CertificateError::UnknownIssuer)));
        assert!(!is_transient(Error::InvalidMessage(InvalidMessage::InvalidContentType)));
        assert!(!is_transient(Error::AlertReceived(AlertDescription::HandshakeFailure)));
        for passing in [Error::DecryptError, Error::AlertReceived(AlertDescription::InternalError)] {
            assert!(is_transient(passing.clone()), "{passing}");
        }
    }

    #[test]
    fn endpoints_are_servers() {
        assert_eq!(checked_endpoint("http://localhost:9000/").expect("a server"), "http://localhost:9000");
        assert_eq!(checked_endpoint("https://s3.example.org/x").expect("a path"), "https://s3.example.org/x");
        for bad in ["localhost:9000", "ftp://x", "http://", "http://me:secret@x", "http://x/?a=b", ""] {
            let said = checked_endpoint(bad).expect_err(bad).to_string();
            assert!(!said.contains("secret"), "{said}");
        }
        let said = checked_endpoint("https://x/?sv=1&sig=secret").expect_err("a token").to_string();
        assert!(said.contains("https://x/") && !said.contains("secret"), "{said}");
    }
}
