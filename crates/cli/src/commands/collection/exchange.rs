//! `hashlane collection import` and `export`.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_catalog::{Collection, Decision, Reader};
use hashlane_digest::Algorithm;
use hashlane_keeper::{
    BagLists, ImportError, ImportNote, ListImport, export as keeper_export, export_for_s3_batch,
};
use hashlane_manifest::{Error, Header, WriteOptions};
use hashlane_record::ItemPath;
use hashlane_report::collection::imported_line;
use hashlane_report::text;
use hashlane_verify::lists::ListOptions;

use super::{actor, failed, now_s, open, open_to_read, sink};
use crate::args::{CollectionExportArgs, CollectionImportArgs, ExportList};
use crate::commands::sum;
use crate::how::how_to;
use crate::manifests::{self, OptionNames, Refused};
use crate::output::{Output, Place, refuse_misleading_name, shown as shown_path};
use crate::status::{Ended, Status, usage};
use crate::terminal::screen::Screen;

/// How many lines are said one by one.
const MOST_TOLD: u64 = 20;

/// The options by which it is said how a list is to be read.
const CALLED: OptionNames = OptionNames { task: "import", algorithm: None, ..OptionNames::USUAL };

/// The same of how one is to be written. The algorithms of a collection are what they are.
const EXPORTED: OptionNames = OptionNames { task: "export", algorithm: None, ..OptionNames::USUAL };

pub(super) fn import(args: &CollectionImportArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let screen = Screen::plain();
    let reading = ListOptions { format: args.manifest_format, zero: args.zero, ..ListOptions::default() };
    let import = ListImport::new(&collection, args.strip_prefix.as_deref(), reading).map_err(failed)?;
    let mut lists = Lists { args, collection: &collection, screen: &screen, import, told: 0 };
    for list in &args.lists {
        match Path::new(list).is_dir() {
            true => lists.bag(Path::new(list))?,
            false => lists.read(list, b"")?,
        }
    }
    let import = lists.import;
    let (taken, left_out, is_one_too_deep) = (import.taken, import.left_out, import.is_one_too_deep());
    let decision = Decision { actor: actor(), reason: args.reason.clone(), at_s: now_s() };
    let mut contradicting = 0;
    let imported = import
        .register(&mut catalog, &decision, &mut |path| {
            contradicting += 1;
            if contradicting <= MOST_TOLD {
                screen.message(&format!("{}: is known as another content, which is kept", text::name(path)));
            }
        })
        .map_err(failed)?;
    screen.message(&imported_line(&collection.terms, &imported, left_out, &how_to));
    let is_matched = imported.known + imported.contradicting > 0;
    let is_lost = imported.not_found > 0 && imported.not_found == imported.registered;
    if !is_matched && (is_lost || is_one_too_deep) {
        screen.message(
            "warning: none of the names is that of a file of the collection; the lists may be of another directory; \
             --strip-prefix takes away what their names begin with",
        );
    }
    let is_whole = left_out == 0 && imported.contradicting == 0 && taken > 0;
    Ok(if is_whole { Status::OK } else { Status::UNREADABLE })
}

/// The lists that are read.
struct Lists<'a> {
    args: &'a CollectionImportArgs,
    collection: &'a Collection,
    screen: &'a Screen,
    import: ListImport<'a>,
    /// Lines that were not taken, and said.
    told: u64,
}

