//! The studies of `hashlane bench`: what they measure, refuse, and print in old layouts.

use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::work::{Cmd, Dir, printed};

/// A study that keeps its run in `run.json`.
fn bench(dir: &Dir, arguments: &[&str]) -> Cmd {
    dir.hashlane(["bench"]).args(arguments).args(["--quick", "--budget", "1s", "-o", "run.json"])
}

/// The printed rows whose first word is `name`, as words.
fn rows(text: &str, name: &str) -> Vec<Vec<String>> {
    let words = text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    words.filter(|words| words.first().is_some_and(|first| first == name)).collect()
}

fn reasons(run: &Value) -> Vec<(String, String)> {
    let cells = run["cells"].as_array().expect("cells").iter();
    let of = |cell: &Value| {
        let reason = cell["not_measured"].as_str()?.to_owned();
        Some((cell["cell"]["program"].as_str()?.to_owned(), reason))
    };
    cells.filter_map(of).collect()
}

#[test]
fn speed_prints_every_size_and_nothing_that_is_no_number() {
    let dir = Dir::new();
    // Forced to a backend without lanes there would be nothing side by side.
    let arguments = ["speed", "-a", "sha256,xxh3", "--size", "10kB,64,64,1KiB", "--form", "both"];
    let ran = bench(&dir, &arguments).unforced().run();
    let text = printed(&ran.code(0));
    for part in ["sha256: one message by ", "xxh3: one message by ", "cycles/B", "Cycles ", "side by side"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    // Both algorithms, each size once, from the smallest.
    let is_row = |line: &&str| line.starts_with("  ") && line.contains("B/s ") && !line.contains("interval");
    let sizes: Vec<_> = text.lines().filter(is_row).map(|line| line[2..9].trim()).collect();
    assert_eq!(sizes, ["64 B", "1 KiB", "10 kB", "64 B", "1 KiB", "10 kB"], "{text}");
    let run = dir.run_file();
    assert_eq!((&run["study"], &run["complete"]), (&"speed".into(), &true.into()));
    let again = dir.hashlane(["report", "run.json"]).run().code(0);
    assert_eq!(printed(&again), text);
    let rows = dir.hashlane(["report", "run.json", "--format", "csv"]).run().code(0);
    assert_eq!(rows.lines().len(), 1 + run["cells"].as_array().expect("cells").len());
    dir.hashlane(["report", "run.json", "--format", "prometheus", "-o", "run.prom"])
        .run()
        .code(0)
        .printed("");
    let gauges = String::from_utf8(dir.read("run.prom")).expect("text");
    assert!(
        gauges.contains("hashlane_bytes_per_second{study=\"speed\",stage=\"digest\",algorithm=\"sha256\""),
        "{gauges}"
    );
    let page = String::from_utf8(dir.read("run.html")).expect("UTF-8");
    for outside in ["http:", "https:", "<script", "<link", "<img", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("<polyline") && page.contains("One message after the other"));
}

#[test]
fn speed_prints_the_table_of_hashbench() {
    let dir = Dir::new();
    let arguments = [
        "bench",
        "speed",
        "--as-published",
        "--classic",
        "--budget",
        "1s",
        "-o",
        "run.json",
        "--no-calibrate",
    ];
    let ran = dir.hashlane(arguments).run().code(0);
    assert_eq!(
        ran.messages()[0],
        "as published: 100 messages per timing, 15 cells; takes at most 1 s and writes nothing"
    );
    let text = printed(&ran);
    assert_eq!(rows(&text, "md4"), [["md4", "tiger", "md5"]]);
    let run = dir.run_file();
    for (name, bytes) in
        [("100", 100), ("1KB", 1 << 10), ("10KB", 10_000), ("100KB", 100_000), ("1MB", 1 << 20)]
    {
        let row = &rows(&text, name)[0];
        assert_eq!(row.len(), 4, "{text}");
        // 100 times less than the rate, in thousands of bytes.
        let cell = run["cells"]
            .as_array()
            .expect("cells")
            .iter()
            .find(|cell| cell["cell"]["algorithm"] == "md5" && cell["cell"]["block_bytes"] == bytes);
        let figure = &cell.expect("it was measured")["figure"]["median"];
        let rate = figure.as_f64().expect("a number") / 1e5;
        let shown: f64 = row[3].replace(',', "").parse().expect("a number");
        assert!((shown / rate - 1.0).abs() < 0.01, "{shown} {rate}");
    }
    assert!(text.contains("100 times less than the rate"), "{text}");
    let again = dir.hashlane(["report", "run.json", "--classic"]).run().code(0);
    assert_eq!(printed(&again), text);
}

#[test]
fn speed_says_on_how_many_threads_and_in_which_form() {
    let dir = Dir::new();
    let common = ["speed", "--size", "1KiB", "-a", "md5", "--wide"];
    let threads = bench(&dir, &[common.as_slice(), &["--threads", "2", "--form", "single"]].concat()).run();
    let text = printed(&threads.code(0));
    // On a machine of one core it is that one.
    let cores = &dir.run_file()["machine"]["processor"]["cores"];
    assert_eq!(text.contains("one core"), *cores == 1, "{text}");
    assert_eq!(text.contains("md5, all cores: a message of 1 KiB takes "), *cores == 2, "{text}");
    let lanes = ["speed", "--size", "1KiB,1GiB", "-a", "md5,xxh3", "--form", "lanes", "--wide"];
    let text = printed(&bench(&dir, &lanes).unforced().run().code(0));
    assert!(text.contains("xxh3, 1 thread: not measured: it has no lanes here: "), "{text}");
    assert!(text.contains("md5, side by side: a message of 1 KiB takes "), "{text}");
    assert!(text.contains("side by side, such messages take more than 64 MiB per core"), "{text}");
}

#[test]
fn speed_refuses_what_is_no_message() {
    let dir = Dir::new();
    for size in ["0", "2GiB", "many", "-1"] {
        let ran = dir.hashlane(["bench", "speed", &format!("--size={size}")]).run().code(64);
        assert!(ran.stderr.contains("--size"), "{}", ran.stderr);
    }
    dir.hashlane(["bench", "--quick", "speed"]).run().code(64);
    dir.hashlane(["bench", "speed", "--threads", "0"]).run().code(64);
}

/// A library made of C.
fn library(dir: &Dir, name: &str, source: &Path) {
    let build = format!("cc -O2 -Wall -Wextra -Werror -shared -fPIC -o {name} '{}'", source.display());
    dir.shell(&build).run().code(0);
}

#[test]
fn the_plugin_that_is_shipped_is_measured_beside_the_others() {
    let dir = Dir::new();
    library(&dir, "fnv1a.so", &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/plugin/fnv1a.c"));
    let ran = bench(&dir, &["speed", "-a", "crc32", "--size", "16,1KiB", "--plugin", "fnv1a=fnv1a.so"]).run();
    let text = printed(&ran.code(0));
    assert!(
        text.contains("fnv1a: a function of a plugin") && text.contains("fnv1a: a message of 16 B takes "),
        "{text}"
    );
    let run = dir.run_file();
    let cells = run["cells"].as_array().expect("cells").iter();
    let theirs: Vec<_> = cells.filter(|cell| cell["cell"]["program"] == "fnv1a").collect();
    assert_eq!(theirs.len(), 2);
    assert!(theirs.iter().all(|cell| cell["figure"]["median"].as_f64().is_some_and(|rate| rate > 0.0)));
}

#[test]
fn a_plugin_that_cannot_be_called_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    dir.write(
        "bad.c",
        "#include <stdlib.h>\nvoid test_bad(char *buf, int size) { if (buf && size > 100) abort(); }\n",
    );
    library(&dir, "bad.so", &dir.path("bad.c"));
    let refused = |plugin: &[&str], why: &str| {
        let mut arguments = vec!["speed", "-a", "crc32", "--size", "16,1KiB"];
        for plugin in plugin {
            arguments.extend(["--plugin", plugin]);
        }
        let ran = bench(&dir, &arguments).run().code(64);
        assert!(ran.stderr.contains(why), "{plugin:?}: {}", ran.stderr);
        assert!(!dir.has("run.json"));
    };
    refused(&["bad=bad.so"], "--plugin bad: with a message of 1024 bytes it dies by SIGABRT");
    refused(&["good=bad.so"], "has no function `test_good`");
    // What the loader says of it: another word in another C library.
    for file in ["bad.c", "none.so"] {
        let ran = bench(&dir, &["speed", "--plugin", &format!("bad={file}")]).run().code(64);
        let (_, said) = ran.stderr.split_once(&format!("{file}: cannot be loaded: ")).expect("a reason");
        assert!(said.contains(file), "{said}");
    }
    refused(&["crc32=bad.so"], "this name is already used");
    refused(&["bad"], "no file; write it like");
    refused(&["a b=bad.so"], "is not the name of a C function");
}

#[test]
fn a_plugin_that_does_harm_when_it_is_loaded_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    let mut refused = 0;
    for (name, body, why) in [
        ("abort", "abort();", "dies by SIGABRT; fix it, or leave it out"),
        ("crash", "static char *volatile nowhere; *nowhere = 1;", "dies by SIGSEGV; fix it, or leave it out"),
        ("exit", "exit(0);", "ends the program with exit status 0; it must return"),
        (
            "print",
            "puts(\"noise\");",
            "prints something; it must be silent, because results go to standard output",
        ),
        // The limit for one that does not return is a test of the library's.
        ("killed", "raise(SIGKILL);", "dies by SIGKILL; fix it, or leave it out"),
    ] {
        for when in ["constructor", "destructor"] {
            let file = format!("{name}-{when}");
            let source = format!(
                "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                 __attribute__(({when})) static void run(void) {{ {body} }}\n\
                 void test_{name}(char *buf, int size) {{ buf[size - 1]++; }}\n"
            );
            dir.write(format!("{file}.c"), source);
            library(&dir, &format!("{file}.so"), &dir.path(format!("{file}.c")));
            let plugin = format!("{name}={file}.so");
            let ran =
                bench(&dir, &["speed", "-a", "crc32", "--size", "16", "--plugin", &plugin]).run().code(64);
            ran.printed("").said(&[&format!("--plugin {file}.so: its {when} {why}")]);
            assert!(!dir.has("run.json"));
            refused += 1;
        }
    }
    println!("{refused} libraries refused that do harm when they are loaded or unloaded");
}

