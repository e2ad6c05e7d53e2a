//! What is told of one finding.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{
    Acknowledgement, Catalog, Collection, Content, IntactCopy, ReadingKind, Reported, Verdict,
};

use super::super::time;
use super::advice::needs_a_copy;
use super::gather::Entry;
use crate::sentence::from;
use crate::text;
use crate::{objects, shell};

impl Entry {
    /// What speaks for one cause or another, and what the system said.
    pub(super) fn evidence(&self) -> Vec<String> {
        let Reported { finding, known, .. } = &self.reported;
        let cause = finding.seen.likely_cause(finding.verdict, known).map(str::to_owned);
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
        return objects::transfer([(&source, of_source), (&target, of_target)]);
    }
    let replaced = match reported.finding.verdict {
        Verdict::Missing => " --remove-destination",
        // It keeps its owner, its mode and its other names.
        _ => "",
    };
    let [source, target] = [source, target].map(|name| shell::word(&name));
    Some(format!("cp -T{replaced} --preserve=timestamps -- {source} {target}"))
}

/// The size that is known, or else the one that was found.
pub(super) fn size(reported: &Reported) -> Option<u64> {
    let of = |content: &Content| content.size;
    of(&reported.known).or_else(|| of(&reported.finding.seen.content))
}

/// When a file was last read good: `2026-11-25 07:52, from the device`.
pub(super) fn last_good(last_good: Option<(i64, ReadingKind)>) -> String {
    last_good.map_or_else(
        || "not as the file that is here now".to_owned(),
        |(at_s, reading)| format!("{}, {}", time(at_s), from(reading)),
    )
}

/// Who knows of a finding, why and until when.
pub(super) fn known_by(known: Option<&Acknowledgement>) -> String {
    let Some(Acknowledgement { by, reason, at_s, until_s }) = known else { return String::new() };
    let until = until_s.map_or_else(String::new, |until_s| format!(" until {}", time(until_s)));
    let why = if reason.is_empty() { String::new() } else { format!(": {}", text::name(reason.as_bytes())) };
    format!("{} by {}{until}{why}", time(*at_s), text::name(by.as_bytes()))
}
