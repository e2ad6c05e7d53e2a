//! What manifests state about files, taken in one record at a time.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

use hashbrown::HashTable;
use hashlane_digest::Algorithm;

use crate::algorithms::{Algorithms, MOST_ALGORITHMS};
use crate::contradiction::{contradiction, contradiction_within};
use crate::counters::Counters;
use crate::diff::row::Row;
use crate::disk::{CONTRADICTED, SortSpace, fill};
use crate::entry::Draft;
use crate::error::Error;
use crate::file::KnownFile;
use crate::names::Names;
use crate::options::Options;
use crate::records::{MOST_BYTES, MOST_ENTRIES, Records};
use crate::state::State;
use hashlane_sort::Sorter;

/// What a record added to what was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// A new name.
    First,
    /// More about a known name: digests of other algorithms, a size, a time.
    Merged,
    /// Nothing.
    Repeated,
}

/// The files of all manifests, each name once.
pub struct Known {
    pub(crate) options: Options,
    pub(crate) names: Names,
    pub(crate) records: Records,
    pub(crate) counters: Counters,
    pub(crate) by_name: HashTable<u32>,
    /// Files whose records contradict each other: nothing is known of them but their names.
    contradicted: HashSet<u32>,
    /// Where they go to when they do not fit into memory.
    pub(crate) place: Option<SortSpace>,
    /// They are there.
    spilled: Option<Spilled>,
}

/// Files that are on disk.
struct Spilled {
    rows: Sorter,
    count: usize,
    failed: Option<crate::diff::Error>,
}

