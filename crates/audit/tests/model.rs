//! An audit gives the verdicts that a naive reading of the rules gives, in any order of inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use hashlane_audit::{
    Audit, Counters, Error, Finding, Known, KnownFile, Options, Reading, Rules, Seen, Unchecked, Verdict,
};
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Dispute, Timestamp};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// The last is in no manifest.
const ALGORITHMS: [&str; 4] = ["crc32", "md5", "sha256", "xxh3"];

const NAMES: [&str; 14] =
    ["a", "A", "b", "c", "d/a", "d/b", "d/B", "d/c", "e/a", "e/b", "e/ä", "E/Ä", "f/a", "zz"];

/// How many cases each property is tried with.
const NUMBER_OF_CASES: u32 = 4000;

/// What goes wrong nowhere here.
const FILES: &str = "temporary files can be made and read";

/// The ways in which an input is without content.
const UNREAD: [(Reading<'_>, Verdict); 4] = [
    (Reading::Unreadable, Verdict::Unreadable),
    (Reading::Unstable, Verdict::Unstable),
    (Reading::Ignored, Verdict::Ignored),
    (Reading::NotChecked(Unchecked::Limit), Verdict::NotChecked(Unchecked::Limit)),
];

/// The ways in which a known file is set aside.
const ASIDE: [Verdict; 3] = [Verdict::Excluded, Verdict::Ignored, Verdict::NotChecked(Unchecked::Offline)];

/// A listed record or an input; `unread`, `disputed` and `left_out` are of one side only.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    path: String,
    size: Option<u64>,
    modified: Option<u32>,
    digests: BTreeMap<&'static str, Digest>,
    /// A place in [`UNREAD`].
    unread: Option<usize>,
    /// Its store keeps the checksum of another content; whether two readings have brought this one.
    disputed: Option<bool>,
    left_out: Option<Verdict>,
}

/// A verdict, and the name of the other file.
type Judged = (Verdict, Option<String>);

/// A name that is set aside, and its verdict.
type Aside = (String, Verdict);

impl File {
    fn digests(&self) -> Vec<Digest> {
        self.digests.values().copied().collect()
    }

    fn modified(&self) -> Option<Timestamp> {
        self.modified.map(|seconds| Timestamp { seconds: seconds.into(), nanos: 5 })
    }

    /// Equal and different shared digests, and whether the sizes are equal.
    fn compared(&self, other: &Self) -> (usize, usize, Option<bool>) {
        let shared =
            self.digests.iter().filter_map(|(name, digest)| Some((digest, other.digests.get(name)?)));
        let (equal, different): (Vec<_>, Vec<_>) = shared.partition(|(one, other)| one == other);
        (equal.len(), different.len(), self.size.zip(other.size).map(|(one, other)| one == other))
    }

    fn has_content_of(&self, other: &Self) -> bool {
        let (equal, different, same_size) = self.compared(other);
        equal > 0 && different == 0 && same_size != Some(false)
    }

    fn collides_with(&self, other: &Self) -> bool {
        self.compared(other).0 > 0 && !self.has_content_of(other)
    }

    fn is_empty(&self) -> bool {
        match self.size {
            Some(size) => size == 0,
            None => {
                let empty = |digest: &Digest| *digest == digest.algorithm().digest(b"");
                !self.digests.is_empty() && self.digests.values().all(empty)
            }
        }
    }
}

/// What the rules say of every input and every known file, by name.
struct Model {
    options: Options,
    knowns: Vec<File>,
    inputs: BTreeMap<String, Judged>,
    lost: BTreeMap<String, Judged>,
    /// By the place of the known file: that there is an input.
    seen: Vec<bool>,
    moved: Vec<bool>,
    contents: Vec<File>,
    /// The names of known files whose records contradict each other.
    contradicted: BTreeSet<String>,
    records: [u64; 3],
}

