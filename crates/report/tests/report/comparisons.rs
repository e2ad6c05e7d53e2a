//! What several runs look like beside each other, in every form.

use hashlane_measure::{Cell, Comparison, Loaded, Relation, Run, Seen, Stage, Subject, Unit, Warning};
use hashlane_report::{
    comparison_csv, comparison_json, comparison_markdown, comparison_page, comparison_text, page,
};

use super::{cell, run};

#[test]
fn two_runs_as_text() {
    let (first, mut second) = (run(), run());
    second.machine.processor.cores = 8;
    for result in &mut second.cells {
        if result.cell.threads == 2 {
            result.cell.threads = 8;
        }
        for sample in &mut result.samples {
            sample.elapsed.wall_ns /= 2;
        }
        result.summarise();
    }
    second.cells.pop();
    let comparison = compared(first, second);
    let rows: usize = comparison.sections.iter().map(|section| section.rows.len()).sum();
    assert_eq!((rows, comparison.unmatched.as_slice()), (12, [1, 0].as_slice()));
    for summary in comparison.sections.iter().flat_map(|section| &section.summaries) {
        let best = &summary.standings[0];
        assert!(best.subject == 1 && (best.geometric - 2.0).abs() < 1e-6, "{summary:?}");
        assert!(best.seen == Seen::Faster && best.rank == 1 && summary.standings[1].rank == 2);
    }
    insta::assert_snapshot!(comparison_text(&comparison, false));
}

fn compared(first: Run, second: Run) -> Comparison {
    let file = |name: &str, run| (name.into(), Loaded::Run(Box::new(run)));
    let subjects = Subject::gather(vec![file("a/first.json", first), file("a/second.json", second)]);
    Comparison::of(subjects, None).expect("they have cells in common")
}

/// The same machine before and after; one digest became slower, and its file is of another size.
fn before_and_after() -> Comparison {
    let (first, mut second) = (run(), run());
    let digest = &mut second.cells[2];
    for sample in &mut digest.samples {
        sample.elapsed.wall_ns *= 2;
    }
    digest.summarise();
    compared(first, second)
}

#[test]
fn what_became_slower_on_one_machine_comes_first() {
    let comparison = before_and_after();
    let slower: Vec<_> = comparison.regressions(1).iter().map(|(row, _)| row.cell.clone()).collect();
    assert_eq!(slower, ["digest sha256, 16 KiB blocks, one core"]);
    let text = comparison_text(&comparison, false);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(place("Slower in second.json than in first.json") < place("Without files, or cache not known"));
    assert!(text.contains("1 of 13 cells slower beyond doubt"), "{text}");
    assert!(text.contains("single cells differ where the mean of their kind is not seen to"), "{text}");
}

#[test]
fn another_kernel_is_the_same_machine_and_said_so_and_an_older_file_does_not_say() {
    let note = |change: fn(&mut Run)| {
        let (first, mut second) = (run(), run());
        change(&mut second);
        let comparison = compared(first, second);
        let text = comparison_text(&comparison, false).split_whitespace().collect::<Vec<_>>().join(" ");
        (comparison.relation(1), text)
    };
    let (relation, text) = note(|second| second.machine.kernel = "9.9.9".into());
    assert_eq!(relation, Relation::SameMachine);
    assert!(text.contains("; the same machine, but kernel 9.9.9 instead of "), "{text}");
    let (relation, text) = note(|second| second.machine.processor.signature = Some("Example 1 2 4".into()));
    assert_eq!(relation, Relation::OtherMachine, "{text}");
    let (relation, text) = note(|second| second.machine.processor.signature = None);
    assert_eq!(relation, Relation::Unknown);
    assert!(text.contains("; the files do not state whether both are of one machine"), "{text}");
}

