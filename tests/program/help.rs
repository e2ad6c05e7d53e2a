//! What a newcomer sees: help, versions, and slips of the hand.

use crate::work::Dir;

const OVERVIEW: &str = "\
Measures how fast this machine reads and digests, and fingerprints and checks files at that speed

Usage: hashlane <COMMAND>

Commands:
  bench          Measure how fast this machine reads, writes and digests
  report         Show a saved run, make its page, or export its figures
  compare        Compare runs and machines, cell by cell
  sum            Print the digests of files and trees
  check          Verify that files still have the digests that a manifest lists
  diff           Report what differs between two manifests, two trees, or one of each
  convert        Convert a manifest to another format
  merge          Join the manifests of shards into one
  formats        List the manifest formats: how each is detected, and what it stores
  collection     Register trees of files that are audited over time
  audit          Audit collections: what is missing, changed, corrupt or new?
  status         Show how the collections are: one sentence, and a row for each
  history        Show what is known of a file, and what happened to it
  events         List what happened, in one order, and follow it
  accept         Accept files as they are now
  acknowledge    Say that a finding is known, so that it alarms nobody
  catalog        Check, copy and compact the catalogue, and list its seals and what was changed
  tell           Tell people what audits find, as the configuration says
  config         Check or show the configuration
  known          Index sets of known contents, and look up digests
  bag            Make bags (BagIt, RFC 8493) and verify them
  mhl            Make, verify and show histories of media (ASC MHL 2.0)
  backends       Measure how fast each backend of this CPU computes each algorithm
  tune           Measure how best to read the device of PATH, and save that for sum and check
  as             Act as an older program, with the same options, output and exit codes
  install-links  Make links to this program under the names of the older programs
  help           Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help
  -V, --version  Print version

Examples:
  hashlane bench                           how fast is this machine, and what limits it?
  hashlane sum photos                      digests of all files below photos
  hashlane sum -o SHA256SUMS photos        into a file
  hashlane check SHA256SUMS                are the files unchanged?
  hashlane check --complete SHA256SUMS     and are there no unlisted files?
  hashlane collection add photos photos    remember photos, and then, again and again:
  hashlane audit                           what is missing, changed or corrupt?

Exit codes (1 to 32 add up; the others stand alone):
  0  success                1  extra files           2  missing files
  4  digest mismatch        8  corrupt: other content, and nothing says that it was written
 16  unreadable, unstable or I/O error               32  late: a promise is not kept
 64  usage error           70  internal error        74  output or catalogue cannot be used
 75  audits: held, offline, paused, stopped, or not started; nothing was judged
";

