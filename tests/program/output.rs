//! Where results go: what appears, what stays when it cannot, and what is not an item of its own tree.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use rustix::process::Signal;

use crate::work::{Dir, gnu, have_mounts};

fn tree() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2");
    dir
}

fn lines() -> String {
    gnu(&[("t/a", "1"), ("t/b", "2")])
}

/// Names enough to fill any pipe.
fn many_names() -> String {
    "t/a\n".repeat(5000)
}

#[test]
fn an_output_file_appears_when_it_is_complete() {
    let dir = tree();
    dir.write("list", "what was there before");
    dir.hashlane(["sum", "-o", "list", "t"]).run().code(0).printed("").said(&["2 files, 2 B (2 B)"]);
    assert_eq!(dir.read("list"), lines().as_bytes());
    assert!(!dir.has("list.partial"));
    dir.hashlane(["check", "-a", "sha256", "-o", "results", "list"]).run().code(0).printed("");
    assert_eq!(dir.read("results"), b"t/a: OK\nt/b: OK\n");
}

#[test]
fn the_output_is_no_item_of_its_own_tree() {
    let dir = tree();
    let said = ["skipped: 1 output file", "2 files, 2 B (2 B)"];
    dir.hashlane(["sum", "--output", "t/list", "t"]).run().code(0).said(&said);
    assert_eq!(dir.read("t/list"), lines().as_bytes());
    // The old list, and the new one on its way.
    let said = ["skipped: 2 output files", "2 files, 2 B (2 B)"];
    dir.hashlane(["sum", "--output", "t/list", "t"]).run().code(0).said(&said);
    assert_eq!(dir.read("t/list"), lines().as_bytes());
    let said = ["skipped: 1 output file", "2 files, 2 B (2 B)"];
    let file = File::create(dir.path("t/list")).unwrap();
    dir.hashlane(["sum", "t"]).stdout(file).run().code(0).said(&said);
    assert_eq!(dir.read("t/list"), lines().as_bytes());
}

#[test]
fn a_list_inside_its_own_tree_is_no_extra() {
    let dir = tree();
    dir.hashlane(["sum", "-q", "--header", "--output", "t/list", "t"]).run().code(0);
    dir.hashlane(["check", "--complete", "t/list"]).run().code(0).printed("t/a: OK\nt/b: OK\n");
    dir.hashlane(["check", "--complete", "-q", "-o", "t/results", "t/list"]).run().code(0);
    dir.hashlane(["check", "--complete", "-q", "t/list"])
        .run()
        .code(1)
        .printed("t/results: EXTRA (not listed)\n");
}

#[test]
fn a_link_as_output_stays_and_the_file_behind_it_is_replaced() {
    let dir = tree();
    dir.write("real", "old").link("real", "latest");
    dir.hashlane(["sum", "-q", "-o", "latest", "t"]).run().code(0);
    assert_eq!(dir.read("real"), lines().as_bytes());
    assert!(dir.path("latest").is_symlink());
}

#[test]
fn devices_and_open_files_as_output_are_written_and_not_replaced() {
    let dir = tree();
    dir.hashlane(["sum", "-q", "-o", "/dev/null", "t"]).run().code(0).printed("");
    dir.hashlane(["sum", "-q", "-o", "/dev/stdout", "t"]).run().code(0).printed(lines());
    let file = File::create(dir.path("list")).unwrap();
    dir.hashlane(["sum", "-q", "-o", "/dev/stdout", "t"]).stdout(file).run().code(0);
    assert_eq!(dir.read("list"), lines().as_bytes());
    assert!(fs::symlink_metadata("/dev/stdout").unwrap().is_symlink());
}

#[test]
fn an_output_that_cannot_be_made_is_said_before_anything_is_read() {
    let dir = tree();
    dir.make("readonly");
    fs::set_permissions(dir.path("readonly"), Permissions::from_mode(0o555)).unwrap();
    let said = |path: &str, code: i32, message: &str| {
        dir.hashlane(["sum", "-o", path, "t"]).without_rights().run().code(code).printed("").said(&[message]);
    };
    said("readonly/list", 74, "cannot write to readonly/list.partial: Permission denied");
    said("nowhere/list", 74, "cannot write to nowhere/list.partial: No such file or directory");
    said("t", 64, "--output t: is a directory; name a file");
}

