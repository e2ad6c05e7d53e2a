//! What was read, judged and reported.

use std::ops::ControlFlow;

use hashlane_audit::{self as audit, Audit, Comparison, Content, Counters, Facts, Seen};
use hashlane_digest::Digest;
use hashlane_engine::{Excluded, Halt, Sink, Taken};
use hashlane_record::{Failure, ItemPath, Operation, Outcome, Record, Timestamp};

use super::event::{End, Event, Finding};
use crate::error::Error;
use crate::judge::{Disputed, is_gone};
use crate::normalization::Spellings;
use crate::pieces::of_record;
use crate::places::Places;
use crate::problem::Problem;
use crate::whereabouts::{Looks, Wanted};

/// How many listed files are looked for at once.
const LISTED_AT_ONCE: usize = 1 << 16;

/// Judges what was read.
pub(super) struct Judged {
    pub(super) places: Places,
    pub(super) wanted: Wanted,
    pub(super) audit: Audit,
    /// Where other spellings are taken for what is listed.
    pub(super) spellings: Option<Spellings>,
    /// Whether listed names are spelled as those of the files are.
    pub(super) spelled: bool,
    /// Contents are compared by the digests of their pieces.
    pub(super) by_pieces: bool,
    pub(super) tells_passes: bool,
    pub(super) has_base: bool,
    /// Something is below the roots, be it excluded.
    pub(super) inhabited: bool,
    /// Directories that could not be looked into.
    pub(super) unsearched: u64,
    /// The walk is over: names are those that are listed.
    pub(super) by_listed_name: bool,
    /// Who takes the events wants no more.
    pub(super) stopped: bool,
}

/// Judges what was read, and reports it.
pub(super) struct Telling<'a> {
    pub(super) judged: Judged,
    pub(super) found: &'a mut dyn FnMut(&Event<'_>) -> Taken,
}

/// What somebody has read of a file.
pub(super) struct Reading {
    pub(super) path: ItemPath,
    pub(super) outcome: Outcome,
    /// Of what was read to its end: its bytes.
    pub(super) size: u64,
    pub(super) modified: Option<Timestamp>,
    pub(super) digests: Vec<Digest>,
}

impl Judged {
    /// Whether nothing is there at all, as far as could be seen.
    fn is_empty(&self) -> bool {
        self.audit.counters().inputs == 0 && self.unsearched == 0 && !self.inhabited
    }

    /// Whether what is in a store is not known to its end: then nobody knows what is missing.
    fn is_unlisted(&self) -> bool {
        self.places.elsewhere().is_some() && self.unsearched > 0
    }

    /// Whether the store has nothing of a listed name that was asked for.
    fn is_gone(&self, outcome: &Outcome) -> bool {
        let is_asked_for = self.by_listed_name && self.places.elsewhere().is_some();
        is_asked_for && matches!(outcome, Outcome::Failed(failure) if is_gone(*failure))
    }

    /// Whether to go on: where verdicts cannot be had any more, nothing more is read for them.
    fn goes_on(&self) -> Taken {
        if self.audit.has_failed() { Err(Halt::Enough) } else { Ok(()) }
    }

    /// The name that a file which was found or read is judged by.
    fn name(&self, path: &[u8]) -> Vec<u8> {
        if self.by_listed_name { path.to_vec() } else { self.places.of_found(path).into_owned() }
    }

    /// The same, or the listed name that it stands for.
    fn name_listed(&self, path: &[u8]) -> Vec<u8> {
        let name = self.name(path);
        let spellings = self.spellings.as_ref().filter(|_| self.audit.known(&name).is_none());
        let listed = spellings.and_then(|spellings| spellings.listed(self.places.start(), &name));
        listed.map(<[u8]>::to_vec).unwrap_or(name)
    }
}