#[test]
fn a_check_up_has_no_old_layout() {
    crate::bench::measured()
        .hashlane(["report", "run.json", "--classic"])
        .run()
        .code(64)
        .printed("")
        .said(&["run.json: --classic: the study `check-up` has no original; leave out --classic"]);
}

/// The example of the documentation.
fn source() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/variants/sha256.c");
    path.to_str().expect("text").to_owned()
}

#[test]
fn builds_with_other_options_are_compared_and_give_the_same() {
    let dir = Dir::new();
    dir.make("disk").make("o2").make("o3");
    let build = |level: &str| format!("cc -O{level} -frecord-gcc-switches -o sum '{}'", source());
    let (o2, o3) = (build("2"), build("3"));
    let arguments = [
        "variant",
        "./sum",
        "./sum",
        "sha256sum {}",
        "--name",
        "O2",
        "--name",
        "O3",
        "--name",
        "coreutils",
        "--setup",
        &o2,
        "--setup",
        &o3,
        "--build-dir",
        "o2",
        "--build-dir",
        "o3",
        "--sizes",
        "100kB,1MB",
        "--dir",
        "disk",
    ];
    let ran = bench(&dir, &arguments).run().code(0);
    let text = printed(&ran);
    for part in ["A file of 100 kB", "A file of 1 MB", "real", "user", "sys", "What ran", "O3 ", "coreutils "]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let run = dir.run_file();
    assert_eq!(reasons(&run), []);
    let programs = run["programs"].as_array().expect("programs");
    assert_eq!(programs.len(), 3);
    assert_eq!(programs[0]["setup"], o2.as_str());
    for program in programs {
        assert_eq!(program["sha256"].as_str().map(str::len), Some(64), "{program}");
    }
    assert!(programs[0]["compilers"][0].is_string(), "{programs:?}");
    assert_ne!(programs[0]["sha256"], programs[1]["sha256"]);
    // Every round has timed every variant, and nothing is left of the files.
    for cell in run["cells"].as_array().expect("cells") {
        let samples = cell["samples"].as_array().expect("samples");
        assert!(!samples.is_empty() && samples.iter().all(|sample| sample["user_ns"].is_u64()));
        let input = cell["cell"]["input_bytes"].as_u64().expect("a size");
        assert!(samples.iter().all(|sample| sample["bytes"] == input));
    }
    assert_eq!(std::fs::read_dir(dir.path("disk")).expect("a directory").count(), 0);
    let classic = dir.hashlane(["report", "run.json", "--classic"]).run().code(0);
    let row = &rows(&printed(&classic), "O3")[0];
    assert_eq!(row.len(), 3, "{row:?}");
    assert!(row[1..].iter().all(|times| times.split('/').count() == 3), "{row:?}");
}

