//! A list says the same whatever way it comes: every command that reads one, by every way, shorter and longer than what is
//! looked at first, with and without the algorithm.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::work::{Dir, HASHLANE, digest};

/// Whatever takes longer hangs.
const LIMIT: Duration = Duration::from_secs(30);

/// This many show enough.
const MOST_HANGS: usize = 6;

/// What is wrong then.
const HANGS: &str = "it hangs";

/// More than twice what is looked at first.
const LONG_BYTES: usize = 2 * (64 << 10);

/// How a list comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    File,
    Dash,
    DevStdin,
    Fifo,
    /// As the shell's `<(command)`.
    Substitution,
}

const WAYS: [Way; 4] = [Way::Dash, Way::DevStdin, Way::Fifo, Way::Substitution];

/// A command that reads a list: `@` in its arguments, `OUT` what it writes.
struct Reads {
    list: &'static str,
    arguments: &'static str,
    /// What names the algorithm.
    named: Option<&'static str>,
    /// What is compared if nothing is printed: another command that reads `OUT`.
    then: Option<&'static str>,
    /// Why `-` is not a list here.
    no_dash: Option<&'static str>,
    /// What is said of all that is not a regular file, if that is refused.
    refused: Option<&'static str>,
}

const READS: Reads =
    Reads { list: "md5", arguments: "", named: None, then: None, no_dash: None, refused: None };

/// The programs of hashdeep take `-` for the name of a file.
const A_FILE: Option<&str> = Some("No such file or directory");

#[rustfmt::skip]
const COMMANDS: &[Reads] = &[
    Reads { arguments: "check @", named: Some("-a md5"), ..READS },
    Reads { arguments: "check --progress json @", named: Some("-a md5"), ..READS },
    Reads { arguments: "check --base . @", named: Some("-a md5"), ..READS },
    Reads { arguments: "check --complete --root t @", named: Some("-a md5"), ..READS },
    Reads { arguments: "check --audit --root t @", named: Some("-a md5"), ..READS },
    Reads { list: "hashdeep", arguments: "check @", named: Some("-a md5"), ..READS },
    Reads { list: "tagged", arguments: "check @", named: Some("-a md5"), ..READS },
    Reads { list: "jsonl", arguments: "sum -q --update @ --trust mtime -o OUT t", then: Some("convert -q OUT -"), named: Some("-a md5"), ..READS },
    Reads { list: "jsonl", arguments: "sum -q --update @ --trust mtime t", refused: Some("cannot be replaced"), ..READS },
    Reads { arguments: "sum -q --known @ --no-match t", named: Some("-a md5"), ..READS },
    Reads { list: "index", arguments: "sum -q --known @ --no-match t", refused: Some("cannot be read from a pipe"), ..READS },
    Reads { list: "names", arguments: "sum -q --files-from @", named: Some("-a md5"), ..READS },
    Reads { list: "names", arguments: "sum -q --progress json --files-from @", named: Some("-a md5"), ..READS },
    Reads { list: "names0", arguments: "sum -q --files0-from @", named: Some("-a md5"), ..READS },
    Reads { arguments: "diff @ other", named: Some("-a md5"), ..READS },
    Reads { arguments: "diff other @", named: Some("-a md5"), ..READS },
    Reads { arguments: "diff @ t", named: Some("-a md5"), ..READS },
    Reads { arguments: "diff t @", named: Some("-a md5"), ..READS },
    Reads { list: "tagged", arguments: "diff @ other", named: Some("-a md5"), ..READS },
    Reads { arguments: "convert -q @ -", named: Some("-a md5"), ..READS },
    Reads { arguments: "convert -q --add sha1 @ -", named: Some("--from-algorithm md5"), ..READS },
    Reads { list: "tagged", arguments: "convert -q @ -", named: Some("-a md5"), ..READS },
    Reads { arguments: "known build -q @ -o OUT", then: Some("sum -q --known OUT --no-match t"), named: Some("-a md5"), ..READS },
    Reads { arguments: "as md5sum -c @", ..READS },
    Reads { list: "sha256", arguments: "as sha256sum -c @", ..READS },
    Reads { list: "blake3", arguments: "as b3sum -c @", ..READS },
    Reads { list: "xxh64", arguments: "as xxhsum -c @", ..READS },
    Reads { list: "names", arguments: "as xxhsum --files-from @", ..READS },
    Reads { list: "hashdeep", arguments: "as hashdeep -k @ -m -l -r t", no_dash: A_FILE, ..READS },
    Reads { list: "hashdeep", arguments: "as hashdeep -k @ -a -l -r t", no_dash: A_FILE, ..READS },
    Reads { list: "names", arguments: "as hashdeep -l -f @", no_dash: A_FILE, ..READS },
    Reads { arguments: "as md5deep -m @ -l -r t", no_dash: A_FILE, ..READS },
    Reads { arguments: "as md5deep -x @ -l -r t", no_dash: A_FILE, ..READS },
    Reads { list: "names", arguments: "as md5deep -l -f @", no_dash: A_FILE, ..READS },
];

