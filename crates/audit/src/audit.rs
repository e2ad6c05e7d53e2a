//! Compares inputs with known files, in memory or on disk.

use std::borrow::Cow;
use std::fmt;

use hashlane_digest::Algorithm;

use crate::counters::Counters;
use crate::diff;
use crate::disk::{self, OnDisk};
use crate::file::{Content, KnownFile, Seen};
use crate::findings::Findings;
use crate::in_memory::InMemory;
use crate::known::Known;
use crate::records::Records;
use crate::verdict::{Unchecked, Verdict};

/// Compares inputs with known files.
pub struct Audit(Inner);

enum Inner {
    Memory(Box<InMemory>),
    Disk(Box<OnDisk>),
}

impl Audit {
    /// An audit of these files. None has been seen yet.
    ///
    /// # Panics
    /// The files are on disk: [`Known::within`] was given less memory than they take.
    pub fn new(known: Known) -> Self {
        assert!(!known.is_on_disk(), "files on disk are settled before they are audited");
        Self(Inner::Memory(Box::new(InMemory::new(known))))
    }

    /// The same of files that may be on disk. There records of the same name are brought together only now:
    /// `contradiction` hears of each name whose records contradict each other.
    ///
    /// Files that do not share an algorithm are loaded into memory, however much that takes: contents without a common algorithm cannot be
    /// brought together by one.
    ///
    /// # Errors
    /// A temporary file cannot be made, written or read; or files that are taken into memory are more than can be numbered.
    pub fn settled(
        mut known: Known,
        contradiction: impl FnMut(&[u8], crate::Error),
    ) -> Result<Self, diff::Error> {
        let Some((place, rows)) = known.take_rows()? else { return Ok(Self::new(known)) };
        let mut counters = std::mem::take(&mut known.counters);
        let (spool, shapes) = disk::settle(&place, rows, &mut counters, contradiction)?;
        let Some(algorithms) = shapes.algorithms(&known.records.algorithms) else {
            return Ok(Self::new(in_memory(&known, &spool, counters)?));
        };
        let on_disk = OnDisk::new(place, known.options, algorithms, spool, counters);
        Ok(Self(Inner::Disk(Box::new(on_disk))))
    }

    /// Takes in an input. Returns the verdict if it is final: the name is known as it is spelled, or nothing can match because the file was
    /// not read. `None` if the verdict comes with [`Audit::finish`], as all do for an audit on disk.
    ///
    /// Each name should be given once. Where names are remembered, the first reading counts and the second has no verdict. If the inputs to
    /// be kept take more memory than allowed, the audit moves to disk. Errors there come out with [`Audit::finish`]; [`Audit::has_failed`]
    /// reports them at once.
    ///
    /// # Panics
    /// The audit is in memory, and there are 2^32 inputs, or 1 TiB of their names and digests, to be kept until the end.
    pub fn see(&mut self, seen: Seen<'_>) -> Option<Verdict> {
        match &mut self.0 {
            Inner::Memory(audit) => {
                let verdict = audit.see(seen);
                if let Some(on_disk) = audit.outgrown() {
                    self.0 = Inner::Disk(Box::new(on_disk));
                }
                verdict
            }
            Inner::Disk(audit) => {
                audit.see(&seen);
                None
            }
        }
    }

    /// Leaves out a known file: it is excluded instead of missing if it is not seen, and no input is reported as moved from it. An input of
    /// its name is judged nevertheless. Returns whether the name is known; on disk that is found out at the end, so `true` means that it
    /// may be.
    pub fn leave_out(&mut self, path: &[u8]) -> bool {
        self.set_aside(path, Verdict::Excluded)
    }

    /// The same for a file that a rule of the caller ignores: it is ignored if it is not seen.
    pub fn ignore(&mut self, path: &[u8]) -> bool {
        self.set_aside(path, Verdict::Ignored)
    }

    /// The same for a file that should have been examined: it is not checked instead of missing if it is not seen.
    pub fn not_checked(&mut self, path: &[u8], reason: Unchecked) -> bool {
        self.set_aside(path, Verdict::NotChecked(reason))
    }

