//! What comes out of a run, whichever source it reads: all that is there, in order, digested right.

use std::sync::Arc;

use hashlane_engine::{Control, Input};
use hashlane_record::Outcome;

use crate::support::*;
use crate::worlds::{World, for_each_world};

for_each_world!(
    things_of_every_size_come_out_right_in_every_way,
    many_small_things_come_out_in_order,
    big_things_are_shared_by_all_workers,
    each_thing_of_a_list_gets_its_own_algorithms_and_its_tag_back,
    what_is_not_there_fails_alone,
    the_bounds_of_size_pass_things_over,
    a_limited_rate_changes_nothing,
);

fn things_of_every_size_come_out_right_in_every_way<W: World>() {
    let edges = [128 * KIB, 256 * KIB, MIB, 4 * MIB];
    let around = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]);
    let sizes: Vec<u64> = [0, 1, 4095, 4097, 5 * MIB + 7].into_iter().chain(around).collect();
    let world = W::make(&sizes);
    for way in W::ways() {
        for names in [&["sha256"][..], &["blake3"], &["md5", "sha256", "blake3"], &[]] {
            for workers in [1, 3] {
                let summary = world.assert_right(options(workers, names), way, plain());
                assert_eq!(summary.files, sizes.len() as u64, "{way:?}");
            }
        }
    }
}

fn many_small_things_come_out_in_order<W: World>() {
    let sizes: Vec<u64> = (0..3000).map(|number| number * 7919 % 5000).collect();
    let world = W::make(&sizes);
    for workers in [1, 2, 5] {
        world.assert_right(options(workers, &["sha256"]), W::ways()[0], plain());
    }
    world.assert_right(options(2, &["md5"]), W::ways()[1], plain());
}

fn big_things_are_shared_by_all_workers<W: World>() {
    let world = W::make(&[40 * MIB + 3, 10, 9 * MIB]);
    for way in W::ways() {
        for names in [&["sha1", "md5"][..], &["blake3"]] {
            world.assert_right(options(3, names), way, plain());
        }
    }
}

fn each_thing_of_a_list_gets_its_own_algorithms_and_its_tag_back<W: World>() {
    let world = W::make(&[10, 2 * MIB, 300 * KIB, 0, 5000]);
    let sets = [&["md5"][..], &["sha256", "crc32"], &[]].map(algorithms);
    let set_of = |number: usize| &sets[number % sets.len()];
    let inputs = world.made().iter().enumerate().map(|(number, made)| Input::File {
        path: item(&made.path),
        base: None,
        algorithms: set_of(number).clone(),
        division: None,
        tag: number.to_be_bytes().into(),
    });
    let inputs = inputs.collect();
    let control = Arc::new(Control::new());
    let (records, _) = world.try_run(options(2, &["sha512"]), W::ways()[0], plain(), inputs, &control);
    assert_eq!(records.len(), world.made().len());
    for (number, (record, made)) in records.iter().zip(world.made()).enumerate() {
        assert_read(record, made, set_of(number));
        assert_eq!(*record.tag, number.to_be_bytes());
    }
}

fn what_is_not_there_fails_alone<W: World>() {
    let world = W::make(&[10, 20]);
    let gone = Input::Path(item(&world.made()[0].path.with_file_name("not there")));
    let inputs = vec![world.path_of(0), gone, world.path_of(1), Input::Path("no\0name".into())];
    let control = Arc::new(Control::new());
    let (records, result) = world.try_run(options(2, &["sha256"]), W::ways()[0], plain(), inputs, &control);
    let summary = result.expect("it ends");
    assert_eq!((summary.files, summary.failed), (2, 2));
    assert_read(&records[0], &world.made()[0], &algorithms(&["sha256"]));
    assert_read(&records[2], &world.made()[1], &algorithms(&["sha256"]));
    let Outcome::Failed(failure) = records[1].outcome else { panic!("{:?}", records[1]) };
    assert_eq!(failure.io_error().kind(), std::io::ErrorKind::NotFound);
    assert!(matches!(records[3].outcome, Outcome::Failed(_)));
}

fn the_bounds_of_size_pass_things_over<W: World>() {
    let world = W::make(&[10, 3 * MIB, 20, 5 * MIB]);
    let mut options = options(2, &["sha256"]);
    let bounds = hashlane_engine::Bounds { max_size_bytes: Some(MIB), ..Default::default() };
    options.walk.filter = options.walk.filter.within(bounds);
    let control = Arc::new(Control::new());
    let (records, result) = world.try_run(options, W::ways()[0], plain(), vec![world.root()], &control);
    assert_eq!(result.expect("it ends").skipped.excluded, 2);
    for (record, number) in records.iter().zip([0, 2]) {
        assert_read(record, &world.made()[number], &algorithms(&["sha256"]));
    }
    assert_eq!(records.len(), 2);
}

fn a_limited_rate_changes_nothing<W: World>() {
    let world = W::make(&[10, 300 * KIB, 2 * MIB]);
    let mut options = options(2, &["sha256"]);
    options.max_bytes_per_second = Some(1 << 30);
    world.assert_right(options, W::ways()[0], plain());
}
