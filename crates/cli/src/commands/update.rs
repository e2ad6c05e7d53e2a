//! `hashlane sum --update`: a manifest brought up to date, without reading again what did not change.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::{Stop, Taken, Tree as _};
use hashlane_manifest::{Format, Header, Piecewise, ReadOptions, WriteOptions, times_of_headers};
use hashlane_objects::{Objects, may_be_version};
use hashlane_record::{ItemPath, Timestamp};
use hashlane_report::{UpdateTally, UpdateWords, basis, text};
use hashlane_verify::update::{Event, OldList, OldListError, Update, Updated, outermost, outermost_in_store};
use hashlane_verify::{Belief, Elsewhere, header_of_roots};

use super::sum::close;
use crate::args::{SumArgs, Trust};
use crate::hints::store_problem;
use crate::inputs::{are_all_objects, connect, know_roots, walk_options};
use crate::manifests::{self, OptionNames, STDIN};
use crate::new_list::{self, NewList, header_of_this_run, options, refuse_strict, start_in};
use crate::output::{Output, refuse_misleading_name, shown};
use crate::partial::{Existing, Version};
use crate::session::Session;
use crate::status::{Ended, Status, halt};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &SumArgs, manifest: &Path) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, false)?;
    refuse_stdin(args, manifest)?;
    // Before any file is looked at: what is changed from now on is newer.
    let header = header_of_this_run();
    // And before the list is read: what another run writes into it from now on shows, and is not replaced.
    let existing = match args.output {
        None => Existing::Unchanged(Version::of(manifest)),
        Some(_) => Existing::Replaced,
    };
    let old = read(manifest, args)?;
    let belief = Belief::new(args.update.trust.into(), old.started(), header.started);
    doubt_the_future(&belief, manifest, args.update.trust);
    let (roots, store) = roots(args, &old, manifest)?;
    if let Some(store) = &store {
        refuse_versions(&old, &roots, store, manifest)?;
    }
    let belief = if store.is_some() { belief.in_store() } else { belief };
    let format = old.format();
    refuse_strict(&args.format, format)?;
    let has_header = old.started().is_some() || !old.roots().is_empty() || args.format.header;
    let algorithms = old.algorithms(&args.algorithm);
    refuse_algorithms(&old, &algorithms, manifest)?;
    let walk = walk_options(&args.walk)?;

    session.show(Box::new(|_| {}));
    let screen = session.screen().clone();
    let target = args.output.as_deref().unwrap_or(manifest);
    refuse_misleading_name("--output", target, format, &algorithms)?;
    let told = Format::of_file_name(target.as_os_str().as_encoded_bytes());
    if args.output.is_some() && told.is_some_and(|told| told != format) {
        screen.message(&format!("{}: in format {format}, as the list that is updated", shown(target)));
    }
    // Before what is left of an earlier run makes room for what is written now: it may be the list.
    let old_file = hashlane_verify::check::identity(manifest.as_os_str());
    let output = Output::open_as("--output", Some(target), existing, &screen)?;
    let places = roots.iter().map(|root| root.as_path().as_os_str()).filter(|_| store.is_none());
    let mut engine = session.options(Arc::clone(&algorithms), walk, places);
    engine.excluded = output.identities();
    engine.excluded.extend(old_file);
    engine.links_once = !args.walk.no_links_once;
    // Until it is known that all was verified, it says when that was the last time.
    let begun = header.started.filter(|_| has_header);
    let header = Header { started: Some(belief.listed_at()), ..header };
    let all = old.roots().iter().chain(&roots);
    let all = if store.is_some() { outermost_in_store(all) } else { outermost(all) };
    let header = header_of_roots(all, header);
    let options = WriteOptions { zero: false, ..options(&args.format, has_header.then_some(header)) };
    let list = start_in(output, format, &algorithms, &options, manifests::told)?;
    let mut writing = Writing::new(list, screen.clone(), args.quiet, manifest);
    let traffic = store.as_ref().map(Objects::traffic);
    let are_objects = store.is_some();
    let basis = basis(belief.basis(), are_objects, old.has_inodes());
    let elsewhere = store.map(|store| Arc::new(store) as Arc<Elsewhere>);
    let update = Update { old, belief, roots, elsewhere, engine };
    let (run, ran) =
        session.run(Stop::Drained, |control| update.run(&mut |event| writing.event(event), control))?;

    let updated = match run {
        Ok(updated) => updated,
        Err(error) => return ran.failed(manifests::failed(&error), writing.leave()),
    };
    let (mut status, said) = (writing.status, writing.tally.line(basis));
    if args.update.fail_on_change {
        writing.tally.verdicts().for_each(|verdict| status |= Status::of(verdict));
    }
    let lost = writing.lost;
    let complete = updated.is_complete && updated.deserted.is_none() && updated.unlisted.is_none();
    let begun = begun.filter(|_| updated.is_verified).map(|begun| (belief.listed_at(), begun));
    let done = writing.finish(complete && !lost, begun);
    let summary = &updated.summary;
    if summary.stopped.is_some() && done.is_ok() {
        screen.message("nothing was replaced; to start over: the same command again");
    }
    ran.die_if_interrupted(summary);
    done?;
    refuse_loss(&updated, lost, target)?;
    if !args.quiet {
        screen.message(&said);
        if updated.too_young > 0 && are_objects {
            screen.message(&text::read_again(updated.too_young));
        }
        close(&ran, summary);
        ran.say_traffic(traffic.as_ref());
    }
    ran.learn(summary);
    Ok(status)
}

