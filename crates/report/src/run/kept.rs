//! Files of runs, each with its page beside it.

use std::fs::{File, metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use hashlane_measure::is_run;
use hashlane_record::Escaped;

/// Where runs are kept unless somebody says otherwise, as the XDG base directory specification has it; none without a home.
pub fn usual_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("hashlane/runs"))
}

/// The page of the run in a file: it lies beside it.
pub fn page_of(run: &Path) -> PathBuf {
    run.with_extension("html")
}

/// What stands against writing a run and its page: only what this program wrote is written over, or nothing at all.
pub fn in_the_way(run: &Path) -> Option<String> {
    let is_filled = metadata(run).is_ok_and(|facts| facts.len() > 0);
    if is_filled && !is_run_file(run) {
        return Some("exists and is not a run; name another file, or remove it".to_owned());
    }
    let (page, mark) = (page_of(run), br#"name="generator" content="hashlane"#);
    let is_page = || head(&page).windows(mark.len()).any(|bytes| bytes == mark);
    (page.exists() && !is_page()).then(|| {
        let page = Escaped(page.as_os_str().as_encoded_bytes());
        format!("the page would replace {page}, which is not a page; give the run another name")
    })
}

/// Whether a file begins as runs do.
pub fn is_run_file(path: &Path) -> bool {
    is_run(&head(path))
}

/// The beginning of a file; nothing of what is none, for a pipe would be waited for.
fn head(path: &Path) -> Vec<u8> {
    const HEAD_BYTES: u64 = 4_096;
    let mut head = Vec::new();
    if path.is_file() {
        // What cannot be read is not known to be ours.
        let _ = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    }
    head
}
