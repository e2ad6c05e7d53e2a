//! An object store in memory, as its users know them: it lists by pages and prefix, reads by ranges, is far away, cuts
//! connections, asks to be left alone for a while, and its objects are replaced as a whole. What only such a store does is
//! tested here; what holds for every source is tested where [`for_each_world`] says so.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use hashlane_engine::{
    Control, Error, Input, LargeFiles, LargeWay, Lister, OpenedOf, Options, Sink, Skipped, Source, Summary,
    WalkOptions,
};
use hashlane_io::{
    FileFacts, FileKind, Opened, Place, Pooled, ReadCause, ReadEngine, ReadError, ReadStep, ReaderPool, Store,
};
use hashlane_record::{Cause, Failure, Instability, ItemPath, Operation, Outcome, Record};

use crate::support::*;
use crate::worlds::{InputOf, World};

/// Objects by key, and how the store behaves.
#[derive(Debug, Default)]
struct Bucket {
    objects: Mutex<BTreeMap<Vec<u8>, Object>>,
    habits: Habits,
    /// Counts requests: each is slow, cut or refused by its number.
    requests: AtomicU64,
    under_way: AtomicU64,
    most_under_way: AtomicU64,
    /// Ranges that were asked for so far.
    ranges: Mutex<u64>,
    gathered: Condvar,
}

#[derive(Clone, Debug)]
struct Object {
    bytes: Arc<Vec<u8>>,
    /// Names this content, as an entity tag does.
    tag: u64,
}

/// What a store does to its clients.
#[derive(Clone, Copy, Debug, Default)]
struct Habits {
    /// Each answer takes this long.
    delay: Duration,
    /// One answer in this many is cut: fewer bytes come than the range has. 0: none.
    cuts_one_in: u64,
    /// One request in this many is answered by 503 when it is first made. 0: none.
    busy_one_in: u64,
    /// This many ranges have to be asked for at once before the first of them is answered.
    gathers: u64,
    /// What ends so is refused with this status, however often it is asked for.
    refuses: Option<(&'static str, u16)>,
    /// The request of this number meets with a trouble.
    trouble: Option<(u64, Trouble)>,
}

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    /// It is answered by a status.
    Status(u16),
    /// Its answer is cut.
    Cut,
}

/// How often a client asks again for what it was refused for a moment.
const TRIES: u32 = 4;

/// Keys of a page of a listing.
const PAGE: usize = 3;

impl Bucket {
    /// One request: its number, once it has taken its time. Ends with the guard.
    fn request(&self, what: &[u8], is_first: bool) -> Result<(u64, UnderWay<'_>), u16> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let now = self.under_way.fetch_add(1, Ordering::AcqRel) + 1;
        self.most_under_way.fetch_max(now, Ordering::AcqRel);
        let under_way = UnderWay(self);
        if !self.habits.delay.is_zero() {
            thread::sleep(self.habits.delay);
        }
        match self.habits {
            Habits { trouble: Some((at, Trouble::Status(status))), .. } if at == number => Err(status),
            Habits { refuses: Some((end, status)), .. } if what.ends_with(end.as_bytes()) => Err(status),
            Habits { busy_one_in: busy @ 1.., .. } if is_first && number.is_multiple_of(busy) => Err(503),
            _ => Ok((number, under_way)),
        }
    }

    /// A request that is made again while the store asks for patience.
    fn ask<T>(&self, what: &[u8], answer: impl Fn(u64) -> Result<T, u16>) -> Result<T, u16> {
        let mut tries = 1;
        loop {
            match self.request(what, tries == 1).and_then(|(number, _under_way)| answer(number)) {
                Err(429 | 503) if tries < TRIES => tries += 1,
                answered => return answered,
            }
        }
    }

    /// Holds up a range until there are as many as the store wants.
    fn gather(&self) {
        let mut ranges = self.ranges.lock().expect("nobody panics with it");
        *ranges += 1;
        self.gathered.notify_all();
        let _ranges = self.gathered.wait_while(ranges, |ranges| *ranges < self.habits.gathers);
    }

