//! What begins a finding, what ends it, and what does not: the table of docs/decisions/0051-what-a-finding-is.md, carried out cell by cell.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use hashlane_catalog::{
    Claim, Contradiction, Decision, EvidenceImport, EvidenceKind, Heard, Named, Policy, ReportSource, Result,
    Verdict,
};
use hashlane_digest::Algorithm;
use hashlane_record::{
    Cause, Dispute, Failure, Instability, Obstacle, Operation, Origin, Outcome as ReadOutcome, Record,
};

use crate::keeper::{DAY, Keeper, corrupt, set_modified, touch};
use crate::watched::{Hooks, fail, name_of, watched};

const PAGE: &str = include_str!("../../../../docs/decisions/0051-what-a-finding-is.md");

/// The file that a finding is about.
const FILE: &str = "f";

/// What it contains, as long as nothing happens to it.
const KNOWN: &[u8] = b"content of f";

/// Where the bytes of an audit come from.
#[derive(Clone, Copy, PartialEq)]
enum Bytes {
    Cache,
    /// From the device, or out of the store that the collection lies in.
    Medium,
    /// Where no reading can be proven to come from the device.
    Unseen,
}

/// What is wrong with the readings of the file.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// None of them ends.
    Fails,
    /// It changes while it is read.
    Unstable,
    /// The first one brings other bytes, and later ones do not.
    FirstDiffers,
    /// Each brings others.
    EachDiffers,
    /// Only the first one of an audit ends.
    LaterFail,
    /// Each brings bytes that have one of the known digests, and not the other one.
    Collides,
    /// The store keeps the checksum of other bytes than each brings.
    Disputed,
}

/// A collection with a file against which something stands.
struct Case {
    keeper: Keeper,
    is_in_store: bool,
    /// Of the readings since it has begun.
    fault: Fault,
    written: Option<SystemTime>,
}

impl Case {
    /// Begins a finding of a verdict, in the way that the page says.
    fn begun(verdict: Verdict, of: Of) -> Self {
        let is_in_store = of == Of::Store;
        let is_of_frozen = matches!(
            verdict,
            Verdict::Changed | Verdict::Touched | Verdict::New | Verdict::Moved | Verdict::Copied
        );
        let keeper = Keeper::new(|terms| {
            terms.policy = match of {
                Of::Growing => Policy::Growing,
                _ if is_of_frozen => Policy::Frozen,
                _ => Policy::Living,
            };
            if verdict == Verdict::Collision {
                terms.algorithms =
                    ["md5", "sha256"].map(|name| Algorithm::named(name).expect("registered")).into();
            }
            if is_in_store {
                terms.root = "s3://keep/tree".into();
            }
        });
        let mut case = Self { keeper, is_in_store, fault: Fault::None, written: None };
        let first = match verdict {
            Verdict::New => "other",
            Verdict::Moved | Verdict::Copied => "before",
            _ => FILE,
        };
        case.keeper.write("bystander", "content of a bystander");
        // What is new is not a copy.
        let content = if verdict == Verdict::New { &b"content of another file"[..] } else { KNOWN };
        case.keeper.write(first, content);
        case.audit(Bytes::Medium);
        case.keeper.passes(DAY);
        let path = case.keeper.tree().join(FILE);
        let before = case.keeper.tree().join("before");
        case.written = case.modified();
        match verdict {
            Verdict::Corrupt | Verdict::Suspect => corrupt(&path, b"CONTENT OF F"),
            Verdict::Changed => case.keeper.write(FILE, "another content"),
            // Its time is another one, too: nobody vouches for what has come.
            Verdict::Unreadable if is_in_store => case.keeper.write(FILE, "another content"),
            Verdict::Touched => touch(&path),
            Verdict::Missing => fs::remove_file(&path).expect("it was there"),
            Verdict::New => case.keeper.write(FILE, KNOWN),
            Verdict::Moved => fs::rename(&before, &path).expect("moved"),
            Verdict::Copied => _ = fs::copy(&before, &path).expect("copied"),
            Verdict::Contradicted => case.report("another content"),
            _ => {}
        }
        case.fault = match verdict {
            Verdict::Suspect => Fault::LaterFail,
            Verdict::Collision => Fault::Collides,
            Verdict::Misread => Fault::FirstDiffers,
            Verdict::UnstableMedium => Fault::EachDiffers,
            Verdict::Unreadable if is_in_store => Fault::Disputed,
            Verdict::Unreadable => Fault::Fails,
            Verdict::Unstable => Fault::Unstable,
            _ => Fault::None,
        };
        if verdict != Verdict::Contradicted {
            case.audit(Bytes::Medium);
        }
        assert_eq!(case.stands(), Some(verdict), "it is begun");
        case.keeper.passes(DAY);
        case
    }

