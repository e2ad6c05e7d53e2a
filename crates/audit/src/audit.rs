//! Inputs against known files: at once by name, at the end by content.

use std::fmt;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;

use crate::algorithms::Placed;
use crate::counters::Counters;
use crate::empty::Empty;
use crate::entry::Draft;
use crate::findings::{Content, Findings, Found};
use crate::judge::{Comparison, Rules};
use crate::known::Known;
use crate::records::{Records, State};
use crate::tables::{Tables, Which, judged_name};
use crate::verdict::{Unchecked, Verdict};
use crate::{moves, remains};

/// A file as it is now.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The name.
    pub path: &'a [u8],
    /// Size in bytes, where it is known.
    pub size: Option<u64>,
    /// Time of the last change of the content, where it is known.
    pub modified: Option<Timestamp>,
    /// What came of reading it.
    pub reading: Reading<'a>,
}

/// What came of reading a file.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// Its digests, one for each algorithm. Those of algorithms that no known file has are not kept.
    Read(&'a [Digest]),
    /// None: it could not be read.
    Unreadable,
    /// None: it changed while it was read.
    Unstable,
    /// None: a rule of the caller says that it is not judged.
    Ignored,
    /// None: it was not read, for a reason.
    NotChecked(Unchecked),
}

impl<'a> Reading<'a> {
    /// The digests, or the verdict on a file without content.
    fn digests(self) -> Result<&'a [Digest], Verdict> {
        match self {
            Self::Read(digests) => Ok(digests),
            Self::Unreadable => Err(Verdict::Unreadable),
            Self::Unstable => Err(Verdict::Unstable),
            Self::Ignored => Err(Verdict::Ignored),
            Self::NotChecked(reason) => Err(Verdict::NotChecked(reason)),
        }
    }
}

/// Compares inputs with known files.
pub struct Audit {
    tables: Tables,
    empty: Empty,
    rules: Rules,
    counters: Counters,
}

impl Audit {
    /// An audit of these files, none of which has been seen.
    pub fn new(known: Known) -> Self {
        let Known { options, names, mut records, counters, by_name } = known;
        drop(by_name);
        records.shrink();
        records.sort_by(|left, right| names.order(left.name, right.name));
        let held = Records::new(records.algorithms.clone());
        let empty = Empty::new(options.ignore_empty_content, records.algorithms.as_slice());
        Self { tables: Tables { names, known: records, held }, empty, rules: options.rules, counters }
    }

    /// Takes in an input. The verdict, if it is final: the name is known as it is spelled, or nothing can be
    /// matched since the file was not read. `None` if it comes with [`Audit::finish`].
    ///
    /// A name is to be given once. Where it is remembered the first reading counts, and the second has no
    /// verdict.
    ///
    /// # Panics
    /// There are 2^32 inputs, or 1 TiB of their names and digests, to be kept until the end.
    pub fn see(&mut self, seen: Seen<'_>) -> Option<Verdict> {
        let found = self.tables.find(seen.path);
        let exact = found.filter(|&number| self.tables.known.entry(number).name == seen.path);
        if let Some(number) = exact {
            if !self.tables.known.state(number).is_free() {
                self.counters.seen_again += 1;
                return None;
            }
            self.counters.inputs += 1;
            return Some(self.judge(number, seen.size, seen.modified, seen.reading.digests()));
        }
        self.counters.inputs += 1;
        let (state, digests) = match seen.reading.digests() {
            Ok(digests) => (State::Waiting, digests),
            Err(verdict) if found.is_none() => {
                self.counters.input(verdict, false);
                return Some(verdict);
            }
            Err(verdict) => (State::Aside(verdict), &[][..]),
        };
        // Only a name that is known otherwise spelled can make it corrupt, which depends on the time.
        let modified = seen.modified.filter(|_| found.is_some());
        let digests = self.tables.held.algorithms.placed(digests);
        hold(&mut self.tables.held, &Draft { size: seen.size, modified, digests, name: seen.path }, state);
        None
    }

    /// Leaves a known file out: it is excluded and not missing if it is not seen, and no input is called moved
    /// from it. An input of its name is judged nevertheless. Says whether the name is known.
    pub fn leave_out(&mut self, path: &[u8]) -> bool {
        self.set_aside(path, Verdict::Excluded)
    }

