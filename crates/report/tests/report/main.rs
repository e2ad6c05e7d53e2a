//! What a run looks like, as text and as a page.

mod comparisons;

use std::collections::BTreeMap;

use hashlane_measure::machine::{Cache, Limits, Processor};
use hashlane_measure::{
    BackendUse, CacheState, Cell, CellResult, Elapsed, Machine, Noise, Overhead, Place, ProgramFacts, Run,
    SCHEMA, SCHEMA_VERSION, Sample, Stage, Unit, Waits, Warning, Work,
};
use hashlane_report::{classic, csv, page, prometheus, text};

/// A cell whose samples lie around `rate` units a second.
fn cell(cell: Cell, unit: Unit, rate: f64) -> CellResult {
    let mut result = CellResult::new(cell, unit);
    result.samples = [0.99, 1.0, 1.01, 1.0, 0.995, 1.005, 1.0]
        .iter()
        .enumerate()
        .map(|(round, part)| {
            let count = 1_000_000_000;
            let (bytes, operations, wall_ns) = match unit {
                Unit::BytesPerSecond => (count, 1, count as f64 / (rate * part) * 1e9),
                Unit::FilesPerSecond => (count, 50_000, 50_000.0 / (rate * part) * 1e9),
                Unit::NanosecondsPerOperation => (0, 1_000, 1_000.0 * rate * part),
            };
            Sample {
                round,
                place: 0,
                elapsed: Elapsed { wall_ns: wall_ns as u64, user_ns: 1, sys_ns: 1, ..Elapsed::default() },
                work: Work { bytes, operations, ..Work::default() },
                resident_bytes_before: None,
                noise: Noise::default(),
            }
        })
        .collect();
    result.summarise();
    result
}

fn digest(algorithm: &str, threads: usize, rate: f64) -> CellResult {
    let named = Cell {
        algorithm: Some(algorithm.into()),
        backend: Some("sha-ni".into()),
        threads,
        block_bytes: Some(16 << 10),
        ..Cell::new(Stage::Digest)
    };
    cell(named, Unit::BytesPerSecond, rate)
}

fn read(cache: CacheState, threads: usize, block_bytes: u64, rate: f64) -> CellResult {
    let named = Cell {
        engine: Some("buffered".into()),
        cache: Some(cache),
        threads,
        depth: Some(1),
        block_bytes: Some(block_bytes),
        ..Cell::new(Stage::Read)
    };
    cell(named, Unit::BytesPerSecond, rate)
}

fn pipeline(stage: Stage, cache: CacheState, threads: usize, unit: Unit, rate: f64) -> CellResult {
    let named = Cell {
        algorithm: Some("sha256".into()),
        backend: Some("sha-ni".into()),
        engine: Some("auto".into()),
        cache: Some(cache),
        threads,
        ..Cell::new(stage)
    };
    cell(named, unit, rate)
}

