//! `hashlane bench machine`: programs on copies, what is proven before they are timed, sysperf's files and tables.

use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::work::{Cmd, Dir, HASHLANE, have, have_mounts, printed};

const DICTIONARY: &str = "/usr/share/dict/american-english";

/// A study of a few words that keeps its run in `run.json`.
fn bench(dir: &Dir, arguments: &[&str]) -> Cmd {
    dir.make("disk").write("words", "word\n".repeat(2_000));
    let common = ["bench", "machine", "--quick", "--budget", "1s", "-o", "run.json", "--dir", "disk"];
    dir.hashlane(common).args(arguments)
}

/// With the words as corpus.
fn with_words(dir: &Dir, arguments: &[&str]) -> Cmd {
    bench(dir, arguments).args(["--corpus", "words"])
}

const FEW: [&str; 4] = ["--copies", "1,4", "--iterations", "4,8"];

fn cells(run: &Value) -> &Vec<Value> {
    run["cells"].as_array().expect("cells")
}

/// Why the cells of a program are not measured, each reason once.
fn reasons(run: &Value, program: &str) -> Vec<String> {
    let of = |cell: &&Value| cell["cell"]["program"] == program;
    let mut reasons: Vec<_> = cells(run)
        .iter()
        .filter(of)
        .filter_map(|cell| Some(cell["not_measured"].as_str()?.to_owned()))
        .collect();
    reasons.dedup();
    reasons
}

/// A directory of programs: links to those that are there.
fn programs(dir: &Dir, names: &[&str]) -> String {
    dir.make("bin");
    for name in names {
        let found = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(name));
        let found = found.into_iter().find(|path| path.is_file()).expect("have() has found it");
        symlink(found, dir.path("bin").join(name)).expect("a link");
    }
    dir.path("bin").to_str().expect("text").to_owned()
}

