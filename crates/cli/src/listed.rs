//! The items of manifests as inputs of a run.

use std::sync::{Arc, Mutex, PoisonError};

use hashlane_engine::{AlgorithmSet, Input};
use hashlane_io::Directory;
use hashlane_manifest::{Item, LineProblem, Merged, ProblemKind, Reader};
use hashlane_record::ItemPath;

use crate::expected::Expected;
use crate::extras::Known;
use crate::screen::Screen;

/// What was met on the way through the manifests.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Lines that could not be understood, by manifest.
    pub(crate) malformed: Vec<(String, u64)>,
    /// Manifests whose reading failed before their end.
    pub(crate) broken_off: Vec<String>,
    /// The roots that headers name, those further down in concatenated manifests too.
    pub(crate) roots: Vec<ItemPath>,
    /// Items that list no digest, or none that can be understood.
    pub(crate) undigested: u64,
    /// The names listed, if anybody will ask.
    pub(crate) known: Known,
    keeps_names: bool,
}

impl Seen {
    /// `from_here`: names are relative to the current directory.
    pub(crate) fn new(keeps_names: bool, from_here: bool) -> Self {
        let known = if from_here { Known::from_here() } else { Known::default() };
        Self { keeps_names, known, ..Self::default() }
    }
}

/// Reads manifests one after the other; runs on the thread of the source.
pub(crate) struct Listed {
    manifests: std::vec::IntoIter<(String, Reader<'static>)>,
    present: Option<(String, Merged<Reader<'static>>)>,
    base: Option<Arc<Directory>>,
    seen: Arc<Mutex<Seen>>,
    screen: Screen,
    /// Whether each line that cannot be understood is reported.
    warn: bool,
    algorithms: AlgorithmSet,
}

impl Listed {
    pub(crate) fn new(
        manifests: Vec<(String, Reader<'static>)>,
        base: Option<Arc<Directory>>,
        seen: Arc<Mutex<Seen>>,
        screen: Screen,
        warn: bool,
    ) -> Self {
        let manifests = manifests.into_iter();
        Self { manifests, present: None, base, seen, screen, warn, algorithms: Arc::new([]) }
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
                None => {
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.roots.extend_from_slice(items.get_ref().header_roots());
                    drop(seen);
                    self.present = None;
                }
                Some(Ok(item)) => {
                    if let Some(input) = self.input(item) {
                        return Some(input);
                    }
                }
                Some(Err(LineProblem { kind: ProblemKind::Input(error), line, .. })) => {
                    let text = crate::text::system(&error);
                    self.screen.message(&format!("{name}: {text} (reading line {line})"));
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.broken_off.push(name.clone());
                }
                Some(Err(problem)) => {
                    if self.warn {
                        self.screen.message(&format!("{name}: {problem}"));
                    }
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.undigested += u64::from(problem.is_entry());
                    match seen.malformed.last_mut() {
                        Some((last, lines)) if last == name => *lines += 1,
                        _ => seen.malformed.push((name.clone(), 1)),
                    }
                }
            }
        }
    }
}
