//! `hashlane sum --update`: what is read again, what is trusted, and what never happens to a manifest.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, SystemTime};

use crate::keeper::mounting;
use crate::work::{Dir, digest, have_mounts};

/// Trees that are at rest for long enough. Nobody can set back ctime, so it is waited for, once for all that take one meanwhile.
struct Pool(Mutex<Vec<Dir>>);

/// More than there are tests that need one.
const TREES: usize = 30;

static POOL: Mutex<Weak<Pool>> = Mutex::new(Weak::new());

/// A directory of the pool, which is kept for as long as a test has something of it.
struct Rested {
    dir: Dir,
    _pool: Arc<Pool>,
}

impl Deref for Rested {
    type Target = Dir;

    fn deref(&self) -> &Dir {
        &self.dir
    }
}

/// A tree of three files that has been at rest, and a list of it. Beside it is [`alike`]'s.
fn listed() -> Rested {
    let pool = {
        // Locked until the time is over: the others wait for the same.
        let mut known = POOL.lock().unwrap();
        let pool = known.upgrade().unwrap_or_else(|| {
            let trees = (0..TREES).map(|_| {
                let dir = Dir::new();
                dir.write("t/a", "one").write("t/b", "two").write("t/sub/c", "three");
                for (name, content) in [("u/1/f", "one"), ("u/2/f", "two"), ("u/3/f", "six")] {
                    dir.write(name, content).set_modified(name, long_ago());
                }
                dir
            });
            let trees = trees.collect();
            rest();
            Arc::new(Pool(Mutex::new(trees)))
        });
        *known = Arc::downgrade(&pool);
        pool
    };
    let dir = pool.0.lock().unwrap().pop().expect("enough trees");
    dir.hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
    Rested { dir, _pool: pool }
}

fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

/// For longer than clocks may be off.
fn rest() {
    std::thread::sleep(Duration::from_millis(3100));
}

/// When all that is listed was verified, as the header has it.
fn started(dir: &Dir) -> String {
    let list = String::from_utf8(dir.read("LIST")).unwrap();
    let (_, rest) = list.split_once("\"started\":\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

/// Other content under the same size and time.
fn corrupt(dir: &Dir, name: &str) {
    let mut content = dir.read(name);
    content[0] ^= 1;
    dir.corrupt(name, content);
}

/// The lines that list files, as a new run writes them and as the list has them.
fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    text.lines().filter(|line| !line.contains("\"header\"")).map(str::to_owned).collect()
}

fn is_up_to_date(dir: &Dir) {
    is_that_of(dir, "t");
}

fn is_that_of(dir: &Dir, tree: &str) {
    let with_inodes = dir.read("LIST").windows(8).any(|text| text == b"\"inode\":");
    let header: &[_] = if with_inodes { &["--header"] } else { &[] };
    let fresh = dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", tree]).args(header).run().code(0);
    assert_eq!(lines(&dir.read("LIST")), lines(&fresh.stdout));
}

const TRUSTED: &str = "trusted by size, mtime, ctime and inode";

#[test]
fn what_did_not_change_is_not_read_again() {
    let dir = listed();
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0).printed("");
    ran.said(&[&format!("3 files not read again, {TRUSTED}"), "0 files, 0 B (0 B)"]);
    is_up_to_date(&dir);
}

#[test]
fn what_is_new_changed_or_gone_is_said_and_the_list_is_that_of_a_new_run() {
    let dir = listed();
    dir.write("t/0", "new").write("t/sub/d", "new").write("t/b", "changed");
    std::fs::remove_file(dir.path("t/a")).unwrap();
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said(&[
        "added: t/0",
        "changed: t/b",
        "added: t/sub/d",
        "gone: t/a",
        &format!("1 file not read again, {TRUSTED}; 2 added; 1 changed; 1 gone"),
        "3 files, 13 B (13 B)",
    ]);
    is_up_to_date(&dir);
    // And the header is that of the new run.
    dir.hashlane(["check", "-q", "--complete", "LIST"]).run().code(0).printed("");
}

