//! Known contents: indexes of sets, and files that are looked up in them.

use std::collections::BTreeSet;

use rusqlite::Connection;
use serde_json::Value;

use crate::work::{Dir, digest, have, have_mounts, printed};

/// A tree with some known contents.
fn files() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "one")
        .write("t/b", "two")
        .write("t/sub/c", "one")
        .write("t/new line\n", "other")
        .write("t/e", "");
    dir
}

/// Makes a list of the files.
fn known(dir: &Dir, algorithms: &str, files: &[&str]) {
    let line = ["sum", "-q", "-a", algorithms, "--manifest-format", "jsonl", "-o", "known.txt"];
    dir.hashlane(line).args(files).run().code(0);
}

/// The names in GNU lines.
fn names(manifest: &[u8]) -> BTreeSet<String> {
    let text = std::str::from_utf8(manifest).unwrap();
    let name = |line: &str| {
        let (_, name) = line.split_once("  ").unwrap();
        if line.starts_with('\\') { name.replace("\\n", "\n") } else { name.to_owned() }
    };
    text.lines().map(name).collect()
}

/// A database as NSRL's, with columns and rows.
fn database(dir: &Dir, name: &str, rows: &[(&str, &str, &str)]) {
    let connection = Connection::open(dir.path(name)).unwrap();
    // As RDS 3 has it: FILE is a view.
    connection
        .execute_batch(
            "CREATE TABLE METADATA (metadata_id INTEGER, sha256 VARCHAR, sha1 VARCHAR, md5 VARCHAR, crc32 VARCHAR,
                 file_name VARCHAR, file_size INTEGER, package_id INTEGER);
             CREATE VIEW FILE AS SELECT sha256, sha1, md5, crc32, file_name, file_size, package_id FROM METADATA;",
        )
        .unwrap();
    for (name, content, crc32) in rows {
        let digests = ["sha256", "sha1", "md5"].map(|algorithm| digest(algorithm, content).to_uppercase());
        let [sha256, sha1, md5] = digests;
        connection
            .execute(
                "INSERT INTO METADATA VALUES (1, ?, ?, ?, ?, ?, ?, 7)",
                (sha256, sha1, md5, crc32, name, content.len() as i64),
            )
            .unwrap();
    }
}

#[test]
fn files_are_listed_by_whether_their_content_is_known() {
    let dir = files();
    known(&dir, "md5,sha256", &["t/a", "t/e"]);
    let matched = dir.hashlane(["sum", "--known", "known.txt", "--match", "t"]).run().code(0);
    let expected: String = [("t/a", "one"), ("t/e", ""), ("t/sub/c", "one")]
        .map(|(name, content)| format!("{}  {name}\n", digest("sha256", content)))
        .concat();
    let matched = matched.printed(expected);
    matched.said_among_others(&["3 files known, 2 not"]);
    let others =
        dir.hashlane(["sum", "-q", "--known", "known.txt", "--no-match", "-a", "sha1", "t"]).run().code(0);
    others
        .printed(format!("{}  t/b\n\\{}  t/new line\\n\n", digest("sha1", "two"), digest("sha1", "other")))
        .said(&[]);
    // Without either all are listed.
    let all = dir.hashlane(["sum", "-q", "--known", "known.txt", "t"]).run().code(0);
    assert_eq!(names(&all.stdout).len(), 5);
}

#[test]
fn what_hashdeep_finds_known_is_known() {
    if !have("hashdeep") {
        return;
    }
    let dir = Dir::new();
    for number in 0..200_u32 {
        // Contents come twice, and every third is known.
        dir.write(format!("t/{:02}/{number}", number % 17), format!("content {}", number / 2));
        if number % 3 == 0 {
            dir.write(format!("k/{number}"), format!("content {}", number / 2));
        }
    }
    let list = ["sum", "-q", "-a", "md5,sha256", "--manifest-format", "hashdeep", "-o", "known.txt", "k"];
    dir.hashlane(list).run().code(0);
    dir.hashlane(["known", "build", "-q", "-o", "k.known", "known.txt"]).run().code(0);
    for (theirs, ours) in [("-mrl", "--match"), ("-xrl", "--no-match")] {
        let expected = dir.command("hashdeep", [theirs, "-k", "known.txt", "t"]).run().code(0);
        let expected: BTreeSet<String> =
            String::from_utf8(expected.stdout).unwrap().lines().map(str::to_owned).collect();
        assert!(expected.len() > 30, "{expected:?}");
        for set in ["known.txt", "k.known"] {
            let found = dir.hashlane(["sum", "-q", "--known", set, ours, "t"]).run().code(0);
            assert_eq!(names(&found.stdout), expected, "{set} {ours}");
        }
    }
}

