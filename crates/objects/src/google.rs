//! Google Cloud Storage, as far as it is not like S3: the checksums that it states.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use http::HeaderMap;

/// The header of an answer that has them: `crc32c=...,md5=...`, in one line or in several.
const HASH: &str = "x-goog-hash";

/// The checksum that an answer states for the whole of an object: the one that takes less time. Each object has a CRC-32C; one that
/// was composed of others has no MD5.
pub(crate) fn stated(headers: &HeaderMap) -> Option<Digest> {
    let of = |algorithm: Algorithm| {
        let values = headers.get_all(HASH).into_iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            values.flat_map(|value| value.split(',')).filter_map(|pair| pair.trim().split_once('='));
        let (_, value) = pairs.find(|(known, _)| *known == algorithm.name())?;
        Digest::new(algorithm, &BASE64.decode(value.as_bytes()).ok()?).ok()
    };
    of(Algorithm::CRC32C).or_else(|| of(Algorithm::MD5))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::HeaderName;

    use super::*;

    fn named(lines: &[&'static str]) -> Option<&'static str> {
        let name = HeaderName::from_static(HASH);
        let headers = lines.iter().map(|line| (name.clone(), HeaderValue::from_static(line))).collect();
        stated(&headers).map(|digest| digest.algorithm().name())
    }

    #[test]
    fn checksums_come_in_one_line_or_in_several() {
        let (crc, md5) = ("crc32c=4waSgw==", "md5=HLJR7A1WjeapKbUgxK7Y0Q==");
        assert_eq!(named(&["crc32c=4waSgw==,md5=HLJR7A1WjeapKbUgxK7Y0Q=="]), Some("crc32c"));
        assert_eq!(named(&[md5, crc]), Some("crc32c"));
        assert_eq!(named(&[md5]), Some("md5"));
        for none in
            ["", "crc32c", "crc32c=", "crc32c=4waSgw", "crc32c=HLJR7A1WjeapKbUgxK7Y0Q==", "new=4waSgw=="]
        {
            assert_eq!(named(&[none]), None, "{none}");
        }
        assert_eq!(named(&[]), None);
    }
}