#[test]
fn below_a_directory_that_was_renamed_nothing_is_read_again() {
    for format in ["jsonl", "dfxml", "parquet"] {
        let dir = listed();
        let rename = |from: &str, to: &str| std::fs::rename(dir.path(from), dir.path(to)).unwrap();
        dir.hashlane(["sum", "-q", "--header", "--manifest-format", format, "-o", "L", "t"]).run().code(0);
        rename("t/sub", "t/other");
        let ran = dir.hashlane(["sum", "--update", "L", "--fail-on-change"]).run().code(1 + 2);
        ran.said(&[
            "moved: t/other/c (from t/sub/c)",
            &format!("3 files not read again, {TRUSTED}; 1 moved"),
            "0 files, 0 B (0 B)",
        ]);
        dir.hashlane(["sum", "-q", "--header", "--manifest-format", format, "-o", "NEW", "t"]).run().code(0);
        let converted = |list: &str| {
            let ran = dir.hashlane(["convert", "-q", "--manifest-format", "jsonl", list]).run().code(0);
            lines(&ran.stdout)
        };
        assert_eq!(converted("L"), converted("NEW"), "{format}");
        // The new list has their inodes, too.
        rename("t/other", "t/third");
        let ran = dir.hashlane(["sum", "--update", "L"]).run().code(0);
        ran.said_among_others(&["moved: t/third/c (from t/other/c)", "0 files, 0 B (0 B)"]);
    }
}

#[test]
fn a_renamed_root_is_followed_where_both_names_are_searched() {
    let dir = listed();
    dir.shell("mkdir up; mv t up/t").run().code(0);
    // The list knows of t alone, and what lies below up is new.
    dir.hashlane(["sum", "--update", "LIST"]).run().code(16);
    let ran = dir.hashlane(["sum", "--update", "LIST", "up"]).run().code(0);
    let said = format!("0 files not read again, {TRUSTED}; 3 added; 3 elsewhere and not examined");
    ran.said_among_others(&[&said]);
    let dir = listed();
    dir.shell("mv t/sub t/deep; mkdir t/sub; mv t/deep t/sub/").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST", "."]).run().code(0);
    ran.said_among_others(&["added: ./t/sub/deep/c"]);
    let dir = listed();
    dir.shell("mv t/sub t/deep; mkdir t/sub; mv t/deep t/sub/").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&["moved: t/sub/deep/c (from t/sub/c)", "0 files, 0 B (0 B)"]);
    is_up_to_date(&dir);
}

#[test]
fn a_file_that_was_renamed_by_itself_or_copied_is_read() {
    let dir = listed();
    // A copy with all times has a new ctime, and so has a file that gets another name.
    dir.shell("cp -a t/sub t/copy; rm -r t/sub; mv t/a t/a2").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said(&[
        "added: t/a2",
        "added: t/copy/c",
        "gone: t/a",
        "gone: t/sub/c",
        &format!("1 file not read again, {TRUSTED}; 2 added; 2 gone"),
        "2 files, 8 B (8 B)",
    ]);
    is_up_to_date(&dir);
}

/// A list of three directories with files that are alike in name, size and time, but not in content.
fn alike() -> Rested {
    let dir = listed();
    dir.hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "u"]).run().code(0);
    dir
}

#[test]
fn directories_with_files_alike_do_not_get_digests_of_each_other() {
    // Two are renamed at once, so that their order is another one.
    let dir = alike();
    dir.shell("mv u/1 u/b; mv u/2 u/a").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&["moved: u/a/f (from u/2/f)", "moved: u/b/f (from u/1/f)", "0 files, 0 B (0 B)"]);
    is_that_of(&dir, "u");

    // They change their names: both names are listed, and neither content is corrupt.
    let dir = alike();
    dir.shell("mv u/1 u/x; mv u/2 u/1; mv u/x u/2").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&["changed: u/1/f", "changed: u/2/f"]);
    is_that_of(&dir, "u");

    // One takes the name of another, which is gone.
    let dir = alike();
    dir.shell("rm -r u/1; mv u/2 u/1").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&["changed: u/1/f", "gone: u/2/f"]);
    is_that_of(&dir, "u");

    // A copy from before the listing comes in, and the listed one is gone.
    let dir = alike();
    dir.shell("mkdir outside; mv u/3 outside/3").run().code(0);
    dir.hashlane(["sum", "--update", "LIST", "-q"]).run().code(0);
    dir.shell("rm -r u/1; mv outside/3 u/9").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&["added: u/9/f", "gone: u/1/f"]);
    is_that_of(&dir, "u");
}

#[test]
fn what_is_damaged_under_another_inode_is_corrupt_as_ever() {
    let dir = alike();
    // As a disk that is copied to another one, and not well.
    dir.shell("cp -a u/1/f u/1/g; mv u/1/g u/1/f; printf eno > u/1/f").run().code(0);
    dir.set_modified("u/1/f", long_ago());
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(8);
    ran.said_among_others(&["u/1/f: corrupt: neither size nor time says that it was written"]);
}

