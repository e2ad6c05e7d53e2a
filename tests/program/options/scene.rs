//! A directory with all that the rows need, what runs in it, and what is seen of that.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::objects::server::{Server, Trouble};
use crate::work::{Dir, HASHLANE, digest, gnu};

/// A directory, and two stores of objects.
pub(super) struct Scene {
    dir: Dir,
    /// What is in the files before each run.
    contents: BTreeMap<String, Vec<u8>>,
    /// The same files by what shows that one was written.
    before: RefCell<BTreeMap<String, State>>,
    server: Server,
    other: Server,
}

/// Inode, size, and time of the last change; nothing of what is not a file.
type State = Option<(u64, u64, (i64, i64))>;

/// What is seen of a run.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Observed {
    pub(super) code: i32,
    stdout: String,
    messages: String,
    /// Files that were made, changed or removed.
    files: Vec<String>,
    requests: Vec<String>,
}

impl Observed {
    /// Whether the messages name one of some options.
    pub(super) fn names(&self, options: &[&str]) -> bool {
        options.iter().any(|option| self.messages.contains(option))
    }
}

impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, stdout, messages, files, requests } = self;
        let shown = |text: &str| text.chars().take(600).collect::<String>().replace('\n', "\n    ");
        writeln!(f, "  {code}\n  > {}\n  ! {}", shown(stdout), shown(messages))?;
        writeln!(f, "  {files:?}\n  {requests:?}")
    }
}

/// The objects below `t/` are the files of the tree.
const OBJECTS: [(&str, &[u8]); 6] = [
    ("t/a", b"a\n"),
    ("t/big", &[b'b'; 3000]),
    ("t/sub/c", b"c\n"),
    ("t/x.tmp", b"tmp\n"),
    ("crc/1", b"buckeroo"),
    ("hard/cr\r", b"cr\n"),
];

impl Scene {
    pub(super) fn new(dir: Dir) -> Self {
        fill(&dir);
        let server = Server::start(&OBJECTS, |_| Trouble::None);
        server.keep_versions();
        server.put("t/a", Some(b"older\n"));
        server.put("t/a", Some(b"a\n"));
        let other = Server::start(&OBJECTS, |_| Trouble::None);
        let before = states(dir.root());
        let is_file = |(name, state): (&String, &State)| state.is_some().then(|| name.clone());
        let contents =
            before.iter().filter_map(is_file).map(|name| (name.clone(), fs::read(dir.path(&name)).unwrap()));
        let contents = contents.collect();
        Self { dir, contents, before: RefCell::new(before), server, other }
    }