impl Known {
    /// An empty set.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            names: Names::new(options.fold_case),
            records: Records::default(),
            counters: Counters::default(),
            by_name: HashTable::new(),
            contradicted: HashSet::new(),
            place: None,
            spilled: None,
        }
    }

    /// An empty set. Beyond this many bytes of memory, files go to temporary files in a directory, and [`crate::Audit::settled`] audits
    /// them in a few times as much. If case is folded, everything stays in memory.
    pub fn within(options: Options, memory: usize, directory: PathBuf) -> Self {
        let place = Some(SortSpace { directory, memory }).filter(|_| !options.fold_case);
        Self { place, ..Self::new(options) }
    }

    /// Takes in a record. Records of the same name are one file: each adds what the others lack. Of several modification times the first
    /// counts. On disk they are brought together only when they are audited; until then, each record counts as the first of its name.
    ///
    /// # Errors
    /// The record contradicts what is known of the name, or itself, or there is no room. The next record can be taken in.
    /// Of a name whose records contradict each other nothing is known from then on, whichever of them came first: further
    /// ones add nothing.
    pub fn add(&mut self, file: KnownFile<'_>) -> Result<Added, Error> {
        if self.spilled.is_some() {
            return self.spill(&file);
        }
        let added = self.take_in(&file);
        self.spill_if_full();
        *match added {
            Ok(Added::First) => &mut self.counters.knowns,
            Ok(Added::Merged) => &mut self.counters.merged,
            Ok(Added::Repeated) => &mut self.counters.repeated,
            Err(Error::OtherDigest { .. } | Error::OtherSize { .. }) => &mut self.counters.conflicting,
            Err(Error::ManyAlgorithms { .. } | Error::ManyFiles { .. }) => &mut self.counters.refused,
        } += 1;
        added
    }

    /// The algorithms of all records, in the order of their appearance. A file must be digested with all of them to be found wherever it
    /// was.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.records.algorithms.as_slice()
    }

    /// The number of files; on disk, the number of records.
    pub fn len(&self) -> usize {
        self.spilled.as_ref().map_or(self.records.len() as usize, |spilled| spilled.count)
    }

    /// Whether no file is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in use in bytes, names and digests included, while records are loaded. [`crate::Audit::memory_bytes`] reports what remains of
    /// it afterwards.
    pub fn memory_bytes(&self) -> usize {
        self.records.memory_bytes() + self.by_name.allocation_size()
    }

    pub(crate) fn is_on_disk(&self) -> bool {
        self.spilled.is_some()
    }

    /// What is on disk, and where.
    pub(crate) fn take_rows(&mut self) -> Result<Option<(SortSpace, Sorter)>, crate::diff::Error> {
        let (Some(spilled), Some(place)) = (self.spilled.take(), self.place.clone()) else { return Ok(None) };
        match spilled.failed {
            Some(error) => Err(error),
            None => Ok(Some((place, spilled.rows))),
        }
    }

    /// Brings all to disk if it takes too much memory.
    fn spill_if_full(&mut self) {
        let Some(place) = self.place.as_ref().filter(|place| self.memory_bytes() > place.memory) else {
            return;
        };
        let mut spilled = Spilled { rows: place.sorter(), count: 0, failed: None };
        let mut row = Row::default();
        self.by_name = HashTable::new();
        let records = std::mem::take(&mut self.records);
        self.records.algorithms = records.algorithms.clone();
        for number in 0..records.len() {
            let entry = records.entry(number);
            let line = if self.contradicted.contains(&number) { CONTRADICTED } else { 0 };
            fill(&mut row, line, &entry, entry.name);
            spilled.push(&row);
        }
        self.spilled = Some(spilled);
    }

    /// Takes a record to those on disk.
    fn spill(&mut self, file: &KnownFile<'_>) -> Result<Added, Error> {
        let refused =
            contradiction_within(file.digests).and_then(|()| self.records.algorithms.admit(file.digests));
        match &refused {
            Ok(()) => {}
            Err(Error::ManyAlgorithms { .. }) => self.counters.refused += 1,
            Err(_) => self.counters.conflicting += 1,
        }
        refused?;
        let registered = Algorithms::registered_with(file.digests);
        if registered.numbered(file.digests).count() < file.digests.len() {
            self.counters.refused += 1;
            return Err(Error::ManyAlgorithms { most: MOST_ALGORITHMS });
        }
        let digests = registered.placed(file.digests);
        let draft = Draft { size: file.size, modified: file.modified, digests, name: file.path };
        if let Some(spilled) = &mut self.spilled {
            let mut row = Row::default();
            row.fill(0, &draft);
            spilled.push(&row);
        }
        Ok(Added::First)
    }

    fn take_in(&mut self, file: &KnownFile<'_>) -> Result<Added, Error> {
        contradiction_within(file.digests)?;
        let Self { names, records, by_name, contradicted, .. } = self;
        records.algorithms.admit(file.digests)?;
        let hash = names.hash(file.path);
        let same = |&number: &u32| records.entry(number).name == file.path;
        let Some(&number) = by_name.find(hash, same) else {
            let digests = records.algorithms.placed(file.digests);
            let draft = Draft { size: file.size, modified: file.modified, digests, name: file.path };
            let number = records.push(&draft, State::Unseen).ok_or(no_room())?;
            by_name.insert_unique(hash, number, |&number| names.hash(records.entry(number).name));
            return Ok(Added::First);
        };
        if contradicted.contains(&number) {
            return Ok(Added::Repeated);
        }
        let entry = records.entry(number);
        let contradicts = contradiction(&entry, file.size, records.algorithms.numbered(file.digests));
        if contradicts.is_err() {
            contradicted.insert(number);
            records.strip(number).ok_or(no_room())?;
        }
        contradicts?;
        let entry = records.entry(number);
        let (size, modified) = (entry.size, entry.modified);
        let shape = entry.shape;
        let digests = records.algorithms.placed(file.digests);
        let draft = Draft { size: file.size, modified: file.modified, digests, name: b"" };
        let adds = (size.is_none() && file.size.is_some())
            || (modified.is_none() && file.modified.is_some())
            || draft.shape().places().any(|place| !shape.has(place));
        if !adds {
            return Ok(Added::Repeated);
        }
        records.complete(number, &draft).ok_or(no_room())?;
        Ok(Added::Merged)
    }
}