#[test]
fn symbolic_links_are_not_taken_for_renamed_files() {
    let dir = alike();
    dir.shell("mv u/1 away; mkdir u/9; ln -s ../../away/f u/9/f").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST", "--follow"]).run().code(0);
    ran.said_among_others(&["added: u/9/f", "gone: u/1/f"]);
    let fresh =
        dir.hashlane(["sum", "-q", "--header", "--follow", "--manifest-format", "jsonl", "u"]).run().code(0);
    assert_eq!(lines(&dir.read("LIST")), lines(&fresh.stdout));
}

#[test]
fn what_is_read_below_a_renamed_directory_is_compared_with_what_is_listed_of_it() {
    // Damage keeps what is listed, under the new name, and a check finds it.
    let dir = alike();
    let old = dir.read("u/1/f");
    corrupt(&dir, "u/1/f");
    std::fs::rename(dir.path("u/1"), dir.path("u/9")).unwrap();
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(8);
    let said = "u/9/f: corrupt: neither size nor time says that it was written; its listed entry is kept";
    ran.said_among_others(&[said]);
    dir.hashlane(["check", "-q", "LIST"]).run().code(8);
    dir.corrupt("u/9/f", old);
    dir.hashlane(["check", "-q", "--complete", "LIST"]).run().code(0);

    // Another algorithm, or a change of its mode, makes it be read.
    let dir = alike();
    dir.shell("mv u/1 u/9; chmod 600 u/9/f").run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST", "-a", "md5"]).run().code(0);
    ran.said_among_others(&[
        "moved: u/9/f (from u/1/f)",
        &format!("0 files not read again, {TRUSTED}; 1 moved; 3 read again and unchanged"),
    ]);
    dir.hashlane(["check", "-q", "--complete", "LIST"]).run().code(0);
}

#[test]
fn what_cannot_be_read_below_a_renamed_directory_stays_listed() {
    let dir = alike();
    let listed = lines(&dir.read("LIST")).len();
    dir.shell("chmod 777 .; chmod 0 u/1/f; mv u/1 u/9").run().code(0);
    let ran = dir.hashlane(["sum", "-o", "NEW", "--update", "LIST"]).without_rights().run().code(16);
    ran.said_among_others(&["u/9/f: Permission denied; its listed entry is kept"]);
    assert_eq!(lines(&dir.read("NEW")).len(), listed);
    // Nor is gone what may lie in a directory that nobody can list.
    let dir = alike();
    dir.shell("chmod 777 .; mv u/1 u/9; chmod 0 u/9").run().code(0);
    let ran = dir.hashlane(["sum", "-o", "NEW", "--update", "LIST"]).without_rights().run().code(16);
    ran.said_among_others(&["u/9: Permission denied"]);
    assert_eq!(lines(&dir.read("NEW")).len(), listed);
}

#[test]
fn files_of_another_file_system_with_the_same_inodes_are_read() {
    if !have_mounts() {
        return;
    }
    let dir = Dir::new();
    dir.make("u/one").make("u/two").make("other").write("u/a", "a");
    // Two file systems in memory number their files alike.
    let script = r#"
        set -e
        for place in u/one other; do mount -t tmpfs none $place; mkdir $place/d; done
        echo 1 > u/one/d/f; echo 2 > other/d/f; touch -d 2020-01-01 u/one/d/f other/d/f
        test $(stat -c %i u/one/d/f) = $(stat -c %i other/d/f)
        sleep 3.1
        "$0" sum -q --header --manifest-format jsonl -o LIST u u/one
        umount u/one
        mount --move other u/two || { umount other; mount -t tmpfs none u/two; mkdir u/two/d; echo 2 > u/two/d/f; touch -d 2020-01-01 u/two/d/f; }
        "$0" sum --update LIST 2>&1
        "$0" check -q LIST
        umount u/two
    "#;
    let ran = mounting(&dir, script).run().code(0);
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("added: u/two/d/f"), "{said}");
}