#[test]
fn another_size_is_marked() {
    let (mut first, mut second) = (run(), run());
    let stage = |run: &mut Run, stage: Stage, bytes: u64| {
        let cell = run.cells.iter_mut().find(|result| result.cell.stage == stage).expect("there is one");
        cell.cell.input_bytes = Some(bytes);
    };
    stage(&mut first, Stage::MemoryRead, 1 << 20);
    stage(&mut second, Stage::MemoryRead, 1 << 30);
    let comparison = compared(first, second);
    let text = comparison_text(&comparison, true);
    assert!(text.contains("≠ other work") && !text.contains("≠ no difference"), "{text}");
    assert!(text.contains("input bytes: 1073741824 instead of 1048576"), "{text}");
    assert!(
        text.contains("1 of 13 shared cells are in no mean: other work, or not in all of them"),
        "{text}"
    );
}

#[test]
fn rates_that_do_not_depend_on_the_size_of_a_file_are_compared_and_sizes_are_told() {
    let (mut first, mut second) = (run(), run());
    for (run, bytes) in [(&mut first, 1 << 30), (&mut second, 1 << 20)] {
        for result in run.cells.iter_mut().filter(|result| result.cell.stage == Stage::Read) {
            result.cell.input_bytes = Some(bytes);
        }
    }
    second.command.push("--quick".into());
    for result in second.cells.iter_mut().filter(|result| result.cell.stage == Stage::Read) {
        for sample in &mut result.samples {
            sample.elapsed.wall_ns *= 2_439;
        }
        result.summarise();
    }
    let comparison = compared(first, second);
    let text = comparison_text(&comparison, true);
    assert!(!text.contains("≠"), "{text}");
    assert!(text.contains("input bytes: 1048576 instead of 1073741824"), "{text}");
    assert!(text.contains("quick runs make smaller files, and second.json is quick"), "{text}");
    // What differs most comes first, with two digits.
    let (_, findings) = text.rsplit_once("\n\n").expect("findings are last");
    let first = findings.lines().next().expect("a finding");
    assert!(
        first.starts_with(
            "second.json is slower than first.json, whose rates are 100 %: read, warm at 0.041 %"
        ),
        "{findings}"
    );
    assert!(text.contains("  0.00041  "), "{text}");
}

/// Three runs on each side of two programs with two sizes: nothing of one size is taken for the other.
#[test]
fn sizes_of_a_program_are_cells_of_their_own_in_repeated_runs_too() {
    let side = |name: &str, times: f64, sizes: [&[u64]; 3]| {
        let of_run = |(at, sizes): (usize, &[u64])| {
            let program = |bytes: &u64| {
                let program = Cell {
                    program: Some("a".into()),
                    input_bytes: Some(*bytes),
                    ..Cell::new(Stage::Program)
                };
                cell(program, Unit::NanosecondsPerOperation, times * *bytes as f64 * (1.0 + at as f64 / 1e3))
            };
            let run = Run { cells: sizes.iter().map(program).collect(), ..run() };
            (format!("{name}/{at}.json").into(), Loaded::Run(Box::new(run)))
        };
        (name.into(), Loaded::Repeated(sizes.into_iter().enumerate().map(of_run).collect()))
    };
    let all: [&[u64]; 3] = [&[1_000, 1_000_000]; 3];
    let comparison = Comparison::of(
        Subject::gather(vec![
            side("before", 1.0, all),
            side("after", 2.0, all),
            side("less", 1.0, [&[1_000, 1_000_000], &[1_000], &[1_000, 1_000_000]]),
        ]),
        None,
    );
    let comparison = comparison.expect("the same cells");
    let rows: Vec<_> = comparison.sections.iter().flat_map(|section| &section.rows).collect();
    assert_eq!(rows.len(), 2);
    for (row, bytes) in rows.iter().zip([1e3, 1e6]) {
        let figure = row.figures[0].expect("it was measured");
        assert!(figure.n == 3 && (figure.median / bytes - 1.0).abs() < 0.01, "{figure:?}");
        let ratio = row.ratios[1].expect("it was measured");
        assert!((ratio.median - 0.5).abs() < 0.01 && ratio.interval.is_some_and(|(_, high)| high < 1.0));
    }
    assert!(rows[0].ratios[2].is_some() && rows[1].ratios[2].is_none());
    let remarks: Vec<String> = comparison.subjects[2].remarks.iter().map(ToString::to_string).collect();
    assert_eq!(remarks, ["1 cell was not measured in each of its runs; left out"]);
}