impl Model {
    fn new(options: Options, records: &[File], inputs: &[File], left_out: &[Aside]) -> Self {
        let mut model = Self {
            options,
            knowns: Vec::new(),
            inputs: BTreeMap::new(),
            lost: BTreeMap::new(),
            seen: Vec::new(),
            moved: Vec::new(),
            contents: Vec::new(),
            contradicted: BTreeSet::new(),
            records: [0; 3],
        };
        records.iter().for_each(|record| model.load(record));
        let (exact, folded): (Vec<&Aside>, Vec<&Aside>) =
            left_out.iter().partition(|(name, _)| model.knowns.iter().any(|known| known.path == *name));
        for (name, verdict) in exact {
            let same = |known: &&mut File| known.path == *name;
            model.knowns.iter_mut().filter(same).for_each(|known| known.left_out = Some(*verdict));
        }
        model.knowns.sort_by_key(|known| key(options, &known.path));
        (model.seen, model.moved) = (vec![false; model.knowns.len()], vec![false; model.knowns.len()]);
        let mut inputs = inputs.to_vec();
        for input in &mut inputs {
            input.digests.retain(|name, _| records.iter().any(|record| record.digests.contains_key(name)));
        }
        model.judge_inputs(inputs, &folded);
        model.judge_unseen();
        model
    }

    fn load(&mut self, record: &File) {
        let Some(known) = self.knowns.iter_mut().find(|known| known.path == record.path) else {
            return self.knowns.push(record.clone());
        };
        if self.contradicted.contains(&record.path) {
            self.records[1] += 1;
            return;
        }
        let (_, different, same_size) = known.compared(record);
        if different > 0 || same_size == Some(false) {
            self.records[2] += 1;
            self.contradicted.insert(record.path.clone());
            (known.size, known.modified) = (None, None);
            known.digests.clear();
            return;
        }
        let mut merged = known.clone();
        merged.size = known.size.or(record.size);
        merged.modified = known.modified.or(record.modified);
        merged.digests.extend(record.digests.clone());
        self.records[usize::from(merged == *known)] += 1;
        *known = merged;
    }

    fn judge_inputs(&mut self, mut inputs: Vec<File>, folded_aside: &[&Aside]) {
        inputs.sort_by_key(|input| key(self.options, &input.path));
        inputs.retain(|input| !self.judge_by_name(input, |known| known == input.path));
        let options = self.options;
        inputs.retain(|input| {
            !self.judge_by_name(input, |known| fold(options, known) == fold(options, &input.path))
        });
        for (name, verdict) in folded_aside {
            let same = |&place: &usize| {
                let known = &self.knowns[place];
                !self.seen[place]
                    && known.left_out.is_none()
                    && fold(options, &known.path) == fold(options, name)
            };
            if let Some(place) = (0..self.knowns.len()).find(same) {
                self.knowns[place].left_out = Some(*verdict);
            }
        }
        for input in &inputs {
            let unread = input.unread.map(|place| UNREAD[place].1);
            // What is disputed is known by its name or not at all.
            let verdict = unread.or(input.disputed.map(|_| Verdict::Unreadable));
            if let Some(verdict) = verdict {
                self.inputs.insert(input.path.clone(), (verdict, None));
            }
        }
        inputs.retain(|input| input.unread.is_none() && input.disputed.is_none());
        self.contents.extend(inputs.iter().cloned());
        for same_base in [true, false] {
            inputs.retain(|input| !self.judge_moved(input, same_base));
        }
        for input in inputs {
            let judged = self.without_move(&input);
            self.inputs.insert(input.path, judged);
        }
    }

    fn judge_by_name(&mut self, input: &File, same: impl Fn(&str) -> bool) -> bool {
        let free = |&place: &usize| same(&self.knowns[place].path) && !self.seen[place];
        // Those that are set aside come last.
        let place =
            (0..self.knowns.len()).filter(free).min_by_key(|&place| self.knowns[place].left_out.is_some());
        let Some(place) = place else { return false };
        self.seen[place] = true;
        let known = &self.knowns[place];
        let Rules { touched, registered, .. } = self.options.rules;
        let other_time = known.modified.zip(input.modified).is_some_and(|(one, other)| one != other);
        let same_time = known.modified.zip(input.modified).is_some_and(|(one, other)| one == other);
        let is_longer = known.size.zip(input.size).is_some_and(|(one, other)| other > one);
        let verdict = match (input.unread, input.disputed, known.compared(input)) {
            (Some(place), ..) => UNREAD[place].1,
            (None, Some(true), (1.., 1.., _) | (1.., _, Some(false))) => Verdict::Collision,
            (None, Some(true), (0, 1.., _) | (0, 0, Some(false))) if !other_time && !is_longer => {
                Verdict::Corrupt
            }
            (None, Some(_), _) => Verdict::Unreadable,
            (None, None, compared) => match compared {
                (1.., 0, Some(true) | None) if touched && other_time => Verdict::Touched,
                (1.., 0, Some(true) | None) => Verdict::Ok,
                (1.., _, _) => Verdict::Collision,
                (0, 1.., _) | (0, 0, Some(false)) if same_time && !is_longer => Verdict::Corrupt,
                (0, 1.., _) | (0, 0, Some(false)) => Verdict::Changed,
                (0, 0, _) if registered && known.digests.is_empty() => Verdict::Registered,
                (0, 0, Some(true)) => Verdict::SizeOnly,
                (0, 0, None) => Verdict::Unverified,
            },
        };
        let mut content = File { path: known.path.clone(), ..input.clone() };
        if verdict.is_pass() {
            if input.digests.keys().all(|name| known.digests.contains_key(name)) {
                content = known.clone();
            } else {
                content.size = input.size.or(known.size);
                content.digests.extend(known.digests.clone());
            }
        }
        if input.unread.is_none() && input.disputed.is_none() {
            self.contents.push(content);
        }
        let other = (known.path != input.path).then(|| known.path.clone());
        self.inputs.insert(input.path.clone(), (verdict, other));
        true
    }

