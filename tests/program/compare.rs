//! `hashlane compare`: files of other programs, means, what is said of bad input, where the result goes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::work::{Dir, Ran, have};

/// Files in the shape of sysperf's, of invented hosts.
const FIXTURES: [&str; 6] = [
    "ash.csv",
    "old_elm.csv",
    "DB_ash.csv",
    "DB_old_elm.csv",
    "ash_description.txt",
    "old_elm_description.txt",
];

/// A directory with the fixtures.
pub(crate) fn fixtures() -> Dir {
    let dir = Dir::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/compare");
    for name in FIXTURES {
        dir.write(name, std::fs::read(from.join(name)).unwrap());
    }
    dir
}

fn compare(dir: &Dir, arguments: &[&str]) -> Ran {
    dir.hashlane(["compare"]).args(arguments).run()
}

fn json(ran: Ran) -> Value {
    serde_json::from_slice(&ran.code(0).stdout).unwrap()
}

/// The entry of a list in which `name` is `wanted`.
fn entry(list: &Value, name: &str, wanted: &str) -> Value {
    list.as_array().unwrap().iter().find(|entry| entry[name] == wanted).unwrap().clone()
}

/// Arithmetic and geometric mean in per cent, as they are printed.
fn in_percent(mean: &Value) -> [String; 2] {
    ["arithmetic_mean", "geometric_mean"].map(|name| format!("{:.2}", mean[name].as_f64().unwrap() * 100.0))
}

/// The means of a machine in a kind of work.
fn means(compared: &Value, basis: &str, kind: &str, machine: &str) -> [String; 2] {
    let means = entry(&compared["sections"], "basis", basis)["means"].clone();
    let of_kind = means.as_array().unwrap().iter().filter(|mean| mean["kind"] == kind).cloned().collect();
    in_percent(&entry(&Value::Array(of_kind), "machine", machine))
}

/// The means that sysperf's tables hold.
fn sysperf_means(compared: &Value, basis: &str, machine: &str) -> [String; 2] {
    let section = entry(&compared["sections"], "basis", basis);
    in_percent(&entry(&section["as_sysperf_averages"], "machine", machine))
}

