//! Names of objects: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`, `az://CONTAINER/KEY`, the key byte by byte as the store has it; and URLs.

use std::fmt;
use std::sync::Arc;

use percent_encoding::percent_encode;

use crate::encoding::PATH;
use crate::service::Service;
use crate::web;

/// Whether a path names objects.
pub fn is_object(path: &[u8]) -> bool {
    Service::of(path).is_some()
}

/// Where objects are: a bucket, and a key or the beginning of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The kind of store.
    pub service: Service,
    /// The bucket's name, or the container's; of a URL, what comes before its path.
    pub bucket: String,
    /// The key; empty for the whole bucket. Stores have text there: it is UTF-8. Of a URL, its path and its query.
    pub key: String,
}

/// Why a path names no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It begins with something else.
    #[error("it does not begin with s3://, gs://, az://, https:// or http://")]
    Scheme,
    /// No bucket can have that name.
    #[error("a bucket name consists of at most 255 letters, digits, dots, hyphens and underscores")]
    Bucket,
    /// No container of Azure can have that name.
    #[error("a container name consists of at most 255 letters, digits and hyphens")]
    Container,
    /// A URL has no server, or somebody's name and password.
    #[error("the server of a URL is HOST or HOST:PORT, without a user")]
    Server,
    /// A URL has what its server never sees.
    #[error("the path of a URL must have no fragment (#) and no segment `.` or `..`")]
    Url,
    /// Keys are UTF-8.
    #[error("a key must be UTF-8")]
    NotText,
    /// No store has such long keys.
    #[error("a key can have at most {0} bytes")]
    TooLong(usize),
}

impl Location {
    /// The location that a path names.
    ///
    /// # Errors
    /// It names none.
    pub fn parse(path: &[u8]) -> Result<Self, NameError> {
        let service = Service::of(path).ok_or(NameError::Scheme)?;
        let rest = &path[service.before_bucket().len()..];
        // The URL of a server has two slashes of its own.
        let begin = rest.windows(3).position(|bytes| bytes == b"://").map_or(0, |at| at + 3);
        let begin = if service == Service::Web { begin } else { 0 };
        let slash = rest[begin..].iter().position(|&byte| byte == b'/').map(|at| begin + at);
        let (bucket, key) = slash.map_or((rest, &[][..]), |at| (&rest[..at], &rest[at + 1..]));
        let bucket = std::str::from_utf8(bucket).ok().filter(|name| service.has_bucket(name));
        let bucket = bucket.ok_or(match service {
            Service::S3 | Service::Google => NameError::Bucket,
            Service::Azure => NameError::Container,
            Service::Web => NameError::Server,
        })?;
        if key.len() > service.longest_key() {
            return Err(NameError::TooLong(service.longest_key()));
        }
        let key = std::str::from_utf8(key).map_err(|_| NameError::NotText)?;
        if service == Service::Web && !web::is_path(key) {
            return Err(NameError::Url);
        }
        Ok(Self { service, bucket: bucket.to_owned(), key: key.to_owned() })
    }

    /// Whether no object can be meant: there is no key, or one that ends with a slash.
    pub(crate) fn is_prefix(&self) -> bool {
        self.key.is_empty() || self.key.ends_with('/')
    }

    /// The path of the objects whose keys have this one and a slash in front: of all in the bucket where there is no key.
    pub(crate) fn prefix(&self) -> String {
        if self.is_prefix() { self.key.clone() } else { format!("{}/", self.key) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}/{}", self.service.before_bucket(), self.bucket, self.key)
    }
}

/// The name of what lies below a base, which ends with a slash. Below a URL names of files are written out.
pub fn below(base: &[u8], name: &[u8]) -> Vec<u8> {
    let rest = match Service::of(base) {
        Some(Service::Web) => percent_encode(name, PATH).to_string().into_bytes(),
        _ => name.to_vec(),
    };
    [base, &rest].concat()
}

