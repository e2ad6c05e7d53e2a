//! What every old command line writes is read by `check`, and by every old command line that the list is for.

use crate::work::{Dir, have};

/// A way to make a list of the files in `t`.
struct Writer {
    /// The program, which `hashlane as` plays.
    program: &'static str,
    /// Its options, separated by blanks.
    options: &'static str,
    /// What the list is called: where no line names the algorithm, the name does.
    list: &'static str,
}

const fn writer(program: &'static str, options: &'static str, list: &'static str) -> Writer {
    Writer { program, options, list }
}

/// The lists that say which algorithm they have, or can be proven to have it.
const WRITERS: [Writer; 63] = [
    writer("md5sum", "", "list"),
    writer("md5sum", "-b", "list"),
    writer("md5sum", "--tag", "list"),
    writer("sha1sum", "", "list"),
    writer("sha1sum", "--tag", "list"),
    writer("sha224sum", "", "list"),
    writer("sha224sum", "--tag", "list"),
    writer("sha256sum", "", "list"),
    writer("sha256sum", "-b", "list"),
    writer("sha256sum", "--tag", "list"),
    writer("sha384sum", "", "list"),
    writer("sha384sum", "--tag", "list"),
    writer("sha512sum", "", "list"),
    writer("sha512sum", "--tag", "list"),
    writer("b2sum", "", "list"),
    writer("b2sum", "", "list.b2"),
    writer("b2sum", "--tag", "list"),
    writer("b2sum", "-l 128", "list"),
    writer("b2sum", "-l 128 --tag", "list"),
    writer("b2sum", "-l 160", "list"),
    writer("b2sum", "-l 160 --tag", "list"),
    writer("b2sum", "-l 224", "list"),
    writer("b2sum", "-l 224 --tag", "list"),
    writer("b2sum", "-l 256", "list"),
    writer("b2sum", "-l 256 --tag", "list"),
    writer("b2sum", "-l 384", "list"),
    writer("b2sum", "-l 384 --tag", "list"),
    writer("b3sum", "", "list"),
    writer("b3sum", "", "list.b3"),
    writer("b3sum", "--tag", "list"),
    writer("xxhsum", "-H0", "list.xxh"),
    writer("xxhsum", "-H0 --little-endian", "list.xxh"),
    writer("xxhsum", "-H0 --tag", "list"),
    writer("xxhsum", "-H0 --tag --little-endian", "list"),
    writer("xxhsum", "-H1", "list.xxh"),
    writer("xxhsum", "-H1", "list.xxh64"),
    writer("xxhsum", "-H1", "list.xxhash"),
    writer("xxhsum", "-H1", "list.xxhsum"),
    writer("xxhsum", "-H1 --little-endian", "list.xxh"),
    writer("xxhsum", "-H1 --tag", "list"),
    writer("xxhsum", "-H1 --tag --little-endian", "list"),
    writer("xxhsum", "-H2", "list.xxh"),
    writer("xxhsum", "-H2 --little-endian", "list.xxh"),
    writer("xxhsum", "-H2 --tag", "list"),
    writer("xxhsum", "-H2 --tag --little-endian", "list"),
    writer("xxhsum", "-H3", "list"),
    writer("xxhsum", "-H3 --little-endian", "list"),
    writer("xxhsum", "-H3 --tag", "list"),
    writer("xxhsum", "-H3 --tag --little-endian", "list"),
    writer("md5deep", "-l -r", "list"),
    writer("md5deep", "-l -r -z", "list"),
    writer("md5deep", "-l -r -k", "list"),
    writer("md5deep", "-l -r -c", "list"),
    writer("md5deep", "-l -r -d", "list"),
    writer("md5deep", "-r", "list"),
    writer("sha1deep", "-l -r", "list"),
    writer("sha256deep", "-l -r -z", "list"),
    writer("tigerdeep", "-l -r", "list"),
    writer("whirlpooldeep", "-l -r", "list"),
    writer("whirlpooldeep", "-l -r -d", "list"),
    writer("hashdeep", "-l -r", "list"),
    writer("hashdeep", "-l -r -c md5,sha1,sha256,tiger,whirlpool", "list"),
    writer("hashdeep", "-l -r -d", "list"),
];

/// Programs that read lists.
const READERS: [&str; 9] =
    ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "b3sum", "xxhsum"];

/// Names that need escapes, where a program has them.
const NAMES: [&str; 3] = ["t/a", "t/b c", "t/-n"];
const HARD_NAMES: [&str; 2] = ["t/new\nline", "t/back\\slash"];