    fn set_aside(&mut self, path: &[u8], verdict: Verdict) -> bool {
        match &mut self.0 {
            Inner::Memory(audit) => audit.set_aside(path, verdict),
            Inner::Disk(audit) => {
                audit.set_aside(path, verdict);
                true
            }
        }
    }

    /// The names of the known files that have no input so far and are not set aside, in order, from the first after a given name. They may
    /// exist nevertheless, for example behind a symbolic link that a walk did not follow.
    pub fn unseen_after<'a>(&'a self, name: &'a [u8]) -> Box<dyn Iterator<Item = Cow<'a, [u8]>> + 'a> {
        match &self.0 {
            Inner::Memory(audit) => Box::new(audit.unseen_after(name).map(Cow::from)),
            Inner::Disk(audit) => Box::new(audit.unseen_after(name).map(Cow::from)),
        }
    }

    /// What is known of the file of a name.
    pub fn known(&self, path: &[u8]) -> Option<Content> {
        match &self.0 {
            Inner::Memory(audit) => audit.known(path),
            Inner::Disk(audit) => audit.content(path),
        }
    }

    /// The number of the known file of a name, from 0 in the order of names. If case is folded, its spelling may differ.
    ///
    /// # Panics
    /// The audit is on disk.
    pub fn number(&self, path: &[u8]) -> Option<u32> {
        self.in_memory().number(path)
    }

    /// Name and content of a known file.
    ///
    /// # Panics
    /// No known file has this number, or the audit is on disk.
    pub fn file(&self, number: u32) -> (&[u8], Content) {
        self.in_memory().file(number)
    }

    fn in_memory(&self) -> &InMemory {
        match &self.0 {
            Inner::Memory(audit) => audit,
            Inner::Disk(_) => panic!("files on disk have no numbers"),
        }
    }

    /// The algorithms of all known files.
    pub fn algorithms(&self) -> &[Algorithm] {
        match &self.0 {
            Inner::Memory(audit) => audit.algorithms(),
            Inner::Disk(audit) => audit.algorithms().as_slice(),
        }
    }

    /// The counts so far, without the verdicts that come at the end.
    pub fn counters(&self) -> &Counters {
        match &self.0 {
            Inner::Memory(audit) => audit.counters(),
            Inner::Disk(audit) => &audit.counters,
        }
    }

    /// Whether files are on disk, so that all verdicts come at the end.
    pub fn is_on_disk(&self) -> bool {
        matches!(self.0, Inner::Disk(_))
    }

    /// Whether a temporary file could not be made, written or read. Nothing more is taken in, and [`Audit::finish`] returns the error.
    pub fn has_failed(&self) -> bool {
        match &self.0 {
            Inner::Memory(audit) => audit.has_failed(),
            Inner::Disk(audit) => audit.has_failed(),
        }
    }

    /// Memory in use in bytes, names and digests included; only buffers if files are on disk.
    pub fn memory_bytes(&self) -> usize {
        match &self.0 {
            Inner::Memory(audit) => audit.memory_bytes(),
            Inner::Disk(_) => 0,
        }
    }

    /// The verdicts that were not final: on inputs whose name is not known, and on known files that were not seen; for an audit on disk,
    /// all verdicts.
    ///
    /// Inputs are processed in the order of their names. First each gets the known file that is gone, has its content and also its base
    /// name; then each input without one gets a known file that is gone and has its content. If there are several, the one whose name comes
    /// first is used. The order is that of bytes, or of lower case if case is folded.
    ///
    /// # Errors
    /// A temporary file cannot be made, written or read, or could not before.
    pub fn finish(self) -> Result<Findings, diff::Error> {
        Ok(match self.0 {
            Inner::Memory(audit) => Findings::in_memory(audit.finish()?),
            Inner::Disk(audit) => Findings::on_disk(audit.finish()?),
        })
    }
}