    fn get(&self, key: &[u8]) -> Result<Object, u16> {
        self.objects().get(key).cloned().ok_or(404)
    }

    fn put(&self, key: &[u8], bytes: Vec<u8>) {
        let mut objects = self.objects();
        let tag = objects.get(key).map_or(1, |object| object.tag + 1);
        objects.insert(key.to_vec(), Object { bytes: Arc::new(bytes), tag });
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Object>> {
        self.objects.lock().expect("nobody panics with it")
    }

    /// Keys behind one, of those with a prefix.
    fn page(&self, prefix: &[u8], behind: &[u8]) -> Vec<Vec<u8>> {
        let start = (Bound::Excluded(behind), Bound::Unbounded);
        let objects = self.objects();
        let keys = objects.range::<[u8], _>(start).map(|(key, _)| key);
        keys.take_while(|key| key.starts_with(prefix)).take(PAGE).cloned().collect()
    }
}

struct UnderWay<'a>(&'a Bucket);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The bucket as a store.
#[derive(Clone, Debug)]
pub(crate) struct ObjectStore(Arc<Bucket>);

#[derive(Clone, Debug)]
pub(crate) struct Key(Vec<u8>);

/// An object as its first answer described it.
#[derive(Debug)]
pub(crate) struct OpenObject {
    bucket: Arc<Bucket>,
    key: Vec<u8>,
    facts: FileFacts,
    tag: u64,
    /// What the last answer said: the state of the content, and its size.
    told: Mutex<(u64, u64)>,
}

impl Store for ObjectStore {
    type Place = Key;
    type Opened = OpenObject;

    fn open(&self, Key(key): &Key) -> Result<OpenObject, ReadError> {
        let object =
            self.0.ask(key, |_| self.0.get(key)).map_err(|status| refused(ReadStep::Open, status))?;
        let size = object.bytes.len() as u64;
        Ok(OpenObject {
            bucket: Arc::clone(&self.0),
            key: key.clone(),
            facts: facts(size),
            tag: object.tag,
            told: Mutex::new((object.tag, size)),
        })
    }
}

impl Place for Key {
    fn printed(&self) -> Vec<u8> {
        self.0.clone()
    }
}

impl Opened for OpenObject {
    fn facts(&self) -> &FileFacts {
        &self.facts
    }

    fn facts_now(&self) -> Result<FileFacts, ReadError> {
        Ok(facts(self.told.lock().expect("nobody panics with it").1))
    }

    fn is_unchanged(&self, _: &FileFacts) -> bool {
        self.told.lock().expect("nobody panics with it").0 == self.tag
    }

    /// A range of the content that was opened. When that is gone there is no more of it: an end, and another tag.
    fn read_at(&self, offset: u64, room: &mut [u8]) -> Result<usize, ReadError> {
        let range = |number: u64| {
            self.bucket.gather();
            let object = self.bucket.get(&self.key)?;
            if object.tag != self.tag {
                return Ok(Err((object.tag, object.bytes.len() as u64)));
            }
            let from = usize::try_from(offset).unwrap_or(usize::MAX).min(object.bytes.len());
            let mut count = room.len().min(object.bytes.len() - from);
            let cuts = self.bucket.habits.cuts_one_in;
            let cut = self.bucket.habits.trouble == Some((number, Trouble::Cut));
            if cut || cuts > 0 && number.is_multiple_of(cuts) {
                count = count.div_ceil(3);
            }
            Ok(Ok(object.bytes[from..from + count].to_vec()))
        };
        match self.bucket.ask(&self.key, range).map_err(|status| refused(ReadStep::Read, status))? {
            Ok(bytes) => {
                room[..bytes.len()].copy_from_slice(&bytes);
                Ok(bytes.len())
            }
            Err(told) => {
                *self.told.lock().expect("nobody panics with it") = told;
                Ok(0)
            }
        }
    }
}

fn refused(step: ReadStep, status: u16) -> ReadError {
    ReadError { step, cause: ReadCause::Remote(status) }
}

fn facts(size_bytes: u64) -> FileFacts {
    let never = (0, 0);
    FileFacts {
        kind: FileKind::Regular,
        size_bytes,
        allocated_bytes: size_bytes,
        modified: never,
        changed: never,
        accessed: never,
        device: 0,
        inode: 0,
        links: 1,
    }
}