#[test]
fn a_full_disk_is_said_and_keeps_what_was_written() {
    if !have_mounts() {
        return;
    }
    let dir = tree();
    dir.make("small").write("names", many_names());
    let script = "mount -t tmpfs -o size=64k none small; \
                  \"$0\" sum -q --files-from names -o small/list; code=$?; head -c 140 small/list.partial; \
                  [ ! -e small/list ] || echo there; exit $code";
    dir.command("unshare", ["--mount", "sh", "-c", script, crate::work::HASHLANE])
        .run()
        .code(74)
        .printed(gnu(&[("t/a", "1"), ("t/a", "1")]).get(..140).unwrap())
        .said(&[
            "cannot write to small/list.partial: No space left on device; what was written so far is kept",
        ]);
}

#[test]
fn a_full_standard_output_is_said() {
    let dir = tree();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let said = ["cannot write to standard output: No space left on device"];
    dir.hashlane(["sum", "t"]).stdout(full()).run().code(74).said(&said);
    dir.hashlane(["sum", "--files-from", "-"]).input(many_names()).stdout(full()).run().code(74).said(&said);
    dir.hashlane(["sum", "-o", "/dev/full", "t"])
        .run()
        .code(74)
        .said(&["cannot write to /dev/full: No space left on device"]);
    dir.write("SHA256SUMS", lines());
    let ran = dir.hashlane(["check", "SHA256SUMS"]).stdout(full()).run().code(74);
    assert_eq!(ran.messages().last().unwrap(), said[0]);
}

#[test]
fn a_closed_pipe_ends_it_without_a_word() {
    let dir = tree();
    dir.write("SHA256SUMS", lines()).write("MANY", lines().repeat(2000));
    dir.hashlane(["sum", "-q", "t"]).run_into_closed_pipe().died_by(Signal::PIPE).said(&[]);
    dir.hashlane(["sum", "t", "--header"]).run_into_closed_pipe().died_by(Signal::PIPE).said(&[]);
    dir.hashlane(["sum", "--files-from", "-"])
        .input(many_names())
        .run_into_closed_pipe()
        .died_by(Signal::PIPE)
        .said(&[]);
    dir.hashlane(["check", "-a", "sha256", "MANY"]).run_into_closed_pipe().died_by(Signal::PIPE);
    let script = "\"$0\" sum --files-from - | head -1; echo ${PIPESTATUS[0]}";
    let first = gnu(&[("t/a", "1")]);
    dir.shell(script).input(many_names()).run().code(0).printed(format!("{first}141\n")).said(&[]);
}

#[test]
fn results_of_a_failing_check_are_kept_when_the_search_for_extras_cannot_be() {
    let dir = tree();
    let (a, b) = (dir.path("t/a"), dir.path("t/b"));
    dir.write("SHA256SUMS", gnu(&[(a.to_str().unwrap(), "1"), (b.to_str().unwrap(), "changed")]));
    let ran = dir.hashlane(["check", "--complete", "SHA256SUMS"]).run().code(64);
    let messages = ran.messages();
    ran.printed(format!("{}: OK\n{}: FAILED\n", a.display(), b.display()));
    assert_eq!(
        messages.last().unwrap(),
        "all names in the manifest are absolute; name where to look with --root DIR"
    );
}

#[test]
fn an_output_that_is_an_input_is_refused_and_keeps_its_content() {
    let dir = Dir::new();
    dir.write("photo", "content");
    let refused = "--output photo: is also an input; name another file";
    dir.hashlane(["sum", "-o", "photo", "photo"]).run().code(64).said(&[refused]);
    dir.hashlane(["check", "-o", "photo", "photo"]).run().code(64);
    assert_eq!(dir.read("photo"), b"content");
}

