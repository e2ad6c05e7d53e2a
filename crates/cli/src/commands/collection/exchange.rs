//! `hashlane collection import` and `export`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_catalog::{Catalog, Collection, Content, Decision, Import, State};
use hashlane_digest::Algorithm;
use hashlane_keeper::BelowRoot;
use hashlane_manifest::{Error, Header, Item, ReadOptions, WriteOptions};
use hashlane_record::ItemPath;
use hashlane_verify::lists::ListOptions;

use super::{actor, batch_list, failed, now_s, open, open_to_read};
use crate::args::{CollectionExportArgs, CollectionImportArgs, ExportList};
use crate::commands::sum;
use crate::manifests::{self, OptionNames, Refused};
use crate::output::{Output, Place, refuse_misleading_name, shown as shown_path};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::text;

/// How many lines are told of one by one.
const MOST_TOLD: u64 = 20;

/// The options by which it is said how a list is to be read.
const CALLED: OptionNames = OptionNames { task: "import", algorithm: None, ..OptionNames::USUAL };

/// The same of how one is to be written. The algorithms of a collection are what they are.
const EXPORTED: OptionNames = OptionNames { task: "export", algorithm: None, ..OptionNames::USUAL };

pub(super) fn import(args: &CollectionImportArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let mut import = Import::new(&hashlane_io::temporary_directory()).map_err(failed)?;
    let (screen, payload) = (Screen::plain(), None);
    let below = BelowRoot::new(&collection.terms.root, args.strip_prefix.as_deref());
    let mut lists =
        Lists { args, collection: &collection, names: below, screen, payload, left_out: 0, taken: 0 };
    for list in &args.lists {
        match Path::new(list).is_dir() {
            true => lists.bag(Path::new(list), &mut import)?,
            false => lists.read(list, &mut import)?,
        }
    }
    let decision = Decision { actor: actor(), reason: args.reason.clone(), at_s: now_s() };
    let mut contradicting = 0;
    let screen = lists.screen.clone();
    let imported = import
        .register(&mut catalog, &collection, &decision, &mut |path| {
            contradicting += 1;
            if contradicting <= MOST_TOLD {
                screen.message(&format!("{}: is known as another content, which is kept", text::name(path)));
            }
        })
        .map_err(failed)?;
    let mut line = format!("{}: {} registered", args.name, text::counted(imported.registered, "file"));
    if imported.registered > 0 {
        let by = names(&collection.terms.algorithms);
        line += &format!(" by {by}, not yet verified: `hashlane audit {}` compares them", args.name);
    }
    let mut before = "; ";
    for (number, what) in [
        (imported.known, "known already, with the same content"),
        (imported.contradicting, "known as another content"),
        (imported.not_found, "registered, though the last audit did not find them"),
        (imported.not_listed, "known, and in no list"),
        (lists.left_out, "left out"),
    ] {
        if number > 0 {
            line += &format!("{before}{} {what}", text::count(number));
            before = ", ";
        }
    }
    screen.message(&line);
    let is_matched = imported.known + imported.contradicting > 0;
    let is_lost = imported.not_found > 0 && imported.not_found == imported.registered;
    if !is_matched && (is_lost || lists.names.is_one_too_deep()) {
        screen.message(
            "warning: none of the names is that of a file of the collection; the lists may be of another directory; \
             --strip-prefix takes away what their names begin with",
        );
    }
    let is_whole = lists.left_out == 0 && imported.contradicting == 0 && lists.taken > 0;
    Ok(if is_whole { Status::OK } else { Status::UNREADABLE })
}

/// The lists that are read.
struct Lists<'a> {
    args: &'a CollectionImportArgs,
    collection: &'a Collection,
    names: BelowRoot,
    screen: Screen,
    /// What the names of a bag begin with whose payload is the tree of the collection.
    payload: Option<&'static [u8]>,
    /// Lines that were not taken.
    left_out: u64,
    taken: u64,
}