/// The bucket as a source.
struct BucketSource {
    store: Arc<ObjectStore>,
    pool: Arc<ReaderPool>,
    wrap: Wrap<ObjectStore>,
}

impl std::fmt::Debug for BucketSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BucketSource").finish_non_exhaustive()
    }
}

impl Source for BucketSource {
    type Store = ObjectStore;
    /// A prefix.
    type Base = Vec<u8>;

    fn place(&self, path: &ItemPath, base: Option<Vec<u8>>) -> Result<Key, Failure> {
        let key = [&base.unwrap_or_default()[..], path.as_bytes()].concat();
        if key.contains(&0) {
            let cause = Cause::Remote(400);
            return Err(Failure { operation: Operation::Open, cause, offset_bytes: 0 });
        }
        Ok(Key(key))
    }

    fn list(
        &self,
        root: &ItemPath,
        _: &WalkOptions,
        lister: &mut impl Lister<ObjectStore>,
    ) -> (Skipped, ControlFlow<()>) {
        let skipped = Skipped::default();
        let place = match self.place(root, None) {
            Ok(place) => place,
            Err(failure) => return (skipped, lister.failed(root.clone(), failure)),
        };
        let bucket = &self.store.0;
        if !place.0.ends_with(b"/") {
            return (skipped, lister.found(place, 0));
        }
        let mut last = place.0.clone();
        loop {
            lister.flush();
            let keys = match bucket.ask(&last, |_| Ok(bucket.page(&place.0, &last))) {
                Ok(keys) => keys,
                Err(status) => {
                    let cause = Cause::Remote(status);
                    let failure = Failure { operation: Operation::List, cause, offset_bytes: 0 };
                    return (skipped, lister.failed(root.clone(), failure));
                }
            };
            let Some(end) = keys.last() else { return (skipped, ControlFlow::Continue(())) };
            last = end.clone();
            for key in keys {
                if lister.found(Key(key), 0).is_break() {
                    return (skipped, ControlFlow::Break(()));
                }
            }
        }
    }

    fn start_engine(&self, _: usize) -> Box<dyn ReadEngine<ObjectStore>> {
        (self.wrap)(Box::new(Pooled::new(Arc::clone(&self.store), Arc::clone(&self.pool))))
    }

    fn large(&self, _: &OpenedOf<Self>, _: bool) -> LargeWay {
        let pieces = LargeFiles { block_bytes: 256 << 10, ..LargeFiles::default() };
        LargeWay { engine: None, windows: false, pieces }
    }

    fn pieces_above(&self) -> Option<u64> {
        Some(128 * KIB)
    }
}

/// Objects in a bucket. The ways are habits of the store.
#[derive(Clone)]
pub(crate) struct Objects {
    objects: Arc<BTreeMap<Vec<u8>, Object>>,
    made: Arc<Vec<Made>>,
    /// Of the run under way.
    bucket: Arc<Mutex<Option<Arc<Bucket>>>>,
}

/// How a store behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    Near,
    /// Every answer takes time.
    Far,
    /// Answers are cut, and some are refused for a moment.
    Moody,
}

impl Way {
    fn habits(self) -> Habits {
        match self {
            Self::Near => Habits::default(),
            Self::Far => Habits { delay: Duration::from_micros(200), ..Habits::default() },
            Self::Moody => Habits { cuts_one_in: 3, busy_one_in: 5, ..Habits::default() },
        }
    }
}

impl Objects {
    /// A bucket with the objects, that behaves in some way.
    fn bucket(&self, way: Way) -> Arc<Bucket> {
        let objects = Mutex::new((*self.objects).clone());
        let bucket = Arc::new(Bucket { objects, habits: way.habits(), ..Bucket::default() });
        *self.bucket.lock().expect("nobody panics with it") = Some(Arc::clone(&bucket));
        bucket
    }