    /// Whether what is in it can be read from the medium: what lies in memory cannot.
    pub(super) fn is_on_medium(&self) -> bool {
        self.run(&["sum", "--from-medium", "t/a"]).code == 0
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Observed {
        let other = self.other.url();
        let arguments: Vec<_> =
            arguments.iter().map(|argument| argument.replace("{other}", &other)).collect();
        let command = self.dir.hashlane(&arguments).unforced();
        let command = command
            .env("AWS_ACCESS_KEY_ID", "testkey")
            .env("AWS_SECRET_ACCESS_KEY", "secretsecret")
            .env("AWS_ENDPOINT_URL", &self.server.url());
        let ran = command.run();
        let root = self.dir.root().to_str().unwrap().to_owned();
        let own = |text: &str| {
            let line = format!("{HASHLANE} {}", arguments.join(" "));
            let text = text.replace(&line, "COMMAND").replace(&other, "OTHER");
            without_times(&text.replace(&root, "DIR"))
        };
        let changed = self.restored().into_iter().map(|(name, content)| match content {
            Some(content) => format!("{name}: {}", own(&String::from_utf8_lossy(&content))),
            None => format!("{name} is gone"),
        });
        let changed = changed.collect();
        let mut requests = Vec::new();
        for (store, server) in [("own", &self.server), ("other", &self.other)] {
            for asked in server.take_asked() {
                let credentials = asked.header("authorization").unwrap_or("none");
                let region = credentials.split('/').nth(2).unwrap_or("none");
                let payer = asked.header("x-amz-request-payer").unwrap_or_default();
                let (method, key, query) = (&asked.method, &asked.key, &asked.query);
                requests.push(format!("{store}: {method} {key:?} {query} {region} {payer}"));
            }
        }
        requests.sort();
        Observed {
            code: ran.status.code().expect("not killed"),
            stdout: own(&String::from_utf8_lossy(&ran.stdout)),
            messages: messages(&own(&ran.stderr)),
            files: changed,
            requests,
        }
    }
}

impl Scene {
    /// The files that a run has made, written or removed, with what is in them, and takes that back. The others keep their times, by
    /// which an update goes.
    fn restored(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let (after, mut before) = (states(self.dir.root()), self.before.borrow_mut());
        if after == *before {
            return Vec::new();
        }
        let mut changed = Vec::new();
        let is_new = |(name, state): &(&String, &State)| before.get(*name) != Some(state);
        for (name, state) in after.iter().filter(is_new) {
            let content = state.map(|_| fs::read(self.dir.path(name)).unwrap());
            changed.push((name.clone(), Some(content.unwrap_or_default())));
        }
        // What lies in a directory goes before it.
        for (name, state) in after.iter().filter(is_new).rev() {
            match (self.contents.get(name), state) {
                (Some(content), _) => drop(self.dir.write(name, content)),
                (None, Some(_)) => fs::remove_file(self.dir.path(name)).unwrap(),
                (None, None) => fs::remove_dir(self.dir.path(name)).unwrap(),
            }
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            changed.push((name.clone(), None));
            match self.contents.get(name) {
                Some(content) => self.dir.write(name, content),
                None => self.dir.make(name),
            };
        }
        *before = states(self.dir.root());
        changed
    }
}

/// All names, and how their files are.
fn states(root: &Path) -> BTreeMap<String, State> {
    let mut all = BTreeMap::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let facts = kind.is_file().then(|| entry.metadata().unwrap());
            let state = facts.map(|facts| (facts.ino(), facts.len(), (facts.mtime(), facts.mtime_nsec())));
            all.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), state);
            if kind.is_dir() {
                directories.push(path);
            }
        }
    }
    all
}

