//! Where runs are kept: a directory of all, or a file that was named, each with its page beside it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use hashlane_io::{directory_of, replace, try_directory};
use hashlane_measure::{Run, is_run};
use hashlane_report::page as page_of_run;

use super::put;
use crate::args::ResultArgs;
use crate::output::{is_special, shown};
use crate::status::Ended;
use crate::terminal::screen::Screen;

/// Where a run is kept.
pub(super) enum Place {
    Nowhere,
    Directory(PathBuf),
    /// The run, and its page unless it goes to a pipe or a device.
    File(PathBuf, Option<PathBuf>),
}

impl Place {
    pub(super) fn of(results: &ResultArgs) -> anyhow::Result<Self> {
        if results.no_save {
            return Ok(Self::Nowhere);
        }
        if let Some(file) = &results.output {
            let wrong = |what: &str| Err(Ended::usage(format!("--output {}: {what}", shown(file))));
            if file.as_os_str() == "-" {
                return wrong("standard output is not a run file; --json prints the run");
            }
            if file.is_dir() {
                return wrong("is a directory; name a file");
            }
            let page = page_of(file);
            if page == *file {
                return wrong("is the name of the page; give the run another extension, such as .json");
            }
            if is_special(file) {
                return Ok(Self::File(file.clone(), None));
            }
            if let Some(what) = in_the_way(file, &page) {
                return wrong(&what);
            }
            let directory = directory_of(file);
            try_directory(directory).map_err(|error| cannot_be_kept(directory, &error))?;
            return Ok(Self::File(file.clone(), Some(page)));
        }
        let Some(directory) = results.runs.clone().or_else(state_directory) else {
            Screen::plain()
                .message("the run will not be saved: HOME is not set; name a place with --runs or --output");
            return Ok(Self::Nowhere);
        };
        std::fs::create_dir_all(&directory)
            .and_then(|()| try_directory(&directory))
            .map_err(|error| cannot_be_kept(&directory, &error))?;
        Ok(Self::Directory(directory))
    }

    /// The directory that files are written to.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Nowhere | Self::File(_, None) => None,
            Self::Directory(directory) => Some(directory),
            Self::File(file, Some(_)) => Some(directory_of(file)),
        }
    }

    /// Keeps the run and its page; returns the page.
    pub(super) fn save(&self, run: &Run, screen: &Screen) -> anyhow::Result<Option<PathBuf>> {
        let (file, page) = match self {
            Self::Nowhere => return Ok(None),
            Self::File(file, page) => {
                // Somebody may have put something there meanwhile.
                if let Some(what) = page.as_ref().and_then(|page| in_the_way(file, page)) {
                    return Err(Ended::output(format!("--output {}: {what}", shown(file))));
                }
                replace(file, run.to_json().as_bytes())
                    .map_err(|error| cannot_be_kept(file, &error.into()))?;
                (file.clone(), page.clone())
            }
            Self::Directory(directory) => {
                let file = run.put_in(directory).map_err(|error| cannot_be_kept(directory, &error))?;
                let page = page_of(&file);
                (file, Some(page))
            }
        };
        // A pipe has taken it: beside a pipe no page is wanted.
        let Some(page) = page else { return Ok(None) };
        let written = put(&page, &page_of_run(run));
        let and_page =
            if written.is_ok() { format!(", and its page in {}", shown(&page)) } else { String::new() };
        screen.message(&format!("the run is in {}{and_page}", shown(&file)));
        written.map(|()| Some(page))
    }
}

fn cannot_be_kept(place: &Path, error: &io::Error) -> anyhow::Error {
    let error = hashlane_report::text::system(error);
    Ended::output(format!(
        "{}: {error}: the run cannot be saved; name another place with --runs or --output, or use --no-save",
        shown(place)
    ))
}

/// What stands against writing a run and its page: only what this program wrote is written over, or nothing at all.
fn in_the_way(file: &Path, page: &Path) -> Option<String> {
    let is_filled = std::fs::metadata(file).is_ok_and(|facts| facts.len() > 0);
    if is_filled && !is_run_file(file) {
        return Some("exists and is not a run; name another file, or remove it".to_owned());
    }
    (page.exists() && !is_page(page)).then(|| {
        let page = shown(page);
        format!("the page would replace {page}, which is not a page; give the run another name")
    })
}

/// Refuses an output that would take the place of what was measured.
pub(crate) fn refuse_run(output: Option<&Path>) -> anyhow::Result<()> {
    match output {
        Some(path) if is_run_file(path) => Err(Ended::usage(format!(
            "--output {}: is a run, which cannot be measured again; name another file",
            shown(path)
        ))),
        _ => Ok(()),
    }
}

fn is_run_file(path: &Path) -> bool {
    is_run(&head(path))
}

/// The beginning of a file; nothing of what is none, for a pipe would be waited for.
fn head(path: &Path) -> Vec<u8> {
    const HEAD_BYTES: u64 = 4_096;
    let mut head = Vec::new();
    if path.is_file() {
        // What cannot be read is not known to be ours.
        let _ = std::fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    }
    head
}

fn is_page(path: &Path) -> bool {
    let mark = br#"name="generator" content="hashlane"#;
    head(path).windows(mark.len()).any(|bytes| bytes == mark)
}

/// The page lies beside its run.
fn page_of(run: &Path) -> PathBuf {
    run.with_extension("html")
}

/// Where the XDG base directory specification puts state.
fn state_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("hashlane/runs"))
}
