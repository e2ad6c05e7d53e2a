//! `sum --shard` and `merge`: several machines share a listing, and their manifests become one, complete or not at all.

use std::fs;

use crate::tree::nasty;
use crate::work::{Dir, printed};

/// Writes the manifests of all shards of `t`.
fn split(dir: &Dir, count: u32, arguments: &[&str], ending: &str) -> Vec<String> {
    let of_shard = |index: u32| {
        let (shard, name) = (format!("{index}/{count}"), format!("{index}.{ending}"));
        let command = dir.hashlane(["sum", "-q", "--shard", &shard, "-o", &name]);
        command.args(arguments).arg("t").run().code(0);
        name
    };
    (1..=count).map(of_shard).collect()
}

/// A tree of a hundred files of several sizes.
fn tree() -> Dir {
    let dir = Dir::new();
    for number in 0..100_usize {
        dir.write(format!("t/{}/{number}", number % 7), "x".repeat(number * number * 10));
    }
    dir
}

#[test]
fn shards_together_are_what_one_run_lists() {
    let dir = tree();
    nasty(&dir, "t/nasty");
    for (arguments, ending) in [
        (&[][..], "sums"),
        (&["-a", "md5,sha256"], "bsd"),
        (&["--zero"], "zero"),
        (&["--manifest-format", "jsonl"], "jsonl"),
        (&["--manifest-format", "parquet"], "parquet"),
    ] {
        let whole = format!("all.{ending}");
        dir.hashlane(["sum", "-q", "-o", &whole]).args(arguments).arg("t").run().code(0);
        let mut shards = split(&dir, 4, arguments, ending);
        shards.rotate_left(1);
        let merged = format!("merged.{ending}");
        let zero = arguments.iter().filter(|argument| **argument == "--zero");
        let ran = dir.hashlane(["merge", "-o", &merged]).args(zero).args(&shards).run().code(0);
        assert!(ran.messages()[0].ends_with(" of 4 shards"), "{}", ran.stderr);
        assert_eq!(dir.read(&merged), dir.read(&whole), "{ending}");
    }
    // To standard output, in another format.
    let shards = split(&dir, 3, &[], "three");
    let whole = dir.hashlane(["sum", "-q", "--tag", "t"]).run().code(0).stdout;
    dir.hashlane(["merge", "-q", "--tag"]).args(&shards).run().code(0).printed(whole);
}

#[test]
fn shards_are_about_as_large_and_each_says_what_it_is() {
    let dir = tree();
    let total: usize = (0..100).map(|number: usize| number * number * 10).sum();
    for name in split(&dir, 4, &["--manifest-format", "jsonl"], "jsonl") {
        let list = String::from_utf8(dir.read(&name)).unwrap();
        let sizes = list.lines().filter_map(|line| line.split_once("\"size_bytes\":"));
        let sizes = sizes.map(|(_, rest)| rest.split(',').next().unwrap().parse::<usize>().unwrap());
        let bytes: usize = sizes.sum();
        assert!(bytes * 8 > total && bytes * 3 < total, "{name}: {bytes} of {total}");
        let shard = format!("\"shard\":\"{}/4 files=", &name[..1]);
        assert!(list.starts_with("{\"schema\"") && list.contains(&shard), "{list}");
    }
    let ran = dir.hashlane(["sum", "--shard", "2/4", "t"]).run().code(0);
    assert!(ran.messages()[0].starts_with("shard 2 of 4: "), "{}", ran.stderr);
    assert!(ran.messages()[0].contains(" of 100 files, "), "{}", ran.stderr);
}