impl Lists<'_> {
    /// The manifests of a bag that have the algorithms of the collection, whose tree is the bag or its payload.
    fn bag(&mut self, bag: &Path, import: &mut Import) -> anyhow::Result<()> {
        let name = shown_path(bag);
        if !bag.join("bagit.txt").is_file() {
            return Err(Ended::usage(format!("{name}: is a directory, but not a bag: it has no bagit.txt")));
        }
        let root = &self.collection.terms.root;
        let lies_at = |path: &Path| path.canonicalize().is_ok_and(|path| path == *root);
        let kinds: &[&str] = match (lies_at(bag), lies_at(&bag.join("data"))) {
            (true, _) => &["manifest", "tagmanifest"],
            (_, true) => {
                self.payload = Some(b"data/");
                &["manifest"]
            }
            _ => {
                let root = shown_path(root);
                return Err(Ended::usage(format!(
                    "{name}: is not the tree of the collection, which is {root}; import its manifest file instead"
                )));
            }
        };
        let mut found = false;
        for algorithm in &self.collection.terms.algorithms {
            for kind in kinds {
                let manifest = bag.join(format!("{kind}-{}.txt", algorithm.name().replace('-', "")));
                if manifest.is_file() {
                    self.read(manifest.as_os_str(), import)?;
                    found = true;
                }
            }
        }
        self.payload = None;
        if found {
            return Ok(());
        }
        Err(Ended::usage(format!("{name}: has no manifest for {}", names(&self.collection.terms.algorithms))))
    }

    fn read(&mut self, list: &OsStr, import: &mut Import) -> anyhow::Result<()> {
        let algorithms = &self.collection.terms.algorithms;
        let options = ReadOptions {
            format: self.args.manifest_format,
            fallback: if let [only] = algorithms[..] { Some(only) } else { None },
            zero: self.args.zero,
            ..ReadOptions::default()
        };
        let reader =
            manifests::read(manifests::open(list)?, &options, CALLED).map_err(|refused| match refused {
                Refused::Ambiguous { question, asking, candidates } => {
                    // To say which of them it is helps only where one of them is of the collection.
                    let can_help = candidates.iter().any(|candidate| algorithms.contains(candidate));
                    let said = if can_help { asking } else { question };
                    Ended::usage(format!("{said}; {} is known by {}", self.args.name, names(algorithms)))
                }
                refused => refused.into_error(),
            })?;
        if reader.format().is_known_set() {
            let list = manifests::shown(list);
            return Err(Ended::usage(format!(
                "{list}: is a set of known contents ({}), whose names are from another machine",
                reader.format()
            )));
        }
        let (mut items, shown) = (reader.merged(), manifests::shown(list));
        let (format, zero) = (self.args.manifest_format, self.args.zero);
        self.names.begin(list, &ListOptions { format, zero, ..ListOptions::default() });
        let mut is_first = true;
        for item in items.by_ref() {
            match item {
                Ok(item)
                    if std::mem::take(&mut is_first) && self.names.is_elsewhere(item.path.as_bytes()) =>
                {
                    return Err(Ended::usage(format!(
                        "{shown}: {} does not lie below the root of {}, which is {}; take off what the names begin with by --strip-prefix",
                        text::name(item.path.as_bytes()),
                        self.args.name,
                        shown_path(&self.collection.terms.root)
                    )));
                }
                Ok(item) => self.item(&item, import)?,
                Err(problem) if problem.is_entry() => self.leave_out(&format!("{shown}: {problem}")),
                Err(_) => {}
            }
        }
        manifests::say_commented_out(&self.screen, &shown, items.get_ref().commented_out(), "imported");
        Ok(())
    }

    fn item(&mut self, item: &Item, import: &mut Import) -> anyhow::Result<()> {
        let name = text::name(item.path.as_bytes());
        let listed = item.path.as_bytes();
        let listed = self.payload.map_or(Some(listed), |payload| listed.strip_prefix(payload));
        let Some(path) = listed.and_then(|listed| self.names.path(listed)) else {
            self.leave_out(&format!("{name}: does not lie below the root of the collection"));
            return Ok(());
        };
        let algorithms = &self.collection.terms.algorithms;
        let digests: Vec<_> = algorithms
            .iter()
            .filter_map(|algorithm| item.digests.iter().find(|digest| digest.algorithm() == *algorithm))
            .copied()
            .collect();
        if digests.len() < algorithms.len() {
            self.leave_out(&format!("{name}: is not listed with {}", names(algorithms)));
            return Ok(());
        }
        let content = Content { size: item.size, modified: item.modified, digests, ..Content::default() };
        match import.add(&path, &content).map_err(failed)? {
            true => self.taken += 1,
            false => self.leave_out(&format!("{name}: is listed twice, as different contents")),
        }
        Ok(())
    }

    fn leave_out(&mut self, why: &str) {
        self.left_out += 1;
        if self.left_out <= MOST_TOLD {
            self.screen.message(&format!("left out: {why}"));
        }
    }
}

