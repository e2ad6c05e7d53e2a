//! Large files that are put aside while they are read, and gone on with by another run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hashlane_digest::SavedState;
use hashlane_engine::{CHECKPOINT_BYTES, Checkpoints, Control, Input, Options, Sink, Taken, run};
use hashlane_record::{Division, Facts, ItemPath, Medium, Origin, Record};

use crate::support::*;

/// Keeps all states by their offsets, and hands out those of one.
#[derive(Debug, Default)]
struct Kept {
    states: Mutex<BTreeMap<u64, Vec<SavedState>>>,
    from: Option<Vec<SavedState>>,
}

impl Checkpoints for Kept {
    fn find(&self, _: &ItemPath, _: &Facts) -> Vec<SavedState> {
        self.from.clone().unwrap_or_default()
    }

    fn keep(&self, path: &ItemPath, facts: &Facts, (origin, _): (Origin, Medium), states: Vec<SavedState>) {
        // Who goes on within a hole may have read nothing yet.
        assert!(self.from.is_some() || origin.read_bytes() > 0);
        assert!(path.as_bytes().ends_with(b"large") && facts.size_bytes > CHECKPOINT_BYTES);
        self.states.lock().expect("no panic").insert(states[0].length(), states);
    }
}

/// Takes all records.
#[derive(Default)]
struct Collected(Vec<Record>);

impl Sink for Collected {
    fn record(&mut self, record: Record) -> Taken {
        self.0.push(record);
        Ok(())
    }
}

/// Reads the file, going on from states if there are any. Returns its record and the states that were kept meanwhile.
fn read(
    path: &str,
    names: &[&str],
    from: Option<Vec<SavedState>>,
) -> (Record, BTreeMap<u64, Vec<SavedState>>) {
    let kept = Arc::new(Kept { from, ..Kept::default() });
    let mut options: Options = options(2, names);
    let checkpoints: Arc<dyn Checkpoints> = Arc::<Kept>::clone(&kept);
    options.checkpoints = Some(checkpoints);
    let mut sink = Collected::default();
    let inputs = [Input::Path(ItemPath::from(path.as_bytes().to_vec()))];
    run(options, inputs.into_iter(), &mut sink, &Arc::new(Control::new())).expect("a run");
    let record = sink.0.pop().expect("a record");
    let states = std::mem::take(&mut *kept.states.lock().expect("no panic"));
    (record, states)
}

/// A file of this many bytes, some of which are a hole.
fn large(directory: &tempfile::TempDir, bytes: u64) -> String {
    let path = directory.path().join("large");
    let mut file = File::create(&path).expect("made");
    for number in 0_u32..4096 {
        file.write_all(&number.to_le_bytes().repeat(1000)).expect("written");
    }
    file.set_len(bytes - 5).expect("longer");
    file.sync_all().expect("synced");
    let mut file = File::options().append(true).open(&path).expect("there");
    file.write_all(b"end..").expect("written");
    path.to_str().expect("plain").to_owned()
}

#[test]
fn a_file_that_is_gone_on_with_has_the_digests_of_the_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let size = 3 * CHECKPOINT_BYTES + 12_345;
    let path = large(&directory, size);
    for names in [&["sha256"][..], &["sha256", "md5"], &["blake3"], &["blake3", "md5"]] {
        let (whole, states) = read(&path, names, None);
        assert_eq!(whole.digested_bytes, size);
        assert_eq!(states.keys().copied().collect::<Vec<_>>(), [1, 2, 3].map(|n| n * CHECKPOINT_BYTES));
        for (offset, states) in states {
            let again = states.iter().map(|state| SavedState::parse(&state.to_bytes()).unwrap()).collect();
            let (rest, later) = read(&path, names, Some(again));
            assert_eq!((&rest.digests, rest.outcome), (&whole.digests, whole.outcome), "from {offset}");
            assert_eq!(rest.digested_bytes, size - offset);
            assert!(later.keys().all(|later| *later > offset), "{later:?}");
        }
    }
}

#[test]
fn a_tree_is_gone_on_with_where_its_parts_come_in_any_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("large");
    let size = CHECKPOINT_BYTES + 3 * MIB + 7;
    let file = File::create(&path).expect("made");
    // Room without bytes, so that it has no holes.
    let room = rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size);
    if room.is_err() {
        skipped("this file system gives no room ahead");
        return;
    }
    std::os::unix::fs::FileExt::write_all_at(&file, b"not zero", 5 * MIB).expect("written");
    let path = path.to_str().expect("plain");
    let (whole, states) = read(path, &["blake3"], None);
    assert_eq!(states.keys().copied().collect::<Vec<_>>(), [CHECKPOINT_BYTES]);
    let (rest, _) = read(path, &["blake3"], states.into_values().next());
    assert_eq!((&rest.digests, rest.digested_bytes), (&whole.digests, 3 * MIB + 7));
    let mut hasher = algorithms(&["blake3"])[0].hasher();
    let mut block = vec![0; MIB as usize];
    for number in 0..size.div_ceil(MIB) {
        block[..8].copy_from_slice(if number == 5 { b"not zero" } else { &[0; 8] });
        hasher.update(&block[..(size - number * MIB).min(MIB) as usize]);
    }
    assert_eq!(rest.digests, [hasher.finish()]);
}

