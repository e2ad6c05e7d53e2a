//! Where runs are kept: a directory of all, or a file that was named, each with its page beside it.

use std::io;
use std::path::{Path, PathBuf};

use hashlane_io::{directory_of, replace, try_directory};
use hashlane_measure::Run;
use hashlane_report::page as page_of_run;
use hashlane_report::run::kept::{in_the_way, is_run_file, page_of, usual_directory};
use hashlane_report::text::system;

use super::put;
use crate::args::ResultArgs;
use crate::output::{is_special, shown};
use crate::status::{unwritten, usage};
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
            let wrong = |what: &str| Err(usage!("--output {}: {what}", shown(file)));
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
            if let Some(what) = in_the_way(file) {
                return wrong(&what);
            }
            let directory = directory_of(file);
            try_directory(directory).map_err(|error| cannot_be_kept(directory, &error))?;
            return Ok(Self::File(file.clone(), Some(page)));
        }
        let Some(directory) = results.runs.clone().or_else(usual_directory) else {
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
                if let Some(what) = page.as_ref().and_then(|_| in_the_way(file)) {
                    return Err(unwritten!("--output {}: {what}", shown(file)));
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
    let error = system(error);
    unwritten!(
        "{}: {error}: the run cannot be saved; name another place with --runs or --output, or use --no-save",
        shown(place)
    )
}

/// Refuses an output that would take the place of what was measured.
pub(crate) fn refuse_run(output: Option<&Path>) -> anyhow::Result<()> {
    match output {
        Some(path) if is_run_file(path) => Err(usage!(
            "--output {}: is a run, which cannot be measured again; name another file",
            shown(path)
        )),
        _ => Ok(()),
    }
}