/// Takes files that lie on disk into memory.
fn in_memory(known: &Known, spool: &hashlane_sort::Spool, counters: Counters) -> Result<Known, diff::Error> {
    use diff::Rows as _;

    let mut all = Known::new(known.options);
    // Those of records that contradict each other count as well: they show which inputs are empty.
    all.records = Records::new(known.records.algorithms.clone());
    let (mut rows, mut row) = (spool.pairs()?, diff::Row::default());
    while rows.next(&mut row)? {
        let Content { size, modified, digests } = Content::of(&row.entry());
        // Names are there once each, but there can be more than memory has numbers for.
        all.add(KnownFile { path: row.name(), size, modified, digests: &digests })
            .map_err(|error| diff::Error::Source(Box::new(error)))?;
    }
    all.counters = counters;
    Ok(all)
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("counters", self.counters()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hashlane_digest::Digest;
    use hashlane_record::Timestamp;

    use super::*;
    use crate::file::Reading;
    use crate::options::Options;
    use crate::testing::{RULES, digest, grows_with_files, judged, known, lines, see};

    const PLAIN: Options = Options { fold_case: false, ignore_empty_content: false, rules: RULES };
    const FOLDED: Options = Options { fold_case: true, ..PLAIN };

    /// A verdict by name on size, modification time and digests, listed and seen.
    fn by_name(
        listed: (Option<u64>, Option<i64>, &[Digest]),
        seen: (Option<u64>, Option<i64>, &[Digest]),
    ) -> Verdict {
        let time = |seconds: Option<i64>| seconds.map(|seconds| Timestamp { seconds, nanos: 0 });
        let mut known = Known::new(PLAIN);
        let (size, modified, digests) = (listed.0, time(listed.1), listed.2);
        known.add(KnownFile { path: b"a", size, modified, digests }).unwrap();
        // So that the algorithms that the other side may have are known ones.
        let others = ["md5", "sha1", "sha256"].map(|name| digest(name, "other"));
        known.add(KnownFile { path: b"left out", size: None, modified: None, digests: &others }).unwrap();
        let mut audit = Audit::new(known);
        assert!(audit.leave_out(b"left out"));
        let (size, modified, reading) = (seen.0, time(seen.1), Reading::Read(seen.2));
        let verdict = audit.see(Seen { path: b"a", size, modified, reading }).unwrap();
        let findings = audit.finish().unwrap();
        assert_eq!(findings.counters().of_knowns(verdict), 1);
        assert_eq!(
            (lines(&findings), findings.counters().passed()),
            (vec!["excluded left out".to_owned()], verdict.is_pass())
        );
        verdict
    }

    #[test]
    fn listed_names_without_an_input_are_found_in_order() {
        let mut all = Known::new(PLAIN);
        for path in [&b"c"[..], b"a", b"d", b"b"] {
            all.add(KnownFile { path, size: None, modified: None, digests: &[digest("md5", "x")] }).unwrap();
        }
        let mut audit = Audit::new(all);
        audit.leave_out(b"d");
        let reading = Reading::Unreadable;
        audit.see(Seen { path: b"b", size: None, modified: None, reading });
        let unseen = |name: &[u8]| audit.unseen_after(name).map(Cow::into_owned).collect::<Vec<_>>();
        assert_eq!((unseen(b""), unseen(b"a")), (vec![b"a".to_vec(), b"c".to_vec()], vec![b"c".to_vec()]));
    }

    /// An audit on disk of files by name and content.
    fn on_disk(files: &[(&str, &str)]) -> Audit {
        let mut known = Known::within(PLAIN, 0, std::env::temp_dir());
        for (path, content) in files {
            let digests = &[digest("sha256", content)];
            let size = Some(content.len() as u64);
            known.add(KnownFile { path: path.as_bytes(), size, modified: None, digests }).unwrap();
        }
        let audit = Audit::settled(known, |path, error| panic!("{path:?}: {error}")).unwrap();
        assert!(audit.is_on_disk());
        audit
    }

    #[test]
    fn on_disk_names_without_an_input_are_found_whenever_somebody_asks() {
        let names: Vec<String> = (0..3000).map(|number| format!("a rather long name {number:04}")).collect();
        let files: Vec<_> = names.iter().rev().map(|name| (&name[..], "x")).collect();
        let mut audit = on_disk(&files);
        let mut unseen = names.clone();
        for round in 0..3 {
            for number in (round..3000).step_by(7) {
                let name = &names[number];
                assert!(see(&mut audit, &[(name, Some("x"))]).is_empty());
                unseen.retain(|other| other != name);
            }
            let aside = &names[3 + 7 * round];
            assert!(audit.leave_out(aside.as_bytes()));
            unseen.retain(|other| other != aside);
            let after = &names[1000 * round];
            let found = audit
                .unseen_after(after.as_bytes())
                .map(|name| String::from_utf8(name.into_owned()).unwrap());
            assert!(found.eq(unseen.iter().filter(|name| *name > after).cloned()), "round {round}");
        }
        assert!(names.iter().all(|name| audit.known(name.as_bytes()).is_some()));
        assert!(
            ["", "a", "a rather long name 1500x", "b"]
                .iter()
                .all(|name| audit.known(name.as_bytes()).is_none())
        );
    }

    #[test]
    fn an_audit_that_outgrows_memory_goes_on_on_disk_and_tells_nothing_twice() {
        let mut known = Known::within(PLAIN, 20 << 10, std::env::temp_dir());
        for (path, content) in [("a", "x"), ("b", "y"), ("c", "z"), ("d", "x"), ("e", "w"), ("f", "v")] {
            let digests = &[digest("sha256", content)];
            known.add(KnownFile { path: path.as_bytes(), size: None, modified: None, digests }).unwrap();
        }
        let mut audit = Audit::settled(known, |_, _| {}).unwrap();
        assert!(audit.leave_out(b"f") && !audit.is_on_disk());
        let told = see(&mut audit, &[("a", Some("x")), ("c", Some("changed")), ("e", None)]);
        assert_eq!(told, ["ok a", "changed c", "unreadable e"]);
        let names: Vec<String> = (0..500).map(|number| format!("new {number:03}")).collect();
        for name in &names {
            assert!(see(&mut audit, &[(name, Some(name))]).is_empty());
        }
        assert!(audit.is_on_disk(), "20 KiB do not hold 500 files");
        let later = [("b", Some("y")), ("a", Some("other")), ("moved", Some("changed")), ("new 007", None)];
        assert!(see(&mut audit, &later).is_empty());
        let findings = audit.finish().unwrap();
        let (new, others): (Vec<_>, Vec<_>) =
            lines(&findings).into_iter().partition(|line| line.starts_with("new "));
        assert_eq!(others, ["ok b", "duplicate-lost d, a", "excluded f"]);
        assert_eq!(new.len(), names.len() + 1);
        let counters = findings.counters();
        assert_eq!((counters.inputs, counters.knowns, counters.seen_again), (505, 6, 2));
        assert_eq!((counters.sums(), counters.of(Verdict::Ok)), ((505, 6), 2));
    }

    /// Audits on disk files that are all of one content: as many that are listed and there, that are new, and that have another
    /// content of the same MD5.
    fn audit_equal_files(files: usize) {
        let of = |sha256: &str| [digest("sha256", sha256), digest("md5", "x")];
        let (content, other) = (of("x"), of("made to have the same MD5"));
        let mut known = Known::within(PLAIN, 0, std::env::temp_dir());
        let name = |directory: &str, number| format!("{directory}/{number:05}");
        for number in 0..files {
            let path = name("listed", number);
            known
                .add(KnownFile { path: path.as_bytes(), size: Some(1), modified: None, digests: &content })
                .unwrap();
        }
        let mut audit = Audit::settled(known, |_, _| {}).unwrap();
        for (directory, digests) in [("listed", &content), ("new", &content), ("other", &other)] {
            for number in 0..files {
                let path = name(directory, number);
                let reading = Reading::Read(digests);
                assert!(
                    audit
                        .see(Seen { path: path.as_bytes(), size: Some(1), modified: None, reading })
                        .is_none()
                );
            }
        }
        let findings = audit.finish().unwrap();
        let counts =
            [Verdict::Ok, Verdict::Copied, Verdict::Collision].map(|verdict| findings.counters().of(verdict));
        assert_eq!(counts, [files as u64; 3]);
        let told = lines(&findings);
        let others = told.iter().filter(|line| line.ends_with(", listed/00000")).count();
        assert_eq!((told.len(), others), (3 * files, 2 * files));
    }

    #[test]
    fn on_disk_many_equal_files_by_two_algorithms_are_not_compared_with_each_other() {
        assert_eq!(grows_with_files(1000, audit_equal_files), Ok(()));
    }

    #[test]
    fn on_disk_a_contradiction_is_told_once_all_is_there() {
        let mut known = Known::within(PLAIN, 0, std::env::temp_dir());
        for (path, content) in [("b", "x"), ("a", "x"), ("b", "y"), ("b", "x")] {
            let digests = &[digest("sha256", content)];
            known.add(KnownFile { path: path.as_bytes(), size: None, modified: None, digests }).unwrap();
        }
        assert_eq!(known.len(), 4);
        let mut told = Vec::new();
        let mut audit = Audit::settled(known, |path, error| told.push((path.to_vec(), error))).unwrap();
        let algorithm = digest("sha256", "").algorithm();
        assert_eq!(told, [(b"b".to_vec(), crate::Error::OtherDigest { algorithm })]);
        assert!(see(&mut audit, &[("a", Some("x")), ("b", Some("x"))]).is_empty());
        let findings = audit.finish().unwrap();
        assert_eq!(lines(&findings), ["ok a", "unverified b"]);
        let counters = findings.counters();
        assert_eq!((counters.knowns, counters.repeated, counters.conflicting), (2, 1, 1));
        assert!(!counters.passed());
    }

    #[test]
    fn a_directory_that_takes_no_temporary_files_is_an_error_and_no_verdict() {
        let mut known = Known::within(PLAIN, 0, "/does/not/exist".into());
        known
            .add(KnownFile { path: b"a", size: None, modified: None, digests: &[digest("md5", "x")] })
            .unwrap();
        let error = Audit::settled(known, |_, _| {}).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("making a temporary file in /does/not/exist"), "{error}");
    }

    /// Shows inputs of unknown names to an audit until it has failed; says why.
    fn failing(mut audit: Audit) -> diff::Error {
        assert!(!audit.has_failed());
        for number in 0.. {
            let name = format!("{number:0100}");
            assert!(see(&mut audit, &[(&name, Some(&name))]).is_empty());
            if audit.has_failed() {
                break;
            }
            assert!(number < 100_000, "an audit without a place goes on");
        }
        // Nothing is taken in any more, a listed file neither.
        let (inputs, bytes) = (audit.counters().inputs, audit.memory_bytes());
        for number in 0..1000 {
            assert!(see(&mut audit, &[(&format!("later {number}"), Some("x")), ("a", Some("x"))]).is_empty());
        }
        assert_eq!((audit.counters().inputs, audit.memory_bytes()), (inputs, bytes));
        audit.finish().map(|_| ()).unwrap_err()
    }

    #[test]
    fn an_audit_that_cannot_go_to_disk_has_failed_at_once() {
        let directory = tempfile::tempdir().unwrap();
        for memory in [0, 20 << 10] {
            let place = directory.path().join(memory.to_string());
            std::fs::create_dir(&place).unwrap();
            let mut known = Known::within(PLAIN, memory, place.clone());
            let digests = &[digest("sha256", "x")];
            known.add(KnownFile { path: b"a", size: Some(1), modified: None, digests }).unwrap();
            let audit = Audit::settled(known, |_, _| {}).unwrap();
            assert_eq!(audit.is_on_disk(), memory == 0);
            std::fs::remove_dir(&place).unwrap();
            let error = failing(audit);
            assert!(matches!(error, diff::Error::Sort(_)), "{error}");
        }
    }

    #[test]
    fn files_on_disk_that_memory_cannot_take_are_an_error() {
        struct Twice(u8);
        impl diff::Rows for Twice {
            fn next(&mut self, row: &mut diff::Row) -> Result<bool, diff::Error> {
                let digests = &[digest("md5", &self.0.to_string())];
                let file = KnownFile { path: b"a", size: None, modified: None, digests };
                row.set(0, diff::RowKind::File, &file);
                self.0 += 1;
                Ok(self.0 <= 2)
            }
        }
        let spool = diff::row::spooled(&std::env::temp_dir(), Twice(0)).unwrap();
        let error = in_memory(&Known::new(PLAIN), &spool, Counters::default()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("two different md5 digests"), "{error}");
    }

    #[test]
    fn a_file_at_its_place_is_ok_if_all_that_can_be_compared_is_equal() {
        let [md5, sha256] = ["md5", "sha256"].map(|name| digest(name, "x"));
        assert_eq!(by_name((None, None, &[sha256]), (None, None, &[sha256])), Verdict::Ok);
        assert_eq!(by_name((Some(1), Some(1), &[sha256, md5]), (Some(1), Some(2), &[md5])), Verdict::Ok);
        assert_eq!(by_name((None, None, &[md5]), (Some(1), None, &[sha256, md5])), Verdict::Ok);
    }

    #[test]
    fn a_changed_file_is_changed_and_not_new_and_missing() {
        let [md5, sha256] = ["md5", "sha256"].map(|name| digest(name, "x"));
        let [other_md5, other] = ["md5", "sha256"].map(|name| digest(name, "y"));
        assert_eq!(
            by_name((None, None, &[sha256, md5]), (None, None, &[other, other_md5])),
            Verdict::Changed
        );
        assert_eq!(by_name((Some(1), Some(7), &[sha256]), (Some(2), Some(7), &[other])), Verdict::Changed);
        assert_eq!(by_name((Some(1), None, &[md5]), (Some(2), None, &[sha256])), Verdict::Changed);
        assert_eq!(judged(PLAIN, &[("a", "x")], &[("a", "y")]), ["changed a"]);
    }

    #[test]
    fn a_changed_file_is_corrupt_where_neither_its_time_nor_its_size_says_that_somebody_wrote() {
        let (listed, seen) = ([digest("sha256", "x")], [digest("sha256", "y")]);
        assert_eq!(by_name((Some(1), Some(7), &listed), (Some(1), Some(7), &seen)), Verdict::Corrupt);
        assert_eq!(by_name((Some(1), Some(7), &listed), (Some(1), Some(18), &seen)), Verdict::Changed);
        assert_eq!(by_name((Some(1), None, &listed), (Some(1), None, &seen)), Verdict::Changed);
        assert_eq!(by_name((None, Some(7), &listed), (None, Some(7), &seen)), Verdict::Corrupt);
        assert_eq!(by_name((Some(2), Some(7), &listed), (Some(1), Some(7), &seen)), Verdict::Corrupt);
        assert_eq!(by_name((Some(1), Some(7), &listed), (Some(2), Some(7), &seen)), Verdict::Changed);
    }

    #[test]
    fn an_equal_digest_beside_another_or_another_size_is_a_collision() {
        let [md5, sha256, other] =
            [("md5", "x"), ("sha256", "x"), ("sha256", "y")].map(|(a, b)| digest(a, b));
        assert_eq!(by_name((None, None, &[md5, sha256]), (None, None, &[md5, other])), Verdict::Collision);
        assert_eq!(by_name((Some(1), Some(7), &[md5]), (Some(2), Some(7), &[md5])), Verdict::Collision);
    }

    #[test]
    fn without_a_shared_digest_a_file_does_not_pass() {
        let [md5, sha256] = ["md5", "sha256"].map(|name| digest(name, "x"));
        assert_eq!(by_name((Some(1), None, &[md5]), (Some(1), None, &[sha256])), Verdict::SizeOnly);
        assert_eq!(by_name((None, None, &[md5]), (Some(1), None, &[sha256])), Verdict::Unverified);
        assert_eq!(by_name((None, None, &[]), (None, None, &[sha256])), Verdict::Unverified);
    }

    #[test]
    fn an_unreadable_file_is_neither_missing_nor_new() {
        let mut audit = Audit::new(known(PLAIN, &[("a", "x"), ("b", "y")]));
        let seen = see(&mut audit, &[("a", None), ("c", None), ("d", Some("x"))]);
        assert_eq!(seen, ["unreadable a", "unreadable c"]);
        let findings = audit.finish().unwrap();
        assert_eq!(lines(&findings), ["missing b", "copied d, a"]);
        let counters = findings.counters();
        assert_eq!(
            (counters.of_inputs(Verdict::Unreadable), counters.of_knowns(Verdict::Unreadable)),
            (2, 1)
        );
    }

    #[test]
    fn a_file_that_is_left_out_is_not_missing_and_nothing_is_moved_from_it() {
        let mut audit = Audit::new(known(PLAIN, &[("a", "x"), ("b", "y"), ("c", "z")]));
        assert!(audit.leave_out(b"a") && audit.leave_out(b"b") && !audit.leave_out(b"d"));
        let seen = see(&mut audit, &[("b", Some("y")), ("c", Some("z")), ("e", Some("x"))]);
        assert_eq!(seen, ["ok b", "ok c"]);
        assert!(!audit.leave_out(b"e") && audit.leave_out(b"c"), "too late to leave it out");
        let findings = audit.finish().unwrap();
        assert_eq!(lines(&findings), ["excluded a", "copied e, a"]);
        let counters = findings.counters();
        assert_eq!((counters.of(Verdict::Excluded), counters.sums()), (1, (3, 3)));
    }

    #[test]
    fn a_file_without_content_has_the_verdict_that_the_caller_knows() {
        let readings = [
            (Reading::Unreadable, Verdict::Unreadable),
            (Reading::Unstable, Verdict::Unstable),
            (Reading::Ignored, Verdict::Ignored),
            (Reading::NotChecked(Unchecked::Limit), Verdict::NotChecked(Unchecked::Limit)),
        ];
        for (reading, verdict) in readings {
            let mut audit = Audit::new(known(FOLDED, &[("a", "x"), ("b", "y"), ("c", "x")]));
            let mut seen = |path: &str| {
                audit.see(Seen { path: path.as_bytes(), size: Some(1), modified: None, reading })
            };
            assert_eq!((seen("a"), seen("B"), seen("d")), (Some(verdict), None, Some(verdict)));
            let findings = audit.finish().unwrap();
            assert_eq!(
                lines(&findings),
                [format!("{verdict} B, b"), "missing c".to_owned()],
                "no content is there"
            );
            findings
                .visit(|finding| {
                    assert!(finding.seen.is_none());
                    ControlFlow::Continue(())
                })
                .unwrap();
            let counters = findings.counters();
            assert_eq!((counters.of_inputs(verdict), counters.of_knowns(verdict)), (3, 2));
            assert_eq!(counters.sums(), (3, 3));
        }
    }

    #[test]
    fn a_known_file_that_was_not_looked_at_is_not_missing() {
        let mut audit = Audit::new(known(PLAIN, &[("a", "x"), ("b", "y"), ("c", "z"), ("d", "x")]));
        assert!(audit.not_checked(b"a", Unchecked::Offline) && audit.ignore(b"b"));
        assert!(!audit.not_checked(b"e", Unchecked::Offline));
        assert_eq!(see(&mut audit, &[("d", Some("x")), ("e", Some("x"))]), ["ok d"]);
        let findings = audit.finish().unwrap();
        assert_eq!(lines(&findings), ["not-checked a", "ignored b", "missing c", "copied e, a"]);
        let counters = findings.counters();
        assert_eq!((counters.not_checked(Unchecked::Offline), counters.not_checked(Unchecked::Held)), (1, 0));
        assert_eq!(counters.sums(), (2, 4));
    }

    #[test]
    fn the_first_reading_of_a_name_counts() {
        let mut audit = Audit::new(known(PLAIN, &[("a", "x")]));
        let seen = see(&mut audit, &[("a", Some("x")), ("a", Some("y")), ("b", Some("z")), ("b", Some("x"))]);
        assert_eq!(seen, ["ok a"]);
        let findings = audit.finish().unwrap();
        assert_eq!(lines(&findings), ["new b"]);
        let counters = findings.counters();
        assert_eq!((counters.seen_again, counters.inputs), (2, 2));
    }

    #[test]
    fn an_input_without_content_counts_once_in_memory_and_on_disk() {
        let names: Vec<String> = (0..500).map(|number| format!("new {number:03}")).collect();
        for memory in [0, 20 << 10, usize::MAX] {
            let mut all = Known::within(PLAIN, memory, std::env::temp_dir());
            let digests = &[digest("sha256", "x")];
            all.add(KnownFile { path: b"a", size: None, modified: None, digests }).unwrap();
            let mut audit = Audit::settled(all, |_, _| {}).unwrap();
            see(&mut audit, &[("a", Some("x")), ("b", None), ("b", None)]);
            for name in &names {
                see(&mut audit, &[(name, Some(name))]);
            }
            assert_eq!(audit.is_on_disk(), memory < usize::MAX);
            see(&mut audit, &[("b", Some("x"))]);
            let findings = audit.finish().unwrap();
            let counters = findings.counters();
            assert_eq!((counters.of(Verdict::Unreadable), counters.seen_again), (1, 2), "{memory}");
            assert_eq!(counters.sums(), (counters.inputs, counters.knowns));
        }
    }

    #[test]
    fn where_case_is_folded_the_exact_name_takes_precedence() {
        assert_eq!(judged(FOLDED, &[("a", "x")], &[("A", "x"), ("a", "x")]), ["ok a", "copied A, a"]);
        assert_eq!(judged(FOLDED, &[("a", "x")], &[("A", "y")]), ["changed A, a"]);
        assert_eq!(judged(FOLDED, &[("ab", "x")], &[("aB", "y"), ("Ab", "x")]), ["ok Ab, ab", "new aB"]);
        assert_eq!(judged(PLAIN, &[("a", "x")], &[("A", "x")]), ["moved A, a"]);
    }

    #[test]
    fn where_case_is_folded_a_listed_file_is_paired_once_and_one_that_is_lost_does_not_pass() {
        let listed = [("A", "x"), ("a", "y")];
        assert_eq!(judged(FOLDED, &listed, &[("a", "y"), ("A", "x")]), ["ok a", "ok A"]);
        assert_eq!(judged(FOLDED, &listed, &[("A", "x")]), ["ok A", "missing a"]);
        assert_eq!(judged(FOLDED, &[("A", "x"), ("a", "x")], &[("a", "x")]), ["ok a", "duplicate-lost A, a"]);
        let three = [("AB", "x"), ("Ab", "x"), ("aB", "x")];
        assert_eq!(
            judged(FOLDED, &three, &[("ab", "x"), ("Ab", "x")]),
            ["ok Ab", "duplicate-lost aB, AB", "ok ab, AB"]
        );
    }

    #[test]
    fn where_case_is_folded_a_name_sets_one_file_aside_that_is_left_over() {
        let mut audit = Audit::new(known(FOLDED, &[("AB", "x"), ("Ab", "x"), ("aB", "x")]));
        assert!(audit.leave_out(b"ab") && audit.leave_out(b"ab") && !audit.leave_out(b"b"));
        assert_eq!(see(&mut audit, &[("AB", Some("x"))]), ["ok AB"]);
        assert_eq!(lines(&audit.finish().unwrap()), ["excluded Ab", "duplicate-lost aB, AB"]);
    }

    #[test]
    fn what_is_known_of_a_name_can_be_asked() {
        let audit = Audit::new(known(FOLDED, &[("a", "x")]));
        let content = Content { size: Some(1), modified: None, digests: vec![digest("sha256", "x")] };
        assert_eq!((audit.known(b"A"), audit.known(b"b")), (Some(content), None));
    }

    #[test]
    fn a_known_file_takes_at_most_24_bytes_besides_its_name_and_digests() {
        const FILES: usize = 100_000;
        let mut known = Known::new(PLAIN);
        let mut content_bytes = 0;
        for number in 0..FILES {
            let path = format!("some/directory/{:02x}/file {number}", number % 251);
            let digests = [digest("sha256", &path)];
            content_bytes += path.len() + 32;
            let size = Some(number as u64 * 10_007);
            known.add(KnownFile { path: path.as_bytes(), size, modified: None, digests: &digests }).unwrap();
        }
        let audit = Audit::new(known);
        let at_rest = (audit.memory_bytes() - content_bytes).div_ceil(FILES);
        let matched = size_of::<crate::contents::Key>();
        assert!(at_rest <= 16 && at_rest + matched <= 24, "{at_rest}, and {matched} to match its content");
    }
}