impl Writer {
    fn is_deep(&self) -> bool {
        self.program.ends_with("deep")
    }

    /// The files that are listed.
    fn names(&self) -> Vec<&'static str> {
        let hard: &[&str] = if self.is_deep() { &[] } else { &HARD_NAMES };
        NAMES.iter().chain(hard).copied().collect()
    }

    /// A directory with the files and the list.
    fn written(&self) -> Dir {
        let dir = Dir::new();
        let names = self.names();
        for (index, name) in names.iter().enumerate() {
            dir.write(name, format!("content {index}").repeat(1 + index * 1000));
        }
        let options: Vec<_> = self.options.split_whitespace().collect();
        let ran = dir.hashlane(["as", self.program]).args(options);
        let ran = if self.is_deep() { ran.args(["t"]) } else { ran.arg("--").args(&names) };
        let ran = ran.run().code(0);
        dir.write(self.list, ran.stdout);
        dir
    }

    /// Whether a program reads such lists. One that reads many has what does not say which it is.
    fn is_for(&self, reader: &str) -> bool {
        // Which order the bytes have, lines without tags do not say.
        let is_told = !self.options.contains("--little-endian") || self.options.contains("--tag");
        // Where md5deep and its like write no sizes and no tables, theirs are the lines of coreutils.
        let is_plain = |options: &str| !["-z", "-c", "-d"].iter().any(|option| options.contains(option));
        let is_same = |deep| reader.strip_suffix("sum") == Some(deep) && is_plain(self.options);
        self.program == reader && is_told || self.program.strip_suffix("deep").is_some_and(is_same)
    }
}

#[test]
fn what_old_command_lines_write_is_read() {
    let mut cells = 0;
    for writer in &WRITERS {
        let (dir, Writer { program, options, list }) = (writer.written(), writer);
        let text = || String::from_utf8_lossy(&dir.read(list)).into_owned();
        let ran = dir.hashlane(["check", list]).run();
        assert_eq!(ran.status.code(), Some(0), "{program} {options}: {}\n{}", ran.stderr, text());
        let verdicts = ran.lines();
        assert_eq!(verdicts.len(), writer.names().len(), "{program} {options}: {}", ran.stderr);
        assert!(verdicts.iter().all(|line| line.ends_with(b": OK\n")), "{program} {options}");
        // Damaged, each file is found.
        dir.write("t/a", "no more what it was");
        let ran = dir.hashlane(["check", list]).run();
        assert_eq!(ran.status.code(), Some(4), "{program} {options}: {}", ran.stderr);
        dir.write("t/a", "content 0");
        for reader in READERS {
            let ran = dir.hashlane(["as", reader, "-c", list]).run();
            let is_read = ran.status.code() == Some(0);
            assert_eq!(
                is_read,
                writer.is_for(reader),
                "{program} {options} by {reader}: {}\n{}",
                ran.stderr,
                text()
            );
        }
        cells += 1 + READERS.len();
    }
    println!("{} writers, {cells} pairs", WRITERS.len());
}

#[test]
fn what_rhash_writes_is_read() {
    if !have("rhash") {
        return;
    }
    // What has no algorithm here gets no verdict, but it is mentioned.
    let read = [
        "crc32",
        "md4",
        "md5",
        "sha1",
        "tiger",
        "whirlpool",
        "ripemd160",
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "sha3-224",
        "sha3-256",
        "sha3-384",
        "sha3-512",
        "crc32c",
        "blake2s",
        "blake2b",
    ];
    let unread = [
        "tth",
        "btih",
        "ed2k",
        "aich",
        "gost94",
        "has160",
        "gost12-256",
        "edonr256",
        "edonr512",
        "snefru128",
        "snefru256",
    ];
    let dir = Dir::new();
    dir.write("t/a", "a").write("t/b c", "b").write("t/-n", "n");
    for (algorithm, is_known) in
        read.map(|name| (name, true)).into_iter().chain(unread.map(|name| (name, false)))
    {
        for (options, list) in [("--simple", format!("list.{algorithm}")), ("--bsd", "list".to_owned())] {
            dir.shell(&format!("rhash --{algorithm} {options} -r t > {list}")).run().code(0);
            let ran = dir.hashlane(["check", &list]).run();
            let code = ran.status.code().expect("not killed");
            let text = || String::from_utf8_lossy(&dir.read(&list)).into_owned();
            // A list without a line that is like one of any format is refused as a whole.
            let is_right = if is_known { code == 0 } else { code == 16 || code == 64 };
            assert!(is_right, "{algorithm} {options}: {code}: {}\n{}", ran.stderr, text());
        }
    }
}