#[test]
fn a_list_of_names_is_split_too_and_shards_may_be_empty() {
    let dir = tree();
    let names: String = (0..100).map(|number| format!("t/{}/{number}\n", number % 7)).collect();
    dir.write("names", names);
    let whole = dir.hashlane(["sum", "-q", "--files-from", "names"]).run().code(0).stdout;
    let shards: Vec<String> = (1..=120)
        .map(|index| {
            let name = format!("{index}.sums");
            let of = format!("{index}/120");
            let sum = dir.hashlane(["sum", "-q", "--files-from", "names", "--shard", &of, "-o", &name]);
            sum.run().code(0);
            name
        })
        .collect();
    // What lists nothing need not be named, and where it is, says nothing.
    let of_files = |name: &&String| {
        dir.read(name).split(|&byte| byte == b'\n').any(|line| line.len() > 64 && line[0] != b'#')
    };
    let full: Vec<_> = shards.iter().filter(of_files).collect();
    assert!(full.len() < 120);
    dir.hashlane(["merge", "-q"]).args(&full).run().code(0).printed(&whole);
    dir.hashlane(["merge", "-q"]).args(&shards).run().code(0).printed(&whole);
    let ran = dir.hashlane(["merge", "-q"]).args(&full[1..]).run().code(2);
    assert!(ran.stderr.contains("missing: shards "), "{}", ran.stderr);
}

#[test]
fn a_listing_without_files_is_merged_too() {
    let dir = Dir::new();
    fs::create_dir(dir.path("t")).unwrap();
    for arguments in [
        &[][..],
        &["-a", "md5,sha256"],
        &["--tag"],
        &["--manifest-format", "jsonl"],
        &["--manifest-format", "hashdeep"],
        &["--manifest-format", "parquet"],
    ] {
        let shards = split(&dir, 3, arguments, "shard");
        let ran = dir.hashlane(["merge", "-o", "merged"]).args(&shards).run().code(0);
        assert!(ran.messages()[0].starts_with("0 listed files of 3 shards"), "{}", ran.stderr);
        dir.hashlane(["sum", "-q", "-o", "whole"]).args(arguments).arg("t").run().code(0);
        let is_told =
            |text: &[u8]| text.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"##")).count();
        assert_eq!(is_told(&dir.read("merged")), is_told(&dir.read("whole")), "{arguments:?}");
        fs::remove_file(dir.path("merged")).unwrap();
    }
    // What is empty and no shard is none.
    dir.write("nothing", "");
    let ran = dir.hashlane(["merge", "nothing"]).run().code(16);
    assert!(ran.stderr.contains("no shard lists a file"), "{}", ran.stderr);
}

#[test]
fn a_merged_manifest_with_a_header_is_brought_up_to_date_and_searched_for_others() {
    let dir = tree();
    let shards = split(&dir, 3, &["--manifest-format", "jsonl"], "jsonl");
    dir.hashlane(["merge", "-q", "--header", "-o", "all.jsonl"]).args(&shards).run().code(0);
    dir.write("t/new", "new");
    let ran = dir.hashlane(["check", "-q", "--complete", "all.jsonl"]).run().code(1);
    ran.printed("t/new: EXTRA (not listed)\n");
    let ran = dir.hashlane(["sum", "--update", "all.jsonl"]).run().code(0);
    assert!(ran.stderr.contains("1 added"), "{}", ran.stderr);
    dir.hashlane(["check", "-q", "--complete", "all.jsonl"]).run().code(0).printed("");
}