#[test]
fn a_variant_that_fails_hangs_or_gives_something_else_is_named_and_the_others_go_on() {
    let dir = Dir::new();
    dir.make("disk");
    let arguments = [
        "variant",
        "sha256sum",
        "sha1sum",
        "sh -c 'exit 3'",
        "sh -c 'sleep 600'",
        "true",
        "no-such-program",
        "--name=right",
        "--name=other",
        "--name=fails",
        "--name=hangs",
        "--name=silent",
        "--name=absent",
        "--timeout",
        "1s",
        "--sizes",
        "10kB",
        "--dir",
        "disk",
    ];
    let ran = bench(&dir, &arguments).run().code(16);
    printed(&ran);
    assert!(ran.stderr.contains("failed: absent, fails, hangs, other, silent; "), "{}", ran.stderr);
    let reasons = reasons(&dir.run_file());
    let reason = |name: &str| {
        reasons.iter().find(|(of, _)| of == name).map(|(_, reason)| reason.clone()).unwrap_or_default()
    };
    assert_eq!(reason("right"), "");
    assert!(reason("other").contains(", but that of right was "), "{reasons:?}");
    assert_eq!(reason("fails"), "ended with exit status: 3");
    assert_eq!(reason("hangs"), "sh: does not end within 1 s");
    assert!(reason("silent").starts_with("it prints no sequence of 8 hexadecimal digits"), "{reasons:?}");
    assert!(reason("absent").starts_with("no-such-program: cannot be started: "), "{reasons:?}");
}