/// What a command has to say.
struct Answer {
    code: Option<i32>,
    printed: Vec<u8>,
    said: String,
}

/// A directory with some files in `t`, lists of them under names that say nothing, and `other`, a list of md5 too. Of the
/// first and the last files the digests are wrong.
fn lists(count: usize) -> Dir {
    let dir = Dir::new();
    let directories = "a-directory-with-a-long-name-so-that-few-lines-are-long/".repeat(7);
    let name = |number| format!("t/{directories}{number:04}");
    let names: Vec<_> = (0..count).map(name).collect();
    for name in &names {
        dir.write(name, name);
    }
    dir.write("t/unlisted", "unlisted");
    let is_wrong = |number: usize| number < 3 || number + 3 > count;
    let content = |number: usize| if is_wrong(number) { "wrong" } else { &names[number] };
    let list = |line: &dyn Fn(&str, &str) -> String| {
        (0..count).map(|number| line(&names[number], content(number))).collect::<String>()
    };
    for algorithm in ["md5", "sha256", "blake3", "xxh64"] {
        dir.write(algorithm, list(&|name, content| format!("{}  {name}\n", digest(algorithm, content))));
    }
    dir.write("other", list(&|name, _| format!("{}  {name}\n", digest("md5", name))));
    let tagged = |name: &str, content: &str| {
        let (md5, sha1) = (digest("md5", content), digest("sha1", content));
        format!("SHA1 ({name}) = {sha1}\nMD5 ({name}) = {md5}\n")
    };
    dir.write("tagged", list(&tagged));
    dir.write("names", list(&|name, _| format!("{name}\n")));
    dir.write("names0", list(&|name, _| format!("{name}\0")));
    for format in ["hashdeep", "jsonl"] {
        let sum =
            ["sum", "-q", "-a", "md5", "--manifest-format", format, "-o", "made", "--files-from", "names"];
        dir.hashlane(sum).run().code(0);
        fs::rename(dir.path("made"), dir.path(format)).unwrap();
    }
    dir.hashlane(["known", "build", "-q", "-a", "md5", "other", "-o", "index"]).run().code(0);
    dir
}

/// What a command says of a list that comes so; an error if it hangs.
fn answer(dir: &Dir, reads: &Reads, named: bool, way: Way, number: usize) -> Result<Answer, String> {
    let out = format!("out-{number}");
    let list = dir.path(reads.list);
    let fifo = (way == Way::Fifo).then(|| dir.fifo(&format!("fifo-{number}")));
    let place: PathBuf = match way {
        Way::File => reads.list.into(),
        Way::Dash => "-".into(),
        Way::DevStdin => "/dev/stdin".into(),
        Way::Fifo => format!("fifo-{number}").into(),
        Way::Substitution => "/dev/fd/9".into(),
    };
    let words = reads
        .arguments
        .split(' ')
        .chain(reads.named.filter(|_| named).into_iter().flat_map(|named| named.split(' ')));
    let words: Vec<PathBuf> = words
        .map(|word| match word {
            "@" => place.clone(),
            "OUT" => out.clone().into(),
            word => word.into(),
        })
        .collect();
    let script = format!("exec 9< <(cat {}); exec \"$0\" \"$@\"", reads.list);
    let command = match way {
        Way::Substitution => dir.command("bash", ["-c", &script, HASHLANE]).args(&words),
        Way::Dash | Way::DevStdin => dir.hashlane(&words).input(fs::read(&list).unwrap()),
        Way::File | Way::Fifo => dir.hashlane(&words),
    };
    let writer = fifo.clone().map(|fifo| {
        let content = fs::read(&list).unwrap();
        // Opening it waits for the reader. Who goes away early takes no more.
        thread::spawn(move || drop(File::options().write(true).open(fifo).unwrap().write_all(&content)))
    });
    let ran = command.start().wait_within(LIMIT);
    if let (Some(fifo), Some(writer)) = (fifo, writer) {
        // One that was never opened, or not read to its end, is now, so that nobody waits for that any more.
        let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let mut last = File::options().read(true).custom_flags(flags).open(fifo).unwrap();
        let mut block = vec![0; 64 << 10];
        while !writer.is_finished() {
            let _ = last.read(&mut block);
            thread::yield_now();
        }
        writer.join().unwrap();
    }
    let ran = ran.ok_or(HANGS)?;
    // The header of hashdeep repeats the command line.
    let lines =
        ran.lines().into_iter().filter(|line| !line.starts_with(b"## # ") && !line.starts_with(b"## $ "));
    let answer =
        Answer { code: ran.status.code(), printed: lines.collect::<Vec<_>>().concat(), said: ran.stderr };
    let Some(then) = reads.then.filter(|_| dir.has(&out)) else { return Ok(answer) };
    let words = then.split(' ').map(|word| if word == "OUT" { &out[..] } else { word });
    let ran = dir.hashlane(words).run();
    Ok(Answer { printed: ran.stdout, ..answer })
}