#[test]
fn what_is_not_all_shards_of_one_listing_is_named_and_refused() {
    let dir = tree();
    let shards = split(&dir, 4, &[], "sums");
    let refused = |shards: &[&str], code: i32, expected: &[&str]| {
        let ran = dir.hashlane(["merge", "-o", "out"]).args(shards).run().code(code);
        for expected in expected {
            assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
        }
        assert!(!dir.has("out") && !dir.has("out.partial"), "nothing was written");
    };
    let all: Vec<&str> = shards.iter().map(String::as_str).collect();
    refused(&all[..3], 2, &["missing: shard 4 of 4 shards, with "]);
    refused(&[all[0], all[3]], 2, &["missing: shards 2-3 of 4 shards"]);
    refused(&[all[0], all[1], all[1], all[2], all[3]], 16, &["2.sums: is shard 2, and so is 2.sums"]);
    fs::copy(dir.path("2.sums"), dir.path("again")).unwrap();
    refused(&[all[0], all[1], "again", all[3]], 18, &["again: is shard 2", "missing: shard 3"]);
    dir.write("plain", dir.hashlane(["sum", "-q", "--tag", "t"]).run().code(0).stdout);
    refused(&["plain", all[0]], 18, &["plain: is not a shard written by `hashlane sum --shard I/N`"]);
    // Nor is it asked for the algorithm of a list that is not a shard.
    dir.write("untold", dir.hashlane(["sum", "-q", "t"]).run().code(0).stdout);
    refused(&["untold", all[0]], 18, &["untold: is not a shard written by `hashlane sum --shard I/N`"]);
    refused(&["gone", all[0]], 18, &["gone: No such file"]);
    refused(&["-"], 16, &["standard input cannot be a shard"]);
    dir.write("joined", [dir.read("1.sums"), dir.read("2.sums")].concat());
    refused(&["joined", all[2], all[3]], 2, &["missing: shard 2 of 4 shards"]);
    let ran = dir.hashlane(["merge", "-o", "out", "joined", all[1], all[2], all[3]]).run().code(16);
    assert!(ran.stderr.contains("joined: is more than one shard"), "{}", ran.stderr);
    assert!(!dir.has("out") && dir.has("out.partial"));
    fs::remove_file(dir.path("out.partial")).unwrap();
    // Another number of shards, and another listing.
    let others = split(&dir, 5, &[], "five");
    refused(&[all[0], &others[1]], 16, &["2.five: is one of 5 shards, 1.sums one of 4"]);
    dir.write("t/new", "new");
    let later = split(&dir, 4, &[], "later");
    refused(
        &[all[0], all[1], all[2], &later[3]],
        16,
        &["4.later: is a shard of another listing than 1.sums (101 files", "write all shards again"],
    );
}

#[test]
fn a_shard_that_lacks_files_is_not_merged() {
    let dir = tree();
    let shards = split(&dir, 2, &[], "sums");
    let list = String::from_utf8(dir.read(&shards[1])).unwrap();
    let shorter: Vec<&str> = list.lines().take(list.lines().count() - 1).collect();
    dir.write(&shards[1], format!("{}\n", shorter.join("\n")));
    let ran = dir.hashlane(["merge", "-o", "out"]).args(&shards).run().code(16);
    assert!(ran.stderr.contains("2.sums: lists ") && ran.stderr.contains(" of shard 2"), "{}", ran.stderr);
    assert!(!dir.has("out") && dir.has("out.partial"));
    // The right number of files, and not the right ones; a name that was cut off.
    let lines: Vec<&str> = list.lines().collect();
    let (last, rest) = lines.split_last().unwrap();
    let doubled = [rest, &rest[rest.len() - 1..]].concat().join("\n");
    let cut_off = list.trim_end_matches(char::is_control);
    for other in [format!("{doubled}\n"), cut_off[..cut_off.len() - 1].to_owned()] {
        assert!(other.lines().count() == lines.len() && !other.ends_with(&format!("{last}\n")));
        dir.write(&shards[1], other);
        let ran = dir.hashlane(["merge", "-o", "out"]).args(&shards).run().code(16);
        assert!(ran.stderr.contains("2.sums: lists other names than shard 2 should"), "{}", ran.stderr);
    }
    // A line that cannot be read, and one with another algorithm.
    dir.write(
        &shards[1],
        list.replacen("\n6", "\nzz", 1)
            .replacen("\n5", "\nzz", 1)
            .replacen("\n4", "\nzz", 1)
            .replacen("\n3", "\nzz", 1),
    );
    dir.hashlane(["merge", "-o", "out"]).args(&shards).run().code(16);
    let other = dir.hashlane(["sum", "-q", "-a", "md5", "--shard", "2/2", "t"]).run().code(0).stdout;
    dir.write(&shards[1], other);
    let ran = dir.hashlane(["merge", "-o", "out"]).args(&shards).run().code(16);
    assert!(
        ran.stderr.contains("2.sums: its digests are md5, and those of 1.sums are sha256"),
        "{}",
        ran.stderr
    );
    assert!(!dir.has("out"));
}

