//! A page of a listing, as `ListObjectsV2` has it.

use jiff::Timestamp;
use percent_encoding::percent_decode_str;

use crate::error::Error;
use crate::service::Service;
use crate::xml::elements;

/// The longest token of a page, in bytes.
pub(crate) const LONGEST_TOKEN: usize = 8 << 10;

/// The classes of storage from which an object has to be restored.
pub(crate) const ARCHIVES: [&str; 2] = ["GLACIER", "DEEP_ARCHIVE"];

/// An object of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) key: String,
    pub(crate) size_bytes: u64,
    /// When it was written: seconds since 1970-01-01 UTC, and nanoseconds beyond.
    pub(crate) modified: (i64, u32),
    /// It is in an archive, and has to be restored before it can be read.
    pub(crate) is_archived: bool,
}

impl Listed {
    pub(crate) fn time(&self) -> hashlane_record::Timestamp {
        let (seconds, nanos) = self.modified;
        hashlane_record::Timestamp { seconds, nanos }
    }
}

/// A page of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Listed>,
    /// What the next page is asked for with; `None` for the last one.
    pub(crate) next: Option<String>,
}

impl Page {
    /// The page that an answer holds.
    ///
    /// # Errors
    /// It is no listing, or breaks off.
    pub(crate) fn read(answer: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(answer).map_err(|_| malformed("it is not UTF-8"))?;
        let (mut page, mut object) = (Self::default(), RawObject::default());
        let (mut is_listing, mut is_cut, mut written_out) = (false, false, false);
        let mut problem = None;
        let read = elements(text, |name, text| match name {
            "Key" => text.clone_into(&mut object.key),
            "Size" => text.clone_into(&mut object.size),
            "LastModified" => text.clone_into(&mut object.modified),
            "StorageClass" => object.is_archived = ARCHIVES.contains(&text),
            // It is there for some time.
            "RestoreExpiryDate" => object.is_restored = true,
            "Contents" => match std::mem::take(&mut object).read() {
                Ok(listed) => page.objects.push(listed),
                Err(reason) => problem = problem.take().or(Some(reason)),
            },
            "EncodingType" => written_out = text == "url",
            "IsTruncated" => is_cut = text == "true",
            "NextContinuationToken" => page.next = Some(text.to_owned()),
            "ListBucketResult" => is_listing = true,
            _ => {}
        });
        read.map_err(|error| malformed(&error.to_string()))?;
        if let Some(reason) = problem {
            return Err(malformed(&reason));
        }
        if !is_listing {
            return Err(malformed("it is not a ListBucketResult"));
        }
        if written_out {
            // Some stores write out a space as a plus, as forms have it.
            for Listed { key, .. } in &mut page.objects {
                let plain = key.replace('+', " ");
                let decoded = percent_decode_str(&plain).decode_utf8();
                *key = decoded.map_err(|_| malformed("a key is not UTF-8"))?.into_owned();
            }
        }
        if page.next.as_ref().is_some_and(|token| token.len() > LONGEST_TOKEN) {
            return Err(malformed("what the next page is asked for with is too long"));
        }
        match (is_cut, &page.next) {
            (true, None) => return Err(malformed("there is more of it, and no way to ask for that")),
            (false, _) => page.next = None,
            (true, Some(_)) => {}
        }
        Ok(page)
    }
}

pub(crate) fn malformed(reason: &str) -> Error {
    Error::Answer(reason.to_owned())
}

#[derive(Default)]
struct RawObject {
    key: String,
    size: String,
    modified: String,
    is_archived: bool,
    is_restored: bool,
}

impl RawObject {
    fn read(self) -> Result<Listed, String> {
        let Self { key, size, modified, is_archived, is_restored } = self;
        if key.is_empty() {
            return Err("an object has no key".to_owned());
        }
        // Written out, a byte takes three.
        let longest = Service::S3.longest_key();
        if key.len() > 3 * longest {
            return Err(format!("a key has more than {longest} bytes"));
        }
        let size_bytes = size.parse().map_err(|_| format!("the size {size:?} is no number"))?;
        let time: Timestamp = modified.parse().map_err(|_| format!("{modified:?} is no time"))?;
        let is_archived = is_archived && !is_restored;
        Ok(Listed { key, size_bytes, modified: parts(time), is_archived })
    }
}