#[test]
fn a_conversion_says_when_files_were_verified_and_not_that_it_was_just_now() {
    let dir = listed();
    let before = started(&dir);
    dir.hashlane(["convert", "-q", "--header", "--manifest-format", "jsonl", "LIST", "NEW"]).run().code(0);
    std::fs::rename(dir.path("NEW"), dir.path("LIST")).unwrap();
    assert_eq!(started(&dir), before);
    is_up_to_date(&dir);
    // Of several lists the first one does not speak for all.
    dir.shell(r#"sed 's/"started":"2/"started":"1/' LIST > OLDER; cat LIST OLDER > BOTH"#).run().code(0);
    let both = ["convert", "-q", "--header", "--manifest-format", "jsonl", "BOTH"];
    let said = "--header: BOTH is several lists, and its first header has not the time of the oldest; convert them one by one, or leave out --header";
    dir.hashlane(both).run().code(64).said_among_others(&[said]);
    // And what was not dated is not.
    dir.hashlane(["convert", "-q", "--header", "--manifest-format", "jsonl", "LIST", "SECOND"]).run().code(0);
    dir.shell(r#"sed 's/,"started":"[^"]*"//' SECOND > THIRD"#).run().code(0);
    dir.hashlane(["convert", "-q", "--header", "--manifest-format", "jsonl", "THIRD", "FOURTH"])
        .run()
        .code(0);
    assert!(!String::from_utf8(dir.read("FOURTH")).unwrap().contains("\"started\""));
}

#[test]
fn a_list_from_before_there_were_inodes_gets_them() {
    let dir = listed();
    dir.shell(r#"sed -i 's/,"inode":[0-9]*//' LIST"#).run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said(&["3 files not read again, trusted by size, mtime and ctime", "0 files, 0 B (0 B)"]);
    is_up_to_date(&dir);
}

#[test]
fn a_file_that_was_touched_after_it_was_listed_is_read_whatever_its_times_say() {
    let dir = Dir::new();
    dir.write("t/a", "one");
    // All of this happens within the two seconds that a clock may be off: nothing is trusted.
    dir.hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&[&format!("0 files not read again, {TRUSTED}; 1 read again and unchanged")]);
    let ran = dir.hashlane(["sum", "--update", "LIST", "--trust", "mtime"]).run().code(0);
    ran.said_among_others(&["1 file not read again, trusted by size and mtime"]);
}

#[test]
fn what_is_corrupt_keeps_what_is_listed_of_it() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two");
    dir.set_modified("t/a", long_ago());
    dir.hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
    let before = lines(&dir.read("LIST"));
    dir.write("t/a", "eno");
    dir.set_modified("t/a", long_ago());
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(8);
    ran.said_among_others(&[
        "t/a: corrupt: neither size nor time says that it was written; its listed entry is kept",
    ]);
    assert_eq!(lines(&dir.read("LIST")), before);
    dir.hashlane(["check", "-q", "LIST"]).run().code(8);
}

#[test]
fn a_collision_is_called_so_and_keeps_what_is_listed_of_it() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two");
    dir.set_modified("t/a", SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let sum = ["sum", "-q", "--header", "-a", "md5,sha256", "--manifest-format", "jsonl", "-o", "LIST", "t"];
    dir.hashlane(sum).run().code(0);
    let list = String::from_utf8(dir.read("LIST")).unwrap();
    dir.write("LIST", list.replace(&digest("md5", "one"), &digest("md5", "two")));
    let before = lines(&dir.read("LIST"));
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(4);
    ran.said_among_others(&[
        "t/a: collision: one digest is as listed, another is not; its listed entry is kept until you take it out",
    ]);
    assert_eq!(lines(&dir.read("LIST")), before);
    dir.hashlane(["check", "-q", "LIST"]).run().code(4);
    // Nor does a later time make an edit of it.
    dir.set_modified("t/a", SystemTime::UNIX_EPOCH + Duration::from_secs(1_100_000_000));
    dir.hashlane(["sum", "--update", "LIST"]).run().code(4);
    assert_eq!(lines(&dir.read("LIST")), before);
    dir.hashlane(["sum", "--update", "LIST", "-a", "md5,sha256,sha1"]).run().code(4);
    assert!(lines(&dir.read("LIST")).contains(&before[0]), "{before:?}");
}

#[test]
fn what_lies_elsewhere_or_cannot_be_read_stays_listed() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = listed();
    let before = lines(&dir.read("LIST"));
    let ran = dir.hashlane(["sum", "--update", "LIST", "t/sub"]).run().code(0);
    ran.said_among_others(&[&format!("1 file not read again, {TRUSTED}; 2 elsewhere and not examined")]);
    let mut after = lines(&dir.read("LIST"));
    after.sort();
    assert_eq!(after, before);
    let locked =
        |mode| std::fs::set_permissions(dir.path("t/sub"), std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::set_permissions(dir.root(), std::fs::Permissions::from_mode(0o777)).unwrap();
    locked(0o000);
    let ran = dir.hashlane(["sum", "-o", "NEW", "--update", "LIST", "t"]).without_rights().run();
    locked(0o755);
    ran.code(16).said_among_others(&["t/sub: Permission denied"]);
    let mut after = lines(&dir.read("NEW"));
    after.sort();
    assert_eq!(after, before);
}

#[test]
fn a_root_that_is_absent_or_empty_leaves_the_list_as_it_is() {
    let dir = listed();
    let before = dir.read("LIST");
    std::fs::rename(dir.path("t"), dir.path("away")).unwrap();
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(16);
    ran.said(&["t: No such file or directory; the manifest was left unchanged"]);
    dir.make("t");
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(16);
    ran.said_among_others(&["there are no files below t, where files are listed"]);
    assert_eq!(dir.read("LIST"), before);
}

#[test]
fn a_format_without_times_is_updated_by_names_alone_and_only_if_that_is_said() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    let before = dir.read("SHA256SUMS");
    let ran = dir.hashlane(["sum", "--update", "SHA256SUMS", "t"]).run().code(64);
    ran.said_among_others(&[
        "--update: SHA256SUMS: gnu cannot store sizes and times, so changes cannot be detected",
    ]);
    dir.hashlane(["sum", "-q", "--manifest-format", "hashdeep", "-o", "DEEP", "t"]).run().code(0);
    let ran = dir.hashlane(["sum", "--update", "DEEP", "t"]).run().code(64);
    ran.said_among_others(&["--update: DEEP: hashdeep cannot store times, so changes cannot be detected"]);
    assert_eq!(dir.read("SHA256SUMS"), before);
    dir.write("t/aa", "new").write("HEADED", [b"A heading\nand another\n", &before[..]].concat());
    let ran =
        dir.hashlane(["sum", "--update", "HEADED", "-a", "sha256", "--trust", "names", "t"]).run().code(0);
    ran.said_among_others(&["HEADED: 2 lines that list no file will be dropped"]);
    let ran = dir.hashlane(["sum", "--update", "SHA256SUMS", "--trust", "names", "t"]).run().code(0);
    ran.said(&["added: t/aa", "2 files not read again, trusted by name alone; 1 added", "1 file, 3 B (3 B)"]);
    let fresh = dir.hashlane(["sum", "-q", "t"]).run().code(0);
    assert_eq!(dir.read("SHA256SUMS"), fresh.stdout);
}

