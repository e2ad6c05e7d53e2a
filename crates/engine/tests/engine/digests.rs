//! What comes out is what is in the files, whichever way it was brought and however many workers there were.

use std::sync::OnceLock;

use hashlane_digest::Algorithm;
use hashlane_engine::{EngineChoice, Input};
use hashlane_io::{EngineKind, Sizes, TreePlan};

use crate::support::*;

const WORKERS: [usize; 3] = [1, 2, 5];

struct Tree {
    directory: tempfile::TempDir,
    files: Vec<Made>,
}

/// Files around every size at which the engine changes its mind, several of them big, and a planned tree of small ones.
fn tree() -> &'static Tree {
    static TREE: OnceLock<Tree> = OnceLock::new();
    TREE.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let edges = [128 * KIB, MIB, MIB + 512 * KIB, 4 * MIB, 8 * MIB];
        let around = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]);
        let sizes: Vec<u64> = [0, 1, 4095, 4096, 4097, 256 * KIB + 1].into_iter().chain(around).collect();
        let mut files = make_files(directory.path(), &sizes);
        let sizes = Sizes::LogNormal { median_bytes: 3000, sigma_thousandths: 2000, largest_bytes: MIB };
        let plan = TreePlan { seed: 1, files: 150, sizes, per_directory: 7 };
        // Behind `file …` in byte order.
        let root = directory.path().join("tree");
        plan.create(&root).expect("create");
        files.extend(
            plan.files().map(|planned| {
                Made::new(root.join(&planned.path), content(planned.seed, planned.size_bytes))
            }),
        );
        Tree { directory, files }
    })
}

fn assert_tree_is_right(engine: &EngineChoice, names: &[&str]) {
    for workers in WORKERS {
        let mut options = options(workers, names);
        options.engine = engine.clone();
        let set = algorithms(names);
        let (records, summary) = run(options, [path(tree().directory.path())]);
        assert_eq!(records.len(), tree().files.len());
        for (record, made) in records.iter().zip(&tree().files) {
            assert_read(record, made, &set);
        }
        let total: u64 = tree().files.iter().map(|made| made.bytes.len() as u64).sum();
        assert_eq!((summary.digested_bytes, summary.origin.read_bytes()), (total, total));
        let mut by: Vec<_> = set.iter().map(|&algorithm| (algorithm, total)).collect();
        // One that is asked for twice is computed once.
        by.sort_by_key(|(algorithm, _)| set.iter().position(|first| first == algorithm));
        by.dedup();
        assert_eq!(summary.digested_by, by);
        assert_eq!(summary.workers, workers);
    }
}

fn assert_tree_is_right_by_every_engine(names: &[&str]) {
    assert_tree_is_right(&EngineChoice::Auto, names);
    for kind in reading_kinds() {
        assert_tree_is_right(&EngineChoice::Only(kind), names);
    }
}

#[test]
fn one_algorithm_comes_out_right_by_every_engine() {
    assert_tree_is_right_by_every_engine(&["sha256"]);
}

#[test]
fn a_tree_hash_comes_out_right_by_every_engine() {
    assert_tree_is_right_by_every_engine(&["blake3"]);
}

#[test]
fn many_algorithms_at_once_come_out_right_by_every_engine() {
    assert_tree_is_right_by_every_engine(&["md5", "sha1", "sha256", "blake3"]);
}

#[test]
fn an_algorithm_that_is_asked_for_twice_comes_out_right_twice() {
    assert_tree_is_right(&EngineChoice::Auto, &["sha256", "crc32", "sha256"]);
    assert_tree_is_right(&EngineChoice::Auto, &["blake3", "blake3"]);
}

#[test]
fn where_nothing_is_to_be_computed_everything_is_read() {
    assert_tree_is_right_by_every_engine(&[]);
}

