//! What a run is asked to read: paths, or a list of names.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use hashlane_engine::{AlgorithmSet, Input, WalkOptions};
use hashlane_io::StandardInput;
use hashlane_manifest::LineProblem;
use hashlane_manifest::names::Names;
use hashlane_record::{Division, ItemPath, without_secrets};

use crate::amount::{Add, count_names, count_path};
use crate::lists::is_regular;
use crate::stdin::{STDIN, Stdin};

/// What a run is asked to read.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// Paths as they were named; none: standard input.
    Paths(Vec<OsString>),
    /// A list of names.
    List(NameList),
}

/// A list of names.
#[derive(Clone, Debug)]
pub struct NameList {
    /// Its own name; `-` is standard input.
    pub file: OsString,
    /// Whether its names end with NUL.
    pub zero: bool,
}

impl NameList {
    /// Its names, in their order.
    ///
    /// # Errors
    /// Nothing of it can be read.
    pub fn open(&self) -> io::Result<Names<'static>> {
        let input: Box<dyn Read + Send> = match self.file.as_bytes() {
            b"-" => Box::new(Stdin::default()),
            _ => Box::new(File::open(&self.file)?),
        };
        // A list that nothing can be read of is refused here, and is not taken for one with a bad first line.
        let mut input = BufReader::new(input);
        input.fill_buf()?;
        if self.zero { Ok(Names::nul_terminated(input)) } else { Names::lines(input) }
    }

    /// Its first name, if it can be read twice.
    pub fn first(&self) -> Option<ItemPath> {
        if is_regular(&self.file) { self.open().ok()?.find_map(Result::ok) } else { None }
    }
}

impl Inputs {
    /// Whether standard input is all there is to read.
    pub fn are_stdin(&self) -> bool {
        matches!(self, Self::Paths(paths) if paths.iter().all(|path| path == STDIN))
    }

    /// Whether somebody is to type it.
    pub fn come_from_terminal(&self) -> bool {
        let stdin = match self {
            Self::Paths(paths) => paths.is_empty() || paths.iter().any(|path| path == STDIN),
            Self::List(list) => list.file == STDIN,
        };
        stdin && StandardInput.is_terminal()
    }

    /// The paths other than standard input.
    fn named(&self) -> impl Iterator<Item = &OsStr> {
        let named = match self {
            Self::Paths(paths) => paths.as_slice(),
            Self::List(_) => &[],
        };
        named.iter().map(OsString::as_os_str).filter(|path| *path != STDIN)
    }

    /// Where what is read lies, as far as is known beforehand.
    pub fn places(&self) -> impl Iterator<Item = &OsStr> {
        self.named().chain(matches!(self, Self::List(_)).then_some(OsStr::new(".")))
    }

    /// The roots, as a header names them.
    pub fn roots(&self) -> Vec<ItemPath> {
        self.named().map(|path| ItemPath::from(&*without_secrets(path.as_bytes()))).collect()
    }

    /// The inputs for the engine. `refused` takes what is wrong with names of a list that cannot be.
    ///
    /// # Errors
    /// Nothing of a list can be read.
    pub fn open(
        &self,
        recursive: bool,
        (algorithms, division): (&AlgorithmSet, Option<Division>),
        mut refused: impl FnMut(&LineProblem) + Send + 'static,
    ) -> io::Result<Box<dyn Iterator<Item = Input> + Send>> {
        let algorithms = Arc::clone(algorithms);
        let stdin = move |algorithms| Input::Stdin { tag: Box::default(), algorithms, division };
        Ok(match self {
            Self::Paths(paths) if paths.is_empty() => Box::new(std::iter::once(stdin(algorithms))),
            Self::Paths(paths) => {
                Box::new(paths.clone().into_iter().map(move |path| match path.as_bytes() {
                    b"-" => stdin(Arc::clone(&algorithms)),
                    path if recursive => Input::Path(path.into()),
                    path => file(path.into(), &algorithms, division),
                }))
            }
            Self::List(list) => Box::new(list.open()?.filter_map(move |name| {
                let name = name.inspect_err(&mut refused).ok()?;
                Some(file(name, &algorithms, division))
            })),
        })
    }

    /// Counts the bytes of all of them; false if it cannot, or if nobody wants to know any more.
    pub fn count(&self, options: &WalkOptions, add: &mut Add<'_>) -> bool {
        match self {
            Self::Paths(paths) => {
                !paths.is_empty() && paths.iter().all(|path| count_path(path, options, add))
            }
            // A list that comes through a pipe can be read once only.
            Self::List(list) => is_regular(&list.file)
                .then(|| list.open().ok())
                .flatten()
                .is_some_and(|names| count_names(names.flatten(), options, add)),
        }
    }
}

fn file(path: ItemPath, algorithms: &AlgorithmSet, division: Option<Division>) -> Input {
    let algorithms = Arc::clone(algorithms);
    Input::File { path, base: None, algorithms, division, tag: Box::default() }
}
