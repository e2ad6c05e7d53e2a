//! `hashlane bench`, `report` and `compare`: what they leave, what they say, what they make of bad input.

use std::fs;
use std::sync::LazyLock;

use rustix::process::Signal;
use serde_json::Value;

use crate::work::{Dir, Ran, Running};

/// A short check-up; its run is in `run.json`, its page in `run.html`.
fn bench(dir: &Dir, more: &[&str]) -> Ran {
    let arguments = ["bench", "--quick", "--budget", "1s", "--path", "disk", "-o", "run.json"];
    dir.hashlane(arguments).args(more).run()
}

/// What a check-up printed and left.
struct Measured {
    printed: Vec<u8>,
    run: Vec<u8>,
    page: Vec<u8>,
    /// The names beside the run and its page, and those where the test files were.
    left: [Vec<String>; 2],
}

/// For tests of what is done with them: one check-up serves them all.
static MEASURED: LazyLock<Measured> = LazyLock::new(|| {
    let dir = Dir::new();
    dir.make("disk");
    let ran = bench(&dir, &["--plot"]).code(0);
    let left = [".", "disk"].map(|below| names(&dir, below));
    Measured { printed: ran.stdout, run: dir.read("run.json"), page: dir.read("run.html"), left }
});

/// A directory with a run in `run.json` and its page in `run.html`.
pub(crate) fn measured() -> Dir {
    let dir = Dir::new();
    dir.write("run.json", &MEASURED.run).write("run.html", &MEASURED.page);
    dir
}

/// A short study, which is kept as any is.
const STUDY: &str = "bench speed --quick --budget 1s -a md5 --size 1KiB";

/// It, with its run in `run.json` and its page in `run.html`: what a run is kept by is the same for all of them.
fn study(dir: &Dir, more: &[&str]) -> Ran {
    dir.hashlane(STUDY.split(' ')).args(["-o", "run.json"]).args(more).run()
}

/// One that is to be stopped before its end.
fn long_bench(dir: &Dir) -> Running {
    let arguments =
        ["bench", "--quick", "--budget", "10m", "--path", "disk", "-o", "run.json", "--progress", "json"];
    dir.hashlane(arguments).interruptible().start()
}