/// A prefix with the slash that stands before what lies below it.
pub fn with_slash(prefix: &[u8]) -> Arc<[u8]> {
    match prefix.last() {
        Some(b'/') => Arc::from(prefix),
        _ => Arc::from([prefix, b"/"].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_with_one_slash() {
        assert_eq!((&*with_slash(b"s3://a"), &*with_slash(b"s3://a/")), (&b"s3://a/"[..], &b"s3://a/"[..]));
    }

    #[test]
    fn names_of_files_are_written_out_below_urls() {
        assert_eq!(below(b"https://h/p/", b"a%20b?#\xff/c"), b"https://h/p/a%2520b%3F%23%FF/c");
        assert_eq!(below(b"s3://b/p/", b"a%20b?#\xff"), b"s3://b/p/a%20b?#\xff");
    }

    fn parse(path: &str) -> Result<Location, NameError> {
        Location::parse(path.as_bytes())
    }

    #[test]
    fn a_key_is_all_that_follows_the_bucket() {
        for (path, bucket, key) in [
            ("s3://b", "b", ""),
            ("s3://b/", "b", ""),
            ("s3://my-bucket.x/a/b", "my-bucket.x", "a/b"),
            ("s3://b//a", "b", "/a"),
            ("s3://b/../c//d/", "b", "../c//d/"),
            ("s3://b/a\nb ü", "b", "a\nb ü"),
        ] {
            let location = parse(path).expect(path);
            assert_eq!((location.bucket.as_str(), location.key.as_str()), (bucket, key), "{path}");
        }
        for name in ["s3://b/x", "gs://b/x y", "az://$web/x", "https://h:1/x?y=/z", "http://h/"] {
            assert_eq!(parse(name).expect(name).to_string(), name);
        }
        let url = parse("https://h:1/x//y?z").expect("a location");
        assert_eq!((url.bucket.as_str(), url.key.as_str()), ("https://h:1", "x//y?z"));
        assert_eq!(parse("https://h").expect("a server").key, "");
    }

    #[test]
    fn what_no_store_has_is_refused() {
        assert_eq!(parse("/tmp/x"), Err(NameError::Scheme));
        assert_eq!(parse("s3://"), Err(NameError::Bucket));
        assert_eq!(parse("s3:///key"), Err(NameError::Bucket));
        assert_eq!(parse("s3://a b/key"), Err(NameError::Bucket));
        assert_eq!(parse(&format!("s3://b/{}", "k".repeat(1025))), Err(NameError::TooLong(1024)));
        assert_eq!(parse("gs://b ucket/x"), Err(NameError::Bucket));
        assert_eq!(parse("az://con_tainer/x"), Err(NameError::Container));
        assert_eq!(parse("https:///x"), Err(NameError::Server));
        assert_eq!(parse("https://me:secret@h/x"), Err(NameError::Server));
        assert_eq!(parse("https://h/x#y"), Err(NameError::Url));
        assert_eq!(parse("https://h/x/../y"), Err(NameError::Url));
        assert!(parse(&format!("s3://b/{}", "k".repeat(1024))).is_ok());
        assert_eq!(Location::parse(b"s3://b/\xff"), Err(NameError::NotText));
    }

    proptest::proptest! {
        #[test]
        fn what_is_a_name_is_printed_as_it_was(
            scheme in proptest::sample::select(vec!["s3://", "gs://", "az://", "https://", "http://", ""]),
            rest in proptest::collection::vec(proptest::num::u8::ANY, 0..40),
            is_plain in proptest::bool::ANY,
        ) {
            // Few bytes at random are a name; letters, slashes and the like often are.
            let plain = |byte: &u8| b"abc.:/%?#-@"[usize::from(*byte) % 11];
            let rest: Vec<u8> = if is_plain { rest.iter().map(plain).collect() } else { rest };
            let path = [scheme.as_bytes(), &rest].concat();
            if let Ok(location) = Location::parse(&path) {
                let printed = location.to_string().into_bytes();
                // The slash behind a bucket may be left out.
                assert!(printed == path || printed == [&path[..], b"/"].concat(), "{location}");
            }
        }
    }

    #[test]
    fn what_lies_below_a_key_has_a_slash_behind_it() {
        let prefix = |path: &str| parse(path).expect(path).prefix();
        assert_eq!(prefix("s3://b"), "");
        assert_eq!(prefix("s3://b/photos"), "photos/");
        assert_eq!(prefix("s3://b/photos/"), "photos/");
    }
}