#[test]
fn a_list_that_cannot_be_understood_is_left_alone() {
    let dir = listed();
    let mut list = dir.read("LIST");
    list.extend(b"{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"t/x\",\"digests\":{\"sha256\":\"12\"}}\n");
    dir.write("LIST", &list);
    dir.hashlane(["sum", "--update", "LIST"]).run().code(16).said_among_others(&["LIST: line "]);
    assert_eq!(dir.read("LIST"), list);
    dir.hashlane(["sum", "--update", "-", "t"]).run().code(64);
    dir.hashlane(["sum", "--update", "LIST", "-"]).run().code(64);
    dir.hashlane(["sum", "--trust", "names", "t"]).run().code(64);
}

#[test]
fn another_algorithm_is_added_by_reading_everything() {
    let dir = listed();
    let ran = dir.hashlane(["sum", "--update", "LIST", "-a", "sha256,md5"]).run().code(0);
    ran.said_among_others(&[&format!("0 files not read again, {TRUSTED}; 3 read again and unchanged")]);
    let fresh = dir
        .hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-a", "sha256,md5", "t"])
        .run()
        .code(0);
    assert_eq!(lines(&dir.read("LIST")), lines(&fresh.stdout));
}

/// Formats that can be written and hold several algorithms.
fn formats(dir: &Dir) -> Vec<String> {
    let formats = dir.hashlane(["formats", "--format", "json"]).run().code(0).stdout;
    let formats: serde_json::Value = serde_json::from_slice(&formats).unwrap();
    // MHL has no name for SHA-2.
    let holds = |format: &&serde_json::Value| {
        format["write"] == true && format["several_algorithms"] == true && format["name"] != "mhl"
    };
    let names = formats.as_array().unwrap().iter().filter(holds);
    names.map(|format| format["name"].as_str().unwrap().to_owned()).collect()
}

/// What a list has of each file: its digests by algorithm.
fn digests(dir: &Dir, list: &str, format: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let jsonl = ["convert", "-q", "--manifest-format", "jsonl", "--from", format, list, "-"];
    let lines = lines(&dir.hashlane(jsonl).run().code(0).stdout);
    lines
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let digests = serde_json::from_value(line["digests"].clone()).unwrap();
            (line["path"].as_str().unwrap().to_owned(), digests)
        })
        .collect()
}

