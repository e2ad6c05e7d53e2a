//! What differs between the services that keep objects. All else is common to them: retries, states, ranges, the engine.

use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::Error;
use crate::listing::{Next, Page};
use crate::version::States;
use crate::{azure, checksum, web};

/// What a part of a query holds as it is.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What a path holds as it is. Dots too: a server that takes `..` in it for a way up is not the server of such a key.
pub(crate) const PATH: &AsciiSet = &QUERY.remove(b'/');

/// A kind of store, known by the names of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Service {
    /// S3, of Amazon or of whoever speaks it: `s3://BUCKET/KEY`.
    S3,
    /// Google Cloud Storage, by its XML API: `gs://BUCKET/KEY`.
    Google,
    /// Azure Blob Storage: `az://CONTAINER/KEY`, in the account of the endpoint.
    Azure,
    /// Any server of HTTP, which lists nothing: `https://HOST/PATH`.
    Web,
}

impl Service {
    /// The service whose objects have such names, if any has.
    pub fn of(path: &[u8]) -> Option<Self> {
        let begins = |scheme: &str| path.starts_with(scheme.as_bytes());
        let named = [Self::S3, Self::Google, Self::Azure].into_iter();
        named
            .filter(|service| begins(service.before_bucket()))
            .chain((begins("https://") || begins("http://")).then_some(Self::Web))
            .next()
    }

    /// How all below a prefix is named in the store that has a path.
    pub fn prefix_like(path: &[u8]) -> &'static str {
        match Self::of(path) {
            Some(Self::Google) => "gs://BUCKET/PREFIX",
            Some(Self::Azure) => "az://CONTAINER/PREFIX",
            _ => "s3://BUCKET/PREFIX",
        }
    }

    /// About how many requests it takes to list so many objects below a prefix, and to look first whether there are any.
    pub fn listing_requests(prefix: &[u8], objects: u64) -> u64 {
        let page = if Self::of(prefix) == Some(Self::Azure) { 5000 } else { 1000 };
        objects.div_ceil(page) + 2
    }

    /// What names have before the bucket. Nothing, where the bucket is the URL of a server.
    pub(crate) fn before_bucket(self) -> &'static str {
        match self {
            Self::S3 => "s3://",
            Self::Google => "gs://",
            Self::Azure => "az://",
            Self::Web => "",
        }
    }

    /// Whether a bucket can have that name.
    pub(crate) fn has_bucket(self, name: &str) -> bool {
        let others = match self {
            Self::S3 | Self::Google => ".-_",
            // Containers of the system begin with a dollar.
            Self::Azure => "-$",
            Self::Web => return web::is_server(name),
        };
        let may_be_in_it = |letter: char| letter.is_ascii_alphanumeric() || others.contains(letter);
        !name.is_empty() && name.len() <= 255 && name.chars().all(may_be_in_it)
    }

    /// The longest key that it takes, in bytes.
    pub(crate) fn longest_key(self) -> usize {
        match self {
            Self::S3 | Self::Google => 1024,
            // So many characters, of three bytes at most, or pairs of two that have four.
            Self::Azure => 3 * 1024,
            Self::Web => 8 << 10,
        }
    }

    /// Whether it tells which objects it has.
    pub(crate) fn lists(self) -> bool {
        self != Self::Web
    }

    /// The URL of all buckets, where none is named: what stands for the service.
    pub(crate) fn server(self) -> &'static str {
        match self {
            Self::S3 => "https://s3.amazonaws.com",
            Self::Google => "https://storage.googleapis.com",
            Self::Azure => "https://blob.core.windows.net",
            Self::Web => "",
        }
    }

    /// The URL of a bucket, without a slash at its end.
    pub(crate) fn url(self, endpoint: Option<&str>, bucket: &str, region: &str) -> String {
        match (self, endpoint) {
            (Self::Web, _) => bucket.to_owned(),
            (_, Some(endpoint)) => format!("{endpoint}/{bucket}"),
            // A certificate for all buckets has one name for the part before the first dot.
            (Self::S3, None) if bucket.contains('.') => {
                format!("https://s3.{region}.{}/{bucket}", domain(region))
            }
            (Self::S3, None) => format!("https://{bucket}.s3.{region}.{}", domain(region)),
            (Self::Google | Self::Azure, None) => format!("{}/{bucket}", self.server()),
        }
    }

    /// What follows the URL of a bucket in that of an object.
    pub(crate) fn path(self, key: &str) -> String {
        match self {
            Self::Web => format!("/{}", web::sent(key)),
            _ => format!("/{}", utf8_percent_encode(key, PATH)),
        }
    }

    /// What follows it for a page of the keys that begin with `prefix`, or of their states, at most so many: the first, or the one
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
            // How it would write out a plus is not told. It has no names with line breaks.
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
    /// It is no listing, or breaks off.
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

/// A text as a part of a query has it.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// The domain of AWS for a region.
fn domain(region: &str) -> &'static str {
    if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_aws_have_hosts_of_their_own() {
        let url = |endpoint, bucket, region| Service::S3.url(endpoint, bucket, region);
        assert_eq!(url(Some("http://[::1]:1"), "b", "us-east-1"), "http://[::1]:1/b");
        assert_eq!(url(None, "b", "eu-west-3"), "https://b.s3.eu-west-3.amazonaws.com");
        assert_eq!(url(None, "b", "cn-north-1"), "https://b.s3.cn-north-1.amazonaws.com.cn");
        assert_eq!(url(None, "b.c", "eu-west-3"), "https://s3.eu-west-3.amazonaws.com/b.c");
    }

    #[test]
    fn each_service_has_urls_of_its_own() {
        let url = |service: Service, endpoint: Option<&str>, bucket: &str, key: &str| {
            service.url(endpoint, bucket, "") + &service.path(key)
        };
        assert_eq!(url(Service::Google, None, "b", "a b/ü"), "https://storage.googleapis.com/b/a%20b/%C3%BC");
        let account = Some("https://me.blob.core.windows.net");
        assert_eq!(url(Service::Azure, account, "c", "a?#"), "https://me.blob.core.windows.net/c/a%3F%23");
        assert_eq!(url(Service::Web, None, "https://h:1", "a%20b?c=d"), "https://h:1/a%20b?c=d");
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