#[test]
fn the_recorded_data_of_three_hosts_gives_its_means() {
    let shared = std::env::var_os("HASHLANE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let data = shared.join("data/sysperf");
    // No machine has to have it: it is not the project's, and no package holds it.
    if !data.is_dir() {
        println!(
            "LEFT OUT: the recorded data of sysperf is not in ../shared/data/sysperf, nor below HASHLANE_SHARED"
        );
        return;
    }
    let dir = Dir::new();
    let files = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
    let arguments = ["compare", "--reference", "PI04-08-03", "--format", "json"];
    let compared = json(dir.hashlane(arguments).args(files).run());
    for (machine, basis, arithmetic, geometric) in [
        ("hplap", "recorded", "95.97", "83.97"),
        ("optiplex980", "recorded", "302.91", "270.06"),
        ("hplap", "recomputed", "96.02", "84.13"),
        ("optiplex980", "recomputed", "301.57", "268.99"),
    ] {
        assert_eq!(sysperf_means(&compared, basis, machine), [arithmetic, geometric], "{machine}, {basis}");
    }
    for machine in compared["machines"].as_array().unwrap() {
        assert_eq!((&machine["cells"], &machine["cells_not_shared"]), (&40.into(), &0.into()));
    }
}

#[test]
fn hosts_are_put_together_from_their_files_and_copies_count_once() {
    let dir = fixtures();
    let compared = json(compare(&dir, &[FIXTURES.as_slice(), &["--format", "json"]].concat()));
    // 2, 1, 2 and 8 / 3 times as fast; recorded 128 and 341 MB/s.
    assert_eq!(sysperf_means(&compared, "recomputed", "old_elm"), ["191.67", "180.72"]);
    // Each kind of work by itself: 2 and 1, then 2 and 8 / 3.
    assert_eq!(means(&compared, "recomputed", "programs", "old_elm"), ["150.00", "141.42"]);
    assert_eq!(means(&compared, "recomputed", "dd", "old_elm"), ["233.33", "230.94"]);
    assert_eq!(compared["machines"].as_array().unwrap().len(), 2);
    assert_eq!(compared["machines"][0]["cells"], 4);
    let printed =
        String::from_utf8(compare(&dir, &[FIXTURES.as_slice(), &["--wide"]].concat()).code(0).stdout)
            .unwrap();
    for part in [
        "Recorded rates (whole MB/s, as its scripts truncate them)",
        "Rates recomputed from bytes and wall time",
        "4 figures of lookup files are copies of measurements already read; counted once",
        "architecture      ",
        "bogomips, ratio",
        "60.00",
        "the same for all: ",
        "sysperf's own tables average digest programs and dd together",
    ] {
        assert!(printed.contains(part), "{part}:\n{printed}");
    }
    assert!(!printed.contains("inf") && !printed.contains("NaN"), "{printed}");
}

#[test]
fn copies_are_used_where_there_is_nothing_else() {
    let dir = fixtures();
    let compared = json(compare(&dir, &["DB_ash.csv", "DB_old_elm.csv", "--format", "json"]));
    assert_eq!(compared["sections"].as_array().unwrap().len(), 1);
    assert_eq!(compared["sections"][0]["basis"], "recorded");
    // The reference changes what the means say.
    let other = ["DB_ash.csv", "DB_old_elm.csv", "--reference", "old_elm", "--format", "json"];
    assert_eq!(json(compare(&dir, &other))["reference"], "old_elm");
}

#[test]
fn a_line_that_is_there_twice_counts_once_and_another_timing_is_another_sample() {
    let dir = fixtures();
    let text = String::from_utf8(dir.read("ash.csv")).unwrap();
    let again = text.lines().nth(1).unwrap();
    let other = again.replace("|10.24|", "|20.48|").replace("|100|", "|50|");
    dir.write("ash.csv", format!("{text}{again}\n{other}\n"));
    let printed =
        String::from_utf8(compare(&dir, &["ash.csv", "old_elm.csv", "--wide"]).code(0).stdout).unwrap();
    assert!(printed.contains("ash: 1 line repeats another; counted once"), "{printed}");
    assert!(
        printed.contains("ash: b2sum, 1 copy, 1024 iterations: 2 timings; their median is compared"),
        "{printed}"
    );
}

#[test]
fn files_of_other_programs_are_told_by_their_content() {
    let dir = Dir::new();
    let hyperfine = |seconds: f64| {
        format!("{{\"results\": [{{\"command\": \"sum\", \"times\": [{seconds}, {seconds}]}}]}}")
    };
    let fio = |rate: u64| {
        format!(
            "fio: a warning\n{{\"fio version\": \"fio-3\", \"jobs\": [{{\"jobname\": \"a\", \"read\": {{\"io_bytes\": 1, \"bw_bytes\": {rate}}}}}]}}"
        )
    };
    let google = |time: f64| {
        format!(
            "{{\"context\": {{\"host_name\": \"ash\"}}, \"benchmarks\": [{{\"name\": \"BM\", \"real_time\": {time}, \"time_unit\": \"us\"}}]}}"
        )
    };
    let openssl = |rate: f64| format!("+H:16\n+F:6:sha256:{rate}\n");
    for (kind, one, other) in [
        ("sum", hyperfine(2.0), hyperfine(1.0)),
        ("read", fio(1_000), fio(2_000)),
        ("BM", google(2.0), google(1.0)),
        ("sha256", openssl(1000.0), openssl(2000.0)),
    ] {
        dir.write("one", one).write("other.txt", other);
        let compared = json(compare(&dir, &["one", "other.txt", "--format", "json"]));
        let mean = &compared["sections"][0]["means"][0];
        assert_eq!(
            in_percent(&entry(&compared["sections"][0]["means"], "machine", "other.txt")),
            ["200.00"; 2]
        );
        assert_eq!(mean["kind"], kind);
        // Of so few samples there is no interval, so nobody can say whether it contains 1.
        let samples = if kind == "sum" { "2 samples each" } else { "one sample each" };
        let said = format!(
            "other.txt and one: whether they differ cannot be told in {kind} ({samples}, ratio 2.000)."
        );
        assert_eq!(
            entry(&compared["sections"][0]["means"], "machine", "other.txt")["to_reference"],
            "cannot-be-told"
        );
        for form in ["text", "markdown"] {
            let ran = compare(&dir, &["one", "other.txt", "--format", form, "--wide"]).code(0);
            let printed = String::from_utf8(ran.stdout.clone()).unwrap();
            assert!(printed.contains(&said), "{printed}");
            assert!(!printed.contains("no difference seen"), "{printed}");
        }
    }
}

#[test]
fn what_cannot_be_compared_is_said_with_a_way_out() {
    let dir = fixtures();
    dir.write("empty", "").write("strange", "hello\n").make("directory");
    dir.write("cut.csv", "ash|20230401_1200|1000000|1Kib|1024|1|1024000000|b2sum|10.24|1.00\n");
    dir.write("openssl", "+H:16\n+F:6:sha256:1000.0\n");
    let said = |arguments: &[&str], code: i32, message: &str| {
        let ran = compare(&dir, arguments).code(code).printed("");
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    };
    said(&["ash.csv", "empty"], 64, "empty: is empty; write it again, or leave it out");
    said(
        &["ash.csv", "strange"],
        64,
        "strange: begins with `hello`, as no known format does; readable files are hashlane run files",
    );
    said(&["ash.csv", "directory"], 64, "directory: is a directory without runs; put runs of one program");
    dir.write("directory/ash.csv", std::fs::read(dir.path("ash.csv")).expect("it is there"));
    said(
        &["ash.csv", "directory"],
        64,
        "directory/ash.csv is of sysperf, whose files are put together by host; name its files, as in directory/*",
    );
    dir.write("mixed/a.txt", "+H:16\n+F:6:sha256:1000.0\n");
    dir.write("mixed/b.txt", "{\"results\": [{\"command\": \"sum\", \"times\": [1, 2]}]}");
    said(
        &["ash.csv", "mixed"],
        64,
        "mixed: is a directory whose files are not runs of the same: mixed/a.txt is of openssl speed, mixed/b.txt of hyperfine",
    );
    said(&["ash.csv", "nowhere"], 16, "nowhere: No such file or directory");
    said(&["ash.csv", "cut.csv"], 64, "begins with `ash|20230401");
    said(&["ash.csv"], 64, "figures of one machine only: ash; name files of a second machine");
    said(&["ash_description.txt"], 64, "no figures; name files of two machines");
    dir.write("nothing", "+H:16:64\n+F:6:sha256:nan:0\n");
    said(
        &["ash.csv", "nothing"],
        64,
        "figures of one machine only: ash, and none in nothing (sha256, 16 B messages: left out: NaN is not a possible figure; and 1 more); name files of a second machine",
    );
    said(&["nothing", "ash_description.txt"], 64, "no figures in nothing (sha256, 16 B messages: ");
    said(
        &["ash.csv", "old_elm.csv", "nothing", "--reference", "nothing"],
        64,
        "--reference: nothing (sha256, 16 B messages: left out: NaN is not a possible figure; and 1 more) has no figures to compare with; name another reference",
    );
    said(&["ash.csv", "openssl"], 64, "openssl: no cell in common with ash");
    said(
        &["ash.csv", "old_elm.csv", "--reference", "oak"],
        64,
        "--reference: no machine is named oak; the machines are ash, old_elm",
    );
    said(&["ash.csv", "old_elm.csv", "-o", "ash.csv"], 64, "--output ash.csv: is also an input");
    said(&["ash.csv", "old_elm.csv", "-o", "directory"], 64, "--output directory: is a directory");
    said(&["ash.csv", "old_elm.csv", "-o", "nowhere/a.md"], 74, "nowhere/a.md: No such file or directory");
}

/// Three runs on each side, each of one sample: what they scatter by is measured.
#[test]
fn the_files_of_a_directory_are_runs_of_the_same() {
    let dir = Dir::new();
    for (side, rates) in
        [("before", [1000, 1010, 990]), ("after", [930, 940, 935]), ("alike", [985, 1005, 1000])]
    {
        for (run, rate) in rates.iter().enumerate() {
            dir.write(format!("{side}/{run}.txt"), format!("+H:16\n+F:6:sha256:{rate}\n"));
        }
        dir.write(format!("{side}/.hidden"), "no run");
    }
    let compared = json(compare(&dir, &["before", "after", "alike", "--format", "json"]));
    let means = &compared["sections"][0]["means"];
    let seen = |name: &str| entry(means, "machine", name)["to_reference"].clone();
    assert_eq!((seen("after"), seen("alike")), ("slower".into(), "no-difference-seen".into()), "{means}");
    assert_eq!(compared["machines"][0]["runs"], 3);
    let figure = &compared["sections"][0]["cells"][0]["machines"][1]["figure"];
    assert_eq!((&figure["n"], &figure["min"]), (&3.into(), &930.0.into()), "{figure}");

    // Runs that do not scatter at all were rounded: a difference of one digit is none.
    for (side, rate) in [("rounded", 1.20), ("next", 1.21), ("half", 0.60)] {
        for run in 0..3 {
            dir.write(format!("{side}/{run}.txt"), format!("+H:16\n+F:6:sha256:{rate}\n"));
        }
    }
    let compared = json(compare(&dir, &["rounded", "next", "half", "--format", "json"]));
    let means = &compared["sections"][0]["means"];
    let seen = |name: &str| entry(means, "machine", name)["to_reference"].clone();
    assert_eq!((seen("next"), seen("half")), ("no-difference-seen".into(), "slower".into()), "{means}");

    // A cell that a run lacks is left out, and JSON goes before what lies beside it.
    let google = |name: &str| {
        format!(
            "{{\"context\": {{}}, \"benchmarks\": [{{\"name\": \"BM\", \"real_time\": 2.0, \"time_unit\": \"us\"}}, {{\"name\": \"{name}\", \"real_time\": 1.0, \"time_unit\": \"us\"}}]}}"
        )
    };
    for (run, name) in ["A", "A", "B"].iter().enumerate() {
        dir.write(format!("google/{run}.json"), google(name)).write(format!("google/{run}.html"), "a page");
    }
    dir.write("one.json", google("A"));
    let ran = compare(&dir, &["google", "one.json"]).code(0);
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(printed.contains("google: 2 cells were not measured in each of its runs; left out"), "{printed}");
}

#[test]
fn what_has_no_figure_is_told_beside_what_has() {
    let dir = Dir::new();
    dir.write("one", "+H:16:64\n+F:6:sha256:1000.0:0\n")
        .write("other", "+H:16:64\n+F:6:sha256:1000.0:2000.0\n");
    let printed = String::from_utf8(compare(&dir, &["one", "other"]).code(0).stdout).unwrap();
    assert!(
        printed.contains("one: sha256, 64 B messages: left out: 0 is not a possible figure"),
        "{printed}"
    );
}

#[test]
fn the_name_of_the_output_says_the_format() {
    let dir = fixtures();
    for (name, begins) in [
        ("a.html", "<!DOCTYPE html>"),
        ("a.md", "# Comparison\n"),
        ("a.csv", "basis,cell,machine,"),
        ("a.json", "{\n  \"schema\": \"hashlane-comparison\""),
        ("a.txt", "Machines\n"),
    ] {
        compare(&dir, &["ash.csv", "old_elm.csv", "-o", name]).code(0).printed("");
        let written = String::from_utf8(dir.read(name)).unwrap();
        assert!(written.starts_with(begins), "{written}");
    }
    let page = String::from_utf8(dir.read("a.html")).unwrap();
    for outside in ["http:", "https:", "<script", "<link", "<img", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The figure of the first machine in the only cell.
fn only_figure(dir: &Dir, file: &str) -> f64 {
    let compared = json(compare(dir, &[file, file, "--format", "json"]));
    let cells = compared["sections"][0]["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 1, "{compared}");
    cells[0]["machines"][0]["figure"]["median"].as_f64().unwrap()
}

#[test]
fn what_hyperfine_writes_is_read() {
    let dir = Dir::new();
    if !have("hyperfine") {
        return;
    }
    dir.shell("hyperfine -N --runs 7 --export-json hyperfine.json true").run().code(0);
    let written: Value = serde_json::from_slice(&dir.read("hyperfine.json")).unwrap();
    let seconds = written["results"][0]["median"].as_f64().unwrap();
    let figure = only_figure(&dir, "hyperfine.json");
    assert!((figure / (seconds * 1e9) - 1.0).abs() < 1e-9, "{figure} {seconds}");
}

#[test]
fn what_fio_writes_is_read() {
    let dir = Dir::new();
    if !have("fio") {
        return;
    }
    let job =
        "fio --name=job --rw=read --bs=4k --size=1m --ioengine=psync --output-format=json --output=fio.json";
    dir.shell(job).run().code(0);
    let written: Value = serde_json::from_slice(&dir.read("fio.json")).unwrap();
    let rate = written["jobs"][0]["read"]["bw_bytes"].as_f64().unwrap();
    assert_eq!(only_figure(&dir, "fio.json"), rate);
}

#[test]
fn what_openssl_writes_is_read() {
    let dir = Dir::new();
    if !have("openssl") {
        return;
    }
    let ran = dir.shell("openssl speed -mr -seconds 1 -bytes 1024 -evp sha256").run().code(0);
    dir.write("openssl", &ran.stdout);
    let text = String::from_utf8(ran.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("+F:")).unwrap();
    let rate: f64 = line.rsplit(':').next().unwrap().parse().unwrap();
    assert_eq!(only_figure(&dir, "openssl"), rate);
}
