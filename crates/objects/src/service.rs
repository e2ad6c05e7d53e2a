//! What differs between the services that keep objects. All else is common to them: retries, states, ranges, the engine.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::checksum;
use crate::error::Error;
use crate::listing::Page;

/// What a part of a query holds as it is.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What a path holds as it is. Dots too: a server that takes `..` in it for a way up is not the server of such a key.
const PATH: &AsciiSet = &QUERY.remove(b'/');

/// A kind of store, known by the names of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Service {
    /// S3, of Amazon or of whoever speaks it: `s3://BUCKET/KEY`.
    S3,
}

impl Service {
    /// The service whose objects have such names, if any has.
    pub fn of(path: &[u8]) -> Option<Self> {
        path.starts_with(Self::S3.scheme().as_bytes()).then_some(Self::S3)
    }

    /// What the names of its objects begin with.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3://",
        }
    }

    /// The URL of all buckets, where none is named: what stands for the service.
    pub(crate) fn server(self) -> &'static str {
        match self {
            Self::S3 => "https://s3.amazonaws.com",
        }
    }

    /// The URL of a bucket, without a slash at its end.
    pub(crate) fn url(self, endpoint: Option<&str>, bucket: &str, region: &str) -> String {
        match (self, endpoint) {
            (_, Some(endpoint)) => format!("{endpoint}/{bucket}"),
            // A certificate for all buckets has one name for the part before the first dot.
            (Self::S3, None) if bucket.contains('.') => {
                format!("https://s3.{region}.{}/{bucket}", domain(region))
            }
            (Self::S3, None) => format!("https://{bucket}.s3.{region}.{}", domain(region)),
        }
    }

    /// What follows the URL of a bucket in that of an object.
    pub(crate) fn path(self, key: &str) -> String {
        format!("/{}", utf8_percent_encode(key, PATH))
    }

    /// What follows it for a page of the keys that begin with `prefix`, at most so many: the first, or the one that `token` stands for.
    pub(crate) fn listing(self, prefix: &str, token: Option<&str>, most: Option<u32>) -> String {
        let (path, token_name, most_name) = match self {
            Self::S3 => ("/?list-type=2&encoding-type=url", "continuation-token", "max-keys"),
        };
        let mut listing = format!("{path}&prefix={}", utf8_percent_encode(prefix, QUERY));
        if let Some(token) = token {
            listing.push_str(&format!("&{token_name}={}", utf8_percent_encode(token, QUERY)));
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
    pub(crate) fn page(self, answer: &[u8]) -> Result<Page, Error> {
        match self {
            Self::S3 => Page::read(answer),
        }
    }

    /// What asks for the checksum of an object beside it.
    pub(crate) fn ask_for_checksum(self, headers: &mut HeaderMap) {
        match self {
            Self::S3 => headers.insert(checksum::MODE, HeaderValue::from_static("ENABLED")),
        };
    }

    /// What says that whoever asks pays.
    pub(crate) fn agree_to_pay(self, headers: &mut HeaderMap) {
        match self {
            Self::S3 => headers.insert(
                HeaderName::from_static("x-amz-request-payer"),
                HeaderValue::from_static("requester"),
            ),
        };
    }
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
}
