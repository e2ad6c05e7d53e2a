//! What keeps a whole location from being read.

use std::io;
use std::path::PathBuf;

use hashlane_record::system_text;

use crate::location::NameError;

/// Why nothing of a location can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path names no objects.
    #[error("{0}")]
    Name(#[from] NameError),
    /// Two URLs are the same without their secrets, so one name would stand for two objects.
    #[error("two URLs have this name, which leaves out signatures, tokens and passwords")]
    SameName,
    /// The endpoint is not a URL of a server.
    #[error("the endpoint {0} is not a URL such as https://s3.example.org")]
    Endpoint(String),
    /// No region can have that name.
    #[error("the region {0:?} is not a name such as eu-west-1")]
    Region(String),
    /// No account of Azure is named.
    #[error("no account is named")]
    Account,
    /// An endpoint was given, and objects are named that are elsewhere.
    #[error("the given endpoint belongs to another service, so this name cannot be looked up there")]
    OtherServer,
    /// All below a name was meant, and a plain server of HTTP lists nothing.
    #[error("a web server does not list what it has")]
    NoListing,
    /// All states of objects were meant, and this service is not asked for more than the current ones.
    #[error("versions are only read from S3")]
    NoVersions,
    /// The file that `AWS_CA_BUNDLE` names has no authorities.
    #[error("{}: {reason} (AWS_CA_BUNDLE)", path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No credentials were found, or they cannot be used.
    #[error("credentials: {0}")]
    Credentials(String),
    /// The store refused.
    #[error("the store answered {status}{}", details(code, message))]
    Refused {
        /// The status of HTTP.
        status: u16,
        /// The store's word for what is wrong, such as `NoSuchBucket`; empty if it gave none.
        code: String,
        /// What it says about it.
        message: String,
    },
    /// The store could not be reached, or broke off.
    #[error("{endpoint} cannot be reached: {}", system_text(source))]
    Unreachable {
        /// Where it was looked for.
        endpoint: String,
        /// What the system said.
        source: io::Error,
    },
    /// As many requests were made as there were to be.
    #[error("the limit on requests is reached")]
    RequestsUsedUp,
    /// The store answered something else than its service does.
    #[error("the store's listing cannot be read: {0}")]
    Answer(String),
    /// The object of this name was deleted, and there is none below it.
    #[error("the object was deleted in the store, which may still keep older versions of it")]
    Deleted,
    /// There is neither an object of this name nor one below it.
    #[error("no such object, and none below that name")]
    Nothing,
}

impl Error {
    /// Whether the credentials are good, and have not the right to what was asked for.
    pub fn is_denied(&self) -> bool {
        const CODES: [&str; 2] = ["AccessDenied", "AuthorizationPermissionMismatch"];
        matches!(self, Self::Refused { status: 403, code, .. } if CODES.contains(&code.as_str()))
    }
}

fn details(code: &str, message: &str) -> String {
    // Stores end sentences; what is said here may go on.
    [code, message.trim_end_matches('.')]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!(": {part}"))
        .collect()
}