    /// The same for a file that a rule of the caller ignores: it is ignored if it is not seen.
    pub fn ignore(&mut self, path: &[u8]) -> bool {
        self.set_aside(path, Verdict::Ignored)
    }

    /// The same for a file that should have been looked at: it is not checked if it is not seen, and not missing.
    pub fn not_checked(&mut self, path: &[u8], reason: Unchecked) -> bool {
        self.set_aside(path, Verdict::NotChecked(reason))
    }

    fn set_aside(&mut self, path: &[u8], verdict: Verdict) -> bool {
        let found = self.tables.find(path);
        if let Some(number) = found.filter(|&number| self.tables.known.state(number) == State::Unseen) {
            self.tables.known.set_state(number, State::Aside(verdict));
        }
        found.is_some()
    }

    /// The names of the known files that have no input so far and are not left out, in their order, from the first that
    /// comes after a name on. They may be there for all that: under a symbolic link, say, that a walk did not follow.
    pub fn unseen_after(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        let Tables { names, known, .. } = &self.tables;
        let unseen = known.in_state(0, |state| state == State::Unseen).map(|number| known.entry(number).name);
        unseen.skip_while(move |unseen| names.order(unseen, name).is_le())
    }

    /// What is known of the file of a name.
    pub fn known(&self, path: &[u8]) -> Option<Content> {
        self.tables.find(path).map(|number| Content::of(&self.tables.known.entry(number)))
    }

    /// The number of the known file of a name, from 0 in the order of names. Where case is folded it may be spelled otherwise.
    pub fn number(&self, path: &[u8]) -> Option<u32> {
        self.tables.find(path)
    }

    /// Name and content of a known file.
    ///
    /// # Panics
    /// No known file has this number.
    pub fn file(&self, number: u32) -> (&[u8], Content) {
        let entry = self.tables.known.entry(number);
        (entry.name, Content::of(&entry))
    }

    /// The algorithms of all known files.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.tables.known.algorithms.as_slice()
    }

    /// What was counted so far: verdicts that come at the end are not in it.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Memory it takes in bytes, names and digests included.
    pub fn memory_bytes(&self) -> usize {
        self.tables.known.memory_bytes() + self.tables.held.memory_bytes()
    }

    /// The verdicts that were not final: on inputs whose name is not known, and on known files that were not
    /// seen.
    ///
    /// Inputs are taken in the order of their names. First each gets the known file that is gone, has its
    /// content and has its base name too; then each that has none gets one that is gone and has its content.
    /// Of several it is the one whose name comes first, everywhere. The order is that of bytes, of lower case
    /// where case is folded.
    pub fn finish(mut self) -> Findings {
        let repeated = self.tables.sort_held();
        self.counters.inputs -= repeated;
        self.counters.seen_again += repeated;
        let mut found = Vec::new();
        let unnamed = self.judge_folded(&mut found);
        for matched in moves::match_contents(&mut self.tables, &unnamed, &self.empty) {
            self.counters.input(matched.verdict, matched.verdict == Verdict::Moved);
            found.push(matched);
        }
        self.judge_unseen(&mut found);
        Findings::new(self.tables, found, self.counters)
    }

    /// Judges an input by its name, which is that of a known file without an input. `read`: the digests, or the
    /// verdict on an input without content.
    fn judge(
        &mut self,
        number: u32,
        size: Option<u64>,
        modified: Option<Timestamp>,
        read: Result<&[Digest], Verdict>,
    ) -> Verdict {
        let Tables { known, held, .. } = &mut self.tables;
        let entry = known.entry(number);
        let (verdict, digests) = match read {
            Ok(digests) => {
                let numbered = known.algorithms.numbered(digests);
                let comparison = Comparison::of_entry(&entry, size, modified, numbered);
                (comparison.verdict(self.rules), known.algorithms.placed(digests))
            }
            Err(verdict) => (verdict, Placed::default()),
        };
        let listed = |(place, digest): (usize, &Option<_>)| digest.is_none() || entry.shape.has(place);
        let mut state = State::Seen;
        if verdict.is_pass() && digests.iter().enumerate().all(listed) {
            state = State::Verified;
        } else if digests.iter().any(Option::is_some) {
            let name = &judged_name(number);
            let mut draft = Draft { size, modified: None, digests, name };
            if verdict.is_pass() {
                draft.add(&Draft { modified: None, ..entry.draft() });
            }
            hold(held, &draft, State::Judged);
        }
        known.set_state(number, state);
        self.counters.input(verdict, true);
        verdict
    }

    /// Judges the inputs whose name is known otherwise spelled, if it has no input. The others that waited
    /// are left.
    fn judge_folded(&mut self, found: &mut Vec<Found>) -> Vec<u32> {
        let waiting: Vec<u32> = self.tables.held.in_state(0, State::waits).collect();
        let mut unnamed = Vec::new();
        for input in waiting {
            let entry = self.tables.held.entry(input);
            let number = self.tables.find(entry.name);
            let is_free = |&number: &u32| self.tables.known.state(number).is_free();
            let Some(number) = number.filter(is_free) else {
                unnamed.push(input);
                continue;
            };
            let digests = entry.digests();
            let read = match entry.state {
                State::Aside(verdict) => Err(verdict),
                _ => Ok(&digests[..]),
            };
            let verdict = self.judge(number, entry.size, entry.modified, read);
            self.tables.held.set_state(input, State::Settled);
            let (subject, other) = (Which::Input(input), Some(Which::Known(number)));
            found.push(Found { verdict, subject, other });
        }
        unnamed
    }

    /// Judges the known files that were not seen and have not moved.
    fn judge_unseen(&mut self, found: &mut Vec<Found>) {
        for (number, other) in remains::find(&self.tables, &self.empty) {
            self.tables.known.set_state(number, State::Remains);
            let verdict = Verdict::DuplicateLost;
            self.counters.known(verdict);
            found.push(Found { verdict, subject: Which::Known(number), other: Some(other) });
        }
        // What is missing or was left out is not kept again: it may be everything.
        for number in self.tables.known.in_state(0, State::is_free) {
            self.counters.known(match self.tables.known.state(number) {
                State::Aside(verdict) => verdict,
                _ => Verdict::Missing,
            });
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("counters", &self.counters).finish_non_exhaustive()
    }
}