    fn judge_moved(&mut self, input: &File, same_base: bool) -> bool {
        if self.options.ignore_empty_content && input.is_empty() {
            return false;
        }
        let gone = |place: &usize| {
            !self.seen[*place] && !self.moved[*place] && self.knowns[*place].left_out.is_none()
        };
        let fits = |place: &usize| {
            let known = &self.knowns[*place];
            let base = |path: &str| fold(self.options, path.rsplit('/').next().unwrap_or(path));
            known.has_content_of(input) && (!same_base || base(&known.path) == base(&input.path))
        };
        let Some(place) = (0..self.knowns.len()).filter(gone).find(fits) else { return false };
        self.moved[place] = true;
        self.inputs.insert(input.path.clone(), (Verdict::Moved, Some(self.knowns[place].path.clone())));
        true
    }

    fn without_move(&self, input: &File) -> Judged {
        if self.options.ignore_empty_content && input.is_empty() {
            return (Verdict::New, None);
        }
        let named = |verdict, known: &File| (verdict, Some(known.path.clone()));
        let copied = self.knowns.iter().find(|known| known.has_content_of(input));
        let collides = self.knowns.iter().find(|known| known.collides_with(input));
        copied
            .map(|known| named(Verdict::Copied, known))
            .or(collides.map(|known| named(Verdict::Collision, known)))
            .unwrap_or((Verdict::New, None))
    }

    fn judge_unseen(&mut self) {
        for (place, known) in self.knowns.iter().enumerate() {
            if self.seen[place] || self.moved[place] {
                continue;
            }
            if let Some(verdict) = known.left_out {
                self.lost.insert(known.path.clone(), (verdict, None));
                continue;
            }
            let same = self.contents.iter().filter(|content| content.has_content_of(known));
            let first = same.map(|content| &content.path).min_by_key(|path| key(self.options, path));
            let judged = match first {
                Some(first) if !(self.options.ignore_empty_content && known.is_empty()) => {
                    (Verdict::DuplicateLost, Some(first.clone()))
                }
                _ => (Verdict::Missing, None),
            };
            self.lost.insert(known.path.clone(), judged);
        }
    }
}

fn fold(options: Options, path: &str) -> String {
    if options.fold_case { path.to_lowercase() } else { path.to_owned() }
}

fn key(options: Options, path: &str) -> (String, String) {
    (fold(options, path), path.to_owned())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the names are text")
}

/// The memory that an audit may take.
#[derive(Clone, Copy)]
enum Memory {
    Any,
    /// This many bytes.
    Of(usize),
}

/// How the store of an input disputes what was read of it.
fn dispute(input: &File) -> Option<Dispute> {
    let is_read_twice = input.disputed.filter(|_| input.unread.is_none())?;
    Some(Dispute { is_read_twice, offset_bytes: input.size.unwrap_or(0) })
}

/// What an audit says, by name.
struct Audited {
    of_inputs: BTreeMap<String, Judged>,
    of_knowns: BTreeMap<String, Judged>,
    counters: Counters,
    is_on_disk: bool,
    /// What the known files took when all were there.
    known_bytes: usize,
    /// What all took before the end.
    bytes: usize,
}