#[test]
fn shards_that_are_unlike_are_refused_before_anything_is_written() {
    let dir = tree();
    let jsonl = ["--manifest-format", "jsonl"];
    split(&dir, 3, &[], "sums");
    split(&dir, 3, &["-a", "md5"], "md5");
    split(&dir, 3, &[&jsonl[..], &["-a", "sha256,md5"]].concat(), "two");
    split(&dir, 3, &jsonl, "jsonl");
    let first_fails = |list: Vec<u8>| {
        let list = String::from_utf8(list).unwrap();
        let (header, rest) = list.split_once("\n").unwrap();
        format!("{header}\n{{\n{rest}")
    };
    dir.write("2.begins-badly", first_fails(dir.read("2.two")));
    for (arguments, expected) in [
        (&["1.sums", "2.sums", "3.md5"][..], "3.md5: its digests are md5, and those of 1.sums are sha256;"),
        (&["1.jsonl", "2.two", "3.jsonl"], "2.two: its digests are "),
        (&["1.jsonl", "2.begins-badly", "3.jsonl"], "2.begins-badly: its digests are "),
        // A list that has no sizes, for a format that needs them.
        (&["1.jsonl", "2.jsonl", "3.sums", "--manifest-format", "hashdeep"], "3.sums: "),
    ] {
        let ran = dir.hashlane(["merge"]).args(arguments).run().code(16);
        let ran = ran.printed("");
        assert!(ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.ends_with("nothing was written\n"), "{arguments:?}: {}", ran.stderr);
    }
    // The order in which digests stand means nothing.
    split(&dir, 3, &[&jsonl[..], &["-a", "md5,sha256"]].concat(), "other");
    dir.hashlane(["merge", "-q", "1.two", "2.other", "3.two"]).run().code(0);
}

#[test]
fn headers_are_not_believed() {
    let dir = tree();
    let shards = split(&dir, 2, &[], "sums");
    let list = String::from_utf8(dir.read(&shards[0])).unwrap();
    for (what, other, code, expected) in [
        ("files=", "files=99999999999999999999", 16, "does not state which shard it is"),
        ("files=", "files=18446744073709551615", 16, "does not state which shard it is"),
        ("of-files=", "of-files=18446744073709551615", 16, "is a shard of another listing"),
        ("shard: 1/", "shard: 1/4000000000", 16, "is one of 2 shards"),
        (
            "names=",
            "names=00000000000000000000000000000001-00000000000000000000000000000002",
            16,
            "wrong: does not begin where the listing begins",
        ),
    ] {
        let begin = list.find(&format!(" {what}")).unwrap() + 1;
        let end = begin + list[begin..].find([' ', '\n']).unwrap();
        let end = if what.starts_with("shard") { begin + list[begin..].find(" files").unwrap() } else { end };
        dir.write("wrong", format!("{}{other}{}", &list[..begin], &list[end..]));
        let ran = dir.hashlane(["merge", "-o", "out", "wrong", &shards[1]]).run();
        assert!(ran.stderr.contains(expected), "{other}: {}", ran.stderr);
        let status = ran.status.code().unwrap();
        assert!(status & code == code && status < 64 && !dir.has("out"), "{other}: {status}");
    }
    let one = list.replace("shard: 1/2 ", "shard: 1/4000000000 ");
    dir.write("alone", one);
    let ran = dir.hashlane(["merge", "alone"]).run().code(2);
    assert!(ran.stderr.contains("missing: shards 2-4000000000 of 4,000,000,000 shards"), "{}", ran.stderr);
}

