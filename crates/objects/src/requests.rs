//! What differs between the services in what they are asked for, and in what they answer.

use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};

use crate::encoding::encoded;
use crate::error::Error;
use crate::listing::{Next, Page};
use crate::service::Service;
use crate::version::States;
use crate::{azure, checksum};

impl Service {
    /// What follows it for a page of the keys that begin with `prefix`, or of their states, at most `most`: the first, or the one
    /// that `next` stands for.
    pub(crate) fn listing(
        self,
        states: States,
        prefix: &str,
        next: Option<&Next>,
        most: Option<u32>,
    ) -> String {
        let (path, token_name, most_name) = match (self, states) {
            (Self::Azure, _) => ("?restype=container&comp=list", "marker", "maxresults"),
            // How it would write out a plus is not documented. It has no names with line breaks.
            (Self::Google, _) => ("/?list-type=2", "continuation-token", "max-keys"),
            (_, States::Current) => ("/?list-type=2&encoding-type=url", "continuation-token", "max-keys"),
            (_, States::All) => ("/?versions&encoding-type=url", "key-marker", "max-keys"),
        };
        let mut listing = path.to_owned();
        // The library signs for Azure as if there were no sign of equality before an empty value.
        if !prefix.is_empty() {
            listing.push_str(&format!("&prefix={}", encoded(prefix)));
        }
        if let Some(Next { token, version }) = next {
            listing.push_str(&format!("&{token_name}={}", encoded(token)));
            version.iter().for_each(|id| listing.push_str(&format!("&version-id-marker={}", encoded(id))));
        }
        if let Some(most) = most {
            listing.push_str(&format!("&{most_name}={most}"));
        }
        listing
    }

    /// The page of a listing that an answer holds.
    ///
    /// # Errors
    /// It is not a listing, or breaks off.
    pub(crate) fn page(self, states: States, answer: &[u8]) -> Result<Page, Error> {
        match self {
            Self::Azure => azure::page(answer),
            _ => Page::read(states, answer),
        }
    }

    /// What every request to it has.
    pub(crate) fn prepare(self, headers: &mut HeaderMap) {
        match self {
            Self::S3 | Self::Web => {}
            // Else an object that is kept compressed comes decompressed, without its size, and has not the checksum that is kept.
            Self::Google => drop(headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))),
            Self::Azure => drop(headers.insert(azure::VERSION.0, azure::VERSION.1)),
        }
    }

    /// What asks for the checksum of an object beside it. Others state it unasked.
    pub(crate) fn ask_for_checksum(self, headers: &mut HeaderMap) {
        if self == Self::S3 {
            headers.insert(checksum::MODE, HeaderValue::from_static("ENABLED"));
        }
    }

    /// What asks a server which of the listed objects that are in archives are there for some time. Others than Amazon's may refuse
    /// what they do not know.
    pub(crate) fn ask_for_restored(self, server: &str, headers: &mut HeaderMap) {
        if self == Self::S3 && server.contains(".amazonaws.com") {
            let name = HeaderName::from_static("x-amz-optional-object-attributes");
            headers.insert(name, HeaderValue::from_static("RestoreStatus"));
        }
    }

    /// What says that whoever asks pays.
    pub(crate) fn agree_to_pay(self, headers: &mut HeaderMap) {
        if self == Self::S3 {
            let name = HeaderName::from_static("x-amz-request-payer");
            headers.insert(name, HeaderValue::from_static("requester"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_service_lists_in_a_way_of_its_own() {
        assert_eq!(
            Service::Azure.listing(States::Current, "p/", Some(&Next::token("a&b")), Some(1)),
            "?restype=container&comp=list&prefix=p%2F&marker=a%26b&maxresults=1"
        );
        assert_eq!(Service::Azure.listing(States::Current, "", None, None), "?restype=container&comp=list");
        let google = Service::Google.listing(States::Current, "", None, Some(1));
        assert_eq!(google, "/?list-type=2&max-keys=1");
        let behind = Next { token: "p/a b".to_owned(), version: Some("v+".into()) };
        assert_eq!(
            Service::S3.listing(States::All, "p/", Some(&behind), None),
            "/?versions&encoding-type=url&prefix=p%2F&key-marker=p%2Fa%20b&version-id-marker=v%2B"
        );
    }
}
