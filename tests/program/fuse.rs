//! FUSE file systems. Of one whose program answers every read itself, and never with much at once, io_uring brings wrong bytes
//! without an error; so it is neither used nor measured on any.

mod writable;

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEntry, ReplyOpen,
    Request,
};

use serde_json::Value;

use crate::work::{Dir, digest, have, needs};
use writable::Writable;

/// The program answers with this many bytes at most, whatever it is asked for.
const MOST_BYTES: usize = 5_000;

/// Files by name, in one directory, read by direct I/O.
#[derive(Debug)]
struct DirectFiles(Vec<(String, Vec<u8>)>);

impl DirectFiles {
    /// The inode of the first file; the root's is 1.
    const FIRST: u64 = 2;

    /// Mounts files; they are there until what is returned is dropped.
    fn mount(files: Vec<(String, Vec<u8>)>, at: &Path) -> std::io::Result<BackgroundSession> {
        let mut options = Config::default();
        options.mount_options = vec![MountOption::RO, MountOption::FSName("direct".to_owned())];
        fuser::spawn_mount(Self(files), at, &options)
    }

    fn facts(&self, inode: INodeNo) -> Option<FileAttr> {
        let content = match u64::from(inode).checked_sub(Self::FIRST) {
            None => None,
            Some(place) => Some(&self.0.get(place as usize)?.1),
        };
        let size = content.map_or(0, |content| content.len() as u64);
        Some(FileAttr {
            ino: inode,
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if content.is_some() { FileType::RegularFile } else { FileType::Directory },
            perm: 0o755,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            flags: 0,
            blksize: 4096,
        })
    }
}