#[test]
fn a_variant_that_once_gives_something_else_has_no_figure() {
    let dir = Dir::new();
    dir.make("disk").make("build");
    // Where nobody has counted yet there is nothing to be added to.
    let counted = |then: &str| {
        format!(
            "sh -c 'echo >>\"$0\"; if [ $(wc -l <\"$0\") -eq 3 ]; then {then}; else sha256sum \"$1\"; fi' COUNT {{}}"
        )
    };
    let command = |name: &str, then: &str| counted(then).replace("COUNT", &dir.path(name).to_string_lossy());
    let (other, fails) = (command("other", "echo deadbeefdeadbeef"), command("fails", "exit 5"));
    let arguments = [
        "variant",
        "sha256sum",
        &other,
        &fails,
        "--name=right",
        "--name=other",
        "--name=fails",
        "--build-dir=build",
        "--build-dir=",
        "--sizes=10kB",
        "--dir=disk",
    ];
    printed(&bench(&dir, &arguments).run().code(16));
    let reasons = reasons(&dir.run_file());
    let reason = |name: &str| reasons.iter().find(|(of, _)| of == name).map(|(_, reason)| reason.as_str());
    assert_eq!(reason("right"), None);
    let is_of = |name: &str, why: &str| reason(name).is_some_and(|reason| reason.starts_with(why));
    // The first of its runs was not timed.
    assert!(
        is_of("other", "in round 2: its result is deadbeefdeadbeef, but that of right was "),
        "{reasons:?}"
    );
    assert!(is_of("fails", "in round 2: ended with exit status: 5"), "{reasons:?}");
}

#[test]
fn a_command_that_is_none_is_told_from_an_empty_one() {
    let dir = Dir::new();
    let empty = "a command is empty; name a program, and its arguments";
    let open = "`'a`: not a command: it has an unmatched quotation mark";
    for (arguments, said) in [
        (&["variant", "--command", ""][..], empty),
        (&["variant", " "], empty),
        (&["variant", "--command", "'a"], open),
    ] {
        bench(&dir, arguments).run().code(64).said(&[said]);
    }
}