#[test]
fn no_listed_digest_of_an_unchanged_file_is_lost_whatever_is_asked_for() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two").write("t/sub/c", "three").write("u/x", "elsewhere");
    let formats = formats(&dir);
    assert!(formats.len() >= 9, "{formats:?}");
    let (mut updated, mut refused) = (0, 0);
    for format in &formats {
        let trust = if ["jsonl", "csv", "dfxml"].contains(&&format[..]) { "mtime" } else { "names" };
        for listed in ["sha256", "sha256,sha512", "sha256,sha384,sha512"] {
            for wanted in ["", "sha256", "sha512", "sha384", "sha384,sha512"] {
                dir.write("t/b", "two");
                let sum = ["sum", "-q", "-a", listed, "--manifest-format", format, "-o", "L", "t", "u"];
                dir.hashlane(sum).run().code(0);
                let (before, bytes) = (digests(&dir, "L", format), dir.read("L"));
                assert_eq!(before["u/x"].len(), listed.split(',').count(), "{format} {listed}");
                dir.write("t/b", "changed").write("t/new", "new");
                // Of u nothing is looked at.
                let mut update = vec!["sum", "-q", "--update", "L", "--trust", trust, "t"];
                update.extend((!wanted.is_empty()).then_some(["-a", wanted]).iter().flatten());
                let ran = dir.hashlane(&update).run();
                std::fs::remove_file(dir.path("t/new")).unwrap();
                let what = format!("{format}, {listed} listed, {wanted:?} wanted: {}", ran.stderr);
                if ran.status.code() != Some(0) {
                    assert_eq!(dir.read("L"), bytes, "{what}");
                    refused += 1;
                    continue;
                }
                updated += 1;
                let after = digests(&dir, "L", format);
                for (path, digests) in before.iter().filter(|(path, _)| *path != "t/b") {
                    for (algorithm, digest) in digests {
                        assert_eq!(after[path].get(algorithm), Some(digest), "{path}: {what}");
                    }
                }
                for algorithm in wanted.split(',').filter(|wanted| !wanted.is_empty()) {
                    for path in ["t/a", "t/b", "t/sub/c", "t/new"] {
                        assert!(after[path].contains_key(algorithm), "{path}: {what}");
                    }
                }
            }
        }
    }
    println!("updated: {updated}, refused: {refused}");
    assert!(updated >= formats.len() * 9 && updated + refused == formats.len() * 15, "{updated} {refused}");
}

#[test]
fn an_algorithm_is_added_to_those_listed_and_a_format_for_one_refuses_it() {
    let dir = Dir::new();
    dir.write("t/a", "a");
    dir.hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "L.jsonl", "t"]).run().code(0);
    dir.hashlane(["sum", "-q", "--update", "L.jsonl", "-a", "md5"]).run().code(0);
    let list = String::from_utf8(dir.read("L.jsonl")).unwrap();
    assert!(list.contains("\"sha256\":\"") && list.contains("\"md5\":\""), "{list}");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    let before = dir.read("SHA256SUMS");
    let update = ["sum", "--update", "SHA256SUMS", "--trust", "names", "-a", "md5", "t"];
    dir.hashlane(update).run().code(64).said(&[
        "--update: SHA256SUMS: gnu can store one algorithm, here sha256; add md5 in another format with `hashlane convert --add md5`",
    ]);
    assert_eq!(dir.read("SHA256SUMS"), before);
}

#[test]
fn a_list_that_could_not_keep_all_that_it_lists_is_left_as_it_is() {
    let dir = Dir::new();
    dir.write("t/a", "a").write("u/x", "x");
    dir.hashlane(["sum", "-q", "--manifest-format", "hashdeep", "-o", "L", "t", "u"]).run().code(0);
    let before = dir.read("L");
    // Of u/x there is no md5, which each line needs.
    let ran = dir.hashlane(["sum", "--update", "L", "--trust", "names", "-a", "md5", "t"]).run().code(16);
    ran.said_among_others(&["L: left unchanged, because the new manifest cannot store all of its entries"]);
    assert_eq!(dir.read("L"), before);
    dir.hashlane(["sum", "-q", "--update", "L", "--trust", "names", "-a", "md5", "t", "u"]).run().code(0);
}