#[test]
fn what_a_merge_says_of_itself_is_what_its_shards_say() {
    let dir = tree();
    let shards = split(&dir, 2, &["--manifest-format", "jsonl"], "jsonl");
    let started = |name: &str| {
        let list = String::from_utf8(dir.read(name)).unwrap();
        let (_, rest) = list.split_once("\"started\":\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    dir.hashlane(["merge", "-q", "--header", "-o", "all.jsonl"]).args(&shards).run().code(0);
    assert_eq!(started("all.jsonl"), started("1.jsonl").min(started("2.jsonl")));
    let list = String::from_utf8(dir.read("all.jsonl")).unwrap();
    assert!(list.contains("\"root\":\"t\"") && !list.contains("\"shard\""), "{list}");
    let ran = dir.hashlane(["sum", "--update", "1.jsonl"]).run().code(64);
    assert!(ran.stderr.contains("1.jsonl: is one shard of several"), "{}", ran.stderr);
}

#[test]
fn every_format_that_has_a_place_for_it_can_be_merged() {
    let dir = tree();
    for format in [
        "gnu",
        "bsd",
        "base64",
        "base64-untagged",
        "multihash",
        "ni",
        "sri",
        "hashdeep",
        "md5deep-sizes",
        "md5deep-csv",
        "checkm",
        "bagit",
        "jsonl",
        "parquet",
    ] {
        let arguments = ["--manifest-format", format, "."];
        let sum = |output: &str, more: &str| {
            dir.shell(&format!("cd t && $0 sum -q {more} -o ../{output} {}", arguments.join(" "))).run()
        };
        sum("whole", "").code(0);
        for index in 1..=3 {
            sum(&format!("{index}.part"), &format!("--shard {index}/3")).code(0);
        }
        let merged = dir.hashlane(["merge", "-o", "merged", "3.part", "1.part", "2.part"]).run();
        assert!(merged.status.success(), "{format}: {}", merged.stderr);
        let whole = dir.hashlane(["convert", "--tag", "whole"]).run().stdout;
        assert_eq!(dir.hashlane(["convert", "--tag", "merged"]).run().stdout, whole, "{format}");
    }
}

#[test]
fn what_cannot_be_split_is_refused() {
    let dir = tree();
    for (arguments, expected) in [
        (&["sum", "--shard", "1/2"][..], "standard input cannot be split"),
        (&["sum", "--shard", "1/2", "-"], "standard input cannot be split"),
        (&["sum", "--shard", "1/2", "--files-from", "-"], "cannot come through a pipe"),
        (&["sum", "--shard", "0/2", "t"], "not a part such as 3/16"),
        (&["sum", "--shard", "3/2", "t"], "not a part such as 3/16"),
        (&["sum", "--shard", "2", "t"], "not a part such as 3/16"),
        (&["sum", "--shard", "1/2", "--manifest-format", "csv", "t"], "cannot state which shard it is"),
        (&["sum", "--shard", "1/2", "--manifest-format", "dfxml", "t"], "cannot state which shard it is"),
        (
            &["sum", "--shard", "1/2", "-o", "t/0/out", "t"],
            "lies below t, where the other shards would list it",
        ),
    ] {
        let ran = dir.hashlane(arguments).run().code(64);
        assert!(ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
    }
    assert!(!dir.has("t/0/out.partial"));
    // Bounds hold for the listing as for what is read.
    let whole = dir.hashlane(["sum", "-q", "--min-size", "2000", "t"]).run().code(0);
    let shards: Vec<String> = (1..=3)
        .map(|index| {
            let (of, name) = (format!("{index}/3"), format!("{index}.sums"));
            let sum = dir.hashlane(["sum", "-q", "--min-size", "2000", "--shard", &of, "-o", &name, "t"]);
            sum.run().code(0);
            name
        })
        .collect();
    let merged = dir.hashlane(["merge", "-q"]).args(&shards).run().code(0);
    assert_eq!(printed(&merged), printed(&whole));
}
