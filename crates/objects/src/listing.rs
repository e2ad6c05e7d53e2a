//! A page of a listing, as `ListObjectsV2` and `ListObjectVersions` have it.

use jiff::Timestamp;
use percent_encoding::percent_decode_str;

use crate::error::Error;
use crate::parts::{PARTS_OF_PAGE, parts_of_tag};
use crate::service::Service;
use crate::version::{States, is_version};
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
    /// Which of the states of its key it is, in a listing of all that are kept.
    pub(crate) version: Option<Box<str>>,
    /// It is not content, and says that the key was deleted.
    pub(crate) is_marker: bool,
    /// The number of parts that it came in, if its entity tag says that there were several uploads.
    pub(crate) parts: Option<u64>,
    /// Whether the checksum that the store keeps is over those of the parts, if the listing says.
    pub(crate) is_composite: Option<bool>,
}

impl Listed {
    /// Requests that tell where its parts end, at most: they are made where a checksum is over those of the parts.
    pub(crate) fn requests_for_parts(&self) -> u64 {
        let parts = match self.is_composite {
            Some(false) => None,
            Some(true) => self.parts.or(Some(1)),
            None => self.parts,
        };
        parts.map_or(0, |parts| parts.div_ceil(PARTS_OF_PAGE))
    }

    pub(crate) fn time(&self) -> hashlane_record::Timestamp {
        let (seconds, nanos) = self.modified;
        hashlane_record::Timestamp { seconds, nanos }
    }
}

/// What the next page of a listing is asked for with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Next {
    /// A text of the store; in a listing of versions, the key behind which it begins.
    pub(crate) token: String,
    /// The version of that key behind which it begins.
    pub(crate) version: Option<Box<str>>,
}

impl Next {
    /// What a store stands for with one text.
    pub(crate) fn token(token: &str) -> Self {
        Self { token: token.to_owned(), version: None }
    }
}

/// A page of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Listed>,
    /// What the next page is asked for with; `None` for the last one.
    pub(crate) next: Option<Next>,
}

impl Page {
    /// The page that an answer holds.
    ///
    /// # Errors
    /// It is not a listing, or breaks off.
    pub(crate) fn read(states: States, answer: &[u8]) -> Result<Self, Error> {
        let (element, token_name) = match states {
            States::Current => ("ListBucketResult", "NextContinuationToken"),
            States::All => ("ListVersionsResult", "NextKeyMarker"),
        };
        let text = std::str::from_utf8(answer).map_err(|_| malformed("it is not UTF-8"))?;
        let (mut page, mut object) = (Self::default(), RawObject::default());
        let (mut is_listing, mut is_cut, mut written_out) = (false, false, false);
        let (mut token, mut marker, mut problem) = (None, None, None);
        let read = elements(text, |name, text| match name {
            "Key" => text.clone_into(&mut object.key),
            "Size" => text.clone_into(&mut object.size),
            "LastModified" => text.clone_into(&mut object.modified),
            "ETag" => object.parts = parts_of_tag(text),
            "ChecksumType" => object.is_composite = Some(text == "COMPOSITE"),
            "StorageClass" => object.is_archived = ARCHIVES.contains(&text),
            // It is there for some time.
            "RestoreExpiryDate" => object.is_restored = true,
            "VersionId" => object.version = Some(text.into()),
            "Contents" | "Version" | "DeleteMarker" => {
                match std::mem::take(&mut object).read(name == "DeleteMarker") {
                    Ok(listed) => page.objects.push(listed),
                    Err(reason) => problem = problem.take().or(Some(reason)),
                }
            }
            "EncodingType" => written_out = text == "url",
            "IsTruncated" => is_cut = text == "true",
            "NextVersionIdMarker" => marker = Some(text.into()),
            name if name == token_name => token = Some(text.to_owned()),
            name if name == element => is_listing = true,
            _ => {}
        });
        read.map_err(|error| malformed(&error.to_string()))?;
        if let Some(reason) = problem {
            return Err(malformed(&reason));
        }
        if !is_listing {
            return Err(malformed(&format!("it is not a {element}")));
        }
        if written_out {
            let keys = page.objects.iter_mut().map(|listed| &mut listed.key);
            // The token of another listing is not a key.
            let token = token.iter_mut().filter(|_| states == States::All);
            keys.chain(token).try_for_each(write_in)?;
        }
        match states {
            States::Current => page.objects.iter_mut().for_each(|listed| listed.version = None),
            States::All => page.refuse_unnamed()?,
        }
        if !is_cut {
            return Ok(page);
        }
        let is_sound = |token: &String| !token.is_empty() || states == States::Current;
        let token = token.filter(is_sound).filter(|_| states == States::Current || marker.is_some());
        let token = token.ok_or_else(|| malformed("there is more of it, and no way to ask for that"))?;
        let version = marker.filter(|_| states == States::All);
        if token.len() > LONGEST_TOKEN || version.as_deref().is_some_and(|id: &str| !is_version(id)) {
            return Err(malformed("what the next page is asked for with is too long, or is none"));
        }
        page.next = Some(Next { token, version });
        Ok(page)
    }

