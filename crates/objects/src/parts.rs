//! The parts in which an object of S3 was uploaded.

/// An object has at most this many parts.
pub(crate) const MOST_PARTS: usize = 10_000;

/// What a page of the parts of an object has, at most.
pub(crate) const PARTS_OF_PAGE: u64 = 1000;

/// The number of parts that an object came in, by its entity tag: `"...-3"`.
pub(crate) fn parts_of_tag(tag: &str) -> Option<u64> {
    let (digest, parts) = tag.trim_matches('"').rsplit_once('-')?;
    let is_digest = digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.parse().ok().filter(|&parts| is_digest && parts <= MOST_PARTS as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_of_several_uploads_tells_their_number() {
        let digest = "9a0364b9e99bb480dd25e1f0284c8555";
        assert_eq!(parts_of_tag(&format!("\"{digest}-10000\"")), Some(10_000));
        assert_eq!(parts_of_tag(&format!("{digest}-2")), Some(2));
        for other in [digest, "a-2", "", "-2", &format!("{digest}-x"), &format!("{digest}-10001")] {
            assert_eq!(parts_of_tag(other), None, "{other}");
        }
    }
}
