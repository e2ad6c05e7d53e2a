//! The one table of programs: which do an algorithm, how each is called at its best, and what its output looks like.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, Result};

use super::inputs::Input;
use super::outputs::Shape;
use super::sampling::{Invocation, Job};
use xtask::cargo::{cargo_bin, find_command};

/// Files for one call under xargs; the best of them is found by trial.
const FILES_A_CALL: [usize; 3] = [32, 128, 512];

/// Processes at once where nothing is in the page cache.
const PROCESSES_COLD: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// How another build of hashlane is called in tables.
pub(crate) const AGAINST: &str = "hashlane, the other build";

/// What is there to be run.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The command that is measured.
    pub(crate) hashlane: PathBuf,
    /// Another build of it.
    pub(crate) against: Option<PathBuf>,
    /// Whether the two are all that takes part.
    pub(crate) alone: bool,
    /// Processes that xargs may run at once.
    pub(crate) cores: usize,
}

/// A program and how it digests.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Shown in tables.
    pub(crate) name: String,
    /// Looked up in the search path.
    pub(crate) path: PathBuf,
    arguments: Vec<String>,
    /// What its output looks like.
    pub(crate) shape: Shape,
    threads: Threads,
}

/// How a program uses more than one core on a tree.
#[derive(Clone, Debug)]
enum Threads {
    /// It walks trees and has threads for that, with these arguments.
    Own(Vec<String>),
    /// It has none: xargs runs several at once.
    Xargs,
    /// It has threads within one file; either those, or one thread by this argument and xargs.
    Either(&'static str),
}

impl Tools {
    /// The tools of this machine.
    pub(crate) fn new(hashlane: PathBuf, against: Option<PathBuf>, alone: bool) -> Self {
        Self { hashlane, against, alone, cores: thread::available_parallelism().map_or(1, usize::from) }
    }

    /// The measured command as it does what the peers do on this input, which read a file once for each of its names.
    pub(crate) fn ours_on(&self, work: &str, input: &Input) -> Program {
        let mut program = self.ours(work);
        if input.has_links() {
            program.arguments.push("--no-links-once".to_owned());
        }
        program
    }

    /// The other build, called as [`Tools::ours_on`] calls the measured command.
    pub(crate) fn against_on(&self, work: &str, input: &Input) -> Option<Program> {
        let path = self.against.clone()?;
        Some(Program { name: AGAINST.to_owned(), path, ..self.ours_on(work, input) })
    }

    /// The measured command with these algorithms, joined by `+`.
    pub(crate) fn ours(&self, work: &str) -> Program {
        let shape = if work.contains('+') { Shape::Bsd } else { Shape::Gnu };
        let arguments = ["sum".to_owned(), "-a".to_owned(), work.replace('+', ",")];
        let threads = Threads::Own(vec!["-r".to_owned()]);
        Program {
            name: "hashlane".into(),
            path: self.hashlane.clone(),
            arguments: arguments.into(),
            shape,
            threads,
        }
    }

    /// The measured command with more arguments, under a name of its own.
    pub(crate) fn ours_with(&self, work: &str, name: &str, more: &[String]) -> Program {
        let mut program = self.ours(work);
        program.arguments.extend_from_slice(more);
        Program { name: name.to_owned(), ..program }
    }

    /// Walking, opening, reading and closing alone, by this very program.
    pub(crate) fn bare(&self, threads: usize) -> Result<Program> {
        Ok(Program {
            name: format!("bare reading, {threads} threads"),
            path: std::env::current_exe().context("cannot find this program")?,
            arguments: vec!["bare".into(), format!("--threads={threads}")],
            shape: Shape::Gnu,
            threads: Threads::Own(Vec::new()),
        })
    }

    /// Everything on this machine that does the same work.
    pub(crate) fn peers(&self, work: &str) -> Vec<Program> {
        let mut peers = Vec::new();
        peers.extend(coreutils(work));
        peers.extend(openssl(work));
        peers.extend(rhash(work));
        peers.extend(self.hashdeep(work));
        peers.extend(xxhsum(work));
        if work == "blake3" {
            peers.extend(b3sums());
        }
        peers.retain(|program| {
            find_command(&program.path.to_string_lossy()).is_some() || program.path.is_absolute()
        });
        peers
    }