    fn modified(&self) -> Option<SystemTime> {
        fs::metadata(self.keeper.tree().join(FILE)).and_then(|facts| facts.modified()).ok()
    }

    fn stands(&self) -> Option<Verdict> {
        self.keeper.standing().get(FILE).copied()
    }

    /// An audit of all.
    fn audit(&mut self, bytes: Bytes) {
        let (fault, is_in_store) = (self.fault, self.is_in_store);
        let (again, readings) = (Cell::new(0_u32), Cell::new(0_u32));
        let bend = |is_again: bool, record: &mut Record| {
            again.set(again.get() + u32::from(is_again));
            let read = record.digested_bytes;
            record.origin = match bytes {
                _ if is_in_store => Origin { network_bytes: read, ..Origin::default() },
                Bytes::Cache => Origin { cache_bytes: read, ..Origin::default() },
                Bytes::Medium => Origin { device_bytes: read, ..Origin::default() },
                Bytes::Unseen => Origin { unknown_bytes: read, ..Origin::default() },
            };
            // Each file is asked for from the medium first, in vain, and then read.
            if bytes == Bytes::Unseen && is_again && !again.get().is_multiple_of(2) {
                let cause = Cause::Obstacle(Obstacle::CacheUnseen);
                let failure = Failure { operation: Operation::FromMedium, cause, offset_bytes: 0 };
                (record.outcome, record.digested_bytes) = (ReadOutcome::Failed(failure), 0);
                return;
            }
            if name_of(record) != FILE {
                return;
            }
            readings.set(readings.get() + 1);
            let other = Algorithm::SHA256.digest(&readings.get().to_le_bytes());
            match fault {
                Fault::Fails => fail(record),
                Fault::LaterFail if is_again => fail(record),
                Fault::Unstable => record.outcome = ReadOutcome::Unstable(Instability::Grew),
                Fault::FirstDiffers if !is_again => record.digests = vec![other],
                Fault::EachDiffers => record.digests = vec![other],
                Fault::Disputed => {
                    record.outcome = ReadOutcome::Disputed(Dispute { is_read_twice: true, offset_bytes: 0 });
                }
                Fault::Collides => record.digests[1] = Algorithm::SHA256.digest(b"other"),
                _ => {}
            }
        };
        watched(
            &mut self.keeper,
            &Hooks { bend: &bend, ..Hooks::default() },
            |_| {},
            &std::sync::Arc::default(),
        );
    }

    /// A provider says what the file contains.
    fn report(&mut self, content: &str) {
        let mut import = EvidenceImport::new(self.keeper.directory.path()).expect("a temporary file");
        let digest = Algorithm::SHA256.digest(content.as_bytes());
        let claim = Claim { digests: vec![digest], ..Claim::default() };
        import.add(Named::Clear(FILE.as_bytes()), &claim).expect("taken");
        let now_s = self.keeper.now_s.load(Ordering::Relaxed);
        let source = ReportSource {
            files: vec!["report.csv".into()],
            provider: "S3".into(),
            kind: EvidenceKind::Computed,
            made_s: Some(now_s),
        };
        let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: now_s };
        let collection = self.keeper.collection();
        import
            .import(&mut self.keeper.catalog, &collection, &source, &decision, false, &mut Hears)
            .expect("imported");
    }

    /// Brings the file back to what is known of it.
    fn put_back(&mut self) {
        self.fault = Fault::None;
        if let Some(written) = self.written {
            self.keeper.write(FILE, KNOWN);
            set_modified(&self.keeper.tree().join(FILE), written);
        }
    }

    /// Carries out what may end the finding.
    fn carry_out(&mut self, way: &str) {
        let path = self.keeper.tree().join(FILE);
        match way {
            "known, from a cache" => {
                self.put_back();
                self.audit(Bytes::Cache);
            }
            "known, from the medium" => {
                self.put_back();
                self.audit(Bytes::Medium);
            }
            "known, medium unseen" => {
                self.put_back();
                self.audit(Bytes::Unseen);
            }
            "known elsewhere" => {
                self.put_back();
                fs::rename(&path, self.keeper.tree().join("renamed")).expect("moved");
                self.audit(Bytes::Medium);
            }
            "gone" => {
                _ = fs::remove_file(&path);
                self.audit(Bytes::Medium);
            }
            "edited" => {
                self.fault = Fault::None;
                self.keeper.write(FILE, "what somebody has written since");
                self.audit(Bytes::Medium);
            }
            "older" => {
                self.fault = Fault::None;
                self.keeper.write(FILE, "what somebody had written before");
                let earlier = self.written.unwrap_or_else(SystemTime::now)
                    - 10 * std::time::Duration::from_secs(DAY as u64);
                set_modified(&path, earlier);
                self.audit(Bytes::Medium);
            }
            "found again" => self.audit(Bytes::Medium),
            "policy" => {
                self.keeper.set(|terms| terms.policy = Policy::Living);
                self.audit(Bytes::Medium);
            }
            "accept" => _ = self.keeper.accept_all(),
            "acknowledge" => {
                let (collection, finding) = (self.keeper.collection(), self.keeper.finding(FILE));
                let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: 0 };
                self.keeper.catalog.acknowledge(&collection, &[finding], None, &decision).expect("noted");
            }
            "report agrees" => self.report("content of f"),
            other => panic!("{other} is nothing that this test can do"),
        }
    }
}

