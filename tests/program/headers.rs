//! What a manifest says of the run that wrote it: kept and read back, or refused; and what becomes of it with `--base`.

use serde_json::Value;

use crate::work::Dir;

/// A tree with something beside it that no list of it has.
fn tree() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/sub/b", "2").write("beside/c", "3");
    dir
}

/// The formats that are written, each with an algorithm that it takes.
fn formats(dir: &Dir) -> Vec<(String, &'static str)> {
    let formats = dir.hashlane(["formats", "--format", "json"]).run().code(0).stdout;
    let formats: Value = serde_json::from_slice(&formats).unwrap();
    let written = formats.as_array().unwrap().iter().filter(|format| format["write"] == true);
    let names = written.map(|format| format["name"].as_str().unwrap().to_owned());
    names.map(|name| if name == "sfv" { (name, "crc32") } else { (name, "sha256") }).collect()
}

#[test]
fn each_format_keeps_a_header_that_is_read_back_or_refuses_it() {
    let dir = tree();
    let (mut kept, mut refused) = (Vec::new(), Vec::new());
    for (format, algorithm) in formats(&dir) {
        let write = ["--header", "--manifest-format", &format, "-a", algorithm];
        let sum = dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).args(write).run();
        if sum.status.code() != Some(0) {
            sum.code(64).said(&[&format!(
                "a {format} manifest has no place for a header, which other programs would take for a line of the list; use jsonl, \
                 dfxml, bsd or gnu, or leave the header out"
            )]);
            assert!(!dir.has("LIST") && !dir.has("LIST.partial"), "{format}");
            dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).args(&write[1..]).run().code(0);
            dir.hashlane(["convert", "LIST", "COPY"]).args(write).run().code(64);
            refused.push(format.clone());
        } else {
            let check = |list: &str, code| {
                let check =
                    ["check", "-q", "--complete", "--manifest-format", &format, "-a", algorithm, list];
                dir.hashlane(check).run().code(code)
            };
            check("LIST", 0);
            // So do conversions, which have it from the list.
            let convert = ["convert", "-q", "--from", &format, "--from-algorithm", algorithm, "LIST", "COPY"];
            dir.hashlane(convert).args(write).run().code(0);
            dir.write("t/new", "new");
            for list in ["LIST", "COPY"] {
                check(list, 1).printed("t/new: EXTRA (not listed)\n");
            }
            std::fs::remove_file(dir.path("t/new")).unwrap();
            kept.push(format.clone());
        }
        for list in ["LIST", "COPY"] {
            let _ = std::fs::remove_file(dir.path(list));
        }
    }
    println!("kept: {}, refused: {}", kept.len(), refused.len());
    assert_eq!(refused, ["ace", "csv"]);
    assert_eq!(kept.len(), 16, "{kept:?}");
}
