//! Every cell, what is refused and left out, and what follows from figures.

use std::path::Path;

use super::*;
use crate::clock::Elapsed;
use crate::noise::Noise;
use crate::sample::{CellResult, Sample, Work};
use crate::testing::{Silent, brief};

fn program(name: &str, command: &[&str], algorithm: Option<&str>) -> Program {
    let command = command.iter().map(|word| (*word).to_owned()).collect();
    let algorithm = algorithm.and_then(Algorithm::named);
    Program { name: name.into(), command, path: None, algorithm, block_bytes: None }
}

pub(super) fn study(directory: &Path, programs: Vec<Program>) -> MachineStudy {
    let words = directory.join("words");
    std::fs::write(&words, "word\n".repeat(100)).expect("write");
    let brief = brief(directory);
    MachineStudy {
        brief,
        programs,
        in_process: vec![Algorithm::SHA1],
        corpus: Corpus::file(&words).expect("it is there"),
        copies: vec![1, 4],
        may_be_fewer: false,
        iterations: vec![4, 9],
        sink: Sink::Null,
        most_rounds: None,
    }
}

/// What reads and says nothing.
pub(super) fn reader() -> Program {
    program(COPIER, &["cat", "{}"], None)
}

#[test]
fn every_program_is_run_as_often_as_its_cell_says() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = study(directory.path(), vec![reader()]).run(&mut Silent).expect("there is room");
    // Starting, and on both inputs twice: the program, reading and digesting in process.
    assert_eq!(run.cells.len(), 1 + 3 * 4);
    for result in &run.cells {
        let iterations = result.cell.iterations.expect("all have them");
        assert!(result.figure.is_some(), "{result:?}");
        assert!(result.samples.iter().all(|sample| sample.work.operations == iterations), "{result:?}");
    }
    let effective: Vec<_> =
        run.cells.iter().filter_map(|result| effective_iterations(&result.cell)).collect();
    assert_eq!(effective, [4, 4, 4, 9, 9, 9, 4, 4, 4, 8, 8, 8]);
    assert_eq!(run.inputs.len(), 2);
    assert!(run.inputs.iter().all(|input| input.unit_bytes == 500 && input.first_run.is_some()));
    assert!(start(&run, COPIER).is_some_and(|start| start.cpu_s_per_gb.is_none()));
    // The words are not ours to remove.
    assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 1);
    assert_eq!(Run::parse(run.to_json().as_bytes(), "x".as_ref()).expect("as it was written"), run);
}

#[test]
fn a_program_has_to_give_our_digest_of_the_file_itself() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sha1 = |name, script| program(name, &["sh", "-c", script, "sh", "{}"], Some("sha1"));
    let programs = vec![
        sha1("wrong", "echo 0123456789  $1"),
        sha1("silent", "true"),
        sha1("broken", "echo oh no >&2; exit 1"),
        program("absent", &["no such program", "{}"], Some("sha1")),
        reader(),
    ];
    let run = study(directory.path(), programs).run(&mut Silent).expect("there is room");
    let reason = |name: &str| {
        let mut of = run.cells.iter().filter(|result| result.cell.program.as_deref() == Some(name));
        let first = of.next().and_then(|result| result.not_measured.clone());
        assert!(of.all(|result| result.not_measured.is_some() == first.is_some()), "{name}");
        first.unwrap_or_default()
    };
    // SHA-1 of nothing.
    let nothing = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    assert_eq!(reason("wrong"), format!("its digest is 0123456789, but sha1 of the same file is {nothing}"));
    assert_eq!(reason("silent"), "it does not print a digest");
    assert_eq!(reason("broken"), "ended with exit status: 1: oh no");
    assert_eq!(reason("absent"), "absent is not in PATH; install the package coreutils");
    assert_eq!(reason(COPIER), "");
}

