//! `hashlane bag`: bags are made and verified as RFC 8493 has it, and as bagit.py does where the two agree.

mod conformance;
mod create;
mod validate;

use std::fs;
use std::path::{Path, PathBuf};

use crate::work::{Dir, HASHLANE, Ran, digest, needs};

/// The validator of the Library of Congress, which `cargo xtask setup` installs; says so if it is not there.
fn bagit() -> Option<PathBuf> {
    let built = Path::new(HASHLANE).ancestors().map(|above| above.join("tools/bagit/bin/bagit.py"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named: Vec<_> = std::env::split_paths(&path).map(|folder| folder.join("bagit.py")).collect();
    let found = built.chain(named).find(|tool| tool.is_file());
    needs(found.is_some(), "bagit.py");
    found
}

/// Whether bagit.py takes a bag for valid.
fn they_accept(dir: &Dir, tool: &Path, bag: &str) -> bool {
    let ran =
        dir.command(tool.to_str().unwrap(), ["--validate", "--quiet", bag]).env("PYTHONUTF8", "1").run();
    match ran.status.code() {
        Some(0) => true,
        Some(1) => false,
        _ => panic!("{}: {}", ran.status, ran.stderr),
    }
}

fn validate(dir: &Dir, arguments: &[&str]) -> Ran {
    dir.hashlane(["bag", "validate"]).args(arguments).run()
}

/// A manifest, from paths as they are to stand there and the contents that they are to have.
fn manifest(algorithm: &str, files: &[(&str, &str)]) -> String {
    files.iter().map(|(path, content)| format!("{}  {path}\n", digest(algorithm, content))).collect()
}

fn declaration(version: &str) -> String {
    format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n")
}

/// Lists the tag files that are there.
fn seal(dir: &Dir, algorithm: &str) {
    let names = fs::read_dir(dir.path("bag")).unwrap().map(|entry| entry.unwrap());
    let files = names.filter(|entry| entry.file_type().unwrap().is_file());
    let mut names: Vec<_> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with("tagmanifest-"));
    names.sort();
    let line = |name: &String| format!("{}  {name}\n", digest(algorithm, dir.read(format!("bag/{name}"))));
    let text: String = names.iter().map(line).collect();
    dir.write(format!("bag/tagmanifest-{algorithm}.txt"), text);
}

/// A bag without metadata and tag manifests.
fn bare(version: &str, files: &[(&str, &str)]) -> Dir {
    let dir = Dir::new();
    for (name, content) in files {
        dir.write(format!("bag/{name}"), content);
    }
    dir.make("bag/data");
    dir.write("bag/bagit.txt", declaration(version)).write("bag/manifest-md5.txt", manifest("md5", files));
    dir
}

const FILES: [(&str, &str); 2] = [("data/hello.txt", "hello\n"), ("data/sub/a b", "b\n")];

/// A bag with everything.
fn whole(version: &str) -> Dir {
    let dir = bare(version, &FILES);
    dir.write("bag/bag-info.txt", "Contact-Name: Ada\nPayload-Oxum: 8.2\n");
    seal(&dir, "md5");
    dir
}