    /// An error if something of it cannot be asked for as a version.
    fn refuse_unnamed(&self) -> Result<(), Error> {
        let is_named = |listed: &Listed| listed.version.as_ref().is_some_and(|id| is_version(id));
        match self.objects.iter().all(is_named) {
            true => Ok(()),
            false => Err(malformed("a version has no name, or one that no version can have")),
        }
    }
}

/// Writes in what was written out. Some stores write out a space as a plus, as forms have it.
fn write_in(key: &mut String) -> Result<(), Error> {
    let plain = key.replace('+', " ");
    let decoded = percent_decode_str(&plain).decode_utf8();
    *key = decoded.map_err(|_| malformed("a key is not UTF-8"))?.into_owned();
    Ok(())
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
    version: Option<Box<str>>,
    parts: Option<u64>,
    is_composite: Option<bool>,
}

impl RawObject {
    fn read(self, is_marker: bool) -> Result<Listed, String> {
        let Self { key, size, modified, is_archived, is_restored, version, parts: count, is_composite } =
            self;
        if key.is_empty() {
            return Err("an object has no key".to_owned());
        }
        // Written out, a byte takes three.
        let longest = Service::S3.longest_key();
        if key.len() > 3 * longest {
            return Err(format!("a key has more than {longest} bytes"));
        }
        let size = if is_marker { "0" } else { &size };
        let size_bytes = size.parse().map_err(|_| format!("the size {size:?} is no number"))?;
        let time: Timestamp = modified.parse().map_err(|_| format!("{modified:?} is no time"))?;
        let is_archived = is_archived && !is_restored;
        Ok(Listed {
            key,
            size_bytes,
            modified: parts(time),
            is_archived,
            version,
            is_marker,
            parts: count,
            is_composite,
        })
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
        Page::read(States::Current, answer.as_bytes()).map_err(|error| error.to_string())
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
        assert_eq!(page.next, Some(Next::token("t&1")));
        assert_eq!(page.objects.len(), 2);
        let [first, second] = &page.objects[..] else { panic!("two objects") };
        assert_eq!((first.key.as_str(), first.size_bytes), ("a", 7));
        assert_eq!(first.modified, (1_793_527_200, 250_000_000));
        assert_eq!(second.key, "a/b<c");
        let last =
            listing("<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>");
        assert_eq!(last.expect("a page").next, None);
    }

    fn version(key: &str, id: &str) -> String {
        let id = format!("<VersionId>{id}</VersionId><IsLatest>true</IsLatest></Version>");
        object(key).replace("<Contents>", "<Version>").replace("</Contents>", &id)
    }

    fn marker(key: &str, id: &str) -> String {
        format!(
            "<DeleteMarker><Key>{key}</Key><VersionId>{id}</VersionId><Owner><ID>x</ID></Owner>\
             <LastModified>2026-11-02T10:00:00Z</LastModified></DeleteMarker>"
        )
    }

    /// A listing of versions that goes on behind one.
    fn versions(inner: &str, behind: Option<(&str, &str)>) -> String {
        let next = behind.map_or_else(String::new, |(key, id)| {
            format!("<NextKeyMarker>{key}</NextKeyMarker><NextVersionIdMarker>{id}</NextVersionIdMarker>")
        });
        let is_cut = behind.is_some();
        format!("<ListVersionsResult><IsTruncated>{is_cut}</IsTruncated>{next}{inner}</ListVersionsResult>")
    }