/// Algorithms in a row: `md5 and sha256`.
fn names(algorithms: &[Algorithm]) -> String {
    let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    text::listed(&names)
}

pub(super) fn export(args: &CollectionExportArgs) -> anyhow::Result<Status> {
    let (catalog, path) = (open_to_read(&args.catalog)?, args.output.as_deref());
    let collection = catalog.collection(&args.name).map_err(failed)?;
    if args.list == Some(ExportList::S3Batch) {
        return batch_list::write(&catalog, &collection, Output::open(path, &Screen::plain())?);
    }
    let algorithms = &collection.terms.algorithms;
    let format = sum::refuse_strict(&args.format, sum::format(&args.format, path, algorithms))?;
    if let Some(path) = path {
        refuse_misleading_name("--output", path, format, algorithms)?;
    }
    let screen = Screen::plain();
    let output = Output::open(path, &screen)?;
    let place = output.place();
    let roots = vec![ItemPath::from(collection.terms.root.as_os_str().as_bytes())];
    let options = WriteOptions {
        zero: args.format.zero,
        header: args.format.header.then(|| Header { roots, started: None, ..sum::header_of_this_run() }),
        strict_hashdeep: args.format.strict_hashdeep,
        ..WriteOptions::default()
    };
    let mut writer = output.writer(format, algorithms, &options, |error| EXPORTED.told(error))?;
    let written_files = write(&catalog, &collection, &place, |item| writer.item(item))?;
    writer.finish().map_err(|error| written(&place, error))?.finish()?;
    if written_files == 0 {
        screen.message(&format!("{}: no file was read yet; the list is empty", args.name));
    }
    Ok(Status::OK)
}

/// Writes what is known of all files that are there, and returns of how many.
fn write(
    catalog: &Catalog,
    collection: &Collection,
    place: &Place,
    mut put: impl FnMut(&Item) -> Result<(), Error>,
) -> anyhow::Result<u64> {
    let mut files = 0;
    // A segment of names at a time is read to its end before it is written: however long a reader waits, no moment of the catalogue is
    // kept open, which would let its log grow. Each line is true by itself, so lines of different moments do no harm.
    let done = catalog.each_item(collection, &mut |directory, item| {
        if item.state == State::Retired || item.content.digests.is_empty() {
            return Ok(());
        }
        let path = match directory {
            b"" => item.name,
            directory => [directory, b"/", &item.name].concat(),
        };
        files += 1;
        let listed = Item {
            line: files,
            path: ItemPath::from(path),
            size: item.content.size,
            modified: item.content.modified,
            digests: item.content.digests,
            ..Item::default()
        };
        put(&listed).map_err(|error| {
            super::sink(match error {
                Error::Output { source } => place.failed(&source),
                // A name that the format has no way to write, say.
                error => Ended::output(EXPORTED.told(&error)),
            })
        })
    });
    done.map_err(failed)?;
    Ok(files)
}

fn written(place: &Place, error: Error) -> anyhow::Error {
    match error {
        Error::Output { source } => place.failed(&source),
        error => Ended::usage(EXPORTED.told(&error)),
    }
}
