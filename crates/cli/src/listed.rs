//! The items of manifests as inputs of a run.

use std::sync::{Arc, Mutex, PoisonError};

use hashlane_engine::{AlgorithmSet, Input};
use hashlane_io::Directory;
use hashlane_manifest::{Item, Merged, Reader};

use crate::expected::Expected;
use crate::extras::Known;
use crate::screen::Screen;

/// What was met on the way through the manifests.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Lines that could not be understood, by manifest.
    pub(crate) malformed: Vec<(String, u64)>,
    /// Items that list no digest.
    pub(crate) undigested: u64,
    /// The names listed, if anybody will ask.
    pub(crate) known: Known,
    keeps_names: bool,
}

impl Seen {
    pub(crate) fn new(keeps_names: bool) -> Self {
        Self { keeps_names, ..Self::default() }
    }
}

/// Reads manifests one after the other; runs on the thread of the source.
pub(crate) struct Listed {
    manifests: std::vec::IntoIter<(String, Reader<'static>)>,
    present: Option<(String, Merged<Reader<'static>>)>,
    base: Option<Arc<Directory>>,
    seen: Arc<Mutex<Seen>>,
    /// Where each line that cannot be understood is reported, if it is.
    warn: Option<Screen>,
    algorithms: AlgorithmSet,
}

impl Listed {
    pub(crate) fn new(
        manifests: Vec<(String, Reader<'static>)>,
        base: Option<Arc<Directory>>,
        seen: Arc<Mutex<Seen>>,
        warn: Option<Screen>,
    ) -> Self {
        Self { manifests: manifests.into_iter(), present: None, base, seen, warn, algorithms: Arc::new([]) }
    }

    fn input(&mut self, item: Item) -> Option<Input> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.keeps_names {
            seen.known.add(item.path.as_bytes());
        }
        if item.digests.is_empty() {
            seen.undigested += 1;
            return None;
        }
        drop(seen);
        let expected = Expected::of(&item);
        let algorithms = expected.algorithms(&mut self.algorithms);
        let tag = expected.encode();
        if item.path.as_bytes() == b"-" && self.base.is_none() {
            return Some(Input::Stdin { tag, algorithms });
        }
        Some(Input::File { path: item.path, base: self.base.clone(), algorithms, tag })
    }
}

impl Iterator for Listed {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        loop {
            if self.present.is_none() {
                let (name, reader) = self.manifests.next()?;
                self.present = Some((name, reader.merged()));
            }
            let Some((name, items)) = &mut self.present else { continue };
            match items.next() {
                None => self.present = None,
                Some(Ok(item)) => {
                    if let Some(input) = self.input(item) {
                        return Some(input);
                    }
                }
                Some(Err(problem)) => {
                    if let Some(screen) = &self.warn {
                        screen.message(&format!("{name}: {problem}"));
                    }
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    match seen.malformed.last_mut() {
                        Some((last, lines)) if last == name => *lines += 1,
                        _ => seen.malformed.push((name.clone(), 1)),
                    }
                }
            }
        }
    }
}