#[test]
fn without_a_command_the_commands_are_shown() {
    let dir = Dir::new();
    let nothing: [&str; 0] = [];
    let ran = dir.hashlane(nothing).run().code(64).printed("");
    assert_eq!(ran.stderr, OVERVIEW);
    for help in ["--help", "help"] {
        let ran = dir.hashlane([help]).run().code(0).printed(OVERVIEW);
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn help_that_cannot_be_written_is_no_success() {
    let dir = Dir::new();
    for arguments in [["--help"].as_slice(), &["--version"], &["bench", "io", "--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let ran = dir.hashlane(arguments).stdout(full).run().code(74);
        ran.said(&["cannot write to standard output: No space left on device"]);
    }
}

#[test]
fn the_help_of_each_command_has_examples_and_exit_codes() {
    let dir = Dir::new();
    for (command, codes) in [
        ("bench", "\nExit codes:\n"),
        ("report", "\nExit codes:\n"),
        ("compare", "\nExit codes:\n"),
        ("backends", "\nExit codes:\n"),
        ("tune", "\nExit codes:\n"),
        ("accept", "\nExit codes:\n"),
        ("acknowledge", "\nExit codes:\n"),
        ("audit", "\nExit codes (1 to 32 add up; the others stand alone):\n"),
        ("status", "\nExit codes (1 to 32 add up; the others stand alone):\n"),
        ("sum", "\nExit codes (1 to 16 add up; the others stand alone):\n"),
        ("check", "\nExit codes (1 to 16 add up; the others stand alone):\n"),
    ] {
        let ran = dir.hashlane([command, "--help"]).run().code(0);
        let help = String::from_utf8(ran.stdout).unwrap();
        for part in [&format!("\nUsage: hashlane {command} "), "\nExamples:\n  hashlane ", codes] {
            assert!(help.contains(part), "{command}: {part:?} is not in:\n{help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 110), "{help}");
        let brief = dir.hashlane([command, "-h"]).run().code(0).stdout;
        assert!(!brief.is_empty() && brief.len() < help.len());
    }
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_all() {
    let dir = Dir::new();
    for command in ["sum", "check", "diff", "convert", "bench", "audit"] {
        let text = |help| String::from_utf8(dir.hashlane([command, help]).run().code(0).stdout).unwrap();
        let (short, long) = (text("-h"), text("--help"));
        assert!(short.lines().count() <= 50, "{command}: {} lines:\n{short}", short.lines().count());
        assert!(short.contains("see more with '--help'"), "{short}");
        let options = |help: &str| help.split_whitespace().filter(|word| word.starts_with("--")).count();
        assert!(options(&short) < options(&long), "{short}");
    }
}

#[test]
fn options_about_the_output_stand_together() {
    let dir = Dir::new();
    for (command, options) in [
        ("sum", &["--manifest-format", "--tag", "--output", "--quiet"][..]),
        ("check", &["--warn", "--quiet", "--status", "--verbose", "--format", "--output"]),
    ] {
        let help = String::from_utf8(dir.hashlane([command, "-h"]).run().code(0).stdout).unwrap();
        let output = help.split("\n\n").find(|group| group.starts_with("Output:\n")).unwrap();
        for option in options {
            assert!(output.contains(&format!(" {option}")), "{option} is not in:\n{output}");
        }
    }
}

#[test]
fn the_version_says_what_this_build_can_do() {
    let dir = Dir::new();
    let version = format!("hashlane {}", env!("CARGO_PKG_VERSION"));
    dir.hashlane(["-V"]).run().code(0).printed(format!("{version}\n"));
    let text = String::from_utf8(dir.hashlane(["--version"]).run().code(0).stdout).unwrap();
    assert!(text.starts_with(&format!("{version} (")), "{text}");
    for part in ["\ndigests:\n  ", " sha256 (", "\nengines:\n  ", "buffered", "\nformats:\n  ", " hashdeep "]
    {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn slips_get_a_suggestion() {
    let dir = Dir::new();
    let suggests = |arguments: &[&str], suggestion: &str| {
        let ran = dir.hashlane(arguments).run().code(64).printed("");
        assert!(ran.stderr.starts_with("hashlane: ") && ran.stderr.contains(suggestion), "{}", ran.stderr);
    };
    suggests(&["sum", "--outptu", "x"], "a similar argument exists: '--output'");
    suggests(&["sum", "-a", "sha265", "x"], "a similar value exists: 'sha256'");
    suggests(&["sum", "-a", "sha256,blak3", "x"], "a similar value exists: 'blake3'");
    suggests(&["sum", "-a", "sha-257", "x"], "a similar value exists: 'sha256'");
    suggests(&["sum", "-a", "SHA-2", "x"], "some similar values exist: 'sha224', 'sha256'");
    suggests(&["sum", "--progress", "photos"], "[possible values: auto, always, never, json]");
    suggests(&["check", "--manifest-format", "hashdep", "x"], "a similar value exists: 'hashdeep'");
    suggests(&["chekc"], "a similar subcommand exists: 'check'");
    suggests(&["sum", "-a", "nothing like it", "x"], "[possible values: md4, md5, sha1, ");
}

#[test]
fn a_usage_line_has_no_option_that_a_variable_stands_for() {
    let dir = Dir::new();
    let variables = |arguments: &[&str]| {
        dir.hashlane(arguments)
            .env("HASHLANE_CACHE", "cache")
            .env("HASHLANE_BACKEND", "portable")
            .run()
            .code(64)
    };
    let ran = variables(&["diff", "a"]);
    assert!(ran.stderr.contains("Usage: hashlane diff <A> <B>\n"), "{}", ran.stderr);
    let ran = dir.hashlane(["sum", "--help"]).env("HASHLANE_CACHE", "cache").run().code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("[env: HASHLANE_CACHE]"));
    // A variable that is wrong is named.
    let ran = dir.hashlane(["sum", "a"]).env("HASHLANE_BACKEND", "none").run().code(64);
    assert!(ran.stderr.contains("invalid value 'none' for '--backend <BACKEND>'"), "{}", ran.stderr);
}

#[test]
fn algorithms_are_known_by_their_other_names_too() {
    let dir = Dir::new();
    dir.write("a", "1");
    let expected = dir.hashlane(["sum", "-q", "-a", "sha256", "a"]).run().code(0).stdout;
    for name in ["SHA256", "sha-256", "sha2-256"] {
        dir.hashlane(["sum", "-q", "-a", name, "a"]).run().code(0).printed(&expected);
    }
}