fn run() -> Run {
    let mut cold = read(CacheState::Cold, 1, 512 << 10, 1.0);
    (cold.samples, cold.figure, cold.cpu_s_per_gb) = (Vec::new(), None, None);
    cold.not_measured = Some("the page cache keeps 4096 bytes of the test file".into());
    let bytes = Unit::BytesPerSecond;
    Run {
        schema: SCHEMA.into(),
        schema_version: SCHEMA_VERSION,
        program: "hashlane 0.0.0".into(),
        study: "check-up".into(),
        name: None,
        host: None,
        command: vec!["hashlane".into(), "bench".into(), "--path=a<b".into()],
        started: "2026-01-02T03:04:05Z".into(),
        elapsed_ns: 60_000_000_000,
        complete: true,
        seed: 1,
        backend: Default::default(),
        machine: Machine {
            processor: Processor {
                signature: Some("Example 1 2 3".into()),
                cores_by_affinity: Some(2),
                name: "Example <CPU> & Co".into(),
                architecture: "x86_64".into(),
                cores: 2,
                cores_of_machine: Some(4),
                features: vec!["avx2".into(), "sha_ni".into()],
                microcode: None,
                governor: Some("performance".into()),
                highest_clock_khz: None,
                caches: vec![Cache { level: 1, kind: "data".into(), size_bytes: 32 << 10, shared_by: None }],
            },
            memory_bytes: Some(24_000_000_000),
            memory_available_bytes: None,
            kernel: "6.18.0".into(),
            system: Some("Debian".into()),
            huge_pages: None,
            bogomips: None,
            limits: Limits::default(),
            backends: BTreeMap::new(),
        },
        place: Some(Place {
            path: "/data".into(),
            file_system: "ext4".into(),
            mounted: "/dev/vda".into(),
            mount_options: "rw".into(),
            medium: "virtual-disk".into(),
            disk: Some("vda".into()),
            model: None,
            backing_file: None,
            rotational: None,
            free_bytes: 80_000_000_000,
            size_bytes: 250_000_000_000,
        }),
        reference_cycles_per_second: Some(2.5e9),
        overhead: Overhead { stopwatch_ns: 700, largest_share: 0.000_035 },
        programs: Vec::new(),
        inputs: Vec::new(),
        warnings: vec![Warning::VirtualDisk],
        cells: vec![
            cell(Cell::new(Stage::MemoryRead), bytes, 12.3e9),
            cell(Cell { threads: 2, ..Cell::new(Stage::MemoryRead) }, bytes, 21e9),
            digest("sha256", 1, 1.8e9),
            digest("sha256", 2, 3.6e9),
            digest("blake3", 1, 5e9),
            digest("blake3", 2, 10e9),
            read(CacheState::Warm, 1, 4 << 10, 3e9),
            read(CacheState::Warm, 1, 512 << 10, 11e9),
            read(CacheState::Warm, 2, 512 << 10, 20e9),
            cold,
            pipeline(Stage::Pipeline, CacheState::Warm, 1, bytes, 1.5e9),
            pipeline(Stage::Pipeline, CacheState::Warm, 2, bytes, 1.75e9),
            pipeline(Stage::SmallFiles, CacheState::Warm, 2, Unit::FilesPerSecond, 180_000.0),
            cell(Cell { block_bytes: Some(1 << 20), ..Cell::new(Stage::Write) }, bytes, 0.4e9),
        ],
    }
}

#[test]
fn a_run_as_text() {
    insta::assert_snapshot!(text(&run(), true, false));
}

