//! Secrets of URLs: they are sent, and neither shown nor kept.

use super::server::{Asked, Server, Trouble};
use crate::work::{Cmd, Dir, digest, printed};

/// Part of all secrets here, and of nothing else.
const SECRET: &str = "TopSecret";

/// A signature as Amazon's programs make it.
fn signed(url: &str) -> String {
    format!(
        "{url}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA{SECRET}%2F20261101%2Fus-east-1&X-Amz-Date=20261101T100000Z\
         &X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Security-Token={SECRET}%2B/%3D&X-Amz-Signature=00{SECRET}"
    )
}

/// The URL of an object.
fn url(server: &Server, key: &str) -> String {
    format!("{}/b/{key}", server.url())
}

/// Refuses whoever has no signature.
fn guarded(asked: &Asked) -> Trouble {
    match asked.query.contains(SECRET) {
        true => Trouble::None,
        false => Trouble::Refused(403, "AccessDenied"),
    }
}

/// Runs a command, and looks through all that it has said and written.
fn run(dir: &Dir, command: Cmd, code: i32) -> crate::work::Ran {
    let ran = command.run().code(code);
    for (name, output) in [("stdout", &ran.stdout[..]), ("stderr", ran.stderr.as_bytes())] {
        assert!(!has_secret(output), "{name}: {}", String::from_utf8_lossy(output));
    }
    for file in files(dir.root()) {
        let is_input = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("given"));
        assert!(is_input || !has_secret(&std::fs::read(&file).unwrap()), "{}", file.display());
    }
    ran
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes())
}

/// All files below a directory.
fn files(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: std::path::PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(below).collect()
}

#[test]
fn no_command_shows_or_keeps_the_secret_of_a_url() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"aa"), ("p/b", b"bb")], guarded);
    let name = |key: &str| url(&server, key);
    let (a, b, gone) = (signed(&name("p/a")), signed(&name("p/b")), signed(&name("p/gone")));
    let line = |(key, content): (&str, &str)| format!("{}  {}\n", digest("sha256", content), name(key));
    let lines = [("p/a", "aa"), ("p/b", "bb")].map(line).concat();
    run(&dir, dir.hashlane(["sum", &a, &b]), 0).printed(&lines);
    for format in ["gnu", "bsd", "jsonl", "hashdeep", "dfxml", "mhl", "csv"] {
        let header = ["--header", "--no-header"][usize::from(matches!(format, "csv"))];
        let output = format!("list.{format}");
        let sum = ["sum", "--manifest-format", format, "-a", "md5", "--output", &output];
        let sum = dir.hashlane(sum).args([&a, &b]);
        run(&dir, if format == "csv" { sum } else { sum.arg(header) }, 0);
        assert!(String::from_utf8_lossy(&dir.read(&output)).contains(&name("p/a")), "{format}");
    }
    // A table is compressed: it shows what is in it when it is converted.
    run(&dir, dir.hashlane(["sum", "--manifest-format", "parquet", "--output", "t.parquet", &a]), 0);
    run(&dir, dir.hashlane(["convert", "t.parquet", "t.jsonl"]), 0);
    // Names of a list that somebody made, and of a list of names.
    dir.write("given.urls", format!("{a}\n{gone}\n{b}\n"));
    let ran = run(&dir, dir.hashlane(["sum", "--files-from", "given.urls"]), 16).printed(&lines);
    assert!(ran.stderr.contains("p/gone: the store answered 404 Not Found"), "{}", ran.stderr);
    let listed = [(&a, "aa"), (&gone, "x"), (&b, "no")];
    let list: String =
        listed.map(|(url, content)| format!("{}  {url}\n", digest("sha256", content))).concat();
    dir.write("given.list", list);
    let ran = run(&dir, dir.hashlane(["check", "given.list"]), 2 | 4);
    assert!(printed(&ran).contains(&format!("{}: OK\n", name("p/a"))), "{}", printed(&ran));
    run(&dir, dir.hashlane(["check", "--format", "json", "given.list"]), 2 | 4);
    // What is refused, what is not there, and where nobody listens.
    run(&dir, dir.hashlane(["sum", &name("p/a?token=other"), &gone]), 16);
    run(&dir, dir.hashlane(["sum", "--progress", "json", &signed(&name("p/a?part=1"))]), 0);
    dir.write("names.list", format!("{}  a\n", digest("sha256", "aa")));
    let away = format!("127.0.0.1:9/k?sv=1&se=2&sig={SECRET}");
    let somebody = format!("https://me:{SECRET}@127.0.0.1:9/k");
    for (arguments, code) in [
        (&["sum", &format!("http://{away}")][..], 16),
        (&["sum", &somebody], 16),
        (&["sum", &format!("https://me:x/{SECRET}@127.0.0.1:9/k")], 16),
        (&["sum", "--dry-run", &somebody], 16),
        (&["sum", "s3://b/k", "--endpoint", &somebody], 64),
        (&["check", "--base", &somebody, "names.list"], 16),
        (&["check", &a], 64),
        (&["diff", &a, &b], 16),
        (&["collection", "add", "urls", &somebody], 64),
        (&["collection", "add", "urls", &a], 64),
        (&["convert", &a], 64),
        (&["formats", &a], 64),
        (&["sum", "--no-such-option", &a], 64),
        (&["sum", &format!("--algorithm={a}"), "x"], 64),
    ] {
        run(&dir, dir.keeper(arguments), code);
    }
}

