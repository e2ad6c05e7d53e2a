//! Why a request was not answered with success.

use std::io;

use hashlane_io::{ReadCause, ReadError, ReadStep};
use hashlane_record::masked_answer;
use rustix::io::Errno;

use crate::error::Error;
use crate::xml::elements;

/// Why a request was not made that would have shown a token.
const UNENCRYPTED: &str = "a token is not sent without encryption; name the server by https://";

/// Why a request brought nothing.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The store answered, with a status that is not success.
    Status(Status),
    /// It did not answer, or broke off.
    Transport(io::Error),
    /// The request could not be signed.
    Credentials(String),
    /// It was not made, because everybody on the way would have seen a token.
    Unencrypted,
    /// No more requests are to be made.
    UsedUp,
}

/// An answer that is not success.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status {
    pub(crate) status: u16,
    /// The store's word for it.
    pub(crate) code: String,
    pub(crate) message: String,
    /// Where the bucket is, if the answer says so.
    pub(crate) region: Option<String>,
    /// A delete marker is what the bucket keeps under that key.
    pub(crate) is_deleted: bool,
}

impl Refusal {
    /// Whether the same request may be answered the next time.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Status(Status { status, code, .. }) => {
                matches!(status, 408 | 429 | 500 | 502 | 503 | 504) || code == "RequestTimeout"
            }
            // An answer that makes no sense will make none the next time.
            Self::Transport(error) if Errno::from_io_error(error) == Some(Errno::BADMSG) => false,
            Self::Transport(error) => !matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::NotFound | io::ErrorKind::Other
            ),
            Self::Credentials(_) | Self::Unencrypted | Self::UsedUp => false,
        }
    }

    /// Whether nothing came for a long time.
    pub(crate) fn is_silence(&self) -> bool {
        matches!(self, Self::Transport(error) if error.kind() == io::ErrorKind::TimedOut)
    }

    /// Whether the store asks to be asked less often.
    pub(crate) fn asks_for_less(&self) -> bool {
        matches!(self, Self::Status(Status { status: 429 | 503, .. }))
    }

    /// An answer that is none of a store's.
    pub(crate) fn malformed() -> Self {
        Self::Transport(Errno::BADMSG.into())
    }

    /// Whether its host has no address, or nobody knows it.
    pub(crate) fn is_unknown_host(&self) -> bool {
        matches!(self, Self::Transport(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// For the record of one object.
    pub(crate) fn into_read_error(self, step: ReadStep) -> ReadError {
        let cause = match self {
            Self::Status(status) if status.is_archived() => ReadCause::Archived,
            // The second one is the answer about a version that is a delete marker itself.
            Self::Status(Status { status: 404 | 405, is_deleted: true, .. }) => ReadCause::Deleted,
            Self::Status(Status { status, .. }) => ReadCause::Remote(status),
            Self::Transport(error) => ReadCause::System(numbered(&error)),
            Self::Credentials(_) | Self::Unencrypted => ReadCause::Unsigned,
            Self::UsedUp => ReadCause::RequestsUsedUp,
        };
        ReadError { step, cause }
    }

    /// For a whole location.
    pub(crate) fn into_error(self, endpoint: &str) -> Error {
        match self {
            Self::Status(Status { status, code, message, .. }) => Error::Refused { status, code, message },
            Self::Transport(source) => Error::Unreachable { endpoint: endpoint.to_owned(), source },
            Self::Credentials(reason) => Error::Credentials(reason),
            Self::Unencrypted => Error::Credentials(UNENCRYPTED.to_owned()),
            Self::UsedUp => Error::RequestsUsedUp,
        }
    }
}

/// The system's number for an error that has none: what is left of it in a record.
pub(crate) fn numbered(error: &io::Error) -> io::Error {
    if let Some(number) = error.raw_os_error() {
        return io::Error::from_raw_os_error(number);
    }
    io::Error::from(match error.kind() {
        io::ErrorKind::TimedOut => Errno::TIMEDOUT,
        io::ErrorKind::UnexpectedEof => Errno::CONNRESET,
        io::ErrorKind::ConnectionRefused => Errno::CONNREFUSED,
        io::ErrorKind::NotFound => Errno::HOSTUNREACH,
        _ => Errno::PROTO,
    })
}

/// As much of a text of a server as can be shown: in one line, no more than that, and nothing of what was secret in the request.
fn shown(text: &str) -> String {
    const MOST: usize = 300;
    let text = masked_answer(text);
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(MOST).collect()
}

impl Status {
    /// Whether the object has to be restored before it can be read.
    fn is_archived(&self) -> bool {
        let archived = [(403, "InvalidObjectState"), (409, "BlobArchived"), (409, "BlobBeingRehydrated")];
        archived.contains(&(self.status, self.code.as_str()))
    }

    /// What the body of an answer says, if it is an error of a store.
    pub(crate) fn new(status: u16, region: Option<String>, body: &[u8]) -> Self {
        let mut told = Self { status, region, ..Self::default() };
        // What is not XML is a page of some server on the way, and says nothing more than its status does.
        let _ = elements(&String::from_utf8_lossy(body), |name, text| match name {
            "Code" => told.code = shown(text),
            "Message" => told.message = shown(text),
            "Region" => told.region = Some(text.to_owned()),
            _ => {}
        });
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_s3_tells_its_code() {
        let body =
            b"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>Not there.</Message></Error>";
        let status = Status::new(404, None, body);
        assert_eq!((status.code.as_str(), status.message.as_str()), ("NoSuchKey", "Not there."));
        let status = Status::new(502, None, b"<html>Bad gateway & more");
        assert_eq!((status.status, status.code.as_str()), (502, ""));
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let status = |status| Refusal::Status(Status { status, ..Status::default() });
        assert!([408, 429, 500, 503].into_iter().all(|code| status(code).is_transient()));
        assert!([301, 400, 403, 404, 412, 501].into_iter().all(|code| !status(code).is_transient()));
        assert!(Refusal::Transport(io::ErrorKind::ConnectionReset.into()).is_transient());
        assert!(!Refusal::Credentials(String::new()).is_transient());
        assert!(!Refusal::Unencrypted.is_transient() && !Refusal::malformed().is_transient());
    }
}
