//! Servers that take mail.

use std::fmt;

use url::{Host, Url};

/// A server that takes mail.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relay {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// As whom it is spoken to.
    pub user: Option<String>,
    /// How what is said is kept from others.
    pub encryption: Encryption,
}

/// How what is said to a server is kept from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// By TLS from the first byte on: `smtps://`.
    Tls,
    /// By TLS from STARTTLS on, which the server has to offer: `smtp://`.
    StartTls,
    /// Not at all: `smtp+unencrypted://`.
    None,
}

impl Encryption {
    /// How the URL of such a server begins, and its usual port.
    const ALL: [(Self, &'static str, u16); 3] =
        [(Self::Tls, "smtps", 465), (Self::StartTls, "smtp", 587), (Self::None, "smtp+unencrypted", 25)];
}

impl Relay {
    /// That of a URL: `smtps://user@host:port`. The user is written as in any URL: `archive%40example.org`.
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        const FORM: &str = "write it like smtps://user@host:465";
        let url = Url::parse(text).map_err(|error| format!("not a URL: {error}; {FORM}"))?;
        let known = Encryption::ALL.into_iter().find(|(_, scheme, _)| *scheme == url.scheme());
        let Some((encryption, _, usual_port)) = known else {
            return Err(format!(
                "{}:// is not a way to a mail server; smtps:// has TLS from the beginning, smtp:// has STARTTLS, and smtp+unencrypted:// has none",
                url.scheme()
            ));
        };
        if url.password().is_some() {
            return Err("a password does not belong here; name its file with `password_file`".to_owned());
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(format!("nothing follows the host; {FORM}"));
        }
        let host =
            url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| format!("no host; {FORM}"))?;
        let user = match url.username() {
            "" => None,
            user => Some(decoded(user).ok_or("the user is not UTF-8")?),
        };
        let port = url.port().unwrap_or(usual_port);
        Ok(Self { host: host.to_owned(), port, user, encryption })
    }

    /// Whether it is this machine, by its name or address.
    pub fn is_here(&self) -> bool {
        match Host::parse(&self.host) {
            Ok(Host::Ipv4(address)) => address.is_loopback(),
            Ok(Host::Ipv6(address)) => address.is_loopback(),
            Ok(Host::Domain(name)) => name == "localhost",
            Err(_) => false,
        }
    }
}

/// Without the user.
impl fmt::Display for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = Encryption::ALL.iter().find(|(encryption, ..)| *encryption == self.encryption);
        let scheme = scheme.map_or("smtp", |(_, scheme, _)| scheme);
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(Into::into)
}