#[test]
fn a_partial_file_that_is_a_link_is_kept_and_not_followed() {
    for target in ["precious", "nowhere"] {
        let dir = Dir::new();
        dir.write("a", "a").write("precious", "precious").link(target, "out.partial");
        let ran = dir.hashlane(["sum", "-q", "-o", "out", "a"]).run().code(0);
        ran.said(&["out.partial of an earlier run was saved as out.partial.1"]);
        assert_eq!(std::fs::read_link(dir.path("out.partial.1")).unwrap().to_str(), Some(target));
        assert_eq!((dir.read("precious"), dir.has("nowhere")), (b"precious".to_vec(), false));
        assert!(!dir.path("out").is_symlink() && !dir.has("out.partial"));
    }
    let dir = Dir::new();
    dir.write("a", "a").write("precious", "precious");
    std::fs::hard_link(dir.path("precious"), dir.path("out.partial")).unwrap();
    dir.hashlane(["sum", "-q", "-o", "out", "a"]).run().code(0);
    assert_eq!(
        (dir.read("precious"), dir.read("out.partial.1")),
        (b"precious".to_vec(), b"precious".to_vec())
    );
}

#[test]
fn a_link_to_a_file_that_is_not_there_stays_and_the_file_is_made() {
    let dir = tree();
    dir.make("lists").link("lists/today", "latest").link("latest", "list");
    dir.hashlane(["sum", "-q", "-o", "list", "t"]).run().code(0);
    assert_eq!(dir.read("lists/today"), lines().as_bytes());
    assert!(dir.path("list").is_symlink() && dir.path("latest").is_symlink());
    dir.link("none/today", "lost").link("round", "round");
    for output in ["lost", "round"] {
        dir.hashlane(["sum", "-q", "-o", output, "t"]).run().code(74);
        assert!(dir.path(output).is_symlink());
    }
}

#[test]
fn the_null_engine_makes_no_digests() {
    let dir = Dir::new();
    dir.write("a", "a");
    for command in ["sum", "check"] {
        dir.hashlane([command, "--engine", "null", "a"]).run().code(64);
    }
}

#[test]
fn a_report_that_was_stopped_at_the_first_failure_replaces_nothing() {
    let dir = tree();
    dir.write("SHA256SUMS", gnu(&[("t/a", "changed"), ("t/b", "2")])).write("report", "of last week");
    let ran = dir.hashlane(["check", "--fail-fast", "-o", "report", "SHA256SUMS"]).run().code(4);
    assert!(ran.messages().contains(&"finished results are in report.partial".into()), "{}", ran.stderr);
    assert_eq!(dir.read("report.partial"), b"t/a: FAILED\n");
    assert_eq!(dir.read("report"), b"of last week");
    let full = File::options().write(true).open("/dev/full").unwrap();
    dir.hashlane(["check", "--fail-fast", "SHA256SUMS"]).stdout(full).run().code(74);
}

#[test]
fn a_sum_that_could_read_nothing_replaces_nothing() {
    let dir = tree();
    dir.write("list", "of last week");
    let kept = "nothing could be read; list was not written";
    for arguments in [&["nowhere", "not here"][..], &["--manifest-format=jsonl", "nowhere"]] {
        let ran = dir.hashlane(["sum", "-q", "-o", "list"]).args(arguments).run().code(16);
        assert_eq!(ran.messages().last().unwrap(), kept);
        assert_eq!(dir.read("list"), b"of last week");
        assert!(!dir.has("list.partial"));
    }
    dir.hashlane(["sum", "-q", "-o", "list", "nowhere", "t"]).run().code(16);
    assert_eq!(dir.read("list"), lines().as_bytes());
    // An empty directory was read.
    dir.make("empty").hashlane(["sum", "-q", "-o", "list", "empty"]).run().code(0).said(&[]);
    assert_eq!(dir.read("list"), b"");
}