impl Telling<'_> {
    fn tell(&mut self, event: &Event<'_>) -> Taken {
        let taken = (self.found)(event);
        self.judged.stopped |= taken.is_err();
        taken
    }

    /// Listed files that no walk came to and that are there nevertheless: a symbolic link is in their way, they lie elsewhere,
    /// or nobody can tell. At most [`LISTED_AT_ONCE`], from the one after `looked` on, which is moved along. None where case
    /// does not matter: the walk may have found them under another spelling. Those that are not wanted are left out.
    pub(super) fn present(&mut self, looked: &mut Vec<u8>) -> Result<Vec<ItemPath>, Halt> {
        self.judged.by_listed_name = true;
        let Judged { wanted, spelled, .. } = &self.judged;
        // Of an empty tree nothing is said.
        if self.judged.stopped
            || self.judged.is_unlisted()
            || self.judged.is_empty()
            || !spelled && wanted.is_everything()
        {
            return Ok(Vec::new());
        }
        loop {
            let Judged { audit, wanted, places, spelled, .. } = &mut self.judged;
            let whereabouts = |name: &[u8]| wanted.whereabouts(name, places, || audit.known(name));
            let looks = Looks::new(audit.unseen_after(looked), whereabouts, *spelled, LISTED_AT_ONCE);
            for name in &looks.unwanted {
                audit.leave_out(name.as_bytes());
            }
            let Looks { present, special, last: Some(last), .. } = looks else { return Ok(Vec::new()) };
            if self.judged.audit.has_failed() {
                return Ok(Vec::new());
            }
            *looked = last;
            for name in &special {
                self.special(name.as_bytes())?;
            }
            // Unwanted names alone are not the end of all.
            if !present.is_empty() {
                return Ok(present);
            }
        }
    }

    /// Says of a listed name that no file has it by now.
    fn special(&mut self, path: &[u8]) -> Taken {
        self.tell(&Event::Problem { path, problem: Problem::Special, is_directory: false })?;
        let seen = Seen { path, size: None, modified: None, reading: audit::Reading::Unreadable };
        let Some(verdict) = self.judged.audit.see(seen) else { return Ok(()) };
        let known = self.judged.audit.known(path);
        self.tell(&Event::Verdict(Finding {
            path,
            verdict,
            other: None,
            known,
            seen: None,
            is_disputed: false,
        }))
    }

    /// Reports a verdict.
    fn verdict(&mut self, finding: audit::Finding<'_>) -> Taken {
        verdict(finding, self.judged.by_pieces, &mut |event| self.tell(event))
    }

    /// Gives the verdicts that wait for the end. Of an audit that was stopped there are none: what it did not come to is not missing.
    pub(super) fn finish(self, is_complete: bool) -> Result<(End, Counters), Error> {
        let Self { judged, found } = self;
        // It was ended because there can be no verdict, or would give none now.
        if judged.audit.has_failed() {
            judged.audit.finish()?;
            return Ok((End::Stopped, Counters::default()));
        }
        let early = match () {
            () if !is_complete => Some(End::Stopped),
            () if judged.is_unlisted() => Some(End::Unlisted),
            () if judged.is_empty() => Some(End::Deserted),
            () => None,
        };
        if let Some(end) = early {
            return Ok((end, judged.audit.counters().clone()));
        }
        let by_pieces = judged.by_pieces;
        let findings = judged.audit.finish()?;
        let mut halt = None;
        findings.visit(|finding| {
            halt = verdict(finding, by_pieces, found).err();
            if halt.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let end = if halt.is_none() { End::Complete } else { End::Stopped };
        halt.map_or(Ok(()), Halt::into_result)?;
        Ok((end, findings.counters().clone()))
    }
}

impl Telling<'_> {
    /// Judges a reading, whoever has read.
    pub(super) fn take(&mut self, reading: Reading) -> Taken {
        let Reading { path, outcome, size, modified, digests } = reading;
        // It gets its verdict at the end, like others that were not seen.
        if self.judged.is_gone(&outcome) {
            return Ok(());
        }
        let dispute = match outcome {
            Outcome::Disputed(dispute) if !digests.is_empty() => Some(dispute),
            _ => None,
        };
        // What is to be said of a disputed content depends on its verdict.
        let problem = Problem::of_outcome(outcome, self.judged.has_base).filter(|_| dispute.is_none());
        if let Some(problem) = problem {
            let is_list = |failure: Failure| failure.operation == Operation::List;
            let is_directory = matches!(outcome, Outcome::Failed(failure) if is_list(failure));
            self.judged.unsearched += u64::from(is_directory);
            let path = self.judged.places.below_here(path.as_bytes());
            let taken = (self.found)(&Event::Problem { path, problem, is_directory });
            self.judged.stopped |= taken.is_err();
            if is_directory || taken.is_err() {
                return taken;
            }
        }
        let judged = &mut self.judged;
        let path = judged.name_listed(path.as_bytes());
        let reading = match (outcome, dispute) {
            (Outcome::Read, _) => audit::Reading::Read(&digests),
            (Outcome::Unstable(_), _) => audit::Reading::Unstable,
            (_, Some(dispute)) => audit::Reading::Disputed(&digests, dispute),
            (Outcome::Disputed(_) | Outcome::Failed(_), None) => audit::Reading::Unreadable,
        };
        let is_whole = outcome == Outcome::Read || dispute.is_some();
        let size = is_whole.then_some(size);
        let Some(verdict) = judged.audit.see(Seen { path: &path, size, modified, reading }) else {
            return judged.goes_on();
        };
        // Only what is shown: of millions of files that are as they were nothing is looked up.
        let wants_content = !verdict.is_pass() || judged.tells_passes;
        let known = if wants_content { judged.audit.known(&path) } else { None };
        // Of a file that changed there are digests as well: of a content that it never had.
        let seen = content(digests, size).filter(|_| wants_content && is_whole);
        self.verdict(audit::Finding { path: &path, verdict, other: None, known, seen, dispute })
    }
}

