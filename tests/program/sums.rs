//! `hashlane as b3sum` and `hashlane as xxhsum`. That they do what their originals do is shown by
//! `cargo xtask differential`; here is what it cannot show: quirks on demand, pipes, lists without end, and that
//! the engine keeps their order.

use rustix::process::Signal;

use crate::work::{Dir, HASHLANE, digest};

/// So long that several threads take part, and no multiple of what they take.
const BIG: usize = (5 << 20) + 12_345;

#[test]
fn links_are_made_for_them_too() {
    let dir = Dir::new();
    dir.make("bin").write("a", "one");
    dir.hashlane(["install-links", "--quiet", "bin"]).run().code(0);
    dir.command("bin/b3sum", ["a"]).run().code(0).printed(format!("{}  a\n", digest("blake3", "one")));
    dir.command("bin/xxhsum", ["a"]).run().code(0).printed(format!("{}  a\n", digest("xxh64", "one")));
    dir.command("bin/xxh64sum", ["a"]).run().code(0).printed(format!("{}  a\n", digest("xxh64", "one")));
    dir.command("bin/xxh128sum", ["a"]).run().code(0).printed(format!("{}  a\n", digest("xxh128", "one")));
    dir.command("bin/xxh3sum", ["a"]).run().code(0).printed(format!("XXH3_{}  a\n", digest("xxh3", "one")));
    // Of the specification: XXH32 of nothing, seed 0.
    dir.command("bin/xxh32sum", ["/dev/null"]).run().code(0).printed("02cc5d05  /dev/null\n");
}

#[test]
fn big_files_have_the_same_digest_however_many_threads_take_part() {
    let dir = Dir::new();
    let content: Vec<u8> = (0..BIG).map(|place| (place % 251) as u8).collect();
    dir.write("big", &content);
    let ours = |arguments: &[&str]| {
        let ran = dir.hashlane(["as", "b3sum", "--no-names"]).args(arguments).input([7; 32]).run().code(0);
        String::from_utf8(ran.stdout).unwrap()
    };
    let plain = blake3::hash(&content).to_hex().to_string();
    let keyed = blake3::keyed_hash(&[7; 32], &content).to_hex().to_string();
    let derived = blake3::Hasher::new_derive_key("context").update(&content).finalize().to_hex().to_string();
    let seeking = &plain[10..];
    for threads in ["1", "2", "5"] {
        let with = |arguments: &[&'static str]| [&["--num-threads", threads, "big"], arguments].concat();
        assert_eq!(ours(&with(&["--keyed"])), format!("{keyed}\n"));
        assert_eq!(ours(&with(&["--derive-key", "context"])), format!("{derived}\n"));
        assert!(ours(&with(&["-l", "100"])).starts_with(&plain));
        assert!(ours(&with(&["-l", "100", "--seek", "5"])).starts_with(seeking));
        assert_eq!(ours(&with(&["-l", "27", "--seek", "5"])), format!("{seeking}\n"));
    }
}

#[test]
fn many_files_are_verified_in_the_order_of_the_list() {
    let dir = Dir::new();
    let (mut blake3, mut xxh) = (String::new(), String::new());
    for number in 0..1500 {
        let content = format!("{number} ").repeat(300);
        let wrong = if number % 500 == 7 { "other" } else { &content };
        blake3 += &format!("{}  f{number}\n", digest("blake3", wrong));
        let algorithm = if number % 2 == 0 { "xxh128" } else { "xxh64" };
        xxh += &format!("{}  f{number}\n", digest(algorithm, wrong));
        dir.write(format!("f{number}"), &content);
    }
    dir.write("B3", blake3).write("XX", xxh);
    let ran = dir.hashlane(["as", "b3sum", "--quiet", "-c", "B3"]).run().code(1);
    let ran = ran.printed("f7: FAILED\nf507: FAILED\nf1007: FAILED\n");
    assert_eq!(ran.stderr, "b3sum: WARNING: 3 computed checksums did NOT match\n");
    let ran = dir.hashlane(["as", "xxhsum", "-q", "-c", "XX"]).run().code(1);
    ran.printed("f7: FAILED\nf507: FAILED\nf1007: FAILED\n3 computed checksums did NOT match\n");
}

#[test]
fn what_xxhsum_wrote_up_to_0_8_1_is_there_on_demand() {
    let dir = Dir::new();
    dir.write("new\nline", "x").write("a", "x");
    let [xxh3, xxh64] = ["xxh3", "xxh64"].map(|algorithm| digest(algorithm, "x"));
    let played = |words: &[&str]| dir.hashlane(["as"]).args(words).run().code(0);
    played(&["xxhsum", "-H3", "a"]).printed(format!("XXH3_{xxh3}  a\n"));
    played(&["--as-is", "xxhsum", "-H3", "a"]).printed(format!("XXH3 (a) = {xxh3}\n"));
    played(&["xxhsum", "new\nline"]).printed(format!("\\{xxh64}  new\\nline\n"));
    played(&["--as-is", "xxhsum", "new\nline"]).printed(format!("{xxh64}  new\nline\n"));
    dir.write("LIST", format!("{xxh64}  a\n"));
    dir.hashlane(["as", "xxh32sum", "-c", "LIST"]).run().code(1).printed("");
    played(&["--as-is", "xxh32sum", "-c", "LIST"]).printed("a: OK\n");
}

#[test]
fn a_pipe_with_a_name_is_opened_once() {
    let dir = Dir::new();
    dir.fifo("pipe");
    let keyed = blake3::keyed_hash(&[7; 32], b"hi").to_hex();
    let line = format!("{HASHLANE} as b3sum --keyed pipe");
    let script = format!("printf hi > pipe & head -c 32 /dev/zero | tr '\\0' '\\7' | {line}; wait $!");
    dir.shell(&script).run().code(0).printed(format!("{keyed}  pipe\n"));
    let script = format!("printf hi > pipe & {HASHLANE} as xxhsum pipe; wait $!");
    dir.shell(&script).run().code(0).printed(format!("{}  pipe\n", digest("xxh64", "hi")));
}

#[test]
fn an_output_without_end_stops_with_its_reader_and_a_line_without_end_stops_the_list() {
    let dir = Dir::new();
    dir.write("a", "x");
    let endless = dir.hashlane(["as", "b3sum", "-l", "18446744073709551615", "a"]);
    endless.run_into_closed_pipe().died_by(Signal::PIPE);
    let ran = dir.hashlane(["as", "xxhsum", "-c", "/dev/zero"]).run().code(1);
    assert!(ran.stderr.starts_with("/dev/zero:1: Error: Line too long.\n"), "{}", ran.stderr);
}

#[test]
fn benchmarks_are_refused_with_a_way_out() {
    let ran = Dir::new().hashlane(["as", "xxhsum", "-b", "-i1"]).run().code(1);
    assert!(ran.stderr.contains("hashlane bench"), "{}", ran.stderr);
}
