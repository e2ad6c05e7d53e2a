//! `bench pipeline`: reading and digesting by several ways, on files that are made and on files that are there.

use serde_json::Value;

use crate::work::{Cmd, Dir, printed};

fn pipeline(dir: &Dir, arguments: &[&str]) -> Cmd {
    dir.hashlane(["bench", "pipeline", "--quick", "--budget", "1s", "-o", "run.json"]).args(arguments)
}

fn cells(dir: &Dir) -> Vec<Value> {
    dir.run_file()["cells"].as_array().expect("cells").clone()
}

#[test]
fn every_way_of_reading_gives_the_same_digests_and_one_is_best() {
    let dir = Dir::new();
    let arguments =
        ["--files", "3", "--file-size", "1000003", "--block", "4096,10000", "-a", "blake3", "--wide"];
    let text = printed(&pipeline(&dir, &arguments).run().code(0));
    for part in
        ["blake3 alone, in memory", "serial", "pipelined", "mmap", "no overlap", "as sum reads", "blake3, "]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(text.contains(": the best is ") || text.contains(": the fastest was "), "{text}");
    let cells = cells(&dir);
    let digests: Vec<_> = cells.iter().filter_map(|cell| cell["digest"].as_str()).collect();
    assert!(digests.len() > 4 && digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
    for cell in cells.iter().filter(|cell| cell["cell"]["model"] == "pipelined") {
        for sample in cell["samples"].as_array().expect("samples") {
            let wait = |side: &str| sample[side].as_u64().expect("it is seen");
            let wall = sample["wall_ns"].as_u64().expect("a time");
            assert!(wait("reader_wait_ns") <= wall && wait("digester_wait_ns") <= wall, "{sample}");
        }
    }
    let page = String::from_utf8(dir.read("run.html")).expect("UTF-8");
    assert!(page.contains("<polyline") && page.contains("class=\"ceiling\""));
    assert_eq!(std::fs::read_dir(dir.root()).expect("list").count(), 2);
}

#[test]
fn the_tables_of_ace_have_its_blocks_and_its_columns() {
    let dir = Dir::new();
    let arguments = [
        "--files",
        "2",
        "--file-size",
        "1MB",
        "--block",
        "4096,1MiB",
        "--model",
        "serial,pipelined",
        "--classic",
    ];
    let text = printed(&pipeline(&dir, &arguments).run().code(0));
    assert!(text.contains("Serial, sha256, ") && text.contains("Two threads, 5 buffers, sha256, "), "{text}");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.first().is_some_and(|first| ["4096", "1048576"].contains(first)))
        .collect();
    assert_eq!(rows.len(), 4, "{text}");
    for row in rows {
        assert_eq!(row.len(), 4);
        assert!(row[1..].iter().all(|rate| rate.parse::<f64>().is_ok_and(|rate| rate > 0.0)), "{row:?}");
    }
    let again = dir.hashlane(["report", "run.json", "--classic"]).run().code(0);
    assert_eq!(printed(&again), text);
}

#[test]
fn files_that_are_there_are_read_and_left_alone() {
    let dir = Dir::new();
    dir.write("there/a", vec![1; 200_000])
        .write("there/below/b", vec![2; 100_000])
        .write("there/large", vec![3; 900_000]);
    let arguments = ["there", "--most", "300kB", "--model", "serial", "--cache-state", "warm"];
    printed(&pipeline(&dir, &arguments).run().code(0));
    assert!(cells(&dir).iter().any(|cell| cell["cell"]["input_bytes"] == 300_000));
    assert_eq!(std::fs::read_dir(dir.path("there")).expect("list").count(), 3);
    assert_eq!(dir.read("there/a"), vec![1; 200_000]);
}

#[test]
fn blocks_that_would_fill_the_memory_are_refused() {
    let dir = Dir::new();
    let ran = pipeline(&dir, &["--block", "1GiB", "--buffers", "1024"]).run().code(64).printed("");
    let why = "--block, --buffers: blocks of 1 GiB would take 1.10 TB, more than a quarter of the ";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_read_or_made_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    dir.write("file", "content").make("empty");
    for (arguments, said) in [
        (&["nowhere"][..], "DIR nowhere: No such file or directory"),
        (&["file"], "DIR file: is not a directory"),
        (&["empty"], "empty: contains no file of 1 byte to 256 MB"),
        (&["--dir", "nowhere"], "--dir nowhere: No such file or directory"),
        (&["--file-size", "1000TB"], "no space for a file of 1000000000.0 MB"),
        (&["--files", "2", "--file-size", "1000TB"], "--files: .: "),
        (&["--file-size", "0"], "an empty file cannot be measured; give at least 1"),
        (&["--block", "0"], "a block has at least 1 byte"),
        (&["--buffers", "0"], "0 is not in 1..=1024"),
        (&["--files", "0"], "0 is not in 1..=100000"),
        (&["--model", "magic"], "invalid value 'magic'"),
        (&["--most", "1GB"], "DIR"),
    ] {
        let ran = pipeline(&dir, arguments).run().code(64);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
        assert!(!dir.has("run.json"), "{arguments:?}");
    }
}
