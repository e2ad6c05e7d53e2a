//! What differs between the services that keep objects. All else is common to them: retries, states, ranges, the engine.

use percent_encoding::utf8_percent_encode;

use crate::encoding::PATH;
use crate::web;

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

    /// About how many requests it takes to list `objects` objects below a prefix, and to look first whether there are any.
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
            // This many characters, of three bytes at most, or pairs of two that have four.
            Self::Azure => 3 * 1024,
            Self::Web => 8 << 10,
        }
    }

    /// Whether it lists the objects it has.
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
    }
}