#[test]
fn what_makes_a_comparison_doubtful_comes_before_what_it_comes_to() {
    let (first, mut second) = (run(), run());
    second.warnings = vec![Warning::VirtualDisk, Warning::Loaded { threads: 13.3 }];
    let comparison = compared(first, second);
    let doubt = "second.json: on average, 13.3 threads of other programs competed for the cores";
    let text = comparison_text(&comparison, true);
    let (_, findings) = text.rsplit_once("\n\n").expect("findings are last");
    assert!(findings.starts_with(&format!("in doubt: {doubt}")), "{findings}");
    assert!(!text.contains("the disk is virtual"), "{text}");
    let markdown = comparison_markdown(&comparison);
    assert!(markdown.starts_with(&format!("# Comparison\n\nIn doubt: {doubt}")), "{markdown}");
    let shown = comparison_page(&comparison, "x");
    assert!(shown.contains(r#"<section class="verdict doubtful">"#) && shown.contains(doubt), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&comparison_json(&comparison)).expect("JSON");
    assert!(json["in_doubt"][0].as_str().is_some_and(|line| line.starts_with(doubt)), "{json}");

    let mut alone = run();
    alone.warnings.clear();
    assert!(!page(&alone).contains("verdict doubtful"));
    alone.warnings = vec![Warning::Loaded { threads: 13.3 }];
    assert!(page(&alone).contains("<strong>In doubt: </strong>on average, 13.3 threads"));
}

/// Cells of every kind, each faster by a factor; `work` is what some of them worked on.
fn of_kinds(speed: impl Fn(usize) -> f64, input_bytes: impl Fn(usize) -> Option<u64>) -> Run {
    let stages = [
        Stage::Digest,
        Stage::MemoryCopy,
        Stage::MemoryRead,
        Stage::Pipeline,
        Stage::Read,
        Stage::SmallFiles,
        Stage::Write,
    ];
    let mut run = run();
    run.cells = (0..stages.len() * 3)
        .map(|at| {
            let named = Cell {
                block_bytes: Some(4_096 << (at % 3)),
                input_bytes: input_bytes(at),
                ..Cell::new(stages[at / 3].clone())
            };
            cell(named, Unit::BytesPerSecond, 1e9 * speed(at))
        })
        .collect();
    run
}

/// Without the cells whose rates do not depend on how large a file is.
fn sized(mut run: Run) -> Run {
    run.cells.retain(|result| !matches!(result.cell.stage, Stage::Pipeline | Stage::Read | Stage::Write));
    run
}

#[test]
fn no_mean_holds_two_kinds_of_work_or_work_that_is_not_equal() {
    let first = sized(of_kinds(|_| 1.0, |_| Some(1 << 20)));
    // In each kind one cell of another size, that would spoil the mean, and one that only the first has.
    let mut second = of_kinds(
        |at| if at % 3 == 1 { 100.0 } else { 2.0 },
        |at| Some(if at % 3 == 1 { 1 << 30 } else { 1 << 20 }),
    );
    second.cells.retain(|result| result.cell.block_bytes != Some(4_096 << 2));
    let comparison = compared(first, sized(second));
    let summaries: Vec<_> = comparison.sections.iter().flat_map(|section| &section.summaries).collect();
    assert_eq!(summaries.len(), 4);
    for summary in summaries {
        assert_eq!((summary.shared, summary.cells), (2, 1), "{summary:?}");
        let best = &summary.standings[0];
        assert!((best.geometric - 2.0).abs() < 1e-6 && (best.arithmetic - 2.0).abs() < 1e-6, "{summary:?}");
    }
    // No form of it shows a mean of all.
    let json = comparison_json(&comparison);
    for shown in [
        comparison_text(&comparison, true),
        comparison_markdown(&comparison),
        comparison_page(&comparison, "x"),
    ] {
        assert!(shown.contains("200.00 %"), "{shown}");
        assert!(!shown.contains("10000.00 %") && !shown.contains("as sysperf"), "{shown}");
    }
    assert!(!json.contains("as_sysperf_averages"), "{json}");
}

#[test]
fn where_all_work_is_other_work_there_is_no_mean_and_no_bar() {
    let first = sized(of_kinds(|_| 1.0, |_| Some(1 << 20)));
    let second = sized(of_kinds(|_| 2.0, |_| Some(1 << 30)));
    let comparison = compared(first, second);
    assert!(
        comparison
            .sections
            .iter()
            .flat_map(|section| &section.summaries)
            .all(|summary| summary.standings.is_empty())
    );
    let text = comparison_text(&comparison, true);
    assert!(
        text.contains("none of 3 cells is the same work as in the reference, so it has no mean"),
        "{text}"
    );
    assert!(!text.contains("200.00 %"), "{text}");
    let page = comparison_page(&comparison, "x");
    assert!(!page.contains("class=\"bars\"") && page.contains("there is no mean of both"), "{page}");
}

#[test]
fn where_no_cell_is_the_same_work_in_all_it_is_not_said_of_two_that_share_one() {
    let file = |name: &str, run: Run| (name.into(), Loaded::Run(Box::new(run)));
    let with = |cells: &[usize]| {
        let mut run = of_kinds(|_| 1.0, |_| Some(1 << 20));
        run.cells = cells.iter().map(|&at| run.cells[at].clone()).collect();
        run
    };
    // D has what A has, and other work in it.
    let mut other = of_kinds(|_| 1.0, |_| Some(1 << 30));
    other.cells.truncate(1);
    let files =
        [("A.json", with(&[0, 1])), ("B.json", with(&[0])), ("C.json", with(&[1])), ("D.json", other)];
    let files = files.map(|(name, run)| file(name, run)).into();
    let comparison = Comparison::of(Subject::gather(files), None).expect("A has cells in common with each");
    for shown in [comparison_text(&comparison, true), comparison_page(&comparison, "x")] {
        for name in ["B", "C"] {
            let said = format!(
                "{name}.json and A.json: no cell is the same work in all of them, so there is no mean."
            );
            assert!(shown.contains(&said), "{shown}");
            assert!(!shown.contains(&format!("{name}.json has no cell of the same work")), "{shown}");
        }
        assert!(
            shown.contains("D.json has no cell of the same work as A.json, so there is no mean of both."),
            "{shown}"
        );
    }
}

#[test]
fn who_cannot_be_told_apart_shares_a_rank() {
    let file = |name: &str, run: Run| (name.into(), Loaded::Run(Box::new(run)));
    // Two that are faster in turns, and one that is twice as fast.
    let speeds = [[1.0; 3], [1.004, 0.997, 1.001], [2.0; 3]];
    let files = speeds
        .iter()
        .enumerate()
        .map(|(at, speeds)| file(&format!("{at}.json"), of_kinds(|cell| speeds[cell % 3], |_| None)));
    let comparison = Comparison::of(Subject::gather(files.collect()), None).expect("the same cells");
    for summary in comparison.sections.iter().flat_map(|section| &section.summaries) {
        let rank =
            |subject| summary.standings.iter().find(|of| of.subject == subject).expect("it is there").rank;
        assert_eq!([rank(0), rank(1), rank(2)], [2, 2, 1], "{summary:?}");
        let seen =
            |subject| summary.standings.iter().find(|of| of.subject == subject).expect("it is there").seen;
        assert_eq!((seen(1), seen(2)), (Seen::NoDifferenceSeen, Seen::Faster));
    }
    let text = comparison_text(&comparison, true);
    assert!(text.contains("1.json and 0.json: no difference seen in digest, one message ("), "{text}");
    assert!(text.contains("machines without a seen difference share a rank"), "{text}");
}

#[test]
fn a_difference_is_seen_in_every_form_where_the_interval_beside_the_mean_excludes_1() {
    let cases = [
        ([0.50, 0.49, 0.51], "slower"),
        ([0.990, 1.010, 1.0], "no difference seen"),
        ([2.00, 2.02, 1.99], "faster"),
    ];
    for (speeds, verdict) in cases {
        let comparison = compared(of_kinds(|_| 1.0, |_| None), of_kinds(|cell| speeds[cell % 3], |_| None));
        let means = comparison.sections.iter().flat_map(|section| &section.summaries).count();
        assert_eq!(means, 7);
        let json: serde_json::Value = serde_json::from_str(&comparison_json(&comparison)).expect("JSON");
        let sections = json["sections"].as_array().expect("an array");
        let entries = sections.iter().flat_map(|section| section["means"].as_array().expect("an array"));
        let others: Vec<_> = entries.filter(|entry| entry["machine"] == "second.json").collect();
        assert_eq!(others.len(), means);
        for mean in others {
            assert_eq!(mean["to_reference"], verdict.replace(' ', "-"), "{mean}");
            let end = |at: usize| mean["interval_95"][at].as_f64().expect("a number");
            let excludes = end(0) > 1.0 || end(1) < 1.0;
            assert_eq!(excludes, verdict != "no difference seen", "{mean}");
        }
        let finding = match verdict {
            "no difference seen" => "second.json and first.json: no difference seen in ".to_owned(),
            _ => format!("second.json is {verdict} than first.json"),
        };
        for shown in [
            comparison_text(&comparison, true),
            comparison_markdown(&comparison),
            comparison_page(&comparison, "x"),
        ] {
            // Every mean has a row that ends with the verdict, and one sentence names them all.
            let (_, table) = shown.split_once("Means of the ratios").expect("there is a table of means");
            assert!(table.matches(verdict).count() >= means, "{shown}");
            for other in ["slower", "faster"].into_iter().filter(|other| *other != verdict) {
                assert!(!shown.contains(&format!("is {other} than")), "{shown}");
            }
            assert!(shown.contains(&finding), "{shown}");
        }
    }
}

#[test]
fn a_comparison_is_the_same_in_every_form() {
    let comparison = before_and_after();
    let json: serde_json::Value = serde_json::from_str(&comparison_json(&comparison)).expect("JSON");
    assert_eq!((&json["schema"], &json["reference"]), (&"hashlane-comparison".into(), &"first.json".into()));
    assert_eq!(json["machines"][1]["relation_to_reference"], "same-machine");
    assert_eq!(json["machines"][1]["slower_beyond_doubt"][0], "digest sha256, 16 KiB blocks, one core");
    let csv = comparison_csv(&comparison);
    assert_eq!(csv.lines().count(), 1 + 2 * 13);
    assert!(
        csv.contains(
            "\nwarm,\"read, warm, buffered, 4 KiB blocks, one core\",second.json,first.json,bytes-per-second,"
        ),
        "{csv}"
    );
    let markdown = comparison_markdown(&comparison);
    assert!(
        markdown.contains("| digest sha256, 16 KiB blocks, one core | 0.500 | 0.456 to 0.548 |"),
        "{markdown}"
    );
    let page = comparison_page(&comparison, "hashlane 0.0.0");
    for outside in ["http:", "https:", "<script", "<link", "<img", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for part in [
        "default-src 'none'",
        "second.json compared with first.json",
        "class=\"undecided\"",
        "0.456 to 0.548",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf<"));
}