#[test]
fn a_page_escapes_what_it_shows_and_loads_nothing() {
    let page = page(&run());
    assert!(page.contains("Example &lt;CPU&gt; &amp; Co") && page.contains("--path=a&lt;b"));
    for outside in ["http:", "https:", "<script", "<link", "<img", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for part in ["Ceilings and pipelines", "Algorithms", "Reading by block size", "not measured", "<details>"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn a_page_says_what_decided_which_backends_served() {
    let mut run = run();
    assert!(!page(&run).contains("asked for") && !page(&run).contains("as measured on this CPU"));
    run.backend.calibrated = vec!["md5".into(), "sha256".into()];
    assert!(page(&run).contains("as measured on this CPU for md5, sha256"));
    run.backend = BackendUse { forced: Some("avx2".into()), calibrated: Vec::new() };
    assert!(page(&run).contains("avx2, as requested"));
}

#[test]
fn a_run_in_which_nothing_was_measured_can_be_shown_too() {
    let mut run = run();
    for result in &mut run.cells {
        result.samples.clear();
        result.summarise();
        result.not_measured = Some("too little space".into());
    }
    for shown in [text(&run, true, false), page(&run)] {
        assert!(shown.contains("Warm files were not measured: too little space."), "{shown}");
    }
    run.cells.clear();
    for shown in [text(&run, true, false), page(&run)] {
        assert!(shown.contains("No measurement was completed; let it run longer."), "{shown}");
    }
}

/// A run of a study.
fn study(name: &str, cells: Vec<CellResult>) -> Run {
    Run { study: name.into(), cells, warnings: Vec::new(), ..run() }
}

fn messages(algorithm: &str, size_bytes: u64, messages: usize, threads: usize, rate: f64) -> CellResult {
    let named = Cell {
        algorithm: Some(algorithm.into()),
        backend: Some(if messages == 1 { "sha-ni" } else { "avx512" }.into()),
        threads,
        block_bytes: Some(size_bytes),
        messages: Some(messages),
        ..Cell::new(Stage::Digest)
    };
    let mut result = cell(named, Unit::BytesPerSecond, rate);
    for sample in &mut result.samples {
        sample.work.operations = sample.work.bytes / size_bytes;
    }
    result
}

#[test]
fn digests_by_message_size_as_text() {
    let mut cells = Vec::new();
    for (size, rate) in [(100, 0.2e9), (10_000, 1.6e9), (1 << 20, 1.8e9)] {
        for threads in [1, 2] {
            cells.push(messages("sha256", size, 1, threads, rate * threads as f64));
            cells.push(messages("sha256", size, 16, threads, 3.0 * rate * threads as f64));
        }
    }
    let mut theirs = messages("crc9", 100, 1, 1, 0.05e9);
    theirs.cell = Cell { program: Some("theirs".into()), algorithm: None, backend: None, ..theirs.cell };
    cells.push(theirs);
    let run = study("speed", cells);
    insta::assert_snapshot!(text(&run, true, false));
    insta::assert_snapshot!(classic(&run).expect("hashbench made it"));
}

#[test]
fn variants_as_text() {
    let variant = |name: &str, size, ms: f64| {
        let named = Cell {
            program: Some(name.into()),
            cache: Some(CacheState::Warm),
            input_bytes: Some(size),
            ..Cell::new(Stage::Program)
        };
        let mut result = cell(named, Unit::NanosecondsPerOperation, ms * 1e6);
        for sample in &mut result.samples {
            sample.work = Work { bytes: 1_000 * size, operations: 1_000, ..Work::default() };
            sample.elapsed.user_ns = sample.elapsed.wall_ns / 2;
            sample.elapsed.sys_ns = 3_000_000_000;
        }
        result
    };
    let mut wrong = variant("O0", 10_000_000, 1.0);
    wrong.samples.clear();
    wrong.summarise();
    wrong.not_measured = Some("its result is 00, but that of O2 was 01".into());
    let cells = vec![
        variant("O2", 10_000_000, 80.0),
        variant("O3", 10_000_000, 72.0),
        wrong,
        variant("O2", 1 << 20, 8.0),
    ];
    let mut run = study("variant", cells);
    // Slower in one round and faster in the next: nothing to tell apart.
    let mut same = variant("O3", 1 << 20, 8.0);
    for (round, sample) in same.samples.iter_mut().enumerate() {
        sample.elapsed.wall_ns = sample.elapsed.wall_ns + 500_000_000 - 1_000_000_000 * (round as u64 % 2);
    }
    same.summarise();
    run.cells.push(same);
    run.programs = vec![ProgramFacts {
        name: "O2".into(),
        command: vec!["./sum".into(), "-q".into()],
        setup: Some("cc -O2 sum.c".into()),
        sha256: Some("0123456789abcdef0123".into()),
        compilers: vec!["GCC: 12".into()],
        ..ProgramFacts::default()
    }];
    insta::assert_snapshot!(text(&run, false, false));
    insta::assert_snapshot!(classic(&run).expect("somebody made it"));
}

/// A cell that was not measured.
fn absent(mut result: CellResult, reason: &str) -> CellResult {
    result.samples.clear();
    result.summarise();
    result.not_measured = Some(reason.into());
    result
}

/// Reading alone at 4 GB/s, sha256 alone at 2 GB/s, and both together by several ways.
#[test]
fn pipelines_beside_their_stages_as_text() {
    let usual = hashlane_engine::LargeFiles::default();
    let way = |model: &str, block_bytes, buffers, stage, rate| {
        let named = Cell {
            algorithm: (stage == Stage::Pipeline).then(|| "sha256".into()),
            backend: (stage == Stage::Pipeline).then(|| "sha-ni".into()),
            engine: Some("pread".into()),
            cache: Some(CacheState::Warm),
            block_bytes: Some(block_bytes),
            input_bytes: Some(16_000_000),
            model: Some(model.into()),
            buffers,
            ..Cell::new(stage)
        };
        cell(named, Unit::BytesPerSecond, rate)
    };
    let mut cells = vec![digest("sha256", 1, 2e9)];
    let mut add = |model: &str, block_bytes, buffers: Option<usize>, rate, wait: Option<f64>| {
        cells.push(way(model, block_bytes, buffers, Stage::Read, 4e9));
        let mut both = way(model, block_bytes, buffers, Stage::Pipeline, rate);
        for sample in &mut both.samples {
            let waited = wait.map(|share| (share * sample.elapsed.wall_ns as f64) as u64);
            sample.work.waits = Waits { reader_wait_ns: None, digester_wait_ns: waited };
        }
        cells.push(both);
    };
    add("serial", 4_096, None, 1.2e9, None);
    add("serial", 1 << 20, None, 1.25e9, None);
    add("pipelined", 1 << 20, Some(5), 1.6e9, Some(0.125));
    // Faster than digesting alone, which cannot be.
    add("pipelined", 4_096, Some(5), 3.82e9, Some(0.125));
    add(usual.engine.name(), usual.block_bytes as u64, Some(usual.in_flight), 1.9e9, Some(0.0));
    cells.push(absent(way("uring", 1 << 20, Some(5), Stage::Read, 1.0), "the kernel has no io_uring"));
    let run = study("pipeline", cells);
    insta::assert_snapshot!(text(&run, true, false));
    insta::assert_snapshot!(classic(&run).expect("ACE made it"));
    let page = page(&run);
    for part in
        ["Time per GB: sha256 of files, warm", "class=\"digest\"", "class=\"wait\"", "<span class=\"read\">"]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn blocks_and_calls_as_text() {
    let block = |cache, block_bytes, rate| {
        let named = Cell {
            engine: Some("pread".into()),
            input_bytes: Some(1 << 20),
            ..read(cache, 1, block_bytes, rate).cell
        };
        cell(named, Unit::BytesPerSecond, rate)
    };
    let call = |name: &str, ns| {
        cell(
            Cell { call: Some(name.into()), ..Cell::new(Stage::SystemCall) },
            Unit::NanosecondsPerOperation,
            ns,
        )
    };
    let combined = |threads, rate| {
        let mut result = block(CacheState::Warm, 64 << 10, rate);
        result.cell = Cell {
            stage: Stage::Pipeline,
            algorithm: Some("xor32".into()),
            threads,
            depth: Some(threads),
            ..result.cell
        };
        result.digest = Some("01020304".into());
        result
    };
    let mut few = block(CacheState::Cold, 64 << 10, 0.96e9);
    few.samples.truncate(3);
    few.summarise();
    let run = study(
        "io",
        vec![
            block(CacheState::Warm, 512, 0.5e9),
            block(CacheState::Warm, 64 << 10, 9.6e9),
            block(CacheState::Warm, 1 << 20, 10e9),
            block(CacheState::Cold, 512, 0.2e9),
            few,
            block(CacheState::Cold, 1 << 20, 1e9),
            combined(1, 4e9),
            combined(2, 7e9),
            call("getppid", 80.0),
            call("read", 240.0),
            call("open+close", 1_600.0),
            absent(combined(4, 1.0), "its XOR is 00000000, but that of the first reading was 01020304"),
        ],
    );
    insta::assert_snapshot!(text(&run, false, false));
    insta::assert_snapshot!(classic(&run).expect("a course made it"));
}

#[test]
fn a_study_that_this_version_does_not_know_is_a_list_of_its_cells() {
    let run = study("tides", vec![digest("sha256", 1, 1.8e9)]);
    let printed = text(&run, true, false);
    assert!(printed.contains("digest sha256, 16 KiB blocks, 1 thread  1.80 GB/s"), "{printed}");
    assert!(page(&run).contains("hashlane tides"));
    assert_eq!(classic(&run), None);
}

#[test]
fn a_run_for_other_programs() {
    let mut run = study("speed", vec![messages("sha256", 100, 1, 1, 0.2e9)]);
    let mut absent = messages("md5", 100, 1, 1, 1.0);
    absent.samples.clear();
    absent.summarise();
    absent.not_measured = Some("a \"reason\", with a comma".into());
    let mut call = cell(
        Cell { call: Some("a\"b\\c\nd".into()), ..Cell::new(Stage::SystemCall) },
        Unit::NanosecondsPerOperation,
        85.0,
    );
    call.samples.truncate(3);
    call.summarise();
    run.cells.extend([absent, call]);
    insta::assert_snapshot!(csv(&run));
    insta::assert_snapshot!(prometheus(&run));
    assert!(csv(&run).lines().next().expect("a heading").starts_with("study,stage,program,"));
}