#[test]
fn what_a_file_matches_is_shown() {
    let dir = files();
    known(&dir, "sha256", &["t/a", "t/new line\n"]);
    dir.write("SHA1SUMS", format!("{}  t\\wo\n", digest("sha1", "two")));
    dir.hashlane(["sum", "-q", "--known", "known.txt", "--known", "SHA1SUMS", "--show-matched-by", "t"])
        .run()
        .code(0)
        .printed(
            "t/a: matches t/a (known.txt)\nt/b: matches t\\\\wo (SHA1SUMS)\nt/e: not known\n\
             t/new line\\n: matches t/new line\\n (known.txt)\nt/sub/c: matches t/a (known.txt)\n",
        );
    dir.hashlane(["sum", "-q", "--known", "SHA1SUMS", "--match", "--show-matched-by", "t"])
        .run()
        .code(0)
        .printed("t/b: matches t\\\\wo (SHA1SUMS)\n");
    let one = format!("md5:{}", digest("md5", "two").to_uppercase());
    let other = format!("sha256:{}", digest("sha256", ""));
    let expected = format!(
        "t/b: matches md5:{} (--known-digest)\nt/e: matches {other} (--known-digest)\n",
        digest("md5", "two")
    );
    dir.hashlane([
        "sum",
        "-q",
        "--known-digest",
        &one,
        "--known-digest",
        &other,
        "--match",
        "--show-matched-by",
        "t",
    ])
    .run()
    .code(0)
    .printed(expected);
}

#[test]
fn what_is_known_and_was_not_met_is_listed() {
    let dir = files();
    known(&dir, "md5,sha256", &["t"]);
    dir.hashlane(["known", "build", "-q", "--names", "-o", "k.known", "known.txt"]).run().code(0);
    for set in ["known.txt", "k.known"] {
        let ran = dir
            .hashlane(["sum", "--known", set, "--match", "--unseen", "unseen", "t/a", "t/e"])
            .run()
            .code(0);
        ran.said_among_others(&["2 known contents not found", "2 files known, 0 not"]);
        // t/sub/c has the content of t/a, and so it was met.
        let unseen = names(&dir.read("unseen"));
        assert_eq!(unseen, ["t/b", "t/new line\n"].map(str::to_owned).into(), "{set}");
    }
    dir.hashlane(["known", "build", "-q", "-o", "plain.known", "known.txt"]).run().code(0);
    dir.hashlane(["sum", "--known", "plain.known", "--unseen", "u", "t"])
        .run()
        .code(64)
        .said(&["--unseen: plain.known has no names; build it again with `hashlane known build --names`"]);
    assert!(!dir.has("u"));
}

#[test]
fn one_digest_of_something_known_and_another_that_is_not_its_own_is_a_collision() {
    let dir = files();
    let (md5, sha1) = (digest("md5", "one"), digest("sha1", "another content with this md5"));
    dir.write("known.txt", format!("MD5 (good) = {md5}\nSHA1 (good) = {sha1}\n"));
    let ran = dir.hashlane(["sum", "-q", "--known", "known.txt", "--match", "t"]).run().code(4);
    let said = "collision: has the md5 of good (known.txt) but not its sha1: one of the two contents was made to match the other";
    ran.printed("").said(&[&format!("t/a: {said}"), &format!("t/sub/c: {said}")]);
    // It is not known, and so it is listed among those.
    let ran =
        dir.hashlane(["sum", "-q", "-a", "sha1", "--known", "known.txt", "--no-match", "t"]).run().code(4);
    assert_eq!(names(&ran.stdout).len(), 5);
}