/// Refuses standard input where it cannot serve.
fn refuse_stdin(args: &SumArgs, manifest: &Path) -> anyhow::Result<()> {
    if manifest.as_os_str() == STDIN && args.output.is_none() {
        return Err(Ended::usage("--update: a manifest from standard input cannot be replaced; name a file"));
    }
    if args.paths.iter().any(|path| path == STDIN) {
        return Err(Ended::usage(
            "--update: standard input has no times to compare; name files and directories",
        ));
    }
    Ok(())
}

/// Refuses a list of versions before anything is read: none of them would be listed again. A key may end like the name of a version, so the
/// first such name is asked for. The others are looked at when it is known what is gone.
fn refuse_versions(
    old: &OldList,
    roots: &[ItemPath],
    store: &Objects,
    manifest: &Path,
) -> anyhow::Result<()> {
    match old.first_below(roots, may_be_version) {
        Some(name) if matches!(store.facts(name), Ok(None)) => Err(lists_version(manifest, name)),
        _ => Ok(()),
    }
}

/// Why a list is not updated from which a version would be dropped.
fn lists_version(manifest: &Path, name: &[u8]) -> anyhow::Error {
    Ended::usage(format!(
        "--update: {}: {} is a version of an object; --update is for current objects; list versions anew with `hashlane sum --versions`",
        shown(manifest),
        text::name(name)
    ))
}

/// Why the manifest was left as it is, if it was: nobody knows what else the store has, or what it lists would be lost.
fn refuse_loss(updated: &Updated, lost: bool, target: &Path) -> anyhow::Result<()> {
    let name = |root: &ItemPath| text::name(root.as_bytes());
    Err(Ended::unreadable(match (&updated.unlisted, &updated.deserted) {
        (Some(root), _) => format!(
            "{}: the objects below it were not listed to the end, so the manifest was left unchanged; run again",
            name(root)
        ),
        (None, Some(root)) => format!(
            "there are no files below {}, where files are listed; they may be elsewhere, so the manifest was left unchanged",
            name(root)
        ),
        (None, None) if lost => format!(
            "{}: left unchanged, because the new manifest cannot store all of its entries",
            shown(target)
        ),
        (None, None) => return Ok(()),
    }))
}