    fn hashdeep(&self, work: &str) -> Option<Program> {
        let (program, shape) = match work {
            "md5" => ("md5deep", Shape::Gnu),
            "sha1" => ("sha1deep", Shape::Gnu),
            "sha256" => ("sha256deep", Shape::Gnu),
            "tiger" => ("tigerdeep", Shape::Gnu),
            "whirlpool" => ("whirlpooldeep", Shape::Gnu),
            "md5+sha1" | "md5+sha256" | "sha1+sha256" | "md5+sha1+sha256" => ("hashdeep", Shape::Hashdeep),
            _ => return None,
        };
        let mut arguments = vec!["-l".to_owned(), format!("-j{}", self.cores)];
        if shape == Shape::Hashdeep {
            arguments.extend(["-c".to_owned(), work.replace('+', ",")]);
        }
        // Without `-o f` they also read the targets of symbolic links.
        let threads = Threads::Own(words("-o f -r"));
        Some(Program { arguments, threads, ..program_of(program, "", shape) })
    }
}

impl Program {
    /// Its best forms on this input; several where only a trial can tell. Who waits for a disk gains from more processes than
    /// there are cores.
    pub(crate) fn jobs(&self, input: &Input, cores: usize, cold: bool) -> Vec<Job> {
        let xargs = |files: usize| self.xargs(input, files, cores, self.one_thread());
        let many = |processes: usize| self.xargs(input, FILES_A_CALL[0], processes, self.one_thread());
        let jobs: Vec<_> = match (&self.threads, input.tree) {
            (_, false) => vec![self.direct(input, &[])],
            (Threads::Own(walk), true) => vec![self.direct(input, walk)],
            (Threads::Xargs | Threads::Either(_), true) if cold => PROCESSES_COLD.map(many).into(),
            (Threads::Xargs, true) => FILES_A_CALL.map(xargs).into(),
            (Threads::Either(_), true) => {
                let mut forms: Vec<_> = FILES_A_CALL.map(xargs).into();
                forms.push(self.xargs(input, FILES_A_CALL[2], 1, None));
                forms
            }
        };
        jobs.into_iter().map(Job::Program).collect()
    }

    /// A form whose lines are whole: programs that run at once would write into each other's.
    pub(crate) fn verification(&self, input: &Input) -> Invocation {
        match (&self.threads, input.tree) {
            (_, false) => self.direct(input, &[]),
            (Threads::Own(walk), true) => self.direct(input, walk),
            (_, true) => self.xargs(input, FILES_A_CALL[2], 1, None),
        }
    }

    fn one_thread(&self) -> Option<&str> {
        if let Threads::Either(argument) = self.threads { Some(argument) } else { None }
    }

    fn direct(&self, input: &Input, walk: &[String]) -> Invocation {
        let words = self.arguments.iter().chain(walk).chain([&input.name]);
        let arguments: Vec<_> = words.map(OsString::from).collect();
        let shown = self.line(walk, &quoted(&input.name));
        self.invocation(input, self.path.clone().into(), arguments, shown)
    }

    fn xargs(&self, input: &Input, files: usize, processes: usize, more: Option<&str>) -> Invocation {
        let more: Vec<_> = more.into_iter().map(str::to_owned).collect();
        let script = |program: &str| {
            let arguments: Vec<_> = self.arguments.iter().chain(&more).map(|word| quoted(word)).collect();
            let arguments = arguments.join(" ");
            let find = format!("find {} -type f -print0", quoted(&input.name));
            format!("{find} | xargs -0 -n {files} -P {processes} {program} {arguments}")
        };
        let shown = script(&file_name(&self.path));
        let called = script(&quoted(&self.path.to_string_lossy()));
        self.invocation(input, "sh".into(), vec!["-c".into(), called.into()], shown.replace('\n', "\\n"))
    }

    fn invocation(
        &self,
        input: &Input,
        program: OsString,
        arguments: Vec<OsString>,
        shown: String,
    ) -> Invocation {
        Invocation {
            program,
            arguments,
            folder: input.folder.clone(),
            shown,
            bytes: input.bytes,
            may_fail: false,
        }
    }