    #[test]
    fn versions_and_delete_markers_are_told_apart() {
        let inner =
            format!("<EncodingType>url</EncodingType>{}{}", marker("a+b", "v2"), version("a+b", "null"));
        let page =
            Page::read(States::All, versions(&inner, Some(("a%2Bb", "null"))).as_bytes()).expect("a page");
        assert_eq!(page.next, Some(Next { token: "a+b".to_owned(), version: Some("null".into()) }));
        let [gone, kept] = &page.objects[..] else { panic!("two states") };
        assert_eq!((gone.key.as_str(), gone.version.as_deref(), gone.is_marker), ("a b", Some("v2"), true));
        assert_eq!(
            (kept.key.as_str(), kept.version.as_deref(), kept.is_marker),
            ("a b", Some("null"), false)
        );
        assert_eq!(kept.size_bytes, 7);
        assert_eq!(Page::read(States::All, versions("", None).as_bytes()).expect("a page"), Page::default());
    }

    #[test]
    fn pages_of_versions_that_lead_nowhere_are_refused() {
        let reason = |answer: &str| Page::read(States::All, answer.as_bytes()).expect_err(answer).to_string();
        let cut = versions(&version("a", "v"), Some(("a", "v")));
        for missing in ["<NextKeyMarker>a</NextKeyMarker>", "<NextVersionIdMarker>v</NextVersionIdMarker>"] {
            assert!(reason(&cut.replace(missing, "")).contains("no way to ask for that"), "{missing}");
        }
        assert!(reason(&cut.replace("<NextKeyMarker>a<", "<NextKeyMarker><")).contains("no way to ask"));
        assert!(
            reason(&cut.replace("<NextVersionIdMarker>v<", "<NextVersionIdMarker>v v<")).contains("is none")
        );
        let long = "k".repeat(LONGEST_TOKEN + 1);
        assert!(reason(&versions("", Some((&long, "v")))).contains("too long"));
        for id in ["", "a b", "a/b", "a?versionId=b", "\u{1b}", &"v".repeat(1025)] {
            assert!(reason(&versions(&version("a", id), None)).contains("a version has no name"), "{id}");
        }
        let unnamed = versions(&version("a", "v"), None).replace("<VersionId>v</VersionId>", "");
        assert!(reason(&unnamed).contains("a version has no name"));
        assert!(reason("<ListBucketResult></ListBucketResult>").contains("it is not a ListVersionsResult"));
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
            let _ = Page::read(States::Current, &answer);
            // A sound one with a part that is not.
            let mut sound = format!("<ListBucketResult>{}</ListBucketResult>", object("a").repeat(2)).into_bytes();
            let versions = versions(&format!("{}{}", version("a", "v"), marker("a", "w")), Some(("a", "w")));
            let mut kept = versions.into_bytes();
            let place = at.min(kept.len());
            kept.splice(place..(place + answer.len() / 8).min(kept.len()), answer.iter().copied());
            let _ = Page::read(States::All, &kept);
            let at = at.min(sound.len());
            sound.splice(at..(at + answer.len() / 8).min(sound.len()), answer);
            let _ = Page::read(States::Current, &sound);
        }
    }

    #[test]
    fn half_a_page_and_other_answers_are_refused() {
        let cut = format!("<ListBucketResult>{}", object("a"));
        for answer in [cut.as_bytes(), b"<html></html>", b"\xff", b""] {
            assert!(Page::read(States::Current, answer).is_err());
        }
        let reason = |inner: &str| listing(inner).expect_err(inner);
        assert!(reason("<IsTruncated>true</IsTruncated>").contains("no way to ask"));
        assert!(reason(&object("a").replace(">7<", ">-7<")).contains("no number"));
        assert!(reason(&object("a").replace("2026", "then")).contains("no time"));
        assert!(reason(&object("")).contains("no key"));
        let encoded = format!("<EncodingType>url</EncodingType>{}", object("%FF"));
        assert!(reason(&encoded).contains("not UTF-8"));
    }
}
