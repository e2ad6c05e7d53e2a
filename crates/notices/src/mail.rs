//! Mail: one for what has changed, to all who get it.

use std::time::Duration;

use hashlane_config::{Encryption, Mail, MailWay, Relay, Secret};
use hashlane_record::Escaped;
use jiff::Timestamp;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{SendmailTransport, SmtpTransport, Transport as _};
use serde::{Deserialize, Serialize};

use crate::channel::Undelivered;

/// How long a server may take for each thing that it is told.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a mail says, as it is put down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Letter {
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
    /// What collections are called by nobody: mails about the same one belong together.
    pub(crate) threads: Vec<String>,
}

/// What distinguishes a mail from all others.
#[derive(Clone, Debug)]
pub(crate) struct Stamp<'a> {
    /// What no other mail has, whatever it is about.
    pub(crate) id: String,
    /// The machine that it comes from.
    pub(crate) host: &'a str,
    /// When it was made, in seconds since 1970.
    pub(crate) made_s: i64,
}

/// Headers of a name and a text that lettre has no type for. The names are known, and so are their values: nothing that anybody has chosen.
macro_rules! header {
    ($type:ident, $name:literal) => {
        #[derive(Clone)]
        struct $type(String);

        impl Header for $type {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($name)
            }

            fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Ok(Self(text.to_owned()))
            }

            fn display(&self) -> HeaderValue {
                HeaderValue::new(Self::name(), self.0.clone())
            }
        }
    };
}

header!(AutoSubmitted, "Auto-Submitted");
header!(ListId, "List-Id");

/// Sends a letter. `password`: that of the user of the server.
pub(crate) fn send(
    mail: &Mail,
    password: Option<&Secret>,
    stamp: &Stamp<'_>,
    letter: &Letter,
    certificates: &[u8],
) -> Result<(), Undelivered> {
    let message = message(mail, stamp, letter)?;
    match &mail.way {
        MailWay::Smtp { relay, .. } => {
            let sent = transport(relay, password, certificates)?.send(&message);
            sent.map(drop).map_err(|error| Undelivered(format!("{relay}: {}", words(&error))))
        }
        MailWay::Sendmail(program) => {
            SendmailTransport::new_with_command(program).send(&message).map_err(|error| {
                Undelivered(format!(
                    "{}: {}",
                    Escaped(program.as_os_str().as_encoded_bytes()),
                    Undelivered::of(error)
                ))
            })
        }
        MailWay::Directory(directory) => {
            // By its number: one that is put there twice is the same file.
            let path = directory.join(format!("{}.eml", stamp.id));
            hashlane_io::replace(&path, &message.formatted()).map_err(Undelivered::of)
        }
    }
}

/// What went wrong, with what the server has said.
fn words(error: &lettre::transport::smtp::Error) -> String {
    let mut words = Undelivered::of(error).0;
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        let more = Undelivered::of(error).0;
        if !words.contains(&more) {
            words += &format!(": {more}");
        }
        source = error.source();
    }
    words
}

fn transport(
    relay: &Relay,
    password: Option<&Secret>,
    certificates: &[u8],
) -> Result<SmtpTransport, Undelivered> {
    let tls = || {
        let mut parameters = TlsParameters::builder(relay.host.clone());
        if !certificates.is_empty() {
            let certificate = Certificate::from_pem(certificates);
            parameters = parameters.add_root_certificate(certificate.map_err(Undelivered::of)?);
        }
        parameters.build().map_err(Undelivered::of)
    };
    let tls = match relay.encryption {
        Encryption::Tls => Tls::Wrapper(tls()?),
        // A server that does not offer it is told nothing.
        Encryption::StartTls => Tls::Required(tls()?),
        Encryption::None => Tls::None,
    };
    let builder =
        SmtpTransport::builder_dangerous(&relay.host).port(relay.port).tls(tls).timeout(Some(PATIENCE));
    Ok(match (&relay.user, password) {
        (Some(user), Some(password)) => {
            builder.credentials(Credentials::new(user.clone(), password.expose().to_owned())).build()
        }
        _ => builder.build(),
    })
}

fn message(mail: &Mail, stamp: &Stamp<'_>, letter: &Letter) -> Result<Message, Undelivered> {
    let domain = domain(stamp.host);
    let mailbox = |text: &str| text.parse::<lettre::Address>().map(|address| Mailbox::new(None, address));
    let named = |text: &str| {
        mailbox(text).map_err(|_| Undelivered(format!("{} is not an address", Escaped(text.as_bytes()))))
    };
    let from = match &mail.from {
        Some(from) => named(from)?,
        None => named(&format!("hashlane@{domain}"))?,
    };
    let date = Timestamp::from_second(stamp.made_s).map_err(Undelivered::of)?;
    let mut builder = Message::builder()
        .from(Mailbox::new(Some("hashlane".to_owned()), from.email))
        .subject(&letter.subject)
        .date(std::time::SystemTime::from(date))
        .message_id(Some(format!("<{}@{domain}>", stamp.id)))
        // Nobody is to answer that they are away.
        .header(AutoSubmitted("auto-generated".to_owned()))
        .header(ListId(format!("hashlane on {domain} <hashlane.{domain}>")));
    for to in &mail.to {
        builder = builder.to(named(to)?);
    }
    // The first mail of a thread is one that was never sent: all that are about a collection answer it.
    let threads: Vec<_> = letter.threads.iter().map(|thread| format!("<{thread}@{domain}>")).collect();
    if let [thread] = &threads[..] {
        builder = builder.in_reply_to(thread.clone());
    }
    if !threads.is_empty() {
        builder = builder.references(threads.join(" "));
    }
    let part = |kind: ContentType, text: &str| SinglePart::builder().header(kind).body(text.to_owned());
    let parts = MultiPart::alternative()
        .singlepart(part(ContentType::TEXT_PLAIN, &letter.text))
        .singlepart(part(ContentType::TEXT_HTML, &letter.html));
    builder.multipart(parts).map_err(Undelivered::of)
}

/// The name of a machine where the domain of an address is asked for.
fn domain(host: &str) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() || ".-".contains(char) { char } else { '-' };
    let domain: String = host.chars().map(plain).collect();
    let domain = domain.trim_matches(['.', '-']).to_owned();
    if domain.is_empty() { "localhost".to_owned() } else { domain }
}
