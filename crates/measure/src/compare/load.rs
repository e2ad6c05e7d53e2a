//! Files of figures: runs of ours, and what other programs have written.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hashlane_record::system_text;

use super::scatter::LEAST_RUNS;
use crate::import::{Format, ImportError, Imported, import};
use crate::run::{Run, RunError, SCHEMA, read, without_mark};

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// A run of ours.
    Run(Box<Run>),
    /// What another program has written.
    Imported(Imported),
    /// A directory: runs of the same, one after the other. Each is of ours, or is what another program wrote of one machine.
    Repeated(Vec<(PathBuf, Loaded)>),
}

/// Why a file of figures cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It is a directory in which there is nothing to compare.
    #[error(
        "{}: is a directory without runs; put runs of one program on one machine there, at least {LEAST_RUNS} of them",
        shown(path)
    )]
    NoRuns {
        /// The directory.
        path: PathBuf,
    },
    /// It is a directory whose files are not runs of the same.
    #[error(
        "{}: is a directory whose files are not runs of the same: {differs}; name its files, as in {}/*, to compare them with each other",
        shown(path),
        shown(path).trim_end_matches('/')
    )]
    Mixed {
        /// The directory.
        path: PathBuf,
        /// Which two files, and in what they differ.
        differs: String,
    },
    /// A directory cannot be listed.
    #[error("{}: {}", shown(path), system_text(source))]
    List {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not a file of another program either.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// It cannot be read, or is a run that cannot be trusted.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Loaded {
    /// Reads a file, or the runs in a directory. What a file is follows from its content.
    ///
    /// # Errors
    /// It cannot be read, is not a file of figures, or cannot be trusted; the files of a directory are not of the same.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        match path.is_dir() {
            true => Self::load_all(path),
            false => Self::parse(&read(path)?, path),
        }
    }

    /// The runs in a directory, by name: its JSON files, or all files if it has none. `bench` puts pages beside its runs. Each run counts
    /// once, however many copies of its file there are.
    fn load_all(directory: &Path) -> Result<Self, LoadError> {
        let failed = |source| LoadError::List { path: directory.to_path_buf(), source };
        let mut paths = Vec::new();
        for entry in fs::read_dir(directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if !is_hidden && path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
        if paths.iter().any(is_json) {
            paths.retain(is_json);
        }
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            let loaded = Self::parse(&read(&path)?, &path)?;
            // A copy of a run, or a link to it, is the same run.
            let is_known = |(_, known): &(PathBuf, Self)| match (known, &loaded) {
                (Self::Run(known), Self::Run(run)) => known == run,
                _ => false,
            };
            if !all.iter().any(is_known) {
                all.push((path, loaded));
            }
        }
        let Some((first, rest)) = all.split_first() else {
            return Err(LoadError::NoRuns { path: directory.to_path_buf() });
        };
        let of_many = all
            .iter()
            .find(|(_, loaded)| loaded.machines() > 1)
            .map(|(path, loaded)| format!("{} tells of {} machines", shown(path), loaded.machines()));
        let differs = rest.iter().find(|(_, other)| other.what() != first.1.what()).map(|(path, other)| {
            format!("{} is of {}, {} of {}", shown(&first.0), first.1.what(), shown(path), other.what())
        });
        let is_sysperf = |loaded: &Self| matches!(loaded, Self::Imported(of) if of.format == Format::Sysperf);
        let sysperf = all
            .iter()
            .find(|(_, loaded)| is_sysperf(loaded))
            .map(|(path, _)| format!("{} is of sysperf, whose files are put together by host", shown(path)));
        match sysperf.or(of_many).or(differs) {
            Some(differs) => Err(LoadError::Mixed { path: directory.to_path_buf(), differs }),
            None => Ok(Self::Repeated(all)),
        }
    }

    /// What was measured, and by whom.
    fn what(&self) -> String {
        match self {
            Self::Run(run) => format!("study {}", run.study),
            Self::Imported(imported) => imported.format.name().to_owned(),
            Self::Repeated(_) => "directory".to_owned(),
        }
    }

    fn machines(&self) -> usize {
        match self {
            Self::Run(_) | Self::Repeated(_) => 1,
            Self::Imported(imported) => imported.machines.len(),
        }
    }

    /// Reads what a file holds; `path` is for messages.
    ///
    /// # Errors
    /// It is not a file of figures, or cannot be trusted.
    pub fn parse(content: &[u8], path: &Path) -> Result<Self, LoadError> {
        if is_run(content) {
            return Ok(Self::Run(Box::new(Run::parse(content, path)?)));
        }
        Ok(Self::Imported(import(content, path)?))
    }
}

/// Whether content says at its beginning that it is a run, even if what follows is broken: then the error says what is wrong with
/// it as a run.
pub fn is_run(content: &[u8]) -> bool {
    const HEAD: usize = 512;
    let content = without_mark(content);
    let head = &content[..content.len().min(HEAD)];
    let mark = format!("\"{SCHEMA}\"");
    head.trim_ascii_start().starts_with(b"{")
        && head.windows(mark.len()).any(|bytes| bytes == mark.as_bytes())
}

fn shown(path: &Path) -> String {
    hashlane_record::Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}
