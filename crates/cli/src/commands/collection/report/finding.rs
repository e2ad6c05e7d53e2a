//! What is told of one finding.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{
    Acknowledgement, Catalog, Collection, Content, IntactCopy, ReadingKind, Reported, Verdict,
};
use hashlane_objects::Service;

use super::super::line::{cause, from, reading_name};
use super::super::time;
use super::advice::needs_a_copy;
use super::gather::Entry;
use super::shell;
use crate::text;

impl Entry {
    /// What speaks for one cause or another, and what the system said.
    pub(super) fn evidence(&self) -> Vec<String> {
        let Reported { finding, known, .. } = &self.reported;
        let cause = cause(finding.verdict, &finding.seen, known).map(str::to_owned);
        let detail = &finding.seen.detail;
        let detail = (!detail.is_empty()).then(|| text::name(detail.as_bytes()));
        cause.into_iter().chain(detail).collect()
    }

    /// The command that puts the intact copy in the place of the file.
    pub(super) fn restore(&self, collection: &Collection) -> Option<String> {
        restore(collection, &self.reported, self.copy.as_ref()?)
    }
}

/// Where an intact copy of the file of a finding is known, if one is of use.
pub(super) fn intact_copy(
    catalog: &Catalog,
    collection: &Collection,
    reported: &Reported,
    among: &[Collection],
) -> hashlane_catalog::Result<Option<IntactCopy>> {
    match needs_a_copy(reported.finding.verdict) {
        true => catalog.intact_copy(collection, reported, among),
        false => Ok(None),
    }
}

/// The command that puts an intact copy in the place of a file, if there is one. Whatever stands there by now, it writes into no directory
/// of a tree where it copies from another; and where the file was missing it does not write through a symbolic link.
pub(super) fn restore(collection: &Collection, reported: &Reported, copy: &IntactCopy) -> Option<String> {
    let place = |collection: &Collection, path: &[u8]| {
        let root = collection.terms.root.as_os_str().as_bytes();
        [root.strip_suffix(b"/").unwrap_or(root), b"/", path].concat()
    };
    let (from, to) = (&copy.collection, collection);
    let (source, target) = (place(from, &copy.path), place(to, &reported.path));
    if from.terms.is_in_store() || to.terms.is_in_store() {
        let [of_source, of_target] = [from, to].map(|of| of.terms.store.endpoint.as_deref());
        return transfer([(&source, of_source), (&target, of_target)]);
    }
    let replaced = match reported.finding.verdict {
        Verdict::Missing => " --remove-destination",
        // It keeps its owner, its mode and its other names.
        _ => "",
    };
    let [source, target] = [source, target].map(|name| shell::word(&name));
    Some(format!("cp -T{replaced} --preserve=timestamps -- {source} {target}"))
}

/// The command that copies between names with the endpoints of their stores, by the program of the provider; nothing where no program can.
fn transfer(sides: [(&[u8], Option<&str>); 2]) -> Option<String> {
    let in_stores = sides.iter().filter_map(|(name, endpoint)| Some((Service::of(name)?, *endpoint)));
    let stores: Vec<_> = in_stores.collect();
    let &store = stores.first()?;
    // One program asks one server.
    if stores.iter().any(|other| *other != store) {
        return None;
    }
    let [source, target] = sides.map(|(name, _)| shell::word(name));
    // It takes such a name for a pattern or for a generation of an object.
    let is_pattern = || sides.iter().any(|(name, _)| name.iter().any(|byte| b"*?[]{}#".contains(byte)));
    match store {
        (Service::S3, Some(endpoint)) => {
            let endpoint = shell::word(endpoint.as_bytes());
            Some(format!("aws s3 cp --endpoint-url {endpoint} {source} {target}"))
        }
        (Service::S3, None) => Some(format!("aws s3 cp {source} {target}")),
        (Service::Google, None) if !is_pattern() => Some(format!("gcloud storage cp {source} {target}")),
        _ => None,
    }
}

/// The size that is known, or else the one that was found.
pub(super) fn size(reported: &Reported) -> Option<u64> {
    let of = |content: &Content| content.size;
    of(&reported.known).or_else(|| of(&reported.finding.seen.content))
}

/// When a file was last read good: `2026-11-25 07:52, from the device`.
pub(super) fn last_good(last_good: Option<(i64, ReadingKind)>) -> String {
    last_good
        .map_or_else(|| "never".to_owned(), |(at_s, reading)| format!("{}, {}", time(at_s), from(reading)))
}

/// Who knows of a finding, why and until when.
pub(super) fn known_by(known: Option<&Acknowledgement>) -> String {
    let Some(Acknowledgement { by, reason, at_s, until_s }) = known else { return String::new() };
    let until = until_s.map_or_else(String::new, |until_s| format!(" until {}", time(until_s)));
    let why = if reason.is_empty() { String::new() } else { format!(": {}", text::name(reason.as_bytes())) };
    format!("{} by {}{until}{why}", time(*at_s), text::name(by.as_bytes()))
}

/// A name of a kind of reading for programs.
pub(super) fn reading(reading: ReadingKind) -> &'static str {
    reading_name(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_from_and_to_stores() {
        let copied = |source: &str, of_source, target: &str, of_target| {
            transfer([(source.as_bytes(), of_source), (target.as_bytes(), of_target)])
        };
        let (here, there) = (Some("https://s3.example.org"), Some("https://other.example.org"));
        let to_s3 = |of_source, of_target| copied("s3://a/it's", of_source, "s3://b/two words", of_target);
        let words = r"'s3://a/it'\''s' 's3://b/two words'";
        assert_eq!(to_s3(None, None), Some(format!("aws s3 cp {words}")));
        let at_endpoint = format!("aws s3 cp --endpoint-url https://s3.example.org {words}");
        assert_eq!(to_s3(here, here), Some(at_endpoint));
        assert_eq!((to_s3(here, there), to_s3(here, None)), (None, None));
        // A tree has no endpoint, on either side.
        let down = copied("s3://a/b", here, "/tree/b", None);
        let expected = "aws s3 cp --endpoint-url https://s3.example.org s3://a/b /tree/b";
        assert_eq!(down.as_deref(), Some(expected));
        let up = copied("/tree/$(b)", None, "gs://a/b", None);
        assert_eq!(up.as_deref(), Some("gcloud storage cp '/tree/$(b)' gs://a/b"));
        for name in ["gs://a/b*", "gs://a/b?", "gs://a/b[1]", "gs://a/b#1"] {
            assert_eq!(copied(name, None, "/tree/b", None), None, "{name}");
        }
        for (source, target) in [("gs://a/b", "s3://a/b"), ("/tree/b", "az://a/b"), ("az://a/b", "az://c/b")]
        {
            assert_eq!(copied(source, None, target, None), None, "{source} {target}");
        }
        assert_eq!(copied("gs://a/b", here, "/tree/b", None), None);
    }
}