#[test]
fn states_that_do_not_fit_are_not_used() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = large(&directory, 2 * CHECKPOINT_BYTES + 1);
    let (whole, states) = read(&path, &["sha256"], None);
    let of_sha256 = states.into_values().next().expect("one at least");
    let (other, _) = read(&path, &["md5"], Some(of_sha256.clone()));
    assert_eq!(other.digested_bytes, whole.digested_bytes);
    let (several, _) = read(&path, &["sha256", "md5"], Some(of_sha256));
    assert_eq!(several.digests[0], whole.digests[0]);
    // Those that the sizes of small files and digests of parts leave out ask for none.
    let small = directory.path().join("large-but-small");
    std::fs::write(&small, "small").expect("written");
    assert!(read(small.to_str().unwrap(), &["sha256"], None).1.is_empty());
}

/// Stops a run gently as soon as it is well under way.
struct Stopping {
    control: Arc<Control>,
    taken: Vec<ItemPath>,
}

impl Sink for Stopping {
    fn record(&mut self, record: Record) -> Taken {
        self.taken.push(record.path);
        Ok(())
    }

    fn tick(&mut self) -> Taken {
        if self.control.progress().digested_bytes > 4 * MIB {
            self.control.drain();
        }
        Ok(())
    }
}

#[test]
fn who_waits_for_files_that_cannot_be_gone_on_with_waits_for_no_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).into_os_string().into_encoded_bytes();
    std::fs::write(directory.path().join("divided"), vec![b'x'; 24 << 20]).expect("written");
    std::fs::write(directory.path().join("large"), vec![b'x'; 96 << 20]).expect("written");
    let (patience, beginning) = (Duration::from_millis(1), NonZeroU64::new(MIB).expect("not zero"));
    let taken = |control: Control| {
        let control = Arc::new(control);
        let mut options = options(2, &["sha256"]);
        // Both are in work for more than a second.
        options.max_bytes_per_second = Some(32 * MIB);
        let algorithms = Arc::clone(&options.algorithms);
        let inputs = ["large", "divided"].map(|name| Input::File {
            path: ItemPath::from(path(name)),
            base: None,
            algorithms: Arc::clone(&algorithms),
            division: (name == "divided").then_some(Division::Beginning(beginning)),
            tag: Box::default(),
        });
        let mut sink = Stopping { control: Arc::clone(&control), taken: Vec::new() };
        watched("a run that is stopped", || run(options, inputs.into_iter(), &mut sink, &control))
            .expect("a run");
        sink.taken
    };
    assert_eq!(taken(Control::with_patience(patience)), []);
    let waiting = Control::with_patience(patience).waiting_for_unsaved(Duration::from_secs(600));
    assert_eq!(taken(waiting), [ItemPath::from(path("divided"))]);
}

#[test]
fn who_waits_for_files_of_which_nothing_is_saved_gets_as_far_as_that() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("large");
    // Without holes: they take no time.
    std::fs::write(&path, vec![b'x'; 2 * CHECKPOINT_BYTES as usize]).expect("written");
    let path = path.into_os_string().into_encoded_bytes();
    for (name, waits) in [("sha256", true), ("blake3", true), ("sha256", false)] {
        let control = Control::with_patience(Duration::from_millis(1));
        let control = match waits {
            true => control.waiting_for_unsaved(Duration::from_secs(600)),
            false => control,
        };
        let control = Arc::new(control);
        let kept = Arc::new(Kept::default());
        let mut options: Options = options(2, &[name]);
        let checkpoints: Arc<dyn Checkpoints> = Arc::<Kept>::clone(&kept);
        options.checkpoints = Some(checkpoints);
        // It is in work for two seconds.
        options.max_bytes_per_second = Some(64 * MIB);
        let inputs = [Input::Path(ItemPath::from(path.clone()))];
        let mut sink = Stopping { control: Arc::clone(&control), taken: Vec::new() };
        watched("a run that is stopped", || run(options, inputs.into_iter(), &mut sink, &control))
            .expect("a run");
        assert_eq!(sink.taken, [], "it was not read to its end");
        let states = kept.states.lock().expect("no panic").keys().copied().collect::<Vec<_>>();
        let expected: &[u64] = if waits { &[CHECKPOINT_BYTES] } else { &[] };
        assert_eq!(states, expected, "{name}");
    }
}

#[test]
fn a_control_below_another_one_is_stopped_by_both_and_shows_its_progress_there() {
    let above = Arc::new(Control::new());
    let below = Control::below(&above, Duration::from_secs(5));
    below.drain();
    assert_eq!((above.stopped(), below.stopped().is_some()), (None, true));
    let other = Control::below(&above, Duration::from_secs(5));
    assert_eq!(other.stopped(), None);
    above.abort();
    assert_eq!(other.stopped(), above.stopped());
}
