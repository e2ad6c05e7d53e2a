//! `hashlane as`, links under old names, and `hashlane install-links`. That they do what their originals do is shown by
//! `cargo xtask differential`.

use std::os::unix::fs::symlink;

use crate::work::{Dir, HASHLANE, digest, gnu, have, needs};

#[test]
fn a_program_is_played_by_name_and_by_link() {
    let dir = Dir::new();
    dir.write("a", "one");
    let line = gnu(&[("a", "one")]);
    dir.hashlane(["as", "sha256sum", "a"]).run().code(0).printed(&line);
    symlink(HASHLANE, dir.path("sha256sum")).unwrap();
    dir.command("./sha256sum", ["a"]).run().code(0).printed(&line);
    dir.hashlane(["as", "b2sum", "-l", "256", "a"])
        .run()
        .code(0)
        .printed(format!("{}  a\n", digest("blake2b-256", "one")));
    let ran = dir.hashlane(["as", "md5sum", "missing"]).run().code(1);
    assert_eq!(ran.stderr, "md5sum: missing: No such file or directory\n");
    // Its help is its own.
    let help = dir.hashlane(["as", "sha1sum", "--help"]).run().code(0);
    assert!(help.stdout.starts_with(b"Usage: sha1sum [OPTION]"));
}

#[test]
fn a_program_that_is_not_known_gets_the_list() {
    let dir = Dir::new();
    let ran = dir.hashlane(["as", "shasum", "a"]).run().code(64);
    ran.said_among_others(&["shasum: not one of the programs: md5sum, sha1sum"]);
    dir.hashlane(["as"]).run().code(64);
    let help = dir.hashlane(["as", "--help"]).run().code(0);
    assert!(String::from_utf8_lossy(&help.stdout).contains("Act as an older program"));
}

#[test]
fn links_are_made_once_and_nothing_else_is_replaced_unasked() {
    let dir = Dir::new();
    dir.make("bin").write("bin/md5sum", "mine").make("bin/b2sum");
    let ran = dir.hashlane(["install-links", "bin"]).run().code(74);
    ran.said_among_others(&[
        "bin/md5sum: exists and is not a link to this program; --force replaces it",
        "bin/b2sum: is a directory and was left alone",
    ]);
    assert_eq!(dir.read("bin/md5sum"), b"mine");
    dir.write("a", "one");
    dir.command("bin/sha256sum", ["a"]).run().code(0).printed(gnu(&[("a", "one")]));
    let ran = dir.hashlane(["install-links", "bin", "sha256sum", "sha1sum"]).run().code(0);
    ran.said_among_others(&["0 links to "]);
    let ran = dir.hashlane(["install-links", "--force", "bin", "md5sum", "b2sum"]).run().code(74);
    ran.said_among_others(&["bin/b2sum: is a directory and was left alone", "1 link to "]);
    dir.command("bin/md5sum", ["a"]).run().code(0).printed(format!("{}  a\n", digest("md5", "one")));
    dir.hashlane(["install-links", "bin", "nonsense"]).run().code(64);
    dir.hashlane(["install-links", "nowhere"]).run().code(64);
}

#[test]
fn many_files_are_verified_by_the_engine_in_the_order_of_the_list() {
    let dir = Dir::new();
    let mut list = String::new();
    for number in 0..1500 {
        let content = format!("{number} ").repeat(300);
        let wrong = if number % 500 == 7 { "other" } else { &content };
        list += &gnu(&[(&format!("f{number}"), wrong)]);
        dir.write(format!("f{number}"), &content);
    }
    dir.write("LIST", list);
    let ran = dir.hashlane(["as", "sha256sum", "--quiet", "-c", "LIST"]).run().code(1);
    let ran = ran.printed("f7: FAILED\nf507: FAILED\nf1007: FAILED\n");
    assert_eq!(ran.stderr, "sha256sum: WARNING: 3 computed checksums did NOT match\n");
}

#[test]
fn a_nul_anywhere_in_a_line_is_taken_as_the_original_takes_it() {
    let dir = Dir::new();
    if !have("sha256sum") {
        return;
    }
    let version = dir.command("sha256sum", ["--version"]).run();
    if !needs(version.stdout.starts_with(b"sha256sum (GNU coreutils) 9.1\n"), "sha256sum of coreutils 9.1") {
        return;
    }
    dir.write("a", "one").write("ab", "one");
    let mut count = 0;
    for (program, algorithm, tag) in [("sha256sum", "sha256", "SHA256"), ("b2sum", "blake2b", "BLAKE2b")] {
        let right = digest(algorithm, "one");
        let forms = [
            format!("{right}  ab"),
            format!("{right} *ab"),
            format!("{right} ab"),
            format!("\\{right}  a\\\\b"),
            format!("{tag} (ab) = {right}"),
            format!("\\{tag} (a\\\\b) = {right}"),
            format!("  # {right}  ab"),
        ];
        for (number, form) in forms.iter().enumerate() {
            let mut lists = Vec::new();
            for at in 0..=form.len() {
                let (before, behind) = form.as_bytes().split_at(at);
                // Between two bytes and instead of one, with a line behind that has none.
                for (which, rest) in [behind, behind.get(1..).unwrap_or_default()].into_iter().enumerate() {
                    let list = format!("LIST-{number}-{at:03}-{which}");
                    dir.write(&list, [before, b"\0", rest, b"\n", form.as_bytes(), b"\n"].concat());
                    lists.push(list);
                }
            }
            count += lists.len();
            for options in [&["-c"][..], &["-cw"], &["-c", "--strict", "--ignore-missing"]] {
                let theirs = dir.command(program, options).args(&lists).run();
                let ours = dir.hashlane(["as", program]).args(options).args(&lists).run();
                assert_eq!(ours.stderr, theirs.stderr, "{form}");
                ours.code(theirs.status.code().unwrap()).printed(theirs.stdout);
            }
        }
    }
    println!("{count} lines with a NUL agree");
}