impl Sink for Telling<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let digests = if self.judged.by_pieces { Some(of_record(&record)) } else { None };
        let Record { path, outcome, facts, digested_bytes: size, .. } = record;
        let digests = digests.unwrap_or(record.digests);
        self.take(Reading { path, outcome, size, modified: facts.map(|facts| facts.modified), digests })
    }

    fn excluded(&mut self, excluded: Excluded) -> Taken {
        let path = self.judged.name(excluded.path.as_bytes());
        self.judged.inhabited = true;
        self.judged.audit.leave_out(&path);
        self.judged.goes_on()
    }
}

/// Reports a verdict, and first what is to be said of a content that its store disputes.
fn verdict(finding: audit::Finding<'_>, by_pieces: bool, tell: &mut dyn FnMut(&Event<'_>) -> Taken) -> Taken {
    let audit::Finding { verdict, path, other, known, seen, dispute } = finding;
    if let Some(dispute) = dispute {
        let comparison = Comparison::new(&facts(known.as_ref()), &facts(seen.as_ref()));
        let disputed = Disputed::of(verdict, &comparison);
        let problem = disputed.map_or(Problem::OtherChecksum(dispute), Problem::Disputed);
        tell(&Event::Problem { path, problem, is_directory: false })?;
    }
    // What stands for pieces is not a digest of a file.
    let [known, seen] = [known, seen].map(|content| content.filter(|_| !by_pieces));
    tell(&Event::Verdict(Finding { path, verdict, other, known, seen, is_disputed: dispute.is_some() }))
}

/// What is known of a content. Of none, nothing is.
fn facts(content: Option<&Content>) -> Facts<'_> {
    content.map_or_else(Facts::default, |content| Facts {
        size: content.size,
        modified: content.modified,
        digests: &content.digests,
    })
}