/// What is wrong with a cell, if anything is.
fn judge(dir: &Dir, reads: &Reads, named: bool, way: Way, number: usize) -> Result<(), String> {
    let by_file = answer(dir, reads, named, Way::File, 2 * number)?;
    let found = answer(dir, reads, named, way, 2 * number + 1)?;
    let refused = match way {
        Way::Dash => reads.refused.or(reads.no_dash),
        _ => reads.refused,
    };
    match refused {
        Some(refused)
            if found.code != Some(0) && found.printed.is_empty() && found.said.contains(refused) =>
        {
            Ok(())
        }
        Some(refused) => {
            Err(format!("it is not refused ({refused:?}), but {:?}: {}", found.code, found.said))
        }
        None if (&found.code, &found.printed) == (&by_file.code, &by_file.printed) => Ok(()),
        None => Err(format!(
            "by file {:?} and {} bytes, so {:?} and {} bytes: {}",
            by_file.code,
            by_file.printed.len(),
            found.code,
            found.printed.len(),
            found.said.lines().take(3).collect::<Vec<_>>().join("; ")
        )),
    }
}

#[test]
fn standard_input_is_no_file_of_that_name() {
    let dir = lists(20);
    dir.write("-", "no list");
    let md5 = dir.read("md5");
    let sum = dir.hashlane(["sum", "-q", "--progress", "json", "--files-from", "-"]).input(dir.read("names"));
    assert_eq!(sum.run().code(0).lines().len(), 20);
    let by_file = dir.hashlane(["diff", "-a", "md5", "md5", "other"]).run();
    let by_pipe = dir.hashlane(["diff", "-a", "md5", "-", "other"]).input(&md5[..]).run();
    by_pipe.code(by_file.status.code().unwrap()).printed(by_file.stdout);
}

#[test]
fn one_pipe_is_not_both_sides() {
    let dir = lists(20);
    for (a, b) in [("-", "/dev/stdin"), ("/dev/stdin", "/dev/fd/0")] {
        let ran = dir.hashlane(["diff", "-a", "md5", a, b]).input(dir.read("md5")).run().code(64);
        assert!(ran.stderr.contains("A and B are the same pipe"), "{}", ran.stderr);
    }
    dir.hashlane(["diff", "-a", "md5", "md5", "md5"]).run().code(0);
}

#[test]
fn a_list_says_the_same_by_whatever_way_it_comes() {
    let (short, long) = (lists(12), lists(2 * LONG_BYTES / 400));
    for list in ["md5", "sha256", "blake3", "xxh64", "tagged", "names", "names0", "hashdeep", "jsonl"] {
        assert!(short.read(list).len() < 16 << 10, "{list}");
        assert!(long.read(list).len() > LONG_BYTES, "{list}");
    }
    let mut cells = Vec::new();
    for reads in COMMANDS {
        for (length, dir) in [("short", &short), ("long", &long)] {
            for named in [false, true].into_iter().take(1 + usize::from(reads.named.is_some())) {
                cells.extend(WAYS.map(|way| (reads, length, dir, named, way)));
            }
        }
    }
    let (next, hung, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&(reads, length, dir, named, way)) = cells.get(number)
        {
            if let Err(what) = judge(dir, reads, named, way, number) {
                let name = if named { reads.named.unwrap_or_default() } else { "" };
                let cell = format!("{} {name} of {length} {} by {way:?}", reads.arguments, reads.list);
                wrong.lock().unwrap().push(format!("{cell}: {what}"));
                // Others would hang as well, each until its limit.
                if what == HANGS && hung.fetch_add(1, Ordering::Relaxed) >= MOST_HANGS {
                    next.store(cells.len(), Ordering::Relaxed);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} cells differ:\n{}", wrong.len(), cells.len(), wrong.join("\n"));
    println!("{} cells agree", cells.len());
}
