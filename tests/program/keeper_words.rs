//! What the commands about collections say of files, paths and states: no more than is so, and in words for people.

use crate::work::Dir;

/// Standard error of a command that ends with a code.
fn told(dir: &Dir, arguments: &[&str], code: i32) -> String {
    dir.keeper(arguments.iter().copied()).run().code(code).stderr
}

#[test]
fn only_what_the_program_keeps_beside_the_catalogue_is_left_out_of_a_tree() {
    let dir = Dir::new();
    dir.write("a", "first");
    dir.keeper(["collection", "add", "t", "."]).run().code(0);
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("1 file listed"), "{said}");
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    dir.keeper(["catalog", "restore", "copy"]).run().code(0);
    assert!(dir.has("catalog.sqlite.before-restore-1"));
    std::fs::remove_file(dir.path("copy")).unwrap();
    for name in ["audit-notes.txt", "audit-1.txt", "version-2.old", "before-restore-1.txt"] {
        dir.write(format!("catalog.sqlite.{name}"), "mine");
    }
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("5 files listed"), "{said}");
}