/// Where to look for files, and in which store if they are objects: all of it has to be there, for what is not mounted is not gone.
fn roots(args: &SumArgs, old: &OldList, manifest: &Path) -> anyhow::Result<(Vec<ItemPath>, Option<Objects>)> {
    let named = args.paths.iter().map(|path| ItemPath::from(path.as_bytes()));
    let named: Vec<_> = if args.paths.is_empty() { old.roots().to_vec() } else { named.collect() };
    if named.is_empty() {
        return Err(Ended::usage(format!(
            "--update: {} does not name its directories; name them as PATHs",
            shown(manifest)
        )));
    }
    if are_all_objects(args, named.iter().map(ItemPath::as_bytes))? {
        let store = connect(&args.store, args.requests)?;
        know_roots(&store, named.iter().map(ItemPath::as_bytes))?;
        let roots = outermost_in_store(named.iter());
        for root in roots.iter().map(ItemPath::as_bytes) {
            store.probe(root).map_err(|error| {
                let problem = store_problem(root, &error);
                Ended::unreadable(format!("{problem}; the manifest was left unchanged"))
            })?;
        }
        return Ok((roots, Some(store)));
    }
    let spelled: Vec<_> = named.iter().map(|root| old.spelled(root)).collect();
    let roots = outermost(spelled.iter());
    for root in &roots {
        if let Err(error) = std::fs::metadata(root.as_path()) {
            return Err(Ended::unreadable(format!(
                "{}: {}; the manifest was left unchanged",
                shown(root.as_path()),
                text::system(&error)
            )));
        }
    }
    Ok((roots, None))
}

/// The manifest as it is.
fn read(manifest: &Path, args: &SumArgs) -> anyhow::Result<OldList> {
    // Of a manifest that does not tell: what is asked for.
    let fallback = match args.algorithm[..] {
        [only] => Some(only),
        _ => None,
    };
    let options = ReadOptions { fallback, ..ReadOptions::default() };
    let source = manifests::open(manifest.as_os_str())?;
    let named = shown(manifest);
    let refused = |why: String| Ended::usage(format!("--update: {named}: {why}"));
    if args.output.is_none() && !source.is_regular() {
        return Err(refused(
            "is a pipe or a device, which cannot be replaced; name a file, or an --output for the result"
                .into(),
        ));
    }
    let called = OptionNames { task: "update", ..OptionNames::USUAL };
    let reader = manifests::read(source, &options, called);
    let reader = reader.map_err(manifests::Refused::into_error)?;
    let format = reader.format();
    if format.is_known_set() || !format.can_be_written() {
        return Err(refused(format!("{format} can be read but not written; convert it to another format")));
    }
    if let Some(Piecewise::Beginning(_)) = format.piecewise() {
        return Err(refused(format!(
            "{format} lists digests of the beginnings of files, which cannot be updated; make it again with \
             sum --manifest-format {format}"
        )));
    }
    let lacking = match (format.holds_sizes(), format.holds_times()) {
        (true, true) => None,
        (true, false) => Some("times"),
        (false, true) => Some("sizes"),
        (false, false) => Some("sizes and times"),
    };
    if let Some(lacking) = lacking.filter(|_| args.update.trust != Trust::Names) {
        return Err(refused(format!(
            "{format} cannot store {lacking}, so changes cannot be detected; convert it to jsonl or \
             csv, or add only new files with --trust names"
        )));
    }
    let old = OldList::read(reader).map_err(|error| match error {
        error @ OldListError::Pieces { .. } => refused(format!("{error}; make it again with sum --pieces")),
        error @ OldListError::Shard => {
            refused(format!("{error}, and has no files of the others; merge them first"))
        }
        OldListError::Line(_) => {
            Ended::unreadable(format!("{named}: {error}; it was left unchanged; correct that line first"))
        }
        error => Ended::unreadable(format!("{named}: {error}; it was left unchanged")),
    })?;
    manifests::say_commented_out(&Screen::plain(), &named, old.commented_out(), "kept");
    if let noise @ 1.. = old.noise() {
        let (lines, verb) = (text::counted(noise, "line"), if noise == 1 { "lists" } else { "list" });
        Screen::plain().message(&format!("{named}: {lines} that {verb} no file will be dropped"));
    }
    Ok(old)
}