fn hold(held: &mut Records, draft: &Draft<'_>, state: State) {
    held.push(draft, state).expect("fewer than 2^32 inputs and less than 1 TiB of their names and digests");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::KnownFile;
    use crate::options::Options;
    use crate::testing::{RULES, digest, judged, known, lines, see};

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
        let findings = audit.finish();
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
        let unseen = |name: &[u8]| audit.unseen_after(name).map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert_eq!((unseen(b""), unseen(b"a")), (vec![b"a".to_vec(), b"c".to_vec()], vec![b"c".to_vec()]));
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
    fn a_changed_file_whose_size_and_time_are_as_listed_is_corrupt() {
        let (listed, seen) = ([digest("sha256", "x")], [digest("sha256", "y")]);
        assert_eq!(by_name((Some(1), Some(7), &listed), (Some(1), Some(7), &seen)), Verdict::Corrupt);
        assert_eq!(by_name((Some(1), Some(7), &listed), (Some(1), Some(8), &seen)), Verdict::Changed);
        assert_eq!(by_name((Some(1), None, &listed), (Some(1), None, &seen)), Verdict::Changed);
        assert_eq!(by_name((None, Some(7), &listed), (None, Some(7), &seen)), Verdict::Changed);
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
        let findings = audit.finish();
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
        let findings = audit.finish();
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
            let findings = audit.finish();
            assert_eq!(
                lines(&findings),
                [format!("{verdict} B, b"), "missing c".to_owned()],
                "no content is there"
            );
            assert!(findings.iter().all(|finding| finding.seen.is_none()));
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
        let findings = audit.finish();
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
        let findings = audit.finish();
        assert_eq!(lines(&findings), ["new b"]);
        let counters = findings.counters();
        assert_eq!((counters.seen_again, counters.inputs), (2, 2));
    }

    #[test]
    fn where_case_is_folded_the_exact_name_takes_precedence() {
        assert_eq!(judged(FOLDED, &[("a", "x")], &[("A", "x"), ("a", "x")]), ["ok a", "copied A, a"]);
        assert_eq!(judged(FOLDED, &[("a", "x")], &[("A", "y")]), ["changed A, a"]);
        assert_eq!(judged(FOLDED, &[("ab", "x")], &[("aB", "y"), ("Ab", "x")]), ["ok Ab, ab", "new aB"]);
        assert_eq!(judged(PLAIN, &[("a", "x")], &[("A", "x")]), ["moved A, a"]);
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