impl Spilled {
    /// What goes wrong comes out when the files are audited.
    fn push(&mut self, row: &Row) {
        self.count += 1;
        if self.failed.is_none() {
            self.failed = row.push_to(&mut self.rows).err();
        }
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Known");
        text.field("options", &self.options).field("files", &self.len());
        text.field("algorithms", &self.algorithms()).finish_non_exhaustive()
    }
}

fn no_room() -> Error {
    Error::ManyFiles { most_files: MOST_ENTRIES, most_bytes: MOST_BYTES }
}

#[cfg(test)]
mod tests {
    use hashlane_digest::Digest;

    use super::*;

    fn digest(name: &str, content: &[u8]) -> Digest {
        Algorithm::named(name).unwrap().digest(content)
    }

    fn file<'a>(path: &'a [u8], size: Option<u64>, digests: &'a [Digest]) -> KnownFile<'a> {
        KnownFile { path, size, modified: None, digests }
    }

    #[test]
    fn records_of_the_same_name_are_one_file() {
        let mut known = Known::new(Options::default());
        let [md5, sha256] = ["md5", "sha256"].map(|name| digest(name, b"x"));
        assert_eq!(known.add(file(b"a", None, &[md5])), Ok(Added::First));
        assert_eq!(known.add(file(b"A", None, &[md5])), Ok(Added::First));
        assert_eq!(known.add(file(b"a", None, &[md5])), Ok(Added::Repeated));
        assert_eq!(known.add(file(b"a", None, &[sha256])), Ok(Added::Merged));
        assert_eq!(known.add(file(b"a", Some(1), &[])), Ok(Added::Merged));
        assert_eq!(known.add(file(b"a", Some(1), &[sha256, md5, md5])), Ok(Added::Repeated));
        assert_eq!(known.len(), 2);
        assert_eq!(known.algorithms(), [md5.algorithm(), sha256.algorithm()]);
        let counters = &known.counters;
        assert_eq!((counters.knowns, counters.merged, counters.repeated), (2, 2, 2));
        assert_eq!(known.records.entry(0).digests(), [md5, sha256]);
    }

    #[test]
    fn of_records_that_contradict_each_other_none_stands() {
        let mut known = Known::new(Options::default());
        let [one, other] = [b"1", b"2"].map(|content| digest("md5", content));
        known.add(file(b"a", Some(1), &[one])).unwrap();
        let error = known.add(file(b"a", None, &[digest("sha1", b"1"), other])).unwrap_err();
        assert_eq!(error.to_string(), "is listed with two different md5 digests; neither is compared");
        assert_eq!(known.add(file(b"a", Some(1), &[one])), Ok(Added::Repeated));
        known.add(file(b"c", Some(1), &[one])).unwrap();
        let error = known.add(file(b"c", Some(2), &[one])).unwrap_err();
        assert_eq!(error.to_string(), "is listed with 1 bytes and with 2; neither size is compared");
        let itself = known.add(file(b"b", None, &[one, other]));
        assert_eq!(itself, Err(Error::OtherDigest { algorithm: one.algorithm() }));
        assert_eq!((known.len(), known.counters.conflicting), (2, 3));
        for number in 0..2 {
            let entry = known.records.entry(number);
            assert_eq!((entry.size, entry.digests()), (None, Vec::new()));
        }
        assert_eq!(known.algorithms().len(), 2, "those of all records, whichever came first");
    }

    #[test]
    fn listed_names_that_differ_in_case_are_two_files_where_case_is_folded_too() {
        let mut known = Known::new(Options { fold_case: true, ..Options::default() });
        known.add(file(b"a", Some(1), &[])).unwrap();
        assert_eq!(known.add(file(b"A", Some(3), &[])), Ok(Added::First));
        assert_eq!((known.len(), known.records.entry(1).name), (2, &b"A"[..]));
    }
}