/// Runs an audit, within a limit of memory, if there is one; verdicts by name as the model has them.
fn audited(
    memory: Memory,
    options: Options,
    records: &[File],
    inputs: &[File],
    left_out: &[Aside],
    left_out_first: bool,
) -> Audited {
    let mut known = match memory {
        Memory::Any => Known::new(options),
        Memory::Of(bytes) => Known::within(options, bytes, std::env::temp_dir()),
    };
    for record in records {
        let file = KnownFile {
            path: record.path.as_bytes(),
            size: record.size,
            modified: record.modified(),
            digests: &record.digests(),
        };
        let added = known.add(file);
        assert!(matches!(added, Ok(_) | Err(Error::OtherDigest { .. } | Error::OtherSize { .. })));
    }
    let known_bytes = known.memory_bytes();
    let mut contradictions = 0;
    let mut audit = Audit::settled(known, |_, _| contradictions += 1).expect(FILES);
    assert!(contradictions <= audit.counters().conflicting);
    let leave_out = |audit: &mut Audit| {
        for (name, verdict) in left_out {
            match verdict {
                Verdict::Ignored => audit.ignore(name.as_bytes()),
                Verdict::NotChecked(reason) => audit.not_checked(name.as_bytes(), *reason),
                _ => audit.leave_out(name.as_bytes()),
            };
        }
    };
    if left_out_first {
        leave_out(&mut audit);
    }
    let (mut of_inputs, mut of_knowns) = (BTreeMap::new(), BTreeMap::new());
    for input in inputs {
        let digests = input.digests();
        let reading = match (input.unread, input.disputed) {
            (Some(place), _) => UNREAD[place].0,
            (None, Some(_)) => Reading::Disputed(&digests, dispute(input).expect("it is disputed")),
            (None, None) => Reading::Read(&digests),
        };
        let (size, modified) = (input.size, input.modified());
        let seen = Seen { path: input.path.as_bytes(), size, modified, reading };
        if let Some(verdict) = audit.see(seen) {
            of_inputs.insert(input.path.clone(), (verdict, None));
        }
    }
    if !left_out_first {
        leave_out(&mut audit);
    }
    let (is_on_disk, bytes) = (audit.is_on_disk(), audit.memory_bytes());
    let algorithms = audit.algorithms().to_vec();
    let findings = audit.finish().expect(FILES);
    let mut paths = Vec::new();
    let path = |finding: Finding<'_>| {
        paths.push(finding.path.to_vec());
        ControlFlow::Continue(())
    };
    findings.visit(path).expect(FILES);
    assert!(paths.is_sorted_by_key(|path| key(options, &text(path))));
    let is_input = |path: &[u8]| inputs.iter().any(|input| input.path.as_bytes() == path);
    let judge = |finding: Finding<'_>| {
        let of_known = [Verdict::Missing, Verdict::DuplicateLost];
        // A known file whose name an input has is not set aside: it has that input.
        let aside = ASIDE.contains(&finding.verdict) && !is_input(finding.path);
        let lost = of_known.contains(&finding.verdict) || aside;
        let input = inputs.iter().find(|input| input.path.as_bytes() == finding.path).filter(|_| !lost);
        assert_eq!(finding.seen.is_some(), input.is_some_and(|input| input.unread.is_none()));
        assert_eq!(finding.dispute, input.and_then(dispute));
        if let (Some(seen), Some(input)) = (&finding.seen, input) {
            let digests =
                input.digests().into_iter().filter(|digest| algorithms.contains(&digest.algorithm()));
            let by_name = |digest: &Digest| digest.algorithm().name();
            let (mut of_input, mut found) = (digests.collect::<Vec<_>>(), seen.digests.clone());
            of_input.sort_by_key(by_name);
            found.sort_by_key(by_name);
            assert_eq!((seen.size, found), (input.size, of_input));
        }
        let judged = (finding.verdict, finding.other.map(text));
        let into = if lost { &mut of_knowns } else { &mut of_inputs };
        assert_eq!(into.insert(text(finding.path), judged), None);
        ControlFlow::Continue(())
    };
    findings.visit(judge).expect(FILES);
    Audited { of_inputs, of_knowns, counters: findings.counters().clone(), is_on_disk, known_bytes, bytes }
}