#[test]
fn quiet_commands_say_nothing_where_nothing_is_wrong_and_sum_up_where_something_is() {
    let dir = tree();
    let jsonl = ["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "t"];
    dir.hashlane(jsonl).run().code(0).said(&[]);
    dir.make("bag").write("bag/x", "x");
    dir.hashlane(["bag", "create", "-q", "bag"]).run().code(0).printed("").said(&[]);
    let commands: [&[&str]; 9] = [
        &["sum", "-q", "--update", "LIST"],
        &["check", "-q", "LIST"],
        &["check", "-q", "--complete", "LIST"],
        &["check", "-q", "--audit", "LIST"],
        &["diff", "-q", "LIST", "LIST"],
        &["diff", "-q", "LIST", "t"],
        &["bag", "validate", "-q", "bag"],
        &["convert", "-q", "--manifest-format", "jsonl", "LIST", "/dev/null"],
        &["known", "build", "-q", "-o", "k.known", "LIST"],
    ];
    for command in commands {
        dir.hashlane(command).run().code(0).printed("").said(&[]);
    }
    dir.write("t/a", "changed").write("bag/data/x", "changed");
    for command in [commands[1], commands[2], commands[3], commands[5], commands[6]] {
        let ran = dir.hashlane(command).run();
        let said = ran.stdout.len() + ran.stderr.len();
        assert!(said > 0 && ran.status.code() != Some(0), "{command:?}");
    }
    let ran = dir.hashlane(["check", "-q", "--audit", "LIST"]).run().code(4).printed("t/a: CHANGED\n");
    ran.said(&["audit failed: 1 OK by sha256, 1 changed; 2 files found, 2 listed", "2 files, 8 B (8 B)"]);
}

#[test]
fn a_hyphen_is_no_name_of_an_output() {
    let dir = Dir::new();
    dir.write("t/a", "1");
    dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).run().code(0);
    dir.hashlane(["bag", "create", "-q", "t"]).run();
    let way_out = "leave out --output for standard output, or write `./-` for a file of that name";
    let commands: [&[&str]; 5] = [
        &["sum", "t"],
        &["check", "-a", "sha256", "LIST"],
        &["check", "--audit", "-a", "sha256", "LIST"],
        &["diff", "-a", "sha256", "LIST", "LIST"],
        &["bag", "validate", "t"],
    ];
    for command in commands {
        for option in [&["-o", "-"][..], &["-o-"], &["--output", "-"], &["--output=-"]] {
            let ran = dir.hashlane(command).args(option).run().code(64).printed("");
            assert!(ran.stderr.contains(way_out), "{command:?}: {}", ran.stderr);
            assert!(!dir.has("-"), "{command:?}");
        }
        dir.hashlane(command).args(["-o", "./-"]).run().printed("");
        assert!(dir.has("-"), "{command:?}");
        std::fs::remove_file(dir.path("-")).unwrap();
    }
    let ran = dir.hashlane(["known", "build", "-o", "-", "LIST"]).run().code(64);
    assert!(ran.stderr.contains("write `./-` for a file of that name") && !dir.has("-"), "{}", ran.stderr);
}

#[test]
fn evidence_that_nobody_reads_ends_as_all_output_does() {
    let dir = Dir::new();
    let mut list = Vec::new();
    // More than is held back until it is written.
    for number in 0..1_500 {
        dir.write(format!("tree/a rather long name of a file, number {number}"), "x");
        list.push(format!(
            "{{\"Path\":\"a rather long name of a file, number {number}\",\"Size\":1,\"Hashes\":{{\"md5\":\"{:032x}\"}}}}",
            number
        ));
    }
    dir.write("list.json", format!("[{}]", list.join(",")));
    dir.keeper(["collection", "add", "t", "tree", "-a", "md5"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let evidence = ["audit", "t", "--evidence", "list.json", "--format", "json", "--dry-run"];
    dir.keeper(evidence).run_into_closed_pipe().died_by(Signal::PIPE).said(&[]);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
    let ran = dir.keeper(evidence).stdout(full).run().code(74);
    ran.said(&["cannot write to standard output: No space left on device"]);
}