    fn change(&self, number: usize, change: impl FnOnce(&mut Vec<u8>)) {
        let bucket = self.bucket.lock().expect("nobody panics with it").clone().expect("a run is under way");
        let key = item(&self.made[number].path);
        let mut bytes = bucket.get(key.as_bytes()).expect("it was made").bytes.to_vec();
        change(&mut bytes);
        bucket.put(key.as_bytes(), bytes);
    }
}

impl World for Objects {
    type Store = ObjectStore;
    type Base = Vec<u8>;
    type Way = Way;

    /// Its pieces are read at once: when the first has come, all may have been answered.
    const CHANGES_AFTER_READ: bool = false;

    fn ways() -> Vec<Way> {
        vec![Way::Near, Way::Far, Way::Moody]
    }

    fn make(sizes: &[u64]) -> Self {
        let made = (0..)
            .zip(sizes)
            .map(|(number, &size)| Made::new(format!("prefix/object {number:05}"), content(number, size)));
        let made: Vec<_> = made.collect();
        let object = |made: &Made| {
            (item(&made.path).as_bytes().to_vec(), Object { bytes: Arc::new(made.bytes.clone()), tag: 1 })
        };
        let objects = Arc::new(made.iter().map(object).collect());
        Self { objects, made: Arc::new(made), bucket: Arc::default() }
    }

    fn made(&self) -> &[Made] {
        &self.made
    }

    fn root(&self) -> InputOf<Self> {
        Input::Path("prefix/".into())
    }

    fn resize(&self, number: usize, size: u64) {
        self.change(number, |bytes| bytes.resize(size as usize, 7));
    }

    fn overwrite(&self, number: usize) {
        self.change(number, |bytes| bytes[5..8].copy_from_slice(b"new"));
    }

    fn handle(&self) -> Self {
        self.clone()
    }