#[test]
fn changes_fail_where_that_is_asked_for_and_are_written_all_the_same() {
    for (change, code) in [(0, 0), (1, 1), (2, 2), (4, 4), (3, 3), (5, 5), (6, 6), (7, 7)] {
        for asked in [false, true] {
            let dir = Dir::new();
            dir.write("t/a", "one").write("t/b", "two").write("t/c", "three");
            dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
            if change & 1 != 0 {
                dir.write("t/new", "new");
            }
            if change & 2 != 0 {
                std::fs::remove_file(dir.path("t/a")).unwrap();
            }
            if change & 4 != 0 {
                dir.write("t/b", "changed");
            }
            let ran = dir.hashlane(["sum", "-q", "--update", "LIST", "t"]);
            let ran = if asked { ran.arg("--fail-on-change") } else { ran };
            ran.run().code(if asked { code } else { 0 });
            is_up_to_date(&dir);
        }
    }
    let dir = Dir::new();
    dir.hashlane(["sum", "--fail-on-change", "t"]).run().code(64);
}

#[test]
fn what_was_not_verified_is_never_trusted_for_a_later_listing() {
    let dir = listed();
    let first = started(&dir);
    corrupt(&dir, "t/b");
    rest();
    dir.write("t/new", "new");
    // What is corrupt, what a filter or a root leaves out, and what is taken for as it was by its time alone.
    let said = |extra: &[&str], code, what: &str| {
        let ran = dir.hashlane(["sum", "--update", "LIST"]).args(extra).run().code(code);
        ran.said_among_others(&[what]);
        assert_eq!(started(&dir), first);
    };
    said(&["t/sub"], 0, &format!("1 file not read again, {TRUSTED}; 2 elsewhere and not examined"));
    let left_out = format!("2 files not read again, {TRUSTED}; 1 added; 1 elsewhere and not examined");
    said(&["--exclude", "b"], 0, &left_out);
    said(&["--trust", "mtime"], 0, "4 files not read again, trusted by size and mtime");
    let found = format!("2 files not read again, {TRUSTED}; 1 read again and unchanged; 1 corrupt");
    for _ in 0..2 {
        said(&[], 8, &found);
    }
    // As it was again: all is verified.
    corrupt(&dir, "t/b");
    dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    assert!(started(&dir) > first);
    is_up_to_date(&dir);
}

#[test]
fn a_listing_of_the_future_shows_nothing() {
    let dir = listed();
    let list = String::from_utf8(dir.read("LIST")).unwrap();
    dir.write("LIST", list.replace(&started(&dir), "2100-01-01T00:00:00.000000000Z"));
    corrupt(&dir, "t/b");
    for _ in 0..2 {
        let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(8);
        ran.said_among_others(&[&format!(
            "0 files not read again, {TRUSTED}; 2 read again and unchanged; 1 corrupt"
        )]);
        assert_eq!(started(&dir), "1970-01-01T00:00:00.000000000Z");
    }
    let dir = listed();
    let list = String::from_utf8(dir.read("LIST")).unwrap();
    dir.write("LIST", list.replace(&started(&dir), "2100-01-01T00:00:00.000000000Z"));
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&[
        "LIST: the time in its header is in the future, so ctime proves nothing; all files are read",
        &format!("0 files not read again, {TRUSTED}; 3 read again and unchanged"),
    ]);
    assert!(started(&dir).starts_with("20") && !started(&dir).starts_with("2100"));
}