fn files(of_manifest: bool) -> impl Strategy<Value = File> {
    let algorithms = if of_manifest { &ALGORITHMS[..3] } else { &ALGORITHMS[..] };
    let contents = proptest::collection::vec(0..6u8, 5);
    let size = proptest::option::weighted(0.7, 0..8u64);
    (
        select(&NAMES[..]),
        0..3u8,
        contents,
        subsequence(algorithms, 0..=algorithms.len()),
        size,
        0..4u32,
        0..16usize,
        proptest::option::weighted(0.2, any::<bool>()),
    )
        .prop_map(|(path, content, contents, names, size, modified, unread, disputed)| {
            // One in six digests and two in eight sizes are of some other content.
            let of = |other: u8| if other == 5 { (content + 1) % 3 } else { content };
            let digests = names.iter().zip(contents).map(|(&name, other)| {
                let content = vec![7; of(other).into()];
                (name, Algorithm::named(name).expect("a registered name").digest(&content))
            });
            File {
                path: path.to_owned(),
                size: size.map(|size| if size < 3 { size } else { content.into() }),
                modified: (modified > 0).then_some(modified / 2),
                digests: digests.collect(),
                unread: (unread < UNREAD.len()).then_some(unread),
                disputed,
                left_out: None,
            }
        })
}

prop_compose! {
    fn inputs()(inputs in proptest::collection::btree_map(select(&NAMES[..]), files(false), 0..12))
        (inputs in Just(inputs.into_iter().collect::<Vec<_>>()).prop_shuffle()) -> Vec<File> {
        let named = inputs.into_iter().map(|(path, input)| File { path: path.to_owned(), ..input });
        named.collect()
    }
}

/// Asserts that an audit of these inputs says what the rules say, and that its counts add up.
#[track_caller]
fn assert_as_modelled(audited: &Audited, model: &Model, inputs: usize) {
    let mut of_inputs = audited.of_inputs.clone();
    assert_eq!(&audited.of_knowns, &model.lost);
    assert_eq!(&audited.of_inputs, &model.inputs);
    assert_eq!(audited.counters.sums(), (audited.counters.inputs, audited.counters.knowns));
    assert_eq!(audited.counters.sums(), (inputs as u64, model.knowns.len() as u64));
    assert_eq!(
        [audited.counters.merged, audited.counters.repeated, audited.counters.conflicting],
        model.records
    );
    of_inputs
        .extend(audited.of_knowns.clone().into_iter().map(|(path, judged)| (format!("lost {path}"), judged)));
    for verdict in Verdict::ALL {
        let count = of_inputs.values().filter(|(other, _)| other.name() == verdict.name()).count();
        assert_eq!(audited.counters.of(verdict), count as u64, "{}", verdict);
    }
    of_inputs.retain(|_, (verdict, _)| !verdict.is_neutral());
    let only_ok = of_inputs.values().all(|(verdict, _)| verdict.is_pass());
    let passed = only_ok && !of_inputs.is_empty() && model.records[2] == 0;
    assert_eq!(audited.counters.passed(), passed);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(NUMBER_OF_CASES) })]

    #[test]
    fn verdicts_are_those_of_the_rules_and_add_up(
        fold_case: bool,
        ignore_empty_content: bool,
        records in proptest::collection::vec(files(true), 0..12),
        inputs in inputs(),
        left_out in subsequence(&NAMES[..], 0..3),
        aside in select(&ASIDE[..]),
        touched: bool,
        registered: bool,
        left_out_first: bool,
    ) {
        let rules = Rules { touched, registered, ..Rules::NONE };
        let options = Options { fold_case, ignore_empty_content, rules };
        let left_out: Vec<Aside> = left_out.into_iter().map(|name| (name.to_owned(), aside)).collect();
        let model = Model::new(options, &records, &inputs, &left_out);
        let audited = audited(Memory::Any, options, &records, &inputs, &left_out, left_out_first);
        assert_as_modelled(&audited, &model, inputs.len());
    }

    #[test]
    fn an_audit_on_disk_gives_the_verdicts_of_the_rules(
        ignore_empty_content: bool,
        records in proptest::collection::vec(files(true), 1..12),
        inputs in inputs(),
        (left_out, aside) in (subsequence(&NAMES[..], 0..3), select(&ASIDE[..])),
        (touched, registered, left_out_first) in any::<(bool, bool, bool)>(),
        shared in select(&[Some("md5"), Some("sha256"), None][..]),
        more: prop::sample::Index,
    ) {
        let rules = Rules { touched, registered, ..Rules::NONE };
        let options = Options { fold_case: false, ignore_empty_content, rules };
        let left_out: Vec<Aside> = left_out.into_iter().map(|name| (name.to_owned(), aside)).collect();
        let give = |file: &mut File, name: &'static str| {
            let content = vec![7; file.size.unwrap_or(1) as usize % 3];
            file.digests.entry(name).or_insert_with(|| Algorithm::named(name).expect("a registered name").digest(&content));
        };
        let (mut records, mut inputs) = (records, inputs);
        for record in records.iter_mut().filter(|record| !record.digests.is_empty()) {
            shared.into_iter().for_each(|name| give(record, name));
        }
        // Whatever files are known by, all that is read is digested by all of it.
        inputs.iter_mut().for_each(|input| ALGORITHMS.into_iter().for_each(|name| give(input, name)));
        let model = Model::new(options, &records, &inputs, &left_out);
        let at_once = audited(Memory::Of(0), options, &records, &inputs, &left_out, left_out_first);
        prop_assert!(at_once.is_on_disk || shared.is_none());
        assert_as_modelled(&at_once, &model, inputs.len());

        // Known files fit into memory, and of the inputs so many as come before the rest is too much.
        let in_memory = audited(Memory::Any, options, &records, &inputs, &left_out, left_out_first);
        let room = in_memory.bytes.saturating_sub(in_memory.known_bytes);
        let limit = in_memory.known_bytes + more.index(room.max(1));
        let later = audited(Memory::Of(limit), options, &records, &inputs, &left_out, left_out_first);
        prop_assert!(shared.is_none() || later.is_on_disk == (room > 0));
        assert_as_modelled(&later, &model, inputs.len());

        // How many cases there were, and how many of them went to disk on the way.
        static CASES: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
        let count = |of: usize, by: bool| CASES[of].fetch_add(by.into(), Ordering::Relaxed) + u32::from(by);
        let (on_disk, cases) = (count(1, later.is_on_disk), count(0, true));
        prop_assert!(cases != NUMBER_OF_CASES || on_disk > NUMBER_OF_CASES / 8, "{on_disk} of {cases} went to disk");
    }

    #[test]
    fn a_tree_that_is_as_listed_passes_and_one_with_a_renamed_file_does_not(
        inputs in inputs(), ignore_empty_content: bool, renamed: prop::sample::Index,
    ) {
        let options = Options { ignore_empty_content, ..Options::default() };
        let of_manifest = |name: &&'static str| ALGORITHMS[..3].contains(name);
        let read = inputs.into_iter().map(|file| File { unread: None, disputed: None, ..file });
        let mut seen: Vec<File> = read.filter(|file| file.digests.keys().any(of_manifest)).collect();
        prop_assume!(!seen.is_empty());
        let mut records = seen.clone();
        records.iter_mut().for_each(|record| record.digests.retain(|name, _| of_manifest(name)));
        records.reverse();
        let passed = |seen: &[File]| audited(Memory::Any, options, &records, seen, &[], true).counters.passed();
        prop_assert!(passed(&seen));
        let index = renamed.index(seen.len());
        seen[index].path.push_str(" renamed");
        prop_assert!(!passed(&seen));
    }
}