#[test]
fn copies_are_fewer_where_there_is_too_little_room_and_that_is_allowed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut study = MachineStudy { copies: vec![1, 64], ..study(directory.path(), vec![reader()]) };
    let brief = study.brief.clone();
    let mut underway = Underway::begin(STUDY, &brief, true);
    let allowance = |copies: u64| Allowance { bytes: copies * 500, reason: "little" };
    assert_eq!(study.fitting_copies(&allowance(20), &mut underway), [1, 64]);
    study.may_be_fewer = true;
    assert_eq!(study.fitting_copies(&allowance(100), &mut underway), [1, 64]);
    assert_eq!(study.fitting_copies(&allowance(20), &mut underway), [1, 16]);
    assert_eq!(study.fitting_copies(&allowance(0), &mut underway), [1]);
    let warnings = underway.finish(Vec::new(), Ending::Complete).warnings;
    let cut = warnings.iter().filter(|warning| matches!(warning, Warning::SmallFiles { .. })).count();
    assert_eq!(cut, 2);
    // dd writes as much once more.
    study.sink = Sink::File;
    assert_eq!(study.bytes_of(3), 3_000);
}

#[test]
fn what_there_is_no_room_for_is_refused_before_it_is_begun() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut study = study(directory.path(), vec![reader()]);
    let outlook = study.outlook(&Stopper::default()).expect("there is room");
    assert_eq!((outlook.written_bytes, outlook.read_bytes), (2_500, 500 * (4 + 9 + 4 + 8)));
    assert!(outlook.round > Duration::ZERO);
    study.copies = vec![1 << 60];
    let said = study.outlook(&Stopper::default()).expect_err("no disk is as large");
    assert!(matches!(said, StudyError::InputRoom { .. }), "{said}");
    assert!(said.to_string().starts_with("too little space: "), "{said}");
    let run = study.run(&mut Silent).expect("the start can be measured");
    let absent = run.find(|cell| cell.copies == Some(1 << 60)).expect("a cell");
    assert!(absent.not_measured.as_deref().is_some_and(|reason| reason.starts_with("too little space")));
}

/// A cell that took `wall_ns` nanoseconds in each of seven rounds.
fn timed(cell: Cell, wall_ns: u64) -> CellResult {
    let mut result = CellResult::new(cell, Unit::BytesPerSecond);
    result.samples = (0..7)
        .map(|round| Sample {
            round,
            place: 0,
            elapsed: Elapsed { wall_ns, ..Elapsed::default() },
            work: Work { bytes: 2_000_000, operations: 2, ..Work::default() },
            resident_bytes_before: None,
            noise: Noise::default(),
        })
        .collect();
    result.summarise();
    result
}

#[test]
fn pure_hashing_is_what_is_left_of_the_time_and_nothing_where_none_is() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut run = study(directory.path(), Vec::new()).run(&mut Silent).expect("there is room");
    let cell = |name: &str| Cell {
        program: Some(name.to_owned()),
        copies: Some(1),
        iterations: Some(2),
        input_bytes: Some(1_000_000),
        ..Cell::new(Stage::Program)
    };
    run.cells = vec![
        timed(cell("slower"), 6_000_000),
        timed(cell("faster"), 1_000_000),
        timed(cell(COPIER), 2_000_000),
    ];
    assert_eq!(pure_hash(&run, &run.cells[0]), Some((5e8, false)));
    assert_eq!(pure_hash(&run, &run.cells[1]), None);
    assert_eq!(pure_hash(&run, &run.cells[2]), None);
    run.cells.pop();
    assert_eq!(pure_hash(&run, &run.cells[0]), None);
    let input = |first: Option<FirstRun>| InputFacts {
        name: "words".into(),
        origin: None,
        sha256: None,
        unit_bytes: 1_000_000,
        copies: 1,
        write_ns: 1,
        first_run: first,
        settling: None,
    };
    let first = FirstRun { program: "slower".into(), iterations: 2, wall_ns: 12_000_000 };
    assert_eq!(first_run_share(&run, &input(Some(first.clone()))), Some(0.5));
    assert_eq!(first_run_share(&run, &input(Some(FirstRun { wall_ns: 0, ..first }))), None);
    assert_eq!(first_run_share(&run, &input(None)), None);
}