#[test]
fn what_could_not_be_read_stays_listed_as_such() {
    let dir = Dir::new();
    dir.write("t/a", "one");
    let sum = ["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "t", "gone"];
    dir.hashlane(sum).run().code(16);
    for _ in 0..2 {
        let ran = dir.hashlane(["sum", "--update", "LIST", "t"]).run().code(0);
        ran.said_among_others(&[&format!(
            "0 files not read again, {TRUSTED}; 1 read again and unchanged; 1 elsewhere and not examined"
        )]);
        let list = String::from_utf8(dir.read("LIST")).unwrap();
        assert!(list.contains("\"path\":\"gone\",\"outcome\":\"failed\",\"operation\":\"open\""), "{list}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_gone() {
    let dir = listed();
    std::fs::remove_file(dir.path("t/b")).unwrap();
    dir.fifo("t/b");
    let ran = dir.hashlane(["sum", "--update", "LIST"]).run().code(0);
    ran.said_among_others(&[&format!("2 files not read again, {TRUSTED}; 1 elsewhere and not examined")]);
    assert_eq!(lines(&dir.read("LIST")).len(), 3);
}

#[test]
fn a_manifest_that_is_replaced_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = listed();
    for mode in [0o600, 0o440] {
        std::fs::set_permissions(dir.path("LIST"), std::fs::Permissions::from_mode(mode)).unwrap();
        dir.hashlane(["sum", "-q", "--update", "LIST"]).run().code(0);
        assert_eq!(std::fs::metadata(dir.path("LIST")).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[test]
fn a_header_that_has_no_time_is_left_without() {
    let dir = Dir::new();
    dir.write("t/a", "one");
    dir.hashlane(["sum", "-q", "--manifest-format", "hashdeep", "-o", "LIST", "t"]).run().code(0);
    dir.write("t/b", "two");
    dir.hashlane(["sum", "-q", "--update", "LIST", "--trust", "names", "t"]).run().code(0);
    dir.hashlane(["check", "-q", "--complete", "--root", "t", "LIST"]).run().code(0).printed("");
}

#[test]
fn roots_that_lie_in_each_other_are_one() {
    let dir = listed();
    dir.hashlane(["sum", "-q", "--update", "LIST", "t/sub", "t/", "t"]).run().code(0);
    dir.write("t/sub/new", "new");
    dir.hashlane(["sum", "-q", "--update", "LIST"]).run().code(0);
    is_up_to_date(&dir);
}

#[test]
fn a_list_that_was_changed_meanwhile_is_left_as_it_is() {
    let dir = Dir::new();
    dir.write("t/a", "one");
    dir.hashlane(["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
    // The first update has read the list and waits for this file.
    let fifo = dir.fifo("fifo");
    let first = dir.hashlane(["sum", "-q", "--update", "LIST", "t", "fifo"]).start();
    while !dir.has("LIST.partial") {
        std::thread::yield_now();
    }
    dir.write("t/b", "two");
    dir.hashlane(["sum", "-q", "--update", "LIST", "-o", "NEW", "t"]).run().code(0);
    std::fs::rename(dir.path("NEW"), dir.path("LIST")).unwrap();
    drop(std::fs::File::options().write(true).open(fifo).unwrap());
    first
        .wait()
        .code(74)
        .said_among_others(&["LIST: another run changed it in the meantime; nothing was written; run again"]);
    is_up_to_date(&dir);
    assert!(!dir.has("LIST.partial"));
    dir.hashlane(["sum", "-q", "--update", "LIST", "t"]).run().code(0);
}

#[test]
fn a_root_may_be_spelled_in_another_way_than_its_files_are_listed() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/sub/b", "two").write("tt/c", "three");
    let absolute = |name: &str| dir.path(name).to_str().unwrap().to_owned();
    let (t, sub, here) = (absolute("t"), absolute("t/sub"), dir.root().to_str().unwrap().to_owned());
    let names = |list: &str| {
        let listed = dir.hashlane(["convert", "--manifest-format", "gnu", list]).run().code(0);
        let lines = String::from_utf8(listed.stdout).unwrap();
        // A part that is updated comes first.
        let mut names: Vec<_> = lines.lines().map(|line| line[66..].to_owned()).collect();
        names.sort_unstable();
        names
    };
    for header in ["--header", "--no-header"] {
        for (listed, spellings) in [
            ("t", &["./t", "t/", ".//t", &t][..]),
            ("./t", &["t", &t]),
            (&t, &["t", "./t"]),
            ("t", &["./t/sub", &sub]),
            (".", &[&here, "./"]),
        ] {
            for spelled in spellings {
                let list = [
                    "sum",
                    "-q",
                    header,
                    "--manifest-format",
                    "jsonl",
                    "-o",
                    "list.jsonl",
                    "--exclude",
                    "list.jsonl",
                ];
                dir.hashlane(list).arg(listed).run().code(0);
                let before = names("list.jsonl");
                let update = ["sum", "-q", "--update", "list.jsonl", "--exclude", "list.jsonl", spelled];
                dir.hashlane(update).run().code(0);
                assert_eq!(names("list.jsonl"), before, "{listed} as {spelled}, {header}");
            }
        }
    }
    // What is not listed is new, and named as it was asked for.
    dir.hashlane(["sum", "-q", "-o", "list.jsonl", "--manifest-format", "jsonl", "t"]).run().code(0);
    dir.hashlane(["sum", "-q", "--update", "list.jsonl", "./tt"]).run().code(0);
    assert_eq!(names("list.jsonl"), ["./tt/c", "t/a", "t/sub/b"]);
}
