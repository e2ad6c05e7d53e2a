//! Versions: states of an object that its store keeps beside the current one, and how they are named.
//!
//! A version is named `KEY?versionId=ID`. A key may end like that, too. So such names are only read where somebody asks for versions.

use std::sync::Arc;

use http::HeaderMap;

use crate::encoding::encoded;
use crate::service::Service;

/// What stands between a key and the version of it that is meant.
const SIGN: &str = "?versionId=";

/// The longest name of a version that S3 gives, in bytes.
const LONGEST: usize = 1024;

/// Which states of objects are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum States {
    /// The current one of each.
    #[default]
    Current,
    /// All that the store keeps.
    All,
}

/// What an object is asked for by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) key: Arc<str>,
    /// A state that the store keeps; `None`: the current one.
    pub(crate) version: Option<Arc<str>>,
}

impl Name {
    /// What follows the path of its key in a request that asks for `part` of it; for the content that is nothing.
    pub(crate) fn query(&self, part: &str) -> String {
        let version = self.version.as_ref().map(|id| format!("versionId={}", encoded(id)));
        let asked: Vec<_> =
            [Some(part.to_owned()).filter(|part| !part.is_empty()), version].into_iter().flatten().collect();
        if asked.is_empty() { String::new() } else { format!("?{}", asked.join("&")) }
    }

    /// Whether an answer is about the version that was asked for. A server that passes over what it was asked for brings another one.
    pub(crate) fn is_answered(&self, headers: &HeaderMap) -> bool {
        let Some(version) = &self.version else { return true };
        match headers.get("x-amz-version-id") {
            Some(told) => told.as_bytes() == version.as_bytes(),
            // What was written before a bucket kept versions.
            None => &**version == "null",
        }
    }

    /// What its path has behind the key.
    pub(crate) fn suffix(&self) -> String {
        self.version.as_ref().map_or_else(String::new, |id| format!("{SIGN}{id}"))
    }
}

/// A path without the version that it names, and that version. Where its key has such a sign as well, the last one counts.
pub(crate) fn split(path: &[u8]) -> (&[u8], Option<&str>) {
    let sign = SIGN.as_bytes();
    let place = path.windows(sign.len()).rposition(|bytes| bytes == sign);
    let named = place.and_then(|place| {
        let id = std::str::from_utf8(&path[place + sign.len()..]).ok()?;
        is_version(id).then_some((&path[..place], Some(id)))
    });
    named.unwrap_or((path, None))
}

/// Whether a name could be that of a version of an object, as all versions are named. A key may end so, too.
pub fn may_be_version(name: &[u8]) -> bool {
    Service::of(name) == Some(Service::S3) && names_version(name)
}

/// Whether a name of S3 could be that of a version of an object. A key may end like that, too.
pub fn names_version(path: &[u8]) -> bool {
    split(path).1.is_some()
}

/// Whether a version can have this name: it can stand in a URL as it is, so what ends there is distinguished from a key.
pub(crate) fn is_version(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"/?#&%".contains(&byte);
    !id.is_empty() && id.len() <= LONGEST && id.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_s3_has_names_of_versions() {
        assert!(may_be_version(b"s3://a/b?versionId=c") && !may_be_version(b"gs://a/b?versionId=c"));
        assert!(!may_be_version(b"s3://a/b"));
    }

    #[test]
    fn a_name_ends_with_its_version() {
        let split = |path: &'static str| split(path.as_bytes());
        assert_eq!(split("s3://b/a?versionId=null"), (&b"s3://b/a"[..], Some("null")));
        assert_eq!(
            split("a?versionId=1?versionId=3/L4k.q-_~="),
            (&b"a?versionId=1?versionId=3/L4k.q-_~="[..], None)
        );
        assert_eq!(split("a?versionId=1?versionId=2"), (&b"a?versionId=1"[..], Some("2")));
        for key in [
            "s3://b/a",
            "a?versionId=",
            "a?versionId=x y",
            "a?versionId=1/b",
            "a?versionid=1",
            "a&versionId=1",
        ] {
            assert_eq!(split(key), (key.as_bytes(), None), "{key}");
        }
        let long = format!("a?versionId={}", "v".repeat(LONGEST + 1));
        assert_eq!(super::split(long.as_bytes()).1, None);
        assert_eq!(super::split(b"\xff?versionId=\xff").1, None);
        assert_eq!(super::split(b"\xff?versionId=1"), (&b"\xff"[..], Some("1")));
    }

    #[test]
    fn a_version_is_asked_for_by_its_name() {
        let current = Name { key: "a".into(), version: None };
        assert_eq!(
            (current.query(""), current.query("attributes")),
            (String::new(), "?attributes".to_owned())
        );
        let version = Name { version: Some("a+b=".into()), ..current };
        assert_eq!(version.query(""), "?versionId=a%2Bb%3D");
        assert_eq!(version.query("attributes"), "?attributes&versionId=a%2Bb%3D");
        assert_eq!(version.suffix(), "?versionId=a+b=");
    }

    proptest::proptest! {
        #[test]
        fn what_is_named_is_found_again(key: String, id in "[!-~]{1,40}") {
            let name = Name { key: key.as_str().into(), version: Some(id.as_str().into()) };
            let path = format!("{key}{}", name.suffix());
            let expected = is_version(&id).then_some((key.as_bytes(), Some(id.as_str())));
            if let Some(expected) = expected {
                proptest::prop_assert_eq!(split(path.as_bytes()), expected);
            }
        }
    }
}