#[test]
fn a_variant_that_takes_long_is_stopped_with_the_study() {
    let dir = Dir::new();
    dir.make("disk");
    // Nobody but the study itself passes the signal on to the programs.
    for arguments in [
        ["variant", "sh -c 'touch begun; exec sleep 600'", "--sizes", "10kB", "--dir", "disk"].as_slice(),
        &["variant", "true", "--setup", "touch begun; exec sleep 600", "--dir", "disk"],
    ] {
        let running = bench(&dir, arguments).interruptible().start();
        // Not for ever, if it is not begun at all.
        let is_begun = || {
            std::thread::sleep(std::time::Duration::from_millis(10));
            dir.has("begun")
        };
        assert!((0..30_000).any(|_| is_begun()), "{arguments:?}");
        running.signal(Signal::INT);
        let ran = running.wait().died_by(Signal::INT);
        assert!(ran.stderr.contains("stopped before the end of the first round"), "{}", ran.stderr);
        assert_eq!(std::fs::read_dir(dir.path("disk")).expect("a directory").count(), 0);
        std::fs::remove_file(dir.path("begun")).expect("it is there");
    }
}

#[test]
fn results_are_found_as_was_said_or_not_compared() {
    let dir = Dir::new();
    dir.make("disk");
    let same = [
        "variant",
        "cksum",
        "sh -c 'cksum \"$0\"'",
        "--sizes",
        "10kB",
        "--dir",
        "disk",
        "--result",
        "^(\\d+) ",
    ];
    bench(&dir, &same).run().code(0);
    assert_eq!(reasons(&dir.run_file()), []);
    let any = ["variant", "cat", "true", "--sizes", "10kB", "--dir", "disk", "--no-result"];
    bench(&dir, &any).run().code(0);
    assert_eq!(reasons(&dir.run_file()), []);
    let none = ["variant", "true", "--sizes", "10kB", "--dir", "disk"];
    let ran = bench(&dir, &none).run().code(16);
    assert!(ran.messages().iter().any(|line| line.starts_with("failed: true; ")), "{:?}", ran.messages());
}

#[test]
fn speed_takes_no_more_memory_than_the_limits_leave_and_names_them() {
    let dir = Dir::new();
    // Together they take far more; each of the smaller ones has room.
    let speed = "bench speed -a md5,sha1,sha256,blake2b --size 64,1MiB,64MiB --quick --budget 1s -o run.json";
    let ran = dir.shell(&format!("ulimit -v 300000; exec \"$0\" {speed}")).run().code(0);
    let text = printed(&ran);
    let heading = text.lines().find(|line| line.starts_with("limited to ")).expect("a limit");
    assert!(heading.ends_with(" of address space"), "{heading}");
    let run = dir.run_file();
    assert!(run["machine"]["limits"]["address_space_bytes"].as_u64().is_some_and(|bytes| bytes < 300 << 20));
    let (mut measured, mut refused) = (0, 0);
    for result in run["cells"].as_array().expect("cells") {
        match result["not_measured"].as_str() {
            None => measured += 1,
            Some(reason) => {
                assert!(reason.contains("the limits of this process leave"), "{reason}");
                refused += 1;
            }
        }
    }
    assert!(measured > 4 && refused > 0, "{measured} measured, {refused} refused");
}