/// A text without times, which no two runs have in common.
fn without_times(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("20").or_else(|| rest.find("19")) {
        let is_time = |time: &[u8]| time.get(4) == Some(&b'-') && time.get(10) == Some(&b'T');
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        if is_time(rest.as_bytes()) {
            kept.push_str("TIME");
            rest = &rest[rest.find('Z').map_or(rest.len(), |end| end + 1)..];
        } else {
            kept.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    kept + rest
}

/// Messages without how long something took; any progress is as good as any other.
fn messages(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let end =
            line.find("B) read in ").map(|end| end + 7).or_else(|| line.find("B) in ").map(|end| end + 2));
        let line =
            if line.starts_with("{\"all_found\"") { "PROGRESS" } else { &line[..end.unwrap_or(line.len())] };
        if lines.last().map(String::as_str) != Some("PROGRESS") || line != "PROGRESS" {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

/// Lists whose lines end with NUL. They are otherwise like those without `z/`.
pub(super) const LISTS_WITH_NUL: [&str; 19] = [
    "z/SHA256SUMS",
    "z/BAD.sha256",
    "z/BOTH.bsd",
    "z/CASE.sha256",
    "z/INNER.sha256",
    "z/LINKS.sha256",
    "z/MISSING.sha256",
    "z/NFC.sha256",
    "z/NOISE.sha256",
    "z/NEW.sha256",
    "z/OLD.sha256",
    "z/OLDNAMES.sha256",
    "z/OBJECTS.sha256",
    "z/PIECES.sha256",
    "z/WINDOWS.sha256",
    "z/WORSE.sha256",
    "z/WRONGOBJECTS.sha256",
    "z/NOISYOBJECTS.sha256",
    "z/OBJECTPIECES.sha256",
];

/// The files of the tree, as lists have them.
const TREE: [(&str, &str); 4] =
    [("t/a", "a\n"), ("t/old", "old\n"), ("t/sub/c", "c\n"), ("t/x.tmp", "tmp\n")];

/// All files that any row needs.
fn fill(dir: &Dir) {
    let big = "b".repeat(3000);
    let mut all = TREE.to_vec();
    all.insert(1, ("t/big", &big));
    for (name, content) in &all {
        dir.write(name, content);
    }
    let time = |years: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(years * 31_557_600);
    dir.set_modified("t/old", time(20));
    fs::hard_link(dir.path("t/a"), dir.path("t/z")).unwrap();
    dir.make("links").link("../t/sub", "links/sub").link("/proc/sys/fs/epoll", "links/epoll");
    dir.fifo("t/pipe");
    all.push(("t/z", "a\n"));
    let missing = [&all[..], &[("t/gone", "gone\n")]].concat();
    let whole = gnu(&all);
    dir.write("SHA256SUMS", &whole)
        .write("BOTH.bsd", bsd(&all).replace(&digest("md5", "tmp\n"), &digest("md5", "tnp\n")));
    dir.write("NUL", whole.replace('\n', "\0"));
    dir.write("PART.sha256", gnu(&all[..1]));
    // Everything that can be wrong with a list of this tree.
    dir.write("MISSING.sha256", gnu(&missing));
    dir.write("BAD.sha256", whole.replace(&digest("sha256", "tmp\n"), &digest("sha256", "tnp\n")));
    let two_bad = whole.replace(&digest("sha256", "tmp\n"), &digest("sha256", "tnp\n"));
    dir.write("WORSE.sha256", two_bad + &gnu(&[("t/gone", "gone\n")]));
    dir.write("NOISE.sha256", format!("{whole}no digest\n"));
    dir.write("OLDNAMES.sha256", whole.replace("  t/", "  /was/t/"));
    dir.write("CASE.sha256", gnu(&[("t/A", "a\n"), ("t/old", "old\n")]));
    dir.write("WINDOWS.sha256", gnu(&[("t\\sub\\c", "c\n"), ("t/a", "a\n")]));
    dir.write("beside/c", "c\n").write("beside/BESIDE.sha256", gnu(&[("c", "c\n")]));
    dir.write("INNER.sha256", gnu(&[("a", "a\n"), ("sub/c", "c\n")]));
    dir.write("n/e\u{301}", "e\n").write("NFC.sha256", gnu(&[("n/\u{e9}", "e\n")]));
    dir.write("m/\u{e9}", "e\n");
    dir.write("LINKS.sha256", gnu(&[("links/sub/c", "c\n")]));
    dir.write("PLAIN", format!("{}  t/a\n", digest("md5", "not a\n")));
    dir.write("PIECES.sha256", format!("{}  t/a offset 0-0\n", digest("sha256", "a")));
    dir.write("OBJECTS.sha256", objects()).write("NOISYOBJECTS.sha256", objects() + "no digest\n");
    let wrong = objects().replace(&digest("sha256", "c\n"), &digest("sha256", "cc\n"));
    dir.write(
        "WRONGOBJECTS.sha256",
        wrong.replace("crc/1", "crc/gone").replace(&digest("sha256", "buckeroo"), &digest("sha256", "gone")),
    );
    dir.write("names", "t/a\nt/sub/c\n").write("names0", "t/a\0t/sub/c\0");
    dir.write("ignore", "*.tmp\n").write("ignore-none", "*.none\n");
    dir.write("ignore-c", "c\n").write("known.md5", format!("{}  it\n", digest("md5", "a\n")));
    dir.write("known.sha256", gnu(&[("it", "a\n"), ("other", "never seen\n")]));
    // Two trees.
    let (new, old) = (time(52), time(20));
    for (side, content) in [("A", "1"), ("B", "2")] {
        dir.write(format!("{side}/same"), "same").write(format!("{side}/x.tmp"), content);
        dir.write(format!("{side}/big"), content.repeat(2000)).write(format!("{side}/sub/c"), "c\n");
        dir.set_modified(format!("{side}/big"), new).set_modified(format!("{side}/x.tmp"), old);
    }
    dir.write("A/n\u{e9}", "n").write("B/ne\u{301}", "n").write("B/new\nline", "n");
    // Two trees in which one short and new file differs.
    for (side, content) in [("A", "1234"), ("B", "5678")] {
        dir.write(format!("few/{side}/x.tmp"), content).write(format!("few/{side}/big"), &big);
        dir.set_modified(format!("few/{side}/big"), old);
    }
    dir.make("linked").link("../t/sub", "linked/sub");
    dir.link("../t/sub", "A/link").link("/proc/sys/fs/epoll", "A/epoll");
    dir.write("crc/A/1", "plumless").write("crc/B/1", "buckeroo");
    // A name that hashdeep does not read back, a file that is written already, and lists in other words.
    dir.write("hard/cr\r", "cr\n").write("there", "there\n");
    dir.write("OLD.sha256", gnu(&[("/was/t/a", "a\n"), ("t/x.tmp", "tnp\n"), ("t/old", "old\n")]));
    dir.write("NEW.sha256", gnu(&[("t/a", "a\n"), ("t/x.tmp", "tmp\n"), ("t/old", "old\n")]));
    dir.write("HARD.sha256", format!("\\{}  hard/cr\\r\n", digest("sha256", "cr\n")));
    let item = |name: &str, content: &str| {
        let (md5, sha256) = (digest("md5", content), digest("sha256", content));
        let size = content.len();
        format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"{name}\",\"size_bytes\":{size},\"digests\":{{\"md5\":\"{md5}\",\"sha256\":\"{sha256}\"}}}}\n"
        )
    };
    let versions = [("v1", "older\n"), ("v2", "a\n")];
    let version = |(id, content)| format!("{}  s3://b/t/a?versionId={id}\n", digest("sha256", content));
    dir.write("VERSIONS.sha256", versions.map(version).concat());
    dir.write("OBJECTPIECES.sha256", format!("{}  s3://b/t/a offset 0-0\n", digest("sha256", "a")));
    dir.write("OBJECTCASE.sha256", format!("{}  s3://b/T/A\n", digest("sha256", "a\n")));
    dir.write("list.jsonl", item("t/a", "a\n") + &item("t/x.tmp", "tmp\n"));
    dir.write("inner.jsonl", item("a", "a\n") + &item("sub/c", "c\n"));
    for list in LISTS_WITH_NUL {
        let lines = String::from_utf8(dir.read(&list[2..])).unwrap();
        dir.write(list, lines.replace('\n', "\0"));
    }
    // An older list, which its header and its times let be updated; and the shards of one.
    let written = |arguments: &[&str]| dir.hashlane(arguments).run().code(0);
    written(&["sum", "-q", "--header", "--manifest-format", "jsonl", "-o", "update.jsonl", "t"]);
    let line = |text: &str| !text.contains("t/sub/c");
    let text = String::from_utf8(dir.read("update.jsonl")).unwrap().replace(":3000,", ":2999,");
    dir.write(
        "update.jsonl",
        text.lines().filter(|text| line(text)).map(|text| format!("{text}\n")).collect::<String>(),
    );
    written(&["known", "build", "-q", "--output", "index.known", "list.jsonl"]);
    // What becomes a bag, and one with a file that is no more what it was.
    dir.write("unbagged/a", "a\n").write("unbagged/data/c", "c\n").make("unbagged/empty");
    dir.write("bag/a", "a\n").write("bag/b", "b\n").write("bag/c", "c\n");
    written(&["bag", "create", "-q", "bag"]);
    dir.write("bag/data/b", "B\n").write("bag/data/c", "C\n");
    for (format, end) in [("gnu", "sums"), ("jsonl", "jsonl")] {
        for (part, paths) in
            [("1/2", &["t/sub", "t/x.tmp"][..]), ("2/2", &["t/sub", "t/x.tmp"]), ("1/1", &["hard"])]
        {
            let name = if part == "1/1" { format!("hard.{end}") } else { format!("{}.{end}", &part[..1]) };
            let arguments = ["sum", "-q", "--manifest-format", format, "--shard", part, "-o", &name];
            written(&[&arguments, paths].concat());
        }
    }
}

/// A list of the objects.
fn objects() -> String {
    let line = |(key, bytes): &(&str, &[u8])| format!("{}  s3://b/{key}\n", digest("sha256", bytes));
    OBJECTS[..5].iter().map(line).collect()
}

/// Lines with two digests for each file.
fn bsd(files: &[(&str, &str)]) -> String {
    let line = |(name, content): &(&str, &str)| {
        ["md5", "sha256"].map(|algorithm| {
            format!("{} ({name}) = {}\n", algorithm.to_uppercase(), digest(algorithm, content))
        })
    };
    files.iter().flat_map(line).collect()
}
