//! Names of objects: `s3://BUCKET/KEY`, the key byte by byte as the store has it.

use std::fmt;

use crate::service::Service;

/// The longest key that a store takes, in bytes.
pub(crate) const LONGEST_KEY: usize = 1024;

/// Whether a path names objects.
pub fn is_object(path: &[u8]) -> bool {
    Service::of(path).is_some()
}

/// Where objects are: a bucket, and a key or the beginning of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The kind of store.
    pub service: Service,
    /// The bucket's name.
    pub bucket: String,
    /// The key; empty for the whole bucket. Stores have text there: it is UTF-8.
    pub key: String,
}

/// Why a path names no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It begins with something else.
    #[error("it does not begin with {}", Service::S3.scheme())]
    Scheme,
    /// No bucket can have that name.
    #[error("a bucket's name has letters, digits, dots, hyphens and underscores, 255 at most")]
    Bucket,
    /// Keys are UTF-8.
    #[error("a key is UTF-8")]
    NotText,
    /// No store has such long keys.
    #[error("a key has {LONGEST_KEY} bytes at most")]
    TooLong,
}

impl Location {
    /// The location that a path names.
    ///
    /// # Errors
    /// It names none.
    pub fn parse(path: &[u8]) -> Result<Self, NameError> {
        let service = Service::of(path).ok_or(NameError::Scheme)?;
        let rest = &path[service.scheme().len()..];
        let slash = rest.iter().position(|&byte| byte == b'/');
        let (bucket, key) = slash.map_or((rest, &[][..]), |at| (&rest[..at], &rest[at + 1..]));
        let may_be_in_bucket = |&byte: &u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        if bucket.is_empty() || bucket.len() > 255 || !bucket.iter().all(may_be_in_bucket) {
            return Err(NameError::Bucket);
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| NameError::NotText);
        if key.len() > LONGEST_KEY {
            return Err(NameError::TooLong);
        }
        Ok(Self { service, bucket: text(bucket)?, key: text(key)? })
    }

    /// The path of the objects whose keys have this one and a slash in front: of all in the bucket where there is no key.
    pub(crate) fn prefix(&self) -> String {
        if self.key.is_empty() || self.key.ends_with('/') {
            self.key.clone()
        } else {
            format!("{}/", self.key)
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}/{}", self.service.scheme(), self.bucket, self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(parse("s3://b/x").expect("a location").to_string(), "s3://b/x");
    }

    #[test]
    fn what_no_store_has_is_refused() {
        assert_eq!(parse("/tmp/x"), Err(NameError::Scheme));
        assert_eq!(parse("s3://"), Err(NameError::Bucket));
        assert_eq!(parse("s3:///key"), Err(NameError::Bucket));
        assert_eq!(parse("s3://a b/key"), Err(NameError::Bucket));
        assert_eq!(parse(&format!("s3://b/{}", "k".repeat(1025))), Err(NameError::TooLong));
        assert!(parse(&format!("s3://b/{}", "k".repeat(1024))).is_ok());
        assert_eq!(Location::parse(b"s3://b/\xff"), Err(NameError::NotText));
    }

    #[test]
    fn what_lies_below_a_key_has_a_slash_behind_it() {
        let prefix = |path: &str| parse(path).expect(path).prefix();
        assert_eq!(prefix("s3://b"), "");
        assert_eq!(prefix("s3://b/photos"), "photos/");
        assert_eq!(prefix("s3://b/photos/"), "photos/");
    }
}