#[test]
fn commands_are_compared_without_a_file() {
    let dir = Dir::new();
    let commands =
        ["variant", "--command", "sh -c 'exit 3'", "--command", "echo 1", "--name=fails", "--name=prints"];
    let ran = bench(&dir, &commands).run().code(16);
    assert!(
        ran.stderr.contains("failed: fails; ") && ran.stderr.contains("--ignore-failure"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("test files"), "{}", ran.stderr);
    assert_eq!(reasons(&dir.run_file()), [("fails".to_owned(), "ended with exit status: 3".to_owned())]);
    let ran = bench(&dir, &[&commands[..], &["--ignore-failure"]].concat()).run().code(0);
    assert_eq!(reasons(&dir.run_file()), []);
    let text = printed(&ran);
    assert!(text.contains("Commands: seconds") && !text.contains("MB/s"), "{text}");
    assert_eq!(rows(&text, "fails").len(), 2, "a row of times and one of what ran: {text}");
    // What it is made of is in the file, and read back.
    let again = printed(&dir.hashlane(["report", "run.json"]).run().code(0));
    assert!(again.contains("Commands: seconds"), "{again}");
    let classic = printed(&dir.hashlane(["report", "run.json", "--classic"]).run().code(0));
    assert_eq!(rows(&classic, "prints")[0].len(), 2, "{classic}");
}

#[test]
fn a_shell_runs_what_takes_one_where_it_is_asked_for() {
    let dir = Dir::new();
    dir.make("disk");
    let piped = ["variant", "sha256sum {} | cut -c1-64", "sha256sum", "--sizes", "10kB", "--dir", "disk"];
    let ran = bench(&dir, &piped).run().code(64);
    assert!(
        ran.stderr.contains("`sha256sum {} | cut -c1-64`: `|` means something to a shell only")
            && ran.stderr.contains("add --shell"),
        "{}",
        ran.stderr
    );
    assert!(!dir.has("run.json"));
    bench(&dir, &[&piped[..], &["--shell"]].concat()).run().code(0);
    assert_eq!(reasons(&dir.run_file()), []);
    assert_eq!(dir.run_file()["programs"][0]["command"][2], "sha256sum {} | cut -c1-64");
}

#[test]
fn a_variant_that_fails_later_tells_the_first_thing_that_it_said() {
    let dir = Dir::new();
    dir.make("disk");
    dir.write(
        "flaky",
        "n=$(cat cnt 2>/dev/null || echo 0); n=$((n+1)); echo $n >cnt\n\
         [ $n -gt 2 ] && { echo 'disk exploded' >&2; echo 'see the log for details' >&2; exit 3; }\n\
         sha256sum \"$1\"\n",
    );
    let arguments = ["variant", "sha256sum", "sh flaky", "--sizes", "10kB", "--dir", "disk"];
    let ran = bench(&dir, &arguments).run().code(16);
    let reasons = reasons(&dir.run_file());
    let [(name, reason)] = &reasons[..] else { panic!("{reasons:?}") };
    assert_eq!(
        (name.as_str(), reason.as_str()),
        ("sh flaky", "in round 2: ended with exit status: 3: disk exploded")
    );
    assert!(ran.stderr.contains("failed: sh flaky; "), "{}", ran.stderr);
}

#[test]
fn variants_that_make_no_sense_are_refused() {
    let dir = Dir::new();
    dir.make("disk").write("file", "");
    let refused = |arguments: &[&str], why: &str| {
        let ran = bench(&dir, arguments).run().code(64);
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
        assert!(!dir.has("run.json"), "{arguments:?}");
    };
    refused(&["variant"], "CMD");
    refused(&["variant", "a 'b"], "`a 'b`: not a command");
    refused(&["variant", ""], "a command is empty; name a program, and its arguments");
    refused(&["variant", "x", "x"], "`x`: two variants have this name; give them different ones with --name");
    refused(&["variant", "x", "--name", "a", "--name", "b"], "--name is given 2 times, for 1 command");
    refused(&["variant", "x", "--name", "a\nb"], "a\\nb: not a name: it contains a line feed");
    refused(&["variant", "--command", "x", "--sizes", "10kB"], "cannot be used with");
    refused(&["variant", "x", "--command", "y"], "cannot be used with");
    refused(&["variant", "LC_ALL=C sort"], "`LC_ALL=` means something to a shell only");
    refused(&["variant", "x", "--sizes", "1.5"], "not a whole number of bytes");
    refused(&["variant", "x", "--sizes", "0"], "an empty file cannot be measured");
    refused(&["variant", "x", "--result", "("], "--result");
    refused(&["variant", "x", "--dir", "file"], "--dir file: is not a directory");
    refused(&["variant", "x", "--dir", "nowhere"], "--dir nowhere: ");
    refused(&["variant", "x", "--build-dir", "nowhere"], "--build-dir nowhere: ");
    refused(
        &["variant", "x", "--dir", "disk", "--setup", "echo no compiler >&2; false"],
        "x: --setup `echo no compiler >&2; false` ended with exit status: 1: no compiler",
    );
}

#[test]
fn variants_are_read_cold_where_the_cache_can_be_seen() {
    let dir = Dir::new();
    dir.make("disk");
    bench(&dir, &["variant", "sha256sum", "--sizes", "1MB", "--dir", "disk", "--cold"]).run();
    let run = dir.run_file();
    let cell = &run["cells"][0];
    assert_eq!(cell["cell"]["cache"], "cold");
    let samples = cell["samples"].as_array().expect("samples");
    assert!(samples.iter().all(|sample| sample["resident_bytes_before"] == 0));
    assert_ne!(samples.is_empty(), cell["not_measured"].is_null());
}
