//! Making a bag: everything is read and listed in its staging, before anything is moved.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, Input, Options, Sink, Summary, Taken};
use hashlane_io::Directory;
use hashlane_manifest::bag::{Declaration, Oxum, Version, algorithm_name, push_line};
use hashlane_record::{ItemPath, Record, counted};

use super::plan::Plan;
use super::staging::{Failed, Recovered, Staging, at};

/// What it takes to make a bag of a directory.
#[derive(Debug)]
pub struct Making<'a> {
    /// The directory.
    pub directory: &'a Arc<Directory>,
    /// What it would be as a bag.
    pub plan: &'a Plan,
    /// Where tag files are written; it was made.
    pub staging: &'a Staging,
    /// The algorithms of the manifests.
    pub algorithms: &'a [Algorithm],
    /// The version of the bag.
    pub version: Version,
}

/// Why a bag is not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tag file cannot be written.
    #[error("cannot write to {0}")]
    Unwritten(#[from] Failed),
    /// Files could not be read. Each was said.
    #[error("{} could not be read", counted(*.files, "file"))]
    Unread {
        /// How many.
        files: u64,
    },
    /// The directory changed while it was read.
    #[error("changed while it was read")]
    Changed,
    /// Something could not be moved.
    #[error("cannot move {failed}")]
    Unmoved {
        /// What.
        failed: Failed,
        /// What became of all that was moved before.
        undone: Result<Recovered, Failed>,
    },
    /// The run could not be brought to its end.
    #[error(transparent)]
    Run(#[from] hashlane_engine::Error),
}

/// What came of it.
#[derive(Debug)]
pub enum Made {
    /// A bag.
    Bag {
        /// What was read of the payload.
        summary: Summary,
        /// How many tag files were written.
        tag_files: u64,
    },
    /// It was stopped, and nothing was changed: with what was read of the payload, if it was stopped by then.
    Stopped(Option<Summary>),
}

/// Is called with the name of a file that could not be read, and why.
pub type Problems<'a> = &'a mut dyn FnMut(&[u8], &dyn fmt::Display);

impl Making<'_> {
    /// Reads everything, writes all tag files, and makes the directory a bag. `info`: the text of bag-info.txt.
    ///
    /// # Errors
    /// A file cannot be read, one not be written, or the directory has changed meanwhile: what was prepared is left, for
    /// [`Staging::recover`]. Or something cannot be moved: then that was undone.
    pub fn make(
        &self,
        info: impl FnOnce(Oxum) -> String,
        options: Options,
        control: &Arc<Control>,
        problems: Problems<'_>,
    ) -> Result<Made, Error> {
        let (summary, oxum) = self.list_payload(options.clone(), control, problems)?;
        if summary.stopped.is_some() {
            return Ok(Made::Stopped(Some(summary)));
        }
        let names = self.write_tags(&info(oxum), options, control, problems)?;
        if !self.plan.is_as(&Plan::of(self.directory, self.plan.keeps, self.version)) {
            return Err(Error::Changed);
        }
        if control.stopped().is_some() {
            return Ok(Made::Stopped(None));
        }
        match self.staging.commit(&names) {
            Ok(()) => Ok(Made::Bag { summary, tag_files: names.len() as u64 }),
            Err(failed) => Err(Error::Unmoved { failed, undone: self.staging.recover() }),
        }
    }

    /// Reads the payload and lists it in a manifest for each algorithm. A run that was stopped has listed a part.
    fn list_payload(
        &self,
        options: Options,
        control: &Arc<Control>,
        problems: Problems<'_>,
    ) -> Result<(Summary, Oxum), Error> {
        let payload = self.plan.payload.iter().map(|(name, _)| (self.directory, name.clone()));
        self.list(payload, "manifest", |name| self.plan.name_in_bag(name), options, control, problems)
    }

    /// Writes the declaration and `info`, the text of bag-info.txt, and lists all tag files in a tag manifest for each
    /// algorithm. Gives the names of what was written, those of the payload manifests too.
    fn write_tags(
        &self,
        info: &str,
        options: Options,
        control: &Arc<Control>,
        problems: Problems<'_>,
    ) -> Result<Vec<String>, Error> {
        let manifests = |kind| self.algorithms.iter().map(move |algorithm| manifest_name(kind, *algorithm));
        let mut names: Vec<_> = manifests("manifest").collect();
        for (name, text) in [("bagit.txt", &*Declaration::text(self.version)), ("bag-info.txt", info)] {
            self.write(name, text)?;
            names.push(name.to_owned());
        }
        let tags = opened(&self.staging.tags())?;
        let mut all: Vec<_> = names.iter().map(|name| (&tags, name.clone().into_bytes())).collect();
        all.extend(self.plan.tags.iter().map(|name| (self.directory, name.clone())));
        all.sort_by(|(_, one), (_, other)| one.cmp(other));
        self.list(all.into_iter(), "tagmanifest", <[u8]>::to_vec, options, control, problems)?;
        names.extend(manifests("tagmanifest"));
        Ok(names)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failed> {
        let path = self.staging.tag(name);
        let written = File::create_new(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        at(&path, written)
    }

    /// One manifest for each algorithm. What could not be read ends it.
    fn list<'d>(
        &self,
        files: impl Iterator<Item = (&'d Arc<Directory>, Vec<u8>)>,
        kind: &str,
        name_in_bag: impl Fn(&[u8]) -> Vec<u8>,
        options: Options,
        control: &Arc<Control>,
        problems: Problems<'_>,
    ) -> Result<(Summary, Oxum), Error> {
        let set: AlgorithmSet = self.algorithms.into();
        let input = |(base, name)| Input::file(ItemPath::from(name), Some(Arc::clone(base)), &set, [].into());
        let inputs: Vec<_> = files.map(input).collect();
        let mut manifests = Vec::new();
        for algorithm in self.algorithms {
            let path = self.staging.tag(&manifest_name(kind, *algorithm));
            let file = at(&path, File::create_new(&path))?;
            manifests.push((path, BufWriter::new(file)));
        }
        let mut sink = Lists {
            manifests,
            name_in_bag: &name_in_bag,
            version: self.version,
            oxum: Oxum::default(),
            problems,
            line: Vec::new(),
            failed: 0,
        };
        let summary =
            hashlane_engine::run(options, inputs.into_iter(), &mut sink, control).map_err(failed)?;
        if sink.failed > 0 {
            return Err(Error::Unread { files: sink.failed });
        }
        for (path, file) in sink.manifests {
            let written = file.into_inner().map_err(io::IntoInnerError::into_error);
            at(&path, written.and_then(|file| file.sync_all()))?;
        }
        Ok((summary, sink.oxum))
    }
}

/// A run that did not come to its end: because a manifest could not be written, or for a reason of its own.
fn failed(error: hashlane_engine::Error) -> Error {
    match error {
        hashlane_engine::Error::Sink(why) => match why.downcast() {
            Ok(failed) => Error::Unwritten(*failed),
            Err(why) => hashlane_engine::Error::Sink(why).into(),
        },
        error => error.into(),
    }
}

fn opened(path: &Path) -> Result<Arc<Directory>, Failed> {
    let directory = at(path, File::open(path))?;
    Ok(Arc::new(Directory::with_descriptor(path.as_os_str().as_bytes(), directory.into(), None)))
}

fn manifest_name(kind: &str, algorithm: Algorithm) -> String {
    format!("{kind}-{}.txt", algorithm_name(algorithm))
}

/// Writes each record into every manifest.
struct Lists<'a> {
    manifests: Vec<(PathBuf, BufWriter<File>)>,
    name_in_bag: &'a dyn Fn(&[u8]) -> Vec<u8>,
    version: Version,
    oxum: Oxum,
    problems: Problems<'a>,
    line: Vec<u8>,
    failed: u64,
}

impl Sink for Lists<'_> {
    fn record(&mut self, record: Record) -> Taken {
        if let Some(problem) = record.outcome.problem() {
            self.failed += 1;
            (self.problems)(record.path.as_bytes(), problem);
            return Ok(());
        }
        self.oxum.bytes += record.digested_bytes;
        self.oxum.files += 1;
        let name = (self.name_in_bag)(record.path.as_bytes());
        for ((path, file), digest) in self.manifests.iter_mut().zip(&record.digests) {
            self.line.clear();
            let result = match push_line(&mut self.line, digest, &name, self.version) {
                true => file.write_all(&self.line),
                false => Err(io::Error::other("a name that no manifest can store")),
            };
            if let Err(error) = result {
                return Err(Failed { path: path.clone(), error }.into());
            }
        }
        Ok(())
    }
}