fn names(dir: &Dir, below: &str) -> Vec<String> {
    let entries = fs::read_dir(dir.path(below)).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_check_up_prints_tables_keeps_the_run_and_leaves_no_test_files() {
    let dir = measured();
    let printed = String::from_utf8_lossy(&MEASURED.printed).into_owned();
    for part in [
        "Memory",
        "Digest ceilings",
        "sha256",
        "Reading and writing files",
        "write and sync",
        "Reading and digesting one large file, and ",
        "many, all",
        "sha256, many files, warm, ",
        "sha256 of many warm files of 1 MiB comes to ",
        "of ceiling",
        "Many small files",
        "files/s",
        "sha256 of a warm file ",
        "█",
    ] {
        assert!(printed.contains(part), "{part}:\n{printed}");
    }
    assert!(!printed.contains("inf") && !printed.contains("NaN"), "{printed}");
    let [beside, disk] = &MEASURED.left;
    assert_eq!(*disk, [""; 0]);
    assert_eq!(*beside, ["disk", "run.html", "run.json"]);
    let run = dir.run_file();
    let cells = run["cells"].as_array().expect("cells").len();
    assert!(cells > 20, "{cells}");
    assert_eq!((&run["schema"], &run["schema_version"]), (&"hashlane-run".into(), &3.into()));
    assert_eq!(run["complete"], true);
    // What is printed is what the file says.
    let again = dir.hashlane(["report", "run.json", "--plot"]).run().code(0);
    assert_eq!(again.stdout, MEASURED.printed);
    dir.hashlane(["report", "run.json", "-o", "again.html"]).run().code(0).printed("");
    assert_eq!(dir.read("again.html"), dir.read("run.html"));
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let dir = measured();
    let page = String::from_utf8(dir.read("run.html")).expect("UTF-8");
    for outside in ["http:", "https:", "<script", "<link", "<img", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for part in [
        "<title>Check-up: ",
        "Ceilings and pipelines",
        "Reading by block size",
        "<svg",
        "prefers-color-scheme",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn json_is_the_run_and_nothing_else() {
    let dir = Dir::new();
    let ran = study(&dir, &["--json"]).code(0);
    assert_eq!(ran.stdout, dir.read("run.json"));
    assert!(!dir.run_file()["cells"].as_array().expect("cells").is_empty());
}

#[test]
fn two_runs_are_compared_cell_by_cell() {
    let dir = measured();
    dir.write("other.json", dir.read("run.json"));
    let ran = dir.hashlane(["compare", "run.json", "other.json", "--wide"]).run().code(0);
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(printed.contains("100.00 %") && !printed.contains("slower beyond doubt:"), "{printed}");
    // Both were measured on this host: their files tell them apart.
    let host = dir.run_file()["host"].as_str().expect("a host").to_owned();
    assert!(
        printed.contains(&format!("Slower in {host} (other.json) than in {host} (run.json)")),
        "{printed}"
    );
    let json = dir.hashlane(["compare", "run.json", "other.json", "--format", "json"]).run().code(0).stdout;
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["machines"][0]["cells_not_shared"], 0);
    assert_eq!(json["machines"][1]["relation_to_reference"], "same-machine");
}

#[test]
fn a_run_has_a_name_and_tells_its_host_unless_it_is_not_to() {
    let dir = Dir::new();
    let ran = study(&dir, &["--name", "before the change"]).code(0);
    let run = dir.run_file();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("it has a name").trim().to_owned();
    assert_eq!((&run["name"], &run["host"]), (&"before the change".into(), &host.as_str().into()));
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(printed.starts_with(&format!("run before the change, host {host}\n")), "{printed}");
    assert!(String::from_utf8_lossy(&dir.read("run.html")).contains("before the change"));
    dir.write("first.json", dir.read("run.json"));
    study(&dir, &["--no-host-name"]).code(0);
    let run = dir.run_file();
    assert_eq!((&run["name"], &run["host"]), (&Value::Null, &Value::Null));
    // A host may be called as something else is that stands there, a kernel say.
    for kept in ["run.json", "run.html"] {
        let text = String::from_utf8_lossy(&dir.read(kept)).into_owned();
        assert!(!text.contains("\"host\"") && !text.contains("<dt>host</dt>"), "{kept} names the host");
    }
    assert!(String::from_utf8_lossy(&dir.read("first.json")).contains("\"host\""));
    let compared =
        dir.hashlane(["compare", "first.json", "run.json", "--format", "json"]).run().code(0).stdout;
    let compared: Value = serde_json::from_slice(&compared).expect("JSON");
    let name = |at: usize| compared["machines"][at]["name"].as_str().expect("a name").to_owned();
    assert_eq!((name(0), name(1)), ("before the change".to_owned(), "run.json".to_owned()));
    for wrong in ["", "a\nb"] {
        dir.hashlane(["bench", "--quick", "--no-save", "--name", wrong]).run().code(64).printed("");
    }
}

#[test]
fn a_run_file_that_cannot_be_trusted_is_refused() {
    let dir = measured();
    let text = String::from_utf8(dir.read("run.json")).expect("UTF-8");
    // An editor may have put a mark before it.
    dir.write("marked.json", format!("\u{feff}{text}"));
    dir.hashlane(["report", "marked.json"]).run().code(0);
    let said = |content: &str, message: &str| {
        dir.write("bad.json", content);
        for command in [["report", "bad.json", "--plot"].as_slice(), &["compare", "run.json", "bad.json"]] {
            let ran = dir.hashlane(command).run().code(64).printed("");
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
        }
    };
    dir.write("bad.json", "");
    let empty = dir.hashlane(["compare", "run.json", "bad.json"]).run().code(64).printed("");
    assert!(empty.stderr.contains("bad.json: is empty"), "{}", empty.stderr);
    said("{", "bad.json: not a run file, or a truncated one");
    said(&text[..text.len() / 2], "bad.json: not a run file, or a truncated one");
    said("{\"schema\": \"fio\"}", "bad.json: not a run file: its schema is \"fio\"");
    said(&text.replace("\"schema_version\": 3", "\"schema_version\": 99"), "schema version 99");
    said(&text.replacen("\"median\": ", "\"median\": 1", 1), "was edited");
    let (before, share) = text.split_once("\"largest_share\": ").expect("it is in every run");
    let (_, after) = share.split_once('\n').expect("something follows");
    let endless = format!("{before}\"largest_share\": 1e308\n{after}");
    said(&endless, "was edited: no run contains a number like 1e+308; measure again");
    dir.write("hyperfine.json", "{\"results\": [{\"command\": \"sum\", \"times\": [1, 2]}]}");
    let other = dir.hashlane(["report", "hyperfine.json"]).run().code(64).printed("");
    other.said(&[
        "hyperfine.json: not a run but a file of hyperfine; `hashlane compare` reads it, together with others",
    ]);
    dir.hashlane(["report", "nowhere.json"])
        .run()
        .code(16)
        .said(&["nowhere.json: No such file or directory"]);
}

#[test]
fn a_place_that_cannot_be_used_is_said_before_anything_is_measured() {
    let dir = Dir::new();
    dir.make("disk").write("file", "");
    let said = |arguments: &[&str], code: i32, message: &str| {
        let ran = dir.hashlane(["bench", "--quick"]).args(arguments).run().code(code).printed("");
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    };
    said(&["--path", "nowhere"], 64, "--path nowhere: No such file or directory");
    said(&["--path", "file"], 64, "--path file: is not a directory");
    said(
        &["--path", "disk", "-o", "nowhere/run.json"],
        74,
        "nowhere: No such file or directory: the run cannot be saved",
    );
    said(&["--path", "disk", "--runs", "file"], 74, "file: ");
    said(&["--path", "disk", "-o", "disk"], 64, "--output disk: is a directory");
    said(
        &["--path", "disk", "-o", "-"],
        64,
        "--output -: standard output is not a run file; --json prints the run",
    );
    said(&["--path", "disk", "-o", "run.html"], 64, "--output run.html: is the name of the page");
    dir.write("mine.html", "<title>mine</title>");
    said(&["--path", "disk", "-o", "mine.json"], 64, "the page would replace mine.html, which is not a page");
    assert_eq!(dir.read("mine.html"), b"<title>mine</title>");
    said(&["--budget", "soon"], 64, "not a time; write it like 90s");
}

#[test]
fn without_the_right_to_write_the_rest_is_measured() {
    let dir = Dir::new();
    dir.make("disk");
    fs::set_permissions(dir.path("disk"), std::os::unix::fs::PermissionsExt::from_mode(0o555))
        .expect("chmod");
    let arguments = ["bench", "--quick", "--budget", "1s", "--path", "disk", "--no-save", "--json"];
    let ran = dir.hashlane(arguments).without_rights().run().code(0);
    let run: Value = serde_json::from_slice(&ran.stdout).expect("a run");
    let cells = run["cells"].as_array().expect("cells");
    let of =
        |stage: &str| cells.iter().find(|cell| cell["cell"]["stage"] == stage).expect("it is always a cell");
    assert!(of("write")["not_measured"].as_str().is_some_and(|why| why.contains("Permission denied")));
    assert!(ran.stderr.contains("disk: Permission denied: files cannot be measured there"), "{}", ran.stderr);
    assert!(of("digest")["figure"]["median"].as_f64().is_some_and(|rate| rate > 0.0));
}

#[test]
fn files_in_memory_have_no_cold_figure_and_that_is_said() {
    let memory = tempfile::Builder::new().tempdir_in("/dev/shm").expect("a directory in memory");
    let dir = Dir::new();
    let path = memory.path().to_str().expect("UTF-8");
    let ran = dir.hashlane(["bench", "--quick", "--budget", "1s", "--no-save", "--path", path]).run().code(0);
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(printed.contains("keeps its files in memory, so cold figures are not possible"), "{printed}");
    let reason = "Cold files were not measured: not possible here: tmpfs keeps its files in memory.";
    assert!(printed.contains(reason), "{printed}");
}

#[test]
fn an_interrupted_run_is_kept_as_far_as_it_came() {
    let dir = Dir::new();
    dir.make("disk");
    let mut running = long_bench(&dir);
    running.wait_for_round();
    running.signal(Signal::INT);
    let ran = running.wait().died_by(Signal::INT);
    assert!(ran.stderr.contains("the run is in run.json"), "{}", ran.stderr);
    assert_eq!(names(&dir, "disk"), [""; 0]);
    let run = dir.run_file();
    assert!(ran.stderr.contains("\"schema\":\"hashlane-bench-progress\""), "{}", ran.stderr);
    assert_eq!(run["complete"], false);
    let warnings = run["warnings"].as_array().expect("warnings");
    assert!(warnings.iter().any(|warning| warning["warning"] == "interrupted"), "{warnings:?}");
}

#[test]
fn of_a_run_without_a_round_nothing_is_kept() {
    let dir = Dir::new();
    dir.make("disk");
    let mut running = long_bench(&dir);
    running.wait_for("test files go to");
    running.signal(Signal::INT);
    let ran = running.wait().died_by(Signal::INT);
    assert!(ran.stderr.contains("stopped before the end of the first round"), "{}", ran.stderr);
    assert_eq!(names(&dir, "."), ["disk"]);
    assert_eq!(names(&dir, "disk"), [""; 0]);
}

#[test]
fn runs_of_the_same_second_are_both_kept() {
    let dir = Dir::new();
    dir.make("disk");
    let run = || dir.hashlane(STUDY.split(' ')).args(["--runs", "runs", "--progress", "never"]);
    let (first, second) = (run().start(), run().start());
    first.wait().code(0);
    second.wait().code(0);
    let kept = names(&dir, "runs");
    assert_eq!(kept.iter().filter(|name| name.ends_with(".json")).count(), 2, "{kept:?}");
    assert_eq!(kept.iter().filter(|name| name.ends_with(".html")).count(), 2, "{kept:?}");
}

#[test]
fn another_run_is_not_replaced_by_a_page_or_a_comparison() {
    let dir = measured();
    let text = dir.read("run.json");
    dir.write("other.json", &text).write("third.json", &text).write("old.html", "old");
    let why = "--output third.json: is a run, which cannot be measured again; name another file";
    dir.hashlane(["report", "run.json", "-o", "third.json"]).run().code(64).said(&[why]);
    dir.hashlane(["compare", "run.json", "other.json", "-o", "third.json"]).run().code(64).said(&[why]);
    assert_eq!(dir.read("third.json"), text);
    // What can be made again may be replaced.
    for _ in 0..2 {
        dir.hashlane(["report", "run.json", "-o", "old.html"]).run().code(0);
        dir.hashlane(["compare", "run.json", "other.json", "-o", "compared.json"]).run().code(0);
    }
    assert_ne!(dir.read("old.html"), b"old");
}

#[test]
fn a_run_is_not_replaced_by_its_page() {
    let dir = measured();
    let before = dir.read("run.json");
    std::os::unix::fs::symlink("run.json", dir.path("link.json")).expect("symlink");
    for name in ["run.json", "link.json"] {
        let ran = dir.hashlane(["report", "run.json", "-o", name]).run().code(64);
        assert!(ran.stderr.contains("is the run itself"), "{}", ran.stderr);
    }
    assert_eq!(dir.read("run.json"), before);
    let page = dir.hashlane(["report", "run.json", "-o", "-"]).run().code(0).stdout;
    assert_eq!(page, dir.read("run.html"));
}

#[test]
fn what_was_measured_is_printed_even_if_it_cannot_be_kept() {
    let dir = Dir::new();
    let ran = dir.hashlane(STUDY.split(' ')).args(["-o", "/dev/full"]).run().code(74);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("md5"), "{:?}", ran.stdout);
    assert!(
        ran.stderr.contains("/dev/full: No space left on device: the run cannot be saved"),
        "{}",
        ran.stderr
    );
    // A pipe or a device takes the run, and no page is made beside it.
    let ran = dir.shell(&format!("\"$0\" {STUDY} -o /dev/stderr 2>run.json")).run().code(0);
    assert!(!ran.stdout.is_empty());
    assert!(!std::path::Path::new("/dev/stderr.html").exists());
}

#[test]
fn what_a_killed_run_leaves_is_named_and_removed_by_the_next() {
    let dir = Dir::new();
    dir.make("disk");
    let mut running = long_bench(&dir);
    running.wait_for("\"share\":");
    running.signal(Signal::KILL);
    running.wait().died_by(Signal::KILL);
    let left = names(&dir, "disk");
    // The tree of small files, and that of many.
    assert_eq!(left.len(), 2, "{left:?}");
    let mut next = long_bench(&dir);
    next.wait_for("\"share\":");
    next.signal(Signal::INT);
    let ran = next.wait().died_by(Signal::INT);
    for name in &left {
        let said = format!("removed a leftover of a killed run: disk/{name}");
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    assert_eq!(names(&dir, "disk"), [""; 0]);
}

#[test]
fn without_a_home_the_run_is_printed_and_not_kept() {
    let dir = Dir::new();
    let ran = dir.shell(&format!("unset HOME XDG_STATE_HOME; \"$0\" {STUDY}")).run().code(0);
    assert!(ran.stderr.contains("the run will not be saved: HOME is not set"), "{}", ran.stderr);
    // With one it goes where the XDG specification puts it.
    let ran = dir.shell(&format!("HOME=$PWD XDG_STATE_HOME= \"$0\" {STUDY}")).run().code(0);
    assert!(ran.stderr.contains(".local/state/hashlane/runs/"), "{}", ran.stderr);
    assert_eq!(names(&dir, ".local/state/hashlane/runs").len(), 2);
}