/// Says so where the list was made at a time that is yet to come.
fn doubt_the_future(belief: &Belief, manifest: &Path, trust: Trust) {
    if belief.is_of_the_future() && trust == Trust::Times {
        Screen::plain().message(&format!(
            "{}: the time in its header is in the future, so ctime proves nothing; all files are read",
            shown(manifest)
        ));
    }
}

/// Refuses to add an algorithm to a list in a format that has room for one.
fn refuse_algorithms(old: &OldList, algorithms: &[Algorithm], manifest: &Path) -> anyhow::Result<()> {
    match algorithms {
        [listed, added, ..] if !old.format().holds_many_algorithms() => Err(Ended::usage(format!(
            "--update: {}: {} can store one algorithm, here {listed}; add {added} in another format with \
             `hashlane convert --add {added}`",
            shown(manifest),
            old.format()
        ))),
        _ => Ok(()),
    }
}

impl From<Trust> for hashlane_verify::Trust {
    fn from(trust: Trust) -> Self {
        match trust {
            Trust::Times => Self::Times,
            Trust::Mtime => Self::Mtime,
            Trust::Names => Self::Names,
        }
    }
}

/// Writes what is kept and what was read, in the order of the walk.
struct Writing<'a> {
    /// The list that is updated.
    manifest: &'a Path,
    list: NewList,
    screen: Screen,
    status: Status,
    quiet: bool,
    tally: UpdateTally,
    /// Something that is listed has no place in the new list.
    lost: bool,
}

impl<'a> Writing<'a> {
    fn new(list: NewList, screen: Screen, quiet: bool, manifest: &'a Path) -> Self {
        Self { manifest, list, screen, status: Status::OK, quiet, tally: UpdateTally::default(), lost: false }
    }

    /// Says and writes what became of a file.
    fn event(&mut self, event: &Event<'_>) -> Taken {
        // Its entry may be the only record of it.
        if let Event::Gone(name) = event
            && may_be_version(name)
        {
            return Err(halt(lists_version(self.manifest, name)));
        }
        match self.tally.take(event) {
            Some(UpdateWords::News(text)) if !self.quiet => self.screen.message(&text),
            Some(UpdateWords::Trouble(text, verdict)) => {
                self.status |= Status::of(verdict);
                self.screen.message(&text);
            }
            _ => {}
        }
        let (refused, is_listed) = match event {
            Event::Kept(item)
            | Event::Moved { item, .. }
            | Event::Elsewhere(item)
            | Event::Corrupt { listed: item, .. }
            | Event::Collision { listed: item, .. }
            | Event::Failed { listed: Some(item), .. } => (self.list.item(item), true),
            Event::MovedAndRead { record, .. }
            | Event::Added(record)
            | Event::Same(record)
            | Event::Changed(record) => (self.list.record(record), false),
            _ => return Ok(()),
        };
        if let Some(error) = refused.map_err(halt)? {
            self.lost |= is_listed;
            self.status |= Status::UNREADABLE;
            self.screen.message(&error.to_string());
        }
        Ok(())
    }

    /// Leaves the list of an update that failed.
    fn leave(self) -> anyhow::Result<()> {
        self.list.end(false).map_or(Ok(()), |output| output.leave(&self.screen))
    }

    /// `times`: what the header says of when all was verified, and what it is to say, if it says anything and all was.
    fn finish(self, complete: bool, times: Option<(Timestamp, Timestamp)>) -> anyhow::Result<()> {
        let output = new_list::end(self.list, complete)?;
        if !complete {
            return output.leave(&self.screen);
        }
        if let Some((listed_at, begun)) = times {
            for (old, new) in times_of_headers(listed_at, begun) {
                output.amend(&old, &new)?;
            }
        }
        output.finish()
    }
}