#[test]
fn programs_are_measured_beside_this_engine_and_what_starting_them_costs() {
    if !have("b2sum") {
        return;
    }
    let dir = Dir::new();
    let ran = with_words(&dir, &FEW).run().code(0);
    let text = printed(&ran);
    for part in [
        "1 copy of words (10.0 kB)",
        "4 copies of words",
        "8 effective iterations: read 2 times",
        "user s",
        "MiB/s",
        "pure hash",
        "Starting a program: on an empty file",
        "Inputs: writing, syncing to the device",
        "sha512, in process",
        "read, in process",
        "Starting a program takes ",
        "The first run of b2sum on 4 copies just written, a single one, reached ",
        "The fastest program on 4 copies is ",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let run = dir.run_file();
    assert_eq!(run["study"], "machine");
    // Six programs on an empty file; these, four digests and reading in process, on two inputs twice.
    assert_eq!(cells(&run).len(), 6 + (6 + 5) * 4);
    for cell in cells(&run) {
        assert_eq!(cell["not_measured"], Value::Null, "{cell}");
        let runs = cell["cell"]["iterations"].as_u64().expect("a number");
        let bytes = cell["cell"]["input_bytes"].as_u64().expect("a size");
        for sample in cell["samples"].as_array().expect("samples") {
            assert_eq!(
                (&sample["operations"], &sample["bytes"]),
                (&runs.into(), &(runs * bytes).into()),
                "{cell}"
            );
        }
    }
    for (input, copies) in run["inputs"].as_array().expect("inputs").iter().zip([1, 4]) {
        assert_eq!((&input["copies"], &input["unit_bytes"]), (&copies.into(), &10_000.into()));
        assert!(input["first_run"]["wall_ns"].as_u64().is_some_and(|ns| ns > 0), "{input}");
    }
    let own = run["programs"]
        .as_array()
        .expect("programs")
        .iter()
        .find(|program| program["name"] == "hashlane-sum");
    let own = own.expect("this program");
    assert_eq!((&own["command"][0], &own["file"]), (&"hashlane".into(), &Value::Null));
    assert_eq!(std::fs::read_dir(dir.path("disk")).expect("a directory").count(), 0);
    let again = dir.hashlane(["report", "run.json"]).run().code(0);
    assert_eq!(printed(&again), text);
    let page = String::from_utf8(dir.read("run.html")).expect("UTF-8");
    assert!(page.contains("8 effective iterations") && page.contains("sha256sum, 4 copies"));
}

#[test]
fn the_tables_of_the_paper_are_printed() {
    if !have("b2sum") {
        return;
    }
    let dir = Dir::new();
    let arguments = ["--classic", "--mode", "programs", "--programs", "b2sum,dd"];
    let ran = with_words(&dir, &[FEW.as_slice(), &arguments].concat()).run().code(0);
    let text = printed(&ran);
    let row = |name: &str| {
        let mut rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.find(|words| words.first() == Some(&name)).unwrap_or_else(|| panic!("{name}:\n{text}"))
    };
    let head = ["name", "model", "arch", "cores", "max", "MHz", "maker", "RAM", "vintage", "bought"];
    assert_eq!(row("name"), head);
    assert_eq!(row("Bogomips").len(), 2);
    for name in ["b2sum_1_4", "b2sum_4_4", "b2sum_1_8", "b2sum_4_8", "dd_1_4", "dd_4_8"] {
        let rate: f64 = row(name)[1].replace(',', "").parse().expect("a rate");
        assert!(rate > 0.0, "{text}");
    }
    assert_eq!(cells(&dir.run_file()).len(), 2 + 2 * 4);
    let again = dir.hashlane(["report", "run.json", "--classic"]).run().code(0);
    assert_eq!(printed(&again), text);
}

#[test]
fn the_files_of_sysperf_are_read_back_with_the_same_figures() {
    if !have("b2sum") {
        return;
    }
    let dir = Dir::new();
    dir.make("out").make("other");
    let arguments = ["--mode", "programs", "--programs", "b2sum,dd", "--sysperf-dir", "out"];
    let measure = || with_words(&dir, &[FEW.as_slice(), &arguments].concat()).run().code(0);
    measure();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let names = ["{}.b2sum.csv", "DB_{}.b2sum.csv", "{}.dd.csv", "DB_{}.dd.csv", "{}_description.txt"]
        .map(|name| name.replace("{}", &host));
    let mut there: Vec<_> = std::fs::read_dir(dir.path("out"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    there.sort_unstable();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(there, expected);
    let text = |name: &str| String::from_utf8(dir.read(format!("out/{name}"))).expect("text");
    let lines = text(&names[0]);
    let mut lines = lines.lines();
    assert_eq!(
        lines.next(),
        Some(
            "Hostname|UCT Date_time|Dictionary bytes|Effective Iterations|Iterations|Number of Copies|Total size|\
             Cryptographic Hash|WallTime|UserTime|Systime|MB/Sec Wall|MB/Sec User|MB/Sec System"
        )
    );
    let fields: Vec<_> = lines.next().expect("a measurement").split('|').map(str::to_owned).collect();
    assert_eq!((fields.len(), fields[0].as_str(), fields[2].as_str()), (14, host.as_str(), "10000"));
    assert_eq!(lines.count(), 3);
    assert!(text(&names[1]).contains(&format!("\n{host}_b2sum_4_8|")));
    // The same machine under another name: two are compared.
    for name in &names {
        dir.write(format!("other/{}", name.replace(&host, "other")), text(name).replace(&host, "other"));
    }
    let mut files: Vec<String> = names.iter().map(|name| format!("out/{name}")).collect();
    files.extend(names.iter().map(|name| format!("other/{}", name.replace(&host, "other"))));
    let ran = dir.hashlane(["compare", "--format", "json"]).args(&files).run().code(0);
    let compared: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let machine = &compared["machines"][0];
    assert_eq!((&machine["name"], &machine["cells"]), (&host.as_str().into(), &8.into()));
    let remarks = machine["remarks"].as_array().expect("a list");
    assert_eq!(remarks, &["8 figures of lookup files are copies of measurements already read; counted once"]);
    let run = dir.run_file();
    assert_eq!(machine["bogomips"].is_number(), run["machine"]["bogomips"].is_number());
    for section in compared["sections"].as_array().expect("sections") {
        for cell in cells(&run).iter().filter(|cell| !cell["cell"]["copies"].is_null()) {
            let (program, copies) =
                (cell["cell"]["program"].as_str().expect("text"), &cell["cell"]["copies"]);
            let effective =
                copies.as_u64().expect("copies") * cell["cell"]["iterations"].as_u64().expect("runs");
            let copies = if copies == 1 { "1 copy".to_owned() } else { format!("{copies} copies") };
            let name = format!("{program}, {copies}, {effective} iterations");
            let mut rows = section["cells"].as_array().expect("cells").iter();
            let row =
                rows.find(|row| row["cell"] == name.as_str()).unwrap_or_else(|| panic!("{name}: {section}"));
            let read = row["machines"][0]["figure"]["median"].as_f64().expect("a rate");
            let measured = cell["figure"]["median"].as_f64().expect("a rate");
            assert!((read / measured - 1.0).abs() < 1e-5, "{name}: {read} {measured}");
        }
    }
    // Measured again, it is added; the description is of now.
    measure();
    assert_eq!(text(&names[0]).lines().count(), 10);
    assert_eq!(text(&names[4]).lines().count(), 2);
    dir.hashlane(["compare"]).args(&files).run().code(0);
}

#[test]
fn a_program_that_is_missing_or_gives_another_digest_is_named_and_the_others_go_on() {
    if !have("sha256sum") {
        return;
    }
    let dir = Dir::new();
    let path = programs(&dir, &["sha256sum", "dd"]);
    let script = |name: &str, text: &str| {
        dir.write(format!("bin/{name}"), format!("#!/bin/sh\n{text}\n"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(dir.path("bin").join(name), mode).expect("it is ours");
    };
    script("sha1sum", "echo 0123456789abcdef \"$1\"");
    script("sha512sum", "echo no room >&2; exit 3");
    let arguments = ["--mode", "programs", "--programs", "b2sum,sha1sum,sha256sum,sha512sum,dd"];
    let ran = with_words(&dir, &[FEW.as_slice(), &arguments].concat()).env("PATH", &path).run().code(0);
    let text = printed(&ran);
    let run = dir.run_file();
    assert_eq!(reasons(&run, "b2sum"), ["b2sum is not in PATH; install the package coreutils"]);
    let other = reasons(&run, "sha1sum");
    assert!(
        other.iter().all(|reason| reason.starts_with("its digest is 0123456789abcdef, but sha1 of ")),
        "{other:?}"
    );
    assert_eq!(reasons(&run, "sha512sum"), ["ended with exit status: 3: no room"]);
    for program in ["sha256sum", "dd"] {
        assert_eq!(reasons(&run, program), [""; 0]);
    }
    assert_eq!(text.matches("b2sum is not in PATH").count(), 1, "{text}");
    // The first one that is there is run first, once; what it says is not asked yet.
    assert_eq!(run["inputs"][0]["first_run"]["program"], "sha1sum");
    assert_eq!(run["inputs"][0]["first_run"]["iterations"], 1);
}

#[test]
fn output_goes_to_a_file_where_that_is_wanted() {
    if !have("dd") {
        return;
    }
    let dir = Dir::new();
    let arguments = ["--mode", "programs", "--programs", "dd,sha256sum", "--sink", "file"];
    with_words(&dir, &[FEW.as_slice(), &arguments].concat()).run().code(0);
    let run = dir.run_file();
    assert!(cells(&run).iter().all(|cell| cell["cell"]["sink"] == "file" && cell["not_measured"].is_null()));
    assert_eq!(std::fs::read_dir(dir.path("disk")).expect("a directory").count(), 0);
}

#[test]
fn iterations_that_are_fewer_than_the_copies_are_left_out_with_the_reason() {
    let dir = Dir::new();
    let arguments = ["--copies", "1,8", "--iterations", "4", "--mode", "both", "--programs", "dd"];
    with_words(&dir, &arguments).run().code(0);
    let reasons = reasons(&dir.run_file(), "dd");
    assert_eq!(
        reasons,
        ["fewer effective iterations than the 8 copies, so there would be no run; give 8 or more"]
    );
    let nothing = ["--copies", "8", "--iterations", "4", "--mode", "in-process"];
    let ran = with_words(&dir, &nothing).run().code(64);
    assert!(
        ran.stderr.contains("8 copies, so there would be no run; give 8 --iterations or more"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_way_out() {
    let dir = Dir::new();
    dir.write("nothing", "").make("locked").make("open");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let ran = bench(&dir, arguments).run().code(64);
        for part in parts {
            assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
        }
        assert!(!dir.has("run.json"), "{arguments:?}");
    };
    refused(&["--corpus", "nowhere"], &["--corpus nowhere: No such file or directory", "use random"]);
    refused(&["--corpus", "nothing"], &["--corpus nothing: is empty", "use random"]);
    refused(&["--corpus", "/dev/zero"], &["--corpus /dev/zero: is not a regular file"]);
    refused(&["--corpus", "words", "--copies", "0"], &["0 is too few"]);
    refused(&["--corpus", "words", "--iterations", "5:1:1"], &["not a range; give the smaller end first"]);
    refused(&["--corpus", "words", "--iterations", "many"], &["not a count; write it like 32, 1Kib or 1M"]);
    refused(&["--corpus", "words", "--sysperf-dir", "nowhere"], &["--sysperf-dir nowhere: "]);
    refused(&["--corpus", "words", "--programs", "md5sum"], &["possible values: b2sum, "]);
    refused(
        &["--corpus", "words", "--mode", "in-process", "--programs", "dd"],
        &["--programs: with --mode in-process no program is started; leave one of the two out"],
    );
    // What lies there under a name of sysperf's and is not of it stays as it is.
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    for name in [format!("{host}.dd.csv"), format!("{host}_description.txt")] {
        dir.make("results").write(format!("results/{name}"), "my notes\n");
        refused(
            &["--corpus", "words", "--sysperf-dir", "results"],
            &[&format!(
                "--sysperf-dir: results/{name}: exists and is not a sysperf file; name another directory"
            )],
        );
        assert_eq!(dir.read(format!("results/{name}")), b"my notes\n");
        std::fs::remove_file(dir.path(format!("results/{name}"))).expect("it is there");
    }
    // Far more than any disk has.
    let huge = std::fs::File::create(dir.path("huge")).expect("a file");
    huge.set_len(1 << 43).expect("a sparse file");
    let arguments = ["bench", "machine", "--as-published", "--dir", "disk", "--corpus", "huge", "--no-save"];
    let ran = dir.hashlane(arguments).run().code(64);
    assert!(ran.stderr.contains("--as-published: too little space: "), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("free some space, name another directory with --dir, or give fewer --copies"),
        "{}",
        ran.stderr
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o555);
    std::fs::set_permissions(dir.path("locked"), mode).expect("it is ours");
    let arguments = ["bench", "machine", "--dir", "locked", "--corpus", "words", "--quick", "--no-save"];
    let ran = dir.hashlane(arguments).without_rights().run().code(64);
    for part in ["locked: Permission denied", "name another directory with --dir"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
}

const ONE_RUN: [&str; 6] = ["--copies", "1", "--iterations", "1", "--mode", "in-process"];

#[test]
fn the_dictionary_of_the_original_is_taken_where_there_is_one() {
    let dir = Dir::new();
    bench(&dir, &ONE_RUN).run().code(0);
    let input = &dir.run_file()["inputs"][0];
    let is_there = Path::new(DICTIONARY).is_file();
    let (name, origin) =
        if is_there { ("american-english", "dictionary") } else { ("word-list", "generated") };
    assert_eq!((&input["name"], &input["origin"]), (&name.into(), &origin.into()));
}

#[test]
fn without_a_dictionary_there_is_a_word_list_which_is_said_and_never_compared_with_one() {
    let dir = Dir::new();
    let ran = bench(&dir, &[ONE_RUN.as_slice(), &["--corpus", "word-list"]].concat()).run().code(0);
    let page = String::from_utf8(dir.read("run.html")).expect("UTF-8");
    for shown in [printed(&ran), page] {
        for part in ["1 copy of word-list (generated)", "a word list that this program generates"] {
            assert!(shown.replace("\n  ", " ").contains(part), "{part}:\n{shown}");
        }
    }
    let run = dir.run_file();
    let input = &run["inputs"][0];
    assert_eq!((&input["name"], &input["origin"]), (&"word-list".into(), &"generated".into()));
    assert!(
        run["warnings"].as_array().expect("warnings").iter().any(|warning| warning["warning"] == "word-list")
    );
    dir.write("generated.json", dir.read("run.json"));
    // A file that is called as the list is other work all the same: its content is another one.
    dir.write("word-list", "word\n".repeat(2_000));
    bench(&dir, &[ONE_RUN.as_slice(), &["--corpus", "./word-list"]].concat()).run().code(0);
    dir.write("file.json", dir.read("run.json"));
    let ran = dir.hashlane(["compare", "generated.json", "file.json", "--format", "json"]).run().code(0);
    let compared: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    for section in compared["sections"].as_array().expect("sections") {
        assert_eq!(section["means"].as_array().expect("means").len(), 0, "{section}");
        for cell in section["cells"].as_array().expect("cells") {
            let other = cell["machines"][1]["other_work"].to_string();
            assert!(other.contains("SHA-256 of the input"), "{cell}");
        }
    }
    with_words(&dir, &ONE_RUN).run().code(0);
    let ran = dir.hashlane(["compare", "generated.json", "run.json"]).run().code(64).printed("");
    assert!(ran.stderr.contains("no cell in common"), "{}", ran.stderr);
}

#[test]
fn a_system_without_dictionaries_is_measured_all_the_same() {
    if !have_mounts() || !Path::new("/usr/share/dict").is_dir() {
        return;
    }
    let dir = Dir::new();
    dir.make("disk");
    let script = "mount -t tmpfs -o size=64k none /usr/share/dict && exec \"$0\" bench machine --quick --budget 1s --dir disk \
                  --copies 1 --iterations 1 --mode in-process -o run.json";
    dir.command("unshare", ["--mount", "sh", "-c", script, HASHLANE]).run().code(0);
    assert_eq!(dir.run_file()["inputs"][0]["origin"], "generated");
}

#[test]
fn as_published_says_first_what_it_takes_and_can_be_stopped() {
    if !have("b2sum") {
        return;
    }
    let dir = Dir::new();
    dir.make("disk").write("words", "word\n".repeat(20));
    let arguments =
        ["bench", "machine", "--as-published", "--dir", "disk", "--corpus", "words", "-o", "run.json"];
    let mut running = dir.hashlane(arguments).interruptible().start();
    // 100 bytes, 31 Kib times, by five programs, on both numbers of copies.
    running.wait_for("as published: writes 51.3 kB, has 5 programs read 31.7 MB, and takes about ");
    running.signal(Signal::INT);
    let ran = running.wait().died_by(Signal::INT);
    assert!(ran.stderr.contains("stopped before the end of the first round"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(dir.path("disk")).expect("a directory").count(), 0);
    let random = ["bench", "machine", "--as-published", "--copies", "2", "--no-save"];
    dir.hashlane(random).run().code(64);
}

#[test]
fn a_sample_that_would_take_days_can_be_stopped() {
    if !have("dd") {
        return;
    }
    let dir = Dir::new();
    let endless = ["--copies", "1", "--iterations", "1000000000", "--mode", "programs", "--programs", "dd"];
    let mut running = with_words(&dir, &endless).interruptible().start();
    running.wait_for("test files go to disk");
    // The first sample is under way when its program runs.
    while !running.has_child("dd") {
        std::thread::yield_now();
    }
    running.signal(Signal::INT);
    running.wait().died_by(Signal::INT);
    assert_eq!(std::fs::read_dir(dir.path("disk")).expect("a directory").count(), 0);
}