/// Seconds and nanoseconds of a point in time.
pub(crate) fn parts(time: Timestamp) -> (i64, u32) {
    let nanos = time.as_nanosecond();
    let second = 1_000_000_000;
    let seconds = i64::try_from(nanos.div_euclid(second)).expect("times have fewer seconds than that");
    (seconds, u32::try_from(nanos.rem_euclid(second)).expect("less than a second"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(inner: &str) -> Result<Page, String> {
        let answer = format!("<ListBucketResult>{inner}</ListBucketResult>");
        Page::read(answer.as_bytes()).map_err(|error| error.to_string())
    }

    fn object(key: &str) -> String {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-11-01T10:00:00.250Z</LastModified>\
             <ETag>&quot;ab&quot;</ETag><Size>7</Size><Owner><ID>x</ID></Owner></Contents>"
        )
    }

    #[test]
    fn a_page_has_its_objects_and_a_way_to_the_next() {
        let page = listing(&format!(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1</NextContinuationToken>{}{}",
            object("a"),
            object("a/b&lt;c")
        ))
        .expect("a page");
        assert_eq!(page.next.as_deref(), Some("t&1"));
        assert_eq!(page.objects.len(), 2);
        let [first, second] = &page.objects[..] else { panic!("two objects") };
        assert_eq!((first.key.as_str(), first.size_bytes), ("a", 7));
        assert_eq!(first.modified, (1_793_527_200, 250_000_000));
        assert_eq!(second.key, "a/b<c");
        let last =
            listing("<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>");
        assert_eq!(last.expect("a page").next, None);
    }

    #[test]
    fn what_is_archived_and_not_restored_is_known_by_its_class() {
        let listed = |class: &str, more: &str| {
            let told = format!("<StorageClass>{class}</StorageClass>{more}</Contents>");
            listing(&object("a").replace("</Contents>", &told)).expect("a page").objects[0].is_archived
        };
        assert!(listed("GLACIER", "") && listed("DEEP_ARCHIVE", ""));
        assert!(!listed("STANDARD", "") && !listed("GLACIER_IR", ""), "it answers at once");
        let asked = "<RestoreStatus><IsRestoreInProgress>true</IsRestoreInProgress></RestoreStatus>";
        assert!(listed("GLACIER", asked), "not yet");
        let there = "<RestoreStatus><IsRestoreInProgress>false</IsRestoreInProgress>\
                     <RestoreExpiryDate>2026-12-01T00:00:00Z</RestoreExpiryDate></RestoreStatus>";
        assert!(!listed("GLACIER", there));
    }

    #[test]
    fn keys_that_are_written_out_are_read_back() {
        let page = listing(&format!("<EncodingType>url</EncodingType>{}", object("a%0Ab+c%2Bd/%C3%BC")));
        assert_eq!(page.expect("a page").objects[0].key, "a\nb c+d/ü");
        assert_eq!(listing(&object("a%0Ab+c")).expect("a page").objects[0].key, "a%0Ab+c");
    }

    proptest::proptest! {
        #[test]
        fn no_answer_is_too_strange(answer in proptest::collection::vec(proptest::num::u8::ANY, 0..300), at in 0_usize..400) {
            let _ = Page::read(&answer);
            // A sound one with a part that is not.
            let mut sound = format!("<ListBucketResult>{}</ListBucketResult>", object("a").repeat(2)).into_bytes();
            let at = at.min(sound.len());
            sound.splice(at..(at + answer.len() / 8).min(sound.len()), answer);
            let _ = Page::read(&sound);
        }
    }

    #[test]
    fn half_a_page_and_other_answers_are_refused() {
        let cut = format!("<ListBucketResult>{}", object("a"));
        assert!(Page::read(cut.as_bytes()).is_err());
        assert!(Page::read(b"<html></html>").is_err());
        assert!(Page::read(b"\xff").is_err());
        assert!(Page::read(b"").is_err());
        let reason = |inner: &str| listing(inner).expect_err(inner);
        assert!(reason("<IsTruncated>true</IsTruncated>").contains("no way to ask"));
        assert!(reason(&object("a").replace(">7<", ">-7<")).contains("no number"));
        assert!(reason(&object("a").replace("2026", "then")).contains("no time"));
        assert!(reason(&object("")).contains("no key"));
        let encoded = format!("<EncodingType>url</EncodingType>{}", object("%FF"));
        assert!(reason(&encoded).contains("not UTF-8"));
    }
}