#[test]
fn databases_and_lists_of_nsrl_are_indexed() {
    let dir = files();
    let crc32 = digest("crc32", "two");
    database(&dir, "rds.db", &[("b.dll", "two", &crc32), ("größe", "one", ""), ("b.dll", "two", &crc32)]);
    dir.write(
        "NSRLFile.txt",
        format!(
            "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n\
             \"{}\",\"{}\",\"00000000\",\"e, \"\"x\"\".txt\",0,1,\"1\",\"\"\n",
            digest("sha1", "").to_uppercase(),
            digest("md5", "").to_uppercase(),
        ),
    );
    let line = ["known", "build", "--names", "-o", "nsrl.known", "rds.db", "NSRLFile.txt"];
    dir.hashlane(line).run().code(0).said_among_others(&[
        "rds.db: 3 records",
        "NSRLFile.txt: 1 record",
        "nsrl.known: ",
    ]);
    let info = dir.hashlane(["known", "info", "--verify", "--format", "json", "nsrl.known"]).run().code(0);
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(info["sets"][0]["records"], 3);
    assert_eq!((&info["names"], &info["verified"]), (&Value::Bool(true), &Value::Bool(true)));
    let tables = info["tables"].as_array().unwrap();
    let complete = |name: &str| &tables.iter().find(|table| table["algorithm"] == name).unwrap()["complete"];
    assert_eq!((complete("sha1"), complete("sha256")), (&Value::Bool(true), &Value::Bool(false)));
    assert!(tables.iter().all(|table| table["algorithm"] != "crc32"), "{tables:?}");

    let text = printed(&dir.hashlane(["known", "info", "nsrl.known"]).run().code(0));
    assert!(text.contains("rds.db") && text.contains("names: kept"), "{text}");
    dir.hashlane(["sum", "-q", "--known", "nsrl.known", "--show-matched-by", "t"]).run().code(0).printed(
        "t/a: matches größe (rds.db)\nt/b: matches b.dll (rds.db)\nt/e: matches e, \"x\".txt (NSRLFile.txt)\n\
         t/new line\\n: not known\nt/sub/c: matches größe (rds.db)\n",
    );
    // The database itself will do as well, and can be turned into a list.
    let found = dir.hashlane(["sum", "-q", "--known", "rds.db", "--match", "t"]).run().code(0);
    assert_eq!(names(&found.stdout), ["t/a", "t/b", "t/sub/c"].map(str::to_owned).into());
    let list = dir.hashlane(["convert", "-q", "-a", "sha1", "rds.db", "-"]).run().code(0);
    let (one, two) = (digest("sha1", "one"), digest("sha1", "two"));
    list.printed(format!("{two}  b.dll\n{one}  größe\n{two}  b.dll\n"));
}