    fn line(&self, walk: &[String], name: &str) -> String {
        let mut line = vec![file_name(&self.path)];
        line.extend(self.arguments.iter().chain(walk).map(|word| quoted(word)));
        line.push(name.to_owned());
        line.join(" ")
    }
}

fn program_of(path: &str, arguments: &str, shape: Shape) -> Program {
    Program {
        name: path.into(),
        path: path.into(),
        arguments: words(arguments),
        shape,
        threads: Threads::Xargs,
    }
}

fn coreutils(work: &str) -> Option<Program> {
    let program = match work {
        "md5" => "md5sum",
        "sha1" => "sha1sum",
        "sha224" => "sha224sum",
        "sha256" => "sha256sum",
        "sha384" => "sha384sum",
        "sha512" => "sha512sum",
        "blake2b" => "b2sum",
        "sm3" => return Some(program_of("cksum", "--algorithm=sm3 --untagged", Shape::Gnu)),
        _ => return None,
    };
    Some(program_of(program, "", Shape::Gnu))
}

fn openssl(work: &str) -> Option<Program> {
    let digest = match work {
        "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "sha512-256" | "sha3-256"
        | "sha3-512" | "sm3" => work,
        "blake2b" => "blake2b512",
        "blake2s" => "blake2s256",
        _ => return None,
    };
    Some(Program {
        name: "openssl dgst".into(),
        ..program_of("openssl", &format!("dgst -r -{digest}"), Shape::Gnu)
    })
}

fn rhash(work: &str) -> Option<Program> {
    let keys: Option<Vec<_>> = work.split('+').map(rhash_key).collect();
    let keys: Vec<_> = keys?.into_iter().map(|key| format!("%{{{key}}}")).collect();
    let format = format!("--printf={}  %p\\n", keys.join(","));
    Some(Program { arguments: vec![format], ..program_of("rhash", "", Shape::Gnu) })
}

fn rhash_key(algorithm: &str) -> Option<&str> {
    Some(match algorithm {
        "md4" | "md5" | "sha1" | "sha3-256" | "sha3-512" | "blake2b" | "blake2s" | "tiger" | "whirlpool" => {
            algorithm
        }
        "sha224" => "sha-224",
        "sha256" => "sha-256",
        "sha384" => "sha-384",
        "sha512" => "sha-512",
        _ => return None,
    })
}

fn xxhsum(work: &str) -> Option<Program> {
    let argument = match work {
        "xxh64" => "-H1",
        "xxh128" => "-H2",
        _ => return None,
    };
    Some(program_of("xxhsum", argument, Shape::Gnu))
}

/// The packaged one, and a newer one from crates.io if somebody installed it.
fn b3sums() -> Vec<Program> {
    let program = |name: &str, path: &Path| {
        let program = program_of("b3sum", "", Shape::Gnu);
        Program {
            name: name.into(),
            path: path.into(),
            threads: Threads::Either("--num-threads=1"),
            ..program
        }
    };
    let own = cargo_bin().map(|folder| folder.join("b3sum")).filter(|path| path.is_file());
    let packaged = [Path::new("/usr/bin/b3sum"), Path::new("/usr/local/bin/b3sum")]
        .into_iter()
        .find(|path| path.is_file());
    let mut found: Vec<_> = packaged.map(|path| program("b3sum", path)).into_iter().collect();
    found.extend(own.map(|path| program(if packaged.is_some() { "b3sum (cargo)" } else { "b3sum" }, &path)));
    found
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,+@:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(tree: bool) -> Input {
        let (title, folder, name) = (String::new(), "/".into(), "a b".into());
        Input { title, folder, name, tree, files: 1, bytes: 1, bytes_once: 1 }
    }

    fn shown(program: &Program, tree: bool) -> Vec<String> {
        program.jobs(&input(tree), 2, false).iter().map(Job::shown).collect()
    }

    fn tools() -> Tools {
        Tools { hashlane: "/x/hashlane".into(), against: Some("/y/before".into()), alone: false, cores: 2 }
    }

    #[test]
    fn another_build_is_called_as_ours_is() {
        let against = tools().against_on("md5", &input(true)).expect("it is named");
        assert_eq!(shown(&against, true), ["before sum -a md5 -r 'a b'"]);
        assert_eq!(against.name, AGAINST);
    }

    #[test]
    fn programs_without_threads_go_through_xargs_on_trees() {
        let program = coreutils("sha256").expect("it is known");
        assert_eq!(shown(&program, false), ["sha256sum 'a b'"]);
        assert_eq!(shown(&program, true)[1], "find 'a b' -type f -print0 | xargs -0 -n 128 -P 2 sha256sum ");
        assert_eq!(shown(&program, true).len(), 3);
    }

    #[test]
    fn programs_with_threads_are_called_once() {
        let tools = tools();
        let hashdeep = tools.hashdeep("md5+sha256").expect("it is known");
        assert_eq!(shown(&hashdeep, true), ["hashdeep -l -j2 -c md5,sha256 -o f -r 'a b'"]);
        assert_eq!(shown(&tools.ours("md5+sha1"), true), ["hashlane sum -a md5,sha1 -r 'a b'"]);
    }

    #[test]
    fn hard_links_are_read_as_often_as_the_peers_read_them() {
        let tools = tools();
        let linked = Input { bytes: 2, ..input(true) };
        let called = |input: &Input| tools.ours_on("md5", input).jobs(input, 2, false)[0].shown();
        assert_eq!(called(&input(true)), "hashlane sum -a md5 -r 'a b'");
        assert_eq!(called(&linked), "hashlane sum -a md5 --no-links-once -r 'a b'");
    }

    #[test]
    fn several_algorithms_have_few_peers() {
        assert!(coreutils("md5+sha1").is_none() && openssl("md5+sha1").is_none());
        let rhash = rhash("md5+sha256").expect("it is known");
        assert_eq!(shown(&rhash, false), ["rhash '--printf=%{md5},%{sha-256}  %p\\n' 'a b'"]);
    }
}