/// Hears what comes of a report.
struct Hears;

impl Heard for Hears {
    fn unknown(&mut self, _: &[u8]) {}

    fn words(&mut self, algorithm: &str) -> String {
        format!("S3 computed another {algorithm}")
    }

    fn contradicted(&mut self, _: Contradiction<'_>) -> Result<()> {
        Ok(())
    }

    fn failed(&mut self, _: &[u8], _: &str) -> Result<bool> {
        Ok(true)
    }
}

/// The rows of the tables behind a headline: cells without their marks.
fn rows(headline: &str) -> Vec<Vec<String>> {
    let behind = PAGE.split_once(headline).expect("the page has this headline").1;
    let lines =
        behind.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().trim_matches('*').trim_matches('`').to_owned()).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = lines.map(cells).collect();
    rows.remove(1);
    rows
}

/// Of what collection a finding is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// A living one; a frozen one where a living one has no such finding.
    Usual,
    Growing,
    Store,
}

/// A finding as a row calls it: `corrupt`, `corrupt, in a store`, or `changed, growing`.
fn named(name: &str) -> (Verdict, Of) {
    let suffixes = [(", in a store", Of::Store), (", growing", Of::Growing), ("", Of::Usual)];
    let found = suffixes.into_iter().find_map(|(suffix, of)| Some((name.strip_suffix(suffix)?, of)));
    let (name, of) = found.expect("each name ends in nothing");
    (Verdict::named_in_collection(name).unwrap_or_else(|| panic!("{name} is no verdict")), of)
}

#[test]
fn every_verdict_has_a_row_with_its_bit() {
    let verdicts = rows("## The verdicts");
    let rows: BTreeMap<_, _> = verdicts[1..].iter().map(|row| (row[0].as_str(), row)).collect();
    assert_eq!(rows.len(), verdicts.len() - 1, "each once");
    for verdict in Verdict::OF_COLLECTIONS {
        assert!(
            rows.contains_key(verdict.name_in_collection()),
            "{} has no row",
            verdict.name_in_collection()
        );
    }
    assert_eq!(rows.len(), Verdict::OF_COLLECTIONS.len());
    for verdict in Verdict::OF_COLLECTIONS {
        let name = verdict.name_in_collection();
        assert_eq!(rows[name][1], verdict.bits_in_collection().to_string(), "the bit of {name}");
    }
    // Those that stand have a row of their own in the other table, and no other ones do.
    let endings = self::rows("### By finding");
    for verdict in Verdict::OF_COLLECTIONS {
        let is_finding = rows[verdict.name_in_collection()][2] == "yes";
        let has_endings = endings[1..].iter().any(|row| named(&row[0]) == (verdict, Of::Usual));
        assert_eq!(is_finding, has_endings, "{}", verdict.name_in_collection());
    }
}

#[test]
fn each_finding_ends_as_the_table_says_and_in_no_other_way() {
    let table = rows("### By finding");
    let ways = &table[0];
    let walked = |row: &Vec<String>| {
        let (verdict, of) = named(&row[0]);
        let mut differ = String::new();
        for (way, says) in ways.iter().zip(row).skip(1) {
            let mut case = Case::begun(verdict, of);
            case.carry_out(way);
            let found = match case.stands() {
                None => "ends",
                Some(stands) if stands == verdict => "–",
                Some(other) => other.name_in_collection(),
            };
            if found != says {
                writeln!(differ, "{}: {way}: the table says {says}, and it is {found}", row[0])
                    .expect("a text");
            }
        }
        differ
    };
    let differ: String = std::thread::scope(|scope| {
        let rows: Vec<_> = table[1..].iter().map(|row| scope.spawn(move || walked(row))).collect();
        rows.into_iter().map(|row| row.join().expect("it is carried out")).collect()
    });
    assert!(differ.is_empty(), "{differ}");
}