#[test]
fn rows_that_are_no_digests_are_said_and_left_out() {
    let dir = Dir::new();
    database(&dir, "rds.db", &[("good", "one", ""), ("bad", "two", "xyz")]);
    let ran = dir.hashlane(["known", "build", "-o", "k.known", "rds.db"]).run().code(16);
    ran.said_among_others(&[
        "rds.db: row 2: its crc32 is not a digest; the row is left out",
        "rds.db: left out: 1 row that could not be read",
        "rds.db: 1 record",
    ]);
    Connection::open(dir.path("other.db")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    dir.hashlane(["known", "build", "-o", "o.known", "other.db"])
        .run()
        .code(64)
        .said(&["other.db: not an NSRL database (RDS v3): it has no table FILE"]);
    dir.write("cut.db", &dir.read("rds.db")[..5000]);
    dir.hashlane(["known", "build", "-o", "o.known", "cut.db"]).run().code(16);
    assert!(!dir.has("o.known") && !dir.has("o.known.partial"));
}

#[test]
fn digests_are_looked_up_one_by_one() {
    let dir = files();
    known(&dir, "md5,sha1", &["t/a"]);
    dir.hashlane(["known", "build", "-q", "--names", "-o", "k.known", "known.txt"]).run().code(0);
    let (md5, sha1, other) = (digest("md5", "one"), digest("sha1", "one"), digest("sha1", "none"));
    dir.hashlane(["known", "lookup", "k.known", &md5, &format!("SHA-1:{sha1}")])
        .run()
        .code(0)
        .printed(format!("{md5}: known as t/a (known.txt)\nSHA-1:{sha1}: known as t/a (known.txt)\n"));
    let input = format!("{sha1}\r\n\n{other}\nnonsense\nsha256:{}\n", digest("sha256", "one"));
    let ran = dir.hashlane(["known", "lookup", "k.known"]).input(input).run().code(17);
    ran.printed(format!("{sha1}: known as t/a (known.txt)\n{other}: not known\n")).said(&[
        "line 4: nonsense: not a hexadecimal digest of an algorithm of the index (md5, sha1)",
        &format!("line 5: sha256:{}: the index has md5, sha1 only", digest("sha256", "one")),
    ]);
    dir.hashlane(["known", "lookup", "k.known", "sha1:12"])
        .run()
        .code(64)
        .said(&["sha1:12: a digest of sha1 has 40 hexadecimal digits; this has 2 characters"]);
    // A line without end is not a digest, and takes no memory.
    let ran = dir.hashlane(["known", "lookup", "k.known"]).input(vec![b'a'; 1 << 20]).run().code(16);
    assert!(ran.stderr.len() < 2000, "{}", ran.stderr.len());
}

#[test]
fn a_damaged_index_is_no_answer() {
    let dir = files();
    known(&dir, "sha256", &["t"]);
    dir.hashlane(["known", "build", "-q", "-o", "k.known", "known.txt"]).run().code(0);
    let whole = dir.read("k.known");
    // In the page that every lookup reads: it is the second.
    let mut damaged = whole.clone();
    damaged[4096 + 100] ^= 1;
    dir.write("damaged.known", damaged);
    let said = "damaged.known: the index is damaged (a page of rows); build it again";
    dir.hashlane(["sum", "-q", "--known", "damaged.known", "--no-match", "t"])
        .run()
        .code(16)
        .printed("")
        .said(&[said]);
    dir.hashlane(["known", "lookup", "damaged.known", &digest("sha256", "one")])
        .run()
        .code(16)
        .printed("")
        .said(&[said]);
    dir.hashlane(["known", "info", "--verify", "damaged.known"]).run().code(16).printed("").said(&[said]);
    dir.write("cut.known", &whole[..whole.len() - 1]);
    dir.hashlane(["known", "info", "cut.known"])
        .run()
        .code(16)
        .said(&["cut.known: the index is damaged (its end is missing); build it again"]);
    dir.hashlane(["known", "info", "t/a"])
        .run()
        .code(64)
        .said(&["t/a: not an index of known contents; make one with `hashlane known build`"]);
}

#[test]
fn no_bit_of_an_index_makes_a_wrong_answer() {
    let dir = Dir::new();
    let contents: Vec<String> = (0..60).map(|number| format!("content {number}")).collect();
    for content in &contents {
        dir.write(format!("t/named after its {content}"), content);
    }
    known(&dir, "md5,sha512", &["t"]);
    dir.hashlane(["known", "build", "-q", "--names", "-o", "k.known", "known.txt"]).run().code(0);
    let digests: Vec<String> = contents.iter().map(|content| digest("sha512", content)).collect();
    let lookup = |index: &str| dir.hashlane(["known", "lookup", index]).args(&digests).run();
    let sum = |index: &str| dir.hashlane(["sum", "-q", "--known", index, "--show-matched-by", "t"]).run();
    let (looked_up, summed) = (lookup("k.known").code(0), sum("k.known").code(0));
    let whole = dir.read("k.known");
    let bits = whole.len() * 8;
    for at in (0..bits).step_by(bits / 100) {
        let mut damaged = whole.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        dir.write("damaged.known", damaged);
        let verified = dir.hashlane(["known", "info", "--verify", "damaged.known"]).run();
        assert!(matches!(verified.status.code(), Some(16 | 64)), "bit {at}: {verified:?}");
        for (found, right) in [(lookup("damaged.known"), &looked_up), (sum("damaged.known"), &summed)] {
            match found.status.code() {
                Some(0) => assert_eq!(found.stdout, right.stdout, "bit {at}"),
                Some(16 | 64) => assert!(right.stdout.starts_with(&found.stdout), "bit {at}: {found:?}"),
                _ => panic!("bit {at}: {found:?}"),
            }
        }
    }
}

#[test]
fn what_cannot_be_asked_is_said_with_a_way_out() {
    let dir = files();
    dir.write("list.sfv", "a 352441C2\n").write("text", "no list at all\n");
    dir.hashlane(["sum", "--match", "t"]).run().code(64).said(&[
        "--match: no known contents are given; name a set with --known FILE, or a digest with --known-digest ALGORITHM:HEX",
    ]);
    let ran = dir.hashlane(["known", "build", "-o", "k.known", "list.sfv"]).run().code(64);
    ran.said(&["list.sfv: has digests of crc32 only, which different contents share by chance; use them anyway with --algorithm crc32"]);
    dir.hashlane(["known", "build", "-q", "-o", "k.known", "-a", "crc32", "list.sfv"]).run().code(0);
    let ran = dir.hashlane(["sum", "--known", "list.sfv", "t"]).run().code(64);
    ran.said_among_others(&["list.sfv: has only digests that different contents share by chance"]);
    let ran = dir.hashlane(["sum", "--known", "text", "t"]).run().code(64);
    assert!(ran.stderr.contains("`hashlane known build --manifest-format`"), "{}", ran.stderr);
    let ran = dir.hashlane(["sum", "--known", "-", "-"]).run().code(64);
    ran.said(&["--known -: standard input is also read for something else; name a file or a PATH"]);
    dir.hashlane(["sum", "--known", "none", "t"]).run().code(16).said(&["none: No such file or directory"]);
    let ran = dir.hashlane(["known", "build", "-o", "t/a", "t/a"]).run().code(64);
    ran.said(&["--output t/a: is also an input; name another file"]);
    let ran = dir.hashlane(["known", "build", "-o", "none/k", "list.sfv", "-a", "crc32"]).run().code(74);
    ran.said(&["cannot write to none/k.partial: No such file or directory"]);
    dir.hashlane(["sum", "--update", "x", "--known", "y"]).run().code(64);
}

#[test]
fn a_full_disk_is_said_of_the_file_or_the_directory_that_is_full() {
    if !have_mounts() {
        return;
    }
    let dir = Dir::new();
    dir.make("small").make("other");
    let rows = |from: u32, to: u32| {
        (from..to).map(|number| format!("{}  {number}\n", digest("sha256", number.to_string())))
    };
    // More than fits into the memory that is given to sorting, and than is on the disk.
    dir.write("MANY", rows(0, 40_000).collect::<String>()).write("FEW", rows(0, 10).collect::<String>());
    let small = |script: &str| {
        let script = format!(
            "mount -t tmpfs -o size=256k none small && \"$0\" known build -q -a sha256 -o small/old.known FEW && {script}; \
             code=$?; ls -A small other; exit $code"
        );
        dir.command("unshare", ["--mount", "sh", "-c", &script, crate::work::HASHLANE]).run().code(74)
    };
    let left = "other:\n\nsmall:\nold.known\n";
    for output in ["small/new.known", "small/old.known"] {
        for names in ["", "--names"] {
            let ran = small(&format!("\"$0\" known build -a sha256 {names} -o {output} MANY"));
            ran.printed(left).said(&[&format!("cannot write to {output}.partial: No space left on device")]);
        }
    }
    let sorting = "small: No space left on device (sorting digests in a temporary file); set TMPDIR to another directory";
    let ran = small("TMPDIR=small \"$0\" known build -a sha256 --memory 1MiB -o other/new.known MANY");
    ran.printed(left).said(&[sorting]);
    let index = "small: No space left on device (writing an index into a temporary file); set TMPDIR to another directory";
    let ran = small("TMPDIR=small \"$0\" sum -q -a sha256 --known MANY --match FEW");
    ran.printed(left).said(&[index]);
}