    fn run_into(
        &self,
        options: Options,
        way: Way,
        wrap: Wrap<ObjectStore>,
        inputs: Vec<InputOf<Self>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, Error> {
        let store = Arc::new(ObjectStore(self.bucket(way)));
        let source = BucketSource { store, pool: ReaderPool::new(16), wrap };
        watched("a run", || hashlane_engine::run_from(source, options, inputs.into_iter(), sink, control))
    }
}

/// A bucket with some objects.
fn bucket(habits: Habits, objects: &[(&str, Vec<u8>)]) -> Arc<Bucket> {
    let bucket = Arc::new(Bucket { habits, ..Bucket::default() });
    objects.iter().for_each(|(key, bytes)| bucket.put(key.as_bytes(), bytes.clone()));
    bucket
}

fn run_with(bucket: &Arc<Bucket>, wrap: Wrap<ObjectStore>, inputs: Vec<Input<Vec<u8>>>) -> Vec<Record> {
    let store = Arc::new(ObjectStore(Arc::clone(bucket)));
    let source = BucketSource { store, pool: ReaderPool::new(16), wrap };
    let (mut kept, control) = (Kept::default(), Arc::new(Control::new()));
    let options = options(2, &["sha256"]);
    let result = watched("a run", || {
        hashlane_engine::run_from(source, options, inputs.into_iter(), &mut kept, &control)
    });
    assert_eq!(result.expect("it ends").dropped, 0);
    kept.0
}

fn run_on(bucket: &Arc<Bucket>, inputs: &[&str]) -> Vec<Record> {
    run_with(bucket, plain(), inputs.iter().map(|&input| Input::Path(input.into())).collect())
}

fn name(record: &Record) -> String {
    String::from_utf8_lossy(record.path.as_bytes()).into_owned()
}

fn failure(record: &Record) -> Failure {
    match record.outcome {
        Outcome::Failed(failure) => failure,
        outcome => panic!("{:?}: {outcome:?}", record.path),
    }
}

#[test]
fn keys_come_in_byte_order_over_many_pages_and_only_those_with_the_prefix() {
    let keys = ["a", "a/", "a/b", "a/b-c", "a/b/c", "a/b/d", "a/c", "a/\u{e9}", "a/z/z/z", "a0", "b/a"];
    let objects: Vec<_> = keys.iter().map(|&key| (key, key.as_bytes().to_vec())).collect();
    let bucket = bucket(Habits::default(), &objects);
    let printed = |inputs: &[&str]| -> Vec<String> {
        let records = run_on(&bucket, inputs);
        assert!(records.iter().all(|record| record.outcome == Outcome::Read));
        records.iter().map(name).collect()
    };
    let mut below: Vec<_> = keys.into_iter().filter(|key| key.starts_with("a/") && *key != "a/").collect();
    below.sort_unstable();
    assert_eq!(printed(&["a/"]), below);
    assert_eq!(printed(&["b/", "a", "a/b"]), ["b/a", "a", "a/b"]);
    assert!(printed(&["nothing/"]).is_empty());
}

#[test]
fn what_the_store_refuses_fails_with_its_status_after_all_tries() {
    let objects = ["p/1", "p/2", "p/3"].map(|key| (key, content(1, 300 * KIB)));
    for status in [403, 404, 503] {
        let bucket = bucket(Habits { refuses: Some(("2", status)), ..Habits::default() }, &objects);
        let records = run_on(&bucket, &["p/"]);
        assert_eq!(records.len(), 3);
        let cause = Cause::Remote(status);
        assert_eq!(failure(&records[1]), Failure { operation: Operation::Open, cause, offset_bytes: 0 });
        assert_eq!((records[0].outcome, records[2].outcome), (Outcome::Read, Outcome::Read));
    }
}

#[test]
fn a_page_that_is_refused_fails_the_rest_of_a_listing_and_nothing_else() {
    let objects = ["p/1", "p/2", "p/3", "p/4", "q"].map(|key| (key, vec![1; 10]));
    // The second page begins behind the third key.
    let bucket = bucket(Habits { refuses: Some(("p/3", 503)), ..Habits::default() }, &objects);
    let records = run_on(&bucket, &["p/", "q"]);
    let names: Vec<_> = records.iter().map(name).collect();
    assert_eq!(names, ["p/1", "p/2", "p/3", "p/", "q"]);
    let cause = Cause::Remote(503);
    assert_eq!(failure(&records[3]), Failure { operation: Operation::List, cause, offset_bytes: 0 });
    assert_eq!(
        failure(&records[2]).operation,
        Operation::Open,
        "the object behind which it begins is refused too"
    );
    assert_eq!(records[4].outcome, Outcome::Read);
}

/// Runs with a trouble at the first request, the second and so on, until there are no more; gives the failures of each run. All
/// objects that are listed and do not fail are right.
fn troubled(trouble: Trouble) -> Vec<Vec<Failure>> {
    let sizes = [10, 0, 300 * KIB, 5000, 700 * KIB];
    let objects: Vec<_> = (0..)
        .zip(sizes)
        .map(|(number, size): (u64, _)| (format!("p/{number}"), content(number, size)))
        .collect();
    let objects: Vec<_> = objects.iter().map(|(key, bytes)| (&key[..], bytes.clone())).collect();
    let failures = |trouble| {
        let bucket = bucket(Habits { trouble, ..Habits::default() }, &objects);
        let mut failures = Vec::new();
        for record in run_on(&bucket, &["p/"]) {
            match record.outcome {
                Outcome::Failed(failure) => failures.push(failure),
                outcome => {
                    let (_, bytes) =
                        objects.iter().find(|(key, _)| *key == name(&record)).expect("it was put");
                    let sha256 = algorithms(&["sha256"])[0];
                    assert_eq!((outcome, &record.digests[..]), (Outcome::Read, &[sha256.digest(bytes)][..]));
                }
            }
        }
        (failures, bucket.requests.load(Ordering::Relaxed))
    };
    let (none, requests) = failures(None);
    assert!(none.is_empty() && requests > 12, "{requests} requests");
    (0..requests).map(|number| failures(Some((number, trouble))).0).collect()
}

#[test]
fn a_status_at_any_request_fails_one_object_or_the_listing() {
    for failures in troubled(Trouble::Status(500)) {
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert_eq!(failures[0].cause, Cause::Remote(500));
    }
}

#[test]
fn an_answer_that_is_cut_or_put_off_changes_nothing_at_any_request() {
    for trouble in [Trouble::Cut, Trouble::Status(503), Trouble::Status(429)] {
        assert!(troubled(trouble).iter().all(Vec::is_empty), "{trouble:?}");
    }
}

/// Reads one object of three ranges and changes the bucket when it is open and nothing of it was read.
fn changed_when_open(change: fn(&Bucket)) -> Record {
    let bucket = bucket(Habits::default(), &[("key", content(1, 700 * KIB))]);
    let changed = Arc::clone(&bucket);
    let wrap = observed(move |passed| {
        if let Passed::Reaped(completion) = passed
            && !completion.read
        {
            change(&changed);
        }
    });
    run_with(&bucket, wrap, vec![Input::Path("key".into())]).remove(0)
}

#[test]
fn other_content_of_the_same_size_is_told_by_its_tag_alone() {
    let record = changed_when_open(|bucket| bucket.put(b"key", content(2, 700 * KIB)));
    assert_eq!(record.outcome, Outcome::Unstable(Instability::Modified));
    let record = changed_when_open(|bucket| bucket.put(b"other", content(2, 700 * KIB)));
    assert_eq!(record.outcome, Outcome::Read);
}

#[test]
fn an_object_that_is_deleted_while_it_is_read_fails_with_the_status_of_its_range() {
    let record = changed_when_open(|bucket| {
        bucket.objects().remove(&b"key"[..]);
    });
    let Failure { operation, cause, .. } = failure(&record);
    assert_eq!((operation, cause), (Operation::Read, Cause::Remote(404)));
    assert!(record.digests.is_empty());
}

#[test]
fn ranges_of_one_object_and_small_objects_are_under_way_together() {
    let small: Vec<_> = (0..60).map(|number| format!("p/{number:02}")).collect();
    let small: Vec<_> = small.iter().map(|key| (&key[..], vec![1; 10])).collect();
    for objects in [&[("p/0", content(1, 8 * MIB))][..], &small] {
        // A run that asks for fewer at once never ends.
        let bucket = bucket(Habits { gathers: 6, ..Habits::default() }, objects);
        let records = run_on(&bucket, &["p/"]);
        assert_eq!(records.len(), objects.len());
        assert!(records.iter().all(|record| record.outcome == Outcome::Read));
        let most = bucket.most_under_way.load(Ordering::Acquire);
        assert!((6..=17).contains(&most), "{most}: no more than the pool and the listing");
    }
}

#[test]
fn names_of_a_list_are_below_its_base() {
    let bucket = bucket(Habits::default(), &[("base/a", vec![1; 10]), ("a", vec![2; 10])]);
    let input = |base: Option<&[u8]>| Input::File {
        path: "a".into(),
        base: base.map(<[u8]>::to_vec),
        algorithms: algorithms(&["sha256"]),
        division: None,
        tag: Box::default(),
    };
    let stdin = Input::Stdin { tag: Box::default(), algorithms: algorithms(&["sha256"]), division: None };
    let records = run_with(&bucket, plain(), vec![input(Some(b"base/")), input(None), stdin]);
    let sha256 = algorithms(&["sha256"])[0];
    assert_eq!(records[0].digests, [sha256.digest(&[1; 10])]);
    assert_eq!(records[1].digests, [sha256.digest(&[2; 10])]);
    assert_eq!(
        failure(&records[2]).io_error().kind(),
        std::io::ErrorKind::NotFound,
        "it has no standard input"
    );
}

#[test]
fn records_of_a_bucket_can_be_iterated_over() {
    let objects = ["p/1", "p/2", "p/3"].map(|key| (key, content(1, 300 * KIB)));
    let store = Arc::new(ObjectStore(bucket(Habits::default(), &objects)));
    let source = BucketSource { store, pool: ReaderPool::new(4), wrap: plain() };
    let (options, inputs) = (options(2, &["sha256"]), [Input::Path("p/".into())]);
    let records = hashlane_engine::records_from(source, options, inputs, &Arc::new(Control::new()));
    let names: Vec<_> =
        watched("an iteration", || records.expect("threads start").map(|it| name(&it)).collect());
    assert_eq!(names, ["p/1", "p/2", "p/3"]);
}