impl Filesystem for DirectFiles {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let place = self.0.iter().position(|(known, _)| OsStr::new(known) == name);
        let facts = place.and_then(|place| self.facts(INodeNo(place as u64 + Self::FIRST)));
        match facts {
            Some(facts) => reply.entry(&Duration::ZERO, &facts, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.facts(inode) {
            Some(facts) => reply.attr(&Duration::ZERO, &facts),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let content = &self.0[(u64::from(inode) - Self::FIRST) as usize].1;
        let from = content.len().min(offset as usize);
        let to = content.len().min(from + (size as usize).min(MOST_BYTES));
        reply.data(&content[from..to]);
    }

    fn readdir(&self, _: &Request, _: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        for (place, (name, _)) in self.0.iter().enumerate().skip(offset as usize) {
            let inode = INodeNo(place as u64 + Self::FIRST);
            if reply.add(inode, place as u64 + 1, FileType::RegularFile, name) {
                break;
            }
        }
        reply.ok();
    }
}

/// Files of all kinds of sizes, and their lines as `sum` prints them.
fn files() -> (Vec<(String, Vec<u8>)>, String) {
    let content = |number: usize| {
        let length = [0, 1, 4_999, 5_001, 70_000, 300_000][number % 6] + number;
        (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ number as u8).collect()
    };
    let files: Vec<(String, Vec<u8>)> =
        (0..60).map(|number| (format!("{number:02}"), content(number))).collect();
    let lines =
        files.iter().map(|(name, content)| format!("{}  t/mount/{name}\n", digest("sha256", content)));
    let lines = lines.collect();
    (files, lines)
}

/// A tree with such a file system in the middle; none where it cannot be mounted.
fn mounted() -> Option<(Dir, BackgroundSession, String)> {
    if !have("fusermount3") {
        return None;
    }
    let dir = Dir::new();
    dir.make("t/mount").write("t/before", "b").write("t/z", "z");
    let (files, lines) = files();
    let session = DirectFiles::mount(files, &dir.path("t/mount"));
    if !needs(session.is_ok(), "the right to mount a FUSE file system") {
        return None;
    }
    let around = |name: &str, content: &str| format!("{}  t/{name}\n", digest("sha256", content));
    Some((dir, session.unwrap(), around("before", "b") + &lines + &around("z", "z")))
}

#[test]
fn no_engine_brings_wrong_bytes_of_a_file_system_that_answers_with_less_than_it_is_asked_for() {
    let Some((dir, _mounted, expected)) = mounted() else { return };
    let mut runs = 0;
    for engine in ["auto", "buffered", "direct", "mmap", "uring"] {
        for jobs in ["1", "4"] {
            let sum = ["sum", "--engine", engine, "-j", jobs];
            let ran = dir.hashlane(sum).arg("t").run().code(0).printed(&expected);
            let is_told = ran.stderr.contains("without io_uring, which is used on local file systems only");
            assert_eq!(is_told, engine == "uring", "{engine}: {}", ran.stderr);
            // Named one by one, they are opened by their paths.
            let names: Vec<_> = expected.lines().map(|line| &line[66..]).collect();
            dir.hashlane(sum).args(names).run().code(0).printed(&expected);
            dir.write("SHA256SUMS", &expected);
            dir.hashlane(["check", "-q", "--engine", engine, "-j", jobs, "SHA256SUMS"])
                .run()
                .code(0)
                .printed("");
            runs += 3;
        }
    }
    println!("{runs} runs over a FUSE file system that answers in parts");
}

/// A directory with a place on a FUSE file system that can be written to, `fuse`, and one beside it, `local`; none where
/// nothing can be mounted.
fn writable() -> Option<(Dir, BackgroundSession)> {
    if !have("fusermount3") {
        return None;
    }
    let dir = Dir::new();
    dir.make("fuse").make("local");
    let session = Writable::mount(&dir.path("fuse"));
    needs(session.is_ok(), "the right to mount a FUSE file system").then(|| (dir, session.unwrap()))
}

const NOT_HERE: &str = "io_uring is not available here: it is used on local file systems only";

/// Cells of io_uring: how many were measured, and why the others were not.
fn by_rings(run: &Value) -> (usize, Vec<&str>) {
    let cells = run["cells"].as_array().unwrap().iter();
    let (measured, not): (Vec<_>, Vec<_>) =
        cells.filter(|cell| cell["cell"]["engine"] == "uring").partition(|cell| cell["figure"].is_object());
    (measured.len(), not.iter().map(|cell| cell["not_measured"].as_str().unwrap()).collect())
}

#[test]
fn tuning_tries_no_rings_there_and_a_profile_that_names_them_is_not_followed() {
    let Some((dir, _mounted)) = writable() else { return };
    let tuned = |place: &str, cache: &str| -> Value {
        let tune = ["tune", place, "--budget", "1s", "--json", "--cache", cache];
        serde_json::from_slice(&dir.hashlane(tune).run().code(0).stdout).unwrap()
    };
    let is_said = |profile: &Value, what: &str| {
        profile["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().starts_with(what))
    };
    let (local, there) = (tuned("local", "other"), tuned("fuse", "cache"));
    let is_tried = |profile: &Value| {
        let cells = profile["cells"].as_array().unwrap();
        cells.iter().any(|cell| cell["cell"]["engine"] == "uring")
    };
    // Where the kernel has no rings, that is said.
    assert_ne!(is_tried(&local), is_said(&local, "io_uring is not available here"), "{local:#}");
    assert!(!is_tried(&there) && is_said(&there, NOT_HERE), "{there:#}");
    assert_ne!(there["small_files"]["engine"], "uring");

    let name = std::fs::read_dir(dir.path("cache")).unwrap().next().unwrap().unwrap().file_name();
    let kept = format!("cache/{}", name.to_str().unwrap());
    let mut lines = String::new();
    for number in 0..20 {
        let (name, content) = (format!("fuse/t/{number:02}"), vec![number as u8; number * 3_000]);
        lines += &format!("{}  {name}\n", digest("sha256", &content));
        dir.write(name, content);
    }
    dir.write("SHA256SUMS", lines.replace("  fuse/", "  "));
    for engine in ["buffered", "uring"] {
        let mut profile = there.clone();
        profile["small_files"]["engine"] = engine.into();
        dir.write(&kept, profile.to_string());
        let summed = dir.hashlane(["sum", "fuse/t", "--cache", "cache"]).run().code(0).printed(&lines);
        let checked =
            dir.hashlane(["check", "--base", "fuse", "SHA256SUMS", "--cache", "cache"]).run().code(0);
        for said in [summed.stderr, checked.stderr] {
            assert_eq!(said.contains("read as tuned for fuse on writable"), engine == "buffered", "{said}");
            assert!(!said.contains("uring"), "{said}");
        }
    }
}

#[test]
fn rings_are_not_measured_there() {
    let Some((dir, _mounted)) = writable() else { return };
    let pipeline = ["bench", "pipeline", "--quick", "--budget", "1s", "--block", "64KiB", "-o", "run.json"];
    let made = ["--files", "2", "--file-size", "1MiB"];
    dir.hashlane(pipeline).args(made).args(["--dir", "local"]).run().code(0);
    let run = dir.run_file();
    let (measured, not) = by_rings(&run);
    assert!(measured > 0 || not.iter().all(|why| why.contains("refuses the engine")), "{not:?}");
    let cells = measured + not.len();
    // Files that are made there, and files that are there.
    dir.hashlane(pipeline).args(made).args(["--dir", "fuse"]).run().code(0);
    assert_eq!(by_rings(&dir.run_file()), (0, vec![NOT_HERE; cells]));
    dir.write("fuse/t/a", vec![1; 100_000]).write("fuse/t/b", vec![2; 300_000]);
    dir.hashlane(pipeline).arg("fuse/t").run().code(0);
    assert_eq!(by_rings(&dir.run_file()), (0, vec![NOT_HERE; cells]));
    let buffered = |run: &Value| {
        let cells = run["cells"].as_array().unwrap().iter();
        cells.filter(|cell| cell["cell"]["engine"] == "buffered" && cell["figure"].is_object()).count()
    };
    assert!(buffered(&dir.run_file()) > 0);
    for study in [&["bench", "io", "--dir"][..], &["bench", "--path"]] {
        dir.hashlane(study).args(["fuse", "--quick", "--budget", "1s", "-o", "run.json"]).run().code(0);
        assert_eq!(by_rings(&dir.run_file()), (0, vec![]));
    }
}