impl Lists<'_> {
    /// The manifests of a bag that have the algorithms of the collection, whose tree is the bag or its payload.
    fn bag(&mut self, bag: &Path) -> anyhow::Result<()> {
        let bag_lists = BagLists::of(bag, self.collection).map_err(|error| {
            let (name, terms) = (shown_path(bag), &self.collection.terms);
            Ended::usage(match error {
                ImportError::OtherTree => {
                    let root = shown_path(&terms.root);
                    format!("{name}: {error}, which is {root}; import its manifest file instead")
                }
                ImportError::NoManifest => {
                    format!("{name}: has no manifest for {}", names(&terms.algorithms))
                }
                error => format!("{name}: {error}"),
            })
        })?;
        bag_lists.manifests.iter().try_for_each(|list| self.read(list.as_os_str(), bag_lists.payload))
    }

    fn read(&mut self, list: &OsStr, payload: &[u8]) -> anyhow::Result<()> {
        let Self { args, collection, screen, import, told } = self;
        let (algorithms, shown) = (&collection.terms.algorithms, manifests::shown(list));
        let mut leave_out = |why: &str| {
            *told += 1;
            if *told <= MOST_TOLD {
                screen.message(&format!("left out: {why}"));
            }
        };
        let read = import.read(manifests::open(list)?, payload, &mut |note| match note {
            ImportNote::Assumed(algorithm) => {
                screen.message(&manifests::assumed_line(list, algorithm, CALLED));
            }
            ImportNote::Problem(problem) => leave_out(&format!("{shown}: {problem}")),
            ImportNote::Outside(name) => {
                leave_out(&format!("{}: does not lie below the root of the collection", text::name(name)));
            }
            ImportNote::Unlike(name) => {
                leave_out(&format!("{}: is not listed with {}", text::name(name), names(algorithms)));
            }
            ImportNote::Twice(name) => {
                leave_out(&format!("{}: is listed twice, as different contents", text::name(name)));
            }
            ImportNote::CommentedOut(count) => {
                manifests::say_commented_out(screen, &shown, count, "imported");
            }
            _ => {}
        });
        read.map_err(|error| match error {
            ImportError::Catalog(error) => failed(error),
            ImportError::List(error) => match manifests::refused(&error, CALLED) {
                Refused::Ambiguous { question, asking, candidates } => {
                    // To say which of them it is helps only where one of them is of the collection.
                    let can_help = candidates.iter().any(|candidate| algorithms.contains(candidate));
                    let said = if can_help { asking } else { question };
                    usage!("{said}; {} is known by {}", args.name, names(algorithms))
                }
                refused => refused.into_error(),
            },
            ImportError::Elsewhere(name) => usage!(
                "{shown}: {} does not lie below the root of {}, which is {}; take off what the names begin with by --strip-prefix",
                text::name(&name),
                args.name,
                shown_path(&collection.terms.root)
            ),
            error => usage!("{shown}: {error}"),
        })
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
        return s3_batch(&catalog, &collection, Output::open(path, &Screen::plain())?);
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
    let written_files = keeper_export(&catalog, &collection, &mut |item| {
        writer.item(item).map_err(|error| {
            sink(match error {
                Error::Output { source } => place.failed(&source),
                // A name that the format has no way to write, say.
                error => Ended::output(EXPORTED.told(&error)),
            })
        })
    });
    let written_files = written_files.map_err(failed)?;
    writer.finish().map_err(|error| written(&place, error))?.finish()?;
    if written_files == 0 {
        screen.message(&format!("{}: no file was read yet; the list is empty", args.name));
    }
    Ok(Status::OK)
}

/// Writes the objects of a collection as S3 Batch Operations takes them.
fn s3_batch(catalog: &Reader, collection: &Collection, mut output: Output) -> anyhow::Result<Status> {
    let (name, place) = (&collection.terms.name, output.place());
    let written = export_for_s3_batch(catalog, collection, &mut |block| {
        output.write_all(block).map_err(|error| sink(place.failed(&error)))
    });
    let Some(files) = written.map_err(failed)? else {
        return Err(usage!(
            "{name}: lies in {}, and s3-batch lists objects in S3; `hashlane collection export {name}` writes a manifest",
            shown_path(&collection.terms.root)
        ));
    };
    output.finish()?;
    let what = if files == 0 { "; `hashlane audit` lists the objects first" } else { "" };
    Screen::plain()
        .message(&format!("{name}: {} listed for S3 Batch Operations{what}", text::counted(files, "object")));
    Ok(Status::OK)
}

fn written(place: &Place, error: Error) -> anyhow::Error {
    match error {
        Error::Output { source } => place.failed(&source),
        error => Ended::usage(EXPORTED.told(&error)),
    }
}