#[test]
fn a_signed_url_is_the_object_that_it_is_signed_for() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"aa")], guarded);
    let url = url(&server, "p/a");
    let at = |days: &str| signed(&url).replace("20261101", days);
    let sum = ["sum", "--header", "--manifest-format", "jsonl", "--output", "list.jsonl"];
    run(&dir, dir.hashlane(sum).arg(at("20261101")), 0);
    // Signed anew, it has the same name, so its list is brought up to date.
    let update = dir.hashlane(["sum", "--update", "list.jsonl", "--trust", "mtime"]).arg(at("20261102"));
    let ran = run(&dir, update, 0);
    assert!(ran.stderr.contains("1 file not read again"), "{}", ran.stderr);
    server.put("p/a", Some(b"another"));
    let update = dir.hashlane(["sum", "--update", "list.jsonl", "--trust", "mtime"]).arg(at("20261103"));
    run(&dir, update, 0);
    let list = dir.read("list.jsonl");
    assert!(String::from_utf8_lossy(&list).contains(&digest("sha256", "another")), "it was read again");
    // The name alone opens nothing.
    run(&dir, dir.hashlane(["check", "list.jsonl"]), 16);
}

#[test]
fn two_urls_of_one_name_are_refused() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"aa")], guarded);
    let url = url(&server, "p/a");
    let (one, other) = (signed(&url), signed(&url).replace("20261101", "20261102"));
    run(
        &dir,
        dir.hashlane(["sum", "--manifest-format", "jsonl", "--header", "--output", "list.jsonl", &one]),
        0,
    );
    let list = dir.read("list.jsonl");
    for roots in [[&one, &other], [&one, &url], [&url, &one]] {
        for arguments in [&["sum"][..], &["sum", "--dry-run"], &["sum", "--update", "list.jsonl"]] {
            let ran = run(&dir, dir.hashlane(arguments).args(roots), 64);
            let why = "p/a: two URLs have this name, which leaves out signatures, tokens and passwords; read each in a run of its own";
            assert!(ran.stderr.contains(why), "{}", ran.stderr);
        }
    }
    assert_eq!(dir.read("list.jsonl"), list);
    run(&dir, dir.hashlane(["sum", &one, &one]), 0);
}

#[test]
fn runs_of_commands_have_no_secret_of_a_url() {
    let dir = Dir::new();
    let url = format!("https://127.0.0.1:9/k?a=1&X-Amz-Signature=00{SECRET}");
    let (echo, setup) = (format!("echo '{url}'"), format!("echo {url} -o f; true"));
    let study = ["bench", "variant", "--budget", "1s", "--no-result", "--output", "run.json"];
    let study = dir.hashlane(study).args(["--setup", &setup, "--command", &echo]);
    run(&dir, study, 0);
    let kept = String::from_utf8_lossy(&dir.read("run.json")).into_owned();
    for shown in ["echo https://127.0.0.1:9/k?a=1 -o f; true", "echo 'https://127.0.0.1:9/k?a=1'"] {
        assert!(kept.contains(shown), "{shown}: {kept}");
    }
    run(&dir, dir.hashlane(["report", "run.json"]), 0);
}
