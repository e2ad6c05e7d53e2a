//! Names that are none of what is looked at.

/// Why a listed name is none of what is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutOfPlace {
    /// It is whole, and lies elsewhere.
    #[error("does not lie below what names are relative to")]
    Outside,
    /// It is that of an object, and files of this machine are looked for.
    #[error("is the name of an object, and files are looked for")]
    Object,
    /// It is that of one version of an object, and objects are looked at as they are now.
    #[error("is a version of an object, and objects are looked at as they are now")]
    Version,
    /// It is that of a file, and objects are looked for by their whole names.
    #[error("is no whole name of an object")]
    File,
}

/// Whether a listed name is that of an object, as s3://BUCKET/KEY is: it begins with a scheme.
pub(crate) fn has_scheme(name: &[u8]) -> bool {
    let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && name[end..].starts_with(b"://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_told_from_files_by_their_schemes() {
        for name in ["s3://b/k", "https://h/p", "gs://b"] {
            assert!(has_scheme(name.as_bytes()), "{name}");
        }
        for name in ["s3:/b/k", "/s3://b", "./s3://b", "a b://c", "://x", "s3"] {
            assert!(!has_scheme(name.as_bytes()), "{name}");
        }
    }
}