/// What shows an empty input is an algorithm that only records have which contradict each other.
#[test]
fn records_that_contradict_each_other_count_by_their_algorithms_on_disk_as_well() {
    let digest =
        |name: &'static str, content: &[u8]| Algorithm::named(name).expect("registered").digest(content);
    let record = |path: &str, size, digests: &[(&'static str, &[u8])]| File {
        path: path.into(),
        size,
        modified: None,
        digests: digests.iter().map(|(name, content)| (*name, digest(name, content))).collect(),
        unread: Some(0),
        disputed: None,
        left_out: None,
    };
    let records = [
        record("f/a", Some(0), &[]),
        record("d/b", None, &[("md5", b"")]),
        record("f/a", Some(1), &[("crc32", &[7])]),
        record("a", None, &[("sha256", b"")]),
    ];
    let mut input = record("A", None, &[("crc32", &[7]), ("md5", b""), ("sha256", b""), ("xxh3", b"")]);
    (input.unread, input.modified) = (None, Some(0));
    let options = Options { fold_case: false, ignore_empty_content: true, rules: Rules::default() };
    let inputs = [input];
    let model = Model::new(options, &records, &inputs, &[]);
    for memory in [Memory::Any, Memory::Of(0)] {
        let audited = audited(memory, options, &records, &inputs, &[], false);
        assert_as_modelled(&audited, &model, inputs.len());
    }
}