#[test]
fn the_null_engine_brings_zeros_of_every_size() {
    let set = algorithms(&["sha256", "blake3"]);
    for workers in WORKERS {
        let mut options = options(workers, &["sha256", "blake3"]);
        options.engine = EngineChoice::Only(EngineKind::Null);
        let (records, _) = run(options, [path(tree().directory.path())]);
        for (record, made) in records.iter().zip(&tree().files) {
            let zeros = Made::new(&made.path, vec![0; made.bytes.len()]);
            assert_read(record, &zeros, &set);
        }
    }
}

#[test]
fn each_file_of_a_list_gets_its_own_algorithms_and_its_tag_back() {
    let sets: Vec<_> = [&["md5"][..], &["sha256", "crc32"], &["blake3"], &["sha1", "blake3"], &[]]
        .iter()
        .map(|names| algorithms(names))
        .collect();
    let set_of = |number: usize| &sets[number % sets.len()];
    for workers in WORKERS {
        let inputs = tree().files.iter().enumerate().map(|(number, made)| Input::File {
            path: item(&made.path),
            base: None,
            algorithms: set_of(number).clone(),
            division: None,
            tag: number.to_be_bytes().into(),
        });
        let (records, _) = run(options(workers, &["sha512"]), inputs.collect::<Vec<_>>());
        for (number, (record, made)) in records.iter().zip(&tree().files).enumerate() {
            let set: &[Algorithm] = set_of(number);
            assert_read(record, made, set);
            assert_eq!(*record.tag, number.to_be_bytes());
        }
    }
}

#[test]
fn a_large_file_sits_in_the_lanes_while_there_are_others_beside_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let large = 33 * MIB;
    // In their middle: at the first one it may not be known that others follow.
    let mut sizes = [1000; 61];
    sizes[30] = large;
    let files = make_files(directory.path(), &sizes);
    let set = algorithms(&["md5"]);
    let lanes_and_origin = |files: &[Made]| {
        let names: Vec<_> = files.iter().map(|made| path(&made.path)).collect();
        let (records, summary) = run(options(2, &["md5"]), names);
        records.iter().zip(files).for_each(|(record, made)| assert_read(record, made, &set));
        (summary.lanes, summary.origin)
    };
    let (beside, origin) = lanes_and_origin(&files);
    let (alone, _) = lanes_and_origin(&files[30..32]);

    assert!(alone.bytes < large, "{alone:?}: a second worker was free to help");
    if beside.bytes == 0 {
        // The backend has no lanes: all large files have rings.
    } else if origin.cache_bytes < large {
        skipped("what was just written is not known to be in the page cache");
    } else {
        assert!(beside.bytes >= large, "{beside:?}: a ring of its own");
    }
}

#[test]
fn the_page_cache_is_told_from_the_device_as_a_whole() {
    let (records, summary) = run(options(2, &["sha256"]), [path(tree().directory.path())]);
    // It was just written, so nothing comes from a device unless memory is very short.
    for record in &records {
        let facts = record.facts.expect("it was open");
        assert_eq!(record.origin.read_bytes(), facts.size_bytes);
    }
    assert_eq!(summary.origin.read_bytes(), summary.digested_bytes);
}

#[test]
fn the_file_that_the_output_goes_to_is_no_item() {
    use std::os::unix::fs::MetadataExt as _;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10, 20, 3 * MIB, 30]);
    for output in [0, 2, 3] {
        let facts = std::fs::metadata(&made[output].path).expect("stat");
        let mut options = options(2, &["sha256"]);
        options.excluded = vec![(facts.dev(), facts.ino())];
        let mut kept = Kept::default();
        let inputs = std::iter::once(path(directory.path()));
        let control = std::sync::Arc::new(hashlane_engine::Control::new());
        let result = watched("a run", || hashlane_engine::run(options, inputs, &mut kept, &control));
        let summary = result.expect("a run that nobody disturbs");
        assert_eq!((summary.files, summary.skipped.output, summary.dropped), (3, 1, 0));
        let others = made.iter().enumerate().filter(|(number, _)| *number != output);
        for (record, (_, made)) in kept.0.iter().zip(others) {
            assert_read(record, made, &algorithms(&["sha256"]));
        }
    }
}