fn content(digests: Vec<Digest>, size: Option<u64>) -> Option<Content> {
    (!digests.is_empty()).then_some(Content { size, modified: None, digests })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hashlane_digest::Algorithm;
    use hashlane_record::{Dispute, Origin};

    use super::*;
    use crate::AuditOptions;
    use crate::audit::Listing;

    /// An audit whose listed files are on disk, in a directory that is not there any more.
    fn without_a_place() -> Judged {
        let directory = tempfile::tempdir().expect("a directory");
        let md5 = Algorithm::MD5;
        let list = directory.path().join("LIST");
        std::fs::write(&list, format!("MD5 (listed) = {}\n", md5.digest(b"x"))).expect("written");
        let engine = hashlane_engine::Options::new(Arc::new([md5]));
        let temporary_directory = directory.path().to_owned();
        let options = AuditOptions { memory_bytes: 0, temporary_directory, ..AuditOptions::new(engine) };
        let mut listing = Listing::new(options, Arc::new(|_| {}));
        listing.read(list.as_os_str()).expect("a list");
        listing.start().expect("a place for what is listed").judged
    }

    /// Shows it one thing after another until it wants no more, and asks for its verdicts.
    fn ends(is_complete: bool, mut show: impl FnMut(&mut Telling<'_>, ItemPath) -> Taken) {
        let found = &mut |_: &Event<'_>| Ok(());
        let mut telling = Telling { judged: without_a_place(), found };
        let shown = (0..100_000).find(|number| {
            let path = ItemPath::from(format!("{number:0100}").as_bytes());
            show(&mut telling, path).is_err()
        });
        assert!(shown.is_some(), "it goes on, though there will be no verdict");
        assert!(telling.present(&mut Vec::new()).expect("nothing is told").is_empty());
        let error = telling.finish(is_complete).expect_err("it has failed");
        assert!(matches!(error, Error::Sorting(_)), "{error}");
    }

    const ONCE: Dispute = Dispute { is_read_twice: false, offset_bytes: 5 };

    const TWICE: Dispute = Dispute { is_read_twice: true, ..ONCE };

    /// All that an audit reports of files that were read, by name, content and outcome.
    fn told(
        (fold_case, memory_bytes): (bool, usize),
        listed: &[(&str, &str)],
        read: &[(&str, &str, Outcome)],
    ) -> Vec<String> {
        let md5 = Algorithm::MD5;
        let directory = tempfile::tempdir().expect("a directory");
        let list = directory.path().join("LIST");
        let line =
            |(name, content): &(_, &str)| format!("MD5 ({name}) = {}\n", md5.digest(content.as_bytes()));
        std::fs::write(&list, listed.iter().map(line).collect::<String>()).expect("written");
        let engine = hashlane_engine::Options::new(Arc::new([md5]));
        let mut options = AuditOptions { memory_bytes, ..AuditOptions::new(engine) };
        options.lookup.fold_case = fold_case;
        let mut listing = Listing::new(options, Arc::new(|_| {}));
        listing.read(list.as_os_str()).expect("a list");
        let mut told = Vec::new();
        let mut found = |event: &Event<'_>| {
            let text = String::from_utf8_lossy;
            told.push(match event {
                Event::Problem { path, problem, .. } => format!("{}: {problem}", text(path)),
                Event::Verdict(finding) => {
                    let other = finding.other.map_or(String::new(), |other| format!(", {}", text(other)));
                    let mark = if finding.is_disputed { ", disputed" } else { "" };
                    let seen = if finding.seen.is_some() { ", read" } else { "" };
                    format!("{} {}{other}{mark}{seen}", finding.verdict, text(finding.path))
                }
            });
            Ok(())
        };
        let judged = listing.start().expect("a root").judged;
        assert_eq!(judged.audit.is_on_disk(), memory_bytes == 0);
        let mut telling = Telling { judged, found: &mut found };
        for (name, content, outcome) in read {
            let (path, digests) = (ItemPath::from(name.as_bytes()), vec![md5.digest(content.as_bytes())]);
            let (outcome, size) = (*outcome, content.len() as u64);
            telling.take(Reading { path, outcome, size, modified: None, digests }).expect("it goes on");
        }
        telling.finish(true).expect("there are verdicts");
        told
    }

    const MEMORY: usize = 1 << 20;

    const AS_LISTED: &str = "its content is as listed, but the store keeps another checksum for it: that checksum is damaged; upload the object again";
    const DAMAGED: &str = "its content has neither the listed digest nor the checksum that the store keeps for it: it was damaged in the store";

    #[test]
    fn an_audit_says_of_disputed_contents_what_a_check_says_wherever_what_is_listed_lies() {
        let listed = [("a", "known"), ("b", "known"), ("c", "known"), ("d", "known"), ("e", "known")];
        let read = [
            ("a", "known", Outcome::Disputed(TWICE)),
            ("b", "known", Outcome::Disputed(ONCE)),
            ("c", "other", Outcome::Disputed(TWICE)),
            ("d", "other", Outcome::Disputed(ONCE)),
            // What nobody listed is compared with nothing, and nothing has moved there.
            ("new", "known", Outcome::Disputed(TWICE)),
        ];
        let expected = [
            format!("a: {AS_LISTED}"),
            "unreadable a, disputed, read".to_owned(),
            format!("b: {AS_LISTED}"),
            "unreadable b, disputed, read".to_owned(),
            format!("c: {DAMAGED}"),
            "corrupt c, disputed, read".to_owned(),
            format!("d: {ONCE}"),
            "unreadable d, disputed, read".to_owned(),
            "missing e".to_owned(),
            format!("new: {TWICE}"),
            "unreadable new, disputed, read".to_owned(),
        ];
        assert_eq!(told((false, 0), &listed, &read), expected, "on disk");
        let mut in_memory = told((false, MEMORY), &listed, &read);
        // Verdicts on what was read are reported at once.
        in_memory[8..].rotate_right(1);
        assert_eq!(in_memory, expected, "in memory");
    }

    #[test]
    fn where_case_is_folded_a_disputed_content_is_judged_by_the_entry_that_it_is_paired_with() {
        // The file of the listed name comes later. Then nobody listed the other one.
        let read = [("a", "other", Outcome::Disputed(TWICE)), ("A", "known", Outcome::Read)];
        let expected = ["ok A".to_owned(), format!("a: {TWICE}"), "unreadable a, disputed, read".to_owned()];
        assert_eq!(told((true, MEMORY), &[("A", "known")], &read), expected);
        // Both spellings are listed, and the first one is taken.
        let listed = [("Ab", "first"), ("aB", "later")];
        let with = |content, dispute| {
            let read = [("AB", content, Outcome::Disputed(dispute)), ("Ab", "first", Outcome::Read)];
            told((true, MEMORY), &listed, &read)
        };
        let expected =
            ["ok Ab".to_owned(), format!("AB: {AS_LISTED}"), "unreadable AB, aB, disputed, read".to_owned()];
        assert_eq!(with("later", TWICE), expected);
        let expected =
            ["ok Ab".to_owned(), format!("AB: {DAMAGED}"), "corrupt AB, aB, disputed, read".to_owned()];
        assert_eq!(with("first", TWICE), expected);
        let expected =
            ["ok Ab".to_owned(), format!("AB: {ONCE}"), "unreadable AB, aB, disputed, read".to_owned()];
        assert_eq!(with("first", ONCE), expected);
    }

    #[test]
    fn an_audit_that_cannot_sort_ends_at_once_and_says_why() {
        let digest = Algorithm::MD5.digest(b"y");
        ends(false, |telling, path| {
            telling.record(Record {
                number: 0,
                path,
                outcome: Outcome::Read,
                facts: None,
                digests: vec![digest],
                pieces: None,
                digested_bytes: 1,
                origin: Origin::default(),
                medium: Default::default(),
                state: None,
                tag: [].into(),
            })
        });
        ends(true, |telling, path| telling.excluded(Excluded { number: 0, path, tag: [].into() }));
    }
}
